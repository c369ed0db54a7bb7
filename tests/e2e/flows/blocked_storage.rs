//! What blocks the page for a while or for good, and how it is reported: a blocked store, a deleted one, files of
//! another release, imports during a streamed answer.

use std::time::Duration;

use anyhow::{Result, ensure};
use serde_json::json;

use crate::app;
use crate::fixture::Fixture;
use crate::provider::{Answer, Gate};
use crate::selectors::*;

/// Blocks every store of the database until the page releases it.
const HOLD: &str = "await new Promise((resolve, reject) => {
    const open = indexedDB.open('nexus');
    open.onerror = () => reject(open.error);
    open.onsuccess = () => {
        const names = [...open.result.objectStoreNames];
        const store = open.result.transaction(names, 'readwrite').objectStore('events');
        window.__letGo = false;
        const again = () => {
            if (window.__letGo) return open.result.close();
            store.get(['app', 0]).onsuccess = again;
        };
        store.get(['app', 0]).onsuccess = () => { resolve(); again(); };
    };
})";

/// A program that does not load, a blocked store, and a deleted one.
pub(crate) async fn storage(fixture: &mut Fixture) -> Result<()> {
    app::set_up(fixture).await?;
    watchdog(fixture).await?;
    storage_waits(fixture).await?;
    storage_deleted(fixture).await
}

/// While another transaction blocks the store, the page says that it waits, on sending and on start, and continues by
/// itself.
async fn storage_waits(fixture: &mut Fixture) -> Result<()> {
    let (first, home) = (fixture.page.tab().await?, fixture.site.url("/"));
    fixture.page.eval_async(HOLD, &[]).await?;
    fixture.provider.queue_for("Critic", Answer::say("At last."));
    app::send_to(&fixture.page, "critic", "Are you there?").await?;
    fixture.page.see_text(BANNER.with("data-kind", "waiting"), "Close other Nexus tabs").await?;
    fixture.page.open_tab(&home).await?;
    fixture.page.see_text(Selector::css("#boot-status"), "Waiting for storage").await?;
    let second = fixture.page.tab().await?;
    fixture.page.switch_to(&first).await?;
    fixture.page.eval("window.__letGo = true", &[]).await?;
    fixture.page.hidden(BANNER.with("data-kind", "waiting")).await?;
    fixture.page.see_text(answers_of("critic"), "At last.").await?;
    app::idle(&fixture.page).await?;
    fixture.page.switch_to(&second).await?;
    fixture.page.close_tab(&first).await
}

/// Deleting the store under an open tab is noticed at the next write; the tab's content can be saved.
async fn storage_deleted(fixture: &mut Fixture) -> Result<()> {
    let delete = "await new Promise((resolve, reject) => {
        const request = indexedDB.deleteDatabase('nexus');
        request.onsuccess = resolve; request.onerror = () => reject(request.error);
    })";
    fixture.page.eval_async(delete, &[]).await?;
    app::send_to(&fixture.page, "critic", "Is it still there?").await?;
    fixture.page.see_text(BANNER.with("data-kind", "deleted"), "deleted").await?;
    fixture.page.see_text(COMPOSER, "Is it still there?").await?;
    fixture.page.download_to().await?;
    fixture.page.click(Selector::css("[data-testid=save-from-memory]")).await?;
    let saved = fixture.page.downloaded("json").await?;
    for words in [app::OBJECTIVE, "Critic is ready."] {
        ensure!(saved.contains(words), "{words:?} is not in the export");
    }
    Ok(())
}

/// If the program's first file does not load, the watchdog says so after ten seconds, exports what is stored, and
/// reloads the page.
async fn watchdog(fixture: &mut Fixture) -> Result<()> {
    fixture.page.drive_clock().await?;
    fixture.page.block(&["boot-"]).await?;
    fixture.page.reload().await?;
    fixture.page.skip(Duration::from_secs(11)).await?;
    fixture.page.see_text(Selector::css("#watchdog"), "was not loaded correctly").await?;
    fixture.page.download_to().await?;
    fixture.page.click(Selector::css("#watchdog-export")).await?;
    let saved = fixture.page.downloaded("json").await?;
    ensure!(saved.contains("\"nexus\":\"dump\"") && saved.contains("Critic is ready."), "{saved:.200}");
    fixture.page.block(&[]).await?;
    fixture.page.click(Selector::css("#watchdog-reload")).await?;
    fixture.page.see_text(answers_of("critic"), "Critic is ready.").await
}

/// Two imports in one tab while another streams: the answer is complete, and a reload shows it.
pub(crate) async fn imports_beside_a_stream(fixture: &mut Fixture) -> Result<()> {
    app::set_up(fixture).await?;
    let (first, session) = (fixture.page.tab().await?, app::session(&fixture.page).await?);
    let settings = fixture.site.url("/settings/");
    // The first tab's key does not survive a reload, so the data section is used in another tab.
    let second = fixture.page.open_tab(&settings).await?;
    fixture.page.download_to().await?;
    let mut dumps = Vec::new();
    for round in ["One.", "Two."] {
        fixture.page.switch_to(&second).await?;
        fixture.page.click(DATA_EXPORT).await?;
        dumps.push(fixture.page.downloaded("json").await?);
        fixture.page.switch_to(&first).await?;
        fixture.provider.queue_for("Critic", Answer::say(round));
        app::ask(&fixture.page, "critic", "And now?", round).await?;
    }
    let gate = Gate::new();
    fixture
        .provider
        .queue_for("Critic", Answer::new().text("It begins, ").hold(&gate).text("and this is its end."));
    app::send_to(&fixture.page, "critic", "At length.").await?;
    fixture.page.see_text(answers_of("critic"), "It begins,").await?;

    fixture.page.switch_to(&second).await?;
    for dump in &dumps {
        let input = json!(Selector::from(DATA_IMPORT_FILE).as_str());
        fixture
            .page
            .wait_for(
                "the field for a file",
                "document.querySelector(arguments[0])",
                std::slice::from_ref(&input),
            )
            .await?;
        let choose = "(() => { const input = document.querySelector(arguments[0]); const files = new DataTransfer(); \
            files.items.add(new File([arguments[1]], 'dump.json')); input.files = files.files; \
            input.dispatchEvent(new Event('change', {bubbles: true})); })()";
        fixture.page.eval(choose, &[input, json!(dump)]).await?;
        fixture.page.click(DATA_IMPORT_TAKE).await?;
        fixture.page.see(DATA_IMPORT_DONE).await?;
    }
    fixture.page.switch_to(&first).await?;
    gate.open();
    fixture.page.see_text(answers_of("critic"), "and this is its end.").await?;
    app::idle(&fixture.page).await?;
    fixture.page.reload().await?;
    fixture.page.see_text(answers_of("critic"), "and this is its end.").await?;
    ensure!(app::session(&fixture.page).await? == session, "a reload shows another session");
    // Both imports are added as copies.
    fixture.page.click(SESSION_SWITCHER).await?;
    let copies = "document.querySelectorAll(arguments[0]).length >= 3";
    fixture.page.wait_for("three sessions", copies, &[json!(Selector::from(SESSION_OPEN).as_str())]).await
}
