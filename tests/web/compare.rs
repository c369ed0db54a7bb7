//! Tests of the review of changes: by hunk, by file and by round, reverted, sent back and undone.

use leptos::prelude::document;
use nexus_engine::tests::{Scripted, calls, says};
use nexus_model::command::Command;
use nexus_model::id::SessionId;
use serde_json::json;
use wasm_bindgen_test::wasm_bindgen_test;

use crate::e2e::selectors::*;
use crate::mounted_page::MountedPage;
use crate::replies::{Replies, writes};

const FILE: &str = "poem.txt";
const OTHER: &str = "notes.txt";

/// Forty numbered lines, some of them changed.
fn lines(others: &[(usize, &str)]) -> String {
    let line = |number: usize| {
        let other = others.iter().find(|(other, _)| *other == number);
        other.map_or_else(|| format!("line {number}"), |(_, text)| (*text).to_owned())
    };
    (1..=40).map(|number| line(number) + "\n").collect()
}

fn changed() -> String {
    lines(&[(2, "line two"), (10, "line ten"), (30, "line thirty")])
}

fn both(poem: &str, notes: &str) -> Scripted {
    let file = |name: &str, text: &str| ("write_file", json!({ "name": name, "content": text }));
    calls(&[file(FILE, poem), file(OTHER, notes)])
}

/// Two runs after another turn: the Engineer wrote a file, which was accepted, then changed its lines 2, 10 and 30.
/// They are compared.
async fn compared() -> (MountedPage, Replies) {
    let (page, replies) = Replies::open().await;
    replies.queue("Critic", says("Critic is ready."));
    page.ask("critic", "Ready?", "Critic is ready.").await;
    page.engineer_writes(&replies, (FILE, &lines(&[])), ["Write.", "Written."]).await;
    page.click(CHANGES_ACCEPT).await;
    page.hidden(CHANGES_SUMMARY).await;
    // Its undo is not the one that the tests ask for.
    page.click(Selector::css("[data-testid=notice] [aria-label=Dismiss]")).await;
    page.engineer_writes(&replies, (FILE, &changed()), ["Change it.", "Changed. Is it better?"]).await;
    compare(&page).await;
    page.see_count(HUNK, 3).await;
    (page, replies)
}

async fn compare(page: &MountedPage) {
    page.click(FACE_COMPARE).await;
    page.see(COMPARE_LIST).await;
}

/// Waits until the file has this text in the store, also if it was typed.
async fn stored(page: &MountedPage, name: &str, text: &str) {
    page.tab.pass(3_000);
    page.until(&format!("{name} to be stored"), || page.tab.mind().file(name) == Some(text)).await;
}

fn reviews(page: &MountedPage) -> usize {
    page.logged("ChangesReviewed").len()
}

/// Waits until this is the hunk that keys act on.
async fn is_at(page: &MountedPage, place: usize) {
    let here = || page.attributes(HUNK, "data-at").iter().position(|at| at == "true") == Some(place);
    page.until(&format!("hunk {place} to be marked"), here).await;
}

/// Waits until a message of this agent has the focus.
async fn is_at_turn_of(page: &MountedPage, agent: &str) {
    page.has_focus(Selector::css("[data-testid=message]")).await;
    let of = document().active_element().and_then(|message| message.get_attribute("data-agent"));
    assert_eq!(of.as_deref(), Some(agent));
}

#[wasm_bindgen_test]
async fn a_comparison_names_the_author_marks_changed_words_and_folds_the_rest() {
    let (page, _) = compared().await;
    let shown = page.text(COMPARE_LIST).await;
    assert!(shown.contains("line thirty") && shown.contains("Engineer"), "{shown}");
    let marked = || page.texts(Selector::css("[data-testid=compare-list] mark")).iter().any(|it| it == "two");
    page.until("the changed word to be marked", marked).await;
    assert!(page.count(COMPARE_FOLD) >= 1 && !shown.contains("line 20"), "{shown}");
    page.click(COMPARE_FOLD).await;
    page.see_text(COMPARE_LIST, "line 20").await;
    assert!(page.text(COMPARE_LIST).await.len() > shown.len());
}

#[wasm_bindgen_test]
async fn any_turn_is_a_base_and_a_hunk_leads_to_its_turn() {
    let (page, _) = compared().await;
    let options = page.all(Selector::css("[data-testid=compare-base] option"));
    let of_turns = options.iter().filter(|option| option.text_content().unwrap().starts_with("after "));
    let turns: Vec<_> = of_turns.map(|option| option.get_attribute("value").unwrap()).collect();
    // Against the last turn nothing differs; against the one before it all three do; before that there was no file.
    let [last, before, first] = turns.as_slice() else { panic!("{turns:?}") };
    page.choose(COMPARE_BASE, last).await;
    page.see_text(COMPARE, "No differences").await;
    page.choose(COMPARE_BASE, before).await;
    page.see_text(COMPARE, "3 changes").await;
    page.choose(COMPARE_BASE, first).await;
    page.see_count(HUNK, 1).await;
    page.see_text(COMPARE_FIELD, "new").await;
    page.click(HUNK_TURN).await;
    is_at_turn_of(&page, "engineer").await;
}

#[wasm_bindgen_test]
async fn accepted_and_reverted_hunks_stay_so_after_a_reload() {
    let (page, replies) = compared().await;
    let before = reviews(&page);
    page.click(HUNK_ACCEPT).await;
    page.see_count(HUNK, 2).await;
    page.has_focus(Selector::css("[data-testid=compare-list]")).await;
    // The first review is undone, too.
    page.see_text(NOTICE, "Accepted a change in").await;
    page.press("Control+z").await;
    page.see_count(HUNK, 3).await;
    page.click(HUNK_ACCEPT).await;
    page.see_count(HUNK, 2).await;
    page.click(HUNK_REVERT).await;
    page.see_count(HUNK, 1).await;
    stored(&page, FILE, &lines(&[(2, "line two"), (30, "line thirty")])).await;
    page.click(FACE_EDIT).await;
    page.see_text(FILE_EDITOR, "line 10\n").await;

    let page = page.reload(replies.script()).await;
    compare(&page).await;
    page.see_count(HUNK, 1).await;
    page.see_text(COMPARE_LIST, "line thirty").await;
    // Against the start of the run the accepted one is shown as reviewed.
    page.choose(COMPARE_BASE, "run").await;
    page.see_count(HUNK, 2).await;
    page.see_count(HUNK.with("data-reviewed", "true"), 1).await;
    page.click(REVERT_FILE).await;
    page.see_text(COMPARE, "No differences").await;
    stored(&page, FILE, &lines(&[])).await;
    assert_eq!(reviews(&page) - before, 3);
}

#[wasm_bindgen_test]
async fn the_name_of_a_file_begins_where_its_hunks_begin() {
    let (page, _) = compared().await;
    let sheet = document().create_element("style").unwrap();
    sheet.set_text_content(Some(concat!(
        include_str!("../../style/main.css"),
        include_str!("../../style/compare.css")
    )));
    document().head().unwrap().append_child(&sheet).unwrap();
    let left = |selector: &'static str| {
        let element = document().query_selector(selector).unwrap().unwrap();
        element.get_bounding_client_rect().left()
    };
    for width in ["60rem", "20rem"] {
        page.see(Selector::css(".compare"))
            .await
            .set_attribute("style", &format!("inline-size: {width}"))
            .unwrap();
        page.settle().await;
        assert_eq!(left(".compare-field h3"), left("[data-testid=hunk-pick]"), "at {width}");
    }
    sheet.remove();
}

#[wasm_bindgen_test]
async fn hunks_are_reviewed_by_keys() {
    let (page, _) = compared().await;
    page.focus(COMPARE_LIST).await;
    for (key, place) in [("j", 0), ("j", 1), ("k", 0)] {
        page.press(key).await;
        is_at(&page, place).await;
    }
    page.press("a").await;
    page.see_count(HUNK, 2).await;
    // A decision moves to the next hunk.
    is_at(&page, 0).await;
    page.press("r").await;
    page.see_count(HUNK, 1).await;
    page.press("x").await;
    page.see(SEND_BACK_FORM).await;
    page.press("x").await;
    page.hidden(SEND_BACK_FORM).await;
    stored(&page, FILE, &lines(&[(2, "line two"), (30, "line thirty")])).await;
    // Keys with modifiers belong to the browser.
    let reviewed = reviews(&page);
    page.press("Control+a").await;
    page.see_count(HUNK, 1).await;
    assert_eq!(reviews(&page), reviewed);
}

#[wasm_bindgen_test]
async fn the_bar_and_the_comparison_count_the_same_changes() {
    let (page, replies) = Replies::open().await;
    page.engineer_writes(&replies, (FILE, "one\n"), ["Write.", "Written."]).await;
    page.see_text(CHANGES_SUMMARY, "1 file changed").await;
    page.fill(SCRATCHPAD, "- mine\n").await;
    page.tab.pass(3_000);
    page.see_text(CHANGES_SUMMARY, "1 file and plan").await;
    compare(&page).await;
    page.see_text(COMPARE_FIGURES, "1 file and plan · 2 changes").await;
}

#[wasm_bindgen_test]
async fn an_edit_that_is_not_saved_yet_is_not_called_reviewed() {
    let (page, replies) = Replies::open().await;
    page.engineer_writes(&replies, (FILE, "one\n"), ["Write.", "Written."]).await;
    page.click(CHANGES_ACCEPT).await;
    page.hidden(CHANGES_SUMMARY).await;
    compare(&page).await;
    page.see_text(COMPARE, "All changes are reviewed").await;
    page.click(FACE_EDIT).await;
    page.fill(FILE_EDITOR, "two\n").await;
    compare(&page).await;
    page.see_text(COMPARE, "Your last edit is not included yet").await;
    page.lacks(COMPARE, "All changes are reviewed").await;
    page.tab.pass(3_000);
    page.see_count(HUNK, 1).await;
}

#[wasm_bindgen_test]
async fn a_picked_hunk_is_sent_back_to_its_author_with_a_remark() {
    const REMARK: &str = "Keep the number here.";
    let (page, replies) = compared().await;
    page.all(Selector::css("[data-testid=hunk-pick]"))[1].click();
    page.see_text(SEND_BACK_FORM, "1 change for Engineer").await;
    page.fill(SEND_BACK_REMARK, REMARK).await;
    let (before, others) = (page.sent("Engineer").len(), page.sent("Critic").len());
    replies.queue("Engineer", says("I see."));
    page.click(SEND_BACK).await;
    page.see_text(answers_of("engineer"), "I see.").await;
    page.idle().await;
    page.hidden(SEND_BACK_FORM).await;
    assert_eq!((page.sent("Engineer").len(), page.sent("Critic").len()), (before + 1, others));
    let text = page.sent("Engineer")[before].question();
    for words in [REMARK, "poem.txt, line 10", "-line 10", "+line ten"] {
        assert!(text.contains(words), "{words:?} is missing in {text}");
    }
    assert!(!text.contains("line thirty\n```") && !text.contains("+line two"), "more was sent: {text}");
}

#[wasm_bindgen_test]
async fn what_is_picked_and_its_remark_stay_with_their_session() {
    const REMARK: &str = "Keep the number here.";
    let (page, _) = compared().await;
    let first = page.session();
    page.all(Selector::css("[data-testid=hunk-pick]"))[1].click();
    page.fill(SEND_BACK_REMARK, REMARK).await;
    page.click(FACE_EDIT).await;
    page.hidden(COMPARE).await;
    compare(&page).await;
    page.see_text(SEND_BACK_FORM, "1 change for Engineer").await;
    assert_eq!(page.text(SEND_BACK_REMARK).await, REMARK);

    page.new_session().await;
    page.see(COMPARE).await;
    page.hidden(SEND_BACK_FORM).await;
    page.open_session(&first).await;
    page.see_text(SEND_BACK_FORM, "1 change for Engineer").await;
    assert_eq!(page.text(SEND_BACK_REMARK).await, REMARK);
    // After another screen, too.
    page.open_settings().await;
    page.back().await;
    page.see(WAR_ROOM).await;
    compare(&page).await;
    assert_eq!(page.text(SEND_BACK_REMARK).await, REMARK);
}

#[wasm_bindgen_test]
async fn undoing_a_reverted_hunk_keeps_later_typing() {
    let (page, _) = compared().await;
    page.click(HUNK_REVERT).await;
    page.see_count(HUNK, 2).await;
    page.see_text(NOTICE, "Reverted a change in poem.txt.").await;
    page.click(FACE_EDIT).await;
    let typed = lines(&[(10, "line ten"), (20, "typed by hand"), (30, "line thirty")]);
    page.enter(FILE_EDITOR, &typed).await;
    stored(&page, FILE, &typed).await;
    page.click(NOTICE_UNDO).await;
    let all = lines(&[(2, "line two"), (10, "line ten"), (20, "typed by hand"), (30, "line thirty")]);
    stored(&page, FILE, &all).await;
    compare(&page).await;
    page.see_text(COMPARE_FIGURES, "4 changes").await;
}

#[wasm_bindgen_test]
async fn reverting_is_undone_by_its_notice_by_the_palette_and_by_key() {
    let (page, _) = compared().await;
    page.click(REVERT_FILE).await;
    page.see_count(HUNK, 0).await;
    page.click(NOTICE_UNDO).await;
    page.see_text(COMPARE_FIGURES, "3 changes").await;
    stored(&page, FILE, &changed()).await;
    page.click(FACE_EDIT).await;
    page.see_text(FILE_EDITOR, "line ten").await;
    compare(&page).await;

    let revert_by_key = async || {
        page.focus(COMPARE_LIST).await;
        page.press("j").await;
        page.press("r").await;
        page.see_text(COMPARE_FIGURES, "2 changes").await;
    };
    revert_by_key().await;
    page.run_action("undo: rev", "undo").await;
    page.see_text(COMPARE_FIGURES, "3 changes").await;
    revert_by_key().await;
    page.press("Control+z").await;
    page.see_text(COMPARE_FIGURES, "3 changes").await;
}

/// Two files that were changed after a sync of the Core, compared with it.
async fn since_the_sync() -> (MountedPage, Replies, String) {
    let (page, replies) = Replies::open().await;
    replies.queue("Engineer", both(&lines(&[]), "first\n"));
    replies.queue("Engineer", says("Written."));
    page.ask("engineer", "Write.", "Written.").await;
    // This change is large enough for a sync of the Core.
    page.tab.pass(4_000);
    page.until("the Core's request", || page.tab.core.borrow().requests.len() == 1).await;
    page.see(CORE.with("data-state", "idle")).await;
    let poem = lines(&[(2, "line two"), (30, "line thirty")]);
    replies.queue("Engineer", both(&poem, "first\nsecond\n"));
    replies.queue("Engineer", says("Changed."));
    page.ask("engineer", "Change.", "Changed.").await;
    compare(&page).await;
    page.choose(COMPARE_BASE, "sync").await;
    page.see_count(HUNK, 3).await;
    (page, replies, poem)
}

fn field(name: &str) -> Selector {
    COMPARE_FIELD.with("data-field", name)
}

#[wasm_bindgen_test]
async fn an_accepted_file_keeps_its_text_and_is_reviewed() {
    let (page, _, poem) = since_the_sync().await;
    page.click(field(FILE).inner(ACCEPT_FILE)).await;
    page.see(field(FILE).with("data-reviewed", "true")).await;
    stored(&page, FILE, &poem).await;
    page.choose(COMPARE_BASE, "review").await;
    page.see_count(HUNK, 1).await;
    page.hidden(field(FILE)).await;
}

#[wasm_bindgen_test]
async fn a_file_is_reverted_and_accepted_by_keys_which_are_listed() {
    let (page, replies, poem) = since_the_sync().await;
    page.click(field(FILE).inner(ACCEPT_FILE)).await;
    page.see(field(FILE).with("data-reviewed", "true")).await;
    page.focus(COMPARE_LIST).await;
    page.press("j").await;
    page.press("t").await;
    is_at_turn_of(&page, "engineer").await;
    // The first file is the other one.
    page.focus(COMPARE_LIST).await;
    page.press("Shift+R").await;
    page.hidden(field(OTHER)).await;
    stored(&page, OTHER, "first\n").await;
    stored(&page, FILE, &poem).await;

    page.choose(COMPARE_BASE, "review").await;
    page.click(ACCEPT_ALL).await;
    page.see_text(COMPARE, "All changes are reviewed").await;
    page.has_focus(COMPARE_LIST).await;
    replies.queue("Engineer", both(&poem, "first\nthird\n"));
    replies.queue("Engineer", says("Once more."));
    page.ask("engineer", "Again.", "Once more.").await;
    page.see_text(COMPARE_LIST, "third").await;
    page.focus(COMPARE_LIST).await;
    page.press("j").await;
    page.press("Shift+A").await;
    page.see_text(COMPARE, "All changes are reviewed").await;
    stored(&page, OTHER, "first\nthird\n").await;

    page.press("?").await;
    page.see_text(KEY_SHEET, "Accept the whole file").await;
}

#[wasm_bindgen_test]
async fn a_file_is_reverted_to_the_last_sync_by_its_button() {
    let (page, _, _) = since_the_sync().await;
    page.click(field(FILE).inner(REVERT_FILE)).await;
    page.hidden(field(FILE)).await;
    stored(&page, FILE, &lines(&[])).await;
    stored(&page, OTHER, "first\nsecond\n").await;
}

const OBJECTIVE: &str = "A page that greets the reader";

/// A round of all agents that changed objective, scratchpad and a file, with its recap.
async fn recapped() -> (MountedPage, Replies) {
    let (page, replies) = Replies::open().await;
    page.enter(OBJECTIVE_FIELD, OBJECTIVE).await;
    let plan = json!({ "objective": "A poem", "scratchpad": "- [ ] write it\n" });
    replies.queue("Architect", calls(&[("update_nexus_state", plan)]));
    replies.queue("Architect", says("Planned."));
    replies.queue("Engineer", writes(FILE, &lines(&[])));
    replies.queue("Engineer", says("Written."));
    replies.queue("Critic", says("Good.\nShall it rhyme?"));
    page.send_to("ALL", "Go.").await;
    page.see_text(answers_of("critic"), "Shall it rhyme?").await;
    page.idle().await;
    page.click(CATCH_UP_OPEN).await;
    page.see(CATCH_UP).await;
    (page, replies)
}

#[wasm_bindgen_test]
async fn a_round_is_recapped_without_a_model_and_accepted_at_once() {
    let (page, _) = recapped().await;
    let text = page.text(CATCH_UP).await;
    for words in
        ["Objective by Architect", "poem.txt by Engineer", "+40", "Critic: Shall it rhyme?", "3 turns"]
    {
        assert!(text.contains(words), "{words:?} is missing in {text:?}");
    }
    page.click(CATCH_UP_REVIEW).await;
    page.see_count(COMPARE_FIELD, 3).await;
    page.click(ACCEPT_ALL).await;
    page.see_count(COMPARE_FIELD.with("data-reviewed", "true"), 3).await;
    page.choose(COMPARE_BASE, "review").await;
    page.see_text(COMPARE, "All changes are reviewed").await;
    assert_eq!(page.tab.speakers().len(), 5, "the recap called a model");
}

#[wasm_bindgen_test]
async fn undoing_a_round_never_overwrites_a_later_edit() {
    let (page, _) = recapped().await;
    let edit = async |text: &str| {
        page.fill(SCRATCHPAD, text).await;
        page.tab.pass(3_000);
        page.until("the typed text to be stored", || page.tab.mind().scratchpad == text).await;
        page.tab.pass(3_000);
        page.settle().await;
    };
    edit("- [ ] write it\n- mine\n").await;
    page.click(CATCH_UP_UNDO).await;
    page.see_text(NOTICE, "changed since").await;
    assert_eq!(page.count(FILE_TAB), 1, "a change was undone despite a conflict");
    edit("- [ ] write it\n").await;
    page.focus(CATCH_UP).await;
    page.press("u").await;
    page.see_text(NOTICE, "Round undone").await;
    page.see_count(FILE_TAB, 0).await;
    page.see_text(OBJECTIVE_FIELD, OBJECTIVE).await;
    page.hidden(CATCH_UP_UNDO).await;
}

#[wasm_bindgen_test]
async fn a_base_chosen_in_another_session_is_none_here() {
    let (page, _) = compared().await;
    let first = page.session();
    let bases = page.attributes(Selector::css("[data-testid=compare-base] option"), "value");
    // The fork has this turn, too.
    let turn = bases.last().unwrap().clone();
    page.choose(COMPARE_BASE, &turn).await;
    page.until("the base", || page.texts(COMPARE_BASE) == [turn.clone()]).await;
    let (session, from) = (SessionId::from(9_001), page.tab.session);
    let head = page.tab.session_row().head.unwrap();
    let label = "Fork".to_owned();
    page.tab.send(Command::ContinueFrom { session, from, turn: head, mind: None, label }).unwrap();
    page.open_session(&session.to_string()).await;
    page.until("the fork's default base", || {
        let of_turn = format!("[data-testid=compare-base] option[value='{turn}']");
        page.count(Selector::css(&of_turn)) == 1 && page.texts(COMPARE_BASE) != [turn.clone()]
    })
    .await;
    page.open_session(&first).await;
    page.until("the base of this session", || page.texts(COMPARE_BASE) == [turn.clone()]).await;
}
