//! The context of a thread with a compaction in it, and the plan of the next compaction.

use std::sync::Arc;

use crate::context::{TokenScale, estimate, tokens_for};
use crate::id::{AgentKey, TurnId};
use crate::limits::{
    COMPACTED_PERCENT, COMPACTION_PAUSE_TURNS, COMPACTION_TOKENS, TURNS_KEPT, WINDOW_PERCENT,
};
use crate::provider::vision::InputKinds;
use crate::turn::compaction::{Compaction, CompactionReason};
use crate::turn::{Turn, TurnKind};
use crate::world::World;

/// What of a thread an agent is shown, as far as it is loaded.
#[derive(Clone, Debug, Default)]
pub struct ThreadContext<'w> {
    /// The compaction whose summary stands before the turns.
    pub compaction: Option<&'w Arc<Compaction>>,
    /// The turns, oldest first.
    pub turns: Vec<&'w Arc<Turn>>,
    /// The oldest loaded turn, where older ones belong to the context and are not loaded.
    pub more_before: Option<TurnId>,
}

/// What an agent is shown of the thread at `head`: the newest summary in it, the turns that its compaction kept, and
/// all turns after it. Where there is no summary, all turns. Turns that only summarise are no part of it.
pub fn thread_context(world: &World, head: Option<TurnId>) -> ThreadContext<'_> {
    let mut context = ThreadContext::default();
    let mut oldest = None;
    for turn in world.ancestry(head) {
        if context.compaction.is_some_and(|made| made.through == turn.id) {
            oldest = None;
            break;
        }
        oldest = Some(turn);
        match turn.kind {
            TurnKind::Compaction if context.compaction.is_none() => {
                context.compaction = world.compaction(&turn.id).filter(|made| made.summary.is_some());
            }
            TurnKind::Compaction => {}
            TurnKind::Normal | TurnKind::Merge => context.turns.push(turn),
        }
        // What is kept may end where nothing older is loaded.
        if context.compaction.is_some_and(|made| made.first_kept == Some(turn.id)) {
            oldest = None;
            break;
        }
        if context.compaction.is_some_and(|made| made.turn == turn.id && made.first_kept.is_none()) {
            oldest = None;
            break;
        }
    }
    context.turns.reverse();
    let is_cut = |turn: &&Arc<Turn>| turn.parent.is_some_and(|id| world.turn(&id).is_none());
    context.more_before = oldest.filter(is_cut).map(|turn| turn.id);
    context
}

/// The compaction at the head of a thread that was made after a request was too long and came to nothing: what it would
/// have summarised is left out of the turn that follows.
pub fn failed_before(world: &World, head: Option<TurnId>) -> Option<&Arc<Compaction>> {
    world
        .compaction(&head?)
        .filter(|made| made.summary.is_none() && made.reason == CompactionReason::Overflow)
}

/// What is known of the next request besides its history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestBudget {
    /// An estimate of persona, tools, mind and query.
    pub fixed: u64,
    /// How the provider's counts compare with estimates.
    pub scale: TokenScale,
    pub window: u64,
    /// The kinds of attachments that the model is given.
    pub kinds: InputKinds,
    /// Whose request it is: of others' turns it is told less.
    pub reader: AgentKey,
}

impl RequestBudget {
    /// An estimate of what a turn adds to the request.
    pub fn tokens_of(&self, world: &World, turn: &Turn) -> u64 {
        tokens_for(world, turn, &self.reader, self.kinds)
    }

    /// The tokens of a request with this history, in the provider's measure.
    pub fn demand(&self, world: &World, context: &ThreadContext<'_>) -> u64 {
        let turns: u64 = context.turns.iter().map(|turn| self.tokens_of(world, turn)).sum();
        let summary = context.compaction.and_then(|made| made.summary.as_deref());
        let summary = summary.map_or(0, estimate);
        self.scale.apply(self.fixed.saturating_add(turns).saturating_add(summary))
    }

    /// Whether so much of the window would be full that older turns are to be summarised first.
    pub fn is_over(&self, world: &World, context: &ThreadContext<'_>) -> bool {
        self.demand(world, context) > self.window.saturating_mul(WINDOW_PERCENT) / 100
    }
}

/// Whether a compaction may begin by itself at this head: not straight after another one, nor soon after one that came
/// to nothing.
pub fn may_begin(world: &World, head: Option<TurnId>) -> bool {
    let mut newest = world.ancestry(head).take(COMPACTION_PAUSE_TURNS).enumerate();
    !newest.any(|(back, turn)| {
        let failed = || world.compaction(&turn.id).is_none_or(|made| made.summary.is_none());
        turn.kind == TurnKind::Compaction && (back == 0 || failed())
    })
}

/// Which turns a compaction would summarise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompactionPlan {
    /// The newest turn that is summarised.
    pub through: TurnId,
    pub first_kept: Option<TurnId>,
    pub turns: u32,
    pub tokens_before: u64,
    /// The tokens of what is kept, with persona, tools, mind and query.
    pub tokens_kept: u64,
}

/// The plan of a compaction: the newest turns are kept as far as they fit into [`COMPACTED_PERCENT`] of the window,
/// and the last [`TURNS_KEPT`] in any case. `None` where that leaves nothing to summarise. By hand
/// everything older than those is summarised, however full the window is.
pub fn plan(
    world: &World,
    context: &ThreadContext<'_>,
    measure: &RequestBudget,
    reason: CompactionReason,
) -> Option<CompactionPlan> {
    let tokens_before = measure.demand(world, context);
    let whole = match reason {
        CompactionReason::Threshold => measure.window,
        // The window is smaller than it was thought to be: the request that was refused did not fit into it.
        CompactionReason::Overflow => measure.window.min(tokens_before),
        CompactionReason::Manual => 0,
    };
    let budget = whole.saturating_mul(COMPACTED_PERCENT) / 100;
    let mut kept_tokens = measure.scale.apply(measure.fixed.saturating_add(COMPACTION_TOKENS));
    let mut kept = 0usize;
    for turn in context.turns.iter().rev() {
        let with = kept_tokens.saturating_add(measure.scale.apply(measure.tokens_of(world, turn)));
        if kept >= TURNS_KEPT && with > budget {
            break;
        }
        kept_tokens = with;
        kept += 1;
    }
    let summarised = context.turns.len().saturating_sub(kept);
    let through = context.turns.get(summarised.checked_sub(1)?)?.id;
    Some(CompactionPlan {
        through,
        first_kept: context.turns.get(summarised).map(|turn| turn.id),
        turns: u32::try_from(summarised).unwrap_or(u32::MAX),
        tokens_before,
        tokens_kept: kept_tokens,
    })
}

#[cfg(test)]
#[path = "compaction_tests.rs"]
mod tests;
