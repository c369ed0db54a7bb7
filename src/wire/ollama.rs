//! Never performs input or output.
//!
//! Owns the codec of Ollama's own format.

pub mod decode;
pub mod encode;
pub mod error;
pub mod models;
