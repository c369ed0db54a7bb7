//! Registry of the operator's actions, for the palette, the list of shortcuts and the shortcuts themselves.
//!
//! Each section is a function that adds its actions; to add one, write the function and list it in `SECTIONS`. An
//! action does the same as the button on the screen. Loaded lazily.

mod files;
mod places;
mod run;
mod sessions;

use crate::ui::prelude::*;
use nexus_view::strings::palette as words;

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
    pub keywords: Text,
    pub shortcut: Option<ShortcutAction>,
    /// Why the action is unavailable; `None` if it is available.
    pub unavailable: Option<Text>,
    effect: ActionEffect,
}

pub struct ActionList {
    pub actions: Vec<PaletteAction>,
    section: &'static str,
    /// Why the war room cannot be opened; `None` if it can.
    no_war_room: Option<Text>,
    /// Why the session in view cannot be changed; `None` if it can.
    read_only: Option<Text>,
}

type AddActions = fn(&'static Page, &mut ActionList);

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

/// All actions; unavailable ones have a reason. Reactive.
pub fn all_actions(page: &'static Page) -> Vec<PaletteAction> {
    let no_war_room = (!page.settings.get(FIRST_START_DONE).get()).then_some(words::NO_TEAM);
    let read_only = page.sessions.read_only.get().then_some(common::READ_ONLY);
    let mut list = ActionList { actions: Vec::new(), section: "", no_war_room, read_only };
    for &(section, put) in SECTIONS {
        list.section = section.get();
        put(page, &mut list);
    }
    list.actions
}

/// Runs the action of a shortcut; if it is unavailable, shows why.
pub fn run_shortcut(page: &'static Page, act: ShortcutAction) {
    let all = untrack(|| all_actions(page));
    let is_requested = |action: &&PaletteAction| {
        if let ShortcutAction::Named(id) = act { action.id == id } else { action.shortcut == Some(act) }
    };
    let Some(action) = all.iter().find(is_requested) else { return };
    match action.unavailable {
        Some(why_not) => drop(page.notices.add(NoticeKind::Info, action.title.as_str(), why_not)),
        None => action.run(),
    }
}

/// Id, title, and words to find an action by.
type ActionName<I = &'static str, T = Text> = (I, T, Text);

impl ActionList {
    fn on_any_screen(
        &mut self,
        (id, title, keywords): ActionName<impl Into<String>, impl Into<String>>,
        act: impl Fn() + 'static,
    ) -> &mut PaletteAction {
        self.put(id.into(), title.into(), keywords, ActionEffect::OnAnyScreen(Rc::new(act)))
    }

    /// Adds an action that needs the war room, which it opens if another screen is shown.
    fn in_war_room(
        &mut self,
        (id, title, keywords): ActionName<impl Into<String>, impl Into<String>>,
        act: impl Fn(Workspace) + 'static,
    ) -> &mut PaletteAction {
        self.put(id.into(), title.into(), keywords, ActionEffect::InWarRoom(Rc::new(act)))
    }

    /// Adds an action that changes the session in view, and so is unavailable where that can only be read.
    fn change(
        &mut self,
        name: ActionName<impl Into<String>, impl Into<String>>,
        act: impl Fn() + 'static,
    ) -> &mut PaletteAction {
        let read_only = self.read_only;
        self.on_any_screen(name, act).unless(read_only)
    }

    /// Both: it needs the war room, and changes the session in view.
    fn change_in_war_room(
        &mut self,
        name: ActionName<impl Into<String>, impl Into<String>>,
        act: impl Fn(Workspace) + 'static,
    ) -> &mut PaletteAction {
        let read_only = self.read_only;
        self.in_war_room(name, act).unless(read_only)
    }

    fn put(&mut self, id: String, title: String, keywords: Text, effect: ActionEffect) -> &mut PaletteAction {
        // Without the war room no other reason matters.
        let unavailable = self.no_war_room.filter(|_| matches!(effect, ActionEffect::InWarRoom(_)));
        let (section, shortcut) = (self.section, None);
        self.actions.push_mut(PaletteAction { id, section, title, keywords, shortcut, unavailable, effect })
    }
}

impl PaletteAction {
    /// Runs the action; an unavailable one does nothing.
    pub fn run(&self) {
        match (&self.effect, self.unavailable) {
            (_, Some(_)) => {}
            (ActionEffect::OnAnyScreen(act), None) => act(),
            (ActionEffect::InWarRoom(act), None) => match Workspace::now() {
                Some(room) => {
                    // Actions of the war room apply to the present: leave the snapshot first.
                    if !self.id.starts_with(PAST) {
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
