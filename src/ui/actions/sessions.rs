//! Actions for sessions: create, open, delete, compact, search, and send a message to another one.

use super::{ActionContext, ActionList, PaletteAction};
use crate::ui::hooks::address;
use crate::ui::hooks::address::home_path;
use crate::ui::sessions::export::ConversationExport;
use crate::ui::view_state::WorldParts;
use crate::ui::workspace::dialogs::OpenDialog;
use nexus_model::command::{Command, MaintenanceCommand};
use nexus_model::id::SessionId;
use nexus_model::mind::Mind;
use nexus_model::session::SessionStatus;
use nexus_text::invisible::reveal;
use nexus_view::conversation_file::ConversationFormat;
use nexus_view::session_list::instead_of;
use nexus_view::shortcuts::ShortcutAction;
use nexus_view::strings::conversation_file as file_words;
use nexus_view::strings::palette as words;
use nexus_view::strings::search as finder_words;
use nexus_view::strings::tree;

pub(super) fn put(reach: &ActionContext, shelf: &mut ActionList) {
    let dispatch = reach.dispatch;
    shelf.put(
        PaletteAction::in_room("session-list", words::SESSION_LIST, |room| {
            room.tree.open(OpenDialog::Sessions(None))
        })
        .also(
            "switch open archive close reopen delete session restore rename chats conversations threads list",
        )
        .by(ShortcutAction::Sessions),
    );
    shelf.put(
        PaletteAction::in_room("thread-find", finder_words::FIND, |room| room.tree.find(String::new()))
            .also("find thread search everything history messages memories all sessions")
            .by(ShortcutAction::FindThread),
    );
    shelf.put(
        PaletteAction::in_room("thread-send", finder_words::SEND, |room| room.tree.open(OpenDialog::SendTo))
            .also("route thread message session agent"),
    );
    shelf.put(
        PaletteAction::in_room("message-over", words::MESSAGE_OVER, |room| room.over.asks.set(true))
            .also("override model reasoning effort tools permissions deny ask allow turn"),
    );
    let make = move |_| dispatch.create_session(String::new(), Mind::default());
    shelf.put(
        PaletteAction::in_room("session-new", words::SESSION_NEW, make)
            .also("create new chat conversation thread"),
    );
    let focus = reach.sessions.focus().get();
    let read_only = reach.read_only();
    let (notices, label) =
        (reach.notices, reach.sessions.row(&focus).map(|row| row.with(|row| row.label.clone())));
    let next = reach.past.with(WorldParts::SESSIONS, |world| instead_of(world, focus));
    let label = label.unwrap_or_default();
    // Takes it out of the list: told with a way back, and another one comes into view.
    let remove = move |command: Command, told: String, back: fn(SessionId) -> Command| {
        dispatch.send_then(command, move |done| {
            if done.is_ok() {
                notices.tell_undo(told, move || back(focus));
                if let Some(next) = next {
                    dispatch.open(next);
                }
            }
        });
    };
    let archived = tree::archived(&label);
    let archive = move || {
        let command = Command::SetSessionStatus { session: focus, status: SessionStatus::Archived };
        let back = |session| Command::SetSessionStatus { session, status: SessionStatus::Open };
        remove(command, archived.clone(), back);
    };
    let deleted = tree::deleted(&label);
    let delete = move || {
        let back = |session| Command::RestoreSession { session };
        remove(Command::DeleteSession { session: focus }, deleted.clone(), back);
    };
    shelf.put(
        PaletteAction::here("session-archive", words::SESSION_ARCHIVE, archive)
            .also("close put away hide chat conversation thread")
            .unless(read_only),
    );
    shelf.put(
        PaletteAction::here("session-delete", words::SESSION_DELETE, delete)
            .also("remove chat conversation thread")
            .unless(read_only)
            .unless(next.is_none().then_some(words::LAST_SESSION)),
    );
    let export = ConversationExport { dispatch, past: reach.past, notices, local: reach.local };
    for (id, title, format) in [
        ("export-markdown", file_words::MARKDOWN, ConversationFormat::Markdown),
        ("export-html", file_words::HTML, ConversationFormat::Html),
    ] {
        shelf.put(
            PaletteAction::here(id, title, move || export.offer(focus, format))
                .also("export save download share print conversation chat session md web page file"),
        );
    }
    let pinned = reach.sessions.row(&focus).is_some_and(|row| row.with(|row| row.pinned));
    shelf.put(
        PaletteAction::here("session-pin", words::pin_session(pinned), move || {
            dispatch.send(Command::PinSession { session: focus, pinned: !pinned });
        })
        .also("favorite favourite star top first list")
        .unless(read_only),
    );
    let agent = reach.agents.order().get().into_iter().next();
    let no_agent = agent.is_none().then_some(words::NO_TEAM);
    let compact = move || {
        if let Some(agent) = agent.clone() {
            let focus = String::new();
            let command = MaintenanceCommand::Compact { session: dispatch.session(), agent, focus };
            dispatch.send(Command::Archivist(command));
        }
    };
    shelf.put(
        PaletteAction::here("compact", words::COMPACT, compact)
            .also("summarize summarise context window older turns compaction shorten")
            .unless(read_only)
            .unless(no_agent),
    );
    for id in reach.sessions.order().get() {
        let Some(row) = reach.sessions.row(&id).filter(|_| id != focus) else { continue };
        let title = words::open_session(&reveal(&row.with(|row| row.label.clone())));
        let open = move || {
            dispatch.open(id);
            if address::may_write_history() && address::path() != home_path() {
                address::follow(&home_path());
            }
        };
        shelf.put(PaletteAction::here(format!("session-{id}"), title, open).also("switch session"));
    }
}
