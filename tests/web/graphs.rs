//! Tests of graph runs on the run screen, and of the graph editor. What a graph run calls and when is proven by native
//! scenarios.

use std::cell::Cell;
use std::rc::Rc;

use nexus_engine::checks::{CheckTest, TestStatus};
use nexus_engine::demo::MODEL as DEMO_MODEL;
use nexus_engine::port::lazy::CheckRun;
use nexus_engine::tests::{Scripted, ScriptedChunk, Tab, calls, says, trickles};
use nexus_model::command::Command;
use nexus_model::settings::schema::GRAPH_ROWS;
use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;

use crate::e2e::selectors::*;
use crate::mounted_page::{MountedPage, queued};
use crate::{script, script_promise};

pub(crate) fn node(id: &str) -> Selector {
    RUN_NODE.with("data-node", id)
}

pub(crate) fn node_with(id: &str, status: &str) -> Selector {
    node(id).with("data-status", status)
}

/// Starts a run of this graph and shows it.
pub(crate) async fn start_graph(page: &MountedPage, graph: &Value, message: &str) {
    page.run_action("import a run", "run-import").await;
    page.pick(RUN_IMPORT_FILE, &[("graph.json", "", graph.to_string().as_bytes())]).await;
    begin(page, message).await;
}

/// Starts a run of the graph in the editor and shows it.
async fn begin(page: &MountedPage, message: &str) {
    page.click(GRAPH_RUN).await;
    page.fill(GRAPH_START_MESSAGE, message).await;
    page.click(GRAPH_START_RUN).await;
    page.see(RUN_SCREEN.with("data-done", "true")).await;
}

/// Waits for a text in the description of a selected node.
async fn spoken(page: &MountedPage, id: &str, words: &str) {
    page.click(node(id)).await;
    page.see_text(RUN_SPOKEN, words).await;
}

/// What unfolds the output of the selected node.
fn envelope() -> Selector {
    Selector::css(&format!("{} summary", Selector::from(RUN_ENVELOPE)))
}

/// An answer that takes five seconds.
fn slow(text: &str) -> Scripted {
    let mut answer = says(text);
    answer.beats.insert(1, ScriptedChunk::Wait(5_000));
    answer
}

#[wasm_bindgen_test]
async fn the_operator_takes_over_from_the_orchestrator_and_gives_back() {
    let graph = json!({
        "version": 1, "name": "Led", "mode": "AUTO", "completion": "orchestrator", "nodes": [
            { "key": "lead", "kind": "orchestrator" }, { "key": "build", "kind": "agent.engineer" },
        ],
    });
    let page = MountedPage::open(queued(vec![
        ("Architect", slow("I lead on.")),
        ("Engineer", says("The page stands.")),
        ("Architect", calls(&[("finish_run", json!({ "summary": "The page stands." }))])),
        ("Architect", says("Finished.")),
    ]))
    .await;
    start_graph(&page, &graph, "A page, please").await;
    page.see(node_with("lead", "RUNNING")).await;
    page.see_text(RUN_SUMMARY_LINE, "Auto").await;
    page.click(RUN_MODE).await;
    page.see_text(RUN_SUMMARY_LINE, "Interactive").await;
    page.see(node_with("lead", "RUNNING")).await;
    page.click(node("build")).await;
    page.fill(RUN_STEER, "Build page.html").await;
    page.click(RUN_STEER_SEND).await;
    page.see(node_with("build", "READY")).await;
    page.tab.pass(6_000);
    page.see(node_with("lead", "DONE")).await;
    page.see(node_with("build", "DONE")).await;
    page.see_text(RUN_ASKS, "The run is not done").await;
    assert_eq!(page.tab.speakers(), ["Architect", "Engineer"]);
    assert!(page.tab.question(1).contains("Build page.html"), "{}", page.tab.question(1));

    page.click(RUN_MODE).await;
    page.click(RESUME).await;
    page.see_text(RUN_SUMMARY_LINE, "Finished").await;
    page.hidden(RUN_ASKS).await;
    assert!(page.tab.question(2).contains("The page stands."), "{}", page.tab.question(2));
    // What the operator told the node is shown with its answer.
    page.goto("/").await;
    page.see_text(MESSAGE.with("data-agent", "engineer"), "Build page.html").await;
}

#[wasm_bindgen_test]
async fn a_graph_fades_where_more_of_it_is_out_of_view() {
    let graph = json!({
        "version": 1, "name": "Side by side", "nodes": [
            { "key": "one", "kind": "agent.architect" }, { "key": "two", "kind": "agent.engineer" },
            { "key": "three", "kind": "agent.critic" }, { "key": "four", "kind": "agent.critic" },
        ],
    });
    let page = MountedPage::open(|_, _| says("Done.")).await;
    start_graph(&page, &graph, "Begin").await;
    page.see(node_with("four", "DONE")).await;
    script(&format!(
        "const sheet = document.createElement('style');
        sheet.id = 'narrow-graph';
        sheet.textContent = {:?};
        document.head.append(sheet);",
        concat!(
            include_str!("../../style/run_graph.css"),
            ".run-frame { inline-size: 300px; block-size: 300px }"
        )
    ));
    let fades = |frame: &str, start: &str, end: &str| {
        format!(
            "(() => {{
                const frame = document.querySelector('.run-frame');
                {frame};
                const style = getComputedStyle(frame);
                const fade = (side) => parseFloat(style.getPropertyValue(`--fade-${{side}}`)) > 0;
                return frame.scrollWidth > 300 && fade('start') === {start} && fade('end') === {end};
            }})()"
        )
    };
    page.script_is_true(&fades("frame.scrollLeft = 0", "false", "true")).await;
    page.script_is_true(&fades("frame.scrollLeft = 1e6", "true", "false")).await;
    script("document.getElementById('narrow-graph').remove()");
}

#[wasm_bindgen_test]
async fn a_run_is_paused_with_its_envelopes_after_a_reload_and_resumes() {
    let graph = json!({
        "version": 1, "name": "Two and a judge", "nodes": [
            { "key": "one", "kind": "agent.architect" }, { "key": "other", "kind": "agent.engineer" },
            { "key": "judge", "kind": "agent.critic" },
        ],
        "edges": [{ "from": "one", "to": "judge" }, { "from": "other", "to": "judge" }],
    });
    let page = MountedPage::open(queued(vec![
        ("Architect", says("The first one.")),
        ("Engineer", trickles(&["I begin"])),
    ]))
    .await;
    start_graph(&page, &graph, "Build it twice").await;
    spoken(&page, "judge", "1 envelope in its inbox").await;
    page.see(node_with("other", "RUNNING")).await;
    page.until("the Engineer's request", || page.tab.speakers().len() == 2).await;

    let answers = vec![("Engineer", says("The second one.")), ("Critic", says("The first one is better."))];
    let page = page.reload(queued(answers)).await;
    page.goto("/run/").await;
    page.see_text(RUN_ASKS, "The run was interrupted").await;
    spoken(&page, "judge", "1 envelope in its inbox").await;
    assert!(page.tab.speakers().is_empty(), "something ran unasked");
    page.click(RESUME).await;
    page.see_text(RUN_SUMMARY_LINE, "Finished").await;
    assert_eq!(page.tab.speakers(), ["Engineer", "Critic"]);
    let judged = page.tab.question(1);
    assert!(judged.contains("\"one\"") && judged.contains("\"other\""), "{judged}");
}

#[wasm_bindgen_test]
async fn a_working_run_in_view_is_stopped_on_the_run_screen() {
    let graph = json!({
        "version": 1, "name": "Long", "nodes": [{ "key": "one", "kind": "agent.architect" }],
    });
    let page = MountedPage::open(|_, _| trickles(&["I begin"])).await;
    start_graph(&page, &graph, "Go").await;
    page.see(node_with("one", "RUNNING")).await;
    page.click(STOP).await;
    page.see_text(RUN_SUMMARY_LINE, "Stopped").await;
    page.see_count(STOP, 0).await;

    // Not on an earlier run while another one works.
    let run = page.tab.run_id();
    page.goto("/").await;
    page.send_to("architect", "Again").await;
    page.see(STOP).await;
    page.goto(&format!("/run/?run={run}")).await;
    page.see(node_with("one", "ERROR")).await;
    page.see_count(STOP, 0).await;
}

#[wasm_bindgen_test]
async fn a_run_at_its_limit_asks_before_the_next_call() {
    let graph = json!({
        "version": 1, "name": "One call", "limits": { "calls": 1 }, "nodes": [
            { "key": "build", "kind": "agent.engineer" }, { "key": "read", "kind": "agent.critic" },
        ],
        "edges": [{ "from": "build", "to": "read" }],
    });
    let page = MountedPage::open(queued(vec![("Engineer", says("Built.")), ("Critic", says("Read."))])).await;
    start_graph(&page, &graph, "Build it").await;
    page.see_text(RUN_ASKS, "1 model call").await;
    page.see(node_with("build", "DONE")).await;
    assert_eq!(page.tab.speakers(), ["Engineer"]);
    page.click(CAP_RAISE).await;
    page.see_text(RUN_SUMMARY_LINE, "Finished").await;
    assert_eq!(page.tab.speakers(), ["Engineer", "Critic"]);
}

#[wasm_bindgen_test]
async fn repeated_equal_answers_pause_the_run_with_the_evidence() {
    let graph = json!({
        "version": 1, "name": "Round and round", "nodes": [
            { "key": "build", "kind": "agent.engineer", "entry": true, "max_turns": 9 },
        ],
        "edges": [{ "from": "build", "to": "build" }],
    });
    let page = MountedPage::open(|_, _| says("I have built it.")).await;
    start_graph(&page, &graph, "Build it").await;
    page.see_text(RUN_ASKS, "stuck in a loop").await;
    page.see_text(RUN_ASKS, "same answer").await;
    assert_eq!(page.tab.speakers().len(), 3);
    page.click(END_RUN).await;
    page.hidden(RUN_ASKS).await;
}

#[wasm_bindgen_test]
async fn an_interactive_run_waits_before_each_node_until_it_runs_by_itself() {
    let graph = json!({
        "version": 1, "name": "Step by step", "mode": "INTERACTIVE", "nodes": [
            { "key": "build", "kind": "agent.engineer" }, { "key": "read", "kind": "agent.critic" },
            { "key": "plan", "kind": "agent.architect" },
        ],
        "edges": [{ "from": "build", "to": "read" }, { "from": "read", "to": "plan" }],
    });
    let page = MountedPage::open(|_, _| says("Done.")).await;
    start_graph(&page, &graph, "Build it").await;
    page.see_text(RUN_ASKS, "Work waits for read").await;
    assert_eq!(page.tab.speakers(), ["Engineer"], "an envelope started a node");
    page.click(RESUME).await;
    page.see_text(RUN_ASKS, "Work waits for plan").await;
    page.click(RUN_MODE).await;
    page.see_text(RUN_SUMMARY_LINE, "Finished").await;
    assert_eq!(page.tab.speakers(), ["Engineer", "Critic", "Architect"]);
}

#[wasm_bindgen_test]
async fn a_node_that_needs_approval_is_blocked_and_approved_on_the_run_screen() {
    let graph = json!({
        "version": 1, "name": "Asks", "nodes": [{ "key": "write", "kind": "agent.critic" }],
    });
    let arguments = json!({ "name": "asked.txt", "content": "as asked\n" });
    let page = MountedPage::open(queued(vec![
        ("Critic", calls(&[("write_file", arguments)])),
        ("Critic", says("Written.")),
    ]))
    .await;
    let mut agent = page.tab.world().agent(&"critic".into()).unwrap().as_ref().clone();
    agent.permissions.tools_ask = vec!["write_file".into()];
    page.tab.send(Command::ChangeAgent { agent }).unwrap();
    start_graph(&page, &graph, "Write it").await;
    page.see(node_with("write", "BLOCKED")).await;
    page.see_text(RUN_ASKS, "asked.txt").await;
    assert_eq!(page.tab.mind().file("asked.txt"), None);
    page.click(APPROVAL_APPROVE).await;
    page.see(node_with("write", "DONE")).await;
    page.hidden(RUN_ASKS).await;
    page.see_text(RUN_SUMMARY_LINE, "Finished").await;
    assert_eq!(page.tab.mind().file("asked.txt"), Some("as asked\n"));
}

/// Tests of the first check run fail if their names have this start, with this message.
fn first_checks_fail(tab: &Tab, start: &'static str, message: &'static str) {
    let runs = Cell::new(0);
    *tab.checks.0.borrow_mut() = Some(Rc::new(move |job| {
        runs.set(runs.get() + 1);
        let text = job.files.iter().find(|file| file.name == job.checks[0]).unwrap().pieces.concat();
        let quotes = |c| c == '\'' || c == '"';
        let names = text.lines().filter_map(|line| line.strip_prefix("test(")?.split(quotes).nth(1));
        let test = |name: &str| {
            let fails = runs.get() == 1 && name.starts_with(start);
            CheckTest {
                file: job.checks[0].clone(),
                name: name.to_owned(),
                status: if fails { TestStatus::Failed } else { TestStatus::Passed },
                message: if fails { message.to_owned() } else { String::new() },
                ms: 1,
                at: None,
            }
        };
        Ok(CheckRun { tests: names.map(test).collect(), ..CheckRun::default() })
    }));
}

#[wasm_bindgen_test]
async fn plan_build_review_shows_the_verdict_and_the_patch_of_the_second_attempt() {
    let check = "import { add } from '../sum.js';\ntest('adds', () => { expect(add(1, 2)).toBe(3); });\n";
    let write = |operator: &str| {
        let sum = format!("export const add = (a, b) => a {operator} b;\n");
        calls(&[
            ("write_file", json!({ "name": "sum.js", "content": sum })),
            ("write_file", json!({ "name": "checks/sum.js", "content": check })),
        ])
    };
    let page = MountedPage::open(queued(vec![
        ("Architect", says("Add two numbers.")),
        ("Engineer", write("-")),
        ("Engineer", says("Built.")),
        ("Engineer", write("+")),
        ("Engineer", says("Mended.")),
        ("Critic", calls(&[("accept_work", json!({ "accepted": true, "reasons": "It adds." }))])),
        ("Critic", says("Accepted.")),
    ]))
    .await;
    first_checks_fail(&page.tab, "adds", "Expected -1 to be 3.");
    page.goto("/run/?edit=1").await;
    page.choose(GRAPH_TEMPLATE_OPEN, "built:0").await;
    begin(&page, "Add two numbers").await;
    page.see_text(RUN_SUMMARY_LINE, "Finished").await;
    for id in ["plan", "build", "verify", "review"] {
        page.see(node_with(id, "DONE")).await;
    }
    let mut speakers = page.tab.speakers();
    speakers.dedup();
    assert_eq!(speakers, ["Architect", "Engineer", "Critic"]);
    let sent_back = page.tab.question(3);
    assert!(sent_back.contains("Expected -1 to be 3."), "{sent_back}");
    page.click(node("verify")).await;
    page.click(envelope()).await;
    page.see_text(RUN_PANEL, "\"verdict\": \"passed\"").await;
    page.click(node("build")).await;
    page.click(RUN_ARTIFACT.with("title", "Content of artifacts/build/turn-002.patch")).await;
    page.see_text(RUN_ARTIFACT_TEXT, "-export const add = (a, b) => a - b;").await;
    page.see_text(RUN_ARTIFACT_TEXT, "+export const add = (a, b) => a + b;").await;
}

#[wasm_bindgen_test]
async fn the_demo_plays_a_graph_from_the_palette_to_a_passing_verifier() {
    let page = MountedPage::open(|_, _| says("never asked")).await;
    page.tab.use_model("rehearsal", DEMO_MODEL);
    first_checks_fail(&page.tab, "fixed: ", "Expected true, got false.");
    page.run_action("run as a graph", "run-graph-new").await;
    page.fill(GRAPH_MESSAGE, "A tip calculator for a small restaurant").await;
    page.click(GRAPH_START).await;
    page.see(RUN_SCREEN.with("data-done", "true")).await;
    page.tab.pass(600_000);
    page.see(node_with("verify", "DONE")).await;
    page.see_text(RUN_SUMMARY_LINE, "Finished").await;
    page.click(node("verify")).await;
    page.click(envelope()).await;
    page.see_text(RUN_PANEL, "\"verdict\": \"passed\"").await;
    assert!(page.tab.speakers().is_empty(), "the demo has called a model");
    spoken(&page, "build", "done, 3 turns").await;
}

/// Draws an edge by keys.
async fn connect_plan_to_polish(page: &MountedPage) {
    // The new node takes the focus in a frame of its own.
    script_promise("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))").await;
    page.click(edited("plan")).await;
    page.has_focus(edited("plan")).await;
    page.press("c").await;
    page.press("End").await;
    page.has_focus(edited("polish")).await;
    page.press("Enter").await;
}

fn edited(key: &str) -> Selector {
    GRAPH_NODE.with("data-node", key)
}

/// The editor with a copy of the first template; its numbers of nodes and edges.
async fn editor() -> (MountedPage, usize, usize) {
    let page = MountedPage::open(queued(vec![
        ("Architect", says("The plan.")),
        ("Engineer", trickles(&["Built."])),
    ]))
    .await;
    page.goto("/run/?edit=1").await;
    page.see_text(GRAPH_PROBLEM, "no nodes").await;
    page.choose(GRAPH_TEMPLATE_OPEN, "built:0").await;
    page.see_text(GRAPH_PROBLEM, "The graph is valid").await;
    let (nodes, edges) = (page.count(GRAPH_NODE), page.count(GRAPH_EDGE));
    assert!(nodes > 0 && edges > 0, "the template is empty");
    (page, nodes, edges)
}

/// Adds the node `polish` after the review.
async fn add_polish(page: &MountedPage, nodes: usize) {
    page.click(edited("review")).await;
    page.press("a").await;
    page.see_count(GRAPH_NODE, nodes + 1).await;
    page.see(edited("engineer").with("aria-pressed", "true")).await;
    page.press("Enter").await;
    page.enter(GRAPH_KEY, "polish").await;
    page.see(edited("polish")).await;
}

#[wasm_bindgen_test]
async fn keys_add_a_node_and_draw_an_edge_in_the_graph_editor() {
    let (page, nodes, edges) = editor().await;
    add_polish(&page, nodes).await;
    connect_plan_to_polish(&page).await;
    page.see_count(GRAPH_EDGE, edges + 2).await;
    page.choose(GRAPH_WHEN, "otherwise").await;
    page.see_text(GRAPH_WHEN, "otherwise").await;
}

#[wasm_bindgen_test]
async fn an_error_of_the_graph_is_shown_at_its_node_and_undone() {
    let (page, nodes, _) = editor().await;
    add_polish(&page, nodes).await;
    connect_plan_to_polish(&page).await;
    page.click(edited("polish")).await;
    page.choose(GRAPH_JOIN, "quorum").await;
    page.enter(GRAPH_NEEDS, "3").await;
    page.see_text(GRAPH_PROBLEM, "waits for 3 of 2 nodes before it").await;
    page.see(edited("polish").with("data-wrong", "true")).await;
    page.click(GRAPH_UNDO).await;
    page.see_text(GRAPH_PROBLEM, "The graph is valid").await;
    page.see_text(GRAPH_TEXT, "polish  agent.engineer  waits for 1 of 2").await;
}

#[wasm_bindgen_test]
async fn clicks_on_a_handle_and_a_node_draw_an_edge_and_delete_removes_a_node() {
    let (page, nodes, edges) = editor().await;
    add_polish(&page, nodes).await;
    page.click(GRAPH_HANDLE.with("data-node", "polish")).await;
    page.click(edited("review")).await;
    page.see_count(GRAPH_EDGE, edges + 2).await;
    page.click(GRAPH_UNDO).await;
    page.see_count(GRAPH_EDGE, edges + 1).await;
    page.click(edited("polish")).await;
    page.press("Delete").await;
    page.see_count(GRAPH_NODE, nodes).await;
}

#[wasm_bindgen_test]
async fn a_saved_graph_survives_a_reload_and_its_deletion_is_undone() {
    let (page, _, _) = editor().await;
    page.press("Escape").await;
    page.enter(GRAPH_NAME, "Mine").await;
    page.click(GRAPH_SAVE).await;
    page.see(GRAPH_DELETE).await;
    let page = page.reload(|_, _| says("never asked")).await;
    page.goto("/run/?edit=1").await;
    page.choose(GRAPH_TEMPLATE_OPEN, "own:0").await;
    page.see_text(GRAPH_NOTE, "Mine").await;
    page.click(GRAPH_DELETE).await;
    page.hidden(GRAPH_DELETE).await;
    page.click(NOTICE_UNDO).await;
    page.see(GRAPH_DELETE).await;
}

#[wasm_bindgen_test]
async fn an_edited_graph_is_run_under_its_name() {
    let (page, nodes, _) = editor().await;
    page.press("Escape").await;
    page.enter(GRAPH_NAME, "Mine").await;
    begin(&page, "Build a page").await;
    page.see_text(RUN_SUMMARY_LINE, "Mine").await;
    page.see(node_with("plan", "DONE")).await;
    page.see(node_with("build", "RUNNING")).await;
    page.until("requests to both agents", || page.tab.speakers() == ["Architect", "Engineer"]).await;
    page.click(RUN_EDIT_GRAPHS).await;
    page.see_text(GRAPH_NOTE, "Mine").await;
    page.see_count(GRAPH_NODE, nodes).await;
    page.back().await;
    page.see_text(RUN_SUMMARY_LINE, "Mine").await;
}

#[wasm_bindgen_test]
async fn a_click_on_the_empty_canvas_ends_an_edge_and_the_selection() {
    let (page, _, edges) = editor().await;
    page.click(GRAPH_HANDLE.with("data-node", "plan")).await;
    page.see(GRAPH_PICK).await;
    page.click(GRAPH_CANVAS).await;
    page.hidden(GRAPH_PICK).await;
    page.see(edited("plan").with("aria-pressed", "true")).await;
    page.click(GRAPH_CANVAS).await;
    page.see(GRAPH_NAME).await;
    page.see_count(GRAPH_EDGE, edges).await;
}

#[wasm_bindgen_test]
async fn an_unsaved_graph_comes_back_by_undo_after_another_was_opened() {
    let (page, nodes, _) = editor().await;
    add_polish(&page, nodes).await;
    page.goto("/").await;
    page.see(WAR_ROOM).await;
    page.goto("/run/?edit=1&graph=0").await;
    page.see_count(GRAPH_NODE, nodes).await;
    // The opened one is there after a reload, unchanged as it is.
    let page = page.reload(|_, _| says("never asked")).await;
    page.goto("/run/?edit=1").await;
    page.see_count(GRAPH_NODE, nodes).await;
    add_polish(&page, nodes).await;
    page.goto("/").await;
    page.see(WAR_ROOM).await;
    page.goto("/run/?edit=1&graph=1").await;
    page.hidden(edited("polish")).await;
    page.click(GRAPH_UNDO).await;
    page.see(edited("polish")).await;
}

#[wasm_bindgen_test]
async fn a_template_replaced_by_another_of_its_name_has_an_undo() {
    let (page, nodes, _) = editor().await;
    page.enter(GRAPH_NAME, "Mine").await;
    page.click(GRAPH_SAVE).await;
    page.see(GRAPH_DELETE).await;
    page.choose(GRAPH_TEMPLATE_OPEN, "new").await;
    page.see_count(GRAPH_NODE, 0).await;
    page.click(Selector::css("#graph-add")).await;
    page.see_count(GRAPH_NODE, 1).await;
    page.click(GRAPH_CANVAS).await;
    page.enter(GRAPH_NAME, "Mine").await;
    page.click(GRAPH_SAVE).await;
    page.see_text(NOTICE, "Replaced the template “Mine”").await;
    let stored = || {
        let world = page.tab.world();
        world.setting(&GRAPH_ROWS.row("Mine")).and_then(|value| Some(value["nodes"].as_array()?.len()))
    };
    assert_eq!(stored(), Some(1));
    page.click(NOTICE_UNDO).await;
    page.until("the former template to be back", || stored() == Some(nodes)).await;
}

#[wasm_bindgen_test]
async fn an_unmounted_page_leaves_nothing_that_panics() {
    script(
        "window.left = []; window.onerror = (message) => { window.left.push(message); };
        window.onunhandledrejection = (event) => { window.left.push(String(event.reason)); };",
    );
    // The draft of the graph is stored with the screen's end.
    let (page, nodes, _) = editor().await;
    add_polish(&page, nodes).await;
    drop(page);
    let page = MountedPage::open(|_, _| trickles(&["I begin"])).await;
    page.send_to("engineer", "Begin.").await;
    page.tab.pass(1_500);
    page.see_text(answers_of("engineer"), "I begin").await;
    drop(page);
    script_promise("new Promise((done) => setTimeout(done, 200))").await;
    let left = script("window.onerror = window.onunhandledrejection = null; JSON.stringify(window.left)");
    assert_eq!(left.as_string().unwrap(), "[]");
}

/// Types at the end of a field as a person does: only then does the browser tell of the change when the field goes.
pub(crate) fn type_into(field: &str, text: &str) {
    script(&format!("document.querySelector('{field}').focus()"));
    script(&format!("document.execCommand('insertText', false, '{text}')"));
}

#[wasm_bindgen_test]
async fn what_is_typed_into_a_node_is_stored_when_its_form_goes() {
    let (page, ..) = editor().await;
    page.click(edited("plan")).await;
    type_into("[data-testid=graph-task]", "Build it small");
    page.see(GRAPH_HANDLE.with("data-node", "review")).await;
    script(
        "document.querySelector('[data-testid=graph-handle][data-node=review]')
            .dispatchEvent(new PointerEvent('pointerdown', { bubbles: true, pointerType: 'mouse' }))",
    );
    page.settle().await;
    page.see_text(GRAPH_TEXT, "Build it small").await;

    type_into("[data-testid=graph-task]", "Build it large");
    page.back().await;
    page.see(WAR_ROOM).await;
    page.goto("/run/?edit=1").await;
    page.see_text(GRAPH_TEXT, "Build it large").await;
}
