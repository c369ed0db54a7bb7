//! Tests of the fake provider over a socket: bytes, pauses, breaks, and what it records.

use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::client::{PATH, answer, connect, events, post, question};
use crate::e2e::provider::{Answer, ApiError, Ending, Gate, KEY, Provider, Reply};

fn eventually(what: &str, mut is_true: impl FnMut() -> bool) {
    let until = Instant::now() + Duration::from_secs(5);
    while !is_true() {
        assert!(Instant::now() < until, "never: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn an_answer_streams_as_events() {
    let provider = Provider::start().unwrap();
    provider.queue_for(
        "Engineer",
        Answer::new()
            .thinking("hm")
            .text("one ")
            .text("two")
            .calls([("read", json!({ "name": "a" })), ("list", json!({}))])
            .signed_end(),
    );
    let (status, head, body) = answer(post(&provider, PATH, KEY, &question("Engineer")));
    assert_eq!(status, 200);
    assert!(head.contains("content-type: text/event-stream"));
    assert!(head.contains("access-control-allow-origin: *"));
    assert!(!head.contains("access-control-expose-headers"));
    let events = events(&body.unwrap());
    assert_eq!(events.len(), 6);
    assert_eq!(events[0]["candidates"][0]["content"]["parts"][0]["thought"], true);
    assert_eq!(events[0]["modelVersion"], "gemini-3.8-flash");
    let calls = events[3]["candidates"][0]["content"]["parts"].as_array().unwrap();
    assert!(calls[0]["thoughtSignature"].is_string() && calls[1].get("thoughtSignature").is_none());
    assert_ne!(calls[0]["functionCall"]["id"], calls[1]["functionCall"]["id"]);
    assert_eq!(events[5]["candidates"][0]["finishReason"], "STOP");
    assert_eq!(events[5]["usageMetadata"]["candidatesTokenCount"], 2);
    assert_eq!(events[5]["usageMetadata"]["thoughtsTokenCount"], 1);

    // The sent signature is the accepted one.
    let mut next = question("Engineer");
    let reply = |call: &Value| {
        let call = &call["functionCall"];
        json!({ "functionResponse": { "id": call["id"], "name": call["name"], "response": {} } })
    };
    let responses: Vec<_> = calls.iter().map(reply).collect();
    next["contents"]
        .as_array_mut()
        .unwrap()
        .extend([json!({ "role": "model", "parts": calls }), json!({ "role": "user", "parts": responses })]);
    provider.queue(Answer::say("done"));
    assert_eq!(answer(post(&provider, PATH, KEY, &next)).0, 200);
    assert_eq!(provider.take_errors(), []);
    let requests = provider.requests_of("Engineer");
    assert_eq!(requests.iter().map(|request| request.round()).collect::<Vec<_>>(), [0, 1]);
    assert_eq!(requests[1].tool_results().len(), 2);
    assert_eq!(requests[1].last_user_text(), "hello");
    eventually("both whole", || provider.requests().iter().all(|request| request.ending == Ending::Whole));
}

#[test]
fn chunks_have_the_same_bytes() {
    let provider = Provider::start().unwrap();
    provider.queue(Reply::from(Answer::say("größer als 🦀")).in_pieces(7));
    let body = answer(post(&provider, PATH, KEY, &question("Critic"))).2.unwrap();
    let texts: Vec<_> = events(&body)
        .iter()
        .filter_map(|event| event.pointer("/candidates/0/content/parts/0/text"))
        .filter_map(|text| text.as_str().map(str::to_owned))
        .collect();
    assert_eq!(texts.concat(), "größer als 🦀");
}

#[test]
fn a_gate_holds_the_reply_back() {
    let provider = Provider::start().unwrap();
    let gate = Gate::new();
    provider.queue(Answer::new().text("before").hold(&gate).text("after"));
    let stream = post(&provider, PATH, KEY, &question("Architect"));
    eventually("it came in", || provider.requests().len() == 1);
    std::thread::sleep(Duration::from_millis(50));
    assert_eq!(provider.requests()[0].ending, Ending::Open);
    gate.open();
    assert!(answer(stream).2.is_ok());
    eventually("whole", || provider.requests()[0].ending == Ending::Whole);
}

#[test]
fn a_disconnect_is_noticed() {
    let provider = Provider::start().unwrap();
    provider.queue(Answer::new().text("before").hold(&Gate::new()));
    let stream = post(&provider, PATH, KEY, &question("Architect"));
    eventually("it came in", || provider.requests().len() == 1);
    drop(stream);
    eventually("aborted", || provider.requests()[0].ending == Ending::Aborted);
}

#[test]
fn a_break_is_no_end() {
    let provider = Provider::start().unwrap();
    provider.queue(Answer::new().text("half").cut());
    let (_, _, body) = answer(post(&provider, PATH, KEY, &question("Critic")));
    let before = body.unwrap_err();
    assert_eq!(events(&before).len(), 1);
    eventually("cut", || provider.requests()[0].ending == Ending::Cut);
}

#[test]
fn errors_before_and_in_the_stream() {
    let provider = Provider::start().unwrap();
    provider.queue(Reply::rate_limited("2s"));
    provider.queue(Reply::overloaded());
    provider.queue(Answer::new().text("half").error_in_stream(&ApiError::argument("no more")));
    provider.queue(Reply::blocked_prompt("SAFETY"));
    provider.queue(Reply::html(200, "<p>sign in</p>"));
    let next = || answer(post(&provider, PATH, KEY, &question("Critic")));
    let (status, _, body) = next();
    let body: Value = serde_json::from_slice(&body.unwrap()).unwrap();
    assert_eq!((status, &body["error"]["details"][1]["retryDelay"]), (429, &json!("2s")));
    assert_eq!(next().0, 503);
    let in_stream = String::from_utf8(next().2.unwrap()).unwrap();
    let (event, error) = in_stream.split_once("\r\n\r\n").unwrap();
    assert!(event.starts_with("data: {"));
    let error: Value = serde_json::from_str(error).unwrap();
    assert_eq!(error["error"]["message"], "no more");
    let blocked = events(&next().2.unwrap());
    assert_eq!(blocked[0]["promptFeedback"]["blockReason"], "SAFETY");
    assert!(blocked[0].get("candidates").is_none());
    let (status, head, _) = next();
    assert!(status == 200 && head.contains("content-type: text/html"));
    assert_eq!(provider.take_errors(), [], "scripted errors are no refusals");
}

#[test]
fn keys_models_and_unscripted_requests() {
    let provider = Provider::start().unwrap();
    let body = question("Architect");
    let error = |stream: TcpStream| {
        let (status, _, body) = answer(stream);
        let body: Value = serde_json::from_slice(&body.unwrap()).unwrap();
        (status, body["error"].clone())
    };
    let (status, wrong_key) = error(post(&provider, PATH, "wrong", &body));
    assert_eq!(status, 400);
    assert_eq!(wrong_key["details"][0]["reason"], "API_KEY_INVALID");
    let (status, in_url) = error(post(&provider, &format!("{PATH}&key={KEY}"), KEY, &body));
    assert_eq!((status, &in_url["message"]), (400, &json!("a key in the URL is written to logs")));
    let (status, silent) = error(post(&provider, PATH, KEY, &body));
    assert_eq!(status, 400);
    assert!(silent["message"].as_str().unwrap().contains("no reply is scripted"));
    assert_eq!(provider.take_errors().len(), 3);

    let other = PATH.replace("gemini-3.8-flash", "gemini-9");
    let (status, unknown) = error(post(&provider, &other, KEY, &body));
    assert_eq!((status, &unknown["status"]), (404, &json!("NOT_FOUND")));
    let head = format!("GET /v1beta/models?pageSize=1000 HTTP/1.1\r\nx-goog-api-key: {KEY}");
    let (status, _, list) = answer(connect(&provider, &head, ""));
    let list: Value = serde_json::from_slice(&list.unwrap()).unwrap();
    assert_eq!((status, &list["models"][0]["name"]), (200, &json!("models/gemini-4-argon")));
    assert_eq!(provider.take_errors(), []);
}

#[test]
fn the_agent_determines_the_reply() {
    let provider = Provider::start().unwrap();
    provider.otherwise(|request| {
        (request.round() == 0).then(|| Answer::say(request.agent().unwrap_or("nobody")).into())
    });
    for agent in ["Architect", "Engineer", "Critic", "Critic"] {
        let body = answer(post(&provider, PATH, KEY, &question(agent))).2.unwrap();
        let text = &events(&body)[0]["candidates"][0]["content"]["parts"][0]["text"];
        assert_eq!(text, agent);
    }
    assert_eq!(provider.order(), ["Architect", "Engineer", "Critic"]);
}

#[test]
fn the_preflight_allows_two_headers() {
    let provider = Provider::start().unwrap();
    let head = format!("OPTIONS {PATH} HTTP/1.1\r\nOrigin: http://x\r\nAccess-Control-Request-Method: POST");
    let (status, head, _) = answer(connect(&provider, &head, ""));
    assert_eq!(status, 204);
    assert!(head.contains("access-control-allow-headers: x-goog-api-key, content-type\r\n"));
    assert_eq!(provider.preflights().len(), 1);
    assert!(provider.requests().is_empty());
}
