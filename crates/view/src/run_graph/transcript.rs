//! The transcript of a node in a run: prompts, thinking, text, tool calls and results, in order of time.

use super::{CoreStep, DiagramNode, NodeRole, OPERATOR, TranscriptKind};
use crate::language::translate_template;
use crate::strings;
use crate::strings::run_graph as words;
use nexus_model::prelude::*;
use nexus_text::small_sort::SmallSort as _;

#[derive(Clone, Debug, PartialEq)]
pub struct TranscriptEntry {
    /// Stable key among the entries of a node.
    pub key: String,
    pub kind: TranscriptKind,
    pub label: String,
    pub text: String,
    pub at: Millis,
    pub turn: Option<TurnId>,
    /// The message that is still streaming; its text is not in the log yet.
    pub open: Option<MessageId>,
}

impl TranscriptEntry {
    fn new(key: impl Into<String>, kind: TranscriptKind, text: impl Into<String>, at: Millis) -> Self {
        let (key, label, text) = (key.into(), words::kind(kind).to_owned(), text.into());
        Self { key, kind, label, text, at, turn: None, open: None }
    }
}

/// The transcript of a node; `outputs` are those of [`RunReplay::outputs_at`](super::replay::RunReplay::outputs_at).
pub fn transcript(
    world: &World,
    run: RunId,
    node: &DiagramNode,
    core: &[CoreStep],
    outputs: &[(Millis, Envelope)],
) -> Vec<TranscriptEntry> {
    match node.role {
        NodeRole::Operator => {
            operator_messages(world, run).into_iter().flat_map(|one| message_entries(one, None)).collect()
        }
        NodeRole::Core => core.iter().map(core_entry).collect(),
        NodeRole::Judge => Vec::new(),
        NodeRole::Orchestrator
        | NodeRole::Agent
        | NodeRole::Verifier
        | NodeRole::Docs
        | NodeRole::Worker
        | NodeRole::Candidate => {
            let turns = node.turns.iter().filter_map(|id| world.turn(id));
            let mut entries: Vec<_> =
                (1usize..).zip(turns).flat_map(|(number, turn)| turn_entries(world, turn, number)).collect();
            let own = outputs.iter().filter(|(_, output)| output.node_id.as_str() == node.id);
            entries
                .extend((1usize..).zip(own).map(|(number, (at, output))| output_entry(number, *at, output)));
            entries
        }
    }
}

fn operator_messages(world: &World, run: RunId) -> Vec<&Message> {
    let own = world.run(&run).map(|run| run.messages.clone()).unwrap_or_default();
    let turns = world.turns.values().filter(|turn| turn.run == Some(run));
    let mut ids: Vec<_> = own.into_iter().chain(turns.flat_map(|turn| turn.query.clone())).collect();
    ids.small_sort();
    ids.dedup();
    let messages = ids.into_iter().filter_map(|id| world.message(&id)).map(|message| message.as_ref());
    messages.filter(|message| message.role == Role::User).collect()
}

/// The output of a node without a model: its envelope, without a turn.
fn output_entry(number: usize, at: Millis, output: &Envelope) -> TranscriptEntry {
    let kind = if output.status == "ok" { TranscriptKind::Text } else { TranscriptKind::Failure };
    let (key, text) = (format!("output-{number}"), translate_template(&output.summary));
    let label = words::output(number, &output.status);
    TranscriptEntry { label, ..TranscriptEntry::new(key, kind, text, at) }
}

fn core_entry(step: &CoreStep) -> TranscriptEntry {
    let kind = match step.status {
        NodeStatus::Error => TranscriptKind::Failure,
        NodeStatus::Done => TranscriptKind::Text,
        NodeStatus::Idle | NodeStatus::Ready | NodeStatus::Running | NodeStatus::Blocked => {
            TranscriptKind::Note
        }
    };
    let text = match (step.status == NodeStatus::Running, step.reason.as_str()) {
        (true, _) => words::SYNC_WORKS.get(),
        (false, "") => words::SYNC_SAYS_NOTHING.get(),
        (false, reply) => &translate_template(reply),
    };
    TranscriptEntry {
        label: words::sync(&step.config.model),
        ..TranscriptEntry::new(format!("sync-{}", step.job), kind, text, step.at)
    }
}

fn turn_entries(world: &World, turn: &Turn, number: usize) -> Vec<TranscriptEntry> {
    let id = turn.id;
    let waits = world.run_of(turn).is_some_and(|run| run.waits_for_operator());
    let mut entries = vec![TranscriptEntry {
        label: words::turn(number, turn, waits),
        ..TranscriptEntry::new(format!("turn-{id}"), TranscriptKind::Turn, "", turn.opened_at)
    }];
    let prompts = if turn.query.is_empty() { &turn.answers } else { &turn.query };
    for message in prompts.iter().filter_map(|id| world.message(id)) {
        entries.extend(message_entries(message, Some(TranscriptKind::Prompt)));
    }
    for (place, envelope) in turn.inbox.iter().enumerate().filter(|(_, it)| !it.summary.is_empty()) {
        let (kind, at) = (TranscriptKind::Prompt, turn.opened_at);
        let text = translate_template(&envelope.summary);
        let mut entry = TranscriptEntry::new(format!("inbox-{place}"), kind, text, at);
        if envelope.node_id.as_str() != OPERATOR {
            entry.label = words::from_node(envelope.node_id.as_str());
        }
        entries.push(entry);
    }
    for message in turn.messages.iter().filter_map(|id| world.message(id)) {
        entries.extend(message_entries(message, None));
    }
    if let Some(end) = turn.end.filter(|end| *end != TurnEnd::Completed) {
        let notice = strings::ending(end);
        let why = turn.failure.as_ref().map_or(notice.advice, |error| translate_template(&error.message));
        let at = turn.closed_at.unwrap_or(turn.opened_at);
        let entry = TranscriptEntry::new(format!("end-{id}"), TranscriptKind::Failure, why, at);
        entries.push(TranscriptEntry { label: notice.title, ..entry });
    }
    for entry in &mut entries {
        entry.turn = Some(id);
        entry.key = format!("{id}-{}", entry.key);
    }
    entries
}

/// The entries of a message. `kind` overrides the kind of its text.
fn message_entries(message: &Message, kind: Option<TranscriptKind>) -> Vec<TranscriptEntry> {
    let id = message.id;
    let text_kind = kind.unwrap_or(match message.role {
        Role::User => TranscriptKind::Prompt,
        Role::System => TranscriptKind::Note,
        Role::Assistant | Role::Tool => TranscriptKind::Text,
    });
    let mut entries: Vec<TranscriptEntry> = Vec::new();
    for (place, part) in message.parts.iter().enumerate() {
        let (kind, label, text) = match &part.body {
            PartBody::Text { text } => (text_kind, None, text.clone()),
            PartBody::Thinking { text } => (TranscriptKind::Thinking, None, text.clone()),
            PartBody::Json { value } => (text_kind, None, format!("{value:#}")),
            PartBody::Blob { mime, name, bytes, .. } => {
                (TranscriptKind::Note, None, words::attached(name, mime, *bytes))
            }
            PartBody::ToolCall(call) => {
                let args = match &call.args {
                    ToolArgs::Parsed(value) => format!("{value:#}"),
                    ToolArgs::Broken(text) => text.clone(),
                };
                (TranscriptKind::ToolCall, Some(words::calls(&call.name)), args)
            }
            PartBody::ToolResult(result) => {
                let label = words::answers(&result.name, result.is_error);
                (TranscriptKind::ToolResult, Some(label), format!("{:#}", result.result))
            }
        };
        let mut entry = TranscriptEntry::new(format!("{id}-{place}"), kind, text, message.created_at);
        if let Some(label) = label {
            entry.label = label;
        }
        if !entry.text.trim().is_empty() {
            entries.push(entry);
        }
    }
    if message.status == MessageStatus::Processing {
        entries.push(TranscriptEntry {
            open: Some(id),
            ..TranscriptEntry::new(format!("{id}-open"), TranscriptKind::Text, "", message.created_at)
        });
    }
    entries
}

pub fn as_log(entries: &[TranscriptEntry]) -> String {
    let mut log = String::new();
    for entry in entries {
        log.push_str(&format!("[{}] {}\n", entry.at.rfc3339(), entry.label));
        for line in entry.text.lines() {
            log.push_str(&format!("    {line}\n"));
        }
    }
    log
}

/// Splits a text into pieces, each with whether it matches the search in any case.
pub fn marked<'t>(text: &'t str, wanted: &str) -> Vec<(bool, &'t str)> {
    let needle: Vec<char> = wanted.chars().flat_map(char::to_lowercase).collect();
    let letters: Vec<(usize, usize, char)> = text
        .char_indices()
        .flat_map(|(at, letter)| letter.to_lowercase().map(move |low| (at, at + letter.len_utf8(), low)))
        .collect();
    let mut pieces = Vec::new();
    let (mut from, mut at) = (0, 0);
    while let Some(piece) = letters.get(at..at + needle.len()).filter(|piece| !piece.is_empty()) {
        let fits = piece.iter().zip(&needle).all(|((_, _, letter), wanted)| letter == wanted);
        let place = piece.first().zip(piece.last()).map(|((begin, ..), (_, end, _))| (*begin, *end));
        match place.filter(|(begin, _)| fits && *begin >= from) {
            Some((begin, end)) => {
                pieces.push((false, text.get(from..begin).unwrap_or_default()));
                pieces.push((true, text.get(begin..end).unwrap_or_default()));
                (from, at) = (end, at + needle.len());
            }
            None => at += 1,
        }
    }
    pieces.push((false, text.get(from..).unwrap_or_default()));
    pieces.retain(|(_, piece)| !piece.is_empty());
    pieces
}

#[cfg(test)]
mod tests;
