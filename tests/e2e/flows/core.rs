//! Flows for the Core: automatic and manual syncs, patches while the operator types, failures, undo.

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use crate::agent_setup;
use crate::app;
use crate::fixture::Fixture;
use crate::provider::{Answer, ApiError, Gate, Reply};
use crate::selectors::*;

fn lines(count: usize) -> String {
    (0..count).map(|number| format!("line {number}\n")).collect()
}

/// `text` with its first lines replaced by others.
fn replaced(text: &str, count: usize) -> String {
    let other = |(number, line): (usize, &str)| {
        if number < count { format!("other {number}\n") } else { format!("{line}\n") }
    };
    text.lines().enumerate().map(other).collect()
}

fn patch(value: &Value) -> Answer {
    Answer::say(&value.to_string())
}

fn refused(code: u16, status: &'static str, words: &str) -> Reply {
    Reply::error(&ApiError { code, status, message: words.to_owned(), details: Vec::new() })
}

/// Lets the Engineer write a file, which triggers the Core.
async fn with_file(fixture: &mut Fixture, text: &str) -> Result<()> {
    app::set_up(fixture).await?;
    fixture.provider.queue_for("Engineer", app::writing("a.txt", text));
    fixture.provider.queue_for("Engineer", Answer::say("It is written."));
    app::ask(&fixture.page, "engineer", "Write a file.", "It is written.").await?;
    synced(fixture, 1).await
}

/// Waits until the Core sent this many requests and is idle.
async fn synced(fixture: &Fixture, times: usize) -> Result<()> {
    let what = format!("request {times} of the Core");
    fixture.until(&what, |fixture| fixture.provider.requests_of_core().len() >= times).await?;
    fixture.page.see(CORE.with("data-state", "idle")).await
}

/// Starts a sync by hand.
async fn sync(fixture: &Fixture) -> Result<()> {
    fixture.page.see(CORE.with("data-state", "idle")).await?;
    fixture.page.click(CORE_SYNC).await
}

/// The Core syncs automatically after enough changed lines and a visible wait. It gets the current file, and reports
/// when nothing had to change.
pub(crate) async fn auto(fixture: &mut Fixture) -> Result<()> {
    let first = lines(10);
    with_file(fixture, &first).await?;
    let prompt =
        fixture.provider.requests_of_core().first().map(|request| request.all_text()).unwrap_or_default();
    ensure!(
        prompt.contains("line 9") && prompt.contains("It is written."),
        "the prompt of the Core is incomplete: {prompt}"
    );
    // The wait takes only seconds, and a busy driver may check too late.
    let note = "new MutationObserver(() => {
        if (document.querySelector('[data-testid=core][data-state=waiting]')) window.sawWaiting = true;
    }).observe(document.body, { subtree: true, attributes: true, childList: true })";
    fixture.page.eval(note, &[]).await?;
    fixture.page.fill(FILE_EDITOR, &replaced(&first, 3)).await?;
    synced(fixture, 2).await?;
    fixture.page.wait_for("the Core to say that it waits", "window.sawWaiting === true", &[]).await?;
    let prompt = fixture.provider.requests_of_core().pop().context("no request")?.all_text();
    ensure!(prompt.contains("other 2"), "the Core saw an old file: {prompt}");
    fixture.page.see_text(CORE_VIEWED, "Nothing had to change.").await?;
    ensure!(fixture.page.count(MESSAGE.with("data-role", "system")).await? == 0, "an unexpected card");
    Ok(())
}

/// The Core fails, answers while the operator types, has its change undone, and proposes, each in a session.
pub(crate) async fn answers(fixture: &mut Fixture) -> Result<()> {
    app::set_up(fixture).await?;
    failures(fixture).await?;
    app::start_over(fixture).await?;
    while_typing(fixture).await?;
    app::start_over(fixture).await?;
    undo(fixture).await?;
    app::start_over(fixture).await?;
    proposes(fixture).await
}

/// The Core's patch arrives while the operator types into the same field: nothing is lost.
async fn while_typing(fixture: &mut Fixture) -> Result<()> {
    const PLAN: &str = "- [ ] one\n\nnotes\n\n- [ ] two\n";
    const MINE: &str = "- [ ] three, by hand";
    fixture.page.fill(SCRATCHPAD, PLAN).await?;
    let typed = Gate::new();
    let answer = json!({ "scratchpad": PLAN.replace("[ ] one", "[x] one"), "reasoning": "One is done." });
    fixture.provider.queue_for_core(Answer::new().hold(&typed).text(&answer.to_string()));
    sync(fixture).await?;
    fixture.page.see(CORE.with("data-state", "syncing")).await?;
    fixture.until("the Core's request", |fixture| fixture.provider.requests_of_core().len() == 1).await?;
    fixture.page.type_into(SCRATCHPAD, MINE).await?;
    typed.open();
    fixture.page.see_text(CORE_REASON, "One is done.").await?;
    let both = format!("{}{MINE}", PLAN.replace("[ ] one", "[x] one"));
    let shown = "document.querySelector(arguments[0])?.value === arguments[1]";
    let scratchpad = Selector::from(SCRATCHPAD);
    fixture.page.wait_for("both texts", shown, &[json!(scratchpad.as_str()), json!(both)]).await?;
    ensure!(fixture.page.focused().await? == "scratchpad", "the field lost its focus");
    fixture.page.see_text(CORE_NOTE, "Changed the scratchpad +1 −1").await?;
    fixture.page.see_text(MESSAGE.with("data-role", "system"), "One is done.").await
}

/// An answer that is not JSON, a temporary failure of the provider, a rejection: each is shown, and can be retried.
async fn failures(fixture: &mut Fixture) -> Result<()> {
    fixture.provider.queue_for_core(Answer::say("I would tick the first item."));
    sync(fixture).await?;
    fixture.page.see_text(CORE_FAILED, "The answer could not be used").await?;
    fixture.page.see_text(CORE_FAILED, "The answer is not JSON.").await?;
    fixture.page.see(CORE.with("data-state", "failed")).await?;

    fixture.provider.queue_for_core(refused(503, "UNAVAILABLE", "The model is overloaded."));
    fixture.provider.queue_for_core(patch(&json!({ "scratchpad": "- [x] all", "reasoning": "At last." })));
    fixture.page.click(CORE_RETRY).await?;
    fixture.page.see_text(CORE_REASON, "At last.").await?;
    fixture.page.see_text(SCRATCHPAD, "- [x] all").await?;
    ensure!(fixture.provider.requests_of_core().len() == 3, "an unrequested call");

    let gate = Gate::new();
    fixture.provider.queue_for_core(Answer::new().hold(&gate).text("{}"));
    sync(fixture).await?;
    fixture.page.click(CORE_STOP).await?;
    fixture.page.see_text(CORE_STATUS, "stopped").await?;
    gate.open();
    fixture.page.reload().await?;
    fixture.page.see_text(CORE_STATUS, "stopped").await
}

/// A change by the Core is shown as a diff, and can be undone without losing later edits.
async fn undo(fixture: &mut Fixture) -> Result<()> {
    const PLAN: &str = "- [ ] one\n\nnotes\n";
    fixture.page.fill(SCRATCHPAD, PLAN).await?;
    let done = PLAN.replace("[ ]", "[x]");
    fixture.provider.queue_for_core(patch(&json!({ "scratchpad": done, "reasoning": "One is done." })));
    sync(fixture).await?;
    fixture.page.see_text(SCRATCHPAD, "- [x] one").await?;
    fixture.page.click(Selector::css("[data-testid=core-change] summary")).await?;
    fixture
        .page
        .see_text(Selector::css("[data-testid=core-change] [data-change=removed]"), "- [ ] one")
        .await?;
    fixture
        .page
        .see_text(Selector::css("[data-testid=core-change] [data-change=added]"), "- [x] one")
        .await?;
    fixture.page.fill(SCRATCHPAD, &format!("{done}more, by hand\n")).await?;
    fixture.page.click(CORE_UNDO).await?;
    fixture.page.see(CORE_CHANGE.with("data-undone", "true")).await?;
    let shown = "document.querySelector(arguments[0])?.value === arguments[1]";
    let wanted = format!("{PLAN}more, by hand\n");
    let scratchpad = Selector::from(SCRATCHPAD);
    fixture.page.wait_for("the old plan", shown, &[json!(scratchpad.as_str()), json!(wanted)]).await?;
    let events = app::events(&fixture.page).await?;
    let undone = events.iter().any(|event| {
        let undoes = event.pointer("/data/undoes").is_some_and(Value::is_string);
        event.get("kind").is_some_and(|kind| kind == "MindEdited") && undoes
    });
    ensure!(undone, "the ledger does not know");
    Ok(())
}

/// The operator's text in the objective stays; with approval switched on, a change waits to be applied or dismissed,
/// also after a reload.
async fn proposes(fixture: &mut Fixture) -> Result<()> {
    const OWN: &str = "Convert our stops to GeoJSON.";
    const PLAN: &str = "- [ ] one\n\nnotes\n";
    fixture.page.fill(OBJECTIVE_FIELD, OWN).await?;
    fixture.page.fill(SCRATCHPAD, PLAN).await?;
    let reworded = json!({ "objective": "Convert the stops to GeoJSON.", "reasoning": "Clearer." });
    fixture.provider.queue_for_core(patch(&reworded));
    sync(fixture).await?;
    fixture.page.see_text(CORE_VIEWED, "Your words are kept.").await?;
    let shown = "document.querySelector(arguments[0])?.value === arguments[1]";
    let (objective, scratchpad) = (Selector::from(OBJECTIVE_FIELD), Selector::from(SCRATCHPAD));
    fixture.page.wait_for("the own words", shown, &[json!(objective.as_str()), json!(OWN)]).await?;

    agent_setup::open_settings(&fixture.page).await?;
    fixture.page.click(CORE_PROPOSE).await?;
    agent_setup::leave_settings(&fixture.page).await?;
    let done = PLAN.replace("[ ]", "[x]");
    let ticked = || patch(&json!({ "scratchpad": PLAN.replace("[ ]", "[x]"), "reasoning": "One is done." }));
    fixture.provider.queue_for_core(ticked());
    sync(fixture).await?;
    fixture.page.see_text(CORE_PROPOSAL, "- [x] one").await?;
    fixture.page.wait_for("the old plan", shown, &[json!(scratchpad.as_str()), json!(PLAN)]).await?;
    fixture.page.reload().await?;
    fixture.page.see_text(CORE_PROPOSAL, "One is done.").await?;
    fixture.page.click(CORE_DISMISS).await?;
    fixture.page.hidden(CORE_PROPOSAL).await?;
    fixture.provider.queue_for_core(ticked());
    sync(fixture).await?;
    fixture.page.see(CORE_PROPOSAL).await?;
    fixture.page.click(CORE_APPLY).await?;
    fixture.page.hidden(CORE_PROPOSAL).await?;
    fixture.page.wait_for("the new plan", shown, &[json!(scratchpad.as_str()), json!(done)]).await?;
    fixture.page.click(Selector::css("[data-testid=core-change] summary")).await?;
    fixture.page.click(CORE_UNDO).await?;
    fixture.page.wait_for("the old plan again", shown, &[json!(scratchpad.as_str()), json!(PLAN)]).await
}
