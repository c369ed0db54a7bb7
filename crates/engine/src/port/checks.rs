//! Port for running JavaScript checks in a sandbox ([`CheckRunner`]), and an adapter in memory. Loaded lazily.
//!
//! What a runner returns was written by untrusted code: a check can claim anything of itself.

use std::rc::Rc;

use futures_util::future::LocalBoxFuture;
use serde::{Deserialize, Serialize};

use crate::checks::report::{CheckProblem, CheckTest};

/// Runs check files in isolation: no network, no storage, no page. Dropping the future stops them.
pub trait CheckRunner {
    fn run(&self, job: CheckJob) -> LocalBoxFuture<'static, Result<CheckRun, CheckRunnerError>>;
}

/// The files that checks may read, and the checks to run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CheckJob {
    pub files: Vec<JobFile>,
    /// Inline scripts of pages, by page name, padded with empty lines to their line in the page. They are parsed but
    /// never run.
    pub pages: Vec<JobFile>,
    /// The check files in the order in which they run, each in a worker of its own.
    pub checks: Vec<String>,
    /// Max time between the starts and ends of tests in a check file, in milliseconds.
    pub silent_ms: u64,
    /// Max time of one test, in milliseconds.
    pub test_ms: u64,
    /// Max time of all check files together, in milliseconds.
    pub total_ms: u64,
}

/// A file for a runner.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct JobFile {
    pub name: String,
    pub kind: JobFileKind,
    /// The text in pieces. In a module every second piece is an import specifier.
    pub pieces: Vec<String>,
    /// Resolved specifiers in order: `file:NAME` or `builtin:NAME`.
    pub targets: Vec<String>,
}

/// How code can load a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum JobFileKind {
    /// JavaScript with `import` or `export`.
    Module,
    /// Any other JavaScript: `require` gets its `module.exports`.
    Script,
    /// Anything else; not run.
    Text,
}

/// Result of a job.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct CheckRun {
    pub tests: Vec<CheckTest>,
    pub output: Vec<String>,
    pub dropped: u32,
    /// True if the run took too long or wrote too much.
    pub stopped: bool,
    /// JavaScript files that do not parse.
    pub problems: Vec<CheckProblem>,
}

/// Why nothing ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckRunnerError {
    /// There is no sandbox here.
    Unavailable,
    /// The sandbox document could not be loaded.
    Absent,
}

/// Answers a job in memory.
pub type CheckScript = Rc<dyn Fn(&CheckJob) -> Result<CheckRun, CheckRunnerError>>;

/// Answers by a script. Without one there is no sandbox.
#[derive(Clone, Default)]
pub struct InMemoryCheckRunner(pub Option<CheckScript>);

impl CheckRunner for InMemoryCheckRunner {
    fn run(&self, job: CheckJob) -> LocalBoxFuture<'static, Result<CheckRun, CheckRunnerError>> {
        let answer = self.0.as_ref().map_or(Err(CheckRunnerError::Unavailable), |script| script(&job));
        Box::pin(std::future::ready(answer))
    }
}
