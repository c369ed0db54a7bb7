//! Flow for the folder of a run, written to disk.

use anyhow::{Context as _, Result, ensure};
use serde_json::json;

use crate::app;
use crate::fixture::Fixture;
use crate::flows::folder_sync;
use crate::page::Page;
use crate::provider::{Answer, Gate};
use crate::selectors::*;

/// Opens a template and waits until the list shows its name again.
pub(crate) async fn open_template(page: &Page, value: &str) -> Result<()> {
    page.select(GRAPH_TEMPLATE_OPEN, value).await
}

/// Chooses a file with this name and content in the import dialog.
pub(crate) async fn choose(page: &Page, name: &str, bytes: &[u8]) -> Result<()> {
    let script = "const input = document.querySelector(arguments[0]); const files = new DataTransfer();
        files.items.add(new File([new Uint8Array(arguments[2])], arguments[1]));
        input.files = files.files; input.dispatchEvent(new Event('change', { bubbles: true }));";
    let input = Selector::from(RUN_IMPORT_FILE);
    page.see(input.clone()).await?;
    page.eval(script, &[json!(input.as_str()), json!(name), json!(bytes)]).await.map(drop)
}

/// The run's folder is written to the chosen one, during the run and after its end.
async fn in_a_folder(page: &Page, gate: &Gate) -> Result<()> {
    page.click(RUN_FOLDER).await?;
    page.see_text(RUN_FOLDER, "Writing to tied").await?;
    let run = page.eval("return new URLSearchParams(location.search).get('run')", &[]).await?;
    let path = format!("runs/{}/state.json", run.as_str().context("no run is in the address")?);
    // Waits for a state of the state file on disk.
    let script = "(await navigator.storage.getDirectory()).getDirectoryHandle('tied')
        .then(async folder => { for (const name of arguments[0].split('/').slice(0, -1))
            folder = await folder.getDirectoryHandle(name);
            return (await (await folder.getFileHandle('state.json')).getFile()).text(); })
        .then(text => JSON.parse(text).status).catch(() => null)";
    let shows_status = async |status: &str| -> Result<()> {
        let there = format!("return await {script};");
        let until = std::time::Instant::now() + std::time::Duration::from_secs(20);
        while page.eval_async(&there, &[json!(path)]).await? != json!(status) {
            ensure!(std::time::Instant::now() < until, "the folder does not say that the run is {status}");
        }
        Ok(())
    };
    shows_status("running").await?;
    gate.open();
    page.see_text(RUN_SUMMARY_LINE, "Finished").await?;
    shows_status("completed").await?;
    let events = folder_sync::on_disk(page, &path.replace("state.json", "events.jsonl")).await?;
    ensure!(events.lines().count() > 5, "{events}");
    page.click(RUN_FOLDER).await?;
    page.see_text(RUN_FOLDER, "Write to a folder").await
}

/// A graph run is written to a folder while it runs.
pub(crate) async fn folder(fixture: &mut Fixture) -> Result<()> {
    app::set_up(fixture).await?;
    let graph = json!({
        "version": 1, "name": "One step", "nodes": [{ "key": "read", "kind": "agent.critic" }],
    });
    let import = fixture.site.url("/run/?import=1");
    fixture.page.in_every_document(folder_sync::PICKER).await?;
    fixture.page.goto(&import).await?;
    let page = &fixture.page;
    choose(page, "graph.json", graph.to_string().as_bytes()).await?;
    page.click(GRAPH_RUN).await?;
    let gate = Gate::new();
    fixture.provider.queue_for("Critic", Answer::new().text("Red it is.").hold(&gate));
    page.fill(GRAPH_START_MESSAGE, "Read it").await?;
    page.click(GRAPH_START_RUN).await?;
    page.see(RUN_NODE.with("data-node", "read").with("data-status", "RUNNING")).await?;
    in_a_folder(page, &gate).await
}
