//! Flows for the run screen: opened from the demo, navigated by keys, replayed, steered, exported.

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};
use thirtyfour::Key;

use crate::app;
use crate::fixture::Fixture;
use crate::flows::files::{entries, pick_folder};
use crate::flows::{backups, folder_sync, palette};
use crate::page::Page;
use crate::provider::{Answer, Gate};
use crate::selectors::*;

fn node(id: &str) -> Selector {
    RUN_NODE.with("data-node", id)
}

async fn read(page: &Page) -> Result<()> {
    page.see(RUN_SCREEN.with("data-done", "true")).await?;
    page.see(node("operator")).await
}

/// Opens the newest run by the palette's URL, without its id.
async fn open(fixture: &mut Fixture) -> Result<()> {
    let run = fixture.site.url("/run/");
    fixture.page.goto(&run).await?;
    read(&fixture.page).await
}

async fn move_to(page: &Page, event: usize) -> Result<()> {
    let script = "const range = document.querySelector('[data-testid=run-range]');
        range.value = arguments[0]; range.dispatchEvent(new Event('input', { bubbles: true }));";
    page.eval(script, &[json!(event.to_string())]).await?;
    page.see_text(RUN_MOMENT, &format!("Event {event} of ")).await
}

/// In the war room after a new visitor's demo broadcasts: the run is a graph of the operator and the three agents,
/// each with a transcript, without any model call.
pub(super) async fn demo(fixture: &mut Fixture) -> Result<()> {
    fixture.page.click(RUN_GRAPH_LINK).await?;
    let page = &fixture.page;
    read(page).await?;
    ensure!(page.count(RUN_NODE.with("data-status", "DONE")).await? >= 4, "nodes are missing");
    page.see_text(RUN_SUMMARY_LINE, "Finished").await?;
    page.click(node_of(page, "Engineer").await?).await?;
    page.see_text(RUN_PANEL_NAME, "Engineer").await?;
    page.see(RUN_ENTRY.with("data-kind", "prompt")).await?;
    page.see(RUN_ENTRY.with("data-kind", "tool-call")).await?;
    page.see(RUN_ENVELOPE).await?;
    page.click(RUN_ARTIFACT).await?;
    page.see(RUN_ARTIFACT_TEXT).await?;
    ensure!(fixture.provider.requests().is_empty());
    Ok(())
}

/// The node of the agent with this name.
async fn node_of(page: &Page, name: &str) -> Result<Selector> {
    // SVG elements have no inner text.
    let labels = "return [...document.querySelectorAll(arguments[0])].map((node) => node.textContent)";
    let labels = page.eval(labels, &[json!(Selector::from(RUN_NODE).as_str())]).await?;
    let labels: Vec<String> = serde_json::from_value(labels)?;
    let ids = page.attributes(RUN_NODE, "data-node").await?;
    let found = labels.iter().zip(ids).find(|(label, _)| label.contains(name));
    Ok(node(&found.with_context(|| format!("no node is called {name}: {labels:?}"))?.1))
}

/// The run screen: replayed, navigated and steered by keys, exported.
pub(crate) async fn run_screen(fixture: &mut Fixture) -> Result<()> {
    app::set_up(fixture).await?;
    replay(fixture).await?;
    keys(fixture).await?;
    export(fixture).await
}

/// By keyboard: from the operator to an agent and back, to its transcript; the selection is in the URL and survives a
/// reload. A message steers a node.
async fn keys(fixture: &mut Fixture) -> Result<()> {
    open(fixture).await?;
    let page = &fixture.page;
    page.click(node("operator")).await?;
    page.see_text(RUN_SPOKEN, "You, done").await?;
    page.press("o").await?;
    page.see_text(RUN_SPOKEN, "Architect").await?;
    page.press(Key::Right).await?;
    page.see_text(RUN_SPOKEN, "Engineer").await?;
    page.press("i").await?;
    page.see_text(RUN_SPOKEN, "You, done").await?;
    page.press(Key::Down).await?;
    page.see_text(RUN_SPOKEN, "Engineer").await?;
    page.press("f").await?;
    page.press(Key::Enter).await?;
    page.wait_for("the focus", "document.activeElement?.dataset.testid === 'run-transcript'", &[]).await?;
    ensure!(page.address().await?.contains("&node="), "the node is not in the address");
    fixture.page.reload().await?;
    let page = &fixture.page;
    read(page).await?;
    page.see_text(RUN_PANEL_NAME, "Engineer").await?;
    page.fill(RUN_FIND, "engineer is READY").await?;
    page.see_text(RUN_FOUND, "1 match").await?;
    page.fill(RUN_FIND, "").await?;

    let requests = fixture.provider.requests().len();
    fixture.provider.queue_for("Engineer", Answer::say("Steered."));
    page.fill(RUN_STEER, "Go left.").await?;
    page.click(RUN_STEER_SEND).await?;
    // Back without a page load, which would interrupt the answer.
    page.click(Selector::css("[data-testid=run-screen] a.button")).await?;
    fixture.page.see_text(answers_of("engineer"), "Steered.").await?;
    app::idle(&fixture.page).await?;
    ensure!(fixture.provider.requests().len() == requests + 1, "not only the Engineer was called");
    Ok(())
}

/// The replay shows the run event by event, and calls no model.
async fn replay(fixture: &mut Fixture) -> Result<()> {
    let requests = fixture.provider.requests().len();
    open(fixture).await?;
    let page = &fixture.page;
    // The first state is the opening of the run.
    let first =
        page.eval("return Number(document.querySelector('[data-testid=run-range]').min)", &[]).await?;
    let first = usize::try_from(first.as_u64().context("no first moment")?)?;
    move_to(page, first).await?;
    page.see_count(RUN_NODE.with("data-status", "READY"), 3).await?;
    ensure!(page.count(RUN_BEFORE.with("disabled", "")).await? == 1, "it can step before the run");
    ensure!(page.count(RUN_STEER).await? == 0, "a past run cannot be steered");
    ensure!(page.address().await?.contains(&format!("&at={first}")), "the moment is not in the address");
    page.click(RUN_LIVE).await?;
    page.see_count(RUN_NODE.with("data-status", "READY"), 0).await?;
    page.click(RUN_BEFORE).await?;
    page.see(RUN_LIVE).await?;
    page.click(RUN_LIVE).await?;
    page.click(RUN_PROMPT).await?;
    page.see(INSPECT_HEAD).await?;
    ensure!(fixture.provider.requests().len() == requests, "looking back has called a model");
    let nowhere = fixture.site.url("/run/?run=01ARZ3NDEKTSV4RRFFQ69G5FAV");
    fixture.page.goto(&nowhere).await?;
    fixture.page.see_text(RUN_NOTHING, "not on this device").await?;
    Ok(())
}

/// The export is an archive with the files of the run, with the expected content.
async fn export(fixture: &mut Fixture) -> Result<()> {
    fixture.provider.queue_for("Engineer", app::writing("src/made.txt", "made by the run\n"));
    fixture.provider.queue_for("Engineer", Answer::say("Written."));
    app::ask(&fixture.page, "engineer", "Write it.", "Written.").await?;
    fixture.page.download_to().await?;
    open(fixture).await?;
    let page = &fixture.page;
    page.click(RUN_EXPORT).await?;
    let address = page.eval("return new URLSearchParams(location.search).get('run')", &[]).await?;
    let run = address.as_str().context("no run is in the address")?.to_owned();
    let entries = entries(page, &page.downloaded_as(&format!("nexus-run-{run}.zip")).await?).await?;
    let text = |name: &str| -> Result<String> {
        let path = format!("runs/{run}/{name}");
        let entry = entries.iter().find(|(entry, _)| *entry == path);
        Ok(String::from_utf8(entry.with_context(|| format!("{path} is not in it"))?.1.clone())?)
    };
    let graph: Value = serde_json::from_str(&text("graph.json")?)?;
    ensure!(graph.pointer("/run_id") == Some(&json!(run)), "{graph}");
    let state: Value = serde_json::from_str(&text("state.json")?)?;
    ensure!(state.pointer("/status") == Some(&json!("completed")), "{state}");
    for line in text("events.jsonl")?.lines() {
        ensure!(serde_json::from_str::<Value>(line)?.get("seq").is_some(), "{line}");
    }
    let is_file = |(path, _): &&(String, Vec<u8>)| path.ends_with("/src/made.txt");
    let made = entries.iter().find(is_file).context("the file is not in it")?;
    ensure!(made.1 == b"made by the run\n");
    ensure!(entries.iter().any(|(path, _)| path.contains("/logs/")), "the transcripts are not in it");
    Ok(())
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

/// An exported run is shown read-only from its file, with transcripts, files and replay, and without any call. A file
/// that is no run is reported and changes nothing.
pub(crate) async fn import(fixture: &mut Fixture) -> Result<()> {
    app::set_up(fixture).await?;
    fixture.provider.queue_for("Engineer", app::writing("src/made.txt", "made by the run\n"));
    fixture.provider.queue_for("Engineer", Answer::say("Written."));
    app::ask(&fixture.page, "engineer", "Write it.", "Written.").await?;
    fixture.page.download_to().await?;
    open(fixture).await?;
    fixture.page.click(RUN_EXPORT).await?;
    let address = fixture.page.eval("return new URLSearchParams(location.search).get('run')", &[]).await?;
    let run = address.as_str().context("no run is in the address")?.to_owned();
    let zip = fixture.page.downloaded_as(&format!("nexus-run-{run}.zip")).await?;
    // On a device without the run.
    let import = fixture.site.url("/run/?import=1");
    backups::on_other_device(fixture).await?;
    fixture.page.goto(&import).await?;
    let requests = fixture.provider.requests().len();
    let page = &fixture.page;
    choose(page, "broken.zip", zip.get(..zip.len() / 2).unwrap_or_default()).await?;
    page.see_text(RUN_IMPORT_PROBLEM, "not a ZIP file, or a part of it is missing").await?;
    choose(page, "graph.json", br#"{ "version": 99, "nodes": [] }"#).await?;
    page.see_text(RUN_IMPORT_PROBLEM, "has version 99").await?;
    choose(page, "run.zip", &zip).await?;
    page.see(RUN_IMPORTED).await?;
    page.click(node("engineer")).await?;
    page.see_text(RUN_PANEL_NAME, "Engineer").await?;
    page.see(RUN_ENTRY.with("data-kind", "tool-call")).await?;
    page.click(RUN_ARTIFACT).await?;
    page.see_text(RUN_ARTIFACT_TEXT, "made by the run").await?;
    page.hidden(RUN_STEER).await?;
    page.click(RUN_BEFORE).await?;
    page.see_text(RUN_MOMENT, "Event ").await?;
    page.click(RUN_IMPORT_CLOSE).await?;
    page.hidden(RUN_IMPORTED).await?;
    // The same as a folder on disk.
    let files = entries(page, &zip).await?;
    let files: Vec<_> =
        files.iter().map(|(path, text)| json!([path, String::from_utf8_lossy(text)])).collect();
    palette::run(page, "import a run", "run-import").await?;
    page.see(RUN_IMPORT_FOLDER).await?;
    pick_folder(page, RUN_IMPORT_FOLDER.into(), files.into()).await?;
    page.see(RUN_IMPORTED).await?;
    page.click(node("engineer")).await?;
    page.click(RUN_ARTIFACT).await?;
    page.see_text(RUN_ARTIFACT_TEXT, "made by the run").await?;
    ensure!(fixture.provider.requests().len() == requests, "something was called");
    Ok(())
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

/// A graph run is re-run from its second node with a changed envelope: earlier nodes call no model.
pub(crate) async fn rerun(fixture: &mut Fixture) -> Result<()> {
    app::set_up(fixture).await?;
    let graph = json!({
        "version": 1, "name": "Two steps", "nodes": [
            { "key": "build", "kind": "agent.engineer" }, { "key": "read", "kind": "agent.critic" },
        ],
        "edges": [{ "from": "build", "to": "read" }],
    });
    let import = fixture.site.url("/run/?import=1");
    fixture.page.in_every_document(folder_sync::PICKER).await?;
    fixture.page.goto(&import).await?;
    let page = &fixture.page;
    choose(page, "graph.json", graph.to_string().as_bytes()).await?;
    page.click(GRAPH_RUN).await?;
    fixture.provider.queue_for("Engineer", Answer::say("Built in red."));
    let gate = Gate::new();
    fixture.provider.queue_for("Critic", Answer::new().text("Red it is.").hold(&gate));
    page.fill(GRAPH_START_MESSAGE, "Build it").await?;
    page.click(GRAPH_START_RUN).await?;
    page.see(node("read").with("data-status", "RUNNING")).await?;
    in_a_folder(page, &gate).await?;
    let before = page.address().await?;
    let request_count = fixture.provider.requests().len();
    page.click(node("read")).await?;
    page.click(RERUN_OPEN).await?;
    page.choose(RERUN_CHANGE, "0").await?;
    page.fill(RERUN_TEXT, "Built in blue.").await?;
    ensure!(fixture.provider.requests().len() == request_count, "the form has called a model");
    fixture.provider.queue_for("Critic", Answer::say("Blue it is."));
    page.click(RERUN_START).await?;
    page.wait_for("the other run", "location.href !== arguments[0]", &[json!(before)]).await?;
    fixture
        .until("the call of the other run", |fixture| fixture.provider.requests().len() > request_count)
        .await?;
    read(page).await?;
    page.see(node("read").with("data-status", "DONE")).await?;
    page.click(node("build")).await?;
    page.see(node("build").with("data-status", "DONE")).await?;
    let requests = fixture.provider.requests();
    ensure!(requests.len() == request_count + 1, "{} calls, not 1", requests.len() - request_count);
    let body = requests.last().map(|request| request.body.to_string()).unwrap_or_default();
    ensure!(body.contains("Built in blue."), "{body}");
    Ok(())
}
