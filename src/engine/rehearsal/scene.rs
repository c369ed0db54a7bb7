//! Never decides anything.
//!
//! Owns the reading of a request: who is asked, with which tools, about which mind and message, and what has been
//! done in this turn already.

mod read;

use serde_json::Value;

use crate::domain::hash::Hash;
use crate::domain::sorted::{SortedMap, SortedSet};

/// Which persona is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Architect,
    Engineer,
    Critic,
    Other,
}

/// All that a reply depends on.
#[derive(Clone, Debug)]
pub(super) struct Scene {
    pub(super) role: Role,
    pub(super) name: String,
    /// What the persona says of itself after its name.
    pub(super) persona: String,
    pub(super) tools: SortedSet<String>,
    /// Whether the answer must be a JSON object and nothing else.
    pub(super) wants_json: bool,
    pub(super) mind: Mind,
    /// All that was said to the model last, as it came.
    pub(super) said: String,
    pub(super) sender: String,
    pub(super) message: String,
    /// Where the operator lets the round repeat: which round this is.
    pub(super) round: Option<Round>,
    /// Whether nothing was said in the conversation before.
    pub(super) opening: bool,
    /// What this turn asked of tools so far.
    pub(super) steps: Vec<Step>,
    /// The address of the request; ids and signatures are drawn from it.
    pub(super) seed: Hash,
    /// The length of the request, in bytes.
    pub(super) request_bytes: usize,
}

/// The mind block.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Mind {
    pub(super) objective: String,
    pub(super) scratchpad: String,
    pub(super) active: Option<ActiveFile>,
    pub(super) files: Vec<Listing>,
}

/// The active file as the mind block shows it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ActiveFile {
    pub(super) name: String,
    pub(super) content: String,
    /// Whether all of it is there.
    pub(super) whole: bool,
}

/// A line of the file list.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Listing {
    pub(super) name: String,
    pub(super) bytes: usize,
}

/// Which round of how many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Round {
    pub(super) number: u32,
    pub(super) of: u32,
}

/// One answer of this turn that asked for tools.
#[derive(Clone, Debug, Default)]
pub(super) struct Step {
    pub(super) calls: Vec<Done>,
}

/// A tool call of this turn with what came back.
#[derive(Clone, Debug)]
pub(super) struct Done {
    pub(super) id: Option<String>,
    pub(super) tool: String,
    pub(super) args: Value,
    pub(super) result: Option<Value>,
}

impl Done {
    /// Why the call did not succeed, in the tool's words.
    pub(super) fn problem(&self) -> Option<String> {
        let Some(result) = &self.result else { return Some("no result came back".to_owned()) };
        let error = result.get("error").filter(|error| !error.is_null())?;
        let words = error.as_str().or_else(|| error.get("message").and_then(Value::as_str));
        Some(words.map_or_else(|| error.to_string(), str::to_owned))
    }

    /// A text argument.
    pub(super) fn arg(&self, name: &str) -> Option<&str> {
        self.args.get(name).and_then(Value::as_str)
    }
}

impl Scene {
    /// Reads the body of a `streamGenerateContent` request; says in words why it cannot.
    pub(super) fn read(body: &str) -> Result<Self, String> {
        read::scene(body)
    }

    /// Whether `tool` is on offer.
    pub(super) fn offers(&self, tool: &str) -> bool {
        self.tools.contains(tool)
    }

    /// All calls of this turn, oldest first.
    pub(super) fn calls(&self) -> impl Iterator<Item = &Done> {
        self.steps.iter().flat_map(|step| &step.calls)
    }

    /// The last call of this turn that wrote the scratchpad.
    pub(super) fn noted(&self) -> Option<&Done> {
        self.calls()
            .filter(|call| call.tool == "update_nexus_state" && call.arg("scratchpad").is_some())
            .last()
    }

    /// The files whose whole content is known from the mind block or was read in this turn. Changes made in this
    /// turn are not in it.
    pub(super) fn contents(&self) -> SortedMap<String, String> {
        let mut known = SortedMap::new();
        if let Some(active) = self.mind.active.as_ref().filter(|active| active.whole) {
            known.insert(active.name.clone(), active.content.clone());
        }
        for call in self.calls().filter(|call| call.tool == "read_file" && call.problem().is_none()) {
            let Some(result) = call.result.as_ref().filter(|result| result.get("note").is_none()) else {
                continue;
            };
            let (Some(name), Some(text)) = (call.arg("name"), result.get("text").and_then(Value::as_str))
            else {
                continue;
            };
            let mut text = read::without_numbers(text);
            // Numbered lines all end in a line break, also the last one of a file that has none.
            if self.mind.files.iter().any(|file| file.name == name && file.bytes + 1 == text.len()) {
                text.pop();
            }
            known.insert(name.to_owned(), text);
        }
        known
    }

    /// The names of all files, the active one first.
    pub(super) fn file_names(&self) -> Vec<String> {
        let mut names: Vec<String> = self.mind.active.iter().map(|active| active.name.clone()).collect();
        for listing in &self.mind.files {
            if !names.contains(&listing.name) {
                names.push(listing.name.clone());
            }
        }
        names
    }

    /// The files that are worth reading before work on them and have not been asked for in this turn: at most six,
    /// none above 64 kB.
    pub(super) fn unread(&self) -> Vec<String> {
        let known = self.contents();
        self.file_names()
            .into_iter()
            .filter(|name| !known.contains_key(name))
            .filter(|name| {
                !self.calls().any(|call| call.tool == "read_file" && call.arg("name") == Some(name))
            })
            .filter(|name| {
                self.mind.files.iter().all(|listing| listing.name != *name || listing.bytes <= 65_536)
            })
            .take(6)
            .collect()
    }
}
