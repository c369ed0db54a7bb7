//! Result of running a session's checks: tests, problems in files, and what was not checked.

use nexus_markup::sparse;
use nexus_model::words;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use nexus_text::shorten::ellipsis;

const LISTED_MAX: usize = 20;
const MESSAGE_CHARS: usize = 600;
const OUTPUT_LINES: usize = 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TestStatus {
    Passed,
    Failed,
    Skipped,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckTest {
    pub file: String,
    /// Its name, after those of the groups around it.
    pub name: String,
    pub status: TestStatus,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub message: String,
    #[serde(default)]
    pub ms: u32,
    /// Where it failed, if known: a file and a line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<(String, u32)>,
}

/// Something wrong in a file, found without running it.
#[sparse]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckProblem {
    pub file: String,
    /// From 1, if known.
    pub line: Option<u32>,
    pub column: Option<u32>,
    pub message: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UncheckedFiles {
    /// What was not checked and why, as text.
    pub what: String,
    pub files: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CheckVerdict {
    /// At least one test ran, and there are no failures or problems.
    Passed,
    Failed,
    /// No problems, but no test ran.
    NoTests,
}

words!(CheckVerdict { Passed: "passed", Failed: "failed", NoTests: "no_tests" });

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CheckReport {
    pub passed: u32,
    pub failed: u32,
    pub skipped: u32,
    pub tests: Vec<CheckTest>,
    /// Problems in files, found without running them.
    pub problems: Vec<CheckProblem>,
    /// Number of files scanned without running them.
    pub files: u32,
    pub not_checked: Vec<UncheckedFiles>,
    pub output: Vec<String>,
    /// Number of tests and lines omitted because there were too many.
    pub dropped: u32,
    pub stopped: bool,
    /// True if nothing ran because there is no sandbox.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub no_sandbox: bool,
    /// Fingerprint of the files: equal if nothing changed.
    pub state: String,
}

impl CheckReport {
    pub fn verdict(&self) -> CheckVerdict {
        if self.failed > 0 || !self.problems.is_empty() || self.stopped {
            CheckVerdict::Failed
        } else if self.passed > 0 {
            CheckVerdict::Passed
        } else {
            CheckVerdict::NoTests
        }
    }

    pub fn headline(&self) -> String {
        let mut line = match self.passed + self.failed {
            0 => "No tests ran.".to_owned(),
            all => format!("{} of {all} tests passed.", self.passed),
        };
        if self.skipped > 0 {
            line.push_str(&format!(" Tests skipped: {}.", self.skipped));
        }
        if !self.problems.is_empty() {
            line.push_str(&format!(" Problems in files: {}.", self.problems.len()));
        }
        if self.stopped {
            line.push_str(" Stopped before the end.");
        }
        line
    }

    pub fn failures(&self) -> impl Iterator<Item = &CheckTest> {
        self.tests.iter().filter(|test| test.status == TestStatus::Failed)
    }

    /// The result as text for an envelope or a message: headline, failures, problems, what was not checked.
    pub fn envelope_summary(&self) -> String {
        let mut text = self.headline();
        for test in self.failures().take(LISTED_MAX) {
            let at = test.at.as_ref().map(|(file, line)| format!(" ({file}:{line})")).unwrap_or_default();
            let message = ellipsis(&test.message, MESSAGE_CHARS).replace('\n', "\n  ");
            text.push_str(&format!("\n- FAILED {}: {}{at}\n  {message}", test.file, test.name));
        }
        for problem in self.problems.iter().take(LISTED_MAX) {
            text.push_str(&format!("\n- {}: {}", problem.place(), ellipsis(&problem.message, MESSAGE_CHARS)));
        }
        let named = self.failures().count().min(LISTED_MAX) + self.problems.len().min(LISTED_MAX);
        let more = (self.failures().count() + self.problems.len()).saturating_sub(named);
        if more > 0 {
            text.push_str(&format!("\n- and {more} more"));
        }
        for unchecked in &self.not_checked {
            text.push_str(&format!("\nNot checked: {} ({}).", unchecked.what, short_list(&unchecked.files)));
        }
        text
    }

    pub fn for_model(&self) -> Value {
        let failures: Vec<Value> = self
            .failures()
            .take(LISTED_MAX)
            .map(|test| {
                let message = ellipsis(&test.message, MESSAGE_CHARS);
                let at = test.at.as_ref().map(|(file, line)| format!("{file}:{line}"));
                json!({ "file": test.file, "test": test.name, "message": message, "at": at })
            })
            .collect();
        let problems: Vec<Value> = self
            .problems
            .iter()
            .take(LISTED_MAX)
            .map(|problem| {
                json!({ "at": problem.place(), "message": ellipsis(&problem.message, MESSAGE_CHARS) })
            })
            .collect();
        let mut result = json!({
            "verdict": self.verdict().name(),
            "summary": self.headline(),
            "state": self.state,
        });
        let mut put = |name: &str, value: Vec<Value>| {
            if let (false, Some(result)) = (value.is_empty(), result.as_object_mut()) {
                result.insert(name.to_owned(), value.into());
            }
        };
        put("failures", failures);
        put("problems", problems);
        let unchecked = self.not_checked.iter();
        put(
            "not_checked",
            unchecked.map(|group| format!("{}: {}", group.what, short_list(&group.files)).into()).collect(),
        );
        let output = self.output.iter().take(OUTPUT_LINES);
        put("output", output.map(|line| ellipsis(line, MESSAGE_CHARS).into()).collect());
        result
    }
}

impl CheckProblem {
    pub(crate) fn new(file: &str, line: usize, message: impl Into<String>) -> Self {
        let line = u32::try_from(line).ok().filter(|line| *line > 0);
        Self { file: file.to_owned(), line, column: None, message: message.into() }
    }

    /// Its file, with line and column if known.
    pub fn place(&self) -> String {
        match (self.line, self.column) {
            (Some(line), Some(column)) => format!("{}:{line}:{column}", self.file),
            (Some(line), None) => format!("{}:{line}", self.file),
            (None, _) => self.file.clone(),
        }
    }
}

fn short_list(files: &[String]) -> String {
    let shown: Vec<&str> = files.iter().take(5).map(String::as_str).collect();
    match files.len().saturating_sub(shown.len()) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}
