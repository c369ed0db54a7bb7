//! Flows for long-lived pages, the back/forward cache, freezing, and storage that may be cleared.

use anyhow::{Context as _, Result, ensure};
use nexus_model::limits::{NOTICES, RAW_ANSWER_BYTES, ROWS_MOST};
use serde_json::json;

use crate::app;
use crate::page::Page;
use crate::parts::*;
use crate::provider::Answer;
use crate::stage::Stage;

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
        let text = format!("Round {round} is done.");
        stage.provider.queue_for("Engineer", Answer::say(&text));
        app::say_to(&stage.page, "engineer", "Go on.").await?;
        stage.page.see_words(answers_of("engineer"), &text).await?;
        app::idle(&stage.page).await?;
        stage.page.switch_to(&second).await?;
        ensure!(!stage.page.visible_text().await?.contains(&text), "the tab is not deaf");
        stage.page.eval(back, &[]).await?;
        stage.page.see_words(answers_of("engineer"), &text).await?;
    }
    ensure!(stage.provider.requests().len() == 2, "a restored page sent a request");
    // In the working tab: no duplicate notice, and it continues to work.
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
    ensure!(stage.provider.requests().len() == 3, "a timer fired twice");
    Ok(())
}

/// Persistent storage is requested when the first turn is stored, not before; little space is reported once.
pub(crate) async fn little_room(stage: &mut Stage) -> Result<()> {
    stage.page.before_scripts(PRIVATE).await?;
    stage.page.before_scripts(QUICK).await?;
    stage.page.drive_clock().await?;
    let home = stage.site.url("/");
    stage.page.goto(&home).await?;
    stage.page.see(FIRST_START).await?;
    ensure!(storage_requests(&stage.page).await? == 0, "storage was requested before the first turn");
    app::rehearse(&stage.page, app::PREPARED).await?;
    app::ended(&stage.page, "architect", "completed", None).await?;
    stage.page.wait_for("the storage request", "window.__asked === 1", &[]).await?;
    app::idle(&stage.page).await?;
    // Writes that would lose work are durable; transient ones are not.
    let recorded = stage.page.eval("return window.__kept", &[]).await?;
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
    ensure!(stage.page.count(NOTICE).await? == 0, "it is shown before a minute");
    stage.page.eval("sessionStorage.setItem('hurry', '1')", &[]).await?;
    stage.page.reload().await?;
    stage.page.see_words(NOTICE, "gives this page only 90.0 MB").await?;
    stage.page.see_words(NOTICE, "Private windows").await?;
    stage.page.reload().await?;
    stage.page.see(WAR_ROOM).await?;
    stage.page.skip(std::time::Duration::from_secs(65)).await?;
    ensure!(stage.page.count(NOTICE).await? == 0, "it is shown again");

    // The settings show the status, and request again on demand.
    stage.page.click(OPEN_SETTINGS).await?;
    stage.page.see_words(DATA_PERSISTED, "The browser may delete the data").await?;
    stage.page.see_words(DATA_USED, "90.0 MB").await?;
    let before = storage_requests(&stage.page).await?;
    stage.page.click(DATA_PERSIST).await?;
    stage.page.see_words(Selector::css("[data-testid=data-storage-card]"), "The browser refused.").await?;
    ensure!(storage_requests(&stage.page).await? == before + 1, "no storage request");
    stage.page.see_words(DATA_PERSISTED, "The browser may delete the data").await?;
    stage.page.eval("window.__agrees = true", &[]).await?;
    stage.page.click(DATA_PERSIST).await?;
    stage.page.see_words(DATA_PERSISTED, "keeps the data even when the disk is full").await?;
    stage.page.hidden(DATA_PERSIST).await?;
    let text = stage.page.text(Selector::css("[data-testid=data-storage-card]")).await?;
    ensure!(!text.contains("browser refused"), "it still shows the denial: {text}");
    ensure!(storage_requests(&stage.page).await? == before + 2, "too many storage requests");
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
pub(crate) async fn stands_long(stage: &mut Stage) -> Result<()> {
    /// Tool runs in one answer, answers with them, files created and deleted, deltas of the last answer.
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
    ensure!(sent > RAW_ANSWER_BYTES, "{sent} bytes are below the limit");
    stage.provider.queue_for("Engineer", Answer::new().bytes(bytes));
    app::say_to(&stage.page, "engineer", "Look everywhere.").await?;
    let answer_text = answers_of("engineer").inner(MESSAGE_TEXT);
    stage.page.see_words(answer_text.clone(), &format!(" {}", PIECES - 1)).await?;
    app::idle(&stage.page).await?;
    let page = &stage.page;

    // The feed shows the newest of its events.
    let events = app::events(page).await?;
    let events = events.iter().filter(|event| event["kind"] == "ToolEnded").count();
    ensure!(events == FILES + ANSWERS * CALLS, "{events} tool runs ended");
    page.click(ACTIVITY_OPEN).await?;
    page.see_count(ACTIVITY_LINK, FEED).await?;
    page.see_words(ACTIVITY_LINK, "finished").await?;
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
