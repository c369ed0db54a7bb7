//! Triggers: messages that the device sends at a time or after an event.
//!
//! Defines schedule, recipient, result, and the rules against loops and floods: a message carries the triggers that
//! caused it, and none of them fires because of it; a trigger fires at most once a minute and twelve times an hour, and
//! not while its last message is open. Each trigger is one settings row, `trigger/…`. Never reads a clock or sends
//! anything itself.
//!
//! Also tells what makes a trigger fire, and the triggers behind a message or run, which must not fire because of it.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::agent::matches as fits;
use crate::event::{Event, EventKind};
use crate::id::{AgentKey, MessageId, Millis, RunId, SessionId, TriggerId};
use crate::limits::{TRIGGER_BYTES, TRIGGER_GAP_MS, TRIGGER_LATE_MS, TRIGGER_LEAST_MS, TRIGGERS_AN_HOUR};
use crate::message::MessageOrigin;
use crate::mind::MindEdit;
use crate::run::{RunCause, RunStatus};
use crate::session::{QueueState, Target};
use crate::settings::schema::TRIGGER_ROWS;
use crate::world::World;
use nexus_text::json;

const HOUR_MS: u64 = 60 * 60_000;
/// What a trigger waits for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Schedule {
    /// A time, once.
    At(Millis),
    /// Again and again.
    Every {
        /// How long from one time to the next, in milliseconds.
        ms: u64,
        /// The first time.
        from: Millis,
    },
    FileChanged {
        /// Its name, or a beginning with a star; any file where empty.
        file: String,
        /// In which session; in any where absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        session: Option<SessionId>,
    },
    RunFailed {
        /// In which session; in any where absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        session: Option<SessionId>,
    },
    ObjectiveChanged {
        /// In which session; in any where absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        session: Option<SessionId>,
    },
}

/// Whom a trigger speaks to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Recipient {
    /// An agent, in its main session.
    Persona(AgentKey),
    Session(SessionId),
}

/// Why a trigger rests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PauseReason {
    Paused,
    Over,
    /// It fired too often, and was stopped.
    TooOften,
}

/// Why a trigger fired, or should have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TriggerCause {
    Time(Millis),
    File { file: String, session: SessionId },
    Run { run: RunId, session: SessionId },
    Objective { session: SessionId },
}

/// What became of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TriggerOutcome {
    /// Its message was said, or waits behind a run.
    Said { session: SessionId },
    /// Its last message is not answered yet, so it said nothing.
    Busy,
    /// So many times went by while the page was closed or asleep. They are not made up for.
    Missed { times: u64 },
    /// It fired too often within an hour, and rests.
    TooOften,
    /// It could not speak there.
    Refused { reason: String },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TriggerFired {
    pub trigger: TriggerId,
    pub name: String,
    pub cause: TriggerCause,
}

/// What became of a trigger that fired, or should have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TriggerEnded {
    pub trigger: TriggerId,
    pub name: String,
    /// Why it fired, or should have.
    pub cause: TriggerCause,
    pub outcome: TriggerOutcome,
}

/// The last time that a trigger fired, or should have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LastFiring {
    pub at: Millis,
    pub cause: TriggerCause,
    /// What became of it; absent while it is being said, or where the page was closed meanwhile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<TriggerOutcome>,
}

/// Something that says a message by itself, while the page is open.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trigger {
    pub id: TriggerId,
    pub name: String,
    pub when: Schedule,
    pub to: Recipient,
    pub text: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rest: Option<PauseReason>,
    /// Times up to here are dealt with.
    pub since: Millis,
    /// The last time it fired, or should have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last: Option<LastFiring>,
    /// When it fired within the last hour.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub recent: Vec<Millis>,
}

/// What is wrong with a trigger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TriggerError {
    /// It has no name.
    Nameless,
    SaysNothing,
    TooLong,
    /// It would fire too often.
    TooOften,
    Over,
    /// Nobody is there whom it could speak to.
    Nobody,
    TooMany,
}

/// Where a trigger of time stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DueState {
    /// It waits for no time.
    Never,
    Later(Millis),
    /// It is due since then.
    Due(Millis),
    /// So many times are over, the last of them then.
    Missed(Millis, u64),
}

impl Trigger {
    /// The name of its row among the settings.
    pub fn row(id: TriggerId) -> String {
        TRIGGER_ROWS.row(id)
    }

    /// What is wrong with it, as the operator wants it, if anything.
    pub fn check(&self, world: &World, now: Millis) -> Result<(), TriggerError> {
        if self.name.trim().is_empty() {
            return Err(TriggerError::Nameless);
        }
        if self.text.trim().is_empty() {
            return Err(TriggerError::SaysNothing);
        }
        if self.text.len().saturating_add(self.name.len()) > TRIGGER_BYTES {
            return Err(TriggerError::TooLong);
        }
        match self.when {
            Schedule::Every { ms, .. } if ms < TRIGGER_LEAST_MS => return Err(TriggerError::TooOften),
            Schedule::At(at) if at <= now => return Err(TriggerError::Over),
            Schedule::At(_)
            | Schedule::Every { .. }
            | Schedule::FileChanged { .. }
            | Schedule::RunFailed { .. }
            | Schedule::ObjectiveChanged { .. } => {}
        }
        let is_there = match &self.to {
            Recipient::Persona(agent) => world.agent(agent).is_some_and(|agent| agent.is_here()),
            Recipient::Session(session) => world.session(session).is_some_and(|row| row.deleted_at.is_none()),
        };
        if is_there { Ok(()) } else { Err(TriggerError::Nobody) }
    }

    /// Where it stands at a time. What is over for long is missed: the page was closed, or the device slept.
    pub fn look(&self, now: Millis) -> DueState {
        if self.rest.is_some() {
            return DueState::Never;
        }
        let (first, every) = match self.when {
            Schedule::At(at) => (at.0, None),
            Schedule::Every { ms, from } => (from.0, Some(ms.max(TRIGGER_LEAST_MS))),
            Schedule::FileChanged { .. } | Schedule::RunFailed { .. } | Schedule::ObjectiveChanged { .. } => {
                return DueState::Never;
            }
        };
        // The first time after the last one that is dealt with.
        let next = match every {
            Some(ms) if self.since.0 >= first => {
                let done = (self.since.0 - first) / ms;
                first.saturating_add(done.saturating_add(1).saturating_mul(ms))
            }
            None if self.since.0 >= first => return DueState::Never,
            Some(_) | None => first,
        };
        if next > now.0 {
            return DueState::Later(Millis(next));
        }
        let over = every.map_or(0, |ms| (now.0 - next) / ms);
        let newest = next.saturating_add(over.saturating_mul(every.unwrap_or_default()));
        match now.0 - newest > TRIGGER_LATE_MS {
            true => DueState::Missed(Millis(newest), over.saturating_add(1)),
            false if over > 0 => {
                // The newest is due; those before it are over.
                DueState::Missed(Millis(newest - every.unwrap_or_default()), over)
            }
            false => DueState::Due(Millis(newest)),
        }
    }

    /// Whether it fired so often of late that it has to rest.
    pub fn is_too_often(&self, now: Millis) -> bool {
        self.lately(now).count() >= TRIGGERS_AN_HOUR
    }

    /// When it may fire again because of an event.
    pub fn free_at(&self) -> Millis {
        let last = self.recent.last().copied();
        last.map_or(Millis(0), |last| Millis(last.0.saturating_add(TRIGGER_GAP_MS)))
    }

    fn lately(&self, now: Millis) -> impl Iterator<Item = Millis> {
        self.recent.iter().copied().filter(move |at| now.0.saturating_sub(at.0) < HOUR_MS)
    }

    #[must_use]
    pub fn fired(mut self, cause: &TriggerCause, at: Millis) -> Self {
        self.recent = self.lately(at).chain([at]).collect();
        self.deal_with(cause, at);
        self.last = Some(LastFiring { at, cause: cause.clone(), outcome: None });
        self
    }

    /// The trigger once it is known what became of it.
    #[must_use]
    pub fn ended(mut self, cause: &TriggerCause, outcome: &TriggerOutcome, at: Millis) -> Self {
        self.deal_with(cause, at);
        if *outcome == TriggerOutcome::TooOften {
            self.rest = Some(PauseReason::TooOften);
        }
        let at = self.last.as_ref().filter(|last| last.outcome.is_none()).map_or(at, |last| last.at);
        self.last = Some(LastFiring { at, cause: cause.clone(), outcome: Some(outcome.clone()) });
        self
    }

    fn deal_with(&mut self, cause: &TriggerCause, at: Millis) {
        let reached = if let TriggerCause::Time(due) = cause { *due } else { at };
        self.since = self.since.max(reached);
        if matches!(self.when, Schedule::At(_)) {
            self.rest = Some(PauseReason::Over);
        }
    }
}

/// Every trigger of the device, the oldest first. A row that cannot be read is left out.
pub fn triggers(world: &World) -> Vec<Trigger> {
    world.rows_of(TRIGGER_ROWS).filter_map(|(_, row)| read(row)).collect()
}

pub fn trigger(world: &World, id: TriggerId) -> Option<Trigger> {
    world.setting(&Trigger::row(id)).and_then(|row| read(row))
}

/// Whether a setting is a trigger that cannot be read.
pub fn is_damaged(name: &str, row: &Value) -> bool {
    name.starts_with(TRIGGER_ROWS.name()) && !row.is_null() && read(row).is_none()
}

/// A trigger as its row has it; `None` for one that was removed.
pub fn read(row: &Value) -> Option<Trigger> {
    json::from_tree(row).ok()
}

/// Where a trigger speaks, and to whom; `None` where that is gone.
pub fn place_of(world: &World, to: &Recipient) -> Option<(SessionId, Target)> {
    match to {
        Recipient::Persona(agent) => {
            crate::session::thread_resolver::of_persona(world, agent).map(|way| (way.session, way.target))
        }
        Recipient::Session(session) => world
            .session(session)
            .filter(|row| row.deleted_at.is_none() && row.purged_at.is_none())
            .map(|row| (row.id, Target::All)),
    }
}

impl Trigger {
    /// Why an event is what it waits for, if it is. What came of the trigger itself never is.
    pub fn waits_for(&self, world: &World, event: &Event) -> Option<TriggerCause> {
        if self.rest.is_some() || chain_of(world, event).contains(&self.id) {
            return None;
        }
        let here = event.stream.session()?;
        let at = |wanted: &Option<SessionId>| wanted.is_none_or(|wanted| wanted == here);
        match &self.when {
            Schedule::At(_) | Schedule::Every { .. } => None,
            Schedule::FileChanged { file, session } if at(session) => {
                let name = event.happening()?.edits().iter().flat_map(changed_files);
                let name = name.into_iter().find(|name| file.is_empty() || fits(file, name))?;
                Some(TriggerCause::File { file: name.to_owned(), session: here })
            }
            Schedule::ObjectiveChanged { session } if at(session) => event
                .happening()?
                .edits()
                .iter()
                .any(|edit| matches!(edit, MindEdit::Objective { .. }))
                .then_some(TriggerCause::Objective { session: here }),
            Schedule::RunFailed { session } if at(session) => {
                let failed = matches!(
                    event.happening()?,
                    EventKind::RunEnded { status: RunStatus::Failed | RunStatus::TimedOut }
                );
                let run = event.run.filter(|_| failed)?;
                Some(TriggerCause::Run { run, session: here })
            }
            Schedule::FileChanged { .. } | Schedule::ObjectiveChanged { .. } | Schedule::RunFailed { .. } => {
                None
            }
        }
    }
}

fn changed_files(edit: &MindEdit) -> Vec<&str> {
    match edit {
        MindEdit::File { name, .. } | MindEdit::FileLines { name, .. } | MindEdit::FileRemoved { name } => {
            vec![name]
        }
        MindEdit::FileRenamed { from, to } => vec![from, to],
        MindEdit::Objective { .. }
        | MindEdit::Scratchpad { .. }
        | MindEdit::ScratchpadLines { .. }
        | MindEdit::Active { .. } => Vec::new(),
    }
}

/// The triggers because of which something happened, the first cause first. What the Core does belongs to no run: it
/// counts as done because of the newest one in its session.
pub fn chain_of(world: &World, event: &Event) -> Vec<TriggerId> {
    let session = || event.stream.session().and_then(|session| world.session(&session));
    let by_core = matches!(event.happening(), Some(EventKind::MindSynced { .. } | EventKind::JobDone(_)));
    let run = event.run.or_else(|| session().filter(|_| by_core)?.run);
    run.map(|run| chain_of_run(world, run)).unwrap_or_default()
}

/// From where a message comes that a run brings about in another session; `None` where no trigger is behind it.
pub fn passed_on(world: &World, run: Option<RunId>) -> Option<MessageOrigin> {
    let triggers = run.map(|run| chain_of_run(world, run)).unwrap_or_default();
    (!triggers.is_empty()).then(|| MessageOrigin { triggers, ..MessageOrigin::default() })
}

fn chain_of_run(world: &World, run: RunId) -> Vec<TriggerId> {
    let Some(run) = world.run(&run) else { return Vec::new() };
    let cause = if let RunCause::Message(message) = &run.cause { Some(*message) } else { None };
    let mut chain = Vec::new();
    for message in run.messages.iter().copied().chain(cause) {
        for id in origin_of(world, message).map(|origin| origin.triggers.as_slice()).unwrap_or_default() {
            if !chain.contains(id) {
                chain.push(*id);
            }
        }
    }
    chain
}

fn origin_of(world: &World, message: MessageId) -> Option<&MessageOrigin> {
    world.message(&message).and_then(|message| message.metadata.origin.as_ref())
}

/// Whether the last message of a trigger still waits, or a run still works on it. Then it says nothing more.
pub fn is_busy(world: &World, id: TriggerId) -> bool {
    let waits = world.queue.values().any(|item| {
        item.state == QueueState::Waiting
            && item.origin.as_ref().is_some_and(|origin| origin.triggers.last() == Some(&id))
    });
    waits || {
        let mut open = world.sessions.values().filter_map(|session| world.open_run(session));
        open.any(|run| chain_of_run(world, run.id).contains(&id))
    }
}

#[cfg(test)]
#[path = "trigger_tests.rs"]
mod tests;
