//! The demo's answers where no scenario is prepared: to other objectives, and to the Core and the Archivist.
//!
//! Another objective is told that it needs a model, and gets only what works without one. What the Core and the
//! Archivist ask for is copied from the beginnings of texts.

use crate::demo::request::DemoRequest;
use crate::demo::scenario::{ChangeState, Scenario};
use crate::demo::text::{between, blocks, bullets, clean, count, listed, sentences};
use crate::demo::{DemoReply, text};
use crate::prelude::*;
use nexus_model::provider::presets::{DEMO_OBJECTIVES, NEEDS_MODEL};

const EXCERPT_CHARS: usize = 160;

/// Beginnings of sentences that state a lasting fact about the speaker.
const LASTING: [&str; 8] =
    ["i prefer ", "i like ", "i always ", "i never ", "my name is ", "i am a ", "i work as ", "i need "];

/// The answer to a job of the Core or the Archivist; `None` if an agent is asked.
pub(super) fn job_reply(request: &DemoRequest) -> Option<DemoReply> {
    let query = request.query.as_str();
    let text = if request.name == "Archivist" {
        if !request.wants_json {
            compacted(query)
        } else if request.persona.contains("worth remembering") {
            json!({ "memories": memories(query) }).to_string()
        } else {
            summary(query).to_string()
        }
    } else if request.name == "Core" && request.persona.contains("clashes of a merge") {
        json!({ "proposals": proposals(query) }).to_string()
    } else if request.wants_json {
        sync(request).to_string()
    } else {
        return None;
    };
    Some(DemoReply::new("", text))
}

/// The Core's sync: ticks plan items whose files exist.
fn sync(request: &DemoRequest) -> Value {
    let pad = &request.mind.scratchpad;
    let items = text::items(pad);
    let exists = |name: &str| request.mind.files.iter().any(|file| file.name == name && file.bytes > 0);
    let done: Vec<_> = items.iter().filter(|item| !item.done && item.file().is_some_and(exists)).collect();
    if done.is_empty() {
        let open = items.iter().filter(|item| !item.done).count();
        let reasoning = format!(
            "The demo compared the plan with the names of {}: {} open, nothing to change.",
            count(request.mind.files.len(), "file"),
            count(open, "item")
        );
        return json!({ "reasoning": reasoning });
    }
    let names: Vec<&str> = done.iter().filter_map(|item| item.file()).collect();
    let lines: Vec<usize> = done.iter().map(|item| item.line).collect();
    let reasoning = format!(
        "The demo compared the plan with the names of the files and ticked {}. It did not look inside.",
        listed(&names)
    );
    json!({ "scratchpad": text::with_ticks(pad, &lines), "reasoning": reasoning })
}

/// The beginnings of older turns, below the previous summary.
fn compacted(query: &str) -> String {
    let turns = blocks(query, "<turn number=", "</turn>");
    let lines: Vec<_> =
        turns.iter().map(|(_, text)| format!("- {}", clean(&plain(text), EXCERPT_CHARS))).collect();
    let prior =
        between(query, "<summary>", "</summary>").map_or_else(String::new, |prior| format!("{prior}\n"));
    format!(
        "{prior}The demo cannot summarise. These are the first words of {}:\n{}",
        count(turns.len(), "older turn"),
        lines.join("\n")
    )
}

/// The beginning of the first message as title and summary.
fn summary(query: &str) -> Value {
    let messages = blocks(query, "<message number=", "</message>");
    let first = messages.first().map(|(_, text)| clean(&plain(text), EXCERPT_CHARS)).unwrap_or_default();
    let title: Vec<&str> = first.split_whitespace().take(8).collect();
    let read = count(messages.len(), "message");
    let summary = match between(query, "<summary>", "</summary>") {
        Some(prior) => format!("{prior} {read} more, beginning: “{first}”"),
        None => format!("{read}, beginning: “{first}”"),
    };
    let mut keywords: Vec<String> = Vec::new();
    for word in first.split(|c: char| !c.is_alphanumeric()).filter(|word| word.chars().count() > 4) {
        let word = word.to_lowercase();
        if keywords.len() < 5 && !keywords.contains(&word) {
            keywords.push(word);
        }
    }
    json!({ "title": title.join(" "), "summary": summary, "keywords": keywords })
}

/// Sentences in which people describe themselves, verbatim.
fn memories(query: &str) -> Vec<Value> {
    let mut found = Vec::new();
    for (number, (head, text)) in blocks(query, "<message number=", "</message>").iter().enumerate() {
        let from = between(head, "from=\"", "\"").unwrap_or("The operator");
        for sentence in text.split(['.', '!', '\n']) {
            let sentence = sentence.trim();
            let lower = sentence.to_lowercase();
            if LASTING.iter().any(|words| lower.starts_with(words)) {
                let content = format!("{from} said: {}.", clean(sentence, EXCERPT_CHARS));
                found.push(json!({ "content": content, "importance": 3, "message": number + 1 }));
            }
        }
    }
    found
}

fn plain(text: &str) -> String {
    text.lines().filter(|line| !line.trim_start().starts_with('<')).collect::<Vec<_>>().join(" ")
}

/// For each conflict of a merge, the side that contains all lines of the other, else both.
fn proposals(query: &str) -> Vec<Value> {
    let conflicts = blocks(query, "<clash number=", "</clash>");
    let proposal = |(head, inside): &(&str, &str)| {
        let number: u64 = between(head, "\"", "\"").and_then(|it| it.parse().ok()).unwrap_or_default();
        let (text, why) = proposed(&side(inside, "ours"), &side(inside, "theirs"));
        json!({ "clash": number, "text": text, "why": why })
    };
    conflicts.iter().map(proposal).collect()
}

fn side<'t>(inside: &'t str, side: &str) -> Vec<&'t str> {
    let whole = inside.split_once(&format!("<{side}>\n")).map(|(_, rest)| rest);
    let text = whole.and_then(|rest| rest.split_once(&format!("</{side}>"))).map(|(text, _)| text);
    text.unwrap_or_default().split_inclusive('\n').collect()
}

fn proposed(ours: &[&str], theirs: &[&str]) -> (String, &'static str) {
    let contains = |all: &[&str], some: &[&str]| some.iter().all(|line| all.contains(line));
    if contains(ours, theirs) {
        return (ours.concat(), "The demo kept ours, which holds every line of theirs.");
    }
    if contains(theirs, ours) {
        return (theirs.concat(), "The demo took theirs, which holds every line of ours.");
    }
    let more: Vec<&str> = theirs.iter().copied().filter(|line| !ours.contains(line)).collect();
    ([ours, &more].concat().concat(), "The demo put the other lines of theirs below ours; it read neither.")
}

const HEADING: &str = "## Plan: the objective, sentence by sentence";
const NOTE: &str = "notes.md";
const NOTE_MARK: &str = "Copied by the Nexus demo. No model has read it.";
const SENTENCES: usize = 8;

/// The answer to a message that is not prepared, in a session that plays a scenario.
pub(super) fn unknown_task(request: &DemoRequest, scenario: &Scenario) -> DemoReply {
    if request.is_explained {
        return short(request);
    }
    let texts = request.texts();
    let is_made = |state| state == ChangeState::Made;
    let follow_ups = scenario.follow_ups.iter().filter(|change| !is_made(change.state(&texts)));
    let offers = std::iter::once("fix the findings").chain(follow_ups.map(|change| change.title));
    let offers: Vec<String> = offers.map(|offer| format!("*{offer}*")).collect();
    DemoReply::with_text(format!(
        "**{NEEDS_MODEL}** Connect one in Settings and send it again. The demo of **{}** has these:\n\n{}",
        scenario.title,
        bullets(offers)
    ))
}

pub(super) fn other(request: &DemoRequest) -> DemoReply {
    if request.is_explained {
        return short(request);
    }
    DemoReply::with_text(format!(
        "**{NEEDS_MODEL}** It plays Architect, Engineer and Critic, but not {}. Connect a model in Settings and ask again.",
        clean(&request.name, 40)
    ))
}

pub(super) fn reply(request: &DemoRequest) -> DemoReply {
    let has_plan = request.mind.scratchpad.lines().any(|line| line == HEADING);
    let plays = !request.mind.objective.trim().is_empty() && request.continues();
    match &*request.name {
        "Architect" if plays && !has_plan => plan(request),
        "Engineer" if plays && has_plan => note(request),
        "Critic" if plays && has_plan => check(request),
        "Architect" | "Engineer" | "Critic" if request.is_explained => short(request),
        "Architect" | "Engineer" | "Critic" => DemoReply::with_text(needs_model()),
        _ => other(request),
    }
}

/// The reply after the scratchpad was written in this turn, or could not be; `None` before.
pub(super) fn after_scratchpad(
    request: &DemoRequest,
    written: impl FnOnce(&str) -> String,
) -> Option<DemoReply> {
    let write = request.scratchpad_write()?;
    Some(DemoReply::with_text(match write.error() {
        Some(error) => format!("The scratchpad was not written: {error}."),
        None => written(write.arg("scratchpad").unwrap_or_default()),
    }))
}

/// The answer after another agent has explained why.
fn short(request: &DemoRequest) -> DemoReply {
    DemoReply::with_text(match &*request.name {
        "Critic" => "I have nothing to check: this needs a model.",
        "Engineer" => "I cannot change files for this: it needs a model.",
        _ => "I have nothing to add without a model.",
    })
}

fn needs_model() -> String {
    let offers = DEMO_OBJECTIVES.iter().map(|one| format!("*{}*", one.objective));
    format!(
        "**{NEEDS_MODEL}** Connect one in Settings and send it again, or choose a prepared objective:\n\n{}",
        bullets(offers)
    )
}

/// The Architect: the sentences of the objective as a checklist.
fn plan(request: &DemoRequest) -> DemoReply {
    if let Some(reply) = after_scratchpad(request, |_| "Your sentences are on the scratchpad.".to_owned()) {
        return reply;
    }
    if !request.offers("update_nexus_state") {
        return DemoReply::with_text(needs_model());
    }
    let items = sentences(&request.mind.objective, SENTENCES);
    let items: Vec<String> = items.iter().map(|sentence| format!("- [ ] A model: {sentence}")).collect();
    let block = format!(
        "{HEADING}\n{}\n- [ ] Engineer: write {NOTE}: the objective, word for word\n- [ ] Critic: check that {NOTE} contains it",
        items.join("\n")
    );
    let text = format!(
        "{}\n\nTo show how we share a plan, I copied {} of your objective to the scratchpad. This is not \
         a real plan.",
        needs_model(),
        count(items.len(), "sentence")
    );
    let pad = text::joined(&request.mind.scratchpad, &block);
    DemoReply::with_text(text).call("update_nexus_state", json!({ "scratchpad": pad }))
}

/// The Engineer: copies the objective into a file.
fn note(request: &DemoRequest) -> DemoReply {
    let objective = request.mind.objective.trim();
    if let Some(call) = request.calls_on("write_file", NOTE).last() {
        if let Some(error) = call.error() {
            return DemoReply::with_text(format!("{NOTE} was not written: {error}."));
        }
        if let Some((_, args)) = request.tick(|item| item.file() == Some(NOTE)) {
            return DemoReply::with_text(format!("{NOTE} is written. I tick that."))
                .call("update_nexus_state", args);
        }
        return DemoReply::with_text(format!("{NOTE} contains your words. Nothing else is built."));
    }
    if request.has_file(NOTE) || !request.offers("write_file") {
        return short(request);
    }
    let content = format!("# Objective\n\n{objective}\n\n---\n\n{NOTE_MARK}\n");
    DemoReply::with_text(format!("Without a model I can only copy your words into {NOTE}."))
        .call("write_file", json!({ "name": NOTE, "content": content }))
}

/// The Critic: checks that the file exists and contains the objective.
fn check(request: &DemoRequest) -> DemoReply {
    if !request.unread([NOTE]).is_empty() && request.offers("read_file") {
        return DemoReply::with_text(format!("I read {NOTE}.")).call("read_file", json!({ "name": NOTE }));
    }
    let texts = request.texts();
    let holds = texts.get(NOTE).is_some_and(|text| text.contains(request.mind.objective.trim()));
    let found = match (request.has_file(NOTE), holds) {
        (true, true) => format!("{NOTE} is there and contains the objective, word for word."),
        (true, false) => format!("{NOTE} is there but does not contain the objective."),
        (false, _) => format!("{NOTE} is not there."),
    };
    let items = text::items(&request.mind.scratchpad);
    let open = items.iter().filter(|item| !item.done && item.owner == "A model").count();
    let text = format!("{found} Nothing else is built: {} left for a model.", count(open, "sentence"));
    if request.scratchpad_write().is_some() || request.calls.iter().any(|call| call.tool == "accept_work") {
        return DemoReply::with_text("The demo cannot check more than that.");
    }
    let mut reply = DemoReply::with_text(text.clone());
    if let Some((_, args)) = request.tick(|item| holds && item.is("Critic", "check that notes.md")) {
        reply = reply.call("update_nexus_state", args);
    }
    if request.offers("accept_work") {
        reply = reply.call("accept_work", json!({ "accepted": false, "reasons": text }));
    }
    reply
}
