//! The session's files: a tab for each, the button for a new one, and the editor of one with the actions for the whole
//! file.
//!
//! Typed text is a draft that the engine commits. Without the code editor, a long file is shown read-only in blocks
//! that the browser lays out when visible.

use crate::ui::board::code_text::{CodeFile, lazy_code_editor};
use crate::ui::board::preview::lazy_image_file;
use crate::ui::board::shared_field::{FieldNote, FieldStatus, FileNameForm, SharedText, remove};
use crate::ui::files::lazy_file_panel;
use crate::ui::hooks::js_part::JsChunk;
use crate::ui::prelude::*;
use crate::ui::workspace::EDITED_TEXT;
use nexus_model::limits::{LONG_TEXT_BLOCK_LINES, PASTE_BYTES, PLAIN_EDITOR_LINES};
use nexus_model::mind::blob::ImageFile;
use nexus_model::settings::schema::SYNCED_FOLDERS;
use nexus_text::highlight::language::is_longer;
use nexus_view::strings::board::editor as editor_words;
use nexus_view::strings::chat::message_actions as care_words;
use nexus_view::strings::{board as words, count, lazy as later_words};

#[component]
pub fn FileEditor(name: String) -> impl IntoMarkup {
    let &Page { dispatch, mind, sessions, .. } = expect_context();
    let Sessions { focus: session, read_only, .. } = sessions;
    let Workspace { actions, file_prompt: prompt, .. } = expect_context();
    let field = DraftField::File(name.clone());
    let slot = dispatch.field(&field);
    let status = FieldStatus::of(&field, slot.state);
    let label = StoredValue::new(words::editor(&name));
    let code = load_state(load_editor);
    let name = StoredValue::new(name);
    let is_image = slot.text.map(move |text| ImageFile::of(text).is_some());
    let figures = move || slot.text.with(|text| words::figures(text));
    let close_prompt = move || prompt.set(FilePrompt::Nothing);
    let rename = move |to: String| {
        close_prompt();
        // The draft moves with the file.
        slot.keep();
        dispatch.write_mind(vec![MindWrite::Rename { from: name.get_value(), to }]);
    };
    let delete = move |_| {
        close_prompt();
        remove(dispatch, name.get_value());
    };
    let asks_name = move || prompt.get() == FilePrompt::OtherName(name.get_value());
    view! {
        <div class="file-body" data-quoted=name.get_value()>
            {move || match code.get() {
                _ if is_image.get() => {
                    let image = lazy_slot(lazy_image_file, move |draw| draw(name.get_value(), slot.text.get()));
                    view! { <div class="file-image">{image}</div> }
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
fn PlainEditor(label: String, field: DraftBinding, status: FieldStatus, failed: bool) -> impl IntoMarkup {
    // Browsers lay out a whole text area at once: with many lines each key press blocks the page.
    let long = field.text.map(move |text| text.len() > PASTE_BYTES || is_longer(text, PLAIN_EDITOR_LINES));
    let anyway = RwSignal::new(false);
    let label = StoredValue::new(label);
    let shown = move || {
        if !failed {
            return view! { <p class="later" role="status">{later_words::LOADING}</p> };
        }
        view! {
            <div class="conflict" role="note" data-testid="file-large">
                <span>{editor_words::LONG}</span>
                <span class="conflict-actions">
                    {button(editor_words::LONG_ANYWAY).on_click(move |_| anyway.set(true))}
                </span>
            </div>
            {lazy_slot(lazy_long_text, move |draw| draw(label.get_value(), field.text))}
        }
    };
    view! {
        <Show when=move || !long.get() || anyway.get() fallback=shown>
            <SharedText
                id="file-text" name="file-editor" label=label.get_value() hint="" field is_code=true
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

#[component]
pub fn FileTabs() -> impl IntoMarkup {
    let (page, room) = (expect_context::<&Page>(), expect_context::<Workspace>());
    let &Page { dispatch, mind, sessions: Sessions { read_only, .. }, .. } = page;
    let Workspace { file_prompt: prompt, files: panel, viewed_file, .. } = room;
    let shown = select(move || {
        let files = mind.files.order.get();
        // In a read-only session the active file is fixed, but others can be viewed.
        let chosen = viewed_file.get().filter(|_| read_only.get()).or_else(|| mind.active.get());
        chosen.filter(|name| files.contains(name)).or_else(|| files.first().cloned())
    });
    let open = move |name: String| room.open_file(page, name);
    let create = move |name: String| {
        prompt.set(FilePrompt::Nothing);
        let text = String::new();
        let writes = vec![MindWrite::File { name: name.clone(), text }, MindWrite::Activate(name)];
        dispatch.write_mind_then(writes, || focus::focus_when_ready(EDITED_TEXT.to_owned()));
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
                .disabled(read_only).on_click(move |_| room.ask_for_file(FilePrompt::NewName))}
        </div>
        <Show when=move || prompt.get() == FilePrompt::NewName>
            <FileNameForm
                present=String::new() suggested=String::new() action=words::MAKE.get() taken=mind.files.order done=create
                cancel=move || {
                    prompt.set(FilePrompt::Nothing);
                    focus::focus_when_ready("[data-testid=file-new]".to_owned());
                }
            />
        </Show>
        <FilePanelSlot />
        <div class="file-tabs" role="group" aria-label=common::FILES hidden=move || panel.open.get()>
            {keyed_list(move || mind.files.order.get(), Clone::clone,
                move |name| view! { <FileTab name shown open /> })}
            {lazy_part_of(lazy_tab_scroll, shown)}
        </div>
        <div class="file-work" hidden=move || panel.open.get()>
            {move || match shown.get() {
                Some(name) => view! { <FileEditor name /> },
                None => view! {
                    <div class="file-empty">
                        <p>{common::NO_FILES}</p>
                        {button(common::NEW_FILE).test("file-first").disabled(read_only)
                            .on_click(move |_| prompt.set(FilePrompt::NewName))}
                    </div>
                },
            }}
        </div>
    }
}

lazy_view!(board, lazy_tab_scroll, FileTabScroll { shown: Selector<Option<String>> });

/// Scrolls the tabs so that the active one is visible.
#[component]
fn FileTabScroll(shown: Selector<Option<String>>) -> impl IntoMarkup {
    Effect::new(move || {
        shown.with(|_| ());
        // By then the tab is there, and marked.
        request_animation_frame(|| scroll::reveal_in_parent(".file-tab[data-active=true]"));
    });
    Markup::Empty
}

#[component]
fn FileTab(
    name: String,
    shown: Selector<Option<String>>,
    open: impl Fn(String) + Copy + Send + Sync + 'static,
) -> impl IntoMarkup {
    let field = DraftField::File(name.clone());
    let state = expect_context::<&Page>().dispatch.field(&field).state;
    let status = FieldStatus::of(&field, state);
    let name = StoredValue::new(name);
    let active = shown.map(move |shown| name.with_value(|name| shown.as_ref() == Some(name)));
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
    let Workspace { files: panel, .. } = expect_context();
    let &Page { sessions: Sessions { focus, .. }, settings, .. } = expect_context();
    let linked = settings.value(SYNCED_FOLDERS);
    let is_linked = move || {
        let session = Value::from(focus.get().to_string());
        linked.with_some(|linked| linked.as_array().is_some_and(|all| all.contains(&session)))
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
