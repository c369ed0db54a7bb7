//! Flows for the order of loading: what is fetched when, and no layout shift while the screen appears.

use anyhow::{Result, ensure};
use serde_json::{Value, json};
use thirtyfour::Key;

use crate::app;
use crate::fixture::Fixture;
use crate::flows::first_use;
use crate::page::Page;
use crate::provider::Answer;
use crate::selectors::*;
use crate::site::BLANK_PAGE;

/// Maximum layout shift from the static page to the first start: a tenth of what counts as good.
const MOST_SHIFT: f64 = 0.01;

/// Sums unexpected layout shifts.
const SHIFTS: &str = "(() => {
    window.__shifts = [];
    new PerformanceObserver(list => {
        for (const each of list.getEntries()) {
            const moved = each.sources.map(({ node }) => node?.id || node?.className || node?.nodeName);
            if (!each.hadRecentInput) window.__shifts.push({ value: each.value, moved });
        }
    }).observe({ type: 'layout-shift', buffered: true });
})()";

/// Waits for five idle periods of the page.
const QUIET: &str =
    "for (let count = 0; count < 5; count++) await new Promise(done => requestIdleCallback(done));";

async fn fetched(page: &Page) -> Result<Vec<String>> {
    let names = "return performance.getEntriesByType('resource').map(each => each.name.split('/').at(-1))";
    Ok(serde_json::from_value(page.eval(names, &[]).await?)?)
}

fn holds(fetched: &[String], part: &str) -> bool {
    fetched.iter().any(|name| name.starts_with(&format!("nexus-{part}-")))
}

/// A new visitor's first start: loading, and the search for a local model.
pub(crate) async fn first(fixture: &mut Fixture) -> Result<()> {
    let home = fixture.site.url("/");
    frugal(fixture).await?;
    fixture.page.in_every_document(SHIFTS).await?;
    fixture.page.goto(&home).await?;
    fixture.page.see(FIRST_START).await?;
    no_shift(fixture).await?;
    ahead(fixture).await?;
    first_use::local_model(fixture).await
}

/// With data saver only the chunks of the current screen are fetched, even when the first start is filled in.
async fn frugal(fixture: &mut Fixture) -> Result<()> {
    let saves = "if (sessionStorage.getItem('saves')) Object.defineProperty(navigator, 'connection', { value: { saveData: true } })";
    fixture.page.in_every_document(saves).await?;
    let page = &mut fixture.page;
    page.goto(&fixture.site.url(BLANK_PAGE)).await?;
    page.eval("sessionStorage.setItem('saves', 'yes')", &[]).await?;
    page.goto(&fixture.site.url("/")).await?;
    page.see(FIRST_START).await?;
    page.click(FIRST_NAME).await?;
    page.eval_async(QUIET, &[]).await?;
    let names = fetched(page).await?;
    ensure!(holds(&names, "first-start") && !holds(&names, "room"), "fetched for who saves data: {names:?}");
    page.eval("sessionStorage.clear()", &[]).await.map(drop)
}

/// A new visitor who only reads loads no screen of the war room. While the first start is filled in, the war room is
/// prefetched, and no later screen.
async fn ahead(fixture: &mut Fixture) -> Result<()> {
    fixture.page.eval_async(QUIET, &[]).await?;
    let names = fetched(&fixture.page).await?;
    ensure!(!holds(&names, "room"), "fetched for who looks: {names:?}");
    fixture.page.click(FIRST_NAME).await?;
    let ahead = "performance.getEntriesByType('resource').some(each => each.name.includes('/nexus-room-'))";
    fixture.page.wait_for("the war room to be fetched ahead", ahead, &[]).await?;
    let names = fetched(&fixture.page).await?;
    ensure!(!holds(&names, "board") && !holds(&names, "settings"), "fetched unasked: {names:?}");
    ensure!(names.len() <= 20, "{} requests: {names:?}", names.len());
    Ok(())
}

/// No layout shift from the static page to the first start.
async fn no_shift(fixture: &Fixture) -> Result<()> {
    still(&fixture.page, "the first start", MOST_SHIFT).await
}

/// The messages in view, and where they stand.
const IN_VIEW: &str = "const list = document.querySelector('.timeline').getBoundingClientRect();
    return [...document.querySelectorAll('.timeline > .message')]
        .map(each => [each.getBoundingClientRect(), each.querySelector('.prose')?.textContent])
        .filter(([box]) => box.bottom > list.top && box.top < list.bottom)
        .map(([box, text]) => [Math.round(box.top), text]);";

/// Before the program has come, the war room stands as it was left, with nothing to use but the composer, and nothing
/// moves when it is taken over. It is kept only while the page is closed, and not for a device whose data is deleted.
pub(crate) async fn as_left(fixture: &mut Fixture) -> Result<()> {
    app::set_up(fixture).await?;
    let page = &mut fixture.page;
    page.wait_for("the program to show the session", "!document.querySelector('.picture')", &[]).await?;
    let before = page.eval(IN_VIEW, &[]).await?;
    ensure!(
        before.as_array().is_some_and(|messages| !messages.is_empty()),
        "no message is in view: {before}"
    );
    let program = json!({ "patterns": [{ "urlPattern": "*_bg.wasm*" }] });
    page.protocol("Fetch.enable", program.clone()).await?;
    page.reload().await?;
    page.wait_for("the war room as it was left", "!!document.querySelector('.picture .timeline')", &[])
        .await?;
    let left = page.eval(IN_VIEW, &[]).await?;
    ensure!(left == before, "it was left as {before}, and is shown as {left}");
    let usable = "return [...document.querySelectorAll('.picture :is(a, button, input, textarea, select)')]
        .filter(each => each.id !== 'boot-draft' && each.type !== 'submit')
        .filter(each => each.href || !each.closest('[inert]'))
        .map(each => each.outerHTML)";
    let usable = page.eval(usable, &[]).await?;
    ensure!(usable == json!([]), "what nothing answers can be used: {usable}");
    page.click(Selector::css("#boot-draft")).await?;
    page.press("Typed before ").await?;
    page.protocol("Fetch.disable", json!({})).await?;
    let letters = "abcdefghijklmnopqrstuvwxyz";
    for letter in letters.chars() {
        page.press(letter.to_string()).await?;
    }
    page.see(WAR_ROOM).await?;
    let typed = format!("Typed before {letters}");
    let has_all = "arguments[0] === document.querySelector('#composer')?.value";
    page.wait_for("all that was typed", has_all, &[json!(typed)]).await?;
    page.wait_for("the program to show the session", "!document.querySelector('.picture')", &[]).await?;
    let same = format!("JSON.stringify((() => {{ {IN_VIEW} }})()) === arguments[0]");
    page.wait_for("the same messages", &same, &[json!(before.to_string())]).await?;
    ensure!(page.local("nexus_picture").await?.is_none(), "it is kept while the page is open");
    // A draft is no part of it, and would seem to be lost. Emptied before it is restored, it would come back.
    let (home, blank) = (fixture.site.url("/"), fixture.site.url(BLANK_PAGE));
    page.goto(&blank).await?;
    ensure!(page.local("nexus_picture").await?.is_none(), "it is kept without the draft");
    page.goto(&home).await?;
    page.wait_for("the draft", has_all, &[json!(typed)]).await?;
    page.fill(COMPOSER, "").await?;
    // It shows no recipient: what is sent in it goes to all agents.
    page.choose(TARGET_SELECT, "critic").await?;
    page.goto(&blank).await?;
    ensure!(page.local("nexus_picture").await?.is_none(), "it is kept without the recipient");
    page.goto(&home).await?;
    let asks_critic = "document.querySelector('.composer select')?.value === 'critic'";
    page.wait_for("the recipient", asks_critic, &[]).await?;
    page.choose(TARGET_SELECT, "ALL").await?;
    page.wait_for("the same messages", &same, &[json!(before.to_string())]).await?;
    // A message that is sent before the program has come goes out when it has.
    page.goto(&blank).await?;
    ensure!(page.local("nexus_picture").await?.is_some(), "it is not kept for a later visit");
    page.protocol("Fetch.enable", program.clone()).await?;
    page.goto(&home).await?;
    page.wait_for("the war room as it was left", "!!document.querySelector('.picture .timeline')", &[])
        .await?;
    page.click(Selector::css("#boot-draft")).await?;
    page.press("Sent early").await?;
    page.press(Key::Enter).await?;
    let is_said = "document.querySelector('#boot-status').textContent.includes('as soon as')";
    page.wait_for("the page to say when it is sent", is_said, &[]).await?;
    for agent in ["Architect", "Engineer", "Critic"] {
        fixture.provider.queue_for(agent, Answer::say(&format!("{agent} has read it.")));
    }
    page.protocol("Fetch.disable", json!({})).await?;
    page.see_text(TIMELINE, "Sent early").await?;
    page.see_text(answers_of("critic"), "Critic has read it.").await?;
    page.wait_for("an empty message", "document.querySelector('#composer')?.value === ''", &[]).await?;
    app::idle(page).await?;
    page.eval("localStorage.removeItem('nexus_boot')", &[]).await?;
    page.protocol("Fetch.enable", program).await?;
    page.reload().await?;
    page.see(Selector::css("#boot-draft")).await?;
    ensure!(page.local("nexus_picture").await?.is_none(), "it is kept for a device without data");
    page.protocol("Fetch.disable", json!({})).await?;
    page.see(WAR_ROOM).await
}

async fn still(page: &Page, screen: &str, most: f64) -> Result<()> {
    // Observers are notified after a frame.
    let two_frames = "await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
        await new Promise(done => setTimeout(done));
        return window.__shifts;";
    let shifts = page.eval_async(two_frames, &[]).await?;
    let each = shifts.as_array().map(Vec::as_slice).unwrap_or_default();
    let sum: f64 = each.iter().filter_map(|shift| shift.get("value").and_then(Value::as_f64)).sum();
    ensure!(sum < most, "{screen} moved by {sum}: {shifts}");
    Ok(())
}
