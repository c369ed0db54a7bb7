//! Scenarios of a message's final status: completed without a reason, or failed with its own.

use serde_json::json;

use nexus_engine::port::{Store as _, Table};
use nexus_engine::tests::{Scripted, ScriptedChunk, Tab, calls, refuses, says, tab, trickles};
use nexus_model::command::Command;
use nexus_model::message::content::text_of;
use nexus_model::message::{Message, MessageStatus, Role};
use nexus_model::turn::{Turn, TurnEnd};

/// The newest turn, and its newest answer as stored.
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

/// Calls the Architect, who fails in this way, and returns the resulting turn and message.
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
fn failed_message_has_its_kind_of_failure_and_keeps_its_text() {
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
        // Later events do not change it.
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
fn answer_at_the_round_limit_is_complete_although_its_turn_is_not() {
    let mut requests = 0;
    let tab = tab(move |_, _| {
        requests += 1;
        calls(&[("write_file", json!({"name": "a", "content": format!("{requests}")}))])
    });
    tab.say("@Engineer go").unwrap();
    let (turn, message) = newest(&tab);
    assert_eq!((turn.end, message.status), (Some(TurnEnd::TimedOut), MessageStatus::Completed));
    assert_eq!((message.failed_reason, message.metadata.tool_run_ids.len()), (None, 0));
    // The next agent sees what was done, but no call without a result.
    tab.say("@Engineer again").unwrap();
    let second = tab.requests.borrow()[9].1.clone();
    assert_eq!(second["contents"].to_string().matches("functionCall\"").count(), 0);
    assert_eq!(second["contents"].to_string().matches("(used write_file a: done").count(), 8);
}
