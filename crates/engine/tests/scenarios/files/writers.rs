//! Property: writers of one mind never drop each other's lines, over random histories of a session.
//!
//! Agents, workers, the Core and the operator only insert lines of their own, each of which is unique. So a line may
//! leave the mind only with a deleted file, an undone sync or a restored turn, and a write that succeeded has its
//! lines in the mind. Agents are honest: they write what they were shown, and what results told them since.
//!
//! `NEXUS_WRITERS_CASES=2000 cargo test -p nexus-engine --test scenarios writers` checks more histories.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed, TestCaseError};
use serde_json::{Value, json};

use crate::agreement::{agree, log};
use crate::{has_results, set};
use nexus_engine::port::{Clock as _, Store as _, Table};
use nexus_engine::store::ledger::WorldRef;
use nexus_engine::tests::{FakeClock, Scripted, ScriptedChunk, Tab, calls, says, tab};
use nexus_model::command::{Command, NewMessage, Rejection};
use nexus_model::event::{Event, EventKind, SessionChange};
use nexus_model::fold::fold;
use nexus_model::id::{SessionId, StreamId, TurnId};
use nexus_model::job::{JobSlot, JobTask};
use nexus_model::message::content::text_of;
use nexus_model::mind::{Mind, MindEdit, MindWrite};
use nexus_model::run::{PauseCause, RunStatus};
use nexus_model::session::delegation::{WorkerEnd, WorkerReport};
use nexus_model::session::{Draft, DraftField, QueueMode};
use nexus_model::settings::schema::CORE_LINES;
use nexus_model::tool::ToolStatus;
use nexus_model::turn::Turn;
use nexus_model::world::World;
use nexus_text::testing::check_until_seen;

const FILES: [&str; 4] = ["a.txt", "b.txt", "c.txt", "d.txt"];

/// What the histories must cover for the property to be meaningful.
const ALL: [&str; 10] =
    ["met", "conflict", "task", "merged", "kept", "synced", "typed", "restored", "stopped", "reloaded"];

type Lines = BTreeSet<u32>;

/// The numbers of the marked lines in a text, also of one in JSON.
fn lines_in(text: &str) -> Lines {
    text.split('#').skip(1).filter_map(|rest| rest.get(..5)?.parse().ok()).collect()
}

fn lines_of(mind: &Mind) -> Lines {
    let files = mind.files.values().map(|file| &*file.text);
    let texts = files.chain([mind.scratchpad.as_str(), mind.objective.as_str()]);
    texts.flat_map(lines_in).collect()
}

/// A change that an agent asked for and has no result of yet.
enum Asked {
    Edit(MindEdit),
    Replace { name: String, search: String, replace: String },
    Nothing,
}

/// What an agent knows of the mind in a turn, and its last calls.
#[derive(Default)]
struct View {
    mind: Mind,
    asked: Vec<Asked>,
}

/// Draws numbers and lines, and plays the agents.
#[derive(Default)]
struct Writers {
    luck: u64,
    lines: u32,
    tasks: u32,
    world: Option<WorldRef>,
    main: SessionId,
    views: BTreeMap<TurnId, View>,
}

impl Writers {
    fn below(&mut self, most: usize) -> usize {
        self.luck = self.luck.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.luck >> 33).unwrap() % most.max(1)
    }

    fn line(&mut self) -> String {
        self.lines += 1;
        format!("#{:05} a line of text\n", self.lines)
    }

    fn with_line(&mut self, text: &str) -> String {
        let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
        let (at, line) = (self.below(lines.len() + 1), self.line());
        lines.insert(at, &line);
        lines.concat()
    }

    fn file(&mut self, mind: &Mind) -> String {
        let names: Vec<&String> = mind.files.keys().collect();
        match names.len() {
            count if count > 0 && self.below(5) > 0 => names[self.below(count)].clone(),
            _ => FILES[self.below(FILES.len())].to_owned(),
        }
    }

    fn late(&mut self, mut scripted: Scripted) -> Scripted {
        let wait = [0, 0, 400, 400, 2_000][self.below(5)];
        scripted.beats.insert(0, ScriptedChunk::Wait(wait));
        scripted
    }

    /// The open turn that a request belongs to.
    fn turn(&self, world: &World, body: &Value) -> Option<Arc<Turn>> {
        let is_worker = body["systemInstruction"].to_string().contains("You are a worker here");
        let text = body["contents"].to_string();
        let is_it = |label: &str| text.contains(&format!("{label}."));
        let worker = world.sessions.values().find(|row| row.delegation.is_some() && is_it(&row.label));
        let session = worker.filter(|_| is_worker).or(world.session(&self.main))?;
        world.open_turn(session).cloned()
    }

    fn answer(&mut self, body: &Value) -> Scripted {
        let world = Rc::clone(self.world.as_ref().unwrap());
        let Some(turn) = self.turn(&world.borrow(), body) else { return says("Whose turn?") };
        let mut view = self.views.remove(&turn.id).unwrap_or_default();
        if has_results(body) && !view.asked.is_empty() {
            read_results(&mut view, body, world.borrow().mind(&turn.mind_shown).unwrap());
        } else {
            let shown = turn.calls.last().unwrap().recipe.mind;
            view.mind = Mind::clone(world.borrow().mind(&shown).unwrap());
        }
        let may_delegate = turn.session == self.main;
        let count = if turn.calls.len() > 3 { 0 } else { [0, 1, 1, 2, 3][self.below(5)] };
        let mut expected = view.mind.clone();
        let mut requests = Vec::new();
        view.asked.clear();
        for _ in 0..count {
            let (request, asked) = self.request(&mut expected, may_delegate);
            requests.push(request);
            view.asked.push(asked);
        }
        self.views.insert(turn.id, view);
        let scripted = if requests.is_empty() { says("Done.") } else { calls(&requests) };
        self.late(scripted)
    }

    /// A tool call of an agent that expects this mind.
    fn request(&mut self, mind: &mut Mind, may_delegate: bool) -> ((&'static str, Value), Asked) {
        let name = self.file(mind);
        let text = mind.file(&name).unwrap_or_default().to_owned();
        let put = |mind: &mut Mind, edit: MindEdit| {
            *mind = mind.with(std::slice::from_ref(&edit));
            Asked::Edit(edit)
        };
        match self.below(14) {
            0..=2 if !text.is_empty() => {
                let all: Vec<&str> = text.split_inclusive('\n').collect();
                let search = all[self.below(all.len())].to_owned();
                let replace = format!("{search}{}", self.line());
                let text = text.replace(&search, &replace);
                put(mind, MindEdit::File { name: name.clone(), text });
                let args = json!({ "name": name, "search": search, "replace": replace });
                (("edit_file", args), Asked::Replace { name, search, replace })
            }
            3 => {
                let text = self.with_line(&mind.scratchpad);
                let args = json!({ "scratchpad": text });
                (("update_nexus_state", args), put(mind, MindEdit::Scratchpad { text }))
            }
            4 => {
                let text = self.with_line(&mind.objective);
                let args = json!({ "objective": text });
                (("update_nexus_state", args), put(mind, MindEdit::Objective { text }))
            }
            5 if !text.is_empty() => {
                let to = FILES[self.below(FILES.len())].to_owned();
                let args = json!({ "name": name, "to": to });
                let asked = match mind.file(&to) {
                    Some(_) => Asked::Nothing,
                    None => put(mind, MindEdit::FileRenamed { from: name, to }),
                };
                (("rename_file", args), asked)
            }
            6 if !text.is_empty() && self.below(3) == 0 => {
                let args = json!({ "name": name });
                (("delete_file", args), put(mind, MindEdit::FileRemoved { name }))
            }
            7..=9 if may_delegate => {
                self.tasks += 1;
                let title = format!("TASK-{:04}", self.tasks);
                let agent = ["Engineer", "Critic"][self.below(2)];
                let args = json!({ "task": format!("Do {title}."), "title": title, "agent": agent });
                (("delegate", args), Asked::Nothing)
            }
            _ => {
                let text = self.with_line(&text);
                let args = json!({ "name": name, "content": text });
                (("write_file", args), put(mind, MindEdit::File { name, text }))
            }
        }
    }

    fn core(&mut self) -> Scripted {
        let world = Rc::clone(self.world.as_ref().unwrap());
        let world = world.borrow();
        let row = world.session(&self.main).unwrap();
        let Some(JobTask::Sync { base }) = row.jobs.of(JobSlot::Core).map(|job| &job.task) else {
            return says(&json!({ "reasoning": "Nothing." }).to_string());
        };
        let seen = world.mind(base).unwrap();
        let (scratchpad, objective) = (self.with_line(&seen.scratchpad), self.with_line(&seen.objective));
        let patch = json!({ "scratchpad": scratchpad, "objective": objective, "reasoning": "Because." });
        self.late(says(&patch.to_string()))
    }
}

/// Takes the results of its calls into what an agent knows.
fn read_results(view: &mut View, body: &Value, shown: &Mind) {
    let parts = body["contents"].as_array().unwrap().last().unwrap()["parts"].as_array().unwrap();
    let results: Vec<&Value> =
        parts.iter().map(|part| &part["functionResponse"]["response"]).filter(|it| !it.is_null()).collect();
    assert_eq!(results.len(), view.asked.len());
    let mut is_told = false;
    for (asked, result) in view.asked.drain(..).zip(results) {
        is_told |= result.get("changed_by_others").is_some();
        let edit = match (asked, result.get("error")) {
            (Asked::Edit(edit), None) => edit,
            (Asked::Replace { name, search, replace }, None) => {
                let text = view.mind.file(&name).unwrap_or_default().replace(&search, &replace);
                MindEdit::File { name, text }
            }
            (_, Some(_)) if result.get("current").is_some() => {
                let (field, text) = (result["field"].as_str().unwrap(), result["current"].as_str().unwrap());
                let text = text.to_owned();
                match field {
                    "objective" => MindEdit::Objective { text },
                    "scratchpad" => MindEdit::Scratchpad { text },
                    name => MindEdit::File { name: name.to_owned(), text },
                }
            }
            _ => continue,
        };
        view.mind = view.mind.with(&[edit]);
    }
    if is_told {
        view.mind = shown.clone();
    }
}

/// A device in a random history.
struct Device {
    tab: Tab,
    writers: Rc<RefCell<Writers>>,
    /// What the operator looked at last.
    seen: Mind,
    /// The lines of the operator that were accepted, and those that were typed.
    accepted: Lines,
    typed: Lines,
    /// The number of requests when the operator stopped everything.
    stopped: Option<usize>,
}

impl Device {
    fn new(luck: u64) -> Self {
        let writers = Rc::new(RefCell::new(Writers { luck, ..Writers::default() }));
        let script = Rc::clone(&writers);
        let tab = tab(move |_, body| script.borrow_mut().answer(body));
        writers.borrow_mut().main = tab.session;
        let device = Self {
            seen: Mind::default(),
            accepted: Lines::new(),
            typed: Lines::new(),
            stopped: None,
            tab,
            writers,
        };
        set(&device.tab, CORE_LINES.name(), 3);
        device.connect();
        device
    }

    fn connect(&self) {
        self.writers.borrow_mut().world = Some(Rc::clone(&self.tab.running.world));
        let core = Rc::clone(&self.writers);
        self.tab.core.borrow_mut().script = Some(Box::new(move |_| core.borrow_mut().core()));
    }

    fn below(&self, most: usize) -> usize {
        self.writers.borrow_mut().below(most)
    }

    fn reload(&mut self) {
        let (store, unsaved) = (self.tab.store.clone(), self.tab.running.unsaved());
        self.tab.wait_for(async move { store.write(unsaved).await.unwrap() });
        self.tab.kill();
        let (script, ms) = (Rc::clone(&self.writers), self.tab.clock.now().0 - FakeClock::default().now().0);
        self.tab = self.tab.restarted(move |_, body| script.borrow_mut().answer(body));
        self.tab.clock.set(ms);
        self.tab.open().unwrap();
        self.connect();
        self.stopped = None;
    }

    /// The operator adds a line to a text as last looked at.
    fn insertion(&self) -> (DraftField, String) {
        let mut writers = self.writers.borrow_mut();
        let name = writers.file(&self.seen);
        match writers.below(6) {
            0 => (DraftField::Objective, writers.with_line(&self.seen.objective)),
            1 => (DraftField::Scratchpad, writers.with_line(&self.seen.scratchpad)),
            _ => {
                let text = writers.with_line(self.seen.file(&name).unwrap_or_default());
                (DraftField::File(name), text)
            }
        }
    }

    fn edit(&mut self, writes: Vec<MindWrite>, own: &Lines) -> Result<(), TestCaseError> {
        let (session, base) = (self.tab.session, self.seen.hash());
        match self.tab.send(Command::EditMind { session, base, writes }) {
            Ok(()) => {
                self.accepted.extend(own);
                Ok(())
            }
            Err(Rejection::Write(_)) => Ok(()),
            Err(other) => Err(TestCaseError::fail(format!("{other:?}"))),
        }
    }

    fn step(&mut self, what: u8) -> Result<(), TestCaseError> {
        let session = self.tab.session;
        match what % 24 {
            0..=4 => {
                let agent = ["@Architect", "@Engineer", "@Architect", ""][self.below(4)];
                let mode = [QueueMode::FollowUp, QueueMode::Steer, QueueMode::Interrupt][self.below(3)];
                let new = NewMessage { mode, ..NewMessage::new(session, format!("{agent} go on")) };
                self.stopped = None;
                drop(self.tab.send(Command::SendMessage(new)));
            }
            5..=9 => {
                if what.is_multiple_of(2) {
                    self.seen = self.tab.mind();
                }
                let (field, text) = self.insertion();
                let own = lines_in(&text).difference(&lines_of(&self.seen)).copied().collect();
                self.edit(vec![field.write(text).unwrap()], &own)?;
            }
            10 | 11 => self.seen = self.tab.mind(),
            12 | 13 => {
                let (field, text) = self.insertion();
                let own: Lines = lines_in(&text).difference(&lines_of(&self.seen)).copied().collect();
                // Another text of the same field replaces the draft.
                if !self.drafts().iter().any(|draft| draft.field == field) {
                    self.typed.extend(own);
                    let (base, text) = (self.seen.hash(), Some(text));
                    self.tab.running.handle.draft(Draft { session, field, text, base, in_conflict: false });
                    self.tab.settle();
                }
            }
            14 => {
                self.tab.send(Command::Stop { session }).unwrap();
                self.stopped = Some(self.tab.requests.borrow().len());
                let world = self.tab.world();
                let works = world.sessions.values().any(|row| world.open_run(row).is_some());
                prop_assert!(!works, "a run is open after Stop");
            }
            15 => drop(self.tab.send(Command::Sync { session })),
            16 => {
                let sync = self.tab.session_row().core.change.and_then(|change| change.id);
                drop(sync.map(|sync| self.tab.send(Command::UndoSync { session, sync })));
            }
            17 => {
                let head = self.tab.session_row().head;
                let turns: Vec<TurnId> = self.tab.world().ancestry(head).map(|turn| turn.id).collect();
                if let Some(to) = turns.get(self.below(turns.len())).copied() {
                    drop(self.tab.send(Command::MoveHead { session, to, newest: self.below(2) == 0 }));
                }
            }
            18 => self.reload(),
            19 => self.go_on(),
            20 => {
                self.seen = self.tab.mind();
                let from = self.writers.borrow_mut().file(&self.seen);
                let to = FILES[self.below(FILES.len())].to_owned();
                let write = match self.below(3) {
                    0 => MindWrite::Remove(from),
                    _ => MindWrite::Rename { from, to },
                };
                self.edit(vec![write], &Lines::new())?;
            }
            21 => self.tab.pass(5_000),
            _ => self.tab.pass(300),
        }
        self.tab.pass(1);
        if let Some(before) = self.stopped {
            prop_assert_eq!(self.tab.requests.borrow().len(), before, "an agent was called after Stop");
        }
        Ok(())
    }

    /// Resumes every paused run.
    fn go_on(&mut self) {
        let world = self.tab.world();
        let paused = world.runs.values().filter(|run| run.status == RunStatus::Paused);
        let paused: Vec<_> = paused.map(|run| run.id).collect();
        drop(world);
        for run in paused {
            self.stopped = None;
            drop(self.tab.send(Command::ContinueRun { run }));
        }
    }

    fn drafts(&self) -> Vec<Draft> {
        let store = self.tab.store.clone();
        let rows = self.tab.wait_for(async move { store.scan(Table::Drafts, String::new()).await.unwrap() });
        rows.iter().map(|(_, row)| serde_json::from_str(row).unwrap()).collect()
    }

    /// Lets everything end.
    fn end(&mut self) -> Result<(), TestCaseError> {
        for _ in 0..6 {
            self.tab.pass(120_000);
            self.go_on();
        }
        self.tab.pass(120_000);
        let world = self.tab.world();
        for row in world.sessions.values() {
            let run = world.open_run(row);
            prop_assert!(run.is_none(), "{} never ends: {:?}", row.label, run);
            prop_assert!(world.open_turn(row).is_none() && row.workers.is_empty());
            prop_assert!(row.jobs.of(JobSlot::Core).is_none() && row.core.pending.is_none());
            prop_assert!(world.sendable(row.id).is_empty(), "a message is never sent");
        }
        Ok(())
    }
}

/// Checks each event of a session: which lines leave the mind, and which come. Returns all lines that it ever had.
fn check_session(
    world: &World,
    events: &[Event],
    id: SessionId,
    seen: &mut dyn FnMut(&'static str),
) -> Result<Lines, TestCaseError> {
    let mut now = World::default();
    let (mut before, mut ever) = (Mind::default(), Lines::new());
    let own: Vec<&Event> = events.iter().filter(|event| event.stream == StreamId::Session(id)).collect();
    for event in &own {
        now.absorb(fold(&now, std::slice::from_ref(event)));
        let Some(kind) = event.known_kind() else { continue };
        let after = Mind::clone(now.working_mind(now.session(&id).unwrap()).unwrap());
        let (had, has) = (lines_of(&before), lines_of(&after));
        let mut excused = Lines::new();
        for edit in kind.edits() {
            if let MindEdit::FileRemoved { name } = edit {
                excused.extend(lines_in(before.file(name).unwrap_or_default()));
            }
        }
        let goes_back = matches!(
            kind,
            EventKind::HeadMoved { by_hand: Some(_), .. } | EventKind::MindEdited { undoes: Some(_), .. }
        );
        let lost: Lines = had.difference(&has).filter(|line| !excused.contains(line)).copied().collect();
        prop_assert!(
            goes_back || lost.is_empty(),
            "lost {:?} by {:#?}\nbefore {:#?}\nafter {:#?}",
            lost,
            kind,
            before,
            after
        );
        ever.extend(&had);
        if goes_back && !lost.is_empty() {
            seen("restored");
        }
        let missing = |wanted: Lines, told: &str| -> Result<(), TestCaseError> {
            let told = lines_in(told);
            let is_missing =
                |line: &&u32| !has.contains(line) && !ever.contains(line) && !told.contains(line);
            let missing: Lines = wanted.iter().filter(is_missing).copied().collect();
            prop_assert!(missing.is_empty(), "{:?} never came by {:#?}", missing, kind);
            Ok(())
        };
        if let EventKind::ToolEnded { tool_run, status, message, .. } = kind {
            let call = world.tool_run(tool_run).unwrap().call.clone();
            if *status == ToolStatus::Succeeded && call.name != "delegate" {
                missing(lines_in(&format!("{:?}", call.args)), "")?;
            }
            let result = serde_json::to_string(message).unwrap();
            if result.contains("changed_by_others") {
                seen("met");
            }
            if result.contains("Nothing was written") {
                seen("conflict");
            }
        } else if let EventKind::WorkerSent { .. } = kind {
            seen("task");
        } else if let EventKind::WorkerEnded { worker, result, .. } = kind
            && result.end == WorkerEnd::Done
        {
            let row = world.session(worker).unwrap();
            let base = world.mind(&row.delegation.as_ref().unwrap().base).unwrap();
            let theirs = lines_of(world.working_mind(row).unwrap());
            let is_of =
                |report: &Option<WorkerReport>| report.as_ref().is_some_and(|it| it.worker == *worker);
            let report = own.iter().find_map(|event| match event.known_kind() {
                Some(EventKind::MessageQueued { item }) if is_of(&item.report) => Some(item.text.clone()),
                Some(EventKind::MessageCommitted { message }) if is_of(&message.metadata.report) => {
                    Some(text_of(&message.parts))
                }
                _ => None,
            });
            let report = report.unwrap();
            missing(theirs.difference(&lines_of(base)).copied().collect(), &report)?;
            seen(if result.conflicts.is_empty() { "merged" } else { "kept" });
        } else if let EventKind::JobDone(_) = kind {
            if before != after {
                seen("synced");
            }
        } else if let EventKind::SessionChanged { change: SessionChange::Stopped } = kind {
            seen("stopped");
        } else if let EventKind::RunPaused { cause: PauseCause::Interrupted } = kind {
            seen("reloaded");
        }
        ever.extend(has);
        before = after;
    }
    Ok(ever)
}

#[test]
fn no_writer_drops_the_lines_of_another() {
    let cases = std::env::var("NEXUS_WRITERS_CASES").ok().and_then(|cases| cases.parse().ok());
    let rng_seed = if cases.is_some() { RngSeed::Random } else { RngSeed::Fixed(1) };
    let cases = cases.unwrap_or(12);
    let config = Config { cases, rng_seed, failure_persistence: None, ..Config::default() };
    let values = (prop::collection::vec(any::<u8>(), 6..30), any::<u64>());
    check_until_seen(&config, ALL, &values, |(steps, luck), see| {
        let mut device = Device::new(luck);
        for number in 0..3 {
            device.seen = device.tab.mind();
            let text: String = (0..[3, 12, 40][number]).map(|_| device.writers.borrow_mut().line()).collect();
            let own = lines_in(&text);
            device.edit(vec![MindWrite::File { name: FILES[number].into(), text }], &own)?;
        }
        for what in steps {
            device.step(what)?;
        }
        device.end()?;
        let world = agree(&device.tab)?;
        let events = log(&device.tab);
        let mut ever = Lines::new();
        for id in world.sessions.keys() {
            let lines = check_session(&world, &events, *id, see)?;
            if *id == device.tab.session {
                ever = lines;
            }
        }
        let lost: Lines = device.accepted.difference(&ever).copied().collect();
        prop_assert!(lost.is_empty(), "accepted from the operator, never in the mind: {:?}", lost);
        let drafts: Lines =
            device.drafts().iter().flat_map(|draft| lines_in(draft.text.as_deref().unwrap_or(""))).collect();
        let mut lost = device.typed.clone();
        lost.retain(|line| !ever.contains(line) && !drafts.contains(line));
        prop_assert!(lost.is_empty(), "typed by the operator and gone: {:?}", lost);
        if device.typed.iter().any(|line| ever.contains(line)) {
            see("typed");
        }
        let mind = device.tab.mind();
        device.reload();
        agree(&device.tab)?;
        prop_assert_eq!(device.tab.mind(), mind);
        Ok(())
    });
}
