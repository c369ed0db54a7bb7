//! Actions for sessions and agents.

use crate::ui::actions::{ActionList, ActionName, go};
use crate::ui::dispatch::SessionRemoval;
use crate::ui::prelude::*;
use crate::ui::sessions::offer_conversation;
use crate::ui::workspace::choose_recipient;
use nexus_view::conversation_file::ConversationFormat;
use nexus_view::session_list::next_session;
use nexus_view::strings::{conversation_file as file_words, palette as words, search as finder_words};

const LIST: ActionName = (
    "session-list",
    words::SESSION_LIST,
    Text("switch open archive close reopen delete session restore rename chats conversations threads list"),
);
const FIND: ActionName = (
    "thread-find",
    finder_words::FIND,
    Text("find thread search everything history messages memories all sessions"),
);
const SEND: ActionName = ("thread-send", finder_words::SEND, Text("route thread message session agent"));
const OVERRIDES: ActionName = (
    "message-over",
    words::MESSAGE_OVER,
    Text("override model reasoning effort tools permissions deny ask allow turn"),
);
const NEW: ActionName = ("session-new", common::NEW_SESSION, Text("create new chat conversation thread"));
const ARCHIVE: ActionName =
    ("session-archive", words::SESSION_ARCHIVE, Text("close put away hide chat conversation thread"));
const DELETE: ActionName = ("session-delete", words::SESSION_DELETE, Text("remove chat conversation thread"));
const EXPORT: Text = Text("export save download share print conversation chat session md web page file");
const COMPACT: ActionName =
    ("compact", words::COMPACT, Text("summarize summarise context window older turns compaction shorten"));
const WRITE: ActionName = ("write", words::WRITE, Text("say message composer chat prompt ask"));
const WRITE_ALL: ActionName = ("write-all", words::WRITE_ALL, Text("target broadcast everybody"));
const AGENT_SETTINGS: Text = Text(
    "system prompt persona model reasoning effort thinking temperature permissions change model edit agent",
);

pub(super) fn put(page: &'static Page, list: &mut ActionList) {
    let &Page { dispatch, sessions, world, .. } = page;
    list.in_war_room(LIST, |room| room.dialogs.open(OpenDialog::Sessions(None))).by(ShortcutAction::Sessions);
    list.in_war_room(FIND, |room| room.dialogs.find(String::new())).by(ShortcutAction::FindThread);
    list.in_war_room(SEND, |room| room.dialogs.open(OpenDialog::SendTo));
    list.in_war_room(OVERRIDES, |room| room.overrides.is_open.set(true));
    list.in_war_room(NEW, move |_| dispatch.create_session(String::new(), Mind::default()));
    let focus = sessions.focus.get();
    let row = sessions.rows.row(&focus);
    let label = row.map(|row| row.with(|row| row.label.clone())).unwrap_or_default();
    let next = world.with(WorldParts::SESSIONS, |world| next_session(world, focus));
    let archived = label.clone();
    list.change(ARCHIVE, move || dispatch.remove_session(focus, &archived, SessionRemoval::Archived));
    list.change(DELETE, move || dispatch.remove_session(focus, &label, SessionRemoval::Deleted))
        .unless(next.is_none().then_some(words::LAST_SESSION));
    for (id, title, format) in [
        ("export-markdown", file_words::MARKDOWN, ConversationFormat::Markdown),
        ("export-html", file_words::HTML, ConversationFormat::Html),
    ] {
        list.on_any_screen((id, title, EXPORT), move || offer_conversation(page, focus, format));
    }
    let pinned = row.is_some_and(|row| row.with(|row| row.pinned));
    let pin = ("session-pin", words::pin_session(pinned), Text("favorite favourite star top first list"));
    list.change(pin, move || dispatch.send(Command::PinSession { session: focus, pinned: !pinned }));
    let agent = page.agents.order.get().into_iter().next();
    let no_agent = agent.is_none().then_some(words::NO_TEAM);
    list.change(COMPACT, move || {
        if let Some(agent) = agent.clone() {
            let (session, focus) = (dispatch.session(), String::new());
            dispatch.send(Command::Compact { session, agent, focus });
        }
    })
    .unless(no_agent);
    for id in sessions.rows.order.get() {
        let Some(row) = sessions.rows.row(&id).filter(|_| id != focus) else { continue };
        let title = words::open_session(&reveal(&row.with(|row| row.label.clone())));
        list.on_any_screen((format!("session-{id}"), title, Text("switch session")), move || {
            dispatch.open(id);
            if address::may_write_history() && address::path() != home_path() {
                address::follow(&home_path());
            }
        });
    }
}

const COMPOSER: &str = ".composer-text";

fn write(room: Workspace) {
    room.pane.set(Pane::Timeline);
    focus::focus_when_ready(COMPOSER.to_owned());
}

fn write_to(room: Workspace, dispatch: Dispatch, target: &Target) {
    choose_recipient(dispatch, target);
    write(room);
}

pub(super) fn put_agents(page: &'static Page, list: &mut ActionList) {
    let dispatch = page.dispatch;
    list.change_in_war_room(WRITE, write).by(ShortcutAction::Write);
    list.change_in_war_room(WRITE_ALL, move |room| write_to(room, dispatch, &Target::All));
    for row in page.agents.roster() {
        let (key, name) = (row.agent.key.clone(), row.agent.identity.name.as_str());
        let recipient = key.clone();
        let to = (format!("write-{key}"), words::write_to(name), Text("target ask say message"));
        list.change_in_war_room(to, move |room| {
            write_to(room, dispatch, &Target::Agents(vec![recipient.clone()]))
        });
        let (muted, agent) = (row.flags.muted, key.clone());
        let mute =
            (format!("mute-{key}"), strings::agents::mute_of(name, muted), Text("silence exclude disable"));
        list.change(mute, move || {
            let (session, agent) = (dispatch.session(), agent.clone());
            dispatch.send(Command::SetMuted { session, agent, muted: !muted });
        });
        let (next, agent) = (row.flags.priority.cycled(), key.clone());
        let cycle = (format!("priority-{key}"), words::priority(name, next), Text("order first last"));
        list.change(cycle, move || {
            let (session, agent) = (dispatch.session(), agent.clone());
            dispatch.send(Command::CyclePriority { session, agent });
        });
        let selector = format!(".settings-card[data-agent=\"{key}\"] summary");
        let settings = (format!("settings-{key}"), words::settings_of(name), AGENT_SETTINGS);
        list.on_any_screen(settings, move || go(&screen_path(Screen::Settings), &selector));
    }
}
