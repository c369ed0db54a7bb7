//! Controls the page's clock: timers of minutes fire at once, waits for nothing take no time, and the demo is fast.

use std::time::Duration;

use anyhow::Result;
use serde_json::json;

use super::Page;

/// Advances timers and the time of day by the skipped time, in steps, because one timer may start the next.
const CLOCK: &str = r#"(() => {
    if (window.__skip) return;
    const [set, clear] = [window.setTimeout.bind(window), window.clearTimeout.bind(window)];
    const real = Date.now.bind(Date);
    const waiting = new Map();
    let skipped = 0;
    const now = () => real() + skipped;
    const arm = each => { clear(each.real); each.real = set(each.run, Math.max(0, each.until - now())); };
    Date.now = now;
    window.setTimeout = (work, time = 0, ...rest) => {
        const each = { until: now() + Number(time) };
        each.run = () => { waiting.delete(each.id); work(...rest); };
        each.id = each.real = set(each.run, time);
        waiting.set(each.id, each);
        return each.id;
    };
    window.clearTimeout = id => {
        clear(waiting.get(id)?.real ?? id);
        waiting.delete(id);
    };
    const skip = async time => {
        for (const end = now() + time; now() < end;) {
            skipped += Math.min(Math.max(100, time / 60), end - now());
            for (const each of [...waiting.values()]) arm(each);
            await new Promise(done => set(done, 5));
        }
    };
    Object.defineProperty(window, "__skip", { value: skip });
})()"#;

/// Shortens timeouts below two seconds to a fortieth, in the app and not in pages of agents.
const SPEED_UP: &str = r#"(() => {
    if (window.__hurries || location.protocol === "about:" || /\/(preview|check)\.html$/.test(location.pathname)) return;
    window.__hurries = true;
    const wait = window.setTimeout;
    window.setTimeout = (act, time, ...more) => wait(act, time < 2000 ? time / 40 : time, ...more);
})();"#;

impl Page {
    /// Shortens timeouts in the current document and in all that the tab loads later, so that the demo runs fast.
    pub(crate) async fn speed_up(&self) -> Result<()> {
        self.in_every_document(SPEED_UP).await?;
        self.speed_up_once().await
    }

    /// As [`Page::speed_up`], in the current document only.
    pub(crate) async fn speed_up_once(&self) -> Result<()> {
        self.eval(SPEED_UP, &[]).await.map(drop)
    }

    /// Lets [`Page::skip`] drive the clock of every document that the tab in front loads from now on.
    pub(crate) async fn drive_clock(&self) -> Result<()> {
        self.in_every_document(CLOCK).await
    }

    /// Lets this much time pass in the document in front, in a fraction of it.
    pub(crate) async fn skip(&self, time: Duration) -> Result<()> {
        let time = json!(u64::try_from(time.as_millis())?);
        self.eval_async(
            "await window.__skip(arguments[0]); await new Promise(requestAnimationFrame)",
            &[time],
        )
        .await
        .map(drop)
    }
}
