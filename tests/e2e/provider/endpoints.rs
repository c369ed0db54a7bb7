//! Endpoints of each fake service: paths, API keys, model lists and CORS.
//!
//! Maps a request line to a protocol, and answers requests that need no model.

use nexus_model::provider::Protocol;
use serde_json::{Value, json};

use super::super::http::{Head, Incoming};
use super::rules::ApiError;

/// The API key of this service; Ollama has none.
pub(crate) fn key_of(protocol: Protocol) -> Option<&'static str> {
    match protocol {
        Protocol::Gemini => Some(super::KEY),
        Protocol::Openai => Some("gsk_key0of0the0fake0compatible0host"),
        Protocol::Responses => Some("sk-proj-key0of0the0fake0openai"),
        Protocol::Anthropic => Some("sk-ant-key0of0the0fake0anthropic"),
        Protocol::Ollama => None,
    }
}

/// Models of each service with their context windows in tokens.
pub(crate) fn models_of(protocol: Protocol) -> &'static [(&'static str, u32)] {
    match protocol {
        Protocol::Gemini => &[
            ("gemini-4-argon", 1_048_576),
            ("gemini-3.8-flash", 1_048_576),
            ("gemini-3.7-flash", 1_048_576),
            ("gemini-3.5-flash-lite", 1_048_576),
            ("gemini-3.1-pro-preview", 1_048_576),
            ("gemini-2.5-flash", 1_048_576),
            ("gemini-flash-latest", 1_048_576),
            ("gemini-flash-lite-latest", 1_048_576),
        ],
        Protocol::Openai => &[("gpt-oss-120b", 131_072), ("qwen3.5-27b", 262_144), ("kimi-k3", 262_144)],
        Protocol::Responses => &[
            ("gpt-6-astra", 1_050_000),
            ("gpt-6.1-sol", 1_050_000),
            ("gpt-6.1-terra", 1_050_000),
            ("gpt-6-luna", 1_050_000),
            ("gpt-4.1", 1_047_576),
        ],
        Protocol::Anthropic => &[
            ("claude-opus-5-5", 1_000_000),
            ("claude-sonnet-5-5", 1_000_000),
            ("claude-haiku-5-5", 1_000_000),
            ("claude-sonnet-4-6", 1_000_000),
            ("claude-haiku-4-5-20251001", 200_000),
        ],
        Protocol::Ollama => &[("qwen3:8b", 40_960), ("gemma3:4b", 131_072)],
    }
}

/// The first of them.
pub(crate) fn model_of(protocol: Protocol) -> &'static str {
    models_of(protocol).first().map_or("", |(name, _)| name)
}

/// The protocol of a request. Two services have `/v1/models`: the headers distinguish them.
pub(crate) fn protocol_of(incoming: &Incoming) -> Option<Protocol> {
    let wanted = incoming.header("access-control-request-headers").unwrap_or_default();
    let is_anthropic = |name: &str| incoming.header(name).is_some() || wanted.contains(name);
    match incoming.path.as_str() {
        "/v1/chat/completions" => Some(Protocol::Openai),
        "/v1/responses" => Some(Protocol::Responses),
        "/v1/messages" => Some(Protocol::Anthropic),
        "/v1/models" if is_anthropic("x-api-key") || is_anthropic("anthropic-version") => {
            Some(Protocol::Anthropic)
        }
        "/v1/models" => {
            let key = key_of(Protocol::Responses).unwrap_or_default();
            let is_openai = incoming.header("authorization").is_some_and(|value| value.ends_with(key));
            Some(if is_openai { Protocol::Responses } else { Protocol::Openai })
        }
        path if path.starts_with("/v1beta/") => Some(Protocol::Gemini),
        path if path.starts_with("/api/") => Some(Protocol::Ollama),
        _ => None,
    }
}

/// Response to a preflight.
pub(crate) fn preflight(protocol: Protocol, incoming: &Incoming, rejects_origins: bool) -> Head {
    let wanted = incoming.header("access-control-request-headers").unwrap_or_default();
    let allowed = match protocol {
        Protocol::Gemini => "x-goog-api-key, content-type",
        Protocol::Openai | Protocol::Responses => "authorization, content-type",
        // Without this header, no page is allowed.
        Protocol::Anthropic if !wanted.contains("anthropic-dangerous-direct-browser-access") => {
            return Head::new(204);
        }
        Protocol::Anthropic => {
            "x-api-key, anthropic-version, anthropic-beta, content-type, \
             anthropic-dangerous-direct-browser-access"
        }
        Protocol::Ollama if rejects_origins => return Head::new(403),
        Protocol::Ollama => "authorization, content-type, user-agent, accept, x-requested-with",
    };
    cors(protocol, Head::new(204), rejects_origins)
        .with("access-control-allow-methods", "GET, POST, OPTIONS")
        .with("access-control-allow-headers", allowed)
        .with("access-control-max-age", "600")
}

/// CORS headers of each service. None exposes more than the simple headers and an id or two.
pub(crate) fn cors(protocol: Protocol, head: Head, rejects_origins: bool) -> Head {
    let head = head.with("cache-control", "no-store");
    match protocol {
        Protocol::Ollama if rejects_origins => head,
        Protocol::Gemini => {
            head.with("access-control-allow-origin", "*").with("vary", "Origin, X-Origin, Referer")
        }
        Protocol::Openai | Protocol::Responses => head.with("access-control-allow-origin", "*"),
        Protocol::Anthropic | Protocol::Ollama => {
            head.with("access-control-allow-origin", "*").with("vary", "Origin")
        }
    }
}

/// Checks the key and other headers.
pub(crate) fn check_headers(protocol: Protocol, incoming: &Incoming) -> Result<(), ApiError> {
    if incoming.query.split('&').any(|pair| pair.starts_with("key=")) {
        return Err(ApiError::argument("a key in the URL is written to logs"));
    }
    if incoming.method == "POST"
        && !incoming.header("content-type").is_some_and(|kind| kind.starts_with("application/json"))
    {
        return Err(ApiError::argument("the content type is not JSON"));
    }
    match protocol {
        Protocol::Gemini => check_google_key(incoming.header("x-goog-api-key")),
        Protocol::Openai | Protocol::Responses => {
            check_bearer(key_of(protocol).unwrap_or_default(), incoming.header("authorization"))
        }
        Protocol::Anthropic => check_anthropic(incoming),
        Protocol::Ollama => Ok(()),
    }
}

fn check_google_key(key: Option<&str>) -> Result<(), ApiError> {
    match key {
        Some(super::KEY) => Ok(()),
        Some(_) => Err(ApiError {
            details: vec![json!({
                "@type": "type.googleapis.com/google.rpc.ErrorInfo",
                "reason": "API_KEY_INVALID",
                "domain": "googleapis.com",
                "metadata": { "service": "generativelanguage.googleapis.com" },
            })],
            ..ApiError::argument("API key not valid. Please pass a valid API key.")
        }),
        None => Err(ApiError {
            code: 403,
            status: "PERMISSION_DENIED",
            message: "Method doesn't allow unregistered callers (callers without established \
                identity). Please use API Key or other form of API consumer identity to call this \
                API."
                .to_owned(),
            details: Vec::new(),
        }),
    }
}

fn check_bearer(key: &str, header: Option<&str>) -> Result<(), ApiError> {
    let reject = |status: &'static str, message: String| {
        Err(ApiError { code: 401, status, message, details: Vec::new() })
    };
    match header.map(|value| value.strip_prefix("Bearer ")) {
        Some(Some(given)) if given == key => Ok(()),
        // As the service does, with the key's beginning, which is as much as a page may show.
        Some(Some(given)) => reject(
            "invalid_api_key",
            format!("Incorrect API key provided: {}****.", given.chars().take(7).collect::<String>()),
        ),
        Some(None) | None => reject(
            "",
            "You didn't provide an API key. You need to provide your API key in an Authorization header using \
             Bearer auth (i.e. Authorization: Bearer YOUR_KEY)."
                .to_owned(),
        ),
    }
}

fn check_anthropic(incoming: &Incoming) -> Result<(), ApiError> {
    let reject = |message: &str| {
        Err(ApiError {
            code: 401,
            status: "authentication_error",
            message: message.to_owned(),
            details: Vec::new(),
        })
    };
    if incoming.header("anthropic-version") != Some("2023-06-01") {
        return Err(ApiError::argument("anthropic-version: header is required"));
    }
    match incoming.header("x-api-key") {
        Some(given) if Some(given) == key_of(Protocol::Anthropic) => {}
        Some(_) => return reject("invalid x-api-key"),
        None => return reject("x-api-key header is required"),
    }
    let is_page = incoming.header("origin").is_some();
    if is_page && incoming.header("anthropic-dangerous-direct-browser-access") != Some("true") {
        return reject("CORS requests must set 'anthropic-dangerous-direct-browser-access' header");
    }
    Ok(())
}

/// The list of models, or other information that needs no model; `None` for other requests.
pub(crate) fn listing(protocol: Protocol, incoming: &Incoming, body: &Value) -> Option<Value> {
    let models = models_of(protocol).iter();
    match (protocol, incoming.method.as_str(), incoming.path.as_str()) {
        (Protocol::Gemini, "GET", "/v1beta/models") => {
            let models = models.map(|(name, limit)| {
                json!({
                    "name": format!("models/{name}"),
                    "version": "001",
                    "displayName": name,
                    "inputTokenLimit": limit,
                    "outputTokenLimit": 65_536,
                    "supportedGenerationMethods": ["generateContent", "countTokens"],
                    "thinking": true,
                })
            });
            Some(json!({ "models": models.collect::<Vec<_>>() }))
        }
        (Protocol::Openai, "GET", "/v1/models") => {
            let models = models.map(|(name, window)| {
                json!({ "id": name, "object": "model", "created": 1, "owned_by": "x", "context_window": window })
            });
            Some(json!({ "object": "list", "data": models.collect::<Vec<_>>() }))
        }
        (Protocol::Responses, "GET", "/v1/models") => {
            let others = ["text-embedding-4-large", "whisper-2", "gpt-image-2", "omni-moderation-latest"];
            let all = models.map(|(name, _)| *name).chain(others);
            let all =
                all.map(|id| json!({ "id": id, "object": "model", "created": 1, "owned_by": "openai" }));
            Some(json!({ "object": "list", "data": all.collect::<Vec<_>>() }))
        }
        (Protocol::Anthropic, "GET", "/v1/models") => {
            let models = models.map(|(name, _)| {
                json!({
                    "type": "model", "id": name, "display_name": name, "created_at": "2026-09-01T00:00:00Z",
                })
            });
            let models: Vec<_> = models.collect();
            Some(json!({ "data": models, "has_more": false, "first_id": null, "last_id": null }))
        }
        (Protocol::Ollama, "GET", "/api/tags") => {
            let models = models.map(|(name, _)| {
                json!({
                    "name": name, "model": name, "size": 5_000_000_000_u64, "capabilities": capabilities(name),
                    "details": { "family": "x", "parameter_size": "8B", "quantization_level": "Q4_K_M" },
                })
            });
            Some(json!({ "models": models.collect::<Vec<_>>() }))
        }
        (Protocol::Ollama, "POST", "/api/show") => {
            let model = body.get("model").and_then(Value::as_str).unwrap_or_default();
            let (_, window) = models_of(protocol).iter().find(|(name, _)| *name == model)?;
            let capabilities = capabilities(model);
            let info = json!({ "general.architecture": "x", "x.context_length": window });
            Some(json!({ "capabilities": capabilities, "model_info": info, "details": { "family": "x" } }))
        }
        _ => None,
    }
}

/// Capabilities of a model as reported by Ollama.
fn capabilities(model: &str) -> Value {
    if model.starts_with("gemma") {
        json!(["completion", "vision"])
    } else {
        json!(["completion", "tools", "thinking"])
    }
}

/// True if the request is for an answer of a model.
pub(crate) fn is_generation(protocol: Protocol, incoming: &Incoming) -> Result<bool, ApiError> {
    if incoming.method != "POST" {
        return Ok(false);
    }
    if protocol != Protocol::Gemini {
        let paths = ["/v1/chat/completions", "/v1/responses", "/v1/messages", "/api/chat"];
        return Ok(paths.contains(&incoming.path.as_str()));
    }
    let is_generation =
        incoming.path.starts_with("/v1beta/models/") && incoming.path.ends_with(":streamGenerateContent");
    if is_generation && incoming.query != "alt=sse" {
        return Err(ApiError::argument(format!(
            "the query is {:?}, and expected only alt=sse",
            incoming.query
        )));
    }
    Ok(is_generation)
}

/// Error for an unknown model.
pub(crate) fn unknown_model(protocol: Protocol, model: &str) -> ApiError {
    let (status, message) = match protocol {
        Protocol::Gemini => (
            "NOT_FOUND",
            format!(
                "models/{model} is not found for API version v1beta, or is not supported for \
                 generateContent. Call ModelService.ListModels to see the list of available \
                 models and their supported methods."
            ),
        ),
        Protocol::Openai | Protocol::Responses => (
            "model_not_found",
            format!("The model `{model}` does not exist or you do not have access to it."),
        ),
        Protocol::Anthropic => ("not_found_error", format!("model: {model}")),
        Protocol::Ollama => ("", format!("model '{model}' not found")),
    };
    ApiError { code: 404, status, message, details: Vec::new() }
}
