//! Parses requests: Gemini's JSON, the mind block, and numbered lines.
//!
//! Fails only on a body that is not a request, never on what a text says.

use serde_json::Value;

use crate::demo::request::{CallStep, DemoRequest, FileEntry, PastCall, ShownFile, ShownMind, Speaker};
use nexus_model::provider::demo::NEEDS_MODEL;
use nexus_text::content_hash::ContentHash;
use nexus_text::vec_map::VecSet;

/// Reads the body of a `streamGenerateContent` request; says in words why it cannot.
pub(super) fn request(body: &str) -> Result<DemoRequest, String> {
    let request: Value =
        serde_json::from_str(body).map_err(|error| format!("The request is not JSON: {error}."))?;
    let contents = request
        .get("contents")
        .and_then(Value::as_array)
        .filter(|contents| !contents.is_empty())
        .ok_or("The request has no contents.")?;

    let (name, persona) = persona(&texts(request.get("systemInstruction")).join("\n"));
    let at = contents
        .iter()
        .rposition(|content| !is_model(content) && starts_with_mind(content))
        .or_else(|| {
            contents.iter().rposition(|content| !is_model(content) && !texts(Some(content)).is_empty())
        })
        .unwrap_or(0);
    let query = texts(contents.get(at));
    let from = query.iter().rposition(|text| text.trim_start().starts_with("<mind>")).unwrap_or(0);
    let query_text = query.get(from..).unwrap_or_default().join("\n");
    let (block, rest) = split_mind(&query_text);
    let (message, around) = message(rest);
    let config = request.get("generationConfig");

    Ok(DemoRequest {
        speaker: speaker(&name),
        name,
        persona,
        tools: tools(&request),
        wants_json: config.and_then(|config| config.get("responseMimeType")).and_then(Value::as_str)
            == Some("application/json"),
        mind: block.map(mind).unwrap_or_default(),
        said: query_text.clone(),
        told: told(contents.get(..at).unwrap_or_default(), query.get(..from).unwrap_or_default(), &message),
        message,
        round: round(&around),
        opening: at == 0 && from == 0,
        steps: steps(contents.get(at + 1..).unwrap_or_default()),
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

fn speaker(name: &str) -> Speaker {
    match name {
        "Architect" => Speaker::Architect,
        "Engineer" => Speaker::Engineer,
        "Critic" => Speaker::Critic,
        _ => Speaker::Other,
    }
}

/// Whether another agent has answered this message already, and said that it needs a model. What this agent has answered
/// itself is older than the message.
fn told(before: &[Value], in_query: &[&str], message: &str) -> bool {
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
    let groups = request.get("tools").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    groups
        .iter()
        .filter_map(|group| group.get("functionDeclarations").and_then(Value::as_array))
        .flatten()
        .filter_map(|declaration| declaration.get("name").and_then(Value::as_str))
        .map(str::to_owned)
        .collect()
}

/// The inside of the mind block and what follows it. The block ends where a message or a round begins, so that a
/// file may hold the closing tag.
fn split_mind(text: &str) -> (Option<&str>, &str) {
    let Some(inside) = text.trim_start().strip_prefix("<mind>") else { return (None, text) };
    let end = "</mind>";
    let opens = |rest: &str| {
        let rest = rest.trim_start();
        rest.is_empty()
            || ["<memories>", "<now>", "<message from=", "<round", "<definition_of_done>"]
                .iter()
                .any(|tag| rest.starts_with(tag))
    };
    let found = inside
        .match_indices(end)
        .find_map(|(at, _)| {
            Some((inside.get(..at)?, inside.get(at + end.len()..)?)).filter(|(_, r)| opens(r))
        })
        .or_else(|| inside.rsplit_once(end));
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

/// The text between `open` and the last `close` that is followed by `next` (or by nothing), and what comes after.
fn section<'a>(text: &'a str, open: &str, close: &str, next: &str) -> (Option<String>, &'a str) {
    let Some((_, inside)) = text.split_once(open) else { return (None, text) };
    let found = inside.match_indices(close).find_map(|(at, _)| {
        let (body, rest) = (inside.get(..at)?, inside.get(at + close.len()..)?);
        let follows = rest.trim_start();
        (follows.is_empty() || follows.starts_with(next)).then_some((body, rest))
    });
    found.map_or((None, text), |(body, rest)| (Some(trim_newlines(body).to_owned()), rest))
}

/// What ends the part of a file that is too long to be shown.
const CUT_MARK: &str = "use read_file for the rest)";

fn active_file(text: &str) -> (Option<ShownFile>, &str) {
    let Some(inside) = text.trim_start().strip_prefix("<active_file") else { return (None, text) };
    let Some((attributes, inside)) = inside.split_once(">\n") else { return (None, text) };
    let Some((content, rest)) = inside.rsplit_once("\n</active_file>") else { return (None, text) };
    let bytes = attribute(attributes, "bytes").and_then(|bytes| bytes.parse::<usize>().ok());
    // The block may add a line break of its own after a file that has none, or drop the file's last one.
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

/// The message, and the text around it. Several messages in a row become one.
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

/// Which round of a repeated run this is.
fn round(around: &str) -> Option<u32> {
    let (_, tag) = around.split_once("<round ")?;
    attribute(tag.split_once('>')?.0, "number")?.parse().ok()
}

fn steps(contents: &[Value]) -> Vec<CallStep> {
    let mut steps: Vec<CallStep> = Vec::new();
    for content in contents {
        for call in parts(Some(content)).iter().filter_map(|part| part.get("functionCall")) {
            if !steps.last().is_some_and(|step| step.calls.iter().all(|call| call.result.is_none())) {
                steps.push(CallStep::default());
            }
            if let Some(step) = steps.last_mut() {
                step.calls.push(PastCall {
                    id: call.get("id").and_then(Value::as_str).map(str::to_owned),
                    tool: call.get("name").and_then(Value::as_str).unwrap_or_default().to_owned(),
                    args: call.get("args").cloned().unwrap_or_default(),
                    result: None,
                });
            }
        }
        for answer in parts(Some(content)).iter().filter_map(|part| part.get("functionResponse")) {
            let id = answer.get("id").and_then(Value::as_str);
            let name = answer.get("name").and_then(Value::as_str);
            let call = steps.last_mut().and_then(|step| {
                step.calls.iter_mut().find(|call| {
                    call.result.is_none()
                        && if id.is_some() {
                            call.id.as_deref() == id
                        } else {
                            Some(call.tool.as_str()) == name
                        }
                })
            });
            if let Some(call) = call {
                call.result = Some(answer.get("response").cloned().unwrap_or_default());
            }
        }
    }
    steps
}

fn trim_newlines(text: &str) -> &str {
    let text = text.strip_prefix('\n').unwrap_or(text);
    text.strip_suffix('\n').unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mind_may_hold_its_own_closing_tags() {
        let text = "<mind>\n<objective>\nshow </objective> and </mind> in HTML\n</objective>\n<scratchpad>\n\
                    - [ ] a\n</scratchpad>\n<active_file name=\"a.html\" lines=\"2\" bytes=\"26\">\n<p>\n\
                    </active_file>\n</mind>\n</active_file>\n<files>\n- a.html (2 lines, 26 bytes)\n</files>\n</mind>\n\
                    <message from=\"Ada\">\nhello\n</message>\n<round number=\"2\" of=\"6\">\n</round>";
        let (block, rest) = split_mind(text);
        let mind = mind(block.unwrap());
        assert_eq!(mind.objective, "show </objective> and </mind> in HTML");
        assert_eq!(mind.scratchpad, "- [ ] a");
        assert_eq!(mind.files, vec![FileEntry { name: "a.html".into(), bytes: 26 }]);
        assert_eq!(mind.active.unwrap().content, "<p>\n</active_file>\n</mind>");
        let (message, around) = message(rest);
        assert_eq!((message.as_str(), round(&around)), ("hello", Some(2)));
    }
}
