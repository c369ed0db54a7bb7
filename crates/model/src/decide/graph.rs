//! Decides runs of graphs: how they begin, which nodes become READY, and what operator and orchestrator change in them.
//!
//! [`graph_step`] knows what comes next.

use serde_json::json;

use super::Decider;
use crate::command::GraphRequest;
use crate::limits::{GRAPH_EDGES, GRAPH_NODES, NODE_TURNS};
use crate::prelude::*;
use crate::provider::price::Cost;
use crate::run::graph::{Completion, NodeKind, OPERATOR_NODE, RUN_NODE, check_key};
use crate::run::graph_step::{GraphStep, graph_step, is_budget_over};
use crate::run::{GraphLimits, ReachedLimit, RunGraph, templates::agent_of};
use nexus_text::shorten::counted;

impl<'w> Decider<'w, '_, '_> {
    /// A run that follows this template, to be opened by [`Self::open_graph`]; `None` without one.
    pub(super) fn graph_run(
        &self,
        session: &Session,
        template: Option<&GraphTemplate>,
        overrides: &MessageOverrides,
    ) -> Decision<Option<Run>> {
        let Some(template) = template else { return Ok(None) };
        template.check().map_err(Rejection::BadGraph)?;
        let entries: Vec<NodeId> = template.entries().into_iter().map(|node| node.key.clone()).collect();
        let mut nodes = Vec::new();
        for (place, spec) in (0..).zip(&template.nodes) {
            let mut node = self.node_of(session, spec, place).map_err(Rejection::BadGraph)?;
            if entries.contains(&node.id) {
                node.status = NodeStatus::Ready;
            }
            node.config = overrides.config.clone();
            node.tools = overrides.tools.clone().map(Box::new);
            nodes.push(node);
        }
        let asking = nodes.iter().filter(|node| !node.calls_no_model());
        let agents = asking.filter_map(|node| node.agent.clone()).collect();
        self.ensure_model_allowed(session, &Target::Agents(agents), overrides.config.as_ref())?;
        Ok(Some(Run {
            mode: template.mode,
            nodes,
            edges: template.edges.clone(),
            graph: Some(Box::new(RunGraph {
                name: template.name.clone(),
                completion: template.completion,
                entries,
                ..RunGraph::default()
            })),
            // A template can only lower the limits of the settings.
            caps: self.caps().within(&template.limits),
            ..Run::default()
        }))
    }

    fn node_of(&self, session: &Session, spec: &NodeSpec, place: u32) -> Result<Node, GraphError> {
        let agent = agent_of(self.world, spec)?;
        let usual = agent.as_ref().and_then(|key| self.world.agent(key));
        let usual = usual.map(|agent| self.world.flags(session, agent).priority);
        Ok(Node {
            agent,
            priority: spec.priority.or(usual).unwrap_or_default(),
            instruction: spec.instruction.clone(),
            join: spec.join,
            max_turns: spec.most_turns(),
            // `max_turns` already contains the limit of turns.
            limits: GraphLimits { turns: None, ..spec.limits },
            takes: spec.takes.clone(),
            terminal: spec.terminal.clone().map(Box::new),
            checks: spec.checks.clone(),
            writes: spec.writes.clone(),
            ..Node::new(spec.key.clone(), spec.kind.clone(), place)
        })
    }

    /// A run with the graph of another one, to be opened by [`Self::open_graph`]. Added nodes stay.
    pub(super) fn graph_run_again(run: &Run) -> Option<Run> {
        let graph = run.graph.as_ref()?;
        let node = |node: &Node| Node {
            status: if graph.entries.contains(&node.id) { NodeStatus::Ready } else { NodeStatus::Idle },
            turn: None,
            provider_session: None,
            workspace: None,
            inbox: Vec::new(),
            taken: Vec::new(),
            continues: None,
            last_output: None,
            turns: 0,
            used: RunUsage::default(),
            since: None,
            ..node.clone()
        };
        Some(Run {
            mode: run.mode,
            nodes: run.nodes.iter().map(node).collect(),
            edges: run.edges.clone(),
            graph: Some(Box::new(RunGraph {
                finished: None,
                question: None,
                since: None,
                ticks: 0,
                ..graph.as_ref().clone()
            })),
            caps: run.caps,
            ..Run::default()
        })
    }

    pub(super) fn open_graph(
        &mut self,
        session: &Session,
        cause: RunCause,
        messages: &[MessageId],
        graph: Run,
    ) {
        let run = Run {
            id: RunId::new(self.env.ids),
            session: session.id,
            cause,
            messages: messages.to_vec(),
            round_mind: session.mind,
            opened_at: self.now(),
            ..graph
        };
        self.begin_run(session.id, run);
    }

    /// Opens a run that continues an ended one: finished nodes and inboxes stay, and these nodes are READY.
    pub(super) fn reopen_graph(
        &mut self,
        session: &Session,
        ended: &Run,
        cause: RunCause,
        ready: &[NodeId],
        change: impl Fn(&mut Node),
    ) -> Decision {
        let mut nodes = ended.nodes.clone();
        for node in &mut nodes {
            if ready.contains(&node.id) {
                node.status = NodeStatus::Ready;
                node.max_turns = node.max_turns.max(node.turns.saturating_add(1));
                change(node);
            } else if node.kind == "verifier" {
                // If it stayed passed, it would end the run before the node has its turn.
                node.status = NodeStatus::Idle;
            }
        }
        let again = Self::graph_run_again(ended).ok_or(Rejection::NoGraph)?;
        // The limits of its template, which may be lower, still hold.
        let caps = self.caps().within(&ended.caps.as_options());
        self.open_graph(session, cause, &ended.messages, Run { nodes, caps, ..again });
        Ok(())
    }

    /// The nodes that an ended run continues with: those that failed, were stopped, or never began.
    pub(super) fn open_nodes(run: &Run) -> Vec<NodeId> {
        let entries = run.graph.as_ref().map(|graph| graph.entries.as_slice()).unwrap_or_default();
        let is_open = |node: &&Node| match node.status {
            NodeStatus::Error => true,
            NodeStatus::Idle => node.turn.is_none() && entries.contains(&node.id),
            NodeStatus::Ready | NodeStatus::Running | NodeStatus::Blocked | NodeStatus::Done => false,
        };
        run.nodes.iter().filter(is_open).map(|node| node.id.clone()).collect()
    }

    /// Takes the next step of a graph: makes nodes READY, asks the orchestrator, pauses or ends the run.
    pub(super) fn advance_graph(&mut self, run: &Run) -> Decision {
        let session = self.session(run.session)?;
        if is_budget_over(run) {
            return self.end_with_budget(session, run);
        }
        if self.world.open_turn(session).is_some() {
            return Err(Rejection::Stale);
        }
        match graph_step(run).ok_or(Rejection::Stale)? {
            GraphStep::Ready(places) => {
                for node in places.into_iter().filter_map(|at| run.nodes.get(at)) {
                    self.change_node(run, &node.id, NodeStatus::Ready);
                }
            }
            GraphStep::Tick(at) => {
                if let Some(node) = run.nodes.get(at) {
                    let envelope = tick(run, node);
                    self.send_to(run, &node.id, envelope);
                    self.change_node(run, &node.id, NodeStatus::Ready);
                }
            }
            GraphStep::Pause(cause) => self.pause(run, cause),
            GraphStep::End(status) => self.end_with(run, status),
        }
        Ok(())
    }

    pub(super) fn change_graph(&mut self, run: &Run, change: GraphChange) {
        self.note_run(run, EventKind::GraphChanged { change });
    }

    fn send_to(&mut self, run: &Run, to: &NodeId, envelope: Envelope) {
        self.change_graph(run, GraphChange::Sent { to: to.clone(), envelope });
    }

    pub(super) fn set_run_mode(&mut self, id: RunId, mode: RunMode) -> Decision {
        let run = self.open_graph_run(id)?;
        if run.mode != mode {
            self.change_graph(run, GraphChange::Mode(mode));
        }
        // A run that only waited for the operator continues.
        if matches!(run.pause, Some(PauseCause::YourTurn { .. })) {
            self.resume(run, self.session(run.session)?)?;
        }
        Ok(())
    }

    pub(super) fn set_completion(&mut self, id: RunId, completion: Completion) -> Decision {
        let run = self.open_graph_run(id)?;
        completion.fits(run.nodes.iter().map(|node| node.kind.as_str())).map_err(Rejection::BadGraph)?;
        if run.graph.as_ref().is_some_and(|graph| graph.completion != completion) {
            self.change_graph(run, GraphChange::Completion(completion));
        }
        Ok(())
    }

    pub(super) fn open_graph_run(&self, id: RunId) -> Decision<&'w Run> {
        let run = self.run(id)?;
        match (&run.graph, run.status.is_open()) {
            (None, _) => Err(Rejection::NoGraph),
            (Some(_), false) => Err(Rejection::Stale),
            (Some(_), true) => Ok(run),
        }
    }

    pub(super) fn start_node(&mut self, id: RunId, node: &NodeId, text: &str) -> Decision {
        let run = self.open_graph_run(id)?;
        let row = run.node(node).ok_or(Rejection::Stale)?;
        let works = row.status.is_busy();
        if works && text.trim().is_empty() {
            return Err(Rejection::TurnWorks);
        }
        if !text.trim().is_empty() {
            let envelope = Envelope::text(kinds::OPERATOR, OPERATOR_NODE.into(), None, text.trim());
            self.send_to(run, node, envelope);
        }
        // Starting a node never raises a budget. After an interruption the whole run resumes, else only this node.
        let is_answer = run.pause.as_ref().is_some_and(|cause| !cause.is_budget());
        if run.status == RunStatus::Paused && is_answer {
            let session = self.session(run.session)?;
            if run.pause == Some(PauseCause::Interrupted) {
                self.resume_run(run, session)?;
            } else {
                self.resume(run, session)?;
                self.raise_nodes(run);
                self.resume_workers(session)?;
            }
        }
        if !works {
            self.change_node(run, node, NodeStatus::Ready);
        }
        Ok(())
    }

    /// Makes the nodes READY that a paused run of a graph continues with.
    pub(super) fn resume_graph(&mut self, run: &Run) {
        let again = |node: &&Node| match &run.pause {
            Some(PauseCause::NodeFailed { .. }) => node.has_failed(run),
            Some(PauseCause::NoRoute { node: stuck, .. }) => node.id == *stuck,
            Some(PauseCause::YourTurn { nodes }) => nodes.contains(&node.id),
            Some(PauseCause::NotDone { .. }) => {
                run.graph.as_ref().is_some_and(|graph| graph.entries.contains(&node.id))
                    && !node.status.is_busy()
            }
            // Checks have no turn that could be marked as interrupted.
            Some(PauseCause::Interrupted) => node.calls_no_model() && node.status == NodeStatus::Error,
            Some(_) | None => false,
        };
        for node in run.nodes.iter().filter(again) {
            if let Some(PauseCause::NoRoute { evidence, .. }) = &run.pause {
                let text = format!("Your last turn led nowhere. {evidence} Make up for it now.");
                self.send_to(run, &node.id, Envelope::text(kinds::HANDOFF, RUN_NODE.into(), None, text));
            }
            self.change_node(run, &node.id, NodeStatus::Ready);
        }
        self.raise_nodes(run);
    }

    /// Raises the exhausted limits of the node that the run waits for, and those at which it would pause again at once.
    fn raise_nodes(&mut self, run: &Run) {
        let mut resumed = Run { status: RunStatus::Running, ..run.clone() };
        if let Some(graph) = &mut resumed.graph {
            graph.ticks = 0;
        }
        let pause_of = |run: &Run| match graph_step(run) {
            Some(GraphStep::Pause(cause)) => Some(cause),
            Some(GraphStep::Ready(_) | GraphStep::Tick(_) | GraphStep::End(_)) | None => None,
        };
        let is_loop = matches!(run.pause, Some(PauseCause::Loop { .. }));
        let mut pause = if is_loop { pause_of(&resumed) } else { run.pause.clone() };
        while let Some(PauseCause::NodeLimit { node, .. }) = pause {
            let Some(row) = resumed.nodes.iter_mut().find(|row| row.id == node) else { return };
            let limits = row.limits.raised(&row.used_at(self.now()));
            if limits != row.limits {
                self.change_graph(run, GraphChange::LimitsRaised { node: node.clone(), limits });
            }
            if row.max_turns > 0 && row.turns >= row.max_turns {
                row.max_turns = row.turns.saturating_add(NODE_TURNS);
                self.change_graph(run, GraphChange::TurnsAllowed { node, most: row.max_turns });
            }
            pause = pause_of(&resumed);
        }
    }

    /// The limit that the working or next node has reached.
    pub(super) fn over_node_limit(&self, run: &Run) -> Option<PauseCause> {
        let node = run.active_node().filter(|_| run.graph.is_some())?;
        let cause = node.limits.reached(&node.used_at(self.now()), false)?;
        let evidence = if let PauseCause::TurnCap(at) = cause {
            format!("It has had {}, its limit.", counted(at.used, "turn", "turns"))
        } else if let PauseCause::CallCap(at) = cause {
            format!("It has made {}, its limit.", counted(at.used, "model call", "model calls"))
        } else if let PauseCause::ToolCap(at) = cause {
            format!("It has made {}, its limit.", counted(at.used, "tool call", "tool calls"))
        } else if let PauseCause::TokenCap(ReachedLimit { used: tokens, .. }) = cause {
            format!("It has reached its limit of tokens: {tokens}.")
        } else if let PauseCause::CostCap(at) = cause {
            let cents = Cost(at.used).cents();
            let dollars = format!("{}.{:02}", cents / 100, cents % 100);
            format!("It has cost an estimated {dollars} US dollars, its limit.")
        } else if let PauseCause::TimeCap(at) = cause {
            format!("It has worked {}, its limit.", counted(at.used, "minute", "minutes"))
        } else {
            return Some(cause);
        };
        Some(PauseCause::NodeLimit { node: node.id.clone(), evidence })
    }

    /// Ends a run that was to end with its budget. What its open turn did stays.
    fn end_with_budget(&mut self, session: &Session, run: &Run) -> Decision {
        self.stop_workers(session);
        if let Some(turn) = self.world.open_turn(session) {
            self.close_open_turn(session, turn, TurnEnd::TimedOut);
        }
        self.end_with(run, RunStatus::Completed);
        Ok(())
    }

    /// The envelopes for a node's next turn: those of its last turn, if that failed, and its inbox.
    pub(super) fn inbox_of(&self, node: &Node) -> Vec<Envelope> {
        let last = node.turn.as_ref().and_then(|turn| self.world.turn(turn));
        let lost = last.filter(|turn| turn.phase == crate::turn::TurnPhase::Failed);
        lost.iter().flat_map(|turn| &turn.inbox).chain(&node.inbox).cloned().collect()
    }

    /// Does what an orchestrator requests by a tool. Both the result and the error are for the model.
    pub(super) fn serve_orchestrator(
        &mut self,
        turn: &Turn,
        request: &GraphRequest,
    ) -> Result<Value, String> {
        let (Some(run), Some(me)) = (self.graph_of(turn), &turn.node) else {
            return Err("This run follows no graph.".to_owned());
        };
        let find_node = |key: &NodeId| match run.node(key) {
            Some(node) => Ok(node),
            None => {
                let all: Vec<_> = run.nodes.iter().map(|node| node.id.as_str()).collect();
                Err(format!("There is no node {key}. There are: {}.", all.join(", ")))
            }
        };
        match request {
            GraphRequest::HandOff { to, message } => {
                if find_node(to)?.id == *me {
                    return Err("Hand off to another node than yourself.".to_owned());
                }
                let envelope = Envelope::text(kinds::HANDOFF, me.clone(), Some(turn.id), message.trim());
                self.send_to(run, to, envelope);
                let note = match run.mode {
                    RunMode::Auto => format!("{to} runs when your turn has ended."),
                    RunMode::Interactive => format!("{to} runs when the operator starts it."),
                };
                Ok(json!({ "ok": true, "note": note }))
            }
            GraphRequest::AddNode { key, kind, instruction } => {
                self.add_node(run, turn, (key, kind, instruction))?;
                Ok(json!({ "ok": true, "node": key }))
            }
            GraphRequest::AddEdge { from, to, status } => {
                let (from, to) = (find_node(from)?, find_node(to)?);
                let port = port_between(from, to)?;
                let when = status.clone().map(EdgeCondition::Status);
                let edge = Edge { from: from.id.clone(), to: to.id.clone(), when, port };
                if run.edges.contains(&edge) {
                    return Err("There is such an edge already.".to_owned());
                }
                if run.edges.len() >= GRAPH_EDGES {
                    return Err(format!("A graph has at most {GRAPH_EDGES} edges."));
                }
                self.change_graph(run, GraphChange::EdgeAdded(edge));
                Ok(json!({ "ok": true }))
            }
            GraphRequest::AskOperator { question } => {
                let question = question.trim().to_owned();
                self.change_graph(run, GraphChange::Asked { node: me.clone(), question });
                let note = "End your turn now. The answer comes as an envelope of the operator.";
                Ok(json!({ "ok": true, "note": note }))
            }
            GraphRequest::Finish { summary } => {
                self.change_graph(run, GraphChange::Finished { summary: summary.trim().to_owned() });
                Ok(json!({ "ok": true, "note": "The run ends with your turn." }))
            }
        }
    }

    fn add_node(
        &mut self,
        run: &Run,
        turn: &Turn,
        (key, kind, instruction): (&NodeId, &str, &str),
    ) -> Result<(), String> {
        if check_key(key.as_str()).is_err() || run.node(key).is_some() {
            return Err(format!(
                "{key} cannot be the node's name: it is taken, or has other signs than small letters, digits, - and _."
            ));
        }
        if run.nodes.len() >= GRAPH_NODES {
            return Err(format!("A graph has at most {GRAPH_NODES} nodes."));
        }
        let fits = kind == "docs" || kind == "verifier" || kind.starts_with("agent.");
        let spec =
            NodeSpec { instruction: instruction.trim().to_owned(), ..NodeSpec::new(key.clone(), kind) };
        let session = self.session(turn.session).map_err(|_| "The session is gone.".to_owned())?;
        let place = u32::try_from(run.nodes.len()).unwrap_or(u32::MAX);
        let node = self.node_of(session, &spec, place).ok().filter(|_| fits).ok_or_else(|| {
            let names: Vec<_> =
                self.world.roster().iter().map(|agent| format!("agent.{}", agent.key)).collect();
            format!("There is no {kind}. There are: docs, verifier, {}.", names.join(", "))
        })?;
        // The operator's permissions for a message hold in all of its run.
        let tools = turn.node.as_ref().and_then(|me| run.node(me)?.tools.clone());
        self.change_graph(run, GraphChange::NodeAdded(Box::new(Node { tools, ..node })));
        Ok(())
    }
}

/// The port of an edge between two nodes: text if the second one takes that, else the first port that it takes and the
/// first node gives.
fn port_between(from: &Node, to: &Node) -> Result<Port, String> {
    if to.takes.is_empty() || to.takes.contains(&Port::Text) {
        return Ok(Port::Text);
    }
    let kind = NodeKind::read(&from.kind);
    let gives = |port: &&Port| kind.as_ref().is_none_or(|kind| kind.gives(**port));
    to.takes.iter().find(gives).copied().ok_or_else(|| {
        let takes: Vec<&str> = to.takes.iter().map(|port| port.name()).collect();
        format!("{} takes {}, which {} does not put out.", to.id, takes.join(" or "), from.id)
    })
}

/// The changes since the orchestrator was last asked: the output and status of each node.
fn tick(run: &Run, orchestrator: &Node) -> Envelope {
    let others = run.nodes.iter().filter(|node| node.id != orchestrator.id);
    let after = |node: &Node| {
        let turn = node.last_output.as_ref().and_then(|output| output.turn_id);
        turn.is_none() || turn > orchestrator.turn
    };
    let nodes: Vec<Value> = others
        .filter(|node| node.turns > 0 && after(node))
        .map(|node| {
            let output = node.last_output.as_ref();
            let (text, status) = (output.map(|it| &it.summary), output.map(|it| &it.status));
            json!({ "node": node.id, "status": status, "summary": text })
        })
        .collect();
    let summary = if nodes.is_empty() {
        "Nothing has changed since your last turn. Start a node, ask the operator, or finish the run."
    } else {
        "Everything is idle. Decide what comes next, or finish the run."
    };
    let structured = json!({ "changed": nodes, "artifacts": run.artifacts });
    Envelope { structured, ..Envelope::text(kinds::TICK, RUN_NODE.into(), None, summary) }
}
