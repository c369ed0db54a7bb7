//! Never words anything for the operator.
//!
//! Owns what an error of OpenAI's Responses means.

use crate::domain::failure::Failure;
use crate::wire::refusal;

/// What an answer means that is no stream.
pub fn classify(status: u16, content_type: Option<&str>, body: &str) -> Failure {
    refusal::unexplained(status, content_type, body)
}
