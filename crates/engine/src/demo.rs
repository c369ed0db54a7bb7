//! The demo: a stand-in model that plays prepared scenarios without a key and without the network.
//!
//! Answers in Gemini's protocol from the request alone: equal requests get equal bytes. `request` parses the
//! request; `play` answers where a scenario is prepared (`scenario`), `unprepared` where none is, and `jobs` for the
//! Core and the Archivist; `stream` writes the reply as server-sent events. Never claims a feature, a test or a finding
//! that it did not compute.

mod jobs;
mod play;
mod request;
mod review;
mod scenario;
mod stream;
mod text;
mod unprepared;

#[cfg(test)]
mod tests;

use serde_json::json;

use crate::demo::request::DemoRequest;
use crate::demo::scenario::Scenario;
use crate::demo::stream::DemoReply;
use nexus_model::provider::demo::demo_objective;
use nexus_providers::http::{HttpRequest, Method};

/// The id of the only model on the list.
pub const MODEL: &str = "rehearsal-1";

/// The simulated model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Demo {
    /// Duration of its pauses in percent of the normal pace; 0 answers at once.
    pub pace_percent: u16,
}

impl Default for Demo {
    fn default() -> Self {
        Self { pace_percent: 100 }
    }
}

/// An HTTP response as a sequence of writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Script {
    pub status: u16,
    /// The value of `content-type`.
    pub content_type: &'static str,
    /// The body, piece by piece.
    pub beats: Vec<Beat>,
}

/// One write of a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Beat {
    /// Pause before it, in milliseconds.
    pub pause_ms: u32,
    pub bytes: Vec<u8>,
}

impl Demo {
    /// Answers `request`: the list of models, or a streamed turn of whichever agent the system prompt names.
    pub fn answer(&self, request: &HttpRequest) -> Script {
        let path = request.url.split(['?', '#']).next().unwrap_or_default();
        match request.method {
            Method::Get if path.ends_with("/models") => stream::json(200, &json!({ "models": [model()] })),
            Method::Get if path.ends_with(&format!("/models/{MODEL}")) => stream::json(200, &model()),
            Method::Post if path.ends_with(":streamGenerateContent") => self.turn(request),
            Method::Get | Method::Post => {
                stream::error(404, "NOT_FOUND", &format!("The demo has nothing at {path}."))
            }
        }
    }

    /// [`Demo::answer`] by value, for the lazily loaded chunk.
    pub fn answer_to(self, request: &HttpRequest) -> Script {
        self.answer(request)
    }

    fn turn(&self, request: &HttpRequest) -> Script {
        match request::request(request.body.as_deref().unwrap_or_default()) {
            Ok(request) => stream::events(&request, &reply(&request), self.pace_percent),
            Err(problem) => stream::error(400, "INVALID_ARGUMENT", &problem),
        }
    }
}

fn reply(request: &DemoRequest) -> DemoReply {
    if let Some(reply) = jobs::reply(request) {
        return reply;
    }
    // The current message takes precedence over the objective.
    let named = demo_objective(&request.message).or_else(|| demo_objective(&request.mind.objective));
    match named.and_then(|one| Scenario::of(one.title)) {
        Some(scenario) => play::reply(request, &scenario),
        None => unprepared::reply(request),
    }
}

fn model() -> serde_json::Value {
    json!({
        "name": format!("models/{MODEL}"),
        "version": "1",
        "displayName": "Demo",
        "description": "Plays prepared scenarios on this device: no model, no key, no network.",
        "inputTokenLimit": 1_048_576,
        "outputTokenLimit": 65_536,
        "supportedGenerationMethods": ["generateContent"],
        "thinking": true,
    })
}
