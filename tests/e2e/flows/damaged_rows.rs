//! Flows for damaged rows in the store, and for bad answers of the Archivist and of workers.
//!
//! Each time the page reports it, loads the rest, keeps the damaged row unchanged, and keeps working.

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use crate::app;
use crate::fixture::Fixture;
use crate::provider::Answer;
use crate::selectors::*;

/// An id that does not exist.
const UNKNOWN_ID: &str = "01ARZ3NDEKTSV4RRFFQ69G5FAV";

fn id(row: &Value) -> &str {
    row.get("id").and_then(Value::as_str).unwrap_or_default()
}

/// Rows of a store, by id.
async fn rows(fixture: &Fixture, store: &str) -> Result<Vec<Value>> {
    let mut all = fixture.page.rows(store).await?;
    all.sort_by(|one, other| id(one).cmp(id(other)));
    Ok(all)
}

/// A row with a changed field.
fn with(row: &Value, field: &str, value: Value) -> Result<Value> {
    let mut row = row.clone();
    row.as_object_mut().context("a row is no object")?.insert(field.to_owned(), value);
    Ok(row)
}

/// Writes a row under its id.
async fn lay(fixture: &Fixture, store: &str, row: &Value) -> Result<()> {
    fixture.page.put_row(store, json!(id(row)), row.clone()).await
}

/// Checks that a row is unchanged.
async fn is_unchanged(fixture: &Fixture, store: &str, row: &Value) -> Result<()> {
    let all = rows(fixture, store).await?;
    ensure!(all.contains(row), "{store} was written over: {row}");
    Ok(())
}

/// Reloads the page; a question is answered as usual.
async fn answers(fixture: &mut Fixture, question: &str) -> Result<()> {
    fixture.provider.queue_for("Engineer", Answer::say(&format!("Heard: {question}")));
    app::send_to(&fixture.page, "engineer", question).await?;
    fixture.page.see_text(answers_of("engineer"), &format!("Heard: {question}")).await?;
    app::idle(&fixture.page).await
}

/// A cycle of turns, and a turn whose parent is missing.
pub(crate) async fn tree(fixture: &mut Fixture) -> Result<()> {
    app::set_up(fixture).await?;
    let turns = rows(fixture, "turns").await?;
    let (first, last) = (turns.first().context("no turn")?, turns.last().context("no turn")?);
    let ring = with(first, "parent", json!(id(last)))?;
    lay(fixture, "turns", &ring).await?;
    fixture.page.reload().await?;
    fixture.page.see_text(NOTICE, "goes back to itself").await?;
    fixture.page.see_text(NOTICE, "are left unchanged").await?;
    fixture.page.see_text(answers_of("critic"), "Critic is ready.").await?;
    answers(fixture, "With a ring").await?;
    is_unchanged(fixture, "turns", &ring).await?;

    lay(fixture, "turns", first).await?;
    let second = turns.get(1).context("one turn only")?;
    let lost = with(second, "parent", json!(UNKNOWN_ID))?;
    lay(fixture, "turns", &lost).await?;
    fixture.page.reload().await?;
    fixture.page.see_text(NOTICE, &format!("{UNKNOWN_ID} is not there")).await?;
    fixture.page.see_text(answers_of("engineer"), "Heard: With a ring").await?;
    answers(fixture, "With a gap").await?;
    is_unchanged(fixture, "turns", &lost).await
}

/// Records of a newer version in every table and in the log.
pub(crate) async fn newer_version(fixture: &mut Fixture) -> Result<()> {
    app::set_up(fixture).await?;
    let of = async |store: &str| -> Result<Value> {
        rows(fixture, store).await?.last().cloned().with_context(|| format!("no row in {store}"))
    };
    let stem: String = UNKNOWN_ID.chars().take(25).collect();
    let session = with(&of("sessions").await?, "id", json!(format!("{stem}A")))?;
    let session = with(&session, "status", json!("of_tomorrow"))?;
    let message = with(&of("messages").await?, "role", json!("of_tomorrow"))?;
    let memory = json!({ "id": format!("{stem}B"), "scope": "of_tomorrow", "content": "Ada likes tea." });
    let queued = json!({ "id": format!("{stem}C"), "mode": "of_tomorrow" });
    let agent = json!({ "key": "seer", "role": "of_tomorrow", "identity": { "name": "Seer" } });
    let provider = json!({ "id": "next", "protocol": "of_tomorrow" });
    for (store, row) in
        [("sessions", &session), ("messages", &message), ("memories", &memory), ("queue", &queued)]
    {
        lay(fixture, store, row).await?;
    }
    fixture.page.put_row("agents", json!("seer"), agent.clone()).await?;
    fixture.page.put_row("providers", json!("next"), provider.clone()).await?;
    // Settings whose values have another meaning there.
    let odd = json!({ "of": "tomorrow" });
    for name in ["theme", "density", "queue_mode", "cap_calls", "page/https://docs.example"] {
        fixture.page.put_row("settings", json!(name), odd.clone()).await?;
    }
    let events = app::events(&fixture.page).await?;
    let newest = events.last().context("no event")?;
    let stream = newest.get("stream").cloned().context("an event without a stream")?;
    let own = events.iter().filter(|event| event.get("stream") == Some(&stream));
    let last = own.filter_map(|event| event.get("seq").and_then(Value::as_u64)).max().context("no place")?;
    let event = with(newest, "seq", json!(last + 1))?;
    let event = with(&event, "v", json!(99))?;
    // A known kind with an unknown shape.
    let event = with(&event, "data", json!({ "shape": "of tomorrow" }))?;
    fixture.page.put_row("events", json!([stream, last + 1]), event.clone()).await?;

    fixture.page.reload().await?;
    fixture.page.see(WAR_ROOM).await?;
    for (store, key) in [("sessions", id(&session)), ("agents", "seer"), ("providers", "next")] {
        fixture.page.see_text(NOTICE, &format!("{store}: ")).await?;
        fixture.page.see_text(NOTICE, key).await?;
    }
    for store in ["messages", "memories", "queue"] {
        fixture.page.see_text(NOTICE, &format!("{store}: ")).await?;
    }
    fixture.page.see_text(NOTICE, "a newer version of Nexus may have written them").await?;
    fixture.page.see_text(answers_of("architect"), "Architect is ready.").await?;
    answers(fixture, "After tomorrow").await?;
    for (store, row) in [
        ("sessions", &session),
        ("messages", &message),
        ("memories", &memory),
        ("queue", &queued),
        ("agents", &agent),
        ("providers", &provider),
        ("events", &event),
    ] {
        is_unchanged(fixture, store, row).await?;
    }
    let stored = rows(fixture, "settings").await?.iter().filter(|row| **row == odd).count();
    ensure!(stored == 5, "{stored} of 5 settings are unchanged");
    Ok(())
}

/// A session with a missing head: it is reported, accepts no message, and continues from another turn.
pub(crate) async fn head(fixture: &mut Fixture) -> Result<()> {
    app::set_up(fixture).await?;
    let session = rows(fixture, "sessions").await?.last().cloned().context("no session")?;
    let lost = with(&session, "head", json!(UNKNOWN_ID))?;
    lay(fixture, "sessions", &lost).await?;
    fixture.page.reload().await?;
    fixture.page.see_text(NOTICE, &format!("{UNKNOWN_ID} is not there")).await?;
    app::send_to(&fixture.page, "engineer", "Anybody?").await?;
    fixture.page.see_text(NOTICE, "The newest turn of this session cannot be read").await?;
    fixture.page.see_text(COMPOSER, "Anybody?").await?;
    let now = rows(fixture, "sessions").await?;
    ensure!(now.iter().any(|row| row.get("head") == Some(&json!(UNKNOWN_ID))), "its head was moved");
    ensure!(fixture.provider.requests().is_empty(), "a request was sent");
    // Other sessions work as usual.
    app::new_session(&fixture.page).await?;
    fixture.provider.queue_for("Engineer", Answer::say("Here."));
    app::send_to(&fixture.page, "engineer", "And here?").await?;
    fixture.page.see_text(answers_of("engineer"), "Here.").await?;
    app::idle(&fixture.page).await
}

/// Two stored sessions with one label: both are listed, neither is chosen automatically, and no third one gets it.
pub(crate) async fn label(fixture: &mut Fixture) -> Result<()> {
    app::set_up(fixture).await?;
    app::new_session(&fixture.page).await?;
    app::new_session(&fixture.page).await?;
    let all = rows(fixture, "sessions").await?;
    let [first, second, third] = all.as_slice() else { anyhow::bail!("{} sessions", all.len()) };
    let label = first.get("label").cloned().context("no label")?;
    let twice = with(second, "label", label.clone())?;
    lay(fixture, "sessions", &twice).await?;
    fixture.page.reload().await?;
    fixture.page.see(WAR_ROOM).await?;
    let words = label.as_str().context("a label is no text")?;
    fixture.page.click(SESSION_SWITCHER).await?;
    for session in [first, second] {
        fixture.page.see_text(SESSION_ROW.with("data-session", id(session)), words).await?;
    }
    fixture.page.click(SESSION_ROW.with("data-session", id(third)).inner(SESSION_NAME)).await?;
    fixture.page.fill(SESSION_LABEL, words).await?;
    fixture.page.click(SESSION_KEEP).await?;
    fixture.page.see_text(Selector::css("body"), "That name cannot be used").await?;
    let labels =
        rows(fixture, "sessions").await?.iter().filter(|row| row.get("label") == Some(&label)).count();
    ensure!(labels == 2, "{labels} sessions have the name");
    fixture.page.press(thirtyfour::Key::Escape).await?;
    fixture.page.reload().await?;
    fixture.page.see(WAR_ROOM).await?;
    // Sending there requires a choice.
    fixture.page.select(TARGET_SELECT, "OTHER").await?;
    fixture.page.fill(FINDER_INPUT, words).await?;
    fixture.page.see_text(FINDER_STATUS, "2 sessions match").await
}
