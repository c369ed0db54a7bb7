//! Compaction during an open turn, between two of its model calls.
//!
//! The compaction applies to the next call at once and becomes a turn of its own when the open turn closes. Never
//! cuts the open turn itself.

use std::sync::Arc;

use crate::context::compaction::RequestBudget;
use crate::context::token_budget::{estimate, messages_with, room, tokens_for};
use crate::context::truncate::saved_by;
use crate::context::window::scale_of_turn;
use crate::limits::WINDOW_PERCENT;
use crate::provider::vision::InputKinds;
use crate::session::Session;
use crate::turn::compaction::Compaction;
use crate::turn::{Turn, TurnKind, TurnPhase};
use crate::world::World;

/// The open turn of a session that is between two of its calls.
pub fn between_calls<'w>(world: &'w World, session: &Session) -> Option<&'w Arc<Turn>> {
    world.open_turn(session).filter(|turn| {
        turn.kind == TurnKind::Normal && turn.phase == TurnPhase::BuildingContext && !turn.calls.is_empty()
    })
}

/// The open turn whose next call waits for the compaction that is wanted.
pub fn waiting_turn<'w>(world: &'w World, session: &Session) -> Option<&'w Arc<Turn>> {
    let node = session.archivist.wanted.as_ref()?.node.as_ref()?;
    between_calls(world, session).filter(|turn| turn.node.as_ref() == Some(node))
}

/// The compaction that was begun inside the open turn of a session, and is no turn yet.
pub fn made_within<'w>(world: &'w World, session: &Session) -> Option<&'w Arc<Compaction>> {
    let id = session.archivist.compacting.filter(|id| world.turn(id).is_none())?;
    world.compaction(&id)
}

/// What is known of the next call of an open turn besides its history: what its first call took besides that, and what
/// it said and was told since.
pub fn measure(world: &World, session: &Session, turn: &Turn) -> Option<RequestBudget> {
    let first = &turn.calls.first()?.recipe;
    let kinds = InputKinds::of(world, &turn.config);
    let turns = first.turns.newest_first(world);
    let history: u64 = turns.into_iter().map(|before| tokens_for(world, before, &turn.agent, kinds)).sum();
    let summary = first.summary.as_ref().and_then(|hash| world.blob(hash)).map_or(0, |text| estimate(text));
    let in_short = saved_by(world, &first.curtailed);
    let besides = first.tokens.saturating_add(in_short).saturating_sub(history).saturating_sub(summary);
    let own = messages_with(world, &turn.messages, kinds);
    Some(RequestBudget {
        fixed: besides.saturating_add(own),
        scale: scale_of_turn(world, session, turn),
        window: room(world, &turn.config).saturating_mul(100) / WINDOW_PERCENT,
        kinds,
        reader: turn.agent.clone(),
    })
}
