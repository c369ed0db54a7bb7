//! Seeds a history of any length into IndexedDB: turns with messages, and compactions.
//!
//! Producing 10,000 turns through the interface would take an hour. The page reads them like real ones.

use std::sync::Arc;

use anyhow::{Context as _, Result};
use nexus_model::context::tokens_of;
use nexus_model::id::{MemoryId, MessageId, Millis, QueueItemId, SessionId, ToolRunId, TurnId};
use nexus_model::limits::{COMPACTED_PERCENT, WINDOW_PERCENT};
use nexus_model::memory::Memory;
use nexus_model::message::content::{MessagePart, ToolArgs, ToolCall};
use nexus_model::message::{Message, MessageMetadata, Source};
use nexus_model::session::delegation::{WorkerEnd, WorkerReport};
use nexus_model::session::{QueueItem, QueueMode, QueueState, Target};
use nexus_model::tool::{ToolRun, ToolStatus};
use nexus_model::turn::compaction::{Compaction, CompactionReason};
use nexus_model::turn::tree::add_threads;
use nexus_model::turn::{Thread, Turn, TurnKind};
use nexus_model::world::World;
use nexus_text::vec_map::VecMap;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::fixture::Fixture;

const DAY: u64 = 24 * 60 * 60 * 1_000;
/// Rows written at a time.
const ROWS: usize = 2_000;
/// Context window of each agent in tokens if work is seeded: so small that long histories contain summaries.
const WINDOW: u64 = 40_000;
/// More tokens than persona, tools and mind take.
const FIXED: u64 = 8_000;
/// A summary of about the length that a model writes.
const SUMMARY: &str = "The conversation so far: what was asked for, what was decided and why, what was tried and did \
                       not work, which files were written and what they hold, and what is still open. ";

/// Inserts `texts` before the conversation, each as the answer of a turn with its own message, and reloads the page.
/// The oldest is a year old, the newest a day.
pub(crate) async fn seed_before(fixture: &mut Fixture, texts: &[String]) -> Result<()> {
    lay(fixture, texts, false).await
}

/// As [`seed_before`], with tool runs, queued messages, reports and sessions of workers, memories, and summaries when
/// the window was full.
pub(crate) async fn seed_work_before(fixture: &mut Fixture, texts: &[String]) -> Result<()> {
    lay(fixture, texts, true).await
}

async fn lay(fixture: &mut Fixture, texts: &[String], works: bool) -> Result<()> {
    let mut database = fixture.page.database().await?;
    if works {
        let agents = database.get_mut("agents").and_then(Value::as_array_mut).context("no agents")?;
        for row in agents.iter_mut() {
            let config = row.get_mut("config").and_then(Value::as_object_mut).context("no configuration")?;
            config.insert("context_tokens".into(), json!(WINDOW));
        }
        put(fixture, "agents", agents.iter(), |row| json!(row.get("key"))).await?;
    }
    let mut turns: Vec<Turn> = rows(&database, "turns")?;
    turns.sort_by_key(|turn| turn.id);
    let first = turns.first_mut().context("no turn")?;
    let mut messages: Vec<Message> = rows(&database, "messages")?;
    let message = |id: Option<&MessageId>| messages.iter().find(|row| Some(&row.id) == id).cloned();
    let query = message(first.query.first()).context("no query")?;
    let answer = message(first.messages.first()).context("no answer")?;
    let mut past = Past { ids: first.id.bits() - (1 << 40), ..Past::default() };
    let count = u64::try_from(texts.len())?;
    for (number, text) in (0..count).zip(texts) {
        let at = Millis(first.opened_at.0 - DAY - 364 * DAY * (count - number) / count.max(1));
        if works {
            past.compact_if_full(first, at);
        }
        past.say(first, [(&query, format!("question {number}")), (&answer, text.clone())], at);
        if works && number.is_multiple_of(4) {
            past.use_tool(at);
        }
        if works && number.is_multiple_of(8) {
            past.wait(first, number, at);
        }
    }
    let count_before = u64::try_from(past.messages.len())?;
    for row in messages.iter_mut().filter(|row| row.session == first.session) {
        row.sequence += count_before;
    }
    let mut sessions: Vec<Value> = rows(&database, "sessions")?;
    sessions.retain(|row| row.get("id") == Some(&json!(first.session)));
    for row in &mut sessions {
        let newest =
            row.get("last_sequence").and_then(Value::as_u64).context("a session without messages")?;
        row.as_object_mut()
            .context("a row is no object")?
            .insert("last_sequence".into(), json!(newest + count_before));
    }
    first.parent = past.turns.last().map(|turn| turn.id);
    past.messages.extend(messages);
    past.turns.extend(turns);
    let mut threads = VecMap::new();
    add_threads(&mut threads, past.turns.iter().map(Thread::alone));
    put(fixture, "sessions", sessions.iter(), |row| json!(row.get("id"))).await?;
    put(fixture, "messages", past.messages.iter(), |row| json!(row.id)).await?;
    put(fixture, "turns", past.turns.iter(), |row| json!(row.id)).await?;
    put(fixture, "compactions", past.compactions.iter(), |row| json!(row.turn)).await?;
    put(fixture, "threads", threads.values(), |row| json!(row.turn)).await?;
    put(fixture, "tool_runs", past.tools.iter(), |row| json!(row.id)).await?;
    put(fixture, "queue", past.queue.iter(), |row| json!(row.id)).await?;
    put(fixture, "memories", past.memories.iter(), |row| json!(row.id)).await?;
    let like = sessions.first().context("no session")?;
    let workers = past.queue.iter().filter_map(|item| item.report.as_ref());
    let workers: Vec<Value> = workers.map(|report| worker(like, report)).collect::<Result<_>>()?;
    put(fixture, "sessions", workers.iter(), |row| json!(row.get("id"))).await?;
    fixture.page.reload().await
}

/// Session of a worker that has reported, copied from its parent's.
fn worker(like: &Value, report: &WorkerReport) -> Result<Value> {
    let mut row = like.clone();
    let fields = row.as_object_mut().context("a row is no object")?;
    let delegation = json!({ "turn": like.get("head"), "base": like.get("mind"), "depth": 1, "under": [] });
    for (name, value) in [
        ("id", json!(report.worker)),
        ("label", json!(report.title)),
        ("status", json!("archived")),
        ("parent", json!(like.get("id"))),
        ("delegation", delegation),
        ("run", Value::Null),
    ] {
        fields.insert(name.to_owned(), value);
    }
    Ok(row)
}

#[derive(Default)]
struct Past {
    /// The last assigned id.
    ids: u128,
    turns: Vec<Turn>,
    /// Tokens of each turn.
    tokens: Vec<u64>,
    messages: Vec<Message>,
    compactions: Vec<Compaction>,
    tools: Vec<ToolRun>,
    queue: Vec<QueueItem>,
    memories: Vec<Memory>,
}

impl Past {
    fn next(&mut self) -> u128 {
        self.ids += 1;
        self.ids
    }

    /// Adds a turn like `like`, with these messages as query and answer.
    fn say(&mut self, like: &Turn, texts: [(&Message, String); 2], at: Millis) {
        let turn = TurnId::from(self.next());
        let [query, answer] = texts.map(|(like, text)| {
            let id = MessageId::from(self.next());
            self.messages.push(Message {
                id,
                sequence: u64::try_from(self.messages.len()).unwrap_or(u64::MAX) + 1,
                parts: vec![MessagePart::text(text)],
                metadata: MessageMetadata::default(),
                turn: Some(turn),
                created_at: at,
                updated_at: at,
                ..like.clone()
            });
            id
        });
        let turn = Turn {
            id: turn,
            parent: self.turns.last().map(|turn| turn.id),
            query: vec![query],
            messages: vec![answer],
            tool_runs: Vec::new(),
            opened_at: at,
            ..like.clone()
        };
        let mut world = World::default();
        let both = self.messages.iter().rev().take(2);
        world.messages.extend(both.map(|message| (message.id, Arc::new(message.clone()))));
        self.tokens.push(tokens_of(&world, &turn));
        self.turns.push(turn);
    }

    /// Adds a tool run to the newest turn.
    fn use_tool(&mut self, at: Millis) {
        let id = ToolRunId::from(self.next());
        let Some(turn) = self.turns.last_mut() else { return };
        let Some(requested_by) = turn.messages.first().copied() else { return };
        turn.tool_runs.push(id);
        self.tools.push(ToolRun {
            id,
            session: turn.session,
            run: turn.run,
            turn: turn.id,
            agent: turn.agent.clone(),
            requested_by,
            call: ToolCall {
                id: id.to_string(),
                own_id: true,
                name: "read_file".to_owned(),
                args: ToolArgs::Parsed(json!({ "name": "notes.md" })),
            },
            status: ToolStatus::Succeeded,
            result: Some(json!({ "content": "A line of the notes.\n".repeat(40) })),
            requested_at: at,
            started_at: Some(at),
            ended_at: Some(at),
            ..ToolRun::default()
        });
    }

    /// Adds a queued message, each fourth a worker's report, and a memory.
    fn wait(&mut self, like: &Turn, number: u64, at: Millis) {
        let (id, taken_as) = (QueueItemId::from(self.next()), MessageId::from(self.next()));
        let report = (number.is_multiple_of(32)).then(|| WorkerReport {
            worker: SessionId::from(self.next()),
            agent: like.agent.clone(),
            title: format!("Task {number}"),
            end: WorkerEnd::Done,
            follows: None,
        });
        self.queue.push(QueueItem {
            id,
            session: like.session,
            text: format!("And then do number {number}, as it was agreed."),
            attachments: Vec::new(),
            source: Source::Human,
            target: Target::All,
            mode: QueueMode::FollowUp,
            keep_going: None,
            graph: None,
            config: None,
            tools: None,
            report,
            origin: None,
            state: QueueState::Taken(taken_as),
            held: false,
            editing: false,
            at,
        });
        let memory = MemoryId::from(self.next());
        self.memories.push(Memory {
            id: memory,
            content: format!("Part {number} is to be short."),
            importance: 2,
            session: like.session,
            at,
            ..Memory::default()
        });
    }

    /// Summarises older turns if the next one would exceed the window, as the program does.
    fn compact_if_full(&mut self, like: &Turn, at: Millis) {
        let since = self.compactions.last().and_then(|last| last.first_kept);
        let shown = self.turns.iter().zip(&self.tokens);
        let shown = shown.filter(|(turn, _)| turn.kind == TurnKind::Normal && Some(turn.id) >= since);
        let shown: Vec<(TurnId, u64)> = shown.map(|(turn, tokens)| (turn.id, *tokens)).collect();
        let most = |percent: u64| WINDOW * percent / 100 - FIXED;
        if shown.iter().map(|(_, tokens)| tokens).sum::<u64>() <= most(WINDOW_PERCENT) {
            return;
        }
        let sums = shown.iter().rev().scan(0, |sum, (_, tokens)| {
            *sum += tokens;
            Some(*sum)
        });
        let count = sums.take_while(|sum| *sum <= most(COMPACTED_PERCENT)).count();
        let summarised = shown.len() - count;
        let Some((through, _)) = summarised.checked_sub(1).and_then(|last| shown.get(last)) else { return };
        let id = TurnId::from(self.next());
        self.compactions.push(Compaction {
            turn: id,
            session: like.session,
            reason: CompactionReason::Threshold,
            focus: None,
            prior: self.compactions.last().map(|last| last.turn),
            through: *through,
            first_kept: shown.get(summarised).map(|(id, _)| *id),
            turns: u32::try_from(summarised).unwrap_or(u32::MAX),
            cut: false,
            provider: like.config.provider.clone(),
            model: like.config.model.clone(),
            tokens_before: 20_000,
            tokens_after: Some(12_000),
            summary: Some(SUMMARY.repeat(8)),
            failure: None,
            retry: None,
            usage: like.usage.clone(),
            cost: None,
            at,
            ended_at: Some(at),
        });
        self.tokens.push(0);
        self.turns.push(Turn {
            id,
            kind: TurnKind::Compaction,
            parent: self.turns.last().map(|turn| turn.id),
            query: Vec::new(),
            answers: Vec::new(),
            messages: Vec::new(),
            tool_runs: Vec::new(),
            calls: Vec::new(),
            opened_at: at,
            ..like.clone()
        });
    }
}

fn rows<T: DeserializeOwned>(database: &Value, store: &str) -> Result<Vec<T>> {
    let rows = database.get(store).and_then(Value::as_array).cloned().unwrap_or_default();
    rows.into_iter().map(|row| Ok(serde_json::from_value(row)?)).collect()
}

async fn put<'r, T: Serialize + 'r>(
    fixture: &Fixture,
    store: &str,
    rows: impl Iterator<Item = &'r T>,
    key: impl Fn(&T) -> Value,
) -> Result<()> {
    let rows: Vec<(Value, Value)> =
        rows.map(|row| Ok((key(row), serde_json::to_value(row)?))).collect::<Result<_>>()?;
    for rows in rows.chunks(ROWS) {
        fixture.page.put_rows(store, rows).await?;
    }
    Ok(())
}
