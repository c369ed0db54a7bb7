//! Tests of each fake service over a socket: paths, keys, model lists, preflights, rejections and events.

use nexus_model::message::content::{ToolArgs, calls_of, text_of, thinking_of};
use nexus_model::provider::Protocol;
use nexus_providers::chat;
use nexus_providers::codec;
use serde_json::{Value, json};

use super::client::{answer, connect};
use crate::e2e::provider::{Answer, ApiError, Framing, Host, Provider, Reply, key_of, models_of};

/// The services except Gemini, which has its own tests.
const OTHERS: [Protocol; 4] = [Protocol::Openai, Protocol::Responses, Protocol::Anthropic, Protocol::Ollama];

/// Request line and headers for this service.
fn head(method: &str, path: &str, protocol: Protocol, key: Option<&str>) -> String {
    let mut head = format!("{method} {path} HTTP/1.1\r\nHost: x\r\nOrigin: http://page");
    let key = key.unwrap_or_default();
    match protocol {
        Protocol::Gemini => head.push_str(&format!("\r\nx-goog-api-key: {key}")),
        Protocol::Openai | Protocol::Responses if !key.is_empty() => {
            head.push_str(&format!("\r\nauthorization: Bearer {key}"));
        }
        Protocol::Anthropic => {
            head.push_str(
                "\r\nanthropic-version: 2023-06-01\r\nanthropic-dangerous-direct-browser-access: true",
            );
            if !key.is_empty() {
                head.push_str(&format!("\r\nx-api-key: {key}"));
            }
        }
        Protocol::Openai | Protocol::Responses | Protocol::Ollama => {}
    }
    head
}

fn path_of(protocol: Protocol) -> &'static str {
    match protocol {
        Protocol::Gemini => super::client::PATH,
        Protocol::Openai => "/v1/chat/completions",
        Protocol::Responses => "/v1/responses",
        Protocol::Anthropic => "/v1/messages",
        Protocol::Ollama => "/api/chat",
    }
}

fn question(protocol: Protocol) -> Value {
    let model = models_of(protocol)[0].0;
    let messages = json!([{ "role": "user", "content": "hello" }]);
    match protocol {
        Protocol::Gemini => super::client::question("Critic"),
        Protocol::Openai => json!({ "model": model, "stream": true, "messages": messages }),
        Protocol::Responses => json!({ "model": model, "stream": true, "store": false, "input": messages }),
        Protocol::Anthropic => {
            json!({ "model": model, "stream": true, "max_tokens": 99, "messages": messages })
        }
        Protocol::Ollama => json!({ "model": model, "messages": messages, "options": { "num_ctx": 99 } }),
    }
}

fn ask(provider: &Provider, protocol: Protocol, body: &Value, key: Option<&str>) -> (u16, String, String) {
    let head = head("POST", path_of(protocol), protocol, key);
    let (status, head, body) = answer(connect(provider, &head, &body.to_string()));
    (status, head, String::from_utf8(body.unwrap()).unwrap())
}

#[test]
fn each_service_sends_the_answer_in_its_own_events() {
    let provider = Provider::start().unwrap();
    for protocol in OTHERS {
        let answer = Answer::new().thinking("hm").text("größer ").text("🦀").call("read", json!({ "a": 1 }));
        provider.queue(Reply::from(answer).in_pieces(3));
        let (status, head, body) = ask(&provider, protocol, &question(protocol), key_of(protocol));
        assert_eq!(status, 200, "{body}");
        let kind = if protocol == Protocol::Ollama { "application/x-ndjson" } else { "text/event-stream" };
        assert!(head.contains(kind) && head.contains("access-control-allow-origin: *"), "{head}");
        assert!(!head.contains("access-control-expose-headers"));
        let data: Vec<Value> = body
            .lines()
            .map(|line| line.strip_prefix("data: ").unwrap_or(line))
            .filter(|line| line.starts_with('{'))
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert!(data.len() > 3, "{body}");
        let end = data.last().unwrap();
        match protocol {
            Protocol::Gemini => {}
            Protocol::Openai => {
                assert!(body.ends_with("data: [DONE]\n\n"));
                assert_eq!((&end["choices"], &end["usage"]["prompt_tokens"]), (&json!([]), &json!(100)));
            }
            Protocol::Responses => {
                assert_eq!(end["type"], "response.completed");
                assert_eq!(end["response"]["output"].as_array().unwrap().len(), 3);
                let numbers: Vec<_> = data.iter().map(|each| each["sequence_number"].as_u64()).collect();
                assert!(numbers.windows(2).all(|pair| pair[0] < pair[1]));
            }
            Protocol::Anthropic => {
                assert_eq!(end["type"], "message_stop");
                let is_ping = |event: &&Value| event["type"] == "ping";
                assert_eq!(data.iter().filter(is_ping).count(), 1);
            }
            Protocol::Ollama => {
                assert_eq!((&end["done"], &end["done_reason"]), (&json!(true), &json!("stop")));
            }
        }
        let request = provider.requests().pop().unwrap();
        assert_eq!((request.protocol, request.last_user_text().as_str()), (protocol, "hello"));
        assert_eq!(request.model(), models_of(protocol)[0].0);
    }
    assert_eq!(provider.take_errors(), []);
}

#[test]
fn our_decoders_read_the_framing() {
    const HOSTS: [Host; 9] = [
        Host::Openai,
        Host::OpenRouter,
        Host::Groq,
        Host::Mistral,
        Host::DeepSeek,
        Host::Xai,
        Host::Perplexity,
        Host::Local,
        Host::Other,
    ];
    let others = [Protocol::Gemini, Protocol::Responses, Protocol::Anthropic, Protocol::Ollama];
    let all = HOSTS.map(|host| (Protocol::Openai, host)).into_iter();
    for (protocol, host) in all.chain(others.map(|protocol| (protocol, Host::Other))) {
        let answer = Answer::new()
            .thinking("Let me ")
            .thinking("think.")
            .text("Größe ")
            .text("🦀.")
            .calls([("read", json!({ "name": "größe" })), ("list", json!({}))]);
        let mut framing = Framing::new(protocol, host, "model", 7);
        let mut decoder = (codec::of(protocol).decoder)();
        let mut read = chat::ModelAnswer::default();
        for piece in answer.pieces() {
            for byte in framing.say(piece) {
                decoder.feed(&[byte]).into_iter().for_each(|event| read.apply(event));
            }
        }
        decoder.end().into_iter().for_each(|event| read.apply(event));
        let parts = read.message_parts(&"p".into(), "model");
        assert_eq!(text_of(&parts), "Größe 🦀.", "{protocol:?} {host:?}");
        assert_eq!(thinking_of(&parts), "Let me think.", "{protocol:?} {host:?}");
        let calls: Vec<_> = calls_of(&parts).map(|call| (call.name.as_str(), call.args.clone())).collect();
        let parsed = |args: Value| ToolArgs::Parsed(args);
        let wanted = [("read", parsed(json!({ "name": "größe" }))), ("list", parsed(json!({})))];
        assert_eq!(calls, wanted, "{protocol:?} {host:?}");
        assert_eq!(read.skipped, 0, "{protocol:?} {host:?}");
    }
}

#[test]
fn keys() {
    let provider = Provider::start().unwrap();
    for protocol in [Protocol::Openai, Protocol::Responses, Protocol::Anthropic] {
        for (key, words) in [
            (Some("wrong-key-0123"), ["Incorrect API key", "invalid x-api-key"]),
            (None, ["didn't", "required"]),
        ] {
            let (status, _, body) = ask(&provider, protocol, &question(protocol), key);
            assert_eq!(status, 401, "{body}");
            assert!(words.iter().any(|words| body.contains(words)), "{body}");
            assert!(!body.contains("wrong-key-0123"), "the response contains the key: {body}");
        }
    }
    assert_eq!(provider.take_errors().len(), 6);
    provider.queue(Answer::say("hi"));
    assert_eq!(ask(&provider, Protocol::Ollama, &question(Protocol::Ollama), None).0, 200);
    let bare = "POST /v1/messages HTTP/1.1\r\nx-api-key: x";
    let (_, _, body) = answer(connect(&provider, bare, &question(Protocol::Anthropic).to_string()));
    let body = String::from_utf8(body.unwrap()).unwrap();
    assert!(body.contains("anthropic-version: header is required"), "{body}");
}

#[test]
fn model_lists_and_unknown_models() {
    let provider = Provider::start().unwrap();
    for protocol in OTHERS {
        let path = if protocol == Protocol::Ollama { "/api/tags" } else { "/v1/models?limit=1000" };
        let (status, _, body) =
            answer(connect(&provider, &head("GET", path, protocol, key_of(protocol)), ""));
        let list: Value = serde_json::from_slice(&body.unwrap()).unwrap();
        assert_eq!(status, 200, "{list}");
        let first = list.pointer("/data/0/id").or(list.pointer("/models/0/name")).unwrap();
        assert_eq!(first, models_of(protocol)[0].0);

        let mut body = question(protocol);
        body["model"] = json!("model-99");
        let (status, _, body) = ask(&provider, protocol, &body, key_of(protocol));
        assert!(status == 404 && body.contains("model-99"), "{body}");
    }
    let show = head("POST", "/api/show", Protocol::Ollama, None);
    let (_, _, body) = answer(connect(&provider, &show, "{\"model\":\"gemma3:4b\"}"));
    let shown: Value = serde_json::from_slice(&body.unwrap()).unwrap();
    assert_eq!(shown["capabilities"], json!(["completion", "vision"]));
    assert_eq!(shown["model_info"]["x.context_length"], 131_072);
    assert_eq!(provider.take_errors(), []);
}

#[test]
fn preflights() {
    let provider = Provider::start().unwrap();
    let ask = |path: &str, wanted: &str| {
        let head = format!(
            "OPTIONS {path} HTTP/1.1\r\nOrigin: http://x\r\nAccess-Control-Request-Method: POST\r\n\
             Access-Control-Request-Headers: {wanted}"
        );
        let (status, head, _) = answer(connect(&provider, &head, ""));
        (status, head)
    };
    let (_, head) = ask("/v1/responses", "authorization,content-type");
    assert!(head.contains("access-control-allow-headers: authorization, content-type\r\n"));
    let (_, head) = ask("/v1/messages", "anthropic-version,content-type,x-api-key");
    assert!(!head.contains("access-control-allow"), "a page was let in that did not say what it does");
    let all = "anthropic-dangerous-direct-browser-access,anthropic-version,content-type,x-api-key";
    for path in ["/v1/messages", "/v1/models"] {
        let (_, head) = ask(path, all);
        assert!(head.contains("access-control-allow-origin: *") && head.contains("x-api-key"), "{head}");
    }
    let (status, head) = ask("/api/chat", "content-type");
    assert!(status == 204 && head.contains("access-control-allow-origin"));
    provider.reject_origins(true);
    let (status, head) = ask("/api/chat", "content-type");
    assert!(status == 403 && !head.contains("access-control-allow"), "{head}");
    let (status, head, _) = answer(connect(&provider, "GET /api/tags HTTP/1.1\r\nOrigin: http://x", ""));
    assert!(status == 403 && !head.contains("access-control-allow"), "{head}");
}

#[test]
fn rejections_and_errors_in_the_stream() {
    let provider = Provider::start().unwrap();
    let broken = ApiError { code: 529, ..ApiError::argument("Overloaded") };
    for protocol in OTHERS {
        provider.queue(Reply::rate_limited("2s"));
        provider.queue(Reply::spent());
        provider.queue(Answer::new().text("half").error_in_stream(&broken));
        provider.queue(Answer::new().text("half").unfinished());
        let next = || ask(&provider, protocol, &question(protocol), key_of(protocol));
        let (status, _, body) = next();
        assert!(status == 429 && body.contains("try again in 2s"), "{body}");
        let (status, _, body) = next();
        assert!(status == 429 && body.contains("exceeded your current quota"), "{body}");
        let (status, _, body) = next();
        assert!(status == 200 && body.contains("half") && body.contains("Overloaded"), "{body}");
        let (_, _, body) = next();
        let marks = ["[DONE]", "completed", "message_stop", "\"done\":true", "\"stop\""];
        assert!(!marks.iter().any(|mark| body.contains(mark)), "{body}");
        provider.queue(Answer::say("x"));
        let mut strange = question(protocol);
        strange["strange"] = json!(1);
        let (status, _, body) = ask(&provider, protocol, &strange, key_of(protocol));
        assert!(status == 400 && body.contains("strange"), "{body}");
        let refused = provider.take_errors();
        assert!(refused.len() == 1 && refused[0].code == 400);
        provider.reset();
    }
}
