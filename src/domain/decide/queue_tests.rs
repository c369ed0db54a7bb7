//! What waits is neither lost nor taken twice, whatever is to happen to it and whatever else happens.

use proptest::prelude::*;

use crate::domain::command::{Command, Rejection};
use crate::domain::decide::tests::Device;
use crate::domain::id::{MessageId, QueueItemId};
use crate::domain::message::{Role, Source};
use crate::domain::part::text_of;
use crate::domain::run::{RunCause, RunStatus};
use crate::domain::session::{KeepGoing, QueueMode, QueueState, Target};
use crate::domain::sorted::SortedMap;

const MODES: [QueueMode; 4] =
    [QueueMode::FollowUp, QueueMode::Collect, QueueMode::Steer, QueueMode::Interrupt];

fn say_to(device: &mut Device, text: &str, queue: QueueMode, target: Target) -> Result<(), Rejection> {
    device.run(&Command::Say {
        session: device.session,
        text: text.into(),
        attachments: Vec::new(),
        source: Source::Human,
        target,
        queue,
        keep_going: None,
        over: None,
    })
}

fn say(device: &mut Device, text: &str, queue: QueueMode) -> Result<(), Rejection> {
    say_to(device, text, queue, Target::All)
}

fn waiting(device: &Device) -> Vec<QueueItemId> {
    device.world.waiting(device.session).iter().map(|item| item.id).collect()
}

/// The words of the messages that the newest run answers.
fn asked(device: &Device) -> Vec<String> {
    let run = device.world.run(&device.row().run.unwrap()).unwrap();
    run.messages.iter().map(|id| text_of(&device.world.message(id).unwrap().parts)).collect()
}

/// The operator's messages with these words.
fn messages(device: &Device, text: &str) -> Vec<MessageId> {
    let all = device.world.messages.values().filter(|message| message.role == Role::User);
    all.filter(|message| text_of(&message.parts) == text).map(|message| message.id).collect()
}

/// Every text is in one place: it waits, or was withdrawn, or is one message that no turn has taken or one took.
fn each_is_once(device: &Device, said: &SortedMap<u64, String>) -> Result<(), TestCaseError> {
    for text in said.values() {
        let items = || device.world.queue.values().filter(|item| item.text == *text);
        let still = items().filter(|item| item.state == QueueState::Waiting).count();
        let gone = items().filter(|item| item.state == QueueState::Withdrawn).count();
        let messages = messages(device, text);
        prop_assert_eq!(still + gone + messages.len(), 1, "{} is in another number of places", text);
        for message in messages {
            let open = device.row().unanswered.iter().filter(|id| **id == message).count();
            let turns = device.world.turns.values().filter(|turn| turn.query.contains(&message)).count();
            prop_assert_eq!(open + turns, 1, "{} is asked in another number of turns", text);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn queue_modes_lose_and_duplicate_nothing(
        steps in proptest::collection::vec((0u8..16, 0u8..16, any::<u16>()), 0..120)
    ) {
        let mut device = Device::new();
        let mut said: SortedMap<u64, String> = SortedMap::new();
        let mut number = 0u64;
        for (step, flavour, pick) in steps {
            let mode = MODES[usize::from(flavour) % MODES.len()];
            let item = {
                let waiting = waiting(&device);
                (!waiting.is_empty()).then(|| waiting[usize::from(pick) % waiting.len()])
            };
            match (step, item) {
                (0..=3, _) => {
                    number += 1;
                    let target = match pick % 3 {
                        0 => Target::Agents(vec!["critic".into()]),
                        _ => Target::All,
                    };
                    say_to(&mut device, &format!("said {number}"), mode, target).unwrap();
                    said.insert(number, format!("said {number}"));
                }
                (4, Some(item)) => device.run(&Command::SetQueueMode { item, mode }).unwrap(),
                (5, Some(item)) => {
                    number += 1;
                    let (before, text) = (device.world.queue_item(&item).unwrap().text.clone(), format!("said {number}"));
                    device.run(&Command::EditQueued { item, text: text.clone() }).unwrap();
                    // What was said before is not said any more.
                    said.retain(|_, text| *text != before);
                    said.insert(number, text);
                }
                (6, Some(item)) => device.run(&Command::WithdrawQueued { item }).unwrap(),
                (7, _) => device.run(&Command::Stop { session: device.session }).unwrap(),
                (8, _) => device.run(&Command::Recover { session: device.session }).unwrap(),
                // What the scheduler would do; a refusal changes nothing.
                (9 | 10, _) => drop(device.run(&Command::TakeQueue { session: device.session })),
                _ => {
                    let command = device.command(device.natural(flavour));
                    if let Command::Say { .. } = command {
                        continue;
                    }
                    drop(device.run(&command));
                }
            }
            each_is_once(&device, &said)?;
        }
        // When all that works is let go on, nothing is left waiting.
        for _ in 0..2_000 {
            let idle = device.world.open_run(device.row()).is_none();
            if idle && waiting(&device).is_empty() {
                break;
            }
            let command = match idle {
                true => Command::TakeQueue { session: device.session },
                false => device.command(match device.natural(15) {
                    // An answer, not another round of tools.
                    8 => 7,
                    natural => natural,
                }),
            };
            drop(device.run(&command));
            each_is_once(&device, &said)?;
        }
        prop_assert!(waiting(&device).is_empty(), "something waits for ever");
    }
}

#[test]
fn what_interrupts_goes_before_what_waited_and_the_rest_keeps_its_order() {
    let mut device = Device::new();
    say(&mut device, "at work", QueueMode::FollowUp).unwrap();
    let run = device.row().run.unwrap();
    for text in ["first", "second"] {
        say(&mut device, text, QueueMode::FollowUp).unwrap();
    }
    say(&mut device, "now", QueueMode::Interrupt).unwrap();
    assert_eq!(device.world.run(&run).unwrap().status, RunStatus::Cancelled);
    for text in ["now", "first", "second"] {
        device.run(&Command::TakeQueue { session: device.session }).unwrap();
        assert_eq!(asked(&device), [text]);
        device.run(&Command::Stop { session: device.session }).unwrap();
    }
    assert_eq!(device.run(&Command::TakeQueue { session: device.session }), Err(Rejection::NotWaiting));
}

#[test]
fn what_is_collected_is_one_run_for_those_it_is_for_and_as_often_as_was_wanted() {
    let mut device = Device::new();
    say(&mut device, "at work", QueueMode::FollowUp).unwrap();
    for text in ["one", "two"] {
        say(&mut device, text, QueueMode::Collect).unwrap();
    }
    say(&mut device, "@Critic three", QueueMode::Collect).unwrap();
    let often = KeepGoing { rounds: 3, definition_of_done: "done".into() };
    device
        .run(&Command::Say {
            session: device.session,
            text: "four".into(),
            attachments: Vec::new(),
            source: Source::Human,
            target: Target::All,
            queue: QueueMode::Collect,
            keep_going: Some(often),
            over: None,
        })
        .unwrap();
    device.run(&Command::Stop { session: device.session }).unwrap();
    let mut taken = Vec::new();
    while device.run(&Command::TakeQueue { session: device.session }).is_ok() {
        let limit = device.world.run(&device.row().run.unwrap()).unwrap().rounds.limit;
        taken.push((asked(&device), limit));
        device.run(&Command::Stop { session: device.session }).unwrap();
    }
    let words = |all: &[&str]| all.iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(taken, [(words(&["one", "two"]), 1), (words(&["@Critic three"]), 1), (words(&["four"]), 3)]);
}

#[test]
fn a_waiting_message_that_is_to_interrupt_after_all_stops_the_run_at_once() {
    let mut device = Device::new();
    say(&mut device, "at work", QueueMode::FollowUp).unwrap();
    let run = device.row().run.unwrap();
    say(&mut device, "later", QueueMode::FollowUp).unwrap();
    let item = waiting(&device)[0];
    device.run(&Command::SetQueueMode { item, mode: QueueMode::Collect }).unwrap();
    assert_eq!(device.world.run(&run).unwrap().status, RunStatus::Running);
    device.run(&Command::SetQueueMode { item, mode: QueueMode::Interrupt }).unwrap();
    assert_eq!(device.world.run(&run).unwrap().status, RunStatus::Cancelled);
    device.run(&Command::TakeQueue { session: device.session }).unwrap();
    assert!(matches!(device.world.run(&device.row().run.unwrap()).unwrap().cause, RunCause::Message(_)));
    // What was taken waits no more.
    assert_eq!(
        device.run(&Command::SetQueueMode { item, mode: QueueMode::Steer }),
        Err(Rejection::NotWaiting)
    );
}

#[test]
fn what_steers_joins_the_next_turn_of_the_run_that_works() {
    let mut device = Device::new();
    say(&mut device, "at work", QueueMode::FollowUp).unwrap();
    let run = device.row().run.unwrap();
    for natural in [4, 5] {
        device.run(&device.command(natural)).unwrap();
    }
    say(&mut device, "by the way", QueueMode::Steer).unwrap();
    say(&mut device, "afterwards", QueueMode::FollowUp).unwrap();
    for natural in [7, 4] {
        device.run(&device.command(natural)).unwrap();
    }
    let turn = device.world.open_turn(device.row()).unwrap();
    assert_eq!(turn.run, Some(run));
    assert_eq!(turn.query, messages(&device, "by the way"));
    assert_eq!(waiting(&device).len(), 1);
}
