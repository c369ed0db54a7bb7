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
mod rerun;
mod run;
mod sessions;
mod settings;
mod tools;
mod tree;
mod turn;

use std::sync::Arc;

use crate::agent::Agent;
use crate::command::{Command, PartialMessages, Rejection};
use crate::event::{EVENT_VERSION, Event, EventKind, EventPayload};
use crate::id::{AgentKey, IdSource, MessageId, Millis, NodeId, RunId, SessionId, StreamId, TurnId};
use crate::job::{JobEnd, JobSlot};
use crate::message::content::MessagePart;
use crate::message::{Message, Role, Source};
use crate::mind::Mind;
use crate::run::{Envelope, NodeStatus, PauseCause, Run, templates};
use crate::session::Session;
use crate::turn::Turn;
use crate::world::World;
use nexus_text::content_hash::ContentHash;
use nexus_text::vec_map::VecMap;

/// What a decision may depend on besides the world.
pub struct Env<'m> {
    pub now: Millis,
    pub ids: &'m mut dyn IdSource,
    /// What has come of messages that are being written.
    pub partials: &'m PartialMessages,
    /// The run of the turn that the command's policy names, as it was before that turn opened.
    pub past: Option<&'m Run>,
}

/// An event before the ledger gives it its place in its stream.
#[derive(Clone, Debug, PartialEq)]
pub struct NewEvent {
    pub stream: StreamId,
    pub run: Option<RunId>,
    pub turn: Option<TurnId>,
    pub what: EventKind,
}

impl NewEvent {
    pub fn placed(self, seq: u64, at: Millis) -> Event {
        Event {
            v: EVENT_VERSION,
            stream: self.stream,
            seq,
            at,
            run: self.run,
            turn: self.turn,
            kind: EventPayload::from(self.what),
        }
    }
}

/// Turns a command into what happens, or refuses it. Nothing is changed here.
pub fn decide(world: &World, command: &Command, moment: &mut Env<'_>) -> Result<Vec<NewEvent>, Rejection> {
    match decide_early(world, command, moment)? {
        Some(events) => Ok(events),
        None => decide_late(world, command, moment),
    }
}

/// Decides what may be commanded before a model was asked; `None` for what [`decide_late`] decides. Apart, so that a page
/// loads first what it needs first.
#[expect(clippy::wildcard_enum_match_arm, reason = "`decide_late` names each of the others")]
pub fn decide_early(
    world: &World,
    command: &Command,
    moment: &mut Env<'_>,
) -> Result<Option<Vec<NewEvent>>, Rejection> {
    let mut scene = Decider::new(world, moment);
    match command {
        Command::CreateSession { session, label, mind } => scene.create_session(*session, label, mind)?,
        Command::Say(message) => scene.say(message)?,
        Command::EditQueued { item, text } => scene.edit_queued(*item, text)?,
        Command::SetQueueMode { item, mode } => scene.set_queue_mode(*item, *mode)?,
        Command::WithdrawQueued { item } => scene.withdraw_queued(*item)?,
        Command::Queue(command) => scene.queue_command(command)?,
        Command::Stop { session } => scene.stop_and_hold(*session)?,
        Command::HoldCall { turn, call, attempt, wait_ms } => {
            scene.hold_call(*turn, *call, *attempt, *wait_ms)?;
        }
        Command::EditMind { session, base, writes } => scene.edit_mind(*session, base, writes)?,
        Command::SetMuted { session, agent, muted } => {
            scene.change_flags(*session, agent, |flags| flags.muted = *muted)?;
        }
        Command::CyclePriority { session, agent } => {
            scene.change_flags(*session, agent, |flags| flags.priority = flags.priority.cycled())?;
        }
        Command::MarkRead { session, agent } => {
            scene.change_flags(*session, agent, |flags| flags.unread = false)?;
        }
        Command::ChangeAgent { agent } => scene.change_agent(agent)?,
        Command::ChangeProvider { provider } => scene.change_provider(provider)?,
        Command::ChangeSetting { name, value } => {
            scene.page_is_exact(name)?;
            templates::check_row(world, name, value).map_err(Rejection::BadGraph)?;
            scene.app(EventKind::SettingChanged { name: name.clone(), value: value.clone() });
        }
        Command::RecordCriticalError { text } => scene.app(EventKind::CriticalError { text: text.clone() }),
        Command::OpenTurn { run, node } => scene.open_turn(*run, node)?,
        Command::AdvanceRun { run } => scene.advance_run(*run)?,
        Command::TakeQueue { session } => scene.take_queue(*session)?,
        Command::RecordFailure { turn, call, attempt, failure, usage, parts, retry_in_ms } => {
            let failed = turn::FailedCallAttempt { attempt: *attempt, failure, usage, parts };
            scene.record_failure(*turn, *call, &failed, *retry_in_ms)?;
        }
        Command::RetryCall { turn, call, attempt } => scene.retry_call(*turn, *call, *attempt)?,
        Command::Recover { session } => scene.recover(*session)?,
        _ => return Ok(None),
    }
    Ok(Some(scene.events))
}

/// Decides what follows from answers of models, what is seldom commanded, and what goes back in the conversation.
pub fn decide_late(
    world: &World,
    command: &Command,
    moment: &mut Env<'_>,
) -> Result<Vec<NewEvent>, Rejection> {
    let mut scene = Decider::new(world, moment);
    match command {
        Command::LabelSession { session, label } => scene.label_session(*session, label)?,
        Command::SetSessionStatus { session, status } => scene.set_session_status(*session, *status)?,
        Command::SetOwner { session, agent } => scene.set_owner(*session, agent.as_ref())?,
        Command::DeleteMessage { session, message } => scene.delete_message(*session, *message)?,
        Command::PinMessage { session, message, pinned } => scene.pin_message(*session, *message, *pinned)?,
        Command::PinSession { session, pinned } => scene.pin_session(*session, *pinned)?,
        Command::TitleSession { session, title } => scene.title_session(*session, title)?,
        Command::DeleteSession { session } => scene.delete_session(*session)?,
        Command::RestoreSession { session } => scene.restore_session(*session)?,
        Command::MergeBranch(merging) => scene.merge_branch(merging)?,
        Command::AskAboutClashes { merging, clashes } => scene.ask_about_clashes(merging, clashes)?,
        Command::PurgeSession { session } => scene.purge_session(*session)?,
        Command::ContinueFrom { session, from, turn, mind, label } => {
            scene.continue_from(*session, *from, (*turn, mind.as_ref()), label)?;
        }
        Command::Resend { session, message, text, attachments, overrides } => {
            scene.resend(*session, *message, (text, attachments), overrides.as_deref())?;
        }
        Command::TryAgain { session, turn, agent, config, tools } => {
            scene.try_again(*session, *turn, agent.as_ref(), (config.as_ref(), tools.as_deref()))?;
        }
        Command::Race(racing) => scene.race(racing)?,
        Command::PickLane { session, lane } => scene.pick_lane(*session, *lane)?,
        Command::MoveHead { session, to, newest } => scene.move_head(*session, *to, *newest)?,
        Command::Graph(command) => scene.graph_command(command)?,
        Command::ContinueAnswer { turn } => scene.continue_answer(*turn)?,
        Command::RetryNow { turn } => scene.retry_now(*turn)?,
        Command::StopWaiting { turn } => scene.stop_waiting(*turn)?,
        Command::AnswerApproval { tool_run, answer } => scene.answer_approval(*tool_run, answer)?,
        Command::AskApproval { tool_run, proposed } => scene.ask_approval(*tool_run, proposed)?,
        Command::GoOn { run } => scene.go_on(*run)?,
        Command::EndRun { run } => scene.end_run(*run)?,
        Command::Sync { session } => scene.sync(*session)?,
        Command::StopSync { session } => {
            let session = scene.session(*session)?;
            scene.end_jobs(session, &[JobSlot::Core], JobEnd::Cancelled);
        }
        Command::UndoSync { session, sync } => scene.undo_sync(*session, *sync)?,
        Command::Core(command) => scene.core_command(command)?,
        Command::OpenSync { session } => scene.open_sync(*session)?,
        Command::RecordJob { session, job, answer, usage } => {
            scene.record_job(*session, *job, answer, usage)?;
        }
        Command::RecordJobFailure { session, job, attempt, failure, usage, retry_in_ms } => {
            let (attempt, retry_in_ms) = (*attempt, *retry_in_ms);
            let failed = jobs::FailedJobAttempt { attempt, failure, usage, retry_in_ms };
            scene.record_job_failure(*session, *job, &failed)?;
        }
        Command::Archivist(command) => scene.archivist(command)?,
        Command::Trigger(command) => scene.trigger(command)?,
        Command::ReviewChanges { session, from, edits } => scene.review_changes(*session, from, edits)?,
        Command::RemoveAgent { agent } => scene.remove_agent(agent)?,
        Command::ArrangeAgents { order } => scene.arrange_agents(order)?,
        Command::RemoveProvider { provider, move_agents } => scene.remove_provider(provider, *move_agents)?,
        Command::OfferContext { turn, call, recipe, contents } => {
            scene.offer_context(*turn, *call, recipe, contents)?;
        }
        Command::BeginResponse { turn, call } => scene.begin_response(*turn, *call)?,
        Command::RecordAnswer { turn, call, answer } => scene.record_answer(*turn, *call, answer)?,
        Command::StartTool { tool_run } => scene.start_tool(*tool_run)?,
        Command::RecordTool { tool_run, outcome } => scene.record_tool(*tool_run, outcome)?,
        Command::ReportWorker { worker } => scene.report_worker(*worker)?,
        // `decide_early` decides these.
        Command::CreateSession { .. }
        | Command::Say(_)
        | Command::EditQueued { .. }
        | Command::SetQueueMode { .. }
        | Command::WithdrawQueued { .. }
        | Command::Queue(_)
        | Command::Stop { .. }
        | Command::HoldCall { .. }
        | Command::EditMind { .. }
        | Command::SetMuted { .. }
        | Command::CyclePriority { .. }
        | Command::MarkRead { .. }
        | Command::ChangeAgent { .. }
        | Command::ChangeProvider { .. }
        | Command::ChangeSetting { .. }
        | Command::RecordCriticalError { .. }
        | Command::OpenTurn { .. }
        | Command::AdvanceRun { .. }
        | Command::TakeQueue { .. }
        | Command::RecordFailure { .. }
        | Command::RetryCall { .. }
        | Command::Recover { .. } => return Err(Rejection::Stale),
    }
    Ok(scene.events)
}

/// The world at a moment, and what happens in it.
struct Decider<'w, 'm, 's> {
    world: &'w World,
    moment: &'s mut Env<'m>,
    events: Vec<NewEvent>,
    /// The sequences of the newest messages that were decided here.
    sequences: VecMap<SessionId, u64>,
}

impl<'w, 'm, 's> Decider<'w, 'm, 's> {
    fn new(world: &'w World, moment: &'s mut Env<'m>) -> Self {
        Self { world, moment, events: Vec::new(), sequences: VecMap::new() }
    }

    fn session(&self, id: SessionId) -> Result<&'w Session, Rejection> {
        self.world.session(&id).map(|session| session.as_ref()).ok_or(Rejection::NoSuchSession)
    }

    fn now(&self) -> Millis {
        self.moment.now
    }

    fn app(&mut self, what: EventKind) {
        self.events.push(NewEvent { stream: StreamId::App, run: None, turn: None, what });
    }

    fn note_run(&mut self, run: &Run, what: EventKind) {
        self.note(run.session, Some(run.id), None, what);
    }

    fn note_turn(&mut self, turn: &Turn, what: EventKind) {
        self.note(turn.session, turn.run, Some(turn.id), what);
    }

    /// Puts a node into another status, with what it put out.
    fn end_node(&mut self, run: &Run, node: &NodeId, status: NodeStatus, output: Option<Envelope>) {
        self.note_run(run, EventKind::NodeChanged { node: node.clone(), status, output, continues: None });
    }

    fn change_node(&mut self, run: &Run, node: &NodeId, status: NodeStatus) {
        self.end_node(run, node, status, None);
    }

    fn pause(&mut self, run: &Run, cause: PauseCause) {
        self.note_run(run, EventKind::RunPaused { cause });
    }

    fn working_mind(&self, session: &Session) -> Result<&'w Arc<Mind>, Rejection> {
        self.mind(&session.mind)
    }

    fn mind(&self, hash: &ContentHash) -> Result<&'w Arc<Mind>, Rejection> {
        self.world.mind(hash).ok_or(Rejection::HistoryBroken)
    }

    /// An agent of the team.
    fn agent(&self, key: &AgentKey) -> Result<&'w Agent, Rejection> {
        let agent = self.world.agent(key).filter(|agent| agent.is_here());
        agent.map(|agent| agent.as_ref()).ok_or(Rejection::NoSuchAgent)
    }

    fn note(&mut self, session: SessionId, run: Option<RunId>, turn: Option<TurnId>, what: EventKind) {
        self.events.push(NewEvent { stream: StreamId::Session(session), run, turn, what });
    }

    /// A new message of a session, at the next place in its sequence.
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
            ..Message::new(MessageId::new(self.moment.ids), session.id, role, source, self.now())
        }
    }
}

#[cfg(test)]
mod tests;

#[cfg(test)]
#[path = "decide/tests/modes.rs"]
mod modes;

#[cfg(test)]
#[path = "decide/tests/invariants.rs"]
mod invariants;

#[cfg(test)]
#[path = "decide/tests/graph.rs"]
mod graph_laws;

#[cfg(test)]
#[path = "decide/tests/jobs.rs"]
mod jobs_laws;
