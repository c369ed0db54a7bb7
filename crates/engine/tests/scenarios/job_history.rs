//! Scenarios of the job history: each summary and memory job can be inspected, in a session that no list shows.

use serde_json::{Value, json};

use nexus_engine::port::{Store as _, Table};
use nexus_engine::queries::inspect::{AttemptEnd, RequestMatch, TurnInspection, inspect};
use nexus_engine::queries::{JobRecord, newest, tree};
use nexus_engine::tests::{Scripted, ScriptedChunk, Tab, says, tab};
use nexus_model::command::Command;
use nexus_model::event::EventKind;
use nexus_model::id::SessionId;
use nexus_model::job::maintenance::job_session_of;
use nexus_model::job::{JobDone, JobKind, JobResult, JobSlot};
use nexus_model::limits::{DELETED_MS, MAINTENANCE_DELAY_MS};
use nexus_model::mind::Mind;
use nexus_model::session::{Session, SessionFilter, SessionRole};
use nexus_model::settings::schema::MEMORY_AUTO;
use nexus_model::turn::TurnEnd;
use nexus_view::session_list::sessions;

fn answers(tab: &Tab, script: impl FnMut(&Value) -> Scripted + 'static) {
    tab.archivist.borrow_mut().script = Some(Box::new(script));
}

fn exchange(tab: &Tab, text: &str) {
    tab.say(&format!("@Architect {text}")).unwrap();
    tab.pass(4 * MAINTENANCE_DELAY_MS);
}

fn own(tab: &Tab) -> Session {
    job_session_of(&tab.world(), tab.session).expect("one was kept").as_ref().clone()
}

fn job_records(tab: &Tab) -> Vec<JobRecord> {
    let (records, head) = (tab.records(), own(tab).head.unwrap());
    tab.wait_for(async move { newest(&records, head, 10).await }).unwrap()
}

fn look(tab: &Tab, job: &JobRecord) -> TurnInspection {
    let (records, turn) = (tab.records(), job.turn.id);
    tab.wait_for(async move { inspect(&records, turn).await }).unwrap().unwrap()
}

/// A tab with a valid summary and invalid JSON for memories.
fn served() -> Tab {
    let tab = tab(|_, _| says("Built."));
    answers(&tab, |body| {
        if body["systemInstruction"].to_string().contains("worth remembering") {
            return says("I noted it all, promise.");
        }
        says(&json!({"title": "A timer", "summary": "In short.", "keywords": ["timer"]}).to_string())
    });
    exchange(&tab, "one");
    exchange(&tab, "two");
    tab
}

#[test]
fn each_job_is_a_run_that_can_be_inspected() {
    let tab = served();
    let all = job_records(&tab);
    let jobs_done: Vec<_> = all.iter().map(|job| (job.kind, job.turn.end, job.used.calls)).collect();
    assert_eq!(
        jobs_done,
        [(JobKind::Memory, Some(TurnEnd::Error), 1), (JobKind::Summary, Some(TurnEnd::Completed), 1)]
    );
    assert_eq!((all[0].messages, all[1].used.tokens, all[1].turn.usage.total()), (4, 110, 110));
    assert_eq!(all[0].turn.failure.as_ref().unwrap().message, "The answer is not JSON.");

    let summary = look(&tab, &all[1]);
    assert_eq!((summary.agent.as_str(), summary.calls.len()), ("Archivist", 1));
    let one = &summary.calls[0].attempts[0];
    assert_eq!((one.request_match, &one.end), (RequestMatch::Yes, &AttemptEnd::Answered));
    let body = one.request.as_ref().unwrap().body.clone().unwrap();
    let sent: Vec<_> = tab.sent.borrow().iter().map(|request| request.body.clone().unwrap()).collect();
    assert!(sent.contains(&body) && body.contains("one sentence to three short paragraphs"));
    assert!(one.raw.as_ref().unwrap().body.contains("In short."));
    let failed = look(&tab, &all[0]);
    assert!(matches!(failed.calls[0].attempts[0].end, AttemptEnd::Failed(_)));

    // The event log has the whole run: requested, completed, and the run itself.
    let (store, run) = (tab.store.clone(), all[1].run);
    let of_run = tab.wait_for(async move { store.events_of_run(run).await.unwrap() });
    let events = nexus_engine::tests::read_events(&of_run);
    let opens = |kind: &EventKind| matches!(kind, EventKind::JobOpened(_));
    let made = |kind: &EventKind| {
        matches!(kind, EventKind::JobDone(JobDone { result: JobResult::Summary { .. }, .. }))
    };
    let opened_run = |kind: &EventKind| matches!(kind, EventKind::RunOpened { .. });
    let holds =
        |is_it: &dyn Fn(&EventKind) -> bool| events.iter().filter_map(|event| event.known_kind()).any(is_it);
    assert!(holds(&opens) && holds(&made) && holds(&opened_run), "{events:?}");
}

#[test]
fn job_sessions_are_hidden_from_lists_and_tree() {
    let tab = served();
    let row = own(&tab);
    assert!(row.role() == SessionRole::Jobs && row.parent == Some(tab.session));
    let world = tab.world();
    assert_eq!(sessions(&world, SessionFilter::Open, "").len(), 1);
    assert_eq!(world.sessions.len(), 2);
    drop(world);
    let records = tab.records();
    let (dots, flags) = tab.wait_for(async move {
        let keys = tree::keys(&records).await.unwrap();
        assert_eq!(keys.len(), 4, "two turns and two runs of the Archivist");
        (tree::stubs(&records, keys).await.unwrap().0, tree::flags(&records).await.unwrap())
    });
    assert_eq!((dots.len(), flags.len()), (2, 1));
    tab.send(Command::CreateSession {
        session: SessionId::from(1 << 90),
        label: String::new(),
        mind: Mind::default(),
    })
    .unwrap();
    assert_eq!(tab.world().session(&SessionId::from(1 << 90)).unwrap().label, "session 2");
}

#[test]
fn jobs_of_a_session_share_one_history_also_after_a_reload() {
    let tab = served();
    let first = own(&tab).id;
    tab.kill();
    let again = tab.again(|_, _| says("Built."));
    answers(&again, |_| Scripted { status: 200, beats: vec![ScriptedChunk::Wait(600_000)] });
    exchange(&again, "three");
    assert!(again.session_row().jobs.of(JobSlot::Maintenance).is_some());
    again.kill();
    let third = again.again(|_, _| says("Built."));
    assert_eq!(own(&third).id, first);
    let all = job_records(&third);
    assert_eq!((all.len(), all[0].turn.end), (3, Some(TurnEnd::Interrupted)));
    assert_eq!(all[0].turn.parent, Some(all[1].turn.id));
    let depth = third.world().thread(&all[0].turn.id).map(|thread| thread.depth);
    assert_eq!(depth, Some(3));
}

#[test]
fn job_history_is_deleted_restored_and_purged_with_its_session() {
    let tab = served();
    let id = own(&tab).id;
    let other = SessionId::from(1 << 90);
    tab.send(Command::CreateSession { session: other, label: "next".into(), mind: Mind::default() }).unwrap();
    tab.send(Command::DeleteSession { session: tab.session }).unwrap();
    assert!(tab.world().session(&id).unwrap().deleted_at.is_some());
    tab.send(Command::RestoreSession { session: tab.session }).unwrap();
    assert!(tab.world().session(&id).unwrap().deleted_at.is_none());
    tab.send(Command::DeleteSession { session: tab.session }).unwrap();
    tab.pass(DELETED_MS + 60_000);
    for session in [tab.session, id] {
        tab.send(Command::PurgeSession { session }).unwrap_or_default();
    }
    let store = tab.store.clone();
    let left = tab.wait_for(async move {
        let mut left = Vec::new();
        for table in [Table::Turns, Table::Runs, Table::Threads, Table::Raw] {
            left.push(store.keys(table, String::new()).await.unwrap().len());
        }
        left
    });
    assert_eq!(left, [0, 0, 0, 0]);
}

#[test]
fn invalid_summary_is_reported_and_overwrites_nothing() {
    let tab = tab(|_, _| says("Built."));
    tab.send(Command::ChangeSetting { name: MEMORY_AUTO.name().into(), value: false.into() }).unwrap();
    let mut count = 0;
    answers(&tab, move |_| {
        count += 1;
        let whole = json!({"title": "A timer", "summary": "In short.", "keywords": ["timer"]});
        says(&if count == 1 { whole.to_string() } else { "Here it is: all went well.".to_owned() })
    });
    for number in 0..6 {
        exchange(&tab, &number.to_string());
    }
    let row = tab.session_row();
    assert_eq!((row.title.as_deref(), row.summary.as_deref()), (Some("A timer"), Some("In short.")));
    assert_eq!(row.keywords, ["timer"]);
    let [failed, made] = job_records(&tab).try_into().unwrap();
    assert_eq!(failed.turn.failure.unwrap().message, "The answer is not JSON.");
    assert_eq!(made.turn.end, Some(TurnEnd::Completed));
    assert!(row.summarised_to.is_some() && row.jobs.failed(JobKind::Summary).is_some());
}
