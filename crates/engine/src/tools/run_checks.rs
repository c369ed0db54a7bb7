//! The tool `run_checks`: runs the checks of the session's files in a sandbox and reports what they found.
//!
//! It waits for the sandbox, so it is an `ErasedTool` of its own. It needs no approval: the sandbox reaches nothing.

use futures_util::FutureExt as _;
use serde_json::Value;

use super::ErasedTool;
use super::input::{ToolInput as _, tool_input};
use crate::checks::CheckVerdict;
use nexus_model::command::ToolOutcome;
use nexus_model::id::SessionId;
use nexus_model::tool::{ToolClass, ToolStatus};
use nexus_model::world::World;

/// Its name.
const NAME: &str = "run_checks";

tool_input! {
    /// Runs the checks of the session's files and reports what fails. Checks are files named *.test.js, or scripts in
    /// tests/ or checks/, with test(name, fn), describe, expect(...) or node:assert; they import or require the other
    /// files, and readFile(name) gives a text. There is no page, network or storage in them. Scripts, JSON (against
    /// name.schema.json beside name.json), HTML, CSS and SVG are also looked at for mistakes. Other languages are not
    /// checked.
    struct CheckInput {}
}

pub(super) const RUN_CHECKS: ErasedTool = ErasedTool {
    name: NAME,
    class: ToolClass::Checks,
    about: CheckInput::ABOUT,
    fields: CheckInput::FIELDS,
    is_offered: |_| true,
    suits: |_| true,
    run: |view, _| {
        let (files, parts) = (view.mind.files.clone(), std::rc::Rc::clone(&view.parts));
        async move {
            match parts.checks().await {
                Ok(run) => {
                    let result = run(files).await.for_model();
                    ToolOutcome::Done { result, writes: Vec::new(), verdict: None }
                }
                Err(lost) => ToolOutcome::Failed { message: lost.to_string() },
            }
        }
        .boxed_local()
    },
};

/// What the newest run of checks in a session came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastChecks {
    verdict: String,
    summary: String,
    /// The files that were checked (`checks::files::state_of`).
    state: String,
}

impl LastChecks {
    /// That of a session, if its agents ran checks.
    pub fn of(world: &World, session: SessionId) -> Option<Self> {
        let mut runs = world.tool_runs.values().rev().filter(|run| {
            run.session == session && run.call.name == NAME && run.status == ToolStatus::Succeeded
        });
        let result = runs.next()?.result.as_ref()?;
        let text = |name: &str| Some(result.get(name).and_then(Value::as_str)?.to_owned());
        Some(Self { verdict: text("verdict")?, summary: text("summary")?, state: text("state")? })
    }

    /// What is to be said of work that is accepted with these files; `None` where their checks passed.
    pub(super) fn doubt(last: Option<&Self>, state: &str) -> Option<String> {
        match last {
            Some(last) if last.state != state => {
                Some("the files changed after the last run of the checks.".to_owned())
            }
            Some(last) if last.verdict == CheckVerdict::NoTests.name() => {
                Some("there are no tests.".to_owned())
            }
            Some(last) if last.verdict != CheckVerdict::Passed.name() => {
                Some(format!("the checks did not pass: {}", last.summary))
            }
            Some(_) => None,
            None => Some("the checks were never run.".to_owned()),
        }
    }
}
