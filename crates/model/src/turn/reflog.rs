//! Reflog: the former heads of a session, read newest first from its events.
//!
//! Each entry has the turn, time and reason, and for a move by hand the mind that was left.

use std::collections::VecDeque;

use crate::event::{Event, EventKind, SessionChange};
use crate::id::{Millis, TurnId};
use crate::run::RunCause;
use nexus_text::content_hash::ContentHash;

/// The events of a decision that moves a head by hand come right after the move.
const OF_ONE_DECISION: usize = 3;

/// Why a head came to a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeadMoveReason {
    /// The session was forked there.
    Began,
    Ended,
    Went,
    /// A message was said in other words: the head went back to before it.
    Reworded,
    /// A turn was asked once more: the head went back to before it.
    AskedAgain,
}

/// A head that a session had.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReflogEntry {
    /// The event that moved it there, by its place in the stream.
    pub seq: u64,
    pub at: Millis,
    /// The turn; `None` where the session went back to its beginning.
    pub turn: Option<TurnId>,
    pub why: HeadMoveReason,
    /// The mind that was left with it, where the operator went away from it by hand.
    pub left: Option<ContentHash>,
}

/// The heads of a session, as far back as its events were read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reflog {
    /// The heads, newest first. The first is the one that the session has.
    pub all: Vec<ReflogEntry>,
    /// The oldest event that was read; absent before the first.
    reached: Option<u64>,
    /// The mind that the next older head was left with.
    left: Option<ContentHash>,
    /// What followed the event that is read next, the nearest first.
    newer: VecDeque<(Millis, HeadMoveHint)>,
}

/// What of an event tells why a head moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum HeadMoveHint {
    Run(RunCause),
    Other,
}

impl Reflog {
    /// The last event to read next, in a stream with so many; `None` where all was read.
    pub fn next(&self, last: u64) -> Option<u64> {
        self.reached.map_or(Some(last), |reached| reached.checked_sub(1)).filter(|next| *next > 0)
    }

    /// Reads a piece of the stream that ends where the last one began; `from` is the place of its first event, also of
    /// one that could not be read.
    pub fn read(&mut self, from: u64, events: &[Event]) {
        for event in events.iter().rev() {
            self.event(event);
        }
        self.reached = Some(from);
    }

    fn event(&mut self, event: &Event) {
        let happening = event.happening();
        if let Some(head) = happening.and_then(|happening| self.head(event, happening)) {
            self.left = match happening {
                Some(EventKind::HeadMoved { mind, by_hand: Some(_), .. }) => Some(*mind),
                _ => None,
            };
            self.all.push(head);
        }
        let mark = match happening {
            Some(EventKind::RunOpened { run }) => HeadMoveHint::Run(run.cause),
            _ => HeadMoveHint::Other,
        };
        self.newer.push_front((event.at, mark));
        self.newer.truncate(OF_ONE_DECISION);
    }

    fn head(&self, event: &Event, happening: &EventKind) -> Option<ReflogEntry> {
        let (turn, why) = if let EventKind::HeadMoved { to, by_hand, .. } = happening {
            (*to, if by_hand.is_some() { self.why(event.at) } else { HeadMoveReason::Ended })
        } else if let EventKind::SessionChanged { change: SessionChange::Created(created) } = happening {
            (Some(created.session.head?), HeadMoveReason::Began)
        } else {
            return None;
        };
        Some(ReflogEntry { seq: event.seq, at: event.at, turn, why, left: self.left })
    }

    /// Why the operator moved the head: what else was decided at that moment says it.
    fn why(&self, at: Millis) -> HeadMoveReason {
        let causes = self.newer.iter().take_while(|(when, _)| *when == at);
        let cause = causes.into_iter().find_map(|(_, mark)| match mark {
            HeadMoveHint::Run(cause) => Some(*cause),
            HeadMoveHint::Other => None,
        });
        match cause {
            Some(RunCause::Message(_)) => HeadMoveReason::Reworded,
            Some(RunCause::TryAgain(_) | RunCause::Retry(_) | RunCause::Rerun { .. }) => {
                HeadMoveReason::AskedAgain
            }
            Some(RunCause::GoOn(_)) | None => HeadMoveReason::Went,
        }
    }
}
