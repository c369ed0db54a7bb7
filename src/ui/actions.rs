//! Registry of the operator's actions, for the palette, the list of shortcuts and the shortcuts themselves.
//!
//! Each section is a function that adds its actions; to add one, write the function and list it in `SECTIONS`. An
//! action does the same as the button on the screen. Loaded lazily.

mod files;
mod places;
mod run;
mod sessions;

use std::rc::Rc;

use leptos::prelude::*;

use crate::ui::dispatch::Dispatch;
use crate::ui::hooks::address::home_path;
use crate::ui::hooks::{address, focus};
use crate::ui::kit::context::expect_context;
use crate::ui::kit::signal::RwSignal;
use crate::ui::view_state::{NoticeKind, ViewState};
use crate::ui::workspace::Workspace;
use nexus_model::settings::schema::FIRST_START_DONE;
use nexus_view::language::Text;
use nexus_view::local_time::LocalTime;
use nexus_view::shortcuts::ShortcutAction;
use nexus_view::strings::{common, palette as words};

/// Id prefix of actions on a snapshot.
const PAST: &str = "past-";

#[derive(Clone)]
enum ActionEffect {
    OnAnyScreen(Rc<dyn Fn()>),
    /// Needs the war room; other screens navigate there first.
    InWarRoom(Rc<dyn Fn(Workspace)>),
}

#[derive(Clone)]
pub struct PaletteAction {
    pub id: String,
    pub section: &'static str,
    pub title: String,
    /// Search synonyms.
    pub keywords: Text,
    pub shortcut: Option<ShortcutAction>,
    /// Why the action is unavailable; `None` if it is available.
    pub unavailable: Option<Text>,
    effect: ActionEffect,
}

/// The requested shortcut while it is in progress: palette and sheet as long as they are open, others for a moment. A
/// context of every screen.
#[derive(Clone, Copy)]
pub struct KeyboardState(pub RwSignal<Option<ShortcutAction>>);

#[derive(Clone, Copy)]
pub struct ActionContext {
    pub(super) dispatch: Dispatch,
    pub(super) local: LocalTime,
    pub(super) keyboard: KeyboardState,
    pub(super) view: ViewState,
}

pub struct ActionList {
    pub actions: Vec<PaletteAction>,
    section: &'static str,
    /// Why the war room cannot be opened; `None` if it can.
    no_war_room: Option<Text>,
}

type AddActions = fn(&ActionContext, &mut ActionList);

/// Sections in display order.
const SECTIONS: &[(Text, AddActions)] = &[
    (common::RUN, run::put),
    (common::SESSIONS, sessions::put),
    (common::CONVERSATION, run::put_timeline),
    (common::CONVERSATION, places::put_timeline),
    (common::AGENTS, sessions::put_agents),
    (words::PLACES, places::put),
    (common::FILES, files::put),
    (common::BOARD, files::put_board),
    (common::BOARD, places::put_board),
    (common::CORE, files::put_core),
    (common::VOICE, run::put_voice),
    (common::APPEARANCE, places::put_appearance),
    (common::DATA, places::put_data),
    (common::SETTINGS, places::put_settings),
    (common::NEXUS, places::put_page_settings),
    (common::NEXUS, places::put_page),
];

impl ActionContext {
    pub fn from_context() -> Self {
        let dispatch = expect_context::<Dispatch>();
        Self { dispatch, local: expect_context(), keyboard: expect_context(), view: dispatch.view() }
    }

    /// All actions; unavailable ones have a reason. Reactive.
    pub fn all(&self) -> Vec<PaletteAction> {
        let no_war_room = (!self.view.settings.get(FIRST_START_DONE).get()).then_some(words::NO_TEAM);
        let mut list = ActionList { actions: Vec::new(), section: "", no_war_room };
        for &(section, put) in SECTIONS {
            list.section = section.get();
            put(self, &mut list);
        }
        list.actions
    }

    /// Why the session in view cannot be changed; `None` if it can.
    fn read_only(&self) -> Option<Text> {
        self.is_read_only().then_some(common::READ_ONLY)
    }

    /// True if the session in view is read-only here. Reactive.
    fn is_read_only(&self) -> bool {
        let sessions = self.view.sessions;
        sessions.rows.row(&sessions.focus.get()).is_some_and(|row| row.with(|row| row.read_only))
    }

    /// Runs an action; an unavailable one does nothing.
    pub fn run(&self, action: &PaletteAction) {
        match (&action.effect, action.unavailable) {
            (_, Some(_)) => {}
            (ActionEffect::OnAnyScreen(act), None) => act(),
            (ActionEffect::InWarRoom(act), None) => match Workspace::now() {
                Some(room) => {
                    // Actions of the war room apply to the present: leave the snapshot first.
                    if !action.id.starts_with(PAST) {
                        room.dialogs.show_snapshot(None);
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

    /// Runs the action of a shortcut; if it is unavailable, shows why.
    pub fn run_act(&self, act: ShortcutAction) {
        let all = untrack(|| self.all());
        let is_requested = |action: &&PaletteAction| {
            if let ShortcutAction::Named(id) = act { action.id == id } else { action.shortcut == Some(act) }
        };
        let Some(action) = all.iter().find(is_requested) else { return };
        match action.unavailable {
            Some(why_not) => drop(self.view.notices.add(NoticeKind::Info, action.title.as_str(), why_not)),
            None => self.run(action),
        }
    }
}

impl ActionList {
    /// Adds an action that works on every screen; `also` are search synonyms.
    fn on_any_screen(
        &mut self,
        id: impl Into<String>,
        title: impl Into<String>,
        also: Text,
        act: impl Fn() + 'static,
    ) -> &mut PaletteAction {
        self.put(id.into(), title.into(), also, ActionEffect::OnAnyScreen(Rc::new(act)))
    }

    /// Adds an action of the war room.
    fn in_war_room(
        &mut self,
        id: impl Into<String>,
        title: impl Into<String>,
        also: Text,
        act: impl Fn(Workspace) + 'static,
    ) -> &mut PaletteAction {
        self.put(id.into(), title.into(), also, ActionEffect::InWarRoom(Rc::new(act)))
    }

    fn put(&mut self, id: String, title: String, keywords: Text, effect: ActionEffect) -> &mut PaletteAction {
        // Without the war room no other reason matters.
        let unavailable = self.no_war_room.filter(|_| matches!(effect, ActionEffect::InWarRoom(_)));
        self.actions.push_mut(PaletteAction {
            id,
            section: self.section,
            title,
            keywords,
            shortcut: None,
            unavailable,
            effect,
        })
    }
}

impl PaletteAction {
    fn by(&mut self, act: ShortcutAction) -> &mut Self {
        self.shortcut = Some(act);
        self
    }

    /// Makes the action unavailable for this reason. The first reason wins.
    fn unless(&mut self, why_not: Option<Text>) -> &mut Self {
        self.unavailable = self.unavailable.or(why_not);
        self
    }
}

/// Opens a screen and focuses the first element that matches a selector.
fn go(path: &str, selector: &str) {
    if !(address::may_write_history() && address::path() == path) {
        address::follow(path);
    }
    focus::focus_when_ready(selector.to_owned());
}
