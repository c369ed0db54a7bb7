use proptest::prelude::*;

use super::*;
use crate::id::{MemoryId, SessionId};
use crate::limits::MEMORY_CHARS;
use crate::memory::{DAY_MS, trimmed};
use crate::session::SessionOrigin;
use crate::testing::a_session;

const DAYS: u64 = DAY_MS;

fn session(id: u128) -> Session {
    Session { label: id.to_string(), operator: Some("operator".into()), ..a_session(SessionId::from(id)) }
}

fn memory(id: u128, content: &str) -> Memory {
    Memory {
        id: MemoryId::from(id),
        content: content.into(),
        importance: 3,
        session: SessionId::from(1),
        operator: Some("operator".into()),
        ..Memory::default()
    }
}

fn world(memories: impl IntoIterator<Item = Memory>) -> World {
    let mut world = World::default();
    world.memories.extend(memories.into_iter().map(|memory| (memory.id, Arc::new(memory))));
    world
}

fn offers(world: &World, session: &Session, agent: &str, query: &str, now: u64) -> Vec<u128> {
    offered_memories(world, session, &agent.into(), query, Millis(now))
        .iter()
        .map(|memory| memory.id.bits())
        .collect()
}

#[test]
fn scope_decides_who_receives_a_memory() {
    let own = memory(1, "own");
    let elsewhere = Memory { session: SessionId::from(2), ..memory(2, "elsewhere") };
    let persona = Memory { scope: MemoryScope::Persona("critic".into()), ..elsewhere.clone() };
    let persona = Memory { id: MemoryId::from(3), ..persona };
    let everywhere = Memory { id: MemoryId::from(4), scope: MemoryScope::Operator, ..elsewhere.clone() };
    let deleted = Memory { deleted_at: Some(Millis(0)), ..memory(5, "gone") };
    let world = world([own, elsewhere, persona, everywhere, deleted]);
    assert_eq!(offers(&world, &session(1), "critic", "", 0), [4, 3, 1]);
    assert_eq!(offers(&world, &session(1), "engineer", "", 0), [4, 1]);
}

#[test]
fn fork_knows_only_memories_from_before_it() {
    let early = Memory { at: Millis(5), ..memory(1, "early") };
    let late = Memory { at: Millis(25), ..memory(2, "late") };
    let mut world = world([early, late]);
    let made = |id: u128, parent: u128, origin, at| Session {
        origin,
        parent: Some(SessionId::from(parent)),
        created_at: Millis(at),
        ..session(id)
    };
    let fork = made(2, 1, SessionOrigin::Fork, 10);
    let of_fork = made(3, 2, SessionOrigin::Fork, 30);
    let later = made(4, 1, SessionOrigin::Fork, 30);
    let worker = made(5, 1, SessionOrigin::Subagent, 30);
    // A cycle of parents must not loop.
    let cycle = [made(6, 7, SessionOrigin::Fork, 30), made(7, 6, SessionOrigin::Fork, 30)];
    let all = [session(1), fork, of_fork, later, worker].into_iter().chain(cycle);
    world.sessions.extend(all.map(|row| (row.id, Arc::new(row))));
    let offers_in = |id: u128| {
        let session = world.session(&SessionId::from(id)).unwrap();
        offers(&world, session, "critic", "", 0)
    };
    assert_eq!([1, 2, 3, 4, 5, 6].map(offers_in), [vec![2, 1], vec![1], vec![1], vec![2, 1], vec![], vec![]]);
    // Known facts are not added again.
    let fork = world.session(&SessionId::from(2)).unwrap();
    assert_eq!(new_facts(&world, fork, &["Early", "late"]), ["late"]);
}

#[test]
fn memories_are_ranked_by_pin_then_weight_and_matching_words() {
    let old = Memory { importance: 5, ..memory(1, "an old fact") };
    let young = Memory { at: Millis(60 * DAYS), ..memory(2, "a young one") };
    let pinned = Memory { importance: 1, pinned: true, ..memory(3, "pinned") };
    let about = Memory { importance: 2, at: Millis(60 * DAYS), ..memory(4, "prefers tabs over spaces") };
    let world = world([old, young, pinned, about]);
    let session = session(1);
    // After three months the old one loses 3; the others lose 1.
    assert_eq!(offers(&world, &session, "a", "", 90 * DAYS), [3, 2, 1, 4]);
    assert_eq!(offers(&world, &session, "a", "Tabs or spaces?", 90 * DAYS), [3, 4, 2, 1]);
    let many = (1..60).map(|id| memory(id, &format!("fact {id}")));
    assert_eq!(
        offers(&crate::context::history::memories_tests::world(many), &session, "a", "", 0).len(),
        MEMORIES_OFFERED
    );
}

#[test]
fn deleted_fact_is_not_added_again() {
    let deleted = Memory { deleted_at: Some(Millis(0)), ..memory(1, "Likes tabs.") };
    assert!(new_facts(&world([deleted]), &session(1), &["likes  TABS."]).is_empty());
}

proptest! {
    #[test]
    fn adding_known_facts_changes_nothing(
        contents in prop::collection::vec("[ aAbB\u{e9}\u{c9}]{0,6}", 0..12)
    ) {
        let session = session(1);
        let contents: Vec<&str> = contents.iter().map(String::as_str).collect();
        let first: Vec<String> =
            new_facts(&World::default(), &session, &contents).into_iter().map(str::to_owned).collect();
        let forms: VecSet<_> = first.iter().map(|content| normal_form(content)).collect();
        prop_assert_eq!(forms.len(), first.len());
        let known = first.iter().zip(1u128..).map(|(content, id)| memory(id, content));
        prop_assert!(new_facts(&world(known), &session, &contents).is_empty());
        for content in &contents {
            prop_assert!(forms.contains(&normal_form(content)));
        }
    }

    #[test]
    fn trimmed_is_bounded_and_idempotent(content in "(?s).{0,400}") {
        let once = trimmed(&content);
        prop_assert!(once.chars().count() <= MEMORY_CHARS);
        prop_assert_eq!(trimmed(&once), once.clone());
        prop_assert_eq!(normal_form(&once), normal_form(&content));
    }
}
