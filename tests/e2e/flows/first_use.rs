//! Flows for the first things that a new visitor uses: a local model, slash commands and the session list.

use anyhow::{Result, ensure};
use serde_json::json;
use thirtyfour::Key;

use crate::app;
use crate::fixture::Fixture;
use crate::flows::first_start::fits;
use crate::page::Page;
use crate::provider::{Answer, Provider};
use crate::selectors::*;

/// Ollama's default port.
const OLLAMA: u16 = 11_434;

/// From the address to the first answer with a local server: one click finds it, and it needs no key.
pub(super) async fn local_model(fixture: &mut Fixture) -> Result<()> {
    let page = &mut fixture.page;
    // The other default ports of local servers: this machine may run one.
    page.block(&["127.0.0.1:1234/", "127.0.0.1:8080/", "127.0.0.1:8000/"]).await?;
    page.click(FIRST_LOCAL).await?;
    page.see_text(FIRST_LOCAL_STATUS, "No server answered").await?;
    page.see_text(FIRST_LOCAL_HELP, "OLLAMA_ORIGINS").await?;

    let Ok(server) = Provider::start_at(OLLAMA) else {
        nexus_text::testing::not_checked(format_args!(
            "first-local: port {OLLAMA} is taken, so no server can be found there"
        ));
        return Ok(());
    };
    server.queue_for("Architect", Answer::say("Planned on this machine."));
    page.click(FIRST_LOCAL_AGAIN).await?;
    page.see(FIRST_LOCAL_MODEL).await?;
    page.fill(FIRST_OBJECTIVE, app::OBJECTIVE).await?;
    page.click(FIRST_GO).await?;
    page.see_text(answers_of("architect"), "Planned on this machine.").await?;
    app::idle(page).await?;
    let keys = server.requests().iter().filter(|request| request.header("authorization").is_some()).count();
    ensure!(keys == 0, "{keys} requests carried a key");
    Ok(())
}

/// The message box, expanded and with commands, sessions in the left pane with their menu, usage and help.
pub(crate) async fn war_room(fixture: &mut Fixture) -> Result<()> {
    app::set_up(fixture).await?;
    large_composer(fixture).await?;
    at_hand(fixture).await?;
    fixture.page.eval("history.back()", &[]).await?;
    fixture.page.see(RAIL_SESSION).await?;
    session_menu(fixture).await?;
    usage_and_help(fixture).await
}

/// Slash commands, the last message by the arrow key, and sessions in the left pane.
async fn at_hand(fixture: &mut Fixture) -> Result<()> {
    let page = &fixture.page;
    page.click(COMPOSER).await?;
    page.press(Key::Up).await?;
    page.see_text(EDIT_TEXT, app::OBJECTIVE).await?;
    page.press(Key::Escape).await?;
    page.hidden(EDIT_TEXT).await?;

    page.click(COMPOSER).await?;
    page.press("/ne").await?;
    page.see_text(MENTION_LIST, "New session").await?;
    page.press(Key::Enter).await?;
    page.see_count(RAIL_SESSION, 2).await?;
    ensure!(page.text(COMPOSER).await?.is_empty(), "the command is no message");
    page.see(RAIL_SESSION.with("aria-current", "true")).await?;
    // The oldest is last.
    page.click_last(RAIL_SESSION).await?;
    page.see_text(SESSION_SWITCHER, "main").await?;
    page.click(RAIL_NEW).await?;
    page.see_count(RAIL_SESSION, 3).await?;
    page.wait_for("the focus in the message box", "document.activeElement?.id === 'composer'", &[]).await?;
    // A command for another screen takes the box away that has the focus.
    page.press("/tree").await?;
    page.see(MENTION_LIST).await?;
    page.press(Key::Enter).await?;
    page.see(TREE).await?;
    page.eval("history.back()", &[]).await?;
    page.see_count(RAIL_SESSION, 3).await?;

    // Nothing that looks like a command or a name is sent to all by mistake.
    page.fill(COMPOSER, "/rase it").await?;
    page.press(Key::Enter).await?;
    page.see_text(NOTICE, "There is no command /rase.").await?;
    page.fill(COMPOSER, "@nobody look at this").await?;
    page.see_text(COMPOSER_UNKNOWN, "No agent is called “nobody”.").await?;
    page.fill(COMPOSER, "@critic look at this").await?;
    page.hidden(COMPOSER_UNKNOWN).await?;
    // Enter runs a whole command without the list, too.
    page.fill(COMPOSER, "").await?;
    page.press("/settings").await?;
    page.see(MENTION_LIST).await?;
    page.press(Key::Escape).await?;
    page.hidden(MENTION_LIST).await?;
    page.press(Key::Enter).await?;
    page.see(SETTINGS).await?;
    page.eval("history.back()", &[]).await?;
    page.see(WAR_ROOM).await?;

    // The model is chosen in the card; other settings of the agent are one click away.
    page.click(agent_card("critic").inner(AGENT_CARD_MODEL)).await?;
    page.see(MODEL_MENU).await?;
    // Its provider has just listed it.
    page.see_text(MODEL_MENU, "gemini-4-argon").await?;
    page.choose(MODEL_MENU_THINKING, "high").await?;
    page.press(Key::Escape).await?;
    page.hidden(MODEL_MENU).await?;
    page.click(agent_card("critic").inner(AGENT_CARD_MODEL)).await?;
    let is_set = "document.querySelector(arguments[0]).value === 'high'";
    page.wait_for("the effort to be stored", is_set, &[json!(Selector::from(MODEL_MENU_THINKING).as_str())])
        .await?;
    page.click(MODEL_MENU_SETTINGS).await?;
    page.see(SETTINGS).await?;
    page.wait_for("the focus in the field of the model", "document.activeElement?.id === 'critic-model'", &[])
        .await
}

/// The menu of a session pins it, over a reload, and exports it; Escape restores the focus.
async fn session_menu(fixture: &mut Fixture) -> Result<()> {
    let page = &mut fixture.page;
    let sessions = page.count(RAIL_SESSION).await?;
    page.click(COMPOSER).await?;
    let first = "document.querySelector('[data-testid=rail-session]').textContent.includes(arguments[0])";
    page.click_last(RAIL_MENU).await?;
    page.see(SESSION_MENU).await?;
    page.has_focus("session-pin").await?;
    page.press(Key::Escape).await?;
    page.hidden(SESSION_MENU).await?;
    // A script's click gives no focus, like a mouse click in some browsers.
    let is_back = "document.activeElement?.dataset.testid === 'rail-menu'";
    page.wait_for("the focus on what opened it", is_back, &[]).await?;
    page.click_last(RAIL_MENU).await?;
    page.click(SESSION_PIN).await?;
    page.wait_for("the pinned session to be first", first, &[json!("pinned")]).await?;
    page.reload().await?;
    page.see_count(RAIL_SESSION, sessions).await?;
    page.wait_for("the pin to be stored", first, &[json!("pinned")]).await?;

    page.download_to().await?;
    page.click(RAIL_MENU).await?;
    page.click(SESSION_HTML).await?;
    let file = page.downloaded("html").await?;
    ensure!(file.starts_with("<!doctype html>") && file.contains("default-src 'none'"), "no page: {file}");
    ensure!(file.contains(app::OBJECTIVE) && file.contains("Critic is ready."), "wrong transcript: {file}");
    ensure!(!file.contains("<script") && !file.contains("http://"), "it loads something: {file}");
    page.click(RAIL_MENU).await?;
    page.click(SESSION_MARKDOWN).await?;
    let file = page.downloaded("md").await?;
    ensure!(file.starts_with("# ") && file.contains("## Architect"), "no Markdown: {file}");
    Ok(())
}

/// Usage by day and by agent; help with terms, version and shortcuts.
async fn usage_and_help(fixture: &mut Fixture) -> Result<()> {
    let (usage, help) = (fixture.site.url("/usage/"), fixture.site.url("/help/"));
    let page = &mut fixture.page;
    page.goto(&usage).await?;
    page.see(USAGE.with("data-done", "true")).await?;
    page.see_text(USAGE_SUMMARY, "3 calls").await?;
    page.see_count(USAGE_ROW, 1).await?;
    fixture.page.resize(360, 780).await?;
    fits(fixture, "usage").await?;
    let page = &mut fixture.page;
    page.resize(1440, 900).await?;
    page.choose(USAGE_BY, "Agent").await?;
    page.see_count(USAGE_ROW, 3).await?;
    page.see_text(USAGE_ROW, "Architect").await?;

    page.goto(&help).await?;
    page.see_text(HELP, "Archivist").await?;
    page.see_text(HELP_VERSION, env!("CARGO_PKG_VERSION")).await?;
    page.click(HELP_KEYS).await?;
    page.see(KEY_SHEET).await
}

/// An expanded message box replaces the conversation: Enter breaks lines there, Escape shrinks it and keeps the text.
async fn large_composer(fixture: &mut Fixture) -> Result<()> {
    let page = &fixture.page;
    page.click(COMPOSER_SIZE).await?;
    page.wait_for("the focus in the message box", "document.activeElement?.id === 'composer'", &[]).await?;
    page.press("one").await?;
    page.press(Key::Enter).await?;
    page.press("two").await?;
    let large = "document.getElementById('composer').offsetHeight > innerHeight / 2";
    page.wait_for("the message box to be large", large, &[]).await?;
    page.wait_for("both lines", "document.getElementById('composer').value === 'one\\ntwo'", &[]).await?;
    page.press(Key::Escape).await?;
    let small = "document.getElementById('composer').offsetHeight < innerHeight / 3";
    page.wait_for("the message box to be small", small, &[]).await?;
    // On a phone the conversation has two thirds of the height.
    page.fill(COMPOSER, "").await?;
    page.resize(360, 780).await?;
    let room = "document.querySelector('[data-testid=timeline]').offsetHeight >= innerHeight * 0.66";
    page.wait_for("two thirds for the conversation", room, &[]).await?;
    page.resize(1440, 900).await
}

/// Splitter positions set by keys survive a reload, a double click resets one, and a phone has no splitters.
pub(crate) async fn splitters(fixture: &mut Fixture) -> Result<()> {
    const OF_BOARD: &str = ".splitter[aria-controls=pane-board]";
    const OF_OBJECTIVE: &str = ".splitter[aria-controls=part-objective]";
    app::set_up_by_first_start(fixture).await?;
    let page = &fixture.page;
    let size = async |page: &Page, id: &str| -> Result<(f64, f64)> {
        let script = "const part = document.getElementById(arguments[0]); return [part.offsetWidth, part.offsetHeight]";
        Ok(serde_json::from_value(page.eval(script, &[json!(id)]).await?)?)
    };
    let board = size(page, "pane-board").await?.0;
    for (line, key) in [(OF_BOARD, Key::Left), (OF_OBJECTIVE, Key::Down)] {
        page.see(Selector::css(line)).await?;
        page.eval("document.querySelector(arguments[0]).focus()", &[json!(line)]).await?;
        for _ in 0..3 {
            page.press(key.clone()).await?;
        }
    }
    let wide = format!("document.getElementById('pane-board').offsetWidth === {}", board + 48.0);
    page.wait_for("a wider board", &wide, &[]).await?;
    let objective = size(page, "part-objective").await?.1;
    let values = page.attributes(Selector::css(OF_OBJECTIVE), "aria-valuenow").await?;
    ensure!(values == [objective.to_string()], "it reports {values:?} for {objective} px");
    fixture.page.reload().await?;
    let page = &fixture.page;
    page.wait_for("the wider board again", &wide, &[]).await?;
    let high = format!("document.getElementById('part-objective')?.offsetHeight === {objective}");
    page.wait_for("the higher objective again", &high, &[]).await?;

    let twice =
        "document.querySelector(arguments[0]).dispatchEvent(new MouseEvent('dblclick', { bubbles: true }))";
    page.eval(twice, &[json!(OF_BOARD)]).await?;
    let usual = format!("document.getElementById('pane-board').offsetWidth === {board}");
    page.wait_for("the usual board", &usual, &[]).await?;
    page.resize(360, 780).await?;
    page.hidden(Selector::css(".splitter")).await
}
