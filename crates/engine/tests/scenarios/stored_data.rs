//! Scenarios of data stored by an older version: the tables and the export in `tests/fixtures/e5a8919` open completely.

use std::cell::RefCell;
use std::rc::Rc;

use futures_util::FutureExt as _;
use serde_json::{Value, json};

use nexus_engine::backup::ImportAction;
use nexus_engine::port::{Batch, Clock as _, EventRow, Store as _, Table};
use nexus_engine::store::in_memory::InMemoryStore;
use nexus_engine::tests::exports::imported;
use nexus_engine::tests::{FakeLocks, Tab, open_tab, says, tab, trickles};
use nexus_model::command::Command;
use nexus_model::dump::check::Sums;
use nexus_model::dump::import::ImportProposal;
use nexus_model::event::{Event, EventKind};
use nexus_model::id::{IdSource as _, Millis, SessionId, StreamId, TriggerId, TurnId};
use nexus_model::memory::MemoryScope;
use nexus_model::message::Role;
use nexus_model::message::content::text_of;
use nexus_model::provider::Protocol;
use nexus_model::run::RunStatus;
use nexus_model::session::trigger::{PauseReason, Recipient, Schedule, Trigger, TriggerOutcome, triggers};
use nexus_model::session::{QueueMode, SessionKind, SessionOrigin, SessionRole, SessionStatus};
use nexus_model::testing::SeqIds;

const ROWS: &str = include_str!("../../../../tests/fixtures/e5a8919/rows.json");
const EXPORT: &str = include_str!("../../../../tests/fixtures/e5a8919/export.json");

const MAIN: &str = "00000000000000000000000001";
const JOBS: &str = "000000000000000000000000ZV";
const WORKER: &str = "00000000000000000000000113";
const LANES: [&str; 2] = ["0000000000000000000000011Z", "00000000000000000000000121"];
const FORK: &str = "00000100000000000000000001";
const LETTERS: &str = "00000100000000000000000002";
const PUT_AWAY: &str = "00000100000000000000000003";
const DELETED: &str = "00000100000000000000000004";

/// The ancestors of the fork, in the format of `turns`.
const BEGINNING: [&str; 4] = [
    "architect Normal Completed: The plan stands.",
    "engineer Normal Completed: The page is written.",
    "critic Normal Completed: It shows no seconds yet.",
    "engineer Normal Completed: Two digits now.",
];
/// The turns after those, up to the race.
const MIDDLE: [&str; 8] = [
    "operator Merge Completed: ",
    "critic Normal Error: ",
    "architect Normal Completed: The Architect finds nothing either.",
    "architect Compaction Completed: ",
    "architect Normal Completed: The Engineer is at it.",
    "architect Normal Completed: The manual is there.",
    "engineer Normal Completed: It can be started.",
    "critic Normal Completed: Accepted.",
];
const PAGE: &str = "<h1>Timer</h1>\n<p>00:00</p>\n";
const STARTED: &str = "<h1>Timer</h1>\n<p>00:00</p>\n<button>Start</button>\n";
const NOTES: (&str, &str) = ("notes.md", "eggs\npasta al dente\nrice\n");
const STYLE: (&str, &str) = ("style.css", "body { background: black }\n");
const MANUAL: (&str, &str) = ("manual.md", "# Manual\n");

fn now<T>(work: impl Future<Output = T>) -> T {
    work.now_or_never().expect("a store in memory is never waited for")
}

fn id(text: &str) -> SessionId {
    text.parse().unwrap()
}

/// The records of a fixture table, with their keys.
fn records(table: Table) -> Vec<(String, Value)> {
    let all: Value = serde_json::from_str(ROWS).unwrap();
    let records = all[table.name()].as_array().unwrap().clone();
    records.into_iter().map(|row| (row["key"].as_str().unwrap().to_owned(), row["value"].clone())).collect()
}

/// The store as the older version left it.
fn stored() -> InMemoryStore {
    let store = InMemoryStore::default();
    let export: Value = serde_json::from_str(EXPORT).unwrap();
    let events = export["stores"]["events"].as_array().unwrap().iter().map(|record| {
        let json = record["value"].to_string();
        let event: Event = serde_json::from_str(&json).unwrap();
        EventRow { json, ..EventRow::of(&event).unwrap() }
    });
    let rows = Table::ALL.into_iter().flat_map(|table| {
        records(table).into_iter().map(move |(key, value)| (table, (key, value.to_string())))
    });
    let batch = Batch { events: events.collect(), puts: rows.collect(), ..Batch::default() };
    now(store.write(batch)).unwrap();
    store
}

fn opened(store: InMemoryStore) -> Tab {
    // New ids must not collide with those of the fixtures.
    let mut ids = SeqIds::default();
    for _ in 0..1_000_000 {
        ids.next_ulid();
    }
    open_tab(store, FakeLocks::default(), Rc::new(RefCell::new(ids)), id(MAIN), |agent, _| {
        says(&format!("{agent} goes on."))
    })
}

/// The turns up to the session's head, oldest first: agent, kind, end, last text.
fn turns(tab: &Tab) -> Vec<String> {
    let world = tab.world();
    let mut lines: Vec<_> = world
        .ancestry(tab.session_row().head)
        .map(|turn| {
            let mut last_text = turn.messages.iter().filter_map(|id| world.message(id));
            let last = last_text.rfind(|message| message.role == Role::Assistant);
            let last_text = last.map(|message| text_of(&message.parts)).unwrap_or_default();
            format!("{} {:?} {:?}: {last_text}", turn.agent, turn.kind, turn.end.unwrap())
        })
        .collect();
    lines.reverse();
    lines
}

/// The messages to the agents on the path to the session's head, oldest first.
fn requests(tab: &Tab) -> Vec<String> {
    let world = tab.world();
    let mut requests: Vec<Vec<_>> = world
        .ancestry(tab.session_row().head)
        .map(|turn| turn.query.iter().map(|id| text_of(&world.message(id).unwrap().parts)).collect())
        .collect();
    requests.reverse();
    requests.concat()
}

/// Opens the session and checks its turns and mind.
fn session_holds(tab: &mut Tab, session: &str, told: &[&[&str]], objective: &str, files: &[(&str, &str)]) {
    tab.session = id(session);
    tab.open().unwrap();
    assert_eq!(turns(tab), told.concat(), "{session}");
    let mind = tab.mind();
    let found: Vec<_> = mind.files.iter().map(|(name, file)| (name.as_str(), &*file.text)).collect();
    assert_eq!((mind.objective.as_str(), &found[..]), (objective, files), "{session}");
}

/// Checks every session's turns, mind, pins, queue and run, and every memory.
fn sessions_hold(tab: &mut Tab) {
    use SessionKind::{Tool, User};
    let found: Vec<_> = {
        let world = tab.world();
        let rows = world.sessions.values().map(|row| {
            let parent = row.parent.map(|parent| parent.to_string()).unwrap_or_default();
            (row.id.to_string(), row.label.clone(), row.kind, row.origin, row.status, parent)
        });
        rows.collect()
    };
    let open = SessionStatus::Open;
    let expected = [
        (MAIN, "Kitchen timer", User, SessionOrigin::User, open, ""),
        (JOBS, "Archivist of Kitchen timer", Tool, SessionOrigin::System, open, MAIN),
        (WORKER, "The manual", Tool, SessionOrigin::Subagent, open, MAIN),
        (LANES[0], "Kitchen timer, lane 1: gemini-3.8-flash", Tool, SessionOrigin::Fork, open, MAIN),
        (LANES[1], "Kitchen timer, lane 2: gemini-3.8-flash", Tool, SessionOrigin::Fork, open, MAIN),
        (FORK, "Dark idea", User, SessionOrigin::Fork, open, MAIN),
        (LETTERS, "Letters", User, SessionOrigin::User, open, ""),
        (PUT_AWAY, "Put away", User, SessionOrigin::User, SessionStatus::Archived, ""),
        (DELETED, "Deleted", User, SessionOrigin::User, open, ""),
    ];
    let expected = expected.map(|(id, label, kind, origin, status, parent)| {
        (id.to_owned(), label.to_owned(), kind, origin, status, parent.to_owned())
    });
    assert_eq!(found, expected);
    let roles: Vec<_> = tab.world().sessions.values().map(|row| row.role()).collect();
    let [talk, candidate] = [SessionRole::Conversation, SessionRole::Candidate];
    let (jobs, worker) = (SessionRole::Jobs, SessionRole::Worker);
    assert_eq!(roles, [talk, jobs, worker, candidate, candidate, talk, talk, talk, talk]);
    let deleted: Vec<_> =
        tab.world().sessions.values().filter(|row| row.deleted_at.is_some()).map(|row| row.id).collect();
    assert_eq!(deleted, [id(DELETED)]);

    let timer = "A timer for the kitchen";
    let all = [("index.html", STARTED), MANUAL, NOTES, STYLE];
    let jobs = ["archivist.summary Normal Completed: ", "archivist.memory Normal Completed: "];
    session_holds(tab, JOBS, &[&jobs], "", &[]);
    let worker = ["engineer Normal Completed: The manual is written."];
    session_holds(tab, WORKER, &[&worker], timer, &[("index.html", PAGE), MANUAL, NOTES, STYLE]);
    let lanes = [
        "engineer Normal Completed: Lane one would beep.",
        "engineer Normal Completed: Lane two would ring.",
    ];
    session_holds(tab, LANES[0], &[&BEGINNING, &MIDDLE, &lanes[..1]], timer, &all);
    session_holds(tab, LANES[1], &[&BEGINNING, &MIDDLE, &lanes[1..]], timer, &all);
    let dark = ["engineer Normal Completed: It is dark."];
    session_holds(tab, FORK, &[&BEGINNING, &dark], timer, &[("index.html", PAGE), NOTES, STYLE]);
    session_holds(
        tab,
        LETTERS,
        &[&["scribe Normal Completed: No letter has come."]],
        "Answer all letters",
        &[],
    );
    assert_eq!(requests(tab), ["Has any letter come?"]);
    session_holds(tab, PUT_AWAY, &[], "", &[]);
    assert_eq!(tab.mind().scratchpad, "Put away\n");
    // The turn that was open when the page closed is now closed with its partial text.
    let bell = ["engineer Normal Interrupted: I begin with the bell and never end"];
    session_holds(tab, MAIN, &[&BEGINNING, &MIDDLE, &lanes[1..], &bell], timer, &all);
    assert_eq!(tab.mind().scratchpad, "- [x] plan\n- [x] page\n");
    let questions = requests(tab);
    let merged = questions[2].clone();
    assert!(merged.contains("“Dark idea”") && merged.contains("@Engineer Make it dark"), "{merged}");
    let report = questions[5].clone();
    assert!(report.contains("The task “The manual” is done."), "{report}");
    assert_eq!(
        questions,
        [
            "Build a kitchen timer",
            "@Engineer Two digits as in the picture, and delete what is old",
            &merged,
            "@Critic Anything wrong?",
            "@Architect See to a manual",
            &report,
            "Until it can be started",
            "How should it sound?",
            "@Engineer Now let it ring",
        ]
    );

    let row = tab.session_row();
    assert_eq!(row.title.as_deref(), Some("A kitchen timer"));
    assert_eq!(row.summary.as_deref(), Some("A timer for the kitchen was planned and built."));
    assert_eq!(row.keywords, ["timer", "kitchen"]);
    let pins: Vec<_> = row.pins.iter().map(|pin| pin.begins.as_str()).collect();
    assert_eq!(pins, ["The page is written."]);
    let muted: Vec<_> =
        row.flags.iter().filter(|(_, flags)| flags.muted).map(|(key, _)| key.as_str()).collect();
    assert_eq!(muted, ["architect", "scribe"]);
    assert!(row.reviewed.is_some() && row.merges.len() == 1);
    assert_eq!((row.core.spent.calls, row.core.spent.tokens), (1, 110));
    assert_eq!(row.core.last.unwrap().reasoning, "The page is written.");
    let world = tab.world();
    let run = world.run(&row.run.unwrap()).unwrap();
    assert_eq!(run.status, RunStatus::Paused);
    let waiting: Vec<_> =
        world.waiting(row.id).iter().map(|item| (item.text.clone(), item.mode, item.held)).collect();
    assert_eq!(waiting, [("@Critic Then listen".to_owned(), QueueMode::FollowUp, false)]);
    let memories: Vec<_> = world.memories.values().collect();
    let told: Vec<_> = memories
        .iter()
        .map(|memory| (memory.content.as_str(), memory.importance, memory.pinned, memory.exists()))
        .collect();
    assert_eq!(
        told,
        [
            ("The operator cooks every evening.", 2, false, false),
            ("The operator prefers plain pages without scripts.", 4, true, true),
        ]
    );
    assert!(memories.iter().all(|memory| memory.scope == MemoryScope::Session && memory.session == row.id));
    let compaction = world.compactions.values().next().unwrap();
    assert_eq!(
        compaction.summary.as_deref(),
        Some("The operator wants a kitchen timer; page and notes are written.")
    );
    drop(world);
    // A sibling of the thread: the retry of the failed turn.
    let store = tab.store.clone();
    let sibling: TurnId = "0000000000000000000000010R".parse().unwrap();
    let rows = now(store.get(Table::Turns, vec![sibling.to_string()])).unwrap();
    assert!(rows[0].as_ref().unwrap().contains("\"agent\":\"critic\""));
    let drafts = now(store.scan(Table::Drafts, String::new())).unwrap();
    let typed: Vec<_> =
        drafts.iter().map(|(key, json)| (key.as_str(), json.contains("And then a second ti"))).collect();
    assert_eq!(typed, [(format!("{MAIN}/composer\n").as_str(), true)]);
}

/// Checks that the interrupted run is ended and the queued message answered.
fn continues(tab: &Tab) {
    tab.send(Command::EndRun { run: tab.run_id() }).unwrap();
    tab.settle();
    assert_eq!(tab.speakers(), ["Critic"]);
    let query = tab.question(0);
    assert!(query.contains("Then listen") && query.contains("plain pages without scripts"), "{query}");
    assert_eq!(turns(tab).last().unwrap(), "critic Normal Completed: Critic goes on.");
    assert!(tab.world().waiting(tab.session).is_empty());
}

#[test]
fn tables_of_an_older_version_open_completely() {
    let mut tab = opened(stored());
    assert!(
        tab.app_events().iter().all(|event| !matches!(event.known_kind(), Some(EventKind::Notice { .. })))
    );
    {
        let world = tab.world();
        let agents: Vec<_> = world
            .agents
            .values()
            .map(|agent| (agent.key.as_str(), agent.config.model.as_str(), agent.exists()))
            .collect();
        assert_eq!(
            agents,
            [
                ("architect", "gemini-3.8-flash", true),
                ("critic", "gemini-3.8-flash", true),
                ("engineer", "gemini-3.8-flash", true),
                ("former", "local-7b", false),
                ("scribe", "local-7b", true),
            ]
        );
        let scribe = world.agent(&"scribe".into()).unwrap();
        assert_eq!(scribe.identity.soul, "You are Scribe, who writes letters.\n\n- Be brief.");
        assert_eq!(scribe.permissions.tools_denied, ["delete_file"]);
        assert_eq!(scribe.permissions.sandbox.as_deref(), Some(&["letters/*".to_owned()][..]));
        let config = &scribe.config;
        assert_eq!(
            (config.max_tokens, config.temperature, config.context_tokens),
            (Some(2_048), Some(0.5), Some(32_768))
        );
        let studio = world.live_provider(&"studio".into()).unwrap();
        assert_eq!(
            (studio.label.as_str(), studio.protocol, studio.base_url.as_str(), studio.needs_key),
            ("LM Studio", Protocol::Openai, "http://localhost:1234/v1", false)
        );
        assert!(world.live_provider(&"gone".into()).is_none());
        assert!(world.live_provider(&"gemini".into()).is_some());
        for (name, value) in [
            ("theme", json!("light")),
            ("core_auto", json!(false)),
            ("cap_calls", json!(50)),
            ("raw_days", json!(3)),
            ("summary_auto", json!(false)),
            ("memory_auto", json!(false)),
            ("tool_rules", json!([{"tool": "delete_file", "ruling": "ask"}])),
        ] {
            assert_eq!(
                world.setting(&name.to_owned()).map(|value| value.as_ref().clone()),
                Some(value),
                "{name}"
            );
        }
        let [hourly, watch] = triggers(&world).try_into().unwrap();
        assert_eq!((hourly.name.as_str(), hourly.text.as_str()), ("Hourly post", "Has any letter come?"));
        assert!(matches!(hourly.when, Schedule::Every { ms: 3_600_000, .. }));
        assert_eq!(hourly.to, Recipient::Session(id(LETTERS)));
        assert_eq!(hourly.last.unwrap().outcome, Some(TriggerOutcome::Sent { session: id(LETTERS) }));
        assert_eq!((watch.name.as_str(), watch.pause_reason), ("Watch the page", Some(PauseReason::Paused)));
        assert_eq!(watch.when, Schedule::FileChanged { file: "index.html".into(), session: Some(id(MAIN)) });
        assert_eq!(watch.to, Recipient::Persona("critic".into()));
    }
    sessions_hold(&mut tab);
    continues(&tab);
}

#[test]
fn export_of_an_older_version_is_imported_completely() {
    let store = InMemoryStore::default();
    let (plan, result) = imported(&store, EXPORT.into());
    assert_eq!((result.sessions.len(), result.events), (9, plan.events()));
    assert!(plan.sessions.iter().all(|coming| coming.action == ImportAction::New));
    let found = &plan.found;
    assert_eq!((found.sums.clone(), found.unknown, found.drafts), (Sums::None, 0, 1), "nothing is damaged");
    assert!(found.notes.is_empty() && found.typed.is_empty());
    // Agents, providers and settings of another device are proposed.
    let told: Vec<_> = plan
        .proposals
        .iter()
        .map(|proposal| match proposal {
            ImportProposal::Provider { provider, .. } => format!("provider {}", provider.id),
            ImportProposal::Agent { agent, .. } => format!("agent {} on {}", agent.key, agent.config.model),
            ImportProposal::Setting { name, value } => format!("{name} = {value}"),
            ImportProposal::Trigger(trigger) => {
                format!("trigger {}, {:?}", trigger.name, trigger.pause_reason)
            }
        })
        .collect();
    assert_eq!(
        told,
        [
            "provider gemini",
            "provider rehearsal",
            "provider studio",
            "agent architect on gemini-3.8-flash",
            "agent engineer on gemini-3.8-flash",
            "agent critic on gemini-3.8-flash",
            "agent scribe on local-7b",
            "core_auto = false",
            "summary_auto = false",
            "memory_auto = false",
            "cap_calls = 50",
            "raw_days = 3",
            "theme = \"light\"",
            "trigger Hourly post, Some(Paused)",
            "trigger Watch the page, Some(Paused)",
        ]
    );
    assert_eq!(plan.left_out, ["Rules for tools"]);
    assert_eq!(triggers(&found.device).len(), 2);

    // Folded again, the rows equal those of the older version. `sessions_hold` checks sessions and messages: the Core's
    // card names its turn since then, and a merge's note is no longer a message of the operator.
    for table in [
        Table::Turns,
        Table::Compactions,
        Table::ToolRuns,
        Table::Runs,
        Table::Minds,
        Table::Blobs,
        Table::Memories,
        Table::Queue,
        Table::Drafts,
        Table::Partials,
    ] {
        let rows = now(store.scan(table, String::new())).unwrap().into_iter();
        let rows: Vec<_> =
            rows.map(|(key, json)| (key, serde_json::from_str::<Value>(&json).unwrap())).collect();
        let mut rows = rows;
        for (_, turn) in rows.iter_mut().filter(|_| table == Table::Turns) {
            // That version stored the Core's changes in the session.
            turn.as_object_mut().unwrap().retain(|name, _| name != "core_steps");
        }
        for (_, run) in rows.iter_mut().filter(|_| table == Table::Runs) {
            // The version that wrote the export did not count these.
            let used = run["used"].as_object_mut().unwrap();
            used.retain(|name, _| !["turns", "tool_calls", "ms"].contains(&name.as_str()));
            for node in run["nodes"].as_array_mut().unwrap() {
                node.as_object_mut().unwrap().retain(|name, _| name != "since" && name != "used");
            }
        }
        let mut stored = records(table);
        // Sent or withdrawn messages are no longer stored.
        stored.retain(|(_, row)| table != Table::Queue || row["state"] == "waiting");
        assert_eq!(rows, stored, "{table:?}");
    }
    let keys = |table: Table| -> Vec<_> { records(table).into_iter().map(|(key, _)| key).collect() };
    for table in [Table::Sessions, Table::Messages, Table::Threads] {
        assert_eq!(now(store.keys(table, String::new())).unwrap(), keys(table), "{table:?}");
    }

    let mut tab = opened(store);
    sessions_hold(&mut tab);
    tab.use_model("gemini", "gemini-3.8-flash");
    continues(&tab);
}

/// The operator's last changes survive a power loss.
#[test]
fn forks_labels_heads_triggers_and_settings_are_durable() {
    let tab = tab(|_, _| says("fine"));
    tab.say("@Critic one").unwrap();
    tab.say("@Critic two").unwrap();
    let head = tab.session_row().head.unwrap();
    let parent = tab.world().turn(&head).unwrap().parent.unwrap();
    tab.store.track_power_loss();
    let stored = |store: InMemoryStore, stream: StreamId| {
        tab.wait_for(async move { store.events(stream, 1, usize::MAX).await.unwrap().len() })
    };
    let session = tab.session;
    let fork = SessionId::from(77);
    let own = StreamId::Session(session);
    let trigger = Trigger {
        id: TriggerId::from(7),
        name: "Later".into(),
        when: Schedule::Every { ms: 3_600_000, from: tab.clock.now() },
        to: Recipient::Session(session),
        text: "look again".into(),
        pause_reason: None,
        since: Millis(0),
        last: None,
        recent: Vec::new(),
    };
    let commands = [
        (Command::ChangeTrigger(trigger), StreamId::App),
        (Command::LabelSession { session, label: "renamed".into() }, own),
        (
            Command::ContinueFrom {
                session: fork,
                from: session,
                turn: parent,
                label: "fork".into(),
                mind: None,
            },
            StreamId::Session(fork),
        ),
        (Command::MoveHead { session, to: parent, newest: false }, own),
        (Command::ChangeSetting { name: "theme".into(), value: json!("light") }, StreamId::App),
    ];
    let lasts = |command: Command, stream: StreamId| {
        let before = stored(tab.store.clone(), stream);
        tab.send(command.clone()).unwrap();
        let now = stored(tab.store.clone(), stream);
        assert!(now > before, "{command:?}");
        assert_eq!(stored(tab.store.after_power_loss(), stream), now, "{command:?}");
    };
    for (command, stream) in commands {
        lasts(command, stream);
    }
}

#[test]
fn queue_edits_are_durable() {
    let tab = tab(|_, _| trickles(&["slow"]));
    tab.say("@Engineer at work").unwrap();
    tab.say("@Critic old words").unwrap();
    let item = tab.world().waiting(tab.session)[0].id;
    tab.store.track_power_loss();
    tab.send(Command::EditQueued { item, text: "@Critic new words".into() }).unwrap();
    let own = StreamId::Session(tab.session);
    let store = tab.store.after_power_loss();
    let events = tab.wait_for(async move { store.events(own, 1, usize::MAX).await.unwrap() });
    assert!(events.last().unwrap().contains("new words"), "{events:?}");
}
