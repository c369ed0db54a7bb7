//! Configures agents on further providers in the settings. Asserts nothing itself.

use std::time::Instant;

use anyhow::{Context, Result, ensure};
use nexus_model::provider::Protocol;
use serde_json::json;

use crate::app;
use crate::fixture::Fixture;
use crate::page::{POLL_INTERVAL, Page, TIMEOUT};
use crate::provider::{key_of, model_of};
use crate::selectors::*;

/// Opens the settings by the link in the war room.
pub(crate) async fn open_settings(page: &Page) -> Result<()> {
    page.click(OPEN_SETTINGS).await?;
    page.see(SETTINGS).await
}

/// Returns to the war room.
pub(crate) async fn leave_settings(page: &Page) -> Result<()> {
    page.eval("history.back()", &[]).await?;
    page.see(WAR_ROOM).await
}

pub(crate) fn card(provider: &str) -> Selector {
    PROVIDER_CARD.with("data-provider", provider)
}

/// Adds a provider of this protocol with this base URL, in the settings, and returns its id.
pub(crate) async fn add_provider(page: &Page, protocol: Protocol, address: &str) -> Result<String> {
    let preset = match protocol {
        Protocol::Responses => PRESET_OPENAI,
        Protocol::Anthropic => PRESET_ANTHROPIC,
        Protocol::Ollama => PRESET_OLLAMA,
        Protocol::Gemini | Protocol::Openai => PRESET_OTHER,
    };
    let id = add_preset(page, preset, address).await?;
    if preset == PRESET_OTHER {
        page.choose(card(&id).inner(PROVIDER_PROTOCOL), protocol.name()).await?;
    }
    Ok(id)
}

/// Adds a provider preset with this base URL, unfolds its card, and returns its id.
pub(crate) async fn add_preset(page: &Page, preset: TestId, address: &str) -> Result<String> {
    let before = page.attributes(PROVIDER_CARD, "data-provider").await?;
    page.click(PROVIDER_ADD).await?;
    page.click(preset).await?;
    page.see_count(PROVIDER_CARD, before.len() + 1).await?;
    let after = page.attributes(PROVIDER_CARD, "data-provider").await?;
    let fresh = after.into_iter().find(|id| !before.contains(id)).context("the new provider has no id")?;
    open_card(page, &fresh).await?;
    app::enter(page, card(&fresh).inner(PROVIDER_BASE_URL), address).await?;
    // The card's summary shows the stored address, the field only the typed one.
    page.see_text(card(&fresh), address).await?;
    Ok(fresh)
}

/// Unfolds the card of this provider.
pub(crate) async fn open_card(page: &Page, provider: &str) -> Result<()> {
    let selector = card(provider);
    page.see(selector.clone()).await?;
    page.eval("document.querySelector(arguments[0]).open = true", &[json!(selector.as_str())]).await.map(drop)
}

/// Assigns a provider and model to an agent, in the settings.
pub(crate) async fn assign(page: &Page, agent: &str, provider: &str, model: &str) -> Result<()> {
    let form = AGENT_SETTINGS.with("data-agent", agent);
    let (select, field) = (form.clone().inner(AGENT_PROVIDER), form.inner(AGENT_MODEL));
    page.see(select.clone()).await?;
    page.choose(select.clone(), provider).await?;
    // A new provider sets the field to its first model, over any typed text: the form has settled once it agrees with
    // the store.
    settled(page, agent, "data.config.provider === arguments[1]", &[&select, &field], provider).await?;
    app::enter(page, field.clone(), model).await?;
    settled(page, agent, "data.config.model === arguments[1]", &[&select, &field], model).await
}

/// Waits until the stored agent fulfils the condition `this` (on `data` and `word`), and its form shows the stored
/// provider and model.
async fn settled(page: &Page, agent: &str, this: &str, form: &[&Selector; 2], word: &str) -> Result<()> {
    let [select, field] = form.map(Selector::as_str);
    let script = format!(
        "const open = indexedDB.open('nexus');
        await new Promise((resolve, reject) => {{ open.onsuccess = resolve; open.onerror = () => reject(open.error); }});
        const row = open.result.transaction('agents').objectStore('agents').get(arguments[0]);
        await new Promise((resolve, reject) => {{ row.onsuccess = resolve; row.onerror = () => reject(row.error); }});
        open.result.close();
        const data = row.result;
        const [provider, model] = [arguments[2], arguments[3]].map(each => document.querySelector(each)?.value);
        return [({this}) && provider === data.config.provider && model === data.config.model,
            {{ provider, model, stored: data?.config }}];"
    );
    let words = [json!(agent), json!(word), json!(select), json!(field)];
    let until = Instant::now() + TIMEOUT;
    loop {
        let state = page.eval_async(&script, &words).await?;
        if state.get(0) == Some(&json!(true)) {
            return Ok(());
        }
        ensure!(Instant::now() < until, "{agent} was not set to {word:?}: {state}");
        tokio::time::sleep(POLL_INTERVAL).await;
    }
}

/// Gives each agent a provider of its protocol at the fake provider, with the first model of that service. Starts and
/// ends in the war room. Returns the ids of the new providers, in the order of the agents.
pub(crate) async fn spread(fixture: &Fixture, team: &[(&str, Protocol)]) -> Result<Vec<String>> {
    let page = &fixture.page;
    open_settings(page).await?;
    let mut ids = Vec::new();
    for (agent, protocol) in team {
        let id = add_provider(page, *protocol, &fixture.provider.base_url_of(*protocol)).await?;
        if let Some(key) = key_of(*protocol) {
            app::enter(page, card(&id).inner(PROVIDER_KEY), key).await?;
        }
        assign(page, agent, &id, model_of(*protocol)).await?;
        ids.push(id);
    }
    leave_settings(page).await?;
    Ok(ids)
}

/// Sets an agent's rule for a tool: `ask` or `deny`. Starts and ends in the war room.
pub(crate) async fn rule(page: &Page, agent: &str, tool: &str, ruling: &str) -> Result<()> {
    open_settings(page).await?;
    let select = AGENT_SETTINGS.with("data-agent", agent).inner(AGENT_TOOL).with("data-tool", tool);
    let unfold = "document.querySelector(arguments[0]).closest('details').open = true";
    let exists = "document.querySelector(arguments[0])";
    page.wait_for(&format!("the rule of {agent} for {tool}"), exists, &[json!(select.as_str())]).await?;
    page.eval(unfold, &[json!(select.as_str())]).await?;
    page.choose(select, ruling).await?;
    leave_settings(page).await
}
