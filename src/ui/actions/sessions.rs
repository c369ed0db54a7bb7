//! Actions for sessions and agents.

use crate::ui::actions::{ActionList, go};
use crate::ui::dispatch::SessionRemoval;
use crate::ui::prelude::*;
use crate::ui::sessions::offer_conversation;
use nexus_view::conversation_file::ConversationFormat;
use nexus_view::session_list::next_session;
use nexus_view::strings::{conversation_file as file_words, palette as words, search as finder_words};

pub(super) fn put(page: &'static Page, list: &mut ActionList) {
    let &Page { dispatch, sessions, world, .. } = page;
    list.in_war_room(
        "session-list",
        words::SESSION_LIST,
        Text(
            "switch open archive close reopen delete session restore rename chats conversations threads list",
        ),
        |room| room.dialogs.open(OpenDialog::Sessions(None)),
    )
    .by(ShortcutAction::Sessions);
    list.in_war_room(
        "thread-find",
        finder_words::FIND,
        Text("find thread search everything history messages memories all sessions"),
        |room| room.dialogs.find(String::new()),
    )
    .by(ShortcutAction::FindThread);
    list.in_war_room("thread-send", finder_words::SEND, Text("route thread message session agent"), |room| {
        room.dialogs.open(OpenDialog::SendTo)
    });
    list.in_war_room(
        "message-over",
        words::MESSAGE_OVER,
        Text("override model reasoning effort tools permissions deny ask allow turn"),
        |room| room.overrides.is_open.set(true),
    );
    let create = move |_| dispatch.create_session(String::new(), Mind::default());
    list.in_war_room("session-new", common::NEW_SESSION, Text("create new chat conversation thread"), create);
    let focus = sessions.focus.get();
    let label = sessions.rows.row(&focus).map(|row| row.with(|row| row.label.clone())).unwrap_or_default();
    let next = world.with(WorldParts::SESSIONS, |world| next_session(world, focus));
    let archived = label.clone();
    let archive = move || dispatch.remove_session(focus, &archived, SessionRemoval::Archived);
    let delete = move || dispatch.remove_session(focus, &label, SessionRemoval::Deleted);
    list.change(
        "session-archive",
        words::SESSION_ARCHIVE,
        Text("close put away hide chat conversation thread"),
        archive,
    );
    list.change("session-delete", words::SESSION_DELETE, Text("remove chat conversation thread"), delete)
        .unless(next.is_none().then_some(words::LAST_SESSION));

    for (id, title, format) in [
        ("export-markdown", file_words::MARKDOWN, ConversationFormat::Markdown),
        ("export-html", file_words::HTML, ConversationFormat::Html),
    ] {
        list.on_any_screen(
            id,
            title,
            Text("export save download share print conversation chat session md web page file"),
            move || offer_conversation(page, focus, format),
        );
    }
    let pinned = sessions.rows.row(&focus).is_some_and(|row| row.with(|row| row.pinned));
    list.change(
        "session-pin",
        words::pin_session(pinned),
        Text("favorite favourite star top first list"),
        move || {
            dispatch.send(Command::PinSession { session: focus, pinned: !pinned });
        },
    );
    let agent = page.agents.order.get().into_iter().next();
    let no_agent = agent.is_none().then_some(words::NO_TEAM);
    let compact = move || {
        if let Some(agent) = agent.clone() {
            let focus = String::new();
            let command = MaintenanceCommand::Compact { session: dispatch.session(), agent, focus };
            dispatch.send(Command::Archivist(command));
        }
    };
    list.change(
        "compact",
        words::COMPACT,
        Text("summarize summarise context window older turns compaction shorten"),
        compact,
    )
    .unless(no_agent);
    for id in sessions.rows.order.get() {
        let Some(row) = sessions.rows.row(&id).filter(|_| id != focus) else { continue };
        let title = words::open_session(&reveal(&row.with(|row| row.label.clone())));
        let open = move || {
            dispatch.open(id);
            if address::may_write_history() && address::path() != home_path() {
                address::follow(&home_path());
            }
        };
        list.on_any_screen(format!("session-{id}"), title, Text("switch session"), open);
    }
}

const COMPOSER: &str = ".composer-text";

fn write(room: Workspace) {
    room.pane.set(Pane::Timeline);
    focus::focus_when_ready(COMPOSER.to_owned());
}

pub(super) fn put_agents(page: &'static Page, list: &mut ActionList) {
    let dispatch = page.dispatch;
    list.change_in_war_room("write", words::WRITE, Text("say message composer chat prompt ask"), write)
        .by(ShortcutAction::Write);
    list.change_in_war_room("write-all", words::WRITE_ALL, Text("target broadcast everybody"), |room| {
        room.target.set(Target::All);
        write(room);
    });
    for key in page.agents.order.get() {
        let Some(row) = page.agents.rows.row(&key).map(|row| row.get()) else { continue };
        let name = row.agent.identity.name.as_str();
        let recipient = key.clone();
        list.change_in_war_room(
            format!("write-{key}"),
            words::write_to(name),
            Text("target ask say message"),
            move |room| {
                room.target.set(Target::Agents(vec![recipient.clone()]));
                write(room);
            },
        );
        let (muted, agent) = (row.flags.muted, key.clone());
        let mute = move || {
            let (session, agent) = (dispatch.session(), agent.clone());
            dispatch.send(Command::SetMuted { session, agent, muted: !muted });
        };
        list.change(format!("mute-{key}"), words::mute(name, muted), Text("silence exclude disable"), mute);
        let agent = key.clone();
        let cycle = move || {
            let (session, agent) = (dispatch.session(), agent.clone());
            dispatch.send(Command::CyclePriority { session, agent });
        };
        let next = row.flags.priority.cycled();
        list.change(format!("priority-{key}"), words::priority(name, next), Text("order first last"), cycle);
        let selector = format!(".settings-card[data-agent=\"{key}\"] summary");
        list.on_any_screen(
            format!("settings-{key}"),
            words::settings_of(name),
            Text("system prompt persona model reasoning effort thinking temperature permissions change model edit agent"),
            move || go(&screen_path(Screen::Settings), &selector),
        );
    }
}
