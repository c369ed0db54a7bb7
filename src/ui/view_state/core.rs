//! The Core's state in the session in view.

use std::sync::Arc;

use crate::ui::kit::selector::Selector;
use crate::ui::kit::signal::RwSignal;
use crate::ui::view_state::world_reader::{WorldParts, WorldReader};
use nexus_model::id::{Millis, SessionId};
use nexus_model::job::sync::core_at_head;
use nexus_model::job::{JobSlot, SessionJobs};
use nexus_model::mind::Mind;
use nexus_model::mind::core_sync::CoreState;
use nexus_model::session::Session;
use nexus_model::world::World;
use nexus_text::content_hash::ContentHash;
use nexus_text::vec_map::VecMap;
use nexus_view::timeline::PtrEq;

/// What the board shows of the Core.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CoreRow {
    pub state: CoreState,
    /// The jobs of the session: what the Core is asked, and how that came to nothing.
    pub jobs: SessionJobs,
    /// The mind before and after its last change.
    pub minds: Option<(PtrEq<Mind>, PtrEq<Mind>)>,
    /// The mind that the proposal was made for, and the mind as it is.
    pub proposed: Option<(PtrEq<Mind>, PtrEq<Mind>)>,
    /// When it will be asked by itself.
    pub due: Option<Millis>,
}

impl CoreRow {
    /// Whether it is asked, or waits for the end of a run.
    pub fn works(&self) -> bool {
        self.jobs.of(JobSlot::Core).is_some() || self.state.wanted.is_some()
    }
}

/// The Core of the session in view.
#[derive(Clone, Copy)]
pub struct CoreView {
    row: Selector<CoreRow>,
    due: RwSignal<VecMap<SessionId, Millis>>,
}

impl CoreView {
    pub(super) fn new(world: WorldReader, focus: Selector<SessionId>) -> Self {
        let due = RwSignal::new(VecMap::new());
        let row = world.select_of(focus, WorldParts::SESSIONS, move |world, session| {
            core_row(world, session, due.with(|due| due.get(&session.id).copied()))
        });
        Self { row, due }
    }

    pub fn row(&self) -> Selector<CoreRow> {
        self.row
    }

    /// When the Core of a session will be asked by itself.
    pub fn note_due(&self, session: SessionId, at: Option<Millis>) {
        self.due.update(|due| match at {
            Some(at) => drop(due.insert(session, at)),
            None => drop(due.remove(&session)),
        });
    }
}

fn core_row(world: &World, session: &Session, due: Option<Millis>) -> CoreRow {
    let state = core_at_head(world, session);
    let minds = state.change.as_ref().and_then(|change| change.minds);
    let loaded = |hash: &ContentHash| world.mind(hash).map(|mind| PtrEq(Arc::clone(mind)));
    CoreRow {
        minds: minds.and_then(|(before, after)| loaded(&before).zip(loaded(&after))),
        proposed: state.proposal.as_ref().and_then(|proposal| {
            loaded(&proposal.base).zip(world.working_mind(session).map(|mind| PtrEq(Arc::clone(mind))))
        }),
        state,
        jobs: session.jobs.clone(),
        due,
    }
}
