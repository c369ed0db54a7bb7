//! Encodes a prompt for Chat Completions, in the dialect of its host.
//!
//! Each call is immediately followed by its result, ids are unique in the request, and user and assistant alternate
//! where a host requires it.

use serde_json::{Map, Value, json};

use crate::http::{Endpoint, HttpRequest, object};
use crate::openai_chat::reasoning::{CHUNKS, CONTENT, DETAILS, PLAIN};
use crate::openai_chat::{Dialect, reasoning};
use crate::turns::{PromptTurn, USER, file, own, pair, turns, words};
use crate::{openai_chat, turns};
use nexus_model::llm::{Prompt, ToolSpec};
use nexus_model::message::content::{MessagePart, ToolCall, ToolResult};
use nexus_text::content_hash::ContentHash;
use nexus_text::vec_map::VecSet;

pub fn encode(prompt: &Prompt, endpoint: &Endpoint) -> HttpRequest {
    let dialect = Dialect::of(&endpoint.base_url);
    let config = &prompt.config;
    let has_tools = dialect.accepts_tools() && !prompt.tools.is_empty();
    let forced = prompt.forced_tool().filter(|_| has_tools).map(|name| dialect.forced(name));
    let temperature = config.temperature.filter(|_| !reasoning::rejects_temperature(dialect, &config.model));
    let format = prompt.output.as_ref().map(|schema| {
        if dialect.accepts_schema() {
            json!({"type": "json_schema", "json_schema": {"name": "answer", "schema": schema}})
        } else {
            json!({"type": "json_object"})
        }
    });
    let mut fields = vec![
        ("model", config.model.clone().into()),
        ("messages", messages(prompt, dialect, system(prompt, dialect)).into()),
        ("tools", has_tools.then(|| prompt.tools.iter().map(declaration).collect::<Vec<_>>()).into()),
        ("tool_choice", forced.into()),
        ("stream", true.into()),
        ("stream_options", dialect.must_request_usage().then(|| json!({"include_usage": true})).into()),
        (dialect.max_tokens_key(), config.max_tokens.into()),
        ("temperature", temperature.into()),
    ];
    fields.extend(reasoning::effort_fields(dialect, config, has_tools));
    fields.push(("response_format", format.into()));
    HttpRequest::post(openai_chat::address(&endpoint.base_url, "chat/completions"), endpoint.bearer(), fields)
}

/// The system prompt, with the answer's schema if the host has no field for it.
fn system(prompt: &Prompt, dialect: Dialect) -> String {
    match &prompt.output {
        Some(schema) if !dialect.accepts_schema() => {
            format!("{}\n\nAnswer with JSON that meets this JSON Schema:\n{schema}", prompt.system)
                .trim_start()
                .to_owned()
        }
        Some(_) | None => prompt.system.clone(),
    }
}

/// A tool in a format that Ollama accepts too.
pub(crate) fn declaration(tool: &ToolSpec) -> Value {
    json!({"type": "function", "function":
        {"name": tool.name, "description": tool.description, "parameters": tool.parameters}})
}

/// The assistant's filler message where Mistral requires one between a tool and the user.
const RESULTS_SEEN: &str = "I have the results.";

/// The longest id that every host accepts.
const ID_CHARS: usize = 40;

/// The messages of `prompt`, system prompt first.
pub(super) fn messages(prompt: &Prompt, dialect: Dialect, system: String) -> Vec<Value> {
    let mut conversation = MessageBuilder::new(prompt, dialect);
    for (_, turn) in turns(prompt) {
        match turn {
            PromptTurn::User(parts) => conversation.user(parts),
            PromptTurn::Model(parts, answers) => conversation.assistant(parts, answers),
        }
    }
    conversation.close();
    let mut first = content_of_text(system);
    if dialect.marks_cache(&prompt.config.model) {
        first.iter_mut().for_each(set_breakpoint);
        // The query, which the next step of a tool loop repeats, and the part of the history that the next turn
        // repeats.
        let user_messages = conversation.messages.iter_mut().rev().filter(|message| message.role == USER);
        user_messages.take(2).filter_map(|message| message.content.last_mut()).for_each(set_breakpoint);
    }
    let first = (!first.is_empty()).then(|| json!({"role": "system", "content": content_of(first)}));
    first.into_iter().chain(conversation.messages.into_iter().map(OpenaiMessage::into_json)).collect()
}

const ASSISTANT: &str = "assistant";
const TOOL: &str = "tool";

struct OpenaiMessage {
    role: &'static str,
    content: Vec<Value>,
    extra: Map<String, Value>,
}

impl OpenaiMessage {
    fn into_json(self) -> Value {
        let mut out = object(vec![("role", self.role.into()), ("content", content_of(self.content))]);
        out.extend(self.extra);
        out.into()
    }

    fn has_calls(&self) -> bool {
        self.extra.contains_key("tool_calls")
    }
}

struct MessageBuilder<'p> {
    prompt: &'p Prompt,
    dialect: Dialect,
    mistral_rules: bool,
    takes_turns: bool,
    requires_reasoning: bool,
    ids: VecSet<String>,
    messages: Vec<OpenaiMessage>,
}

impl<'p> MessageBuilder<'p> {
    fn new(prompt: &'p Prompt, dialect: Dialect) -> Self {
        let mistral_rules = dialect.has_mistral_rules(&prompt.config.model);
        Self {
            prompt,
            dialect,
            mistral_rules,
            takes_turns: mistral_rules || dialect.requires_turns(),
            requires_reasoning: reasoning::requires_reasoning(
                dialect,
                &prompt.config,
                !prompt.tools.is_empty(),
            ),
            ids: VecSet::default(),
            messages: Vec::new(),
        }
    }

    fn user(&mut self, parts: &[MessagePart]) {
        let content = parts.iter().filter_map(|part| self.user_content(part)).collect();
        self.push(OpenaiMessage { role: USER, content, extra: Map::new() });
    }

    fn assistant(&mut self, parts: &[MessagePart], answers: &[ToolResult]) {
        let texts: String = parts.iter().filter_map(words).collect();
        let mut content = content_of_text(texts);
        let mut extra = Map::new();
        let (pairs, rest) = pair(parts, answers);
        let mut results = Vec::new();
        let mut calls = Vec::new();
        for (call, answer) in pairs {
            let result = turns::outcome_text(answer);
            if self.dialect.accepts_tools() {
                let id = self.id_of(&call.id);
                results.push(self.result(call, &id, result));
                calls.push(called(call, &id));
            } else {
                let args = turns::arguments(&call.args);
                content.extend(content_of_text(format!("(used {} with {args}: {result})", call.name)));
            }
        }
        if !calls.is_empty() {
            extra.insert("tool_calls".into(), calls.into());
        }
        if !content.is_empty() || !extra.is_empty() {
            self.add_reasoning(parts, &mut extra);
            content.splice(0..0, self.reasoning_chunks(parts));
        }
        self.push(OpenaiMessage { role: ASSISTANT, content, extra });
        self.messages.extend(results);
        for answer in rest {
            let content = content_of_text(turns::orphan_result(answer));
            self.push(OpenaiMessage { role: USER, content, extra: Map::new() });
        }
    }

    fn result(&self, call: &ToolCall, id: &str, result: String) -> OpenaiMessage {
        let mut extra = Map::from_iter([("tool_call_id".to_owned(), id.into())]);
        if self.dialect == Dialect::Mistral {
            extra.insert("name".into(), turns::tool_name(&call.name).into());
        }
        OpenaiMessage { role: TOOL, content: content_of_text(result), extra }
    }

    fn add_reasoning(&self, parts: &[MessagePart], extra: &mut Map<String, Value>) {
        if self.dialect.accepts_reasoning()
            && let Some((field, value)) = self.own(parts, &[DETAILS, CONTENT, PLAIN])
        {
            extra.insert(field.to_owned(), value.clone());
        }
        if self.requires_reasoning {
            extra.entry(CONTENT).or_insert_with(|| "".into());
        }
    }

    /// The thinking chunks for a host that expects them in the content.
    fn reasoning_chunks(&self, parts: &[MessagePart]) -> Vec<Value> {
        let own = self.own(parts, &[CHUNKS]).filter(|_| self.dialect.accepts_thinking_as_content());
        own.and_then(|(_, chunks)| chunks.as_array().cloned()).unwrap_or_default()
    }

    /// The first of these fields in this model's own opaque data.
    fn own<'a>(
        &self,
        parts: &'a [MessagePart],
        fields: &[&'static str],
    ) -> Option<(&'static str, &'a Value)> {
        parts
            .iter()
            .filter_map(|part| own(part, &self.prompt.config))
            .find_map(|data| fields.iter().find_map(|field| Some((*field, data.get(field)?))))
    }

    fn push(&mut self, message: OpenaiMessage) {
        if message.content.is_empty() && message.extra.is_empty() {
            return;
        }
        if self.messages.is_empty() && message.role != USER {
            self.push_text(USER, turns::GO_ON);
        }
        let last = self.messages.last().map(|last| last.role);
        if self.mistral_rules && last == Some(TOOL) && message.role == USER {
            self.push_text(ASSISTANT, RESULTS_SEEN);
        }
        match self.messages.last_mut() {
            Some(last) if self.takes_turns && last.role == message.role && !last.has_calls() => {
                last.content.extend(message.content);
                for (key, value) in message.extra {
                    last.extra.insert(key, value);
                }
            }
            _ => self.messages.push(message),
        }
    }

    fn push_text(&mut self, role: &'static str, words: &str) {
        let content = content_of_text(words.to_owned());
        self.messages.push(OpenaiMessage { role, content, extra: Map::new() });
    }

    /// Ensures that the first message is the user's, and the last one too unless it is a tool's.
    fn close(&mut self) {
        if self.messages.last().is_none_or(|last| last.role == ASSISTANT) {
            self.push_text(USER, turns::GO_ON);
        }
    }

    fn user_content(&self, part: &MessagePart) -> Option<Value> {
        if let Some((mime, _, base64)) =
            file(part, self.prompt).filter(|(mime, ..)| mime.starts_with("image/"))
        {
            let url = format!("data:{mime};base64,{base64}");
            return Some(json!({"type": "image_url", "image_url": {"url": url}}));
        }
        content_of_text(words(part)?).pop()
    }

    /// A valid id for a call: its own if possible, always the same for the same call, and unique in the request.
    fn id_of(&mut self, id: &str) -> String {
        let mut unique = self.accepted(id);
        let mut nth = 1_u32;
        while !self.ids.insert(unique.clone()) {
            nth = nth.saturating_add(1);
            unique = self.made(&format!("{id}#{nth}"));
        }
        unique
    }

    fn accepted(&self, id: &str) -> String {
        let is_plain = |c: char| c.is_ascii_alphanumeric();
        let fits = if self.mistral_rules {
            id.len() == 9 && id.chars().all(is_plain)
        } else {
            !id.is_empty()
                && id.len() <= ID_CHARS
                && id.chars().all(|c| is_plain(c) || matches!(c, '_' | '-' | '.' | ':'))
        };
        if fits { id.to_owned() } else { self.made(id) }
    }

    fn made(&self, seed: &str) -> String {
        let hash = ContentHash::of_text(seed).to_string();
        let digits = |count| hash.get(..count).unwrap_or_default();
        if self.mistral_rules { digits(9).to_owned() } else { format!("call_{}", digits(24)) }
    }
}

fn set_breakpoint(piece: &mut Value) {
    if let Some(text) = piece.as_object_mut().filter(|piece| piece.contains_key("text")) {
        text.insert("cache_control".into(), json!({"type": "ephemeral"}));
    }
}

/// Content as one string if it is only text: fewer hosts accept a list.
fn content_of(pieces: Vec<Value>) -> Value {
    let plain = |piece: &Value| match piece.get("cache_control") {
        Some(_) => None,
        None => piece.get("text").and_then(Value::as_str).map(str::to_owned),
    };
    let texts: Option<Vec<String>> = pieces.iter().map(plain).collect();
    texts.map_or_else(|| pieces.into(), |texts| texts.join("\n\n").into())
}

/// The content of a text; none if it is empty.
fn content_of_text(text: String) -> Vec<Value> {
    if text.is_empty() { Vec::new() } else { vec![json!({"type": "text", "text": text})] }
}

fn called(call: &ToolCall, id: &str) -> Value {
    let arguments = turns::arguments(&call.args).to_string();
    json!({"id": id, "type": "function", "function": {"name": turns::tool_name(&call.name), "arguments": arguments}})
}
