//! Flows for the main job by keyboard alone: no clicks, and no focus set by script.

use anyhow::{Result, bail, ensure};
use serde_json::json;
use thirtyfour::Key;

use crate::app::{self, NAME};
use crate::fixture::Fixture;
use crate::page::Page;
use crate::provider::Answer;
use crate::selectors::*;
use crate::site::{TRAP_SCRIPT, TRAP_WORDS};

/// From the first start to a second message, a stop and a mute, by keys alone.
pub(crate) async fn main_job(fixture: &mut Fixture) -> Result<()> {
    let home = fixture.site.url("/");
    fixture.page.goto(&home).await?;
    let page = &fixture.page;
    page.see(FIRST_START).await?;
    page.speed_up_once().await?;
    reach(page, FIRST_NAME).await?;
    page.press(NAME).await?;
    reach(page, FIRST_DEMO).await?;
    page.press(Key::Space).await?;
    reach(page, FIRST_OBJECTIVE).await?;
    page.press(app::PREPARED).await?;
    reach(page, FIRST_GO).await?;
    page.press(Key::Enter).await?;
    page.see(WAR_ROOM).await?;
    app::ended(page, "critic", "completed", None).await?;
    app::idle(page).await?;

    // The first Tab of a page is a skip link to the message box.
    fixture.page.reload().await?;
    let page = &fixture.page;
    page.see(COMPOSER).await?;
    page.press(Key::Tab).await?;
    ensure!(
        page.eval("return document.activeElement.className", &[]).await? == "skip",
        "the skip link is not first"
    );
    page.press(Key::Enter).await?;
    page.wait_for("the message box", "document.activeElement.dataset.testid === 'composer'", &[]).await?;
    // All three answer: the run must last until Tab has reached Stop.
    page.press("fix the findings").await?;
    reach(page, SEND).await?;
    page.press(Key::Enter).await?;
    page.see(STOP).await?;
    reach(page, STOP).await?;
    page.press(Key::Enter).await?;
    app::idle(page).await?;
    reach(page, AGENT_MUTE).await?;
    page.press(Key::Space).await?;
    page.see(AGENT_CARD.with("data-muted", "true")).await?;
    reach(page, OPEN_SETTINGS).await?;
    page.press(Key::Enter).await?;
    page.see(SETTINGS).await?;
    reach(page, SETTINGS_NAME).await?;
    ensure!(page.text(SETTINGS_NAME).await? == NAME);
    Ok(())
}

/// First start, run, approval, compare, settings, audit and back, by keyboard: Tab and Enter, single keys, and the
/// palette.
pub(crate) async fn every_screen(fixture: &mut Fixture) -> Result<()> {
    app::set_up(fixture).await?;
    let page = &fixture.page;
    // The rule that requires the Engineer's approval.
    reach(page, OPEN_SETTINGS).await?;
    page.press(Key::Enter).await?;
    page.see(SETTINGS).await?;
    palette(page, "settings of engineer").await?;
    let at_card = "document.activeElement?.closest('[data-agent=engineer]') != null";
    page.wait_for("the card to have the focus", at_card, &[]).await?;
    reach_selector(page, &Selector::css("#engineer-rules")).await?;
    page.press(Key::Enter).await?;
    reach_selector(page, &rule_of("engineer", "write_file")).await?;
    page.press("Ask").await?;
    page.see_text(rule_of("engineer", "write_file"), "ask").await?;
    palette(page, "war room").await?;
    page.see(WAR_ROOM).await?;

    let arguments = json!({ "name": "asked.txt", "content": "as asked\n" });
    fixture.provider.queue_for("Engineer", Answer::new().call("write_file", arguments));
    fixture.provider.queue_for("Engineer", Answer::say("Thank you."));
    palette(page, "write to engineer").await?;
    page.has_focus("composer").await?;
    page.press("Write it.").await?;
    page.press(Key::Enter).await?;
    page.see(APPROVAL_CARD).await?;
    palette(page, "pending approval").await?;
    let at_card = "document.activeElement?.closest('[data-testid=approval-card]') != null";
    page.wait_for("the card to have the focus", at_card, &[]).await?;
    reach(page, APPROVAL_APPROVE).await?;
    page.press(Key::Enter).await?;
    page.see_text(answers_of("engineer"), "Thank you.").await?;
    app::idle(page).await?;
    page.see(FILE_TAB.with("data-file", "asked.txt")).await?;
    let has_focus = "document.activeElement !== document.body && document.activeElement != null";
    page.wait_for("the focus to stay at the place of the card", has_focus, &[]).await?;

    palette(page, "board: compare").await?;
    page.has_focus("compare-list").await?;
    page.press("j").await?;
    let at = "document.querySelector('[data-testid=hunk]')?.dataset.at === 'true'";
    page.wait_for("the change to be marked", at, &[]).await?;
    page.press("a").await?;
    page.hidden(HUNK).await?;
    page.press("s").await?;
    page.see(SETTINGS).await?;
    page.press("l").await?;
    page.see(AUDIT_COUNT).await?;
    reach(page, AUDIT_LIST).await?;
    page.press(Key::Home).await?;
    page.press(Key::Down).await?;
    page.see(AUDIT_DETAIL).await?;
    palette(page, "inspect newest").await?;
    page.wait_for("the inspector", "location.pathname.endsWith('/inspect/')", &[]).await?;
    palette(page, "war room").await?;
    page.see(WAR_ROOM).await?;
    page.press(Key::Tab).await?;
    page.wait_for("the focus to be in the war room", has_focus, &[]).await
}

/// The Engineer writes a file, requested by keyboard.
pub(crate) async fn written(fixture: &Fixture, text: &str, answer: &str) -> Result<()> {
    fixture.provider.queue_for("Engineer", app::writing("beacon.txt", text));
    fixture.provider.queue_for("Engineer", Answer::say(answer));
    let page = &fixture.page;
    palette(page, "write to engineer").await?;
    page.has_focus("composer").await?;
    page.press("Write it.").await?;
    page.press(Key::Enter).await?;
    page.see_text(answers_of("engineer"), answer).await?;
    app::idle(page).await
}

/// All files, preview, memories, locked keys and the recovery screen.
pub(crate) async fn other_screens(fixture: &mut Fixture) -> Result<()> {
    app::set_up_by_first_start(fixture).await?;
    written(fixture, "one\ntwo\nthree\n", "It stands.").await?;
    let page = &fixture.page;
    palette(page, "all files").await?;
    page.see(FILES_PANEL).await?;
    reach_selector(page, &FILE_ROW.with("data-file", "beacon.txt").inner(FILE_OPEN)).await?;
    page.press(Key::Enter).await?;
    page.see(FILE_EDITOR).await?;
    palette(page, "board: preview").await?;
    page.see(FACE_PREVIEW.with("aria-pressed", "true")).await?;
    palette(page, "memories").await?;
    reach(page, MEMORY_SEARCH).await?;

    // The keys are locked, and requested when they are needed.
    palette(page, "providers").await?;
    page.see(SETTINGS).await?;
    reach(page, KEY_KEEP_TAB).await?;
    page.press(Key::Down).await?;
    reach(page, PASSPHRASE).await?;
    page.press("four canary words here").await?;
    reach(page, KEY_REMEMBER).await?;
    page.press(Key::Enter).await?;
    page.see_text(KEY_STATE, "and unlocked").await?;
    reach(page, KEY_LOCK).await?;
    page.press(Key::Enter).await?;
    page.see_text(KEY_STATE, "and locked").await?;
    palette(page, "write to critic").await?;
    fixture.provider.queue_for("Critic", Answer::say("Unlocked."));
    page.has_focus("composer").await?;
    page.press("Are you there?").await?;
    page.press(Key::Enter).await?;
    page.see(UNLOCK_DIALOG).await?;
    page.has_focus("passphrase").await?;
    page.press("four canary words here").await?;
    page.press(Key::Enter).await?;
    page.hidden(UNLOCK_DIALOG).await?;
    page.see_text(answers_of("critic"), "Unlocked.").await?;
    app::idle(page).await?;

    // The program crashes.
    fixture.expect_fault(TRAP_WORDS);
    fixture.page.eval_async("await import(arguments[0])", &[TRAP_SCRIPT.into()]).await?;
    let page = &fixture.page;
    page.see(RECOVERY).await?;
    reach(page, RECOVERY_COPY).await?;
    reach(page, RECOVERY_RELOAD).await?;
    page.press(Key::Enter).await?;
    page.see(WAR_ROOM).await
}

/// Two branches with a conflict in a file, and the merge dialog, by keyboard.
pub(crate) async fn drafted_merge(fixture: &mut Fixture) -> Result<()> {
    app::set_up(fixture).await?;
    written(fixture, "one\ntwo\nthree\n", "It stands.").await?;
    let page = &fixture.page;
    palette(page, "tree").await?;
    page.see(TREE.with("data-done", "true")).await?;
    reach(page, TREE_PLANE).await?;
    page.press(Key::End).await?;
    page.see_text(TREE_ANSWERED, "It stands.").await?;
    page.press(Key::Enter).await?;
    reach(page, TREE_FORK).await?;
    page.press(Key::Enter).await?;
    page.see_text(TREE_SUMMARY, "2 sessions").await?;
    palette(page, "war room").await?;
    written(fixture, "one\nTHEIRS\nthree\n", "Theirs.").await?;
    palette(page, "tree").await?;
    page.see(TREE.with("data-done", "true")).await?;
    reach_selector(page, &TREE_FLAG.with("aria-pressed", "false")).await?;
    page.press(Key::Enter).await?;
    reach(page, TREE_OPEN).await?;
    page.press(Key::Enter).await?;
    page.see_text(SESSION_SWITCHER, "main").await?;
    written(fixture, "one\nOURS\nthree\n", "Ours.").await?;
    palette(page, "tree").await?;
    page.see(TREE.with("data-done", "true")).await?;
    reach_selector(page, &TREE_FLAG.with("aria-pressed", "false")).await?;
    page.press(Key::Enter).await?;
    reach(page, TREE_MERGE).await?;
    page.press(Key::Enter).await?;
    page.see_text(MERGE_SUMMARY, "1 conflict to decide").await
}

/// In the dialog of [`drafted_merge`]: closed, reopened and navigated.
pub(crate) async fn in_the_dialog(page: &Page) -> Result<()> {
    page.press(Key::Escape).await?;
    page.hidden(MERGE).await?;
    page.has_focus("tree-merge").await?;
    page.press(Key::Enter).await?;
    page.see(MERGE_BOTH).await?;
    reach(page, MERGE_BOTH).await?;
    page.press(Key::Space).await?;
    page.see_text(MERGE_SUMMARY, "all conflicts decided").await?;
    // Decisions of an unfinished merge are lost.
    page.press(Key::Escape).await?;
    page.hidden(MERGE).await?;
    page.has_focus("tree-merge").await?;
    page.press(Key::Enter).await?;
    page.see_text(MERGE_SUMMARY, "1 conflict to decide").await
}

/// Selector of an agent's rule for a tool.
fn rule_of(agent: &str, tool: &str) -> Selector {
    AGENT_SETTINGS.with("data-agent", agent).inner(AGENT_TOOL).with("data-tool", tool)
}

/// Runs the first result of the palette for this search.
pub(crate) async fn palette(page: &Page, words: &str) -> Result<()> {
    page.press(Key::Control + "k").await?;
    page.has_focus("palette-input").await?;
    page.press(words).await?;
    page.see(PALETTE_ROW.with("aria-selected", "true")).await?;
    page.press(Key::Enter).await?;
    page.hidden(PALETTE).await
}

/// Activates this element by Tab and Enter.
pub(crate) async fn enter(page: &Page, selector: impl Into<Selector>) -> Result<()> {
    reach_selector(page, &selector.into()).await?;
    page.press(Key::Enter).await
}

/// Presses Tab until this part has focus, and checks that the focus is visible.
pub(crate) async fn reach(page: &Page, part: TestId) -> Result<()> {
    reach_selector(page, &Selector::from(part)).await
}

/// As [`reach`], for a selector.
pub(crate) async fn reach_selector(page: &Page, selector: &Selector) -> Result<()> {
    const FAR: usize = 240;
    // Tab depends on the focus: in the file editor it indents, as the editor says, and Escape releases it.
    const FOCUS_STATE: &str = "const at = document.activeElement;
        if (!at?.matches(arguments[0])) return at?.closest('.cm-editor') ? 'editor' : 'elsewhere';
        // The message box has the ring of its field.
        const style = getComputedStyle(at.closest('.composer-box') && at.matches('textarea') ? at.parentElement : at);
        return style.outlineStyle !== 'none' || style.boxShadow !== 'none' ? 'seen' : 'unseen'";
    for _ in 0..FAR {
        let state = page.eval(FOCUS_STATE, &[selector.as_str().into()]).await?;
        ensure!(state != "unseen", "the focus on {selector} cannot be seen");
        if state == "seen" {
            return Ok(());
        }
        if state == "editor" {
            page.press(Key::Escape).await?;
        }
        page.press(Key::Tab).await?;
    }
    bail!("{selector} cannot be reached by Tab")
}
