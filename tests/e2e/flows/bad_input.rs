//! Flows for bad input from the operator, network, provider, model or store.
//!
//! Each time the page explains the error and what to do, loses nothing, and keeps working.

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::app;
use crate::fixture::Fixture;
use crate::provider::Answer;
use crate::selectors::*;
use crate::site::BLANK_PAGE;

/// A paste of 50 MB becomes a file; the page keeps working, and everything survives a reload.
pub(crate) async fn pastes(fixture: &mut Fixture) -> Result<()> {
    app::set_up(fixture).await?;
    fixture.page.see(COMPOSER).await?;
    let paste = "const field = document.querySelector(arguments[0]);
        field.focus();
        const clipboardData = new DataTransfer();
        clipboardData.setData('text/plain', '0123456789 abcdefghij klmnopqrst\\n'.repeat(1515152));
        return field.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));";
    let inserted = fixture.page.eval(paste, &[Selector::from(COMPOSER).as_str().into()]).await?;
    ensure!(inserted == false, "the field took all of it");
    fixture.page.see(ATTACHMENT).await?;
    fixture.page.see_text(NOTICE, "50.0 MB is too much for a message").await?;
    fixture.page.see(FILE_EDITOR).await?;
    ensure!(fixture.page.count(Selector::css(".cm-line")).await? < 500, "the whole of it was laid out");
    fixture.page.type_into(COMPOSER, "What is this?").await?;
    fixture.provider.queue_for("Engineer", Answer::say("Too much text."));
    fixture.page.choose(TARGET_SELECT, "engineer").await?;
    fixture.page.click(SEND).await?;
    fixture.page.see_text(answers_of("engineer"), "Too much text.").await?;
    app::idle(&fixture.page).await?;
    let sent = fixture.request_of("Engineer", 1).await?.body.to_string();
    ensure!(sent.len() < 4_000_000, "all of it was sent: {} bytes", sent.len());
    fixture.page.reload().await?;
    fixture.page.see_text(answers_of("engineer"), "Too much text.").await?;
    fixture.page.see_text(Selector::css("[data-part=files]"), "1,515,152 lines").await
}

/// Garbage in localStorage is set aside, not overwritten; the app starts and says so.
pub(crate) async fn damaged_local_storage(fixture: &mut Fixture) -> Result<()> {
    const DAMAGED: &str = "{\"objective\": [not JSON";
    let blank = fixture.site.url(BLANK_PAGE);
    let home = fixture.site.url("/");
    fixture.page.goto(&blank).await?;
    for key in ["nexus_context_state", "nexus_critical_errors", "nexus_boot"] {
        fixture.page.set_local(key, DAMAGED).await?;
    }
    fixture.page.goto(&home).await?;
    fixture.page.see_text(NOTICE, "could not be read; it is kept as").await?;
    app::start_fast_demo(&fixture.page, app::PREPARED).await?;
    app::ended(&fixture.page, "critic", "completed", None).await?;
    app::idle(&fixture.page).await?;
    fixture.page.reload().await?;
    fixture.page.see_text(TIMELINE, app::PREPARED).await?;
    let stored = fixture.page.all_local().await?;
    ensure!(stored.contains("not JSON"), "what could not be read was thrown away");
    let state = fixture.page.local("nexus_context_state").await?.context("no state was saved")?;
    let state: Value = serde_json::from_str(&state).context("the state is rubbish still")?;
    ensure!(state.get("objective").is_some_and(Value::is_string));
    Ok(())
}
