//! The flow for the usage and cost of answers. Prices and limits in the settings are tested in
//! `tests/web/settings.rs`.

use anyhow::{Context, Result, ensure};
use serde_json::json;

use crate::agent_setup;
use crate::app;
use crate::fixture::Fixture;
use crate::provider::Answer;
use crate::selectors::*;

const MODEL: &str = "gemini-3.8-flash";

fn row(model: &str) -> Selector {
    PRICE_ROW.with("data-model", model)
}

/// For each answer with a cost: the dollars shown, and those computed from its tokens at a thousandth of a dollar
/// each.
async fn shown_and_computed(fixture: &Fixture) -> Result<Vec<(f64, f64)>> {
    let script = "return [...document.querySelectorAll(arguments[0])].map((cost) => [
        cost.textContent, cost.closest(arguments[1]).firstElementChild.textContent])";
    let selectors = [Selector::from(MESSAGE_COST), Selector::from(MESSAGE_USAGE)]
        .map(|selector| json!(selector.as_str()));
    let shown: Vec<(String, String)> = serde_json::from_value(fixture.page.eval(script, &selectors).await?)?;
    let mut all = Vec::new();
    for (cost, counts) in shown {
        let dollars = cost.strip_prefix("≈ $").with_context(|| format!("{cost:?} is no estimate"))?;
        let counts = counts.replace(',', "").replace(" tokens", "");
        let tokens: Vec<f64> = counts.split(" → ").map(str::parse).collect::<Result<_, _>>()?;
        ensure!(tokens.len() == 2, "{counts:?} are no two counts");
        all.push((dollars.parse()?, tokens.iter().sum::<f64>() / 1_000.0));
    }
    Ok(all)
}

/// Each answer shows its usage and, if the price is known, its cost: also after a tool call.
pub(crate) async fn of_messages(fixture: &mut Fixture) -> Result<()> {
    app::set_up(fixture).await?;
    ensure!(fixture.page.count(MESSAGE_USAGE).await? > 0, "the usage is missing");
    ensure!(fixture.page.count(MESSAGE_COST).await? == 0, "a server on this machine has no price");
    agent_setup::open_settings(&fixture.page).await?;
    app::enter(&fixture.page, row(MODEL).inner(PRICE_INPUT), "1000").await?;
    app::enter(&fixture.page, row(MODEL).inner(PRICE_OUTPUT), "1000").await?;
    fixture.page.see(row(MODEL).with("data-own", "true")).await?;
    fixture.page.stored("events", "1000").await?;
    agent_setup::leave_settings(&fixture.page).await?;
    fixture.provider.queue_for("Engineer", Answer::say("I look.").call("list_files", json!({})));
    fixture.provider.queue_for("Engineer", Answer::say("Nothing there."));
    app::send_to(&fixture.page, "engineer", "What is there?").await?;
    fixture.page.see_text(answers_of("engineer").with("data-continued", "true"), "Nothing there.").await?;
    app::idle(&fixture.page).await?;
    // Two calls, one line: the turn's usage.
    fixture.page.see_count(MESSAGE_COST, 1).await?;
    for (shown, reckoned) in shown_and_computed(fixture).await? {
        ensure!((shown - reckoned).abs() < 0.006, "{shown} is shown for {reckoned}");
    }
    Ok(())
}
