//! Never waits and never sends.
//!
//! Owns when a failed model call is tried again, and after how long.

use crate::domain::failure::{Failure, FailureCategory};
use crate::domain::limits::{RETRIES, RETRY_CAP_MS};

/// How long to wait before attempt `attempt + 1`, in milliseconds; `None` to give up.
///
/// Once text was `shown`, a call is never repeated by itself: the reader decides. `jitter` is a number from 0 to 999
/// that spreads the retries of several agents.
pub(super) fn wait_before_next(failure: &Failure, attempt: u32, shown: bool, jitter: u64) -> Option<u64> {
    let tries = match failure.category {
        // Waiting rarely helps these: once, in case it was a hiccup.
        FailureCategory::Unreachable | FailureCategory::Empty | FailureCategory::CutOff => 1,
        FailureCategory::Garbled if failure.code.is_some() => 1,
        FailureCategory::RateLimit | FailureCategory::Overloaded | FailureCategory::Server => RETRIES,
        FailureCategory::Authentication
        | FailureCategory::Permission
        | FailureCategory::Quota
        | FailureCategory::BadRequest
        | FailureCategory::NotFound
        | FailureCategory::ContextOverflow
        | FailureCategory::Blocked
        | FailureCategory::Stalled
        | FailureCategory::Garbled
        | FailureCategory::NotSetUp => 0,
    };
    if shown || attempt > tries {
        return None;
    }
    if let Some(asked) = failure.retry_after_ms {
        return (asked <= RETRY_CAP_MS).then(|| asked.saturating_add(jitter));
    }
    let doubled = 1_000u64.saturating_mul(1 << attempt.saturating_sub(1).min(10));
    // Half fixed, half by chance: agents that failed together do not come back together.
    Some((doubled / 2).saturating_add(doubled.saturating_mul(jitter) / 1_000).min(RETRY_CAP_MS))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(category: FailureCategory) -> Failure {
        Failure::new(category, "")
    }

    #[test]
    fn passing_failures_are_tried_again_others_are_not() {
        assert!(wait_before_next(&failure(FailureCategory::Overloaded), 1, false, 0).is_some());
        assert!(wait_before_next(&failure(FailureCategory::Overloaded), 3, false, 0).is_none());
        assert!(wait_before_next(&failure(FailureCategory::Authentication), 1, false, 0).is_none());
        assert!(wait_before_next(&failure(FailureCategory::Unreachable), 2, false, 0).is_none());
    }

    #[test]
    fn text_that_was_shown_is_never_taken_back_by_a_retry() {
        assert!(wait_before_next(&failure(FailureCategory::Server), 1, true, 0).is_none());
    }

    #[test]
    fn the_providers_hint_counts_up_to_the_cap() {
        let mut limited = failure(FailureCategory::RateLimit);
        limited.retry_after_ms = Some(34_400);
        assert_eq!(wait_before_next(&limited, 1, false, 7), Some(34_407));
        limited.retry_after_ms = Some(3_600_000);
        assert_eq!(wait_before_next(&limited, 1, false, 0), None);
    }
}
