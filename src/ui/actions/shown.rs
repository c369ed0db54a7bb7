//! Actions that press a button which the war room shows, or lead to one of another screen.

use super::{ActionContext, ActionList, PaletteAction, go};
use crate::ui::hooks::address::{settings_path, usage_path};
use crate::ui::hooks::focus;
use crate::ui::tree_map::history_links::{audit_path, run_graph_path};
use crate::ui::workspace::Workspace;
use crate::ui::workspace::panes::Pane;
use nexus_view::language::Text;
use nexus_view::strings::palette as words;

/// The name of an action and of the button that it presses, the last one of this name; title, other words, pane.
type Press = (&'static str, Text, &'static str, Pane);

const OF_CONVERSATION: [Press; 13] = [
    ("composer-size", words::COMPOSER_SIZE, "large full screen long prompt editor expand", Pane::Timeline),
    ("attach", words::ATTACH, "image picture pdf document upload open", Pane::Timeline),
    ("message-edit", words::EDIT_LAST, "resend change rewrite message", Pane::Timeline),
    ("message-again", words::AGAIN, "retry try again answer response", Pane::Timeline),
    ("message-copy", words::COPY_LAST, "clipboard answer", Pane::Timeline),
    ("message-more", words::MENU_LAST, "quote pin delete copy inspect", Pane::Timeline),
    ("turn-actions", words::TURN_ACTIONS, "fork rewind regenerate branch snapshot race", Pane::Timeline),
    ("timeline-newest", words::NEWEST, "bottom end scroll latest", Pane::Timeline),
    ("load-earlier", words::EARLIER, "older history scroll up", Pane::Timeline),
    ("changes-keep", words::KEEP_ALL, "accept approve reviewed changes", Pane::Timeline),
    ("changes-undo", words::UNDO_ALL, "revert reject discard changes", Pane::Timeline),
    ("retry", words::RETRY, "try again failed error", Pane::Timeline),
    ("compaction-stop", words::STOP_COMPACTION, "cancel summary", Pane::Timeline),
];

const OF_BOARD: [Press; 6] = [
    ("core-apply", words::CORE_APPLY, "accept proposal sync", Pane::Board),
    ("core-dismiss", words::CORE_DISMISS, "reject proposal sync", Pane::Board),
    ("file-change", words::FILE_CHANGE, "who wrote blame turn", Pane::Board),
    ("code-find", words::FILE_FIND, "search replace editor", Pane::Board),
    ("code-go-to", words::FILE_LINE, "number jump editor", Pane::Board),
    ("editor-wrap", words::FILE_WRAP, "long lines editor", Pane::Board),
];

const OF_PAGE: [Press; 3] = [
    ("then-newer", words::NEWER, "next turn snapshot time travel", Pane::Timeline),
    ("work-here", words::WORK_HERE, "read-only tab lock edit", Pane::Timeline),
    ("save-from-memory", words::SAVE_FROM_MEMORY, "rescue export storage deleted", Pane::Timeline),
];

pub(super) fn put_timeline(_: &ActionContext, shelf: &mut ActionList) {
    put(shelf, &OF_CONVERSATION);
}

pub(super) fn put_board(_: &ActionContext, shelf: &mut ActionList) {
    put(shelf, &OF_BOARD);
}

/// Buttons of banners and snapshots, and those of other screens, which are led to.
pub(super) fn put_page(reach: &ActionContext, shelf: &mut ActionList) {
    put(shelf, &OF_PAGE);
    let dispatch = reach.dispatch;
    shelf.put(
        PaletteAction::here("keys-lock", words::LOCK, move || dispatch.lock())
            .also("passphrase secret api key security"),
    );
    let run = reach.run.run().with(|run| run.as_ref().map(|run| run.id));
    for (id, title, also, path) in [
        ("agent-add", words::AGENT_ADD, "new persona template create", settings_path()),
        ("provider-add", words::PROVIDER_ADD, "new host api key base url connection", settings_path()),
        ("trigger-add", words::TRIGGER_ADD, "new schedule timer cron", settings_path()),
        ("audit-export", words::AUDIT_EXPORT, "jsonl download save events", audit_path()),
        ("usage-copy", words::USAGE_COPY, "tokens cost csv spreadsheet", usage_path()),
    ] {
        let selector = format!("[data-testid={id}]");
        shelf.put(PaletteAction::here(id, title, move || go(&path, &selector)).also(also));
    }
    for (id, title, also) in [
        ("run-export", words::RUN_EXPORT, "zip download save graph"),
        ("run-copy", words::RUN_COPY, "clipboard graph transcript"),
    ] {
        let selector = format!("[data-testid={id}]");
        let lead = move || {
            if let Some(run) = run {
                go(&run_graph_path(run), &selector);
            }
        };
        shelf.put(
            PaletteAction::here(id, title, lead).also(also).unless(run.is_none().then_some(words::NO_ROUND)),
        );
    }
}

fn put(shelf: &mut ActionList, all: &[Press]) {
    for &(id, title, also, pane) in all {
        let selector = format!("[data-testid={id}]:enabled");
        let is_shown = Workspace::now().is_some() && focus::is_there(&selector);
        let press = move |room: Workspace| {
            room.place.set(pane);
            focus::press(&selector);
        };
        shelf.put(
            PaletteAction::in_room(id, title, press)
                .also(also)
                .unless((!is_shown).then_some(words::NOT_SHOWN)),
        );
    }
}
