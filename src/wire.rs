//! Never performs input or output: requests are values, bytes are fed in by whoever reads them.
//!
//! How models speak. A codec for each family of providers turns a [`Prompt`](crate::domain::model::Prompt) into an
//! [`HttpRequest`](http::HttpRequest) and the bytes that come back into [`ModelEvent`](chat::ModelEvent)s.

pub mod anthropic;
#[cfg(test)]
mod bad_input_tests;
pub mod chat;
pub mod codec;
#[cfg(test)]
mod conversations;
mod delay;
pub mod gemini;
pub mod http;
pub mod lines;
mod listing;
mod nesting;
mod noise;
pub mod ollama;
pub mod openai;
mod pairs;
mod payloads;
mod prose;
pub mod refusal;
pub mod responses;
pub mod sse;
#[cfg(test)]
mod testing;
mod think_tags;
mod told;
