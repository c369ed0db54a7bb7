//! Actions for the run of the session in view, including races, and for its conversation: search, pins, snapshots of
//! earlier turns, and voice.

use crate::ui::actions::{ActionList, ActionName, go};
use crate::ui::chat::keep_going::is_on;
use crate::ui::chat::race::model_name;
use crate::ui::chat::run_summary::undo_round;
use crate::ui::prelude::*;
use nexus_model::session::workers::shown_race;
use nexus_model::settings::schema::{HANDS_FREE, KEEP_GOING};
use nexus_view::run_summary::run_summary;
use nexus_view::strings::chat::race as race_words;
use nexus_view::strings::{palette as words, run_graph, tree};

const STOP: ActionName = ("run-stop", words::STOP, Text("cancel halt abort"));
const SEND_HELD: ActionName = ("queue-send", words::SEND_HELD, Text("queue waiting continue"));
const DISCARD_HELD: ActionName = ("queue-discard", words::DISCARD_HELD, Text("queue waiting delete remove"));
const GO_ON: ActionName = ("run-go-on", words::GO_ON, Text("continue resume raise cap"));
const END: ActionName = ("run-end", words::END, Text("finish give up"));
const RETRY_NOW: ActionName = ("run-retry-now", words::RETRY_NOW, Text("again retry attempt"));
const STOP_WAITING: ActionName = ("run-stop-waiting", words::STOP_WAITING, Text("give up retry"));
const TO_ASKED: ActionName = ("run-asked", words::TO_ASKED, Text("approve allow deny tool question"));
const RECAP: ActionName =
    ("run-catch-up", common::RECAP, Text("catch me up summary summarize what happened away"));
const NEW_GRAPH: ActionName = (
    "run-graph-new",
    run_graph::NEW,
    Text("template plan build review orchestrator verifier nodes edges pipeline"),
);
const UNDO_ROUND: ActionName = ("run-undo-round", words::UNDO_ROUND, Text("take back revert changes"));
const RACE: ActionName = (
    "race-new",
    race_words::OPEN_NEW,
    Text("race arena models compare answers side by side at once several"),
);
const RACE_AGAIN: ActionName =
    ("race-again", race_words::OPEN_AGAIN, Text("race try again other models last answer side by side"));
const COMPARE_RACE: ActionName =
    ("race-compare", race_words::TO_COMPARE, Text("difference side by side answers"));
const END_RACE: ActionName = ("race-end", race_words::END, Text("stop models leave"));
const LOOK_BACK: ActionName =
    ("past-back", tree::LOOK_BACK, Text("older history time travel previous turn snapshot"));
const RETURN: ActionName = ("past-return", tree::RETURN, Text("present leave snapshot live"));
const CONTINUE_PAST: ActionName =
    ("past-continue", tree::CONTINUE_LOOKED, Text("fork branch session snapshot continue"));
const HEADS: ActionName =
    ("past-heads", common::SESSION_HISTORY, Text("reflog history former heads moves undo go back"));
const STOP_READING: ActionName = ("voice-hush", words::STOP_READING, Text("silence quiet mute voice"));

pub(super) fn put(page: &'static Page, list: &mut ActionList) {
    let &Page { dispatch, notices, world, .. } = page;
    let run = page.run.run;
    let works = page.run.is_working.get();
    let id = run.with_some(|run| Some(run.id));
    let [paused, waits, asks, ran] = run.with(|run| {
        run.as_ref().map_or([false; 4], |run| {
            [run.pause.is_some(), run.retry_at.is_some(), run.needs_approval, run.used.calls > 0]
        })
    });
    list.change(STOP, move || dispatch.send(Command::Stop { session: dispatch.session() }))
        .by(ShortcutAction::Stop)
        .unless((!page.run.is_open.get()).then_some(words::NOTHING_RUNS));
    let setting = page.settings.value(KEEP_GOING).get();
    let keeps_going = is_on(setting.as_deref());
    let title = if keeps_going { words::ONE_ROUND } else { words::KEEP_GOING };
    list.on_any_screen(("keep-going", title, Text("rounds repeat loop until done")), move || {
        let mut settings = setting.as_deref().and_then(Value::as_object).cloned().unwrap_or_default();
        settings.insert("on".to_owned(), (!keeps_going).into());
        dispatch.set_setting(KEEP_GOING, Value::Object(settings));
    });
    put_race(page, list);
    let none_held = (page.run.held_count.get() == 0).then_some(words::NONE_HELD);
    let send_held = move || Command::SendAllHeld { session: dispatch.session() };
    list.change(SEND_HELD, move || dispatch.send(send_held())).unless(none_held);
    list.change(DISCARD_HELD, move || dispatch.withdraw_queued(None)).unless(none_held);
    let of_run = move |command: fn(RunId) -> Command| {
        move || id.into_iter().for_each(|run| dispatch.send(command(run)))
    };
    let not_paused = (!paused).then_some(words::NOT_PAUSED);
    list.change(GO_ON, of_run(|run| Command::ContinueRun { run })).unless(not_paused);
    list.change(END, of_run(|run| Command::EndRun { run })).unless(not_paused);
    let of_turn = move |command: fn(TurnId) -> Command| {
        move || {
            let session = dispatch.session();
            let turn = world.with_untracked(|world| Some(world.open_turn(world.session(&session)?)?.id));
            turn.into_iter().for_each(|turn| dispatch.send(command(turn)));
        }
    };
    let no_wait = (!waits).then_some(words::NO_WAIT);
    list.change(RETRY_NOW, of_turn(|turn| Command::RetryNow { turn })).unless(no_wait);
    list.change(STOP_WAITING, of_turn(|turn| Command::StopWaiting { turn })).unless(no_wait);
    list.in_war_room(TO_ASKED, |room| {
        room.pane.set(Pane::Timeline);
        go(&home_path(), ".approval-card button, .worker-need button");
    })
    .unless((!asks).then_some(words::NOTHING_ASKED));
    let unavailable = match (ran, works) {
        (_, true) => Some(words::ROUND_WORKS),
        (false, false) => Some(words::NO_ROUND),
        (true, false) => None,
    };
    list.in_war_room(RECAP, move |room| {
        room.pane.set(Pane::Timeline);
        room.open_summary.set(id);
        go(&home_path(), "#catch-up");
    })
    .unless(unavailable);
    list.change_in_war_room(NEW_GRAPH, |room| room.dialogs.open(OpenDialog::Graph))
        .unless(page.run.is_open.get().then_some(words::ROUND_WORKS));
    list.change(UNDO_ROUND, move || {
        let session = dispatch.session();
        let minds =
            world.with_untracked(|world| run_summary(world, session)).and_then(|summary| summary.minds);
        if !minds.is_some_and(|minds| undo_round(page, &minds, || ())) {
            notices.add(NoticeKind::Info, words::UNDONE_NOTHING, "");
        }
    })
    .unless(unavailable);
}

fn put_race(page: &'static Page, list: &mut ActionList) {
    let &Page { dispatch, providers, world, .. } = page;
    let is_open = page.run.is_open.get().then_some(words::ROUND_WORKS);
    let focus = page.sessions.focus.get();
    let begin = |turn: Option<TurnId>| move |room: Workspace| room.dialogs.open(OpenDialog::Race(turn));
    list.change_in_war_room(RACE, begin(None)).unless(is_open);
    let head = world.with(WorldParts::SESSIONS, |world| {
        let turn = world.replies(world.session(&focus)?.head).next()?;
        (turn.kind == TurnKind::Normal).then_some(turn.id)
    });
    list.change_in_war_room(RACE_AGAIN, begin(head))
        .unless(is_open)
        .unless(head.is_none().then_some(words::NO_TURN));
    let shown = world.with(WorldParts::ALL, |world| shown_race(world, focus));
    let no_race = shown.is_none().then_some(race_words::NO_RACE);
    let race = shown.as_ref().map(|shown| shown.run);
    let lanes = shown.map(|shown| shown.lanes).unwrap_or_default();
    for (number, lane) in (1usize..).zip(&lanes) {
        let model = lane.config.as_ref().map(|config| model_name(config, providers)).unwrap_or_default();
        let title = race_words::use_of(number, &model);
        let name = (format!("race-use-{number}"), title, Text("race pick choose take over winner"));
        let (session, lane_session) = (focus, lane.session);
        list.change(name, move || dispatch.send(Command::PickLane { session, lane: lane_session }))
            .unless((!lane.can_be_picked).then_some(race_words::NOT_THERE));
    }
    for (number, lane) in (1usize..).zip(&lanes).filter(|(_, lane)| !lane.status.is_over()) {
        let (session, title) = (lane.session, race_words::stop_of(number));
        let name = (format!("race-stop-{number}"), title, Text("race lane model cancel"));
        list.change(name, move || dispatch.send(Command::Stop { session }));
    }
    let is_one = lanes.iter().filter(|lane| lane.can_be_picked).count() < 2;
    list.in_war_room(COMPARE_RACE, |room| {
        room.pane.set(Pane::Timeline);
        go(&home_path(), "[data-testid=\"race-compare\"]");
    })
    .unless(no_race)
    .unless(is_one.then_some(race_words::NOT_THERE));
    let end = move || race.into_iter().for_each(|run| dispatch.send(Command::EndRun { run }));
    list.change(END_RACE, end).unless(no_race);
}

pub(super) fn put_timeline(page: &'static Page, list: &mut ActionList) {
    put_past(page, list);
    for (id, title, action, also) in [
        ("timeline-find", words::FIND, MessageAction::Find, Text("search look for text ctrl shift f")),
        ("timeline-pins", common::PINNED_MESSAGES, MessageAction::Pins, Text("pinned messages marks")),
    ] {
        list.in_war_room((id, title, also), move |room| {
            room.pane.set(Pane::Timeline);
            room.actions.request(action.clone());
        });
    }
}

fn put_past(page: &'static Page, list: &mut ActionList) {
    let &Page { dispatch, world, .. } = page;
    let session = page.sessions.focus.get();
    let snapshot = Workspace::now().and_then(|room| room.dialogs.snapshot.get());
    let from = snapshot.as_ref().map(|snapshot| snapshot.turn);
    // One turn before the snapshot, or before the head.
    let before: Option<TurnId> = world.with(WorldParts::SESSIONS, |world| {
        let from = from.or(world.session(&session)?.head)?;
        world.turn(&from)?.parent
    });
    list.in_war_room(LOOK_BACK, move |room| {
        if let Some(turn) = before {
            room.dialogs.show_snapshot(Some(SnapshotTarget { session, turn, mind: None }));
        }
    })
    .unless(before.is_none().then_some(tree::NO_OLDER));
    let no_snapshot = snapshot.is_none().then_some(tree::IS_NOW);
    list.in_war_room(RETURN, |room| room.dialogs.show_snapshot(None)).unless(no_snapshot);
    list.in_war_room(CONTINUE_PAST, move |room| {
        let Some(SnapshotTarget { session, turn, mind }) = snapshot.clone() else { return };
        dispatch.continue_from_session(session, (turn, mind), String::new(), move |is_created| {
            if is_created {
                room.dialogs.show_snapshot(None);
            }
        });
    })
    .unless(no_snapshot);
    list.in_war_room(HEADS, move |room| room.dialogs.open(OpenDialog::Heads(session)));
}

pub(super) fn put_voice(page: &'static Page, list: &mut ActionList) {
    let dispatch = page.dispatch;
    let voice = Workspace::now().map(|room| room.voice);
    let no_recognition = (!js_part::can_hear()).then_some(words::NO_RECOGNITION);
    let no_synthesis = (!js_part::can_speak()).then_some(words::NO_SPEECH_OUTPUT);
    let listens = voice.is_some_and(|voice| voice.status.get().is_listening());
    let title = if listens { common::STOP_LISTENING } else { words::TALK };
    list.in_war_room(("voice-talk", title, Text("microphone speak dictate listen")), move |room| {
        room.pane.set(Pane::Timeline);
        room.voice.request(if listens { VoiceRequest::StopTalking } else { VoiceRequest::Talk });
    })
    .unless(no_recognition)
    .unless(page.sessions.read_only.get().then_some(common::READ_ONLY));
    let reads = voice.is_some_and(|voice| voice.reading.get().is_some());
    list.in_war_room(STOP_READING, |room| room.voice.request(VoiceRequest::StopReading))
        .unless(no_synthesis)
        .unless((!reads).then_some(words::NOT_READING));
    let auto_read = page.settings.get(AUTO_READ).get();
    let name = ("voice-auto-read", words::read_answers(auto_read), Text("speech speak voice"));
    list.on_any_screen(name, move || dispatch.set_setting(AUTO_READ, !auto_read)).unless(no_synthesis);
    let free = page.settings.get(HANDS_FREE).get();
    let name = ("voice-hands-free", words::hands_free(free), Text("voice speech"));
    list.on_any_screen(name, move || dispatch.set_setting(HANDS_FREE, !free)).unless(no_recognition);
}
