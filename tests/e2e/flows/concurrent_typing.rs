//! Flow for concurrent edits of one text by the operator and an agent, without losing either.

use anyhow::{Context, Result, ensure};
use serde_json::json;

use crate::app;
use crate::fixture::Fixture;
use crate::provider::{Answer, Gate};
use crate::selectors::*;

/// An agent's text appears at once, the operator's typing stays, and the next agent gets both.
pub(super) async fn shared(fixture: &mut Fixture) -> Result<()> {
    const PLAN: &str = "# Plan\n\none\n\ntwo\n\nthree\n";
    const MINE: &str = "four, by hand";
    let better = PLAN.replace("# Plan", "# Better plan");
    let note =
        |text: &str| Answer::new().text("Noting.").call("update_nexus_state", json!({ "scratchpad": text }));
    fixture.provider.queue_for("Architect", note(PLAN));
    fixture.provider.queue_for("Architect", Answer::say("Noted."));
    app::ask(&fixture.page, "architect", "Make a plan.", "Noted.").await?;
    fixture.page.see_text(SCRATCHPAD, PLAN).await?;

    let typed = Gate::new();
    let rewrite = Answer::new().text("Thinking it over.").hold(&typed);
    let rewrite = rewrite.call("update_nexus_state", json!({ "scratchpad": better }));
    fixture.provider.queue_for("Architect", rewrite);
    fixture.provider.queue_for("Architect", Answer::say("It is better now."));
    app::send_to(&fixture.page, "architect", "Make it better.").await?;
    fixture.page.see_text(answers_of("architect"), "Thinking it over.").await?;
    fixture.page.type_into(SCRATCHPAD, MINE).await?;
    typed.open();
    fixture.page.see_text(answers_of("architect"), "It is better now.").await?;
    app::idle(&fixture.page).await?;
    ensure!(fixture.page.text(SCRATCHPAD).await?.contains(MINE), "the typed text is lost");
    ensure!(fixture.page.focused().await? == "scratchpad", "the field lost its focus");
    fixture.page.see_text(SCRATCHPAD, "# Better plan").await?;

    fixture.provider.queue_for("Engineer", Answer::say("I see four."));
    app::send_to(&fixture.page, "engineer", "What does the plan say?").await?;
    let request = fixture.request_of("Engineer", 1).await?;
    let mind = request.mind_block().context("the Engineer was shown no mind")?;
    ensure!(mind.contains("# Better plan") && mind.contains(MINE), "one of the two was lost: {mind}");
    fixture.page.see_text(answers_of("engineer"), "I see four.").await?;
    app::idle(&fixture.page).await?;
    let shown_text = fixture.page.text(SCRATCHPAD).await?;
    ensure!(shown_text == format!("{better}{MINE}"), "the field shows {shown_text:?}");
    Ok(())
}
