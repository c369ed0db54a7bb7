//! Handles of the mounted war room for other screens: pane and view, file dialogs, recipients.
//!
//! Requests made while it is not mounted are carried out when it is.

pub mod dialogs;
pub mod message_actions;
pub mod panes;

use std::cell::{Cell, RefCell};

use leptos::prelude::*;

use crate::ui::dispatch::{Destination, Dispatch};
use crate::ui::kit::signal::RwSignal;
use crate::ui::view_state::MindView;
use crate::ui::workspace::dialogs::DialogState;
use crate::ui::workspace::message_actions::{FilePanelState, FilePrompt, MessageActionsState, VoiceState};
use crate::ui::workspace::panes::{BoardTabState, Pane, PaneLayout};
use nexus_model::command::MessageOverrides;
use nexus_model::id::RunId;
use nexus_model::mind::MindWrite;
use nexus_model::session::Target;

/// The war room's handles, while it stands.
#[derive(Clone, Copy)]
pub struct Workspace {
    /// The pane in view where there is room for one.
    pub place: RwSignal<Pane>,
    pub panes: PaneLayout,
    pub faces: BoardTabState,
    pub desk: FilePanelState,
    pub asked: RwSignal<FilePrompt>,
    /// The file that a reader looks at.
    pub looked_at: RwSignal<Option<String>>,
    pub target: RwSignal<Target>,
    /// What holds for the next message alone.
    pub over: OverridesState,
    pub catching_up: RwSignal<Option<RunId>>,
    pub voice: VoiceState,
    pub care: MessageActionsState,
    /// Sessions, and what is done from a turn.
    pub tree: DialogState,
}

/// Something that only the war room can do.
pub type WorkspaceTask = Box<dyn FnOnce(Workspace)>;

thread_local! {
    /// The war room, while it stands.
    static ROOM: Cell<Option<Workspace>> = const { Cell::new(None) };
    /// What waits for it. The last wish counts.
    static WISH: RefCell<Option<WorkspaceTask>> = const { RefCell::new(None) };
}

impl Workspace {
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
    pub fn later(wish: WorkspaceTask) {
        WISH.set(Some(wish));
    }
}

/// Whom the next message is for, as a context.
#[derive(Clone, Copy)]
pub struct Recipients(pub RwSignal<Target>);

/// Where the next message goes besides here, as a context.
#[derive(Clone, Copy)]
pub struct DestinationState(pub RwSignal<Option<Destination>>);

/// What holds for a message alone, and whether that is asked about. For the next message, as a context.
#[derive(Clone, Copy)]
pub struct OverridesState {
    pub said: RwSignal<MessageOverrides>,
    pub asks: RwSignal<bool>,
}

impl OverridesState {
    pub fn new(said: MessageOverrides) -> Self {
        Self { said: RwSignal::new(said), asks: RwSignal::new(false) }
    }

    /// What goes along with a message.
    pub fn told(self) -> Option<Box<MessageOverrides>> {
        Some(self.said.get_untracked()).filter(|over| !over.is_empty()).map(Box::new)
    }
}

/// What is asked about files, and which one a reader looks at, as a context.
#[derive(Clone, Copy)]
pub struct FilePromptState {
    pub asked: RwSignal<FilePrompt>,
    pub looked_at: RwSignal<Option<String>>,
}

impl FilePromptState {
    /// Opens a file: for all who work on it, or for a reader alone.
    pub fn open(self, name: String, mind: MindView, dispatch: Dispatch, read_only: bool) {
        self.asked.set(FilePrompt::Nothing);
        if read_only {
            self.looked_at.set(Some(name));
        } else if mind.active.get_untracked().as_ref() != Some(&name) {
            dispatch.write_mind(vec![MindWrite::Activate(name)]);
        }
    }
}

/// Which run the operator catches up with, as a context of the card.
#[derive(Clone, Copy)]
pub struct OpenRunSummary(pub RwSignal<Option<RunId>>);
