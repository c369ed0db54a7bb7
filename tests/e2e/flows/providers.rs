//! Flows for providers in the settings: add by address, test, fix, use.

use anyhow::{Context, Result, ensure};
use nexus_model::provider::Protocol;
use serde_json::json;

use crate::agent_setup;
use crate::app;
use crate::fixture::Fixture;
use crate::page::Page;
use crate::provider::{Answer, Provider, key_of, model_of, models_of};
use crate::selectors::*;

/// Waits for this state of a check in the connection test.
async fn saw(page: &Page, provider: &str, check: &str, state: &str) -> Result<()> {
    let step = agent_setup::card(provider).inner(PROVIDER_TEST_STEP);
    page.see(step.with("data-check", check).with("data-state", state)).await
}

/// A host by base URL: a wrong key, the right one, its model list, one model for an agent, an answer.
pub(crate) async fn add_by_address(fixture: &mut Fixture) -> Result<()> {
    const WRONG: &str = "gsk_surely0not0the0key0000000";
    app::set_up_by_first_start(fixture).await?;
    let page = &fixture.page;
    agent_setup::open_settings(page).await?;
    let id =
        agent_setup::add_provider(page, Protocol::Openai, &fixture.provider.base_url_of(Protocol::Openai))
            .await?;
    let card = agent_setup::card(&id);

    app::enter(page, card.clone().inner(PROVIDER_KEY), WRONG).await?;
    page.click(card.clone().inner(PROVIDER_TEST)).await?;
    saw(page, &id, "address", "passed").await?;
    saw(page, &id, "reached", "passed").await?;
    saw(page, &id, "key", "failed").await?;
    page.see_text(card.clone().inner(PROVIDER_TEST_STEP), "Incorrect API key provided").await?;
    ensure!(fixture.provider.take_errors().len() == 1, "it was tried more than once");
    ensure!(!page.visible_text().await?.contains(WRONG), "the key is on the screen");

    // As copied from a mail: with spaces and quotes around it.
    let right = key_of(Protocol::Openai).unwrap_or_default();
    app::enter(page, card.clone().inner(PROVIDER_KEY), &format!("  \"{right}\" ")).await?;
    page.click(card.clone().inner(PROVIDER_TEST)).await?;
    saw(page, &id, "key", "passed").await?;
    saw(page, &id, "models", "passed").await?;
    ensure!(fixture.provider.take_errors().len() == 1, "the model list was not requested without the key");
    let listed = fixture.provider.requests();
    ensure!(listed.iter().all(|request| request.path == "/v1/models"), "more than the list was requested");
    ensure!(listed.len() == 3, "{} requests", listed.len());

    let (model, _) = *models_of(Protocol::Openai).last().context("a service without models")?;
    agent_setup::assign(page, "engineer", &id, model).await?;
    let field = AGENT_SETTINGS.with("data-agent", "engineer").inner(AGENT_MODEL);
    let all: Vec<&str> = models_of(Protocol::Openai).iter().map(|(name, _)| *name).collect();
    let offered = "[...document.querySelector(arguments[0]).list.options].map(each => each.value).join(' ') === arguments[1]";
    let words = [json!(field.as_str()), json!(all.join(" "))];
    page.wait_for("the models of the list to be on offer", offered, &words).await?;
    agent_setup::leave_settings(page).await?;

    fixture.provider.reset();
    fixture.provider.queue_for("Engineer", Answer::say("From elsewhere."));
    app::send_to(&fixture.page, "engineer", "Where are you?").await?;
    fixture.page.see_text(answers_of("engineer"), "From elsewhere.").await?;
    let sent_request = fixture.request_of("Engineer", 1).await?;
    ensure!((sent_request.protocol, sent_request.model()) == (Protocol::Openai, model));
    ensure!(sent_request.header("authorization").is_some_and(|header| header == format!("Bearer {right}")));
    app::idle(&fixture.page).await?;

    let stored = format!("{}{}", fixture.page.database().await?, fixture.page.all_local().await?);
    ensure!(!stored.contains(right) && !stored.contains(WRONG), "a key was stored unasked");
    Ok(())
}

/// Two accounts of one provider, one that rejects the page, the test of each, and an address that needs a reload.
pub(crate) async fn connections(fixture: &mut Fixture) -> Result<()> {
    app::set_up(fixture).await?;
    two_accounts(fixture).await?;
    app::start_over(fixture).await?;
    refused_origin(fixture).await?;
    app::start_over(fixture).await?;
    test_each(fixture).await?;
    agent_setup::leave_settings(&fixture.page).await?;
    fixture.page.see_text(AGENT_CARD.with("data-agent", "architect"), "No tools").await?;
    app::start_over(fixture).await?;
    other_origin(fixture).await
}

/// Model list and connection test of each other service.
async fn test_each(fixture: &mut Fixture) -> Result<()> {
    let page = &fixture.page;
    agent_setup::open_settings(page).await?;
    for protocol in [Protocol::Responses, Protocol::Anthropic, Protocol::Ollama] {
        let id = agent_setup::add_provider(page, protocol, &fixture.provider.base_url_of(protocol)).await?;
        if let Some(key) = key_of(protocol) {
            app::enter(page, agent_setup::card(&id).inner(PROVIDER_KEY), key).await?;
        }
        page.click(agent_setup::card(&id).inner(PROVIDER_TEST)).await?;
        saw(page, &id, "reached", "passed").await?;
        saw(page, &id, "models", "passed").await?;
    }
    let paths: Vec<_> = fixture.provider.requests().iter().map(|request| request.path.clone()).collect();
    // With the key, and without it.
    let listed = ["/v1/models"; 4].into_iter().chain(["/api/tags"]);
    ensure!(paths.iter().eq(listed), "requested {paths:?}");
    ensure!(fixture.provider.take_errors().len() == 2, "the model lists were not requested without the keys");
    // A provider whose models cannot call tools, which the agent's card says.
    let id = agent_setup::add_provider(page, Protocol::Openai, "https://api.perplexity.ai").await?;
    agent_setup::assign(page, "architect", &id, "sonar").await?;
    let facts = AGENT_SETTINGS.with("data-agent", "architect").inner(AGENT_MODEL_FACTS);
    page.see_text(facts, "cannot call tools").await
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

/// Two accounts of one provider at one base URL: a card, a name and a key each. A wrong key of one is reported for
/// that one, and the other answers.
async fn two_accounts(fixture: &mut Fixture) -> Result<()> {
    const OTHER: &str = "sk-ant-another0account0000";
    let page = &fixture.page;
    agent_setup::open_settings(page).await?;
    let address = fixture.provider.base_url_of(Protocol::Anthropic);
    let right = key_of(Protocol::Anthropic).unwrap_or_default();
    let (first, second) = (
        agent_setup::add_provider(page, Protocol::Anthropic, &address).await?,
        agent_setup::add_provider(page, Protocol::Anthropic, &address).await?,
    );
    ensure!(first != second);
    app::enter(page, agent_setup::card(&first).inner(PROVIDER_KEY), right).await?;
    app::enter(page, agent_setup::card(&second).inner(PROVIDER_KEY), OTHER).await?;
    page.see_count(KEY_STATE.with("data-held", "true"), 3).await?;
    let names = page
        .eval(
            "return [...document.querySelectorAll(`${arguments[0]} option`)].map(each => each.textContent)",
            &[json!(AGENT_SETTINGS.with("data-agent", "engineer").inner(AGENT_PROVIDER).as_str())],
        )
        .await?;
    let names: Vec<_> =
        names.as_array().context("no names")?.iter().filter_map(|name| name.as_str()).collect();
    let two = names.iter().filter(|name| name.starts_with("Anthropic")).collect::<Vec<_>>();
    ensure!(matches!(two.as_slice(), [one, other] if one != other), "they have the same name: {names:?}");
    agent_setup::assign(page, "engineer", &first, model_of(Protocol::Anthropic)).await?;
    agent_setup::assign(page, "critic", &second, model_of(Protocol::Anthropic)).await?;
    // Choosing a provider lists its models: each account uses its own key.
    fixture
        .until("the list with the wrong key to be rejected", |fixture| {
            fixture.provider.take_errors().len() == 1
        })
        .await?;
    let lists = fixture.provider.requests();
    let lists: Vec<_> = lists.iter().filter(|request| request.path.contains("/models")).collect();
    let keys: Vec<_> = lists.iter().map(|request| request.header("x-api-key").unwrap_or_default()).collect();
    ensure!(keys.ends_with(&[right, OTHER]), "the lists were requested with {} keys", keys.len());
    agent_setup::leave_settings(page).await?;
    fixture.provider.reset();
    fixture.provider.queue_for("Engineer", Answer::say("From the first."));
    app::ask(page, "engineer", "Who pays?", "From the first.").await?;
    app::send_to(page, "critic", "And you?").await?;
    page.see_text(ERROR_CARD, "invalid x-api-key").await?;
    app::idle(page).await?;
    let keys: Vec<_> = fixture
        .provider
        .requests()
        .iter()
        .map(|request| request.header("x-api-key").unwrap_or_default().to_owned())
        .collect();
    ensure!(keys == [right, OTHER], "each sends its own key, once");
    ensure!(fixture.provider.take_errors().len() == 1);

    // The second gets a right key, and the first is removed: the other one works.
    agent_setup::open_settings(page).await?;
    agent_setup::open_card(page, &second).await?;
    page.click(agent_setup::card(&second).inner(KEY_FORGET)).await?;
    app::enter(page, agent_setup::card(&second).inner(PROVIDER_KEY), right).await?;
    agent_setup::leave_settings(page).await?;
    fixture.provider.queue_for("Critic", Answer::say("From the second."));
    app::send_to(page, "critic", "And now?").await?;
    page.see_text(answers_of("critic"), "From the second.").await?;
    app::idle(page).await
}
