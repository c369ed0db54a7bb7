//! Triggers: messages that the device sends at a time or after an event.
//!
//! Defines schedule, recipient, outcome, and the rules against loops and floods: a message carries the triggers that
//! caused it, and none of them fires because of it; a trigger fires at most once a minute and twelve times an hour,
//! and not while its last message is open. Each trigger is one settings row, `trigger/…`.

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
/// When a trigger fires.
#[sparse]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Schedule {
    /// A time, once.
    At(Millis),
    /// Repeatedly, at this interval in milliseconds.
    Every { ms: u64, from: Millis },
    /// A file changed: a name, or a prefix with a star; any file if empty, in any session if absent.
    FileChanged { file: String, session: Option<SessionId> },
    /// A run failed, in any session if absent.
    RunFailed { session: Option<SessionId> },
    /// The objective changed, in any session if absent.
    ObjectiveChanged { session: Option<SessionId> },
}

impl Schedule {
    /// The session that it watches; `None` if it watches all or none.
    pub fn session(&self) -> Option<SessionId> {
        match self {
            Self::At(_) | Self::Every { .. } => None,
            Self::FileChanged { session, .. }
            | Self::RunFailed { session }
            | Self::ObjectiveChanged { session } => *session,
        }
    }
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
    TooOften,
}

/// Why a trigger fired, or should have fired.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TriggerCause {
    Time(Millis),
    File { file: String, session: SessionId },
    Run { run: RunId, session: SessionId },
    Objective { session: SessionId },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TriggerOutcome {
    /// The message was sent or queued.
    #[serde(rename = "said")]
    Sent { session: SessionId },
    /// Nothing was sent, because the last message is not answered yet.
    Busy,
    /// The number of times that passed while the page was closed or asleep. They are not made up for.
    Missed { times: u64 },
    /// It fired too often within an hour and was paused.
    TooOften,
    /// The message was rejected.
    Refused { reason: String },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TriggerFired {
    pub trigger: TriggerId,
    pub name: String,
    pub cause: TriggerCause,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TriggerEnded {
    pub trigger: TriggerId,
    pub name: String,
    pub cause: TriggerCause,
    pub outcome: TriggerOutcome,
}

/// The last time that a trigger fired, or should have fired.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LastFiring {
    pub at: Millis,
    pub cause: TriggerCause,
    /// `None` while the message is being sent, or if the page was closed meanwhile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<TriggerOutcome>,
}

/// A message that is sent automatically while the page is open.
#[sparse]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trigger {
    pub id: TriggerId,
    pub name: String,
    pub when: Schedule,
    pub to: Recipient,
    pub text: String,
    #[serde(rename = "rest")]
    pub pause_reason: Option<PauseReason>,
    /// Times up to here are done.
    pub since: Millis,
    pub last: Option<LastFiring>,
    /// The firings of the last hour.
    pub recent: Vec<Millis>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TriggerError {
    Nameless,
    SaysNothing,
    TooLong,
    TooOften,
    Over,
    /// The recipient does not exist.
    Nobody,
    TooMany,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DueState {
    /// Nothing is scheduled.
    Never,
    Later(Millis),
    /// Due since this time.
    Due(Millis),
    /// The last missed time, and how many were missed.
    Missed(Millis, u64),
}

impl Trigger {
    pub fn row(id: TriggerId) -> String {
        TRIGGER_ROWS.row(id)
    }

    /// Validates a trigger that the operator saves.
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
        let exists = match &self.to {
            Recipient::Persona(agent) => world.agent(agent).is_some_and(|agent| agent.exists()),
            Recipient::Session(session) => world.session(session).is_some_and(|row| row.deleted_at.is_none()),
        };
        if exists { Ok(()) } else { Err(TriggerError::Nobody) }
    }

    /// The state at `now`. A time long past counts as missed: the page was closed or the device slept.
    pub fn due_state(&self, now: Millis) -> DueState {
        if self.pause_reason.is_some() {
            return DueState::Never;
        }
        let (first, every) = match self.when {
            Schedule::At(at) => (at.0, None),
            Schedule::Every { ms, from } => (from.0, Some(ms.max(TRIGGER_LEAST_MS))),
            Schedule::FileChanged { .. } | Schedule::RunFailed { .. } | Schedule::ObjectiveChanged { .. } => {
                return DueState::Never;
            }
        };
        // The first time after the last done one.
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
                // The newest time is due; the earlier ones were missed.
                DueState::Missed(Millis(newest - every.unwrap_or_default()), over)
            }
            false => DueState::Due(Millis(newest)),
        }
    }

    /// True if it fired so often within the last hour that it must be paused.
    pub fn fires_too_often(&self, now: Millis) -> bool {
        self.recent_firings(now).count() >= TRIGGERS_AN_HOUR
    }

    /// The earliest time at which an event may fire it again.
    pub fn free_at(&self) -> Millis {
        let last = self.recent.last().copied();
        last.map_or(Millis(0), |last| Millis(last.0.saturating_add(TRIGGER_GAP_MS)))
    }

    fn recent_firings(&self, now: Millis) -> impl Iterator<Item = Millis> {
        self.recent.iter().copied().filter(move |at| now.0.saturating_sub(at.0) < HOUR_MS)
    }

    #[must_use]
    pub fn fired(mut self, cause: &TriggerCause, at: Millis) -> Self {
        self.recent = self.recent_firings(at).chain([at]).collect();
        self.advance(cause, at);
        self.last = Some(LastFiring { at, cause: cause.clone(), outcome: None });
        self
    }

    #[must_use]
    pub fn ended(mut self, cause: &TriggerCause, outcome: &TriggerOutcome, at: Millis) -> Self {
        self.advance(cause, at);
        if *outcome == TriggerOutcome::TooOften {
            self.pause_reason = Some(PauseReason::TooOften);
        }
        let at = self.last.as_ref().filter(|last| last.outcome.is_none()).map_or(at, |last| last.at);
        self.last = Some(LastFiring { at, cause: cause.clone(), outcome: Some(outcome.clone()) });
        self
    }

    fn advance(&mut self, cause: &TriggerCause, at: Millis) {
        let reached = if let TriggerCause::Time(due) = cause { *due } else { at };
        self.since = self.since.max(reached);
        if matches!(self.when, Schedule::At(_)) {
            self.pause_reason = Some(PauseReason::Over);
        }
    }
}

/// True if there is a trigger, readable or not.
pub fn has_any(world: &World) -> bool {
    world.rows_of(TRIGGER_ROWS).any(|(_, row)| !row.is_null())
}

/// All triggers, oldest first. Unreadable rows are skipped.
pub fn triggers(world: &World) -> Vec<Trigger> {
    world.rows_of(TRIGGER_ROWS).filter_map(|(_, row)| read(row)).collect()
}

pub fn trigger(world: &World, id: TriggerId) -> Option<Trigger> {
    world.setting(&Trigger::row(id)).and_then(|row| read(row))
}

pub fn is_damaged(name: &str, row: &Value) -> bool {
    name.starts_with(TRIGGER_ROWS.name()) && !row.is_null() && read(row).is_none()
}

/// Parses a settings row; `None` for a removed trigger.
pub fn read(row: &Value) -> Option<Trigger> {
    json::from_tree(row).ok()
}

/// The session and target of a trigger; `None` if they no longer exist.
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
mod tests;
