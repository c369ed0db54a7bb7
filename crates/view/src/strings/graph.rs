//! Strings of runs that follow a graph: what is wrong with a template, and what changed in a graph.

use nexus_model::event::GraphChange;
use nexus_model::limits::{GRAPH_EDGES, GRAPH_NODES};
use nexus_model::run::RunMode;
use nexus_model::run::envelope::kinds;
use nexus_model::run::graph::{Completion, GRAPH_VERSION, GraphError, Port};

/// What is wrong with a graph.
pub fn error(error: &GraphError) -> String {
    match error {
        GraphError::NotReadable(why) => format!("The template cannot be read: {why}."),
        GraphError::NewerVersion(version) => format!(
            "The template has version {version}, and this program reads versions up to {GRAPH_VERSION}. Update Nexus."
        ),
        GraphError::Empty => "The graph has no nodes. Add one.".to_owned(),
        GraphError::TooManyNodes(found) => {
            format!("The graph has {found} nodes. At most {GRAPH_NODES} are allowed.")
        }
        GraphError::TooManyEdges(found) => {
            format!("The graph has {found} edges. At most {GRAPH_EDGES} are allowed.")
        }
        GraphError::BadKey(key) => format!(
            "“{key}” cannot be the name of a node. Use small letters, digits, - and _, and not “operator” or “run”."
        ),
        GraphError::SameKey(key) => format!("Two nodes are named {key}. Rename one."),
        GraphError::UnknownKind { node, kind } => {
            format!("{node} has the unknown type “{kind}”. Use orchestrator, agent.NAME, verifier or docs.")
        }
        GraphError::NoSuchNode { edge: (from, to), missing } => {
            format!("The edge from {from} to {to} leads nowhere: there is no node {missing}.")
        }
        GraphError::SameEdge(from, to) => {
            format!("There are two equal edges from {from} to {to}. Remove one.")
        }
        GraphError::BadQuorum { node, needs, has } => {
            format!("{node} waits for {needs} nodes, and {has} lead to it.")
        }
        GraphError::PortMismatch { edge: (from, to), port } => format!(
            "The edge from {from} to {to} carries {}, which {from} does not give or {to} does not take.",
            port_name(*port)
        ),
        GraphError::NoTurns(node) => format!("{node} may have no turns. Allow at least one."),
        GraphError::NoEntry => {
            "An edge leads to every node, so none begins. Mark one as the entry.".to_owned()
        }
        GraphError::NoVerifier => "The run is to end when a verifier passes, and there is none.".to_owned(),
        GraphError::NoOrchestrator => "Auto mode needs an orchestrator, and the graph has none.".to_owned(),
        GraphError::TwoOrchestrators => "The graph has two orchestrators. Keep one.".to_owned(),
        GraphError::NoSuchAgent { node, agent } => {
            format!("{node} needs the agent {agent}, who is not on this device. Choose another one.")
        }
    }
}

pub fn port_name(port: Port) -> &'static str {
    match port {
        Port::Text => "text",
        Port::Report => "a report",
        Port::Diff => "a diff",
    }
}

pub fn mode_name(mode: RunMode) -> &'static str {
    match mode {
        RunMode::Auto => "Auto",
        RunMode::Interactive => "Interactive",
    }
}

/// What must be true for a run to end by itself, after “ends when”.
pub fn ends_when(completion: Completion) -> &'static str {
    match completion {
        Completion::Drained => "nothing is left to work on",
        Completion::Verifier => "a verifier passes",
        Completion::Orchestrator => "the orchestrator says so",
        Completion::Budget => "its budget is used up",
    }
}

/// What changed in a run's graph.
pub fn changed(change: &GraphChange) -> String {
    match change {
        GraphChange::Mode(mode) => format!("the run is {} now", mode_name(*mode)),
        GraphChange::NodeAdded(node) => format!("node {} added", node.id),
        GraphChange::EdgeAdded(edge) => format!("edge from {} to {} added", edge.from, edge.to),
        GraphChange::Sent { to, envelope } if envelope.kind == kinds::TICK => {
            format!("{to} is asked what comes next")
        }
        GraphChange::Sent { to, envelope } => format!("{} sent an envelope to {to}", envelope.node_id),
        GraphChange::Asked { node, .. } => format!("{node} asks the operator"),
        GraphChange::Finished { .. } => "the orchestrator finished the run".to_owned(),
        GraphChange::LimitsRaised { node, .. } => format!("the limits of {node} were raised"),
        GraphChange::Completion(completion) => format!("the run ends when {}", ends_when(*completion)),
        GraphChange::TurnsAllowed { node, most } => format!("{node} may have {most} turns"),
    }
}
