//! Runner of the browser flows: what a person does in the page, and what the provider receives.
//!
//! `cargo test -p nexus-tests --features e2e --test e2e [-- [--jobs N] [--list] FILTER…]`. One driver and one
//! static host serve all flows; each has its own browser and provider. `NEXUS_DIST` names the built folder,
//! `NEXUS_CHROME` and `NEXUS_CHROMEDRIVER` the browser and its driver. Artefacts of a failed flow are kept under
//! `target/e2e-failures/`. A few failed flows are run again, each alone, because a busy machine can break one; those
//! that pass then are named.

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

use browser::Chromedriver;
use flows::Flow;
use site::Site;
use stage::Stage;

/// How long one flow may take before it counts as stuck. The slowest takes a minute on two busy cores.
const FLOW_LIMIT: Duration = Duration::from_secs(180);

/// How long one may take that is named as long; they are played on demand only.
const LONG_LIMIT: Duration = Duration::from_secs(60 * 60);

/// How long the work around a flow may take: starting a browser, saving evidence, ending it.
const SIDE_LIMIT: Duration = Duration::from_secs(30);

/// How many failed flows are played once more, one at a time, when the others are done: what fails then too is broken, what
/// passes is listed as unsteady. When more than these fail, nothing but the page is at fault.
const SECOND_CHANCES: usize = 3;

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
    let site = Rc::new(Site::start(dist)?);
    let driver = Rc::new(Chromedriver::start()?);
    let failures = failures_folder();
    if failures.exists() {
        fs::remove_dir_all(&failures)?;
    }
    let queue = RefCell::new(VecDeque::from(flows));
    let (passed, failed) = (Cell::new(0), RefCell::new(Vec::new()));
    let lane = async || {
        loop {
            let next = queue.borrow_mut().pop_front();
            let Some(flow) = next else { break };
            let start = Instant::now();
            let outcome = play_one(&flow, &driver, &site, &failures.join(flow.name)).await;
            if told(&flow, start, &outcome) {
                passed.set(passed.get() + 1);
            } else {
                failed.borrow_mut().push(flow);
            }
        }
    };
    futures_util::future::join_all((0..jobs).map(|_| lane())).await;
    let failed = failed.into_inner();
    if !failed.is_empty() {
        println!("what the failed flows left is in {}", failures.display());
    }
    let mut passed = passed.get();
    let (mut failures_left, mut unsteady) = (failed.len(), Vec::new());
    if (1..=SECOND_CHANCES).contains(&failed.len()) {
        for flow in failed {
            let start = Instant::now();
            let again = play_one(&flow, &driver, &site, &failures.join(flow.name).join("again")).await;
            if told(&flow, start, &again) {
                failures_left -= 1;
                passed += 1;
                unsteady.push(flow.name);
            }
        }
    }
    if !unsteady.is_empty() {
        println!("UNSTEADY, passed only when played again alone: {}", unsteady.join(", "));
    }
    println!("{passed} passed, {failures_left} failed");
    Ok(failures_left == 0)
}

/// Says how a flow went; true when it passed.
fn told(flow: &Flow, start: Instant, outcome: &Result<()>) -> bool {
    let seconds = start.elapsed().as_secs_f32();
    match outcome {
        Ok(()) => println!("ok      {:<32} {seconds:5.1} s", flow.name),
        Err(error) => println!("FAILED  {:<32} {seconds:5.1} s\n        {error:#}", flow.name),
    }
    outcome.is_ok()
}

async fn play_one(flow: &Flow, driver: &Rc<Chromedriver>, site: &Rc<Site>, failure: &Path) -> Result<()> {
    let mut stage = tokio::time::timeout(SIDE_LIMIT, Stage::set_up(driver, site))
        .await
        .context("the browser did not start in time")??;
    let played = async {
        (flow.play)(&mut stage).await?;
        stage.verify().await
    };
    let limit = if flow.name.starts_with("long-") { LONG_LIMIT } else { FLOW_LIMIT };
    let outcome = tokio::time::timeout(limit, played)
        .await
        .unwrap_or_else(|_| Err(anyhow!("not done after {} s", limit.as_secs())));
    let outcome = match outcome {
        Ok(()) => Ok(()),
        Err(error) => {
            let saved = tokio::time::timeout(SIDE_LIMIT, stage.save_evidence(failure)).await;
            Err(match saved {
                Ok(Ok(())) => error,
                Ok(Err(why)) => error.context(format!("(its evidence was not saved: {why})")),
                Err(_) => error.context("(its evidence was not saved in time)"),
            })
        }
    };
    // A browser that does not end by itself ends with the driver.
    let ended = tokio::time::timeout(SIDE_LIMIT, stage.tear_down()).await;
    outcome.and(ended.unwrap_or(Ok(())))
}

/// `e2e-failures` in the build's target folder.
fn failures_folder() -> PathBuf {
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR"));
    scratch.parent().unwrap_or(scratch).join("e2e-failures")
}
