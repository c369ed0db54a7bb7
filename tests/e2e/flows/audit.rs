//! Flows for the audit of twenty thousand events, and for a database with the first layout. Filters, export and the
//! inspector are tested in `tests/web/audit.rs`.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::json;

use crate::app;
use crate::fixture::Fixture;
use crate::page::Page;
use crate::selectors::*;

/// Number of listed events, as shown.
async fn listed(page: &Page) -> Result<usize> {
    let text = page.text(AUDIT_COUNT).await?;
    let number: String =
        text.split(' ').next().unwrap_or_default().chars().filter(char::is_ascii_digit).collect();
    number.parse().with_context(|| format!("no count in {text:?}"))
}

/// Twenty thousand events are read, scrolled and filtered without blocking, and few rows are rendered. The index of a
/// hundred thousand is tested natively, in `view::audit`.
pub(crate) async fn large(fixture: &mut Fixture) -> Result<()> {
    const MANY: usize = 20_000;
    app::set_up(fixture).await?;
    let made = r#"
        const database = await new Promise((resolve, reject) => {
            const request = indexedDB.open("nexus");
            request.onsuccess = () => resolve(request.result);
            request.onerror = () => reject(request.error);
        });
        const all = await new Promise(resolve => {
            database.transaction("events").objectStore("events").getAll().onsuccess = e => resolve(e.target.result);
        });
        const last = all.filter(each => each.stream !== "app").at(-1);
        const [many] = arguments;
        for (let from = 0; from < many; from += 10000) {
            const transaction = database.transaction("events", "readwrite", { durability: "relaxed" });
            const events = transaction.objectStore("events");
            for (let i = from; i < from + 10000 && i < many; i += 1) {
                const seq = last.seq + 1 + i;
                const text = `Made event number ${i}` + (i % 1000 === 7 ? " with a needle" : "");
                const kind = i % 4 === 0 ? "CriticalError" : "Notice";
                events.add({ v: 1, stream: last.stream, seq, at: last.at + 1 + i, kind, data: { text },
                    topic: "ui.events" }, [last.stream, seq]);
            }
            await new Promise((resolve, reject) => {
                transaction.oncomplete = resolve;
                transaction.onabort = () => reject(transaction.error);
            });
        }
        database.close();
        return last.seq;"#;
    fixture.page.eval_async(made, &[json!(MANY)]).await?;
    let home = fixture.site.url("/audit/");
    let start = Instant::now();
    fixture.page.goto(&home).await?;
    let page = &fixture.page;
    page.see(AUDIT_ROW).await?;
    let first = start.elapsed();
    let watched = "window.longest = 0;
        new PerformanceObserver(list => {
            for (const each of list.getEntries()) window.longest = Math.max(window.longest, each.duration);
        }).observe({ entryTypes: ['longtask'] });";
    page.eval(watched, &[]).await?;
    // The list can be scrolled while it is read.
    let scroll = r#"
        const list = document.querySelector('[data-testid=audit-list]');
        const times = [];
        for (let i = 0; i < 40; i += 1) {
            list.scrollTop = list.scrollHeight * (i % 20) / 20;
            const start = performance.now();
            await new Promise(requestAnimationFrame);
            times.push(performance.now() - start);
        }
        times.sort((a, b) => a - b);
        return times[Math.floor(times.length * 0.95)];"#;
    let frame_reading = page.eval_async(scroll, &[]).await?;
    let until = Instant::now() + Duration::from_secs(60);
    while page.attributes(AUDIT_COUNT, "data-done").await? != ["true"] {
        ensure!(Instant::now() < until, "it still reads: {:?}", page.text(AUDIT_COUNT).await?);
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let read = start.elapsed();
    ensure!(listed(page).await? >= MANY);
    let frame = page.eval_async(scroll, &[]).await?;
    let longest = page.eval("return window.longest", &[]).await?;
    let rows = page.count(AUDIT_ROW).await?;
    ensure!(rows < 80, "{rows} rows are drawn");

    // The middle shows the events of the middle with their texts.
    page.eval("const list = document.querySelector('[data-testid=audit-list]'); list.scrollTop = list.scrollHeight / 2", &[])
        .await?;
    page.wait_for(
        "the words of the middle",
        "[...document.querySelectorAll('[data-testid=audit-row]')].some(row => /Made event number (9|10)\\d{3}/.test(row.textContent))",
        &[],
    )
    .await?;

    let start = Instant::now();
    page.choose(AUDIT_KIND, "CriticalError").await?;
    page.wait_for(
        "the filter",
        "document.querySelector('[data-testid=audit-count]').textContent.startsWith('5,000 of ')",
        &[],
    )
    .await?;
    let filtered = start.elapsed();
    page.click(AUDIT_CLEAR).await?;
    let start = Instant::now();
    page.fill(AUDIT_TEXT, "With A Needle").await?;
    let until = Instant::now() + Duration::from_secs(60);
    while !page.text(AUDIT_COUNT).await?.starts_with("20 of ") {
        ensure!(Instant::now() < until, "it still searches: {:?}", page.text(AUDIT_COUNT).await?);
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    println!(
        "      first rows {first:?}, all read {read:?}, filtered {filtered:?}, searched {:?}, 95th frame {frame_reading} ms \
         while reading and {frame} ms after, longest task {longest} ms",
        start.elapsed()
    );
    Ok(())
}

/// A database with the first layout gets the new store, and keeps its data.
pub(crate) async fn older_layout(fixture: &mut Fixture) -> Result<()> {
    let nowhere = fixture.site.url("/no-such-page");
    fixture.page.goto(&nowhere).await?;
    let made = r#"
        const database = await new Promise((resolve, reject) => {
            const request = indexedDB.open("nexus", 1);
            request.onupgradeneeded = () => {
                const events = request.result.createObjectStore("events");
                events.createIndex("topic", "topic");
                events.createIndex("run", "run");
                for (const name of ["sessions", "turns", "threads", "compactions", "tool_runs", "runs", "minds", "blobs",
                    "memories", "agents", "providers", "settings", "queue", "drafts", "partials", "secrets"]) {
                    request.result.createObjectStore(name);
                }
                request.result.createObjectStore("messages").createIndex("place", ["session", "sequence"]);
            };
            request.onsuccess = () => resolve(request.result);
            request.onerror = () => reject(request.error);
        });
        const transaction = database.transaction(["settings"], "readwrite");
        transaction.objectStore("settings").put("kept", "of-the-first-layout");
        await new Promise(resolve => { transaction.oncomplete = resolve; });
        database.close();"#;
    fixture.page.eval_async(made, &[]).await?;
    app::set_up_by_first_start(fixture).await?;
    ensure!(fixture.page.rows("raw").await?.len() == 3);
    ensure!(fixture.page.rows("settings").await?.contains(&json!("kept")));
    Ok(())
}
