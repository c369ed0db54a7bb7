//! Decides retries of model calls: schedule, send, send now, or give up.

use super::{Decider, Rejection};
use crate::decide::turn::TurnOutcome;
use crate::event::{EventKind, PartialMessage};
use crate::id::TurnId;
use crate::provider::failure::{ProviderError, ProviderErrorKind};
use crate::turn::{PendingRetry, Turn, TurnEnd, TurnPhase};

const ASKED: [TurnPhase; 2] = [TurnPhase::AwaitingLlmDecision, TurnPhase::GeneratingResponse];

impl<'w> Decider<'w, '_, '_> {
    /// The turn whose newest call waits for its time.
    fn waiting_turn(&self, id: TurnId) -> Result<(&'w Turn, u32, PendingRetry), Rejection> {
        let turn = self.world.turn(&id).ok_or(Rejection::NoSuchTurn)?;
        let newest = turn.calls.len().checked_sub(1).and_then(|newest| u32::try_from(newest).ok());
        let waits = turn.retry().filter(|_| ASKED.contains(&turn.phase));
        newest.zip(waits).map(|(call, retry)| (turn.as_ref(), call, retry)).ok_or(Rejection::Stale)
    }

    /// An attempt was asked for, but its provider asks all to wait.
    pub(super) fn hold_call(
        &mut self,
        id: TurnId,
        call: u32,
        attempt: u32,
        wait_ms: u64,
    ) -> Result<(), Rejection> {
        let turn = self.turn_at(id, call, &ASKED)?;
        if turn.calls.last().is_none_or(|call| call.attempts != attempt || call.retry.is_some()) {
            return Err(Rejection::Stale);
        }
        self.note_turn(turn, EventKind::RetryScheduled { call, attempt, wait_ms });
        Ok(())
    }

    /// The wait of an attempt is over.
    pub(super) fn retry_call(&mut self, id: TurnId, call: u32, attempt: u32) -> Result<(), Rejection> {
        let (turn, newest, retry) = self.waiting_turn(id)?;
        if (newest, retry.attempt) != (call, attempt) {
            return Err(Rejection::Stale);
        }
        self.note_turn(turn, EventKind::ModelRequested { call, attempt });
        Ok(())
    }

    /// The operator does not want to wait for it.
    pub(super) fn retry_now(&mut self, id: TurnId) -> Result<(), Rejection> {
        let (turn, call, retry) = self.waiting_turn(id)?;
        self.note_turn(turn, EventKind::ModelRequested { call, attempt: retry.attempt });
        Ok(())
    }

    /// The operator gives the call up: the turn ends with what made it wait, and the next agent has its turn.
    pub(super) fn stop_waiting(&mut self, id: TurnId) -> Result<(), Rejection> {
        let (turn, ..) = self.waiting_turn(id)?;
        let session = self.session(turn.session)?;
        let failure = turn.calls.last().and_then(|call| call.failures.last()).cloned().unwrap_or_else(|| {
            ProviderError::new(
                ProviderErrorKind::RateLimit,
                "The provider asked to wait, and you did not want to.",
            )
        });
        let parts = self.open_message(turn).and_then(|message| self.moment.partials.get(&message.id));
        let parts = parts.cloned().unwrap_or_default();
        let partial = self
            .open_message(turn)
            .map(|message| PartialMessage { message: message.id, parts: parts.clone() });
        let closing = TurnOutcome { end: TurnEnd::Error, failure: Some(failure), partial };
        self.close_turn(session, turn, &closing, Some(&parts));
        Ok(())
    }
}
