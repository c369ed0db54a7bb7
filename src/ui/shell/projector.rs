//! The projector: receives events and signals, notifies the selectors of changed parts of the world, and records what
//! is in no row: streaming answers, notices, drafts, the feed.
//!
//! Idempotent. Never borrows the world across an await.

use futures_util::future::LocalBoxFuture;
use futures_util::stream::select;

use crate::lazy;
use crate::ui::dispatch::SessionRemoval;
use crate::ui::prelude::*;
use crate::ui::view_state::{ActivityItem, Actors, LastWriter, actor_of, field_of, text_of};
use nexus_model::event::{Event, EventKind, Feed};
use nexus_model::limits::TURNS_LOADED_MOST;
use nexus_model::session::SessionRole;
use nexus_model::signal::TransientEvent;
use nexus_model::turn::TurnEnd;

/// Turns shown at first, and added each time that the reader requests older ones: as many as are loaded at a time.
const TURNS_SHOWN: u64 = TURNS_LOADED as u64;
const TURNS_SHOWN_MOST: u64 = TURNS_LOADED_MOST as u64;

enum ProjectorInput {
    Event(Arc<Event>),
    Transient(TransientEvent),
    Message(ProjectorMessage),
}

/// Events, signals, and messages that no event carries.
pub(crate) type ProjectorInputs =
    (UnboundedReceiver<Arc<Event>>, UnboundedReceiver<TransientEvent>, UnboundedReceiver<ProjectorMessage>);

/// Makes a projector follow the ledger for the page's lifetime.
pub(crate) type FollowBus = fn(Projector, ProjectorInputs) -> LocalBoxFuture<'static, ()>;

lazy! {
    /// Loaded with the services: before them there is nothing to project.
    work::lazy_follow: FollowBus = |projector, inputs| Box::pin(projector.follow(inputs));
}

/// A critical error of an earlier visit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PastCrash {
    pub message: String,
    pub location: String,
    pub is_crash: bool,
}

pub struct Projector {
    world: Rc<RefCell<World>>,
    page: &'static Page,
    /// Kinds and agents of turns that the feed shows and that are not loaded.
    actors: Actors,
    past_errors: Vec<PastCrash>,
}

impl Projector {
    pub(crate) fn new(world: Rc<RefCell<World>>, page: &'static Page, past_errors: Vec<PastCrash>) -> Self {
        Self { world, page, actors: VecMap::new(), past_errors }
    }

    async fn follow(mut self, (events, live, wakes): ProjectorInputs) {
        for error in std::mem::take(&mut self.past_errors) {
            let notice = strings::error_notice(&error.message, &error.location, error.is_crash);
            self.page.notices.add_error(notice);
        }
        let signals = select(live.map(ProjectorInput::Transient), wakes.map(ProjectorInput::Message));
        let mut inputs = select(events.map(ProjectorInput::Event), signals).ready_chunks(256);
        while let Some(chunk) = inputs.next().await {
            let mut changed = WorldParts::NONE;
            for input in chunk {
                changed = changed.and(match input {
                    ProjectorInput::Event(event) => self.event(&event),
                    ProjectorInput::Transient(live) => self.handle_transient(live),
                    ProjectorInput::Message(wake) => self.handle_message(wake),
                });
            }
            self.show(changed);
        }
    }

    fn focus(&self) -> SessionId {
        self.page.sessions.focus.get_untracked()
    }

    /// Handles an event's effects beside rows. Returns the changed parts of the world.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the others only change rows")]
    fn event(&mut self, event: &Arc<Event>) -> WorldParts {
        let in_view = event.stream.session() == Some(self.focus());
        let Some(kind) = event.known_kind() else { return WorldParts::NONE };
        match kind {
            // Undoing an earlier step would take the new turn out of view.
            EventKind::TurnOpened { turn } if in_view => {
                self.page.notices.end_step();
                // What a merge wrote has no single author.
                if turn.kind == TurnKind::Merge {
                    self.page.mind.last_writers.update(VecMap::clear);
                }
            }
            EventKind::ModelAnswered { message, .. } => self.page.live_text.forget(*message),
            EventKind::TurnClosed { partial, end, .. } => {
                partial.iter().for_each(|partial| self.page.live_text.forget(partial.message));
                if in_view && let Some(turn) = event.turn {
                    self.announce(turn, *end);
                }
            }
            EventKind::ToolEnded { edits, message, .. } => {
                if in_view && let Some(agent) = &message.agent {
                    let fields = edits.iter().filter_map(field_of);
                    let by = LastWriter { agent: agent.clone(), at: event.at };
                    let written = fields.map(|field| (field, by.clone()));
                    self.page.mind.last_writers.update(|all| all.extend(written));
                }
            }
            EventKind::MindEdited { edits, .. } if in_view => {
                self.page.mind.last_writers.update(|all| {
                    edits.iter().filter_map(field_of).for_each(|field| drop(all.remove(&field)));
                });
            }
            EventKind::Notice { text } => {
                self.page.notices.add(NoticeKind::Info, language::translate_template(text), "");
            }
            EventKind::JobBudgetSpent { limits } => {
                self.page.notices.add_error(strings::job_budget::spent(limits));
            }
            EventKind::JobFailed(failed) => {
                let world = self.world.borrow();
                let row = event.stream.session().and_then(|session| world.session(&session));
                let failed = row.and_then(|row| row.jobs.failed(failed.kind));
                let notice = failed.and_then(strings::maintenance::given_up);
                notice.into_iter().for_each(|notice| self.page.notices.add_error(notice));
            }
            EventKind::EventsUnreadable { unknown, damaged, .. } => {
                self.page.notices.add_error(strings::events_unreadable(unknown, damaged));
            }
            EventKind::CriticalError { text } => {
                self.page.notices.add(NoticeKind::Error, language::translate_template(text), "");
            }
            _ => {}
        }
        if in_view && let Some(item) = self.activity(event, kind) {
            self.page.activity.note(item);
        }
        kind.facts().changes
    }

    fn activity(&self, event: &Arc<Event>, kind: &EventKind) -> Option<ActivityItem> {
        let feed = kind.facts().feed;
        // A compaction shows itself, and a merge ends as it begins.
        let shows_itself = matches!(kind, EventKind::TurnClosed { .. })
            && event.turn.is_some_and(|turn| {
                let world = self.world.borrow();
                world.compaction(&turn).is_some()
                    || world.turn(&turn).is_some_and(|turn| turn.kind == TurnKind::Merge)
            });
        let actor = || actor_of(&self.world.borrow(), &self.actors, event, feed);
        (feed != Feed::Omitted && !shows_itself)
            .then(|| ActivityItem { event: Arc::clone(event), actor: actor() })
    }

    /// Announces to screen readers how a turn ended.
    fn announce(&self, turn: TurnId, end: TurnEnd) {
        let world = self.world.borrow();
        let Some(turn) = world.turn(&turn).filter(|turn| turn.kind != TurnKind::Compaction) else { return };
        let name = world.agent_name(&turn.agent);
        self.page.notices.announcement.set(strings::announcement(name, end, &world.last_answer(turn)));
    }

    /// The mind committed the draft: removes it, or rebases its remaining text.
    fn update_draft(&self, session: SessionId, field: &DraftField, taken: &str) {
        let remaining = {
            let world = self.world.borrow();
            let Some(row) = world.session(&session) else { return };
            let now = world.working_mind(row).map_or("", |mind| text_of(mind, field));
            self.page.drafts.settle((session, field), taken, (&row.mind, now))
        };
        if let Some(remaining) = remaining {
            self.page.dispatch.send_draft(session, field, Some(&remaining));
        }
    }

    fn handle_transient(&mut self, live: TransientEvent) -> WorldParts {
        let is_streaming = |row: &Arc<Message>| row.status == MessageStatus::Processing;
        match live {
            TransientEvent::Delta { session, message, part, thinking, text } => {
                let world = self.world.borrow();
                // Child sessions of the one in view, such as a race's lanes, are shown there too.
                let in_view = |id| {
                    let row = world.session(&session).filter(|row| row.role() != SessionRole::Conversation);
                    session == id || row.is_some_and(|row| row.parent == Some(id))
                };
                if in_view(self.focus()) && world.message(&message).is_some_and(is_streaming) {
                    self.page.live_text.append(message, part, thinking, text);
                }
            }
            TransientEvent::TextSoFar { message, parts } => {
                let world = self.world.borrow();
                if world.message(&message).is_some_and(is_streaming) {
                    self.page.live_text.show(message, &parts);
                }
            }
            TransientEvent::Reclassified { message, part } => {
                self.page.live_text.mark_as_thinking(message, part)
            }
            TransientEvent::Restarted { message } => self.page.live_text.restart(message),
            TransientEvent::StoreFailed { reason } => self.page.notices.store_failed(Some(reason)),
            TransientEvent::StoreRecovered => self.page.notices.store_failed(None),
            TransientEvent::ReadOnly { session, read_only } => {
                self.page.sessions.set_in_other_tab(session, read_only);
                return WorldParts::ALL;
            }
            TransientEvent::Forked { from, to } => {
                if from == self.focus() {
                    self.page.dispatch.open(to);
                }
                return WorldParts::SESSIONS;
            }
            TransientEvent::DraftConflict { session, field, marked } => {
                if let Some(row) = self.world.borrow().session(&session) {
                    self.page.drafts.set_conflict(session, &field, marked, &row.mind);
                }
                return WorldParts::SESSIONS;
            }
            TransientEvent::DraftCommitted { session, field, text } => {
                self.update_draft(session, &field, &text);
                return WorldParts::SESSIONS;
            }
            TransientEvent::DraftRestored(draft) => {
                let (session, field) = (draft.session, draft.field.clone());
                if let Some(longer) = self.page.drafts.restore(draft) {
                    self.page.dispatch.send_draft(session, &field, Some(&longer));
                }
            }
            TransientEvent::KeyWanted { provider } => self.page.providers.wanted.set(Some(provider)),
            TransientEvent::Reminder(reminder) => self.page.notices.add_error(strings::reminder(reminder)),
            TransientEvent::SyncDue { session, at } => self.page.core.note_due(session, at),
            TransientEvent::KeysChanged => return WorldParts::ROSTER,
            TransientEvent::DeviceRead => return WorldParts::ALL,
            TransientEvent::MemoriesLoaded => return WorldParts::MEMORIES,
            TransientEvent::Loaded { session } if session == self.focus() => {
                let world = self.world.borrow();
                self.page.live_text.forget_ended(|id| world.message(&id).is_some_and(is_streaming));
                let row = world.session(&session).filter(|row| row.deleted_at.is_some());
                if let Some(row) = row {
                    // In another tab: this one leaves a session that it deletes.
                    self.page.dispatch.show_removed(session, &row.name(), SessionRemoval::Deleted);
                }
                return WorldParts::ALL;
            }
            TransientEvent::Typed { .. }
            | TransientEvent::StopUnsaved { .. }
            | TransientEvent::KeyBroadcast(_)
            | TransientEvent::PartialStored { .. }
            | TransientEvent::SessionRequested { .. }
            | TransientEvent::Loaded { .. } => {}
            TransientEvent::RecentEvents { session, events, actors } => {
                if session == self.focus() {
                    self.actors = actors.into_iter().collect();
                    let past = events.iter().filter_map(|event| self.activity(event, event.known_kind()?));
                    self.page.activity.set_past(past);
                }
            }
        }
        WorldParts::NONE
    }

    fn handle_message(&mut self, wake: ProjectorMessage) -> WorldParts {
        let conversation = self.page.conversation;
        match wake {
            ProjectorMessage::Focus(session) => {
                self.page.sessions.focus.set_if_changed(session);
                self.page.activity.clear();
                self.page.mind.last_writers.update(VecMap::clear);
                conversation.seen.set(None);
                conversation.floor.set(None);
                return WorldParts::SESSIONS;
            }
            ProjectorMessage::Reload => return WorldParts::ALL,
            ProjectorMessage::Earlier => {
                // As many as the engine loads then.
                let newest = self.newest_depth().unwrap_or_default();
                conversation.floor.update(|floor| {
                    let step = |floor: u64| newest.saturating_sub(floor).clamp(TURNS_SHOWN, TURNS_SHOWN_MOST);
                    *floor = floor.map(|floor| floor.saturating_sub(step(floor)));
                });
                return WorldParts::SESSIONS;
            }
            ProjectorMessage::Hidden => {
                let last = self.world.borrow().session(&self.focus()).map(|session| session.last_sequence);
                conversation.seen.set(last);
            }
            ProjectorMessage::Read => conversation.seen.set(None),
            ProjectorMessage::Rejected(rejection) => {
                let notice = strings::rejection(&rejection);
                // Work ends by itself, and so does a notice that only says to wait for it.
                let kind = if rejection.waits_for_work() { NoticeKind::Info } else { NoticeKind::Error };
                self.page.notices.add(kind, notice.title, notice.advice);
            }
        }
        WorldParts::NONE
    }

    fn newest_depth(&self) -> Option<u64> {
        let world = self.world.borrow();
        let head = world.session(&self.focus())?.head?;
        world.thread(&head).map(|thread| thread.depth)
    }

    /// Notifies the selectors of these parts.
    pub(crate) fn show(&self, changed: WorldParts) {
        // Models see turns further back than the reader requested.
        if let Some(newest) = self.newest_depth() {
            let floor = newest.saturating_add(1).saturating_sub(TURNS_SHOWN);
            let shown = self.page.conversation.floor;
            if shown.with_untracked(|shown| shown.is_none_or(|shown| floor < shown)) {
                shown.set(Some(floor));
            }
        }
        self.page.world.changed(changed);
    }
}
