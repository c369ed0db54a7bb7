//! Parses a request to the demo, Gemini's JSON with the mind block in it: agent, tools, mind, message, and what was
//! done in this turn already.
//!
//! Fails only on a body that is not a request, never on what a text says.

use crate::demo::text;
use crate::demo::text::ListedItem;
use crate::prelude::*;
use nexus_model::provider::presets::{NEEDS_MODEL, demo_key};

const CONTINUE: [&str; 9] =
    ["", "go", "go on", "continue", "carry on", "build it", "begin", "start", "build what the plan says"];

#[derive(Clone, Debug)]
pub(super) struct DemoRequest {
    pub(super) name: String,
    /// The persona's text after the name.
    pub(super) persona: String,
    pub(super) tools: VecSet<String>,
    pub(super) wants_json: bool,
    pub(super) mind: ShownMind,
    pub(super) query: String,
    pub(super) message: String,
    pub(super) round: Option<u32>,
    /// True if this is the conversation's first message.
    pub(super) opening: bool,
    /// True if another agent already answered this message by explaining that it needs a model.
    pub(super) is_explained: bool,
    /// The tool calls of this turn so far, oldest first.
    pub(super) calls: Vec<PastCall>,
    /// Hash of the request; the seed of ids and signatures.
    pub(super) seed: ContentHash,
    pub(super) request_bytes: usize,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct ShownMind {
    pub(super) objective: String,
    pub(super) scratchpad: String,
    pub(super) active: Option<ShownFile>,
    pub(super) files: Vec<FileEntry>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct ShownFile {
    pub(super) name: String,
    pub(super) content: String,
    pub(super) whole: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct FileEntry {
    pub(super) name: String,
    pub(super) bytes: usize,
}

#[derive(Clone, Debug)]
pub(super) struct PastCall {
    pub(super) id: Option<String>,
    pub(super) tool: String,
    pub(super) args: Value,
    pub(super) result: Option<Value>,
}

impl PastCall {
    pub(super) fn error(&self) -> Option<String> {
        let Some(result) = &self.result else { return Some("no result came back".to_owned()) };
        let error = result.get("error").filter(|error| !error.is_null())?;
        let message = error.as_str().or_else(|| error.get("message").and_then(Value::as_str));
        Some(message.map_or_else(|| error.to_string(), str::to_owned))
    }

    pub(super) fn arg(&self, name: &str) -> Option<&str> {
        self.args.get(name).and_then(Value::as_str)
    }
}

impl DemoRequest {
    /// True if the message asks to continue or repeats the objective.
    pub(super) fn continues(&self) -> bool {
        let key = demo_key(&self.message);
        self.round.is_some_and(|round| round > 1)
            || key == demo_key(&self.mind.objective)
            || CONTINUE.iter().any(|words| demo_key(words) == key)
    }

    /// True if its graph node must write checks.
    pub(super) fn wants_checks(&self) -> bool {
        self.block("<node ", "</node>").contains("checks/")
    }

    pub(super) fn inbox(&self) -> &str {
        self.block("<inbox>", "</inbox>")
    }

    /// The text between two tags, after the mind block.
    fn block(&self, begin: &str, end: &str) -> &str {
        let around = self.query.rsplit_once("</mind>").map_or("", |(_, around)| around);
        let inside = around.split_once(begin).and_then(|(_, rest)| rest.split_once(end));
        inside.map_or("", |(inside, _)| inside)
    }

    pub(super) fn offers(&self, tool: &str) -> bool {
        self.tools.contains(tool)
    }

    pub(super) fn calls_on(&self, tool: &str, name: &str) -> impl Iterator<Item = &PastCall> {
        self.calls.iter().filter(move |call| call.tool == tool && call.arg("name") == Some(name))
    }

    /// The last call of this turn that wrote the scratchpad.
    pub(super) fn scratchpad_write(&self) -> Option<&PastCall> {
        self.calls.iter().rfind(|call| call.tool == "update_nexus_state" && call.arg("scratchpad").is_some())
    }

    /// The number of done items and the arguments that tick them on the scratchpad; `None` if there are none, the
    /// scratchpad was written in this turn already, or the tool is not offered.
    pub(super) fn tick(&self, is_done: impl Fn(&ListedItem<'_>) -> bool) -> Option<(usize, Value)> {
        let pad = &self.mind.scratchpad;
        let done = text::items(pad).into_iter().filter(|item| !item.done && is_done(item));
        let lines: Vec<usize> = done.map(|item| item.line).collect();
        let may = !lines.is_empty() && self.scratchpad_write().is_none() && self.offers("update_nexus_state");
        may.then(|| (lines.len(), json!({ "scratchpad": text::with_ticks(pad, &lines) })))
    }

    pub(super) fn has_file(&self, name: &str) -> bool {
        self.mind.files.iter().any(|file| file.name == name)
    }

    /// The files that the mind block shows completely or that were read in this turn, without changes made in this
    /// turn.
    pub(super) fn texts(&self) -> VecMap<String, String> {
        let mut known = VecMap::new();
        if let Some(active) = self.mind.active.as_ref().filter(|active| active.whole) {
            known.insert(active.name.clone(), active.content.clone());
        }
        for call in self.calls.iter().filter(|call| call.tool == "read_file" && call.error().is_none()) {
            let Some(result) = call.result.as_ref().filter(|result| result.get("note").is_none()) else {
                continue;
            };
            if let (Some(name), Some(text)) = (call.arg("name"), result.get("text").and_then(Value::as_str)) {
                known.insert(name.to_owned(), without_numbers(text));
            }
        }
        known
    }

    /// Those of `names` that exist, are not known yet and were not read in this turn.
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

/// Removes the line numbers and tabs that the read tool adds.
fn without_numbers(text: &str) -> String {
    let line = |line: &str| line.split_once('\t').map_or(line, |(_, rest)| rest).to_owned() + "\n";
    text.lines().map(line).collect()
}

/// Parses the body of a `streamGenerateContent` request; the error is a text.
pub(super) fn request(body: &str) -> Result<DemoRequest, String> {
    let request: Value =
        serde_json::from_str(body).map_err(|error| format!("The request is not JSON: {error}."))?;
    let contents = request
        .get("contents")
        .and_then(Value::as_array)
        .filter(|contents| !contents.is_empty())
        .ok_or("The request has no contents.")?;

    let (name, persona) = persona(&texts(request.get("systemInstruction")).join("\n"));
    let last = |is: fn(&Value) -> bool| contents.iter().rposition(|it| !is_model(it) && is(it));
    let at = last(starts_with_mind).or_else(|| last(|it| !texts(Some(it)).is_empty())).unwrap_or(0);
    let before = contents.get(..at).unwrap_or_default();
    let query = texts(contents.get(at));
    let from = query.iter().rposition(|text| text.trim_start().starts_with("<mind>")).unwrap_or(0);
    let query_text = query.get(from..).unwrap_or_default().join("\n");
    let (block, rest) = split_mind(&query_text);
    let (message, around) = message(rest);
    let format = request.pointer("/generationConfig/responseMimeType").and_then(Value::as_str);

    Ok(DemoRequest {
        name,
        persona,
        tools: tools(&request),
        wants_json: format == Some("application/json"),
        mind: block.map(mind).unwrap_or_default(),
        query: query_text.clone(),
        is_explained: is_explained(before, query.get(..from).unwrap_or_default(), &message),
        message,
        round: round(&around),
        opening: at == 0 && from == 0,
        calls: calls(contents.get(at + 1..).unwrap_or_default()),
        seed: ContentHash::of_text(body),
        request_bytes: body.len(),
    })
}

fn is_model(content: &Value) -> bool {
    content.get("role").and_then(Value::as_str) == Some("model")
}

fn starts_with_mind(content: &Value) -> bool {
    texts(Some(content)).iter().any(|text| text.trim_start().starts_with("<mind>"))
}

fn parts(content: Option<&Value>) -> &[Value] {
    content.and_then(|content| content.get("parts")).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn texts(content: Option<&Value>) -> Vec<&str> {
    parts(content).iter().filter_map(|part| part.get("text").and_then(Value::as_str)).collect()
}

fn persona(system: &str) -> (String, String) {
    let first = system.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim();
    let Some(rest) = first.strip_prefix("You are ") else { return ("Agent".to_owned(), String::new()) };
    let (name, about) = rest.split_once([',', '.', ':', ';']).unwrap_or((rest, ""));
    let name = name.trim().strip_prefix("the ").unwrap_or(name.trim());
    (name.to_owned(), about.trim().trim_end_matches('.').to_owned())
}

/// True if another agent already answered this message by explaining that it needs a model. This agent's own answers
/// are older than the message.
fn is_explained(before: &[Value], in_query: &[&str], message: &str) -> bool {
    let earlier = before
        .iter()
        .flat_map(|content| texts(Some(content)).into_iter().map(|text| (is_model(content), text)));
    let earlier: Vec<(bool, &str)> = earlier.chain(in_query.iter().map(|text| (false, *text))).collect();
    let last = earlier.iter().rposition(|(own, text)| !own && text.starts_with("<message from="));
    let Some((asked, since)) = last.and_then(|at| earlier.get(at..)?.split_first()) else { return false };
    asked.1.contains(message)
        && since.iter().all(|(own, _)| !own)
        && since.iter().any(|(_, text)| text.contains(NEEDS_MODEL))
}

fn tools(request: &Value) -> VecSet<String> {
    let list = |value: &Value, name: &str| value.get(name).and_then(Value::as_array).cloned();
    let groups = list(request, "tools").unwrap_or_default();
    let tools = groups.iter().filter_map(|group| list(group, "functionDeclarations")).flatten();
    tools.filter_map(|tool| tool.get("name").and_then(Value::as_str).map(str::to_owned)).collect()
}

/// The content of the mind block and the text after it. The block ends where a message or a round begins, as a file may
/// contain the closing tag.
fn split_mind(text: &str) -> (Option<&str>, &str) {
    let Some(inside) = text.trim_start().strip_prefix("<mind>") else { return (None, text) };
    let tags = ["<memories>", "<now>", "<message from=", "<round", "<definition_of_done>"];
    let found = closed(inside, "</mind>", &tags).or_else(|| inside.rsplit_once("</mind>"));
    found.map_or((Some(inside), ""), |(block, rest)| (Some(block), rest))
}

fn mind(block: &str) -> ShownMind {
    let (objective, rest) = section(block, "<objective>", "</objective>", "<scratchpad>");
    let rest_or_block = if objective.is_some() { rest } else { block };
    let (scratchpad, rest) = section(rest_or_block, "<scratchpad>", "</scratchpad>", "<");
    let (active, rest) = active_file(rest);
    ShownMind {
        objective: objective.unwrap_or_default(),
        scratchpad: scratchpad.unwrap_or_default(),
        active,
        files: listings(rest),
    }
}

/// The text before the first `close` that is followed by one of `next` or by nothing, and what comes after.
fn closed<'a>(text: &'a str, close: &str, next: &[&str]) -> Option<(&'a str, &'a str)> {
    let splits = text.match_indices(close).filter_map(|(at, _)| text.split_at_checked(at));
    splits.map(|(body, rest)| (body, rest.get(close.len()..).unwrap_or_default())).find(|(_, rest)| {
        let follows = rest.trim_start();
        follows.is_empty() || next.iter().any(|tag| follows.starts_with(tag))
    })
}

/// The text between `open` and the first `close` that is followed by `next` (or by nothing), and what comes after.
fn section<'a>(text: &'a str, open: &str, close: &str, next: &str) -> (Option<String>, &'a str) {
    let Some((_, inside)) = text.split_once(open) else { return (None, text) };
    closed(inside, close, &[next])
        .map_or((None, text), |(body, rest)| (Some(trim_newlines(body).to_owned()), rest))
}

/// End of a file's text that was truncated.
const CUT_MARK: &str = "use read_file for the rest)";

fn active_file(text: &str) -> (Option<ShownFile>, &str) {
    let Some(inside) = text.trim_start().strip_prefix("<active_file") else { return (None, text) };
    let Some((attributes, inside)) = inside.split_once(">\n") else { return (None, text) };
    let Some((content, rest)) = inside.rsplit_once("\n</active_file>") else { return (None, text) };
    let bytes = attribute(attributes, "bytes").and_then(|bytes| bytes.parse::<usize>().ok());
    // The block may add a line break at the end, or drop the file's last one.
    let content = match bytes {
        Some(bytes) if bytes == content.len() + 1 => format!("{content}\n"),
        Some(_) | None => content.to_owned(),
    };
    let whole = bytes.is_none_or(|bytes| bytes == content.len()) && !content.ends_with(CUT_MARK);
    let name = attribute(attributes, "name").unwrap_or_default();
    (Some(ShownFile { name, content, whole }).filter(|active| !active.name.is_empty()), rest)
}

fn attribute(attributes: &str, name: &str) -> Option<String> {
    let (_, after) = attributes.split_once(&format!("{name}=\""))?;
    let (value, _) = after.split_once('"')?;
    Some(value.replace("&quot;", "\"").replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"))
}

fn listings(text: &str) -> Vec<FileEntry> {
    let Some((_, list)) = text.rsplit_once("<files>") else { return Vec::new() };
    list.lines()
        .filter_map(|line| {
            let (name, facts) = line.strip_prefix("- ")?.rsplit_once(" (")?;
            let bytes = facts.rsplit_once(" byte")?.0.rsplit(' ').next()?.parse().ok()?;
            Some(FileEntry { name: name.to_owned(), bytes })
        })
        .collect()
}

/// The message and the text around it. Joins several messages in a row.
fn message(text: &str) -> (String, String) {
    const OPEN: &str = "<message from=\"";
    const CLOSE: &str = "</message>";
    let Some((before, inside)) = text.split_once(OPEN) else {
        let whole = if text.contains("<round") { "" } else { text.trim() };
        return (whole.to_owned(), text.to_owned());
    };
    let (_, inside) = inside.split_once("\">").unwrap_or(("", inside));
    let (body, after) = inside.rsplit_once(CLOSE).unwrap_or((inside, ""));
    let body: Vec<&str> =
        body.lines().filter(|line| !(line.starts_with(OPEN) || line.trim() == CLOSE)).collect();
    (body.join("\n").trim().to_owned(), format!("{before}\n{after}"))
}

fn round(around: &str) -> Option<u32> {
    let (_, tag) = around.split_once("<round ")?;
    attribute(tag.split_once('>')?.0, "number")?.parse().ok()
}

fn calls(contents: &[Value]) -> Vec<PastCall> {
    let mut calls: Vec<PastCall> = Vec::new();
    for part in contents.iter().flat_map(|content| parts(Some(content))) {
        if let Some(call) = part.get("functionCall") {
            calls.push(PastCall {
                id: call.get("id").and_then(Value::as_str).map(str::to_owned),
                tool: call.get("name").and_then(Value::as_str).unwrap_or_default().to_owned(),
                args: call.get("args").cloned().unwrap_or_default(),
                result: None,
            });
        } else if let Some(answer) = part.get("functionResponse") {
            let word = |key: &str| answer.get(key).and_then(Value::as_str);
            let is_it = |call: &PastCall| match word("id") {
                Some(id) => call.id.as_deref() == Some(id),
                None => word("name") == Some(&call.tool),
            };
            if let Some(call) = calls.iter_mut().find(|call| call.result.is_none() && is_it(call)) {
                call.result = Some(answer.get("response").cloned().unwrap_or_default());
            }
        }
    }
    calls
}

fn trim_newlines(text: &str) -> &str {
    let text = text.strip_prefix('\n').unwrap_or(text);
    text.strip_suffix('\n').unwrap_or(text)
}

#[cfg(test)]
mod tests;
