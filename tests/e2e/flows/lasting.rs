//! Flows for long-lived pages, the back/forward cache, freezing, and storage that may be cleared.

use anyhow::{Context as _, Result, ensure};
use nexus_model::limits::{NOTICES, RAW_ANSWER_BYTES, ROWS_MOST};
use serde_json::json;

use crate::app;
use crate::page::Page;
use crate::parts::*;
use crate::provider::Answer;
use crate::stage::Stage;

/// Counts how often the browser is asked to keep what is stored; gives little room, and no promise.
const PRIVATE: &str = "(() => {
    window.__asked = 0;
    const put = (name, value) => Object.defineProperty(StorageManager.prototype, name, { value, configurable: true });
    put('persist', async () => { window.__asked += 1; return window.__agrees ?? false; });
    put('persisted', async () => window.__agrees ?? false);
    put('estimate', async () => ({ usage: 100000, quota: 90000000 }));
    const open = IDBDatabase.prototype.transaction;
    window.__kept = {};
    IDBDatabase.prototype.transaction = function (stores, mode, options) {
        const transaction = open.call(this, stores, mode, options);
        if (mode === 'readwrite' && this.name === 'nexus') {
            const names = [...transaction.objectStoreNames];
            for (const name of names) (window.__kept[name] ??= []).push(transaction.durability);
        }
        return transaction;
    };
})();";

/// What waits for less than two seconds waits a fortieth of it, so that the demo speaks quickly. Once the tab was told to
/// hurry, what waits a minute waits three seconds: what is done when a page has stood for a while is done soon, and not
/// before it is looked for.
const QUICK: &str = "(() => {
    const wait = window.setTimeout;
    const minute = sessionStorage.getItem('hurry') ? 3000 : 60000;
    const quick = time => time < 2000 ? time / 40 : time === 60000 ? minute : time;
    window.setTimeout = (act, time, ...more) => wait(act, quick(time), ...more);
})();";

/// The channel between tabs is deaf.
const DEAF: &str =
    "Object.defineProperty(BroadcastChannel.prototype, 'onmessage', { set() {}, configurable: true });
    BroadcastChannel.prototype.addEventListener = () => {};";

/// A page out of the browser's cache of pages, or a frozen one, reads again what other tabs did meanwhile, and does
/// nothing twice.
pub(crate) async fn came_back(stage: &mut Stage) -> Result<()> {
    app::set_up(stage).await?;
    let first = stage.page.tab().await?;
    let second = stage.page.open_tab("about:blank").await?;
    stage.page.before_scripts(DEAF).await?;
    let home = stage.site.url("/");
    stage.page.goto(&home).await?;
    stage.page.see(BANNER.with("data-kind", "read-only")).await?;
    stage.page.see_words(answers_of("critic"), "Critic is ready.").await?;
    for (round, back) in [
        ("one", "window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))"),
        ("two", "document.dispatchEvent(new Event('resume'))"),
    ] {
        stage.page.switch_to(&first).await?;
        let said = format!("Round {round} is done.");
        stage.provider.queue_for("Engineer", Answer::say(&said));
        app::say_to(&stage.page, "engineer", "Go on.").await?;
        stage.page.see_words(answers_of("engineer"), &said).await?;
        app::idle(&stage.page).await?;
        stage.page.switch_to(&second).await?;
        ensure!(!stage.page.visible_text().await?.contains(&said), "the tab is not deaf");
        stage.page.eval(back, &[]).await?;
        stage.page.see_words(answers_of("engineer"), &said).await?;
    }
    ensure!(stage.provider.requests().len() == 2, "what came back asked again");
    // In the tab that works: nothing is told twice, and it goes on working.
    stage.page.switch_to(&first).await?;
    let before = app::events(&stage.page).await?.len();
    for state in ["frozen", "active"] {
        stage.page.lifecycle(state).await?;
    }
    stage
        .page
        .eval("window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))", &[])
        .await?;
    stage.provider.queue_for("Critic", Answer::say("I am still here."));
    app::say_to(&stage.page, "critic", "Are you?").await?;
    stage.page.see_words(answers_of("critic"), "I am still here.").await?;
    app::idle(&stage.page).await?;
    stage.page.see_count(answers_of("critic"), 2).await?;
    ensure!(app::events(&stage.page).await?.len() > before);
    ensure!(stage.provider.requests().len() == 3, "a timer went off twice");
    Ok(())
}

/// The browser is asked to keep what is here when the first turn is stored, not before; where it gives little room that is
/// told, once.
pub(crate) async fn little_room(stage: &mut Stage) -> Result<()> {
    stage.page.before_scripts(PRIVATE).await?;
    stage.page.before_scripts(QUICK).await?;
    stage.page.drive_clock().await?;
    let home = stage.site.url("/");
    stage.page.goto(&home).await?;
    stage.page.see(FIRST_START).await?;
    ensure!(asked(&stage.page).await? == 0, "asked before there was anything to keep");
    app::rehearse(&stage.page, app::PREPARED).await?;
    app::ended(&stage.page, "architect", "completed", None).await?;
    stage.page.wait_for("the browser to be asked", "window.__asked === 1", &[]).await?;
    app::idle(&stage.page).await?;
    // What would lose work is made to last through a power cut; what only passes is not.
    let kept = stage.page.eval("return window.__kept", &[]).await?;
    let durable = |store: &str, how: &str| {
        kept.get(store).and_then(|all| all.as_array()).is_some_and(|all| all.iter().any(|one| one == how))
    };
    ensure!(
        durable("turns", "strict") && durable("messages", "strict"),
        "turns are not made to last: {kept}"
    );
    ensure!(
        !durable("partials", "strict") || durable("partials", "relaxed"),
        "every piece is made to last: {kept}"
    );
    // A page that is loaded when there is something to lose tells it.
    ensure!(stage.page.count(NOTICE).await? == 0, "it is told before the page has stood for a minute");
    stage.page.eval("sessionStorage.setItem('hurry', '1')", &[]).await?;
    stage.page.reload().await?;
    stage.page.see_words(NOTICE, "gives this page only 90.0 MB").await?;
    stage.page.see_words(NOTICE, "Private windows").await?;
    stage.page.reload().await?;
    stage.page.see(WAR_ROOM).await?;
    stage.page.skip(std::time::Duration::from_secs(65)).await?;
    ensure!(stage.page.count(NOTICE).await? == 0, "it is told again");

    // The settings say how it stands, and ask again when the operator wants it.
    stage.page.click(OPEN_SETTINGS).await?;
    stage.page.see_words(DATA_PERSISTED, "The browser may delete the data").await?;
    stage.page.see_words(DATA_USED, "90.0 MB").await?;
    let before = asked(&stage.page).await?;
    stage.page.click(DATA_PERSIST).await?;
    stage.page.see_words(Spot::css("[data-testid=data-storage-card]"), "The browser refused.").await?;
    ensure!(asked(&stage.page).await? == before + 1, "it was not asked");
    stage.page.see_words(DATA_PERSISTED, "The browser may delete the data").await?;
    stage.page.eval("window.__agrees = true", &[]).await?;
    stage.page.click(DATA_PERSIST).await?;
    stage.page.see_words(DATA_PERSISTED, "keeps the data even when the disk is full").await?;
    stage.page.gone(DATA_PERSIST).await?;
    let told = stage.page.text(Spot::css("[data-testid=data-storage-card]")).await?;
    ensure!(!told.contains("browser refused"), "it still says no: {told}");
    ensure!(asked(&stage.page).await? == before + 2, "it was asked more often than wanted");
    Ok(())
}

async fn asked(page: &Page) -> Result<u64> {
    page.eval("return window.__asked", &[]).await?.as_u64().context("nobody counts")
}

/// How many items the feed holds.
const FEED: usize = 80;

/// Holds the program's memory, so that its size can be read.
const MEMORY: &str = "for (const name of ['instantiate', 'instantiateStreaming']) {
    const make = WebAssembly[name];
    WebAssembly[name] = async (...wish) => {
        const made = await make.apply(WebAssembly, wish);
        const memory = (made.instance ?? made).exports.memory;
        if (memory) window.__memory = memory;
        return made;
    };
}";

/// A page that stands for long keeps no more of what passes than it shows: of hundreds of events the newest in the feed, of
/// many rows those around what is read, of thousands of pieces one text and their raw form up to a length, of many notices
/// a few. What is counted is what is there, never time.
pub(crate) async fn stands_long(stage: &mut Stage) -> Result<()> {
    /// Tool runs in one answer, answers with them, files that are made and deleted, pieces of the last answer.
    const CALLS: usize = 34;
    const ANSWERS: usize = 2;
    const FILES: usize = 14;
    const PIECES: usize = 5_000;
    stage.page.before_scripts(MEMORY).await?;
    app::set_up(stage).await?;
    let write = |number: usize| {
        ("write_file", json!({ "name": format!("{number}.txt"), "content": format!("of {number}") }))
    };
    stage.provider.queue_for("Engineer", Answer::new().calls((0..FILES).map(write)));
    for answer in 0..ANSWERS {
        let find = |number: usize| ("find_in_files", json!({ "text": format!("{answer} of {number}") }));
        stage.provider.queue_for("Engineer", Answer::new().calls((0..CALLS).map(find)));
    }
    let bytes: String = (0..PIECES).map(long_piece).collect();
    let sent = bytes.len();
    ensure!(sent > RAW_ANSWER_BYTES, "{sent} bytes are not more than is kept");
    stage.provider.queue_for("Engineer", Answer::new().bytes(bytes));
    app::say_to(&stage.page, "engineer", "Look everywhere.").await?;
    let said = answers_of("engineer").inner(MESSAGE_TEXT);
    stage.page.see_words(said.clone(), &format!(" {}", PIECES - 1)).await?;
    app::idle(&stage.page).await?;
    let page = &stage.page;

    // The feed: of all that is told there, the newest.
    let told = app::events(page).await?;
    let told = told.iter().filter(|event| event["kind"] == "ToolEnded").count();
    ensure!(told == FILES + ANSWERS * CALLS, "{told} tool runs ended");
    page.click(ACTIVITY_OPEN).await?;
    page.see_count(ACTIVITY_LINK, FEED).await?;
    page.see_words(ACTIVITY_LINK, "finished").await?;
    let rows = page.count(MESSAGE).await? + page.count(TOOL_CARD).await?;
    ensure!(rows <= ROWS_MOST, "{rows} rows are built");

    // The pieces: one text, of one node for each of its blocks, and no more of it anywhere in the page.
    let texts = page.texts(said.clone()).await?;
    let numbers = texts.last().map_or(0, |text| text.split_whitespace().count());
    ensure!(numbers == PIECES, "{numbers} pieces stand there");
    let nodes = "const said = [...document.querySelectorAll(arguments[0])].at(-1);
        const walk = document.createTreeWalker(said, NodeFilter.SHOW_TEXT);
        let nodes = 0;
        while (walk.nextNode()) nodes += 1;
        return nodes";
    let nodes = page.eval(nodes, &[json!(said.as_str())]).await?;
    ensure!(nodes.as_u64().is_some_and(|nodes| nodes < 10), "{nodes} nodes hold the pieces");
    ensure!(page.rows("partials").await?.is_empty(), "pieces are kept beside the answer");

    // What came of the provider: up to a length.
    let raw = page.rows("raw").await?;
    let longest = raw.iter().filter_map(|row| row["body"].as_str()).map(str::len).max().unwrap_or_default();
    ensure!(longest == RAW_ANSWER_BYTES, "{longest} bytes of {sent} are kept");
    let came = raw.iter().filter_map(|row| row["bytes"].as_u64()).max();
    ensure!(came >= Some(u64::try_from(sent)?), "it counted {came:?} bytes of {sent}");

    // Notices: each deleted file has one of its own, with a way back.
    for left in (0..FILES).rev() {
        let delete = "document.querySelector(arguments[0]).click()";
        page.see(FILE_DELETE).await?;
        page.eval(delete, &[json!(Spot::from(FILE_DELETE).as_str())]).await?;
        page.see_count(FILE_TAB, left).await?;
        let notices = page.count(NOTICE).await?;
        ensure!(notices <= NOTICES, "{notices} notices stand there");
    }

    // The memory of the program, which never shrinks: all of this together needs no more than a few answers would.
    let memory = page.eval("return window.__memory.buffer.byteLength", &[]).await?;
    ensure!(memory.as_u64().is_some_and(|bytes| bytes > 0 && bytes < 64 << 20), "it takes {memory} bytes");
    Ok(())
}

/// A piece of an answer as it comes, of some five hundred bytes, most of them about the answer.
fn long_piece(number: usize) -> String {
    let part = json!({ "text": format!("{number} ") });
    let event = json!({
        "candidates": [{ "content": { "parts": [part], "role": "model" } }],
        "responseId": "r".repeat(400),
    });
    format!("data: {event}\n\n")
}
