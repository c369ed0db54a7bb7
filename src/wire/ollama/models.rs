//! Never chooses a model.
//!
//! Owns the list of models of Ollama's own format.

use crate::domain::failure::Failure;
use crate::domain::provider::ModelInfo;
use crate::wire::http::{Endpoint, HttpRequest, Method};
use crate::wire::refusal;

/// The request for the list.
pub fn models_request(endpoint: &Endpoint) -> HttpRequest {
    HttpRequest { method: Method::Get, url: endpoint.base_url.clone(), headers: Vec::new(), body: None }
}

/// Reads the answer.
///
/// # Errors
/// What went wrong, where the answer is not a list of models.
pub fn read_models(status: u16, body: &str) -> Result<Vec<ModelInfo>, Failure> {
    Err(refusal::unexplained(status, None, body))
}
