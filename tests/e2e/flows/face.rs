//! Flows for what a newcomer uses first: a model on this machine, the bar of changes, commands and sessions at hand.

use anyhow::{Result, ensure};
use serde_json::json;
use thirtyfour::Key;

use crate::app;
use crate::parts::*;
use crate::provider::{Answer, Provider};
use crate::stage::Stage;

/// Where Ollama listens if nobody changed it.
const OLLAMA: u16 = 11_434;

/// From the address to the first answer with a server on this machine: it is found by a click, and needs no key.
pub(crate) async fn local_model(stage: &mut Stage) -> Result<()> {
    let home = stage.site.url("/");
    let page = &mut stage.page;
    page.goto(&home).await?;
    page.see(FIRST_START).await?;
    page.click(FIRST_LOCAL).await?;
    page.see_words(FIRST_LOCAL_TOLD, "No server answered").await?;
    page.eval("document.querySelector('.first-help').open = true", &[]).await?;
    page.see_words(FIRST_LOCAL_HELP, "OLLAMA_ORIGINS").await?;

    let Ok(server) = Provider::start_at(OLLAMA) else {
        nexus_text::testing::not_checked(format_args!(
            "first-local: port {OLLAMA} is taken, so no server can be found there"
        ));
        return Ok(());
    };
    server.queue_for("Architect", Answer::say("Planned on this machine."));
    page.click(FIRST_LOCAL_AGAIN).await?;
    page.see(FIRST_LOCAL_MODEL).await?;
    page.fill(FIRST_OBJECTIVE, app::OBJECTIVE).await?;
    page.click(FIRST_GO).await?;
    page.see_words(answers_of("architect"), "Planned on this machine.").await?;
    app::idle(page).await?;
    let keys = server.requests().iter().filter(|request| request.header("authorization").is_some()).count();
    ensure!(keys == 0, "{keys} requests carried a key");
    Ok(())
}

/// The bar tells what agents changed until it is dealt with: looked at, kept, or undone, which can be undone.
pub(crate) async fn changes_bar(stage: &mut Stage) -> Result<()> {
    app::set_up(stage).await?;
    let page = &mut stage.page;
    ensure!(page.count(CHANGES_TOLD).await? == 0, "nothing was changed");
    let write = json!({ "name": "poem.txt", "content": "roses\nviolets\n" });
    stage.provider.queue_for("Engineer", Answer::new().call("write_file", write));
    stage.provider.queue_for("Engineer", Answer::say("Written."));
    app::say_to(page, "engineer", "Write.").await?;
    page.see_words(answers_of("engineer"), "Written.").await?;
    app::idle(page).await?;
    page.see_words(CHANGES_TOLD, "1 file changed").await?;
    page.see_words(CHANGES_TOLD, "+2").await?;
    page.click(CHANGES_REVIEW).await?;
    page.see(COMPARE_LIST).await?;

    page.click(CHANGES_UNDO).await?;
    page.gone(CHANGES_TOLD).await?;
    page.click(FACE_EDIT).await?;
    page.gone(FILE_TAB).await?;
    page.click(NOTICE_UNDO).await?;
    page.see_words(FILE_TAB, "poem.txt").await?;
    page.see_words(CHANGES_TOLD, "1 file changed").await?;

    page.click(CHANGES_KEEP).await?;
    page.gone(CHANGES_TOLD).await?;
    page.see_words(FILE_TAB, "poem.txt").await?;
    page.reload().await?;
    page.see_words(FILE_TAB, "poem.txt").await?;
    ensure!(page.count(CHANGES_TOLD).await? == 0, "it was kept");
    Ok(())
}

/// Commands in the message box, the last message by the arrow key, and sessions in the left pane.
pub(crate) async fn at_hand(stage: &mut Stage) -> Result<()> {
    app::set_up(stage).await?;
    let page = &stage.page;
    page.click(COMPOSER).await?;
    page.press(Key::Up).await?;
    page.see_words(EDIT_TEXT, app::OBJECTIVE).await?;
    page.press(Key::Escape).await?;
    page.gone(EDIT_TEXT).await?;

    page.click(COMPOSER).await?;
    page.press("/ne").await?;
    page.see_words(MENTION_LIST, "New session").await?;
    page.press(Key::Enter).await?;
    page.see_count(RAIL_SESSION, 2).await?;
    ensure!(page.text(COMPOSER).await?.is_empty(), "the command is no message");
    page.see(RAIL_SESSION.with("aria-current", "true")).await?;
    // The oldest stands last.
    page.click_last(RAIL_SESSION).await?;
    page.see_words(SESSION_SWITCHER, "main").await?;
    page.click(RAIL_NEW).await?;
    page.see_count(RAIL_SESSION, 3).await?;
    page.wait_for("the focus in the message box", "document.activeElement?.id === 'composer'", &[]).await?;

    page.click(agent_card("critic").inner(AGENT_CARD_MODEL)).await?;
    page.see(SETTINGS).await?;
    page.wait_for("the focus in the field of the model", "document.activeElement?.id === 'critic-model'", &[])
        .await
}
