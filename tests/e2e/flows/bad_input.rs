//! Flows for bad input from the operator, network, provider, model or store.
//!
//! Each time the page explains the error and what to do, loses nothing, and keeps working.

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::app;
use crate::parts::*;
use crate::provider::{Answer, KEY, Reply};
use crate::site::BLANK_PAGE;
use crate::stage::Stage;

/// After the error, a message is answered as usual.
async fn goes_on(stage: &Stage) -> Result<()> {
    let before = stage.provider.requests().len();
    stage.provider.queue_for("Engineer", Answer::say("All is well."));
    app::say_to(&stage.page, "engineer", "Still there?").await?;
    stage.page.see_words(answers_of("engineer"), "All is well.").await?;
    ensure!(stage.provider.requests().len() == before + 1);
    app::idle(&stage.page).await
}

/// Asks the Engineer, and waits for an error card with this text.
async fn fails_with(stage: &Stage, words: &str) -> Result<()> {
    app::say_to(&stage.page, "engineer", "Do something.").await?;
    stage.page.see_words(ERROR_CARD, words).await?;
    app::idle(&stage.page).await?;
    stage.page.see_words(TIMELINE, "Do something.").await
}

/// A wrong key: the provider's message, where to fix it, and the key is nowhere.
pub(super) async fn wrong_key(stage: &mut Stage) -> Result<()> {
    const WRONG: &str = "AIza-surely-not-the-key-0000";
    app::enter_key(&stage.page, WRONG).await?;
    fails_with(stage, "key").await?;
    let refusals = stage.provider.take_refusals();
    ensure!(refusals.len() == 1, "it was tried {} times", refusals.len());
    ensure!(refusals.iter().all(|refusal| refusal.message.contains("API key not valid")));
    let seen = stage.page.visible_text().await?;
    let stored = format!("{}{}", stage.page.database().await?, stage.page.all_local().await?);
    ensure!(!seen.contains(WRONG) && !stored.contains(WRONG), "the key was sent to the wrong address");
    app::enter_key(&stage.page, KEY).await?;
    goes_on(stage).await
}

/// A captive portal responds instead of the provider.
pub(super) async fn html_answer(stage: &mut Stage) -> Result<()> {
    let portal =
        "<!doctype html><title>Hotel</title><h1>Sign in to the network</h1><img src=x onerror=alert(1)>";
    stage.provider.queue_for("Engineer", Reply::html(200, portal));
    fails_with(stage, "Sign in to the network").await?;
    ensure!(
        stage.page.count(Selector::css("img[onerror]")).await? == 0,
        "the portal's page became part of ours"
    );
    goes_on(stage).await
}

/// Pastes of 5 MB and 50 MB.
pub(crate) async fn pastes(stage: &mut Stage) -> Result<()> {
    app::set_up(stage).await?;
    big_paste(stage).await?;
    app::afresh(stage).await?;
    huge_paste(stage).await
}

/// A paste of 5 MB into the composer becomes an attachment; the page stays responsive.
async fn big_paste(stage: &mut Stage) -> Result<()> {
    let line = "0123456789 abcdefghij klmnopqrst\n";
    let text = line.repeat((5 << 20) / line.len());
    stage.page.paste(COMPOSER, &text).await?;
    stage.page.see(ATTACHMENT).await?;
    ensure!(stage.page.text(COMPOSER).await?.len() < 1 << 20, "the field contains all of it");
    stage.page.see(FILE_EDITOR).await?;
    ensure!(stage.page.count(Selector::css(".cm-line")).await? < 500, "the whole of it was laid out");
    stage.page.type_into(COMPOSER, "What is this?").await?;
    stage.provider.queue_for("Engineer", Answer::say("A lot of text."));
    stage.page.choose(TARGET_SELECT, "engineer").await?;
    stage.page.click(SEND).await?;
    stage.page.see_words(answers_of("engineer"), "A lot of text.").await?;
    ensure!(stage.request_of("Engineer", 1).await?.last_user_text().contains("What is this?"));
    app::idle(&stage.page).await?;
    stage.page.reload().await?;
    stage.page.see_words(answers_of("engineer"), "A lot of text.").await
}

/// A paste of 50 MB becomes a file or an attachment; the page keeps working, and everything survives a reload.
async fn huge_paste(stage: &mut Stage) -> Result<()> {
    stage.page.see(COMPOSER).await?;
    let paste = "const field = document.querySelector(arguments[0]);
        field.focus();
        const clipboardData = new DataTransfer();
        clipboardData.setData('text/plain', '0123456789 abcdefghij klmnopqrst\\n'.repeat(1515152));
        return field.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));";
    let inserted = stage.page.eval(paste, &[Selector::from(COMPOSER).as_str().into()]).await?;
    ensure!(inserted == false, "the field took all of it");
    stage.page.see(ATTACHMENT).await?;
    stage.page.see_words(NOTICE, "50.0 MB is too much for a message").await?;
    stage.page.see(FILE_EDITOR).await?;
    ensure!(stage.page.count(Selector::css(".cm-line")).await? < 500, "the whole of it was laid out");
    stage.page.type_into(COMPOSER, "What is this?").await?;
    stage.provider.queue_for("Engineer", Answer::say("Too much text."));
    stage.page.choose(TARGET_SELECT, "engineer").await?;
    stage.page.click(SEND).await?;
    stage.page.see_words(answers_of("engineer"), "Too much text.").await?;
    app::idle(&stage.page).await?;
    let sent = stage.request_of("Engineer", 1).await?.body.to_string();
    ensure!(sent.len() < 4_000_000, "all of it was sent: {} bytes", sent.len());
    stage.page.reload().await?;
    stage.page.see_words(answers_of("engineer"), "Too much text.").await?;
    stage.page.see_words(Selector::css("[data-part=files]"), "1,515,152 lines").await
}

/// Garbage in localStorage is set aside, not overwritten; the app starts and says so.
pub(crate) async fn rubbish_in_local_storage(stage: &mut Stage) -> Result<()> {
    const RUBBISH: &str = "{\"objective\": [not JSON";
    let blank = stage.site.url(BLANK_PAGE);
    let home = stage.site.url("/");
    stage.page.goto(&blank).await?;
    for key in ["nexus_context_state", "nexus_critical_errors", "nexus_boot"] {
        stage.page.set_local(key, RUBBISH).await?;
    }
    stage.page.goto(&home).await?;
    stage.page.see_words(NOTICE, "could not be read; it is kept as").await?;
    app::rehearse(&stage.page, app::PREPARED).await?;
    app::ended(&stage.page, "critic", "completed", None).await?;
    app::idle(&stage.page).await?;
    stage.page.reload().await?;
    stage.page.see_words(TIMELINE, app::PREPARED).await?;
    let stored = stage.page.all_local().await?;
    ensure!(stored.contains("not JSON"), "what could not be read was thrown away");
    let state = stage.page.local("nexus_context_state").await?.context("no state was saved")?;
    let state: Value = serde_json::from_str(&state).context("the state is rubbish still")?;
    ensure!(state.get("objective").is_some_and(Value::is_string));
    Ok(())
}
