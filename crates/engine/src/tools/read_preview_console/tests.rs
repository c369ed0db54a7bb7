use super::*;
use crate::client::LatestPreview;
use nexus_model::agent::defaults::first_agents;
use nexus_model::mind::preview::{Console, LogLevel};
use nexus_model::mind::sandbox::VisibleMind;
use nexus_model::prelude::*;
use nexus_model::testing::SeqIds;

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
    call_with(previews, run, sandbox, Mind::default())
}

fn call_with(previews: &LatestPreview, run: &Run, sandbox: Option<Vec<String>>, mind: Mind) -> ToolOutcome {
    let mut agent = first_agents().remove(0);
    agent.permissions.sandbox = sandbox;
    let permissions = EffectivePermissions::alone(&agent);
    let view = ToolContext {
        mind: VisibleMind::new(&Arc::new(mind), &permissions.sandbox()),
        permissions,
        agent: Arc::new(agent),
        run: Some(Arc::new(run.clone())),
        rules: Arc::new([]),
        approved: false,
        previews: previews.clone(),
        parts: std::rc::Rc::new(crate::lazy::loader::BuiltInEngine::default()),
        terminals: Default::default(),
        writes: Vec::new(),
        last_checks: Vec::new(),
    };
    ReadPreviewConsole {}.run(&view).unwrap_or_else(|outcome| *outcome)
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

/// A page can fetch any file of the session and print it.
#[test]
fn console_is_withheld_from_an_agent_that_may_not_see_all_files() {
    let (previews, run) = (LatestPreview::default(), run());
    previews.set(preview(run.session));
    let mut mind = Mind::default();
    mind.files.insert("secret.txt".to_owned(), nexus_model::mind::MindFile::new("words"));
    let sandbox = Some(vec!["index.html".to_owned()]);
    let confined = answer(call_with(&previews, &run, sandbox, mind.clone()));
    assert!(!confined.to_string().contains("ReferenceError"), "{confined}");
    let other = answer(call_with(&previews, &run, None, mind));
    assert!(other.to_string().contains("ReferenceError"), "{other}");
}
