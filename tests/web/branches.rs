//! Tests of turns: forked, edited, answered again, reset, and looked at as they were.

use leptos::prelude::document;
use nexus_engine::tests::{refuses, says};
use wasm_bindgen_test::wasm_bindgen_test;

use crate::e2e::selectors::*;
use crate::mounted_page::MountedPage;
use crate::replies::Replies;

const FILE: &str = "a.txt";

/// Two turns of the Engineer, each with a version of the file.
async fn two_turns() -> (MountedPage, Replies) {
    let (page, replies) = Replies::open().await;
    page.engineer_writes(&replies, (FILE, "FIRST\n"), ["Begin.", "First written."]).await;
    page.engineer_writes(&replies, (FILE, "SECOND\n"), ["Change it.", "Second written."]).await;
    page.see_text(FILE_EDITOR, "SECOND").await;
    (page, replies)
}

/// The second of two messages was replaced by another.
async fn resent() -> (MountedPage, Replies) {
    let (page, replies) = Replies::open().await;
    page.engineer_writes(&replies, (FILE, "FIRST\n"), ["Begin.", "First written."]).await;
    page.engineer_writes(&replies, (FILE, "LOUD\n"), ["Make it loud.", "Loud now."]).await;
    page.open_turn_menu("Make it loud.").await;
    page.click(TURN_EDIT).await;
    page.hidden(TURN_MENU).await;
    page.see_text(EDIT_TEXT, "Make it loud.").await;
    page.fill(EDIT_TEXT, "Make it quiet.").await;
    replies.queue("Engineer", crate::replies::writes(FILE, "QUIET\n"));
    replies.queue_texts("Engineer", &["Quiet now."]);
    page.click(EDIT_RESEND).await;
    page.see_text(answers_of("engineer"), "Quiet now.").await;
    page.idle().await;
    page.see_text(FILE_EDITOR, "QUIET").await;
    (page, replies)
}

async fn shows(page: &MountedPage, place: &str, answer: &str, file: &str) {
    page.see_text(SIBLING_PLACE, place).await;
    page.see_text(answers_of("engineer"), answer).await;
    page.see_text(FILE_EDITOR, file).await;
}

#[wasm_bindgen_test]
async fn a_fork_goes_on_from_its_turn_and_leaves_the_other_session_as_it_is() {
    let (page, replies) = two_turns().await;
    let main = page.session();
    page.open_turn_menu("First written.").await;
    page.fill(TURN_CONTINUE_NAME, "another way").await;
    page.click(TURN_CONTINUE).await;
    page.hidden(TURN_MENU).await;
    page.see_title("another way").await;
    page.see_text(FILE_EDITOR, "FIRST").await;
    page.see(FORK_MARK).await;
    page.lacks(MESSAGE, "Second written.").await;

    replies.queue_texts("Engineer", &["Another way it is."]);
    page.ask("engineer", "And now?", "Another way it is.").await;
    let prompt = page.sent("Engineer").pop().unwrap().text();
    assert!(prompt.contains("Begin.") && prompt.contains("FIRST"), "the past did not go along: {prompt}");
    assert!(
        !prompt.contains("Change it.") && !prompt.contains("SECOND"),
        "the other branch was sent: {prompt}"
    );
    let fork = page.session();
    page.open_session(&main).await;
    page.see_text(answers_of("engineer"), "Second written.").await;
    page.see_text(FILE_EDITOR, "SECOND").await;
    page.open_session(&fork).await;
    page.see_text(answers_of("engineer"), "Another way it is.").await;

    let mut page = page;
    page.open_next(&fork);
    let page = page.reload(replies.script()).await;
    page.see_text(answers_of("engineer"), "Another way it is.").await;
    page.see_text(MESSAGE, "Begin.").await;
    page.see_text(FILE_EDITOR, "FIRST").await;
    page.open_session(&main).await;
    page.see_text(FILE_EDITOR, "SECOND").await;
}

#[wasm_bindgen_test]
async fn an_edited_message_is_sent_with_its_own_past_only() {
    let (page, _) = resent().await;
    page.hidden(EDIT_TEXT).await;
    let prompt = page.sent("Engineer").into_iter().nth(4).unwrap().text();
    assert!(prompt.contains("Make it quiet.") && prompt.contains("FIRST"), "not on its own past: {prompt}");
    assert!(!prompt.contains("loud") && !prompt.contains("LOUD"), "a sibling was sent: {prompt}");
    shows(&page, "2/2", "Quiet now.", "QUIET").await;
    page.lacks(MESSAGE, "Loud now.").await;
}

#[wasm_bindgen_test]
async fn every_message_of_the_operator_can_be_edited_and_escape_closes_the_menu() {
    let (page, _) = two_turns().await;
    page.see_count(MESSAGE.with("data-role", "user"), 2).await;
    page.see_count(MESSAGE_EDIT, 2).await;
    page.open_turn_menu("Second written.").await;
    page.press("Escape").await;
    page.hidden(TURN_MENU).await;
    page.has_focus(Selector::css("[data-testid=turn-actions]")).await;
}

#[wasm_bindgen_test]
async fn versions_of_a_message_are_switched_with_their_files_and_back() {
    let (page, replies) = resent().await;
    page.click(SIBLING_PREVIOUS).await;
    shows(&page, "1/2", "Loud now.", "LOUD").await;
    page.lacks(MESSAGE, "Quiet now.").await;
    // The switch is announced, and undone.
    page.see_text(NOTICE, "Showing version 1 of 2. Files are as they were there.").await;
    page.click(NOTICE_UNDO).await;
    shows(&page, "2/2", "Quiet now.", "QUIET").await;
    page.click(SIBLING_PREVIOUS).await;
    shows(&page, "1/2", "Loud now.", "LOUD").await;
    let page = page.reload(replies.script()).await;
    shows(&page, "1/2", "Loud now.", "LOUD").await;
    page.click(SIBLING_NEXT).await;
    shows(&page, "2/2", "Quiet now.", "QUIET").await;
}

#[wasm_bindgen_test]
async fn a_session_is_reset_to_a_turn_and_returns_to_its_former_head() {
    let (page, _) = two_turns().await;
    page.open_turn_menu("First written.").await;
    page.click(TURN_BACK).await;
    page.see_text(FILE_EDITOR, "FIRST").await;
    page.lacks(MESSAGE, "Second written.").await;
    page.click(GO_AHEAD).await;
    page.see_text(answers_of("engineer"), "Second written.").await;
    page.see_text(FILE_EDITOR, "SECOND").await;
}

#[wasm_bindgen_test]
async fn another_agent_answers_the_same_question_without_the_first_answer() {
    let (page, replies) = Replies::open().await;
    replies.queue_texts("Engineer", &["I can."]);
    page.ask("engineer", "Who can help?", "I can.").await;
    page.open_turn_menu("I can.").await;
    page.choose(TURN_AGAIN_AGENT, "critic").await;
    replies.queue_texts("Critic", &["I can, too."]);
    page.click(TURN_AGAIN).await;
    page.see_text(answers_of("critic"), "I can, too.").await;
    page.idle().await;
    let prompt = page.sent("Critic")[0].text();
    assert!(prompt.contains("Who can help?") && !prompt.contains("I can."), "{prompt}");
    page.see_text(SIBLING_PLACE, "2/2").await;
    page.lacks(MESSAGE, "I can.").await;
    page.click(SIBLING_PREVIOUS).await;
    page.see_text(answers_of("engineer"), "I can.").await;
    page.see(NOTICE_UNDO).await;

    // With a turn after it, the step can no longer be undone: that would hide the turn.
    replies.queue("Engineer", refuses(400, "No."));
    page.send_to("engineer", "More.").await;
    page.see_text(ERROR_CARD, "No.").await;
    page.hidden(NOTICE_UNDO).await;
    page.idle().await;
}

#[wasm_bindgen_test]
async fn a_message_is_edited_switched_and_forked_by_keys() {
    let (page, replies) = Replies::open().await;
    page.new_session().await;
    replies.queue_texts("Engineer", &["Said.", "Well said."]);
    page.ask("engineer", "Say it.", "Said.").await;
    let main = page.session();
    page.reach(TURN_ACTIONS).await;
    page.press("Enter").await;
    page.see(TURN_MENU).await;
    page.reach(TURN_EDIT).await;
    page.press("Enter").await;
    page.has_focus(Selector::css("[data-testid=edit-text]")).await;
    page.fill(EDIT_TEXT, "Say it well.").await;
    page.press("Enter").await;
    page.has_focus(Selector::css("[data-testid=composer]")).await;
    page.see_text(answers_of("engineer"), "Well said.").await;
    page.idle().await;
    page.reach(SIBLING_PREVIOUS).await;
    page.press("Enter").await;
    page.see_text(SIBLING_PLACE, "1/2").await;
    page.see_text(answers_of("engineer"), "Said.").await;
    page.has_focus(Selector::css("[data-testid=sibling-previous]")).await;
    page.press("ArrowRight").await;
    page.see_text(SIBLING_PLACE, "2/2").await;

    page.reach(TURN_ACTIONS).await;
    page.press("Enter").await;
    page.reach(TURN_CONTINUE).await;
    page.press("Enter").await;
    page.see(FORK_MARK).await;
    page.has_focus(Selector::css("[data-testid=composer]")).await;
    page.reach(SESSION_SWITCHER).await;
    page.press("Enter").await;
    page.has_focus(Selector::css("[data-testid=session-search]")).await;
    page.fill(SESSION_SEARCH, "session 2").await;
    page.press("ArrowDown").await;
    page.has_focus(Selector::css("[data-testid=session-open]")).await;
    page.press("ArrowDown").await;
    let focused = || document().active_element().and_then(|row| row.get_attribute("data-session"));
    page.until("the other row to have the focus", || focused().as_ref() == Some(&main)).await;
    page.press("Enter").await;
    page.hidden(SESSION_LIST).await;
    page.see(SESSION_SWITCHER.with("data-session", &main)).await;
}

/// Checks that the first turn of [`two_turns`] is shown, and nothing later.
async fn shows_the_first_turn(page: &MountedPage) {
    page.see_text(SNAPSHOT_TITLE, "Engineer").await;
    page.see_text(SNAPSHOT_STATUS, "First written.").await;
    page.see_text(SNAPSHOT_MIND, "FIRST").await;
    page.see_text(SNAPSHOT_DIFFERS, "a.txt").await;
    page.lacks(SNAPSHOT_STATUS, "Second written.").await;
}

fn address() -> String {
    document().location().unwrap().search().unwrap()
}

/// [`two_turns`] after another one, with the first turn's snapshot open and half a message typed.
async fn snapshot_of_the_first() -> (MountedPage, usize) {
    let (page, replies) = Replies::open().await;
    replies.queue_texts("Critic", &["Critic is ready."]);
    page.ask("critic", "Ready?", "Critic is ready.").await;
    page.engineer_writes(&replies, (FILE, "FIRST\n"), ["Begin.", "First written."]).await;
    page.engineer_writes(&replies, (FILE, "SECOND\n"), ["Change it.", "Second written."]).await;
    page.fill(COMPOSER, "Half a thought.").await;
    let events = page.tab.events().len();
    page.open_turn_menu("First written.").await;
    page.click(TURN_SNAPSHOT).await;
    page.hidden(TURN_MENU).await;
    shows_the_first_turn(&page).await;
    page.has_focus(Selector::css("[data-testid=snapshot-title]")).await;
    (page, events)
}

#[wasm_bindgen_test]
async fn a_snapshot_is_walked_by_keys_and_changes_nothing() {
    let (page, events) = snapshot_of_the_first().await;
    assert!(address().contains("at="), "{}", address());
    let panes = Selector::css(".panes");
    assert!(page.all(panes)[0].has_attribute("inert"), "the present can be used behind it");
    page.press("ArrowLeft").await;
    page.see_text(SNAPSHOT_TITLE, "Critic").await;
    page.see_text(SNAPSHOT_STATUS, "Critic is ready.").await;
    page.see_text(SNAPSHOT_MIND, "No files").await;
    page.press("ArrowRight").await;
    shows_the_first_turn(&page).await;
    page.press("Escape").await;
    page.hidden(SNAPSHOT).await;
    page.see_text(COMPOSER, "Half a thought.").await;
    page.see_text(FILE_EDITOR, "SECOND").await;
    page.until("the address to be as before", || !address().contains("at=")).await;
    assert_eq!(page.tab.events().len(), events);
}

#[wasm_bindgen_test]
async fn a_snapshot_is_opened_from_the_tree_and_forked() {
    let (page, _) = snapshot_of_the_first().await;
    page.click(SNAPSHOT_RETURN).await;
    page.hidden(SNAPSHOT).await;
    let main = page.session();
    page.open_tree().await;
    page.focus(TREE_PLANE).await;
    page.see_text(TREE_ANSWERED, "Second written.").await;
    page.press("ArrowUp").await;
    page.see_text(TREE_ANSWERED, "First written.").await;
    page.click(TREE_THEN).await;
    shows_the_first_turn(&page).await;
    page.click(SNAPSHOT_CONTINUE).await;
    page.hidden(SNAPSHOT).await;
    page.see(FORK_MARK).await;
    page.see_text(FILE_EDITOR, "FIRST").await;
    page.open_session(&main).await;
    page.see_text(COMPOSER, "Half a thought.").await;
    page.see_text(FILE_EDITOR, "SECOND").await;
}

#[wasm_bindgen_test]
async fn the_history_of_a_session_opens_each_former_head_from_another_session() {
    let (page, replies) = Replies::open().await;
    replies.queue_texts("Architect", &["Architect is ready."]);
    page.ask("architect", "Ready?", "Architect is ready.").await;
    page.engineer_writes(&replies, (FILE, "FIRST\n"), ["Begin.", "First written."]).await;
    page.engineer_writes(&replies, (FILE, "SECOND\n"), ["Change it.", "Second written."]).await;
    let main = page.session();
    page.open_turn_menu("First written.").await;
    page.click(TURN_BACK).await;
    page.see_text(FILE_EDITOR, "FIRST").await;
    page.new_session().await;
    let open_history = async || {
        page.click(SESSION_SWITCHER).await;
        page.click(SESSION_ROW.with("data-session", &main).inner(SESSION_HEADS)).await;
        page.see_count(HEAD_ROW, 4).await;
    };
    open_history().await;
    let rows = page.texts(HEAD_ROW);
    let contains = |at: usize, words: &[&str]| words.iter().all(|words| rows[at].contains(words));
    assert!(contains(0, &["now", "rewound to here", "First written."]), "{rows:?}");
    assert!(contains(1, &["answered", "Engineer", "Second written."]), "{rows:?}");
    assert!(contains(3, &["Architect is ready."]), "{rows:?}");
    assert_eq!(page.count(HEAD_ROW.inner(HEAD_CONTINUE)), 3, "the current head has a button to continue");
    // By keys to the second entry, and its snapshot.
    page.focus(Selector::css("[data-testid=head-open]")).await;
    page.press("ArrowDown").await;
    page.press("Enter").await;
    page.hidden(HEAD_LIST).await;
    page.see_text(SNAPSHOT_STATUS, "Second written.").await;
    page.see_text(SNAPSHOT_MIND, "SECOND").await;
    page.see(SESSION_SWITCHER.with("data-session", &main)).await;
    page.click(SNAPSHOT_RETURN).await;
    page.hidden(SNAPSHOT).await;
    page.see_text(FILE_EDITOR, "FIRST").await;
    // Forked from there.
    open_history().await;
    page.click(HEAD_CONTINUE).await;
    page.hidden(HEAD_LIST).await;
    page.see(FORK_MARK).await;
    page.see_text(FILE_EDITOR, "SECOND").await;
}

fn row(session: &str) -> Selector {
    SESSION_ROW.with("data-session", session)
}

async fn list(page: &MountedPage, filter: &str) {
    page.click(SESSION_FILTER.with("data-filter", filter)).await;
}

/// A session with a message, and an empty one in view, in the list.
async fn two_sessions() -> (MountedPage, Replies, [String; 2]) {
    let (page, replies) = Replies::open().await;
    replies.queue_texts("Engineer", &["I will."]);
    page.ask("engineer", "Remember the heron.", "I will.").await;
    let main = page.session();
    page.new_session().await;
    let second = page.session();
    page.click(SESSION_SWITCHER).await;
    page.see_count(SESSION_ROW, 2).await;
    (page, replies, [main, second])
}

#[wasm_bindgen_test]
async fn a_session_gets_a_free_name_and_an_owner_and_is_found_by_its_name() {
    let (page, replies, [_, second]) = two_sessions().await;
    page.click(row(&second).inner(SESSION_NAME)).await;
    page.choose(SESSION_OWNER, "engineer").await;
    page.fill(SESSION_LABEL, "main").await;
    page.click(SESSION_KEEP).await;
    page.see_text(SESSION_ERROR, "empty or taken").await;
    page.fill(SESSION_LABEL, "birds").await;
    page.click(SESSION_KEEP).await;
    page.hidden(SESSION_LABEL).await;
    page.see_text(row(&second), "birds").await;
    page.fill(SESSION_SEARCH, "BIRD").await;
    page.see_count(SESSION_ROW, 1).await;
    page.fill(SESSION_SEARCH, "").await;
    page.see_count(SESSION_ROW, 2).await;

    let page = page.reload(replies.script()).await;
    page.click(SESSION_SWITCHER).await;
    page.see_text(row(&second), "birds").await;
    page.click(row(&second).inner(SESSION_NAME)).await;
    page.see_text(SESSION_OWNER, "engineer").await;
}

#[wasm_bindgen_test]
async fn renaming_starts_from_the_shown_name_and_returns_the_focus() {
    let (page, _, [main, _]) = two_sessions().await;
    let rename = row(&main).inner(SESSION_NAME);
    page.click(rename.clone()).await;
    page.fill(SESSION_TITLE, "A heron").await;
    page.click(SESSION_KEEP).await;
    page.see_text(row(&main), "A heron").await;
    page.has_focus(rename.clone()).await;
    page.press("Enter").await;
    page.has_focus(SESSION_LABEL).await;
    assert_eq!(page.text(SESSION_LABEL).await, "A heron");
    let all = "document.activeElement.selectionEnd - document.activeElement.selectionStart === 7";
    page.script_is_true(all).await;
    page.press("Enter").await;
    page.has_focus(rename.clone()).await;
    assert_eq!(page.tab.session_row().label, "main", "a name that nobody gave is stored");
    page.press("Enter").await;
    page.has_focus(SESSION_LABEL).await;
    page.press("Escape").await;
    page.has_focus(rename).await;
}

#[wasm_bindgen_test]
async fn archiving_the_session_in_view_opens_another_and_can_be_undone() {
    let (page, _, [main, second]) = two_sessions().await;
    page.reach(row(&second).inner(SESSION_ARCHIVE)).await;
    page.press("Enter").await;
    page.see_count(SESSION_ROW, 1).await;
    page.see(SESSION_SWITCHER.with("data-session", &main)).await;
    list(&page, "Archived").await;
    page.see(row(&second)).await;
    page.reach(row(&second).inner(SESSION_REOPEN)).await;
    page.press("Enter").await;
    page.hidden(row(&second)).await;
    list(&page, "Open").await;
    page.see(row(&second)).await;
}

#[wasm_bindgen_test]
async fn a_closed_session_takes_no_message_and_keeps_what_was_typed() {
    let (page, _, [_, second]) = two_sessions().await;
    page.reach(row(&second).inner(SESSION_END)).await;
    page.press("Enter").await;
    page.hidden(row(&second)).await;
    list(&page, "Archived").await;
    page.see_text(row(&second), "closed").await;
    page.click(SESSION_OPEN.with("data-session", &second)).await;
    page.see(SESSION_SWITCHER.with("data-session", &second)).await;
    page.fill(COMPOSER, "Is anybody there?").await;
    page.click(SEND).await;
    page.see_text(NOTICE, "closed").await;
    page.see_text(COMPOSER, "Is anybody there?").await;
    assert!(page.tab.speakers().len() == 1, "it was sent");
    page.click(SESSION_SWITCHER).await;
    list(&page, "Archived").await;
    page.click(row(&second).inner(SESSION_REOPEN)).await;
    page.hidden(row(&second)).await;
    list(&page, "Open").await;
    page.see(row(&second)).await;
}

#[wasm_bindgen_test]
async fn a_deleted_session_comes_back_by_undo_or_within_seven_days() {
    let (mut page, replies, [main, second]) = two_sessions().await;
    let delete = async |page: &MountedPage| {
        page.reach(row(&main).inner(SESSION_DELETE)).await;
        page.press("Enter").await;
        page.hidden(row(&main)).await;
        page.see(SESSION_SWITCHER.with("data-session", &second)).await;
    };
    delete(&page).await;
    page.reach(SESSION_UNDO).await;
    page.press("Enter").await;
    page.see(row(&main)).await;
    delete(&page).await;

    page.open_next(&second);
    let page = page.reload(replies.script()).await;
    page.see(SESSION_SWITCHER.with("data-session", &second)).await;
    page.click(SESSION_SWITCHER).await;
    page.click(row(&second).inner(SESSION_DELETE)).await;
    page.see_text(SESSION_ERROR, "last open session").await;
    page.reach(SESSION_FILTER.with("data-filter", "Deleted")).await;
    page.press("Enter").await;
    page.see_text(row(&main), "deleted permanently in 7 days").await;
    page.reach(row(&main).inner(SESSION_RESTORE)).await;
    page.press("Enter").await;
    page.hidden(row(&main)).await;
    list(&page, "Open").await;
    page.click(SESSION_OPEN.with("data-session", &main)).await;
    page.see_text(MESSAGE, "Remember the heron.").await;
}

#[wasm_bindgen_test]
async fn a_session_is_renamed_from_its_menu_in_a_dialog_that_then_closes() {
    let (page, _) = Replies::open().await;
    page.click(RAIL_MENU).await;
    page.click(SESSION_RENAME).await;
    page.has_focus(SESSION_LABEL).await;
    page.fill(SESSION_LABEL, "birds").await;
    page.press("Enter").await;
    page.hidden(SESSION_LIST).await;
    page.see_text(RAIL_SESSION, "birds").await;
    page.has_focus(RAIL_MENU).await;
}

#[wasm_bindgen_test]
async fn undo_opens_the_deleted_session_again_unless_another_one_was_opened() {
    let (page, _) = Replies::open().await;
    let main = page.session();
    page.new_session().await;
    let second = page.session();
    page.fill(COMPOSER, "A draft.").await;
    let delete = async || {
        page.click(RAIL_MENU.with("data-session", &second)).await;
        page.click(SESSION_MENU_DELETE).await;
        page.see(SESSION_SWITCHER.with("data-session", &main)).await;
    };
    delete().await;
    page.click(NOTICE_UNDO).await;
    page.see(SESSION_SWITCHER.with("data-session", &second)).await;
    page.see_text(COMPOSER, "A draft.").await;
    delete().await;
    page.click(RAIL_NEW).await;
    page.see_count(RAIL_SESSION, 2).await;
    let third = page.session();
    page.click(NOTICE_UNDO).await;
    page.see_count(RAIL_SESSION, 3).await;
    page.see(SESSION_SWITCHER.with("data-session", &third)).await;
    // The same in the list.
    page.click(SESSION_SWITCHER).await;
    page.click(row(&third).inner(SESSION_DELETE)).await;
    page.until("another session", || page.session() != third).await;
    page.click(SESSION_UNDO).await;
    page.see(SESSION_SWITCHER.with("data-session", &third)).await;
}

#[wasm_bindgen_test]
async fn the_address_of_a_snapshot_shows_it_again_and_an_unknown_turn_is_reported() {
    let (page, _) = snapshot_of_the_first().await;
    let again = |page: &MountedPage| {
        page.tab.kill();
        page.tab.again(|_, _| says("Unasked."))
    };
    let (query, tab) = (address(), again(&page));
    drop(page);
    let page = MountedPage::at(tab, &format!("/{query}")).await;
    shows_the_first_turn(&page).await;
    page.has_focus(Selector::css("[data-testid=snapshot-title]")).await;

    let tab = again(&page);
    drop(page);
    let page = MountedPage::at(tab, "/?at=00000000000000000000000007").await;
    page.see(SNAPSHOT_GONE).await;
    page.click(SNAPSHOT_RETURN).await;
    page.hidden(SNAPSHOT).await;
    page.see_text(FILE_EDITOR, "SECOND").await;
}
