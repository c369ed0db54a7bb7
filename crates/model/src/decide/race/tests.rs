//! Tests of races: nothing is lost, and the head moves only by the operator's choice.

use proptest::prelude::*;

use super::*;
use crate::command::Command;
use crate::decide::tests::DecideFixture;
use crate::decide::tests::invariants::{ImmutableRows, nth};
use crate::event::Event;
use crate::fold::fold;
use crate::id::{AgentKey, ProviderId};
use crate::llm::ModelConfig;
use crate::session::workers::{race_of, race_to_update, shown_race};
use crate::session::{QueueMode, QueueState};
use crate::turn::TurnEnd;
use crate::turn::tree::siblings;
use crate::world::World;

impl DecideFixture {
    fn models(&self, number: usize) -> Vec<ModelConfig> {
        let config = self.world.agent(&"engineer".into()).unwrap().config.clone();
        let model = |at: usize| ModelConfig { model: format!("model-{at}"), ..config.clone() };
        (1..=number).map(model).collect()
    }

    fn race(&mut self, prompt: RacePrompt, number: usize) -> Decision {
        let (session, agent, models) = (self.session, AgentKey::from("engineer"), self.models(number));
        self.run(&Command::Race(RaceRequest { session, prompt, agent, models }))
    }

    fn again(&mut self, turn: TurnId, number: usize) -> Vec<SessionId> {
        self.race(RacePrompt::Turn(turn), number).unwrap();
        self.lanes()
    }

    fn race_message(&mut self, text: &str, number: usize) -> Vec<SessionId> {
        self.race(RacePrompt::Message { text: text.into(), attachments: Vec::new() }, number).unwrap();
        self.lanes()
    }

    fn lanes(&self) -> Vec<SessionId> {
        open_race(&self.world, self.row()).map(|run| lanes(run).collect()).unwrap_or_default()
    }

    /// Lets a lane answer after one tool call.
    fn answer(&mut self, lane: SessionId) {
        let main = std::mem::replace(&mut self.session, lane);
        for action in [4, 5, 6, 8, 10, 10, 5, 6, 7, 12] {
            self.run(&self.command(action)).unwrap();
        }
        self.session = main;
        self.look();
    }

    /// Plays the scheduler after a change in a race.
    fn look(&mut self) {
        if let Some(run) = race_to_update(&self.world, self.row()) {
            self.run(&Command::AdvanceRun { run }).unwrap();
        }
    }

    fn pick(&mut self, lane: SessionId) -> Decision {
        self.run(&Command::PickLane { session: self.session, lane })
    }

    fn end(&mut self) -> Decision {
        self.run(&Command::EndRun { run: self.row().run.unwrap() })
    }

    fn run_row(&self) -> &Run {
        self.world.run(&self.row().run.unwrap()).unwrap()
    }

    fn head_of(&self, lane: SessionId) -> TurnId {
        self.world.session(&lane).unwrap().head.unwrap()
    }

    fn file(&self) -> Option<&str> {
        self.world.working_mind(self.row()).unwrap().file("f")
    }

    fn queued(&self) -> Vec<QueueState> {
        self.world.queue.values().map(|item| item.state).collect()
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]

    /// The tree's invariants hold in the session and in all lanes, no message is lost, only a pick moves the session's
    /// head, and the end of a race ends all its work.
    #[test]
    fn race_loses_nothing(steps in proptest::collection::vec((0u8..24, any::<u16>()), 1..80)) {
        let mut device = DecideFixture::new();
        let mut written = ImmutableRows::default();
        let main = device.session;
        device.turn("begin");
        for (step, seed) in steps {
            let seed = usize::from(seed);
            device.session = main;
            let lanes = device.lanes();
            let head = device.row().head;
            let before = device.events.len();
            let waited = device.queued().len();
            let lane = nth(lanes.iter().copied(), seed);
            let turn = nth(device.world.turns.keys().copied(), seed);
            let mut is_pick = false;
            let outcome = match (step, lane, turn) {
                (0, None, Some(turn)) => device.race(RacePrompt::Turn(turn), 2 + seed % 2),
                (0 | 1, None, _) => {
                    let text = format!("race {seed}");
                    device.race(RacePrompt::Message { text, attachments: Vec::new() }, 2 + seed % 2)
                }
                (1 | 2, Some(lane), _) => { is_pick = true; device.pick(lane) }
                (3, Some(_), _) if seed.is_multiple_of(2) => device.end(),
                (3, ..) => device.run(&device.command(11)),
                (4, ..) => device.run(&device.command(u8::try_from(seed % 4).unwrap())),
                (5, ..) => device.run(&device.command(15)),
                (6, Some(lane), _) => device.run(&Command::Recover { session: lane }),
                (7, Some(lane), _) => device.run(&Command::Stop { session: lane }),
                (8, ..) => device.run(&device.command(13)),
                (9, ..) if seed.is_multiple_of(3) => device.run(&device.command(20)),
                (10, ..) => device.run(&device.command(26)),
                (11, Some(lane), _) => { device.session = lane; device.run(&device.command(9)) }
                (12..=19, Some(lane), _) => {
                    device.session = lane;
                    let flavour = if seed % 4 == 0 { 8 } else { 20 };
                    device.run(&device.command(device.next_action(flavour)))
                }
                _ => match race_to_update(&device.world, device.row()) {
                    Some(run) => device.run(&Command::AdvanceRun { run }),
                    None => device.run(&device.command(device.next_action(20))),
                },
            };
            device.session = main;
            if outcome.is_err() {
                prop_assert_eq!(device.events.len(), before, "a rejected command adds no events");
            }
            written.holds(&device)?;
            prop_assert!(device.queued().len() >= waited, "a waiting message was lost");
            let now = device.lanes();
            if !lanes.is_empty() && now.is_empty() {
                for lane in &lanes {
                    let row = device.world.session(lane).unwrap();
                    prop_assert!(device.world.open_run(row).is_none(), "a lane goes on without its race");
                    prop_assert!(device.world.open_turn(row).is_none(), "and has an open turn");
                    prop_assert!(race_of(&device.world, row).is_none());
                }
            }
            let was_picked = is_pick && outcome.is_ok();
            if !lanes.is_empty() && !was_picked {
                prop_assert_eq!(device.row().head, head, "the head moved without a choice");
            }
            if was_picked {
                let picked = lane.unwrap();
                prop_assert_eq!(device.row().head, Some(device.head_of(picked)));
                let row = device.world.session(&picked).unwrap();
                let first = turns_of(&device.world, row)[0];
                let beside = siblings(&device.world, device.row(), first);
                for lane in &lanes {
                    let row = device.world.session(lane).unwrap();
                    if let Some(other) = turns_of(&device.world, row).first() {
                        prop_assert!(beside.contains(&other.id), "a lane does not stand beside the one that was picked");
                    }
                }
            }
            // A race has one budget, and usage is counted once.
            if let Some(race) = open_race(&device.world, device.row()) {
                let used: u32 = lanes_of(&device.world, race).map(|run| run.used.calls).sum();
                prop_assert!(crate::session::workers::spent(&device.world, race).calls <= used);
            }
        }
        let json = serde_json::to_string(&device.events).unwrap();
        let again: Vec<Event> = serde_json::from_str(&json).unwrap();
        prop_assert!(fold(&World::default(), &again) == device.world, "fold from empty differs");
    }
}

fn lanes_of<'w>(world: &'w World, race: &'w Run) -> impl Iterator<Item = &'w std::sync::Arc<Run>> {
    lanes(race).flat_map(|lane| world.runs.values().filter(move |run| run.session == lane))
}

#[test]
fn picked_lane_brings_its_files() {
    let mut device = DecideFixture::new();
    device.write("before the question");
    let one = device.turn("one");
    device.write("after the answer");
    let left = device.row().mind;
    let lanes = device.again(one, 2);
    assert_eq!(device.row().head, Some(one), "nothing moves before the choice");
    assert_eq!(device.pick(lanes[0]), Err(Rejection::TurnWorks));
    device.answer(lanes[1]);
    assert_eq!(device.run_row().status, RunStatus::Running, "one still works");
    device.answer(lanes[0]);
    assert_eq!(device.run_row().pause, Some(PauseCause::Choice));
    let calls = device.run_row().used.calls;
    assert_eq!(calls, 4, "what the lanes used counts to the race");
    device.pick(lanes[0]).unwrap();
    assert_eq!(device.row().head, Some(device.head_of(lanes[0])));
    assert_eq!(device.objective(), "before the question");
    assert!(device.file().is_some(), "the files of the lane came along");
    assert_eq!(device.run_row().status, RunStatus::Completed);
    let row = device.world.turn(&device.head_of(lanes[0])).unwrap();
    assert_eq!(row.config.model, "model-1");
    // In the order in which they started to answer.
    let beside = [one, device.head_of(lanes[1]), device.head_of(lanes[0])];
    assert_eq!(siblings(&device.world, device.row(), row), beside);
    // The former head is stored with its mind.
    assert_eq!(device.row().former.last().map(|left| (left.turn, &left.mind)), Some((Some(one), &left)));
    // The thread continues from the picked turn.
    let next = device.turn("next");
    assert_eq!(device.world.turn(&next).unwrap().parent, Some(device.head_of(lanes[0])));
}

#[test]
fn raced_message_is_withdrawn_without_a_pick() {
    let mut device = DecideFixture::new();
    let lanes = device.race_message("who is quicker?", 3);
    assert_eq!(lanes.len(), 3);
    let message = device.row().unanswered.clone();
    device.answer(lanes[2]);
    device.end().unwrap();
    assert_eq!((device.row().head, device.row().unanswered.clone()), (None, Vec::new()));
    assert_eq!(device.run_row().status, RunStatus::Cancelled);
    assert_eq!(device.end(), Err(Rejection::Stale));
    let turns = device.world.turns.values().filter(|turn| turn.query == message).count();
    assert_eq!(turns, 1, "only one had begun to work");
    // The next message is sent alone, and the lane's turn stays beside it.
    let next = device.turn("and now?");
    let next = device.world.turn(&next).unwrap().clone();
    assert_eq!(next.query.len(), 1);
    assert_eq!(siblings(&device.world, device.row(), &next).len(), 2);
    // A picked lane has answered it.
    let lanes = device.race_message("again", 2);
    device.answer(lanes[0]);
    device.pick(lanes[0]).unwrap();
    assert!(device.row().unanswered.is_empty());
}

#[test]
fn waiting_messages_continue_after_the_choice() {
    let mut device = DecideFixture::new();
    let lanes = device.race_message("go", 2);
    device.run(&device.command(0)).unwrap();
    assert_eq!(device.queued(), [QueueState::Waiting]);
    assert_eq!(device.run(&device.command(14)), Err(Rejection::RunWorks));
    device.answer(lanes[0]);
    device.pick(lanes[0]).unwrap();
    let stopped = device.world.session(&lanes[1]).unwrap();
    assert!(device.world.open_run(stopped).is_none(), "the other one was stopped");
    device.run(&device.command(14)).unwrap();
    assert!(matches!(device.queued()[..], [QueueState::Taken(_)]));
    // An interrupting message ends the race and is taken at once.
    device.run(&device.command(11)).unwrap();
    device.race_message("once more", 2);
    device.run(&device.command(2)).unwrap();
    assert!(device.lanes().is_empty());
    device.run(&device.command(14)).unwrap();
}

#[test]
fn running_compaction_prevents_a_pick() {
    let mut device = DecideFixture::new();
    for text in ["one", "two", "three", "four"] {
        device.turn(text);
    }
    let lanes = device.race_message("go", 2);
    device.answer(lanes[0]);
    let (session, agent, focus) = (device.session, AgentKey::from("engineer"), String::new());
    device.run(&Command::Compact { session, agent, focus }).unwrap();
    device.run(&device.archivist(1).unwrap()).unwrap();
    assert_eq!(device.pick(lanes[0]), Err(Rejection::CompactionWorks));
    device.run(&device.archivist(1).unwrap()).unwrap();
    device.pick(lanes[0]).unwrap();
    assert_eq!(device.row().head, Some(device.head_of(lanes[0])));
}

#[test]
fn stop_closes_all_lanes_and_keeps_partial_messages() {
    let mut device = DecideFixture::new();
    let one = device.turn("one");
    let lanes = device.again(one, 3);
    for lane in &lanes {
        let main = std::mem::replace(&mut device.session, *lane);
        for action in [4, 5, 6] {
            device.run(&device.command(action)).unwrap();
        }
        device.session = main;
    }
    let before = device.events.len();
    device.run(&Command::Stop { session: device.session }).unwrap();
    assert_eq!((device.lanes(), device.run_row().pause.clone()), (lanes.clone(), Some(PauseCause::Choice)));
    let stopped = device.events.len();
    device.run(&Command::Stop { session: device.session }).unwrap();
    assert_eq!(device.events.len(), stopped, "nothing is left to stop");
    device.end().unwrap();
    for lane in &lanes {
        let turn = device.world.turn(&device.head_of(*lane)).unwrap();
        assert_eq!(turn.end, Some(TurnEnd::Cancelled));
        assert_eq!(turn.parent, device.world.turn(&one).unwrap().parent);
    }
    assert!(device.events.len() > before);
    assert_eq!((device.row().head, device.lanes().len()), (Some(one), 0));
    assert_eq!(device.run_row().used.calls, 3, "what they used is not forgotten");
    assert_eq!(device.run(&Command::ContinueRun { run: device.run_row().id }), Err(Rejection::Stale));
}

#[test]
fn race_needs_an_idle_session_and_allowed_models() {
    let mut device = DecideFixture::new();
    let one = device.turn("one");
    let prompt = || RacePrompt::Message { text: "x".into(), attachments: Vec::new() };
    for number in [0, 1, 4] {
        assert!(matches!(device.race(prompt(), number), Err(Rejection::BadArguments { .. })), "{number}");
    }
    let empty = RacePrompt::Message { text: " ".into(), attachments: Vec::new() };
    assert_eq!(device.race(empty, 2), Err(Rejection::NothingSaid));
    let mut bound = device.world.agent(&"engineer".into()).unwrap().as_ref().clone();
    bound.permissions.credentials = Some(vec![ProviderId::from("another")]);
    let free = device.world.agent(&"engineer".into()).unwrap().as_ref().clone();
    device.run(&Command::ChangeAgent { agent: bound }).unwrap();
    assert_eq!(device.race(prompt(), 2), Err(Rejection::NotAllowed));
    device.run(&Command::ChangeAgent { agent: free }).unwrap();
    let lanes = device.again(one, 2);
    assert_eq!(device.race(prompt(), 2), Err(Rejection::RunWorks));
    let (session, turn) = (device.session, one);
    assert_eq!(
        device.run(&Command::TryAgain { session, turn, agent: None, config: None, tools: None }),
        Err(Rejection::RunWorks)
    );
    assert_eq!(device.run(&Command::MoveHead { session, to: one, newest: false }), Err(Rejection::RunWorks));
    let delete = Command::DeleteSession { session: lanes[0] };
    assert_eq!(device.run(&delete), Err(Rejection::RunWorks));
}

#[test]
fn picked_mind_merges_the_operators_edits() {
    let mut device = DecideFixture::new();
    let one = device.turn("one");
    let lanes = device.again(one, 2);
    device.write("written while they raced");
    device.answer(lanes[0]);
    device.pick(lanes[0]).unwrap();
    assert_eq!(device.objective(), "written while they raced");
    assert!(device.file().is_some());
}

#[test]
fn lane_statuses_match_their_sessions() {
    let mut device = DecideFixture::new();
    let lanes = device.race_message("go", 2);
    let look = shown_race(&device.world, device.session).unwrap();
    assert!(!look.waits && look.lanes.iter().all(|lane| lane.turn.is_none() && !lane.can_be_picked));
    device.answer(lanes[0]);
    device.run(&Command::Stop { session: lanes[1] }).unwrap();
    device.look();
    let look = shown_race(&device.world, device.session).unwrap();
    assert!(look.waits);
    let [first, second] = &look.lanes[..] else { panic!("two lanes") };
    assert_eq!((first.status, first.can_be_picked, first.tools.len()), (NodeStatus::Done, true, 2));
    assert_eq!(first.config.as_ref().unwrap().model, "model-1");
    assert_eq!(first.touched.iter().map(|touched| touched.field.as_str()).collect::<Vec<_>>(), ["f"]);
    assert_eq!((second.status, second.can_be_picked), (NodeStatus::Error, false));
}

#[test]
fn queue_mode_never_affects_a_lane() {
    let mut device = DecideFixture::new();
    let lanes = device.race_message("go", 2);
    device.run(&device.command(3)).unwrap();
    device.answer(lanes[0]);
    let item = device.world.queue.values().next().unwrap();
    assert_eq!(
        (item.mode, item.state, item.session),
        (QueueMode::Steer, QueueState::Waiting, device.session)
    );
}
