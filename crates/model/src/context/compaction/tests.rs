use proptest::prelude::*;

use super::*;
use crate::context::estimate;
use crate::id::SessionId;
use crate::message::Message;
use crate::message::content::MessagePart;
use crate::testing::{a_message, a_turn};
use crate::turn::TurnRange;

const SESSION: u128 = 1;

fn turn(id: u128, parent: Option<u128>, kind: TurnKind) -> Turn {
    Turn { parent: parent.map(TurnId::from), kind, ..a_turn(TurnId::from(id), SessionId::from(SESSION)) }
}

fn compaction(id: u128, through: u128, first_kept: Option<u128>, made: bool) -> Compaction {
    Compaction {
        turn: TurnId::from(id),
        session: SessionId::from(SESSION),
        reason: CompactionReason::Threshold,
        through: TurnId::from(through),
        first_kept: first_kept.map(TurnId::from),
        turns: 1,
        provider: "p".into(),
        model: "m".into(),
        tokens_before: 1_000,
        summary: made.then(|| format!("summary {id}")),
        ..Compaction::default()
    }
}

fn put(world: &mut World, row: Turn) {
    world.turns.insert(row.id, Arc::new(row));
}

/// Adds a query of `bytes` bytes to a turn.
fn query(world: &mut World, turn: u128, bytes: usize) {
    let id = crate::id::MessageId::from(10_000 + turn);
    let message = Message {
        parts: vec![MessagePart::text("x".repeat(bytes))],
        turn: Some(TurnId::from(turn)),
        ..a_message(id, SessionId::from(SESSION))
    };
    world.messages.insert(id, Arc::new(message));
    let mut row = world.turn(&TurnId::from(turn)).unwrap().as_ref().clone();
    row.query.push(id);
    put(world, row);
}

/// A thread of turns with a query of `bytes` bytes each.
fn thread(turns: u128, bytes: usize) -> World {
    let mut world = World::default();
    for id in 1..=turns {
        put(&mut world, turn(id, (id > 1).then(|| id - 1), TurnKind::Normal));
        query(&mut world, id, bytes);
    }
    world
}

fn ids(context: &ThreadContext<'_>) -> Vec<u128> {
    context.turns.iter().map(|turn| turn.id.bits()).collect()
}

fn measure(window: u64) -> RequestBudget {
    RequestBudget { fixed: 100, scale: TokenScale::NONE, window, kinds: InputKinds::ALL, reader: "a".into() }
}

/// One step in growing a tree: parent, whether it is a compaction, whether that succeeded, and the number of turns
/// that it keeps.
type GrowthStep = (prop::sample::Index, bool, bool, usize);

/// A tree with compactions as the program makes them: the kept turns are part of the context before.
fn tree(steps: &[GrowthStep]) -> World {
    let mut world = World::default();
    put(&mut world, turn(1, None, TurnKind::Normal));
    for (at, (parent, compacts, made, keep)) in steps.iter().enumerate() {
        let id = at as u128 + 2;
        let parent = parent.index(at + 1) as u128 + 1;
        let context = ids(&thread_context(&world, Some(TurnId::from(parent))));
        let summarised = context.len().saturating_sub(*keep);
        match summarised.checked_sub(1).and_then(|last| context.get(last)).filter(|_| *compacts) {
            Some(through) => {
                let row = compaction(id, *through, context.get(summarised).copied(), *made);
                world.compactions.insert(row.turn, Arc::new(row));
                put(&mut world, turn(id, Some(parent), TurnKind::Compaction));
            }
            None => put(&mut world, turn(id, Some(parent), TurnKind::Normal)),
        }
    }
    world
}

/// A simple model of the rule: every turn is shown from the root on; a successful compaction hides all turns up to the
/// last summarised one.
fn expected_context(world: &World, head: u128) -> (Option<u128>, Vec<u128>) {
    let mut path: Vec<_> = world.ancestry(Some(TurnId::from(head))).collect();
    path.reverse();
    let (mut newest, mut shown) = (None, Vec::new());
    for turn in path {
        let made = world.compaction(&turn.id).filter(|made| made.summary.is_some());
        if turn.kind != TurnKind::Compaction {
            shown.push(turn.id.bits());
        } else if let Some(made) = made {
            let at = shown.iter().position(|id| *id == made.through.bits()).unwrap();
            shown.drain(..=at);
            newest = Some(turn.id.bits());
        }
    }
    (newest, shown)
}

proptest! {
    #[test]
    fn context_after_compactions_matches_the_model(
        steps in prop::collection::vec((any::<prop::sample::Index>(), any::<bool>(), any::<bool>(), 0usize..6), 0..40)
    ) {
        let world = tree(&steps);
        for head in 1..=steps.len() as u128 + 1 {
            let context = thread_context(&world, Some(TurnId::from(head)));
            let context_ids = (context.compaction.map(|made| made.turn.bits()), ids(&context));
            prop_assert_eq!(context_ids, expected_context(&world, head));
            prop_assert_eq!(context.more_before, None);
        }
    }

    #[test]
    fn turn_range_round_trips_by_its_ends(
        steps in prop::collection::vec((any::<prop::sample::Index>(), any::<bool>(), any::<bool>(), 0usize..6), 0..40),
        from in any::<prop::sample::Index>(),
    ) {
        let world = tree(&steps);
        for head in 1..=steps.len() as u128 + 1 {
            let context = thread_context(&world, Some(TurnId::from(head)));
            let all: Vec<TurnId> = context.turns.iter().map(|turn| turn.id).collect();
            let (older, newer) = all.split_at(from.index(all.len() + 1));
            for part in [older, newer] {
                let range = TurnRange::of(part);
                let found: Vec<TurnId> = range.whole(&world).unwrap().iter().map(|turn| turn.id).collect();
                prop_assert_eq!(&found, part);
                prop_assert_eq!(range.len(), part.len());
            }
        }
    }

    #[test]
    fn plan_keeps_newest_turns_within_the_window_and_summarises_the_rest(
        turns in 0u128..30, bytes in 0usize..4_000, window in 500u64..40_000, by_hand in any::<bool>(),
    ) {
        let world = thread(turns, bytes);
        let context = thread_context(&world, Some(TurnId::from(turns)));
        let reason = if by_hand { CompactionReason::Manual } else { CompactionReason::Threshold };
        let count = usize::try_from(turns).unwrap();
        match plan(&world, &context, &measure(window), reason) {
            None => prop_assert!(count <= TURNS_KEPT || !by_hand),
            Some(plan) => {
                let summarised = usize::try_from(plan.turns).unwrap();
                prop_assert_eq!(plan.through.bits(), plan.turns.into());
                prop_assert_eq!(plan.first_kept.map(TurnId::bits), Some(u128::from(plan.turns) + 1));
                prop_assert!(count - summarised >= TURNS_KEPT);
                let fits = plan.tokens_kept <= window * COMPACTED_PERCENT / 100;
                prop_assert!(fits || count - summarised == TURNS_KEPT);
                prop_assert!(!by_hand || count - summarised == TURNS_KEPT);
            }
        }
    }
}

#[test]
fn context_has_summary_kept_turns_and_later_turns() {
    let mut world = thread(6, 10);
    put(&mut world, turn(7, Some(6), TurnKind::Compaction));
    let row = compaction(7, 3, Some(4), true);
    world.compactions.insert(row.turn, Arc::new(row));
    put(&mut world, turn(8, Some(7), TurnKind::Normal));
    let context = thread_context(&world, Some(TurnId::from(8)));
    assert_eq!((ids(&context), context.compaction.map(|made| made.turn.bits())), (vec![4, 5, 6, 8], Some(7)));
    // A fork from before the compaction sees its whole history.
    let fork = thread_context(&world, Some(TurnId::from(5)));
    assert_eq!((ids(&fork), fork.compaction.is_none()), (vec![1, 2, 3, 4, 5], true));
}

#[test]
fn missing_turns_are_reported_only_if_the_context_needs_them() {
    let mut world = thread(6, 10);
    world.turns.retain(|id, _| id.bits() > 3);
    assert_eq!(thread_context(&world, Some(TurnId::from(6))).more_before, Some(TurnId::from(4)));
    put(&mut world, turn(7, Some(6), TurnKind::Compaction));
    let row = compaction(7, 3, Some(4), true);
    world.compactions.insert(row.turn, Arc::new(row));
    let context = thread_context(&world, Some(TurnId::from(7)));
    assert_eq!((ids(&context), context.more_before), (vec![4, 5, 6], None));
}

#[test]
fn provider_counts_scale_the_estimates_unless_implausible() {
    let scale = TokenScale::of(1_500, 1_000);
    assert_eq!(scale.apply(100), 150);
    for implausible in [TokenScale::of(10, 1_000), TokenScale::of(9_000, 1_000)] {
        assert_eq!(implausible, TokenScale::NONE);
    }
    let world = thread(10, 4_000);
    let context = thread_context(&world, Some(TurnId::from(10)));
    let plain = measure(20_000);
    let scaled = RequestBudget { scale, ..plain.clone() };
    let demand = plain.demand(&world, &context);
    assert_eq!(scaled.demand(&world, &context), demand * 3 / 2);
    let window = demand * 100 / WINDOW_PERCENT + 2;
    assert!(!RequestBudget { window, ..plain }.is_over(&world, &context));
    assert!(RequestBudget { window, ..scaled }.is_over(&world, &context));
}

#[test]
fn small_turns_are_summarised_only_when_the_window_is_full() {
    let turns = 3_000u32;
    let world = thread(turns.into(), 10);
    let context = thread_context(&world, Some(TurnId::from(u128::from(turns))));
    let demand = measure(1).demand(&world, &context);
    let full = (demand * 100).div_ceil(WINDOW_PERCENT);
    for (window, over) in [(1_000_000, false), (full, false), (full - 2, true)] {
        assert_eq!(measure(window).is_over(&world, &context), over, "{window}");
    }
    assert_eq!(plan(&world, &context, &measure(1_000_000), CompactionReason::Threshold), None);
    let plan = plan(&world, &context, &measure(full - 2), CompactionReason::Threshold).unwrap();
    let most = (full - 2) * COMPACTED_PERCENT / 100;
    let each = (demand - 100) / u64::from(turns);
    assert!(plan.tokens_kept <= most && plan.tokens_kept + each > most);
    assert!(turns - plan.turns > 1_000, "{} are kept", turns - plan.turns);
}

#[test]
fn old_turn_ranges_are_read_and_a_gap_is_detected() {
    let mut world = thread(6, 10);
    let all: Vec<TurnId> = (1..=6).map(TurnId::from).collect();
    let old = nexus_text::json::write(&all).unwrap();
    let old: TurnRange = nexus_text::json::read(&old).unwrap();
    let new = TurnRange::of(&all);
    for range in [&old, &new] {
        let restored: TurnRange = nexus_text::json::read(&nexus_text::json::write(range).unwrap()).unwrap();
        assert_eq!((&restored, restored.len(), restored.is_empty()), (range, 6, false));
        assert_eq!(range.whole(&world).unwrap().len(), 6);
    }
    assert!(nexus_text::json::write(&new).unwrap().len() < 100);
    assert_eq!(nexus_text::json::write(&TurnRange::of(&[])).unwrap(), "[]");
    world.turns.remove(&TurnId::from(3));
    for range in [&old, &new] {
        assert!(range.whole(&world).is_none());
        assert_eq!(range.newest_first(&world)[0].id, TurnId::from(6));
    }
}

#[test]
fn failed_compaction_is_not_retried_at_once() {
    let mut world = thread(3, 10);
    assert!(may_begin(&world, Some(TurnId::from(3))));
    put(&mut world, turn(4, Some(3), TurnKind::Compaction));
    let failed = compaction(4, 1, Some(2), false);
    world.compactions.insert(failed.turn, Arc::new(failed.clone()));
    for id in 5..=8 {
        assert!(!may_begin(&world, Some(TurnId::from(id - 1))), "{id}");
        put(&mut world, turn(id, Some(id - 1), TurnKind::Normal));
    }
    assert!(may_begin(&world, Some(TurnId::from(8))));
    // After a successful one, only the next turn may not compact.
    world.compactions.insert(failed.turn, Arc::new(Compaction { summary: Some("s".into()), ..failed }));
    assert!(!may_begin(&world, Some(TurnId::from(4))) && may_begin(&world, Some(TurnId::from(5))));
    assert_eq!(estimate("1234"), 2);
}
