//! Codec of OpenAI-compatible Chat Completions.
//!
//! The encoder follows the host's [`dialect`]; the decoder accepts all dialects at once.

mod calls;
pub mod decode;
pub mod dialect;
pub mod encode;
pub mod error;
pub mod models;
mod reasoning;
mod thinking;

#[cfg(test)]
mod decode_tests;
#[cfg(test)]
mod encode_rules_tests;
#[cfg(test)]
mod encode_tests;
