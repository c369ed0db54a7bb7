//! Decides tree operations: fork, edit and resend, try again, moving the head, and re-runs.
//!
//! Never rewrites history: a new attempt becomes a sibling of the old one, and a failed turn is retried at the head. A
//! fork starts with the whole mind, so that its stream needs no other. A head moved by hand records the mind that it
//! left.
//!
//! A re-run repeats a run from one of its turns on, beside it or in a session of its own. It keeps what came before
//! the turn: the thread has the turns, and the run opens with its nodes, inboxes, counts and budget of that time. So
//! no earlier turn runs again.

use crate::command::RerunChange;
use crate::decide::queue::{RunStart, attached, parts_in};
use crate::decide::{Decider, sessions::steps_between};
use crate::event::ManualHeadMove;
use crate::mind::{blob::NewBlob, core_sync::CoreChange};
use crate::prelude::*;
use crate::run::ChangedInput;
use crate::session::{ForkBase, KeepGoing, recipients};
use crate::turn::tree::{former_head, is_ancestor, newest_below, session_at};

impl<'w> Decider<'w, '_, '_> {
    pub(super) fn closed_turn(&self, id: TurnId) -> Decision<&'w Turn> {
        let turn = self.world.turn(&id).ok_or(Rejection::NoSuchTurn)?;
        if turn.phase.is_open() { Err(Rejection::TurnWorks) } else { Ok(turn) }
    }

    fn mind_after(&self, turn: &Turn) -> Decision<&'w Mind> {
        self.mind(turn.mind_after.as_ref().unwrap_or(&turn.mind_before)).map(|mind| mind.as_ref())
    }

    /// Creates a session that continues from a turn. Its mind is the given one; else, at the head, the working mind;
    /// else the mind after the turn.
    ///
    /// A turn that is not in the given session is continued from the session that it belongs to.
    pub(super) fn continue_from(
        &mut self,
        id: SessionId,
        from: SessionId,
        (turn, former_mind): (TurnId, Option<&ContentHash>),
        label: &str,
    ) -> Decision {
        if self.world.session(&id).is_some() {
            return Err(Rejection::BadName);
        }
        let turn = self.closed_turn(turn)?;
        let source = self.session(from)?;
        let from = if former_mind.is_none() && self.is_foreign(source, turn) {
            session_at(self.world, turn.id, turn.session, from)
        } else {
            from
        };
        let parent = self.session(from)?;
        let mind = if let Some(former_mind) = former_mind {
            self.mind(former_mind)?
        } else if parent.head == Some(turn.id) {
            self.working_mind(parent)?
        } else {
            self.mind_after(turn)?
        };
        let label = self.fork_label(label, &parent.label)?;
        let takes_over = former_mind.is_none() && parent.head == Some(turn.id);
        let fork_base = takes_over.then_some(ForkBase { turn: turn.id, mind: parent.mind });
        let fork = parent.fork(SessionRole::Conversation, Session::opened(id, label, self.now()));
        let mut session = Session { head: Some(turn.id), fork_base, ..fork };
        if takes_over || former_mind.is_some() {
            session.take_core_changes(parent);
        }
        self.begin(session, mind);
        Ok(())
    }

    /// True if a turn is known to be neither of a session nor in its thread.
    fn is_foreign(&self, session: &Session, turn: &Turn) -> bool {
        let is_in = |head| is_ancestor(self.world, turn.id, head) != Ok(false);
        turn.session != session.id && !session.head.is_some_and(is_in)
    }

    /// Resends an edited message: the head moves to before the turn that took it, and a run opens there.
    pub(super) fn resend(
        &mut self,
        id: SessionId,
        message: MessageId,
        (text, attachments): (&str, &[NewBlob]),
        overrides: Option<&MessageOverrides>,
    ) -> Decision {
        let session = self.session(id)?;
        self.ensure_idle(session)?;
        self.ensure_open(session)?;
        let row = self.world.message(&message).ok_or(Rejection::NoSuchTurn)?;
        if !row.is_question() {
            return Err(Rejection::NoSuchTurn);
        }
        let kept = row.parts.iter().filter(|part| part.is_attached()).cloned();
        let attached: Vec<MessagePart> = kept.chain(attached(attachments)?).collect();
        if text.trim().is_empty() && attached.is_empty() {
            return Err(Rejection::NothingSaid);
        }
        let turn = row.turn.map(|turn| self.closed_turn(turn)).transpose()?;
        let run = turn.and_then(|turn| self.world.run(turn.run.as_ref()?));
        let overrides = overrides
            .cloned()
            .or_else(|| turn.map(|turn| MessageOverrides::of_turn(self.world, turn)))
            .unwrap_or_default();
        let others = turn.map_or(&session.unanswered, |turn| &turn.query);
        let unanswered = others.iter().copied().filter(|id| *id != message).collect();
        let parent = turn.map_or(session.head, |turn| turn.parent);
        self.keep_contents(id, attachments);
        // Includes what the operator wrote between the parent and the message.
        let mind = match turn {
            Some(turn) => self.mind_before(turn)?,
            None => self.working_mind(session)?,
        };
        let moved = self.move_to(session, parent, mind, unanswered)?;
        let attached = self.with_images(session, Some(mind), text, attached)?;
        let parts = parts_in(mind, text, attached);
        let message = self.message(session, Role::User, Some(Source::Human), parts);
        let message = self.commit(message);
        let messages = moved.unanswered.iter().copied().chain([message]).collect();
        let cause = RunCause::Message(message);
        let before = run.map_or(Target::All, |run| target_of(run));
        let target = recipients::target_of(text, &before, &self.world.roster());
        self.ensure_not_deleted(&target)?;
        self.ensure_model_allowed(session, &target, overrides.config.as_ref())?;
        let keep = run.and_then(|run| rounds_of(run));
        let start = RunStart {
            keep_going: keep.as_ref(),
            // A message that ran a graph runs it again.
            graph: run.and_then(|run| Self::graph_run_again(run)),
            ..RunStart::new(cause, messages, &target).with(&overrides)
        };
        self.open_run(&moved, &start);
        Ok(())
    }

    /// Repeats the query of a completed turn beside it. A failed one is retried at the head: others may have
    /// continued.
    pub(super) fn try_again(
        &mut self,
        id: SessionId,
        turn: TurnId,
        agent: Option<&AgentKey>,
        (config, tools): (Option<&ModelConfig>, Option<&Permissions>),
    ) -> Decision {
        let session = self.session(id)?;
        let turn = self.closed_turn(turn)?;
        let is_same = agent.is_none_or(|agent| *agent == turn.agent) && config.is_none() && tools.is_none();
        if turn.phase == TurnPhase::Failed && is_same && turn.session == id {
            return self.ask_again(turn.id, None);
        }
        self.ensure_idle(session)?;
        self.ensure_open(session)?;
        let agent = agent.unwrap_or(&turn.agent).clone();
        let row = self.agent(&agent)?;
        // Another model never widens the persona's permissions.
        if config.is_some_and(|config| !row.permissions.allow_provider(&config.provider)) {
            return Err(Rejection::NotAllowed);
        }
        let overrides = MessageOverrides::of_turn(self.world, turn);
        let failed = turn.phase == TurnPhase::Failed;
        let moved = if failed {
            session.clone()
        } else {
            let mind = self.mind_before(turn)?;
            self.move_to(session, turn.parent, mind, turn.query.clone())?
        };
        let cause = if failed { RunCause::Retry(turn.id) } else { RunCause::TryAgain(turn.id) };
        // A turn of a graph stays in it. If it failed, the run continues as it ended, else as it was before the turn.
        if let (Some(node), Some(ended)) = (&turn.node, self.graph_of(turn).filter(|_| failed)) {
            return self.reopen_graph(session, ended, cause, std::slice::from_ref(node), |node| {
                let own = node.config.clone().filter(|_| agent == turn.agent);
                (node.agent, node.config) = (Some(agent.clone()), config.cloned().or(own));
                node.tools = tools.cloned().map(Box::new).or_else(|| node.tools.clone());
            });
        }
        if let Some(past) = self.run_before(turn).filter(|past| past.graph.is_some()) {
            let own = turn.node.as_ref().and_then(|node| past.node(node)?.config.clone());
            let config = config.cloned().or(own.filter(|_| agent == turn.agent));
            let (inbox, messages) = (turn.inbox.clone(), past.messages.clone());
            let replaced = Replacement { agent, config, inbox, messages, tools: tools.cloned() };
            return self.replay(&moved, turn, past, cause, replaced);
        }
        let (target, tools) = (Target::Agents(vec![agent]), tools.or(overrides.tools.as_ref()));
        let start = RunStart { config, tools, ..RunStart::new(cause, turn.answers.clone(), &target) };
        self.open_run(&moved, &start);
        Ok(())
    }

    pub(super) fn move_head(&mut self, id: SessionId, to: TurnId, newest: bool) -> Decision {
        let session = self.session(id)?;
        self.ensure_idle(session)?;
        let mut to = self.closed_turn(to)?;
        if newest
            && let Ok(below) = newest_below(self.world, session, to.id)
            && let Ok(below) = self.closed_turn(below)
        {
            to = below;
        }
        if session.head == Some(to.id) {
            return Ok(());
        }
        // A head that was left before gets back its mind and unanswered messages.
        let former = former_head(session, Some(to.id));
        let mind = former.and_then(|former| self.world.mind(&former.mind)).map(|mind| mind.as_ref());
        let mind = mind.map_or_else(|| self.mind_after(to), Ok)?;
        let unanswered = former.map(|former| former.unanswered.clone()).unwrap_or_default();
        self.move_to(session, Some(to.id), mind, unanswered)?;
        Ok(())
    }

    /// Moves the head by hand to a turn, with this mind and these unanswered messages. Returns the session after that.
    pub(super) fn move_to(
        &mut self,
        session: &Session,
        to: Option<TurnId>,
        mind: &Mind,
        unanswered: Vec<MessageId>,
    ) -> Decision<Session> {
        let current = self.working_mind(session)?;
        let by_hand = ManualHeadMove { edits: steps_between(current, mind), unanswered: unanswered.clone() };
        let what =
            EventKind::HeadMoved { from: session.head, to, mind: session.mind, by_hand: Some(by_hand) };
        self.note(session.id, None, None, what);
        Ok(Session { head: to, mind: mind.hash(), unanswered, ..session.clone() })
    }

    pub(super) fn mind_before(&self, turn: &Turn) -> Decision<&'w Mind> {
        self.mind(&turn.mind_before).map(|mind| mind.as_ref())
    }
}

fn target_of(run: &Run) -> Target {
    match run.nodes.as_slice() {
        [only] => only.agent.clone().map_or(Target::All, |agent| Target::Agents(vec![agent])),
        _ => Target::All,
    }
}

fn rounds_of(run: &Run) -> Option<KeepGoing> {
    run.keeps_going().then(|| KeepGoing {
        rounds: run.rounds.limit,
        definition_of_done: run.rounds.definition_of_done.clone(),
    })
}

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
    ) -> Decision {
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
            copied.push((row.id, self.commit(message)));
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
    ) -> Decision {
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
mod tests;

#[cfg(test)]
mod rerun_tests;
