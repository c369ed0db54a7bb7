//! Triggers: messages that the device sends at a time or after an event.
//!
//! Defines schedule, recipient, result, and the rules against loops and floods: a message carries the triggers that
//! caused it, and none of them fires because of it; a trigger fires at most once a minute and twelve times an hour, and
//! not while its last message is open. Each trigger is one settings row, `trigger/…`. Never reads a clock or sends
//! anything itself.

use nexus_markup::sparse;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::id::{AgentKey, Millis, RunId, SessionId, TriggerId};
use crate::limits::{TRIGGER_BYTES, TRIGGER_GAP_MS, TRIGGER_LATE_MS, TRIGGER_LEAST_MS, TRIGGERS_AN_HOUR};
use crate::session::Target;
use crate::settings::schema::TRIGGER_ROWS;
use crate::world::World;
use nexus_text::json;

const HOUR_MS: u64 = 60 * 60_000;
/// What a trigger waits for.
#[sparse]
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
        session: Option<SessionId>,
    },
    RunFailed {
        /// In which session; in any where absent.
        session: Option<SessionId>,
    },
    ObjectiveChanged {
        /// In which session; in any where absent.
        session: Option<SessionId>,
    },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Recipient {
    /// An agent, in its main session.
    Persona(AgentKey),
    Session(SessionId),
}

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
#[sparse]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trigger {
    pub id: TriggerId,
    pub name: String,
    pub when: Schedule,
    pub to: Recipient,
    pub text: String,
    pub rest: Option<PauseReason>,
    /// Times up to here are dealt with.
    pub since: Millis,
    /// The last time it fired, or should have.
    pub last: Option<LastFiring>,
    /// When it fired within the last hour.
    pub recent: Vec<Millis>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TriggerError {
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
pub fn has_any(world: &World) -> bool {
    world.rows_of(TRIGGER_ROWS).any(|(_, row)| !row.is_null())
}

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
            crate::session::recipients::of_persona(world, agent).map(|way| (way.session, way.target))
        }
        Recipient::Session(session) => world
            .session(session)
            .filter(|row| row.deleted_at.is_none() && row.purged_at.is_none())
            .map(|row| (row.id, Target::All)),
    }
}

#[cfg(test)]
#[path = "trigger_tests.rs"]
mod tests;
