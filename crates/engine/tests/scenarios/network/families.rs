//! Scenarios that differ by provider family: sealed thinking and its rejection, malformed calls, text as thinking.
//!
//! Sealed thinking is sent only to the model that made it. Text can later be reclassified as thinking.

use serde_json::{Value, json};

use nexus_engine::queries::inspect::{RequestMatch, inspect};
use nexus_engine::tests::{Scripted, ScriptedChunk, Tab, calls, tab};
use nexus_model::message::content::{text_of, thinking_of};
use nexus_model::provider::{Protocol, ProviderErrorKind};
use nexus_model::signal::TransientEvent;
use nexus_model::turn::{Turn, TurnEnd};

fn newest(tab: &Tab) -> Turn {
    tab.world().turn(&tab.session_row().head.unwrap()).unwrap().as_ref().clone()
}

/// An answer of events, named by their type if they have one.
fn events(all: &[Value]) -> Scripted {
    let sse_event = |event: &Value| {
        let name = event["type"].as_str().map(|name| format!("event: {name}\n")).unwrap_or_default();
        ScriptedChunk::Bytes(format!("{name}data: {event}\n\n"))
    };
    Scripted { status: 200, beats: all.iter().map(sse_event).collect() }
}

fn refused(body: &Value) -> Scripted {
    Scripted { status: 400, beats: vec![ScriptedChunk::Bytes(body.to_string())] }
}

/// How one family thinks, calls, answers, and rejects its thinking.
struct FamilyCase {
    protocol: Protocol,
    model: &'static str,
    /// Sealed thinking, and a call of `list_files`.
    calls: Scripted,
    says: Scripted,
    /// The provider's error for sealed thinking that it rejects.
    error: Value,
    seal: &'static str,
}

fn gemini() -> FamilyCase {
    let error =
        json!({"code": 400, "message": "Thought signature is not valid", "status": "INVALID_ARGUMENT"});
    FamilyCase {
        protocol: Protocol::Gemini,
        model: "gemini-3.8-flash",
        calls: calls(&[("list_files", json!({}))]),
        says: nexus_engine::tests::says("fine without"),
        error: json!({ "error": error }),
        seal: "c2ln",
    }
}

fn anthropic() -> FamilyCase {
    let open = |index: u8, block: Value| json!({"type": "content_block_start", "index": index, "content_block": block});
    let grow =
        |index: u8, delta: Value| json!({"type": "content_block_delta", "index": index, "delta": delta});
    let close = |index: u8| json!({"type": "content_block_stop", "index": index});
    let end = |reason: &str| {
        [
            json!({"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 9}}),
            json!({"type": "message_stop"}),
        ]
    };
    let start = json!({"type": "message_start", "message": {"id": "m", "usage": {"input_tokens": 7}}});
    let call = json!({"type": "tool_use", "id": "toolu_1", "name": "list_files", "input": {}});
    let thinks = [
        start.clone(),
        open(0, json!({"type": "thinking", "thinking": "", "signature": ""})),
        grow(0, json!({"type": "thinking_delta", "thinking": "hm"})),
        grow(0, json!({"type": "signature_delta", "signature": "c2VhbA"})),
        close(0),
        open(1, call),
        close(1),
    ];
    let words = json!({"type": "text", "text": "fine without"});
    let error = json!({"type": "invalid_request_error",
        "message": "messages.1.content.0: Invalid `signature` in `thinking` block"});
    FamilyCase {
        protocol: Protocol::Anthropic,
        model: "claude-opus-5-5",
        calls: events(&[&thinks[..], &end("tool_use")].concat()),
        says: events(&[&[start, open(0, words), close(0)][..], &end("end_turn")].concat()),
        error: json!({"type": "error", "error": error}),
        seal: "c2VhbA",
    }
}

fn responses() -> FamilyCase {
    let done =
        |at: u8, item: Value| json!({"type": "response.output_item.done", "output_index": at, "item": item});
    let end = json!({"type": "response.completed", "response": {"status": "completed"}});
    let reasoning =
        json!({"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAAseal"});
    let call = json!({"type": "function_call", "call_id": "c1", "name": "list_files", "arguments": "{}"});
    let words = json!({"type": "message", "content": [{"type": "output_text", "text": "fine without"}]});
    let error = json!({"type": "invalid_request_error", "code": "invalid_encrypted_content", "param": null,
        "message": "The content gAAA... could not be verified."});
    FamilyCase {
        protocol: Protocol::Responses,
        model: "gpt-6.1-sol",
        calls: events(&[done(0, reasoning), done(1, call), end.clone()]),
        says: events(&[done(0, words), end]),
        error: json!({ "error": error }),
        seal: "gAAAseal",
    }
}

fn chat_completions() -> FamilyCase {
    let delta = |delta: Value| json!({"choices": [{"index": 0, "delta": delta, "finish_reason": null}]});
    let end = |word: &str| json!({"choices": [{"index": 0, "delta": {}, "finish_reason": word}]});
    let sealed = json!({"type": "reasoning.encrypted", "data": "sealed-by-another", "index": 0});
    let call = json!({"index": 0, "id": "a", "function": {"name": "list_files", "arguments": "{}"}});
    let raw = json!({"error": {"message": "Invalid signature in thinking block"}}).to_string();
    FamilyCase {
        protocol: Protocol::Openai,
        model: "vendor/model",
        calls: events(&[
            delta(json!({"reasoning_details": [sealed]})),
            delta(json!({"tool_calls": [call]})),
            end("tool_calls"),
        ]),
        says: events(&[delta(json!({"content": "fine without"})), end("stop")]),
        error: json!({"error": {"code": 400, "message": "Provider returned error", "metadata": {"raw": raw}}}),
        seal: "sealed-by-another",
    }
}

#[test]
fn rejected_sealed_thinking_is_removed_and_the_call_retried() {
    for family in [gemini(), anthropic(), responses(), chat_completions()] {
        let FamilyCase { protocol, model, calls, says, error, seal } = family;
        let mut requests = 0;
        let tab = tab(move |_, _| {
            requests += 1;
            match requests {
                1 => calls.clone(),
                2 => refused(&error),
                _ => says.clone(),
            }
        });
        tab.use_protocol(protocol, model);
        tab.say("@Engineer go").unwrap();
        assert_eq!((newest(&tab).end, tab.speakers().len()), (Some(TurnEnd::Completed), 3), "{protocol:?}");
        let requests = tab.requests.borrow();
        let seals: Vec<_> = requests.iter().map(|(_, body)| body.to_string().contains(seal)).collect();
        assert_eq!(seals, [false, true, false], "{protocol:?}");
        assert!(
            requests[2].1.to_string().contains("list_files"),
            "what was done is still told: {protocol:?}"
        );
    }
}

/// An answer whose call the provider could not parse, in the format of Gemini or Groq.
fn unreadable(protocol: Protocol) -> Scripted {
    let words = "Malformed function call: print(list_files())";
    if protocol == Protocol::Gemini {
        let finish = json!({"finishReason": "MALFORMED_FUNCTION_CALL", "finishMessage": words});
        return events(&[json!({ "candidates": [finish] })]);
    }
    let error = json!({"message": words, "code": "tool_use_failed", "status_code": 400});
    let mut scripted = events(&[json!({ "error": error })]);
    scripted.beats.insert(0, ScriptedChunk::Bytes("event: error\n".to_owned()));
    scripted
}

#[test]
fn malformed_call_is_retried_once_with_a_note() {
    for family in [gemini(), chat_completions()] {
        let FamilyCase { protocol, model, calls, says, .. } = family;
        let mut requests = 0;
        let tab = tab(move |_, _| {
            requests += 1;
            match requests {
                // After a question, and after results.
                1 | 3 => unreadable(protocol),
                2 => calls.clone(),
                _ => says.clone(),
            }
        });
        tab.use_protocol(protocol, model);
        tab.say("@Engineer go").unwrap();
        tab.pass(60_000);
        assert_eq!((newest(&tab).end, tab.speakers().len()), (Some(TurnEnd::Completed), 4), "{protocol:?}");
        let requests = tab.requests.borrow();
        let told: Vec<_> =
            requests.iter().map(|(_, body)| body.to_string().contains("<unreadable_answer>")).collect();
        assert_eq!(told, [false, true, false, true], "{protocol:?}");
        let (question, results) = (requests[1].1.to_string(), requests[3].1.to_string());
        assert!(question.contains("print(list_files())") && results.contains("print(list_files())"));
        assert_eq!(results.matches("<message from=").count(), 1, "the rest is as it was: {results}");
        drop(requests);
        assert_eq!(inspected(&tab), [RequestMatch::Yes; 4], "{protocol:?}");
    }
}

#[test]
fn second_malformed_call_ends_the_turn_with_the_providers_message() {
    let tab = tab(|_, _| unreadable(Protocol::Gemini));
    tab.say("@Engineer go").unwrap();
    tab.pass(3_600_000);
    let turn = newest(&tab);
    assert_eq!((turn.end, tab.speakers().len()), (Some(TurnEnd::Error), 2));
    let failure = turn.failure.unwrap();
    assert_eq!(failure.code.as_deref(), Some("MALFORMED_FUNCTION_CALL"));
    assert!(failure.message.contains("print(list_files())"), "{}", failure.message);
}

/// How the inspector's rebuilt requests compare to the sent ones, for each attempt of the newest turn.
fn inspected(tab: &Tab) -> Vec<RequestMatch> {
    let records = tab.records();
    let turn = newest(tab).id;
    let report = tab.wait_for(async move { inspect(&records, turn).await }).unwrap().unwrap();
    report.calls.iter().flat_map(|call| &call.attempts).map(|one| one.request_match).collect()
}

#[test]
fn second_rejection_is_reported_and_not_retried() {
    for family in [anthropic(), responses()] {
        let FamilyCase { protocol, model, calls, error, .. } = family;
        let mut requests = 0;
        let tab = tab(move |_, _| {
            requests += 1;
            if requests == 1 { calls.clone() } else { refused(&error) }
        });
        tab.use_protocol(protocol, model);
        tab.say("@Engineer go").unwrap();
        tab.pass(3_600_000);
        assert_eq!(tab.speakers().len(), 3, "{protocol:?}");
        let failure = newest(&tab).failure.unwrap();
        assert_eq!(failure.category, ProviderErrorKind::BadRequest, "{protocol:?}");
    }
}

#[test]
fn text_reclassified_as_thinking_is_thinking_everywhere() {
    let delta = |text: &str| json!({"choices": [{"index": 0, "delta": {"content": text}}]});
    let end = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]});
    let mut scripted = events(&[delta("Let me see"), delta(", 6 by 7"), delta(".\n</think>\n\n42.")]);
    scripted.beats.insert(2, ScriptedChunk::Wait(2_000));
    scripted.beats.push(ScriptedChunk::Wait(2_000));
    scripted.beats.extend(events(&[end]).beats);
    let tab = tab(move |_, _| scripted.clone());
    tab.use_protocol(Protocol::Openai, "qwq");
    let mut shown = tab.running.bus.subscribe_transient();
    tab.say("@Engineer six by seven?").unwrap();
    tab.pass(3_000);
    let live: Vec<_> = std::iter::from_fn(|| shown.try_recv().ok())
        .filter_map(|live| {
            if let TransientEvent::Delta { part, thinking, text, .. } = live {
                Some((part, thinking, text))
            } else if let TransientEvent::Reclassified { part, .. } = live {
                Some((part, true, "rethought".to_owned()))
            } else {
                None
            }
        })
        .collect();
    let told = [
        (0, false, "Let me see"),
        (0, false, ", 6 by 7"),
        (0, false, "."),
        (0, true, "rethought"),
        (1, false, "42."),
    ];
    assert_eq!(live, told.map(|(part, thinking, text)| (part, thinking, text.to_owned())));

    // If the page closes before the answer ends, the stored part is thinking too.
    tab.kill();
    let tab = tab.again(|_, _| nexus_engine::tests::says("never asked"));
    let left = newest(&tab);
    let parts = tab.world().message(left.messages.last().unwrap()).unwrap().parts.clone();
    assert_eq!(left.end, Some(TurnEnd::Interrupted));
    assert_eq!((thinking_of(&parts).as_str(), text_of(&parts).as_str()), ("Let me see, 6 by 7.", "42."));
}
