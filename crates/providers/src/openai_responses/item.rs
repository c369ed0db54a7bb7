//! Reads output items of the Responses API: messages and reasoning.

use serde_json::Value;

/// The word for what an item is.
pub(super) fn kind(item: &Value) -> &str {
    item.get("type").and_then(Value::as_str).unwrap_or_default()
}

pub(super) fn is_reasoning(item: &Value) -> bool {
    kind(item) == "reasoning"
}

/// The texts of a message with their places, and whether each is a refusal.
pub(super) fn texts(item: &Value) -> impl Iterator<Item = (u64, bool, &str)> {
    let content = item.get("content").and_then(Value::as_array).into_iter().flatten();
    (0..).zip(content).filter_map(|(at, content)| match kind(content) {
        "refusal" => Some((at, true, content.get("refusal")?.as_str()?)),
        _ => Some((at, false, content.get("text")?.as_str()?)),
    })
}

/// What an item of reasoning tells of itself: its summary, or where there is none the reasoning.
pub(super) fn thoughts(item: &Value) -> String {
    ["summary", "content"]
        .into_iter()
        .map(|key| {
            let pieces = item.get(key).and_then(Value::as_array).into_iter().flatten();
            let texts: Vec<&str> =
                pieces.filter_map(|piece| piece.get("text").and_then(Value::as_str)).collect();
            texts.join("\n\n")
        })
        .find(|text| !text.is_empty())
        .unwrap_or_default()
}
