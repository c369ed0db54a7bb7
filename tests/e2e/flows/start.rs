//! Flows for the first start, and for other conditions: sub-path, no storage, narrow screen, unsupported browser.

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use crate::app::{self, NAME};
use crate::flows::pictures::to_pane;
use crate::flows::{appearance, editor, graphs};
use crate::parts::*;
use crate::site::{BLANK_PAGE, SANDBOX_PAGE};
use crate::stage::Stage;

/// A new visitor chooses the demo and one of its objectives, and sees three agents build something, without a single
/// network request. A second message changes the result.
pub(crate) async fn first_start(stage: &mut Stage) -> Result<()> {
    let home = stage.site.url("/");
    stage.page.goto(&home).await?;
    let page = &stage.page;
    page.see(FIRST_START).await?;
    page.fill(FIRST_NAME, NAME).await?;
    page.click(FIRST_REHEARSAL).await?;
    page.click(FIRST_IDEA.with("title", app::PREPARED)).await?;
    page.see_words(FIRST_OBJECTIVE, app::PREPARED).await?;
    page.see(FIRST_IDEA.with("aria-pressed", "true")).await?;
    page.click(FIRST_GO).await?;
    page.see(WAR_ROOM).await?;
    page.see(BANNER.with("data-kind", "rehearsal")).await?;
    for agent in ["architect", "engineer", "critic"] {
        app::ended(page, agent, "completed", None).await?;
    }
    app::idle(page).await?;
    ensure!(page.text(OBJECTIVE_FIELD).await?.contains(app::PREPARED), "the objective is not the operator's");
    ensure!(!page.text(SCRATCHPAD).await?.trim().is_empty(), "no plan");
    page.see(TOOL_CARD.with("data-status", "succeeded")).await?;
    let files = page.attributes(FILE_TAB, "data-file").await?;
    ensure!(!files.is_empty(), "no file");
    const PAGE: &str = "index.html";
    page.click(FILE_TAB.with("data-file", PAGE)).await?;
    page.see_words(FILE_EDITOR, "<html").await?;
    let first_work = page.text(FILE_EDITOR).await?;
    ensure!(first_work.len() > 200, "the file is no work: {first_work:?}");

    // By now the demo's own speed was shown.
    page.hurry_once().await?;
    app::say(page, "Fix the findings").await?;
    for agent in ["architect", "engineer", "critic"] {
        page.see(agent_card(agent).with("data-state", "processing")).await?;
    }
    app::idle(page).await?;
    page.click(FILE_TAB.with("data-file", PAGE)).await?;
    page.see_words(FILE_EDITOR, "aria-live").await?;
    ensure!(page.text(FILE_EDITOR).await? != first_work, "the second message changed nothing");

    ensure!(page.local("nexus_user_name").await?.as_deref() == Some(NAME));
    ensure!(page.local("nexus_session_id").await?.is_some_and(|id| !id.is_empty()));
    let shows_work = "(() => {
        const state = JSON.parse(localStorage.getItem('nexus_context_state') ?? '{}');
        return state.activeFile?.includes('aria-live') && state.activeFileName === arguments[0]
            && typeof state.objective === 'string' && typeof state.scratchpad === 'string';
    })()";
    page.see(FILE_TAB.with("data-file", PAGE).with("data-active", "true")).await?;
    page.wait_for("the mirror in localStorage", shows_work, &[json!(PAGE)]).await?;

    let addresses = "return performance.getEntriesByType('resource').map(each => each.name)";
    let addresses: Vec<String> = serde_json::from_value(page.eval(addresses, &[]).await?)?;
    let foreign = addresses.iter().find(|address| !address.starts_with(&home));
    ensure!(foreign.is_none(), "something left the page: {foreign:?}");
    ensure!(stage.provider.requests().is_empty());
    one_run_id_for_each_interaction(&app::events(&stage.page).await?)?;
    graphs::demo(stage).await
}

/// All events of one interaction have one run id: two messages, two ids. The Archivist's are in its own session, and
/// excluded.
fn one_run_id_for_each_interaction(events: &[Value]) -> Result<()> {
    let kinds =
        ["RunOpened", "TurnOpened", "ModelRequested", "ModelAnswered", "ToolEnded", "TurnClosed", "RunEnded"];
    let (mut runs, mut session) = (Vec::new(), None);
    for event in events {
        let kind = event.get("kind").and_then(Value::as_str).unwrap_or_default();
        if !kinds.contains(&kind) || *session.get_or_insert(event.get("stream")) != event.get("stream") {
            continue;
        }
        let run = event.get("run").and_then(Value::as_str);
        let run = run.with_context(|| format!("{kind} bears no run id"))?;
        if !runs.contains(&run) {
            ensure!(kind == "RunOpened", "{kind} bears the id of a run that was not opened");
            runs.push(run);
        }
    }
    ensure!(runs.len() == 2, "{} runs for two messages", runs.len());
    Ok(())
}

/// On the sub-path of a static host, screens are URLs that can be reloaded.
pub(crate) async fn sub_path(stage: &mut Stage) -> Result<()> {
    let home = app::below(stage, "");
    stage.page.goto(&home).await?;
    app::rehearse(&stage.page, app::PREPARED).await?;
    app::ended(&stage.page, "critic", "completed", None).await?;
    app::idle(&stage.page).await?;
    stage.page.click(OPEN_SETTINGS).await?;
    stage.page.see(SETTINGS).await?;
    let address = stage.page.address().await?;
    ensure!(address.starts_with("/deep/er/settings"), "the settings are at {address}");
    stage.page.reload().await?;
    stage.page.see(SETTINGS).await?;
    stage.page.see_words(SETTINGS_NAME, NAME).await?;
    stage.page.goto(&home).await?;
    stage.page.see(WAR_ROOM).await?;
    stage.page.see_words(TIMELINE, app::PREPARED).await?;
    editor::sub_path(stage).await
}

/// In a frame without an origin all storage is denied: the same interface runs in memory, and says so.
pub(crate) async fn storage_denied(stage: &mut Stage) -> Result<()> {
    let host = stage.site.url(SANDBOX_PAGE);
    stage.page.goto(&host).await?;
    stage.page.enter_frame("iframe").await?;
    let denied = "try { return String(localStorage); } catch (error) { return error.name; }";
    ensure!(stage.page.eval(denied, &[]).await? == "SecurityError");
    app::rehearse(&stage.page, app::PREPARED).await?;
    stage.page.see(BANNER.with("data-kind", "memory")).await?;
    app::ended(&stage.page, "critic", "completed", None).await?;
    app::idle(&stage.page).await?;
    ensure!(!stage.page.attributes(FILE_TAB, "data-file").await?.is_empty());
    ensure!(stage.provider.requests().is_empty());
    Ok(())
}

/// The first start migrates the state of the first version.
pub(crate) async fn earlier_state(stage: &mut Stage) -> Result<()> {
    let (blank, home) = (stage.site.url(BLANK_PAGE), stage.site.url("/"));
    let state = json!({
        "objective": "Water the plants",
        "scratchpad": "The fern first.",
        "activeFile": "fern: daily\n",
        "activeFileName": "plants.yaml",
    });
    stage.page.goto(&blank).await?;
    stage.page.set_local("nexus_context_state", &state.to_string()).await?;
    stage.page.goto(&home).await?;
    stage.page.see(FIRST_START).await?;
    stage.page.see_words(FIRST_OBJECTIVE, "Water the plants").await?;
    stage.page.click(FIRST_REHEARSAL).await?;
    stage.page.click(FIRST_GO).await?;
    stage.page.see(WAR_ROOM).await?;
    stage.page.click(STOP).await?;
    app::idle(&stage.page).await?;
    stage.page.see_words(OBJECTIVE_FIELD, "Water the plants").await?;
    stage.page.see_words(SCRATCHPAD, "The fern first.").await?;
    stage.page.click(FILE_TAB.with("data-file", "plants.yaml")).await?;
    stage.page.see_words(FILE_EDITOR, "fern: daily").await
}

/// At the width of a small phone every screen fits, and the main job works.
pub(crate) async fn narrow(stage: &mut Stage) -> Result<()> {
    const WIDTH: u32 = 360;
    let home = stage.site.url("/");
    stage.page.resize(WIDTH, 780).await?;
    stage.page.goto(&home).await?;
    stage.page.see(FIRST_START).await?;
    fits(stage, "the first start").await?;
    appearance::large_first_start(stage).await?;
    app::choose_demo(&stage.page, app::PREPARED).await?;
    app::ended(&stage.page, "architect", "completed", None).await?;
    fits(stage, "the war room").await?;
    stage.page.click(COMPOSER_MORE).await?;
    stage.page.see(QUEUE_MODE).await?;
    fits(stage, "all controls of the composer").await?;
    stage.page.click(COMPOSER_MORE).await?;
    stage.page.hidden(QUEUE_MODE).await?;
    stage.page.click(STOP).await?;
    app::idle(&stage.page).await?;
    stage.page.hurry_once().await?;
    app::say_to(&stage.page, "critic", "What is missing?").await?;
    app::ended(&stage.page, "critic", "completed", None).await?;
    app::idle(&stage.page).await?;
    fits(stage, "the war room with more in it").await?;
    app::say_to(&stage.page, "ALL", app::PREPARED).await?;
    stage.page.see(CHANGES_TOLD).await?;
    let room = "document.querySelector('[data-testid=timeline]').offsetHeight >= innerHeight * 2 / 3";
    stage.page.wait_for("two thirds for the conversation", room, &[]).await?;
    let line = "(() => {
        const bar = document.querySelector('[data-testid=changes-bar]');
        return bar.scrollWidth <= bar.clientWidth && [...bar.children].filter(each => each.checkVisibility())
            .every(each => Math.abs(each.getBoundingClientRect().top - bar.getBoundingClientRect().top) < 12);
    })()";
    stage.page.wait_for("one line for the bar of changes", line, &[]).await?;
    every_pane_fits(stage, "the panes").await?;
    stage.page.click(OPEN_SETTINGS).await?;
    stage.page.see(SETTINGS).await?;
    fits(stage, "the settings").await?;
    appearance::large_letters(stage).await
}

/// Applies `fits` to the conversation, the agents and each view of the board.
pub(super) async fn every_pane_fits(stage: &Stage, what: &str) -> Result<()> {
    fits(stage, &format!("{what}: the conversation")).await?;
    to_pane(&stage.page, "agents").await?;
    fits(stage, &format!("{what}: the agents")).await?;
    to_pane(&stage.page, "board").await?;
    for face in [FACE_COMPARE, FACE_PREVIEW, FACE_MEMORIES, FACE_EDIT] {
        stage.page.click(face).await?;
        fits(stage, &format!("{what}: {face:?}")).await?;
    }
    to_pane(&stage.page, "timeline").await
}

/// Code lines, tables, terminals and graphs keep their width, and scroll in their own frames.
const WIDE: &str =
    ".cm-scroller, .compare-list, .prose-code pre, .prose-table, .prose-display, .terminal, .run-frame";

/// The page is not wider than the window, only wide content scrolls horizontally, and no controls of the top bar
/// overlap.
pub(super) async fn fits(stage: &Stage, what: &str) -> Result<()> {
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
    let wide = stage.page.eval(script, &[json!(WIDE)]).await?;
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
pub(crate) async fn cannot_run(stage: &mut Stage) -> Result<()> {
    let (blank, home) = (stage.site.url(BLANK_PAGE), stage.site.url("/"));
    stage.page.before_scripts(CASES).await?;
    for (lacking, words) in [
        ("none", "WebAssembly is missing or turned off"),
        ("old", "its WebAssembly is too old"),
        ("streams", "cannot read answers as they come"),
    ] {
        stage.page.goto(&blank).await?;
        stage.page.eval("sessionStorage.setItem('lacking', arguments[0])", &[json!(lacking)]).await?;
        stage.page.goto(&home).await?;
        stage.page.see_words(Selector::css("#boot-status"), words).await?;
        stage
            .page
            .see_words(Selector::css("#boot-status"), "A current Firefox, Chrome, Edge or Safari can.")
            .await?;
        ensure!(stage.page.count(RECOVERY).await? == 0, "it counts as a crash");
        let text = stage.page.visible_text().await?;
        ensure!(!text.contains("JavaScript is turned off"), "the message is wrong: {text}");
        // Text typed on the static page is kept.
        stage.page.type_into(Selector::css("#boot-draft"), "kept").await?;
        stage.page.see_words(Selector::css("#boot-draft"), "kept").await?;
        ensure!(stage.page.database().await? == json!({}), "something was stored");
    }
    stage.page.goto(&blank).await?;
    stage.page.eval("sessionStorage.setItem('lacking', 'stuck')", &[]).await?;
    stage.page.goto(&home).await?;
    stage.page.see_words(Selector::css("#boot-status"), "Object.prototype.toJSON").await?;
    stage.page.let_run_scripts(false).await?;
    stage.page.goto(&home).await?;
    stage.page.see_words(Selector::css("noscript"), "JavaScript is turned off").await?;
    let text = stage.page.visible_text().await?;
    ensure!(text.contains("allow it for this site"), "the words are not in view: {text}");
    // The page shows no screen of a program that will not load.
    ensure!(stage.page.count(WAR_ROOM).await? == 0 && stage.page.count(FIRST_START).await? == 0);
    stage.page.let_run_scripts(true).await
}
