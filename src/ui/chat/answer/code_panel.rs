//! The panel below a code block that saves it as a file or applies it to one, with a preview of the changes.

use crate::ui::board::comparison::two_texts;
use crate::ui::board::file_name::FileNameForm;
use crate::ui::dispatch::Dispatch;
use crate::ui::hooks::delegated_clicks::Element;
use crate::ui::kit::markup::elsewhere;
use crate::ui::kit::prelude::*;
use crate::ui::view_state::{MindView, Sessions};
use nexus_model::mind::MindWrite;
use nexus_model::mind::review::MindField;
use nexus_text::markdown::CodeBlock;
use nexus_view::mention::file_for;
use nexus_view::strings::chat::answer as words;

/// What is to be done with a block of code.
#[derive(Clone)]
pub struct CodeBlockAction {
    pub place: Element,
    pub code: CodeBlock,
    /// Whether it is to change a file, not to become one.
    pub applies: bool,
}

#[component]
pub fn CodePanel(
    asked: CodeBlockAction,
    /// Where the asking ends.
    wanted: leptos::prelude::RwSignal<Option<CodeBlockAction>, LocalStorage>,
) -> impl IntoMarkup {
    let mind = expect_context::<MindView>();
    let dispatch = expect_context::<Dispatch>();
    let read_only = expect_context::<Sessions>().read_only();
    let CodeBlockAction { place, code, applies } = asked;
    let code = StoredValue::new(code);
    let close = move || wanted.set(None);
    let keep = move |name: String, text: String| {
        let writes = vec![MindWrite::File { name: name.clone(), text }, MindWrite::Activate(name)];
        dispatch.write_mind_then(writes, move |kept| {
            if kept {
                close();
            }
        });
    };
    // The place was made for the panel and goes with it.
    let made = send_wrapper::SendWrapper::new(place.clone());
    on_cleanup(move || made.remove());
    let panel = move || {
        view! {
            <div class="code-panel">
                {move || {
                    if read_only.get() {
                        view! { <p class="hint">{words::READ_ONLY}</p> }
                    } else if applies {
                        view! { <ApplyCode code keep close /> }
                    } else {
                        let suggested = code.with_value(|code| {
                            let taken = mind.files().get_untracked();
                            file_for(code.name.as_deref(), &code.language, &taken)
                        });
                        let done = move |name: String| keep(name, code.with_value(as_file));
                        view! {
                            <p class="hint">{words::OPEN_ABOUT}</p>
                            <FileNameForm present=String::new() suggested action=words::OPEN.get() taken=mind.files() done cancel=close />
                        }
                    }
                }}
            </div>
        }
    };
    elsewhere(place, panel)
}

/// The code as a file's text: a file ends its last line, which code in an answer has lost.
fn as_file(code: &CodeBlock) -> String {
    format!("{}\n", code.text)
}

/// Which file, and what would change in it.
#[component]
fn ApplyCode(
    code: StoredValue<CodeBlock>,
    keep: impl Fn(String, String) + Copy + Send + Sync + 'static,
    close: impl Fn() + Copy + Send + Sync + 'static,
) -> impl IntoMarkup {
    let mind = expect_context::<MindView>();
    let files = mind.files().get_untracked();
    let named = code.with_value(|code| code.name.clone()).filter(|name| files.contains(name));
    let first = named.or_else(|| mind.active().get_untracked()).or_else(|| files.first().cloned());
    let file = RwSignal::new(first.unwrap_or_default());
    let text = select(move || code.with_value(as_file));
    let present = move || mind.file_text(&file.get()).map(|text| text.get());
    let is_same = select(move || present().is_some_and(|present| *present == *text.get()));
    let is_there = select(move || mind.files().with(|files| !files.is_empty()));
    let diff = move || {
        let present = present().filter(|_| !is_same.get())?;
        Some(two_texts(MindField::File(file.get()), &present, &text.get()))
    };
    let option = move |name: String| {
        let value = name.clone();
        let chosen = value == file.get_untracked();
        view! { <option value=value selected=chosen>{name}</option> }
    };
    view! {
        <p class="hint">{move || if is_there.get() { words::APPLY_ABOUT } else { words::NO_FILES }}</p>
        <Show when=move || is_there.get()>
            <label class="code-file">
                <span class="label">{words::APPLY_TO}</span>
                {select_box(move || mind.files().get().into_iter().map(option), move |name| file.set(name))}
            </label>
            <div data-testid="apply-diff">{diff}</div>
            <Show when=move || is_same.get()><p class="hint">{words::SAME}</p></Show>
        </Show>
        <div class="card-actions">
            {button(words::APPLY).first().test("apply-accept")
                .disabled(move || is_same.get() || !is_there.get())
                .on_click(move |_| keep(file.get_untracked(), text.get_untracked()))}
            {quiet_button(words::DISCARD).test("apply-discard").on_click(move |_| close())}
        </div>
    }
}
