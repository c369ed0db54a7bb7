//! Tests of the tree layout: properties on random trees, and damaged data.

use proptest::prelude::*;

use super::*;
use nexus_model::id::{Millis, SessionId};

fn turn(number: usize) -> TurnId {
    TurnId::from(number as u128 + 1)
}

fn dot(number: usize, parent: Option<usize>) -> TurnStub {
    TurnStub {
        id: turn(number),
        session: SessionId::from(1_u128),
        parent: parent.map(turn),
        second_parent: None,
        kind: TurnKind::Normal,
        agent: "engineer".into(),
        end: Some(TurnEnd::Completed),
        at: Millis(number as u64),
        is_worker: false,
    }
}

fn chain(from: usize, to: usize, parent: Option<usize>) -> Vec<TurnStub> {
    (from..to).map(|at| dot(at, if at == from { parent } else { Some(at - 1) })).collect()
}

fn map(dots: Vec<TurnStub>) -> TreeLayout {
    TreeLayout::new(dots, &VecSet::new(), &VecSet::new())
}

fn place(map: &TreeLayout, number: usize) -> (u32, u32) {
    let spot = map.node(map.node_of(turn(number)).unwrap()).unwrap();
    (spot.lane, spot.row)
}

#[test]
fn the_oldest_child_keeps_the_lane_and_a_fork_gets_its_own() {
    let mut dots = chain(0, 4, None);
    dots.extend(chain(4, 6, Some(1)));
    let map = map(dots);
    assert_eq!([0, 1, 2, 3].map(|at| place(&map, at)), [(0, 0), (0, 1), (0, 2), (0, 3)]);
    assert_eq!([4, 5].map(|at| place(&map, at)), [(1, 2), (1, 3)]);
    assert_eq!((map.lanes, map.rows), (2, 4));
}

#[test]
fn the_conversation_keeps_the_lane_before_an_older_worker() {
    let worker = TurnStub { is_worker: true, ..dot(2, Some(1)) };
    let map = map(vec![dot(0, None), dot(1, Some(0)), worker, dot(3, Some(1))]);
    assert_eq!((place(&map, 1).0, place(&map, 3).0), (0, 0));
    assert_eq!(place(&map, 2).0, 1);
}

#[test]
fn an_upper_fork_is_outside_of_a_lower_fork() {
    let mut dots = chain(0, 6, None);
    dots.extend(chain(6, 8, Some(0)));
    dots.extend(chain(8, 10, Some(3)));
    let map = map(dots);
    assert_eq!(place(&map, 8).0, 1);
    assert_eq!(place(&map, 6).0, 1, "the upper one ends before the lower one begins");
    let mut longer = chain(0, 6, None);
    longer.extend(chain(6, 13, Some(0)));
    longer.extend(chain(13, 15, Some(2)));
    let map = TreeLayout::new(longer, &VecSet::new(), &VecSet::new());
    assert_eq!((place(&map, 13).0, place(&map, 6).0), (1, 2));
}

#[test]
fn a_long_linear_run_is_folded_until_unfolded() {
    let dots = chain(0, 30, None);
    let folded = map(dots.clone());
    let run = folded.nodes.iter().find_map(|spot| match &spot.kind {
        LayoutNodeKind::Run(dots) => Some(dots.len()),
        LayoutNodeKind::Turn(_) => None,
    });
    // The root and the head are not folded; one turn stays visible at each end of the run.
    assert_eq!((folded.nodes.len(), run), (5, Some(26)));
    let at = folded.node_of(turn(12)).unwrap();
    assert_eq!(folded.turns_at(at).count(), 26);
    let open = TreeLayout::new(dots, &VecSet::new(), &[turn(12)].into_iter().collect());
    assert_eq!((open.nodes.len(), open.rows), (30, 30));
}

#[test]
fn pinned_failed_and_merged_turns_are_never_folded() {
    let mut dots = chain(0, 40, None);
    dots[20].end = Some(TurnEnd::CutOff);
    dots[30].kind = TurnKind::Compaction;
    dots.extend(chain(40, 42, Some(10)));
    let mut merge = dot(42, Some(39));
    merge.second_parent = Some(turn(41));
    merge.kind = TurnKind::Merge;
    dots.push(merge);
    let map = TreeLayout::new(dots, &[turn(5)].into_iter().collect(), &VecSet::new());
    for seen in [5, 10, 20, 30, 41, 42] {
        assert_eq!(map.turns_at(map.node_of(turn(seen)).unwrap()).count(), 1, "{seen}");
    }
    let (from, to) = map.merges().next().unwrap();
    assert_eq!((map.turns_at(map.node_of(turn(42)).unwrap()).count(), map.merges().count()), (1, 1));
    assert!(to.lane > from.lane);
}

#[test]
fn damaged_turns_are_laid_out() {
    let mut circle = vec![dot(0, Some(2)), dot(1, Some(0)), dot(2, Some(1)), dot(3, Some(3))];
    circle.push(dot(4, Some(99)));
    circle.push(dot(4, Some(99)));
    let map = map(circle);
    assert_eq!(map.len(), 5);
    let orphans = map.nodes.iter().filter(|spot| spot.is_orphan).count();
    assert_eq!(orphans, 3);
}

#[test]
fn keys_move_along_the_branch_and_across_lanes() {
    let mut dots = chain(0, 4, None);
    dots.extend(chain(4, 6, Some(1)));
    let map = map(dots);
    let at = |number| map.node_of(turn(number)).unwrap();
    let steps = [
        (0, Direction::Up, 0),
        (0, Direction::Down, 1),
        (1, Direction::Down, 2),
        (2, Direction::Right, 4),
        (4, Direction::Left, 2),
        (4, Direction::Up, 1),
        (0, Direction::End, 3),
        (5, Direction::Start, 0),
        (0, Direction::Right, 4),
        (5, Direction::Right, 5),
    ];
    for (from, way, to) in steps {
        assert_eq!(map.step(at(from), way), at(to), "{from} {way:?}");
    }
    assert_eq!(map.near(1.2, 2.3, 0.5), Some(at(4)));
    assert_eq!(map.near(1.2, 0.3, 0.5), None);
}

fn any_tree() -> impl Strategy<Value = Vec<TurnStub>> {
    let turn = (any::<prop::sample::Index>(), 0_u8..20, any::<prop::sample::Index>());
    prop::collection::vec(turn, 0..120).prop_map(|turns| {
        let mut dots: Vec<TurnStub> = Vec::new();
        for (at, (parent, how, other)) in turns.into_iter().enumerate() {
            // Mostly linear, to get foldable runs.
            let parent = match how {
                _ if at == 0 => None,
                0 => None,
                1..=3 => Some(parent.index(at)),
                _ => Some(at - 1),
            };
            let mut new = dot(at, parent);
            if how == 4 && at > 0 {
                new.second_parent = Some(turn_id(other.index(at)));
                new.kind = TurnKind::Merge;
            }
            dots.push(new);
        }
        dots
    })
}

fn turn_id(number: usize) -> TurnId {
    turn(number)
}

proptest! {
    #[test]
    fn every_turn_is_in_one_node_and_nodes_do_not_overlap(dots in any_tree()) {
        let map = map(dots.clone());
        let mut places: Vec<_> = map.nodes.iter().map(|spot| (spot.lane, spot.row)).collect();
        places.sort_unstable();
        places.dedup();
        prop_assert_eq!(places.len(), map.nodes.len());
        let mut seen: Vec<TurnId> =
            (0..map.nodes.len() as u32).flat_map(|at| map.turns_at(at).map(|dot| dot.id).collect::<Vec<_>>()).collect();
        seen.sort_unstable();
        prop_assert_eq!(seen, dots.iter().map(|dot| dot.id).collect::<Vec<_>>());
        for (at, spot) in (0u32..).zip(&map.nodes) {
            for dot in map.turns_at(at) {
                prop_assert_eq!(map.node_of(dot.id), Some(at));
            }
            if let Some(parent) = spot.parent.and_then(|parent| map.node(parent)) {
                prop_assert_eq!(spot.row, parent.row + 1);
                let is_first = parent.children.first() == Some(&at);
                let has_valid_lane = if is_first { spot.lane == parent.lane } else { spot.lane > parent.lane };
                prop_assert!(has_valid_lane);
            }
        }
        prop_assert_eq!(map.in_rows(0, map.rows).count(), map.nodes.len());
    }

    #[test]
    fn every_node_is_reachable_by_keys(dots in any_tree()) {
        let map = map(dots);
        let ways = [Direction::Up, Direction::Down, Direction::Left, Direction::Right];
        for start in (0..map.nodes.len() as u32).take(3) {
            let mut reached: VecSet<u32> = [start].into_iter().collect();
            let mut todo = vec![start];
            while let Some(at) = todo.pop() {
                todo.extend(ways.map(|way| map.step(at, way)).into_iter().filter(|next| reached.insert(*next)));
            }
            prop_assert_eq!(reached.len(), map.nodes.len());
        }
    }
}
