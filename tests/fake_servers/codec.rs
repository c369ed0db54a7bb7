//! Test of the codec against the fake provider over a socket: a decoded answer must be accepted in the next request.

use nexus_model::llm::{FinishReason, ModelConfig, Prompt, PromptEntry, Thinking, ToolSpec};
use nexus_model::message::content::{MessagePart, ToolResult, calls_of};
use nexus_model::provider::Protocol;
use nexus_providers::chat;
use nexus_providers::codec::{self, encode};
use nexus_providers::http::{Endpoint, Secret};
use serde_json::{Value, json};

use super::client::{answer, post};
use crate::e2e::provider::{Answer, KEY, Provider, Reply};

const MODEL: &str = "gemini-3.8-flash";

fn prompt(thinking: Thinking) -> Prompt {
    let read = ToolSpec {
        name: "read_file".to_owned(),
        description: "Reads a file.".to_owned(),
        parameters: json!({
            "type": "object",
            "properties": { "name": { "type": "string" } },
            "required": ["name"],
            "additionalProperties": false,
        }),
    };
    let list = ToolSpec {
        name: "list_files".to_owned(),
        description: "Lists the files.".to_owned(),
        parameters: json!({ "type": "object", "properties": {} }),
    };
    Prompt {
        system: "You are Engineer, the builder.".to_owned(),
        entries: vec![PromptEntry::User(vec![MessagePart::text("Have a look.")])],
        tools: vec![read, list],
        config: ModelConfig { thinking, max_tokens: Some(8192), ..ModelConfig::new("gemini", MODEL) },
        blobs: Default::default(),
        output: None,
        must_call: false,
    }
}

/// Sends the prompt; returns the parts of the answer and the finish reason.
fn ask(provider: &Provider, prompt: &Prompt) -> (Vec<MessagePart>, FinishReason) {
    let endpoint = Endpoint { base_url: provider.base_url(), key: Some(Secret::new(KEY)) };
    let request = encode(Protocol::Gemini, prompt, &endpoint);
    let path = request.url.strip_prefix(&provider.base_url()).unwrap();
    let key = request.headers.iter().find(|(name, _)| name == "x-goog-api-key").unwrap().1.reveal();
    let body: Value = serde_json::from_str(&request.body.unwrap()).unwrap();
    let (status, _, bytes) = answer(post(provider, path, key, &body));
    let errors = provider.take_errors();
    assert!(status == 200 && errors.is_empty(), "refused: {errors:?}");
    let mut decoder = (codec::of(Protocol::Gemini).decoder)();
    let mut read = chat::ModelAnswer::default();
    let events = decoder.feed(&bytes.unwrap());
    events.into_iter().chain(decoder.end()).for_each(|event| read.apply(event));
    (read.message_parts(&prompt.config.provider, MODEL), read.finish)
}

/// Tool results for the calls of this answer, in order.
fn results(parts: &[MessagePart]) -> PromptEntry {
    let answer = |call: &nexus_model::message::content::ToolCall| ToolResult {
        call_id: call.id.clone(),
        name: call.name.clone(),
        result: json!({ "found": 1 }),
        is_error: false,
    };
    PromptEntry::ToolResults(calls_of(parts).map(answer).collect())
}

#[test]
fn a_tool_loop_works_end_to_end() {
    for thinking in [Thinking::Auto, Thinking::Off, Thinking::Low, Thinking::High] {
        let provider = Provider::start().unwrap();
        let first = Answer::new()
            .thinking("Two at once.")
            .text("I look ")
            .text("around.")
            .calls([("list_files", json!({})), ("read_file", json!({ "name": "größe" }))]);
        provider.queue(Reply::from(first).in_pieces(3));
        provider.queue(Answer::new().call("read_file", json!({ "name": "b" })));
        provider.queue(Answer::say("Seen it all.").signed_end());
        provider.queue(Answer::say("You are welcome."));

        let mut prompt = prompt(thinking);
        for calls in [2, 1] {
            let (parts, finish) = ask(&provider, &prompt);
            assert_eq!((calls_of(&parts).count(), finish), (calls, FinishReason::ToolCalls));
            let results = results(&parts);
            prompt.entries.extend([PromptEntry::Assistant(parts), results]);
        }
        let (parts, finish) = ask(&provider, &prompt);
        assert_eq!(finish, FinishReason::Stop);
        prompt.entries.push(PromptEntry::Assistant(parts));
        prompt.entries.push(PromptEntry::User(vec![MessagePart::text("Thank you.")]));
        ask(&provider, &prompt);

        // Another model cannot use these signatures: it is sent the documented placeholder.
        prompt.config.model = "gemini-4-argon".to_owned();
        prompt.entries.truncate(5);
        provider.queue(Answer::say("I took over."));
        ask(&provider, &prompt);
    }
}
