//! Flows for what survives a reload, a crash and another tab.

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::app;
use crate::fixture::Fixture;
use crate::provider::{Answer, Gate, KEY};
use crate::selectors::*;
use crate::site::{TRAP_SCRIPT, TRAP_WORDS};

/// A reload in mid-stream keeps the received text, marked as interrupted; no call is made until the operator resumes.
pub(crate) async fn reload(fixture: &mut Fixture) -> Result<()> {
    app::set_up(fixture).await?;
    let never = Gate::new();
    fixture.provider.queue_for("Architect", app::writing("kept.txt", "kept\n"));
    fixture.provider.queue_for("Architect", Answer::new().text("Half an ans").hold(&never).text("wer"));
    app::send_to(&fixture.page, "ALL", "Answer at length.").await?;
    fixture.page.see_text(answers_of("architect"), "Half an ans").await?;
    // Received text is stored within a second.
    app::send(&fixture.page, "And then this.").await?;
    fixture.page.see_count(QUEUE_ITEM, 1).await?;
    fixture.page.fill(COMPOSER, "A draft").await?;
    fixture.page.stored("partials", "Half an ans").await?;
    fixture.page.reload().await?;

    fixture.page.see(WAR_ROOM).await?;
    app::ended(&fixture.page, "architect", "failed", Some("interrupted")).await?;
    fixture.page.see_text(answers_of("architect").inner(MESSAGE_TEXT), "Half an ans").await?;
    fixture.page.see_text(TIMELINE, "Answer at length.").await?;
    fixture.page.see_text(FILE_EDITOR, "kept").await?;
    fixture.page.see_text(COMPOSER, "A draft").await?;
    fixture.page.see_text(QUEUE_ITEM, "And then this.").await?;
    fixture.page.click(QUEUE_ITEM.inner(QUEUE_WITHDRAW)).await?;
    fixture.page.see_count(QUEUE_ITEM, 0).await?;
    fixture.page.see(TOOL_CARD.with("data-status", "succeeded")).await?;
    fixture.page.see(RESUME).await?;
    let title = "document.title.toLowerCase().includes('needs you')";
    fixture.page.wait_for("the title to say that it needs the operator", title, &[]).await?;
    ensure!(fixture.provider.requests().len() == 2, "a request was sent without the operator");

    fixture.provider.otherwise(|_| Some(Answer::say("On we go.").into()));
    fixture.page.click(RESUME).await?;
    let engineer = fixture.request_of("Engineer", 1).await?;
    ensure!(engineer.all_text().contains("Half an ans"), "the partial answer is not in the history");
    ensure!(engineer.last_user_text().contains("Answer at length."), "the query was lost");
    fixture.page.see_text(answers_of("critic"), "On we go.").await?;
    app::idle(&fixture.page).await?;

    // An interrupted run can be ended instead; the session is then free again.
    fixture.provider.reset();
    fixture.provider.queue_for("Architect", Answer::new().text("Begun once mo").hold(&Gate::new()));
    app::send_to(&fixture.page, "ALL", "Answer at length.").await?;
    fixture.page.stored("partials", "Begun once mo").await?;
    fixture.page.reload().await?;
    // A message waits for the paused run, and says so.
    app::send_to(&fixture.page, "critic", "What now?").await?;
    fixture.page.see_count(QUEUE_ITEM, 1).await?;
    ensure!(fixture.provider.requests().len() == 1, "a request was sent without the operator");
    fixture.provider.queue_for("Critic", Answer::say("This now."));
    fixture.page.click(QUEUE_END_RUN).await?;
    fixture.page.hidden(END_RUN).await?;
    fixture.page.hidden(RESUME).await?;
    fixture.page.see_text(answers_of("critic"), "This now.").await?;
    app::idle(&fixture.page).await?;
    fixture.provider.queue_for("Critic", Answer::say("Free again."));
    app::send_to(&fixture.page, "critic", "And now?").await?;
    fixture.page.see_text(answers_of("critic"), "Free again.").await?;
    app::idle(&fixture.page).await
}

/// Data of each session, and after a crash of the renderer.
pub(crate) async fn session_list(fixture: &mut Fixture) -> Result<()> {
    app::set_up(fixture).await?;
    sessions(fixture).await?;
    killed(fixture).await
}

/// Each session has its own thread and mind, before and after a reload.
async fn sessions(fixture: &mut Fixture) -> Result<()> {
    app::new_session(&fixture.page).await?;
    let second = app::session(&fixture.page).await?;
    fixture.provider.queue_for("Engineer", app::writing("second.txt", "of the second\n"));
    fixture.provider.queue_for("Engineer", Answer::say("Nothing was here."));
    app::ask(&fixture.page, "engineer", "What is here?", "Nothing was here.").await?;
    let request = fixture.request_of("Engineer", 1).await?;
    ensure!(!request.all_text().contains("is ready."), "a message of another session was sent");
    ensure!(!request.all_text().contains(app::OBJECTIVE), "the mind of another session was sent");

    let sessions = app::sessions(&fixture.page).await?;
    let first = sessions.iter().find(|id| **id != second).context("there is no other session")?;
    app::open_session(&fixture.page, first).await?;
    fixture.page.see_text(answers_of("critic"), "Critic is ready.").await?;
    fixture.page.see_text(OBJECTIVE_FIELD, app::OBJECTIVE).await?;
    ensure!(fixture.page.count(FILE_TAB).await? == 0, "a file is in another session");
    fixture.page.reload().await?;
    fixture.page.see_text(answers_of("critic"), "Critic is ready.").await?;
    app::open_session(&fixture.page, &second).await?;
    fixture.page.see_text(answers_of("engineer"), "Nothing was here.").await?;
    fixture.page.see_text(FILE_EDITOR, "of the second").await
}

/// A crash of the renderer loses nothing that was acknowledged.
async fn killed(fixture: &mut Fixture) -> Result<()> {
    fixture.provider.queue_for("Engineer", app::writing("work.txt", "much work\n"));
    fixture.provider.queue_for("Engineer", Answer::say("It is done."));
    app::ask(&fixture.page, "engineer", "Work.", "It is done.").await?;
    fixture.page.crash_renderer().await?;
    let home = fixture.site.url("/");
    fixture.page.goto(&home).await?;
    fixture.page.see_text(answers_of("engineer"), "It is done.").await?;
    fixture.page.see_text(FILE_EDITOR, "much work").await
}

/// After a trap the program is not called again: a screen without it exports everything but the key, and the next
/// start reports the crash.
pub(crate) async fn crash_and_export(fixture: &mut Fixture) -> Result<()> {
    app::set_up_by_first_start(fixture).await?;
    fixture.page.fill(COMPOSER, "typed, never sent").await?;
    fixture.expect_fault(TRAP_WORDS);
    fixture.page.eval_async("await import(arguments[0])", &[TRAP_SCRIPT.into()]).await?;
    fixture.page.see(RECOVERY).await?;
    fixture.page.download_to().await?;
    fixture.page.click(RECOVERY_EXPORT).await?;
    let dump = fixture.page.downloaded("json").await?;
    let dump: Value = serde_json::from_str(&dump).context("the export is not JSON")?;
    ensure!(dump.get("nexus").and_then(Value::as_str) == Some("dump"));
    let text = dump.to_string();
    for words in [app::OBJECTIVE, "Critic is ready.", "typed, never sent"] {
        ensure!(text.contains(words), "{words:?} is not in the export");
    }
    ensure!(!text.contains(KEY), "the key is in the export");

    fixture.page.click(RECOVERY_RELOAD).await?;
    fixture.page.see(WAR_ROOM).await?;
    fixture.page.see_text(answers_of("critic"), "Critic is ready.").await?;
    fixture.page.see_text(NOTICE, TRAP_WORDS).await?;
    ensure!(!fixture.page.all_local().await?.contains(TRAP_WORDS), "a report was repeated");
    ensure!(!fixture.page.all_local().await?.contains(KEY), "the key is in localStorage");
    ensure!(!fixture.page.database().await?.to_string().contains(KEY), "the key is in the database");
    Ok(())
}

/// A second tab on the same session is read-only and follows, until the first is closed.
pub(crate) async fn second_tab(fixture: &mut Fixture) -> Result<()> {
    app::set_up(fixture).await?;
    let first = fixture.page.tab().await?;
    let home = fixture.site.url("/");
    let second = fixture.page.open_tab(&home).await?;
    fixture.page.see(BANNER.with("data-kind", "read-only")).await?;
    fixture.page.see_text(answers_of("critic"), "Critic is ready.").await?;
    let can_write = "return !document.querySelector(arguments[0]).disabled";
    let send = Selector::from(SEND);
    ensure!(fixture.page.eval(can_write, &[send.as_str().into()]).await? == false, "two tabs can write");

    fixture.page.switch_to(&first).await?;
    fixture.provider.queue_for("Engineer", Answer::say("Seen by both."));
    app::ask(&fixture.page, "engineer", "Tell everybody.", "Seen by both.").await?;
    fixture.page.switch_to(&second).await?;
    fixture.page.see_text(answers_of("engineer"), "Seen by both.").await?;
    ensure!(fixture.provider.requests().len() == 1, "both tabs sent a request");

    fixture.page.switch_to(&first).await?;
    fixture.page.close_tab(&second).await?;
    fixture.page.hidden(BANNER.with("data-kind", "read-only")).await?;
    fixture.provider.queue_for("Critic", Answer::say("Now here."));
    app::send_to(&fixture.page, "critic", "Whose turn is it?").await?;
    fixture.page.see_text(answers_of("critic"), "Now here.").await?;
    app::idle(&fixture.page).await
}

/// Data of a newer version is shown and not changed.
pub(crate) async fn newer_data(fixture: &mut Fixture) -> Result<()> {
    app::set_up(fixture).await?;
    let upgrade = r#"
        const request = indexedDB.open("nexus", 1000);
        const database = await new Promise((resolve, reject) => {
            request.onupgradeneeded = () => request.result.createObjectStore("of-tomorrow");
            request.onsuccess = () => resolve(request.result);
            request.onerror = request.onblocked = () => reject(request.error ?? new Error("blocked"));
        });
        database.close();"#;
    fixture.page.eval_async(upgrade, &[]).await?;
    let before = fixture.page.database().await?;
    fixture.page.reload().await?;
    fixture.page.see_text(BANNER.with("data-kind", "memory"), "newer version").await?;
    fixture.page.see_text(answers_of("critic"), "Critic is ready.").await?;
    fixture.page.see_text(OBJECTIVE_FIELD, app::OBJECTIVE).await?;
    fixture.page.hidden(BANNER.with("data-kind", "read-only")).await?;
    let can_write = "return !document.querySelector(arguments[0]).disabled";
    let send = Selector::from(SEND);
    ensure!(
        fixture.page.eval(can_write, &[send.as_str().into()]).await? == false,
        "newer data can be written"
    );
    fixture.page.set_local("nexus_context_state", r#"{"of":"tomorrow"}"#).await?;
    fixture.page.reload().await?;
    fixture.page.see(WAR_ROOM).await?;
    ensure!(fixture.page.database().await? == before, "newer data was changed");
    let mirrored = fixture.page.local("nexus_context_state").await?;
    ensure!(mirrored.as_deref() == Some(r#"{"of":"tomorrow"}"#), "the newer mirror was overwritten");
    Ok(())
}
