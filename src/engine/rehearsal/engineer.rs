//! Never says that something is done before a tool has said so.
//!
//! Owns the Engineer's part: read what is needed, write or change the files that the open items of the plan ask for,
//! tick them, and report from the results.

use serde_json::{Map, Value, json};

use super::architect::news;
use super::brief::{Brief, Intent, intent_with};
use super::edits;
use super::plan::{self, Item, Plan};
use super::scene::{Done, Scene};
use super::stream::Reply;
use super::wish::{Wish, clauses};
use super::words::{count, listed};
use super::worker::{answer_question, greeting, introduced};
use super::works::Files;
use crate::domain::sorted::SortedSet;

/// How often a file is tried before it is left alone.
const ATTEMPTS: usize = 2;

pub(super) fn reply(scene: &Scene) -> Reply {
    let later_round = scene.round.is_some_and(|round| round.number > 1);
    match intent_with(&scene.message, &scene.mind.objective) {
        Intent::Question if !later_round => return answer_question(scene, "As the one who builds"),
        Intent::Courtesy if !later_round => return greeting(scene, "I build as soon as there is a plan."),
        Intent::Question | Intent::Courtesy | Intent::GoOn | Intent::Work => {}
    }
    let Some(work) = Work::of(scene) else {
        let text = "Nothing is open for me: every item of mine is ticked.";
        return Reply::new("", introduced(scene, "Engineer") + text);
    };
    if scene.noted().is_some() || scene.calls().any(|call| call.tool == "get_active_file") {
        return work.report();
    }
    if let Some(reply) = work.read() {
        return reply;
    }
    if let Some(reply) = work.write() {
        return reply;
    }
    work.tick().unwrap_or_else(|| work.report())
}

/// A piece of work with what became of it when carried out on the text.
struct Task {
    words: String,
    /// Its line on the scratchpad; a message's own wish has none.
    line: Option<usize>,
    outcome: Option<String>,
    /// The files that it changes.
    files: SortedSet<String>,
}

struct Work<'a> {
    scene: &'a Scene,
    agreed: Brief,
    tasks: Vec<Task>,
    /// Existing files that should be read before they are changed.
    unread: Vec<String>,
    before: Files,
    after: Files,
    /// Whether a first draft is made.
    fresh: bool,
}

impl<'a> Work<'a> {
    fn of(scene: &'a Scene) -> Option<Self> {
        let agreed = plan::agreed(scene);
        let plan = Plan::read(&scene.mind.scratchpad);
        let open: Vec<Item> = match &plan {
            Some(plan) => plan.open_of("Engineer").cloned().collect(),
            None => plan::items(&scene.mind.scratchpad)
                .into_iter()
                .filter(|item| !item.done && item.owner == "Engineer")
                .collect(),
        };
        let before = scene.contents();
        let names = scene.file_names();
        let exists = agreed.kind.files(&agreed.title).iter().any(|file| names.contains(file));
        let to_write: Vec<&str> = open.iter().filter_map(Item::file).collect();
        let fresh = !to_write.is_empty()
            || (plan.is_none() && !exists && !scene.mind.objective.trim().is_empty())
            || (plan.is_none() && names.is_empty());

        let mut after = before.clone();
        let mut tasks: Vec<Task> = Vec::new();
        if fresh {
            let subject =
                if scene.mind.objective.trim().is_empty() { &scene.message } else { &scene.mind.objective };
            let draft = agreed.kind.draft(&agreed.title, subject, &agreed.features);
            let wanted = |name: &String| plan.is_none() || to_write.contains(&name.as_str());
            after.extend(draft.into_iter().filter(|(name, _)| wanted(name)));
        }
        for item in &open {
            let outcome = match item.file() {
                Some(file) => after.contains_key(file).then(|| format!("{file} exists")),
                None => None,
            };
            let files = item.file().filter(|_| outcome.is_some()).map(str::to_owned).into_iter().collect();
            tasks.push(Task { words: item.text.clone(), line: Some(item.line), outcome, files });
        }
        for words in Self::own_wishes(scene, plan.as_ref(), &agreed, fresh) {
            tasks.push(Task { words, line: None, outcome: None, files: SortedSet::new() });
        }
        if tasks.is_empty() && after == before {
            return None;
        }
        for task in tasks.iter_mut().filter(|task| task.files.is_empty()) {
            if task
                .line
                .is_some_and(|line| open.iter().any(|item| item.line == line && item.file().is_some()))
            {
                continue;
            }
            let old = after.clone();
            task.outcome = Wish::read(&task.words, agreed.kind).carry_out(agreed.kind, &mut after);
            if old == after {
                task.outcome = task.outcome.take().map(|outcome| format!("nothing to change, {outcome}"));
            }
            task.files = after
                .iter()
                .filter(|(name, text)| old.get(*name) != Some(text))
                .map(|(n, _)| n.clone())
                .collect();
        }
        let mut unread = if fresh && names.iter().all(|name| after.contains_key(name)) {
            Vec::new()
        } else {
            scene.unread()
        };
        unread.retain(|name| !to_write.contains(&name.as_str()));
        Some(Self { scene, agreed, tasks, unread, before, after, fresh })
    }

    /// What the message itself asks for, where the plan does not hold it: the Architect may be muted.
    fn own_wishes(scene: &Scene, plan: Option<&Plan>, agreed: &Brief, fresh: bool) -> Vec<String> {
        if plan.is_none() && fresh {
            return agreed.features.clone();
        }
        let later_round = scene.round.is_some_and(|round| round.number > 1);
        if intent_with(&scene.message, &scene.mind.objective) != Intent::Work
            || later_round
            || scene.message.trim() == scene.mind.objective.trim()
        {
            return Vec::new();
        }
        match plan {
            // Words that the plan was drawn up from are on it as features.
            Some(plan)
                if plan
                    .files()
                    .any(|file| plan.open_of("Engineer").any(|item| item.file() == Some(file))) =>
            {
                Vec::new()
            }
            Some(plan) => news(scene, plan),
            None => clauses(&scene.message),
        }
    }

    /// The calls of this turn that changed, or tried to change, `file`.
    fn attempts(&self, file: &str) -> Vec<&'a Done> {
        let scene = self.scene;
        scene
            .calls()
            .filter(|call| match call.tool.as_str() {
                "write_file" | "edit_file" => call.arg("name") == Some(file),
                "update_nexus_state" => {
                    call.arg("activeFile").is_some() && call.arg("activeFileName") == Some(file)
                }
                _ => false,
            })
            .collect()
    }

    /// Whether the last try to change `file` went well. Several edits of one answer count together.
    fn is_written(&self, file: &str) -> bool {
        let last = self.scene.steps.iter().rev().find(|step| {
            step.calls
                .iter()
                .any(|call| self.attempts(file).iter().any(|attempt| std::ptr::eq(*attempt, call)))
        });
        last.is_some_and(|step| {
            step.calls
                .iter()
                .filter(|call| self.attempts(file).iter().any(|attempt| std::ptr::eq(*attempt, *call)))
                .all(|call| call.problem().is_none())
        })
    }

    /// How many answers of this turn tried to change `file`.
    fn tries(&self, file: &str) -> usize {
        let attempts = self.attempts(file);
        let tried = |call: &Done| attempts.iter().any(|attempt| std::ptr::eq(*attempt, call));
        self.scene.steps.iter().filter(|step| step.calls.iter().any(tried)).count()
    }

    /// Asks for files whose text is needed and not known, or is no longer what the mind block shows.
    fn read(&self) -> Option<Reply> {
        if !self.scene.offers("read_file") {
            return None;
        }
        let is_started = self.scene.calls().any(|call| call.tool == "write_file" || call.tool == "edit_file");
        let mut names = if is_started { Vec::new() } else { self.unread.clone() };
        if let Some(last) = self.scene.steps.last() {
            let failed =
                last.calls.iter().filter(|call| call.tool == "edit_file" && call.problem().is_some());
            for name in failed.filter_map(|call| call.arg("name")) {
                if self.tries(name) < ATTEMPTS && !names.iter().any(|known| known == name) {
                    names.push(name.to_owned());
                }
            }
        }
        if names.is_empty() {
            return None;
        }
        let text = if is_started {
            format!("{} is not what I took it for. I read it again.", listed(&names))
        } else {
            format!(
                "{}I read {} before I change anything.",
                introduced(self.scene, "Engineer"),
                listed(&names)
            )
        };
        let thought = format!("To do: {}. I need the present text for that.", self.to_do());
        let reply = Reply::new(thought, text);
        Some(names.into_iter().fold(reply, |reply, name| reply.call("read_file", json!({ "name": name }))))
    }

    fn to_do(&self) -> String {
        let words: Vec<&str> = self.tasks.iter().map(|task| task.words.as_str()).collect();
        listed(&words)
    }

    /// Writes or edits the files that still differ: the main file of a first draft alone, then the rest.
    fn write(&self) -> Option<Reply> {
        let mut pending: Vec<(&String, &String)> = self
            .after
            .iter()
            .filter(|(name, text)| self.before.get(*name) != Some(text))
            .filter(|(name, _)| !self.is_written(name) && self.tries(name) < ATTEMPTS)
            .collect();
        let main = self.agreed.kind.files(&self.agreed.title).into_iter().next().unwrap_or_default();
        let begins =
            self.scene.steps.iter().all(|step| step.calls.iter().all(|call| call.tool == "read_file"));
        if self.fresh && begins && pending.len() > 1 && pending.iter().any(|(name, _)| **name == main) {
            pending.retain(|(name, _)| **name == main);
        }
        let names: Vec<&str> = pending.iter().map(|(name, _)| name.as_str()).collect();
        if names.is_empty() {
            return None;
        }
        let mut text =
            if self.scene.steps.is_empty() { introduced(self.scene, "Engineer") } else { String::new() };
        let mut thought = String::new();
        if begins {
            let what = format!("a {} called “{}”", self.agreed.kind.label(), self.agreed.title);
            thought = format!("To do: {}. This is {what}. I begin with {}.", self.to_do(), listed(&names));
        }
        text.push_str(&if self.fresh && begins {
            format!("I build **{}**, beginning with `{}`.", self.agreed.title, names.join("`, `"))
        } else if self.fresh {
            format!("Now {}.", listed(&names))
        } else {
            format!("I change {} for {}.", listed(&names), count(self.tasks.len(), "open item"))
        });
        let mut reply = Reply::new(thought, text);
        for (name, content) in pending {
            let before = self.before.get(name).filter(|_| self.scene.offers("edit_file"));
            let edits = before.map_or_else(Vec::new, |before| edits::between(before, content));
            if !edits.is_empty()
                && self.tries(name) + 1 < ATTEMPTS + usize::from(!self.scene.offers("write_file"))
            {
                for edit in edits {
                    reply = reply.call(
                        "edit_file",
                        json!({ "name": name, "search": edit.search, "replace": edit.replace }),
                    );
                }
            } else if self.scene.offers("write_file") {
                reply = reply.call("write_file", json!({ "name": name, "content": content }));
            } else if self.scene.offers("update_nexus_state") {
                // The active file is one: a file for each answer.
                return Some(
                    reply
                        .call("update_nexus_state", json!({ "activeFile": content, "activeFileName": name })),
                );
            } else {
                reply.text.push_str(&format!("\n\n`{name}`:\n\n````\n{content}````\n"));
            }
        }
        Some(reply)
    }

    /// Whether a task was carried out and all its files took it.
    fn is_done(&self, task: &Task) -> bool {
        task.outcome.is_some()
            && task
                .files
                .iter()
                .all(|file| self.before.get(file) == self.after.get(file) || self.is_written(file))
    }

    /// Ticks what is done and looks at the active file.
    fn tick(&self) -> Option<Reply> {
        let done: Vec<&Task> = self.tasks.iter().filter(|task| self.is_done(task)).collect();
        let lines: Vec<usize> = done.iter().filter_map(|task| task.line).collect();
        let own: Vec<String> =
            done.iter().filter(|task| task.line.is_none()).map(|task| task.words.clone()).collect();
        let mut scratchpad = plan::with_ticks(&self.scene.mind.scratchpad, &lines);
        if !own.is_empty() {
            scratchpad = plan::with_items(&scratchpad, &own, true);
        }
        if done.is_empty() || self.scene.steps.is_empty() {
            return None;
        }
        let mut reply = Reply::new(
            "",
            format!("{} done. I tick the plan and look at the result.", count(done.len(), "item")),
        );
        if self.scene.offers("update_nexus_state") {
            let mut args = Map::new();
            args.insert("scratchpad".to_owned(), Value::from(scratchpad));
            reply = reply.call("update_nexus_state", Value::Object(args));
        }
        if self.scene.offers("get_active_file") {
            reply = reply.call("get_active_file", json!({}));
        }
        (!reply.calls.is_empty()).then_some(reply)
    }

    /// What came of it, from the results.
    fn report(&self) -> Reply {
        let mut text = String::new();
        let written: Vec<String> = self
            .after
            .iter()
            .filter(|(name, text)| self.before.get(*name) != Some(text) && self.is_written(name))
            .map(|(name, text)| format!("`{name}` ({})", count(text.lines().count(), "line")))
            .collect();
        if !written.is_empty() {
            text.push_str(&format!(
                "{}: {}.\n\n",
                if self.fresh { "Written" } else { "Changed" },
                written.join(", ")
            ));
        }
        for task in self.tasks.iter().filter(|task| task.line.is_none() || !task.words.starts_with("write "))
        {
            let outcome = match &task.outcome {
                Some(outcome) if self.is_done(task) => outcome.clone(),
                Some(_) => "not done, the file did not take the change".to_owned(),
                None => "not done: I found no place for it".to_owned(),
            };
            text.push_str(&format!("- {}: {outcome}\n", task.words));
        }
        let calls: Vec<&Done> = self.scene.calls().collect();
        for call in calls.iter().filter(|call| call.tool != "get_active_file") {
            let file = call.arg("name").or(call.arg("activeFileName")).unwrap_or("the scratchpad");
            let mended = self.is_written(file);
            if let Some(problem) = call.problem().filter(|_| !mended) {
                text.push_str(&format!("- {} on {file} failed: {problem}\n", call.tool));
            }
        }
        let active =
            calls.iter().rev().find(|call| call.tool == "get_active_file" && call.problem().is_none());
        if let Some(result) = active.and_then(|call| call.result.as_ref()) {
            let number = |key: &str| result.get(key).and_then(Value::as_u64);
            if let (Some(name), Some(lines), Some(bytes)) =
                (result.get("name").and_then(Value::as_str), number("lines"), number("bytes"))
            {
                text.push_str(&format!("\nThe active file is {name}: {lines} lines, {bytes} bytes."));
            }
        }
        if text.is_empty() {
            text.push_str("Nothing changed.");
        }
        if self.fresh && written.iter().any(|name| name.contains("index.html")) {
            text.push_str("\n\nKeep the three files side by side and open `index.html` in a browser: it needs no network.");
        }
        Reply::new("", text)
    }
}
