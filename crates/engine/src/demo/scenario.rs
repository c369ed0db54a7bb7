//! The prepared scenarios as data: `scenarios/<name>/` holds the first files and a `scenario.txt`.
//!
//! `scenario.txt` consists of sections that begin with `=== name`. A `finding` or a `follow-up` contains prose and
//! edits; an edit names its file after `<<<<<<<` and has the passage to replace above `=======` and the new one below.
//! Never reports a change as made without checking the file.

use crate::prelude::*;

/// The files that each scenario writes, in this order.
pub(super) const FILES: [&str; 3] = ["index.html", "style.css", "app.js"];

pub(super) const CHECKS_FILE: &str = "checks/app.test.js";

/// Marks the demo's files, in a comment before the title of the scenario.
pub(super) const MARK: &str = "Nexus demo: ";

struct ScenarioSource {
    title: &'static str,
    script: &'static str,
    files: [&'static str; 3],
    checks: &'static str,
}

macro_rules! scenario {
    ($title:literal, $folder:literal) => {
        ScenarioSource {
            title: $title,
            script: include_str!(concat!("scenarios/", $folder, "/scenario.txt")),
            files: [
                include_str!(concat!("scenarios/", $folder, "/index.html")),
                concat!(
                    include_str!("scenarios/base.css"),
                    "\n",
                    include_str!(concat!("scenarios/", $folder, "/style.css"))
                ),
                include_str!(concat!("scenarios/", $folder, "/app.js")),
            ],
            checks: concat!(
                "// Nexus demo: ",
                $title,
                "\n",
                include_str!("scenarios/page.js"),
                "\n",
                include_str!(concat!("scenarios/", $folder, "/checks.js"))
            ),
        }
    };
}

const SOURCES: [ScenarioSource; 5] = [
    scenario!("Tip calculator", "tip-calculator"),
    scenario!("Snake", "snake"),
    scenario!("To-do list", "to-do-list"),
    scenario!("Pomodoro timer", "pomodoro"),
    scenario!("Unit converter", "unit-converter"),
];

#[derive(Clone, Debug)]
pub(super) struct Scenario {
    pub(super) title: &'static str,
    /// The checklist without its heading.
    pub(super) plan: &'static str,
    pub(super) architect: &'static str,
    pub(super) files: Vec<FileDraft>,
    /// The tests of its files, for graphs that run checks. A test that fails because of a finding has its title in its
    /// name.
    pub(super) checks: FileDraft,
    /// The Engineer's text when the files are written.
    pub(super) done: &'static str,
    /// Mistakes in the first files, with their fixes.
    pub(super) findings: Vec<FileChange>,
    pub(super) follow_ups: Vec<FileChange>,
}

#[derive(Clone, Debug)]
pub(super) struct FileDraft {
    pub(super) name: &'static str,
    pub(super) text: &'static str,
    pub(super) about: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FileChange {
    pub(super) title: &'static str,
    pub(super) about: &'static str,
    pub(super) edits: Vec<PreparedEdit>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PreparedEdit {
    pub(super) file: &'static str,
    pub(super) search: &'static str,
    pub(super) replace: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ChangeState {
    Made,
    /// Not made yet, and applicable.
    Open,
    /// Not applicable: not all of its passages are in the files.
    Unknown,
}

impl FileChange {
    pub(super) fn state(&self, texts: &VecMap<String, String>) -> ChangeState {
        let all = |holds: &dyn Fn(&PreparedEdit, &str) -> bool| {
            self.edits.iter().all(|edit| texts.get(edit.file).is_some_and(|text| holds(edit, text)))
        };
        if all(&|edit, text| text.contains(edit.replace)) {
            ChangeState::Made
        } else if all(&|edit, text| text.matches(edit.search).count() == 1) {
            ChangeState::Open
        } else {
            ChangeState::Unknown
        }
    }

    /// Where its first edit is, as `file:line`.
    pub(super) fn place(&self, texts: &VecMap<String, String>) -> Option<String> {
        let edit = self.edits.first()?;
        let before = texts.get(edit.file)?.split(edit.search).next()?;
        Some(format!("{}:{}", edit.file, before.matches('\n').count() + 1))
    }

    pub(super) fn files(&self) -> Vec<&'static str> {
        FILES.into_iter().filter(|name| self.edits.iter().any(|edit| edit.file == *name)).collect()
    }
}

impl Scenario {
    pub(super) fn of(title: &str) -> Option<Self> {
        let source = SOURCES.iter().find(|source| source.title == title)?;
        let sections: Vec<(&str, &str)> = source
            .script
            .trim_start_matches("=== ")
            .split("\n=== ")
            .filter_map(|section| section.split_once('\n'))
            .map(|(head, body)| (head.trim(), body.trim()))
            .collect();
        let body = |name: &str| {
            sections.iter().find(|(head, _)| *head == name).map(|(_, body)| *body).unwrap_or_default()
        };
        let changes = |kind: &str| {
            sections.iter().filter_map(|(head, body)| Some(change(head.strip_prefix(kind)?, body))).collect()
        };
        let files = FILES.into_iter().zip(source.files).map(|(name, text)| FileDraft {
            name,
            text,
            about: body(&format!("file {name}")),
        });
        Some(Self {
            title: source.title,
            plan: body("plan"),
            architect: body("architect"),
            files: files.collect(),
            checks: FileDraft {
                name: CHECKS_FILE,
                text: source.checks,
                about: "Then the checks: a page of stand-ins that app.js runs on, and what must be true on it.",
            },
            done: body("done"),
            findings: changes("finding "),
            follow_ups: changes("follow-up "),
        })
    }

    pub(super) fn heading(&self) -> String {
        format!("## Plan: {}", self.title)
    }

    pub(super) fn owns(&self, text: &str) -> bool {
        text.contains(&format!("{MARK}{}", self.title))
    }
}

fn change(title: &'static str, body: &'static str) -> FileChange {
    let mut pieces = body.split("<<<<<<< ");
    let about = pieces.next().unwrap_or_default().trim();
    let edit = |piece: &'static str| {
        let (file, rest) = piece.split_once('\n')?;
        let (search, rest) = rest.split_once("\n=======\n")?;
        let (replace, _) = rest.split_once("\n>>>>>>>")?;
        Some(PreparedEdit { file, search, replace })
    };
    FileChange { title, about, edits: pieces.filter_map(edit).collect() }
}
