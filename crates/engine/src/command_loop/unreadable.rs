//! Tells the operator once of stored events that this program cannot read: of unknown kinds, or with damaged data.
//!
//! Looks at the newest events of a stream only, and not before the stream is shown: opening does not wait for it.

use crate::command_loop::CommandLoop;
use crate::port::StoreError;
use nexus_model::decide::NewEvent;
use nexus_model::event::{Event, EventKind, EventPayload};
use nexus_model::id::StreamId;
use nexus_model::limits::EVENTS_CHECKED;

/// The kind that is named where an event does not even say its own.
const NAMELESS: &str = "?";

impl CommandLoop {
    pub(super) async fn check_events(&self, stream: StreamId) {
        // Where it cannot be read now, the next opening looks again.
        if let Ok(Some(what)) = self.unreadable(stream).await {
            drop(self.append(vec![NewEvent { stream, run: None, turn: None, what }]).await);
        }
    }

    /// What is to be told; `None` without news, or if another tab writes to the stream.
    async fn unreadable(&self, stream: StreamId) -> Result<Option<EventKind>, StoreError> {
        if stream.session().is_some_and(|session| !self.locks.borrow().contains_key(&session)) {
            return Ok(None);
        }
        let last = self.ports.store.last_seq(stream).await?;
        let from = last.saturating_sub(EVENTS_CHECKED).max(1);
        let most = usize::try_from(EVENTS_CHECKED).unwrap_or(usize::MAX).saturating_add(1);
        let (mut unknown, mut damaged) = (Vec::new(), Vec::new());
        for text in self.ports.store.events(stream, from, most).await? {
            let Ok(event) = nexus_text::json::read::<Event>(&text) else {
                damaged.push(NAMELESS.to_owned());
                continue;
            };
            match &event.kind {
                EventPayload::Known(kind) if matches!(**kind, EventKind::EventsUnreadable { .. }) => {
                    unknown.clear();
                    damaged.clear();
                }
                EventPayload::Known(_) => {}
                EventPayload::Unknown { kind, .. } if event.is_damaged() => damaged.push(kind.clone()),
                EventPayload::Unknown { kind, .. } => unknown.push(kind.clone()),
            }
        }
        let any = !unknown.is_empty() || !damaged.is_empty();
        Ok(any.then_some(EventKind::EventsUnreadable { through: last, unknown, damaged }))
    }
}
