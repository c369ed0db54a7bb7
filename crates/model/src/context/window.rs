//! Usage of an agent's context window, and compaction during an open turn, between two of its calls.
//!
//! Estimates are scaled by the last counts of the provider. A compaction within a turn applies to the next call and
//! becomes a turn of its own when the open turn closes. It never cuts the open turn itself.

use crate::context::compaction::{RequestBudget, thread_context};
use crate::context::{TokenScale, estimate, history::saved_by, messages_with, room, tokens_for, window};
use crate::limits::WINDOW_PERCENT;
use crate::prelude::*;
use crate::turn::ModelCall;

/// True if it is a turn of the agent with its present model.
fn is_of(turn: &Turn, agent: &Agent) -> bool {
    turn.agent == agent.key && turn.config.model == agent.config.model
}

/// The ratio of the provider's last count to our estimate, for an agent in this thread.
pub fn scale(world: &World, session: &Session, agent: &Agent) -> TokenScale {
    let context = thread_context(world, session.head);
    let mut own = context.turns.iter().rev().filter(|turn| is_of(turn, agent));
    let newest = own.find_map(|turn| turn.calls.iter().rev().find(|call| call.usage.input.is_some()));
    newest
        .and_then(|call| Some(TokenScale::of(counted_input(call)?, call.recipe.tokens)))
        .unwrap_or(TokenScale::NONE)
}

/// The same for the next call of an open turn: counts of its own calls take precedence.
fn scale_of_turn(world: &World, session: &Session, turn: &Turn) -> TokenScale {
    let counted = turn.calls.iter().rev().find_map(|call| Some((counted_input(call)?, call.recipe.tokens)));
    match (counted, world.agent(&turn.agent)) {
        (Some((counted, estimated)), _) => TokenScale::of(counted, estimated),
        (None, Some(agent)) => scale(world, session, agent),
        (None, None) => TokenScale::NONE,
    }
}

/// The provider's token count of a call. Failed attempts add to the usage of a call, so only calls without failures
/// count.
fn counted_input(call: &ModelCall) -> Option<u64> {
    call.usage.input.filter(|input| *input > 0 && call.failures.is_empty())
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WindowUsage {
    /// Tokens of the next request, without its query.
    pub tokens: u64,
    pub window: u64,
    /// True if counted by the provider, false if estimated.
    pub is_counted: bool,
}

impl WindowUsage {
    pub fn percent(&self) -> u64 {
        self.tokens.saturating_mul(100) / self.window.max(1)
    }
}

pub fn filling(world: &World, session: &Session, agent: &Agent) -> WindowUsage {
    let window = window(world, &agent.config);
    let kinds = InputKinds::of(world, &agent.config);
    let context = thread_context(world, session.head);
    let summary = context.compaction.and_then(|made| made.summary.as_deref()).map_or(0, estimate);
    let tokens_of = |turn: &Turn| tokens_for(world, turn, &agent.key, kinds);
    let history: u64 = context.turns.iter().map(|turn| tokens_of(turn)).sum();
    let own = context.turns.iter().rposition(|turn| turn.agent == agent.key && !turn.calls.is_empty());
    let last = own.and_then(|at| Some((at, context.turns.get(at)?, context.turns.get(at)?.calls.last()?)));
    let Some((at, turn, call)) = last else {
        return WindowUsage { tokens: history.saturating_add(summary), window, is_counted: false };
    };
    let is_newest = context.compaction.is_none_or(|made| made.turn < turn.id);
    let same_model = turn.config.model == agent.config.model;
    if let Some(input) = counted_input(call).filter(|_| is_newest && same_model) {
        let later = context.turns.iter().skip(at + 1);
        let later_tokens: u64 = later.clone().map(|turn| tokens_of(turn)).sum();
        let counted = input.saturating_add(call.usage.output.unwrap_or(0));
        return WindowUsage {
            tokens: counted.saturating_add(later_tokens),
            window,
            is_counted: later.count() == 0 && call.usage.output.is_some(),
        };
    }
    // The request apart from its history: persona, tools, mind.
    let first = turn.calls.first().map(|first| &first.recipe);
    let shown = first.into_iter().flat_map(|recipe| recipe.turns.newest_first(world));
    let shown: u64 = shown.map(|turn| tokens_of(turn)).sum();
    let in_short = first.map_or(0, |recipe| saved_by(world, &recipe.truncated));
    // The query is part of the history by now.
    let query = messages_with(world, &turn.answers, kinds);
    let fixed = first.map_or(0, |recipe| recipe.tokens.saturating_add(in_short));
    let fixed = fixed.saturating_sub(shown).saturating_sub(query);
    let estimated = fixed.saturating_add(history).saturating_add(summary);
    WindowUsage { tokens: scale(world, session, agent).apply(estimated), window, is_counted: false }
}

pub fn between_calls<'w>(world: &'w World, session: &Session) -> Option<&'w Arc<Turn>> {
    world.open_turn(session).filter(|turn| {
        turn.kind == TurnKind::Normal && turn.phase == TurnPhase::BuildingContext && !turn.calls.is_empty()
    })
}

/// The open turn whose next call waits for the pending compaction.
pub fn waiting_turn<'w>(world: &'w World, session: &Session) -> Option<&'w Arc<Turn>> {
    let node = session.archivist.pending.as_ref()?.node.as_ref()?;
    between_calls(world, session).filter(|turn| turn.node.as_ref() == Some(node))
}

/// The compaction that was begun within the open turn and has no turn yet.
pub fn made_within<'w>(world: &'w World, session: &Session) -> Option<&'w Arc<Compaction>> {
    let id = session.archivist.compacting.filter(|id| world.turn(id).is_none())?;
    world.compaction(&id)
}

/// The size of the next call of an open turn apart from its history: that of its first call, plus the turn's messages
/// since.
pub fn measure(world: &World, session: &Session, turn: &Turn) -> Option<RequestBudget> {
    let first = &turn.calls.first()?.recipe;
    let kinds = InputKinds::of(world, &turn.config);
    let turns = first.turns.newest_first(world);
    let history: u64 = turns.into_iter().map(|before| tokens_for(world, before, &turn.agent, kinds)).sum();
    let summary = first.summary.as_ref().and_then(|hash| world.blob(hash)).map_or(0, |text| estimate(text));
    let in_short = saved_by(world, &first.truncated);
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
