use std::sync::Arc;

use super::*;
use crate::agent::AgentFlags;
use crate::agent::defaults::first_agents;
use crate::command::{Command, PartialMessages};
use crate::decide::{Env, decide};
use crate::fold::fold;
use crate::id::{MessageId, Millis};
use crate::mind::Mind;
use crate::search_index::{SearchField, SearchLocation};
use crate::testing::SeqIds;

/// A world with the first agents and a session for each label, in this order.
fn world(labels: &[&str]) -> World {
    let mut world = World::default();
    for agent in first_agents() {
        world.agents.insert(agent.key.clone(), Arc::new(agent));
    }
    for (number, label) in labels.iter().enumerate() {
        let session = SessionId::from(number as u128 + 1);
        let command = Command::CreateSession { session, label: "x".into(), mind: Mind::default() };
        let partials = PartialMessages::new();
        let mut ids = SeqIds::default();
        let at = Millis(number as u64 + 10);
        let mut env = Env { now: at, ids: &mut ids, partials: &partials, run_before_turn: None };
        let events = decide(&world, &command, &mut env).unwrap();
        let events: Vec<_> = events.into_iter().map(|event| event.into_event(1, at)).collect();
        let rows = fold(&world, &events);
        world.absorb(rows);
        change(&mut world, session, |session| session.label = (*label).to_owned());
    }
    world
}

fn change(world: &mut World, id: SessionId, change: impl FnOnce(&mut Session)) {
    let mut row = world.session(&id).unwrap().as_ref().clone();
    change(&mut row);
    world.sessions.insert(id, Arc::new(row));
}

fn id(number: u128) -> SessionId {
    SessionId::from(number)
}

fn matched(world: &World, words: &str) -> Vec<(u128, MatchReason)> {
    resolve(world, words, None).into_iter().map(|way| (way.session.bits(), way.why)).collect()
}

#[test]
fn session_name_matches_in_any_case_and_with_spaces_around() {
    let world = world(&["main", "The Tax Return", "other"]);
    assert_eq!(matched(&world, "  the tax return "), [(2, MatchReason::Label)]);
    assert!(matched(&world, "tax").is_empty(), "part of a name does not match");
    assert!(matched(&world, "").is_empty() && matched(&world, "   ").is_empty());
    assert_eq!(only(resolve(&world, "other", None)).unwrap().session, id(3));
    assert_eq!(only(resolve(&world, "nobody", None)), Err(ThreadResolveError::NoMatch));
}

#[test]
fn duplicate_name_returns_all_matches() {
    let mut world = world(&["plan", "Plan", "main"]);
    change(&mut world, id(1), |session| session.last_message_at = Some(Millis(99)));
    assert_eq!(
        matched(&world, "plan"),
        [(1, MatchReason::Label), (2, MatchReason::Label)],
        "most recently used first"
    );
    assert_eq!(only(resolve(&world, "PLAN", None)), Err(ThreadResolveError::Ambiguous(2)));
    // Archived sessions match too, after the others.
    change(&mut world, id(1), |session| session.status = SessionStatus::Archived);
    assert_eq!(matched(&world, "plan"), [(2, MatchReason::Label), (1, MatchReason::Label)]);
    change(&mut world, id(1), |session| session.deleted_at = Some(Millis(1)));
    assert_eq!(matched(&world, "plan"), [(2, MatchReason::Label)]);
}

#[test]
fn agent_name_resolves_to_main_session_and_is_sole_recipient() {
    let mut world = world(&["main", "second", "third"]);
    let engineer = AgentKey("engineer".into());
    let thread = |world: &World| only(resolve(world, "Engineer", None)).unwrap();
    assert_eq!(thread(&world).session, id(1));
    assert_eq!(thread(&world).why, MatchReason::Persona(engineer.clone(), MainSessionReason::First));
    assert_eq!(thread(&world).target, Target::Agents(vec![engineer.clone()]));
    for (session, at) in [(2, 50), (3, 40)] {
        let agent = world.agent(&engineer).unwrap().clone();
        let flags = AgentFlags { last_activity: Some(Millis(at)), ..AgentFlags::of(&agent) };
        change(&mut world, id(session), |session| {
            session.flags.insert(engineer.clone(), flags);
        });
    }
    assert_eq!(
        (thread(&world).session, thread(&world).why),
        (id(2), MatchReason::Persona(engineer.clone(), MainSessionReason::Worked))
    );
    change(&mut world, id(3), |session| session.owner = Some(engineer.clone()));
    assert_eq!(
        (thread(&world).session, thread(&world).why),
        (id(3), MatchReason::Persona(engineer.clone(), MainSessionReason::Owned))
    );
    // The session that was assigned last, whatever was written to since.
    for (session, at) in [(1, 60), (3, 70)] {
        change(&mut world, id(session), |session| {
            (session.owner, session.owned_at) = (Some(engineer.clone()), Some(Millis(at)));
        });
    }
    change(&mut world, id(1), |session| session.last_message_at = Some(Millis(500)));
    assert_eq!(thread(&world).session, id(3));
    change(&mut world, id(1), |session| session.owner = None);
    // An archived session is no main session.
    change(&mut world, id(3), |session| session.status = SessionStatus::Archived);
    assert_eq!(thread(&world).session, id(2));
    assert_eq!(resolve(&world, "@engineer", None), resolve(&world, "engineer", None));
}

#[test]
fn session_named_like_an_agent_is_ambiguous() {
    let world = world(&["Critic", "main"]);
    let matches = resolve(&world, "critic", None);
    assert_eq!(matches.len(), 2);
    assert_eq!(only(matches), Err(ThreadResolveError::Ambiguous(2)));
    assert_eq!(resolve(&world, "@critic", None).len(), 1, "`@` selects the agent");
}

#[test]
fn id_takes_precedence_over_name() {
    let mut world = world(&["main", "second"]);
    let text = id(2).to_string();
    change(&mut world, id(1), |session| session.label = text.clone());
    assert_eq!(matched(&world, &text), [(2, MatchReason::Thread)]);
    let head = TurnId::from(77);
    change(&mut world, id(1), |session| session.head = Some(head));
    assert_eq!(matched(&world, &head.to_string()), [(1, MatchReason::Thread)]);
    // Two sessions may have the same head.
    change(&mut world, id(2), |session| session.head = Some(head));
    assert_eq!(only(resolve(&world, &head.to_string(), None)), Err(ThreadResolveError::Ambiguous(2)));
    assert!(matched(&world, &TurnId::from(78).to_string()).is_empty(), "unknown turn");
}

#[test]
fn search_hits_give_each_session_once_with_its_best_hit() {
    let hit = |session: u128, place: SearchLocation| SearchHit {
        session: id(session),
        place,
        score: 1.0,
        found: 1,
        at: Millis(1),
    };
    let hits = [
        hit(2, SearchLocation::Message(MessageId::from(1))),
        hit(1, SearchLocation::Session(id(1), SearchField::Title)),
        hit(2, SearchLocation::Message(MessageId::from(2))),
    ];
    let threads: Vec<_> =
        threads(&hits).into_iter().map(|(hit, count)| (hit.session, hit.place, count)).collect();
    assert_eq!(threads, [(id(2), hits[0].place, 2), (id(1), hits[1].place, 1)]);
}
