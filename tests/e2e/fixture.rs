//! Fixture of one flow: an empty browser, a fresh provider, and the final checks.
//!
//! A flow also fails if the page violated the policy, threw an error, or was rejected by the provider, unless the
//! flow expected it.

use std::fs;
use std::path::Path;
use std::rc::Rc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use nexus_model::provider::Protocol;
use serde_json::{Value, json};

use crate::browser::{Browser, Chromedriver, Profile};
use crate::page::{Page, TIMEOUT};
use crate::provider::{Provider, Request, key_of};
use crate::seed::Seed;
use crate::site::{BLANK_PAGE, Site};

/// Window size in pixels.
const WINDOW: (u32, u32) = (1440, 900);

/// Resources that all flows of a run share.
#[derive(Clone)]
pub(crate) struct SharedResources {
    pub(crate) site: Rc<Site>,
    pub(crate) driver: Rc<Chromedriver>,
    pub(crate) seed: Rc<Seed>,
}

/// Environment of one flow.
pub(crate) struct Fixture {
    pub(crate) page: Page,
    pub(crate) provider: Provider,
    pub(crate) site: Rc<Site>,
    pub(crate) seed: Rc<Seed>,
    driver: Rc<Chromedriver>,
    expected: Vec<&'static str>,
    /// True if [`Fixture::kill_browser`] ended the browser.
    is_killed: bool,
}

impl Fixture {
    /// Prepares a flow in this browser, or in a new one.
    pub(crate) async fn set_up(shared: &SharedResources, browser: Option<Browser>) -> Result<Self> {
        let SharedResources { site, driver, seed } = shared.clone();
        let Browser { driver: session, profile } = match browser {
            Some(browser) => browser,
            None => {
                let profile = Profile::new()?;
                Browser { driver: driver.open(&profile, WINDOW.0, WINDOW.1).await?, profile }
            }
        };
        let page = Page::new(session, profile).await?;
        Ok(Self {
            page,
            provider: Provider::start()?,
            site,
            seed,
            driver,
            expected: Vec::new(),
            is_killed: false,
        })
    }

    /// Kills all processes of the browser.
    pub(crate) async fn kill_browser(&mut self) -> Result<()> {
        self.is_killed = true;
        self.page.profile().kill_browser()?;
        let has_ended = |fixture: &Self| fixture.page.profile().processes().is_ok_and(|all| all.is_empty());
        self.until("the browser to end", has_ended).await
    }

    /// True if the browser ended without [`Fixture::kill_browser`].
    pub(crate) fn browser_has_exited(&self) -> bool {
        !self.is_killed && self.page.profile().processes().is_ok_and(|all| all.is_empty())
    }

    /// Restarts the browser with the same profile.
    pub(crate) async fn restart_browser(&mut self) -> Result<()> {
        let session = self.driver.open_detached(self.page.profile(), WINDOW.0, WINDOW.1).await?;
        self.is_killed = false;
        self.page.take_over(session).await
    }

    /// Continues with a browser on the same profile that records these trace categories. The file is complete once
    /// that browser has ended.
    pub(crate) async fn trace_browser(&mut self, categories: &str, file: &Path) -> Result<()> {
        self.kill_browser().await?;
        let session = self.driver.open_traced(self.page.profile(), WINDOW, (categories, file)).await?;
        self.is_killed = false;
        self.page.take_over(session).await
    }

    /// Ends that browser and continues without tracing.
    pub(crate) async fn end_trace(&mut self) -> Result<()> {
        self.is_killed = true;
        self.page.protocol("Browser.close", json!({})).await?;
        let has_ended = |fixture: &Self| fixture.page.profile().processes().is_ok_and(|all| all.is_empty());
        self.until("the browser to have ended", has_ended).await?;
        self.restart_browser().await
    }

    /// Continues with another browser and a new profile, as on a new device. Faults of the previous one stay for the
    /// final check.
    pub(crate) async fn switch_device(&mut self) -> Result<()> {
        let profile = Profile::new()?;
        let session = self.driver.open(&profile, WINDOW.0, WINDOW.1).await?;
        let fresh = Page::new(session, profile).await?;
        let mut old = std::mem::replace(&mut self.page, fresh);
        self.page.hand_over(&mut old).await?;
        old.close().await
    }

    /// Expects a fault of the page with this text; its absence is a failure.
    pub(crate) fn expect_fault(&mut self, text: &'static str) {
        self.expected.push(text);
    }

    /// Waits until a condition outside the page is true.
    pub(crate) async fn until(&self, what: &str, is_true: impl Fn(&Self) -> bool) -> Result<()> {
        let until = Instant::now() + TIMEOUT;
        while !is_true(self) {
            ensure!(Instant::now() < until, "timeout after {} s: {what}", TIMEOUT.as_secs());
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        Ok(())
    }

    /// Waits for the agent's nth request, counted from 1, and returns it.
    pub(crate) async fn request_of(&self, agent: &str, number: usize) -> Result<Request> {
        let what = format!("request {number} of {agent}");
        self.until(&what, |fixture| fixture.provider.requests_of(agent).len() >= number).await?;
        self.provider.requests_of(agent).into_iter().nth(number - 1).context(what)
    }

    /// Checks that no flow asserts by itself.
    pub(crate) async fn verify(&mut self) -> Result<()> {
        let faults = self.page.take_faults().await?;
        for text in &self.expected {
            let was_reported = faults.iter().any(|fault| fault.0.contains(text));
            ensure!(was_reported, "the page did not report {text:?}, which was expected");
        }
        let keys: Vec<&str> = Protocol::ALL.into_iter().filter_map(key_of).collect();
        let leak = self.page.console().iter().find(|line| keys.iter().any(|key| line.contains(key)));
        ensure!(leak.is_none(), "a key is in the console: {leak:?}");
        let is_expected = |text: &str| self.expected.iter().any(|expected| text.contains(expected));
        if let Some(fault) = faults.iter().find(|fault| !is_expected(&fault.0)) {
            bail!("fault in the page: {}", fault.0);
        }
        if let Some(rejection) = self.provider.take_errors().first() {
            bail!("the provider rejected a request: {}", rejection.message);
        }
        Ok(())
    }

    /// Saves evidence of a failure: picture, text, faults, console, the provider's requests, and the browser's
    /// storage. Omits what is no longer available.
    pub(crate) async fn save_evidence(&mut self, folder: &Path) -> Result<()> {
        fs::create_dir_all(folder)?;
        let requests: Vec<Value> = self.provider.requests().iter().map(describe).collect();
        fs::write(folder.join("requests.json"), format!("{:#}", json!(requests)))?;
        if let Ok(text) = self.page.visible_text().await {
            fs::write(folder.join("page.txt"), text)?;
        }
        drop(self.page.screenshot(&folder.join("page.png")).await);
        if let Ok(html) = self.page.eval("return document.documentElement.outerHTML", &[]).await {
            fs::write(folder.join("page.html"), html.as_str().unwrap_or_default())?;
        }
        if let Ok(faults) = self.page.take_faults().await {
            let lines: Vec<_> = faults.iter().map(|fault| fault.0.as_str()).collect();
            fs::write(folder.join("faults.txt"), lines.join("\n"))?;
        }
        let console = self.page.console().join("\n");
        fs::write(folder.join("console.txt"), console)?;
        if let Ok(summary) = self.page.storage_summary().await {
            fs::write(folder.join("kept.json"), format!("{summary:#}"))?;
        }
        // A running browser removes files while they are listed.
        drop(self.page.profile().save_storage(folder));
        Ok(())
    }

    /// Ends the browser.
    pub(crate) async fn tear_down(self) -> Result<()> {
        self.page.close().await
    }

    /// Clears the browser for the next flow.
    pub(crate) async fn release(self) -> Result<Browser> {
        let blank = self.site.url(BLANK_PAGE);
        self.page.release(&blank).await
    }
}

fn describe(request: &Request) -> Value {
    json!({
        "number": request.number,
        "protocol": request.protocol.name(),
        "method": request.method,
        "path": request.path,
        "agent": request.agent(),
        "round": request.round(),
        "ending": format!("{:?}", request.ending),
        "error": request.api_error.as_ref().map(|api_error| &api_error.message),
        "body": request.body,
    })
}
