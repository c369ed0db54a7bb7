//! Never performs input or output, and never runs or repairs a call.
//!
//! Owns the reading of the stream of Ollama's own format.

use crate::wire::chat::ModelEvent;

/// Reads one answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OllamaDecoder {}

impl OllamaDecoder {
    /// Takes in more bytes.
    pub fn feed(&mut self, _bytes: &[u8]) -> Vec<ModelEvent> {
        Vec::new()
    }

    /// The stream is over.
    pub fn end(&mut self) -> Vec<ModelEvent> {
        Vec::new()
    }
}
