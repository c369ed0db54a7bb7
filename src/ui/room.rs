//! Never does anything by itself.
//!
//! Owns the handles of the war room, for who leads there from elsewhere: which pane and face is in view, what is asked
//! about files, whom the next message is for.

use std::cell::{Cell, RefCell};

use leptos::prelude::*;

use crate::domain::command::Override;
use crate::domain::id::{RunId, SessionId, TurnId};
use crate::domain::mind::MindWrite;
use crate::domain::session::Target;
use crate::ui::board::desk::FileDesk;
use crate::ui::board::faces::Faces;
use crate::ui::board::files::Asked;
use crate::ui::care::Care;
use crate::ui::dispatch::Dispatch;
use crate::ui::panes::Place;
use crate::ui::panes::kept::Kept;
use crate::ui::tree_desk::TreeDesk;
use crate::ui::view_state::MindView;
use crate::ui::voice::desk::VoiceDesk;

/// The war room's handles, while it stands.
#[derive(Clone, Copy)]
pub struct Room {
    /// The pane in view where there is room for one.
    pub place: RwSignal<Place>,
    /// How the panes stand.
    pub panes: Kept,
    /// What the board shows.
    pub faces: Faces,
    /// Where files are opened.
    pub desk: FileDesk,
    /// What is asked about files.
    pub asked: RwSignal<Asked>,
    /// The file that a reader looks at.
    pub looked_at: RwSignal<Option<String>>,
    /// Whom the next message is for.
    pub target: RwSignal<Target>,
    /// What holds for the next message alone.
    pub over: Overriding,
    /// The run that the operator catches up with.
    pub catching_up: RwSignal<Option<RunId>>,
    /// Voice.
    pub voice: VoiceDesk,
    /// The care for the timeline.
    pub care: Care,
    /// Sessions, and what is done from a turn.
    pub tree: TreeDesk,
}

/// Something that only the war room can do.
pub type Wish = Box<dyn FnOnce(Room)>;

thread_local! {
    /// The war room, while it stands.
    static ROOM: Cell<Option<Room>> = const { Cell::new(None) };
    /// What waits for it. The last wish counts.
    static WISH: RefCell<Option<Wish>> = const { RefCell::new(None) };
}

impl Room {
    /// The war room, while it stands.
    pub fn now() -> Option<Self> {
        ROOM.get()
    }

    /// The war room stands, until what calls this goes away. What waited for it is done.
    pub fn enter(self) {
        ROOM.set(Some(self));
        on_cleanup(|| ROOM.set(None));
        if let Some(wish) = WISH.take() {
            // Once it is drawn.
            request_animation_frame(move || {
                if let Some(room) = Self::now() {
                    wish(room);
                }
            });
        }
    }

    /// Has something done as soon as the war room stands again.
    pub fn later(wish: Wish) {
        WISH.set(Some(wish));
    }
}

/// Whom the next message is for, as a context.
#[derive(Clone, Copy)]
pub struct Aim(pub RwSignal<Target>);

/// Where the next message goes, where that is not the session in view, and why there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heading {
    /// The session.
    pub session: SessionId,
    /// The turn to go on from in a new session, where it is not for the session itself.
    pub turn: Option<TurnId>,
    /// Whom it is for there.
    pub target: Target,
    /// What the session is called.
    pub label: String,
    /// Why it was chosen.
    pub why: String,
}

/// Where the next message goes besides here, as a context.
#[derive(Clone, Copy)]
pub struct Elsewhere(pub RwSignal<Option<Heading>>);

/// What holds for a message alone, and whether that is asked about. For the next message, as a context.
#[derive(Clone, Copy)]
pub struct Overriding {
    /// What is said.
    pub said: RwSignal<Override>,
    /// Whether the operator is asked.
    pub asks: RwSignal<bool>,
}

impl Overriding {
    /// Where this is said.
    pub fn new(said: Override) -> Self {
        Self { said: RwSignal::new(said), asks: RwSignal::new(false) }
    }

    /// What goes along with a message.
    pub fn told(self) -> Option<Box<Override>> {
        Some(self.said.get_untracked()).filter(|over| !over.is_empty()).map(Box::new)
    }
}

/// What is asked about files, and which one a reader looks at, as a context.
#[derive(Clone, Copy)]
pub struct FileCare {
    /// What is asked.
    pub asked: RwSignal<Asked>,
    /// The file that a reader looks at.
    pub looked_at: RwSignal<Option<String>>,
}

impl FileCare {
    /// Opens a file: for all who work on it, or for a reader alone.
    pub fn open(self, name: String, mind: MindView, dispatch: Dispatch, read_only: bool) {
        self.asked.set(Asked::Nothing);
        if read_only {
            self.looked_at.set(Some(name));
        } else if mind.active().get_untracked().as_ref() != Some(&name) {
            dispatch.write_mind(vec![MindWrite::Activate(name)]);
        }
    }
}
