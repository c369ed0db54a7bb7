//! Runs commands.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::error::{Context, Error, Result};

/// Prints progress to stderr; stdout is for results.
pub(crate) fn say(message: impl std::fmt::Display) {
    eprintln!("xtask: {message}");
}

/// The Cargo that runs this program, so that the pinned toolchain is used throughout.
pub(crate) fn cargo() -> OsString {
    std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"))
}

/// Runs a command with its output visible; a failure is an error.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let line = command_line(command);
    let status =
        command.stdin(Stdio::null()).status().context(format_args!("`{line}` could not be started"))?;
    if status.success() { Ok(()) } else { Err(Error::new(format!("`{line}` failed ({status})"))) }
}

/// A command's stdout; `None` if it cannot be run or fails.
pub(crate) fn output(command: &mut Command) -> Option<String> {
    let output = command.stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The first program with one of these names on a `PATH`.
pub(crate) fn find_on_path(path: &OsStr, names: &[&str]) -> Option<PathBuf> {
    names.iter().find_map(|name| {
        let file = format!("{name}{}", std::env::consts::EXE_SUFFIX);
        std::env::split_paths(path).map(|folder| folder.join(&file)).find(|found| found.is_file())
    })
}

/// A duration in seconds or minutes.
pub(crate) fn shown(time: Duration) -> String {
    let seconds = time.as_secs();
    if seconds < 60 {
        format!("{:.1} s", time.as_secs_f64())
    } else {
        format!("{} min {:02} s", seconds / 60, seconds % 60)
    }
}

fn command_line(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let name = program.file_name().unwrap_or(program.as_os_str());
    std::iter::once(name).chain(command.get_args()).map(OsStr::to_string_lossy).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_is_shown_in_seconds_or_minutes() {
        assert_eq!(shown(Duration::from_millis(1_240)), "1.2 s");
        assert_eq!(shown(Duration::from_secs(245)), "4 min 05 s");
    }

    #[test]
    fn a_failure_names_the_command_without_its_folder() {
        let mut command = Command::new("/usr/local/bin/trunk");
        command.args(["build", "--release"]);
        assert_eq!(command_line(&command), "trunk build --release");
    }
}
