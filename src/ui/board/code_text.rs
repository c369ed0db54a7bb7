//! The code editor of a file, if the build bundled it: status line, conflicts, and sync with the draft.
//!
//! Text of the operator and of agents is merged line by line; conflicts keep both sides between markers. The editor
//! reports its text on the next frame, or for long files when typing pauses.

use leptos::html;

use crate::ui::board::shared_field::FieldStatus;
use crate::ui::dispatch::drafts::DraftBinding;
use crate::ui::hooks::code_editor::{
    CodeEditor, ConflictSide, EditorOptions, EditorSlot, selection_in, use_editor,
};
use crate::ui::hooks::js_part;
use crate::ui::hooks::js_part::JsChunk;
use crate::ui::prelude::*;
use crate::ui::view_state::DraftState;
use nexus_model::settings::schema::EDITOR_WRAP;
use nexus_text::diff::text_edits::{LineEnding, edits};
use nexus_text::highlight::language::to_colour;
use nexus_text::merge3::{MergeOutcome, merge};
use nexus_view::strings::board;
pub use nexus_view::strings::board::editor as words;

lazy_view!(board, lazy_code_editor, CodeFileEditor { file: CodeFile });

#[derive(Clone)]
pub struct CodeFile {
    pub name: String,
    pub field: DraftBinding,
    pub standing: FieldStatus,
    pub part: JsChunk,
}

#[derive(Clone, Copy)]
struct EditorBinding {
    field: DraftBinding,
    dispatch: Dispatch,
    session: SessionId,
    /// What both said when they were alike last.
    alike: StoredValue<Arc<str>>,
    ends: StoredValue<LineEnding>,
    editor: StoredValue<Option<EditorSlot>>,
}

impl EditorBinding {
    fn new(field: DraftBinding) -> Self {
        let dispatch = expect_context::<Dispatch>();
        let text = field.text.get_untracked();
        let ends = StoredValue::new(LineEnding::of(&text));
        let (alike, editor) = (StoredValue::new(text), StoredValue::new(None));
        Self { field, dispatch, session: dispatch.session(), alike, ends, editor }
    }

    /// Does something with the editor, where it stands.
    fn with<R>(self, act: impl FnOnce(&CodeEditor) -> R) -> Option<R> {
        let kept = self.editor.try_get_value().flatten()?;
        kept.try_with_value(|kept| kept.as_ref().map(|editor| act(editor))).flatten()
    }

    /// Brings both together. `told` is the editor's text, where it just told it.
    fn meet(self, told: Option<String>) {
        // What is in view may be another session's by now, whose text this is not.
        if self.dispatch.session() != self.session {
            return;
        }
        let (Some(theirs), Some(alike)) = (self.field.text.try_get_untracked(), self.alike.try_get_value())
        else {
            return;
        };
        let others_wrote = theirs != alike;
        if !others_wrote && told.is_none()
            || others_wrote && self.with(CodeEditor::is_composing) == Some(true)
        {
            return;
        }
        let ends = self.ends.get_value();
        let told = told.or_else(|| self.with(CodeEditor::take_untold).flatten());
        let mine: Arc<str> = told.map_or_else(|| Arc::clone(&alike), |plain| ends.restored(plain).into());
        if !others_wrote {
            self.type_if_new(&alike, mine);
            return;
        }
        let joined: Arc<str> = match merge(&alike, &theirs, &mine) {
            MergeOutcome::Clean(text) | MergeOutcome::Clash(text) => text.into(),
        };
        let new_ends = LineEnding::of(&joined);
        let edits = edits(&ends.plain(&mine), &new_ends.plain(&joined));
        self.alike.set_value(Arc::clone(&theirs));
        self.ends.set_value(new_ends);
        self.with(|editor| editor.apply(&edits));
        self.type_if_new(&theirs, joined);
    }

    fn type_if_new(self, old: &Arc<str>, new: Arc<str>) {
        if *old != new {
            self.alike.set_value(Arc::clone(&new));
            self.field.typed(&new);
        }
    }

    /// What the editor has not told yet is told, and then the field is given up to the mind.
    fn share(self) {
        if let Some(told) = self.with(CodeEditor::take_untold).flatten() {
            self.meet(Some(told));
        }
        self.field.keep();
    }
}

#[component]
pub fn CodeFileEditor(file: CodeFile) -> impl IntoMarkup {
    let CodeFile { name, field, standing, part } = file;
    let both = EditorBinding::new(field);
    let read_only = expect_context::<Sessions>().read_only;
    let wrap = expect_context::<Settings>().get(EDITOR_WRAP);
    let clashes = RwSignal::new(0u32);
    let stands = RwSignal::new(false);
    // Whoever types in the field that stood here until now goes on typing.
    let taken_over = selection_in("file-text");
    let place = NodeRef::<html::Div>::new();
    let label = board::editor(&name);
    let key = format!("{}/{name}", both.session);
    let make = move |place: &_| {
        let (text, ends) = (both.alike.get_value(), both.ends.get_value());
        let beginning = EditorOptions {
            key: &key,
            text: &ends.plain(&text),
            label: &label,
            hint: words::LEAVE.get(),
            words: words::AT_CLASH,
            phrases: words::PHRASES,
            read_only: read_only.get_untracked(),
            wrap: wrap.get_untracked(),
        };
        let changed = move |text| both.meet(Some(text));
        let clashed = move |number| {
            // Nobody looks any more where the component is gone.
            clashes.try_set(number);
        };
        let settled = move || {
            if field.state.try_get_untracked() == Some(DraftState::Clashed) {
                both.share();
            }
        };
        CodeEditor::new(&part, place, &beginning, changed, clashed, settled)
    };
    let made = move || {
        stands.set(true);
        if let Some(selection) = taken_over {
            both.with(|editor| editor.take_focus(selection));
        }
    };
    both.editor.set_value(Some(use_editor(place, make, made)));
    Effect::new(move || {
        field.text.track();
        both.meet(None);
    });
    Effect::new(move || {
        let (wrap, read_only) = (wrap.get(), read_only.get());
        if stands.get() {
            both.with(|editor| {
                editor.wrap(wrap);
                editor.read_only(read_only);
            });
        }
    });
    let language = select(move || field.text.with(|text| to_colour(&name, text)));
    Effect::new(move || {
        if stands.get() {
            colour(both, language);
        }
    });
    let turn_wrap = move |_| both.dispatch.set_setting(EDITOR_WRAP, !wrap.get_untracked());
    let tool = move |words: &'static str, about: &'static str, testid: &'static str, act: fn(&CodeEditor)| {
        quiet_button(words).with("data-testid", testid).title(about).on_click(move |_| {
            both.with(act);
        })
    };
    view! {
        <div class="code-bar" role="group" aria-label=words::TOOLS>
            {tool(words::FIND.get(), words::FIND_ABOUT.get(), "code-find", CodeEditor::find)}
            {tool(words::GO_TO.get(), words::GO_TO_ABOUT.get(), "code-go-to", CodeEditor::go_to)}
            {quiet_button(words::WRAP).test("editor-wrap").title(words::WRAP_ABOUT)
                .with("aria-pressed", move || wrap.get().to_string()).on_click(turn_wrap)}
        </div>
        <EditConflict both clashes />
        <div
            class="shared code-place" data-written=move || standing.marked().to_string()
            data-accent=move || standing.accent() node_ref=place
        ></div>
    }
}

fn colour(both: EditorBinding, language: Selector<Option<&'static str>>) {
    let Some(wanted) = language.get() else {
        both.with(|editor| editor.colour(None));
        return;
    };
    spawn_local(async move {
        // Without it the text stays plain.
        let Ok(part) = js_part::load(&format!("language-{wanted}")).await else { return };
        if language.try_get_untracked() == Some(Some(wanted)) {
            both.with(|editor| editor.colour(Some(&part)));
        }
    });
}

/// What to do where both changed the same lines.
#[component]
fn EditConflict(both: EditorBinding, clashes: RwSignal<u32>) -> impl IntoMarkup {
    let field = both.field;
    let clashed = move || field.state.get() == DraftState::Clashed;
    let number = move || usize::try_from(clashes.get()).unwrap_or(usize::MAX);
    let choose = move |side: ConflictSide, words: &'static str, testid: &'static str| {
        button(words).with("data-testid", testid).on_click(move |_| {
            both.with(|editor| editor.resolve(side));
        })
    };
    view! {
        <Show when=move || clashed() || number() != 0>
            <div class="clash" role="alert" data-testid="clash">
                <b>{move || words::clashes(number())}</b>
                <span>{words::CLASH_ABOUT}</span>
                <span class="clash-actions">
                    <Show when=move || number() != 0>
                        {choose(ConflictSide::Mine, words::CLASH_MINE.get(), "clash-mine")}
                        {choose(ConflictSide::Theirs, words::CLASH_THEIRS.get(), "clash-theirs")}
                        {choose(ConflictSide::Both, common::KEEP_BOTH.get(), "clash-both")}
                        {quiet_button(words::CLASH_NEXT).test("clash-next").title(words::CLASH_NEXT_ABOUT)
                            .on_click(move |_| {
                                both.with(CodeEditor::next_clash);
                            })}
                    </Show>
                    {quiet_button(board::CLASH_KEEP).on_click(move |_| both.share())}
                    {quiet_button(board::CLASH_THEIRS).on_click(move |_| field.discard())}
                </span>
            </div>
        </Show>
    }
}
