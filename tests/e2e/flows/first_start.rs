//! Flows for the first start, and for other conditions: sub-path, no storage, narrow screen, unsupported browser.

use anyhow::{Result, ensure};
use serde_json::json;

use crate::app::{self, NAME};
use crate::fixture::Fixture;
use crate::flows::screenshots::to_pane;
use crate::flows::{appearance, editor};
use crate::selectors::*;
use crate::site::{BLANK_PAGE, SANDBOX_PAGE};

/// A new visitor starts the demo, without a single network request; name, session and work are mirrored.
pub(crate) async fn first_start(fixture: &mut Fixture) -> Result<()> {
    const PAGE: &str = "index.html";
    let home = fixture.site.url("/");
    fixture.page.goto(&home).await?;
    let page = &fixture.page;
    app::start_fast_demo(page, app::PREPARED).await?;
    app::ended(page, "critic", "completed", None).await?;
    app::idle(page).await?;
    page.click(FILE_TAB.with("data-file", PAGE)).await?;
    page.see_text(FILE_EDITOR, "<html").await?;

    ensure!(page.local("nexus_user_name").await?.as_deref() == Some(NAME));
    ensure!(page.local("nexus_session_id").await?.is_some_and(|id| !id.is_empty()));
    let shows_work = "(() => {
        const state = JSON.parse(localStorage.getItem('nexus_context_state') ?? '{}');
        return state.activeFile?.includes('<html') && state.activeFileName === arguments[0]
            && typeof state.objective === 'string' && typeof state.scratchpad === 'string';
    })()";
    page.see(FILE_TAB.with("data-file", PAGE).with("data-active", "true")).await?;
    page.wait_for("the mirror in localStorage", shows_work, &[json!(PAGE)]).await?;

    let addresses = "return performance.getEntriesByType('resource').map(each => each.name)";
    let addresses: Vec<String> = serde_json::from_value(page.eval(addresses, &[]).await?)?;
    let foreign = addresses.iter().find(|address| !address.starts_with(&home));
    ensure!(foreign.is_none(), "something left the page: {foreign:?}");
    ensure!(fixture.provider.requests().is_empty());
    Ok(())
}

/// On the sub-path of a static host, screens are URLs that can be reloaded.
pub(crate) async fn sub_path(fixture: &mut Fixture) -> Result<()> {
    let home = app::below(fixture, "");
    fixture.page.goto(&home).await?;
    app::start_fast_demo(&fixture.page, app::PREPARED).await?;
    app::ended(&fixture.page, "critic", "completed", None).await?;
    app::idle(&fixture.page).await?;
    fixture.page.click(OPEN_SETTINGS).await?;
    fixture.page.see(SETTINGS).await?;
    let address = fixture.page.address().await?;
    ensure!(address.starts_with("/deep/er/settings"), "the settings are at {address}");
    fixture.page.reload().await?;
    fixture.page.see(SETTINGS).await?;
    fixture.page.see_text(SETTINGS_NAME, NAME).await?;
    fixture.page.goto(&home).await?;
    fixture.page.see(WAR_ROOM).await?;
    fixture.page.see_text(TIMELINE, app::PREPARED).await?;
    editor::sub_path(fixture).await
}

/// In a frame without an origin all storage is denied: the same interface runs in memory, and says so.
pub(crate) async fn storage_denied(fixture: &mut Fixture) -> Result<()> {
    let host = fixture.site.url(SANDBOX_PAGE);
    fixture.page.goto(&host).await?;
    fixture.page.enter_frame("iframe").await?;
    let denied = "try { return String(localStorage); } catch (error) { return error.name; }";
    ensure!(fixture.page.eval(denied, &[]).await? == "SecurityError");
    app::start_fast_demo(&fixture.page, app::PREPARED).await?;
    fixture.page.see(BANNER.with("data-kind", "memory")).await?;
    app::ended(&fixture.page, "critic", "completed", None).await?;
    app::idle(&fixture.page).await?;
    ensure!(!fixture.page.attributes(FILE_TAB, "data-file").await?.is_empty());
    ensure!(fixture.provider.requests().is_empty());
    Ok(())
}

/// The first start migrates the state of the first version.
pub(crate) async fn earlier_state(fixture: &mut Fixture) -> Result<()> {
    let (blank, home) = (fixture.site.url(BLANK_PAGE), fixture.site.url("/"));
    let state = json!({
        "objective": "Water the plants",
        "scratchpad": "The fern first.",
        "activeFile": "fern: daily\n",
        "activeFileName": "plants.yaml",
    });
    fixture.page.goto(&blank).await?;
    fixture.page.set_local("nexus_context_state", &state.to_string()).await?;
    fixture.page.goto(&home).await?;
    fixture.page.see(FIRST_START).await?;
    fixture.page.see_text(FIRST_OBJECTIVE, "Water the plants").await?;
    fixture.page.click(FIRST_DEMO).await?;
    fixture.page.click(FIRST_GO).await?;
    fixture.page.see(WAR_ROOM).await?;
    fixture.page.click(STOP).await?;
    app::idle(&fixture.page).await?;
    fixture.page.see_text(OBJECTIVE_FIELD, "Water the plants").await?;
    fixture.page.see_text(SCRATCHPAD, "The fern first.").await?;
    fixture.page.click(FILE_TAB.with("data-file", "plants.yaml")).await?;
    fixture.page.see_text(FILE_EDITOR, "fern: daily").await
}

/// At the width of a small phone every screen fits, and the main job works.
pub(crate) async fn narrow(fixture: &mut Fixture) -> Result<()> {
    const WIDTH: u32 = 360;
    let home = fixture.site.url("/");
    fixture.page.resize(WIDTH, 780).await?;
    fixture.page.goto(&home).await?;
    fixture.page.see(FIRST_START).await?;
    fits(fixture, "the first start").await?;
    appearance::large_first_start(fixture).await?;
    app::start_demo(&fixture.page, app::PREPARED).await?;
    app::ended(&fixture.page, "architect", "completed", None).await?;
    fits(fixture, "the war room").await?;
    fixture.page.click(COMPOSER_MORE).await?;
    fixture.page.see(QUEUE_MODE).await?;
    fits(fixture, "all controls of the composer").await?;
    fixture.page.click(COMPOSER_MORE).await?;
    fixture.page.hidden(QUEUE_MODE).await?;
    fixture.page.click(STOP).await?;
    app::idle(&fixture.page).await?;
    fixture.page.speed_up_once().await?;
    app::send_to(&fixture.page, "critic", "What is missing?").await?;
    app::ended(&fixture.page, "critic", "completed", None).await?;
    app::idle(&fixture.page).await?;
    fits(fixture, "the war room with more in it").await?;
    app::send_to(&fixture.page, "ALL", app::PREPARED).await?;
    fixture.page.see(CHANGES_SUMMARY).await?;
    let room = "document.querySelector('[data-testid=timeline]').offsetHeight >= innerHeight * 2 / 3";
    fixture.page.wait_for("two thirds for the conversation", room, &[]).await?;
    let line = "(() => {
        const bar = document.querySelector('[data-testid=changes-bar]');
        return bar.scrollWidth <= bar.clientWidth && [...bar.children].filter(each => each.checkVisibility())
            .every(each => Math.abs(each.getBoundingClientRect().top - bar.getBoundingClientRect().top) < 12);
    })()";
    fixture.page.wait_for("one line for the bar of changes", line, &[]).await?;
    every_pane_fits(fixture, "the panes").await?;
    fixture.page.click(OPEN_SETTINGS).await?;
    fixture.page.see(SETTINGS).await?;
    fits(fixture, "the settings").await?;
    appearance::large_letters(fixture).await
}

/// Applies `fits` to the conversation, the agents and each view of the board.
pub(super) async fn every_pane_fits(fixture: &Fixture, what: &str) -> Result<()> {
    fits(fixture, &format!("{what}: the conversation")).await?;
    to_pane(&fixture.page, "agents").await?;
    fits(fixture, &format!("{what}: the agents")).await?;
    to_pane(&fixture.page, "board").await?;
    for face in [FACE_COMPARE, FACE_PREVIEW, FACE_MEMORIES, FACE_EDIT] {
        fixture.page.click(face).await?;
        fits(fixture, &format!("{what}: {face:?}")).await?;
    }
    to_pane(&fixture.page, "timeline").await
}

/// Code lines, tables, terminals and graphs keep their width, and scroll in their own frames.
const WIDE: &str =
    ".cm-scroller, .compare-list, .prose-code pre, .prose-table, .prose-display, .terminal, .run-frame";

/// The page is not wider than the window, only wide content scrolls horizontally, and no controls of the top bar
/// overlap.
pub(super) async fn fits(fixture: &Fixture, what: &str) -> Result<()> {
    let script = "const name = each => `${each.tagName} ${each.className} ${each.dataset.testid ?? ''}`;
        const shown = each => each.checkVisibility({ visibilityProperty: true });
        const scrolls = each => ['auto', 'scroll'].includes(getComputedStyle(each).overflowX) && shown(each)
            && each.scrollWidth > each.clientWidth && each.clientWidth > 1;
        const wide = [...document.querySelectorAll('body *')].filter(scrolls).filter(each => !each.matches(arguments[0]))
            .map(each => `${name(each)} is ${each.scrollWidth} px wide in ${each.clientWidth}`);
        const over = document.documentElement.scrollWidth - innerWidth;
        if (over > 0) wide.push(`the page is ${over} px too wide`);
        const bar = [...document.querySelectorAll('.top-bar :is(a, button)')].filter(shown);
        bar.forEach((each, at) => bar.slice(at + 1).forEach(other => {
            const [a, b] = [each, other].map(one => one.getBoundingClientRect());
            const meet = a.right > b.left + 1 && b.right > a.left + 1 && a.bottom > b.top + 1 && b.bottom > a.top + 1;
            if (meet) wide.push(`${name(each)} covers ${name(other)}`);
        }));
        return wide";
    let wide = fixture.page.eval(script, &[json!(WIDE)]).await?;
    ensure!(wide == json!([]), "{what}: {wide:#}");
    Ok(())
}

/// A browser without WebAssembly, with an old one, or with an irreversible change of the object prototype, as by an
/// extension; the tab names the case.
const CASES: &str = "switch (sessionStorage.getItem('lacking')) {
    case 'old': WebAssembly.validate = () => false; break;
    case 'streams': delete window.ReadableStream; break;
    case 'stuck': Object.defineProperty(Object.prototype, 'toJSON',
        { __proto__: null, value: undefined, configurable: false }); break;
    default: delete window.WebAssembly;
}";

/// If the program cannot run, the static page says why, and nothing else happens; also without scripts.
pub(crate) async fn unsupported_browser(fixture: &mut Fixture) -> Result<()> {
    let (blank, home) = (fixture.site.url(BLANK_PAGE), fixture.site.url("/"));
    fixture.page.in_every_document(CASES).await?;
    for (lacking, words) in [
        ("none", "WebAssembly is missing or turned off"),
        ("old", "its WebAssembly is too old"),
        ("streams", "cannot read answers as they come"),
    ] {
        fixture.page.goto(&blank).await?;
        fixture.page.eval("sessionStorage.setItem('lacking', arguments[0])", &[json!(lacking)]).await?;
        fixture.page.goto(&home).await?;
        fixture.page.see_text(Selector::css("#boot-status"), words).await?;
        fixture
            .page
            .see_text(Selector::css("#boot-status"), "A current Firefox, Chrome, Edge or Safari can.")
            .await?;
        ensure!(fixture.page.count(RECOVERY).await? == 0, "it counts as a crash");
        let text = fixture.page.visible_text().await?;
        ensure!(!text.contains("JavaScript is turned off"), "the message is wrong: {text}");
        // Text typed on the static page is kept.
        fixture.page.type_into(Selector::css("#boot-draft"), "kept").await?;
        fixture.page.see_text(Selector::css("#boot-draft"), "kept").await?;
        ensure!(fixture.page.database().await? == json!({}), "something was stored");
    }
    fixture.page.goto(&blank).await?;
    fixture.page.eval("sessionStorage.setItem('lacking', 'stuck')", &[]).await?;
    fixture.page.goto(&home).await?;
    fixture.page.see_text(Selector::css("#boot-status"), "Object.prototype.toJSON").await?;
    fixture.page.allow_scripts(false).await?;
    fixture.page.goto(&home).await?;
    fixture.page.see_text(Selector::css("noscript"), "JavaScript is turned off").await?;
    let text = fixture.page.visible_text().await?;
    ensure!(text.contains("allow it for this site"), "the words are not in view: {text}");
    // The page shows no screen of a program that will not load.
    ensure!(fixture.page.count(WAR_ROOM).await? == 0 && fixture.page.count(FIRST_START).await? == 0);
    fixture.page.allow_scripts(true).await
}
