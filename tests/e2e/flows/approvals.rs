//! Flows for tool approval and for runs that reached a limit.

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use crate::agent_setup;
use crate::app;
use crate::fixture::Fixture;
use crate::provider::Answer;
use crate::selectors::*;

const TOOL: &str = "write_file";

/// An answer of the Engineer that requests this write.
fn wants(name: &str, content: &str) -> Answer {
    Answer::new().text("If I may.").call(TOOL, json!({ "name": name, "content": content }))
}

/// The war room, with approval required for the Engineer's writes.
async fn set_up(fixture: &mut Fixture) -> Result<()> {
    app::set_up(fixture).await?;
    agent_setup::rule(&fixture.page, "engineer", TOOL, "ask").await
}

/// Result of the only call of the round before the Engineer's request with this number.
async fn result(fixture: &Fixture, number: usize) -> Result<Value> {
    let results = fixture.request_of("Engineer", number).await?.tool_results();
    ensure!(results.len() == 1, "{} results", results.len());
    results.into_iter().next().context("no result")
}

/// A tool call is edited, denied and approved, each in a session; “Always” ends the approvals.
pub(crate) async fn approval(fixture: &mut Fixture) -> Result<()> {
    set_up(fixture).await?;
    edit(fixture).await?;
    app::start_over(fixture).await?;
    deny(fixture).await?;
    app::start_over(fixture).await?;
    on_a_phone(fixture).await?;
    app::start_over(fixture).await?;
    approve(fixture).await
}

/// On a phone the whole card is visible, however long the text, also with a queued message.
async fn on_a_phone(fixture: &mut Fixture) -> Result<()> {
    let long: String = (1..=80).map(|line| format!("Line {line} of a long file.\n")).collect();
    fixture.provider.queue_for("Engineer", wants("long.txt", &long));
    fixture.provider.queue_for("Engineer", Answer::say("Thank you."));
    let page = &fixture.page;
    page.resize(360, 780).await?;
    app::send_to(page, "engineer", "Write.").await?;
    page.see(APPROVAL_CARD).await?;
    app::send(page, "And then?").await?;
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
    page.see_text(answers_of("engineer"), "Thank you.").await?;
    app::idle(page).await?;
    page.resize(1440, 900).await
}

/// The card shows agent, tool and changes; exactly those are written, after the approval.
async fn approve(fixture: &mut Fixture) -> Result<()> {
    fixture.provider.queue_for("Engineer", wants("asked.txt", "as asked\n"));
    fixture.provider.queue_for("Engineer", Answer::say("Thank you."));
    app::send_to(&fixture.page, "engineer", "Write.").await?;
    let card = APPROVAL_CARD.with("data-agent", "engineer").with("data-tool", TOOL);
    fixture.page.see(card.clone()).await?;
    let title = "document.title.toLowerCase().includes('needs you')";
    fixture.page.wait_for("the title to say that it needs the operator", title, &[]).await?;
    let shown = fixture.page.text(card.clone()).await?;
    ensure!(shown.contains("asked.txt") && shown.contains("as asked"), "the changes read {shown:?}");
    ensure!(shown.contains("Engineer"), "the asker is not shown");
    ensure!(fixture.page.count(FILE_TAB).await? == 0, "it was written before it was approved");
    ensure!(fixture.provider.requests().len() == 1, "the turn continued without the answer");

    fixture.page.click(card.clone().inner(APPROVAL_APPROVE)).await?;
    fixture.page.hidden(APPROVAL_CARD).await?;
    fixture.page.see_text(answers_of("engineer"), "Thank you.").await?;
    app::idle(&fixture.page).await?;
    fixture.page.see_text(FILE_EDITOR, "as asked").await?;
    fixture.page.see(TOOL_CARD.with("data-tool", TOOL).with("data-status", "succeeded")).await?;
    ensure!(result(fixture, 2).await?.pointer("/response/error").is_none());

    // “Always” ends the approvals.
    fixture.provider.queue_for("Engineer", wants("always.txt", "once\n"));
    fixture.provider.queue_for("Engineer", wants("always.txt", "and again\n"));
    fixture.provider.queue_for("Engineer", Answer::say("Twice."));
    app::send_to(&fixture.page, "engineer", "Write two.").await?;
    fixture.page.click(card.clone().inner(APPROVAL_ALWAYS)).await?;
    fixture.page.click(card.inner(APPROVAL_APPROVE)).await?;
    fixture.page.see_text(answers_of("engineer"), "Twice.").await?;
    app::idle(&fixture.page).await?;
    fixture.page.see_text(FILE_EDITOR, "and again").await
}

/// Edited arguments are validated, and run as edited.
async fn edit(fixture: &mut Fixture) -> Result<()> {
    fixture.provider.queue_for("Engineer", wants("asked.txt", "as asked\n"));
    fixture.provider.queue_for("Engineer", Answer::say("Thank you."));
    app::send_to(&fixture.page, "engineer", "Write.").await?;
    fixture.page.click(APPROVAL_CARD.inner(APPROVAL_EDIT)).await?;
    fixture.page.fill(APPROVAL_ARGS, "{\"name\": \"half").await?;
    fixture.page.click(APPROVAL_CARD.inner(APPROVAL_APPROVE)).await?;
    fixture.page.see(APPROVAL_CARD).await?;
    ensure!(fixture.page.count(FILE_TAB).await? == 0, "half of a JSON was approved");
    let edited = json!({ "name": "edited.txt", "content": "as edited\n" }).to_string();
    fixture.page.fill(APPROVAL_ARGS, &edited).await?;
    fixture.page.click(APPROVAL_CARD.inner(APPROVAL_APPROVE)).await?;
    fixture.page.see_text(answers_of("engineer"), "Thank you.").await?;
    app::idle(&fixture.page).await?;
    fixture.page.see_text(FILE_EDITOR, "as edited").await?;
    let files = fixture.page.attributes(FILE_TAB, "data-file").await?;
    ensure!(files == ["edited.txt"], "the files are {files:?}");
    // The model receives what ran, not what it requested.
    let result_text = result(fixture, 2).await?.to_string();
    ensure!(result_text.contains("edited.txt"), "the model received {result_text}");
    Ok(())
}

/// A denial with its reason reaches the model; closing the page counts as one.
async fn deny(fixture: &mut Fixture) -> Result<()> {
    const REASON: &str = "Not in this house.";
    fixture.provider.queue_for("Engineer", wants("denied.txt", "never\n"));
    fixture.provider.queue_for("Engineer", Answer::say("As you wish."));
    app::send_to(&fixture.page, "engineer", "Write.").await?;
    fixture.page.fill(APPROVAL_REASON, REASON).await?;
    fixture.page.click(APPROVAL_CARD.inner(APPROVAL_DENY)).await?;
    fixture.page.see_text(answers_of("engineer"), "As you wish.").await?;
    app::idle(&fixture.page).await?;
    fixture.page.see(TOOL_CARD.with("data-tool", TOOL).with("data-status", "denied")).await?;
    let reply = result(fixture, 2).await?;
    ensure!(
        reply.pointer("/response/error").is_some() && reply.to_string().contains(REASON),
        "the model received {reply}"
    );
    ensure!(fixture.page.count(FILE_TAB).await? == 0, "it was written");

    fixture.provider.queue_for("Engineer", wants("closed.txt", "never\n"));
    app::send_to(&fixture.page, "engineer", "Write again.").await?;
    fixture.page.see(APPROVAL_CARD).await?;
    fixture.page.reload().await?;
    fixture.page.see(WAR_ROOM).await?;
    fixture.page.see_count(TOOL_CARD.with("data-tool", TOOL).with("data-status", "denied"), 2).await?;
    fixture.page.see(RESUME).await?;
    fixture.page.hidden(APPROVAL_CARD).await?;
    ensure!(fixture.page.count(FILE_TAB).await? == 0, "a closed page counted as a yes");
    ensure!(fixture.provider.requests().len() == 3, "a request was sent without the operator");
    Ok(())
}

/// A run at the call limit of the settings pauses and says so; it continues when the operator raises the limit, and
/// ends on request.
pub(crate) async fn call_limit(fixture: &mut Fixture) -> Result<()> {
    const CALLS: usize = 12;
    app::set_up(fixture).await?;
    agent_setup::open_settings(&fixture.page).await?;
    fixture.page.see(CAP_CALLS.with("placeholder", "60")).await?;
    app::enter(&fixture.page, CAP_CALLS, &CALLS.to_string()).await?;
    fixture.page.stored("events", "cap_calls").await?;
    agent_setup::leave_settings(&fixture.page).await?;
    fixture.page.click(KEEP_GOING).await?;
    // A turn has at most eight tool rounds; each agent uses all of them, in every round of the run.
    fixture.provider.otherwise(|request| {
        let mark = json!({ "scratchpad": format!("- [ ] step {}", request.number) });
        Some(if request.round() < 7 {
            Answer::new().call("update_nexus_state", mark).into()
        } else {
            Answer::say(&format!("{} steps so far.", request.number)).into()
        })
    });
    app::send_to(&fixture.page, "ALL", "Count for ever.").await?;
    fixture.page.see(CAP_CARD).await?;
    fixture.page.see_text(CAP_CARD, &CALLS.to_string()).await?;
    fixture.page.see_text(AGENT_CARD.with("data-state", "asking"), "waiting for you").await?;
    fixture.page.see_count(AGENT_CARD.with("data-state", "processing"), 0).await?;
    let requests = fixture.provider.requests().len();
    ensure!(requests == CALLS, "{requests} calls before the cap of {CALLS}");
    let title = "document.title.toLowerCase().includes('needs you')";
    fixture.page.wait_for("the title to say that it needs the operator", title, &[]).await?;
    fixture.page.see(CAP_END).await?;
    fixture.page.click(CAP_RAISE).await?;
    fixture.until("another call", |fixture| fixture.provider.requests().len() > requests).await?;
    fixture.page.click(STOP).await?;
    app::idle(&fixture.page).await
}
