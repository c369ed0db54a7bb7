//! Scenarios of sessions that were left: their loaded rows are released and reloaded with them.

use nexus_engine::tests::{Tab, calls, says, tab, trickles};
use nexus_model::command::{Command, Rejection};
use nexus_model::id::SessionId;
use nexus_model::mind::{Mind, MindWrite};
use nexus_model::settings::schema::CAP_CALLS;
use nexus_model::world::World;
use serde_json::json;

/// Switches to another session, created for that.
fn leave_for(tab: &mut Tab, number: u128) {
    let session = SessionId::from(number);
    let mind = Mind::default();
    tab.send(Command::CreateSession { session, label: "elsewhere".into(), mind }).unwrap();
    tab.session = session;
    tab.open().unwrap();
}

/// The rows and tables that the loader fills for a session alone.
fn bodies(world: &World) -> World {
    World {
        sessions: world.sessions.clone(),
        turns: world.turns.clone(),
        messages: world.messages.clone(),
        tool_runs: world.tool_runs.clone(),
        runs: world.runs.clone(),
        minds: world.minds.clone(),
        ..World::default()
    }
}

#[test]
fn rows_of_a_session_are_released_when_left_and_reloaded() {
    let mut tab = tab(|_, body| {
        let content = body["contents"].as_array().unwrap().last().unwrap().to_string();
        if content.contains("functionResponse") || content.contains("two") {
            says("fine")
        } else {
            calls(&[("write_file", json!({"name": "a.txt", "content": "a long text\n"}))])
        }
    });
    tab.say("@Engineer one").unwrap();
    let first = tab.session;
    let before = bodies(&tab.world());
    assert_eq!((before.turns.len(), before.tool_runs.len()), (1, 1));

    leave_for(&mut tab, 7_000);
    tab.say("@Engineer two").unwrap();
    {
        let world = tab.world();
        assert!(world.turns.values().all(|turn| turn.session == tab.session), "a turn stayed");
        assert!(world.messages.values().all(|message| message.session == tab.session), "a message stayed");
        assert!(world.runs.values().all(|run| run.session == tab.session), "a run stayed");
        assert!(world.tool_runs.is_empty(), "a tool run stayed");
        assert!(world.blobs.values().all(|text| !text.contains("a long text")), "a file stayed");
        assert!(world.session(&first).is_some(), "the list of sessions lacks one");
    }

    tab.session = first;
    tab.open().unwrap();
    let after = bodies(&tab.world());
    assert_eq!(after.turns, before.turns);
    assert_eq!(after.messages, before.messages);
    assert_eq!(after.tool_runs, before.tool_runs);
    assert_eq!(after.runs, before.runs);
    assert_eq!(tab.mind().files["a.txt"].text.as_ref(), "a long text\n");
    tab.say("@Engineer two, and go on").unwrap();
    assert_eq!(tab.world().replies(tab.session_row().head).count(), 2, "the thread was not built upon");
}

#[test]
fn active_session_keeps_its_rows_while_another_is_open() {
    let mut tab = tab(|_, _| trickles(&["slow ", "answer"]));
    tab.say("@Engineer one").unwrap();
    let working = tab.session;
    assert!(tab.world().open_run(&tab.session_row()).is_some());
    leave_for(&mut tab, 7_000);
    assert!(tab.world().turns.values().any(|turn| turn.session == working));
    tab.settle();
    let world = tab.world();
    let row = world.session(&working).unwrap();
    assert!(world.open_run(row).is_some() || world.turn(&row.head.unwrap()).is_some());
}

#[test]
fn session_that_needs_the_operator_says_so_before_it_is_opened() {
    let mut tab = tab(|_, _| calls(&[("write_file", json!({"name": "a.txt", "content": "a"}))]));
    tab.send(Command::ChangeSetting { name: CAP_CALLS.name().into(), value: 2.into() }).unwrap();
    tab.say("@Engineer go").unwrap();
    let (first, run) = (tab.session, tab.run_id());
    leave_for(&mut tab, 7_000);
    tab.kill();
    let mut again = tab.restarted(|_, _| says("done"));
    again.open().unwrap();
    let needs_operator = |tab: &Tab| {
        let world = tab.world();
        world.needs_operator(world.session(&first).unwrap())
    };
    assert!(again.world().run(&run).is_none(), "its run is loaded");
    assert!(needs_operator(&again));
    again.session = first;
    again.open().unwrap();
    again.send(Command::EndRun { run }).unwrap();
    assert!(!needs_operator(&again));
    assert!(!again.session_row().waits_for_operator);
}

#[test]
fn dropped_file_arrives_in_its_session_even_if_left_meanwhile() {
    let mut tab = tab(|_, _| says("fine"));
    let (first, base) = (tab.session, tab.session_row().mind);
    leave_for(&mut tab, 7_000);
    let writes = vec![MindWrite::New { name: "dropped.txt".into(), text: "here\n".into() }];
    tab.send(Command::EditMind { session: first, base, writes: writes.clone() }).unwrap();
    assert!(tab.session_row().mind == base, "it arrived in the wrong session");
    // Its lock was released, so that another tab can use it.
    let elsewhere = tab.again(|_, _| says("there"));
    let open = elsewhere.running.handle.clone();
    elsewhere.wait_for(async move { open.open(first).await }).unwrap();
    let world = elsewhere.world();
    let mind = world.working_mind(world.session(&first).unwrap()).unwrap();
    assert_eq!(&*mind.files.get("dropped.txt").unwrap().text, "here\n");
    drop(world);
    let taken = tab.send(Command::EditMind { session: first, base, writes });
    assert_eq!(taken, Err(Rejection::ReadOnly), "another tab works there");
}
