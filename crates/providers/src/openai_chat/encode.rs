//! Encodes a prompt for Chat Completions, in the dialect of its host.

use serde_json::{Map, Value, json};

use crate::http::{Endpoint, HeaderValue, HttpRequest, Method, Secret};
use crate::openai_chat::dialect;
use crate::openai_chat::dialect::Dialect;
use crate::openai_chat::{messages, thinking};
use nexus_model::llm::{Prompt, ToolSpec};

/// The streaming call for `prompt`.
pub fn encode(prompt: &Prompt, endpoint: &Endpoint) -> HttpRequest {
    let mut headers = vec![("content-type".to_owned(), HeaderValue::Plain("application/json".to_owned()))];
    headers.extend(key_header(endpoint));
    HttpRequest {
        method: Method::Post,
        url: dialect::address(&endpoint.base_url, "chat/completions"),
        headers,
        body: Some(body(prompt, Dialect::of(&endpoint.base_url)).to_string()),
    }
}

/// The key's header; none where there is no key, as with most local servers.
pub(crate) fn key_header(endpoint: &Endpoint) -> Option<(String, HeaderValue)> {
    let key = endpoint.key.as_ref().map(|key| key.reveal().trim()).filter(|key| !key.is_empty())?;
    Some(("authorization".to_owned(), HeaderValue::Secret(Secret::new(format!("Bearer {key}")))))
}

fn body(prompt: &Prompt, dialect: Dialect) -> Value {
    let config = &prompt.config;
    let tools = if dialect.takes_tools() { prompt.tools.as_slice() } else { &[] };
    let mut body = Map::new();
    body.insert("model".into(), config.model.clone().into());
    body.insert("messages".into(), messages::messages(prompt, dialect, system(prompt, dialect)).into());
    if !tools.is_empty() {
        body.insert("tools".into(), tools.iter().map(declaration).collect());
        body.extend(prompt.forced_tool().map(|name| ("tool_choice".to_owned(), dialect.forced(name))));
    }
    body.insert("stream".into(), true.into());
    if dialect.asks_for_usage() {
        body.insert("stream_options".into(), json!({"include_usage": true}));
    }
    if let Some(max_tokens) = config.max_tokens {
        body.insert(dialect.max_tokens_key().into(), max_tokens.into());
    }
    if let Some(temperature) =
        config.temperature.filter(|_| !thinking::refuses_temperature(dialect, &config.model))
    {
        body.insert("temperature".into(), temperature.into());
    }
    thinking::ask(&mut body, dialect, config, !tools.is_empty());
    if let Some(schema) = &prompt.output {
        let format = if dialect.takes_schema() {
            json!({"type": "json_schema", "json_schema": {"name": "answer", "schema": schema}})
        } else {
            json!({"type": "json_object"})
        };
        body.insert("response_format".into(), format);
    }
    body.into()
}

/// The system prompt, with the schema of the answer where the host cannot be told of it otherwise.
fn system(prompt: &Prompt, dialect: Dialect) -> String {
    match &prompt.output {
        Some(schema) if !dialect.takes_schema() => {
            format!("{}\n\nAnswer with JSON that meets this JSON Schema:\n{schema}", prompt.system)
                .trim_start()
                .to_owned()
        }
        Some(_) | None => prompt.system.clone(),
    }
}

/// A tool, in the form that Ollama takes, too.
pub(crate) fn declaration(tool: &ToolSpec) -> Value {
    json!({"type": "function", "function":
        {"name": tool.name, "description": tool.description, "parameters": tool.parameters}})
}
