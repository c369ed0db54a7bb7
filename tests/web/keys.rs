//! Tests of where an API key is entered: in a banner if it is missing, and in the error card if it is missing or
//! rejected.

use nexus_engine::keys::KeyStorage;
use nexus_engine::port::StoredKey;
use nexus_engine::tests::{Scripted, ScriptedChunk, refuses, says};
use nexus_model::command::Command;
use nexus_model::provider::Provider;
use nexus_providers::http::{HeaderValue, Secret};
use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;

use crate::e2e::selectors::*;
use crate::mounted_page::MountedPage;
use crate::script;

/// A key that is entered in the page.
const KEY: &str = "AIza-canary-0000-entered";

fn missing() -> Selector {
    BANNER.with("data-kind", "no-key")
}

/// Opens a page whose agents have no key.
async fn open_without_key(script: impl FnMut(&str, &Value) -> Scripted + 'static) -> MountedPage {
    let page = MountedPage::open(script).await;
    assert_eq!(page.count(missing()), 0, "a key that is there is called missing");
    page.open_settings().await;
    page.click(KEY_FORGET).await;
    page.see_text(KEY_STATE, "No API key in this tab").await;
    page.back().await;
    page.see(missing()).await;
    page
}

/// The keys that were sent, in order.
fn sent(page: &MountedPage) -> Vec<String> {
    let sent = page.tab.sent.borrow();
    let headers = sent.iter().flat_map(|request| &request.headers);
    let keys = headers.filter(|(_, value)| matches!(value, HeaderValue::Secret(_)));
    keys.map(|(_, value)| value.reveal().to_owned()).collect()
}

/// Asserts that neither the screen, nor an event, nor a store of the browser contains this key.
fn is_nowhere(page: &MountedPage, key: &str) {
    let stored = script("JSON.stringify(localStorage) + JSON.stringify(sessionStorage)").as_string().unwrap();
    let events = json!([page.tab.events(), page.tab.app_events()]).to_string();
    assert!(!events.contains(key), "an event contains the key");
    assert!(!stored.contains(key), "the key of this tab is on the device");
    assert!(!page.visible_text().contains(key), "the key is on the screen");
}

#[wasm_bindgen_test]
async fn a_missing_key_is_entered_in_the_banner() {
    let page = open_without_key(|_, _| says("Here I am.")).await;
    page.see_text(missing(), "No API key for").await;
    page.see_text(missing(), "Architect, Engineer and Critic").await;
    page.click(missing().inner(BANNER_KEY)).await;
    page.has_focus(missing().inner(MISSING_KEY)).await;
    page.fill(missing().inner(MISSING_KEY), "two words").await;
    page.click(missing().inner(MISSING_KEY_SAVE)).await;
    page.see_text(missing(), "An API key contains no spaces").await;
    page.fill(missing().inner(MISSING_KEY), KEY).await;
    page.click(missing().inner(MISSING_KEY_SAVE)).await;
    page.hidden(missing()).await;
    page.ask("engineer", "Are you there?", "Here I am.").await;
    assert_eq!(sent(&page), [KEY]);
    is_nowhere(&page, KEY);
}

#[wasm_bindgen_test]
async fn a_rejected_key_is_replaced_in_the_error_card_and_the_turn_retried() {
    let mut round = 0;
    let page = MountedPage::open(move |_, _| {
        round += 1;
        if round == 1 { refuses(401, "UNAUTHENTICATED") } else { says("With another key.") }
    })
    .await;
    page.send_to("engineer", "Are you there?").await;
    page.see_text(ERROR_CARD, "UNAUTHENTICATED in words").await;
    page.idle().await;
    page.see_text(ERROR_CARD.inner(KEY_FORM), "Save and retry").await;
    page.fill(ERROR_CARD.inner(MISSING_KEY), KEY).await;
    page.click(ERROR_CARD.inner(MISSING_KEY_SAVE)).await;
    page.see_text(answers_of("engineer"), "With another key.").await;
    page.idle().await;
    assert_eq!(sent(&page), ["test-key-canary", KEY]);
    is_nowhere(&page, KEY);
}

#[wasm_bindgen_test]
async fn one_error_card_asks_for_the_key_that_all_agents_lack() {
    let page = open_without_key(|_, _| says("I am here, too.")).await;
    page.send_to("ALL", "And you?").await;
    page.see_text(ERROR_CARD, "No API key for").await;
    page.see_text(RUN_CARD, "Engineer and Critic were not called").await;
    page.idle().await;
    page.see_count(ERROR_CARD.inner(KEY_FORM), 1).await;
    assert!(sent(&page).is_empty());
    page.fill(ERROR_CARD.inner(MISSING_KEY), KEY).await;
    page.click(ERROR_CARD.inner(MISSING_KEY_SAVE)).await;
    for agent in ["architect", "engineer", "critic"] {
        page.see_text(answers_of(agent), "I am here, too.").await;
    }
    page.hidden(missing()).await;
    page.hidden(RUN_CARD).await;
    page.idle().await;
    assert_eq!(page.tab.speakers(), ["Architect", "Engineer", "Critic"]);
}

#[wasm_bindgen_test]
async fn retry_asks_all_agents_once_the_missing_key_was_entered_in_the_banner() {
    let page = open_without_key(|_, _| says("I am here, too.")).await;
    page.send_to("ALL", "And you?").await;
    page.see_text(RUN_CARD, "Engineer and Critic were not called").await;
    page.idle().await;
    page.see(ERROR_CARD.inner(KEY_FORM)).await;
    page.click(missing().inner(BANNER_KEY)).await;
    page.see(missing().inner(MISSING_KEY)).await;
    let ids = page.attributes(MISSING_KEY, "id");
    assert!(ids.len() == 2 && ids[0] != ids[1], "a label names the other form's field: {ids:?}");
    assert_eq!(page.attributes(Selector::css(".key-form > label"), "for"), ids);
    page.fill(missing().inner(MISSING_KEY), KEY).await;
    page.click(missing().inner(MISSING_KEY_SAVE)).await;
    page.hidden(KEY_FORM).await;
    page.click(ERROR_CARD.inner(RETRY)).await;
    for agent in ["architect", "engineer", "critic"] {
        page.see_text(answers_of(agent), "I am here, too.").await;
    }
    page.hidden(RUN_CARD).await;
}

#[wasm_bindgen_test]
async fn a_locked_key_is_unlocked_in_the_error_card() {
    let page = MountedPage::open(|_, _| says("I am here, too.")).await;
    let put = |name: &str, key: Option<Secret>| {
        let (provider, origin) = ("gemini".into(), Provider::gemini().origin().unwrap());
        let key = StoredKey { provider, origin, key };
        page.tab.running.handle.keys.insert(key, KeyStorage::Passphrase);
        // Whatever changes a setting has the keys read again.
        let (setting, value) = ("operator_name".to_owned(), json!(name));
        page.tab.send(Command::ChangeSetting { name: setting, value }).unwrap();
    };
    put("Bob", None);
    page.send_to("ALL", "And you?").await;
    page.see(UNLOCK_DIALOG).await;
    page.press("Escape").await;
    page.see_text(ERROR_CARD, "is locked").await;
    page.see_text(RUN_CARD, "Engineer and Critic were not called").await;
    page.idle().await;
    page.hidden(KEY_FORM).await;
    page.see_text(ERROR_CARD.inner(UNLOCK), "Unlock and retry").await;
    page.click(ERROR_FIELD).await;
    page.has_focus(Selector::css("#key-gemini-unlock")).await;
    page.back().await;
    // The vault of the tests opens nothing.
    page.fill(ERROR_CARD.inner(PASSPHRASE), "open sesame").await;
    page.click(ERROR_CARD.inner(UNLOCK)).await;
    page.see_text(ERROR_CARD, "offers no encryption").await;
    put("Ada", Some(Secret::new(KEY)));
    page.hidden(ERROR_CARD.inner(UNLOCK)).await;
    page.click(ERROR_CARD.inner(RETRY)).await;
    for agent in ["architect", "engineer", "critic"] {
        page.see_text(answers_of(agent), "I am here, too.").await;
    }
}

#[wasm_bindgen_test]
async fn a_wrong_key_is_reported_once_and_can_be_replaced_in_the_settings() {
    const WRONG: &str = "AIza-surely-not-the-key-0000";
    let mut round = 0;
    let page = MountedPage::open(move |_, _| {
        round += 1;
        if round > 1 {
            return says("All is well.");
        }
        let body = json!({"error": {"code": 400, "status": "INVALID_ARGUMENT",
            "message": "API key not valid. Please pass a valid API key.",
            "details": [{"reason": "API_KEY_INVALID"}]}});
        Scripted { status: 400, beats: vec![ScriptedChunk::Bytes(body.to_string())] }
    })
    .await;
    page.open_settings().await;
    page.enter(PROVIDER_KEY, WRONG).await;
    page.back().await;
    page.send_to("engineer", "Do something.").await;
    page.see_text(ERROR_CARD, "API key not valid").await;
    page.idle().await;
    page.see_text(TIMELINE, "Do something.").await;
    assert_eq!(sent(&page), [WRONG], "it was tried once");
    is_nowhere(&page, WRONG);
    page.open_settings().await;
    page.enter(PROVIDER_KEY, KEY).await;
    page.back().await;
    page.ask("engineer", "Still there?", "All is well.").await;
    assert_eq!(sent(&page), [WRONG, KEY]);
}

#[wasm_bindgen_test]
async fn a_cancelled_choice_of_storage_can_be_made_again() {
    let page = MountedPage::open(|_, _| says("Yes.")).await;
    page.open_settings().await;
    let is_kept_in_tab = || Selector::css("[data-testid=key-keep-tab]:checked");
    for _ in 0..2 {
        page.click(KEY_KEEP_CLEAR).await;
        page.see(KEY_CLEAR_YES).await;
        page.press("Escape").await;
        page.hidden(KEY_CLEAR_YES).await;
        page.see(is_kept_in_tab()).await;
    }
    // The vault of the tests stores nothing.
    page.click(KEY_KEEP_CLEAR).await;
    page.click(KEY_CLEAR_CONSENT).await;
    page.click(KEY_CLEAR_YES).await;
    page.see_text(Selector::css(".field-problem"), "offers no encryption").await;
    page.see(is_kept_in_tab()).await;
}
