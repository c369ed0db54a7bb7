//! Classifies Google's errors: `{"error": {"code", "message", "status", "details"}}`.

use serde_json::Value;

use crate::http_error::{self, delay_in_words, duration_ms};
use nexus_model::provider::failure::{ProviderError, ProviderErrorKind};

/// The failure that a refused request or an answer of the wrong kind stands for.
pub fn classify(status: u16, content_type: Option<&str>, body: &str) -> ProviderError {
    http_error::classified(status, content_type, body, failure_in)
}

/// The failure in `value`, if it is an error object, also one wrapped in an array. `http` is the status that it
/// came with; where it is absent, as in the middle of a stream, the object's own code counts.
pub fn failure_in(value: &Value, http: Option<u16>) -> Option<ProviderError> {
    let value = match value.as_array() {
        Some(items) => items.first()?,
        None => value,
    };
    let error = value.get("error")?;
    if let Value::String(message) = error {
        let category = http.map_or(ProviderErrorKind::Server, http_error::category_of);
        let message = http_error::without_keys(message);
        return Some(ProviderError { category, status: http, code: None, message, retry_after_ms: None });
    }
    if !error.is_object() {
        return None;
    }
    let own_code = error.get("code").and_then(Value::as_u64).and_then(|code| u16::try_from(code).ok());
    let status = http.filter(|status| *status >= 400).or(own_code).or(http);
    let word = error.get("status").and_then(Value::as_str);
    let words = error.get("message").and_then(Value::as_str).unwrap_or_default();
    Some(ProviderError {
        category: category(error, word, words, status),
        status,
        code: word.map(str::to_owned),
        message: http_error::told(words, word, error),
        retry_after_ms: retry_delay(error).or_else(|| delay_in_words(words)),
    })
}

fn category(error: &Value, word: Option<&str>, words: &str, status: Option<u16>) -> ProviderErrorKind {
    let reason = |wanted: &str| details(error).any(|d| d.get("reason").is_some_and(|r| r == wanted));
    // A bad key is a 400 here, and a missing one a 403.
    if reason("API_KEY_INVALID") || words.contains("unregistered callers") {
        return ProviderErrorKind::Authentication;
    }
    match word {
        Some("RESOURCE_EXHAUSTED") => exhausted(error, words),
        Some("INVALID_ARGUMENT" | "OUT_OF_RANGE") if tells_overflow(words) => {
            ProviderErrorKind::ContextOverflow
        }
        Some("UNAUTHENTICATED") => ProviderErrorKind::Authentication,
        // A precondition that fails is the caller's region or billing, not the request.
        Some("PERMISSION_DENIED" | "FAILED_PRECONDITION") => ProviderErrorKind::Permission,
        Some("NOT_FOUND") => ProviderErrorKind::NotFound,
        Some("UNAVAILABLE") => ProviderErrorKind::Overloaded,
        Some("INTERNAL" | "UNKNOWN" | "DEADLINE_EXCEEDED" | "CANCELLED" | "ABORTED") => {
            ProviderErrorKind::Server
        }
        Some("INVALID_ARGUMENT" | "OUT_OF_RANGE") => ProviderErrorKind::BadRequest,
        Some(_) | None => status.map_or(ProviderErrorKind::Server, http_error::category_of),
    }
}

/// A limit by the minute passes; one by the day, or of zero, does not.
fn exhausted(error: &Value, words: &str) -> ProviderErrorKind {
    let lasting = |violation: &Value| {
        let says =
            |key: &str, test: fn(&str) -> bool| violation.get(key).and_then(Value::as_str).is_some_and(test);
        says("quotaId", |id| id.contains("PerDay")) || says("quotaValue", |value| value == "0")
    };
    let any_lasting = details(error)
        .filter_map(|detail| detail.get("violations").and_then(Value::as_array))
        .flatten()
        .any(lasting);
    if any_lasting || words.contains("depleted") {
        ProviderErrorKind::Quota
    } else {
        ProviderErrorKind::RateLimit
    }
}

fn tells_overflow(words: &str) -> bool {
    let words = words.to_lowercase();
    let has = |word: &str| words.contains(word);
    let of_context = has("context") && (has("length") || has("window"));
    let of_input = has("token") && !has("output") && (has("exceed") || has("too long") || has("too many"));
    of_context || of_input
}

fn details(error: &Value) -> impl Iterator<Item = &Value> {
    error.get("details").and_then(Value::as_array).into_iter().flatten()
}

fn retry_delay(error: &Value) -> Option<u64> {
    details(error).filter_map(|detail| detail.get("retryDelay").and_then(Value::as_str)).find_map(duration_ms)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn refused(status: u16, body: &Value) -> ProviderError {
        classify(status, Some("application/json; charset=UTF-8"), &body.to_string())
    }

    fn error(code: u16, status: &str, message: &str, details: Value) -> Value {
        json!({"error": {"code": code, "message": message, "status": status, "details": details}})
    }

    #[test]
    fn each_refusal_has_its_category() {
        use ProviderErrorKind as C;
        let cases = [
            (400, "INVALID_ARGUMENT", "Unknown name \"x\"", C::BadRequest),
            (
                400,
                "INVALID_ARGUMENT",
                "The input token count (9) exceeds the maximum number of tokens allowed (8).",
                C::ContextOverflow,
            ),
            (
                400,
                "INVALID_ARGUMENT",
                "maxOutputTokens of 9 exceeds the supported range of output tokens",
                C::BadRequest,
            ),
            (400, "FAILED_PRECONDITION", "User location is not supported for the API use.", C::Permission),
            (401, "UNAUTHENTICATED", "no", C::Authentication),
            (403, "PERMISSION_DENIED", "Requests from referer <empty> are blocked.", C::Permission),
            (403, "PERMISSION_DENIED", "Method doesn't allow unregistered callers", C::Authentication),
            (404, "NOT_FOUND", "models/nope is not found", C::NotFound),
            (429, "RESOURCE_EXHAUSTED", "slow down", C::RateLimit),
            (429, "RESOURCE_EXHAUSTED", "Your prepayment credits are depleted.", C::Quota),
            (499, "CANCELLED", "The operation was cancelled.", C::Server),
            (500, "INTERNAL", "An internal error has occurred.", C::Server),
            (503, "UNAVAILABLE", "The model is overloaded.", C::Overloaded),
            (504, "DEADLINE_EXCEEDED", "late", C::Server),
            (418, "TEAPOT", "a word of next year", C::BadRequest),
        ];
        for (status, word, message, category) in cases {
            let failure = refused(status, &error(status, word, message, json!([])));
            assert_eq!(failure.category, category, "{message}");
            assert_eq!(failure.status, Some(status));
            assert_eq!(failure.code.as_deref(), Some(word));
            assert_eq!(failure.message, message);
        }
    }

    #[test]
    fn a_bad_key_is_told_from_a_bad_request() {
        let details = json!([{"@type": "type.googleapis.com/google.rpc.ErrorInfo",
            "reason": "API_KEY_INVALID"}]);
        let failure = refused(400, &error(400, "INVALID_ARGUMENT", "API key not valid.", details));
        assert_eq!(failure.category, ProviderErrorKind::Authentication);
    }

    #[test]
    fn quotas_by_the_day_do_not_pass_and_hints_are_read() {
        let limit = |quota: &str, value: &str, delay: &str| {
            let details = json!([
                {"@type": "x/google.rpc.QuotaFailure", "violations":
                    [{"quotaId": quota, "quotaValue": value}]},
                {"@type": "x/google.rpc.RetryInfo", "retryDelay": delay}]);
            let failure = refused(429, &error(429, "RESOURCE_EXHAUSTED", "enough", details));
            (failure.category, failure.retry_after_ms)
        };
        use ProviderErrorKind::{Quota, RateLimit};
        assert_eq!(limit("RequestsPerMinutePerProject", "15", "48s"), (RateLimit, Some(48_000)));
        assert_eq!(limit("RequestsPerMinutePerProject", "15", "34.4s"), (RateLimit, Some(34_400)));
        assert_eq!(limit("RequestsPerDayPerProject", "50", "3s"), (Quota, Some(3_000)));
        assert_eq!(limit("RequestsPerMinutePerProject", "0", "soon"), (Quota, None));
        let spoken =
            |words: &str| refused(429, &error(429, "RESOURCE_EXHAUSTED", words, json!([]))).retry_after_ms;
        assert_eq!(spoken("Please retry in 1.5s."), Some(1_500));
        assert_eq!(spoken("Please retry in 570.2ms."), Some(571));
        assert_eq!(spoken("Please retry in -1s."), None);
        assert_eq!(spoken("Please retry in a while."), None);
    }

    #[test]
    fn other_shapes_are_understood_too() {
        let wrapped = json!([error(503, "UNAVAILABLE", "busy", json!([]))]);
        assert_eq!(refused(503, &wrapped).category, ProviderErrorKind::Overloaded);
        let plain = refused(403, &json!({"error": "go away"}));
        assert_eq!((plain.category, plain.message.as_str()), (ProviderErrorKind::Permission, "go away"));
        let bare = refused(500, &json!({"error": {}}));
        assert_eq!(bare.category, ProviderErrorKind::Server);
        let page = classify(502, Some("text/html"), "<h1>Bad Gateway</h1>");
        assert_eq!(
            (page.category, page.message.as_str()),
            (ProviderErrorKind::Server, "<h1>Bad Gateway</h1>")
        );
    }

    #[test]
    fn in_a_stream_the_code_of_the_object_counts() {
        let failure = failure_in(&json!({"error": {"code": 503, "message": "busy"}}), None).unwrap();
        assert_eq!((failure.category, failure.status), (ProviderErrorKind::Overloaded, Some(503)));
        assert_eq!(failure_in(&json!({"error": null}), None), None);
        assert_eq!(failure_in(&json!({"candidates": []}), None), None);
    }

    #[test]
    fn a_repeated_key_is_not_passed_on() {
        let key = format!("AIza{}", "x".repeat(35));
        let words = format!("Consumer 'api_key:{key}' has been suspended.");
        let failure = refused(403, &error(403, "PERMISSION_DENIED", &words, json!([])));
        assert!(!format!("{failure:?}").contains(&key));
    }
}
