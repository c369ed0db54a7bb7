//! The flow for voice in two tabs, with a fake recogniser and fake voices, which the page gets before it starts.
//!
//! Everything else of voice is tested in `tests/web/voice.rs`.

use anyhow::Result;
use serde_json::json;

use crate::app;
use crate::fixture::Fixture;
use crate::selectors::*;
use crate::site::BLANK_PAGE;

/// A recogniser that returns what a flow provides, and a voice that records what it speaks.
pub(crate) const STAND_IN: &str = include_str!("../../corpus/fake_speech.js");

async fn hear(fixture: &Fixture, finals: &[&str], interim: &str) -> Result<()> {
    let script = "__voice.hear(arguments[0], arguments[1])";
    fixture.page.eval(script, &[json!(finals), json!(interim)]).await.map(drop)
}

async fn wait(fixture: &Fixture, what: &str, expression: &str) -> Result<()> {
    fixture.page.wait_for(what, expression, &[]).await
}

async fn composer_holds(fixture: &Fixture, text: &str) -> Result<()> {
    let holds = "document.querySelector(arguments[0])?.value === arguments[1]";
    let composer = Selector::from(COMPOSER);
    fixture.page.wait_for(&format!("exactly {text:?}"), holds, &[json!(composer.as_str()), json!(text)]).await
}

async fn see_state(fixture: &Fixture, state: &str) -> Result<()> {
    fixture.page.see(VOICE.with("data-state", state)).await?;
    let on = ["listening", "hands-free"].contains(&state);
    let is_true = if on { "__voice.on" } else { "!__voice.on" };
    wait(fixture, &format!("a microphone that is as {state} says"), is_true).await
}

/// Dictation ends, and keeps the text, when another tab hides the page, and when another tab of ours listens.
pub(crate) async fn two_tabs(fixture: &mut Fixture) -> Result<()> {
    fixture.page.in_every_document(STAND_IN).await?;
    app::set_up(fixture).await?;
    fixture.page.type_into(COMPOSER, "Typed.").await?;
    let (first, blank, home) =
        (fixture.page.tab().await?, fixture.site.url(BLANK_PAGE), fixture.site.url("/"));
    fixture.page.click(MICROPHONE).await?;
    see_state(fixture, "listening").await?;
    hear(fixture, &[], "half").await?;
    composer_holds(fixture, "Typed. half").await?;
    fixture.page.open_tab(&blank).await?;
    fixture.page.in_every_document(STAND_IN).await?;
    fixture.page.goto(&home).await?;
    fixture.page.see(BANNER.with("data-kind", "read-only")).await?;
    let second = fixture.page.tab().await?;
    fixture.page.switch_to(&first).await?;
    see_state(fixture, "error").await?;
    fixture.page.see(VOICE_TROUBLE.with("data-code", "hidden")).await?;
    composer_holds(fixture, "Typed. half").await?;
    fixture.page.click(MICROPHONE).await?;
    see_state(fixture, "listening").await?;
    // A hidden tab is not always notified.
    fixture
        .page
        .eval(
            "Object.defineProperty(document, 'visibilityState', { value: 'visible' });
        Object.defineProperty(document, 'hidden', { value: false });",
            &[],
        )
        .await?;
    fixture.page.switch_to(&second).await?;
    app::new_session(&fixture.page).await?;
    fixture.page.click(MICROPHONE).await?;
    see_state(fixture, "listening").await?;
    fixture.page.switch_to(&first).await?;
    see_state(fixture, "error").await?;
    fixture.page.see(VOICE_TROUBLE.with("data-code", "elsewhere")).await?;
    composer_holds(fixture, "Typed. half").await
}
