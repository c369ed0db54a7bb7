//! State of the session list, turn menus, message edits and snapshots in the war room.

use leptos::html::Dialog;

use crate::ui::hooks::dialog;
use crate::ui::prelude::*;
use nexus_text::content_hash::ContentHash;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenDialog {
    /// All sessions; this one with its name in edit.
    Sessions(Option<SessionId>),
    /// Search for a thread to open.
    Find,
    /// Search for a thread to send the next message to.
    SendTo,
    /// The menu of a turn, at one of its messages.
    Turn(TurnId, MessageId),
    Race(Option<TurnId>),
    Heads(SessionId),
    Checks,
    Graph,
}

/// A turn to show as a snapshot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SnapshotTarget {
    pub session: SessionId,
    pub turn: TurnId,
    /// The mind to show, if it is not the one that the turn left.
    pub mind: Option<ContentHash>,
}

/// The address of the war room with a snapshot of a turn.
pub fn snapshot_path(turn: TurnId) -> String {
    format!("{}?{AT}={turn}", home_path())
}

/// Query parameter of the snapshot's turn.
const AT: &str = "at";
const MIND: &str = "mind";

#[derive(Clone, Copy, Default)]
pub struct DialogState {
    pub opened: RwSignal<Option<OpenDialog>>,
    /// The message that is being edited.
    pub editing: RwSignal<Option<MessageId>>,
    /// The shown snapshot; `None` in the present.
    pub snapshot: RwSignal<Option<SnapshotTarget>>,
    /// Initial query of the search.
    query: RwSignal<String>,
}

impl DialogState {
    /// The state for this session, with the snapshot of the address.
    pub fn enter(session: SessionId) -> Self {
        let this = Self::default();
        let query = address::query();
        let parameter = |name: &str| {
            let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
            pairs.find(|(key, _)| *key == name).map(|(_, value)| value)
        };
        if let Some(turn) = parameter(AT).and_then(|turn| turn.parse().ok()) {
            let mind = parameter(MIND).and_then(ContentHash::read);
            this.snapshot.set(Some(SnapshotTarget { session, turn, mind }));
        }
        this
    }

    /// Shows a snapshot, or the present, also in the address.
    pub fn show_snapshot(&self, snapshot: Option<SnapshotTarget>) {
        // The war room may be gone by now.
        if self.snapshot.try_with_untracked(|old| *old == snapshot).unwrap_or(true) {
            return;
        }
        let query = snapshot.as_ref().map(|shown| match &shown.mind {
            Some(mind) => format!("{AT}={}&{MIND}={mind}", shown.turn),
            None => format!("{AT}={}", shown.turn),
        });
        address::set_query(&query.unwrap_or_default());
        self.opened.set(None);
        self.snapshot.set(snapshot);
    }

    pub fn open(&self, what: OpenDialog) {
        self.opened.set(Some(what));
    }

    pub fn find(&self, words: String) {
        self.query.set(words);
        self.open(OpenDialog::Find);
    }

    /// Takes the initial query of the search.
    pub(crate) fn take_query(&self) -> String {
        self.query.try_update(std::mem::take).unwrap_or_default()
    }

    pub fn close(&self) {
        self.opened.set(None);
    }

    /// Closes the dialog of this element; the browser restores the focus.
    pub fn leave(&self, node: NodeRef<Dialog>) {
        dialog::close(node);
        self.close();
    }

    /// Edits a message, or ends the edit.
    pub fn edit(&self, message: Option<MessageId>) {
        self.editing.set(message);
    }
}
