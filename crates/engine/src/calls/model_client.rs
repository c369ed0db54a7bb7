//! The model client: on `llm.requests` sends a recipe's request, streams the answer and records the result.
//!
//! Received text is stored while it streams. Closing the turn drops the call and with it the fetch. Never decides
//! what follows an answer.
//!
//! Calls that belong to no turn ([`ModelClient::ask_once`]) pass the same rate limiter, codecs and time limits. Their answers are
//! never shown or stored here.

mod stream;

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use futures_channel::mpsc::UnboundedReceiver;
use futures_util::future::{AbortHandle, Abortable};
use futures_util::{FutureExt as _, StreamExt as _};

use crate::calls::model_client::stream::{CallOutcome, stream};
use crate::calls::prompt::{learn, prompt_of};
use crate::calls::retry::{CallLimiter, closes_the_door, sleep_until, wait_before_next};
use crate::client::EngineContext;
use crate::port::Http;
use crate::store::raw_responses::{RawResponseStore, ResponseRecorder};
use nexus_model::agent::permission::EffectivePermissions;
use nexus_model::command::{Command, PartialMessages, RecordedAnswer};
use nexus_model::event::{Event, EventKind};
use nexus_model::id::{MessageId, Millis, ProviderId, SessionId, TurnId};
use nexus_model::llm::{Prompt, Usage};
use nexus_model::message::content::PartBody;
use nexus_model::message::{MessageStatus, Role};
use nexus_model::provider::Provider;
use nexus_model::provider::failure::{NO_KEY, ProviderError, ProviderErrorKind};
use nexus_model::run::RunCause;
use nexus_model::signal::TransientEvent;
use nexus_model::turn::Turn;
use nexus_model::world::World;
use nexus_providers::codec::Codec;
use nexus_providers::http::{Endpoint, HttpRequest};
use nexus_text::content_hash::ContentHash;
use nexus_text::vec_map::VecMap;

#[derive(Clone)]
pub(crate) struct ModelClient {
    pub(crate) engine: EngineContext,
    pub(crate) http: Rc<dyn Http>,
    pub(crate) limiter: Rc<CallLimiter>,
    pub(crate) partials: Rc<RefCell<PartialMessages>>,
    pub(crate) keeper: Rc<RawResponseStore>,
}

/// A call that was asked for and has not ended.
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
    /// Whether the operator asks one agent and waits for it.
    direct: bool,
    /// Whether the operator asked for this turn again after it had failed.
    again: bool,
}

struct PreparedCall {
    codec: &'static Codec,
    provider: Provider,
    model: String,
    request: HttpRequest,
}

impl ModelClient {
    /// Serves requests until the bus is gone. `events` carries `llm.requests` and `turns.closed`.
    pub(crate) async fn serve(self, mut events: UnboundedReceiver<Arc<Event>>) {
        let mut calls: VecMap<TurnId, RunningCall> = VecMap::new();
        while let Some(event) = events.next().await {
            let Some(turn) = event.turn else { continue };
            match event.happening() {
                Some(EventKind::ModelRequested { call, attempt }) => {
                    let Some(attempt) = self.attempt(turn, *call, *attempt) else { continue };
                    let (abort, registration) = AbortHandle::new_pair();
                    let waits = Rc::new(Cell::new(false));
                    let older = calls.insert(turn, RunningCall { abort, waits: Rc::clone(&waits) });
                    // Whoever asks for a call that still waits for its time is the operator.
                    let insisted = attempt.again || older.as_ref().is_some_and(|older| older.waits.get());
                    if let Some(older) = older {
                        older.abort.abort();
                    }
                    let work = Abortable::new(self.clone().ask(attempt, insisted, waits), registration);
                    self.engine.ports.spawn.spawn(Box::pin(work.map(|_| ())));
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

    fn attempt(&self, turn: TurnId, call: u32, attempt: u32) -> Option<CallAttempt> {
        let world = self.engine.world.borrow();
        let row = world.turn(&turn)?;
        let message =
            row.messages.iter().rev().filter_map(|id| world.message(id)).find(|message| {
                message.role == Role::Assistant && message.status == MessageStatus::Processing
            })?;
        let direct = world.run_of(row).is_some_and(|run| run.nodes.len() == 1 && !run.keeps_going());
        let provider = row.config.provider.clone();
        let again = call == 0 && attempt == 1 && is_asked_again(&world, row);
        Some(CallAttempt {
            session: row.session,
            turn,
            call,
            attempt,
            message: message.id,
            provider,
            direct,
            again,
        })
    }

    fn forget_partials(&self, turn: TurnId) {
        let world = self.engine.world.borrow();
        if let Some(turn) = world.turn(&turn) {
            self.partials.borrow_mut().retain(|message, _| !turn.messages.contains(message));
        }
    }

    /// Asks once it is time, and waits for the next attempt where one is to follow.
    async fn ask(self, at: CallAttempt, insisted: bool, waits: Rc<Cell<bool>>) {
        // Before a place is taken: the operator may take their time.
        self.unlock(&at.provider).await;
        if !insisted && self.hold(&at, &waits).await {
            return;
        }
        let pass = Rc::clone(&self.limiter).enter(&at.provider, at.direct).await;
        // While it waited for a place, another call may have been told to wait.
        if !insisted && self.limiter.wait_ms(&at.provider) > 0 {
            drop(pass);
            self.hold(&at, &waits).await;
            return;
        }
        if at.attempt > 1 {
            self.partials.borrow_mut().remove(&at.message);
            self.engine.bus.show(&TransientEvent::Restarted { message: at.message });
        }
        let record = |request: &HttpRequest| self.keeper.record(at.turn, at.call, at.attempt, request);
        let outcome = self.send_attempt(self.prepare(&at), Some(&at), record).await;
        drop(pass);
        let (failure, usage) = match outcome {
            CallOutcome::Answered(answer) => {
                if insisted {
                    self.limiter.open(&at.provider);
                }
                drop(
                    self.engine
                        .handle
                        .send(Command::RecordAnswer { turn: at.turn, call: at.call, answer })
                        .await,
                );
                return;
            }
            CallOutcome::Failed(failure, usage) => (failure, usage),
        };
        let parts = self.partials.borrow().get(&at.message).cloned().unwrap_or_default();
        let shown =
            parts.iter().any(|part| matches!(&part.body, PartBody::Text { text } if !text.is_empty()));
        let retry_in_ms = self.retry_in_ms(&at.provider, &failure, at.attempt, shown, self.chance(&at));
        let command = Command::RecordFailure {
            turn: at.turn,
            call: at.call,
            attempt: at.attempt,
            failure,
            usage,
            parts,
            retry_in_ms,
        };
        if let (Ok(()), Some(wait_ms)) = (self.engine.handle.send(command).await, retry_in_ms) {
            self.wait_and_ask(&at, at.attempt.saturating_add(1), wait_ms, &waits).await;
        }
    }

    /// Lets the attempt wait where its provider asks all to wait. Says whether it did.
    async fn hold(&self, at: &CallAttempt, waits: &Cell<bool>) -> bool {
        let wait_ms = self.limiter.wait_ms(&at.provider);
        if wait_ms == 0 {
            return false;
        }
        // Those that waited together do not all come back at once.
        let wait_ms = wait_ms.saturating_add(self.chance(at) / 4);
        let (turn, call, attempt) = (at.turn, at.call, at.attempt);
        if self.engine.handle.send(Command::HoldCall { turn, call, attempt, wait_ms }).await.is_ok() {
            self.wait_and_ask(at, attempt, wait_ms, waits).await;
        }
        true
    }

    async fn wait_and_ask(&self, at: &CallAttempt, attempt: u32, wait_ms: u64, waits: &Cell<bool>) {
        waits.set(true);
        let due = Millis(self.engine.ports.clock.now().0.saturating_add(wait_ms));
        sleep_until(self.engine.ports.clock.as_ref(), due).await;
        waits.set(false);
        // A refusal means that the turn was stopped, or that the operator did not wait.
        drop(self.engine.handle.send(Command::RetryCall { turn: at.turn, call: at.call, attempt }).await);
    }

    /// A number below 1000 that is another one for each turn and each moment.
    fn chance(&self, at: &CallAttempt) -> u64 {
        chance(&format!("{} {}", at.turn, at.attempt), self.engine.ports.clock.now())
    }

    /// Where the key is under the passphrase, asks for that and waits. What closes meanwhile drops the wait.
    async fn unlock(&self, id: &ProviderId) {
        let provider = self.engine.world.borrow().live_provider(id).cloned();
        if let Some(provider) = provider.filter(|provider| self.engine.handle.keys.is_locked(provider)) {
            let decided = self.engine.handle.keys.decided();
            self.engine.bus.show(&TransientEvent::KeyWanted { provider: provider.id });
            // Without an answer the call goes on as without a key.
            let _decided = decided.await.is_ok();
        }
    }

    /// Makes one attempt, of a turn's call or of a job: asks as soon as the codec of the provider's family has come.
    async fn send_attempt(
        &self,
        prepared: Result<(Provider, Prompt, Endpoint), ProviderError>,
        at: Option<&CallAttempt>,
        record: impl FnOnce(&HttpRequest) -> Option<ResponseRecorder>,
    ) -> CallOutcome {
        let (provider, prompt, endpoint) = match prepared {
            Ok(prepared) => prepared,
            Err(failure) => return CallOutcome::Failed(failure, Usage::default()),
        };
        let codec = match self.engine.parts.codec(provider.protocol).await {
            Ok(codec) => codec,
            Err(lost) => {
                let failure = ProviderError::new(ProviderErrorKind::Unreachable, lost.to_string());
                return CallOutcome::Failed(failure, Usage::default());
            }
        };
        let request = (codec.encode)(&prompt, &endpoint);
        let recording = record(&request);
        stream(self, at, recording, PreparedCall { codec, provider, model: prompt.config.model, request })
            .await
    }

    /// After how long another attempt may help. Where a failure is about all who ask the provider, they wait, too.
    fn retry_in_ms(
        &self,
        provider: &ProviderId,
        failure: &ProviderError,
        attempt: u32,
        shown: bool,
        chance: u64,
    ) -> Option<u64> {
        let retry_in_ms = wait_before_next(failure, attempt, shown, chance);
        if let (Some(wait_ms), true) = (retry_in_ms, closes_the_door(failure)) {
            self.limiter.close(provider, wait_ms);
        }
        retry_in_ms
    }

    /// Where a provider is asked, with its key.
    fn endpoint(&self, provider: &Provider) -> Result<Endpoint, ProviderError> {
        let key = self.engine.handle.keys.key(provider);
        if provider.needs_key && key.is_none() {
            return Err(missing(NO_KEY));
        }
        Ok(Endpoint { base_url: provider.base_url.clone(), key })
    }

    /// Whom the attempt asks what, or why it cannot.
    fn prepare(&self, at: &CallAttempt) -> Result<(Provider, Prompt, Endpoint), ProviderError> {
        let world = self.engine.world.borrow();
        let turn = world.turn(&at.turn).ok_or_else(|| missing("The turn is not loaded."))?;
        let provider = world
            .live_provider(&turn.config.provider)
            .ok_or_else(|| missing("The agent's provider is not set up on this device."))?;
        let agent = world.agent(&turn.agent);
        let session = world.session(&turn.session);
        let standing =
            agent.zip(session).map(|(agent, session)| EffectivePermissions::of(&world, session, agent));
        let allowed = standing.is_some_and(|standing| standing.allow_provider(&provider.id));
        if !allowed {
            return Err(missing("The agent may not use this provider."));
        }
        let endpoint = self.endpoint(provider)?;
        let call = turn
            .calls
            .get(usize::try_from(at.call).unwrap_or(usize::MAX))
            .ok_or_else(|| missing("The call's context is not loaded."))?;
        let mut prompt = prompt_of(&world, turn, &call.recipe)
            .ok_or_else(|| missing("A part of the call's context is no longer on this device."))?;
        learn(&mut prompt, &call.failures);
        Ok((provider.clone(), prompt, endpoint))
    }
}

fn missing(what: &str) -> ProviderError {
    ProviderError::new(ProviderErrorKind::NotSetUp, what)
}

/// A number below 1000 that is another one for each seed and each moment.
fn chance(seed: &str, now: Millis) -> u64 {
    let digits = ContentHash::of_text(&format!("{seed} {}", now.0)).to_string();
    digits.bytes().fold(0u64, |sum, byte| sum.wrapping_mul(31).wrapping_add(u64::from(byte))) % 1_000
}

/// Whether the operator asked for a turn again: a failed one of the same node and round stands before it, or its run was
/// opened for that.
fn is_asked_again(world: &World, turn: &Turn) -> bool {
    let cause = world.run_of(turn).map(|run| run.cause);
    let before = |other: &Turn| {
        other.id != turn.id && (other.run, &other.node, other.round) == (turn.run, &turn.node, turn.round)
    };
    matches!(cause, Some(RunCause::Retry(_))) || world.turns.values().any(|other| before(other))
}

/// A question beside all turns.
pub(crate) struct OneShotRequest {
    pub(crate) provider: ProviderId,
    pub(crate) prompt: Prompt,
    /// Which attempt it is, from 1.
    pub(crate) attempt: u32,
    /// Whether the operator waits for it, so that a locked key is asked for.
    pub(crate) wanted: bool,
    /// The turn that it is kept for in the inspector, with the request and the answer as it comes; for nobody where
    /// absent.
    pub(crate) kept: Option<TurnId>,
}

/// Why there is no answer.
pub(crate) struct OneShotError {
    pub(crate) failure: ProviderError,
    /// What it used all the same.
    pub(crate) usage: Usage,
    /// After how long another attempt may help, in milliseconds.
    pub(crate) retry_in_ms: Option<u64>,
}

impl ModelClient {
    /// Asks once. Nothing of the answer is shown or kept on the way. Dropping the future aborts the request.
    pub(crate) async fn ask_once(self, question: OneShotRequest) -> Result<RecordedAnswer, OneShotError> {
        let OneShotRequest { provider: id, prompt, attempt, wanted, kept } = question;
        if wanted {
            self.unlock(&id).await;
        }
        let due = Millis(self.engine.ports.clock.now().0.saturating_add(self.limiter.wait_ms(&id)));
        sleep_until(self.engine.ports.clock.as_ref(), due).await;
        // Agents come first: the last place is theirs.
        let pass = Rc::clone(&self.limiter).enter(&id, false).await;
        let record = |request: &HttpRequest| self.keeper.record_whole(kept?, attempt, request);
        let prepared = self.place(&id, prompt);
        let outcome = self.send_attempt(prepared, None, record).await;
        drop(pass);
        match outcome {
            CallOutcome::Answered(answer) => Ok(answer),
            CallOutcome::Failed(failure, usage) => {
                let chance = chance(&format!("{id} {attempt}"), self.engine.ports.clock.now());
                let retry_in_ms = self.retry_in_ms(&id, &failure, attempt, false, chance);
                Err(OneShotError { failure, usage, retry_in_ms })
            }
        }
    }

    fn place(&self, id: &ProviderId, prompt: Prompt) -> Result<(Provider, Prompt, Endpoint), ProviderError> {
        let world = self.engine.world.borrow();
        let provider =
            world.live_provider(id).ok_or_else(|| missing("The provider is not set up on this device."))?;
        if prompt.config.model.is_empty() {
            return Err(missing("No model is chosen."));
        }
        Ok((provider.clone(), prompt, self.endpoint(provider)?))
    }
}
