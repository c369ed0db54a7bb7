//! Flows for the order of loading: what is fetched when, and that nothing moves while the screen comes.

use std::time::Duration;

use anyhow::{Result, ensure};
use serde_json::Value;

use crate::app;
use crate::page::Page;
use crate::parts::*;
use crate::stage::Stage;

/// Longer than the first screen ever waits until what nothing asks for yet is fetched.
const LONG: Duration = Duration::from_secs(30);
/// The most that may move from the static page to the first start, in the measure of layout shifts: a tenth of what counts
/// as good.
const MOST_SHIFT: f64 = 0.01;

/// Adds up what moves without the operator's doing.
const SHIFTS: &str = "(() => {
    window.__shifts = [];
    new PerformanceObserver(list => {
        for (const each of list.getEntries()) {
            const moved = each.sources.map(({ node }) => node?.id || node?.className || node?.nodeName);
            if (!each.hadRecentInput) window.__shifts.push({ value: each.value, moved });
        }
    }).observe({ type: 'layout-shift', buffered: true });
})()";

/// A connection of this kind, as the browser tells of it.
fn connection(kind: &str) -> String {
    format!(
        "Object.defineProperty(navigator, 'connection', {{ value: {{ effectiveType: '{kind}', saveData: false }} }})"
    )
}

async fn fetched(page: &Page) -> Result<Vec<String>> {
    let names = "return performance.getEntriesByType('resource').map(each => each.name.split('/').at(-1))";
    Ok(serde_json::from_value(page.eval(names, &[]).await?)?)
}

fn holds(fetched: &[String], part: &str) -> bool {
    fetched.iter().any(|name| name.starts_with(&format!("nexus-{part}-")))
}

/// A newcomer on a good line gets the war room while the first start is filled in, and nothing of the screens behind it;
/// one on a slow line gets what the first start needs, and the rest when it is asked for.
pub(crate) async fn slow_line(stage: &mut Stage) -> Result<()> {
    let home = stage.site.url("/");
    stage.page.goto(&home).await?;
    stage.page.see(FIRST_START).await?;
    let ahead = "performance.getEntriesByType('resource').some(each => each.name.includes('/nexus-room-'))";
    stage.page.wait_for("the war room to be fetched ahead", ahead, &[]).await?;
    let names = fetched(&stage.page).await?;
    ensure!(!holds(&names, "board") && !holds(&names, "settings"), "fetched unasked: {names:?}");
    ensure!(names.len() <= 20, "{} requests: {names:?}", names.len());

    stage.another_device().await?;
    stage.page.drive_clock().await?;
    stage.page.in_every_document(&connection("3g")).await?;
    let home = stage.site.url("/");
    stage.page.goto(&home).await?;
    stage.page.see(FIRST_START).await?;
    stage.page.skip(LONG).await?;
    let names = fetched(&stage.page).await?;
    ensure!(holds(&names, "work") && holds(&names, "start"), "the first start works: {names:?}");
    for part in ["room", "board", "settings"] {
        ensure!(!holds(&names, part), "{part} was fetched unasked: {names:?}");
    }
    app::rehearse(&stage.page, app::PREPARED).await?;
    app::ended(&stage.page, "architect", "completed", None).await?;
    let names = fetched(&stage.page).await?;
    ensure!(holds(&names, "room") && holds(&names, "codecs"), "not fetched when asked for: {names:?}");
    Ok(())
}

/// Nothing moves from the static page to the first start.
pub(crate) async fn no_shift(stage: &mut Stage) -> Result<()> {
    let home = stage.site.url("/");
    stage.page.in_every_document(SHIFTS).await?;
    stage.page.goto(&home).await?;
    stage.page.see(FIRST_START).await?;
    still(&stage.page, "the first start", MOST_SHIFT).await
}

async fn still(page: &Page, screen: &str, most: f64) -> Result<()> {
    // Observers hear of a frame when it is over.
    let two_frames = "await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
        await new Promise(done => setTimeout(done));
        return window.__shifts;";
    let shifts = page.eval_async(two_frames, &[]).await?;
    let each = shifts.as_array().map(Vec::as_slice).unwrap_or_default();
    let sum: f64 = each.iter().filter_map(|shift| shift.get("value").and_then(Value::as_f64)).sum();
    ensure!(sum < most, "{screen} moved by {sum}: {shifts}");
    Ok(())
}
