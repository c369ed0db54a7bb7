//! Port for running JavaScript checks in a sandbox ([`CheckRunner`]), and an adapter in memory. Loaded lazily.
//!
//! What a runner returns was written by untrusted code: a check can claim anything of itself.

use std::rc::Rc;

use futures_util::future::LocalBoxFuture;
use serde::{Deserialize, Serialize};

use crate::checks::report::{CheckProblem, CheckTest};

/// Runs check files away from everything: no network, no storage, no page. Dropping the future ends what runs.
pub trait CheckRunner {
    fn run(&self, job: CheckJob) -> LocalBoxFuture<'static, Result<CheckRun, CheckRunnerError>>;
}

/// The files that checks may read, and the checks to run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CheckJob {
    pub files: Vec<JobFile>,
    /// The scripts that stand in pages, by the page's name, with as many empty lines before them as the page has lines
    /// there. They are parsed and never run.
    pub pages: Vec<JobFile>,
    /// The names of the check files, in the order in which they run. Each has a thread of its own.
    pub checks: Vec<String>,
    /// How long a check file may run without a test that begins or ends, in milliseconds.
    pub silent_ms: u64,
    /// How long one test may wait for its promise, in milliseconds.
    pub test_ms: u64,
    /// How long all of them may run together, in milliseconds.
    pub total_ms: u64,
}

/// A file as a runner needs it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct JobFile {
    pub name: String,
    pub kind: JobFileKind,
    /// The text in pieces. In a module every second piece names another module.
    pub pieces: Vec<String>,
    /// What these pieces mean, in their order: `file:NAME` or `builtin:NAME`.
    pub targets: Vec<String>,
}

/// How a file is read by code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum JobFileKind {
    /// JavaScript with `import` or `export`.
    Module,
    /// Any other JavaScript: `require` gets its `module.exports`.
    Script,
    /// Anything that is not run.
    Text,
}

/// What came of a job.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct CheckRun {
    pub tests: Vec<CheckTest>,
    pub output: Vec<String>,
    pub dropped: u32,
    /// Whether the whole run was ended because it took too long, or wrote without an end.
    pub stopped: bool,
    /// JavaScript files that do not parse.
    pub problems: Vec<CheckProblem>,
}

/// Why nothing was run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckRunnerError {
    /// There is no sandbox here.
    Unavailable,
    /// The document of the sandbox could not be loaded.
    Absent,
}

/// What a runner in memory answers to a job.
pub type CheckScript = Rc<dyn Fn(&CheckJob) -> Result<CheckRun, CheckRunnerError>>;

/// Answers by a script. Without one it has no sandbox.
#[derive(Clone, Default)]
pub struct InMemoryCheckRunner(pub Option<CheckScript>);

impl CheckRunner for InMemoryCheckRunner {
    fn run(&self, job: CheckJob) -> LocalBoxFuture<'static, Result<CheckRun, CheckRunnerError>> {
        let answer = self.0.as_ref().map_or(Err(CheckRunnerError::Unavailable), |script| script(&job));
        Box::pin(std::future::ready(answer))
    }
}
