//! Tests of the queue: no message is lost or delivered twice, in every mode.

use proptest::prelude::*;

use crate::command::{Command, Decision, NewMessage, Rejection};
use crate::decide::tests::DecideFixture;
use crate::id::{MessageId, QueueItemId, TriggerId};
use crate::message::content::text_of;
use crate::message::{MessageOrigin, Role, Source};
use crate::run::{RunCause, RunStatus};
use crate::session::firing::{chain_of, is_busy};
use crate::session::{KeepGoing, QueueMode, QueueState, Target};
use nexus_text::vec_map::VecMap;

const MODES: [QueueMode; 4] =
    [QueueMode::FollowUp, QueueMode::Collect, QueueMode::Steer, QueueMode::Interrupt];

fn say_to(device: &mut DecideFixture, text: &str, queue: QueueMode, target: Target) -> Decision {
    device.run(&Command::SendMessage(NewMessage {
        target,
        mode: queue,
        ..NewMessage::new(device.session, text)
    }))
}

fn say(device: &mut DecideFixture, text: &str, queue: QueueMode) -> Decision {
    say_to(device, text, queue, Target::All)
}

fn waiting(device: &DecideFixture) -> Vec<QueueItemId> {
    device.world.waiting(device.session).iter().map(|item| item.id).collect()
}

fn stop_and_send(device: &mut DecideFixture) {
    device.run(&Command::Stop { session: device.session }).unwrap();
    // Without waiting messages nothing is held.
    drop(device.run(&Command::SendAllHeld { session: device.session }));
}

fn take(device: &mut DecideFixture) -> Decision {
    device.run(&Command::TakeQueue { session: device.session })
}

/// The texts of the messages that the newest run answers.
fn answered_texts(device: &DecideFixture) -> Vec<String> {
    let run = device.world.run(&device.row().run.unwrap()).unwrap();
    run.messages.iter().map(|id| text_of(&device.world.message(id).unwrap().parts)).collect()
}

/// The operator's messages with this text.
fn messages(device: &DecideFixture, text: &str) -> Vec<MessageId> {
    let all = device.world.messages.values().filter(|message| message.role == Role::User);
    all.filter(|message| text_of(&message.parts) == text).map(|message| message.id).collect()
}

/// Each text is in one place: it waits, was withdrawn, or is one message that at most one turn took.
fn each_is_once(device: &DecideFixture, texts: &VecMap<u64, String>) -> Result<(), TestCaseError> {
    for text in texts.values() {
        let items = || device.world.queue.values().filter(|item| item.text == *text);
        let still = items().filter(|item| item.state == QueueState::Waiting).count();
        let withdrawn = items().filter(|item| item.state == QueueState::Withdrawn).count();
        let messages = messages(device, text);
        prop_assert_eq!(still + withdrawn + messages.len(), 1, "{} is not in exactly one place", text);
        for message in messages {
            let open = device.row().unanswered.iter().filter(|id| **id == message).count();
            let turns = device.world.turns.values().filter(|turn| turn.query.contains(&message)).count();
            prop_assert_eq!(open + turns, 1, "{} is not in exactly one turn", text);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn queue_modes_lose_and_duplicate_nothing(
        steps in proptest::collection::vec((0u8..20, 0u8..16, any::<u16>()), 0..120)
    ) {
        let mut device = DecideFixture::new();
        let mut texts: VecMap<u64, String> = VecMap::new();
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
                    texts.insert(number, format!("said {number}"));
                }
                (4, Some(item)) => device.run(&Command::SetQueueMode { item, mode }).unwrap(),
                (5, Some(item)) => {
                    number += 1;
                    let (before, text) = (device.world.queue_item(&item).unwrap().text.clone(), format!("said {number}"));
                    device.run(&Command::EditQueued { item, text: text.clone() }).unwrap();
                    // The former text is no longer sent.
                    texts.retain(|_, text| *text != before);
                    texts.insert(number, text);
                }
                (6, Some(item)) => device.run(&Command::WithdrawQueued { item }).unwrap(),
                (7, _) => {
                    device.run(&Command::Stop { session: device.session }).unwrap();
                    let taken = device.run(&Command::TakeQueue { session: device.session });
                    prop_assert_eq!(taken, Err(Rejection::NotWaiting), "something starts after Stop");
                }
                (11, Some(item)) => device.run(&Command::BeginQueuedEdit { item }).unwrap(),
                (12, Some(item)) => device.run(&Command::EndQueuedEdit { item }).unwrap(),
                // Rejected if nothing is held.
                (13, Some(item)) => drop(device.run(&Command::SendHeld { item })),
                (14, _) => {
                    let session = device.session;
                    let withdrawn: Vec<_> = device.world.queue.values()
                        .filter(|item| item.state == QueueState::Withdrawn).map(|item| item.id).collect();
                    let put_back = device.run(&Command::PutBackQueued { session, items: withdrawn.clone() });
                    prop_assert_eq!(put_back.is_ok(), !withdrawn.is_empty());
                    prop_assert!(withdrawn.iter().all(|item| waiting(&device).contains(item)));
                }
                (8, _) => device.run(&Command::Recover { session: device.session }).unwrap(),
                // Plays the scheduler; a rejected command changes nothing.
                (9 | 10, _) => drop(device.run(&Command::TakeQueue { session: device.session })),
                _ => {
                    let command = device.command(device.next_action(flavour));
                    if let Command::SendMessage(_) = command {
                        continue;
                    }
                    drop(device.run(&command));
                }
            }
            each_is_once(&device, &texts)?;
        }
        // After everything has run and all held messages are sent, nothing waits.
        for item in waiting(&device) {
            device.run(&Command::EndQueuedEdit { item }).unwrap();
            drop(device.run(&Command::SendHeld { item }));
        }
        for _ in 0..2_000 {
            let idle = device.world.open_run(device.row()).is_none();
            if idle && waiting(&device).is_empty() {
                break;
            }
            let command = match idle {
                true => Command::TakeQueue { session: device.session },
                false => device.command(match device.next_action(15) {
                    // An answer without further tool calls.
                    8 => 7,
                    natural => natural,
                }),
            };
            drop(device.run(&command));
            each_is_once(&device, &texts)?;
        }
        prop_assert!(waiting(&device).is_empty(), "something waits for ever");
    }
}

#[test]
fn interrupting_message_goes_first_and_the_rest_keeps_its_order() {
    let mut device = DecideFixture::new();
    say(&mut device, "at work", QueueMode::FollowUp).unwrap();
    let run = device.row().run.unwrap();
    for text in ["first", "second"] {
        say(&mut device, text, QueueMode::FollowUp).unwrap();
    }
    say(&mut device, "now", QueueMode::Interrupt).unwrap();
    assert_eq!(device.world.run(&run).unwrap().status, RunStatus::Cancelled);
    for text in ["now", "first", "second"] {
        device.run(&Command::TakeQueue { session: device.session }).unwrap();
        assert_eq!(answered_texts(&device), [text]);
        stop_and_send(&mut device);
    }
    assert_eq!(device.run(&Command::TakeQueue { session: device.session }), Err(Rejection::NotWaiting));
}

#[test]
fn collected_messages_share_a_run_per_target_and_rounds() {
    let mut device = DecideFixture::new();
    say(&mut device, "at work", QueueMode::FollowUp).unwrap();
    for text in ["one", "two"] {
        say(&mut device, text, QueueMode::Collect).unwrap();
    }
    say(&mut device, "@Critic three", QueueMode::Collect).unwrap();
    let often = KeepGoing { rounds: 3, definition_of_done: "done".into() };
    device
        .run(&Command::SendMessage(NewMessage {
            mode: QueueMode::Collect,
            keep_going: Some(often),
            ..NewMessage::new(device.session, "four")
        }))
        .unwrap();
    stop_and_send(&mut device);
    let mut taken = Vec::new();
    while device.run(&Command::TakeQueue { session: device.session }).is_ok() {
        let limit = device.world.run(&device.row().run.unwrap()).unwrap().rounds.limit;
        taken.push((answered_texts(&device), limit));
        stop_and_send(&mut device);
    }
    let words = |all: &[&str]| all.iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(taken, [(words(&["one", "two"]), 1), (words(&["@Critic three"]), 1), (words(&["four"]), 3)]);
}

#[test]
fn switching_a_message_to_interrupt_stops_the_run() {
    let mut device = DecideFixture::new();
    say(&mut device, "at work", QueueMode::FollowUp).unwrap();
    let run = device.row().run.unwrap();
    say(&mut device, "later", QueueMode::FollowUp).unwrap();
    let item = waiting(&device)[0];
    device.run(&Command::SetQueueMode { item, mode: QueueMode::Collect }).unwrap();
    assert_eq!(device.world.run(&run).unwrap().status, RunStatus::Queued);
    device.run(&Command::SetQueueMode { item, mode: QueueMode::Interrupt }).unwrap();
    assert_eq!(device.world.run(&run).unwrap().status, RunStatus::Cancelled);
    device.run(&Command::TakeQueue { session: device.session }).unwrap();
    assert!(matches!(device.world.run(&device.row().run.unwrap()).unwrap().cause, RunCause::Message(_)));
    // A taken message no longer waits.
    assert_eq!(
        device.run(&Command::SetQueueMode { item, mode: QueueMode::Steer }),
        Err(Rejection::NotWaiting)
    );
}

#[test]
fn steering_message_joins_the_next_turn() {
    let mut device = DecideFixture::new();
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

#[test]
fn run_that_a_triggers_message_joins_is_caused_by_the_trigger() {
    let mut device = DecideFixture::new();
    say(&mut device, "at work", QueueMode::FollowUp).unwrap();
    for natural in [4, 5] {
        device.run(&device.command(natural)).unwrap();
    }
    let trigger = TriggerId::from(7);
    let origin = MessageOrigin { triggers: vec![trigger], ..MessageOrigin::default() };
    let new = NewMessage { source: Source::Trigger, ..NewMessage::new(device.session, "look") };
    device.run(&Command::SendMessage(NewMessage { origin: Some(origin), ..new })).unwrap();
    let item = waiting(&device)[0];
    device.run(&Command::SetQueueMode { item, mode: QueueMode::Steer }).unwrap();
    for natural in [7, 4, 5, 8] {
        device.run(&device.command(natural)).unwrap();
    }
    assert!(waiting(&device).is_empty() && is_busy(&device.world, trigger));
    assert_eq!(chain_of(&device.world, device.events.last().unwrap()), [trigger]);
}

#[test]
fn stop_holds_messages_until_sent_or_discarded() {
    let mut device = DecideFixture::new();
    say(&mut device, "at work", QueueMode::FollowUp).unwrap();
    for text in ["first", "second", "third"] {
        say(&mut device, text, QueueMode::FollowUp).unwrap();
    }
    device.run(&Command::Stop { session: device.session }).unwrap();
    let held = waiting(&device);
    assert!(held.iter().all(|item| device.world.queue_item(item).unwrap().held));
    assert!(device.row().stopped);
    assert_eq!(take(&mut device), Err(Rejection::NotWaiting));
    // A new message is sent alone. Held ones wait on, even after its run ends.
    say(&mut device, "a new one", QueueMode::FollowUp).unwrap();
    assert_eq!(answered_texts(&device), ["a new one"]);
    assert!(!device.row().stopped, "the operator started something");
    say(&mut device, "behind it", QueueMode::FollowUp).unwrap();
    say(&mut device, "at once", QueueMode::Interrupt).unwrap();
    for text in ["at once", "behind it"] {
        take(&mut device).unwrap();
        assert_eq!(answered_texts(&device), [text]);
        let run = device.row().run.unwrap();
        device.run(&Command::Recover { session: device.session }).unwrap();
        device.run(&Command::EndRun { run }).unwrap();
    }
    assert_eq!(take(&mut device), Err(Rejection::NotWaiting));
    assert_eq!(waiting(&device), held);
    // One is sent, the others are discarded.
    device.run(&Command::SendHeld { item: held[1] }).unwrap();
    assert_eq!(device.run(&Command::SendHeld { item: held[1] }), Err(Rejection::NotWaiting));
    take(&mut device).unwrap();
    assert_eq!(answered_texts(&device), ["second"]);
    let session = device.session;
    device.run(&Command::DiscardAllHeld { session }).unwrap();
    assert!(waiting(&device).is_empty());
    assert!(messages(&device, "first").is_empty() && messages(&device, "third").is_empty());
    assert_eq!(device.run(&Command::SendAllHeld { session }), Err(Rejection::NotWaiting));
    // Discarded messages return to their place, still held; the sent one does not.
    device.run(&Command::PutBackQueued { session, items: held.clone() }).unwrap();
    assert_eq!(waiting(&device), [held[0], held[2]]);
    assert_eq!(take(&mut device), Err(Rejection::RunWorks));
    assert_eq!(device.run(&Command::PutBackQueued { session, items: held }), Err(Rejection::NotWaiting));
}

#[test]
fn switching_a_held_message_to_interrupt_sends_it() {
    let mut device = DecideFixture::new();
    say(&mut device, "at work", QueueMode::FollowUp).unwrap();
    say(&mut device, "held", QueueMode::FollowUp).unwrap();
    device.run(&Command::Stop { session: device.session }).unwrap();
    let item = waiting(&device)[0];
    device.run(&Command::SetQueueMode { item, mode: QueueMode::Interrupt }).unwrap();
    take(&mut device).unwrap();
    assert_eq!(answered_texts(&device), ["held"]);
}

#[test]
fn after_stop_only_the_operators_messages_are_not_held() {
    let mut device = DecideFixture::new();
    say(&mut device, "at work", QueueMode::FollowUp).unwrap();
    device.run(&Command::Stop { session: device.session }).unwrap();
    for source in [Source::Trigger, Source::Cron, Source::Webhook, Source::Agent, Source::Event] {
        let command =
            Command::SendMessage(NewMessage { source, ..NewMessage::new(device.session, "by itself") });
        device.run(&command).unwrap();
        assert!(device.world.open_run(device.row()).is_none(), "{source:?} started a run");
    }
    assert_eq!(waiting(&device).len(), 5);
    assert_eq!(take(&mut device), Err(Rejection::NotWaiting));
    // Once the operator has started something, the next message waits as usual.
    say(&mut device, "go on", QueueMode::FollowUp).unwrap();
    say(&mut device, "later", QueueMode::FollowUp).unwrap();
    assert_eq!(device.world.sendable(device.session).len(), 1);
}

#[test]
fn message_is_not_sent_while_it_is_edited() {
    let mut device = DecideFixture::new();
    say(&mut device, "at work", QueueMode::FollowUp).unwrap();
    let run = device.row().run.unwrap();
    say(&mut device, "old words", QueueMode::Steer).unwrap();
    say(&mut device, "another", QueueMode::FollowUp).unwrap();
    let item = waiting(&device)[0];
    device.run(&Command::BeginQueuedEdit { item }).unwrap();
    for natural in [4, 5, 7, 4] {
        device.run(&device.command(natural)).unwrap();
    }
    let turn = device.world.open_turn(device.row()).unwrap();
    assert!(turn.query.is_empty(), "it joined a turn in its old words");
    device.run(&Command::Recover { session: device.session }).unwrap();
    device.run(&Command::EndRun { run }).unwrap();
    take(&mut device).unwrap();
    assert_eq!(answered_texts(&device), ["another"]);
    assert_eq!(waiting(&device), [item]);
    device.run(&Command::EditQueued { item, text: "new words".into() }).unwrap();
    let run = device.row().run.unwrap();
    device.run(&Command::Recover { session: device.session }).unwrap();
    device.run(&Command::EndRun { run }).unwrap();
    take(&mut device).unwrap();
    assert_eq!(answered_texts(&device), ["new words"]);
    assert!(messages(&device, "old words").is_empty());
}

#[test]
fn abandoned_edit_sends_the_old_text_unless_stopped() {
    let mut device = DecideFixture::new();
    say(&mut device, "at work", QueueMode::FollowUp).unwrap();
    say(&mut device, "as it was", QueueMode::FollowUp).unwrap();
    let item = waiting(&device)[0];
    device.run(&Command::BeginQueuedEdit { item }).unwrap();
    device.run(&Command::Stop { session: device.session }).unwrap();
    device.run(&Command::EndQueuedEdit { item }).unwrap();
    assert_eq!(
        take(&mut device),
        Err(Rejection::NotWaiting),
        "the end of an edit sends nothing that is held"
    );
    device.run(&Command::SendHeld { item }).unwrap();
    take(&mut device).unwrap();
    assert_eq!(answered_texts(&device), ["as it was"]);
}

#[test]
fn queue_items_of_earlier_programs_are_neither_held_nor_edited() {
    let mut device = DecideFixture::new();
    say(&mut device, "at work", QueueMode::FollowUp).unwrap();
    say(&mut device, "waits", QueueMode::FollowUp).unwrap();
    let item = device.world.queue_item(&waiting(&device)[0]).unwrap();
    let written = serde_json::to_value(item.as_ref()).unwrap();
    assert!(written.get("held").is_none() && written.get("editing").is_none());
    let read: crate::session::QueueItem = serde_json::from_value(written).unwrap();
    assert!(read.is_sendable());
    let row = serde_json::to_value(device.row()).unwrap();
    assert!(row.get("stopped").is_none());
    assert!(!serde_json::from_value::<crate::session::Session>(row).unwrap().stopped);
}

#[test]
fn message_to_a_deleted_agent_is_rejected() {
    let mut device = DecideFixture::new();
    device.run(&Command::RemoveAgent { agent: "critic".into() }).unwrap();
    let critic = Target::Agents(vec!["critic".into()]);
    assert_eq!(say_to(&mut device, "And you?", QueueMode::FollowUp, critic), Err(Rejection::NoSuchAgent));
    assert!(device.world.messages.is_empty(), "the message was stored, though nobody answers");
}
