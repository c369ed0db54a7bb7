//! Never performs input or output.
//!
//! Anthropic's Messages: how a prompt is written in them, how their stream is read, what their errors mean.

mod block;
pub mod decode;
pub mod encode;
pub mod error;
mod generation;
pub mod models;

#[cfg(test)]
mod decode_tests;
#[cfg(test)]
mod encode_rules_tests;
#[cfg(test)]
mod encode_tests;
