//! Tests of messages that wait for the end of a run: shown, changed, sent, held and discarded.

use nexus_engine::tests::{says, trickles};
use wasm_bindgen_test::wasm_bindgen_test;

use crate::e2e::selectors::*;
use crate::mounted_page::MountedPage;
use crate::replies::{Replies, after_a_second};

/// A page whose Engineer works for a second, with these messages behind the first one.
async fn with_queue(texts: &[&str]) -> (MountedPage, Replies) {
    let (page, replies) = Replies::open().await;
    replies.queue("Engineer", after_a_second("Wait", says(" for it.")));
    page.send_to("engineer", "First.").await;
    page.see_text(answers_of("engineer"), "Wait").await;
    for (at, text) in texts.iter().enumerate() {
        page.send_to("engineer", text).await;
        page.see_count(QUEUE_ITEM, at + 1).await;
    }
    (page, replies)
}

/// [`with_queue`] after Stop.
async fn with_held(texts: &[&str]) -> (MountedPage, Replies) {
    let (page, replies) = with_queue(texts).await;
    page.click(STOP).await;
    page.idle().await;
    (page, replies)
}

/// A round whose Architect works for a second, with queued messages of every mode and of the usual one.
async fn with_modes() -> (MountedPage, Replies) {
    let (page, replies) = Replies::open().await;
    replies.queue("Architect", after_a_second("Plan", says(" made.")));
    page.send_to("ALL", "First.").await;
    page.see_text(answers_of("architect"), "Plan").await;
    let queued =
        [("steer", "Keep it small."), ("follow_up", "And a test."), ("collect", "One."), ("collect", "Two.")];
    for (at, (mode, text)) in queued.into_iter().enumerate() {
        page.choose(QUEUE_MODE, mode).await;
        page.send_to("ALL", text).await;
        page.see_count(QUEUE_ITEM, at + 1).await;
    }
    page.send_to("ALL", "As usual.").await;
    page.see_count(QUEUE_ITEM, 5).await;
    (page, replies)
}

#[wasm_bindgen_test]
async fn a_queued_message_is_edited_in_place_and_sent_at_the_end_of_the_run() {
    let (page, replies) = with_queue(&["Second.", "Third."]).await;
    assert_eq!(page.sent("Engineer").len(), 1, "a message did not wait");
    page.fill(COMPOSER, "Not sent yet.").await;
    page.click(QUEUE_ITEM.inner(QUEUE_EDIT)).await;
    page.see_text(QUEUE_TEXT, "Second.").await;
    page.fill(QUEUE_TEXT, "Second, but better.").await;
    page.click(QUEUE_KEEP).await;
    page.hidden(QUEUE_TEXT).await;
    assert_eq!(page.text(COMPOSER).await, "Not sent yet.");
    page.see_text(QUEUE_ITEM, "Second, but better.").await;
    page.click(QUEUE_ITEM.last().inner(QUEUE_WITHDRAW)).await;
    page.see_count(QUEUE_ITEM, 1).await;

    replies.queue("Engineer", says("Better indeed."));
    page.tab.pass(1_000);
    page.see_text(answers_of("engineer"), "Better indeed.").await;
    page.idle().await;
    page.see_count(QUEUE_ITEM, 0).await;
    let sent = page.sent("Engineer");
    assert_eq!(sent.len(), 2);
    assert!(sent[1].question().contains("Second, but better."), "{}", sent[1].question());
    assert!(sent[1].text().contains("Wait for it."), "it was delivered before the end of the run");
    assert!(!sent[1].text().contains("Third."), "a withdrawn message was sent");
}

#[wasm_bindgen_test]
async fn a_message_is_not_sent_while_its_edit_is_open() {
    let (page, replies) = with_queue(&["Old words.", "As it was."]).await;
    page.click(QUEUE_ITEM.inner(QUEUE_EDIT)).await;
    page.see_text(QUEUE_TEXT, "Old words.").await;
    page.click(QUEUE_ITEM.last().inner(QUEUE_EDIT)).await;
    page.see_count(QUEUE_TEXT, 2).await;
    page.tab.pass(1_000);
    page.see_text(answers_of("engineer"), "Wait for it.").await;
    page.idle().await;
    page.see_count(QUEUE_TEXT, 2).await;
    assert_eq!(page.sent("Engineer").len(), 1, "it was sent while it was edited");

    // Over a reload.
    let page = page.reload(replies.script()).await;
    page.see_count(QUEUE_TEXT, 2).await;
    replies.queue("Engineer", says("New indeed."));
    page.fill(QUEUE_ITEM.inner(QUEUE_TEXT), "New words.").await;
    page.click(QUEUE_ITEM.inner(QUEUE_KEEP)).await;
    page.see_text(answers_of("engineer"), "New indeed.").await;
    page.idle().await;
    let sent = page.sent("Engineer");
    assert!(sent[0].question().contains("New words."), "{}", sent[0].question());
    assert!(!sent[0].text().contains("Old words."), "it was sent in its old words");

    // A cancelled edit sends it unchanged.
    replies.queue("Engineer", says("As ever."));
    page.click(QUEUE_ITEM.inner(QUEUE_LEAVE)).await;
    page.see_text(answers_of("engineer"), "As ever.").await;
    let sent = page.sent("Engineer");
    assert!(sent[1].question().contains("As it was."), "{}", sent[1].question());
    page.see_count(QUEUE_ITEM, 0).await;
}

#[wasm_bindgen_test]
async fn an_unfinished_edit_of_a_queued_message_is_shown_after_a_reload() {
    let (page, replies) = with_queue(&["And a test."]).await;
    page.choose(QUEUE_ITEM.inner(QUEUE_ITEM_MODE), "collect").await;
    page.see(QUEUE_ITEM.with("data-mode", "collect")).await;
    page.click(QUEUE_ITEM.inner(QUEUE_EDIT)).await;
    page.see_text(QUEUE_TEXT, "And a test.").await;
    page.fill(QUEUE_TEXT, "And two tests.").await;
    page.tab.pass(900);
    let page = page.reload(replies.script()).await;
    page.see_text(QUEUE_TEXT, "And two tests.").await;
    page.see(QUEUE_ITEM.with("data-mode", "collect")).await;
    page.click(QUEUE_KEEP).await;
    page.hidden(QUEUE_TEXT).await;
    page.see_text(QUEUE_ITEM, "And two tests.").await;
}

#[wasm_bindgen_test]
async fn stop_holds_queued_messages_over_a_reload() {
    let (page, replies) = with_queue(&["One.", "Two.", "Three."]).await;
    page.see_count(QUEUE_HELD, 0).await;
    page.click(STOP).await;
    page.see_text(QUEUE_HELD, "3 queued messages are held").await;
    page.see_count(QUEUE_ITEM.with("data-held", "true"), 3).await;
    page.idle().await;
    let page = page.reload(replies.script()).await;
    page.see_text(QUEUE_HELD, "3 queued messages are held").await;
    page.see_count(QUEUE_ITEM.with("data-held", "true"), 3).await;
}

#[wasm_bindgen_test]
async fn held_messages_do_not_call_a_later_interrupted_run_stopped() {
    let (page, replies) = with_held(&["One."]).await;
    replies.queue("Engineer", after_a_second("Again", says(" for it.")));
    page.send_to("engineer", "Something else.").await;
    page.see_text(answers_of("engineer"), "Again").await;
    let page = page.reload(replies.script()).await;
    page.see(RESUME).await;
    page.see_text(QUEUE_HELD, "1 queued message is held").await;
    page.lacks(QUEUE_HELD, "Stopped").await;
}

#[wasm_bindgen_test]
async fn a_new_message_is_sent_without_the_held_ones() {
    let (page, replies) = with_held(&["One.", "Two."]).await;
    replies.queue("Engineer", says("Alone."));
    page.ask("engineer", "Something else.", "Alone.").await;
    let sent = page.sent("Engineer");
    assert_eq!(sent.len(), 2, "a message was sent automatically");
    assert!(!sent[1].text().contains("One."), "a held message was sent with another one");
    page.see_count(QUEUE_ITEM, 2).await;
}

#[wasm_bindgen_test]
async fn a_held_message_is_sent_alone() {
    let (page, replies) = with_held(&["One.", "Two.", "Three."]).await;
    page.see_text(QUEUE_HELD, "3 queued messages are held").await;
    page.click(QUEUE_ITEM.last().inner(QUEUE_WITHDRAW)).await;
    page.see_text(QUEUE_HELD, "2 queued messages are held").await;
    replies.queue("Engineer", says("The second."));
    page.click(QUEUE_ITEM.last().inner(QUEUE_SEND)).await;
    page.see_text(answers_of("engineer"), "The second.").await;
    page.idle().await;
    let sent = page.sent("Engineer");
    assert_eq!(sent.len(), 2);
    assert!(sent[1].question().contains("Two.") && !sent[1].text().contains("One."), "not that one alone");
    page.see_text(QUEUE_HELD, "1 queued message is held").await;
    page.see_count(QUEUE_SEND, 0).await;
}

#[wasm_bindgen_test]
async fn discarded_messages_are_restored_by_undo() {
    let (page, replies) = with_held(&["Once."]).await;
    page.click(QUEUE_DISCARD_ALL).await;
    page.see_count(QUEUE_ITEM, 0).await;
    page.click_last(NOTICE_UNDO).await;
    page.see_text(QUEUE_HELD, "1 queued message is held").await;
    let page = page.reload(replies.script()).await;
    page.see_text(QUEUE_HELD, "1 queued message is held").await;
    page.see_text(QUEUE_ITEM, "Once.").await;
    page.click(QUEUE_DISCARD_ALL).await;
    page.see_count(QUEUE_ITEM, 0).await;
    assert!(page.sent("Engineer").is_empty());
}

#[wasm_bindgen_test]
async fn all_held_messages_are_sent_at_once() {
    let (page, replies) = with_held(&["Later."]).await;
    replies.queue("Engineer", says("Later it is."));
    page.click(QUEUE_SEND_ALL).await;
    page.see_text(answers_of("engineer"), "Later it is.").await;
    page.see_count(QUEUE_ITEM, 0).await;
    assert!(page.sent("Engineer")[1].question().contains("Later."));
}

#[wasm_bindgen_test]
async fn the_mode_is_chosen_for_one_message_and_can_be_changed() {
    let (page, _) = with_modes().await;
    let modes = page.attributes(QUEUE_ITEM, "data-mode");
    assert_eq!(modes, ["steer", "follow_up", "collect", "collect", "follow_up"]);
    page.choose(QUEUE_ITEM.last().inner(QUEUE_ITEM_MODE), "collect").await;
    page.see_count(QUEUE_ITEM.with("data-mode", "collect"), 3).await;
}

#[wasm_bindgen_test]
async fn a_steering_message_joins_the_next_turn_and_the_others_wait() {
    let (page, replies) = with_modes().await;
    replies.queue("Engineer", trickles(&["Small it is."]));
    page.tab.pass(1_000);
    page.see_text(answers_of("engineer"), "Small it is.").await;
    let steered = &page.sent("Engineer")[0];
    assert!(steered.question().contains("Keep it small."), "{}", steered.question());
    assert!(!steered.text().contains("And a test."), "what waits for the end did not wait");
    page.see_count(QUEUE_ITEM, 4).await;
}

#[wasm_bindgen_test]
async fn interrupting_messages_come_first_then_queued_ones_then_collected_ones_together() {
    let (page, replies) = with_modes().await;
    page.choose(QUEUE_ITEM.last().inner(QUEUE_ITEM_MODE), "collect").await;
    replies.queue("Critic", trickles(&["Hm"]));
    page.tab.pass(1_000);
    page.see_text(answers_of("critic"), "Hm").await;
    let before = page.tab.requests.borrow().len();
    for agent in ["Architect", "Engineer", "Critic"] {
        replies.queue_texts(agent, &["Stopped for this.", "A test.", "All three."]);
    }
    page.choose(QUEUE_MODE, "interrupt").await;
    page.send_to("ALL", "Stop and do this.").await;
    page.see_text(answers_of("critic"), "All three.").await;
    page.idle().await;
    page.see_count(QUEUE_ITEM, 0).await;
    let sent = page.sent("Architect");
    assert_eq!(page.tab.requests.borrow().len(), before + 9, "not three runs of three");
    for (run, (there, not_yet)) in
        [("Stop and do this.", "And a test."), ("And a test.", "As usual.")].into_iter().enumerate()
    {
        let prompt = sent[run + 1].text();
        assert!(prompt.contains(there) && !prompt.contains(not_yet), "run {run}: {there:?}, {not_yet:?}");
    }
    let last = sent[3].text();
    assert!(["One.", "Two.", "As usual."].iter().all(|words| last.contains(words)), "not collected");
}
