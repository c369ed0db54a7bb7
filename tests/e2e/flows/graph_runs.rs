//! Flows for graph runs: orchestrated and manual, reloaded, at a limit, in a loop, asking, and rejected by a
//! verifier.

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use crate::agent_setup;
use crate::app;
use crate::fixture::Fixture;
use crate::flows::graph_editor::open_template;
use crate::flows::{palette, runs, screenshots};
use crate::page::Page;
use crate::provider::{Answer, Gate};
use crate::selectors::*;

fn node(id: &str) -> Selector {
    RUN_NODE.with("data-node", id)
}

fn node_with(id: &str, status: &str) -> Selector {
    node(id).with("data-status", status)
}

/// Returns to the war room, in a new session.
async fn start_over(fixture: &Fixture) -> Result<()> {
    fixture.page.click(Selector::css("[data-testid=run-screen] a.button")).await?;
    fixture.page.see(WAR_ROOM).await?;
    app::start_over(fixture).await
}

/// Starts a run of this graph and shows it.
async fn start(page: &Page, graph: &Value, message: &str) -> Result<()> {
    palette::run(page, "import a run", "run-import").await?;
    runs::choose(page, "graph.json", graph.to_string().as_bytes()).await?;
    begin(page, message).await
}

/// Starts a run of the graph in the editor and shows it.
async fn begin(page: &Page, message: &str) -> Result<()> {
    page.click(GRAPH_RUN).await?;
    page.fill(GRAPH_START_MESSAGE, message).await?;
    page.click(GRAPH_START_RUN).await?;
    page.see(RUN_SCREEN.with("data-done", "true")).await
}

/// Waits for a text in the description of a selected node.
async fn spoken(page: &Page, id: &str, words: &str) -> Result<()> {
    page.click(node(id)).await?;
    page.see_text(RUN_SPOKEN, words).await
}

/// A graph between its first and its last turn, on the run screen.
pub(crate) async fn graphs(fixture: &mut Fixture) -> Result<()> {
    app::set_up(fixture).await?;
    agent_setup::rule(&fixture.page, "critic", "write_file", "ask").await?;
    led(fixture).await?;
    start_over(fixture).await?;
    reload(fixture).await?;
    start_over(fixture).await?;
    limit(fixture).await?;
    start_over(fixture).await?;
    stall(fixture).await?;
    start_over(fixture).await?;
    stepped(fixture).await?;
    start_over(fixture).await?;
    approval(fixture).await
}

/// The orchestrator leads until the operator disables that in the middle of its turn and starts another node; the
/// turn ends as usual. Enabled again, the orchestrator is informed of the changes, and ends the run.
async fn led(fixture: &mut Fixture) -> Result<()> {
    let graph = json!({
        "version": 1, "name": "Led", "mode": "AUTO", "completion": "orchestrator", "nodes": [
            { "key": "lead", "kind": "orchestrator" }, { "key": "build", "kind": "agent.engineer" },
        ],
    });
    let gate = Gate::new();
    fixture.provider.queue_for("Architect", Answer::new().text("I lead").hold(&gate).text(" on."));
    let page = &fixture.page;
    start(page, &graph, "A page, please").await?;
    page.see(node_with("lead", "RUNNING")).await?;
    page.see_text(RUN_SUMMARY_LINE, "Auto").await?;
    page.click(RUN_MODE).await?;
    page.see_text(RUN_SUMMARY_LINE, "Interactive").await?;
    page.see(node_with("lead", "RUNNING")).await?;
    fixture.provider.queue_for("Engineer", Answer::say("The page stands."));
    page.click(node("build")).await?;
    page.fill(RUN_STEER, "Build page.html").await?;
    page.click(RUN_STEER_SEND).await?;
    page.see(node_with("build", "READY")).await?;
    screenshots::moment(page, "run-running").await?;
    gate.open();
    page.see(node_with("lead", "DONE")).await?;
    page.see(node_with("build", "DONE")).await?;
    page.see_text(RUN_ASKS, "The run is not done").await?;
    let requests = fixture.provider.requests();
    ensure!(
        fixture.provider.order() == ["Architect", "Engineer"] && requests.len() == 2,
        "an unexpected orchestrator"
    );
    let taken = requests.last().map(|request| request.all_text()).unwrap_or_default();
    ensure!(taken.contains("Build page.html"), "{taken}");

    let finish = json!({ "summary": "The page stands." });
    fixture.provider.queue_for("Architect", Answer::new().call("finish_run", finish));
    fixture.provider.queue_for("Architect", Answer::say("Finished."));
    page.click(RUN_MODE).await?;
    page.click(RESUME).await?;
    page.see_text(RUN_SUMMARY_LINE, "Finished").await?;
    page.hidden(RUN_ASKS).await?;
    let prompt = fixture.request_of("Architect", 2).await?.last_user_text();
    ensure!(prompt.contains("The page stands."), "the changes are missing: {prompt}");
    Ok(())
}

/// A page reloaded in the middle of a turn shows the run paused, with its queued envelopes.
async fn reload(fixture: &mut Fixture) -> Result<()> {
    let graph = json!({
        "version": 1, "name": "Two and a judge", "nodes": [
            { "key": "one", "kind": "agent.architect" }, { "key": "other", "kind": "agent.engineer" },
            { "key": "judge", "kind": "agent.critic" },
        ],
        "edges": [{ "from": "one", "to": "judge" }, { "from": "other", "to": "judge" }],
    });
    fixture.provider.queue_for("Architect", Answer::say("The first one."));
    fixture.provider.queue_for("Engineer", Answer::new().text("I begin").hold(&Gate::new()));
    start(&fixture.page, &graph, "Build it twice").await?;
    spoken(&fixture.page, "judge", "1 envelope in its inbox").await?;
    fixture.page.see(node_with("other", "RUNNING")).await?;
    fixture.request_of("Engineer", 1).await?;
    fixture.page.reload().await?;
    let page = &fixture.page;
    page.see_text(RUN_ASKS, "The run was interrupted").await?;
    spoken(page, "judge", "1 envelope in its inbox").await?;
    ensure!(fixture.provider.requests().len() == 2, "something ran unasked");
    fixture.provider.queue_for("Engineer", Answer::say("The second one."));
    fixture.provider.queue_for("Critic", Answer::say("The first one is better."));
    page.click(RESUME).await?;
    page.see_text(RUN_SUMMARY_LINE, "Finished").await?;
    let judged = fixture.request_of("Critic", 1).await?.all_text();
    ensure!(judged.contains("\"one\"") && judged.contains("\"other\""), "{judged}");
    Ok(())
}

/// A run at its limit pauses before the next call, and asks.
async fn limit(fixture: &mut Fixture) -> Result<()> {
    let graph = json!({
        "version": 1, "name": "One call", "limits": { "calls": 1 }, "nodes": [
            { "key": "build", "kind": "agent.engineer" }, { "key": "read", "kind": "agent.critic" },
        ],
        "edges": [{ "from": "build", "to": "read" }],
    });
    let page = &fixture.page;
    fixture.provider.queue_for("Engineer", Answer::say("Built."));
    start(page, &graph, "Build it").await?;
    page.see_text(RUN_ASKS, "1 model call").await?;
    screenshots::moment(page, "run-paused").await?;
    page.see(node_with("build", "DONE")).await?;
    ensure!(fixture.provider.requests().len() == 1, "it exceeded its limit");
    fixture.provider.queue_for("Critic", Answer::say("Read."));
    page.click(CAP_RAISE).await?;
    page.see_text(RUN_SUMMARY_LINE, "Finished").await
}

/// Repeated equal answers pause the run, with the evidence.
async fn stall(fixture: &mut Fixture) -> Result<()> {
    let graph = json!({
        "version": 1, "name": "Round and round", "nodes": [
            { "key": "build", "kind": "agent.engineer", "entry": true, "max_turns": 9 },
        ],
        "edges": [{ "from": "build", "to": "build" }],
    });
    let page = &fixture.page;
    for _ in 0..3 {
        fixture.provider.queue_for("Engineer", Answer::say("I have built it."));
    }
    start(page, &graph, "Build it").await?;
    page.see_text(RUN_ASKS, "stuck in a loop").await?;
    page.see_text(RUN_ASKS, "same answer").await?;
    screenshots::moment(page, "run-loop").await?;
    ensure!(fixture.provider.requests().len() == 3, "{} calls", fixture.provider.requests().len());
    page.click(END_RUN).await?;
    page.hidden(RUN_ASKS).await
}

/// In INTERACTIVE a node with an envelope waits for the operator; in AUTO nodes start by themselves.
async fn stepped(fixture: &mut Fixture) -> Result<()> {
    let graph = json!({
        "version": 1, "name": "Step by step", "mode": "INTERACTIVE", "nodes": [
            { "key": "build", "kind": "agent.engineer" }, { "key": "read", "kind": "agent.critic" },
            { "key": "plan", "kind": "agent.architect" },
        ],
        "edges": [{ "from": "build", "to": "read" }, { "from": "read", "to": "plan" }],
    });
    let page = &fixture.page;
    for agent in ["Engineer", "Critic", "Architect"] {
        fixture.provider.queue_for(agent, Answer::say("Done."));
    }
    start(page, &graph, "Build it").await?;
    page.see_text(RUN_ASKS, "Work waits for read").await?;
    ensure!(fixture.provider.requests().len() == 1, "an envelope started a node");
    page.click(RESUME).await?;
    page.see_text(RUN_ASKS, "Work waits for plan").await?;
    page.click(RUN_MODE).await?;
    page.see_text(RUN_SUMMARY_LINE, "Finished").await?;
    ensure!(
        fixture.provider.order() == ["Engineer", "Critic", "Architect"],
        "{:?}",
        fixture.provider.order()
    );
    Ok(())
}

/// A node that needs approval is BLOCKED, and can be approved there.
async fn approval(fixture: &mut Fixture) -> Result<()> {
    let graph = json!({
        "version": 1, "name": "Asks", "nodes": [{ "key": "write", "kind": "agent.critic" }],
    });
    let page = &fixture.page;
    let arguments = json!({ "name": "asked.txt", "content": "as asked\n" });
    fixture.provider.queue_for("Critic", Answer::new().call("write_file", arguments));
    fixture.provider.queue_for("Critic", Answer::say("Written."));
    start(page, &graph, "Write it").await?;
    page.see(node_with("write", "BLOCKED")).await?;
    page.see_text(RUN_ASKS, "asked.txt").await?;
    screenshots::moment(page, "run-asks").await?;
    page.click(APPROVAL_APPROVE).await?;
    page.see(node_with("write", "DONE")).await?;
    page.hidden(RUN_ASKS).await?;
    page.see_text(RUN_SUMMARY_LINE, "Finished").await
}

/// The template plan–build–review: the first attempt fails its real checks, the second passes and is accepted.
pub(crate) async fn plan_build_review(fixture: &mut Fixture) -> Result<()> {
    app::set_up(fixture).await?;
    let editor = fixture.site.url("/run/?edit=1");
    fixture.page.goto(&editor).await?;
    open_template(&fixture.page, "built:0").await?;
    fixture.provider.queue_for("Architect", Answer::say("Add two numbers."));
    let check = "import { add } from '../sum.js';\ntest('adds', () => { expect(add(1, 2)).toBe(3); });\n";
    for (operator, answer) in [("-", "Built."), ("+", "Mended.")] {
        let sum = format!("export const add = (a, b) => a {operator} b;\n");
        let files = [("sum.js", &*sum), ("checks/sum.js", check)].into_iter();
        let write = |(name, content)| ("write_file", json!({ "name": name, "content": content }));
        fixture.provider.queue_for("Engineer", Answer::new().calls(files.map(write)));
        fixture.provider.queue_for("Engineer", Answer::say(answer));
    }
    let verdict = json!({ "accepted": true, "reasons": "It adds." });
    fixture.provider.queue_for("Critic", Answer::new().call("accept_work", verdict));
    fixture.provider.queue_for("Critic", Answer::say("Accepted."));
    let page = &fixture.page;
    begin(page, "Add two numbers").await?;
    page.see_text(RUN_SUMMARY_LINE, "Finished").await?;
    for id in ["plan", "build", "verify", "review"] {
        page.see(node_with(id, "DONE")).await?;
    }
    ensure!(
        fixture.provider.order() == ["Architect", "Engineer", "Critic"],
        "{:?}",
        fixture.provider.order()
    );
    let sent_back = fixture.request_of("Engineer", 3).await?.all_text();
    ensure!(sent_back.contains("Expected -1 to be 3."), "the failure was not returned: {sent_back}");
    page.click(node("verify")).await?;
    page.click(RUN_ENVELOPE).await?;
    page.see_text(RUN_PANEL, "\"verdict\": \"passed\"").await?;
    // The second attempt's changes are a patch.
    page.click(node("build")).await?;
    page.click(RUN_ARTIFACT.with("title", "Content of artifacts/build/turn-002.patch")).await?;
    page.see_text(RUN_ARTIFACT_TEXT, "-export const add = (a, b) => a - b;").await?;
    page.see_text(RUN_ARTIFACT_TEXT, "+export const add = (a, b) => a + b;").await
}

/// The demo without a key, after a new visitor's broadcasts: the run as a graph, and the template plan–build–review
/// up to a passing verifier.
pub(crate) async fn demo(fixture: &mut Fixture) -> Result<()> {
    runs::demo(fixture).await?;
    start_over(fixture).await?;
    let page = &fixture.page;
    page.speed_up().await?;
    palette::run(page, "run as a graph", "run-graph-new").await?;
    page.fill(GRAPH_MESSAGE, app::PREPARED).await?;
    page.click(GRAPH_START).await?;
    page.see(RUN_SCREEN.with("data-done", "true")).await?;
    page.see(node_with("verify", "DONE")).await?;
    page.see_text(RUN_SUMMARY_LINE, "Finished").await?;
    page.click(node("verify")).await?;
    page.click(RUN_ENVELOPE).await?;
    page.see_text(RUN_PANEL, "\"verdict\": \"passed\"").await?;
    ensure!(fixture.provider.requests().is_empty(), "the demo has called a model");
    spoken(page, "build", "done, 3 turns").await
}
