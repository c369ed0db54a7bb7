//! Folds events into the rows that they change.
//!
//! Never rejects an event. One that does not fit the loaded rows changes what it can.

mod jobs;
pub mod run;

use std::slice;

use crate::agent::AgentFlags;
use crate::event::QueueChange;
use crate::limits::TASK_TITLE_CHARS;
use crate::message::content::{answers_of, calls_of};
use crate::mind::{core_sync::CoreChange, resolve};
use crate::prelude::*;
use crate::session::{QueueState, beginning, trigger::Trigger};
use crate::tool::Approval;
use crate::turn::{ModelCall, TurnInput, step};
use crate::world::Overlay;

/// The rows that `events`, in order, change in `world`.
pub fn fold(world: &World, events: &[Event]) -> World {
    let mut overlay = Overlay::on(world);
    for event in events {
        if let Some(kind) = event.known_kind() {
            let here = event.stream.session().unwrap_or_default();
            Fold { overlay: &mut overlay, event, here }.apply(kind);
        }
    }
    // The list shows it while the run is not loaded.
    for run in overlay.rows.runs.clone().values() {
        let waits = run.waits_for_operator();
        let differs = |row: &Arc<Session>| row.run == Some(run.id) && row.waits_for_operator != waits;
        if overlay.session(&run.session).is_some_and(differs) {
            overlay.change_session(&run.session, |row| row.waits_for_operator = waits);
        }
    }
    overlay.rows
}

/// The mind that a writer saw, with its edits of the `current` one: only what the writer changed, not what others did.
/// A text in which both meet stays as it was seen.
fn seen_with_own(seen: &Mind, current: &Mind, edits: &[MindEdit]) -> Mind {
    let (mut seen, mut current) = (seen.clone(), current.clone());
    for edit in edits {
        let next = current.with(slice::from_ref(edit));
        let field = match edit {
            MindEdit::Objective { .. } => Some(MindField::Objective),
            MindEdit::Scratchpad { .. } | MindEdit::ScratchpadLines { .. } => Some(MindField::Scratchpad),
            MindEdit::File { name, .. } | MindEdit::FileLines { name, .. } => {
                Some(MindField::File(name.clone()))
            }
            MindEdit::FileRemoved { .. } | MindEdit::FileRenamed { .. } | MindEdit::Active { .. } => None,
        };
        let write = field.map(|field| field.write(field.text(&next).map(|text| text.to_string())));
        let own = write.map(|write| resolve(&seen, &current, &[write]).unwrap_or_default());
        seen = seen.with(own.as_deref().unwrap_or(slice::from_ref(edit)));
        current = next;
    }
    seen
}

struct Fold<'f, 'w> {
    overlay: &'f mut Overlay<'w>,
    event: &'f Event,
    /// The session of the event; for an event of the device a placeholder, which has no row.
    here: SessionId,
}

impl Fold<'_, '_> {
    fn apply(&mut self, kind: &EventKind) {
        match kind {
            EventKind::MessageCommitted { message } => self.message_committed(message),
            EventKind::ContentsKept { contents } => {
                contents.iter().for_each(|content| self.blob(Arc::from(content.as_str())));
            }
            EventKind::MessageQueued { item } => {
                self.overlay.rows.queue.insert(item.id, Arc::new(item.clone()));
            }
            EventKind::QueueEdited { item, change } => {
                self.overlay.change_queue_item(item, |row| match change {
                    QueueChange::Text(text) => row.text.clone_from(text),
                    QueueChange::Taken(message) => row.state = QueueState::Taken(*message),
                    QueueChange::Withdrawn => row.state = QueueState::Withdrawn,
                    QueueChange::PutBack => row.state = QueueState::Waiting,
                    QueueChange::Mode(mode) => row.mode = *mode,
                    QueueChange::Held(held) => row.held = *held,
                    QueueChange::Editing(editing) => row.editing = *editing,
                })
            }
            EventKind::RunOpened { run } => {
                self.overlay.rows.runs.insert(run.id, Arc::new(run.clone()));
                let id = run.id;
                // A session of earlier versions: review continues with what the run before left.
                let before = self.overlay.session(&run.session).and_then(|session| session.run);
                let before = before.and_then(|id| self.overlay.run(&id)).map(|run| run.round_mind);
                self.session(run.session, |session| {
                    (session.run, session.stopped) = (Some(id), false);
                    session.review_start.get_or_insert(before.unwrap_or(session.mind));
                });
            }
            EventKind::RunPaused { cause } => self.run_paused(cause),
            EventKind::RunResumed { caps } => self.run_resumed(*caps),
            EventKind::RoundEnded { summary, mind } => self.run(|run| {
                run.round_summaries.push(summary.clone());
                if summary.end.is_none() {
                    run.rounds.current = summary.round.saturating_add(1);
                    run.round_mind = *mind;
                }
            }),
            EventKind::RunEnded { status } => self.run(|run| {
                run.status = *status;
                run.pause = None;
                run.ended_at = Some(self.event.at);
            }),
            EventKind::NodeChanged { node, status, output, continues } => {
                self.node_changed(node, *status, output.as_ref(), *continues);
            }
            EventKind::GraphChanged { change } => self.graph_changed(change),
            EventKind::ChecksRequested { node, check } => self.checks_requested(node, *check),
            EventKind::TerminalRequested { node, turn } => self.checks_requested(node, turn.number),
            EventKind::TurnOpened { turn } => self.turn_opened(turn),
            EventKind::ContextRequested { call } => {
                let input = if *call == 0 { TurnInput::ContextRequested } else { TurnInput::ToolsEnded };
                self.turn(input, |_| ());
            }
            EventKind::ContextBuilt { call, recipe, contents } => {
                for content in contents {
                    if let Some(text) = content.text(|hash| self.overlay.blob(hash).cloned()) {
                        self.blob(text);
                    }
                }
                self.turn(TurnInput::ContextBuilt, |turn| {
                    if *call == 0 {
                        turn.mind_shown = recipe.mind;
                    }
                    let (recipe, requested_at) = (recipe.clone(), self.event.at);
                    turn.calls.push(ModelCall { recipe, requested_at, ..ModelCall::default() });
                });
            }
            EventKind::ModelRequested { call, attempt } => {
                self.change_turn(|turn| {
                    if let Some(call) = call_at(turn, *call) {
                        call.attempts = *attempt;
                        call.retry = None;
                    }
                    if *attempt > 1
                        && let Some(phase) = step(turn.phase, TurnInput::CallRetried)
                    {
                        turn.phase = phase;
                    }
                });
                self.count(|used| used.calls = used.calls.saturating_add(1));
            }
            EventKind::ResponseBegan { .. } => self.turn(TurnInput::ResponseBegan, |_| ()),
            EventKind::ModelAnswered { .. } => self.model_answered(kind),
            EventKind::ModelFailed { call, failure, usage, cost, .. } => {
                self.change_turn(|turn| {
                    if let Some(call) = call_at(turn, *call) {
                        call.failures.push(failure.clone());
                        call.usage.add(usage);
                        call.cost = sum(call.cost, *cost);
                    }
                    turn.usage.add(usage);
                });
                self.count(|used| used.add(usage, *cost));
            }
            EventKind::RetryScheduled { call, attempt, wait_ms } => {
                let at = Millis(self.event.at.0.saturating_add(*wait_ms));
                let mut held = false;
                self.change_turn(|turn| {
                    if let Some(call) = call_at(turn, *call) {
                        held = *attempt <= call.attempts;
                        call.retry = Some(PendingRetry { attempt: *attempt, at });
                    }
                });
                // A held attempt was counted when it was requested, and will be requested again.
                if held {
                    self.count(|used| used.calls = used.calls.saturating_sub(1));
                }
            }
            EventKind::ToolRequested { run } => self.tool_requested(run),
            EventKind::ApprovalAsked { tool_run, proposed } => {
                self.overlay.change_tool_run(tool_run, |run| {
                    run.status = ToolStatus::AwaitingApproval;
                    run.proposed.clone_from(proposed);
                })
            }
            EventKind::ApprovalGiven { tool_run, allowed, args, reason } => {
                let (args, reason) = (args.clone(), reason.clone());
                self.overlay.change_tool_run(tool_run, |run| {
                    run.approval = Some(Approval { allowed: *allowed, at: self.event.at, args, reason });
                    if *allowed {
                        run.status = ToolStatus::Requested;
                    }
                });
            }
            EventKind::ToolStarted { tool_run } => {
                let at = Some(self.event.at);
                let started = |run: &mut ToolRun| (run.status, run.started_at) = (ToolStatus::Running, at);
                self.overlay.change_tool_run(tool_run, started);
            }
            EventKind::ToolEnded { .. } => self.tool_ended(kind),
            EventKind::MindEdited { edits, undoes, .. } => {
                self.edit_mind(self.here, edits);
                self.sync_undone(*undoes);
            }
            EventKind::MindSynced { .. } => self.mind_synced(kind),
            EventKind::SyncRequested { sync } => self.core(|core| core.pending = Some(*sync)),
            EventKind::CompactionRequested(wanted) => {
                self.archivist(|state| (state.pending, state.start_error) = (Some(wanted.clone()), None));
            }
            EventKind::CompactionDropped { failure } => {
                self.archivist(|state| (state.pending, state.start_error) = (None, Some(failure.clone())));
            }
            EventKind::JobOpened(_)
            | EventKind::JobRetrying(_)
            | EventKind::JobFailed(_)
            | EventKind::JobDone(_) => self.job(kind),
            EventKind::MemoryNoted(memory) | EventKind::MemoryChanged(memory) => {
                self.overlay.rows.memories.insert(memory.id, Arc::new(memory.clone()));
            }
            EventKind::ChangesReviewed { from, edits } => {
                if let Some(mind) = self.overlay.mind(from).cloned() {
                    let reviewed = self.put_mind(mind.with(edits));
                    self.session(self.here, |session| session.reviewed = Some(reviewed));
                }
            }
            EventKind::WorkerSent { tool_run, worker } => self.worker_sent(*tool_run, worker),
            EventKind::WorkerEnded { .. } => self.worker_ended(kind),
            EventKind::TurnClosed { .. } => self.turn_closed(kind),
            EventKind::HeadMoved { .. } => self.head_moved(kind),
            EventKind::SessionPurged { session } => self.session_purged(*session),
            EventKind::SessionChanged { change } => self.session_changed(change),
            EventKind::AgentChanged { agent } => {
                self.overlay.rows.agents.insert(agent.key.clone(), Arc::new(agent.clone()));
            }
            EventKind::AgentRemoved { agent } => {
                self.overlay.change_agent(agent, |row| row.removed_at = Some(self.event.at));
            }
            EventKind::ProviderChanged { provider } => {
                self.overlay.rows.providers.insert(provider.id.clone(), Arc::new(Some(provider.clone())));
            }
            EventKind::ProviderRemoved { provider } => {
                self.overlay.rows.providers.insert(provider.clone(), Arc::new(None));
            }
            EventKind::TriggerChanged { trigger } => self.put_trigger(trigger),
            EventKind::TriggerRemoved { trigger } => {
                self.overlay.rows.settings.insert(Trigger::row(*trigger), Arc::new(Value::Null));
            }
            EventKind::TriggerFired(fired) => {
                self.change_trigger(fired.trigger, |row| row.fired(&fired.cause, self.event.at));
            }
            EventKind::TriggerEnded(end) => {
                self.change_trigger(end.trigger, |row| row.ended(&end.cause, &end.outcome, self.event.at));
            }
            EventKind::SettingChanged { name, value } => {
                self.overlay.rows.settings.insert(name.clone(), Arc::new(value.clone()));
            }
            EventKind::CommandRefused { .. }
            | EventKind::Notice { .. }
            | EventKind::EventsUnreadable { .. }
            | EventKind::JobBudgetSpent { .. }
            | EventKind::CriticalError { .. } => {}
        }
    }

    fn message_committed(&mut self, message: &Arc<Message>) {
        self.put_message(message);
        let by_operator = message.role == Role::User && message.source == Some(Source::Human);
        self.session(message.session, |session| {
            if message.role == Role::User && message.turn.is_none() {
                session.unanswered.push(message.id);
            }
        });
        if by_operator {
            self.mark_all_unread(message.session);
        }
    }

    /// A message of the operator marks every agent unread until it has answered.
    fn mark_all_unread(&mut self, id: SessionId) {
        let agents = self.overlay.all_agents();
        self.session(id, |session| {
            for agent in agents {
                let start = || AgentFlags::of(&agent);
                session.flags.get_or_insert_with(agent.key.clone(), start).unread = true;
            }
        });
    }

    fn model_answered(&mut self, kind: &EventKind) {
        let EventKind::ModelAnswered {
            call,
            message,
            parts,
            usage,
            finish,
            finish_raw,
            response_id,
            answered_by,
            faults,
            cost,
        } = kind
        else {
            return;
        };
        let asks_tools = calls_of(parts).next().is_some();
        let update = |turn: &mut Turn| {
            if let Some(call) = call_at(turn, *call) {
                call.answered_at = Some(self.event.at);
                call.finish = Some(*finish);
                call.finish_raw.clone_from(finish_raw);
                call.usage.add(usage);
                call.cost = sum(call.cost, *cost);
            }
            turn.usage.add(usage);
        };
        if asks_tools {
            self.turn(TurnInput::AnsweredWithCalls, update);
        } else {
            self.change_turn(update);
        }
        self.message(*message, |row| {
            row.parts.clone_from(parts);
            row.status = MessageStatus::Completed;
            row.tokens_in = usage.input;
            row.tokens_out = usage.output;
            row.provider_response_id.clone_from(response_id);
            row.metadata.faults = *faults;
            row.metadata.answered_by.clone_from(answered_by);
        });
        self.count(|used| used.add(usage, *cost));
    }

    fn tool_requested(&mut self, run: &ToolRun) {
        self.overlay.rows.tool_runs.insert(run.id, Arc::new(run.clone()));
        self.change_turn(|turn| turn.tool_runs.push(run.id));
        self.count(|used| used.tool_calls = used.tool_calls.saturating_add(1));
        self.message(run.requested_by, |message| message.metadata.tool_run_ids.push(run.id));
    }

    fn tool_ended(&mut self, kind: &EventKind) {
        let EventKind::ToolEnded { tool_run, status, message, edits, touched, verdict } = kind else {
            return;
        };
        let before =
            self.overlay.session(&message.session).and_then(|it| self.overlay.mind(&it.mind)).cloned();
        let minds = self.edit_mind(message.session, edits);
        // The last result of an answer tells the agent what others changed, so what follows is based on all of it. The
        // agent wrote its other calls before: they are based on what it saw then, with its own writes.
        let is_open = |id: &ToolRunId| {
            id != tool_run && self.overlay.tool_run(id).is_some_and(|it| it.status.is_open())
        };
        let turn = self.event.turn.and_then(|id| self.overlay.turn(&id));
        let shown = turn.filter(|turn| turn.tool_runs.iter().any(is_open)).map(|turn| turn.mind_shown);
        let shown = shown.and_then(|shown| self.overlay.mind(&shown)).zip(before);
        let shown = shown.map(|(shown, before)| seen_with_own(shown, &before, edits));
        let after = match shown {
            Some(shown) => Some(self.put_mind(shown)),
            None => self.overlay.session(&message.session).map(|session| session.mind),
        };
        self.put_message(message);
        self.overlay.change_tool_run(tool_run, |run| {
            run.status = *status;
            run.ended_at = Some(self.event.at);
            run.result = answers_of(&message.parts).next().map(|answer| answer.result.clone());
            run.touched.clone_from(touched);
            run.minds = minds;
        });
        self.change_turn(|turn| {
            turn.messages.push(message.id);
            if let Some(after) = after {
                turn.mind_shown = after;
            }
        });
        if let Some(verdict) = verdict {
            self.run(|run| run.verdict = Some(verdict.clone()));
        }
    }

    fn turn_closed(&mut self, kind: &EventKind) {
        let EventKind::TurnClosed { end, failure, partial, mind_after } = kind else { return };
        if let Some(partial) = partial {
            self.message(partial.message, |message| {
                message.parts.clone_from(&partial.parts);
                message.status = MessageStatus::Failed;
                message.failed_reason = Some(*end);
            });
        }
        let at = self.event.at;
        self.turn(TurnInput::Closed(*end), |turn| {
            turn.end = Some(*end);
            turn.failure.clone_from(failure);
            turn.mind_after = Some(*mind_after);
            turn.closed_at = Some(at);
        });
        let Some(turn) = self.event.turn.and_then(|id| self.overlay.turn(&id).cloned()) else { return };
        let used = turn.usage.total();
        self.overlay.change_thread(&turn.id, |thread| thread.tokens = thread.tokens.saturating_add(used));
        if turn.kind == TurnKind::Compaction {
            return self.compaction_closed(turn.session, turn.id);
        }
        let failed = matches!(end, TurnEnd::Error | TurnEnd::CutOff | TurnEnd::TimedOut);
        self.flags(turn.session, &turn.agent, |flags| {
            flags.failed = failed;
            flags.unread = false;
            flags.last_activity = Some(at);
        });
    }

    fn session_changed(&mut self, change: &SessionChange) {
        let id = self.here;
        match change {
            SessionChange::Created(created) => {
                let mind = Mind::default().with(&created.mind);
                let hash = self.put_mind(mind);
                let mut session = Session { mind: hash, ..created.session.clone() };
                session.core.synced = Some(hash);
                session.review_start = session.head.map(|_| hash);
                self.overlay.rows.sessions.insert(id, Arc::new(session));
            }
            SessionChange::Labelled(label) => self.session(id, |session| session.label.clone_from(label)),
            SessionChange::Status(status) => self.session(id, |session| session.status = *status),
            SessionChange::SessionPinned(pinned) => self.session(id, |session| session.pinned = *pinned),
            SessionChange::Titled(title) => self.session(id, |session| session.title.clone_from(title)),
            SessionChange::Deleted => self.session(id, |session| session.deleted_at = Some(self.event.at)),
            SessionChange::Restored => self.session(id, |session| session.deleted_at = None),
            SessionChange::Owned(owner) => {
                let at = owner.as_ref().map(|_| self.event.at);
                self.session(id, |session| (session.owner, session.owned_at) = (owner.clone(), at));
            }
            SessionChange::MessageDeleted(message) => {
                self.message(*message, |row| row.delete(self.event.at));
                self.session(id, |session| {
                    session.pins.retain(|pin| pin.message != *message);
                    session.begins.take_if(|(begins, _)| begins == message);
                });
            }
            SessionChange::Stopped => self.session(id, |session| session.stopped = true),
            SessionChange::Flags(agent, flags) => self.session(id, |session| {
                session.flags.insert(agent.clone(), *flags);
            }),
            SessionChange::Pinned(pin) => self.session(id, |session| {
                session.pins.retain(|other| other.message != pin.message);
                session.pins.push(pin.clone());
            }),
            SessionChange::Unpinned(message) => {
                self.session(id, |session| session.pins.retain(|pin| pin.message != *message));
            }
        }
    }

    fn put_message(&mut self, message: &Arc<Message>) {
        let message = Message::upcast(Arc::clone(message));
        let (sequence, at) = (message.sequence, message.created_at);
        self.session(message.session, |session| {
            let is_first = session.last_sequence == 0 || session.head.is_none();
            if message.role == Role::User && session.begins.is_none() && is_first {
                let words = beginning(&text_of(&message.parts), TASK_TITLE_CHARS);
                session.begins = Some((message.id, words)).filter(|(_, words)| !words.is_empty());
            }
            session.last_sequence = session.last_sequence.max(sequence);
            session.last_message_at = Some(at);
        });
        if message.role == Role::Assistant {
            let id = message.id;
            self.change_turn(|turn| turn.messages.push(id));
        }
        self.overlay.rows.messages.insert(message.id, message);
    }

    /// Edits the working mind. Returns the minds before and after, if they differ.
    fn edit_mind(&mut self, id: SessionId, edits: &[MindEdit]) -> Option<(ContentHash, ContentHash)> {
        let before = self.overlay.session(&id).filter(|_| !edits.is_empty())?.mind;
        let mind = self.overlay.mind(&before).cloned().unwrap_or_default().with(edits);
        let after = self.put_mind(mind);
        self.session(id, |session| session.mind = after);
        (before != after).then_some((before, after))
    }

    /// Records a change by the Core at the turn that it follows, so that forks know it, too. If that turn is another
    /// session's or there is none, the session records it for the turn that it opens next.
    pub(super) fn edited_by_core(&mut self, edits: &[MindEdit]) -> Option<(ContentHash, ContentHash)> {
        let (id, head) = (self.here, self.overlay.session(&self.here)?.head);
        let (before, after) = self.edit_mind(id, edits)?;
        let is_own = |head: &TurnId| self.overlay.turn(head).is_some_and(|turn| turn.session == id);
        if let Some(head) = head.filter(is_own) {
            self.overlay.change_turn(&head, |turn| turn.core_steps.push((before, after)));
        } else {
            let change = CoreChange { head, before, after };
            self.session(id, |session| session.note_core_change(change));
        }
        Some((before, after))
    }

    fn put_mind(&mut self, mind: Mind) -> ContentHash {
        let hash = mind.hash();
        for file in mind.files.values() {
            // An unreadable file has an empty text under the address of its content.
            let is_itself = !file.text.is_empty() || file.hash == ContentHash::of_text("");
            if is_itself && self.overlay.blob(&file.hash).is_none() {
                self.overlay.rows.blobs.insert(file.hash, file.text.clone());
            }
        }
        if self.overlay.mind(&hash).is_none() {
            self.overlay.rows.minds.insert(hash, Arc::new(mind));
        }
        hash
    }

    fn blob(&mut self, content: Arc<str>) {
        let hash = ContentHash::of_text(&content);
        if self.overlay.blob(&hash).is_none() {
            self.overlay.rows.blobs.insert(hash, content);
        }
    }

    fn flags(&mut self, session: SessionId, agent: &AgentKey, change: impl FnOnce(&mut AgentFlags)) {
        let Some(start) = self.overlay.agent(agent).map(|agent| AgentFlags::of(agent)) else { return };
        self.session(session, |session| change(session.flags.get_or_insert_with(agent.clone(), || start)));
    }

    fn session(&mut self, id: SessionId, change: impl FnOnce(&mut Session)) {
        self.overlay.change_session(&id, |row| {
            change(row);
            row.updated_at = self.event.at;
        });
    }

    fn run(&mut self, change: impl FnOnce(&mut Run)) {
        if let Some(id) = self.event.run {
            self.overlay.change_run(&id, change);
        }
    }

    fn turn(&mut self, input: TurnInput, change: impl FnOnce(&mut Turn)) {
        self.change_turn(|turn| {
            if let Some(phase) = step(turn.phase, input) {
                turn.phase = phase;
            }
            change(turn);
        });
    }

    fn change_turn(&mut self, change: impl FnOnce(&mut Turn)) {
        if let Some(id) = self.event.turn {
            self.overlay.change_turn(&id, change);
        }
    }

    fn message(&mut self, id: MessageId, change: impl FnOnce(&mut Message)) {
        self.overlay.change_message(&id, |row| {
            change(row);
            row.updated_at = self.event.at;
        });
    }
}

fn sum(a: Option<Cost>, b: Option<Cost>) -> Option<Cost> {
    a.into_iter().chain(b).reduce(Cost::plus)
}

fn call_at(turn: &mut Turn, call: u32) -> Option<&mut ModelCall> {
    turn.calls.get_mut(usize::try_from(call).ok()?)
}

fn node_of<'r>(run: &'r mut Run, turn: &Turn) -> Option<&'r mut Node> {
    run.nodes.iter_mut().find(|node| Some(&node.id) == turn.node.as_ref())
}

pub fn node_status_of(end: TurnEnd) -> NodeStatus {
    if end == TurnEnd::Completed { NodeStatus::Done } else { NodeStatus::Error }
}
