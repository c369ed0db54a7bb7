//! The tool `read_preview_console`: returns the state and the console of the page in the operator's preview.
//!
//! Always offered, so that an agent learns that no preview is open and what to ask for. Never runs a page, and omits
//! files that the agent may not access.

use serde_json::{Value, json};

use super::input::tool_input;
use super::{Tool, ToolCallError, ToolContext, report};
use nexus_model::command::ToolOutcome;
use nexus_model::mind::preview::{PreviewReport, PreviewState, PreviewStopReason};
use nexus_model::tool::ToolClass;

/// The note while no preview was opened.
const NO_PREVIEW: &str = "No preview is open in this session, so nothing has run. Pages run only where the operator \
                            opens the preview of the board; ask for that where it matters, and go on without.";

tool_input! {
    /// Tells what happened when the files of the session were run in the preview: which page it is, whether it runs,
    /// the lines of its console with errors that nobody caught, and the files that it names and that do not exist. Call
    /// it after a change to see whether the page works.
    pub(super) struct ReadPreviewConsole {}
}

impl Tool for ReadPreviewConsole {
    const NAME: &'static str = "read_preview_console";
    const CLASS: ToolClass = ToolClass::Files;

    fn run(self, view: &ToolContext) -> Result<ToolOutcome, ToolCallError> {
        let preview = view.run.as_ref().and_then(|run| view.previews.get(run.session));
        let Some(preview) = preview else {
            return report(json!({ "state": "none", "note": NO_PREVIEW }));
        };
        if !view.permissions.allow_file(&preview.file) {
            let message = "The preview shows a file that you are not allowed to touch.";
            return Err(ToolCallError::Denied(message.to_owned()));
        }
        report(result(&preview))
    }
}

fn result(preview: &PreviewReport) -> Value {
    let lines: Vec<Value> =
        preview.console.lines().map(|line| json!({ "level": line.tone.name(), "text": line.text })).collect();
    let (state, note) = state_and_note(preview.state);
    let mut result = json!({ "file": preview.file, "state": state, "note": note, "console": lines });
    if let Some(result) = result.as_object_mut() {
        if preview.console.dropped() > 0 {
            result.insert("lines_left_out".to_owned(), preview.console.dropped().into());
        }
        if !preview.missing.is_empty() {
            result.insert("files_not_found".to_owned(), json!(preview.missing));
        }
        if !preview.open {
            let closed = "The operator has closed the preview since; this is what it came to.";
            result.insert("closed".to_owned(), closed.into());
        }
    }
    result
}

fn state_and_note(state: PreviewState) -> (&'static str, &'static str) {
    match state {
        PreviewState::Loading => ("loading", "The page is being loaded."),
        PreviewState::Running => ("running", "The page was loaded and answers."),
        PreviewState::ScriptsOff => {
            ("scripts_off", "The page is shown, but the operator has not let its scripts run.")
        }
        PreviewState::Still => ("shown", "The file is shown; nothing in it runs."),
        PreviewState::Stopped(PreviewStopReason::Silent) => (
            "stopped",
            "The page gave no sign of life for two seconds, as in an endless loop, and was stopped.",
        ),
        PreviewState::Stopped(PreviewStopReason::Flood) => {
            ("stopped", "The page sent messages without an end, and was stopped.")
        }
        PreviewState::Stopped(PreviewStopReason::NavigatedAway) => {
            ("stopped", "The page tried to become another page or to load itself again, and was stopped.")
        }
        PreviewState::Stopped(PreviewStopReason::NotLoaded) => {
            ("stopped", "The preview itself could not be loaded.")
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::client::LatestPreview;
    use nexus_model::agent::defaults::first_agents;
    use nexus_model::agent::permission::EffectivePermissions;
    use nexus_model::id::{Millis, RunId, SessionId};
    use nexus_model::mind::Mind;
    use nexus_model::mind::preview::{Console, LogLevel};
    use nexus_model::mind::sandbox::VisibleMind;
    use nexus_model::run::{Run, RunCause};
    use nexus_model::testing::SeqIds;
    use nexus_text::content_hash::ContentHash;

    fn preview(session: SessionId) -> PreviewReport {
        let mut console = Console::default();
        console.push(LogLevel::Error, "ReferenceError: x is not defined (app.js:2:1)");
        let missing = vec!["gone.css".to_owned()];
        PreviewReport {
            session,
            file: "index.html".into(),
            state: PreviewState::Running,
            open: true,
            missing,
            console,
        }
    }

    fn run() -> Run {
        let mut ids = SeqIds::default();
        let (id, session) = (RunId::new(&mut ids), SessionId::new(&mut ids));
        Run::opened(id, session, RunCause::Continued(id), ContentHash::of_text(""), Millis(0))
    }

    /// Calls the tool in a run, for an agent that may access these files.
    fn call(previews: &LatestPreview, run: &Run, sandbox: Option<Vec<String>>) -> ToolOutcome {
        let mut agent = first_agents().remove(0);
        agent.permissions.sandbox = sandbox;
        let view = ToolContext {
            mind: VisibleMind::whole(&Arc::new(Mind::default())),
            permissions: EffectivePermissions::alone(&agent),
            agent: Arc::new(agent),
            run: Some(Arc::new(run.clone())),
            rules: Arc::new([]),
            approved: false,
            previews: previews.clone(),
            parts: std::rc::Rc::new(crate::lazy::loader::BuiltInChunks),
            terminals: Default::default(),
            writes: Vec::new(),
            last_checks: Vec::new(),
        };
        ReadPreviewConsole {}.run(&view).unwrap_or_else(ToolOutcome::from)
    }

    fn answer(outcome: ToolOutcome) -> Value {
        let ToolOutcome::Done { result, writes, .. } = outcome else { panic!("{outcome:?}") };
        assert!(writes.is_empty());
        result
    }

    #[test]
    fn agent_reads_the_console_of_its_page() {
        let (previews, run) = (LatestPreview::default(), run());
        assert!(ReadPreviewConsole::is_offered(Some(&run)), "also before anything was previewed");
        let none = answer(call(&previews, &run, None));
        assert_eq!(none["state"], "none");
        assert!(none["note"].as_str().unwrap().contains("No preview is open"));

        previews.set(preview(run.session));
        let report = answer(call(&previews, &run, None));
        assert_eq!(report["file"], "index.html");
        assert_eq!(report["state"], "running");
        assert_eq!(
            report["console"][0],
            json!({"level": "error", "text": "ReferenceError: x is not defined (app.js:2:1)"})
        );
        assert_eq!(report["files_not_found"], json!(["gone.css"]));
        assert!(report.get("closed").is_none());

        previews.close();
        assert!(answer(call(&previews, &run, None)).get("closed").is_some());
    }

    #[test]
    fn preview_of_another_session_or_a_denied_file_is_not_returned() {
        let (previews, run) = (LatestPreview::default(), run());
        previews.set(preview(SessionId::from(99)));
        assert_eq!(answer(call(&previews, &run, None))["state"], "none");

        previews.set(preview(run.session));
        let denied = call(&previews, &run, Some(vec!["src/*".to_owned()]));
        assert!(matches!(denied, ToolOutcome::Denied { .. }), "{denied:?}");
    }
}
