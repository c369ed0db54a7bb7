//! Scenarios of the tree: checkouts, requests on another branch, reloads, damaged rows and purges.

use crate::write_file;
use serde_json::Value;

use nexus_engine::port::{Batch, Store as _, Table};
use nexus_engine::queries::draft;
use nexus_engine::tests::{Tab, says, tab};
use nexus_model::command::{Command, Rejection};
use nexus_model::event::EventKind;
use nexus_model::id::{AgentKey, MessageId, SessionId, StreamId, TurnId};
use nexus_model::limits::{DELETED_MS, PURGE_AFTER_START_MS, PURGE_EVERY_MS, TURNS_LOADED};
use nexus_model::message::content::text_of;
use nexus_model::mind::Mind;
use nexus_model::session::recipients::{MainSessionReason, main_session};
use nexus_model::session::{Draft, DraftField, SessionOrigin};
use nexus_model::signal::TransientEvent;
use nexus_model::turn::tree::add_threads;
use nexus_model::turn::{Thread, Turn, TurnKind};
use nexus_text::vec_map::VecMap;
use nexus_view::timeline::{TimelineRow, timeline};

fn turn(tab: &Tab, text: &str) -> TurnId {
    tab.say(&format!("@Engineer {text}")).unwrap();
    tab.session_row().head.unwrap()
}

fn query_of(tab: &Tab, turn: TurnId) -> MessageId {
    tab.world().turn(&turn).unwrap().query[0]
}

fn resend(tab: &Tab, message: MessageId, text: &str) -> Result<(), Rejection> {
    let (session, text) = (tab.session, text.to_owned());
    tab.send(Command::Resend { session, message, text, attachments: Vec::new(), overrides: None })
}

fn fork(tab: &Tab, number: u128, turn: TurnId) -> SessionId {
    let session = SessionId::from(5_000 + number);
    let (from, label) = (tab.session, String::new());
    tab.send(Command::ContinueFrom { session, from, turn, mind: None, label }).unwrap();
    session
}

/// The same device after a reload, with another session open.
fn reloaded(tab: &Tab, session: SessionId) -> Tab {
    tab.kill();
    let mut again = tab.again(|_, _| says("fine"));
    again.session = session;
    again.open().unwrap();
    again
}

/// The texts of the operator's messages in the timeline.
fn requests(tab: &Tab) -> Vec<String> {
    let world = tab.world();
    let rows = timeline(&world, tab.session, None).rows;
    let messages = rows.iter().filter_map(|(_, row)| row.message());
    messages.filter(|message| message.agent.is_none()).map(|message| text_of(&message.parts)).collect()
}

fn raw<T: serde::de::DeserializeOwned>(tab: &Tab, table: Table) -> Vec<T> {
    let store = tab.store.clone();
    let rows = tab.wait_for(async move { store.scan(table, String::new()).await.unwrap() });
    rows.iter().map(|(_, json)| nexus_text::json::read(json).unwrap()).collect()
}

fn put(tab: &Tab, table: Table, key: String, json: String) {
    let store = tab.store.clone();
    let batch = Batch { puts: vec![(table, (key, json))], ..Batch::default() };
    tab.wait_for(async move { store.write(batch).await.unwrap() });
}

/// Changes a stored turn directly.
fn tamper(tab: &Tab, turn: TurnId, change: impl FnOnce(&mut Value)) {
    let store = tab.store.clone();
    let rows = tab.wait_for(async move { store.get(Table::Turns, vec![turn.to_string()]).await.unwrap() });
    let mut tree: Value = serde_json::from_str(rows[0].as_ref().unwrap()).unwrap();
    change(&mut tree);
    put(tab, Table::Turns, turn.to_string(), tree.to_string());
}

fn notices(tab: &Tab) -> Vec<String> {
    let events = tab.app_events();
    let events = events.iter().filter_map(|event| match event.known_kind() {
        Some(EventKind::Notice { text }) => Some(text.clone()),
        _ => None,
    });
    events.collect()
}

/// Checks that the stored thread cache matches the stored turns.
fn assert_cache(tab: &Tab) {
    let turns: Vec<Turn> = raw(tab, Table::Turns);
    let stored: VecMap<TurnId, Thread> =
        raw::<Thread>(tab, Table::Threads).into_iter().map(|row| (row.turn, row)).collect();
    let mut threads = VecMap::new();
    add_threads(&mut threads, turns.iter().map(Thread::alone));
    assert_eq!(stored, threads);
}

#[test]
fn fork_restores_files_and_shows_earlier_turns_after_a_reload() {
    let tab = tab(|_, _| says("fine"));
    write_file(&tab, "a.txt", "FIRST-DRAFT\n");
    let one = turn(&tab, "one");
    write_file(&tab, "a.txt", "SECOND-DRAFT\n");
    turn(&tab, "two");
    let main = tab.session;
    let forked = fork(&tab, 1, one);
    let events = tab.events().len();
    let again = reloaded(&tab, forked);
    assert_eq!(again.mind().file("a.txt"), Some("FIRST-DRAFT\n"));
    assert_eq!(requests(&again), ["@Engineer one"]);
    turn(&again, "three");
    let (_, request) = again.requests.borrow()[0].clone();
    let request = request.to_string();
    assert!(request.contains("@Engineer one") && request.contains("FIRST-DRAFT"), "{request}");
    assert!(!request.contains("SECOND-DRAFT") && !request.contains("@Engineer two"));
    assert_eq!((again.session_row().origin, again.session_row().parent), (SessionOrigin::Fork, Some(main)));
    let back = reloaded(&again, main);
    assert_eq!(back.mind().file("a.txt"), Some("SECOND-DRAFT\n"));
    assert_eq!(requests(&back), ["@Engineer one", "@Engineer two"]);
    assert_eq!(back.events().len(), events, "a fork writes only its own stream");
    assert_cache(&back);
}

#[test]
fn drafts_at_the_head_are_part_of_its_fork() {
    let tab = tab(|_, _| says("fine"));
    let one = turn(&tab, "one");
    let (session, field) = (tab.session, nexus_model::session::DraftField::Objective);
    let (base, text) = (tab.session_row().mind, Some("typed just now".to_owned()));
    tab.running.handle.draft(nexus_model::session::Draft { session, field, text, base, in_conflict: false });
    let forked = fork(&tab, 1, one);
    let world = tab.world();
    let mind = world.working_mind(world.session(&forked).unwrap()).unwrap();
    assert_eq!(mind.objective, "typed just now");
}

#[test]
fn edited_message_starts_a_branch_and_the_old_one_survives_a_reload() {
    let tab = tab(|_, _| says("fine"));
    turn(&tab, "one");
    let two = turn(&tab, "OLD-WORDS");
    write_file(&tab, "later.txt", "LATER\n");
    resend(&tab, query_of(&tab, two), "@Engineer NEW-WORDS").unwrap();
    let new = tab.session_row().head.unwrap();
    let request = tab.requests.borrow().last().unwrap().1.to_string();
    assert!(request.contains("NEW-WORDS") && request.contains("@Engineer one"), "{request}");
    assert!(!request.contains("OLD-WORDS") && !request.contains("LATER"), "{request}");
    assert_eq!(tab.mind().file("later.txt"), None);
    let again = reloaded(&tab, tab.session);
    assert_eq!(requests(&again), ["@Engineer one", "@Engineer NEW-WORDS"]);
    again.send(Command::MoveHead { session: again.session, to: two, newest: true }).unwrap();
    assert_eq!(requests(&again), ["@Engineer one", "@Engineer OLD-WORDS"]);
    assert_eq!(again.mind().file("later.txt"), Some("LATER\n"), "the text left there");
    again.send(Command::MoveHead { session: again.session, to: new, newest: true }).unwrap();
    assert_eq!(again.mind().file("later.txt"), None);
    assert!(again.requests.borrow().is_empty(), "switching branches calls no model");
    assert_cache(&again);
}

#[test]
fn another_agent_can_answer_the_same_query() {
    let tab = tab(|agent, _| says(&format!("{agent} answers")));
    let one = turn(&tab, "one");
    let (session, agent) = (tab.session, Some("critic".into()));
    tab.send(Command::TryAgain { session, turn: one, agent, config: None, tools: None }).unwrap();
    assert_eq!(tab.speakers(), ["Engineer", "Critic"]);
    let request = tab.requests.borrow()[1].1.to_string();
    assert!(request.contains("@Engineer one") && !request.contains("Engineer answers"), "{request}");
    assert_eq!(requests(&tab), ["@Engineer one"]);
    let rows = timeline(&tab.world(), tab.session, None).rows;
    let stepper = rows.iter().find_map(|(_, row)| {
        if let TimelineRow::Siblings { turn, all } = row { Some((*turn, all.clone())) } else { None }
    });
    let head = tab.session_row().head.unwrap();
    assert_eq!(stepper, Some((head, vec![one, head])));
    assert_cache(&tab);
}

#[test]
fn merged_branch_without_a_session_is_named_by_its_message() {
    let tab = tab(|agent, _| says(&format!("{agent} answers")));
    let one = turn(&tab, "one");
    let left = turn(&tab, "try the **other** idea");
    let session = tab.session;
    tab.send(Command::MoveHead { session, to: one, newest: false }).unwrap();
    turn(&tab, "three");
    let records = tab.records();
    let drafted = tab.wait_for(async move { draft(&records, session, left, None).await }).unwrap().unwrap();
    tab.send(Command::MergeBranch(drafted.request)).unwrap();
    let head = tab.session_row().head.unwrap();
    let note = text_of(&tab.world().message(&query_of(&tab, head)).unwrap().parts);
    assert!(note.starts_with("The branch “@Engineer try the other idea” was merged"), "{note}");
}

#[test]
fn switching_versions_keeps_drafts_and_a_reload_restores_versions() {
    let tab = tab(|agent, _| says(&format!("{agent} answers")));
    let one = turn(&tab, "one");
    turn(&tab, "two");
    let three = turn(&tab, "three");
    resend(&tab, query_of(&tab, one), "@Engineer uno").unwrap();
    let uno = tab.session_row().head.unwrap();
    let fork = fork(&tab, 1, one);
    let (session, base) = (tab.session, tab.session_row().mind);
    let text = Some("typed and not given up to the mind yet".to_owned());
    let field = DraftField::Scratchpad;
    tab.running.handle.draft(Draft { session, field, text: text.clone(), base, in_conflict: false });
    tab.send(Command::MoveHead { session, to: one, newest: true }).unwrap();
    assert_eq!((tab.session_row().head, tab.mind().scratchpad), (Some(three), String::new()));
    tab.send(Command::MoveHead { session, to: uno, newest: false }).unwrap();
    assert_eq!(Some(tab.mind().scratchpad), text, "the way back brings it back");
    // Another session continues from the first version: not a version of this session.
    let other = reloaded(&tab, fork);
    turn(&other, "elsewhere");
    let other = reloaded(&other, session);
    assert_eq!(versions(&other), [vec![one, uno]]);
    let other = reloaded(&other, fork);
    assert_eq!(versions(&other), Vec::<Vec<TurnId>>::new());
    // The feed includes turns that left the thread.
    other.kill();
    let mut again = other.again(|_, _| says("unasked"));
    again.session = session;
    let mut live = again.running.bus.subscribe_transient();
    again.open().unwrap();
    let mut recent = Vec::new();
    while let Ok(signal) = live.try_recv() {
        if let TransientEvent::RecentEvents { actors, .. } = signal {
            recent = actors;
        }
    }
    assert!(recent.contains(&(three, (TurnKind::Normal, "engineer".into()))), "{recent:?}");
}

/// The versions that the timeline offers at each turn.
fn versions(tab: &Tab) -> Vec<Vec<TurnId>> {
    let rows = timeline(&tab.world(), tab.session, None).rows;
    let all = |row: TimelineRow| if let TimelineRow::Siblings { all, .. } = row { Some(all) } else { None };
    rows.into_iter().filter_map(|(_, row)| all(row)).collect()
}

#[test]
fn long_history_is_opened_and_continued_without_loading_all_of_it() {
    let tab = tab(|_, _| says("fine"));
    for number in 0..90 {
        turn(&tab, &format!("number {number}"));
    }
    let turns: Vec<Turn> = raw(&tab, Table::Turns);
    let early = turns.iter().map(|turn| turn.id).nth(20).unwrap();
    let again = reloaded(&tab, tab.session);
    assert!(again.world().turns.len() < 50, "{}", again.world().turns.len());
    // A turn after the reload has the same skip pointer as without one.
    turn(&again, "after the reload");
    assert_cache(&again);
    // An early turn is forked without loading the turns between.
    fork(&again, 1, early);
    assert_cache(&again);
}

#[test]
fn newest_turns_are_shown_before_older_ones_are_loaded() {
    let tab = tab(|_, _| says("fine"));
    let early = turn(&tab, "early");
    for number in 0..TURNS_LOADED + 5 {
        turn(&tab, &format!("number {number}"));
    }
    // A tab opens the last viewed session, a fork, before anything subscribes.
    let (long, mut tab) = (tab.session, tab);
    tab.session = fork(&tab, 1, early);
    let mut again = reloaded(&tab, tab.session);
    again.session = long;
    let mut live = again.running.bus.subscribe_transient();
    again.open().unwrap();
    let mut loaded_events = Vec::new();
    while let Ok(signal) = live.try_recv() {
        if matches!(signal, TransientEvent::Loaded { .. }) {
            loaded_events.push("loaded");
        } else if matches!(signal, TransientEvent::ReadOnly { read_only: false, .. }) {
            loaded_events.push("can be written in");
        }
    }
    assert_eq!(loaded_events, ["loaded", "can be written in", "loaded"]);
    assert_eq!(again.world().turns.len(), TURNS_LOADED);
    assert_cache(&again);
}

#[test]
fn cyclic_turn_is_reported_and_the_rest_is_shown() {
    let tab = tab(|_, _| says("fine"));
    let one = turn(&tab, "one");
    turn(&tab, "two");
    let three = turn(&tab, "three");
    tamper(&tab, one, |row| row["parent"] = Value::String(three.to_string()));
    let image = raw::<Value>(&tab, Table::Turns);
    let again = reloaded(&tab, tab.session);
    assert_eq!(requests(&again), ["@Engineer two", "@Engineer three"]);
    assert!(
        notices(&again).iter().any(|reports| reports.contains("goes back to itself")),
        "{:?}",
        notices(&again)
    );
    let earlier = timeline(&again.world(), again.session, None).earlier.unwrap();
    let handle = again.running.handle.clone();
    let loaded = again.wait_for(async move { handle.load_earlier(earlier).await });
    assert_eq!(loaded, Err(Rejection::HistoryBroken));
    assert_eq!(notices(&again).len(), 1, "told once");
    assert_eq!(raw::<Value>(&again, Table::Turns), image, "nothing was overwritten");
    turn(&again, "still works");
}

#[test]
fn missing_parent_and_newer_turn_are_reported_and_the_rest_is_shown() {
    for newer in [false, true] {
        let tab = tab(|_, _| says("fine"));
        let one = turn(&tab, "one");
        turn(&tab, "two");
        if newer {
            tamper(&tab, one, |row| row["kind"] = Value::String("of_a_later_kind".into()));
        } else {
            let store = tab.store.clone();
            let removes = vec![(Table::Turns, one.to_string())];
            let batch = Batch { removes, ..Batch::default() };
            tab.wait_for(async move { store.write(batch).await.unwrap() });
        }
        let again = reloaded(&tab, tab.session);
        assert_eq!(requests(&again), ["@Engineer two"]);
        assert_eq!(notices(&again).len(), 1, "{:?}", notices(&again));
        turn(&again, "three");
        assert_eq!(requests(&again), ["@Engineer two", "@Engineer three"]);
    }
}

#[test]
fn session_without_head_is_reported_and_read_only_until_continued_elsewhere() {
    let tab = tab(|_, _| says("fine"));
    let one = turn(&tab, "one");
    let two = turn(&tab, "two");
    let store = tab.store.clone();
    let batch = Batch { removes: vec![(Table::Turns, two.to_string())], ..Batch::default() };
    tab.wait_for(async move { store.write(batch).await.unwrap() });
    let again = reloaded(&tab, tab.session);
    assert!(notices(&again)[0].contains(&two.to_string()));
    assert_eq!(again.say("hello"), Err(Rejection::HeadMissing));
    assert_eq!(again.session_row().head, Some(two), "it stays as it was");
    again.send(Command::MoveHead { session: again.session, to: one, newest: false }).unwrap();
    turn(&again, "three");
    assert_eq!(requests(&again), ["@Engineer one", "@Engineer three"]);
}

#[test]
fn session_is_renamed_and_archived_without_opening_it() {
    let tab = tab(|_, _| says("fine"));
    turn(&tab, "one");
    let main = tab.session;
    let other = SessionId::from(7_000);
    let (label, mind) = ("other".to_owned(), Mind::default());
    tab.send(Command::CreateSession { session: other, label, mind }).unwrap();
    let again = reloaded(&tab, other);
    let label = |label: &str| Command::LabelSession { session: main, label: label.into() };
    assert_eq!(again.send(label("other")), Err(Rejection::BadName));
    again.send(label("renamed")).unwrap();
    let mut back = again;
    back.session = main;
    back.open().unwrap();
    assert_eq!(
        (back.session_row().label.as_str(), requests(&back)),
        ("renamed", vec!["@Engineer one".to_owned()])
    );
}

#[test]
fn deleted_session_is_purged_after_its_retention_unless_a_fork_needs_it() {
    let tab = tab(|_, _| says("fine"));
    let one = turn(&tab, "FORGET-ME");
    let main = tab.session;
    let forked = fork(&tab, 1, one);
    let fork_tab = reloaded(&tab, forked);
    turn(&fork_tab, "two");
    fork_tab.send(Command::DeleteSession { session: main }).unwrap();
    fork_tab.pass(PURGE_AFTER_START_MS + 1);
    fork_tab.pass(DELETED_MS + PURGE_EVERY_MS);
    assert_eq!(requests(&reloaded(&fork_tab, forked)), ["@Engineer FORGET-ME", "@Engineer two"]);
    // Without the fork, nothing keeps it.
    let last = reloaded(&fork_tab, main);
    let third = SessionId::from(8_000);
    let (label, mind) = ("third".to_owned(), Mind::default());
    last.send(Command::CreateSession { session: third, label, mind }).unwrap();
    last.send(Command::DeleteSession { session: forked }).unwrap();
    last.pass(2 * (DELETED_MS + PURGE_EVERY_MS));
    let row = last.world().session(&main).unwrap().as_ref().clone();
    assert!(row.purged_at.is_some() && row.label.is_empty() && row.head.is_none(), "{row:?}");
    let store = last.store.clone();
    let left = last.wait_for(async move { store.last_seq(StreamId::Session(main)).await.unwrap() });
    assert_eq!(left, 0);
    assert!(!last.store.image().contains("FORGET-ME"), "no message remains");
    assert!(raw::<Turn>(&last, Table::Turns).is_empty());
    assert_eq!(last.send(Command::RestoreSession { session: main }), Err(Rejection::NoSuchSession));
}

#[test]
fn remaining_rows_are_no_deltas_of_purged_ones() {
    let tab = tab(|_, _| says("fine"));
    let first: String = (0..100).map(|line| format!("line {line} of a file that both write\n")).collect();
    let secret = first.replacen("line 7 of", "FORGET-ME", 1);
    let main = tab.session;
    write_file(&tab, "a.rs", &secret);
    write_file(&tab, "a.rs", &first);
    turn(&tab, "one");
    let has_delta = |tab: &Tab| tab.store.image().contains("{\\\"from\\\"");
    assert!(has_delta(&tab), "the second text is stored as a difference from the first");
    let other = SessionId::from(7_000);
    let (label, mind) = ("other".to_owned(), Mind::default());
    tab.send(Command::CreateSession { session: other, label, mind }).unwrap();
    let again = reloaded(&tab, other);
    write_file(&again, "a.rs", &first);
    again.send(Command::DeleteSession { session: main }).unwrap();
    again.pass(PURGE_AFTER_START_MS + 1);
    again.pass(2 * (DELETED_MS + PURGE_EVERY_MS));
    assert!(again.world().session(&main).unwrap().purged_at.is_some());
    assert!(!again.store.image().contains("FORGET-ME"), "deleted text is gone");
    let last = reloaded(&again, other);
    assert_eq!(last.mind().file("a.rs"), Some(&*first), "and the remaining text is complete");
    assert!(notices(&last).is_empty(), "{:?}", notices(&last));
}

/// A session assigned to an agent is its main session, also after a reload; unassigned, it belongs to no agent.
#[test]
fn session_can_be_assigned_to_an_agent_as_its_main_session() {
    let first = tab(|_, _| says("fine"));
    let (main, other) = (first.session, SessionId::from(9_000));
    let mind = Mind::default();
    first.send(Command::CreateSession { session: other, label: "other".into(), mind }).unwrap();
    let engineer: AgentKey = "engineer".into();
    let give = |tab: &Tab, session, agent: Option<&str>| {
        tab.send(Command::SetOwner { session, agent: agent.map(Into::into) })
    };
    let chosen = |tab: &Tab| main_session(&tab.world(), &engineer);
    assert_eq!(chosen(&first), Some((main, MainSessionReason::First)));
    assert_eq!(give(&first, other, Some("nobody")), Err(Rejection::NoSuchAgent));
    give(&first, other, Some("engineer")).unwrap();
    assert_eq!(chosen(&first), Some((other, MainSessionReason::Owned)));
    first.kill();
    let again = first.again(|_, _| says("fine"));
    assert_eq!(chosen(&again), Some((other, MainSessionReason::Owned)));
    // Of two, the one assigned last.
    again.pass(1_000);
    give(&again, main, Some("engineer")).unwrap();
    assert_eq!(chosen(&again), Some((main, MainSessionReason::Owned)));
    give(&again, main, None).unwrap();
    give(&again, other, None).unwrap();
    assert_eq!(chosen(&again), Some((main, MainSessionReason::First)));
}
