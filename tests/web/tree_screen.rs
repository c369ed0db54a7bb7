//! Tests of the tree screen: walked by keys, turns compared, forks made, named and archived, and branches merged.

use leptos::prelude::document;
use nexus::ui::hooks::focus_restore::keep_focus;
use nexus_engine::tests::{Scripted, says};
use serde_json::json;
use wasm_bindgen_test::wasm_bindgen_test;

use crate::e2e::selectors::*;
use crate::mounted_page::MountedPage;
use crate::replies::{Replies, Sent};

const FILE: &str = "beacon.txt";

/// A round of three agents.
async fn after_a_round() -> (MountedPage, Replies) {
    let (page, replies) = Replies::open().await;
    for agent in ["Architect", "Engineer", "Critic"] {
        replies.queue(agent, says(&format!("{agent} is ready.")));
    }
    page.send_to("ALL", "A page that greets the reader").await;
    page.see_text(answers_of("critic"), "Critic is ready.").await;
    page.idle().await;
    (page, replies)
}

fn path() -> String {
    let location = document().location().unwrap();
    location.pathname().unwrap() + &location.search().unwrap()
}

#[wasm_bindgen_test]
async fn the_tree_is_walked_by_keys_and_its_address_names_the_turn() {
    let (page, replies) = after_a_round().await;
    page.open_tree().await;
    page.see_text_in_time(TREE_SUMMARY, "3 turns · 1 session").await;
    // It opens at the head of the current session.
    page.see_text_in_time(TREE_SPOKEN, "Critic").await;
    page.see_text_in_time(TREE_SPOKEN, "head of").await;
    page.see_text(TREE_ANSWERED, "Critic is ready.").await;
    page.focus(TREE_PLANE).await;
    page.press("ArrowUp").await;
    page.see_text_in_time(TREE_SPOKEN, "Engineer").await;
    page.see_text(TREE_ANSWERED, "Engineer is ready.").await;
    page.press("Home").await;
    page.see_text_in_time(TREE_SPOKEN, "Architect").await;
    page.see_text(TREE_ASKED, "A page that greets the reader").await;
    page.until("the turn in the address", || path().contains("/tree/?turn=")).await;
    page.press("0").await;
    page.press("+").await;
    page.press("Enter").await;
    page.has_focus(Selector::css("[data-testid=tree-mark]")).await;

    let address = path();
    page.tab.kill();
    let tab = page.tab.again(replies.script());
    drop(page);
    let page = MountedPage::at(tab, &address).await;
    page.see(TREE.with("data-done", "true")).await;
    page.see_text_in_time(TREE_SPOKEN, "Architect").await;
    page.click(TREE_WHOLE).await;
    page.click(TREE_FLAG).await;
    page.see_text_in_time(TREE_SPOKEN, "Critic").await;
    page.see(TREE_FLAG.with("aria-pressed", "true")).await;
    page.click(TREE_OPEN).await;
    page.see(WAR_ROOM).await;
}

#[wasm_bindgen_test]
async fn two_turns_are_compared_with_their_changes() {
    let (page, replies) = after_a_round().await;
    page.open_tree().await;
    page.see_text_in_time(TREE_SUMMARY, "3 turns").await;
    page.go_back().await;
    let steps: String = (1..=700).map(|step| format!("step {step}\n")).collect();
    let beacon = format!("A lighthouse\nof stone\n{steps}");
    page.engineer_writes(&replies, (FILE, &beacon), ["Build the lighthouse.", "It stands."]).await;
    page.open_tree().await;
    page.see_text_in_time(TREE_SUMMARY, "4 turns").await;
    page.see_text(TREE_ASKED, "Build the lighthouse.").await;
    page.focus(TREE_PLANE).await;
    page.press("ArrowUp").await;
    page.see_text(TREE_ANSWERED, "Critic is ready.").await;
    page.click(TREE_MARK).await;
    page.see(TREE_MARK.with("aria-pressed", "true")).await;
    page.see_text(Selector::css("[data-testid=tree-card]"), "Now choose the turn").await;
    page.focus(TREE_PLANE).await;
    page.press("ArrowDown").await;
    page.click(TREE_COMPARE).await;
    page.see_text(TREE_COMPARED, "It stands.").await;
    page.see_text(TREE_COMPARED, "Critic is ready.").await;
    page.see_text(TREE_DIFF, "of stone").await;
    assert!(!page.text(TREE_DIFF).await.contains("step 700"), "all lines are drawn at once");
    page.click(TREE_DIFF.inner(COMPARE_FOLD)).await;
    page.see_text(TREE_DIFF, "step 700").await;
    page.press("Escape").await;
    page.hidden(TREE_COMPARED).await;
    page.click(TREE_COMPARE).await;
    page.click(TREE_COMPARE_CLOSE).await;
    page.hidden(TREE_COMPARED).await;
}

/// A file of three lines, and a fork from the tree in which the second one differs, in view.
async fn forked() -> (MountedPage, Replies) {
    let (page, replies) = Replies::open().await;
    page.engineer_writes(&replies, (FILE, "one\ntwo\nthree\n"), ["Write it.", "It stands."]).await;
    page.open_tree().await;
    page.click(TREE_FORK).await;
    page.see_text_in_time(TREE_SUMMARY, "2 sessions").await;
    page.see_text_in_time(TREE_FLAG, "in view").await;
    page.click_last(TREE_FLAG_NAME).await;
    page.fill(TREE_FLAG_FIELD, "other idea").await;
    page.press("Enter").await;
    page.see_text_in_time(TREE_FLAG, "other idea").await;
    (page, replies)
}

#[wasm_bindgen_test]
async fn a_fork_is_archived_and_restored_in_the_tree() {
    let (page, _) = forked().await;
    page.click(TREE_FLAG_ARCHIVE).await;
    page.see_text_in_time(TREE_FLAG, "archived").await;
    page.click(TREE_FLAG_ARCHIVE).await;
    page.settle().await;
    page.tab.pass(1_000);
    page.lacks(TREE_FLAG, "archived").await;
    page.go_back().await;
    page.see_text(SESSION_SWITCHER, "other idea").await;
}

#[wasm_bindgen_test]
async fn a_fork_leaves_the_focus_on_its_button() {
    // The program loads this once the page is idle.
    keep_focus();
    let (page, replies) = Replies::open().await;
    page.engineer_writes(&replies, (FILE, "one\n"), ["Write it.", "It stands."]).await;
    page.open_tree().await;
    page.click(TREE_FORK).await;
    page.see_text_in_time(TREE_SUMMARY, "2 sessions").await;
    page.see_text_in_time(TREE_FLAG, "in view").await;
    page.has_focus(TREE_FORK).await;
}

/// Both branches of [`forked`] changed the second line. The other one is selected in the tree, "main" is in view.
async fn diverged() -> (MountedPage, Replies) {
    let (page, replies) = forked().await;
    page.go_back().await;
    page.engineer_writes(&replies, (FILE, "one\nTHEIRS\nthree\nmore\n"), ["Write it.", "Theirs."]).await;
    // Back to the first session, by its flag in the tree.
    page.open_tree().await;
    page.click(TREE_FLAG.with("aria-pressed", "false")).await;
    page.click(TREE_OPEN).await;
    page.see(WAR_ROOM).await;
    page.see_text(SESSION_SWITCHER, "main").await;
    page.engineer_writes(&replies, (FILE, "one\nOURS\nthree\n"), ["Write it.", "Ours."]).await;
    page.open_tree().await;
    page.click(TREE_FLAG.with("aria-pressed", "false")).await;
    page.reach(TREE_MERGE).await;
    page.press("Enter").await;
    page.see_text(MERGE_SUMMARY, "1 conflict to decide").await;
    (page, replies)
}

#[wasm_bindgen_test]
async fn a_branch_is_merged_once_its_conflict_is_decided() {
    let (page, replies) = diverged().await;
    page.see_text(MERGE_FIELD, FILE).await;
    let named = ["Merge “other idea” into “main”", "Keep “main”", "Take “other idea”", "Theirs: other idea"];
    let text = page.text(MERGE).await;
    assert!(named.into_iter().all(|name| text.contains(name)), "{text}");
    assert_eq!(page.attributes(MERGE, "aria-label"), [named[0]]);
    assert_eq!(page.count(MERGE_GO.with("disabled", "")), 1, "it can be merged with an open conflict");
    page.click(MERGE_BOTH).await;
    page.see_text(MERGE_SUMMARY, "all conflicts decided").await;
    page.click(MERGE_GO).await;
    page.hidden(MERGE).await;
    page.see_text_in_time(TREE_SPOKEN, "merge").await;
    page.see_text_in_time(TREE_SPOKEN, "head of main").await;
    // A merged branch is not offered again.
    page.click(TREE_FLAG.with("aria-pressed", "false")).await;
    page.see(TREE_OPEN).await;
    page.hidden(TREE_MERGE).await;
    page.go_back().await;
    replies.queue_texts("Critic", &["I see both."]);
    page.ask("critic", "What is there now?", "I see both.").await;
    let text = page.sent("Critic").pop().unwrap().text();
    assert!(text.contains("one\nOURS\nTHEIRS\nthree\nmore"), "{text}");
    assert!(text.contains("“other idea” was merged"), "{text}");
}

#[wasm_bindgen_test]
async fn a_closed_merge_returns_the_focus_and_forgets_its_decisions() {
    let (page, _) = diverged().await;
    page.press("Escape").await;
    page.hidden(MERGE).await;
    page.has_focus(Selector::css("[data-testid=tree-merge]")).await;
    page.press("Enter").await;
    page.reach(MERGE_BOTH).await;
    page.click(MERGE_BOTH).await;
    page.see_text(MERGE_SUMMARY, "all conflicts decided").await;
    page.press("Escape").await;
    page.hidden(MERGE).await;
    page.has_focus(Selector::css("[data-testid=tree-merge]")).await;
    page.press("Enter").await;
    page.see_text(MERGE_SUMMARY, "1 conflict to decide").await;
}

#[wasm_bindgen_test]
async fn lines_edited_by_hand_are_typed_at_once_and_outlive_the_dialog() {
    let (page, _) = diverged().await;
    page.click(Selector::css("[data-testid=merge-write]")).await;
    page.has_focus(MERGE_LINES).await;
    page.fill(MERGE_LINES, "BY HAND\n").await;
    page.press("Escape").await;
    page.hidden(MERGE).await;
    page.has_focus(TREE_MERGE).await;
    page.press("Enter").await;
    page.see_text(MERGE_LINES, "BY HAND").await;
    // Asking for the field again replaces nothing.
    page.click(Selector::css("[data-testid=merge-write]")).await;
    page.has_focus(MERGE_LINES).await;
    assert_eq!(page.text(MERGE_LINES).await, "BY HAND\n");
    page.click(MERGE_TAKE).await;
    page.click(MERGE_GO).await;
    page.hidden(MERGE).await;
    page.until("the merged file", || page.tab.mind().file(FILE) == Some("one\nBY HAND\nthree\nmore\n")).await;
}

/// The Core proposes these lines for the conflict.
fn proposes(text: &str, why: &str) -> Scripted {
    says(&json!({ "proposals": [{ "clash": 1, "text": text, "why": why }] }).to_string())
}

async fn ask_core(page: &MountedPage, answer: Scripted) {
    page.tab.core.borrow_mut().script = Some(Box::new(move |_| answer.clone()));
    page.reach(MERGE_ASK).await;
    page.press("Enter").await;
}

#[wasm_bindgen_test]
async fn a_useless_proposal_of_the_core_is_rejected_with_a_reason() {
    let (page, _) = diverged().await;
    ask_core(&page, proposes("<<<<<<< ours\nOURS\n", "both")).await;
    page.see_text(MERGE_CORE_FAILED, "conflict markers").await;
    assert_eq!(page.count(MERGE_PROPOSAL), 0);
}

#[wasm_bindgen_test]
async fn a_proposal_of_the_core_merges_nothing_until_it_is_accepted() {
    // The program loads this once the page is idle.
    keep_focus();
    let (page, _) = diverged().await;
    let changes = |page: &MountedPage| ["HeadMoved", "MindEdited"].map(|kind| page.logged(kind).len());
    let before = changes(&page);
    ask_core(&page, proposes("<<<<<<< ours\nOURS\n", "both")).await;
    page.see_text(MERGE_CORE_FAILED, "conflict markers").await;
    ask_core(&page, proposes("OURS AND THEIRS\n", "It keeps both.")).await;
    page.see_text(MERGE_WHY, "It keeps both.").await;
    page.see_text(MERGE_LINES, "OURS AND THEIRS").await;
    page.see_text(MERGE_CORE, "1 proposal").await;
    page.see_text(MERGE_CORE, "tokens").await;
    assert_eq!(page.count(MERGE_GO.with("disabled", "")), 1, "it can be merged before approval");
    let prompt = Sent(page.tab.core.borrow().requests.last().unwrap().clone()).text();
    for expected in ["<ours>\nOURS\n", "<theirs>\nTHEIRS\n", "<base>\ntwo\n", FILE, "Write it."] {
        assert!(prompt.contains(expected), "{expected:?} is missing: {prompt}");
    }
    let about_merges = |kind: &str, place: &str| {
        page.logged(kind).iter().filter(|event| event.pointer(place).is_some()).count()
    };
    assert_eq!(
        (about_merges("JobOpened", "/data/task/merge"), about_merges("JobDone", "/data/result/merge")),
        (2, 1),
        "the ledger does not know"
    );
    assert_eq!(changes(&page), before, "asking changed something");

    page.fill(MERGE_LINES, "OURS, SNAPSHOT THEIRS").await;
    page.reach(MERGE_TAKE).await;
    page.press("Enter").await;
    page.see(MERGE_PROPOSAL.with("data-taken", "true")).await;
    page.see_text(MERGE_SUMMARY, "all conflicts decided").await;
    // Closed and reopened: the proposal is kept, and counts only once it is accepted.
    page.press("Escape").await;
    page.hidden(MERGE).await;
    page.has_focus(Selector::css("[data-testid=tree-merge]")).await;
    page.press("Enter").await;
    page.see_text(MERGE_LINES, "OURS AND THEIRS").await;
    page.see(MERGE_PROPOSAL.with("data-taken", "false")).await;
    page.reach(MERGE_TAKE).await;
    page.press("Enter").await;
    page.see_text(MERGE_SUMMARY, "all conflicts decided").await;
    page.reach(MERGE_GO).await;
    page.press("Enter").await;
    page.hidden(MERGE).await;
    page.see_text_in_time(TREE_SPOKEN, "You").await;
    let is_focused = || document().active_element().is_some_and(|it| it.tag_name() != "BODY");
    page.until("the focus to stay", is_focused).await;
    page.go_back().await;
    page.see_text(FILE_EDITOR, "OURS AND THEIRS").await;
    // The Archivist has summed up the other branch by now, which is shown as Markdown.
    let paragraph = Selector::css("[data-role=system] [data-testid=message-text] p");
    page.see_text(paragraph, "What was said.").await;
    // No agent made the merge: it can be forked from, but not regenerated.
    page.open_turn_menu("What was said.").await;
    page.see(TURN_CONTINUE).await;
    assert_eq!(page.count(TURN_AGAIN), 0, "a merge is offered to be regenerated");
    page.press("Escape").await;
    page.hidden(TURN_MENU).await;
    page.see_text(CORE.inner(CORE_USAGE), "calls").await;
}
