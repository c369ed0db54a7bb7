//! Flows that replay recorded bodies of real providers over HTTP, in chunks of 1 to 64 bytes.
//!
//! The recordings are not part of the repository. Skipped with a message if they are absent.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use nexus_model::provider::Protocol;
use serde_json::Value;

use crate::agent_setup;
use crate::app;
use crate::corpus::at_hand;
use crate::fixture::Fixture;
use crate::page::{Page, TIMEOUT};
use crate::provider::{Answer, Reply, model_of};
use crate::selectors::*;

/// Recordings: one with thinking or host-specific behaviour beside a plain one.
const TEXTS: [(Protocol, &[&str]); 5] = [
    (Protocol::Gemini, &["gemini/text-incremental-usage.sse", "gemini/thinking-summaries.sse"]),
    (
        Protocol::Openai,
        &["openai/chat-text-usage.sse", "compat/deepseek-reasoning.sse", "compat/mistral-thinking-list.sse"],
    ),
    (Protocol::Responses, &[]),
    (Protocol::Anthropic, &["anthropic/text.sse"]),
    (Protocol::Ollama, &["ollama/chat-text.ndjson"]),
];

/// Recordings with calls of tools that Nexus does not have, without data that must be sent back.
const CALLS: [(Protocol, &[&str]); 5] = [
    (Protocol::Gemini, &[]),
    (Protocol::Openai, &["openai/chat-parallel-tools.sse"]),
    (Protocol::Responses, &["openai/responses-tool-call.sse"]),
    (Protocol::Anthropic, &["anthropic/text-then-two-tools.sse"]),
    (Protocol::Ollama, &[]),
];

/// Each recording in its own session, by an agent on its protocol.
pub(crate) async fn replayed(fixture: &mut Fixture) -> Result<()> {
    let folder = at_hand::folder("streams");
    let list = folder.join("expected.json");
    if !list.exists() {
        nexus_text::testing::not_checked(format_args!(
            "the recordings of real providers are not here ({})",
            folder.display()
        ));
        return Ok(());
    }
    let list: Value = serde_json::from_str(&fs::read_to_string(list)?)?;
    let expected = |file: &str, what: &str| {
        let entry = list.get(file).and_then(|entry| entry.get("expected"));
        entry.and_then(|entry| entry.get(what)).cloned().with_context(|| format!("{file} has no {what}"))
    };
    app::set_up(fixture).await?;
    agent_setup::open_settings(&fixture.page).await?;
    let mut providers = Vec::new();
    for protocol in [Protocol::Openai, Protocol::Responses, Protocol::Anthropic, Protocol::Ollama] {
        let address = fixture.provider.base_url_of(protocol);
        let id = agent_setup::add_provider(&fixture.page, protocol, &address).await?;
        if let Some(key) = crate::provider::key_of(protocol) {
            app::enter(&fixture.page, agent_setup::card(&id).inner(PROVIDER_KEY), key).await?;
        }
        providers.push((protocol, id));
    }
    agent_setup::leave_settings(&fixture.page).await?;
    for ((protocol, texts), (_, calls)) in TEXTS.into_iter().zip(CALLS) {
        if let Some((_, id)) = providers.iter().find(|(own, _)| *own == protocol) {
            agent_setup::open_settings(&fixture.page).await?;
            agent_setup::assign(&fixture.page, "engineer", id, model_of(protocol)).await?;
            agent_setup::leave_settings(&fixture.page).await?;
        }
        for file in texts {
            play(fixture, &folder, protocol, file).await?;
            let text = expected(file, "text")?;
            shows(&fixture.page, MESSAGE_TEXT, text.as_str().unwrap_or_default(), file).await?;
            let thought = expected(file, "reasoning")?;
            shows(&fixture.page, MESSAGE_THINKING, thought.as_str().unwrap_or_default(), file).await?;
            ensure!(fixture.provider.requests().len() == 1, "{file} was requested again");
        }
        for file in calls {
            fixture.provider.reset();
            play(fixture, &folder, protocol, file).await?;
            fixture.page.see_text(answers_of("engineer"), "No such tools.").await?;
            let wanted = expected(file, "tool_calls")?;
            let wanted: Vec<&str> = wanted
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(|call| call.get("name").and_then(Value::as_str))
                .collect();
            let shown = fixture.page.attributes(TOOL_CARD, "data-tool").await?;
            ensure!(shown == wanted, "{file}: the cards are of {shown:?}, not of {wanted:?}");
            let results = fixture.request_of("Engineer", 2).await?.tool_results();
            let names: Vec<_> =
                results.iter().filter_map(|each| each.get("name").and_then(Value::as_str)).collect();
            ensure!(names == wanted, "{file}: results of {names:?}");
        }
    }
    Ok(())
}

/// A new session, in which the Engineer answers with this recording.
async fn play(fixture: &Fixture, folder: &Path, protocol: Protocol, file: &str) -> Result<()> {
    fixture.provider.reset();
    let kind = if protocol == Protocol::Ollama { "application/x-ndjson" } else { "text/event-stream" };
    let body = fs::read(folder.join(file)).with_context(|| format!("{file} cannot be read"))?;
    fixture.provider.queue_for("Engineer", Reply::body(200, kind, body).in_ragged_pieces());
    fixture.provider.queue_for("Engineer", Answer::say("No such tools."));
    app::new_session(&fixture.page).await?;
    app::send_to(&fixture.page, "engineer", "Go.").await?;
    app::ended(&fixture.page, "engineer", "completed", None).await?;
    app::idle(&fixture.page).await?;
    let request = fixture.request_of("Engineer", 1).await?;
    ensure!(request.protocol == protocol, "{file} was requested in {:?}", request.protocol);
    Ok(())
}

/// Waits until the answer shows this text. Characters may have become markup, lines and spaces; so may list numbers,
/// which only long texts have.
async fn shows(page: &Page, part: TestId, text: &str, file: &str) -> Result<()> {
    const LONG: usize = 200;
    let counts = |each: &char| if text.len() > LONG { each.is_alphabetic() } else { each.is_alphanumeric() };
    let letters = |text: &str| text.chars().filter(counts).collect::<String>();
    let wanted = letters(text);
    let until = Instant::now() + TIMEOUT;
    loop {
        let shown = letters(&page.texts(answers_of("engineer").inner(part)).await?.concat());
        if shown.contains(&wanted) {
            return Ok(());
        }
        ensure!(Instant::now() < until, "{file}: {part:?} shows {shown:?}, not {wanted:?}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}
