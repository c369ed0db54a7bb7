//! Scenarios of the Core: automatic syncs, its answers, its failures, and concurrent edits.

use crate::edit;
use std::cell::RefCell;
use std::rc::Rc;

use nexus_engine::port::Clock as _;
use nexus_engine::tests::{Scripted, ScriptedChunk, Tab, calls, refuses, says, tab};
use nexus_model::command::{Command, Rejection};
use nexus_model::event::EventKind;
use nexus_model::id::Millis;
use nexus_model::job::{JobCause, JobEnd, JobKind, JobSlot, SessionJobs};
use nexus_model::message::Role;
use nexus_model::mind::MindWrite;
use nexus_model::mind::core_sync::CoreState;
use nexus_model::provider::ProviderErrorKind;
use nexus_model::session::{Draft, DraftField};
use nexus_model::settings::schema::{
    CORE_AUTO, CORE_LINES, CORE_MODEL, CORE_PROPOSE, CORE_PROVIDER, CORE_WAIT,
};
use nexus_model::signal::TransientEvent;
use serde_json::{Value, json};

/// A tab in which only the Core is called.
fn quiet() -> Tab {
    tab(|_, _| says("fine"))
}

fn answers(tab: &Tab, script: impl FnMut(&Value) -> Scripted + 'static) {
    tab.core.borrow_mut().script = Some(Box::new(script));
}

fn patch(value: &Value) -> Scripted {
    says(&value.to_string())
}

/// A delayed answer.
fn slow(value: &Value, ms: u64) -> Scripted {
    let mut scripted = patch(value);
    scripted.beats.insert(0, ScriptedChunk::Wait(ms));
    scripted
}

fn requests(tab: &Tab) -> usize {
    tab.core.borrow().requests.len()
}

fn asked_text(tab: &Tab, at: usize) -> String {
    tab.core.borrow().requests[at]["contents"].to_string()
}

fn core(tab: &Tab) -> CoreState {
    tab.session_row().core
}

fn jobs(tab: &Tab) -> SessionJobs {
    tab.session_row().jobs
}

fn file(text: &str) -> MindWrite {
    MindWrite::File { name: "a.txt".into(), text: text.into() }
}

fn lines(count: usize) -> String {
    (0..count).map(|n| format!("line {n}\n")).collect()
}

fn draft(tab: &Tab, field: DraftField, text: &str) {
    let base = tab.session_row().mind;
    let draft = Draft { session: tab.session, field, text: Some(text.into()), base, in_conflict: false };
    tab.running.handle.draft(draft);
    tab.settle();
}

fn sync(tab: &Tab) -> Result<(), Rejection> {
    tab.send(Command::Sync { session: tab.session })
}

/// A tab whose file of ten lines was synced.
fn synced() -> Tab {
    let tab = quiet();
    edit(&tab, vec![file(&lines(10))]);
    tab.pass(3_000);
    assert_eq!(requests(&tab), 1);
    tab
}

fn notices(tab: &Tab) -> usize {
    tab.world().messages.values().filter(|message| message.role == Role::System).count()
}

#[test]
fn sync_starts_three_seconds_after_more_than_five_lines_changed() {
    let base = lines(10);
    let replaced = |count: usize| {
        (0..count).fold(base.clone(), |text, n| text.replace(&format!("line {n}\n"), &format!("new {n}\n")))
    };
    let inserted = |count: usize| format!("{base}{}", "new\n".repeat(count));
    for (text, due) in [(inserted(6), true), (replaced(3), true), (inserted(5), false), (replaced(2), false)]
    {
        let tab = synced();
        edit(&tab, vec![file(&text)]);
        tab.pass(2_999);
        assert_eq!(requests(&tab), 1, "it is too early");
        tab.pass(1);
        assert_eq!(requests(&tab), 1 + usize::from(due), "{text}");
        tab.pass(600_000);
        assert_eq!(requests(&tab), 1 + usize::from(due), "once is enough");
    }
}

#[test]
fn small_changes_add_up_until_the_next_sync() {
    let tab = synced();
    edit(&tab, vec![file(&format!("{}1\n2\n3\n", lines(10)))]);
    tab.pass(10_000);
    assert_eq!(requests(&tab), 1);
    edit(&tab, vec![file(&format!("{}1\n2\n3\n4\n5\n6\n", lines(10)))]);
    tab.pass(10_000);
    assert_eq!(requests(&tab), 2, "six since the last sync");
    edit(&tab, vec![file(&format!("{}1\n", lines(10)))]);
    tab.pass(10_000);
    assert_eq!(requests(&tab), 2, "five lines less than in its view, although it changed nothing then");
    assert_eq!(
        core(&tab).synced.as_ref().and_then(|hash| tab.world().mind(hash).cloned()).unwrap().files.len(),
        1
    );
}

#[test]
fn keystrokes_postpone_the_sync() {
    let tab = synced();
    let name = DraftField::File("a.txt".into());
    for count in [3, 6, 9] {
        draft(&tab, name.clone(), &format!("{}{}", lines(10), "x\n".repeat(count)));
        tab.pass(1_900);
    }
    tab.pass(100);
    assert_eq!(tab.mind().file("a.txt").unwrap().lines().count(), 19, "two seconds of quiet made it an edit");
    tab.pass(999);
    assert_eq!(requests(&tab), 1);
    tab.pass(1);
    assert_eq!(requests(&tab), 2, "three seconds after the last keystroke, not after the edit");
}

#[test]
fn typing_in_any_field_postpones_the_sync() {
    let tab = synced();
    edit(&tab, vec![file(&lines(20))]);
    tab.pass(2_500);
    draft(&tab, DraftField::Objective, "a");
    tab.pass(2_900);
    assert_eq!(requests(&tab), 1);
    tab.pass(200);
    assert_eq!(requests(&tab), 2);
    assert!(asked_text(&tab, 1).contains("<objective>\\na\\n"), "the view contains the typed text");
}

#[test]
fn sync_waits_for_the_run_and_counts_its_changes() {
    let mut rounds = 0;
    let tab = tab(move |_, _| {
        rounds += 1;
        if rounds == 1 {
            let mut scripted = calls(&[("write_file", json!({"name": "a.txt", "content": lines(8)}))]);
            scripted.beats.insert(0, ScriptedChunk::Wait(8_000));
            scripted
        } else {
            let mut scripted = says("written");
            scripted.beats.insert(0, ScriptedChunk::Wait(20_000));
            scripted
        }
    });
    tab.say("@Engineer write").unwrap();
    edit(&tab, vec![MindWrite::File { name: "b.txt".into(), text: lines(9) }]);
    tab.pass(27_000);
    assert_eq!(tab.mind().files.len(), 2);
    assert_eq!(requests(&tab), 0, "the run still works");
    tab.pass(1_000);
    assert_eq!(requests(&tab), 0, "it ended just now");
    tab.pass(3_000);
    assert_eq!(requests(&tab), 1);
    let text = asked_text(&tab, 0);
    assert!(text.contains("a.txt") && text.contains("b.txt") && text.contains("[Engineer]\\nwritten"));
}

#[test]
fn sync_requested_during_a_run_starts_at_its_end() {
    let tab = tab(|_, _| {
        let mut scripted = says("done");
        scripted.beats.insert(0, ScriptedChunk::Wait(5_000));
        scripted
    });
    tab.say("@Engineer go").unwrap();
    sync(&tab).unwrap();
    assert_eq!(sync(&tab), Err(Rejection::SyncWorks));
    assert!(core(&tab).pending.is_some() && jobs(&tab).of(JobSlot::Core).is_none());
    tab.pass(4_000);
    assert_eq!(requests(&tab), 0);
    tab.pass(2_000);
    assert_eq!(requests(&tab), 1, "the operator need not ask again, nor wait for quiet");
    assert_eq!(core(&tab).pending, None);
    let opened = tab.events().into_iter().find_map(|event| match event.known_kind() {
        Some(EventKind::JobOpened(job)) => Some(job.cause),
        _ => None,
    });
    assert_eq!(opened, Some(JobCause::Manual));
}

#[test]
fn only_one_sync_runs_and_later_changes_are_synced_afterwards() {
    let tab = quiet();
    answers(&tab, |_| slow(&json!({"reasoning": "looked"}), 20_000));
    edit(&tab, vec![file(&lines(10))]);
    tab.pass(3_000);
    assert_eq!(requests(&tab), 1);
    assert_eq!(sync(&tab), Err(Rejection::SyncWorks));
    edit(&tab, vec![file(&lines(20))]);
    tab.pass(19_000);
    assert_eq!(requests(&tab), 1);
    tab.pass(1_000);
    assert_eq!(requests(&tab), 2, "quiet was long enough already");
    tab.pass(60_000);
    assert_eq!(requests(&tab), 2);
}

#[test]
fn answer_patches_the_mind_and_is_stored_with_reason_and_cost() {
    let tab = quiet();
    edit(&tab, vec![MindWrite::Objective("Ship".into()), MindWrite::Scratchpad("- [ ] a.txt\n".into())]);
    answers(&tab, |_| patch(&json!({"scratchpad": "- [x] a.txt", "reasoning": "It is written."})));
    edit(&tab, vec![file(&lines(10))]);
    tab.pass(3_000);
    assert_eq!((tab.mind().scratchpad.as_str(), tab.mind().objective.as_str()), ("- [x] a.txt\n", "Ship"));
    let change = core(&tab).change.unwrap();
    assert_eq!((change.reasoning.as_str(), change.model.as_str()), ("It is written.", "gemini-3.8-flash"));
    assert!(change.minds.is_some() && change.usage.total() > 0 && change.cost.is_some());
    assert_eq!(notices(&tab), 0, "a plan that is brought up to date by itself is a quiet line");
    let body = tab.core.borrow().requests[0].clone();
    assert_eq!(body["generationConfig"]["responseJsonSchema"]["required"], json!(["reasoning"]));
    assert!(body.get("tools").is_none());
}

#[test]
fn manual_sync_and_new_objective_get_a_card() {
    let tab = quiet();
    sync(&tab).unwrap();
    assert_eq!((requests(&tab), notices(&tab)), (1, 1), "asked for, even if nothing had to change");
    answers(&tab, |_| patch(&json!({"objective": "Better", "reasoning": "You said so."})));
    edit(&tab, vec![file(&lines(10))]);
    tab.pass(3_000);
    assert_eq!((tab.mind().objective.as_str(), notices(&tab)), ("Better", 2));
    let world = tab.world();
    let card =
        world.messages.values().filter_map(|message| message.metadata.core.clone()).next_back().unwrap();
    assert_eq!((card.touched.len(), card.touched[0].field.as_str()), (1, "objective"));
}

#[test]
fn patch_is_merged_with_concurrent_typing() {
    let tab = quiet();
    edit(&tab, vec![MindWrite::Scratchpad("- [ ] one\n\nnotes\n\n- [ ] two\n".into())]);
    answers(&tab, |_| {
        slow(&json!({"scratchpad": "- [x] one\n\nnotes\n\n- [ ] two\n", "reasoning": "One is done."}), 5_000)
    });
    sync(&tab).unwrap();
    tab.pass(4_500);
    draft(&tab, DraftField::Scratchpad, "- [ ] one\n\nnotes\n\n- [ ] two\n- [ ] three, by hand\n");
    tab.pass(500);
    assert_eq!(tab.mind().scratchpad, "- [x] one\n\nnotes\n\n- [ ] two\n- [ ] three, by hand\n");
    assert_eq!(core(&tab).change.unwrap().dropped, Vec::<String>::new());
}

#[test]
fn operators_lines_win_over_the_patch() {
    let tab = quiet();
    edit(&tab, vec![MindWrite::Objective("Ship it".into()), MindWrite::Scratchpad("- [ ] one\n".into())]);
    tab.say("@Critic we want to ship it well").unwrap();
    answers(&tab, |_| {
        let value = json!({"objective": "Ship it well", "scratchpad": "- [x] one\n", "reasoning": "Both."});
        slow(&value, 5_000)
    });
    sync(&tab).unwrap();
    tab.pass(1_000);
    draft(&tab, DraftField::Scratchpad, "- [ ] one, but later\n");
    tab.pass(4_000);
    assert_eq!(tab.mind().scratchpad, "- [ ] one, but later\n");
    assert_eq!(tab.mind().objective, "Ship it well");
    assert_eq!(core(&tab).last.unwrap().dropped, ["scratchpad"]);
    let note = tab.world().messages.values().find_map(|message| message.metadata.core.clone()).unwrap();
    assert_eq!(note.dropped, ["scratchpad"], "and it is reported");
}

#[test]
fn core_change_can_be_undone_keeping_later_changes() {
    let tab = quiet();
    let undo = |tab: &Tab| {
        let sync = core(tab).change.and_then(|change| change.id).unwrap();
        tab.send(Command::UndoSync { session: tab.session, sync })
    };
    edit(&tab, vec![MindWrite::Scratchpad("- [ ] one\n\nnotes\n".into())]);
    answers(&tab, |_| patch(&json!({"scratchpad": "- [x] one\n\nnotes\n", "reasoning": "Done."})));
    sync(&tab).unwrap();
    edit(&tab, vec![MindWrite::Scratchpad("- [x] one\n\nnotes\nmore\n".into())]);
    undo(&tab).unwrap();
    assert_eq!(tab.mind().scratchpad, "- [ ] one\n\nnotes\nmore\n");
    assert!(core(&tab).change.unwrap().undone);
    assert_eq!(undo(&tab), Err(Rejection::Stale), "once");

    sync(&tab).unwrap();
    edit(&tab, vec![MindWrite::Scratchpad("- [x] one, really\n\nnotes\nmore\n".into())]);
    assert_eq!(undo(&tab), Err(Rejection::UndoClash { field: "scratchpad".into() }));
    assert_eq!(tab.mind().scratchpad, "- [x] one, really\n\nnotes\nmore\n");
}

#[test]
fn invalid_json_is_an_error_and_can_be_retried() {
    let tab = quiet();
    let reply_text = Rc::new(RefCell::new("I think all is well.".to_owned()));
    let says_now = Rc::clone(&reply_text);
    answers(&tab, move |_| says(&says_now.borrow()));
    sync(&tab).unwrap();
    let failed = jobs(&tab).failed(JobKind::Sync).cloned().unwrap();
    assert_eq!(
        (failed.end, failed.failure.as_ref().unwrap().category),
        (JobEnd::Failed, ProviderErrorKind::Garbled)
    );
    assert!(failed.failure.unwrap().message.contains("not JSON"));
    assert_eq!(jobs(&tab).of(JobSlot::Core), None);
    *reply_text.borrow_mut() =
        "Sure:\n```json\n{\"scratchpad\": \"- [x] all\", \"reasoning\": \"ok\"}\n```".into();
    sync(&tab).unwrap();
    assert_eq!(tab.mind().scratchpad, "- [x] all");
    assert_eq!(jobs(&tab).failed(JobKind::Sync), None);
}

#[test]
fn transient_error_is_retried_and_permanent_one_reported() {
    let tab = quiet();
    let mut tries = 0;
    answers(&tab, move |_| {
        tries += 1;
        if tries < 3 { refuses(503, "UNAVAILABLE") } else { patch(&json!({"reasoning": "at last"})) }
    });
    sync(&tab).unwrap();
    assert!(jobs(&tab).of(JobSlot::Core).unwrap().retry.is_some(), "it says that it waits");
    tab.pass(60_000);
    assert_eq!((requests(&tab), core(&tab).last.unwrap().reasoning.as_str()), (3, "at last"));

    answers(&tab, |_| refuses(403, "PERMISSION_DENIED"));
    sync(&tab).unwrap();
    tab.pass(60_000);
    assert_eq!(requests(&tab), 4);
    let failure = jobs(&tab).failed(JobKind::Sync).cloned().unwrap().failure.unwrap();
    assert_eq!(failure.category, ProviderErrorKind::Permission);
    edit(&tab, vec![file(&lines(9))]);
    tab.pass(60_000);
    assert_eq!(requests(&tab), 5, "a failure is not asked about again by itself before something changes");
}

#[test]
fn host_without_schemas_gets_a_forced_tool_call() {
    let tab = quiet();
    answers(&tab, |body| {
        if body["generationConfig"].get("responseJsonSchema").is_some() {
            return refuses(400, "INVALID_ARGUMENT");
        }
        let calling = &body["toolConfig"]["functionCallingConfig"];
        assert_eq!(
            (&calling["mode"], &calling["allowedFunctionNames"]),
            (&json!("ANY"), &json!(["patch_mind"]))
        );
        let args = json!({"scratchpad": "- [x] a", "reasoning": "a call does"});
        calls(&[("patch_mind", args)])
    });
    sync(&tab).unwrap();
    assert_eq!((requests(&tab), tab.mind().scratchpad.as_str()), (2, "- [x] a"));
    let core = core(&tab);
    assert_eq!(core.last.unwrap().reasoning, "a call does");
    // Outside all runs, but counted.
    assert_eq!(core.spent.calls, 1);
    assert!(core.spent.tokens > 0, "{:?}", core.spent);
}

#[test]
fn host_without_schemas_and_tools_gets_a_plain_prompt() {
    let tab = quiet();
    answers(&tab, |body| {
        if body["generationConfig"].get("responseJsonSchema").is_some() || body.get("tools").is_some() {
            refuses(400, "INVALID_ARGUMENT")
        } else {
            patch(&json!({"scratchpad": "- [x] a", "reasoning": "words do"}))
        }
    });
    sync(&tab).unwrap();
    assert_eq!((requests(&tab), tab.mind().scratchpad.as_str()), (3, "- [x] a"));
}

#[test]
fn stop_ends_the_sync_and_discards_its_answer() {
    for all in [false, true] {
        let tab = quiet();
        answers(&tab, |_| slow(&json!({"scratchpad": "late", "reasoning": ""}), 5_000));
        sync(&tab).unwrap();
        let session = tab.session;
        tab.send(if all { Command::Stop { session } } else { Command::StopSync { session } }).unwrap();
        assert_eq!(jobs(&tab).failed(JobKind::Sync).unwrap().end, JobEnd::Cancelled);
        tab.pass(60_000);
        assert_eq!(tab.mind().scratchpad, "");
        sync(&tab).unwrap();
        tab.pass(5_000);
        assert_eq!(tab.mind().scratchpad, "late", "the next one counts again");
    }
}

#[test]
fn closing_the_page_interrupts_the_sync_without_a_restart() {
    let first = quiet();
    answers(&first, |_| slow(&json!({"reasoning": "late"}), 60_000));
    edit(&first, vec![file(&lines(10))]);
    first.pass(3_000);
    assert!(jobs(&first).of(JobSlot::Core).is_some());
    first.kill();
    let again = first.again(|_, _| says("fine"));
    assert!(jobs(&again).open.is_empty());
    assert_eq!(jobs(&again).failed(JobKind::Sync).unwrap().end, JobEnd::Interrupted);
    again.pass(600_000);
    assert_eq!(requests(&again), 0);
    edit(&again, vec![file(&lines(11))]);
    again.pass(3_000);
    assert_eq!(requests(&again), 1, "unseen output still counts");
}

#[test]
fn interrupted_sync_does_not_affect_a_paused_run() {
    let first = quiet();
    first.send(Command::ChangeSetting { name: "cap_calls".into(), value: json!(1) }).unwrap();
    first.say("go").unwrap();
    let status =
        |tab: &Tab| tab.world().run(&tab.run_id()).map(|run| (run.status, run.pause.clone())).unwrap();
    let before = status(&first);
    answers(&first, |_| slow(&json!({"reasoning": "late"}), 60_000));
    sync(&first).unwrap();
    assert!(jobs(&first).of(JobSlot::Core).is_some(), "a run that waits for the operator does not work");
    first.kill();
    let again = first.again(|_, _| says("fine"));
    assert_eq!((jobs(&again).of(JobSlot::Core), status(&again)), (None, before));
}

#[test]
fn settings_control_automatic_sync_threshold_and_model() {
    let tab = synced();
    let set = |name: &str, value: Value| {
        tab.send(Command::ChangeSetting { name: name.into(), value }).unwrap();
    };
    set(CORE_AUTO.name(), json!(false));
    edit(&tab, vec![file(&lines(40))]);
    tab.pass(60_000);
    assert_eq!(requests(&tab), 1, "off is off");
    set(CORE_WAIT.name(), json!(10_000));
    set(CORE_LINES.name(), json!(50));
    set(CORE_AUTO.name(), json!(true));
    edit(&tab, vec![file(&lines(60))]);
    tab.pass(60_000);
    assert_eq!(requests(&tab), 1);
    edit(&tab, vec![file(&lines(61))]);
    tab.pass(9_999);
    assert_eq!(requests(&tab), 1);
    set(CORE_PROVIDER.name(), json!("gemini"));
    set(CORE_MODEL.name(), json!("gemini-3.5-flash-lite"));
    tab.pass(1);
    assert_eq!(requests(&tab), 2);
    assert_eq!(core(&tab).last.unwrap().model, "gemini-3.5-flash-lite");
    set(CORE_PROVIDER.name(), json!("gone"));
    sync(&tab).unwrap();
    let failed = jobs(&tab).failed(JobKind::Sync).cloned().unwrap().failure.unwrap();
    assert_eq!((failed.category, requests(&tab)), (ProviderErrorKind::NotSetUp, 2));
}

#[test]
fn due_time_is_published() {
    let tab = synced();
    let mut live = tab.running.bus.subscribe_transient();
    let mut shown = || {
        std::iter::from_fn(|| live.try_recv().ok())
            .filter_map(|live| if let TransientEvent::SyncDue { at, .. } = live { Some(at) } else { None })
            .collect::<Vec<_>>()
    };
    let now = tab.clock.now();
    edit(&tab, vec![file(&lines(40))]);
    assert_eq!(shown(), [Some(Millis(now.0 + 3_000))]);
    tab.pass(3_000);
    assert_eq!(shown(), [None]);
}

#[test]
fn prompt_has_the_newest_thirty_messages_and_the_files() {
    let tab = tab(|_, _| says("an answer"));
    for number in 0..20 {
        tab.say(&format!("@Engineer message {number}.")).unwrap();
    }
    edit(&tab, vec![file(&lines(3)), MindWrite::File { name: "b.txt".into(), text: "other file\n".into() }]);
    sync(&tab).unwrap();
    let text = asked_text(&tab, 0);
    assert!(text.contains("message 19.") && text.contains("message 5."));
    assert!(!text.contains("message 4."), "fifteen messages and fifteen answers");
    assert!(text.contains("line 2") && text.contains("other file"));
    assert!(text.find("message 5.").unwrap() < text.find("message 19.").unwrap());
}

#[test]
fn demo_core_ticks_existing_files() {
    let tab = quiet();
    tab.use_model("rehearsal", "rehearsal-1");
    let plan = "## Plan: Timer\n- [ ] Engineer: write a.txt\n- [ ] Engineer: write b.txt\n";
    edit(&tab, vec![MindWrite::Scratchpad(plan.into())]);
    edit(&tab, vec![file(&lines(10))]);
    tab.pass(3_000);
    assert_eq!(tab.mind().scratchpad, plan.replace("[ ] Engineer: write a.txt", "[x] Engineer: write a.txt"));
    assert!(core(&tab).change.unwrap().reasoning.contains("a.txt"));
    sync(&tab).unwrap();
    tab.pass(1_000);
    let last = core(&tab).last.unwrap();
    assert!(last.minds.is_none(), "a second look changes nothing: {last:?}");
}

#[test]
fn operators_words_in_the_objective_are_kept_and_reported() {
    let tab = quiet();
    let own = "Convert our CSV of tram stops to GeoJSON. Keep our names.\n";
    edit(&tab, vec![MindWrite::Objective(own.into())]);
    tab.say(own.trim()).unwrap(); // As the first message of a session is.
    let said = |objective: &str| {
        let value = json!({"objective": objective, "reasoning": "Clearer."});
        answers(&tab, move |_| patch(&value));
    };
    said("Convert the stops. Keep the names.");
    sync(&tab).unwrap();
    assert_eq!(tab.mind().objective, own);
    let last = core(&tab).last.unwrap();
    assert!(last.minds.is_none() && last.kept_words);
    let note = tab.world().messages.values().find_map(|message| message.metadata.core.clone()).unwrap();
    assert!(note.touched.is_empty() && note.kept_words);
    // If the operator changed their aim, that sentence changes, and no other.
    tab.pass(1_000);
    tab.say("@Critic make it KML instead").unwrap();
    said("Convert our CSV of tram stops to KML. Keep the names.");
    sync(&tab).unwrap();
    assert_eq!(tab.mind().objective, "Convert our CSV of tram stops to KML. Keep our names.\n");
    assert!(!core(&tab).last.unwrap().kept_words, "a word is missing");
    // Messages before the last answer are no reason for a change.
    tab.pass(1_000);
    said("Convert our CSV of tram stops to instead. Keep our names.");
    sync(&tab).unwrap();
    assert_eq!(tab.mind().objective, "Convert our CSV of tram stops to KML. Keep our names.\n");
}

#[test]
fn core_can_be_limited_to_proposals() {
    let first = quiet();
    first.send(Command::ChangeSetting { name: CORE_PROPOSE.name().into(), value: json!(true) }).unwrap();
    edit(&first, vec![MindWrite::Scratchpad("- [ ] one\n\nnotes\n".into())]);
    answers(&first, |_| patch(&json!({"scratchpad": "- [x] one\n\nnotes\n", "reasoning": "Done."})));
    sync(&first).unwrap();
    assert_eq!(first.mind().scratchpad, "- [ ] one\n\nnotes\n", "nothing changed without being asked");
    assert_eq!((core(&first).spent.calls, notices(&first)), (1, 0));
    first.pass(1_000);
    first.kill();
    // The proposal survives a reload and is merged with later typing.
    let tab = first.again(|_, _| says("fine"));
    let session = tab.session;
    edit(&tab, vec![MindWrite::Scratchpad("- [ ] one\n\nnotes\nmore\n".into())]);
    let proposal = core(&tab).proposal.unwrap();
    assert_eq!((proposal.reasoning.as_str(), proposal.writes.len()), ("Done.", 1));
    let sync_id = proposal.sync;
    tab.send(Command::ApplySyncProposal { session, sync: sync_id }).unwrap();
    assert_eq!(tab.mind().scratchpad, "- [x] one\n\nnotes\nmore\n");
    let state = core(&tab);
    assert_eq!((state.proposal, state.spent.calls), (None, 1), "it was counted once");
    assert_eq!(tab.send(Command::ApplySyncProposal { session, sync: sync_id }), Err(Rejection::Stale));
    // It can be undone like any change of the Core.
    tab.send(Command::UndoSync { session, sync: sync_id }).unwrap();
    assert_eq!(tab.mind().scratchpad, "- [ ] one\n\nnotes\nmore\n");
    assert!(core(&tab).change.unwrap().undone);

    // One is dismissed; one that no longer applies is rejected and stays.
    answers(&tab, |_| patch(&json!({"scratchpad": "- [x] one\n\nnotes\nmore\n", "reasoning": "Done."})));
    sync(&tab).unwrap();
    edit(&tab, vec![MindWrite::Scratchpad("- [ ] one, later\n\nnotes\nmore\n".into())]);
    let sync_id = core(&tab).proposal.unwrap().sync;
    let applied = tab.send(Command::ApplySyncProposal { session, sync: sync_id });
    assert!(matches!(applied, Err(Rejection::Write(_))), "{applied:?}");
    assert!(core(&tab).proposal.is_some());
    tab.send(Command::DismissSyncProposal { session, sync: sync_id }).unwrap();
    assert_eq!(core(&tab).proposal, None);
    assert_eq!(tab.mind().scratchpad, "- [ ] one, later\n\nnotes\nmore\n");
}
