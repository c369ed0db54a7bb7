//! Decides approval of tool runs: asks the operator and applies the answer.
//!
//! An approved call goes back to the tool executor; a denial is returned to the model.

use serde_json::Value;

use super::{Decider, Rejection};
use crate::command::ApprovalAnswer;
use crate::event::EventKind;
use crate::id::ToolRunId;
use crate::llm::ToolSpec;
use crate::mind::MindWrite;
use crate::run::NodeStatus;
use crate::tool::{ToolRun, ToolStatus, argument_errors};
use crate::turn::Turn;
use nexus_text::json;

impl<'w> Decider<'w, '_, '_> {
    /// A tool run has to be allowed: it waits, and its node with it.
    pub(super) fn ask_approval(&mut self, id: ToolRunId, proposed: &[MindWrite]) -> Result<(), Rejection> {
        let (run, turn) = self.open_tool_run(id)?;
        if run.status != ToolStatus::Requested {
            return Err(Rejection::Stale);
        }
        let what = EventKind::ApprovalAsked { tool_run: id, proposed: proposed.to_vec() };
        self.note(run.session, run.run, Some(turn.id), what);
        self.move_node(turn, NodeStatus::Running, NodeStatus::Blocked);
        Ok(())
    }

    pub(super) fn answer_approval(
        &mut self,
        id: ToolRunId,
        answer: &ApprovalAnswer,
    ) -> Result<(), Rejection> {
        let (run, turn) = self.open_tool_run(id)?;
        if run.status != ToolStatus::AwaitingApproval {
            return Err(Rejection::Stale);
        }
        let (args, reason) = match answer {
            ApprovalAnswer::Approve { args, .. } => {
                // Arguments that were not touched are the model's own, and stay marked as such.
                let args = args.clone().filter(|args| !is_same(args, run));
                if let Some(args) = &args {
                    self.check_arguments(run, turn, args)?;
                }
                (args, None)
            }
            ApprovalAnswer::Deny { reason } => {
                (None, Some(reason.trim().to_owned()).filter(|reason| !reason.is_empty()))
            }
        };
        let allowed = matches!(answer, ApprovalAnswer::Approve { .. });
        let asks = |other: &ToolRun| other.id != id && other.status == ToolStatus::AwaitingApproval;
        if !self.world.tool_runs_of(turn).any(|other| asks(other)) {
            self.move_node(turn, NodeStatus::Blocked, NodeStatus::Running);
        }
        let what = EventKind::ApprovalGiven { tool_run: id, allowed, args, reason: reason.clone() };
        self.note(run.session, run.run, Some(turn.id), what);
        if let ApprovalAnswer::Approve { always: true, .. } = answer
            && let Some(agent) = self.world.agent(&run.agent)
        {
            let mut agent = agent.as_ref().clone();
            agent.permissions.always(&run.call.name);
            self.app(EventKind::AgentChanged { agent });
        }
        if !allowed {
            let session = self.session(run.session)?;
            let words = match reason {
                Some(reason) => format!("The operator did not allow this: {reason}"),
                None => "The operator did not allow this.".to_owned(),
            };
            self.end_tool_unmerged(session, run, ToolStatus::Denied, &words);
            self.go_on_after_tool(session, turn, id);
        }
        Ok(())
    }

    fn move_node(&mut self, turn: &Turn, from: NodeStatus, to: NodeStatus) {
        let Some((run, node)) = self.world.run_of(turn).zip(turn.node.as_ref()) else { return };
        if run.node(node).is_some_and(|node| node.status == from) {
            self.change_node(run, node, to);
        }
    }

    /// Arguments that the operator wrote must fit the tool as the model was told of it.
    fn check_arguments(&self, run: &ToolRun, turn: &Turn, args: &Value) -> Result<(), Rejection> {
        let specs = turn.calls.last().and_then(|call| self.world.blob(&call.recipe.tools));
        let specs: Vec<ToolSpec> = specs.and_then(|specs| json::read(specs).ok()).unwrap_or_default();
        let found = match specs.iter().find(|spec| spec.name == run.call.name) {
            Some(spec) => argument_errors(&spec.parameters, args),
            None => Vec::new(),
        };
        if found.is_empty() && args.is_object() { Ok(()) } else { Err(Rejection::BadArguments { found }) }
    }
}

fn is_same(args: &Value, run: &ToolRun) -> bool {
    match &run.call.args {
        crate::message::content::ToolArgs::Parsed(asked) => asked == args,
        crate::message::content::ToolArgs::Broken(_) => false,
    }
}
