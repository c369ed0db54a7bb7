//! Property tests: every history gives a valid request for every model.
//!
//! Opaque data is sent only to its own model, and every message keeps its author.

use nexus_model::llm::{ModelConfig, Prompt, Thinking, ToolSpec};
use nexus_model::provider::Protocol;
use nexus_providers::codec::encode;
use nexus_providers::http::{Endpoint, Secret};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::history::{History, steps};
use super::makers::{MAKERS, Maker};
use crate::e2e::provider::{Call, Host, check, conversation, system_text};

/// Description of an image that the model is not sent.
const HIDDEN: &str = "the picture “größe” is attached here; you were not given it";

const SYSTEM: &str = "You are Engineer, the builder.";

/// Options besides the conversation.
#[derive(Clone, Copy, Debug)]
struct Options {
    thinking: Thinking,
    max_tokens: Option<u32>,
    temperature: Option<f64>,
    has_tools: bool,
    wants_data: bool,
}

fn options() -> impl Strategy<Value = Options> {
    let thinking = prop_oneof![
        Just(Thinking::Auto),
        Just(Thinking::Off),
        Just(Thinking::Low),
        Just(Thinking::Medium),
        Just(Thinking::High),
    ];
    let most = prop_oneof![Just(None), Just(Some(64)), Just(Some(8192)), Just(Some(100_000))];
    let temperature = prop_oneof![Just(None), Just(Some(0.0)), Just(Some(0.7)), Just(Some(1.0))];
    (thinking, most, temperature, any::<bool>(), any::<bool>()).prop_map(
        |(thinking, max_tokens, temperature, has_tools, wants_data)| Options {
            thinking,
            max_tokens,
            temperature,
            has_tools,
            wants_data,
        },
    )
}

fn prompt(history: &History, maker: Maker, options: Options) -> Prompt {
    let tool = |name: &str| ToolSpec {
        name: name.to_owned(),
        description: "Does something.".to_owned(),
        parameters: json!({
            "type": "object",
            "properties": { "name": { "type": "string" }, "lines": { "type": "integer" } },
            "required": ["name"],
            "additionalProperties": false,
        }),
    };
    let bare = ToolSpec {
        name: "list_files".to_owned(),
        description: "Lists.".to_owned(),
        parameters: json!({ "type": "object", "properties": {} }),
    };
    let closed = json!({
        "type": "object",
        "properties": { "summary": { "type": "string" } },
        "required": ["summary"],
        "additionalProperties": false,
    });
    // Gemini 2.5 accepts either tools or an output schema.
    let wants_data = options.wants_data && !(options.has_tools && maker.model.starts_with("gemini-2"));
    Prompt {
        system: SYSTEM.to_owned(),
        entries: history.entries.clone(),
        tools: if options.has_tools {
            vec![tool("read_file"), tool("update_nexus_state"), bare]
        } else {
            vec![]
        },
        config: ModelConfig {
            provider: maker.provider.into(),
            model: maker.model.to_owned(),
            thinking: options.thinking,
            max_tokens: options.max_tokens,
            temperature: options.temperature,
            context_tokens: Some(32_768),
        },
        blobs: history.blobs.clone(),
        output: wants_data.then_some(closed),
        must_call: false,
    }
}

/// The error in the request for this model, if any.
fn fault(history: &History, maker: Maker, options: Options) -> Option<String> {
    let prompt = prompt(history, maker, options);
    let key = (maker.protocol != Protocol::Ollama).then(|| Secret::new("canary-key-0123456789"));
    let request = encode(maker.protocol, &prompt, &Endpoint { base_url: maker.base_url.to_owned(), key });
    let text = request.body.clone().unwrap_or_default();
    if text.contains("canary-key") || request.url.contains("canary-key") {
        return Some("the key is in the body or the address".to_owned());
    }
    let Ok(body) = serde_json::from_str::<Value>(&text) else {
        return Some(format!("the body is no JSON: {text}"));
    };
    let call = Call { protocol: maker.protocol, host: maker.host, model: maker.model, body: &body };
    if let Err(api_error) = check(call, &history.issued) {
        return Some(format!("refused: {}\n{body:#}", api_error.message));
    }
    let stranger = |owner: &Option<Maker>| owner.is_none_or(|owner| !owner.is_same(maker));
    if let Some((_, secret)) = history.secrets.iter().find(|(owner, it)| stranger(owner) && text.contains(it))
    {
        return Some(format!("{secret} is none of its business"));
    }
    let lost = history
        .needed
        .iter()
        .find(|(owner, it)| owner.is_same(maker) && needs_back(maker, options) && !text.contains(it));
    if let Some((_, secret)) = lost {
        return Some(format!("{secret} did not come back to it"));
    }
    if !system_text(maker.protocol, &body).contains(SYSTEM) {
        return Some("the persona is lost".to_owned());
    }
    let messages = conversation(maker.protocol, &body);
    let images: usize = messages.iter().map(|message| message.images).sum();
    if images != history.images && (sees(maker) || history.hidden > 0) {
        return Some(format!("{images} images of {}", history.images));
    }
    let all = messages.into_iter().flat_map(|message| message.texts).collect::<Vec<_>>().join("\n");
    let hidden = all.matches(HIDDEN).count();
    if hidden != history.hidden {
        return Some(format!("{hidden} image descriptions, expected {}: {all}", history.hidden));
    }
    let mut rest = all.as_str();
    for text in &history.texts {
        let Some((_, after)) = rest.split_once(text.as_str()) else {
            return Some(format!("{text:?} is missing or in the wrong place, in {all:?}"));
        };
        rest = after;
    }
    None
}

/// True if this provider requires opaque data back within a turn. With thinking switched off, none does.
fn needs_back(maker: Maker, options: Options) -> bool {
    if options.thinking == Thinking::Off {
        return false;
    }
    match maker.protocol {
        Protocol::Gemini | Protocol::Responses | Protocol::Ollama => true,
        // With budget thinking, an answer that continues without thinking requires none.
        Protocol::Anthropic => !maker.model.contains("-4-5"),
        Protocol::Openai => matches!(maker.host, Host::OpenRouter | Host::DeepSeek),
    }
}

/// True if every model of the provider accepts images.
fn sees(maker: Maker) -> bool {
    maker.protocol != Protocol::Openai
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_history_is_valid_for_every_model(steps in steps(), options in options()) {
        let history = History::of(&steps);
        for maker in MAKERS {
            let fault = fault(&history, maker, options);
            prop_assert!(
                fault.is_none(),
                "{} at {} ({:?}): {}\n{:#?}",
                maker.model,
                maker.provider,
                maker.protocol,
                fault.unwrap_or_default(),
                history.entries
            );
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_model_without_vision_gets_a_description_of_each_image(steps in steps(), options in options()) {
        let mut history = History::of(&steps);
        history.hide_images();
        for maker in MAKERS {
            let fault = fault(&history, maker, options);
            prop_assert!(fault.is_none(), "{} at {}: {}", maker.model, maker.provider, fault.unwrap_or_default());
        }
    }
}

#[test]
fn the_current_turn_is_accepted_by_its_own_model() {
    use super::history::{Results, SaidPart, Step};
    for (number, maker) in MAKERS.into_iter().enumerate() {
        let answered = |thinks, calls: Vec<(usize, usize)>| Step::Answered {
            maker: number,
            thinks,
            hides: false,
            texts: 1,
            calls,
            results: Results::All,
        };
        let history = History::of(&[
            Step::Said { parts: vec![SaidPart::Text] },
            answered(true, vec![(0, 1), (1, 0)]),
            answered(false, vec![(0, 0)]),
        ]);
        let options = Options {
            thinking: Thinking::Medium,
            max_tokens: None,
            temperature: None,
            has_tools: maker.host != Host::Perplexity,
            wants_data: false,
        };
        assert_eq!(fault(&history, maker, options), None, "{} at {}", maker.model, maker.provider);
    }
}
