//! Where a key is requested: once with its storage, in a banner if it is missing, and in the error card.

use anyhow::{Result, ensure};

use crate::app::{self, NAME, OBJECTIVE};
use crate::fixture::Fixture;
use crate::flows::bad_input;
use crate::page::Page;
use crate::provider::{Answer, ApiError, KEY, Reply};
use crate::selectors::*;

const PASSPHRASE_WORDS: &str = "four canary words here";

fn missing() -> Selector {
    BANNER.with("data-kind", "no-key")
}

/// True if any storage of the device contains this text.
async fn holds(page: &Page, text: &str) -> Result<bool> {
    Ok(format!("{}{}", page.database().await?, page.all_local().await?).contains(text))
}

/// The first screen asks where to store the key. The choice applies from then on, and is not asked again.
pub(crate) async fn requested_once(fixture: &mut Fixture) -> Result<()> {
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

/// A prototype that an extension has polluted before the start.
const POLLUTED: &str = "Object.prototype.toJSON = () => 'gone'; Object.prototype.get = 1;";

/// A missing key is entered in the banner, a rejected one in the error card, an invalid one is reported. A polluted
/// object prototype does not break any of it.
pub(crate) async fn entered(fixture: &mut Fixture) -> Result<()> {
    fixture.page.in_every_document(POLLUTED).await?;
    app::set_up_by_first_start(fixture).await?;
    banner(fixture).await?;
    app::start_over(fixture).await?;
    in_error_card(fixture).await?;
    app::start_over(fixture).await?;
    bad_input::wrong_key(fixture).await
}

/// After a reload a banner names the provider and the agents without a key, and accepts a new one.
async fn banner(fixture: &mut Fixture) -> Result<()> {
    ensure!(fixture.page.count(missing()).await? == 0, "a key that is there is called missing");
    fixture.page.reload().await?;
    let page = &fixture.page;
    page.see_text(missing(), "No API key for").await?;
    page.see_text(missing(), "Architect, Engineer and Critic").await?;
    page.click(missing().inner(BANNER_KEY)).await?;
    page.see_text(missing().inner(PLACE_BEFORE), "this tab only").await?;
    page.fill(missing().inner(MISSING_KEY), "two words").await?;
    page.click(missing().inner(MISSING_KEY_SAVE)).await?;
    page.see_text(missing(), "An API key contains no spaces").await?;
    page.fill(missing().inner(MISSING_KEY), KEY).await?;
    page.click(missing().inner(MISSING_KEY_SAVE)).await?;
    page.hidden(missing()).await?;
    fixture.provider.queue_for("Engineer", Answer::say("Here I am."));
    app::ask(page, "engineer", "Are you there?", "Here I am.").await?;
    ensure!(!holds(page, KEY).await?, "the key of this tab is on the device");
    Ok(())
}

/// A rejected key and a missing one are entered in the error card; then all agents that lacked it are called.
async fn in_error_card(fixture: &mut Fixture) -> Result<()> {
    let api_error =
        ApiError { code: 401, status: "UNAUTHENTICATED", ..ApiError::argument("The key was withdrawn.") };
    fixture.provider.queue_for("Engineer", Reply::error(&api_error));
    fixture.provider.queue_for("Engineer", Answer::say("With another key."));
    app::send_to(&fixture.page, "engineer", "Are you there?").await?;
    let page = &fixture.page;
    page.see_text(ERROR_CARD, "The key was withdrawn.").await?;
    app::idle(page).await?;
    page.see_text(ERROR_CARD.inner(KEY_FORM), "Save and retry").await?;
    page.fill(ERROR_CARD.inner(MISSING_KEY), KEY).await?;
    page.click(ERROR_CARD.inner(MISSING_KEY_SAVE)).await?;
    page.see_text(answers_of("engineer"), "With another key.").await?;
    app::idle(page).await?;
    let events = serde_json::Value::from(app::events(page).await?).to_string();
    ensure!(!events.contains(KEY), "an event contains the key");

    fixture.page.reload().await?;
    let page = &fixture.page;
    page.see(WAR_ROOM).await?;
    // One card asks for the key that all agents lack, and all of them are called then.
    app::send_to(page, "ALL", "And you?").await?;
    page.see_text(ERROR_CARD, "No API key for").await?;
    page.see_text(RUN_CARD, "Engineer and Critic were not called").await?;
    app::idle(page).await?;
    page.see_count(ERROR_CARD.inner(KEY_FORM), 1).await?;
    for agent in ["Architect", "Engineer", "Critic"] {
        fixture.provider.queue_for(agent, Answer::say("I am here, too."));
    }
    page.fill(ERROR_CARD.inner(MISSING_KEY), KEY).await?;
    page.click(ERROR_CARD.inner(MISSING_KEY_SAVE)).await?;
    for agent in ["architect", "engineer", "critic"] {
        page.see_text(answers_of(agent), "I am here, too.").await?;
    }
    page.hidden(missing()).await?;
    page.hidden(RUN_CARD).await?;
    app::idle(page).await
}
