//! Never changes anything by itself: what is done goes the way that a button of the screen goes.
//!
//! Owns the registry of all that the operator can do, for the palette, the sheet of keys and the shortcuts. A section is
//! one function that puts its actions on the shelf; to add one: a function, and its name in [`SECTIONS`]. It is a part
//! of the program that comes when it is first wanted.

mod agents;
mod board;
mod data;
mod files;
mod looks;
mod places;
mod run;
mod sessions;
mod settings;
mod timeline;
mod voice;

use std::rc::Rc;

use leptos::prelude::*;

use crate::ui::app::home_path;
use crate::ui::dispatch::Dispatch;
use crate::ui::hooks::{address, focus};
use crate::ui::keyboard::Keyboard;
use crate::ui::keys::Act;
use crate::ui::room::Room;
use crate::ui::start::FIRST_START_DONE;
use crate::ui::view_state::{
    Agents, CoreView, MindView, NoticeKind, Notices, Past, Providers, RunView, Sessions, Settings,
};
use crate::ui::words::palette as words;

/// What the names of actions begin with that concern a turn as it was.
const PAST: &str = "past-";

/// What an action does.
#[derive(Clone)]
enum Does {
    /// Something wherever one is.
    Here(Rc<dyn Fn()>),
    /// Something that the war room can do; who is elsewhere goes there first.
    InRoom(Rc<dyn Fn(Room)>),
}

/// Something that the operator can do.
#[derive(Clone)]
pub struct Action {
    /// What it is, among all others.
    pub id: String,
    /// Where it belongs.
    pub section: &'static str,
    /// What it is called.
    pub title: String,
    /// Other words by which it is found.
    pub also: &'static str,
    /// Its shortcut.
    pub act: Option<Act>,
    /// Why it cannot be done now; `None` where it can.
    pub why_not: Option<&'static str>,
    does: Does,
}

/// What the sections look at.
#[derive(Clone, Copy)]
pub struct Reach {
    pub(super) dispatch: Dispatch,
    pub(super) keyboard: Keyboard,
    pub(super) agents: Agents,
    pub(super) core: CoreView,
    pub(super) mind: MindView,
    pub(super) notices: Notices,
    pub(super) past: Past,
    pub(super) providers: Providers,
    pub(super) run: RunView,
    pub(super) sessions: Sessions,
    pub(super) settings: Settings,
}

/// What the actions of one collection are put on.
pub struct Shelf {
    /// The actions, in their order.
    pub actions: Vec<Action>,
    section: &'static str,
    /// Why the war room cannot be reached, where it cannot.
    no_room: Option<&'static str>,
}

/// Puts the actions of a section on the shelf.
type Put = fn(&Reach, &mut Shelf);

/// The sections, in the order in which they are shown.
const SECTIONS: [(&str, Put); 13] = [
    (words::RUN, run::put),
    (words::SESSIONS, sessions::put),
    (words::TIMELINE, timeline::put),
    (words::AGENTS, agents::put),
    (words::PLACES, places::put),
    (words::FILES, files::put),
    (words::BOARD, board::put),
    (words::CORE, board::put_core),
    (words::VOICE, voice::put),
    (words::LOOKS, looks::put),
    (words::DATA, data::put),
    (words::SETTINGS, settings::put),
    (words::NEXUS, data::put_page),
];

impl Reach {
    /// What is in reach of this place of the page.
    pub fn from_context() -> Self {
        Self {
            dispatch: expect_context(),
            keyboard: expect_context(),
            agents: expect_context(),
            core: expect_context(),
            mind: expect_context(),
            notices: expect_context(),
            past: expect_context(),
            providers: expect_context(),
            run: expect_context(),
            sessions: expect_context(),
            settings: expect_context(),
        }
    }

    /// Everything that can be done, and what cannot be done now with its reason. Tracks what that depends on.
    pub fn all(&self) -> Vec<Action> {
        let no_room = (!self.settings.is_on(FIRST_START_DONE).get()).then_some(words::NO_TEAM);
        let mut shelf = Shelf { actions: Vec::new(), section: "", no_room };
        for (section, put) in SECTIONS {
            shelf.section = section;
            put(self, &mut shelf);
        }
        shelf.actions
    }

    /// Why nothing can be changed in the session in view, where it cannot.
    fn read_only(&self) -> Option<&'static str> {
        self.reads().then_some(words::READ_ONLY)
    }

    /// Whether the session in view can only be read here. Tracks it.
    fn reads(&self) -> bool {
        self.sessions.row(&self.sessions.focus().get()).is_some_and(|row| row.with(|row| row.read_only))
    }

    /// Does something. What cannot be done is left alone.
    pub fn run(&self, action: &Action) {
        match (&action.does, action.why_not) {
            (_, Some(_)) => {}
            (Does::Here(act), None) => act(),
            (Does::InRoom(act), None) => match Room::now() {
                Some(room) => {
                    // What is done to the war room is done to what is, not to what was.
                    if !action.id.starts_with(PAST) {
                        room.tree.look_at(None);
                    }
                    act(room);
                }
                None => {
                    let act = Rc::clone(act);
                    Room::later(Box::new(move |room| act(room)));
                    address::follow(&home_path());
                }
            },
        }
    }

    /// Does what a shortcut is for; where it cannot be done now, that is told.
    pub fn run_act(&self, act: Act) {
        let all = untrack(|| self.all());
        let Some(action) = all.iter().find(|action| action.act == Some(act)) else { return };
        match action.why_not {
            Some(why_not) => drop(self.notices.tell(NoticeKind::Word, action.title.as_str(), why_not)),
            None => self.run(action),
        }
    }
}

impl Shelf {
    /// Puts an action there.
    fn put(&mut self, action: Action) {
        let no_room = match action.does {
            Does::Here(_) => None,
            Does::InRoom(_) => self.no_room,
        };
        // Without the war room no other reason matters.
        let why_not = no_room.or(action.why_not);
        self.actions.push(Action { section: self.section, why_not, ..action });
    }
}

impl Action {
    /// Something that can be done wherever one is.
    fn here(id: impl Into<String>, title: impl Into<String>, act: impl Fn() + 'static) -> Self {
        Self::of(id.into(), title.into(), Does::Here(Rc::new(act)))
    }

    /// Something that the war room can do.
    fn in_room(id: impl Into<String>, title: impl Into<String>, act: impl Fn(Room) + 'static) -> Self {
        Self::of(id.into(), title.into(), Does::InRoom(Rc::new(act)))
    }

    fn of(id: String, title: String, does: Does) -> Self {
        Self { id, section: "", title, also: "", act: None, why_not: None, does }
    }

    /// Finds it by these words too.
    fn also(self, also: &'static str) -> Self {
        Self { also, ..self }
    }

    /// Gives it its shortcut.
    fn by(self, act: Act) -> Self {
        Self { act: Some(act), ..self }
    }

    /// Says why it cannot be done now, where that is so. The first reason counts.
    fn unless(self, why_not: Option<&'static str>) -> Self {
        Self { why_not: self.why_not.or(why_not), ..self }
    }
}

/// Goes to a screen, and there to the first element that a selector finds.
fn go(path: &str, selector: &str) {
    if !(address::may_write_history() && address::path() == path) {
        address::follow(path);
    }
    focus::lead_when_there(selector.to_owned());
}
