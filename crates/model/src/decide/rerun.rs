//! Decides re-runs: repeats a run from one of its turns on, beside it or in a session of its own.
//!
//! Keeps what came before the turn: the thread has the turns, and the run opens with its nodes, inboxes, counts and
//! budget of that time. So no earlier turn runs again.

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

/// How the repeated turn differs from the recorded one.
pub(super) struct Replacement {
    pub(super) agent: AgentKey,
    /// The model and parameters of the node; the agent's if absent.
    pub(super) config: Option<ModelConfig>,
    pub(super) inbox: Vec<Envelope>,
    pub(super) messages: Vec<MessageId>,
    /// The tool overrides; the former ones if absent.
    pub(super) tools: Option<Permissions>,
}

impl Decider<'_, '_, '_> {
    /// The run of a turn as it was before the turn opened, if known.
    pub(super) fn run_before(&self, turn: &Turn) -> Option<Run> {
        self.env.run_before_turn.filter(|past| turn.run == Some(past.id)).cloned()
    }

    /// Opens a run in a new session that continues from before a turn, with one change.
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
        let past = self.run_before(turn).ok_or(Rejection::NoSuchRun)?;
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
        let core_changes = turn.core_before.iter();
        let core_changes = core_changes.map(|(before, after)| CoreChange {
            head: turn.parent,
            before: *before,
            after: *after,
        });
        let session = Session {
            head: turn.parent,
            core_changes: core_changes.collect(),
            ..from.fork(SessionRole::Conversation, Session::opened(id, label, self.now()))
        };
        self.begin(session.clone(), mind);
        let session = Session { mind: mind.hash(), ..session };
        // The query is copied: the turn's session may be deleted one day.
        let mut copied: Vec<(MessageId, MessageId)> = Vec::new();
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
            copied.push((row.id, message.id));
            self.note(session.id, None, None, EventKind::MessageCommitted { message });
        }
        let new_id = |id: &MessageId| copied.iter().find(|(old, _)| old == id).map_or(*id, |(_, new)| *new);
        replaced.messages = past.messages.iter().map(new_id).collect();
        self.replay(&session, turn, past, RunCause::Rerun { turn: turn.id, changed }, replaced)
    }

    /// Opens a run in a session as it was before a turn, whose node runs first.
    pub(super) fn replay(
        &mut self,
        session: &Session,
        turn: &Turn,
        past: Run,
        cause: RunCause,
        replaced: Replacement,
    ) -> Result<(), Rejection> {
        let mut run = Run {
            id: RunId::new(self.env.ids),
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
            // What the turn took, without what earlier turns of the node lost.
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
