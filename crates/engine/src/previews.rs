//! Holds the latest state of this tab's file preview, so that agents can read it.
//!
//! The screen runs the page and reports here. Nothing is stored.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use nexus_model::id::SessionId;
use nexus_model::mind::preview::PreviewReport;

/// What the preview of this tab came to last. Cheap to clone: all clones are one.
#[derive(Clone, Debug, Default)]
pub struct LatestPreview(Arc<Mutex<Option<PreviewReport>>>);

impl LatestPreview {
    fn last(&self) -> MutexGuard<'_, Option<PreviewReport>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn tell(&self, seen: PreviewReport) {
        *self.last() = Some(seen);
    }

    /// The operator looks at something else.
    pub fn close(&self) {
        if let Some(seen) = self.last().as_mut() {
            seen.open = false;
        }
    }

    /// What it came to, if it was of this session.
    pub fn of(&self, session: SessionId) -> Option<PreviewReport> {
        self.last().clone().filter(|seen| seen.session == session)
    }
}
