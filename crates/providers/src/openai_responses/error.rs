//! Classifies OpenAI's errors: `{"error": {"message", "type", "param", "code"}}`, and the flat form in streams.

use serde_json::{Map, Value};

use crate::http_error;
use crate::http_error::delay_in_words;
use nexus_model::provider::failure::{ProviderError, ProviderErrorKind};

pub fn classify(status: u16, content_type: Option<&str>, body: &str) -> ProviderError {
    http_error::classified(status, content_type, body, failure_in)
}

/// The failure in `value`, if it holds an error. `http` is the status that it came with; absent in a stream.
pub fn failure_in(value: &Value, http: Option<u16>) -> Option<ProviderError> {
    match value.get("error") {
        Some(Value::Object(error)) => Some(failure(error, http)),
        Some(Value::String(words)) => Some(told(words, http)),
        Some(_) | None => match value.get("detail") {
            Some(Value::String(words)) => Some(told(words, http)),
            Some(detail @ Value::Array(_)) => Some(told(&detail.to_string(), http)),
            Some(_) | None => None,
        },
    }
}

pub(super) fn failure(error: &Map<String, Value>, http: Option<u16>) -> ProviderError {
    let word = |key: &str| error.get(key).and_then(Value::as_str).filter(|word| !word.is_empty());
    // The event of a stream that carries an error is itself called one.
    let kind = word("type").filter(|kind| *kind != "error");
    let code = word("code").or(kind);
    let words = word("message").unwrap_or_default();
    ProviderError {
        category: category(code, kind, words, http),
        status: http,
        code: code.map(str::to_owned),
        message: http_error::told(words, code, &Value::Object(error.clone())),
        retry_after_ms: delay_in_words(words),
    }
}

fn told(words: &str, http: Option<u16>) -> ProviderError {
    ProviderError {
        category: category(None, None, words, http),
        status: http,
        code: None,
        message: http_error::without_keys(words),
        retry_after_ms: delay_in_words(words),
    }
}

fn category(code: Option<&str>, kind: Option<&str>, words: &str, http: Option<u16>) -> ProviderErrorKind {
    let words = words.to_ascii_lowercase();
    let says = |text: &str| words.contains(text);
    if says("context window") || says("maximum context length") || says("context length") {
        return ProviderErrorKind::ContextOverflow;
    }
    // One request that is larger than a minute's allowance never fits, however long one waits.
    if says("request too large") {
        return ProviderErrorKind::ContextOverflow;
    }
    if says("exceeded your current quota") || says("billing hard limit") {
        return ProviderErrorKind::Quota;
    }
    [code, kind].into_iter().flatten().find_map(category_of_word).unwrap_or_else(|| {
        http.filter(|status| *status >= 400).map_or(ProviderErrorKind::Server, http_error::category_of)
    })
}

fn category_of_word(word: &str) -> Option<ProviderErrorKind> {
    Some(match word {
        "insufficient_quota" | "billing_hard_limit_reached" | "billing_not_active" | "payment_required" => {
            ProviderErrorKind::Quota
        }
        "rate_limit_exceeded" | "rate_limit_error" | "too_many_requests" | "tokens" | "requests" => {
            ProviderErrorKind::RateLimit
        }
        "context_length_exceeded" | "string_above_max_length" => ProviderErrorKind::ContextOverflow,
        "invalid_api_key" | "authentication_error" | "account_deactivated" => {
            ProviderErrorKind::Authentication
        }
        "permission_error"
        | "permission_denied"
        | "insufficient_permissions"
        | "unsupported_country_region_territory"
        | "organization_restricted" => ProviderErrorKind::Permission,
        "model_not_found" | "not_found_error" => ProviderErrorKind::NotFound,
        "content_policy_violation" | "content_filter" | "invalid_prompt" | "cyber_policy_violation" => {
            ProviderErrorKind::Blocked
        }
        "server_is_overloaded" | "overloaded" | "overloaded_error" | "slow_down" | "engine_overloaded" => {
            ProviderErrorKind::Overloaded
        }
        "server_error" | "internal_error" | "api_error" | "timeout" => ProviderErrorKind::Server,
        "invalid_request_error" => ProviderErrorKind::BadRequest,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn refused(status: u16, kind: &str, code: Option<&str>, words: &str) -> ProviderError {
        let body = json!({"error": {"message": words, "type": kind, "param": null, "code": code}});
        classify(status, Some("application/json"), &body.to_string())
    }

    #[test]
    fn each_refusal_has_its_category() {
        use ProviderErrorKind as C;
        let cases = [
            (400, "invalid_request_error", None, "Unknown parameter: 'x'.", C::BadRequest),
            (
                400,
                "invalid_request_error",
                Some("context_length_exceeded"),
                "Your input exceeds the context window of this model.",
                C::ContextOverflow,
            ),
            (400, "invalid_request_error", Some("invalid_prompt"), "Flagged.", C::Blocked),
            (401, "invalid_request_error", Some("invalid_api_key"), "Incorrect API key.", C::Authentication),
            (403, "request_forbidden", Some("unsupported_country_region_territory"), "no", C::Permission),
            (404, "invalid_request_error", Some("model_not_found"), "The model `x`", C::NotFound),
            (429, "insufficient_quota", Some("insufficient_quota"), "You exceeded", C::Quota),
            (429, "tokens", Some("rate_limit_exceeded"), "Rate limit reached", C::RateLimit),
            (429, "requests", None, "Rate limit reached. Pay at /account/billing for more.", C::RateLimit),
            (400, "invalid_request_error", None, "Billing hard limit has been reached", C::Quota),
            (429, "tokens", Some("rate_limit_exceeded"), "Request too large for gpt", C::ContextOverflow),
            (500, "server_error", None, "The server had an error", C::Server),
            (503, "server_error", Some("server_is_overloaded"), "busy", C::Overloaded),
            (503, "some_error", None, "busy", C::Overloaded),
            (418, "teapot", None, "a word of next year", C::BadRequest),
        ];
        for (status, kind, code, words, category) in cases {
            let failure = refused(status, kind, code, words);
            assert_eq!(failure.category, category, "{words}");
            assert_eq!((failure.status, failure.code.as_deref()), (Some(status), code.or(Some(kind))));
            assert_eq!(failure.message, words);
        }
    }

    #[test]
    fn waits_are_read_from_the_words() {
        let words = "Rate limit reached for gpt on tokens per min (TPM). Please try again in 1.2s.";
        assert_eq!(refused(429, "tokens", Some("rate_limit_exceeded"), words).retry_after_ms, Some(1_200));
        assert_eq!(refused(429, "tokens", None, "later").retry_after_ms, None);
    }

    #[test]
    fn other_shapes_are_understood_too() {
        let plain = classify(400, None, "{\"error\": \"no\"}");
        assert_eq!((plain.category, plain.message.as_str()), (ProviderErrorKind::BadRequest, "no"));
        let detail = classify(422, None, "{\"detail\": [{\"msg\": \"field required\"}]}");
        assert!(detail.message.contains("field required"));
        let page = classify(502, Some("text/html"), "<h1>Bad Gateway</h1>");
        assert_eq!(
            (page.category, page.message.as_str()),
            (ProviderErrorKind::Server, "<h1>Bad Gateway</h1>")
        );
        assert_eq!(failure_in(&json!({"error": null}), None), None);
    }
}
