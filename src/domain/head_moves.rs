//! Never moves a head.
//!
//! Owns the history of a session's head, read from the session's own events, newest first: where it pointed, since when,
//! why, and with which mind it was left where that was done by hand.

use std::collections::VecDeque;

use crate::domain::event::{Event, Happening, SessionChange};
use crate::domain::hash::Hash;
use crate::domain::id::{Millis, TurnId};
use crate::domain::run::RunCause;

/// The events of a decision that moves a head by hand come right after the move.
const OF_ONE_DECISION: usize = 3;

/// Why a head came to a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// The session was forked there.
    Began,
    /// The turn ended.
    Ended,
    /// The operator went there.
    Went,
    /// A message was said in other words: the head went back to before it.
    Reworded,
    /// A turn was asked once more: the head went back to before it.
    AskedAgain,
}

/// A head that a session had.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// The event that moved it there, by its place in the stream.
    pub seq: u64,
    /// When.
    pub at: Millis,
    /// The turn; `None` where the session went back to its beginning.
    pub turn: Option<TurnId>,
    /// Why.
    pub why: Why,
    /// The mind that was left with it, where the operator went away from it by hand.
    pub left: Option<Hash>,
}

/// The heads of a session, as far back as its events were read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Heads {
    /// The heads, newest first. The first is the one that the session has.
    pub all: Vec<Head>,
    /// The oldest event that was read; absent before the first.
    reached: Option<u64>,
    /// The mind that the next older head was left with.
    left: Option<Hash>,
    /// What followed the event that is read next, the nearest first.
    newer: VecDeque<(Millis, Mark)>,
}

/// What of an event tells why a head moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    Run(RunCause),
    Other,
}

impl Heads {
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
                Some(Happening::HeadMoved { mind, by_hand: Some(_), .. }) => Some(mind.clone()),
                _ => None,
            };
            self.all.push(head);
        }
        let mark = match happening {
            Some(Happening::RunOpened { run }) => Mark::Run(run.cause),
            _ => Mark::Other,
        };
        self.newer.push_front((event.at, mark));
        self.newer.truncate(OF_ONE_DECISION);
    }

    fn head(&self, event: &Event, happening: &Happening) -> Option<Head> {
        let (turn, why) = if let Happening::HeadMoved { to, by_hand, .. } = happening {
            (*to, if by_hand.is_some() { self.why(event.at) } else { Why::Ended })
        } else if let Happening::SessionChanged { change: SessionChange::Created(created) } = happening {
            (Some(created.session.head?), Why::Began)
        } else {
            return None;
        };
        Some(Head { seq: event.seq, at: event.at, turn, why, left: self.left.clone() })
    }

    /// Why the operator moved the head: what else was decided at that moment says it.
    fn why(&self, at: Millis) -> Why {
        let causes = self.newer.iter().take_while(|(when, _)| *when == at);
        let cause = causes.into_iter().find_map(|(_, mark)| match mark {
            Mark::Run(cause) => Some(*cause),
            Mark::Other => None,
        });
        match cause {
            Some(RunCause::Message(_)) => Why::Reworded,
            Some(RunCause::TryAgain(_) | RunCause::Retry(_)) => Why::AskedAgain,
            Some(RunCause::GoOn(_)) | None => Why::Went,
        }
    }
}
