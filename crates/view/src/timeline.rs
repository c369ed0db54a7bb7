//! Builds the timeline of a session: the rows of its thread, oldest first, and what follows the head; and searches it.
//!
//! Computed from loaded rows alone, so it shows exactly the stored state. The search is plain text in messages, tool
//! arguments and tool results; it skips the models' thinking.

use std::cmp::Reverse;

use nexus_model::limits::FIND_PLACES;
use nexus_model::mind::resolve;
use nexus_model::prelude::*;
use nexus_model::provider::vision;
use nexus_model::run::RoundSummary;
use nexus_model::search_index::excerpt::leaves;
use nexus_model::session::workers;
use nexus_model::turn::tree::{continuation, siblings};
use nexus_text::diff::LineCount;
use nexus_text::vec_map::by_key;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TimelineKey {
    Message(MessageId),
    Tool(ToolRunId),
    Retrying(TurnId),
    Ending(TurnId),
    Compaction(TurnId),
    Round(RunId, u32),
    /// A run that waits for the operator, or that ended with agents left.
    Waiting(RunId),
    Unread,
    /// Sibling turns, by the oldest of them.
    Siblings(TurnId),
    /// The session was reset to an earlier head; later turns exist.
    Ahead,
    Forked(TurnId),
}

/// A stored row, compared by pointer: equal until it is replaced.
#[derive(Clone, Debug)]
pub struct PtrEq<T>(pub Arc<T>);

impl<T> PartialEq for PtrEq<T> {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct MessageRow {
    pub message: PtrEq<Message>,
    pub unanswered: bool,
    /// True if it continues the turn of the previous message after tools.
    pub continued: bool,
    /// Usage of the turn, on its last answer.
    pub ends_turn: Option<TurnFigures>,
    /// True for the first shown message of a day, as set by [`mark_days`].
    pub opens_day: bool,
    /// Images that the model was not sent because it accepts none.
    pub unsupported_attachments: Vec<String>,
    /// Its turn, if that began with [`inbox_notes`].
    pub notes_of: Option<TurnId>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum TimelineRow {
    Message(MessageRow),
    Tool {
        run: PtrEq<ToolRun>,
        /// The mind before and after, if it changed and both are loaded.
        minds: Option<(PtrEq<Mind>, PtrEq<Mind>)>,
        /// The minds that its proposed writes apply to, while it waits for approval.
        approval: Option<ApprovalMinds>,
        group: Option<ToolGroup>,
    },
    Retrying {
        turn: TurnId,
        agent: AgentKey,
        provider: ProviderId,
        /// The pending attempt and its time.
        retry: PendingRetry,
        /// The error that caused the wait; `None` if the wait is due to other requests.
        failure: Option<ProviderError>,
    },
    Ending {
        turn: PtrEq<Turn>,
        end: TurnEnd,
        /// True if a retry is offered: the agent has neither retried nor, after a stop, continued.
        retry: bool,
        /// True if the turn has text to continue from.
        has_text: bool,
        /// True if no later turn called this provider: its key may be asked for here.
        is_last_of_provider: bool,
    },
    /// A turn that summarises older turns. The whole history stays above it.
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
    NotAsked {
        run: RunId,
        /// The agents, in the order in which they would have run.
        agents: Vec<AgentKey>,
    },
    Unread,
    Siblings {
        /// The turn on the path to the head.
        turn: TurnId,
        /// All siblings including it, oldest first.
        all: Vec<TurnId>,
    },
    /// The session was reset to an earlier head; later turns exist.
    Ahead {
        /// The newest of the later turns.
        to: TurnId,
    },
    /// The messages below belong to a forked session.
    Forked {
        /// The parent session, if it still exists.
        from: Option<SessionId>,
        label: String,
    },
}

/// Successive calls of one tool in one answer that succeeded, folded into one card.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ToolGroup {
    pub first: ToolRunId,
    pub calls: usize,
    pub lines: LineCount,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TurnFigures {
    pub calls: usize,
    /// Sent and received; `None` if no response reported them.
    pub tokens: Option<(u64, u64)>,
    /// Estimated cost, failed attempts included; `None` if a price is unknown.
    pub cost: Option<Cost>,
}

impl TimelineRow {
    pub fn message(&self) -> Option<&Arc<Message>> {
        if let Self::Message(row) = self { Some(&row.message.0) } else { None }
    }

    pub fn tool(&self) -> Option<&PtrEq<ToolRun>> {
        if let Self::Tool { run, .. } = self { Some(run) } else { None }
    }

    pub fn group(&self) -> Option<ToolGroup> {
        if let Self::Tool { group, .. } = self { *group } else { None }
    }

    /// The tool, if the row can be part of a group.
    fn grouped_tool(&self) -> Option<&str> {
        let run = &self.tool()?.0;
        (run.status == ToolStatus::Succeeded && run.worker.is_none()).then_some(&run.call.name)
    }
}

/// The minds for a tool run's proposed writes: now, and as the model saw it.
#[derive(Clone, Debug, PartialEq)]
pub struct ApprovalMinds {
    pub now: PtrEq<Mind>,
    pub shown: PtrEq<Mind>,
}

impl ApprovalMinds {
    /// Computes the changes of a tool run. Not part of the timeline, because comparing texts is expensive.
    pub fn proposal(&self, run: &ToolRun) -> ProposedChanges {
        let PtrEq(before) = &self.now;
        match resolve(before, &self.shown.0, &run.proposed) {
            Ok(edits) => {
                let after = Arc::new(before.with(&edits));
                let touched = changes_between(before, &after);
                ProposedChanges::Changes { touched, before: Arc::clone(before), after }
            }
            Err(error) => ProposedChanges::Rejected(error),
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum ProposedChanges {
    Changes { touched: Vec<FileChange>, before: Arc<Mind>, after: Arc<Mind> },
    Rejected(WriteError),
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Timeline {
    /// The rows, oldest first.
    pub rows: Vec<(TimelineKey, TimelineRow)>,
    /// The oldest loaded turn, if earlier turns exist.
    pub earlier: Option<TurnId>,
}

/// The timeline of a session, as far as it is loaded. `seen` is the sequence of the newest message read before the
/// reader was away.
pub fn timeline(world: &World, id: SessionId, seen: Option<u64>) -> Timeline {
    timeline_above(world, id, seen, 0)
}

/// As [`timeline`], without turns below depth `floor`: turns loaded only for a model's context are not shown, and
/// rows that do not exist cost nothing on updates.
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

/// Marks the first message of each local day. The oldest day is marked only if it is not today: a conversation of one
/// day needs no heading.
pub fn mark_days(rows: &mut [(TimelineKey, TimelineRow)], today: i64, day_of: impl Fn(Millis) -> i64) {
    let mut last = today;
    for (_, row) in rows {
        if let TimelineRow::Message(row) = row {
            let day = day_of(row.message.0.created_at);
            row.opens_day = day != last;
            last = day;
        }
    }
}

/// Stored notices belong to no turn; their sequence places them. Notices after a turn of another branch are omitted.
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
        // Notices of earlier versions do not name their turn; the message right before them does.
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
    /// Notices without a row yet, newest first.
    notices: Vec<&'w Arc<Message>>,
    /// Messages with a row: a retried turn has the same query again.
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
                let names = vision::unsupported_attachments(self.world, turn);
                let notes_of = inbox_notes(self.world, turn).next().map(|_| turn.id);
                if let Some(row) = self.message_row(*id) {
                    (row.unsupported_attachments, row.notes_of) = (names, notes_of);
                }
            }
        }
        self.note_figures(turn);
        let end = turn.end.filter(|end| *end != TurnEnd::Completed);
        if let Some(end) = end {
            let stopped = matches!(end, TurnEnd::Cancelled | TurnEnd::Interrupted);
            let again =
                |other: &&Arc<Turn>| other.agent == turn.agent && (stopped || other.answers == turn.answers);
            let retry = !later.iter().any(again);
            // A turn can be continued only in its own session.
            let has_text = turn.session == self.session.id
                && turn.messages.iter().filter_map(|id| self.world.message(id)).any(|message| {
                    message.role == Role::Assistant && !text_of(&message.parts).trim().is_empty()
                });
            let is_last_of_provider =
                !later.iter().any(|other| other.config.provider == turn.config.provider);
            let turn = PtrEq(Arc::clone(turn));
            self.rows.push((
                TimelineKey::Ending(turn.0.id),
                TimelineRow::Ending { turn, end, retry, has_text, is_last_of_provider },
            ));
        }
        if let Some(retry) = turn.retry() {
            let failure = turn.calls.last().and_then(|call| call.failures.last()).cloned();
            let (agent, provider) = (turn.agent.clone(), turn.config.provider.clone());
            let row = TimelineRow::Retrying { turn: turn.id, agent, provider, retry, failure };
            self.rows.push((TimelineKey::Retrying(turn.id), row));
        }
        let next = later.first();
        let below = next.map_or(self.session.id, |next| next.session);
        let round_continues = next.is_some_and(|next| (next.run, next.round) == (turn.run, turn.round));
        if !round_continues && let Some(run) = turn.run.and_then(|id| self.world.run(&id)) {
            // A run's last round ends a moment after its last turn.
            let is_shown = |summary: &&RoundSummary| summary.round == turn.round && run.keeps_going();
            for summary in run.round_summaries.iter().filter(is_shown) {
                let key = TimelineKey::Round(run.id, summary.round);
                self.rows.push((key, TimelineRow::Round(summary.clone())));
            }
        }
        // The picked lane of a race belongs to the session that started it.
        let is_lane = |one: SessionId, other: SessionId| {
            self.world.session(&one).is_some_and(|row| row.is_candidate_of(other))
        };
        if below != turn.session && !is_lane(below, turn.session) && !is_lane(turn.session, below) {
            let above = self.world.session(&turn.session).filter(|above| above.deleted_at.is_none());
            let row = TimelineRow::Forked {
                from: above.map(|above| above.id),
                label: above.map(|above| above.name().into_owned()).unwrap_or_default(),
            };
            self.rows.push((TimelineKey::Forked(turn.id), row));
        }
    }

    fn message(&mut self, id: &MessageId, unanswered: bool, continued: bool) {
        let Some(message) = self.world.message(id) else { return };
        if !self.shown.insert(*id) {
            return;
        }
        // Sequences are per session: messages before a fork are above all of the fork's own.
        let is_own = message.session == self.session.id;
        let is_before = |notice: &mut &Arc<Message>| is_own && notice.sequence < message.sequence;
        while let Some(notice) = self.notices.pop_if(is_before) {
            self.push_message(notice, false, false);
        }
        // A tool message is shown as the card of its tool run, below the message with the call.
        if message.role == Role::Tool {
            return;
        }
        self.push_message(message, unanswered, continued);
        let from = self.rows.len();
        for id in &message.metadata.tool_run_ids {
            if let Some(run) = self.world.tool_run(id) {
                let minds = run.minds.as_ref().and_then(|(before, after)| {
                    let loaded = |hash| self.world.mind(hash).map(|mind| PtrEq(Arc::clone(mind)));
                    Some((loaded(before)?, loaded(after)?))
                });
                let approval = approval_minds(self.world, run);
                let run = PtrEq(Arc::clone(run));
                let row = TimelineRow::Tool { run, minds, approval, group: None };
                self.rows.push((TimelineKey::Tool(*id), row));
            }
        }
        group_calls(self.rows.get_mut(from..).unwrap_or_default());
    }

    /// Sets the figures of a turn on its last answer.
    fn note_figures(&mut self, turn: &Turn) {
        let is_answer = |message: &&Arc<Message>| message.role == Role::Assistant;
        let answers: Vec<_> =
            turn.messages.iter().filter_map(|id| self.world.message(id)).filter(is_answer).collect();
        let Some(last) = answers.last().map(|message| message.id) else { return };
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
        if let Some(row) = self.message_row(last) {
            row.ends_turn = Some(figures);
        }
    }

    /// The row of a message, looked up from the end.
    fn message_row(&mut self, id: MessageId) -> Option<&mut MessageRow> {
        let row = self.rows.iter_mut().rev().find(|(key, _)| *key == TimelineKey::Message(id));
        if let Some((_, TimelineRow::Message(row))) = row { Some(row) } else { None }
    }

    fn push_message(&mut self, message: &Arc<Message>, unanswered: bool, continued: bool) {
        let is_own = message.session == self.session.id;
        if is_own && message.role != Role::User && self.seen.is_some_and(|seen| message.sequence > seen) {
            self.seen = None;
            self.rows.push((TimelineKey::Unread, TimelineRow::Unread));
        }
        let row = MessageRow {
            message: PtrEq(Arc::clone(message)),
            unanswered,
            continued,
            ends_turn: None,
            opens_day: false,
            unsupported_attachments: Vec::new(),
            notes_of: None,
        };
        self.rows.push((TimelineKey::Message(message.id), TimelineRow::Message(row)));
    }

    /// Adds the rows below the thread: unanswered messages, and what the newest run needs from the operator.
    fn end(&mut self) {
        let race = workers::open_race(self.world, self.session);
        for id in &self.session.unanswered {
            let is_asked = race.is_some_and(|race| race.messages.contains(id));
            self.message(id, !is_asked, false);
        }
        while let Some(notice) = self.notices.pop() {
            self.push_message(notice, false, false);
        }
        let Some(run) = self.session.run.and_then(|id| self.world.run(&id)) else { return };
        if !run.status.is_open()
            && !self.session.former.is_empty()
            && let Some(to) = self.session.head.and_then(|head| continuation(self.world, self.session, head))
        {
            self.rows.push((TimelineKey::Ahead, TimelineRow::Ahead { to }));
        }
        if let Some(row) = self.run_prompt(run) {
            self.rows.push((TimelineKey::Waiting(run.id), row));
        }
    }

    fn run_prompt(&self, run: &Run) -> Option<TimelineRow> {
        match run.status {
            // A race has its own panel.
            RunStatus::Paused if run.pause == Some(PauseCause::Choice) => None,
            RunStatus::Paused => {
                let cause = run.pause.clone().unwrap_or(PauseCause::Interrupted);
                // What the operator raises is the limit of the whole group.
                let counted = workers::budgets(self.world, run).last().unwrap_or(run);
                Some(TimelineRow::Paused { run: run.id, cause, used: workers::charged(self.world, counted) })
            }
            // Nodes that a graph did not reach are no question.
            RunStatus::Completed if run.graph.is_some() => None,
            RunStatus::Completed | RunStatus::Cancelled | RunStatus::Failed | RunStatus::TimedOut => {
                // A paused run that the operator ended is over; only a run that was stopped while running can
                // continue.
                let turns = run.nodes.iter().filter_map(|node| self.world.turn(node.turn.as_ref()?));
                let newest = turns.max_by_key(|turn| turn.id)?;
                if run.status == RunStatus::Cancelled && newest.end != Some(TurnEnd::Cancelled) {
                    return None;
                }
                // A run that ended on another branch is offered there.
                if self.session.head != Some(newest.id) {
                    return None;
                }
                let agents = remaining_agents(run);
                (!agents.is_empty()).then_some(TimelineRow::NotAsked { run: run.id, agents })
            }
            RunStatus::Queued | RunStatus::Running => None,
        }
    }
}

/// What a turn began with and no other row shows: results of nodes without a model, such as failed checks, and messages
/// of the operator to its node.
pub fn inbox_notes<'w>(world: &'w World, turn: &'w Turn) -> impl Iterator<Item = &'w Envelope> {
    let run = world.run_of(turn);
    let node = move |it: &Envelope| run.and_then(|run| run.node(&it.node_id));
    let is_result = move |it: &Envelope| node(it).is_some_and(Node::calls_no_model);
    turn.inbox.iter().filter(move |it| it.kind == kinds::OPERATOR || is_result(it))
}

fn group_calls(rows: &mut [(TimelineKey, TimelineRow)]) {
    const MIN_CALLS: usize = 5;
    let is_same = |(_, one): &(_, TimelineRow), (_, other): &(_, TimelineRow)| {
        one.grouped_tool().is_some_and(|tool| other.grouped_tool() == Some(tool))
    };
    for calls in rows.chunk_by_mut(is_same).filter(|calls| calls.len() >= MIN_CALLS) {
        let runs = || calls.iter().filter_map(|(_, row)| row.tool());
        let lines = runs().flat_map(|run| &run.0.touched).map(|one| one.lines).sum();
        let of = runs().next().map(|run| ToolGroup { first: run.0.id, calls: calls.len(), lines });
        for (_, row) in calls {
            if let TimelineRow::Tool { group, .. } = row {
                *group = of;
            }
        }
    }
}

pub fn approval_minds(world: &World, run: &ToolRun) -> Option<ApprovalMinds> {
    if run.status != ToolStatus::AwaitingApproval || run.proposed.is_empty() {
        return None;
    }
    let now = world.working_mind(world.session(&run.session)?)?;
    let shown = world.turn(&run.turn).and_then(|turn| world.mind(&turn.mind_shown));
    let shown = PtrEq(Arc::clone(shown.unwrap_or(now)));
    Some(ApprovalMinds { now: PtrEq(Arc::clone(now)), shown })
}

/// The agents that a run did not reach, in the order in which they would have run.
fn remaining_agents(run: &Run) -> Vec<AgentKey> {
    let nodes = run.nodes.iter().filter(|node| node.status == NodeStatus::Idle && node.turn.is_none());
    let nodes = by_key(nodes, |node| (Reverse(node.priority), node.place));
    nodes.iter().filter_map(|node| node.agent.clone()).collect()
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConversationMatch {
    pub key: TimelineKey,
    /// Index among the matches of this row, from 0.
    pub nth: usize,
}

/// All matches of `wanted` in row order; only the newest if there are more than the limit.
pub fn find<'r>(
    rows: impl DoubleEndedIterator<Item = &'r (TimelineKey, TimelineRow)>,
    wanted: &str,
    any_case: bool,
) -> Vec<ConversationMatch> {
    let folded = |text: &str| if any_case { text.to_lowercase() } else { text.to_owned() };
    let needle = folded(wanted);
    if needle.is_empty() {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (key, row) in rows.rev() {
        let count: usize = texts(row).iter().map(|text| folded(text).matches(&needle).count()).sum();
        let room = FIND_PLACES.saturating_sub(found.len());
        found.extend((0..count).rev().take(room).map(|nth| ConversationMatch { key: key.clone(), nth }));
        if found.len() >= FIND_PLACES {
            break;
        }
    }
    found.reverse();
    found
}

/// Index of the current match after the matches changed: the same match if it still exists, else the newest.
pub fn current_match(matches: &[ConversationMatch], before: Option<&ConversationMatch>) -> Option<usize> {
    let same = before.and_then(|before| matches.iter().position(|place| place == before));
    same.or_else(|| matches.len().checked_sub(1))
}

fn texts(row: &TimelineRow) -> Vec<String> {
    if let Some(message) = row.message() {
        return vec![text_of(&message.parts)];
    }
    let Some(PtrEq(run)) = row.tool() else { return Vec::new() };
    let mut out = vec![run.call.name.clone()];
    match &run.call.args {
        ToolArgs::Parsed(args) => leaves(args, &mut out),
        ToolArgs::Broken(text) => out.push(text.clone()),
    }
    if let Some(result) = &run.result {
        leaves(result, &mut out);
    }
    out
}

#[cfg(test)]
mod tests;

#[cfg(test)]
mod conversation_search_tests;
