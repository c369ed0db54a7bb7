//! The tool `run_checks`: runs the checks of the session's files in a sandbox and reports the results.
//!
//! An `ErasedTool` of its own, because it waits for the sandbox. Needs no approval: the sandbox has no access to
//! anything.

use super::input::tool_input;
use super::{ErasedTool, done, failed};
use crate::checks::files::state_of;
use crate::checks::{CheckVerdict, CheckedFiles};
use crate::prelude::*;

const NAME: &str = "run_checks";

tool_input! {
    /// Runs the checks of the session's files and reports what fails. Checks are files named *.test.js, or scripts in
    /// tests/ or checks/, with test(name, fn), describe, expect(...) or node:assert; they import or require the other
    /// files, and readFile(name) gives a text. There is no page, network or storage in them. Scripts, JSON (against
    /// name.schema.json beside name.json), HTML, CSS and SVG are also looked at for mistakes. Other languages are not
    /// checked.
    struct CheckInput: NAME, Checks {}
}

pub(super) const RUN_CHECKS: ErasedTool = ErasedTool::of_input::<CheckInput>(|view, _| {
    let (files, parts) = (view.mind.files.clone(), Rc::clone(&view.parts));
    async move {
        match parts.checks().await {
            Ok(run) => done(run(files).await.for_model()),
            Err(error) => failed(error.to_string()),
        }
    }
    .boxed_local()
});

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastChecks {
    verdict: String,
    summary: String,
    is_current: bool,
}

impl LastChecks {
    fn read(report: &Value, files: &CheckedFiles) -> Option<Self> {
        let text = |name: &str| report.get(name).and_then(Value::as_str).map(str::to_owned);
        let is_current = text("state")? == state_of(files);
        Some(Self { verdict: text("verdict")?, summary: text("summary")?, is_current })
    }

    /// The newest checks that an agent of the session ran, compared with the `visible` files, and the newest of each
    /// verifier of the run, compared with all files.
    pub fn of(
        world: &World,
        session: SessionId,
        run: Option<&Run>,
        all: &CheckedFiles,
        visible: &CheckedFiles,
    ) -> Vec<Self> {
        let own = world.tool_runs.values().rev().find(|run| {
            run.session == session && run.call.name == NAME && run.status == ToolStatus::Succeeded
        });
        let own = own.and_then(|run| Self::read(run.result.as_ref()?, visible));
        let verifiers = run.into_iter().flat_map(|run| &run.nodes).filter(|node| node.kind == "verifier");
        let theirs = verifiers.filter_map(|node| Self::read(&node.last_output.as_ref()?.structured, all));
        own.into_iter().chain(theirs).collect()
    }

    /// The doubt about work that is accepted with the current files; `None` if their checks passed.
    pub(super) fn doubt(checks: &[Self]) -> Option<String> {
        let is = |one: &Self, verdict: CheckVerdict| one.verdict == verdict.name();
        let current = || checks.iter().filter(|one| one.is_current);
        let [passed, no_tests] = [CheckVerdict::Passed, CheckVerdict::NoTests];
        if let Some(failed) = current().find(|one| !is(one, passed) && !is(one, no_tests)) {
            return Some(format!("the checks did not pass: {}", failed.summary));
        }
        if current().any(|one| is(one, passed)) {
            return None;
        }
        let doubt = match (checks.is_empty(), current().next()) {
            (true, _) => "the checks were never run.",
            (false, None) => "the files changed after the last run of the checks.",
            (false, Some(_)) => "there are no tests.",
        };
        Some(doubt.to_owned())
    }
}
