//! Builds the timeline of a session: the rows of its thread, oldest first, and what follows the head.
//!
//! Computed from loaded rows alone, so that the screen shows exactly the stored state.

use std::cmp::Reverse;
use std::sync::Arc;

use nexus_model::id::{AgentKey, MessageId, Millis, ProviderId, RunId, SessionId, ToolRunId, TurnId};
use nexus_model::message::content::text_of;
use nexus_model::message::{Message, Role};
use nexus_model::mind::{FileChange, Mind, WriteError, changes_between, resolve};
use nexus_model::provider::failure::ProviderError;
use nexus_model::provider::price::Cost;
use nexus_model::provider::vision;
use nexus_model::run::{NodeStatus, PauseCause, RoundSummary, Run, RunStatus, RunUsage};
use nexus_model::session::Session;
use nexus_model::session::race;
use nexus_model::tool::{ToolRun, ToolStatus};
use nexus_model::turn::compaction::Compaction;
use nexus_model::turn::tree::{goes_on, siblings};
use nexus_model::turn::{PendingRetry, Turn, TurnEnd, TurnKind};
use nexus_model::world::World;
use nexus_text::vec_map::{VecSet, by_key};

/// What a row of the timeline is known by.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TimelineKey {
    Message(MessageId),
    Tool(ToolRunId),
    Held(TurnId),
    Ending(TurnId),
    Compaction(TurnId),
    Round(RunId, u32),
    /// A run that waits for the operator, or that left agents unasked.
    Waiting(RunId),
    Unread,
    /// The turns that stand beside each other, by the oldest of them.
    Siblings(TurnId),
    /// The thread goes on from the head, but the session was taken back to it.
    Ahead,
    Forked(TurnId),
}

/// A stored row that is the same only as long as it is not replaced.
#[derive(Clone, Debug)]
pub struct PtrEq<T>(pub Arc<T>);

impl<T> PartialEq for PtrEq<T> {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum TimelineRow {
    Message {
        message: PtrEq<Message>,
        unanswered: bool,
        /// Whether it goes on with the turn of the message before it, after tools.
        continued: bool,
        /// What its turn used, at the last answer of the turn.
        ends_turn: Option<TurnFigures>,
        /// Whether it is the first of its day that is shown, as [`mark_days`] found.
        opens_day: bool,
        /// The pictures that its model was asked about and not shown, because it looks at none.
        unseen: Vec<String>,
    },
    Tool {
        run: PtrEq<ToolRun>,
        /// The mind before and after, where it changed and both are loaded.
        minds: Option<(PtrEq<Mind>, PtrEq<Mind>)>,
        /// What its writes would meet, while it waits for the operator and they can be tried.
        asked: Option<ApprovalMinds>,
    },
    Held {
        turn: TurnId,
        agent: AgentKey,
        provider: ProviderId,
        /// The attempt that waits, and until when.
        retry: PendingRetry,
        /// What made it wait; absent where others were asked to wait.
        failure: Option<ProviderError>,
    },
    Ending {
        turn: PtrEq<Turn>,
        end: TurnEnd,
        /// Whether trying it again is on offer: the agent has not done so, nor gone on where it was only stopped.
        retry: bool,
        /// Whether it said something that it can go on with.
        has_text: bool,
    },
    /// A turn that puts older turns into a summary. The whole history stays above it.
    Compaction {
        turn: PtrEq<Turn>,
        made: PtrEq<Compaction>,
    },
    Round(RoundSummary),
    Paused {
        run: RunId,
        cause: PauseCause,
        used: RunUsage,
    },
    Unasked {
        run: RunId,
        /// The agents, in the order in which they would have been asked.
        agents: Vec<AgentKey>,
    },
    Unread,
    Siblings {
        /// The turn on the way to the head.
        turn: TurnId,
        /// All of them, it included, oldest first.
        all: Vec<TurnId>,
    },
    /// The thread goes on from the head, but the session was taken back to it.
    Ahead {
        /// The newest turn that follows it.
        to: TurnId,
    },
    /// What is below was said in a session of its own.
    Forked {
        /// The session above, where it is still here.
        from: Option<SessionId>,
        label: String,
    },
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TurnFigures {
    pub calls: usize,
    /// Sent and received; absent where no answer told.
    pub tokens: Option<(u64, u64)>,
    /// What it cost, failed attempts included; absent where a price is not known. An estimate.
    pub cost: Option<Cost>,
}

impl TimelineRow {
    pub fn message(&self) -> Option<&Arc<Message>> {
        if let Self::Message { message, .. } = self { Some(&message.0) } else { None }
    }

    pub fn tool(&self) -> Option<&PtrEq<ToolRun>> {
        if let Self::Tool { run, .. } = self { Some(run) } else { None }
    }
}

/// What the writes of a tool run that waits for the operator would meet.
#[derive(Clone, Debug, PartialEq)]
pub struct ApprovalMinds {
    pub now: PtrEq<Mind>,
    pub shown: PtrEq<Mind>,
}

impl ApprovalMinds {
    /// What a tool run would change. Not a part of the timeline: comparing texts is for who shows it.
    pub fn proposal(&self, run: &ToolRun) -> ProposedChanges {
        let PtrEq(before) = &self.now;
        match resolve(before, &self.shown.0, &run.proposed) {
            Ok(edits) => {
                let after = Arc::new(before.with(&edits));
                let touched = changes_between(before, &after);
                ProposedChanges::Changes { touched, before: Arc::clone(before), after }
            }
            Err(refused) => ProposedChanges::Refused(refused),
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum ProposedChanges {
    Changes { touched: Vec<FileChange>, before: Arc<Mind>, after: Arc<Mind> },
    Refused(WriteError),
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Timeline {
    /// The rows, oldest first.
    pub rows: Vec<(TimelineKey, TimelineRow)>,
    /// The oldest turn of it, where the thread goes on before.
    pub earlier: Option<TurnId>,
}

/// The timeline of a session, as far as it is loaded. `seen` is the sequence of the newest message that the reader has
/// seen, where the reader was away since.
pub fn timeline(world: &World, id: SessionId, seen: Option<u64>) -> Timeline {
    timeline_above(world, id, seen, 0)
}

/// The same without the turns of a lower depth: what was loaded for a model only is nothing that the reader asked for,
/// and a row that is not there need not be looked at whenever something changes.
pub fn timeline_above(world: &World, id: SessionId, seen: Option<u64>, floor: u64) -> Timeline {
    let Some(session) = world.session(&id) else { return Timeline::default() };
    let newest = world.open_turn(session).map(|turn| turn.id).or(session.head);
    let is_above = |turn: &&Arc<Turn>| world.thread(&turn.id).is_none_or(|thread| thread.depth >= floor);
    let mut turns: Vec<_> = world.ancestry(newest).take_while(is_above).collect();
    turns.reverse();
    let earlier = turns.first().filter(|turn| turn.parent.is_some()).map(|turn| turn.id);
    let notices = notices(world, session, &turns);
    let mut build = TimelineBuilder { world, session, seen, notices, shown: VecSet::new(), rows: Vec::new() };
    let mut rest = turns.as_slice();
    while let Some((turn, later)) = rest.split_first() {
        build.turn(turn, later);
        rest = later;
    }
    build.end();
    Timeline { rows: build.rows, earlier }
}

/// Marks the messages that are the first of their day, by the reader's own days. The oldest one counts only where its
/// day is not today: a conversation of one day needs no heading.
pub fn mark_days(rows: &mut [(TimelineKey, TimelineRow)], today: i64, day_of: impl Fn(Millis) -> i64) {
    let mut last = today;
    for (_, row) in rows {
        if let TimelineRow::Message { message, opens_day, .. } = row {
            let day = day_of(message.0.created_at);
            *opens_day = day != last;
            last = day;
        }
    }
}

/// Stored notices belong to no turn; they stand where they came, by sequence. Those that came after a turn of another
/// version are not shown: what they tell of is not so here.
fn notices<'w>(world: &'w World, session: &Session, turns: &[&Arc<Turn>]) -> Vec<&'w Arc<Message>> {
    let is_notice = |message: &Message| {
        message.session == session.id && message.role == Role::System && message.turn.is_none()
    };
    let all: Vec<_> = world.messages.values().filter(|message| is_notice(message)).collect();
    if all.is_empty() {
        return all;
    }
    let of_turns = turns.iter().flat_map(|turn| turn.query.iter().chain(&turn.messages));
    let shown = of_turns.chain(&session.unanswered).filter_map(|id| world.message(id));
    let shown: VecSet<u64> =
        shown.filter(|message| message.session == session.id).map(|message| message.sequence).collect();
    let is_cut = turns.first().is_some_and(|turn| turn.parent.is_some());
    let sequences: VecSet<u64> = all.iter().map(|notice| notice.sequence).collect();
    let is_here = |notice: &&Arc<Message>| {
        if let Some(after) = notice.metadata.core.as_ref().and_then(|note| note.after) {
            return turns.iter().any(|turn| turn.id == after);
        }
        // Notes of earlier programs do not say after which turn they came; what was said right before them does.
        let mut before = notice.sequence.saturating_sub(1);
        while sequences.contains(&before) {
            before = before.saturating_sub(1);
        }
        let is_above = is_cut && shown.iter().all(|sequence| *sequence > before);
        before == 0 || shown.contains(&before) || is_above
    };
    by_key(all.into_iter().filter(is_here), |message| Reverse(message.sequence))
}

struct TimelineBuilder<'w> {
    world: &'w World,
    session: &'w Session,
    seen: Option<u64>,
    /// Notices that have not found their place, newest first.
    notices: Vec<&'w Arc<Message>>,
    /// Messages that have a row: a retried turn brings its query again.
    shown: VecSet<MessageId>,
    rows: Vec<(TimelineKey, TimelineRow)>,
}

impl TimelineBuilder<'_> {
    fn turn(&mut self, turn: &Arc<Turn>, later: &[&Arc<Turn>]) {
        let all = siblings(self.world, self.session, turn);
        if let (Some(oldest), true) = (all.first().copied(), all.len() > 1) {
            self.rows.push((TimelineKey::Siblings(oldest), TimelineRow::Siblings { turn: turn.id, all }));
        }
        if turn.kind == TurnKind::Compaction {
            if let Some(made) = self.world.compaction(&turn.id) {
                let row =
                    TimelineRow::Compaction { turn: PtrEq(Arc::clone(turn)), made: PtrEq(Arc::clone(made)) };
                self.rows.push((TimelineKey::Compaction(turn.id), row));
            }
            return;
        }
        for id in &turn.query {
            self.message(id, false, false);
        }
        for (place, id) in turn.messages.iter().enumerate() {
            self.message(id, false, place > 0);
            if place == 0 {
                self.note_unseen(id, vision::unseen(self.world, turn));
            }
        }
        self.note_figures(turn);
        let end = turn.end.filter(|end| *end != TurnEnd::Completed);
        if let Some(end) = end {
            let stopped = matches!(end, TurnEnd::Cancelled | TurnEnd::Interrupted);
            let again =
                |other: &&Arc<Turn>| other.agent == turn.agent && (stopped || other.answers == turn.answers);
            let retry = !later.iter().any(again);
            // An answer is gone on with where it was begun.
            let has_text = turn.session == self.session.id
                && turn.messages.iter().filter_map(|id| self.world.message(id)).any(|message| {
                    message.role == Role::Assistant && !text_of(&message.parts).trim().is_empty()
                });
            let turn = PtrEq(Arc::clone(turn));
            self.rows
                .push((TimelineKey::Ending(turn.0.id), TimelineRow::Ending { turn, end, retry, has_text }));
        }
        if let Some(retry) = turn.retry() {
            let failure = turn.calls.last().and_then(|call| call.failures.last()).cloned();
            let (agent, provider) = (turn.agent.clone(), turn.config.provider.clone());
            let row = TimelineRow::Held { turn: turn.id, agent, provider, retry, failure };
            self.rows.push((TimelineKey::Held(turn.id), row));
        }
        let next = later.first();
        let below = next.map_or(self.session.id, |next| next.session);
        let goes_on = next.is_some_and(|next| (next.run, next.round) == (turn.run, turn.round));
        if !goes_on && let Some(run) = turn.run.and_then(|id| self.world.run(&id)) {
            // The end of a run's last round is noted a moment after its last turn.
            for summary in run.round_summaries.iter().filter(|summary| summary.round == turn.round) {
                if run.keeps_going() {
                    self.rows.push((
                        TimelineKey::Round(run.id, summary.round),
                        TimelineRow::Round(summary.clone()),
                    ));
                }
            }
        }
        // A lane of a race that was picked belongs to the session that asked.
        let is_lane = |one: SessionId, other: SessionId| {
            self.world.session(&one).is_some_and(|row| row.is_candidate_of(other))
        };
        if below != turn.session && !is_lane(below, turn.session) && !is_lane(turn.session, below) {
            let above = self.world.session(&turn.session).filter(|above| above.deleted_at.is_none());
            let row = TimelineRow::Forked {
                from: above.map(|above| above.id),
                label: above.map(|above| above.name().to_owned()).unwrap_or_default(),
            };
            self.rows.push((TimelineKey::Forked(turn.id), row));
        }
    }

    fn message(&mut self, id: &MessageId, unanswered: bool, continued: bool) {
        let Some(message) = self.world.message(id) else { return };
        if !self.shown.insert(*id) {
            return;
        }
        // Each session counts by itself: what was said before a fork stands above all that is the fork's own.
        let is_own = message.session == self.session.id;
        while is_own && self.notices.last().is_some_and(|notice| notice.sequence < message.sequence) {
            self.notice();
        }
        // A tool's message is shown as the card of its tool run, below the message that asked.
        if message.role == Role::Tool {
            return;
        }
        self.push_message(message, unanswered, continued);
        for id in &message.metadata.tool_run_ids {
            if let Some(run) = self.world.tool_run(id) {
                let minds = run.minds.as_ref().and_then(|(before, after)| {
                    let loaded = |hash| self.world.mind(hash).map(|mind| PtrEq(Arc::clone(mind)));
                    Some((loaded(before)?, loaded(after)?))
                });
                let asked = asked_about(self.world, run);
                let run = PtrEq(Arc::clone(run));
                self.rows.push((TimelineKey::Tool(*id), TimelineRow::Tool { run, minds, asked }));
            }
        }
    }

    /// Puts the figures of a turn to the last of its answers.
    fn note_figures(&mut self, turn: &Turn) {
        let is_answer = |message: &&Arc<Message>| message.role == Role::Assistant;
        let answers: Vec<_> =
            turn.messages.iter().filter_map(|id| self.world.message(id)).filter(is_answer).collect();
        let Some(last) = answers.last().map(|message| TimelineKey::Message(message.id)) else { return };
        let add = |(sent, received): (u64, u64), more: (u64, u64)| {
            (sent.saturating_add(more.0), received.saturating_add(more.1))
        };
        let counted = answers.iter().filter_map(|message| message.tokens_in.zip(message.tokens_out));
        let counts = turn.calls.iter().filter(|call| call.answered_at.is_some() || call.cost.is_some());
        let costs: Option<Vec<Cost>> = counts.map(|call| call.cost).collect();
        let figures = TurnFigures {
            calls: answers.len(),
            tokens: counted.reduce(add),
            cost: costs.and_then(|costs| costs.into_iter().reduce(Cost::plus)),
        };
        let row = self.rows.iter_mut().rev().find(|(other, _)| *other == last);
        if let Some((_, TimelineRow::Message { ends_turn, .. })) = row {
            *ends_turn = Some(figures);
        }
    }

    fn note_unseen(&mut self, id: &MessageId, names: Vec<String>) {
        let key = TimelineKey::Message(*id);
        let row = self.rows.iter_mut().rev().find(|(other, _)| *other == key);
        if let Some((_, TimelineRow::Message { unseen, .. })) = row {
            *unseen = names;
        }
    }

    fn notice(&mut self) {
        if let Some(notice) = self.notices.pop() {
            self.push_message(notice, false, false);
        }
    }

    fn push_message(&mut self, message: &Arc<Message>, unanswered: bool, continued: bool) {
        let is_own = message.session == self.session.id;
        if is_own && message.role != Role::User && self.seen.is_some_and(|seen| message.sequence > seen) {
            self.seen = None;
            self.rows.push((TimelineKey::Unread, TimelineRow::Unread));
        }
        let row = TimelineRow::Message {
            message: PtrEq(Arc::clone(message)),
            unanswered,
            continued,
            ends_turn: None,
            opens_day: false,
            unseen: Vec::new(),
        };
        self.rows.push((TimelineKey::Message(message.id), row));
    }

    /// What stands below the thread: what nobody answered yet, and what the newest run asks of the operator.
    fn end(&mut self) {
        let raced = race::open_race(self.world, self.session);
        for id in &self.session.unanswered {
            let is_asked = raced.is_some_and(|race| race.messages.contains(id));
            self.message(id, !is_asked, false);
        }
        while !self.notices.is_empty() {
            self.notice();
        }
        let Some(run) = self.session.run.and_then(|id| self.world.run(&id)) else { return };
        if !run.status.is_open()
            && !self.session.former.is_empty()
            && let Some(to) = self.session.head.and_then(|head| goes_on(self.world, self.session, head))
        {
            self.rows.push((TimelineKey::Ahead, TimelineRow::Ahead { to }));
        }
        if let Some(row) = self.asks(run) {
            self.rows.push((TimelineKey::Waiting(run.id), row));
        }
    }

    fn asks(&self, run: &Run) -> Option<TimelineRow> {
        match run.status {
            // A race has a place of its own.
            RunStatus::Paused if run.pause == Some(PauseCause::Choice) => None,
            RunStatus::Paused => {
                let cause = run.pause.clone().unwrap_or(PauseCause::Interrupted);
                Some(TimelineRow::Paused { run: run.id, cause, used: run.used })
            }
            RunStatus::Cancelled | RunStatus::Failed | RunStatus::TimedOut => {
                // A paused run that the operator ended is over; only one that was stopped at work can go on.
                let turns = run.nodes.iter().filter_map(|node| self.world.turn(node.turn.as_ref()?));
                let newest = turns.max_by_key(|turn| turn.id)?;
                if run.status == RunStatus::Cancelled && newest.end != Some(TurnEnd::Cancelled) {
                    return None;
                }
                // What ended on another branch is asked about there.
                if self.session.head != Some(newest.id) {
                    return None;
                }
                let agents = unasked(run);
                (!agents.is_empty()).then_some(TimelineRow::Unasked { run: run.id, agents })
            }
            RunStatus::Queued | RunStatus::Running | RunStatus::Completed => None,
        }
    }
}

pub fn asked_about(world: &World, run: &ToolRun) -> Option<ApprovalMinds> {
    if run.status != ToolStatus::AwaitingApproval || run.proposed.is_empty() {
        return None;
    }
    let now = world.working_mind(world.session(&run.session)?)?;
    let shown = world.turn(&run.turn).and_then(|turn| world.mind(&turn.mind_shown));
    let shown = PtrEq(Arc::clone(shown.unwrap_or(now)));
    Some(ApprovalMinds { now: PtrEq(Arc::clone(now)), shown })
}

/// The agents that a run did not reach, in the order in which it would have asked them.
fn unasked(run: &Run) -> Vec<AgentKey> {
    let nodes = run.nodes.iter().filter(|node| node.status == NodeStatus::Idle && node.turn.is_none());
    let nodes = by_key(nodes, |node| (Reverse(node.priority), node.place));
    nodes.iter().filter_map(|node| node.agent.clone()).collect()
}

#[cfg(test)]
mod tests;
