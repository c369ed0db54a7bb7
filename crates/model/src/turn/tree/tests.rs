//! Property tests of tree walks over random trees.

use proptest::prelude::*;

use super::*;
use crate::id::Millis;
use crate::llm::{ModelConfig, Usage};
use crate::session::MergeRecord;
use crate::turn::TurnPhase;
use crate::turn::tree::TurnTree;
use nexus_text::content_hash::ContentHash;
use nexus_text::vec_map::VecSet;

fn id(number: usize) -> TurnId {
    TurnId::from(u128::try_from(number).unwrap() + 1)
}

fn config() -> ModelConfig {
    crate::agent::defaults::first_agents().remove(0).config
}

fn turn(number: usize, parent: Option<usize>) -> Turn {
    let (session, hash) = (SessionId::from(1), ContentHash::of_text(""));
    Turn {
        parent: parent.map(id),
        phase: TurnPhase::Completed,
        usage: Usage { input: Some(3), ..Usage::default() },
        closed_at: Some(Millis(2)),
        agent: "architect".into(),
        config: config(),
        ..Turn::opened(id(number), session, hash, Millis(1))
    }
}

fn threads(turns: &[Turn]) -> VecMap<TurnId, Arc<Thread>> {
    let mut threads = VecMap::new();
    add_threads(&mut threads, turns.iter().map(Thread::alone));
    threads.into_iter().map(|(id, thread)| (id, Arc::new(thread))).collect()
}

/// A world with these turns. Each number is the distance to the parent, 0 for no parent.
fn world(parents: &[usize]) -> World {
    let turns: Vec<Turn> = parents
        .iter()
        .enumerate()
        .map(|(number, back)| turn(number, number.checked_sub(*back).filter(|_| *back > 0)))
        .collect();
    World {
        threads: threads(&turns),
        turns: turns.into_iter().map(|turn| (turn.id, Arc::new(turn))).collect(),
        ..World::default()
    }
}

fn path(world: &World, turn: TurnId) -> Vec<TurnId> {
    let mut path: Vec<_> = world.ancestry(Some(turn)).map(|turn| turn.id).collect();
    path.reverse();
    path
}

/// The number of rows that a walk reads: starts with none and adds those that it reports missing.
fn rows_wanted(all: &World, walk: impl Fn(&World) -> Result<(), WalkError>) -> usize {
    let mut partial = World::default();
    loop {
        match walk(&partial) {
            Ok(()) => return partial.threads.len(),
            Err(WalkError::Missing(turn)) => {
                partial.threads.insert(turn, Arc::clone(all.thread(&turn).unwrap()));
            }
            Err(WalkError::Broken(turn)) => panic!("{turn} is broken"),
        }
    }
}

proptest! {
    #[test]
    fn skip_pointer_walks_equal_parent_walks(
        parents in proptest::collection::vec(0usize..6, 1..120),
        a in any::<prop::sample::Index>(),
        b in any::<prop::sample::Index>(),
    ) {
        let world = world(&parents);
        let (a, b) = (id(a.index(parents.len())), id(b.index(parents.len())));
        let (path_a, path_b) = (path(&world, a), path(&world, b));
        for (depth, ancestor) in path_a.iter().enumerate() {
            let depth = u64::try_from(depth).unwrap() + 1;
            prop_assert_eq!(ancestor_at(&world, a, depth), Ok(Some(*ancestor)));
        }
        prop_assert_eq!(ancestor_at(&world, a, u64::try_from(path_a.len()).unwrap() + 1), Ok(None));
        prop_assert_eq!(is_ancestor(&world, a, b), Ok(path_b.contains(&a)));
        let shared = path_a.iter().zip(&path_b).take_while(|(a, b)| a == b).last().map(|(a, _)| *a);
        prop_assert_eq!(common_ancestor(&world, a, b), Ok(shared));
        prop_assert_eq!(common_ancestor(&world, b, a), Ok(shared));
        prop_assert_eq!(common_ancestor(&world, a, a), Ok(Some(a)));
        prop_assert_eq!(world.thread(&a).unwrap().depth, u64::try_from(path_a.len()).unwrap());
        prop_assert_eq!(world.thread(&a).unwrap().tokens, 3 * u64::try_from(path_a.len()).unwrap());
    }

    #[test]
    fn each_turn_is_child_of_its_parent_only(
        parents in proptest::collection::vec(0usize..5, 1..80),
    ) {
        let world = world(&parents);
        let mut seen = VecSet::new();
        for thread in world.threads.values() {
            for child in &thread.children {
                prop_assert_eq!(world.turn(child).unwrap().parent, Some(thread.turn));
                prop_assert!(seen.insert(*child));
            }
        }
        let with_parent = world.turns.values().filter(|turn| turn.parent.is_some()).count();
        prop_assert_eq!(seen.len(), with_parent);
    }

    #[test]
    fn missing_children_and_parents_are_completed_from_turns(
        parents in proptest::collection::vec(0usize..5, 1..80),
    ) {
        let complete_world = world(&parents);
        let mut bare = complete_world.clone();
        for thread in bare.threads.values_mut() {
            let thread = Arc::make_mut(thread);
            thread.children.clear();
            thread.parent = None;
        }
        let turns: Vec<_> = complete_world.turns.values().map(|turn| (turn.id, turn.parent)).collect();
        complete(&mut bare, turns);
        prop_assert_eq!(bare, complete_world);
    }
}

#[test]
fn walking_back_ten_thousand_turns_reads_under_80_rows() {
    let mut parents = vec![1usize; 10_000];
    parents[0] = 0;
    // A branch that leaves the trunk at the tenth turn.
    parents.push(9_990);
    let world = world(&parents);
    let (head, branch) = (id(9_999), id(10_000));
    for depth in [1, 2, 77, 4_096, 9_998] {
        let rows = rows_wanted(&world, |partial| ancestor_at(partial, head, depth).map(|_| ()));
        assert!(rows < 80, "{rows} rows for depth {depth}");
    }
    assert_eq!(common_ancestor(&world, head, branch), Ok(Some(id(10))));
    let rows = rows_wanted(&world, |partial| common_ancestor(partial, head, branch).map(|_| ()));
    assert!(rows < 80, "{rows} rows");
    let rows = rows_wanted(&world, |partial| is_ancestor(partial, id(3), head).map(|_| ()));
    assert!(rows < 80, "{rows} rows");
}

/// A trunk of ten thousand turns, and a branch of twenty that starts near its end and merges the trunk twice.
fn big_world_with_merges() -> (World, Vec<Turn>) {
    let mut turns: Vec<Turn> = (0..10_000).map(|number: usize| turn(number, number.checked_sub(1))).collect();
    for number in 10_000..10_020 {
        let before = if number == 10_000 { 9_900 } else { number - 1 };
        let mut next = turn(number, Some(before));
        next.second_parent = match number {
            10_005 => Some(id(9_950)),
            10_010 => Some(id(9_980)),
            _ => None,
        };
        turns.push(next);
    }
    (World { threads: threads(&turns), ..World::default() }, turns)
}

#[test]
fn merge_bases_in_big_tree_read_under_200_rows() {
    let (world, _) = big_world_with_merges();
    let bases = |world: &World| {
        TurnTree { world, noted: &[] }.merge_bases(&[id(9_999)], id(10_019)).map(|meeting| meeting.bases)
    };
    assert_eq!(bases(&world), Ok(vec![id(9_980)]));
    let rows = rows_wanted(&world, |partial| bases(partial).map(|_| ()));
    assert!(rows < 200, "{rows} rows");
    // Merged back, the whole branch is common.
    let (_, mut turns) = big_world_with_merges();
    let mut back = turn(10_020, Some(9_999));
    back.second_parent = Some(id(10_019));
    turns.extend([back, turn(10_021, Some(10_019))]);
    let world = World { threads: threads(&turns), ..World::default() };
    let meeting = TurnTree { world: &world, noted: &[] }.merge_bases(&[id(10_020)], id(10_021)).unwrap();
    assert_eq!(meeting.bases, [id(10_019)]);
}

#[test]
fn remembered_merges_replace_missing_merge_pointers() {
    let (mut world, turns) = big_world_with_merges();
    for thread in world.threads.values_mut() {
        let thread = Arc::make_mut(thread);
        (thread.merge, thread.second_parent) = (None, None);
    }
    let merges = turns.iter().filter_map(|turn| Some((turn.id, turn.second_parent?)));
    let mut noted: Vec<MergeRecord> =
        merges.map(|(turn, other)| MergeRecord { turn, other, mind: ContentHash::of_text("") }).collect();
    let meeting = TurnTree { world: &world, noted: &noted }.merge_bases(&[id(9_999)], id(10_019)).unwrap();
    assert_eq!(meeting.bases, [id(9_980)]);
    // A merge that is newer than the thread belongs to another one and need not be loaded.
    noted.push(MergeRecord { turn: id(20_000), other: id(3), mind: ContentHash::of_text("") });
    let meeting = TurnTree { world: &world, noted: &noted }.merge_bases(&[id(9_999)], id(10_019)).unwrap();
    assert_eq!(meeting.bases, [id(9_980)]);
}

#[test]
fn cycle_or_missing_turn_ends_walk_with_error() {
    let mut world = world(&[0, 1, 1, 1]);
    let broken = world.threads.get_mut(&id(1)).unwrap();
    let broken = Arc::make_mut(broken);
    (broken.parent, broken.skip) = (Some(id(3)), Some(id(3)));
    assert_eq!(ancestor_at(&world, id(2), 1), Err(WalkError::Broken(id(1))));
    assert_eq!(is_ancestor(&world, id(0), id(2)), Err(WalkError::Broken(id(1))));
    world.threads.remove(&id(2));
    assert_eq!(common_ancestor(&world, id(3), id(2)), Err(WalkError::Missing(id(2))));
    // Turns in a cycle still get one thread each.
    let turns = [turn(0, Some(2)), turn(1, Some(0)), turn(2, Some(1)), turn(3, Some(7))];
    let threads = threads(&turns);
    assert_eq!(threads.len(), 4);
    assert_eq!(threads.get(&id(3)).unwrap().depth, 1);
}
