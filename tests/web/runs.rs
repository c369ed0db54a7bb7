//! Tests of the run screen: a run as a graph, replayed, navigated by keys, steered, exported, imported and rerun.

use nexus::ui::hooks::files::compression::unpacked;
use nexus_engine::tests::{Scripted, calls, says};
use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;

use crate::e2e::selectors::*;
use crate::graphs::{node, node_with, start_graph};
use crate::mounted_page::{MountedPage, queued};
use crate::script;

/// The page after a broadcast that all three agents answered.
async fn after_a_broadcast() -> MountedPage {
    let page = MountedPage::open(|agent, _| says(&format!("{agent} is ready."))).await;
    page.send_to("ALL", "Are you ready?").await;
    page.see_text(answers_of("critic"), "Critic is ready.").await;
    page.idle().await;
    page
}

/// Opens the newest run.
async fn open(page: &MountedPage) {
    page.goto("/run/").await;
    page.see(RUN_SCREEN.with("data-done", "true")).await;
    page.see(node("operator")).await;
}

fn query() -> String {
    script("location.search").as_string().unwrap()
}

#[wasm_bindgen_test]
async fn replay_shows_the_run_event_by_event_and_calls_no_model() {
    let page = after_a_broadcast().await;
    let requests = page.tab.speakers().len();
    open(&page).await;
    let range = Selector::css("[data-testid=run-range]");
    // The first state is the opening of the run.
    let first = page.attributes(range.clone(), "min").swap_remove(0);
    page.fill(range, &first).await;
    page.see_text(RUN_MOMENT, &format!("Event {first} of ")).await;
    page.see_count(RUN_NODE.with("data-status", "READY"), 3).await;
    page.see_count(RUN_BEFORE.with("disabled", ""), 1).await;
    page.see_count(RUN_STEER, 0).await;
    assert!(query().contains(&format!("&at={first}")), "{}", query());
    page.click(RUN_LIVE).await;
    page.see_count(RUN_NODE.with("data-status", "READY"), 0).await;
    // The operator and three agents.
    page.see_count(RUN_NODE.with("data-status", "DONE"), 4).await;
    page.click(RUN_BEFORE).await;
    page.see(RUN_LIVE).await;
    page.click(RUN_LIVE).await;
    page.click(RUN_PROMPT).await;
    page.see(INSPECT_HEAD).await;
    assert_eq!(page.tab.speakers().len(), requests, "looking back has called a model");
}

#[wasm_bindgen_test]
async fn a_run_of_another_device_is_not_here() {
    let page = after_a_broadcast().await;
    page.goto("/run/?run=01ARZ3NDEKTSV4RRFFQ69G5FAV").await;
    page.see_text(RUN_NOTHING, "not on this device").await;
}

#[wasm_bindgen_test]
async fn keys_move_between_nodes_and_to_the_transcript() {
    let page = after_a_broadcast().await;
    open(&page).await;
    page.click(node("operator")).await;
    page.see_text(RUN_SPOKEN, "You, done").await;
    for (key, words) in
        [("o", "Architect"), ("ArrowRight", "Engineer"), ("i", "You, done"), ("ArrowDown", "Engineer")]
    {
        page.press(key).await;
        page.see_text(RUN_SPOKEN, words).await;
    }
    page.press("f").await;
    page.press("Enter").await;
    page.until("the focus on the transcript", || page.focused() == "run-transcript").await;
    assert!(query().contains("&node="), "{}", query());
}

#[wasm_bindgen_test]
async fn the_address_selects_the_node_and_its_transcript_can_be_searched() {
    let page = after_a_broadcast().await;
    open(&page).await;
    page.click(node("engineer")).await;
    page.until("the node in the address", || query().contains("&node=")).await;
    let address = format!("/run/{}", query());
    page.goto("/").await;
    page.see(WAR_ROOM).await;
    page.goto(&address).await;
    page.see_text(RUN_PANEL_NAME, "Engineer").await;
    page.fill(RUN_FIND, "engineer is READY").await;
    page.see_text(RUN_FOUND, "1 match").await;
}

#[wasm_bindgen_test]
async fn a_message_from_the_run_screen_steers_one_node() {
    let page = after_a_broadcast().await;
    let requests = page.tab.speakers().len();
    open(&page).await;
    page.click(node("engineer")).await;
    page.fill(RUN_STEER, "Go left.").await;
    page.click(RUN_STEER_SEND).await;
    page.click(Selector::css("[data-testid=run-screen] a.button")).await;
    page.see_count(answers_of("engineer"), 2).await;
    page.idle().await;
    assert_eq!(page.tab.speakers()[requests..], ["Engineer"]);
    assert!(page.tab.question(requests).contains("Go left."), "{}", page.tab.question(requests));
}

#[wasm_bindgen_test]
async fn panel_of_a_node_shows_its_prompt_calls_envelope_and_files() {
    let page = after_writing().await;
    page.click(RUN_GRAPH_LINK).await;
    page.see(RUN_SCREEN.with("data-done", "true")).await;
    page.see_text(RUN_SUMMARY_LINE, "Finished").await;
    page.see(RUN_NODE.with("data-status", "DONE")).await;
    page.click(node("engineer")).await;
    page.see_text(RUN_PANEL_NAME, "Engineer").await;
    page.see(RUN_ENTRY.with("data-kind", "prompt")).await;
    page.see(RUN_ENTRY.with("data-kind", "tool-call")).await;
    page.see(RUN_ENVELOPE).await;
    page.click(RUN_ARTIFACT).await;
    page.see_text(RUN_ARTIFACT_TEXT, "made by the run").await;
}

fn writes_a_file() -> impl FnMut(&str, &Value) -> Scripted {
    queued(vec![
        (
            "Engineer",
            calls(&[("write_file", json!({ "name": "src/made.txt", "content": "made by the run\n" }))]),
        ),
        ("Engineer", says("Written.")),
    ])
}

/// The page after a run that wrote a file.
async fn after_writing() -> MountedPage {
    let page = MountedPage::open(writes_a_file()).await;
    page.ask("engineer", "Write it.", "Written.").await;
    page
}

/// Id and archive of the run of [`after_writing`].
async fn exported() -> (String, Vec<u8>) {
    let page = after_writing().await;
    open(&page).await;
    let (name, archive) = page.download(RUN_EXPORT).await;
    let run = page.tab.run_id().to_string();
    assert_eq!(name, format!("nexus-run-{run}.zip"));
    (run, archive)
}

#[wasm_bindgen_test]
async fn the_export_of_a_run_has_its_graph_state_events_transcripts_and_files() {
    let (run, archive) = exported().await;
    let entries = unpacked(&archive, 1 << 20).await.unwrap();
    let text = |name: &str| {
        let path = format!("runs/{run}/{name}");
        let entry = entries.iter().find(|(entry, _)| *entry == path).unwrap_or_else(|| panic!("no {path}"));
        String::from_utf8(entry.1.clone()).unwrap()
    };
    let json = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    assert_eq!(json(&text("graph.json"))["run_id"], json!(run));
    assert_eq!(json(&text("state.json"))["status"], "completed");
    for line in text("events.jsonl").lines() {
        assert!(json(line).get("seq").is_some(), "{line}");
    }
    let made = entries.iter().find(|(path, _)| path.ends_with("/src/made.txt")).unwrap();
    assert_eq!(made.1, b"made by the run\n");
    assert!(entries.iter().any(|(path, _)| path.contains("/logs/")), "the transcripts are not in it");
}

#[wasm_bindgen_test]
async fn a_file_that_is_no_run_is_reported() {
    let (_, archive) = exported().await;
    let page = MountedPage::open(|_, _| says("never asked")).await;
    page.goto("/run/?import=1").await;
    page.pick(RUN_IMPORT_FILE, &[("broken.zip", "", &archive[..archive.len() / 2])]).await;
    page.see_text(RUN_IMPORT_PROBLEM, "not a ZIP file, or a part of it is missing").await;
    page.pick(RUN_IMPORT_FILE, &[("graph.json", "", br#"{ "version": 99, "nodes": [] }"#)]).await;
    page.see_text(RUN_IMPORT_PROBLEM, "has version 99").await;
}

#[wasm_bindgen_test]
async fn an_imported_run_is_read_only_and_calls_no_model() {
    let (_, archive) = exported().await;
    let page = MountedPage::open(|_, _| says("never asked")).await;
    page.goto("/run/?import=1").await;
    page.pick(RUN_IMPORT_FILE, &[("run.zip", "", &archive)]).await;
    page.see(RUN_IMPORTED).await;
    page.click(node("engineer")).await;
    page.see_text(RUN_PANEL_NAME, "Engineer").await;
    page.see(RUN_ENTRY.with("data-kind", "tool-call")).await;
    page.click(RUN_ARTIFACT).await;
    page.see_text(RUN_ARTIFACT_TEXT, "made by the run").await;
    page.hidden(RUN_STEER).await;
    page.click(RUN_BEFORE).await;
    page.see_text(RUN_MOMENT, "Event ").await;
    page.click(RUN_IMPORT_CLOSE).await;
    page.hidden(RUN_IMPORTED).await;
    assert!(page.tab.speakers().is_empty());
}

#[wasm_bindgen_test]
async fn the_folder_of_a_run_is_imported_like_its_archive() {
    let (_, archive) = exported().await;
    let entries = unpacked(&archive, 1 << 20).await.unwrap();
    let files: Vec<_> = entries.iter().map(|(path, bytes)| (path.as_str(), "", bytes.as_slice())).collect();
    let page = MountedPage::open(|_, _| says("never asked")).await;
    page.run_action("import a run", "run-import").await;
    page.pick(RUN_IMPORT_FOLDER, &files).await;
    page.see(RUN_IMPORTED).await;
    page.click(node("engineer")).await;
    page.click(RUN_ARTIFACT).await;
    page.see_text(RUN_ARTIFACT_TEXT, "made by the run").await;
    assert!(page.tab.speakers().is_empty());
}

#[wasm_bindgen_test]
async fn a_rerun_with_a_changed_envelope_calls_only_the_node_and_those_after_it() {
    let graph = json!({
        "version": 1, "name": "Two steps", "nodes": [
            { "key": "build", "kind": "agent.engineer" }, { "key": "read", "kind": "agent.critic" },
        ],
        "edges": [{ "from": "build", "to": "read" }],
    });
    let page = MountedPage::open(queued(vec![
        ("Engineer", says("Built in red.")),
        ("Critic", says("Red it is.")),
        ("Critic", says("Blue it is.")),
    ]))
    .await;
    start_graph(&page, &graph, "Build it").await;
    page.see_text(RUN_SUMMARY_LINE, "Finished").await;
    let (before, first) = (query(), shown_run(&page));
    page.click(node("read")).await;
    page.click(RERUN_OPEN).await;
    page.choose(RERUN_CHANGE, "0").await;
    page.fill(RERUN_TEXT, "Built in blue.").await;
    assert_eq!(page.tab.speakers(), ["Engineer", "Critic"], "the form has called a model");
    page.click(RERUN_START).await;
    page.until("the other run", || query() != before).await;
    page.until("its call", || page.tab.speakers().len() == 3).await;
    page.see(RUN_SCREEN.with("data-done", "true")).await;
    page.see(node_with("read", "DONE")).await;
    page.see(node_with("build", "DONE")).await;
    assert_eq!(page.tab.speakers(), ["Engineer", "Critic", "Critic"]);
    let question = page.tab.requests.borrow()[2].1.to_string();
    assert!(question.contains("Built in blue."), "{question}");
    // The screen follows its address, also back in the history.
    page.until("the other run on the screen", || shown_run(&page) != first).await;
    page.has_focus(RUN_NODE).await;
    page.back().await;
    page.until("the first run again", || shown_run(&page) == first).await;
}

/// The link of the run screen to the events of the run that it shows.
fn shown_run(page: &MountedPage) -> Vec<String> {
    page.attributes(Selector::css("[data-testid=run-events]"), "href")
}

#[wasm_bindgen_test]
async fn an_action_leads_from_the_graph_editor_to_the_run() {
    let page = after_a_broadcast().await;
    open(&page).await;
    let run = shown_run(&page);
    page.click(RUN_EDIT_GRAPHS).await;
    page.see(GRAPH_PROBLEM).await;
    page.run_action("see the run as a graph", "to-run-graph").await;
    page.see(node("operator")).await;
    assert_eq!(shown_run(&page), run);
    page.has_focus(RUN_NODE).await;
    page.back().await;
    page.see(GRAPH_PROBLEM).await;
}

#[wasm_bindgen_test]
async fn what_is_typed_for_one_node_does_not_stand_at_another() {
    let page = after_a_broadcast().await;
    open(&page).await;
    page.click(node("engineer")).await;
    page.fill(RUN_STEER, "Go left.").await;
    page.click(node("critic")).await;
    page.until("an empty field", || page.texts(RUN_STEER) == [""]).await;
    page.fill(RUN_STEER, "Go right.").await;
    page.click(node("engineer")).await;
    page.see_text(RUN_STEER, "Go left.").await;
}
