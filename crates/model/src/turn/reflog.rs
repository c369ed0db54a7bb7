//! Reflog: the former heads of a session, read newest first from its events.
//!
//! Each entry has turn, time and reason; if the operator moved the head, also the mind before the move.

use std::collections::VecDeque;

use crate::event::{Event, EventKind, SessionChange};
use crate::id::{Millis, TurnId};
use crate::run::RunCause;
use nexus_text::content_hash::ContentHash;

/// The number of events after a manual head move that belong to the same command.
const OF_ONE_DECISION: usize = 3;

/// Why a head moved to a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeadMoveReason {
    /// The session was forked there.
    Began,
    Ended,
    Moved,
    /// A message was edited and resent: the head moved to before it.
    Edited,
    /// A turn was retried: the head moved to before it.
    Retried,
}

/// One head of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReflogEntry {
    /// Position in the stream of the event that moved the head.
    pub seq: u64,
    pub at: Millis,
    /// `None` if the session returned to its beginning.
    pub turn: Option<TurnId>,
    pub reason: HeadMoveReason,
    /// The working mind when the operator moved the head away.
    pub mind_before: Option<ContentHash>,
}

/// The heads of a session, as far back as its events have been read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reflog {
    /// Newest first; the first is the present head.
    pub all: Vec<ReflogEntry>,
    /// The oldest event that has been read; `None` before the first read.
    reached: Option<u64>,
    /// The mind when the next older head was left.
    left: Option<ContentHash>,
    /// The events after the one that is read next, nearest first.
    newer: VecDeque<(Millis, HeadMoveHint)>,
}

/// The part of an event that explains a head move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum HeadMoveHint {
    Run(RunCause),
    Other,
}

impl Reflog {
    /// The newest unread event of a stream with `last` events; `None` if all are read.
    pub fn next(&self, last: u64) -> Option<u64> {
        self.reached.map_or(Some(last), |reached| reached.checked_sub(1)).filter(|next| *next > 0)
    }

    /// Reads a page of the stream that ends where the previous one began. `from` is the position of its first event,
    /// even an unreadable one.
    pub fn read(&mut self, from: u64, events: &[Event]) {
        for event in events.iter().rev() {
            self.event(event);
        }
        self.reached = Some(from);
    }

    fn event(&mut self, event: &Event) {
        let kind = event.known_kind();
        if let Some(head) = kind.and_then(|kind| self.head(event, kind)) {
            self.left = match kind {
                Some(EventKind::HeadMoved { mind, by_hand: Some(_), .. }) => Some(*mind),
                _ => None,
            };
            self.all.push(head);
        }
        let mark = match kind {
            Some(EventKind::RunOpened { run }) => HeadMoveHint::Run(run.cause),
            _ => HeadMoveHint::Other,
        };
        self.newer.push_front((event.at, mark));
        self.newer.truncate(OF_ONE_DECISION);
    }

    fn head(&self, event: &Event, kind: &EventKind) -> Option<ReflogEntry> {
        let (turn, reason) = if let EventKind::HeadMoved { to, by_hand, .. } = kind {
            (*to, if by_hand.is_some() { self.why(event.at) } else { HeadMoveReason::Ended })
        } else if let EventKind::SessionChanged { change: SessionChange::Created(created) } = kind {
            (Some(created.session.head?), HeadMoveReason::Began)
        } else {
            return None;
        };
        Some(ReflogEntry { seq: event.seq, at: event.at, turn, reason, mind_before: self.left })
    }

    /// Why the operator moved the head, judged by the other events of the same command.
    fn why(&self, at: Millis) -> HeadMoveReason {
        let causes = self.newer.iter().take_while(|(when, _)| *when == at);
        let cause = causes.into_iter().find_map(|(_, mark)| match mark {
            HeadMoveHint::Run(cause) => Some(*cause),
            HeadMoveHint::Other => None,
        });
        match cause {
            Some(RunCause::Message(_)) => HeadMoveReason::Edited,
            Some(RunCause::TryAgain(_) | RunCause::Retry(_) | RunCause::Rerun { .. }) => {
                HeadMoveReason::Retried
            }
            Some(RunCause::Continued(_)) | None => HeadMoveReason::Moved,
        }
    }
}
