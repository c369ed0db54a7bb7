//! Never folds anything: the card does, and it is a part of its own.
//!
//! Owns the offer to catch up, below the timeline of a run that has ended or waits; who was away finds it opened.

use leptos::prelude::*;

use crate::domain::id::RunId;
use crate::domain::preview::first_page;
use crate::domain::run::RunStatus;
use crate::ui::board::faces::{Face, Faces};
use crate::ui::hooks::page;
use crate::ui::panes::{InView, Place};
use crate::ui::screens;
use crate::ui::view_state::{MindView, RunView};
use crate::ui::words::{board as words, preview};

/// Which run the operator catches up with, as a context of the card.
#[derive(Clone, Copy)]
pub struct CatchingUp(pub RwSignal<Option<RunId>>);

/// The offer, or the card.
#[component]
pub fn CatchUpOffer() -> impl IntoView {
    let (run, hidden) = (expect_context::<RunView>().run(), page::hidden());
    let rests = |status: RunStatus| !matches!(status, RunStatus::Queued | RunStatus::Running);
    let ended = Memo::new(move |_| {
        run.with(|run| run.as_ref().filter(|run| rests(run.status) && run.calls > 0).map(|run| run.id))
    });
    let opened = expect_context::<CatchingUp>();
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
                <SeeIt />
                {move || if is_open.get() {
                    view! { class="n", <screens::CatchUp /> }.into_any()
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
fn SeeIt() -> impl IntoView {
    let (mind, faces, in_view) =
        (expect_context::<MindView>(), expect_context::<Faces>(), expect_context::<InView>());
    let page = Memo::new(move |_| mind.files().with(|files| first_page(files).cloned()));
    let see = move |_| {
        faces.preview().set(page.get_untracked());
        faces.show(Face::Preview);
        in_view.0.set(Place::Board);
    };
    view! { class="n",
        <Show when=move || page.get().is_some()>
            <button type="button" class="quiet" data-testid="see-it-run" on:click=see>{preview::SEE}</button>
        </Show>
    }
}
