//! Never part of the program.
//!
//! Owns merging two branches on the engine: what comes together, what is asked about, what models are told, and what
//! happens when a branch goes on in between.

use std::rc::Rc;

use super::fake::{Tab, says, tab};
use crate::domain::command::{Command, Merging, Rejection};
use crate::domain::id::SessionId;
use crate::domain::mind::MindWrite;
use crate::domain::part::text_of;
use crate::domain::review::Field;
use crate::domain::session::Session;
use crate::domain::text::join::Side;
use crate::domain::turn::{TurnEnd, TurnKind};
use crate::engine::merge_draft::draft;
use crate::engine::parts::AllHere;
use crate::engine::records::Records;

fn write(tab: &Tab, session: SessionId, name: &str, text: &str) {
    let base = row(tab, session).mind;
    let writes = vec![MindWrite::File { name: name.into(), text: text.into() }];
    tab.send(Command::EditMind { session, base, writes }).unwrap();
}

fn row(tab: &Tab, session: SessionId) -> Session {
    tab.world().session(&session).unwrap().as_ref().clone()
}

/// A device with a session and a fork of it, after a common turn over one file.
fn branched() -> (Tab, Tab) {
    let main = tab(|agent, _| says(&format!("{agent} did it")));
    write(&main, main.session, "a.txt", "one\ntwo\nthree\n");
    main.say("@Engineer begin").unwrap();
    let fork = SessionId::from(7_000);
    let turn = row(&main, main.session).head.unwrap();
    let (from, label) = (main.session, "idea".to_owned());
    main.send(Command::ContinueFrom { session: fork, from, turn, mind: None, label }).unwrap();
    main.kill();
    let mut other = main.again(|agent, _| says(&format!("{agent} went another way")));
    other.session = fork;
    other.open().unwrap();
    (main, other)
}

/// The same device with a session in view.
fn at(tab: &Tab, session: SessionId) -> Tab {
    tab.kill();
    let mut again = tab.again(|agent, _| says(&format!("{agent} did it")));
    again.session = session;
    again.open().unwrap();
    again
}

fn merging(tab: &Tab, from: SessionId) -> Merging {
    let (ours, theirs) = (tab.session_row(), row(tab, from));
    Merging {
        session: tab.session,
        head: ours.head,
        mind: ours.mind,
        other: theirs.head.unwrap(),
        from: Some(from),
        decided: Vec::new(),
    }
}

#[test]
fn two_branches_become_one_turn_and_what_one_did_is_told_to_the_other() {
    let (first, other) = branched();
    let (main, fork) = (first.session, other.session);
    other.say("@Engineer try the other idea").unwrap();
    write(&other, fork, "a.txt", "one\ntwo\nTHREE\n");
    write(&other, fork, "b.txt", "new\n");
    let tab = at(&other, main);
    tab.say("@Engineer go on here").unwrap();
    write(&tab, main, "a.txt", "ONE\ntwo\nthree\n");
    let before = tab.session_row();
    let theirs = row(&tab, fork);
    tab.send(Command::MergeBranch(merging(&tab, fork))).unwrap();

    let after = tab.session_row();
    let mind = tab.mind();
    assert_eq!((mind.file("a.txt"), mind.file("b.txt")), (Some("ONE\ntwo\nTHREE\n"), Some("new\n")));
    let turn = tab.world().turn(&after.head.unwrap()).unwrap().as_ref().clone();
    assert_eq!((turn.kind, turn.end), (TurnKind::Merge, Some(TurnEnd::Completed)));
    assert_eq!((turn.parent, turn.second_parent), (before.head, theirs.head));
    assert_eq!((turn.mind_before, turn.mind_after), (before.mind, Some(after.mind.clone())));
    let told = text_of(&tab.world().message(&turn.query[0]).unwrap().parts);
    assert!(told.contains("“idea”") && told.contains("try the other idea"), "{told}");
    assert!(told.contains("Engineer went another way") && told.contains("1 turn of its own"), "{told}");
    assert_eq!(row(&tab, fork).head, theirs.head, "the other branch stays where it was");

    // What was merged is not offered again; what came since then is, from there on.
    assert_eq!(tab.send(Command::MergeBranch(merging(&tab, fork))), Err(Rejection::NothingToMerge));
    tab.say("@Critic what is there?").unwrap();
    let request = tab.sent.borrow().last().unwrap().body.clone().unwrap();
    assert!(request.contains("try the other idea") && request.contains("THREE"), "{request}");
    let other = at(&tab, fork);
    other.say("@Engineer and more").unwrap();
    write(&other, fork, "a.txt", "one\ntwo\nTHREE\nfour\n");
    let tab = at(&other, main);
    tab.send(Command::MergeBranch(merging(&tab, fork))).unwrap();
    assert_eq!(tab.mind().file("a.txt"), Some("ONE\ntwo\nTHREE\nfour\n"));
    assert!(tab.events().windows(2).all(|pair| pair[0].seq < pair[1].seq));
}

#[test]
fn a_clash_is_decided_by_the_operator_and_a_draft_that_is_old_is_refused() {
    let (first, other) = branched();
    let (main, fork) = (first.session, other.session);
    other.say("@Engineer here").unwrap();
    write(&other, fork, "a.txt", "one\nTHEIRS\nthree\n");
    let tab = at(&other, main);
    write(&tab, main, "a.txt", "one\nOURS\nthree\n");
    let draft = merging(&tab, fork);
    assert_eq!(tab.send(Command::MergeBranch(draft.clone())), Err(Rejection::ClashesOpen));
    write(&tab, main, "c.txt", "meanwhile\n");
    let decided = vec![(Field::File("a.txt".into()), vec![Side::Both])];
    let old = Merging { decided: decided.clone(), ..draft };
    assert_eq!(tab.send(Command::MergeBranch(old)), Err(Rejection::MovedOn));
    tab.send(Command::MergeBranch(Merging { decided, ..merging(&tab, fork) })).unwrap();
    assert_eq!(tab.mind().file("a.txt"), Some("one\nOURS\nTHEIRS\nthree\n"));
    assert_eq!(tab.mind().file("c.txt"), Some("meanwhile\n"));
    // A reload finds the merge as it was made.
    let head = tab.session_row().head;
    let again = at(&tab, main);
    assert_eq!(again.session_row().head, head);
    assert_eq!(again.mind().file("a.txt"), Some("one\nOURS\nTHEIRS\nthree\n"));
}

#[test]
fn what_comes_from_nothing_in_common_is_refused() {
    let (first, other) = branched();
    let strange = SessionId::from(9_000);
    let label = "strange".to_owned();
    other.send(Command::CreateSession { session: strange, label, mind: Default::default() }).unwrap();
    let stranger = at(&other, strange);
    stranger.say("@Engineer alone").unwrap();
    let tab = at(&stranger, first.session);
    assert_eq!(tab.send(Command::MergeBranch(merging(&tab, strange))), Err(Rejection::Unrelated));
    // The fork has nothing of its own yet.
    let fork = SessionId::from(7_000);
    assert_eq!(tab.send(Command::MergeBranch(merging(&tab, fork))), Err(Rejection::NothingToMerge));
}

#[test]
fn a_draft_says_what_would_come_of_it_from_the_store_alone() {
    let (first, other) = branched();
    let (main, fork) = (first.session, other.session);
    other.say("@Engineer here").unwrap();
    write(&other, fork, "a.txt", "one\nTHEIRS\nthree\n");
    write(&other, fork, "b.txt", "new\n");
    let tab = at(&other, main);
    write(&tab, main, "a.txt", "one\nOURS\nthree\n");
    let expected = merging(&tab, fork);
    let records = Records::new(Rc::new(tab.store.clone()), Rc::new(AllHere), Rc::clone(&tab.running.bus));
    let (session, turn) = (tab.session, expected.other);
    let made = tab.wait_for(async move { draft(&records, session, turn, Some(fork)).await });
    let made = made.unwrap().unwrap();
    assert_eq!(made.merging, expected);
    assert_eq!((made.turns, made.joining.clashes()), (1, 1));
    let fields: Vec<_> = made.joining.fields.iter().map(|field| field.field.clone()).collect();
    assert_eq!(fields, [Field::File("a.txt".into()), Field::File("b.txt".into())]);
    let decided = vec![(Field::File("a.txt".into()), vec![Side::Theirs])];
    tab.send(Command::MergeBranch(Merging { decided, ..made.merging })).unwrap();
    assert_eq!(tab.mind().file("a.txt"), Some("one\nTHEIRS\nthree\n"));
}
