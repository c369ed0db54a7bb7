//! Never runs a page: the screen does, and tells here what came of it.
//!
//! Owns the place where the preview of this tab is told to the agents. Nothing of it is kept.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::domain::id::SessionId;
use crate::domain::preview::Seen;

/// What the preview of this tab came to last. Cheap to clone: all clones are one.
#[derive(Clone, Debug, Default)]
pub struct Previews(Arc<Mutex<Option<Seen>>>);

impl Previews {
    fn last(&self) -> MutexGuard<'_, Option<Seen>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells what it came to.
    pub fn tell(&self, seen: Seen) {
        *self.last() = Some(seen);
    }

    /// The operator looks at something else.
    pub fn close(&self) {
        if let Some(seen) = self.last().as_mut() {
            seen.open = false;
        }
    }

    /// What it came to, if it was of this session.
    pub fn of(&self, session: SessionId) -> Option<Seen> {
        self.last().clone().filter(|seen| seen.session == session)
    }
}
