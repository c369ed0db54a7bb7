//! Scenarios of several tabs in one session: without locks, and with them where a third tab or drafts matter.
//!
//! `faults` has the other scenarios with locks.

use crate::edit;
use std::rc::Rc;

use futures_util::StreamExt as _;

use nexus_engine::port::{Store as _, StoreError, Table};
use nexus_engine::tests::{ScriptedChunk, Tab, read_events, says, tab, trickles};
use nexus_model::agent::Permissions;
use nexus_model::command::{Command, MessageOverrides, NewMessage, Rejection};
use nexus_model::event::EventKind;
use nexus_model::id::{SessionId, StreamId};
use nexus_model::limits::RELOAD_MS;
use nexus_model::message::Role;
use nexus_model::message::content::text_of;
use nexus_model::mind::blob::NewBlob;
use nexus_model::mind::{Mind, MindWrite};
use nexus_model::session::{Draft, DraftField, Session, SessionOrigin, attachments_in, attachments_text};
use nexus_model::signal::TransientEvent;

/// Two tabs with the same session open, which has one turn.
fn both() -> (Tab, Tab) {
    let first = tab(|agent, _| says(&format!("{agent} of the first")));
    first.lose_locks();
    first.say("@Architect begin").unwrap();
    let second = first.again(|agent, _| says(&format!("{agent} of the second")));
    (first, second)
}

fn draft(tab: &Tab, field: DraftField, text: &str) {
    let base = tab.session_row().mind;
    let draft = Draft { session: tab.session, field, text: Some(text.into()), base, in_conflict: false };
    tab.running.handle.draft(draft);
    tab.pass(1);
}

/// The forks that this tab knows.
fn forks(tab: &Tab) -> Vec<Rc<Session>> {
    let world = tab.world();
    let all = world.sessions.values().filter(|row| row.origin == SessionOrigin::Fork);
    all.map(|row| Rc::new(row.as_ref().clone())).collect()
}

/// The operator's messages in a session that this tab knows.
fn said(tab: &Tab, session: SessionId) -> Vec<String> {
    let world = tab.world();
    let own = world.messages.values().filter(|one| one.session == session && one.role == Role::User);
    own.map(|message| text_of(&message.parts)).collect()
}

/// The stored number of events of a session.
fn stored(tab: &Tab, session: SessionId) -> usize {
    let store = tab.store.clone();
    let rows =
        tab.wait_for(async move { store.events(StreamId::Session(session), 1, 10_000).await.unwrap() });
    let events = read_events(&rows);
    let seqs: Vec<_> = events.iter().map(|event| event.seq).collect();
    let whole: Vec<_> = (1..=u64::try_from(events.len()).unwrap()).collect();
    assert_eq!(seqs, whole, "the stream has a gap or something twice");
    events.len()
}

#[test]
fn concurrent_messages_of_two_tabs_continue_in_a_fork() {
    let (first, second) = both();
    let common = first.session_row().head;
    assert_eq!(second.session_row().head, common);
    let mut signals = second.running.bus.subscribe_transient();
    draft(&second, DraftField::Composer, "@Architect and what of the second?");
    first.say("@Architect what of the first?").unwrap();
    let of_first = stored(&first, first.session);
    // The second tab has not reloaded, and answers to what it shows.
    assert_eq!(second.say("@Architect and what of the second?"), Ok(()));

    assert_eq!(stored(&second, second.session), of_first, "the other tab's session was written to");
    let fork = forks(&second).pop().expect("a fork");
    assert_eq!(fork.parent, Some(second.session));
    assert_eq!(said(&second, fork.id), ["@Architect and what of the second?"]);
    let way: Vec<_> = second.world().ancestry(fork.head).map(|turn| turn.id).collect();
    assert_eq!(way.len(), 2, "it was answered there");
    assert_eq!(way.get(1).copied(), common, "from the newest turn that both had");
    assert_eq!(second.speakers(), ["Architect"]);

    let mut lives = Vec::new();
    while let Some(Some(live)) = futures_util::FutureExt::now_or_never(signals.next()) {
        lives.push(live);
    }
    assert!(lives.contains(&TransientEvent::Forked { from: second.session, to: fork.id }));
    assert!(lives.contains(&TransientEvent::ReadOnly { session: second.session, read_only: true }));
    assert!(
        !lives
            .iter()
            .any(|live| matches!(live, TransientEvent::DraftRestored(draft) if draft.session == fork.id)),
        "what was said stands in the composer of the fork"
    );
    let notices: Vec<_> = second
        .app_events()
        .iter()
        .filter_map(|event| match event.known_kind() {
            Some(EventKind::Notice { text }) => Some(text.clone()),
            _ => None,
        })
        .collect();
    assert!(notices.iter().any(|text| text.contains("nothing was overwritten")), "{notices:?}");

    // The tab shows the other one's work, and continues in the fork.
    assert_eq!(said(&second, second.session).len(), 2);
    assert_eq!(second.say("@Architect and here?"), Err(Rejection::ReadOnly));
    let more = |text: &str| Command::SendMessage(NewMessage::new(fork.id, text));
    second.send(more("@Architect go on")).unwrap();
    first.say("@Architect me too").unwrap();
    assert_eq!(said(&second, fork.id).len(), 2);
    assert_eq!(first.speakers().len(), 3, "the first tab was never disturbed");
}

#[test]
fn drafts_of_mind_and_composer_move_to_the_fork() {
    let (first, second) = both();
    draft(&second, DraftField::Composer, "half a sentence");
    draft(&second, DraftField::Scratchpad, "- of the second");
    edit(&first, vec![MindWrite::Scratchpad("- of the first".into())]);
    // The quiet period ends, and the draft is committed.
    second.pass(5_000);
    let fork = forks(&second).pop().expect("a fork");
    {
        let world = second.world();
        let row = world.session(&fork.id).unwrap();
        let mind = world.working_mind(row).unwrap();
        assert_eq!(mind.scratchpad, "- of the second");
        let followed = world.session(&second.session).unwrap();
        assert_eq!(world.working_mind(followed).unwrap().scratchpad, "- of the first");
    }
    let store = second.store.clone();
    let key = format!("{}/composer\n", fork.id);
    let rows = second.wait_for(async move { store.scan(Table::Drafts, key).await.unwrap() });
    assert!(rows.iter().any(|(_, json)| json.contains("half a sentence")), "{rows:?}");
    assert_eq!(first.mind().scratchpad, "- of the first");
}

#[test]
fn without_any_turn_the_message_continues_in_a_new_session() {
    let first = tab(|_, _| says("first"));
    first.lose_locks();
    let second = first.again(|_, _| says("second"));
    draft(&second, DraftField::Composer, "mine");
    first.say("@Architect theirs").unwrap();
    assert_eq!(second.say("@Architect mine"), Ok(()));
    assert_eq!(second.world().sessions.len(), 2);
    assert_eq!(said(&second, second.session), ["@Architect theirs"]);
    let other = second.world().sessions.values().map(|row| row.id).find(|id| *id != second.session).unwrap();
    assert_eq!(said(&second, other), ["@Architect mine"]);
}

#[test]
fn idle_tab_follows_and_takes_over_on_request() {
    let (first, second) = both();
    first.say("@Architect go on").unwrap();
    second.running.handle.reload_stream(StreamId::Session(second.session));
    second.pass(1);
    assert_eq!(said(&second, second.session).len(), 2, "it follows");
    assert_eq!(second.say("@Architect me"), Err(Rejection::ReadOnly));
    assert!(forks(&second).is_empty());
    // Take over: the other tab releases the session, and this one continues.
    second.running.handle.request_session(second.session);
    second.pass(1);
    first.running.handle.release_session(first.session);
    first.pass(1);
    second.pass(2_000);
    assert_eq!(second.say("@Architect now me"), Ok(()));
    assert_eq!(first.say("@Architect and me"), Err(Rejection::ReadOnly));
    assert!(forks(&second).is_empty() && forks(&first).is_empty());
    assert_eq!(said(&second, second.session).len(), 3);
}

#[test]
fn opening_tab_does_not_interrupt_another_ones_work() {
    let first = tab(|_, _| {
        let mut slow = says("one two three");
        slow.beats.insert(0, ScriptedChunk::Wait(1_500));
        slow
    });
    first.lose_locks();
    first.say("@Architect go").unwrap();
    first.pass(25);
    let written = stored(&first, first.session);
    let second = first.again(|_, _| says("second"));
    assert_eq!(stored(&second, second.session), written, "it was closed as interrupted");
    assert_eq!(second.say("@Architect me too"), Err(Rejection::ReadOnly));
    first.pass(5_000);
    let answer = first.world().messages.values().find(|one| one.role == Role::Assistant).cloned().unwrap();
    assert_eq!(text_of(&answer.parts), "one two three");
    // Abandoned work is taken over.
    let third = first.again(|_, _| says("third"));
    assert_eq!(third.say("@Architect and I"), Ok(()));
}

/// Whatever two tabs do in whatever order, every accepted message is stored and no stream is overwritten.
#[test]
fn accepted_messages_are_never_lost_in_any_order() {
    for order in 0u32..32 {
        let (first, second) = both();
        let mut accepted = vec!["@Architect begin".to_owned()];
        for step in 0..5 {
            let tab = if order >> step & 1 == 0 { &first } else { &second };
            let text = format!("@Architect word {order} {step}");
            // A tab that lost the session continues in its fork.
            let session = forks(tab).last().map_or(tab.session, |fork| fork.id);
            let say = Command::SendMessage(NewMessage::new(session, text.clone()));
            if tab.send(say) == Ok(()) {
                accepted.push(text);
            }
            tab.settle();
        }
        let store = first.store.clone();
        let rows = first.wait_for(async move { store.scan(Table::Messages, String::new()).await.unwrap() });
        for text in &accepted {
            let count = rows.iter().filter(|(_, json)| json.contains(text.as_str())).count();
            assert_eq!(count, 1, "{text} is stored {count} times");
        }
        assert_eq!(accepted.len(), 6, "something was refused");
        let sessions: Vec<_> = second.world().sessions.keys().copied().collect();
        for session in sessions {
            stored(&second, session);
        }
    }
}

/// Sends a request for the session from one tab to the others, as the channel between tabs does.
fn take_over(by: &Tab, others: &[&Tab]) {
    by.running.handle.request_session(by.session);
    by.settle();
    for other in others {
        other.running.handle.release_session(other.session);
        other.settle();
    }
    // Each tab that gets the lock acts on it.
    others.iter().for_each(|other| other.pass(1));
    by.pass(RELOAD_MS);
}

#[test]
fn session_goes_to_the_tab_that_asks_not_to_the_one_that_waited_longest() {
    let first = tab(|_, _| says("first"));
    first.say("@Architect begin").unwrap();
    let second = first.again(|_, _| says("second"));
    let third = first.again(|_, _| says("third"));
    take_over(&third, &[&first, &second]);
    assert_eq!(second.say("@Architect me"), Err(Rejection::ReadOnly));
    assert_eq!(third.say("@Architect now me"), Ok(()));
    // The tab that made way gets the session when it asks, and when the others are gone.
    take_over(&second, &[&first, &third]);
    assert_eq!(third.say("@Architect still me"), Err(Rejection::ReadOnly));
    assert_eq!(second.say("@Architect at last"), Ok(()));
}

#[test]
fn tab_that_made_way_gets_the_session_if_nobody_else_waits() {
    let first = tab(|_, _| says("first"));
    first.say("@Architect begin").unwrap();
    let second = first.again(|_, _| says("second"));
    // A tab asks and closes at once.
    second.running.handle.release_session(second.session);
    second.settle();
    first.running.handle.release_session(first.session);
    first.settle();
    // Each lets the other go first.
    second.pass(1);
    first.pass(1);
    second.pass(RELOAD_MS);
    first.pass(RELOAD_MS);
    let working = [&first, &second].map(|tab| tab.say("@Architect go on"));
    assert_eq!(working.iter().filter(|said| said.is_ok()).count(), 1, "{working:?}");
}

#[test]
fn reloaded_tab_keeps_its_session_and_a_closed_one_hands_it_over() {
    let first = tab(|_, _| says("first"));
    first.say("@Architect begin").unwrap();
    let second = first.again(|_, _| says("second"));
    first.kill();
    second.pass(RELOAD_MS - 1);
    let back = first.again(|_, _| says("back"));
    second.pass(RELOAD_MS);
    assert_eq!(second.say("@Architect me"), Err(Rejection::ReadOnly));
    assert_eq!(back.say("@Architect still me"), Ok(()));
    back.kill();
    second.pass(RELOAD_MS);
    assert_eq!(second.say("@Architect now me"), Ok(()));
}

/// The text so far of an answer, as the tab publishes it, since the last look.
fn text_so_far(signals: &mut futures_channel::mpsc::UnboundedReceiver<TransientEvent>) -> Vec<String> {
    let all = std::iter::from_fn(|| futures_util::FutureExt::now_or_never(signals.next()).flatten());
    all.filter_map(|signal| {
        let TransientEvent::TextSoFar { parts, .. } = signal else { return None };
        Some(text_of(&parts))
    })
    .collect()
}

#[test]
fn following_tab_sees_an_answer_grow_and_so_does_a_tab_that_returns_to_it() {
    let first = tab(|_, _| trickles(&["one ", "two ", "three ", "four "]));
    let mut of_first = first.running.bus.subscribe_transient();
    first.say("@Architect go").unwrap();
    first.pass(1_500);
    let second = first.restarted(|_, _| says("second"));
    let mut shown = second.running.bus.subscribe_transient();
    second.open().unwrap();
    assert_eq!(text_so_far(&mut shown), ["one "]);
    first.pass(1_000);
    let stored = TransientEvent::PartialStored { session: first.session };
    let signals = std::iter::from_fn(|| futures_util::FutureExt::now_or_never(of_first.next()).flatten());
    assert_eq!(signals.filter(|signal| *signal == stored).count(), 2, "once for each write");
    second.running.handle.reload_partial(second.session);
    second.settle();
    assert_eq!(text_so_far(&mut shown), ["one two "]);
    // The working tab shows another session meanwhile.
    let (handle, other) = (first.running.handle.clone(), SessionId::new(&mut *first.ports.ids.borrow_mut()));
    first
        .send(Command::CreateSession { session: other, label: String::new(), mind: Mind::default() })
        .unwrap();
    first.wait_for(async move { handle.open(other).await }).unwrap();
    first.pass(1_000);
    assert!(text_so_far(&mut of_first).is_empty());
    first.open().unwrap();
    assert_eq!(text_so_far(&mut of_first), ["one two three four "]);
    first.kill();
    second.pass(RELOAD_MS);
    second.running.handle.reload_partial(second.session);
    second.settle();
    assert!(text_so_far(&mut shown).is_empty(), "the answer is closed");
}

/// The texts of the composer's drafts that the tab restored or forgot since the last look, and those that it holds.
fn composer_drafts(
    tab: &Tab,
    signals: &mut futures_channel::mpsc::UnboundedReceiver<TransientEvent>,
) -> (Vec<String>, Vec<String>, Vec<String>) {
    let (mut restored, mut forgotten) = (Vec::new(), Vec::new());
    while let Some(Some(signal)) = futures_util::FutureExt::now_or_never(signals.next()) {
        if let TransientEvent::DraftRestored(draft) = signal {
            restored.push(draft.text.unwrap());
        } else if let TransientEvent::DraftCommitted { text, .. } = signal {
            forgotten.push(text);
        }
    }
    let held = tab.running.unsaved().puts.into_iter().map(|(_, (_, json))| json).collect();
    (restored, forgotten, held)
}

#[test]
fn tab_forgets_a_draft_that_moved_with_its_session() {
    let none = Vec::<String>::new();
    let first = tab(|_, _| says("first"));
    first.say("@Architect begin").unwrap();
    let mut of_first = first.running.bus.subscribe_transient();
    let second = first.again(|_, _| says("second"));
    let mut of_second = second.running.bus.subscribe_transient();
    draft(&first, DraftField::Composer, "please do X");
    take_over(&second, &[&first]);
    assert_eq!(
        composer_drafts(&first, &mut of_first),
        (none.clone(), vec!["please do X".into()], none.clone())
    );
    assert_eq!(composer_drafts(&second, &mut of_second).0, ["please do X"]);
    // It is replaced there, and taken back.
    draft(&second, DraftField::Composer, "do Y");
    take_over(&first, &[&second]);
    assert_eq!(composer_drafts(&first, &mut of_first).0, ["do Y"]);
    // A draft that cannot be stored stays.
    first.store.fail_next(StoreError::Full);
    take_over(&second, &[&first]);
    let (_, forgotten, held) = composer_drafts(&first, &mut of_first);
    assert_eq!(forgotten, none);
    assert!(held[0].contains("do Y"), "{held:?}");
}

#[test]
fn tab_that_opens_another_session_forgets_the_drafts_of_the_first() {
    let first = tab(|_, _| says("first"));
    first.say("@Architect begin").unwrap();
    let mut signals = first.running.bus.subscribe_transient();
    draft(&first, DraftField::Composer, "please do X");
    let (handle, session) =
        (first.running.handle.clone(), SessionId::new(&mut *first.ports.ids.borrow_mut()));
    first.send(Command::CreateSession { session, label: String::new(), mind: Mind::default() }).unwrap();
    first.wait_for(async move { handle.open(session).await }).unwrap();
    assert_eq!(composer_drafts(&first, &mut signals).1, ["please do X"]);
    let second = first.again(|_, _| says("second"));
    second.running.handle.draft(Draft {
        session: second.session,
        field: DraftField::Composer,
        text: None,
        base: second.session_row().mind,
        in_conflict: false,
    });
    second.say("@Architect please do X").unwrap();
    second.kill();
    first.open().unwrap();
    assert_eq!(composer_drafts(&first, &mut signals).0, Vec::<String>::new());
}

#[test]
fn page_that_closes_leaves_either_the_message_or_its_draft() {
    let text = "@Architect please do X";
    // The time since the last key, and the number of writes that the browser still finishes.
    for (pause, writes) in [(1, None), (1, Some(1)), (1, Some(2)), (500, Some(0)), (500, Some(1))] {
        let tab = tab(|_, _| says("done"));
        draft(&tab, DraftField::Composer, text);
        tab.pass(pause);
        tab.store.stop_after(writes);
        let handle = tab.running.handle.clone();
        let message = NewMessage::new(tab.session, text);
        tab.spawn(async move { drop(handle.send(Command::SendMessage(message)).await) });
        // The page closes before the composer is cleared, and stores what is only in memory.
        tab.store.stop_after(None);
        let unsaved = tab.running.unsaved();
        let store = tab.store.clone();
        tab.wait_for(async move { store.write(unsaved).await.unwrap() });
        tab.kill();
        let again = tab.restarted(|_, _| says("done"));
        let mut signals = again.running.bus.subscribe_transient();
        again.open().unwrap();
        let drafts = composer_drafts(&again, &mut signals).0;
        let messages = said(&again, again.session);
        assert_eq!(drafts.len() + messages.len(), 1, "{pause} {writes:?}: {drafts:?} {messages:?}");
    }
}

#[test]
fn attachments_are_a_draft_until_a_message_has_them() {
    let blob = NewBlob { name: "a b.png".into(), mime: "image/png".into(), base64: "iVBORw0KGgo=".into() };
    let text = attachments_text(&[(3, blob.clone())]);
    assert_eq!(attachments_in(&text), [(3, blob.clone())]);
    let tab = tab(|_, _| says("done"));
    let stored = || {
        let (store, prefix) = (tab.store.clone(), format!("{}/attachments", tab.session));
        tab.wait_for(async move { store.scan(Table::Drafts, prefix).await.unwrap() }).len()
    };
    draft(&tab, DraftField::Attachments, &text);
    tab.pass(500);
    tab.say("@Architect without it").unwrap();
    assert_eq!((stored(), tab.running.unsaved().puts.len()), (1, 0), "it is stored once");
    let message = NewMessage { attachments: vec![blob], ..NewMessage::new(tab.session, "") };
    tab.send(Command::SendMessage(message)).unwrap();
    tab.pass(500);
    assert_eq!(stored(), 0);
}

#[test]
fn overrides_are_a_draft_until_a_message_has_them() {
    let overrides = MessageOverrides {
        tools: Some(Permissions { tools_denied: vec!["write_file".into()], ..Permissions::default() }),
        ..MessageOverrides::default()
    };
    assert_eq!(MessageOverrides::read(&overrides.text()), overrides);
    assert_eq!(MessageOverrides::default().text(), "");
    let first = tab(|_, _| says("done"));
    draft(&first, DraftField::Overrides, &overrides.text());
    first.pass(500);
    first.say("@Architect without them").unwrap();
    first.kill();
    let again = first.restarted(|_, _| says("done"));
    let mut signals = again.running.bus.subscribe_transient();
    again.open().unwrap();
    let restored = || {
        let signal = futures_util::FutureExt::now_or_never(signals.next()).flatten()?;
        Some(if let TransientEvent::DraftRestored(draft) = signal { draft.text } else { None })
    };
    let restored: Vec<String> = std::iter::from_fn(restored).flatten().collect();
    assert_eq!(restored, [overrides.text()]);
    let text = "@Architect with them".to_owned();
    let overrides = Some(Box::new(overrides));
    again
        .send(Command::SendMessage(NewMessage { overrides, ..NewMessage::new(again.session, text) }))
        .unwrap();
    again.pass(500);
    let (store, prefix) = (again.store.clone(), format!("{}/overrides", again.session));
    let rows = again.wait_for(async move { store.scan(Table::Drafts, prefix).await.unwrap() });
    assert_eq!((rows, again.running.unsaved().puts), (Vec::new(), Vec::new()));
}

#[test]
fn message_that_is_not_stored_stays_a_draft() {
    let tab = tab(|_, _| says("done"));
    draft(&tab, DraftField::Composer, "@Architect please do X");
    tab.store.fail_after(1, StoreError::Full);
    assert!(matches!(tab.say("@Architect please do X"), Err(Rejection::Store(_))));
    let mut signals = tab.running.bus.subscribe_transient();
    let (_, _, held) = composer_drafts(&tab, &mut signals);
    assert!(held[0].contains("please do X"), "{held:?}");
}

#[test]
fn session_loaded_beside_leaves_drafts_and_lock_of_the_one_in_view() {
    let first = tab(|_, _| says("first"));
    first.say("@Architect begin").unwrap();
    let (handle, other) = (first.running.handle.clone(), SessionId::new(&mut *first.ports.ids.borrow_mut()));
    first
        .send(Command::CreateSession { session: other, label: String::new(), mind: Mind::default() })
        .unwrap();
    let opening = handle.clone();
    first.wait_for(async move { opening.open(other).await }).unwrap();
    let mut signals = first.running.bus.subscribe_transient();
    handle.draft(Draft {
        session: other,
        field: DraftField::Composer,
        text: Some("half a message".into()),
        base: first.world().session(&other).unwrap().mind,
        in_conflict: false,
    });
    let beside = first.session;
    let is_loaded = || first.world().turns.values().any(|turn| turn.session == beside);
    assert!(!is_loaded());
    first.wait_for(async move { handle.load(beside).await }).unwrap();
    assert!(is_loaded());
    assert_eq!(composer_drafts(&first, &mut signals).1, Vec::<String>::new());
    assert_eq!(first.send(Command::SendMessage(NewMessage::new(other, "@Architect go on"))), Ok(()));
}

#[test]
fn tab_that_follows_stores_no_drafts() {
    let first = tab(|_, _| says("first"));
    let second = first.again(|_, _| says("second"));
    draft(&first, DraftField::Recipient, "critic");
    first.pass(2_000);
    draft(&second, DraftField::Recipient, "engineer");
    second.pass(2_000);
    let store = second.store.clone();
    let rows = second.wait_for(async move { store.scan(Table::Drafts, String::new()).await.unwrap() });
    let texts: Vec<_> =
        rows.iter().map(|(_, row)| nexus_text::json::read::<Draft>(row).unwrap().text.unwrap()).collect();
    assert_eq!(texts, ["critic"]);
}
