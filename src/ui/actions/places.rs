//! Actions that go to a screen or a pane, press a button which the war room shows, open each setting by its name,
//! change the appearance, or concern data and the page.

use crate::ui::actions::{ActionList, ActionName, go};
use crate::ui::prelude::*;
use crate::ui::settings::{SECTIONS, SectionInfo};
use crate::ui::tree_map::history_links::{graph_editor_path, run_import_path};
use crate::ui::workspace::PaneLayout;
use nexus_model::settings::schema::{DENSITY, MOTION, SCHEMA, TEXT_SIZE, THEME};
use nexus_view::strings::settings::limits;
use nexus_view::strings::{palette as words, run_graph};

fn show(room: Workspace, place: Pane) {
    room.pane.set(place);
    let (folded, id) = match place {
        Pane::Agents => (Some(room.panes.agents.folded), "#pane-agents"),
        Pane::Timeline => (None, "#pane-timeline"),
        Pane::Board => (Some(room.panes.board.folded), "#pane-board"),
    };
    if let Some(folded) = folded.filter(|folded| folded.get_untracked()) {
        folded.set(false);
        room.panes.keep();
    }
    focus::focus_when_ready(id.to_owned());
}

fn follow(path: Option<String>) -> impl Fn() {
    move || path.iter().for_each(|path| address::follow(path))
}

const WAR_ROOM: ActionName = ("to-war-room", common::WAR_ROOM, Text("home back chat start"));
const LOCK: ActionName = ("keys-lock", words::LOCK, Text("passphrase secret api key security"));
const PALETTE: ActionName = ("palette", words::EVERYTHING, Text("palette commands actions"));
const KEYS: ActionName = ("keys", common::SHOW_SHORTCUTS, Text("keys hotkeys keyboard help"));
const RELOAD: ActionName = ("reload", common::RELOAD_PAGE, Text("refresh restart renew"));

pub(super) fn put(page: &'static Page, list: &mut ActionList) {
    list.on_any_screen(WAR_ROOM, follow(Some(home_path()))).by(ShortcutAction::WarRoom);
    for screen in Screen::ALL {
        let (title, also, _) = screen.words();
        // The links of these two have parameters.
        if screen == Screen::Run {
            put_run(page, list, title, also);
        } else if screen == Screen::Inspect {
            put_inspector(page, list, title, also);
        } else {
            let name = (format!("to-{}", screen.name()), title, also);
            list.on_any_screen(name, follow(Some(screen_path(screen)))).by(ShortcutAction::Screen(screen));
        }
    }
    for (id, title, act, place) in [
        ("pane-agents", words::TO_AGENTS, ShortcutAction::Agents, Pane::Agents),
        ("pane-timeline", words::TO_TIMELINE, ShortcutAction::Timeline, Pane::Timeline),
        ("pane-board", words::TO_BOARD, ShortcutAction::Board, Pane::Board),
    ] {
        list.in_war_room((id, title, Text("focus left middle right")), move |room| show(room, place)).by(act);
    }
    let panes = Workspace::now().map(|room| room.panes);
    let open = panes.is_some_and(|panes| panes.activity.get());
    list.in_war_room(("activity", words::activity(open), Text("feed news events")), |room| {
        room.pane.set(Pane::Agents);
        room.panes.activity.update(|open| *open = !*open);
        room.panes.keep();
    });
    let side = |panes: PaneLayout, is_left: bool| if is_left { panes.agents } else { panes.board };
    for (id, title, is_left) in [("fold-agents", common::AGENTS, true), ("fold-board", common::BOARD, false)]
    {
        let folded = panes.is_some_and(|panes| side(panes, is_left).folded.get());
        let name = (id, words::fold(title.get(), folded), Text("hide collapse open pane"));
        list.in_war_room(name, move |room| {
            side(room.panes, is_left).folded.update(|folded| *folded = !*folded);
            room.panes.keep();
        });
    }
}

fn put_run(page: &'static Page, list: &mut ActionList, title: Text, also: Text) {
    let run = page.run.run.with_some(|run| Some(run.id));
    list.on_any_screen(("to-run-graph", title, also), follow(run.map(run_graph_path)))
        .unless(run.is_none().then_some(words::NO_ROUND));
    for (id, title, path, opens) in [
        ("run-import", run_graph::IMPORT_RUN, run_import_path(), "[data-testid=run-import]"),
        ("graph-editor", run_graph::EDIT_GRAPHS, graph_editor_path(None), "[data-testid=run-edit-graphs]"),
    ] {
        let name = (id, title, Text("nodes edges template zip json file draw orchestrator"));
        // If the screen is open already, press its button instead.
        list.on_any_screen(name, move || match address::screen() == Some(Screen::Run) {
            true => focus::press(opens),
            false => address::follow(&path),
        });
    }
}

/// Opens the inspector with the newest finished turn; the title names its agent.
fn put_inspector(page: &'static Page, list: &mut ActionList, title: Text, also: Text) {
    let session = page.sessions.focus.get();
    let turn = page.world.with(WorldParts::SESSIONS, |world| {
        let turn = world.ancestry(world.session(&session)?.head).next()?;
        Some((turn.id, turn.agent.clone()))
    });
    let row = turn.as_ref().and_then(|(_, agent)| page.agents.rows.get_untracked(agent));
    let title = row.map_or_else(|| title.to_owned(), |row| words::inspect(&row.agent.identity.name));
    let why_not = turn.is_none().then_some(words::NO_TURN);
    let path = turn.map(|(turn, _)| inspect_path(turn));
    list.on_any_screen(("to-inspector", title, also), follow(path)).unless(why_not);
}

/// The id of each is the test id of the last button that it presses.
const CONVERSATION_BUTTONS: &[ActionName] = &[
    ("composer-size", words::COMPOSER_SIZE, Text("large full screen long prompt editor expand")),
    ("attach", words::ATTACH, Text("image picture pdf document upload open")),
    ("message-edit", words::EDIT_LAST, Text("resend change rewrite message")),
    ("message-again", words::AGAIN, Text("retry try again answer response")),
    ("message-copy", words::COPY_LAST, Text("clipboard answer")),
    ("message-more", words::MENU_LAST, Text("quote pin delete copy inspect")),
    ("turn-actions", words::TURN_ACTIONS, Text("fork rewind regenerate branch snapshot race")),
    ("timeline-newest", words::NEWEST, Text("bottom end scroll latest")),
    ("load-earlier", common::LOAD_EARLIER_TURNS, Text("older history scroll up")),
    ("changes-accept", words::ACCEPT_ALL, Text("keep approve reviewed changes")),
    ("changes-revert", words::REVERT_ALL, Text("undo reject discard changes")),
    ("retry", words::RETRY, Text("try again failed error")),
    ("compaction-stop", words::STOP_COMPACTION, Text("cancel summary")),
];

const BOARD_BUTTONS: &[ActionName] = &[
    ("core-apply", words::CORE_APPLY, Text("accept proposal sync")),
    ("core-dismiss", words::CORE_DISMISS, Text("reject proposal sync")),
    ("file-change", words::FILE_CHANGE, Text("who wrote blame turn")),
    ("code-find", words::FILE_FIND, Text("search replace editor")),
    ("code-go-to", words::FILE_LINE, Text("number jump editor")),
    ("editor-wrap", words::FILE_WRAP, Text("long lines editor")),
];

const PAGE_BUTTONS: &[ActionName] = &[
    ("snapshot-newer", words::NEWER, Text("next turn snapshot time travel")),
    ("work-here", words::WORK_HERE, Text("read-only tab lock edit")),
    ("save-from-memory", common::SAVE_FROM_MEMORY, Text("rescue export storage deleted")),
];

pub(super) fn put_timeline(_: &'static Page, list: &mut ActionList) {
    put_buttons(list, Pane::Timeline, CONVERSATION_BUTTONS);
}

pub(super) fn put_board(_: &'static Page, list: &mut ActionList) {
    put_buttons(list, Pane::Board, BOARD_BUTTONS);
}

/// Buttons of banners and snapshots, and buttons of other screens, which are opened first.
pub(super) fn put_page(page: &'static Page, list: &mut ActionList) {
    put_buttons(list, Pane::Timeline, PAGE_BUTTONS);
    let dispatch = page.dispatch;
    list.on_any_screen(LOCK, move || dispatch.lock());
    let run = page.run.run.with_some(|run| Some(run.id));
    for (id, title, also, screen) in [
        ("agent-add", words::AGENT_ADD, Text("new persona template create"), Screen::Settings),
        ("provider-add", words::PROVIDER_ADD, Text("new host api key base url connection"), Screen::Settings),
        ("trigger-add", words::TRIGGER_ADD, Text("new schedule timer cron"), Screen::Settings),
        ("audit-export", words::AUDIT_EXPORT, Text("jsonl download save events"), Screen::Audit),
        ("usage-copy", words::USAGE_COPY, Text("tokens cost csv spreadsheet"), Screen::Usage),
    ] {
        let selector = format!("[data-testid={id}]");
        list.on_any_screen((id, title, also), move || go(&screen_path(screen), &selector));
    }
    for (id, title, also) in [
        ("run-export", common::EXPORT_RUN, Text("zip download save graph")),
        ("run-copy", words::RUN_COPY, Text("clipboard graph transcript")),
    ] {
        let selector = format!("[data-testid={id}]");
        let go_to = move || run.into_iter().for_each(|run| go(&run_graph_path(run), &selector));
        list.on_any_screen((id, title, also), go_to).unless(run.is_none().then_some(words::NO_ROUND));
    }
}

fn put_buttons(list: &mut ActionList, pane: Pane, all: &[ActionName]) {
    for &(id, title, also) in all {
        let selector = format!("[data-testid={id}]:enabled");
        let is_shown = Workspace::now().is_some() && focus::exists(&selector);
        let press = move |room: Workspace| {
            room.pane.set(pane);
            focus::press(&selector);
        };
        list.in_war_room((id, title, also), press).unless((!is_shown).then_some(words::NOT_SHOWN));
    }
}

pub(super) fn put_settings(page: &'static Page, list: &mut ActionList) {
    let sections =
        SECTIONS.into_iter().map(|SectionInfo { id, name, keywords: also, .. }| (id, name.0, also));
    let shown = SCHEMA.iter().map(|(_, info)| info).filter(|info| info.group != SettingGroup::Hidden);
    let ask_writes = ("rule-ask-writes", limits::ASK_WRITES.0, Text("approve confirm permission write_file"));
    let shown = shown.map(|info| (info.id, info.label, Text(info.keywords)));
    for (id, name, also) in sections.chain(shown).chain([ask_writes]) {
        let selector = format!("#{id}");
        list.on_any_screen((format!("setting-{id}"), tr(name), also), move || {
            // With its place in the address, which a reload shows again.
            go(&settings_path_at(id), &selector)
        });
    }
    for provider in page.providers.all() {
        let (id, title) = (&provider.id, provider.label.clone());
        let selector = format!("[data-provider=\"{id}\"] input, [data-provider=\"{id}\"] summary");
        let name = (format!("provider-{id}"), title, Text("provider api key base url connection"));
        list.on_any_screen(name, move || go(&screen_path(Screen::Settings), &selector));
    }
}

pub(super) fn put_appearance(page: &'static Page, list: &mut ActionList) {
    let &Page { dispatch, settings, .. } = page;
    for choice in [THEME, DENSITY, MOTION] {
        let info = info(choice);
        // An invalid stored value can be corrected here.
        let current = settings.text(choice).get();
        for (value, name) in choice.kind.options {
            let is_current = current == *value || current.is_empty() && choice.kind.default == *value;
            let title = format!("{}: {}", tr(info.label), tr(name).to_lowercase());
            let name = (format!("{}-{value}", choice.name()), title, Text(info.keywords));
            list.on_any_screen(name, move || dispatch.set_setting(choice, *value))
                .unless(is_current.then_some(words::IS_SO));
        }
    }
    let current = settings.get(TEXT_SIZE).get();
    let usual = TEXT_SIZE.kind.default;
    for (id, title, to, why_not) in [
        ("text-larger", words::LARGER, TEXT_SIZE.kind.step(current, 1), words::SIZE_ENDS),
        ("text-smaller", words::SMALLER, TEXT_SIZE.kind.step(current, -1), words::SIZE_ENDS),
        ("text-usual", words::USUAL_SIZE, Some(usual).filter(|usual| current != *usual), words::IS_SO),
    ] {
        let act = move || to.into_iter().for_each(|size| dispatch.set_setting(TEXT_SIZE, size));
        list.on_any_screen((id, title, Text("font size zoom bigger smaller letters")), act)
            .unless(to.is_none().then_some(why_not));
    }
    let on = settings.get(SINGLE_KEYS).get();
    let name = ("single-keys", words::single_keys(on), Text(info(SINGLE_KEYS).keywords));
    list.on_any_screen(name, move || dispatch.set_setting(SINGLE_KEYS, !on));
}

/// The cards of the data section: id, title, words to find it by, and what to focus there.
const DATA: [(&str, Text, Text, &str); 4] = [
    (
        "data-export",
        words::EXPORT,
        Text("download backup save all session file"),
        "[data-testid=data-export]",
    ),
    ("data-import", words::IMPORT, Text("restore backup load dump file"), "#data-import"),
    ("data-points", common::RESTORE_POINTS, Text("backup snapshot go back"), "[data-testid=data-point-make]"),
    (
        "data-reset",
        common::FACTORY_RESET,
        Text("delete everything erase clear wipe remove all"),
        "[data-testid=data-reset]",
    ),
];

pub(super) fn put_data(page: &'static Page, list: &mut ActionList) {
    let &Page { dispatch, notices, .. } = page;
    // The newest notice that offers undo.
    let last = notices.list.with(|list| list.iter().rev().find(|notice| notice.undo.is_some()).cloned());
    let title = last.as_ref().map_or_else(|| common::UNDO.to_owned(), |last| words::undo(&last.title));
    list.on_any_screen(("undo", title, Text("revert restore deleted")), move || {
        notices.take_undo().into_iter().for_each(|undo| dispatch.undo(&undo));
    })
    .unless(last.is_none().then_some(words::NOTHING_TO_UNDO));
    for (id, title, also, card) in DATA {
        list.on_any_screen((id, title, also), move || go(&screen_path(Screen::Settings), card));
    }
}

pub(super) fn put_page_settings(page: &'static Page, list: &mut ActionList) {
    let requested = page.keyboard;
    for (name, act) in [(PALETTE, ShortcutAction::Palette), (KEYS, ShortcutAction::Sheet)] {
        list.on_any_screen(name, move || requested.set(Some(act))).by(act);
    }
    list.on_any_screen(RELOAD, address::reload);
}
