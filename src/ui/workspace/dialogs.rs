//! State of the session list, turn menus, message edits and snapshots in the war room.

use leptos::html::Dialog;

use crate::ui::hooks::dialog;
use crate::ui::prelude::*;
use nexus_text::content_hash::ContentHash;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenDialog {
    /// All sessions; this one with its name to be edited.
    Sessions(Option<SessionId>),
    /// What finds a thread, to go there.
    Find,
    /// What finds a thread, for the next message to go there.
    SendTo,
    /// What can be done from a turn, at one of its messages.
    Turn(TurnId, MessageId),
    Race(Option<TurnId>),
    Heads(SessionId),
    Checks,
    Graph,
}

/// A turn that is looked at as it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SnapshotTarget {
    pub session: SessionId,
    pub turn: TurnId,
    /// The mind that was left there, where it is not the one that the turn left.
    pub mind: Option<ContentHash>,
}

/// The address of the war room with a turn as it was.
pub fn look_path(turn: TurnId) -> String {
    format!("{}?{AT}={turn}", home_path())
}

/// What stands for the turn in the address.
const AT: &str = "at";
const MIND: &str = "mind";

#[derive(Clone, Copy, Default)]
pub struct DialogState {
    pub opened: RwSignal<Option<OpenDialog>>,
    /// The message that is said in other words.
    pub editing: RwSignal<Option<MessageId>>,
    /// The turn that is looked at as it was; `None` while one looks at what is.
    pub look: RwSignal<Option<SnapshotTarget>>,
    /// The words that are looked for first.
    words: RwSignal<String>,
}

impl DialogState {
    /// The desk of a war room that shows this session, with the turn that its address asks for.
    pub fn enter(session: SessionId) -> Self {
        let this = Self::default();
        let query = address::query();
        let asked = |name: &str| {
            let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
            pairs.find(|(key, _)| *key == name).map(|(_, value)| value)
        };
        if let Some(turn) = asked(AT).and_then(|turn| turn.parse().ok()) {
            let mind = asked(MIND).and_then(ContentHash::read);
            this.look.set(Some(SnapshotTarget { session, turn, mind }));
        }
        this
    }

    /// Looks at a turn as it was, or at what is. The address says so.
    pub fn look_at(&self, look: Option<SnapshotTarget>) {
        // The war room may be gone by now, and what it looked at with it.
        if self.look.try_with_untracked(|old| *old == look).unwrap_or(true) {
            return;
        }
        let query = look.as_ref().map(|look| match &look.mind {
            Some(mind) => format!("{AT}={}&{MIND}={mind}", look.turn),
            None => format!("{AT}={}", look.turn),
        });
        address::set_query(&query.unwrap_or_default());
        self.opened.set(None);
        self.look.set(look);
    }

    pub fn open(&self, what: OpenDialog) {
        self.opened.set(Some(what));
    }

    pub fn find(&self, words: String) {
        self.words.set(words);
        self.open(OpenDialog::Find);
    }

    /// The words that are looked for first, once.
    pub(crate) fn take_words(&self) -> String {
        self.words.try_update(std::mem::take).unwrap_or_default()
    }

    pub fn close(&self) {
        self.opened.set(None);
    }

    /// Closes what is open, whose element this is: the browser gives the focus back to where it was.
    pub fn leave(&self, node: NodeRef<Dialog>) {
        dialog::close(node);
        self.close();
    }

    /// Says a message in other words, or no longer.
    pub fn edit(&self, message: Option<MessageId>) {
        self.editing.set(message);
    }
}
