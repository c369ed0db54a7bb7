//! Knows when jobs are due: a sync once files have been quiet after a change, summary and memory once a session rests.

use crate::bus::Bus;
use nexus_model::command::{Command, MaintenanceCommand};
use nexus_model::event::{Event, EventKind};
use nexus_model::id::{Millis, SessionId};
use nexus_model::job::maintenance::is_spent;
use nexus_model::job::sync::{SyncRules, has_changed, is_due};
use nexus_model::job::{JobSlot, maintenance};
use nexus_model::limits::{CHORE_WAIT_MS, DRAFT_QUIET_MS};
use nexus_model::session::Session;
use nexus_model::signal::TransientEvent;
use nexus_model::world::World;
use nexus_text::content_hash::ContentHash;
use nexus_text::vec_map::VecMap;

/// How much later than its time typing may become an edit and still count as typed then, in milliseconds.
const LATE_MS: u64 = 500;

/// What is known of sessions beside the world.
#[derive(Default)]
pub(super) struct Schedule {
    watches: VecMap<SessionId, SessionWatch>,
    /// When a session may be looked at for summary and memory.
    rested: VecMap<SessionId, Millis>,
}

/// The quiet of a session's files.
#[derive(Default)]
struct SessionWatch {
    /// When the operator last typed.
    typed: Option<Millis>,
    /// Since when it is quiet; `None` once that was acted on.
    quiet: Option<Millis>,
    /// What was last shown as the time at which it is due.
    shown: Option<Millis>,
    /// Whether the files of this mind had changed enough since that one, by these rules.
    counted: Option<(ContentHash, Option<ContentHash>, usize, bool)>,
}

impl SessionWatch {
    /// When the Core of this session is to be asked.
    fn due(&mut self, world: &World, session: &Session) -> Option<Millis> {
        let quiet = self.quiet?;
        let rules = SyncRules::of(world);
        let key = (session.mind, session.core.synced, rules.lines);
        let known =
            self.counted.as_ref().filter(|known| (&known.0, &known.1, known.2) == (&key.0, &key.1, key.2));
        // Counting is linear in the files: once for each pair of minds is enough.
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
    /// When something is due next. Shows when the Core will look, where that has changed.
    pub(super) fn next(&mut self, world: &World, bus: &Bus, now: Millis) -> Option<Millis> {
        let mut next = self.rested.values().min().copied();
        let is_spent = is_spent(world, now);
        let ids: Vec<_> = self.watches.keys().copied().collect();
        for id in ids {
            let Some(watch) = self.watches.get_mut(&id) else { continue };
            let session = world.session(&id).filter(|_| !is_spent);
            let due = session.and_then(|session| watch.due(world, session));
            if watch.shown != due {
                watch.shown = due;
                bus.show(&TransientEvent::SyncDue { session: id, at: due });
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

    /// Notes what an event changes. The command that is wanted at once, if one is.
    pub(super) fn hear(&mut self, world: &World, session: SessionId, event: &Event) -> Option<Command> {
        let at = event.at;
        let later = Millis(at.0.saturating_add(CHORE_WAIT_MS));
        // What was due waits for the end of a compaction, and of the other kind.
        let mut over = |slot: JobSlot| {
            if slot != JobSlot::Core {
                self.rested.insert(session, later);
            }
        };
        match event.happening() {
            Some(EventKind::JobFailed(failed)) => over(failed.kind.slot()),
            Some(EventKind::JobDone(done)) => over(done.result.kind().slot()),
            Some(EventKind::RunOpened { .. }) => drop(self.rested.remove(&session)),
            Some(EventKind::MindEdited { .. }) => {
                let watch = self.watches.get_or_insert_with(session, SessionWatch::default);
                // What was typed counts from the last keystroke.
                let typed =
                    watch.typed.filter(|typed| at.0.saturating_sub(typed.0) <= DRAFT_QUIET_MS + LATE_MS);
                watch.quiet = Some(typed.unwrap_or(at));
            }
            Some(EventKind::RunEnded { .. } | EventKind::RunPaused { .. }) => {
                self.rested.insert(session, later);
                let row = world.session(&session);
                // After Stop nothing begins by itself; the next edit starts the time anew.
                let quiet = row.is_none_or(|row| !row.stopped).then_some(at);
                self.watches.get_or_insert_with(session, SessionWatch::default).quiet = quiet;
                // A sync may have waited for this.
                return row.filter(|row| row.core.wanted.is_some()).map(|_| Command::OpenSync { session });
            }
            _ => {}
        }
        None
    }

    /// The commands that begin what is due by now.
    pub(super) fn due(&mut self, world: &World, now: Millis) -> Vec<Command> {
        let is_due = |watch: &SessionWatch| watch.shown.is_some_and(|at| at <= now);
        let quiet: Vec<_> =
            self.watches.iter().filter(|(_, watch)| is_due(watch)).map(|(id, _)| *id).collect();
        let rested: Vec<_> = self.rested.iter().filter(|(_, at)| **at <= now).map(|(id, _)| *id).collect();
        let mut commands = Vec::new();
        for session in quiet {
            if let Some(watch) = self.watches.get_mut(&session) {
                watch.quiet = None;
            }
            commands.push(Command::OpenSync { session });
        }
        for session in rested {
            self.rested.remove(&session);
            if world.session(&session).is_some_and(|row| maintenance::due(world, row).is_some()) {
                commands.push(MaintenanceCommand::OpenChore { session }.into());
            }
        }
        commands
    }
}
