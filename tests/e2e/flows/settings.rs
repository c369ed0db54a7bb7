//! Flows for the settings: sections on a narrow screen, and stored keys. The rest of the settings is tested in
//! `tests/web/settings.rs`.

use anyhow::{Result, ensure};
use serde_json::{Value, json};
use thirtyfour::Key;

use crate::app;
use crate::fixture::Fixture;
use crate::page::Page;
use crate::provider::{Answer, KEY};
use crate::selectors::*;

const PASSPHRASE_WORDS: &str = "four canary words here";

/// The card of a provider.
fn card(id: &str) -> Selector {
    PROVIDER_CARD.with("data-provider", id)
}

/// A key under a passphrase: readable nowhere, available after a reload, requested when it is first needed.
pub(crate) async fn keys(fixture: &mut Fixture) -> Result<()> {
    app::set_up(fixture).await?;
    let page = &fixture.page;
    page.click(OPEN_SETTINGS).await?;
    page.see(SETTINGS).await?;
    page.click(KEY_KEEP_PASSPHRASE).await?;
    page.fill(PASSPHRASE, "short").await?;
    page.click(KEY_REMEMBER).await?;
    page.see_text(card("gemini"), "At least 8 characters").await?;
    page.fill(PASSPHRASE, PASSPHRASE_WORDS).await?;
    page.click(KEY_REMEMBER).await?;
    page.see_text(KEY_STATE, "with your passphrase, and unlocked").await?;
    let stored = format!("{}{}", page.database().await?, page.all_local().await?);
    ensure!(stored.contains("cipher"), "nothing was stored");
    ensure!(!stored.contains(KEY) && !stored.contains(PASSPHRASE_WORDS), "it can be read");
    page.click(KEY_LOCK).await?;
    page.see_text(KEY_STATE, "and locked").await?;

    let home = fixture.site.url("/");
    fixture.page.goto(&home).await?;
    let page = &fixture.page;
    page.see(WAR_ROOM).await?;
    fixture.provider.queue_for("Engineer", Answer::say("Here I am."));
    app::send_to(page, "engineer", "Are you there?").await?;
    page.see(UNLOCK_DIALOG).await?;
    page.fill(UNLOCK_DIALOG.inner(PASSPHRASE), "not the passphrase").await?;
    page.click(UNLOCK_DIALOG.inner(UNLOCK)).await?;
    page.see_text(UNLOCK_DIALOG, "Wrong passphrase").await?;
    ensure!(fixture.provider.requests().is_empty(), "it was called without a key");
    page.fill(UNLOCK_DIALOG.inner(PASSPHRASE), PASSPHRASE_WORDS).await?;
    page.click(UNLOCK_DIALOG.inner(UNLOCK)).await?;
    page.hidden(UNLOCK_DIALOG).await?;
    page.see_text(answers_of("engineer"), "Here I am.").await?;
    let events = app::events(page).await?;
    ensure!(!Value::from(events).to_string().contains(KEY), "an event contains the key");
    Ok(())
}

/// A new passphrase; and another tab, which notices the change by itself.
pub(crate) async fn passphrase(fixture: &mut Fixture) -> Result<()> {
    const OTHER_WORDS: &str = "five other canary words here";
    app::set_up(fixture).await?;
    let page = &fixture.page;
    page.click(OPEN_SETTINGS).await?;
    page.see(SETTINGS).await?;
    page.click(KEY_KEEP_PASSPHRASE).await?;
    page.fill(PASSPHRASE, PASSPHRASE_WORDS).await?;
    page.click(KEY_REMEMBER).await?;
    page.see_text(KEY_STATE, "and unlocked").await?;
    let first = page.tab().await?;
    let settings = fixture.site.url("/settings/");
    let second = fixture.page.open_tab(&settings).await?;
    let page = &fixture.page;
    page.see_text(KEY_STATE, "and locked").await?;
    page.fill(PASSPHRASE, PASSPHRASE_WORDS).await?;
    page.click(UNLOCK).await?;
    page.see_text(KEY_STATE, "and unlocked").await?;

    page.click(PASSPHRASE_CHANGE).await?;
    page.fill(PASSPHRASE_NOW, "not the passphrase").await?;
    page.fill(PASSPHRASE_NEXT, "short").await?;
    page.click(PASSPHRASE_CHANGE_YES).await?;
    page.see_text(card("gemini"), "At least 8 characters").await?;
    page.fill(PASSPHRASE_NEXT, OTHER_WORDS).await?;
    page.click(PASSPHRASE_CHANGE_YES).await?;
    page.see_text(card("gemini"), "Wrong passphrase").await?;
    page.fill(PASSPHRASE_NOW, PASSPHRASE_WORDS).await?;
    page.click(PASSPHRASE_CHANGE_YES).await?;
    page.hidden(PASSPHRASE_NEXT).await?;
    page.see_text(KEY_STATE, "and unlocked").await?;
    let stored = format!("{}{}", page.database().await?, page.all_local().await?);
    ensure!(stored.contains("cipher"), "nothing is stored any more");
    for secret in [KEY, PASSPHRASE_WORDS, OTHER_WORDS] {
        ensure!(!stored.contains(secret), "it can be read");
    }

    // The other tab locked itself, and opens with the new passphrase only.
    page.switch_to(&first).await?;
    page.see_text(KEY_STATE, "and locked").await?;
    page.fill(PASSPHRASE, PASSPHRASE_WORDS).await?;
    page.click(UNLOCK).await?;
    page.see_text(card("gemini"), "Wrong passphrase").await?;
    page.fill(PASSPHRASE, OTHER_WORDS).await?;
    page.click(UNLOCK).await?;
    page.see_text(KEY_STATE, "and unlocked").await?;
    page.click(KEY_FORGET).await?;
    page.see_text(KEY_STATE, "No API key in this tab").await?;
    page.switch_to(&second).await?;
    page.see_text(KEY_STATE, "No API key in this tab").await?;
    ensure!(!page.database().await?.to_string().contains("cipher"), "it is still stored");
    Ok(())
}

/// An unencrypted key only after consent; available after a reload, removed when it is moved to this tab only.
pub(crate) async fn in_the_clear(fixture: &mut Fixture) -> Result<()> {
    app::set_up_by_first_start(fixture).await?;
    fixture.page.click(OPEN_SETTINGS).await?;
    let page = &fixture.page;
    page.click(KEY_KEEP_CLEAR).await?;
    page.see(KEY_CLEAR_YES).await?;
    page.press(Key::Escape).await?;
    page.hidden(KEY_CLEAR_YES).await?;
    let has_focus = "document.activeElement !== document.body && document.activeElement != null";
    page.wait_for("the choice to have the focus again", has_focus, &[]).await?;
    page.click(KEY_KEEP_CLEAR).await?;
    page.see(KEY_CLEAR_YES).await?;
    ensure!(!page.database().await?.to_string().contains(KEY), "stored without consent");
    page.click(KEY_CLEAR_CONSENT).await?;
    page.click(KEY_CLEAR_YES).await?;
    page.see_text(KEY_STATE, "unencrypted").await?;
    let settings = fixture.site.url("/settings/");
    fixture.page.goto(&settings).await?;
    fixture.page.see_text(KEY_STATE, "unencrypted").await?;
    fixture.page.click(KEY_KEEP_TAB).await?;
    fixture.page.see_text(KEY_STATE, "The API key is in this tab only.").await?;
    ensure!(!fixture.page.database().await?.to_string().contains(KEY), "it is still there");
    fixture.page.reload().await?;
    fixture.page.see_text(KEY_STATE, "No API key in this tab.").await?;

    // Another host does not get it.
    app::enter(&fixture.page, PROVIDER_KEY, KEY).await?;
    fixture.page.see(KEY_STATE.with("data-held", "true")).await?;
    app::set_address(&fixture.page, "http://127.0.0.1:9").await?;
    fixture.page.see_text(KEY_STATE, "No API key in this tab.").await?;
    fixture.page.see(PROVIDER_RELOAD).await?;
    fixture.page.click(PROVIDER_REMOVE).await?;
    fixture.page.see_text(card("gemini"), "Architect, Engineer and Critic use").await?;
    fixture.page.click(PROVIDER_REMOVE_YES).await?;
    fixture.page.hidden(card("gemini")).await?;
    fixture.page.see_count(BANNER.with("data-kind", "rehearsal"), 0).await
}

/// Links of the section list.
const LINKS: &str = ".settings-link [data-section]";

/// Ids of the sections, in order.
pub(crate) async fn section_ids(page: &Page) -> Result<Vec<String>> {
    page.see(SETTINGS).await?;
    page.attributes(Selector::css(LINKS), "data-section").await
}

/// The target of a link is not below the bar; a narrow screen goes from the list to a section and back.
pub(crate) async fn sections(fixture: &mut Fixture) -> Result<()> {
    const SHOWN: &str = "[...document.querySelectorAll('.settings-part')].filter(part => part.firstElementChild.checkVisibility())
        .map(part => part.dataset.reveals)";
    let settings = fixture.site.url("/settings/");
    fixture.page.goto(&settings).await?;
    fixture.page.click(Selector::css("[data-section=settings-costs]")).await?;
    fixture.page.see(Selector::css("#settings-costs")).await?;
    let script = "const heading = document.getElementById('settings-costs');
        const { left, top } = heading.getBoundingClientRect();
        return heading.contains(document.elementFromPoint(left + 2, top + 2));";
    ensure!(fixture.page.eval(script, &[]).await? == json!(true), "the heading is under the bar");

    fixture.page.resize(360, 780).await?;
    fixture.page.goto(&settings).await?;
    let page = &fixture.page;
    page.wait_for("the list alone", &format!("({SHOWN}).length === 0"), &[]).await?;
    page.click(Selector::css(&format!("{LINKS}[data-section=settings-voice]"))).await?;
    page.hidden(Selector::css(LINKS)).await?;
    let is_only = format!("JSON.stringify({SHOWN}) === '[\"settings-voice\"]'");
    page.wait_for("only the section to be shown", &is_only, &[]).await?;
    page.click(SETTINGS_SECTIONS).await?;
    page.see(Selector::css(LINKS)).await?;
    let at_link = "document.activeElement?.dataset.section === 'settings-voice'";
    page.wait_for("the list to have the focus again", at_link, &[]).await?;
    page.fill(SETTINGS_SEARCH, "theme").await?;
    page.see(THEME_SELECT).await?;
    page.hidden(SETTINGS_NAME).await?;
    page.hidden(Selector::css(LINKS)).await
}
