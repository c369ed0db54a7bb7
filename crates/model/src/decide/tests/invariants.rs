//! Property test of the nine tree invariants over random sequences of commands.
//!
//! The sequences cover several sessions: messages, tools, forks, edited messages, head moves, compactions, merges,
//! archived and restored sessions.

use proptest::prelude::*;
use serde_json::json;

use super::DecideFixture;
use crate::command::{FailedAttempt, JobAnswer, MergeRequest};
use crate::context::compaction::{CompactionPlan, thread_context};
use crate::context::window::between_calls;
use crate::decide::merge::branches;
use crate::decide::*;
use crate::event::SessionChange;
use crate::fold::fold;
use crate::job::JobSlot;
use crate::limits::TOOL_ROUNDS;
use crate::llm::Usage;
use crate::message::MessageStatus;
use crate::message::content::{PartBody, ToolArgs, ToolCall, calls_of};
use crate::mind::merge::MindMerge;
use crate::provider::{ProviderError, ProviderErrorKind};
use crate::session::SessionStatus;
use crate::turn::tree::add_threads;
use crate::turn::{Thread, Turn, TurnEnd, TurnKind};
use nexus_text::merge3::Resolution;
use nexus_text::testing::check_until_seen;
use nexus_text::vec_map::{VecMap, VecSet};

/// Rows that must never change.
#[derive(Default)]
pub(in crate::decide) struct ImmutableRows {
    turns: VecMap<TurnId, Turn>,
    messages: VecMap<MessageId, (Vec<MessagePart>, MessageStatus, Option<TurnEnd>)>,
    events: usize,
}

impl ImmutableRows {
    pub(in crate::decide) fn holds(&mut self, device: &DecideFixture) -> Result<(), TestCaseError> {
        let world = &device.world;
        // 1: append-only.
        prop_assert!(device.events.len() >= self.events);
        self.events = device.events.len();
        for turn in world.turns.values().filter(|turn| !turn.phase.is_open()) {
            let before = self.turns.get_or_insert_with(turn.id, || turn.as_ref().clone());
            prop_assert_eq!(&*before, turn.as_ref(), "a closed turn changed");
        }
        for message in world.messages.values() {
            let failed = message.status == MessageStatus::Failed;
            prop_assert_eq!(failed, message.failed_reason.is_some(), "{:?}", message);
            if message.status == MessageStatus::Processing {
                prop_assert!(!self.messages.contains_key(&message.id), "a message is written again");
                continue;
            }
            let now = (message.parts.clone(), message.status, message.failed_reason);
            let before = self.messages.get_or_insert_with(message.id, || now.clone());
            prop_assert_eq!(&*before, &now, "a message changed");
        }
        // 2 and 7: parents exist, and each history has a beginning.
        for turn in world.turns.values() {
            prop_assert!(turn.parent.is_none_or(|parent| world.turn(&parent).is_some()));
            let path: Vec<_> = world.ancestry(Some(turn.id)).map(|turn| turn.id).collect();
            prop_assert_eq!(path.iter().copied().collect::<VecSet<_>>().len(), path.len());
            prop_assert!(world.turn(path.last().unwrap()).unwrap().parent.is_none());
            // Only a merge joins two branches.
            prop_assert_eq!(turn.second_parent.is_some(), turn.kind == TurnKind::Merge);
            let other = turn.second_parent.map(|other| world.turn(&other));
            prop_assert!(other.is_none_or(|other| other.is_some_and(|other| !other.phase.is_open())));
            tools_are_resolved(world, turn)?;
            // 8: a compaction has a row that fits its thread.
            let row = world.compaction(&turn.id);
            prop_assert_eq!(row.is_some(), turn.kind == TurnKind::Compaction);
            if let Some(row) = row {
                prop_assert_eq!((row.turn, row.session), (turn.id, turn.session));
                let at = |id: TurnId| path.iter().position(|other| *other == id).filter(|at| *at > 0);
                let through = at(row.through);
                prop_assert!(through.is_some(), "what is summarised is not in its thread");
                prop_assert!(row.first_kept.is_none_or(|kept| at(kept).is_some_and(|at| Some(at) < through)));
                let prior = row.prior.and_then(|prior| world.compaction(&prior));
                prop_assert!(row.prior.is_none_or(|id| at(id).is_some()));
                prop_assert_eq!(row.prior.is_some(), prior.is_some_and(|prior| prior.summary.is_some()));
                let made = turn.end == Some(TurnEnd::Completed);
                prop_assert!(turn.phase.is_open() || made == row.summary.is_some(), "{:?}", row);
            }
        }
        // 3: each turn has a thread, and the cached threads are right.
        let mut threads = VecMap::new();
        add_threads(&mut threads, world.turns.values().map(|turn| Thread::alone(turn)));
        let cached: VecMap<_, _> =
            world.threads.iter().map(|(id, thread)| (*id, thread.as_ref().clone())).collect();
        prop_assert_eq!(cached, threads);
        let mut open: VecSet<SessionId> = VecSet::new();
        for turn in world.turns.values().filter(|turn| turn.phase.is_open()) {
            prop_assert!(open.insert(turn.session), "two open turns in a session");
        }
        for session in world.sessions.values() {
            self.check_session(device, session)?;
        }
        Ok(())
    }

    fn check_session(&self, device: &DecideFixture, session: &Session) -> Result<(), TestCaseError> {
        let world = &device.world;
        // 4: a session points to a closed turn or none, and its mind exists.
        let head = session.head.map(|head| world.turn(&head).unwrap());
        prop_assert!(head.is_none_or(|head| !head.phase.is_open()));
        prop_assert!(world.mind(&session.mind).is_some());
        for left in &session.former {
            prop_assert!(left.turn.is_none_or(|turn| world.turn(&turn).is_some()));
            prop_assert!(world.mind(&left.mind).is_some());
        }
        // A running compaction is an open turn, or an open turn waits for it.
        if let Some(id) = session.archivist.compacting {
            prop_assert!(world.compaction(&id).is_some_and(|row| row.turn == id));
            prop_assert!(world.open_turn(session).is_some(), "nothing will ever end the compaction");
        }
        // 5: messages in order, without gaps.
        let of = world.messages.values().filter(|message| message.session == session.id);
        let sequences: VecSet<u64> = of.map(|message| message.sequence).collect();
        prop_assert_eq!(sequences, (1..=session.last_sequence).collect::<VecSet<_>>());
        // 9: every move of the head is in the stream, and every turn continues from the head: no accidental fork.
        let mut at = None;
        for event in device.events.iter().filter(|event| event.stream.session() == Some(session.id)) {
            match event.known_kind() {
                Some(EventKind::SessionChanged { change: SessionChange::Created(created) }) => {
                    at = created.session.head;
                }
                Some(EventKind::TurnOpened { turn }) => prop_assert_eq!(turn.parent, at, "{:?}", turn),
                Some(EventKind::HeadMoved { from, to, by_hand, .. }) => {
                    prop_assert_eq!(*from, at);
                    // A closing turn never undoes a move of the head.
                    let turn = to.filter(|_| by_hand.is_none()).and_then(|to| world.turn(&to));
                    prop_assert!(turn.is_none_or(|turn| turn.parent == at), "{:?} from {:?}", turn, at);
                    at = *to;
                }
                _ => {}
            }
        }
        prop_assert_eq!(at, session.head);
        Ok(())
    }
}

/// 6: no tool run outlives its turn, and each requested call has a result.
///
/// Calls beyond the last round are no tool runs, and prompts leave them out.
fn tools_are_resolved(world: &World, turn: &Turn) -> Result<(), TestCaseError> {
    if turn.phase.is_open() {
        return Ok(());
    }
    let runs = turn.tool_runs.iter().map(|id| world.tool_run(id).unwrap());
    prop_assert!(runs.clone().all(|run| !run.status.is_open() && run.ended_at.is_some()));
    let beyond = usize::try_from(TOOL_ROUNDS).unwrap();
    let messages: Vec<_> = turn.messages.iter().map(|id| world.message(id).unwrap()).collect();
    let answers = messages.iter().filter(|message| message.role == Role::Assistant);
    for (round, message) in answers.enumerate() {
        let requested: Vec<_> = calls_of(&message.parts).map(|call| call.id.as_str()).collect();
        let resolved: Vec<_> = runs.clone().filter(|run| run.requested_by == message.id).collect();
        if turn.end == Some(TurnEnd::TimedOut) && round == beyond {
            prop_assert!(resolved.is_empty() && !requested.is_empty());
            continue;
        }
        let calls: Vec<_> = resolved.iter().map(|run| run.call.id.as_str()).collect();
        prop_assert_eq!(&calls, &requested, "a call without a result");
        for run in resolved {
            let results: Vec<_> = messages
                .iter()
                .filter(|row| row.role == Role::Tool && row.metadata.tool_run_ids == [run.id])
                .collect();
            prop_assert_eq!(results.len(), 1, "a tool run has one result");
            prop_assert_eq!(results[0].tool_call_id.as_deref(), Some(run.call.id.as_str()));
        }
    }
    Ok(())
}

pub(in crate::decide) fn nth<T: Copy>(all: impl IntoIterator<Item = T>, at: usize) -> Option<T> {
    let all: Vec<T> = all.into_iter().collect();
    all.get(at.checked_rem(all.len())?).copied()
}

/// Counts the situations that the invariants are about: a test that never reaches them proves nothing.
#[derive(Clone, Copy, Debug, Default)]
struct Coverage {
    compactions: usize,
    later_compactions: usize,
    failed_compactions: usize,
    within_turns: usize,
    merges: usize,
    merges_with_conflicts: usize,
    forks_from_before: usize,
    restored: usize,
    archived: usize,
    beyond_rounds: usize,
    failed_messages: usize,
}

impl Coverage {
    fn of(device: &DecideFixture) -> Self {
        let world = &device.world;
        let turns = |kind| world.turns.values().filter(move |turn| turn.kind == kind);
        let row = |turn: &Turn| world.compaction(&turn.id).unwrap().clone();
        let made = || turns(TurnKind::Compaction).map(|turn| row(turn)).filter(|row| row.summary.is_some());
        let changes = |wanted: fn(&SessionChange) -> bool| {
            let is = |event: &&Event| matches!(event.known_kind(), Some(EventKind::SessionChanged { change }) if wanted(change));
            device.events.iter().filter(is).count()
        };
        let is_summarised = |turn: TurnId| {
            made().any(|row| world.ancestry(Some(row.through)).any(|summarised| summarised.id == turn))
        };
        let forks = world.sessions.values().filter(|session| session.parent.is_some());
        Self {
            compactions: made().count(),
            later_compactions: made().filter(|row| row.prior.is_some()).count(),
            failed_compactions: turns(TurnKind::Compaction)
                .filter(|turn| row(turn).failure.is_some())
                .count(),
            // Behind a turn of the same node.
            within_turns: made()
                .filter(|row| {
                    let turn = world.turn(&row.turn).unwrap();
                    let before = turn.parent.and_then(|parent| world.turn(&parent));
                    before.is_some_and(|before| before.closed_at >= row.ended_at && before.opened_at < row.at)
                })
                .count(),
            merges: turns(TurnKind::Merge).count(),
            merges_with_conflicts: 0,
            forks_from_before: forks.filter(|fork| fork.head.is_some_and(is_summarised)).count(),
            restored: changes(|change| matches!(change, SessionChange::Restored)),
            archived: changes(|change| matches!(change, SessionChange::Status(SessionStatus::Archived))),
            beyond_rounds: turns(TurnKind::Normal)
                .filter(|turn| turn.calls.len() > usize::try_from(TOOL_ROUNDS).unwrap())
                .count(),
            failed_messages: world
                .messages
                .values()
                .filter(|message| message.status == MessageStatus::Failed)
                .count(),
        }
    }

    fn all(&self) -> [(&'static str, usize); 11] {
        [
            ("compactions", self.compactions),
            ("later compactions", self.later_compactions),
            ("failed compactions", self.failed_compactions),
            ("compactions within a turn", self.within_turns),
            ("merges", self.merges),
            ("merges with clashes", self.merges_with_conflicts),
            ("forks from before a compaction", self.forks_from_before),
            ("restored sessions", self.restored),
            ("archived sessions", self.archived),
            ("turns beyond their rounds", self.beyond_rounds),
            ("failed messages", self.failed_messages),
        ]
    }
}

impl DecideFixture {
    /// The Archivist's next command for a requested or running compaction.
    pub(in crate::decide) fn archivist(&self, seed: usize) -> Option<Command> {
        let (session, row) = (self.session, self.row());
        let failure = ProviderError::new(ProviderErrorKind::Server, "down");
        let usage = Usage { input: Some(10), output: Some(3), ..Usage::default() };
        if let Some(job) = row.jobs.of(JobSlot::Compaction).map(|job| job.id) {
            if seed.is_multiple_of(3) {
                let retry_in_ms = seed.is_multiple_of(2).then_some(5);
                let failed = FailedAttempt { usage, retry_in_ms, ..FailedAttempt::unmade(failure) };
                return Some(Command::RecordJobFailure { session, job, failed });
            }
            let summary = format!("what was before {}", self.now);
            let answer = JobAnswer::Compaction { summary, tokens_after: 5 };
            return Some(Command::RecordJob { session, job, answer, usage });
        }
        row.archivist.pending.as_ref()?;
        let context = thread_context(&self.world, row.head);
        let ids: Vec<_> = context.turns.iter().map(|turn| turn.id).collect();
        let cut = nth(1..ids.len(), seed).filter(|_| !seed.is_multiple_of(7));
        let Some(cut) = cut else {
            return Some(Command::DropCompaction { session, failure });
        };
        let plan = CompactionPlan {
            through: ids[cut - 1],
            first_kept: Some(ids[cut]),
            turns: u32::try_from(cut).unwrap(),
            tokens_before: 100,
            tokens_kept: 50,
        };
        Some(Command::OpenCompaction { session, plan, cut: false })
    }

    /// Requests a compaction for the open turn or the next node.
    fn compaction_before_call(&self) -> Option<Command> {
        let run = self.world.open_run(self.row())?;
        let open = self.world.open_turn(self.row()).and_then(|turn| turn.node.clone());
        let node = open.or_else(|| run.next_ready().map(|node| node.id.clone()))?;
        Some(Command::RequestCompaction { run: run.id, node })
    }

    /// The merge of a turn into the session with every conflict resolved to one side, and whether there was any.
    pub(in crate::decide) fn merge(
        &self,
        other: TurnId,
        from: Option<SessionId>,
        side: &Resolution,
    ) -> (Command, bool) {
        let row = self.row();
        let (head, mind) = (row.head, row.mind);
        let theirs = mind;
        let mut merging =
            MergeRequest { session: self.session, head, mind, other, from, theirs, resolutions: Vec::new() };
        let ours = self.world.working_mind(row).unwrap();
        if let Ok(branches) = branches(&self.world, row, &merging) {
            merging.theirs = branches.theirs.hash();
            let fields = MindMerge::of(&branches.base, ours, &branches.theirs).fields;
            let conflicts = fields.iter().filter(|field| field.conflict_count() > 0);
            merging.resolutions = conflicts
                .map(|field| (field.field.clone(), vec![side.clone(); field.conflict_count()]))
                .collect();
        }
        let in_conflict = !merging.resolutions.is_empty();
        (Command::MergeBranch(merging), in_conflict)
    }

    /// Makes a turn wait for a compaction between two calls; the compaction may fail or be stopped.
    fn compact_within(&mut self, seed: usize) {
        for _ in 0..24 {
            if between_calls(&self.world, self.row()).is_some() {
                break;
            }
            // Commands may be rejected here, as in use.
            let next = self.archivist(1).unwrap_or_else(|| self.command(self.next_action(8)));
            drop(self.run(&next));
        }
        let asks = self.compaction_before_call();
        if asks.is_some_and(|asks| self.run(&asks).is_ok()) {
            for _ in 0..seed % 4 {
                if let Some(next) = self.archivist(seed) {
                    drop(self.run(&next));
                }
            }
        }
    }

    /// Makes the same edit in the session and in a fork, and merges them.
    fn fork_and_merge(&mut self, fork: SessionId, side: &Resolution) -> bool {
        let main = self.session;
        // Commands may be rejected here, as in use.
        drop(self.run(&Command::Stop { session: main }));
        let Some(turn) = self.row().head else { return false };
        let label = String::new();
        drop(self.run(&Command::ContinueFrom { session: fork, from: main, turn, mind: None, label }));
        if self.world.session(&fork).is_none() {
            return false;
        }
        for session in [main, fork] {
            self.session = session;
            drop(self.run(&self.command(21)));
        }
        self.session = main;
        let (command, in_conflict) = self.merge(turn, Some(fork), side);
        self.run(&command).is_ok() && in_conflict
    }

    /// Answers that request tools again and again.
    fn repeat_tool_calls(&mut self, written: &mut ImmutableRows) -> Result<(), TestCaseError> {
        for _ in 0..60 {
            if self.world.open_turn(self.row()).is_none_or(|turn| turn.kind != TurnKind::Normal) {
                break;
            }
            // The mind and the text change each time, so that the loop guard finds no loop.
            let call = |id: String| {
                let args = ToolArgs::Parsed(json!({ "at": self.now }));
                PartBody::ToolCall(ToolCall { id, own_id: false, name: "t".into(), args }).into()
            };
            let mut command = self.command(self.next_action(8));
            if let Command::RecordAnswer { call: number, answer, .. } = &mut command {
                answer.parts = vec![call(format!("{number}-a")), call(format!("{number}-b"))];
            }
            if self.run(&command).is_err() {
                break;
            }
        }
        written.holds(self)
    }
}

/// Runs random commands and checks the invariants after each one.
fn run_steps(steps: Vec<(u8, u16)>) -> Result<Coverage, TestCaseError> {
    let mut device = DecideFixture::new();
    let mut written = ImmutableRows::default();
    let mut conflicts = 0;
    for (step, seed) in steps {
        let seed = usize::from(seed);
        let session = device.session;
        let turn = nth(device.world.turns.keys().copied(), seed);
        let message = nth(device.world.messages.keys().copied(), seed);
        let agent = device.world.agents.keys().nth(seed % 3).unwrap().clone();
        let text = format!("say {seed}");
        let other = nth(device.world.sessions.keys().copied(), seed).unwrap();
        let fresh = SessionId::new(&mut device.ids);
        let label = if seed % 3 == 0 { "same".to_owned() } else { String::new() };
        let mut with_conflict = false;
        let natural = || device.command(device.next_action(if seed % 4 == 0 { 8 } else { 20 }));
        let command = match (step, turn, message) {
            (0, Some(turn), _) => {
                Command::ContinueFrom { session: fresh, from: session, turn, mind: None, label }
            }
            (1, Some(to), _) => Command::MoveHead { session, to, newest: seed % 2 == 0 },
            (2, _, Some(message)) => {
                Command::Resend { session, message, text, attachments: Vec::new(), overrides: None }
            }
            (3, Some(turn), _) => {
                let agent = (seed % 2 == 0).then_some(agent);
                Command::TryAgain { session, turn, agent, config: None, tools: None }
            }
            (4, ..) => {
                device.session = other;
                continue;
            }
            (5, ..) => Command::DeleteSession { session: other },
            (6, ..) => Command::RestoreSession { session: other },
            (7, ..) => {
                let status = if seed % 2 == 0 { SessionStatus::Archived } else { SessionStatus::Open };
                Command::SetSessionStatus { session: other, status }
            }
            (8, ..) => device.command(9),
            (9, ..) if seed % 3 == 0 => device.command(11),
            (9, ..) if seed % 3 == 1 => device.command(15),
            (10 | 11, ..) => device.command(21),
            (12, ..) => Command::LabelSession { session: other, label: format!("label {}", seed % 4) },
            (13, ..) => Command::Compact { session, agent, focus: String::new() },
            (14 | 15, ..) => device.compaction_before_call().unwrap_or_else(natural),
            (16 | 17, Some(turn), _) => {
                let side = if seed % 2 == 0 { Resolution::Ours } else { Resolution::Theirs };
                let from = device.world.session(&other).filter(|row| seed % 5 > 0 && row.id != session);
                let head = from.and_then(|from| from.head).unwrap_or(turn);
                let (command, in_conflict) = device.merge(head, from.map(|from| from.id), &side);
                with_conflict = in_conflict;
                command
            }
            (18, ..) if seed % 4 == 0 => {
                device.repeat_tool_calls(&mut written)?;
                continue;
            }
            (18 | 19, ..) if seed % 4 == 2 => {
                device.compact_within(seed / 4);
                written.holds(&device)?;
                continue;
            }
            (18, ..) if seed % 4 == 1 => {
                let side = if seed % 3 == 0 { Resolution::Ours } else { Resolution::Theirs };
                conflicts += usize::from(device.fork_and_merge(fresh, &side));
                written.holds(&device)?;
                continue;
            }
            _ => device.archivist(seed).unwrap_or_else(natural),
        };
        let before = device.events.len();
        if device.run(&command).is_err() {
            prop_assert_eq!(device.events.len(), before, "a rejected command adds no events");
        } else if with_conflict {
            conflicts += 1;
        }
        written.holds(&device)?;
    }
    // Streams can be folded one after another: the stream of a fork contains the past that it needs.
    let json = serde_json::to_string(&device.events).unwrap();
    let again: Vec<Event> = serde_json::from_str(&json).unwrap();
    prop_assert!(fold(&World::default(), &again) == device.world, "fold from empty differs");
    Ok(Coverage { merges_with_conflicts: conflicts, ..Coverage::of(&device) })
}

#[test]
fn nine_invariants_hold_after_random_commands() {
    let steps = proptest::collection::vec((0u8..34, any::<u16>()), 1..140);
    let config = ProptestConfig { source_file: Some(file!()), ..ProptestConfig::with_cases(160) };
    let kinds = Coverage::default().all().map(|(what, _)| what);
    check_until_seen(&config, kinds, &steps, |steps, see| {
        let seen = run_steps(steps)?.all().into_iter().filter(|(_, times)| *times > 0);
        seen.for_each(|(what, _)| see(what));
        Ok(())
    });
}
