//! Never makes a check fail by its absence: real servers are an extra, and where they cannot be had this says so.
//!
//! Owns the real software that the browser flows talk to beside the fake provider: llama.cpp, as a package of Python.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::run::{run, say};
use crate::workspace::Workspace;

/// What is to be installed, below the repository.
const REQUIREMENTS: &str = "tests/e2e/real/requirements.txt";

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
        run(Command::new("python3").args(["-m", "venv"]).arg(&folder))?;
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
        say(format_args!("NOT CHECKED against a real llama.cpp: {error}"));
        return None;
    }
    // A stamp that cannot be written costs a second look next time.
    drop(fs::write(&stamp, wanted));
    Some(python)
}
