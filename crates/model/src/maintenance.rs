//! State and scheduling of the Archivist's jobs: compaction, rolling summary and memory extraction.
//!
//! Says which job is due for a session and which model it uses. [`answer`] parses the model's answers. Never calls a
//! model and reads no clock.

pub mod answer;
pub mod pass;
pub mod record;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::agent::Agent;
use crate::id::{JobId, MessageId, Millis, ProviderId, SessionId, TurnId};
use crate::limits::{MEMORY_BEFORE, MEMORY_EVERY, MEMORY_MESSAGES, SUMMARY_EVERY, SUMMARY_FIRST};
use crate::llm::{ModelConfig, Thinking};
use crate::message::content::text_of;
use crate::message::{Message, MessageStatus, Role};
use crate::mind::core_sync::{core_config, is_busy};
use crate::provider::failure::ProviderError;
use crate::session::race::is_lane;
use crate::session::{Session, SessionKind, SessionStatus};
use crate::settings::schema::{ARCHIVIST_MODEL, ARCHIVIST_PROVIDER, MEMORY_AUTO, SUMMARY_AUTO};
use crate::turn::PendingRetry;
use crate::turn::compaction::PendingCompaction;
use crate::world::World;

/// What the failure of a chore carries as its code where the answer came whole and was of no use.
pub const NO_ANSWER: &str = "no_use";

/// What is done beside the conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JobKind {
    /// The session's title, summary and keywords.
    Summary,
    /// What is worth remembering.
    Memory,
}

/// How a chore ended that came to nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JobEnd {
    /// The model could not be asked, or what it said was of no use.
    Failed,
    /// The operator stopped it.
    Cancelled,
    /// The page was closed.
    Interrupted,
}

/// A chore that is under way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OpenJob {
    pub id: JobId,
    pub kind: JobKind,
    /// The messages that it is about, oldest first.
    pub messages: Vec<MessageId>,
    pub provider: ProviderId,
    /// The model that is asked.
    pub model: String,
    /// When it began.
    pub at: Millis,
    /// The attempt that waits for its time, where one does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry: Option<PendingRetry>,
}

/// A chore that came to nothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FailedJob {
    pub kind: JobKind,
    pub end: JobEnd,
    /// The newest message that it was about: it is not tried again before there is a newer one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<MessageId>,
    /// Why, where a failure ended it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<ProviderError>,
    /// When.
    pub at: Millis,
}

/// The Archivist of a session.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MaintenanceState {
    /// A compaction that waits for its beginning. No turn opens before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wanted: Option<PendingCompaction>,
    /// The turn of the compaction that is under way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compacting: Option<TurnId>,
    /// Why the last compaction that was wanted did not begin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<ProviderError>,
    /// The chore that is under way: one at a time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chore: Option<OpenJob>,
    /// The newest chores that came to nothing, one of a kind.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failed: Vec<FailedJob>,
}

impl MaintenanceState {
    pub fn is_fresh(&self) -> bool {
        *self == Self::default()
    }

    /// How the newest chore of a kind came to nothing, where it did.
    pub fn failed(&self, kind: JobKind) -> Option<&FailedJob> {
        self.failed.iter().find(|failed| failed.kind == kind)
    }
}

/// What summaries and memories are made with: their own provider and model where they are set, else the Core's.
pub fn chore_config(world: &World) -> ModelConfig {
    let like = core_config(world);
    let provider = world.chosen(ARCHIVIST_PROVIDER).map_or_else(|| like.provider.clone(), ProviderId);
    let is_other = provider != like.provider;
    let model = match world.chosen(ARCHIVIST_MODEL) {
        Some(model) => model,
        // A model is known by its provider only: one that nobody chose fails as such.
        None if is_other => {
            world.agents_on(&provider).first().map(|agent| agent.config.model.clone()).unwrap_or_default()
        }
        None => like.model.clone(),
    };
    let same = !is_other && model == like.model;
    ModelConfig {
        provider,
        model,
        thinking: Thinking::Auto,
        max_tokens: None,
        temperature: None,
        context_tokens: like.context_tokens.filter(|_| same),
    }
}

/// What a compaction is made with: the model of the agent whose window is full, which can hold what is to be read.
pub fn compaction_config(agent: &Agent) -> ModelConfig {
    ModelConfig { max_tokens: None, temperature: None, ..agent.config.clone() }
}

/// Whether a message says something that a summary or a memory can come from.
fn counts(message: &Message) -> bool {
    message.status == MessageStatus::Completed
        && message.deleted_at.is_none()
        && match message.role {
            // Of notices, what a merge brought.
            Role::User | Role::System => message.turn.is_some(),
            Role::Assistant => true,
            Role::Tool => false,
        }
        && !text_of(&message.parts).trim().is_empty()
}

/// The messages of the thread that say something, newest first, as far as they are loaded.
fn said<'w>(world: &'w World, session: &'w Session) -> impl Iterator<Item = &'w Arc<Message>> {
    world
        .ancestry(session.head)
        .flat_map(|turn| turn.messages.iter().rev().chain(turn.query.iter().rev()))
        .filter_map(|id| world.message(id))
        .filter(|message| counts(message))
}

/// The messages that the summary does not reach to, oldest first.
pub fn unsummarised(world: &World, session: &Session) -> Vec<MessageId> {
    let new = said(world, session).take_while(|message| Some(message.id) != session.summarised_to);
    let mut new: Vec<_> = new.map(|message| message.id).collect();
    new.reverse();
    new
}

/// The session's own messages that were not looked through, oldest first, at most [`MEMORY_MESSAGES`]. What lanes answered
/// that raced for it and were picked is its own.
pub fn unchecked(world: &World, session: &Session) -> Vec<MessageId> {
    let is_own = |id: &SessionId| {
        let lane = world.session(id).filter(|row| is_lane(row));
        *id == session.id || lane.is_some_and(|lane| lane.parent == Some(session.id))
    };
    let new = said(world, session).filter(|message| !message.is_memory_checked && is_own(&message.session));
    let mut new: Vec<_> = new.map(|message| message.id).collect();
    new.reverse();
    new.truncate(MEMORY_MESSAGES);
    new
}

/// The messages before these in the thread, at most [`MEMORY_BEFORE`], oldest first.
pub fn before<'w>(world: &'w World, session: &'w Session, first: MessageId) -> Vec<&'w Arc<Message>> {
    let mut older: Vec<_> =
        said(world, session).skip_while(|message| message.id != first).skip(1).take(MEMORY_BEFORE).collect();
    older.reverse();
    older
}

/// Whether nothing works in a session that a chore would have to wait for.
pub fn rests(world: &World, session: &Session) -> bool {
    let state = &session.archivist;
    session.status == SessionStatus::Open
        && session.kind == SessionKind::User
        && session.deleted_at.is_none()
        && state.chore.is_none()
        && state.wanted.is_none()
        && state.compacting.is_none()
        && !is_busy(world, session)
}

/// The chore that is due, with the messages that it is about; none while a run works, after Stop, while another one is
/// open, or where nothing has come since it failed.
pub fn due(world: &World, session: &Session) -> Option<(JobKind, Vec<MessageId>)> {
    let state = &session.archivist;
    if session.stopped || !rests(world, session) {
        return None;
    }
    let is_new = |kind, messages: &[MessageId]| {
        state.failed(kind).is_none_or(|failed| failed.to.as_ref() != messages.last())
    };
    let enough = if session.summarised_to.is_none() { SUMMARY_FIRST } else { SUMMARY_EVERY };
    if world.value(SUMMARY_AUTO) {
        let messages = unsummarised(world, session);
        if messages.len() >= enough && is_new(JobKind::Summary, &messages) {
            return Some((JobKind::Summary, messages));
        }
    }
    if world.value(MEMORY_AUTO) {
        let messages = unchecked(world, session);
        if messages.len() >= MEMORY_EVERY && is_new(JobKind::Memory, &messages) {
            return Some((JobKind::Memory, messages));
        }
    }
    None
}
