//! The projector: hears events and signals and copies the rows in view into the slices. Their only writer.
//!
//! Idempotent. Never borrows the world across an await.

use std::cell::RefCell;
use std::cmp::Reverse;
use std::rc::Rc;
use std::sync::Arc;

use futures_channel::mpsc::UnboundedReceiver;
use futures_util::stream::{StreamExt as _, select};
use leptos::prelude::{GetUntracked as _, Update as _};

use crate::ui::dispatch::Dispatch;
use crate::ui::view_state::activity::{Actors, actor_of};
use crate::ui::view_state::drafts::{field_of, text_of};
use crate::ui::view_state::{
    ActivityItem, AgentRow, AgentState, Banner, CoreRow, LastWriter, NoticeKind, ProviderRow, QueueRow,
    RunRow, SessionRow, ViewState,
};
use nexus_engine::client::KeyRing;
use nexus_model::agent::Agent;
use nexus_model::event::{Event, EventKind};
use nexus_model::id::{AgentKey, Millis, ProviderId, SessionId, TurnId};
use nexus_model::limits::TURNS_LOADED;
use nexus_model::message::content::text_of as text_of_parts;
use nexus_model::message::{Message, MessageStatus};
use nexus_model::mind::blob::shown_of;
use nexus_model::mind::core_sync::core_at_head;
use nexus_model::provider::ModelList;
use nexus_model::run::{NodeStatus, Run, RunStatus};
use nexus_model::session::delegation::below;
use nexus_model::session::draft::DraftField;
use nexus_model::session::{Session, SessionKind, SessionStatus};
use nexus_model::signal::TransientEvent;
use nexus_model::turn::{TurnEnd, TurnKind};
use nexus_model::world::World;
use nexus_text::content_hash::ContentHash;
use nexus_text::vec_map::{VecMap, VecSet, by_key};
use nexus_view::local_time::LocalTime;
use nexus_view::strings;
use nexus_view::timeline::{PtrEq, TimelineKey, TimelineRow, mark_days, timeline_above};

/// What the projector is told that no event tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProjectorMessage {
    /// Another session comes into view.
    Focus(SessionId),
    /// Rows were loaded.
    Again,
    /// The reader wants to see older turns, which are loaded.
    Earlier,
    /// The reader looks away.
    Away,
    /// The reader has read all and speaks.
    Read,
}

/// Turns that are shown at first, and more of them each time that the reader wants older ones: as many as are loaded at
/// a time.
const TURNS_SHOWN: u64 = TURNS_LOADED as u64;

enum ProjectorInput {
    Event(Arc<Event>),
    Live(TransientEvent),
    Wake(ProjectorMessage),
}

/// Writes the slices.
pub struct Projector {
    world: Rc<RefCell<World>>,
    view: ViewState,
    dispatch: Dispatch,
    keys: KeyRing,
    local: LocalTime,
    read_only: VecSet<SessionId>,
    /// The newest message that the reader has seen, where the reader looked away.
    seen: Option<u64>,
    /// The depth of the oldest turn that the reader wants to see.
    floor: Option<u64>,
    /// When the Core of a session will be asked by itself.
    due: VecMap<SessionId, Millis>,
    /// The kinds and agents of turns that the feed tells of and that are not loaded.
    actors: Actors,
}

impl Projector {
    /// A projector of `world` into `view`.
    pub(crate) fn new(
        world: Rc<RefCell<World>>,
        view: ViewState,
        dispatch: Dispatch,
        keys: KeyRing,
        local: LocalTime,
    ) -> Self {
        view.past.read(&world);
        Self {
            world,
            view,
            dispatch,
            keys,
            local,
            read_only: VecSet::new(),
            seen: None,
            floor: None,
            due: VecMap::new(),
            actors: VecMap::new(),
        }
    }

    /// Follows the ledger as long as the page lives.
    pub(crate) async fn follow(
        mut self,
        events: UnboundedReceiver<Arc<Event>>,
        live: UnboundedReceiver<TransientEvent>,
        wakes: UnboundedReceiver<ProjectorMessage>,
    ) {
        let passing = select(live.map(ProjectorInput::Live), wakes.map(ProjectorInput::Wake));
        let mut inputs = select(events.map(ProjectorInput::Event), passing).ready_chunks(256);
        while let Some(chunk) = inputs.next().await {
            let mut stale = false;
            for input in chunk {
                stale |= match input {
                    ProjectorInput::Event(event) => self.event(&event),
                    ProjectorInput::Live(live) => self.live(live),
                    ProjectorInput::Wake(wake) => self.wake(wake),
                };
            }
            if stale {
                self.show();
            }
        }
    }

    fn focus(&self) -> SessionId {
        self.view.sessions.focus().get_untracked()
    }

    /// What an event does beside changing rows. Says whether rows may have changed.
    fn event(&mut self, event: &Arc<Event>) -> bool {
        let in_view = event.stream.session() == Some(self.focus());
        let Some(happening) = event.happening() else { return false };
        match happening {
            EventKind::ModelAnswered { message, .. } => self.view.live_text.forget(*message),
            EventKind::TurnClosed { partial, end, .. } => {
                if let Some(partial) = partial {
                    self.view.live_text.forget(partial.message);
                }
                if in_view && let Some(turn) = event.turn {
                    self.announce(turn, *end);
                }
            }
            EventKind::ToolEnded { edits, message, .. } if in_view => {
                if let Some(agent) = &message.agent {
                    for field in edits.iter().filter_map(field_of) {
                        self.view.mind.note_written(field, LastWriter { agent: agent.clone(), at: event.at });
                    }
                }
            }
            EventKind::Notice { text } => {
                self.view.notices.tell(NoticeKind::Word, text.as_str(), "");
            }
            EventKind::CriticalError { text } => {
                self.view.notices.tell(NoticeKind::Problem, text.as_str(), "");
            }
            EventKind::MindEdited { .. }
            | EventKind::MindSynced { .. }
            | EventKind::SyncRequested { .. }
            | EventKind::SyncOpened { .. }
            | EventKind::SyncFailed { .. }
            | EventKind::JoinAsked(_)
            | EventKind::JoinProposed(_)
            | EventKind::CompactionRequested(_)
            | EventKind::CompactionOpened(_)
            | EventKind::CompactionMade(_)
            | EventKind::CompactionFailed(_)
            | EventKind::ChoreOpened(_)
            | EventKind::ChoreFailed(_)
            | EventKind::SummaryMade(_)
            | EventKind::MemoryNoted(_)
            | EventKind::MemoriesChecked(_)
            | EventKind::MemoryChanged(_)
            | EventKind::ChangesReviewed { .. }
            | EventKind::ToolEnded { .. }
            | EventKind::MessageCommitted { .. }
            | EventKind::ContentsKept { .. }
            | EventKind::MessageQueued { .. }
            | EventKind::QueueEdited { .. }
            | EventKind::RunOpened { .. }
            | EventKind::WorkerSent { .. }
            | EventKind::WorkerEnded { .. }
            | EventKind::RunPaused { .. }
            | EventKind::RunResumed { .. }
            | EventKind::RoundEnded { .. }
            | EventKind::RunEnded { .. }
            | EventKind::NodeChanged { .. }
            | EventKind::TurnOpened { .. }
            | EventKind::ContextRequested { .. }
            | EventKind::ContextBuilt { .. }
            | EventKind::ResponseBegan { .. }
            | EventKind::ModelFailed { .. }
            | EventKind::ModelRequested { .. }
            | EventKind::RetryScheduled { .. }
            | EventKind::ToolRequested { .. }
            | EventKind::ApprovalAsked { .. }
            | EventKind::ApprovalGiven { .. }
            | EventKind::ToolStarted { .. }
            | EventKind::HeadMoved { .. }
            | EventKind::SessionChanged { .. }
            | EventKind::SessionPurged { .. }
            | EventKind::AgentChanged { .. }
            | EventKind::AgentRemoved { .. }
            | EventKind::ProviderChanged { .. }
            | EventKind::ProviderRemoved { .. }
            | EventKind::SettingChanged { .. }
            | EventKind::TriggerChanged { .. }
            | EventKind::TriggerRemoved { .. }
            | EventKind::TriggerFired(_)
            | EventKind::TriggerEnded(_)
            | EventKind::CommandRefused { .. } => {}
        }
        if in_view && let Some(item) = self.activity(event, happening) {
            self.view.activity.note(item);
        }
        true
    }

    /// What the feed may tell of. Steps that it is silent about would only crowd out others, with all that they carry.
    fn activity(&self, event: &Arc<Event>, happening: &EventKind) -> Option<ActivityItem> {
        let is_step = matches!(
            happening,
            EventKind::ContextRequested { .. }
                | EventKind::ContextBuilt { .. }
                | EventKind::ModelRequested { .. }
                | EventKind::ModelAnswered { .. }
                | EventKind::ModelFailed { .. }
                | EventKind::ResponseBegan { .. }
                | EventKind::ToolRequested { .. }
                | EventKind::ToolStarted { .. }
                | EventKind::ContentsKept { .. }
                | EventKind::NodeChanged { .. }
                | EventKind::RunOpened { .. }
                | EventKind::RunEnded { .. }
                | EventKind::SyncOpened { .. }
                | EventKind::ChoreOpened(_)
                | EventKind::HeadMoved { by_hand: None, .. }
        );
        // A compaction tells of itself, and a merge is done as it begins.
        let tells_itself = matches!(happening, EventKind::TurnClosed { .. })
            && event.turn.is_some_and(|turn| {
                let world = self.world.borrow();
                world.compaction(&turn).is_some()
                    || world.turn(&turn).is_some_and(|turn| turn.kind == TurnKind::Merge)
            });
        let actor = || actor_of(&self.world.borrow(), &self.actors, event, happening);
        (!is_step && !tells_itself).then(|| ActivityItem { event: Arc::clone(event), actor: actor() })
    }

    /// Tells those who hear the page how a turn ended.
    fn announce(&self, turn: TurnId, end: TurnEnd) {
        let world = self.world.borrow();
        let Some(turn) = world.turn(&turn).filter(|turn| turn.kind != TurnKind::Compaction) else { return };
        let name = world.agent(&turn.agent).map_or(turn.agent.as_str(), |agent| &agent.identity.name);
        let answer = turn.messages.iter().rev().filter_map(|id| world.message(id));
        let text = answer.map(|message| text_of_parts(&message.parts)).find(|text| !text.is_empty());
        self.view.notices.announce(strings::announcement(name, end, &text.unwrap_or_default()));
    }

    /// The mind took in what the operator had typed: the draft is over, or stands on a new base.
    fn settle(&self, session: SessionId, field: &DraftField, taken: &str) {
        let left = {
            let world = self.world.borrow();
            let Some(row) = world.session(&session) else { return };
            let now = world.working_mind(row).map_or("", |mind| text_of(mind, field));
            self.view.drafts.settle((session, field), taken, (&row.mind, now))
        };
        if let Some(left) = left {
            self.dispatch.pass_on(session, field, Some(&left));
        }
    }

    fn live(&mut self, live: TransientEvent) -> bool {
        match live {
            TransientEvent::Delta { session, message, part, thinking, text } => {
                let world = self.world.borrow();
                // What runs beside the session in view is shown there, too: the lanes of a race.
                let in_view = |id| {
                    let row = world.session(&session).filter(|row| row.kind == SessionKind::Tool);
                    session == id || row.is_some_and(|row| row.parent == Some(id))
                };
                let writes = |row: &Arc<Message>| row.status == MessageStatus::Processing;
                if in_view(self.focus()) && world.message(&message).is_some_and(writes) {
                    self.view.live_text.append(message, part, thinking, text);
                }
                false
            }
            TransientEvent::Rethought { message, part } => {
                self.view.live_text.rethink(message, part);
                false
            }
            TransientEvent::Restarted { message } => {
                self.view.live_text.restart(message);
                false
            }
            TransientEvent::StoreFailed { reason } => {
                self.view.notices.store_failed(Some(reason));
                false
            }
            TransientEvent::StoreRecovered => {
                self.view.notices.store_failed(None);
                false
            }
            TransientEvent::PartMissing => {
                self.view.notices.part_missing(true);
                false
            }
            TransientEvent::PartCame => {
                self.view.notices.part_missing(false);
                false
            }
            TransientEvent::ReadOnly { session, read_only } => {
                if read_only {
                    self.read_only.insert(session);
                } else {
                    self.read_only.remove(&session);
                }
                true
            }
            TransientEvent::Forked { from, to } => {
                if from == self.focus() {
                    self.dispatch.open(to);
                }
                true
            }
            TransientEvent::DraftClash { session, field, marked } => {
                if let Some(row) = self.world.borrow().session(&session) {
                    self.view.drafts.clash(session, &field, marked, &row.mind);
                }
                true
            }
            TransientEvent::DraftSettled { session, field, text } => {
                self.settle(session, &field, &text);
                true
            }
            TransientEvent::DraftRestored(draft) => {
                self.view.drafts.restore(draft);
                false
            }
            TransientEvent::KeyWanted { provider } => {
                self.view.providers.want(provider);
                false
            }
            TransientEvent::Care(care) => {
                let told = strings::care(care);
                self.view.notices.tell(NoticeKind::Problem, told.title, told.advice);
                false
            }
            TransientEvent::Typed { .. } => false,
            TransientEvent::SyncDue { session, at } => {
                match at {
                    Some(at) => drop(self.due.insert(session, at)),
                    None => drop(self.due.remove(&session)),
                }
                session == self.focus()
            }
            TransientEvent::KeysChanged | TransientEvent::DeviceRead => true,
            TransientEvent::KeysTold(_) | TransientEvent::SessionWanted { .. } => false,
            TransientEvent::Past { session, events, actors } => {
                if session == self.focus() {
                    self.actors = actors.into_iter().collect();
                    let past = events.iter().filter_map(|event| self.activity(event, event.happening()?));
                    self.view.activity.set_past(past);
                }
                false
            }
            TransientEvent::Loaded { session } => session == self.focus(),
        }
    }

    fn wake(&mut self, wake: ProjectorMessage) -> bool {
        match wake {
            ProjectorMessage::Focus(session) => {
                self.view.sessions.set_focus(session);
                self.view.conversation.clear();
                self.view.activity.clear();
                self.view.mind.forget_written();
                self.seen = None;
                self.floor = None;
            }
            ProjectorMessage::Again => {}
            ProjectorMessage::Earlier => {
                self.floor = self.floor.map(|floor| floor.saturating_sub(TURNS_SHOWN))
            }
            ProjectorMessage::Away => {
                let last = self.world.borrow().session(&self.focus()).map(|session| session.last_sequence);
                self.seen = last;
            }
            ProjectorMessage::Read => self.seen = None,
        }
        true
    }

    /// Copies what is in view from the world into the slices.
    pub(crate) fn show(&mut self) {
        let world = self.world.borrow();
        self.view.past.changed();
        self.view.settings.0.update(|all| *all = world.settings.clone());
        self.show_providers(&world);
        self.show_sessions(&world);
        let focus = self.focus();
        let Some(session) = world.session(&focus) else { return };
        if let Some(mind) = world.working_mind(session) {
            self.view.mind.set(&session.mind, mind);
        }
        self.show_agents(&world, session);
        self.show_run(&world, session);
        self.show_core(&world, session);
        // What a model is shown reaches further back than what the reader has asked for.
        if let Some(newest) = session.head.and_then(|head| world.thread(&head)) {
            let floor = newest.depth.saturating_add(1).saturating_sub(TURNS_SHOWN);
            self.floor = Some(self.floor.map_or(floor, |old| old.min(floor)));
        }
        let mut timeline = timeline_above(&world, focus, self.seen, self.floor.unwrap_or_default());
        let now = self.dispatch.now();
        mark_days(&mut timeline.rows, self.local.day_number(now), |at| self.local.day_number(at));
        self.show_pictures(&world, &timeline.rows);
        self.view.conversation.set(timeline.rows, timeline.earlier);
    }

    fn show_pictures(&self, world: &World, rows: &[(TimelineKey, TimelineRow)]) {
        let messages: Vec<_> = rows.iter().filter_map(|(_, row)| row.message()).collect();
        let hashes = messages.iter().flat_map(|message| shown_of(&message.parts));
        let pictures: VecMap<_, _> =
            hashes.filter_map(|hash| Some((hash.clone(), Arc::clone(world.blob(hash)?)))).collect();
        self.view.pictures.0.set(pictures.into_iter().collect());
    }

    fn show_providers(&self, world: &World) {
        let rows = world.providers.keys().filter_map(|id| world.live_provider(id)).map(|provider| {
            let before = self.view.providers.get_untracked(&provider.id).and_then(|row| row.models);
            let row = ProviderRow {
                provider: Arc::new(provider.clone()),
                key: self.keys.state(provider),
                models: models_of(world, &provider.id, before),
            };
            (provider.id.clone(), row)
        });
        self.view.providers.rows.set(rows.collect());
        self.view.providers.note_ring(&self.keys);
    }

    fn show_sessions(&self, world: &World) {
        let focus = self.focus();
        let sessions = world.sessions.values().filter(|session| {
            session.id == focus
                || session.status == SessionStatus::Open
                    && session.kind == SessionKind::User
                    && session.deleted_at.is_none()
        });
        let sessions = by_key(sessions, |session| Reverse((session.created_at, session.id)));
        let needed = |id: SessionId| {
            let run = world.session(&id).and_then(|session| world.open_run(session));
            run.is_some_and(|run| run.status == RunStatus::Paused || asks(run))
        };
        let rows = sessions.into_iter().map(|session| {
            let run = world.open_run(session);
            let status = run.map(|run| run.status);
            let workers = below(world, session.id);
            let row = SessionRow {
                label: session.label.clone(),
                last_message_at: session.last_message_at,
                working: matches!(status, Some(RunStatus::Queued | RunStatus::Running))
                    && !run.is_some_and(|run| asks(run))
                    || run.is_none() && !workers.is_empty(),
                waits: needed(session.id) || workers.into_iter().any(needed),
                read_only: self.read_only.contains(&session.id),
            };
            (session.id, row)
        });
        self.view.sessions.rows.set(rows.collect());
        let other_tab = self.read_only.contains(&self.focus()) && !self.view.notices.is_all_read_only();
        self.view.notices.banner(Banner::ReadOnly, other_tab);
    }

    fn show_agents(&self, world: &World, session: &Session) {
        let is_rehearsal = |agent: &Agent| {
            world.live_provider(&agent.config.provider).is_some_and(|provider| provider.is_rehearsal())
        };
        let gone = world.agents.values().filter(|agent| !agent.is_here());
        let rows: Vec<_> = world
            .roster()
            .into_iter()
            .chain(gone)
            .map(|agent| {
                let row = AgentRow {
                    agent: Arc::clone(agent),
                    flags: world.flags(session, agent),
                    state: state_of(world, session, &agent.key),
                    rehearsal: is_rehearsal(agent),
                };
                (agent.key.clone(), row)
            })
            .collect();
        self.view
            .notices
            .banner(Banner::Rehearsal, rows.iter().any(|(_, row)| row.rehearsal && row.agent.is_here()));
        self.view.agents.set(rows);
    }

    fn show_core(&self, world: &World, session: &Session) {
        let state = core_at_head(world, session);
        let minds = state.change.as_ref().and_then(|change| change.minds.clone());
        let loaded = |hash: &ContentHash| world.mind(hash).map(|mind| PtrEq(Arc::clone(mind)));
        self.view.core.set(CoreRow {
            minds: minds.and_then(|(before, after)| loaded(&before).zip(loaded(&after))),
            proposed: state.proposal.as_ref().and_then(|proposal| {
                loaded(&proposal.base).zip(world.working_mind(session).map(|mind| PtrEq(Arc::clone(mind))))
            }),
            state,
            due: self.due.get(&session.id).copied(),
        });
    }

    fn show_run(&self, world: &World, session: &Session) {
        let open_turn = world.open_turn(session);
        let row = |run: &Arc<Run>| RunRow {
            id: run.id,
            status: run.status,
            opened_at: run.opened_at,
            ended_at: run.ended_at,
            tokens: run.used.tokens,
            calls: run.used.calls,
            turn: open_turn.map(|turn| (turn.agent.clone(), turn.phase)),
            rounds: run.keeps_going().then_some((run.rounds.current, run.rounds.limit)),
            pause: run.pause.clone(),
            retry_at: open_turn.and_then(|turn| turn.retry()).map(|retry| retry.at),
            asks: asks(run),
            cost: run.used.cost,
            unpriced: run.used.unpriced > 0,
        };
        self.view.run.set(session.run.and_then(|id| world.run(&id)).map(row));
        let queue = world.waiting(session.id).into_iter().map(|item| (item.id, QueueRow::of(item)));
        self.view.run.queue.set(queue.collect());
    }
}

/// Whether the operator is asked about a tool.
fn asks(run: &Run) -> bool {
    run.status == RunStatus::Running && run.nodes.iter().any(|node| node.status == NodeStatus::Blocked)
}

fn state_of(world: &World, session: &Session, agent: &AgentKey) -> AgentState {
    if let Some(turn) = world.open_turn(session).filter(|turn| turn.agent == *agent) {
        let run = world.open_run(session);
        return match turn.retry() {
            Some(_) => AgentState::Held,
            None if run.is_some_and(|run| asks(run)) => AgentState::Asking,
            None => AgentState::Processing(turn.phase),
        };
    }
    let is_next = |run: &Arc<Run>| {
        let ready = |node: &nexus_model::run::Node| {
            node.agent.as_ref() == Some(agent) && node.status == NodeStatus::Ready
        };
        run.status != RunStatus::Paused && run.nodes.iter().any(ready)
    };
    if world.open_run(session).is_some_and(is_next) {
        return AgentState::Queued;
    }
    match world.agent(agent) {
        Some(row) if world.flags(session, row).failed => AgentState::Error,
        Some(_) | None => AgentState::Idle,
    }
}

/// The models that a provider told of, read anew only where the list is another one.
fn models_of(world: &World, id: &ProviderId, before: Option<Arc<ModelList>>) -> Option<Arc<ModelList>> {
    let kept = world.setting(&ModelList::setting(id)).filter(|kept| !kept.is_null())?;
    let at = kept.get("at").and_then(|at| at.as_u64());
    match before.filter(|before| Some(before.at.0) == at) {
        Some(before) => Some(before),
        None => nexus_text::json::from_tree(kept).ok().map(Arc::new),
    }
}
