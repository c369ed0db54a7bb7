//! The tool `read_preview_console`: returns the state and the console of the page in the operator's preview.
//!
//! Always offered, so that an agent learns that no preview is open and what to ask for. Never runs a page, and omits
//! files that the agent may not access.

use super::input::tool_input;
use super::{Tool, ToolContext, denied, report};
use crate::prelude::*;
use nexus_model::command::ToolOutcome;
use nexus_model::mind::preview::{PreviewReport, PreviewState, PreviewStopReason};

/// The note while no preview was opened.
const NO_PREVIEW: &str = "No preview is open in this session, so nothing has run. Pages run only where the operator \
                            opens the preview of the board; ask for that where it matters, and go on without.";
/// In place of the console, for an agent that may not see all files.
const HIDDEN_CONSOLE: &str = "Not shown: the page can print files that you are not allowed to see.";

tool_input! {
    /// Tells what happened when the files of the session were run in the preview: which page it is, whether it runs,
    /// the lines of its console with errors that nobody caught, and the files that it names and that do not exist. Call
    /// it after a change to see whether the page works.
    pub(super) struct ReadPreviewConsole: "read_preview_console", Files {}
}

impl Tool for ReadPreviewConsole {
    fn run(self, view: &ToolContext) -> Result<ToolOutcome, Box<ToolOutcome>> {
        let Some(preview) = view.run.as_ref().and_then(|run| view.previews.get(run.session)) else {
            return report(json!({ "state": "none", "note": NO_PREVIEW }));
        };
        if !view.permissions.allow_file(&preview.file) {
            return Err(denied("The preview shows a file that you are not allowed to touch.").into());
        }
        let mut result = result(&preview);
        if view.mind.hides_files()
            && let Some(result) = result.as_object_mut()
        {
            // A page can read every file and print it.
            result.insert("console".to_owned(), HIDDEN_CONSOLE.into());
        }
        report(result)
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
mod tests;
