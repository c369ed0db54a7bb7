//! The dialog that runs the checks of the session's files, lists what fails, and sends failures to an agent.
//!
//! Loaded lazily, in a chunk of its own.

use crate::ui::hooks::js_part::LazyChecks;
use crate::ui::prelude::*;
use nexus_engine::checks::{CheckReport, CheckTest, CheckVerdict, CheckedFiles, TestStatus};
use nexus_model::message::added;
use nexus_model::mind::MindFile;
use nexus_view::strings::checks as words;

lazy_view!(board, lazy_checks, ChecksDialog);

#[derive(Clone)]
enum CheckProgress {
    Running,
    Done(Arc<CheckReport>),
    NotLoaded,
}

/// The dialog. It starts a run at once.
#[component]
pub fn ChecksDialog() -> impl IntoMarkup {
    let &Page { drafts, sessions, world, .. } = expect_context();
    let Workspace { dialogs, .. } = expect_context();
    let LazyChecks(load) = expect_context();
    let (node, leave) = dialog::leaving(move || dialogs.opened.set(None));
    let progress = RwSignal::new(CheckProgress::Running);
    let run = move || {
        progress.set(CheckProgress::Running);
        let session = sessions.focus.get_untracked();
        let mind = world.mind_untracked(session);
        let mut files: CheckedFiles = mind.map(|(_, mind)| mind.files.clone()).unwrap_or_default();
        // Unsaved text is checked as it is on the screen.
        let names: Vec<String> = files.keys().cloned().collect();
        for name in names {
            let typed = drafts.slot(session, &DraftField::File(name.clone())).get_untracked();
            if let Some(typed) = typed {
                files.insert(name, MindFile::new(&typed.text));
            }
        }
        spawn_local(async move {
            let done = match load().await {
                Ok(run) => CheckProgress::Done(Arc::new(run(files).await)),
                Err(_) => CheckProgress::NotLoaded,
            };
            progress.set(done);
        });
    };
    run();
    let shown = move || match progress.get() {
        CheckProgress::Running => {
            view! { <p role="status" data-testid="checks-running">{words::RUNNING}</p> }
        }
        CheckProgress::NotLoaded => {
            view! { <p role="alert" data-testid="checks-lost">{words::NOT_LOADED}</p> }
        }
        CheckProgress::Done(report) => view! { <Report report leave=Callback::new(move |()| leave()) /> },
    };
    let runs = move || progress.with(|progress| matches!(progress, CheckProgress::Running));
    modal("dialog checks-dialog", "checks", leave).titled("checks-title").node(node).beside().with_children(
        view! {
            <h2 id="checks-title">{words::TITLE}</h2>
            {shown}
            <div class="card-actions">
                {button(common::RUN_AGAIN).test("checks-again").disabled(runs).on_click(move |_| run())}
                {quiet_button(common::CLOSE).test("checks-close").on_click(move |_| leave())}
            </div>
        },
    )
}

#[component]
fn Report(report: Arc<CheckReport>, leave: Callback<()>) -> impl IntoMarkup {
    let verdict = report.verdict();
    let is_bad = verdict == CheckVerdict::Failed;
    let headline = words::headline(&report);
    let how = (verdict == CheckVerdict::NoTests).then(|| view! { <p class="hint">{words::HOW}</p> });
    // Failures first.
    let rank = |test: &&CheckTest| test.status != TestStatus::Failed;
    let mut tests: Vec<&CheckTest> = report.tests.iter().collect();
    tests.small_sort_by_key(rank);
    let tests: Vec<Markup> = tests.into_iter().map(test_row).collect();
    let problems: Vec<Markup> = report
        .problems
        .iter()
        .map(|problem| {
            let text = format!("{}: {}", problem.place(), translate_template(&problem.message));
            view! { <li class="checks-row" data-state="failed">{reveal(&text)}</li> }
        })
        .collect();
    let unchecked: Vec<Markup> = report
        .not_checked
        .iter()
        .map(|group| view! { <li>{reveal(&format!("{}: {}", translate_template(&group.what), group.files.join(", ")))}</li> })
        .collect();
    let output = reveal(&report.output.join("\n"));
    let sent = Arc::clone(&report);
    view! {
        <p data-testid="checks-summary" data-verdict=verdict.name() role="status">{headline}</p>
        {how}
        {section(words::PROBLEMS.get(), "checks-problems", problems)}
        {section(words::TESTS.get(), "checks-tests", tests)}
        {section(words::NOT_CHECKED.get(), "checks-unchecked", unchecked)}
        {(!output.is_empty()).then(|| view! {
            <details>
                <summary>{common::CONSOLE}</summary>
                <pre class="checks-message" data-testid="checks-output" tabindex="0">{output}</pre>
            </details>
        })}
        {is_bad.then(|| view! { <SendFailures report=sent leave /> })}
    }
}

fn section(title: &'static str, test: &'static str, rows: Vec<Markup>) -> Option<Markup> {
    (!rows.is_empty()).then(|| {
        view! {
            <h3>{title}</h3>
            <ul class="checks-list" data-testid=test>{rows}</ul>
        }
    })
}

fn test_row(test: &CheckTest) -> Markup {
    let message = (!test.message.is_empty()).then(|| {
        let text = reveal(&translate_template(&test.message));
        view! { <pre class="checks-message">{text}</pre> }
    });
    view! {
        <li class="checks-row" data-testid="check-test" data-state=words::status(test.status).0>
            <span aria-hidden="true">{words::sign(test.status)}</span>
            <span class="unseen">{words::status(test.status)}</span>
            " "
            {words::test(test)}
            {words::place(test).map(|place| view! { " " <span class="tag">{place}</span> })}
            {message}
        </li>
    }
}

#[component]
fn SendFailures(report: Arc<CheckReport>, leave: Callback<()>) -> impl IntoMarkup {
    let &Page { agents, dispatch, .. } = expect_context();
    let Workspace { pane, .. } = expect_context();
    let keys = agents.order.get_untracked();
    let name = move |key: &AgentKey| agents.name_untracked(key);
    // The second agent of the default team builds; a team of one has no other.
    let first = keys.get(1).or_else(|| keys.first()).map(|key| key.0.clone()).unwrap_or_default();
    let chosen = RwSignal::new(first);
    let choices = keys.iter().map(|key| (key.0.clone(), name(key))).collect();
    let send = move |_| {
        let text = words::message(&name(&AgentKey(chosen.get_untracked())), &report);
        let composer = dispatch.field(&DraftField::Composer);
        composer.typed(&added(&composer.text.get_untracked(), &text));
        leave.run(());
        pane.set(Pane::Timeline);
        focus::soon(COMPOSER.to_owned());
    };
    view! {
        <div class="card-actions">
            {select_box(options(choices, chosen.into()), move |value| chosen.set(value))
                .test("checks-to").label(common::AGENT)}
            {button(move || words::send_to(&name(&AgentKey(chosen.get())))).first().test("checks-send")
                .on_click(send)}
        </div>
    }
}
