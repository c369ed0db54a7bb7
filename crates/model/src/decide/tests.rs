//! Property tests of `decide` and `fold` over random sequences of commands, and a fake device to run them.

pub(super) mod graph;
pub(super) mod invariants;
mod jobs;
mod modes;
mod writers;

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::agent::defaults::{first_agents, first_providers};
use crate::command::{FailedAttempt, JobAnswer, NewMessage, RecordedAnswer, ToolOutcome};
use crate::fold::fold;
use crate::fold::run::run_before;
use crate::job::Job;
use crate::llm::{FinishReason, Usage};
use crate::message::MessageStatus;
use crate::message::content::{PartBody, ToolArgs, ToolCall};
use crate::mind::core_sync::SyncPatch;
use crate::mind::{Mind, MindWrite};
use crate::provider::{ProviderError, ProviderErrorKind};
use crate::run::NodeStatus;
use crate::session::{KeepGoing, QueueMode, SessionStatus};
use crate::testing::SeqIds;
use crate::turn::{RequestSpec, TurnPhase};
use nexus_text::content_hash::ContentHash;
use nexus_text::vec_map::{VecMap, VecSet};

/// A device without an engine: decides commands, then places and folds their events.
pub(super) struct DecideFixture {
    pub(super) world: World,
    pub(super) events: Vec<Event>,
    next: VecMap<StreamId, u64>,
    pub(super) ids: SeqIds,
    pub(super) now: u64,
    pub(super) session: SessionId,
}

impl DecideFixture {
    pub(super) fn new() -> Self {
        let mut ids = SeqIds::default();
        let session = SessionId::new(&mut ids);
        let mut device = Self {
            world: World::default(),
            events: Vec::new(),
            next: VecMap::new(),
            ids,
            now: 1_000,
            session,
        };
        for provider in first_providers() {
            device.run(&Command::ChangeProvider { provider }).unwrap();
        }
        for agent in first_agents() {
            device.run(&Command::ChangeAgent { agent }).unwrap();
        }
        device.run(&Command::CreateSession { session, label: String::new(), mind: Mind::default() }).unwrap();
        device
    }

    pub(super) fn run(&mut self, command: &Command) -> Decision {
        self.now += 1;
        let partials = PartialMessages::new();
        let past = command.policy().replayed_turn.and_then(|turn| run_before(&self.events, turn));
        let mut env = Env {
            now: Millis(self.now),
            ids: &mut self.ids,
            partials: &partials,
            run_before_turn: past.as_ref(),
        };
        let new = decide(&self.world, command, &mut env)?;
        let events: Vec<Event> = new
            .into_iter()
            .map(|event| {
                let seq = self.next.get_or_insert_with(event.stream, || 1);
                let placed = event.into_event(*seq, Millis(self.now));
                *seq += 1;
                placed
            })
            .collect();
        let rows = fold(&self.world, &events);
        self.world.absorb(rows);
        self.events.extend(events);
        Ok(())
    }

    pub(super) fn row(&self) -> &Session {
        self.world.session(&self.session).unwrap()
    }

    fn open_turn(&self) -> Option<(TurnId, u32)> {
        let turn = self.world.open_turn(self.row())?;
        Some((turn.id, u32::try_from(turn.calls.len()).unwrap()))
    }

    fn recipe(&self) -> RequestSpec {
        let hash = ContentHash::of_text("x");
        RequestSpec {
            persona: hash,
            tools: hash,
            params: hash,
            mind: self.row().mind,
            query: hash,
            clock: Millis(self.now),
            tokens: 1,
            ..RequestSpec::default()
        }
    }

    /// The command with this number in the current state. Many are rejected, as in use.
    pub(super) fn command(&self, action: u8) -> Command {
        let session = self.session;
        let say = |text: &str, queue, keep_going| {
            Command::SendMessage(NewMessage { mode: queue, keep_going, ..NewMessage::new(session, text) })
        };
        let run = self.row().run;
        let (turn, calls) = self.open_turn().unzip();
        let newest = calls.unwrap_or(0).saturating_sub(1);
        let answer = |parts: Vec<MessagePart>| {
            let finish = FinishReason::Stop;
            RecordedAnswer { parts, finish, ..RecordedAnswer::default() }
        };
        let keep = KeepGoing { rounds: 3, definition_of_done: "done".into() };
        let open_tool = self.world.tool_runs.values().find(|run| run.status.is_open()).map(|run| run.id);
        match (action, turn, run, open_tool) {
            (0, ..) => say("hello", QueueMode::FollowUp, None),
            (1, ..) => say("@Critic look", QueueMode::Collect, None),
            (2, ..) => say("now", QueueMode::Interrupt, None),
            (3, ..) => say("by the way", QueueMode::Steer, Some(keep)),
            (4, _, Some(run), _) => {
                let next = self.world.run(&run).and_then(|run| run.next_ready()).map(|node| node.id.clone());
                Command::OpenTurn { run, node: next.unwrap_or_else(|| "critic".into()) }
            }
            (5 | 16, Some(turn), ..) => Command::OfferContext {
                turn,
                call: calls.unwrap_or(0),
                recipe: Box::new(self.recipe()),
                contents: vec!["x".into()],
            },
            (6, Some(turn), ..) => Command::BeginResponse { turn, call: newest },
            (7 | 17, Some(turn), ..) => {
                Command::RecordAnswer { turn, call: newest, answer: answer(vec![MessagePart::text("fine")]) }
            }
            (8, Some(turn), ..) => {
                let call = |id: &str| {
                    let args = ToolArgs::Parsed(json!({}));
                    PartBody::ToolCall(ToolCall { id: id.into(), own_id: false, name: "t".into(), args })
                        .into()
                };
                Command::RecordAnswer { turn, call: newest, answer: answer(vec![call("a"), call("b")]) }
            }
            (9, Some(turn), ..) => Command::RecordFailure {
                turn,
                call: newest,
                failed: FailedAttempt::unmade(ProviderError::new(ProviderErrorKind::Server, "down")),
                parts: vec![MessagePart::text("par")],
            },
            (10 | 18, _, _, Some(tool_run)) => Command::RecordTool {
                tool_run,
                outcome: ToolOutcome::Done {
                    result: json!({"ok": true}),
                    writes: vec![MindWrite::File { name: "f".into(), text: format!("{}\n", self.now) }],
                    verdict: Some((self.now.is_multiple_of(3), "because".into())),
                },
            },
            (11, ..) => Command::Stop { session },
            (12, _, Some(run), _) => Command::AdvanceRun { run },
            (13, _, Some(run), _) => Command::ContinueRun { run },
            (14, ..) => Command::TakeQueue { session },
            (15, ..) => Command::Recover { session },
            (19, ..) => match self.row().head {
                Some(turn) => Command::TryAgain { session, turn, agent: None, config: None, tools: None },
                None => Command::Stop { session },
            },
            (20, _, Some(run), _) => Command::EndRun { run },
            (22, ..) => Command::Sync { session },
            (23, ..) => Command::OpenSync { session },
            (24, ..) => match self.row().jobs.of(JobSlot::Core) {
                Some(open) if self.now.is_multiple_of(4) => Command::RecordJobFailure {
                    session,
                    job: open.id,
                    failed: FailedAttempt {
                        attempt: open.attempt(),
                        failure: ProviderError::new(ProviderErrorKind::Server, "down"),
                        usage: Usage { input: Some(7), ..Usage::default() },
                        retry_in_ms: self.now.is_multiple_of(8).then_some(5),
                    },
                },
                Some(open) => Command::RecordJob {
                    session,
                    job: open.id,
                    answer: JobAnswer::Sync(SyncPatch {
                        objective: Some(format!("core {}", self.now)),
                        scratchpad: Some(format!("- [x] {}", self.now)),
                        reasoning: "because".into(),
                    }),
                    usage: Usage { input: Some(9), ..Usage::default() },
                },
                None => Command::StopSync { session },
            },
            (25, ..) => match self.row().core.change.as_ref().and_then(|change| change.id) {
                Some(sync) => Command::UndoSync { session, sync },
                None => Command::StopSync { session },
            },
            _ => Command::EditMind {
                session,
                base: self.row().mind,
                writes: vec![MindWrite::Objective(format!("o{}", self.now))],
            },
        }
    }

    /// The number of the next command in a healthy run.
    pub(super) fn next_action(&self, flavour: u8) -> u8 {
        let row = self.row();
        let Some(run) = self.world.open_run(row) else { return if flavour < 12 { 3 } else { 0 } };
        match self.world.open_turn(row).map(|turn| turn.phase) {
            None if run.status == crate::run::RunStatus::Paused => 13,
            None if run.next_ready().is_some() => 4,
            None => 12,
            Some(TurnPhase::Pending | TurnPhase::BuildingContext) => 5,
            Some(TurnPhase::AwaitingLlmDecision) if flavour < 5 => 6,
            Some(TurnPhase::AwaitingLlmDecision | TurnPhase::GeneratingResponse) if flavour < 14 => 8,
            Some(TurnPhase::AwaitingLlmDecision | TurnPhase::GeneratingResponse) => 7,
            Some(TurnPhase::AwaitingToolResult) => 10,
            Some(TurnPhase::Completed | TurnPhase::Failed) => 11,
        }
    }

    fn check_invariants(&self) -> Result<(), TestCaseError> {
        let world = &self.world;
        // One turn is open at most, and it belongs to a run that has not ended.
        let open: Vec<_> = world.turns.values().filter(|turn| turn.phase.is_open()).collect();
        prop_assert!(open.len() <= 1, "two open turns");
        for turn in open {
            let run = world.run(&turn.run.unwrap()).unwrap();
            prop_assert!(run.status.is_open(), "an open turn in a {:?} run", run.status);
        }
        // A sync is requested or running, never both.
        let row = self.row();
        let core = row.jobs.of(JobSlot::Core);
        prop_assert!(core.is_none() || row.core.pending.is_none(), "two syncs");
        // The Core's last change can be undone.
        for hash in row.core.minds().chain(core.and_then(Job::mind)) {
            prop_assert!(world.mind(hash).is_some(), "a mind of the Core is missing");
        }
        // Message sequences have no gaps.
        let sequences: VecSet<u64> = world.messages.values().map(|message| message.sequence).collect();
        let count = u64::try_from(world.messages.len()).unwrap();
        prop_assert_eq!(sequences, (1..=count).collect::<VecSet<_>>());
        // Event sequences have no gaps.
        for (stream, next) in &self.next {
            let seqs: Vec<_> = self.events.iter().filter(|e| e.stream == *stream).map(|e| e.seq).collect();
            prop_assert_eq!(seqs, (1..*next).collect::<Vec<_>>());
        }
        // Parents exist, the head is closed, threads count their ancestors.
        for turn in world.turns.values() {
            prop_assert!(turn.parent.is_none_or(|parent| world.turn(&parent).is_some()));
            let depth = u64::try_from(world.ancestry(Some(turn.id)).count()).unwrap();
            prop_assert_eq!(world.thread(&turn.id).map(|thread| thread.depth), Some(depth));
            let skip = world.thread(&turn.id).and_then(|thread| thread.skip);
            prop_assert!(skip.is_none_or(|skip| world.ancestry(turn.parent).any(|older| older.id == skip)));
            let ended = matches!(turn.phase, TurnPhase::Completed | TurnPhase::Failed);
            prop_assert_eq!(turn.end.is_some(), ended);
            prop_assert_eq!(turn.mind_after.is_some(), ended);
        }
        if let Some(head) = self.row().head {
            prop_assert!(!world.turn(&head).unwrap().phase.is_open());
        }
        // A closed turn has no open tool run and no unfinished message.
        for run in world.tool_runs.values().filter(|run| run.status.is_open()) {
            prop_assert!(world.turn(&run.turn).unwrap().phase.is_open());
        }
        for message in world.messages.values() {
            if message.status == MessageStatus::Processing {
                prop_assert!(world.turn(&message.turn.unwrap()).unwrap().phase.is_open());
            }
        }
        // An ended run has no working node.
        for run in world.runs.values().filter(|run| !run.status.is_open()) {
            let is_working = |status| matches!(status, NodeStatus::Ready | NodeStatus::Running);
            prop_assert!(!run.nodes.iter().any(|node| is_working(node.status)), "{:?}", run.nodes);
        }
        // The working mind exists.
        prop_assert!(world.mind(&self.row().mind).is_some());
        Ok(())
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn invariants_hold_after_any_commands(
        actions in proptest::collection::vec((0u8..26, 0u8..10), 0..160)
    ) {
        let mut device = DecideFixture::new();
        for (action, seed) in actions {
            // Mostly the next command of a healthy run, so that runs progress; sometimes any command.
            let action = if seed < 8 { device.next_action(action) } else { action };
            let command = device.command(action);
            let before = device.events.len();
            if device.run(&command).is_err() {
                prop_assert_eq!(device.events.len(), before, "a rejected command adds no events");
            }
            device.check_invariants()?;
        }
        crate::decide::tests::graph::transitions_are_legal(&device.events);
        // Events survive their JSON, and folding them from empty gives the same world.
        let json = serde_json::to_string(&device.events).unwrap();
        let again: Vec<Event> = serde_json::from_str(&json).unwrap();
        prop_assert_eq!(&again, &device.events);
        prop_assert!(fold(&World::default(), &again) == device.world, "fold from empty differs");
    }
}

#[test]
fn blank_message_and_taken_name_are_rejected() {
    let mut device = DecideFixture::new();
    let say = Command::SendMessage(NewMessage::new(device.session, " \n"));
    assert_eq!(device.run(&say), Err(Rejection::NothingSaid));
    let other = SessionId::new(&mut device.ids);
    let create =
        |label: &str| Command::CreateSession { session: other, label: label.into(), mind: Mind::default() };
    assert_eq!(device.run(&create("main")), Err(Rejection::BadName));
    assert_eq!(device.run(&create("second")), Ok(()));
    let mut agent = first_agents().remove(0);
    agent.identity.name = "critic".into();
    assert_eq!(device.run(&Command::ChangeAgent { agent }), Err(Rejection::BadName));
}

#[test]
fn limit_pauses_run_and_resuming_raises_it() {
    let mut device = DecideFixture::new();
    device.run(&device.command(0)).unwrap();
    let run = device.row().run.unwrap();
    let mut capped = device.world.run(&run).unwrap().as_ref().clone();
    capped.used.calls = capped.caps.calls;
    device.world.runs.insert(run, std::sync::Arc::new(capped.clone()));
    device.run(&device.command(4)).unwrap();
    assert!(matches!(device.world.run(&run).unwrap().pause, Some(crate::run::PauseCause::CallCap(_))));
    device.run(&Command::ContinueRun { run }).unwrap();
    assert!(device.world.run(&run).unwrap().caps.calls > capped.caps.calls);
    device.run(&device.command(4)).unwrap();
    assert!(device.open_turn().is_some());
}

#[test]
fn closed_session_accepts_no_messages() {
    let mut device = DecideFixture::new();
    let turn = device.turn("begin");
    let session = device.session;
    let put = |status| Command::SetSessionStatus { session, status };
    device.run(&put(SessionStatus::Closed)).unwrap();
    let say = Command::SendMessage(NewMessage::new(session, "and more"));
    let again = Command::TryAgain { session, turn, agent: None, config: None, tools: None };
    let message = device.query_of(turn);
    let resend =
        Command::Resend { session, message, text: "other".into(), attachments: Vec::new(), overrides: None };
    for command in [&say, &again, &resend] {
        assert_eq!(device.run(command), Err(Rejection::SessionClosed));
    }
    // It can still be forked, and opened again.
    let fork = SessionId::new(&mut device.ids);
    let label = "fork".to_owned();
    let elsewhere = Command::ContinueFrom { session: fork, from: session, turn, mind: None, label };
    device.run(&elsewhere).unwrap();
    device.run(&put(SessionStatus::Open)).unwrap();
    device.run(&say).unwrap();
    assert_eq!(device.run(&put(SessionStatus::Closed)), Err(Rejection::RunWorks));
}
