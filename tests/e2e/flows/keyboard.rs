//! The main job without a mouse. Never clicks, never sets the focus by script.

use anyhow::{Result, bail, ensure};
use serde_json::json;
use thirtyfour::Key;

use crate::app::{self, NAME};
use crate::page::Page;
use crate::parts::*;
use crate::provider::Answer;
use crate::stage::Stage;

/// From the first start to a second message, a stop and a mute, by keys alone.
pub(crate) async fn only(stage: &mut Stage) -> Result<()> {
    let home = stage.site.url("/");
    stage.page.goto(&home).await?;
    let page = &stage.page;
    page.see(FIRST_START).await?;
    reach(page, FIRST_NAME).await?;
    page.press(NAME).await?;
    reach(page, FIRST_REHEARSAL).await?;
    page.press(Key::Space).await?;
    reach(page, FIRST_OBJECTIVE).await?;
    page.press("A page with a quiz about birds").await?;
    reach(page, FIRST_GO).await?;
    page.press(Key::Enter).await?;
    page.see(WAR_ROOM).await?;
    app::ended(page, "critic", "completed", None).await?;
    app::idle(page).await?;

    reach(page, COMPOSER).await?;
    page.press("@Engineer more birds").await?;
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

/// First start, run, approval, compare, settings, audit and back, by keys alone: by Tab and Enter, by single keys, and by
/// the palette.
pub(crate) async fn every_screen(stage: &mut Stage) -> Result<()> {
    app::set_up(stage).await?;
    let page = &stage.page;
    // The rule that makes the Engineer ask.
    reach(page, OPEN_SETTINGS).await?;
    page.press(Key::Enter).await?;
    page.see(SETTINGS).await?;
    palette(page, "settings of engineer").await?;
    let at_card = "document.activeElement?.closest('[data-agent=engineer]') != null";
    page.wait_for("the card to have the focus", at_card, &[]).await?;
    reach_spot(page, &Spot::css("#engineer-rules")).await?;
    page.press(Key::Enter).await?;
    reach_spot(page, &rule_of("engineer", "write_file")).await?;
    page.press("Ask").await?;
    page.see_words(rule_of("engineer", "write_file"), "ask").await?;
    palette(page, "war room").await?;
    page.see(WAR_ROOM).await?;

    let asked = json!({ "name": "asked.txt", "content": "as asked\n" });
    stage.provider.queue_for("Engineer", Answer::new().call("write_file", asked));
    stage.provider.queue_for("Engineer", Answer::say("Thank you."));
    palette(page, "write to engineer").await?;
    page.wait_for("the composer to have the focus", HAS_FOCUS, &[json!("composer")]).await?;
    page.press("Write it.").await?;
    page.press(Key::Enter).await?;
    page.see(APPROVAL_CARD).await?;
    palette(page, "what waits").await?;
    let at_card = "document.activeElement?.closest('[data-testid=approval-card]') != null";
    page.wait_for("the card to have the focus", at_card, &[]).await?;
    reach(page, APPROVAL_APPROVE).await?;
    page.press(Key::Enter).await?;
    page.see_words(answers_of("engineer"), "Thank you.").await?;
    app::idle(page).await?;
    page.see(FILE_TAB.with("data-file", "asked.txt")).await?;
    let kept = "document.activeElement !== document.body && document.activeElement != null";
    page.wait_for("the focus to be kept where the card was", kept, &[]).await?;

    palette(page, "board: compare").await?;
    page.wait_for("the changes to have the focus", HAS_FOCUS, &[json!("compare-list")]).await?;
    page.press("j").await?;
    let at = "document.querySelector('[data-testid=hunk]')?.dataset.at === 'true'";
    page.wait_for("the change to be marked", at, &[]).await?;
    page.press("a").await?;
    page.gone(HUNK).await?;
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
    page.wait_for("the focus to be in the war room", kept, &[]).await
}

const HAS_FOCUS: &str = "document.activeElement?.dataset.testid === arguments[0]";

/// What an agent may do with a tool.
fn rule_of(agent: &str, tool: &str) -> Spot {
    AGENT_SETTINGS.with("data-agent", agent).inner(AGENT_TOOL).with("data-tool", tool)
}

/// Does what the palette finds first under these words.
async fn palette(page: &Page, words: &str) -> Result<()> {
    page.press(Key::Control + "k").await?;
    page.wait_for("the palette to have the focus", HAS_FOCUS, &[json!("palette-input")]).await?;
    page.press(words).await?;
    page.see(PALETTE_ROW.with("aria-selected", "true")).await?;
    page.press(Key::Enter).await?;
    page.gone(PALETTE).await
}

/// Presses Tab until this part has the focus, and checks that one can see that it has.
async fn reach(page: &Page, part: Part) -> Result<()> {
    reach_spot(page, &Spot::from(part)).await
}

async fn reach_spot(page: &Page, spot: &Spot) -> Result<()> {
    const FAR: usize = 240;
    let has_focus = "return document.activeElement?.matches(arguments[0]) ?? false";
    for _ in 0..FAR {
        if page.eval(has_focus, &[spot.as_str().into()]).await? == true {
            let outlined = "const style = getComputedStyle(document.activeElement);
                return style.outlineStyle !== 'none' || style.boxShadow !== 'none'";
            ensure!(page.eval(outlined, &[]).await? == true, "the focus on {spot} cannot be seen");
            return Ok(());
        }
        // In the editor of files Tab indents, as it says itself; Escape first lets it go on.
        if page.eval("return document.activeElement?.closest('.cm-editor') != null", &[]).await? == true {
            page.press(Key::Escape).await?;
        }
        page.press(Key::Tab).await?;
    }
    bail!("{spot} cannot be reached by Tab")
}
