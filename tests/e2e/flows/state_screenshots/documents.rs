//! The pictures of the documentation. `cargo xtask screenshots --docs` takes them into `docs/pictures/`.

use anyhow::Result;

use super::{remembered, runs};
use crate::agent_setup;
use crate::app;
use crate::fixture::Fixture;
use crate::flows::runs::open_template;
use crate::flows::screenshots::{document, to_pane};
use crate::provider::Gate;
use crate::selectors::*;

const DESKTOP: (u32, u32) = (1440, 900);
const PHONE: (u32, u32) = (360, 780);

/// What a new visitor sees: the first screen, the demo's run in the war room, on a phone and as a graph, and the
/// graph editor.
pub(crate) async fn demo(fixture: &mut Fixture) -> Result<()> {
    let home = fixture.site.url("/");
    fixture.page.goto(&home).await?;
    fixture.page.see(FIRST_START).await?;
    fixture.page.fill(FIRST_NAME, app::NAME).await?;
    fixture.page.click(FIRST_IDEA.with("title", app::PREPARED)).await?;
    fixture.page.eval("document.activeElement.blur()", &[]).await?;
    document(&fixture.page, "first-screen", DESKTOP).await?;
    runs::demo_run(fixture).await?;
    let page = &fixture.page;
    document(page, "run-graph", DESKTOP).await?;
    page.click(Selector::css("[data-testid=run-edit-graphs]")).await?;
    open_template(page, "built:0").await?;
    page.see_text(GRAPH_PROBLEM, "The graph is valid").await?;
    page.click(GRAPH_NODE.with("data-node", "build")).await?;
    document(page, "graph-editor", DESKTOP).await?;
    fixture.page.goto(&home).await?;
    let page = &fixture.page;
    page.see(CHANGES_SUMMARY).await?;
    page.click(FILE_TAB.with("data-file", "index.html")).await?;
    page.eval("document.querySelector('[data-testid=timeline-newest]')?.click()", &[]).await?;
    document(page, "war-room", DESKTOP).await?;
    page.resize(PHONE.0, PHONE.1).await?;
    to_pane(page, "timeline").await?;
    document(page, "phone", PHONE).await
}

/// Screens that need models: a comparison of two, memories, and the settings.
pub(crate) async fn models(fixture: &mut Fixture) -> Result<()> {
    let gate = Gate::new();
    runs::compared(fixture, &gate).await?;
    fixture.page.click(RACE_START).await?;
    gate.open();
    fixture.page.see(RACE.with("data-waits", "true")).await?;
    document(&fixture.page, "compare-models", DESKTOP).await?;
    fixture.provider.reset();
    remembered(fixture).await?;
    document(&fixture.page, "memories", DESKTOP).await?;
    agent_setup::open_settings(&fixture.page).await?;
    document(&fixture.page, "settings", DESKTOP).await
}
