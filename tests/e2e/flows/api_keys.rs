//! The flow for a key that is requested once, with its storage. The banner of a missing key and the error card are
//! tested in `tests/web/keys.rs`.

use anyhow::{Result, ensure};

use crate::app::{self, NAME, OBJECTIVE};
use crate::fixture::Fixture;
use crate::page::Page;
use crate::provider::{Answer, KEY};
use crate::selectors::*;

const PASSPHRASE_WORDS: &str = "four canary words here";

fn missing() -> Selector {
    BANNER.with("data-kind", "no-key")
}

/// True if any storage of the device contains this text.
async fn holds(page: &Page, text: &str) -> Result<bool> {
    Ok(format!("{}{}", page.database().await?, page.all_local().await?).contains(text))
}

/// A prototype that an extension has polluted before the start.
const POLLUTED: &str = "Object.prototype.toJSON = () => 'gone'; Object.prototype.get = 1;";

/// The first screen asks where to store the key. The choice applies from then on, and is not asked again.
/// A polluted object prototype does not break any of it.
pub(crate) async fn requested_once(fixture: &mut Fixture) -> Result<()> {
    fixture.page.in_every_document(POLLUTED).await?;
    for agent in ["Architect", "Engineer", "Critic"] {
        fixture.provider.queue_for(agent, Answer::say(&format!("{agent} is ready.")));
    }
    let (settings, home) = (fixture.site.url("/settings/"), fixture.site.url("/"));
    fixture.page.goto(&settings).await?;
    app::set_address(&fixture.page, &fixture.provider.base_url()).await?;
    fixture.page.goto(&home).await?;
    let page = &fixture.page;
    page.see(FIRST_START).await?;
    ensure!(page.count(PLACE_PASSPHRASE).await? == 0, "it asks where to store a key without a key");
    page.fill(FIRST_NAME, NAME).await?;
    page.fill(FIRST_KEY, KEY).await?;
    page.fill(FIRST_OBJECTIVE, OBJECTIVE).await?;
    page.see_text(FIRST_START, "Lost when the tab is closed or reloaded").await?;
    page.see(PLACE_TAB).await?;
    page.click(PLACE_CLEAR).await?;
    page.see(PLACE_AGREED).await?;
    page.click(FIRST_GO).await?;
    page.see_text(FIRST_START, "Confirm that others may read the key").await?;
    page.click(PLACE_PASSPHRASE).await?;
    page.fill(PLACE_WORDS, "short").await?;
    page.click(FIRST_GO).await?;
    page.see_text(FIRST_START, "At least 8 characters").await?;
    ensure!(fixture.provider.requests().is_empty(), "it began without a place for the key");
    page.fill(PLACE_WORDS, PASSPHRASE_WORDS).await?;
    page.click(FIRST_GO).await?;
    page.see(WAR_ROOM).await?;
    page.see_text(answers_of("critic"), "Critic is ready.").await?;
    app::idle(page).await?;
    ensure!(holds(page, "cipher").await?, "the key was not stored");
    ensure!(!holds(page, KEY).await? && !holds(page, PASSPHRASE_WORDS).await?, "it can be read");

    fixture.page.reload().await?;
    let page = &fixture.page;
    page.see(WAR_ROOM).await?;
    fixture.provider.queue_for("Engineer", Answer::say("Here I am."));
    app::send_to(page, "engineer", "Are you there?").await?;
    page.see(UNLOCK_DIALOG).await?;
    ensure!(page.count(missing()).await? == 0, "a locked key is called missing");
    page.fill(UNLOCK_DIALOG.inner(PASSPHRASE), PASSPHRASE_WORDS).await?;
    page.click(UNLOCK_DIALOG.inner(UNLOCK)).await?;
    page.see_text(answers_of("engineer"), "Here I am.").await?;
    app::idle(page).await?;

    // Removed and entered again: it is stored as before, without a question.
    page.click(OPEN_SETTINGS).await?;
    page.click(KEY_FORGET).await?;
    page.see_text(KEY_STATE, "No API key in this tab").await?;
    page.eval("history.back()", &[]).await?;
    page.see(WAR_ROOM).await?;
    page.click(missing().inner(BANNER_KEY)).await?;
    page.see_text(missing().inner(PLACE_BEFORE), "encrypted with your passphrase").await?;
    page.fill(missing().inner(MISSING_KEY), KEY).await?;
    page.fill(missing().inner(PLACE_WORDS), PASSPHRASE_WORDS).await?;
    page.click(missing().inner(MISSING_KEY_SAVE)).await?;
    page.hidden(missing()).await?;
    page.click(OPEN_SETTINGS).await?;
    page.see_text(KEY_STATE, "with your passphrase, and unlocked").await?;
    ensure!(!holds(page, KEY).await?, "it can be read");
    Ok(())
}
