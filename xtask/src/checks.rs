//! Runs all checks, fastest feedback first. The closing lines say how long each took and what could not be checked; the
//! last one is the count that CI reads.
//!
//! The page is built beside the lints and the native tests: what takes longest in it has use for one processor only.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::env;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::error::{Context, Error, Result};
use crate::page;
use crate::run::{cargo, run, shown};
use crate::size::size;
use crate::tools::browser::{self, Browser};
use crate::tools::peers;
use crate::tools::{Tools, wasm_target};
use crate::workspace::Workspace;

type Check<'a> = (&'static str, Box<dyn Fn() -> Result<()> + 'a>);

/// What is tested on this machine, natively and in a browser. Both times the same, so that the crates are compiled once.
const NATIVE: [&str; 7] =
    ["--workspace", "--exclude", "nexus", "--exclude", "xtask", "--features", "nexus-tests/e2e"];

/// How much is checked.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Extent {
    /// The first failure ends it.
    pub fail_fast: bool,
    /// Formatting, lints and native tests alone: no page, no browser.
    pub quick: bool,
}

/// Runs the checks; false if one failed.
pub(crate) fn test(workspace: &Workspace, extent: &Extent) -> bool {
    let cargo = |arguments: &'static str| move || run(&mut cargo_in(workspace, arguments));
    let dist = workspace.dist();
    let beside = RefCell::new(None);
    let mut checks: Vec<Check<'_>> = vec![
        ("formatting", Box::new(cargo("fmt --all --check"))),
        // A fresh machine has a compiler, and not yet this: the lints below fail without it.
        ("the WebAssembly target", Box::new(|| wasm_target(workspace))),
    ];
    if !extent.quick {
        let prepare = || {
            Tools::ensure(workspace)?;
            // Whoever ends at the first failure does not want to wait for a build then.
            if !extent.fail_fast {
                beside.replace(Some(BesideBuild::begin(workspace)?));
            }
            Ok(())
        };
        checks.push(("the tools of a build", Box::new(prepare)));
    }
    let native: [Check<'_>; 5] = [
        (
            "lints, natively",
            Box::new(cargo(
                "clippy --locked --workspace --exclude nexus --all-targets --features nexus-tests/e2e \
                 -- -D warnings",
            )),
        ),
        (
            "lints, as the page is built",
            Box::new(cargo("clippy --locked --target wasm32-unknown-unknown -- -D warnings")),
        ),
        (
            "lints of the browser tests",
            Box::new(cargo(
                "clippy --locked --target wasm32-unknown-unknown --no-default-features --lib --test web --test crash -- -D warnings",
            )),
        ),
        (
            "native tests",
            Box::new(|| {
                let mut tests = cargo_in(workspace, "test --locked --quiet --no-fail-fast");
                // All but the flows, which are named by `e2e` alone.
                run(tests.args(NATIVE).args(["--lib", "--examples", "--test", "[!e]*"]))
            }),
        ),
        ("tests of the task runner", Box::new(cargo("test --locked --package xtask --quiet"))),
    ];
    checks.extend(native);
    if !extent.quick {
        let page = || match beside.take() {
            Some(build) => build.end(),
            None => page::build(workspace).map(drop),
        };
        let of_browser: [Check<'_>; 4] = [
            // First, so that nothing is built while a browser is tested.
            ("the page", Box::new(page)),
            ("tests of the browser room", Box::new(|| run(&mut browser_tests(workspace)?))),
            ("size of the first load", Box::new(|| size(workspace, &dist))),
            ("browser flows", Box::new(|| run(&mut flows(workspace, &dist)?))),
        ];
        checks.extend(of_browser);
    }
    // Nothing of an earlier run is reported; where it cannot be removed, it was not there. In a fresh clone the folder
    // is not there either.
    drop(fs::create_dir_all(workspace.own_folder()));
    drop(fs::remove_file(not_checked(workspace)));
    let mut outcomes = run_all(checks, extent.fail_fast);
    let absent = fs::read_to_string(not_checked(workspace)).unwrap_or_default();
    if env::var("CI").as_deref() == Ok("true") {
        outcomes.extend(lack(&absent));
    }
    println!("\n{}", summary(&outcomes, &absent));
    outcomes.iter().all(|outcome| outcome.passed)
}

/// The failure that it is in CI to lack what the setup installs; what nobody can install is no failure.
fn lack(absent: &str) -> Option<Outcome> {
    let is_lack = absent.lines().any(|line| line.starts_with("not installed: "));
    is_lack.then_some(Outcome { name: "what the setup installs", passed: false, time: Duration::ZERO })
}

/// A build of the page that goes on beside other checks. What it says is shown when it has ended.
struct BesideBuild {
    process: Child,
    log: PathBuf,
}

impl BesideBuild {
    fn begin(workspace: &Workspace) -> Result<Self> {
        let log = workspace.own_folder().join("page.log");
        fs::create_dir_all(workspace.own_folder()).context("making the folder of the task runner")?;
        let told = File::create(&log).context("making the log of the build")?;
        let also = told.try_clone().context("sharing the log of the build")?;
        let program = env::current_exe().context("finding the task runner itself")?;
        let process = Command::new(program)
            .arg("build")
            .stdin(Stdio::null())
            .stdout(told)
            .stderr(also)
            .spawn()
            .context("beginning to build the page")?;
        Ok(Self { process, log })
    }

    /// Waits until it has ended.
    fn end(mut self) -> Result<()> {
        let status = self.process.wait().context("waiting for the page")?;
        print!("{}", fs::read_to_string(&self.log).unwrap_or_default());
        if status.success() { Ok(()) } else { Err(Error::new(format!("the page was not built ({status})"))) }
    }
}

/// Where tests write what they could not check.
fn not_checked(workspace: &Workspace) -> PathBuf {
    workspace.own_folder().join("not-checked.txt")
}

/// Plays the flows whose names hold one of these words, `jobs` at a time; all without words.
pub(crate) fn play(workspace: &Workspace, words: &[String], jobs: Option<&str>) -> Result<()> {
    let dist = page::build(workspace)?;
    let mut command = flows(workspace, &dist)?;
    command.arg("--").args(jobs.map(|jobs| ["--jobs", jobs]).into_iter().flatten()).args(words);
    run(&mut command)
}

/// Takes the screenshots into a folder: those to be looked at, or those of the documentation.
pub(crate) fn screenshots(workspace: &Workspace, folder: &Path, docs: bool) -> Result<()> {
    let dist = page::build(workspace)?;
    fs::create_dir_all(folder).context("making the folder of the screenshots")?;
    let folder = folder.canonicalize().context("finding the folder of the screenshots")?;
    let mut command = flows(workspace, &dist)?;
    command
        .args(["--", if docs { "docs-pictures" } else { "screenshots" }])
        .env("NEXUS_SCREENSHOTS", &folder);
    run(&mut command)?;
    crate::run::say(format_args!("the screenshots are in {}", folder.display()));
    Ok(())
}

/// Plays flows of this name that are on demand only, one at a time, with these variables set.
pub(crate) fn on_demand(workspace: &Workspace, name: &str, set: &[(&str, &str)]) -> Result<()> {
    let dist = page::build(workspace)?;
    let set = set.iter().copied();
    run(flows(workspace, &dist)?.args(["--", "--jobs", "1", name]).envs(set))
}

/// The tests of the adapters, as wasm in a real browser.
fn browser_tests(workspace: &Workspace) -> Result<Command> {
    let browser = Browser::ensure()?;
    let tools = Tools::ensure(workspace)?;
    let mut command = cargo_in(
        workspace,
        "test --locked --target wasm32-unknown-unknown --no-default-features --test web --test crash",
    );
    command
        .env("PATH", tools.path())
        .env("CHROMEDRIVER", &browser.driver)
        // Twenty seconds, unless told: a busy machine needs longer to load a program with its debug information.
        .env("WASM_BINDGEN_TEST_TIMEOUT", "180")
        .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER", "wasm-bindgen-test-runner");
    Ok(command)
}

/// The browser flows, told where everything is.
pub(crate) fn flows(workspace: &Workspace, dist: &Path) -> Result<Command> {
    let browser = Browser::ensure()?;
    let mut command = cargo_in(workspace, "test --locked");
    command.args(NATIVE).args(["--test", "e2e"]);
    command.env("NEXUS_DIST", dist).envs(browser::environment(&browser)?);
    peers::tmux();
    let peers = [("NEXUS_PYTHON", peers::python(workspace)), ("NEXUS_AXE", peers::axe(workspace))];
    command.envs(peers.into_iter().filter_map(|(name, path)| Some((name, path?))));
    Ok(command)
}

fn cargo_in(workspace: &Workspace, arguments: &str) -> Command {
    let mut command = Command::new(cargo());
    command.current_dir(&workspace.root).args(arguments.split_whitespace());
    command.env("NEXUS_NOT_CHECKED", not_checked(workspace));
    // A check writes nothing into the sources.
    command.env("INSTA_UPDATE", "no");
    command
}

/// How one check went.
#[derive(Debug)]
struct Outcome {
    name: &'static str,
    passed: bool,
    time: Duration,
}

fn run_all(checks: Vec<Check<'_>>, fail_fast: bool) -> Vec<Outcome> {
    let mut outcomes = Vec::new();
    for (name, check) in checks {
        println!("\n=== {name} ===");
        let began = Instant::now();
        let result = check();
        let time = began.elapsed();
        let passed = result.is_ok();
        match result {
            Ok(()) => println!("--- {name}: passed in {}", shown(time)),
            Err(error) => println!("--- {name}: FAILED in {}: {error}", shown(time)),
        }
        outcomes.push(Outcome { name, passed, time });
        if fail_fast && !passed {
            break;
        }
    }
    outcomes
}

/// A line for each check and for each thing that was `absent`, and last, alone, the count.
fn summary(outcomes: &[Outcome], absent: &str) -> String {
    let mut text = String::new();
    for Outcome { name, passed, time } in outcomes {
        let word = if *passed { "passed" } else { "FAILED" };
        // Writing to a string cannot fail.
        writeln!(text, "{word}  {:>12}  {name}", shown(*time)).unwrap_or_default();
    }
    let mut told = BTreeSet::new();
    for line in absent.lines().filter(|line| told.insert(*line)) {
        writeln!(text, "NOT CHECKED  {line}").unwrap_or_default();
    }
    let passed = outcomes.iter().filter(|outcome| outcome.passed).count();
    write!(text, "{passed} passed, {} failed", outcomes.len() - passed).unwrap_or_default();
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;

    fn checks() -> Vec<Check<'static>> {
        vec![
            ("good", Box::new(|| Ok(()))),
            ("bad", Box::new(|| Err(Error::new("broken")))),
            ("good too", Box::new(|| Ok(()))),
        ]
    }

    #[test]
    fn a_failure_does_not_keep_the_others_from_running() {
        let outcomes = run_all(checks(), false);
        let summary = summary(&outcomes, "no git\nno git\n");
        assert_eq!(summary.lines().last(), Some("2 passed, 1 failed"));
        assert!(summary.contains("FAILED"));
        assert_eq!(summary.matches("NOT CHECKED  no git\n").count(), 1, "{summary}");
    }

    #[test]
    fn only_what_can_be_installed_must_be_there() {
        assert!(lack("no recordings are at hand\n").is_none());
        assert!(lack("no recordings are at hand\nnot installed: git\n").is_some_and(|lack| !lack.passed));
    }

    #[test]
    fn fail_fast_ends_at_the_first_failure() {
        let outcomes = run_all(checks(), true);
        assert_eq!(summary(&outcomes, "").lines().last(), Some("1 passed, 1 failed"));
    }
}
