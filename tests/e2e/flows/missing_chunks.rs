//! Flows for lazily loaded code that fails to load: offline, or replaced by a new version.

use anyhow::{Result, ensure};

use crate::app;
use crate::fixture::Fixture;
use crate::flows::editor;
use crate::selectors::*;

/// Console messages of a blocked request and of the program that needed its chunk.
const BLOCKED: &str = "Failed to";

/// Without the editor chunk there is a plain field. A screen that fails to load says so and can be retried; nothing
/// else is lost.
pub(crate) async fn screen(fixture: &mut Fixture) -> Result<()> {
    fixture.expect_fault(BLOCKED);
    fixture.page.block(&["/parts/"]).await?;
    fixture.page.goto(&fixture.site.url("/")).await?;
    app::start_fast_demo(&fixture.page, app::PREPARED).await?;
    app::ended(&fixture.page, "critic", "completed", None).await?;
    app::idle(&fixture.page).await?;
    editor::chunk_blocked(fixture).await?;
    fixture.page.block(&["nexus-settings-"]).await?;
    fixture.page.click(OPEN_SETTINGS).await?;
    fixture.page.see(NOT_LOADED).await?;
    fixture.page.click(LOAD_AGAIN).await?;
    fixture.page.see(NOT_LOADED).await?;
    fixture.page.block(&[]).await?;
    fixture.page.click(LOAD_AGAIN).await?;
    fixture.page.see(SETTINGS).await?;
    fixture.page.goto(&fixture.site.url("/")).await?;
    fixture.page.see_text(TIMELINE, app::PREPARED).await
}

/// Without the chunk of commands the first screen works and says what is missing; actions wait and run when the chunk
/// has loaded.
pub(crate) async fn commands(fixture: &mut Fixture) -> Result<()> {
    fixture.expect_fault(BLOCKED);
    fixture.page.block(&["nexus-work-"]).await?;
    fixture.page.goto(&fixture.site.url("/")).await?;
    fixture.page.see(FIRST_START).await?;
    fixture.page.see_text(NOTICE, "A part of Nexus could not be loaded").await?;
    fixture.page.fill(FIRST_OBJECTIVE, app::PREPARED).await?;
    fixture.page.click(FIRST_DEMO).await?;
    fixture.page.click(FIRST_GO).await?;
    ensure!(fixture.page.attributes(WAR_ROOM, "class").await?.is_empty(), "nothing can have begun");
    fixture.page.block(&[]).await?;
    fixture.page.see(WAR_ROOM).await?;
    fixture.page.speed_up_once().await?;
    app::ended(&fixture.page, "architect", "completed", None).await?;
    app::idle(&fixture.page).await?;
    // Without the chunk that reads stored rows the static page stays and says so.
    fixture.page.block(&["nexus-shared-"]).await?;
    fixture.page.goto(&fixture.site.url("/")).await?;
    fixture.page.see_text(Selector::css("#boot-status"), "could not be loaded").await?;
    fixture.page.block(&[]).await?;
    fixture.page.see_text(TIMELINE, app::PREPARED).await
}

/// Without the chunk that connects a model the first start says what is missing, and a retry shows it.
pub(crate) async fn connection(fixture: &mut Fixture) -> Result<()> {
    fixture.expect_fault(BLOCKED);
    fixture.page.block(&["nexus-codecs-"]).await?;
    fixture.page.goto(&fixture.site.url("/")).await?;
    fixture.page.see(FIRST_START).await?;
    fixture.page.click(FIRST_LOCAL).await?;
    let problem = Selector::css(".first-form > .field-problem");
    fixture.page.see_text(problem, "A part of Nexus could not be loaded").await?;
    fixture.page.click(Selector::css("[data-testid=first-cloud]")).await?;
    fixture.page.see_text(NOT_LOADED, "A part of Nexus could not be loaded").await?;
    fixture.page.block(&[]).await?;
    fixture.page.click(LOAD_AGAIN).await?;
    fixture.page.see(PLACE_TAB).await
}
