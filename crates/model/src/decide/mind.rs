//! Decides changes of the mind: the operator's edits and reviews, and the Core's syncs with their proposals and undo.

use super::Decider;
use crate::job::maintenance::is_spent;
use crate::job::sync::{core_config, is_busy, is_due, proposes};
use crate::message::CoreNote;
use crate::mind::changed_files;
use crate::mind::core_sync::wording::{Words, with_own_sentences};
use crate::mind::core_sync::{ProposalStep, SyncPatch, SyncResult};
use crate::mind::resolve;
use crate::prelude::*;

impl Decider<'_, '_, '_> {
    /// Applies the operator's edits. Resolving each write against the current mind never overwrites concurrent writes.
    pub(super) fn edit_mind(&mut self, id: SessionId, base: &ContentHash, writes: &[MindWrite]) -> Decision {
        let session = self.session(id)?;
        let current = self.working_mind(session)?.clone();
        // A base that is not loaded any more counts as the current mind: the operator saw at least that.
        let seen = self.world.mind(base).cloned().unwrap_or_else(|| current.clone());
        let edits = resolve(&current, &seen, writes).map_err(Rejection::Write)?;
        if !edits.is_empty() {
            self.note_in_run(session, EventKind::MindEdited { base: *base, edits, undoes: None });
        }
        Ok(())
    }

    pub(super) fn review_changes(
        &mut self,
        id: SessionId,
        from: &ContentHash,
        edits: &[MindEdit],
    ) -> Decision {
        let session = self.session(id)?;
        let reviewed = self.world.mind(from).ok_or(Rejection::Stale)?.with(edits).hash();
        if session.reviewed.as_ref() != Some(&reviewed) {
            let what = EventKind::ChangesReviewed { from: *from, edits: edits.to_vec() };
            self.note(id, None, None, what);
        }
        Ok(())
    }

    /// Starts a sync for the operator, or queues it while a run is working.
    pub(super) fn sync(&mut self, id: SessionId) -> Decision {
        let session = self.session(id)?;
        self.ensure_core_idle(session)?;
        let sync = JobId::new(self.env.ids);
        if is_busy(self.world, session) {
            self.note_in_run(session, EventKind::SyncRequested { sync });
        } else {
            self.begin_sync(session, sync, JobCause::Manual);
        }
        Ok(())
    }

    /// Rejects if a sync is running or requested.
    pub(super) fn ensure_core_idle(&self, session: &Session) -> Decision {
        let works = session.jobs.of(JobSlot::Core).is_some() || session.core.pending.is_some();
        if works { Err(Rejection::SyncWorks) } else { Ok(()) }
    }

    /// Starts the requested sync, or one that is due.
    pub(super) fn open_sync(&mut self, id: SessionId) -> Decision {
        let session = self.session(id)?;
        if session.jobs.of(JobSlot::Core).is_some() || is_busy(self.world, session) {
            return Err(Rejection::Stale);
        }
        match session.core.pending {
            Some(sync) => self.begin_sync(session, sync, JobCause::Manual),
            None if is_due(self.world, session) && !is_spent(self.world, self.now()) => {
                let sync = JobId::new(self.env.ids);
                self.begin_sync(session, sync, JobCause::Auto);
            }
            None => return Err(Rejection::Stale),
        }
        Ok(())
    }

    fn begin_sync(&mut self, session: &Session, sync: JobId, cause: JobCause) {
        let task = JobTask::Sync { base: session.mind };
        self.open_job(session, sync, task, cause, core_config(self.world));
    }

    /// Merges the Core's patch into the current mind. A field in conflict keeps the text of the others.
    pub(super) fn merge_patch(
        &self,
        session: &Session,
        base: &ContentHash,
        patch: &SyncPatch,
    ) -> Decision<SyncResult> {
        let current = self.working_mind(session)?;
        let seen = self.world.mind(base).unwrap_or(current);
        let (patch, kept_words) = self.keep_own_words(session, seen, patch);
        let writes = patch.writes(seen);
        let proposes = proposes(self.world) && !writes.is_empty();
        let Merged { edits, dropped, .. } =
            if proposes { Merged::default() } else { merged(current, seen, &writes) };
        let (base, reasoning) = (*base, patch.reasoning);
        Ok(SyncResult { base, edits, reasoning, dropped, kept_words, proposed: proposes.then_some(writes) })
    }

    /// Adds a card to the timeline if the operator asked for the sync or the objective changed.
    pub(super) fn report_sync(&mut self, session: &Session, job: &Job, result: &SyncResult) {
        let Some(current) = self.world.working_mind(session).filter(|_| result.proposed.is_none()) else {
            return;
        };
        let touched = changes_between(current, &current.with(&result.edits));
        if job.cause == JobCause::Manual || touched.iter().any(|touched| touched.field == "objective") {
            let (sync, kept_words, after) = (job.id, result.kept_words, session.head);
            let note = CoreNote { sync, touched, dropped: result.dropped.clone(), kept_words, after };
            self.note_core(session, note, &result.reasoning, &job.model);
        }
    }

    fn note_core(&mut self, session: &Session, note: CoreNote, reasoning: &str, model: &str) {
        let mut message =
            self.message(session, Role::System, Some(Source::Event), vec![MessagePart::text(reasoning)]);
        message.model = Some(model.to_owned());
        message.metadata.core = Some(note);
        self.note_in_run(session, EventKind::MessageCommitted { message: Arc::new(message) });
    }

    /// Restores the operator's sentences in the patch's objective, except those the operator gave a reason to change.
    /// The flag is true if it restored any and no word is missing.
    fn keep_own_words(&self, session: &Session, seen: &Mind, patch: &SyncPatch) -> (SyncPatch, bool) {
        let Some(wanted) = &patch.objective else { return (patch.clone(), false) };
        let own = seen.objective.trim_end();
        let settled = with_own_sentences(own, wanted.trim_end(), &self.words_since_sync(session, seen));
        let mut stays = settled.split_whitespace();
        let kept_words = !wanted.trim().is_empty()
            && settled.trim_end() != wanted.trim_end()
            && own.split_whitespace().all(|word| stays.any(|other| other == word));
        (SyncPatch { objective: Some(settled), ..patch.clone() }, kept_words)
    }

    /// The words of the operator's messages, and of the names of changed files, since the Core last answered.
    ///
    /// A message that repeats the objective gives no reason to change it.
    fn words_since_sync(&self, session: &Session, seen: &Mind) -> Words {
        let since = session.core.last.as_ref().map(|last| last.at);
        let queries = self.world.ancestry(session.head).flat_map(|turn| &turn.query);
        let messages = session.unanswered.iter().chain(queries).filter_map(|id| self.world.message(id));
        let is_new = |at: Millis| since.is_none_or(|since| at > since);
        let mut words = Words::default();
        for message in
            messages.filter(|message| message.source == Some(Source::Human) && is_new(message.created_at))
        {
            let text = text_of(&message.parts);
            if !seen.objective.contains(text.trim()) {
                words.add(&text);
            }
        }
        let before = session.core.synced.as_ref().and_then(|synced| self.world.mind(synced));
        if let Some(before) = before {
            changed_files(before, seen).for_each(|name| words.add_name(name));
        }
        words
    }

    /// Applies or dismisses the Core's proposal.
    pub(super) fn end_proposal(&mut self, id: SessionId, sync: JobId, step: ProposalStep) -> Decision {
        let session = self.session(id)?;
        let proposal = session.core.proposal.as_ref().filter(|proposal| proposal.sync == sync);
        let proposal = proposal.ok_or(Rejection::Stale)?;
        let current = self.working_mind(session)?.clone();
        let made = if step == ProposalStep::Applied {
            let seen = self.world.mind(&proposal.base).ok_or(Rejection::Stale)?;
            merged(&current, seen, &proposal.writes)
        } else {
            Merged::default()
        };
        let Merged { edits, dropped, error } = made;
        // If nothing fits any more, the proposal stays for the operator to read or dismiss.
        if let Some(error) = error.filter(|_| edits.is_empty()) {
            return Err(Rejection::Write(error));
        }
        let touched = changes_between(&current, &current.with(&edits));
        let what = EventKind::MindSynced {
            base: proposal.base,
            edits,
            reasoning: proposal.reasoning.clone(),
            sync: Some(sync),
            dropped: dropped.clone(),
            proposal: Some(step),
            model: proposal.model.clone(),
        };
        self.note_in_run(session, what);
        if touched.iter().any(|touched| touched.field == "objective") {
            let note = CoreNote { sync, touched, dropped, kept_words: false, after: session.head };
            self.note_core(session, note, &proposal.reasoning, &proposal.model);
        }
        Ok(())
    }

    /// Undoes the Core's last change and keeps what others changed since.
    pub(super) fn undo_sync(&mut self, id: SessionId, sync: JobId) -> Decision {
        let session = self.session(id)?;
        let change = session.core.change.as_ref().filter(|change| change.id == Some(sync) && !change.undone);
        let minds = change.and_then(|change| change.minds.as_ref()).ok_or(Rejection::Stale)?;
        let loaded = |hash| self.world.mind(hash).cloned().ok_or(Rejection::Stale);
        let (before, after) = (loaded(&minds.0)?, loaded(&minds.1)?);
        let current = self.world.working_mind(session).cloned().unwrap_or_default();
        let plan = [MindField::Objective, MindField::Scratchpad].into_iter();
        let changed = plan.filter(|field| field.text(&before) != field.text(&after));
        let writes: Vec<_> =
            changed.map(|field| field.write(field.text(&before).map(|text| text.to_string()))).collect();
        let edits = resolve(&current, &after, &writes).map_err(|error| {
            if let WriteError::Conflict { field, .. } = error {
                Rejection::UndoClash { field }
            } else {
                Rejection::Write(error)
            }
        })?;
        self.note_in_run(session, EventKind::MindEdited { base: minds.1, edits, undoes: Some(sync) });
        Ok(())
    }
}

/// A change of the Core, merged into the current mind.
#[derive(Default)]
struct Merged {
    edits: Vec<MindEdit>,
    /// Fields in which others changed the same lines; their text stays.
    dropped: Vec<String>,
    /// The first conflict.
    error: Option<WriteError>,
}

fn merged(current: &Mind, seen: &Mind, writes: &[MindWrite]) -> Merged {
    let mut merged = Merged::default();
    for write in writes {
        match resolve(current, seen, std::slice::from_ref(write)) {
            Ok(made) => merged.edits.extend(made),
            Err(error) => {
                // The Core writes no files, so no other error can occur.
                if let WriteError::Conflict { field, .. } = &error {
                    merged.dropped.push(field.clone());
                }
                merged.error.get_or_insert(error);
            }
        }
    }
    merged
}
