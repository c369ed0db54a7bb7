//! Provider protocols: one codec per family, encoding prompts to HTTP and decoding streams to model events.
//!
//! Requests are values and response bytes are fed in by the caller. Never performs I/O.

pub mod anthropic;
#[cfg(test)]
mod bad_input_tests;
mod call_pairing;
pub mod chat;
pub mod codec;
#[cfg(test)]
mod conversations;
mod delay;
mod depth;
mod fallback;
mod gaps;
mod garbage;
pub mod gemini;
pub mod http;
pub mod http_error;
mod model_list;
#[cfg(test)]
mod nasty_tests;
pub mod ollama;
pub mod openai_chat;
pub mod openai_responses;
mod part_builder;
pub mod stream;
#[cfg(test)]
mod testing;
mod think_tags;
