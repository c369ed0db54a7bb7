//! Runner of the browser flows: what a person does in the page, and what the provider receives.
//!
//! `cargo test -p nexus-tests --features e2e --test e2e [-- [--jobs N] [--list] FILTER…]`. One driver and one static host
//! serve all flows; each of their parts has its own provider, and a browser that the part before left empty. `NEXUS_DIST`
//! names the built folder, `NEXUS_CHROME` and `NEXUS_CHROMEDRIVER` the browser and its driver. Artefacts of a failed part
//! are kept under `target/e2e-failures/`. A part that fails has failed: none is played again, unless its browser did not
//! start or died by itself, which says nothing about the page.

mod app;
mod browser;
#[path = "../corpus"]
mod corpus {
    pub(crate) mod at_hand;
    #[allow(
        clippy::indexing_slicing,
        clippy::string_slice,
        clippy::wildcard_enum_match_arm,
        reason = "it cuts where it has just looked"
    )]
    pub(crate) mod html;
    pub(crate) mod vectors;
}
mod flows;
mod http;
mod page;
mod parts;
mod past;
mod provider;
mod seed;
mod shelf;
mod site;
mod stage;
mod team;

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
use flows::{Flow, Part};
use site::Site;
use stage::{House, Stage};

/// How long a part may take before it counts as stuck. The slowest takes a minute on two busy cores.
const FLOW_LIMIT: Duration = Duration::from_secs(180);

/// How long one may take that is named as long; they are played on demand only.
const LONG_LIMIT: Duration = Duration::from_secs(60 * 60);

/// How long the work around a flow may take: starting a browser, saving evidence, ending it.
const SIDE_LIMIT: Duration = Duration::from_secs(30);

/// What the command line asks for.
struct Wish {
    /// Words of which the name of a flow, or of a part, must hold one; all flows without any.
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

/// Runs the flows that were asked for; true when all of them passed.
fn run() -> Result<bool> {
    let wish = Wish::read(env::args().skip(1))?;
    let mut flows: Vec<Flow> = flows::all().into_iter().map(|flow| flow.chosen(&wish.filters)).collect();
    flows.retain(|flow| !flow.parts.is_empty());
    if wish.is_list {
        for Flow { name, parts } in &flows {
            let parts: Vec<&str> = parts.iter().map(|part| part.name).collect();
            println!("{name:<24} {}", parts.join(", "));
        }
        return Ok(true);
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(play(flows, wish.jobs))
}

impl Wish {
    fn read(mut arguments: impl Iterator<Item = String>) -> Result<Self> {
        let mut wish = Self { filters: Vec::new(), jobs: 3, is_list: false };
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--list" => wish.is_list = true,
                "--jobs" => {
                    let number = arguments.next().context("--jobs wants a number")?;
                    wish.jobs = number.parse().context("--jobs wants a number")?;
                    ensure!(wish.jobs > 0, "--jobs wants at least 1");
                }
                word if word.starts_with("--") => return Err(anyhow!("unknown option {word}")),
                word => wish.filters.push(word.to_owned()),
            }
        }
        Ok(wish)
    }
}

/// Plays the flows, a few at a time, and says how each went.
async fn play(flows: Vec<Flow>, jobs: usize) -> Result<bool> {
    let dist = PathBuf::from(env::var_os("NEXUS_DIST").unwrap_or_else(|| "dist".into()));
    let is_built = dist.join("index.html").is_file();
    ensure!(
        is_built || flows.iter().all(|flow| flow.name.starts_with("harness")),
        "{} holds no built page; NEXUS_DIST names the folder that `trunk build` wrote",
        dist.display()
    );
    let house = House {
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
    let lane = async || {
        let mut browser = None;
        loop {
            let next = queue.borrow_mut().pop_front();
            let Some(flow) = next else { break };
            let mut told = Vec::new();
            for part in &flow.parts {
                let (start, before) = (Instant::now(), work_of(browser.as_ref()));
                let failure = failures.join(part.name.replace("::", "-"));
                let limit = if flow.name.starts_with("long-") { LONG_LIMIT } else { FLOW_LIMIT };
                let outcome = match play_part(part, limit, &house, &mut browser, &failure).await {
                    Err(Failed { why, by_browser: true }) => {
                        println!("BROWSER {:<32} restarted: {why:#}", part.name);
                        play_part(part, limit, &house, &mut None, &failure).await
                    }
                    outcome => outcome,
                };
                let after = work_of(browser.as_ref());
                // One that was started meanwhile began with nothing.
                let work = after.checked_sub(before).unwrap_or(after);
                told.push(Told { part: part.name, time: start.elapsed(), work, outcome });
            }
            tell(&flow, &told);
            let mut lost = told.iter().filter(|one| one.outcome.is_err()).map(|one| one.part).peekable();
            if lost.peek().is_some() {
                failed.borrow_mut().extend(lost);
                count.failed.set(count.failed.get() + 1);
            } else if told.iter().any(|one| matches!(one.outcome, Ok(Played::Absent))) {
                count.absent.set(count.absent.get() + 1);
            } else {
                count.passed.set(count.passed.get() + 1);
            }
        }
        if let Some(Browser { driver, .. }) = browser {
            // One that does not end by itself ends with the driver.
            drop(tokio::time::timeout(SIDE_LIMIT, driver.quit()).await);
        }
    };
    futures_util::future::join_all((0..jobs).map(|_| lane())).await;
    let failed = failed.into_inner();
    if !failed.is_empty() {
        println!("what the failed flows left is in {}", failures.display());
        println!("FAILED: {}", failed.join(", "));
    }
    let Count { passed, absent, failed: lost } = count;
    println!("{} passed, {} not played, {} failed", passed.get(), absent.get(), lost.get());
    Ok(failed.is_empty())
}

/// The processor time that a browser has used.
fn work_of(browser: Option<&Browser>) -> Duration {
    browser.and_then(|browser| browser.profile.processor_time()).unwrap_or_default()
}

/// How many flows went which way.
#[derive(Default)]
struct Count {
    passed: Cell<usize>,
    absent: Cell<usize>,
    failed: Cell<usize>,
}

/// What is told of a part.
struct Told {
    part: &'static str,
    time: Duration,
    /// Processor time of its browser.
    work: Duration,
    outcome: Result<Played, Failed>,
}

/// Says how a flow went, and for each of its parts how long it took and how much of that its browser worked.
fn tell(flow: &Flow, all: &[Told]) {
    let time = |time: Duration, work: Duration| {
        format!("{:5.1} s, {:5.1} s of work", time.as_secs_f32(), work.as_secs_f32())
    };
    let whole = time(all.iter().map(|one| one.time).sum(), all.iter().map(|one| one.work).sum());
    let word = if all.iter().any(|one| one.outcome.is_err()) {
        "FAILED"
    } else if all.iter().any(|one| matches!(one.outcome, Ok(Played::Absent))) {
        "ABSENT"
    } else {
        "ok"
    };
    println!("{word:<7} {:<32} {whole}", flow.name);
    for Told { part, time: own, work, outcome } in all {
        match outcome {
            Err(Failed { why, .. }) => println!("        {part}, {}: {why:#}", time(*own, *work)),
            Ok(Played::Absent) => println!("        {part} shows nothing"),
            Ok(Played::Passed) if all.len() > 1 => println!("        {part:<32} {}", time(*own, *work)),
            Ok(Played::Passed) => {}
        }
    }
}

/// How a part went that did not fail.
enum Played {
    Passed,
    /// What it needs is not installed.
    Absent,
}

/// Ends a flow that needs what is not installed.
#[derive(Debug)]
struct NotInstalled;

impl std::fmt::Display for NotInstalled {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("what the flow needs is not installed")
    }
}

impl std::error::Error for NotInstalled {}

/// Notes what a flow needs and lacks.
fn lacks(what: impl std::fmt::Display) -> anyhow::Error {
    nexus_text::testing::not_installed(what);
    NotInstalled.into()
}

/// Why a flow did not pass.
struct Failed {
    why: anyhow::Error,
    /// Whether the browser did not start, or ended without being told to. Then nothing was found out about the page.
    by_browser: bool,
}

/// Plays a part in `browser`, or in a new one, and leaves there what the next one can use.
async fn play_part(
    part: &Part,
    limit: Duration,
    house: &House,
    browser: &mut Option<Browser>,
    failure: &Path,
) -> Result<Played, Failed> {
    let set_up = tokio::time::timeout(SIDE_LIMIT, Stage::set_up(house, browser.take())).await;
    let mut stage = match set_up.context("the browser did not start in time").flatten() {
        Ok(stage) => stage,
        Err(why) => return Err(Failed { why, by_browser: true }),
    };
    let played = async {
        (part.play)(&mut stage).await?;
        stage.verify().await
    };
    let outcome = tokio::time::timeout(limit, played)
        .await
        .unwrap_or_else(|_| Err(anyhow!("not done after {} s", limit.as_secs())));
    let error = match outcome {
        Err(error) if !error.is::<NotInstalled>() => error,
        Ok(()) | Err(_) => {
            // A browser that cannot be cleared is not used again; it ends with the driver.
            *browser = tokio::time::timeout(SIDE_LIMIT, stage.release()).await.ok().and_then(Result::ok);
            return Ok(if outcome.is_ok() { Played::Passed } else { Played::Absent });
        }
    };
    let by_browser = stage.browser_is_gone();
    let saved = tokio::time::timeout(SIDE_LIMIT, stage.save_evidence(failure)).await;
    let why = match saved {
        Ok(Ok(())) => error,
        Ok(Err(why)) => error.context(format!("(its evidence was not saved: {why})")),
        Err(_) => error.context("(its evidence was not saved in time)"),
    };
    // Whatever does not end by itself ends with the driver.
    drop(tokio::time::timeout(SIDE_LIMIT, stage.tear_down()).await);
    Err(Failed { why, by_browser })
}

/// `e2e-failures` in the build's target folder.
fn failures_folder() -> PathBuf {
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR"));
    scratch.parent().unwrap_or(scratch).join("e2e-failures")
}
