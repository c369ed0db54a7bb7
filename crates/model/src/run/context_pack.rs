//! The context pack for a turn in a terminal: goal, part, definition of done, files, and news.
//!
//! Blocks in this order, at most [`PACK_BYTES`] in all. Secrets are masked and invisible characters spelled out.

use crate::limits::PACK_BYTES;
use crate::mind::Mind;
use crate::run::graph::{Completion, Envelope};
use crate::run::{Node, Run};
use nexus_text::{invisible::reveal_encoded, redact::mask_keys, shorten::cut, small_sort::SmallSort as _};

/// Size limits of the blocks before the files, and of a file excerpt.
const GOAL_BYTES: usize = PACK_BYTES / 4;
const PART_BYTES: usize = PACK_BYTES / 8;
const NEWS_BYTES: usize = PACK_BYTES / 4;
const EXCERPT_BYTES: usize = PACK_BYTES / 8;

/// Builds the pack of a node's turn. `goal` is the prompt of the run. If the provider continues its session
/// (`continues_session`), the pack names the files without their text.
pub fn context_pack(
    goal: &str,
    mind: &Mind,
    run: &Run,
    node: &Node,
    inbox: &[Envelope],
    continues_session: bool,
) -> String {
    let mut pack = String::new();
    let goal = [mind.objective.trim(), goal.trim()].join("\n");
    block(&mut pack, "Goal", &cut(goal.trim(), GOAL_BYTES));
    block(&mut pack, "Your part", &cut(node.instruction.trim(), PART_BYTES));
    block(&mut pack, "Done when", &cut(&done_when(run), PART_BYTES));
    let mut news = String::new();
    // Newest first; the oldest envelopes are omitted.
    for envelope in inbox.iter().rev() {
        let item = describe(envelope);
        if news.len() + item.len() > NEWS_BYTES {
            news.insert_str(0, "- Older envelopes are left out.\n");
            break;
        }
        news.insert_str(0, &item);
    }
    let room = PACK_BYTES.saturating_sub(pack.len() + news.len() + 200);
    block(&mut pack, "Files", &files(mind, room, continues_session));
    block(&mut pack, "What is new", &news);
    // Leaves room for the text that `cut` adds.
    cut(&reveal_encoded(&mask_keys(&pack)), PACK_BYTES - 20)
}

fn block(pack: &mut String, head: &str, text: &str) {
    if !text.trim().is_empty() {
        pack.push_str(&format!("# {head}\n{}\n\n", text.trim_end()));
    }
}

fn done_when(run: &Run) -> String {
    let done = run.rounds.definition_of_done.trim();
    if !done.is_empty() {
        return done.to_owned();
    }
    match run.graph.as_ref().map(|graph| graph.completion) {
        Some(Completion::Verifier) => "A verifier of this run passes.".to_owned(),
        Some(Completion::Orchestrator) => "The orchestrator of this run says so.".to_owned(),
        Some(Completion::Drained | Completion::Budget) | None => String::new(),
    }
}

fn describe(envelope: &Envelope) -> String {
    let mut text = format!("- {} ({}): {}\n", envelope.node_id, envelope.status, envelope.summary.trim());
    for artifact in &envelope.artifacts {
        text.push_str(&format!("  - {} {}\n", artifact.kind, artifact.path));
    }
    if !envelope.structured.is_null() {
        text.push_str(&format!("  - {}\n", cut(&envelope.structured.to_string(), EXCERPT_BYTES)));
    }
    cut(&text, EXCERPT_BYTES)
}

/// The session's files by name, size and hash, the active one first, each with an excerpt.
fn files(mind: &Mind, room: usize, continues_session: bool) -> String {
    let is_active = |name: &&String| mind.active.as_ref() != Some(*name);
    let mut names: Vec<&String> = mind.files.keys().collect();
    names.small_sort_by_key(is_active);
    let mut text = String::new();
    for name in names {
        let Some(file) = mind.files.get(name) else { continue };
        let hash = file.hash.to_string();
        let hash = hash.get(..12).unwrap_or_default();
        let mut item = format!("- {name} ({} bytes, {hash})\n", file.text.len());
        if !continues_session && file.image().is_none() {
            let excerpt = cut(&file.text, EXCERPT_BYTES);
            item.push_str("```\n");
            item.push_str(excerpt.trim_end());
            item.push_str("\n```\n");
        }
        if text.len() + item.len() > room {
            text.push_str("- More files are left out.\n");
            break;
        }
        text.push_str(&item);
    }
    text
}

#[cfg(test)]
mod tests;
