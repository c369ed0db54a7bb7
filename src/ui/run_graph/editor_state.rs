//! The state of the graph editor: the graph, its error, and how it is stored.

use crate::ui::hooks::files::download;
use crate::ui::prelude::*;
use nexus_model::run::graph::{Edge, GraphError, NodeSpec};
use nexus_model::run::templates::{agent_of, fitted, graph_templates, own_templates};
use nexus_model::settings::schema::{GRAPH_DRAFT, GRAPH_ROWS};
use nexus_view::graph_editor::{EditorMessage, GraphEditor, GraphProblem, Selection, blank};
use nexus_view::run_graph::geometry::DiagramGeometry;
use nexus_view::strings::graph::editor as words;
use nexus_view::strings::{graph, rejection};

#[derive(Clone, Copy)]
pub(super) struct EditorState {
    pub(super) editor: RwSignal<GraphEditor>,
    pub(super) world: WorldReader,
    pub(super) dispatch: Dispatch,
    pub(super) notices: Notices,
    pub(super) problem: Selector<Option<GraphProblem>>,
    pub(super) geometry: Selector<Arc<DiagramGeometry>>,
    /// True while an edge is drawn with a pressed pointer.
    pub(super) pressed: StoredValue<bool>,
}

impl EditorState {
    pub(super) fn open(template: Option<Arc<GraphTemplate>>) -> Self {
        let &Page { world, dispatch, notices, .. } = expect_context();
        let is_opened = template.is_some();
        let editor = match (stored_draft(world), template) {
            (Some(mut editor), Some(template)) => {
                // As a step, so that Undo brings the draft back.
                drop(editor.update(EditorMessage::Open(template.as_ref().clone())));
                editor
            }
            (None, Some(template)) => GraphEditor::open(template.as_ref().clone()),
            (draft, None) => draft.unwrap_or_else(|| GraphEditor::open(blank())),
        };
        let editor = RwSignal::new(editor);
        let problem = editor.map(move |editor| {
            let missing = || {
                let error = world.with(WorldParts::ROSTER, |world| {
                    editor.template().nodes.iter().find_map(|node| agent_of(world, node).err())
                })?;
                Some(GraphProblem { place: editor.locate(&error), error })
            };
            editor.problem().or_else(missing)
        });
        let ends = editor.map(move |editor| (editor.template().nodes.len(), editor.ends()));
        let geometry = select(move || {
            ends.track();
            Arc::new(editor.with_untracked(|editor| DiagramGeometry::from_layout(&editor.layout())))
        });
        let pressed = StoredValue::new(false);
        let this = Self { editor, world, dispatch, notices, problem, geometry, pressed };
        let draft = editor.map(GraphEditor::draft);
        if is_opened {
            // Not only once it changes: a reload finds no template in the address.
            dispatch.set_setting(GRAPH_DRAFT, draft.get_untracked().map_or(Value::Null, Into::into));
        }
        dispatch.store_form(GRAPH_DRAFT, draft);
        this
    }

    /// Applies an edit, or returns why it was rejected.
    pub(super) fn update(&self, message: EditorMessage) -> Result<(), GraphError> {
        self.editor.try_update(|editor| editor.update(message)).unwrap_or(Ok(()))
    }

    /// Like `update`; shows a notice if it is rejected.
    pub(super) fn send(&self, message: EditorMessage) {
        if let Err(error) = self.update(message) {
            self.notices.add(NoticeKind::Error, graph::error(&error), "");
        }
    }

    /// The message that changes a property of a node; `None` if the node was removed.
    pub(super) fn node_with(&self, id: NodeId, change: &dyn Fn(&mut NodeSpec)) -> Option<EditorMessage> {
        let mut node = self.editor.with_untracked(|editor| editor.node(&id).cloned())?;
        change(&mut node);
        Some(EditorMessage::Node(id, Box::new(node)))
    }

    pub(super) fn change_node(&self, id: NodeId, change: &dyn Fn(&mut NodeSpec)) {
        self.node_with(id, change).into_iter().for_each(|message| self.send(message));
    }

    pub(super) fn change_edge(&self, at: usize, change: &dyn Fn(&mut Edge)) {
        let edge = self.editor.with_untracked(|editor| editor.template().edges.get(at).cloned());
        let Some(mut edge) = edge else { return };
        change(&mut edge);
        self.send(EditorMessage::Edge(at, edge));
    }

    /// The message that changes a property of the graph.
    pub(super) fn graph_with(&self, change: &dyn Fn(&mut GraphTemplate)) -> EditorMessage {
        let mut template = self.editor.with_untracked(|editor| editor.template().clone());
        change(&mut template);
        EditorMessage::Graph(template)
    }

    pub(super) fn selected_node(&self) -> Option<NodeId> {
        self.editor.with_untracked(|editor| match editor.selection() {
            Selection::Node(id) => Some(id.clone()),
            Selection::Graph | Selection::Edge(_) => None,
        })
    }

    pub(super) fn save(self) {
        let template = self.editor.with_untracked(|editor| editor.template().clone());
        let name = template.name.clone();
        let Ok(value) = json::to_tree(&template) else { return };
        let row = GRAPH_ROWS.row(&name);
        // A name in use replaces its template, which may be another one than the graph was opened from.
        let replaced = self.world.with_untracked(|world| world.setting(&row).cloned());
        let replaced = replaced.filter(|stored| !stored.is_null() && **stored != value);
        let command = Command::ChangeSetting { name: row.clone(), value };
        self.dispatch.send_quietly(command, move |outcome| match outcome {
            Ok(()) => {
                self.editor.update(GraphEditor::note_saved);
                match replaced {
                    Some(stored) => self.notices.add_step(words::replaced(&reveal(&name)), move || {
                        Command::ChangeSetting { name: row.clone(), value: stored.as_ref().clone() }
                    }),
                    None => drop(self.notices.add(NoticeKind::Info, words::saved(&reveal(&name)), "")),
                }
            }
            Err(rejected) => {
                self.notices.add_error(rejection(&rejected));
            }
        });
    }

    pub(super) fn delete(self, name: String) {
        let row = GRAPH_ROWS.row(&name);
        let Some(stored) = self.world.with_untracked(|world| world.setting(&row).cloned()) else { return };
        let command = Command::ChangeSetting { name: row.clone(), value: serde_json::Value::Null };
        self.dispatch.send_done(command, move || {
            let undo = move || Command::ChangeSetting { name: row.clone(), value: stored.as_ref().clone() };
            self.notices.add_step(words::deleted(&reveal(&name)), undo);
        });
    }

    pub(super) fn export(self) {
        let template = self.editor.with_untracked(|editor| editor.template().clone());
        let text = json::to_tree(&template).map(|tree| format!("{tree:#}\n"));
        let is_saved =
            text.is_ok_and(|text| download(&format!("{}.graph.json", file_stem(&template.name)), &text));
        if !is_saved {
            self.notices.add(NoticeKind::Error, common::NOT_SAVED, "");
        }
    }
}

fn file_stem(name: &str) -> String {
    let plain = |c: char| if c.is_alphanumeric() || c == '-' { c.to_ascii_lowercase() } else { '-' };
    let stem: String = name.chars().map(plain).collect();
    let stem = stem.trim_matches('-').to_owned();
    if stem.is_empty() { "graph".to_owned() } else { stem }
}

/// The graphs that can be opened: the value of each option, its name, and the graph if it can be read. A built-in one is
/// opened as a copy.
pub(super) fn offered(world: &World) -> Vec<(String, String, Option<GraphTemplate>)> {
    let own = own_templates(world).into_iter().enumerate();
    let own = own.map(|(at, (name, read))| (format!("own:{at}"), name, read.ok()));
    let built_in = graph_templates().into_iter().enumerate().map(|(at, template)| {
        let name = format!("{} ({})", template.name, words::BUILT_IN);
        let copy = GraphTemplate { name: format!("{} (copy)", template.name), ..template };
        (format!("built:{at}"), name, Some(fitted(world, copy)))
    });
    own.chain(built_in).collect()
}

/// The graph at an index of the dialog that starts one, to be edited.
pub(super) fn offered_at(world: &World, at: usize) -> Option<Arc<GraphTemplate>> {
    offered(world).into_iter().filter_map(|(.., template)| template).nth(at).map(Arc::new)
}

fn stored_draft(world: WorldReader) -> Option<GraphEditor> {
    world.with_untracked(|world| {
        let draft = world.stored(GRAPH_DRAFT)?.as_str()?;
        let editor = GraphEditor::resume(blank(), draft);
        // A graph that equals the template of its name, or a copy of a built-in one, has no unsaved changes.
        let mut known = offered(world).into_iter().filter_map(|(.., template)| template);
        let saved = known.find(|known| known.name == editor.template().name);
        Some(saved.map_or(editor, |saved| GraphEditor::resume(saved, draft)))
    })
}

pub(super) fn problem_at(state: EditorState, place: Selection) -> impl Fn() -> Option<String> + Copy {
    let place = StoredValue::new(place);
    move || {
        let is_here = |problem: &&GraphProblem| place.with_value(|place| problem.place == *place);
        state
            .problem
            .with(|problem| problem.as_ref().filter(is_here).map(|problem| graph::error(&problem.error)))
    }
}
