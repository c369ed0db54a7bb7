//! Sets the reasoning effort in each host's own parameters, and drops parameters that a model rejects beside it.
//!
//! Models are recognised by name alone.

use serde_json::{Value, json};

use crate::http::object;
use crate::openai_chat::dialect::{Dialect, EffortFormat};
use crate::turns::effort;
use nexus_model::llm::{ModelConfig, Thinking};

/// The fields for the thinking effort of `config`, without what a host or model would reject.
pub(super) fn effort_fields(
    dialect: Dialect,
    config: &ModelConfig,
    has_tools: bool,
) -> Vec<(&'static str, Value)> {
    let name = model_name(&config.model);
    let level = config.thinking;
    match dialect.effort() {
        // Models that cannot stop thinking reject `none` with an error.
        EffortFormat::Nested => {
            vec![("reasoning", named(level, "none").map(|effort| json!({ "effort": effort })).into())]
        }
        EffortFormat::Switch => {
            let switch = if level == Thinking::Off { "disabled" } else { "enabled" };
            vec![("thinking", (level != Thinking::Auto).then(|| json!({ "type": switch })).into())]
        }
        EffortFormat::Template => {
            let effort = effort(level);
            let thinks = (level != Thinking::Auto).then_some(level != Thinking::Off);
            let settings =
                object(vec![("enable_thinking", thinks.into()), ("reasoning_effort", effort.into())]);
            let settings = (!settings.is_empty()).then_some(settings);
            vec![("reasoning_effort", effort.into()), ("chat_template_kwargs", settings.into())]
        }
        EffortFormat::Named => {
            // Unparsed, thinking would be part of the text, and tools would be rejected.
            let parsed = dialect == Dialect::Groq && leaves_tags(&name);
            vec![
                ("reasoning_effort", effort_of(dialect, &name, level, has_tools).into()),
                ("reasoning_format", parsed.then_some("parsed").into()),
            ]
        }
    }
}

pub(super) fn rejects_temperature(dialect: Dialect, model: &str) -> bool {
    dialect == Dialect::Openai && reasons(&model_name(model))
}

/// True if each assistant message must have its thinking: DeepSeek, while it thinks with tools.
pub(super) fn requires_reasoning(dialect: Dialect, config: &ModelConfig, has_tools: bool) -> bool {
    dialect == Dialect::DeepSeek && has_tools && config.thinking != Thinking::Off
}

fn model_name(model: &str) -> String {
    model.rsplit('/').next().unwrap_or_default().to_lowercase()
}

fn named(level: Thinking, off: &'static str) -> Option<&'static str> {
    if level == Thinking::Off { Some(off) } else { effort(level) }
}

fn effort_of(dialect: Dialect, name: &str, level: Thinking, has_tools: bool) -> Option<&'static str> {
    match dialect {
        Dialect::Openai if !reasons(name) => None,
        // From 5.4 on, tools are rejected here unless the model does not think at all.
        Dialect::Openai if has_tools && gpt_version(name).is_some_and(|version| version >= (5, 4)) => {
            can_stop_thinking(name).then_some("none")
        }
        Dialect::Openai => named(level, least_of_openai(name)),
        Dialect::Groq if name.starts_with("gpt-oss") => named(level, "low"),
        Dialect::Groq if name.contains("qwen3") => match level {
            Thinking::Auto => None,
            Thinking::Off => Some("none"),
            Thinking::Low | Thinking::Medium | Thinking::High => Some("default"),
        },
        Dialect::Xai if name.contains("mini") => match level {
            Thinking::Auto => None,
            Thinking::Off | Thinking::Low => Some("low"),
            Thinking::Medium | Thinking::High => Some("high"),
        },
        // Their other models think by name or not at all, and reject the field.
        Dialect::Groq | Dialect::Xai => None,
        Dialect::Perplexity if name.contains("deep-research") || name.contains("reasoning") => {
            named(level, "low")
        }
        Dialect::Perplexity => None,
        // Mistral's models think with high effort or not at all, which is the default.
        Dialect::Mistral if name.starts_with("magistral") => None,
        Dialect::Mistral => match level {
            Thinking::Auto | Thinking::Off => None,
            Thinking::Low | Thinking::Medium | Thinking::High => Some("high"),
        },
        Dialect::Ollama => named(level, "none"),
        // Not every host knows a value for off.
        Dialect::LmStudio | Dialect::Other | Dialect::OpenRouter | Dialect::DeepSeek => effort(level),
        Dialect::LlamaCpp | Dialect::Vllm => named(level, "low"),
    }
}

/// Models whose thinking Groq leaves between tags.
fn leaves_tags(name: &str) -> bool {
    ["qwen3", "qwq", "deepseek-r1"].iter().any(|family| name.contains(family))
}

fn reasons(name: &str) -> bool {
    let is_o = ["o1", "o3", "o4"].iter().any(|family| name.starts_with(family));
    let is_chat = name.contains("-chat");
    is_o || (!is_chat && gpt_version(name).is_some_and(|version| version >= (5, 0)))
}

/// The largest models of their generation always think.
fn can_stop_thinking(name: &str) -> bool {
    !(name.starts_with("gpt-6-astra") || name.starts_with("gpt-6.1-sol"))
}

fn least_of_openai(name: &str) -> &'static str {
    match gpt_version(name) {
        Some((5, 0)) => "minimal",
        Some(_) if can_stop_thinking(name) => "none",
        Some(_) | None => "low",
    }
}

/// Major and minor version of a `gpt-` model.
fn gpt_version(name: &str) -> Option<(u32, u32)> {
    let version = name.strip_prefix("gpt-")?.split('-').next()?;
    let (major, minor) = version.split_once('.').unwrap_or((version, "0"));
    Some((major.parse().ok()?, minor.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(dialect: Dialect, model: &str, thinking: Thinking, has_tools: bool) -> Value {
        let config = ModelConfig { thinking, ..ModelConfig::new("p", model) };
        object(effort_fields(dialect, &config, has_tools)).into()
    }

    #[test]
    fn auto_sends_no_parameter() {
        for dialect in
            [Dialect::Openai, Dialect::OpenRouter, Dialect::DeepSeek, Dialect::Vllm, Dialect::Other]
        {
            assert_eq!(asked(dialect, "m", Thinking::Auto, true), json!({}), "{dialect:?}");
        }
    }

    #[test]
    fn each_host_has_its_own_parameter() {
        use Thinking::{High, Low, Medium, Off};
        let effort = |word: &str| json!({ "reasoning_effort": word });
        let cases = [
            (Dialect::OpenRouter, "x/y", Off, json!({"reasoning": {"effort": "none"}})),
            (Dialect::OpenRouter, "x/y", High, json!({"reasoning": {"effort": "high"}})),
            (Dialect::DeepSeek, "deepseek-flash", Off, json!({"thinking": {"type": "disabled"}})),
            (Dialect::DeepSeek, "deepseek-flash", Low, json!({"thinking": {"type": "enabled"}})),
            (Dialect::Groq, "openai/gpt-oss-120b", Off, effort("low")),
            (
                Dialect::Groq,
                "qwen/qwen3-32b",
                Off,
                json!({"reasoning_effort": "none", "reasoning_format": "parsed"}),
            ),
            (Dialect::Groq, "moonshotai/kimi-k2", High, json!({})),
            (Dialect::Xai, "grok-3-mini", Medium, effort("high")),
            (Dialect::Xai, "grok-4", High, json!({})),
            (Dialect::Mistral, "mistral-small-latest", Low, effort("high")),
            (Dialect::Mistral, "mistral-small-latest", Off, json!({})),
            (Dialect::Mistral, "magistral-medium", High, json!({})),
            (Dialect::Perplexity, "sonar-deep-research", Medium, effort("medium")),
            (Dialect::Perplexity, "sonar", Medium, json!({})),
            (Dialect::Ollama, "qwen3", Off, effort("none")),
            (Dialect::LmStudio, "qwen3", Off, json!({})),
            (Dialect::Other, "m", High, effort("high")),
            (Dialect::LlamaCpp, "m", Off, json!({"chat_template_kwargs": {"enable_thinking": false}})),
            (
                Dialect::Vllm,
                "m",
                High,
                json!({"reasoning_effort": "high",
                "chat_template_kwargs": {"enable_thinking": true, "reasoning_effort": "high"}}),
            ),
        ];
        for (dialect, model, level, expected) in cases {
            assert_eq!(asked(dialect, model, level, true), expected, "{dialect:?} {model} {level:?}");
        }
    }

    #[test]
    fn newer_openai_models_reject_tools_with_thinking() {
        let effort = |model: &str, level, tools| {
            asked(Dialect::Openai, model, level, tools).get("reasoning_effort").cloned()
        };
        assert_eq!(effort("gpt-5.6-sol", Thinking::High, true), Some(json!("none")));
        assert_eq!(effort("gpt-5.6-sol", Thinking::High, false), Some(json!("high")));
        assert_eq!(effort("gpt-6-astra", Thinking::High, true), None);
        assert_eq!(effort("gpt-6-astra", Thinking::Off, false), Some(json!("low")));
        assert_eq!(effort("gpt-5-mini", Thinking::Off, true), Some(json!("minimal")));
        assert_eq!(effort("gpt-5.1", Thinking::Off, false), Some(json!("none")));
        assert_eq!(effort("o3", Thinking::Off, false), Some(json!("low")));
        assert_eq!(effort("gpt-4o", Thinking::High, false), None);
        assert!(rejects_temperature(Dialect::Openai, "gpt-6-luna"));
        assert!(!rejects_temperature(Dialect::Openai, "gpt-4o"));
        assert!(!rejects_temperature(Dialect::OpenRouter, "openai/gpt-6-luna"));
    }
}
