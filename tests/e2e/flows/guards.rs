//! What blocks the page for a while or for good, and how it is reported: a blocked store, a deleted one, files of
//! another release, imports during a streamed answer.

use std::time::Duration;

use anyhow::{Result, ensure};
use serde_json::json;

use crate::app;
use crate::parts::*;
use crate::provider::{Answer, Gate};
use crate::stage::Stage;

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
pub(crate) async fn storage(stage: &mut Stage) -> Result<()> {
    app::set_up(stage).await?;
    watchdog(stage).await?;
    storage_waits(stage).await?;
    storage_deleted(stage).await
}

/// While another transaction blocks the store, the page says that it waits, on sending and on start, and continues by
/// itself.
async fn storage_waits(stage: &mut Stage) -> Result<()> {
    let (first, home) = (stage.page.tab().await?, stage.site.url("/"));
    stage.page.eval_async(HOLD, &[]).await?;
    stage.provider.queue_for("Critic", Answer::say("At last."));
    app::say_to(&stage.page, "critic", "Are you there?").await?;
    stage.page.see_words(BANNER.with("data-kind", "waiting"), "Close other Nexus tabs").await?;
    stage.page.open_tab(&home).await?;
    stage.page.see_words(Selector::css("#boot-status"), "Waiting for storage").await?;
    let second = stage.page.tab().await?;
    stage.page.switch_to(&first).await?;
    stage.page.eval("window.__letGo = true", &[]).await?;
    stage.page.hidden(BANNER.with("data-kind", "waiting")).await?;
    stage.page.see_words(answers_of("critic"), "At last.").await?;
    app::idle(&stage.page).await?;
    stage.page.switch_to(&second).await?;
    stage.page.close_tab(&first).await
}

/// Deleting the store under an open tab is noticed at the next write; the tab's content can be saved.
async fn storage_deleted(stage: &mut Stage) -> Result<()> {
    let delete = "await new Promise((resolve, reject) => {
        const request = indexedDB.deleteDatabase('nexus');
        request.onsuccess = resolve; request.onerror = () => reject(request.error);
    })";
    stage.page.eval_async(delete, &[]).await?;
    app::say_to(&stage.page, "critic", "Is it still there?").await?;
    stage.page.see_words(BANNER.with("data-kind", "deleted"), "deleted").await?;
    stage.page.see_words(COMPOSER, "Is it still there?").await?;
    stage.page.download_to().await?;
    stage.page.click(Selector::css("[data-testid=save-from-memory]")).await?;
    let saved = stage.page.downloaded("json", 0).await?;
    for words in [app::OBJECTIVE, "Critic is ready."] {
        ensure!(saved.contains(words), "{words:?} is not in the export");
    }
    Ok(())
}

/// If the program's first file does not load, the watchdog says so after ten seconds, exports what is stored, and
/// reloads the page.
async fn watchdog(stage: &mut Stage) -> Result<()> {
    stage.page.drive_clock().await?;
    stage.page.block(&["boot-"]).await?;
    stage.page.reload().await?;
    stage.page.skip(Duration::from_secs(11)).await?;
    stage.page.see_words(Selector::css("#watchdog"), "was not loaded correctly").await?;
    stage.page.download_to().await?;
    stage.page.click(Selector::css("#watchdog-export")).await?;
    let saved = stage.page.downloaded("json", 0).await?;
    ensure!(saved.contains("\"nexus\":\"dump\"") && saved.contains("Critic is ready."), "{saved:.200}");
    stage.page.block(&[]).await?;
    stage.page.click(Selector::css("#watchdog-reload")).await?;
    stage.page.see_words(answers_of("critic"), "Critic is ready.").await
}

/// Two imports in one tab while another streams: the answer is complete, and a reload shows it.
pub(crate) async fn imports_beside_a_stream(stage: &mut Stage) -> Result<()> {
    app::set_up(stage).await?;
    let (first, session) = (stage.page.tab().await?, app::session(&stage.page).await?);
    let settings = stage.site.url("/settings/");
    // The first tab's key does not survive a reload, so the data section is used in another tab.
    let second = stage.page.open_tab(&settings).await?;
    stage.page.download_to().await?;
    let mut dumps = Vec::new();
    for round in ["One.", "Two."] {
        stage.page.switch_to(&second).await?;
        stage.page.click(DATA_EXPORT).await?;
        dumps.push(stage.page.downloaded("json", dumps.len()).await?);
        stage.page.switch_to(&first).await?;
        stage.provider.queue_for("Critic", Answer::say(round));
        app::say_to(&stage.page, "critic", "And now?").await?;
        stage.page.see_words(answers_of("critic"), round).await?;
        app::idle(&stage.page).await?;
    }
    let gate = Gate::new();
    stage
        .provider
        .queue_for("Critic", Answer::new().text("It begins, ").hold(&gate).text("and this is its end."));
    app::say_to(&stage.page, "critic", "At length.").await?;
    stage.page.see_words(answers_of("critic"), "It begins,").await?;

    stage.page.switch_to(&second).await?;
    for dump in &dumps {
        let input = json!(Selector::from(DATA_IMPORT_FILE).as_str());
        stage
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
        stage.page.eval(choose, &[input, json!(dump)]).await?;
        stage.page.click(DATA_IMPORT_TAKE).await?;
        stage.page.see(DATA_IMPORT_DONE).await?;
    }
    stage.page.switch_to(&first).await?;
    gate.open();
    stage.page.see_words(answers_of("critic"), "and this is its end.").await?;
    app::idle(&stage.page).await?;
    stage.page.reload().await?;
    stage.page.see_words(answers_of("critic"), "and this is its end.").await?;
    ensure!(app::session(&stage.page).await? == session, "a reload shows another session");
    // Both imports are added as copies.
    stage.page.click(SESSION_SWITCHER).await?;
    let copies = "document.querySelectorAll(arguments[0]).length >= 3";
    stage.page.wait_for("three sessions", copies, &[json!(Selector::from(SESSION_OPEN).as_str())]).await
}
