//! The tree screen: all turns of the device as a graph, with sessions as flags at their heads.

pub mod card;
pub mod history_links;
pub mod merge;
pub mod plane;
pub mod reflog;
pub mod state;
pub mod turn_snapshot;

use crate::ui::kit::icon::ScreenBar;
use crate::ui::kit::prelude::*;
use crate::ui::tree_map::card::{FlagList, TurnCard};
use crate::ui::tree_map::merge::MergeDialog;
use crate::ui::tree_map::plane::TreeCanvas;
use crate::ui::tree_map::reflog::CompareTurns;
use crate::ui::tree_map::state::TreeState;
use nexus_view::strings::common;
use nexus_view::strings::tree_layout as words;

lazy_view!(settings, lazy_tree, TreeScreen);

#[component]
pub fn TreeScreen() -> impl IntoMarkup {
    let tree = TreeState::open();
    let summary = move || tree.summary();
    let merges = move || tree.merged.get().is_some();
    let compares = move || tree.compared.get().is_some();
    view! {
        <main class="tree" data-testid="tree" data-done=move || tree.is_done().to_string()>
            <ScreenBar title=common::TREE>
                <p class="hint" role="status" data-testid="tree-summary">{summary}</p>
                <p class="field-problem" role="alert">{move || tree.problem.get()}</p>
            </ScreenBar>
            <div class="tree-panes">
                <TreeCanvas tree />
                <aside class="tree-side" aria-label=words::SIDE>
                    <TurnCard tree />
                    <FlagList tree />
                </aside>
            </div>
            <Show when=merges><MergeDialog tree /></Show>
            <Show when=compares><CompareTurns history=tree.page.history compared=tree.compared /></Show>
        </main>
    }
}
