//! Checks of a session's files: runs its JavaScript tests in a sandbox and looks for mistakes in the other files.
//!
//! A check file is `*.test.js`, `*.test.mjs`, `*.spec.js`, `*.spec.mjs`, or a script in a folder `tests`, `test`,
//! `checks` or `__tests__`. Its tests run by a [`CheckRunner`]; JSON, HTML, CSS and SVG are read here.
//!
//! Never reports a file as correct that was only scanned for mistakes: see [`CheckReport::not_checked`].

pub mod files;
pub mod report;

use crate::checks::files::{ReadFiles, check_files, job, state_of, unchecked};
use crate::port::lazy::{CheckRunner, CheckRunnerError};
use crate::prelude::*;

pub use crate::checks::files::CheckedFiles;
pub use crate::checks::report::{CheckProblem, CheckReport, CheckTest, CheckVerdict, TestStatus};

/// Runs all checks of files. Provided by the lazily loaded chunk of checks.
pub type RunChecks = Rc<dyn Fn(CheckedFiles) -> LocalBoxFuture<'static, CheckReport>>;

pub fn by(runner: Rc<dyn CheckRunner>) -> RunChecks {
    Rc::new(move |files| {
        let runner = Rc::clone(&runner);
        Box::pin(async move { run(&files, &*runner).await })
    })
}

pub async fn run(files: &CheckedFiles, runner: &dyn CheckRunner) -> CheckReport {
    let ReadFiles { problems, files: count, not_checked } = check_files(files);
    let not_checked = [unchecked(files), not_checked].concat();
    let mut report =
        CheckReport { state: state_of(files), problems, files: count, not_checked, ..CheckReport::default() };
    let job = job(files);
    if job.files.iter().all(|file| !file.is_code()) {
        return report;
    }
    match runner.run(job).await {
        Ok(results) => {
            let count = |wanted: TestStatus| {
                u32::try_from(results.tests.iter().filter(|test| test.status == wanted).count())
                    .unwrap_or(u32::MAX)
            };
            report.passed = count(TestStatus::Passed);
            report.failed = count(TestStatus::Failed);
            report.skipped = count(TestStatus::Skipped);
            report.problems.extend(results.problems);
            report.tests = results.tests;
            report.output = results.output;
            report.dropped = results.dropped;
            report.stopped = results.stopped;
        }
        Err(error) => {
            report.no_sandbox = true;
            let what = match error {
                CheckRunnerError::Unavailable => "JavaScript, because there is no sandbox here",
                CheckRunnerError::Absent => "JavaScript, because the sandbox could not be loaded",
            };
            let names = files.keys().filter(|name| files::is_script(name)).cloned().collect();
            report.not_checked.push(report::UncheckedFiles { what: what.to_owned(), files: names });
        }
    }
    report
}

#[cfg(test)]
mod tests;
