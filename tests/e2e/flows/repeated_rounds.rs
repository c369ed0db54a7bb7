//! Flows for several rounds: repeating until the work is accepted, and queued messages.

use anyhow::{Context as _, Result, ensure};
use serde_json::json;

use crate::app;
use crate::fixture::Fixture;
use crate::flows::screenshots;
use crate::provider::{Answer, Gate};
use crate::selectors::*;

/// Messages queued during a run: changed, withdrawn, edited, held by Stop.
pub(crate) async fn waiting(fixture: &mut Fixture) -> Result<()> {
    app::set_up(fixture).await?;
    queue(fixture).await?;
    app::start_over(fixture).await?;
    editing(fixture).await?;
    app::start_over(fixture).await?;
    stop(fixture).await
}

/// Effect of a message on the active run, and a run of several rounds.
pub(crate) async fn several(fixture: &mut Fixture) -> Result<()> {
    app::set_up(fixture).await?;
    modes(fixture).await?;
    app::start_over(fixture).await?;
    keep_going(fixture).await
}

/// The round repeats until the Critic accepts the work by its tool.
async fn keep_going(fixture: &mut Fixture) -> Result<()> {
    fixture.page.click(KEEP_GOING).await?;
    for (round, plan) in [(1, "- [ ] greet"), (2, "- [x] greet")] {
        let note = Answer::new().call("update_nexus_state", json!({ "scratchpad": plan }));
        fixture.provider.queue_for("Architect", note);
        fixture.provider.queue_for("Architect", Answer::say(&format!("Plan {round}.")));
        fixture
            .provider
            .queue_for("Engineer", app::writing("hello.html", &format!("<p>Hello {round}</p>\n")));
        fixture.provider.queue_for("Engineer", Answer::say(&format!("Built {round}.")));
    }
    fixture.provider.queue_for("Critic", Answer::say("Not yet: it greets only once."));
    let verdict = json!({ "accepted": true, "reasons": "It greets twice." });
    fixture.provider.queue_for("Critic", Answer::new().call("accept_work", verdict));
    fixture.provider.queue_for("Critic", Answer::say("Accepted."));
    app::send_to(&fixture.page, "ALL", "Greet until it is right.").await?;
    fixture.page.see_text(answers_of("critic"), "Accepted.").await?;
    app::idle(&fixture.page).await?;

    let order = ["Architect", "Engineer", "Critic", "Architect", "Engineer", "Critic"];
    ensure!(fixture.provider.order() == order, "the order was {:?}", fixture.provider.order());
    let second = fixture.request_of("Architect", 3).await?;
    ensure!(second.mind_block().is_some_and(|mind| mind.contains("Hello 1")), "round 2 saw a stale mind");
    ensure!(second.all_text().contains("Not yet: it greets only once."));
    fixture.page.see_text(FILE_EDITOR, "Hello 2").await?;
    fixture.page.see_count(ROUND, 2).await?;
    let ends = fixture.page.texts(ROUND).await?;
    ensure!(
        ends.iter().all(|end| end.contains("hello.html")),
        "the rounds do not say what changed: {ends:?}"
    );
    let title = "document.title.toLowerCase().includes('finished')";
    fixture.page.wait_for("the title to say that it is finished", title, &[]).await?;
    fixture.page.see_text(TIMELINE, "It greets twice.").await
}

/// Messages queued during a run are visible; they can be changed and withdrawn until they are taken.
async fn queue(fixture: &mut Fixture) -> Result<()> {
    let gate = Gate::new();
    fixture.provider.queue_for("Engineer", Answer::new().text("Wait").hold(&gate).text(" for it."));
    app::send_to(&fixture.page, "engineer", "First.").await?;
    fixture.page.see_text(answers_of("engineer"), "Wait").await?;
    app::send(&fixture.page, "Second.").await?;
    fixture.page.see_count(QUEUE_ITEM, 1).await?;
    app::send(&fixture.page, "Third.").await?;
    fixture.page.see_count(QUEUE_ITEM, 2).await?;
    ensure!(fixture.provider.requests().len() == 1, "a message did not wait");

    edit_first(fixture, "Second, but better.").await?;
    fixture.page.see_text(QUEUE_ITEM, "Second, but better.").await?;
    fixture.page.click(QUEUE_ITEM.last().inner(QUEUE_WITHDRAW)).await?;
    fixture.page.see_count(QUEUE_ITEM, 1).await?;

    fixture.provider.queue_for("Engineer", Answer::say("Better indeed."));
    gate.open();
    fixture.page.see_text(answers_of("engineer"), "Better indeed.").await?;
    app::idle(&fixture.page).await?;
    fixture.page.see_count(QUEUE_ITEM, 0).await?;
    ensure!(fixture.provider.requests().len() == 2, "one message waited, and more were sent");
    let taken = fixture.request_of("Engineer", 2).await?;
    ensure!(taken.last_user_text().contains("Second, but better."));
    ensure!(taken.all_text().contains("Wait for it."), "it was delivered before the end of the run");
    ensure!(!taken.all_text().contains("Third."), "a withdrawn message was sent");
    Ok(())
}

/// Edits the first queued message in place: the composer's text stays.
async fn edit_first(fixture: &Fixture, text: &str) -> Result<()> {
    fixture.page.fill(COMPOSER, "Not sent yet.").await?;
    fixture.page.click(QUEUE_ITEM.inner(QUEUE_EDIT)).await?;
    fixture.page.see_text(QUEUE_TEXT, "Second.").await?;
    fixture.page.fill(QUEUE_TEXT, text).await?;
    fixture.page.click(QUEUE_KEEP).await?;
    fixture.page.hidden(QUEUE_TEXT).await?;
    fixture.page.see_text(COMPOSER, "Not sent yet.").await?;
    fixture.page.fill(COMPOSER, "").await
}

/// The queue mode is chosen for each message: join the run, wait, be collected, or stop the run. A queued message can
/// be changed, and keeps its mode and unfinished edit over a reload.
async fn modes(fixture: &mut Fixture) -> Result<()> {
    let gate = Gate::new();
    fixture.provider.queue_for("Architect", Answer::new().text("Plan").hold(&gate).text(" made."));
    app::send_to(&fixture.page, "ALL", "First.").await?;
    fixture.page.see_text(answers_of("architect"), "Plan").await?;
    let queued =
        [("steer", "Keep it small."), ("follow_up", "And a test."), ("collect", "One."), ("collect", "Two.")];
    for (at, (mode, text)) in queued.into_iter().enumerate() {
        fixture.page.choose(QUEUE_MODE, mode).await?;
        app::send(&fixture.page, text).await?;
        // The choice is reset when the message is accepted.
        fixture.page.see_count(QUEUE_ITEM, at + 1).await?;
    }
    // The choice was for that message only.
    app::send(&fixture.page, "As usual.").await?;
    fixture.page.see_count(QUEUE_ITEM, 5).await?;
    let modes = fixture.page.attributes(QUEUE_ITEM, "data-mode").await?;
    ensure!(modes == ["steer", "follow_up", "collect", "collect", "follow_up"], "{modes:?}");
    fixture.page.choose(QUEUE_ITEM.last().inner(QUEUE_ITEM_MODE), "collect").await?;
    fixture.page.see_count(QUEUE_ITEM.with("data-mode", "collect"), 3).await?;
    if let Some(folder) = screenshots::folder() {
        fixture.page.screenshot(&folder.join("queue-modes.png")).await?;
    }
    fixture.provider.queue_for("Engineer", Answer::say("Small it is."));
    fixture.provider.queue_for("Critic", Answer::new().text("Hm").hold(&Gate::new()));
    gate.open();
    fixture.page.see_text(answers_of("critic"), "Hm").await?;
    let steered = fixture.request_of("Engineer", 1).await?;
    ensure!(steered.last_user_text().contains("Keep it small."), "what steers did not join the next turn");
    ensure!(!steered.all_text().contains("And a test."), "what waits for the end did not wait");
    fixture.page.see_count(QUEUE_ITEM, 4).await?;

    // An unfinished edit of a queued message, and a reload in the middle.
    fixture.page.click(QUEUE_ITEM.inner(QUEUE_EDIT)).await?;
    fixture.page.fill(QUEUE_TEXT, "And two tests.").await?;
    fixture.page.reload().await?;
    fixture.page.see_text(QUEUE_TEXT, "And two tests.").await?;
    fixture.page.see_count(QUEUE_ITEM.with("data-mode", "collect"), 3).await?;
    fixture.page.click(QUEUE_KEEP).await?;
    fixture.page.see_text(QUEUE_ITEM, "And two tests.").await?;

    // Interrupting messages first, then queued ones in order, then collected ones at once.
    let before = fixture.provider.requests().len();
    for answer in ["Stopped for this.", "Two tests.", "All three."] {
        for agent in ["Architect", "Engineer", "Critic"] {
            fixture.provider.queue_for(agent, Answer::say(answer));
        }
    }
    fixture.page.choose(QUEUE_MODE, "interrupt").await?;
    app::send(&fixture.page, "Stop and do this.").await?;
    fixture.page.see_text(answers_of("critic"), "All three.").await?;
    app::idle(&fixture.page).await?;
    fixture.page.see_count(QUEUE_ITEM, 0).await?;
    let requests = fixture.provider.requests();
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
async fn stop(fixture: &mut Fixture) -> Result<()> {
    fixture.provider.queue_for("Engineer", Answer::new().text("Busy").hold(&Gate::new()));
    app::send_to(&fixture.page, "engineer", "Work.").await?;
    fixture.page.see_text(answers_of("engineer"), "Busy").await?;
    for text in ["One.", "Two.", "Three."] {
        app::send(&fixture.page, text).await?;
    }
    fixture.page.see_count(QUEUE_ITEM, 3).await?;
    ensure!(fixture.page.count(QUEUE_HELD).await? == 0, "it is paused before Stop");
    fixture.page.click(STOP).await?;
    fixture.page.see_text(QUEUE_HELD, "3 queued messages are held").await?;
    fixture.page.see_count(QUEUE_ITEM.with("data-held", "true"), 3).await?;
    app::idle(&fixture.page).await?;
    if let Some(folder) = screenshots::folder() {
        fixture.page.screenshot(&folder.join("queue-held.png")).await?;
    }
    fixture.page.reload().await?;
    fixture.page.see_text(QUEUE_HELD, "3 queued messages are held").await?;

    // A new message does not include them, and its end starts nothing.
    fixture.provider.queue_for("Engineer", Answer::say("Alone."));
    app::ask(&fixture.page, "engineer", "Something else.", "Alone.").await?;
    let alone = fixture.request_of("Engineer", 2).await?;
    ensure!(!alone.all_text().contains("One."), "a paused message was sent with another one");
    fixture.page.see_count(QUEUE_ITEM, 3).await?;
    ensure!(fixture.provider.requests().len() == 2, "a message was sent automatically");

    fixture.provider.queue_for("Engineer", Answer::say("The second."));
    fixture.page.click(QUEUE_ITEM.last().inner(QUEUE_WITHDRAW)).await?;
    fixture.page.see_text(QUEUE_HELD, "2 queued messages are held").await?;
    fixture.page.click(QUEUE_ITEM.last().inner(QUEUE_SEND)).await?;
    fixture.page.see_text(answers_of("engineer"), "The second.").await?;
    app::idle(&fixture.page).await?;
    let sent = fixture.request_of("Engineer", 3).await?;
    ensure!(
        sent.last_user_text().contains("Two.") && !sent.all_text().contains("One."),
        "not that one alone"
    );
    fixture.page.see_text(QUEUE_HELD, "1 queued message is held").await?;
    fixture.page.click(QUEUE_DISCARD_ALL).await?;
    fixture.page.see_count(QUEUE_ITEM, 0).await?;
    // Discarded messages are restored by undo, and survive a reload.
    fixture.page.click_last(NOTICE_UNDO).await?;
    fixture.page.see_text(QUEUE_HELD, "1 queued message is held").await?;
    fixture.page.reload().await?;
    fixture.page.see_text(QUEUE_HELD, "1 queued message is held").await?;
    fixture.page.click(QUEUE_DISCARD_ALL).await?;
    fixture.page.see_count(QUEUE_ITEM, 0).await?;

    fixture.provider.queue_for("Engineer", Answer::new().text("Again").hold(&Gate::new()));
    app::send_to(&fixture.page, "engineer", "Once more.").await?;
    fixture.page.see_text(answers_of("engineer"), "Again").await?;
    app::send(&fixture.page, "Later.").await?;
    fixture.page.see_count(QUEUE_ITEM, 1).await?;
    fixture.page.click(STOP).await?;
    fixture.provider.queue_for("Engineer", Answer::say("Later it is."));
    fixture.page.click(QUEUE_SEND_ALL).await?;
    fixture.page.see_text(answers_of("engineer"), "Later it is.").await?;
    fixture.page.see_count(QUEUE_ITEM, 0).await
}

/// A queued message is not sent while its edit is open, also over a reload; saving or discarding the edit sends it.
async fn editing(fixture: &mut Fixture) -> Result<()> {
    let gate = Gate::new();
    fixture.provider.queue_for("Engineer", Answer::new().text("Wait").hold(&gate).text(" for it."));
    app::send_to(&fixture.page, "engineer", "First.").await?;
    fixture.page.see_text(answers_of("engineer"), "Wait").await?;
    for text in ["Old words.", "As it was."] {
        app::send(&fixture.page, text).await?;
    }
    fixture.page.see_count(QUEUE_ITEM, 2).await?;
    fixture.page.click(QUEUE_ITEM.inner(QUEUE_EDIT)).await?;
    fixture.page.see_text(QUEUE_TEXT, "Old words.").await?;
    fixture.page.click(QUEUE_ITEM.last().inner(QUEUE_EDIT)).await?;
    fixture.page.see_count(QUEUE_TEXT, 2).await?;
    gate.open();
    fixture.page.see_text(answers_of("engineer"), "Wait for it.").await?;
    app::idle(&fixture.page).await?;
    fixture.page.see_count(QUEUE_TEXT, 2).await?;
    ensure!(fixture.provider.requests().len() == 1, "it was sent while it was edited");
    fixture.page.reload().await?;
    fixture.page.see_count(QUEUE_TEXT, 2).await?;

    fixture.provider.queue_for("Engineer", Answer::say("New indeed."));
    fixture.page.fill(QUEUE_ITEM.inner(QUEUE_TEXT), "New words.").await?;
    fixture.page.click(QUEUE_ITEM.inner(QUEUE_KEEP)).await?;
    fixture.page.see_text(answers_of("engineer"), "New indeed.").await?;
    app::idle(&fixture.page).await?;
    let sent = fixture.request_of("Engineer", 2).await?;
    ensure!(sent.last_user_text().contains("New words."), "{}", sent.last_user_text());
    ensure!(!sent.all_text().contains("Old words."), "it was sent in its old words");
    fixture.provider.queue_for("Engineer", Answer::say("As ever."));
    fixture.page.click(QUEUE_ITEM.inner(QUEUE_LEAVE)).await?;
    fixture.page.see_text(answers_of("engineer"), "As ever.").await?;
    let sent = fixture.request_of("Engineer", 3).await?;
    ensure!(sent.last_user_text().contains("As it was."), "{}", sent.last_user_text());
    fixture.page.see_count(QUEUE_ITEM, 0).await
}
