//! Flow for the service worker: start without a network, what it caches and what not, a newer version, and opting
//! out.

use anyhow::{Result, ensure};
use serde_json::json;

use crate::app;
use crate::fixture::Fixture;
use crate::selectors::*;

/// Paths of all cached files, and names of the caches.
const CACHED: &str = "const all = [], names = await caches.keys();
    for (const name of names) for (const { url } of await (await caches.open(name)).keys()) all.push(new URL(url).pathname);
    return [names, all];";

/// The first visit caches everything; without a network the page starts, works and stores. A newer version is
/// announced and loaded on request. `?no-worker` removes the worker and its caches.
pub(crate) async fn offline_start(fixture: &mut Fixture) -> Result<()> {
    const LATER: &str = "Said without a network.";
    let site = fixture.site.with_worker()?;
    fixture.page.goto(&site.url("/")).await?;
    let page = &fixture.page;
    app::start_fast_demo(page, app::PREPARED).await?;
    app::ended(page, "critic", "completed", None).await?;
    app::idle(page).await?;
    page.eval_async("await navigator.serviceWorker.ready", &[]).await?;
    let cached = page.eval_async(CACHED, &[]).await?;
    let paths: Vec<String> = serde_json::from_value(cached.get(1).cloned().unwrap_or_default())?;
    ensure!(paths.iter().any(|path| path == "/settings/"), "the page of a screen is missing: {paths:?}");
    ensure!(paths.iter().any(|path| path.starts_with("/parts/")), "the editor is missing: {paths:?}");
    for other in ["/sw.js", "/parts.txt", "/preview.html", "/check.html"] {
        ensure!(!paths.iter().any(|path| path == other), "{other} is cached");
    }

    site.set_down(true);
    fixture.page.reload().await?;
    fixture.page.see_text(TIMELINE, app::PREPARED).await?;
    fixture.page.see(FILE_EDITOR).await?;
    app::send(&fixture.page, LATER).await?;
    fixture.page.see_text(TIMELINE, LATER).await?;
    app::idle(&fixture.page).await?;
    for path in ["/audit/", "/audit"] {
        fixture.page.goto(&site.url(path)).await?;
        fixture.page.see(AUDIT_ROW).await?;
    }
    fixture.page.goto(&site.url("/")).await?;
    fixture.page.see_text(TIMELINE, LATER).await?;
    // Requests outside the build go to the network, and fail there.
    let passed = "return fetch('/-/blank').then(() => 'answered', () => 'failed')";
    ensure!(fixture.page.eval_async(passed, &[]).await? == "failed");

    site.set_down(false);
    site.serve_newer_version();
    let page = &fixture.page;
    page.eval("window.isOld = true", &[]).await?;
    page.eval_async("await (await navigator.serviceWorker.getRegistration()).update()", &[]).await?;
    page.see(NEW_VERSION).await?;
    let names = page.eval_async(CACHED, &[]).await?.get(0).cloned().unwrap_or_default();
    ensure!(names.as_array().is_some_and(|names| names.len() == 2), "{names}");
    ensure!(page.eval("return window.isOld", &[]).await? == true, "the page reloaded without confirmation");
    page.click(NEW_VERSION_TAKE).await?;
    page.wait_for("the page to reload", "window.isOld === undefined", &[]).await?;
    page.see_text(TIMELINE, LATER).await?;
    let active = "return (await navigator.serviceWorker.ready).waiting === null";
    ensure!(page.eval_async(active, &[]).await? == true, "the newer version still waits");

    fixture.page.goto(&site.url("/?no-worker")).await?;
    let page = &fixture.page;
    page.see(WAR_ROOM).await?;
    let none =
        "return [(await navigator.serviceWorker.getRegistrations()).length, (await caches.keys()).length]";
    let mut tries = 0;
    while page.eval_async(none, &[]).await? != json!([0, 0]) {
        tries += 1;
        ensure!(tries < 200, "the worker or its cache still exists: {}", page.eval_async(none, &[]).await?);
    }
    Ok(())
}
