//! More than one round: work that repeats until it is accepted, and messages that wait for their turn.

use anyhow::{Result, ensure};
use serde_json::json;

use crate::app;
use crate::parts::*;
use crate::provider::{Answer, Gate};
use crate::stage::Stage;

/// The round repeats until the Critic accepts the work by its tool.
pub(crate) async fn keep_going(stage: &mut Stage) -> Result<()> {
    app::set_up(stage).await?;
    stage.page.click(KEEP_GOING).await?;
    for (round, plan) in [(1, "- [ ] greet"), (2, "- [x] greet")] {
        let note = Answer::new().call("update_nexus_state", json!({ "scratchpad": plan }));
        stage.provider.queue_for("Architect", note);
        stage.provider.queue_for("Architect", Answer::say(&format!("Plan {round}.")));
        stage.provider.queue_for("Engineer", app::writing("hello.html", &format!("<p>Hello {round}</p>\n")));
        stage.provider.queue_for("Engineer", Answer::say(&format!("Built {round}.")));
    }
    stage.provider.queue_for("Critic", Answer::say("Not yet: it greets only once."));
    let verdict = json!({ "accepted": true, "reasons": "It greets twice." });
    stage.provider.queue_for("Critic", Answer::new().call("accept_work", verdict));
    stage.provider.queue_for("Critic", Answer::say("Accepted."));
    app::say_to(&stage.page, "ALL", "Greet until it is right.").await?;
    stage.page.see_words(answers_of("critic"), "Accepted.").await?;
    app::idle(&stage.page).await?;

    let order = ["Architect", "Engineer", "Critic", "Architect", "Engineer", "Critic"];
    ensure!(stage.provider.order() == order, "the order was {:?}", stage.provider.order());
    let second = stage.request_of("Architect", 3).await?;
    ensure!(second.mind_block().is_some_and(|mind| mind.contains("Hello 1")), "round 2 saw a stale mind");
    ensure!(second.all_text().contains("Not yet: it greets only once."));
    stage.page.see_words(FILE_EDITOR, "Hello 2").await?;
    stage.page.see_count(ROUND, 2).await?;
    let ends = stage.page.texts(ROUND).await?;
    ensure!(
        ends.iter().all(|end| end.contains("hello.html")),
        "the rounds do not say what changed: {ends:?}"
    );
    let title = "document.title.toLowerCase().includes('finished')";
    stage.page.wait_for("the title to say that it is finished", title, &[]).await?;
    stage.page.see_words(TIMELINE, "It greets twice.").await
}

/// While a run works, messages wait where they can be seen; they can be changed and withdrawn until they are taken.
pub(crate) async fn queue(stage: &mut Stage) -> Result<()> {
    app::set_up(stage).await?;
    let gate = Gate::new();
    stage.provider.queue_for("Engineer", Answer::new().text("Wait").hold(&gate).text(" for it."));
    app::say_to(&stage.page, "engineer", "First.").await?;
    stage.page.see_words(answers_of("engineer"), "Wait").await?;
    app::say(&stage.page, "Second.").await?;
    stage.page.see_count(QUEUE_ITEM, 1).await?;
    app::say(&stage.page, "Third.").await?;
    stage.page.see_count(QUEUE_ITEM, 2).await?;
    ensure!(stage.provider.requests().len() == 1, "a message did not wait");

    edit_first(stage, "Second, but better.").await?;
    stage.page.see_words(QUEUE_ITEM, "Second, but better.").await?;
    stage.page.click(QUEUE_ITEM.last().inner(QUEUE_WITHDRAW)).await?;
    stage.page.see_count(QUEUE_ITEM, 1).await?;

    stage.provider.queue_for("Engineer", Answer::say("Better indeed."));
    gate.open();
    stage.page.see_words(answers_of("engineer"), "Better indeed.").await?;
    app::idle(&stage.page).await?;
    stage.page.see_count(QUEUE_ITEM, 0).await?;
    ensure!(stage.provider.requests().len() == 2, "one message waited, and more were sent");
    let taken = stage.request_of("Engineer", 2).await?;
    ensure!(taken.last_user_text().contains("Second, but better."));
    ensure!(taken.all_text().contains("Wait for it."), "it was taken before the run had ended");
    ensure!(!taken.all_text().contains("Third."), "a withdrawn message was sent");
    Ok(())
}

/// Takes the first waiting message back into its field, and changes it.
async fn edit_first(stage: &Stage, text: &str) -> Result<()> {
    stage.page.click(QUEUE_ITEM.inner(QUEUE_EDIT)).await?;
    stage.page.see_words(COMPOSER, "Second.").await?;
    app::say(&stage.page, text).await
}
