//! Flows for faults at the byte level: no response, floods, pings, invalid bytes, and abandoned answers.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::json;

use crate::agent_setup;
use crate::app;
use crate::fixture::Fixture;
use crate::provider::Answer;
use crate::selectors::*;

/// A closed port, an unknown name and a host without CORS are indistinguishable for a page, so the text is the same:
/// it lists what to check and claims no cause.
pub(crate) async fn no_answer(fixture: &mut Fixture) -> Result<()> {
    app::set_up(fixture).await?;
    fixture.expect_fault("has been blocked by CORS policy");
    agent_setup::open_settings(&fixture.page).await?;
    // Port 9 (discard) is closed everywhere; names below `invalid` never exist.
    let addresses = ["http://127.0.0.1:9", "https://nobody.invalid", &fixture.provider.base_url()];
    let mut ids = Vec::new();
    for address in addresses {
        ids.push(agent_setup::add_preset(&fixture.page, PRESET_OLLAMA, address).await?);
    }
    // Two of the three are allowed only after a reload.
    fixture.page.reload().await?;
    fixture.page.see(SETTINGS).await?;
    for (agent, id) in ["architect", "engineer", "critic"].into_iter().zip(&ids) {
        agent_setup::assign(&fixture.page, agent, id, "llama-of-nobody").await?;
    }
    let home = fixture.site.url("/");
    fixture.page.goto(&home).await?;
    fixture.page.see(WAR_ROOM).await?;
    fixture.provider.reject_origins(true);
    app::send_to(&fixture.page, "ALL", "Anybody?").await?;
    fixture.page.see_count(ERROR_CARD, 3).await?;
    app::idle(&fixture.page).await?;
    let cards = fixture.page.texts(ERROR_CARD).await?;
    for (card, address) in cards.iter().zip(addresses) {
        ensure!(card.contains("cannot be reached") && card.contains(address), "the card reads {card:?}");
        ensure!(card.contains("does not say why"), "it claims a cause: {card:?}");
    }
    fixture.page.see_count(REACH_CHECKS, 3).await?;
    let checks = fixture.page.texts(REACH_CHECKS).await?;
    ensure!(checks.iter().all(|list| !list.trim().is_empty()), "the lists say {checks:?}");
    ensure!(fixture.provider.calls().is_empty(), "a rejected request was answered");
    fixture.page.see_count(RETRY, 3).await
}

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
