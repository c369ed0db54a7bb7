//! Property tests: every history, asked of every model, gives a request that its provider accepts.
//!
//! Opaque data goes back only to the model that made it, and every message keeps its author.

use nexus_model::llm::{ModelConfig, Prompt, Thinking, ToolSpec};
use nexus_model::provider::Protocol;
use nexus_providers::codec::encode;
use nexus_providers::http::{Endpoint, Secret};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::history::{History, steps};
use super::makers::{MAKERS, Maker};
use crate::e2e::provider::{Call, Host, check, conversation, system_text};

/// What stands in the place of an image that a model is not shown.
const HIDDEN: &str = "the picture “größe” is attached here; you were not given it";

const SYSTEM: &str = "You are Engineer, the builder.";

/// What can be asked for beside the conversation.
#[derive(Clone, Copy, Debug)]
struct Wish {
    thinking: Thinking,
    max_tokens: Option<u32>,
    temperature: Option<f64>,
    has_tools: bool,
    wants_data: bool,
}

fn wish() -> impl Strategy<Value = Wish> {
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
        |(thinking, max_tokens, temperature, has_tools, wants_data)| Wish {
            thinking,
            max_tokens,
            temperature,
            has_tools,
            wants_data,
        },
    )
}

fn prompt(history: &History, maker: Maker, wish: Wish) -> Prompt {
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
    // Gemini 2.5 takes either tools or a form for the answer.
    let wants_data = wish.wants_data && !(wish.has_tools && maker.model.starts_with("gemini-2"));
    Prompt {
        system: SYSTEM.to_owned(),
        entries: history.entries.clone(),
        tools: if wish.has_tools {
            vec![tool("read_file"), tool("update_nexus_state"), bare]
        } else {
            vec![]
        },
        config: ModelConfig {
            provider: maker.provider.into(),
            model: maker.model.to_owned(),
            thinking: wish.thinking,
            max_tokens: wish.max_tokens,
            temperature: wish.temperature,
            context_tokens: Some(32_768),
        },
        blobs: history.blobs.clone(),
        output: wants_data.then_some(closed),
        must_call: false,
    }
}

/// What is wrong with the request for this model; `None` if nothing is.
fn fault(history: &History, maker: Maker, wish: Wish) -> Option<String> {
    let prompt = prompt(history, maker, wish);
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
    if let Err(refusal) = check(call, &history.minted) {
        return Some(format!("refused: {}\n{body:#}", refusal.message));
    }
    let stranger = |owner: &Option<Maker>| owner.is_none_or(|owner| !owner.is_same(maker));
    if let Some((_, secret)) = history.secrets.iter().find(|(owner, it)| stranger(owner) && text.contains(it))
    {
        return Some(format!("{secret} is none of its business"));
    }
    let lost = history
        .needed
        .iter()
        .find(|(owner, it)| owner.is_same(maker) && needs_back(maker, wish) && !text.contains(it));
    if let Some((_, secret)) = lost {
        return Some(format!("{secret} did not come back to it"));
    }
    if !system_text(maker.protocol, &body).contains(SYSTEM) {
        return Some("the persona is lost".to_owned());
    }
    let said = conversation(maker.protocol, &body);
    let images: usize = said.iter().map(|said| said.images).sum();
    if images != history.images && (sees(maker) || history.hidden > 0) {
        return Some(format!("{images} images of {}", history.images));
    }
    let all = said.into_iter().flat_map(|said| said.texts).collect::<Vec<_>>().join("\n");
    let hidden = all.matches(HIDDEN).count();
    if hidden != history.hidden {
        return Some(format!("told of {hidden} images that are not shown, of {}: {all}", history.hidden));
    }
    let mut rest = all.as_str();
    for told in &history.told {
        let Some((_, after)) = rest.split_once(told.as_str()) else {
            return Some(format!("{told:?} is lost, or not in its place, in {all:?}"));
        };
        rest = after;
    }
    None
}

/// Whether this provider must get back what it gave out within a turn. Where thinking is switched off meanwhile,
/// nobody needs any.
fn needs_back(maker: Maker, wish: Wish) -> bool {
    if wish.thinking == Thinking::Off {
        return false;
    }
    match maker.protocol {
        Protocol::Gemini | Protocol::Responses | Protocol::Ollama => true,
        // Of those that think by a budget, an answer that goes on without a thought wants none back.
        Protocol::Anthropic => !maker.model.contains("-4-5"),
        Protocol::Openai => matches!(maker.host, Host::OpenRouter | Host::DeepSeek),
    }
}

/// Whether images can be shown to it whatever its model is.
fn sees(maker: Maker) -> bool {
    maker.protocol != Protocol::Openai
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_history_is_valid_for_every_model(steps in steps(), wish in wish()) {
        let history = History::of(&steps);
        for maker in MAKERS {
            let fault = fault(&history, maker, wish);
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
    fn a_model_that_looks_at_no_pictures_is_told_of_each_in_words(steps in steps(), wish in wish()) {
        let mut history = History::of(&steps);
        history.hide_images();
        for maker in MAKERS {
            let fault = fault(&history, maker, wish);
            prop_assert!(fault.is_none(), "{} at {}: {}", maker.model, maker.provider, fault.unwrap_or_default());
        }
    }
}

#[test]
fn a_turn_that_is_going_on_is_taken_back_by_its_own_model() {
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
        let wish = Wish {
            thinking: Thinking::Medium,
            max_tokens: None,
            temperature: None,
            has_tools: maker.host != Host::Perplexity,
            wants_data: false,
        };
        assert_eq!(fault(&history, maker, wish), None, "{} at {}", maker.model, maker.provider);
    }
}
