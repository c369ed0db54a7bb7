//! Iterates over the turns of a prompt for all encoders, pairs tool calls with their results, and gives the fallback
//! text for what a protocol cannot express.
//!
//! Call ids are valid for every protocol: the model's own if valid and unused, else one derived from it. The same
//! history always gets the same ids, so that prompt caches hit. Never drops a result.
//!
//! Fallback text replaces files, results without a call, calls without a result, and arguments that are no object.

use serde_json::{Map, Value, json};

use crate::stream;
use nexus_model::llm::{ModelConfig, Prompt, PromptEntry, Thinking};
use nexus_model::message::content::{MessagePart, PartBody, ToolArgs, ToolCall, ToolResult, calls_of};
use nexus_text::vec_map::VecSet;

pub(super) enum PromptTurn<'p> {
    User(&'p [MessagePart]),
    /// The model's answer and the results of its calls. Results without an answer have empty parts.
    Model(&'p [MessagePart], &'p [ToolResult]),
}

/// The turns of a conversation, each with its index in the prompt.
pub(super) fn turns(prompt: &Prompt) -> Vec<(usize, PromptTurn<'_>)> {
    let mut turns = Vec::new();
    for (at, entry) in prompt.entries.iter().enumerate() {
        match (entry, turns.last_mut()) {
            (PromptEntry::User(parts), _) => turns.push((at, PromptTurn::User(parts))),
            (PromptEntry::Assistant(parts), _) => turns.push((at, PromptTurn::Model(parts, &[]))),
            (PromptEntry::ToolResults(answers), Some((_, PromptTurn::Model(_, open @ [])))) => {
                *open = answers
            }
            (PromptEntry::ToolResults(answers), _) => turns.push((at, PromptTurn::Model(&[], answers))),
        }
    }
    turns
}

/// The opaque data of a part, if it is from the requested model.
pub(super) fn own<'p>(part: &'p MessagePart, config: &ModelConfig) -> Option<&'p Value> {
    let opaque = part.opaque.as_ref()?;
    (opaque.provider == config.provider && opaque.model == config.model).then_some(&opaque.data)
}

/// The text of a part. Thinking is not history, and calls and results are encoded separately.
pub(super) fn words(part: &MessagePart) -> Option<String> {
    match &part.body {
        PartBody::Text { text } => Some(text.clone()),
        PartBody::Json { value } => Some(value.to_string()),
        PartBody::Blob { name, mime, bytes, .. } => Some(blob_note(name, mime, *bytes)),
        PartBody::Thinking { .. } | PartBody::ToolCall(_) | PartBody::ToolResult(_) => None,
    }
}

/// Type, name and base64 of the file in a part, if the prompt has it.
pub(super) fn file<'p>(part: &'p MessagePart, prompt: &'p Prompt) -> Option<(&'p str, &'p str, &'p str)> {
    let PartBody::Blob { hash, mime, name, .. } = &part.body else { return None };
    Some((mime, name, prompt.blobs.get(hash)?.as_ref()))
}

/// The common names of thinking levels; `None` for auto and off, which differ by protocol.
pub(super) fn effort(thinking: Thinking) -> Option<&'static str> {
    match thinking {
        Thinking::Auto | Thinking::Off => None,
        Thinking::Low => Some("low"),
        Thinking::Medium => Some("medium"),
        Thinking::High => Some("high"),
    }
}

/// Major and minor version, such as `5` or `6.1`.
pub(super) fn version(text: &str) -> Option<(u32, u32)> {
    let (major, minor) = text.split_once('.').unwrap_or((text, "0"));
    major.parse().ok().zip(minor.parse().ok())
}

pub(super) const USER: &str = "user";

/// The types of images that models take, where the protocol names them.
pub(super) const PICTURES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/// A message of protocols with alternating roles.
pub(super) struct RoleMessage {
    pub(super) role: &'static str,
    pub(super) parts: Vec<Map<String, Value>>,
}

/// Adds to the last message if it has the same role, else adds a message.
pub(super) fn push(messages: &mut Vec<RoleMessage>, role: &'static str, parts: Vec<Map<String, Value>>) {
    match messages.last_mut() {
        _ if parts.is_empty() => {}
        Some(last) if last.role == role => last.parts.extend(parts),
        _ => messages.push(RoleMessage { role, parts }),
    }
}

/// Ensures that the first and the last message are the user's.
pub(super) fn close(messages: &mut Vec<RoleMessage>, go_on: &Map<String, Value>) {
    if messages.first().is_none_or(|first| first.role != USER) {
        messages.insert(0, RoleMessage { role: USER, parts: vec![go_on.clone()] });
    }
    if messages.last().is_some_and(|last| last.role != USER) {
        push(messages, USER, vec![go_on.clone()]);
    }
}

/// The calls of `parts` in order, each with its result (`None` if interrupted), and the results without a call.
pub(super) fn pair<'a>(
    parts: &'a [MessagePart],
    answers: &'a [ToolResult],
) -> (Vec<(&'a ToolCall, Option<&'a ToolResult>)>, Vec<&'a ToolResult>) {
    let mut open: Vec<&ToolResult> = answers.iter().collect();
    let pairs = calls_of(parts).map(|call| {
        let at = open.iter().position(|answer| answer.call_id == call.id);
        (call, at.map(|at| open.remove(at)))
    });
    (pairs.collect(), open)
}

/// The longest id that all protocols accept.
const ID_CHARS: usize = 64;

/// A call with its id in the request.
pub(super) struct PairedCall<'a> {
    pub(super) id: String,
    pub(super) call: &'a ToolCall,
    /// Its result; `None` if the call was interrupted.
    pub(super) answer: Option<&'a ToolResult>,
}

#[derive(Default)]
pub(super) struct CallIds {
    used: VecSet<String>,
}

impl CallIds {
    pub(super) fn pair<'a>(
        &mut self,
        parts: &'a [MessagePart],
        answers: &'a [ToolResult],
    ) -> (Vec<PairedCall<'a>>, Vec<&'a ToolResult>) {
        let (pairs, open) = pair(parts, answers);
        let paired = |(call, answer)| PairedCall { id: self.mint(call), call, answer };
        (pairs.into_iter().map(paired).collect(), open)
    }

    fn mint(&mut self, call: &ToolCall) -> String {
        let valid = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
        let mut id: String = call.id.chars().take(ID_CHARS).map(valid).collect();
        if id.is_empty() {
            id.push_str("call");
        }
        let stem: String = id.chars().take(ID_CHARS.saturating_sub(8)).collect();
        let mut number = 2_u32;
        while !self.used.insert(id.clone()) {
            id = format!("{stem}-{number}");
            number = number.saturating_add(1);
        }
        id
    }
}

/// Filler user message where a protocol requires one.
pub(super) const GO_ON: &str = "Go on.";

/// Replaces a file that the model cannot read.
fn blob_note(name: &str, mime: &str, bytes: u64) -> String {
    format!("[attached file “{name}”, type {mime}, {bytes} bytes; its content is not shown here]")
}

/// A result without its call in the prompt, as text.
pub(super) fn orphan_result(answer: &ToolResult) -> String {
    format!("Result of the tool {}: {}", answer.name, outcome(answer))
}

/// A result; errors are under `error`.
pub(super) fn outcome(answer: &ToolResult) -> Value {
    if answer.is_error && answer.result.get("error").is_none() {
        json!({"error": answer.result})
    } else {
        answer.result.clone()
    }
}

pub(super) fn no_outcome() -> Value {
    json!({"error": "This call was interrupted and has no result."})
}

/// The result of a call as text; `None` if the call was interrupted.
pub(super) fn outcome_text(answer: Option<&ToolResult>) -> String {
    answer.map_or_else(no_outcome, outcome).to_string()
}

/// The longest tool name that all protocols accept.
const NAME_CHARS: usize = 64;

/// Makes a tool's name valid for all protocols. Models call nonexistent tools by names that their own provider then
/// rejects, which must not end the conversation.
pub(super) fn tool_name(name: &str) -> String {
    let valid = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') { c } else { '_' };
    let valid_name: String = name.chars().take(NAME_CHARS).map(valid).collect();
    if valid_name.is_empty() { "unnamed".to_owned() } else { valid_name }
}

pub(super) fn arguments(args: &ToolArgs) -> Value {
    match args {
        ToolArgs::Parsed(args @ Value::Object(_)) => args.clone(),
        ToolArgs::Parsed(other) => json!({"unreadable": other.to_string()}),
        ToolArgs::Broken(text) => json!({"unreadable": text}),
    }
}

/// Parses arguments given as a value: an object, or a text of one. Missing arguments are an empty object.
pub(super) fn arguments_in(value: Option<&Value>) -> ToolArgs {
    match value {
        None | Some(Value::Null) => ToolArgs::default(),
        Some(Value::String(text)) => read_arguments(text),
        Some(args @ Value::Object(_)) => ToolArgs::Parsed(args.clone()),
        Some(other @ (Value::Bool(_) | Value::Number(_) | Value::Array(_))) => {
            ToolArgs::Broken(other.to_string())
        }
    }
}

/// Parses arguments given as text: empty text and `null` are no arguments, and some servers encode the JSON text as a
/// JSON string again.
pub(super) fn read_arguments(text: &str) -> ToolArgs {
    if text.trim().is_empty() {
        return ToolArgs::default();
    }
    match stream::parse(text) {
        Ok(args @ Value::Object(_)) => ToolArgs::Parsed(args),
        Ok(Value::Null) => ToolArgs::default(),
        Ok(Value::String(inner)) => match stream::parse(&inner) {
            Ok(args @ Value::Object(_)) => ToolArgs::Parsed(args),
            _ => ToolArgs::Broken(text.to_owned()),
        },
        _ => ToolArgs::Broken(text.to_owned()),
    }
}

#[cfg(test)]
mod tests;
