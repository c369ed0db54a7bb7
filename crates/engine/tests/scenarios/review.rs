//! Scenarios of review, without model calls: the author of each hunk, what is reviewed, a run's summary, and undo.

use crate::{edit, has_results};
use std::rc::Rc;
use std::sync::Arc;

use serde_json::{Value, json};

use nexus_engine::lazy::loader::BuiltInEngine;
use nexus_engine::queries::EventQueries;
use nexus_engine::queries::tree::steps;
use nexus_engine::tests::{Scripted, Tab, calls, says, tab};
use nexus_model::command::{Command, MergeRequest, NewMessage, Rejection};
use nexus_model::event::{EVENT_VERSION, Event, EventKind, EventPayload};
use nexus_model::fold::fold;
use nexus_model::id::{Millis, SessionId, StreamId};
use nexus_model::limits::TURNS_LOADED;
use nexus_model::mind::review::{ComparisonBase, MindField, accept, changes, offers};
use nexus_model::mind::{Mind, MindEdit, MindWrite};
use nexus_model::session::{Session, Target};
use nexus_model::settings::schema::CORE_AUTO;
use nexus_model::world::World;
use nexus_view::blame::{Author, AuthoredChange, Blame, first_missing_turn, history};
use nexus_view::review_rows::{DiffSection, has_unknown, sections_since};
use nexus_view::run_summary::{OpenQuestion, run_summary, undo};

/// More syncs than the number that is kept.
const CORE_STEPS: usize = 30;

fn sections(old: &Mind, now: &Mind, reviewed: Option<&Mind>, history: &[AuthoredChange]) -> Vec<DiffSection> {
    sections_since((&[], &[]), old, now, reviewed, history)
}

/// The Architect plans, the Engineer writes a file, the Critic asks about it.
fn team(agent: &str, body: &Value) -> Scripted {
    match agent {
        "Architect" if !has_results(body) => {
            calls(&[("update_nexus_state", json!({"objective": "A page", "scratchpad": "- [ ] page\n"}))])
        }
        "Engineer" if !has_results(body) => {
            calls(&[("write_file", json!({"name": "index.html", "content": "<h1>Hi</h1>\n<p>one</p>\n"}))])
        }
        "Critic" => says("It works.\nShall it greet by name?"),
        _ => says(&format!("{agent} is done.")),
    }
}

fn file(name: &str, text: &str) -> MindWrite {
    MindWrite::File { name: name.into(), text: text.into() }
}

fn who(author: &Author) -> String {
    match author {
        Author::Operator => "operator".into(),
        Author::Core => "core".into(),
        Author::Merge(_) => "merge".into(),
        Author::Agent { agent, .. } => agent.to_string(),
    }
}

#[test]
fn every_hunk_has_its_turn_and_agent() {
    let tab = tab(team);
    tab.say("Build a page").unwrap();
    edit(&tab, vec![file("index.html", "<h1>Hi</h1>\n<p>one</p>\n<p>mine</p>\n")]);
    let world = tab.world();
    let steps = history(&world, &World::default(), tab.session);
    assert_eq!(
        steps.iter().map(|step| who(&step.author)).collect::<Vec<_>>(),
        ["architect", "engineer", "operator"]
    );
    let blame = Blame::of(&steps, &MindField::File("index.html".into()));
    assert_eq!((blame.line(0), blame.line(1), blame.line(2)), (Some(1), Some(1), Some(2)));
    let now = tab.mind();
    let found = sections(&Mind::default(), &now, None, &steps);
    let by: Vec<_> = found.iter().map(|section| who(&section.facts[0].by[0])).collect();
    assert_eq!(by, ["architect", "architect", "engineer"]);
    let Author::Agent { turn, .. } = &found[2].facts[0].by[0] else { panic!("nobody") };
    assert_eq!(world.turn(turn).unwrap().agent.as_str(), "engineer");
}

#[test]
fn changes_of_core_and_operator_are_distinguished() {
    let tab = tab(team);
    tab.say("Build a page").unwrap();
    let before = tab.session_row().mind;
    let sync = Event {
        v: EVENT_VERSION,
        stream: StreamId::Session(tab.session),
        seq: 9_999,
        at: Millis(1),
        run: None,
        turn: None,
        kind: EventPayload::from(EventKind::MindSynced {
            base: before,
            edits: vec![MindEdit::Scratchpad { text: "- [x] page\n".into() }],
            reasoning: "It is there.".into(),
            sync: None,
            dropped: Vec::new(),
            proposal: None,
            model: String::new(),
        }),
    };
    let edit = Event {
        seq: 10_000,
        kind: EventPayload::from(EventKind::MindEdited {
            base: tab.session_row().mind,
            edits: vec![MindEdit::Objective { text: "A better page".into() }],
            undoes: None,
        }),
        ..sync.clone()
    };
    let mut world = World::default();
    world.absorb(fold(&tab.world(), &[sync, edit]));
    let mut whole = tab.world().clone();
    whole.absorb(world);
    let steps = history(&whole, &World::default(), tab.session);
    let authors: Vec<_> = steps.iter().map(|step| who(&step.author)).collect();
    assert_eq!(authors, ["architect", "engineer", "core", "operator"]);
    let bases: Vec<_> =
        offers(&whole, &World::default(), tab.session, None).into_iter().map(|offer| offer.base).collect();
    assert!(
        bases.contains(&ComparisonBase::LastSync) && bases.contains(&ComparisonBase::RunStart),
        "{bases:?}"
    );
    assert_eq!(bases.iter().filter(|base| matches!(base, ComparisonBase::Turn(_))).count(), 3);
}

#[test]
fn core_and_workers_are_authors_however_often_they_wrote_and_in_forks() {
    let first = tab(|agent, body| match agent {
        "Architect" if !has_results(body) && body.to_string().contains("delegate it") => {
            calls(&[("delegate", json!({ "task": "write it", "title": "write it", "agent": "Engineer" }))])
        }
        "Engineer" if !has_results(body) => {
            calls(&[("write_file", json!({ "name": "a.txt", "content": "by a worker\n" }))])
        }
        _ => says("fine"),
    });
    first.send(Command::ChangeSetting { name: CORE_AUTO.name().into(), value: false.into() }).unwrap();
    let mut syncs = 0;
    first.core.borrow_mut().script = Some(Box::new(move |_| {
        syncs += 1;
        let plan: String = (0..syncs).map(|step| format!("- step {step}\n")).collect();
        says(&json!({ "scratchpad": plan, "reasoning": "It is so." }).to_string())
    }));
    first.say("@Critic begin").unwrap();
    for round in 0..=CORE_STEPS {
        edit(&first, vec![file("b.txt", &format!("{round}\n"))]);
        first.send(Command::Sync { session: first.session }).unwrap();
        first.pass(1_000);
    }
    first.say("@Architect delegate it").unwrap();
    first.pass(1_000);
    first.kill();
    let mut tab = first.again(|_, _| says("never asked"));
    let counts = |tab: &Tab| {
        let steps = history(&tab.world(), &World::default(), tab.session);
        let by = |author: &str| steps.iter().filter(|step| who(&step.author) == author).count();
        (by("core"), by("engineer"), by("operator"))
    };
    assert_eq!(counts(&tab), (CORE_STEPS + 1, 1, CORE_STEPS + 1));
    let (from, turn) = (tab.session, tab.session_row().head.unwrap());
    let fork = SessionId::from(7_777);
    let label = String::new();
    tab.send(Command::ContinueFrom { session: fork, from, turn, mind: None, label }).unwrap();
    tab.session = fork;
    tab.open().unwrap();
    assert_eq!(counts(&tab), (CORE_STEPS + 1, 1, CORE_STEPS + 1));
}

#[test]
fn core_is_the_author_of_changes_before_a_forks_first_turn() {
    let mut tab = tab(|_, _| says("fine"));
    tab.send(Command::ChangeSetting { name: CORE_AUTO.name().into(), value: false.into() }).unwrap();
    let mut syncs = 0;
    tab.core.borrow_mut().script = Some(Box::new(move |_| {
        syncs += 1;
        let plan: String = (0..syncs).map(|step| format!("- step {step}\n")).collect();
        says(&json!({ "scratchpad": plan, "reasoning": "It is so." }).to_string())
    }));
    let work = |tab: &Tab, times: usize| {
        for _ in 0..times {
            let round = tab.mind().file("b.txt").map_or(0, str::len);
            edit(tab, vec![file("b.txt", &"x".repeat(round + 1))]);
            tab.send(Command::Sync { session: tab.session }).unwrap();
            tab.pass(1_000);
        }
    };
    let counts = |tab: &Tab| {
        let steps = history(&tab.world(), &World::default(), tab.session);
        let by = |author: &str| steps.iter().filter(|step| who(&step.author) == author).count();
        (by("core"), by("operator"))
    };
    let fork = |tab: &mut Tab, id: u128| {
        let (from, turn) = (tab.session, tab.session_row().head.unwrap());
        let session = SessionId::from(id);
        tab.send(Command::ContinueFrom { session, from, turn, mind: None, label: String::new() }).unwrap();
        tab.session = session;
        tab.open().unwrap();
    };
    tab.say("@Critic begin").unwrap();
    fork(&mut tab, 7_777);
    work(&tab, CORE_STEPS);
    assert_eq!(counts(&tab), (CORE_STEPS, CORE_STEPS), "before its first turn");
    fork(&mut tab, 7_778);
    work(&tab, 1);
    assert_eq!(counts(&tab), (CORE_STEPS + 1, CORE_STEPS + 1), "in a fork of it");
    tab.say("@Critic and on").unwrap();
    work(&tab, 1);
    assert_eq!(counts(&tab), (CORE_STEPS + 2, CORE_STEPS + 2), "after its first turn");
    // The other answer to the same message has the same parent.
    let message =
        tab.session_row().head.and_then(|head| tab.world().turn(&head).unwrap().query.first().copied());
    let id = tab.session;
    tab.send(Command::Resend {
        session: id,
        message: message.unwrap(),
        text: "@Critic and on again".into(),
        attachments: Vec::new(),
        overrides: None,
    })
    .unwrap();
    tab.pass(1_000);
    assert_eq!(counts(&tab).0, CORE_STEPS + 1, "after another first turn");
    tab.kill();
    let again = tab.again(|_, _| says("never asked"));
    assert_eq!(counts(&again).0, CORE_STEPS + 1, "after a reload");
}

#[test]
fn authors_and_bases_are_found_at_any_distance() {
    let mut requests = 0;
    let first = tab(move |_, _| {
        requests += 1;
        match requests {
            1 => calls(&[("write_file", json!({"name": "a.txt", "content": "first\n"}))]),
            _ => says("fine"),
        }
    });
    first.say("@Engineer begin").unwrap();
    let oldest = first.session_row().head.unwrap();
    for _ in 0..3 * TURNS_LOADED {
        first.say("@Engineer and on").unwrap();
    }
    first.kill();
    let tab = first.again(|_, _| says("never asked"));
    let mut older = World::default();
    let whose = |older: &World| {
        let world = tab.world();
        let steps = history(&world, older, tab.session);
        let found = sections(&Mind::default(), &tab.mind(), None, &steps);
        (has_unknown(&found), found[0].facts[0].by.clone())
    };
    let is_offered = |older: &World| {
        let all = offers(&tab.world(), older, tab.session, None);
        all.iter().any(|offer| offer.base == ComparisonBase::Turn(oldest))
    };
    assert_eq!(whose(&older), (true, Vec::new()));
    assert!(!is_offered(&older));
    let (store, parts) = (Rc::new(tab.store.clone()), Rc::new(BuiltInEngine::default()));
    let records = EventQueries::new(store, parts, Rc::clone(&tab.running.bus));
    let mut reads = 0;
    while let Some(turn) = first_missing_turn(&tab.world(), &older, tab.session) {
        let (records, most) = (records.clone(), older.turns.len().max(TURNS_LOADED));
        older.absorb(tab.wait_for(async move { steps(&records, turn, most).await.unwrap() }));
        reads += 1;
    }
    assert_eq!(reads, 3, "each reads as many as there are");
    let (unknown, by) = whose(&older);
    assert!(
        matches!(by.as_slice(), [Author::Agent { agent, turn, .. }] if *turn == oldest && agent.as_str() == "engineer")
    );
    assert!(!unknown && is_offered(&older));
    assert!(older.messages.is_empty(), "only events with authors are read");
}

#[test]
fn accepted_hunks_survive_a_reload_and_a_fold() {
    let tab = tab(team);
    tab.say("Build a page").unwrap();
    let from = offers(&tab.world(), &World::default(), tab.session, None)[0].clone();
    assert_eq!(from.base, ComparisonBase::ReviewStart);
    let field = MindField::Scratchpad;
    let now = tab.mind();
    let found = sections(&from.mind, &now, None, &[]);
    let section = found.iter().find(|section| section.change.field == field).unwrap();
    let edits = accept(&from.mind, &now, &field, &section.found.hunks[0]);
    let review = Command::ReviewChanges { session: tab.session, from: from.hash.unwrap(), edits };
    tab.send(review.clone()).unwrap();
    let events = tab.events().len();
    tab.send(review).unwrap();
    assert_eq!(tab.events().len(), events, "a reviewed change is not new");
    assert_eq!(tab.mind(), now, "accepting changes nothing in the mind");

    let mut all = tab.app_events();
    all.extend(tab.events());
    assert_eq!(fold(&World::default(), &all), *tab.world());
    tab.kill();
    let again = tab.again(|_, _| says("never asked"));
    let offer = offers(&again.world(), &World::default(), again.session, None)[0].clone();
    assert_eq!(offer.base, ComparisonBase::Review);
    let left = sections(&offer.mind, &again.mind(), Some(&offer.mind), &[]);
    let fields: Vec<_> = left.iter().map(|section| section.change.field.clone()).collect();
    assert_eq!(fields, [MindField::Objective, MindField::File("index.html".into())]);
}

/// The default base, and the fields that differ from it by agents and by the operator.
fn pending(tab: &Tab) -> (ComparisonBase, Vec<MindField>, Vec<MindField>) {
    let world = tab.world();
    let offer = offers(&world, &World::default(), tab.session, None).into_iter().next().unwrap();
    let steps = history(&world, &World::default(), tab.session);
    let found = sections(&offer.mind, &tab.mind(), None, &steps);
    let (theirs, own): (Vec<_>, Vec<_>) =
        found.into_iter().partition(|section| section.facts[0].by[0].agent().is_some());
    let fields = |sections: Vec<DiffSection>| sections.into_iter().map(|one| one.change.field).collect();
    (offer.base, fields(theirs), fields(own))
}

#[test]
fn changes_stay_in_review_until_they_are_reviewed() {
    let first = tab(team);
    edit(&first, vec![file("before.txt", "mine\n")]);
    first.say("@Engineer build a page").unwrap();
    edit(&first, vec![file("between.txt", "mine\n")]);
    first.say("@Critic what is there?").unwrap();
    let expected = (
        ComparisonBase::ReviewStart,
        vec![MindField::File("index.html".into())],
        vec![MindField::File("between.txt".into())],
    );
    assert_eq!(pending(&first), expected);
    first.kill();
    let mut tab = first.again(team);
    assert_eq!(pending(&tab), expected, "after a reload");

    // A fork begins with the mind that it took, and nothing in it is to be reviewed.
    let (from, session, turn) = (tab.session, SessionId::from(7_777), tab.session_row().head.unwrap());
    tab.send(Command::ContinueFrom { session, from, turn, mind: None, label: String::new() }).unwrap();
    tab.session = session;
    tab.open().unwrap();
    assert_eq!(pending(&tab), (ComparisonBase::ReviewStart, Vec::new(), Vec::new()));
    tab.say("@Architect plan").unwrap();
    tab.say("@Critic what is there?").unwrap();
    let plan = vec![MindField::Objective, MindField::Scratchpad];
    assert_eq!(pending(&tab), (ComparisonBase::ReviewStart, plan, Vec::new()));

    let from = offers(&tab.world(), &World::default(), session, None)[0].hash.unwrap();
    let edits = vec![
        MindEdit::Objective { text: tab.mind().objective.clone() },
        MindEdit::Scratchpad { text: tab.mind().scratchpad.clone() },
    ];
    tab.send(Command::ReviewChanges { session, from, edits }).unwrap();
    assert_eq!(pending(&tab), (ComparisonBase::Review, Vec::new(), Vec::new()));
}

#[test]
fn review_in_a_session_of_an_earlier_version_begins_with_its_last_run() {
    let tab = tab(team);
    tab.say("@Architect plan").unwrap();
    tab.say("@Engineer build a page").unwrap();
    let mut world = tab.world().clone();
    let row = Session { review_start: None, ..tab.session_row() };
    world.sessions.insert(row.id, Arc::new(row));
    let logged = tab.events().len();
    tab.say("@Critic what is there?").unwrap();
    world.absorb(fold(&world, &tab.events()[logged..]));
    let all = offers(&world, &World::default(), tab.session, None);
    assert_eq!(all[0].base, ComparisonBase::ReviewStart);
    let fields: Vec<_> = changes(&all[0].mind, &tab.mind()).into_iter().map(|one| one.field).collect();
    assert_eq!(fields, [MindField::File("index.html".into())]);
}

#[test]
fn bases_stay_at_another_version_and_name_no_sync_before_one() {
    let tab = tab(team);
    tab.send(Command::ChangeSetting { name: CORE_AUTO.name().into(), value: false.into() }).unwrap();
    let base_of = |base: ComparisonBase| {
        let all = offers(&tab.world(), &World::default(), tab.session, None);
        all.into_iter().find(|offer| offer.base == base).map(|offer| offer.hash.unwrap())
    };
    let session = tab.session;
    tab.say("@Architect plan").unwrap();
    tab.say("@Engineer build a page").unwrap();
    let first = tab.session_row().head.unwrap();
    let start = base_of(ComparisonBase::RunStart);
    assert!(start.is_some());
    let message = tab.world().turn(&first).unwrap().query[0];
    let text = "@Critic what is there?".into();
    tab.send(Command::Resend { session, message, text, attachments: Vec::new(), overrides: None }).unwrap();
    tab.pass(1_000);
    assert_ne!(tab.session_row().head, Some(first));
    tab.send(Command::MoveHead { session, to: first, newest: false }).unwrap();
    assert_eq!(base_of(ComparisonBase::RunStart), start);
    assert_eq!(base_of(ComparisonBase::LastSync), None);

    // A sync without a change: its base is the mind that it read, also at another version.
    tab.core.borrow_mut().script =
        Some(Box::new(|_| says(&json!({ "scratchpad": "", "reasoning": "As it is." }).to_string())));
    let read = tab.session_row().mind;
    tab.send(Command::Sync { session }).unwrap();
    tab.pass(1_000);
    assert_eq!(base_of(ComparisonBase::LastSync), Some(read));
    edit(&tab, vec![file("notes.txt", "mine\n")]);
    let other = tab.world().turns.keys().copied().max().unwrap();
    tab.send(Command::MoveHead { session, to: other, newest: false }).unwrap();
    assert_ne!(tab.session_row().head, Some(first));
    assert_eq!(base_of(ComparisonBase::LastSync), Some(read));
}

#[test]
fn review_of_an_unknown_mind_is_rejected() {
    let tab = tab(team);
    tab.say("Build a page").unwrap();
    let from = nexus_text::content_hash::ContentHash::of_text("nothing");
    let review = Command::ReviewChanges { session: tab.session, from, edits: Vec::new() };
    assert_eq!(tab.send(review), Err(Rejection::Stale));
    assert_eq!(tab.session_row().reviewed, None);
}

#[test]
fn run_summary_lists_changes_and_undo_keeps_later_ones() {
    let tab = tab(team);
    edit(&tab, vec![file("notes.txt", "mine\n")]);
    let before = tab.mind();
    tab.say("Build a page").unwrap();
    let call_count = tab.requests.borrow().len();
    let summary = run_summary(&tab.world(), tab.session).unwrap();
    let changed: Vec<_> = summary
        .changed
        .iter()
        .map(|changed| (changed.change.field.clone(), changed.by.iter().map(who).collect::<Vec<_>>()))
        .collect();
    assert_eq!(
        changed,
        [
            (MindField::Objective, vec!["architect".to_owned()]),
            (MindField::Scratchpad, vec!["architect".to_owned()]),
            (MindField::File("index.html".into()), vec!["engineer".to_owned()]),
        ]
    );
    assert_eq!(
        summary.questions,
        [OpenQuestion::InText { agent: "critic".into(), line: "Shall it greet by name?".into() }]
    );
    assert_eq!((summary.turns, summary.rounds, summary.used.calls), (3, 1, 5));
    assert_eq!(tab.requests.borrow().len(), call_count, "no model is asked");

    edit(&tab, vec![file("notes.txt", "mine\nand more\n")]);
    let summary = run_summary(&tab.world(), tab.session).unwrap();
    let undo = undo(summary.minds.as_ref().unwrap());
    assert_eq!(undo.conflicts, []);
    edit(&tab, undo.writes);
    let after = tab.mind();
    assert_eq!((&after.objective, &after.scratchpad), (&before.objective, &before.scratchpad));
    assert_eq!((after.file("index.html"), after.file("notes.txt")), (None, Some("mine\nand more\n")));
}

#[test]
fn what_a_merge_wrote_is_not_the_operators() {
    let tab = tab(team);
    tab.say("@Critic look").unwrap();
    let (session, fork, ours) = (tab.session, SessionId::from(7_000), tab.session_row());
    let (turn, label) = (ours.head.unwrap(), "idea".to_owned());
    tab.send(Command::ContinueFrom { session: fork, from: session, turn, mind: None, label }).unwrap();
    let theirs = || tab.world().session(&fork).unwrap().as_ref().clone();
    let text = NewMessage { target: Target::Agents(vec!["critic".into()]), ..NewMessage::new(fork, "Go on") };
    tab.send(Command::SendMessage(text)).unwrap();
    tab.pass(5_000);
    let writes = vec![file("b.txt", "new\n")];
    tab.send(Command::EditMind { session: fork, base: theirs().mind, writes }).unwrap();
    let other = theirs();
    tab.send(Command::MergeBranch(MergeRequest {
        session,
        head: ours.head,
        mind: ours.mind,
        other: other.head.unwrap(),
        from: Some(fork),
        theirs: other.mind,
        resolutions: Vec::new(),
    }))
    .unwrap();
    assert_eq!(tab.mind().file("b.txt"), Some("new\n"));
    let steps = history(&tab.world(), &World::default(), session);
    assert_eq!(steps.iter().map(|step| who(&step.author)).collect::<Vec<_>>(), ["merge"]);
}
