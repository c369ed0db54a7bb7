//! Never performs input or output.
//!
//! Owns the codec of OpenAI's Responses.

pub mod decode;
pub mod encode;
pub mod error;
pub mod models;
