//! The main job without a mouse. Never clicks, never sets the focus by script.

use anyhow::{Result, bail, ensure};
use thirtyfour::Key;

use crate::app::{self, NAME};
use crate::page::Page;
use crate::parts::*;
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

/// Presses Tab until this part has the focus, and checks that one can see that it has.
async fn reach(page: &Page, part: Part) -> Result<()> {
    const FAR: usize = 120;
    let spot = Spot::from(part);
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
