//! How full an agent's context window is.
//!
//! Estimates are scaled by the counts that the provider reported last.

use crate::agent::Agent;
use crate::context::compaction::thread_context;
use crate::context::token_budget::{TokenScale, estimate, messages_with, tokens_for, window};
use crate::context::truncate::saved_by;
use crate::provider::vision::InputKinds;
use crate::session::Session;
use crate::turn::{ModelCall, Turn};
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
