//! Flow for long work: agents answer in one session after the other, and what the page holds stays bounded.
//!
//! A few sessions of it are a test; `cargo xtask soak --minutes N` goes on for longer and prints what it saw.

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};

use crate::app;
use crate::page::Page;
use crate::parts::*;
use crate::provider::Answer;
use crate::stage::Stage;

/// Messages that are sent in each session before it is left.
const MESSAGES: usize = 2;
/// Sessions that pass before what the page holds is its measure: until then parts are loaded and caches fill.
const WARM: usize = 2;
/// Samples at each end of which the least counts. A restore point that is just being made holds some for a moment.
const COMPARED: usize = 3;
/// The fewest samples that show a trend, with those of warming up.
const FEWEST: usize = WARM + 4;
/// How many times the measure the page may hold.
const GROWTH: f64 = 1.3;

/// Lets the harness see the program's memory.
const WATCH: &str = "(() => {
    for (const name of ['instantiate', 'instantiateStreaming']) {
        const real = WebAssembly[name];
        WebAssembly[name] = async (...all) => {
            const made = await real.apply(WebAssembly, all);
            const memory = (made.instance ?? made).exports.memory;
            if (memory) window.__memory = memory;
            return made;
        };
    }
})();";

/// What the page holds at a moment, after the collector of garbage ran.
#[derive(Clone, Copy, Debug)]
struct Held {
    heap_mb: f64,
    nodes: f64,
    listeners: f64,
    pages: f64,
}

/// Sessions come and go, each with answers and files, and what the page holds does not grow with them.
pub(crate) async fn soak(stage: &mut Stage) -> Result<()> {
    let minutes = std::env::var("NEXUS_SOAK").ok().and_then(|minutes| minutes.parse().ok()).unwrap_or(0);
    stage.page.in_every_document(WATCH).await?;
    app::set_up(stage).await?;
    stage.page.protocol("Performance.enable", json!({})).await?;
    let begun = Instant::now();
    let mut held: Vec<Held> = Vec::new();
    while begun.elapsed() < Duration::from_secs(minutes * 60) || held.len() < FEWEST {
        one_session(stage, held.len()).await?;
        // An empty session is what is compared: of the one that was left nothing is shown.
        new_session(&stage.page).await?;
        let now = look(stage).await?;
        println!(
            "      {:>5} s: heap {:>6.1} MB, {:>6} nodes, {:>5} listeners, {:>4} wasm pages",
            begun.elapsed().as_secs(),
            now.heap_mb,
            now.nodes,
            now.listeners,
            now.pages
        );
        held.push(now);
    }
    no_growth(&held)
}

/// Fails if what the page held grew: the least of the last samples is held against the least of the first after warming up.
fn no_growth(held: &[Held]) -> Result<()> {
    let warm = held.get(WARM..).context("nothing was held")?;
    let count = (warm.len() / 2).min(COMPARED);
    ensure!(count > 0, "{} samples show no trend", held.len());
    type Kind = (&'static str, fn(&Held) -> f64);
    let kinds: [Kind; 3] = [
        ("nodes", |held| held.nodes),
        ("listeners", |held| held.listeners),
        ("the heap", |held| held.heap_mb),
    ];
    for (what, of) in kinds {
        let first = warm.iter().take(count).map(of).fold(f64::INFINITY, f64::min);
        let last = warm.iter().rev().take(count).map(of).fold(f64::INFINITY, f64::min);
        ensure!(
            last <= first * GROWTH,
            "{what} grew from {first:.0} to {last:.0} over {} sessions",
            held.len()
        );
    }
    Ok(())
}

/// A moment that holds more, at either end or between, is no growth; what grows with each session is, and so is a step that
/// stays.
pub(crate) async fn judgement(_: &mut Stage) -> Result<()> {
    let series = |listeners: &[f64]| {
        let held =
            |listeners: &f64| Held { heap_mb: 20.0, nodes: 2_000.0, listeners: *listeners, pages: 400.0 };
        no_growth(&listeners.iter().map(held).collect::<Vec<_>>()).is_ok()
    };
    for bounded in [
        &[9.0, 90.0, 100.0, 100.0, 100.0, 100.0, 101.0, 217.0][..],
        &[9.0, 90.0, 100.0, 100.0, 100.0, 217.0],
        &[9.0, 90.0, 217.0, 100.0, 100.0, 100.0],
        &[9.0, 90.0, 100.0, 100.0, 100.0, 217.0, 217.0, 100.0],
    ] {
        ensure!(series(bounded), "{bounded:?} is taken for growth");
    }
    for growing in [
        &[9.0, 90.0, 100.0, 120.0, 140.0, 160.0][..],
        &[9.0, 90.0, 100.0, 115.0, 130.0, 145.0, 160.0, 175.0],
        &[9.0, 90.0, 100.0, 100.0, 100.0, 140.0, 140.0, 140.0],
        &[9.0, 90.0, 100.0, 120.0, 100.0, 140.0, 217.0, 140.0],
    ] {
        ensure!(!series(growing), "{growing:?} is not taken for growth");
    }
    ensure!(!series(&[9.0, 90.0, 100.0]), "too few samples are taken for a trend");
    Ok(())
}

/// A session in which an agent answers at length and writes files.
async fn one_session(stage: &mut Stage, number: usize) -> Result<()> {
    new_session(&stage.page).await?;
    stage.page.choose(TARGET_SELECT, "engineer").await?;
    for message in 0..MESSAGES {
        let text =
            format!("Part {number}.{message} reads **each line** once, and keeps `state`.\n\n").repeat(40);
        let last = format!("Part {number}.{message} is done.");
        stage.provider.queue_for("Engineer", app::writing(&format!("part{message}.txt"), &text));
        stage.provider.queue_for("Engineer", Answer::new().text(&text).text(&last));
        stage.page.set_text(COMPOSER, "Go on.").await?;
        press(&stage.page, SEND).await?;
        stage.page.see_words(answers_of("engineer"), &last).await?;
        app::idle(&stage.page).await?;
    }
    stage.provider.begin_anew();
    Ok(())
}

/// Clicks without a reference of the driver to what is clicked: the driver keeps such elements alive, and with them what
/// stands around them.
async fn press(page: &Page, part: Part) -> Result<()> {
    page.see(part).await?;
    let click = "document.querySelector(arguments[0]).click()";
    page.eval(click, &[json!(Spot::from(part).as_str())]).await.map(drop)
}

async fn new_session(page: &Page) -> Result<()> {
    let before = app::session(page).await?;
    for part in [SESSION_SWITCHER, SESSION_NEW] {
        press(page, part).await?;
    }
    page.gone(SESSION_LIST).await?;
    // The one before may be empty, too.
    let is_another = "document.querySelector(arguments[0])?.dataset.session !== arguments[1]";
    let switcher = json!(Spot::from(SESSION_SWITCHER).as_str());
    page.wait_for("the new session", is_another, &[switcher, json!(before)]).await?;
    page.see_count(MESSAGE, 0).await
}

async fn look(stage: &Stage) -> Result<Held> {
    // What the first collection finds may hold more until its finalizers have run.
    for _ in 0..2 {
        stage.page.protocol("HeapProfiler.collectGarbage", json!({})).await?;
        let frame = "await new Promise(done => requestAnimationFrame(() => setTimeout(done)))";
        stage.page.eval_async(frame, &[]).await?;
    }
    let found = stage.page.protocol("Performance.getMetrics", json!({})).await?;
    let all = found.get("metrics").and_then(Value::as_array).context("no metrics")?;
    let metric = |name: &str| {
        let one = all.iter().find(|each| each.get("name").and_then(Value::as_str) == Some(name));
        one.and_then(|each| each.get("value")?.as_f64()).with_context(|| format!("no {name}"))
    };
    let pages = stage.page.eval("return (window.__memory?.buffer.byteLength ?? 0) / 65536", &[]).await?;
    Ok(Held {
        heap_mb: metric("JSHeapUsedSize")? / 1e6,
        nodes: metric("Nodes")?,
        listeners: metric("JSEventListeners")?,
        pages: pages.as_f64().unwrap_or_default(),
    })
}
