//! Flows for the search across sessions, sending a message to another one, and triggers.

use anyhow::{Context as _, Result, ensure};
use serde_json::json;
use thirtyfour::Key;

use crate::agent_setup::{leave_settings, open_settings};
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

/// Search in other sessions, and a message to another one.
pub(crate) async fn search_and_send(fixture: &mut Fixture) -> Result<()> {
    app::set_up(fixture).await?;
    find(fixture).await?;
    fixture.provider.reset();
    send(fixture).await
}

/// A message in another session is found by a word, with the reason, and opened; by keyboard; also on a branch that
/// its session has left.
async fn find(fixture: &mut Fixture) -> Result<()> {
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

/// A name of two sessions requires a choice, and nothing is sent before; then the message goes there with its origin,
/// and the current session stays unchanged.
async fn send(fixture: &mut Fixture) -> Result<()> {
    let page = &fixture.page;
    let main = app::session(page).await?;
    app::new_session(page).await?;
    let second = app::session(page).await?;
    page.click(SESSION_SWITCHER).await?;
    page.click(SESSION_ROW.with("data-session", &second).inner(SESSION_NAME)).await?;
    page.fill(SESSION_LABEL, "MAIN").await?;
    page.click(SESSION_KEEP).await?;
    page.hidden(SESSION_LABEL).await?;
    page.click(SESSION_CLOSE).await?;
    page.fill(COMPOSER, "@Engineer look at the weir").await?;
    let choose = async |words: &str| -> Result<()> {
        // The selector itself is unchanged.
        page.select(TARGET_SELECT, "OTHER").await?;
        page.fill(FINDER_INPUT, words).await
    };
    // An agent's name leads to the session where it worked last.
    choose("critic").await?;
    page.see_text(FINDER_ROW, "where Critic last worked").await?;
    page.fill(FINDER_INPUT, "main").await?;
    page.see_text(FINDER_STATUS, "2 sessions match").await?;
    page.see_count(FINDER_ROW, 2).await?;
    picture(page, "question").await?;
    page.press(Key::Enter).await?;
    page.hidden(FINDER).await?;
    page.see_text(COMPOSER_HEADING, "Goes to “main” · its name").await?;
    picture(page, "heading").await?;
    ensure!(fixture.provider.requests().is_empty(), "something was sent before it was wanted");
    page.click(COMPOSER_HERE).await?;
    page.hidden(COMPOSER_HEADING).await?;
    choose("main").await?;
    page.see_text(FINDER_STATUS, "2 sessions").await?;
    page.press(Key::Enter).await?;
    page.see(COMPOSER_HEADING).await?;
    fixture.provider.queue_for("Engineer", Answer::say("The weir holds."));
    page.click(SEND).await?;
    page.hidden(COMPOSER_HEADING).await?;
    let request = fixture.request_of("Engineer", 1).await?;
    ensure!(request.all_text().contains("look at the weir"), "the request has other text");
    ensure!(app::session(page).await? == second, "the view moved");
    page.see_count(MESSAGE, 0).await?;
    app::open_session(page, &main).await?;
    page.see_text(answers_of("engineer"), "The weir holds.").await?;
    page.see_text(MESSAGE_ORIGIN, "sent from “MAIN”").await
}

/// Advances the page's clock.
async fn pass(page: &Page, ms: u64) -> Result<()> {
    let script = "const now = Date.now.bind(Date); const by = arguments[0]; Date.now = () => now() + by";
    page.eval(script, &[json!(ms)]).await.map(drop)
}

async fn add_trigger(page: &Page, name: &str, text: &str) -> Result<()> {
    page.click(TRIGGER_ADD).await?;
    page.fill(TRIGGER_NAME, name).await?;
    page.fill(TRIGGER_TEXT, text).await
}

/// A paused trigger sends nothing while another one fires on time; both survive a reload, and an invalid one says
/// why.
pub(crate) async fn triggers(fixture: &mut Fixture) -> Result<()> {
    app::set_up(fixture).await?;
    open_settings(&fixture.page).await?;
    let page = &fixture.page;
    page.see(TRIGGER_NONE).await?;
    add_trigger(page, "Sleeper", "Never said.").await?;
    page.fill(TRIGGER_MINUTES, "0").await?;
    page.click(TRIGGER_KEEP).await?;
    page.see_text(TRIGGER_PROBLEM, "whole number of minutes").await?;
    page.fill(TRIGGER_MINUTES, "1").await?;
    page.choose(TRIGGER_TO, "@critic").await?;
    page.click(TRIGGER_KEEP).await?;
    page.see_text(TRIGGER, "every 1 minute → Critic").await?;
    page.click(TRIGGER_PAUSE).await?;
    page.see(TRIGGER.with("data-rests", "true")).await?;
    add_trigger(page, "Watcher", "Watch the weir.").await?;
    page.fill(TRIGGER_MINUTES, "1").await?;
    page.choose(TRIGGER_TO, "@engineer").await?;
    screenshots::moment_at(page, "threads-form", Some("#settings-triggers")).await?;
    page.click(TRIGGER_KEEP).await?;
    page.see_count(TRIGGER, 2).await?;
    screenshots::moment_at(page, "threads-triggers", Some("#settings-triggers")).await?;
    leave_settings(page).await?;
    fixture.provider.queue_for("Engineer", Answer::say("It is watched."));
    pass(page, 61_000).await?;
    page.see_text(MESSAGE_ORIGIN, "sent by the trigger “Watcher”").await?;
    page.see_text(answers_of("engineer"), "It is watched.").await?;
    app::idle(page).await?;
    let request = fixture.request_of("Engineer", 1).await?;
    ensure!(request.all_text().contains("the trigger Watcher of Ada"), "the sender is missing in the prompt");
    ensure!(fixture.provider.requests_of("Critic").is_empty(), "the other one spoke, too");
    let events = app::events(page).await?;
    let fired = events.iter().filter(|event| event.get("kind").is_some_and(|kind| kind == "TriggerFired"));
    ensure!(fired.count() == 1, "it fired more than once, or the ledger does not say so");
    fixture.page.reload().await?;
    let page = &fixture.page;
    open_settings(page).await?;
    page.see_count(TRIGGER, 2).await?;
    page.see_text(TRIGGER_LAST, "its message was sent").await?;
    for left in [1, 0] {
        page.click(TRIGGER_DELETE).await?;
        page.see_count(TRIGGER, left).await?;
    }
    page.see(TRIGGER_NONE).await.context("the triggers are not removed")
}
