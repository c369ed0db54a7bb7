//! Codec of Ollama's native API: `/api/chat`, which streams lines of JSON, and the list of pulled models.

pub mod decode;
pub mod encode;
pub mod error;
pub mod models;

#[cfg(test)]
mod decode_tests;
#[cfg(test)]
mod encode_tests;
