//! Scenarios of network and provider faults, numbered as in the table of `docs/faults.md`.

mod answers;
mod families;
mod keys;

use serde_json::json;

use nexus_engine::testing::{Scripted, ScriptedChunk, Tab, calls, event, refuses, says, tab};
use nexus_model::command::{Command, RecordedAnswer, Rejection};
use nexus_model::event::EventKind;
use nexus_model::limits::{STREAM_IDLE_MS, STREAM_TOTAL_MS};
use nexus_model::llm::{FinishReason, Usage};
use nexus_model::message::MessageStatus;
use nexus_model::message::content::{MessagePart, text_of};
use nexus_model::provider::failure::ProviderErrorKind;
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

/// Asks Architect while every answer is this, lets an hour pass, and gives the last turn with the number of requests.
fn ask(answer: Scripted) -> (Tab, Turn, usize) {
    let tab = tab(move |_, _| answer.clone());
    tab.say("@Architect go").unwrap();
    tab.pass(3_600_000);
    let (turn, asked) = (newest(&tab), tab.speakers().len());
    (tab, turn, asked)
}

fn category(turn: &Turn) -> ProviderErrorKind {
    turn.failure.as_ref().unwrap().category
}

fn waits(tab: &Tab) -> Vec<u64> {
    tab.events()
        .iter()
        .filter_map(|event| match event.happening() {
            Some(EventKind::RetryScheduled { wait_ms, .. }) => Some(*wait_ms),
            _ => None,
        })
        .collect()
}

#[test]
fn n01_offline_at_the_start_and_in_the_middle_keeps_everything_and_asks_nothing_unasked() {
    let mut asked = 0;
    let tab = tab(move |_, _| {
        asked += 1;
        match asked {
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
    assert_eq!(tab.speakers().len(), 3, "what was shown is not asked for again");
    tab.try_again(newest(&tab).id).unwrap();
    assert_eq!(text(&tab), "back again");
}

#[test]
fn n02_no_answer_is_one_fault_without_a_cause() {
    let (_, turn, asked) = ask(fine(vec![ScriptedChunk::NoAnswer]));
    assert_eq!((category(&turn), asked), (ProviderErrorKind::Unreachable, 2));
    let failure = turn.failure.unwrap();
    assert_eq!((failure.status, failure.message.as_str()), (None, "Failed to fetch"));
}

#[test]
fn n03_a_refused_request_shows_the_providers_words_and_is_not_repeated() {
    let (_, turn, asked) = ask(refuses(400, "INVALID_ARGUMENT"));
    assert_eq!((category(&turn), asked), (ProviderErrorKind::BadRequest, 1));
    assert_eq!(turn.failure.unwrap().message, "INVALID_ARGUMENT in words");
    let words = "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).";
    let body = json!({"error": {"code": 400, "message": words, "status": "INVALID_ARGUMENT"}});
    let (_, turn, asked) = ask(Scripted { status: 400, beats: vec![bytes(&body.to_string())] });
    assert_eq!((category(&turn), asked), (ProviderErrorKind::ContextOverflow, 1));
}

#[test]
fn n04_a_refused_key_is_not_tried_again_and_is_written_nowhere() {
    use ProviderErrorKind::{Authentication, Permission, Quota};
    for (status, expected) in [(401, Authentication), (403, Permission), (402, Quota)] {
        let body = "you sent AIzaSyTestKeyCanary0123456789abcdefghij";
        let (tab, turn, asked) = ask(Scripted { status, beats: vec![bytes(body)] });
        assert_eq!((category(&turn), asked), (expected, 1), "{status}");
        let everything = format!("{:?}{:?}", tab.world(), tab.events());
        assert!(!everything.to_lowercase().contains("canary"), "{status}");
    }
}

#[test]
fn n05_a_model_that_is_not_there_is_named_and_not_asked_again() {
    let (_, turn, asked) = ask(refuses(404, "NOT_FOUND"));
    assert_eq!((category(&turn), asked), (ProviderErrorKind::NotFound, 1));
    assert_eq!(turn.config.model, "gemini-3.8-flash");
}

#[test]
fn n06_passing_faults_are_tried_twice_more_and_the_wait_can_be_cut_short_or_given_up() {
    for status in [408, 409, 500, 502, 503, 504, 529] {
        let (tab, turn, asked) = ask(Scripted { status, beats: vec![bytes("oops")] });
        assert_eq!((asked, turn.end), (3, Some(TurnEnd::Error)), "{status}");
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
fn n07_a_wait_that_the_provider_names_is_waited_and_one_of_more_than_a_minute_is_asked() {
    let limited = |name: &'static str, value: &'static str| Scripted {
        status: 429,
        beats: vec![ScriptedChunk::Header(name, value), bytes("slow down")],
    };
    // The clock of these tests stands at 2023-11-14T22:13:20Z.
    let cases = [
        ("retry-after", "7", 7_000),
        ("retry-after-ms", "2500", 2_500),
        ("retry-after", "Tue, 14 Nov 2023 22:13:50 GMT", 30_000),
    ];
    for (name, value, expected) in cases {
        let (tab, _, asked) = ask(limited(name, value));
        let first = waits(&tab)[0];
        assert_eq!(asked, 3, "{value}");
        assert!((expected..expected + 250).contains(&first), "{value}: {first}");
    }
    let (tab, turn, asked) = ask(limited("retry-after", "3600"));
    assert_eq!((asked, waits(&tab).len(), category(&turn)), (1, 0, ProviderErrorKind::RateLimit));
    assert_eq!(turn.failure.unwrap().retry_after_ms, Some(3_600_000), "the card can say how long");
    let detail = json!([{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34.4s"}]);
    let body = json!({"error": {"code": 429, "message": "enough", "status": "RESOURCE_EXHAUSTED", "details": detail}});
    let beats = vec![ScriptedChunk::Header("retry-after", "1"), bytes(&body.to_string())];
    let (tab, ..) = ask(Scripted { status: 429, beats });
    assert!((34_400..34_650).contains(&waits(&tab)[0]), "the body speaks before the header");
}

#[test]
fn n08_without_a_hint_it_is_5_and_15_seconds_and_a_spend_limit_is_never_retried() {
    let (tab, turn, asked) = ask(refuses(429, "RESOURCE_EXHAUSTED"));
    let waits = waits(&tab);
    assert_eq!((asked, waits.len(), category(&turn)), (3, 2, ProviderErrorKind::RateLimit));
    assert!((5_000..5_250).contains(&waits[0]) && (15_000..15_250).contains(&waits[1]), "{waits:?}");
    let violations =
        json!([{"@type": "x/google.rpc.QuotaFailure", "violations": [{"quotaId": "RequestsPerDay"}]}]);
    let body = json!({"error": {"code": 429, "message": "spent", "status": "RESOURCE_EXHAUSTED", "details": violations}});
    let (_, turn, asked) = ask(Scripted { status: 429, beats: vec![bytes(&body.to_string())] });
    assert_eq!((asked, category(&turn)), (1, ProviderErrorKind::Quota));
}

#[test]
fn n09_an_error_in_the_middle_ends_the_turn_and_keeps_what_came() {
    let error = json!({"error": {"code": 503, "message": "busy", "status": "UNAVAILABLE"}});
    let (tab, turn, asked) = ask(fine([half("so far"), vec![bytes(&format!("data: {error}\n\n"))]].concat()));
    assert_eq!((asked, category(&turn), text(&tab).as_str()), (1, ProviderErrorKind::Overloaded, "so far"));
    let bare = serde_json::to_string_pretty(&error).unwrap();
    let (tab, turn, asked) = ask(fine([half("so far"), vec![bytes(&bare)]].concat()));
    assert_eq!((asked, category(&turn), text(&tab).as_str()), (1, ProviderErrorKind::Overloaded, "so far"));
    let (_, turn, asked) = ask(fine(vec![bytes(&bare)]));
    assert_eq!(
        (asked, category(&turn)),
        (3, ProviderErrorKind::Overloaded),
        "nothing was shown: tried again"
    );
}

#[test]
fn n10_a_cut_answer_keeps_its_text_runs_no_call_and_can_be_continued() {
    let mut asked = 0;
    let tab = tab(move |_, _| {
        asked += 1;
        if asked > 1 {
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
    let second = tab.asked.borrow()[1].1.to_string();
    assert!(second.contains("The beginning") && tab.question(1).contains("<go_on>"), "{second}");
    assert_eq!(tab.send(Command::ContinueAnswer { turn: newest(&tab).id }), Err(Rejection::NotFailed));
    tab.say("@Architect next").unwrap();
    assert!(!tab.question(2).contains("<go_on>"));
}

#[test]
fn n10_a_cut_answer_can_be_continued_while_others_work() {
    let mut asked = 0;
    let tab = tab(move |_, _| {
        asked += 1;
        match asked {
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
fn n11_silence_and_endless_answers_have_an_end_and_pings_count_as_bytes() {
    let (tab, turn, asked) =
        ask(fine([half("so far"), vec![ScriptedChunk::Wait(STREAM_IDLE_MS + 1)]].concat()));
    assert_eq!((asked, turn.end, text(&tab).as_str()), (1, Some(TurnEnd::TimedOut), "so far"));
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
fn n11_how_long_silence_may_last_can_be_chosen() {
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
fn n12_a_page_in_place_of_an_answer_is_shown_as_text_and_an_empty_one_says_so() {
    let page =
        format!("<!doctype html><title>Hotel Wi-Fi</title><script>alert(1)</script>{}", "x".repeat(900_000));
    for beats in [
        vec![ScriptedChunk::Header("content-type", "text/html; charset=utf-8"), bytes(&page)],
        vec![ScriptedChunk::Header("content-type", "text/event-stream"), bytes(&page)],
        vec![bytes("\u{feff} \n"), bytes(&page)],
    ] {
        let (tab, turn, asked) = ask(fine(beats));
        assert_eq!((asked, category(&turn)), (1, ProviderErrorKind::Garbled));
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
    let (_, turn, asked) = ask(fine(vec![ScriptedChunk::Header("content-type", "text/event-stream")]));
    assert_eq!((asked, category(&turn)), (2, ProviderErrorKind::Empty));
    assert!(turn.failure.unwrap().message.contains("empty body"));
    let zipped = vec![ScriptedChunk::Cut];
    assert_eq!(category(&ask(fine(zipped)).1), ProviderErrorKind::CutOff);
}

#[test]
fn n12_blanks_before_an_answer_are_no_answer_and_pile_up_nowhere() {
    let blanks = || ScriptedChunk::Raw(vec![b'\n'; 64 * 1024]);
    let flood: Vec<_> = std::iter::repeat_with(blanks).take(1_000).collect();
    let began = std::time::Instant::now();
    let (tab, turn, _) = ask(fine([flood, says("at last").beats].concat()));
    assert_eq!((turn.end, text(&tab).as_str()), (Some(TurnEnd::Completed), "at last"));
    // Read again with each piece they would take minutes.
    assert!(began.elapsed() < std::time::Duration::from_secs(60), "{:?}", began.elapsed());
    let (_, turn, asked) = ask(fine(vec![blanks()]));
    assert_eq!((asked, category(&turn)), (2, ProviderErrorKind::Empty));
}

#[test]
fn n13_garbage_in_the_stream_is_passed_over_and_too_much_of_it_ends_it() {
    let Scripted { beats, .. } = says("fine");
    let (Some(ScriptedChunk::Bytes(first)), Some(ScriptedChunk::Bytes(last))) = (beats.first(), beats.get(1))
    else {
        panic!("bytes")
    };
    let noise =
        "\u{feff}: comment\r\rdata: {not json\n\nevent: what\ndata: {\"unknown\": 1}\n\ndata:\u{0}\n\n";
    let tight = first.replace("data: ", "data:").replace("fine", "fi\u{2028}ne");
    let open_end = last.trim_end();
    let (tab, turn, _) = ask(fine(vec![bytes(noise), bytes(&tight), bytes(noise), bytes(open_end)]));
    assert_eq!((turn.end, text(&tab).as_str()), (Some(TurnEnd::Completed), "fi\u{2028}ne"));
    let flood = "data: {not json\n\n".repeat(30);
    let tail = vec![bytes(&flood), ScriptedChunk::Wait(100_000), says("never read").beats[0].clone()];
    let (tab, turn, asked) = ask(fine([half("so far"), tail].concat()));
    assert_eq!((asked, category(&turn), text(&tab).as_str()), (1, ProviderErrorKind::Garbled, "so far"));
    let took = turn.closed_at.unwrap().0 - turn.opened_at.0;
    assert!(took < 1_000, "it is given up at once: {took}");
}

#[test]
fn n14_any_cut_of_the_bytes_gives_the_same_answer_and_bad_bytes_are_marked() {
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
fn n15_a_line_of_16_megabytes_is_dropped_and_a_thousand_events_at_once_are_read() {
    // It could be read if it were not so long.
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
fn n16_calls_with_the_same_id_or_none_are_calls_of_their_own() {
    let mut asked = 0;
    let tab = tab(move |_, _| {
        asked += 1;
        if asked > 1 {
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
fn n17_a_refused_redirect_looks_like_no_answer_and_the_key_goes_nowhere_else() {
    // That the browser refuses it is tested in `tests/web/wire.rs`; here, that it is not followed up.
    let (tab, turn, asked) = ask(fine(vec![ScriptedChunk::NoAnswer]));
    assert_eq!((category(&turn), asked), (ProviderErrorKind::Unreachable, 2));
    let provider = tab.world().live_provider(&"gemini".into()).unwrap().base_url.clone();
    assert_eq!(provider, "https://generativelanguage.googleapis.com");
}

#[test]
fn n18_what_comes_after_a_stop_or_in_a_closed_session_is_dropped() {
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
    // Whatever still reports about the turn is not heard.
    let answer = RecordedAnswer {
        parts: vec![MessagePart::text("too late")],
        usage: Usage::default(),
        finish: FinishReason::Stop,
        finish_raw: None,
        response_id: None,
        model: None,
        faults: Default::default(),
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
fn n18_a_session_is_not_closed_under_an_answer_that_comes() {
    let tab =
        tab(|_, _| fine([half("early"), vec![ScriptedChunk::Wait(5_000)], says(" late").beats].concat()));
    tab.say("@Architect go").unwrap();
    let close = || Command::SetSessionStatus { session: tab.session, status: SessionStatus::Closed };
    assert_eq!(tab.send(close()), Err(Rejection::RunWorks));
    tab.pass(10_000);
    assert_eq!((newest(&tab).end, text(&tab).as_str()), (Some(TurnEnd::Completed), "early late"));
    tab.send(close()).unwrap();
}

/// An answer of an OpenAI-compatible host, with one event that cannot be read after the first piece of a call.
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
fn n13_a_call_with_a_hole_writes_nothing_and_the_model_and_the_operator_are_told() {
    let mut asked = 0;
    let tab = tab(move |_, _| {
        asked += 1;
        if asked == 1 { torn_write() } else { says_openai("Once more.", "") }
    });
    tab.use_protocol(nexus_model::provider::Protocol::Openai, "m");
    tab.say("@Engineer go").unwrap();
    assert!(tab.mind().files.is_empty());
    let world = tab.world();
    let run = world.tool_runs.values().next().unwrap();
    assert_eq!((world.tool_runs.len(), run.status), (1, ToolStatus::Failed), "the card says so");
    let told = tab.asked.borrow()[1].1.to_string();
    assert!(told.contains("not valid JSON"), "{told}");
    let asking = world.message(&run.asked_by).unwrap();
    assert_eq!((asking.metadata.faults.skipped, asking.metadata.faults.repeated), (1, 0));
}

#[test]
fn n13_a_piece_that_is_missing_is_kept_with_the_message_over_a_reload() {
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
fn n13_a_missing_call_is_a_cut_off_answer_and_says_why() {
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
fn an_answer_tells_which_model_gave_it_where_that_is_another_one() {
    for (word, noted) in [("gemini-other", Some("gemini-other")), ("models/gemini-3.8-flash-001", None)] {
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
        assert_eq!(answer.metadata.answered_by.as_deref(), noted);
    }
}
