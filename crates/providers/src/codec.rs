//! The [`Codec`] interface of a provider family, and the lookup by [`Protocol`].
//!
//! Calling [`of`] links all families; the page instead loads each codec when it is first needed.

use crate::anthropic::decode::AnthropicDecoder;
use crate::chat::{Decode, ModelEvent};
use crate::gemini::decode::GeminiDecoder;
use crate::http::{Endpoint, HttpRequest, KeyProbe};
use crate::ollama::decode::OllamaDecoder;
use crate::openai_chat::decode::OpenaiDecoder;
use crate::openai_responses::decode::ResponsesDecoder;
use crate::{anthropic, gemini, ollama, openai_chat, openai_responses};
use nexus_model::llm::Prompt;
use nexus_model::provider::failure::ProviderError;
use nexus_model::provider::{ModelInfo, Protocol, origin_of};
use nexus_text::invisible::reveal_encoded;

#[derive(Clone, Copy, Debug)]
pub struct Codec {
    pub encode: fn(&Prompt, &Endpoint) -> HttpRequest,
    pub models_request: fn(&Endpoint) -> HttpRequest,
    /// What tells whether the key is right, once the list has come.
    pub key_probe: fn(&Endpoint) -> KeyProbe,
    /// Reads the answer to `models_request` (status and body), or says what went wrong.
    pub read_models: fn(u16, &str) -> Result<Vec<ModelInfo>, ProviderError>,
    /// What an answer means that is no stream, by status, content type and body.
    pub classify: fn(u16, Option<&str>, &str) -> ProviderError,
    pub decoder: fn() -> Box<dyn Decode>,
}

/// Spells out, anywhere in a request, what only the model would read. Nothing of JSON's own is made of such characters.
fn without_unseen_words(request: HttpRequest) -> HttpRequest {
    HttpRequest { body: request.body.map(|body| reveal_encoded(&body)), ..request }
}

/// The probe of a protocol whose own host gives its list to nobody without a key. Others that speak it may.
fn probe_at(own: &str, endpoint: &Endpoint, list: fn(&Endpoint) -> HttpRequest) -> KeyProbe {
    if origin_of(&endpoint.base_url).as_deref() == Some(own) {
        KeyProbe::List
    } else {
        KeyProbe::without_key(endpoint, list)
    }
}

macro_rules! family {
    ($(#[$about:meta])* $codec:ident, $room:ident, $decoder:ident, $probe:expr) => {
        $(#[$about])*
        pub static $codec: Codec = Codec {
            encode: |prompt, endpoint| without_unseen_words($room::encode::encode(prompt, endpoint)),
            models_request: $room::models_request,
            key_probe: $probe,
            read_models: $room::read_models,
            classify: $room::error::classify,
            decoder: || Box::new($decoder::default()),
        };
    };
}

family! {
    GEMINI, gemini, GeminiDecoder,
    |endpoint| probe_at("https://generativelanguage.googleapis.com", endpoint, gemini::models_request)
}
family! {
    OPENAI, openai_chat, OpenaiDecoder, openai_chat::key_probe
}
family! {
    RESPONSES, openai_responses, ResponsesDecoder,
    |endpoint| probe_at("https://api.openai.com", endpoint, openai_responses::models_request)
}
family! {
    ANTHROPIC, anthropic, AnthropicDecoder,
    |endpoint| probe_at("https://api.anthropic.com", endpoint, anthropic::models_request)
}
family! {
    OLLAMA, ollama, OllamaDecoder, |endpoint| KeyProbe::without_key(endpoint, ollama::models_request)
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

/// The request that asks for a streamed answer to `prompt`.
pub fn encode(protocol: Protocol, prompt: &Prompt, endpoint: &Endpoint) -> HttpRequest {
    (of(protocol).encode)(prompt, endpoint)
}

/// A decoder of any family as a value: cheap to clone and to compare, for tests and tools.
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
    use crate::testing::{config, prompt, said};
    use nexus_model::llm::PromptEntry;
    use nexus_model::message::content::PartBody;
    use nexus_text::content_hash::ContentHash;

    #[test]
    fn no_words_reach_a_model_that_nobody_sees() {
        let told = "Do.\u{E0041}\u{E0042} a\u{FE01} 👨\u{200D}👩 ❤\u{FE0F}";
        for protocol in Protocol::ALL {
            let asked = Prompt { system: told.to_owned(), ..prompt(config("p", "m"), vec![said(told)]) };
            let endpoint = Endpoint { base_url: "https://h".to_owned(), key: None };
            let body = encode(protocol, &asked, &endpoint).body.unwrap();
            serde_json::from_str::<Value>(&body).unwrap();
            let seen = "Do.⟨U+E0041⟩⟨U+E0042⟩ a⟨U+FE01⟩ 👨\u{200D}👩 ❤\u{FE0F}";
            assert_eq!(body.matches(seen).count(), 2, "{protocol:?}: {body}");
        }
    }

    #[test]
    fn only_a_hosts_own_list_tells_that_a_key_is_taken() {
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
            let KeyProbe::Needed(request) = probe(protocol, "https://proxy.example/v1") else {
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
    fn each_protocol_tells_which_model_answered() {
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
    fn a_document_is_sent_as_it_is_by_the_protocols_that_take_it() {
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
