//! Decides when a failed model call is retried, and limits the calls of each provider, for all agents of all sessions together.
//!
//! The provider's hint counts, else exponential backoff with jitter. The limiter allows a few calls at a time, keeps the
//! last slot for what the operator asks one agent directly, and blocks all calls while the provider asks to wait.

use std::cell::RefCell;
use std::rc::Rc;

use futures_channel::oneshot;
use nexus_model::id::{Millis, ProviderId};
use nexus_model::limits::{CALLS_AT_A_TIME, RATE_LIMIT_WAITS_MS, RETRIES, RETRY_BASE_MS, RETRY_CAP_MS};
use nexus_model::provider::failure::{ProviderError, ProviderErrorKind, TOKEN_LIMIT};

use crate::port::Clock;
use nexus_text::small_sort::SmallSort as _;
use nexus_text::vec_map::VecMap;

/// How long to wait before attempt `attempt + 1`, in milliseconds; `None` to give up and ask the operator.
///
/// Once text was `shown`, a call is never repeated by itself: the reader decides. `chance` is a random number below
/// 1000.
pub(crate) fn wait_before_next(
    failure: &ProviderError,
    attempt: u32,
    shown: bool,
    chance: u64,
) -> Option<u64> {
    if shown {
        return None;
    }
    let again = |tries: u32| attempt <= tries;
    let wait = match failure.category {
        ProviderErrorKind::RateLimit | ProviderErrorKind::Overloaded | ProviderErrorKind::Server
            if failure.retry_after_ms.is_some() =>
        {
            // What others do meanwhile should not come all at once, so a little is added and nothing taken away.
            let asked = failure.retry_after_ms.unwrap_or_default();
            (again(RETRIES) && asked <= RETRY_CAP_MS).then(|| asked.saturating_add(chance / 4))
        }
        ProviderErrorKind::RateLimit => {
            let place = usize::try_from(attempt.saturating_sub(1)).unwrap_or(usize::MAX);
            RATE_LIMIT_WAITS_MS.get(place).map(|wait| wait.saturating_add(chance / 4))
        }
        ProviderErrorKind::Overloaded | ProviderErrorKind::Server => {
            again(RETRIES).then(|| jittered(attempt, chance))
        }
        ProviderErrorKind::CutOff if failure.code.as_deref() == Some(TOKEN_LIMIT) => None,
        // Waiting rarely helps these: once, in case it was a hiccup.
        ProviderErrorKind::Unreachable | ProviderErrorKind::Empty | ProviderErrorKind::CutOff => {
            again(1).then(|| jittered(attempt, chance))
        }
        ProviderErrorKind::Garbled if is_about_calls(failure) => again(1).then(|| jittered(attempt, chance)),
        ProviderErrorKind::BadRequest if is_about_signatures(failure) => again(1).then_some(0),
        ProviderErrorKind::Authentication
        | ProviderErrorKind::Permission
        | ProviderErrorKind::Quota
        | ProviderErrorKind::BadRequest
        | ProviderErrorKind::NotFound
        | ProviderErrorKind::ContextOverflow
        | ProviderErrorKind::Blocked
        | ProviderErrorKind::Stalled
        | ProviderErrorKind::Garbled
        | ProviderErrorKind::NotSetUp => None,
    };
    wait.map(|wait| wait.min(RETRY_CAP_MS))
}

/// A random share of a span that doubles with each attempt: agents that failed together do not come back together.
fn jittered(attempt: u32, chance: u64) -> u64 {
    let span = RETRY_BASE_MS.saturating_mul(1 << attempt.min(10)).min(RETRY_CAP_MS);
    span.saturating_mul(chance.min(999)) / 1_000
}

/// Whether all that call the provider should wait, and not only the call that failed.
pub(crate) fn closes_the_door(failure: &ProviderError) -> bool {
    failure.category == ProviderErrorKind::RateLimit
        || (failure.category == ProviderErrorKind::Overloaded && failure.retry_after_ms.is_some())
}

/// Whether the provider refused the opaque data that came with older answers: Gemini's thought signatures, Anthropic's
/// signed thinking, the encrypted reasoning of Responses.
/// Without that data the conversation is still whole.
pub(crate) fn is_about_signatures(failure: &ProviderError) -> bool {
    // Some hosts quote field names, some do not.
    let words = failure.message.to_lowercase().replace('`', "");
    let is_named = failure.code.as_deref() == Some("invalid_encrypted_content");
    let is_told = [
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
        && (is_named || is_told.iter().any(|sign| words.contains(sign)))
}

/// Whether the provider could not read what the model wrote, a call of a tool most of the time, and names that by a code:
/// Gemini's `MALFORMED_FUNCTION_CALL`, Groq's `tool_use_failed`. Once told, a model mostly gets it right.
pub(crate) fn is_about_calls(failure: &ProviderError) -> bool {
    failure.category == ProviderErrorKind::Garbled && failure.code.is_some()
}

/// The wait that headers ask for, in milliseconds: `retry-after-ms`, else `Retry-After` in seconds or as a date.
pub(crate) fn hint_in_headers(ms: Option<&str>, after: Option<&str>, now: Millis) -> Option<u64> {
    let number =
        |text: &str| text.trim().parse::<f64>().ok().filter(|number| number.is_finite() && *number >= 0.0);
    let in_ms = ms.and_then(number).map(|ms| ms.ceil() as u64);
    in_ms.or_else(|| {
        let after = after?;
        match number(after) {
            Some(seconds) => Some((seconds * 1_000.0).ceil() as u64),
            None => http_date(after.trim()).map(|at| at.0.saturating_sub(now.0)),
        }
    })
}

/// A date as HTTP writes it: `Sun, 06 Nov 1994 08:49:37 GMT`.
fn http_date(text: &str) -> Option<Millis> {
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let (_, date) = text.split_once(", ")?;
    let mut words = date.split(' ');
    let day: u64 = words.next()?.parse().ok()?;
    let month = words.next()?;
    let month = u64::try_from(MONTHS.iter().position(|name| *name == month)?).ok()? + 1;
    let year: u64 = words.next()?.parse().ok().filter(|year| (1970..10_000).contains(year))?;
    let mut clock = words.next()?.split(':').map(str::parse::<u64>);
    let mut unit = |below: u64| clock.next()?.ok().filter(|value| *value < below);
    let (hour, minute, second) = (unit(24)?, unit(60)?, unit(61)?);
    if words.next() != Some("GMT") || !(1..=31).contains(&day) {
        return None;
    }
    // Years that begin in March have their leap day at the end.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days = year * 365 + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day - 1;
    let seconds = days.checked_sub(719_468)? * 86_400 + hour * 3_600 + minute * 60 + second;
    Some(Millis(seconds * 1_000))
}

/// The longest single sleep of a wait, in milliseconds: a machine that slept wakes to the clock, not to the timer.
const SLICE_MS: u64 = 1_000;

pub(crate) struct CallLimiter {
    clock: Rc<dyn Clock>,
    doors: RefCell<VecMap<ProviderId, ProviderQueue>>,
}

#[derive(Default)]
struct ProviderQueue {
    /// Until when the provider asks all to wait.
    until: Millis,
    /// Calls that are under way.
    inside: usize,
    /// Who waits for a place, and whether it is for a direct question.
    waiting: Vec<(bool, oneshot::Sender<()>)>,
}

impl CallLimiter {
    pub(crate) fn new(clock: Rc<dyn Clock>) -> Rc<Self> {
        Rc::new(Self { clock, doors: RefCell::default() })
    }

    /// How long the provider asks all to wait, in milliseconds from now.
    pub(crate) fn wait_ms(&self, provider: &ProviderId) -> u64 {
        let doors = self.doors.borrow();
        doors.get(provider).map_or(0, |door| door.until.0.saturating_sub(self.clock.now().0))
    }

    pub(crate) fn close(&self, provider: &ProviderId, wait_ms: u64) {
        let until = Millis(self.clock.now().0.saturating_add(wait_ms));
        let mut doors = self.doors.borrow_mut();
        let door = doors.get_or_insert_with(provider.clone(), ProviderQueue::default);
        door.until = door.until.max(until);
    }

    /// The provider has answered a call that did not wait: there is nothing to wait for any more.
    pub(crate) fn open(&self, provider: &ProviderId) {
        if let Some(door) = self.doors.borrow_mut().get_mut(provider) {
            door.until = Millis(0);
        }
    }

    /// Waits for a place among the calls that are under way. Dropping the pass gives the place back.
    pub(crate) async fn enter(self: Rc<Self>, provider: &ProviderId, direct: bool) -> CallPermit {
        loop {
            let freed = {
                let mut doors = self.doors.borrow_mut();
                let door = doors.get_or_insert_with(provider.clone(), ProviderQueue::default);
                let places = if direct { CALLS_AT_A_TIME } else { CALLS_AT_A_TIME - 1 };
                if door.inside < places {
                    door.inside += 1;
                    return CallPermit { limiter: Rc::clone(&self), provider: provider.clone() };
                }
                let (sender, freed) = oneshot::channel();
                door.waiting.push((direct, sender));
                freed
            };
            // The sender goes when it is time to look again.
            freed.await.unwrap_or(());
        }
    }
}

/// A place among the calls that are under way.
pub(crate) struct CallPermit {
    limiter: Rc<CallLimiter>,
    provider: ProviderId,
}

impl Drop for CallPermit {
    fn drop(&mut self) {
        let mut doors = self.limiter.doors.borrow_mut();
        let Some(door) = doors.get_mut(&self.provider) else { return };
        door.inside = door.inside.saturating_sub(1);
        let mut waiting = std::mem::take(&mut door.waiting);
        drop(doors);
        // All look again, direct questions first: one that was told and went away must not keep the place.
        waiting.small_sort_by_key(|(direct, _)| !direct);
        waiting.into_iter().for_each(|(_, sender)| drop(sender));
    }
}

/// Ends at that time by the clock, also where the machine slept in between.
pub(crate) async fn sleep_until(clock: &dyn Clock, at: Millis) {
    loop {
        let left = at.0.saturating_sub(clock.now().0);
        if left == 0 {
            return;
        }
        clock.sleep(left.min(SLICE_MS)).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(category: ProviderErrorKind) -> ProviderError {
        ProviderError::new(category, "")
    }

    #[test]
    fn passing_failures_are_tried_again_twice_others_are_not() {
        use ProviderErrorKind::*;
        let tries = |category| {
            (1..=5)
                .take_while(|attempt| wait_before_next(&failure(category), *attempt, false, 500).is_some())
                .count()
        };
        assert_eq!([Overloaded, Server, RateLimit].map(tries), [2, 2, 2]);
        assert_eq!([Unreachable, Empty, CutOff].map(tries), [1, 1, 1]);
        let never =
            [Authentication, Permission, Quota, BadRequest, NotFound, ContextOverflow, Blocked, Stalled];
        assert_eq!(never.map(tries), [0; 8]);
    }

    #[test]
    fn the_share_of_the_span_is_left_to_chance() {
        let wait =
            |attempt, chance| wait_before_next(&failure(ProviderErrorKind::Server), attempt, false, chance);
        assert_eq!((wait(1, 0), wait(1, 500), wait(1, 999)), (Some(0), Some(1_000), Some(1_998)));
        assert_eq!((wait(2, 0), wait(2, 999)), (Some(0), Some(3_996)));
    }

    #[test]
    fn too_many_requests_without_a_hint_wait_5_and_15_seconds_and_then_ask() {
        let wait = |attempt| wait_before_next(&failure(ProviderErrorKind::RateLimit), attempt, false, 0);
        assert_eq!([1, 2, 3].map(wait), [Some(5_000), Some(15_000), None]);
    }

    #[test]
    fn text_that_was_shown_is_never_taken_back_by_a_retry() {
        assert!(wait_before_next(&failure(ProviderErrorKind::Server), 1, true, 0).is_none());
    }

    #[test]
    fn the_providers_hint_counts_up_to_the_cap() {
        let mut limited = failure(ProviderErrorKind::RateLimit);
        limited.retry_after_ms = Some(34_400);
        assert_eq!(wait_before_next(&limited, 1, false, 8), Some(34_402));
        limited.retry_after_ms = Some(60_000);
        assert_eq!(wait_before_next(&limited, 1, false, 999), Some(60_000));
        limited.retry_after_ms = Some(3_600_000);
        assert_eq!(wait_before_next(&limited, 1, false, 0), None);
    }

    #[test]
    fn headers_tell_the_wait_in_milliseconds_seconds_or_as_a_date() {
        let now = Millis(784_111_777_000);
        let of = |ms, after| hint_in_headers(ms, after, now);
        assert_eq!(of(Some("1500"), Some("9")), Some(1_500));
        assert_eq!(of(None, Some("7")), Some(7_000));
        assert_eq!(of(None, Some(" 1.5 ")), Some(1_500));
        assert_eq!(of(None, Some("Sun, 06 Nov 1994 08:49:37 GMT")), Some(0));
        assert_eq!(of(None, Some("Sun, 06 Nov 1994 08:50:07 GMT")), Some(30_000));
        assert_eq!(of(None, Some("Sat, 29 Feb 2020 00:00:00 GMT")), Some(1_582_934_400_000 - now.0));
        for nonsense in [
            "",
            "soon",
            "-3",
            "NaN",
            "inf",
            "Sun, 06 Nov",
            "Sun, 99 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 08:49:37 CET",
        ] {
            assert_eq!(of(Some("x"), Some(nonsense)), None, "{nonsense}");
        }
    }

    #[test]
    fn a_call_that_the_provider_could_not_read_is_asked_for_once_more_and_a_page_is_not() {
        let mut garbled = failure(ProviderErrorKind::Garbled);
        assert_eq!(wait_before_next(&garbled, 1, false, 500), None);
        garbled.code = Some("MALFORMED_FUNCTION_CALL".into());
        assert_eq!(
            [1, 2].map(|attempt| wait_before_next(&garbled, attempt, false, 500)),
            [Some(1_000), None]
        );
    }

    #[test]
    fn a_refused_signature_is_sent_without_once() {
        let mut refused = failure(ProviderErrorKind::BadRequest);
        refused.message = "Thought signature is not valid".into();
        assert_eq!(wait_before_next(&refused, 1, false, 500), Some(0));
        assert_eq!(wait_before_next(&refused, 2, false, 500), None);
    }
}
