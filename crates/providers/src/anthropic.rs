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

/// Asks for the list. One page holds more models than there are.
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
        /// Before 3.7, or of another family at a host that speaks this protocol: thinking cannot be set.
        Silent,
        /// 3.7 to 4.5: thinking has a budget in tokens, and is off unless asked for.
        Budget,
        /// 4.6: thinking is adaptive, and off unless asked for.
        Adaptive,
        /// Later: thinking is adaptive and on, its text is left out unless asked for, and no temperature is taken.
        Current,
    }

    #[derive(Clone, Debug, PartialEq)]
    pub(super) struct ThinkingSettings {
        /// `max_tokens`, thinking included.
        pub(super) max_tokens: u32,
        /// `thinking`, where it is set.
        pub(super) thinking: Option<Value>,
        /// Whether earlier thinking may be shown again: where thinking is off, it is refused.
        pub(super) replays: bool,
        /// Whether the model thinks before it answers, as far as the request decides that.
        pub(super) thinks: bool,
        /// `output_config.effort`, where it is set.
        pub(super) effort: Option<&'static str>,
        /// `temperature`, where it is set and taken.
        pub(super) temperature: Option<f64>,
    }

    /// The settings for `config`. `opens_thinking` says whether the answer that is being continued began with thinking:
    /// a budget is refused where it did not, as after another model's call.
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
            // What cannot be switched off can be kept short.
            ClaudeGeneration::Current if config.thinking == Thinking::Off && !may_stop_thinking(model) => {
                Some("low")
            }
            ClaudeGeneration::Adaptive | ClaudeGeneration::Current => effort(config.thinking),
        };
        // Where the model thinks, and from then on always, only the default is accepted; elsewhere 1 is the most.
        let takes_temperature = generation != ClaudeGeneration::Current && thinking.is_none();
        let temperature = config.temperature.filter(|_| takes_temperature).map(|it| it.clamp(0.0, 1.0));
        let thinks =
            thinking.as_ref().is_some_and(|it| it.get("type").is_some_and(|kind| kind != "disabled"));
        let replays = thinks || generation == ClaudeGeneration::Silent;
        ThinkingSettings { max_tokens, thinking, replays, thinks, effort, temperature }
    }

    /// Adds `effort` and the shape of the answer under `output_config`.
    pub(super) fn output_config(effort: Option<&str>, schema: Option<&Value>) -> Option<Value> {
        let format = schema.map(|schema| json!({"type": "json_schema", "schema": closed(schema)}));
        let out = object(vec![("effort", effort.into()), ("format", format.into())]);
        (!out.is_empty()).then(|| out.into())
    }

    /// A schema whose objects say that they hold nothing else, which is the only kind that is accepted.
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

    /// The largest of this generation refuse to be silent, and Sonnet 5.5 can only be kept from thinking between tools.
    fn may_stop_thinking(model: &str) -> bool {
        let name = bare_name(model);
        let newest = version(name).is_none_or(|version| version >= (5, 5));
        !(name.contains("fable") || newest && (name.contains("opus") || name.contains("sonnet")))
    }

    /// The most tokens that the model can write.
    fn most_tokens(model: &str) -> u32 {
        match version(bare_name(model)) {
            Some((0..=2, _) | (3, 0)) => 4_096,
            Some((3, 1..=6)) => 8_192,
            Some(_) | None => ANSWER_TOKENS,
        }
    }

    /// The name without the vendor and the region that gateways put before it.
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
            // Names without a number always mean a current model.
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

    /// A number of a version. A date is none.
    fn number(word: &str) -> Option<u32> {
        word.parse().ok().filter(|_| word.len() <= 2)
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        fn config(model: &str, thinking: Thinking) -> ModelConfig {
            ModelConfig { thinking, temperature: Some(1.5), ..ModelConfig::new("anthropic", model) }
        }

        fn thinking(model: &str, thinking: Thinking) -> (Option<Value>, Option<&'static str>) {
            let settings = settings(&config(model, thinking), true);
            (settings.thinking, settings.effort)
        }

        #[test]
        fn the_generation_is_read_off_the_name() {
            let cases = [
                ("claude-2.1", ClaudeGeneration::Silent),
                ("claude-3-opus-20240229", ClaudeGeneration::Silent),
                ("claude-3-5-sonnet-latest", ClaudeGeneration::Silent),
                ("claude-3-7-sonnet-20250219", ClaudeGeneration::Budget),
                ("claude-opus-4-20250514", ClaudeGeneration::Budget),
                ("claude-haiku-4-5-20251001", ClaudeGeneration::Budget),
                ("anthropic/claude-sonnet-4.5", ClaudeGeneration::Budget),
                ("eu.anthropic.claude-sonnet-4-5-20250929-v1:0", ClaudeGeneration::Budget),
                ("claude-opus-4-6", ClaudeGeneration::Adaptive),
                ("claude-opus-4-7", ClaudeGeneration::Current),
                ("claude-fable-5", ClaudeGeneration::Current),
                ("claude-fable-5-1", ClaudeGeneration::Current),
                ("claude-opus-5-5", ClaudeGeneration::Current),
                ("claude-next", ClaudeGeneration::Current),
                ("deepseek-flash", ClaudeGeneration::Silent),
                ("", ClaudeGeneration::Silent),
            ];
            for (model, wanted) in cases {
                assert_eq!(generation(model), wanted, "{model}");
            }
        }

        #[test]
        fn thinking_is_set_as_each_generation_wants_it() {
            use Thinking::{Auto, High, Low, Medium, Off};
            let budget = |tokens: u32| Some(json!({"type": "enabled", "budget_tokens": tokens}));
            assert_eq!(thinking("claude-3-5-haiku-latest", High), (None, None));
            assert_eq!(thinking("claude-haiku-4-5", Auto), (None, None));
            assert_eq!(thinking("claude-haiku-4-5", Off), (None, None));
            assert_eq!(thinking("claude-haiku-4-5", Low), (budget(2_048), None));
            assert_eq!(thinking("claude-haiku-4-5", High), (budget(16_000), None));
            let adaptive = Some(json!({"type": "adaptive"}));
            assert_eq!(thinking("claude-opus-4-6", Medium), (adaptive.clone(), Some("medium")));
            assert_eq!(thinking("claude-opus-4-6", Auto), (adaptive, None));
            assert_eq!(thinking("claude-opus-4-6", Off), (None, None));
            let told = Some(json!({"type": "adaptive", "display": "summarized"}));
            assert_eq!(thinking("claude-opus-5-5", Auto), (told.clone(), None));
            assert_eq!(thinking("claude-haiku-5-5", High), (told.clone(), Some("high")));
            let off = Some(json!({"type": "disabled"}));
            assert_eq!(thinking("claude-haiku-5-5", Off), (off.clone(), None));
            assert_eq!(thinking("claude-sonnet-5", Off), (off, None));
            for model in ["claude-opus-5-5", "claude-fable-5-1", "claude-sonnet-5-5", "claude-opus-6"] {
                assert_eq!(thinking(model, Off), (told.clone(), Some("low")), "{model}");
            }
        }

        #[test]
        fn a_budget_fits_into_the_answer_and_wants_thinking_before_it() {
            let with = |max_tokens, opens| {
                let config = ModelConfig { max_tokens, ..config("claude-haiku-4-5", Thinking::High) };
                settings(&config, opens).thinking.map(|it| it["budget_tokens"].clone())
            };
            assert_eq!(with(Some(8_000), true), Some(json!(4_000)));
            assert_eq!(with(Some(2_047), true), None);
            assert_eq!(with(None, false), None);
        }

        #[test]
        fn answers_are_as_long_as_the_model_can() {
            let most = |model| settings(&config(model, Thinking::Auto), true).max_tokens;
            assert_eq!(most("claude-3-haiku-20240307"), 4_096);
            assert_eq!(most("claude-3-5-haiku-latest"), 8_192);
            assert_eq!(most("claude-opus-5-5"), ANSWER_TOKENS);
            assert_eq!(most("other"), ANSWER_TOKENS);
        }

        #[test]
        fn a_temperature_is_sent_only_where_it_is_taken() {
            let temperature = |model, thinking| settings(&config(model, thinking), true).temperature;
            assert_eq!(temperature("claude-haiku-4-5", Thinking::Auto), Some(1.0));
            assert_eq!(temperature("claude-haiku-4-5", Thinking::Low), None);
            assert_eq!(temperature("claude-opus-4-6", Thinking::Off), Some(1.0));
            assert_eq!(temperature("claude-opus-5-5", Thinking::Auto), None);
            assert_eq!(temperature("claude-haiku-5-5", Thinking::Off), None);
            assert_eq!(temperature("other", Thinking::High), Some(1.0));
        }

        #[test]
        fn the_shape_of_an_answer_is_closed() {
            let schema = json!({"type": "object", "properties": {"list": {"type": "array", "items":
                {"type": "object", "additionalProperties": true}}}});
            let told = output_config(None, Some(&schema)).unwrap();
            let wanted = json!({"format": {"type": "json_schema", "schema": {"type": "object",
                "additionalProperties": false, "properties": {"list": {"type": "array", "items":
                {"type": "object", "additionalProperties": true}}}}}});
            assert_eq!(told, wanted);
            assert_eq!(output_config(None, None), None);
        }
    }
}
