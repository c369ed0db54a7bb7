use super::*;
use nexus_model::command::Command;
use nexus_model::decide::{Env, decide};
use nexus_model::event::Event;
use nexus_model::fold::fold;
use nexus_model::mind::Mind;
use nexus_model::session::SessionKind;
use nexus_model::testing::{SeqIds, a_message};

fn run(world: &mut World, at: u64, command: &Command) {
    let partials = nexus_model::command::PartialMessages::new();
    let mut ids = SeqIds::default();
    let mut env = Env { now: Millis(at), ids: &mut ids, partials: &partials, run_before_turn: None };
    let events: Vec<Event> = decide(world, command, &mut env)
        .unwrap()
        .into_iter()
        .map(|event| event.into_event(1, Millis(at)))
        .collect();
    let rows = fold(world, &events);
    world.absorb(rows);
}

fn labels(world: &World, filter: SessionFilter, words: &str) -> Vec<String> {
    sessions(world, filter, words).into_iter().map(|row| row.label).collect()
}

#[test]
fn sessions_are_filtered_by_status_and_by_words_in_name_and_title() {
    let mut world = World::default();
    let [one, two, three] = [1, 2, 3].map(SessionId::from);
    for (at, (session, label)) in [(one, "Alpha"), (two, "beta"), (three, "Gamma")].into_iter().enumerate() {
        let (label, mind) = (label.to_owned(), Mind::default());
        run(&mut world, 10 + at as u64, &Command::CreateSession { session, label, mind });
    }
    assert_eq!(labels(&world, SessionFilter::Open, ""), ["Gamma", "beta", "Alpha"]);
    run(&mut world, 20, &Command::TitleSession { session: two, title: "The Alpha mail".into() });
    assert_eq!(labels(&world, SessionFilter::Open, " alpha"), ["beta", "Alpha"]);
    assert_eq!(labels(&world, SessionFilter::Open, "alpha mail"), ["beta"]);
    // A pinned session comes first until it is unpinned.
    run(&mut world, 20, &Command::PinSession { session: one, pinned: true });
    assert_eq!(labels(&world, SessionFilter::Open, ""), ["Alpha", "Gamma", "beta"]);
    assert_eq!(next_session(&world, two), Some(three));
    let json = serde_json::to_string(world.session(&one).unwrap().as_ref()).unwrap();
    assert!(json.contains(r#""pinned":true"#));
    run(&mut world, 20, &Command::PinSession { session: one, pinned: false });
    let json = serde_json::to_string(world.session(&one).unwrap().as_ref()).unwrap();
    assert!(!json.contains("pinned"), "unpinned rows serialise as before");
    assert_eq!(labels(&world, SessionFilter::Open, ""), ["Gamma", "beta", "Alpha"]);
    let status = SessionStatus::Archived;
    run(&mut world, 21, &Command::SetSessionStatus { session: one, status });
    run(&mut world, 22, &Command::DeleteSession { session: three });
    assert_eq!(labels(&world, SessionFilter::Open, ""), ["beta"]);
    assert_eq!(labels(&world, SessionFilter::Archived, ""), ["Alpha"]);
    let deleted = sessions(&world, SessionFilter::Deleted, "GAM");
    assert_eq!(deleted.len(), 1);
    assert_eq!(deleted[0].purge_at, Some(Millis(22 + DELETED_MS)));
    assert_eq!(SessionFilter::ALL.map(|filter| count(&world, filter)), [1, 1, 1]);
    assert_eq!((next_session(&world, one), next_session(&world, two)), (Some(two), None));
    let status = SessionStatus::Closed;
    run(&mut world, 23, &Command::SetSessionStatus { session: two, status });
    let archived: Vec<_> = sessions(&world, SessionFilter::Archived, "")
        .into_iter()
        .map(|row| (row.label, row.closed))
        .collect();
    assert_eq!(archived, [("beta".to_owned(), true), ("Alpha".to_owned(), false)]);
}

#[test]
fn a_session_without_a_title_is_named_by_its_first_message_until_that_is_deleted() {
    let mut world = World::default();
    let names = |world: &World| {
        sessions(world, SessionFilter::Open, "").into_iter().map(|row| row.name).collect::<Vec<_>>()
    };
    let apply = |world: &mut World, session, kind: EventKind| {
        let stream = StreamId::Session(session);
        let event = Event { v: 1, stream, seq: 2, at: Millis(1), run: None, turn: None, kind: kind.into() };
        let rows = fold(world, &[event]);
        world.absorb(rows);
    };
    for (at, session) in [1_u128, 2].map(|at| (at, SessionId::from(at))) {
        let (label, mind) = (String::new(), Mind::default());
        run(&mut world, at as u64, &Command::CreateSession { session, label, mind });
        for (sequence, text) in [(1, "Write  a quiz\nabout birds"), (2, "Make it longer")] {
            let id = MessageId::from(at * 10 + sequence);
            let parts = vec![MessagePart::text(text)];
            let message = Message { parts, sequence: sequence as u64, ..a_message(id, session) };
            let message = Arc::new(message);
            apply(&mut world, session, EventKind::MessageCommitted { message });
        }
    }
    assert_eq!(names(&world), ["Write a quiz about birds", "main"]);
    assert_eq!(sessions(&world, SessionFilter::Open, "quiz").len(), 2);
    let change = SessionChange::MessageDeleted(21.into());
    apply(&mut world, 2.into(), EventKind::SessionChanged { change });
    assert_eq!(names(&world), ["session 2", "main"]);
}

#[test]
fn a_short_list_shows_the_first_sessions_and_those_that_are_needed() {
    let all = [5, 4, 3, 2, 1].map(SessionId::from);
    let needed = [SessionId::from(1), 4.into()];
    let shown = shortened(&all, 2, |id| needed.contains(id));
    assert_eq!(shown, [5, 4, 1].map(SessionId::from));
}

#[test]
fn a_worker_is_listed_below_its_parent_and_found_there() {
    let mut world = World::default();
    let [main, worker, inner] = [1, 2, 3].map(SessionId::from);
    run(
        &mut world,
        1,
        &Command::CreateSession { session: main, label: "main".into(), mind: Mind::default() },
    );
    let row = world.session(&main).unwrap().as_ref().clone();
    let delegation = |depth| {
        Some(Box::new(nexus_model::session::delegation::Delegation {
            turn: 9.into(),
            run: None,
            base: Mind::default().hash(),
            depth,
            senders: Vec::new(),
        }))
    };
    let worker_session = |id, label: &str, parent, depth| {
        let (kind, delegation) = (SessionKind::Tool, delegation(depth));
        std::sync::Arc::new(Session {
            id,
            label: label.into(),
            parent: Some(parent),
            kind,
            delegation,
            ..row.clone()
        })
    };
    world.sessions.insert(worker, worker_session(worker, "write the page", main, 1));
    world.sessions.insert(inner, worker_session(inner, "draw a picture", worker, 2));
    assert_eq!(labels(&world, SessionFilter::Open, ""), ["main"]);
    assert_eq!(labels(&world, SessionFilter::Open, "picture"), ["main"]);
    let workers = sessions(&world, SessionFilter::Open, "").remove(0).workers;
    let workers: Vec<_> = workers.iter().map(|worker| (worker.label.as_str(), worker.depth)).collect();
    assert_eq!(workers, [("write the page", 1), ("draw a picture", 2)]);
}
