//! Flows for prices, limits and tool rules in the settings, kept over a reload.

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

/// Waits until a field shows a value.
async fn shows(fixture: &Fixture, field: impl Into<Selector>, value: &str) -> Result<()> {
    let field = field.into();
    let expression = "document.querySelector(arguments[0])?.value === arguments[1]";
    fixture
        .page
        .wait_for(&format!("{field} = {value:?}"), expression, &[json!(field.as_str()), json!(value)])
        .await
}

/// A price, a limit and a rule are validated, stored, and kept over a reload; a price is reset to the shipped one.
pub(crate) async fn prices(fixture: &mut Fixture) -> Result<()> {
    let settings = fixture.site.url("/settings/");
    fixture.page.goto(&settings).await?;
    let rule = RULE_TOOL.with("data-tool", "write_file");
    shows(fixture, row(MODEL).inner(PRICE_INPUT), "0.75").await?;

    app::enter(&fixture.page, row(MODEL).inner(PRICE_INPUT), "1,000").await?;
    fixture.page.see_text(row(MODEL), "No comma").await?;
    // A price of minus one is rejected with a reason.
    app::enter(&fixture.page, row(MODEL).inner(PRICE_INPUT), "-1").await?;
    fixture.page.see(row(MODEL).inner(PRICE_INPUT).with("aria-invalid", "true")).await?;
    fixture.page.see(row(MODEL).with("data-own", "false")).await?;
    app::enter(&fixture.page, row(MODEL).inner(PRICE_INPUT), "$9.5").await?;
    fixture.page.see(row(MODEL).with("data-own", "true")).await?;
    app::enter(&fixture.page, row(MODEL).inner(PRICE_OUTPUT), "20").await?;
    app::enter(&fixture.page, CAP_CALLS, "none").await?;
    fixture.page.see_text(SETTINGS, "A whole number from 1 up").await?;
    app::enter(&fixture.page, CAP_CALLS, "12").await?;
    app::enter(&fixture.page, CAP_TOKENS, "250,000").await?;
    app::enter(&fixture.page, CAP_DOLLARS, "1.5").await?;
    fixture.page.select(rule.clone(), "deny").await?;

    // A model that is not in the table gets a row at once, and a price once both numbers are entered.
    app::enter(&fixture.page, PRICE_MODEL, "house/own-model").await?;
    fixture.page.click(PRICE_ADD).await?;
    let own = row("house/own-model");
    app::enter(&fixture.page, own.clone().inner(PRICE_INPUT), "1").await?;
    fixture.page.see_text(own.clone(), "when input and output are set").await?;
    app::enter(&fixture.page, own.clone().inner(PRICE_OUTPUT), "2").await?;
    fixture.page.see(own.clone().with("data-own", "true")).await?;
    for words in ["house/own-model", "cap_dollars", "\"deny\""] {
        fixture.page.stored("events", words).await?;
    }

    fixture.page.reload().await?;
    shows(fixture, row(MODEL).inner(PRICE_INPUT), "9.5").await?;
    shows(fixture, row(MODEL).inner(PRICE_OUTPUT), "20").await?;
    shows(fixture, own.clone().inner(PRICE_OUTPUT), "2").await?;
    shows(fixture, CAP_CALLS, "12").await?;
    shows(fixture, CAP_TOKENS, "250000").await?;
    shows(fixture, CAP_DOLLARS, "1.5").await?;
    shows(fixture, rule.clone(), "deny").await?;

    fixture.page.click(row(MODEL).inner(PRICE_RESET)).await?;
    shows(fixture, row(MODEL).inner(PRICE_INPUT), "0.75").await?;
    fixture.page.see(row(MODEL).with("data-own", "false")).await?;
    fixture.page.click(own.clone().inner(PRICE_RESET)).await?;
    fixture.page.hidden(own).await?;
    fixture.page.select(rule.clone(), "").await?;
    shows(fixture, rule, "").await?;

    // The target of a link is not below the bar.
    fixture.page.click(Selector::css("[data-section=settings-costs]")).await?;
    let script = "const heading = document.getElementById('settings-costs');
        const { left, top } = heading.getBoundingClientRect();
        return heading.contains(document.elementFromPoint(left + 2, top + 2));";
    ensure!(fixture.page.eval(script, &[]).await? == json!(true), "the heading is under the bar");
    Ok(())
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
