//! Flows for the Core: automatic and manual syncs, patches while the operator types, failures, undo.

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use crate::app;
use crate::parts::*;
use crate::provider::{Answer, Gate, Refusal, Reply};
use crate::stage::Stage;
use crate::team;

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
    Reply::error(&Refusal { code, status, message: words.to_owned(), details: Vec::new() })
}

/// Lets the Engineer write a file, which triggers the Core.
async fn with_file(stage: &mut Stage, text: &str) -> Result<()> {
    app::set_up(stage).await?;
    stage.provider.queue_for("Engineer", app::writing("a.txt", text));
    stage.provider.queue_for("Engineer", Answer::say("It is written."));
    app::say_to(&stage.page, "engineer", "Write a file.").await?;
    stage.page.see_words(answers_of("engineer"), "It is written.").await?;
    app::idle(&stage.page).await?;
    synced(stage, 1).await
}

/// Waits until the Core sent this many requests and is idle.
async fn synced(stage: &Stage, times: usize) -> Result<()> {
    let what = format!("request {times} of the Core");
    stage.until(&what, |stage| stage.provider.requests_of_core().len() >= times).await?;
    stage.page.see(CORE.with("data-state", "idle")).await
}

/// Starts a sync by hand.
async fn sync(stage: &Stage) -> Result<()> {
    stage.page.see(CORE.with("data-state", "idle")).await?;
    stage.page.click(CORE_SYNC).await
}

/// The Core syncs automatically after enough changed lines and a visible wait. It gets the current file, and reports
/// when nothing had to change.
pub(crate) async fn auto(stage: &mut Stage) -> Result<()> {
    let first = lines(10);
    with_file(stage, &first).await?;
    let prompt =
        stage.provider.requests_of_core().first().map(|request| request.all_text()).unwrap_or_default();
    ensure!(
        prompt.contains("line 9") && prompt.contains("It is written."),
        "the prompt of the Core is incomplete: {prompt}"
    );
    // The wait takes only seconds, and a busy driver may check too late.
    let note = "new MutationObserver(() => {
        if (document.querySelector('[data-testid=core][data-state=waiting]')) window.sawWaiting = true;
    }).observe(document.body, { subtree: true, attributes: true, childList: true })";
    stage.page.eval(note, &[]).await?;
    stage.page.fill(FILE_EDITOR, &replaced(&first, 3)).await?;
    synced(stage, 2).await?;
    stage.page.wait_for("the Core to say that it waits", "window.sawWaiting === true", &[]).await?;
    let prompt = stage.provider.requests_of_core().pop().context("no request")?.all_text();
    ensure!(prompt.contains("other 2"), "the Core saw an old file: {prompt}");
    stage.page.see_words(CORE_LOOKED, "Nothing had to change.").await?;
    ensure!(stage.page.count(MESSAGE.with("data-role", "system")).await? == 0, "an unexpected card");
    Ok(())
}

/// The Core fails, answers while the operator types, has its change undone, and proposes, each in a session.
pub(crate) async fn answers(stage: &mut Stage) -> Result<()> {
    app::set_up(stage).await?;
    failures(stage).await?;
    app::afresh(stage).await?;
    while_typing(stage).await?;
    app::afresh(stage).await?;
    undo(stage).await?;
    app::afresh(stage).await?;
    proposes(stage).await
}

/// The Core's patch arrives while the operator types into the same field: nothing is lost.
async fn while_typing(stage: &mut Stage) -> Result<()> {
    const PLAN: &str = "- [ ] one\n\nnotes\n\n- [ ] two\n";
    const MINE: &str = "- [ ] three, by hand";
    stage.page.fill(SCRATCHPAD, PLAN).await?;
    let typed = Gate::new();
    let answer = json!({ "scratchpad": PLAN.replace("[ ] one", "[x] one"), "reasoning": "One is done." });
    stage.provider.queue_for_core(Answer::new().hold(&typed).text(&answer.to_string()));
    sync(stage).await?;
    stage.page.see(CORE.with("data-state", "syncing")).await?;
    stage.until("the Core's request", |stage| stage.provider.requests_of_core().len() == 1).await?;
    stage.page.type_into(SCRATCHPAD, MINE).await?;
    typed.open();
    stage.page.see_words(CORE_REASON, "One is done.").await?;
    let both = format!("{}{MINE}", PLAN.replace("[ ] one", "[x] one"));
    let shown = "document.querySelector(arguments[0])?.value === arguments[1]";
    let scratchpad = Selector::from(SCRATCHPAD);
    stage.page.wait_for("both texts", shown, &[json!(scratchpad.as_str()), json!(both)]).await?;
    ensure!(stage.page.focused().await? == "scratchpad", "the field lost its focus");
    stage.page.see_words(CORE_NOTE, "Changed the scratchpad +1 −1").await?;
    stage.page.see_words(MESSAGE.with("data-role", "system"), "One is done.").await
}

/// An answer that is not JSON, a temporary failure of the provider, a rejection: each is shown, and can be retried.
async fn failures(stage: &mut Stage) -> Result<()> {
    stage.provider.queue_for_core(Answer::say("I would tick the first item."));
    sync(stage).await?;
    stage.page.see_words(CORE_FAILED, "The answer could not be used").await?;
    stage.page.see_words(CORE_FAILED, "The answer is not JSON.").await?;
    stage.page.see(CORE.with("data-state", "failed")).await?;

    stage.provider.queue_for_core(refused(503, "UNAVAILABLE", "The model is overloaded."));
    stage.provider.queue_for_core(patch(&json!({ "scratchpad": "- [x] all", "reasoning": "At last." })));
    stage.page.click(CORE_RETRY).await?;
    stage.page.see_words(CORE_REASON, "At last.").await?;
    stage.page.see_words(SCRATCHPAD, "- [x] all").await?;
    ensure!(stage.provider.requests_of_core().len() == 3, "an unrequested call");

    let gate = Gate::new();
    stage.provider.queue_for_core(Answer::new().hold(&gate).text("{}"));
    sync(stage).await?;
    stage.page.click(CORE_STOP).await?;
    stage.page.see_words(CORE_SAID, "stopped").await?;
    gate.open();
    stage.page.reload().await?;
    stage.page.see_words(CORE_SAID, "stopped").await
}

/// A change by the Core is shown as a diff, and can be undone without losing later edits.
async fn undo(stage: &mut Stage) -> Result<()> {
    const PLAN: &str = "- [ ] one\n\nnotes\n";
    stage.page.fill(SCRATCHPAD, PLAN).await?;
    let done = PLAN.replace("[ ]", "[x]");
    stage.provider.queue_for_core(patch(&json!({ "scratchpad": done, "reasoning": "One is done." })));
    sync(stage).await?;
    stage.page.see_words(SCRATCHPAD, "- [x] one").await?;
    stage.page.click(Selector::css("[data-testid=core-change] summary")).await?;
    stage
        .page
        .see_words(Selector::css("[data-testid=core-change] [data-change=removed]"), "- [ ] one")
        .await?;
    stage.page.see_words(Selector::css("[data-testid=core-change] [data-change=added]"), "- [x] one").await?;
    stage.page.fill(SCRATCHPAD, &format!("{done}more, by hand\n")).await?;
    stage.page.click(CORE_UNDO).await?;
    stage.page.see(CORE_CHANGE.with("data-undone", "true")).await?;
    let shown = "document.querySelector(arguments[0])?.value === arguments[1]";
    let wanted = format!("{PLAN}more, by hand\n");
    let scratchpad = Selector::from(SCRATCHPAD);
    stage.page.wait_for("the old plan", shown, &[json!(scratchpad.as_str()), json!(wanted)]).await?;
    let events = app::events(&stage.page).await?;
    let undone = events.iter().any(|event| {
        let undoes = event.pointer("/data/undoes").is_some_and(Value::is_string);
        event.get("kind").is_some_and(|kind| kind == "MindEdited") && undoes
    });
    ensure!(undone, "the ledger does not know");
    Ok(())
}

/// The operator's text in the objective stays; with approval switched on, a change waits to be applied or dismissed,
/// also after a reload.
async fn proposes(stage: &mut Stage) -> Result<()> {
    const OWN: &str = "Convert our stops to GeoJSON.";
    const PLAN: &str = "- [ ] one\n\nnotes\n";
    stage.page.fill(OBJECTIVE_FIELD, OWN).await?;
    stage.page.fill(SCRATCHPAD, PLAN).await?;
    let reworded = json!({ "objective": "Convert the stops to GeoJSON.", "reasoning": "Clearer." });
    stage.provider.queue_for_core(patch(&reworded));
    sync(stage).await?;
    stage.page.see_words(CORE_LOOKED, "Your words are kept.").await?;
    let shown = "document.querySelector(arguments[0])?.value === arguments[1]";
    let (objective, scratchpad) = (Selector::from(OBJECTIVE_FIELD), Selector::from(SCRATCHPAD));
    stage.page.wait_for("the own words", shown, &[json!(objective.as_str()), json!(OWN)]).await?;

    team::open_settings(&stage.page).await?;
    stage.page.click(CORE_PROPOSE).await?;
    team::leave_settings(&stage.page).await?;
    let done = PLAN.replace("[ ]", "[x]");
    let ticked = || patch(&json!({ "scratchpad": PLAN.replace("[ ]", "[x]"), "reasoning": "One is done." }));
    stage.provider.queue_for_core(ticked());
    sync(stage).await?;
    stage.page.see_words(CORE_PROPOSAL, "- [x] one").await?;
    stage.page.wait_for("the old plan", shown, &[json!(scratchpad.as_str()), json!(PLAN)]).await?;
    stage.page.reload().await?;
    stage.page.see_words(CORE_PROPOSAL, "One is done.").await?;
    stage.page.click(CORE_DISMISS).await?;
    stage.page.hidden(CORE_PROPOSAL).await?;
    stage.provider.queue_for_core(ticked());
    sync(stage).await?;
    stage.page.see(CORE_PROPOSAL).await?;
    stage.page.click(CORE_APPLY).await?;
    stage.page.hidden(CORE_PROPOSAL).await?;
    stage.page.wait_for("the new plan", shown, &[json!(scratchpad.as_str()), json!(done)]).await?;
    stage.page.click(Selector::css("[data-testid=core-change] summary")).await?;
    stage.page.click(CORE_UNDO).await?;
    stage.page.wait_for("the old plan again", shown, &[json!(scratchpad.as_str()), json!(PLAN)]).await
}
