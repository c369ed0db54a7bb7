//! The visible pane and the visible tab of the board; and sizes and folded panes, stored in the setting `panes`. The
//! stylesheet has the default sizes.

use serde_json::{Value, json};

use crate::ui::dispatch::Dispatch;
use crate::ui::kit::context::expect_context;
use crate::ui::kit::signal::RwSignal;
use crate::ui::view_state::Settings;
use nexus_model::mind::review::ComparisonBase;
use nexus_model::settings::schema::PANES;
use nexus_model::words;
use nexus_view::shortcuts::ShortcutAction;
use nexus_view::strings::common;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pane {
    Agents,
    Timeline,
    Board,
}

impl Pane {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Agents => "agents",
            Self::Timeline => "timeline",
            Self::Board => "board",
        }
    }

    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Agents => common::AGENTS.get(),
            Self::Timeline => common::CONVERSATION.get(),
            Self::Board => common::BOARD.get(),
        }
    }
}

/// The visible pane on screens with room for one, as a context: actions in one pane may show another.
#[derive(Clone, Copy)]
pub struct ActivePane(pub RwSignal<Pane>);

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
    /// Sizes within the board in pixels, if the operator chose them: the heights of objective and scratchpad, and their
    /// width if the files are beside them.
    pub objective: RwSignal<Option<f64>>,
    pub scratchpad: RwSignal<Option<f64>>,
    pub texts: RwSignal<Option<f64>>,
    dispatch: Dispatch,
}

impl PaneLayout {
    pub fn load() -> Self {
        let stored = expect_context::<Settings>().value(PANES).get_untracked();
        let side = |name: &str| PaneState::of(stored.as_ref().and_then(|stored| stored.get(name)));
        let activity = stored.as_ref().and_then(|stored| stored.get("activity")).and_then(Value::as_bool);
        let size = |name: &str| {
            RwSignal::new(stored.as_ref().and_then(|stored| stored.get(name)).and_then(Value::as_f64))
        };
        Self {
            agents: side("agents"),
            board: side("board"),
            activity: RwSignal::new(activity.unwrap_or(false)),
            objective: size("objective"),
            scratchpad: size("scratchpad"),
            texts: size("texts"),
            dispatch: expect_context::<Dispatch>(),
        }
    }

    pub fn keep(self) {
        let activity = self.activity.get_untracked();
        let [objective, scratchpad, texts] =
            [self.objective, self.scratchpad, self.texts].map(|size| size.get_untracked());
        let stored = json!({
            "agents": self.agents.value(), "board": self.board.value(), "activity": activity,
            "objective": objective, "scratchpad": scratchpad, "texts": texts,
        });
        self.dispatch.set_setting(PANES, stored);
    }
}

/// A tab of the board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BoardTab {
    /// Objective, scratchpad and files, for editing.
    #[default]
    Edit,
    Compare,
    /// A preview of the session's pages.
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
        match self {
            Self::Edit | Self::Preview => false,
            Self::Compare | Self::Memories => true,
        }
    }

    pub(crate) fn act(self) -> ShortcutAction {
        match self {
            Self::Edit => ShortcutAction::Edit,
            Self::Compare => ShortcutAction::Compare,
            Self::Preview => ShortcutAction::Preview,
            Self::Memories => ShortcutAction::Memories,
        }
    }

    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Edit => common::EDIT.get(),
            Self::Compare => common::COMPARE.get(),
            Self::Preview => common::PREVIEW.get(),
            Self::Memories => common::MEMORIES.get(),
        }
    }
}

/// The shown tab, as a context.
#[derive(Clone, Copy, Default)]
pub struct BoardTabState {
    shown: RwSignal<BoardTab>,
    /// The base to compare with; `None` for the default.
    pub base: RwSignal<Option<ComparisonBase>>,
    /// The file to preview, if requested.
    pub preview: RwSignal<Option<String>>,
    /// True if the operator lets scripts run although the page is not fully isolated.
    pub scripts: RwSignal<bool>,
}

impl BoardTabState {
    /// The shown tab. Reactive.
    pub fn shown(self) -> BoardTab {
        self.shown.get()
    }

    pub fn show(self, tab: BoardTab) {
        self.shown.set(tab);
    }
}
