//! Builds the inspector's report of a turn: for each model call the request, its sources, and every attempt.
//!
//! The request is rebuilt from the recipe and compared with the hash recorded when it was sent. An attempt has its raw
//! response, times, usage and cost. Never changes anything; API keys are replaced by a placeholder.

use crate::calls::context::{estimate, room};
use crate::calls::prompt::{PromptSection, adapt_to_errors, prompt_of, sections_of};
use crate::prelude::*;
use crate::queries::EventQueries;
use crate::store::raw_responses;
use crate::store::raw_responses::RawResponse;
use nexus_model::context::history::{saved_by, saved_tokens};
use nexus_model::context::{attachment_tokens, tokens_for};
use nexus_model::job::maintenance::kind_of;
use nexus_model::limits::TURNS_LOADED;
use nexus_model::llm::{FinishReason, PromptEntry};
use nexus_model::message::content::answers_of;
use nexus_model::provider::vision::{OmittedImage, omitted_images};
use nexus_model::turn::ModelCall;
use nexus_providers::http::{Endpoint, HeaderValue, HttpRequest, Method, Secret};

pub const KEY_NAME: &str = "$API_KEY";
const OMITTED_TURNS_LISTED: usize = 12;

#[derive(Clone, Debug, PartialEq)]
pub struct TurnInspection {
    pub turn: Turn,
    pub agent: String,
    pub provider: String,
    pub calls: Vec<CallReport>,
    pub raw_days: u64,
    /// Tool permissions set for its message alone.
    pub message_permissions: Option<Permissions>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct CallReport {
    /// The parts of its context in request order; empty if they are no longer on this device.
    pub blocks: Vec<ContextBlock>,
    /// Turns that did not fit, newest first; the first few only.
    pub omitted_turns: Vec<ContextBlock>,
    pub omitted_turn_count: usize,
    /// Truncated tool results of the turn or of earlier ones, each in full, with the number of tokens saved.
    pub truncated: Vec<ContextBlock>,
    /// Images of its messages that were not sent, newest message first.
    pub omitted_images: Vec<OmittedImage>,
    /// Max tokens of a request under the current settings.
    pub room: u64,
    pub estimated: u64,
    pub finish: Option<(FinishReason, Option<String>)>,
    pub attempts: Vec<AttemptReport>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContextBlock {
    pub kind: ContextBlockKind,
    pub turn: Option<TurnId>,
    pub tokens: u64,
    pub text: String,
}

impl ContextBlock {
    fn new(kind: ContextBlockKind, tokens: u64, text: String) -> Self {
        Self { kind, turn: None, tokens, text }
    }

    fn of_turn(world: &World, turn: &Turn, tokens: u64, text: String) -> Self {
        let kind = ContextBlockKind::Turn(name_of(world, turn));
        Self { kind, turn: Some(turn.id), tokens, text }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ContextBlockKind {
    /// The persona and the general rules.
    System,
    Tools,
    /// An earlier turn of the thread; its agent's name.
    Turn(String),
    Summary,
    Mind,
    Memories(usize),
    /// The time, the round and the messages being answered; in older requests also the mind.
    Query,
    /// What the model wrote earlier in this turn.
    OwnText,
    Results,
    /// A tool result that was truncated; the tool's name.
    TruncatedResult(String),
    Pictures(usize),
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct AttemptReport {
    /// Its number, from 1.
    pub attempt: u32,
    pub waited_ms: u64,
    pub requested_at: Millis,
    /// When the first text was shown.
    pub began_at: Option<Millis>,
    pub ended_at: Option<Millis>,
    pub end: AttemptEnd,
    pub usage: Usage,
    pub cost: Option<Cost>,
    /// The request; `None` if it cannot be rebuilt.
    pub request: Option<HttpRequest>,
    pub request_match: RequestMatch,
    pub raw: Option<RawResponse>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub enum AttemptEnd {
    #[default]
    Open,
    Answered,
    Failed(ProviderError),
    Closed(TurnEnd),
}

/// How a rebuilt request compares to the one that was sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RequestMatch {
    /// Byte for byte.
    Yes,
    /// A source has changed since, such as a name.
    No,
    /// The hash of the sent request was not recorded or is no longer stored.
    #[default]
    Unknown,
}

impl AttemptReport {
    pub fn first_word_ms(&self) -> Option<u64> {
        let marked = self.raw.as_ref().and_then(|raw| Some((raw.sent_at, raw.first_text_at?)));
        let (from, to) = marked.or_else(|| Some((self.requested_at, self.began_at?)))?;
        Some(to.0.saturating_sub(from.0))
    }

    pub fn took_ms(&self) -> Option<u64> {
        let marked = self.raw.as_ref().map(|raw| (raw.sent_at, raw.ended_at));
        let (from, to) = marked.or_else(|| Some((self.requested_at, self.ended_at?)))?;
        Some(to.0.saturating_sub(from.0))
    }

    /// Output tokens per second after the first token; `None` if the provider reports no count or all came at once.
    pub fn tokens_per_second(&self) -> Option<f64> {
        let ms = self.took_ms()?.checked_sub(self.first_word_ms()?).filter(|ms| *ms > 0)?;
        // Token counts and milliseconds are exact as floats.
        Some(self.usage.output.filter(|tokens| *tokens > 0)? as f64 * 1_000.0 / ms as f64)
    }
}

/// Inspects a turn; `None` if it is not on this device.
pub async fn inspect(records: &EventQueries, id: TurnId) -> StoreResult<Option<TurnInspection>> {
    let mut world = records.store.load_app().await?.rows;
    let first = records.store.load_turns(Some(id), 1).await?.rows;
    let Some(turn) = first.turn(&id).map(|turn| turn.as_ref().clone()) else { return Ok(None) };
    let history = |call: &ModelCall| {
        call.recipe.turns.len() + call.recipe.omitted_turns.len().min(OMITTED_TURNS_LISTED)
    };
    let most = turn.calls.iter().map(history).max().unwrap_or_default();
    world.absorb(records.store.load_turns(Some(id), most.saturating_add(1)).await?.rows);
    // Compaction turns lie between those of the recipe.
    while let Some(before) = next_before(&world, &turn) {
        world.absorb(records.store.load_turns(Some(before), TURNS_LOADED).await?.rows);
        if world.turn(&before).is_none() {
            break;
        }
    }
    let events = match turn.run {
        Some(run) => records.of_run(run).await?,
        None => Vec::new(),
    };
    let events: Vec<Event> = events.iter().filter_map(|text| json::read(text).ok()).collect();
    let mut tries = attempts_of(&events, id);
    let raw = records.store.scan(Table::Raw, format!("{id}/")).await?;
    let mut raw: Vec<RawResponse> = raw.iter().filter_map(|(_, row)| json::read(row).ok()).collect();
    let provider = world.live_provider(&turn.config.provider).cloned();
    let codec = match &provider {
        Some(provider) => records.parts.codec(provider.protocol).await.ok(),
        None => None,
    };
    // The key is a placeholder, and only present if one is needed.
    let endpoint = provider.as_ref().map(|provider| Endpoint {
        base_url: provider.base_url.clone(),
        key: provider.needs_key.then(|| Secret::new(KEY_NAME)),
    });
    let mut calls = Vec::new();
    for (number, call) in (0u32..).zip(&turn.calls) {
        let prompt = prompt_of(&world, &turn, &call.recipe);
        let mut own: Vec<AttemptReport> = Vec::new();
        for (_, mut one) in tries.extract_if(.., |(at, _)| *at == number) {
            // A postponed call that was requested again has two responses of one number only if both were sent.
            let at = raw.iter().position(|raw| raw.call == number && raw.attempt == one.attempt);
            one.raw = at.map(|at| raw.remove(at));
            let failures = own.iter().filter_map(|before| {
                if let AttemptEnd::Failed(failure) = &before.end { Some(failure) } else { None }
            });
            one.request =
                codec.zip(endpoint.as_ref()).zip(prompt.clone()).map(|((codec, endpoint), mut prompt)| {
                    adapt_to_errors(&mut prompt, failures);
                    (codec.encode)(&prompt, endpoint)
                });
            one.request_match = compare(one.request.as_ref(), one.raw.as_ref());
            own.push(one);
        }
        calls.push(report(&world, &turn, call, own));
    }
    if turn.calls.is_empty() {
        let run = world.run_of(&turn).filter(|_| kind_of(&turn.agent).is_some());
        calls.extend(report_of_job(&turn, run.and_then(|run| run.used.known_cost()), raw));
    }
    let agent = name_of(&world, &turn);
    let label = provider.map_or_else(|| turn.config.provider.to_string(), |provider| provider.label);
    let node = world.node_of(&turn);
    Ok(Some(TurnInspection {
        agent,
        provider: label,
        calls,
        raw_days: raw_responses::days(&world),
        message_permissions: node.and_then(|node| node.tools.as_deref().cloned()),
        turn,
    }))
}

/// The parent of the oldest loaded turn, if a recipe contains a turn that is not loaded.
fn next_before(world: &World, turn: &Turn) -> Option<TurnId> {
    turn.calls.iter().find(|call| call.recipe.turns.whole(world).is_none())?;
    world.ancestry(Some(turn.id)).last()?.parent
}

fn name_of(world: &World, turn: &Turn) -> String {
    if kind_of(&turn.agent).is_some() || turn.kind == TurnKind::Compaction {
        return "Archivist".to_owned();
    }
    world.agent_name(&turn.agent).to_owned()
}

/// Requests outside a turn's calls, as one call; no recipe describes them.
fn report_of_job(turn: &Turn, cost: Option<Cost>, raw: Vec<RawResponse>) -> Option<CallReport> {
    let last = raw.len().checked_sub(1)?;
    let tries = raw.into_iter().enumerate().map(|(at, raw)| {
        let is_last = at == last;
        let request = raw.request_body.clone().map(|body| HttpRequest {
            method: Method::Post,
            url: raw.url.clone(),
            headers: Vec::new(),
            body: Some(body),
        });
        let end = match (turn.end.filter(|_| is_last), &turn.failure) {
            (Some(TurnEnd::Completed), _) => AttemptEnd::Answered,
            (Some(_), Some(failure)) => AttemptEnd::Failed(failure.clone()),
            (Some(end), None) => AttemptEnd::Closed(end),
            (None, _) if is_last => AttemptEnd::Open,
            (None, _) => AttemptEnd::Closed(TurnEnd::Error),
        };
        AttemptReport {
            ended_at: Some(raw.ended_at),
            end,
            usage: if is_last { turn.usage.clone() } else { Usage::default() },
            cost: cost.filter(|_| is_last),
            request_match: compare(request.as_ref(), Some(&raw)),
            request,
            raw: Some(raw.clone()),
            attempt: raw.attempt,
            requested_at: raw.sent_at,
            ..AttemptReport::default()
        }
    });
    Some(CallReport { attempts: tries.collect(), ..CallReport::default() })
}

fn compare(request: Option<&HttpRequest>, raw: Option<&RawResponse>) -> RequestMatch {
    let (Some(request), Some(raw)) = (request, raw) else { return RequestMatch::Unknown };
    let is_same = request.url == raw.url
        && ContentHash::of_text(request.body.as_deref().unwrap_or_default()) == raw.request;
    if is_same { RequestMatch::Yes } else { RequestMatch::No }
}

/// The attempts of a turn with the number of their call, from its events.
fn attempts_of(events: &[Event], id: TurnId) -> Vec<(u32, AttemptReport)> {
    let mut attempts: Vec<(u32, AttemptReport)> = Vec::new();
    let mut waits = 0u64;
    let of_turn = events.iter().filter(|event| event.turn == Some(id));
    for event in of_turn {
        let mut ended = |end, usage: Option<&Usage>, cost| {
            if let Some((_, last)) = attempts.last_mut().filter(|(_, last)| last.end == AttemptEnd::Open) {
                last.end = end;
                last.ended_at = Some(event.at);
                last.usage = usage.cloned().unwrap_or_default();
                last.cost = cost;
            }
        };
        match event.known_kind() {
            Some(EventKind::ModelRequested { call, attempt }) => {
                // A request that was postponed before it was sent is the same attempt.
                let is_same_attempt = |(at, last): &&mut (u32, AttemptReport)| {
                    at == call && last.attempt == *attempt && last.end == AttemptEnd::Open
                };
                if let Some((_, last)) = attempts.last_mut().filter(is_same_attempt) {
                    last.waited_ms = last.waited_ms.saturating_add(std::mem::take(&mut waits));
                    last.requested_at = event.at;
                } else {
                    let waited_ms = std::mem::take(&mut waits);
                    let (attempt, requested_at) = (*attempt, event.at);
                    let open = AttemptReport { attempt, waited_ms, requested_at, ..AttemptReport::default() };
                    attempts.push((*call, open));
                }
            }
            Some(EventKind::RetryScheduled { wait_ms, .. }) => waits = waits.saturating_add(*wait_ms),
            Some(EventKind::ResponseBegan { .. }) => {
                if let Some((_, last)) = attempts.last_mut() {
                    last.began_at = Some(event.at);
                }
            }
            Some(EventKind::ModelAnswered { usage, cost, .. }) => {
                ended(AttemptEnd::Answered, Some(usage), *cost)
            }
            Some(EventKind::ModelFailed { failure, usage, cost, .. }) => {
                ended(AttemptEnd::Failed(failure.clone()), Some(usage), *cost);
            }
            Some(EventKind::TurnClosed { end, .. }) => ended(AttemptEnd::Closed(*end), None, None),
            _ => {}
        }
    }
    attempts
}

fn report(world: &World, turn: &Turn, call: &ModelCall, attempts: Vec<AttemptReport>) -> CallReport {
    let recipe = &call.recipe;
    let kinds = InputKinds::of(world, &turn.config);
    let tokens = |row: &Turn| tokens_for(world, row, &turn.agent, kinds);
    let turns = recipe.omitted_turns.newest_first(world).into_iter().take(OMITTED_TURNS_LISTED);
    let turns = turns.map(|row| ContextBlock::of_turn(world, row, tokens(row), String::new()));
    CallReport {
        blocks: blocks_of(world, turn, call).unwrap_or_default(),
        omitted_turns: turns.collect(),
        omitted_turn_count: recipe.omitted_turns.len(),
        truncated: recipe.truncated.iter().filter_map(|id| truncated_block(world.message(id)?)).collect(),
        omitted_images: omitted_images(world, turn, recipe),
        room: room(world, &turn.config),
        estimated: recipe.tokens,
        finish: call.finish.map(|finish| (finish, call.finish_raw.clone())),
        attempts,
    }
}

fn truncated_block(message: &Message) -> Option<ContextBlock> {
    let answer = answers_of(&message.parts).next()?;
    let text = json::write(&answer.result).ok()?;
    let kind = ContextBlockKind::TruncatedResult(answer.name.clone());
    Some(ContextBlock::new(kind, saved_tokens(message), text))
}

fn truncated_in(world: &World, recipe: &RequestSpec, turn: TurnId) -> Vec<MessageId> {
    let is_of = |id: &&MessageId| world.message(id).is_some_and(|message| message.turn == Some(turn));
    recipe.truncated.iter().filter(is_of).copied().collect()
}

fn blocks_of(world: &World, turn: &Turn, call: &ModelCall) -> Option<Vec<ContextBlock>> {
    let recipe = &call.recipe;
    let kinds = InputKinds::of(world, &turn.config);
    let whole = |kind, text: &str| ContextBlock::new(kind, estimate(text), text.to_owned());
    let mut blocks = vec![
        whole(ContextBlockKind::System, world.blob(&recipe.persona)?),
        whole(ContextBlockKind::Tools, world.blob(&recipe.tools)?),
    ];
    for (section, entries) in sections_of(world, turn, recipe)? {
        match section {
            PromptSection::Turn(id) => {
                let row = world.turn(&id)?;
                let text: Vec<_> = entries.iter().map(text_of_entry).collect();
                let tokens = tokens_for(world, row, &turn.agent, kinds)
                    .saturating_sub(saved_by(world, &truncated_in(world, recipe, id)));
                blocks.push(ContextBlock::of_turn(world, row, tokens, text.join("\n\n")));
            }
            PromptSection::Summary => {
                blocks.push(whole(ContextBlockKind::Summary, world.blob(recipe.summary.as_ref()?)?));
            }
            PromptSection::Query => {
                if let Some(mind) = &recipe.mind_text {
                    blocks.push(whole(ContextBlockKind::Mind, world.blob(mind)?));
                }
                if let Some(memories) = &recipe.memories {
                    let text = world.blob(memories)?;
                    let facts = text.lines().filter(|line| line.starts_with("- (")).count();
                    blocks.push(whole(ContextBlockKind::Memories(facts), text));
                }
                blocks.push(whole(ContextBlockKind::Query, world.blob(&recipe.query)?));
            }
            PromptSection::OwnTurn => blocks.extend(entries.iter().map(|entry| {
                let kind = match entry {
                    PromptEntry::User(_) | PromptEntry::Assistant(_) => ContextBlockKind::OwnText,
                    PromptEntry::ToolResults(_) => ContextBlockKind::Results,
                };
                whole(kind, &text_of_entry(entry))
            })),
        }
    }
    if !recipe.blobs.is_empty() {
        let count = recipe.blobs.len();
        let shown = recipe.turns.newest_first(world).into_iter().flat_map(|turn| &turn.query);
        let shown = turn.answers.iter().chain(shown).filter_map(|id| world.message(id));
        let parts: Vec<&MessagePart> = shown.flat_map(|message| &message.parts).collect();
        let is = |part: &MessagePart, own: &ContentHash| matches!(&part.body, PartBody::Blob { hash, .. } if hash == own);
        let of = |hash| parts.iter().find(|part| is(part, hash)).copied();
        let tokens = attachment_tokens(recipe.blobs.iter().filter_map(of), InputKinds::ALL);
        blocks.push(ContextBlock::new(ContextBlockKind::Pictures(count), tokens, String::new()));
    }
    Some(blocks)
}

fn text_of_entry(entry: &PromptEntry) -> String {
    let result = |answer: &ToolResult| format!("{} → {}", answer.name, answer.result);
    let lines: Vec<String> = match entry {
        PromptEntry::User(parts) | PromptEntry::Assistant(parts) => parts.iter().map(text_of_part).collect(),
        PromptEntry::ToolResults(answers) => answers.iter().map(result).collect(),
    };
    lines.join("\n")
}

fn text_of_part(part: &MessagePart) -> String {
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

/// The head of a request as text: method and address, then one header per line, with a placeholder for the key.
pub fn head_of(request: &HttpRequest) -> String {
    let mut lines = vec![format!("{} {}", method(request.method), request.url)];
    lines.extend(request.headers.iter().map(|(name, value)| format!("{name}: {}", shown(value))));
    lines.join("\n")
}

/// The request as a shell command, with a variable for the key.
pub fn curl(request: &HttpRequest) -> String {
    let mut parts = vec![format!("curl -N -X {} {}", method(request.method), quoted(&request.url))];
    for (name, value) in &request.headers {
        parts.push(match value {
            HeaderValue::Plain(text) => format!("-H {}", quoted(&format!("{name}: {text}"))),
            // The shell expands the variable in double quotes.
            HeaderValue::Secret(_) => format!("-H \"{name}: {}\"", shown(value)),
        });
    }
    parts.extend(request.body.as_ref().map(|body| format!("--data-raw {}", quoted(body))));
    parts.join(" \\\n  ")
}

fn method(method: Method) -> &'static str {
    match method {
        Method::Get => "GET",
        Method::Post => "POST",
    }
}

/// A header's value with a placeholder for the key.
fn shown(value: &HeaderValue) -> String {
    match value {
        HeaderValue::Plain(text) => text.clone(),
        HeaderValue::Secret(secret) => match secret.reveal().split_once(' ') {
            Some((scheme, _)) => format!("{scheme} {KEY_NAME}"),
            None => KEY_NAME.to_owned(),
        },
    }
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests;
