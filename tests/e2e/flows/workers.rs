//! Flows for workers: delegated, asking, merged and reported, also over a reload.

use anyhow::{Context as _, Result, ensure};
use serde_json::json;

use crate::agent_setup;
use crate::app;
use crate::fixture::Fixture;
use crate::flows::keyboard;
use crate::flows::screenshots;
use crate::page::Page;
use crate::provider::{Answer, Gate};
use crate::selectors::*;

/// An answer that delegates this task to the Engineer.
fn gives(title: &str) -> Answer {
    let task = json!({ "task": "Write page.html with a heading. Nothing else.", "title": title, "agent": "Engineer" });
    Answer::new().call("delegate", task)
}

/// An answer that writes a file.
fn writes(name: &str, content: &str) -> Answer {
    Answer::new().call("write_file", json!({ "name": name, "content": content }))
}

/// Takes a screenshot if they are enabled.
async fn picture(page: &Page, name: &str) -> Result<()> {
    screenshots::moment(page, &format!("workers-{name}")).await
}

/// A worker over a reload, a stopped one, and one that asks.
pub(crate) async fn workers(fixture: &mut Fixture) -> Result<()> {
    app::set_up(fixture).await?;
    reload(fixture).await?;
    app::start_over(fixture).await?;
    stopped(fixture).await?;
    app::start_over(fixture).await?;
    report(fixture).await
}

/// A stopped worker: its files are merged from its card.
async fn stopped(fixture: &mut Fixture) -> Result<()> {
    fixture.provider.queue_for("Architect", gives("The page"));
    fixture.provider.queue_for("Architect", Answer::say("The Engineer is on it."));
    fixture.provider.queue_for("Engineer", writes("page.html", "<h1>Made by a worker</h1>\n"));
    fixture.provider.queue_for("Engineer", Answer::new().text("Half a rep").hold(&Gate::new()));
    fixture.provider.queue_for("Architect", Answer::say("It was stopped, then."));
    app::send_to(&fixture.page, "architect", "See to the page.").await?;
    fixture.request_of("Engineer", 2).await?;
    ensure!(
        fixture.page.count(WORKER_CARD.inner(WORKER_MERGE)).await? == 0,
        "it can be merged while it works"
    );
    keyboard::enter(&fixture.page, WORKER_CARD.with("data-state", "working").inner(WORKER_STOP)).await?;
    let ended = WORKER_CARD.with("data-state", "stopped");
    fixture.page.see(ended.clone().inner(WORKER_MERGE)).await?;
    app::idle(&fixture.page).await?;
    fixture.page.see_count(FILE_TAB, 0).await?;
    fixture.page.click(ended.clone().inner(WORKER_MERGE)).await?;
    fixture.page.see_text(MERGE_FIELD, "page.html").await?;
    fixture.page.click(MERGE_GO).await?;
    fixture.page.hidden(MERGE).await?;
    fixture.page.eval("history.back()", &[]).await?;
    fixture.page.see(WAR_ROOM).await?;
    fixture.page.see_text(FILE_EDITOR, "Made by a worker").await?;
    fixture.page.see(ended.clone()).await?;
    fixture.page.hidden(ended.inner(WORKER_MERGE)).await
}

/// A worker asks and is answered in its session and from its parent, by keyboard; its files and report reach the
/// parent; its session is listed below the parent's.
async fn report(fixture: &mut Fixture) -> Result<()> {
    agent_setup::rule(&fixture.page, "engineer", "write_file", "ask").await?;
    fixture.provider.queue_for("Architect", gives("The page"));
    fixture.provider.queue_for("Architect", Answer::say("The Engineer is on it."));
    fixture.provider.queue_for("Engineer", writes("page.html", "<h1>A draft</h1>\n"));
    fixture.provider.queue_for("Engineer", writes("page.html", "<h1>Made by a worker</h1>\n"));
    fixture.provider.queue_for("Engineer", Answer::say("The page stands."));
    fixture.provider.queue_for("Architect", Answer::say("I have read the report."));
    app::send_to(&fixture.page, "architect", "See to the page.").await?;
    let asking = WORKER_CARD.with("data-state", "asking");
    fixture.page.see(asking.clone()).await?;
    fixture.page.see_text(answers_of("architect"), "The Engineer is on it.").await?;
    fixture.page.see_text(asking.clone().inner(APPROVAL_CARD), "page.html").await?;
    picture(&fixture.page, "asking").await?;
    let main = app::session(&fixture.page).await?;
    let worker = fixture.page.attributes(asking.clone(), "data-session").await?.pop().context("no worker")?;

    // The operator is in another session, is notified there, and gets to the worker and back.
    app::new_session(&fixture.page).await?;
    let need = WORKER_NEED.with("data-session", worker.as_str()).inner(WORKER_NEED_OPEN);
    keyboard::enter(&fixture.page, need).await?;
    fixture.page.see(SESSION_SWITCHER.with("data-session", worker.as_str())).await?;
    fixture.page.see_text(APPROVAL_CARD, "A draft").await?;
    fixture.page.see_text(TIMELINE, "Write page.html with a heading.").await?;
    fixture.page.see(WORKER_BACK).await?;
    picture(&fixture.page, "session").await?;
    keyboard::enter(&fixture.page, APPROVAL_APPROVE).await?;
    fixture.page.see_text(APPROVAL_CARD, "Made by a worker").await?;
    keyboard::enter(&fixture.page, WORKER_BACK_TO).await?;
    fixture.page.see(SESSION_SWITCHER.with("data-session", main.as_str())).await?;

    keyboard::enter(&fixture.page, WORKER_CARD.inner(APPROVAL_APPROVE)).await?;
    fixture.page.see_text(answers_of("architect"), "I have read the report.").await?;
    fixture.page.see(WORKER_CARD.with("data-state", "done")).await?;
    app::idle(&fixture.page).await?;
    fixture.page.see_text(FILE_EDITOR, "Made by a worker").await?;
    fixture
        .page
        .see_text(MESSAGE.with("data-role", "user").with("data-agent", "engineer"), "The page stands.")
        .await?;
    picture(&fixture.page, "done").await?;
    let first = fixture.request_of("Engineer", 1).await?;
    ensure!(!first.all_text().contains("See to the page."), "the worker saw the conversation");
    ensure!(first.last_user_text().contains("Write page.html"), "the subagent did not receive its task");
    let read = fixture.request_of("Architect", 3).await?;
    ensure!(read.last_user_text().contains("<report") && read.last_user_text().contains("The page stands."));
    ensure!(read.mind_block().is_some_and(|mind| mind.contains("page.html")), "the files were not merged");

    fixture.page.click(SESSION_SWITCHER).await?;
    let row = SESSION_ROW.with("data-session", main.as_str());
    fixture.page.see_text(row.clone().inner(SESSION_WORKERS), "1 subagent").await?;
    ensure!(
        fixture.page.count(SESSION_OPEN.with("data-session", worker.as_str())).await? == 0,
        "it is not in a group"
    );
    keyboard::enter(&fixture.page, Selector::css("[data-testid=session-workers] > summary")).await?;
    picture(&fixture.page, "list").await?;
    keyboard::enter(&fixture.page, SESSION_WORKER.with("data-session", worker.as_str())).await?;
    fixture.page.see_text(answers_of("engineer"), "The page stands.").await
}

/// The page is closed during a worker: it waits, resumes on request, and reports its result once.
async fn reload(fixture: &mut Fixture) -> Result<()> {
    fixture.provider.queue_for("Architect", gives("The page"));
    fixture.provider.queue_for("Architect", Answer::say("The Engineer is on it."));
    fixture.provider.queue_for("Engineer", writes("page.html", "<h1>Made by a worker</h1>\n"));
    fixture.provider.queue_for("Engineer", Answer::new().text("Half a rep").hold(&Gate::new()));
    app::send_to(&fixture.page, "architect", "See to the page.").await?;
    fixture.page.see_text(answers_of("architect"), "The Engineer is on it.").await?;
    fixture.page.see(WORKER_CARD.with("data-state", "working")).await?;
    fixture.request_of("Engineer", 2).await?;
    fixture.page.reload().await?;
    fixture.page.see(WAR_ROOM).await?;
    let waiting = WORKER_CARD.with("data-state", "waiting");
    fixture.page.see(waiting.clone()).await?;
    fixture.page.see_count(FILE_TAB, 0).await?;
    picture(&fixture.page, "waiting").await?;
    ensure!(fixture.provider.requests().len() == 4, "a request was sent without the operator");
    fixture.provider.queue_for("Engineer", Answer::say("The page stands."));
    fixture.provider.queue_for("Architect", Answer::say("I have read the report."));
    keyboard::enter(&fixture.page, waiting.inner(WORKER_RESUME)).await?;
    fixture.page.see_text(answers_of("architect"), "I have read the report.").await?;
    fixture.page.see(WORKER_CARD.with("data-state", "done")).await?;
    app::idle(&fixture.page).await?;
    fixture.page.see_text(FILE_EDITOR, "Made by a worker").await?;
    let reports = MESSAGE.with("data-role", "user").with("data-agent", "engineer");
    fixture.page.see_count(reports.clone(), 1).await?;
    fixture.page.reload().await?;
    fixture.page.see_text(answers_of("architect"), "I have read the report.").await?;
    fixture.page.see_count(reports, 1).await?;
    fixture.page.see(WORKER_CARD.with("data-state", "done")).await?;
    ensure!(fixture.provider.requests().len() == 6, "the report was sent twice");
    Ok(())
}
