//! Flows for workers: delegated, asking, merged and reported, also over a reload.

use anyhow::{Context as _, Result, ensure};
use serde_json::json;

use crate::app;
use crate::flows::keyboard;
use crate::flows::pictures;
use crate::page::Page;
use crate::parts::*;
use crate::provider::{Answer, Gate};
use crate::stage::Stage;
use crate::team;

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
    pictures::moment(page, &format!("workers-{name}")).await
}

/// A worker over a reload, a stopped one, and one that asks.
pub(crate) async fn workers(stage: &mut Stage) -> Result<()> {
    app::set_up(stage).await?;
    reload(stage).await?;
    app::afresh(stage).await?;
    stopped(stage).await?;
    app::afresh(stage).await?;
    report(stage).await
}

/// A stopped worker: its files are merged from its card.
async fn stopped(stage: &mut Stage) -> Result<()> {
    stage.provider.queue_for("Architect", gives("The page"));
    stage.provider.queue_for("Architect", Answer::say("The Engineer is on it."));
    stage.provider.queue_for("Engineer", writes("page.html", "<h1>Made by a worker</h1>\n"));
    stage.provider.queue_for("Engineer", Answer::new().text("Half a rep").hold(&Gate::new()));
    stage.provider.queue_for("Architect", Answer::say("It was stopped, then."));
    app::say_to(&stage.page, "architect", "See to the page.").await?;
    stage.request_of("Engineer", 2).await?;
    ensure!(stage.page.count(WORKER_CARD.inner(WORKER_MERGE)).await? == 0, "it can be merged while it works");
    keyboard::enter(&stage.page, WORKER_CARD.with("data-state", "working").inner(WORKER_STOP)).await?;
    let ended = WORKER_CARD.with("data-state", "stopped");
    stage.page.see(ended.clone().inner(WORKER_MERGE)).await?;
    app::idle(&stage.page).await?;
    stage.page.see_count(FILE_TAB, 0).await?;
    stage.page.click(ended.clone().inner(WORKER_MERGE)).await?;
    stage.page.see_words(MERGE_FIELD, "page.html").await?;
    stage.page.click(MERGE_GO).await?;
    stage.page.hidden(MERGE).await?;
    stage.page.eval("history.back()", &[]).await?;
    stage.page.see(WAR_ROOM).await?;
    stage.page.see_words(FILE_EDITOR, "Made by a worker").await?;
    stage.page.see(ended.clone()).await?;
    stage.page.hidden(ended.inner(WORKER_MERGE)).await
}

/// A worker asks and is answered in its session and from its parent, by keyboard; its files and report reach the
/// parent; its session is listed below the parent's.
async fn report(stage: &mut Stage) -> Result<()> {
    team::rule(&stage.page, "engineer", "write_file", "ask").await?;
    stage.provider.queue_for("Architect", gives("The page"));
    stage.provider.queue_for("Architect", Answer::say("The Engineer is on it."));
    stage.provider.queue_for("Engineer", writes("page.html", "<h1>A draft</h1>\n"));
    stage.provider.queue_for("Engineer", writes("page.html", "<h1>Made by a worker</h1>\n"));
    stage.provider.queue_for("Engineer", Answer::say("The page stands."));
    stage.provider.queue_for("Architect", Answer::say("I have read the report."));
    app::say_to(&stage.page, "architect", "See to the page.").await?;
    let asking = WORKER_CARD.with("data-state", "asking");
    stage.page.see(asking.clone()).await?;
    stage.page.see_words(answers_of("architect"), "The Engineer is on it.").await?;
    stage.page.see_words(asking.clone().inner(APPROVAL_CARD), "page.html").await?;
    picture(&stage.page, "asking").await?;
    let main = app::session(&stage.page).await?;
    let worker = stage.page.attributes(asking.clone(), "data-session").await?.pop().context("no worker")?;

    // The operator is in another session, is notified there, and gets to the worker and back.
    app::new_session(&stage.page).await?;
    let need = WORKER_NEED.with("data-session", worker.as_str()).inner(WORKER_NEED_OPEN);
    keyboard::enter(&stage.page, need).await?;
    stage.page.see(SESSION_SWITCHER.with("data-session", worker.as_str())).await?;
    stage.page.see_words(APPROVAL_CARD, "A draft").await?;
    stage.page.see_words(TIMELINE, "Write page.html with a heading.").await?;
    stage.page.see(WORKER_BACK).await?;
    picture(&stage.page, "session").await?;
    keyboard::enter(&stage.page, APPROVAL_APPROVE).await?;
    stage.page.see_words(APPROVAL_CARD, "Made by a worker").await?;
    keyboard::enter(&stage.page, WORKER_BACK_TO).await?;
    stage.page.see(SESSION_SWITCHER.with("data-session", main.as_str())).await?;

    keyboard::enter(&stage.page, WORKER_CARD.inner(APPROVAL_APPROVE)).await?;
    stage.page.see_words(answers_of("architect"), "I have read the report.").await?;
    stage.page.see(WORKER_CARD.with("data-state", "done")).await?;
    app::idle(&stage.page).await?;
    stage.page.see_words(FILE_EDITOR, "Made by a worker").await?;
    stage
        .page
        .see_words(MESSAGE.with("data-role", "user").with("data-agent", "engineer"), "The page stands.")
        .await?;
    picture(&stage.page, "done").await?;
    let first = stage.request_of("Engineer", 1).await?;
    ensure!(!first.all_text().contains("See to the page."), "the worker saw the conversation");
    ensure!(first.last_user_text().contains("Write page.html"), "the subagent did not receive its task");
    let read = stage.request_of("Architect", 3).await?;
    ensure!(read.last_user_text().contains("<report") && read.last_user_text().contains("The page stands."));
    ensure!(read.mind_block().is_some_and(|mind| mind.contains("page.html")), "the files were not merged");

    stage.page.click(SESSION_SWITCHER).await?;
    let row = SESSION_ROW.with("data-session", main.as_str());
    stage.page.see_words(row.clone().inner(SESSION_WORKERS), "1 subagent").await?;
    ensure!(
        stage.page.count(SESSION_OPEN.with("data-session", worker.as_str())).await? == 0,
        "it is not in a group"
    );
    keyboard::enter(&stage.page, Selector::css("[data-testid=session-workers] > summary")).await?;
    picture(&stage.page, "list").await?;
    keyboard::enter(&stage.page, SESSION_WORKER.with("data-session", worker.as_str())).await?;
    stage.page.see_words(answers_of("engineer"), "The page stands.").await
}

/// The page is closed during a worker: it waits, resumes on request, and reports its result once.
async fn reload(stage: &mut Stage) -> Result<()> {
    stage.provider.queue_for("Architect", gives("The page"));
    stage.provider.queue_for("Architect", Answer::say("The Engineer is on it."));
    stage.provider.queue_for("Engineer", writes("page.html", "<h1>Made by a worker</h1>\n"));
    stage.provider.queue_for("Engineer", Answer::new().text("Half a rep").hold(&Gate::new()));
    app::say_to(&stage.page, "architect", "See to the page.").await?;
    stage.page.see_words(answers_of("architect"), "The Engineer is on it.").await?;
    stage.page.see(WORKER_CARD.with("data-state", "working")).await?;
    stage.request_of("Engineer", 2).await?;
    stage.page.reload().await?;
    stage.page.see(WAR_ROOM).await?;
    let waiting = WORKER_CARD.with("data-state", "waiting");
    stage.page.see(waiting.clone()).await?;
    stage.page.see_count(FILE_TAB, 0).await?;
    picture(&stage.page, "waiting").await?;
    ensure!(stage.provider.requests().len() == 4, "a request was sent without the operator");
    stage.provider.queue_for("Engineer", Answer::say("The page stands."));
    stage.provider.queue_for("Architect", Answer::say("I have read the report."));
    keyboard::enter(&stage.page, waiting.inner(WORKER_GO_ON)).await?;
    stage.page.see_words(answers_of("architect"), "I have read the report.").await?;
    stage.page.see(WORKER_CARD.with("data-state", "done")).await?;
    app::idle(&stage.page).await?;
    stage.page.see_words(FILE_EDITOR, "Made by a worker").await?;
    let reports = MESSAGE.with("data-role", "user").with("data-agent", "engineer");
    stage.page.see_count(reports.clone(), 1).await?;
    stage.page.reload().await?;
    stage.page.see_words(answers_of("architect"), "I have read the report.").await?;
    stage.page.see_count(reports, 1).await?;
    stage.page.see(WORKER_CARD.with("data-state", "done")).await?;
    ensure!(stage.provider.requests().len() == 6, "the report was sent twice");
    Ok(())
}
