//! Flows for the palette, the shortcuts and their list, and focus restore.

use anyhow::{Result, ensure};
use serde_json::json;
use thirtyfour::Key;

use crate::app;
use crate::fixture::Fixture;
use crate::page::Page;
use crate::provider::{Answer, Gate};
use crate::selectors::*;

/// Opens the palette and types a search.
async fn look_for(page: &Page, words: &str) -> Result<()> {
    page.press(Key::Control + "k").await?;
    page.see(PALETTE_INPUT).await?;
    page.has_focus("palette-input").await?;
    page.press(words).await
}

/// Waits until this row is selected.
async fn chosen(page: &Page, action: &str) -> Result<()> {
    page.see(PALETTE_ROW.with("data-action", action).with("aria-selected", "true")).await
}

/// Searches an action by a few letters and runs it.
pub(crate) async fn run(page: &Page, words: &str, action: &str) -> Result<()> {
    look_for(page, words).await?;
    chosen(page, action).await?;
    page.press(Key::Enter).await?;
    page.hidden(PALETTE).await
}

/// A few letters find an action; running it acts like its button; an unavailable one says why.
pub(crate) async fn finds(fixture: &mut Fixture) -> Result<()> {
    app::set_up(fixture).await?;
    let page = &fixture.page;
    page.click(OPEN_PALETTE).await?;
    page.see(PALETTE).await?;
    page.press(Key::Escape).await?;
    page.hidden(PALETTE).await?;
    page.has_focus("open-palette").await?;
    page.click(COMPOSER).await?;
    look_for(page, "").await?;
    for (name, value) in [
        ("role", "combobox"),
        ("aria-expanded", "true"),
        ("aria-controls", "palette-list"),
        ("aria-autocomplete", "list"),
    ] {
        page.see(PALETTE_INPUT.with(name, value)).await?;
    }
    let roles = "const list = document.getElementById('palette-list');
        const field = document.querySelector('[data-testid=palette-input]');
        const active = document.getElementById(field.getAttribute('aria-activedescendant'));
        return list.getAttribute('role') === 'listbox' && list.children.length > 40
            && [...list.children].every(each => each.getAttribute('role') === 'option')
            && active.getAttribute('aria-selected') === 'true' && list.contains(active)
            && list.querySelectorAll('[aria-selected=true]').length === 1
            && document.querySelector('dialog[open]').getAttribute('aria-label').length > 0";
    ensure!(page.eval(roles, &[]).await? == true, "the roles are not those of a palette");

    // An unavailable action says why, and nothing happens.
    page.press("resume run").await?;
    chosen(page, "run-go-on").await?;
    page.see(PALETTE_ROW.with("data-action", "run-go-on").with("aria-disabled", "true")).await?;
    page.press(Key::Enter).await?;
    page.see_text(PALETTE_STATUS, "No paused run").await?;
    page.see(PALETTE).await?;
    page.press(Key::Escape).await?;
    page.hidden(PALETTE).await?;
    page.has_focus("composer").await?;

    // Arrows wrap around; a search without results says so.
    look_for(page, "theme light").await?;
    chosen(page, "theme-light").await?;
    page.press(Key::Up).await?;
    page.press(Key::Down).await?;
    chosen(page, "theme-light").await?;
    page.press(Key::Control + "a").await?;
    page.press("qqzzxx").await?;
    page.see_text(PALETTE_STATUS, "No matching commands").await?;
    page.press(Key::Control + "k").await?;
    page.hidden(PALETTE).await?;

    run(page, "thli", "theme-light").await?;
    page.wait_for("the theme", "document.documentElement.dataset.theme === 'light'", &[]).await?;
    run(page, "mute engineer", "mute-engineer").await?;
    page.see(agent_card("engineer").with("data-muted", "true")).await?;
    run(page, "critic write", "write-critic").await?;
    page.see_text(TARGET_SELECT, "critic").await?;
    page.has_focus("composer").await?;
    run(page, "prio crit", "priority-critic").await?;
    page.see_text(agent_card("critic"), "Normal").await?;
    let keeps_going = "String(document.querySelector('[data-testid=keep-going]').checked) === arguments[0]";
    run(page, "keep going", "keep-going").await?;
    page.wait_for("the rounds to be repeated", keeps_going, &[json!("true")]).await?;
    run(page, "one round", "keep-going").await?;
    page.wait_for("one round", keeps_going, &[json!("false")]).await?;
    run(page, "new file", "file-new").await?;
    page.has_focus("file-name").await?;
    page.press("notes.txt").await?;
    page.press(Key::Enter).await?;
    page.see(FILE_TAB.with("data-file", "notes.txt")).await?;
    run(page, "larger", "text-larger").await?;
    page.wait_for("larger text", "document.documentElement.dataset.textSize === '110'", &[]).await?;
    run(page, "board comp", "face-compare").await?;
    page.see(FACE_COMPARE.with("aria-pressed", "true")).await?;

    // A message goes to its recipient.
    fixture.provider.queue_for("Critic", Answer::say("I heard."));
    app::send(&fixture.page, "Only you.").await?;
    fixture.page.see_text(answers_of("critic"), "I heard.").await?;
    app::idle(&fixture.page).await?;
    ensure!(fixture.provider.requests().len() == 1, "other agents were called, too");
    Ok(())
}

/// In the demo: the palette from every screen, then single-key shortcuts.
pub(crate) async fn demo(fixture: &mut Fixture) -> Result<()> {
    everywhere(fixture).await?;
    keys(fixture).await
}

/// From every screen: settings by name, the war room's actions from elsewhere, and undo.
async fn everywhere(fixture: &mut Fixture) -> Result<()> {
    let home = fixture.site.url("/");
    fixture.page.goto(&home).await?;
    let page = &fixture.page;
    page.see(FIRST_START).await?;
    look_for(page, "board preview").await?;
    chosen(page, "face-preview").await?;
    page.press(Key::Enter).await?;
    page.see_text(PALETTE_STATUS, "Finish the setup").await?;
    page.press(Key::Escape).await?;
    app::start_fast_demo(page, app::PREPARED).await?;
    app::ended(page, "critic", "completed", None).await?;
    app::idle(page).await?;

    run(page, "text size", "setting-text-size").await?;
    page.see(SETTINGS).await?;
    page.has_focus("text-size").await?;
    run(page, "settings of engineer", "settings-engineer").await?;
    let at_card = "document.activeElement?.closest('[data-agent=engineer]') != null";
    page.wait_for("the agent's card to have the focus", at_card, &[]).await?;
    // From there to a file, which only the war room can show.
    run(page, "open index.html", "open-index.html").await?;
    page.see(FILE_TAB.with("data-file", "index.html").with("data-active", "true")).await?;
    run(page, "delete index.html", "file-delete").await?;
    page.hidden(FILE_TAB.with("data-file", "index.html")).await?;
    run(page, "undo deleted", "undo").await?;
    page.see(FILE_TAB.with("data-file", "index.html")).await?;
    run(page, "inspect newest", "to-inspector").await?;
    page.wait_for("the inspector", "location.pathname.endsWith('/inspect/')", &[]).await?;
    run(page, "event log", "to-audit").await?;
    page.see(AUDIT_COUNT).await?;
    run(page, "preview index", "preview-index.html").await?;
    page.see(FACE_PREVIEW.with("aria-pressed", "true")).await?;
    run(page, "undo last round", "run-undo-round").await?;
    page.see(NOTICE).await?;
    run(page, "export data", "data-export").await?;
    page.has_focus("data-export").await
}

/// Single-key shortcuts do not work in text, work elsewhere, are listed, and can be disabled.
async fn keys(fixture: &mut Fixture) -> Result<()> {
    let home = fixture.site.url("/");
    fixture.page.goto(&home).await?;
    let page = &fixture.page;
    page.click(COMPOSER).await?;
    page.press("ecpnfhsl123?m").await?;
    page.see_text(COMPOSER, "ecpnfhsl123?m").await?;
    page.see(FACE_EDIT.with("aria-pressed", "true")).await?;
    page.hidden(KEY_SHEET).await?;
    page.see(WAR_ROOM).await?;

    // A button is no text field.
    page.click(FACE_EDIT).await?;
    page.press("c").await?;
    page.see(FACE_COMPARE.with("aria-pressed", "true")).await?;
    page.press("1").await?;
    page.wait_for("the pane to have the focus", "document.activeElement?.id === 'pane-agents'", &[]).await?;
    page.press("?").await?;
    page.see(KEY_SHEET).await?;
    let lines = page.texts(SHEET_LINE).await?.join("\n");
    for words in [
        "Ctrl KCommand palette",
        "Ctrl .Stop run",
        "?Show keyboard shortcuts",
        "MWrite a message",
        "1Pane: agents",
        "2Pane: conversation",
        "3Pane: board",
        "EBoard: edit",
        "CBoard: compare",
        "PBoard: preview",
        "NNew file",
        "FAll files",
        "HWar room",
        "SSettings",
        "LEvent log",
        "JNext change",
        "UUndo the last round",
        "Shift Enter",
    ] {
        ensure!(lines.contains(words), "the sheet does not say {words:?}: {lines}");
    }
    // Behind a dialog no shortcut works.
    page.press("s").await?;
    page.see(KEY_SHEET).await?;
    page.press(Key::Escape).await?;
    page.hidden(KEY_SHEET).await?;
    page.wait_for("the focus to return", "document.activeElement?.id === 'pane-agents'", &[]).await?;
    page.press("m").await?;
    page.has_focus("composer").await?;
    page.click(FACE_EDIT).await?;
    page.press("s").await?;
    page.see(SETTINGS).await?;
    page.choose(SINGLE_KEYS, "off").await?;
    // The field shows the choice before it is stored.
    let mut tries = 0;
    while !json!(app::events(page).await?).to_string().contains("single_keys") {
        tries += 1;
        ensure!(tries < 200, "the setting was not stored");
    }
    // A select handles letters itself; a link does not.
    page.press(Key::Tab).await?;
    page.eval("document.activeElement?.blur()", &[]).await?;
    page.press("h").await?;
    page.press("?").await?;
    page.press(Key::Control + "k").await?;
    page.see(PALETTE_INPUT).await?;
    page.hidden(KEY_SHEET).await?;
    page.see(SETTINGS).await?;
    page.press("show keyboard shortcuts").await?;
    chosen(page, "keys").await?;
    page.press(Key::Enter).await?;
    page.see_text(KEY_SHEET, "turned off").await?;
    page.click(KEY_SHEET_CLOSE).await?;
    fixture.page.reload().await?;
    fixture.page.see_text(SINGLE_KEYS, "off").await
}

/// Focus moves on when the focused element is removed: rows, files, dialogs, screens.
pub(crate) async fn focus_restored(fixture: &mut Fixture) -> Result<()> {
    app::set_up_by_first_start(fixture).await?;
    let page = &fixture.page;
    let press_on = async |selector: Selector| -> Result<()> {
        page.see(selector.clone()).await?;
        page.eval("document.querySelector(arguments[0]).focus()", &[json!(selector.as_str())]).await?;
        page.press(Key::Enter).await
    };
    // Queued messages: to the next one, at last to the composer, never to the page itself.
    let gate = Gate::new();
    fixture.provider.queue_for("Engineer", Answer::say("Slow.").hold(&gate));
    app::send_to(page, "engineer", "First.").await?;
    page.see(STOP).await?;
    app::send(page, "Second.").await?;
    app::send(page, "Third.").await?;
    page.see_count(QUEUE_ITEM, 2).await?;
    press_on(QUEUE_WITHDRAW.into()).await?;
    page.see_count(QUEUE_ITEM, 1).await?;
    page.has_focus("queue-withdraw").await?;
    page.press(Key::Enter).await?;
    page.see_count(QUEUE_ITEM, 0).await?;
    let has_focus = "document.activeElement !== document.body && document.activeElement != null";
    page.wait_for("something to have the focus", has_focus, &[]).await?;
    press_on(STOP.into()).await?;
    app::idle(page).await?;
    page.wait_for("something to have the focus", has_focus, &[]).await?;

    // A file.
    for name in ["one.txt", "two.txt"] {
        page.click(FILE_NEW).await?;
        page.fill(FILE_NAME, name).await?;
        page.press(Key::Enter).await?;
        page.see(FILE_TAB.with("data-file", name).with("data-active", "true")).await?;
    }
    press_on(FILE_DELETE.into()).await?;
    page.hidden(FILE_TAB.with("data-file", "two.txt")).await?;
    page.has_focus("file-delete").await?;

    // Agents and providers.
    press_on(OPEN_SETTINGS.into()).await?;
    page.see(SETTINGS).await?;
    page.wait_for("the screen to have the focus", has_focus, &[]).await?;
    let agent = |key: &str| AGENT_SETTINGS.with("data-agent", key);
    press_on(agent("engineer").inner(AGENT_DELETE)).await?;
    page.hidden(agent("engineer")).await?;
    let next = "document.activeElement?.closest('[data-agent=critic]') != null
        && document.activeElement.dataset.testid === 'agent-delete'";
    page.wait_for("the next agent's button to have the focus", next, &[]).await?;
    // The newest notice: the file's is still there.
    page.click_last(NOTICE_UNDO).await?;
    page.see(agent("engineer")).await?;
    page.wait_for("something to have the focus", has_focus, &[]).await?;
    // A dialog restores the focus.
    press_on(KEY_KEEP_CLEAR.into()).await?;
    page.press(Key::Space).await?;
    page.see(KEY_CLEAR_YES).await?;
    page.press(Key::Escape).await?;
    page.hidden(KEY_CLEAR_YES).await?;
    page.wait_for("the choice to have the focus again", has_focus, &[]).await
}
