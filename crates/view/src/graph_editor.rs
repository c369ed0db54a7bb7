//! The graph editor: edits a graph template by messages, with undo, and locates its first error.
//!
//! [`GraphTemplate::check`] decides whether a graph is valid; the editor only locates the error. A change that would
//! give two nodes the same key, or a node an invalid key, is rejected.

use nexus_model::limits::GRAPH_NAME_CHARS;
use nexus_model::prelude::*;
use nexus_model::run::graph::{Edge, GRAPH_VERSION, check_key};
use nexus_model::run::{GraphLimits, Node, Run};

use crate::layered_layout::{LayeredLayout, layered};
use nexus_text::small_sort::SmallSort as _;

const STEPS: usize = 200;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Selection {
    #[default]
    Graph,
    Node(NodeId),
    Edge(usize),
}

#[derive(Clone, Debug, PartialEq)]
pub enum EditorMessage {
    Select(Selection),
    /// A node was clicked: connects the edge being drawn, else selects the node.
    Pick(NodeId),
    /// Starts drawing an edge from this node; a second time cancels it.
    StartEdge(NodeId),
    CancelEdge,
    Connect {
        from: NodeId,
        to: NodeId,
    },
    /// Adds a node of this type, connected from the selected node if there is one.
    Add {
        kind: String,
    },
    /// Adds a copy of a node, with the same edges.
    Duplicate(NodeId),
    Remove,
    /// Replaces a node, possibly under another name.
    Node(NodeId, Box<NodeSpec>),
    Edge(usize, Edge),
    /// Sets the name, mode or limits of the graph.
    Graph(GraphTemplate),
    /// Replaces the graph, as a step that can be undone.
    Open(GraphTemplate),
    Undo,
    Redo,
}

#[derive(Clone, Debug, PartialEq)]
struct EditStep {
    template: GraphTemplate,
    selection: Selection,
}

#[derive(Clone, Debug, PartialEq)]
pub struct GraphEditor {
    now: EditStep,
    edge_start: Option<NodeId>,
    past: Vec<EditStep>,
    future: Vec<EditStep>,
    /// The graph as it was opened or last saved.
    saved: GraphTemplate,
}

/// The first error of the graph, and where to show it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphProblem {
    pub place: Selection,
    pub error: GraphError,
}

pub fn blank() -> GraphTemplate {
    GraphTemplate { version: GRAPH_VERSION, ..GraphTemplate::default() }
}

/// The graph of a run as a template, with the agents and limits that the run has; `None` for a run without a graph.
pub fn template_of(run: &Run) -> Option<GraphTemplate> {
    let graph = run.graph.as_ref()?;
    let node = |node: &Node| {
        let mut spec = NodeSpec {
            agent: node.agent.clone(),
            instruction: node.instruction.clone(),
            join: node.join,
            limits: node.limits,
            checks: node.checks.clone(),
            writes: node.writes.clone(),
            takes: node.takes.clone(),
            priority: Some(node.priority),
            terminal: node.terminal.as_deref().cloned(),
            ..NodeSpec::new(node.id.clone(), node.kind.clone())
        };
        spec.max_turns = (node.max_turns != spec.most_turns()).then_some(node.max_turns);
        spec
    };
    let mut template = GraphTemplate {
        name: graph.name.clone(),
        mode: run.mode,
        nodes: run.nodes.iter().map(node).collect(),
        edges: run.edges.clone(),
        completion: graph.completion,
        limits: GraphLimits {
            turns: run.caps.turns,
            calls: Some(run.caps.calls),
            tool_calls: run.caps.tool_calls,
            tokens: Some(run.caps.tokens),
            cost: Some(run.caps.cost),
            minutes: run.caps.minutes,
        },
        ..blank()
    };
    let entries: Vec<NodeId> = template.entries().iter().map(|node| node.key.clone()).collect();
    if entries != graph.entries {
        for node in &mut template.nodes {
            node.entry = graph.entries.contains(&node.key);
        }
    }
    Some(template)
}

impl GraphEditor {
    pub fn open(template: GraphTemplate) -> Self {
        let saved = template.clone();
        let now = EditStep { template, selection: Selection::Graph };
        Self { now, edge_start: None, past: Vec::new(), future: Vec::new(), saved }
    }

    /// The editor with an unsaved graph; `draft` comes from [`Self::draft`].
    pub fn resume(saved: GraphTemplate, draft: &str) -> Self {
        let mut editor = Self::open(saved);
        if let Ok(template) = json::read::<GraphTemplate>(draft) {
            editor.now.template = template;
        }
        editor
    }

    /// The graph as text for [`Self::resume`], valid or not, so that a reload shows it again even if nothing is unsaved;
    /// `None` if it is blank.
    pub fn draft(&self) -> Option<String> {
        (self.now.template != blank()).then(|| json::write(&self.now.template).ok()).flatten()
    }

    pub fn template(&self) -> &GraphTemplate {
        &self.now.template
    }

    pub fn selection(&self) -> &Selection {
        &self.now.selection
    }

    pub fn edge_start(&self) -> Option<&NodeId> {
        self.edge_start.as_ref()
    }

    pub fn node(&self, id: &NodeId) -> Option<&NodeSpec> {
        self.template().nodes.iter().find(|node| node.key == *id)
    }

    pub fn place_of(&self, id: &NodeId) -> Option<usize> {
        self.template().nodes.iter().position(|node| node.key == *id)
    }

    pub fn can_undo(&self) -> bool {
        !self.past.is_empty()
    }

    pub fn can_redo(&self) -> bool {
        !self.future.is_empty()
    }

    pub fn is_changed(&self) -> bool {
        self.now.template != self.saved
    }

    pub fn note_saved(&mut self) {
        self.saved.clone_from(&self.now.template);
    }

    /// The edges as pairs of node indices; `usize::MAX` for a node that does not exist.
    pub fn ends(&self) -> Vec<(usize, usize)> {
        let place = |id: &NodeId| self.place_of(id).unwrap_or(usize::MAX);
        self.template().edges.iter().map(|edge| (place(&edge.from), place(&edge.to))).collect()
    }

    pub fn layout(&self) -> LayeredLayout {
        layered(self.template().nodes.len(), &self.ends())
    }

    /// The predecessors of a node, or its successors if `down`.
    pub fn neighbours(&self, id: &NodeId, down: bool) -> Vec<NodeId> {
        let edges = self.template().edges.iter();
        let found = edges.filter_map(|edge| {
            let (this, other) = if down { (&edge.from, &edge.to) } else { (&edge.to, &edge.from) };
            (this == id).then(|| other.clone())
        });
        let mut found: Vec<NodeId> = found.collect();
        found.small_sort();
        found.dedup();
        found
    }

    /// The first error of the graph, with its place.
    pub fn problem(&self) -> Option<GraphProblem> {
        let error = self.template().check().err()?;
        Some(GraphProblem { place: self.locate(&error), error })
    }

    pub fn locate(&self, error: &GraphError) -> Selection {
        let template = self.template();
        let node = |id: &NodeId| Selection::Node(id.clone());
        let edge = |from: &NodeId, to: &NodeId| {
            let is_it = |edge: &Edge| edge.from == *from && edge.to == *to;
            template.edges.iter().rposition(is_it).map_or(Selection::Graph, Selection::Edge)
        };
        match error {
            GraphError::BadKey(key) => {
                let found = template.nodes.iter().find(|node| node.key.as_str() == key);
                found.map_or(Selection::Graph, |found| node(&found.key))
            }
            GraphError::SameKey(id)
            | GraphError::NoTurns(id)
            | GraphError::BadTerminal(id)
            | GraphError::UnknownKind { node: id, .. }
            | GraphError::BadQuorum { node: id, .. }
            | GraphError::NoSuchAgent { node: id, .. } => node(id),
            GraphError::NoSuchNode { edge: (from, to), .. }
            | GraphError::PortMismatch { edge: (from, to), .. }
            | GraphError::SameEdge(from, to) => edge(from, to),
            GraphError::TwoOrchestrators => {
                let last = template.nodes.iter().rfind(|node| node.kind == "orchestrator");
                last.map_or(Selection::Graph, |last| node(&last.key))
            }
            GraphError::NotReadable(_)
            | GraphError::BadName(_)
            | GraphError::TooManyTemplates
            | GraphError::NewerVersion(_)
            | GraphError::Empty
            | GraphError::TooManyNodes(_)
            | GraphError::TooManyEdges(_)
            | GraphError::NoEntry
            | GraphError::NoVerifier
            | GraphError::NoOrchestrator => Selection::Graph,
        }
    }

    /// Applies a message.
    ///
    /// # Errors
    /// The reason for a rejection; the graph is unchanged then.
    pub fn update(&mut self, message: EditorMessage) -> Result<(), GraphError> {
        match message {
            EditorMessage::Select(selection) => {
                self.now.selection = self.valid(selection);
                self.edge_start = None;
            }
            EditorMessage::Pick(id) => match self.edge_start.take() {
                Some(from) => return self.connect(from, id),
                None => self.now.selection = self.valid(Selection::Node(id)),
            },
            EditorMessage::StartEdge(id) => {
                let is_again = self.edge_start.as_ref() == Some(&id);
                self.edge_start = (!is_again && self.node(&id).is_some()).then_some(id);
            }
            EditorMessage::CancelEdge => self.edge_start = None,
            EditorMessage::Connect { from, to } => return self.connect(from, to),
            EditorMessage::Add { kind } => self.add(kind),
            EditorMessage::Duplicate(id) => self.duplicate(&id),
            EditorMessage::Remove => self.remove(),
            EditorMessage::Node(id, node) => return self.change_node(&id, *node),
            EditorMessage::Edge(at, edge) => self.change_edge(at, edge),
            EditorMessage::Graph(template) => return self.change_graph(template),
            EditorMessage::Open(template) => {
                self.step(template, Selection::Graph);
                self.note_saved();
            }
            EditorMessage::Undo => self.travel(true),
            EditorMessage::Redo => self.travel(false),
        }
        Ok(())
    }

    fn valid(&self, selection: Selection) -> Selection {
        let is_there = match &selection {
            Selection::Graph => true,
            Selection::Node(id) => self.node(id).is_some(),
            Selection::Edge(at) => *at < self.template().edges.len(),
        };
        if is_there { selection } else { Selection::Graph }
    }

    fn travel(&mut self, back: bool) {
        let (from, to) =
            if back { (&mut self.past, &mut self.future) } else { (&mut self.future, &mut self.past) };
        if let Some(step) = from.pop() {
            to.push(std::mem::replace(&mut self.now, step));
            self.edge_start = None;
        }
    }

    /// Replaces the graph and records an undo step if it changed.
    fn step(&mut self, template: GraphTemplate, selection: Selection) {
        self.edge_start = None;
        if template != self.now.template {
            let next = EditStep { template, selection: self.now.selection.clone() };
            self.past.push(std::mem::replace(&mut self.now, next));
            self.future.clear();
            if self.past.len() > STEPS {
                self.past.remove(0);
            }
        }
        self.now.selection = self.valid(selection);
    }

    fn connect(&mut self, from: NodeId, to: NodeId) -> Result<(), GraphError> {
        let missing = [&from, &to].into_iter().find(|end| self.node(end).is_none()).cloned();
        if let Some(missing) = missing {
            return Err(GraphError::NoSuchNode { edge: (from, to), missing });
        }
        let mut template = self.template().clone();
        let is_same = |edge: &Edge| edge.from == from && edge.to == to && edge.when.is_none();
        // Selects the edge if it exists already.
        let at = template.edges.iter().position(is_same).unwrap_or_else(|| {
            template.edges.push(Edge { from: from.clone(), to: to.clone(), when: None, port: Port::Text });
            template.edges.len() - 1
        });
        self.step(template, Selection::Edge(at));
        Ok(())
    }

    fn free_key(&self, wanted: &str) -> NodeId {
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_';
        let lower = wanted.to_lowercase();
        let clean: String = lower.chars().map(|c| if plain(c) { c } else { '-' }).take(48).collect();
        let stem = clean.trim_matches('-');
        let stem = if check_key(stem).is_ok() { stem } else { "node" };
        let names = std::iter::once(stem.to_owned()).chain((2u32..).map(|number| format!("{stem}-{number}")));
        let mut free = names.map(NodeId).filter(|name| self.node(name).is_none());
        free.next().unwrap_or_else(|| stem.into())
    }

    fn add(&mut self, kind: String) {
        let key = self.free_key(kind.strip_prefix("agent.").unwrap_or(&kind));
        let mut template = self.template().clone();
        if let Selection::Node(before) = self.selection() {
            let edge = Edge { from: before.clone(), to: key.clone(), when: None, port: Port::Text };
            template.edges.push(edge);
        }
        template.nodes.push(NodeSpec::new(key.clone(), kind));
        self.step(template, Selection::Node(key));
    }

    fn duplicate(&mut self, id: &NodeId) {
        let Some(node) = self.node(id).cloned() else { return };
        let key = self.free_key(id.as_str());
        let mut template = self.template().clone();
        let rename = |end: &NodeId| if end == id { key.clone() } else { end.clone() };
        let copied: Vec<Edge> = template
            .edges
            .iter()
            .filter(|edge| edge.from == *id || edge.to == *id)
            .map(|edge| Edge { from: rename(&edge.from), to: rename(&edge.to), ..edge.clone() })
            .collect();
        template.edges.extend(copied);
        template.nodes.push(NodeSpec { key: key.clone(), ..node });
        self.step(template, Selection::Node(key));
    }

    fn remove(&mut self) {
        let mut template = self.template().clone();
        let next = match self.selection().clone() {
            Selection::Graph => return,
            Selection::Node(id) => {
                let before = self.neighbours(&id, false).into_iter().find(|other| *other != id);
                template.nodes.retain(|node| node.key != id);
                template.edges.retain(|edge| edge.from != id && edge.to != id);
                before
            }
            Selection::Edge(at) => {
                let from = template.edges.get(at).map(|edge| edge.from.clone());
                if at < template.edges.len() {
                    template.edges.remove(at);
                }
                from
            }
        };
        self.step(template, next.map_or(Selection::Graph, Selection::Node));
    }

    fn change_node(&mut self, id: &NodeId, node: NodeSpec) -> Result<(), GraphError> {
        let Some(at) = self.place_of(id) else { return Ok(()) };
        let mut template = self.template().clone();
        let key = node.key.clone();
        if key != *id {
            check_key(key.as_str())?;
            if self.node(&key).is_some() {
                return Err(GraphError::SameKey(key));
            }
            for end in template.edges.iter_mut().flat_map(|edge| [&mut edge.from, &mut edge.to]) {
                if *end == *id {
                    end.clone_from(&key);
                }
            }
        }
        if let Some(place) = template.nodes.get_mut(at) {
            *place = node;
        }
        let is_selected = *self.selection() == Selection::Node(id.clone());
        let selection = if is_selected { Selection::Node(key) } else { self.selection().clone() };
        self.step(template, selection);
        Ok(())
    }

    fn change_edge(&mut self, at: usize, edge: Edge) {
        let mut template = self.template().clone();
        if let Some(place) = template.edges.get_mut(at) {
            *place = edge;
            self.step(template, self.selection().clone());
        }
    }

    fn change_graph(&mut self, template: GraphTemplate) -> Result<(), GraphError> {
        if template.name.chars().count() > GRAPH_NAME_CHARS {
            return Err(GraphError::BadName(template.name));
        }
        self.step(template, self.selection().clone());
        Ok(())
    }
}

pub const PORTS: [Port; 3] = [Port::Text, Port::Report, Port::Diff];

/// True if this is the only port that a node accepts. It must stay: an empty list would mean all ports.
pub fn is_last_port(node: &NodeSpec, port: Port) -> bool {
    node.takes == [port]
}

/// Sets whether a node accepts this port. An empty list means all ports, so the last one stays.
pub fn set_takes(node: &mut NodeSpec, port: Port, takes: bool) {
    if !takes && is_last_port(node, port) {
        return;
    }
    let had = |one: Port| node.takes.is_empty() || node.takes.contains(&one);
    let ports: Vec<Port> =
        PORTS.into_iter().filter(|one| if *one == port { takes } else { had(*one) }).collect();
    node.takes = if ports.len() == PORTS.len() { Vec::new() } else { ports };
}

pub fn file_names(text: &str) -> Vec<String> {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

/// Parses the text of a condition's value: JSON if valid, else a string.
pub fn field_value(text: &str) -> Value {
    json::tree(text).unwrap_or_else(|_| Value::String(text.to_owned()))
}

#[cfg(test)]
mod tests;
