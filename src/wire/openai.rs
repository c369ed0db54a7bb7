//! Never performs input or output.
//!
//! Owns the codec of OpenAI-compatible Chat Completions: one format that many hosts speak, each with an accent of
//! its own. What is written depends on the host ([`dialect`]); what is read takes every accent at once.

mod calls;
pub mod decode;
pub mod dialect;
pub mod encode;
pub mod error;
mod messages;
pub mod models;
mod reasoning;
mod thinking;

#[cfg(test)]
mod decode_tests;
#[cfg(test)]
mod encode_rules_tests;
#[cfg(test)]
mod encode_tests;
