//! Flows for agents on different providers: one broadcast, one mind, one history.
//!
//! Each request must be valid for its provider, and contain only its own key.

use anyhow::{Context, Result, ensure};
use nexus_model::provider::Protocol;
use serde_json::{Value, json};

use crate::agent_setup;
use crate::app;
use crate::fixture::Fixture;
use crate::provider::{Answer, Gate, Reply, Request, key_of, model_of};
use crate::selectors::*;

/// Architect at Anthropic, Engineer at OpenAI, Critic on a compatible host; then Architect on Ollama, Engineer on a
/// compatible host, Critic at Gemini.
pub(crate) async fn mixed_agents(fixture: &mut Fixture) -> Result<()> {
    app::set_up(fixture).await?;
    broadcast(fixture, [Protocol::Anthropic, Protocol::Responses, Protocol::Openai]).await?;
    app::start_over(fixture).await?;
    broadcast(fixture, [Protocol::Ollama, Protocol::Openai, Protocol::Gemini]).await?;
    app::start_over(fixture).await?;
    rethought(fixture).await
}

/// Text of the Engineer, on a compatible host, that turns out to be thinking moves there at once, and stays there
/// when the answer is complete.
async fn rethought(fixture: &mut Fixture) -> Result<()> {
    let (first_gate, second_gate) = (Gate::new(), Gate::new());
    let answer = Answer::new()
        .text("Six by seven, let me see")
        .hold(&first_gate)
        .text(".\n</think>\n\n42")
        .hold(&second_gate)
        .text(", of course.");
    fixture.provider.queue_for("Engineer", answer);
    app::send_to(&fixture.page, "engineer", "Six by seven?").await?;
    let newest = answers_of("engineer").with("data-status", "processing");
    fixture.page.see_text(newest.clone().inner(MESSAGE_TEXT), "let me see").await?;
    first_gate.open();
    fixture.page.see_text(newest.inner(MESSAGE_TEXT), "42").await?;
    let has_moved = "(() => {
        const all = document.querySelectorAll(arguments[0]);
        const message = all[all.length - 1];
        const text = (part) => message.querySelector(`[data-testid=${part}]`)?.textContent ?? '';
        return text('message-thinking').includes('Six by seven, let me see.')
            && !text('message-text').includes('Six') && !message.textContent.includes('think>');
    })()";
    let all = json!(answers_of("engineer").as_str());
    fixture.page.wait_for("the thinking to move", has_moved, std::slice::from_ref(&all)).await?;
    second_gate.open();
    fixture.page.see_text(answers_of("engineer"), "42, of course.").await?;
    app::idle(&fixture.page).await?;
    fixture.page.wait_for("it to stay there", has_moved, &[all]).await
}

async fn broadcast(fixture: &mut Fixture, protocols: [Protocol; 3]) -> Result<()> {
    const PLAN: &str = "- [ ] Engineer: grüße.html greets 🦀 by name";
    const PAGE: &str = "<h1>Hallo, Ferris</h1>\n";
    let team: Vec<_> = ["architect", "engineer", "critic"].into_iter().zip(protocols).collect();
    agent_setup::spread(fixture, &team).await?;
    let halves = |answer: Answer| Reply::from(answer).in_pieces(11);
    let plan = Answer::new()
        .thinking("They want a greeting.")
        .hidden_thought()
        .text("Let me plan.")
        .calls([("update_nexus_state", json!({ "scratchpad": PLAN })), ("list_files", json!({}))]);
    fixture.provider.queue_for("Architect", halves(plan));
    fixture.provider.queue_for("Architect", halves(Answer::say("The plan is on the board.")));
    let build = Answer::new()
        .thinking("By name, then.")
        .call("update_nexus_state", json!({ "activeFile": PAGE, "activeFileName": "grüße.html" }));
    fixture.provider.queue_for("Engineer", halves(build));
    fixture.provider.queue_for("Engineer", halves(Answer::say("Built as planned.")));
    fixture
        .provider
        .queue_for("Critic", halves(Answer::new().call("read_file", json!({ "name": "grüße.html" }))));
    fixture.provider.queue_for("Critic", halves(Answer::say("It greets.")));
    app::send_to(&fixture.page, "ALL", "Greet the crab.").await?;
    fixture.page.see_text(answers_of("critic"), "It greets.").await?;
    app::idle(&fixture.page).await?;

    ensure!(fixture.provider.order() == app::AGENTS, "the order was {:?}", fixture.provider.order());
    ensure!(fixture.provider.calls().len() == 6, "{} calls", fixture.provider.calls().len());
    for (agent, protocol) in app::AGENTS.into_iter().zip(protocols) {
        for request in fixture.provider.requests_of(agent) {
            ensure!(request.protocol == protocol, "{agent} spoke {:?}", request.protocol);
            ensure!(request.model() == model_of(protocol), "{agent} called {}", request.model());
            keeps_keys_apart(&request)?;
        }
    }
    let engineer = fixture.request_of("Engineer", 1).await?;
    let mind = engineer.mind_block().context("the Engineer was shown no mind")?;
    ensure!(mind.contains(PLAN), "the Engineer's mind is stale: {mind}");
    let prompt = engineer.all_text();
    ensure!(
        prompt.contains("The plan is on the board."),
        "the prompt of the Engineer lacks the Architect's message"
    );
    ensure!(prompt.contains("[Architect]"), "no author is named");
    ensure!(!prompt.contains("They want a greeting."), "thinking was sent as history");
    let results = fixture.request_of("Architect", 2).await?.tool_results();
    let names: Vec<_> = results.iter().filter_map(|each| each.get("name").and_then(Value::as_str)).collect();
    ensure!(names == ["update_nexus_state", "list_files"], "results of {names:?}");
    let critic = fixture.request_of("Critic", 2).await?.tool_results();
    ensure!(
        json!(critic).to_string().contains("Hallo, Ferris"),
        "the Critic read something else: {critic:?}"
    );
    fixture.page.see_text(SCRATCHPAD, PLAN).await?;
    fixture.page.see_text(FILE_EDITOR, PAGE.trim()).await?;
    let thought = fixture.page.texts(answers_of("architect").inner(MESSAGE_THINKING)).await?.join("\n");
    ensure!(thought.contains("They want a greeting."), "the thinking is lost: {thought}");
    fixture.page.see_count(TOOL_CARD.with("data-status", "succeeded"), 4).await?;

    // Each continues from its own turn unchanged, and from those of others as text.
    fixture.provider.reset();
    for agent in app::AGENTS {
        fixture.provider.queue_for(agent, Answer::say(&format!("{agent} once more.")));
    }
    app::send_to(&fixture.page, "ALL", "And again.").await?;
    fixture.page.see_text(answers_of("critic"), "Critic once more.").await?;
    app::idle(&fixture.page).await?;
    for (agent, others) in
        [("Architect", "Built as planned."), ("Engineer", "It greets."), ("Critic", "Let me plan.")]
    {
        let request = fixture.request_of(agent, 1).await?;
        let messages = request.messages();
        let calls: usize = messages.iter().map(|message| message.calls.len()).sum();
        ensure!(
            calls == if agent == "Architect" { 2 } else { 1 },
            "{agent} received {calls} calls of its own"
        );
        ensure!(request.all_text().contains(others), "{agent} did not receive {others:?}");
        ensure!(request.last_user_text().contains("And again."));
    }
    Ok(())
}

/// A request has its own service's key in its header, and no other.
fn keeps_keys_apart(request: &Request) -> Result<()> {
    let sent = format!("{:?} {}", request.headers, request.body);
    for protocol in Protocol::ALL {
        let Some(key) = key_of(protocol) else { continue };
        ensure!(
            sent.contains(key) == (protocol == request.protocol),
            "the key of {protocol:?} and a request in {:?}",
            request.protocol
        );
    }
    ensure!(!request.body.to_string().contains("key0of0the"), "a key is in the body");
    Ok(())
}
