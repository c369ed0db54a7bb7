//! Scenarios of a message's final status: completed without a reason, or failed with its own.

use serde_json::json;

use nexus_engine::port::{Store as _, Table};
use nexus_engine::testing::{Scripted, ScriptedChunk, Tab, calls, refuses, says, tab, trickles};
use nexus_model::command::Command;
use nexus_model::message::content::text_of;
use nexus_model::message::{Message, MessageStatus, Role};
use nexus_model::turn::{Turn, TurnEnd};

/// The newest turn, and its newest answer as the store has it.
fn newest(tab: &Tab) -> (Turn, Message) {
    let turn = tab.world().turn(&tab.session_row().head.unwrap()).unwrap().as_ref().clone();
    let id = {
        let world = tab.world();
        let mut newest = turn.messages.iter().rev().filter_map(|id| world.message(id));
        newest.find(|message| message.role == Role::Assistant).unwrap().id
    };
    let store = tab.store.clone();
    let rows = tab.wait_for(async move { store.get(Table::Messages, vec![id.to_string()]).await.unwrap() });
    let stored: Message = serde_json::from_str(rows[0].as_ref().unwrap()).unwrap();
    assert_eq!(tab.world().message(&id).unwrap().as_ref(), &stored);
    (turn, stored)
}

/// Asks the Architect, who fails in this way, and gives how it stands then.
fn failing(script: fn() -> Scripted, then: impl FnOnce(Tab) -> Tab) -> (Tab, Turn, Message) {
    let tab = tab(move |_, _| script());
    tab.say("@Architect go").unwrap();
    let tab = then(tab);
    let (turn, message) = newest(&tab);
    (tab, turn, message)
}

fn cut() -> Scripted {
    let Scripted { status, mut beats } = says("half an ans");
    beats.pop();
    Scripted { status, beats }
}

#[test]
fn a_message_that_failed_says_in_which_of_all_ways_and_keeps_what_had_come() {
    let stopped = |tab: Tab| {
        tab.pass(1_500);
        tab.send(Command::Stop { session: tab.session }).unwrap();
        tab
    };
    let closed = |tab: Tab| {
        tab.pass(2_500);
        tab.kill();
        tab.again(|_, _| says("never asked"))
    };
    let silent = |tab: Tab| {
        tab.pass(121_000);
        tab
    };
    let slow = || trickles(&["one ", "two "]);
    let mute = || {
        let mut beats = says("a word").beats;
        beats.truncate(1);
        beats.push(ScriptedChunk::Wait(10_000_000));
        Scripted { status: 200, beats }
    };
    let ways = [
        (TurnEnd::Cancelled, "one ", failing(slow, stopped)),
        (TurnEnd::Interrupted, "one ", failing(slow, closed)),
        (TurnEnd::CutOff, "half an ans", failing(cut, |tab| tab)),
        (TurnEnd::TimedOut, "a word", failing(mute, silent)),
        (TurnEnd::Error, "", failing(|| refuses(400, "INVALID_ARGUMENT"), |tab| tab)),
    ];
    for (way, kept, (tab, turn, message)) in ways {
        assert_eq!((message.status, message.failed_reason), (MessageStatus::Failed, Some(way)), "{way:?}");
        assert_eq!(
            (turn.end, turn.failure.is_some()),
            (Some(way), !matches!(way, TurnEnd::Cancelled | TurnEnd::Interrupted))
        );
        assert!(text_of(&message.parts).starts_with(kept), "{way:?}: {message:?}");
        // What comes later changes nothing of it.
        tab.pass(300_000);
        tab.kill();
        let again = tab.again(|_, _| says("better"));
        if let Some(run) =
            again.session_row().run.filter(|run| again.world().run(run).unwrap().status.is_open())
        {
            again.send(Command::EndRun { run }).unwrap();
        }
        again.try_again(turn.id).unwrap();
        again.settle();
        let (_, better) = newest(&again);
        assert_eq!((better.status, better.failed_reason), (MessageStatus::Completed, None), "{way:?}");
        assert_eq!(again.world().message(&message.id).unwrap().as_ref(), &message, "{way:?}");
    }
}

#[test]
fn an_answer_beyond_the_last_round_is_whole_though_its_turn_is_not() {
    let mut asked = 0;
    let tab = tab(move |_, _| {
        asked += 1;
        calls(&[("write_file", json!({"name": "a", "content": format!("{asked}")}))])
    });
    tab.say("@Engineer go").unwrap();
    let (turn, message) = newest(&tab);
    assert_eq!((turn.end, message.status), (Some(TurnEnd::TimedOut), MessageStatus::Completed));
    assert_eq!((message.failed_reason, message.metadata.tool_run_ids.len()), (None, 0));
    // Whoever is asked next is told what was done, and of no call that would wait for its result for ever.
    tab.say("@Engineer again").unwrap();
    let second = tab.asked.borrow()[9].1.clone();
    assert_eq!(second["contents"].to_string().matches("functionCall\"").count(), 0);
    assert_eq!(second["contents"].to_string().matches("(used write_file a: done").count(), 8);
}
