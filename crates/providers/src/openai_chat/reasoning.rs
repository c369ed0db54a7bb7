//! Reasoning of Chat Completions: what to show, what to send back, and how to ask for it.
//!
//! Reads `reasoning_details`, `reasoning_content`, `reasoning`, and Mistral's thinking chunks in the content. The
//! stored form is opaque and returned as received.
//!
//! The reasoning effort is set in each host's own parameters, and parameters that a model rejects beside it are
//! dropped. Models are recognised by name alone.

use serde_json::{Map, Value, json};

use crate::http::object;
use crate::openai_chat::Dialect;
use crate::turns::{effort, version};
use nexus_model::llm::{ModelConfig, Thinking};

/// A list of pieces, some sealed; returned, they let the model continue its thinking.
pub(super) const DETAILS: &str = "reasoning_details";
/// The text at DeepSeek and compatible hosts.
pub(super) const CONTENT: &str = "reasoning_content";
/// The text at OpenRouter, Groq, Ollama and newer vLLM.
pub(super) const PLAIN: &str = "reasoning";
/// Mistral's chunks, which are returned within the content.
pub(super) const CHUNKS: &str = "thinking";

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Reasoning {
    details: Vec<Value>,
    chunks: Vec<Map<String, Value>>,
    text: Option<(&'static str, String)>,
}

impl Reasoning {
    /// Records the thinking of a delta and returns the text to show. Hosts repeat it under a second name; it counts
    /// once.
    pub(super) fn take(&mut self, delta: &Value) -> String {
        let details = delta.get(DETAILS).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let shown_in_details: String = details.iter().filter_map(shown).collect();
        details.iter().for_each(|detail| self.take_detail(detail));
        for field in [CONTENT, PLAIN] {
            let text = delta.get(field).and_then(Value::as_str).unwrap_or_default();
            if !text.is_empty() {
                self.text.get_or_insert((field, String::new())).1.push_str(text);
                return text.to_owned();
            }
        }
        shown_in_details
    }

    /// Records a thinking chunk of the content and returns the text to show. Chunks are joined until one closes the
    /// thought.
    pub(super) fn take_chunk(&mut self, chunk: &Value) -> String {
        let thoughts = match chunk.get(CHUNKS) {
            Some(Value::String(text)) => vec![json!({"type": "text", "text": text})],
            Some(Value::Array(thoughts)) => thoughts.clone(),
            None | Some(Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_)) => Vec::new(),
        };
        let shown = thoughts.iter().filter_map(shown).collect();
        let is_open = |last: &Map<String, Value>| last.get(CLOSED) != Some(&Value::Bool(true));
        if !self.chunks.last().is_some_and(is_open) {
            let opened = json!({"type": CHUNKS, CHUNKS: []});
            self.chunks.extend(opened.as_object().cloned());
        }
        if let (Some(last), Some(chunk)) = (self.chunks.last_mut(), chunk.as_object()) {
            if let Some(Value::Array(all)) = last.get_mut(CHUNKS) {
                thoughts.into_iter().for_each(|thought| push_thought(all, thought));
            }
            for (key, value) in chunk.iter().filter(|(key, value)| *key != CHUNKS && !value.is_null()) {
                last.insert(key.clone(), value.clone());
            }
        }
        shown
    }

    /// What to send back to the same model; `None` if it did not think.
    pub(super) fn opaque(self) -> Option<Value> {
        let (field, value) = match (self.details.is_empty(), self.chunks.is_empty(), self.text) {
            (false, ..) => (DETAILS, Value::Array(self.details)),
            (true, false, _) => (CHUNKS, self.chunks.into_iter().map(closed).collect()),
            (true, true, Some((field, text))) => (field, Value::String(text)),
            (true, true, None) => return None,
        };
        Some(Value::Object(Map::from_iter([(field.to_owned(), value)])))
    }

    /// Joins fragments of one detail: its text, then its signature.
    fn take_detail(&mut self, detail: &Value) {
        if let Some(last) = self.details.last_mut()
            && is_continued(last, detail)
            && let (Some(last), Some(detail)) = (last.as_object_mut(), detail.as_object())
        {
            for (key, value) in detail {
                join(last, key, value);
            }
        } else {
            self.details.push(detail.clone());
        }
    }
}

const CLOSED: &str = "closed";

/// Closes a thought at the end of the answer.
fn closed(mut chunk: Map<String, Value>) -> Value {
    chunk.entry(CLOSED).or_insert(Value::Bool(true));
    chunk.into()
}

/// Adds a thought; joins consecutive texts.
fn push_thought(all: &mut Vec<Value>, thought: Value) {
    let text = |value: &Value| {
        let is_text = value.get("type").is_some_and(|kind| kind == "text");
        value.get("text").filter(|_| is_text).and_then(Value::as_str).map(str::to_owned)
    };
    match (all.last_mut(), text(&thought)) {
        (Some(last), Some(more)) if text(last).is_some() => {
            if let Some(Value::String(text_so_far)) = last.get_mut("text") {
                text_so_far.push_str(&more);
            }
        }
        _ => all.push(thought),
    }
}

fn shown(detail: &Value) -> Option<&str> {
    detail.get("text").or_else(|| detail.get("summary")).and_then(Value::as_str)
}

fn is_continued(last: &Value, next: &Value) -> bool {
    let same = |key: &str| last.get(key) == next.get(key);
    let is_text =
        matches!(next.get("type").and_then(Value::as_str), Some("reasoning.text" | "reasoning.summary"));
    // A signature ends its detail: later text begins another one.
    let is_signed = last.get("signature").is_some_and(|signature| !signature.is_null());
    let id_fits = next.get("id").is_none_or(Value::is_null) || same("id");
    is_text && same("type") && same("index") && id_fits && !(is_signed && shown(next).is_some())
}

fn join(last: &mut Map<String, Value>, key: &str, value: &Value) {
    match (last.get_mut(key), value) {
        (Some(Value::String(all)), Value::String(more)) if matches!(key, "text" | "summary") => {
            all.push_str(more);
        }
        (Some(existing), Value::Null) if !existing.is_null() => {}
        (Some(existing), value) => *existing = value.clone(),
        (None, value) => {
            last.insert(key.to_owned(), value.clone());
        }
    }
}

/// The fields for the thinking effort of `config`, without what a host or model would reject.
pub(super) fn effort_fields(
    dialect: Dialect,
    config: &ModelConfig,
    has_tools: bool,
) -> Vec<(&'static str, Value)> {
    let name = model_name(&config.model);
    let level = config.thinking;
    match dialect {
        // Models that cannot stop thinking reject `none` with an error.
        Dialect::OpenRouter => {
            vec![("reasoning", named(level, "none").map(|effort| json!({ "effort": effort })).into())]
        }
        Dialect::DeepSeek => {
            let switch = if level == Thinking::Off { "disabled" } else { "enabled" };
            vec![("thinking", (level != Thinking::Auto).then(|| json!({ "type": switch })).into())]
        }
        Dialect::LlamaCpp | Dialect::Vllm => {
            let effort = effort(level);
            let thinks = (level != Thinking::Auto).then_some(level != Thinking::Off);
            let settings =
                object(vec![("enable_thinking", thinks.into()), ("reasoning_effort", effort.into())]);
            let settings = (!settings.is_empty()).then_some(settings);
            vec![("reasoning_effort", effort.into()), ("chat_template_kwargs", settings.into())]
        }
        Dialect::Openai
        | Dialect::Groq
        | Dialect::Mistral
        | Dialect::Xai
        | Dialect::Perplexity
        | Dialect::Ollama
        | Dialect::LmStudio
        | Dialect::Other => {
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

/// The `reasoning_effort` of hosts that have no other field for it.
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
        Dialect::LmStudio
        | Dialect::Other
        | Dialect::OpenRouter
        | Dialect::DeepSeek
        | Dialect::LlamaCpp
        | Dialect::Vllm => effort(level),
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
    version(name.strip_prefix("gpt-")?.split('-').next()?)
}

#[cfg(test)]
mod tests;
