//! Decides tool runs: asks the operator, records results, merges their writes into the mind, and resumes the turn.

use serde_json::json;

use super::Decider;
use crate::command::{ApprovalAnswer, ToolOutcome};
use crate::decide::run;
use crate::llm::ToolSpec;
use crate::mind::resolve;
use crate::mind::sandbox::{Sandbox, VisibleMind};
use crate::prelude::*;
use crate::run::Verdict;
use crate::tool::argument_errors;
use nexus_text::diff;

/// The maximum number of lines changed by others that a result contains.
const REPORTED_LINES: usize = 60;

struct ToolRunResult {
    status: ToolStatus,
    result: Value,
    edits: Vec<MindEdit>,
    verdict: Option<(bool, String)>,
}

impl ToolRunResult {
    fn of(done: Result<Value, String>) -> Self {
        match done {
            Ok(result) => Self { status: ToolStatus::Succeeded, result, edits: Vec::new(), verdict: None },
            Err(error) => Self::failed(ToolStatus::Failed, &error),
        }
    }

    fn failed(status: ToolStatus, message: &str) -> Self {
        Self { status, result: json!({ "error": message }), edits: Vec::new(), verdict: None }
    }
}

impl<'w> Decider<'w, '_, '_> {
    fn open_tool_run(&self, id: ToolRunId) -> Decision<(&'w ToolRun, &'w Turn)> {
        let run = self.world.tool_run(&id).ok_or(Rejection::NoSuchToolRun)?;
        let turn = self.world.turn(&run.turn).ok_or(Rejection::NoSuchTurn)?;
        if run.status.is_open() && turn.phase == TurnPhase::AwaitingToolResult {
            Ok((run, turn))
        } else {
            Err(Rejection::Stale)
        }
    }

    pub(super) fn start_tool(&mut self, id: ToolRunId) -> Decision {
        let (run, turn) = self.open_tool_run(id)?;
        if run.status != ToolStatus::Requested {
            return Err(Rejection::Stale);
        }
        self.note(run.session, run.run, Some(turn.id), EventKind::ToolStarted { tool_run: id });
        Ok(())
    }

    pub(super) fn record_tool(&mut self, id: ToolRunId, outcome: &ToolOutcome) -> Decision {
        let (run, turn) = self.open_tool_run(id)?;
        let session = self.session(run.session)?;
        let current = self.world.working_mind(session).cloned().unwrap_or_default();
        let shown = self.world.mind(&turn.mind_shown).cloned().unwrap_or_else(|| current.clone());
        let mut ended = match outcome {
            ToolOutcome::Delegate(task) => ToolRunResult::of(self.send_worker(session, run, turn, task)),
            ToolOutcome::Graph(request) => ToolRunResult::of(self.serve_orchestrator(turn, request)),
            ToolOutcome::Done { result, writes, verdict } => {
                merge_writes(result, writes, verdict.as_ref(), &current, &shown)
            }
            ToolOutcome::Failed { message } => ToolRunResult::failed(ToolStatus::Failed, message),
            ToolOutcome::Denied { message } => ToolRunResult::failed(ToolStatus::Denied, message),
            ToolOutcome::TimedOut => {
                ToolRunResult::failed(ToolStatus::TimedOut, "The tool took too long and was stopped.")
            }
        };
        self.tell_changes(session, run, turn, &mut ended);
        if let (Some(args), Value::Object(result)) = (run.edited_args(), &mut ended.result) {
            result.insert("arguments_changed_by_operator".to_owned(), args.clone());
        }
        let touched = changes_between(&current, &current.with(&ended.edits));
        self.end_tool(session, run, ended, touched, turn.round);
        self.continue_after_tool(session, turn, id);
        Ok(())
    }

    /// True if this is the last open tool run of the answer.
    fn is_last_tool(&self, turn: &Turn, id: ToolRunId) -> bool {
        !self.world.tool_runs_of(turn).any(|other| other.id != id && other.status.is_open())
    }

    /// Adds what others changed since the agent saw the mind to the last result of its answer.
    fn tell_changes(&self, session: &Session, run: &ToolRun, turn: &Turn, ended: &mut ToolRunResult) {
        let minds = self.world.mind(&turn.mind_shown).zip(self.world.working_mind(session));
        let Some((shown, current)) = minds.filter(|_| self.is_last_tool(turn, run.id)) else { return };
        let sandbox = self.world.agent(&run.agent).map_or_else(Sandbox::closed, |agent| {
            EffectivePermissions::of(self.world, session, agent).sandbox()
        });
        let changes =
            changes_by_others(&VisibleMind::new(shown, &sandbox), &VisibleMind::new(current, &sandbox));
        if let (false, Value::Object(result)) = (changes.is_empty(), &mut ended.result) {
            result.insert("changed_by_others".to_owned(), Value::String(changes));
        }
    }

    /// Requests the next call if this was the last open tool run of the answer.
    fn continue_after_tool(&mut self, session: &Session, turn: &Turn, id: ToolRunId) {
        if !self.is_last_tool(turn, id) {
            return;
        }
        let repeated = run::repeated_call(self.world, turn).map(|evidence| PauseCause::Loop { evidence });
        if !self.pauses_before_call(turn, repeated) {
            self.ask_for_context(session, turn);
        }
    }

    /// Pauses the run of a turn if the operator must be asked before its next call.
    pub(super) fn pauses_before_call(&mut self, turn: &Turn, cause: Option<PauseCause>) -> bool {
        let Some(run) = self.world.run_of(turn) else { return false };
        let cause = cause.or_else(|| self.pause_before_call(run));
        let pauses = cause.is_some();
        if let Some(cause) = cause {
            self.pause(run, cause);
        }
        pauses
    }

    /// Ends a tool run without changing the mind or making another call.
    pub(super) fn end_tool_unmerged(
        &mut self,
        session: &Session,
        run: &ToolRun,
        status: ToolStatus,
        message: &str,
    ) {
        self.end_tool(session, run, ToolRunResult::failed(status, message), Vec::new(), 0);
    }

    fn end_tool(
        &mut self,
        session: &Session,
        run: &ToolRun,
        ended: ToolRunResult,
        touched: Vec<FileChange>,
        round: u32,
    ) {
        let message = Arc::new(self.tool_message(session, run, &ended));
        let verdict = ended.verdict.map(|(accepted, reasons)| Verdict {
            agent: run.agent.clone(),
            accepted,
            reasons,
            round,
        });
        let what = EventKind::ToolEnded {
            tool_run: run.id,
            status: ended.status,
            message,
            edits: ended.edits,
            touched,
            verdict,
        };
        self.note(session.id, run.run, Some(run.turn), what);
    }

    fn tool_message(&mut self, session: &Session, run: &ToolRun, ended: &ToolRunResult) -> Message {
        let answer = ToolResult {
            call_id: run.call.id.clone(),
            name: run.call.name.clone(),
            result: ended.result.clone(),
            is_error: ended.status != ToolStatus::Succeeded,
        };
        let mut message = self.message(session, Role::Tool, None, vec![PartBody::ToolResult(answer).into()]);
        message.status = MessageStatus::Completed;
        message.tool_call_id = Some(run.call.id.clone());
        message.agent = Some(run.agent.clone());
        message.run = run.run;
        message.turn = Some(run.turn);
        message.metadata.tool_run_ids.push(run.id);
        message
    }
}

fn merge_writes(
    result: &Value,
    writes: &[MindWrite],
    verdict: Option<&(bool, String)>,
    current: &Mind,
    shown: &Mind,
) -> ToolRunResult {
    match resolve(current, shown, writes) {
        Ok(edits) => {
            let mut result = result.clone();
            if let (false, true, Value::Object(result)) = (writes.is_empty(), edits.is_empty(), &mut result) {
                result.insert("note".to_owned(), "nothing changed: it was like this already".into());
            }
            ToolRunResult { status: ToolStatus::Succeeded, result, edits, verdict: verdict.cloned() }
        }
        Err(error) => {
            let result = write_error_result(&error, writes);
            ToolRunResult { result, ..ToolRunResult::failed(ToolStatus::Failed, "") }
        }
    }
}

/// The result of a write that failed, with what the model needs to do better.
fn write_error_result(error: &WriteError, writes: &[MindWrite]) -> Value {
    let text = match error {
        WriteError::Conflict { field, .. } => format!(
            "Nothing was written: somebody else changed the same lines of {field} since you last saw it. \
             Read the current text and write again what is still needed."
        ),
        WriteError::NoSuchFile { name } => format!("There is no file named {name}."),
        WriteError::NameTaken { name } => format!("There is a file named {name} already."),
        WriteError::NotFound { name } => format!(
            "The search text does not occur in {name}. It must match exactly, spaces and line breaks included. \
             Read the file and try again."
        ),
        WriteError::Ambiguous { name, times } => format!(
            "The search text occurs {times} times in {name}. Make it longer so that it occurs once, or set `all`."
        ),
        WriteError::IsImage { name } => {
            format!("{name} is an image. Delete it first, or choose another name.")
        }
        WriteError::BadImage { name } => {
            format!("{name} would be an image, and its data URL is damaged or too long.")
        }
        WriteError::ImagesFull => "The images of the session take too much room already.".to_owned(),
        WriteError::BadName { name } => format!(
            "“{name}” cannot be a file name. Use a relative name such as src/app.js, without .. or backslashes."
        ),
    };
    if let WriteError::Conflict { field, current, .. } = error {
        json!({ "error": text, "field": field, "current": current })
    } else if let WriteError::BadName { .. } = error {
        json!({ "error": text, "writes": writes.len() })
    } else {
        json!({ "error": text })
    }
}

/// A short diff of what others changed since the agent last saw the mind; empty if it may see none of it.
fn changes_by_others(shown: &VisibleMind, current: &VisibleMind) -> String {
    let mut text = String::new();
    for touched in changes_between(shown, current) {
        let pick = |mind: &VisibleMind| match (touched.is_file, touched.field.as_str()) {
            (true, name) => mind.file(name).unwrap_or("").to_owned(),
            (false, "objective") => mind.objective.clone(),
            (false, _) => mind.scratchpad.clone(),
        };
        let lines = diff::brief(&pick(shown), &pick(current), REPORTED_LINES);
        text.push_str(&format!("{}:\n{lines}", touched.field));
    }
    text
}

impl<'w> Decider<'w, '_, '_> {
    /// Asks the operator to allow a tool run. Its node is BLOCKED meanwhile.
    pub(super) fn ask_approval(&mut self, id: ToolRunId, proposed: &[MindWrite]) -> Decision {
        let (run, turn) = self.open_tool_run(id)?;
        if run.status != ToolStatus::Requested {
            return Err(Rejection::Stale);
        }
        let what = EventKind::ApprovalAsked { tool_run: id, proposed: proposed.to_vec() };
        self.note(run.session, run.run, Some(turn.id), what);
        self.move_node(turn, NodeStatus::Running, NodeStatus::Blocked);
        Ok(())
    }

    pub(super) fn answer_approval(&mut self, id: ToolRunId, answer: &ApprovalAnswer) -> Decision {
        let (run, turn) = self.open_tool_run(id)?;
        if run.status != ToolStatus::AwaitingApproval {
            return Err(Rejection::Stale);
        }
        let (args, reason) = match answer {
            ApprovalAnswer::Approve { args, .. } => {
                // Unchanged arguments are the model's own, and stay marked as such.
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
            self.note_app(EventKind::AgentChanged { agent });
        }
        if !allowed {
            let session = self.session(run.session)?;
            let message = match reason {
                Some(reason) => format!("The operator did not allow this: {reason}"),
                None => "The operator did not allow this.".to_owned(),
            };
            let mut ended = ToolRunResult::failed(ToolStatus::Denied, &message);
            self.tell_changes(session, run, turn, &mut ended);
            self.end_tool(session, run, ended, Vec::new(), 0);
            self.continue_after_tool(session, turn, id);
        }
        Ok(())
    }

    fn move_node(&mut self, turn: &Turn, from: NodeStatus, to: NodeStatus) {
        let Some((run, node)) = self.world.run_of(turn).zip(turn.node.as_ref()) else { return };
        if run.node(node).is_some_and(|node| node.status == from) {
            self.change_node(run, node, to);
        }
    }

    /// Checks the operator's arguments against the tool's schema as the model received it.
    fn check_arguments(&self, run: &ToolRun, turn: &Turn, args: &Value) -> Decision {
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
    matches!(&run.call.args, ToolArgs::Parsed(original) if original == args)
}
