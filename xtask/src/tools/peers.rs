//! Finds or installs real software for the flows: llama.cpp (a Python package), axe-core (a Node package), tmux.
//!
//! If they cannot be installed, a message says so, and in CI the checks fail.

use std::env;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::error::Context;
use crate::run::{find_on_path, run, say};
use crate::tools::browser::{apt_install, debian_root};
use crate::workspace::Workspace;

/// Python requirements, relative to the repository.
const REQUIREMENTS: &str = "tests/e2e/real/requirements.txt";

/// Folder with the lock file of axe-core.
const AXE: &str = "tests/e2e/real/axe";

/// The rules of axe-core, installed below `target` if missing.
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
    let install_all = || -> crate::error::Result<()> {
        fs::create_dir_all(&folder).context("creating its folder")?;
        for file in ["package.json", "package-lock.json", ".npmrc"] {
            fs::copy(source.join(file), folder.join(file)).context("copying its lock file")?;
        }
        let npm = if cfg!(windows) { "npm.cmd" } else { "npm" };
        if debian_root() && find_on_path(&env::var_os("PATH").unwrap_or_default(), &[npm]).is_none() {
            apt_install(&["npm"])?;
        }
        let install = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"];
        run(Command::new(npm).current_dir(&folder).args(install))
    };
    if let Err(error) = install_all() {
        say(format_args!("axe-core is not installed: {error}"));
        return None;
    }
    // If the stamp cannot be written, the next run checks again.
    drop(fs::write(&stamp, wanted));
    Some(rules)
}

/// Installs tmux for the terminal flow if it is missing, on Debian as root.
pub(crate) fn tmux() {
    let is_installed = Command::new("tmux").arg("-V").output().is_ok_and(|output| output.status.success());
    if !is_installed && debian_root() {
        say("installing tmux for one flow");
        if let Err(error) = apt_install(&["tmux"]) {
            say(format_args!("tmux is not installed: {error}"));
        }
    }
}

/// A Python with the required packages, installed below `target` if missing.
pub(crate) fn python(workspace: &Workspace) -> Option<PathBuf> {
    let folder = workspace.root.join("target").join("peers");
    let python = folder.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
    let wanted = fs::read_to_string(workspace.root.join(REQUIREMENTS)).ok()?;
    let stamp = folder.join("installed.txt");
    if fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
        return Some(python);
    }
    say(format_args!("installing llama.cpp (a package of Python, 50 MB) for one flow; some 30 s"));
    let install_all = || -> crate::error::Result<()> {
        let venv = || run(Command::new("python3").args(["-m", "venv"]).arg(&folder));
        // Debian has venv in a separate package.
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
        // Only prebuilt packages: nothing is compiled here.
        run(pip.args(["--only-binary", ":all:", "--requirement", REQUIREMENTS]))
    };
    if let Err(error) = install_all() {
        say(format_args!("llama.cpp is not installed: {error}"));
        return None;
    }
    // If the stamp cannot be written, the next run checks again.
    drop(fs::write(&stamp, wanted));
    Some(python)
}
