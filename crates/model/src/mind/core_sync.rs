//! State of the Core's syncs: what the last one saw, changed and proposed.
//!
//! [`answer`] parses the model's answers.

pub mod answer;
pub mod wording;

use nexus_markup::sparse;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::id::{JobId, Millis, TurnId};
use crate::llm::Usage;
use crate::mind::{Mind, MindEdit, MindWrite, resolve};
use crate::provider::price::Cost;
use crate::run::RunUsage;
use nexus_text::content_hash::ContentHash;
use nexus_text::diff::changed_lines;
use nexus_text::vec_map::VecSet;

/// What the failure of a sync carries as its code where the answer came whole and held no patch.
pub const NO_PATCH: &str = "no_patch";

#[sparse]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CoreState {
    /// The mind that the last sync saw, or the one that the session began with: what has changed since counts.
    pub synced: Option<ContentHash>,
    /// A sync that the operator asked for and that waits for a run to end.
    pub wanted: Option<JobId>,
    /// The last sync that came to an answer.
    pub last: Option<SyncRecord>,
    /// The last one that changed something.
    pub change: Option<SyncRecord>,
    /// A change that waits for the operator to apply or dismiss it.
    pub proposal: Option<CoreProposal>,
    /// What all its calls in this session used. They belong to no run, so no run counts them.
    #[serde(default, skip_serializing_if = "RunUsage::is_nothing")]
    pub spent: RunUsage,
    /// What rows of earlier programs hold of syncs. `Session::upcast` takes it.
    #[serde(default, rename = "open", skip_serializing)]
    pub(crate) old_open: Option<Value>,
    #[serde(default, rename = "failed", skip_serializing)]
    pub(crate) old_failed: Option<Value>,
}

/// What the Core answered, and what of it was merged into the mind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SyncResult {
    pub base: ContentHash,
    /// The changes, of the mind as it was; none where there was nothing to change.
    pub edits: Vec<MindEdit>,
    pub reasoning: String,
    /// Fields whose change was dropped because others had written the same lines.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dropped: Vec<String>,
    /// Whether sentences of the objective that the Core only reworded stayed as they were.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub kept_words: bool,
    /// What the Core proposes, where it does not change the mind by itself: in place of what it proposed before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proposed: Option<Vec<MindWrite>>,
}

/// A sync that came to an answer.
#[sparse]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SyncRecord {
    /// Its id; absent for syncs of older programs.
    pub id: Option<JobId>,
    pub at: Millis,
    /// Why it changed what it did, in the model's words.
    pub reasoning: String,
    /// The mind before and after, where it changed.
    pub minds: Option<(ContentHash, ContentHash)>,
    /// Fields whose change was dropped because the operator had written the same lines.
    pub dropped: Vec<String>,
    /// Whether sentences of the objective that it only reworded stayed as they were.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub kept_words: bool,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub model: String,
    #[serde(default)]
    pub usage: Usage,
    /// What it cost by the prices known at the time.
    pub cost: Option<Cost>,
    /// Whether the operator took it back.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub undone: bool,
    /// The turn that the session pointed to; absent before the first one, and in records of earlier programs.
    pub after: Option<TurnId>,
}

/// A change that the Core proposes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CoreProposal {
    pub sync: JobId,
    pub at: Millis,
    pub base: ContentHash,
    pub writes: Vec<MindWrite>,
    /// Why, in the model's words.
    pub reasoning: String,
    pub model: String,
}

impl CoreProposal {
    /// The mind `now` with what is proposed, of which the parts that no longer fit are left out. The Core saw `seen`.
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

/// What the Core wants to change; what is absent stays as it is.
#[sparse]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SyncPatch {
    pub objective: Option<String>,
    pub scratchpad: Option<String>,
    #[serde(default)]
    pub reasoning: String,
}

impl CoreState {
    pub fn is_fresh(&self) -> bool {
        *self == Self::default()
    }

    /// Takes in a sync that came to an answer.
    pub fn note(&mut self, record: SyncRecord) {
        if record.minds.is_some() {
            self.change = Some(record.clone());
        }
        self.last = Some(record);
    }

    /// The mind that the last sync left: with what it changed, or as it saw it where it changed nothing.
    pub fn after_last(&self) -> Option<&ContentHash> {
        let changed = self.last.as_ref().and_then(|last| last.minds.as_ref());
        changed.map(|(_, after)| after).or(self.synced.as_ref())
    }

    pub fn minds(&self) -> impl Iterator<Item = &ContentHash> {
        let of_change = self.change.iter().filter_map(|change| change.minds.as_ref());
        let proposed = self.proposal.iter().map(|proposal| &proposal.base);
        self.synced.iter().chain(proposed).chain(of_change.flat_map(|(before, after)| [before, after]))
    }
}

impl SyncPatch {
    /// What it writes to the mind that it was made for. Blank fields, and ends of lines at a text's end, are no change:
    /// models leave them out without meaning anything by it.
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

/// Whether the files of two minds differ by more than `lines` inserted and deleted lines. A file that has another name
/// and the same text is the same file.
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

/// The names of the files that differ between two minds, by their new names where they have one.
pub fn changed_files(before: &Mind, after: &Mind) -> Vec<String> {
    let names: VecSet<_> = before.files.keys().chain(after.files.keys()).collect();
    let hash = |mind: &Mind, name: &String| mind.files.get(name).map(|file| file.hash);
    names.into_iter().filter(|name| hash(before, name) != hash(after, name)).cloned().collect()
}

/// What the Core changed while the head of a session was no turn of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CoreChange {
    /// The head; absent where there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<TurnId>,
    pub before: ContentHash,
    pub after: ContentHash,
}

/// The texts of each file that differs, before and after.
fn pairs<'m>(before: &'m Mind, after: &'m Mind) -> Vec<(&'m str, &'m str)> {
    let mut pairs = Vec::new();
    let mut gone = Vec::new();
    for (name, file) in &before.files {
        match after.files.get(name) {
            Some(new) if new.hash == file.hash => {}
            Some(new) => pairs.push((&*file.text, &*new.text)),
            None => gone.push(file),
        }
    }
    for (_, file) in after.files.iter().filter(|(name, _)| before.files.get(*name).is_none()) {
        match gone.iter().position(|old| old.hash == file.hash) {
            Some(place) => drop(gone.swap_remove(place)),
            None => pairs.push(("", &*file.text)),
        }
    }
    pairs.extend(gone.into_iter().map(|file| (&*file.text, "")));
    pairs
}

#[cfg(test)]
#[path = "core_sync_tests.rs"]
mod tests;
