//! Flows for prices, limits and tool rules in the settings, kept over a reload.

use anyhow::{Context, Result, ensure};
use serde_json::json;

use crate::app;
use crate::parts::*;
use crate::provider::Answer;
use crate::stage::Stage;
use crate::team;

const MODEL: &str = "gemini-3.8-flash";

fn row(model: &str) -> Selector {
    PRICE_ROW.with("data-model", model)
}

/// Waits until a field shows a value.
async fn shows(stage: &Stage, field: impl Into<Selector>, value: &str) -> Result<()> {
    let field = field.into();
    let expression = "document.querySelector(arguments[0])?.value === arguments[1]";
    stage
        .page
        .wait_for(&format!("{field} = {value:?}"), expression, &[json!(field.as_str()), json!(value)])
        .await
}

/// A price, a limit and a rule are validated, stored, and kept over a reload; a price is reset to the shipped one.
pub(crate) async fn prices(stage: &mut Stage) -> Result<()> {
    let settings = stage.site.url("/settings/");
    stage.page.goto(&settings).await?;
    let rule = RULE_TOOL.with("data-tool", "write_file");
    shows(stage, row(MODEL).inner(PRICE_INPUT), "0.75").await?;

    app::enter(&stage.page, row(MODEL).inner(PRICE_INPUT), "1,000").await?;
    stage.page.see_words(row(MODEL), "No comma").await?;
    // A price of minus one is rejected with a reason.
    app::enter(&stage.page, row(MODEL).inner(PRICE_INPUT), "-1").await?;
    stage.page.see(row(MODEL).inner(PRICE_INPUT).with("aria-invalid", "true")).await?;
    stage.page.see(row(MODEL).with("data-own", "false")).await?;
    app::enter(&stage.page, row(MODEL).inner(PRICE_INPUT), "$9.5").await?;
    stage.page.see(row(MODEL).with("data-own", "true")).await?;
    app::enter(&stage.page, row(MODEL).inner(PRICE_OUTPUT), "20").await?;
    app::enter(&stage.page, CAP_CALLS, "none").await?;
    stage.page.see_words(SETTINGS, "A whole number from 1 up").await?;
    app::enter(&stage.page, CAP_CALLS, "12").await?;
    app::enter(&stage.page, CAP_TOKENS, "250,000").await?;
    app::enter(&stage.page, CAP_DOLLARS, "1.5").await?;
    stage.page.select(rule.clone(), "deny").await?;

    // A model that is not in the table gets a row at once, and a price once both numbers are entered.
    app::enter(&stage.page, PRICE_MODEL, "house/own-model").await?;
    stage.page.click(PRICE_ADD).await?;
    let own = row("house/own-model");
    app::enter(&stage.page, own.clone().inner(PRICE_INPUT), "1").await?;
    stage.page.see_words(own.clone(), "when input and output are set").await?;
    app::enter(&stage.page, own.clone().inner(PRICE_OUTPUT), "2").await?;
    stage.page.see(own.clone().with("data-own", "true")).await?;
    for words in ["house/own-model", "cap_dollars", "\"deny\""] {
        stage.page.stored("events", words).await?;
    }

    stage.page.reload().await?;
    shows(stage, row(MODEL).inner(PRICE_INPUT), "9.5").await?;
    shows(stage, row(MODEL).inner(PRICE_OUTPUT), "20").await?;
    shows(stage, own.clone().inner(PRICE_OUTPUT), "2").await?;
    shows(stage, CAP_CALLS, "12").await?;
    shows(stage, CAP_TOKENS, "250000").await?;
    shows(stage, CAP_DOLLARS, "1.5").await?;
    shows(stage, rule.clone(), "deny").await?;

    stage.page.click(row(MODEL).inner(PRICE_RESET)).await?;
    shows(stage, row(MODEL).inner(PRICE_INPUT), "0.75").await?;
    stage.page.see(row(MODEL).with("data-own", "false")).await?;
    stage.page.click(own.clone().inner(PRICE_RESET)).await?;
    stage.page.hidden(own).await?;
    stage.page.select(rule.clone(), "").await?;
    shows(stage, rule, "").await?;

    // The target of a link is not below the bar.
    stage.page.click(Selector::css("[data-section=settings-costs]")).await?;
    let script = "const heading = document.getElementById('settings-costs');
        const { left, top } = heading.getBoundingClientRect();
        return heading.contains(document.elementFromPoint(left + 2, top + 2));";
    ensure!(stage.page.eval(script, &[]).await? == json!(true), "the heading is under the bar");
    Ok(())
}

/// For each answer with a cost: the dollars shown, and those computed from its tokens at a thousandth of a dollar
/// each.
async fn shown_and_computed(stage: &Stage) -> Result<Vec<(f64, f64)>> {
    let script = "return [...document.querySelectorAll(arguments[0])].map((cost) => [
        cost.textContent, cost.closest(arguments[1]).firstElementChild.textContent])";
    let selectors = [Selector::from(MESSAGE_COST), Selector::from(MESSAGE_SPENT)]
        .map(|selector| json!(selector.as_str()));
    let shown: Vec<(String, String)> = serde_json::from_value(stage.page.eval(script, &selectors).await?)?;
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
pub(crate) async fn of_messages(stage: &mut Stage) -> Result<()> {
    app::set_up(stage).await?;
    ensure!(stage.page.count(MESSAGE_SPENT).await? > 0, "the usage is missing");
    ensure!(stage.page.count(MESSAGE_COST).await? == 0, "a server on this machine has no price");
    team::open_settings(&stage.page).await?;
    app::enter(&stage.page, row(MODEL).inner(PRICE_INPUT), "1000").await?;
    app::enter(&stage.page, row(MODEL).inner(PRICE_OUTPUT), "1000").await?;
    stage.page.see(row(MODEL).with("data-own", "true")).await?;
    stage.page.stored("events", "1000").await?;
    team::leave_settings(&stage.page).await?;
    stage.provider.queue_for("Engineer", Answer::say("I look.").call("list_files", json!({})));
    stage.provider.queue_for("Engineer", Answer::say("Nothing there."));
    app::say_to(&stage.page, "engineer", "What is there?").await?;
    stage.page.see_words(answers_of("engineer").with("data-continued", "true"), "Nothing there.").await?;
    app::idle(&stage.page).await?;
    // Two calls, one line: the turn's usage.
    stage.page.see_count(MESSAGE_COST, 1).await?;
    for (shown, reckoned) in shown_and_computed(stage).await? {
        ensure!((shown - reckoned).abs() < 0.006, "{shown} is shown for {reckoned}");
    }
    Ok(())
}
