//! The bar above the composer: what agents changed and nobody has reviewed, and what can be done about it.

use crate::ui::board::compare::state::{CompareState, Unreviewed};
use crate::ui::kit::prelude::*;
use crate::ui::tree_map::history_links::run_graph_path;
use crate::ui::view_state::{MindView, RunView, Sessions};
use crate::ui::workspace::board_tabs::{BoardTab, BoardTabState};
use crate::ui::workspace::dialogs::{DialogState, OpenDialog};
use crate::ui::workspace::panes::{ActivePane, Pane};
use nexus_model::mind::preview::first_page;
use nexus_view::strings::board::compare as words;
use nexus_view::strings::board::preview;
use nexus_view::strings::checks;
use nexus_view::strings::run_graph;

lazy_view!(board, lazy_changes_bar, ChangesBar);

/// The place of the bar, empty while agents work: what they change is not done yet.
#[component]
pub fn ChangesBarSlot() -> impl IntoMarkup {
    let run = expect_context::<RunView>();
    let (run, works) = (run.run(), run.works());
    let rests = select(move || !works.get() && run.with(|run| run.as_ref().is_some_and(|run| run.calls > 0)));
    let bar = loaded(lazy_changes_bar);
    move || rests.get().then(|| bar.get().map(|draw| draw()))
}

#[component]
pub fn ChangesBar() -> impl IntoMarkup {
    let state = CompareState::open(Selector::fixed(None));
    let (faces, in_view) = (expect_context::<BoardTabState>(), expect_context::<ActivePane>());
    let (mind, read_only) = (expect_context::<MindView>(), expect_context::<Sessions>().read_only());
    let dialogs = expect_context::<DialogState>();
    let left = select(move || state.unreviewed());
    let page = select(move || mind.files().with(|files| first_page(files).cloned()));
    let show = move |face| {
        faces.show(face);
        in_view.0.set(Pane::Board);
    };
    let changes = move |left: Unreviewed| {
        let review = move |_| {
            faces.base().set(None);
            show(BoardTab::Compare);
        };
        view! {
            <span class="changes-told" data-testid="changes-told">
                {words::changed(left.files, left.others)}
                <span class="lines-added">{format!("+{}", left.lines.added)}</span>
                <span class="lines-removed">{format!("−{}", left.lines.removed)}</span>
            </span>
            {button(words::REVIEW).test("changes-review").on_click(review)}
            {quiet_button(words::KEEP_ALL).test("changes-keep").title(words::ACCEPT_ABOUT).disabled(read_only)
                .on_click(move |_| state.accept_all())}
            {quiet_button(words::UNDO_ALL).test("changes-undo").title(words::REVERT_ABOUT).disabled(read_only)
                .on_click(move |_| state.revert_everything())}
        }
    };
    let run = move |_| {
        faces.preview().set(page.get_untracked());
        show(BoardTab::Preview);
    };
    let newest = expect_context::<RunView>().run();
    let graph = move || {
        let path = run_graph_path(newest.with(|run| run.as_ref().map(|run| run.id))?);
        Some(
            view! { <a class="quiet" href=path data-testid="run-graph-link" title=run_graph::OPEN_ABOUT>{run_graph::OPEN}</a> },
        )
    };
    view! {
        <Show when=move || left.get().is_some() || page.with(Option::is_some)>
            <div class="changes-bar" role="group" aria-label=words::TITLE data-testid="changes-bar">
                {move || left.get().map(changes)}
                <Show when=move || mind.files().with(|files| !files.is_empty())>
                    {quiet_button(checks::RUN).test("run-checks").title(checks::RUN_ABOUT)
                        .on_click(move |_| dialogs.open(OpenDialog::Checks))}
                </Show>
                <Show when=move || page.with(Option::is_some)>
                    {quiet_button(preview::see()).test("see-it-run").on_click(run)}
                </Show>
                {graph}
            </div>
        </Show>
    }
}
