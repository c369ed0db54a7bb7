//! Screenshots for the documentation and for visual review. Asserts nothing about the pictures.

use std::env;
use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};
use nexus_model::mind::blob::bytes_of;
use serde_json::json;
use thirtyfour::Key;

use crate::app;
use crate::fixture::Fixture;
use crate::flows::settings::section_ids;
use crate::flows::{preview, voice};
use crate::page::Page;
use crate::selectors::*;

/// Wide and small phone, in pixels.
const SIZES: [(u32, u32); 2] = [(1440, 900), (360, 780)];
/// A third size for the war room and the tree.
const ULTRAWIDE: (u32, u32) = (3440, 1440);

/// Sets the theme and scrolls an element to the top. Waits two frames: layout and paint.
const DRESS: &str = "document.documentElement.dataset.theme = arguments[0];
    if (arguments[1]) document.querySelector(arguments[1])?.scrollIntoView();
    for (const _ of [1, 2]) await new Promise(requestAnimationFrame);
    for (const one of document.getAnimations()) {
        if (one.effect?.getComputedTiming().iterations === 1) one.finish();
    }
    await new Promise(requestAnimationFrame)";

/// The folder of `NEXUS_SCREENSHOTS`. Without it this flow does not run.
pub(crate) fn folder() -> Option<PathBuf> {
    env::var_os("NEXUS_SCREENSHOTS").map(PathBuf::from)
}

/// Takes a screenshot of the documentation: the current view in the dark theme at this size.
pub(crate) async fn document(page: &Page, name: &str, (width, height): (u32, u32)) -> Result<()> {
    page.resize(width, height).await?;
    page.eval_async(DRESS, &[json!("dark"), json!(null)]).await?;
    let wanted = json!({ "format": "webp", "quality": 80 });
    let taken = page.protocol("Page.captureScreenshot", wanted).await?;
    let bytes = taken.get("data").and_then(|data| bytes_of(data.as_str()?)).context("no picture")?;
    let folder = folder().context("NEXUS_SCREENSHOTS names no folder")?;
    Ok(fs::write(folder.join(format!("{name}.webp")), bytes)?)
}

/// Takes screenshots in another flow, if they are enabled.
pub(crate) async fn moment(page: &Page, name: &str) -> Result<()> {
    moment_at(page, name, None).await
}

/// The same, scrolled to an element.
pub(crate) async fn moment_at(page: &Page, name: &str, selector: Option<&str>) -> Result<()> {
    match folder() {
        Some(folder) => Album::new(folder).add_at(page, name, selector).await,
        None => Ok(()),
    }
}

/// Every screen and panel in both themes, wide and on a phone.
pub(crate) async fn take(fixture: &mut Fixture) -> Result<()> {
    let folder = folder().context("NEXUS_SCREENSHOTS names no folder")?;
    fs::create_dir_all(&folder)?;
    // A fake replaces the missing speech recognition.
    fixture.page.in_every_document(voice::STAND_IN).await?;
    let home = fixture.site.url("/");
    fixture.page.goto(&home).await?;
    fixture.page.see(FIRST_START).await?;
    let album = Album::new(folder);
    album.add(&fixture.page, "first-start").await?;
    app::start_fast_demo(&fixture.page, app::PREPARED).await?;
    app::ended(&fixture.page, "critic", "completed", None).await?;
    app::idle(&fixture.page).await?;
    let wide = album.with_ultrawide();
    wide.add(&fixture.page, "war-room").await?;
    to_pane(&fixture.page, "agents").await?;
    album.add(&fixture.page, "agents").await?;
    board(fixture, &album).await?;
    keys(fixture, &album).await?;
    screens(fixture, &album).await?;
    recovery(fixture, &album).await
}

/// The views of the board, and the voice bar.
async fn board(fixture: &Fixture, album: &Album) -> Result<()> {
    let page = &fixture.page;
    to_pane(page, "board").await?;
    page.click(CORE_SYNC).await?;
    page.see(CORE.with("data-state", "idle")).await?;
    page.eval("document.querySelector('[data-testid=core-change] summary')?.click()", &[]).await?;
    album.add(page, "core").await?;
    page.eval("document.querySelector('[data-testid=core-change] summary')?.click()", &[]).await?;
    album.add_at(page, "editor", Some("[data-part=files]")).await?;
    page.click(FILE_ALL).await?;
    page.see(FILES_PANEL).await?;
    album.add_at(page, "files", Some("[data-part=files]")).await?;
    page.click(FILE_ALL).await?;
    page.click(FACE_COMPARE).await?;
    page.see(COMPARE_LIST).await?;
    album.add(page, "compare").await?;
    page.click(FACE_PREVIEW).await?;
    preview::runs(page).await?;
    album.add(page, "preview").await?;
    page.click(FACE_EDIT).await?;
    to_pane(page, "timeline").await?;
    page.click(MICROPHONE).await?;
    page.see(VOICE_HANDS_FREE).await?;
    page.click(VOICE_HANDS_FREE).await?;
    album.add(page, "voice").await?;
    page.click(VOICE_STOP).await
}

/// The palette, and the list of shortcuts.
async fn keys(fixture: &Fixture, album: &Album) -> Result<()> {
    let page = &fixture.page;
    page.press(Key::Control + "k").await?;
    page.see(PALETTE_INPUT).await?;
    album.add(page, "palette").await?;
    page.press("run").await?;
    album.add(page, "palette-run").await?;
    page.press(Key::Escape).await?;
    page.eval("document.activeElement?.blur()", &[]).await?;
    page.press("?").await?;
    page.see(KEY_SHEET).await?;
    album.add(page, "keys").await?;
    page.press(Key::Escape).await?;
    page.hidden(KEY_SHEET).await
}

async fn screens(fixture: &Fixture, album: &Album) -> Result<()> {
    let page = &fixture.page;
    page.click_last(INSPECT_TURN).await?;
    page.see(INSPECT_CALL).await?;
    album.add(page, "inspector").await?;
    page.eval("history.back()", &[]).await?;
    page.see(WAR_ROOM).await?;
    page.click(OPEN_AUDIT).await?;
    page.see(AUDIT_ROW).await?;
    album.add(page, "audit").await?;
    page.click(AUDIT_ROW).await?;
    page.see(AUDIT_DETAIL).await?;
    album.add(page, "audit-event").await?;
    page.eval("history.back()", &[]).await?;
    page.see(WAR_ROOM).await?;
    page.click(OPEN_SETTINGS).await?;
    page.see(SETTINGS).await?;
    page.see(Selector::css("[data-testid=data-used]")).await?;
    page.resize(SIZES[1].0, SIZES[1].1).await?;
    album.add(page, "settings").await?;
    for id in section_ids(page).await? {
        page.click(Selector::css(&format!(".settings-link a[data-section={id}]"))).await?;
        page.wait_for(
            "its heading to have the focus",
            "document.activeElement?.id === arguments[0]",
            &[json!(id)],
        )
        .await?;
        album.add(page, &id).await?;
    }
    page.press("h").await?;
    page.see(WAR_ROOM).await
}

/// The recovery screen.
async fn recovery(fixture: &mut Fixture, album: &Album) -> Result<()> {
    fixture.expect_fault(crate::site::TRAP_WORDS);
    fixture.page.eval_async("await import(arguments[0])", &[crate::site::TRAP_SCRIPT.into()]).await?;
    fixture.page.see(RECOVERY).await?;
    album.add(&fixture.page, "recovery").await
}

/// Shows this pane on a narrow page, which has one at a time; a wide one shows all.
pub(crate) async fn to_pane(page: &Page, pane: &str) -> Result<()> {
    let script = "document.querySelector(`.pane-tab[aria-controls=pane-${arguments[0]}]`)?.click()";
    page.eval(script, &[json!(pane)]).await.map(drop)
}

/// Output folder and sizes.
#[derive(Clone)]
pub(crate) struct Album {
    folder: PathBuf,
    sizes: Vec<(u32, u32)>,
}

impl Album {
    /// Wide and phone.
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self { folder, sizes: SIZES.to_vec() }
    }

    /// Also ultrawide.
    pub(crate) fn with_ultrawide(&self) -> Self {
        Self { sizes: SIZES.into_iter().chain([ULTRAWIDE]).collect(), ..self.clone() }
    }

    /// The current view, from the top.
    pub(crate) async fn add(&self, page: &Page, name: &str) -> Result<()> {
        page.eval("scrollTo(0, 0)", &[]).await?;
        self.add_at(page, name, None).await
    }

    /// In all sizes and both themes, with the element `at` scrolled to the top, if given.
    pub(crate) async fn add_at(&self, page: &Page, name: &str, at: Option<&str>) -> Result<()> {
        for (width, height) in &self.sizes {
            page.resize(*width, *height).await?;
            for theme in ["dark", "light"] {
                page.eval_async(DRESS, &[json!(theme), json!(at)]).await?;
                page.screenshot(&self.folder.join(format!("{name}-{theme}-{width}x{height}.png"))).await?;
            }
        }
        let (width, height) = SIZES[0];
        page.resize(width, height).await
    }
}
