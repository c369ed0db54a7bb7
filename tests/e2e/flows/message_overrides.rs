//! Flows for the options of one message: chosen in the composer, shown, sent, and kept when the message is edited.

use anyhow::{Result, ensure};
use thirtyfour::Key;

use crate::app;
use crate::fixture::Fixture;
use crate::flows::screenshots;
use crate::page::Page;
use crate::provider::{Answer, Gate, Request};
use crate::selectors::*;

/// Takes a screenshot if they are enabled.
async fn picture(page: &Page, name: &str) -> Result<()> {
    screenshots::moment(page, &format!("overriding-{name}")).await
}

/// A tool is denied for a message: this is shown until it is sent, applies to its turn and not to the next; an edit
/// of the message keeps it until it is reset.
pub(crate) async fn message(fixture: &mut Fixture) -> Result<()> {
    app::set_up(fixture).await?;
    let page = &fixture.page;
    page.click(OVERRIDE_OPEN).await?;
    page.click(Selector::css(&format!("{} summary", Selector::from(OVERRIDE_TOOLS)))).await?;
    page.choose(OVERRIDE_TOOL.with("data-tool", "write_file"), "deny").await?;
    picture(page, "dialog").await?;
    page.click(OVERRIDE_DONE).await?;
    page.hidden(OVER).await?;
    page.has_focus("override-open").await?;
    page.see_text(OVERRIDE_CHIP, "Deny: write_file").await?;
    picture(page, "chip").await?;
    fixture.provider.reset();
    fixture.provider.queue_for("Engineer", Answer::say("I only look."));
    app::ask(page, "engineer", "Look at it.", "I only look.").await?;
    page.hidden(OVERRIDE_CHIP).await?;
    let first = fixture.request_of("Engineer", 1).await?;
    ensure!(
        !first.tools().contains(&"write_file") && first.tools().contains(&"read_file"),
        "{:?}",
        first.tools()
    );

    // An edit keeps it, and it can be reset.
    for (answer, held) in [("I look again.", true), ("I may write.", false)] {
        let act = "[...document.querySelectorAll(arguments[0])].at(-1).querySelector(arguments[1]).click()";
        let question = MESSAGE.with("data-role", "user");
        let selectors = [question.as_str().into(), Selector::from(TURN_ACTIONS).as_str().into()];
        page.eval(act, &selectors).await?;
        page.click(TURN_EDIT).await?;
        page.see_text(EDIT_MESSAGE.inner(OVERRIDE_CHIP), "Deny: write_file").await?;
        if !held {
            page.click(EDIT_MESSAGE.inner(OVERRIDE_CLEAR)).await?;
            page.hidden(OVERRIDE_CHIP).await?;
        }
        fixture.provider.queue_for("Engineer", Answer::say(answer));
        page.click(EDIT_RESEND).await?;
        page.see_text(answers_of("engineer"), answer).await?;
        app::idle(page).await?;
        let number = if held { 2 } else { 3 };
        let request = fixture.request_of("Engineer", number).await?;
        ensure!(request.tools().contains(&"write_file") != held, "{:?}", request.tools());
    }
    // A message to one agent may use another effort; while it is queued, it says so.
    let gate = Gate::new();
    fixture.provider.queue_for("Engineer", Answer::new().text("I am at it. ").hold(&gate));
    app::send_to(page, "engineer", "Take your time.").await?;
    page.see_text(answers_of("engineer"), "I am at it.").await?;
    page.click(OVERRIDE_OPEN).await?;
    page.choose(OVERRIDE_THINKING, "high").await?;
    page.fill(OVERRIDE_TEMPERATURE, "3").await?;
    page.press(Key::Tab).await?;
    page.see_text(OVER, "A number from 0 to 2").await?;
    app::enter(page, OVERRIDE_TEMPERATURE, "0,3").await?;
    picture(page, "parameters").await?;
    page.click(OVERRIDE_DONE).await?;
    page.see_text(OVERRIDE_CHIP, "Reasoning effort: High · Temperature: 0.3").await?;
    page.fill(COMPOSER, "Think hard.").await?;
    page.click(SEND).await?;
    page.see_text(QUEUE_OVER, "Reasoning effort: High · Temperature: 0.3").await?;
    fixture.provider.queue_for("Engineer", Answer::say("I thought hard."));
    gate.open();
    page.see_text(answers_of("engineer"), "I thought hard.").await?;
    app::idle(page).await?;
    let (before, after) =
        (fixture.request_of("Engineer", 4).await?, fixture.request_of("Engineer", 5).await?);
    let level =
        |request: &Request| request.body.pointer("/generationConfig/thinkingConfig/thinkingLevel").cloned();
    ensure!(level(&before) != level(&after) && level(&after) == Some("high".into()), "{}", after.body);
    ensure!(after.body.pointer("/generationConfig/temperature") == Some(&0.3.into()), "{}", after.body);
    fixture.provider.queue_for("Engineer", Answer::say("As always."));
    app::ask(page, "engineer", "And now?", "As always.").await?;
    ensure!(
        level(&fixture.request_of("Engineer", 6).await?) == level(&before),
        "it also applied to the next message"
    );
    // The sibling turn shows its own options.
    page.click(SIBLING_PREVIOUS).await?;
    page.see_text(answers_of("engineer"), "I look again.").await?;
    page.click_last(INSPECT_TURN).await?;
    page.see_text(INSPECT_STATUS, "Deny: write_file").await?;
    picture(page, "inspected").await
}
