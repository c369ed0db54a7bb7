//! Flow for long work: agents answer in one session after another, and the page's memory stays bounded.
//!
//! A few sessions are a test; `cargo xtask soak --minutes N` runs longer and prints its samples.

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};

use crate::app;
use crate::fixture::Fixture;
use crate::provider::Answer;
use crate::selectors::*;

/// Messages in each session.
const MESSAGES: usize = 2;
/// Sessions before the reference sample: until then chunks are loaded and caches fill.
const WARM: usize = 2;
/// Number of samples at each end, of which the minimum counts: a restore point being created uses memory for a
/// moment.
const COMPARED: usize = 3;
/// Minimum number of samples that show a trend, including warm-up.
const FEWEST: usize = WARM + 4;
/// Maximum growth factor.
const GROWTH: f64 = 1.3;

/// Exposes the program's memory to the harness.
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

/// Works in the page, in one script: each call of the driver leaves some hundred bytes in the page's heap, and a reference
/// to an element would keep it and its surroundings alive.
const SESSION: &str = "
    const [parts, ends] = arguments;
    const see = part => {
        const found = document.querySelector(parts[part]);
        return found?.checkVisibility() ? found : null;
    };
    const until = async (what, is) => {
        for (const end = performance.now() + 40_000; !is();) {
            if (performance.now() > end) throw new Error(`no ${what}`);
            await new Promise(done => setTimeout(done, 10));
        }
    };
    const press = async part => {
        await until(part, () => see(part) && !see(part).disabled);
        see(part).click();
    };
    const session = () => see('switcher')?.dataset.session;
    const create = async () => {
        const before = session();
        await press('switcher');
        await press('create');
        await until('new session', () => session() !== before && !see('list') && !see('message'));
    };
    const change = (part, value, ...kinds) => {
        see(part).value = value;
        for (const kind of kinds) see(part).dispatchEvent(new InputEvent(kind, { bubbles: true }));
    };
    await create();
    change('target', 'engineer', 'input', 'change');
    await until('recipient', () => see('target').value === 'engineer');
    for (const end of ends) {
        change('composer', 'Go on.', 'input');
        await press('send');
        const answers = () => [...document.querySelectorAll(parts.answer)];
        await until('answer', () => answers().some(answer => answer.textContent.includes(end)));
        await until('end of the run', () => !see('stop') && !see('running'));
    }
    await create();";

/// A sample of the page's memory, after a garbage collection.
#[derive(Clone, Copy, Debug)]
struct Sample {
    heap_mb: f64,
    nodes: f64,
    listeners: f64,
    pages: f64,
}

/// Sessions with answers and files come and go, and the page's memory does not grow with them.
pub(crate) async fn soak(fixture: &mut Fixture) -> Result<()> {
    let minutes = std::env::var("NEXUS_SOAK").ok().and_then(|minutes| minutes.parse().ok()).unwrap_or(0);
    fixture.page.in_every_document(WATCH).await?;
    app::set_up(fixture).await?;
    fixture.page.protocol("Performance.enable", json!({})).await?;
    let start = Instant::now();
    let mut samples: Vec<Sample> = Vec::new();
    while start.elapsed() < Duration::from_secs(minutes * 60) || samples.len() < FEWEST {
        one_session(fixture, samples.len()).await?;
        let now = look(fixture).await?;
        println!(
            "      {:>5} s: heap {:>6.1} MB, {:>6} nodes, {:>5} listeners, {:>4} wasm pages",
            start.elapsed().as_secs(),
            now.heap_mb,
            now.nodes,
            now.listeners,
            now.pages
        );
        samples.push(now);
    }
    no_growth(&samples)
}

/// Fails if memory grew: compares the minimum of the last samples with that of the first ones after warm-up.
fn no_growth(samples: &[Sample]) -> Result<()> {
    let warm = samples.get(WARM..).context("there are no samples")?;
    let count = (warm.len() / 2).min(COMPARED);
    ensure!(count > 0, "{} samples show no trend", samples.len());
    type Kind = (&'static str, fn(&Sample) -> f64);
    let kinds: [Kind; 3] = [
        ("nodes", |sample| sample.nodes),
        ("listeners", |sample| sample.listeners),
        ("the heap", |sample| sample.heap_mb),
    ];
    for (what, of) in kinds {
        let first = warm.iter().take(count).map(of).fold(f64::INFINITY, f64::min);
        let last = warm.iter().rev().take(count).map(of).fold(f64::INFINITY, f64::min);
        ensure!(
            last <= first * GROWTH,
            "{what} grew from {first:.0} to {last:.0} over {} sessions",
            samples.len()
        );
    }
    Ok(())
}

/// A temporary peak, at either end or between, is no growth; growth with each session and a permanent step are.
pub(crate) async fn judgement(_: &mut Fixture) -> Result<()> {
    let series = |listeners: &[f64]| {
        let sample =
            |listeners: &f64| Sample { heap_mb: 20.0, nodes: 2_000.0, listeners: *listeners, pages: 400.0 };
        no_growth(&listeners.iter().map(sample).collect::<Vec<_>>()).is_ok()
    };
    for bounded in [
        &[9.0, 90.0, 100.0, 100.0, 100.0, 100.0, 101.0, 217.0][..],
        &[9.0, 90.0, 100.0, 100.0, 100.0, 217.0],
        &[9.0, 90.0, 217.0, 100.0, 100.0, 100.0],
        &[9.0, 90.0, 100.0, 100.0, 100.0, 217.0, 217.0, 100.0],
    ] {
        ensure!(series(bounded), "{bounded:?} counts as growth");
    }
    for growing in [
        &[9.0, 90.0, 100.0, 120.0, 140.0, 160.0][..],
        &[9.0, 90.0, 100.0, 115.0, 130.0, 145.0, 160.0, 175.0],
        &[9.0, 90.0, 100.0, 100.0, 100.0, 140.0, 140.0, 140.0],
        &[9.0, 90.0, 100.0, 120.0, 100.0, 140.0, 217.0, 140.0],
    ] {
        ensure!(!series(growing), "{growing:?} does not count as growth");
    }
    ensure!(!series(&[9.0, 90.0, 100.0]), "too few samples count as a trend");
    Ok(())
}

/// A session in which an agent answers at length and writes files; then an empty one, in which samples are taken.
async fn one_session(fixture: &mut Fixture, number: usize) -> Result<()> {
    let mut ends = Vec::new();
    for message in 0..MESSAGES {
        let text =
            format!("Part {number}.{message} reads **each line** once, and keeps `state`.\n\n").repeat(40);
        let last = format!("Part {number}.{message} is done.");
        fixture.provider.queue_for("Engineer", app::writing(&format!("part{message}.txt"), &text));
        fixture.provider.queue_for("Engineer", Answer::new().text(&text).text(&last));
        ends.push(last);
    }
    let parts = json!({
        "switcher": Selector::from(SESSION_SWITCHER).as_str(),
        "list": Selector::from(SESSION_LIST).as_str(),
        "create": Selector::from(SESSION_NEW).as_str(),
        "message": Selector::from(MESSAGE).as_str(),
        "answer": answers_of("engineer").as_str(),
        "target": Selector::from(TARGET_SELECT).as_str(),
        "composer": Selector::from(COMPOSER).as_str(),
        "send": Selector::from(SEND).as_str(),
        "stop": Selector::from(STOP).as_str(),
        "running": RUN_STATE.with("data-state", "running").as_str(),
    });
    fixture.page.eval_async(SESSION, &[parts, json!(ends)]).await?;
    fixture.provider.reset();
    Ok(())
}

async fn look(fixture: &Fixture) -> Result<Sample> {
    // A first collection may leave objects until their finalizers have run.
    for _ in 0..2 {
        fixture.page.protocol("HeapProfiler.collectGarbage", json!({})).await?;
        let frame = "await new Promise(done => requestAnimationFrame(() => setTimeout(done)))";
        fixture.page.eval_async(frame, &[]).await?;
    }
    let found = fixture.page.protocol("Performance.getMetrics", json!({})).await?;
    let all = found.get("metrics").and_then(Value::as_array).context("no metrics")?;
    let metric = |name: &str| {
        let one = all.iter().find(|each| each.get("name").and_then(Value::as_str) == Some(name));
        one.and_then(|each| each.get("value")?.as_f64()).with_context(|| format!("no {name}"))
    };
    let pages = fixture.page.eval("return (window.__memory?.buffer.byteLength ?? 0) / 65536", &[]).await?;
    Ok(Sample {
        heap_mb: metric("JSHeapUsedSize")? / 1e6,
        nodes: metric("Nodes")?,
        listeners: metric("JSEventListeners")?,
        pages: pages.as_f64().unwrap_or_default(),
    })
}
