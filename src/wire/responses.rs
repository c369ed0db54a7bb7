//! Never performs input or output.
//!
//! OpenAI's Responses: how a prompt is written in them, how their stream is read, what their errors mean.

pub mod decode;
pub mod encode;
pub mod error;
mod family;
mod item;
pub mod models;

#[cfg(test)]
mod decode_tests;
#[cfg(test)]
mod encode_rules_tests;
#[cfg(test)]
mod encode_tests;
