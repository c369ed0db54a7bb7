//! Never changes anything, and never holds a key: where one was sent, a name stands.
//!
//! Owns looking into a turn: for each call of its model the request as it was sent (built again from the recipe, and
//! compared with what the caller noted of it), what it was made of, each attempt with its answer as it came, its time,
//! its use and its cost.

use std::rc::Rc;

use crate::domain::agent::Permissions;
use crate::domain::archivist::pass::kind_of;
use crate::domain::curtail::{saved, saved_by};
use crate::domain::event::{Event, Happening};
use crate::domain::failure::Failure;
use crate::domain::hash::Hash;
use crate::domain::id::{MessageId, Millis, TurnId};
use crate::domain::json;
use crate::domain::limits::TURNS_LOADED;
use crate::domain::message::Message;
use crate::domain::model::{Finish, PromptEntry, Usage};
use crate::domain::part::{Part, PartBody, ToolArgs, answers_of};
use crate::domain::price::Cost;
use crate::domain::sight::{LeftOut, left_out};
use crate::domain::turn::{ModelCall, Recipe, Turn, TurnEnd, TurnKind};
use crate::domain::window::{picture_tokens, tokens_for};
use crate::domain::world::World;
use crate::engine::context::{PICTURE_TOKENS, estimate, room};
use crate::engine::loading::Loader;
use crate::engine::port::{StoreError, Table};
use crate::engine::prompt::{Section, learn, prompt_of, sections_of};
use crate::engine::raw::{self, RawAnswer};
use crate::engine::records::Records;
use crate::wire::http::{Endpoint, HeaderValue, HttpRequest, Method, Secret};

/// What stands where the key was.
pub const KEY_NAME: &str = "$API_KEY";
/// Of so many turns that were left out it is told what they are; of more, only how many.
const LEFT_OUT_TOLD: usize = 12;

/// All that is known of a turn's calls.
#[derive(Clone, Debug, PartialEq)]
pub struct Inspection {
    /// The turn.
    pub turn: Turn,
    /// The agent's name.
    pub agent: String,
    /// The provider's name.
    pub provider: String,
    /// Its calls, in order.
    pub calls: Vec<CallReport>,
    /// For how many days answers are kept as they came.
    pub raw_days: u64,
    /// What was said of tools for its message alone.
    pub said: Option<Permissions>,
}

/// One call of the model.
#[derive(Clone, Debug, PartialEq)]
pub struct CallReport {
    /// What its context was made of, in the order of the request; empty where that is not on this device any more.
    pub blocks: Vec<Block>,
    /// Turns that did not fit, newest first, as far as they are told.
    pub left_out: Vec<Block>,
    /// How many did not fit.
    pub left_out_count: usize,
    /// Results of tools that were given in short, of the turn itself or of the newest ones before it, each as it is whole, with the tokens that it takes less.
    pub in_short: Vec<Block>,
    /// Pictures of its messages that the request went without, newest message first.
    pub pictures_left_out: Vec<LeftOut>,
    /// How many tokens a request may have, by the settings of now.
    pub room: u64,
    /// An estimate of the request's tokens, made before it was sent.
    pub estimated: u64,
    /// How the answer ended.
    pub finish: Option<(Finish, Option<String>)>,
    /// Its attempts, in order.
    pub tries: Vec<Try>,
}

/// A part of a context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// What it is.
    pub kind: BlockKind,
    /// The turn that it comes from.
    pub turn: Option<TurnId>,
    /// An estimate of its tokens.
    pub tokens: u64,
    /// What it says.
    pub text: String,
}

/// What a part of a context is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BlockKind {
    /// The persona and the rules of the house.
    System,
    /// The tools on offer.
    Tools,
    /// A turn before this one, of this agent.
    Turn(String),
    /// The summary that stands for older turns.
    Summary,
    /// The mind.
    Mind,
    /// What is remembered, this many facts.
    Memories(usize),
    /// The time, the round and the messages that are answered; in older requests the mind, too.
    Query,
    /// What the model said before in this turn.
    Said,
    /// What its tools answered.
    Results,
    /// What a tool answered and was given in short; its name.
    Whole(String),
    /// Pictures, this many.
    Pictures(usize),
}

/// One attempt at a call.
#[derive(Clone, Debug, PartialEq)]
pub struct Try {
    /// Its number, from 1.
    pub attempt: u32,
    /// How long it waited before it was asked, in milliseconds.
    pub waited_ms: u64,
    /// When it was asked.
    pub asked_at: Millis,
    /// When the first words were shown.
    pub began_at: Option<Millis>,
    /// When it ended.
    pub ended_at: Option<Millis>,
    /// How it ended.
    pub end: TryEnd,
    /// What it used, as the provider tells.
    pub usage: Usage,
    /// What that cost; an estimate.
    pub cost: Option<Cost>,
    /// The request; `None` where it cannot be built any more.
    pub request: Option<HttpRequest>,
    /// Whether that is what was sent.
    pub agrees: Agrees,
    /// What came, as it came.
    pub raw: Option<RawAnswer>,
}

/// How an attempt ended.
#[derive(Clone, Debug, PartialEq)]
pub enum TryEnd {
    /// It has not.
    Open,
    /// With an answer.
    Answered,
    /// With a failure.
    Failed(Failure),
    /// With its turn.
    Closed(TurnEnd),
}

/// Whether a request that was built again is the one that was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Agrees {
    /// Byte for byte.
    Yes,
    /// Something that it was made of has changed since, such as a name.
    No,
    /// What was sent was not noted, or is not kept any more.
    Unknown,
}

impl Try {
    /// How long the first word took, in milliseconds.
    pub fn first_word_ms(&self) -> Option<u64> {
        let marked = self.raw.as_ref().and_then(|raw| Some((raw.sent_at, raw.word_at?)));
        let (from, to) = marked.or_else(|| Some((self.asked_at, self.began_at?)))?;
        Some(to.0.saturating_sub(from.0))
    }

    /// How long it took, in milliseconds.
    pub fn took_ms(&self) -> Option<u64> {
        let marked = self.raw.as_ref().map(|raw| (raw.sent_at, raw.ended_at));
        let (from, to) = marked.or_else(|| Some((self.asked_at, self.ended_at?)))?;
        Some(to.0.saturating_sub(from.0))
    }

    /// How many tokens came in a second once they came; `None` where the provider counts none, or all came at once.
    pub fn tokens_per_second(&self) -> Option<f64> {
        let ms = self.took_ms()?.checked_sub(self.first_word_ms()?).filter(|ms| *ms > 0)?;
        // Counts of tokens and milliseconds are exact as floats.
        Some(self.usage.output.filter(|tokens| *tokens > 0)? as f64 * 1_000.0 / ms as f64)
    }
}

/// Looks into a turn; `None` where it is not on this device.
///
/// # Errors
/// The store cannot be read.
pub async fn inspect(records: &Records, id: TurnId) -> Result<Option<Inspection>, StoreError> {
    let loader = Loader { store: Rc::clone(&records.store) };
    let mut world = loader.app().await?.rows;
    let first = loader.turns(Some(id), 1).await?.rows;
    let Some(turn) = first.turn(&id).map(|turn| turn.as_ref().clone()) else { return Ok(None) };
    let history = |call: &ModelCall| call.recipe.turns.len() + call.recipe.left_out.len().min(LEFT_OUT_TOLD);
    let most = turn.calls.iter().map(history).max().unwrap_or_default();
    world.absorb(loader.turns(Some(id), most.saturating_add(1)).await?.rows);
    // Turns that only summarise lie between those that were told.
    while let Some(before) = next_before(&world, &turn) {
        world.absorb(loader.turns(Some(before), TURNS_LOADED).await?.rows);
        if world.turn(&before).is_none() {
            break;
        }
    }
    let events = match turn.run {
        Some(run) => records.of_run(run).await?,
        None => Vec::new(),
    };
    let events: Vec<Event> = events.iter().filter_map(|text| json::read(text).ok()).collect();
    let mut tries = tries_of(&events, id);
    let raw = records.store.scan(Table::Raw, raw::keys_of(id)).await?;
    let mut raw: Vec<RawAnswer> = raw.iter().filter_map(|(_, row)| json::read(row).ok()).collect();
    let provider = world.live_provider(&turn.config.provider).cloned();
    let codec = match &provider {
        Some(provider) => records.parts.codec(provider.protocol).await.ok(),
        None => None,
    };
    // A key is only named, and only where one is needed.
    let endpoint = provider.as_ref().map(|provider| Endpoint {
        base_url: provider.base_url.clone(),
        key: provider.needs_key.then(|| Secret::new(KEY_NAME)),
    });
    let mut calls = Vec::new();
    for (number, call) in (0u32..).zip(&turn.calls) {
        let prompt = prompt_of(&world, &turn, &call.recipe);
        let mut own: Vec<Try> = Vec::new();
        for (_, mut one) in tries.extract_if(.., |(at, _)| *at == number) {
            // A call that was put off and asked again has two answers with one number only where both were sent.
            let at = raw.iter().position(|raw| raw.call == number && raw.attempt == one.attempt);
            one.raw = at.map(|at| raw.remove(at));
            let failures = own.iter().filter_map(|before| {
                if let TryEnd::Failed(failure) = &before.end { Some(failure) } else { None }
            });
            one.request =
                codec.zip(endpoint.as_ref()).zip(prompt.clone()).map(|((codec, endpoint), mut prompt)| {
                    learn(&mut prompt, failures);
                    (codec.encode)(&prompt, endpoint)
                });
            one.agrees = agrees(one.request.as_ref(), one.raw.as_ref());
            own.push(one);
        }
        calls.push(report(&world, &turn, call, own));
    }
    if turn.calls.is_empty() {
        let run = turn.run.and_then(|id| world.run(&id)).filter(|_| kind_of(&turn.agent).is_some());
        calls.extend(report_of_asides(&turn, run.and_then(|run| run.used.known_cost()), raw));
    }
    let agent = name_of(&world, &turn);
    let label = provider.map_or_else(|| turn.config.provider.to_string(), |provider| provider.label);
    let raw_days = raw::days(&world);
    let run = turn.run.and_then(|run| world.run(&run));
    let node = run.and_then(|run| run.nodes.iter().find(|node| Some(&node.id) == turn.node.as_ref()));
    let said = node.and_then(|node| node.tools.as_deref().cloned());
    Ok(Some(Inspection { agent, provider: label, calls, raw_days, said, turn }))
}

/// The parent of the oldest loaded turn, where a call was told of one that is not loaded.
fn next_before(world: &World, turn: &Turn) -> Option<TurnId> {
    turn.calls.iter().find(|call| call.recipe.turns.whole(world).is_none())?;
    world.ancestry(Some(turn.id)).last()?.parent
}

fn name_of(world: &World, turn: &Turn) -> String {
    if kind_of(&turn.agent).is_some() || turn.kind == TurnKind::Compaction {
        return "Archivist".to_owned();
    }
    world.agent(&turn.agent).map_or_else(|| turn.agent.to_string(), |agent| agent.identity.name.clone())
}

/// What is kept of questions beside the conversation, as one call; no recipe tells of them.
fn report_of_asides(turn: &Turn, cost: Option<Cost>, raw: Vec<RawAnswer>) -> Option<CallReport> {
    let last = raw.len().checked_sub(1)?;
    let tries = raw.into_iter().enumerate().map(|(at, raw)| {
        let is_last = at == last;
        let request = raw.asked.clone().map(|body| HttpRequest {
            method: Method::Post,
            url: raw.url.clone(),
            headers: Vec::new(),
            body: Some(body),
        });
        let end = match (turn.end.filter(|_| is_last), &turn.failure) {
            (Some(TurnEnd::Completed), _) => TryEnd::Answered,
            (Some(_), Some(failure)) => TryEnd::Failed(failure.clone()),
            (Some(end), None) => TryEnd::Closed(end),
            (None, _) if is_last => TryEnd::Open,
            (None, _) => TryEnd::Closed(TurnEnd::Error),
        };
        Try {
            ended_at: Some(raw.ended_at),
            end,
            usage: if is_last { turn.usage.clone() } else { Usage::default() },
            cost: cost.filter(|_| is_last),
            agrees: agrees(request.as_ref(), Some(&raw)),
            request,
            raw: Some(raw.clone()),
            ..open_try(raw.attempt, 0, raw.sent_at)
        }
    });
    Some(CallReport {
        blocks: Vec::new(),
        left_out: Vec::new(),
        left_out_count: 0,
        in_short: Vec::new(),
        pictures_left_out: Vec::new(),
        room: 0,
        estimated: 0,
        finish: None,
        tries: tries.collect(),
    })
}

fn agrees(request: Option<&HttpRequest>, raw: Option<&RawAnswer>) -> Agrees {
    let (Some(request), Some(raw)) = (request, raw) else { return Agrees::Unknown };
    let is_same =
        request.url == raw.url && Hash::of_text(request.body.as_deref().unwrap_or_default()) == raw.request;
    if is_same { Agrees::Yes } else { Agrees::No }
}

/// The attempts of a turn with the number of their call, as its events tell.
fn tries_of(events: &[Event], id: TurnId) -> Vec<(u32, Try)> {
    let mut tries: Vec<(u32, Try)> = Vec::new();
    let mut waits = 0u64;
    let of_turn = events.iter().filter(|event| event.turn == Some(id));
    for event in of_turn {
        let mut ended = |end, usage: Option<&Usage>, cost| {
            if let Some((_, last)) = tries.last_mut().filter(|(_, last)| last.end == TryEnd::Open) {
                last.end = end;
                last.ended_at = Some(event.at);
                last.usage = usage.cloned().unwrap_or_default();
                last.cost = cost;
            }
        };
        match event.happening() {
            Some(Happening::ModelRequested { call, attempt }) => {
                // What was put off before it was sent is one attempt.
                let again = |(at, last): &&mut (u32, Try)| {
                    at == call && last.attempt == *attempt && last.end == TryEnd::Open
                };
                if let Some((_, last)) = tries.last_mut().filter(again) {
                    last.waited_ms = last.waited_ms.saturating_add(std::mem::take(&mut waits));
                    last.asked_at = event.at;
                } else {
                    let waited_ms = std::mem::take(&mut waits);
                    tries.push((*call, open_try(*attempt, waited_ms, event.at)));
                }
            }
            Some(Happening::RetryScheduled { wait_ms, .. }) => waits = waits.saturating_add(*wait_ms),
            Some(Happening::ResponseBegan { .. }) => {
                if let Some((_, last)) = tries.last_mut() {
                    last.began_at = Some(event.at);
                }
            }
            Some(Happening::ModelAnswered { usage, cost, .. }) => ended(TryEnd::Answered, Some(usage), *cost),
            Some(Happening::ModelFailed { failure, usage, cost, .. }) => {
                ended(TryEnd::Failed(failure.clone()), Some(usage), *cost);
            }
            Some(Happening::TurnClosed { end, .. }) => ended(TryEnd::Closed(*end), None, None),
            _ => {}
        }
    }
    tries
}

fn open_try(attempt: u32, waited_ms: u64, asked_at: Millis) -> Try {
    Try {
        attempt,
        waited_ms,
        asked_at,
        began_at: None,
        ended_at: None,
        end: TryEnd::Open,
        usage: Usage::default(),
        cost: None,
        request: None,
        agrees: Agrees::Unknown,
        raw: None,
    }
}

fn report(world: &World, turn: &Turn, call: &ModelCall, tries: Vec<Try>) -> CallReport {
    let recipe = &call.recipe;
    let picture = picture_tokens(world, &turn.config);
    let tokens = |row: &Turn| tokens_for(world, row, &turn.agent, picture);
    let turns = recipe.left_out.newest_first(world).into_iter().take(LEFT_OUT_TOLD).map(|row| {
        let kind = BlockKind::Turn(name_of(world, row));
        Block { kind, turn: Some(row.id), tokens: tokens(row), text: String::new() }
    });
    CallReport {
        blocks: blocks_of(world, turn, call).unwrap_or_default(),
        left_out: turns.collect(),
        left_out_count: recipe.left_out.len(),
        in_short: recipe.curtailed.iter().filter_map(|id| whole_of(world.message(id)?)).collect(),
        pictures_left_out: left_out(world, turn, recipe),
        room: room(world, &turn.config),
        estimated: recipe.tokens,
        finish: call.finish.map(|finish| (finish, call.finish_raw.clone())),
        tries,
    }
}

/// A result that was given in short, as it is.
fn whole_of(message: &Message) -> Option<Block> {
    let answer = answers_of(&message.parts).next()?;
    let text = json::write(&answer.result).ok()?;
    Some(Block { kind: BlockKind::Whole(answer.name.clone()), turn: None, tokens: saved(message), text })
}

/// The messages of a turn whose results are given in short.
fn short_of(world: &World, recipe: &Recipe, turn: TurnId) -> Vec<MessageId> {
    let is_of = |id: &&MessageId| world.message(id).is_some_and(|message| message.turn == Some(turn));
    recipe.curtailed.iter().filter(is_of).copied().collect()
}

fn blocks_of(world: &World, turn: &Turn, call: &ModelCall) -> Option<Vec<Block>> {
    let recipe = &call.recipe;
    let picture = picture_tokens(world, &turn.config);
    let whole = |kind, text: &str| Block { kind, turn: None, tokens: estimate(text), text: text.to_owned() };
    let mut blocks = vec![
        whole(BlockKind::System, world.blob(&recipe.persona)?),
        whole(BlockKind::Tools, world.blob(&recipe.tools)?),
    ];
    for (section, entries) in sections_of(world, turn, recipe)? {
        match section {
            Section::Turn(id) => {
                let row = world.turn(&id)?;
                let text: Vec<_> = entries.iter().map(text_of_entry).collect();
                blocks.push(Block {
                    kind: BlockKind::Turn(name_of(world, row)),
                    turn: Some(id),
                    tokens: tokens_for(world, row, &turn.agent, picture)
                        .saturating_sub(saved_by(world, &short_of(world, recipe, id))),
                    text: text.join("\n\n"),
                });
            }
            Section::Summary => {
                blocks.push(whole(BlockKind::Summary, world.blob(recipe.summary.as_ref()?)?));
            }
            Section::Query => {
                if let Some(mind) = &recipe.mind_text {
                    blocks.push(whole(BlockKind::Mind, world.blob(mind)?));
                }
                if let Some(memories) = &recipe.memories {
                    let text = world.blob(memories)?;
                    let facts = text.lines().filter(|line| line.starts_with("- (")).count();
                    blocks.push(whole(BlockKind::Memories(facts), text));
                }
                blocks.push(whole(BlockKind::Query, world.blob(&recipe.query)?));
            }
            Section::Own => blocks.extend(entries.iter().map(|entry| {
                let kind = match entry {
                    PromptEntry::User(_) | PromptEntry::Assistant(_) => BlockKind::Said,
                    PromptEntry::ToolResults(_) => BlockKind::Results,
                };
                whole(kind, &text_of_entry(entry))
            })),
        }
    }
    if !recipe.blobs.is_empty() {
        let count = recipe.blobs.len();
        let tokens = u64::try_from(count).unwrap_or(u64::MAX).saturating_mul(PICTURE_TOKENS);
        blocks.push(Block { kind: BlockKind::Pictures(count), turn: None, tokens, text: String::new() });
    }
    Some(blocks)
}

/// An entry of a prompt, to be read.
fn text_of_entry(entry: &PromptEntry) -> String {
    let lines: Vec<String> = match entry {
        PromptEntry::User(parts) | PromptEntry::Assistant(parts) => parts.iter().map(text_of_part).collect(),
        PromptEntry::ToolResults(answers) => {
            answers.iter().map(|answer| format!("{} → {}", answer.name, answer.result)).collect()
        }
    };
    lines.join("\n")
}

fn text_of_part(part: &Part) -> String {
    match &part.body {
        PartBody::Text { text } | PartBody::Thinking { text } => text.clone(),
        PartBody::Json { .. } | PartBody::Blob { .. } | PartBody::ToolResult(_) => {
            json::write(&part.body).unwrap_or_default()
        }
        PartBody::ToolCall(call) => match &call.args {
            ToolArgs::Parsed(args) => format!("{}({args})", call.name),
            ToolArgs::Broken(text) => format!("{}({text})", call.name),
        },
    }
}

/// The head of a request as text: method and address, then a header a line. The key is only named.
pub fn head_of(request: &HttpRequest) -> String {
    let mut lines = vec![format!("{} {}", method(request.method), request.url)];
    lines.extend(request.headers.iter().map(|(name, value)| format!("{name}: {}", shown(value))));
    lines.join("\n")
}

/// The request as a command for a shell. Where the key belongs, a variable stands.
pub fn curl(request: &HttpRequest) -> String {
    let mut words = vec![format!("curl -N -X {} {}", method(request.method), quoted(&request.url))];
    for (name, value) in &request.headers {
        words.push(match value {
            HeaderValue::Plain(text) => format!("-H {}", quoted(&format!("{name}: {text}"))),
            // Between these quotes the shell puts the variable's value in.
            HeaderValue::Secret(_) => format!("-H \"{name}: {}\"", shown(value)),
        });
    }
    words.extend(request.body.as_ref().map(|body| format!("--data-raw {}", quoted(body))));
    words.join(" \\\n  ")
}

fn method(method: Method) -> &'static str {
    match method {
        Method::Get => "GET",
        Method::Post => "POST",
    }
}

/// A header's value with the key named, whatever it is.
fn shown(value: &HeaderValue) -> String {
    match value {
        HeaderValue::Plain(text) => text.clone(),
        HeaderValue::Secret(secret) => match secret.reveal().split_once(' ') {
            Some((scheme, _)) => format!("{scheme} {KEY_NAME}"),
            None => KEY_NAME.to_owned(),
        },
    }
}

/// A text as one word of a shell.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
#[path = "inspect_tests.rs"]
mod tests;
