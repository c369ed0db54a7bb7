//! Common steps of flows: entering the app with the demo or the fake provider, and sending a message.
//!
//! Asserts nothing itself. If a screen is rebuilt, this file follows it.

use std::rc::Rc;

use anyhow::Result;
use serde_json::{Value, json};

use crate::page::Page;
use crate::parts::*;
use crate::provider::{Answer, KEY};
use crate::site::{BLANK_PAGE, SUB_PATH};
use crate::stage::Stage;

/// The agents, in the order in which they answer a broadcast.
pub(crate) const AGENTS: [&str; 3] = ["Architect", "Engineer", "Critic"];

/// What the operator is called in all flows.
pub(crate) const NAME: &str = "Ada";

/// The objective of the opening round of [`set_up`].
pub(crate) const OBJECTIVE: &str = "A page that greets the reader";

/// An objective that the demo has prepared.
pub(crate) const PREPARED: &str = "A tip calculator for a small restaurant";

/// The first start with the demo in a hurry, up to the war room.
pub(crate) async fn rehearse(page: &Page, objective: &str) -> Result<()> {
    page.see(FIRST_START).await?;
    page.hurry().await?;
    choose_demo(page, objective).await
}

/// The first start with the demo as a newcomer sees it, up to the war room.
pub(crate) async fn choose_demo(page: &Page, objective: &str) -> Result<()> {
    page.see(FIRST_START).await?;
    page.fill(FIRST_NAME, NAME).await?;
    page.click(FIRST_REHEARSAL).await?;
    page.fill(FIRST_OBJECTIVE, objective).await?;
    page.click(FIRST_GO).await?;
    page.see(WAR_ROOM).await
}

/// Makes the fake provider the one that Gemini is called at, before the first start; then the first start with its
/// key. The agents' opening round runs. Sessions are not summarised and nothing is remembered, so that the ledger rests
/// when the agents do; [`let_remember`] is the other way. The key is kept in the clear, or in the tab alone.
async fn first_start(stage: &mut Stage, objective: &str, keeps_key: bool) -> Result<()> {
    let (settings, home) = (stage.site.url("/settings/"), stage.site.url("/"));
    stage.page.goto(&settings).await?;
    stage.page.click(SUMMARY_AUTO).await?;
    stage.page.click(MEMORY_AUTO).await?;
    set_address(&stage.page, &stage.provider.base_url()).await?;
    stage.page.goto(&home).await?;
    stage.page.see(FIRST_START).await?;
    stage.page.fill(FIRST_NAME, NAME).await?;
    stage.page.fill(FIRST_KEY, KEY).await?;
    if keeps_key {
        stage.page.click(PLACE_CLEAR).await?;
        stage.page.click(PLACE_AGREED).await?;
    }
    stage.page.fill(FIRST_OBJECTIVE, objective).await?;
    stage.page.click(FIRST_GO).await?;
    stage.page.see(WAR_ROOM).await
}

/// Lets the Archivist summarise and remember, as it does where nothing else is set. From the war room and back to it.
pub(crate) async fn let_remember(page: &Page) -> Result<()> {
    page.click(OPEN_SETTINGS).await?;
    page.click(SUMMARY_AUTO).await?;
    page.click(MEMORY_AUTO).await?;
    page.eval("history.back()", &[]).await?;
    page.see(WAR_ROOM).await
}

/// The war room with three agents at the fake provider, after an opening round in which each said that it is ready.
/// Nothing of that round is left in the provider's record. The state comes from the recorded seed: the visitor is back,
/// with a key that is kept in the clear.
pub(crate) async fn set_up(stage: &mut Stage) -> Result<()> {
    let (blank, home, address) = (stage.site.url(BLANK_PAGE), stage.site.url("/"), stage.provider.base_url());
    let seed = Rc::clone(&stage.seed);
    if seed.is_recorded() {
        stage.page.goto(&blank).await?;
        seed.put_back(&stage.page, &address).await?;
    } else {
        open_round(stage, true).await?;
        stage.page.goto(&blank).await?;
        seed.record(&stage.page, &address).await?;
    }
    stage.page.goto(&home).await?;
    stage.page.see(WAR_ROOM).await?;
    stage.page.see_words(answers_of("critic"), "Critic is ready.").await
}

/// As [`set_up`], by going through the first start itself: the key is in the tab alone, and nothing was loaded again.
pub(crate) async fn set_up_by_hand(stage: &mut Stage) -> Result<()> {
    open_round(stage, false).await
}

/// The first start and its opening round.
async fn open_round(stage: &mut Stage, keeps_key: bool) -> Result<()> {
    for agent in AGENTS {
        stage.provider.queue_for(agent, Answer::say(&format!("{agent} is ready.")));
    }
    first_start(stage, OBJECTIVE, keeps_key).await?;
    stage.page.see_words(answers_of("critic"), "Critic is ready.").await?;
    idle(&stage.page).await?;
    stage.provider.begin_anew();
    Ok(())
}

/// Enters a setting as by typing and leaving the field.
pub(crate) async fn enter(page: &Page, field: impl Into<Spot>, value: &str) -> Result<()> {
    page.fill(field, value).await?;
    page.press(thirtyfour::Key::Tab).await
}

/// Enters the provider's address in the settings, and waits until the next load of the page will let it be called:
/// the policy is made before the program runs, from what is noted in `nexus_boot`.
pub(crate) async fn set_address(page: &Page, address: &str) -> Result<()> {
    enter(page, PROVIDER_BASE_URL, address).await?;
    let noted = "JSON.parse(localStorage.getItem('nexus_boot') ?? '{}').origins?.includes(arguments[0])";
    page.wait_for("the address to be noted", noted, &[json!(address)]).await
}

/// Goes to the settings and enters the provider's key: keys do not outlive the page.
pub(crate) async fn enter_key(page: &Page, key: &str) -> Result<()> {
    page.click(OPEN_SETTINGS).await?;
    page.see(SETTINGS).await?;
    enter(page, PROVIDER_KEY, key).await?;
    page.eval("history.back()", &[]).await?;
    page.see(WAR_ROOM).await
}

/// Waits until no message is on its way. Until then the button takes nothing, and the composer is about to be cleared, with
/// what was chosen for that message.
pub(crate) async fn sent(page: &Page) -> Result<()> {
    page.see(Spot::css(".composer-box[data-sending=false]")).await
}

/// Writes a message and sends it, after the one before has gone.
pub(crate) async fn say(page: &Page, text: &str) -> Result<()> {
    sent(page).await?;
    page.fill(COMPOSER, text).await?;
    page.click(SEND).await
}

/// Chooses whom it is for (`ALL` or an agent's key), writes a message and sends it.
pub(crate) async fn say_to(page: &Page, target: &str, text: &str) -> Result<()> {
    page.choose(TARGET_SELECT, target).await?;
    say(page, text).await
}

/// Waits until no run works. Only of use after something that shows that it began.
pub(crate) async fn idle(page: &Page) -> Result<()> {
    page.gone(STOP).await?;
    page.gone(RUN_STATE.with("data-state", "running")).await
}

/// Waits for a message of this agent with this status, and this reason where it failed.
pub(crate) async fn ended(page: &Page, agent: &str, status: &str, reason: Option<&str>) -> Result<()> {
    let message = answers_of(agent).with("data-status", status);
    page.see(match reason {
        Some(reason) => message.with("data-reason", reason),
        None => message,
    })
    .await
}

/// Makes a session from the list, and waits until it is in view, empty.
pub(crate) async fn new_session(page: &Page) -> Result<()> {
    let before = session(page).await?;
    page.click(SESSION_SWITCHER).await?;
    page.click(SESSION_NEW).await?;
    page.gone(SESSION_LIST).await?;
    // The one before may be empty, too.
    let is_another = "document.querySelector(arguments[0])?.dataset.session !== arguments[1]";
    let switcher = Spot::from(SESSION_SWITCHER);
    page.wait_for("the new session", is_another, &[json!(switcher.as_str()), json!(before)]).await?;
    page.see_count(MESSAGE, 0).await
}

/// Goes on in a session of its own, with nothing in the provider's record, the answers that nobody asked for forgotten,
/// and no notice in sight: for the next part of a flow, which needs no load of the page.
pub(crate) async fn afresh(stage: &Stage) -> Result<()> {
    stage.provider.begin_anew();
    let page = &stage.page;
    let dismiss = "document.querySelectorAll('[data-testid=notice] .icon').forEach(each => each.click())";
    page.eval(dismiss, &[]).await?;
    new_session(page).await
}

/// The id of the session in view.
pub(crate) async fn session(page: &Page) -> Result<String> {
    Ok(page.attributes(SESSION_SWITCHER, "data-session").await?.pop().unwrap_or_default())
}

/// The ids of the sessions that the list shows as open.
pub(crate) async fn sessions(page: &Page) -> Result<Vec<String>> {
    page.click(SESSION_SWITCHER).await?;
    page.see(SESSION_OPEN).await?;
    let sessions = page.attributes(SESSION_OPEN, "data-session").await?;
    page.click(SESSION_CLOSE).await?;
    page.gone(SESSION_LIST).await?;
    Ok(sessions)
}

pub(crate) async fn open_session(page: &Page, session: &str) -> Result<()> {
    page.click(SESSION_SWITCHER).await?;
    page.click(SESSION_OPEN.with("data-session", session)).await?;
    page.gone(SESSION_LIST).await?;
    page.see(SESSION_SWITCHER.with("data-session", session)).await
}

/// An answer in which the model writes a file.
pub(crate) fn writing(name: &str, content: &str) -> Answer {
    Answer::new().call("update_nexus_state", json!({ "activeFile": content, "activeFileName": name }))
}

/// The events of the ledger, from the store.
pub(crate) async fn events(page: &Page) -> Result<Vec<Value>> {
    page.rows("events").await
}

/// The app on the sub-path, or on one of its screens.
pub(crate) fn below(stage: &Stage, screen: &str) -> String {
    stage.site.url(&format!("{SUB_PATH}{screen}"))
}
