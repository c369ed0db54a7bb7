//! The offer of a run summary below the timeline; opened by itself if the operator was away.

use crate::ui::hooks::page;
use crate::ui::kit::prelude::*;
use crate::ui::run_summary::lazy_run_summary;
use crate::ui::view_state::RunView;
use crate::ui::workspace::OpenRunSummary;
use nexus_model::id::RunId;
use nexus_model::run::RunStatus;
use nexus_view::strings::board as words;

#[component]
pub fn RunSummaryOffer() -> impl IntoMarkup {
    let (run, hidden) = (expect_context::<RunView>().run(), page::hidden());
    let rests = |status: RunStatus| !matches!(status, RunStatus::Queued | RunStatus::Running);
    let ended = select(move || {
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
    let is_open = select(move || opened.0.get().is_some() && opened.0.get() == ended.get());
    let open = move |_| opened.0.set(ended.get_untracked());
    view! {
        <Show when=move || ended.get().is_some()>
            <aside class="catch-up">
                {move || if is_open.get() {
                    view! { <LazyView load=lazy_run_summary /> }
                } else {
                    quiet_button(words::CATCH_UP).test("catch-up-open").on_click(open).into_markup()
                }}
            </aside>
        </Show>
    }
}
