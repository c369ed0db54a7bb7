//! Registry of the operator's actions, for the palette, the list of shortcuts and the shortcuts themselves.
//!
//! Each section is a function that adds its actions; to add one, write the function and list it in `SECTIONS`. An
//! action does the same as the button on the screen. Loaded lazily.

mod files;
mod places;
mod run;
mod sessions;
mod settings;
mod timeline;

use std::rc::Rc;

use leptos::prelude::*;

use crate::ui::dispatch::Dispatch;
use crate::ui::hooks::address::home_path;
use crate::ui::hooks::{address, focus};
use crate::ui::kit::context::expect_context;
use crate::ui::kit::signal::RwSignal;
use crate::ui::view_state::{
    Agents, CoreView, MindView, NoticeKind, Notices, Providers, RunView, Sessions, Settings, WorldReader,
};
use crate::ui::workspace::Workspace;
use nexus_model::settings::schema::FIRST_START_DONE;
use nexus_view::language::Text;
use nexus_view::local_time::LocalTime;
use nexus_view::shortcuts::ShortcutAction;
use nexus_view::strings::common;
use nexus_view::strings::palette as words;

/// What the names of actions begin with that concern a turn as it was.
const PAST: &str = "past-";

#[derive(Clone)]
enum ActionEffect {
    Here(Rc<dyn Fn()>),
    /// Something that the war room can do; who is elsewhere goes there first.
    InRoom(Rc<dyn Fn(Workspace)>),
}

#[derive(Clone)]
pub struct PaletteAction {
    pub id: String,
    pub section: &'static str,
    pub title: String,
    /// Other words by which it is found.
    pub also: &'static str,
    pub act: Option<ShortcutAction>,
    /// Why it cannot be done now; `None` where it can.
    pub why_not: Option<Text>,
    does: ActionEffect,
}

/// What was asked for by a key or a button and is being done: the palette and the sheet as long as they are open,
/// anything else for a moment. A context of every screen.
#[derive(Clone, Copy)]
pub struct KeyboardState(pub RwSignal<Option<ShortcutAction>>);

#[derive(Clone, Copy)]
pub struct ActionContext {
    pub(super) dispatch: Dispatch,
    pub(super) local: LocalTime,
    pub(super) keyboard: KeyboardState,
    pub(super) agents: Agents,
    pub(super) core: CoreView,
    pub(super) mind: MindView,
    pub(super) notices: Notices,
    pub(super) past: WorldReader,
    pub(super) providers: Providers,
    pub(super) run: RunView,
    pub(super) sessions: Sessions,
    pub(super) settings: Settings,
}

pub struct ActionList {
    pub actions: Vec<PaletteAction>,
    section: &'static str,
    /// Why the war room cannot be reached, where it cannot.
    no_room: Option<Text>,
}

type AddActions = fn(&ActionContext, &mut ActionList);

/// The sections, in the order in which they are shown.
const SECTIONS: [(Text, AddActions); 16] = [
    (common::RUN, run::put),
    (common::SESSIONS, sessions::put),
    (common::CONVERSATION, timeline::put),
    (common::CONVERSATION, places::put_timeline),
    (common::AGENTS, sessions::put_agents),
    (words::PLACES, places::put),
    (common::FILES, files::put),
    (common::BOARD, files::put_board),
    (common::BOARD, places::put_board),
    (common::CORE, files::put_core),
    (common::VOICE, timeline::put_voice),
    (common::APPEARANCE, settings::put_appearance),
    (common::DATA, settings::put_data),
    (common::SETTINGS, settings::put),
    (common::NEXUS, settings::put_page),
    (common::NEXUS, places::put_page),
];

impl ActionContext {
    pub fn from_context() -> Self {
        Self {
            dispatch: expect_context(),
            local: expect_context(),
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
    pub fn all(&self) -> Vec<PaletteAction> {
        let no_room = (!self.settings.get(FIRST_START_DONE).get()).then_some(words::NO_TEAM);
        let mut list = ActionList { actions: Vec::new(), section: "", no_room };
        for (section, put) in SECTIONS {
            list.section = section.get();
            put(self, &mut list);
        }
        list.actions
    }

    /// Why nothing can be changed in the session in view, where it cannot.
    fn read_only(&self) -> Option<Text> {
        self.reads().then_some(common::READ_ONLY)
    }

    /// Whether the session in view can only be read here. Tracks it.
    fn reads(&self) -> bool {
        self.sessions.rows.row(&self.sessions.focus.get()).is_some_and(|row| row.with(|row| row.read_only))
    }

    /// Does something. What cannot be done is left alone.
    pub fn run(&self, action: &PaletteAction) {
        match (&action.does, action.why_not) {
            (_, Some(_)) => {}
            (ActionEffect::Here(act), None) => act(),
            (ActionEffect::InRoom(act), None) => match Workspace::now() {
                Some(room) => {
                    // What is done to the war room is done to what is, not to what was.
                    if !action.id.starts_with(PAST) {
                        room.tree.look_at(None);
                    }
                    act(room);
                }
                None => {
                    let act = Rc::clone(act);
                    Workspace::later(Box::new(move |room| act(room)));
                    address::follow(&home_path());
                }
            },
        }
    }

    /// Does what a shortcut is for; where it cannot be done now, that is told.
    pub fn run_act(&self, act: ShortcutAction) {
        let all = untrack(|| self.all());
        let is_it = |action: &&PaletteAction| {
            if let ShortcutAction::Named(id) = act { action.id == id } else { action.act == Some(act) }
        };
        let Some(action) = all.iter().find(is_it) else { return };
        match action.why_not {
            Some(why_not) => drop(self.notices.tell(NoticeKind::Word, action.title.as_str(), why_not)),
            None => self.run(action),
        }
    }
}

impl ActionList {
    /// Adds something that can be done wherever one is; `also` are other words by which it is found.
    fn here(
        &mut self,
        id: impl Into<String>,
        title: impl Into<String>,
        also: &'static str,
        act: impl Fn() + 'static,
    ) -> &mut PaletteAction {
        self.put(id.into(), title.into(), also, ActionEffect::Here(Rc::new(act)))
    }

    /// Adds something that the war room can do.
    fn in_room(
        &mut self,
        id: impl Into<String>,
        title: impl Into<String>,
        also: &'static str,
        act: impl Fn(Workspace) + 'static,
    ) -> &mut PaletteAction {
        self.put(id.into(), title.into(), also, ActionEffect::InRoom(Rc::new(act)))
    }

    fn put(
        &mut self,
        id: String,
        title: String,
        also: &'static str,
        does: ActionEffect,
    ) -> &mut PaletteAction {
        // Without the war room no other reason matters.
        let why_not = self.no_room.filter(|_| matches!(does, ActionEffect::InRoom(_)));
        self.actions.push_mut(PaletteAction {
            id,
            section: self.section,
            title,
            also,
            act: None,
            why_not,
            does,
        })
    }
}

impl PaletteAction {
    fn by(&mut self, act: ShortcutAction) -> &mut Self {
        self.act = Some(act);
        self
    }

    /// Says why it cannot be done now, where that is so. The first reason counts.
    fn unless(&mut self, why_not: Option<Text>) -> &mut Self {
        self.why_not = self.why_not.or(why_not);
        self
    }
}

/// Goes to a screen, and there to the first element that a selector finds.
fn go(path: &str, selector: &str) {
    if !(address::may_write_history() && address::path() == path) {
        address::follow(path);
    }
    focus::lead_when_there(selector.to_owned());
}
