//! The Core's syncs: what the last one read, changed and proposed, and how its answer is parsed.
//!
//! The patch may be in a tool call, plain JSON, fenced JSON, or JSON within prose. An answer without a patch is
//! rejected; nothing is guessed.

pub mod wording;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::id::{JobId, Millis, TurnId};
use crate::llm::{ToolSpec, Usage};
use crate::message::content::{MessagePart, object_of};
use crate::mind::{Mind, MindEdit, MindWrite, resolve};
use crate::provider::price::Cost;
use crate::run::RunUsage;
use nexus_markup::sparse;
use nexus_text::json;
use nexus_text::{content_hash::ContentHash, diff::changed_lines};

/// Error code of a sync whose complete answer held no patch.
pub const NO_PATCH: &str = "no_patch";

#[sparse]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CoreState {
    /// The mind that the last sync saw, or the initial mind: only later changes count towards the next sync.
    pub synced: Option<ContentHash>,
    /// A requested sync that waits for a run to end.
    #[serde(rename = "wanted")]
    pub pending: Option<JobId>,
    pub last: Option<SyncRecord>,
    /// The last sync that changed something.
    pub change: Option<SyncRecord>,
    /// A change that the operator has not applied or dismissed yet.
    pub proposal: Option<CoreProposal>,
    /// Usage of all its calls in this session, which no run counts.
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub spent: RunUsage,
    /// Syncs in rows of earlier versions. `Session::upcast` converts them.
    #[serde(default, rename = "open", skip_serializing)]
    pub(crate) old_open: Option<Value>,
    #[serde(default, rename = "failed", skip_serializing)]
    pub(crate) old_failed: Option<Value>,
}

/// The Core's answer, and the part of it that was merged into the mind.
#[sparse]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SyncResult {
    pub base: ContentHash,
    /// Edits of the mind before; none if nothing changed.
    #[whole]
    pub edits: Vec<MindEdit>,
    pub reasoning: String,
    /// Fields whose change was dropped, because others had changed the same lines.
    pub dropped: Vec<String>,
    /// True if sentences of the objective that the Core only rephrased were kept.
    pub kept_words: bool,
    /// The proposed change, if the Core does not change the mind itself. Replaces an earlier proposal.
    pub proposed: Option<Vec<MindWrite>>,
}

#[sparse]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SyncRecord {
    /// Absent for syncs of older versions.
    pub id: Option<JobId>,
    pub at: Millis,
    /// The model's reason for the change.
    pub reasoning: String,
    /// The mind before and after, if it changed.
    pub minds: Option<(ContentHash, ContentHash)>,
    /// Fields whose change was dropped, because the operator had changed the same lines.
    pub dropped: Vec<String>,
    /// True if sentences of the objective that the Core only rephrased were kept.
    pub kept_words: bool,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub model: String,
    #[serde(default)]
    pub usage: Usage,
    /// By the prices of that time.
    pub cost: Option<Cost>,
    /// True if the operator undid it.
    pub undone: bool,
    /// The session's head at that time. Absent before the first turn and in records of earlier versions.
    pub after: Option<TurnId>,
    /// The mind that it read. Absent in records of earlier versions.
    pub seen: Option<ContentHash>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CoreProposal {
    pub sync: JobId,
    pub at: Millis,
    pub base: ContentHash,
    pub writes: Vec<MindWrite>,
    pub reasoning: String,
    pub model: String,
}

impl CoreProposal {
    /// The mind `now` with the proposal applied, without the writes that conflict. The Core saw `seen`.
    pub fn applied(&self, seen: &Mind, now: &Mind) -> Mind {
        let edits = |write: &MindWrite| resolve(now, seen, std::slice::from_ref(write)).ok();
        now.with(&self.writes.iter().filter_map(edits).flatten().collect::<Vec<_>>())
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProposalStep {
    Applied,
    Dismissed,
}

/// A change by the Core; absent fields stay unchanged.
#[sparse]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SyncPatch {
    pub objective: Option<String>,
    pub scratchpad: Option<String>,
    #[serde(default)]
    pub reasoning: String,
}

impl CoreState {
    pub fn note(&mut self, record: SyncRecord) {
        if record.minds.is_some() {
            self.change = Some(record.clone());
        }
        self.last = Some(record);
    }

    /// The mind after the last sync: with its changes, or as it read it if it changed nothing. `None` before a sync.
    pub fn after_last(&self) -> Option<&ContentHash> {
        let last = self.last.as_ref()?;
        let changed = last.minds.as_ref().map(|(_, after)| after);
        changed.or(last.seen.as_ref()).or(self.synced.as_ref())
    }

    pub fn minds(&self) -> impl Iterator<Item = &ContentHash> {
        let of_change = self.change.iter().filter_map(|change| change.minds.as_ref());
        let proposed = self.proposal.iter().map(|proposal| &proposal.base);
        let seen = self.last.iter().filter_map(|last| last.seen.as_ref());
        self.synced
            .iter()
            .chain(proposed)
            .chain(seen)
            .chain(of_change.flat_map(|(before, after)| [before, after]))
    }
}

impl SyncPatch {
    /// The writes of the patch for the mind that it was made for. Blank fields and differences in trailing line ends
    /// are ignored, because models drop them unintentionally.
    pub fn writes(&self, base: &Mind) -> Vec<MindWrite> {
        let objective = wanted(self.objective.as_deref(), &base.objective).map(MindWrite::Objective);
        let scratchpad = wanted(self.scratchpad.as_deref(), &base.scratchpad).map(MindWrite::Scratchpad);
        objective.into_iter().chain(scratchpad).collect()
    }
}

fn wanted(text: Option<&str>, base: &str) -> Option<String> {
    let text = text?.trim_end();
    if text.is_empty() || text == base.trim_end() {
        return None;
    }
    let end = base.get(base.trim_end().len()..).unwrap_or_default();
    Some(format!("{text}{end}"))
}

/// True if the files of two minds differ by more than `lines` inserted and deleted lines. A renamed file with the same
/// text counts as the same.
pub fn differs_by_more(before: &Mind, after: &Mind, lines: usize) -> bool {
    let mut left = lines;
    for (old, new) in pairs(before, after) {
        match changed_lines(old, new, left) {
            Some(changed) => left -= changed,
            None => return true,
        }
    }
    false
}

/// A Core change made while the head of the session was no turn of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CoreChange {
    /// Absent if there was no head.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<TurnId>,
    pub before: ContentHash,
    pub after: ContentHash,
}

/// The texts of each file that differs, before and after.
fn pairs<'m>(before: &'m Mind, after: &'m Mind) -> Vec<(&'m str, &'m str)> {
    let mut pairs = Vec::new();
    let mut removed = Vec::new();
    for (name, file) in &before.files {
        match after.files.get(name) {
            Some(new) if new.hash == file.hash => {}
            Some(new) => pairs.push((&*file.text, &*new.text)),
            None => removed.push(file),
        }
    }
    for (_, file) in after.files.iter().filter(|(name, _)| before.files.get(*name).is_none()) {
        match removed.iter().position(|old| old.hash == file.hash) {
            Some(place) => drop(removed.swap_remove(place)),
            None => pairs.push(("", &*file.text)),
        }
    }
    pairs.extend(removed.into_iter().map(|file| (&*file.text, "")));
    pairs
}

/// The tool through which the model may answer.
const PATCH_TOOL: &str = "patch_mind";
const NO_PATCH_IN_JSON: &str = "The answer is JSON, but no patch.";

pub fn schema() -> Value {
    json::tree(include_str!("core_sync/patch_schema.json")).unwrap_or_default()
}

/// The tool for models that answer by a tool call instead of text.
pub fn patch_tool() -> ToolSpec {
    ToolSpec {
        name: PATCH_TOOL.to_owned(),
        description:
            "Takes what you want to change in the mind, and why. Call it once; it is your whole answer."
                .to_owned(),
        parameters: schema(),
    }
}

/// Parses the patch of an answer: from the tool call if there is one, else from the text.
pub fn read_answer(parts: &[MessagePart]) -> Result<SyncPatch, &'static str> {
    let object = object_of(parts, PATCH_TOOL, NO_PATCH_IN_JSON)?;
    let field = |name: &str| match object.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err("A field of the answer is not a text."),
    };
    let (objective, scratchpad) = (field("objective")?, field("scratchpad")?);
    let reasoning = field("reasoning")?;
    if objective.is_none() && scratchpad.is_none() && reasoning.is_none() {
        return Err(NO_PATCH_IN_JSON);
    }
    Ok(SyncPatch { objective, scratchpad, reasoning: reasoning.unwrap_or_default().trim().to_owned() })
}

#[cfg(test)]
mod tests;

#[cfg(test)]
mod answer_tests;
