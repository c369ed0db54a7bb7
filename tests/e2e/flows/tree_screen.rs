//! Flows for the tree screen: a fork merged back, and 10,000 turns. `tests/web/tree_screen.rs` tests how it is walked,
//! and the comparison of two turns.

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use serde_json::json;
use thirtyfour::Key;

use crate::app;
use crate::fixture::Fixture;
use crate::page::Page;
use crate::provider::Answer;
use crate::selectors::*;

async fn open_tree(page: &Page) -> Result<()> {
    page.click(OPEN_TREE).await?;
    all_read(page).await
}

async fn all_read(page: &Page) -> Result<()> {
    page.see(TREE.with("data-done", "true")).await
}

/// Waits until the canvas is drawn: not all pixels are equal.
async fn is_drawn(page: &Page) -> Result<()> {
    let drawn = "(() => {
        const canvas = document.querySelector('[data-testid=tree-plane] canvas');
        if (!canvas?.width) return false;
        const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
        return new Set(new Uint32Array(data.buffer)).size > 8;
    })()";
    page.wait_for("the tree to be drawn", drawn, &[]).await
}

/// A fork is merged back.
pub(crate) async fn screen(fixture: &mut Fixture) -> Result<()> {
    app::set_up(fixture).await?;
    merge(fixture).await
}

/// The Engineer writes the file in the current session.
async fn write(fixture: &Fixture, text: &str) -> Result<()> {
    fixture.provider.queue_for("Engineer", app::writing("beacon.txt", text));
    fixture.provider.queue_for("Engineer", Answer::say(&format!("It holds {} lines.", text.lines().count())));
    // A session that was just opened is loaded first.
    fixture.page.see(answers_of("engineer")).await?;
    let before = fixture.page.count(answers_of("engineer")).await?;
    app::send_to(&fixture.page, "engineer", "Write it.").await?;
    fixture.page.see_count(answers_of("engineer"), before + 2).await?;
    app::idle(&fixture.page).await
}

/// A fork from the tree diverges, is named, and merged back: the conflict is resolved, and the next agent gets the
/// result.
async fn merge(fixture: &mut Fixture) -> Result<()> {
    write(fixture, "one\ntwo\nthree\n").await?;
    open_tree(&fixture.page).await?;
    let page = &fixture.page;
    page.click(TREE_FORK).await?;
    page.see_text(TREE_SUMMARY, "2 sessions").await?;
    page.see_text(TREE_FLAG, "in view").await?;
    page.click_last(TREE_FLAG_NAME).await?;
    page.fill(TREE_FLAG_FIELD, "other idea").await?;
    page.press(Key::Enter).await?;
    page.see_text(TREE_FLAG, "other idea").await?;
    // Archived and undone.
    page.click(TREE_FLAG_ARCHIVE).await?;
    page.see_text(TREE_FLAG, "archived").await?;
    page.click(TREE_FLAG_ARCHIVE).await?;
    let back =
        "![...document.querySelectorAll(arguments[0])].some(each => each.textContent.includes('archived'))";
    page.wait_for("the session to be restored", back, &[json!(Selector::from(TREE_FLAG).as_str())]).await?;
    page.eval("history.back()", &[]).await?;
    page.see(WAR_ROOM).await?;
    page.see_text(SESSION_SWITCHER, "other idea").await?;
    write(fixture, "one\nTHEIRS\nthree\nmore\n").await?;

    // Back to the first session, by its flag in the tree.
    open_tree(&fixture.page).await?;
    let page = &fixture.page;
    page.click(TREE_FLAG.with("aria-pressed", "false")).await?;
    page.click(TREE_OPEN).await?;
    page.see(WAR_ROOM).await?;
    page.see_text(SESSION_SWITCHER, "main").await?;
    write(fixture, "one\nOURS\nthree\n").await?;

    open_tree(&fixture.page).await?;
    let page = &fixture.page;
    page.click(TREE_FLAG.with("aria-pressed", "false")).await?;
    page.click(TREE_MERGE).await?;
    page.see_text(MERGE_SUMMARY, "1 conflict to decide").await?;
    page.see_text(MERGE_FIELD, "beacon.txt").await?;
    ensure!(page.count(MERGE_GO.with("disabled", "")).await? == 1, "it can be merged with an open conflict");
    page.click(MERGE_BOTH).await?;
    page.see_text(MERGE_SUMMARY, "all conflicts decided").await?;
    page.click(MERGE_GO).await?;
    page.hidden(MERGE).await?;
    page.see_text(TREE_SPOKEN, "merge").await?;
    page.see_text(TREE_SPOKEN, "head of main").await?;
    // A merged branch is not offered again.
    page.click(TREE_FLAG.with("aria-pressed", "false")).await?;
    page.see(TREE_OPEN).await?;
    page.hidden(TREE_MERGE).await?;
    page.eval("history.back()", &[]).await?;
    page.see(WAR_ROOM).await?;
    fixture.provider.reset();
    fixture.provider.queue_for("Critic", Answer::say("I see both."));
    app::send_to(&fixture.page, "critic", "What is there now?").await?;
    fixture.page.see_text(answers_of("critic"), "I see both.").await?;
    let requests = fixture.provider.requests_of("Critic");
    let text = requests.last().map(|request| request.all_text()).unwrap_or_default();
    ensure!(text.contains("one\nOURS\nTHEIRS\nthree\nmore"), "{text}");
    ensure!(text.contains("“other idea” was merged"), "{text}");
    Ok(())
}

/// Frame times in milliseconds at the 95th percentile: panning the whole tree, zooming in and out, and panning close
/// up. The tree must be loaded.
async fn frames(page: &Page) -> Result<[f64; 3]> {
    const MOVES: &str = r#"
        const [factor] = arguments;
        const plane = document.querySelector("[data-testid=tree-plane]");
        const { left, top, width, height } = plane.getBoundingClientRect();
        const times = [];
        let before = await new Promise(requestAnimationFrame);
        before = performance.now();
        for (let i = 0; i < 120; i += 1) {
            plane.dispatchEvent(new WheelEvent("wheel", { bubbles: true, cancelable: true, ctrlKey: factor !== 0,
                deltaY: factor === 0 ? (i < 60 ? 40 : -40) : (i < 60 ? -factor : factor), deltaX: factor === 0 ? 25 : 0,
                clientX: left + width / 2, clientY: top + height / 2 }));
            await new Promise(requestAnimationFrame);
            const now = performance.now();
            times.push(now - before);
            before = now;
        }
        times.sort((a, b) => a - b);
        return times[Math.floor(times.length * 0.95)];"#;
    let taken = async |factor: u32| -> Result<f64> {
        page.eval_async(MOVES, &[json!(factor)]).await?.as_f64().context("no time of a frame")
    };
    page.click(TREE_WHOLE).await?;
    is_drawn(page).await?;
    let (whole, zooming) = (taken(0).await?, taken(20).await?);
    page.click(TREE_TO_HEAD).await?;
    Ok([whole, zooming, taken(0).await?])
}

/// Seeds ten thousand turns, a tenth of them forks, loads them in the tree, and moves it. Returns the times of
/// [`frames`].
pub(crate) async fn move_many(fixture: &mut Fixture) -> Result<[f64; 3]> {
    const MANY: usize = 10_000;
    let made = r#"
        const [many] = arguments;
        const database = await new Promise((resolve, reject) => {
            const request = indexedDB.open("nexus");
            request.onsuccess = () => resolve(request.result);
            request.onerror = () => reject(request.error);
        });
        const store = () => database.transaction("turns").objectStore("turns");
        const all = await new Promise(resolve => { store().getAll().onsuccess = e => resolve(e.target.result); });
        const first = all[0];
        const id = number => "01" + String(number).padStart(24, "0");
        let seed = 7;
        const random = below => { seed = (seed * 1103515245 + 12345) % 2147483648; return seed % below; };
        const transaction = database.transaction("turns", "readwrite", { durability: "relaxed" });
        for (let i = 1; i <= many; i += 1) {
            const isStraight = i > 5000 && i <= 5060;
            const fork = 1 + random(i);
            const target = fork >= 5000 && fork < 5060 ? 4999 : Math.min(fork, Math.max(i - 1, 1));
            const parent = i === 1 ? undefined : id(random(10) === 0 && !isStraight ? target : i - 1);
            const agent = ["architect", "engineer", "critic"][i % 3];
            transaction.objectStore("turns").put({ ...first, id: id(i), parent, agent }, id(i));
        }
        await new Promise((resolve, reject) => {
            transaction.oncomplete = resolve;
            transaction.onabort = () => reject(transaction.error);
        });
        database.close();"#;
    fixture.page.eval_async(made, &[json!(MANY)]).await?;
    let address = fixture.site.url("/tree/");
    let start = Instant::now();
    fixture.page.goto(&address).await?;
    let page = &fixture.page;
    page.see(TREE_PLANE).await?;
    is_drawn(page).await?;
    let first = start.elapsed();
    let until = Instant::now() + Duration::from_secs(60);
    while page.count(TREE.with("data-done", "true")).await? == 0 {
        ensure!(Instant::now() < until, "it still reads: {:?}", page.text(TREE_SUMMARY).await?);
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let read = start.elapsed();
    let frames = frames(page).await?;
    println!(
        "      first drawn {first:?}, all read {read:?}; 95th frames {frames:.0?} ms whole, zooming, near"
    );
    Ok(frames)
}

/// Ten thousand turns are read and laid out; the tree is panned, zoomed and navigated as usual.
pub(crate) async fn large(fixture: &mut Fixture) -> Result<()> {
    app::set_up(fixture).await?;
    // Ten times the benchmark's limit: a busy machine is slow, a full layout for each frame is slower.
    let frame = move_many(fixture).await?.into_iter().fold(0.0, f64::max);
    ensure!(frame <= 500.0, "a frame takes {frame:.0} ms");
    fixture.page.see_text(TREE_SUMMARY, "10,003 turns").await?;
    let address = fixture.site.url("/tree/");
    // It is navigated as usual, and a folded run is shown turn by turn.
    let oldest = format!("{address}?turn=01{:024}", 5_001);
    fixture.page.goto(&oldest).await?;
    all_read(&fixture.page).await?;
    let page = &fixture.page;
    page.eval("document.querySelector('[data-testid=tree-plane]').focus()", &[]).await?;
    let mut steps = 0;
    while page.count(TREE_UNFOLD).await? == 0 {
        ensure!(steps < 5, "no run in {steps} steps");
        steps += 1;
        page.press(Key::Down).await?;
        page.see(TREE_MARK).await?;
        // The actions appear once the turn was read.
        let until = Instant::now() + Duration::from_secs(2);
        while page.count(TREE_UNFOLD).await? == 0 && Instant::now() < until {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
    page.see_text(TREE_SPOKEN, "one by one").await?;
    page.click(TREE_UNFOLD).await?;
    page.hidden(TREE_UNFOLD).await?;
    page.eval("document.querySelector('[data-testid=tree-plane]').focus()", &[]).await?;
    page.press(" ").await?;
    page.see(TREE_UNFOLD).await
}
