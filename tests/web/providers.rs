//! Tests of providers in the settings: added by address, tested, used by agents.

use std::cell::RefCell;
use std::rc::Rc;

use nexus_engine::tests::{Scripted, ScriptedChunk, event, says};
use nexus_model::agent::Agent;
use nexus_model::command::Command;
use nexus_providers::http::HttpRequest;
use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;

use crate::e2e::selectors::*;
use crate::mounted_page::MountedPage;

const WRONG: &str = "gsk_surely0not0the0key0000000";
const RIGHT: &str = "gsk_canary0right0key0000000000";

fn header<'a>(request: &'a HttpRequest, name: &str) -> &'a str {
    let found = request.headers.iter().find(|(other, _)| other == name);
    found.map(|(_, value)| value.reveal()).unwrap_or_default()
}

fn answers(status: u16, body: &Value) -> Scripted {
    Scripted { status, beats: vec![ScriptedChunk::Bytes(body.to_string())] }
}

/// A list of models in the form of OpenAI, Anthropic and Ollama.
fn models(ids: &[&str]) -> Scripted {
    let ids: Vec<_> = ids.iter().map(|id| json!({"id": id, "model": id})).collect();
    answers(200, &json!({"data": ids}))
}

fn in_openai(text: &str) -> Scripted {
    let said = json!({"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": null}]});
    let end = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]});
    Scripted { status: 200, beats: vec![event(&said), event(&end)] }
}

fn in_anthropic(text: &str) -> Scripted {
    let all = [
        json!({"type": "message_start", "message": {"id": "m", "usage": {"input_tokens": 7}}}),
        json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": text}}),
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 9}}),
        json!({"type": "message_stop"}),
    ];
    Scripted { status: 200, beats: all.iter().map(event).collect() }
}

type Requests = Rc<RefCell<Vec<HttpRequest>>>;

/// Opens the settings of a page whose requests are answered by URL and headers.
async fn open(mut answer: impl FnMut(&HttpRequest) -> Scripted + 'static) -> MountedPage {
    let sent: Rc<RefCell<Option<Requests>>> = Rc::default();
    let log = Rc::clone(&sent);
    let page = MountedPage::open(move |_, _| {
        let log = log.borrow();
        let request = log.as_ref().unwrap().borrow().last().unwrap().clone();
        answer(&request)
    })
    .await;
    *sent.borrow_mut() = Some(Rc::clone(&page.tab.sent));
    page.open_settings().await;
    page
}

fn card(id: &str) -> Selector {
    PROVIDER_CARD.with("data-provider", id)
}

/// Adds a provider preset with this base URL, and returns its id.
async fn add(page: &MountedPage, preset: TestId, address: &str) -> String {
    let before = page.attributes(PROVIDER_CARD, "data-provider");
    page.click(PROVIDER_ADD).await;
    page.click(preset).await;
    page.see_count(PROVIDER_CARD, before.len() + 1).await;
    let after = page.attributes(PROVIDER_CARD, "data-provider");
    let id = after.into_iter().find(|id| !before.contains(id)).unwrap();
    page.enter(card(&id).inner(PROVIDER_BASE_URL), address).await;
    page.see_text(card(&id), address).await;
    id
}

/// Assigns a provider and a model to an agent.
async fn assign(page: &MountedPage, agent: &str, provider: &str, model: &str) {
    let form = AGENT_SETTINGS.with("data-agent", agent);
    let field = form.clone().inner(AGENT_MODEL);
    let config = || page.tab.world().agents.get(&agent.into()).map(|agent| agent.config.clone()).unwrap();
    page.choose(form.inner(AGENT_PROVIDER), provider).await;
    // A new provider sets the field to its first model, over any typed text.
    page.until("the provider to be stored", || {
        config().provider.0 == provider && page.texts(field.clone()) == [config().model]
    })
    .await;
    page.enter(field, model).await;
    page.until("the model to be stored", || config().model == model).await;
}

/// Tests the connection, and waits for these states of checks.
async fn test(page: &MountedPage, provider: &str, states: &[(&str, &str)]) {
    page.click(card(provider).inner(PROVIDER_TEST)).await;
    for (check, state) in states {
        let step = card(provider).inner(PROVIDER_TEST_STEP);
        page.see(step.with("data-check", check).with("data-state", state)).await;
    }
}

fn urls(page: &MountedPage) -> Vec<String> {
    page.tab.sent.borrow().iter().map(|request| request.url.clone()).collect()
}

#[wasm_bindgen_test]
async fn use_for_all_takes_the_first_listed_model_or_asks_for_one() {
    let page = open(|request| match request.url.starts_with("https://lists.example") {
        true => models(&["house/small", "house/large"]),
        false => answers(404, &json!({})),
    })
    .await;
    let used = |page: &MountedPage| -> Vec<_> {
        let world = page.tab.world();
        let configs = world.agents.values().map(|agent| &agent.config);
        configs.map(|config| (config.provider.0.clone(), config.model.clone())).collect()
    };
    for (address, model) in [("https://lists.example/v1", "house/small"), ("https://silent.example/v1", "")] {
        let id = add(&page, PRESET_OTHER, address).await;
        page.choose(card(&id).inner(PROVIDER_PROTOCOL), "openai").await;
        page.enter(card(&id).inner(PROVIDER_KEY), RIGHT).await;
        page.click(card(&id).inner(PROVIDER_USE)).await;
        page.until("all agents to use it", || used(&page) == vec![(id.clone(), model.to_owned()); 3]).await;
    }
    page.see_text(NOTICE, "The provider lists no model").await;
    let model_of = |agent: &str| AGENT_SETTINGS.with("data-agent", agent).inner(AGENT_MODEL);
    page.has_focus(model_of("architect")).await;
    // Until all agents have the same model, there is something to press it for.
    let silent = used(&page).remove(0).0;
    let button = || card(&silent).inner(PROVIDER_USE);
    for agent in ["architect", "engineer", "critic"] {
        page.see_text(button(), "Use for all agents").await;
        page.enter(model_of(agent), "house/typed").await;
    }
    page.see_text(button(), "Used by all agents").await;
    page.enter(model_of("engineer"), "house/other").await;
    page.see_text(button(), "Use for all agents").await;
}

#[wasm_bindgen_test]
async fn a_host_added_by_address_tests_the_key_lists_its_models_and_answers() {
    let page = open(|request| match header(request, "authorization") {
        _ if request.body.is_some() => in_openai("From elsewhere."),
        key if key == format!("Bearer {RIGHT}") => models(&["house/small", "house/large"]),
        _ => answers(
            401,
            &json!({"error": {"message": "Incorrect API key provided", "code": "invalid_api_key"}}),
        ),
    })
    .await;
    let id = add(&page, PRESET_OTHER, "https://models.example/v1").await;
    page.choose(card(&id).inner(PROVIDER_PROTOCOL), "openai").await;

    page.enter(card(&id).inner(PROVIDER_KEY), WRONG).await;
    test(&page, &id, &[("address", "passed"), ("reached", "passed"), ("key", "failed")]).await;
    page.see_text(card(&id).inner(PROVIDER_TEST_STEP), "Incorrect API key provided").await;
    assert_eq!(page.tab.sent.borrow().len(), 1, "it was tried more than once");
    assert!(!page.visible_text().contains(WRONG), "the key is on the screen");

    // As copied from a mail: with spaces and quotes around it.
    page.enter(card(&id).inner(PROVIDER_KEY), &format!("  \"{RIGHT}\" ")).await;
    test(&page, &id, &[("key", "passed"), ("models", "passed")]).await;
    // With the key, and without it.
    assert_eq!(urls(&page), ["https://models.example/v1/models"; 3]);
    assert_eq!(header(&page.tab.sent.borrow()[2], "authorization"), "");

    assign(&page, "engineer", &id, "house/large").await;
    let field = page.see(AGENT_SETTINGS.with("data-agent", "engineer").inner(AGENT_MODEL)).await;
    let list = format!("#{} option", field.get_attribute("list").unwrap());
    page.until("the models of the list to be offered", || {
        page.attributes(Selector::css(&list), "value") == ["house/small", "house/large"]
    })
    .await;
    page.back().await;
    page.ask("engineer", "Where are you?", "From elsewhere.").await;
    {
        let sent = page.tab.sent.borrow();
        let request = sent.last().unwrap();
        assert_eq!(request.url, "https://models.example/v1/chat/completions");
        assert_eq!(header(request, "authorization"), format!("Bearer {RIGHT}"));
        let body: Value = serde_json::from_str(request.body.as_deref().unwrap()).unwrap();
        assert_eq!(body["model"], "house/large");
    }
    let stored = json!([page.tab.events(), page.tab.app_events()]).to_string();
    assert!(!stored.contains(RIGHT) && !stored.contains(WRONG), "an event contains a key");
}

#[wasm_bindgen_test]
async fn each_protocol_has_its_connection_test() {
    let page = open(|request| {
        let has_key = ["authorization", "x-api-key"].iter().any(|name| !header(request, name).is_empty());
        if has_key || request.url.ends_with("/api/tags") {
            models(&["some-model"])
        } else {
            answers(401, &json!({"error": {"message": "no key"}}))
        }
    })
    .await;
    for (preset, address) in [
        (PRESET_OPENAI, "https://responses.example/v1"),
        (PRESET_ANTHROPIC, "https://messages.example/v1"),
        (PRESET_OLLAMA, "http://localhost:11434"),
    ] {
        let id = add(&page, preset, address).await;
        if preset != PRESET_OLLAMA {
            page.enter(card(&id).inner(PROVIDER_KEY), RIGHT).await;
        }
        test(&page, &id, &[("reached", "passed"), ("models", "passed")]).await;
    }
    // With the key, and without it.
    let listed = [
        "https://responses.example/v1/models",
        "https://responses.example/v1/models",
        "https://messages.example/v1/models?limit=1000",
        "https://messages.example/v1/models?limit=1000",
        "http://localhost:11434/api/tags",
    ];
    assert_eq!(urls(&page), listed);
}

#[wasm_bindgen_test]
async fn the_card_of_an_agent_says_that_its_provider_has_no_tools() {
    let page = open(|_| models(&["sonar"])).await;
    let id = add(&page, PRESET_OTHER, "https://api.perplexity.ai").await;
    assign(&page, "architect", &id, "sonar").await;
    let facts = AGENT_SETTINGS.with("data-agent", "architect").inner(AGENT_MODEL_FACTS);
    page.see_text(facts, "cannot call tools").await;
    page.back().await;
    page.see_text(agent_card("architect"), "No tools").await;
}

#[wasm_bindgen_test]
async fn two_accounts_of_one_provider_have_a_card_a_name_and_a_key_each() {
    const FIRST: &str = "sk-ant-canary0first0account00";
    const OTHER: &str = "sk-ant-another0account0000";
    let page = open(|request| match (header(request, "x-api-key"), &request.body) {
        (OTHER, _) => answers(
            401,
            &json!({"type": "error", "error": {"type": "authentication_error", "message": "invalid x-api-key"}}),
        ),
        (_, None) => models(&["claude-opus-5-5"]),
        (_, Some(_)) => in_anthropic("Mine pays."),
    })
    .await;
    let address = "https://messages.example/v1";
    let (first, second) =
        (add(&page, PRESET_ANTHROPIC, address).await, add(&page, PRESET_ANTHROPIC, address).await);
    assert_ne!(first, second);
    page.enter(card(&first).inner(PROVIDER_KEY), FIRST).await;
    page.enter(card(&second).inner(PROVIDER_KEY), OTHER).await;
    page.see_count(KEY_STATE.with("data-held", "true"), 3).await;
    let select = AGENT_SETTINGS.with("data-agent", "engineer").inner(AGENT_PROVIDER);
    let names = page.texts(Selector::css(&format!("{select} option")));
    let two: Vec<_> = page
        .all(Selector::css(&format!("{select} option")))
        .iter()
        .filter_map(|option| option.text_content())
        .filter(|name| name.starts_with("Anthropic"))
        .collect();
    assert!(matches!(two.as_slice(), [one, other] if one != other), "they have the same name: {names:?}");
    assign(&page, "engineer", &first, "claude-opus-5-5").await;
    assign(&page, "critic", &second, "claude-opus-5-5").await;
    // Choosing a provider lists its models: each account uses its own key.
    let keys = || -> Vec<String> {
        page.tab.sent.borrow().iter().map(|request| header(request, "x-api-key").to_owned()).collect()
    };
    page.until("both lists to be requested", || keys() == [FIRST, OTHER]).await;
    page.back().await;
    page.ask("engineer", "Who pays?", "Mine pays.").await;
    page.send_to("critic", "And you?").await;
    page.see_text(ERROR_CARD, "invalid x-api-key").await;
    page.idle().await;
    assert_eq!(keys(), [FIRST, OTHER, FIRST, OTHER], "each sends its own key, once");

    // The second gets a right key: it works.
    page.open_settings().await;
    page.unfold(card(&second).inner(KEY_FORGET));
    page.click(card(&second).inner(KEY_FORGET)).await;
    page.enter(card(&second).inner(PROVIDER_KEY), FIRST).await;
    page.back().await;
    page.ask("critic", "And now?", "Mine pays.").await;
}

#[wasm_bindgen_test]
async fn a_host_that_this_page_may_not_call_is_not_called_before_a_reload() {
    let page = open(|_| models(&["some-model"])).await;
    crate::script("document.documentElement.setAttribute('data-origins', 'https://other.example')");
    let id = add(&page, PRESET_ANTHROPIC, "https://messages.example/v1").await;
    page.click(card(&id).inner(PROVIDER_TEST)).await;
    page.see(card(&id).inner(PROVIDER_RELOAD)).await;
    page.settle().await;
    assert!(urls(&page).is_empty(), "it was called all the same");
    crate::script("document.documentElement.removeAttribute('data-origins')");
}

#[wasm_bindgen_test]
async fn a_price_keeps_another_one_that_is_being_stored() {
    let page = MountedPage::open(|_, _| says("Yes.")).await;
    page.open_settings_at(PRICE_ROW).await;
    let models: Vec<_> = page.attributes(PRICE_ROW, "data-model").into_iter().take(2).collect();
    crate::script(
        "for (const row of [...document.querySelectorAll('[data-testid=price-row]')].slice(0, 2)) {
            const field = row.querySelector('[data-testid=price-input]');
            field.value = '7.25';
            field.dispatchEvent(new Event('input', { bubbles: true }));
            field.dispatchEvent(new Event('change', { bubbles: true }));
        }",
    );
    page.settle().await;
    for model in models {
        page.see(PRICE_ROW.with("data-model", &model).with("data-own", "true")).await;
    }
}

#[wasm_bindgen_test]
async fn an_edit_after_an_undo_brings_no_other_edit_back() {
    let page = MountedPage::open(|_, _| says("Yes.")).await;
    let stored = || page.tab.world().agents.get(&"critic".into()).unwrap().clone();
    page.open_settings_at(AGENT_NAME).await;
    let before = stored();
    let card = AGENT_SETTINGS.with("data-agent", "critic");
    page.enter(card.clone().inner(AGENT_NAME), "Reviewer").await;
    page.until("the name", || stored().identity.name == "Reviewer").await;
    page.settle().await;
    page.tab.send(Command::ChangeAgent { agent: Agent::clone(&before) }).unwrap();
    page.until("the name as before", || page.texts(card.clone().inner(AGENT_NAME)) == ["Critic"]).await;
    page.settle().await;
    crate::script(
        "const field = document.getElementById('critic-description');
        field.value = 'Looks twice.';
        field.dispatchEvent(new Event('input', { bubbles: true }));
        field.dispatchEvent(new Event('change', { bubbles: true }));",
    );
    page.until("the description", || stored().description == "Looks twice.").await;
    assert_eq!(stored().identity.name, "Critic");
}
