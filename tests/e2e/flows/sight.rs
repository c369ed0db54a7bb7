//! Flows for images and text-only models: who gets an image, and what text the others get instead.
//!
//! Checked in the requests at the provider.

use anyhow::{Result, ensure};
use nexus_model::provider::Protocol;

use crate::app;
use crate::flows::files::paste_picture;
use crate::flows::palette;
use crate::parts::*;
use crate::provider::{Answer, Request};
use crate::stage::Stage;
use crate::team;

fn images(request: &Request) -> usize {
    request.messages().iter().map(|message| message.images).sum()
}

/// A pasted image goes to agents with vision models, and not to the one whose provider reports no vision; that agent
/// and the operator are informed: before sending, at the answer, and in the inspector.
pub(crate) async fn blind(stage: &mut Stage) -> Result<()> {
    const TOLD: &str = "the picture “cat.png” is attached here; you were not given it";
    app::set_up(stage).await?;
    let ids = team::spread(stage, &[("engineer", Protocol::Ollama)]).await?;
    // The connection test reports the models' capabilities.
    team::open_settings(&stage.page).await?;
    for id in &ids {
        team::open_card(&stage.page, id).await?;
        stage.page.click(team::card(id).inner(PROVIDER_TEST)).await?;
        stage.page.see_words(team::card(id), "qwen3").await?;
    }
    team::leave_settings(&stage.page).await?;
    paste_picture(&stage.page, "cat.png", (40, 30)).await?;
    stage.page.see_count(IMAGE_CHIP, 1).await?;
    stage.page.see_words(IMAGE_BLIND, "Engineer").await?;

    stage.provider.begin_anew();
    for agent in app::AGENTS {
        stage.provider.queue_for(agent, Answer::say(&format!("{agent} has looked.")));
    }
    app::say_to(&stage.page, "ALL", "What is it?").await?;
    stage.page.see_words(answers_of("critic"), "Critic has looked.").await?;
    app::idle(&stage.page).await?;
    for (agent, seen) in [("Architect", 1), ("Engineer", 0), ("Critic", 1)] {
        let request = stage.request_of(agent, 1).await?;
        ensure!(images(&request) == seen, "{agent} was shown {} pictures", images(&request));
        ensure!(request.all_text().contains(TOLD) == (seen == 0), "{agent}: {}", request.all_text());
    }
    let base64 =
        stage.page.eval("return document.querySelector('.message-picture').src.split(',')[1]", &[]).await?;
    let base64 = base64.as_str().unwrap_or_default();
    let body = |agent: &str| {
        stage.provider.requests_of(agent).iter().map(|one| one.body.to_string()).collect::<String>()
    };
    ensure!(base64.len() > 50 && body("Critic").contains(base64), "the bytes did not reach the Critic");
    ensure!(!body("Engineer").contains(base64), "the bytes reached a model that sees nothing");

    // The answer says so once; the next question does not repeat it.
    stage.page.see_words(answers_of("engineer").inner(MESSAGE_UNSEEN), "Without “cat.png”").await?;
    stage.page.see_count(MESSAGE_UNSEEN, 1).await?;
    stage.provider.queue_for("Engineer", Answer::say("Still nothing."));
    app::say_to(&stage.page, "engineer", "And now?").await?;
    stage.page.see_words(answers_of("engineer"), "Still nothing.").await?;
    app::idle(&stage.page).await?;
    ensure!(images(&stage.request_of("Engineer", 2).await?) == 0, "the history brought it along");
    stage.page.see_count(MESSAGE_UNSEEN, 1).await?;
    stage.page.click_last(INSPECT_TURN).await?;
    stage.page.see_words(INSPECT_PICTURE_LEFT_OUT, "“cat.png”: the model, or its API format").await?;
    stage.page.see(INSPECT_AGREES.with("data-agrees", "yes")).await
}

/// Attachments go to every model of a comparison.
pub(super) async fn race(stage: &mut Stage) -> Result<()> {
    stage.provider.otherwise(|request| Some(Answer::say(&format!("{} has looked.", request.model())).into()));
    paste_picture(&stage.page, "cat.png", (40, 30)).await?;
    stage.page.see_count(IMAGE_CHIP, 1).await?;
    palette::run(&stage.page, "new prompt", "race-new").await?;
    stage.page.see_words(RACE_IMAGES, "cat.png").await?;
    stage.page.fill(RACE_TEXT, "What is it?").await?;
    stage.page.click(RACE_START).await?;
    stage.page.see_count(RACE_LANE, 2).await?;
    stage.until("requests to both models", |stage| stage.provider.calls().len() == 2).await?;
    stage.page.see_count(IMAGE_CHIP, 0).await?;
    for request in stage.provider.calls() {
        ensure!(images(&request) == 1, "{} was shown {} pictures", request.model(), images(&request));
    }
    Ok(())
}
