//! Flows for retries: provider hints, spending limits, overload, and interrupted answers.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use nexus_model::provider::Protocol;
use serde_json::json;

use crate::agent_setup;
use crate::app;
use crate::fixture::Fixture;
use crate::flows::retry_delays;
use crate::provider::{Answer, Gate, Reply};
use crate::selectors::*;

/// On request of the provider, the call waits as long and says so, and then succeeds; a click skips the wait, another
/// cancels it.
pub(crate) async fn wait(fixture: &mut Fixture) -> Result<()> {
    const WAIT: Duration = Duration::from_secs(3);
    app::set_up(fixture).await?;
    fixture.provider.queue_for("Engineer", Reply::rate_limited("3s"));
    fixture.provider.queue_for("Engineer", Answer::say("Now it goes."));
    let start = Instant::now();
    app::send_to(&fixture.page, "engineer", "Go.").await?;
    fixture.page.see(RETRY_COUNTDOWN).await?;
    let text = fixture.page.text(RETRY_COUNTDOWN).await?;
    ensure!(text.chars().any(|each| each.is_ascii_digit()), "it does not say how long: {text:?}");
    fixture.page.see_text(answers_of("engineer"), "Now it goes.").await?;
    ensure!(start.elapsed() >= WAIT, "it waited only {:?}", start.elapsed());
    fixture.page.hidden(RETRY_COUNTDOWN).await?;
    app::idle(&fixture.page).await?;
    ensure!(fixture.provider.requests().len() == 2);

    fixture.provider.queue_for("Engineer", Reply::rate_limited("50s"));
    fixture.provider.queue_for("Engineer", Answer::say("At once."));
    let start = Instant::now();
    app::send_to(&fixture.page, "engineer", "And now?").await?;
    // The countdown is live.
    fixture.page.see(RETRY_COUNTDOWN).await?;
    let seconds = "Number(document.querySelector(arguments[0])?.textContent.match(/\\d+/)?.[0])";
    let countdown = Selector::from(RETRY_COUNTDOWN);
    let first = fixture.page.eval(&format!("return {seconds}"), &[json!(countdown.as_str())]).await?;
    let fewer = format!("{seconds} < arguments[1]");
    fixture.page.wait_for("fewer seconds", &fewer, &[json!(countdown.as_str()), first]).await?;
    fixture.page.click(RETRY_NOW).await?;
    fixture.page.see_text(answers_of("engineer"), "At once.").await?;
    ensure!(start.elapsed() < Duration::from_secs(40), "the click did not end the wait");
    app::idle(&fixture.page).await?;

    fixture.provider.reset();
    fixture.provider.queue_for("Architect", Reply::rate_limited("50s"));
    app::send_to(&fixture.page, "architect", "Go.").await?;
    fixture.page.click(RETRY_STOP).await?;
    fixture.page.hidden(RETRY_COUNTDOWN).await?;
    app::idle(&fixture.page).await?;
    ensure!(fixture.provider.requests().len() == 1, "the request was repeated");
    // Its card has the actions of a failure.
    fixture.page.see(RETRY).await?;

    fixture.provider.queue_for("Architect", Reply::rate_limited("50s"));
    fixture.page.click(RETRY).await?;
    fixture.until("the second call", |fixture| fixture.provider.requests().len() == 2).await?;
    fixture.page.see(RETRY_COUNTDOWN).await?;
    fixture.page.click(STOP).await?;
    app::idle(&fixture.page).await?;
    fixture.page.hidden(RETRY_COUNTDOWN).await?;
    ensure!(fixture.provider.requests().len() == 2, "a stopped run sent a request");
    Ok(())
}

/// Other providers: an interrupted answer, and a delay in a header.
pub(crate) async fn other_errors(fixture: &mut Fixture) -> Result<()> {
    app::set_up(fixture).await?;
    cut_off(fixture).await?;
    app::start_over(fixture).await?;
    retry_delays::hint_in_header(fixture).await
}

/// An interrupted answer keeps its text, runs no incomplete call, and continues on request.
async fn cut_off(fixture: &mut Fixture) -> Result<()> {
    agent_setup::spread(fixture, &[("engineer", Protocol::Anthropic)]).await?;
    let shown = Gate::new();
    let half = Answer::new()
        .text("The first half,")
        .hold(&shown)
        .bytes(
            "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\n\
             event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":1,\"content_block\":\
             {\"type\":\"tool_use\",\"id\":\"toolu_half\",\"name\":\"update_nexus_state\",\"input\":{}}}\n\n\
             event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":1,\"delta\":\
             {\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"activeFileName\\\":\\\"half.txt\\\",\"}}\n\n",
        )
        .cut();
    fixture.provider.queue_for("Engineer", half);
    app::send_to(&fixture.page, "engineer", "Say it whole.").await?;
    let answer = answers_of("engineer").inner(MESSAGE_TEXT);
    fixture.page.see_text(answer.clone(), "The first half,").await?;
    shown.open();
    app::ended(&fixture.page, "engineer", "failed", Some("cut_off")).await?;
    app::idle(&fixture.page).await?;
    fixture.page.see_text(answer, "The first half,").await?;
    ensure!(fixture.page.count(FILE_TAB).await? == 0, "half a call was run");
    ensure!(fixture.provider.calls().len() == 1, "a shown answer was requested again");

    fixture.provider.queue_for("Engineer", Answer::say("and the second."));
    fixture.page.click(RESUME).await?;
    fixture.page.see_text(answers_of("engineer"), "and the second.").await?;
    app::idle(&fixture.page).await?;
    let request = fixture.request_of("Engineer", 2).await?;
    ensure!(request.all_text().contains("The first half,"), "the partial answer is missing");
    let last = request.messages().pop().context("an empty request")?;
    ensure!(!last.texts.is_empty() && last.calls.is_empty(), "an incomplete call was sent");
    Ok(())
}
