//! Flows for lazily loaded code that fails to load: offline, or replaced by a new version.

use anyhow::{Result, ensure};

use crate::app;
use crate::flows::editor;
use crate::parts::*;
use crate::stage::Stage;

/// Console messages of a blocked request and of the program that needed its chunk.
const BLOCKED: &str = "Failed to";

/// Without the editor chunk there is a plain field. A screen that fails to load says so and can be retried; nothing
/// else is lost.
pub(crate) async fn screen(stage: &mut Stage) -> Result<()> {
    stage.expect_fault(BLOCKED);
    stage.page.block(&["/parts/"]).await?;
    stage.page.goto(&stage.site.url("/")).await?;
    app::rehearse(&stage.page, app::PREPARED).await?;
    app::ended(&stage.page, "critic", "completed", None).await?;
    app::idle(&stage.page).await?;
    editor::parts_blocked(stage).await?;
    stage.page.block(&["nexus-settings-"]).await?;
    stage.page.click(OPEN_SETTINGS).await?;
    stage.page.see(NOT_LOADED).await?;
    stage.page.click(LOAD_AGAIN).await?;
    stage.page.see(NOT_LOADED).await?;
    stage.page.block(&[]).await?;
    stage.page.click(LOAD_AGAIN).await?;
    stage.page.see(SETTINGS).await?;
    stage.page.goto(&stage.site.url("/")).await?;
    stage.page.see_words(TIMELINE, app::PREPARED).await
}

/// Without the chunk of commands the first screen works and says what is missing; actions wait and run when the chunk
/// has loaded.
pub(crate) async fn work(stage: &mut Stage) -> Result<()> {
    stage.expect_fault(BLOCKED);
    stage.page.block(&["nexus-work-"]).await?;
    stage.page.goto(&stage.site.url("/")).await?;
    stage.page.see(FIRST_START).await?;
    stage.page.see_words(NOTICE, "A part of Nexus could not be loaded").await?;
    stage.page.fill(FIRST_OBJECTIVE, app::PREPARED).await?;
    stage.page.click(FIRST_REHEARSAL).await?;
    stage.page.click(FIRST_GO).await?;
    ensure!(stage.page.attributes(WAR_ROOM, "class").await?.is_empty(), "nothing can have begun");
    stage.page.block(&[]).await?;
    stage.page.see(WAR_ROOM).await?;
    stage.page.hurry_once().await?;
    app::ended(&stage.page, "architect", "completed", None).await?;
    app::idle(&stage.page).await?;
    // Without the chunk that reads stored rows the static page stays and says so.
    stage.page.block(&["nexus-shared-"]).await?;
    stage.page.goto(&stage.site.url("/")).await?;
    stage.page.see_words(Selector::css("#boot-status"), "could not be loaded").await?;
    stage.page.block(&[]).await?;
    stage.page.see_words(TIMELINE, app::PREPARED).await
}
