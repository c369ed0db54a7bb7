//! Property: log, stored rows and interface agree, over random histories of one device.
//!
//! The events of the store, folded from nothing, equal its rows and the world in memory; the timeline after a reload
//! equals the one before, and shows the messages of the log.

use crate::has_results;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::rc::Rc;
use std::sync::Arc;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestCaseError};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use nexus_engine::port::{Store as _, Table};
use nexus_engine::tests::{Scripted, ScriptedChunk, Tab, calls, read_events, refuses, says, tab, trickles};
use nexus_model::command::{Command, NewMessage};
use nexus_model::event::{Event, EventKind, SessionChange};
use nexus_model::fold::fold;
use nexus_model::id::{MessageId, SessionId, StreamId, TurnId};
use nexus_model::message::content::text_of;
use nexus_model::message::{Message, Role};
use nexus_model::mind::MindWrite;
use nexus_model::session::{QueueItem, QueueMode, QueueState};
use nexus_model::testing::SeqIds;
use nexus_model::turn::TurnEnd;
use nexus_model::world::World;
use nexus_text::testing::check_until_seen;
use nexus_text::vec_map::VecMap;
use nexus_view::timeline::timeline;

/// What the histories must cover for the property to be meaningful.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Seen {
    Wrote,
    Failed,
    CutOff,
    Stopped,
    Queued,
    Forked,
    MovedBack,
    Resent,
    Repeated,
    Deleted,
}

const ALL: [Seen; 10] = [
    Seen::Wrote,
    Seen::Failed,
    Seen::CutOff,
    Seen::Stopped,
    Seen::Queued,
    Seen::Forked,
    Seen::MovedBack,
    Seen::Resent,
    Seen::Repeated,
    Seen::Deleted,
];

/// An answer for each number, so that every kind occurs.
fn answer(number: u64, agent: &str, body: &Value) -> Scripted {
    let write =
        |name: &str| ("write_file", json!({ "name": name, "content": format!("{number}\n{agent}\n") }));
    match number % 8 {
        0 | 1 if !has_results(body) => calls(&[write("a.txt")]),
        2 if !has_results(body) => {
            calls(&[write("b.txt"), ("update_nexus_state", json!({ "scratchpad": format!("- {number}\n") }))])
        }
        3 => refuses(400, "INVALID_ARGUMENT"),
        4 => {
            let mut cut = trickles(&["Half an"]);
            cut.beats = vec![cut.beats.remove(0), ScriptedChunk::Cut];
            cut
        }
        5 => trickles(&["Slow", " and slower"]),
        _ => says(&format!("{agent} says {number}.")),
    }
}

fn nth<T>(all: Vec<T>, at: u8) -> Option<T> {
    let place = usize::from(at) % all.len().max(1);
    all.into_iter().nth(place)
}

/// The turns of the session in view that have ended, newest first.
fn ended(tab: &Tab) -> Vec<TurnId> {
    let (world, head) = (tab.world(), tab.session_row().head);
    world.ancestry(head).filter(|turn| turn.end.is_some()).map(|turn| turn.id).collect()
}

/// The messages of the timeline in view with this role.
fn said(tab: &Tab, role: Role) -> Vec<MessageId> {
    let rows = timeline(&tab.world(), tab.session, None).rows;
    let messages = rows.iter().filter_map(|(_, row)| row.message());
    messages.filter(|message| message.role == role).map(|message| message.id).collect()
}

/// Performs one action of the operator. A rejected action changes nothing, which is part of the property.
fn step(tab: &mut Tab, forks: &mut SeqIds, (what, whim): (u8, u8)) {
    let session = tab.session;
    let send = |tab: &Tab, command: Option<Command>| drop(command.map(|command| tab.send(command)));
    match what % 13 {
        0 => drop(tab.say(&format!("Everybody, number {whim}"))),
        1..=3 => {
            let agent = ["Architect", "Engineer", "Critic"][usize::from(what % 13) - 1];
            let mode = if whim.is_multiple_of(2) { QueueMode::FollowUp } else { QueueMode::Steer };
            let text = format!("@{agent} number {whim}");
            drop(tab.send(Command::SendMessage(NewMessage { mode, ..NewMessage::new(session, text) })));
        }
        4 => {
            let (base, text) = (tab.session_row().mind, format!("{whim}\nby hand\n"));
            let writes = vec![MindWrite::File { name: "c.txt".into(), text }];
            drop(tab.send(Command::EditMind { session, base, writes }));
        }
        5 => drop(tab.send(Command::Stop { session })),
        6 => drop(nth(ended(tab), whim).map(|turn| tab.try_again(turn))),
        7 => {
            let to = nth(ended(tab), whim);
            send(tab, to.map(|to| Command::MoveHead { session, to, newest: false }));
        }
        8 => {
            let text = format!("In other words, {whim}");
            let message = nth(said(tab, Role::User), whim);
            let (attachments, overrides) = (Vec::new(), None);
            send(
                tab,
                message.map(|message| Command::Resend { session, message, text, attachments, overrides }),
            );
        }
        9 => {
            let role = if whim.is_multiple_of(2) { Role::User } else { Role::Assistant };
            let message = nth(said(tab, role), whim);
            send(tab, message.map(|message| Command::DeleteMessage { session, message }));
        }
        10 => drop(tab.send(Command::LabelSession { session, label: format!("Number {whim}") })),
        11 => {
            let Some(turn) = nth(ended(tab), whim) else { return };
            let fork = SessionId::new(forks);
            let (mind, label) = (None, String::new());
            if tab.send(Command::ContinueFrom { session: fork, from: session, turn, mind, label }).is_ok() {
                tab.session = fork;
                tab.open().unwrap();
            }
        }
        _ => tab.pass(20_000),
    }
    // Events of the next step get later times, so that their order is visible from outside.
    tab.pass(1);
}

/// The events of all streams by time, those of the device first at equal times.
pub(crate) fn log(tab: &Tab) -> Vec<Event> {
    let mut events = tab.app_events();
    let sessions: Vec<SessionId> = tab.world().sessions.keys().copied().collect();
    for session in sessions {
        let (store, stream) = (tab.store.clone(), StreamId::Session(session));
        let stored = tab.wait_for(async move { store.events(stream, 1, usize::MAX).await.unwrap() });
        events.extend(read_events(&stored));
    }
    events.sort_by_key(|event| (event.at, event.stream != StreamId::App, event.seq));
    events
}

/// Checks that the stored rows are exactly the folded ones.
fn stored<K, T>(tab: &Tab, table: Table, folded: &VecMap<K, Arc<T>>) -> Result<(), TestCaseError>
where
    K: ToString,
    T: DeserializeOwned + PartialEq + Debug,
{
    let store = tab.store.clone();
    let rows = tab.wait_for(async move { store.scan(table, String::new()).await.unwrap() });
    let rows: BTreeMap<String, T> =
        rows.into_iter().map(|(key, row)| (key, nexus_text::json::read(&row).unwrap())).collect();
    let folded: BTreeMap<String, &T> = folded.iter().map(|(id, row)| (id.to_string(), &**row)).collect();
    prop_assert!(rows.keys().eq(folded.keys()), "{table:?}: {:?} and {:?}", rows.keys(), folded.keys());
    for (key, row) in &rows {
        prop_assert_eq!(row, folded[key], "{:?} {}", table, key);
    }
    Ok(())
}

/// Checks that each loaded row equals the folded one. Rows of sessions that were left are not loaded.
fn loaded<K: Ord + Debug, T: PartialEq + Debug + ?Sized>(
    folded: &VecMap<K, Arc<T>>,
    world: &VecMap<K, Arc<T>>,
) -> Result<(), TestCaseError> {
    for (id, row) in world {
        prop_assert_eq!(folded.get(id), Some(row));
    }
    Ok(())
}

pub(crate) fn agree(tab: &Tab) -> Result<World, TestCaseError> {
    let folded = fold(&World::default(), &log(tab));
    let world = tab.world();
    prop_assert_eq!(&folded.sessions, &world.sessions);
    loaded(&folded.turns, &world.turns)?;
    loaded(&folded.compactions, &world.compactions)?;
    loaded(&folded.threads, &world.threads)?;
    loaded(&folded.messages, &world.messages)?;
    loaded(&folded.tool_runs, &world.tool_runs)?;
    loaded(&folded.runs, &world.runs)?;
    loaded(&folded.minds, &world.minds)?;
    loaded(&folded.blobs, &world.blobs)?;
    prop_assert_eq!(&folded.memories, &world.memories);
    prop_assert_eq!(&folded.agents, &world.agents);
    prop_assert_eq!(&folded.providers, &world.providers);
    prop_assert_eq!(&folded.settings, &world.settings);
    drop(world);
    stored(tab, Table::Sessions, &folded.sessions)?;
    stored(tab, Table::Turns, &folded.turns)?;
    stored(tab, Table::Compactions, &folded.compactions)?;
    stored(tab, Table::Threads, &folded.threads)?;
    stored(tab, Table::Messages, &folded.messages)?;
    stored(tab, Table::ToolRuns, &folded.tool_runs)?;
    stored(tab, Table::Runs, &folded.runs)?;
    stored(tab, Table::Memories, &folded.memories)?;
    stored(tab, Table::Agents, &folded.agents)?;
    stored(tab, Table::Providers, &folded.providers)?;
    stored(tab, Table::Settings, &folded.settings)?;
    let is_waiting = |item: &QueueItem| item.state == QueueState::Waiting;
    let waiting = folded.queue.iter().filter(|(_, item)| is_waiting(item));
    stored(tab, Table::Queue, &waiting.map(|(id, item)| (*id, Arc::clone(item))).collect())?;
    Ok(folded)
}

/// The messages that a session's timeline shows, oldest first.
fn shown(world: &World, session: SessionId) -> Vec<(Role, String)> {
    let rows = timeline(world, session, None).rows;
    let messages = rows.iter().filter_map(|(_, row)| row.message());
    let texts = messages.map(|message| (message.role, text_of(&message.parts)));
    texts.filter(|(role, text)| matches!(role, Role::User | Role::Assistant) && !text.is_empty()).collect()
}

/// The same from the log alone, without the fold: the messages on the path to the head, and the unanswered ones.
fn logged_messages(events: &[Event], session: SessionId) -> Vec<(Role, String)> {
    let mut texts: BTreeMap<MessageId, (Role, String)> = BTreeMap::new();
    let mut turns: BTreeMap<TurnId, (Option<TurnId>, Vec<MessageId>)> = BTreeMap::new();
    let (mut heads, mut unanswered): (BTreeMap<SessionId, Option<TurnId>>, Vec<MessageId>) =
        Default::default();
    for event in events {
        let Some(kind) = event.known_kind() else { continue };
        let own = event.stream == StreamId::Session(session);
        if let EventKind::MessageCommitted { message } = kind {
            texts.insert(message.id, (message.role, text_of(&message.parts)));
            if own && message.role == Role::User {
                unanswered.push(message.id);
            }
        } else if let EventKind::TurnOpened { turn } = kind {
            unanswered.retain(|message| !turn.query.contains(message));
            turns.insert(turn.id, (turn.parent, turn.query.clone()));
        } else if let EventKind::ModelAnswered { message, parts, .. } = kind {
            texts.insert(*message, (Role::Assistant, text_of(parts)));
            turns.get_mut(&event.turn.unwrap()).unwrap().1.push(*message);
        } else if let EventKind::TurnClosed { partial: Some(partial), .. } = kind {
            texts.insert(partial.message, (Role::Assistant, text_of(&partial.parts)));
            turns.get_mut(&event.turn.unwrap()).unwrap().1.push(partial.message);
        } else if let EventKind::HeadMoved { to, by_hand, .. } = kind {
            let StreamId::Session(moved) = event.stream else { continue };
            heads.insert(moved, *to);
            if let Some(by_hand) = by_hand.as_ref().filter(|_| own) {
                unanswered.clone_from(&by_hand.unanswered);
            }
        } else if let EventKind::SessionChanged { change: SessionChange::Created(created) } = kind {
            heads.insert(created.session.id, created.session.head);
        } else if let EventKind::SessionChanged { change: SessionChange::MessageDeleted(message) } = kind {
            texts.remove(message);
        }
    }
    let path = std::iter::successors(heads[&session], |turn| turns[turn].0);
    let mut path: Vec<TurnId> = path.collect();
    path.reverse();
    let mut once = BTreeSet::new();
    let all = path.iter().flat_map(|turn| turns[turn].1.iter().copied()).chain(unanswered);
    let all = all.filter(|message| once.insert(*message));
    all.filter_map(|message| texts.get(&message).cloned()).filter(|(_, text)| !text.is_empty()).collect()
}

fn note(tab: &Tab, folded: &World, seen: &mut dyn FnMut(Seen)) {
    let any = |is_so: &dyn Fn(&Event) -> bool| log(tab).iter().any(is_so);
    let ends = |end: TurnEnd| folded.turns.values().any(|turn| turn.end == Some(end));
    let kinds: [(Seen, bool); 10] = [
        (Seen::Wrote, folded.tool_runs.values().any(|run| run.minds.is_some())),
        (Seen::Failed, ends(TurnEnd::Error)),
        (Seen::CutOff, ends(TurnEnd::CutOff)),
        (Seen::Stopped, ends(TurnEnd::Cancelled)),
        (Seen::Queued, !folded.queue.is_empty()),
        (Seen::Forked, folded.sessions.len() > 1),
        (
            Seen::MovedBack,
            any(&|event| matches!(event.known_kind(), Some(EventKind::HeadMoved { by_hand: Some(_), .. }))),
        ),
        (Seen::Resent, folded.messages.values().any(|row| text_of(&row.parts).starts_with("In other"))),
        (Seen::Repeated, {
            let answers = folded.turns.values().map(|turn| (&turn.agent, &turn.answers));
            let distinct: BTreeSet<_> = answers.clone().collect();
            distinct.len() < answers.count()
        }),
        (Seen::Deleted, folded.messages.values().any(|row: &Arc<Message>| row.deleted_at.is_some())),
    ];
    for (kind, _) in kinds.iter().filter(|(_, is_so)| *is_so) {
        seen(*kind);
    }
}

#[test]
fn log_rows_and_timeline_agree_after_any_history() {
    let histories = prop::collection::vec((0u8..26, any::<u8>()), 4..16);
    let values = (histories, any::<u16>());
    let config = Config { cases: 24, failure_persistence: None, ..Config::default() };
    check_until_seen(&config, ALL, &values, |(steps, luck), seen| {
        let number = Rc::new(RefCell::new(u64::from(luck)));
        let next = move || {
            let mut number = number.borrow_mut();
            *number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            *number >> 33
        };
        let mut tab = tab(move |agent, body| answer(next(), agent, body));
        let mut forks = SeqIds::default();
        // Ids that the engine will not reach in so few steps.
        for _ in 0..500 {
            SessionId::new(&mut forks);
        }
        for one in steps {
            step(&mut tab, &mut forks, one);
            agree(&tab)?;
        }
        // Stops running work and lets due jobs finish before the reload.
        drop(tab.send(Command::Stop { session: tab.session }));
        tab.pass(120_000);
        let folded = agree(&tab)?;
        note(&tab, &folded, seen);
        let page = shown(&tab.world(), tab.session);
        prop_assert_eq!(&page, &logged_messages(&log(&tab), tab.session));
        let written = format!("{:?}", timeline(&tab.world(), tab.session, None));
        prop_assert_eq!(&format!("{:?}", timeline(&folded, tab.session, None)), &written);

        tab.kill();
        let mut again = tab.again(|_, _| says("never asked"));
        again.session = tab.session;
        again.open().unwrap();
        while let Some(turn) = timeline(&again.world(), again.session, None).earlier {
            let handle = again.running.handle.clone();
            again.wait_for(async move { handle.load_earlier(turn).await.unwrap() });
        }
        prop_assert_eq!(&format!("{:?}", timeline(&again.world(), again.session, None)), &written);
        Ok(())
    });
}

#[test]
fn property_detects_a_missing_message() {
    let tab = tab(|agent, _| says(&format!("{agent} is here.")));
    tab.say("@Engineer who is there?").unwrap();
    let both = [
        (Role::User, "@Engineer who is there?".to_owned()),
        (Role::Assistant, "Engineer is here.".to_owned()),
    ];
    assert_eq!(logged_messages(&log(&tab), tab.session), both);
    assert_eq!(shown(&tab.world(), tab.session), both);
    let mut without = fold(&World::default(), &log(&tab));
    let message = said(&tab, Role::User)[0];
    without.messages.remove(&message);
    assert_ne!(shown(&without, tab.session), both);
}
