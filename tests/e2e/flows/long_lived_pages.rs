//! Flows for long-lived pages, the back/forward cache, freezing, and storage that may be cleared.

use anyhow::{Context as _, Result, ensure};
use nexus_model::limits::{NOTICES, RAW_ANSWER_BYTES, ROWS_MOST};
use serde_json::json;

use crate::app;
use crate::fixture::Fixture;
use crate::page::Page;
use crate::provider::Answer;
use crate::selectors::*;

/// Counts requests for persistent storage; grants little space and no persistence.
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

/// Timeouts below two seconds take a fortieth, so that the demo is fast. Once the tab is set to hurry, minutes take
/// three seconds, so that delayed work is done soon but not early.
/// before it is looked for.
const QUICK: &str = "(() => {
    const wait = window.setTimeout;
    const minute = sessionStorage.getItem('hurry') ? 3000 : 60000;
    const quick = time => time < 2000 ? time / 40 : time === 60000 ? minute : time;
    window.setTimeout = (act, time, ...more) => wait(act, quick(time), ...more);
})();";

/// Disables the channel between tabs.
const DEAF: &str =
    "Object.defineProperty(BroadcastChannel.prototype, 'onmessage', { set() {}, configurable: true });
    BroadcastChannel.prototype.addEventListener = () => {};";

/// A page from the back/forward cache, or a frozen one, reads the changes of other tabs, and repeats nothing.
pub(crate) async fn back_forward_cache(fixture: &mut Fixture) -> Result<()> {
    app::set_up(fixture).await?;
    let first = fixture.page.tab().await?;
    let second = fixture.page.open_tab("about:blank").await?;
    fixture.page.in_every_document(DEAF).await?;
    let home = fixture.site.url("/");
    fixture.page.goto(&home).await?;
    fixture.page.see(BANNER.with("data-kind", "read-only")).await?;
    fixture.page.see_text(answers_of("critic"), "Critic is ready.").await?;
    for (round, back) in [
        ("one", "window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))"),
        ("two", "document.dispatchEvent(new Event('resume'))"),
    ] {
        fixture.page.switch_to(&first).await?;
        let text = format!("Round {round} is done.");
        fixture.provider.queue_for("Engineer", Answer::say(&text));
        app::send_to(&fixture.page, "engineer", "Go on.").await?;
        fixture.page.see_text(answers_of("engineer"), &text).await?;
        app::idle(&fixture.page).await?;
        fixture.page.switch_to(&second).await?;
        ensure!(!fixture.page.visible_text().await?.contains(&text), "the tab is not deaf");
        fixture.page.eval(back, &[]).await?;
        fixture.page.see_text(answers_of("engineer"), &text).await?;
    }
    ensure!(fixture.provider.requests().len() == 2, "a restored page sent a request");
    // In the working tab: no duplicate notice, and it continues to work.
    fixture.page.switch_to(&first).await?;
    let before = app::events(&fixture.page).await?.len();
    for state in ["frozen", "active"] {
        fixture.page.lifecycle(state).await?;
    }
    fixture
        .page
        .eval("window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))", &[])
        .await?;
    fixture.provider.queue_for("Critic", Answer::say("I am still here."));
    app::ask(&fixture.page, "critic", "Are you?", "I am still here.").await?;
    fixture.page.see_count(answers_of("critic"), 2).await?;
    ensure!(app::events(&fixture.page).await?.len() > before);
    ensure!(fixture.provider.requests().len() == 3, "a timer fired twice");
    Ok(())
}

/// Persistent storage is requested when the first turn is stored, not before; little space is reported once.
pub(crate) async fn low_storage(fixture: &mut Fixture) -> Result<()> {
    fixture.page.in_every_document(PRIVATE).await?;
    fixture.page.in_every_document(QUICK).await?;
    fixture.page.drive_clock().await?;
    let home = fixture.site.url("/");
    fixture.page.goto(&home).await?;
    fixture.page.see(FIRST_START).await?;
    ensure!(storage_requests(&fixture.page).await? == 0, "storage was requested before the first turn");
    app::start_fast_demo(&fixture.page, app::PREPARED).await?;
    app::ended(&fixture.page, "architect", "completed", None).await?;
    fixture.page.wait_for("the storage request", "window.__asked === 1", &[]).await?;
    app::idle(&fixture.page).await?;
    // Writes that would lose work are durable; transient ones are not.
    let recorded = fixture.page.eval("return window.__kept", &[]).await?;
    let durable = |store: &str, how: &str| {
        recorded.get(store).and_then(|all| all.as_array()).is_some_and(|all| all.iter().any(|one| one == how))
    };
    ensure!(
        durable("turns", "strict") && durable("messages", "strict"),
        "turns are not made to last: {recorded}"
    );
    ensure!(
        !durable("partials", "strict") || durable("partials", "relaxed"),
        "every piece is made to last: {recorded}"
    );
    // A page that is loaded with data to lose reports it.
    ensure!(fixture.page.count(NOTICE).await? == 0, "it is shown before a minute");
    fixture.page.eval("sessionStorage.setItem('hurry', '1')", &[]).await?;
    fixture.page.reload().await?;
    fixture.page.see_text(NOTICE, "gives this page only 90.0 MB").await?;
    fixture.page.see_text(NOTICE, "Private windows").await?;
    fixture.page.reload().await?;
    fixture.page.see(WAR_ROOM).await?;
    fixture.page.skip(std::time::Duration::from_secs(65)).await?;
    ensure!(fixture.page.count(NOTICE).await? == 0, "it is shown again");

    // The settings show the status, and request again on demand.
    fixture.page.click(OPEN_SETTINGS).await?;
    fixture.page.see_text(DATA_PERSISTED, "The browser may delete the data").await?;
    fixture.page.see_text(DATA_USED, "90.0 MB").await?;
    let before = storage_requests(&fixture.page).await?;
    fixture.page.click(DATA_PERSIST).await?;
    fixture.page.see_text(Selector::css("[data-testid=data-storage-card]"), "The browser refused.").await?;
    ensure!(storage_requests(&fixture.page).await? == before + 1, "no storage request");
    fixture.page.see_text(DATA_PERSISTED, "The browser may delete the data").await?;
    fixture.page.eval("window.__agrees = true", &[]).await?;
    fixture.page.click(DATA_PERSIST).await?;
    fixture.page.see_text(DATA_PERSISTED, "keeps the data even when the disk is full").await?;
    fixture.page.hidden(DATA_PERSIST).await?;
    let text = fixture.page.text(Selector::css("[data-testid=data-storage-card]")).await?;
    ensure!(!text.contains("browser refused"), "it still shows the denial: {text}");
    ensure!(storage_requests(&fixture.page).await? == before + 2, "too many storage requests");
    Ok(())
}

async fn storage_requests(page: &Page) -> Result<u64> {
    page.eval("return window.__asked", &[]).await?.as_u64().context("no count")
}

/// Maximum number of items in the feed.
const FEED: usize = 80;

/// Captures the program's memory to read its size.
const MEMORY: &str = "for (const name of ['instantiate', 'instantiateStreaming']) {
    const make = WebAssembly[name];
    WebAssembly[name] = async (...wish) => {
        const made = await make.apply(WebAssembly, wish);
        const memory = (made.instance ?? made).exports.memory;
        if (memory) window.__memory = memory;
        return made;
    };
}";

/// A long-lived page keeps only what it shows: of hundreds of events the newest in the feed, of many rows those near
/// the reading position, of thousands of deltas one text and their raw form up to a limit, of many notices a few.
/// Counts elements, not time.
pub(crate) async fn long_session(fixture: &mut Fixture) -> Result<()> {
    /// Tool runs in one answer, answers with them, files created and deleted, deltas of the last answer.
    const CALLS: usize = 34;
    const ANSWERS: usize = 2;
    const FILES: usize = 14;
    const PIECES: usize = 5_000;
    fixture.page.in_every_document(MEMORY).await?;
    app::set_up(fixture).await?;
    let write = |number: usize| {
        ("write_file", json!({ "name": format!("{number}.txt"), "content": format!("of {number}") }))
    };
    fixture.provider.queue_for("Engineer", Answer::new().calls((0..FILES).map(write)));
    for answer in 0..ANSWERS {
        let find = |number: usize| ("find_in_files", json!({ "text": format!("{answer} of {number}") }));
        fixture.provider.queue_for("Engineer", Answer::new().calls((0..CALLS).map(find)));
    }
    let bytes: String = (0..PIECES).map(long_piece).collect();
    let sent = bytes.len();
    ensure!(sent > RAW_ANSWER_BYTES, "{sent} bytes are below the limit");
    fixture.provider.queue_for("Engineer", Answer::new().bytes(bytes));
    app::send_to(&fixture.page, "engineer", "Look everywhere.").await?;
    let answer_text = answers_of("engineer").inner(MESSAGE_TEXT);
    fixture.page.see_text(answer_text.clone(), &format!(" {}", PIECES - 1)).await?;
    app::idle(&fixture.page).await?;
    let page = &fixture.page;

    // The feed shows the newest of its events.
    let events = app::events(page).await?;
    let events = events.iter().filter(|event| event["kind"] == "ToolEnded").count();
    ensure!(events == FILES + ANSWERS * CALLS, "{events} tool runs ended");
    page.click(ACTIVITY_OPEN).await?;
    page.see_count(ACTIVITY_LINK, FEED).await?;
    page.see_text(ACTIVITY_LINK, "finished").await?;
    let rows = page.count(MESSAGE).await? + page.count(TOOL_CARD).await?;
    ensure!(rows <= ROWS_MOST, "{rows} rows are built");

    // The deltas are one text, with one node for each block, and exist nowhere else in the page.
    let texts = page.texts(answer_text.clone()).await?;
    let numbers = texts.last().map_or(0, |text| text.split_whitespace().count());
    ensure!(numbers == PIECES, "{numbers} pieces are shown");
    let nodes = "const said = [...document.querySelectorAll(arguments[0])].at(-1);
        const walk = document.createTreeWalker(said, NodeFilter.SHOW_TEXT);
        let nodes = 0;
        while (walk.nextNode()) nodes += 1;
        return nodes";
    let nodes = page.eval(nodes, &[json!(answer_text.as_str())]).await?;
    ensure!(nodes.as_u64().is_some_and(|nodes| nodes < 10), "{nodes} nodes for the pieces");
    ensure!(page.rows("partials").await?.is_empty(), "pieces are stored in addition to the answer");

    // The raw response is limited.
    let raw = page.rows("raw").await?;
    let longest = raw.iter().filter_map(|row| row["body"].as_str()).map(str::len).max().unwrap_or_default();
    ensure!(longest == RAW_ANSWER_BYTES, "{longest} bytes of {sent} are stored");
    let largest = raw.iter().filter_map(|row| row["bytes"].as_u64()).max();
    ensure!(largest >= Some(u64::try_from(sent)?), "it counted {largest:?} bytes of {sent}");

    // Each deleted file has its own notice with undo.
    for left in (0..FILES).rev() {
        let delete = "document.querySelector(arguments[0]).click()";
        page.see(FILE_DELETE).await?;
        page.eval(delete, &[json!(Selector::from(FILE_DELETE).as_str())]).await?;
        page.see_count(FILE_TAB, left).await?;
        let notices = page.count(NOTICE).await?;
        ensure!(notices <= NOTICES, "{notices} notices are shown");
    }

    // The program's memory, which never shrinks: all of this needs no more than a few answers.
    let memory = page.eval("return window.__memory.buffer.byteLength", &[]).await?;
    ensure!(memory.as_u64().is_some_and(|bytes| bytes > 0 && bytes < 64 << 20), "it takes {memory} bytes");
    Ok(())
}

/// A delta of some five hundred bytes, most of them metadata.
fn long_piece(number: usize) -> String {
    let part = json!({ "text": format!("{number} ") });
    let event = json!({
        "candidates": [{ "content": { "parts": [part], "role": "model" } }],
        "responseId": "r".repeat(400),
    });
    format!("data: {event}\n\n")
}
