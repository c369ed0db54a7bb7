//! The pictures of the documentation. `cargo xtask screenshots --docs` takes them into `docs/pictures/`.

use anyhow::Result;

use super::{remembered, runs};
use crate::app;
use crate::flows::graph_editor::open_template;
use crate::flows::pictures::{document, to_pane};
use crate::parts::*;
use crate::provider::Gate;
use crate::stage::Stage;
use crate::team;

const DESKTOP: (u32, u32) = (1440, 900);
const PHONE: (u32, u32) = (360, 780);

/// What a new visitor sees: the first screen, the demo's run in the war room, on a phone and as a graph, and the
/// graph editor.
pub(crate) async fn demo(stage: &mut Stage) -> Result<()> {
    let home = stage.site.url("/");
    stage.page.goto(&home).await?;
    stage.page.see(FIRST_START).await?;
    stage.page.fill(FIRST_NAME, app::NAME).await?;
    stage.page.click(FIRST_IDEA.with("title", app::PREPARED)).await?;
    stage.page.eval("document.activeElement.blur()", &[]).await?;
    document(&stage.page, "first-screen", DESKTOP).await?;
    runs::demo_run(stage).await?;
    let page = &stage.page;
    document(page, "run-graph", DESKTOP).await?;
    page.click(Selector::css("[data-testid=run-edit-graphs]")).await?;
    open_template(page, "built:0").await?;
    page.see_words(GRAPH_PROBLEM, "The graph is valid").await?;
    page.click(GRAPH_NODE.with("data-node", "build")).await?;
    document(page, "graph-editor", DESKTOP).await?;
    stage.page.goto(&home).await?;
    let page = &stage.page;
    page.see(CHANGES_TOLD).await?;
    page.click(FILE_TAB.with("data-file", "index.html")).await?;
    page.eval("document.querySelector('[data-testid=timeline-newest]')?.click()", &[]).await?;
    document(page, "war-room", DESKTOP).await?;
    page.resize(PHONE.0, PHONE.1).await?;
    to_pane(page, "timeline").await?;
    document(page, "phone", PHONE).await
}

/// Screens that need models: a comparison of two, memories, and the settings.
pub(crate) async fn models(stage: &mut Stage) -> Result<()> {
    let gate = Gate::new();
    runs::compared(stage, &gate).await?;
    stage.page.click(RACE_START).await?;
    gate.open();
    stage.page.see(RACE.with("data-waits", "true")).await?;
    document(&stage.page, "compare-models", DESKTOP).await?;
    stage.provider.begin_anew();
    remembered(stage).await?;
    document(&stage.page, "memories", DESKTOP).await?;
    team::open_settings(&stage.page).await?;
    document(&stage.page, "settings", DESKTOP).await
}
