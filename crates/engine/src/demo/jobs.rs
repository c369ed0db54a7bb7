//! The demo's answers for the Core and the Archivist, copied from the beginnings of texts.

use serde_json::{Value, json};

use crate::demo::request::DemoRequest;
use crate::demo::stream::DemoReply;
use crate::demo::text;
use crate::demo::text::{between, blocks, clean, count, listed};

/// Max characters copied of one turn or message.
const EXCERPT_CHARS: usize = 160;

/// Beginnings of sentences that state a lasting fact about the speaker.
const LASTING: [&str; 8] =
    ["i prefer ", "i like ", "i always ", "i never ", "my name is ", "i am a ", "i work as ", "i need "];

/// The answer to a job of the Core or the Archivist; `None` if an agent is asked.
pub(super) fn reply(request: &DemoRequest) -> Option<DemoReply> {
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

/// A text without the tags around messages.
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
