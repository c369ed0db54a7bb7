//! Handles of the mounted war room for other screens: pane and tab, file dialogs, recipients, and the dialog that is
//! open: session list, turn menu, message edit or snapshot.
//!
//! Tasks requested while it is not mounted run when it is. Sizes and folded panes are stored in the setting `panes`;
//! the stylesheet has the default sizes.

pub mod message_actions;

use std::cell::Cell;

use serde_json::{Value, json};

use crate::ui::dispatch::Destination;
use crate::ui::hooks::address::home_path;
use crate::ui::hooks::{address, focus};
use crate::ui::kit::prelude::*;
use crate::ui::page::{Dispatch, Page};
use crate::ui::workspace::message_actions::{FilePanelState, FilePrompt, MessageActionsState, VoiceState};
use nexus_model::command::MessageOverrides;
use nexus_model::id::{AgentKey, MessageId, RunId, SessionId, TurnId};
use nexus_model::mind::MindWrite;
use nexus_model::mind::blob::NewBlob;
use nexus_model::mind::review::ComparisonBase;
use nexus_model::session::{DraftField, Target, attachments_in};
use nexus_model::settings::schema::PANES;
use nexus_model::words;
use nexus_text::content_hash::ContentHash;
use nexus_view::language::Text;
use nexus_view::shortcuts::ShortcutAction;
use nexus_view::strings::common;

/// The war room's handles, while it is mounted; its components' context.
#[derive(Clone, Copy)]
pub struct Workspace {
    /// The visible pane on screens with room for one: actions in one pane may show another.
    pub pane: RwSignal<Pane>,
    pub panes: PaneLayout,
    pub tabs: BoardTabState,
    pub files: FilePanelState,
    pub file_prompt: RwSignal<FilePrompt>,
    /// The file that a reader views.
    pub viewed_file: RwSignal<Option<String>>,
    /// The files attached to the next message.
    pub images: Selector<Vec<(u32, NewBlob)>>,
    pub target: Selector<Target>,
    /// Destination of the next message, if it is not this session.
    pub elsewhere: RwSignal<Option<Destination>>,
    pub overrides: OverridesState,
    pub open_summary: RwSignal<Option<RunId>>,
    pub voice: VoiceState,
    pub actions: MessageActionsState,
    pub dialogs: DialogState,
}

pub type WorkspaceTask = Box<dyn FnOnce(Workspace)>;

thread_local! {
    static WAR_ROOM: Cell<Option<Workspace>> = const { Cell::new(None) };
    /// How many war rooms were mounted.
    static MOUNTED: Cell<u32> = const { Cell::new(0) };
    /// The pending task. The last request wins.
    static PENDING_TASK: RefCell<Option<WorkspaceTask>> = const { RefCell::new(None) };
}

impl Workspace {
    pub fn now() -> Option<Self> {
        WAR_ROOM.get()
    }

    /// Registers the war room until the calling component is gone, and runs the pending task.
    pub fn enter(self) {
        self.keep_overrides();
        WAR_ROOM.set(Some(self));
        let number = MOUNTED.get().wrapping_add(1);
        MOUNTED.set(number);
        on_cleanup(move || {
            // The next one may be mounted before this one is cleaned up.
            if MOUNTED.get() == number {
                WAR_ROOM.set(None);
            }
        });
        if let Some(task) = PENDING_TASK.take() {
            // After it is rendered.
            request_animation_frame(move || Self::now().map_or((), task));
        }
    }

    /// Gives each session its own overrides of the next message, as a draft.
    fn keep_overrides(self) {
        let &Page { dispatch, .. } = expect_context();
        let overrides = self.overrides.overrides;
        let draft = dispatch.field(&DraftField::Overrides);
        Effect::new(move || overrides.set_if_changed(MessageOverrides::read(&draft.text.get())));
        on_change(
            move || overrides.with(MessageOverrides::text),
            move |text| {
                // Another session is in view, whose draft may not be restored yet.
                if *draft.text.get_untracked() == **text {
                    return;
                }
                if text.is_empty() { draft.discard() } else { draft.typed(text) }
            },
        );
    }

    pub fn show_board(self, tab: BoardTab) {
        self.tabs.shown.set(tab);
        self.pane.set(Pane::Board);
    }

    /// Compares with a base; `None` for the default.
    pub fn compare_with(self, base: Option<ComparisonBase>) {
        let session = self.panes.dispatch.session();
        self.tabs.base.set(base.map(|base| (session, base)));
        self.show_board(BoardTab::Compare);
    }

    pub fn preview(self, file: Option<String>) {
        self.tabs.preview.set(file);
        self.show_board(BoardTab::Preview);
    }

    /// Opens a file: for everyone as the active file, or read-only for this reader.
    pub fn open_file(self, page: &Page, name: String) {
        self.file_prompt.set(FilePrompt::Nothing);
        if page.sessions.read_only.get_untracked() {
            self.viewed_file.set(Some(name));
        } else if page.mind.active.get_untracked().as_ref() != Some(&name) {
            page.dispatch.write_mind(vec![MindWrite::Activate(name)]);
        }
    }

    /// Asks for the name of a file, also if the field for it is there already.
    pub fn ask_for_file(self, prompt: FilePrompt) {
        self.file_prompt.set(prompt);
        focus::focus_when_ready(".file-name-form input".to_owned());
    }

    /// Runs a task as soon as the war room is mounted again.
    pub fn later(task: WorkspaceTask) {
        PENDING_TASK.set(Some(task));
    }
}

/// The text area of the file in view.
pub const EDITED_TEXT: &str = ".file-work .cm-content, .file-work textarea";

/// The first of the recipients; `None` if they are all agents.
pub fn first_recipient(target: &Target) -> Option<&AgentKey> {
    match target {
        Target::All => None,
        Target::Agents(agents) => agents.first(),
    }
}

/// Who gets the next message of the session in view.
pub fn recipients_of_draft(dispatch: Dispatch) -> Selector<Target> {
    dispatch.field(&DraftField::Recipient).text.map(|agent| match agent.is_empty() {
        true => Target::All,
        false => Target::Agents(vec![AgentKey(agent.to_string())]),
    })
}

pub fn choose_recipient(dispatch: Dispatch, target: &Target) {
    match first_recipient(target) {
        Some(agent) => dispatch.type_into(&DraftField::Recipient, &agent.0),
        None => dispatch.discard_draft(&DraftField::Recipient),
    }
}

/// The files attached to the next message of the session in view, with a number for each.
pub fn attachments_of_draft(dispatch: Dispatch) -> Selector<Vec<(u32, NewBlob)>> {
    dispatch.field(&DraftField::Attachments).text.map(|text| attachments_in(text))
}

#[derive(Clone, Copy)]
pub struct OverridesState {
    pub overrides: RwSignal<MessageOverrides>,
    pub is_open: RwSignal<bool>,
}

impl OverridesState {
    pub fn new(overrides: MessageOverrides) -> Self {
        Self { overrides: RwSignal::new(overrides), is_open: RwSignal::new(false) }
    }
}

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
    format!("{}?{SNAPSHOT_AT}={turn}", home_path())
}

/// Query parameter of the snapshot's turn.
const SNAPSHOT_AT: &str = "at";
const SNAPSHOT_MIND: &str = "mind";

#[derive(Clone, Copy, Default)]
pub struct DialogState {
    pub opened: RwSignal<Option<OpenDialog>>,
    pub editing: RwSignal<Option<MessageId>>,
    /// The shown snapshot; `None` in the present.
    pub snapshot: RwSignal<Option<SnapshotTarget>>,
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
        if let Some(turn) = parameter(SNAPSHOT_AT).and_then(|turn| turn.parse().ok()) {
            let mind = parameter(SNAPSHOT_MIND).and_then(ContentHash::read);
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
            Some(mind) => format!("{SNAPSHOT_AT}={}&{SNAPSHOT_MIND}={mind}", shown.turn),
            None => format!("{SNAPSHOT_AT}={}", shown.turn),
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
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pane {
    Agents,
    Timeline,
    Board,
}

words!(Pane { Agents: "agents", Timeline: "timeline", Board: "board" });

impl Pane {
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Agents => common::AGENTS.get(),
            Self::Timeline => common::CONVERSATION.get(),
            Self::Board => common::BOARD.get(),
        }
    }
}

#[derive(Clone, Copy)]
pub struct PaneState {
    /// Its width in pixels, if the operator chose one.
    pub width: RwSignal<Option<f64>>,
    pub folded: RwSignal<bool>,
}

impl PaneState {
    fn of(stored: Option<&Value>) -> Self {
        let at = |name: &str| stored.and_then(|stored| stored.get(name));
        Self {
            width: RwSignal::new(at("width").and_then(Value::as_f64)),
            folded: RwSignal::new(at("folded").and_then(Value::as_bool).unwrap_or(false)),
        }
    }

    fn value(self) -> Value {
        json!({ "width": self.width.get_untracked(), "folded": self.folded.get_untracked() })
    }
}

#[derive(Clone, Copy)]
pub struct PaneLayout {
    pub agents: PaneState,
    pub board: PaneState,
    pub activity: RwSignal<bool>,
    /// True while models are compared: their answers use the board's width.
    pub has_race: RwSignal<bool>,
    /// Sizes within the board in pixels, if the operator chose them: the heights of objective and scratchpad, and their
    /// width if the files are beside them.
    pub objective: RwSignal<Option<f64>>,
    pub scratchpad: RwSignal<Option<f64>>,
    pub texts: RwSignal<Option<f64>>,
    dispatch: Dispatch,
}

impl PaneLayout {
    pub fn load() -> Self {
        let &Page { dispatch, settings, .. } = expect_context();
        let stored = settings.value(PANES).get_untracked();
        let at = |name: &str| stored.as_ref().and_then(|stored| stored.get(name));
        let side = |name: &str| PaneState::of(at(name));
        let size = |name: &str| RwSignal::new(at(name).and_then(Value::as_f64));
        Self {
            agents: side("agents"),
            board: side("board"),
            activity: RwSignal::new(at("activity").and_then(Value::as_bool).unwrap_or(false)),
            has_race: RwSignal::new(false),
            objective: size("objective"),
            scratchpad: size("scratchpad"),
            texts: size("texts"),
            dispatch,
        }
    }

    pub fn keep(self) {
        let stored = json!({
            "agents": self.agents.value(), "board": self.board.value(),
            "activity": self.activity.get_untracked(), "objective": self.objective.get_untracked(),
            "scratchpad": self.scratchpad.get_untracked(), "texts": self.texts.get_untracked(),
        });
        self.dispatch.set_setting(PANES, stored);
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BoardTab {
    /// Objective, scratchpad and files, for editing.
    #[default]
    Edit,
    Compare,
    Preview,
    /// Memories of the session and the operator.
    Memories,
}

words!(BoardTab {
    Edit: "face-edit",
    Compare: "face-compare",
    Preview: "face-preview",
    Memories: "face-memories",
});

impl BoardTab {
    /// True if it replaces the editing view, which stays mounted.
    pub(crate) fn hides_editor(self) -> bool {
        matches!(self, Self::Compare | Self::Memories)
    }

    pub(crate) fn title(self) -> &'static str {
        self.shown_as().0.get()
    }

    /// The shortcut that shows it.
    pub(crate) fn act(self) -> ShortcutAction {
        self.shown_as().1
    }

    fn shown_as(self) -> (Text, ShortcutAction) {
        match self {
            Self::Edit => (common::EDIT, ShortcutAction::Edit),
            Self::Compare => (common::COMPARE, ShortcutAction::Compare),
            Self::Preview => (common::PREVIEW, ShortcutAction::Preview),
            Self::Memories => (common::MEMORIES, ShortcutAction::Memories),
        }
    }
}

#[derive(Clone, Copy, Default)]
pub struct BoardTabState {
    pub shown: RwSignal<BoardTab>,
    /// The base to compare with, and the session that it was chosen in; `None` for the default.
    pub base: RwSignal<Option<(SessionId, ComparisonBase)>>,
    /// The file to preview, if requested.
    pub preview: RwSignal<Option<String>>,
    /// True if the operator lets scripts run although the page is not fully isolated.
    pub scripts: RwSignal<bool>,
}
