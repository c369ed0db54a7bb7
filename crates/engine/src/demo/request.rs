//! A parsed request to the demo: agent, tools, mind, message, and what was done in this turn already.

use serde_json::Value;

use nexus_model::provider::demo::demo_key;
use nexus_text::content_hash::ContentHash;
use nexus_text::vec_map::{VecMap, VecSet};

/// Messages that ask to begin or to go on.
const GO_ON: [&str; 9] =
    ["", "go", "go on", "continue", "carry on", "build it", "begin", "start", "build what the plan says"];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Speaker {
    Architect,
    Engineer,
    Critic,
    Other,
}

/// All that a reply depends on.
#[derive(Clone, Debug)]
pub(super) struct DemoRequest {
    pub(super) speaker: Speaker,
    pub(super) name: String,
    /// What the persona says of itself after its name.
    pub(super) persona: String,
    pub(super) tools: VecSet<String>,
    /// Whether the answer must be a JSON object and nothing else.
    pub(super) wants_json: bool,
    pub(super) mind: ShownMind,
    /// All that was said to the model last, as it came.
    pub(super) said: String,
    /// The operator's message.
    pub(super) message: String,
    /// Where the operator lets the round repeat: which round this is.
    pub(super) round: Option<u32>,
    /// Whether nothing was said in the conversation before.
    pub(super) opening: bool,
    /// Whether another agent has said to this message that it needs a model.
    pub(super) told: bool,
    /// What this turn asked of tools so far.
    pub(super) steps: Vec<CallStep>,
    /// The address of the request; ids and signatures are drawn from it.
    pub(super) seed: ContentHash,
    /// The length of the request, in bytes.
    pub(super) request_bytes: usize,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct ShownMind {
    pub(super) objective: String,
    pub(super) scratchpad: String,
    pub(super) active: Option<ShownFile>,
    pub(super) files: Vec<FileEntry>,
}

/// The active file as the mind block shows it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ShownFile {
    pub(super) name: String,
    pub(super) content: String,
    pub(super) whole: bool,
}

/// A line of the file list.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct FileEntry {
    pub(super) name: String,
    pub(super) bytes: usize,
}

/// One answer of this turn that asked for tools.
#[derive(Clone, Debug, Default)]
pub(super) struct CallStep {
    pub(super) calls: Vec<PastCall>,
}

/// A tool call of this turn with what came back.
#[derive(Clone, Debug)]
pub(super) struct PastCall {
    pub(super) id: Option<String>,
    pub(super) tool: String,
    pub(super) args: Value,
    pub(super) result: Option<Value>,
}

impl PastCall {
    /// Why the call did not succeed, in the tool's words.
    pub(super) fn problem(&self) -> Option<String> {
        let Some(result) = &self.result else { return Some("no result came back".to_owned()) };
        let error = result.get("error").filter(|error| !error.is_null())?;
        let words = error.as_str().or_else(|| error.get("message").and_then(Value::as_str));
        Some(words.map_or_else(|| error.to_string(), str::to_owned))
    }

    pub(super) fn arg(&self, name: &str) -> Option<&str> {
        self.args.get(name).and_then(Value::as_str)
    }
}

impl DemoRequest {
    /// Whether the message asks to go on, or says the objective again.
    pub(super) fn goes_on(&self) -> bool {
        let key = demo_key(&self.message);
        self.round.is_some_and(|round| round > 1)
            || key == demo_key(&self.mind.objective)
            || GO_ON.iter().any(|words| demo_key(words) == key)
    }

    /// Whether its node of a graph is to write checks.
    pub(super) fn wants_checks(&self) -> bool {
        self.block("<node ", "</node>").contains("checks/")
    }

    /// What came into the inbox of its node.
    pub(super) fn inbox(&self) -> &str {
        self.block("<inbox>", "</inbox>")
    }

    /// What stands between these marks, behind the mind.
    fn block(&self, begin: &str, end: &str) -> &str {
        let around = self.said.rsplit_once("</mind>").map_or("", |(_, around)| around);
        let inside = around.split_once(begin).and_then(|(_, rest)| rest.split_once(end));
        inside.map_or("", |(inside, _)| inside)
    }

    pub(super) fn offers(&self, tool: &str) -> bool {
        self.tools.contains(tool)
    }

    /// All calls of this turn, oldest first.
    pub(super) fn calls(&self) -> impl Iterator<Item = &PastCall> {
        self.steps.iter().flat_map(|step| &step.calls)
    }

    /// The calls of this turn of `tool` on the file `name`.
    pub(super) fn calls_on(&self, tool: &str, name: &str) -> impl Iterator<Item = &PastCall> {
        self.calls().filter(move |call| call.tool == tool && call.arg("name") == Some(name))
    }

    /// The last call of this turn that wrote the scratchpad.
    pub(super) fn noted(&self) -> Option<&PastCall> {
        self.calls()
            .filter(|call| call.tool == "update_nexus_state" && call.arg("scratchpad").is_some())
            .last()
    }

    pub(super) fn has_file(&self, name: &str) -> bool {
        self.mind.files.iter().any(|file| file.name == name)
    }

    /// The texts of the files that the mind block shows whole or that were read in this turn. Changes made in this turn
    /// are not in them.
    pub(super) fn texts(&self) -> VecMap<String, String> {
        let mut known = VecMap::new();
        if let Some(active) = self.mind.active.as_ref().filter(|active| active.whole) {
            known.insert(active.name.clone(), active.content.clone());
        }
        for call in self.calls().filter(|call| call.tool == "read_file" && call.problem().is_none()) {
            let Some(result) = call.result.as_ref().filter(|result| result.get("note").is_none()) else {
                continue;
            };
            if let (Some(name), Some(text)) = (call.arg("name"), result.get("text").and_then(Value::as_str)) {
                known.insert(name.to_owned(), without_numbers(text));
            }
        }
        known
    }

    /// Those of `names` that are there, are not known yet and were not asked for in this turn.
    pub(super) fn unread<'n>(&self, names: impl IntoIterator<Item = &'n str>) -> Vec<&'n str> {
        let known = self.texts();
        let is_new = |name: &&str| {
            self.has_file(name)
                && !known.contains_key(*name)
                && self.calls_on("read_file", name).next().is_none()
        };
        names.into_iter().filter(is_new).collect()
    }
}

/// `text` without the numbers and tabs that the read tool puts before its lines.
fn without_numbers(text: &str) -> String {
    let line = |line: &str| line.split_once('\t').map_or(line, |(_, rest)| rest).to_owned() + "\n";
    text.lines().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_numbers_come_off() {
        assert_eq!(without_numbers("1\tfn main() {\n2\t\tgo();\n3\t\n4\t}\n"), "fn main() {\n\tgo();\n\n}\n");
    }
}
