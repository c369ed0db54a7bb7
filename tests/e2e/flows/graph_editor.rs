//! Flow for the graph editor: a built-in graph as a copy, edited by mouse and keys, saved, deleted and restored, run.

use anyhow::{Result, ensure};
use thirtyfour::Key;

use crate::app;
use crate::fixture::Fixture;
use crate::page::Page;
use crate::provider::{Answer, Gate};
use crate::selectors::*;

fn node(key: &str) -> Selector {
    GRAPH_NODE.with("data-node", key)
}

/// Opens a template and waits until the list shows its name again.
pub(crate) async fn open_template(page: &Page, value: &str) -> Result<()> {
    page.select(GRAPH_TEMPLATE_OPEN, value).await
}

pub(crate) async fn edit(fixture: &mut Fixture) -> Result<()> {
    app::set_up(fixture).await?;
    let editor = fixture.site.url("/run/?edit=1");
    fixture.page.goto(&editor).await?;
    let page = &fixture.page;
    page.see_text(GRAPH_PROBLEM, "no nodes").await?;
    open_template(page, "built:0").await?;
    page.see_text(GRAPH_PROBLEM, "The graph is valid").await?;
    let (nodes, edges) = (page.count(GRAPH_NODE).await?, page.count(GRAPH_EDGE).await?);
    ensure!((nodes, edges) != (0, 0), "the template is empty");

    // By keys: add a node after the review, connect and name it; draw an edge by C, arrow keys and Enter.
    page.click(node("review")).await?;
    page.press("a").await?;
    page.see_count(GRAPH_NODE, nodes + 1).await?;
    page.see(node("engineer").with("aria-pressed", "true")).await?;
    page.press(Key::Enter).await?;
    page.fill(GRAPH_KEY, "polish").await?;
    page.press(Key::Tab).await?;
    page.see(node("polish")).await?;
    page.click(node("plan")).await?;
    page.press("c").await?;
    page.press(Key::End).await?;
    page.press(Key::Enter).await?;
    page.see_count(GRAPH_EDGE, edges + 2).await?;
    page.choose(GRAPH_WHEN, "otherwise").await?;

    // An error is shown at its place, and undone.
    page.click(node("polish")).await?;
    page.choose(GRAPH_JOIN, "quorum").await?;
    page.fill(GRAPH_NEEDS, "3").await?;
    page.press(Key::Tab).await?;
    page.see_text(GRAPH_PROBLEM, "waits for 3 of 2 nodes before it").await?;
    page.see(node("polish").with("data-wrong", "true")).await?;
    page.click(GRAPH_UNDO).await?;
    page.see_text(GRAPH_PROBLEM, "The graph is valid").await?;
    page.eval("document.querySelector('.graph-text').open = true", &[]).await?;
    page.see_text(GRAPH_TEXT, "polish  agent.engineer  waits for 1 of 2").await?;

    // By mouse: the handle, then the node; Delete removes the selection.
    page.click(GRAPH_HANDLE.with("data-node", "polish")).await?;
    page.click(node("review")).await?;
    page.see_count(GRAPH_EDGE, edges + 3).await?;
    page.click(GRAPH_UNDO).await?;
    page.see_count(GRAPH_EDGE, edges + 2).await?;
    page.click(node("polish")).await?;
    page.press(Key::Delete).await?;
    page.see_count(GRAPH_NODE, nodes).await?;

    // Saved under a name, it survives a reload; deleted, Undo restores it.
    page.press(Key::Escape).await?;
    page.fill(GRAPH_NAME, "Mine").await?;
    page.press(Key::Tab).await?;
    page.click(GRAPH_SAVE).await?;
    page.see(GRAPH_DELETE).await?;
    fixture.page.reload().await?;
    let page = &fixture.page;
    open_template(page, "own:0").await?;
    page.see_text(GRAPH_NOTE, "Mine").await?;
    page.click(GRAPH_DELETE).await?;
    page.hidden(GRAPH_DELETE).await?;
    page.click(NOTICE_UNDO).await?;
    page.see(GRAPH_DELETE).await?;

    fixture.provider.queue_for("Architect", Answer::say("The plan."));
    // The verifier would soon reject its work: the run stops at the second agent.
    let gate = Gate::new();
    fixture.provider.queue_for("Engineer", Answer::new().text("Built.").hold(&gate));
    page.click(GRAPH_RUN).await?;
    page.fill(GRAPH_START_MESSAGE, "Build a page").await?;
    page.click(GRAPH_START_RUN).await?;
    page.see(RUN_SCREEN.with("data-done", "true")).await?;
    page.see_text(RUN_SUMMARY_LINE, "Mine").await?;
    page.see(RUN_NODE.with("data-node", "plan").with("data-status", "DONE")).await?;
    page.see(RUN_NODE.with("data-node", "build").with("data-status", "RUNNING")).await?;
    fixture.until("requests to both agents", |fixture| fixture.provider.requests().len() == 2).await?;
    Ok(())
}
