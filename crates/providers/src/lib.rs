//! Provider protocols: a codec for each family, which encodes prompts to HTTP and decodes streams to model events.
//!
//! Requests are values, and the caller feeds the bytes of the response: any chunking gives the same result. Never
//! performs I/O.
//!
//! Start with [`chat`] (what decoders emit) and [`codec`] (the interface), then read [`gemini`] as a whole codec.
//! `error` classifies failures.

pub mod anthropic;
#[cfg(test)]
mod bad_input_tests;
pub mod chat;
pub mod codec;
mod error;
pub mod gemini;
pub mod http;
pub mod http_error;
mod models;
#[cfg(test)]
mod nasty_tests;
pub mod ollama;
pub mod openai_chat;
pub mod openai_responses;
mod part_builder;
pub mod stream;
#[cfg(test)]
mod tests;
mod turns;
