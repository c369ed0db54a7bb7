//! Merge proposals of the Core: the request, the proposed lines, and reasons to discard them.
//!
//! A proposal resolves a conflict only when the operator takes it.

use serde::{Deserialize, Serialize};

use crate::id::{SessionId, TurnId};
use crate::limits::PROPOSAL_BYTES;
use nexus_text::content_hash::ContentHash;
use nexus_text::invisible::hidden_characters;
use nexus_text::merge3::Conflict;

/// A question to the Core about clashes of a merge that is only drafted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MergeQuestion {
    /// The working mind of the session.
    pub mind: ContentHash,
    pub other: TurnId,
    /// The session whose branch that is, if one is meant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<SessionId>,
    pub clashes: Vec<ContentHash>,
}

/// What the Core proposed. Nothing of the session changes by it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MergeProposal {
    pub other: TurnId,
    pub proposals: Vec<ConflictProposal>,
    /// The clashes that nothing of use was said about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub without: Vec<UnresolvedConflict>,
}

/// Lines that are to stand in the place of a clash.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConflictProposal {
    pub clash: ContentHash,
    /// The lines; none, where nothing is to stand there.
    pub text: String,
    /// Why, in one line; may be empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
}

/// A clash that there is no proposal for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnresolvedConflict {
    pub clash: ContentHash,
    /// Why there is none.
    pub why: NoProposalReason,
}

/// Why there is no proposal for a clash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoProposalReason {
    /// It did not fit into the question.
    NoRoom,
    /// It is not there any more.
    Gone,
    /// The answer says nothing about it.
    Missing,
    /// The answer says several things about it.
    Twice,
    /// What was proposed is far longer than what clashes.
    Long,
    /// What was proposed holds marks of a clash.
    Marks,
    /// What was proposed holds characters that cannot be seen.
    Hidden,
}

/// What is wrong with lines that are proposed in the place of a clash.
pub fn unfit(text: &str, clash: &Conflict) -> Option<NoProposalReason> {
    let sides = [&clash.base, &clash.ours, &clash.theirs];
    let all: usize = sides.iter().map(|side| side.len()).sum();
    if text.len() > all.saturating_mul(2).saturating_add(PROPOSAL_BYTES) {
        return Some(NoProposalReason::Long);
    }
    let known = |line: &str| sides.iter().any(|side| side.lines().any(|other| other == line));
    if text.lines().any(|line| is_mark(line) && !known(line)) {
        return Some(NoProposalReason::Marks);
    }
    let hidden = |c: &char| sides.iter().all(|side| !side.contains(*c));
    hidden_characters(text).any(|c| hidden(&c)).then_some(NoProposalReason::Hidden)
}

/// Whether a line is one of those that stand around the sides of a clash.
fn is_mark(line: &str) -> bool {
    ["<<<<<<<", "|||||||", ">>>>>>>"].iter().any(|mark| line.starts_with(mark)) || line == "======="
}
