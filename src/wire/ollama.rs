//! Never performs input or output.
//!
//! Owns the codec of Ollama's own format: `/api/chat`, which answers in lines of JSON, and the list of what is pulled.

pub mod decode;
pub mod encode;
pub mod error;
pub mod models;

#[cfg(test)]
mod decode_tests;
#[cfg(test)]
mod encode_tests;
