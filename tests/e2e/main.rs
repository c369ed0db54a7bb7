//! Runner of the browser flows: what a person does in the page, and what the provider receives.
//!
//! `cargo test -p nexus-tests --features e2e --test e2e [-- [--jobs N] [--list] FILTER…]`. All flows share one driver
//! and one static host; each part of a flow has its own provider, and a browser that was cleared after the previous
//! part. `NEXUS_DIST` names the built folder, `NEXUS_CHROME` and `NEXUS_CHROMEDRIVER` the browser and its driver.
//! Artefacts of a failed part are saved under `target/e2e-failures/`. A failed part is not retried, unless its
//! browser did not start or crashed, which says nothing about the page.

mod agent_setup;
mod app;
mod browser;
#[path = "../corpus"]
mod corpus {
    pub(crate) mod at_hand;
    pub(crate) mod html;
    pub(crate) mod vectors;
}
mod fixture;
mod flows;
mod http;
mod page;
mod provider;
mod seed;
mod seeded_answers;
mod seeded_history;
#[allow(dead_code, unused_imports, reason = "tests/web uses the others")]
mod selectors;
mod site;

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::rc::Rc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, ensure};

use browser::{Browser, Chromedriver};
use fixture::{Fixture, SharedResources};
use flows::{Flow, Part};
use site::Site;

/// Timeout of a part. The slowest takes a minute on two busy cores.
const PART_TIMEOUT: Duration = Duration::from_secs(180);

/// Timeout of a part of a `long-` flow, which runs on demand only.
const LONG_PART_TIMEOUT: Duration = Duration::from_secs(60 * 60);

/// Timeout of the work around a flow: starting a browser, saving evidence, ending the browser.
const SETUP_TIMEOUT: Duration = Duration::from_secs(30);

/// Command-line options.
struct Options {
    /// Filters for the names of flows and parts; all flows without any.
    filters: Vec<String>,
    jobs: usize,
    is_list: bool,
}

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("the browser flows could not run: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Runs the selected flows; true if all passed.
fn run() -> Result<bool> {
    let options = Options::read(env::args().skip(1))?;
    let mut flows: Vec<Flow> = flows::all().into_iter().map(|flow| flow.select(&options.filters)).collect();
    flows.retain(|flow| !flow.parts.is_empty());
    if options.is_list {
        for Flow { name, parts } in &flows {
            let parts: Vec<&str> = parts.iter().map(|part| part.name).collect();
            println!("{name:<24} {}", parts.join(", "));
        }
        return Ok(true);
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(run_flows(flows, options.jobs))
}

impl Options {
    fn read(mut arguments: impl Iterator<Item = String>) -> Result<Self> {
        let mut options = Self { filters: Vec::new(), jobs: 3, is_list: false };
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--list" => options.is_list = true,
                "--jobs" => {
                    let number = arguments.next().context("--jobs wants a number")?;
                    options.jobs = number.parse().context("--jobs wants a number")?;
                    ensure!(options.jobs > 0, "--jobs wants at least 1");
                }
                word if word.starts_with("--") => return Err(anyhow!("unknown option {word}")),
                word => options.filters.push(word.to_owned()),
            }
        }
        Ok(options)
    }
}

/// Runs the flows, `jobs` at a time, and prints the result of each.
async fn run_flows(flows: Vec<Flow>, jobs: usize) -> Result<bool> {
    let dist = PathBuf::from(env::var_os("NEXUS_DIST").unwrap_or_else(|| "dist".into()));
    let is_built = dist.join("index.html").is_file();
    ensure!(
        is_built || flows.iter().all(|flow| flow.name.starts_with("harness")),
        "{} contains no built page; NEXUS_DIST names the folder that `trunk build` wrote",
        dist.display()
    );
    let shared = SharedResources {
        site: Rc::new(Site::start(dist)?),
        driver: Rc::new(Chromedriver::start()?),
        seed: Rc::default(),
    };
    let failures = failures_folder();
    if failures.exists() {
        fs::remove_dir_all(&failures)?;
    }
    let queue = RefCell::new(VecDeque::from(flows));
    let (count, failed) = (Count::default(), RefCell::new(Vec::new()));
    let worker = async || {
        let mut browser = None;
        loop {
            let next = queue.borrow_mut().pop_front();
            let Some(flow) = next else { break };
            let mut results = Vec::new();
            for part in &flow.parts {
                let (start, before) = (Instant::now(), processor_time_of(browser.as_ref()));
                let failure = failures.join(part.name.replace("::", "-"));
                let limit = if flow.name.starts_with("long-") { LONG_PART_TIMEOUT } else { PART_TIMEOUT };
                let outcome = match run_part(part, limit, &shared, &mut browser, &failure).await {
                    Err(Failure { error, is_browser_failure: true }) => {
                        println!("BROWSER {:<32} restarted: {error:#}", part.name);
                        run_part(part, limit, &shared, &mut None, &failure).await
                    }
                    outcome => outcome,
                };
                let after = processor_time_of(browser.as_ref());
                // A browser that was started meanwhile counts from zero.
                let work = after.checked_sub(before).unwrap_or(after);
                results.push(PartResult { part: part.name, time: start.elapsed(), work, outcome });
            }
            print_result(&flow, &results);
            let mut failed_parts =
                results.iter().filter(|one| one.outcome.is_err()).map(|one| one.part).peekable();
            if failed_parts.peek().is_some() {
                failed.borrow_mut().extend(failed_parts);
                count.failed.set(count.failed.get() + 1);
            } else if results.iter().any(|one| matches!(one.outcome, Ok(Outcome::Absent))) {
                count.absent.set(count.absent.get() + 1);
            } else {
                count.passed.set(count.passed.get() + 1);
            }
        }
        if let Some(Browser { driver, .. }) = browser {
            // A browser that does not quit ends with the driver.
            drop(tokio::time::timeout(SETUP_TIMEOUT, driver.quit()).await);
        }
    };
    futures_util::future::join_all((0..jobs).map(|_| worker())).await;
    let failed = failed.into_inner();
    if !failed.is_empty() {
        println!("artefacts of the failed flows are in {}", failures.display());
        println!("FAILED: {}", failed.join(", "));
    }
    let Count { passed, absent, failed: failures } = count;
    println!("{} passed, {} not run, {} failed", passed.get(), absent.get(), failures.get());
    Ok(failed.is_empty())
}

/// Processor time that a browser has used.
fn processor_time_of(browser: Option<&Browser>) -> Duration {
    browser.and_then(|browser| browser.profile.processor_time()).unwrap_or_default()
}

/// Number of flows by result.
#[derive(Default)]
struct Count {
    passed: Cell<usize>,
    absent: Cell<usize>,
    failed: Cell<usize>,
}

/// Result of a part.
struct PartResult {
    part: &'static str,
    time: Duration,
    /// Processor time of its browser.
    work: Duration,
    outcome: Result<Outcome, Failure>,
}

/// Prints the result of a flow, and for each part its time and its browser's processor time.
fn print_result(flow: &Flow, all: &[PartResult]) {
    let time = |time: Duration, work: Duration| {
        format!("{:5.1} s, {:5.1} s of work", time.as_secs_f32(), work.as_secs_f32())
    };
    let whole = time(all.iter().map(|one| one.time).sum(), all.iter().map(|one| one.work).sum());
    let word = if all.iter().any(|one| one.outcome.is_err()) {
        "FAILED"
    } else if all.iter().any(|one| matches!(one.outcome, Ok(Outcome::Absent))) {
        "ABSENT"
    } else {
        "ok"
    };
    println!("{word:<7} {:<32} {whole}", flow.name);
    for PartResult { part, time: own, work, outcome } in all {
        match outcome {
            Err(Failure { error, .. }) => println!("        {part}, {}: {error:#}", time(*own, *work)),
            Ok(Outcome::Absent) => println!("        {part} did not run"),
            Ok(Outcome::Passed) if all.len() > 1 => println!("        {part:<32} {}", time(*own, *work)),
            Ok(Outcome::Passed) => {}
        }
    }
}

/// Result of a part that did not fail.
enum Outcome {
    Passed,
    /// Required software is not installed.
    Absent,
}

/// Error of a flow whose required software is not installed.
#[derive(Debug)]
struct NotInstalled;

impl std::fmt::Display for NotInstalled {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("required software is not installed")
    }
}

impl std::error::Error for NotInstalled {}

/// Reports that required software is missing.
fn missing_software(what: impl std::fmt::Display) -> anyhow::Error {
    nexus_text::testing::not_installed(what);
    NotInstalled.into()
}

/// Why a part failed.
struct Failure {
    error: anyhow::Error,
    /// True if the browser did not start or crashed, which says nothing about the page.
    is_browser_failure: bool,
}

/// Runs a part in `browser`, or in a new one, and leaves the browser there if it can be reused.
async fn run_part(
    part: &Part,
    limit: Duration,
    shared: &SharedResources,
    browser: &mut Option<Browser>,
    failure: &Path,
) -> Result<Outcome, Failure> {
    let set_up = tokio::time::timeout(SETUP_TIMEOUT, Fixture::set_up(shared, browser.take())).await;
    let mut fixture = match set_up.context("the browser did not start in time").flatten() {
        Ok(fixture) => fixture,
        Err(error) => return Err(Failure { error, is_browser_failure: true }),
    };
    let checked_run = async {
        (part.run)(&mut fixture).await?;
        fixture.verify().await
    };
    let outcome = tokio::time::timeout(limit, checked_run)
        .await
        .unwrap_or_else(|_| Err(anyhow!("not done after {} s", limit.as_secs())));
    let error = match outcome {
        Err(error) if !error.is::<NotInstalled>() => error,
        Ok(()) | Err(_) => {
            // A browser that cannot be cleared is not reused; it ends with the driver.
            *browser = tokio::time::timeout(SETUP_TIMEOUT, fixture.release()).await.ok().and_then(Result::ok);
            return Ok(if outcome.is_ok() { Outcome::Passed } else { Outcome::Absent });
        }
    };
    let is_browser_failure = fixture.browser_has_exited();
    let saved = tokio::time::timeout(SETUP_TIMEOUT, fixture.save_evidence(failure)).await;
    let error = match saved {
        Ok(Ok(())) => error,
        Ok(Err(save_error)) => error.context(format!("(its evidence was not saved: {save_error})")),
        Err(_) => error.context("(its evidence was not saved in time)"),
    };
    // A browser that does not close ends with the driver.
    drop(tokio::time::timeout(SETUP_TIMEOUT, fixture.tear_down()).await);
    Err(Failure { error, is_browser_failure })
}

/// `e2e-failures` in the build's target folder.
fn failures_folder() -> PathBuf {
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR"));
    scratch.parent().unwrap_or(scratch).join("e2e-failures")
}
