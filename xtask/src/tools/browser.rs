//! Finds or installs the browser and driver for the browser flows, from the system's packages only.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::error::{Context, Error, Result};
use crate::run::{find_on_path, output, run, say};

const CHROMES: [&str; 5] =
    ["google-chrome", "google-chrome-stable", "chromium", "chromium-browser", "chrome"];
/// Paths of installers that do not extend `PATH`.
const CHROME_PLACES: [&str; 4] = [
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    r"C:\Program Files\Google\Chrome\Application\chrome.exe",
    r"C:\Program Files (x86)\Google\Chrome\Application\chrome.exe",
];
const ADVICE: &str = "the browser flows need Chrome or Chromium and the chromedriver of the same \
     version: install both (Debian: `apt-get install chromium chromium-driver`; macOS: \
     `brew install --cask google-chrome chromedriver`; else \
     https://googlechromelabs.github.io/chrome-for-testing/), or name them in the environment as \
     CHROME and CHROMEDRIVER";

#[derive(Debug)]
pub(crate) struct Browser {
    pub chrome: PathBuf,
    pub driver: PathBuf,
}

impl Browser {
    /// Finds both, or installs them on Debian as root.
    pub(crate) fn ensure() -> Result<Self> {
        if let Some(browser) = Self::find() {
            return Ok(browser.checked());
        }
        if debian_root() {
            say("installing chromium and chromium-driver; one to three minutes");
            apt_install(&["chromium", "chromium-driver"]).context(ADVICE)?;
        }
        Self::find().map(Self::checked).context(ADVICE)
    }

    fn find() -> Option<Self> {
        let path = env::var_os("PATH").unwrap_or_default();
        let named = |variable| env::var_os(variable).map(PathBuf::from).filter(|path| path.is_file());
        let chrome = named("CHROME")
            .or_else(|| find_on_path(&path, &CHROMES))
            .or_else(|| CHROME_PLACES.iter().map(PathBuf::from).find(|place| place.is_file()))?;
        let driver = named("CHROMEDRIVER").or_else(|| find_on_path(&path, &["chromedriver"]))?;
        Some(Self { chrome, driver })
    }

    /// Warns if the versions differ: the driver's own error is less clear.
    fn checked(self) -> Self {
        let version = |program: &Path| major(&output(Command::new(program).arg("--version"))?);
        let (chrome, driver) = (version(&self.chrome), version(&self.driver));
        if let (Some(chrome), Some(driver)) = (chrome, driver)
            && chrome != driver
        {
            say(format_args!(
                "the browser is version {chrome}, its driver version {driver}: the browser flows \
                 will likely fail until they are the same"
            ));
        }
        self
    }
}

/// Installs Debian packages, as root.
pub(super) fn apt_install(packages: &[&str]) -> Result<()> {
    run(apt_get().arg("update"))?;
    run(apt_get().args(["install", "-y", "-qq", "--no-install-recommends"]).args(packages))
}

fn apt_get() -> Command {
    let mut command = Command::new("apt-get");
    command.env("DEBIAN_FRONTEND", "noninteractive");
    command
}

/// True if this is a Debian-like system and the process may install packages.
pub(super) fn debian_root() -> bool {
    Path::new("/etc/debian_version").exists()
        && output(Command::new("id").arg("-u")).is_some_and(|id| id.trim() == "0")
}

/// The major version in `Chromium 156.0.8078.79 …` or `ChromeDriver 156.0.8078.79 (…)`.
fn major(printed: &str) -> Option<u32> {
    printed
        .split_whitespace()
        .find(|word| word.starts_with(|c: char| c.is_ascii_digit()))?
        .split('.')
        .next()?
        .parse()
        .ok()
}

/// Environment variables with the paths of browser and driver for the flows.
pub(crate) fn environment(browser: &Browser) -> Result<[(&'static str, PathBuf); 2]> {
    let absolute = |path: &Path| {
        std::path::absolute(path).map_err(|cause| Error::new(format!("{}: {cause}", path.display())))
    };
    Ok([("NEXUS_CHROME", absolute(&browser.chrome)?), ("NEXUS_CHROMEDRIVER", absolute(&browser.driver)?)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_major_version_is_read_from_what_both_programs_print() {
        assert_eq!(major("Chromium 156.0.8078.79 built on Debian GNU/Linux 12"), Some(156));
        assert_eq!(major("ChromeDriver 156.0.8078.79 (a21ce95-refs/heads@{#1704})"), Some(156));
        assert_eq!(major("Google Chrome 147.0.7727.15 \n"), Some(147));
        assert_eq!(major("no version"), None);
    }
}
