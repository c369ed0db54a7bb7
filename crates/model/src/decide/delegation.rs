//! Decides the life of workers: start, stop, merge and report.
//!
//! A worker never gets more permissions than its sender. It reports once, when it has nothing left to do: its files are
//! merged from the mind that it began with, and a file in conflict keeps the sender's version, with both in the report.
//! Objective and scratchpad stay the sender's. A worker that was stopped or failed reports that, and nothing is merged.

use serde_json::json;

use super::Decider;
use crate::agent::permission::{grant, overrides_for};
use crate::decide::{queue::RunStart, queue::Stop, run::list_changes, sessions::steps_between};
use crate::limits::{CONFLICT_BYTES, REPORT_BYTES, TASK_TITLE_CHARS, WORKERS_AT_ONCE};
use crate::mind::blob::ImageFile;
use crate::prelude::*;
use crate::session::delegation::{
    DelegatedTask, Delegation, InheritedPermissions, OpenWorker, WorkerReport, WorkerResult, delegates,
    takes_tasks,
};
use crate::session::firing::message_origin;
use crate::session::workers::{awaited_by, budgets, charged, depth, depth_limit, spent, spent_by};
use nexus_text::merge3::{MergeOutcome, merge};
use nexus_text::shorten::{cut, ellipsis, one_line};
use nexus_text::vec_map::reached_from;

#[derive(Default)]
struct MergedWork {
    edits: Vec<MindEdit>,
    after: Option<Mind>,
    /// Conflicting files, with both versions between conflict markers where both exist.
    conflicts: Vec<(String, String)>,
    /// The worker's objective and scratchpad where changed: reported, not merged.
    plan: Vec<(&'static str, String)>,
}

impl<'w> Decider<'w, '_, '_> {
    /// Starts a worker. Both the result and the error are for the model.
    pub(super) fn send_worker(
        &mut self,
        session: &Session,
        run: &ToolRun,
        turn: &Turn,
        task: &DelegatedTask,
    ) -> Result<Value, String> {
        let by = self.agent(&run.agent).map_err(|_| "You are not in the team any more.")?;
        if !delegates(by.role) {
            return Err("Your role is worker: you do tasks and give none away. Do it yourself.".to_owned());
        }
        let depth = depth(session).saturating_add(1);
        if let Some(limit) = depth_limit(self.world).filter(|limit| depth > *limit) {
            return Err(format!(
                "Workers may work {limit} tasks deep at most, and this would be number {depth}. Do it yourself."
            ));
        }
        let sent =
            self.events.iter().filter(|event| matches!(event.kind, EventKind::WorkerSent { .. })).count();
        if session.workers.len().saturating_add(sent) >= WORKERS_AT_ONCE {
            return Err(format!(
                "{WORKERS_AT_ONCE} workers of this session work already. Wait for their reports, or do it yourself."
            ));
        }
        let agent = match &task.agent {
            None => by,
            Some(name) => self.taker(name, by)?,
        };
        let inherits = agent.key == by.key;
        let config = if inherits { turn.config.clone() } else { agent.config.clone() };
        let above = session.delegation.iter().flat_map(|delegation| delegation.senders.clone());
        let inherited = InheritedPermissions { turn: overrides_for(self.world, session, by), ..grant(by) };
        let senders: Vec<InheritedPermissions> = std::iter::once(inherited).chain(above).collect();
        let mut permissions = EffectivePermissions::alone(agent);
        permissions.under(self.world, &senders);
        if !permissions.allow_provider(&config.provider) {
            return Err(format!(
                "{} thinks with a provider that you may not use, so it cannot work for you.",
                agent.identity.name
            ));
        }
        let title = title_of(task);
        let mind = self.world.working_mind(session).cloned().unwrap_or_default();
        let delegation = Delegation { turn: turn.id, run: run.run, base: session.mind, depth, senders };
        let id = SessionId::new(self.env.ids);
        let label = self.free_name(&title);
        let worker = Session {
            parent_tool_run: Some(run.id),
            owner: Some(agent.key.clone()),
            delegation: Some(Box::new(delegation)),
            ..session.child(SessionRole::Worker, Session::opened(id, label, self.now()))
        };
        self.begin(worker.clone(), &mind);
        let worker = Session { mind: session.mind, ..worker };
        let mut message =
            self.message(&worker, Role::User, Some(Source::Agent), vec![MessagePart::text(&task.text)]);
        message.agent = Some(by.key.clone());
        message.metadata.origin = message_origin(self.world, run.run);
        let message = self.commit(message);
        let target = Target::Agents(vec![agent.key.clone()]);
        // No overrides of its own: it inherits the sender's tool permissions.
        let start = RunStart {
            config: Some(&config),
            ..RunStart::new(RunCause::Message(message), vec![message], &target)
        };
        self.open_run(&worker, &start);
        let result = json!({
            "ok": true,
            "worker": id.to_string(),
            "agent": agent.identity.name,
            "note": "It works now, on its own copy of the files. Its report comes to you later, as a <report>. \
                     Do not wait for it in this turn, and do not do its task meanwhile.",
        });
        let worker = Worker { session: id, agent: agent.key.clone(), title, end: None };
        self.note(session.id, run.run, Some(turn.id), EventKind::WorkerSent { tool_run: run.id, worker });
        Ok(result)
    }

    /// The agent with this name, if it takes tasks.
    fn taker(&self, name: &str, by: &Agent) -> Result<&'w Agent, String> {
        let roster = self.world.roster();
        let wanted = name.trim().trim_start_matches('@').to_lowercase();
        let is_it = |agent: &Agent| {
            agent.identity.name.to_lowercase() == wanted || agent.key.as_str().to_lowercase() == wanted
        };
        let found = self.world.agents.values().filter(|agent| agent.exists());
        match found.map(|agent| agent.as_ref()).find(|agent| is_it(agent)) {
            Some(agent) if takes_tasks(agent.role) || agent.key == by.key => Ok(agent),
            Some(agent) => Err(format!("{} is a manager and takes no tasks of others.", agent.identity.name)),
            None => {
                let takers = roster.iter().filter(|agent| takes_tasks(agent.role));
                let names: Vec<&str> = takers.map(|agent| agent.identity.name.as_str()).collect();
                Err(format!("There is no agent named {name}. These take tasks: {}.", names.join(", ")))
            }
        }
    }

    /// Reports a worker that has nothing left to do to its sender.
    pub(super) fn report_worker(&mut self, id: SessionId) -> Decision {
        let worker = self.session(id)?;
        let (parent, open) = awaited_by(self.world, worker).ok_or(Rejection::Stale)?;
        if worker.run.is_none() || !self.world.is_idle(worker) {
            return Err(Rejection::Stale);
        }
        self.end_worker(parent, open, self.worker_end(worker), true);
        Ok(())
    }

    fn worker_end(&self, worker: &Session) -> WorkerEnd {
        match worker.run.as_ref().and_then(|run| self.world.run(run)).map(|run| run.status) {
            Some(RunStatus::Completed) => WorkerEnd::Done,
            Some(RunStatus::Cancelled) => WorkerEnd::Stopped,
            Some(_) | None => WorkerEnd::Failed,
        }
    }

    pub(super) fn stop_workers(&mut self, session: &Session) {
        for open in &session.workers {
            let worker = self.world.session(&open.session);
            let how = match worker {
                // Already done; only its report is still missing.
                Some(worker) if worker.run.is_some() && self.world.is_idle(worker) => self.worker_end(worker),
                Some(_) => WorkerEnd::Stopped,
                None => WorkerEnd::Lost,
            };
            // A loaded session can be stopped.
            drop(self.stop_and_hold(open.session, Stop::Race));
            self.end_worker(session, open, how, false);
        }
    }

    /// Reports the workers that ended while the page was closed, without starting a turn for it.
    pub(super) fn recover_workers(&mut self, session: &Session) {
        for open in &session.workers {
            let worker = self.world.session(&open.session).filter(|worker| worker.deleted_at.is_none());
            match worker {
                None => self.end_worker(session, open, WorkerEnd::Lost, false),
                Some(worker) if worker.run.is_some() && self.world.is_idle(worker) => {
                    self.end_worker(session, open, self.worker_end(worker), false);
                }
                Some(_) => {}
            }
        }
    }

    /// Resumes the workers that the closed page interrupted, and their workers.
    pub(super) fn resume_workers(&mut self, session: &Session) -> Decision {
        session.workers.iter().try_for_each(|open| self.resume_interrupted(open.session))
    }

    /// Resumes the interrupted run of a session, or those of its workers.
    pub(super) fn resume_interrupted(&mut self, id: SessionId) -> Decision {
        let Some(session) = self.world.session(&id) else { return Ok(()) };
        match self.world.open_run(session) {
            Some(run) if run.pause == Some(PauseCause::Interrupted) => self.resume(run, session),
            Some(_) | None => self.resume_workers(session),
        }
    }

    /// Ends a worker: merges its changes and reports to the parent session.
    ///
    /// With `asks` the report starts a turn of the sender; else it waits for the next message.
    fn end_worker(&mut self, parent: &Session, open: &OpenWorker, end: WorkerEnd, asks: bool) {
        let worker = self.world.session(&open.session).map(|worker| worker.as_ref());
        let sent = self.world.tool_run(&open.tool_run);
        let done = worker.filter(|_| end == WorkerEnd::Done);
        let now = self.mind_so_far(parent);
        let merged = done.and_then(|worker| self.merged(&now, worker)).unwrap_or_default();
        let touched = merged.after.as_ref().map(|after| changes_between(&now, after)).unwrap_or_default();
        let result = WorkerResult {
            end,
            touched,
            conflicts: merged.conflicts.iter().map(|(name, _)| name.clone()).collect(),
            spent: worker.map(|worker| spent_by(self.world, worker)).unwrap_or_default(),
        };
        let by = sent.map(|run| run.agent.clone());
        let known = sent.and_then(|run| run.worker.as_ref());
        let title = known.map(|worker| worker.title.clone()).unwrap_or_default();
        let text = self.report_text(worker, &title, &result, &merged);
        let agent =
            known.map(|worker| worker.agent.clone()).or_else(|| worker.and_then(|it| it.owner.clone()));
        let (tool_run, edits) = (open.tool_run, merged.edits);
        let what = EventKind::WorkerEnded { tool_run, worker: open.session, result, edits };
        self.note(parent.id, open.run, None, what);
        let Some(agent) = agent else { return };
        let report = WorkerReport { worker: open.session, agent, title, end, follows: open.run };
        let origin = message_origin(self.world, open.run);
        match by.filter(|_| asks && end != WorkerEnd::Stopped) {
            Some(by) => {
                let item = QueueItem {
                    id: QueueItemId::new(self.env.ids),
                    session: parent.id,
                    text,
                    source: Source::Agent,
                    target: Target::Agents(vec![by]),
                    // Queued reports are delivered together.
                    mode: QueueMode::Collect,
                    report: Some(report),
                    origin,
                    held: parent.stopped,
                    at: self.now(),
                    ..QueueItem::default()
                };
                self.note(parent.id, None, None, EventKind::MessageQueued { item });
            }
            None => {
                let message = self.report_message(parent, &text, report);
                self.commit(message);
            }
        }
    }

    pub(super) fn report_message(&mut self, session: &Session, text: &str, report: WorkerReport) -> Message {
        let mut message =
            self.message(session, Role::User, Some(Source::Agent), vec![MessagePart::text(text)]);
        message.agent = Some(report.agent.clone());
        message.metadata.report = Some(report);
        message
    }

    /// The mind of a session with what is decided already: workers that end with one command merge one after another.
    fn mind_so_far(&self, session: &Session) -> Mind {
        let mind = self.world.working_mind(session).cloned().unwrap_or_default();
        let own = self.events.iter().filter(|event| event.stream == StreamId::Session(session.id));
        own.fold(Mind::clone(&mind), |mind, event| mind.with(event.kind.edits()))
    }

    /// Merges a worker's files three ways into its parent's current mind. A file in conflict keeps the parent's
    /// version.
    fn merged(&self, ours: &Mind, worker: &Session) -> Option<MergedWork> {
        let base = self.world.mind(&worker.delegation.as_ref()?.base)?;
        let theirs = self.world.working_mind(worker)?;
        let mind_merge = MindMerge::of(base, ours, theirs);
        let files = mind_merge.fields.into_iter().filter(|merged| matches!(merged.field, MindField::File(_)));
        let (clean, conflicting): (Vec<_>, Vec<_>) = files.partition(|merged| merged.conflict_count() == 0);
        let conflicts = conflicting.iter().filter_map(|merged| match &merged.field {
            MindField::File(name) => Some((name.clone(), both_sides(name, base, ours, theirs))),
            MindField::Objective | MindField::Scratchpad => None,
        });
        let conflicts = conflicts.collect();
        let active = ours.active.clone().or_else(|| theirs.active.clone());
        let after = MindMerge { fields: clean, active }.resolved(ours, &[]);
        let edits = after.as_ref().map(|after| steps_between(ours, after)).unwrap_or_default();
        let plan = [("objective", MindField::Objective), ("scratchpad", MindField::Scratchpad)];
        let changed = |(name, field): (&'static str, MindField)| {
            let [before, here, there] = [base, ours, theirs].map(|mind| field.text(mind).unwrap_or_default());
            (there != before && there != here).then(|| (name, there.to_string()))
        };
        let plan = plan.into_iter().filter_map(changed).collect();
        Some(MergedWork { edits, after, conflicts, plan })
    }

    fn report_text(
        &self,
        worker: Option<&Session>,
        title: &str,
        result: &WorkerResult,
        merged: &MergedWork,
    ) -> String {
        let turn =
            worker.and_then(|worker| self.world.replies(worker.head).find(|turn| turn.session == worker.id));
        let reply = turn.map(|turn| self.world.last_answer(turn)).filter(|text| !text.is_empty());
        let reply = reply.map(|text| cut(text.trim(), REPORT_BYTES));
        let mut report = match result.end {
            WorkerEnd::Done => format!("The task “{title}” is done."),
            WorkerEnd::Failed => {
                let why = turn.and_then(|turn| turn.failure.as_ref()).map(|failure| &*failure.message);
                format!("The task “{title}” failed: {}", why.unwrap_or("the worker gave no answer."))
            }
            WorkerEnd::Stopped => format!("The operator stopped the task “{title}” before it was done."),
            WorkerEnd::Lost => format!(
                "The task “{title}” came to nothing: the worker's session is not on this device any more."
            ),
        };
        match (result.end, reply) {
            (WorkerEnd::Done, Some(reply)) => report.push_str(&format!("\n\n{reply}")),
            (WorkerEnd::Failed | WorkerEnd::Stopped, Some(reply)) => {
                report.push_str(&format!("\n\nIt had said:\n\n{reply}"));
            }
            (WorkerEnd::Done | WorkerEnd::Failed | WorkerEnd::Stopped | WorkerEnd::Lost, _) => {}
        }
        report.push_str("\n\n");
        report.push_str(&match result.end {
            WorkerEnd::Done if result.touched.is_empty() && result.conflicts.is_empty() => {
                "It changed no files.".to_owned()
            }
            WorkerEnd::Done if result.touched.is_empty() => "None of its files was merged.".to_owned(),
            WorkerEnd::Done => {
                format!("Merged into the files: {}.", list_changes(&result.touched))
            }
            WorkerEnd::Failed | WorkerEnd::Stopped | WorkerEnd::Lost => {
                "Nothing of its files was merged.".to_owned()
            }
        });
        for (name, text) in &merged.plan {
            report.push_str(&format!(
                "\n\nIt also changed the {name} of its copy. That is not merged: the {name} here stands. Take over what is \
                 needed. It reads there:\n{}",
                cut(text.trim(), CONFLICT_BYTES)
            ));
        }
        let mut room = CONFLICT_BYTES;
        for (name, marked) in &merged.conflicts {
            report.push_str(&format!(
                "\n\n{name} was not merged, because the same lines were changed here meanwhile. It stands as it was here. \
                 Write again what is still needed."
            ));
            let shown = cut(marked, room);
            room = room.saturating_sub(shown.len());
            if !shown.trim().is_empty() {
                report.push_str(&format!(" Both versions:\n{shown}"));
            }
        }
        report
    }

    /// The limit that the run or a run above it exceeds, counting `more`.
    pub(super) fn over_budget(&self, run: &Run, more: &RunUsage) -> Option<PauseCause> {
        let own = run.used.plus(more);
        budgets(self.world, run).find_map(|run| {
            let used = charged(self.world, run).plus(more);
            run.caps.reached(&used, used != own)
        })
    }

    /// Raises the exhausted limits of the runs above a worker's run.
    pub(super) fn raise_above(&mut self, run: &Run) -> Decision {
        let step = self.caps();
        let above: Vec<&Run> = budgets(self.world, run).skip(1).collect();
        for run in above {
            let caps = run.caps.raised(&charged(self.world, run), &step);
            if caps == run.caps {
                continue;
            }
            if run.status == RunStatus::Paused {
                let session = self.session(run.session)?;
                self.resume(run, session)?;
            } else {
                self.note_run(run, EventKind::RunResumed { caps });
            }
        }
        Ok(())
    }

    /// The limits of a run that reads reports, and what is used of them: those of the run that sent the workers.
    pub(super) fn caps_after(&self, reports: &[&WorkerReport]) -> Option<(RunLimits, RunUsage)> {
        let runs = reports.iter().filter_map(|report| self.world.run(report.follows.as_ref()?));
        let budgets = runs.map(|run| (run.caps, self.used_in_chain(run)));
        budgets.min_by_key(|(caps, used)| caps.calls.saturating_sub(used.calls))
    }

    /// The usage of a run, of the runs before it, and of all others that read reports to them.
    fn used_in_chain(&self, run: &'w Run) -> RunUsage {
        let before = |run: &Run| {
            let mut messages = run.messages.iter().filter_map(|id| self.world.message(id));
            messages.find_map(|message| message.metadata.report.as_ref()?.follows)
        };
        let chain = std::iter::successors(Some(run), |run| self.world.run(&before(run)?).map(AsRef::as_ref));
        let first = chain.take(self.world.runs.len()).last().unwrap_or(run);
        let readers = reached_from([first.id], |id| {
            self.world.runs.values().filter(|run| before(run) == Some(id)).map(|run| run.id).collect()
        });
        let readers = readers.iter().skip(1).filter_map(|id| self.world.run(id));
        readers.fold(charged(self.world, first), |used, run| used.plus(&spent(self.world, run)))
    }

    /// The worker and lane sessions below a session, at any depth.
    pub(super) fn worker_sessions(&self, session: SessionId) -> Vec<&'w Session> {
        let workers =
            |row: &&Arc<Session>| matches!(row.role(), SessionRole::Worker | SessionRole::Candidate);
        let below = reached_from([session], |parent| {
            let workers = self.world.sessions.values().filter(workers);
            workers.filter(|row| row.parent == Some(parent)).map(|row| row.id).collect()
        });
        below.iter().skip(1).filter_map(|id| self.world.session(id)).map(|row| row.as_ref()).collect()
    }
}

/// Both versions of a file between conflict markers; a sentence if one side removed it or it is an image.
fn both_sides(name: &str, base: &Mind, ours: &Mind, theirs: &Mind) -> String {
    match (ours.file(name), theirs.file(name)) {
        (Some(here), Some(there)) if ImageFile::of(here).or(ImageFile::of(there)).is_some() => {
            "(Both have an image of that name, or one of them. It stays as it is here.)".to_owned()
        }
        (Some(here), Some(there)) => match merge(base.file(name).unwrap_or_default(), here, there) {
            MergeOutcome::Conflict(marked) => marked,
            MergeOutcome::Clean(_) => String::new(),
        },
        (Some(_), None) => "(The worker removed it.)".to_owned(),
        (None, Some(there)) => format!("(It was removed here. The worker's version:)\n{there}"),
        (None, None) => String::new(),
    }
}

fn title_of(task: &DelegatedTask) -> String {
    let given = Some(task.title.trim()).filter(|title| !title.is_empty());
    let first = given.or_else(|| task.text.lines().map(str::trim).find(|line| !line.is_empty()));
    ellipsis(&one_line(first.unwrap_or("task")), TASK_TITLE_CHARS)
}
