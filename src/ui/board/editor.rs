//! Never writes a file by itself: what is typed is a draft, which the engine takes in when it is time.
//!
//! Owns the editor of a file, with what can be done to the file as a whole.

use leptos::prelude::*;

use crate::domain::draft::DraftField;
use crate::domain::id::Millis;
use crate::domain::limits::PASTE_BYTES;
use crate::domain::mind::MindWrite;
use crate::ui::board::file_name::FileName;
use crate::ui::board::files::Asked;
use crate::ui::board::removal::remove;
use crate::ui::board::shared_field::{Face, Note, SharedText, Standing};
use crate::ui::dispatch::Dispatch;
use crate::ui::view_state::{MindView, Notices};
use crate::ui::words::board as words;

/// The editor.
#[component]
pub fn Editor(
    /// The file.
    name: String,
    /// What is being asked about the files.
    asked: RwSignal<Asked>,
    /// The mind.
    mind: MindView,
    /// The way to the engine.
    dispatch: Dispatch,
    /// Whether the session can only be read here.
    read_only: Signal<bool>,
    /// The time now.
    now: Signal<Millis>,
) -> impl IntoView {
    let field = DraftField::File(name.clone());
    let slot = dispatch.field(&field);
    let standing = Standing::of(&field, slot.state, now);
    let label = StoredValue::new(words::editor(&name));
    // Browsers lay out a whole text area at once: at some megabytes that stops the page for seconds.
    let large = Memo::new(move |_| slot.text.with(|text| text.len() > PASTE_BYTES));
    let anyway = RwSignal::new(false);
    let name = StoredValue::new(name);
    let figures = move || slot.text.with(|text| words::figures(text));
    let nothing = move || asked.set(Asked::Nothing);
    let rename = move |to: String| {
        nothing();
        // What is being typed goes with the file.
        slot.keep();
        dispatch.write_mind(vec![MindWrite::Rename { from: name.get_value(), to }]);
    };
    let notices = expect_context::<Notices>();
    let delete = move |_| {
        nothing();
        remove(dispatch, notices, name.get_value());
    };
    let asks_name = move || asked.get() == Asked::OtherName(name.get_value());
    view! { class="n",
        <div class="file-body">
            <Show
                when=move || !large.get() || anyway.get()
                fallback=move || view! { class="n",
                    <div class="file-empty" data-testid="file-large">
                        <p>{words::LARGE}</p>
                        <button type="button" class="button" on:click=move |_| anyway.set(true)>
                            {words::LARGE_ANYWAY}
                        </button>
                    </div>
                }
            >
                <SharedText
                    id="file-text"
                    name="file-editor"
                    label=label.get_value()
                    hint=""
                    field=slot
                    face=Face::Code
                    standing
                />
            </Show>
            <Show when=asks_name>
                <FileName
                    present=name.get_value()
                    action=words::RENAME
                    taken=mind.files()
                    done=rename
                    cancel=nothing
                />
            </Show>
            <div class="file-foot">
                <Note standing />
                <span class="board-figures">{figures}</span>
                <button
                    type="button"
                    class="quiet"
                    disabled=move || read_only.get()
                    data-testid="file-rename"
                    on:click=move |_| asked.set(Asked::OtherName(name.get_value()))
                >
                    {words::RENAME}
                </button>
                <button
                    type="button"
                    class="quiet"
                    disabled=move || read_only.get()
                    data-testid="file-delete"
                    on:click=delete
                >
                    {words::DELETE}
                </button>
            </div>
        </div>
    }
}
