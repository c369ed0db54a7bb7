//! Decides re-runs: a run is played again from one of its turns on, beside it or in a session of its own.
//!
//! What came before the turn is taken over: the thread has the turns, and the run opens with its nodes, inboxes, counts
//! and budget as they were. So nothing is asked again before the turn itself.

use super::{Decider, Rejection};
use crate::agent::Permissions;
use crate::command::RerunChange;
use crate::decide::queue::parts_in;
use crate::event::EventKind;
use crate::id::{AgentKey, MessageId, RunId, SessionId, TurnId};
use crate::llm::ModelConfig;
use crate::message::content::MessagePart;
use crate::message::{Message, Role};
use crate::mind::core_sync::CoreChange;
use crate::run::{ChangedInput, Envelope, Node, Run, RunCause, RunStatus};
use crate::session::{Session, SessionRole};
use crate::turn::Turn;

/// How the turn that is played again differs from the one that was recorded.
pub(super) struct Replacement {
    pub(super) agent: AgentKey,
    /// The model and parameters of its node; those of the agent where absent.
    pub(super) config: Option<ModelConfig>,
    pub(super) inbox: Vec<Envelope>,
    pub(super) messages: Vec<MessageId>,
    /// What is said of tools; what was said before where absent.
    pub(super) tools: Option<Permissions>,
}

impl Decider<'_, '_, '_> {
    /// The run of a turn as it was before the turn opened, where that is known.
    pub(super) fn past_of(&self, turn: &Turn) -> Option<Run> {
        self.moment.past.filter(|past| turn.run == Some(past.id)).cloned()
    }

    /// Opens a run in a new session that goes on from before a turn, with one thing changed.
    pub(super) fn rerun(
        &mut self,
        id: SessionId,
        turn: TurnId,
        change: Option<&RerunChange>,
        label: &str,
    ) -> Result<(), Rejection> {
        if self.world.session(&id).is_some() {
            return Err(Rejection::BadName);
        }
        let turn = self.closed_turn(turn)?;
        let past = self.past_of(turn).ok_or(Rejection::NoSuchRun)?;
        let from = self.session(turn.session)?;
        let mind = self.mind_before(turn)?;
        let label = self.fork_label(label, &from.label)?;
        let mut replaced = Replacement {
            agent: turn.agent.clone(),
            config: Some(turn.config.clone()),
            inbox: turn.inbox.clone(),
            messages: Vec::new(),
            tools: None,
        };
        let changed = match change {
            None => None,
            Some(RerunChange::Message { message, text }) => {
                let row = self.world.message(message).filter(|_| turn.query.contains(message));
                let row = row.filter(|row| row.role == Role::User).ok_or(Rejection::NoSuchMessage)?;
                if text.trim().is_empty() && !row.parts.iter().any(MessagePart::is_attached) {
                    return Err(Rejection::NothingSaid);
                }
                Some(ChangedInput::Message)
            }
            Some(RerunChange::Envelope { at, text }) => {
                let envelope = replaced.inbox.get_mut(*at).ok_or(Rejection::NoSuchMessage)?;
                text.trim().clone_into(&mut envelope.summary);
                if envelope.summary.is_empty() {
                    return Err(Rejection::NothingSaid);
                }
                Some(ChangedInput::Message)
            }
            Some(RerunChange::Model(config)) => {
                replaced.config = Some(config.clone());
                Some(ChangedInput::Model)
            }
            Some(RerunChange::Persona(agent)) => {
                replaced.agent = agent.clone();
                Some(ChangedInput::Persona)
            }
        };
        let row = self.agent(&replaced.agent)?;
        let provider = replaced.config.as_ref().map(|config| &config.provider);
        if provider.is_some_and(|provider| !row.permissions.allow_provider(provider)) {
            return Err(Rejection::NotAllowed);
        }
        let of_core = turn.core_before.iter();
        let of_core =
            of_core.map(|(before, after)| CoreChange { head: turn.parent, before: *before, after: *after });
        let session = Session {
            head: turn.parent,
            core_changes: of_core.collect(),
            ..from.fork(SessionRole::Conversation, Session::opened(id, label, self.now()))
        };
        self.begin(session.clone(), mind);
        let session = Session { mind: mind.hash(), ..session };
        // The query is said here once more: the session of the turn may be deleted one day.
        let mut said: Vec<(MessageId, MessageId)> = Vec::new();
        for row in turn.query.iter().filter_map(|id| self.world.message(id)) {
            let parts = if let Some(RerunChange::Message { message, text }) = change
                && *message == row.id
            {
                let attached = row.parts.iter().filter(|part| part.is_attached()).cloned();
                parts_in(mind, text, attached.collect())
            } else {
                row.parts.clone()
            };
            let new = self.message(&session, row.role, row.source, parts);
            let message = Message {
                id: new.id,
                session: new.session,
                sequence: new.sequence,
                parts: new.parts,
                turn: None,
                run: None,
                created_at: new.created_at,
                updated_at: new.updated_at,
                ..row.as_ref().clone()
            };
            said.push((row.id, message.id));
            self.note(session.id, None, None, EventKind::MessageCommitted { message });
        }
        let now = |id: &MessageId| said.iter().find(|(old, _)| old == id).map_or(*id, |(_, new)| *new);
        replaced.messages = past.messages.iter().map(now).collect();
        self.play_again(&session, turn, past, RunCause::Rerun { turn: turn.id, changed }, replaced)
    }

    /// Opens a run in a session as it was before a turn, whose node works first.
    pub(super) fn play_again(
        &mut self,
        session: &Session,
        turn: &Turn,
        past: Run,
        cause: RunCause,
        replaced: Replacement,
    ) -> Result<(), Rejection> {
        let mut run = Run {
            id: RunId::new(self.moment.ids),
            session: session.id,
            status: RunStatus::Queued,
            cause,
            messages: replaced.messages,
            pause: None,
            opened_at: self.now(),
            ended_at: None,
            ..past
        };
        let node = run.nodes.iter_mut().find(|node| Some(&node.id) == turn.node.as_ref());
        let node = node.ok_or(Rejection::Stale)?;
        if node.agent.as_ref() != Some(&replaced.agent) && node.kind.starts_with("agent.") {
            node.kind = format!("agent.{}", replaced.agent);
        }
        *node = Node {
            agent: Some(replaced.agent),
            config: replaced.config,
            // What the turn took, whatever earlier turns of the node had lost.
            inbox: replaced.inbox,
            turn: None,
            tools: replaced.tools.map(Box::new).or_else(|| node.tools.clone()),
            ..node.clone()
        };
        self.begin_run(session.id, run);
        Ok(())
    }
}

#[cfg(test)]
#[path = "rerun_tests.rs"]
mod tests;
