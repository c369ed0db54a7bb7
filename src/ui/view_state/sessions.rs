//! The open sessions and the one in view.

use std::cmp::Reverse;
use std::sync::Arc;

use crate::ui::kit::selector::{Selector, select};
use crate::ui::kit::signal::RwSignal;
use crate::ui::view_state::run::needs_approval;
use crate::ui::view_state::world_reader::{KeyedRows, OrderedRows, WorldReader};
use nexus_model::id::{Millis, SessionId};
use nexus_model::run::RunStatus;
use nexus_model::session::workers::below;
use nexus_model::session::{SessionFilter, SessionOrigin};
use nexus_model::world::{World, WorldParts};
use nexus_text::vec_map::{VecSet, by_key};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionRow {
    /// Its label, or its title while it has no label.
    pub label: String,
    pub pinned: bool,
    /// True if it was forked from another one, whose title it may share.
    pub forked: bool,
    pub last_message_at: Option<Millis>,
    pub is_working: bool,
    pub is_waiting: bool,
    /// True if another tab has its lock, so that it is read-only here.
    pub read_only: bool,
}

/// The open sessions: pinned ones first, then the newest.
#[derive(Clone, Copy)]
pub struct Sessions {
    pub rows: KeyedRows<SessionId, SessionRow>,
    pub focus: RwSignal<SessionId>,
    /// Sessions that another tab has locked.
    in_other_tab: RwSignal<VecSet<SessionId>>,
    pub read_only: Selector<bool>,
}

impl Sessions {
    pub(super) fn new(world: WorldReader, first: SessionId) -> Self {
        let (focus, in_other_tab) = (RwSignal::new(first), RwSignal::new(VecSet::new()));
        let rows = KeyedRows::of(world.select(WorldParts::SESSIONS, move |world| {
            in_other_tab.with(|in_other_tab| Arc::new(rows(world, focus.get(), in_other_tab)))
        }));
        let read_only = move || rows.with(|rows| rows.get(&focus.get()).is_some_and(|row| row.read_only));
        Self { rows, focus, in_other_tab, read_only: select(read_only) }
    }

    /// True if another tab is known to have the lock of the session in view.
    pub(super) fn is_in_other_tab(&self) -> bool {
        self.in_other_tab.with(|elsewhere| elsewhere.contains(&self.focus.get()))
    }

    pub fn set_focus(&self, id: SessionId) {
        if self.focus.get_untracked() != id {
            self.focus.set(id);
        }
    }

    /// Another tab took or released the lock of a session.
    pub fn set_in_other_tab(&self, id: SessionId, is_elsewhere: bool) {
        self.in_other_tab.update(|elsewhere| {
            if is_elsewhere {
                elsewhere.insert(id);
            } else {
                elsewhere.remove(&id);
            }
        });
    }
}

fn rows(
    world: &World,
    focus: SessionId,
    elsewhere: &VecSet<SessionId>,
) -> OrderedRows<SessionId, SessionRow> {
    let sessions = world
        .sessions
        .values()
        .filter(|session| session.id == focus || SessionFilter::of(session) == Some(SessionFilter::Open));
    let sessions = by_key(sessions, |session| Reverse((session.pinned, session.created_at, session.id)));
    let needs_operator = |id: SessionId| {
        let run = world.session(&id).and_then(|session| world.open_run(session));
        run.is_some_and(|run| run.status == RunStatus::Paused || needs_approval(run))
    };
    let rows = sessions.into_iter().map(|session| {
        let run = world.open_run(session);
        let status = run.map(|run| run.status);
        let workers = below(world, session.id);
        let row = SessionRow {
            label: session.name().into_owned(),
            pinned: session.pinned,
            forked: session.origin == SessionOrigin::Fork,
            last_message_at: session.last_message_at,
            is_working: status.is_some_and(RunStatus::is_working)
                && !run.is_some_and(|run| needs_approval(run))
                || run.is_none() && !workers.is_empty(),
            is_waiting: needs_operator(session.id) || workers.into_iter().any(needs_operator),
            read_only: elsewhere.contains(&session.id),
        };
        (session.id, row)
    });
    rows.collect()
}
