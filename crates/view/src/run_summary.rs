//! Summarises the newest run of a session for an operator who was away.
//!
//! Lists changes with their authors, cost, open questions, and the edits that undo the last round. Computed from
//! rows, without a model.

use crate::blame::{Author, history};
use nexus_model::limits::OPEN_QUESTIONS;
use nexus_model::mind::review::{FieldDiff, changes, newest_run_turns, run_start};
use nexus_model::prelude::*;
use nexus_model::session::workers;
use nexus_text::diff::LineCount;
use nexus_text::merge3::{MergeOutcome, merge};

#[derive(Clone, Debug, PartialEq)]
pub struct RunSummary {
    pub run: RunId,
    pub status: RunStatus,
    pub rounds: u32,
    pub turns: usize,
    pub used: RunUsage,
    pub changed: Vec<ChangedField>,
    pub questions: Vec<OpenQuestion>,
    /// The mind before the last round, after it, and now.
    pub minds: Option<RoundMinds>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct RoundMinds {
    pub before: Arc<Mind>,
    pub after: Arc<Mind>,
    pub now: Arc<Mind>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ChangedField {
    pub change: FieldDiff,
    pub lines: LineCount,
    /// Authors, in the order of their first change.
    pub by: Vec<Author>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum OpenQuestion {
    /// A tool run waits for approval.
    Approval { tool_run: ToolRunId, agent: AgentKey, tool: String },
    /// The run waits for the operator.
    Paused(PauseCause),
    /// A line of an agent's last answer that ends in a question mark; it may be no question.
    InText { agent: AgentKey, line: String },
}

/// The summary of a session's newest run; `None` before the first run, or if none of its turns is loaded.
pub fn run_summary(world: &World, id: SessionId) -> Option<RunSummary> {
    let session = world.session(&id)?;
    let run = world.run(session.run.as_ref()?)?;
    // After a comparison: the run of the picked lane.
    let own = workers::picked_lane(world, session, run).unwrap_or(run);
    let mut turns: Vec<_> = newest_run_turns(world, session).collect();
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

fn authors(world: &World, id: SessionId, turns: &[&Arc<Turn>]) -> impl Fn(&MindField) -> Vec<Author> + use<> {
    let ids: VecSet<_> = turns.iter().map(|turn| turn.id).collect();
    let steps = history(world, &World::default(), id);
    let of_run = move |author: &Author| matches!(author, Author::Agent { turn, .. } if ids.contains(turn));
    let first = steps.iter().position(|step| of_run(&step.author)).unwrap_or(steps.len());
    let last = steps.iter().rposition(|step| of_run(&step.author)).map_or(0, |last| last + 1);
    move |field| {
        let mut by: Vec<Author> = Vec::new();
        for step in steps.get(first..last).unwrap_or_default() {
            // An agent is listed once for all its turns.
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
        if heard.insert(turn.agent.clone()) {
            let answer = world.last_answer(turn);
            let asked = |line| OpenQuestion::InText { agent: turn.agent.clone(), line };
            out.extend(question_lines(&answer).map(asked));
        }
    }
    out.truncate(OPEN_QUESTIONS);
    out
}

/// The lines outside code blocks that end in a question mark.
fn question_lines(text: &str) -> impl Iterator<Item = String> {
    let mut in_code = false;
    text.lines().filter_map(move |line| {
        let line = line.trim();
        if line.starts_with("```") || line.starts_with("~~~") {
            in_code = !in_code;
        }
        let bare = line.trim_end_matches(['*', '_', '"', '”', ')', ' ']);
        let question = bare.trim_start_matches(['-', '*', '#', '>', '"', '“', ' ']);
        let asks = bare.ends_with(['?', '？']) && question.chars().any(char::is_alphabetic);
        (asks && !in_code).then(|| question.to_owned())
    })
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct UndoPlan {
    /// The writes that undo the round; empty if there is nothing to undo.
    pub writes: Vec<MindWrite>,
    /// Fields with a conflict: others changed the same lines since. If there are any, nothing should be written.
    pub conflicts: Vec<MindField>,
}

/// Plans to revert all changes between `before` and `after`, and keeps later changes.
pub fn undo(minds: &RoundMinds) -> UndoPlan {
    let RoundMinds { before, after, now } = minds;
    let mut undo = UndoPlan::default();
    for FieldDiff { field, old, new } in changes(before, after) {
        let present = field.text(now);
        if present == old {
            continue;
        }
        let text = match (old, &new, &present) {
            (old, ..) if present == new => Some(old.map(|text| text.to_string())),
            (Some(old), Some(new), Some(present)) => match merge(new, present, &old) {
                MergeOutcome::Clean(text) => Some(Some(text)),
                MergeOutcome::Conflict(_) => None,
            },
            _ => None,
        };
        match text {
            Some(text) => undo.writes.push(field.write(text)),
            None => undo.conflicts.push(field),
        }
    }
    let previous_active = before.active.as_ref().filter(|name| after.active.as_ref() != Some(name));
    let exists_before = |name: &&String| before.files.contains_key(name.as_str());
    if let Some(name) = previous_active.filter(exists_before).filter(|_| now.active == after.active) {
        undo.writes.push(MindWrite::Activate(name.clone()));
    }
    undo
}

/// Decides when to notify an operator who is away from the page.
///
/// Reasons are a tool that needs approval, a paused run, an answer that ends in a question, and a finished run.
/// Compares two snapshots of all sessions, so each reason notifies once.
pub mod notification {
    use crate::run_summary::{OpenQuestion, run_summary};
    use nexus_model::prelude::*;

    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum NotificationReason {
        Approval,
        Pause,
        /// The run ended, and an answer ends with a question.
        Question,
        Ended(RunStatus),
    }

    /// State of a session's newest run.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct LatestRun {
        pub run: RunId,
        pub status: RunStatus,
        pub needs_approval: bool,
    }

    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct RunNotification {
        pub session: SessionId,
        pub run: RunId,
        pub reason: NotificationReason,
    }

    pub type LatestRuns = VecMap<SessionId, LatestRun>;

    /// The state of the newest runs of all open sessions, as far as they are loaded.
    pub fn latest_runs(world: &World) -> LatestRuns {
        let open = world.sessions.values().filter(|session| session.status == SessionStatus::Open);
        let latest = open.filter_map(|session| {
            let run = world.run(session.run.as_ref()?)?;
            let needs_approval = run.needs_approval();
            let counts = match session.role() {
                SessionRole::Conversation => true,
                // A worker's end is reported to its parent; the operator is notified only if the worker needs them.
                SessionRole::Worker => needs_approval || run.status == RunStatus::Paused,
                // A race notifies through the session that started it.
                SessionRole::Candidate | SessionRole::Jobs => false,
            };
            counts.then_some((session.id, LatestRun { run: run.id, status: run.status, needs_approval }))
        });
        latest.collect()
    }

    /// The notifications due between two snapshots. A run that is new in `after` notifies only if it needs the
    /// operator: one that had already ended when it was loaded is no news.
    pub fn new_notifications(before: &LatestRuns, after: &LatestRuns) -> Vec<RunNotification> {
        let call = |(session, now): (&SessionId, &LatestRun)| {
            let was = before.get(session).filter(|was| was.run == now.run);
            let reason = match now.status {
                RunStatus::Running if now.needs_approval && !was.is_some_and(|was| was.needs_approval) => {
                    NotificationReason::Approval
                }
                RunStatus::Paused if was.is_none_or(|was| was.status != RunStatus::Paused) => {
                    NotificationReason::Pause
                }
                // The operator cancelled it.
                RunStatus::Cancelled | RunStatus::TimedOut => return None,
                RunStatus::Completed | RunStatus::Failed if was.is_some_and(|was| was.status.is_open()) => {
                    NotificationReason::Ended(now.status)
                }
                RunStatus::Queued
                | RunStatus::Running
                | RunStatus::Paused
                | RunStatus::Completed
                | RunStatus::Failed => return None,
            };
            Some(RunNotification { session: *session, run: now.run, reason })
        };
        after.iter().filter_map(call).collect()
    }

    /// Turns a completed run's notification into a question if its answers leave one.
    pub fn with_question(world: &World, call: RunNotification) -> RunNotification {
        let is_in_text = |question: &OpenQuestion| matches!(question, OpenQuestion::InText { .. });
        let summary = Some(call.reason)
            .filter(|reason| *reason == NotificationReason::Ended(RunStatus::Completed))
            .and_then(|_| run_summary(world, call.session).filter(|summary| summary.run == call.run));
        let asks = summary.is_some_and(|summary| summary.questions.iter().any(is_in_text));
        RunNotification { reason: if asks { NotificationReason::Question } else { call.reason }, ..call }
    }

    #[cfg(test)]
    mod tests;
}

#[cfg(test)]
mod tests;
