//! What can be changed of a graph, of its nodes and of its edges.

use nexus_model::agent::Priority;
use nexus_model::id::AgentKey;
use nexus_model::run::GraphLimits;
use nexus_model::run::graph::{
    Completion, Edge, EdgeCondition, GraphTemplate, Join, NodeSpec, Port, RunMode,
};
use nexus_model::run::terminal::TerminalSpec;
use serde_json::Value;

#[derive(Clone, Debug, PartialEq)]
pub enum NodeChange {
    Key(String),
    Kind(String),
    Agent(Option<AgentKey>),
    Instruction(String),
    Join(Join),
    MaxTurns(Option<u32>),
    Limits(GraphLimits),
    Priority(Option<Priority>),
    Takes(Port, bool),
    Entry(bool),
    /// The files that it may write; all of them where empty.
    Writes(Vec<String>),
    /// Of a verifier, the check files that it runs; all of them where empty.
    Checks(Vec<String>),
    Terminal(Option<TerminalSpec>),
}

impl NodeChange {
    pub(super) fn apply(self, node: &mut NodeSpec) {
        match self {
            Self::Key(key) => node.key = key.as_str().into(),
            Self::Kind(kind) => node.kind = kind,
            Self::Agent(agent) => node.agent = agent,
            Self::Instruction(text) => node.instruction = text,
            Self::Join(join) => node.join = join,
            Self::MaxTurns(most) => node.max_turns = most,
            Self::Limits(limits) => node.limits = limits,
            Self::Priority(priority) => node.priority = priority,
            Self::Takes(port, takes) => {
                // None and all of them are the same: written as none.
                let had = |one: Port| node.takes.is_empty() || node.takes.contains(&one);
                let kept: Vec<Port> =
                    PORTS.into_iter().filter(|one| if *one == port { takes } else { had(*one) }).collect();
                node.takes = if kept.len() == PORTS.len() { Vec::new() } else { kept };
            }
            Self::Entry(entry) => node.entry = entry,
            Self::Writes(writes) => node.writes = writes,
            Self::Checks(checks) => node.checks = checks,
            Self::Terminal(terminal) => node.terminal = terminal,
        }
    }
}

pub const PORTS: [Port; 3] = [Port::Text, Port::Report, Port::Diff];

#[derive(Clone, Debug, PartialEq)]
pub enum EdgeChange {
    When(Option<EdgeCondition>),
    Port(Port),
}

impl EdgeChange {
    pub(super) fn apply(self, edge: &mut Edge) {
        match self {
            Self::When(when) => edge.when = when,
            Self::Port(port) => edge.port = port,
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum GraphChange {
    Name(String),
    About(String),
    Mode(RunMode),
    Completion(Completion),
    Limits(GraphLimits),
}

impl GraphChange {
    pub(super) fn apply(self, template: &mut GraphTemplate) {
        match self {
            Self::Name(name) => template.name = name,
            Self::About(about) => template.about = about,
            Self::Mode(mode) => template.mode = mode,
            Self::Completion(completion) => template.completion = completion,
            Self::Limits(limits) => template.limits = limits,
        }
    }
}

pub fn file_names(text: &str) -> Vec<String> {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

/// The value that the text of a condition stands for: JSON where it is some, else the words themselves.
pub fn field_value(text: &str) -> Value {
    nexus_text::json::tree(text).unwrap_or_else(|_| Value::String(text.to_owned()))
}
