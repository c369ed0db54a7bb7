//! Flows for providers whose origin a browser does not let the page call. The rest of the settings of providers is
//! tested in `tests/web/providers.rs`.

use anyhow::{Result, ensure};
use nexus_model::provider::Protocol;

use crate::agent_setup;
use crate::app;
use crate::fixture::Fixture;
use crate::page::Page;
use crate::provider::{Answer, Provider, key_of, model_of};
use crate::selectors::*;

/// Waits for this state of a check in the connection test.
async fn saw(page: &Page, provider: &str, check: &str, state: &str) -> Result<()> {
    let step = agent_setup::card(provider).inner(PROVIDER_TEST_STEP);
    page.see(step.with("data-check", check).with("data-state", state)).await
}

/// A provider that rejects the page, and an address that needs a reload.
pub(crate) async fn connections(fixture: &mut Fixture) -> Result<()> {
    app::set_up(fixture).await?;
    refused_origin(fixture).await?;
    app::start_over(fixture).await?;
    other_origin(fixture).await
}

/// Ollama rejects the page's origin: the page says that it got no response and what to do, and claims no cause. Once
/// Ollama's operator has allowed it, it works.
async fn refused_origin(fixture: &mut Fixture) -> Result<()> {
    fixture.expect_fault("has been blocked by CORS policy");
    let page = &fixture.page;
    agent_setup::open_settings(page).await?;
    let id =
        agent_setup::add_provider(page, Protocol::Ollama, &fixture.provider.base_url_of(Protocol::Ollama))
            .await?;
    fixture.provider.reject_origins(true);
    page.click(agent_setup::card(&id).inner(PROVIDER_TEST)).await?;
    saw(page, &id, "reached", "failed").await?;
    page.see_text(agent_setup::card(&id), "Was Ollama started with OLLAMA_ORIGINS=").await?;
    ensure!(fixture.provider.requests().is_empty(), "a rejected request was counted");
    fixture.provider.reject_origins(false);
    page.click(agent_setup::card(&id).inner(PROVIDER_TEST)).await?;
    saw(page, &id, "reached", "passed").await?;
    saw(page, &id, "models", "passed").await?;
    agent_setup::assign(page, "critic", &id, model_of(Protocol::Ollama)).await?;
    agent_setup::leave_settings(page).await?;
    fixture.provider.reset();
    fixture.provider.queue_for("Critic", Answer::say("From next door."));
    app::send_to(&fixture.page, "critic", "Where are you?").await?;
    fixture.page.see_text(answers_of("critic"), "From next door.").await?;
    app::idle(&fixture.page).await
}

/// A base URL that the page's policy does not allow: nothing is called before a reload, which a button offers; the
/// key is lost by it.
async fn other_origin(fixture: &mut Fixture) -> Result<()> {
    let other_provider = Provider::start()?;
    agent_setup::open_settings(&fixture.page).await?;
    let id =
        agent_setup::add_provider(&fixture.page, Protocol::Anthropic, &other_provider.base_url()).await?;
    let key = key_of(Protocol::Anthropic).unwrap_or_default();
    fixture.page.click(agent_setup::card(&id).inner(PROVIDER_TEST)).await?;
    fixture.page.see(agent_setup::card(&id).inner(PROVIDER_RELOAD)).await?;
    ensure!(
        other_provider.requests().is_empty() && other_provider.preflights().is_empty(),
        "it was called all the same"
    );
    let button = Selector::css(&format!("{} button", agent_setup::card(&id).inner(PROVIDER_RELOAD)));
    fixture.page.click(button).await?;
    fixture.page.hidden(PROVIDER_RELOAD).await?;
    fixture.page.see(SETTINGS).await?;
    agent_setup::open_card(&fixture.page, &id).await?;
    app::enter(&fixture.page, agent_setup::card(&id).inner(PROVIDER_KEY), key).await?;
    fixture.page.click(agent_setup::card(&id).inner(PROVIDER_TEST)).await?;
    saw(&fixture.page, &id, "models", "passed").await?;
    saw(&fixture.page, &id, "key", "passed").await?;
    ensure!(other_provider.take_errors().len() == 1, "the model list was not requested without the key");
    ensure!(other_provider.requests().len() == 2 && fixture.provider.requests().is_empty());
    Ok(())
}
