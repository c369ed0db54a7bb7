//! Flow for concurrent edits of one text by the operator and an agent, without losing either.

use anyhow::{Context, Result, ensure};
use serde_json::json;

use crate::app;
use crate::parts::*;
use crate::provider::{Answer, Gate};
use crate::stage::Stage;

/// An agent's text appears at once, the operator's typing stays, and the next agent gets both.
pub(super) async fn shared(stage: &mut Stage) -> Result<()> {
    const PLAN: &str = "# Plan\n\none\n\ntwo\n\nthree\n";
    const MINE: &str = "four, by hand";
    let better = PLAN.replace("# Plan", "# Better plan");
    let note =
        |text: &str| Answer::new().text("Noting.").call("update_nexus_state", json!({ "scratchpad": text }));
    stage.provider.queue_for("Architect", note(PLAN));
    stage.provider.queue_for("Architect", Answer::say("Noted."));
    app::say_to(&stage.page, "architect", "Make a plan.").await?;
    stage.page.see_words(answers_of("architect"), "Noted.").await?;
    app::idle(&stage.page).await?;
    stage.page.see_words(SCRATCHPAD, PLAN).await?;

    let typed = Gate::new();
    let rewrite = Answer::new().text("Thinking it over.").hold(&typed);
    let rewrite = rewrite.call("update_nexus_state", json!({ "scratchpad": better }));
    stage.provider.queue_for("Architect", rewrite);
    stage.provider.queue_for("Architect", Answer::say("It is better now."));
    app::say_to(&stage.page, "architect", "Make it better.").await?;
    stage.page.see_words(answers_of("architect"), "Thinking it over.").await?;
    stage.page.type_into(SCRATCHPAD, MINE).await?;
    typed.open();
    stage.page.see_words(answers_of("architect"), "It is better now.").await?;
    app::idle(&stage.page).await?;
    ensure!(stage.page.text(SCRATCHPAD).await?.contains(MINE), "the typed text is lost");
    ensure!(stage.page.focused().await? == "scratchpad", "the field lost its focus");
    stage.page.see_words(SCRATCHPAD, "# Better plan").await?;

    stage.provider.queue_for("Engineer", Answer::say("I see four."));
    app::say_to(&stage.page, "engineer", "What does the plan say?").await?;
    let request = stage.request_of("Engineer", 1).await?;
    let mind = request.mind_block().context("the Engineer was shown no mind")?;
    ensure!(mind.contains("# Better plan") && mind.contains(MINE), "one of the two was lost: {mind}");
    stage.page.see_words(answers_of("engineer"), "I see four.").await?;
    app::idle(&stage.page).await?;
    let shown_text = stage.page.text(SCRATCHPAD).await?;
    ensure!(shown_text == format!("{better}{MINE}"), "the field shows {shown_text:?}");
    Ok(())
}
