//! The graph editor: a bar with templates and actions, the drawing, and the form of what is selected.

use std::sync::Arc;
use std::time::Duration;

use leptos::html::{Dialog, Textarea};

use crate::ui::dispatch::Dispatch;
use crate::ui::hooks::address::home_path;
use crate::ui::hooks::files::download;
use crate::ui::hooks::{address, dialog};
use crate::ui::kit::brand::Brand;
use crate::ui::kit::prelude::*;
use crate::ui::run_graph::editor_canvas::EditorCanvas;
use crate::ui::run_graph::editor_form::EditorForm;
use crate::ui::run_graph::limits::Forecast;
use crate::ui::run_graph::template_dialog::start_graph;
use crate::ui::run_graph::{RunDesk, RunPlace};
use crate::ui::view_state::{NoticeKind, Notices, RunView, WorldParts, WorldReader};
use nexus_model::command::Command;
use nexus_model::run::graph::{GraphError, GraphTemplate};
use nexus_model::run::templates::{agent_of, fitted, graph_templates, own_templates};
use nexus_model::settings::schema::{GRAPH_DRAFT, GRAPH_ROWS};
use nexus_text::invisible::reveal;
use nexus_text::json;
use nexus_view::graph_editor::{EditorMessage, GraphEditor, GraphProblem, Selection, blank};
use nexus_view::run_graph::geometry::DiagramGeometry;
use nexus_view::strings::graph::{self, editor as words};
use nexus_view::strings::{rejection, run_graph, tree as tree_words};

/// What is drawn is kept after so much quiet.
const QUIET: Duration = Duration::from_millis(1_000);

/// The state of the editor, for its parts.
#[derive(Clone, Copy)]
pub(super) struct EditorState {
    editor: RwSignal<GraphEditor>,
    pub(super) world: WorldReader,
    dispatch: Dispatch,
    notices: Notices,
    problem: Selector<Option<GraphProblem>>,
    geometry: Selector<Arc<DiagramGeometry>>,
    /// Whether an edge is being drawn with a pointer that is held down.
    pub(super) pressed: StoredValue<bool>,
}

impl EditorState {
    fn open(template: Option<Arc<GraphTemplate>>) -> Self {
        let world = expect_context::<WorldReader>();
        let editor = match template {
            Some(template) => GraphEditor::open(template.as_ref().clone()),
            None => kept_draft(world).unwrap_or_else(|| GraphEditor::open(blank())),
        };
        let editor = RwSignal::new(editor);
        let problem = select(move || {
            editor.with(|editor| {
                let missing = || {
                    let error = world.with(WorldParts::ROSTER, |world| {
                        editor.template().nodes.iter().find_map(|node| agent_of(world, node).err())
                    })?;
                    Some(GraphProblem { place: editor.locate(&error), error })
                };
                editor.problem().or_else(missing)
            })
        });
        let ends = select(move || editor.with(|editor| (editor.template().nodes.len(), editor.ends())));
        let geometry = select(move || {
            ends.track();
            Arc::new(editor.with_untracked(|editor| DiagramGeometry::from_layout(&editor.layout())))
        });
        let (dispatch, notices) = (expect_context(), expect_context());
        let pressed = StoredValue::new(false);
        let this = Self { editor, world, dispatch, notices, problem, geometry, pressed };
        this.keep_draft();
        this
    }

    /// Keeps what is drawn and not saved, so that a reload loses nothing.
    fn keep_draft(self) {
        let keep = move || {
            let draft = self.editor.try_with_untracked(GraphEditor::draft);
            if let Some(draft) = draft {
                self.dispatch.set_setting(GRAPH_DRAFT, draft.map_or(serde_json::Value::Null, Into::into));
            }
        };
        let timer = StoredValue::new(None::<TimeoutHandle>);
        let draft = select(move || self.editor.with(GraphEditor::draft));
        Effect::new(move |before: Option<()>| {
            draft.track();
            if let Some(timer) = timer.get_value() {
                timer.clear();
            }
            if before.is_some() {
                timer.set_value(set_timeout_with_handle(keep, QUIET).ok());
            }
        });
        on_cleanup(move || {
            if let Some(timer) = timer.try_get_value().flatten() {
                timer.clear();
                keep();
            }
        });
    }

    /// Does what the operator wants. Says why it was rejected, where it was.
    pub(super) fn update(&self, message: EditorMessage) -> Result<(), GraphError> {
        self.editor.try_update(|editor| editor.update(message)).unwrap_or(Ok(()))
    }

    /// The same; a rejection is told as a notice.
    pub(super) fn send(&self, message: EditorMessage) {
        if let Err(error) = self.update(message) {
            self.notices.tell(NoticeKind::Problem, graph::error(&error), "");
        }
    }

    /// Reads the editor; tracks it.
    pub(super) fn with<T>(&self, read: impl FnOnce(&GraphEditor) -> T) -> T {
        self.editor.with(read)
    }

    pub(super) fn with_untracked<T>(&self, read: impl FnOnce(&GraphEditor) -> T) -> T {
        self.editor.with_untracked(read)
    }

    pub(super) fn problem(&self) -> Selector<Option<GraphProblem>> {
        self.problem
    }

    pub(super) fn geometry(&self) -> Selector<Arc<DiagramGeometry>> {
        self.geometry
    }

    fn save(self) {
        let template = self.with_untracked(|editor| editor.template().clone());
        let name = template.name.clone();
        let Ok(value) = json::to_tree(&template) else { return };
        let command = Command::ChangeSetting { name: GRAPH_ROWS.row(&name), value };
        self.dispatch.offer(command, move |outcome| match outcome {
            Ok(()) => {
                self.editor.try_update(GraphEditor::note_saved);
                self.notices.tell(NoticeKind::Word, words::saved(&reveal(&name)), "");
            }
            Err(refused) => {
                let told = rejection(&refused);
                self.notices.tell(NoticeKind::Problem, told.title, told.advice);
            }
        });
    }

    fn delete(self, name: String) {
        let row = GRAPH_ROWS.row(&name);
        let Some(kept) = self.world.with_untracked(|world| world.setting(&row).cloned()) else { return };
        let command = Command::ChangeSetting { name: row.clone(), value: serde_json::Value::Null };
        self.dispatch.send_then(command, move |outcome| {
            if outcome.is_ok() {
                let undo = move || Command::ChangeSetting { name: row.clone(), value: kept.as_ref().clone() };
                self.notices.tell_step(words::deleted(&reveal(&name)), undo);
            }
        });
    }

    fn export(self) {
        let template = self.with_untracked(|editor| editor.template().clone());
        let text = json::to_tree(&template).map(|tree| format!("{tree:#}\n"));
        let taken =
            text.is_ok_and(|text| download(&format!("{}.graph.json", file_stem(&template.name)), &text));
        if !taken {
            self.notices.tell(NoticeKind::Problem, words::NOT_EXPORTED, "");
        }
    }
}

fn file_stem(name: &str) -> String {
    let plain = |c: char| if c.is_alphanumeric() || c == '-' { c.to_ascii_lowercase() } else { '-' };
    let stem: String = name.chars().map(plain).collect();
    let stem = stem.trim_matches('-').to_owned();
    if stem.is_empty() { "graph".to_owned() } else { stem }
}

fn kept_draft(world: WorldReader) -> Option<GraphEditor> {
    world.with_untracked(|world| {
        let draft = world.kept(GRAPH_DRAFT)?.as_str()?;
        Some(GraphEditor::resume(blank(), draft))
    })
}

#[component]
pub(super) fn GraphEditorScreen(desk: RunDesk, template: Option<Arc<GraphTemplate>>) -> impl IntoMarkup {
    let state = EditorState::open(template);
    address::set_query("edit=1");
    let told = move || {
        state.with(|editor| {
            let name = reveal(&editor.template().name);
            match (name.is_empty(), editor.is_changed()) {
                (true, true) => words::UNSAVED.to_owned(),
                (false, true) => format!("{name} · {}", words::UNSAVED),
                (_, false) => name,
            }
        })
    };
    view! {
        <main class="run-screen" data-testid="graph-editor" data-done="true">
            <header class="audit-bar">
                <a href=home_path() class="audit-back" title=run_graph::BACK><Brand /></a>
                <h1>{words::TITLE}</h1>
                <p class="hint" role="status" data-testid="graph-editor-told">{told}</p>
                <div class="run-actions">
                    {quiet_button(run_graph::IMPORT).test("run-import").title(run_graph::IMPORT_TITLE)
                        .on_click(move |_| desk.imports.set(true))}
                    {quiet_button(run_graph::TITLE).test("graph-to-run")
                        .on_click(move |_| desk.place.set(RunPlace::Run(None)))}
                </div>
                <a href=home_path() class="button">{run_graph::BACK}</a>
            </header>
            <EditorBar desk state />
            <div class="run-panes graph-panes">
                <EditorCanvas state />
                <EditorForm state />
            </div>
        </main>
    }
}

#[component]
fn EditorBar(desk: RunDesk, state: EditorState) -> impl IntoMarkup {
    let starts = RwSignal::new(false);
    let built_in = StoredValue::new(graph_templates());
    let own = state.world.select(WorldParts::SETTINGS, |world| {
        own_templates(world).into_iter().map(|(name, read)| (name, read.ok())).collect::<Vec<_>>()
    });
    let choices = move || {
        let choice = |value: String, name: String| option(value, name, false);
        let mut all = vec![
            option(String::new(), words::TEMPLATE, true),
            choice("new".to_owned(), words::NEW.to_owned()),
        ];
        for (at, (name, _)) in own.get().into_iter().enumerate() {
            all.push(choice(format!("own:{at}"), reveal(&name)));
        }
        built_in.with_value(|built_in| {
            for (at, template) in built_in.iter().enumerate() {
                all.push(choice(format!("built:{at}"), format!("{} ({})", template.name, words::BUILT_IN)));
            }
        });
        all
    };
    let open = move |value: String| {
        let template = match value.split_once(':') {
            Some(("own", at)) => {
                let found =
                    own.with_untracked(|own| at.parse().ok().and_then(|at: usize| own.get(at).cloned()));
                match found {
                    Some((_, Some(template))) => template,
                    Some((_, None)) => {
                        state.notices.tell(NoticeKind::Problem, words::NOT_READ, "");
                        return;
                    }
                    None => return,
                }
            }
            Some((_, at)) => {
                let found =
                    at.parse().ok().and_then(|at: usize| built_in.with_value(|all| all.get(at).cloned()));
                let Some(template) = found else { return };
                let copy = GraphTemplate { name: format!("{} (copy)", template.name), ..template };
                state.world.with_untracked(|world| fitted(world, copy))
            }
            None if value == "new" => blank(),
            None => return,
        };
        state.send(EditorMessage::Open(template));
    };
    // The list always shows its name again, so that the same template can be opened twice.
    let picker = move || {
        state.with(|editor| editor.template().name.clone());
        select_box(choices, open).test("graph-template-open").label(words::TEMPLATE).into_markup()
    };
    let kept = select(move || {
        let name = state.with(|editor| editor.template().name.clone());
        own.with(|own| own.iter().any(|(other, _)| *other == name)).then_some(name)
    });
    let invalid = move || state.problem().with(Option::is_some);
    let unnamed = move || state.with(|editor| editor.template().name.trim().is_empty());
    view! {
        <div class="run-scrubber graph-bar" role="toolbar" aria-label=words::TITLE>
            {picker}
            {icon_button("↶").test("graph-undo").title(words::UNDO).label(words::UNDO)
                .disabled(move || !state.with(GraphEditor::can_undo)).on_click(move |_| state.send(EditorMessage::Undo))}
            {icon_button("↷").test("graph-redo").title(words::REDO).label(words::REDO)
                .disabled(move || !state.with(GraphEditor::can_redo)).on_click(move |_| state.send(EditorMessage::Redo))}
            <span class="graph-bar-space"></span>
            {quiet_button(words::EXPORT).test("graph-export").disabled(invalid).on_click(move |_| state.export())}
            <Show when=move || kept.with(Option::is_some)>
                {quiet_button(words::DELETE).test("graph-delete")
                    .on_click(move |_| if let Some(name) = kept.get_untracked() { state.delete(name) })}
            </Show>
            {button(words::SAVE).test("graph-save").disabled(move || invalid() || unnamed())
                .on_click(move |_| state.save())}
            {button(words::RUN).first().test("graph-run").disabled(invalid).on_click(move |_| starts.set(true))}
        </div>
        <Show when=move || starts.get()><StartDialog desk state starts /></Show>
    }
}

/// The dialog that asks for the message of a run of the graph.
#[component]
fn StartDialog(desk: RunDesk, state: EditorState, starts: RwSignal<bool>) -> impl IntoMarkup {
    let node = NodeRef::<Dialog>::new();
    let field = NodeRef::<Textarea>::new();
    let works = expect_context::<RunView>().is_open();
    let is_empty = RwSignal::new(true);
    let leave = move || {
        dialog::close(node);
        starts.set(false);
    };
    let template = select(move || Some(state.with(|editor| editor.template().clone())));
    let start = move |_| {
        let text = field.get_untracked().map(|field| field.value()).unwrap_or_default();
        let template = state.with_untracked(|editor| editor.template().clone());
        start_graph(state.dispatch, state.world, template, text, move |run| {
            leave();
            desk.place.set(RunPlace::Run(Some(run)));
        });
    };
    modal("dialog graph-dialog", "graph-start-dialog", leave).titled("graph-start-title").node(node).holding(view! {
        <h2 id="graph-start-title">{run_graph::NEW}</h2>
        <div class="field">
            <label class="field-name" for="graph-start-message">{run_graph::MESSAGE}</label>
            <textarea
                id="graph-start-message" class="area" rows="3" data-testid="graph-start-message" node_ref=field dir="auto"
                on:input=move |event| is_empty.set(event_target_value(&event).trim().is_empty())
            ></textarea>
        </div>
        <Forecast template />
        <p class="field-problem" role="alert">{move || works.get().then_some(tree_words::BUSY)}</p>
        <div class="card-actions">
            {button(run_graph::START).first().test("graph-start-run")
                .disabled(move || works.get() || is_empty.get()).on_click(start)}
            {quiet_button(run_graph::CANCEL).test("graph-start-cancel").on_click(move |_| leave())}
        </div>
    })
}

/// What a problem is, where it is that of this place.
pub(super) fn problem_at(state: EditorState, place: Selection) -> impl Fn() -> Option<String> + Copy {
    let place = StoredValue::new(place);
    move || {
        let is_here = |problem: &&GraphProblem| place.with_value(|place| problem.place == *place);
        state
            .problem()
            .with(|problem| problem.as_ref().filter(is_here).map(|problem| graph::error(&problem.error)))
    }
}
