//! Classifies the errors of all providers.
//!
//! The error may be an object, a string, a `detail` or a list, and its code a word, a number or missing, even among
//! hosts of one family, so the message is matched as well as the code.

use serde_json::Value;

use crate::http_error::{self, delay_in_words, duration_ms};
use nexus_model::provider::{ProviderError, ProviderErrorKind};

/// Classifies an error response or a body of the wrong type: by its body, else by its status.
pub(crate) fn classify(status: u16, content_type: Option<&str>, body: &str) -> ProviderError {
    serde_json::from_str(body)
        .ok()
        .and_then(|value| failure_in(&value, Some(status)))
        .unwrap_or_else(|| http_error::unexplained(status, content_type, body))
}

/// The error in `value`, if any, also within an array. `http` is the response status; without it, as within a stream,
/// the object's own code counts.
pub(crate) fn failure_in(value: &Value, http: Option<u16>) -> Option<ProviderError> {
    let value = match value.as_array() {
        Some(items) => items.first()?,
        None => value,
    };
    Some(failure(value, error_of(value, http)?, http))
}

pub(crate) fn of_event(event: &Value) -> ProviderError {
    failure_in(event, None).unwrap_or_else(|| failure(event, event, None))
}

fn failure(value: &Value, error: &Value, http: Option<u16>) -> ProviderError {
    let field = |key: &str| error.get(key).or_else(|| value.get(key)).filter(|field| !field.is_null());
    let own_status = ["code", "status_code", "status"]
        .into_iter()
        .filter_map(field)
        .find_map(|code| u16::try_from(code.as_u64()?).ok().filter(|code| (400..600).contains(code)));
    let status = http.filter(|status| *status >= 400).or(own_status).or(http);
    // The `type` of an error event is itself "error".
    let mut codes = ["code", "type", "status"].into_iter().filter_map(field).filter_map(Value::as_str);
    let code = codes.find(|code| !code.is_empty() && *code != "error");
    let message = match message_of(error) {
        message if message.is_empty() => {
            code.map_or_else(|| http_error::excerpt(&error.to_string()), str::to_owned)
        }
        message => match cause(error) {
            Some(cause) => format!("{message}: {cause}"),
            None => message,
        },
    };
    ProviderError {
        category: category(error, status, code, &message.to_lowercase()),
        status,
        code: code.map(str::to_owned),
        message: http_error::without_keys(&message),
        retry_after_ms: delay_in(error).or_else(|| delay_in_words(&message)),
    }
}

fn error_of(value: &Value, http: Option<u16>) -> Option<&Value> {
    let error = value.get("error").filter(|error| match error {
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
        Value::String(words) => !words.is_empty(),
        Value::Array(list) => !list.is_empty(),
        Value::Object(_) => true,
    });
    let is_called = ["object", "type"].iter().any(|key| value.get(key).is_some_and(|word| word == "error"));
    let has_code = ["status", "statusCode", "code"]
        .iter()
        .any(|key| value.get(key).and_then(Value::as_u64).is_some_and(|code| (400..600).contains(&code)));
    let is_error = is_called || has_code || http.is_some_and(|status| status >= 400);
    let is_answer = value.get("choices").is_some();
    let is_event = value.get("type").is_some();
    let detail = value.get("detail").filter(|detail| !detail.is_null() && (is_error || !is_event));
    let object = value.get("message").filter(|_| is_error).map(|_| value);
    error.or_else(|| detail.or(object).filter(|_| !is_answer))
}

/// The message of an error: a text, an object's message, or the messages of a list.
fn message_of(error: &Value) -> String {
    match error {
        Value::String(words) => words.clone(),
        Value::Array(list) => {
            let all: Vec<_> = list.iter().map(message_of).filter(|words| !words.is_empty()).collect();
            all.join("; ")
        }
        Value::Object(error) => {
            let words = ["message", "msg", "detail", "error"].into_iter().find_map(|key| error.get(key));
            let Some(message) = words.map(message_of) else { return String::new() };
            // A list of validation errors has locations.
            let Some(path) = error.get("loc").and_then(Value::as_array) else { return message };
            let names: Vec<_> = path.iter().map(|name| name.to_string().replace('"', "")).collect();
            format!("{}: {message}", names.join("."))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => String::new(),
    }
}

fn cause(error: &Value) -> Option<String> {
    let raw = error.get("metadata")?.get("raw")?;
    let words = if let Value::String(text) = raw {
        serde_json::from_str::<Value>(text)
            .ok()
            .and_then(|inner| error_of(&inner, Some(400)).map(message_of))
            .filter(|words| !words.is_empty())
            .unwrap_or_else(|| http_error::excerpt(text))
    } else {
        message_of(raw)
    };
    (!words.is_empty()).then_some(words)
}

fn category(error: &Value, status: Option<u16>, code: Option<&str>, words: &str) -> ProviderErrorKind {
    use ProviderErrorKind as C;
    let code = code.unwrap_or_default().to_lowercase();
    let says = |any: &[&str]| any.iter().any(|word| words.contains(word));
    let coded = |any: &[&str]| any.iter().any(|word| code.contains(word));
    let is_refusal = status.is_none_or(|status| status < 500);
    if code == "resource_exhausted" {
        // Google's message is the same for a per-minute limit, which is transient.
        if says(&["depleted"]) || details(error).any(is_lasting) { C::Quota } else { C::RateLimit }
    } else if says(&["request too large"]) {
        // A single request above the per-minute limit never succeeds.
        C::ContextOverflow
    } else if status == Some(402)
        || coded(&["insufficient_quota", "billing", "payment", "insufficient_balance", "quota_exceeded"])
        || (is_refusal && says(&QUOTA))
    {
        C::Quota
    } else if status == Some(429)
        || coded(&["rate_limit", "too_many_requests"])
        || matches!(code.as_str(), "tokens" | "requests")
    {
        C::RateLimit
    } else if coded(&["context_length", "context_size", "context_window", "too_large", "above_max_length"])
        || (is_refusal && overflows(words))
    {
        C::ContextOverflow
    } else if coded(&["api_key", "authentication", "unauthenticated", "unauthorized", "deactivated"])
        || (is_refusal && says(&WRONG_KEY))
        || details(error).any(|detail| detail.get("reason").is_some_and(|it| it == "API_KEY_INVALID"))
    {
        C::Authentication
    } else if coded(&["permission", "failed_precondition", "unsupported_country", "organization_restricted"])
    {
        C::Permission
    } else if coded(&["model_not_found", "not_found_error"])
        || (is_refusal && says(&["model"]) && says(&NO_MODEL))
    {
        C::NotFound
    } else if coded(&["content_filter", "policy_violation", "moderation", "invalid_prompt"])
        || says(&["flagged for", "moderation"])
    {
        C::Blocked
    } else if coded(&["tool_use_failed"]) {
        // The provider could not parse the model's call.
        C::Garbled
    } else if coded(&["overloaded", "unavailable", "slow_down"])
        || says(&["overloaded", "loading model", "server busy"])
    {
        C::Overloaded
    } else if let Some(status) = status.filter(|status| *status >= 400) {
        http_error::category_of(status)
    } else if coded(&["invalid_request", "invalid-argument", "invalid_argument"])
        || says(&["does not support"])
    {
        C::BadRequest
    } else {
        C::Server
    }
}

/// Google's error details: the exceeded quota, the retry delay.
fn details(error: &Value) -> impl Iterator<Item = &Value> {
    error.get("details").and_then(Value::as_array).into_iter().flatten()
}

/// True for a daily quota or one of zero, which minutes do not refill.
fn is_lasting(detail: &Value) -> bool {
    let mut quotas = detail.get("violations").and_then(Value::as_array).into_iter().flatten();
    quotas.any(|quota| {
        quota.get("quotaId").and_then(Value::as_str).is_some_and(|id| id.contains("PerDay"))
            || quota.get("quotaValue").is_some_and(|value| value == "0")
    })
}

/// Phrases about credit and limits that minutes do not refill.
const QUOTA: [&str; 15] = [
    "exceeded your current quota",
    "insufficient credit",
    "insufficient balance",
    "insufficient funds",
    "credit balance",
    "more credits",
    "out of credits",
    "available credits",
    "spending limit",
    "spend limit",
    "api usage limits",
    "billing hard limit",
    "payment required",
    "per-day",
    "per day",
];

/// Phrases about a missing or wrong key; some hosts use them with status 400.
const WRONG_KEY: [&str; 10] = [
    "incorrect api key",
    "invalid api key",
    "api key not valid",
    "api key is invalid",
    "no api key",
    "missing api key",
    "no auth credentials",
    "unregistered callers",
    "unauthorized",
    "authentication fail",
];

const NO_MODEL: [&str; 6] =
    ["not found", "does not exist", "not exist", "no such model", "not a valid model", "unknown model"];

/// True if the message is about a conversation too long for the model.
fn overflows(words: &str) -> bool {
    let has = |word: &str| words.contains(word);
    let of_context = has("context") && (has("length") || has("window") || has("size") || has("exceed"));
    let of_prompt = has("prompt") && (has("too long") || has("maximum prompt length"));
    let of_tokens = has("too many tokens")
        || (has("token") && has("reduce the length"))
        || (has("input token") && has("exceed"));
    of_context || of_prompt || of_tokens
}

fn delay_in(error: &Value) -> Option<u64> {
    let number = |key: &str, unit_ms: f64| {
        let places = [error.get(key), error.get("metadata").and_then(|data| data.get(key))];
        places.into_iter().flatten().find_map(Value::as_f64).and_then(|wait| rounded(wait * unit_ms))
    };
    number("retry_after_ms", 1.0)
        .or_else(|| number("retry_after", 1_000.0))
        .or_else(|| number("retry_after_seconds", 1_000.0))
        .or_else(|| details(error).find_map(|it| duration_ms(it.get("retryDelay")?.as_str()?)))
}

/// Whole milliseconds, rounded up; `None` for a negative or invalid delay.
fn rounded(ms: f64) -> Option<u64> {
    // The cast saturates.
    (ms.is_finite() && ms >= 0.0).then_some(ms.ceil() as u64)
}

#[cfg(test)]
mod tests;
