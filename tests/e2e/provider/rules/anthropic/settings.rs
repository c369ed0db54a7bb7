//! Settings that each generation of Anthropic's models rejects.

use std::collections::BTreeSet;

use serde_json::Value;

use super::super::{ApiError, is_plain_name, items, open_place, text};

/// How a model's thinking is configured.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Generation {
    /// Up to 4.5: by a budget.
    Budget,
    /// 4.6: both.
    Both,
    /// From 5 on: adaptive.
    Adaptive,
}

fn generation(model: &str) -> Generation {
    let numbers: Vec<u32> = model.split('-').filter_map(|word| word.parse().ok()).collect();
    match numbers.as_slice() {
        [major, ..] if (5..20).contains(major) => Generation::Adaptive,
        [4, minor, ..] if (6..20).contains(minor) => Generation::Both,
        _ => Generation::Budget,
    }
}

/// True if thinking was enabled manually, with a budget.
pub(super) fn thinks_by_budget(body: &Value) -> bool {
    body.pointer("/thinking/type").and_then(Value::as_str) == Some("enabled")
}

/// Checks everything except messages.
pub(super) fn check(model: &str, body: &Value) -> Result<(), ApiError> {
    if body.get("stream") != Some(&Value::Bool(true)) {
        return Err(ApiError::argument("an answer that does not stream was never meant"));
    }
    let most = body.get("max_tokens").and_then(Value::as_u64).unwrap_or_default();
    if most == 0 {
        return Err(ApiError::argument("max_tokens: Input should be greater than or equal to 1"));
    }
    check_thinking(model, body, most)?;
    check_sampling(model, body)?;
    check_tools(model, body)?;
    let schema = body.pointer("/output_config/format/schema");
    if let Some(place) = schema.and_then(|schema| open_place(schema, "output_config.format.schema")) {
        return Err(ApiError::argument(place));
    }
    let knows_effort = generation(model) != Generation::Budget;
    if body.pointer("/output_config/effort").is_some() && !knows_effort {
        return Err(ApiError::argument("This model does not support the effort parameter."));
    }
    Ok(())
}

fn check_thinking(model: &str, body: &Value, most: u64) -> Result<(), ApiError> {
    let Some(thinking) = body.get("thinking") else {
        return Ok(());
    };
    let generation = generation(model);
    match text(thinking, "type") {
        Some("enabled") => {
            if generation == Generation::Adaptive {
                return Err(ApiError::argument(
                    "thinking.type: 'enabled' is not supported with this model. Use 'adaptive' with \
                     output_config.effort instead.",
                ));
            }
            let budget = thinking.get("budget_tokens").and_then(Value::as_u64).unwrap_or_default();
            if budget < 1024 {
                return Err(ApiError::argument(
                    "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024",
                ));
            }
            if budget >= most {
                return Err(ApiError::argument(
                    "`max_tokens` must be greater than `thinking.budget_tokens`.",
                ));
            }
        }
        Some("adaptive") => {
            if generation == Generation::Budget {
                return Err(ApiError::argument("adaptive thinking is not supported on this model"));
            }
            if thinking.get("budget_tokens").is_some() {
                return Err(ApiError::argument(
                    "thinking.adaptive.budget_tokens: Extra inputs are not permitted",
                ));
            }
        }
        Some("disabled") => {
            let always = ["claude-opus-5-5", "claude-fable-5-1"].iter().any(|each| model.starts_with(each));
            let never_off = model.starts_with("claude-sonnet-5-5");
            if always || never_off {
                return Err(ApiError::argument("thinking.type: 'disabled' is not supported with this model"));
            }
        }
        _ => {}
    }
    Ok(())
}

fn check_sampling(model: &str, body: &Value) -> Result<(), ApiError> {
    for setting in ["temperature", "top_p", "top_k"] {
        let Some(value) = body.get(setting) else { continue };
        let is_default = setting != "top_k" && value.as_f64() == Some(1.0);
        if generation(model) == Generation::Adaptive && !is_default {
            return Err(ApiError::argument(format!("{setting}: is not supported with this model")));
        }
        let thinks =
            matches!(body.pointer("/thinking/type").and_then(Value::as_str), Some("enabled" | "adaptive"));
        if thinks && setting == "temperature" && !is_default {
            return Err(ApiError::argument(
                "`temperature` may only be set to 1 when thinking is enabled or in adaptive mode.",
            ));
        }
    }
    let temperature = body.get("temperature").and_then(Value::as_f64);
    if temperature.is_some_and(|each| !(0.0..=1.0).contains(&each)) {
        return Err(ApiError::argument("temperature: range: 0..1"));
    }
    Ok(())
}

fn check_tools(model: &str, body: &Value) -> Result<(), ApiError> {
    let mut names = BTreeSet::new();
    for (index, tool) in items(body, "tools").iter().enumerate() {
        let name = text(tool, "name").unwrap_or_default();
        if !is_plain_name(name, 128) {
            return Err(ApiError::argument(format!(
                "tools.{index}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{{1,128}}$'"
            )));
        }
        if !names.insert(name) {
            return Err(ApiError::argument(format!("tools: Tool names must be unique. ({name})")));
        }
        let schema = tool.get("input_schema").unwrap_or(&Value::Null);
        if text(schema, "type") != Some("object") {
            return Err(ApiError::argument(format!(
                "tools.{index}.custom.input_schema.type: Input should be 'object'"
            )));
        }
        if tool.get("strict") == Some(&Value::Bool(true))
            && let Some(place) = open_place(schema, &format!("tools.{index}.custom.input_schema"))
        {
            return Err(ApiError::argument(place));
        }
    }
    let Some(choice) = body.get("tool_choice") else {
        return Ok(());
    };
    if names.is_empty() {
        return Err(ApiError::argument("tool_choice: may only be specified while providing tools"));
    }
    let is_forced = matches!(text(choice, "type"), Some("any" | "tool"));
    let refuses = ["claude-opus-5-5", "claude-sonnet-5-5"].iter().any(|each| model.starts_with(each));
    if is_forced && (refuses || thinks_by_budget(body)) {
        return Err(ApiError::argument("Thinking may not be enabled when tool_choice forces tool use."));
    }
    Ok(())
}
