//! Flows for the Core: automatic and manual syncs, patches while the operator types, failures, undo.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use nexus_model::provider::Protocol;
use serde_json::{Value, json};

use crate::app;
use crate::parts::*;
use crate::provider::{Answer, Gate, KEY, Refusal, Reply, model_of};
use crate::stage::Stage;
use crate::team;

/// Longer than any quiet after which the Core is asked by itself.
const LONG: Duration = Duration::from_millis(4_500);

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

/// Lets the Engineer write a file, which the Core then looks at.
async fn with_file(stage: &mut Stage, text: &str) -> Result<()> {
    app::set_up(stage).await?;
    stage.provider.queue_for("Engineer", app::writing("a.txt", text));
    stage.provider.queue_for("Engineer", Answer::say("It is written."));
    app::say_to(&stage.page, "engineer", "Write a file.").await?;
    stage.page.see_words(answers_of("engineer"), "It is written.").await?;
    app::idle(&stage.page).await?;
    asked(stage, 1).await
}

/// Waits until the Core was asked this often, and has answered.
async fn asked(stage: &Stage, times: usize) -> Result<()> {
    let what = format!("request {times} of the Core");
    stage.until(&what, |stage| stage.provider.requests_of_core().len() >= times).await?;
    stage.page.see(CORE.with("data-state", "idle")).await
}

/// Asks the Core by hand.
async fn sync(stage: &Stage) -> Result<()> {
    stage.page.see(CORE.with("data-state", "idle")).await?;
    stage.page.click(CORE_SYNC).await
}

/// Three seconds after the last keystroke, for six inserted or three replaced lines, and not for five or two.
pub(crate) async fn auto(stage: &mut Stage) -> Result<()> {
    let first = lines(10);
    with_file(stage, &first).await?;
    let told =
        stage.provider.requests_of_core().first().map(|request| request.all_text()).unwrap_or_default();
    ensure!(
        told.contains("line 9") && told.contains("It is written."),
        "the Core was not told enough: {told}"
    );
    let counts = |stage: &Stage| stage.provider.requests_of_core().len();

    stage.page.fill(FILE_EDITOR, &replaced(&first, 2)).await?;
    tokio::time::sleep(LONG).await;
    ensure!(counts(stage) == 1, "two replaced lines are not enough");
    let second = replaced(&first, 3);
    stage.page.fill(FILE_EDITOR, &second).await?;
    let typed = Instant::now();
    asked(stage, 2).await?;
    ensure!(typed.elapsed() > Duration::from_millis(2_700), "it came after {:?}", typed.elapsed());
    let told = stage.provider.requests_of_core().pop().context("no request")?.all_text();
    ensure!(told.contains("other 2"), "the Core saw an old file: {told}");

    stage.page.fill(FILE_EDITOR, &format!("{second}{}", "new\n".repeat(5))).await?;
    tokio::time::sleep(LONG).await;
    ensure!(counts(stage) == 2, "five inserted lines are not enough");
    // It waits for seconds only, and a busy driver may look too late.
    let note = "new MutationObserver(() => {
        if (document.querySelector('[data-testid=core][data-state=waiting]')) window.sawWaiting = true;
    }).observe(document.body, { subtree: true, attributes: true, childList: true })";
    stage.page.eval(note, &[]).await?;
    stage.page.fill(FILE_EDITOR, &format!("{second}{}", "new\n".repeat(6))).await?;
    asked(stage, 3).await?;
    stage.page.wait_for("the Core to say that it waits", "window.sawWaiting === true", &[]).await?;
    tokio::time::sleep(LONG).await;
    ensure!(counts(stage) == 3, "nothing has changed since");
    stage.page.see_words(CORE_LOOKED, "Nothing had to change.").await?;
    ensure!(stage.page.count(MESSAGE.with("data-role", "system")).await? == 0, "a card nobody asked for");
    Ok(())
}

/// The Core's patch arrives while the operator types into the same field: nothing is lost.
pub(crate) async fn while_typing(stage: &mut Stage) -> Result<()> {
    const PLAN: &str = "- [ ] one\n\nnotes\n\n- [ ] two\n";
    const MINE: &str = "- [ ] three, by hand";
    app::set_up(stage).await?;
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
    let scratchpad = Spot::from(SCRATCHPAD);
    stage.page.wait_for("both texts", shown, &[json!(scratchpad.as_str()), json!(both)]).await?;
    ensure!(stage.page.focused().await? == "scratchpad", "the field lost its focus");
    stage.page.see_words(CORE_NOTE, "Changed the scratchpad +1 −1").await?;
    stage.page.see_words(MESSAGE.with("data-role", "system"), "One is done.").await
}

/// An answer that is not JSON, a provider that fails in passing, one that refuses: each is told, and can be tried again.
pub(crate) async fn failures(stage: &mut Stage) -> Result<()> {
    app::set_up(stage).await?;
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
    ensure!(stage.provider.requests_of_core().len() == 3, "one call more, by itself");

    let gate = Gate::new();
    stage.provider.queue_for_core(Answer::new().hold(&gate).text("{}"));
    sync(stage).await?;
    stage.page.click(CORE_STOP).await?;
    stage.page.see_words(CORE_SAID, "stopped").await?;
    gate.open();
    stage.page.reload().await?;
    stage.page.see_words(CORE_SAID, "stopped").await
}

/// What the Core changed is shown as a difference, and can be taken back beside what was written since.
pub(crate) async fn undo(stage: &mut Stage) -> Result<()> {
    const PLAN: &str = "- [ ] one\n\nnotes\n";
    app::set_up(stage).await?;
    stage.page.fill(SCRATCHPAD, PLAN).await?;
    let done = PLAN.replace("[ ]", "[x]");
    stage.provider.queue_for_core(patch(&json!({ "scratchpad": done, "reasoning": "One is done." })));
    sync(stage).await?;
    stage.page.see_words(SCRATCHPAD, "- [x] one").await?;
    stage.page.click(Spot::css("[data-testid=core-change] summary")).await?;
    stage.page.see_words(Spot::css("[data-testid=core-change] [data-change=removed]"), "- [ ] one").await?;
    stage.page.see_words(Spot::css("[data-testid=core-change] [data-change=added]"), "- [x] one").await?;
    stage.page.fill(SCRATCHPAD, &format!("{done}more, by hand\n")).await?;
    stage.page.click(CORE_UNDO).await?;
    stage.page.see(CORE_CHANGE.with("data-undone", "true")).await?;
    let shown = "document.querySelector(arguments[0])?.value === arguments[1]";
    let wanted = format!("{PLAN}more, by hand\n");
    let scratchpad = Spot::from(SCRATCHPAD);
    stage.page.wait_for("the old plan", shown, &[json!(scratchpad.as_str()), json!(wanted)]).await?;
    let events = app::events(&stage.page).await?;
    let undone = events.iter().any(|event| {
        let undoes = event.pointer("/data/undoes").is_some_and(Value::is_string);
        event.get("kind").is_some_and(|kind| kind == "MindEdited") && undoes
    });
    ensure!(undone, "the ledger does not know");
    Ok(())
}

/// The Core at a host of its own that knows no schemas; and its settings are kept.
pub(crate) async fn other_provider(stage: &mut Stage) -> Result<()> {
    app::set_up(stage).await?;
    let model = model_of(Protocol::Openai);
    let ids = team::spread(stage, &[("critic", Protocol::Openai)]).await?;
    let id = ids.first().context("no provider")?;
    team::open_settings(&stage.page).await?;
    stage.page.choose(CORE_PROVIDER, id).await?;
    app::enter(&stage.page, CORE_MODEL, model).await?;
    app::enter(&stage.page, CORE_WAIT, "a while").await?;
    stage.page.see_words(SETTINGS, "Seconds from 0 to 3600").await?;
    app::enter(&stage.page, CORE_WAIT, "1.5").await?;
    app::enter(&stage.page, CORE_LINES, "0").await?;
    stage.page.click(CORE_AUTO).await?;
    team::leave_settings(&stage.page).await?;

    // The Core changes the objective's words only where the operator spoke of them.
    stage.provider.queue_for("Critic", Answer::say("Two it is."));
    app::say_to(&stage.page, "critic", "Greet in two languages.").await?;
    stage.page.see_words(answers_of("critic"), "Two it is.").await?;
    app::idle(&stage.page).await?;

    let words = "response_format is not supported by this model";
    stage.provider.queue_for_core(refused(400, "invalid_request_error", words));
    let no_tools = "tool_choice is not supported by this model";
    stage.provider.queue_for_core(refused(400, "invalid_request_error", no_tools));
    let answer =
        json!({ "objective": "A page that greets in two languages", "reasoning": "You asked for it." });
    stage.provider.queue_for_core(Answer::say(&format!("Here it is:\n\n```json\n{answer:#}\n```\n")));
    sync(stage).await?;
    stage.page.see_words(OBJECTIVE_FIELD, "in two languages").await?;
    let requests = stage.provider.requests_of_core();
    ensure!(requests.len() == 3, "{} requests", requests.len());
    ensure!(requests.iter().all(|request| request.protocol == Protocol::Openai && request.model() == model));
    let has =
        |name: &str| requests.iter().map(|request| request.body.get(name).is_some()).collect::<Vec<_>>();
    let (formats, forced) = (has("response_format"), has("tool_choice"));
    ensure!(formats == [true, false, false], "by schema, then by a tool, then in words: {formats:?}");
    ensure!(forced == [false, true, false], "by schema, then by a tool, then in words: {forced:?}");

    // By itself it is not asked any more.
    stage.provider.queue_for("Engineer", app::writing("a.txt", &lines(20)));
    stage.provider.queue_for("Engineer", Answer::say("It is written."));
    app::say_to(&stage.page, "engineer", "Write a file.").await?;
    stage.page.see_words(answers_of("engineer"), "It is written.").await?;
    tokio::time::sleep(LONG).await;
    ensure!(stage.provider.requests_of_core().len() == 3, "it was switched off");
    team::open_settings(&stage.page).await?;
    let shown = "document.querySelector(arguments[0])?.value === arguments[1]";
    for (field, value) in [(CORE_MODEL, model), (CORE_WAIT, "1.5"), (CORE_LINES, "0")] {
        let field = Spot::from(field);
        stage.page.wait_for("what was set", shown, &[json!(field.as_str()), json!(value)]).await?;
    }
    Ok(())
}

/// The demo has a Core, too: after the agents' round it looks, and what was opened by hand it ticks again.
pub(crate) async fn rehearsal(stage: &mut Stage) -> Result<()> {
    let home = stage.site.url("/");
    stage.page.goto(&home).await?;
    app::rehearse(&stage.page, app::PREPARED).await?;
    stage.page.see_words(SCRATCHPAD, "[x] Engineer: write index.html").await?;
    app::idle(&stage.page).await?;
    stage.page.see_words(CORE, "The demo compared the plan").await?;
    let plan = stage.page.text(SCRATCHPAD).await?;
    let opened = plan.replacen("[x] Engineer: write index.html", "[ ] Engineer: write index.html", 1);
    ensure!(plan != opened, "there is nothing to open: {plan}");
    stage.page.fill(SCRATCHPAD, &opened).await?;
    sync(stage).await?;
    stage.page.see_words(CORE_REASON, "ticked index.html").await?;
    stage.page.see_words(SCRATCHPAD, "[x] Engineer: write index.html").await?;
    stage.page.see_words(CORE_NOTE, "Changed the scratchpad").await?;
    let events = app::events(&stage.page).await?;
    ensure!(events.iter().any(|event| event["kind"] == "MindSynced"), "the ledger does not know");
    Ok(())
}

/// The operator's own words in the objective stay; and where the operator wants that, a change waits to be applied or
/// dismissed, also over a reload.
pub(crate) async fn proposes(stage: &mut Stage) -> Result<()> {
    const OWN: &str = "Convert our stops to GeoJSON.";
    const PLAN: &str = "- [ ] one\n\nnotes\n";
    app::set_up(stage).await?;
    stage.page.fill(OBJECTIVE_FIELD, OWN).await?;
    stage.page.fill(SCRATCHPAD, PLAN).await?;
    let reworded = json!({ "objective": "Convert the stops to GeoJSON.", "reasoning": "Clearer." });
    stage.provider.queue_for_core(patch(&reworded));
    sync(stage).await?;
    stage.page.see_words(CORE_LOOKED, "Your words are kept.").await?;
    let shown = "document.querySelector(arguments[0])?.value === arguments[1]";
    let (objective, scratchpad) = (Spot::from(OBJECTIVE_FIELD), Spot::from(SCRATCHPAD));
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
    stage.page.gone(CORE_PROPOSAL).await?;
    app::enter_key(&stage.page, KEY).await?;
    stage.provider.queue_for_core(ticked());
    sync(stage).await?;
    stage.page.see(CORE_PROPOSAL).await?;
    stage.page.click(CORE_APPLY).await?;
    stage.page.gone(CORE_PROPOSAL).await?;
    stage.page.wait_for("the new plan", shown, &[json!(scratchpad.as_str()), json!(done)]).await?;
    stage.page.click(Spot::css("[data-testid=core-change] summary")).await?;
    stage.page.click(CORE_UNDO).await?;
    stage.page.wait_for("the old plan again", shown, &[json!(scratchpad.as_str()), json!(PLAN)]).await
}
