//! The session's files: a tab for each, and the button for a new one.

use serde_json::Value;

use crate::ui::board::editor::FileEditor;
use crate::ui::board::shared_field::{FieldStatus, FileNameForm};
use crate::ui::files::lazy_file_panel;
use crate::ui::prelude::*;
use crate::ui::view_state::DraftState;
use crate::ui::workspace::FilePromptState;
use crate::ui::workspace::message_actions::{FilePanelState, FilePrompt};
use nexus_model::mind::MindWrite;
use nexus_model::settings::schema::SYNCED_FOLDERS;
use nexus_view::strings::{board as words, count};

#[component]
pub fn FileTabs(
    mind: MindView,
    dispatch: Dispatch,
    read_only: Selector<bool>,
    now: Selector<Millis>,
) -> impl IntoMarkup {
    let panel = expect_context::<FilePanelState>();
    // In a read-only session the active file is fixed, but others can be viewed.
    let prompts = expect_context::<FilePromptState>();
    let FilePromptState { prompt, viewed_file } = prompts;
    let shown = select(move || {
        let files = mind.files.order.get();
        let chosen = viewed_file.get().filter(|_| read_only.get()).or_else(|| mind.active.get());
        chosen.filter(|name| files.contains(name)).or_else(|| files.first().cloned())
    });
    let open = move |name: String| prompts.open(name, mind, dispatch, read_only.get_untracked());
    let create = move |name: String| {
        prompt.set(FilePrompt::Nothing);
        let text = String::new();
        dispatch.write_mind(vec![MindWrite::File { name: name.clone(), text }, MindWrite::Activate(name)]);
    };
    let number = move || match mind.files.order.get().len() {
        0 => String::new(),
        number => count(number, "file", "files"),
    };
    view! {
        <div class="board-head">
            <h2 class="label">{common::FILES}</h2>
            <span class="board-figures">{number}</span>
            {quiet_button(common::ALL_FILES).test("file-all").title(words::ALL_FILES_ABOUT)
                .with("aria-pressed", move || panel.open.get().to_string())
                .on_click(move |_| panel.open.update(|open| *open = !*open))}
            {quiet_button(common::NEW_FILE).test("file-new").title(words::NEW_FILE_ABOUT)
                .disabled(read_only).on_click(move |_| prompt.set(FilePrompt::NewName))}
        </div>
        <Show when=move || prompt.get() == FilePrompt::NewName>
            <FileNameForm
                present=String::new() suggested=String::new() action=words::MAKE.get() taken=mind.files.order done=create
                cancel=move || prompt.set(FilePrompt::Nothing)
            />
        </Show>
        <FilePanelSlot />
        <div class="file-tabs" role="group" aria-label=common::FILES hidden=move || panel.open.get()>
            {keyed_list(move || mind.files.order.get(), Clone::clone,
                move |name| view! { <FileTab name shown open dispatch now /> })}
        </div>
        <div class="file-work" hidden=move || panel.open.get()>
            {move || match shown.get() {
                Some(name) => view! { <FileEditor name prompt mind dispatch read_only now /> },
                None => view! {
                    <div class="file-empty">
                        <p>{words::NO_FILES}</p>
                        {button(common::NEW_FILE).test("file-first").disabled(read_only)
                            .on_click(move |_| prompt.set(FilePrompt::NewName))}
                    </div>
                },
            }}
        </div>
    }
}

#[component]
fn FileTab(
    name: String,
    shown: Selector<Option<String>>,
    open: impl Fn(String) + Copy + Send + Sync + 'static,
    dispatch: Dispatch,
    now: Selector<Millis>,
) -> impl IntoMarkup {
    let field = DraftField::File(name.clone());
    let state = dispatch.field(&field).state;
    let status = FieldStatus::of(&field, state, now);
    let name = StoredValue::new(name);
    let active = select(move || shown.with(|shown| name.with_value(|name| shown.as_ref() == Some(name))));
    view! {
        <button
            type="button" class="file-tab" data-testid="file-tab" data-file=name.get_value()
            data-active=move || active.get().to_string()
            data-draft=move || (state.get() != DraftState::Saved).to_string()
            data-written=move || status.marked().to_string() data-accent=move || status.accent()
            aria-current=move || active.get().then_some("true")
            title=move || name.with_value(|name| words::tab(name, active.get()))
            on:click=move |_| open(name.get_value())
        >
            <span><bdi>{name.get_value()}</bdi></span>
        </button>
    }
}

/// The place of the file panel. It is loaded when opened, when a file arrives, and if the session is linked to a
/// folder.
#[component]
pub fn FilePanelSlot() -> impl IntoMarkup {
    let panel = expect_context::<FilePanelState>();
    let (focus, linked) =
        (expect_context::<Sessions>().focus, expect_context::<Settings>().value(SYNCED_FOLDERS));
    let is_linked = move || {
        let session = focus.get().to_string();
        linked.with(|linked| {
            linked
                .as_ref()
                .and_then(|linked| linked.as_array())
                .is_some_and(|all| all.contains(&Value::from(session)))
        })
    };
    let needed = select_from(move |known| {
        known == Some(&true) || panel.open.get() || panel.waiting.get() || is_linked()
    });
    view! {
        <div class="files-place" hidden=move || !panel.open.get() && !panel.waiting.get()>
            <Show when=move || needed.get()><LazyView load=lazy_file_panel /></Show>
        </div>
    }
}
