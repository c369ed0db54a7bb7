//! Flows that measure the delay before a retry at the provider, with and without a readable hint.

use std::ops::Range;

use anyhow::{Context, Result, ensure};
use nexus_model::provider::Protocol;

use crate::agent_setup;
use crate::app;
use crate::fixture::Fixture;
use crate::provider::{Answer, ApiError, Reply};
use crate::selectors::*;

/// 429 without a delay.
fn slow_down() -> Reply {
    Reply::error(&ApiError { code: 429, status: "RESOURCE_EXHAUSTED", ..ApiError::argument("Slow down.") })
}

/// Seconds between the requests of an agent.
fn gaps(fixture: &Fixture, agent: &str) -> Vec<f64> {
    let requests = fixture.provider.requests_of(agent);
    let pairs = requests.iter().zip(requests.iter().skip(1));
    pairs.map(|(one, next)| next.at.duration_since(one.at).as_secs_f64()).collect()
}

/// Checks the gaps of an agent against these bounds. A busy machine may be late, never early.
fn waited(fixture: &Fixture, agent: &str, bounds: &[Range<f64>]) -> Result<()> {
    let gaps = gaps(fixture, agent);
    let holds = gaps.len() == bounds.len() && gaps.iter().zip(bounds).all(|(gap, bound)| bound.contains(gap));
    ensure!(holds, "{agent} retried after {gaps:?} s, which is not within {bounds:?}");
    Ok(())
}

/// Seconds shown by the countdown.
async fn countdown(fixture: &Fixture) -> Result<u64> {
    fixture.page.see(RETRY_COUNTDOWN).await?;
    let text = fixture.page.text(RETRY_COUNTDOWN).await?;
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    digits.parse().with_context(|| format!("no number in {text:?}"))
}

/// A delay in a header counts if CORS exposes it: in seconds, in milliseconds, as a date. Hidden, it is ignored;
/// above a minute, the operator is asked at once.
pub(crate) async fn hint_in_header(fixture: &mut Fixture) -> Result<()> {
    // Architect stays at Gemini.
    agent_setup::spread(fixture, &[("engineer", Protocol::Anthropic), ("critic", Protocol::Responses)])
        .await?;
    let date = fixture.page.eval("return new Date(Date.now() + 4000).toUTCString()", &[]).await?;
    let date = date.as_str().context("no date")?;
    let cases: [(&str, &str, Reply, Range<f64>); 3] = [
        ("Engineer", "engineer", slow_down().with_header("retry-after", "2"), 2.0..4.5),
        (
            "Critic",
            "critic",
            slow_down().with_header("retry-after-ms", "1200").with_header("retry-after", "30"),
            1.2..4.0,
        ),
        // The rest of the four seconds when the response arrives.
        ("Architect", "architect", slow_down().with_header("retry-after", date), 0.5..6.0),
    ];
    // Reversed: the date gets stale.
    for (name, agent, limited, bound) in cases.into_iter().rev() {
        fixture.provider.reset();
        fixture.provider.queue_for(name, limited);
        fixture.provider.queue_for(name, Answer::say(&format!("{name} goes on.")));
        app::send_to(&fixture.page, agent, "Go.").await?;
        fixture.page.see_text(answers_of(agent), &format!("{name} goes on.")).await?;
        app::idle(&fixture.page).await?;
        waited(fixture, name, &[bound])?;
    }

    fixture.provider.reset();
    fixture.provider.queue_for("Architect", slow_down().with_hidden_header("retry-after", "1"));
    fixture.provider.queue_for("Architect", Answer::say("At once."));
    app::send_to(&fixture.page, "architect", "And now?").await?;
    let shown = countdown(fixture).await?;
    ensure!((3..=6).contains(&shown), "it shows {shown} s, which it cannot know");
    fixture.page.click(RETRY_NOW).await?;
    fixture.page.see_text(answers_of("architect"), "At once.").await?;
    app::idle(&fixture.page).await?;

    fixture.provider.reset();
    fixture.provider.queue_for("Engineer", slow_down().with_header("retry-after", "3600"));
    app::send_to(&fixture.page, "engineer", "And you?").await?;
    fixture.page.see_text(ERROR_CARD, "asks to wait 1:00:00").await?;
    app::idle(&fixture.page).await?;
    ensure!(fixture.provider.calls().len() == 1, "it was retried within the hour");
    Ok(())
}
