use serde_json::{Value, json};

use super::*;
use crate::tests::{config, prompt, user_entry};
use nexus_model::llm::PromptEntry;
use nexus_model::message::content::PartBody;
use nexus_model::provider::ProviderErrorKind;
use nexus_text::content_hash::ContentHash;

#[test]
fn invisible_text_is_escaped() {
    let text = "Do.\u{E0041}\u{E0042} a\u{FE01} 👨\u{200D}👩 ❤\u{FE0F}";
    for protocol in Protocol::ALL {
        let asked = Prompt { system: text.to_owned(), ..prompt(config("p", "m"), vec![user_entry(text)]) };
        let endpoint = Endpoint { base_url: "https://h".to_owned(), key: None };
        let body = encode(protocol, &asked, &endpoint).body.unwrap();
        serde_json::from_str::<Value>(&body).unwrap();
        let seen = "Do.⟨U+E0041⟩⟨U+E0042⟩ a⟨U+FE01⟩ 👨\u{200D}👩 ❤\u{FE0F}";
        assert_eq!(body.matches(seen).count(), 2, "{protocol:?}: {body}");
    }
}

#[test]
fn model_list_is_requested_with_the_key_in_a_header() {
    let cases = [
        (
            Protocol::Gemini,
            "https://generativelanguage.googleapis.com",
            "https://generativelanguage.googleapis.com/v1beta/models?pageSize=1000",
            ["x-goog-api-key: k3y"].as_slice(),
        ),
        (
            Protocol::Openai,
            "https://api.x.ai/v1/",
            "https://api.x.ai/v1/models",
            &["authorization: Bearer k3y"],
        ),
        (
            Protocol::Responses,
            "https://api.openai.com/v1",
            "https://api.openai.com/v1/models",
            &["authorization: Bearer k3y"],
        ),
        // Headers that a browser may send. A GET has no content type.
        (
            Protocol::Anthropic,
            "https://api.anthropic.com",
            "https://api.anthropic.com/v1/models?limit=1000",
            &[
                "anthropic-version: 2023-06-01",
                "anthropic-dangerous-direct-browser-access: true",
                "x-api-key: k3y",
            ],
        ),
    ];
    for (protocol, base_url, url, headers) in cases {
        // With whitespace, as pasted, for hosts with bearer tokens.
        let pasted = if protocol == Protocol::Openai { " k3y\n" } else { "k3y" };
        let key = Some(crate::http::Secret::new(pasted));
        let request = (of(protocol).models_request)(&Endpoint { base_url: base_url.to_owned(), key });
        assert_eq!(request.url, url);
        let headers_sent: Vec<_> =
            request.headers.iter().map(|(name, value)| format!("{name}: {}", value.reveal())).collect();
        assert_eq!(headers_sent, headers);
        assert!(!format!("{request:?}").contains("k3y"));
    }
}

#[test]
fn invalid_list_is_an_error() {
    let bad_key = json!({"error": {"code": 400, "status": "INVALID_ARGUMENT", "message": "no",
        "details": [{"reason": "API_KEY_INVALID"}]}});
    let refused = json!({"type": "error", "error": {"type": "authentication_error", "message": "no"}});
    let cases = [
        (Protocol::Gemini, 400, bad_key),
        (Protocol::Openai, 401, json!({"detail": "Unauthorized"})),
        (Protocol::Responses, 401, json!({"error": {"code": "invalid_api_key"}})),
        (Protocol::Anthropic, 401, refused),
        (Protocol::Ollama, 401, json!({"error": "unauthorized"})),
    ];
    for (protocol, status, refusal) in cases {
        let category = |status, body: &str| (of(protocol).read_models)(status, body).unwrap_err().category;
        assert_eq!(category(200, "<html>Log in"), ProviderErrorKind::Garbled);
        assert_eq!(category(200, "Ollama is running"), ProviderErrorKind::Garbled);
        assert_eq!(category(404, "404 page not found"), ProviderErrorKind::NotFound);
        assert_eq!(category(404, ""), ProviderErrorKind::NotFound);
        assert_eq!(category(status, &refusal.to_string()), ProviderErrorKind::Authentication);
    }
    let busy = (of(Protocol::Openai).read_models)(503, "{\"data\": []}").unwrap_err();
    assert_eq!(busy.category, ProviderErrorKind::Overloaded);
}

#[test]
fn only_an_official_hosts_list_proves_the_key() {
    let probe = |protocol, base_url: &str| {
        let key = Some(crate::http::Secret::new("canary"));
        (of(protocol).key_probe)(&Endpoint { base_url: base_url.to_owned(), key })
    };
    let own = [
        (Protocol::Gemini, "https://generativelanguage.googleapis.com"),
        (Protocol::Responses, "https://api.openai.com/v1"),
        (Protocol::Anthropic, "https://api.anthropic.com"),
        (Protocol::Openai, "https://api.openai.com/v1"),
    ];
    for (protocol, base_url) in own {
        assert_eq!(probe(protocol, base_url), KeyProbe::List, "{protocol:?}");
    }
    for protocol in Protocol::ALL {
        let KeyProbe::WithoutKey(request) = probe(protocol, "https://proxy.example/v1") else {
            panic!("{protocol:?}: anybody's list tells nothing");
        };
        assert!(request.url.starts_with("https://proxy.example/"), "{}", request.url);
        assert!(!request.headers.iter().any(|(_, value)| value.reveal().contains("canary")), "{protocol:?}");
    }
}

#[test]
fn each_protocol_reports_the_answering_model() {
    let streams = [
        (Protocol::Gemini, "data: {\"modelVersion\":\"m-2\",\"candidates\":[]}\n\n"),
        (Protocol::Openai, "data: {\"model\":\"m-2\",\"choices\":[]}\n\n"),
        (Protocol::Responses, "data: {\"type\":\"response.created\",\"response\":{\"model\":\"m-2\"}}\n\n"),
        (Protocol::Anthropic, "data: {\"type\":\"message_start\",\"message\":{\"model\":\"m-2\"}}\n\n"),
        (Protocol::Ollama, "{\"model\":\"m-2\",\"message\":{}}\n"),
    ];
    for (protocol, stream) in streams {
        let mut decoder = (of(protocol).decoder)();
        let mut answer = crate::chat::ModelAnswer::default();
        decoder.feed(stream.as_bytes()).into_iter().for_each(|event| answer.apply(event));
        assert_eq!(answer.model.as_deref(), Some("m-2"), "{protocol:?}");
    }
}

#[test]
fn document_is_sent_unchanged_by_supporting_protocols() {
    let hash = ContentHash::of_text("JVBERi0x");
    let (mime, name) = ("application/pdf".to_owned(), "a.pdf".to_owned());
    let part = PartBody::Blob { hash, mime, name, bytes: 6 }.into();
    let mut asked = prompt(config("p", "m"), vec![PromptEntry::User(vec![part])]);
    asked.blobs.insert(hash, "JVBERi0x".into());
    let endpoint = Endpoint { base_url: "https://h".to_owned(), key: None };
    let body = |protocol| {
        let body = encode(protocol, &asked, &endpoint).body.unwrap();
        serde_json::from_str::<Value>(&body).unwrap()
    };
    let gemini = &body(Protocol::Gemini)["contents"][0]["parts"][0]["inlineData"];
    assert_eq!(*gemini, json!({"mimeType": "application/pdf", "data": "JVBERi0x"}));
    let anthropic = &body(Protocol::Anthropic)["messages"][0]["content"][0];
    assert_eq!((&anthropic["type"], &anthropic["source"]["data"]), (&json!("document"), &json!("JVBERi0x")));
    assert_eq!(
        body(Protocol::Responses)["input"][0]["content"][0],
        json!({"type": "input_file", "filename": "a.pdf", "file_data": "data:application/pdf;base64,JVBERi0x"})
    );
    for protocol in Protocol::ALL {
        assert_eq!(
            body(protocol).to_string().contains("JVBERi0x"),
            protocol.takes_documents(),
            "{protocol:?}"
        );
    }
}
