//! Codec of Gemini's `streamGenerateContent`.

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
