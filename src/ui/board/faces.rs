//! Never knows what a face shows: each is a part of its own, behind a door in `screens`.
//!
//! Owns which face the board shows. To add one: a variant, its name and word here, a door in `screens`, an arm in
//! [`OtherFace`]. The face that is edited in stays where it is while another one is shown: nothing typed, no caret and no
//! scroll is lost.

use leptos::prelude::*;

use crate::domain::review::Base;
use crate::ui::hooks::keys;
use crate::ui::keys::{Act, titled};
use crate::ui::screens;
use crate::ui::words::{board as words, preview};

/// A face of the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Face {
    /// Directive, scratchpad and files, to be written in.
    Edit,
    /// What changed in them.
    Compare,
    /// What they look like when they run.
    Preview,
    /// What is remembered of the session and the operator.
    Memories,
}

impl Face {
    const ALL: [Self; 4] = [Self::Edit, Self::Compare, Self::Preview, Self::Memories];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Edit => "face-edit",
            Self::Compare => "face-compare",
            Self::Preview => "face-preview",
            Self::Memories => "face-memories",
        }
    }

    fn act(self) -> Act {
        match self {
            Self::Edit => Act::Edit,
            Self::Compare => Act::Compare,
            Self::Preview => Act::Preview,
            Self::Memories => Act::Memories,
        }
    }

    fn title(self) -> &'static str {
        match self {
            Self::Edit => words::FACE_EDIT,
            Self::Compare => words::FACE_COMPARE,
            Self::Preview => preview::FACE,
            Self::Memories => words::FACE_MEMORIES,
        }
    }
}

/// Which face is shown, as a context.
#[derive(Clone, Copy)]
pub struct Faces {
    shown: RwSignal<Face>,
    /// What is to be compared with; the usual where nothing was asked for.
    base: RwSignal<Option<Base>>,
    /// The file whose preview was asked for.
    preview: RwSignal<Option<String>>,
    /// Whether the operator lets scripts run where a page is not closed in.
    scripts: RwSignal<bool>,
}

impl Faces {
    pub(in crate::ui) fn new() -> Self {
        Self {
            shown: RwSignal::new(Face::Edit),
            base: RwSignal::new(None),
            preview: RwSignal::new(None),
            scripts: RwSignal::new(false),
        }
    }

    /// The face that is shown. Tracks it.
    pub fn shown(self) -> Face {
        self.shown.get()
    }

    /// Shows a face.
    pub fn show(self, face: Face) {
        self.shown.set(face);
    }

    /// What COMPARE compares with.
    pub fn base(self) -> RwSignal<Option<Base>> {
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

/// The buttons that choose the face.
#[component]
pub fn FaceTabs() -> impl IntoView {
    let faces = expect_context::<Faces>();
    let apple = keys::is_apple();
    let tab = move |face: Face| {
        view! { class="n",
            <button
                type="button"
                class="quiet"
                data-testid=face.name()
                title=titled(face.title(), face.act(), apple)
                aria-pressed=move || (faces.shown() == face).to_string()
                on:click=move |_| faces.show(face)
            >
                {face.title()}
            </button>
        }
    };
    view! { class="n",
        <div class="board-faces" role="group" aria-label=words::FACES>{Vec::from(Face::ALL.map(tab))}</div>
    }
}

/// The face that is shown in the place of the one that is edited in.
#[component]
pub fn OtherFace() -> impl IntoView {
    let faces = expect_context::<Faces>();
    move || match faces.shown() {
        Face::Edit => None,
        Face::Compare => Some(view! { class="n", <screens::Compare /> }.into_any()),
        Face::Preview => Some(view! { class="n", <screens::Preview /> }.into_any()),
        Face::Memories => Some(view! { class="n", <screens::Memories /> }.into_any()),
    }
}
