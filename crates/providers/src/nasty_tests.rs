//! Hand-written streams that violate the standards but occur in practice, and their expected answers at every split.

use crate::chat::ModelAnswer;
use crate::codec;
use nexus_model::llm::FinishReason;
use nexus_model::message::content::{ToolArgs, calls_of, text_of, thinking_of};
use nexus_model::provider::{Protocol, ProviderErrorKind};

use FinishReason::{Error, Incomplete, Length, Stop, ToolCalls};
use Protocol::{Anthropic, Gemini, Ollama, Openai, Responses};

/// The expected answer of a stream.
struct Expected {
    text: &'static str,
    /// Name and arguments of each call; `name broken` if the arguments cannot be parsed.
    calls: &'static [&'static str],
    finish: FinishReason,
    skipped: u32,
    repeated: u32,
}

const NOTHING: Expected = Expected { text: "", calls: &[], finish: Stop, skipped: 0, repeated: 0 };

fn decoded(protocol: Protocol, pieces: &[&[u8]]) -> ModelAnswer {
    let mut decoder = (codec::of(protocol).decoder)();
    let mut answer = ModelAnswer::default();
    for piece in pieces {
        decoder.feed(piece).into_iter().for_each(|event| answer.apply(event));
    }
    decoder.end().into_iter().for_each(|event| answer.apply(event));
    answer
}

/// Decodes a body; the answer must be the same wherever it is split.
fn answer_of(protocol: Protocol, body: &str) -> ModelAnswer {
    let bytes = body.as_bytes();
    let whole = decoded(protocol, &[bytes]);
    for cut in 1..bytes.len() {
        let (head, tail) = bytes.split_at(cut);
        assert_eq!(decoded(protocol, &[head, tail]), whole, "cut at {cut}: {body}");
    }
    let single: Vec<&[u8]> = bytes.chunks(1).collect();
    assert_eq!(decoded(protocol, &single), whole, "byte by byte: {body}");
    whole
}

fn check(protocol: Protocol, body: &str, expected: &Expected) {
    let answer = answer_of(protocol, body);
    let parts = answer.message_parts(&"p".into(), "m");
    let calls: Vec<String> = calls_of(&parts)
        .map(|call| match &call.args {
            ToolArgs::Parsed(args) => format!("{} {args}", call.name),
            ToolArgs::Broken(_) => format!("{} broken", call.name),
        })
        .collect();
    assert_eq!(text_of(&parts), expected.text, "{body}");
    assert_eq!(calls, expected.calls, "{body}");
    assert_eq!(answer.finish, expected.finish, "{body}");
    assert_eq!((answer.skipped, answer.repeated), (expected.skipped, expected.repeated), "{body}");
}

/// Server-sent events, or lines of JSON for Ollama. An event with the prefix `!` is inserted verbatim.
fn stream(protocol: Protocol, events: &[&str]) -> String {
    events
        .iter()
        .map(|event| match (event.strip_prefix('!'), protocol) {
            (Some(raw), _) => raw.to_owned(),
            (None, Ollama) => format!("{event}\n"),
            (None, Gemini | Openai | Responses | Anthropic) => format!("data: {event}\n\n"),
        })
        .collect()
}

fn openai_args(index: &str, args: &str) -> String {
    let args = serde_json::Value::from(args);
    format!(
        r#"{{"choices":[{{"index":0,"delta":{{"tool_calls":[{{"index":{index},"function":{{"arguments":{args}}}}}]}}}}]}}"#
    )
}

const OPENAI_TOOLS: &str = r#"{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}"#;
const OPENAI_STOP: &str = r#"{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#;
const OPENAI_HI: &str = r#"{"choices":[{"index":0,"delta":{"content":"Hi. "}}]}"#;
const OPENAI_WRITE: &str = r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"write_file","arguments":"{\"content\":\"line 1\\n"}}]}}]}"#;
const OPENAI_LIST: &str = r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"list","arguments":"{}"}}]}}]}"#;
const BROKEN_EVENT: &str = r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"#;

#[test]
fn openai_gap_in_a_call_breaks_it() {
    let rest = openai_args("0", "line 3\"}");
    let broken = Expected { calls: &["write_file broken"], finish: ToolCalls, skipped: 1, ..NOTHING };
    for piece in [BROKEN_EVENT, "{garbage", "7", "!{\"line 2\"}\n\n"] {
        let body = stream(Openai, &[OPENAI_WRITE, piece, &rest, OPENAI_TOOLS, "[DONE]"]);
        check(Openai, &body, &broken);
    }
    let body = stream(Openai, &[OPENAI_WRITE, "ping", &rest, OPENAI_TOOLS, "[DONE]"]);
    let complete = Expected { calls: &[r#"write_file {"content":"line 1\nline 3"}"#], skipped: 0, ..broken };
    check(Openai, &body, &complete);
    // A call that was complete before the gap is not affected.
    let body = stream(Openai, &[OPENAI_LIST, "{garbage", OPENAI_TOOLS, "[DONE]"]);
    check(Openai, &body, &Expected { calls: &["list {}"], finish: ToolCalls, skipped: 1, ..NOTHING });
}

#[test]
fn openai_missing_call_makes_the_answer_incomplete() {
    let incomplete = Expected { text: "Hi. ", finish: Incomplete, ..NOTHING };
    let cases: [(&[&str], u32); 5] = [
        (&[OPENAI_HI, BROKEN_EVENT, OPENAI_STOP, "[DONE]"], 1),
        (&[OPENAI_HI, BROKEN_EVENT, OPENAI_TOOLS, "[DONE]"], 1),
        (&[OPENAI_HI, "{garbage", OPENAI_TOOLS], 1),
        (&[OPENAI_HI, OPENAI_TOOLS, "[DONE]"], 0),
        (&[OPENAI_HI, &openai_args("1", "{}"), OPENAI_STOP, "[DONE]"], 0),
    ];
    for (events, skipped) in cases {
        check(Openai, &stream(Openai, events), &Expected { skipped, ..incomplete });
    }
    let one_lost =
        stream(Openai, &[OPENAI_LIST, BROKEN_EVENT, &openai_args("1", "{\"n\":1}"), OPENAI_TOOLS, "[DONE]"]);
    check(Openai, &one_lost, &Expected { calls: &["list {}"], finish: Incomplete, skipped: 1, ..NOTHING });
}

#[test]
fn overlong_piece_that_names_a_call_makes_the_answer_incomplete() {
    let long = "x".repeat(9 * 1024 * 1024);
    let bodies = [
        (Openai, stream(Openai, &[OPENAI_HI, &format!("{BROKEN_EVENT}{long}"), OPENAI_STOP])),
        (Gemini, stream(Gemini, &[GEMINI_HI, &format!("{{\"functionCall\":{{\"{long}"), GEMINI_STOP])),
        (Ollama, stream(Ollama, &[OLLAMA_HI, &format!("{{\"tool_calls\":[{long}"), OLLAMA_STOP])),
    ];
    for (protocol, body) in bodies {
        let answer = decoded(protocol, &[body.as_bytes()]);
        assert_eq!((answer.finish, answer.skipped), (Incomplete, 1), "{protocol:?}");
    }
}

const GEMINI_HI: &str = r#"{"candidates":[{"content":{"parts":[{"text":"Hi. "}]}}]}"#;
const GEMINI_STOP: &str = r#"{"candidates":[{"finishReason":"STOP"}]}"#;
const GEMINI_CALL: &str =
    r#"{"candidates":[{"content":{"parts":[{"functionCall":{"name":"list","id":"a","args":{"n":1}}}]}}]}"#;
const OLLAMA_HI: &str = r#"{"message":{"content":"Hi. "},"done":false}"#;
const OLLAMA_STOP: &str = r#"{"done":true,"done_reason":"stop"}"#;
const OLLAMA_CALL: &str =
    r#"{"message":{"tool_calls":[{"id":"a","function":{"name":"list","arguments":{"n":1}}}]},"done":false}"#;

#[test]
fn gemini_and_ollama_skipped_piece_that_names_a_call_makes_the_answer_incomplete() {
    let hi = Expected { text: "Hi. ", ..NOTHING };
    for piece in
        [r#"{"candidates":[{"content":{"parts":[{"functionCall":{"name":"#, "!\"functionCall\": {}}\n\n"]
    {
        let body = stream(Gemini, &[GEMINI_HI, piece, GEMINI_STOP]);
        check(Gemini, &body, &Expected { finish: Incomplete, skipped: 1, ..hi });
    }
    let body = stream(Gemini, &[GEMINI_HI, "{garbage", GEMINI_STOP]);
    check(Gemini, &body, &Expected { skipped: 1, ..hi });
    let piece = r#"{"message":{"tool_calls":[{"function":"#;
    let body = stream(Ollama, &[OLLAMA_HI, piece, OLLAMA_STOP]);
    check(Ollama, &body, &Expected { finish: Incomplete, skipped: 1, ..hi });
    let nameless = r#"{"message":{"tool_calls":[{"function":{"arguments":{}}}]}}"#;
    let body = stream(Ollama, &[OLLAMA_HI, nameless, OLLAMA_STOP]);
    check(Ollama, &body, &Expected { finish: Incomplete, skipped: 1, ..hi });
}

fn anthropic_json(index: u32, piece: &str) -> String {
    format!(
        r#"{{"type":"content_block_delta","index":{index},"delta":{{"type":"input_json_delta","partial_json":{piece}}}}}"#
    )
}

const ANTHROPIC_TOOL: &str = r#"{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"write_file","input":{}}}"#;
const ANTHROPIC_CLOSE: &str = r#"{"type":"content_block_stop","index":0}"#;
const ANTHROPIC_TOOLS: &str = r#"{"type":"message_delta","delta":{"stop_reason":"tool_use"}}"#;
const ANTHROPIC_END: &str = r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"}}"#;
const ANTHROPIC_STOP: &str = r#"{"type":"message_stop"}"#;

#[test]
fn anthropic_unusable_delta_breaks_its_call() {
    let broken = Expected { calls: &["write_file broken"], finish: ToolCalls, skipped: 1, ..NOTHING };
    let deltas = [
        anthropic_json(0, "{\"a\":1}"),
        anthropic_json(0, "null"),
        r#"{"type":"content_block_delta","index":0,"delta":"x"}"#.to_owned(),
        "{\"type\":\"content_block_delta\",".to_owned(),
    ];
    for delta in &deltas {
        let body =
            stream(Anthropic, &[ANTHROPIC_TOOL, delta, ANTHROPIC_CLOSE, ANTHROPIC_TOOLS, ANTHROPIC_STOP]);
        check(Anthropic, &body, &broken);
    }
    // The start of a second call is lost; its pieces prove that it exists.
    let lost = anthropic_json(1, "\"{}\"");
    let body = stream(Anthropic, &[ANTHROPIC_TOOL, ANTHROPIC_CLOSE, &lost, ANTHROPIC_TOOLS, ANTHROPIC_STOP]);
    check(
        Anthropic,
        &body,
        &Expected { calls: &["write_file {}"], finish: Incomplete, skipped: 1, ..NOTHING },
    );
    let named =
        stream(Anthropic, &["{\"content_block\":{\"type\":\"tool_use\"", ANTHROPIC_END, ANTHROPIC_STOP]);
    check(Anthropic, &named, &Expected { finish: Incomplete, skipped: 1, ..NOTHING });
}

const RESPONSES_HI: &str =
    r#"{"type":"response.output_text.delta","output_index":0,"content_index":0,"delta":"Hi. "}"#;
const RESPONSES_END: &str = r#"{"type":"response.completed","response":{"status":"completed"}}"#;
const RESPONSES_CALL: &str = r#"{"type":"response.output_item.done","output_index":1,"item":{"type":"function_call","call_id":"a","name":"list","arguments":"{}"}}"#;

#[test]
fn responses_lost_call_makes_the_answer_incomplete_unless_the_end_lists_it() {
    let piece = r#"{"type":"response.output_item.done","item":{"type":"function_call","#;
    let body = stream(Responses, &[RESPONSES_HI, piece, RESPONSES_END]);
    check(Responses, &body, &Expected { text: "Hi. ", finish: Incomplete, skipped: 1, ..NOTHING });
    let listed = r#"{"type":"response.completed","response":{"status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"Hi. "}]},{"type":"function_call","call_id":"a","name":"list","arguments":"{}"}]}}"#;
    let body = stream(Responses, &[RESPONSES_HI, piece, listed]);
    check(
        Responses,
        &body,
        &Expected { text: "Hi. ", calls: &["list {}"], finish: ToolCalls, skipped: 1, ..NOTHING },
    );
}

#[test]
fn split_character_is_joined_and_a_lone_half_replaced() {
    let bodies = [
        (
            Openai,
            [
                r#"{"choices":[{"index":0,"delta":{"content":"a \ud83d"}}]}"#,
                r#"{"choices":[{"index":0,"delta":{"content":"\ude00 b"}}]}"#,
            ],
            OPENAI_STOP,
        ),
        (
            Gemini,
            [
                r#"{"candidates":[{"content":{"parts":[{"text":"a \uD83D"}]}}]}"#,
                r#"{"candidates":[{"content":{"parts":[{"text":"\uDE00 b"}]}}]}"#,
            ],
            GEMINI_STOP,
        ),
        (
            Ollama,
            [r#"{"message":{"content":"a \ud83d"}}"#, r#"{"message":{"content":"\ude00 b"}}"#],
            OLLAMA_STOP,
        ),
        (
            Responses,
            [
                r#"{"type":"response.output_text.delta","delta":"a \ud83d"}"#,
                r#"{"type":"response.output_text.delta","delta":"\ude00 b"}"#,
            ],
            RESPONSES_END,
        ),
    ];
    for (protocol, [first, second], end) in bodies {
        check(protocol, &stream(protocol, &[first, second, end]), &Expected { text: "a 😀 b", ..NOTHING });
        check(protocol, &stream(protocol, &[first, end]), &Expected { text: "a \u{fffd}", ..NOTHING });
        check(protocol, &stream(protocol, &[second, end]), &Expected { text: "\u{fffd} b", ..NOTHING });
    }
    let first = r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"run","arguments":"{\"c\":\"rm tmp \ud83d"}}]}}]}"#;
    let second = r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"\ude00\"}"}}]}}]}"#;
    let body = stream(Openai, &[first, second, OPENAI_TOOLS, "[DONE]"]);
    check(Openai, &body, &Expected { calls: &[r#"run {"c":"rm tmp 😀"}"#], finish: ToolCalls, ..NOTHING });
}

#[test]
fn answers_that_only_look_complete() {
    let hi = Expected { text: "Hi. ", ..NOTHING };
    let incomplete = Expected { finish: Incomplete, ..hi };
    let counted = |index: u32, text: &str| {
        format!(r#"{{"choices":[{{"index":{index},"delta":{{"content":"{text}"}}}}]}}"#)
    };
    let body = stream(
        Openai,
        &[&counted(0, "The "), &counted(1, "sky "), &counted(2, "is "), &counted(3, "blue."), "[DONE]"],
    );
    check(Openai, &body, &Expected { text: "The sky is blue.", ..NOTHING });

    let null = |text: &str| {
        format!(r#"{{"choices":[{{"index":0,"delta":{{"content":"{text}"}},"finish_reason":"null"}}]}}"#)
    };
    check(Openai, &stream(Openai, &[&null("Hi"), &null(". ")]), &incomplete);
    let limit = r#"{"choices":[{"index":0,"delta":{},"finish_reason":"length"}]}"#;
    check(Openai, &stream(Openai, &[&null("Hi"), &null(". "), limit]), &Expected { finish: Length, ..hi });

    let nul = format!("data: {OPENAI_HI}\n\n\0\0\0\0data: {OPENAI_HI}\n\ndata: [DONE]\n\n");
    check(Openai, &nul, &Expected { text: "Hi. Hi. ", ..NOTHING });

    let pause = r#"{"type":"message_delta","delta":{"stop_reason":"pause_turn"}}"#;
    let text = r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"Hi. "}}"#;
    check(Anthropic, &stream(Anthropic, &[text, ANTHROPIC_CLOSE, pause, ANTHROPIC_STOP]), &incomplete);
    for word in ["OTHER", "OF_NEXT_YEAR"] {
        let end = GEMINI_STOP.replace("STOP", word);
        check(Gemini, &stream(Gemini, &[GEMINI_HI, &end]), &incomplete);
        let end = OLLAMA_STOP.replace("stop", word);
        check(Ollama, &stream(Ollama, &[OLLAMA_HI, &end]), &incomplete);
        let end = OPENAI_STOP.replace("stop", word);
        check(Openai, &stream(Openai, &[OPENAI_HI, &end]), &incomplete);
        let end = RESPONSES_END.replace("completed", word);
        check(Responses, &stream(Responses, &[RESPONSES_HI, &end]), &incomplete);
    }
}

#[test]
fn error_is_reported_in_every_format() {
    let bare = "!{\"error\":{\"message\":\"upstream timed out\",\"code\":504}}\n\n";
    let plain = "!event: error\ndata: upstream timed out\n\n";
    let flat = "!event: error\ndata: {\"code\":504,\"message\":\"upstream timed out\"}\n\n";
    let cases: [(Protocol, &[&str]); 11] = [
        (Openai, &[OPENAI_HI, bare, "[DONE]"]),
        (Responses, &[RESPONSES_HI, bare, "[DONE]"]),
        (Anthropic, &[ANTHROPIC_END, bare, ANTHROPIC_STOP]),
        (Openai, &[OPENAI_HI, plain, "[DONE]"]),
        (Gemini, &[GEMINI_HI, plain, GEMINI_STOP]),
        (Anthropic, &[plain, ANTHROPIC_END, ANTHROPIC_STOP]),
        (Responses, &[RESPONSES_HI, plain, RESPONSES_END]),
        (Openai, &[OPENAI_HI, flat, "[DONE]"]),
        (Gemini, &[GEMINI_HI, flat, GEMINI_STOP]),
        (Anthropic, &[flat, ANTHROPIC_END, ANTHROPIC_STOP]),
        (Responses, &[RESPONSES_HI, flat, RESPONSES_END]),
    ];
    for (protocol, events) in cases {
        let answer = answer_of(protocol, &stream(protocol, events));
        let failure = answer.failure.unwrap_or_else(|| panic!("{protocol:?} {events:?}"));
        assert_eq!(
            (answer.finish, failure.category),
            (Error, ProviderErrorKind::Server),
            "{protocol:?} {events:?}"
        );
        assert_eq!(failure.message, "upstream timed out", "{protocol:?} {events:?}");
    }
}

#[test]
fn text_about_think_tags_stays_text() {
    for words in [
        "Like this:\\n```\\n<think>\\nsteps\\n</think>\\nanswer\\n```",
        "Use `<think>steps</think>answer` as the template.",
        "line 7 says </think> but nothing opened it",
        "Models emit “</think>” after their thoughts.",
        "The closing tag (</think>) ends them.",
    ] {
        let chunk = OPENAI_HI.replace("Hi. ", words);
        let answer = answer_of(Openai, &stream(Openai, &[&chunk, OPENAI_STOP]));
        let parts = answer.message_parts(&"p".into(), "m");
        assert_eq!((text_of(&parts), thinking_of(&parts)), (words.replace("\\n", "\n"), String::new()));
    }
}

#[test]
fn repeated_pieces_count_once() {
    let once = Expected { calls: &[r#"list {"n":1}"#], finish: ToolCalls, repeated: 1, ..NOTHING };
    check(Gemini, &stream(Gemini, &[GEMINI_CALL, GEMINI_CALL, GEMINI_STOP]), &once);
    check(Ollama, &stream(Ollama, &[OLLAMA_CALL, OLLAMA_CALL, OLLAMA_STOP]), &once);
    let second = OPENAI_LIST.replace("[{\"index\":0", "[{\"index\":1");
    let once = Expected { calls: &["list {}"], ..once };
    check(Openai, &stream(Openai, &[OPENAI_LIST, &second, OPENAI_TOOLS, "[DONE]"]), &once);
    check(Responses, &stream(Responses, &[RESPONSES_CALL, RESPONSES_CALL, RESPONSES_END]), &once);
    let block = [ANTHROPIC_TOOL, ANTHROPIC_CLOSE];
    let body = stream(Anthropic, &[&block[..], &block[..], &[ANTHROPIC_TOOLS, ANTHROPIC_STOP]].concat());
    check(Anthropic, &body, &Expected { calls: &["write_file {}"], ..once });

    // Two calls of one name without ids are two calls.
    let own = GEMINI_CALL.replace("\"id\":\"a\",", "");
    let both = Expected { calls: &[r#"list {"n":1}"#, r#"list {"n":1}"#], repeated: 0, ..once };
    check(Gemini, &stream(Gemini, &[&own, &own, GEMINI_STOP]), &both);
}

#[test]
fn repeated_sequence_number_is_dropped() {
    let numbered = |event: &str, number: u32| {
        format!("{{\"sequence_number\":{number},{}", event.get(1..).unwrap_or_default())
    };
    let (hi, end) = (numbered(RESPONSES_HI, 4), numbered(RESPONSES_END, 5));
    let body = stream(Responses, &[&hi, &hi, &end, &end]);
    check(Responses, &body, &Expected { text: "Hi. ", repeated: 1, ..NOTHING });
    // Equal numbers everywhere mean nothing.
    let first = numbered(&RESPONSES_HI.replace("Hi", "Oh"), 0);
    let hi = numbered(RESPONSES_HI, 0);
    let body = stream(Responses, &[&first, &hi, &hi, &numbered(RESPONSES_END, 0)]);
    check(Responses, &body, &Expected { text: "Oh. Hi. Hi. ", ..NOTHING });
}

#[test]
fn heartbeats_before_the_first_token_are_ignored() {
    let beats = [["ping"; 15], ["null"; 15]].concat();
    for (protocol, hi, end) in [
        (Openai, OPENAI_HI, OPENAI_STOP),
        (Gemini, GEMINI_HI, GEMINI_STOP),
        (Responses, RESPONSES_HI, RESPONSES_END),
    ] {
        let body = stream(protocol, &[&beats[..], &[hi, end]].concat());
        check(protocol, &body, &Expected { text: "Hi. ", ..NOTHING });
    }
}

#[test]
fn counts_may_be_text_or_floats() {
    let bodies = [
        (Openai, r#"{"choices":[],"usage":{"prompt_tokens":10.0,"completion_tokens":"5"}}"#),
        (Gemini, r#"{"usageMetadata":{"promptTokenCount":10.0,"candidatesTokenCount":"5"}}"#),
        (Ollama, r#"{"prompt_eval_count":10.0,"eval_count":"5","done":false}"#),
        (Anthropic, r#"{"type":"message_delta","usage":{"input_tokens":10.0,"output_tokens":"5"}}"#),
        (
            Responses,
            r#"{"type":"response.completed","response":{"usage":{"input_tokens":10.0,"output_tokens":"5"}}}"#,
        ),
    ];
    for (protocol, event) in bodies {
        let usage = answer_of(protocol, &stream(protocol, &[event])).usage;
        assert_eq!((usage.input, usage.output), (Some(10), Some(5)), "{protocol:?}");
    }
}

/// Pieces that are JSON, but not of the protocol.
#[test]
fn odd_piece_in_a_call_breaks_it() {
    let rest = openai_args("0", "line 3\"}");
    let broken = Expected { calls: &["write_file broken"], finish: ToolCalls, skipped: 1, ..NOTHING };
    let fragment =
        |inner: &str| format!(r#"{{"choices":[{{"index":0,"delta":{{"tool_calls":[{inner}]}}}}]}}"#);
    let pieces = [
        fragment("7"),
        fragment(r#"["x"]"#),
        fragment(r#"{"index":0,"function":"line 2"}"#),
        r#"{"choices":[{"index":0,"delta":"line 2"}]}"#.to_owned(),
        r#"{"choices":[7]}"#.to_owned(),
        r#"{"choices":{"delta":{}}}"#.to_owned(),
    ];
    for piece in &pieces {
        check(Openai, &stream(Openai, &[OPENAI_WRITE, piece, &rest, OPENAI_TOOLS, "[DONE]"]), &broken);
    }
    let object = fragment(r#"{"index":0,"function":{"arguments":{}}}"#);
    let body = stream(Openai, &[OPENAI_WRITE, &object, OPENAI_TOOLS, "[DONE]"]);
    check(Openai, &body, &Expected { skipped: 0, ..broken });

    let first = anthropic_json(0, r#""{\"a\":\"1""#);
    let last = anthropic_json(0, r#""3\"}""#);
    let deltas = [
        r#"{"index":0,"delta":{"type":"input_json_delta","partial_json":"2"}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"json_delta","partial_json":"2"}}"#,
    ];
    for delta in deltas {
        let call = [ANTHROPIC_TOOL, &first, delta, &last, ANTHROPIC_CLOSE, ANTHROPIC_TOOLS, ANTHROPIC_STOP];
        check(Anthropic, &stream(Anthropic, &call), &broken);
    }
}

#[test]
fn odd_piece_that_names_a_call_makes_the_answer_incomplete() {
    let incomplete = Expected { text: "Hi. ", finish: Incomplete, skipped: 1, ..NOTHING };
    let call = r#"{"name":"list","args":{}}"#;
    for piece in [
        format!(r#"{{"candidates":[{{"content":{{"parts":{{"functionCall":{call}}}}}}}]}}"#),
        format!(r#"{{"candidates":{{"content":{{"parts":[{{"functionCall":{call}}}]}}}}}}"#),
        format!(r#"{{"candidates":[{{"content":{{"parts":[{{"function_call":{call}}}]}}}}]}}"#),
    ] {
        check(Gemini, &stream(Gemini, &[GEMINI_HI, &piece, GEMINI_STOP]), &incomplete);
    }
    for calls in [
        r#"{"function":{"name":"list","arguments":{}}}"#,
        r#"["list"]"#,
        r#"[{"name":"list","arguments":{}}]"#,
    ] {
        let piece = format!(r#"{{"message":{{"tool_calls":{calls}}},"done":false}}"#);
        check(Ollama, &stream(Ollama, &[OLLAMA_HI, &piece, OLLAMA_STOP]), &incomplete);
    }
    let piece = r#"{"choices":[{"index":0,"delta":{"tool_calls":[["list"]]}}]}"#;
    check(Openai, &stream(Openai, &[OPENAI_HI, piece, OPENAI_STOP, "[DONE]"]), &incomplete);
}

#[test]
fn error_with_only_a_status_is_no_complete_answer() {
    for event in [r#"{"status":503,"message":"overloaded"}"#, r#"{"statusCode":500,"message":"overloaded"}"#]
    {
        let answer = answer_of(Openai, &stream(Openai, &[OPENAI_HI, event, "[DONE]"]));
        assert_eq!(answer.failure.map(|failure| failure.message).as_deref(), Some("overloaded"), "{event}");
    }
}
