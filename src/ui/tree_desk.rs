//! Never draws what it opens: the list of sessions and the menu of a turn are parts that come later.
//!
//! Owns which of them is open, and which message is being said in other words.

use leptos::prelude::*;

use crate::domain::id::{MessageId, TurnId};
use crate::ui::later::Later;
use crate::ui::screens;

/// What is open above the war room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opened {
    /// The list of sessions.
    Sessions,
    /// What finds a thread, to go there.
    Find,
    /// What finds a thread, for the next message to go there.
    SendTo,
    /// What can be done from a turn, at one of its messages.
    Turn(TurnId, MessageId),
}

/// What the operator does with sessions and turns, as a context.
#[derive(Clone, Copy, Default)]
pub struct TreeDesk {
    opened: RwSignal<Option<Opened>>,
    editing: RwSignal<Option<MessageId>>,
    /// The words that are looked for first.
    words: RwSignal<String>,
}

impl TreeDesk {
    /// What is open.
    pub fn opened(&self) -> Signal<Option<Opened>> {
        self.opened.into()
    }

    /// Opens something.
    pub fn open(&self, what: Opened) {
        self.opened.set(Some(what));
    }

    /// Looks for these words in all that was said.
    pub fn find(&self, words: String) {
        self.words.set(words);
        self.open(Opened::Find);
    }

    /// The words that are looked for first, once.
    pub(in crate::ui) fn take_words(&self) -> String {
        self.words.try_update(std::mem::take).unwrap_or_default()
    }

    /// Closes what is open.
    pub fn close(&self) {
        self.opened.set(None);
    }

    /// The message that is being said in other words.
    pub fn editing(&self) -> Signal<Option<MessageId>> {
        self.editing.into()
    }

    /// Says a message in other words, or no longer.
    pub fn edit(&self, message: Option<MessageId>) {
        self.editing.set(message);
    }
}

/// The dialog that is open; nothing while none is.
#[component]
pub fn TreeDialog() -> impl IntoView {
    let opened = expect_context::<TreeDesk>().opened();
    move || match opened.get()? {
        Opened::Sessions => Some(view! { class="n", <Later load=|| screens::session_list() /> }.into_any()),
        Opened::Find | Opened::SendTo => {
            Some(view! { class="n", <Later load=|| screens::thread_finder() /> }.into_any())
        }
        Opened::Turn(..) => Some(view! { class="n", <Later load=|| screens::turn_menu() /> }.into_any()),
    }
}
