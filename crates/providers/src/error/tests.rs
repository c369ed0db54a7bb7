//! Tests of each error body and its category.

use serde_json::json;

use super::*;
use ProviderErrorKind as C;

fn error_of(status: u16, body: &Value) -> ProviderError {
    classify(status, Some("application/json"), &body.to_string())
}

#[test]
fn each_error_has_its_category() {
    let coded = |message: &str, kind: &str, code: &str| json!({"error": {"message": message, "type": kind, "param": null, "code": code}});
    let cases = [
        (
            401,
            coded("Incorrect API key provided: x.", "invalid_request_error", "invalid_api_key"),
            C::Authentication,
        ),
        (429, coded("Rate limit reached.", "tokens", "rate_limit_exceeded"), C::RateLimit),
        (
            429,
            coded("You exceeded your current quota.", "insufficient_quota", "insufficient_quota"),
            C::Quota,
        ),
        (400, coded("Too long.", "invalid_request_error", "context_length_exceeded"), C::ContextOverflow),
        (400, coded("Unknown key.", "invalid_request_error", "unknown_parameter"), C::BadRequest),
        (
            404,
            coded("The model `m` does not exist.", "invalid_request_error", "model_not_found"),
            C::NotFound,
        ),
        (403, coded("Country not supported.", "request_forbidden", "unsupported_country"), C::Permission),
        (500, coded("The server had an error.", "server_error", "x"), C::Server),
        (400, coded("Blocked.", "invalid_request_error", "content_policy_violation"), C::Blocked),
        (400, coded("No call.", "invalid_request_error", "tool_use_failed"), C::Garbled),
        (413, coded("Request too large.", "tokens", "request_too_large"), C::ContextOverflow),
        (
            402,
            json!({"error": {"message": "Insufficient Balance", "code": "invalid_request_error"}}),
            C::Quota,
        ),
        (402, json!({"error": {"message": "This request requires more credits", "code": 402}}), C::Quota),
        (403, json!({"error": "Your team has used all available credits."}), C::Quota),
        (
            429,
            json!({"error": {"message": "Rate limit exceeded: free-models-per-day", "code": 429}}),
            C::Quota,
        ),
        (400, json!({"code": "invalid-argument", "error": "Incorrect API key provided."}), C::Authentication),
        (
            400,
            json!({"error": "This model's maximum prompt length is 8 but the request contains 9 tokens."}),
            C::ContextOverflow,
        ),
        (
            400,
            json!({"error": {"code": 400, "message": "the request exceeds the available context size",
            "type": "exceed_context_size_error", "n_ctx": 4096}}),
            C::ContextOverflow,
        ),
        (400, json!({"error": {"message": "x is not a valid model ID", "code": 400}}), C::NotFound),
        (
            503,
            json!({"error": {"code": 503, "message": "Loading model", "type": "unavailable_error"}}),
            C::Overloaded,
        ),
        (401, json!({"detail": "Unauthorized"}), C::Authentication),
        (401, json!({"message": "Unauthorized", "request_id": "r"}), C::Authentication),
        (422, json!({"detail": [{"loc": ["body", 0], "msg": "Extra inputs", "type": "x"}]}), C::BadRequest),
        (
            400,
            json!({"object": "error", "message": {"detail": [{"msg": "Bad"}]}, "type": "invalid"}),
            C::BadRequest,
        ),
        (
            400,
            json!({"object": "error", "message": "maximum context length is 8", "code": 40303}),
            C::ContextOverflow,
        ),
        (403, json!({"error": {"code": 403, "message": "Your input was flagged for violence"}}), C::Blocked),
        (502, json!([{"error": {"message": "bad gateway"}}]), C::Server),
        (400, json!({"error": {"message": "`m` does not support tools"}}), C::BadRequest),
    ];
    for (status, body, expected) in cases {
        let failure = error_of(status, &body);
        assert_eq!(failure.category, expected, "{body}");
        assert_eq!(failure.status, Some(status), "{body}");
    }
}

/// The category, status, code and message of an error in a body.
fn summary_of(status: u16, body: &Value) -> (ProviderErrorKind, Option<u16>, Option<String>, String) {
    let failure = error_of(status, body);
    (failure.category, failure.status, failure.code, failure.message)
}

#[test]
fn each_anthropic_error_has_its_category() {
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
        let body = json!({"type": "error", "error": {"type": word, "message": words}, "request_id": "req_1"});
        assert_eq!(summary_of(status, &body), (category, Some(status), Some(word.into()), words.into()));
    }
}

#[test]
fn each_openai_error_has_its_category() {
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
        let body = json!({"error": {"message": words, "type": kind, "param": null, "code": code}});
        let code = code.unwrap_or(kind).to_owned();
        assert_eq!(summary_of(status, &body), (category, Some(status), Some(code), words.into()));
    }
}

fn of_google(code: u16, status: &str, message: &str, details: Value) -> Value {
    json!({"error": {"code": code, "message": message, "status": status, "details": details}})
}

#[test]
fn each_google_error_has_its_category() {
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
    for (status, word, words, category) in cases {
        let body = of_google(status, word, words, json!([]));
        assert_eq!(summary_of(status, &body), (category, Some(status), Some(word.into()), words.into()));
    }
    let details = json!([{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}]);
    let wrong_key = of_google(400, "INVALID_ARGUMENT", "no", details);
    assert_eq!(error_of(400, &wrong_key).category, C::Authentication);
    let wrapped = json!([of_google(503, "UNAVAILABLE", "busy", json!([]))]);
    assert_eq!(error_of(503, &wrapped).category, C::Overloaded);
}

#[test]
fn each_ollama_error_has_its_category() {
    let cases = [
        (400, "registry.ollama.ai/library/gemma3:1b does not support tools", C::BadRequest),
        (400, "\"llama3\" does not support thinking", C::BadRequest),
        (404, "model \"llama9\" not found, try pulling it first", C::NotFound),
        (401, "unauthorized", C::Authentication),
        (503, "server busy, please try again.  maximum pending requests exceeded", C::Overloaded),
        (500, "llama runner process has terminated: signal: killed", C::Server),
        (429, "you have reached your hourly usage limit", C::RateLimit),
    ];
    for (status, words, category) in cases {
        assert_eq!(
            summary_of(status, &json!({ "error": words })),
            (category, Some(status), None, words.into())
        );
    }
    assert_eq!(classify(403, None, "").category, C::Permission);
    let midway = failure_in(&json!({"error": "an error was encountered while running the model"}), None);
    let midway = midway.unwrap();
    assert_eq!((midway.category, midway.status), (C::Server, None));
}

/// Each with its code, without a status.
#[test]
fn in_a_stream_the_code_determines_the_category() {
    let cases = [
        ("overloaded_error", C::Overloaded),
        ("slow_down", C::Overloaded),
        ("authentication_error", C::Authentication),
        ("permission_error", C::Permission),
        ("request_too_large", C::ContextOverflow),
        ("rate_limit_exceeded", C::RateLimit),
        ("RESOURCE_EXHAUSTED", C::RateLimit),
        ("insufficient_quota", C::Quota),
        ("invalid_request_error", C::BadRequest),
        ("cyber_policy_violation", C::Blocked),
        ("api_error", C::Server),
        ("a_word_of_next_year", C::Server),
    ];
    for (word, category) in cases {
        let body = json!({"type": "error", "error": {"type": word, "message": ""}});
        let failure = failure_in(&body, None).unwrap();
        assert_eq!((failure.category, failure.status, failure.message.as_str()), (category, None, word));
    }
}

#[test]
fn daily_quotas_are_permanent_and_hints_are_read() {
    let limit = |quota: &str, value: &str, delay: &str| {
        let details = json!([
            {"@type": "x/google.rpc.QuotaFailure", "violations":
                [{"quotaId": quota, "quotaValue": value}]},
            {"@type": "x/google.rpc.RetryInfo", "retryDelay": delay}]);
        let failure = error_of(429, &of_google(429, "RESOURCE_EXHAUSTED", "enough", details));
        (failure.category, failure.retry_after_ms)
    };
    use C::{Quota, RateLimit};
    assert_eq!(limit("RequestsPerMinutePerProject", "15", "48s"), (RateLimit, Some(48_000)));
    assert_eq!(limit("RequestsPerMinutePerProject", "15", "34.4s"), (RateLimit, Some(34_400)));
    assert_eq!(limit("RequestsPerDayPerProject", "50", "3s"), (Quota, Some(3_000)));
    assert_eq!(limit("RequestsPerMinutePerProject", "0", "soon"), (Quota, None));
    let spoken =
        |words: &str| error_of(429, &of_google(429, "RESOURCE_EXHAUSTED", words, json!([]))).retry_after_ms;
    assert_eq!(spoken("Please retry in 1.5s."), Some(1_500));
    assert_eq!(spoken("Please retry in 570.2ms."), Some(571));
    assert_eq!(spoken("Please retry in -1s."), None);
    assert_eq!(spoken("Please retry in a while."), None);
}

#[test]
fn message_of_every_format_is_kept() {
    let words = |body: Value| error_of(400, &body).message;
    assert_eq!(words(json!({"error": {"message": "no"}})), "no");
    assert_eq!(words(json!({"error": "no"})), "no");
    assert_eq!(words(json!({"detail": "no"})), "no");
    assert_eq!(
        words(json!({"detail": [{"loc": ["body", "x", 0], "msg": "no"}, {"msg": "and no"}]})),
        "body.x.0: no; and no"
    );
    assert_eq!(words(json!({"object": "error", "message": "no"})), "no");
    assert_eq!(words(json!({"error": {"code": "only_code"}})), "only_code");
    assert_eq!(words(json!({"error": {}})), "{}");
    assert_eq!(error_of(529, &json!({"error": {}})).category, C::Overloaded);
    assert_eq!(error_of(403, &json!({"error": "go away"})).category, C::Permission);
    let behind =
        |raw: Value| words(json!({"error": {"message": "Provider error", "metadata": {"raw": raw}}}));
    assert_eq!(behind(json!("{\"error\":{\"message\":\"too hot\"}}")), "Provider error: too hot");
    assert_eq!(behind(json!("plain words")), "Provider error: plain words");
    assert_eq!(behind(json!("")), "Provider error");
    let page = classify(502, Some("text/html"), "<h1>Bad Gateway</h1>");
    assert_eq!((page.category, page.message.as_str()), (C::Server, "<h1>Bad Gateway</h1>"));
    let coded = error_of(400, &json!({"code": "invalid-argument", "error": "no"}));
    assert_eq!(coded.code.as_deref(), Some("invalid-argument"));
}

#[test]
fn in_a_stream_the_objects_code_counts_and_answers_are_no_errors() {
    let failure = |value: Value| failure_in(&value, None);
    let gone = failure(json!({"error": {"code": 502, "message": "gone"}})).unwrap();
    assert_eq!((gone.category, gone.status), (C::Server, Some(502)));
    let google = failure(json!({"error": {"code": 503, "message": "busy"}})).unwrap();
    assert_eq!((google.category, google.status), (C::Overloaded, Some(503)));
    let groq = failure(json!({"error": {"message": "no", "code": "tool_use_failed", "status_code": 400}}));
    assert_eq!(groq.unwrap().status, Some(400));
    assert_eq!(failure(json!({"error": "prompt is too long"})).unwrap().category, C::ContextOverflow);
    assert_eq!(failure(json!({"object": "error", "message": "lost"})).unwrap().category, C::Server);
    for fine in [
        json!({"error": null, "choices": []}),
        json!({"choices": [], "message": "x", "object": "chat.completion"}),
        json!({"choices": [], "detail": "x"}),
        json!({"error": ""}),
        json!({"error": null}),
        json!({"type": "ping"}),
        json!({"type": "of_next_year", "detail": "x"}),
        json!({"candidates": []}),
        json!({"message": {"content": "x"}, "done": false}),
        json!({"message": "hello"}),
        json!([]),
        json!(7),
    ] {
        assert_eq!(failure(fine.clone()), None, "{fine}");
    }
}

#[test]
fn delays_are_read_from_fields_and_messages() {
    let spoken = |words: &str| error_of(429, &json!({"error": {"message": words}})).retry_after_ms;
    assert_eq!(spoken("Please try again in 1.2s."), Some(1_200));
    assert_eq!(spoken("Please retry after 20 seconds."), Some(20_000));
    assert_eq!(spoken("Please try again in a while."), None);
    assert_eq!(error_of(502, &json!({"error": "upstream, try again in 1.5s"})).retry_after_ms, Some(1_500));
    let field = |error: Value| error_of(429, &json!({ "error": error })).retry_after_ms;
    assert_eq!(field(json!({"message": "x", "retry_after_ms": 250})), Some(250));
    assert_eq!(field(json!({"message": "x", "metadata": {"retry_after": 1.5}})), Some(1_500));
    assert_eq!(field(json!({"message": "x", "retry_after": -1})), None);
}

#[test]
fn repeated_key_is_redacted() {
    let key = format!("sk-proj-{}", "x1Y".repeat(12));
    let failure =
        error_of(401, &json!({"error": {"message": format!("Incorrect API key provided: {key}.")}}));
    assert_eq!(failure.category, C::Authentication);
    assert!(!format!("{failure:?}").contains(&key));
    let key = format!("AIza{}", "x".repeat(35));
    let words = format!("Consumer 'api_key:{key}' has been suspended.");
    let failure = error_of(403, &of_google(403, "PERMISSION_DENIED", &words, json!([])));
    assert!(!format!("{failure:?}").contains(&key));
}
