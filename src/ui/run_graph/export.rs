//! The button that exports the run as a ZIP file.

use leptos::task::spawn_local;

use crate::ui::hooks::files::compression::packed;
use crate::ui::hooks::files::download_bytes;
use crate::ui::kit::prelude::*;
use crate::ui::run_graph::state::RunScreenState;
use crate::ui::view_state::{NoticeKind, Notices};
use nexus_view::run_graph::archive::{ArchiveFile, archive};
use nexus_view::strings::run_graph as words;

#[component]
pub(super) fn ExportButton(state: RunScreenState) -> impl IntoMarkup {
    let notices = expect_context::<Notices>();
    let works = RwSignal::new(false);
    let none = move || works.get() || state.diagram().with(Option::is_none);
    let export = move |_| {
        works.set(true);
        spawn_local(async move {
            if export(state).await.is_none() {
                notices.tell(NoticeKind::Problem, words::NOT_EXPORTED, words::NOT_EXPORTED_ADVICE);
            }
            works.try_set(false);
        });
    };
    quiet_button(words::EXPORT).test("run-export").title(words::EXPORT_ABOUT).disabled(none).on_click(export)
}

/// Offers the run as it is now; `None` where that failed.
async fn export(state: RunScreenState) -> Option<()> {
    let files = files(state).await?;
    let files: Vec<_> = files.into_iter().map(|(path, text)| (path, text.into_bytes())).collect();
    let bytes = packed(&files).await?;
    download_bytes(&format!("nexus-run-{}.zip", state.run()), &bytes).then_some(())
}

/// The files of the run as it is now; `None` where they cannot be read.
pub(super) async fn files(state: RunScreenState) -> Option<Vec<ArchiveFile>> {
    // Whatever moment is looked at, all of the run is exported.
    let made = untrack(move || state.with_replay(|replay| replay.diagram_at(replay.len())))?;
    let artifacts = made.nodes.iter().flat_map(|node| &node.artifacts);
    let contents = state.texts(artifacts.filter_map(|made| made.artifact.hash)).await.ok()?;
    untrack(move || state.with_replay(|replay| archive(replay, &contents)))
}
