//! Never changes an agent's definition.
//!
//! Owns what can be done with the agents: write to them, mute them, let them speak earlier, go to their settings.

use leptos::prelude::*;

use super::{Action, Reach, Shelf, go};
use crate::domain::command::Command;
use crate::domain::session::Target;
use crate::ui::app::settings_path;
use crate::ui::hooks::focus;
use crate::ui::keys::Act;
use crate::ui::panes::Place;
use crate::ui::room::Room;
use crate::ui::words::palette as words;

/// The field in which a message is written.
const COMPOSER: &str = ".composer-text";

fn write(room: Room) {
    room.place.set(Place::Timeline);
    focus::lead_when_there(COMPOSER.to_owned());
}

/// The actions.
pub(super) fn put(reach: &Reach, shelf: &mut Shelf) {
    let dispatch = reach.dispatch;
    let read_only = reach.read_only();
    shelf.put(
        Action::in_room("write", words::WRITE, write)
            .also("say message composer chat")
            .by(Act::Write)
            .unless(read_only),
    );
    shelf.put(
        Action::in_room("write-all", words::WRITE_ALL, |room| {
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
            Action::in_room(format!("write-{key}"), words::write_to(name), move |room| {
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
            Action::here(format!("mute-{key}"), words::mute(name, muted), mute)
                .also("silence leave out")
                .unless(read_only),
        );
        let agent = key.clone();
        let cycle = move || {
            let (session, agent) = (dispatch.session(), agent.clone());
            dispatch.send(Command::CyclePriority { session, agent });
        };
        let next = row.flags.priority.cycled();
        shelf.put(
            Action::here(format!("priority-{key}"), words::priority(name, next), cycle)
                .also("order first last")
                .unless(read_only),
        );
        let selector = format!(".settings-card[data-agent=\"{key}\"] summary");
        shelf.put(
            Action::here(format!("settings-{key}"), words::settings_of(name), move || {
                go(&settings_path(), &selector);
            })
            .also("persona model thinking permissions edit agent"),
        );
    }
}
