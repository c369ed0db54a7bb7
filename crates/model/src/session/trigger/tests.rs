use std::sync::Arc;

use proptest::prelude::*;

use super::*;
use crate::event::{EVENT_VERSION, Event, EventKind};
use crate::id::StreamId;
use crate::mind::MindEdit;
use crate::run::RunStatus;
use nexus_text::content_hash::ContentHash;

const MINUTE: u64 = 60_000;

fn trigger(when: Schedule) -> Trigger {
    Trigger {
        id: TriggerId::from(1),
        name: "One".into(),
        when,
        to: Recipient::Persona(AgentKey("engineer".into())),
        text: "Look".into(),
        pause_reason: None,
        since: Millis(0),
        last: None,
        recent: Vec::new(),
    }
}

fn every(minutes: u64, from: u64, since: u64) -> Trigger {
    let when = Schedule::Every { ms: minutes * MINUTE, from: Millis(from) };
    Trigger { since: Millis(since), ..trigger(when) }
}

#[test]
fn due_states_match_the_table() {
    let hour = 60 * MINUTE;
    let at = |at: u64, since: u64| Trigger { since: Millis(since), ..trigger(Schedule::At(Millis(at))) };
    let paused = Trigger { pause_reason: Some(PauseReason::Paused), ..every(60, 0, 0) };
    for (name, trigger, now, expected) in [
        ("once, before", at(hour, 1), hour - 1, DueState::Later(Millis(hour))),
        ("once, then", at(hour, 1), hour, DueState::Due(Millis(hour))),
        ("once, a little late", at(hour, 1), hour + MINUTE, DueState::Due(Millis(hour))),
        ("once, closed then", at(hour, 1), 2 * hour, DueState::Missed(Millis(hour), 1)),
        ("once, done", at(hour, hour), 2 * hour, DueState::Never),
        ("first time to come", every(60, 5 * hour, 1), hour, DueState::Later(Millis(5 * hour))),
        ("first time", every(60, 5 * hour, 1), 5 * hour, DueState::Due(Millis(5 * hour))),
        ("from now on", every(60, 10, 10), 20, DueState::Later(Millis(hour + 10))),
        ("again", every(60, 0, hour), 2 * hour, DueState::Due(Millis(2 * hour))),
        ("between two times", every(60, 0, hour), hour + 5, DueState::Later(Millis(2 * hour))),
        ("one missed", every(60, 0, hour), 2 * hour + hour / 2, DueState::Missed(Millis(2 * hour), 1)),
        ("three missed", every(60, 0, hour), 4 * hour + hour / 2, DueState::Missed(Millis(4 * hour), 3)),
        ("three missed, one due", every(60, 0, hour), 5 * hour, DueState::Missed(Millis(4 * hour), 3)),
        ("the clock went back", every(60, 0, 9 * hour), hour, DueState::Later(Millis(10 * hour))),
        ("paused", paused, 9 * hour, DueState::Never),
        ("waits for an event", trigger(Schedule::RunFailed { session: None }), hour, DueState::Never),
    ] {
        assert_eq!(trigger.due_state(Millis(now)), expected, "{name}");
    }
}

proptest! {
    /// Whatever the clock does, each time is fired or missed exactly once.
    #[test]
    fn each_time_is_handled_once(steps in prop::collection::vec(1u64..400, 1..60), minutes in 1u64..200) {
        let mut trigger = every(minutes, 1_000, 1_000);
        let (mut now, mut handled) = (1_000, 0);
        for step in steps {
            now += step * MINUTE;
            for _ in 0..3 {
                let cause = |at| TriggerCause::Time(at);
                match trigger.due_state(Millis(now)) {
                    DueState::Due(at) => {
                        handled += 1;
                        trigger = trigger.fired(&cause(at), Millis(now));
                    }
                    DueState::Missed(at, times) => {
                        handled += times;
                        trigger = trigger.ended(&cause(at), &TriggerOutcome::Missed { times }, Millis(now));
                    }
                    DueState::Later(at) => prop_assert!(at.0 > now),
                    DueState::Never => prop_assert!(false, "an interval has no end"),
                }
            }
            prop_assert_eq!(handled, (now - 1_000) / (minutes * MINUTE));
        }
    }
}

fn session() -> SessionId {
    SessionId::from(5)
}

fn event(kind: EventKind, run: Option<RunId>) -> Event {
    let stream = StreamId::Session(session());
    Event { v: EVENT_VERSION, stream, seq: 1, at: Millis(1), run, turn: None, kind: kind.into() }
}

fn edited(edits: Vec<MindEdit>) -> Event {
    event(EventKind::MindEdited { base: ContentHash::of_text(""), edits, undoes: None }, None)
}

fn file(name: &str) -> MindEdit {
    MindEdit::File { name: name.into(), text: "x".into() }
}

#[test]
fn events_fire_triggers_as_in_the_table() {
    let world = World::default();
    let run = Some(RunId::from(9));
    let of = |file: &str, session| trigger(Schedule::FileChanged { file: file.into(), session });
    let objective = || MindEdit::Objective { text: "new".into() };
    let ended = |status| event(EventKind::RunEnded { status }, run);
    let failed = trigger(Schedule::RunFailed { session: None });
    let aim = trigger(Schedule::ObjectiveChanged { session: None });
    let other = Some(SessionId::from(6));
    for (name, trigger, event, fires) in [
        ("any file", of("", None), edited(vec![file("a.rs")]), true),
        ("the file", of("a.rs", None), edited(vec![file("b.rs"), file("a.rs")]), true),
        ("another file", of("a.rs", None), edited(vec![file("b.rs")]), false),
        ("a beginning", of("docs/*", None), edited(vec![file("docs/x.md")]), true),
        ("no file at all", of("", None), edited(vec![objective()]), false),
        (
            "a removed file",
            of("a.rs", None),
            edited(vec![MindEdit::FileRemoved { name: "a.rs".into() }]),
            true,
        ),
        (
            "a new name",
            of("b.rs", None),
            edited(vec![MindEdit::FileRenamed { from: "a.rs".into(), to: "b.rs".into() }]),
            true,
        ),
        ("in this session", of("", Some(session())), edited(vec![file("a.rs")]), true),
        ("in another session", of("", other), edited(vec![file("a.rs")]), false),
        ("the objective", aim.clone(), edited(vec![objective()]), true),
        ("only a file", aim.clone(), edited(vec![file("a.rs")]), false),
        ("a run failed", failed.clone(), ended(RunStatus::Failed), true),
        ("a run timed out", failed.clone(), ended(RunStatus::TimedOut), true),
        ("a run was done", failed.clone(), ended(RunStatus::Completed), false),
        ("a run was stopped", failed.clone(), ended(RunStatus::Cancelled), false),
        (
            "it rests",
            Trigger { pause_reason: Some(PauseReason::Paused), ..failed },
            ended(RunStatus::Failed),
            false,
        ),
        ("a time", every(1, 0, 0), edited(vec![file("a.rs")]), false),
    ] {
        assert_eq!(trigger.matching_cause(&world, &event).is_some(), fires, "{name}");
    }
}

#[test]
fn events_fire_at_most_once_a_minute_and_twelve_times_an_hour() {
    let cause = TriggerCause::Objective { session: session() };
    let mut one = trigger(Schedule::ObjectiveChanged { session: None });
    assert_eq!(one.free_at(), Millis(0));
    for number in 0..TRIGGERS_AN_HOUR as u64 {
        assert!(!one.fires_too_often(Millis(number * MINUTE)));
        one = one.fired(&cause, Millis(number * MINUTE));
    }
    assert_eq!(one.free_at(), Millis(12 * MINUTE));
    assert!(one.fires_too_often(Millis(12 * MINUTE)));
    assert!(!one.fires_too_often(Millis(61 * MINUTE)), "firings of an hour ago no longer count");
    let paused = one.ended(&cause, &TriggerOutcome::TooOften, Millis(12 * MINUTE));
    assert_eq!(paused.pause_reason, Some(PauseReason::TooOften));
}

#[test]
fn invalid_trigger_is_rejected_with_reason() {
    let mut world = World::default();
    let now = Millis(10);
    let one = trigger(Schedule::RunFailed { session: None });
    assert_eq!(one.check(&world, now), Err(TriggerError::Nobody));
    for agent in crate::agent::defaults::first_agents() {
        world.agents.insert(agent.key.clone(), Arc::new(agent));
    }
    assert_eq!(one.check(&world, now), Ok(()));
    for (wrong, why) in [
        (Trigger { name: " ".into(), ..one.clone() }, TriggerError::Nameless),
        (Trigger { text: "\n".into(), ..one.clone() }, TriggerError::SaysNothing),
        (Trigger { text: "x".repeat(TRIGGER_BYTES), ..one.clone() }, TriggerError::TooLong),
        (Trigger { when: Schedule::At(Millis(10)), ..one.clone() }, TriggerError::Over),
        (Trigger { when: Schedule::Every { ms: 59_999, from: now }, ..one.clone() }, TriggerError::TooOften),
        (Trigger { to: Recipient::Session(session()), ..one.clone() }, TriggerError::Nobody),
    ] {
        assert_eq!(wrong.check(&world, now), Err(why));
    }
}

#[test]
fn triggers_round_trip_and_other_rows_are_skipped() {
    let mut world = World::default();
    let all = [
        every(5, 1, 2).fired(&TriggerCause::Time(Millis(3)), Millis(4)),
        Trigger {
            id: TriggerId::from(2),
            ..trigger(Schedule::FileChanged { file: "a".into(), session: Some(session()) })
        },
    ];
    for one in &all {
        world.settings.insert(Trigger::row(one.id), Arc::new(json::to_tree(one).unwrap()));
    }
    world.settings.insert(Trigger::row(TriggerId::from(3)), Arc::new(Value::Null));
    world.settings.insert("triggers_other".into(), Arc::new("x".into()));
    assert_eq!(triggers(&world), all);
    assert_eq!(super::trigger(&world, TriggerId::from(3)), None);
}
