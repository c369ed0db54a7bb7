//! A flow for the approval of a tool call on a phone.

use anyhow::Result;
use serde_json::json;

use crate::agent_setup;
use crate::app;
use crate::fixture::Fixture;
use crate::provider::Answer;
use crate::selectors::*;

/// On a phone the whole card is visible, however long the text, also with a queued message.
pub(crate) async fn on_a_phone(fixture: &mut Fixture) -> Result<()> {
    app::set_up(fixture).await?;
    agent_setup::rule(&fixture.page, "engineer", "write_file", "ask").await?;
    let long: String = (1..=80).map(|line| format!("Line {line} of a long file.\n")).collect();
    let write = json!({ "name": "long.txt", "content": long });
    fixture.provider.queue_for("Engineer", Answer::new().text("If I may.").call("write_file", write));
    fixture.provider.queue_for("Engineer", Answer::say("Thank you."));
    let page = &fixture.page;
    page.resize(360, 780).await?;
    app::send_to(page, "engineer", "Write.").await?;
    page.see(APPROVAL_CARD).await?;
    app::send(page, "And then?").await?;
    page.see(QUEUE_ITEM).await?;
    let is_whole = "(() => {
        const [card, room] = [...arguments].map(each => document.querySelector(each).getBoundingClientRect());
        return card.top >= room.top && card.bottom <= room.bottom && document.documentElement.scrollWidth <= 360;
    })()";
    let selectors =
        [Selector::from(APPROVAL_CARD), Selector::from(TIMELINE)].map(|selector| json!(selector.as_str()));
    page.wait_for("all of the approval in view", is_whole, &selectors).await?;
    page.click(QUEUE_WITHDRAW).await?;
    // The notice of the removed message covers no button.
    page.click(APPROVAL_APPROVE).await?;
    page.see_text(answers_of("engineer"), "Thank you.").await?;
    app::idle(page).await
}
