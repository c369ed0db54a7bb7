//! Flows for damaged rows in the store, and for bad answers of the Archivist and of workers.
//!
//! Each time the page reports it, loads the rest, keeps the damaged row unchanged, and keeps working.

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use crate::app;
use crate::parts::*;
use crate::provider::Answer;
use crate::stage::Stage;

/// An id that does not exist.
const NOBODY: &str = "01ARZ3NDEKTSV4RRFFQ69G5FAV";

fn id(row: &Value) -> &str {
    row.get("id").and_then(Value::as_str).unwrap_or_default()
}

/// Rows of a store, by id.
async fn rows(stage: &Stage, store: &str) -> Result<Vec<Value>> {
    let mut all = stage.page.rows(store).await?;
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
async fn lay(stage: &Stage, store: &str, row: &Value) -> Result<()> {
    stage.page.put_row(store, json!(id(row)), row.clone()).await
}

/// Checks that a row is unchanged.
async fn is_unchanged(stage: &Stage, store: &str, row: &Value) -> Result<()> {
    let all = rows(stage, store).await?;
    ensure!(all.contains(row), "{store} was written over: {row}");
    Ok(())
}

/// Reloads the page; a question is answered as usual.
async fn answers(stage: &mut Stage, question: &str) -> Result<()> {
    stage.provider.queue_for("Engineer", Answer::say(&format!("Heard: {question}")));
    app::say_to(&stage.page, "engineer", question).await?;
    stage.page.see_words(answers_of("engineer"), &format!("Heard: {question}")).await?;
    app::idle(&stage.page).await
}

/// A cycle of turns, and a turn whose parent is missing.
pub(crate) async fn tree(stage: &mut Stage) -> Result<()> {
    app::set_up(stage).await?;
    let turns = rows(stage, "turns").await?;
    let (first, last) = (turns.first().context("no turn")?, turns.last().context("no turn")?);
    let ring = with(first, "parent", json!(id(last)))?;
    lay(stage, "turns", &ring).await?;
    stage.page.reload().await?;
    stage.page.see_words(NOTICE, "goes back to itself").await?;
    stage.page.see_words(NOTICE, "are left unchanged").await?;
    stage.page.see_words(answers_of("critic"), "Critic is ready.").await?;
    answers(stage, "With a ring").await?;
    is_unchanged(stage, "turns", &ring).await?;

    lay(stage, "turns", first).await?;
    let second = turns.get(1).context("one turn only")?;
    let lost = with(second, "parent", json!(NOBODY))?;
    lay(stage, "turns", &lost).await?;
    stage.page.reload().await?;
    stage.page.see_words(NOTICE, &format!("{NOBODY} is not there")).await?;
    stage.page.see_words(answers_of("engineer"), "Heard: With a ring").await?;
    answers(stage, "With a gap").await?;
    is_unchanged(stage, "turns", &lost).await
}

/// Records of a newer version in every table and in the log.
pub(crate) async fn newer(stage: &mut Stage) -> Result<()> {
    app::set_up(stage).await?;
    let of = async |store: &str| -> Result<Value> {
        rows(stage, store).await?.last().cloned().with_context(|| format!("no row in {store}"))
    };
    let stem: String = NOBODY.chars().take(25).collect();
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
        lay(stage, store, row).await?;
    }
    stage.page.put_row("agents", json!("seer"), agent.clone()).await?;
    stage.page.put_row("providers", json!("next"), provider.clone()).await?;
    // Settings whose values have another meaning there.
    let odd = json!({ "of": "tomorrow" });
    for name in ["theme", "density", "queue_mode", "cap_calls", "page/https://docs.example"] {
        stage.page.put_row("settings", json!(name), odd.clone()).await?;
    }
    let events = app::events(&stage.page).await?;
    let newest = events.last().context("no event")?;
    let stream = newest.get("stream").cloned().context("an event without a stream")?;
    let own = events.iter().filter(|event| event.get("stream") == Some(&stream));
    let last = own.filter_map(|event| event.get("seq").and_then(Value::as_u64)).max().context("no place")?;
    let event = with(newest, "seq", json!(last + 1))?;
    let event = with(&event, "v", json!(99))?;
    // A known kind with an unknown shape.
    let event = with(&event, "data", json!({ "shape": "of tomorrow" }))?;
    stage.page.put_row("events", json!([stream, last + 1]), event.clone()).await?;

    stage.page.reload().await?;
    stage.page.see(WAR_ROOM).await?;
    for (store, key) in [("sessions", id(&session)), ("agents", "seer"), ("providers", "next")] {
        stage.page.see_words(NOTICE, &format!("{store}: ")).await?;
        stage.page.see_words(NOTICE, key).await?;
    }
    for store in ["messages", "memories", "queue"] {
        stage.page.see_words(NOTICE, &format!("{store}: ")).await?;
    }
    stage.page.see_words(NOTICE, "a newer version of Nexus may have written them").await?;
    stage.page.see_words(answers_of("architect"), "Architect is ready.").await?;
    answers(stage, "After tomorrow").await?;
    for (store, row) in [
        ("sessions", &session),
        ("messages", &message),
        ("memories", &memory),
        ("queue", &queued),
        ("agents", &agent),
        ("providers", &provider),
        ("events", &event),
    ] {
        is_unchanged(stage, store, row).await?;
    }
    let stored = rows(stage, "settings").await?.iter().filter(|row| **row == odd).count();
    ensure!(stored == 5, "{stored} of 5 settings are unchanged");
    Ok(())
}

/// A session with a missing head: it is reported, accepts no message, and continues from another turn.
pub(crate) async fn head(stage: &mut Stage) -> Result<()> {
    app::set_up(stage).await?;
    let session = rows(stage, "sessions").await?.last().cloned().context("no session")?;
    let lost = with(&session, "head", json!(NOBODY))?;
    lay(stage, "sessions", &lost).await?;
    stage.page.reload().await?;
    stage.page.see_words(NOTICE, &format!("{NOBODY} is not there")).await?;
    app::say_to(&stage.page, "engineer", "Anybody?").await?;
    stage.page.see_words(NOTICE, "The newest turn of this session cannot be read").await?;
    stage.page.see_words(COMPOSER, "Anybody?").await?;
    let now = rows(stage, "sessions").await?;
    ensure!(now.iter().any(|row| row.get("head") == Some(&json!(NOBODY))), "its head was moved");
    ensure!(stage.provider.requests().is_empty(), "a request was sent");
    // Other sessions work as usual.
    app::new_session(&stage.page).await?;
    stage.provider.queue_for("Engineer", Answer::say("Here."));
    app::say_to(&stage.page, "engineer", "And here?").await?;
    stage.page.see_words(answers_of("engineer"), "Here.").await?;
    app::idle(&stage.page).await
}

/// Two stored sessions with one label: both are listed, neither is chosen automatically, and no third one gets it.
pub(crate) async fn label(stage: &mut Stage) -> Result<()> {
    app::set_up(stage).await?;
    app::new_session(&stage.page).await?;
    app::new_session(&stage.page).await?;
    let all = rows(stage, "sessions").await?;
    let [first, second, third] = all.as_slice() else { anyhow::bail!("{} sessions", all.len()) };
    let label = first.get("label").cloned().context("no label")?;
    let twice = with(second, "label", label.clone())?;
    lay(stage, "sessions", &twice).await?;
    stage.page.reload().await?;
    stage.page.see(WAR_ROOM).await?;
    let words = label.as_str().context("a label is no text")?;
    stage.page.click(SESSION_SWITCHER).await?;
    for session in [first, second] {
        stage.page.see_words(SESSION_ROW.with("data-session", id(session)), words).await?;
    }
    stage.page.click(SESSION_ROW.with("data-session", id(third)).inner(SESSION_NAME)).await?;
    stage.page.fill(SESSION_LABEL, words).await?;
    stage.page.click(SESSION_KEEP).await?;
    stage.page.see_words(Selector::css("body"), "That name cannot be used").await?;
    let labels = rows(stage, "sessions").await?.iter().filter(|row| row.get("label") == Some(&label)).count();
    ensure!(labels == 2, "{labels} sessions have the name");
    stage.page.press(thirtyfour::Key::Escape).await?;
    stage.page.reload().await?;
    stage.page.see(WAR_ROOM).await?;
    // Sending there requires a choice.
    stage.page.select(TARGET_SELECT, "OTHER").await?;
    stage.page.fill(FINDER_INPUT, words).await?;
    stage.page.see_words(FINDER_SAID, "2 sessions match").await
}
