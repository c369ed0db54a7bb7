//! The right pane, the board: the Core, objective, scratchpad and files.
//!
//! Shows the mind and sends typed text to the drafts.
//!
//! Its tabs are buttons, and views that replace the editing view. The editing view stays mounted meanwhile, so that
//! text, caret and scroll position are kept.

pub mod checks;
pub mod code_text;
pub mod compare;
pub mod comparison;
pub mod core_panel;
pub mod editor;
pub mod memories;
pub mod preview;
pub mod shared_field;

use crate::ui::board::compare::lazy_compare;
use crate::ui::board::core_panel::lazy_core_panel;
use crate::ui::board::editor::FileTabs;
use crate::ui::board::memories::lazy_memories;
use crate::ui::board::preview::lazy_preview;
use crate::ui::board::shared_field::SharedField;
use crate::ui::hooks::events::pixels;
use crate::ui::prelude::*;
use nexus_text::merge3::merge;
use nexus_view::shortcuts::with_shortcut;
use nexus_view::strings::{board as words, panes as pane_words};

#[component]
pub fn Board() -> impl IntoMarkup {
    expect_context::<&Page>().drafts.set_merger(merge);
    let Workspace { panes, tabs, .. } = expect_context();
    let part = move |name: &'static str, field: DraftField, title: Text, hint: Text, is_code: bool| {
        let (title, hint) = (title.get(), hint.get());
        view! {
            <div class="board-part" data-part=name id=format!("part-{name}")><SharedField id=name field title hint is_code /></div>
        }
    };
    let between = move |label: &'static str, size: RwSignal<Option<f64>>, parts, least| {
        splitter(label.to_owned(), size, parts, least)
            .title(pane_words::RESIZE.get())
            .on_save(move || panes.keep())
    };
    // Caps a size chosen in a large window, so that the rest fits into a small one.
    let at_most = |size: RwSignal<Option<f64>>, most: &'static str| {
        move || size.get().map(|size| format!("min({}, {most})", pixels(size)))
    };
    view! {
        <div class="board">
            <div class="board-core">{lazy_slot(lazy_core_panel, |draw| draw())}</div>
            <BoardTabBar />
            <div class="board-shown" data-face=move || tabs.shown.get().name()>
            <div
                class="board-grid" hidden=move || tabs.shown.get().hides_editor()
                data-objective=move || panes.objective.get().map(|_| "sized")
                style:--objective-height=at_most(panes.objective, "50dvh")
                style:--scratchpad-height=at_most(panes.scratchpad, "70dvh")
                style:--texts-width=at_most(panes.texts, "65%")
            >
                {part("objective", DraftField::Objective, common::OBJECTIVE, words::OBJECTIVE_HINT, false)}
                {between(words::OBJECTIVE_HEIGHT.get(), panes.objective, ("part-objective", "part-scratchpad"), (72.0, 96.0)).stacked()}
                {part("scratchpad", DraftField::Scratchpad, common::SCRATCHPAD, words::SCRATCHPAD_HINT, true)}
                {between(words::SCRATCHPAD_HEIGHT.get(), panes.scratchpad, ("part-scratchpad", "part-files"), (96.0, 240.0)).stacked()}
                {between(words::TEXTS_WIDTH.get(), panes.texts, ("part-scratchpad", "part-files"), (240.0, 320.0))}
                <div class="board-part" data-part="files" id="part-files"><FileTabs /></div>
            </div>
            // A view that is shown instead of the editing view.
            {move || match tabs.shown.get() {
                BoardTab::Edit => None,
                BoardTab::Compare => Some(view! { <LazyView load=lazy_compare /> }),
                BoardTab::Preview => Some(view! { <LazyView load=lazy_preview /> }),
                BoardTab::Memories => Some(view! { <LazyView load=lazy_memories /> }),
            }}
            </div>
        </div>
    }
}

#[component]
pub fn BoardTabBar() -> impl IntoMarkup {
    let Workspace { tabs, .. } = expect_context();
    let apple = events::is_apple();
    let tab = move |tab: BoardTab| {
        quiet_button(tab.title())
            .with("data-testid", tab.name())
            .title(with_shortcut(tab.title(), tab.act(), apple))
            .with("aria-pressed", move || (tabs.shown.get() == tab).to_string())
            .on_click(move |_| tabs.shown.set(tab))
    };
    view! {
        <div class="board-faces" role="group" aria-label=words::FACES>{Vec::from(BoardTab::ALL.map(tab))}</div>
    }
}
