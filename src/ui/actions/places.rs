//! Actions that go to a screen or to a pane of the war room.

use super::{ActionContext, ActionList, PaletteAction};
use crate::ui::hooks::address::{help_path, home_path, settings_path, usage_path};
use crate::ui::hooks::{address, focus};
use crate::ui::tree_map::history_links::{
    audit_path, graph_editor_path, inspect_path, run_graph_path, run_import_path, tree_path,
};
use crate::ui::view_state::WorldParts;
use crate::ui::workspace::Workspace;
use crate::ui::workspace::panes::Pane;
use nexus_view::shortcuts::ShortcutAction;
use nexus_view::strings::{agents, board, palette as words, run_graph};

fn show(room: Workspace, place: Pane) {
    room.place.set(place);
    let (folded, id) = match place {
        Pane::Agents => (Some(room.panes.agents.folded), "#pane-agents"),
        Pane::Timeline => (None, "#pane-timeline"),
        Pane::Board => (Some(room.panes.board.folded), "#pane-board"),
    };
    if let Some(folded) = folded.filter(|folded| folded.get_untracked()) {
        folded.set(false);
        room.panes.keep();
    }
    focus::lead_when_there(id.to_owned());
}

pub(super) fn put(reach: &ActionContext, shelf: &mut ActionList) {
    shelf.put(
        PaletteAction::here("to-war-room", words::WAR_ROOM, || address::follow(&home_path()))
            .also("home back chat start")
            .by(ShortcutAction::WarRoom),
    );
    shelf.put(
        PaletteAction::here("to-settings", words::TO_SETTINGS, || address::follow(&settings_path()))
            .also("preferences options configuration api key providers")
            .by(ShortcutAction::Settings),
    );
    shelf.put(
        PaletteAction::here("to-audit", words::AUDIT, || address::follow(&audit_path()))
            .also("audit events log history trail trace")
            .by(ShortcutAction::Audit),
    );
    shelf.put(
        PaletteAction::here("to-tree", words::TREE, || address::follow(&tree_path()))
            .also("turns branches forks merge graph history")
            .by(ShortcutAction::Tree),
    );
    let run = reach.run.run().with(|run| run.as_ref().map(|run| run.id));
    let see_run = move || {
        if let Some(run) = run {
            address::follow(&run_graph_path(run));
        }
    };
    shelf.put(
        PaletteAction::here("to-run-graph", words::RUN_GRAPH, see_run)
            .also("nodes edges agents diagram replay transcript export")
            .unless(run.is_none().then_some(words::NO_ROUND)),
    );
    for (id, title, path, opens) in [
        ("run-import", run_graph::IMPORT_RUN, run_import_path(), "[data-testid=run-import]"),
        ("graph-editor", run_graph::EDIT_GRAPHS, graph_editor_path(), "[data-testid=run-edit-graphs]"),
    ] {
        // Where the screen is in view already, its button shows that part of it.
        let go = move || match address::screen() == address::RUN {
            true => focus::press(opens),
            false => address::follow(&path),
        };
        shelf.put(
            PaletteAction::here(id, title, go).also("nodes edges template zip json file draw orchestrator"),
        );
    }
    shelf.put(
        PaletteAction::here("to-usage", words::USAGE, || address::follow(&usage_path()))
            .also("tokens cost money spending statistics billing day model"),
    );
    shelf.put(
        PaletteAction::here("to-help", words::HELP, || address::follow(&help_path()))
            .also("about version glossary terms documentation docs manual guide how to"),
    );
    let session = reach.sessions.focus().get();
    // The newest turn that ended, and who spoke in it.
    let turn = reach.past.with(WorldParts::SESSIONS, |world| {
        let turn = world.ancestry(world.session(&session)?.head).next()?;
        Some((turn.id, turn.agent.clone()))
    });
    let name = turn
        .as_ref()
        .and_then(|(_, agent)| reach.agents.get_untracked(agent).map(|row| row.agent.identity.name.clone()));
    let title = name.map_or_else(|| words::INSPECT.to_owned(), |name| words::inspect(&name));
    let path = turn.map(|(turn, _)| inspect_path(turn));
    let why_not = path.is_none().then_some(words::NO_TURN);
    let inspect = move || {
        if let Some(path) = &path {
            address::follow(path);
        }
    };
    shelf.put(
        PaletteAction::here("to-inspector", title, inspect)
            .also("inspector request response tokens cost context")
            .unless(why_not),
    );
    for (id, title, act, place) in [
        ("pane-agents", words::TO_AGENTS, ShortcutAction::Agents, Pane::Agents),
        ("pane-timeline", words::TO_TIMELINE, ShortcutAction::Timeline, Pane::Timeline),
        ("pane-board", words::TO_BOARD, ShortcutAction::Board, Pane::Board),
    ] {
        shelf.put(
            PaletteAction::in_room(id, title, move |room| show(room, place))
                .also("focus left middle right")
                .by(act),
        );
    }
    let panes = Workspace::now().map(|room| room.panes);
    let open = panes.is_some_and(|panes| panes.activity.get());
    let toggle = |room: Workspace| {
        room.place.set(Pane::Agents);
        room.panes.activity.update(|open| *open = !*open);
        room.panes.keep();
    };
    shelf.put(PaletteAction::in_room("activity", words::activity(open), toggle).also("feed news events"));
    for (id, title, is_left) in [("fold-agents", agents::PANE, true), ("fold-board", board::PANE, false)] {
        let folded = panes.is_some_and(|panes| {
            let side = if is_left { panes.agents } else { panes.board };
            side.folded.get()
        });
        shelf.put(
            PaletteAction::in_room(id, words::fold(title.get(), folded), move |room| {
                let side = if is_left { room.panes.agents } else { room.panes.board };
                side.folded.update(|folded| *folded = !*folded);
                room.panes.keep();
            })
            .also("hide collapse open pane"),
        );
    }
}
