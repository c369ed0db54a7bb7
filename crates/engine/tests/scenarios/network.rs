//! Scenarios of network and provider faults, numbered as in the table of `docs/faults.md`.

mod answers;
mod families;
mod keys;

use serde_json::json;

use nexus_engine::tests::{Scripted, ScriptedChunk, Tab, calls, event, refuses, says, tab};
use nexus_model::command::{Command, RecordedAnswer, Rejection};
use nexus_model::event::EventKind;
use nexus_model::limits::{STREAM_IDLE_MS, STREAM_TOTAL_MS};
use nexus_model::llm::FinishReason;
use nexus_model::message::MessageStatus;
use nexus_model::message::content::{MessagePart, text_of};
use nexus_model::provider::{NO_MODEL, ProviderErrorKind};
use nexus_model::session::SessionStatus;
use nexus_model::tool::ToolStatus;
use nexus_model::turn::{Turn, TurnEnd};

fn newest(tab: &Tab) -> Turn {
    tab.world().turn(&tab.session_row().head.unwrap()).unwrap().as_ref().clone()
}

fn text(tab: &Tab) -> String {
    let turn = newest(tab);
    let world = tab.world();
    text_of(&world.message(turn.messages.last().unwrap()).unwrap().parts)
}

fn bytes(text: &str) -> ScriptedChunk {
    ScriptedChunk::Bytes(text.to_owned())
}

fn fine(beats: Vec<ScriptedChunk>) -> Scripted {
    Scripted { status: 200, beats }
}

fn half(text: &str) -> Vec<ScriptedChunk> {
    let mut beats = says(text).beats;
    beats.pop();
    beats
}

/// Sends a message while every call gets this answer, lets an hour pass, and returns the last turn and the number of
/// calls.
fn ask(answer: Scripted) -> (Tab, Turn, usize) {
    let tab = tab(move |_, _| answer.clone());
    tab.say("@Architect go").unwrap();
    tab.pass(3_600_000);
    let (turn, requests) = (newest(&tab), tab.speakers().len());
    (tab, turn, requests)
}

fn category(turn: &Turn) -> ProviderErrorKind {
    turn.failure.as_ref().unwrap().category
}

fn waits(tab: &Tab) -> Vec<u64> {
    tab.events()
        .iter()
        .filter_map(|event| match event.known_kind() {
            Some(EventKind::RetryScheduled { wait_ms, .. }) => Some(*wait_ms),
            _ => None,
        })
        .collect()
}

#[test]
fn n01_offline_at_the_start_or_later_keeps_everything_and_retries_once() {
    let mut requests = 0;
    let tab = tab(move |_, _| {
        requests += 1;
        match requests {
            1 | 2 => fine(vec![ScriptedChunk::NoAnswer]),
            3 => fine([half("half a thought"), vec![ScriptedChunk::Cut]].concat()),
            _ => says("back again"),
        }
    });
    tab.say("@Architect go").unwrap();
    tab.pass(3_600_000);
    assert_eq!(tab.speakers().len(), 2, "once more, then it waits for the operator");
    assert_eq!(category(&newest(&tab)), ProviderErrorKind::Unreachable);
    tab.try_again(newest(&tab).id).unwrap();
    tab.pass(3_600_000);
    assert_eq!((newest(&tab).end, text(&tab).as_str()), (Some(TurnEnd::CutOff), "half a thought"));
    assert_eq!(tab.speakers().len(), 3, "loaded data is not requested again");
    tab.try_again(newest(&tab).id).unwrap();
    assert_eq!(text(&tab), "back again");
}

#[test]
fn n02_no_response_is_an_error_without_a_cause() {
    let (_, turn, requests) = ask(fine(vec![ScriptedChunk::NoAnswer]));
    assert_eq!((category(&turn), requests), (ProviderErrorKind::Unreachable, 2));
    let failure = turn.failure.unwrap();
    assert_eq!((failure.status, failure.message.as_str()), (None, "Failed to fetch"));
}

#[test]
fn n03_rejected_request_shows_the_providers_message_and_is_not_retried() {
    let (_, turn, requests) = ask(refuses(400, "INVALID_ARGUMENT"));
    assert_eq!((category(&turn), requests), (ProviderErrorKind::BadRequest, 1));
    assert_eq!(turn.failure.unwrap().message, "INVALID_ARGUMENT in words");
    let message = "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).";
    let body = json!({"error": {"code": 400, "message": message, "status": "INVALID_ARGUMENT"}});
    let (_, turn, requests) = ask(Scripted { status: 400, beats: vec![bytes(&body.to_string())] });
    assert_eq!((category(&turn), requests), (ProviderErrorKind::ContextOverflow, 1));
}

#[test]
fn n04_rejected_key_is_not_retried_and_stored_nowhere() {
    use ProviderErrorKind::{Authentication, Permission, Quota};
    for (status, expected) in [(401, Authentication), (403, Permission), (402, Quota)] {
        let body = "you sent AIzaSyTestKeyCanary0123456789abcdefghij";
        let (tab, turn, requests) = ask(Scripted { status, beats: vec![bytes(body)] });
        assert_eq!((category(&turn), requests), (expected, 1), "{status}");
        let everything = format!("{:?}{:?}", tab.world(), tab.events());
        assert!(!everything.to_lowercase().contains("canary"), "{status}");
    }
}

#[test]
fn n05_missing_model_is_named_and_not_retried() {
    let (_, turn, requests) = ask(refuses(404, "NOT_FOUND"));
    assert_eq!((category(&turn), requests), (ProviderErrorKind::NotFound, 1));
    assert_eq!(turn.config.model, "gemini-3.8-flash");
}

#[test]
fn n06_transient_errors_are_retried_twice_and_the_wait_can_be_skipped_or_cancelled() {
    for status in [408, 409, 500, 502, 503, 504, 529] {
        let (tab, turn, requests) = ask(Scripted { status, beats: vec![bytes("oops")] });
        assert_eq!((requests, turn.end), (3, Some(TurnEnd::Error)), "{status}");
        let waits = waits(&tab);
        assert!(waits.len() == 2 && waits[0] < 2_000 && waits[1] < 4_000, "{status}: {waits:?}");
    }
    let waiting = || {
        let tab = tab(
            |agent, _| if agent == "Architect" { refuses(429, "RESOURCE_EXHAUSTED") } else { says("ok") },
        );
        tab.say("go").unwrap();
        let turn = tab.world().open_turn(&tab.session_row()).unwrap().as_ref().clone();
        let retry = turn.retry().expect("it waits");
        assert_eq!(retry.attempt, 2);
        (tab, turn.id)
    };
    let (tab, turn) = waiting();
    tab.send(Command::RetryNow { turn }).unwrap();
    assert_eq!(tab.speakers(), ["Architect", "Architect"], "at once");
    tab.pass(1_000);
    assert_eq!(tab.speakers().len(), 2, "and the old wait asks nothing");
    let (tab, turn) = waiting();
    tab.send(Command::StopWaiting { turn }).unwrap();
    let world = tab.world();
    let ended = world.turn(&turn).unwrap();
    assert_eq!((ended.end, category(ended)), (Some(TurnEnd::Error), ProviderErrorKind::RateLimit));
    drop(world);
    assert_eq!(tab.send(Command::RetryNow { turn }), Err(Rejection::Stale));
}

#[test]
fn n07_providers_delay_is_used_up_to_a_minute() {
    let limited = |name: &'static str, value: &'static str| Scripted {
        status: 429,
        beats: vec![ScriptedChunk::Header(name, value), bytes("slow down")],
    };
    // The test clock is at 2023-11-14T22:13:20Z.
    let cases = [
        ("retry-after", "7", 7_000),
        ("retry-after-ms", "2500", 2_500),
        ("retry-after", "Tue, 14 Nov 2023 22:13:50 GMT", 30_000),
    ];
    for (name, value, expected) in cases {
        let (tab, _, requests) = ask(limited(name, value));
        let first = waits(&tab)[0];
        assert_eq!(requests, 3, "{value}");
        assert!((expected..expected + 250).contains(&first), "{value}: {first}");
    }
    let (tab, turn, requests) = ask(limited("retry-after", "3600"));
    assert_eq!((requests, waits(&tab).len(), category(&turn)), (1, 0, ProviderErrorKind::RateLimit));
    assert_eq!(turn.failure.unwrap().retry_after_ms, Some(3_600_000), "the card can say how long");
    let detail = json!([{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34.4s"}]);
    let body = json!({"error": {"code": 429, "message": "enough", "status": "RESOURCE_EXHAUSTED", "details": detail}});
    let beats = vec![ScriptedChunk::Header("retry-after", "1"), bytes(&body.to_string())];
    let (tab, ..) = ask(Scripted { status: 429, beats });
    assert!((34_400..34_650).contains(&waits(&tab)[0]), "the body speaks before the header");
}

#[test]
fn n08_without_a_hint_waits_5_and_15_seconds_and_never_retries_a_spend_limit() {
    let (tab, turn, requests) = ask(refuses(429, "RESOURCE_EXHAUSTED"));
    let waits = waits(&tab);
    assert_eq!((requests, waits.len(), category(&turn)), (3, 2, ProviderErrorKind::RateLimit));
    assert!((5_000..5_250).contains(&waits[0]) && (15_000..15_250).contains(&waits[1]), "{waits:?}");
    let violations =
        json!([{"@type": "x/google.rpc.QuotaFailure", "violations": [{"quotaId": "RequestsPerDay"}]}]);
    let body = json!({"error": {"code": 429, "message": "spent", "status": "RESOURCE_EXHAUSTED", "details": violations}});
    let (_, turn, requests) = ask(Scripted { status: 429, beats: vec![bytes(&body.to_string())] });
    assert_eq!((requests, category(&turn)), (1, ProviderErrorKind::Quota));
}

#[test]
fn n09_error_during_a_stream_ends_the_turn_and_keeps_the_text() {
    let error = json!({"error": {"code": 503, "message": "busy", "status": "UNAVAILABLE"}});
    let (tab, turn, requests) =
        ask(fine([half("so far"), vec![bytes(&format!("data: {error}\n\n"))]].concat()));
    assert_eq!(
        (requests, category(&turn), text(&tab).as_str()),
        (1, ProviderErrorKind::Overloaded, "so far")
    );
    let bare = serde_json::to_string_pretty(&error).unwrap();
    let (tab, turn, requests) = ask(fine([half("so far"), vec![bytes(&bare)]].concat()));
    assert_eq!(
        (requests, category(&turn), text(&tab).as_str()),
        (1, ProviderErrorKind::Overloaded, "so far")
    );
    let (_, turn, requests) = ask(fine(vec![bytes(&bare)]));
    assert_eq!(
        (requests, category(&turn)),
        (3, ProviderErrorKind::Overloaded),
        "nothing was shown: tried again"
    );
}

#[test]
fn n10_cut_answer_keeps_its_text_runs_no_call_and_can_be_continued() {
    let mut requests = 0;
    let tab = tab(move |_, _| {
        requests += 1;
        if requests > 1 {
            return says("and the rest.");
        }
        let Scripted { beats, .. } = calls(&[("write_file", json!({"name": "a", "content": "x"}))]);
        let Some(ScriptedChunk::Bytes(call)) = beats.first() else { panic!("bytes") };
        let unfinished = call.replace(",\"finishReason\":\"STOP\"", "");
        fine([half("The beginning "), vec![bytes(&unfinished)]].concat())
    });
    tab.say("@Architect go").unwrap();
    let cut = newest(&tab);
    assert_eq!((cut.end, text(&tab).as_str()), (Some(TurnEnd::CutOff), "The beginning "));
    assert!(tab.mind().files.is_empty() && tab.world().tool_runs.is_empty());
    tab.send(Command::ContinueAnswer { turn: cut.id }).unwrap();
    assert_eq!(newest(&tab).continues, Some(cut.id));
    assert_eq!(text(&tab), "and the rest.");
    let second = tab.requests.borrow()[1].1.to_string();
    assert!(second.contains("The beginning") && tab.question(1).contains("<go_on>"), "{second}");
    assert_eq!(tab.send(Command::ContinueAnswer { turn: newest(&tab).id }), Err(Rejection::NotFailed));
    tab.say("@Architect next").unwrap();
    assert!(!tab.question(2).contains("<go_on>"));
}

#[test]
fn n10_cut_answer_can_be_continued_while_others_work() {
    let mut requests = 0;
    let tab = tab(move |_, _| {
        requests += 1;
        match requests {
            1 => fine(half("Begun")),
            2 => fine(vec![
                ScriptedChunk::Wait(5_000),
                says("slow").beats[0].clone(),
                says("slow").beats[1].clone(),
            ]),
            _ => says("ok"),
        }
    });
    tab.say("go").unwrap();
    let cut = newest(&tab);
    tab.send(Command::ContinueAnswer { turn: cut.id }).unwrap();
    tab.pass(10_000);
    assert_eq!(tab.speakers(), ["Architect", "Engineer", "Architect", "Critic"]);
    assert!(tab.question(2).contains("<go_on>") && !tab.question(3).contains("<go_on>"));
}

#[test]
fn n11_silent_and_endless_answers_time_out_and_pings_count_as_bytes() {
    let (tab, turn, requests) =
        ask(fine([half("so far"), vec![ScriptedChunk::Wait(STREAM_IDLE_MS + 1)]].concat()));
    assert_eq!((requests, turn.end, text(&tab).as_str()), (1, Some(TurnEnd::TimedOut), "so far"));
    let slept = turn.closed_at.unwrap().0 - turn.opened_at.0;
    assert!((STREAM_IDLE_MS..STREAM_IDLE_MS + 2_000).contains(&slept), "{slept}");
    let ping = || vec![ScriptedChunk::Wait(STREAM_IDLE_MS - 1_000), bytes(": ping\n\n")];
    let (tab, turn, _) = ask(fine([ping(), ping(), ping(), says("at last").beats].concat()));
    assert_eq!((turn.end, text(&tab).as_str()), (Some(TurnEnd::Completed), "at last"));
    let endless: Vec<_> = std::iter::repeat_with(ping).take(100).flatten().collect();
    let (_, turn, _) = ask(fine(endless));
    let took = turn.closed_at.unwrap().0 - turn.opened_at.0;
    assert_eq!((turn.end, took), (Some(TurnEnd::TimedOut), STREAM_TOTAL_MS));
    assert!(turn.failure.unwrap().message.contains("10 minutes"));
}

#[test]
fn n11_idle_timeout_is_a_setting() {
    let silent = || fine([half("so far"), vec![ScriptedChunk::Wait(STREAM_IDLE_MS + 1)]].concat());
    for (value, lasted) in [(json!(5), 5_000), (json!(0), STREAM_IDLE_MS), (json!("5"), STREAM_IDLE_MS)] {
        let answer = silent();
        let tab = tab(move |_, _| answer.clone());
        tab.send(Command::ChangeSetting { name: "silence_seconds".into(), value }).unwrap();
        tab.say("@Architect go").unwrap();
        tab.pass(3_600_000);
        let turn = newest(&tab);
        let slept = turn.closed_at.unwrap().0 - turn.opened_at.0;
        assert!((lasted..lasted + 2_000).contains(&slept), "{slept}");
        assert_eq!((turn.end, text(&tab).as_str()), (Some(TurnEnd::TimedOut), "so far"));
    }
}

#[test]
fn n12_html_page_is_shown_as_text_and_an_empty_answer_reported() {
    let page =
        format!("<!doctype html><title>Hotel Wi-Fi</title><script>alert(1)</script>{}", "x".repeat(900_000));
    for beats in [
        vec![ScriptedChunk::Header("content-type", "text/html; charset=utf-8"), bytes(&page)],
        vec![ScriptedChunk::Header("content-type", "text/event-stream"), bytes(&page)],
        vec![bytes("\u{feff} \n"), bytes(&page)],
    ] {
        let (tab, turn, requests) = ask(fine(beats));
        assert_eq!((requests, category(&turn)), (1, ProviderErrorKind::Garbled));
        let words = turn.failure.unwrap().message;
        assert!(words.starts_with("<!doctype html><title>Hotel Wi-Fi</title>"), "{words}");
        assert_eq!(words.chars().count(), 200);
        assert_eq!(text(&tab), "");
    }
    let picture = vec![
        ScriptedChunk::Header("content-type", "image/png"),
        ScriptedChunk::Raw(vec![0x89, b'P', b'N', b'G']),
    ];
    assert_eq!(category(&ask(fine(picture)).1), ProviderErrorKind::Garbled);
    let (_, turn, requests) = ask(fine(vec![ScriptedChunk::Header("content-type", "text/event-stream")]));
    assert_eq!((requests, category(&turn)), (2, ProviderErrorKind::Empty));
    assert!(turn.failure.unwrap().message.contains("empty body"));
    let zipped = vec![ScriptedChunk::Cut];
    assert_eq!(category(&ask(fine(zipped)).1), ProviderErrorKind::CutOff);
}

#[test]
fn n12_whitespace_before_an_answer_is_dropped() {
    let blanks = || ScriptedChunk::Raw(vec![b'\n'; 64 * 1024]);
    let flood: Vec<_> = std::iter::repeat_with(blanks).take(250).collect();
    let began = std::time::Instant::now();
    let (tab, turn, _) = ask(fine([flood, says("at last").beats].concat()));
    assert_eq!((turn.end, text(&tab).as_str()), (Some(TurnEnd::Completed), "at last"));
    // Parsing all of them again with each piece would take minutes.
    assert!(began.elapsed() < std::time::Duration::from_secs(60), "{:?}", began.elapsed());
    let (_, turn, requests) = ask(fine(vec![blanks()]));
    assert_eq!((requests, category(&turn)), (2, ProviderErrorKind::Empty));
}

#[test]
fn n13_garbage_in_the_stream_is_skipped_and_too_much_ends_it() {
    let Scripted { beats, .. } = says("fine");
    let (Some(ScriptedChunk::Bytes(first)), Some(ScriptedChunk::Bytes(last))) = (beats.first(), beats.get(1))
    else {
        panic!("bytes")
    };
    let garbage =
        "\u{feff}: comment\r\rdata: {not json\n\nevent: what\ndata: {\"unknown\": 1}\n\ndata:\u{0}\n\n";
    let tight = first.replace("data: ", "data:").replace("fine", "fi\u{2028}ne");
    let open_end = last.trim_end();
    let (tab, turn, _) = ask(fine(vec![bytes(garbage), bytes(&tight), bytes(garbage), bytes(open_end)]));
    assert_eq!((turn.end, text(&tab).as_str()), (Some(TurnEnd::Completed), "fi\u{2028}ne"));
    let flood = "data: {not json\n\n".repeat(30);
    let tail = vec![bytes(&flood), ScriptedChunk::Wait(100_000), says("never read").beats[0].clone()];
    let (tab, turn, requests) = ask(fine([half("so far"), tail].concat()));
    assert_eq!((requests, category(&turn), text(&tab).as_str()), (1, ProviderErrorKind::Garbled, "so far"));
    let took = turn.closed_at.unwrap().0 - turn.opened_at.0;
    assert!(took < 1_000, "it is given up at once: {took}");
}

#[test]
fn n14_any_chunking_gives_the_same_answer_and_invalid_bytes_are_replaced() {
    let whole: Vec<u8> = says("Grüße, 世界 🦀")
        .beats
        .iter()
        .flat_map(|beat| {
            let ScriptedChunk::Bytes(text) = beat else { panic!("bytes") };
            text.clone().into_bytes()
        })
        .collect();
    for size in [1, 2, 3, 7, 64] {
        let beats = whole.chunks(size).map(|chunk| ScriptedChunk::Raw(chunk.to_vec())).collect();
        let (tab, turn, _) = ask(fine(beats));
        assert_eq!((turn.end, text(&tab).as_str()), (Some(TurnEnd::Completed), "Grüße, 世界 🦀"), "{size}");
    }
    let mut broken = whole.clone();
    let at = broken.windows(2).position(|pair| pair == [0xC3, 0xBC]).unwrap();
    broken[at + 1] = 0xFF;
    let (tab, turn, _) = ask(fine(vec![ScriptedChunk::Raw(broken)]));
    assert_eq!(turn.end, Some(TurnEnd::Completed));
    assert!(text(&tab).contains('\u{FFFD}') && text(&tab).ends_with("世界 🦀"), "{}", text(&tab));
}

#[test]
fn n15_line_of_16_megabytes_is_dropped_and_a_thousand_events_at_once_are_read() {
    // It would be valid if it were shorter.
    let long = half(&"x".repeat(16 * 1024 * 1024));
    let (tab, turn, _) = ask(fine([long, says("after it").beats].concat()));
    assert_eq!((turn.end, text(&tab).as_str()), (Some(TurnEnd::Completed), "after it"));
    let many: String = std::iter::repeat_n(half("ab "), 1_000)
        .flatten()
        .map(|beat| {
            let ScriptedChunk::Bytes(text) = beat else { panic!("bytes") };
            text
        })
        .collect();
    let (tab, _, _) = ask(fine([vec![bytes(&many)], says("end").beats].concat()));
    assert_eq!(text(&tab).len(), 3_003);
}

#[test]
fn n16_calls_with_equal_or_missing_ids_are_separate() {
    let mut requests = 0;
    let tab = tab(move |_, _| {
        requests += 1;
        if requests > 1 {
            return says("done");
        }
        let call = |id: &str, name: &str| json!({"functionCall": {"id": id, "name": "write_file", "args": {"name": name, "content": name}}});
        let parts = [call("same", "a"), call("same", "b"), call("", "c"), call("", "d")];
        let chunk =
            json!({"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP"}]});
        fine(vec![bytes(&format!("data: {chunk}\n\n"))])
    });
    tab.say("@Engineer go").unwrap();
    let files: Vec<_> = tab.mind().files.keys().cloned().collect();
    assert_eq!(files, ["a", "b", "c", "d"]);
    assert!(tab.world().tool_runs.values().all(|run| run.status == ToolStatus::Succeeded));
    assert_eq!(newest(&tab).end, Some(TurnEnd::Completed));
}

#[test]
fn turn_without_a_model_sends_no_request() {
    let tab = tab(|_, _| says("never asked"));
    tab.use_model("gemini", "");
    tab.say("@Architect go").unwrap();
    let failure = newest(&tab).failure.unwrap();
    assert_eq!((failure.category, &*failure.message), (ProviderErrorKind::NotSetUp, NO_MODEL));
    assert!(tab.requests.borrow().is_empty());
}

#[test]
fn n17_blocked_redirect_is_no_response_and_the_key_is_not_forwarded() {
    // `tests/web/wire.rs` tests that the browser blocks it; this test, that it is not followed.
    let (tab, turn, requests) = ask(fine(vec![ScriptedChunk::NoAnswer]));
    assert_eq!((category(&turn), requests), (ProviderErrorKind::Unreachable, 2));
    let provider = tab.world().live_provider(&"gemini".into()).unwrap().base_url.clone();
    assert_eq!(provider, "https://generativelanguage.googleapis.com");
}

#[test]
fn n18_late_answers_after_stop_are_dropped() {
    let late = || fine([half("early"), vec![ScriptedChunk::Wait(5_000)], says(" late").beats].concat());
    let tab = tab(move |_, _| late());
    tab.say("@Architect go").unwrap();
    tab.pass(1_000);
    tab.send(Command::Stop { session: tab.session }).unwrap();
    tab.send(Command::SetSessionStatus { session: tab.session, status: SessionStatus::Closed }).unwrap();
    let (before, events) = (tab.world().clone(), tab.events().len());
    tab.pass(60_000);
    assert!(before == *tab.world() && events == tab.events().len(), "nothing came back to life");
    let turn = newest(&tab);
    assert_eq!((turn.end, text(&tab).as_str()), (Some(TurnEnd::Cancelled), "early"));
    let status = tab.world().message(&turn.messages[0]).unwrap().status;
    assert_eq!(status, MessageStatus::Failed);
    // Later reports about the turn are ignored.
    let answer = RecordedAnswer {
        parts: vec![MessagePart::text("too late")],
        finish: FinishReason::Stop,
        ..RecordedAnswer::default()
    };
    let late = [
        Command::RetryCall { turn: turn.id, call: 0, attempt: 2 },
        Command::BeginResponse { turn: turn.id, call: 0 },
        Command::RecordAnswer { turn: turn.id, call: 0, answer },
    ];
    for command in late {
        assert_eq!(tab.send(command), Err(Rejection::Stale));
    }
    assert!(before == *tab.world());
}

#[test]
fn n18_session_is_not_closed_during_an_answer() {
    let tab =
        tab(|_, _| fine([half("early"), vec![ScriptedChunk::Wait(5_000)], says(" late").beats].concat()));
    tab.say("@Architect go").unwrap();
    let close = || Command::SetSessionStatus { session: tab.session, status: SessionStatus::Closed };
    assert_eq!(tab.send(close()), Err(Rejection::RunWorks));
    tab.pass(10_000);
    assert_eq!((newest(&tab).end, text(&tab).as_str()), (Some(TurnEnd::Completed), "early late"));
    tab.send(close()).unwrap();
}

/// An answer of an OpenAI-compatible host with an unreadable event after the first piece of a call.
fn torn_write() -> Scripted {
    let piece = |delta: serde_json::Value| {
        bytes(&format!("data: {}\n\n", json!({"choices": [{"index": 0, "delta": delta}]})))
    };
    let begin = json!({"tool_calls": [{"index": 0, "id": "a", "function": {"name": "write_file",
        "arguments": "{\"name\":\"a.txt\",\"content\":\"do \\n"}}]});
    let rest = json!({"tool_calls": [{"index": 0, "function": {"arguments": "delete\"}"}}]});
    let end = "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\ndata: [DONE]\n\n";
    fine(vec![piece(begin), bytes("data: {\"choices\":[{\"delta\":{\"not \n\n"), piece(rest), bytes(end)])
}

fn says_openai(text: &str, middle: &str) -> Scripted {
    let chunk = json!({"choices": [{"index": 0, "delta": {"content": text}}]});
    let end =
        "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
    fine(vec![bytes(&format!("data: {chunk}\n\n")), bytes(middle), bytes(end)])
}

#[test]
fn n13_incomplete_call_writes_nothing_and_is_reported_to_model_and_operator() {
    let mut requests = 0;
    let tab = tab(move |_, _| {
        requests += 1;
        if requests == 1 { torn_write() } else { says_openai("Once more.", "") }
    });
    tab.use_protocol(nexus_model::provider::Protocol::Openai, "m");
    tab.say("@Engineer go").unwrap();
    assert!(tab.mind().files.is_empty());
    let world = tab.world();
    let run = world.tool_runs.values().next().unwrap();
    assert_eq!((world.tool_runs.len(), run.status), (1, ToolStatus::Failed), "the card says so");
    let request_text = tab.requests.borrow()[1].1.to_string();
    assert!(request_text.contains("not valid JSON"), "{request_text}");
    let asking = world.message(&run.requested_by).unwrap();
    assert_eq!((asking.metadata.faults.skipped, asking.metadata.faults.repeated), (1, 0));
}

#[test]
fn n13_count_of_skipped_pieces_survives_a_reload() {
    let tab = tab(|_, _| {
        says_openai("You may delete it.", "data: {\"choices\":[{\"delta\":{\"content\":\"NOT \n\n")
    });
    tab.use_protocol(nexus_model::provider::Protocol::Openai, "m");
    tab.say("@Architect go").unwrap();
    let message = *newest(&tab).messages.last().unwrap();
    assert_eq!((newest(&tab).end, text(&tab).as_str()), (Some(TurnEnd::Completed), "You may delete it."));
    let again = tab.again(|_, _| says("ok"));
    let skipped = again.world().message(&message).unwrap().metadata.faults.skipped;
    assert_eq!(skipped, 1);
}

#[test]
fn n13_missing_call_cuts_the_answer_off_with_a_reason() {
    let hole = "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0\n\n";
    let tab = tab(move |_, _| says_openai("I write the file.", hole));
    tab.use_protocol(nexus_model::provider::Protocol::Openai, "m");
    tab.say("@Architect go").unwrap();
    let turn = newest(&tab);
    assert_eq!((turn.end, category(&turn)), (Some(TurnEnd::CutOff), ProviderErrorKind::CutOff));
    assert!(turn.failure.unwrap().message.contains("could not be read"));
    assert_eq!(text(&tab), "I write the file.");
}

#[test]
fn answer_names_its_model_if_it_differs() {
    for (word, reported) in [("gemini-other", Some("gemini-other")), ("models/gemini-3.8-flash-001", None)] {
        let tab = tab(move |_, _| {
            let mut answer = says("ok");
            answer.beats.insert(0, event(&json!({"modelVersion": word, "candidates": []})));
            answer
        });
        tab.use_model("gemini", "gemini-3.8-flash");
        tab.say("@Architect hi").unwrap();
        let world = tab.world();
        let turn = world.turn(&tab.session_row().head.unwrap()).unwrap();
        let answer = world.message(&turn.messages[0]).unwrap();
        assert_eq!(answer.metadata.answered_by.as_deref(), reported);
    }
}
