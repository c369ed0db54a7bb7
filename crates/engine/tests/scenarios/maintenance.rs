//! Scenarios of summaries and memories: when they are made, how answers apply, and what agents see of them.

use crate::set;
use serde_json::{Value, json};

use nexus_engine::port::Clock as _;
use nexus_engine::tests::{Scripted, ScriptedChunk, Tab, refuses, says, tab};
use nexus_model::command::{Command, MemoryChange, Rejection};
use nexus_model::event::EventKind;
use nexus_model::id::SessionId;
use nexus_model::job::maintenance::used_today;
use nexus_model::job::{JobKind, JobSlot};
use nexus_model::limits::MAINTENANCE_DELAY_MS;
use nexus_model::memory::{Memory, MemoryScope};
use nexus_model::settings::schema::{JOB_CALLS, MEMORY_AUTO, SUMMARY_AUTO};

fn answers(tab: &Tab, script: impl FnMut(&Value) -> Scripted + 'static) {
    tab.archivist.borrow_mut().script = Some(Box::new(script));
}

fn is_for_memories(body: &Value) -> bool {
    body["systemInstruction"].to_string().contains("worth remembering")
}

/// The requests for summaries, or for memories.
fn requests(tab: &Tab, memories: bool) -> Vec<Value> {
    let archivist = tab.archivist.borrow();
    archivist.requests.iter().filter(|body| is_for_memories(body) == memories).cloned().collect()
}

/// One message and one answer, and the time until the jobs are done.
fn exchange(tab: &Tab, text: &str) {
    tab.say(&format!("@Architect {text}")).unwrap();
    tab.pass(4 * MAINTENANCE_DELAY_MS);
}

fn summary(text: &str) -> Scripted {
    says(&json!({"title": "A timer", "summary": text, "keywords": ["timer"]}).to_string())
}

fn facts(list: &Value) -> Scripted {
    says(&json!({ "memories": list }).to_string())
}

fn memories(tab: &Tab) -> Vec<Memory> {
    tab.world().memories.values().map(|memory| memory.as_ref().clone()).collect()
}

#[test]
fn session_is_summarised_after_two_messages_and_then_every_ten() {
    let tab = tab(|_, _| says("Built."));
    set(&tab, MEMORY_AUTO.name(), false);
    let mut count = 0;
    answers(&tab, move |_| {
        count += 1;
        summary(&format!("Summary {count}."))
    });
    exchange(&tab, "build a timer");
    let row = tab.session_row();
    assert_eq!((row.title.as_deref(), row.summary.as_deref()), (Some("A timer"), Some("Summary 1.")));
    assert_eq!(row.keywords, ["timer"]);
    for number in 0..4 {
        exchange(&tab, &format!("more {number}"));
    }
    assert_eq!(requests(&tab, false).len(), 1, "eight new messages are not ten");
    exchange(&tab, "more 5");
    let second = requests(&tab, false)[1]["contents"].to_string();
    assert!(second.contains("Summary 1.") && second.contains("more 0") && second.contains("more 5"));
    assert!(!second.contains("build a timer"), "only newer messages are read");
    assert_eq!(tab.session_row().summary.as_deref(), Some("Summary 2."));
}

#[test]
fn existing_title_is_kept() {
    let tab = tab(|_, _| says("Built."));
    set(&tab, MEMORY_AUTO.name(), false);
    let mut count = 0;
    answers(&tab, move |_| {
        count += 1;
        says(&json!({"title": format!("Title {count}"), "summary": "s", "keywords": []}).to_string())
    });
    for number in 0..7 {
        exchange(&tab, &number.to_string());
    }
    assert!(requests(&tab, false).len() > 1);
    assert_eq!(tab.session_row().title.as_deref(), Some("Title 1"));
}

#[test]
fn memories_are_extracted_every_four_messages_and_used_in_requests() {
    let tab = tab(|_, _| says("Built."));
    set(&tab, SUMMARY_AUTO.name(), false);
    answers(&tab, |_| {
        facts(&json!([{"content": "The operator prefers tabs.", "importance": 4, "message": 3}]))
    });
    exchange(&tab, "one");
    assert!(requests(&tab, true).is_empty(), "two messages are not four");
    exchange(&tab, "two: I prefer tabs");
    let [memory]: [Memory; 1] = memories(&tab).try_into().unwrap();
    assert_eq!((memory.content.as_str(), memory.importance), ("The operator prefers tabs.", 4));
    let world = tab.world();
    let source = world.message(&memory.message.unwrap()).unwrap();
    assert!(nexus_model::message::content::text_of(&source.parts).contains("I prefer tabs"));
    assert!(world.messages.values().all(|message| message.is_memory_checked));
    drop(world);
    exchange(&tab, "three");
    assert!(tab.question(2).contains("The operator prefers tabs."), "{}", tab.question(2));
    let mind = tab.question(2).find("</mind>").unwrap();
    let block = tab.question(2).find("<memories>").unwrap();
    assert!(mind < block && block < tab.question(2).find("<now>").unwrap());
    // The next job knows them, and the same fact in other letter case is not added again.
    answers(&tab, |_| facts(&json!([{"content": "the OPERATOR prefers  tabs.", "importance": 1}])));
    exchange(&tab, "four");
    assert_eq!(requests(&tab, true).len(), 2);
    assert!(requests(&tab, true)[1]["contents"].to_string().contains("prefers tabs."));
    assert_eq!(memories(&tab).len(), 1);
    // The offered memories are part of the recipe.
    let world = tab.world();
    let head = world.turn(&tab.session_row().head.unwrap()).unwrap();
    let recipe = &head.calls[0].recipe;
    assert!(world.blob(recipe.memories.as_ref().unwrap()).unwrap().contains("prefers tabs"));
}

#[test]
fn failed_job_keeps_its_position_and_waits_for_new_messages() {
    let tab = tab(|_, _| says("Built."));
    set(&tab, SUMMARY_AUTO.name(), false);
    answers(&tab, |_| says("I noted it all, promise."));
    exchange(&tab, "one");
    exchange(&tab, "two");
    tab.pass(600_000);
    assert_eq!(requests(&tab, true).len(), 1);
    let failed = tab.session_row().jobs.failed(JobKind::Memory).cloned().unwrap();
    assert_eq!(failed.failure.unwrap().message, "The answer is not JSON.");
    assert!(tab.world().messages.values().all(|message| !message.is_memory_checked));
    answers(&tab, |_| facts(&json!([])));
    exchange(&tab, "three");
    assert_eq!(requests(&tab, true).len(), 2);
    let was_asked = requests(&tab, true)[1]["contents"].to_string();
    assert!(was_asked.contains("one") && was_asked.contains("three"), "all that is not marked");
    assert!(tab.world().messages.values().all(|message| message.is_memory_checked));
    let row = tab.session_row();
    assert!(row.archivist == Default::default() && row.jobs.is_idle());
}

#[test]
fn model_without_usable_answers_is_not_asked_again_before_tomorrow() {
    let mut tab = tab(|_, _| says("Built."));
    set(&tab, SUMMARY_AUTO.name(), false);
    answers(&tab, |_| says("I noted it all, promise."));
    for number in 0..8 {
        exchange(&tab, &number.to_string());
    }
    assert_eq!(requests(&tab, true).len(), 3, "three unusable answers, then none");
    let other = SessionId::from(1 << 90);
    let (label, mind) = ("other".to_owned(), Default::default());
    tab.send(Command::CreateSession { session: other, label, mind }).unwrap();
    tab.session = other;
    exchange(&tab, "one");
    exchange(&tab, "two");
    assert_eq!(requests(&tab, true).len(), 3, "nor from another session");
    tab.pass(nexus_model::memory::DAY_MS);
    answers(&tab, |_| facts(&json!([])));
    exchange(&tab, "tomorrow");
    assert_eq!(requests(&tab, true).len(), 4);
    assert!(tab.session_row().jobs.is_idle(), "a usable answer ends the count");
}

#[test]
fn no_job_starts_during_a_run_or_when_switched_off() {
    let tab = tab(|agent, _| {
        let mut slow = says("Slowly.");
        if agent == "Engineer" {
            slow.beats.insert(0, ScriptedChunk::Wait(30_000));
        }
        slow
    });
    tab.say("all of you").unwrap();
    tab.pass(20_000);
    assert!(tab.archivist.borrow().requests.is_empty(), "the run works");
    tab.pass(60_000);
    assert_eq!((requests(&tab, false).len(), requests(&tab, true).len()), (1, 1), "one after the other");
    set(&tab, SUMMARY_AUTO.name(), false);
    set(&tab, MEMORY_AUTO.name(), false);
    for number in 0..7 {
        exchange(&tab, &number.to_string());
    }
    assert_eq!(tab.archivist.borrow().requests.len(), 2);
}

#[test]
fn host_without_schemas_gets_a_plain_prompt_and_transient_errors_are_retried() {
    let tab = tab(|_, _| says("Built."));
    set(&tab, MEMORY_AUTO.name(), false);
    answers(&tab, |body| {
        if body["generationConfig"].get("responseJsonSchema").is_some()
            || body["generationConfig"].get("responseSchema").is_some()
        {
            refuses(400, "INVALID_ARGUMENT")
        } else {
            summary("In words.")
        }
    });
    exchange(&tab, "one");
    assert_eq!(tab.session_row().summary.as_deref(), Some("In words."));
    let mut first = true;
    answers(
        &tab,
        move |_| if std::mem::take(&mut first) { refuses(503, "UNAVAILABLE") } else { summary("Again.") },
    );
    for number in 0..5 {
        exchange(&tab, &number.to_string());
    }
    tab.pass(120_000);
    assert_eq!(tab.session_row().summary.as_deref(), Some("Again."));
}

#[test]
fn operator_can_edit_pin_and_delete_memories() {
    let tab = tab(|_, _| says("Built."));
    set(&tab, SUMMARY_AUTO.name(), false);
    let list = json!([{"content": "One.", "importance": 2}, {"content": "Two.", "importance": 2}]);
    answers(&tab, move |_| facts(&list));
    exchange(&tab, "one");
    exchange(&tab, "two");
    let ids: Vec<_> = memories(&tab).iter().map(|memory| memory.id).collect();
    let change = |memory, change| tab.send(Command::ChangeMemory { memory, change });
    assert_eq!(change(ids[0], MemoryChange::Content(" two. ".into())), Err(Rejection::BadMemory));
    assert_eq!(change(ids[0], MemoryChange::Content(" ".into())), Err(Rejection::BadMemory));
    change(ids[0], MemoryChange::Content("Changed  by hand.".into())).unwrap();
    change(ids[0], MemoryChange::Pinned(true)).unwrap();
    change(ids[0], MemoryChange::Scope(MemoryScope::Operator)).unwrap();
    change(ids[1], MemoryChange::Deleted).unwrap();
    exchange(&tab, "three");
    let question = tab.question(2);
    assert!(question.contains("Changed by hand.") && !question.contains("Two."), "{question}");
    // A deleted memory is not added again; all of it survives a reload, memories for all sessions also in another one.
    exchange(&tab, "four");
    assert_eq!(memories(&tab).iter().filter(|memory| memory.exists()).count(), 2, "only “One.” came back");
    tab.kill();
    let again = tab.again(|_, _| says("ok"));
    again.say("@Architect five").unwrap();
    again.settle();
    assert!(again.question(0).contains("Changed by hand."));
    let changed = again
        .events()
        .iter()
        .filter(|event| matches!(event.known_kind(), Some(EventKind::MemoryChanged(_))))
        .count();
    assert_eq!(changed, 4);
}

#[test]
fn closing_the_page_interrupts_jobs_and_the_demo_runs_them_offline() {
    let first = tab(|_, _| says("Built."));
    answers(&first, |_| Scripted { status: 200, beats: vec![ScriptedChunk::Wait(60_000)] });
    exchange(&first, "one");
    assert!(first.session_row().jobs.of(JobSlot::Maintenance).is_some());
    first.kill();
    let again = first.again(|_, _| says("ok"));
    assert!(again.session_row().jobs.of(JobSlot::Maintenance).is_none());

    let tab = tab(|_, _| says("never asked"));
    tab.use_model("rehearsal", "rehearsal-1");
    tab.say("@Architect Build a timer. I prefer tabs.").unwrap();
    tab.pass(60_000);
    tab.say("@Architect And a stopwatch.").unwrap();
    tab.pass(60_000);
    let row = tab.session_row();
    assert!(row.summary.is_some_and(|summary| summary.contains("Build a timer")), "{:?}", row.archivist);
    assert!(row.title.is_some());
    assert!(
        memories(&tab).iter().any(|memory| memory.content.contains("I prefer tabs")),
        "{:?}",
        memories(&tab)
    );
    assert!(tab.sent.borrow().is_empty(), "nothing left the page");
}

#[test]
fn memories_and_compactions_are_restored_by_folding_events() {
    let tab = tab(|_, _| says("Built."));
    answers(&tab, |body| {
        let system = body["systemInstruction"].to_string();
        if system.contains("grows too long") {
            says("SHORT")
        } else if is_for_memories(body) {
            facts(&json!([{"content": "Likes blue.", "importance": 5, "message": 1}]))
        } else {
            summary("In short.")
        }
    });
    for number in 0..5 {
        exchange(&tab, &number.to_string());
    }
    let agent = "architect".into();
    let compact = Command::Compact { session: tab.session, agent, focus: "blue".into() };
    tab.send(compact).unwrap();
    tab.pass(10_000);
    let memory = memories(&tab)[0].id;
    let pin = Command::ChangeMemory { memory, change: MemoryChange::Pinned(true) };
    tab.send(pin).unwrap();
    let mut folded = nexus_model::world::World::default();
    for event in tab.app_events().into_iter().chain(tab.events()) {
        let rows = nexus_model::fold::fold(&folded, &[event]);
        folded.absorb(rows);
    }
    let world = tab.world();
    assert_eq!(folded.memories, world.memories);
    assert_eq!(folded.compactions, world.compactions);
    assert_eq!(folded.compactions.len(), 1);
    assert_eq!(folded.session(&tab.session), world.session(&tab.session));
    assert!(folded.memory(&memory).unwrap().pinned);
}

#[test]
fn due_jobs_wait_for_a_running_compaction() {
    let tab = tab(|_, _| says("Built."));
    answers(&tab, |body| {
        if body["systemInstruction"].to_string().contains("grows too long") {
            let mut slow = says("SHORT");
            slow.beats.insert(0, ScriptedChunk::Wait(20_000));
            return slow;
        }
        summary("In short.")
    });
    for number in 0..4 {
        tab.say(&format!("@Architect {number}")).unwrap();
        tab.settle();
    }
    let agent = "architect".into();
    let compact = Command::Compact { session: tab.session, agent, focus: String::new() };
    tab.send(compact).unwrap();
    tab.pass(15_000);
    assert_eq!(tab.session_row().summary, None, "the compaction works");
    tab.pass(15_000);
    assert_eq!(tab.session_row().summary.as_deref(), Some("In short."));
}

#[test]
fn purge_deletes_session_memories_and_keeps_wider_ones() {
    const DAYS: u64 = 24 * 60 * 60_000;
    let mut tab = tab(|_, _| says("Built."));
    set(&tab, SUMMARY_AUTO.name(), false);
    answers(&tab, |_| {
        facts(&json!([
            {"content": "FORGET-ME with the session.", "importance": 5, "message": 1},
            {"content": "Likes blue.", "importance": 5, "message": 1},
        ]))
    });
    exchange(&tab, "one");
    exchange(&tab, "two");
    let main = tab.session;
    let wider_memory = memories(&tab).into_iter().find(|memory| memory.content == "Likes blue.").unwrap().id;
    let change = |change| Command::ChangeMemory { memory: wider_memory, change };
    tab.send(change(MemoryChange::Scope(MemoryScope::Operator))).unwrap();
    let other = SessionId::from(7_000);
    let (label, mind) = ("other".to_owned(), Default::default());
    tab.send(Command::CreateSession { session: other, label, mind }).unwrap();
    tab.session = other;
    tab.open().unwrap();
    tab.send(Command::DeleteSession { session: main }).unwrap();
    tab.pass(DAYS);
    assert_eq!(memories(&tab).len(), 2, "it can still be restored");
    assert!(memories(&tab)[0].source(&tab.world()).is_some());
    tab.pass(8 * DAYS);
    assert!(tab.world().session(&main).unwrap().purged_at.is_some());
    let left: Vec<_> = memories(&tab).into_iter().map(|memory| memory.id).collect();
    assert_eq!(left, [wider_memory]);
    assert!(!tab.store.image().contains("FORGET-ME"));
    assert_eq!(memories(&tab)[0].source(&tab.world()), None, "the panel reports the deleted session");
    // The kept memory is offered, can be changed, and does not break an export.
    tab.send(change(MemoryChange::Importance(2))).unwrap();
    assert_eq!(memories(&tab)[0].importance, 2);
    assert_eq!(nexus_engine::tests::exports::imported_elsewhere(&tab.store, None), 1);
    tab.say("@Critic hello").unwrap();
    let request = tab.requests.borrow().last().unwrap().1.to_string();
    assert!(request.contains(") Likes blue."), "{request}");
}

fn change(tab: &Tab, memory: &Memory, change: MemoryChange) {
    tab.send(Command::ChangeMemory { memory: memory.id, change }).unwrap();
}

#[test]
fn memory_job_changes_retires_and_widens_and_each_can_be_undone() {
    let tab = tab(|_, _| says("Built."));
    set(&tab, SUMMARY_AUTO.name(), false);
    let fact = |content: &str| json!({"content": content, "importance": 3, "message": 1});
    answers(&tab, move |_| {
        facts(&json!([fact("Likes tabs."), fact("Uses Windows."), fact("Is called Ada.")]))
    });
    exchange(&tab, "one");
    exchange(&tab, "two");
    let before = memories(&tab);
    let [tabs, windows, ada]: [Memory; 3] = before.clone().try_into().unwrap();
    let ids = [tabs.short_id(), windows.short_id(), ada.short_id()];
    let told = ids.clone();
    answers(&tab, move |_| {
        let [tabs, windows, ada] = &told;
        facts(&json!([
            {"action": "change", "id": tabs, "content": "Likes spaces.", "importance": 5, "message": 1},
            {"action": "retire", "id": windows, "message": 1},
            {"action": "widen", "id": ada, "message": 1},
            {"action": "retire", "id": "nobody", "message": 1},
            {"action": "add", "id": "", "content": "Writes Rust.", "scope": "everywhere", "importance": 2, "message": 1},
        ]))
    });
    exchange(&tab, "three: spaces, and Linux now");
    exchange(&tab, "four");
    let question = requests(&tab, true)[1]["contents"].to_string();
    assert!(ids.iter().all(|id| question.contains(id.as_str())), "{question}");
    let [changed, retired, widened, added]: [Memory; 4] = memories(&tab).try_into().unwrap();
    assert_eq!((changed.content.as_str(), changed.importance), ("Likes spaces.", 5));
    assert!(retired.is_retired() && widened.exists());
    assert_eq!((&widened.scope, &added.scope), (&MemoryScope::Operator, &MemoryScope::Operator));
    exchange(&tab, "five");
    let told = tab.question(4);
    assert!(told.contains("Likes spaces.") && !told.contains("Uses Windows."), "{told}");
    let source = changed.revision.as_ref().and_then(|revision| revision.message).unwrap();
    let text = nexus_model::message::content::text_of(&tab.world().message(&source).unwrap().parts);
    assert!(text.contains("three"), "{text}");
    for memory in [&changed, &retired, &widened] {
        change(&tab, memory, MemoryChange::Undone);
    }
    let again = memories(&tab);
    for (memory, before) in again.iter().zip(&before) {
        assert_eq!(
            (&memory.content, memory.importance, &memory.scope),
            (&before.content, 3, &MemoryScope::Session)
        );
        assert!(memory.exists() && memory.revision.is_none());
        assert!(!memory.is_open_to_archivist(), "the operator has the last word");
    }
}

fn limit(tab: &Tab, name: &str, value: u64) {
    tab.send(Command::ChangeSetting { name: name.into(), value: value.into() }).unwrap();
}

fn spent_told(tab: &Tab) -> usize {
    let events = tab.events();
    let kinds = events.iter().filter_map(|event| event.known_kind());
    kinds.filter(|kind| matches!(kind, EventKind::JobBudgetSpent { .. })).count()
}

#[test]
fn automatic_jobs_stop_at_the_daily_budget_until_the_next_day() {
    let tab = tab(|_, _| says("Built."));
    set(&tab, MEMORY_AUTO.name(), false);
    limit(&tab, JOB_CALLS.name(), 1);
    answers(&tab, |_| summary("A timer."));
    exchange(&tab, "build a timer");
    assert_eq!(
        (requests(&tab, false).len(), spent_told(&tab)),
        (1, 1),
        "it says so when the budget is used up"
    );
    assert_eq!(used_today(&tab.world(), tab.clock.now()).calls, 1);
    for text in ["a", "b", "c", "d", "e"] {
        exchange(&tab, text);
    }
    assert_eq!(
        (requests(&tab, false).len(), spent_told(&tab)),
        (1, 1),
        "no other one begins, and it is said once"
    );
    tab.pass(24 * 60 * 60_000);
    exchange(&tab, "f");
    assert_eq!(requests(&tab, false).len(), 2, "the next day has its own budget");
}

#[test]
fn job_is_not_retried_beyond_the_budget_and_a_manual_sync_always_runs() {
    let tab = tab(|_, _| says("Built."));
    set(&tab, MEMORY_AUTO.name(), false);
    limit(&tab, JOB_CALLS.name(), 2);
    answers(&tab, |_| refuses(503, "UNAVAILABLE"));
    exchange(&tab, "build a timer");
    tab.pass(600_000);
    assert_eq!(requests(&tab, false).len(), 2, "retries are calls");
    assert!(tab.session_row().jobs.of(JobSlot::Maintenance).is_none());
    assert_eq!(tab.send(Command::Sync { session: tab.session }), Ok(()));
    tab.pass(60_000);
    assert!(used_today(&tab.world(), tab.clock.now()).calls > 2, "calls started by the operator count, too");
}
