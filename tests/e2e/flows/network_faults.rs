//! Flows for network and server faults over real HTTP: the rows of the fault table that a page can show.
//!
//! Faults that need their own clock or socket are native tests.

use anyhow::{Result, ensure};
use serde_json::json;

use crate::agent_setup;
use crate::app;
use crate::fixture::Fixture;
use crate::flows::wire_faults;
use crate::page::Page;
use crate::provider::{Answer, Ending, Gate, Provider, Reply};
use crate::selectors::*;

const EVENTS: &str = "text/event-stream";

/// Asks the Engineer, as all of these flows do.
async fn ask(fixture: &Fixture, reply: impl Into<Reply>) -> Result<()> {
    fixture.provider.reset();
    fixture.provider.queue_for("Engineer", reply);
    app::send_to(&fixture.page, "engineer", "Go.").await
}

/// Asks, and waits for an answer with exactly this text.
async fn answers_with(fixture: &Fixture, reply: impl Into<Reply>, text: &str) -> Result<()> {
    let before = fixture.page.count(answers_of("engineer")).await?;
    ask(fixture, reply).await?;
    fixture.page.see_count(answers_of("engineer"), before + 1).await?;
    app::idle(&fixture.page).await?;
    let texts = fixture.page.texts(answers_of("engineer").inner(MESSAGE_TEXT)).await?;
    let shown = texts.last().map(|text| text.trim()).unwrap_or_default();
    ensure!(shown == text, "it reads {shown:?}, not {text:?}");
    Ok(())
}

/// A redirect, an endless line, a flood, a missing model, and no network, each in a session.
pub(crate) async fn faults(fixture: &mut Fixture) -> Result<()> {
    app::set_up(fixture).await?;
    redirect(fixture).await?;
    app::start_over(fixture).await?;
    endless_line(fixture).await?;
    app::start_over(fixture).await?;
    wire_faults::thousand_events(fixture).await?;
    app::start_over(fixture).await?;
    unknown_model(fixture).await?;
    app::start_over(fixture).await?;
    offline(fixture).await
}

/// The error of an unknown model links to its field.
async fn unknown_model(fixture: &mut Fixture) -> Result<()> {
    let body =
        json!({ "error": { "code": 404, "message": "models/gone is not found", "status": "NOT_FOUND" } });
    ask(fixture, Reply::body(404, "application/json", body.to_string())).await?;
    fixture.page.see_text(ERROR_CARD, "models/gone is not found").await?;
    app::idle(&fixture.page).await?;
    fixture.page.click(Selector::css("[data-testid=error-field]")).await?;
    let at_field = "document.activeElement?.id === 'engineer-model'";
    fixture.page.wait_for("the focus in the field of the model", at_field, &[]).await?;
    agent_setup::leave_settings(&fixture.page).await
}

/// Offline in mid-stream and before a call; online again everything works as before.
async fn offline(fixture: &mut Fixture) -> Result<()> {
    let lost = Gate::new();
    ask(fixture, Answer::new().text("So far").hold(&lost).cut()).await?;
    fixture.page.see_text(answers_of("engineer"), "So far").await?;
    fixture.page.go_offline(true).await?;
    // The driver's offline mode keeps open connections: this one breaks itself.
    lost.open();
    app::ended(&fixture.page, "engineer", "failed", Some("cut_off")).await?;
    app::idle(&fixture.page).await?;
    fixture.page.see_text(answers_of("engineer").inner(MESSAGE_TEXT), "So far").await?;

    fixture.provider.reset();
    app::send_to(&fixture.page, "engineer", "Hello?").await?;
    fixture.page.see_count(ERROR_CARD, 2).await?;
    app::idle(&fixture.page).await?;
    ensure!(fixture.provider.requests().is_empty(), "it was not offline");
    fixture.page.go_offline(false).await?;
    fixture.provider.queue_for("Engineer", Answer::say("Here again."));
    fixture.page.click_last(RETRY).await?;
    fixture.page.see_text(answers_of("engineer"), "Here again.").await?;
    app::idle(&fixture.page).await?;
    ensure!(fixture.provider.requests().len() == 1, "more than one request");
    Ok(())
}

/// A redirect to another origin is not followed: it would receive the key.
async fn redirect(fixture: &mut Fixture) -> Result<()> {
    let other_provider = Provider::start()?;
    let target =
        format!("{}/v1beta/models/gemini-3.8-flash:streamGenerateContent?alt=sse", other_provider.base_url());
    // Retried like every call without a response: it is indistinguishable from a network failure.
    for _ in 0..3 {
        fixture.provider.queue_for("Engineer", Reply::redirect(&target));
    }
    app::send_to(&fixture.page, "engineer", "Go.").await?;
    fixture.page.see(ERROR_CARD).await?;
    app::idle(&fixture.page).await?;
    ensure!(
        other_provider.requests().is_empty() && other_provider.preflights().is_empty(),
        "it was followed"
    );
    fixture.provider.reset();
    Ok(())
}

/// A factory reset during an answer cancels its request, and nothing of it is stored, neither before nor after.
pub(crate) async fn all_removed(fixture: &mut Fixture) -> Result<()> {
    app::set_up(fixture).await?;
    let gate = Gate::new();
    let mut answer = Answer::new().text("Early.");
    // A page that continued to read would store some of it each second.
    for _ in 0..20 {
        answer = answer.wait(std::time::Duration::from_millis(200)).text(" More.");
    }
    ask(fixture, answer.hold(&gate).text(" Late.")).await?;
    fixture.page.see_text(answers_of("engineer"), "Early. More.").await?;
    agent_setup::open_settings(&fixture.page).await?;
    fixture.page.click(DATA_RESET).await?;
    fixture.page.fill(DATA_RESET_WORD, "delete everything").await?;
    fixture.page.click(DATA_RESET_GO).await?;
    fixture.page.see(FIRST_START).await?;
    let ended =
        |fixture: &Fixture| fixture.provider.requests().iter().all(|one| one.ending == Ending::Aborted);
    fixture.until("the request to end", ended).await?;
    gate.open();
    fixture.page.reload().await?;
    fixture.page.see(FIRST_START).await?;
    let left = format!("{}{}", fixture.page.database().await?, fixture.page.all_local().await?);
    for words in ["Early.", "More.", "Late.", app::OBJECTIVE] {
        ensure!(!left.contains(words), "{words:?} returned");
    }
    ensure!(fixture.provider.requests().len() == 1, "a request was repeated");
    Ok(())
}

/// A line of 16 MB is rejected, and the page stays responsive.
async fn endless_line(fixture: &mut Fixture) -> Result<()> {
    let line = format!(
        "data: {{\"candidates\":[{{\"content\":{{\"parts\":[{{\"text\":\"{}\"}}]}}}}]}}\n\n",
        "x".repeat(16 << 20)
    );
    // Retries get the same reply.
    let reply = Reply::body(200, EVENTS, line);
    let again = reply.clone();
    fixture.provider.otherwise(move |_| Some(again.clone()));
    ask(fixture, reply).await?;
    fixture.page.see_count(ERROR_CARD, 1).await?;
    app::idle(&fixture.page).await?;
    quick(&fixture.page).await?;
    answers_with(fixture, Answer::say("Still here."), "Still here.").await
}

/// The page responds within a fraction of a second.
pub(super) async fn quick(page: &Page) -> Result<()> {
    let script = "const start = performance.now();
        await new Promise(done => setTimeout(done));
        return performance.now() - start;";
    let elapsed = page.eval_async(script, &[]).await?.as_f64().unwrap_or(f64::MAX);
    ensure!(elapsed < 300.0, "a click would wait {elapsed} ms");
    Ok(())
}
