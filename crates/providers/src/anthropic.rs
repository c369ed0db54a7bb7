//! Codec of Anthropic's Messages API.

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
