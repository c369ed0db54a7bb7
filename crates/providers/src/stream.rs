//! Bytes of a streamed answer as lines, server-sent events and JSON.

pub mod lenient;
pub mod lines;
pub mod sse;
pub mod sse_json;
