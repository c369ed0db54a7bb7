//! Never performs input or output.
//!
//! Owns the codec of Anthropic's Messages.

pub mod decode;
pub mod encode;
pub mod error;
pub mod models;
