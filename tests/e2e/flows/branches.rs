//! Flow for turns and sessions by keyboard alone. `tests/web/branches.rs` tests the rest.

use anyhow::Result;
use thirtyfour::Key;

use crate::app;
use crate::fixture::Fixture;
use crate::flows::keyboard::reach;
use crate::page::Page;
use crate::provider::Answer;
use crate::selectors::*;

/// The Engineer is asked, and answers.
async fn ask(fixture: &Fixture, question: &str, answer: &str) -> Result<()> {
    fixture.provider.queue_for("Engineer", Answer::say(answer));
    app::send_to(&fixture.page, "engineer", question).await?;
    fixture.page.see_text(answers_of("engineer"), answer).await?;
    app::idle(&fixture.page).await
}

/// Opens the turn menu of a message with this text.
pub(crate) async fn act(page: &Page, words: &str) -> Result<()> {
    let script = "const message = [...document.querySelectorAll(arguments[0])]
            .find(each => each.textContent.includes(arguments[1]));
        message.querySelector(arguments[2]).click();";
    let selectors = [MESSAGE, TURN_ACTIONS].map(|part| Selector::from(part).as_str().to_owned());
    let [message, actions] = selectors;
    page.see_text(MESSAGE, words).await?;
    page.eval(script, &[message.into(), words.into(), actions.into()]).await?;
    page.see(TURN_MENU).await
}

/// By keyboard: another session, an edited message, a step to its sibling.
pub(crate) async fn keyboard(fixture: &mut Fixture) -> Result<()> {
    app::set_up(fixture).await?;
    app::new_session(&fixture.page).await?;
    ask(fixture, "Say it.", "Said.").await?;
    let page = &fixture.page;
    let main = app::session(page).await?;
    reach(page, TURN_ACTIONS).await?;
    page.press(Key::Enter).await?;
    page.see(TURN_MENU).await?;
    reach(page, TURN_EDIT).await?;
    page.press(Key::Enter).await?;
    page.see(EDIT_TEXT).await?;
    page.wait_for(
        "the field to have the focus",
        "document.activeElement?.dataset.testid === 'edit-text'",
        &[],
    )
    .await?;
    page.press(Key::Control + "a").await?;
    page.press("Say it well.").await?;
    fixture.provider.queue_for("Engineer", Answer::say("Well said."));
    page.press(Key::Enter).await?;
    page.see_text(answers_of("engineer"), "Well said.").await?;
    app::idle(page).await?;
    reach(page, SIBLING_PREVIOUS).await?;
    page.press(Key::Enter).await?;
    page.see_text(SIBLING_PLACE, "1/2").await?;
    page.see_text(answers_of("engineer"), "Said.").await?;
    page.has_focus("sibling-previous").await?;
    page.press(Key::Right).await?;
    page.see_text(SIBLING_PLACE, "2/2").await?;
    // Escape closes a menu and restores the focus.
    reach(page, TURN_ACTIONS).await?;
    page.press(Key::Enter).await?;
    page.see(TURN_MENU).await?;
    page.press(Key::Escape).await?;
    page.hidden(TURN_MENU).await?;
    page.has_focus("turn-actions").await?;
    // A fork, and back by the list.
    page.press(Key::Enter).await?;
    page.see(TURN_MENU).await?;
    reach(page, TURN_CONTINUE).await?;
    page.press(Key::Enter).await?;
    page.see(FORK_MARK).await?;
    reach(page, SESSION_SWITCHER).await?;
    page.press(Key::Enter).await?;
    page.see(SESSION_LIST).await?;
    let focused = "document.activeElement?.dataset.testid === 'session-search'";
    page.wait_for("the search to have the focus", focused, &[]).await?;
    page.press("session 2").await?;
    page.press(Key::Down).await?;
    page.wait_for(
        "a row to have the focus",
        "document.activeElement?.dataset.testid === 'session-open'",
        &[],
    )
    .await?;
    page.press(Key::Down).await?;
    let is_main = "document.activeElement?.dataset.session === arguments[0]";
    page.wait_for("the other row to have the focus", is_main, &[main.as_str().into()]).await?;
    page.press(Key::Enter).await?;
    page.hidden(SESSION_LIST).await?;
    page.see(SESSION_SWITCHER.with("data-session", &main)).await
}
