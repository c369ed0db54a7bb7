//! Finds or installs real software for the flows: llama.cpp (a Python package), axe-core (a Node package), tmux.
//!
//! Where they cannot be installed the output says so, and in CI the checks fail.

use std::env;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::error::Context;
use crate::run::{find_on_path, run, say};
use crate::tools::browser::{apt_install, debian_root};
use crate::workspace::Workspace;

/// What is to be installed, below the repository.
const REQUIREMENTS: &str = "tests/e2e/real/requirements.txt";

/// What names axe-core, with its hash.
const AXE: &str = "tests/e2e/real/axe";

/// The rules of axe-core, installed below `target` where they are missing.
pub(crate) fn axe(workspace: &Workspace) -> Option<PathBuf> {
    let folder = workspace.root.join("target").join("peers").join("axe");
    let rules = folder.join("node_modules/axe-core/axe.min.js");
    let source = workspace.root.join(AXE);
    let wanted = fs::read_to_string(source.join("package-lock.json")).ok()?;
    let stamp = folder.join("installed.txt");
    if rules.is_file() && fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
        return Some(rules);
    }
    say(format_args!("installing axe-core (a package of Node, 3 MB) for one flow"));
    let make = || -> crate::error::Result<()> {
        fs::create_dir_all(&folder).context("making its folder")?;
        for file in ["package.json", "package-lock.json", ".npmrc"] {
            fs::copy(source.join(file), folder.join(file)).context("copying what names it")?;
        }
        let npm = if cfg!(windows) { "npm.cmd" } else { "npm" };
        if debian_root() && find_on_path(&env::var_os("PATH").unwrap_or_default(), &[npm]).is_none() {
            apt_install(&["npm"])?;
        }
        let install = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"];
        run(Command::new(npm).current_dir(&folder).args(install))
    };
    if let Err(error) = make() {
        say(format_args!("axe-core is not installed: {error}"));
        return None;
    }
    // A stamp that cannot be written costs a second look next time.
    drop(fs::write(&stamp, wanted));
    Some(rules)
}

/// Installs tmux, which the flow of terminals serves, where it is missing and the system makes that simple.
pub(crate) fn tmux() {
    let is_there = Command::new("tmux").arg("-V").output().is_ok_and(|output| output.status.success());
    if !is_there && debian_root() {
        say("installing tmux for one flow");
        if let Err(error) = apt_install(&["tmux"]) {
            say(format_args!("tmux is not installed: {error}"));
        }
    }
}

/// A Python that has the packages, installed below `target` where it is missing.
pub(crate) fn python(workspace: &Workspace) -> Option<PathBuf> {
    let folder = workspace.root.join("target").join("peers");
    let python = folder.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
    let wanted = fs::read_to_string(workspace.root.join(REQUIREMENTS)).ok()?;
    let stamp = folder.join("installed.txt");
    if fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
        return Some(python);
    }
    say(format_args!("installing llama.cpp (a package of Python, 50 MB) for one flow; some 30 s"));
    let make = || -> crate::error::Result<()> {
        let venv = || run(Command::new("python3").args(["-m", "venv"]).arg(&folder));
        // Debian has it in a package of its own.
        venv().or_else(|error| {
            if debian_root() { apt_install(&["python3-venv"]).and_then(|()| venv()) } else { Err(error) }
        })?;
        let mut pip = Command::new(&python);
        pip.current_dir(&workspace.root).args([
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
        ]);
        // Nothing is compiled here: where no built package fits this machine, there is none.
        run(pip.args(["--only-binary", ":all:", "--requirement", REQUIREMENTS]))
    };
    if let Err(error) = make() {
        say(format_args!("llama.cpp is not installed: {error}"));
        return None;
    }
    // A stamp that cannot be written costs a second look next time.
    drop(fs::write(&stamp, wanted));
    Some(python)
}
