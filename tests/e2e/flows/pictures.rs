//! The pictures of the documentation, and those that people look at before they call a screen done. Never judges
//! one.

use std::env;
use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};
use thirtyfour::Key;

use crate::app;
use crate::parts::*;
use crate::stage::Stage;

/// Wide, ultrawide, and a small telephone, in pixels.
const SIZES: [(u32, u32); 3] = [(1440, 900), (2560, 1080), (360, 780)];

/// The folder that `NEXUS_SCREENSHOTS` names. Without it this flow is not played.
pub(crate) fn folder() -> Option<PathBuf> {
    env::var_os("NEXUS_SCREENSHOTS").map(PathBuf::from)
}

/// First start, war room and settings, dark and light, in all sizes.
pub(crate) async fn take(stage: &mut Stage) -> Result<()> {
    let folder = folder().context("NEXUS_SCREENSHOTS names no folder")?;
    fs::create_dir_all(&folder)?;
    let home = stage.site.url("/");
    stage.page.goto(&home).await?;
    stage.page.see(FIRST_START).await?;
    for theme in ["dark", "light"] {
        // The first start has no theme of its own to choose: it follows the one that is kept.
        stage.page.set_local("nexus_boot", &format!("{{\"theme\":\"{theme}\"}}")).await?;
        stage.page.reload().await?;
        stage.page.see(FIRST_START).await?;
        take_all_sizes(stage, &folder, "first-start", theme).await?;
    }
    app::rehearse(&stage.page, "A page with a countdown timer for tea").await?;
    app::ended(&stage.page, "critic", "completed", None).await?;
    app::idle(&stage.page).await?;
    // The page still looks as it was started, light; choosing what is chosen already would change nothing.
    for theme in ["light", "dark"] {
        stage.page.click(OPEN_SETTINGS).await?;
        stage.page.choose(THEME_SELECT, theme).await?;
        take_all_sizes(stage, &folder, "settings", theme).await?;
        stage.page.eval("history.back()", &[]).await?;
        stage.page.see(WAR_ROOM).await?;
        take_all_sizes(stage, &folder, "war-room", theme).await?;
        stage.page.press(Key::Control + "k").await?;
        stage.page.see(PALETTE_INPUT).await?;
        take_all_sizes(stage, &folder, "palette", theme).await?;
        stage.page.press("run").await?;
        take_all_sizes(stage, &folder, "palette-run", theme).await?;
        stage.page.press(Key::Escape).await?;
        stage.page.eval("document.activeElement?.blur()", &[]).await?;
        stage.page.press("?").await?;
        stage.page.see(KEY_SHEET).await?;
        take_all_sizes(stage, &folder, "keys", theme).await?;
        stage.page.press(Key::Escape).await?;
        stage.page.gone(KEY_SHEET).await?;
    }
    Ok(())
}

async fn take_all_sizes(stage: &Stage, folder: &std::path::Path, screen: &str, theme: &str) -> Result<()> {
    for (width, height) in SIZES {
        stage.page.resize(width, height).await?;
        // From the top. Two frames: one in which the layout follows, one in which it is painted.
        stage
            .page
            .eval_async(
                "scrollTo(0, 0); for (const _ of [1, 2]) await new Promise(requestAnimationFrame)",
                &[],
            )
            .await?;
        stage.page.screenshot(&folder.join(format!("{screen}-{theme}-{width}x{height}.png"))).await?;
    }
    let (width, height) = SIZES[0];
    stage.page.resize(width, height).await
}
