//! Never runs a page, and never shows one of a file that the agent may not touch.
//!
//! Owns `read_preview_console`: what the page that the operator previews has said, and where it stands. It is always on
//! offer: an agent that wrote a page learns from it that nobody looks yet, and what to ask for.

use futures_util::future::LocalBoxFuture;
use serde_json::{Map, Value, json};

use super::{Tool, ToolView, at_once, told};
use crate::domain::command::ToolOutcome;
use crate::domain::model::ToolSpec;
use crate::domain::preview::{Seen, State, StopCause};
use crate::domain::tool::ToolClass;
use crate::engine::previews::Previews;

/// What an agent is told before any preview was opened.
const NOBODY_LOOKS: &str = "No preview is open in this session, so nothing has run. Pages run only where the operator \
                            opens the preview of the board; ask for that where it matters, and go on without.";

pub(crate) struct ReadPreviewConsole(pub(crate) Previews);

impl Tool for ReadPreviewConsole {
    fn class(&self) -> ToolClass {
        ToolClass::Files
    }

    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "read_preview_console".to_owned(),
            description: "Tells what happened when the files of the session were run in the preview: which page it is, \
                          whether it runs, the lines of its console with errors that nobody caught, and the files that \
                          it names and that do not exist. Call it after a change to see whether the page works."
                .to_owned(),
            parameters: json!({ "type": "object", "properties": {}, "additionalProperties": false }),
        }
    }

    fn run(&self, view: ToolView, _args: Map<String, Value>) -> LocalBoxFuture<'static, ToolOutcome> {
        let seen = view.run.as_ref().and_then(|run| self.0.of(run.session));
        let Some(seen) = seen else {
            return at_once(told(json!({ "state": "none", "note": NOBODY_LOOKS })));
        };
        if !view.standing.allow_file(&seen.file) {
            let message = "The preview shows a file that you are not allowed to touch.".to_owned();
            return at_once(ToolOutcome::Denied { message });
        }
        at_once(told(result(&seen)))
    }
}

fn result(seen: &Seen) -> Value {
    let lines: Vec<Value> =
        seen.console.lines().map(|line| json!({ "level": line.tone.as_str(), "text": line.text })).collect();
    let (state, note) = told_state(seen.state);
    let mut result = json!({ "file": seen.file, "state": state, "note": note, "console": lines });
    if let Some(result) = result.as_object_mut() {
        if seen.console.dropped() > 0 {
            result.insert("lines_left_out".to_owned(), seen.console.dropped().into());
        }
        if !seen.missing.is_empty() {
            result.insert("files_not_found".to_owned(), json!(seen.missing));
        }
        if !seen.open {
            let closed = "The operator has closed the preview since; this is what it came to.";
            result.insert("closed".to_owned(), closed.into());
        }
    }
    result
}

fn told_state(state: State) -> (&'static str, &'static str) {
    match state {
        State::Loading => ("loading", "The page is being loaded."),
        State::Running => ("running", "The page was loaded and answers."),
        State::ScriptsOff => {
            ("scripts_off", "The page is shown, but the operator has not let its scripts run.")
        }
        State::Still => ("shown", "The file is shown; nothing in it runs."),
        State::Stopped(StopCause::Silent) => (
            "stopped",
            "The page gave no sign of life for two seconds, as in an endless loop, and was stopped.",
        ),
        State::Stopped(StopCause::Flood) => {
            ("stopped", "The page sent messages without an end, and was stopped.")
        }
        State::Stopped(StopCause::Left) => {
            ("stopped", "The page tried to become another page or to load itself again, and was stopped.")
        }
        State::Stopped(StopCause::Absent) => ("stopped", "The preview itself could not be loaded."),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use futures_util::FutureExt as _;

    use super::*;
    use crate::domain::delegation::Standing;
    use crate::domain::hash::Hash;
    use crate::domain::id::SessionId;
    use crate::domain::id::{Millis, RunId};
    use crate::domain::mind::Mind;
    use crate::domain::preview::{Console, Tone};
    use crate::domain::roster::first_agents;
    use crate::domain::run::{Caps, Rounds, Run, RunCause, RunMode, RunStatus, Used};
    use crate::domain::testing::SeqIds;

    fn seen(session: SessionId) -> Seen {
        let mut console = Console::default();
        console.say(Tone::Error, "ReferenceError: x is not defined (app.js:2:1)");
        let missing = vec!["gone.css".to_owned()];
        Seen { session, file: "index.html".into(), state: State::Running, open: true, missing, console }
    }

    fn run() -> Run {
        let mut ids = SeqIds::default();
        Run {
            id: RunId::new(&mut ids),
            session: SessionId::new(&mut ids),
            mode: RunMode::Interactive,
            status: RunStatus::Running,
            cause: RunCause::GoOn(RunId::new(&mut ids)),
            messages: Vec::new(),
            nodes: Vec::new(),
            edges: Vec::new(),
            rounds: Rounds { current: 1, limit: 1, definition_of_done: String::new() },
            round_mind: Hash::of_text(""),
            round_summaries: Vec::new(),
            verdict: None,
            caps: Caps::default(),
            used: Used::default(),
            pause: None,
            artifacts: Vec::new(),
            opened_at: Millis(0),
            ended_at: None,
        }
    }

    /// Calls it in a run of this session, for an agent that may touch these files.
    fn call(previews: &Previews, run: &Run, sandbox: Option<Vec<String>>) -> ToolOutcome {
        let mut agent = first_agents().remove(0);
        agent.permissions.sandbox = sandbox;
        let view = ToolView {
            mind: Arc::new(Mind::default()),
            standing: Standing::alone(&agent),
            agent: Arc::new(agent),
            run: Some(Arc::new(run.clone())),
            rules: Arc::new([]),
            approved: false,
        };
        ReadPreviewConsole(previews.clone()).run(view, Map::new()).now_or_never().unwrap()
    }

    fn answer(outcome: ToolOutcome) -> Value {
        let ToolOutcome::Done { result, writes, .. } = outcome else { panic!("{outcome:?}") };
        assert!(writes.is_empty());
        result
    }

    #[test]
    fn an_agent_reads_what_its_page_said() {
        let (previews, run) = (Previews::default(), run());
        let tool = ReadPreviewConsole(previews.clone());
        assert!(tool.is_offered(Some(&run)), "also before anything was previewed");
        let none = answer(call(&previews, &run, None));
        assert_eq!(none["state"], "none");
        assert!(none["note"].as_str().unwrap().contains("No preview is open"));

        previews.tell(seen(run.session));
        let told = answer(call(&previews, &run, None));
        assert_eq!(told["file"], "index.html");
        assert_eq!(told["state"], "running");
        assert_eq!(
            told["console"][0],
            json!({"level": "error", "text": "ReferenceError: x is not defined (app.js:2:1)"})
        );
        assert_eq!(told["files_not_found"], json!(["gone.css"]));
        assert!(told.get("closed").is_none());

        previews.close();
        assert!(answer(call(&previews, &run, None)).get("closed").is_some());
    }

    #[test]
    fn neither_another_session_nor_a_file_that_is_denied_is_shown() {
        let (previews, run) = (Previews::default(), run());
        previews.tell(seen(SessionId::from(99)));
        assert_eq!(answer(call(&previews, &run, None))["state"], "none");

        previews.tell(seen(run.session));
        let denied = call(&previews, &run, Some(vec!["src/*".to_owned()]));
        assert!(matches!(denied, ToolOutcome::Denied { .. }), "{denied:?}");
    }
}
