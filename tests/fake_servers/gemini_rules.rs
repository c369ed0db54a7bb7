//! Tests of the Gemini rules: a valid conversation, one change, the expected error message.

use nexus_model::provider::Protocol;
use serde_json::{Value, json};

use super::spoil::{refusals, remove, set};
use crate::e2e::provider::{self, Call, Host, Minted, Refusal, SIGNATURE_SENTINEL, Signed};

const MODEL: &str = "gemini-3.8-flash";

/// Signatures of the two steps of [`conversation`].
fn minted() -> Minted {
    let signed =
        |signature: &str, part: Value| (signature.to_owned(), Signed { model: MODEL.to_owned(), part });
    let call = json!({ "id": "c1", "name": "read", "args": { "a": 1, "b": 2 } });
    Minted::from([
        signed("one", json!({ "functionCall": call })),
        signed("two", json!({ "functionCall": { "id": "c3", "name": "write", "args": {} } })),
        signed("end", json!({ "text": "" })),
    ])
}

/// The same, given by another model.
fn of_model(model: &str) -> Minted {
    let mut minted = minted();
    minted.values_mut().for_each(|signed| signed.model = model.to_owned());
    minted
}

/// A turn of two tool steps after a turn of plain text, with all that a request may carry.
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

/// The verdict over a request to this model.
fn check(model: &str, body: &Value, minted: &Minted) -> Result<(), Refusal> {
    provider::check(Call { protocol: Protocol::Gemini, host: Host::Other, model, body }, minted)
}

/// The verdict, every refusal of which names its kind.
fn verdict(body: &Value) -> Result<(), Refusal> {
    check(MODEL, body, &minted()).inspect_err(|refusal| assert_eq!(refusal.status, "INVALID_ARGUMENT"))
}

refusals!(conversation(), verdict);

#[track_caller]
fn taken(body: &Value) {
    assert_eq!(check(MODEL, body, &minted()), Ok(()));
}

#[test]
fn a_good_conversation_is_taken() {
    taken(&conversation());
}

#[test]
fn names_that_the_service_does_not_know() {
    refused("/stream", json!(true), r#"Unknown name "stream": Cannot find field"#);
    refused("/generationConfig/max_tokens", json!(5), "at 'generation_config'");
    refused("/generationConfig/thinkingConfig/effort", json!("low"), r#"Unknown name "effort""#);
    refused("/contents/0/name", json!("Ada"), "at 'contents[0]'");
    refused("/contents/3/parts/1/functionCall/thoughtSignature", json!("one"), "function_call'");
    refused("/tools/0/functionDeclarations/2/strict", json!(true), r#"Unknown name "strict""#);
    let open = "/tools/0/functionDeclarations/1/parameters/additionalProperties";
    refused(open, json!(false), r#"Unknown name "additionalProperties""#);
}

#[test]
fn values_of_the_wrong_type() {
    refused("/contents", json!({}), "Invalid value at 'contents'");
    refused("/generationConfig/temperature", json!("1"), "'generation_config.temperature'");
    refused("/generationConfig/maxOutputTokens", json!(0.5), "TYPE_INT32");
    let response = "/contents/4/parts/0/functionResponse/response";
    refused(response, json!("done"), "google.protobuf.Struct");
    refused(response, json!([1]), "google.protobuf.Struct");
    refused("/toolConfig/functionCallingConfig/mode", json!("SOMETIMES"), "TYPE_ENUM");
    refused("/safetySettings/0/threshold", json!("HIGH"), "TYPE_ENUM");
}

#[test]
fn roles_and_their_order() {
    refused("/contents/1/role", json!("assistant"), "valid role: user, model");
    refused("/contents/4/role", json!("function"), "valid role: user, model");
    refused_without("/contents/0/role", "valid role: user, model");
    refused_without("/contents/0", "begin with a user turn");
    refused_without("/contents/6", "ends with a user role");
    refused("/contents", json!([]), "contents is not specified");
    // Two contents of one role in a row are allowed.
    let mut body = conversation();
    set(&mut body, "/contents/1/role", json!("user"));
    remove(&mut body, "/contents/1/parts/1");
    taken(&body);
}

#[test]
fn parts_that_say_nothing_or_two_things() {
    refused("/contents/0/parts", json!([]), "must not be empty");
    refused("/systemInstruction/parts", json!([]), "must not be empty");
    refused("/contents/0/parts/0/text", json!(""), "must have one initialized field");
    refused("/contents/0/parts/0", json!({ "thought": true }), "must have one initialized field");
    refused("/contents/3/parts/1/text", json!("x"), "oneof field 'data' is already set");
    refused_without("/contents/4/parts/0/functionResponse/response", "required field is missing");
    refused_without("/contents/4/parts/0/functionResponse/name", "Name cannot be empty");
    let image = |data: &str| json!({ "inlineData": { "mimeType": "image/png", "data": data } });
    refused("/contents/0/parts/-", image("not base64"), "Base64 decoding failed");
    refused("/contents/0/parts/-", image(""), "Base64 decoding failed");
    let mut body = conversation();
    set(&mut body, "/contents/0/parts/-", image("aGk="));
    taken(&body);
}

#[test]
fn function_responses_match_their_calls() {
    const NUMBER: &str = "number of function response parts is equal";
    refused_without("/contents/4/parts/1", NUMBER);
    refused_without("/contents/4", "number of function response parts");
    refused_without("/contents/3", "immediately after a function call turn");
    refused("/contents/4/parts/0/functionResponse/name", json!("list"), "response's name");
    refused("/contents/4/parts/0/functionResponse/id", json!("c9"), "response's id");
    refused_without("/contents/4/parts/0/functionResponse/id", "response's id");
    let doubled = conversation()["contents"][6]["parts"][0].clone();
    refused("/contents/6/parts/-", doubled, NUMBER);

    let mut swapped = conversation();
    swapped["contents"][4]["parts"].as_array_mut().unwrap().swap(0, 1);
    refused_body(&swapped, "response's name");

    let mut spread = conversation();
    let second = spread["contents"][4]["parts"].as_array_mut().unwrap().remove(1);
    let contents = spread["contents"].as_array_mut().unwrap();
    contents.insert(5, json!({ "role": "user", "parts": [second] }));
    refused_body(&spread, NUMBER);

    let mut turned = conversation();
    turned["contents"][4]["role"] = json!("model");
    refused_body(&turned, "have the role user");
}

#[test]
fn signatures_of_the_current_turn() {
    const MISSING: &str = "missing a thought_signature";
    refused_without("/contents/3/parts/1/thoughtSignature", MISSING);
    refused_without("/contents/5/parts/0/thoughtSignature", MISSING);
    // An older turn may come without.
    let mut body = conversation();
    set(&mut body, "/contents/-", json!({ "role": "model", "parts": [{ "text": "done" }] }));
    set(&mut body, "/contents/-", json!({ "role": "user", "parts": [{ "text": "more" }] }));
    remove(&mut body, "/contents/3/parts/1/thoughtSignature");
    taken(&body);
    // So may a model that knows no signatures, and calls that another model made.
    let mut body = conversation();
    remove(&mut body, "/contents/3/parts/1/thoughtSignature");
    remove(&mut body, "/generationConfig/thinkingConfig/thinkingLevel");
    assert_eq!(check("gemini-2.5-flash", &body, &of_model("gemini-2.5-flash")), Ok(()));
    set(&mut body, "/contents/3/parts/1/thoughtSignature", json!(SIGNATURE_SENTINEL));
    taken(&body);
}

#[test]
fn signatures_come_back_on_their_part() {
    const CHANGED: &str = "Invalid thought signature";
    refused("/contents/3/parts/1/thoughtSignature", json!("onE"), "Corrupted thought signature");
    refused("/contents/3/parts/1/thoughtSignature", json!("two"), CHANGED);
    refused("/contents/3/parts/1/functionCall/args/a", json!(7), CHANGED);
    refused("/contents/1/parts/1/text", json!("hi"), CHANGED);
    refused("/contents/1/parts/0/thoughtSignature", json!("end"), CHANGED);
    let foreign = check(MODEL, &conversation(), &of_model("gemini-3.7-flash")).unwrap_err();
    assert_eq!(foreign.message, "Corrupted thought signature.");
}

#[test]
fn declared_functions() {
    let functions = "/tools/0/functionDeclarations";
    let at = |rest: &str| format!("{functions}/{rest}");
    refused(&at("2/name"), json!("read"), "Duplicate function declaration found: read");
    refused(&at("2/name"), json!("2fast"), "Invalid function name");
    refused(&at("2/name"), json!("with space"), "Invalid function name");
    refused(&at("0/parameters"), json!({ "type": "string" }), "only one of parameters");
    refused(&at("1/parameters/properties"), json!({}), "should be non-empty for OBJECT");
    let allowed = "/toolConfig/functionCallingConfig/allowedFunctionNames";
    refused(allowed, json!(["read", "gone"]), "\"gone\", which is not declared");
}

#[test]
fn thinking_settings() {
    let thinking = "/generationConfig/thinkingConfig";
    let both = json!({ "thinkingLevel": "low", "thinkingBudget": 0 });
    refused(thinking, both, "only one of thinking budget and thinking level");
    refused(thinking, json!({ "thinkingLevel": "minimal" }), "MINIMAL is not supported");

    let with = |settings: Value| {
        json!({
            "contents": [{ "role": "user", "parts": [{ "text": "x" }] }],
            "generationConfig": { "thinkingConfig": settings },
        })
    };
    let verdict = |model: &str, settings: Value| check(model, &with(settings), &minted()).is_ok();
    assert!(verdict("gemini-2.5-flash", json!({ "thinkingBudget": 0 })));
    assert!(!verdict("gemini-2.5-flash", json!({ "thinkingLevel": "low" })));
    assert!(verdict("gemini-3.7-flash", json!({ "thinkingBudget": 0 })));
    assert!(!verdict("gemini-4-argon", json!({ "thinkingBudget": 0 })));
    assert!(verdict("gemini-4-argon", json!({ "thinkingLevel": "HIGH" })));
}

#[test]
fn a_refusal_in_googles_shape() {
    let mut body = conversation();
    set(&mut body, "/stream", json!(true));
    let body = check(MODEL, &body, &minted()).unwrap_err().body(Protocol::Gemini);
    assert_eq!(body["error"]["code"], 400);
    assert_eq!(body["error"]["status"], "INVALID_ARGUMENT");
    let details = &body["error"]["details"][0];
    assert_eq!(details["@type"], "type.googleapis.com/google.rpc.BadRequest");
    assert_eq!(details["fieldViolations"][0]["description"], body["error"]["message"]);
}
