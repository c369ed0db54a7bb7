//! Classifies Anthropic's errors: `{"type": "error", "error": {"type", "message"}, "request_id"}`.

use serde_json::Value;

use crate::http_error;
use crate::http_error::delay_in_words;
use nexus_model::provider::failure::{ProviderError, ProviderErrorKind};

pub fn classify(status: u16, content_type: Option<&str>, body: &str) -> ProviderError {
    http_error::classified(status, content_type, body, failure_in)
}

/// The failure in `value`, if it is an error object. `http` is the status that it came with; absent in a stream.
pub fn failure_in(value: &Value, http: Option<u16>) -> Option<ProviderError> {
    let error = value.get("error")?;
    let word = error.get("type").and_then(Value::as_str).filter(|word| !word.is_empty());
    let words = match error {
        Value::String(words) => words.as_str(),
        Value::Object(error) => error.get("message").and_then(Value::as_str).unwrap_or_default(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => return None,
    };
    Some(ProviderError {
        category: category(word, words, http),
        status: http,
        code: word.map(str::to_owned),
        message: http_error::told(words, word, error),
        retry_after_ms: delay_in_words(words),
    })
}

fn category(word: Option<&str>, words: &str, http: Option<u16>) -> ProviderErrorKind {
    let words = words.to_ascii_lowercase();
    let says = |text: &str| words.contains(text);
    if says("prompt is too long") || says("exceed context limit") || says("context window") {
        return ProviderErrorKind::ContextOverflow;
    }
    // Credit and spend limits come as plain bad requests, or as limits of rate.
    if says("credit balance") || says("usage limits") || says("spend limit") {
        return ProviderErrorKind::Quota;
    }
    match word {
        Some("authentication_error") => ProviderErrorKind::Authentication,
        Some("billing_error") => ProviderErrorKind::Quota,
        Some("permission_error") => ProviderErrorKind::Permission,
        Some("not_found_error") => ProviderErrorKind::NotFound,
        Some("request_too_large") => ProviderErrorKind::ContextOverflow,
        Some("rate_limit_error") => ProviderErrorKind::RateLimit,
        Some("overloaded_error") => ProviderErrorKind::Overloaded,
        Some("api_error" | "timeout_error") => ProviderErrorKind::Server,
        Some("invalid_request_error") => ProviderErrorKind::BadRequest,
        Some(_) | None => {
            http.filter(|status| *status >= 400).map_or(ProviderErrorKind::Server, http_error::category_of)
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn refused(status: u16, word: &str, words: &str) -> ProviderError {
        let body = json!({"type": "error", "error": {"type": word, "message": words}, "request_id": "req_1"});
        classify(status, Some("application/json"), &body.to_string())
    }

    #[test]
    fn each_refusal_has_its_category() {
        use ProviderErrorKind as C;
        let cases = [
            (400, "invalid_request_error", "max_tokens: field required", C::BadRequest),
            (400, "invalid_request_error", "prompt is too long: 9 tokens > 8 maximum", C::ContextOverflow),
            (
                400,
                "invalid_request_error",
                "input length and `max_tokens` exceed context limit: 9 + 4 > 8",
                C::ContextOverflow,
            ),
            (400, "invalid_request_error", "Your credit balance is too low to access the API.", C::Quota),
            (400, "invalid_request_error", "You have reached your specified API usage limits.", C::Quota),
            (401, "authentication_error", "invalid x-api-key", C::Authentication),
            (402, "billing_error", "pay", C::Quota),
            (403, "permission_error", "no", C::Permission),
            (404, "not_found_error", "model: nope", C::NotFound),
            (413, "request_too_large", "Request exceeds the maximum size", C::ContextOverflow),
            (429, "rate_limit_error", "slow down", C::RateLimit),
            (500, "api_error", "Internal server error", C::Server),
            (504, "timeout_error", "late", C::Server),
            (529, "overloaded_error", "Overloaded", C::Overloaded),
            (418, "teapot_error", "a word of next year", C::BadRequest),
        ];
        for (status, word, words, category) in cases {
            let failure = refused(status, word, words);
            assert_eq!(failure.category, category, "{words}");
            assert_eq!((failure.status, failure.code.as_deref()), (Some(status), Some(word)));
            assert_eq!(failure.message, words);
        }
    }

    #[test]
    fn in_a_stream_the_word_counts() {
        let failure =
            failure_in(&json!({"type": "error", "error": {"type": "overloaded_error", "message": ""}}), None);
        let failure = failure.unwrap();
        assert_eq!((failure.category, failure.status), (ProviderErrorKind::Overloaded, None));
        assert_eq!(failure.message, "overloaded_error");
        assert_eq!(failure_in(&json!({"error": null}), None), None);
        assert_eq!(failure_in(&json!({"type": "ping"}), None), None);
    }

    #[test]
    fn other_shapes_and_hints_are_understood_too() {
        let plain = classify(502, None, "{\"error\": \"upstream, try again in 1.5s\"}");
        assert_eq!((plain.category, plain.retry_after_ms), (ProviderErrorKind::Server, Some(1_500)));
        let page = classify(502, Some("text/html"), "<h1>Bad Gateway</h1>");
        assert_eq!(
            (page.category, page.message.as_str()),
            (ProviderErrorKind::Server, "<h1>Bad Gateway</h1>")
        );
        let bare = classify(529, None, "{\"error\": {}}");
        assert_eq!(bare.category, ProviderErrorKind::Overloaded);
    }
}
