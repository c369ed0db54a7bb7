//! Tests of each tree operation, and property tests of the reflog.
//!
//! `tests/invariants.rs` checks the tree's invariants over random operations.

use proptest::prelude::*;

use super::*;
use crate::command::{Command, NewMessage};
use crate::decide::tests::DecideFixture;
use crate::decide::tests::invariants::nth;
use crate::event::Event;
use crate::id::StreamId;
use crate::job::sync::core_at_head;
use crate::limits::DELETED_MS;
use crate::message::content::text_of;
use crate::mind::MindWrite;
use crate::mind::core_sync::{CoreState, SyncRecord};
use crate::session::SessionOrigin;
use crate::turn::TurnEnd;
use crate::turn::tree::{HeadMoveReason, Reflog, ReflogEntry, newest_below, siblings};

impl DecideFixture {
    pub(crate) fn say_to(&mut self, text: &str, target: Target) {
        let command = Command::SendMessage(NewMessage { target, ..NewMessage::new(self.session, text) });
        self.run(&command).unwrap();
    }

    /// Runs until nothing works; ends runs that wait for the operator.
    pub(crate) fn finish(&mut self) {
        for _ in 0..200 {
            let Some(run) = self.world.open_run(self.row()) else { return };
            let command = if run.status == crate::run::RunStatus::Paused {
                Command::EndRun { run: run.id }
            } else {
                self.command(self.next_action(20))
            };
            self.run(&command).unwrap();
        }
        panic!("the run does not end");
    }

    /// Sends a message to the Engineer, who answers. Returns the turn.
    pub(crate) fn turn(&mut self, text: &str) -> TurnId {
        self.say_to(text, Target::Agents(vec!["engineer".into()]));
        self.finish();
        self.row().head.unwrap()
    }

    pub(crate) fn write(&mut self, objective: &str) {
        let (session, base) = (self.session, self.row().mind);
        let writes = vec![MindWrite::Objective(objective.into())];
        self.run(&Command::EditMind { session, base, writes }).unwrap();
    }

    pub(crate) fn objective(&self) -> String {
        self.world.working_mind(self.row()).unwrap().objective.clone()
    }

    fn fork(&mut self, turn: TurnId, label: &str) -> Decision<SessionId> {
        let session = SessionId::new(&mut self.ids);
        let (from, label) = (self.session, label.to_owned());
        self.run(&Command::ContinueFrom { session, from, turn, mind: None, label })?;
        Ok(session)
    }

    /// Summarises the older turns by hand. Returns the compaction turn.
    fn summary_by_hand(&mut self) -> TurnId {
        let (session, focus) = (self.session, String::new());
        self.run(&Command::Compact { session, agent: "engineer".into(), focus }).unwrap();
        while let Some(next) = self.archivist(1) {
            self.run(&next).unwrap();
        }
        self.row().head.unwrap()
    }

    fn move_to(&mut self, to: TurnId, newest: bool) -> Decision {
        self.run(&Command::MoveHead { session: self.session, to, newest })
    }

    pub(crate) fn query_of(&self, turn: TurnId) -> MessageId {
        self.world.turn(&turn).unwrap().query[0]
    }

    fn resend(&mut self, message: MessageId, text: &str) -> Decision {
        let session = self.session;
        self.run(&Command::Resend {
            session,
            message,
            text: text.into(),
            attachments: Vec::new(),
            overrides: None,
        })
    }

    fn try_again(&mut self, turn: TurnId, agent: Option<&str>) -> Decision {
        let agent = agent.map(AgentKey::from);
        self.run(&Command::TryAgain { session: self.session, turn, agent, config: None, tools: None })
    }

    /// The texts of the user's messages from the root to the head.
    fn thread(&self) -> Vec<String> {
        let mut turns: Vec<_> = self.world.ancestry(self.row().head).collect();
        turns.reverse();
        let queries = turns.iter().flat_map(|turn| &turn.query).map(|id| self.world.message(id).unwrap());
        queries.map(|message| text_of(&message.parts)).collect()
    }
}

#[test]
fn fork_takes_the_working_mind_at_the_head_else_the_mind_after_the_turn() {
    let mut device = DecideFixture::new();
    device.write("first");
    let one = device.turn("one");
    device.write("second");
    let two = device.turn("two");
    device.write("third");
    let main = device.session;
    let at_head = device.fork(two, "").unwrap();
    let older = device.fork(one, "older").unwrap();
    assert_eq!(device.fork(one, "older"), Err(Rejection::BadName));
    device.session = at_head;
    assert_eq!((device.objective().as_str(), device.row().label.as_str()), ("third", "main, fork"));
    assert_eq!((device.row().origin, device.row().parent), (SessionOrigin::Fork, Some(main)));
    assert_eq!(device.thread(), ["one", "two"]);
    device.session = older;
    assert_eq!(device.objective(), "first");
    let three = device.turn("three");
    assert_eq!(device.thread(), ["one", "three"]);
    assert_eq!(device.row().last_sequence, 2, "a fork counts its own messages");
    device.session = main;
    assert_eq!(device.thread(), ["one", "two"], "the fork wrote nothing here");
    let row = device.world.turn(&two).unwrap();
    assert_eq!(
        siblings(&device.world, device.row(), row),
        [two],
        "the fork's turn is no version of this session's"
    );
    device.session = older;
    let row = device.world.turn(&three).unwrap();
    assert_eq!(siblings(&device.world, device.row(), row), [three]);
}

#[test]
fn edited_message_is_a_sibling_with_the_mind_of_its_time() {
    let mut device = DecideFixture::new();
    device.turn("one");
    device.write("written before the question");
    let two = device.turn("two");
    device.write("written after the answer");
    let message = device.query_of(two);
    device.resend(message, "two, but better").unwrap();
    assert_eq!(device.objective(), "written before the question");
    device.finish();
    let better = device.row().head.unwrap();
    assert_eq!(device.thread(), ["one", "two, but better"]);
    let run = device.world.run(&device.row().run.unwrap()).unwrap();
    assert_eq!(run.nodes.len(), 1, "only who was asked is asked again");
    let row = device.world.turn(&two).unwrap().clone();
    assert_eq!(siblings(&device.world, device.row(), &row), [two, better]);
    // Back to the first version, with the edits after its answer.
    device.move_to(two, true).unwrap();
    assert_eq!(
        (device.thread(), device.objective().as_str()),
        (vec!["one".into(), "two".into()], "written after the answer")
    );
    device.move_to(better, true).unwrap();
    assert_eq!(device.objective(), "written before the question");
    // Editing a message that no turn took replaces it in place.
    assert_eq!(device.resend(message, "  "), Err(Rejection::NothingSaid));
}

#[test]
fn editing_the_first_message_restarts_the_session() {
    let mut device = DecideFixture::new();
    device.write("before");
    let one = device.turn("one");
    device.write("after");
    device.resend(device.query_of(one), "uno").unwrap();
    device.finish();
    let uno = device.row().head.unwrap();
    assert_eq!((device.thread(), device.objective().as_str()), (vec!["uno".into()], "before"));
    assert_eq!(device.row().roots, [one, uno]);
    let fork = device.fork(uno, "").unwrap();
    device.session = fork;
    let row = device.world.turn(&uno).unwrap().clone();
    assert_eq!(
        siblings(&device.world, device.row(), &row),
        [uno],
        "the other beginning is no version of the fork's"
    );
    // Editing it here makes the fork's inherited turn a version of its own.
    device.resend(device.query_of(uno), "eins").unwrap();
    device.finish();
    let eins = device.row().head.unwrap();
    let row = device.world.turn(&eins).unwrap().clone();
    assert_eq!(siblings(&device.world, device.row(), &row), [uno, eins]);
}

#[test]
fn deleted_agent_is_not_asked_again() {
    let mut device = DecideFixture::new();
    let one = device.turn("one");
    device.say_to("two", Target::Agents(vec!["critic".into()]));
    for _ in 0..3 {
        device.run(&device.command(device.next_action(0))).unwrap();
    }
    device.run(&device.command(9)).unwrap();
    let failed = device.row().head.unwrap();
    let run = device.world.turn(&failed).unwrap().run.unwrap();
    device.finish();
    device.run(&Command::RemoveAgent { agent: "critic".into() }).unwrap();
    let message = device.query_of(failed);
    let refused = Err(Rejection::NoSuchAgent);
    assert_eq!(device.try_again(failed, None), refused);
    assert_eq!(device.run(&Command::ContinueRun { run }), refused);
    assert_eq!(device.resend(message, "two, edited"), refused);
    assert_eq!(device.row().head, Some(failed), "a rejected command moves nothing");
    device.resend(message, "@Engineer two").unwrap();
    device.finish();
    let head = device.world.turn(&device.row().head.unwrap()).unwrap();
    assert_eq!((head.parent, head.agent.as_str()), (Some(one), "engineer"));
}

#[test]
fn completed_turn_is_retried_beside_it_and_failed_one_at_the_head() {
    let mut device = DecideFixture::new();
    let one = device.turn("one");
    let mut config = device.world.agent(&"critic".into()).unwrap().config.clone();
    config.model = "another".into();
    let (session, agent) = (device.session, Some("critic".into()));
    let again = Command::TryAgain { session, turn: one, agent, config: Some(config), tools: None };
    let free = device.world.agent(&"critic".into()).unwrap().as_ref().clone();
    let mut bound = free.clone();
    bound.permissions.credentials = Some(vec!["another".into()]);
    device.run(&Command::ChangeAgent { agent: bound }).unwrap();
    assert_eq!(device.run(&again), Err(Rejection::NotAllowed));
    device.run(&Command::ChangeAgent { agent: free }).unwrap();
    device.run(&again).unwrap();
    device.finish();
    let again = device.world.turn(&device.row().head.unwrap()).unwrap().clone();
    assert_eq!((again.parent, &again.query), (None, &device.world.turn(&one).unwrap().query));
    assert_eq!((again.agent.as_str(), again.config.model.as_str()), ("critic", "another"));
    assert_eq!(device.world.message(&again.query[0]).unwrap().turn, Some(one), "who took it first keeps it");
    // A failed turn.
    device.say_to("two", Target::Agents(vec!["engineer".into()]));
    for _ in 0..3 {
        device.run(&device.command(device.next_action(0))).unwrap();
    }
    device.run(&device.command(9)).unwrap();
    let failed = device.row().head.unwrap();
    assert_eq!(device.world.turn(&failed).unwrap().end, Some(TurnEnd::Error));
    device.finish();
    device.try_again(failed, None).unwrap();
    device.finish();
    let retried = device.world.turn(&device.row().head.unwrap()).unwrap();
    assert_eq!(retried.parent, Some(failed));
    assert_eq!(device.try_again(failed, Some("nobody")), Err(Rejection::NoSuchAgent));
    // In a fork, it is retried there.
    let fork = device.fork(failed, "").unwrap();
    device.session = fork;
    device.try_again(failed, None).unwrap();
    device.finish();
    let retried = device.world.turn(&device.row().head.unwrap()).unwrap();
    assert_eq!((retried.parent, retried.session), (Some(failed), fork));
}

#[test]
fn head_stays_during_a_run_and_open_turn_cannot_be_forked() {
    let mut device = DecideFixture::new();
    let one = device.turn("one");
    device.turn("two");
    device.say_to("three", Target::All);
    device.run(&device.command(4)).unwrap();
    let (open, _) = (device.world.open_turn(device.row()).unwrap().id, ());
    assert_eq!(device.move_to(one, false), Err(Rejection::RunWorks));
    assert_eq!(device.resend(device.query_of(one), "x"), Err(Rejection::RunWorks));
    assert_eq!(device.try_again(one, None), Err(Rejection::RunWorks));
    assert_eq!(device.move_to(open, false), Err(Rejection::RunWorks));
    assert_eq!(device.fork(open, ""), Err(Rejection::TurnWorks));
    let fork = device.fork(one, "").unwrap();
    device.finish();
    device.session = fork;
    assert_eq!(device.thread(), ["one"]);
}

/// A manual summary in one session, a fork of the turn before it, and an edited message.
#[test]
fn versions_and_head_moves_stay_in_their_session() {
    let mut device = DecideFixture::new();
    let main = device.session;
    device.turn("zero");
    let one = device.turn("one");
    let summary = device.summary_by_hand();
    assert_eq!(device.world.thread(&one).unwrap().children, [summary]);
    let fork = device.fork(one, "").unwrap();
    device.session = fork;
    let first = device.turn("two");
    device.resend(device.query_of(first), "two, but better").unwrap();
    device.finish();
    let second = device.row().head.unwrap();
    let row = device.world.turn(&second).unwrap().clone();
    assert_eq!(siblings(&device.world, device.row(), &row), [first, second]);
    // Main continues below its own turn; moves never lead from one session into the other.
    device.session = main;
    assert_eq!(newest_below(&device.world, device.row(), one), Ok(summary));
    device.session = fork;
    device.move_to(one, false).unwrap();
    assert_eq!(newest_below(&device.world, device.row(), one), Ok(second));
    // The Core's change in the second version is not in the first.
    let record = SyncRecord { at: crate::id::Millis(1), after: Some(second), ..SyncRecord::default() };
    let core = CoreState { change: Some(record.clone()), last: Some(record), ..CoreState::default() };
    let at =
        |head| core_at_head(&device.world, &Session { head, core: core.clone(), ..device.row().clone() });
    assert_eq!(at(Some(second)), core);
    assert_eq!((at(Some(first)).change, at(Some(one)).last, at(None).change), (None, None, None));
    // A move back and its undo restore the edits after each version.
    device.move_to(second, true).unwrap();
    device.write("after the second");
    device.move_to(first, true).unwrap();
    assert_eq!(device.row().head, Some(first));
    assert_ne!(device.objective(), "after the second");
    device.move_to(second, false).unwrap();
    assert_eq!(device.objective(), "after the second");
}

#[test]
fn branch_is_entered_where_it_was_left() {
    let mut device = DecideFixture::new();
    let one = device.turn("one");
    let two = device.turn("two");
    device.resend(device.query_of(one), "uno").unwrap();
    device.finish();
    assert_eq!(newest_below(&device.world, device.row(), one), Ok(two));
    device.move_to(one, true).unwrap();
    assert_eq!(device.row().head, Some(two));
    device.move_to(one, false).unwrap();
    assert_eq!(device.row().head, Some(one), "or at the very turn");
    let from = device.row().former.iter().filter(|left| left.turn == Some(two)).count();
    assert_eq!(from, 1, "and it is remembered once");
}

#[test]
fn deleted_session_is_restored_or_purged_when_due() {
    let mut device = DecideFixture::new();
    let main = device.session;
    device.turn("one");
    assert_eq!(device.run(&Command::DeleteSession { session: main }), Err(Rejection::LastSession));
    let other = SessionId::new(&mut device.ids);
    let make =
        |session, label: &str| Command::CreateSession { session, label: label.into(), mind: Mind::default() };
    device.run(&make(other, "other")).unwrap();
    device.run(&Command::DeleteSession { session: main }).unwrap();
    // Its name is free meanwhile, and it returns beside the session that took it.
    let third = SessionId::new(&mut device.ids);
    device.run(&make(third, "main")).unwrap();
    device.run(&Command::RestoreSession { session: main }).unwrap();
    assert_eq!((device.row().label.as_str(), device.row().deleted_at), ("main 2", None));
    device.run(&Command::DeleteSession { session: main }).unwrap();
    assert_eq!(device.run(&Command::PurgeSession { session: main }), Err(Rejection::Stale));
    device.now += DELETED_MS + 2;
    device.run(&Command::PurgeSession { session: main }).unwrap();
    assert_eq!((device.row().label.as_str(), device.row().head), ("", None));
    assert!(device.row().purged_at.is_some());
    assert_eq!(device.run(&Command::RestoreSession { session: main }), Err(Rejection::NoSuchSession));
}

#[test]
fn unreadable_head_accepts_no_messages() {
    let mut device = DecideFixture::new();
    let one = device.turn("one");
    device.turn("two");
    let missing = device.row().head.unwrap();
    device.world.turns.remove(&missing);
    let before = device.events.len();
    let say = device.command(0);
    assert_eq!(device.run(&say), Err(Rejection::HeadMissing));
    assert_eq!(device.events.len(), before);
    device.move_to(one, false).unwrap();
    assert_eq!(device.run(&say), Ok(()), "an older turn can be gone on from");
    assert!(device.row().former.iter().any(|left| left.turn == Some(missing)), "and nothing was forgotten");
}

#[test]
fn edits_between_two_minds_lead_from_one_to_the_other() {
    let mind = |edits: &[crate::mind::MindEdit]| Mind::default().with(edits);
    use crate::mind::MindEdit as E;
    let file = |name: &str, text: &str| E::File { name: name.into(), text: text.into() };
    let minds = [
        mind(&[]),
        mind(&[E::Objective { text: "o".into() }, file("a", "1"), E::Active { name: Some("a".into()) }]),
        mind(&[E::Scratchpad { text: "s".into() }, file("a", "2"), file("b", "1")]),
        mind(&[file("b", "1"), E::Active { name: Some("b".into()) }]),
    ];
    for from in &minds {
        for to in &minds {
            let steps = steps_between(from, to);
            assert_eq!(from.with(&steps).hash(), to.hash());
            assert_eq!(steps.is_empty(), from == to);
        }
    }
}

/// The heads of the current session, read in pieces of this many events.
fn heads_of(device: &DecideFixture, piece: usize) -> Reflog {
    let stream = StreamId::Session(device.session);
    let events: Vec<Event> = device.events.iter().filter(|event| event.stream == stream).cloned().collect();
    let mut heads = Reflog::default();
    while let Some(last) = heads.next(u64::try_from(events.len()).unwrap()) {
        let last = usize::try_from(last).unwrap();
        let first = last.saturating_sub(piece);
        heads.read(u64::try_from(first).unwrap() + 1, &events[first..last]);
    }
    heads
}

#[test]
fn reflog_lists_heads_with_their_reason() {
    let mut device = DecideFixture::new();
    let one = device.turn("one");
    device.write("left with two");
    let two = device.turn("two");
    device.write("after two");
    device.move_to(one, false).unwrap();
    device.resend(device.query_of(one), "uno").unwrap();
    device.finish();
    let uno = device.row().head.unwrap();
    device.try_again(uno, Some("critic")).unwrap();
    device.finish();
    let again = device.row().head.unwrap();
    let heads = heads_of(&device, 500).all;
    let reflog: Vec<_> = heads.iter().map(|head| (head.turn, head.reason)).collect();
    assert_eq!(
        reflog,
        [
            (Some(again), HeadMoveReason::Ended),
            (None, HeadMoveReason::Retried),
            (Some(uno), HeadMoveReason::Ended),
            (None, HeadMoveReason::Edited),
            (Some(one), HeadMoveReason::Moved),
            (Some(two), HeadMoveReason::Ended),
            (Some(one), HeadMoveReason::Ended),
        ]
    );
    let objective =
        |head: &ReflogEntry| device.world.mind(head.mind_before.as_ref()?).map(|mind| mind.objective.clone());
    assert_eq!(
        objective(&heads[5]).as_deref(),
        Some("after two"),
        "what was written after it was left there"
    );
    assert_eq!(objective(&heads[6]), None, "the next turn went on from it");
    // A fork inherits the former heads.
    let (fork, main) = (SessionId::new(&mut device.ids), device.session);
    let go_on = |mind: Option<ContentHash>| Command::ContinueFrom {
        session: fork,
        from: main,
        turn: two,
        mind,
        label: String::new(),
    };
    assert_eq!(device.run(&go_on(Some(ContentHash::of_text("nowhere")))), Err(Rejection::HistoryBroken));
    device.run(&go_on(heads[5].mind_before)).unwrap();
    device.session = fork;
    assert_eq!((device.objective().as_str(), device.thread().len()), ("after two", 2));
    assert_eq!(
        heads_of(&device, 500).all.iter().map(|head| head.reason).collect::<Vec<_>>(),
        [HeadMoveReason::Began]
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn reflog_is_the_same_in_any_pieces_and_begins_with_the_head(
        steps in proptest::collection::vec((0u8..8, any::<u16>()), 1..40),
        piece in 1usize..9,
    ) {
        let mut device = DecideFixture::new();
        for (step, seed) in steps {
            let turn = nth(device.world.turns.keys().copied(), usize::from(seed));
            // A rejected command changes nothing.
            match (step, turn) {
                (0, Some(to)) => drop(device.move_to(to, seed % 2 == 0)),
                (1, Some(turn)) => drop(device.resend(device.query_of(turn), "other")),
                (2, Some(turn)) => drop(device.try_again(turn, Some("critic"))),
                (3, _) => device.write(&format!("o{seed}")),
                _ => drop(device.turn("more")),
            }
            device.finish();
        }
        let whole = heads_of(&device, 5_000);
        prop_assert_eq!(whole.all.first().and_then(|head| head.turn), device.row().head);
        for head in whole.all.iter().filter_map(|head| head.mind_before.as_ref()) {
            prop_assert!(device.world.mind(head).is_some(), "a former mind is missing");
        }
        prop_assert_eq!(heads_of(&device, piece).all, whole.all);
    }
}

#[test]
fn foreign_turn_is_continued_from_its_own_session() {
    let mut device = DecideFixture::new();
    let main = device.session;
    let begun = device.turn("begin");
    let fork = device.fork(begun, "fork").unwrap();
    device.session = fork;
    let inner = device.turn("in the fork");
    let head = device.turn("further in the fork");
    device.write("what the fork wants now");
    let wanted = device.objective();
    // From a session that contains neither.
    let other = SessionId::new(&mut device.ids);
    let label = "aside".to_owned();
    device.run(&Command::CreateSession { session: other, label, mind: Mind::default() }).unwrap();
    device.session = other;
    let from_head = device.fork(head, "").unwrap();
    let from_inner = device.fork(inner, "").unwrap();
    let row = |device: &DecideFixture, id: SessionId| device.world.session(&id).unwrap().as_ref().clone();
    assert_eq!((row(&device, from_head).parent, row(&device, from_inner).parent), (Some(fork), Some(fork)));
    assert_eq!(row(&device, from_head).label, "fork, fork");
    device.session = from_head;
    assert_eq!(device.objective(), wanted, "the working mind of the session that points to it");
    device.session = from_inner;
    assert_ne!(device.objective(), wanted);
    // A turn in its own thread is continued from it, wherever it was opened.
    device.session = fork;
    let from_begun = device.fork(begun, "again").unwrap();
    assert_eq!(row(&device, from_begun).parent, Some(fork));
    assert_ne!(main, fork);
}
