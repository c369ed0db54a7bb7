//! Flows that compare the ledger, the stored rows and the screen, read from outside the program.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use nexus_model::event::Event;
use nexus_model::fold::fold;
use nexus_model::id::StreamId;
use nexus_model::message::content::text_of;
use nexus_model::message::{Message, Role};
use nexus_model::run::Run;
use nexus_model::session::Session;
use nexus_model::tool::ToolRun;
use nexus_model::turn::Turn;
use nexus_model::world::World;
use nexus_text::vec_map::VecMap;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::app;
use crate::fixture::Fixture;
use crate::provider::{Answer, ApiError, Reply};
use crate::selectors::*;

/// After a broadcast with tools and a failure, the stored events, folded natively, give the stored rows and the
/// page's texts.
pub(crate) async fn matches_rows(fixture: &mut Fixture) -> Result<()> {
    app::set_up(fixture).await?;
    let plan = json!({ "scratchpad": "- [ ] Engineer: hello.txt says hello", "objective": "A file that says hello" });
    fixture
        .provider
        .queue_for("Architect", Answer::new().thinking("Short.").call("update_nexus_state", plan));
    fixture.provider.queue_for("Architect", Answer::say("The plan stands."));
    fixture.provider.queue_for("Engineer", app::writing("hello.txt", "Hello 🦀\n"));
    fixture.provider.queue_for("Engineer", Answer::say("The file stands."));
    fixture.provider.queue_for("Critic", Reply::error(&ApiError::argument("Not today.")));
    app::send_to(&fixture.page, "ALL", "Write the file, please.").await?;
    app::ended(&fixture.page, "critic", "failed", Some("error")).await?;
    app::idle(&fixture.page).await?;

    let database = fixture.page.database().await?;
    let world = fold(&World::default(), &in_order(rows(&database, "events")?));
    agree(&database, "messages", &world.messages, |row: &Message| row.id)?;
    agree(&database, "turns", &world.turns, |row: &Turn| row.id)?;
    agree(&database, "runs", &world.runs, |row: &Run| row.id)?;
    agree(&database, "tool_runs", &world.tool_runs, |row: &ToolRun| row.id)?;
    agree(&database, "sessions", &world.sessions, |row: &Session| row.id)?;

    let mut messages: Vec<_> = world.messages.values().collect();
    messages.sort_by_key(|message| message.sequence);
    let stored = |role: Role| {
        let own = messages.iter().filter(|message| message.role == role);
        own.map(|message| text_of(&message.parts)).filter(|text| !text.is_empty()).collect::<Vec<_>>()
    };
    let shown = async |role: &str| -> Result<Vec<String>> {
        let texts = fixture.page.texts(MESSAGE.with("data-role", role).inner(MESSAGE_TEXT)).await?;
        Ok(texts.iter().map(|text| text.trim().to_owned()).filter(|text| !text.is_empty()).collect())
    };
    ensure!(stored(Role::User).len() == 2 && stored(Role::Assistant).len() == 5, "wrong messages");
    for (role, name) in [(Role::User, "user"), (Role::Assistant, "assistant")] {
        let (ledger, page) = (stored(role), shown(name).await?);
        ensure!(ledger == page, "the ledger has {ledger:?}, the page {page:?}");
    }
    let session = world.sessions.values().next().context("no session")?;
    let mind = world.working_mind(session).context("no mind")?;
    ensure!(fixture.page.text(OBJECTIVE_FIELD).await? == mind.objective);
    ensure!(fixture.page.text(SCRATCHPAD).await? == mind.scratchpad);
    let file = mind.active.as_ref().and_then(|name| mind.files.get(name)).context("no active file")?;
    ensure!(fixture.page.text(FILE_EDITOR).await? == file.text.as_ref());
    let requests = fixture.provider.requests().len();
    let counted: usize = world.turns.values().map(|turn| turn.calls.len()).sum();
    // The opening round made three requests before this record.
    ensure!(counted == requests + app::AGENTS.len(), "{counted} calls in the ledger, {requests} requests");
    Ok(())
}

fn rows<T: DeserializeOwned>(database: &Value, store: &str) -> Result<Vec<T>> {
    let rows = database.get(store).cloned().with_context(|| format!("no object store {store}"))?;
    serde_json::from_value(rows).with_context(|| format!("a row of {store} cannot be read"))
}

/// All streams as one, by time; events of the device come before those that depend on them.
fn in_order(mut events: Vec<Event>) -> Vec<Event> {
    events.sort_by_key(|event| (event.at, event.stream != StreamId::App, event.seq));
    events
}

/// The folded rows are exactly the stored rows.
fn agree<K, T>(database: &Value, store: &str, folded: &VecMap<K, Arc<T>>, id: impl Fn(&T) -> K) -> Result<()>
where
    K: Ord + Debug,
    T: DeserializeOwned + PartialEq + Debug,
{
    let stored: BTreeMap<K, T> = rows::<T>(database, store)?.into_iter().map(|row| (id(&row), row)).collect();
    ensure!(!folded.is_empty(), "the ledger gives no {store}");
    let (here, there): (Vec<&K>, Vec<&K>) = (stored.keys().collect(), folded.keys().collect());
    ensure!(here == there, "{store}: {here:?} are not {there:?}");
    for (key, row) in folded {
        let other = stored.get(key).context("it was there")?;
        ensure!(**row == *other, "{store} {key:?}: the ledger has {row:?}, the store has {other:?}");
    }
    Ok(())
}
