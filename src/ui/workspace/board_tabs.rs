//! The board's views, and which one is shown.

use crate::ui::kit::signal::RwSignal;

use nexus_model::mind::review::ComparisonBase;
use nexus_view::shortcuts::ShortcutAction;
use nexus_view::strings::board as words;
use nexus_view::strings::board::preview;

/// A face of the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoardTab {
    /// Directive, scratchpad and files, to be written in.
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
            Self::Edit => words::FACE_EDIT.get(),
            Self::Compare => words::FACE_COMPARE.get(),
            Self::Preview => preview::FACE.get(),
            Self::Memories => words::FACE_MEMORIES.get(),
        }
    }
}

/// Which face is shown, as a context.
#[derive(Clone, Copy)]
pub struct BoardTabState {
    shown: RwSignal<BoardTab>,
    /// What is to be compared with; the usual where nothing was asked for.
    base: RwSignal<Option<ComparisonBase>>,
    /// The file whose preview was asked for.
    preview: RwSignal<Option<String>>,
    /// Whether the operator lets scripts run where a page is not closed in.
    scripts: RwSignal<bool>,
}

impl BoardTabState {
    pub(crate) fn new() -> Self {
        Self {
            shown: RwSignal::new(BoardTab::Edit),
            base: RwSignal::new(None),
            preview: RwSignal::new(None),
            scripts: RwSignal::new(false),
        }
    }

    /// The face that is shown. Tracks it.
    pub fn shown(self) -> BoardTab {
        self.shown.get()
    }

    pub fn show(self, face: BoardTab) {
        self.shown.set(face);
    }

    /// What COMPARE compares with.
    pub fn base(self) -> RwSignal<Option<ComparisonBase>> {
        self.base
    }

    /// The file that PREVIEW shows, where one was asked for.
    pub fn preview(self) -> RwSignal<Option<String>> {
        self.preview
    }

    /// Whether the operator lets scripts run where a page is not closed in.
    pub fn scripts(self) -> RwSignal<bool> {
        self.scripts
    }
}
