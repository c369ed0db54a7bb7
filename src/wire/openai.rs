//! Never performs input or output.
//!
//! Owns the codec of OpenAI-compatible Chat Completions.

pub mod decode;
pub mod encode;
pub mod error;
pub mod models;
