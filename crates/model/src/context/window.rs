//! How full an agent's context window is, and compaction during an open turn, between two of its calls.
//!
//! Estimates are scaled by the counts that the provider reported last. A compaction within a turn applies to the next
//! call at once and becomes a turn of its own when the open turn closes. It never cuts the open turn itself.

use std::sync::Arc;

use crate::agent::Agent;
use crate::context::compaction::{RequestBudget, thread_context};
use crate::context::truncate::saved_by;
use crate::context::{TokenScale, estimate, messages_with, room, tokens_for, window};
use crate::limits::WINDOW_PERCENT;
use crate::provider::vision::InputKinds;
use crate::session::Session;
use crate::turn::compaction::Compaction;
use crate::turn::{ModelCall, Turn, TurnKind, TurnPhase};
use crate::world::World;

/// The newest call of an agent in this thread that its provider told the size of.
fn told_call<'w>(turns: impl Iterator<Item = &'w Turn>, agent: &Agent) -> Option<&'w ModelCall> {
    turns
        .filter(|turn| turn.agent == agent.key && turn.config.model == agent.config.model)
        .filter_map(|turn| turn.calls.iter().rev().find(|call| call.usage.input.is_some()))
        .next()
}

/// How estimates for an agent compare with what its provider counted last in this thread.
pub fn scale(world: &World, session: &Session, agent: &Agent) -> TokenScale {
    let context = thread_context(world, session.head);
    let turns = context.turns.iter().rev().map(|turn| turn.as_ref());
    told_call(turns, agent)
        .and_then(|call| Some(TokenScale::of(told_input(call)?, call.recipe.tokens)))
        .unwrap_or(TokenScale::NONE)
}

/// The same for the next call of an open turn: what was told of its own calls counts first.
pub fn scale_of_turn(world: &World, session: &Session, turn: &Turn) -> TokenScale {
    let told = turn.calls.iter().rev().find_map(|call| Some((told_input(call)?, call.recipe.tokens)));
    match (told, world.agent(&turn.agent)) {
        (Some((told, estimated)), _) => TokenScale::of(told, estimated),
        (None, Some(agent)) => scale(world, session, agent),
        (None, None) => TokenScale::NONE,
    }
}

/// What the provider told of the request of a call. Attempts that failed count into the usage of a call, so that only a
/// call that was answered at once tells its size.
fn told_input(call: &ModelCall) -> Option<u64> {
    call.usage.input.filter(|input| *input > 0 && call.failures.is_empty())
}

/// How full a window is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WindowUsage {
    /// The tokens of the next request, without what will be asked.
    pub tokens: u64,
    pub window: u64,
    /// Whether the provider told them; else they are estimated.
    pub told: bool,
}

impl WindowUsage {
    pub fn percent(&self) -> u64 {
        self.tokens.saturating_mul(100) / self.window.max(1)
    }
}

/// How full the window of an agent is, by the thread of a session.
pub fn filling(world: &World, session: &Session, agent: &Agent) -> WindowUsage {
    let window = window(world, &agent.config);
    let kinds = InputKinds::of(world, &agent.config);
    let context = thread_context(world, session.head);
    let summary = context.compaction.and_then(|made| made.summary.as_deref()).map_or(0, estimate);
    let told_of = |turn: &Turn| tokens_for(world, turn, &agent.key, kinds);
    let history: u64 = context.turns.iter().map(|turn| told_of(turn)).sum();
    let own = context.turns.iter().rposition(|turn| turn.agent == agent.key && !turn.calls.is_empty());
    let last = own.and_then(|at| Some((at, context.turns.get(at)?, context.turns.get(at)?.calls.last()?)));
    let Some((at, turn, call)) = last else {
        return WindowUsage { tokens: history.saturating_add(summary), window, told: false };
    };
    let is_newest = context.compaction.is_none_or(|made| made.turn < turn.id);
    let same_model = turn.config.model == agent.config.model;
    if let Some(input) = told_input(call).filter(|_| is_newest && same_model) {
        let later = context.turns.iter().skip(at + 1);
        let later_tokens: u64 = later.clone().map(|turn| told_of(turn)).sum();
        let told = input.saturating_add(call.usage.output.unwrap_or(0));
        return WindowUsage {
            tokens: told.saturating_add(later_tokens),
            window,
            told: later.count() == 0 && call.usage.output.is_some(),
        };
    }
    // What a request holds besides its history: persona, tools, the mind.
    let first = turn.calls.first().map(|first| &first.recipe);
    let shown = first.into_iter().flat_map(|recipe| recipe.turns.newest_first(world));
    let shown: u64 = shown.map(|turn| told_of(turn)).sum();
    let in_short = first.map_or(0, |recipe| saved_by(world, &recipe.curtailed));
    // What was asked then is a part of the history by now.
    let asked = messages_with(world, &turn.answers, kinds);
    let fixed = first.map_or(0, |recipe| recipe.tokens.saturating_add(in_short));
    let fixed = fixed.saturating_sub(shown).saturating_sub(asked);
    let estimated = fixed.saturating_add(history).saturating_add(summary);
    WindowUsage { tokens: scale(world, session, agent).apply(estimated), window, told: false }
}

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
