//! The browser under test: one chromedriver for all flows, Chromium's switches, and a profile folder for each
//! browser.
//!
//! Ends no process that it did not start.

use std::env;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use thirtyfour::{
    ChromeCapabilities, ChromiumLikeCapabilities, DesiredCapabilities, LoggingPrefsLogLevel, WebDriver,
};

/// Chromium's switches. Background traffic is off because a flow asserts that nothing unexpected leaves the page.
const SWITCHES: [&str; 11] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    // A process less: a tenth of the work.
    "--in-process-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-search-engine-choice-screen",
];

/// Log of the browsers that the driver did not start.
const BROWSER_LOG: &str = "browser.log";

/// A running chromedriver. Dropping it ends it and the browsers that it started.
pub(crate) struct Chromedriver {
    process: Child,
    url: String,
}

impl Chromedriver {
    /// Starts the driver of `NEXUS_CHROMEDRIVER`, else the one on the path, on a free port.
    pub(crate) fn start() -> Result<Self> {
        let program = env::var("NEXUS_CHROMEDRIVER").unwrap_or_else(|_| "chromedriver".to_owned());
        let mut process = Command::new(&program)
            .args(["--port=0", "--log-level=WARNING"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .with_context(|| format!("{program} did not start; set NEXUS_CHROMEDRIVER"))?;
        let mut lines = BufReader::new(process.stdout.take().context("no output")?).lines();
        let port = lines.by_ref().map_while(Result::ok).find_map(|line| {
            let (_, port) = line.split_once("started successfully on port ")?;
            port.trim_end_matches('.').parse::<u16>().ok()
        });
        let Some(port) = port else {
            process.kill()?;
            process.wait()?;
            bail!("{program} ended without reporting its port");
        };
        // Drains the driver's output, so that it never blocks.
        thread::spawn(move || lines.for_each(drop));
        Ok(Self { process, url: format!("http://127.0.0.1:{port}") })
    }

    /// Opens a browser with this profile and window size in pixels.
    pub(crate) async fn open(&self, profile: &Profile, width: u32, height: u32) -> Result<WebDriver> {
        self.drive(Self::capabilities(profile, width, height)?).await
    }

    /// As [`Self::open`], with a browser that records these trace categories into this file when it ends. Tracing
    /// takes time itself.
    pub(crate) async fn open_traced(
        &self,
        profile: &Profile,
        (width, height): (u32, u32),
        (categories, file): (&str, &Path),
    ) -> Result<WebDriver> {
        let mut capabilities = Self::capabilities(profile, width, height)?;
        capabilities.add_arg(&format!("--trace-startup={categories}"))?;
        capabilities.add_arg(&format!("--trace-startup-file={}", file.display()))?;
        capabilities.add_arg("--trace-startup-format=json")?;
        capabilities.add_arg("--trace-startup-duration=0")?;
        self.drive(capabilities).await
    }

    fn capabilities(profile: &Profile, width: u32, height: u32) -> Result<ChromeCapabilities> {
        let mut capabilities = DesiredCapabilities::chrome();
        if let Some(browser) = chromium() {
            capabilities.set_binary(&browser)?;
        }
        for switch in SWITCHES {
            capabilities.add_arg(switch)?;
        }
        capabilities.add_arg(&format!("--user-data-dir={}", profile.user_folder().display()))?;
        capabilities.add_arg(&format!("--window-size={width},{height}"))?;
        Ok(capabilities)
    }

    /// As [`Self::open`], with a browser that the driver did not start: after a kill the driver does not wait for it.
    pub(crate) async fn open_detached(
        &self,
        profile: &Profile,
        width: u32,
        height: u32,
    ) -> Result<WebDriver> {
        let program = chromium().context("no browser found; set NEXUS_CHROME")?;
        let port_file = profile.user_folder().join("DevToolsActivePort");
        drop(fs::remove_file(&port_file));
        let mut process = Command::new(program)
            .args(SWITCHES)
            .arg("--remote-debugging-port=0")
            .arg(format!("--user-data-dir={}", profile.user_folder().display()))
            .arg(format!("--window-size={width},{height}"))
            .arg("--enable-logging=stderr")
            .arg("about:blank")
            .stdout(Stdio::null())
            .stderr(fs::File::options().create(true).append(true).open(profile.0.join(BROWSER_LOG))?)
            .spawn()
            .context("the browser did not start")?;
        thread::spawn(move || process.wait());
        let until = Instant::now() + Duration::from_secs(30);
        let port = loop {
            let text = fs::read_to_string(&port_file).unwrap_or_default();
            if let Some(port) = text.lines().next().filter(|_| text.contains('\n')) {
                break port.to_owned();
            }
            ensure!(Instant::now() < until, "the browser did not report its port");
            tokio::time::sleep(Duration::from_millis(20)).await;
        };
        let mut capabilities = DesiredCapabilities::chrome();
        capabilities.set_debugger_address(&format!("127.0.0.1:{port}"))?;
        self.drive(capabilities).await
    }

    async fn drive(&self, mut capabilities: ChromeCapabilities) -> Result<WebDriver> {
        capabilities.set_browser_log_level(LoggingPrefsLogLevel::All)?;
        WebDriver::builder(&self.url, capabilities)
            .request_timeout(Duration::from_secs(60))
            .await
            .context("the browser did not start; NEXUS_CHROME can name another")
    }
}

impl Drop for Chromedriver {
    fn drop(&mut self) {
        if self.process.kill().is_ok() {
            drop(self.process.wait());
        }
    }
}

/// A running browser, which is passed from one flow to the next.
pub(crate) struct Browser {
    pub(crate) driver: WebDriver,
    pub(crate) profile: Profile,
}

/// The browser of `NEXUS_CHROME`, else at one of the usual paths; if there is none, chromedriver searches itself.
fn chromium() -> Option<String> {
    const PLACES: [&str; 3] = ["/usr/bin/chromium", "/usr/bin/google-chrome", "/usr/bin/chromium-browser"];
    let usual = || PLACES.into_iter().find(|place| PathBuf::from(place).exists());
    env::var("NEXUS_CHROME").ok().or_else(|| usual().map(str::to_owned))
}

/// Folder of a browser profile. Removed on drop.
pub(crate) struct Profile(PathBuf);

impl Profile {
    pub(crate) fn new() -> Result<Self> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = env::temp_dir().join(format!("nexus-flow-{}-{number}", std::process::id()));
        fs::create_dir_all(path.join("downloads"))?;
        Ok(Self(path))
    }

    fn user_folder(&self) -> PathBuf {
        self.0.join("user")
    }

    /// Processes with this profile: the browser and its children.
    pub(crate) fn processes(&self) -> Result<Vec<u32>> {
        let own = self.user_folder();
        let own = own.to_str().context("a folder without a name")?;
        let mut found = Vec::new();
        for entry in fs::read_dir("/proc").context("processes can be listed on Linux only")? {
            let entry = entry?;
            let Some(id) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
            // A process that has ended meanwhile has no command line.
            let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
            // A forked process has all its arguments in one string.
            if String::from_utf8_lossy(&line).contains(own) {
                found.push(id);
            }
        }
        Ok(found)
    }

    /// Processor time of the browser with this profile and its children, including ended ones. `None` if processes
    /// cannot be listed.
    pub(crate) fn processor_time(&self) -> Option<Duration> {
        let mut times = Vec::new();
        let mut roots = self.processes().ok()?;
        for entry in fs::read_dir("/proc").ok()?.flatten() {
            let Some(id) = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else {
                continue;
            };
            let stat = fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
            // The program name, which may contain anything, is in parentheses before the rest.
            let Some((_, rest)) = stat.rsplit_once(") ") else { continue };
            let fields: Vec<u64> = rest.split(' ').map(|field| field.parse().unwrap_or_default()).collect();
            let parent = fields.get(1).and_then(|parent| u32::try_from(*parent).ok()).unwrap_or_default();
            times.push((id, parent, fields.get(11..15).into_iter().flatten().sum::<u64>()));
        }
        // Processes forked for a page have the profile in their arguments; a helper may not.
        while let Some((id, _, _)) =
            times.iter().find(|(id, parent, _)| roots.contains(parent) && !roots.contains(id))
        {
            roots.push(*id);
        }
        let ticks: u64 =
            times.iter().filter(|(id, _, _)| roots.contains(id)).map(|(_, _, ticks)| ticks).sum();
        // Linux has a hundred ticks per second wherever a browser runs.
        Some(Duration::from_millis(ticks * 10))
    }

    /// Private memory in bytes of the largest renderer with this profile. Another one may be idle and wait for the
    /// next page.
    pub(crate) fn renderer_bytes(&self) -> Result<u64> {
        let own = self.user_folder();
        let own = own.to_str().context("a folder without a name")?;
        let mut bytes = 0_u64;
        for entry in fs::read_dir("/proc").context("processes can be listed on Linux only")? {
            let entry = entry?;
            let Some(id) = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else {
                continue;
            };
            // A renderer has all its arguments in one string.
            let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
            let line = String::from_utf8_lossy(&line);
            if !line.contains("--type=renderer") || !line.contains(own) {
                continue;
            }
            let status = fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
            let memory = status.lines().find_map(|line| line.strip_prefix("RssAnon:"));
            let memory = memory.and_then(|text| text.trim().trim_end_matches(" kB").parse::<u64>().ok());
            bytes = bytes.max(memory.unwrap_or_default() * 1024);
        }
        ensure!(bytes > 0, "no renderer is running with {}", self.0.display());
        Ok(bytes)
    }

    /// Kills the browser, as a lack of memory or power would.
    pub(crate) fn kill_browser(&self) -> Result<()> {
        let all = self.processes()?;
        ensure!(!all.is_empty(), "no browser is running with {}", self.0.display());
        let ids = all.iter().map(u32::to_string);
        // It is no error if a process has already ended.
        Command::new("kill").arg("-KILL").args(ids).status()?;
        Ok(())
    }

    /// Saves diagnostics of the browser's storage: a list of its files, and the logs of its databases and of the
    /// browser.
    pub(crate) fn save_storage(&self, folder: &Path) -> Result<()> {
        let user = self.user_folder();
        let mut lines = Vec::new();
        let mut folders = vec![user.clone()];
        while let Some(here) = folders.pop() {
            for entry in fs::read_dir(&here)? {
                let entry = entry?;
                let (path, facts) = (entry.path(), entry.metadata()?);
                let name = path.strip_prefix(&user)?.display().to_string();
                if facts.is_dir() {
                    folders.push(path);
                    continue;
                }
                let age = facts.modified()?.elapsed().unwrap_or_default().as_millis();
                lines.push(format!("{name}  {} bytes, changed {age} ms ago", facts.len()));
                let is_of_page = name.contains("IndexedDB") || name.contains("Local Storage");
                if is_of_page && ["LOG", "LOG.old"].iter().any(|log| entry.file_name() == *log) {
                    fs::copy(&path, folder.join(name.replace('/', "_")))?;
                }
            }
        }
        lines.sort();
        fs::write(folder.join("profile.txt"), lines.join("\n"))?;
        // Only a browser that the driver did not start has this log.
        drop(fs::copy(self.0.join(BROWSER_LOG), folder.join(BROWSER_LOG)));
        Ok(())
    }

    /// Removes all downloads.
    pub(crate) fn empty_downloads(&self) -> Result<()> {
        fs::remove_dir_all(self.downloads())?;
        Ok(fs::create_dir_all(self.downloads())?)
    }

    /// Folder of downloads.
    pub(crate) fn downloads(&self) -> PathBuf {
        self.0.join("downloads")
    }
}

impl Drop for Profile {
    fn drop(&mut self) {
        // A browser that the driver did not start does not end with it.
        drop(self.kill_browser());
        // The browser may still be writing: a folder left in the temporary directory must not fail a flow.
        drop(fs::remove_dir_all(&self.0));
    }
}
