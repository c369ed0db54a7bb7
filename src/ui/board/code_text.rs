//! The code editor of a file, if the build bundled it: status line, conflicts, and sync with the draft.
//!
//! Text of the operator and of agents is merged line by line; conflicts keep both sides between markers. The editor
//! reports its text on the next frame, or for long files when typing pauses.

use leptos::html;

use crate::ui::board::shared_field::FieldStatus;
use crate::ui::hooks::js_part::{CodeEditor, EditorOptions, EditorSlot, JsChunk, selection_in, use_editor};
use crate::ui::prelude::*;
use nexus_model::settings::schema::EDITOR_WRAP;
use nexus_text::diff::text_edits::{LineEnding, edits};
use nexus_text::highlight::language::to_colour;
use nexus_text::merge3::{MergeOutcome, merge};
use nexus_view::strings::board;
use nexus_view::strings::board::editor as words;

lazy_view!(board, lazy_code_editor, CodeFileEditor { file: CodeFile });

#[derive(Clone)]
pub struct CodeFile {
    pub name: String,
    pub field: DraftBinding,
    pub status: FieldStatus,
    pub part: JsChunk,
}

#[derive(Clone, Copy)]
struct EditorBinding {
    field: DraftBinding,
    dispatch: Dispatch,
    session: SessionId,
    /// The text at which editor and draft last agreed.
    base: StoredValue<Arc<str>>,
    line_ending: StoredValue<LineEnding>,
    editor: StoredValue<Option<EditorSlot>>,
}

impl EditorBinding {
    fn new(field: DraftBinding) -> Self {
        let &Page { dispatch, .. } = expect_context();
        let text = field.text.get_untracked();
        let line_ending = StoredValue::new(LineEnding::of(&text));
        let (base, editor) = (StoredValue::new(text), StoredValue::new(None));
        Self { field, dispatch, session: dispatch.session(), base, line_ending, editor }
    }

    /// Calls a function with the editor, if it is mounted.
    fn with<R>(self, act: impl FnOnce(&CodeEditor) -> R) -> Option<R> {
        let editor = self.editor.try_get_value().flatten()?;
        editor.try_with_value(|editor| editor.as_ref().map(|editor| act(editor))).flatten()
    }

    /// Merges editor and draft. `reported` is the editor's text, if it just reported it.
    fn sync(self, reported: Option<String>) {
        // Another session may be in view by now; this text is not its.
        if self.dispatch.session() != self.session {
            return;
        }
        let (Some(theirs), Some(base)) = (self.field.text.try_get_untracked(), self.base.try_get_value())
        else {
            return;
        };
        let others_wrote = theirs != base;
        if !others_wrote && reported.is_none()
            || others_wrote && self.with(CodeEditor::is_composing) == Some(true)
        {
            return;
        }
        let line_ending = self.line_ending.get_value();
        let reported = reported.or_else(|| self.with(CodeEditor::take_unreported).flatten());
        let mine: Arc<str> =
            reported.map_or_else(|| Arc::clone(&base), |plain| line_ending.restored(plain).into());
        if !others_wrote {
            self.update_draft(&base, mine);
            return;
        }
        let merged: Arc<str> = match merge(&base, &theirs, &mine) {
            MergeOutcome::Clean(text) | MergeOutcome::Conflict(text) => text.into(),
        };
        let new_ends = LineEnding::of(&merged);
        let edits = edits(&line_ending.plain(&mine), &new_ends.plain(&merged));
        self.base.set_value(Arc::clone(&theirs));
        self.line_ending.set_value(new_ends);
        self.with(|editor| editor.apply(&edits));
        self.update_draft(&theirs, merged);
    }

    fn update_draft(self, old: &Arc<str>, new: Arc<str>) {
        if *old != new {
            self.base.set_value(Arc::clone(&new));
            self.field.typed(&new);
        }
    }

    /// Flushes the editor's unreported text, then commits the draft.
    fn share(self) {
        if let Some(reported) = self.with(CodeEditor::take_unreported).flatten() {
            self.sync(Some(reported));
        }
        self.field.keep();
    }
}

#[component]
pub fn CodeFileEditor(file: CodeFile) -> impl IntoMarkup {
    let CodeFile { name, field, status, part } = file;
    let binding = EditorBinding::new(field);
    let &Page { sessions: Sessions { read_only, .. }, settings, .. } = expect_context();
    let wrap = settings.get(EDITOR_WRAP);
    let conflicts = RwSignal::new(0u32);
    let is_mounted = RwSignal::new(false);
    // If the text area that this editor replaces had the focus, the editor takes it over.
    let selection_before = selection_in("file-text");
    let place = NodeRef::<html::Div>::new();
    let label = board::editor(&name);
    let key = format!("{}/{name}", binding.session);
    let create = move |place: &_| {
        let (text, line_ending) = (binding.base.get_value(), binding.line_ending.get_value());
        let options = EditorOptions {
            key: &key,
            text: &line_ending.plain(&text),
            label: &label,
            hint: words::LEAVE.get(),
            words: words::AT_CONFLICT,
            phrases: words::PHRASES,
            read_only: read_only.get_untracked(),
            wrap: wrap.get_untracked(),
        };
        let on_change = move |text| binding.sync(Some(text));
        let on_conflict = move |number| conflicts.set(number);
        let on_resolved = move || {
            if field.state.try_get_untracked() == Some(DraftState::Conflicted) {
                binding.share();
            }
        };
        CodeEditor::new(&part, place, &options, on_change, on_conflict, on_resolved)
    };
    let on_mount = move || {
        is_mounted.set(true);
        if let Some(selection) = selection_before {
            binding.with(|editor| editor.take_focus(selection));
        }
    };
    binding.editor.set_value(Some(use_editor(place, create, on_mount)));
    Effect::new(move || {
        field.text.track();
        binding.sync(None);
    });
    Effect::new(move || {
        let (wrap, read_only) = (wrap.get(), read_only.get());
        if is_mounted.get() {
            binding.with(|editor| {
                editor.wrap(wrap);
                editor.read_only(read_only);
            });
        }
    });
    let language = field.text.map(move |text| to_colour(&name, text));
    Effect::new(move || {
        if is_mounted.get() {
            set_language(binding, language);
        }
    });
    let toggle_wrap = move |_| binding.dispatch.set_setting(EDITOR_WRAP, !wrap.get_untracked());
    let command = move |name: &'static str, words: Text, about: Text| {
        quiet_button(words).title(about).on_click(move |_| {
            binding.with(|editor| editor.command(name));
        })
    };
    view! {
        <div class="code-bar" role="group" aria-label=words::TOOLS>
            {command("find", words::FIND, words::FIND_ABOUT).test("code-find")}
            {command("goTo", words::GO_TO, words::GO_TO_ABOUT).test("code-go-to")}
            {quiet_button(words::WRAP).test("editor-wrap").title(words::WRAP_ABOUT)
                .with("aria-pressed", move || wrap.get().to_string()).on_click(toggle_wrap)}
        </div>
        <EditConflict binding conflicts />
        <div
            class="shared code-place" data-written=move || status.marked().to_string()
            data-accent=move || status.accent() node_ref=place
        ></div>
    }
}

fn set_language(binding: EditorBinding, language: Selector<Option<&'static str>>) {
    let Some(wanted) = language.get() else {
        binding.with(|editor| editor.set_language(None));
        return;
    };
    spawn_local(async move {
        // Without the language the text stays plain.
        let Ok(part) = js_part::load(&format!("language-{wanted}")).await else { return };
        if language.try_get_untracked() == Some(Some(wanted)) {
            binding.with(|editor| editor.set_language(Some(&part)));
        }
    });
}

/// Buttons to resolve a conflict.
#[component]
fn EditConflict(binding: EditorBinding, conflicts: RwSignal<u32>) -> impl IntoMarkup {
    let field = binding.field;
    let has_conflict = move || field.state.get() == DraftState::Conflicted;
    let number = move || usize::try_from(conflicts.get()).unwrap_or(usize::MAX);
    let choose = move |side: &'static str, words: Text| {
        button(words).on_click(move |_| {
            binding.with(|editor| editor.resolve(side));
        })
    };
    view! {
        <Show when=move || has_conflict() || number() != 0>
            <div class="conflict" role="alert" data-testid="conflict">
                <b>{move || words::conflicts(number())}</b>
                <span>{words::CONFLICT_ABOUT}</span>
                <span class="conflict-actions">
                    <Show when=move || number() != 0>
                        {choose("mine", words::CONFLICT_MINE).test("conflict-mine")}
                        {choose("theirs", words::CONFLICT_THEIRS).test("conflict-theirs")}
                        {choose("both", common::KEEP_BOTH).test("conflict-both")}
                        {quiet_button(words::CONFLICT_NEXT).test("conflict-next").title(words::CONFLICT_NEXT_ABOUT)
                            .on_click(move |_| {
                                binding.with(|editor| editor.command("nextConflict"));
                            })}
                    </Show>
                    {quiet_button(board::CONFLICT_KEEP).disabled(move || number() != 0).on_click(move |_| binding.share())}
                    {quiet_button(board::CONFLICT_THEIRS).on_click(move |_| field.discard())}
                </span>
            </div>
        </Show>
    }
}
