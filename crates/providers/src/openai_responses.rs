//! Codec of OpenAI's Responses API.

pub mod decode;
pub mod encode;
pub mod error;
mod family;
pub mod models;

#[cfg(test)]
mod decode_tests;
#[cfg(test)]
mod encode_rules_tests;
#[cfg(test)]
mod encode_tests;
