//! Handles of the mounted war room for other screens: pane and tab, file dialogs, recipients.
//!
//! Tasks requested while it is not mounted run when it is.

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

/// The war room's handles, while it is mounted.
#[derive(Clone, Copy)]
pub struct Workspace {
    /// The visible pane on screens with room for one.
    pub pane: RwSignal<Pane>,
    pub panes: PaneLayout,
    pub tabs: BoardTabState,
    pub files: FilePanelState,
    pub file_prompt: RwSignal<FilePrompt>,
    /// The file that a reader views.
    pub viewed_file: RwSignal<Option<String>>,
    pub target: RwSignal<Target>,
    /// Overrides of the next message.
    pub overrides: OverridesState,
    pub open_summary: RwSignal<Option<RunId>>,
    pub voice: VoiceState,
    pub actions: MessageActionsState,
    /// Sessions list, turn menus and snapshots.
    pub dialogs: DialogState,
}

/// A task that needs the mounted war room.
pub type WorkspaceTask = Box<dyn FnOnce(Workspace)>;

thread_local! {
    /// The war room, while it is mounted.
    static WAR_ROOM: Cell<Option<Workspace>> = const { Cell::new(None) };
    /// The pending task. The last request wins.
    static PENDING_TASK: RefCell<Option<WorkspaceTask>> = const { RefCell::new(None) };
}

impl Workspace {
    /// The war room, while it is mounted.
    pub fn now() -> Option<Self> {
        WAR_ROOM.get()
    }

    /// Registers the war room until the calling component is gone, and runs the pending task.
    pub fn enter(self) {
        WAR_ROOM.set(Some(self));
        on_cleanup(|| WAR_ROOM.set(None));
        if let Some(task) = PENDING_TASK.take() {
            // After it is rendered.
            request_animation_frame(move || {
                if let Some(room) = Self::now() {
                    task(room);
                }
            });
        }
    }

    /// Runs a task as soon as the war room is mounted again.
    pub fn later(task: WorkspaceTask) {
        PENDING_TASK.set(Some(task));
    }
}

/// Recipients of the next message, as a context.
#[derive(Clone, Copy)]
pub struct Recipients(pub RwSignal<Target>);

/// Destination of the next message, if it is not this session, as a context.
#[derive(Clone, Copy)]
pub struct DestinationState(pub RwSignal<Option<Destination>>);

/// Overrides of one message, and whether their dialog is open. As a context, those of the next message.
#[derive(Clone, Copy)]
pub struct OverridesState {
    pub overrides: RwSignal<MessageOverrides>,
    pub is_open: RwSignal<bool>,
}

impl OverridesState {
    pub fn new(overrides: MessageOverrides) -> Self {
        Self { overrides: RwSignal::new(overrides), is_open: RwSignal::new(false) }
    }

    /// The overrides to send with a message.
    pub fn to_send(self) -> Option<Box<MessageOverrides>> {
        Some(self.overrides.get_untracked()).filter(|over| !over.is_empty()).map(Box::new)
    }
}

/// The file prompt, and the file that a reader views, as a context.
#[derive(Clone, Copy)]
pub struct FilePromptState {
    pub prompt: RwSignal<FilePrompt>,
    pub viewed_file: RwSignal<Option<String>>,
}

impl FilePromptState {
    /// Opens a file: for everyone as the active file, or read-only for this reader.
    pub fn open(self, name: String, mind: MindView, dispatch: Dispatch, read_only: bool) {
        self.prompt.set(FilePrompt::Nothing);
        if read_only {
            self.viewed_file.set(Some(name));
        } else if mind.active.get_untracked().as_ref() != Some(&name) {
            dispatch.write_mind(vec![MindWrite::Activate(name)]);
        }
    }
}

/// The run whose summary is open, as a context.
#[derive(Clone, Copy)]
pub struct OpenRunSummary(pub RwSignal<Option<RunId>>);
