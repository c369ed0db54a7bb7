//! Decides races: opens lanes, records their results, and ends the race when the operator picks one or stops it.
//!
//! Each lane works in its own session with its own mind.

use super::Decider;
use crate::agent::AgentFlags;
use crate::decide::queue::{RunStart, Stop, attached};
use crate::limits::LABEL_CHARS;
use crate::prelude::*;
use crate::session::ForkBase;
use crate::session::workers::{
    CandidateResult, RACER, RACERS_LEAST, RACERS_MOST, RacePrompt, RaceRequest, has_answer, lane_of,
    lane_status, lanes, open_race, spent_by, turns_of,
};
use nexus_text::merge3::Resolution;

struct RaceStart<'w> {
    head: Option<TurnId>,
    mind: &'w Mind,
    unanswered: Vec<MessageId>,
    messages: Vec<MessageId>,
    cause: RunCause,
    /// The tool overrides of the repeated turn.
    tools: Option<Permissions>,
}

impl<'w> Decider<'w, '_, '_> {
    /// Starts two or three models at once, each in its own session.
    pub(super) fn race(&mut self, racing: &RaceRequest) -> Decision {
        let session = self.session(racing.session)?;
        self.ensure_idle(session)?;
        self.ensure_open(session)?;
        self.ensure_head_loaded(session)?;
        let agent = self.agent(&racing.agent)?;
        if !(RACERS_LEAST..=RACERS_MOST).contains(&racing.models.len()) {
            return Err(Rejection::BadArguments { found: Vec::new() });
        }
        let target = Target::Agents(vec![agent.key.clone()]);
        // Another model never widens what the persona may do.
        for model in &racing.models {
            self.ensure_model_allowed(session, &target, Some(model))?;
        }
        let origin = self.race_origin(session, &racing.prompt)?;
        let mut nodes = Vec::with_capacity(racing.models.len());
        for (place, config) in (1u32..).zip(&racing.models) {
            let of: String = session.name().chars().take(LABEL_CHARS / 2).collect();
            let model: String = config.model.chars().take(LABEL_CHARS / 3).collect();
            let id = SessionId::new(self.env.ids);
            let label = self.free_name(&format!("{of}, lane {place}: {model}"));
            let mut lane = Session {
                owner: Some(agent.key.clone()),
                head: origin.head,
                unanswered: origin.unanswered.clone(),
                fork_base: origin.head.map(|turn| ForkBase { turn, mind: origin.mind.hash() }),
                ..session.fork(SessionRole::Candidate, Session::opened(id, label, self.now()))
            };
            lane.take_core_changes(session);
            self.begin(lane.clone(), origin.mind);
            let lane = Session { mind: origin.mind.hash(), ..lane };
            let start = RunStart {
                config: Some(config),
                tools: origin.tools.as_ref(),
                ..RunStart::new(origin.cause, origin.messages.clone(), &target)
            };
            self.open_run(&lane, &start);
            nodes.push(Node {
                agent: Some(agent.key.clone()),
                workspace: Some(id.to_string()),
                config: Some(config.clone()),
                tools: origin.tools.clone().map(Box::new),
                priority: self.world.flags(session, agent).priority,
                status: NodeStatus::Running,
                ..Node::new(place.to_string().as_str().into(), RACER, place)
            });
        }
        let run = Run {
            // Its lanes start at once.
            status: RunStatus::Running,
            messages: origin.messages,
            nodes,
            caps: self.caps(),
            ..Run::opened(RunId::new(self.env.ids), session.id, origin.cause, session.mind, self.now())
        };
        self.begin_run(session.id, run);
        Ok(())
    }

    /// Where the lanes start: before a repeated turn, with the mind of that time, or at the head.
    fn race_origin(&mut self, session: &'w Session, asked: &RacePrompt) -> Decision<RaceStart<'w>> {
        match asked {
            RacePrompt::Turn(turn) => {
                let turn = self.closed_turn(*turn)?;
                if turn.kind != TurnKind::Normal {
                    return Err(Rejection::NoSuchTurn);
                }
                Ok(RaceStart {
                    head: turn.parent,
                    mind: self.mind_before(turn)?,
                    unanswered: turn.query.clone(),
                    messages: turn.answers.clone(),
                    cause: RunCause::TryAgain(turn.id),
                    tools: MessageOverrides::of_turn(self.world, turn).tools,
                })
            }
            RacePrompt::Message { text, attachments } => {
                if text.trim().is_empty() && attachments.is_empty() {
                    return Err(Rejection::NothingSaid);
                }
                let attached = attached(attachments)?;
                self.keep_contents(session.id, attachments);
                let mind = self.world.working_mind(session).map(AsRef::as_ref);
                let attached = self.with_images(session, mind, text, attached)?;
                let parts = self.parts_of(session, text, attached);
                let message = self.message(session, Role::User, Some(Source::Human), parts);
                let id = self.commit(message);
                let mind = self.working_mind(session)?;
                let unanswered = session.unanswered.iter().copied().chain([id]).collect();
                let cause = RunCause::Message(id);
                Ok(RaceStart { head: session.head, mind, unanswered, messages: vec![id], cause, tools: None })
            }
        }
    }

    /// Records lanes that are over or wait for the operator. When none is working, the operator has to choose.
    pub(super) fn advance_race(&mut self, run: &Run) -> Decision {
        if !run.status.is_working() {
            return Err(Rejection::Stale);
        }
        let known = self.events.len();
        let mut any_working = false;
        for node in run.nodes.iter().filter(|node| !node.status.is_over()) {
            let status = lane_of(node).map_or(NodeStatus::Error, |lane| lane_status(self.world, lane));
            any_working |= !status.is_over();
            if status != node.status {
                self.change_lane(run, node, status, None);
            }
        }
        if !any_working {
            self.pause(run, PauseCause::Choice);
        }
        if self.events.len() == known { Err(Rejection::Stale) } else { Ok(()) }
    }

    fn change_lane(&mut self, run: &Run, node: &Node, status: NodeStatus, stopped: Option<&str>) {
        let output = if status.is_over() { self.lane_output(node, stopped) } else { None };
        self.end_node(run, &node.id, status, output);
    }

    /// The output of a lane: that of its turn, with the lane's usage and first turn.
    fn lane_output(&self, node: &Node, stopped: Option<&str>) -> Option<Envelope> {
        let lane = self.world.session(&lane_of(node)?)?;
        let turns = turns_of(self.world, lane);
        let newest = turns.last()?;
        let root = turns.first().filter(|turn| turn.parent.is_none()).map(|turn| turn.id);
        let result = CandidateResult { spent: spent_by(self.world, lane), root };
        let run = lane.run.and_then(|run| self.world.run(&run));
        let last = run.and_then(|run| run.nodes.iter().find_map(|node| node.last_output.clone()));
        let last = last.filter(|last| last.turn_id == Some(newest.id)).unwrap_or_else(|| Envelope {
            status: stopped.unwrap_or("error").to_owned(),
            ..Envelope::text(kinds::RESULT, node.id.clone(), Some(newest.id), "")
        });
        let structured = json::to_tree(&result).unwrap_or_default();
        Some(Envelope { node_id: node.id.clone(), structured, ..last })
    }

    fn stop_lanes(&mut self, run: &Run, picked: Option<SessionId>) {
        for node in &run.nodes {
            let lane = lane_of(node);
            let was = lane.map_or(NodeStatus::Error, |lane| lane_status(self.world, lane));
            // A finished lane may have been asked again in its own session.
            if let Some(lane) = lane.filter(|lane| Some(*lane) != picked) {
                // A loaded session can be stopped.
                drop(self.stop_and_hold(lane, Stop::Race));
            }
            if !node.status.is_over() {
                let status = if was.is_over() { was } else { NodeStatus::Error };
                self.change_lane(run, node, status, Some("cancelled"));
            } else if node.last_output.is_none() {
                // It ended before it began, and may have run in its own session since.
                let row = lane.and_then(|lane| self.world.session(&lane));
                if row.is_some_and(|row| !turns_of(self.world, row).is_empty()) {
                    self.change_lane(run, node, node.status, Some("cancelled"));
                }
            }
        }
    }

    /// Stops the lanes of a race that still work. The race stays open until the operator chooses or ends it.
    pub(super) fn stop_race(&mut self, run: &Run) {
        self.stop_lanes(run, None);
        if run.pause != Some(PauseCause::Choice) {
            self.pause(run, PauseCause::Choice);
        }
    }

    /// Takes the prompt of a race that ends without a choice back, so that no later turn sends it unasked.
    pub(super) fn withdraw_prompt(&mut self, session: &Session, run: &Run) -> Decision {
        let others: Vec<_> =
            session.unanswered.iter().copied().filter(|id| !run.messages.contains(id)).collect();
        if others.len() < session.unanswered.len() {
            let mind = self.working_mind(session)?;
            self.move_to(session, session.head, mind, others)?;
        }
        Ok(())
    }

    /// Ends a race without a choice. The head stays, and so do the turns of the lanes.
    pub(super) fn end_race(&mut self, run: &Run) {
        self.stop_lanes(run, None);
        self.note_run(run, EventKind::RunEnded { status: RunStatus::Cancelled });
    }

    /// Resumes the lanes that the closed page interrupted.
    pub(super) fn resume_lanes(&mut self, run: &Run) -> Decision {
        lanes(run).try_for_each(|lane| self.resume_interrupted(lane))
    }

    /// Accepts a lane: the head moves to its turn, with its mind. The other lanes are stopped and kept.
    pub(super) fn pick_lane(&mut self, id: SessionId, picked: SessionId) -> Decision {
        let session = self.session(id)?;
        let race = open_race(self.world, session).ok_or(Rejection::Stale)?;
        if !lanes(race).any(|lane| lane == picked) {
            return Err(Rejection::NoSuchSession);
        }
        let lane = self.session(picked)?;
        let status = lane_status(self.world, picked);
        if !status.is_over() {
            return Err(Rejection::TurnWorks);
        }
        if !has_answer(self.world, status, &turns_of(self.world, lane)) {
            return Err(Rejection::NoSuchTurn);
        }
        self.ensure_no_compaction(session)?;
        // A running sync is based on the mind that is replaced now.
        self.end_jobs(session, &[JobSlot::Core], JobEnd::Cancelled);
        self.stop_lanes(race, Some(picked));
        let mind = self.picked_mind(session, race, lane)?;
        let mut unanswered = lane.unanswered.clone();
        if matches!(race.cause, RunCause::Message(_)) {
            let others = session.unanswered.iter().filter(|id| !race.messages.contains(id));
            let others: Vec<_> = others.filter(|id| self.is_unanswered(lane, **id)).copied().collect();
            unanswered.extend(others);
        }
        self.move_to(session, lane.head, &mind, unanswered)?;
        for (agent, flags) in lane.flags.iter().filter(|(agent, _)| lane.owner.as_ref() == Some(*agent)) {
            let here = session.flags.get(agent).copied().unwrap_or(*flags);
            let flags = AgentFlags {
                unread: false,
                failed: flags.failed,
                last_activity: flags.last_activity,
                ..here
            };
            self.change_session(id, SessionChange::Flags(agent.clone(), flags));
        }
        self.note_run(race, EventKind::RunEnded { status: RunStatus::Completed });
        Ok(())
    }

    fn is_unanswered(&self, lane: &Session, message: MessageId) -> bool {
        let taken = |turn: &&crate::turn::Turn| turn.query.contains(&message);
        !lane.unanswered.contains(&message) && !turns_of(self.world, lane).iter().any(taken)
    }

    /// The mind of a lane, merged with the operator's edits during the race. In a conflict the lane's lines win; the
    /// others stay with the former head.
    fn picked_mind(&self, session: &Session, race: &Run, lane: &Session) -> Decision<Mind> {
        let theirs = self.working_mind(lane)?;
        let (Some(base), Some(current)) =
            (self.world.mind(&race.round_mind), self.world.working_mind(session))
        else {
            return Ok(theirs.as_ref().clone());
        };
        let merge = MindMerge::of(base, theirs, current);
        let sides = |merged: &crate::mind::merge::MergedField| {
            (merged.field.clone(), vec![Resolution::Ours; merged.conflict_count()])
        };
        let decided: Vec<_> =
            merge.fields.iter().filter(|merged| merged.conflict_count() > 0).map(sides).collect();
        Ok(merge.resolved(theirs, &decided).unwrap_or_else(|| theirs.as_ref().clone()))
    }
}

#[cfg(test)]
mod tests;
