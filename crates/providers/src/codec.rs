//! The [`Codec`] interface of a provider family, and the lookup by [`Protocol`].
//!
//! Calling [`of`] links all families; the page loads it before the first model call.

use crate::anthropic::decode::AnthropicDecoder;
use crate::chat::{Decode, ModelEvent};
use crate::gemini::decode::GeminiDecoder;
use crate::http::{Endpoint, HttpRequest, KeyProbe};
use crate::ollama::OllamaDecoder;
use crate::openai_chat::decode::OpenaiDecoder;
use crate::openai_responses::decode::ResponsesDecoder;
use crate::{anthropic, error, gemini, models, ollama, openai_chat, openai_responses};
use nexus_model::llm::Prompt;
use nexus_model::provider::{ModelInfo, Protocol, ProviderError, origin_of};
use nexus_text::invisible::reveal_encoded;

#[derive(Clone, Copy, Debug)]
pub struct Codec {
    pub encode: fn(&Prompt, &Endpoint) -> HttpRequest,
    pub models_request: fn(&Endpoint) -> HttpRequest,
    /// How to check the key after the list was received.
    pub key_probe: fn(&Endpoint) -> KeyProbe,
    /// Parses the response to `models_request` (status and body).
    pub read_models: fn(u16, &str) -> Result<Vec<ModelInfo>, ProviderError>,
    /// Classifies a response that is no stream, by status, content type and body.
    pub classify: fn(u16, Option<&str>, &str) -> ProviderError,
    pub decoder: fn() -> Box<dyn Decode>,
}

/// Escapes invisible characters anywhere in a request, which only the model would read. JSON syntax has none of them.
fn without_invisible_text(request: HttpRequest) -> HttpRequest {
    HttpRequest { body: request.body.map(|body| reveal_encoded(&body)), ..request }
}

/// The probe of a protocol whose own host requires a key for the list. Other hosts with this protocol may not.
fn probe_at(own: &str, endpoint: &Endpoint, list: fn(&Endpoint) -> HttpRequest) -> KeyProbe {
    if origin_of(&endpoint.base_url).as_deref() == Some(own) {
        KeyProbe::List
    } else {
        KeyProbe::without_key(endpoint, list)
    }
}

macro_rules! family {
    ($codec:ident, $module:ident, $encode:path, $decoder:ident, $models:expr, $probe:expr) => {
        static $codec: Codec = Codec {
            encode: |prompt, endpoint| without_invisible_text($encode(prompt, endpoint)),
            models_request: $module::models_request,
            key_probe: $probe,
            read_models: $models,
            classify: error::classify,
            decoder: || Box::new($decoder::default()),
        };
    };
}

family! {
    GEMINI, gemini, gemini::encode::encode, GeminiDecoder, models::read,
    |endpoint| probe_at("https://generativelanguage.googleapis.com", endpoint, gemini::models_request)
}
family! {
    OPENAI, openai_chat, openai_chat::encode::encode, OpenaiDecoder, models::read, openai_chat::key_probe
}
family! {
    RESPONSES, openai_responses, openai_responses::encode::encode, ResponsesDecoder, openai_responses::read_models,
    |endpoint| probe_at("https://api.openai.com", endpoint, openai_responses::models_request)
}
family! {
    ANTHROPIC, anthropic, anthropic::encode::encode, AnthropicDecoder, models::read,
    |endpoint| probe_at("https://api.anthropic.com", endpoint, anthropic::models_request)
}
family! {
    OLLAMA, ollama, ollama::encode, OllamaDecoder, models::read,
    |endpoint| KeyProbe::without_key(endpoint, ollama::models_request)
}

pub fn of(protocol: Protocol) -> &'static Codec {
    match protocol {
        Protocol::Gemini => &GEMINI,
        Protocol::Openai => &OPENAI,
        Protocol::Responses => &RESPONSES,
        Protocol::Anthropic => &ANTHROPIC,
        Protocol::Ollama => &OLLAMA,
    }
}

/// The request for a streamed answer to `prompt`.
pub fn encode(protocol: Protocol, prompt: &Prompt, endpoint: &Endpoint) -> HttpRequest {
    (of(protocol).encode)(prompt, endpoint)
}

/// A decoder of any family by value: cheap to clone and compare, for tests and tools.
#[derive(Clone, Debug, PartialEq)]
pub enum AnyDecoder {
    Gemini(GeminiDecoder),
    Openai(OpenaiDecoder),
    Responses(ResponsesDecoder),
    Anthropic(AnthropicDecoder),
    Ollama(OllamaDecoder),
}

impl AnyDecoder {
    pub fn new(protocol: Protocol) -> Self {
        match protocol {
            Protocol::Gemini => Self::Gemini(GeminiDecoder::default()),
            Protocol::Openai => Self::Openai(OpenaiDecoder::default()),
            Protocol::Responses => Self::Responses(ResponsesDecoder::default()),
            Protocol::Anthropic => Self::Anthropic(AnthropicDecoder::default()),
            Protocol::Ollama => Self::Ollama(OllamaDecoder::default()),
        }
    }

    fn inner(&mut self) -> &mut dyn Decode {
        match self {
            Self::Gemini(decoder) => decoder,
            Self::Openai(decoder) => decoder,
            Self::Responses(decoder) => decoder,
            Self::Anthropic(decoder) => decoder,
            Self::Ollama(decoder) => decoder,
        }
    }

    pub fn feed(&mut self, bytes: &[u8]) -> Vec<ModelEvent> {
        self.inner().feed(bytes)
    }

    pub fn end(&mut self) -> Vec<ModelEvent> {
        self.inner().end()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::testing::{config, prompt, user_entry};
    use nexus_model::llm::PromptEntry;
    use nexus_model::message::content::PartBody;
    use nexus_model::provider::ProviderErrorKind;
    use nexus_text::content_hash::ContentHash;

    #[test]
    fn invisible_text_is_escaped() {
        let text = "Do.\u{E0041}\u{E0042} a\u{FE01} 👨\u{200D}👩 ❤\u{FE0F}";
        for protocol in Protocol::ALL {
            let asked =
                Prompt { system: text.to_owned(), ..prompt(config("p", "m"), vec![user_entry(text)]) };
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
            let category =
                |status, body: &str| (of(protocol).read_models)(status, body).unwrap_err().category;
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
            assert!(
                !request.headers.iter().any(|(_, value)| value.reveal().contains("canary")),
                "{protocol:?}"
            );
        }
    }

    #[test]
    fn each_protocol_reports_the_answering_model() {
        let streams = [
            (Protocol::Gemini, "data: {\"modelVersion\":\"m-2\",\"candidates\":[]}\n\n"),
            (Protocol::Openai, "data: {\"model\":\"m-2\",\"choices\":[]}\n\n"),
            (
                Protocol::Responses,
                "data: {\"type\":\"response.created\",\"response\":{\"model\":\"m-2\"}}\n\n",
            ),
            (Protocol::Anthropic, "data: {\"type\":\"message_start\",\"message\":{\"model\":\"m-2\"}}\n\n"),
            (Protocol::Ollama, "{\"model\":\"m-2\",\"message\":{}}\n"),
        ];
        for (protocol, stream) in streams {
            let mut decoder = AnyDecoder::new(protocol);
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
        assert_eq!(
            (&anthropic["type"], &anthropic["source"]["data"]),
            (&json!("document"), &json!("JVBERi0x"))
        );
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
}
