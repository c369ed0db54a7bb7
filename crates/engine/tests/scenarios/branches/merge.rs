//! Scenarios of merging two branches: results, conflicts, what models see, and branches that move meanwhile.

use crate::edit;
use serde_json::{Value, json};

use nexus_engine::demo::Demo;
use nexus_engine::queries::{AnsweredMerge, MergeAdvice, MergeDraft, advice, draft, tree};
use nexus_engine::tests::exports::imported_elsewhere;
use nexus_engine::tests::{Scripted, ScriptedChunk, Tab, calls, refuses, says, tab};
use nexus_model::command::{Command, MergeRequest, Rejection};
use nexus_model::id::SessionId;
use nexus_model::job::{JobKind, SessionJobs};
use nexus_model::message::content::text_of;
use nexus_model::message::{Message, Role};
use nexus_model::mind::MindWrite;
use nexus_model::mind::merge::proposal::NoProposalReason;
use nexus_model::mind::review::{MindField, run_start};
use nexus_model::session::Session;
use nexus_model::settings::schema::CORE_AUTO;
use nexus_model::turn::{TurnEnd, TurnKind};
use nexus_providers::http::{HttpRequest, Method};
use nexus_text::content_hash::ContentHash;
use nexus_text::merge3::Resolution;
use nexus_view::run_summary::run_summary;

fn write(tab: &Tab, session: SessionId, name: &str, text: &str) {
    let base = row(tab, session).mind;
    let writes = vec![MindWrite::File { name: name.into(), text: text.into() }];
    tab.send(Command::EditMind { session, base, writes }).unwrap();
}

fn row(tab: &Tab, session: SessionId) -> Session {
    tab.world().session(&session).unwrap().as_ref().clone()
}

/// A device with a session and a fork of it, after a common turn with one file.
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

/// The same device with another session open.
fn at(tab: &Tab, session: SessionId) -> Tab {
    tab.kill();
    let mut again = tab.again(|agent, _| says(&format!("{agent} did it")));
    again.session = session;
    again.open().unwrap();
    again
}

fn merging(tab: &Tab, from: SessionId) -> MergeRequest {
    let (ours, theirs) = (tab.session_row(), row(tab, from));
    MergeRequest {
        session: tab.session,
        head: ours.head,
        mind: ours.mind,
        other: theirs.head.unwrap(),
        from: Some(from),
        theirs: theirs.mind,
        resolutions: Vec::new(),
    }
}

#[test]
fn merge_creates_one_turn_with_a_note_about_the_other_branch() {
    let (first, other) = branched();
    let (main, fork) = (first.session, other.session);
    other.say("@Engineer try the **other** idea").unwrap();
    write(&other, fork, "a.txt", "one\ntwo\nTHREE\n");
    write(&other, fork, "b.txt", "new\n");
    let tab = at(&other, main);
    tab.say("@Engineer go on here").unwrap();
    write(&tab, main, "a.txt", "ONE\ntwo\nthree\n");
    let (before, theirs) = (tab.session_row(), row(&tab, fork));
    tab.send(Command::MergeBranch(merging(&tab, fork))).unwrap();

    let (after, mind) = (tab.session_row(), tab.mind());
    assert_eq!((mind.file("a.txt"), mind.file("b.txt")), (Some("ONE\ntwo\nTHREE\n"), Some("new\n")));
    let turn = tab.world().turn(&after.head.unwrap()).unwrap().as_ref().clone();
    assert_eq!((turn.kind, turn.end), (TurnKind::Merge, Some(TurnEnd::Completed)));
    assert_eq!((turn.parent, turn.second_parent), (before.head, theirs.head));
    assert_eq!((turn.mind_before, turn.mind_after), (before.mind, Some(after.mind)));
    let (records, id) = (tab.records(), turn.id);
    let shown = tab.wait_for(async move { tree::preview(&records, id, 100).await }).unwrap().unwrap();
    assert_eq!(shown.touched.len(), 2, "the tree does not say what it changed");
    let note = text_of(&tab.world().message(&turn.query[0]).unwrap().parts);
    let expected_lines =
        "- the operator asked: @Engineer try the other idea\n- Engineer: Engineer went another way";
    assert!(
        note.contains(expected_lines) && note.contains("“idea”") && note.contains("1 turn of its own"),
        "{note}"
    );
    assert_eq!(row(&tab, fork).head, theirs.head, "the other branch keeps its head");
    let base = |row: &Session| run_start(&tab.world(), row).copied();
    assert_eq!(base(&after), base(&before), "the review still begins with the run");
    assert_eq!(run_summary(&tab.world(), main).map(|recap| recap.run), before.run, "the recap keeps its run");

    // Merged turns are not offered again; newer ones are.
    assert_eq!(tab.send(Command::MergeBranch(merging(&tab, fork))), Err(Rejection::NothingToMerge));
    tab.say("@Critic what is there?").unwrap();
    let request = tab.sent.borrow().last().unwrap().body.clone().unwrap();
    assert!(request.contains("try the other idea") && request.contains("THREE"), "{request}");
    let note = "<note of=\\\"a merge\\\" from=\\\"Nexus\\\">\\nThe branch";
    assert!(request.contains(note), "merged content is no instruction: {request}");
    let note = tab.world().message(&turn.query[0]).unwrap().as_ref().clone();
    assert_eq!((note.role, note.turn), (Role::System, Some(turn.id)), "it is a system message");
    let (message, text, attachments) = (note.id, "x".into(), Vec::new());
    let resend = Command::Resend { session: main, message, text, attachments, overrides: None };
    assert_eq!(tab.send(resend), Err(Rejection::NoSuchTurn));
    // In logs of earlier versions the note is a message of the operator.
    let old = Message { role: Role::User, ..note.clone() };
    assert_eq!(*Message::upcast(old.into()), note);
    let other = at(&tab, fork);
    other.say("@Engineer and more").unwrap();
    write(&other, fork, "a.txt", "one\ntwo\nTHREE\nfour\n");
    let tab = at(&other, main);
    tab.send(Command::MergeBranch(merging(&tab, fork))).unwrap();
    assert_eq!(tab.mind().file("a.txt"), Some("ONE\ntwo\nTHREE\nfour\n"));
    assert!(tab.events().windows(2).all(|pair| pair[0].seq < pair[1].seq));
}

#[test]
fn merge_note_covers_the_whole_branch_even_if_its_summary_fails() {
    let (first, other) = branched();
    let (main, fork) = (first.session, other.session);
    let summaries = |tab: &Tab, words: &'static str| {
        tab.archivist.borrow_mut().script = Some(Box::new(move |body: &Value| {
            if body["systemInstruction"].to_string().contains("worth remembering") {
                says(&json!({"memories": []}).to_string())
            } else if words.is_empty() {
                refuses(400, "INVALID_ARGUMENT")
            } else {
                says(&json!({"title": "Ideas", "summary": words, "keywords": ["one", "two"]}).to_string())
            }
        }));
    };
    summaries(&other, "They try the first idea.");
    other.say("@Engineer try the first idea").unwrap();
    other.pass(120_000);
    assert_eq!(row(&other, fork).summary.as_deref(), Some("They try the first idea."));
    write(&other, fork, "b.txt", "one\n");
    other.say("@Engineer and paint it green").unwrap();
    let note_of = |tab: &Tab| {
        let turn = tab.world().turn(&tab.session_row().head.unwrap()).unwrap().as_ref().clone();
        text_of(&tab.world().message(&turn.query[0]).unwrap().parts)
    };
    // If the model fails: the old summary and the messages since.
    let tab = at(&other, main);
    summaries(&tab, "");
    tab.send(Command::Summarise { session: fork }).unwrap();
    tab.pass(1_000);
    tab.send(Command::MergeBranch(merging(&tab, fork))).unwrap();
    let text = note_of(&tab);
    assert!(
        text.contains("They try the first idea.") && text.contains("does not reach to its end"),
        "{text}"
    );
    assert!(text.contains("paint it green") && !text.contains("try the first idea\n"), "{text}");
    // If it answers: the summary alone.
    let other = at(&tab, fork);
    write(&other, fork, "b.txt", "two\n");
    other.say("@Engineer and make it round").unwrap();
    let tab = at(&other, main);
    summaries(&tab, "It is green and round.");
    tab.send(Command::Summarise { session: fork }).unwrap();
    tab.pass(1_000);
    assert_eq!(row(&tab, fork).summary.as_deref(), Some("It is green and round."));
    let summarised = |tab: &Tab| {
        let archivist = tab.archivist.borrow();
        let is_summary = |body: &&Value| !body["systemInstruction"].to_string().contains("worth remembering");
        archivist.requests.iter().filter(is_summary).count()
    };
    let before = summarised(&tab);
    tab.send(Command::Summarise { session: fork }).unwrap();
    tab.pass(1_000);
    assert_eq!(summarised(&tab), before, "it is up to date");
    tab.send(Command::MergeBranch(merging(&tab, fork))).unwrap();
    let text = note_of(&tab);
    assert!(text.contains("green and round") && !text.contains("does not reach"), "{text}");
}

#[test]
fn operator_resolves_conflict_and_stale_draft_is_rejected() {
    let (first, other) = branched();
    let (main, fork) = (first.session, other.session);
    other.say("@Engineer here").unwrap();
    write(&other, fork, "a.txt", "one\nTHEIRS\nthree\n");
    let tab = at(&other, main);
    write(&tab, main, "a.txt", "one\nOURS\nthree\n");
    let draft = merging(&tab, fork);
    assert_eq!(tab.send(Command::MergeBranch(draft.clone())), Err(Rejection::ClashesOpen));
    write(&tab, main, "c.txt", "meanwhile\n");
    let resolutions = vec![(MindField::File("a.txt".into()), vec![Resolution::Both])];
    let old = MergeRequest { resolutions: resolutions.clone(), ..draft };
    assert_eq!(tab.send(Command::MergeBranch(old)), Err(Rejection::MovedOn));
    tab.send(Command::MergeBranch(MergeRequest { resolutions, ..merging(&tab, fork) })).unwrap();
    assert_eq!(tab.mind().file("a.txt"), Some("one\nOURS\nTHEIRS\nthree\n"));
    assert_eq!(tab.mind().file("c.txt"), Some("meanwhile\n"));
    // After a reload the merge is unchanged.
    let head = tab.session_row().head;
    let again = at(&tab, main);
    assert_eq!(again.session_row().head, head);
    assert_eq!(again.mind().file("a.txt"), Some("one\nOURS\nTHEIRS\nthree\n"));
}

#[test]
fn draft_is_stale_after_the_other_branch_moved_and_is_redrafted_from_its_head() {
    let (first, other) = branched();
    let (main, fork) = (first.session, other.session);
    other.say("@Engineer here").unwrap();
    write(&other, fork, "b.txt", "one\n");
    let tab = at(&other, main);
    let (turn, edited) = (row(&tab, fork).head.unwrap(), merging(&tab, fork));
    // Its working mind changes, its head does not.
    let other = at(&tab, fork);
    write(&other, fork, "b.txt", "two\n");
    let tab = at(&other, main);
    assert_eq!(tab.send(Command::MergeBranch(edited)), Err(Rejection::MovedOn));
    let request = merging(&tab, fork);
    // Its head moves.
    let other = at(&tab, fork);
    other.say("@Engineer and there").unwrap();
    write(&other, fork, "b.txt", "three\n");
    let tab = at(&other, main);
    assert_eq!(tab.send(Command::MergeBranch(request.clone())), Err(Rejection::MovedOn));
    let conflicts = vec![ContentHash::of_text("a clash")];
    assert_eq!(tab.send(Command::AskAboutConflicts { request, conflicts }), Err(Rejection::MovedOn));
    // The new draft uses the new head, although the old one was requested.
    let records = tab.records();
    let made = tab.wait_for(async move { draft(&records, main, turn, Some(fork)).await });
    let made = made.unwrap().unwrap();
    assert_eq!((made.request.clone(), made.turns), (merging(&tab, fork), 2));
    tab.send(Command::MergeBranch(made.request)).unwrap();
    assert_eq!(tab.mind().file("b.txt"), Some("three\n"));
    // The note covers the branch and the operator's edits after its last turn.
    let head = tab.session_row().head.unwrap();
    let note = tab.world().turn(&head).unwrap().query[0];
    let note = text_of(&tab.world().message(&note).unwrap().parts);
    assert!(note.contains("\n\nIt changed these files: `b.txt`."), "{note}");
}

#[test]
fn merge_without_common_ancestor_is_rejected() {
    let (first, other) = branched();
    let strange = SessionId::from(9_000);
    let label = "strange".to_owned();
    other.send(Command::CreateSession { session: strange, label, mind: Default::default() }).unwrap();
    let stranger = at(&other, strange);
    stranger.say("@Engineer alone").unwrap();
    let tab = at(&stranger, first.session);
    assert_eq!(tab.send(Command::MergeBranch(merging(&tab, strange))), Err(Rejection::Unrelated));
    // The fork has no turns of its own yet.
    let fork = SessionId::from(7_000);
    assert_eq!(tab.send(Command::MergeBranch(merging(&tab, fork))), Err(Rejection::NothingToMerge));
}

#[test]
fn draft_is_computed_from_the_store_alone() {
    let (first, other) = branched();
    let (main, fork) = (first.session, other.session);
    other.say("@Engineer here").unwrap();
    write(&other, fork, "a.txt", "one\nTHEIRS\nthree\n");
    write(&other, fork, "b.txt", "new\n");
    let tab = at(&other, main);
    write(&tab, main, "a.txt", "one\nOURS\nthree\n");
    let expected = merging(&tab, fork);
    let records = tab.records();
    let (session, turn) = (tab.session, expected.other);
    let made = tab.wait_for(async move { draft(&records, session, turn, Some(fork)).await });
    let made = made.unwrap().unwrap();
    assert_eq!(made.request, expected);
    assert_eq!((made.turns, made.merge.conflict_count()), (1, 1));
    let fields: Vec<_> = made.merge.fields.iter().map(|field| field.field.clone()).collect();
    assert_eq!(fields, [MindField::File("a.txt".into()), MindField::File("b.txt".into())]);
    let resolutions = vec![(MindField::File("a.txt".into()), vec![Resolution::Theirs])];
    tab.send(Command::MergeBranch(MergeRequest { resolutions, ..made.request })).unwrap();
    assert_eq!(tab.mind().file("a.txt"), Some("one\nTHEIRS\nthree\n"));
}

/// Two branches with conflicts in two places of a file, and in a file that one branch removed.
fn conflicting() -> (Tab, SessionId) {
    let main = tab(|agent, _| says(&format!("{agent} did it")));
    let middle = "a\nb\nc\nd\ne\nf\ng\n";
    let text = |one: &str, two: &str| format!("top\n{one}\n{middle}{two}\nbottom\n");
    write(&main, main.session, "a.txt", &text("one", "two"));
    write(&main, main.session, "gone.txt", "was\n");
    edit(&main, vec![MindWrite::Objective("Make a poem".into())]);
    main.say("@Engineer begin").unwrap();
    let fork = SessionId::from(7_000);
    let (turn, from) = (main.session_row().head.unwrap(), main.session);
    let label = "idea".to_owned();
    main.send(Command::ContinueFrom { session: fork, from, turn, mind: None, label }).unwrap();
    let other = at(&main, fork);
    other.say("@Engineer make it loud").unwrap();
    write(&other, fork, "a.txt", &text("THEIRS", "their two"));
    let base = other.session_row().mind;
    let writes = vec![MindWrite::Remove("gone.txt".into())];
    other.send(Command::EditMind { session: fork, base, writes }).unwrap();
    let tab = at(&other, from);
    tab.say("@Engineer make it short").unwrap();
    write(&tab, from, "a.txt", &text("OURS", "our two"));
    write(&tab, from, "gone.txt", "changed\n");
    tab.send(Command::ChangeSetting { name: CORE_AUTO.name().into(), value: json!(false) }).unwrap();
    (tab, fork)
}

fn drafted(tab: &Tab, fork: SessionId) -> MergeDraft {
    let (records, session, other) = (tab.records(), tab.session, row(tab, fork).head.unwrap());
    tab.wait_for(async move { draft(&records, session, other, Some(fork)).await }).unwrap().unwrap()
}

fn advised(tab: &Tab, fork: SessionId, after: Option<u64>) -> Vec<MergeAdvice> {
    let (records, session, other) = (tab.records(), tab.session, row(tab, fork).head.unwrap());
    tab.wait_for(async move { advice(&records, session, other, after).await }).unwrap().1
}

fn ask(tab: &Tab, draft: &MergeDraft, conflicts: Vec<ContentHash>) -> Result<(), Rejection> {
    tab.send(Command::AskAboutConflicts { request: draft.request.clone(), conflicts })
}

fn marks(draft: &MergeDraft) -> Vec<ContentHash> {
    draft.conflicts().map(|(mark, _)| mark).collect()
}

fn answers(tab: &Tab, script: impl FnMut(&Value) -> Scripted + 'static) {
    tab.core.borrow_mut().script = Some(Box::new(script));
}

fn proposing(list: &Value) -> Scripted {
    says(&json!({ "proposals": list }).to_string())
}

fn one(number: usize, text: &str) -> Value {
    json!({"clash": number, "text": text, "why": format!("because of {number}")})
}

fn requests(tab: &Tab) -> Vec<Value> {
    tab.core.borrow().requests.clone()
}

fn jobs(tab: &Tab) -> SessionJobs {
    tab.session_row().jobs
}

/// The Core's last answer.
fn answered(tab: &Tab, fork: SessionId) -> AnsweredMerge {
    let advice_list = advised(tab, fork, None);
    let mut answers = advice_list.into_iter().filter_map(|each| match each {
        MergeAdvice::Proposed(proposed) => Some(proposed),
        MergeAdvice::Requested(_) | MergeAdvice::Failed { .. } => None,
    });
    answers.next_back().unwrap()
}

#[test]
fn deleted_merged_branch_is_kept_until_the_target_is_purged() {
    const DAYS: u64 = 24 * 60 * 60_000;
    let (first, other) = branched();
    let (main, fork, second) = (first.session, other.session, SessionId::from(8_000));
    let create = |session, label: &str| {
        let label = label.to_owned();
        Command::CreateSession { session, label, mind: Default::default() }
    };
    other.say("@Engineer try the other idea").unwrap();
    write(&other, fork, "b.txt", "new\n");
    // A second branch, merged long after the first one was deleted.
    let tab = at(&other, main);
    let (turn, label) = (row(&tab, main).head.unwrap(), "second".to_owned());
    let more = Command::ContinueFrom { session: second, from: main, turn, mind: None, label };
    tab.send(more).unwrap();
    let tab = at(&tab, second);
    write(&tab, second, "c.txt", "more\n");
    tab.say("@Engineer and a second one").unwrap();
    let tab = at(&tab, main);
    let merged = row(&tab, fork).head;
    tab.send(Command::MergeBranch(merging(&tab, fork))).unwrap();
    let unrelated = SessionId::from(9_000);
    tab.send(create(unrelated, "unrelated")).unwrap();
    for session in [fork, unrelated] {
        tab.send(Command::DeleteSession { session }).unwrap();
    }
    tab.pass(9 * DAYS);
    assert!(row(&tab, unrelated).purged_at.is_some(), "sessions that nothing refers to are purged");
    assert_eq!((row(&tab, fork).purged_at, row(&tab, fork).head), (None, merged));
    assert_eq!(imported_elsewhere(&tab.store, Some(main)), 2);
    assert_eq!(imported_elsewhere(&tab.store, None), 3);
    let tab = at(&tab, main);
    tab.send(Command::MergeBranch(merging(&tab, second))).unwrap();
    assert_eq!((tab.mind().file("b.txt"), tab.mind().file("c.txt")), (Some("new\n"), Some("more\n")));

    // The target is deleted too, but a fork continues from it.
    let last = SessionId::from(9_500);
    let (turn, label) = (tab.session_row().head.unwrap(), "last".to_owned());
    let more = Command::ContinueFrom { session: last, from: main, turn, mind: None, label };
    tab.send(more).unwrap();
    let tab = at(&tab, last);
    for session in [main, second] {
        tab.send(Command::DeleteSession { session }).unwrap();
    }
    tab.pass(30 * DAYS);
    assert!([main, fork, second].iter().all(|session| row(&tab, *session).purged_at.is_none()));
    // Once nothing else refers to them, sessions that refer to each other are purged together.
    tab.send(create(SessionId::from(9_600), "fresh")).unwrap();
    let tab = at(&tab, SessionId::from(9_600));
    tab.send(Command::DeleteSession { session: last }).unwrap();
    tab.pass(60 * DAYS);
    assert!([main, fork, second, last].iter().all(|session| row(&tab, *session).purged_at.is_some()));
    assert!(!tab.store.image().contains("try the other idea"));
}

#[test]
fn core_proposes_resolutions_and_changes_nothing() {
    let (tab, fork) = conflicting();
    answers(&tab, |_| proposing(&json!([one(3, ""), one(1, "OURS AND THEIRS"), one(2, "two\nmore\n")])));
    let draft = drafted(&tab, fork);
    let before = (tab.session_row().head, tab.mind().hash());
    ask(&tab, &draft, marks(&draft)).unwrap();
    assert_eq!((tab.session_row().head, tab.mind().hash()), before, "asking commits nothing");

    let bodies = requests(&tab);
    assert_eq!(bodies.len(), 1);
    let text = bodies[0].to_string();
    for expected in [
        "Make a poem",
        "make it loud",
        "make it short",
        "name=\\\"idea\\\"",
        "OURS\\n",
        "THEIRS\\n",
        "<base>\\none\\n",
        "<before>\\ntop\\n",
        "<theirs removed=\\\"true\\\">",
        "changed\\n",
        "in=\\\"gone.txt\\\"",
    ] {
        assert!(text.contains(expected), "{expected} is missing in {text}");
    }
    assert!(bodies[0]["generationConfig"].to_string().contains("proposals"), "held to a schema");

    let AnsweredMerge { proposal: answer, usage, .. } = answered(&tab, fork);
    assert_eq!(answer.proposals.iter().map(|it| it.conflict).collect::<Vec<_>>(), marks(&draft));
    assert_eq!(answer.proposals[0].why, "because of 1");
    // Its usage counts as the Core's and is in the event log.
    assert_eq!((usage.input, usage.output), (Some(100), Some(10)));
    let core = tab.session_row().core;
    assert_eq!((core.spent.calls, core.spent.tokens, jobs(&tab).is_idle()), (1, 110, true));
    assert!(core.last.is_none(), "it looked at no plan");

    // The operator accepts two of them, one edited, and resolves the third.
    let lines = |text: &str| Resolution::Lines(text.into());
    let resolutions = vec![
        (MindField::File("a.txt".into()), vec![lines("OURS, THEN THEIRS"), lines(&answer.proposals[1].text)]),
        (MindField::File("gone.txt".into()), vec![Resolution::Ours]),
    ];
    tab.send(Command::MergeBranch(MergeRequest { resolutions, ..draft.request })).unwrap();
    let merged = tab.mind();
    let text = merged.file("a.txt").unwrap();
    assert!(
        text.starts_with("top\nOURS, THEN THEIRS\na\n") && text.ends_with("g\ntwo\nmore\nbottom\n"),
        "{text}"
    );
    assert_eq!(merged.file("gone.txt"), Some("changed\n"));
}

#[test]
fn proposals_stay_valid_while_their_lines_conflict() {
    let (tab, fork) = conflicting();
    answers(&tab, |_| proposing(&json!([one(1, "BOTH\n"), one(2, "two\n"), one(3, "kept\n")])));
    let draft = drafted(&tab, fork);
    ask(&tab, &draft, marks(&draft)).unwrap();
    let text = tab.mind().file("a.txt").unwrap().replace("our two", "our other two");
    write(&tab, tab.session, "a.txt", &text);
    assert_eq!(ask(&tab, &draft, marks(&draft)), Err(Rejection::MovedOn), "the draft is old");
    let again = drafted(&tab, fork);
    let is_kept: Vec<bool> = answered(&tab, fork)
        .proposal
        .proposals
        .iter()
        .map(|it| marks(&again).contains(&it.conflict))
        .collect();
    assert_eq!(is_kept, [true, false, true]);
    // Paid proposals survive a reload.
    let reloaded = at(&tab, tab.session);
    assert_eq!(answered(&reloaded, fork).proposal.proposals.len(), 3);
}

#[test]
fn unusable_answers_fail_with_a_message_and_are_counted() {
    let (tab, fork) = conflicting();
    let draft = drafted(&tab, fork);
    let cases = [
        (json!([one(1, "a\n"), one(9, "b\n")]), "not asked about"),
        (json!([]), "proposes nothing"),
        (
            json!([one(1, "<<<<<<< ours\n"), one(2, ">>>>>>> theirs\n"), one(3, "|||||||\n")]),
            "conflict markers",
        ),
        (json!([one(1, &"x".repeat(9_000))]), "far longer"),
    ];
    for (at, (list, message)) in cases.into_iter().enumerate() {
        answers(&tab, move |_| proposing(&list));
        ask(&tab, &draft, marks(&draft)).unwrap();
        let Some(MergeAdvice::Failed { failure: Some(failure), .. }) = advised(&tab, fork, None).pop() else {
            panic!("{message}: {:?}", advised(&tab, fork, None));
        };
        assert!(failure.message.contains(message), "{message}: {failure:?}");
        let kinds: Vec<_> = jobs(&tab).failed.iter().map(|failed| failed.kind).collect();
        assert_eq!((jobs(&tab).open, kinds), (vec![], vec![JobKind::Merge]));
        assert_eq!(tab.session_row().core.spent.calls, u32::try_from(at + 1).unwrap());
    }
    // A valid proposal is used, invalid ones beside it are dropped.
    answers(&tab, |_| proposing(&json!([one(1, "BOTH\n"), one(2, "a\n=======\nb\n")])));
    ask(&tab, &draft, marks(&draft)).unwrap();
    let answer = answered(&tab, fork).proposal;
    assert_eq!(answer.proposals.len(), 1);
    let why: Vec<_> = answer.unresolved.iter().map(|it| it.why).collect();
    assert_eq!(why, [NoProposalReason::Marks, NoProposalReason::Missing]);
}

#[test]
fn job_adapts_the_format_to_the_host_retries_and_stops() {
    let (tab, fork) = conflicting();
    let draft = drafted(&tab, fork);
    let mark = marks(&draft)[..1].to_vec();
    answers(&tab, |body| {
        if !body["generationConfig"]["responseJsonSchema"].is_null()
            || body["generationConfig"].to_string().contains("chema")
        {
            refuses(400, "INVALID_ARGUMENT")
        } else {
            calls(&[("propose_lines", json!({"proposals": [one(1, "BOTH")]}))])
        }
    });
    ask(&tab, &draft, mark.clone()).unwrap();
    assert_eq!(requests(&tab).len(), 2);
    assert!(requests(&tab)[1]["tools"].to_string().contains("propose_lines"));
    assert_eq!(answered(&tab, fork).proposal.proposals[0].text, "BOTH");

    let mut first = true;
    answers(&tab, move |_| {
        if std::mem::take(&mut first) {
            refuses(503, "UNAVAILABLE")
        } else {
            proposing(&json!([one(1, "LATER\n")]))
        }
    });
    ask(&tab, &draft, mark.clone()).unwrap();
    assert!(jobs(&tab).open[0].retry.is_some(), "it tries again by itself");
    tab.pass(60_000);
    assert_eq!(answered(&tab, fork).proposal.proposals[0].text, "LATER\n");

    answers(&tab, |_| {
        let mut slow = proposing(&json!([one(1, "TOO LATE\n")]));
        slow.beats.insert(0, ScriptedChunk::Wait(60_000));
        slow
    });
    ask(&tab, &draft, mark.clone()).unwrap();
    assert_eq!(ask(&tab, &draft, mark), Err(Rejection::SyncWorks), "one at a time");
    tab.send(Command::StopSync { session: tab.session }).unwrap();
    tab.pass(120_000);
    assert!(matches!(advised(&tab, fork, None).pop(), Some(MergeAdvice::Failed { failure: None, .. })));
    assert_eq!(answered(&tab, fork).proposal.proposals[0].text, "LATER\n");
    assert!(jobs(&tab).open.is_empty());
}

#[test]
fn demo_proposes_lines_of_both_sides() {
    let (tab, fork) = conflicting();
    answers(&tab, |body| {
        let request = HttpRequest {
            method: Method::Post,
            url: "rehearsal/models/rehearsal-1:streamGenerateContent".into(),
            headers: Vec::new(),
            body: Some(body.to_string()),
        };
        let script = Demo { pace_percent: 0 }.answer(&request);
        let bytes = script.beats.into_iter().flat_map(|beat| beat.bytes).collect();
        Scripted {
            status: script.status,
            beats: vec![ScriptedChunk::Bytes(String::from_utf8(bytes).unwrap())],
        }
    });
    let draft = drafted(&tab, fork);
    ask(&tab, &draft, marks(&draft)).unwrap();
    let answer = answered(&tab, fork).proposal;
    let texts: Vec<_> = answer.proposals.iter().map(|it| it.text.as_str()).collect();
    assert_eq!(texts, ["OURS\nTHEIRS\n", "our two\ntheir two\n", "changed\n"]);
    assert!(answer.proposals.iter().all(|it| it.why.starts_with("The demo ")));
    assert!(answer.unresolved.is_empty());
}
