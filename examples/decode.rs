//! Decodes a recorded body and prints the result as a JSON object.
//!
//! ```text
//! cargo run -p nexus-providers --example decode -- gemini FILE [--split N]
//! ```
//!
//! With `--split N` the body is fed in chunks of N bytes, as a network might; the result must not change.

use std::process::ExitCode;

use nexus_model::message::content::{ToolArgs, calls_of, text_of, thinking_of};
use nexus_model::provider::Protocol;
use nexus_providers::chat::ModelAnswer;
use nexus_providers::codec;
use serde_json::{Value, json};

const USAGE: &str = "usage: decode PROTOCOL FILE [--split N]";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match run(&words) {
        Ok(json) => {
            println!("{json:#}");
            ExitCode::SUCCESS
        }
        Err(message) => {
            eprintln!("decode: {message}");
            ExitCode::from(2)
        }
    }
}

fn run(words: &[String]) -> Result<Value, String> {
    let mut names = Vec::new();
    let mut split = None;
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--split" => split = Some(piece_size(words.next())?),
            flag if flag.starts_with('-') => return Err(format!("unknown flag {flag}\n{USAGE}")),
            _ => names.push(word.as_str()),
        }
    }
    let [protocol, file] = names.as_slice() else {
        return Err(format!("one protocol and one file are needed\n{USAGE}"));
    };
    let known = || Protocol::ALL.map(Protocol::name).join(", ");
    let unknown = || format!("“{protocol}” is no protocol; there is: {}\n{USAGE}", known());
    let protocol = Protocol::named(protocol).ok_or_else(unknown)?;
    let body = std::fs::read(file).map_err(|error| format!("cannot read {file}: {error}"))?;
    Ok(shown(&decoded(protocol, &body, split.unwrap_or(body.len()))))
}

fn piece_size(word: Option<&String>) -> Result<usize, String> {
    word.and_then(|word| word.parse().ok())
        .filter(|size| *size > 0)
        .ok_or_else(|| format!("--split wants a number of bytes, 1 or more\n{USAGE}"))
}

fn decoded(protocol: Protocol, body: &[u8], piece: usize) -> ModelAnswer {
    let mut decoder = (codec::of(protocol).decoder)();
    let mut answer = ModelAnswer::default();
    for bytes in body.chunks(piece.max(1)) {
        decoder.feed(bytes).into_iter().for_each(|event| answer.apply(event));
    }
    decoder.end().into_iter().for_each(|event| answer.apply(event));
    answer
}

fn shown(answer: &ModelAnswer) -> Value {
    let parts = answer.message_parts(&"recorded".into(), "recorded");
    let tool_calls: Vec<Value> = calls_of(&parts)
        .map(|call| {
            let args = match &call.args {
                ToolArgs::Parsed(args) => args.clone(),
                ToolArgs::Broken(text) => Value::String(text.clone()),
            };
            let id = (!call.own_id).then_some(&call.id);
            json!({"name": call.name, "args": args, "id": id})
        })
        .collect();
    let opaque: Vec<&Value> = answer.parts.iter().filter_map(|part| part.opaque.as_ref()).collect();
    json!({
        "text": text_of(&parts),
        "thinking": thinking_of(&parts),
        "tool_calls": tool_calls,
        "usage": answer.usage.raw,
        "finish": answer.finish,
        "error": answer.failure,
        "opaque": opaque,
    })
}
