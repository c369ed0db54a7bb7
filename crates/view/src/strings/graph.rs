//! Strings of runs that follow a graph: what is wrong with a template, and what changed in a graph.

use crate::language::{text, tr};
use nexus_model::event::GraphChange;
use nexus_model::limits::{GRAPH_EDGES, GRAPH_NODES};
use nexus_model::run::RunMode;
use nexus_model::run::envelope::kinds;
use nexus_model::run::graph::{GRAPH_VERSION, GraphError, Port};

/// What is wrong with a graph.
pub fn error(error: &GraphError) -> String {
    match error {
        GraphError::NotReadable(why) => text!("The template cannot be read: {why}."),
        GraphError::NewerVersion(version) => text!(
            "The template has version {version}, and this program reads versions up to {GRAPH_VERSION}. Update Nexus."
        ),
        GraphError::Empty => tr("The graph has no nodes. Add one.").to_owned(),
        GraphError::TooManyNodes(found) => {
            text!("The graph has {found} nodes. At most {GRAPH_NODES} are allowed.")
        }
        GraphError::TooManyEdges(found) => {
            text!("The graph has {found} edges. At most {GRAPH_EDGES} are allowed.")
        }
        GraphError::BadKey(key) => text!(
            "“{key}” cannot be the name of a node. Use small letters, digits, - and _, and not “operator” or “run”."
        ),
        GraphError::SameKey(key) => text!("Two nodes are named {key}. Rename one."),
        GraphError::UnknownKind { node, kind } => {
            text!("{node} has the unknown type “{kind}”. Use orchestrator, agent.NAME, verifier or docs.")
        }
        GraphError::NoSuchNode { edge: (from, to), missing } => {
            text!("The edge from {from} to {to} leads nowhere: there is no node {missing}.")
        }
        GraphError::SameEdge(from, to) => {
            text!("There are two equal edges from {from} to {to}. Remove one.")
        }
        GraphError::BadQuorum { node, needs, has } => {
            text!("{node} waits for {needs} nodes, and {has} lead to it.")
        }
        GraphError::PortMismatch { edge: (from, to), port } => text!(
            "The edge from {from} to {to} carries {}, which {from} does not give or {to} does not take.",
            port_name(*port)
        ),
        GraphError::NoTurns(node) => text!("{node} may have no turns. Allow at least one."),
        GraphError::NoEntry => {
            tr("An edge leads to every node, so none begins. Mark one as the entry.").to_owned()
        }
        GraphError::NoVerifier => {
            tr("The run is to end when a verifier passes, and there is none.").to_owned()
        }
        GraphError::NoOrchestrator => {
            tr("Auto mode needs an orchestrator, and the graph has none.").to_owned()
        }
        GraphError::TwoOrchestrators => tr("The graph has two orchestrators. Keep one.").to_owned(),
        GraphError::NoSuchAgent { node, agent } => {
            text!("{node} needs the agent {agent}, who is not on this device. Choose another one.")
        }
    }
}

pub fn port_name(port: Port) -> &'static str {
    match port {
        Port::Text => tr("text"),
        Port::Report => tr("a report"),
        Port::Diff => tr("a diff"),
    }
}

pub fn mode_name(mode: RunMode) -> &'static str {
    match mode {
        RunMode::Auto => tr("Auto"),
        RunMode::Interactive => tr("Interactive"),
    }
}

/// What changed in a run's graph.
pub fn changed(change: &GraphChange) -> String {
    match change {
        GraphChange::Mode(mode) => text!("the run is {} now", mode_name(*mode)),
        GraphChange::NodeAdded(node) => text!("node {} added", node.id),
        GraphChange::EdgeAdded(edge) => text!("edge from {} to {} added", edge.from, edge.to),
        GraphChange::Sent { to, envelope } if envelope.kind == kinds::TICK => {
            text!("{to} is asked what comes next")
        }
        GraphChange::Sent { to, envelope } => text!("{} sent an envelope to {to}", envelope.node_id),
        GraphChange::Asked { node, .. } => text!("{node} asks the operator"),
        GraphChange::Finished { .. } => tr("the orchestrator finished the run").to_owned(),
        GraphChange::TurnsAllowed { node, most } => text!("{node} may have {most} turns"),
    }
}
