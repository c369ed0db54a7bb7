//! Tests of subagents: delegated, asking, stopped, merged and reported, also over a reload.

use nexus_engine::tests::{Scripted, ScriptedChunk, calls, says};
use nexus_model::command::Command;
use serde_json::json;
use wasm_bindgen_test::wasm_bindgen_test;

use crate::e2e::selectors::*;
use crate::mounted_page::MountedPage;
use crate::replies::{Replies, writes};

/// An answer that delegates a task to the Engineer.
fn delegates() -> Scripted {
    let task = json!({ "task": "Write page.html with a heading. Nothing else.", "title": "The page", "agent": "Engineer" });
    calls(&[("delegate", task)])
}

/// Half a text, and nothing more for a minute.
fn half() -> Scripted {
    let mut half = says("Half a rep");
    half.beats.insert(1, ScriptedChunk::Wait(60_000));
    half
}

/// The Engineer works on a delegated page, and has written it but not reported.
async fn working() -> (MountedPage, Replies) {
    let (page, replies) = Replies::open().await;
    replies.queue("Architect", delegates());
    replies.queue_texts("Architect", &["The Engineer is on it."]);
    replies.queue("Engineer", writes("page.html", "<h1>Made by a worker</h1>\n"));
    replies.queue("Engineer", half());
    page.send_to("architect", "See to the page.").await;
    page.see_text(answers_of("architect"), "The Engineer is on it.").await;
    page.see(WORKER_CARD.with("data-state", "working")).await;
    page.until("the worker to report", || page.sent("Engineer").len() == 2).await;
    (page, replies)
}

#[wasm_bindgen_test]
async fn files_of_a_stopped_worker_are_merged_from_its_card() {
    let (page, replies) = working().await;
    replies.queue_texts("Architect", &["It was stopped, then."]);
    assert_eq!(page.count(WORKER_CARD.inner(WORKER_MERGE)), 0, "it can be merged while it works");
    page.reach(WORKER_CARD.inner(WORKER_STOP)).await;
    page.press("Enter").await;
    page.has_focus(COMPOSER).await;
    let ended = WORKER_CARD.with("data-state", "stopped");
    page.see(ended.clone().inner(WORKER_MERGE)).await;
    page.idle().await;
    page.see_count(FILE_TAB, 0).await;
    page.click(ended.clone().inner(WORKER_MERGE)).await;
    page.see_text(MERGE_FIELD, "page.html").await;
    page.click(MERGE_GO).await;
    page.hidden(MERGE).await;
    page.go_back().await;
    page.see_text(FILE_EDITOR, "Made by a worker").await;
    page.see(ended.clone()).await;
    page.hidden(ended.inner(WORKER_MERGE)).await;
}

#[wasm_bindgen_test]
async fn a_worker_waits_after_a_reload_and_reports_once() {
    let (page, replies) = working().await;
    let page = page.reload(replies.script()).await;
    let waiting = WORKER_CARD.with("data-state", "waiting");
    page.see(waiting.clone()).await;
    page.see_count(FILE_TAB, 0).await;
    assert!(page.tab.speakers().is_empty(), "a request was sent without the operator");
    replies.queue_texts("Engineer", &["The page stands."]);
    replies.queue_texts("Architect", &["I have read the report."]);
    page.reach(waiting.inner(WORKER_RESUME)).await;
    page.press("Enter").await;
    page.see_text(answers_of("architect"), "I have read the report.").await;
    page.see(WORKER_CARD.with("data-state", "done")).await;
    page.idle().await;
    page.see_text(FILE_EDITOR, "Made by a worker").await;
    let reports = MESSAGE.with("data-role", "user").with("data-agent", "engineer");
    page.see_count(reports.clone(), 1).await;
    assert_eq!(page.tab.speakers(), ["Engineer", "Architect"]);
    let page = page.reload(replies.script()).await;
    page.see_text(answers_of("architect"), "I have read the report.").await;
    page.see_count(reports, 1).await;
    page.see(WORKER_CARD.with("data-state", "done")).await;
    assert!(page.tab.speakers().is_empty(), "the report was sent twice");
}

/// A worker that asks before it writes.
async fn asking() -> (MountedPage, Replies) {
    let (page, replies) = Replies::open().await;
    let value = json!([{ "agent": "engineer", "tool": "write_file", "ruling": "ask" }]);
    page.tab.send(Command::ChangeSetting { name: "tool_rules".to_owned(), value }).unwrap();
    replies.queue("Architect", delegates());
    replies.queue_texts("Architect", &["The Engineer is on it.", "I have read the report."]);
    replies.queue("Engineer", writes("page.html", "<h1>A draft</h1>\n"));
    replies.queue("Engineer", writes("page.html", "<h1>Made by a worker</h1>\n"));
    replies.queue_texts("Engineer", &["The page stands."]);
    page.send_to("architect", "See to the page.").await;
    let asking = WORKER_CARD.with("data-state", "asking");
    page.see(asking.clone()).await;
    page.see_text(answers_of("architect"), "The Engineer is on it.").await;
    page.see_text(asking.inner(APPROVAL_CARD), "page.html").await;
    (page, replies)
}

#[wasm_bindgen_test]
async fn an_asking_worker_is_answered_in_its_session_and_from_its_parents() {
    let (page, _) = asking().await;
    let main = page.session();
    let worker = page.attributes(WORKER_CARD, "data-session").pop().unwrap();
    // The operator is in another session, is notified there, and gets to the worker and back.
    page.new_session().await;
    page.reach(WORKER_NEED.with("data-session", &worker).inner(WORKER_NEED_OPEN)).await;
    page.press("Enter").await;
    page.see(SESSION_SWITCHER.with("data-session", &worker)).await;
    page.see_text(APPROVAL_CARD, "A draft").await;
    page.see_text(TIMELINE, "Write page.html with a heading.").await;
    page.see(WORKER_BACK).await;
    page.reach(APPROVAL_APPROVE).await;
    page.press("Enter").await;
    page.see_text(APPROVAL_CARD, "Made by a worker").await;
    page.reach(WORKER_BACK_TO).await;
    page.press("Enter").await;
    page.see(SESSION_SWITCHER.with("data-session", &main)).await;

    page.reach(WORKER_CARD.inner(APPROVAL_APPROVE)).await;
    page.press("Enter").await;
    page.see_text(answers_of("architect"), "I have read the report.").await;
    page.see(WORKER_CARD.with("data-state", "done")).await;
    page.idle().await;
    page.see_text(FILE_EDITOR, "Made by a worker").await;
    let report = MESSAGE.with("data-role", "user").with("data-agent", "engineer");
    page.see_text(report, "The page stands.").await;
    let first = &page.sent("Engineer")[0];
    assert!(!first.text().contains("See to the page."), "the worker saw the conversation");
    assert!(first.question().contains("Write page.html"), "the subagent did not receive its task");
    let read = &page.sent("Architect")[2];
    let question = read.question();
    assert!(question.contains("<report") && question.contains("The page stands."), "{question}");
    assert!(read.mind().contains("page.html"), "the files were not merged");

    // Its session is listed below the parent's.
    page.click(SESSION_SWITCHER).await;
    let row = SESSION_ROW.with("data-session", &main);
    page.see_text(row.inner(SESSION_WORKERS), "1 subagent").await;
    assert_eq!(page.count(SESSION_OPEN.with("data-session", &worker)), 0, "it is not in a group");
    page.reach(Selector::css("[data-testid=session-workers] > summary")).await;
    page.click(Selector::css("[data-testid=session-workers] > summary")).await;
    page.reach(SESSION_WORKER.with("data-session", &worker)).await;
    page.press("Enter").await;
    page.see_text(answers_of("engineer"), "The page stands.").await;
}
