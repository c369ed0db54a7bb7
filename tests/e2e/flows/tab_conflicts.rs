//! Flows for two tabs in one session without locks, as on a page served over plain HTTP.
//!
//! `persistence` and `tabs_and_crashes` cover browsers with locks.

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use thirtyfour::WindowHandle;

use crate::app;
use crate::fixture::Fixture;
use crate::provider::Answer;
use crate::selectors::*;

const NO_LOCKS: &str = "Object.defineProperty(Navigator.prototype, 'locks', { get: () => undefined });";

/// Opens another tab without locks in the war room.
async fn another(fixture: &mut Fixture) -> Result<WindowHandle> {
    let (blank, home) = (fixture.site.url(crate::site::BLANK_PAGE), fixture.site.url("/"));
    let tab = fixture.page.open_tab(&blank).await?;
    fixture.page.in_every_document(NO_LOCKS).await?;
    fixture.page.goto(&home).await?;
    fixture.page.see_text(answers_of("critic"), "Critic is ready.").await?;
    Ok(tab)
}

/// Checks that no stream has a missing or duplicate position.
async fn streams_are_whole(fixture: &Fixture) -> Result<()> {
    let mut places: Vec<(String, u64)> = Vec::new();
    for event in app::events(&fixture.page).await? {
        let seq = event.get("seq").and_then(Value::as_u64).context("an event without a place")?;
        places.push((event.get("stream").map(Value::to_string).unwrap_or_default(), seq));
    }
    places.sort();
    let mut before: Option<&(String, u64)> = None;
    for place in &places {
        let wanted = before.filter(|one| one.0 == place.0).map_or(1, |one| one.1 + 1);
        ensure!(place.1 == wanted, "a gap or a double at {place:?}");
        before = Some(place);
    }
    Ok(())
}

/// Two tabs of a browser without locks, the second one current: the shared session and the tabs.
async fn two_tabs(fixture: &mut Fixture) -> Result<(String, WindowHandle, WindowHandle)> {
    app::set_up(fixture).await?;
    fixture.page.in_every_document(NO_LOCKS).await?;
    fixture.page.reload().await?;
    fixture.page.see_text(answers_of("critic"), "Critic is ready.").await?;
    let main = app::session(&fixture.page).await?;
    let first = fixture.page.tab().await?;
    let second = another(fixture).await?;
    Ok((main, first, second))
}

/// Both send at once: the second one's message continues in a fork, which says so, and nothing is lost.
pub(crate) async fn forks(fixture: &mut Fixture) -> Result<()> {
    let (main, first, second) = two_tabs(fixture).await?;
    fixture.page.hidden(BANNER.with("data-kind", "read-only")).await?;
    fixture.page.choose(TARGET_SELECT, "critic").await?;
    fixture.page.fill(COMPOSER, "Said in the second tab.").await?;

    fixture.page.switch_to(&first).await?;
    fixture.provider.queue_for("Engineer", Answer::say("Answered in the first."));
    app::ask(&fixture.page, "engineer", "Said in the first tab.", "Answered in the first.").await?;

    fixture.page.switch_to(&second).await?;
    fixture.provider.queue_for("Critic", Answer::say("Answered in the second."));
    fixture.page.click(SEND).await?;
    fixture.page.see_text(NOTICE, "Another tab changed").await?;
    fixture.page.see_text(answers_of("critic"), "Answered in the second.").await?;
    app::idle(&fixture.page).await?;
    let fork = app::session(&fixture.page).await?;
    ensure!(fork != main, "it continues in the session of the first tab");
    fixture.page.see_text(TIMELINE, "Said in the second tab.").await?;
    ensure!(!fixture.page.text(TIMELINE).await?.contains("Said in the first tab."), "the fork has both");
    ensure!(fixture.page.text(COMPOSER).await?.is_empty(), "it is still in the composer");
    let rows = fixture.page.rows("sessions").await?;
    let row = rows.iter().find(|row| row.get("id") == Some(&fork.as_str().into())).context("no fork")?;
    ensure!(row.get("origin") == Some(&"fork".into()), "it is no fork: {row}");
    ensure!(row.get("parent") == Some(&main.as_str().into()), "it is a fork of something else: {row}");
    let prompt = fixture.request_of("Critic", 1).await?.all_text();
    ensure!(prompt.contains("Critic is ready.") && !prompt.contains("Said in the first tab."), "{prompt}");

    // The first tab continues as usual, and a reload shows everything.
    fixture.page.switch_to(&first).await?;
    fixture.provider.queue_for("Engineer", Answer::say("Still the first."));
    app::ask(&fixture.page, "engineer", "And on.", "Still the first.").await?;
    ensure!(app::session(&fixture.page).await? == main, "the first tab was moved");
    streams_are_whole(fixture).await?;
    let stored = Value::from(fixture.page.rows("messages").await?).to_string();
    for words in ["Said in the first tab.", "Said in the second tab.", "And on."] {
        ensure!(stored.matches(words).count() == 1, "{words} is stored otherwise than once");
    }
    Ok(())
}

/// An idle tab follows the other one, and can work once that one releases the session.
pub(crate) async fn follows(fixture: &mut Fixture) -> Result<()> {
    let (main, first, second) = two_tabs(fixture).await?;
    fixture.page.switch_to(&first).await?;
    fixture.provider.queue_for("Engineer", Answer::say("Seen by both."));
    app::ask(&fixture.page, "engineer", "Tell everybody.", "Seen by both.").await?;
    fixture.page.switch_to(&second).await?;
    let read_only = BANNER.with("data-kind", "read-only");
    fixture.page.see(read_only.clone()).await?;
    fixture.page.see_text(answers_of("engineer"), "Seen by both.").await?;
    fixture.page.click(WORK_HERE).await?;
    fixture.page.hidden(read_only.clone()).await?;
    fixture.provider.queue_for("Critic", Answer::say("Now here."));
    app::ask(&fixture.page, "critic", "Whose turn is it?", "Now here.").await?;
    ensure!(app::session(&fixture.page).await? == main, "a fork without a conflict");
    fixture.page.switch_to(&first).await?;
    fixture.page.see(read_only).await?;
    fixture.page.see_text(answers_of("critic"), "Now here.").await?;
    streams_are_whole(fixture).await
}
