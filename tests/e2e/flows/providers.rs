//! Flows for providers in the settings: add by address, test, fix, use.

use anyhow::{Context, Result, ensure};
use nexus_model::provider::Protocol;
use serde_json::json;

use crate::app;
use crate::page::Page;
use crate::parts::*;
use crate::provider::{Answer, Provider, key_of, model_of, models_of};
use crate::stage::Stage;
use crate::team;

/// Waits for this state of a check in the connection test.
async fn saw(page: &Page, provider: &str, check: &str, state: &str) -> Result<()> {
    let step = team::card(provider).inner(PROVIDER_TEST_STEP);
    page.see(step.with("data-check", check).with("data-state", state)).await
}

/// A host by base URL: a wrong key, the right one, its model list, one model for an agent, an answer.
pub(crate) async fn add_by_address(stage: &mut Stage) -> Result<()> {
    const WRONG: &str = "gsk_surely0not0the0key0000000";
    app::set_up_by_hand(stage).await?;
    let page = &stage.page;
    team::open_settings(page).await?;
    let id =
        team::add_provider(page, Protocol::Openai, &stage.provider.base_url_of(Protocol::Openai)).await?;
    let card = team::card(&id);

    app::enter(page, card.clone().inner(PROVIDER_KEY), WRONG).await?;
    page.click(card.clone().inner(PROVIDER_TEST)).await?;
    saw(page, &id, "address", "passed").await?;
    saw(page, &id, "reached", "passed").await?;
    saw(page, &id, "key", "failed").await?;
    page.see_words(card.clone().inner(PROVIDER_TEST_STEP), "Incorrect API key provided").await?;
    ensure!(stage.provider.take_refusals().len() == 1, "it was tried more than once");
    ensure!(!page.visible_text().await?.contains(WRONG), "the key is on the screen");

    // As copied from a mail: with spaces and quotes around it.
    let right = key_of(Protocol::Openai).unwrap_or_default();
    app::enter(page, card.clone().inner(PROVIDER_KEY), &format!("  \"{right}\" ")).await?;
    page.click(card.clone().inner(PROVIDER_TEST)).await?;
    saw(page, &id, "key", "passed").await?;
    saw(page, &id, "models", "passed").await?;
    ensure!(stage.provider.take_refusals().len() == 1, "the model list was not requested without the key");
    let listed = stage.provider.requests();
    ensure!(listed.iter().all(|request| request.path == "/v1/models"), "more than the list was requested");
    ensure!(listed.len() == 3, "{} requests", listed.len());

    let (model, _) = *models_of(Protocol::Openai).last().context("a service without models")?;
    team::assign(page, "engineer", &id, model).await?;
    let field = AGENT_SETTINGS.with("data-agent", "engineer").inner(AGENT_MODEL);
    let all: Vec<&str> = models_of(Protocol::Openai).iter().map(|(name, _)| *name).collect();
    let offered = "[...document.querySelector(arguments[0]).list.options].map(each => each.value).join(' ') === arguments[1]";
    let words = [json!(field.as_str()), json!(all.join(" "))];
    page.wait_for("the models of the list to be on offer", offered, &words).await?;
    team::leave_settings(page).await?;

    stage.provider.begin_anew();
    stage.provider.queue_for("Engineer", Answer::say("From elsewhere."));
    app::say_to(&stage.page, "engineer", "Where are you?").await?;
    stage.page.see_words(answers_of("engineer"), "From elsewhere.").await?;
    let sent_request = stage.request_of("Engineer", 1).await?;
    ensure!((sent_request.protocol, sent_request.model()) == (Protocol::Openai, model));
    ensure!(sent_request.header("authorization").is_some_and(|header| header == format!("Bearer {right}")));
    app::idle(&stage.page).await?;

    let stored = format!("{}{}", stage.page.database().await?, stage.page.all_local().await?);
    ensure!(!stored.contains(right) && !stored.contains(WRONG), "a key was stored unasked");
    Ok(())
}

/// Two accounts of one provider, one that rejects the page, the test of each, and an address that needs a reload.
pub(crate) async fn connections(stage: &mut Stage) -> Result<()> {
    app::set_up(stage).await?;
    two_accounts(stage).await?;
    app::afresh(stage).await?;
    refused_origin(stage).await?;
    app::afresh(stage).await?;
    test_each(stage).await?;
    team::leave_settings(&stage.page).await?;
    stage.page.see_words(AGENT_CARD.with("data-agent", "architect"), "No tools").await?;
    app::afresh(stage).await?;
    other_origin(stage).await
}

/// Model list and connection test of each other service.
async fn test_each(stage: &mut Stage) -> Result<()> {
    let page = &stage.page;
    team::open_settings(page).await?;
    for protocol in [Protocol::Responses, Protocol::Anthropic, Protocol::Ollama] {
        let id = team::add_provider(page, protocol, &stage.provider.base_url_of(protocol)).await?;
        if let Some(key) = key_of(protocol) {
            app::enter(page, team::card(&id).inner(PROVIDER_KEY), key).await?;
        }
        page.click(team::card(&id).inner(PROVIDER_TEST)).await?;
        saw(page, &id, "reached", "passed").await?;
        saw(page, &id, "models", "passed").await?;
    }
    let paths: Vec<_> = stage.provider.requests().iter().map(|request| request.path.clone()).collect();
    // With the key, and without it.
    let listed = ["/v1/models"; 4].into_iter().chain(["/api/tags"]);
    ensure!(paths.iter().eq(listed), "requested {paths:?}");
    ensure!(stage.provider.take_refusals().len() == 2, "the model lists were not requested without the keys");
    // A provider whose models cannot call tools, which the agent's card says.
    let id = team::add_provider(page, Protocol::Openai, "https://api.perplexity.ai").await?;
    team::assign(page, "architect", &id, "sonar").await?;
    let facts = AGENT_SETTINGS.with("data-agent", "architect").inner(AGENT_MODEL_FACTS);
    page.see_words(facts, "cannot call tools").await
}

/// Ollama rejects the page's origin: the page says that it got no response and what to do, and claims no cause. Once
/// Ollama's operator has allowed it, it works.
async fn refused_origin(stage: &mut Stage) -> Result<()> {
    stage.expect_fault("has been blocked by CORS policy");
    let page = &stage.page;
    team::open_settings(page).await?;
    let id =
        team::add_provider(page, Protocol::Ollama, &stage.provider.base_url_of(Protocol::Ollama)).await?;
    stage.provider.refuse_origins(true);
    page.click(team::card(&id).inner(PROVIDER_TEST)).await?;
    saw(page, &id, "reached", "failed").await?;
    page.see_words(team::card(&id), "Was Ollama started with OLLAMA_ORIGINS=").await?;
    ensure!(stage.provider.requests().is_empty(), "a rejected request was counted");
    stage.provider.refuse_origins(false);
    page.click(team::card(&id).inner(PROVIDER_TEST)).await?;
    saw(page, &id, "reached", "passed").await?;
    saw(page, &id, "models", "passed").await?;
    team::assign(page, "critic", &id, model_of(Protocol::Ollama)).await?;
    team::leave_settings(page).await?;
    stage.provider.begin_anew();
    stage.provider.queue_for("Critic", Answer::say("From next door."));
    app::say_to(&stage.page, "critic", "Where are you?").await?;
    stage.page.see_words(answers_of("critic"), "From next door.").await?;
    app::idle(&stage.page).await
}

/// A base URL that the page's policy does not allow: nothing is called before a reload, which a button offers; the
/// key is lost by it.
async fn other_origin(stage: &mut Stage) -> Result<()> {
    let elsewhere = Provider::start()?;
    team::open_settings(&stage.page).await?;
    let id = team::add_provider(&stage.page, Protocol::Anthropic, &elsewhere.base_url()).await?;
    let key = key_of(Protocol::Anthropic).unwrap_or_default();
    stage.page.click(team::card(&id).inner(PROVIDER_TEST)).await?;
    stage.page.see(team::card(&id).inner(PROVIDER_RELOAD)).await?;
    ensure!(
        elsewhere.requests().is_empty() && elsewhere.preflights().is_empty(),
        "it was called all the same"
    );
    let button = Selector::css(&format!("{} button", team::card(&id).inner(PROVIDER_RELOAD)));
    stage.page.click(button).await?;
    stage.page.hidden(PROVIDER_RELOAD).await?;
    stage.page.see(SETTINGS).await?;
    team::open_card(&stage.page, &id).await?;
    app::enter(&stage.page, team::card(&id).inner(PROVIDER_KEY), key).await?;
    stage.page.click(team::card(&id).inner(PROVIDER_TEST)).await?;
    saw(&stage.page, &id, "models", "passed").await?;
    saw(&stage.page, &id, "key", "passed").await?;
    ensure!(elsewhere.take_refusals().len() == 1, "the model list was not requested without the key");
    ensure!(elsewhere.requests().len() == 2 && stage.provider.requests().is_empty());
    Ok(())
}

/// Two accounts of one provider at one base URL: a card, a name and a key each. A wrong key of one is reported for
/// that one, and the other answers.
async fn two_accounts(stage: &mut Stage) -> Result<()> {
    const OTHER: &str = "sk-ant-another0account0000";
    let page = &stage.page;
    team::open_settings(page).await?;
    let address = stage.provider.base_url_of(Protocol::Anthropic);
    let right = key_of(Protocol::Anthropic).unwrap_or_default();
    let (first, second) = (
        team::add_provider(page, Protocol::Anthropic, &address).await?,
        team::add_provider(page, Protocol::Anthropic, &address).await?,
    );
    ensure!(first != second);
    app::enter(page, team::card(&first).inner(PROVIDER_KEY), right).await?;
    app::enter(page, team::card(&second).inner(PROVIDER_KEY), OTHER).await?;
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
    team::assign(page, "engineer", &first, model_of(Protocol::Anthropic)).await?;
    team::assign(page, "critic", &second, model_of(Protocol::Anthropic)).await?;
    // Choosing a provider lists its models: each account uses its own key.
    stage
        .until("the list with the wrong key to be rejected", |stage| {
            stage.provider.take_refusals().len() == 1
        })
        .await?;
    let lists = stage.provider.requests();
    let lists: Vec<_> = lists.iter().filter(|request| request.path.contains("/models")).collect();
    let keys: Vec<_> = lists.iter().map(|request| request.header("x-api-key").unwrap_or_default()).collect();
    ensure!(keys.ends_with(&[right, OTHER]), "the lists were requested with {} keys", keys.len());
    team::leave_settings(page).await?;
    stage.provider.begin_anew();
    stage.provider.queue_for("Engineer", Answer::say("From the first."));
    app::say_to(page, "engineer", "Who pays?").await?;
    page.see_words(answers_of("engineer"), "From the first.").await?;
    app::idle(page).await?;
    app::say_to(page, "critic", "And you?").await?;
    page.see_words(ERROR_CARD, "invalid x-api-key").await?;
    app::idle(page).await?;
    let keys: Vec<_> = stage
        .provider
        .requests()
        .iter()
        .map(|request| request.header("x-api-key").unwrap_or_default().to_owned())
        .collect();
    ensure!(keys == [right, OTHER], "each sends its own key, once");
    ensure!(stage.provider.take_refusals().len() == 1);

    // The second gets a right key, and the first is removed: the other one works.
    team::open_settings(page).await?;
    team::open_card(page, &second).await?;
    page.click(team::card(&second).inner(KEY_FORGET)).await?;
    app::enter(page, team::card(&second).inner(PROVIDER_KEY), right).await?;
    team::leave_settings(page).await?;
    stage.provider.queue_for("Critic", Answer::say("From the second."));
    app::say_to(page, "critic", "And now?").await?;
    page.see_words(answers_of("critic"), "From the second.").await?;
    app::idle(page).await
}
