//! The offer of a run summary below the timeline; opened by itself if the operator was away.

use leptos::prelude::*;

use crate::ui::board::tabs::{BoardTab, BoardTabState};
use crate::ui::hooks::page;
use crate::ui::shell::panes::{ActivePane, Pane};
use crate::ui::shell::screens;
use crate::ui::view_state::{MindView, RunView};
use nexus_model::id::RunId;
use nexus_model::mind::preview::first_page;
use nexus_model::run::RunStatus;
use nexus_view::strings::board as words;
pub use nexus_view::strings::board::preview;

/// Which run the operator catches up with, as a context of the card.
#[derive(Clone, Copy)]
pub struct OpenRunSummary(pub RwSignal<Option<RunId>>);

/// The offer, or the card.
#[component]
pub fn RunSummaryOffer() -> impl IntoView {
    let (run, hidden) = (expect_context::<RunView>().run(), page::hidden());
    let rests = |status: RunStatus| !matches!(status, RunStatus::Queued | RunStatus::Running);
    let ended = Memo::new(move |_| {
        run.with(|run| run.as_ref().filter(|run| rests(run.status) && run.calls > 0).map(|run| run.id))
    });
    let opened = expect_context::<OpenRunSummary>();
    Effect::new(move |before: Option<Option<RunId>>| {
        let ended = ended.get();
        // A run that ended while nobody looked.
        if before == Some(None) && hidden.get_untracked() {
            opened.0.set(ended);
        }
        ended
    });
    let is_open = Memo::new(move |_| opened.0.get().is_some() && opened.0.get() == ended.get());
    let open = move |_| opened.0.set(ended.get_untracked());
    view! { class="n",
        <Show when=move || ended.get().is_some()>
            <aside class="catch-up">
                <OpenPreviewButton />
                {move || if is_open.get() {
                    view! { class="n", <screens::LazyRunSummary /> }.into_any()
                } else {
                    view! { class="n",
                        <button type="button" class="quiet" data-testid="catch-up-open" on:click=open>
                            {words::CATCH_UP}
                        </button>
                    }
                    .into_any()
                }}
            </aside>
        </Show>
    }
}

/// The way to the page that runs wrote, where there is one.
#[component]
fn OpenPreviewButton() -> impl IntoView {
    let (mind, faces, in_view) =
        (expect_context::<MindView>(), expect_context::<BoardTabState>(), expect_context::<ActivePane>());
    let page = Memo::new(move |_| mind.files().with(|files| first_page(files).cloned()));
    let see = move |_| {
        faces.preview().set(page.get_untracked());
        faces.show(BoardTab::Preview);
        in_view.0.set(Pane::Board);
    };
    view! { class="n",
        <Show when=move || page.get().is_some()>
            <button type="button" class="quiet" data-testid="see-it-run" on:click=see>{preview::SEE}</button>
        </Show>
    }
}
