//! The context of a thread with compactions, and the plan of the next compaction.

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

/// The part of a thread that an agent sees, as far as it is loaded.
#[derive(Clone, Debug, Default)]
pub struct ThreadContext<'w> {
    /// The compaction whose summary precedes the turns.
    pub compaction: Option<&'w Arc<Compaction>>,
    /// Oldest first.
    pub turns: Vec<&'w Arc<Turn>>,
    /// The oldest loaded turn, if older turns of the context are not loaded.
    pub more_before: Option<TurnId>,
}

/// The context at `head`: the newest summary, the turns that its compaction kept, and all later turns; all turns if
/// there is no summary. Compaction turns are not included.
pub fn thread_context(world: &World, head: Option<TurnId>) -> ThreadContext<'_> {
    let mut context = ThreadContext::default();
    let mut oldest = None;
    for turn in world.ancestry(head) {
        if context.compaction.is_some_and(|compaction| compaction.through == turn.id) {
            oldest = None;
            break;
        }
        oldest = Some(turn);
        match turn.kind {
            TurnKind::Compaction => {
                let made = || world.compaction(&turn.id).filter(|made| made.summary.is_some());
                context.compaction = context.compaction.or_else(made);
            }
            TurnKind::Normal | TurnKind::Merge => context.turns.push(turn),
        }
        // The kept turns may end where nothing older is loaded.
        let is_last = |made: &Arc<Compaction>| made.first_kept.unwrap_or(made.turn) == turn.id;
        if context.compaction.is_some_and(is_last) {
            oldest = None;
            break;
        }
    }
    context.turns.reverse();
    let is_cut = |turn: &&Arc<Turn>| turn.parent.is_some_and(|id| world.turn(&id).is_none());
    context.more_before = oldest.filter(is_cut).map(|turn| turn.id);
    context
}

/// The failed compaction at the head of a thread, if it was caused by an overflow: the next turn omits the turns that
/// it would have summarised.
pub fn failed_before(world: &World, head: Option<TurnId>) -> Option<&Arc<Compaction>> {
    world
        .compaction(&head?)
        .filter(|compaction| compaction.summary.is_none() && compaction.reason == CompactionReason::Overflow)
}

/// The size of the next request, apart from its history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestBudget {
    /// Estimated tokens of persona, tools, mind and query.
    pub fixed: u64,
    /// Ratio of the provider's counts to estimates.
    pub scale: TokenScale,
    pub window: u64,
    /// The attachments that the model accepts.
    pub kinds: InputKinds,
    /// The agent of the request, which sees less of others' turns.
    pub reader: AgentKey,
}

impl RequestBudget {
    pub fn tokens_of(&self, world: &World, turn: &Turn) -> u64 {
        tokens_for(world, turn, &self.reader, self.kinds)
    }

    /// Tokens of a request with this history, scaled to the provider's count.
    pub fn demand(&self, world: &World, context: &ThreadContext<'_>) -> u64 {
        let turns: u64 = context.turns.iter().map(|turn| self.tokens_of(world, turn)).sum();
        let summary = context.compaction.and_then(|compaction| compaction.summary.as_deref());
        let summary = summary.map_or(0, estimate);
        self.scale.apply(self.fixed.saturating_add(turns).saturating_add(summary))
    }

    /// True if the window is so full that older turns should be summarised first.
    pub fn is_over(&self, world: &World, context: &ThreadContext<'_>) -> bool {
        self.demand(world, context) > self.window.saturating_mul(WINDOW_PERCENT) / 100
    }
}

/// True if an automatic compaction may begin at this head: not right after another one, nor soon after a failed one.
pub fn may_begin(world: &World, head: Option<TurnId>) -> bool {
    let mut newest = world.ancestry(head).take(COMPACTION_PAUSE_TURNS).enumerate();
    !newest.any(|(back, turn)| {
        let failed = || world.compaction(&turn.id).is_none_or(|compaction| compaction.summary.is_none());
        turn.kind == TurnKind::Compaction && (back == 0 || failed())
    })
}

/// The turns that a compaction would summarise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompactionPlan {
    /// The newest summarised turn.
    pub through: TurnId,
    pub first_kept: Option<TurnId>,
    pub turns: u32,
    pub tokens_before: u64,
    /// Tokens of the kept turns, with persona, tools, mind and query.
    pub tokens_kept: u64,
}

/// Plans a compaction: keeps the newest turns that fit into [`COMPACTED_PERCENT`] of the window, at least
/// [`TURNS_KEPT`]. `None` if that leaves nothing to summarise. By hand, only those [`TURNS_KEPT`] are kept.
pub fn plan(
    world: &World,
    context: &ThreadContext<'_>,
    measure: &RequestBudget,
    reason: CompactionReason,
) -> Option<CompactionPlan> {
    let tokens_before = measure.demand(world, context);
    let whole = match reason {
        CompactionReason::Threshold => measure.window,
        // The window is smaller than assumed, because the rejected request did not fit.
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
mod tests;
