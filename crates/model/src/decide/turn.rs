//! Decides the steps of a turn: context, answer, failure, retries of its calls, and close.
//!
//! Records what services report and requests the next step. Never calls a model.

use super::Decider;
use crate::command::{FailedAttempt, RecordedAnswer};
use crate::context::forecast::cost_of;
use crate::event::{PartialMessage, StoredContent};
use crate::fold::node_status_of;
use crate::limits::TOOL_ROUNDS;
use crate::message::content::calls_of;
use crate::prelude::*;
use crate::provider::is_same_model;
use crate::run::ACCEPT_WORK;
use crate::session::workers::is_race;
use nexus_text::shorten::ellipsis;

/// The phases of a turn whose model was called and has not answered.
const IN_CALL: [TurnPhase; 2] = [TurnPhase::AwaitingLlmDecision, TurnPhase::GeneratingResponse];
/// The error of a tool run that the operator stopped.
const STOPPED: &str = "The operator stopped this before it ran to its end.";
/// The maximum number of characters in an envelope's summary.
const SUMMARY_CHARS: usize = 280;

impl<'w> Decider<'w, '_, '_> {
    /// The turn, if it is in one of these phases and this is its newest call.
    pub(super) fn turn_at(&self, id: TurnId, call: u32, phases: &[TurnPhase]) -> Decision<&'w Turn> {
        let turn = self.world.turn(&id).ok_or(Rejection::NoSuchTurn)?;
        let is_newest = turn.next_call().checked_sub(1) == Some(call);
        if phases.contains(&turn.phase) && is_newest { Ok(turn) } else { Err(Rejection::Stale) }
    }

    pub(super) fn offer_context(
        &mut self,
        id: TurnId,
        call: u32,
        recipe: &RequestSpec,
        contents: &[String],
    ) -> Decision {
        let turn = self.world.turn(&id).ok_or(Rejection::NoSuchTurn)?;
        if turn.phase != TurnPhase::BuildingContext || turn.next_call() != call {
            return Err(Rejection::Stale);
        }
        // The mind's text differs little from that of the previous call.
        let like = self.previous_request(turn).and_then(|recipe| recipe.mind_text.as_ref());
        let like = like.and_then(|hash| Some((hash, &**self.world.blob(hash)?)));
        let is_of_mind = |hash: &ContentHash| recipe.mind_text.as_ref() == Some(hash);
        let contents = contents
            .iter()
            .map(|text| (ContentHash::of_text(text), text))
            .filter(|(hash, _)| self.world.blob(hash).is_none())
            .map(|(hash, text)| StoredContent::new(text, like.filter(|_| is_of_mind(&hash))))
            .collect();
        self.note_turn(turn, EventKind::ContextBuilt { call, recipe: recipe.clone(), contents });
        self.note_turn(turn, EventKind::ModelRequested { call, attempt: 1 });
        Ok(())
    }

    /// The request of the previous call, of this turn or its parent.
    fn previous_request<'t>(&'t self, turn: &'t Turn) -> Option<&'t RequestSpec> {
        let newest = |turn: &'t Turn| turn.calls.last().map(|call| &call.recipe);
        newest(turn).or_else(|| newest(self.world.turn(&turn.parent?)?))
    }

    pub(super) fn begin_response(&mut self, id: TurnId, call: u32) -> Decision {
        let turn = self.turn_at(id, call, &[TurnPhase::AwaitingLlmDecision])?;
        self.note_turn(turn, EventKind::ResponseBegan { call });
        Ok(())
    }

    pub(super) fn record_answer(&mut self, id: TurnId, call: u32, answer: &RecordedAnswer) -> Decision {
        let turn = self.turn_at(id, call, &IN_CALL)?;
        let session = self.session(turn.session)?;
        let message = self.world.open_message(turn).ok_or(Rejection::Stale)?;
        let answered = EventKind::ModelAnswered {
            call,
            message: message.id,
            parts: answer.parts.clone(),
            usage: answer.usage.clone(),
            finish: answer.finish,
            finish_raw: answer.finish_raw.clone(),
            response_id: answer.response_id.clone(),
            answered_by: answer.model.clone().filter(|it| !is_same_model(&turn.config.model, it)),
            faults: answer.faults,
            cost: self.cost(turn, &answer.usage),
        };
        self.note_turn(turn, answered);
        let last = LastParts::Whole(&answer.parts);
        let calls: Vec<_> = calls_of(&answer.parts).collect();
        if calls.is_empty() {
            self.close_turn(session, turn, TurnEnd::Completed, None, last);
        } else if call >= TOOL_ROUNDS {
            let message = format!("The turn used its {TOOL_ROUNDS} tool rounds and asked for more.");
            let failure = ProviderError::new(ProviderErrorKind::Stalled, message);
            self.close_turn(session, turn, TurnEnd::TimedOut, Some(&failure), last);
        } else {
            for (place, tool_call) in calls.into_iter().enumerate() {
                self.request_tool(turn, message.id, place, tool_call);
            }
        }
        Ok(())
    }

    /// The cost of a turn's call at current prices. Later prices do not change it.
    fn cost(&self, turn: &Turn, usage: &Usage) -> Option<Cost> {
        cost_of(self.world, &turn.config.provider, &turn.config.model, usage, self.now())
    }

    fn request_tool(&mut self, turn: &Turn, requested_by: MessageId, place: usize, call: &ToolCall) {
        let run = ToolRun {
            id: ToolRunId::new(self.env.ids),
            session: turn.session,
            run: turn.run,
            turn: turn.id,
            agent: turn.agent.clone(),
            requested_by,
            place: u32::try_from(place).unwrap_or(u32::MAX),
            call: call.clone(),
            requested_at: self.now(),
            ..ToolRun::default()
        };
        self.note_turn(turn, EventKind::ToolRequested { run });
    }

    pub(super) fn record_failure(
        &mut self,
        id: TurnId,
        call: u32,
        failed: &FailedAttempt,
        parts: &[MessagePart],
    ) -> Decision {
        let turn = self.world.turn(&id).ok_or(Rejection::NoSuchTurn)?;
        // A context that cannot be built fails the turn before its first call.
        let building = turn.phase == TurnPhase::BuildingContext && failed.retry_in_ms.is_none();
        if !building {
            self.turn_at(id, call, &IN_CALL)?;
        }
        let session = self.session(turn.session)?;
        let FailedAttempt { attempt, failure, usage, retry_in_ms } = failed;
        let attempt = *attempt;
        let cost = self.cost(turn, usage);
        let mut more = RunUsage::default();
        more.add(usage, cost);
        // A retry is a call like any other: none is made beyond a limit.
        let is_over = self.world.run_of(turn).is_some_and(|run| self.over_budget(run, &more).is_some());
        let retry_in_ms = retry_in_ms.filter(|_| !is_over);
        let (error, usage) = (failure.clone(), usage.clone());
        self.note_turn(turn, EventKind::ModelFailed { call, attempt, failure: error, usage, cost });
        if let Some(wait_ms) = retry_in_ms {
            let attempt = attempt.saturating_add(1);
            self.note_turn(turn, EventKind::RetryScheduled { call, attempt, wait_ms });
            return Ok(());
        }
        let end = if failure.category == ProviderErrorKind::CutOff {
            TurnEnd::CutOff
        } else if failure.category == ProviderErrorKind::Stalled {
            TurnEnd::TimedOut
        } else {
            TurnEnd::Error
        };
        self.close_turn(session, turn, end, Some(failure), LastParts::Partial(parts));
        if failure.category == ProviderErrorKind::ContextOverflow {
            self.compact_for(turn);
        }
        if failure.lacks_key() {
            self.skip_nodes_of_provider(turn);
        }
        Ok(())
    }

    /// Leaves the waiting nodes of a run IDLE if all of them would call the provider of this turn.
    fn skip_nodes_of_provider(&mut self, turn: &Turn) {
        let run = self.world.run_of(turn).filter(|run| run.graph.is_none() && !is_race(run));
        let Some(run) = run else { return };
        let waiting: Vec<_> = run.nodes.iter().filter(|node| node.status == NodeStatus::Ready).collect();
        let calls_it = |node: &&Node| {
            let agent = node.agent.as_ref().and_then(|key| self.world.agent(key));
            let config = node.config.as_ref().or(agent.map(|agent| &agent.config));
            config.is_some_and(|config| config.provider == turn.config.provider)
        };
        if waiting.iter().all(calls_it) {
            for node in waiting {
                self.change_node(run, &node.id, NodeStatus::Idle);
            }
        }
    }

    /// Closes a turn that is stopped from outside, and its open tool runs first.
    pub(super) fn close_open_turn(&mut self, session: &Session, turn: &Turn, end: TurnEnd) {
        let is_interrupted = end == TurnEnd::Interrupted;
        for run in self.world.tool_runs_of(turn).filter(|run| run.status.is_open()) {
            // A pending approval is denied.
            let pending = run.status == ToolStatus::AwaitingApproval;
            let (status, message) = match (pending, is_interrupted) {
                (true, true) => (ToolStatus::Denied, "The page was closed before the operator allowed this."),
                (false, true) => {
                    (ToolStatus::Interrupted, "The page was closed before this tool ran to its end.")
                }
                (true, false) => (ToolStatus::Denied, STOPPED),
                (false, false) => (ToolStatus::Cancelled, STOPPED),
            };
            self.end_tool_unmerged(session, run, status, message);
        }
        let mut parts = self.partial_parts(turn);
        // Calls that did not run are dropped: a partial answer must not request tools.
        parts.retain(|part| calls_of(std::slice::from_ref(part)).next().is_none());
        self.close_turn(session, turn, end, None, LastParts::Partial(&parts));
    }

    /// The parts received so far of the open message.
    fn partial_parts(&self, turn: &Turn) -> Vec<MessagePart> {
        let parts = self.world.open_message(turn).and_then(|message| self.env.partials.get(&message.id));
        parts.cloned().unwrap_or_default()
    }

    pub(super) fn move_head_on(&mut self, turn: &Turn, from: Option<TurnId>, mind: ContentHash) {
        self.note_turn(turn, EventKind::HeadMoved { from, to: Some(turn.id), mind, by_hand: None });
    }

    pub(super) fn close_turn(
        &mut self,
        session: &Session,
        turn: &Turn,
        end: TurnEnd,
        failure: Option<&ProviderError>,
        last: LastParts<'_>,
    ) {
        let (partial, parts) = match last {
            LastParts::Whole(parts) => (None, parts),
            LastParts::Partial(parts) => (self.world.open_message(turn), parts),
        };
        let partial = partial.map(|message| PartialMessage { message: message.id, parts: parts.to_vec() });
        let (failure, mind_after) = (failure.cloned(), session.mind);
        let message = failure.as_ref().map(|failure| failure.message.clone());
        self.note_turn(turn, EventKind::TurnClosed { end, failure, partial, mind_after });
        self.move_head_on(turn, session.head, session.mind);
        if let Some(node) = &turn.node {
            let mut output = self.envelope(turn, node, end, message, parts);
            let patch = self.keep_patch(turn, &output.artifacts);
            output.artifacts.extend(patch);
            let (node, status, output) = (node.clone(), node_status_of(end), Some(output));
            self.note_turn(turn, EventKind::NodeChanged { node, status, output, continues: None });
        }
        self.settle_compaction(session, turn, end);
    }

    fn envelope(
        &self,
        turn: &Turn,
        node: &NodeId,
        end: TurnEnd,
        failure: Option<String>,
        last: &[MessagePart],
    ) -> Envelope {
        let text = text_of(last);
        let failure = failure.filter(|_| text.trim().is_empty());
        let summary = failure.unwrap_or_else(|| ellipsis(text.trim(), SUMMARY_CHARS));
        let status = match end {
            TurnEnd::Completed => "ok",
            TurnEnd::Cancelled => "cancelled",
            TurnEnd::Interrupted => "interrupted",
            TurnEnd::CutOff => "cut_off",
            TurnEnd::TimedOut => "timed_out",
            TurnEnd::Error => "error",
        };
        let mind = self.world.session(&turn.session).and_then(|session| self.world.working_mind(session));
        let mut artifacts: Vec<Artifact> = Vec::new();
        for run in self.world.tool_runs_of(turn) {
            for touched in run.touched.iter().filter(|touched| touched.is_file) {
                if artifacts.iter().all(|artifact| artifact.path != touched.field) {
                    artifacts.push(Artifact {
                        kind: "file".to_owned(),
                        path: touched.field.clone(),
                        hash: mind.and_then(|mind| mind.files.get(&touched.field)).map(|file| file.hash),
                    });
                }
            }
        }
        Envelope {
            status: status.to_owned(),
            artifacts,
            structured: self.structured_of(turn, &text),
            ..Envelope::text(kinds::RESULT, node.clone(), Some(turn.id), summary)
        }
    }

    /// The structured output of a graph node: its verdict, or else the JSON block at the end of its answer.
    fn structured_of(&self, turn: &Turn, text: &str) -> Value {
        if self.graph_of(turn).is_none() {
            return Value::Null;
        }
        let runs = self.world.tool_runs_of(turn).rev();
        let verdict = runs
            .filter(|run| run.call.name == ACCEPT_WORK && run.status == ToolStatus::Succeeded)
            .find_map(|run| match run.effective_call().args {
                ToolArgs::Parsed(args) => Some(args),
                ToolArgs::Broken(_) => None,
            });
        verdict.or_else(|| json_block(text)).unwrap_or_default()
    }

    fn waiting_turn(&self, id: TurnId) -> Decision<(&'w Turn, u32, PendingRetry)> {
        let turn = self.world.turn(&id).ok_or(Rejection::NoSuchTurn)?;
        let newest = turn.next_call().checked_sub(1);
        let retry = turn.retry().filter(|_| IN_CALL.contains(&turn.phase));
        newest.zip(retry).map(|(call, retry)| (turn.as_ref(), call, retry)).ok_or(Rejection::Stale)
    }

    /// Postpones an attempt while its provider asks all calls to wait.
    pub(super) fn delay_call(&mut self, id: TurnId, call: u32, attempt: u32, wait_ms: u64) -> Decision {
        let turn = self.turn_at(id, call, &IN_CALL)?;
        if turn.calls.last().is_none_or(|call| call.attempts != attempt || call.retry.is_some()) {
            return Err(Rejection::Stale);
        }
        self.note_turn(turn, EventKind::RetryScheduled { call, attempt, wait_ms });
        Ok(())
    }

    pub(super) fn retry_call(&mut self, id: TurnId, call: u32, attempt: u32) -> Decision {
        let (turn, newest, retry) = self.waiting_turn(id)?;
        if (newest, retry.attempt) != (call, attempt) {
            return Err(Rejection::Stale);
        }
        self.note_turn(turn, EventKind::ModelRequested { call, attempt });
        Ok(())
    }

    pub(super) fn retry_now(&mut self, id: TurnId) -> Decision {
        let (turn, call, retry) = self.waiting_turn(id)?;
        self.note_turn(turn, EventKind::ModelRequested { call, attempt: retry.attempt });
        Ok(())
    }

    /// Gives up a waiting call for the operator: the turn ends with its last error, and the next agent starts.
    pub(super) fn stop_waiting(&mut self, id: TurnId) -> Decision {
        let (turn, ..) = self.waiting_turn(id)?;
        let session = self.session(turn.session)?;
        let failure = turn.calls.last().and_then(|call| call.failures.last()).cloned().unwrap_or_else(|| {
            ProviderError::new(
                ProviderErrorKind::RateLimit,
                "The provider asked to wait, and you stopped waiting.",
            )
        });
        let parts = self.partial_parts(turn);
        self.close_turn(session, turn, TurnEnd::Error, Some(&failure), LastParts::Partial(&parts));
        Ok(())
    }
}

/// The JSON object in the code block that a text ends with; `None` if it is invalid.
fn json_block(text: &str) -> Option<Value> {
    let body = text.trim_end().strip_suffix("```")?;
    let (_, json) = body.rsplit_once("```json\n")?;
    json::tree(json).ok().filter(Value::is_object)
}

/// The last parts of a turn: complete, or as far as they were received.
#[derive(Clone, Copy)]
pub(super) enum LastParts<'p> {
    Whole(&'p [MessagePart]),
    Partial(&'p [MessagePart]),
}
