//! Flows for several rounds: repeating until the work is accepted, and queued messages.

use anyhow::{Context as _, Result, ensure};
use serde_json::json;

use crate::app;
use crate::flows::pictures;
use crate::parts::*;
use crate::provider::{Answer, Gate};
use crate::stage::Stage;

/// Messages queued during a run: changed, withdrawn, edited, held by Stop.
pub(crate) async fn waiting(stage: &mut Stage) -> Result<()> {
    app::set_up(stage).await?;
    queue(stage).await?;
    app::afresh(stage).await?;
    editing(stage).await?;
    app::afresh(stage).await?;
    stop(stage).await
}

/// Effect of a message on the active run, and a run of several rounds.
pub(crate) async fn several(stage: &mut Stage) -> Result<()> {
    app::set_up(stage).await?;
    modes(stage).await?;
    app::afresh(stage).await?;
    keep_going(stage).await
}

/// The round repeats until the Critic accepts the work by its tool.
async fn keep_going(stage: &mut Stage) -> Result<()> {
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

/// Messages queued during a run are visible; they can be changed and withdrawn until they are taken.
async fn queue(stage: &mut Stage) -> Result<()> {
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
    ensure!(taken.all_text().contains("Wait for it."), "it was delivered before the end of the run");
    ensure!(!taken.all_text().contains("Third."), "a withdrawn message was sent");
    Ok(())
}

/// Edits the first queued message in place: the composer's text stays.
async fn edit_first(stage: &Stage, text: &str) -> Result<()> {
    stage.page.fill(COMPOSER, "Not sent yet.").await?;
    stage.page.click(QUEUE_ITEM.inner(QUEUE_EDIT)).await?;
    stage.page.see_words(QUEUE_TEXT, "Second.").await?;
    stage.page.fill(QUEUE_TEXT, text).await?;
    stage.page.click(QUEUE_KEEP).await?;
    stage.page.hidden(QUEUE_TEXT).await?;
    stage.page.see_words(COMPOSER, "Not sent yet.").await?;
    stage.page.fill(COMPOSER, "").await
}

/// The queue mode is chosen for each message: join the run, wait, be collected, or stop the run. A queued message can
/// be changed, and keeps its mode and unfinished edit over a reload.
async fn modes(stage: &mut Stage) -> Result<()> {
    let gate = Gate::new();
    stage.provider.queue_for("Architect", Answer::new().text("Plan").hold(&gate).text(" made."));
    app::say_to(&stage.page, "ALL", "First.").await?;
    stage.page.see_words(answers_of("architect"), "Plan").await?;
    let queued =
        [("steer", "Keep it small."), ("follow_up", "And a test."), ("collect", "One."), ("collect", "Two.")];
    for (at, (mode, text)) in queued.into_iter().enumerate() {
        stage.page.choose(QUEUE_MODE, mode).await?;
        app::say(&stage.page, text).await?;
        // The choice is reset when the message is accepted.
        stage.page.see_count(QUEUE_ITEM, at + 1).await?;
    }
    // The choice was for that message only.
    app::say(&stage.page, "As usual.").await?;
    stage.page.see_count(QUEUE_ITEM, 5).await?;
    let modes = stage.page.attributes(QUEUE_ITEM, "data-mode").await?;
    ensure!(modes == ["steer", "follow_up", "collect", "collect", "follow_up"], "{modes:?}");
    stage.page.choose(QUEUE_ITEM.last().inner(QUEUE_ITEM_MODE), "collect").await?;
    stage.page.see_count(QUEUE_ITEM.with("data-mode", "collect"), 3).await?;
    if let Some(folder) = pictures::folder() {
        stage.page.screenshot(&folder.join("queue-modes.png")).await?;
    }
    stage.provider.queue_for("Engineer", Answer::say("Small it is."));
    stage.provider.queue_for("Critic", Answer::new().text("Hm").hold(&Gate::new()));
    gate.open();
    stage.page.see_words(answers_of("critic"), "Hm").await?;
    let steered = stage.request_of("Engineer", 1).await?;
    ensure!(steered.last_user_text().contains("Keep it small."), "what steers did not join the next turn");
    ensure!(!steered.all_text().contains("And a test."), "what waits for the end did not wait");
    stage.page.see_count(QUEUE_ITEM, 4).await?;

    // An unfinished edit of a queued message, and a reload in the middle.
    stage.page.click(QUEUE_ITEM.inner(QUEUE_EDIT)).await?;
    stage.page.fill(QUEUE_TEXT, "And two tests.").await?;
    stage.page.reload().await?;
    stage.page.see_words(QUEUE_TEXT, "And two tests.").await?;
    stage.page.see_count(QUEUE_ITEM.with("data-mode", "collect"), 3).await?;
    stage.page.click(QUEUE_KEEP).await?;
    stage.page.see_words(QUEUE_ITEM, "And two tests.").await?;

    // Interrupting messages first, then queued ones in order, then collected ones at once.
    let before = stage.provider.requests().len();
    for answer in ["Stopped for this.", "Two tests.", "All three."] {
        for agent in ["Architect", "Engineer", "Critic"] {
            stage.provider.queue_for(agent, Answer::say(answer));
        }
    }
    stage.page.choose(QUEUE_MODE, "interrupt").await?;
    app::say(&stage.page, "Stop and do this.").await?;
    stage.page.see_words(answers_of("critic"), "All three.").await?;
    app::idle(&stage.page).await?;
    stage.page.see_count(QUEUE_ITEM, 0).await?;
    let requests = stage.provider.requests();
    let prompts: Vec<String> =
        requests.iter().skip(before).step_by(3).map(|request| request.all_text()).collect();
    ensure!(requests.len() == before + 9, "three runs of three, and not {}", requests.len() - before);
    let steps = [("Stop and do this.", "And two tests."), ("And two tests.", "As usual.")];
    for (prompt, (there, not_yet)) in prompts.iter().zip(steps) {
        ensure!(
            prompt.contains(there) && !prompt.contains(not_yet),
            "not {there:?}, or too early {not_yet:?}"
        );
    }
    let last = prompts.last().context("nothing was collected")?;
    ensure!(["One.", "Two.", "As usual."].iter().all(|words| last.contains(words)), "not collected");
    Ok(())
}

/// Stop holds queued messages, also over a reload, until they are sent or discarded; a new message is sent alone.
async fn stop(stage: &mut Stage) -> Result<()> {
    stage.provider.queue_for("Engineer", Answer::new().text("Busy").hold(&Gate::new()));
    app::say_to(&stage.page, "engineer", "Work.").await?;
    stage.page.see_words(answers_of("engineer"), "Busy").await?;
    for text in ["One.", "Two.", "Three."] {
        app::say(&stage.page, text).await?;
    }
    stage.page.see_count(QUEUE_ITEM, 3).await?;
    ensure!(stage.page.count(QUEUE_HELD).await? == 0, "it is paused before Stop");
    stage.page.click(STOP).await?;
    stage.page.see_words(QUEUE_HELD, "3 queued messages are held").await?;
    stage.page.see_count(QUEUE_ITEM.with("data-held", "true"), 3).await?;
    app::idle(&stage.page).await?;
    if let Some(folder) = pictures::folder() {
        stage.page.screenshot(&folder.join("queue-held.png")).await?;
    }
    stage.page.reload().await?;
    stage.page.see_words(QUEUE_HELD, "3 queued messages are held").await?;

    // A new message does not include them, and its end starts nothing.
    stage.provider.queue_for("Engineer", Answer::say("Alone."));
    app::say_to(&stage.page, "engineer", "Something else.").await?;
    stage.page.see_words(answers_of("engineer"), "Alone.").await?;
    app::idle(&stage.page).await?;
    let alone = stage.request_of("Engineer", 2).await?;
    ensure!(!alone.all_text().contains("One."), "a paused message was sent with another one");
    stage.page.see_count(QUEUE_ITEM, 3).await?;
    ensure!(stage.provider.requests().len() == 2, "a message was sent automatically");

    stage.provider.queue_for("Engineer", Answer::say("The second."));
    stage.page.click(QUEUE_ITEM.last().inner(QUEUE_WITHDRAW)).await?;
    stage.page.see_words(QUEUE_HELD, "2 queued messages are held").await?;
    stage.page.click(QUEUE_ITEM.last().inner(QUEUE_SEND)).await?;
    stage.page.see_words(answers_of("engineer"), "The second.").await?;
    app::idle(&stage.page).await?;
    let sent = stage.request_of("Engineer", 3).await?;
    ensure!(
        sent.last_user_text().contains("Two.") && !sent.all_text().contains("One."),
        "not that one alone"
    );
    stage.page.see_words(QUEUE_HELD, "1 queued message is held").await?;
    stage.page.click(QUEUE_DISCARD_ALL).await?;
    stage.page.see_count(QUEUE_ITEM, 0).await?;
    // Discarded messages are restored by undo, and survive a reload.
    stage.page.click_last(NOTICE_UNDO).await?;
    stage.page.see_words(QUEUE_HELD, "1 queued message is held").await?;
    stage.page.reload().await?;
    stage.page.see_words(QUEUE_HELD, "1 queued message is held").await?;
    stage.page.click(QUEUE_DISCARD_ALL).await?;
    stage.page.see_count(QUEUE_ITEM, 0).await?;

    stage.provider.queue_for("Engineer", Answer::new().text("Again").hold(&Gate::new()));
    app::say_to(&stage.page, "engineer", "Once more.").await?;
    stage.page.see_words(answers_of("engineer"), "Again").await?;
    app::say(&stage.page, "Later.").await?;
    stage.page.see_count(QUEUE_ITEM, 1).await?;
    stage.page.click(STOP).await?;
    stage.provider.queue_for("Engineer", Answer::say("Later it is."));
    stage.page.click(QUEUE_SEND_ALL).await?;
    stage.page.see_words(answers_of("engineer"), "Later it is.").await?;
    stage.page.see_count(QUEUE_ITEM, 0).await
}

/// A queued message is not sent while its edit is open, also over a reload; saving or discarding the edit sends it.
async fn editing(stage: &mut Stage) -> Result<()> {
    let gate = Gate::new();
    stage.provider.queue_for("Engineer", Answer::new().text("Wait").hold(&gate).text(" for it."));
    app::say_to(&stage.page, "engineer", "First.").await?;
    stage.page.see_words(answers_of("engineer"), "Wait").await?;
    for text in ["Old words.", "As it was."] {
        app::say(&stage.page, text).await?;
    }
    stage.page.see_count(QUEUE_ITEM, 2).await?;
    stage.page.click(QUEUE_ITEM.inner(QUEUE_EDIT)).await?;
    stage.page.see_words(QUEUE_TEXT, "Old words.").await?;
    stage.page.click(QUEUE_ITEM.last().inner(QUEUE_EDIT)).await?;
    stage.page.see_count(QUEUE_TEXT, 2).await?;
    gate.open();
    stage.page.see_words(answers_of("engineer"), "Wait for it.").await?;
    app::idle(&stage.page).await?;
    stage.page.see_count(QUEUE_TEXT, 2).await?;
    ensure!(stage.provider.requests().len() == 1, "it was sent while it was edited");
    stage.page.reload().await?;
    stage.page.see_count(QUEUE_TEXT, 2).await?;

    stage.provider.queue_for("Engineer", Answer::say("New indeed."));
    stage.page.fill(QUEUE_ITEM.inner(QUEUE_TEXT), "New words.").await?;
    stage.page.click(QUEUE_ITEM.inner(QUEUE_KEEP)).await?;
    stage.page.see_words(answers_of("engineer"), "New indeed.").await?;
    app::idle(&stage.page).await?;
    let sent = stage.request_of("Engineer", 2).await?;
    ensure!(sent.last_user_text().contains("New words."), "{}", sent.last_user_text());
    ensure!(!sent.all_text().contains("Old words."), "it was sent in its old words");
    stage.provider.queue_for("Engineer", Answer::say("As ever."));
    stage.page.click(QUEUE_ITEM.inner(QUEUE_LEAVE)).await?;
    stage.page.see_words(answers_of("engineer"), "As ever.").await?;
    let sent = stage.request_of("Engineer", 3).await?;
    ensure!(sent.last_user_text().contains("As it was."), "{}", sent.last_user_text());
    stage.page.see_count(QUEUE_ITEM, 0).await
}
