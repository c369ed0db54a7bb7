//! Which pane is in view and which view of the board; and sizes and collapsed panes, which the setting `panes` keeps. The
//! stylesheet has the default sizes.

use serde_json::{Value, json};

use crate::ui::dispatch::Dispatch;
use crate::ui::kit::context::expect_context;
use crate::ui::kit::signal::RwSignal;
use crate::ui::view_state::Settings;
use nexus_model::mind::review::ComparisonBase;
use nexus_model::settings::schema::PANES;
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

/// Which pane is in view where there is room for one, as a context: what is done in one may lead to another.
#[derive(Clone, Copy)]
pub struct ActivePane(pub RwSignal<Pane>);

#[derive(Clone, Copy)]
pub struct PaneState {
    /// Its width in pixels, where the operator chose one.
    pub width: RwSignal<Option<f64>>,
    pub folded: RwSignal<bool>,
}

impl PaneState {
    fn of(kept: Option<&Value>) -> Self {
        let at = |name: &str| kept.and_then(|kept| kept.get(name));
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
    /// Sizes in pixels within the board, where the operator chose one: the heights of objective and scratchpad, and their
    /// width where the files stand beside them.
    pub objective: RwSignal<Option<f64>>,
    pub scratchpad: RwSignal<Option<f64>>,
    pub texts: RwSignal<Option<f64>>,
    dispatch: Dispatch,
}

impl PaneLayout {
    pub fn load() -> Self {
        let kept = expect_context::<Settings>().value(PANES).get_untracked();
        let side = |name: &str| PaneState::of(kept.as_ref().and_then(|kept| kept.get(name)));
        let activity = kept.as_ref().and_then(|kept| kept.get("activity")).and_then(Value::as_bool);
        let size =
            |name: &str| RwSignal::new(kept.as_ref().and_then(|kept| kept.get(name)).and_then(Value::as_f64));
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
        let kept = json!({
            "agents": self.agents.value(), "board": self.board.value(), "activity": activity,
            "objective": objective, "scratchpad": scratchpad, "texts": texts,
        });
        self.dispatch.set_setting(PANES, kept);
    }
}

/// A face of the board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BoardTab {
    /// Directive, scratchpad and files, to be written in.
    #[default]
    Edit,
    Compare,
    /// What they look like when they run.
    Preview,
    /// What is remembered of the session and the operator.
    Memories,
}

impl BoardTab {
    pub(crate) const ALL: [Self; 4] = [Self::Edit, Self::Compare, Self::Preview, Self::Memories];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Edit => "face-edit",
            Self::Compare => "face-compare",
            Self::Preview => "face-preview",
            Self::Memories => "face-memories",
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

/// Which face is shown, as a context.
#[derive(Clone, Copy, Default)]
pub struct BoardTabState {
    shown: RwSignal<BoardTab>,
    /// What is to be compared with; the usual where nothing was asked for.
    pub base: RwSignal<Option<ComparisonBase>>,
    /// The file whose preview was asked for.
    pub preview: RwSignal<Option<String>>,
    /// Whether the operator lets scripts run where a page is not closed in.
    pub scripts: RwSignal<bool>,
}

impl BoardTabState {
    /// The face that is shown. Tracks it.
    pub fn shown(self) -> BoardTab {
        self.shown.get()
    }

    pub fn show(self, face: BoardTab) {
        self.shown.set(face);
    }
}
