//! Flows for what survives a reload, a crash and another tab.

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::app;
use crate::parts::*;
use crate::provider::{Answer, Gate, KEY};
use crate::site::{TRAP_SCRIPT, TRAP_WORDS};
use crate::stage::Stage;

/// A reload in mid-stream keeps the received text, marked as interrupted; no call is made until the operator resumes.
pub(crate) async fn reload(stage: &mut Stage) -> Result<()> {
    app::set_up(stage).await?;
    let never = Gate::new();
    stage.provider.queue_for("Architect", app::writing("kept.txt", "kept\n"));
    stage.provider.queue_for("Architect", Answer::new().text("Half an ans").hold(&never).text("wer"));
    app::say_to(&stage.page, "ALL", "Answer at length.").await?;
    stage.page.see_words(answers_of("architect"), "Half an ans").await?;
    // Received text is stored within a second.
    app::say(&stage.page, "And then this.").await?;
    stage.page.see_count(QUEUE_ITEM, 1).await?;
    stage.page.fill(COMPOSER, "A draft").await?;
    stage.page.stored("partials", "Half an ans").await?;
    stage.page.reload().await?;

    stage.page.see(WAR_ROOM).await?;
    app::ended(&stage.page, "architect", "failed", Some("interrupted")).await?;
    stage.page.see_words(answers_of("architect").inner(MESSAGE_TEXT), "Half an ans").await?;
    stage.page.see_words(TIMELINE, "Answer at length.").await?;
    stage.page.see_words(FILE_EDITOR, "kept").await?;
    stage.page.see_words(COMPOSER, "A draft").await?;
    stage.page.see_words(QUEUE_ITEM, "And then this.").await?;
    stage.page.click(QUEUE_ITEM.inner(QUEUE_WITHDRAW)).await?;
    stage.page.see_count(QUEUE_ITEM, 0).await?;
    stage.page.see(TOOL_CARD.with("data-status", "succeeded")).await?;
    stage.page.see(GO_ON).await?;
    let title = "document.title.toLowerCase().includes('needs you')";
    stage.page.wait_for("the title to say that it needs the operator", title, &[]).await?;
    ensure!(stage.provider.requests().len() == 2, "a request was sent without the operator");

    stage.provider.otherwise(|_| Some(Answer::say("On we go.").into()));
    stage.page.click(GO_ON).await?;
    let engineer = stage.request_of("Engineer", 1).await?;
    ensure!(engineer.all_text().contains("Half an ans"), "the partial answer is not in the history");
    ensure!(engineer.last_user_text().contains("Answer at length."), "the query was lost");
    stage.page.see_words(answers_of("critic"), "On we go.").await?;
    app::idle(&stage.page).await?;

    // An interrupted run can be ended instead; the session is then free again.
    stage.provider.begin_anew();
    stage.provider.queue_for("Architect", Answer::new().text("Begun once mo").hold(&Gate::new()));
    app::say_to(&stage.page, "ALL", "Answer at length.").await?;
    stage.page.stored("partials", "Begun once mo").await?;
    stage.page.reload().await?;
    stage.page.click(END_RUN).await?;
    stage.page.hidden(END_RUN).await?;
    stage.page.hidden(GO_ON).await?;
    ensure!(stage.provider.requests().len() == 1, "a request was sent without the operator");
    stage.provider.queue_for("Critic", Answer::say("Free again."));
    app::say_to(&stage.page, "critic", "And now?").await?;
    stage.page.see_words(answers_of("critic"), "Free again.").await?;
    app::idle(&stage.page).await
}

/// Data of each session, and after a crash of the renderer.
pub(crate) async fn sessions_kept(stage: &mut Stage) -> Result<()> {
    app::set_up(stage).await?;
    sessions(stage).await?;
    killed(stage).await
}

/// Each session has its own thread and mind, before and after a reload.
async fn sessions(stage: &mut Stage) -> Result<()> {
    app::new_session(&stage.page).await?;
    let second = app::session(&stage.page).await?;
    stage.provider.queue_for("Engineer", app::writing("second.txt", "of the second\n"));
    stage.provider.queue_for("Engineer", Answer::say("Nothing was here."));
    app::say_to(&stage.page, "engineer", "What is here?").await?;
    stage.page.see_words(answers_of("engineer"), "Nothing was here.").await?;
    app::idle(&stage.page).await?;
    let request = stage.request_of("Engineer", 1).await?;
    ensure!(!request.all_text().contains("is ready."), "a message of another session was sent");
    ensure!(!request.all_text().contains(app::OBJECTIVE), "the mind of another session was sent");

    let sessions = app::sessions(&stage.page).await?;
    let first = sessions.iter().find(|id| **id != second).context("there is no other session")?;
    app::open_session(&stage.page, first).await?;
    stage.page.see_words(answers_of("critic"), "Critic is ready.").await?;
    stage.page.see_words(OBJECTIVE_FIELD, app::OBJECTIVE).await?;
    ensure!(stage.page.count(FILE_TAB).await? == 0, "a file is in another session");
    stage.page.reload().await?;
    stage.page.see_words(answers_of("critic"), "Critic is ready.").await?;
    app::open_session(&stage.page, &second).await?;
    stage.page.see_words(answers_of("engineer"), "Nothing was here.").await?;
    stage.page.see_words(FILE_EDITOR, "of the second").await
}

/// A crash of the renderer loses nothing that was acknowledged.
async fn killed(stage: &mut Stage) -> Result<()> {
    stage.provider.queue_for("Engineer", app::writing("work.txt", "much work\n"));
    stage.provider.queue_for("Engineer", Answer::say("It is done."));
    app::say_to(&stage.page, "engineer", "Work.").await?;
    stage.page.see_words(answers_of("engineer"), "It is done.").await?;
    app::idle(&stage.page).await?;
    stage.page.crash_renderer().await?;
    let home = stage.site.url("/");
    stage.page.goto(&home).await?;
    stage.page.see_words(answers_of("engineer"), "It is done.").await?;
    stage.page.see_words(FILE_EDITOR, "much work").await
}

/// After a trap the program is not called again: a screen without it exports everything but the key, and the next
/// start reports the crash.
pub(crate) async fn crash_and_export(stage: &mut Stage) -> Result<()> {
    app::set_up_by_hand(stage).await?;
    stage.page.fill(COMPOSER, "typed, never sent").await?;
    stage.expect_fault(TRAP_WORDS);
    stage.page.eval_async("await import(arguments[0])", &[TRAP_SCRIPT.into()]).await?;
    stage.page.see(RECOVERY).await?;
    stage.page.download_to().await?;
    stage.page.click(RECOVERY_EXPORT).await?;
    let dump = stage.page.downloaded("json", 0).await?;
    let dump: Value = serde_json::from_str(&dump).context("the export is not JSON")?;
    ensure!(dump.get("nexus").and_then(Value::as_str) == Some("dump"));
    let text = dump.to_string();
    for words in [app::OBJECTIVE, "Critic is ready.", "typed, never sent"] {
        ensure!(text.contains(words), "{words:?} is not in the export");
    }
    ensure!(!text.contains(KEY), "the key is in the export");

    stage.page.click(RECOVERY_RELOAD).await?;
    stage.page.see(WAR_ROOM).await?;
    stage.page.see_words(answers_of("critic"), "Critic is ready.").await?;
    stage.page.see_words(NOTICE, TRAP_WORDS).await?;
    ensure!(!stage.page.all_local().await?.contains(TRAP_WORDS), "a report was repeated");
    ensure!(!stage.page.all_local().await?.contains(KEY), "the key is in localStorage");
    ensure!(!stage.page.database().await?.to_string().contains(KEY), "the key is in the database");
    Ok(())
}

/// A second tab on the same session is read-only and follows, until the first is closed.
pub(crate) async fn second_tab(stage: &mut Stage) -> Result<()> {
    app::set_up(stage).await?;
    let first = stage.page.tab().await?;
    let home = stage.site.url("/");
    let second = stage.page.open_tab(&home).await?;
    stage.page.see(BANNER.with("data-kind", "read-only")).await?;
    stage.page.see_words(answers_of("critic"), "Critic is ready.").await?;
    let can_write = "return !document.querySelector(arguments[0]).disabled";
    let send = Selector::from(SEND);
    ensure!(stage.page.eval(can_write, &[send.as_str().into()]).await? == false, "two tabs can write");

    stage.page.switch_to(&first).await?;
    stage.provider.queue_for("Engineer", Answer::say("Seen by both."));
    app::say_to(&stage.page, "engineer", "Tell everybody.").await?;
    stage.page.see_words(answers_of("engineer"), "Seen by both.").await?;
    app::idle(&stage.page).await?;
    stage.page.switch_to(&second).await?;
    stage.page.see_words(answers_of("engineer"), "Seen by both.").await?;
    ensure!(stage.provider.requests().len() == 1, "both tabs sent a request");

    stage.page.switch_to(&first).await?;
    stage.page.close_tab(&second).await?;
    stage.page.hidden(BANNER.with("data-kind", "read-only")).await?;
    stage.provider.queue_for("Critic", Answer::say("Now here."));
    app::say_to(&stage.page, "critic", "Whose turn is it?").await?;
    stage.page.see_words(answers_of("critic"), "Now here.").await?;
    app::idle(&stage.page).await
}

/// Data of a newer version is shown and not changed.
pub(crate) async fn newer_data(stage: &mut Stage) -> Result<()> {
    app::set_up(stage).await?;
    let upgrade = r#"
        const request = indexedDB.open("nexus", 1000);
        const database = await new Promise((resolve, reject) => {
            request.onupgradeneeded = () => request.result.createObjectStore("of-tomorrow");
            request.onsuccess = () => resolve(request.result);
            request.onerror = request.onblocked = () => reject(request.error ?? new Error("blocked"));
        });
        database.close();"#;
    stage.page.eval_async(upgrade, &[]).await?;
    let before = stage.page.database().await?;
    stage.page.reload().await?;
    stage.page.see_words(BANNER.with("data-kind", "memory"), "newer version").await?;
    stage.page.see_words(answers_of("critic"), "Critic is ready.").await?;
    stage.page.see_words(OBJECTIVE_FIELD, app::OBJECTIVE).await?;
    stage.page.hidden(BANNER.with("data-kind", "read-only")).await?;
    let can_write = "return !document.querySelector(arguments[0]).disabled";
    let send = Selector::from(SEND);
    ensure!(stage.page.eval(can_write, &[send.as_str().into()]).await? == false, "newer data can be written");
    stage.page.set_local("nexus_context_state", r#"{"of":"tomorrow"}"#).await?;
    stage.page.reload().await?;
    stage.page.see(WAR_ROOM).await?;
    ensure!(stage.page.database().await? == before, "newer data was changed");
    let mirrored = stage.page.local("nexus_context_state").await?;
    ensure!(mirrored.as_deref() == Some(r#"{"of":"tomorrow"}"#), "the newer mirror was overwritten");
    Ok(())
}
