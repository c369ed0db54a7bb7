//! Flows for Nexus in the iframe of another page (`examples/embed`): what that page can insert, and what not.

use std::io;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use thirtyfour::Key;

use crate::app;
use crate::flows::pictures;
use crate::http::{Head, Server};
use crate::page::Page;
use crate::parts::*;
use crate::provider::{Answer, KEY};
use crate::site::{BLANK_PAGE, PLAIN_PATH};
use crate::stage::Stage;
use crate::team::{leave_settings, open_settings};

const EXAMPLE: &str = include_str!("../../../examples/embed/index.html");
const QUESTION: &str = "What does this page say about the weir?";
const FRAME: &str = "#nexus";

async fn picture(page: &Page, name: &str) -> Result<()> {
    match pictures::folder() {
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

fn embedding(host: &Server, stage: &Stage) -> String {
    format!("{}/?nexus={}", host.origin(), stage.site.url(PLAIN_PATH))
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
pub(crate) async fn draft(stage: &mut Stage) -> Result<()> {
    app::set_up(stage).await?;
    let host = host()?;
    let origin = host.origin();
    let page = &stage.page;
    open_settings(page).await?;
    for (wrong, told) in [
        ("http://docs.example", "Only https: is allowed"),
        ("https://docs.example/below", "leave out what follows"),
        ("*", "This is not an origin"),
    ] {
        page.fill(PAGE_ORIGIN, wrong).await?;
        page.click(PAGE_LET_IN).await?;
        page.see_words(PAGE_PROBLEM, told).await?;
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

    let address = embedding(&host, stage);
    stage.page.goto(&address).await?;
    let page = &stage.page;
    page.eval(NOTE, &[]).await?;
    page.click(Selector::css("#place")).await?;
    answered(page, "It stands in the composer.").await?;
    page.enter_frame(FRAME).await?;
    let both = format!("My own words.\n\n{QUESTION}");
    composer(page, &both).await?;
    page.see_words(COMPOSER_PLACED, &origin).await?;
    picture(page, "embedding-placed").await?;
    page.eval("window.isOld = true; location.reload()", &[]).await?;
    page.wait_for("the frame to load again", "!window.isOld", &[]).await?;
    composer(page, &both).await?;
    page.see_words(COMPOSER_PLACED, &origin).await?;
    ensure!(stage.provider.requests().is_empty(), "something was sent");

    app::enter_key(page, KEY).await?;
    composer(page, &both).await?;
    page.choose(TARGET_SELECT, "engineer").await?;
    stage.provider.queue_for("Engineer", Answer::say("The weir holds."));
    page.click(SEND).await?;
    page.see_words(answers_of("engineer"), "The weir holds.").await?;
    app::idle(page).await?;
    page.see_words(MESSAGE_ORIGIN, &format!("with text inserted by {origin}")).await?;
    page.hidden(COMPOSER_PLACED).await?;
    composer(page, "").await?;
    let prompt = stage.request_of("Engineer", 1).await?.all_text();
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
    ensure!(stage.provider.requests().len() == 1, "a message was sent automatically");
    Ok(())
}

/// A page that is not allowed inserts nothing: neither from the page's own origin, nor while paused, nor from within;
/// this is reported once, with the setting to change. A flood changes nothing, and the page stays responsive.
pub(crate) async fn refused(stage: &mut Stage) -> Result<()> {
    app::set_up(stage).await?;
    let host = host()?;
    let origin = host.origin();
    let address = embedding(&host, stage);
    stage.page.goto(&address).await?;
    let page = &stage.page;
    page.eval(NOTE, &[]).await?;
    place(page, QUESTION).await?;
    answered(page, "Refused: not-allowed").await?;
    page.enter_frame(FRAME).await?;
    page.see_words(NOTICE, &format!("{origin} tried to insert a draft")).await?;
    page.see_words(NOTICE, "Settings → Triggers").await?;
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
    let home = stage.site.url("/");
    stage.page.goto(&home).await?;
    let page = &stage.page;
    page.see(WAR_ROOM).await?;
    open_settings(page).await?;
    page.fill(PAGE_ORIGIN, &format!(" {}/ ", origin.to_uppercase())).await?;
    page.press(Key::Enter).await?;
    page.see(PAGE.with("data-origin", &origin)).await?;
    page.click(PAGE_PAUSE).await?;
    page.see(PAGE.with("data-rests", "true")).await?;
    picture(page, "embedding-settings").await?;
    leave_settings(page).await?;
    stage.page.goto(&address).await?;
    place(&stage.page, QUESTION).await?;
    answered(&stage.page, "Refused: paused").await?;

    // The page's own origin is no exception.
    let blank = stage.site.url(BLANK_PAGE);
    stage.page.goto(&blank).await?;
    let page = &stage.page;
    let frame = "window.received = []; addEventListener('message', event => received.push(event.data));
        const frame = document.createElement('iframe');
        frame.id = 'nexus';
        frame.src = arguments[0];
        document.body.append(frame);
        setInterval(() => frame.contentWindow.postMessage({ nexus: 1, draft: 'Ours?' }, '*'), 500);";
    page.eval(frame, &[json!(stage.site.url(PLAIN_PATH))]).await?;
    let rejected = "received.some(each => each.draft === 'refused' && each.why === 'not-allowed')";
    page.wait_for("the page's own origin to be rejected", rejected, &[]).await?;
    let accepted = page.eval("return received.some(each => each.draft === 'accepted')", &[]).await?;
    ensure!(accepted == false, "it was let in");

    // Deleted, it is unknown again; and a host with headers lets no other origin embed the page.
    stage.page.goto(&home).await?;
    let page = &stage.page;
    page.see(WAR_ROOM).await?;
    composer(page, "").await?;
    open_settings(page).await?;
    page.click(PAGE_DELETE).await?;
    page.see_count(PAGE, 0).await?;
    leave_settings(page).await?;
    ensure!(stage.provider.requests().is_empty(), "something was sent");
    stage.expect_fault("frame-ancestors");
    stage.page.drive_clock().await?;
    let closed = format!("{}/?nexus={}", host.origin(), stage.site.url("/"));
    stage.page.goto(&closed).await?;
    place(&stage.page, QUESTION).await?;
    // The embedding page sends it again each second.
    stage.page.skip(std::time::Duration::from_secs(10)).await?;
    let answer = stage.page.eval("return document.getElementById('answer').value", &[]).await?;
    ensure!(answer == "…", "a page that may not be embedded answered: {answer}");
    Ok(())
}
