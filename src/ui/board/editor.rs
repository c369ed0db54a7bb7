//! The editor of one file with the actions for the whole file. Typed text is a draft that the engine commits. Without
//! the code editor, a long file is shown read-only in blocks that the browser lays out when visible.

use crate::ui::board::code_text::{CodeFile, lazy_code_editor};
use crate::ui::board::preview::page::lazy_image_file;
use crate::ui::board::shared_field::{FieldNote, FieldStatus, FieldStyle, FileNameForm, SharedText, remove};
use crate::ui::dispatch::drafts::DraftBinding;
use crate::ui::hooks::js_part;
use crate::ui::hooks::js_part::JsChunk;
use crate::ui::kit::lazy_view::load_state;
use crate::ui::prelude::*;
use crate::ui::workspace::message_actions::{FilePrompt, MessageAction, MessageActionsState};
use nexus_engine::lazy::LazyFuture;
use nexus_model::limits::{LONG_TEXT_BLOCK_LINES, PASTE_BYTES, PLAIN_EDITOR_LINES};
use nexus_model::mind::MindWrite;
use nexus_model::mind::image_file::ImageFile;
use nexus_text::highlight::language::is_longer;
pub use nexus_view::strings::board::editor as editor_words;
use nexus_view::strings::chat::message_actions as care_words;
use nexus_view::strings::{board as words, lazy as later_words};

#[component]
pub fn FileEditor(
    name: String,
    prompt: RwSignal<FilePrompt>,
    mind: MindView,
    dispatch: Dispatch,
    read_only: Selector<bool>,
    now: Selector<Millis>,
) -> impl IntoMarkup {
    let field = DraftField::File(name.clone());
    let slot = dispatch.field(&field);
    let status = FieldStatus::of(&field, slot.state, now);
    let label = StoredValue::new(words::editor(&name));
    let code = load_state(load_editor);
    let session = expect_context::<Sessions>().focus;
    let name = StoredValue::new(name);
    let is_image = select(move || slot.text.with(|text| ImageFile::of(text).is_some()));
    let figures = move || slot.text.with(|text| words::figures(text));
    let close_prompt = move || prompt.set(FilePrompt::Nothing);
    let rename = move |to: String| {
        close_prompt();
        // The draft moves with the file.
        slot.keep();
        dispatch.write_mind(vec![MindWrite::Rename { from: name.get_value(), to }]);
    };
    let (notices, actions) = (expect_context::<Notices>(), expect_context::<MessageActionsState>());
    let delete = move |_| {
        close_prompt();
        remove(dispatch, notices, name.get_value());
    };
    let asks_name = move || prompt.get() == FilePrompt::OtherName(name.get_value());
    view! {
        <div class="file-body" data-quoted=name.get_value()>
            {move || match code.get() {
                _ if is_image.get() => {
                    let image = loaded(lazy_image_file);
                    let text = slot.text;
                    view! { <div class="file-image">{move || image.get().map(|draw| draw(name.get_value(), text.get()))}</div> }
                }
                Some(Ok((draw, part))) => {
                    // Undo history belongs to one text.
                    session.track();
                    draw(CodeFile { name: name.get_value(), field: slot, status, part })
                }
                missing => {
                    let failed = missing.is_some();
                    view! { <PlainEditor label=label.get_value() field=slot status failed /> }
                }
            }}
            <Show when=asks_name>
                <FileNameForm
                    present=name.get_value() suggested=String::new() action=common::RENAME.get() taken=mind.files.order done=rename
                    cancel=close_prompt
                />
            </Show>
            <div class="file-foot">
                <FieldNote status />
                <span class="board-figures">{figures}</span>
                {quiet_button(care_words::TO_CHANGE).title(care_words::TO_CHANGE_ABOUT).test("file-change")
                    .on_click(move |_| actions.request(MessageAction::ToChange(name.get_value())))}
                {quiet_button(common::RENAME).disabled(read_only).test("file-rename")
                    .on_click(move |_| prompt.set(FilePrompt::OtherName(name.get_value())))}
                {quiet_button(common::DELETE).disabled(read_only).test("file-delete").on_click(delete)}
            </div>
        </div>
    }
}

type RenderCodeEditor = fn(CodeFile) -> Markup;

/// Loads the code editor with its JavaScript; fails if the page was built without.
fn load_editor() -> LazyFuture<(RenderCodeEditor, JsChunk)> {
    Box::pin(async {
        // First, because a page without it needs none of the rest.
        let part = js_part::load("editor").await?;
        Ok((lazy_code_editor().await?, part))
    })
}

/// The file without the code editor: in a text area, or read-only.
#[component]
fn PlainEditor(
    label: String,
    field: DraftBinding,
    status: FieldStatus,
    /// True if the code editor cannot be loaded.
    failed: bool,
) -> impl IntoMarkup {
    // Browsers lay out a whole text area at once: with many lines each key press blocks the page.
    let long = select(move || {
        field.text.with(|text| text.len() > PASTE_BYTES || is_longer(text, PLAIN_EDITOR_LINES))
    });
    let anyway = RwSignal::new(false);
    let label = StoredValue::new(label);
    let shown = move || {
        if !failed {
            return view! { <p class="later" role="status">{later_words::LOADING}</p> };
        }
        let text = loaded(lazy_long_text);
        view! {
            <div class="conflict" role="note" data-testid="file-large">
                <span>{editor_words::LONG}</span>
                <span class="conflict-actions">
                    {button(editor_words::LONG_ANYWAY).on_click(move |_| anyway.set(true))}
                </span>
            </div>
            {move || text.get().map(|draw| draw(label.get_value(), field.text))}
        }
    };
    view! {
        <Show when=move || !long.get() || anyway.get() fallback=shown>
            <SharedText
                id="file-text" name="file-editor" label=label.get_value() hint="" field style=FieldStyle::Code
                status
            />
        </Show>
    }
}

lazy_view!(board, lazy_long_text, LongText { label: String, text: Selector<Arc<str>> });

#[component]
pub fn LongText(label: String, text: Selector<Arc<str>>) -> impl IntoMarkup {
    let blocks = move || {
        let text = text.get();
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let blocks = lines.chunks(LONG_TEXT_BLOCK_LINES).map(|lines| lines.concat());
        blocks.map(|block| view! { <pre class="long-block">{block}</pre> }).collect::<Vec<_>>()
    };
    view! {
        <div class="long-text" role="region" tabindex="0" aria-label=label data-testid="file-long">
            {blocks}
        </div>
    }
}
