//! Never waits, never reads a clock, never reaches the network: a request goes in, a script of bytes comes out.
//!
//! Owns Rehearsal, the stand-in model with which Nexus does its main job without a key. It answers in the protocol
//! of Gemini, and computes what it says and which tools it calls from the request alone: the objective, the mind,
//! the operator's message and what the tools answered. Equal requests get equal bytes.
//!
//! The way of a request: [`scene`] reads it, one of [`architect`], [`engineer`], [`critic`] or [`worker`] decides
//! the reply, [`stream`] writes the reply as server-sent events. Between them, [`brief`] understands an objective,
//! [`plan`] reads and writes the checklist on the scratchpad, [`works`] makes first drafts of files, [`wish`]
//! changes them, [`edits`] turns a change into search and replace, and [`review`] finds what is wrong.

mod architect;
mod archivist;
mod brief;
mod critic;
mod edits;
mod engineer;
mod merger;
mod plan;
mod review;
mod scene;
mod stream;
mod wish;
mod words;
mod worker;
mod works;

#[cfg(test)]
mod tests;

use serde_json::json;

use crate::wire::http::{HttpRequest, Method};
use scene::{Role, Scene};
use stream::Reply;

/// The id of the only model on the list.
pub const MODEL: &str = "rehearsal-1";

/// The stand-in model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rehearsal {
    /// How long its pauses are, in percent of a pace that is good to watch; 0 answers at once.
    pub pace_percent: u16,
}

impl Default for Rehearsal {
    fn default() -> Self {
        Self { pace_percent: 100 }
    }
}

/// An HTTP response as a sequence of writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Script {
    /// The HTTP status.
    pub status: u16,
    /// The value of `content-type`.
    pub content_type: &'static str,
    /// The body, piece by piece.
    pub beats: Vec<Beat>,
}

/// One write of a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Beat {
    /// How long to wait before it, in milliseconds.
    pub pause_ms: u32,
    /// What to write.
    pub bytes: Vec<u8>,
}

/// Answers `request` at the pace that is good to watch.
pub fn answer(request: &HttpRequest) -> Script {
    Rehearsal::default().answer(request)
}

impl Rehearsal {
    /// Answers `request`: the list of models, or a streamed turn of whichever agent the system prompt names.
    pub fn answer(&self, request: &HttpRequest) -> Script {
        let path = request.url.split(['?', '#']).next().unwrap_or_default();
        match request.method {
            Method::Get if path.ends_with("/models") => stream::json(200, &json!({ "models": [model()] })),
            Method::Get if path.ends_with(&format!("/models/{MODEL}")) => stream::json(200, &model()),
            Method::Post if path.ends_with(":streamGenerateContent") => self.turn(request),
            Method::Get | Method::Post => {
                stream::error(404, "NOT_FOUND", &format!("Rehearsal has nothing at {path}."))
            }
        }
    }

    /// [`Rehearsal::answer`] as the part of the program that the page loads for it.
    pub fn answer_to(self, request: &HttpRequest) -> Script {
        self.answer(request)
    }

    fn turn(&self, request: &HttpRequest) -> Script {
        match Scene::read(request.body.as_deref().unwrap_or_default()) {
            Ok(scene) => stream::events(&scene, &reply(&scene), self.pace_percent),
            Err(problem) => stream::error(400, "INVALID_ARGUMENT", &problem),
        }
    }
}

fn reply(scene: &Scene) -> Reply {
    if scene.name == "Archivist" {
        return archivist::reply(scene);
    }
    if scene.name == "Core" && merger::is_asked(scene) {
        return merger::reply(scene);
    }
    if scene.wants_json {
        return worker::synthesis(scene);
    }
    match scene.role {
        Role::Architect => architect::reply(scene),
        Role::Engineer => engineer::reply(scene),
        Role::Critic => critic::reply(scene),
        Role::Other => worker::reply(scene),
    }
}

fn model() -> serde_json::Value {
    json!({
        "name": format!("models/{MODEL}"),
        "version": "1",
        "displayName": "Rehearsal",
        "description": "Stands in for a real model: no key, no network, every answer computed on this device.",
        "inputTokenLimit": 1_048_576,
        "outputTokenLimit": 65_536,
        "supportedGenerationMethods": ["generateContent"],
        "thinking": true,
    })
}
