//! Slice of the Core's state in the session in view.

use std::sync::Arc;

use leptos::prelude::*;

use crate::ui::view_state::rows::set_if_new;
use nexus_model::id::Millis;
use nexus_model::mind::core_sync::CoreState;
use nexus_model::mind::{Mind, MindWrite, resolve};
use nexus_model::session::Session;
use nexus_model::world::World;
use nexus_view::timeline::PtrEq;

/// What the board shows of the Core.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CoreRow {
    /// Where it stands.
    pub state: CoreState,
    /// The mind before and after its last change.
    pub minds: Option<(PtrEq<Mind>, PtrEq<Mind>)>,
    pub proposed: Option<(PtrEq<Mind>, PtrEq<Mind>)>,
    /// When it will be asked by itself.
    pub due: Option<Millis>,
}

/// The mind of a session as it is, and as it would be with what its Core proposes.
pub(super) fn proposed(world: &World, session: &Session) -> Option<(PtrEq<Mind>, PtrEq<Mind>)> {
    let proposal = session.core.proposal.as_ref()?;
    let (seen, now) = (world.mind(&proposal.base)?, world.working_mind(session)?);
    let edits = |write: &MindWrite| resolve(now, seen, std::slice::from_ref(write)).ok();
    let edits: Vec<_> = proposal.writes.iter().filter_map(edits).flatten().collect();
    Some((PtrEq(Arc::clone(now)), PtrEq(Arc::new(now.with(&edits)))))
}

/// The Core of the session in view.
#[derive(Clone, Copy)]
pub struct CoreView(RwSignal<CoreRow>);

impl CoreView {
    pub(super) fn new() -> Self {
        Self(RwSignal::new(CoreRow::default()))
    }

    pub fn row(&self) -> Signal<CoreRow> {
        self.0.into()
    }

    pub(super) fn set(&self, row: CoreRow) {
        set_if_new(&self.0, row);
    }
}
