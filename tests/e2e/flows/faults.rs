//! Flows for network and server faults over real HTTP: the rows of the fault table that a page can show.
//!
//! Faults that need their own clock or socket are native tests.

use anyhow::{Result, ensure};
use nexus_view::strings::error_remedy::SettingsField;
use serde_json::json;

use crate::app;
use crate::flows::{bad_input, faults_wire};
use crate::page::Page;
use crate::parts::*;
use crate::provider::{Answer, Ending, Gate, Provider, Reply};
use crate::stage::Stage;
use crate::team;

const EVENTS: &str = "text/event-stream";

/// Asks the Engineer, as all of these flows do.
async fn ask(stage: &Stage, reply: impl Into<Reply>) -> Result<()> {
    stage.provider.begin_anew();
    stage.provider.queue_for("Engineer", reply);
    app::say_to(&stage.page, "engineer", "Go.").await
}

/// Asks, and waits for this number of error cards, one with this text. Retries get the same reply.
async fn fails(stage: &Stage, reply: impl Into<Reply>, cards: usize, words: &str) -> Result<()> {
    let reply = reply.into();
    let again = reply.clone();
    stage.provider.otherwise(move |_| Some(again.clone()));
    ask(stage, reply).await?;
    stage.page.see_count(ERROR_CARD, cards).await?;
    stage.page.see_words(ERROR_CARD, words).await?;
    app::idle(&stage.page).await
}

/// Asks, and waits for an answer with exactly this text.
async fn says(stage: &Stage, reply: impl Into<Reply>, text: &str) -> Result<()> {
    let before = stage.page.count(answers_of("engineer")).await?;
    ask(stage, reply).await?;
    stage.page.see_count(answers_of("engineer"), before + 1).await?;
    app::idle(&stage.page).await?;
    let texts = stage.page.texts(answers_of("engineer").inner(MESSAGE_TEXT)).await?;
    let shown = texts.last().map(|text| text.trim()).unwrap_or_default();
    ensure!(shown == text, "it reads {shown:?}, not {text:?}");
    Ok(())
}

/// Garbage, a redirect, an endless line, a flood, a captive portal, a missing model, and no network, each in a
/// session.
pub(crate) async fn faults(stage: &mut Stage) -> Result<()> {
    app::set_up(stage).await?;
    rubbish(stage).await?;
    app::afresh(stage).await?;
    redirect(stage).await?;
    app::afresh(stage).await?;
    endless_line(stage).await?;
    app::afresh(stage).await?;
    faults_wire::thousand_events(stage).await?;
    app::afresh(stage).await?;
    bad_input::html_answer(stage).await?;
    app::afresh(stage).await?;
    unknown_model(stage).await?;
    app::afresh(stage).await?;
    offline(stage).await
}

/// The error of an unknown model links to its field; the targets of all other errors exist too.
async fn unknown_model(stage: &mut Stage) -> Result<()> {
    let body =
        json!({ "error": { "code": 404, "message": "models/gone is not found", "status": "NOT_FOUND" } });
    ask(stage, Reply::body(404, "application/json", body.to_string())).await?;
    stage.page.see_words(ERROR_CARD, "models/gone is not found").await?;
    app::idle(&stage.page).await?;
    stage.page.click(Selector::css("[data-testid=error-field]")).await?;
    let at_field = "document.activeElement?.id === 'engineer-model'";
    stage.page.wait_for("the focus in the field of the model", at_field, &[]).await?;
    for field in SettingsField::ALL {
        let id = field.id(&"engineer".into(), &"gemini".into());
        let is_field = "return document.getElementById(arguments[0])?.matches('input, select') ?? false";
        ensure!(stage.page.eval(is_field, &[json!(id)]).await? == true, "no field is called {id}");
    }
    team::leave_settings(&stage.page).await
}

/// Offline in mid-stream and before a call; online again everything works as before.
async fn offline(stage: &mut Stage) -> Result<()> {
    let lost = Gate::new();
    ask(stage, Answer::new().text("So far").hold(&lost).cut()).await?;
    stage.page.see_words(answers_of("engineer"), "So far").await?;
    stage.page.go_offline(true).await?;
    // The driver's offline mode keeps open connections: this one breaks itself.
    lost.open();
    app::ended(&stage.page, "engineer", "failed", Some("cut_off")).await?;
    app::idle(&stage.page).await?;
    stage.page.see_words(answers_of("engineer").inner(MESSAGE_TEXT), "So far").await?;

    stage.provider.begin_anew();
    app::say_to(&stage.page, "engineer", "Hello?").await?;
    stage.page.see_count(ERROR_CARD, 2).await?;
    app::idle(&stage.page).await?;
    ensure!(stage.provider.requests().is_empty(), "it was not offline");
    stage.page.go_offline(false).await?;
    stage.provider.queue_for("Engineer", Answer::say("Here again."));
    stage.page.click_last(RETRY).await?;
    stage.page.see_words(answers_of("engineer"), "Here again.").await?;
    app::idle(&stage.page).await?;
    ensure!(stage.provider.requests().len() == 1, "more than one request");
    Ok(())
}

/// Garbage between valid events is skipped; too much of it ends the answer.
async fn rubbish(stage: &mut Stage) -> Result<()> {
    let piece = |text: &str| json!({ "candidates": [{ "content": { "parts": [{ "text": text }], "role": "model" } }] });
    let end = json!({ "candidates": [{ "finishReason": "STOP" }] });
    let lines = [
        ": a comment\n\n".to_owned(),
        format!("data: {}\n\n", piece("One")),
        "data: {not JSON\n\n".to_owned(),
        "event: moon\nid: 7\nretry: 5\n\n".to_owned(),
        format!("data:{}\r\r", piece(" two")),
        "data: {\"candidates\":\"\u{0}\"}\n\n".to_owned(),
        format!("data: {}\r\n\r\n", piece(" three\u{2028}four")),
        "\n\n\n".to_owned(),
        format!("data: {end}"),
    ];
    let body = lines.concat();
    says(stage, Reply::body(200, EVENTS, body.clone()), "One two three\u{2028}four").await?;
    let fault = "2 parts of this answer could not be read.";
    stage.page.see_words(answers_of("engineer").inner(MESSAGE_FAULT), fault).await?;
    says(stage, Reply::body(200, EVENTS, body).in_pieces(1), "One two three\u{2028}four").await?;

    let endless = format!("data: {}\n\n{}", piece("Before it"), "data: {rubbish\n\n".repeat(40));
    let gate = Gate::new();
    ask(stage, Answer::new().bytes(endless).hold(&gate).unfinished()).await?;
    stage.page.see(ERROR_CARD).await?;
    app::idle(&stage.page).await?;
    stage.page.see_words(answers_of("engineer").inner(MESSAGE_TEXT), "Before it").await?;
    stage
        .until("the provider to be hung up on", |stage| {
            stage.provider.requests().last().is_some_and(|request| request.ending == Ending::Aborted)
        })
        .await
}

/// A redirect to another origin is not followed: it would receive the key.
async fn redirect(stage: &mut Stage) -> Result<()> {
    let elsewhere = Provider::start()?;
    let target =
        format!("{}/v1beta/models/gemini-3.8-flash:streamGenerateContent?alt=sse", elsewhere.base_url());
    // Retried like every call without a response: it is indistinguishable from a network failure.
    for _ in 0..3 {
        stage.provider.queue_for("Engineer", Reply::redirect(&target));
    }
    app::say_to(&stage.page, "engineer", "Go.").await?;
    stage.page.see(ERROR_CARD).await?;
    app::idle(&stage.page).await?;
    ensure!(elsewhere.requests().is_empty() && elsewhere.preflights().is_empty(), "it was followed");
    stage.provider.begin_anew();
    Ok(())
}

/// A factory reset during an answer cancels its request, and nothing of it is stored, neither before nor after.
pub(crate) async fn all_removed(stage: &mut Stage) -> Result<()> {
    app::set_up(stage).await?;
    let gate = Gate::new();
    let mut answer = Answer::new().text("Early.");
    // A page that continued to read would store some of it each second.
    for _ in 0..20 {
        answer = answer.wait(std::time::Duration::from_millis(200)).text(" More.");
    }
    ask(stage, answer.hold(&gate).text(" Late.")).await?;
    stage.page.see_words(answers_of("engineer"), "Early. More.").await?;
    team::open_settings(&stage.page).await?;
    stage.page.click(DATA_RESET).await?;
    stage.page.fill(DATA_RESET_WORD, "delete everything").await?;
    stage.page.click(DATA_RESET_GO).await?;
    stage.page.see(FIRST_START).await?;
    let ended = |stage: &Stage| stage.provider.requests().iter().all(|one| one.ending == Ending::Aborted);
    stage.until("the request to end", ended).await?;
    gate.open();
    stage.page.reload().await?;
    stage.page.see(FIRST_START).await?;
    let left = format!("{}{}", stage.page.database().await?, stage.page.all_local().await?);
    for words in ["Early.", "More.", "Late.", app::OBJECTIVE] {
        ensure!(!left.contains(words), "{words:?} returned");
    }
    ensure!(stage.provider.requests().len() == 1, "a request was repeated");
    Ok(())
}

/// A line of 16 MB is rejected, and the page stays responsive.
async fn endless_line(stage: &mut Stage) -> Result<()> {
    let line = format!(
        "data: {{\"candidates\":[{{\"content\":{{\"parts\":[{{\"text\":\"{}\"}}]}}}}]}}\n\n",
        "x".repeat(16 << 20)
    );
    fails(stage, Reply::body(200, EVENTS, line), 1, "").await?;
    quick(&stage.page).await?;
    says(stage, Answer::say("Still here."), "Still here.").await
}

/// The page responds within a fraction of a second.
pub(super) async fn quick(page: &Page) -> Result<()> {
    let script = "const begun = performance.now();
        await new Promise(done => setTimeout(done));
        return performance.now() - begun;";
    let took = page.eval_async(script, &[]).await?.as_f64().unwrap_or(f64::MAX);
    ensure!(took < 300.0, "a click would wait {took} ms");
    Ok(())
}
