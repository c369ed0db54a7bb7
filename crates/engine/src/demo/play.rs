//! Plays the Architect and the Engineer of a prepared scenario.
//!
//! Never reports something as done before the tool result confirms it.

use crate::demo::request::DemoRequest;
use crate::demo::scenario::{CHECKS_FILE, ChangeState, FILES, FileChange, FileDraft, MARK, Scenario};
use crate::demo::text::{bullets, count, listed};
use crate::demo::{DemoReply, review, text, unprepared};
use crate::prelude::*;
use nexus_model::provider::presets::{demo_key, demo_objective};
use serde_json::Map;

/// What a message requests of a scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DemoTask<'s> {
    Next,
    Fix,
    FollowUp(&'s FileChange),
    Unknown,
}

const FIX: [&str; 7] = [
    "fix the findings",
    "fix findings",
    "fix all findings",
    "fix them",
    "mend the findings",
    "fix what Critic found",
    "Engineer, fix the findings",
];

fn task_of<'s>(request: &DemoRequest, scenario: &'s Scenario) -> DemoTask<'s> {
    let key = demo_key(&request.message);
    if request.continues() || demo_objective(&request.message).is_some() {
        return DemoTask::Next;
    }
    if FIX.iter().any(|words| demo_key(words) == key) {
        return DemoTask::Fix;
    }
    let follow_up = scenario.follow_ups.iter().find(|change| demo_key(change.title) == key);
    follow_up.map_or(DemoTask::Unknown, DemoTask::FollowUp)
}

pub(super) fn reply(request: &DemoRequest, scenario: &Scenario) -> DemoReply {
    let task = task_of(request, scenario);
    match &*request.name {
        _ if task == DemoTask::Unknown => unprepared::unknown_task(request, scenario),
        "Architect" => architect(request, scenario, task),
        "Engineer" => Engineer::new(request, scenario, task).reply(),
        "Critic" => review::reply(request, scenario),
        _ => unprepared::other(request),
    }
}

/// The beginning of a conversation's first answer.
fn introduction(request: &DemoRequest) -> &'static str {
    if request.opening && request.calls.is_empty() {
        "_This is a demo: the answers are prepared. The files are real, and yours._\n\n"
    } else {
        ""
    }
}

fn architect(request: &DemoRequest, scenario: &Scenario, task: DemoTask) -> DemoReply {
    let written = |pad: &str| {
        let open = text::items(pad).iter().filter(|item| !item.done).count();
        format!("The plan is on the scratchpad, with {} open. Over to the Engineer.", count(open, "item"))
    };
    if let Some(reply) = unprepared::after_scratchpad(request, written) {
        return reply;
    }
    let pad = &request.mind.scratchpad;
    let items = text::items(pad);
    let open: Vec<&str> = items
        .iter()
        .filter(|item| !item.done && item.owner == "Engineer")
        .map(|item| item.text.split(": ").next().unwrap_or(item.text))
        .collect();
    let has_plan = pad.lines().any(|line| line == scenario.heading());
    let block = match task {
        DemoTask::FollowUp(change) if !items.iter().any(|item| item.is("Engineer", change.title)) => {
            format!("- [ ] Engineer: {}", change.title)
        }
        DemoTask::Next if !has_plan => format!("{}\n{}", scenario.heading(), scenario.plan),
        DemoTask::Next | DemoTask::Fix | DemoTask::FollowUp(_) | DemoTask::Unknown => {
            let text = match open.as_slice() {
                [] => "The scratchpad has no open items for the Engineer.".to_owned(),
                open => format!("Open for the Engineer:\n\n{}", bullets(open)),
            };
            return DemoReply::with_text(format!("{}{text}", introduction(request)));
        }
    };
    let (thought, text) = match task {
        DemoTask::FollowUp(change) => {
            ("", format!("One more item for **{}**: {}.", scenario.title, change.title))
        }
        DemoTask::Next | DemoTask::Fix | DemoTask::Unknown => (
            "What is this for, what can be left out, and how do we know that it is done?",
            scenario.architect.to_owned(),
        ),
    };
    let reply = DemoReply::new(thought, format!("{}{text}", introduction(request)));
    if !request.offers("update_nexus_state") {
        return DemoReply { text: format!("{}\n\n{block}", reply.text), ..reply };
    }
    let mut args = Map::new();
    // The requested objective differs from the one on the board.
    if let Some(named) = demo_objective(&request.message)
        && demo_objective(&request.mind.objective) != Some(named)
    {
        args.insert("objective".to_owned(), named.objective.into());
    }
    args.insert("scratchpad".to_owned(), text::joined(pad, &block).into());
    reply.call("update_nexus_state", Value::Object(args))
}

struct Engineer<'a> {
    request: &'a DemoRequest,
    scenario: &'a Scenario,
    texts: nexus_text::vec_map::VecMap<String, String>,
    drafts: Vec<&'a FileDraft>,
    /// Files with the demo's names that are not the demo's.
    foreign: Vec<&'static str>,
    /// The requested changes with their state before this turn.
    changes: Vec<(&'a FileChange, ChangeState)>,
    unread: Vec<&'static str>,
}

impl<'a> Engineer<'a> {
    fn new(request: &'a DemoRequest, scenario: &'a Scenario, task: DemoTask<'a>) -> Self {
        let texts = request.texts();
        let owned = |name: &str| texts.get(name).is_some_and(|text| scenario.owns(text));
        let others =
            |name: &str| request.has_file(name) && texts.get(name).is_none_or(|text| !text.contains(MARK));
        let builds = task == DemoTask::Next;
        let checks = request.wants_checks();
        let names: Vec<&str> = FILES.into_iter().chain(checks.then_some(CHECKS_FILE)).collect();
        let foreign: Vec<&str> = names.iter().copied().filter(|name| others(name)).collect();
        let files = scenario.files.iter().chain(checks.then_some(&scenario.checks));
        let missing: Vec<&FileDraft> = files.filter(|file| !owned(file.name)).collect();
        let drafts = if builds && foreign.is_empty() { missing } else { Vec::new() };
        let items = text::items(&request.mind.scratchpad);
        // Failed checks are in the inbox, findings of a review on the scratchpad.
        let listed = |change: &FileChange| {
            request.inbox().contains(change.title)
                || items.iter().any(|item| !item.done && item.is("Engineer", change.title))
        };
        let changes: Vec<&FileChange> = match task {
            DemoTask::Next if drafts.is_empty() => {
                scenario.findings.iter().chain(&scenario.follow_ups).filter(|change| listed(change)).collect()
            }
            DemoTask::Fix => scenario.findings.iter().collect(),
            DemoTask::FollowUp(change) => vec![change],
            DemoTask::Next | DemoTask::Unknown => Vec::new(),
        };
        let is_touched = |name: &&str| builds || changes.iter().any(|change| change.files().contains(name));
        let unread = request.unread(names.into_iter().filter(is_touched));
        let changes = changes.into_iter().map(|change| (change, change.state(&texts))).collect();
        Self { request, scenario, texts, drafts, foreign, changes, unread }
    }

    fn reply(&self) -> DemoReply {
        if !self.unread.is_empty() && self.request.offers("read_file") {
            let text = format!("{}I read {} first.", introduction(self.request), listed(&self.unread));
            let read = |reply: DemoReply, name: &&str| reply.call("read_file", json!({ "name": name }));
            return self.unread.iter().fold(DemoReply::with_text(text), read);
        }
        self.draft().or_else(|| self.edit()).or_else(|| self.tick()).unwrap_or_else(|| self.report())
    }

    fn draft(&self) -> Option<DemoReply> {
        let was_attempted =
            |file: &FileDraft| self.request.calls_on("write_file", file.name).next().is_some();
        let file = self.drafts.iter().find(|file| !was_attempted(file))?;
        if !self.request.offers("write_file") {
            return Some(DemoReply::with_text("I may not write files here, so I cannot build anything."));
        }
        let reply = DemoReply::with_text(format!("{}{}", introduction(self.request), file.about));
        Some(reply.call("write_file", json!({ "name": file.name, "content": file.text })))
    }

    fn edit(&self) -> Option<DemoReply> {
        let was_attempted = self.request.calls.iter().any(|call| call.tool == "edit_file");
        let open = self.changes.iter().filter(|(_, state)| *state == ChangeState::Open);
        let open: Vec<&FileChange> = open.map(|(change, _)| *change).collect();
        if was_attempted || open.is_empty() || !self.request.offers("edit_file") {
            return None;
        }
        let titles: Vec<String> = open.iter().map(|change| format!("**{}**", change.title)).collect();
        let reply = DemoReply::new(
            "I change only these passages and leave everything else as it is.",
            format!("I change {} for:\n\n{}", listed(&self.files_of(&open)), bullets(titles)),
        );
        let edits = open.iter().flat_map(|change| &change.edits);
        Some(edits.fold(reply, |reply, edit| {
            let args = json!({ "name": edit.file, "search": edit.search, "replace": edit.replace });
            reply.call("edit_file", args)
        }))
    }

    fn files_of(&self, changes: &[&FileChange]) -> Vec<String> {
        let is_touched = |name: &&str| changes.iter().any(|change| change.files().contains(name));
        FILES.into_iter().filter(is_touched).map(|name| format!("`{name}`")).collect()
    }

    /// Why a change is not in the files; `None` if it is.
    fn failure(&self, change: &FileChange, state: ChangeState) -> Option<String> {
        match state {
            ChangeState::Made => None,
            ChangeState::Unknown => Some("the files have changed since the demo wrote them".to_owned()),
            ChangeState::Open => change.edits.iter().find_map(|edit| {
                let mut calls = self.request.calls_on("edit_file", edit.file);
                match calls.find(|call| call.arg("search") == Some(edit.search)) {
                    Some(call) => call.error(),
                    None => Some("I may not edit files here".to_owned()),
                }
            }),
        }
    }

    fn is_written(&self, name: &str) -> bool {
        self.request.calls_on("write_file", name).last().is_some_and(|call| call.error().is_none())
    }

    fn tick(&self) -> Option<DemoReply> {
        let (done, args) = self.request.tick(|item| {
            let of_file = item.file().is_some_and(|name| self.is_written(name));
            let mut changes = self.changes.iter().filter(|(change, _)| item.is("Engineer", change.title));
            let of_change = changes.any(|(change, state)| self.failure(change, *state).is_none());
            item.owner == "Engineer" && (of_file || of_change)
        })?;
        let text = format!("I tick {} on the scratchpad.", count(done, "item"));
        Some(DemoReply::with_text(text).call("update_nexus_state", args))
    }

    fn report(&self) -> DemoReply {
        let mut text = Vec::new();
        let written = |file: &&&FileDraft| self.is_written(file.name);
        let files: Vec<String> = self
            .drafts
            .iter()
            .filter(written)
            .map(|file| format!("`{}` ({})", file.name, count(file.text.lines().count(), "line")))
            .collect();
        if !files.is_empty() {
            text.push(format!("Written: {}.", listed(&files)));
        }
        if !files.is_empty() && files.len() == self.drafts.len() {
            text.push(format!("{} The preview runs it, without a network.", self.scenario.done));
        }
        let changes = self.changes.iter().map(|(change, state)| match self.failure(change, *state) {
            Some(error) => format!("**{}**: not done, {error}.", change.title),
            None if *state == ChangeState::Made => {
                format!("**{}**: it was in the files already.", change.title)
            }
            None => format!("**{}**: done in {}.", change.title, listed(&self.files_of(&[change]))),
        });
        if !self.changes.is_empty() {
            text.push(bullets(changes));
        }
        let failed =
            self.request.calls.iter().filter(|call| call.tool != "edit_file" && call.tool != "read_file");
        let failed = failed.filter_map(|call| {
            let what = call.arg("name").unwrap_or("the scratchpad").to_owned();
            Some(format!("{what} was not written: {}.", call.error()?))
        });
        let failed: Vec<String> = failed.collect();
        if !failed.is_empty() {
            text.push(bullets(failed));
        }
        if !self.foreign.is_empty() && self.changes.is_empty() {
            let were = if self.foreign.len() == 1 { "was" } else { "were" };
            text.push(format!(
                "{} {were} not written by this demo, and I overwrite none of your files. Start a new session, and I can build there.",
                listed(&self.foreign)
            ));
        }
        if text.is_empty() {
            let there = FILES.into_iter().all(|name| self.texts.contains_key(name));
            let also = if there { "; the files are there" } else { "" };
            text.push(format!("There is nothing left for me to do{also}."));
        }
        DemoReply::with_text(format!("{}{}", introduction(self.request), text.join("\n\n")))
    }
}
