//! A minimal engine for one round: request format, tools and tool loop. Does not stream: it joins the bytes.

use std::rc::Rc;

use futures_util::FutureExt as _;
use serde_json::{Value, json};

use super::post;
use crate::checks;
use crate::demo::{Demo, Script};
use crate::port::lazy::{CheckRun, InMemoryCheckRunner};
use nexus_model::mind::MindFile;
use nexus_text::vec_map::VecMap;

const TOOLS: [&str; 7] = [
    "update_nexus_state",
    "get_active_file",
    "list_files",
    "read_file",
    "write_file",
    "edit_file",
    "run_checks",
];
const TOOL_ROUNDS: usize = 8;

pub(super) struct DemoStage {
    pub(super) objective: String,
    pub(super) scratchpad: String,
    pub(super) files: VecMap<String, String>,
    pub(super) active: Option<String>,
    pub(super) tools: Vec<&'static str>,
    pub(super) read_only: bool,
    /// A change by the operator just before the next edit: file, text, replacement.
    pub(super) edit_before_next: Option<(String, String, String)>,
    pub(super) accepted: Option<bool>,
    /// The agents' replies so far, under their names.
    pub(super) replies: Vec<String>,
    /// The same with the messages that they answered.
    history: Vec<String>,
    pub(super) used: Vec<String>,
    /// Total pauses of the agents.
    pub(super) millis: u32,
    /// Errors of tool calls.
    pub(super) errors: Vec<String>,
}

/// Decodes the events of a script; panics on wrong framing.
pub(super) fn decode(script: &Script) -> Vec<Value> {
    let bytes: Vec<u8> = script.beats.iter().flat_map(|beat| beat.bytes.clone()).collect();
    let body = String::from_utf8(bytes).unwrap();
    let body = body.strip_suffix("\r\n\r\n").expect("the stream ends with a blank line");
    body.split("\r\n\r\n")
        .map(|event| serde_json::from_str(event.strip_prefix("data: ").unwrap()).unwrap())
        .collect()
}

impl DemoStage {
    pub(super) fn new(objective: &str) -> Self {
        Self {
            objective: objective.to_owned(),
            scratchpad: String::new(),
            files: VecMap::new(),
            active: None,
            tools: TOOLS.to_vec(),
            read_only: false,
            edit_before_next: None,
            accepted: None,
            replies: Vec::new(),
            history: Vec::new(),
            used: Vec::new(),
            millis: 0,
            errors: Vec::new(),
        }
    }

    pub(super) fn round(&mut self, message: &str, round: Option<(u32, u32)>) {
        self.turn("Architect", message, round);
        // The others see the message before its answer.
        let at = self.history.len() - 1;
        self.history.insert(at, format!("<message from=\"Ada\">\n{message}\n</message>"));
        self.turn("Engineer", message, round);
        self.turn("Critic", message, round);
    }

    pub(super) fn turn(&mut self, agent: &str, message: &str, round: Option<(u32, u32)>) {
        let mut base: Value = serde_json::from_str(&self.request(agent, message, round, &[])).unwrap();
        let mut replies = format!("[{agent}] ");
        for step in 0.. {
            assert!(step <= TOOL_ROUNDS, "{agent} does not come to an end");
            let script = Demo::default().answer(&post(base.to_string()));
            assert_eq!(script.status, 200);
            self.millis += script.beats.iter().map(|beat| beat.pause_ms).sum::<u32>();
            let events = decode(&script);
            let parts: Vec<Value> = events
                .iter()
                .flat_map(|event| event["candidates"][0]["content"]["parts"].as_array().cloned().unwrap())
                .collect();
            let prose =
                parts.iter().filter(|part| part["thought"] != true).filter_map(|part| part["text"].as_str());
            replies.push_str(&prose.collect::<String>());
            let calls: Vec<Value> =
                parts.into_iter().filter(|part| part.get("functionCall").is_some()).collect();
            if calls.is_empty() {
                break;
            }
            let answers: Vec<Value> = calls.iter().map(|call| self.run(&call["functionCall"])).collect();
            let contents = base["contents"].as_array_mut().unwrap();
            contents.push(json!({ "role": "model", "parts": calls }));
            contents.push(json!({ "role": "user", "parts": answers }));
        }
        assert!(replies.len() > agent.len() + 3, "{agent} says something to {message}");
        self.history.push(replies.clone());
        self.replies.push(replies);
    }

    pub(super) fn request(
        &self,
        agent: &str,
        message: &str,
        round: Option<(u32, u32)>,
        more: &[Value],
    ) -> String {
        let mut mind = format!(
            "<mind>\n<objective>\n{}\n</objective>\n<scratchpad>\n{}\n</scratchpad>\n",
            self.objective, self.scratchpad
        );
        if let Some((name, content)) =
            self.active.as_ref().and_then(|name| Some((name, self.files.get(name)?)))
        {
            let (lines, bytes) = (content.lines().count(), content.len());
            mind.push_str(&format!(
                "<active_file name=\"{name}\" lines=\"{lines}\" bytes=\"{bytes}\">\n{}\n</active_file>\n",
                content.strip_suffix('\n').unwrap_or(content)
            ));
        }
        if !self.files.is_empty() {
            mind.push_str("<files>\n");
            for (name, content) in &self.files {
                mind.push_str(&format!(
                    "- {name} ({} lines, {} bytes)\n",
                    content.lines().count(),
                    content.len()
                ));
            }
            mind.push_str("</files>\n");
        }
        mind.push_str("</mind>\n");
        let mut query = format!("{mind}<now>2026-11-20T12:00:00Z</now>\n");
        let mut tools: Vec<&str> = self.tools.clone();
        if let Some((number, of)) = round {
            query.push_str(&format!(
                "<round number=\"{number}\" of=\"{of}\">\ngo on\n</round>\n<definition_of_done>\nall good\n</definition_of_done>\n"
            ));
            tools.push("accept_work");
        }
        query.push_str(&format!("<message from=\"Ada\">\n{message}\n</message>\n"));
        let mut contents: Vec<Value> =
            self.history.iter().map(|text| json!({ "role": if text.starts_with(&format!("[{agent}]")) { "model" } else { "user" }, "parts": [{ "text": text }] })).collect();
        contents.push(json!({ "role": "user", "parts": [{ "text": query }] }));
        contents.extend_from_slice(more);
        let declarations: Vec<Value> = tools.iter().map(|name| json!({ "name": name })).collect();
        json!({
            "systemInstruction": { "parts": [{ "text": format!("You are {agent}, one of several agents.\nMore.") }] },
            "contents": contents,
            "tools": [{ "functionDeclarations": declarations }],
        })
        .to_string()
    }

    fn run(&mut self, call: &Value) -> Value {
        let name = call["name"].as_str().unwrap();
        let is_offered = self.tools.contains(&name) || name == "accept_work";
        assert!(is_offered, "{name} is not offered");
        self.used.push(name.to_owned());
        let response = self.outcome(name, &call["args"]);
        if let Some(error) = response.get("error") {
            self.errors.push(error.to_string());
        }
        json!({ "functionResponse": { "id": call["id"], "name": name, "response": response } })
    }

    fn outcome(&mut self, tool: &str, args: &Value) -> Value {
        let text = |name: &str| args[name].as_str().map(str::to_owned);
        let file = text("name").unwrap_or_default();
        if self.read_only && matches!(tool, "write_file" | "edit_file" | "update_nexus_state") {
            return json!({ "error": "denied by the operator" });
        }
        match tool {
            "update_nexus_state" => {
                self.objective = text("objective").unwrap_or(self.objective.clone());
                self.scratchpad = text("scratchpad").unwrap_or(self.scratchpad.clone());
                if let (Some(name), Some(content)) = (text("activeFileName"), text("activeFile")) {
                    self.files.insert(name.clone(), content);
                    self.active = Some(name);
                }
                json!({ "ok": true })
            }
            "get_active_file" => self.active.as_ref().map_or(json!({ "error": "no file" }), |name| {
                json!({ "name": name, "bytes": self.files[name].len(), "lines": self.files[name].lines().count() })
            }),
            "read_file" => self.files.get(&file).map_or(json!({ "error": "no such file" }), |content| {
                let lines = content.lines().enumerate().map(|(at, line)| format!("{}\t{line}\n", at + 1));
                json!({ "text": lines.collect::<String>() })
            }),
            "write_file" => {
                assert!(!file.contains('/'), "{file}");
                self.files.insert(file.clone(), text("content").unwrap());
                self.active = Some(file);
                json!({ "ok": true })
            }
            "edit_file" => {
                if let Some((name, from, to)) = self.edit_before_next.take() {
                    let content = self.files[&name].replace(&from, &to);
                    self.files.insert(name, content);
                }
                let search = text("search").unwrap();
                match self.files.get(&file) {
                    Some(content) if content.matches(&search).count() == 1 => {
                        let content = content.replace(&search, &text("replace").unwrap());
                        self.files.insert(file.clone(), content);
                        self.active = Some(file);
                        json!({ "ok": true })
                    }
                    Some(_) => json!({ "error": "the search text was not found exactly once" }),
                    None => json!({ "error": "no such file" }),
                }
            }
            "run_checks" => {
                let files = self.files.iter().map(|(name, text)| (name.clone(), MindFile::new(text))).collect();
                let sandbox = InMemoryCheckRunner(Some(Rc::new(|_| Ok(CheckRun::default()))));
                let report = checks::run(&files, &sandbox).now_or_never().unwrap();
                assert_eq!(report.problems, [], "the demo's code has no mistakes");
                report.for_model()
            }
            "accept_work" => {
                self.accepted = args["accepted"].as_bool();
                assert!(!text("reasons").unwrap().is_empty());
                json!({ "ok": true })
            }
            other => panic!("unknown tool {other}"),
        }
    }
}
