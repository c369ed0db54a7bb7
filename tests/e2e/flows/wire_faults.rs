//! A flow for a flood of events.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::json;

use crate::app;
use crate::fixture::Fixture;
use crate::provider::Answer;
use crate::selectors::*;

/// A thousand events at once are one answer; the field accepts input meanwhile.
pub(super) async fn thousand_events(fixture: &mut Fixture) -> Result<()> {
    const EACH: usize = 1_000;
    let event = |text: &str| {
        let part = json!({ "candidates": [{ "content": { "parts": [{ "text": text }], "role": "model" } }] });
        format!("data: {part}\n\n")
    };
    let burst =
        |from: usize| (from..from + EACH).map(|number| event(&format!("{number} "))).collect::<String>();
    let pause = Duration::from_millis(300);
    let answer =
        Answer::new().bytes(burst(0)).wait(pause).bytes(burst(EACH)).wait(pause).bytes(burst(2 * EACH));
    fixture.provider.queue_for("Engineer", answer);
    app::send_to(&fixture.page, "engineer", "Count.").await?;
    // Worst delay of a key during the answer.
    let worst = "let worst = 0;
        const spot = arguments[0];
        for (let last = performance.now(), end = last + 30000; last < end;) {
            await new Promise(done => setTimeout(done));
            const now = performance.now();
            worst = Math.max(worst, now - last);
            last = now;
            if ([...document.querySelectorAll(spot)].some(each => each.textContent.includes(' 2999'))) break;
        }
        return worst;";
    let answer_text = answers_of("engineer").inner(MESSAGE_TEXT);
    let worst = fixture
        .page
        .eval_async(worst, &[json!(answer_text.as_str())])
        .await?
        .as_f64()
        .context("no number")?;
    // 100 ms is noticeable; on this machine a driver and other tests run as well.
    ensure!(worst < 400.0, "a key would have waited {worst} ms");
    app::ended(&fixture.page, "engineer", "completed", None).await?;
    app::idle(&fixture.page).await?;
    let texts = fixture.page.texts(answer_text).await?;
    let text = texts.last().context("no answer")?;
    let numbers: Vec<&str> = text.split_whitespace().collect();
    let wanted: Vec<String> = (0..3 * EACH).map(|number| number.to_string()).collect();
    ensure!(numbers == wanted, "{} numbers arrived", numbers.len());
    Ok(())
}
