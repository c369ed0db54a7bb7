//! Common steps of flows: entering the app with the demo or the fake provider, and sending messages.
//!
//! Asserts nothing itself.

use std::rc::Rc;
use std::time::Instant;

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use crate::fixture::Fixture;
use crate::page::{POLL_INTERVAL, Page, TIMEOUT};
use crate::provider::{Answer, KEY};
use crate::selectors::*;
use crate::site::{BLANK_PAGE, SUB_PATH};

/// The agents in the order of a broadcast.
pub(crate) const AGENTS: [&str; 3] = ["Architect", "Engineer", "Critic"];

/// The operator's name in all flows.
pub(crate) const NAME: &str = "Ada";

/// The objective of the opening round of [`set_up`].
pub(crate) const OBJECTIVE: &str = "A page that greets the reader";

/// An objective that the demo supports.
pub(crate) const PREPARED: &str = "A tip calculator for a small restaurant";

/// Performs the first start with a fast demo.
pub(crate) async fn start_fast_demo(page: &Page, objective: &str) -> Result<()> {
    page.see(FIRST_START).await?;
    page.speed_up().await?;
    start_demo(page, objective).await
}

/// Performs the first start with the demo.
pub(crate) async fn start_demo(page: &Page, objective: &str) -> Result<()> {
    page.see(FIRST_START).await?;
    page.fill(FIRST_NAME, NAME).await?;
    page.click(FIRST_DEMO).await?;
    page.fill(FIRST_OBJECTIVE, objective).await?;
    page.click(FIRST_GO).await?;
    page.see(WAR_ROOM).await
}

/// Sets the fake provider as Gemini's base URL, then performs the first start with its key; the agents' opening round
/// runs. Summaries and memories are disabled, so that the ledger is idle when the agents are; [`enable_archivist`]
/// enables them. The key is stored unencrypted, or in the tab only.
async fn first_start(fixture: &mut Fixture, objective: &str, stores_key: bool) -> Result<()> {
    let (settings, home) = (fixture.site.url("/settings/"), fixture.site.url("/"));
    fixture.page.goto(&settings).await?;
    fixture.page.click(SUMMARY_AUTO).await?;
    fixture.page.click(MEMORY_AUTO).await?;
    set_address(&fixture.page, &fixture.provider.base_url()).await?;
    fixture.page.goto(&home).await?;
    fixture.page.see(FIRST_START).await?;
    fixture.page.fill(FIRST_NAME, NAME).await?;
    fixture.page.fill(FIRST_KEY, KEY).await?;
    if stores_key {
        fixture.page.click(PLACE_CLEAR).await?;
        fixture.page.click(PLACE_AGREED).await?;
    }
    fixture.page.fill(FIRST_OBJECTIVE, objective).await?;
    fixture.page.click(FIRST_GO).await?;
    fixture.page.see(WAR_ROOM).await
}

/// Enables summaries and memories of the Archivist. Starts and ends in the war room.
pub(crate) async fn enable_archivist(page: &Page) -> Result<()> {
    page.click(OPEN_SETTINGS).await?;
    page.click(SUMMARY_AUTO).await?;
    page.click(MEMORY_AUTO).await?;
    page.eval("history.back()", &[]).await?;
    page.see(WAR_ROOM).await
}

/// Opens the war room with three agents at the fake provider, after an opening round in which each reported that it
/// is ready. The provider's record is empty. The state is restored from the seed: a returning visitor with an
/// unencrypted key.
pub(crate) async fn set_up(fixture: &mut Fixture) -> Result<()> {
    let (blank, home, address) =
        (fixture.site.url(BLANK_PAGE), fixture.site.url("/"), fixture.provider.base_url());
    let seed = Rc::clone(&fixture.seed);
    if seed.is_recorded() {
        fixture.page.goto(&blank).await?;
        seed.restore(&fixture.page, &address).await?;
    } else {
        opening_round(fixture, true).await?;
        fixture.page.goto(&blank).await?;
        seed.record(&fixture.page, &address).await?;
    }
    fixture.page.goto(&home).await?;
    fixture.page.see(WAR_ROOM).await?;
    fixture.page.see_text(answers_of("critic"), "Critic is ready.").await
}

/// As [`set_up`], through the first start itself: the key is in the tab only, and the page was not reloaded.
pub(crate) async fn set_up_by_first_start(fixture: &mut Fixture) -> Result<()> {
    opening_round(fixture, false).await
}

/// The first start and its opening round.
async fn opening_round(fixture: &mut Fixture, stores_key: bool) -> Result<()> {
    for agent in AGENTS {
        fixture.provider.queue_for(agent, Answer::say(&format!("{agent} is ready.")));
    }
    first_start(fixture, OBJECTIVE, stores_key).await?;
    fixture.page.see_text(answers_of("critic"), "Critic is ready.").await?;
    idle(&fixture.page).await?;
    fixture.provider.reset();
    Ok(())
}

/// Enters a value and leaves the field.
pub(crate) async fn enter(page: &Page, field: impl Into<Selector>, value: &str) -> Result<()> {
    page.fill(field, value).await?;
    page.press(thirtyfour::Key::Tab).await
}

/// Enters the provider's base URL in the settings, and waits until it is in `nexus_boot`, from which the next page
/// load makes its policy.
pub(crate) async fn set_address(page: &Page, address: &str) -> Result<()> {
    enter(page, PROVIDER_BASE_URL, address).await?;
    let noted = "JSON.parse(localStorage.getItem('nexus_boot') ?? '{}').origins?.includes(arguments[0])";
    page.wait_for("the address to be noted", noted, &[json!(address)]).await
}

/// Enters the provider's key in the settings: keys in the tab do not survive a reload.
pub(crate) async fn enter_key(page: &Page, key: &str) -> Result<()> {
    page.click(OPEN_SETTINGS).await?;
    page.see(SETTINGS).await?;
    enter(page, PROVIDER_KEY, key).await?;
    page.eval("history.back()", &[]).await?;
    page.see(WAR_ROOM).await
}

/// Resolves to true once this document holds the lock of the session in view, or if the browser has no locks. Only a
/// lock of its own tells the document its own id.
const HOLDS_LOCK: &str = "if (!navigator.locks) return true;
    return navigator.locks.request(`flow-${Math.random()}`, async ({ name }) => {
        const { held } = await navigator.locks.query();
        const own = held.find(each => each.name === name).clientId;
        const session = document.querySelector(arguments[0])?.dataset.session;
        return held.some(each => each.name === `nexus-session-${session}` && each.clientId === own);
    });";

/// Waits until a message can be sent: none is being sent, after which the composer and the options of that message are
/// cleared; and this document holds the session's lock, which after a page load the document before it still has for a
/// moment.
pub(crate) async fn can_send(page: &Page) -> Result<()> {
    page.see(Selector::css(".composer-box[data-sending=false]")).await?;
    let switcher = json!(Selector::from(SESSION_SWITCHER).as_str());
    let until = Instant::now() + TIMEOUT;
    while page.eval_async(HOLDS_LOCK, std::slice::from_ref(&switcher)).await? != true {
        ensure!(Instant::now() < until, "this document does not get the lock of the session");
        tokio::time::sleep(POLL_INTERVAL).await;
    }
    Ok(())
}

/// Sends a message, after the previous one was sent.
pub(crate) async fn send(page: &Page, text: &str) -> Result<()> {
    can_send(page).await?;
    page.fill(COMPOSER, text).await?;
    page.click(SEND).await
}

/// Sends a message to `ALL` or to an agent by key.
pub(crate) async fn send_to(page: &Page, target: &str, text: &str) -> Result<()> {
    page.choose(TARGET_SELECT, target).await?;
    send(page, text).await
}

/// Sends a message to an agent, and waits until its answer has this text and no run is active.
pub(crate) async fn ask(page: &Page, agent: &str, text: &str, answer: &str) -> Result<()> {
    send_to(page, agent, text).await?;
    page.see_text(answers_of(agent), answer).await?;
    idle(page).await
}

/// Waits until no run is active. Call it only after a sign that the run began.
pub(crate) async fn idle(page: &Page) -> Result<()> {
    page.hidden(STOP).await?;
    page.hidden(RUN_STATE.with("data-state", "running")).await
}

/// Waits for a message of this agent with this status and, if it failed, this reason.
pub(crate) async fn ended(page: &Page, agent: &str, status: &str, reason: Option<&str>) -> Result<()> {
    let message = answers_of(agent).with("data-status", status);
    page.see(match reason {
        Some(reason) => message.with("data-reason", reason),
        None => message,
    })
    .await
}

/// Creates a session from the list, and waits until it is shown and empty.
pub(crate) async fn new_session(page: &Page) -> Result<()> {
    let before = session(page).await?;
    page.click(SESSION_SWITCHER).await?;
    page.click(SESSION_NEW).await?;
    page.hidden(SESSION_LIST).await?;
    // The previous session may be empty too.
    let is_another = "document.querySelector(arguments[0])?.dataset.session !== arguments[1]";
    let switcher = Selector::from(SESSION_SWITCHER);
    page.wait_for("the new session", is_another, &[json!(switcher.as_str()), json!(before)]).await?;
    page.see_count(MESSAGE, 0).await
}

/// Continues in a new session for the next part of a flow, without a page load: clears the provider's record and
/// scripts, and dismisses notices.
pub(crate) async fn start_over(fixture: &Fixture) -> Result<()> {
    fixture.provider.reset();
    dismiss_notices(&fixture.page).await?;
    new_session(&fixture.page).await
}

/// Closes all notices.
pub(crate) async fn dismiss_notices(page: &Page) -> Result<()> {
    let dismiss = "document.querySelectorAll('[data-testid=notice] .icon').forEach(each => each.click())";
    page.eval(dismiss, &[]).await.map(drop)
}

/// Id of the current session.
pub(crate) async fn session(page: &Page) -> Result<String> {
    Ok(page.attributes(SESSION_SWITCHER, "data-session").await?.pop().unwrap_or_default())
}

/// Ids of the open sessions in the list.
pub(crate) async fn sessions(page: &Page) -> Result<Vec<String>> {
    page.click(SESSION_SWITCHER).await?;
    page.see(SESSION_OPEN).await?;
    let sessions = page.attributes(SESSION_OPEN, "data-session").await?;
    page.click(SESSION_CLOSE).await?;
    page.hidden(SESSION_LIST).await?;
    Ok(sessions)
}

pub(crate) async fn open_session(page: &Page, session: &str) -> Result<()> {
    page.click(SESSION_SWITCHER).await?;
    page.click(SESSION_OPEN.with("data-session", session)).await?;
    page.hidden(SESSION_LIST).await?;
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

/// URL of the app on the sub-path, or of one of its screens.
pub(crate) fn below(fixture: &Fixture, screen: &str) -> String {
    fixture.site.url(&format!("{SUB_PATH}{screen}"))
}
