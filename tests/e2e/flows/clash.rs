//! Flows for two tabs in one session without locks, as on a page served over plain HTTP.
//!
//! `kept` and `away` cover browsers with locks.

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use thirtyfour::WindowHandle;

use crate::app;
use crate::parts::*;
use crate::provider::Answer;
use crate::stage::Stage;

const NO_LOCKS: &str = "Object.defineProperty(Navigator.prototype, 'locks', { get: () => undefined });";

/// Opens another tab without locks in the war room.
async fn another(stage: &mut Stage) -> Result<WindowHandle> {
    let (blank, home) = (stage.site.url(crate::site::BLANK_PAGE), stage.site.url("/"));
    let tab = stage.page.open_tab(&blank).await?;
    stage.page.before_scripts(NO_LOCKS).await?;
    stage.page.goto(&home).await?;
    stage.page.see_words(answers_of("critic"), "Critic is ready.").await?;
    Ok(tab)
}

/// Checks that no stream has a missing or duplicate position.
async fn streams_are_whole(stage: &Stage) -> Result<()> {
    let mut places: Vec<(String, u64)> = Vec::new();
    for event in app::events(&stage.page).await? {
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
async fn two_tabs(stage: &mut Stage) -> Result<(String, WindowHandle, WindowHandle)> {
    app::set_up(stage).await?;
    stage.page.before_scripts(NO_LOCKS).await?;
    stage.page.reload().await?;
    stage.page.see_words(answers_of("critic"), "Critic is ready.").await?;
    let main = app::session(&stage.page).await?;
    let first = stage.page.tab().await?;
    let second = another(stage).await?;
    Ok((main, first, second))
}

/// Both send at once: the second one's message continues in a fork, which says so, and nothing is lost.
pub(crate) async fn forks(stage: &mut Stage) -> Result<()> {
    let (main, first, second) = two_tabs(stage).await?;
    stage.page.hidden(BANNER.with("data-kind", "read-only")).await?;
    stage.page.choose(TARGET_SELECT, "critic").await?;
    stage.page.fill(COMPOSER, "Said in the second tab.").await?;

    stage.page.switch_to(&first).await?;
    stage.provider.queue_for("Engineer", Answer::say("Answered in the first."));
    app::say_to(&stage.page, "engineer", "Said in the first tab.").await?;
    stage.page.see_words(answers_of("engineer"), "Answered in the first.").await?;
    app::idle(&stage.page).await?;

    stage.page.switch_to(&second).await?;
    stage.provider.queue_for("Critic", Answer::say("Answered in the second."));
    stage.page.click(SEND).await?;
    stage.page.see_words(NOTICE, "Another tab changed").await?;
    stage.page.see_words(answers_of("critic"), "Answered in the second.").await?;
    app::idle(&stage.page).await?;
    let fork = app::session(&stage.page).await?;
    ensure!(fork != main, "it continues in the session of the first tab");
    stage.page.see_words(TIMELINE, "Said in the second tab.").await?;
    ensure!(!stage.page.text(TIMELINE).await?.contains("Said in the first tab."), "the fork has both");
    ensure!(stage.page.text(COMPOSER).await?.is_empty(), "it is still in the composer");
    let rows = stage.page.rows("sessions").await?;
    let row = rows.iter().find(|row| row.get("id") == Some(&fork.as_str().into())).context("no fork")?;
    ensure!(row.get("origin") == Some(&"fork".into()), "it is no fork: {row}");
    ensure!(row.get("parent") == Some(&main.as_str().into()), "it is a fork of something else: {row}");
    let prompt = stage.request_of("Critic", 1).await?.all_text();
    ensure!(prompt.contains("Critic is ready.") && !prompt.contains("Said in the first tab."), "{prompt}");

    // The first tab continues as usual, and a reload shows everything.
    stage.page.switch_to(&first).await?;
    stage.provider.queue_for("Engineer", Answer::say("Still the first."));
    app::say_to(&stage.page, "engineer", "And on.").await?;
    stage.page.see_words(answers_of("engineer"), "Still the first.").await?;
    app::idle(&stage.page).await?;
    ensure!(app::session(&stage.page).await? == main, "the first tab was moved");
    streams_are_whole(stage).await?;
    let stored = Value::from(stage.page.rows("messages").await?).to_string();
    for words in ["Said in the first tab.", "Said in the second tab.", "And on."] {
        ensure!(stored.matches(words).count() == 1, "{words} is stored otherwise than once");
    }
    Ok(())
}

/// An idle tab follows the other one, and can work once that one releases the session.
pub(crate) async fn follows(stage: &mut Stage) -> Result<()> {
    let (main, first, second) = two_tabs(stage).await?;
    stage.page.switch_to(&first).await?;
    stage.provider.queue_for("Engineer", Answer::say("Seen by both."));
    app::say_to(&stage.page, "engineer", "Tell everybody.").await?;
    stage.page.see_words(answers_of("engineer"), "Seen by both.").await?;
    app::idle(&stage.page).await?;
    stage.page.switch_to(&second).await?;
    let read_only = BANNER.with("data-kind", "read-only");
    stage.page.see(read_only.clone()).await?;
    stage.page.see_words(answers_of("engineer"), "Seen by both.").await?;
    stage.page.click(WORK_HERE).await?;
    stage.page.hidden(read_only.clone()).await?;
    stage.provider.queue_for("Critic", Answer::say("Now here."));
    app::say_to(&stage.page, "critic", "Whose turn is it?").await?;
    stage.page.see_words(answers_of("critic"), "Now here.").await?;
    app::idle(&stage.page).await?;
    ensure!(app::session(&stage.page).await? == main, "a fork without a conflict");
    stage.page.switch_to(&first).await?;
    stage.page.see(read_only).await?;
    stage.page.see_words(answers_of("critic"), "Now here.").await?;
    streams_are_whole(stage).await
}
