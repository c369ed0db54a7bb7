//! Classifies the errors of OpenAI-compatible hosts.
//!
//! The error may be an object, a string, a `detail` or a list, and its code a word, a number or missing, so the
//! message is matched as well as the code.

use serde_json::Value;

use crate::http_error;
use crate::http_error::delay_in_words;
use nexus_model::provider::failure::{ProviderError, ProviderErrorKind};

/// The failure that a refused request or an answer of the wrong kind stands for.
pub fn classify(status: u16, content_type: Option<&str>, body: &str) -> ProviderError {
    http_error::classified(status, content_type, body, failure_in)
}

/// The failure in `value`, if it holds one, also wrapped in an array. `http` is the status that it came with; where it
/// is absent, as in the middle of a stream, the object's own code counts.
pub fn failure_in(value: &Value, http: Option<u16>) -> Option<ProviderError> {
    let value = match value.as_array() {
        Some(items) => items.first()?,
        None => value,
    };
    let error = error_of(value, http)?;
    let field = |key: &str| error.get(key).or_else(|| value.get(key)).filter(|field| !field.is_null());
    let own_status = ["code", "status_code", "status"]
        .into_iter()
        .filter_map(field)
        .find_map(|code| u16::try_from(code.as_u64()?).ok().filter(|code| (400..600).contains(code)));
    let status = http.filter(|status| *status >= 400).or(own_status).or(http);
    let code = ["code", "type"].into_iter().filter_map(field).find_map(Value::as_str);
    let words = match words_of(error) {
        words if words.is_empty() => {
            code.map_or_else(|| http_error::excerpt(&error.to_string()), str::to_owned)
        }
        words => match cause(error) {
            Some(cause) => format!("{words}: {cause}"),
            None => words,
        },
    };
    Some(ProviderError {
        category: category(status, code, &words.to_lowercase()),
        status,
        code: code.map(str::to_owned),
        message: http_error::without_keys(&words),
        retry_after_ms: wait_in(error).or_else(|| delay_in_words(&words)),
    })
}

fn error_of(value: &Value, http: Option<u16>) -> Option<&Value> {
    let error = value.get("error").filter(|error| match error {
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
        Value::String(words) => !words.is_empty(),
        Value::Array(list) => !list.is_empty(),
        Value::Object(_) => true,
    });
    let is_error = |key: &str| value.get(key).is_some_and(|word| word == "error");
    let refused = http.is_some_and(|status| status >= 400);
    let is_answer = value.get("choices").is_some();
    error.or_else(|| value.get("detail").filter(|detail| !detail.is_null() && !is_answer)).or_else(|| {
        let told = value.get("message").is_some() && (refused || is_error("object") || is_error("type"));
        (told && !is_answer).then_some(value)
    })
}

/// The words of an error: a text, the message of an object, the messages of a list.
fn words_of(error: &Value) -> String {
    match error {
        Value::String(words) => words.clone(),
        Value::Array(list) => {
            let all: Vec<_> = list.iter().map(words_of).filter(|words| !words.is_empty()).collect();
            all.join("; ")
        }
        Value::Object(error) => {
            ["message", "msg", "detail", "error"].into_iter().find_map(|key| error.get(key)).map_or_else(
                String::new,
                |words| {
                    // A list of what is wrong with a request says where.
                    let place = error.get("loc").and_then(Value::as_array).map(|path| {
                        let names: Vec<_> =
                            path.iter().map(|name| name.to_string().replace('"', "")).collect();
                        names.join(".")
                    });
                    match place {
                        Some(place) => format!("{place}: {}", words_of(words)),
                        None => words_of(words),
                    }
                },
            )
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => String::new(),
    }
}

fn cause(error: &Value) -> Option<String> {
    let raw = error.get("metadata")?.get("raw")?;
    let words = match raw {
        Value::String(text) => serde_json::from_str::<Value>(text)
            .ok()
            .and_then(|inner| error_of(&inner, Some(400)).map(words_of))
            .filter(|words| !words.is_empty())
            .unwrap_or_else(|| http_error::excerpt(text)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => words_of(raw),
    };
    (!words.is_empty()).then_some(words)
}

fn category(status: Option<u16>, code: Option<&str>, words: &str) -> ProviderErrorKind {
    use ProviderErrorKind as C;
    let code = code.unwrap_or_default().to_lowercase();
    let says = |any: &[&str]| any.iter().any(|word| words.contains(word));
    let coded = |any: &[&str]| any.iter().any(|word| code.contains(word));
    let is_refusal = status.is_none_or(|status| status < 500);
    if status == Some(402)
        || coded(&["insufficient_quota", "billing", "insufficient_balance", "quota_exceeded"])
        || (is_refusal && says(&QUOTA))
    {
        C::Quota
    } else if status == Some(429) || coded(&["rate_limit", "too_many_requests"]) {
        C::RateLimit
    } else if coded(&["context_length", "context_size", "context_window"]) || (is_refusal && overflows(words))
    {
        C::ContextOverflow
    } else if coded(&["api_key", "authentication", "unauthorized"]) || (is_refusal && says(&WRONG_KEY)) {
        C::Authentication
    } else if coded(&["model_not_found", "not_found_error"])
        || (is_refusal && says(&["model"]) && says(&NO_MODEL))
    {
        C::NotFound
    } else if coded(&["content_filter", "content_policy", "moderation"])
        || says(&["flagged for", "moderation"])
    {
        C::Blocked
    } else if coded(&["tool_use_failed"]) {
        // The model's own call could not be understood by the provider.
        C::Garbled
    } else if coded(&["overloaded", "unavailable"]) || says(&["overloaded", "loading model", "server busy"]) {
        C::Overloaded
    } else if let Some(status) = status.filter(|status| *status >= 400) {
        http_error::category_of(status)
    } else if coded(&["invalid_request", "invalid-argument"]) || says(&["does not support"]) {
        C::BadRequest
    } else {
        C::Server
    }
}

/// Words of credit and limits that minutes do not refill.
const QUOTA: [&str; 12] = [
    "exceeded your current quota",
    "insufficient credit",
    "insufficient balance",
    "insufficient funds",
    "credit balance",
    "more credits",
    "out of credits",
    "available credits",
    "spending limit",
    "payment required",
    "per-day",
    "per day",
];

/// Words of a key that is missing or wrong; some hosts say it with a status of 400.
const WRONG_KEY: [&str; 9] = [
    "incorrect api key",
    "invalid api key",
    "api key not valid",
    "api key is invalid",
    "no api key",
    "missing api key",
    "no auth credentials",
    "unauthorized",
    "authentication fail",
];

const NO_MODEL: [&str; 6] =
    ["not found", "does not exist", "not exist", "no such model", "not a valid model", "unknown model"];

/// Whether the words tell of a conversation that is too long for the model.
fn overflows(words: &str) -> bool {
    let has = |word: &str| words.contains(word);
    let of_context = has("context") && (has("length") || has("window") || has("size") || has("exceed"));
    let of_prompt = has("prompt") && (has("too long") || has("maximum prompt length"));
    let of_tokens = has("too many tokens") || (has("token") && has("reduce the length"));
    of_context || of_prompt || of_tokens
}

fn wait_in(error: &Value) -> Option<u64> {
    let number = |key: &str, unit_ms: f64| {
        let places = [error.get(key), error.get("metadata").and_then(|data| data.get(key))];
        places.into_iter().flatten().find_map(Value::as_f64).and_then(|wait| rounded(wait * unit_ms))
    };
    number("retry_after_ms", 1.0)
        .or_else(|| number("retry_after", 1_000.0))
        .or_else(|| number("retry_after_seconds", 1_000.0))
}

/// Whole milliseconds, rounded up; a negative or nonsensical wait is none.
fn rounded(ms: f64) -> Option<u64> {
    // The cast saturates.
    (ms.is_finite() && ms >= 0.0).then_some(ms.ceil() as u64)
}

#[cfg(test)]
#[path = "error_tests.rs"]
mod tests;
