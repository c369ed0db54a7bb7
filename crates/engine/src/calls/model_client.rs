//! The model client: on `llm.requests` sends the request of a `RequestSpec`, streams the answer and records the result.
//!
//! Received text is stored while it streams. Closing the turn drops the call and with it the fetch. Never decides
//! what follows an answer.
//!
//! Calls outside a turn (`ModelClient::send_once`) share the rate limiter, codecs and timeouts. Their answers are
//! never shown or stored here.

mod stream;

use crate::calls::model_client::stream::{CallOutcome, Record, stream};
use crate::calls::prompt::{adapt_to_errors, prompt_of};
use crate::calls::retry::{CallLimiter, is_provider_wide, wait_before_next};
use crate::client::EngineContext;
use crate::prelude::*;
use crate::store::raw_responses::RawResponseStore;
use futures_util::future::AbortHandle;
use futures_util::select_biased;
use nexus_model::command::{FailedAttempt, PartialMessages};
use nexus_model::llm::Prompt;
use nexus_model::provider::{KEY_LOCKED, NO_KEY, NO_MODEL};
use nexus_model::session::workers::with_members;
use nexus_providers::http::{Endpoint, HttpRequest};
use std::fmt::Display;

#[derive(Clone)]
pub(crate) struct ModelClient {
    pub(crate) engine: EngineContext,
    pub(crate) http: Rc<dyn Http>,
    pub(crate) limiter: Rc<CallLimiter>,
    pub(crate) partials: Rc<RefCell<PartialMessages>>,
    pub(crate) raw_responses: Rc<RawResponseStore>,
}

struct RunningCall {
    abort: AbortHandle,
    waits: Rc<Cell<bool>>,
}

#[derive(Clone)]
struct CallAttempt {
    session: SessionId,
    turn: TurnId,
    call: u32,
    attempt: u32,
    message: MessageId,
    provider: ProviderId,
    /// True if the run has a single agent, for which the operator waits.
    direct: bool,
    /// True if the operator retries this turn after a failure.
    is_retry: bool,
}

type Prepared = (Provider, Prompt, Endpoint);

impl ModelClient {
    /// `events` carries `llm.requests` and `turns.closed`.
    pub(crate) async fn serve(self, mut events: UnboundedReceiver<Arc<Event>>) {
        let mut calls: VecMap<TurnId, RunningCall> = VecMap::new();
        let mut signals = self.engine.bus.subscribe_transient();
        loop {
            let event = select_biased! {
                event = events.next() => event,
                signal = signals.next() => {
                    if let Some(TransientEvent::StopUnsaved { session }) = signal {
                        calls.retain(|turn, call| !self.abort_if_stopped(session, turn, call));
                    }
                    continue;
                }
            };
            let Some(event) = event else { return };
            let Some(turn) = event.turn else { continue };
            match event.known_kind() {
                Some(EventKind::ModelRequested { call, attempt }) => {
                    let Some(attempt) = self.attempt(turn, *call, *attempt) else { continue };
                    let older = calls.remove(&turn).inspect(|older| older.abort.abort());
                    // Only the operator can request a call that is still waiting.
                    let insisted = attempt.is_retry || older.is_some_and(|older| older.waits.get());
                    let waits = Rc::new(Cell::new(false));
                    let work = self.clone().run_attempt(attempt, insisted, Rc::clone(&waits));
                    calls.insert(turn, RunningCall { abort: self.engine.start(work), waits });
                }
                Some(EventKind::TurnClosed { .. }) => {
                    if let Some(call) = calls.remove(&turn) {
                        call.abort.abort();
                    }
                    self.forget_partials(turn);
                }
                _ => {}
            }
        }
    }

    /// Aborts a call of this session or of its workers and lanes. True if it was one.
    fn abort_if_stopped(&self, session: SessionId, turn: &TurnId, call: &RunningCall) -> bool {
        let world = self.engine.world.borrow();
        let home = world.turn(turn).map(|turn| turn.session);
        let is_stopped = home.is_some_and(|home| with_members(&world, session).contains(&home));
        if is_stopped {
            call.abort.abort();
        }
        is_stopped
    }

    fn attempt(&self, turn: TurnId, call: u32, attempt: u32) -> Option<CallAttempt> {
        let world = self.engine.world.borrow();
        let row = world.turn(&turn)?;
        let message = world.open_message(row)?;
        let direct = world.run_of(row).is_some_and(|run| run.nodes.len() == 1 && !run.keeps_going());
        let provider = row.config.provider.clone();
        let is_retry = call == 0 && attempt == 1 && is_retried(&world, row);
        let (session, message) = (row.session, message.id);
        Some(CallAttempt { session, turn, call, attempt, message, provider, direct, is_retry })
    }

    fn forget_partials(&self, turn: TurnId) {
        let world = self.engine.world.borrow();
        if let Some(turn) = world.turn(&turn) {
            self.partials.borrow_mut().retain(|message, _| !turn.messages.contains(message));
        }
    }

    /// Makes the attempt once its provider allows it, then waits for the retry if one follows.
    async fn run_attempt(self, at: CallAttempt, insisted: bool, waits: Rc<Cell<bool>>) {
        // Before taking a slot: the operator may need time.
        self.unlock(&at.provider).await;
        let back_off =
            || Some(self.limiter.wait_ms(&at.provider)).filter(|wait_ms| !insisted && *wait_ms > 0);
        if let Some(wait_ms) = back_off() {
            return self.delay(&at, wait_ms, &waits).await;
        }
        let permit = Rc::clone(&self.limiter).acquire(&at.provider, at.direct).await;
        // Another call may have started a back-off while this one was queued.
        if let Some(wait_ms) = back_off() {
            drop(permit);
            return self.delay(&at, wait_ms, &waits).await;
        }
        if at.attempt > 1 {
            self.partials.borrow_mut().remove(&at.message);
            self.engine.publish(&TransientEvent::Restarted { message: at.message });
        }
        let record =
            |request: &HttpRequest| self.raw_responses.record(at.turn, at.call, at.attempt, request, false);
        let outcome = self.send_attempt(self.prepare(&at), Some(&at), &record).await;
        drop(permit);
        let failed = match outcome {
            Ok(answer) => {
                if insisted {
                    self.limiter.reset(&at.provider);
                }
                self.engine.tell(Command::RecordAnswer { turn: at.turn, call: at.call, answer }).await;
                return;
            }
            Err(failed) => failed,
        };
        let parts = self.partials.borrow().get(&at.message).cloned().unwrap_or_default();
        let shown =
            parts.iter().any(|part| matches!(&part.body, PartBody::Text { text } if !text.is_empty()));
        let failed = self.with_retry(&at.provider, failed, at.attempt, shown, &at.turn);
        let retry_in_ms = failed.retry_in_ms;
        let command = Command::RecordFailure { turn: at.turn, call: at.call, failed, parts };
        if let (Ok(()), Some(wait_ms)) = (self.engine.handle.send(command).await, retry_in_ms) {
            self.wait_and_retry(&at, at.attempt.saturating_add(1), wait_ms, &waits).await;
        }
    }

    /// Delays the attempt by its provider's back-off.
    async fn delay(&self, at: &CallAttempt, wait_ms: u64, waits: &Cell<bool>) {
        // Jitter, so that waiting calls do not all resume at once.
        let wait_ms = wait_ms.saturating_add(jitter(&at.turn, at.attempt, self.engine.now()) / 4);
        let (turn, call, attempt) = (at.turn, at.call, at.attempt);
        if self.engine.handle.send(Command::DelayCall { turn, call, attempt, wait_ms }).await.is_ok() {
            self.wait_and_retry(at, attempt, wait_ms, waits).await;
        }
    }

    async fn wait_and_retry(&self, at: &CallAttempt, attempt: u32, wait_ms: u64, waits: &Cell<bool>) {
        waits.set(true);
        self.engine.pause(wait_ms).await;
        waits.set(false);
        // A rejection means that the turn was stopped, or that the operator retried at once.
        self.engine.tell(Command::RetryCall { turn: at.turn, call: at.call, attempt }).await;
    }

    /// If the key is locked, prompts for the passphrase and waits. Closing the turn cancels the wait.
    async fn unlock(&self, id: &ProviderId) {
        let provider = self.engine.world.borrow().live_provider(id).cloned();
        if let Some(provider) = provider.filter(|provider| self.engine.handle.keys.is_locked(provider)) {
            let decided = self.engine.handle.keys.wait_for_unlock();
            self.engine.publish(&TransientEvent::KeyWanted { provider: provider.id });
            // Without an answer the call continues without a key.
            let _decided = decided.await.is_ok();
        }
    }

    /// Makes one attempt, for a turn or a job, once the codec of the provider's family is loaded.
    async fn send_attempt(
        &self,
        prepared: Result<Prepared, ProviderError>,
        at: Option<&CallAttempt>,
        record: &Record<'_>,
    ) -> CallOutcome {
        let prepared = prepared.map_err(FailedAttempt::unmade)?;
        let codec = self.engine.parts.codec(prepared.0.protocol).await;
        let codec = codec.map_err(|error| FailedAttempt::unmade(error.into()))?;
        stream(self, at, codec, prepared, record).await
    }

    /// A failed attempt with its number, and with a retry if one may help. A failure that concerns all requests to the
    /// provider delays those too.
    fn with_retry(
        &self,
        provider: &ProviderId,
        failed: FailedAttempt,
        attempt: u32,
        shown: bool,
        seed: &dyn Display,
    ) -> FailedAttempt {
        let jitter = jitter(seed, attempt, self.engine.now());
        let retry_in_ms = wait_before_next(&failed.failure, attempt, shown, jitter);
        if let (Some(wait_ms), true) = (retry_in_ms, is_provider_wide(&failed.failure)) {
            self.limiter.back_off(provider, wait_ms);
        }
        FailedAttempt { attempt, retry_in_ms, ..failed }
    }

    /// Where to call this model of the provider, or why that cannot be done.
    fn endpoint(&self, provider: &Provider, model: &str) -> Result<Endpoint, ProviderError> {
        if model.is_empty() {
            return Err(missing(NO_MODEL));
        }
        let keys = &self.engine.handle.keys;
        let key = keys.key(provider);
        if provider.needs_key && key.is_none() {
            return Err(missing(if keys.is_locked(provider) { KEY_LOCKED } else { NO_KEY }));
        }
        Ok(Endpoint { base_url: provider.base_url.clone(), key })
    }

    /// The provider, prompt and endpoint of an attempt, or why it cannot be made.
    fn prepare(&self, at: &CallAttempt) -> Result<Prepared, ProviderError> {
        let world = self.engine.world.borrow();
        let turn = world.turn(&at.turn).ok_or_else(|| missing("The turn is not loaded."))?;
        let provider = world
            .live_provider(&turn.config.provider)
            .ok_or_else(|| missing("The agent's provider is not set up on this device."))?;
        let asker = world.agent(&turn.agent).zip(world.session(&turn.session));
        let permissions = asker.map(|(agent, session)| EffectivePermissions::of(&world, session, agent));
        if !permissions.is_some_and(|permissions| permissions.allow_provider(&provider.id)) {
            return Err(missing("The agent may not use this provider."));
        }
        let endpoint = self.endpoint(provider, &turn.config.model)?;
        let call = turn
            .calls
            .get(usize::try_from(at.call).unwrap_or(usize::MAX))
            .ok_or_else(|| missing("The call's context is not loaded."))?;
        let mut prompt = prompt_of(&world, turn, &call.recipe)
            .ok_or_else(|| missing("A part of the call's context is no longer on this device."))?;
        adapt_to_errors(&mut prompt, &call.failures);
        Ok((provider.clone(), prompt, endpoint))
    }
}

fn missing(what: &str) -> ProviderError {
    ProviderError::new(ProviderErrorKind::NotSetUp, what)
}

/// Pseudo-random number below 1000 from a seed, the attempt and the time.
fn jitter(seed: &dyn Display, attempt: u32, now: Millis) -> u64 {
    let digits = ContentHash::of_text(&format!("{seed} {attempt} {}", now.0)).to_string();
    digits.bytes().fold(0u64, |sum, byte| sum.wrapping_mul(31).wrapping_add(u64::from(byte))) % 1_000
}

/// True if the operator retries a turn: the run was opened for that, or has another turn of the same node and round.
fn is_retried(world: &World, turn: &Turn) -> bool {
    let cause = world.run_of(turn).map(|run| run.cause);
    let before = |other: &Turn| {
        other.id != turn.id && (other.run, &other.node, other.round) == (turn.run, &turn.node, turn.round)
    };
    matches!(cause, Some(RunCause::Retry(_))) || world.turns.values().any(|other| before(other))
}

pub(crate) struct OneShotRequest {
    pub(crate) provider: ProviderId,
    pub(crate) prompt: Prompt,
    pub(crate) attempt: u32,
    /// True if the operator waits for it: then a locked key is prompted for.
    pub(crate) is_interactive: bool,
    /// The turn under which the inspector stores the request and the raw answer, if any.
    pub(crate) stored_under: Option<TurnId>,
}

impl ModelClient {
    /// Sends one request. Shows and stores nothing before the answer is complete. Dropping the future aborts the
    /// request.
    pub(crate) async fn send_once(self, request: OneShotRequest) -> CallOutcome {
        let OneShotRequest { provider: id, prompt, attempt, is_interactive, stored_under } = request;
        if is_interactive {
            self.unlock(&id).await;
        }
        self.engine.pause(self.limiter.wait_ms(&id)).await;
        // The last slot is reserved for direct questions to an agent.
        let permit = Rc::clone(&self.limiter).acquire(&id, false).await;
        let record =
            |request: &HttpRequest| self.raw_responses.record(stored_under?, 0, attempt, request, true);
        let prepared = self.prepare_once(&id, prompt);
        let outcome = self.send_attempt(prepared, None, &record).await;
        drop(permit);
        outcome.map_err(|failed| self.with_retry(&id, failed, attempt, false, &id))
    }

    fn prepare_once(&self, id: &ProviderId, prompt: Prompt) -> Result<Prepared, ProviderError> {
        let world = self.engine.world.borrow();
        let provider =
            world.live_provider(id).ok_or_else(|| missing("The provider is not set up on this device."))?;
        let endpoint = self.endpoint(provider, &prompt.config.model)?;
        Ok((provider.clone(), prompt, endpoint))
    }
}
