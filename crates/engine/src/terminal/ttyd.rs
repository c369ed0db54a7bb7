//! The protocol of ttyd over WebSocket: binary messages whose first byte says what they are.
//!
//! The client begins with a JSON object; only then ttyd starts the program and sends its output.

use serde_json::json;

/// The first message. Its token is for credentials, which ttyd also wants as a header: no page can send that.
pub(super) fn hello((columns, rows): (usize, usize)) -> Vec<u8> {
    json!({ "AuthToken": "", "columns": columns, "rows": rows }).to_string().into_bytes()
}

pub(super) fn input(keys: &[u8]) -> Vec<u8> {
    [b"0", keys].concat()
}

pub(super) fn resize((columns, rows): (usize, usize)) -> Vec<u8> {
    format!("1{}", json!({ "columns": columns, "rows": rows })).into_bytes()
}

/// What the program wrote, where a message is that; others tell a title and preferences.
pub(super) fn output(message: &[u8]) -> Option<&[u8]> {
    message.strip_prefix(b"0")
}
