//! Decides the turns of verifiers and terminals, which call no model, and stores the results of graph turns.

use super::Decider;
use crate::command::CheckResult;
use crate::limits::PATCH_BYTES;
use crate::prelude::*;
use crate::run::context_pack::context_pack;
use crate::run::terminal::{TerminalTurn, session_in};
use nexus_text::compare::patch;

impl Decider<'_, '_, '_> {
    pub(super) fn bind_terminal(
        &mut self,
        id: RunId,
        node: &NodeId,
        terminal: Option<&TerminalSpec>,
    ) -> Decision {
        let run = self.open_graph_run(id)?;
        let row = run.node(node).ok_or(Rejection::Stale)?;
        if row.status.is_at_work() {
            return Err(Rejection::TurnWorks);
        }
        let can_do_without = row.agent.is_some() || row.kind == "verifier";
        if !terminal.map_or(can_do_without, |terminal| terminal.fits(&row.kind)) {
            return Err(Rejection::BadGraph(GraphError::BadTerminal(node.clone())));
        }
        if row.terminal.as_deref() != terminal {
            let (node, terminal) = (node.clone(), terminal.cloned().map(Box::new));
            self.change_graph(run, GraphChange::Terminal { node, terminal });
        }
        Ok(())
    }

    pub(super) fn record_checks(
        &mut self,
        id: RunId,
        node: &NodeId,
        check: u32,
        result: &CheckResult,
    ) -> Decision {
        let run = self.open_graph_run(id)?;
        let CheckResult { passed, summary, structured, log } = result;
        let row = run.node(node).ok_or(Rejection::Stale)?;
        if (row.status, row.turns) != (NodeStatus::Running, check) || !row.calls_no_model() {
            return Err(Rejection::Stale);
        }
        let artifacts = match row.terminal {
            None => self.keep_report(run, row, check, structured),
            Some(_) => self.keep_log(run, row, check, log),
        };
        let (status, word) = match passed {
            Some(true) => (NodeStatus::Done, "ok"),
            Some(false) => (NodeStatus::Done, "failed"),
            None => (NodeStatus::Error, "error"),
        };
        let output =
            Envelope { artifacts, structured: structured.clone(), ..self.result(node, word, summary) };
        self.end_node(run, node, status, Some(output));
        Ok(())
    }

    /// The output of a node that calls no model.
    fn result(&mut self, node: &NodeId, status: &str, summary: &str) -> Envelope {
        let turn = TurnId::new(self.env.ids);
        let status = status.to_owned();
        Envelope { status, ..Envelope::text(kinds::RESULT, node.clone(), Some(turn), summary) }
    }

    pub(super) fn request_checks(&mut self, run: &Run, node: &Node) {
        self.change_node(run, &node.id, NodeStatus::Running);
        let (node, check) = (node.id.clone(), node.turns.saturating_add(1));
        self.note_run(run, EventKind::ChecksRequested { node, check });
    }

    pub(super) fn request_terminal(&mut self, run: &Run, node: &Node, terminal: &TerminalSpec) {
        let session = self.world.session(&run.session);
        let mind = session.and_then(|session| self.world.working_mind(session)).cloned().unwrap_or_default();
        let goal: Vec<String> = run
            .messages
            .iter()
            .filter_map(|id| self.world.message(id))
            .map(|it| text_of(&it.parts))
            .collect();
        let provider = node.provider_session.as_deref();
        let continues = provider.is_some() && !terminal.resume.trim().is_empty();
        let inbox: Vec<Envelope> = node.taken.iter().chain(&node.inbox).cloned().collect();
        let turn = TerminalTurn {
            number: node.turns.saturating_add(1),
            command: terminal.command_of(provider),
            pack: context_pack(&goal.join("\n"), &mind, run, node, &inbox, continues),
            mark: MessageId::new(self.env.ids).to_string(),
        };
        self.change_node(run, &node.id, NodeStatus::Running);
        self.note_run(run, EventKind::TerminalRequested { node: node.id.clone(), turn });
    }

    /// Stores the output of a terminal turn, and the session that its program named.
    fn keep_log(&mut self, run: &Run, node: &Node, turn: u32, log: &str) -> Vec<Artifact> {
        if log.is_empty() {
            return Vec::new();
        }
        if let Some(session) =
            session_in(log).filter(|session| node.provider_session.as_ref() != Some(session))
        {
            let node = node.id.clone();
            self.change_graph(run, GraphChange::ProviderSession { node, session });
        }
        vec![self.keep(run, "log", format!("logs/{}/turn-{turn:03}.log", node.id), log.to_owned())]
    }

    fn keep_report(&mut self, run: &Run, node: &Node, turn: u32, report: &Value) -> Vec<Artifact> {
        if report.is_null() {
            return Vec::new();
        }
        let path = format!("reports/{}/turn-{turn:03}.json", node.id);
        vec![self.keep(run, "report", path, format!("{report:#}\n"))]
    }

    /// Stores the file changes of a graph turn as a patch.
    pub(super) fn keep_patch(&mut self, turn: &Turn, files: &[Artifact]) -> Option<Artifact> {
        let run = self.graph_of(turn)?;
        let node = run.node(turn.node.as_ref()?)?;
        let session = self.world.session(&turn.session)?;
        let (before, after) = self.world.mind(&turn.mind_before).zip(self.world.working_mind(session))?;
        let mut text = String::new();
        for file in files {
            let [old, new] = [before, after].map(|mind| mind.files.get(&file.path));
            if old.into_iter().chain(new).any(|file| file.image().is_some()) {
                continue;
            }
            let [old, new] = [old, new].map(|file| file.map(|file| &*file.text));
            let one = patch(&file.path, old, new);
            let most = PATCH_BYTES.saturating_sub(text.len());
            // A patch may contain text between its files.
            text.push_str(&if one.len() <= most {
                one
            } else {
                format!("{}: too large to show\n", file.path)
            });
        }
        let path = format!("artifacts/{}/turn-{:03}.patch", node.id, node.turns);
        (!text.is_empty()).then(|| self.keep(run, "diff", path, text))
    }

    fn keep(&mut self, run: &Run, kind: &str, path: String, text: String) -> Artifact {
        let hash = Some(ContentHash::of_text(&text));
        self.note_run(run, EventKind::ContentsKept { contents: vec![text] });
        Artifact { kind: kind.to_owned(), path, hash }
    }

    /// Ends running checks and terminal turns when a run is stopped or the page was closed.
    pub(super) fn drop_checks(&mut self, run: &Run) {
        let is_running = |node: &&Node| node.calls_no_model() && node.status == NodeStatus::Running;
        for node in run.nodes.iter().filter(is_running) {
            let text = match node.terminal {
                Some(_) => "The turn in the terminal was stopped before it ended.",
                None => "The checks were stopped before they ended.",
            };
            let output = self.result(&node.id, "interrupted", text);
            self.end_node(run, &node.id, NodeStatus::Error, Some(output));
        }
    }
}

#[cfg(test)]
mod tests;
