//! Decides commands: turns each into events, or rejects it.
//!
//! Time and ids come in, events go out; the request events among them are the effects. Never reads a clock, makes an
//! id or performs I/O.

mod compaction;
mod delegation;
mod graph;
mod jobs;
pub mod merge;
mod mind;
mod node_work;
mod queue;
mod race;
mod run;
mod sessions;
mod settings;
mod tools;
mod tree;
mod turn;

use crate::command::PartialMessages;
use crate::event::{EVENT_VERSION, EventPayload, QueueChange};
use crate::id::IdSource;
use crate::mind::core_sync::ProposalStep;
use crate::prelude::*;

/// What a decision may depend on besides the world.
pub struct Env<'m> {
    pub now: Millis,
    pub ids: &'m mut dyn IdSource,
    /// Parts received so far of messages that are still streamed.
    pub partials: &'m PartialMessages,
    /// The run of the turn named by the command's policy, as it was before that turn opened.
    pub run_before_turn: Option<&'m Run>,
}

/// An event without a sequence number; the ledger assigns one.
#[derive(Clone, Debug, PartialEq)]
pub struct NewEvent {
    pub stream: StreamId,
    pub run: Option<RunId>,
    pub turn: Option<TurnId>,
    pub kind: EventKind,
}

impl NewEvent {
    pub fn into_event(self, seq: u64, at: Millis) -> Event {
        Event {
            v: EVENT_VERSION,
            stream: self.stream,
            seq,
            at,
            run: self.run,
            turn: self.turn,
            kind: EventPayload::from(self.kind),
        }
    }
}

/// Turns a command into events, or rejects it. Changes nothing itself.
pub fn decide(world: &World, command: &Command, env: &mut Env<'_>) -> Decision<Vec<NewEvent>> {
    match decide_early(world, command, env)? {
        Some(events) => Ok(events),
        None => decide_late(world, command, env),
    }
}

/// Decides the commands that come before any model request; `None` for those of [`decide_late`].
///
/// Separate, so that a page loads this code first.
#[expect(clippy::wildcard_enum_match_arm, reason = "`decide_late` names each of the others")]
pub fn decide_early(world: &World, command: &Command, env: &mut Env<'_>) -> Decision<Option<Vec<NewEvent>>> {
    let mut decider = Decider::new(world, env);
    match command {
        Command::CreateSession { session, label, mind } => decider.create_session(*session, label, mind)?,
        Command::SendMessage(message) => decider.send_message(message)?,
        Command::Stop { session } => decider.stop_and_hold(*session, queue::Stop::Lanes)?,
        Command::EditMind { session, base, writes } => decider.edit_mind(*session, base, writes)?,
        Command::SetMuted { session, agent, muted } => {
            decider.change_flags(*session, agent, |flags| flags.muted = *muted)?;
        }
        Command::CyclePriority { session, agent } => {
            decider.change_flags(*session, agent, |flags| flags.priority = flags.priority.cycled())?;
        }
        Command::MarkRead { session, agent } => {
            decider.change_flags(*session, agent, |flags| flags.unread = false)?;
        }
        Command::ChangeAgent { agent } => decider.change_agent(agent)?,
        Command::ChangeSetting { name, value } if !settings::is_checked(name) => {
            decider.note_setting(name, value);
        }
        Command::RecordCriticalError { text } => {
            decider.note_app(EventKind::CriticalError { text: text.clone() })
        }
        Command::OpenTurn { run, node } => decider.open_turn(*run, node)?,
        Command::AdvanceRun { run } => decider.advance_run(*run)?,
        Command::RecordFailure { turn, call, failed, parts } => {
            decider.record_failure(*turn, *call, failed, parts)?;
        }
        _ => return Ok(None),
    }
    Ok(Some(decider.events))
}

/// Decides the results of models, rare commands, and those that go back in the conversation.
pub fn decide_late(world: &World, command: &Command, env: &mut Env<'_>) -> Decision<Vec<NewEvent>> {
    let mut decider = Decider::new(world, env);
    match command {
        Command::EditQueued { item, text } => decider.edit_queued(*item, text)?,
        Command::SetQueueMode { item, mode } => decider.set_queue_mode(*item, *mode)?,
        Command::WithdrawQueued { item } => decider.withdraw_queued(*item)?,
        Command::BeginQueuedEdit { item } => decider.set_editing(*item, true)?,
        Command::EndQueuedEdit { item } => decider.set_editing(*item, false)?,
        Command::SendHeld { item } => decider.send_held(*item)?,
        Command::SendAllHeld { session } => decider.change_all_held(*session, &QueueChange::Held(false))?,
        Command::DiscardAllHeld { session } => decider.change_all_held(*session, &QueueChange::Withdrawn)?,
        Command::PutBackQueued { session, items } => decider.put_back_queued(*session, items)?,
        Command::TakeQueue { session } => decider.take_queue(*session)?,
        Command::DelayCall { turn, call, attempt, wait_ms } => {
            decider.delay_call(*turn, *call, *attempt, *wait_ms)?;
        }
        Command::RetryCall { turn, call, attempt } => decider.retry_call(*turn, *call, *attempt)?,
        Command::LabelSession { session, label } => decider.label_session(*session, label)?,
        Command::SetSessionStatus { session, status } => decider.set_session_status(*session, *status)?,
        Command::SetOwner { session, agent } => decider.set_owner(*session, agent.as_ref())?,
        Command::DeleteMessage { session, message } => decider.delete_message(*session, *message)?,
        Command::PinMessage { session, message, pinned } => {
            decider.pin_message(*session, *message, *pinned)?
        }
        Command::PinSession { session, pinned } => decider.pin_session(*session, *pinned)?,
        Command::TitleSession { session, title } => decider.title_session(*session, title)?,
        Command::DeleteSession { session } => decider.delete_session(*session)?,
        Command::RestoreSession { session } => decider.restore_session(*session)?,
        Command::MergeBranch(request) => decider.merge_branch(request)?,
        Command::AskAboutConflicts { request, conflicts } => {
            decider.ask_about_conflicts(request, conflicts)?
        }
        Command::PurgeSession { session } => decider.purge_session(*session)?,
        Command::ContinueFrom { session, from, turn, mind, label } => {
            decider.continue_from(*session, *from, (*turn, mind.as_ref()), label)?;
        }
        Command::Resend { session, message, text, attachments, overrides } => {
            decider.resend(*session, *message, (text, attachments), overrides.as_deref())?;
        }
        Command::TryAgain { session, turn, agent, config, tools } => {
            decider.try_again(*session, *turn, agent.as_ref(), (config.as_ref(), tools.as_deref()))?;
        }
        Command::Race(racing) => decider.race(racing)?,
        Command::PickLane { session, lane } => decider.pick_lane(*session, *lane)?,
        Command::MoveHead { session, to, newest } => decider.move_head(*session, *to, *newest)?,
        Command::Rerun { session, turn, change, label } => {
            decider.rerun(*session, *turn, change.as_ref(), label)?;
        }
        Command::SetRunMode { run, mode } => decider.set_run_mode(*run, *mode)?,
        Command::SetCompletion { run, completion } => decider.set_completion(*run, *completion)?,
        Command::StartNode { run, node, text } => decider.start_node(*run, node, text)?,
        Command::BindTerminal { run, node, terminal } => {
            decider.bind_terminal(*run, node, terminal.as_deref())?;
        }
        Command::RecordChecks { run, node, check, result } => {
            decider.record_checks(*run, node, *check, result)?;
        }
        Command::ContinueAnswer { turn } => decider.continue_answer(*turn)?,
        Command::RetryNow { turn } => decider.retry_now(*turn)?,
        Command::StopWaiting { turn } => decider.stop_waiting(*turn)?,
        Command::AnswerApproval { tool_run, answer } => decider.answer_approval(*tool_run, answer)?,
        Command::AskApproval { tool_run, proposed } => decider.ask_approval(*tool_run, proposed)?,
        Command::ContinueRun { run } => decider.continue_run(*run, None)?,
        Command::EndRun { run } => decider.end_run(*run)?,
        Command::Sync { session } => decider.sync(*session)?,
        Command::StopSync { session } => {
            let session = decider.session(*session)?;
            decider.end_jobs(session, &[JobSlot::Core], JobEnd::Cancelled);
        }
        Command::UndoSync { session, sync } => decider.undo_sync(*session, *sync)?,
        Command::ApplySyncProposal { session, sync } => {
            decider.end_proposal(*session, *sync, ProposalStep::Applied)?;
        }
        Command::DismissSyncProposal { session, sync } => {
            decider.end_proposal(*session, *sync, ProposalStep::Dismissed)?;
        }
        Command::OpenSync { session } => decider.open_sync(*session)?,
        Command::RecordJob { session, job, answer, usage } => {
            decider.record_job(*session, *job, answer, usage)?;
        }
        Command::RecordJobFailure { session, job, failed } => {
            decider.record_job_failure(*session, *job, failed)?;
        }
        Command::Compact { session, agent, focus } => decider.compact(*session, agent, focus)?,
        Command::Summarise { session } => decider.summarise(*session)?,
        Command::RequestCompaction { run, node } => decider.request_compaction(*run, node)?,
        Command::OpenCompaction { session, plan, cut } => decider.open_compaction(*session, plan, *cut)?,
        Command::DropCompaction { session, failure } => decider.drop_compaction(*session, failure)?,
        Command::OpenMaintenance { session } => decider.open_maintenance(*session)?,
        Command::ChangeMemory { memory, change } => decider.change_memory(*memory, change)?,
        Command::ChangeTrigger(wanted) => decider.change_trigger(wanted)?,
        Command::SetTriggerPaused { trigger, paused } => decider.set_trigger_paused(*trigger, *paused)?,
        Command::RemoveTrigger { trigger } => decider.remove_trigger(*trigger)?,
        Command::FireTrigger { trigger, cause } => decider.fire_trigger(*trigger, cause)?,
        Command::RecordTriggerOutcome { trigger, cause, outcome } => {
            decider.record_trigger_outcome(*trigger, cause, outcome)?;
        }
        Command::ReviewChanges { session, from, edits } => decider.review_changes(*session, from, edits)?,
        Command::RemoveAgent { agent } => decider.remove_agent(agent)?,
        Command::ArrangeAgents { order } => decider.arrange_agents(order)?,
        Command::ChangeProvider { provider } => decider.change_provider(provider)?,
        Command::RemoveProvider { provider, move_agents } => {
            decider.remove_provider(provider, *move_agents)?
        }
        Command::ChangeSetting { name, value } => decider.change_checked_setting(name, value)?,
        Command::OfferContext { turn, call, recipe, contents } => {
            decider.offer_context(*turn, *call, recipe, contents)?;
        }
        Command::BeginResponse { turn, call } => decider.begin_response(*turn, *call)?,
        Command::RecordAnswer { turn, call, answer } => decider.record_answer(*turn, *call, answer)?,
        Command::StartTool { tool_run } => decider.start_tool(*tool_run)?,
        Command::RecordTool { tool_run, outcome } => decider.record_tool(*tool_run, outcome)?,
        Command::ReportWorker { worker } => decider.report_worker(*worker)?,
        Command::Recover { session } => decider.recover(*session)?,
        // `decide_early` decides these.
        Command::CreateSession { .. }
        | Command::SendMessage(_)
        | Command::Stop { .. }
        | Command::EditMind { .. }
        | Command::SetMuted { .. }
        | Command::CyclePriority { .. }
        | Command::MarkRead { .. }
        | Command::ChangeAgent { .. }
        | Command::RecordCriticalError { .. }
        | Command::OpenTurn { .. }
        | Command::AdvanceRun { .. }
        | Command::RecordFailure { .. } => return Err(Rejection::Stale),
    }
    Ok(decider.events)
}

/// The world at the time of the command, and the events decided so far.
struct Decider<'w, 'm, 's> {
    world: &'w World,
    env: &'s mut Env<'m>,
    events: Vec<NewEvent>,
    /// The sequence numbers of the newest messages among the decided events.
    sequences: VecMap<SessionId, u64>,
}

impl<'w, 'm, 's> Decider<'w, 'm, 's> {
    fn new(world: &'w World, env: &'s mut Env<'m>) -> Self {
        Self { world, env, events: Vec::new(), sequences: VecMap::new() }
    }

    fn session(&self, id: SessionId) -> Decision<&'w Session> {
        self.world.session(&id).map(|session| session.as_ref()).ok_or(Rejection::NoSuchSession)
    }

    fn now(&self) -> Millis {
        self.env.now
    }

    fn note_app(&mut self, kind: EventKind) {
        self.events.push(NewEvent { stream: StreamId::App, run: None, turn: None, kind });
    }

    fn note_run(&mut self, run: &Run, kind: EventKind) {
        self.note(run.session, Some(run.id), None, kind);
    }

    fn note_turn(&mut self, turn: &Turn, kind: EventKind) {
        self.note(turn.session, turn.run, Some(turn.id), kind);
    }

    fn end_node(&mut self, run: &Run, node: &NodeId, status: NodeStatus, output: Option<Envelope>) {
        self.note_run(run, EventKind::NodeChanged { node: node.clone(), status, output, continues: None });
    }

    fn change_node(&mut self, run: &Run, node: &NodeId, status: NodeStatus) {
        self.end_node(run, node, status, None);
    }

    fn pause(&mut self, run: &Run, cause: PauseCause) {
        self.note_run(run, EventKind::RunPaused { cause });
    }

    fn working_mind(&self, session: &Session) -> Decision<&'w Arc<Mind>> {
        self.mind(&session.mind)
    }

    fn mind(&self, hash: &ContentHash) -> Decision<&'w Arc<Mind>> {
        self.world.mind(hash).ok_or(Rejection::HistoryBroken)
    }

    /// A current member of the team.
    fn agent(&self, key: &AgentKey) -> Decision<&'w Agent> {
        let agent = self.world.agent(key).filter(|agent| agent.exists());
        agent.map(|agent| agent.as_ref()).ok_or(Rejection::NoSuchAgent)
    }

    fn note(&mut self, session: SessionId, run: Option<RunId>, turn: Option<TurnId>, kind: EventKind) {
        self.events.push(NewEvent { stream: StreamId::Session(session), run, turn, kind });
    }

    fn note_in_run(&mut self, session: &Session, kind: EventKind) {
        let run = self.world.open_run(session).map(|run| run.id);
        self.note(session.id, run, None, kind);
    }

    /// Adds a message to its session, without a run or turn.
    fn commit(&mut self, message: Message) -> MessageId {
        let id = message.id;
        self.note(message.session, None, None, EventKind::MessageCommitted { message: Arc::new(message) });
        id
    }

    /// Creates the next message of a session.
    fn message(
        &mut self,
        session: &Session,
        role: Role,
        source: Option<Source>,
        parts: Vec<MessagePart>,
    ) -> Message {
        let newest = self.sequences.get(&session.id).copied().unwrap_or(session.last_sequence);
        let sequence = newest.saturating_add(1);
        self.sequences.insert(session.id, sequence);
        let operator = (source == Some(Source::Human)).then(|| session.operator.clone()).flatten();
        Message {
            sequence,
            parts,
            operator,
            group: session.group.clone(),
            ..Message::new(MessageId::new(self.env.ids), session.id, role, source, self.now())
        }
    }
}

#[cfg(test)]
mod tests;
