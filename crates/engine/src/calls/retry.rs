//! Decides when a failed model call is retried, and limits the calls of each provider, for all agents of all sessions
//! together.
//!
//! Uses the provider's hint, else exponential backoff with jitter. The limiter allows a few calls at a time, reserves
//! the last slot for direct questions to one agent, and blocks all calls while the provider asks to wait.

use crate::prelude::*;
use futures_channel::oneshot;
use nexus_model::command::FailedAttempt;
use nexus_model::limits::{CALLS_AT_A_TIME, RATE_LIMIT_WAITS_MS, RETRIES, RETRY_BASE_MS, RETRY_CAP_MS};
use nexus_model::provider::TOKEN_LIMIT;

/// Delay before attempt `attempt + 1`, in milliseconds; `None` to give up and ask the operator.
///
/// A call is not retried once text was `shown`: the reader decides. `random` is a number below 1000.
pub(crate) fn wait_before_next(
    failure: &ProviderError,
    attempt: u32,
    shown: bool,
    random: u64,
) -> Option<u64> {
    if shown {
        return None;
    }
    let may_retry = |tries: u32| attempt <= tries;
    let wait = match failure.category {
        ProviderErrorKind::RateLimit | ProviderErrorKind::Overloaded | ProviderErrorKind::Server
            if failure.retry_after_ms.is_some() =>
        {
            // Jitter is only added: never wait less than asked.
            let hint = failure.retry_after_ms.unwrap_or_default();
            (may_retry(RETRIES) && hint <= RETRY_CAP_MS).then(|| hint.saturating_add(random / 4))
        }
        ProviderErrorKind::RateLimit => {
            let index = usize::try_from(attempt.saturating_sub(1)).unwrap_or(usize::MAX);
            RATE_LIMIT_WAITS_MS.get(index).map(|wait| wait.saturating_add(random / 4))
        }
        ProviderErrorKind::Overloaded | ProviderErrorKind::Server => {
            may_retry(RETRIES).then(|| jittered(attempt, random))
        }
        ProviderErrorKind::CutOff if failure.code.as_deref() == Some(TOKEN_LIMIT) => None,
        ProviderErrorKind::Garbled if !is_malformed_call(failure) => None,
        // Waiting rarely helps here: one retry in case of a glitch.
        ProviderErrorKind::Unreachable
        | ProviderErrorKind::Empty
        | ProviderErrorKind::CutOff
        | ProviderErrorKind::Garbled => may_retry(1).then(|| jittered(attempt, random)),
        ProviderErrorKind::BadRequest if is_signature_error(failure) => may_retry(1).then_some(0),
        ProviderErrorKind::Authentication
        | ProviderErrorKind::Permission
        | ProviderErrorKind::Quota
        | ProviderErrorKind::BadRequest
        | ProviderErrorKind::NotFound
        | ProviderErrorKind::ContextOverflow
        | ProviderErrorKind::Blocked
        | ProviderErrorKind::Stalled
        | ProviderErrorKind::NotSetUp => None,
    };
    wait.map(|wait| wait.min(RETRY_CAP_MS))
}

/// Records that a call could not be made at all.
pub(crate) fn unmade_call(turn: TurnId, call: u32, failure: ProviderError) -> Command {
    Command::RecordFailure { turn, call, failed: FailedAttempt::unmade(failure), parts: Vec::new() }
}

/// A random part of a span that doubles with each attempt, so that agents do not retry at the same time.
fn jittered(attempt: u32, random: u64) -> u64 {
    let span = RETRY_BASE_MS.saturating_mul(1 << attempt.min(10)).min(RETRY_CAP_MS);
    span.saturating_mul(random.min(999)) / 1_000
}

/// True if all calls to the provider must wait, not only the failed one.
pub(crate) fn is_provider_wide(failure: &ProviderError) -> bool {
    failure.category == ProviderErrorKind::RateLimit
        || (failure.category == ProviderErrorKind::Overloaded && failure.retry_after_ms.is_some())
}

/// True if the provider rejected opaque data of older answers: Gemini's thought signatures, Anthropic's signed
/// thinking, the encrypted reasoning of Responses. The conversation is complete without it.
pub(crate) fn is_signature_error(failure: &ProviderError) -> bool {
    // Some hosts quote field names, some do not.
    let message = failure.message.to_lowercase().replace('`', "");
    let has_code = failure.code.as_deref() == Some("invalid_encrypted_content");
    let phrases = [
        "thought signature",
        "thought_signature",
        "thoughtsignature",
        "invalid signature",
        "encrypted content",
        "encrypted_content",
        "redacted_thinking blocks",
        "thinking blocks cannot be modified",
        "expected thinking or redacted_thinking",
    ];
    failure.category == ProviderErrorKind::BadRequest
        && (has_code || phrases.iter().any(|phrase| message.contains(phrase)))
}

/// True if the provider could not parse what the model wrote, mostly a tool call, and says so by a code: Gemini's
/// `MALFORMED_FUNCTION_CALL`, Groq's `tool_use_failed`. Models mostly get it right after the error message.
pub(crate) fn is_malformed_call(failure: &ProviderError) -> bool {
    failure.category == ProviderErrorKind::Garbled && failure.code.is_some()
}

/// The delay in headers, in milliseconds: `retry-after-ms`, else `Retry-After` in seconds or as a date.
pub(crate) fn hint_in_headers(ms: Option<&str>, after: Option<&str>, now: Millis) -> Option<u64> {
    let number = |text: &str| json::number(text.trim()).filter(|number| *number >= 0.0);
    let in_ms = ms.and_then(number).map(|ms| ms.ceil() as u64);
    in_ms.or_else(|| {
        let after = after?;
        match number(after) {
            Some(seconds) => Some((seconds * 1_000.0).ceil() as u64),
            None => http_date(after.trim()).map(|at| at.0.saturating_sub(now.0)),
        }
    })
}

/// Parses an HTTP date: `Sun, 06 Nov 1994 08:49:37 GMT`.
fn http_date(text: &str) -> Option<Millis> {
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let (_, date) = text.split_once(", ")?;
    let mut words = date.split(' ');
    let day = words.next()?.parse().ok()?;
    let month = words.next()?;
    let month = u64::try_from(MONTHS.iter().position(|name| *name == month)?).ok()? + 1;
    let year = words.next()?.parse().ok()?;
    let mut clock = words.next()?.split(':').map_while(|part| part.parse().ok());
    let clock = [clock.next()?, clock.next()?, clock.next()?];
    Millis::of_utc([year, month, day], clock).filter(|_| words.next() == Some("GMT"))
}

/// Longest single sleep in milliseconds: after a suspend, the clock counts, not the timer.
const SLICE_MS: u64 = 1_000;

pub(crate) struct CallLimiter {
    clock: Rc<dyn Clock>,
    queues: RefCell<VecMap<ProviderId, ProviderQueue>>,
}

#[derive(Default)]
struct ProviderQueue {
    until: Millis,
    running: usize,
    /// Senders that wake waiting calls, and whether each call is direct.
    waiting: Vec<(bool, oneshot::Sender<()>)>,
}

impl CallLimiter {
    pub(crate) fn new(clock: Rc<dyn Clock>) -> Rc<Self> {
        Rc::new(Self { clock, queues: RefCell::default() })
    }

    pub(crate) fn wait_ms(&self, provider: &ProviderId) -> u64 {
        let queues = self.queues.borrow();
        queues.get(provider).map_or(0, |queue| queue.until.0.saturating_sub(self.clock.now().0))
    }

    pub(crate) fn back_off(&self, provider: &ProviderId, wait_ms: u64) {
        let until = Millis(self.clock.now().0.saturating_add(wait_ms));
        let mut queues = self.queues.borrow_mut();
        let queue = queues.get_or_insert_with(provider.clone(), ProviderQueue::default);
        queue.until = queue.until.max(until);
    }

    /// Ends the back-off: the provider answered a call that did not wait.
    pub(crate) fn reset(&self, provider: &ProviderId) {
        if let Some(queue) = self.queues.borrow_mut().get_mut(provider) {
            queue.until = Millis(0);
        }
    }

    /// Waits for a free slot. Dropping the permit releases it.
    pub(crate) async fn acquire(self: Rc<Self>, provider: &ProviderId, direct: bool) -> CallPermit {
        loop {
            let freed = {
                let mut queues = self.queues.borrow_mut();
                let queue = queues.get_or_insert_with(provider.clone(), ProviderQueue::default);
                let slots = if direct { CALLS_AT_A_TIME } else { CALLS_AT_A_TIME - 1 };
                if queue.running < slots {
                    queue.running += 1;
                    return CallPermit { limiter: Rc::clone(&self), provider: provider.clone() };
                }
                let (sender, freed) = oneshot::channel();
                queue.waiting.push((direct, sender));
                freed
            };
            // The sender is dropped when the call must check again.
            freed.await.unwrap_or(());
        }
    }
}

pub(crate) struct CallPermit {
    limiter: Rc<CallLimiter>,
    provider: ProviderId,
}

impl Drop for CallPermit {
    fn drop(&mut self) {
        let mut queues = self.limiter.queues.borrow_mut();
        let Some(queue) = queues.get_mut(&self.provider) else { return };
        queue.running = queue.running.saturating_sub(1);
        let mut waiting = std::mem::take(&mut queue.waiting);
        drop(queues);
        // All check again, direct calls first: waking only one would lose the slot if that call was cancelled.
        waiting.small_sort_by_key(|(direct, _)| !direct);
        waiting.into_iter().for_each(|(_, sender)| drop(sender));
    }
}

/// Sleeps until that time by the clock, also across a suspend.
pub(crate) async fn sleep_until(clock: &dyn Clock, at: Millis) {
    loop {
        let remaining = at.0.saturating_sub(clock.now().0);
        if remaining == 0 {
            return;
        }
        clock.sleep(remaining.min(SLICE_MS)).await;
    }
}

#[cfg(test)]
mod tests;
