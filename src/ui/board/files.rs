//! The session's files: a tab for each, and the button for a new one.

use leptos::prelude::*;

use crate::ui::board::editor::FileEditor;
use crate::ui::board::file_name::FileNameForm;
use crate::ui::board::file_panel::{FilePanelSlot, FilePanelState};
use crate::ui::board::shared_field::FieldStatus;
use crate::ui::dispatch::Dispatch;
use crate::ui::kit::keyed_list::KeyedList;
use crate::ui::shell::workspace::FilePromptState;
use crate::ui::view_state::{DraftState, MindView};
use nexus_model::id::Millis;
use nexus_model::mind::MindWrite;
use nexus_model::session::draft::DraftField;
use nexus_view::strings::{board as words, count};

/// What is being asked about the files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FilePrompt {
    Nothing,
    NewName,
    OtherName(String),
}

#[component]
pub fn FileTabs(
    mind: MindView,
    /// The way to the engine.
    dispatch: Dispatch,
    /// Whether the session can only be read here.
    read_only: Signal<bool>,
    now: Signal<Millis>,
) -> impl IntoView {
    let desk = expect_context::<FilePanelState>();
    // A reader cannot choose the file that all work on, but may look at others.
    let care = expect_context::<FilePromptState>();
    let FilePromptState { asked, looked_at } = care;
    let shown = Memo::new(move |_| {
        let files = mind.files().get();
        let chosen = looked_at.get().filter(|_| read_only.get()).or_else(|| mind.active().get());
        chosen.filter(|name| files.contains(name)).or_else(|| files.first().cloned())
    });
    let open = move |name: String| care.open(name, mind, dispatch, read_only.get_untracked());
    let make = move |name: String| {
        asked.set(FilePrompt::Nothing);
        let text = String::new();
        dispatch.write_mind(vec![MindWrite::File { name: name.clone(), text }, MindWrite::Activate(name)]);
    };
    let number = move || match mind.files().get().len() {
        0 => String::new(),
        number => count(number, "file", "files"),
    };
    view! { class="n",
        <div class="board-head">
            <h2 class="label">{words::FILES}</h2>
            <span class="board-figures">{number}</span>
            <button
                type="button"
                class="quiet"
                data-testid="file-all"
                title=words::ALL_FILES_ABOUT
                aria-pressed=move || desk.open.get().to_string()
                on:click=move |_| desk.open.update(|open| *open = !*open)
            >
                {words::ALL_FILES}
            </button>
            <button
                type="button"
                class="quiet"
                data-testid="file-new"
                title=words::NEW_FILE_ABOUT
                disabled=move || read_only.get()
                on:click=move |_| asked.set(FilePrompt::NewName)
            >
                {words::NEW_FILE}
            </button>
        </div>
        <Show when=move || asked.get() == FilePrompt::NewName>
            <FileNameForm
                present=""
                action=words::MAKE
                taken=mind.files()
                done=make
                cancel=move || asked.set(FilePrompt::Nothing)
            />
        </Show>
        <FilePanelSlot />
        <div class="file-tabs" role="group" aria-label=words::FILES hidden=move || desk.open.get()>
            <KeyedList
                each=move || mind.files().get()
                key=Clone::clone
                children=move |name| view! { class="n", <FileTab name shown open dispatch now /> }
            />
        </div>
        <div class="file-work" hidden=move || desk.open.get()>
            {move || match shown.get() {
                Some(name) => view! { class="n", <FileEditor name asked mind dispatch read_only now /> }.into_any(),
                None => view! { class="n", <p class="file-empty">{words::NO_FILES}</p> }.into_any(),
            }}
        </div>
    }
}

#[component]
fn FileTab(
    name: String,
    shown: Memo<Option<String>>,
    open: impl Fn(String) + Copy + Send + Sync + 'static,
    dispatch: Dispatch,
    now: Signal<Millis>,
) -> impl IntoView {
    let field = DraftField::File(name.clone());
    let state = dispatch.field(&field).state;
    let standing = FieldStatus::of(&field, state, now);
    let name = StoredValue::new(name);
    let active = Memo::new(move |_| shown.with(|shown| name.with_value(|name| shown.as_ref() == Some(name))));
    view! { class="n",
        <button
            type="button"
            class="file-tab"
            data-testid="file-tab"
            data-file=name.get_value()
            data-active=move || active.get().to_string()
            data-draft=move || (state.get() != DraftState::Kept).to_string()
            data-written=move || standing.marked().to_string()
            data-accent=move || standing.accent()
            aria-current=move || active.get().then_some("true")
            title=move || name.with_value(|name| words::tab(name, active.get()))
            on:click=move |_| open(name.get_value())
        >
            <span>{name.get_value()}</span>
        </button>
    }
}
