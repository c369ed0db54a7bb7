//! Actions for agents: write to them, mute them, raise their priority, open their settings.

use super::{ActionContext, ActionList, PaletteAction, go};
use crate::ui::hooks::address::settings_path;
use crate::ui::hooks::focus;
use crate::ui::workspace::Workspace;
use crate::ui::workspace::panes::Pane;
use nexus_model::command::Command;
use nexus_model::session::Target;
use nexus_view::shortcuts::ShortcutAction;
use nexus_view::strings::palette as words;

/// The field in which a message is written.
const COMPOSER: &str = ".composer-text";

fn write(room: Workspace) {
    room.place.set(Pane::Timeline);
    focus::lead_when_there(COMPOSER.to_owned());
}

pub(super) fn put(reach: &ActionContext, shelf: &mut ActionList) {
    let dispatch = reach.dispatch;
    let read_only = reach.read_only();
    shelf.put(
        PaletteAction::in_room("write", words::WRITE, write)
            .also("say message composer chat prompt ask")
            .by(ShortcutAction::Write)
            .unless(read_only),
    );
    shelf.put(
        PaletteAction::in_room("write-all", words::WRITE_ALL, |room| {
            room.target.set(Target::All);
            write(room);
        })
        .also("target broadcast everybody")
        .unless(read_only),
    );
    for key in reach.agents.order().get() {
        let Some(row) = reach.agents.row(&key).map(|row| row.get()) else { continue };
        let name = row.agent.identity.name.as_str();
        let aimed = key.clone();
        shelf.put(
            PaletteAction::in_room(format!("write-{key}"), words::write_to(name), move |room| {
                room.target.set(Target::Agents(vec![aimed.clone()]));
                write(room);
            })
            .also("target ask say message")
            .unless(read_only),
        );
        let (muted, agent) = (row.flags.muted, key.clone());
        let mute = move || {
            let (session, agent) = (dispatch.session(), agent.clone());
            dispatch.send(Command::SetMuted { session, agent, muted: !muted });
        };
        shelf.put(
            PaletteAction::here(format!("mute-{key}"), words::mute(name, muted), mute)
                .also("silence exclude disable")
                .unless(read_only),
        );
        let agent = key.clone();
        let cycle = move || {
            let (session, agent) = (dispatch.session(), agent.clone());
            dispatch.send(Command::CyclePriority { session, agent });
        };
        let next = row.flags.priority.cycled();
        shelf.put(
            PaletteAction::here(format!("priority-{key}"), words::priority(name, next), cycle)
                .also("order first last")
                .unless(read_only),
        );
        let selector = format!(".settings-card[data-agent=\"{key}\"] summary");
        shelf.put(
            PaletteAction::here(format!("settings-{key}"), words::settings_of(name), move || {
                go(&settings_path(), &selector);
            })
            .also("system prompt persona model reasoning effort thinking temperature permissions change model edit agent"),
        );
    }
}
