//! Clicks of the mouse: at a point of the element, which alone receives them.

use std::time::Instant;

use anyhow::{Result, bail, ensure};
use serde_json::{Value, json};

use super::{POLL_INTERVAL, Page, TIMEOUT};
use crate::selectors::Selector;

/// Scrolls the first visible match into view and returns the point to click, or why it cannot be clicked. The driver's
/// own click does the same at three times the processor time. Within a frame, points are not those of the window:
/// `frame`.
const CLICK_POINT: &str = "if (window !== window.top) return 'frame';
    const match = [...document.querySelectorAll(arguments[0])].find(each => each.checkVisibility());
    if (!match) return 'not found';
    match.scrollIntoView({ block: 'nearest', inline: 'nearest', behavior: 'instant' });
    const box = [...match.getClientRects()].find(each => each.width > 0 && each.height > 0);
    if (!box) return 'without size';
    const [x, y] = [
        (Math.max(box.left, 0) + Math.min(box.right, innerWidth)) / 2,
        (Math.max(box.top, 0) + Math.min(box.bottom, innerHeight)) / 2,
    ].map(Math.floor);
    const top = document.elementFromPoint(x, y);
    if (!match.contains(top)) return `covered by ${top?.cloneNode().outerHTML}`;
    window.__flowClick = { match };
    return [x, y];";

/// True if the match moved while it was clicked: pressed or released, another element was at the point.
const CLICK_MISSED: &str = "const isMissed = window.__flowClick?.isMissed ?? false;
    window.__flowClick = undefined;
    return isMissed;";

impl Page {
    /// Clicks the first visible match as soon as it is not covered.
    pub(crate) async fn click(&self, selector: impl Into<Selector>) -> Result<()> {
        let selector = selector.into();
        let arguments = [json!(selector.as_str())];
        let until = Instant::now() + TIMEOUT;
        loop {
            let mut place = self.eval(CLICK_POINT, &arguments).await.unwrap_or_default();
            if let [Some(x), Some(y)] = [place.get(0), place.get(1)].map(|at| at.and_then(Value::as_i64)) {
                self.actions().move_to(x, y).click().perform().await?;
                // A document that the click has replaced does not answer.
                if self.eval(CLICK_MISSED, &[]).await.is_ok_and(|missed| missed == true) {
                    place = json!("moved");
                } else {
                    return Ok(());
                }
            }
            if place == "frame" {
                return self.act(&selector, "click", async |element| element.click().await).await;
            }
            ensure!(Instant::now() < until, "could not click {selector}: {place}");
            self.scroll_to(&selector).await;
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    }

    /// Clicks the last visible match.
    pub(crate) async fn click_last(&self, selector: impl Into<Selector>) -> Result<()> {
        let selector = selector.into();
        let script = "const all = [...document.querySelectorAll(arguments[0])]
            .filter(each => each.checkVisibility());
            all.at(-1)?.scrollIntoView({ block: 'center' });
            all.at(-1)?.click();
            return all.length > 0;";
        self.see(selector.clone()).await?;
        let clicked = self.eval(script, &[json!(selector.as_str())]).await?;
        if clicked == true { Ok(()) } else { bail!("{selector} was removed") }
    }
}
