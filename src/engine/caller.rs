//! Never decides what follows an answer: it asks, streams, and reports.
//!
//! Owns the model caller: on `llm.requests` it sends the request of a recipe, shows the answer as it comes, keeps what
//! came on disk, and records the answer or the failure. A turn that closes drops its call, and with it the fetch.

use std::cell::RefCell;
use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;

use futures_channel::mpsc::UnboundedReceiver;
use futures_util::StreamExt as _;
use futures_util::future::{AbortHandle, Abortable, Either, FutureExt as _, select};
use futures_util::stream::LocalBoxStream;

use crate::domain::command::{Command, Partials, RecordedAnswer};
use crate::domain::event::{Event, Happening};
use crate::domain::failure::{Failure, FailureCategory};
use crate::domain::id::{MessageId, RunId, SessionId, TurnId};
use crate::domain::limits::{PARTIAL_MS, STREAM_IDLE_LOOPBACK_MS, STREAM_IDLE_MS};
use crate::domain::live::Live;
use crate::domain::message::{MessageStatus, Role};
use crate::domain::model::{Finish, Prompt};
use crate::domain::part::{PartBody, text_of};
use crate::domain::provider::Provider;
use crate::domain::sorted::SortedMap;
use crate::engine::bus::Bus;
use crate::engine::handle::Handle;
use crate::engine::ledger::WorldRef;
use crate::engine::partials::PartialTail;
use crate::engine::port::{Clock, Http, HttpError, Spawn, Store};
use crate::engine::prompt::prompt_of;
use crate::engine::retry::wait_before_next;
use crate::wire::chat::{Answer, ModelEvent};
use crate::wire::codec::{self, Decoder};
use crate::wire::http::{Endpoint, HttpRequest};

/// The service that calls models.
#[derive(Clone)]
pub(super) struct Caller {
    pub(super) world: WorldRef,
    pub(super) handle: Handle,
    pub(super) bus: Rc<Bus>,
    pub(super) http: Rc<dyn Http>,
    pub(super) store: Rc<dyn Store>,
    pub(super) clock: Rc<dyn Clock>,
    pub(super) spawn: Rc<dyn Spawn>,
    pub(super) partials: Rc<RefCell<Partials>>,
}

/// One attempt at one call of a turn.
#[derive(Clone, Copy)]
struct Attempt {
    session: SessionId,
    run: Option<RunId>,
    turn: TurnId,
    call: u32,
    attempt: u32,
    message: MessageId,
}

/// How a call ended.
enum Outcome {
    Answered(RecordedAnswer),
    Failed(Failure),
}

impl Caller {
    /// Serves requests until the bus is gone. `events` carries `llm.requests` and `turns.closed`.
    pub(super) async fn serve(self, mut events: UnboundedReceiver<Arc<Event>>) {
        let mut calls: SortedMap<TurnId, AbortHandle> = SortedMap::new();
        while let Some(event) = events.next().await {
            let Some(turn) = event.turn else { continue };
            match event.happening() {
                Some(Happening::ModelRequested { call, attempt }) => {
                    let Some(attempt) = self.attempt(turn, *call, *attempt) else { continue };
                    let (abort, registration) = AbortHandle::new_pair();
                    if let Some(older) = calls.insert(turn, abort) {
                        older.abort();
                    }
                    let work = Abortable::new(self.clone().ask(attempt), registration);
                    self.spawn.spawn(Box::pin(work.map(|_| ())));
                }
                Some(Happening::TurnClosed { .. }) => {
                    if let Some(call) = calls.remove(&turn) {
                        call.abort();
                    }
                    self.forget_partials(turn);
                }
                _ => {}
            }
        }
    }

    fn attempt(&self, turn: TurnId, call: u32, attempt: u32) -> Option<Attempt> {
        let world = self.world.borrow();
        let row = world.turn(&turn)?;
        let message =
            row.messages.iter().rev().filter_map(|id| world.message(id)).find(|message| {
                message.role == Role::Assistant && message.status == MessageStatus::Processing
            })?;
        Some(Attempt { session: row.session, run: row.run, turn, call, attempt, message: message.id })
    }

    fn forget_partials(&self, turn: TurnId) {
        let world = self.world.borrow();
        if let Some(turn) = world.turn(&turn) {
            self.partials.borrow_mut().retain(|message, _| !turn.messages.contains(message));
        }
    }

    /// Asks, and waits for the next attempt where one is to follow.
    async fn ask(self, at: Attempt) {
        if at.attempt > 1 {
            self.partials.borrow_mut().remove(&at.message);
            self.bus.show(&Live::Restarted { message: at.message });
        }
        let outcome = match self.prepare(&at) {
            Ok((provider, prompt, request)) => self.stream(&at, &provider, &prompt, request).await,
            Err(failure) => Outcome::Failed(failure),
        };
        let failure = match outcome {
            Outcome::Answered(answer) => {
                drop(self.handle.send(Command::RecordAnswer { turn: at.turn, call: at.call, answer }).await);
                return;
            }
            Outcome::Failed(failure) => failure,
        };
        let parts = self.partials.borrow().get(&at.message).cloned().unwrap_or_default();
        let shown =
            parts.iter().any(|part| matches!(&part.body, PartBody::Text { text } if !text.is_empty()));
        let jitter = self.clock.now().0 % 1_000;
        let retry_in_ms = wait_before_next(&failure, at.attempt, shown, jitter);
        let command = Command::RecordFailure {
            turn: at.turn,
            call: at.call,
            attempt: at.attempt,
            failure,
            parts,
            retry_in_ms,
        };
        let recorded = self.handle.send(command).await;
        let (Ok(()), Some(wait_ms)) = (recorded, retry_in_ms) else { return };
        self.bus.show(&Live::Waiting { run: at.run, turn: at.turn, wait_ms });
        self.clock.sleep(wait_ms).await;
        let attempt = at.attempt.saturating_add(1);
        drop(self.handle.send(Command::RetryCall { turn: at.turn, call: at.call, attempt }).await);
    }

    /// The request of the attempt, or why there can be none.
    fn prepare(&self, at: &Attempt) -> Result<(Provider, Prompt, HttpRequest), Failure> {
        let missing = |what: &str| Failure::new(FailureCategory::NotSetUp, what);
        let world = self.world.borrow();
        let turn = world.turn(&at.turn).ok_or_else(|| missing("The turn is not loaded."))?;
        let provider = world
            .live_provider(&turn.config.provider)
            .ok_or_else(|| missing("The agent's provider is not set up on this device."))?;
        let allowed =
            world.agent(&turn.agent).is_some_and(|agent| agent.permissions.allow_provider(&provider.id));
        if !allowed {
            return Err(missing("The agent may not use this provider."));
        }
        let key = self.handle.keys.key(provider);
        if provider.needs_key && key.is_none() {
            return Err(missing("No key is entered for this provider in this tab."));
        }
        let recipe = turn
            .calls
            .get(usize::try_from(at.call).unwrap_or(usize::MAX))
            .map(|call| &call.recipe)
            .ok_or_else(|| missing("The call's context is not loaded."))?;
        let prompt = prompt_of(&world, turn, recipe)
            .ok_or_else(|| missing("A part of the call's context is not on this device any more."))?;
        let endpoint = Endpoint { base_url: provider.base_url.clone(), key };
        let request = codec::encode(provider.protocol, &prompt, &endpoint);
        Ok((provider.clone(), prompt, request))
    }

    async fn stream(
        &self,
        at: &Attempt,
        provider: &Provider,
        prompt: &Prompt,
        request: HttpRequest,
    ) -> Outcome {
        let idle_ms = if is_loopback(&provider.base_url) { STREAM_IDLE_LOOPBACK_MS } else { STREAM_IDLE_MS };
        let stalled = || {
            let seconds = idle_ms / 1_000;
            Outcome::Failed(Failure::new(
                FailureCategory::Stalled,
                format!("No byte came for {seconds} seconds."),
            ))
        };
        let sent = match select(self.http.send(request), self.clock.sleep(idle_ms)).await {
            Either::Left((sent, _)) => sent,
            Either::Right(_) => return stalled(),
        };
        let mut answer = match sent {
            Ok(answer) => answer,
            Err(HttpError::Unreachable(words) | HttpError::Broken(words)) => {
                return Outcome::Failed(Failure::new(FailureCategory::Unreachable, words));
            }
        };
        let is_fine = (200..300).contains(&answer.status);
        let mut refused = Vec::new();
        let mut reading = Reading::new(self, at, Decoder::new(provider.protocol));
        loop {
            let chunk = {
                let next = pin!(reading.next(&mut answer.body));
                match select(next, self.clock.sleep(idle_ms)).await {
                    Either::Left((chunk, _)) => chunk,
                    Either::Right(_) => return stalled(),
                }
            };
            match chunk {
                None => break,
                Some(Ok(bytes)) if is_fine => reading.take(&bytes).await,
                Some(Ok(bytes)) => refused.extend_from_slice(&bytes),
                Some(Err(HttpError::Unreachable(words) | HttpError::Broken(words))) => {
                    reading.keep().await;
                    return Outcome::Failed(Failure::new(FailureCategory::CutOff, words));
                }
            }
        }
        if !is_fine {
            let body = String::from_utf8_lossy(&refused);
            let mut failure =
                codec::classify(provider.protocol, answer.status, answer.content_type.as_deref(), &body);
            failure.retry_after_ms =
                failure.retry_after_ms.or_else(|| seconds_ms(answer.retry_after.as_deref()));
            return Outcome::Failed(failure);
        }
        reading.end().await;
        judge(reading.answer, provider, &prompt.config.model)
    }
}

/// What came of a whole stream: an answer, or why it is none.
fn judge(answer: Answer, provider: &Provider, model: &str) -> Outcome {
    let failed = |category, message: &str| Outcome::Failed(Failure::new(category, message));
    if let Some(failure) = answer.failure {
        return Outcome::Failed(failure);
    }
    let parts = answer.message_parts(&provider.id, model);
    let has_calls = crate::domain::part::calls_of(&parts).next().is_some();
    let message = answer.finish_message.as_deref();
    match answer.finish {
        Finish::Error => failed(FailureCategory::Garbled, "The provider reported an error without words."),
        Finish::Incomplete => failed(FailureCategory::CutOff, "The stream ended without a finish mark."),
        Finish::Length => failed(FailureCategory::CutOff, "The answer reached its token limit."),
        Finish::ContentFilter => {
            let raw = answer.finish_raw.as_deref().unwrap_or("blocked");
            let words = message.map_or_else(|| raw.to_owned(), |message| format!("{raw}: {message}"));
            failed(FailureCategory::Blocked, &words)
        }
        Finish::Stop | Finish::ToolCalls if !has_calls && text_of(&parts).trim().is_empty() => {
            failed(FailureCategory::Empty, "The answer held no text and no tool call.")
        }
        Finish::Stop | Finish::ToolCalls => Outcome::Answered(RecordedAnswer {
            parts,
            usage: answer.usage,
            finish: if has_calls { Finish::ToolCalls } else { Finish::Stop },
            finish_raw: answer.finish_raw,
            response_id: answer.response_id,
        }),
    }
}

/// An answer that is being read.
struct Reading<'c> {
    caller: &'c Caller,
    at: &'c Attempt,
    decoder: Decoder,
    answer: Answer,
    began: bool,
    tail: PartialTail,
    kept_at: u64,
}

impl<'c> Reading<'c> {
    fn new(caller: &'c Caller, at: &'c Attempt, decoder: Decoder) -> Self {
        let kept_at = caller.clock.now().0;
        let tail = PartialTail::new(at.message, at.attempt);
        Self { caller, at, decoder, answer: Answer::default(), began: false, tail, kept_at }
    }

    /// The next piece of the body. While it is waited for, what came before goes to disk in its time.
    async fn next(
        &mut self,
        body: &mut LocalBoxStream<'static, Result<Vec<u8>, HttpError>>,
    ) -> Option<Result<Vec<u8>, HttpError>> {
        if self.tail.holds_news() {
            let since = self.caller.clock.now().0.saturating_sub(self.kept_at);
            let due = self.caller.clock.sleep(PARTIAL_MS.saturating_sub(since));
            match select(body.next(), due).await {
                Either::Left((chunk, _)) => return chunk,
                Either::Right(_) => self.keep().await,
            }
        }
        body.next().await
    }

    async fn take(&mut self, bytes: &[u8]) {
        let events = self.decoder.feed(bytes);
        self.apply(events).await;
        if self.caller.clock.now().0.saturating_sub(self.kept_at) >= PARTIAL_MS {
            self.keep().await;
        }
    }

    async fn end(&mut self) {
        let events = self.decoder.end();
        self.apply(events).await;
    }

    async fn apply(&mut self, events: Vec<ModelEvent>) {
        let mut wrote = false;
        for event in events {
            if let ModelEvent::Text { part, text } | ModelEvent::Thinking { part, text } = &event {
                let thinking = matches!(event, ModelEvent::Thinking { .. });
                wrote |= !thinking && !text.is_empty();
                self.tail.push(*part, thinking, text);
                self.caller.bus.show(&Live::Delta {
                    session: self.at.session,
                    message: self.at.message,
                    part: *part,
                    thinking,
                    text: text.clone(),
                });
            }
            if event == ModelEvent::Restarted {
                self.tail.restart();
                self.caller.bus.show(&Live::Restarted { message: self.at.message });
            }
            self.answer.apply(event);
        }
        self.share();
        if wrote && !self.began {
            self.began = true;
            let command = Command::BeginResponse { turn: self.at.turn, call: self.at.call };
            drop(self.caller.handle.send(command).await);
        }
    }

    /// Lets `decide` see what came, should the turn be stopped now.
    fn share(&self) {
        let parts = self
            .answer
            .parts
            .iter()
            .filter(|part| matches!(part.body, PartBody::Text { .. } | PartBody::Thinking { .. }))
            .map(|part| part.body.clone().into())
            .collect();
        self.caller.partials.borrow_mut().insert(self.at.message, parts);
    }

    /// Puts the new piece of text to disk. A failure costs only what a crash would lose.
    async fn keep(&mut self) {
        self.kept_at = self.caller.clock.now().0;
        if let Some(batch) = self.tail.piece() {
            drop(self.caller.store.write(batch).await);
        }
    }
}

fn seconds_ms(header: Option<&str>) -> Option<u64> {
    header?.trim().parse::<u64>().ok().map(|seconds| seconds.saturating_mul(1_000))
}

/// Whether the address is on this machine.
fn is_loopback(url: &str) -> bool {
    let host = url.split_once("://").map_or("", |(_, rest)| rest);
    ["localhost", "127.", "[::1]"].iter().any(|local| host.starts_with(local))
}
