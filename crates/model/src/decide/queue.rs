//! Decides new messages, which open a run for the agents that answer, and the queue of those sent during a run.
//!
//! Messages are delivered once and in order, except that an interrupting message goes first.

use super::Decider;
use crate::agent::permission::strictest;
use crate::command::NewMessage;
use crate::event::QueueChange;
use crate::message::file_reference::{images, passages};
use crate::mind::blob::NewBlob;
use crate::prelude::*;
use crate::run::{Rounds, templates::fitted};
use crate::session::workers::{config_in, race_of, run_caps};
use crate::session::{KeepGoing, QueueState, delegation::WorkerReport, recipients};

impl<'w> Decider<'w, '_, '_> {
    pub(super) fn edit_queued(&mut self, id: QueueItemId, text: &str) -> Decision {
        let item = self.waiting(id)?;
        if text.trim().is_empty() && item.attachments.is_empty() {
            return Err(Rejection::NothingSaid);
        }
        self.change_queued(item, QueueChange::Text(text.to_owned()));
        self.set_editing(id, false)
    }

    pub(super) fn send_held(&mut self, id: QueueItemId) -> Decision {
        let item = self.waiting(id).ok().filter(|item| item.held).ok_or(Rejection::NotWaiting)?;
        self.change_queued(item, QueueChange::Held(false));
        Ok(())
    }

    pub(super) fn change_all_held(&mut self, id: SessionId, change: &QueueChange) -> Decision {
        self.session(id)?;
        let held: Vec<_> = self.world.waiting(id).into_iter().filter(|item| item.held).collect();
        if held.is_empty() {
            return Err(Rejection::NotWaiting);
        }
        for item in held {
            self.change_queued(item, change.clone());
        }
        Ok(())
    }

    pub(super) fn put_back_queued(&mut self, id: SessionId, items: &[QueueItemId]) -> Decision {
        let rows = items.iter().filter_map(|item| self.world.queue_item(item));
        let withdrawn: Vec<_> =
            rows.filter(|item| item.session == id && item.state == QueueState::Withdrawn).collect();
        if withdrawn.is_empty() {
            return Err(Rejection::NotWaiting);
        }
        for item in withdrawn {
            self.change_queued(item, QueueChange::PutBack);
        }
        Ok(())
    }

    /// Stops a session: open work ends, and waiting messages are held until the operator sends them. Messages that
    /// arrive by themselves are held, too, until the operator starts something.
    pub(super) fn stop_and_hold(&mut self, id: SessionId, stop: Stop) -> Decision {
        let session = self.session(id)?;
        let loose: Vec<_> = self.world.waiting(id).into_iter().filter(|item| !item.held).collect();
        let works = self.world.open_run(session).is_some()
            || !session.workers.is_empty()
            || !session.jobs.open.is_empty();
        if (works || !loose.is_empty()) && !session.stopped {
            self.change_session(id, SessionChange::Stopped);
        }
        for item in loose {
            self.change_queued(item, QueueChange::Held(true));
        }
        self.stop(id, stop)
    }

    pub(super) fn set_editing(&mut self, id: QueueItemId, editing: bool) -> Decision {
        let item = self.waiting(id)?;
        if item.editing != editing {
            self.change_queued(item, QueueChange::Editing(editing));
        }
        Ok(())
    }

    fn change_queued(&mut self, item: &QueueItem, change: QueueChange) {
        self.note(item.session, None, None, EventKind::QueueEdited { item: item.id, change });
    }

    /// Changes the mode of a waiting message. Interrupt takes effect at once.
    pub(super) fn set_queue_mode(&mut self, id: QueueItemId, mode: QueueMode) -> Decision {
        let item = self.waiting(id)?;
        if item.mode == mode {
            return Ok(());
        }
        self.change_queued(item, QueueChange::Mode(mode));
        if mode != QueueMode::Interrupt {
            return Ok(());
        }
        if item.held {
            self.change_queued(item, QueueChange::Held(false));
        }
        self.stop(item.session, Stop::Race)
    }

    pub(super) fn withdraw_queued(&mut self, id: QueueItemId) -> Decision {
        let item = self.waiting(id)?;
        self.change_queued(item, QueueChange::Withdrawn);
        Ok(())
    }

    /// Starts a run with the first waiting message and all that are collected with it. An interrupting message comes
    /// first.
    pub(super) fn take_queue(&mut self, id: SessionId) -> Decision {
        let session = self.session(id)?;
        if self.world.open_run(session).is_some() {
            return Err(Rejection::RunWorks);
        }
        let waiting = self.world.sendable(id);
        let interrupts = waiting.iter().find(|item| item.mode == QueueMode::Interrupt);
        let first = interrupts.or(waiting.first()).ok_or(Rejection::NotWaiting)?;
        let together = |item: &QueueItem| {
            first.mode == QueueMode::Collect
                && item.mode == QueueMode::Collect
                && item.target == first.target
                && item.keep_going == first.keep_going
                && item.graph == first.graph
                && (&item.config, &item.tools) == (&first.config, &first.tools)
        };
        let taken: Vec<_> = waiting
            .iter()
            .filter(|item| item.id == first.id || together(item))
            .map(|item| item.as_ref())
            .collect();
        let reports: Vec<_> = taken.iter().filter_map(|item| item.report.as_ref()).collect();
        let budget = self.caps_after(&reports);
        // The tool overrides of the run that sent a worker also hold for the reader of its report.
        let follows = |report: &&WorkerReport| {
            let run = self.world.run(report.follows.as_ref()?)?;
            run.nodes
                .iter()
                .filter_map(|node| node.tools.as_deref())
                .cloned()
                .reduce(|a, b| strictest(&a, &b))
        };
        let passed_on: Vec<Permissions> =
            reports.iter().map(|report| follows(report).unwrap_or_default()).collect();
        let passed_on = passed_on.into_iter().reduce(|a, b| strictest(&a, &b));
        let passed_on = passed_on.filter(|tools| *tools != Permissions::default());
        // Agents may have been removed meanwhile: others take their place.
        let graph = first.graph.as_deref().map(|graph| fitted(self.world, graph.clone()));
        let overrides = MessageOverrides::of(first);
        let graph = self.graph_run(session, graph.as_ref(), &overrides).ok().flatten();
        let messages: Vec<MessageId> = taken.iter().map(|item| self.take(session, item)).collect();
        let cause = messages.first().map(|id| RunCause::Message(*id)).ok_or(Rejection::NotWaiting)?;
        let start = RunStart {
            keep_going: first.keep_going.as_ref(),
            config: overrides.config.as_ref(),
            tools: overrides.tools.as_ref().or(passed_on.as_ref()),
            budget,
            graph,
            ..RunStart::new(cause, messages, &first.target)
        };
        self.open_run(session, &start);
        Ok(())
    }

    pub(super) fn take(&mut self, session: &Session, item: &QueueItem) -> MessageId {
        let mut message = match &item.report {
            Some(report) => self.report_message(session, &item.text, report.clone()),
            None => {
                // The text may have been edited since it was queued.
                let mind = self.world.working_mind(session).map(AsRef::as_ref);
                let own = item.attachments.clone();
                let attached = self.with_images(session, mind, &item.text, own.clone()).unwrap_or(own);
                let parts = self.parts_of(session, &item.text, attached);
                self.message(session, Role::User, Some(item.source), parts)
            }
        };
        message.metadata.origin.clone_from(&item.origin);
        let id = self.commit(message);
        self.change_queued(item, QueueChange::Taken(id));
        id
    }

    fn waiting(&self, id: QueueItemId) -> Decision<&'w QueueItem> {
        self.world
            .queue_item(&id)
            .map(|item| item.as_ref())
            .filter(|item| item.state == QueueState::Waiting)
            .ok_or(Rejection::NotWaiting)
    }
}

/// What a stop does to a race: stop its lanes, or end it, too.
#[derive(Clone, Copy)]
pub(super) enum Stop {
    Lanes,
    Race,
}

pub(super) struct RunStart<'c> {
    pub(super) cause: RunCause,
    pub(super) messages: Vec<MessageId>,
    pub(super) target: &'c Target,
    pub(super) keep_going: Option<&'c KeepGoing>,
    /// The turn whose cut-off answer its agent continues.
    pub(super) continues: Option<TurnId>,
    /// The model and parameters of its turns; the agents' own if absent.
    pub(super) config: Option<&'c ModelConfig>,
    pub(super) tools: Option<&'c Permissions>,
    /// Its limits, and what is used of them; those of the settings if absent.
    pub(super) budget: Option<(RunLimits, RunUsage)>,
    /// The run of a graph, with its nodes, edges and limits; if absent, the run has a node for each answering agent.
    pub(super) graph: Option<Run>,
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
            budget: None,
            graph: None,
        }
    }

    pub(super) fn with(self, over: &'c MessageOverrides) -> Self {
        Self { config: over.config.as_ref(), tools: over.tools.as_ref(), ..self }
    }
}

impl Decider<'_, '_, '_> {
    pub(super) fn send_message(&mut self, new: &NewMessage) -> Decision {
        let session = self.session(new.session)?;
        if new.text.trim().is_empty() && new.attachments.is_empty() {
            return Err(Rejection::NothingSaid);
        }
        let attached = attached(&new.attachments)?;
        self.ensure_open(session)?;
        self.keep_contents(session.id, &new.attachments);
        let mind = self.world.working_mind(session).map(AsRef::as_ref);
        let attached = self.with_images(session, mind, &new.text, attached)?;
        self.ensure_head_loaded(session)?;
        let target = recipients::target_of(&new.text, &new.target, &self.world.roster());
        // A message in the session of a worker or lane goes to its agent, not to the whole team.
        let target = match (&target, &session.owner) {
            (Target::All, Some(owner)) if session.role() != SessionRole::Conversation => {
                Target::Agents(vec![owner.clone()])
            }
            (Target::All | Target::Agents(_), _) => target,
        };
        if new.source == Source::Human {
            self.ensure_not_deleted(&target)?;
        }
        let overrides = new.overrides.as_deref().cloned().unwrap_or_default();
        self.ensure_model_allowed(session, &target, overrides.config.as_ref())?;
        let graph = self.graph_run(session, new.graph.as_deref(), &overrides)?;
        let works = self.world.open_run(session).is_some();
        // After Stop only the operator starts something: other messages are held.
        let held = !works && session.stopped && new.source != Source::Human;
        if works || held {
            return self.queue(session, new, overrides, (attached, target), held);
        }
        let parts = self.parts_of(session, &new.text, attached);
        let mut message = self.message(session, Role::User, Some(new.source), parts);
        message.metadata.origin.clone_from(&new.origin);
        let id = self.commit(message);
        let start = RunStart {
            keep_going: new.keep_going.as_ref(),
            graph,
            ..RunStart::new(RunCause::Message(id), vec![id], &target).with(&overrides)
        };
        self.open_run(session, &start);
        Ok(())
    }

    /// The attachments of a message, with the image files that its text names.
    pub(super) fn with_images(
        &mut self,
        session: &Session,
        mind: Option<&Mind>,
        text: &str,
        mut parts: Vec<MessagePart>,
    ) -> Decision<Vec<MessagePart>> {
        let mut images = mind.map(|mind| images(text, mind)).unwrap_or_default();
        let is_of = |image: &NewBlob, part: &MessagePart| matches!(&part.body, PartBody::Blob { name, .. } if *name == image.name);
        images.retain(|image| !parts.iter().any(|part| is_of(image, part)));
        self.keep_contents(session.id, &images);
        parts.extend(attached(&images)?);
        Ok(parts)
    }

    /// The parts of a message written now: its text, its attachments, and the file passages that the text refers to.
    pub(super) fn parts_of(
        &self,
        session: &Session,
        text: &str,
        attachments: Vec<MessagePart>,
    ) -> Vec<MessagePart> {
        let mind = self.world.working_mind(session).cloned().unwrap_or_default();
        parts_in(&mind, text, attachments)
    }

    /// Rejects if the head or the working mind cannot be read: what follows would have no history.
    pub(super) fn ensure_head_loaded(&self, session: &Session) -> Decision {
        if session.head.is_some_and(|head| self.world.turn(&head).is_none()) {
            return Err(Rejection::HeadMissing);
        }
        self.working_mind(session).map(|_| ())
    }

    fn queue(
        &mut self,
        session: &Session,
        new: &NewMessage,
        overrides: MessageOverrides,
        (attachments, target): (Vec<MessagePart>, Target),
        held: bool,
    ) -> Decision {
        let item = QueueItem {
            id: QueueItemId::new(self.env.ids),
            session: session.id,
            text: new.text.clone(),
            attachments,
            source: new.source,
            target,
            mode: new.mode,
            keep_going: new.keep_going.clone(),
            config: overrides.config.map(Box::new),
            tools: overrides.tools.map(Box::new),
            graph: new.graph.clone(),
            origin: new.origin.clone(),
            held,
            at: self.now(),
            ..QueueItem::default()
        };
        self.note(session.id, None, None, EventKind::MessageQueued { item });
        if new.mode == QueueMode::Interrupt { self.stop(session.id, Stop::Race) } else { Ok(()) }
    }

    /// Rejects a chosen model whose provider an answering agent may not use.
    pub(super) fn ensure_model_allowed(
        &self,
        session: &Session,
        target: &Target,
        config: Option<&ModelConfig>,
    ) -> Decision {
        let Some(config) = config else { return Ok(()) };
        let agents = recipients::answerers(self.world, session, target);
        let may = |agent: &&Agent| {
            EffectivePermissions::of(self.world, session, agent).allow_provider(&config.provider)
        };
        if agents.iter().all(|agent| may(&agent.as_ref())) { Ok(()) } else { Err(Rejection::NotAllowed) }
    }

    /// Rejects a target whose agents were all deleted: a run for it would open nothing.
    pub(super) fn ensure_not_deleted(&self, target: &Target) -> Decision {
        match target {
            Target::Agents(keys) if !keys.iter().any(|key| self.agent(key).is_ok()) => {
                Err(Rejection::NoSuchAgent)
            }
            Target::Agents(_) | Target::All => Ok(()),
        }
    }

    /// Stores the contents of attachments that the ledger does not hold yet.
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

    /// Opens a run with a READY node for each answering agent. Does nothing if there is none.
    pub(super) fn open_run(&mut self, session: &Session, opening: &RunStart<'_>) {
        if let Some(graph) = &opening.graph {
            let (caps, used_before) = opening.budget.unwrap_or((graph.caps, graph.used_before));
            let graph = Run { caps, used_before, ..graph.clone() };
            return self.open_graph(session, opening.cause, &opening.messages, graph);
        }
        let agents = recipients::answerers(self.world, session, opening.target);
        if agents.is_empty() {
            return;
        }
        // A lane that is asked again, for example by a report, keeps its model.
        let lane = race_of(self.world, session).and_then(|race| config_in(race, session.id));
        let config = opening.config.or(lane);
        let continued = opening.continues.and_then(|id| self.world.turn(&id));
        let nodes = agents
            .iter()
            .map(|agent| Node {
                agent: Some(agent.key.clone()),
                continues: continued.filter(|turn| turn.agent == agent.key).map(|turn| turn.id),
                config: config.cloned(),
                tools: opening.tools.cloned().map(Box::new),
                priority: self.world.flags(session, agent).priority,
                status: NodeStatus::Ready,
                ..Node::new(agent.key.as_str().into(), format!("agent.{}", agent.key), agent.place)
            })
            .collect();
        let mut rounds = Rounds::default();
        if let Some(keep) = opening.keep_going.filter(|keep| keep.rounds > 1) {
            rounds.limit = keep.rounds;
            keep.definition_of_done.trim().clone_into(&mut rounds.definition_of_done);
        }
        let (caps, used_before) = opening.budget.unwrap_or_else(|| (self.caps(), RunUsage::default()));
        let run = Run {
            messages: opening.messages.clone(),
            nodes,
            rounds,
            caps,
            used_before,
            ..Run::opened(RunId::new(self.env.ids), session.id, opening.cause, session.mind, self.now())
        };
        self.begin_run(session.id, run);
    }

    /// Opens a run as it is. The messages that started it get its id, too.
    pub(super) fn begin_run(&mut self, session: SessionId, run: Run) {
        for event in &mut self.events {
            if let EventKind::MessageCommitted { message } = &mut event.kind
                && run.messages.contains(&message.id)
            {
                Arc::make_mut(message).run = Some(run.id);
                event.run = Some(run.id);
            }
        }
        self.note(session, Some(run.id), None, EventKind::RunOpened { run });
    }
}

/// The parts of a message written with this mind in view.
pub(super) fn parts_in(mind: &Mind, text: &str, attachments: Vec<MessagePart>) -> Vec<MessagePart> {
    let body = (!text.trim().is_empty()).then(|| MessagePart::text(text));
    body.into_iter().chain(attachments).chain(passages(text, mind)).collect()
}

pub(super) fn attached(attachments: &[NewBlob]) -> Decision<Vec<MessagePart>> {
    let part =
        |blob: &NewBlob| blob.part().ok_or_else(|| Rejection::BadAttachment { name: blob.name.clone() });
    attachments.iter().map(part).collect()
}

#[cfg(test)]
mod tests;
