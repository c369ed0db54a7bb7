//! Runner of the browser flows: what a person does in the page, and what the provider receives.
//!
//! `cargo test -p nexus-tests --features e2e --test e2e [-- [--jobs N] [--list] FILTER…]`. One driver and one
//! static host serve all flows; each has its own provider, and a browser that the flow before left empty. `NEXUS_DIST` names the built folder,
//! `NEXUS_CHROME` and `NEXUS_CHROMEDRIVER` the browser and its driver. Artefacts of a failed flow are kept under
//! `target/e2e-failures/`. A flow that fails has failed: none is played again, unless its browser did not start or died by
//! itself, which says nothing about the page.

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
use flows::Flow;
use site::Site;
use stage::{House, Stage};

/// How long one flow may take before it counts as stuck. The slowest takes a minute on two busy cores.
const FLOW_LIMIT: Duration = Duration::from_secs(180);

/// How long one may take that is named as long; they are played on demand only.
const LONG_LIMIT: Duration = Duration::from_secs(60 * 60);

/// How long the work around a flow may take: starting a browser, saving evidence, ending it.
const SIDE_LIMIT: Duration = Duration::from_secs(30);

/// What the command line asks for.
struct Wish {
    /// Words of which a flow's name must hold one; all flows without any.
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
    let mut flows = flows::all();
    flows.retain(|flow| wish.filters.is_empty() || wish.filters.iter().any(|word| flow.name.contains(word)));
    if wish.is_list {
        for flow in &flows {
            println!("{}", flow.name);
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
    let (passed, absent, failed) = (Cell::new(0), Cell::new(0), RefCell::new(Vec::new()));
    let lane = async || {
        let mut browser = None;
        loop {
            let next = queue.borrow_mut().pop_front();
            let Some(flow) = next else { break };
            let start = Instant::now();
            let failure = failures.join(flow.name);
            let outcome = match play_one(&flow, &house, &mut browser, &failure).await {
                Err(Failed { why, by_browser: true }) => {
                    println!("BROWSER {:<32} restarted: {why:#}", flow.name);
                    play_one(&flow, &house, &mut None, &failure).await
                }
                outcome => outcome,
            };
            told(&flow, start, &outcome);
            match outcome {
                Ok(Played::Passed) => passed.set(passed.get() + 1),
                Ok(Played::Absent) => absent.set(absent.get() + 1),
                Err(_) => failed.borrow_mut().push(flow.name),
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
    println!("{} passed, {} not played, {} failed", passed.get(), absent.get(), failed.len());
    Ok(failed.is_empty())
}

/// Says how a flow went.
fn told(flow: &Flow, start: Instant, outcome: &Result<Played, Failed>) {
    let seconds = start.elapsed().as_secs_f32();
    match outcome {
        Ok(Played::Passed) => println!("ok      {:<32} {seconds:5.1} s", flow.name),
        Ok(Played::Absent) => println!("ABSENT  {:<32} shows nothing", flow.name),
        Err(Failed { why, .. }) => println!("FAILED  {:<32} {seconds:5.1} s\n        {why:#}", flow.name),
    }
}

/// How a flow went that did not fail.
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

/// Plays a flow in `browser`, or in a new one, and leaves there what the next flow can use.
async fn play_one(
    flow: &Flow,
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
        (flow.play)(&mut stage).await?;
        stage.verify().await
    };
    let limit = if flow.name.starts_with("long-") { LONG_LIMIT } else { FLOW_LIMIT };
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
