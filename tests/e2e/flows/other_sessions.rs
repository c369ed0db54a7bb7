//! Flow for the search across sessions. `tests/web/other_sessions.rs` tests messages to other sessions and triggers.

use anyhow::Result;
use serde_json::json;
use thirtyfour::Key;

use crate::app;
use crate::fixture::Fixture;
use crate::flows::screenshots;
use crate::page::Page;
use crate::provider::Answer;
use crate::selectors::*;

/// The Engineer is asked in the current session, and answers.
async fn ask(fixture: &Fixture, question: &str, answer: &str) -> Result<()> {
    fixture.provider.queue_for("Engineer", Answer::say(answer));
    app::send_to(&fixture.page, "engineer", question).await?;
    fixture.page.see_text(answers_of("engineer"), answer).await?;
    app::idle(&fixture.page).await
}

async fn picture(page: &Page, name: &str) -> Result<()> {
    screenshots::moment(page, &format!("threads-{name}")).await
}

/// Waits until the message with this text has focus.
async fn led_to(page: &Page, words: &str) -> Result<()> {
    let there = "document.activeElement?.closest('[data-testid=message]')?.textContent.includes(arguments[0]) ?? false";
    page.wait_for(&format!("the reader to be led to {words:?}"), there, &[json!(words)]).await
}

/// A message in another session is found by a word, with the reason, and opened; by keyboard; also on a branch that
/// its session has left.
pub(crate) async fn search(fixture: &mut Fixture) -> Result<()> {
    app::set_up(fixture).await?;
    ask(fixture, "The heron nests at the mill.", "I know the mill.").await?;
    ask(fixture, "And the kingfisher?", "By the weir.").await?;
    let page = &fixture.page;
    let main = app::session(page).await?;
    app::new_session(page).await?;
    ask(fixture, "Otters swim here.", "They do.").await?;
    let page = &fixture.page;
    page.click(SESSION_SWITCHER).await?;
    page.fill(SESSION_SEARCH, "herons heron").await?;
    page.click(SESSION_FIND_ALL).await?;
    page.hidden(SESSION_LIST).await?;
    page.see_text(FINDER_ROW, "The heron nests at the mill.").await?;
    page.see_text(FINDER_ROW, "message").await?;
    page.see_text(FINDER_ROW, "1 of 2 words").await?;
    let marked = "document.querySelector('[data-testid=finder-row] mark')?.textContent === 'heron'";
    page.wait_for("the word to be marked", marked, &[]).await?;
    picture(page, "found").await?;
    page.press(Key::Enter).await?;
    page.hidden(FINDER).await?;
    page.see(SESSION_SWITCHER.with("data-session", &main)).await?;
    led_to(page, "The heron nests").await?;
    // By a single key; newer messages are found as well.
    page.press("w").await?;
    page.see(FINDER).await?;
    let focused = "document.activeElement?.dataset.testid === 'finder-input'";
    page.wait_for("the field to have the focus", focused, &[]).await?;
    page.press("otte").await?;
    page.see_text(FINDER_ROW, "Otters swim here.").await?;
    page.press(Key::Escape).await?;
    page.hidden(FINDER).await?;
    // A result on a former branch says so, and leads there on request.
    let back = "const message = [...document.querySelectorAll(arguments[0])]
            .find(each => each.textContent.includes('I know the mill.'));
        message.querySelector(arguments[1]).click();";
    let selectors = [MESSAGE, TURN_ACTIONS].map(|part| json!(Selector::from(part).as_str()));
    page.eval(back, &selectors).await?;
    page.click(TURN_BACK).await?;
    let is_hidden =
        "![...document.querySelectorAll(arguments[0])].some(each => each.textContent.includes('weir'))";
    page.wait_for("the later turn to go", is_hidden, &selectors[..1]).await?;
    page.click(SESSION_SWITCHER).await?;
    page.click(SESSION_FIND_ALL).await?;
    page.fill(FINDER_INPUT, "kingfisher").await?;
    page.see_text(FINDER_ROW, "kingfisher").await?;
    page.press(Key::Enter).await?;
    page.see_text(FINDER_APART, "a branch that its session has left").await?;
    page.click(FINDER_MOVE).await?;
    page.hidden(FINDER).await?;
    page.see_text(answers_of("engineer"), "By the weir.").await
}
