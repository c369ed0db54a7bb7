//! Collects policy violations and errors of a page, by a script that runs before all others and from the console.
//!
//! Both are needed: the script sees a violation's directive; the console survives reloads and covers frames in other
//! processes. The fixture decides which were expected.

use anyhow::Result;
use serde_json::{Value, json};

use super::Page;

/// A policy violation or error in the page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault(pub(crate) String);

const COLLECTOR: &str = r#"(() => {
    if (window.__flowFaults) return;
    const faults = [];
    Object.defineProperty(window, "__flowFaults", { value: faults });
    addEventListener("securitypolicyviolation", event => faults.push(
        `policy: ${event.effectiveDirective} refused ${event.blockedURI} ${event.sample}`
        + ` (${event.sourceFile}:${event.lineNumber})`), true);
    addEventListener("error", event => {
        if (event instanceof ErrorEvent) faults.push(`error: ${event.message}`);
    });
    addEventListener("unhandledrejection", event => faults.push(`rejection: ${event.reason}`));
    // A clock that no flow drives, for those who look.
    Object.defineProperty(window, "__flowTimer", { value: window.setTimeout.bind(window) });
    // A click that a flow makes is received by the element that it looked up, or by none.
    const guard = event => {
        const click = window.__flowClick;
        if (!click || !event.isTrusted) return;
        const isAt = click.match.contains(event.target) || event.target.hasPointerCapture?.(event.pointerId);
        if (event.type === "pointerdown") click.isMissed = !isAt;
        if (event.type === "pointerup" && click.match.isConnected) click.isMissed ||= !isAt;
        if (!click.isMissed) return;
        event.preventDefault();
        event.stopImmediatePropagation();
    };
    for (const kind of ["pointerdown", "mousedown", "pointerup", "mouseup", "click"]) addEventListener(kind, guard, true);
    // Which databases were made here, and whether the browser made them in place of one that it could not read.
    const made = [];
    Object.defineProperty(window, "__flowMade", { value: made });
    const open = IDBFactory.prototype.open;
    IDBFactory.prototype.open = function (name) {
        const request = Reflect.apply(open, this, arguments);
        request.addEventListener("upgradeneeded", event => made.push(
            `${name} from ${event.oldVersion}, lost: ${event.dataLoss} ${event.dataLossMessage ?? ""}`));
        return request;
    };
})()"#;

impl Page {
    /// Installs the collector in every future document of the current tab.
    pub(super) async fn watch_tab(&self) -> Result<()> {
        self.in_every_document(COLLECTOR).await
    }

    /// Runs this script in every future document of the current tab, before the document's own scripts.
    pub(crate) async fn in_every_document(&self, script: &str) -> Result<()> {
        let install = json!({ "source": script });
        self.driver.cdp().send_raw("Page.addScriptToEvaluateOnNewDocument", install).await?;
        Ok(())
    }

    /// Takes the faults of the current document before it is left.
    pub(super) async fn collect_faults(&mut self) -> Result<()> {
        let script = "return window.__flowFaults?.splice(0) ?? []";
        let found = self.eval(script, &[]).await?;
        for fault in found.as_array().into_iter().flatten().filter_map(Value::as_str) {
            self.seen.push(Fault(fault.to_owned()));
        }
        Ok(())
    }

    /// All faults since the last call, in all tabs, without failed requests: that the provider answers 400 is the
    /// subject of flows.
    pub(crate) async fn take_faults(&mut self) -> Result<Vec<Fault>> {
        let front = self.tab().await;
        for tab in self.driver.windows().await? {
            // A tab whose renderer was killed has no faults.
            if self.switch_to(&tab).await.is_ok() {
                drop(self.collect_faults().await);
            }
        }
        if let Ok(front) = front {
            self.switch_to(&front).await?;
        }
        let mut faults = std::mem::take(&mut self.seen);
        for entry in self.driver.browser_log().await? {
            let is_request = entry.source.as_deref() == Some("network");
            if entry.level == "SEVERE" && !is_request {
                faults.push(Fault(format!("console: {}", entry.message)));
            }
            self.console.push(format!("{} {}", entry.level, entry.message));
        }
        Ok(faults)
    }

    /// Takes over the console and faults of another page, which is then closed.
    pub(crate) async fn hand_over(&mut self, old: &mut Self) -> Result<()> {
        self.seen.extend(old.take_faults().await?);
        self.console.append(&mut old.console);
        Ok(())
    }

    /// The console's lines, as far as [`Page::take_faults`] has read them.
    pub(crate) fn console(&self) -> &[String] {
        &self.console
    }
}
