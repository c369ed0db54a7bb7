//! Parses the Core's merge proposals, and defines their JSON Schema and tool.
//!
//! An answer without a usable proposal is rejected with a message; nothing is guessed.

use serde_json::{Map, Value, json};

use crate::limits::PROPOSAL_WHY_CHARS;
use crate::llm::ToolSpec;
use crate::message::content::{MessagePart, ToolArgs, calls_of, text_of};
use crate::mind::core_sync::answer::object_in;
use crate::mind::merge::proposal::{ConflictProposal, NoProposalReason, UnresolvedConflict, unfit};
use nexus_text::content_hash::ContentHash;
use nexus_text::invisible::reveal;
use nexus_text::merge3::Conflict;
use nexus_text::shorten::{ellipsis, one_line};

/// The tool that an answer can be given by.
const PROPOSE_TOOL: &str = "propose_lines";

/// What was proposed, and the clashes for which nothing was.
pub type MergeAnswer = (Vec<ConflictProposal>, Vec<UnresolvedConflict>);

pub fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "proposals": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "clash": {"type": "integer", "description": "The number of the clash."},
                        "text": {"type": "string", "description": "The lines that are to stand in its place, and no others."},
                        "why": {"type": "string", "description": "Why, in one short line for the operator."},
                    },
                    "required": ["clash", "text", "why"],
                    "additionalProperties": false,
                },
            },
        },
        "required": ["proposals"],
        "additionalProperties": false,
    })
}

/// The tool that takes the answer, where a call is asked for and not a text.
pub fn propose_tool() -> ToolSpec {
    ToolSpec {
        name: PROPOSE_TOOL.to_owned(),
        description: "Takes what you propose for each clash, and why. Call it once; it is your whole answer."
            .to_owned(),
        parameters: schema(),
    }
}

/// Reads proposals out of an answer: from a call of the tool for them, else from the text. Clashes are numbered from 1
/// in the order in which they were asked about.
pub fn read_answer(
    parts: &[MessagePart],
    asked: &[(ContentHash, Conflict)],
) -> Result<MergeAnswer, &'static str> {
    match calls_of(parts).find(|call| call.name == PROPOSE_TOOL).map(|call| &call.args) {
        Some(ToolArgs::Parsed(Value::Object(object))) => proposals_of(object, asked),
        Some(ToolArgs::Parsed(_)) => Err("The answer is JSON, but holds no proposals."),
        Some(ToolArgs::Broken(text)) => read_text(text, asked),
        None => read_text(&text_of(parts), asked),
    }
}

fn read_text(text: &str, asked: &[(ContentHash, Conflict)]) -> Result<MergeAnswer, &'static str> {
    proposals_of(&object_in(text).ok_or("The answer is not JSON.")?, asked)
}

fn proposals_of(
    object: &Map<String, Value>,
    asked: &[(ContentHash, Conflict)],
) -> Result<MergeAnswer, &'static str> {
    let list = object.get("proposals").and_then(Value::as_array);
    let list = list.ok_or("The answer is JSON, but holds no proposals.")?;
    let number = |each: &Value| {
        let number = each.get("clash").and_then(Value::as_u64).and_then(|it| usize::try_from(it).ok());
        number.filter(|number| (1..=asked.len()).contains(number))
    };
    if list.iter().any(|each| number(each).is_none()) {
        return Err("The answer is about a conflict that was not asked about.");
    }
    let (mut proposals, mut without) = (Vec::new(), Vec::new());
    for (at, (mark, clash)) in asked.iter().enumerate() {
        let mut about = list.iter().filter(|each| number(each) == Some(at.saturating_add(1)));
        let first = about.next();
        let text = first.and_then(|each| each.get("text")).and_then(Value::as_str);
        let wrong = match text {
            None => Some(NoProposalReason::Missing),
            Some(_) if about.next().is_some() => Some(NoProposalReason::Twice),
            Some(text) => unfit(text, clash),
        };
        match (text, wrong) {
            (Some(text), None) => {
                let why = first.and_then(|each| each.get("why")).and_then(Value::as_str).unwrap_or_default();
                proposals.push(ConflictProposal { clash: *mark, text: text.to_owned(), why: line(why) });
            }
            (_, wrong) => {
                let why = wrong.unwrap_or(NoProposalReason::Missing);
                without.push(UnresolvedConflict { clash: *mark, why });
            }
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

/// A reason in one short line, in which nothing is hidden.
fn line(why: &str) -> String {
    ellipsis(&one_line(&reveal(why)), PROPOSAL_WHY_CHARS)
}

#[cfg(test)]
#[path = "answer_tests.rs"]
mod tests;
