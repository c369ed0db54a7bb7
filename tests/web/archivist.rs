//! Tests of the Archivist: its jobs, session summaries and memories, and compaction.

use nexus_engine::tests::{Scripted, calls, refuses, says};
use nexus_model::command::Command;
use nexus_model::limits::MAINTENANCE_DELAY_MS;
use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;

use crate::e2e::selectors::*;
use crate::mounted_page::MountedPage;
use crate::replies::{Replies, after_a_second, writes};

const FACT: &str = "Ada prefers tabs over spaces.";
const SUMMARY: &str = "The operator wants it blue; a.txt is done.";

/// The Archivist gives this answer from now on.
fn archivist_says(page: &MountedPage, answer: Scripted) {
    page.tab.archivist.borrow_mut().script = Some(Box::new(move |_| answer.clone()));
}

/// An answer with a summary and these memories.
fn noted(memories: &Value) -> Scripted {
    let whole = json!({
        "title": "A page", "summary": "Ada wants a page.", "keywords": ["page"], "memories": memories,
    });
    says(&whole.to_string())
}

fn fact(content: &str) -> Value {
    json!({ "content": content, "importance": 4, "message": 1 })
}

/// The Critic is asked, and the Archivist does what follows from it.
async fn exchange(page: &MountedPage, replies: &Replies, text: &str) {
    let answer = format!("Heard: {text}");
    replies.queue_texts("Critic", &[&answer]);
    page.ask("critic", text, &answer).await;
    page.tab.pass(4 * MAINTENANCE_DELAY_MS);
    page.settle().await;
}

/// A page whose Archivist gives this answer after each exchange, with its view open after two.
async fn kept(answer: Scripted) -> (MountedPage, Replies) {
    let (page, replies) = Replies::open().await;
    archivist_says(&page, answer);
    // One exchange is not searched for memories.
    exchange(&page, &replies, "Is it done?").await;
    exchange(&page, &replies, "Anything else?").await;
    page.click(FACE_MEMORIES).await;
    (page, replies)
}

/// The text of the last request to the Architect, which is asked this.
async fn last_prompt(page: &MountedPage, replies: &Replies, text: &str) -> String {
    let answer = format!("Heard: {text}");
    replies.queue_texts("Architect", &[&answer]);
    page.ask("architect", text, &answer).await;
    page.sent("Architect").pop().unwrap().text()
}

#[wasm_bindgen_test]
async fn an_answer_that_is_no_json_is_reported_and_makes_nothing() {
    let (page, _) = kept(says("I made a note of all that.")).await;
    let failed = PASS.with("data-state", "failed");
    page.see(failed.clone().with("data-kind", "summary")).await;
    page.see(failed.clone().with("data-kind", "memory")).await;
    page.see_text(failed.inner(PASS_FAILURE), "The answer is not JSON.").await;
    page.see_text(CHORE_FAILED, "The answer is not JSON.").await;
    assert_eq!(page.count(SESSION_TITLE), 0, "something was made of it");
    page.click(SESSION_SWITCHER).await;
    page.see(SESSION_OPEN).await;
    assert_eq!(page.count(SESSION_OPEN), 1, "the list shows the session of the jobs");
}

#[wasm_bindgen_test]
async fn a_job_opens_in_the_inspector_and_in_the_event_log() {
    let (page, _) = kept(noted(&json!([]))).await;
    page.see_text(SESSION_TITLE, "A page").await;
    let done = PASS.with("data-kind", "summary").with("data-state", "done");
    page.see_text(done.clone(), "done").await;
    page.click(done.clone().inner(PASS_INSPECT)).await;
    page.see_text(INSPECT_HEAD, "Archivist").await;
    page.see(INSPECT_AGREES.with("data-agrees", "yes")).await;
    page.open_sections().await;
    page.see_text(INSPECT_REQUEST, "Is it done?").await;
    // The raw response, in chunks.
    page.see_text(INSPECT_RESPONSE, "wants ").await;
    page.go_back().await;
    page.click(FACE_MEMORIES).await;
    page.click(done.inner(PASS_AUDIT)).await;
    page.tab.pass(2_000);
    page.see_text(AUDIT_ROW, "for a summary of the session").await;
    page.see_text(AUDIT_ROW, "Archivist of ").await;
    // In the filters by agent and session.
    let shown = page.visible_text();
    assert!(shown.contains("\nArchivist: Summary\n") && shown.contains("\nArchivist of "), "{shown}");
}

#[wasm_bindgen_test]
async fn memories_are_searched() {
    let (page, _) = kept(noted(&json!([fact(FACT)]))).await;
    page.see_text(SESSION_SUMMARY, "Ada wants a page.").await;
    page.see_text(SESSION_TITLE, "A page").await;
    page.see_text(MEMORY_CONTENT, FACT).await;
    page.fill(MEMORY_SEARCH, "spaces").await;
    page.see_text(MEMORY_COUNT, "1 memory").await;
    page.fill(MEMORY_SEARCH, "nothing like it").await;
    page.hidden(MEMORY).await;
    page.fill(MEMORY_SEARCH, "").await;
    page.see(MEMORY).await;
}

#[wasm_bindgen_test]
async fn a_memory_is_in_the_next_request_and_the_inspector_shows_it() {
    let (page, replies) = kept(noted(&json!([fact(FACT)]))).await;
    page.see(MEMORY).await;
    let prompt = last_prompt(&page, &replies, "one").await;
    assert!(prompt.contains("<memories>") && prompt.contains(FACT), "{prompt}");
    page.click_last(INSPECT_TURN).await;
    page.see_text(INSPECT_CONTEXT, "1 memory").await;
    page.open_sections().await;
    page.see_text(INSPECT_CONTEXT, FACT).await;
}

#[wasm_bindgen_test]
async fn a_memory_is_edited_pinned_deleted_and_restored() {
    let (page, replies) = kept(noted(&json!([fact(FACT)]))).await;
    page.see(MEMORY).await;
    page.enter(MEMORY_CONTENT, "Ada prefers four spaces.").await;
    page.choose(MEMORY_SCOPE, "operator").await;
    page.reach(MEMORY_PIN).await;
    page.press("Enter").await;
    page.see(MEMORY.inner(MEMORY_PIN).with("aria-pressed", "true")).await;
    let prompt = last_prompt(&page, &replies, "two").await;
    assert!(prompt.contains("four spaces") && !prompt.contains(FACT), "{prompt}");
    page.reach(MEMORY_DELETE).await;
    page.press("Enter").await;
    page.see(MEMORY.with("data-here", "false")).await;
    let prompt = last_prompt(&page, &replies, "three").await;
    assert!(!prompt.contains("four spaces"), "the deleted text was sent: {prompt}");
    page.reach(MEMORY_RESTORE).await;
    page.press("Enter").await;
    page.see(MEMORY.with("data-here", "true")).await;

    let page = page.reload(replies.script()).await;
    page.click(FACE_MEMORIES).await;
    page.see_text(SESSION_TITLE, "A page").await;
    page.see_text(MEMORY_CONTENT, "Ada prefers four spaces.").await;
    page.reach(MEMORY_SOURCE).await;
    page.press("Enter").await;
    page.has_focus(Selector::css("[data-testid=message]")).await;
}

#[wasm_bindgen_test]
async fn changes_of_memories_by_the_archivist_are_shown_and_undone() {
    let (page, replies) = kept(noted(&json!([fact("Ada uses Windows."), fact("Ada likes tea.")]))).await;
    page.see_count(MEMORY, 2).await;
    let ids = page.attributes(MEMORY, "data-memory");
    let short = |at: usize| ids[at].chars().skip(ids[at].len() - 8).collect::<String>();
    let changes = json!([
        { "action": "retire", "id": short(0), "message": 1 }, { "action": "widen", "id": short(1), "message": 1 },
    ]);
    archivist_says(&page, noted(&changes));
    exchange(&page, &replies, "two").await;
    exchange(&page, &replies, "three").await;
    page.see_text(MEMORY_REVISION, "Retired by the Archivist").await;
    page.see_text(MEMORY_REVISION, "visible in all sessions").await;
    page.reach(MEMORY_UNDO).await;
    page.press("Enter").await;
    page.see_count(MEMORY_REVISION, 1).await;
    page.reach(MEMORY_UNDO).await;
    page.press("Enter").await;
    page.hidden(MEMORY_REVISION).await;
    page.see_count(MEMORY.with("data-here", "true"), 2).await;
}

/// What unfolds a compaction in the timeline.
const MARK: &str = "[data-testid=compaction] > summary";

/// A page whose Architect has a context window of this many tokens.
async fn small_window(tokens: u64) -> (MountedPage, Replies) {
    let (page, replies) = Replies::open().await;
    let mut agent = page.tab.world().agent(&"architect".into()).unwrap().as_ref().clone();
    agent.config.context_tokens = Some(tokens);
    page.tab.send(Command::ChangeAgent { agent }).unwrap();
    (page, replies)
}

/// A question to the Architect with a long answer. Returns the last request.
async fn long_exchange(page: &MountedPage, replies: &Replies, number: usize) -> String {
    let answer = format!("Answer {number}. {}", "so many words ".repeat(280));
    replies.queue_texts("Architect", &[&answer]);
    page.ask("architect", &format!("Question {number}, please."), &format!("Answer {number}.")).await;
    page.sent("Architect").pop().unwrap().text()
}

#[wasm_bindgen_test]
async fn older_turns_are_summarised_when_the_window_is_nearly_full() {
    let (page, replies) = small_window(9_000).await;
    archivist_says(&page, says(SUMMARY));
    let (mut number, mut prompt) = (0, String::new());
    while page.count(COMPACTION) == 0 {
        number += 1;
        assert!(number < 12, "the window never filled");
        prompt = long_exchange(&page, &replies, number).await;
    }
    page.see(COMPACTION.with("data-state", "done")).await;
    assert!(prompt.contains(SUMMARY), "the summary is not in the request: {prompt}");
    assert!(prompt.contains(&format!("Question {number}, please.")), "the question was cut: {prompt}");
    assert!(prompt.contains(&format!("Answer {}.", number - 1)), "a recent turn is missing: {prompt}");
    assert!(!prompt.contains("Answer 1."), "a summarised turn is still sent: {prompt}");
    let summarised = page.tab.archivist.borrow().requests.last().unwrap().to_string();
    assert!(summarised.contains("Answer 1."), "{summarised}");
    // The whole history stays above the mark.
    page.see_text(answers_of("architect"), "Answer 1.").await;
    page.see_text(COMPACTION, "the context was nearly full").await;
    page.click(Selector::css(MARK)).await;
    page.see_text(COMPACTION_SUMMARY, SUMMARY).await;
    page.see(agent_card("architect").inner(GAUGE)).await;

    let page = page.reload(replies.script()).await;
    page.see(COMPACTION.with("data-state", "done")).await;
    let prompt = long_exchange(&page, &replies, number + 1).await;
    assert!(prompt.contains(SUMMARY) && !prompt.contains("Answer 1."), "after the reload: {prompt}");
    assert!(prompt.contains(&format!("Answer {number}.")), "a later turn is missing: {prompt}");
}

/// Compacts with this focus, by the gauge of the Architect's card.
async fn compact(page: &MountedPage, focus: &str) {
    let card = agent_card("architect");
    if page.count(card.clone().inner(COMPACT_FOCUS)) == 0 {
        page.reach(card.clone().inner(GAUGE)).await;
        page.press("Enter").await;
    }
    page.reach(card.inner(COMPACT_FOCUS)).await;
    page.fill(COMPACT_FOCUS, focus).await;
    page.click(Selector::css("[data-testid=compact]")).await;
}

#[wasm_bindgen_test]
async fn the_operator_compacts_with_a_focus_and_a_failure_keeps_the_conversation() {
    let (page, replies) = small_window(100_000).await;
    for number in 1..=3 {
        long_exchange(&page, &replies, number).await;
    }
    // Three turns are always kept.
    compact(&page, "colours").await;
    page.see_text(agent_card("architect").inner(GAUGE_ERROR), "Nothing to compact").await;
    for number in 4..=5 {
        long_exchange(&page, &replies, number).await;
    }
    archivist_says(&page, refuses(400, "No summaries today."));
    compact(&page, "").await;
    page.see(COMPACTION.with("data-state", "failed")).await;
    page.reach(Selector::css(MARK)).await;
    page.click(Selector::css(MARK)).await;
    page.see_text(COMPACTION, "No summaries today.").await;

    archivist_says(&page, says(SUMMARY));
    compact(&page, "the colours").await;
    page.see(COMPACTION.with("data-state", "done")).await;
    let request = page.tab.archivist.borrow().requests.last().unwrap().to_string();
    assert!(request.contains("the colours"), "the focus is missing: {request}");
    let prompt = long_exchange(&page, &replies, 6).await;
    assert!(prompt.contains(SUMMARY) && !prompt.contains("Answer 1."), "{prompt}");
}

#[wasm_bindgen_test]
async fn a_stopped_compaction_leaves_the_keyboard_in_the_message_box() {
    let (page, replies) = small_window(100_000).await;
    for number in 1..=5 {
        long_exchange(&page, &replies, number).await;
    }
    archivist_says(&page, after_a_second("Never. ", says(SUMMARY)));
    compact(&page, "").await;
    page.see(COMPACTION.with("data-state", "working")).await;
    page.reach(Selector::css("[data-testid=compaction-stop]")).await;
    page.press("Enter").await;
    page.see(COMPACTION.with("data-state", "failed")).await;
    page.has_focus(COMPOSER).await;
}

#[wasm_bindgen_test]
async fn a_window_that_fills_within_a_turn_is_compacted_between_two_calls() {
    let (page, replies) = small_window(28_000).await;
    for name in ["a.txt", "b.txt", "c.txt"] {
        let lines = "a line of words that fills\n".repeat(560);
        replies.queue("Architect", writes(name, &format!("{name} begins\n{lines}{name} ends\n")));
        let answer = format!("{name} is written.");
        replies.queue_texts("Architect", &[&answer]);
        page.ask("architect", &format!("Write {name}, please."), &answer).await;
    }
    // The newest turns are kept, so the long ones are summarised.
    for number in 1..=3 {
        long_exchange(&page, &replies, number).await;
    }
    assert_eq!(page.count(COMPACTION), 0, "it was full before");
    archivist_says(&page, says(SUMMARY));
    for name in ["a.txt", "b.txt", "a.txt", "c.txt"] {
        replies.queue("Architect", calls(&[("read_file", json!({ "name": name }))]));
    }
    replies.queue_texts("Architect", &["All of it is read."]);
    page.ask("architect", "Read all of it, please.", "All of it is read.").await;
    let last = page.sent("Architect").pop().unwrap();
    assert!(last.text().contains(SUMMARY), "the summary is not in the last request of the turn");
    assert!(last.text().contains("Read all of it, please."), "the question was cut");
    let newest = last.results().last().unwrap().to_string();
    assert!(newest.contains("c.txt begins") && newest.contains("c.txt ends"), "the newest is not whole");
    assert!(last.0.to_string().contains("given_in_short"), "nothing is in short");
    page.see(COMPACTION.with("data-state", "done")).await;
    assert_eq!(page.count(COMPACTION), 1);

    page.click_last(INSPECT_TURN).await;
    page.see_text(INSPECT_SUMMARY, "shortened").await;
    page.see_text(INSPECT_CONTEXT, "Summary of older turns").await;
    assert_eq!(page.count(INSPECT_AGREES.with("data-agrees", "no")), 0, "a request was built otherwise");
    page.open_sections().await;
    page.see_text(INSPECT_LEFT_OUT, "a.txt ends").await;
}
