//! The menu of a session in the rail: pin, export, history, archive, delete.

use crate::ui::dispatch::Dispatch;
use crate::ui::kit::prelude::*;
use crate::ui::sessions::export::ConversationExport;
use crate::ui::view_state::{NoticeKind, Notices, Sessions, WorldReader};
use crate::ui::workspace::dialogs::{DialogState, OpenDialog};
use nexus_model::command::Command;
use nexus_model::id::SessionId;
use nexus_model::session::SessionStatus;
use nexus_view::conversation_file::ConversationFormat;
use nexus_view::session_list::instead_of;
use nexus_view::strings::conversation_file as file_words;
use nexus_view::strings::{palette, snapshot, tree as words};

lazy_view!(board, lazy_session_menu, SessionMenu { opened: RwSignal<Option<SessionId>> });

/// The menu of the session that is opened, beside its button.
#[component]
pub(crate) fn SessionMenu(opened: RwSignal<Option<SessionId>>) -> impl IntoMarkup {
    let id = opened.get_untracked()?;
    let (dispatch, sessions) = (expect_context::<Dispatch>(), expect_context::<Sessions>());
    let (dialogs, notices) = (expect_context::<DialogState>(), expect_context::<Notices>());
    let past = expect_context::<WorldReader>();
    let row = sessions.get_untracked(&id)?;
    let (pinned, label) = (row.pinned, row.label.clone());
    let next = past.with_untracked(|world| instead_of(world, id));
    // Takes it out of the list: told with a way back, and another one comes into view.
    let remove = move |command: Command, told: String, back: fn(SessionId) -> Command| {
        dispatch.send_then(command, move |done| {
            if done.is_err() {
                return;
            }
            notices.tell_undo(told, move || back(id));
            if let Some(next) = next.filter(|_| dispatch.session() == id) {
                dispatch.open(next);
            }
        });
    };
    let export = ConversationExport { dispatch, past, notices, local: expect_context() };
    let export = move |format| export.offer(id, format);
    let (archived, deleted) = (words::archived(&label), words::deleted(&label));
    let archive = move |_| {
        let command = Command::SetSessionStatus { session: id, status: SessionStatus::Archived };
        let open = |session| Command::SetSessionStatus { session, status: SessionStatus::Open };
        remove(command, archived.clone(), open);
    };
    let delete = move |_| match next {
        Some(_) => {
            let restore = |session| Command::RestoreSession { session };
            remove(Command::DeleteSession { session: id }, deleted.clone(), restore);
        }
        None => drop(notices.tell(NoticeKind::Word, words::DELETE, palette::LAST_SESSION)),
    };
    let entries = view! {
        {menu_item(if pinned { words::UNPIN } else { words::PIN }).test("session-pin")
            .on_click(move |_| dispatch.send(Command::PinSession { session: id, pinned: !pinned }))}
        {menu_item(words::RENAME).test("session-rename")
            .on_click(move |_| dialogs.open(OpenDialog::Sessions(Some(id))))}
        {menu_item(file_words::MARKDOWN).test("session-markdown")
            .on_click(move |_| export(ConversationFormat::Markdown))}
        {menu_item(file_words::HTML).test("session-html").on_click(move |_| export(ConversationFormat::Html))}
        {menu_item(snapshot::HEADS_OF).test("session-history")
            .on_click(move |_| dialogs.open(OpenDialog::Heads(id)))}
        {menu_item(words::ARCHIVE).test("session-menu-archive").on_click(archive)}
        {menu_item(words::DELETE).test("session-menu-delete").on_click(delete)}
    };
    let opener = format!(".rail-more[data-session=\"{id}\"]");
    let leave = move || {
        if opened.get_untracked() == Some(id) {
            opened.set(None);
        }
    };
    Some(menu(words::menu_of(&label), "session-menu", opener, entries, leave))
}
