//! Flows that test the harness on its own page, so that a failure elsewhere is the app's. They do not load the app.

use std::path::Path;
use std::rc::Rc;
use std::time::Instant;

use anyhow::{Result, ensure};
use serde_json::json;
use thirtyfour::Key;

use crate::fixture::Fixture;
use crate::page::{Page, TIMEOUT};
use crate::provider::{Answer, Ending, Gate, Reply};
use crate::selectors::{COMPOSER, MESSAGE, NOTICE, SEND, STOP, TARGET_SELECT, WAR_ROOM};
use crate::site::{SUB_PATH, Site};

/// Opens the probe page, served with the app's policy.
async fn open(fixture: &mut Fixture) -> Result<()> {
    let pages = Path::new(env!("CARGO_MANIFEST_DIR")).join("e2e/pages");
    fixture.site = Rc::new(Site::start(pages)?);
    let url = fixture.site.url(&format!("{SUB_PATH}probe.html"));
    fixture.page.goto(&url).await?;
    fixture.page.see(WAR_ROOM).await
}

async fn order(page: &Page, what: &str) -> Result<()> {
    page.fill(COMPOSER, what).await?;
    page.click(SEND).await
}

/// Clicks, keys, fields, storage, tabs, sizes.
pub(crate) async fn page(fixture: &mut Fixture) -> Result<()> {
    open(fixture).await?;
    let page = &mut fixture.page;
    page.fill(COMPOSER, "first").await?;
    // Some drivers cannot type characters beyond the basic multilingual plane.
    page.set_text(COMPOSER, "🦀").await?;
    ensure!(page.text(COMPOSER).await? == "🦀");
    page.fill(COMPOSER, "größer ✓").await?;
    page.type_into(COMPOSER, "!").await?;
    page.press(Key::Control + Key::Enter).await?;
    page.see_text(MESSAGE, "größer ✓!").await?;
    page.has_focus("composer").await?;
    ensure!(page.text(COMPOSER).await? == "größer ✓!");
    page.choose(TARGET_SELECT, "critic").await?;
    page.paste(COMPOSER, &"x".repeat(5000)).await?;
    page.see_text(NOTICE, "pasted 5000").await?;
    page.fill(COMPOSER, "").await?;
    page.paste(COMPOSER, "little").await?;
    ensure!(page.text(COMPOSER).await? == "little");

    order(page, "keep this").await?;
    page.see_text(NOTICE, "kept").await?;
    ensure!(page.rows("events").await? == [json!({ "text": "this" })]);
    page.put_row("events", json!(["odd", 1]), json!({ "text": "odd" })).await?;
    ensure!(page.rows("events").await?.len() == 2);
    ensure!(page.local("kept").await?.as_deref() == Some("this"));
    page.set_local("kept", "that").await?;
    page.reload().await?;
    ensure!(page.local("kept").await?.as_deref() == Some("that"));
    ensure!(page.all_local().await?.contains("that"));

    let first = page.tab().await?;
    page.open_tab(&fixture.site.url("/probe.html")).await?;
    ensure!(page.address().await? == "/probe.html");
    ensure!(page.rows("events").await?.len() == 2, "tabs share a profile");
    page.switch_to(&first).await?;
    ensure!(page.address().await?.starts_with(SUB_PATH));
    page.resize(360, 780).await?;
    ensure!(page.eval("return innerWidth", &[]).await? == 360);
    page.hidden(STOP).await?;
    page.see_count(SEND, 1).await
}

/// Forbidden actions are detected, in this document and in the one before a reload, and fail a flow that did not
/// expect them.
pub(crate) async fn faults(fixture: &mut Fixture) -> Result<()> {
    open(fixture).await?;
    order(&fixture.page, "throw").await?;
    fixture.page.wait_for("the error", "window.__flowFaults.length === 1", &[]).await?;
    ensure!(fixture.verify().await.is_err(), "an error was not detected");
    // The console reports them too, possibly later.
    let until = Instant::now() + TIMEOUT;
    while !fixture.page.console().iter().any(|line| line.contains("thrown on purpose")) {
        ensure!(Instant::now() < until, "the console did not report the error");
        fixture.page.take_faults().await?;
    }
    ensure!(fixture.verify().await.is_ok(), "it was reported twice");

    order(&fixture.page, "break").await?;
    // The browser reports the violation and the error one after the other.
    let both =
        "['policy:', 'error:'].every(kind => window.__flowFaults.some(fault => fault.startsWith(kind)))";
    fixture.page.wait_for("the violation", both, &[]).await?;
    fixture.page.reload().await?;
    order(&fixture.page, "reject").await?;
    fixture.page.wait_for("the rejection", "window.__flowFaults.length > 0", &[]).await?;
    fixture.expect_fault("policy: require-trusted-types-for");
    fixture.expect_fault("TrustedHTML");
    fixture.expect_fault("rejection: Error: rejected on purpose");
    fixture.expect_fault("rejected on purpose");
    Ok(())
}

/// Streams reach the page in chunks, across origins; a disconnect reaches the provider.
pub(crate) async fn provider(fixture: &mut Fixture) -> Result<()> {
    open(fixture).await?;
    let gate = Gate::new();
    let ask = format!("ask {}", fixture.provider.base_url());
    fixture.provider.queue(Reply::from(Answer::new().text("größer").hold(&gate).text("danach")).in_pieces(5));
    order(&fixture.page, &ask).await?;
    fixture.page.see_text(MESSAGE, "größer").await?;
    ensure!(!fixture.page.text(MESSAGE).await?.contains("danach"));
    gate.open();
    fixture.page.see_text(NOTICE, "ended 200").await?;
    fixture.page.see_text(MESSAGE, "danach").await?;
    ensure!(fixture.provider.preflights().len() == 1);

    fixture.provider.queue(Answer::new().text("never ending").hold(&Gate::new()));
    order(&fixture.page, &ask).await?;
    fixture.page.see_text(MESSAGE, "never ending").await?;
    fixture.page.click(STOP).await?;
    fixture.page.see_text(NOTICE, "failed AbortError").await?;
    fixture
        .until("the provider to notice", |fixture| {
            fixture.provider.requests().last().is_some_and(|request| request.ending == Ending::Aborted)
        })
        .await?;

    fixture.provider.queue(Answer::new().text("half").cut());
    order(&fixture.page, &ask).await?;
    fixture.page.see_text(NOTICE, "failed TypeError").await?;

    fixture.provider.queue(Reply::overloaded());
    order(&fixture.page, &ask).await?;
    fixture.page.see_text(NOTICE, "ended 503").await
}

/// A tab with a crashed renderer does not break the browser.
pub(crate) async fn crash(fixture: &mut Fixture) -> Result<()> {
    open(fixture).await?;
    order(&fixture.page, "keep this").await?;
    fixture.page.see_text(NOTICE, "kept").await?;
    fixture.page.crash_renderer().await?;
    fixture.page.goto(&fixture.site.url("/probe.html")).await?;
    ensure!(fixture.page.rows("events").await?.len() == 1);
    Ok(())
}
