//! Flows for the settings: one section at a time, a provider by base URL, stored keys, and agents added, moved and
//! removed.

use anyhow::{Result, ensure};
use serde_json::{Value, json};
use thirtyfour::Key;

use crate::app;
use crate::fixture::Fixture;
use crate::flows::backups;
use crate::page::Page;
use crate::provider::{Answer, KEY};
use crate::selectors::*;

const PASSPHRASE_WORDS: &str = "four canary words here";

/// The card of a provider.
fn card(id: &str) -> Selector {
    PROVIDER_CARD.with("data-provider", id)
}

/// A check of the connection test in a state.
fn step(check: &str, state: &str) -> Selector {
    PROVIDER_TEST_STEP.with("data-check", check).with("data-state", state)
}

/// The settings before the first start: search, changed agents, an added provider.
pub(crate) async fn newcomer(fixture: &mut Fixture) -> Result<()> {
    backups::search(fixture).await?;
    agents(fixture).await?;
    provider(fixture).await
}

/// A host by base URL: wrong key, right key, model list, and an agent with one of its models.
async fn provider(fixture: &mut Fixture) -> Result<()> {
    let home = fixture.site.url("/");
    let page = &fixture.page;
    page.click(PROVIDER_ADD).await?;
    page.click(PRESET_OTHER).await?;
    page.see(card("other")).await?;
    page.choose(card("other").inner(PROVIDER_PROTOCOL), "gemini").await?;
    let address = card("other").inner(PROVIDER_BASE_URL);
    let bare = fixture.provider.base_url().replace("http://", "");
    page.fill(address.clone(), &format!(" \"user:sk-1@{bare}\" ")).await?;
    page.press(Key::Tab).await?;
    page.see_text(card("other"), "enter the key in its own field").await?;
    page.fill(address.clone(), &format!("  {bare}/ ")).await?;
    page.press(Key::Tab).await?;
    let noted = "JSON.parse(localStorage.getItem('nexus_boot') ?? '{}').origins?.includes(arguments[0])";
    page.wait_for("the address to be noted", noted, &[json!(fixture.provider.base_url())]).await?;

    // On a device that was used before, the page must be reloaded first.
    fixture.page.reload().await?;
    let page = &fixture.page;
    page.hidden(card("other").inner(PROVIDER_RELOAD)).await?;
    page.fill(card("other").inner(PROVIDER_KEY), "AIza-surely-not-the-key-0000").await?;
    page.press(Key::Tab).await?;
    page.see(card("other").inner(KEY_STATE).with("data-held", "true")).await?;
    page.click(card("other").inner(PROVIDER_TEST)).await?;
    page.see(step("reached", "passed")).await?;
    page.see_text(step("key", "failed"), "API key not valid").await?;
    ensure!(!fixture.provider.take_errors().is_empty());

    page.fill(card("other").inner(PROVIDER_KEY), &format!(" \"Bearer {KEY}\"\n")).await?;
    page.press(Key::Tab).await?;
    page.click(card("other").inner(PROVIDER_TEST)).await?;
    page.see(step("key", "passed")).await?;
    page.see(step("models", "passed")).await?;
    ensure!(fixture.provider.take_errors().len() == 1, "the model list was not requested without the key");
    page.see(step("in-use", "unknown")).await?;
    page.click(card("other").inner(PROVIDER_USE)).await?;
    page.see_text(AGENT_MODEL_FACTS, "context").await?;

    fixture.page.eval("history.back()", &[]).await?;
    fixture.page.goto(&home).await?;
    fixture.page.see_text(FIRST_START, "will answer").await
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

/// Agents: added, moved, copied, deleted and restored, and imported from valid and invalid files.
async fn agents(fixture: &mut Fixture) -> Result<()> {
    let page = &fixture.page;
    let of = |key: &str| AGENT_SETTINGS.with("data-agent", key);
    let order = async || page.attributes(AGENT_SETTINGS, "data-agent").await;
    page.click(AGENT_ADD).await?;
    page.see(of("agent")).await?;
    page.click(of("agent").inner(AGENT_UP)).await?;
    page.see(Selector::css("[data-agent=agent] + [data-agent=critic]")).await?;
    ensure!(order().await? == ["architect", "engineer", "agent", "critic"]);
    page.click(of("critic").inner(AGENT_DUPLICATE)).await?;
    page.see(of("critic-2")).await?;
    page.click(of("critic").inner(AGENT_DELETE)).await?;
    page.hidden(of("critic")).await?;
    page.click(NOTICE_UNDO).await?;
    page.see(of("critic")).await?;
    app::enter(page, AGENT_NAME, "Critic").await?;
    page.see_text(of("architect"), "Another agent has this name.").await?;

    let file = |name: &str, extra: Value| {
        let mut agent = json!({
            "name": name, "soul": "You are Scout, who looks ahead.",
            "provider": {"protocol": "anthropic", "label": "Mine"}, "model": {"id": "some-model"},
        });
        if let (Some(agent), Value::Object(extra)) = (agent.as_object_mut(), extra) {
            agent.extend(extra);
        }
        json!({"nexus": "agent", "version": 1, "agent": agent}).to_string()
    };
    let choose = "(() => { const input = document.querySelector(arguments[0]); const files = new DataTransfer(); \
        files.items.add(new File([arguments[1]], 'agent.json')); input.files = files.files; \
        input.dispatchEvent(new Event('change', {bubbles: true})); })()";
    let input = json!(Selector::from(AGENT_IMPORT).as_str());
    page.eval(choose, &[input.clone(), json!(file("Scout", json!({"api_key": "sk-1"})))]).await?;
    page.see_text(AGENT_IMPORT_PROBLEM, "agent.api_key").await?;
    page.eval(
        choose,
        &[input, json!(file("Scout", json!({"permissions": {"tools_denied": ["write_file"]}})))],
    )
    .await?;
    page.see(of("scout")).await?;
    page.see_text(NOTICE, "it uses the demo").await?;
    ensure!(page.text(AGENT_IMPORT_PROBLEM).await?.is_empty());
    Ok(())
}

/// Links of the section list.
const LINKS: &str = ".settings-link [data-section]";

/// Ids of the sections, in order.
pub(crate) async fn section_ids(page: &Page) -> Result<Vec<String>> {
    page.see(SETTINGS).await?;
    page.attributes(Selector::css(LINKS), "data-section").await
}

/// One section is shown and marked; URLs, the back button, the search and the browser's own search lead to others; a
/// narrow screen goes from the list to a section and back.
pub(crate) async fn sections(fixture: &mut Fixture) -> Result<()> {
    const SHOWN: &str = "[...document.querySelectorAll('.settings-part')].filter(part => part.firstElementChild.checkVisibility())
        .map(part => part.dataset.reveals)";
    let settings = fixture.site.url("/settings/");
    fixture.page.goto(&settings).await?;
    let page = &fixture.page;
    let only = async |page: &Page, id: &str| {
        let is_only = format!("JSON.stringify({SHOWN}) === JSON.stringify([arguments[0]])");
        page.wait_for(&format!("only {id} to be shown"), &is_only, &[json!(id)]).await?;
        let marked = page.attributes(Selector::css(".settings-link [aria-current]"), "data-section").await?;
        ensure!(marked == [id], "{marked:?} are marked, not {id}");
        anyhow::Ok(())
    };
    only(page, "settings-you").await?;
    for id in section_ids(page).await? {
        page.click(Selector::css(&format!("{LINKS}[data-section={id}]"))).await?;
        only(page, &id).await?;
        page.wait_for(
            "its heading to have the focus",
            "document.activeElement?.id === arguments[0]",
            &[json!(id)],
        )
        .await?;
        ensure!(page.address().await? == format!("/settings/?at={id}"), "{}", page.address().await?);
    }
    page.eval("history.back()", &[]).await?;
    only(page, "settings-data").await?;

    // By keys: arrows move in the list.
    page.eval("document.querySelector('[data-section=settings-you]').focus()", &[]).await?;
    page.press(Key::Down).await?;
    page.press(Key::Enter).await?;
    only(page, "settings-providers").await?;

    // All sections are searched, and a link ends the search.
    page.fill(SETTINGS_SEARCH, "tokens").await?;
    let several = format!("({SHOWN}).length > 1");
    page.wait_for("hits in several sections", &several, &[]).await?;
    page.click(Selector::css(&format!("{LINKS}[data-section=settings-core]"))).await?;
    only(page, "settings-core").await?;
    ensure!(page.text(SETTINGS_SEARCH).await?.is_empty());
    // A match of the browser's own search shows its section.
    page.eval(
        "document.getElementById('theme').dispatchEvent(new Event('beforematch', { bubbles: true }))",
        &[],
    )
    .await?;
    only(page, "settings-appearance").await?;

    // URL of one field.
    let field = format!("{settings}?at=engineer-model");
    fixture.page.goto(&field).await?;
    only(&fixture.page, "settings-agents").await?;
    let at_field = "document.activeElement?.id === 'engineer-model'";
    fixture.page.wait_for("the field to have the focus", at_field, &[]).await?;

    fixture.page.resize(360, 780).await?;
    fixture.page.goto(&settings).await?;
    let page = &fixture.page;
    page.wait_for("the list alone", &format!("({SHOWN}).length === 0"), &[]).await?;
    page.click(Selector::css(&format!("{LINKS}[data-section=settings-voice]"))).await?;
    page.hidden(Selector::css(LINKS)).await?;
    only(page, "settings-voice").await?;
    page.click(SETTINGS_SECTIONS).await?;
    page.see(Selector::css(LINKS)).await?;
    let at_link = "document.activeElement?.dataset.section === 'settings-voice'";
    page.wait_for("the list to have the focus again", at_link, &[]).await?;
    page.fill(SETTINGS_SEARCH, "theme").await?;
    page.see(THEME_SELECT).await?;
    page.hidden(Selector::css(LINKS)).await
}
