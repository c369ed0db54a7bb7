//! Work of the page's main thread until a mark, from the browser's trace; it explains a figure.

use std::env;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use serde::Deserialize;
use serde_json::Value;

use super::{Bench, MEASURE, Scenario, Side};
use crate::fixture::Fixture;

/// Trace categories: tasks of threads, compilation, and the page's marks.
const CATEGORIES: &str =
    "devtools.timeline,v8,v8.wasm,blink.user_timing,toplevel,disabled-by-default-v8.compile";

/// Marks and their names.
const MARKS: [(Scenario, &[(&str, &str)]); 3] = [
    (
        Scenario::Return,
        &[
            ("measure-usable", "returning: composer usable"),
            ("measure-last", "returning: last message shown"),
        ],
    ),
    (Scenario::Visit, &[("measure-usable", "first start usable")]),
    (Scenario::SlowVisit, &[("measure-usable", "first start usable on slow 4G")]),
];

/// Kinds of work, with the browser's event names.
const KINDS: [(&str, &[&str]); 5] = [
    ("compiles the program", &["wasm.", "FlushInstructionCache"]),
    ("collects garbage", &["V8.GC", "MajorGC", "MinorGC"]),
    ("reads scripts", &["V8.", "v8.compile", "v8.parse"]),
    (
        "runs",
        &[
            "FunctionCall",
            "EvaluateScript",
            "TimerFire",
            "FireAnimationFrame",
            "EventDispatch",
            "v8.",
            "RunMicrotasks",
        ],
    ),
    (
        "style, layout and paint",
        &["UpdateLayoutTree", "Layout", "PrePaint", "Paint", "Layerize", "Commit", "ParseAuthorStyleSheet"],
    ),
];

/// A trace event of a thread; times in microseconds.
#[derive(Deserialize)]
struct Step {
    name: String,
    pid: u64,
    tid: u64,
    #[serde(default)]
    ph: String,
    #[serde(default)]
    ts: u64,
    #[serde(default)]
    dur: u64,
    /// In the thread's own time, which excludes other programs.
    #[serde(default)]
    tdur: u64,
}

/// Milliseconds of each of [`KINDS`], and of everything else.
type Shares = [f64; KINDS.len() + 1];

/// Traces a return and a visit on each side, and writes where the time went.
pub(crate) async fn profile(fixture: &mut Fixture) -> Result<()> {
    let mut bench = Bench::prepare(fixture).await?;
    let folder = env::var_os("NEXUS_BENCH_OUT").map_or_else(env::temp_dir, PathBuf::from);
    fs::create_dir_all(&folder)?;
    let file = folder.join("trace.json");
    let mut table = String::from("| main thread, ms of its own time | | ");
    for (kind, _) in KINDS {
        write!(table, "{kind} | ")?;
    }
    writeln!(table, "else | all | functions compiled |\n|{}", " - |".repeat(KINDS.len() + 5))?;
    for (scenario, marks) in MARKS {
        for side in [Side::Floor, Side::Nexus] {
            drop(fs::remove_file(&file));
            if scenario.is_first_visit() {
                bench.reset().await?;
            }
            bench.fixture.trace_browser(CATEGORIES, &file).await?;
            bench.fixture.page.in_every_document(MEASURE).await?;
            bench.take(scenario, side).await.with_context(|| format!("tracing {}", scenario.name()))?;
            // The browser writes the file when it ends.
            bench.fixture.end_trace().await?;
            let steps = read(&file)?;
            for (mark, name) in marks {
                let (shares, compiled) =
                    shares(&steps, mark).with_context(|| format!("no {mark}: {name}"))?;
                write!(table, "| {name} | {} | ", if side == Side::Floor { "floor" } else { "Nexus" })?;
                for share in shares {
                    write!(table, "{share:.0} | ")?;
                }
                writeln!(table, "{:.0} | {compiled} |", shares.iter().sum::<f64>())?;
            }
        }
    }
    println!("{table}");
    fs::write(folder.join("profile.md"), table)?;
    Ok(())
}

/// The events of a complete trace.
fn read(file: &Path) -> Result<Vec<Step>> {
    let mut trace: Value = serde_json::from_str(&fs::read_to_string(file)?)?;
    let events = trace.get_mut("traceEvents").map(Value::take).context("no events")?;
    let events: Vec<Value> = serde_json::from_value(events)?;
    Ok(events.into_iter().filter_map(|event| serde_json::from_value(event).ok()).collect())
}

/// The work of the thread of the last mark with this name, from the page request on, and the number of compiled
/// functions.
fn shares(steps: &[Step], mark: &str) -> Option<(Shares, usize)> {
    let end = steps.iter().filter(|step| step.name == mark).max_by_key(|step| step.ts)?;
    let of_page = |step: &&Step| step.pid == end.pid && step.ts <= end.ts;
    let starts = steps.iter().filter(of_page).filter(|step| step.name == "navigationStart");
    let begin = starts.map(|step| step.ts).max()?;
    let mut own: Vec<&Step> = steps
        .iter()
        .filter(of_page)
        .filter(|step| step.tid == end.tid && step.ph == "X" && step.ts >= begin)
        .collect();
    // Enclosing events come first.
    own.sort_by_key(|step| (step.ts, u64::MAX - step.dur));
    let mut times: Vec<u64> = own.iter().map(|step| step.tdur).collect();
    // Enclosing events of the current one, with their ends.
    let mut holders: Vec<(usize, u64)> = Vec::new();
    for (place, step) in own.iter().enumerate() {
        holders.retain(|(_, ended)| *ended > step.ts);
        if let Some(rest) = holders.last().and_then(|(holder, _)| times.get_mut(*holder)) {
            *rest = rest.saturating_sub(step.tdur);
        }
        holders.push((place, step.ts + step.dur));
    }
    let mut shares = Shares::default();
    for (step, time) in own.iter().zip(&times) {
        let is_kind = |(_, names): &(&str, &[&str])| names.iter().any(|name| step.name.starts_with(name));
        let kind = KINDS.iter().position(is_kind).unwrap_or(KINDS.len());
        if let Some(share) = shares.get_mut(kind) {
            *share += *time as f64 / 1000.0;
        }
    }
    Some((shares, own.iter().filter(|step| step.name == "wasm.CompileLazy").count()))
}
