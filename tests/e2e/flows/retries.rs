//! Flows for retries: provider hints, spending limits, overload, and interrupted answers.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use nexus_model::provider::Protocol;
use serde_json::json;

use crate::app;
use crate::flows::waits;
use crate::parts::*;
use crate::provider::{Answer, Gate, Reply};
use crate::stage::Stage;
use crate::team;

/// On request of the provider, the call waits as long and says so, and then succeeds; a click skips the wait, another
/// cancels it.
pub(crate) async fn wait(stage: &mut Stage) -> Result<()> {
    const WAIT: Duration = Duration::from_secs(3);
    app::set_up(stage).await?;
    stage.provider.queue_for("Engineer", Reply::rate_limited("3s"));
    stage.provider.queue_for("Engineer", Answer::say("Now it goes."));
    let begun = Instant::now();
    app::say_to(&stage.page, "engineer", "Go.").await?;
    stage.page.see(RETRY_COUNTDOWN).await?;
    let text = stage.page.text(RETRY_COUNTDOWN).await?;
    ensure!(text.chars().any(|each| each.is_ascii_digit()), "it does not say how long: {text:?}");
    stage.page.see_words(answers_of("engineer"), "Now it goes.").await?;
    ensure!(begun.elapsed() >= WAIT, "it waited only {:?}", begun.elapsed());
    stage.page.hidden(RETRY_COUNTDOWN).await?;
    app::idle(&stage.page).await?;
    ensure!(stage.provider.requests().len() == 2);

    stage.provider.queue_for("Engineer", Reply::rate_limited("50s"));
    stage.provider.queue_for("Engineer", Answer::say("At once."));
    let begun = Instant::now();
    app::say_to(&stage.page, "engineer", "And now?").await?;
    // The countdown is live.
    stage.page.see(RETRY_COUNTDOWN).await?;
    let seconds = "Number(document.querySelector(arguments[0])?.textContent.match(/\\d+/)?.[0])";
    let countdown = Selector::from(RETRY_COUNTDOWN);
    let first = stage.page.eval(&format!("return {seconds}"), &[json!(countdown.as_str())]).await?;
    let fewer = format!("{seconds} < arguments[1]");
    stage.page.wait_for("fewer seconds", &fewer, &[json!(countdown.as_str()), first]).await?;
    stage.page.click(RETRY_NOW).await?;
    stage.page.see_words(answers_of("engineer"), "At once.").await?;
    ensure!(begun.elapsed() < Duration::from_secs(40), "the click did not end the wait");
    app::idle(&stage.page).await?;

    stage.provider.begin_anew();
    stage.provider.queue_for("Architect", Reply::rate_limited("50s"));
    app::say_to(&stage.page, "architect", "Go.").await?;
    stage.page.click(RETRY_STOP).await?;
    stage.page.hidden(RETRY_COUNTDOWN).await?;
    app::idle(&stage.page).await?;
    ensure!(stage.provider.requests().len() == 1, "the request was repeated");
    // Its card has the actions of a failure.
    stage.page.see(RETRY).await?;

    stage.provider.queue_for("Architect", Reply::rate_limited("50s"));
    stage.page.click(RETRY).await?;
    stage.until("the second call", |stage| stage.provider.requests().len() == 2).await?;
    stage.page.see(RETRY_COUNTDOWN).await?;
    stage.page.click(STOP).await?;
    app::idle(&stage.page).await?;
    stage.page.hidden(RETRY_COUNTDOWN).await?;
    ensure!(stage.provider.requests().len() == 2, "a stopped run sent a request");
    Ok(())
}

/// Other providers: an interrupted answer, and a delay in a header.
pub(crate) async fn elsewhere(stage: &mut Stage) -> Result<()> {
    app::set_up(stage).await?;
    cut_off(stage).await?;
    app::afresh(stage).await?;
    waits::hint_in_header(stage).await
}

/// An interrupted answer keeps its text, runs no incomplete call, and continues on request.
async fn cut_off(stage: &mut Stage) -> Result<()> {
    team::spread(stage, &[("engineer", Protocol::Anthropic)]).await?;
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
    stage.provider.queue_for("Engineer", half);
    app::say_to(&stage.page, "engineer", "Say it whole.").await?;
    let answer = answers_of("engineer").inner(MESSAGE_TEXT);
    stage.page.see_words(answer.clone(), "The first half,").await?;
    shown.open();
    app::ended(&stage.page, "engineer", "failed", Some("cut_off")).await?;
    app::idle(&stage.page).await?;
    stage.page.see_words(answer, "The first half,").await?;
    ensure!(stage.page.count(FILE_TAB).await? == 0, "half a call was run");
    ensure!(stage.provider.calls().len() == 1, "a shown answer was requested again");

    stage.provider.queue_for("Engineer", Answer::say("and the second."));
    stage.page.click(GO_ON).await?;
    stage.page.see_words(answers_of("engineer"), "and the second.").await?;
    app::idle(&stage.page).await?;
    let request = stage.request_of("Engineer", 2).await?;
    ensure!(request.all_text().contains("The first half,"), "the partial answer is missing");
    let last = request.messages().pop().context("an empty request")?;
    ensure!(!last.texts.is_empty() && last.calls.is_empty(), "an incomplete call was sent");
    Ok(())
}
