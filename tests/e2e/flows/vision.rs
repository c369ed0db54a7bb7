//! Flows for images and text-only models: who gets an image, and what text the others get instead.
//!
//! Checked in the requests at the provider.

use anyhow::{Result, ensure};
use nexus_model::provider::Protocol;

use crate::agent_setup;
use crate::app;
use crate::fixture::Fixture;
use crate::flows::files::paste_picture;
use crate::provider::{Answer, Request};
use crate::selectors::*;

fn images(request: &Request) -> usize {
    request.messages().iter().map(|message| message.images).sum()
}

/// A pasted image goes to agents with vision models, and not to the one whose provider reports no vision; that agent
/// and the operator are informed: before sending, at the answer, and in the inspector.
pub(crate) async fn text_only_models(fixture: &mut Fixture) -> Result<()> {
    const TEXT_INSTEAD: &str = "the picture “cat.png” is attached here; you were not given it";
    app::set_up(fixture).await?;
    let ids = agent_setup::spread(fixture, &[("engineer", Protocol::Ollama)]).await?;
    // The connection test reports the models' capabilities.
    agent_setup::open_settings(&fixture.page).await?;
    for id in &ids {
        agent_setup::open_card(&fixture.page, id).await?;
        fixture.page.click(agent_setup::card(id).inner(PROVIDER_TEST)).await?;
        fixture.page.see_text(agent_setup::card(id), "qwen3").await?;
    }
    agent_setup::leave_settings(&fixture.page).await?;
    paste_picture(&fixture.page, "cat.png", (40, 30)).await?;
    fixture.page.see_count(IMAGE_CHIP, 1).await?;
    fixture.page.see_text(IMAGE_UNSEEN, "Engineer").await?;

    fixture.provider.reset();
    for agent in app::AGENTS {
        fixture.provider.queue_for(agent, Answer::say(&format!("{agent} has looked.")));
    }
    app::send_to(&fixture.page, "ALL", "What is it?").await?;
    fixture.page.see_text(answers_of("critic"), "Critic has looked.").await?;
    app::idle(&fixture.page).await?;
    for (agent, seen) in [("Architect", 1), ("Engineer", 0), ("Critic", 1)] {
        let request = fixture.request_of(agent, 1).await?;
        ensure!(images(&request) == seen, "{agent} was shown {} pictures", images(&request));
        ensure!(request.all_text().contains(TEXT_INSTEAD) == (seen == 0), "{agent}: {}", request.all_text());
    }
    let base64 =
        fixture.page.eval("return document.querySelector('.message-picture').src.split(',')[1]", &[]).await?;
    let base64 = base64.as_str().unwrap_or_default();
    let body = |agent: &str| {
        fixture.provider.requests_of(agent).iter().map(|one| one.body.to_string()).collect::<String>()
    };
    ensure!(base64.len() > 50 && body("Critic").contains(base64), "the bytes did not reach the Critic");
    ensure!(!body("Engineer").contains(base64), "the bytes reached a model that sees nothing");

    // The answer says so once; the next question does not repeat it.
    fixture.page.see_text(answers_of("engineer").inner(MESSAGE_UNSEEN), "Without “cat.png”").await?;
    fixture.page.see_count(MESSAGE_UNSEEN, 1).await?;
    fixture.provider.queue_for("Engineer", Answer::say("Still nothing."));
    app::ask(&fixture.page, "engineer", "And now?", "Still nothing.").await?;
    ensure!(images(&fixture.request_of("Engineer", 2).await?) == 0, "the history brought it along");
    fixture.page.see_count(MESSAGE_UNSEEN, 1).await?;
    fixture.page.click_last(INSPECT_TURN).await?;
    fixture.page.see_text(INSPECT_PICTURE_LEFT_OUT, "“cat.png”: the model, or its API format").await?;
    fixture.page.see(INSPECT_AGREES.with("data-agrees", "yes")).await
}
