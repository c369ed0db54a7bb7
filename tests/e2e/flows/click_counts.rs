//! Flows of a new user, counted in clicks: to the first accepted change with a local model, and to a fork, a model
//! comparison and an undo.

use std::net::TcpListener;

use anyhow::{Result, ensure};

use crate::app;
use crate::fixture::Fixture;
use crate::flows::real_server::Llama;
use crate::page::Page;
use crate::provider::Answer;
use crate::selectors::*;

/// Default port of llama.cpp's server.
const LLAMA: u16 = 8080;

/// Counts mouse clicks, also over a reload.
const COUNT: &str = "addEventListener('pointerdown', () => { sessionStorage.clicks = Number(sessionStorage.clicks ?? 0) + 1; }, true);";

/// Fails if there were more clicks since the last call; resets the count.
async fn clicked(page: &Page, what: &str, most: u64) -> Result<()> {
    let count = "const clicks = Number(sessionStorage.clicks ?? 0); sessionStorage.clicks = 0; return clicks";
    let clicks = page.eval(count, &[]).await?.as_u64().unwrap_or_default();
    ensure!((1..=most).contains(&clicks), "{what} took {clicks} clicks, not at most {most}");
    Ok(())
}

/// From the address to an accepted change by a real llama.cpp server, which can be undone.
pub(crate) async fn local_model(fixture: &mut Fixture) -> Result<()> {
    if TcpListener::bind(("127.0.0.1", LLAMA)).is_err() {
        nexus_text::testing::not_checked(format_args!("walk-local-model: port {LLAMA} is taken"));
        return Ok(());
    }
    let _server = Llama::start(Some(LLAMA))?;
    fixture.page.in_every_document(COUNT).await?;
    let home = fixture.site.url("/");
    fixture.page.goto(&home).await?;
    let page = &fixture.page;
    page.see(FIRST_START).await?;
    page.click(FIRST_LOCAL).await?;
    page.see_text(FIRST_LOCAL_MODEL, "").await?;
    page.click(FIRST_OBJECTIVE).await?;
    page.press("A file that says who made it").await?;
    page.click(FIRST_GO).await?;
    page.see_text(CHANGES_SUMMARY, "1 file changed").await?;
    page.click(CHANGES_REVIEW).await?;
    page.see_text(COMPARE_LIST, "made by a real server").await?;
    page.click(CHANGES_ACCEPT).await?;
    page.hidden(CHANGES_SUMMARY).await?;
    page.see_text(FILE_TAB, "tiny.txt").await?;
    clicked(page, "the first kept change", 6).await?;
    ensure!(fixture.provider.requests().is_empty(), "another agent was called");
    Ok(())
}

/// Undo of agents' changes, a fork, and a model comparison, each from the war room.
pub(crate) async fn steps(fixture: &mut Fixture) -> Result<()> {
    fixture.page.in_every_document(COUNT).await?;
    app::set_up(fixture).await?;
    let page = &fixture.page;
    fixture.provider.queue_for("Engineer", app::writing("poem.txt", "roses\n"));
    fixture.provider.queue_for("Engineer", Answer::say("Written."));
    app::send_to(page, "engineer", "Write.").await?;
    page.see_text(CHANGES_SUMMARY, "1 file changed").await?;
    let reset = "sessionStorage.clicks = 0";
    page.eval(reset, &[]).await?;
    page.click(CHANGES_REVERT).await?;
    page.hidden(FILE_TAB).await?;
    clicked(page, "an undo", 1).await?;

    let before = app::session(page).await?;
    page.click(answers_of("engineer").inner(TURN_ACTIONS)).await?;
    page.click(TURN_CONTINUE).await?;
    page.see(FORK_MARK).await?;
    ensure!(app::session(page).await? != before, "it is no separate session");
    clicked(page, "a fork", 2).await?;

    for model in ["One", "Two"] {
        fixture.provider.queue_for("Engineer", Answer::say(&format!("Poem {model}.")));
    }
    page.click(answers_of("engineer").inner(TURN_ACTIONS)).await?;
    page.click(TURN_RACE).await?;
    page.click(RACE_START).await?;
    page.see(RACE.with("data-waits", "true")).await?;
    page.click(RACE_USE).await?;
    page.hidden(RACE).await?;
    clicked(page, "a comparison of models", 4).await
}
