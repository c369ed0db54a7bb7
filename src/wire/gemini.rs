//! Never sends or waits.
//!
//! Gemini's `streamGenerateContent`: how a prompt is written in it, how its stream is read, what its errors mean.

pub mod decode;
pub mod encode;
pub mod error;
pub mod models;
mod thinking;

#[cfg(test)]
mod decode_tests;
#[cfg(test)]
mod encode_rules_tests;
#[cfg(test)]
mod encode_tests;
