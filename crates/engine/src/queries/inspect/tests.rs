use serde_json::json;

use super::*;
use crate::tests::{Scripted, ScriptedChunk, Tab, calls, refuses, says, tab};
use nexus_model::provider::Protocol;
use nexus_model::settings::schema::RAW_DAYS;

const CANARY: &str = "canary-key-0123456789";

fn inspect_turn(tab: &Tab, turn: TurnId) -> TurnInspection {
    let records = tab.records();
    tab.wait_for(async move { inspect(&records, turn).await }).unwrap().unwrap()
}

/// Every turn of the session, oldest first.
fn turns(tab: &Tab) -> Vec<Arc<Turn>> {
    let mut turns: Vec<_> = tab.world().turns.values().cloned().collect();
    turns.sort_by_key(|turn| turn.id);
    turns
}

/// All rebuilt requests of all turns, in order.
fn rebuilt(tab: &Tab) -> Vec<(HttpRequest, RequestMatch)> {
    let reports = turns(tab).into_iter().flat_map(|turn| inspect_turn(tab, turn.id).calls);
    let attempts = reports.flat_map(|report| report.attempts);
    attempts.map(|one| (one.request.expect("it can be built"), one.request_match)).collect()
}

/// The requests that were sent, with the inspector's placeholder for the key.
fn sent(tab: &Tab) -> Vec<HttpRequest> {
    let mut sent = tab.sent.borrow().clone();
    for request in &mut sent {
        for (_, value) in &mut request.headers {
            if let HeaderValue::Secret(secret) = value {
                let named = secret.reveal().replace("test-key-canary", KEY_NAME).replace(CANARY, KEY_NAME);
                *value = HeaderValue::Secret(Secret::new(named));
            }
        }
    }
    sent
}

fn has_results(body: &Value) -> bool {
    body["contents"].as_array().unwrap().last().unwrap().to_string().contains("functionResponse")
}

#[test]
fn rebuilt_requests_equal_the_sent_ones() {
    let tab = tab(|agent, body| match agent {
        "Engineer" if !has_results(body) => {
            calls(&[("write_file", json!({"name": "a.txt", "content": "one\n"})), ("list_files", json!({}))])
        }
        _ => says(&format!("{agent} says 'done' \u{1f526}")),
    });
    tab.say("Build \"it\"").unwrap();
    tab.say("@Engineer and more").unwrap();
    let (sent, rebuilt) = (sent(&tab), rebuilt(&tab));
    assert_eq!(sent.len(), 6);
    for ((request, agrees), sent) in rebuilt.iter().zip(&sent) {
        assert_eq!((request, *agrees), (sent, RequestMatch::Yes));
    }
    assert_eq!(rebuilt.len(), sent.len());
    // The event log view assigns the same topics by the name of a kind.
    for event in tab.events().into_iter().chain(tab.app_events()) {
        let kind = serde_json::to_value(&event).unwrap()["kind"].as_str().unwrap().to_owned();
        assert_eq!(nexus_view::audit::topic_of(&kind), event.topic(), "{kind}");
    }
}

/// A stream of one family with a tool call, and one with a text.
fn answers(protocol: Protocol) -> (&'static str, String) {
    let sse = |event: &Value| format!("data: {event}\n\n");
    match protocol {
        Protocol::Gemini => (
            include_str!("../../../../../tests/fixtures/gemini/plan-then-write.sse"),
            sse(&json!({"candidates": [{"content": {"role": "model", "parts": [{"text": "Lit."}]}, "finishReason": "STOP"}]})),
        ),
        Protocol::Openai => (
            include_str!("../../../../../tests/fixtures/openai/21-text-beside-calls.sse"),
            sse(&json!({"choices": [{"index": 0, "delta": {"content": "Lit."}, "finish_reason": "stop"}]})),
        ),
        Protocol::Responses => (
            include_str!("../../../../../tests/fixtures/responses/reasoning-then-two-calls.sse"),
            [
                json!({"type": "response.output_item.added", "output_index": 0, "item": {"type": "message", "id": "m"}}),
                json!({"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "item_id": "m", "delta": "Lit."}),
                json!({"type": "response.completed", "response": {"id": "r", "status": "completed", "usage": null,
                    "output": [{"type": "message", "id": "m", "role": "assistant", "content": [{"type": "output_text", "text": "Lit."}]}]}}),
            ]
            .iter()
            .map(sse)
            .collect(),
        ),
        Protocol::Anthropic => (
            include_str!("../../../../../tests/fixtures/anthropic/thinking-then-two-calls.sse"),
            [
                json!({"type": "message_start", "message": {"id": "m", "usage": {"input_tokens": 3, "output_tokens": 1}}}),
                json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
                json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Lit."}}),
                json!({"type": "content_block_stop", "index": 0}),
                json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 2}}),
                json!({"type": "message_stop"}),
            ]
            .iter()
            .map(sse)
            .collect(),
        ),
        Protocol::Ollama => (
            include_str!("../../../../../tests/fixtures/ollama/thinking-then-two-calls.ndjson"),
            format!("{}\n", json!({"message": {"role": "assistant", "content": "Lit."}, "done": true, "done_reason": "stop"})),
        ),
    }
}

#[test]
fn requests_of_all_families_are_rebuilt_without_the_key() {
    for protocol in Protocol::ALL {
        let (asks, says) = answers(protocol);
        let mut count = 0;
        // Each turn calls tools once, with the family's opaque data.
        let tab = tab(move |_, _| {
            count += 1;
            let text = if count % 2 == 1 { asks.to_owned() } else { says.clone() };
            Scripted { status: 200, beats: vec![ScriptedChunk::Bytes(text)] }
        });
        let provider = Provider {
            id: "other".into(),
            label: "Other".into(),
            protocol,
            base_url: "https://models.example".into(),
            needs_key: true,
        };
        tab.send(Command::ChangeProvider { provider: provider.clone() }).unwrap();
        tab.running.handle.keys.put(&provider, CANARY);
        tab.use_model("other", "a-model");
        tab.say("@Engineer light it").unwrap();
        tab.say("@Engineer and again").unwrap();
        let (sent, rebuilt) = (sent(&tab), rebuilt(&tab));
        assert_eq!(sent.len(), 4, "{protocol:?}");
        assert_eq!(rebuilt.len(), 4, "{protocol:?}");
        for ((request, agrees), sent) in rebuilt.iter().zip(&sent) {
            assert_eq!((request, *agrees), (sent, RequestMatch::Yes), "{protocol:?}");
            assert!(!curl(request).contains(CANARY) && !head_of(request).contains(CANARY));
            assert!(!curl(request).contains("Secret"));
        }
        for turn in turns(&tab) {
            let report = inspect_turn(&tab, turn.id);
            assert!(!format!("{report:?}").contains(CANARY), "{protocol:?}");
            let raw = report.calls[0].attempts[0].raw.as_ref().expect("it is kept");
            assert_eq!(raw.body, asks, "{protocol:?}");
            assert_eq!((raw.status, raw.bytes), (Some(200), asks.len() as u64));
        }
    }
}

#[test]
fn report_of_attempts_has_errors_delays_times_and_responses() {
    let mut count = 0;
    let tab = tab(move |_, _| {
        count += 1;
        match count {
            1 => {
                let mut limited = refuses(429, "RESOURCE_EXHAUSTED");
                limited.beats.push(ScriptedChunk::Header("retry-after", "3"));
                limited.beats.push(ScriptedChunk::Bytes(format!(" for {CANARY} test-key-canary")));
                limited
            }
            _ => {
                let mut beats = vec![ScriptedChunk::Wait(1_500)];
                beats.extend(
                    says("Now it goes.").beats.into_iter().flat_map(|beat| [beat, ScriptedChunk::Wait(500)]),
                );
                Scripted { status: 200, beats }
            }
        }
    });
    tab.say("@Engineer go").unwrap();
    tab.pass(60_000);
    let turn = turns(&tab).remove(0);
    let report = inspect_turn(&tab, turn.id);
    let [first, second] = report.calls[0].attempts.as_slice() else { panic!("{:?}", report.calls) };
    assert!(
        matches!(&first.end, AttemptEnd::Failed(failure) if failure.category == ProviderErrorKind::RateLimit)
    );
    let raw = first.raw.as_ref().unwrap();
    assert_eq!(raw.status, Some(429));
    assert!(raw.body.contains("RESOURCE_EXHAUSTED") && raw.body.contains("[key]"), "{}", raw.body);
    assert!(!raw.body.contains("test-key-canary"), "a key that is repeated is not kept");
    assert!((3_000..4_000).contains(&second.waited_ms), "{}", second.waited_ms);
    assert_eq!((second.attempt, &second.end), (2, &AttemptEnd::Answered));
    assert_eq!(second.first_word_ms(), Some(1_500));
    assert_eq!(second.took_ms(), Some(2_500));
    assert_eq!(second.tokens_per_second(), Some(10.0));
    assert_eq!(second.usage.output, Some(10));
    assert_eq!((first.request_match, second.request_match), (RequestMatch::Yes, RequestMatch::Yes));
}

#[test]
fn stopped_call_keeps_the_received_part() {
    let tab = tab(|_, _| {
        let mut beats = says("Half of").beats;
        beats.truncate(1);
        beats.push(ScriptedChunk::Wait(60_000));
        Scripted { status: 200, beats }
    });
    tab.say("@Engineer go").unwrap();
    tab.pass(1_000);
    tab.send(Command::Stop { session: tab.session }).unwrap();
    tab.settle();
    let one = inspect_turn(&tab, turns(&tab)[0].id).calls.remove(0).attempts.remove(0);
    assert_eq!(one.end, AttemptEnd::Closed(TurnEnd::Cancelled));
    assert!(one.raw.unwrap().body.contains("Half of"));
}

#[test]
fn context_is_reported_in_blocks_with_omitted_turns() {
    let tab = tab(|agent, _| says(&format!("{agent}: {}", "words and words ".repeat(400))));
    tab.say("First").unwrap();
    let mut engineer = tab.world().agent(&"engineer".into()).unwrap().as_ref().clone();
    engineer.config.context_tokens = Some(6_000);
    tab.send(Command::ChangeAgent { agent: engineer }).unwrap();
    tab.say("@Engineer second").unwrap();
    let turn = turns(&tab).pop().unwrap();
    let report = inspect_turn(&tab, turn.id).calls.remove(0);
    let kinds: Vec<_> = report.blocks.iter().map(|block| &block.kind).collect();
    assert_eq!(kinds[..2], [&ContextBlockKind::System, &ContextBlockKind::Tools]);
    assert_eq!(kinds.last(), Some(&&ContextBlockKind::Query));
    assert!(report.blocks[0].text.starts_with("You are Engineer,"));
    assert!(report.omitted_turn_count >= 1 && report.omitted_turn_count == report.omitted_turns.len());
    assert!(
        report
            .omitted_turns
            .iter()
            .all(|block| matches!(block.kind, ContextBlockKind::Turn(_)) && block.tokens > 100)
    );
    assert_eq!(kinds[kinds.len() - 2], &ContextBlockKind::Mind);
    assert_eq!(report.omitted_turn_count + kinds.len() - 4, 3, "every turn before is one or the other");
    let sum: u64 = report.blocks.iter().map(|block| block.tokens).sum();
    assert_eq!(sum, report.estimated);
    assert!(report.estimated <= report.room);
}

#[test]
fn changed_name_is_reported_as_a_mismatch() {
    let tab = tab(|agent, _| says(agent));
    tab.say("Hello").unwrap();
    tab.send(Command::ChangeSetting { name: "operator_name".into(), value: "Grace".into() }).unwrap();
    let agrees: Vec<_> = rebuilt(&tab).into_iter().map(|(_, agrees)| agrees).collect();
    // The first request had no names in its history.
    assert_eq!(agrees, [RequestMatch::Yes, RequestMatch::No, RequestMatch::No]);
}

#[test]
fn raw_responses_are_stored_as_long_as_set_and_zero_deletes_them() {
    let tab = tab(|agent, _| says(agent));
    tab.say("@Engineer hello").unwrap();
    let turn = turns(&tab)[0].id;
    assert!(inspect_turn(&tab, turn).calls[0].attempts[0].raw.is_some());
    let set = |days: Value| tab.send(Command::ChangeSetting { name: RAW_DAYS.name().into(), value: days });
    set(1.into()).unwrap();
    assert!(inspect_turn(&tab, turn).calls[0].attempts[0].raw.is_some());
    set(0.into()).unwrap();
    let one = inspect_turn(&tab, turn).calls.remove(0).attempts.remove(0);
    assert_eq!((one.raw, one.request_match), (None, RequestMatch::Unknown));
    tab.say("@Engineer again").unwrap();
    let newest = turns(&tab).pop().unwrap().id;
    assert!(inspect_turn(&tab, newest).calls[0].attempts[0].raw.is_none());

    // The next start deletes old responses.
    set(2.into()).unwrap();
    tab.say("@Engineer once more").unwrap();
    let newest = turns(&tab).pop().unwrap().id;
    assert!(inspect_turn(&tab, newest).calls[0].attempts[0].raw.is_some());
    tab.kill();
    let again = tab.again(|_, _| says("never asked"));
    assert!(inspect_turn(&again, newest).calls[0].attempts[0].raw.is_some(), "a young one stays");
    again.pass(3 * 24 * 60 * 60_000);
    again.send(Command::ChangeSetting { name: RAW_DAYS.name().into(), value: 1.into() }).unwrap();
    assert!(inspect_turn(&again, newest).calls[0].attempts[0].raw.is_none(), "an old one goes");
}

#[test]
fn missing_turn_has_no_report() {
    let tab = tab(|agent, _| says(agent));
    let turn = TurnId::new(&mut nexus_model::testing::SeqIds::default());
    let records = tab.records();
    assert!(tab.wait_for(async move { inspect(&records, turn).await }).unwrap().is_none());
}

#[test]
fn curl_command_is_quoted_and_has_a_placeholder_for_the_key() {
    let request = HttpRequest {
        method: Method::Post,
        url: "https://x.example/v1?a=b&c".into(),
        headers: vec![
            ("content-type".into(), HeaderValue::Plain("application/json".into())),
            ("authorization".into(), HeaderValue::Secret(Secret::new(format!("Bearer {CANARY}")))),
            ("x-api-key".into(), HeaderValue::Secret(Secret::new(CANARY))),
        ],
        body: Some("{\"text\":\"it's $HOME `x`\"}".into()),
    };
    assert_eq!(
        curl(&request),
        "curl -N -X POST 'https://x.example/v1?a=b&c' \\\n  -H 'content-type: application/json' \\\n  \
         -H \"authorization: Bearer $API_KEY\" \\\n  -H \"x-api-key: $API_KEY\" \\\n  \
         --data-raw '{\"text\":\"it'\\''s $HOME `x`\"}'"
    );
}
