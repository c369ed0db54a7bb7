//! Codec of Anthropic's Messages API.

pub mod decode;
pub mod encode;

#[cfg(test)]
mod decode_tests;
#[cfg(test)]
mod encode_rules_tests;
#[cfg(test)]
mod encode_tests;

use crate::http::{Endpoint, HttpRequest};

/// Requests the model list. One page has room for all models.
pub fn models_request(endpoint: &Endpoint) -> HttpRequest {
    HttpRequest::get(format!("{}/models?limit=1000", endpoint.versioned()), encode::headers(endpoint))
}

/// Differences between generations of Claude: thinking, output limit and temperature.
///
/// Recognised by the model's name alone.
mod generation {
    use serde_json::{Map, Value, json};

    use crate::http::object;
    use crate::turns::effort;
    use nexus_model::limits::ANSWER_TOKENS;
    use nexus_model::llm::{ModelConfig, Thinking};

    const LEAST_BUDGET: u32 = 1024;

    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    enum ClaudeGeneration {
        /// Before 3.7, or another family at a host with this protocol: thinking cannot be set.
        Silent,
        /// 3.7 to 4.5: thinking has a token budget and is off by default.
        Budget,
        /// 4.6: thinking is adaptive and off by default.
        Adaptive,
        /// Later: thinking is adaptive and on, its text is omitted by default, and temperature is rejected.
        Current,
    }

    #[derive(Clone, Debug, PartialEq)]
    pub(super) struct ThinkingSettings {
        /// `max_tokens`, thinking included.
        pub(super) max_tokens: u32,
        pub(super) thinking: Option<Value>,
        /// True if earlier thinking may be sent: it is rejected while thinking is off.
        pub(super) replays: bool,
        /// True if the request makes the model think before it answers.
        pub(super) thinks: bool,
        /// `output_config.effort`, if set.
        pub(super) effort: Option<&'static str>,
        /// `temperature`, if set and accepted.
        pub(super) temperature: Option<f64>,
    }

    /// The settings for `config`. `opens_thinking` is true if the answer being continued began with thinking:
    /// otherwise, as after another model's call, a budget is rejected.
    pub(super) fn settings(config: &ModelConfig, opens_thinking: bool) -> ThinkingSettings {
        let model = config.model.as_str();
        let generation = generation(model);
        let max_tokens = config.max_tokens.unwrap_or_else(|| ANSWER_TOKENS.min(most_tokens(model)));
        let thinking = match generation {
            ClaudeGeneration::Silent => None,
            ClaudeGeneration::Budget => budget(config.thinking, max_tokens)
                .filter(|_| opens_thinking)
                .map(|tokens| json!({"type": "enabled", "budget_tokens": tokens})),
            ClaudeGeneration::Adaptive => {
                (config.thinking != Thinking::Off).then(|| json!({"type": "adaptive"}))
            }
            ClaudeGeneration::Current if config.thinking == Thinking::Off && may_stop_thinking(model) => {
                Some(json!({"type": "disabled"}))
            }
            ClaudeGeneration::Current => Some(json!({"type": "adaptive", "display": "summarized"})),
        };
        let effort = match generation {
            ClaudeGeneration::Silent | ClaudeGeneration::Budget => None,
            // Thinking that cannot be switched off can be kept short.
            ClaudeGeneration::Current if config.thinking == Thinking::Off && !may_stop_thinking(model) => {
                Some("low")
            }
            ClaudeGeneration::Adaptive | ClaudeGeneration::Current => effort(config.thinking),
        };
        // A model that thinks, and every later one, accepts only the default; others accept at most 1.
        let takes_temperature = generation != ClaudeGeneration::Current && thinking.is_none();
        let temperature = config.temperature.filter(|_| takes_temperature).map(|it| it.clamp(0.0, 1.0));
        let thinks =
            thinking.as_ref().is_some_and(|it| it.get("type").is_some_and(|kind| kind != "disabled"));
        let replays = thinks || generation == ClaudeGeneration::Silent;
        ThinkingSettings { max_tokens, thinking, replays, thinks, effort, temperature }
    }

    /// `output_config`: the effort and the schema of the answer.
    pub(super) fn output_config(effort: Option<&str>, schema: Option<&Value>) -> Option<Value> {
        let format = schema.map(|schema| json!({"type": "json_schema", "schema": closed(schema)}));
        let out = object(vec![("effort", effort.into()), ("format", format.into())]);
        (!out.is_empty()).then(|| out.into())
    }

    /// Closes every object of a schema, as required.
    fn closed(schema: &Value) -> Value {
        match schema {
            Value::Object(fields) => {
                let mut out: Map<String, Value> =
                    fields.iter().map(|(key, value)| (key.clone(), closed(value))).collect();
                if fields.get("type").is_some_and(|kind| kind == "object") {
                    out.entry("additionalProperties").or_insert(Value::Bool(false));
                }
                out.into()
            }
            Value::Array(items) => items.iter().map(closed).collect(),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => schema.clone(),
        }
    }

    fn budget(thinking: Thinking, max_tokens: u32) -> Option<u32> {
        let wanted = match thinking {
            Thinking::Auto | Thinking::Off => return None,
            Thinking::Low => 2_048,
            Thinking::Medium => 8_192,
            Thinking::High => 16_000,
        };
        Some(wanted.min(max_tokens / 2)).filter(|tokens| *tokens >= LEAST_BUDGET)
    }

    /// False for the largest models of this generation, and for Sonnet 5.5, which can only skip thinking between tools.
    fn may_stop_thinking(model: &str) -> bool {
        let name = bare_name(model);
        let newest = version(name).is_none_or(|version| version >= (5, 5));
        !(name.contains("fable") || newest && (name.contains("opus") || name.contains("sonnet")))
    }

    /// Max tokens that the model can write.
    fn most_tokens(model: &str) -> u32 {
        match version(bare_name(model)) {
            Some((0..=2, _) | (3, 0)) => 4_096,
            Some((3, 1..=6)) => 8_192,
            Some(_) | None => ANSWER_TOKENS,
        }
    }

    /// The name without a gateway's prefixes for vendor and region.
    fn bare_name(model: &str) -> &str {
        let name = model.rsplit('/').next().unwrap_or(model);
        name.find("claude-").and_then(|at| name.get(at..)).unwrap_or(name)
    }

    fn generation(model: &str) -> ClaudeGeneration {
        let name = bare_name(model);
        if !name.starts_with("claude") {
            return ClaudeGeneration::Silent;
        }
        match version(name) {
            // Names without a number refer to a current model.
            None => ClaudeGeneration::Current,
            Some((0..=2, _) | (3, 0..=6)) => ClaudeGeneration::Silent,
            Some((3, _) | (4, 0..=5)) => ClaudeGeneration::Budget,
            Some((4, 6)) => ClaudeGeneration::Adaptive,
            Some(_) => ClaudeGeneration::Current,
        }
    }

    /// The version in a name such as `claude-3-7-sonnet-20250219`, `claude-opus-5-5` or `claude-sonnet-4.5`.
    fn version(name: &str) -> Option<(u32, u32)> {
        let mut words = name.split(['-', '.', '@', ':']).skip(1).skip_while(|word| number(word).is_none());
        let major = number(words.next()?)?;
        let minor = words.next().and_then(number).unwrap_or(0);
        Some((major, minor))
    }

    /// A number of a version, but not of a date.
    fn number(word: &str) -> Option<u32> {
        word.parse().ok().filter(|_| word.len() <= 2)
    }

    #[cfg(test)]
    mod tests;
}
