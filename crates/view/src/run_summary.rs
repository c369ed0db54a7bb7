//! Summarises the newest run of a session for an operator who was away.
//!
//! Lists changes with authors, cost, open questions, and the edits that would undo the last round. Computed from
//! rows, without a model.

use std::sync::Arc;

use crate::blame::{Author, history};
use nexus_model::id::{AgentKey, RunId, SessionId, ToolRunId};
use nexus_model::limits::OPEN_QUESTIONS;
use nexus_model::message::Role;
use nexus_model::message::content::text_of;
use nexus_model::mind::review::{FieldDiff, MindField, changes, run_start};
use nexus_model::mind::{Mind, MindWrite};
use nexus_model::run::{PauseCause, Run, RunStatus, RunUsage};
use nexus_model::session::race;
use nexus_model::tool::ToolStatus;
use nexus_model::turn::Turn;
use nexus_model::world::World;
use nexus_text::diff::LineCount;
use nexus_text::merge3::{MergeOutcome, merge};
use nexus_text::vec_map::VecSet;

/// What the newest run of a session came to.
#[derive(Clone, Debug, PartialEq)]
pub struct RunSummary {
    pub run: RunId,
    pub status: RunStatus,
    pub rounds: u32,
    pub turns: usize,
    pub used: RunUsage,
    pub changed: Vec<ChangedField>,
    pub questions: Vec<OpenQuestion>,
    /// The mind before its last round, after it, and as it is now.
    pub minds: Option<RoundMinds>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct RoundMinds {
    pub before: Arc<Mind>,
    /// When its last turn ended.
    pub after: Arc<Mind>,
    pub now: Arc<Mind>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ChangedField {
    /// Before the run and after it.
    pub change: FieldDiff,
    /// Lines added and removed.
    pub lines: LineCount,
    /// Who changed it, in the order in which they first did.
    pub by: Vec<Author>,
}

/// Something that waits for the operator.
#[derive(Clone, Debug, PartialEq)]
pub enum OpenQuestion {
    /// An agent waits to be allowed a tool.
    Approval { tool_run: ToolRunId, agent: AgentKey, tool: String },
    Paused(PauseCause),
    /// A line of an agent's last answer that ends in a question mark: found by its form, so it may be none.
    Asked { agent: AgentKey, line: String },
}

/// What the newest run of a session came to; `None` before the first, or where none of its turns is loaded.
pub fn catch_up(world: &World, id: SessionId) -> Option<RunSummary> {
    let session = world.session(&id)?;
    let run = world.run(session.run.as_ref()?)?;
    let newest = world.open_turn(session).map(|turn| turn.id).or(session.head);
    // Of a race it is the lane that was picked.
    let own = race::picked(world, session, run).unwrap_or(run);
    let mut turns: Vec<_> = world.replies(newest).take_while(|turn| turn.run == Some(own.id)).collect();
    turns.reverse();
    let last = turns.last()?;
    let now = world.working_mind(session)?;
    let start = run_start(world, session).and_then(|hash| world.mind(hash));
    let after = last.mind_after.as_ref().map_or(Some(now), |hash| world.mind(hash));
    let changed = start.zip(after).map_or_else(Vec::new, |(start, after)| {
        let by = authors(world, id, &turns);
        changes(start, after)
            .into_iter()
            .map(|change| ChangedField { lines: change.compare().count(), by: by(&change.field), change })
            .collect()
    });
    let minds = world.mind(&own.round_mind).zip(after).map(|(before, after)| RoundMinds {
        before: Arc::clone(before),
        after: Arc::clone(after),
        now: Arc::clone(now),
    });
    Some(RunSummary {
        run: run.id,
        status: run.status,
        rounds: run.rounds.current,
        turns: turns.len(),
        used: run.used,
        changed,
        questions: questions(world, run, &turns),
        minds,
    })
}

/// Who changed a field during these turns.
fn authors(world: &World, id: SessionId, turns: &[&Arc<Turn>]) -> impl Fn(&MindField) -> Vec<Author> + use<> {
    let ids: VecSet<_> = turns.iter().map(|turn| turn.id).collect();
    let steps = history(world, &World::default(), id);
    let of_run = move |author: &Author| match author {
        Author::Agent { turn, .. } => ids.contains(turn),
        Author::Operator | Author::Core => false,
    };
    let first = steps.iter().position(|step| of_run(&step.author)).unwrap_or(steps.len());
    let last = steps.iter().rposition(|step| of_run(&step.author)).map_or(0, |last| last + 1);
    move |field| {
        let mut by: Vec<Author> = Vec::new();
        for step in steps.get(first..last).unwrap_or_default() {
            // An agent is named once, however many turns it had.
            let named = |other: &Author| match (other.agent(), step.author.agent()) {
                (None, None) => *other == step.author,
                (one, other) => one == other,
            };
            if field.text(&step.before) != field.text(&step.after) && !by.iter().any(named) {
                by.push(step.author.clone());
            }
        }
        by
    }
}

fn questions(world: &World, run: &Run, turns: &[&Arc<Turn>]) -> Vec<OpenQuestion> {
    let runs = turns.iter().flat_map(|turn| &turn.tool_runs).filter_map(|id| world.tool_run(id));
    let approvals = runs.filter(|run| run.status == ToolStatus::AwaitingApproval).map(|run| {
        OpenQuestion::Approval { tool_run: run.id, agent: run.agent.clone(), tool: run.call.name.clone() }
    });
    let mut out: Vec<_> = approvals.chain(run.pause.clone().map(OpenQuestion::Paused)).collect();
    let mut heard: VecSet<AgentKey> = VecSet::new();
    for turn in turns.iter().rev().filter(|turn| !turn.phase.is_open()) {
        if !heard.insert(turn.agent.clone()) {
            continue;
        }
        let answers = turn.messages.iter().rev().filter_map(|id| world.message(id));
        let answer = answers.filter(|message| message.role == Role::Assistant).map(|m| text_of(&m.parts));
        let text = answer.into_iter().find(|text| !text.trim().is_empty()).unwrap_or_default();
        out.extend(asked(&text).map(|line| OpenQuestion::Asked { agent: turn.agent.clone(), line }));
    }
    out.truncate(OPEN_QUESTIONS);
    out
}

/// The lines of an answer that end in a question mark, without code.
fn asked(text: &str) -> impl Iterator<Item = String> {
    let mut in_code = false;
    text.lines().filter_map(move |line| {
        let line = line.trim();
        if line.starts_with("```") || line.starts_with("~~~") {
            in_code = !in_code;
        }
        let bare = line.trim_end_matches(['*', '_', '"', '”', ')', ' ']);
        let said = bare.trim_start_matches(['-', '*', '#', '>', '"', '“', ' ']);
        let asks = bare.ends_with(['?', '？']) && said.chars().any(char::is_alphabetic);
        (asks && !in_code).then(|| said.to_owned())
    })
}

/// Undoing a round, on the mind as it is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct UndoPlan {
    pub writes: Vec<MindWrite>,
    /// The fields in which others changed the same lines since. Where there are any, nothing is to be written.
    pub clashes: Vec<MindField>,
}

/// What takes back everything that changed between `before` and `after`, and keeps what changed since.
pub fn undo(minds: &RoundMinds) -> UndoPlan {
    let RoundMinds { before, after, now } = minds;
    let mut undo = UndoPlan::default();
    for FieldDiff { field, old, new } in changes(before, after) {
        let present = field.text(now);
        if present == old {
            continue;
        }
        let text = if present == new {
            Some(old.map(|text| text.to_string()))
        } else {
            match (&old, &new, &present) {
                (Some(old), Some(new), Some(present)) => match merge(new, present, old) {
                    MergeOutcome::Clean(text) => Some(Some(text)),
                    MergeOutcome::Clash(_) => None,
                },
                (None, _, _) | (_, None, _) | (_, _, None) => None,
            }
        };
        match text {
            Some(text) => undo.writes.push(field.write(text)),
            None => undo.clashes.push(field),
        }
    }
    let back = before.active.as_ref().filter(|name| after.active.as_ref() != Some(name));
    let will_be = |name: &&String| before.files.contains_key(name.as_str());
    if let Some(name) = back.filter(will_be).filter(|_| now.active == after.active) {
        undo.writes.push(MindWrite::Activate(name.clone()));
    }
    undo
}

#[cfg(test)]
mod tests;
