//! Scenarios of sessions that were left: their loaded rows are released and reloaded with them, and other tabs take
//! their locks or find them deleted.

use nexus_engine::tests::{Tab, calls, says, tab, trickles};
use nexus_model::command::{Command, NewMessage, Rejection};
use nexus_model::id::{SessionId, StreamId};
use nexus_model::limits::RELOAD_MS;
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

fn create(tab: &Tab) -> SessionId {
    let session = SessionId::new(&mut *tab.ports.ids.borrow_mut());
    tab.send(Command::CreateSession { session, label: String::new(), mind: Mind::default() }).unwrap();
    session
}

fn open(tab: &Tab, session: SessionId) {
    let handle = tab.running.handle.clone();
    tab.wait_for(async move { handle.open(session).await }).unwrap();
}

fn say_in(tab: &Tab, session: SessionId, text: &str) -> Result<(), Rejection> {
    tab.send(Command::SendMessage(NewMessage::new(session, text)))
}

#[test]
fn tab_that_left_a_session_does_not_take_it() {
    let first = tab(|_, _| says("first"));
    first.say("@Architect begin").unwrap();
    let main = first.session;
    let second = first.again(|_, _| says("second"));
    let fork = create(&first);
    open(&first, fork);
    second.running.handle.reload_stream(StreamId::App);
    second.settle();
    open(&second, fork);
    second.pass(RELOAD_MS);
    open(&first, main);
    second.pass(RELOAD_MS);
    first.pass(RELOAD_MS);
    assert_eq!(say_in(&first, main, "@Architect here"), Ok(()));
    assert_eq!(say_in(&second, fork, "@Architect there"), Ok(()));
    // A tab that comes back to it waits again.
    open(&second, main);
    assert_eq!(say_in(&second, main, "@Architect me too"), Err(Rejection::ReadOnly));
    first.kill();
    second.pass(RELOAD_MS);
    assert_eq!(say_in(&second, main, "@Architect now me"), Ok(()));
}

#[test]
fn tab_that_left_a_session_still_closes_what_a_closed_tab_left_open_there() {
    let first = tab(|_, _| trickles(&["one ", "two "]));
    let other = create(&first);
    let second = first.again(|_, _| says("second"));
    first.say("@Architect begin").unwrap();
    first.pass(1_500);
    second.running.handle.reload_stream(StreamId::App);
    second.running.handle.reload_stream(StreamId::Session(first.session));
    second.settle();
    open(&second, other);
    first.kill();
    second.pass(RELOAD_MS);
    assert!(second.world().open_turn(&second.session_row()).is_none());
}

#[test]
fn following_tab_learns_that_the_session_was_deleted() {
    let first = tab(|_, _| says("first"));
    let next = create(&first);
    first.say("@Architect begin").unwrap();
    let second = first.again(|_, _| says("second"));
    first.send(Command::DeleteSession { session: first.session }).unwrap();
    open(&first, next);
    second.running.handle.reload_stream(StreamId::Session(second.session));
    second.pass(RELOAD_MS);
    assert!(second.session_row().deleted_at.is_some());
    assert_eq!(second.say("@Architect still here?"), Err(Rejection::NoSuchSession));
    assert!(second.speakers().is_empty());
    second.send(Command::RestoreSession { session: second.session }).unwrap();
    assert_eq!(second.say("@Architect back"), Ok(()));
}
