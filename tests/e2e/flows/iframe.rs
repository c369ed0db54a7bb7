//! Flows for Nexus in the iframe of another page (`examples/embed`): what that page can insert, and what not.

use std::io;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use thirtyfour::Key;

use crate::agent_setup::{leave_settings, open_settings};
use crate::app;
use crate::fixture::Fixture;
use crate::flows::screenshots;
use crate::http::{Head, Server};
use crate::page::Page;
use crate::provider::{Answer, KEY};
use crate::selectors::*;
use crate::site::{BLANK_PAGE, NO_HEADERS_PATH};

const EXAMPLE: &str = include_str!("../../../examples/embed/index.html");
const QUESTION: &str = "What does this page say about the weir?";
const FRAME: &str = "#nexus";

async fn picture(page: &Page, name: &str) -> Result<()> {
    match screenshots::folder() {
        Some(folder) => page.screenshot(&folder.join(format!("{name}.png"))).await,
        None => Ok(()),
    }
}

/// Records all messages to the embedding page.
const NOTE: &str = "window.received = []; addEventListener('message', event => received.push(event.data));";

/// The embedding page, on its own host.
fn host() -> io::Result<Server> {
    Server::start(|mut stream, _| {
        Head::new(200).with("content-type", "text/html; charset=utf-8").send(&mut stream, EXAMPLE.as_bytes())
    })
}

fn embedding(host: &Server, fixture: &Fixture) -> String {
    format!("{}/?nexus={}", host.origin(), fixture.site.url(NO_HEADERS_PATH))
}

/// Allows a page. Starts and ends in the war room.
async fn let_in(page: &Page, origin: &str) -> Result<()> {
    open_settings(page).await?;
    page.fill(PAGE_ORIGIN, origin).await?;
    page.click(PAGE_LET_IN).await?;
    page.see(PAGE.with("data-origin", origin)).await?;
    leave_settings(page).await
}

async fn answered(page: &Page, words: &str) -> Result<()> {
    let shown = "document.getElementById('answer').value === arguments[0]";
    page.wait_for(&format!("the answer {words:?}"), shown, &[json!(words)]).await
}

async fn place(page: &Page, words: &str) -> Result<()> {
    let script = "document.getElementById('words').value = arguments[0];
        document.getElementById('place').click();";
    page.eval(script, &[json!(words)]).await.map(drop)
}

/// Waits for a text in the composer of the entered frame.
async fn composer(page: &Page, words: &str) -> Result<()> {
    let holds = "document.getElementById('composer')?.value === arguments[0]";
    page.wait_for(&format!("the composer to contain {words:?}"), holds, &[json!(words)]).await
}

/// An allowed page inserts a draft below the existing text; its origin is shown, also after a reload, and is sent
/// with the operator's message. The page receives nothing but the answer.
pub(crate) async fn draft(fixture: &mut Fixture) -> Result<()> {
    app::set_up(fixture).await?;
    let host = host()?;
    let origin = host.origin();
    let page = &fixture.page;
    open_settings(page).await?;
    for (wrong, problem) in [
        ("http://docs.example", "Only https: is allowed"),
        ("https://docs.example/below", "leave out what follows"),
        ("*", "This is not an origin"),
    ] {
        page.fill(PAGE_ORIGIN, wrong).await?;
        page.click(PAGE_LET_IN).await?;
        page.see_text(PAGE_PROBLEM, problem).await?;
    }
    page.see_count(PAGE, 0).await?;
    leave_settings(page).await?;
    let_in(page, &origin).await?;
    page.fill(COMPOSER, "My own words.").await?;
    let mut tries = 0;
    while !Value::from(page.rows("drafts").await?).to_string().contains("My own words.") {
        tries += 1;
        ensure!(tries < 200, "the draft was not stored");
    }

    let address = embedding(&host, fixture);
    fixture.page.goto(&address).await?;
    let page = &fixture.page;
    page.eval(NOTE, &[]).await?;
    page.click(Selector::css("#place")).await?;
    answered(page, "It stands in the composer.").await?;
    page.enter_frame(FRAME).await?;
    let both = format!("My own words.\n\n{QUESTION}");
    composer(page, &both).await?;
    page.see_text(COMPOSER_PLACED, &origin).await?;
    picture(page, "embedding-placed").await?;
    page.eval("window.isOld = true; location.reload()", &[]).await?;
    page.wait_for("the frame to load again", "!window.isOld", &[]).await?;
    composer(page, &both).await?;
    page.see_text(COMPOSER_PLACED, &origin).await?;
    ensure!(fixture.provider.requests().is_empty(), "something was sent");

    app::enter_key(page, KEY).await?;
    composer(page, &both).await?;
    page.choose(TARGET_SELECT, "engineer").await?;
    fixture.provider.queue_for("Engineer", Answer::say("The weir holds."));
    page.click(SEND).await?;
    page.see_text(answers_of("engineer"), "The weir holds.").await?;
    app::idle(page).await?;
    page.see_text(MESSAGE_ORIGIN, &format!("with text inserted by {origin}")).await?;
    page.hidden(COMPOSER_PLACED).await?;
    composer(page, "").await?;
    let prompt = fixture.request_of("Engineer", 1).await?.all_text();
    ensure!(
        prompt.contains(&format!("with words placed by {origin}")),
        "the origin is missing in the prompt"
    );
    ensure!(prompt.contains(QUESTION) && prompt.contains("My own words."), "{prompt}");

    // A draft is not inserted while the operator types, but afterwards.
    page.click(COMPOSER).await?;
    page.type_into(COMPOSER, "I am wri").await?;
    page.leave_frame().await?;
    place(page, "Later.").await?;
    answered(page, "Refused: busy").await?;
    page.enter_frame(FRAME).await?;
    page.type_into(COMPOSER, "ting.").await?;
    composer(page, "I am writing.").await?;
    page.eval("document.activeElement.blur()", &[]).await?;
    composer(page, "I am writing.\n\nLater.").await?;
    page.fill(COMPOSER, "").await?;
    page.hidden(COMPOSER_PLACED).await?;
    page.leave_frame().await?;
    let received = page.eval("return received", &[]).await?;
    for message in received.as_array().context("no list")? {
        let fields = message.as_object().context("no object")?;
        let is_known = |name: &String| ["nexus", "draft", "why", "id"].contains(&name.as_str());
        ensure!(fields.keys().all(is_known), "more than an answer received back: {message}");
    }
    ensure!(fixture.provider.requests().len() == 1, "a message was sent automatically");
    Ok(())
}

/// A page that is not allowed inserts nothing: neither from the page's own origin, nor while paused, nor from within;
/// this is reported once, with the setting to change. A flood changes nothing, and the page stays responsive.
pub(crate) async fn rejections(fixture: &mut Fixture) -> Result<()> {
    app::set_up(fixture).await?;
    let host = host()?;
    let origin = host.origin();
    let address = embedding(&host, fixture);
    fixture.page.goto(&address).await?;
    let page = &fixture.page;
    page.eval(NOTE, &[]).await?;
    place(page, QUESTION).await?;
    answered(page, "Refused: not-allowed").await?;
    page.enter_frame(FRAME).await?;
    page.see_text(NOTICE, &format!("{origin} tried to insert a draft")).await?;
    page.see_text(NOTICE, "Settings → Triggers").await?;
    picture(page, "embedding-refused").await?;
    // Messages from the page itself are ignored.
    page.eval("postMessage({ nexus: 1, draft: 'From within.' }, '*')", &[]).await?;
    page.click(Selector::css("[data-testid=notice] button")).await?;
    page.hidden(NOTICE).await?;
    page.leave_frame().await?;

    let flood = "const nexus = document.getElementById('nexus');
        const words = 'x'.repeat(20000);
        for (let number = 0; number < 20000; number++)
            nexus.contentWindow.postMessage({ nexus: 1, draft: words, id: `f-${number}` }, '*');";
    page.eval(flood, &[]).await?;
    page.enter_frame(FRAME).await?;
    page.fill(COMPOSER, "Still quick.").await?;
    composer(page, "Still quick.").await?;
    page.see_count(NOTICE, 0).await?;
    page.fill(COMPOSER, "").await?;
    page.hidden(COMPOSER_PLACED).await?;
    page.leave_frame().await?;
    let received = page.eval("return received.length", &[]).await?.as_u64().context("no number")?;
    ensure!(received < 60, "a flood was answered {received} times");

    // A paused page.
    let home = fixture.site.url("/");
    fixture.page.goto(&home).await?;
    let page = &fixture.page;
    page.see(WAR_ROOM).await?;
    open_settings(page).await?;
    page.fill(PAGE_ORIGIN, &format!(" {}/ ", origin.to_uppercase())).await?;
    page.press(Key::Enter).await?;
    page.see(PAGE.with("data-origin", &origin)).await?;
    page.click(PAGE_PAUSE).await?;
    page.see(PAGE.with("data-rests", "true")).await?;
    picture(page, "embedding-settings").await?;
    leave_settings(page).await?;
    fixture.page.goto(&address).await?;
    place(&fixture.page, QUESTION).await?;
    answered(&fixture.page, "Refused: paused").await?;

    // The page's own origin is no exception.
    let blank = fixture.site.url(BLANK_PAGE);
    fixture.page.goto(&blank).await?;
    let page = &fixture.page;
    let frame = "window.received = []; addEventListener('message', event => received.push(event.data));
        const frame = document.createElement('iframe');
        frame.id = 'nexus';
        frame.src = arguments[0];
        document.body.append(frame);
        setInterval(() => frame.contentWindow.postMessage({ nexus: 1, draft: 'Ours?' }, '*'), 500);";
    page.eval(frame, &[json!(fixture.site.url(NO_HEADERS_PATH))]).await?;
    let rejected = "received.some(each => each.draft === 'refused' && each.why === 'not-allowed')";
    page.wait_for("the page's own origin to be rejected", rejected, &[]).await?;
    let accepted = page.eval("return received.some(each => each.draft === 'accepted')", &[]).await?;
    ensure!(accepted == false, "it was let in");

    // Deleted, it is unknown again; and a host with headers lets no other origin embed the page.
    fixture.page.goto(&home).await?;
    let page = &fixture.page;
    page.see(WAR_ROOM).await?;
    composer(page, "").await?;
    open_settings(page).await?;
    page.click(PAGE_DELETE).await?;
    page.see_count(PAGE, 0).await?;
    leave_settings(page).await?;
    ensure!(fixture.provider.requests().is_empty(), "something was sent");
    fixture.expect_fault("frame-ancestors");
    fixture.page.drive_clock().await?;
    let closed = format!("{}/?nexus={}", host.origin(), fixture.site.url("/"));
    fixture.page.goto(&closed).await?;
    place(&fixture.page, QUESTION).await?;
    // The embedding page sends it again each second.
    fixture.page.skip(std::time::Duration::from_secs(10)).await?;
    let answer = fixture.page.eval("return document.getElementById('answer').value", &[]).await?;
    ensure!(answer == "…", "a page that may not be embedded answered: {answer}");
    Ok(())
}
