//! Actions for sessions and agents.

use crate::ui::actions::{ActionContext, ActionList, go};
use crate::ui::dispatch::SessionRemoval;
use crate::ui::hooks::address::{home_path, screen_path};
use crate::ui::hooks::{address, focus};
use crate::ui::sessions::ConversationExport;
use crate::ui::view_state::WorldParts;
use crate::ui::workspace::{OpenDialog, Pane, Workspace};
use nexus_model::command::{Command, MaintenanceCommand};
use nexus_model::mind::Mind;
use nexus_model::session::Target;
use nexus_text::invisible::reveal;
use nexus_view::conversation_file::ConversationFormat;
use nexus_view::language::Text;
use nexus_view::session_list::next_session;
use nexus_view::shortcuts::ShortcutAction;
use nexus_view::shortcuts::screens::Screen;
use nexus_view::strings::{
    common, conversation_file as file_words, palette as words, search as finder_words,
};

pub(super) fn put(context: &ActionContext, list: &mut ActionList) {
    let dispatch = context.dispatch;
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
    let focus = context.view.sessions.focus.get();
    let read_only = context.read_only();
    let (notices, label) = (
        context.view.notices,
        context.view.sessions.rows.row(&focus).map(|row| row.with(|row| row.label.clone())),
    );
    let next = context.view.world.with(WorldParts::SESSIONS, |world| next_session(world, focus));
    let label = label.unwrap_or_default();
    let archived = label.clone();
    let archive = move || dispatch.remove_session(focus, &archived, SessionRemoval::Archived);
    let delete = move || dispatch.remove_session(focus, &label, SessionRemoval::Deleted);
    list.on_any_screen(
        "session-archive",
        words::SESSION_ARCHIVE,
        Text("close put away hide chat conversation thread"),
        archive,
    )
    .unless(read_only);
    list.on_any_screen(
        "session-delete",
        words::SESSION_DELETE,
        Text("remove chat conversation thread"),
        delete,
    )
    .unless(read_only)
    .unless(next.is_none().then_some(words::LAST_SESSION));
    let export = ConversationExport { dispatch, world: context.view.world, notices, local: context.local };
    for (id, title, format) in [
        ("export-markdown", file_words::MARKDOWN, ConversationFormat::Markdown),
        ("export-html", file_words::HTML, ConversationFormat::Html),
    ] {
        list.on_any_screen(
            id,
            title,
            Text("export save download share print conversation chat session md web page file"),
            move || export.offer(focus, format),
        );
    }
    let pinned = context.view.sessions.rows.row(&focus).is_some_and(|row| row.with(|row| row.pinned));
    list.on_any_screen(
        "session-pin",
        words::pin_session(pinned),
        Text("favorite favourite star top first list"),
        move || {
            dispatch.send(Command::PinSession { session: focus, pinned: !pinned });
        },
    )
    .unless(read_only);
    let agent = context.view.agents.order.get().into_iter().next();
    let no_agent = agent.is_none().then_some(words::NO_TEAM);
    let compact = move || {
        if let Some(agent) = agent.clone() {
            let focus = String::new();
            let command = MaintenanceCommand::Compact { session: dispatch.session(), agent, focus };
            dispatch.send(Command::Archivist(command));
        }
    };
    list.on_any_screen(
        "compact",
        words::COMPACT,
        Text("summarize summarise context window older turns compaction shorten"),
        compact,
    )
    .unless(read_only)
    .unless(no_agent);
    for id in context.view.sessions.rows.order.get() {
        let Some(row) = context.view.sessions.rows.row(&id).filter(|_| id != focus) else { continue };
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

pub(super) fn put_agents(context: &ActionContext, list: &mut ActionList) {
    let dispatch = context.dispatch;
    let read_only = context.read_only();
    list.in_war_room("write", words::WRITE, Text("say message composer chat prompt ask"), write)
        .by(ShortcutAction::Write)
        .unless(read_only);
    list.in_war_room("write-all", words::WRITE_ALL, Text("target broadcast everybody"), |room| {
        room.target.set(Target::All);
        write(room);
    })
    .unless(read_only);
    for key in context.view.agents.order.get() {
        let Some(row) = context.view.agents.rows.row(&key).map(|row| row.get()) else { continue };
        let name = row.agent.identity.name.as_str();
        let recipient = key.clone();
        list.in_war_room(
            format!("write-{key}"),
            words::write_to(name),
            Text("target ask say message"),
            move |room| {
                room.target.set(Target::Agents(vec![recipient.clone()]));
                write(room);
            },
        )
        .unless(read_only);
        let (muted, agent) = (row.flags.muted, key.clone());
        let mute = move || {
            let (session, agent) = (dispatch.session(), agent.clone());
            dispatch.send(Command::SetMuted { session, agent, muted: !muted });
        };
        list.on_any_screen(
            format!("mute-{key}"),
            words::mute(name, muted),
            Text("silence exclude disable"),
            mute,
        )
        .unless(read_only);
        let agent = key.clone();
        let cycle = move || {
            let (session, agent) = (dispatch.session(), agent.clone());
            dispatch.send(Command::CyclePriority { session, agent });
        };
        let next = row.flags.priority.cycled();
        list.on_any_screen(
            format!("priority-{key}"),
            words::priority(name, next),
            Text("order first last"),
            cycle,
        )
        .unless(read_only);
        let selector = format!(".settings-card[data-agent=\"{key}\"] summary");
        list.on_any_screen(
            format!("settings-{key}"),
            words::settings_of(name),
            Text("system prompt persona model reasoning effort thinking temperature permissions change model edit agent"),
            move || go(&screen_path(Screen::Settings), &selector),
        );
    }
}
