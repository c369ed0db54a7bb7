//! Tests of the Gemini rules: a valid conversation, one change, the expected error message.

use nexus_model::provider::Protocol;
use serde_json::{Value, json};

use super::spoil::{rejections, remove, set};
use crate::e2e::provider::{self, ApiError, Call, Host, IssuedData, SIGNATURE_SENTINEL, Signed};

const MODEL: &str = "gemini-3.8-flash";

/// Signatures of both steps of [`conversation`].
fn issued() -> IssuedData {
    let signed =
        |signature: &str, part: Value| (signature.to_owned(), Signed { model: MODEL.to_owned(), part });
    let call = json!({ "id": "c1", "name": "read", "args": { "a": 1, "b": 2 } });
    IssuedData::from([
        signed("one", json!({ "functionCall": call })),
        signed("two", json!({ "functionCall": { "id": "c3", "name": "write", "args": {} } })),
        signed("end", json!({ "text": "" })),
    ])
}

/// The same, from another model.
fn of_model(model: &str) -> IssuedData {
    let mut issued = issued();
    issued.values_mut().for_each(|signed| signed.model = model.to_owned());
    issued
}

/// A turn with two tool steps after a plain one, with all fields that a request may have.
fn conversation() -> Value {
    json!({
        "systemInstruction": { "parts": [{ "text": "You are the Engineer." }] },
        "contents": [
            { "role": "user", "parts": [{ "text": "hello" }] },
            { "role": "model", "parts": [
                { "text": "hi" },
                { "text": "", "thoughtSignature": "end" },
            ]},
            { "role": "user", "parts": [{ "text": "read and write" }] },
            { "role": "model", "parts": [
                { "text": "two at once" },
                { "functionCall": { "id": "c1", "name": "read", "args": { "b": 2, "a": 1 } },
                  "thoughtSignature": "one" },
                { "functionCall": { "id": "c2", "name": "list", "args": {} } },
            ]},
            { "role": "user", "parts": [
                { "functionResponse": { "id": "c1", "name": "read", "response": { "ok": true } } },
                { "functionResponse": { "id": "c2", "name": "list", "response": {} } },
                { "text": "the mind changed since" },
            ]},
            { "role": "model", "parts": [
                { "functionCall": { "id": "c3", "name": "write" }, "thoughtSignature": "two" },
            ]},
            { "role": "user", "parts": [
                { "functionResponse": { "id": "c3", "name": "write", "response": {} } },
            ]},
        ],
        "tools": [{ "functionDeclarations": [
            { "name": "read", "description": "", "parametersJsonSchema": {
                "type": "object", "additionalProperties": false, "properties": {} } },
            { "name": "write", "parameters": {
                "type": "OBJECT", "properties": { "text": { "type": "string" } } } },
            { "name": "list" },
        ]}],
        "toolConfig": { "functionCallingConfig": { "mode": "AUTO" } },
        "generationConfig": {
            "temperature": 0.5, "maxOutputTokens": 8192,
            "thinkingConfig": { "includeThoughts": true, "thinkingLevel": "low" },
        },
        "safetySettings": [
            { "category": "HARM_CATEGORY_HARASSMENT", "threshold": "BLOCK_ONLY_HIGH" },
        ],
    })
}

/// Checks a request to this model.
fn check(model: &str, body: &Value, issued: &IssuedData) -> Result<(), ApiError> {
    provider::check(Call { protocol: Protocol::Gemini, host: Host::Other, model, body }, issued)
}

/// Checks a request; every error must have a status.
fn verdict(body: &Value) -> Result<(), ApiError> {
    check(MODEL, body, &issued()).inspect_err(|api_error| assert_eq!(api_error.status, "INVALID_ARGUMENT"))
}

rejections!(conversation(), verdict);

#[track_caller]
fn accepted(body: &Value) {
    assert_eq!(check(MODEL, body, &issued()), Ok(()));
}

#[test]
fn a_valid_conversation_is_accepted() {
    accepted(&conversation());
}

#[test]
fn unknown_names() {
    rejected("/stream", json!(true), r#"Unknown name "stream": Cannot find field"#);
    rejected("/generationConfig/max_tokens", json!(5), "at 'generation_config'");
    rejected("/generationConfig/thinkingConfig/effort", json!("low"), r#"Unknown name "effort""#);
    rejected("/contents/0/name", json!("Ada"), "at 'contents[0]'");
    rejected("/contents/3/parts/1/functionCall/thoughtSignature", json!("one"), "function_call'");
    rejected("/tools/0/functionDeclarations/2/strict", json!(true), r#"Unknown name "strict""#);
    let open = "/tools/0/functionDeclarations/1/parameters/additionalProperties";
    rejected(open, json!(false), r#"Unknown name "additionalProperties""#);
}

#[test]
fn values_of_the_wrong_type() {
    rejected("/contents", json!({}), "Invalid value at 'contents'");
    rejected("/generationConfig/temperature", json!("1"), "'generation_config.temperature'");
    rejected("/generationConfig/maxOutputTokens", json!(0.5), "TYPE_INT32");
    let response = "/contents/4/parts/0/functionResponse/response";
    rejected(response, json!("done"), "google.protobuf.Struct");
    rejected(response, json!([1]), "google.protobuf.Struct");
    rejected("/toolConfig/functionCallingConfig/mode", json!("SOMETIMES"), "TYPE_ENUM");
    rejected("/safetySettings/0/threshold", json!("HIGH"), "TYPE_ENUM");
}

#[test]
fn roles_and_their_order() {
    rejected("/contents/1/role", json!("assistant"), "valid role: user, model");
    rejected("/contents/4/role", json!("function"), "valid role: user, model");
    rejected_without("/contents/0/role", "valid role: user, model");
    rejected_without("/contents/0", "begin with a user turn");
    rejected_without("/contents/6", "ends with a user role");
    rejected("/contents", json!([]), "contents is not specified");
    // Two consecutive contents of one role are allowed.
    let mut body = conversation();
    set(&mut body, "/contents/1/role", json!("user"));
    remove(&mut body, "/contents/1/parts/1");
    accepted(&body);
}

#[test]
fn empty_and_ambiguous_parts() {
    rejected("/contents/0/parts", json!([]), "must not be empty");
    rejected("/systemInstruction/parts", json!([]), "must not be empty");
    rejected("/contents/0/parts/0/text", json!(""), "must have one initialized field");
    rejected("/contents/0/parts/0", json!({ "thought": true }), "must have one initialized field");
    rejected("/contents/3/parts/1/text", json!("x"), "oneof field 'data' is already set");
    rejected_without("/contents/4/parts/0/functionResponse/response", "required field is missing");
    rejected_without("/contents/4/parts/0/functionResponse/name", "Name cannot be empty");
    let image = |data: &str| json!({ "inlineData": { "mimeType": "image/png", "data": data } });
    rejected("/contents/0/parts/-", image("not base64"), "Base64 decoding failed");
    rejected("/contents/0/parts/-", image(""), "Base64 decoding failed");
    let mut body = conversation();
    set(&mut body, "/contents/0/parts/-", image("aGk="));
    accepted(&body);
}

#[test]
fn function_responses_match_their_calls() {
    const NUMBER: &str = "number of function response parts is equal";
    rejected_without("/contents/4/parts/1", NUMBER);
    rejected_without("/contents/4", "number of function response parts");
    rejected_without("/contents/3", "immediately after a function call turn");
    rejected("/contents/4/parts/0/functionResponse/name", json!("list"), "response's name");
    rejected("/contents/4/parts/0/functionResponse/id", json!("c9"), "response's id");
    rejected_without("/contents/4/parts/0/functionResponse/id", "response's id");
    let doubled = conversation()["contents"][6]["parts"][0].clone();
    rejected("/contents/6/parts/-", doubled, NUMBER);

    let mut swapped = conversation();
    swapped["contents"][4]["parts"].as_array_mut().unwrap().swap(0, 1);
    rejected_body(&swapped, "response's name");

    let mut spread = conversation();
    let second = spread["contents"][4]["parts"].as_array_mut().unwrap().remove(1);
    let contents = spread["contents"].as_array_mut().unwrap();
    contents.insert(5, json!({ "role": "user", "parts": [second] }));
    rejected_body(&spread, NUMBER);

    let mut turned = conversation();
    turned["contents"][4]["role"] = json!("model");
    rejected_body(&turned, "have the role user");
}

#[test]
fn signatures_of_the_current_turn() {
    const MISSING: &str = "missing a thought_signature";
    rejected_without("/contents/3/parts/1/thoughtSignature", MISSING);
    rejected_without("/contents/5/parts/0/thoughtSignature", MISSING);
    // Older turns need none.
    let mut body = conversation();
    set(&mut body, "/contents/-", json!({ "role": "model", "parts": [{ "text": "done" }] }));
    set(&mut body, "/contents/-", json!({ "role": "user", "parts": [{ "text": "more" }] }));
    remove(&mut body, "/contents/3/parts/1/thoughtSignature");
    accepted(&body);
    // Nor do models without signatures, and calls of other models.
    let mut body = conversation();
    remove(&mut body, "/contents/3/parts/1/thoughtSignature");
    remove(&mut body, "/generationConfig/thinkingConfig/thinkingLevel");
    assert_eq!(check("gemini-2.5-flash", &body, &of_model("gemini-2.5-flash")), Ok(()));
    set(&mut body, "/contents/3/parts/1/thoughtSignature", json!(SIGNATURE_SENTINEL));
    accepted(&body);
}

#[test]
fn signatures_are_sent_back_on_their_part() {
    const CHANGED: &str = "Invalid thought signature";
    rejected("/contents/3/parts/1/thoughtSignature", json!("onE"), "Corrupted thought signature");
    rejected("/contents/3/parts/1/thoughtSignature", json!("two"), CHANGED);
    rejected("/contents/3/parts/1/functionCall/args/a", json!(7), CHANGED);
    rejected("/contents/1/parts/1/text", json!("hi"), CHANGED);
    rejected("/contents/1/parts/0/thoughtSignature", json!("end"), CHANGED);
    let foreign = check(MODEL, &conversation(), &of_model("gemini-3.7-flash")).unwrap_err();
    assert_eq!(foreign.message, "Corrupted thought signature.");
}

#[test]
fn declared_functions() {
    let functions = "/tools/0/functionDeclarations";
    let at = |rest: &str| format!("{functions}/{rest}");
    rejected(&at("2/name"), json!("read"), "Duplicate function declaration found: read");
    rejected(&at("2/name"), json!("2fast"), "Invalid function name");
    rejected(&at("2/name"), json!("with space"), "Invalid function name");
    rejected(&at("0/parameters"), json!({ "type": "string" }), "only one of parameters");
    rejected(&at("1/parameters/properties"), json!({}), "should be non-empty for OBJECT");
    let allowed = "/toolConfig/functionCallingConfig/allowedFunctionNames";
    rejected(allowed, json!(["read", "gone"]), "\"gone\", which is not declared");
}

#[test]
fn thinking_settings() {
    let thinking = "/generationConfig/thinkingConfig";
    let both = json!({ "thinkingLevel": "low", "thinkingBudget": 0 });
    rejected(thinking, both, "only one of thinking budget and thinking level");
    rejected(thinking, json!({ "thinkingLevel": "minimal" }), "MINIMAL is not supported");

    let with = |settings: Value| {
        json!({
            "contents": [{ "role": "user", "parts": [{ "text": "x" }] }],
            "generationConfig": { "thinkingConfig": settings },
        })
    };
    let verdict = |model: &str, settings: Value| check(model, &with(settings), &issued()).is_ok();
    assert!(verdict("gemini-2.5-flash", json!({ "thinkingBudget": 0 })));
    assert!(!verdict("gemini-2.5-flash", json!({ "thinkingLevel": "low" })));
    assert!(verdict("gemini-3.7-flash", json!({ "thinkingBudget": 0 })));
    assert!(!verdict("gemini-4-argon", json!({ "thinkingBudget": 0 })));
    assert!(verdict("gemini-4-argon", json!({ "thinkingLevel": "HIGH" })));
}

#[test]
fn an_error_in_google_s_format() {
    let mut body = conversation();
    set(&mut body, "/stream", json!(true));
    let body = check(MODEL, &body, &issued()).unwrap_err().body(Protocol::Gemini);
    assert_eq!(body["error"]["code"], 400);
    assert_eq!(body["error"]["status"], "INVALID_ARGUMENT");
    let details = &body["error"]["details"][0];
    assert_eq!(details["@type"], "type.googleapis.com/google.rpc.BadRequest");
    assert_eq!(details["fieldViolations"][0]["description"], body["error"]["message"]);
}
