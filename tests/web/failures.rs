//! Tests of failed, delayed and cut answers: what their cards say, and what their buttons do.

use nexus_engine::tests::{Scripted, ScriptedChunk, event, refuses, says, trickles};
use nexus_model::command::Command;
use nexus_model::provider::{Protocol, Provider};
use nexus_view::strings::error_remedy::SettingsField;
use serde_json::json;
use wasm_bindgen_test::wasm_bindgen_test;

use crate::e2e::selectors::*;
use crate::mounted_page::MountedPage;
use crate::replies::{Replies, after_a_second};

fn body(status: u16, text: &str) -> Scripted {
    Scripted { status, beats: vec![ScriptedChunk::Bytes(text.to_owned())] }
}

/// A refusal that asks to wait so many seconds.
fn limited(delay: &str) -> Scripted {
    let detail = json!([{ "@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": delay }]);
    let error = json!({
        "code": 429, "message": "Slow down.", "status": "RESOURCE_EXHAUSTED", "details": detail,
    });
    body(429, &json!({ "error": error }).to_string())
}

/// A page whose Engineer waits on request of the provider.
async fn waiting(delay: &str) -> (MountedPage, Replies) {
    let (page, replies) = Replies::open().await;
    replies.queue("Engineer", limited(delay));
    page.send_to("engineer", "Go.").await;
    page.see(RETRY_COUNTDOWN).await;
    (page, replies)
}

/// The seconds that the countdown shows.
fn countdown(page: &MountedPage) -> u64 {
    let text = page.texts(RETRY_COUNTDOWN).join(" ");
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    digits.parse().unwrap_or_else(|_| panic!("no number in {text:?}"))
}

/// A page whose Engineer gave this answer to the message `Go.`, until no run is active.
async fn answered(answer: Scripted) -> (MountedPage, Replies) {
    let (page, replies) = Replies::open().await;
    replies.queue("Engineer", answer);
    page.send_to("engineer", "Go.").await;
    page.tab.pass(2_000);
    page.idle().await;
    (page, replies)
}

/// After a failure, a message is answered as usual.
async fn works_on(page: &MountedPage, replies: &Replies) {
    let before = page.sent("Engineer").len();
    replies.queue("Engineer", says("All is well."));
    page.ask("engineer", "Still there?", "All is well.").await;
    assert_eq!(page.sent("Engineer").len(), before + 1);
}

#[wasm_bindgen_test]
async fn a_call_waits_as_long_as_the_provider_asks() {
    let (page, replies) = waiting("3s").await;
    assert!((1..=4).contains(&countdown(&page)), "{} s", countdown(&page));
    replies.queue("Engineer", says("Now it goes."));
    page.tab.pass(2_900);
    assert_eq!(page.sent("Engineer").len(), 1, "it did not wait");
    page.tab.pass(400);
    page.see_text(answers_of("engineer"), "Now it goes.").await;
    page.hidden(RETRY_COUNTDOWN).await;
    page.idle().await;
    assert_eq!(page.sent("Engineer").len(), 2);
}

#[wasm_bindgen_test]
async fn the_countdown_counts_and_a_click_ends_the_wait() {
    let (page, replies) = waiting("50s").await;
    let first = countdown(&page);
    page.tab.pass(5_000);
    page.until("fewer seconds", || countdown(&page) < first).await;
    replies.queue("Engineer", says("At once."));
    page.click(RETRY_NOW).await;
    page.see_text(answers_of("engineer"), "At once.").await;
    page.idle().await;
}

#[wasm_bindgen_test]
async fn a_cancelled_retry_leaves_a_card_that_repeats_the_call() {
    let (page, replies) = waiting("50s").await;
    page.click(RETRY_STOP).await;
    page.hidden(RETRY_COUNTDOWN).await;
    page.has_focus(COMPOSER).await;
    page.idle().await;
    page.tab.pass(60_000);
    assert_eq!(page.sent("Engineer").len(), 1, "the request was repeated");
    replies.queue("Engineer", says("Again."));
    page.click(RETRY).await;
    page.see_text(answers_of("engineer"), "Again.").await;
}

#[wasm_bindgen_test]
async fn an_old_card_asks_again_only_while_no_agent_works() {
    let (page, replies) = answered(refuses(400, "INVALID_ARGUMENT")).await;
    assert!(!page.see(RETRY).await.has_attribute("disabled"));
    replies.queue("Engineer", limited("50s"));
    page.send_to("engineer", "And now?").await;
    page.see(RETRY_COUNTDOWN).await;
    page.see(RETRY.with("disabled", "")).await;
    page.click(STOP).await;
    page.idle().await;
    page.until("the button to be enabled", || page.count(RETRY.with("disabled", "")) == 0).await;
}

#[wasm_bindgen_test]
async fn stop_ends_the_wait_for_a_retry() {
    let (page, _) = waiting("50s").await;
    page.click(STOP).await;
    page.idle().await;
    page.hidden(RETRY_COUNTDOWN).await;
    page.tab.pass(60_000);
    assert_eq!(page.sent("Engineer").len(), 1, "a stopped run sent a request");
}

#[wasm_bindgen_test]
async fn a_wait_of_an_hour_is_left_to_the_operator() {
    let mut refusal = refuses(429, "RESOURCE_EXHAUSTED");
    refusal.beats.push(ScriptedChunk::Header("retry-after", "3600"));
    let (page, _) = answered(refusal).await;
    page.see_text(ERROR_CARD, "asks to wait 1 hour.").await;
    assert_eq!(page.sent("Engineer").len(), 1, "it was retried within the hour");
}

#[wasm_bindgen_test]
async fn a_cut_answer_keeps_its_text_runs_no_half_call_and_is_continued() {
    let (page, replies) = Replies::open().await;
    page.tab.use_protocol(Protocol::Anthropic, "claude-opus-5");
    let half = "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":9}}}\n\n\
        event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":\
        {\"type\":\"text\",\"text\":\"\"}}\n\n\
        event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":\
        {\"type\":\"text_delta\",\"text\":\"The first half,\"}}\n\n";
    let half_call = "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\n\
        event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":1,\"content_block\":\
        {\"type\":\"tool_use\",\"id\":\"toolu_half\",\"name\":\"write_file\",\"input\":{}}}\n\n\
        event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":1,\"delta\":\
        {\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"name\\\":\\\"half.txt\\\",\"}}\n\n";
    let mut cut = body(200, half);
    cut.beats.push(ScriptedChunk::Wait(1_000));
    cut.beats.push(ScriptedChunk::Bytes(half_call.to_owned()));
    cut.beats.push(ScriptedChunk::Cut);
    replies.queue("Engineer", cut);
    page.send_to("engineer", "Say it whole.").await;
    let answer = answers_of("engineer");
    page.see_text(answer.clone().inner(MESSAGE_TEXT), "The first half,").await;
    page.tab.pass(1_000);
    page.see(answer.clone().with("data-status", "failed").with("data-reason", "cut_off")).await;
    page.idle().await;
    page.see_text(answer.clone().inner(MESSAGE_TEXT), "The first half,").await;
    page.see_count(FILE_TAB, 0).await;
    assert_eq!(page.sent("Engineer").len(), 1, "a shown answer was requested again");

    page.tab.use_model("gemini", "gemini-3.8-flash");
    replies.queue("Engineer", says("and the second."));
    page.click(RESUME).await;
    page.see_text(answer, "and the second.").await;
    page.idle().await;
    let sent = page.sent("Engineer").pop().unwrap().0.to_string();
    assert!(sent.contains("The first half,"), "the partial answer is missing");
    assert!(!sent.contains("half.txt"), "an incomplete call was sent");
}

#[wasm_bindgen_test]
async fn a_failed_agent_has_a_card_and_the_others_continue() {
    const CAUSE: &str = "INVALID_ARGUMENT in words";
    let (page, replies) = Replies::open().await;
    replies.queue("Architect", refuses(400, "INVALID_ARGUMENT"));
    replies.queue("Engineer", says("I went on."));
    replies.queue("Critic", says("So did I."));
    page.send_to("ALL", "Try this.").await;
    page.see_text(answers_of("critic"), "So did I.").await;
    page.idle().await;
    page.see_text(ERROR_CARD, CAUSE).await;
    page.see(agent_card("architect").with("data-state", "error")).await;
    assert_eq!(page.tab.speakers(), ["Architect", "Engineer", "Critic"], "a bad request was sent again");

    replies.queue("Architect", says("Now it works."));
    page.click(RETRY).await;
    page.see_text(answers_of("architect"), "Now it works.").await;
    page.idle().await;
    let again = &page.sent("Architect")[1];
    assert!(again.question().contains("Try this."), "{}", again.question());
    assert!(again.text().contains("I went on."), "others' answers were rewritten");
    assert_eq!(page.tab.speakers().len(), 4, "other agents were called again");
    page.see(agent_card("architect").with("data-state", "idle")).await;
}

#[wasm_bindgen_test]
async fn a_provider_that_cannot_be_reached_has_a_list_of_checks_and_no_cause() {
    let page = MountedPage::open(|_, _| Scripted { status: 200, beats: vec![ScriptedChunk::NoAnswer] }).await;
    let hosts = [
        ("architect", "http://127.0.0.1:9"),
        ("engineer", "https://nobody.invalid"),
        ("critic", "http://127.0.0.1:5199"),
    ];
    for (agent, address) in hosts {
        let id = format!("host-of-{agent}");
        let provider = Provider {
            id: id.as_str().into(),
            label: id.clone(),
            protocol: Protocol::Ollama,
            base_url: address.to_owned(),
            needs_key: false,
        };
        page.tab.send(Command::ChangeProvider { provider }).unwrap();
        let mut row = page.tab.world().agents[&agent.into()].as_ref().clone();
        (row.config.provider, row.config.model) = (id.as_str().into(), "llama-of-nobody".into());
        page.tab.send(Command::ChangeAgent { agent: row }).unwrap();
    }
    page.send_to("ALL", "Anybody?").await;
    page.tab.pass(60_000);
    page.see_count(ERROR_CARD, 3).await;
    page.idle().await;
    for (agent, address) in hosts {
        for words in ["cannot be reached", address, "does not say why"] {
            page.see_text(ERROR_CARD.with("data-agent", agent), words).await;
        }
        let checks = page.texts(ERROR_CARD.with("data-agent", agent).inner(REACH_CHECKS));
        assert!(checks.len() == 1 && !checks[0].trim().is_empty(), "{agent}: {checks:?}");
        page.see(ERROR_CARD.with("data-agent", agent).inner(RETRY)).await;
    }
}

#[wasm_bindgen_test]
async fn pieces_of_an_answer_that_cannot_be_read_are_counted_below_it() {
    let piece = |text: &str| json!({ "candidates": [{ "content": { "parts": [{ "text": text }], "role": "model" } }] });
    let end = json!({ "candidates": [{ "finishReason": "STOP" }] });
    let lines = [
        ": a comment\n\n".to_owned(),
        format!("data: {}\n\n", piece("One")),
        "data: {not JSON\n\n".to_owned(),
        "event: moon\nid: 7\nretry: 5\n\n".to_owned(),
        format!("data:{}\r\r", piece(" two")),
        "data: {\"candidates\":\"\u{0}\"}\n\n".to_owned(),
        format!("data: {}\r\n\r\n", piece(" three\u{2028}four")),
        "\n\n\n".to_owned(),
        format!("data: {end}"),
    ];
    let (page, _) = answered(body(200, &lines.concat())).await;
    page.see(answers_of("engineer").with("data-status", "completed")).await;
    assert_eq!(
        page.text(answers_of("engineer").inner(MESSAGE_TEXT)).await.trim(),
        "One two three\u{2028}four"
    );
    page.see_text(answers_of("engineer").inner(MESSAGE_FAULT), "2 parts of this answer could not be read.")
        .await;
}

#[wasm_bindgen_test]
async fn an_answer_with_too_much_rubbish_ends_with_a_card_and_its_text() {
    let mut endless = says("Before it");
    endless.beats.truncate(1);
    endless.beats.push(ScriptedChunk::Bytes("data: {rubbish\n\n".repeat(40)));
    endless.beats.push(ScriptedChunk::Wait(600_000));
    let (page, _) = answered(endless).await;
    page.see(ERROR_CARD).await;
    page.see_text(answers_of("engineer").inner(MESSAGE_TEXT), "Before it").await;
}

#[wasm_bindgen_test]
async fn the_page_of_a_captive_portal_is_shown_as_text() {
    let portal = body(
        200,
        "<!doctype html><title>Hotel</title><h1>Sign in to the network</h1><img src=x onerror=alert(1)>",
    );
    let (page, replies) = answered(portal).await;
    page.see_text(ERROR_CARD, "Sign in to the network").await;
    page.see_text(TIMELINE, "Go.").await;
    page.see_count(Selector::css("img[onerror]"), 0).await;
    works_on(&page, &replies).await;
}

#[wasm_bindgen_test]
async fn every_error_that_names_a_setting_finds_its_field() {
    let (page, _) = Replies::open().await;
    page.open_settings_at(AGENT_MODEL).await;
    let fields = [
        SettingsField::Provider,
        SettingsField::Model,
        SettingsField::ReasoningEffort,
        SettingsField::MaxTokens,
        SettingsField::Temperature,
        SettingsField::ContextWindow,
        SettingsField::BaseUrl,
        SettingsField::ApiKey,
        SettingsField::NeedsKey,
        SettingsField::Timeout,
    ];
    for field in fields {
        let id = field.id(&"engineer".into(), &"gemini".into());
        let selector = Selector::css(&format!("[id=\"{id}\"]:is(input, select)"));
        page.until(&format!("a field {id}"), || page.count(selector.clone()) == 1).await;
    }
}

#[wasm_bindgen_test]
async fn an_answer_says_if_another_model_gave_it() {
    let part = json!({ "role": "model", "parts": [{ "text": "From another one." }] });
    let routed = event(&json!({
        "modelVersion": "routed-1",
        "candidates": [{ "content": part, "finishReason": "STOP", "index": 0 }],
        "usageMetadata": { "promptTokenCount": 9, "candidatesTokenCount": 3 },
    }));
    let (page, _) = answered(Scripted { status: 200, beats: vec![routed] }).await;
    page.see_text(answers_of("engineer"), "From another one.").await;
    page.see_text(answers_of("engineer").inner(MESSAGE_MODEL), "answered by routed-1").await;
}

#[wasm_bindgen_test]
async fn stop_keeps_the_partial_answer_and_the_next_message_continues_from_there() {
    let (page, replies) = Replies::open().await;
    replies.queue("Architect", trickles(&["Half a thou"]));
    page.send_to("ALL", "Think.").await;
    let answer = answers_of("architect").inner(MESSAGE_TEXT);
    page.see_text(answer.clone(), "Half a thou").await;
    page.see(agent_card("architect").with("data-state", "processing")).await;
    page.click(STOP).await;
    page.see(answers_of("architect").with("data-status", "failed").with("data-reason", "cancelled")).await;
    page.idle().await;
    assert_eq!(page.tab.speakers(), ["Architect"], "the remaining agents were called");
    assert_eq!(page.texts(answer).last().unwrap().trim(), "Half a thou");
    page.see(agent_card("architect").with("data-state", "idle")).await;

    for agent in ["Architect", "Engineer", "Critic"] {
        replies.queue(agent, says("Yes."));
    }
    page.send_to("ALL", "Go on then.").await;
    page.see_text(answers_of("critic"), "Yes.").await;
    assert_eq!(page.tab.speakers().len(), 4);
    assert!(
        page.sent("Engineer")[0].text().contains("Half a thou"),
        "the partial answer is not in the history"
    );
    page.idle().await;
}

#[wasm_bindgen_test]
async fn a_connection_that_breaks_and_then_fails_is_back_on_retry() {
    let (page, replies) = Replies::open().await;
    let cut = Scripted { status: 200, beats: vec![ScriptedChunk::Cut] };
    replies.queue("Engineer", after_a_second("So far", cut));
    page.send_to("engineer", "Go.").await;
    page.see_text(answers_of("engineer"), "So far").await;
    page.tab.pass(1_000);
    page.see(answers_of("engineer").with("data-status", "failed").with("data-reason", "cut_off")).await;
    page.idle().await;
    page.see_text(answers_of("engineer").inner(MESSAGE_TEXT), "So far").await;
    for _ in 0..2 {
        replies.queue("Engineer", Scripted { status: 200, beats: vec![ScriptedChunk::NoAnswer] });
    }
    page.send_to("engineer", "Hello?").await;
    page.tab.pass(20_000);
    page.see_count(ERROR_CARD, 2).await;
    page.idle().await;
    let before = page.sent("Engineer").len();
    replies.queue("Engineer", says("Here again."));
    page.click_last(RETRY).await;
    page.see_text(answers_of("engineer"), "Here again.").await;
    page.idle().await;
    assert_eq!(page.sent("Engineer").len(), before + 1);
}
