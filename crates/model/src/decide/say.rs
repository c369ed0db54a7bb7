//! Decides new messages: appends the message and opens a run for the agents that answer.

use super::graph::GraphShape;
use super::{Decider, Rejection};
use crate::agent::permission::EffectivePermissions;
use crate::agent::{Agent, Permissions};
use crate::command::{MessageOverrides, NewMessage};
use crate::event::EventKind;
use crate::id::{MessageId, QueueItemId, RunId, SessionId, TurnId};
use crate::llm::ModelConfig;
use crate::message::content::MessagePart;
use crate::message::file_reference::{images, passages};
use crate::message::{Role, Source};
use crate::mind::Mind;
use crate::mind::blob::NewBlob;
use crate::run::{Node, NodeStatus, Rounds, Run, RunCause, RunLimits};
use crate::session::race::{config_in, race_of};
use crate::session::recipients;
use crate::session::workers::run_caps;
use crate::session::{KeepGoing, QueueItem, QueueMode, Session, SessionRole, Target};
use nexus_text::content_hash::ContentHash;

pub(super) struct RunStart<'c> {
    pub(super) cause: RunCause,
    pub(super) messages: Vec<MessageId>,
    pub(super) target: &'c Target,
    pub(super) keep_going: Option<&'c KeepGoing>,
    /// The turn whose cut-off answer the run goes on with.
    pub(super) continues: Option<TurnId>,
    /// The model and parameters of its turns, where they are not those of the agents.
    pub(super) config: Option<&'c ModelConfig>,
    pub(super) tools: Option<&'c Permissions>,
    /// What it may use, where that is not what the settings say.
    pub(super) caps: Option<RunLimits>,
    /// Its nodes and edges, where it follows a graph; a node for each agent that answers, otherwise.
    pub(super) shape: Option<GraphShape>,
}

impl<'c> RunStart<'c> {
    pub(super) fn new(cause: RunCause, messages: Vec<MessageId>, target: &'c Target) -> Self {
        Self {
            cause,
            messages,
            target,
            keep_going: None,
            continues: None,
            config: None,
            tools: None,
            caps: None,
            shape: None,
        }
    }

    pub(super) fn with(self, over: &'c MessageOverrides) -> Self {
        Self { config: over.config.as_ref(), tools: over.tools.as_ref(), ..self }
    }
}

impl Decider<'_, '_, '_> {
    pub(super) fn say(&mut self, said: &NewMessage) -> Result<(), Rejection> {
        let session = self.session(said.session)?;
        // Whoever sends from elsewhere does not see that the session was deleted.
        if said.origin.is_some() && (session.deleted_at.is_some() || session.purged_at.is_some()) {
            return Err(Rejection::NoSuchSession);
        }
        if said.text.trim().is_empty() && said.attachments.is_empty() {
            return Err(Rejection::NothingSaid);
        }
        let mind = self.world.working_mind(session);
        let mut attachments = said.attachments.clone();
        attachments.extend(mind.map(|mind| images(&said.text, mind)).unwrap_or_default());
        let attached = attached(&attachments)?;
        self.is_not_closed(session)?;
        self.keep_contents(session.id, &attachments);
        self.head_is_here(session)?;
        let target = recipients::target_of(&said.text, &said.target, &self.world.roster());
        // What is said in a worker's session, or in a lane of a race, goes to who works there, not to the whole team.
        let target = match (&target, &session.owner) {
            (Target::All, Some(owner)) if session.role() != SessionRole::Conversation => {
                Target::Agents(vec![owner.clone()])
            }
            (Target::All | Target::Agents(_), _) => target,
        };
        let overrides = said.overrides.as_deref();
        let config = overrides.and_then(|it| it.config.as_ref());
        self.may_think_with(session, &target, config)?;
        let shape = self.shape_of(session, said.graph.as_deref(), overrides)?;
        let works = self.world.open_run(session).is_some();
        // After Stop only the operator starts something: what comes by itself is held.
        let held = !works && session.stopped && said.source != Source::Human;
        if works || held {
            return self.queue(session, said, (attached, target), held);
        }
        let parts = self.parts_of(session, &said.text, attached);
        let mut message = self.message(session, Role::User, Some(said.source), parts);
        message.metadata.origin.clone_from(&said.origin);
        let id = message.id;
        self.note(session.id, None, None, EventKind::MessageCommitted { message });
        let start = RunStart {
            keep_going: said.keep_going.as_ref(),
            config,
            tools: overrides.and_then(|it| it.tools.as_ref()),
            shape,
            ..RunStart::new(RunCause::Message(id), vec![id], &target)
        };
        self.open_run(session, &start);
        Ok(())
    }

    /// The parts of what is said now: the words, where there are any, what goes along with them, and the passages of
    /// files that the words point at.
    pub(super) fn parts_of(
        &self,
        session: &Session,
        text: &str,
        attachments: Vec<MessagePart>,
    ) -> Vec<MessagePart> {
        let mind = self.world.working_mind(session).cloned().unwrap_or_default();
        parts_in(&mind, text, attachments)
    }

    /// Refuses where head or working mind cannot be read: what came after would go back to nothing.
    pub(super) fn head_is_here(&self, session: &Session) -> Result<(), Rejection> {
        if session.head.is_some_and(|head| self.world.turn(&head).is_none()) {
            return Err(Rejection::HeadMissing);
        }
        self.working_mind(session).map(|_| ())
    }

    fn queue(
        &mut self,
        session: &Session,
        said: &NewMessage,
        (attachments, target): (Vec<MessagePart>, Target),
        held: bool,
    ) -> Result<(), Rejection> {
        let item = QueueItem {
            id: QueueItemId::new(self.moment.ids),
            session: session.id,
            text: said.text.clone(),
            attachments,
            source: said.source,
            target,
            mode: said.mode,
            keep_going: said.keep_going.clone(),
            config: said.overrides.as_ref().and_then(|it| it.config.clone()).map(Box::new),
            tools: said.overrides.as_ref().and_then(|it| it.tools.clone()).map(Box::new),
            graph: said.graph.clone(),
            origin: said.origin.clone(),
            held,
            at: self.now(),
            ..QueueItem::default()
        };
        self.note(session.id, None, None, EventKind::MessageQueued { item });
        match said.mode {
            QueueMode::Interrupt => self.stop(session.id),
            QueueMode::FollowUp | QueueMode::Collect | QueueMode::Steer => Ok(()),
        }
    }

    /// Refuses where somebody who would answer may not use the provider of what was chosen: that widens nothing.
    pub(super) fn may_think_with(
        &self,
        session: &Session,
        target: &Target,
        config: Option<&ModelConfig>,
    ) -> Result<(), Rejection> {
        let Some(config) = config else { return Ok(()) };
        let agents = recipients::answerers(self.world, session, target);
        let may = |agent: &&Agent| {
            EffectivePermissions::of(self.world, session, agent).allow_provider(&config.provider)
        };
        if agents.iter().all(|agent| may(&agent.as_ref())) { Ok(()) } else { Err(Rejection::NotAllowed) }
    }

    /// Keeps what the ledger does not hold yet of what is attached.
    pub(super) fn keep_contents(&mut self, session: SessionId, attachments: &[NewBlob]) {
        let mut contents: Vec<String> = Vec::new();
        for blob in attachments {
            let is_known = self.world.blob(&ContentHash::of_text(&blob.base64)).is_some();
            if !is_known && !contents.contains(&blob.base64) {
                contents.push(blob.base64.clone());
            }
        }
        if !contents.is_empty() {
            self.note(session, None, None, EventKind::ContentsKept { contents });
        }
    }

    pub(super) fn caps(&self) -> RunLimits {
        run_caps(self.world)
    }

    /// Opens a run with a READY node for each agent that answers; none where nobody does.
    pub(super) fn open_run(&mut self, session: &Session, opening: &RunStart<'_>) {
        if let Some(shape) = &opening.shape {
            return self.open_graph(session, opening, shape);
        }
        let agents = recipients::answerers(self.world, session, opening.target);
        if agents.is_empty() {
            return;
        }
        // A lane that is asked again, such as by a report, stays with its model.
        let lane = race_of(self.world, session).and_then(|race| config_in(race, session.id));
        let config = opening.config.or(lane);
        let nodes = agents
            .iter()
            .map(|agent| Node {
                agent: Some(agent.key.clone()),
                continues: opening.continues,
                config: config.cloned(),
                tools: opening.tools.cloned().map(Box::new),
                ..Node::new(
                    agent.key.as_str().into(),
                    format!("agent.{}", agent.key),
                    agent.place,
                    self.world.flags(session, agent).priority,
                    NodeStatus::Ready,
                )
            })
            .collect();
        let mut rounds = Rounds::default();
        if let Some(keep) = opening.keep_going.filter(|keep| keep.rounds > 1) {
            rounds.limit = keep.rounds;
            keep.definition_of_done.trim().clone_into(&mut rounds.definition_of_done);
        }
        let run = Run {
            messages: opening.messages.clone(),
            nodes,
            rounds,
            caps: opening.caps.unwrap_or_else(|| self.caps()),
            ..Run::opened(RunId::new(self.moment.ids), session.id, opening.cause, session.mind, self.now())
        };
        self.begin_run(session.id, run);
    }

    /// Opens a run as it is. The messages that started it are traced by its id, too.
    pub(super) fn begin_run(&mut self, session: SessionId, run: Run) {
        for event in &mut self.events {
            if let EventKind::MessageCommitted { message } = &mut event.what
                && run.messages.contains(&message.id)
            {
                message.run = Some(run.id);
                event.run = Some(run.id);
            }
        }
        self.note(session, Some(run.id), None, EventKind::RunOpened { run });
    }
}

/// The parts of what is said with this mind before one's eyes.
pub(super) fn parts_in(mind: &Mind, text: &str, attachments: Vec<MessagePart>) -> Vec<MessagePart> {
    let words = (!text.trim().is_empty()).then(|| MessagePart::text(text));
    words.into_iter().chain(attachments).chain(passages(text, mind)).collect()
}

pub(super) fn attached(attachments: &[NewBlob]) -> Result<Vec<MessagePart>, Rejection> {
    let part =
        |blob: &NewBlob| blob.part().ok_or_else(|| Rejection::BadAttachment { name: blob.name.clone() });
    attachments.iter().map(part).collect()
}
