//! Flows for tool approval and for runs that reached a limit.

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use crate::app;
use crate::parts::*;
use crate::provider::Answer;
use crate::stage::Stage;
use crate::team;

const TOOL: &str = "write_file";

/// An answer of the Engineer that requests this write.
fn wants(name: &str, content: &str) -> Answer {
    Answer::new().text("If I may.").call(TOOL, json!({ "name": name, "content": content }))
}

/// The war room, with approval required for the Engineer's writes.
async fn set_up(stage: &mut Stage) -> Result<()> {
    app::set_up(stage).await?;
    team::rule(&stage.page, "engineer", TOOL, "ask").await
}

/// Result of the only call of the round before the Engineer's request with this number.
async fn result(stage: &Stage, number: usize) -> Result<Value> {
    let results = stage.request_of("Engineer", number).await?.tool_results();
    ensure!(results.len() == 1, "{} results", results.len());
    results.into_iter().next().context("no result")
}

/// A tool call is edited, denied and approved, each in a session; “Always” ends the approvals.
pub(crate) async fn approval(stage: &mut Stage) -> Result<()> {
    set_up(stage).await?;
    edit(stage).await?;
    app::afresh(stage).await?;
    deny(stage).await?;
    app::afresh(stage).await?;
    on_a_phone(stage).await?;
    app::afresh(stage).await?;
    approve(stage).await
}

/// On a phone the whole card is visible, however long the text, also with a queued message.
async fn on_a_phone(stage: &mut Stage) -> Result<()> {
    let long: String = (1..=80).map(|line| format!("Line {line} of a long file.\n")).collect();
    stage.provider.queue_for("Engineer", wants("long.txt", &long));
    stage.provider.queue_for("Engineer", Answer::say("Thank you."));
    let page = &stage.page;
    page.resize(360, 780).await?;
    app::say_to(page, "engineer", "Write.").await?;
    page.see(APPROVAL_CARD).await?;
    app::say(page, "And then?").await?;
    page.see(QUEUE_ITEM).await?;
    let is_whole = "(() => {
        const [card, room] = [...arguments].map(each => document.querySelector(each).getBoundingClientRect());
        return card.top >= room.top && card.bottom <= room.bottom && document.documentElement.scrollWidth <= 360;
    })()";
    let selectors =
        [Selector::from(APPROVAL_CARD), Selector::from(TIMELINE)].map(|selector| json!(selector.as_str()));
    page.wait_for("all of the approval in view", is_whole, &selectors).await?;
    page.click(QUEUE_WITHDRAW).await?;
    // On a phone the notice would cover the button until it disappears.
    app::dismiss_notices(page).await?;
    page.click(APPROVAL_APPROVE).await?;
    page.see_words(answers_of("engineer"), "Thank you.").await?;
    app::idle(page).await?;
    page.resize(1440, 900).await
}

/// The card shows agent, tool and changes; exactly those are written, after the approval.
async fn approve(stage: &mut Stage) -> Result<()> {
    stage.provider.queue_for("Engineer", wants("asked.txt", "as asked\n"));
    stage.provider.queue_for("Engineer", Answer::say("Thank you."));
    app::say_to(&stage.page, "engineer", "Write.").await?;
    let card = APPROVAL_CARD.with("data-agent", "engineer").with("data-tool", TOOL);
    stage.page.see(card.clone()).await?;
    let title = "document.title.toLowerCase().includes('needs you')";
    stage.page.wait_for("the title to say that it needs the operator", title, &[]).await?;
    let shown = stage.page.text(APPROVAL_ARGS).await?;
    ensure!(shown.contains("asked.txt") && shown.contains("as asked"), "the arguments read {shown:?}");
    ensure!(stage.page.text(card.clone()).await?.contains("Engineer"), "the asker is not shown");
    ensure!(stage.page.count(FILE_TAB).await? == 0, "it was written before it was approved");
    ensure!(stage.provider.requests().len() == 1, "the turn continued without the answer");

    stage.page.click(card.clone().inner(APPROVAL_APPROVE)).await?;
    stage.page.hidden(APPROVAL_CARD).await?;
    stage.page.see_words(answers_of("engineer"), "Thank you.").await?;
    app::idle(&stage.page).await?;
    stage.page.see_words(FILE_EDITOR, "as asked").await?;
    stage.page.see(TOOL_CARD.with("data-tool", TOOL).with("data-status", "succeeded")).await?;
    ensure!(result(stage, 2).await?.pointer("/response/error").is_none());

    // “Always” ends the approvals.
    stage.provider.queue_for("Engineer", wants("always.txt", "once\n"));
    stage.provider.queue_for("Engineer", wants("always.txt", "and again\n"));
    stage.provider.queue_for("Engineer", Answer::say("Twice."));
    app::say_to(&stage.page, "engineer", "Write two.").await?;
    stage.page.click(card.clone().inner(APPROVAL_ALWAYS)).await?;
    stage.page.click(card.inner(APPROVAL_APPROVE)).await?;
    stage.page.see_words(answers_of("engineer"), "Twice.").await?;
    app::idle(&stage.page).await?;
    stage.page.see_words(FILE_EDITOR, "and again").await
}

/// Edited arguments are validated, and run as edited.
async fn edit(stage: &mut Stage) -> Result<()> {
    stage.provider.queue_for("Engineer", wants("asked.txt", "as asked\n"));
    stage.provider.queue_for("Engineer", Answer::say("Thank you."));
    app::say_to(&stage.page, "engineer", "Write.").await?;
    stage.page.click(APPROVAL_CARD.inner(APPROVAL_EDIT)).await?;
    stage.page.fill(APPROVAL_ARGS, "{\"name\": \"half").await?;
    stage.page.click(APPROVAL_CARD.inner(APPROVAL_APPROVE)).await?;
    stage.page.see(APPROVAL_CARD).await?;
    ensure!(stage.page.count(FILE_TAB).await? == 0, "half of a JSON was approved");
    let edited = json!({ "name": "edited.txt", "content": "as edited\n" }).to_string();
    stage.page.fill(APPROVAL_ARGS, &edited).await?;
    stage.page.click(APPROVAL_CARD.inner(APPROVAL_APPROVE)).await?;
    stage.page.see_words(answers_of("engineer"), "Thank you.").await?;
    app::idle(&stage.page).await?;
    stage.page.see_words(FILE_EDITOR, "as edited").await?;
    let files = stage.page.attributes(FILE_TAB, "data-file").await?;
    ensure!(files == ["edited.txt"], "the files are {files:?}");
    // The model receives what ran, not what it requested.
    let result_text = result(stage, 2).await?.to_string();
    ensure!(result_text.contains("edited.txt"), "the model received {result_text}");
    Ok(())
}

/// A denial with its reason reaches the model; closing the page counts as one.
async fn deny(stage: &mut Stage) -> Result<()> {
    const REASON: &str = "Not in this house.";
    stage.provider.queue_for("Engineer", wants("denied.txt", "never\n"));
    stage.provider.queue_for("Engineer", Answer::say("As you wish."));
    app::say_to(&stage.page, "engineer", "Write.").await?;
    stage.page.fill(APPROVAL_REASON, REASON).await?;
    stage.page.click(APPROVAL_CARD.inner(APPROVAL_DENY)).await?;
    stage.page.see_words(answers_of("engineer"), "As you wish.").await?;
    app::idle(&stage.page).await?;
    stage.page.see(TOOL_CARD.with("data-tool", TOOL).with("data-status", "denied")).await?;
    let reply = result(stage, 2).await?;
    ensure!(
        reply.pointer("/response/error").is_some() && reply.to_string().contains(REASON),
        "the model received {reply}"
    );
    ensure!(stage.page.count(FILE_TAB).await? == 0, "it was written");

    stage.provider.queue_for("Engineer", wants("closed.txt", "never\n"));
    app::say_to(&stage.page, "engineer", "Write again.").await?;
    stage.page.see(APPROVAL_CARD).await?;
    stage.page.reload().await?;
    stage.page.see(WAR_ROOM).await?;
    stage.page.see_count(TOOL_CARD.with("data-tool", TOOL).with("data-status", "denied"), 2).await?;
    stage.page.see(GO_ON).await?;
    stage.page.hidden(APPROVAL_CARD).await?;
    ensure!(stage.page.count(FILE_TAB).await? == 0, "a closed page counted as a yes");
    ensure!(stage.provider.requests().len() == 3, "a request was sent without the operator");
    Ok(())
}

/// A run at the call limit of the settings pauses and says so; it continues when the operator raises the limit, and
/// ends on request.
pub(crate) async fn cap(stage: &mut Stage) -> Result<()> {
    const CALLS: usize = 12;
    app::set_up(stage).await?;
    team::open_settings(&stage.page).await?;
    stage.page.see(CAP_CALLS.with("placeholder", "60")).await?;
    app::enter(&stage.page, CAP_CALLS, &CALLS.to_string()).await?;
    stage.page.stored("events", "cap_calls").await?;
    team::leave_settings(&stage.page).await?;
    stage.page.click(KEEP_GOING).await?;
    // A turn has at most eight tool rounds; each agent uses all of them, in every round of the run.
    stage.provider.otherwise(|request| {
        let mark = json!({ "scratchpad": format!("- [ ] step {}", request.number) });
        Some(if request.round() < 7 {
            Answer::new().call("update_nexus_state", mark).into()
        } else {
            Answer::say(&format!("{} steps so far.", request.number)).into()
        })
    });
    app::say_to(&stage.page, "ALL", "Count for ever.").await?;
    stage.page.see(CAP_CARD).await?;
    stage.page.see_words(CAP_CARD, &CALLS.to_string()).await?;
    stage.page.see_words(AGENT_CARD.with("data-state", "asking"), "waiting for you").await?;
    stage.page.see_count(AGENT_CARD.with("data-state", "processing"), 0).await?;
    let requests = stage.provider.requests().len();
    ensure!(requests == CALLS, "{requests} calls before the cap of {CALLS}");
    let title = "document.title.toLowerCase().includes('needs you')";
    stage.page.wait_for("the title to say that it needs the operator", title, &[]).await?;
    stage.page.see(CAP_END).await?;
    stage.page.click(CAP_RAISE).await?;
    stage.until("another call", |stage| stage.provider.requests().len() > requests).await?;
    stage.page.click(STOP).await?;
    app::idle(&stage.page).await
}
