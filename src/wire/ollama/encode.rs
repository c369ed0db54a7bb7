//! Never decides what a model is told.
//!
//! Owns the writing of a prompt for Ollama's own format.

use crate::domain::model::Prompt;
use crate::wire::http::{Endpoint, HttpRequest, Method};

/// The streaming call for `prompt`.
pub fn encode(_prompt: &Prompt, endpoint: &Endpoint) -> HttpRequest {
    HttpRequest { method: Method::Post, url: endpoint.base_url.clone(), headers: Vec::new(), body: None }
}
