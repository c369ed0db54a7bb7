//! Says which summary and memory jobs are due for a session, and which model they use.
//!
//! [`answer`] parses the model's answers, [`pass`] keeps jobs as runs. Never calls a model and reads no clock.

pub mod answer;
pub mod pass;

use std::sync::Arc;

use crate::id::{MessageId, SessionId};
use crate::job::sync::{chosen_config, core_config, is_busy};
use crate::job::{JobKind, JobSlot, JobTask};
use crate::limits::{
    MEMORY_BEFORE, MEMORY_EVERY, MEMORY_MESSAGES, SUMMARY_EVERY, SUMMARY_FIRST, SUMMARY_MESSAGES,
};
use crate::llm::ModelConfig;
use crate::message::content::text_of;
use crate::message::{Message, MessageStatus, Role};
use crate::session::{Session, SessionFilter};
use crate::settings::schema::{ARCHIVIST_MODEL, ARCHIVIST_PROVIDER, MEMORY_AUTO, SUMMARY_AUTO};
use crate::world::World;

/// What summaries and memories are made with: their own provider and model where they are set, else the Core's.
pub fn chore_config(world: &World) -> ModelConfig {
    chosen_config(world, (ARCHIVIST_PROVIDER, ARCHIVIST_MODEL), &core_config(world))
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
        *id == session.id || world.session(id).is_some_and(|row| row.is_candidate_of(session.id))
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
    SessionFilter::of(session) == Some(SessionFilter::Open)
        && session.jobs.of(JobSlot::Maintenance).is_none()
        && state.wanted.is_none()
        && state.compacting.is_none()
        && !is_busy(world, session)
}

/// A summary of new messages, of no more than a model should read at once.
pub fn summary_of(mut messages: Vec<MessageId>) -> JobTask {
    messages.truncate(SUMMARY_MESSAGES);
    JobTask::Summary { messages }
}

/// The job that is due, with the messages that it is about; none while a run works, after Stop, while another one is
/// open, or where nothing has come since it failed.
pub fn due(world: &World, session: &Session) -> Option<JobTask> {
    if session.stopped || !rests(world, session) {
        return None;
    }
    let is_new = |kind, messages: &[MessageId]| {
        session.jobs.failed(kind).is_none_or(|failed| failed.to.as_ref() != messages.last())
    };
    let enough = if session.summarised_to.is_none() { SUMMARY_FIRST } else { SUMMARY_EVERY };
    if world.value(SUMMARY_AUTO) {
        let messages = unsummarised(world, session);
        if messages.len() >= enough && is_new(JobKind::Summary, &messages) {
            return Some(summary_of(messages));
        }
    }
    if world.value(MEMORY_AUTO) {
        let messages = unchecked(world, session);
        if messages.len() >= MEMORY_EVERY && is_new(JobKind::Memory, &messages) {
            return Some(JobTask::Memory { messages });
        }
    }
    None
}
