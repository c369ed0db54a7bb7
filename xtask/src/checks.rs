//! Runs all checks, the fastest first. The summary has the time of each and what could not be checked; its last line
//! is the count that CI reads.
//!
//! The page is built and measured in parallel to the lints and native tests, because the slowest part of its build uses
//! one processor.
//!
//! In CI nothing is compiled yet. There Clippy compiles the tests, so that each crate is processed once. By hand it
//! only checks, because a plain `cargo test` cannot use what it compiled.

use std::cell::{Cell, RefCell};
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

/// Arguments of the native tests and of the flows. They are the same, so that the crates are compiled once.
const NATIVE: &str = "--workspace --exclude nexus --exclude xtask --features nexus-tests/e2e";

/// Arguments of the tests in a browser. They are linked as one program: the page's own build splits it.
const BROWSER: &str = "--target wasm32-unknown-unknown --no-default-features --test web --test crash";

/// The largest of them. Its modules are the files of `tests/web`.
const WEB: &str = "--target wasm32-unknown-unknown --no-default-features --test web";

/// What to check.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Extent {
    /// Stops at the first failure.
    pub fail_fast: bool,
    /// Only formatting, lints and native tests: no page, no browser.
    pub quick: bool,
}

/// Runs the checks; false if one failed.
pub(crate) fn test(workspace: &Workspace, extent: &Extent) -> bool {
    let cargo = |arguments: &'static str| move || run(&mut cargo_in(workspace, arguments));
    let dist = workspace.dist();
    let build = RefCell::new(None);
    let lints = Lints { compile: is_ci(), ..Lints::default() };
    let mut checks: Vec<Check<'_>> = vec![
        ("formatting", Box::new(cargo("fmt --all --check"))),
        // A new machine may lack it, and the lints below need it.
        ("the WebAssembly target", Box::new(|| wasm_target(workspace))),
    ];
    if !extent.quick {
        let prepare = || {
            Tools::ensure(workspace)?;
            // With fail-fast a failure should not have to wait for the build.
            if !extent.fail_fast {
                build.replace(Some(begin_build(workspace)?));
            }
            Ok(())
        };
        checks.push(("the tools of a build", Box::new(prepare)));
    }
    let native: [Check<'_>; 4] = [
        ("lints, natively", Box::new(|| lints.check_native(workspace))),
        ("lints of the page", Box::new(|| lints.check_page(workspace))),
        (
            "native tests",
            Box::new(|| {
                // All but the flows, the only target that begins with `e`.
                let tests =
                    format!("test --locked --quiet --no-fail-fast {NATIVE} --lib --examples --test [!e]*");
                run(compiled(&lints.native, &mut cargo_in(workspace, &tests)))
            }),
        ),
        (
            "tests of the task runner",
            Box::new(|| {
                let mut tests = cargo_in(workspace, "test --locked --package xtask --quiet");
                run(compiled(&lints.native, &mut tests))
            }),
        ),
    ];
    checks.extend(native);
    if !extent.quick {
        let page = || match build.take() {
            Some(build) => build.end("the page"),
            None => size(workspace, &page::build(workspace)?),
        };
        let of_browser: [Check<'_>; 3] = [
            // Before the browser tests, so that nothing is built during them.
            ("the page and its size", Box::new(page)),
            ("tests of the browser room", Box::new(|| browser_room(workspace, &lints.page))),
            ("browser flows", Box::new(|| run(compiled(&lints.native, &mut flows(workspace, &dist)?)))),
        ];
        checks.extend(of_browser);
    }
    // Removes the report of an earlier run. In a fresh clone the folder does not exist.
    drop(fs::create_dir_all(workspace.own_folder()));
    drop(fs::remove_file(not_checked(workspace)));
    let mut outcomes = run_all(checks, extent.fail_fast);
    let absent = fs::read_to_string(not_checked(workspace)).unwrap_or_default();
    if is_ci() {
        outcomes.extend(missing_software(&absent));
    }
    println!("\n{}", summary(&outcomes, &absent));
    outcomes.iter().all(|outcome| outcome.passed)
}

fn is_ci() -> bool {
    env::var("CI").as_deref() == Ok("true")
}

/// The lints of the tests and of the crates under test.
#[derive(Default)]
struct Lints {
    /// Whether Clippy compiles the tests, too.
    compile: bool,
    /// Whether it compiled the native tests. After a failure they are compiled without it, so that they run.
    native: Cell<bool>,
    page: Cell<bool>,
}

impl Lints {
    fn check_native(&self, workspace: &Workspace) -> Result<()> {
        if !self.compile {
            let arguments = "clippy --locked --workspace --exclude nexus --all-targets --features nexus-tests/e2e \
                             -- -D warnings";
            return run(&mut cargo_in(workspace, arguments));
        }
        let tests = format!("test --locked --no-run --all-targets {NATIVE}");
        run(by_clippy(&mut cargo_in(workspace, &tests)))?;
        run(by_clippy(&mut cargo_in(workspace, "test --locked --no-run --all-targets --package xtask")))?;
        self.native.set(true);
        Ok(())
    }

    fn check_page(&self, workspace: &Workspace) -> Result<()> {
        if !self.compile {
            let arguments = format!("clippy --locked --lib --bins {BROWSER} -- -D warnings");
            return run(&mut cargo_in(workspace, &arguments));
        }
        run(by_clippy(&mut browser_cargo(workspace, &format!("--no-run {BROWSER}"))))?;
        self.page.set(true);
        Ok(())
    }
}

/// The command; with the artifacts of Clippy if it compiled the tests.
fn compiled<'a>(is_by_clippy: &Cell<bool>, command: &'a mut Command) -> &'a mut Command {
    if is_by_clippy.get() { by_clippy(command) } else { command }
}

/// Compiles our crates with Clippy, by the variables that `cargo clippy` sets for its check.
fn by_clippy(command: &mut Command) -> &mut Command {
    command
        .env("RUSTC_WORKSPACE_WRAPPER", "clippy-driver")
        .env("CLIPPY_ARGS", "-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__")
}

/// In CI it is a failure if installable software is missing; other missing things are not.
fn missing_software(absent: &str) -> Option<Outcome> {
    let is_missing = absent.lines().any(|line| line.starts_with("not installed: "));
    is_missing.then_some(Outcome { name: "what the setup installs", passed: false, time: Duration::ZERO })
}

/// A command that runs beside other checks. Its output is printed at the end.
struct Background {
    process: Child,
    log: PathBuf,
}

impl Background {
    fn begin(workspace: &Workspace, log: &str, command: &mut Command) -> Result<Self> {
        let log = workspace.own_folder().join(log);
        fs::create_dir_all(workspace.own_folder()).context("creating the folder of the task runner")?;
        let output = File::create(&log).context(format_args!("creating {}", log.display()))?;
        let errors = output.try_clone().context("sharing a log")?;
        let process = command.stdin(Stdio::null()).stdout(output).stderr(errors).spawn();
        Ok(Self { process: process.context(format_args!("starting what writes {}", log.display()))?, log })
    }

    /// Waits for its end; `what` failed if it did.
    fn end(mut self, what: &str) -> Result<()> {
        let status = self.process.wait().context(format_args!("waiting for {what}"))?;
        print!("{}", fs::read_to_string(&self.log).unwrap_or_default());
        if status.success() { Ok(()) } else { Err(Error::new(format!("{what}: {status}"))) }
    }
}

/// Begins to build the page and to measure it.
fn begin_build(workspace: &Workspace) -> Result<Background> {
    let program = env::current_exe().context("finding the task runner itself")?;
    Background::begin(workspace, "page.log", Command::new(program).arg("size"))
}

/// Runs the tests in two browsers: one page uses one processor.
fn browser_room(workspace: &Workspace, is_by_clippy: &Cell<bool>) -> Result<()> {
    let modules = modules_of_web_tests(workspace)?;
    let skipped = |first: usize| {
        modules.iter().skip(first).step_by(2).flat_map(|module| ["--skip".to_owned(), format!("{module}::")])
    };
    let mut half = browser_tests(workspace, WEB)?;
    half.arg("--").args(skipped(0));
    let other = Background::begin(workspace, "web.log", compiled(is_by_clippy, &mut half))?;
    let mut rest = browser_tests(workspace, BROWSER)?;
    rest.arg("--").args(skipped(1));
    let result = run(compiled(is_by_clippy, &mut rest));
    other.end("half of the browser tests").and(result)
}

/// Names of the modules, sorted.
fn modules_of_web_tests(workspace: &Workspace) -> Result<Vec<String>> {
    let folder = workspace.root.join("tests/web");
    let files = fs::read_dir(&folder).context(format_args!("reading {}", folder.display()))?;
    let mut names: Vec<_> = files
        .filter_map(|file| Some(file.ok()?.file_name().to_str()?.strip_suffix(".rs")?.to_owned()))
        .collect();
    names.sort();
    Ok(names)
}

/// File in which tests record what they could not check.
fn not_checked(workspace: &Workspace) -> PathBuf {
    workspace.own_folder().join("not-checked.txt")
}

/// Runs the browser tests whose names contain this word; all without one.
pub(crate) fn run_web(workspace: &Workspace, word: Option<&str>) -> Result<()> {
    run(browser_tests(workspace, BROWSER)?.arg("--").args(word))
}

/// Runs the flows whose names contain one of these words, `jobs` at a time; all without words.
pub(crate) fn run_flows(workspace: &Workspace, words: &[String], jobs: Option<&str>) -> Result<()> {
    let dist = page::build(workspace)?;
    let mut command = flows(workspace, &dist)?;
    command.arg("--").args(jobs.map(|jobs| ["--jobs", jobs]).into_iter().flatten()).args(words);
    run(&mut command)
}

/// Takes the screenshots into a folder: for review, or for the documentation.
pub(crate) fn screenshots(workspace: &Workspace, folder: &Path, docs: bool) -> Result<()> {
    let dist = page::build(workspace)?;
    fs::create_dir_all(folder).context("creating the folder of the screenshots")?;
    let folder = folder.canonicalize().context("finding the folder of the screenshots")?;
    let mut command = flows(workspace, &dist)?;
    command
        .args(["--", if docs { "docs-pictures" } else { "screenshots" }])
        .env("NEXUS_SCREENSHOTS", &folder);
    run(&mut command)?;
    crate::run::say(format_args!("the screenshots are in {}", folder.display()));
    Ok(())
}

/// Runs on-demand flows with this name, one at a time, with these variables.
pub(crate) fn on_demand(workspace: &Workspace, name: &str, set: &[(&str, &str)]) -> Result<()> {
    let dist = page::build(workspace)?;
    let set = set.iter().copied();
    run(flows(workspace, &dist)?.args(["--", "--jobs", "1", name]).envs(set))
}

/// Tests of the adapters and of the mounted page, as wasm in a real browser.
fn browser_tests(workspace: &Workspace, which: &str) -> Result<Command> {
    let browser = Browser::ensure()?;
    let tools = Tools::ensure(workspace)?;
    let mut command = browser_cargo(workspace, which);
    command
        .env("PATH", tools.path())
        .env("CHROMEDRIVER", &browser.driver)
        // For all tests of a program together.
        .env("WASM_BINDGEN_TEST_TIMEOUT", "900")
        .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER", "wasm-bindgen-test-runner");
    Ok(command)
}

/// Cargo for these tests, without debug information, which would make the program that the browser loads half again as large.
fn browser_cargo(workspace: &Workspace, arguments: &str) -> Command {
    let mut command = cargo_in(workspace, &format!("test --locked {arguments}"));
    command.env("CARGO_PROFILE_DEV_DEBUG", "0");
    command
}

/// The browser flows with their environment.
pub(crate) fn flows(workspace: &Workspace, dist: &Path) -> Result<Command> {
    let browser = Browser::ensure()?;
    let mut command = cargo_in(workspace, &format!("test --locked {NATIVE} --test e2e"));
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
    // Checks do not change the sources.
    command.env("INSTA_UPDATE", "no");
    command
}

/// Result of a check.
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

/// A line for each check and for each `absent` thing, and last the count.
fn summary(outcomes: &[Outcome], absent: &str) -> String {
    let mut text = String::new();
    for Outcome { name, passed, time } in outcomes {
        let word = if *passed { "passed" } else { "FAILED" };
        // Writing to a string cannot fail.
        writeln!(text, "{word}  {:>12}  {name}", shown(*time)).unwrap_or_default();
    }
    let mut printed = BTreeSet::new();
    for line in absent.lines().filter(|line| printed.insert(*line)) {
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
    fn a_failure_does_not_stop_the_others() {
        let outcomes = run_all(checks(), false);
        let summary = summary(&outcomes, "no git\nno git\n");
        assert_eq!(summary.lines().last(), Some("2 passed, 1 failed"));
        assert!(summary.contains("FAILED"));
        assert_eq!(summary.matches("NOT CHECKED  no git\n").count(), 1, "{summary}");
    }

    /// `--skip` finds its words anywhere in the name of a test.
    #[test]
    fn no_module_of_the_browser_tests_is_skipped_with_another() {
        let workspace = Workspace::find().unwrap();
        let modules = modules_of_web_tests(&workspace).unwrap();
        assert!(modules.len() > 30, "{modules:?}");
        for one in &modules {
            assert!(!modules.iter().any(|other| other != one && other.ends_with(one.as_str())), "{one}");
            let text = fs::read_to_string(workspace.root.join(format!("tests/web/{one}.rs"))).unwrap();
            assert!(!text.lines().any(|line| line.trim_start().starts_with("mod ")), "{one} has modules");
        }
    }

    #[test]
    fn only_installable_software_must_be_present() {
        assert!(missing_software("no recordings are at hand\n").is_none());
        assert!(
            missing_software("no recordings are at hand\nnot installed: git\n")
                .is_some_and(|missing_software| !missing_software.passed)
        );
    }

    #[test]
    fn fail_fast_ends_at_the_first_failure() {
        let outcomes = run_all(checks(), true);
        assert_eq!(summary(&outcomes, "").lines().last(), Some("1 passed, 1 failed"));
    }
}
