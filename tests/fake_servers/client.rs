//! Raw HTTP client for tests: one request on its own socket, and the response as received.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::{Value, json};

use crate::e2e::provider::Provider;

pub(super) const PATH: &str = "/v1beta/models/gemini-3.8-flash:streamGenerateContent?alt=sse";

pub(super) fn question(agent: &str) -> Value {
    json!({
        "systemInstruction": { "parts": [{ "text": format!("You are the {agent}.") }] },
        "contents": [{ "role": "user", "parts": [{ "text": "hello" }] }],
    })
}

pub(super) fn connect(provider: &Provider, head: &str, body: &str) -> TcpStream {
    let address = provider.base_url().replace("http://", "");
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    write!(
        stream,
        "{head}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    stream
}

pub(super) fn post(provider: &Provider, path: &str, key: &str, body: &Value) -> TcpStream {
    let head = format!("POST {path} HTTP/1.1\r\nHost: x\r\nX-Goog-Api-Key: {key}");
    connect(provider, &head, &body.to_string())
}

/// Status, lower-case head, and the joined chunks of the body; `Err` has the body before a break.
pub(super) fn answer(stream: TcpStream) -> (u16, String, Result<Vec<u8>, Vec<u8>>) {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        assert!(reader.read_line(&mut head).unwrap() > 0, "no head");
    }
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    let head = head.to_ascii_lowercase();
    let mut body = Vec::new();
    if !head.contains("transfer-encoding: chunked") {
        reader.read_to_end(&mut body).unwrap();
        return (status, head, Ok(body));
    }
    loop {
        let mut size = String::new();
        if reader.read_line(&mut size).unwrap_or(0) == 0 {
            return (status, head, Err(body));
        }
        let size = usize::from_str_radix(size.trim(), 16).unwrap();
        let mut chunk = vec![0; size + 2];
        reader.read_exact(&mut chunk).unwrap();
        if size == 0 {
            return (status, head, Ok(body));
        }
        body.extend_from_slice(&chunk[..size]);
    }
}

pub(super) fn events(body: &[u8]) -> Vec<Value> {
    let text = std::str::from_utf8(body).unwrap();
    assert!(text.ends_with("\r\n\r\n"));
    let events = text.split_terminator("\r\n\r\n");
    events.map(|event| serde_json::from_str(event.strip_prefix("data: ").unwrap()).unwrap()).collect()
}
