//! Merge proposals of the Core: the request, the proposed lines, and reasons to reject them.
//!
//! A proposal resolves a conflict only when the operator accepts it.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::id::{SessionId, TurnId};
use crate::limits::{PROPOSAL_BYTES, PROPOSAL_WHY_CHARS};
use crate::llm::ToolSpec;
use crate::message::content::{MessagePart, object_of};
use nexus_text::invisible::{hidden_characters, reveal};
use nexus_text::json;
use nexus_text::shorten::{ellipsis, one_line};
use nexus_text::{content_hash::ContentHash, merge3::Conflict};

/// A request to the Core about conflicts of a drafted merge.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MergeQuestion {
    pub mind: ContentHash,
    pub other: TurnId,
    /// The session of the other branch, if it was merged as a whole session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<SessionId>,
    #[serde(rename = "clashes")]
    pub conflicts: Vec<ContentHash>,
}

/// The Core's proposals. They change nothing in the session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MergeProposal {
    pub other: TurnId,
    pub proposals: Vec<ConflictProposal>,
    #[serde(rename = "without", default, skip_serializing_if = "Vec::is_empty")]
    pub unresolved: Vec<UnresolvedConflict>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConflictProposal {
    #[serde(rename = "clash")]
    pub conflict: ContentHash,
    /// Empty to remove the conflicting lines.
    pub text: String,
    /// One line; may be empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnresolvedConflict {
    #[serde(rename = "clash")]
    pub conflict: ContentHash,
    pub why: NoProposalReason,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoProposalReason {
    /// The conflict did not fit into the request.
    NoRoom,
    /// The conflict no longer exists.
    Gone,
    /// The answer does not mention it.
    Missing,
    Twice,
    Long,
    Marks,
    Hidden,
}

pub fn proposal_error(text: &str, conflict: &Conflict) -> Option<NoProposalReason> {
    let sides = [&conflict.base, &conflict.ours, &conflict.theirs];
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

fn is_mark(line: &str) -> bool {
    ["<<<<<<<", "|||||||", ">>>>>>>"].iter().any(|mark| line.starts_with(mark)) || line == "======="
}

/// The tool through which the model may answer.
const PROPOSE_TOOL: &str = "propose_lines";
const NO_PROPOSALS: &str = "The answer is JSON, but holds no proposals.";

pub type MergeAnswer = (Vec<ConflictProposal>, Vec<UnresolvedConflict>);

pub fn schema() -> Value {
    json::tree(include_str!("proposal_schema.json")).unwrap_or_default()
}

/// The tool for models that answer by a tool call instead of text.
pub fn propose_tool() -> ToolSpec {
    ToolSpec {
        name: PROPOSE_TOOL.to_owned(),
        description: "Takes what you propose for each clash, and why. Call it once; it is your whole answer."
            .to_owned(),
        parameters: schema(),
    }
}

/// Parses the proposals of an answer: from the tool call if there is one, else from the text. Conflicts are numbered
/// from 1 in the order of `asked`.
pub fn read_answer(
    parts: &[MessagePart],
    asked: &[(ContentHash, Conflict)],
) -> Result<MergeAnswer, &'static str> {
    let object = object_of(parts, PROPOSE_TOOL, NO_PROPOSALS)?;
    let list = object.get("proposals").and_then(Value::as_array).ok_or(NO_PROPOSALS)?;
    let number = |each: &Value| {
        let number = each.get("clash").and_then(Value::as_u64).and_then(|it| usize::try_from(it).ok());
        number.filter(|number| (1..=asked.len()).contains(number))
    };
    if list.iter().any(|each| number(each).is_none()) {
        return Err("The answer is about a conflict that was not asked about.");
    }
    let (mut proposals, mut without) = (Vec::new(), Vec::new());
    for (at, (mark, conflict)) in asked.iter().enumerate() {
        let mut about = list.iter().filter(|each| number(each) == Some(at.saturating_add(1)));
        let first = about.next();
        let text = first.and_then(|each| each.get("text")).and_then(Value::as_str);
        let proposed = match text {
            None => Err(NoProposalReason::Missing),
            Some(_) if about.next().is_some() => Err(NoProposalReason::Twice),
            Some(text) => proposal_error(text, conflict).map_or(Ok(text), Err),
        };
        match proposed {
            Ok(text) => {
                let why = first.and_then(|each| each.get("why")).and_then(Value::as_str).unwrap_or_default();
                // In one short line, with invisible characters spelled out.
                let why = ellipsis(&one_line(&reveal(why)), PROPOSAL_WHY_CHARS);
                proposals.push(ConflictProposal { conflict: *mark, text: text.to_owned(), why });
            }
            Err(why) => without.push(UnresolvedConflict { conflict: *mark, why }),
        }
    }
    match without.first().filter(|_| proposals.is_empty()) {
        None => Ok((proposals, without)),
        Some(first) => Err(match first.why {
            NoProposalReason::Missing | NoProposalReason::NoRoom | NoProposalReason::Gone => {
                "The answer proposes nothing for the conflicts."
            }
            NoProposalReason::Twice => "The answer has several proposals for one conflict.",
            NoProposalReason::Long => "The proposal is far longer than the conflict.",
            NoProposalReason::Marks => "The proposal contains conflict markers.",
            NoProposalReason::Hidden => "The proposal contains invisible characters.",
        }),
    }
}

#[cfg(test)]
mod tests;
