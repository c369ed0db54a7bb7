//! Computes when jobs are due: a sync when files were unchanged for a while, summary and memory when a session is idle.

use crate::bus::Bus;
use nexus_model::command::{Command, MaintenanceCommand};
use nexus_model::event::{Event, EventKind};
use nexus_model::id::{Millis, SessionId};
use nexus_model::job::maintenance::is_spent;
use nexus_model::job::sync::{SyncRules, has_changed, is_due};
use nexus_model::job::{JobSlot, maintenance};
use nexus_model::limits::{DRAFT_DEBOUNCE_MS, MAINTENANCE_DELAY_MS};
use nexus_model::session::Session;
use nexus_model::signal::TransientEvent;
use nexus_model::world::World;
use nexus_text::content_hash::ContentHash;
use nexus_text::vec_map::VecMap;

/// How long after typing an edit may arrive and still count from the last keystroke, in milliseconds.
const EDIT_DELAY_MS: u64 = 500;

/// State of sessions that is not in the world.
#[derive(Default)]
pub(super) struct Schedule {
    watches: VecMap<SessionId, SessionWatch>,
    /// When a session is due for summary and memory.
    idle_at: VecMap<SessionId, Millis>,
}

/// Quiet time of a session's files.
#[derive(Default)]
struct SessionWatch {
    /// Last keystroke of the operator.
    typed: Option<Millis>,
    /// Start of the quiet time; `None` once a sync was opened for it.
    quiet: Option<Millis>,
    /// The due time published last.
    published: Option<Millis>,
    /// Cached result: whether this mind has changed enough since that one, by this rule.
    counted: Option<(ContentHash, Option<ContentHash>, usize, bool)>,
}

impl SessionWatch {
    /// When the session's next sync is due.
    fn due(&mut self, world: &World, session: &Session) -> Option<Millis> {
        let quiet = self.quiet?;
        let rules = SyncRules::of(world);
        let key = (session.mind, session.core.synced, rules.lines);
        let known =
            self.counted.as_ref().filter(|known| (&known.0, &known.1, known.2) == (&key.0, &key.1, key.2));
        // Counting is linear in the files, so the result is cached for each pair of minds.
        let enough = match known {
            Some(known) => known.3,
            None => {
                let enough = has_changed(world, session, rules.lines);
                self.counted = Some((key.0, key.1, key.2, enough));
                enough
            }
        };
        (enough && is_due(world, session)).then(|| Millis(quiet.0.saturating_add(rules.wait_ms)))
    }
}

impl Schedule {
    /// When the next job is due. Publishes the time of a session's next sync when it changes.
    pub(super) fn next(&mut self, world: &World, bus: &Bus, now: Millis) -> Option<Millis> {
        let mut next = self.idle_at.values().min().copied();
        let is_spent = is_spent(world, now);
        let ids: Vec<_> = self.watches.keys().copied().collect();
        for id in ids {
            let Some(watch) = self.watches.get_mut(&id) else { continue };
            let session = world.session(&id).filter(|_| !is_spent);
            let due = session.and_then(|session| watch.due(world, session));
            if watch.published != due {
                watch.published = due;
                bus.publish_transient(&TransientEvent::SyncDue { session: id, at: due });
            }
            next = due.into_iter().chain(next).min();
        }
        next
    }

    pub(super) fn typed(&mut self, session: SessionId, at: Millis) {
        let watch = self.watches.get_or_insert_with(session, SessionWatch::default);
        watch.typed = Some(at);
        watch.quiet = watch.quiet.map(|quiet| quiet.max(at));
    }

    /// Updates the schedule after an event and returns a command to send at once, if any.
    pub(super) fn handle(&mut self, world: &World, session: SessionId, event: &Event) -> Option<Command> {
        let at = event.at;
        let due_at = Millis(at.0.saturating_add(MAINTENANCE_DELAY_MS));
        // Due jobs wait for the end of a compaction and of the other kind of job.
        let mut job_ended = |slot: JobSlot| {
            if slot != JobSlot::Core {
                self.idle_at.insert(session, due_at);
            }
        };
        match event.known_kind() {
            Some(EventKind::JobFailed(failed)) => job_ended(failed.kind.slot()),
            Some(EventKind::JobDone(done)) => job_ended(done.result.kind().slot()),
            Some(EventKind::RunOpened { .. }) => drop(self.idle_at.remove(&session)),
            Some(EventKind::MindEdited { .. }) => {
                let watch = self.watches.get_or_insert_with(session, SessionWatch::default);
                // An edit that was typed counts from the last keystroke.
                let typed = watch
                    .typed
                    .filter(|typed| at.0.saturating_sub(typed.0) <= DRAFT_DEBOUNCE_MS + EDIT_DELAY_MS);
                watch.quiet = Some(typed.unwrap_or(at));
            }
            Some(EventKind::RunEnded { .. } | EventKind::RunPaused { .. }) => {
                self.idle_at.insert(session, due_at);
                let row = world.session(&session);
                // After Stop, only the next edit starts the quiet time again.
                let quiet = row.is_none_or(|row| !row.stopped).then_some(at);
                self.watches.get_or_insert_with(session, SessionWatch::default).quiet = quiet;
                // A sync may have waited for the end of the run.
                return row.filter(|row| row.core.pending.is_some()).map(|_| Command::OpenSync { session });
            }
            _ => {}
        }
        None
    }

    /// The commands that open the jobs due now.
    pub(super) fn due(&mut self, world: &World, now: Millis) -> Vec<Command> {
        let is_due = |watch: &SessionWatch| watch.published.is_some_and(|at| at <= now);
        let quiet: Vec<_> =
            self.watches.iter().filter(|(_, watch)| is_due(watch)).map(|(id, _)| *id).collect();
        let idle_at: Vec<_> = self.idle_at.iter().filter(|(_, at)| **at <= now).map(|(id, _)| *id).collect();
        let mut commands = Vec::new();
        for session in quiet {
            if let Some(watch) = self.watches.get_mut(&session) {
                watch.quiet = None;
            }
            commands.push(Command::OpenSync { session });
        }
        for session in idle_at {
            self.idle_at.remove(&session);
            if world.session(&session).is_some_and(|row| maintenance::due(world, row).is_some()) {
                commands.push(MaintenanceCommand::OpenMaintenance { session }.into());
            }
        }
        commands
    }
}
