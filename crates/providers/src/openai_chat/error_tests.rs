//! Tests of each error body and its category.

use serde_json::json;

use super::*;
use ProviderErrorKind as C;

fn refused(status: u16, body: &Value) -> ProviderError {
    classify(status, Some("application/json"), &body.to_string())
}

#[test]
fn each_refusal_has_its_category() {
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
    for (status, body, wanted) in cases {
        let failure = refused(status, &body);
        assert_eq!(failure.category, wanted, "{body}");
        assert_eq!(failure.status, Some(status), "{body}");
    }
}

#[test]
fn the_words_of_every_shape_are_kept() {
    let words = |body: Value| refused(400, &body).message;
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
    let behind =
        |raw: Value| words(json!({"error": {"message": "Provider error", "metadata": {"raw": raw}}}));
    assert_eq!(behind(json!("{\"error\":{\"message\":\"too hot\"}}")), "Provider error: too hot");
    assert_eq!(behind(json!("plain words")), "Provider error: plain words");
    assert_eq!(behind(json!("")), "Provider error");
    let page = classify(502, Some("text/html"), "<h1>Bad Gateway</h1>");
    assert_eq!((page.category, page.message.as_str()), (C::Server, "<h1>Bad Gateway</h1>"));
    let coded = refused(400, &json!({"code": "invalid-argument", "error": "no"}));
    assert_eq!(coded.code.as_deref(), Some("invalid-argument"));
}

#[test]
fn in_a_stream_the_code_of_the_object_counts_and_answers_are_no_errors() {
    let failure = |value: Value| failure_in(&value, None);
    let gone = failure(json!({"error": {"code": 502, "message": "gone"}})).unwrap();
    assert_eq!((gone.category, gone.status), (C::Server, Some(502)));
    let groq = failure(json!({"error": {"message": "no", "code": "tool_use_failed", "status_code": 400}}));
    assert_eq!(groq.unwrap().status, Some(400));
    assert_eq!(failure(json!({"error": "prompt is too long"})).unwrap().category, C::ContextOverflow);
    assert_eq!(failure(json!({"object": "error", "message": "lost"})).unwrap().category, C::Server);
    for fine in [
        json!({"error": null, "choices": []}),
        json!({"choices": [], "message": "x", "object": "chat.completion"}),
        json!({"choices": [], "detail": "x"}),
        json!({"error": ""}),
        json!({"message": "hello"}),
        json!([]),
        json!(7),
    ] {
        assert_eq!(failure(fine.clone()), None, "{fine}");
    }
}

#[test]
fn hints_are_read_from_fields_and_words() {
    let spoken = |words: &str| refused(429, &json!({"error": {"message": words}})).retry_after_ms;
    assert_eq!(spoken("Please try again in 1.2s."), Some(1_200));
    assert_eq!(spoken("Please retry after 20 seconds."), Some(20_000));
    assert_eq!(spoken("Please try again in a while."), None);
    let field = |error: Value| refused(429, &json!({ "error": error })).retry_after_ms;
    assert_eq!(field(json!({"message": "x", "retry_after_ms": 250})), Some(250));
    assert_eq!(field(json!({"message": "x", "metadata": {"retry_after": 1.5}})), Some(1_500));
    assert_eq!(field(json!({"message": "x", "retry_after": -1})), None);
}

#[test]
fn a_repeated_key_is_not_passed_on() {
    let key = format!("sk-proj-{}", "x1Y".repeat(12));
    let failure = refused(401, &json!({"error": {"message": format!("Incorrect API key provided: {key}.")}}));
    assert_eq!(failure.category, C::Authentication);
    assert!(!format!("{failure:?}").contains(&key));
}
