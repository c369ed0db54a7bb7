//! The open sessions in the left pane, pinned ones first: a click opens one, and each has a menu: pin, export as a
//! document, history, archive, delete.

use crate::ui::dispatch::SessionRemoval;
use crate::ui::hooks::files::FileBuilder;
use crate::ui::kit::icon::{BRANCH, FIND, MORE, NEW, PIN};
use crate::ui::prelude::*;
use crate::ui::view_state::SessionRow;
use crate::ui::workspace::dialogs::{DialogState, OpenDialog};
use nexus_model::mind::Mind;
use nexus_view::conversation_file::{Conversation, ConversationFormat};
use nexus_view::session_list::next_session;
use nexus_view::strings::{ago, conversation_file as file_words, palette, tree as words};
use nexus_view::timeline::timeline;

/// Maximum number shown; the dialog has all.
const SHOWN: usize = 12;

#[component]
pub fn SessionRail() -> impl IntoMarkup {
    let (dispatch, sessions) = (expect_context::<Dispatch>(), expect_context::<Sessions>());
    let (dialogs, now) = (expect_context::<DialogState>(), use_now());
    let order = sessions.rows.order;
    let shown = select(move || order.with(|order| order.iter().take(SHOWN).copied().collect::<Vec<_>>()));
    let left = select(move || order.with(|order| order.len().saturating_sub(SHOWN)));
    let menu = RwSignal::new(None);
    let item = move |id: SessionId| {
        let row = sessions.rows.row(&id)?;
        Some(view! { <RailItem id row now menu /> })
    };
    view! {
        <nav class="rail" aria-labelledby="rail-title">
            <div class="rail-head">
                <h2 class="label" id="rail-title">{common::SESSIONS}</h2>
                {icon_button(icon(FIND)).test("rail-find").title(words::FIND).label(words::FIND)
                    .on_click(move |_| dialogs.open(OpenDialog::Sessions(None)))}
                <a class="icon" href=screen_path(Screen::Tree) title=common::TREE_OF_TURNS aria-label=common::TREE_OF_TURNS>{icon(BRANCH)}</a>
                {icon_button(icon(NEW)).test("rail-new").title(common::NEW_SESSION).label(common::NEW_SESSION)
                    .on_click(move |_| dispatch.create_session(String::new(), Mind::default()))}
            </div>
            <ul class="rail-rows">
                {keyed_list(move || shown.get(), Clone::clone, item)}
            </ul>
            <Show when=move || menu.with(Option::is_some)><RailMenu menu /></Show>
            <Show when=move || left.get() != 0>
                {quiet_button(move || words::more(left.get())).test("rail-more")
                    .on_click(move |_| dialogs.open(OpenDialog::Sessions(None)))}
            </Show>
        </nav>
    }
}

/// The menu of a session, once it is loaded.
#[component]
fn RailMenu(menu: RwSignal<Option<SessionId>>) -> impl IntoMarkup {
    let load = loaded(lazy_session_menu);
    move || {
        menu.track();
        load.get().map(|draw| draw(menu))
    }
}

#[component]
fn RailItem(
    id: SessionId,
    row: Selector<SessionRow>,
    now: Selector<Millis>,
    menu: RwSignal<Option<SessionId>>,
) -> impl IntoMarkup {
    let (dispatch, focus) = (expect_context::<Dispatch>(), expect_context::<Sessions>().focus);
    let about = move || row.with(|row| row.label.clone());
    let state = move || {
        row.with(|row| match (row.is_waiting, row.is_working) {
            (true, _) => Some(("waits", words::WAITS)),
            (false, true) => Some(("works", words::WORKS)),
            (false, false) => None,
        })
    };
    let facts = move || {
        let when = row.with(|row| row.last_message_at.map(|at| ago(at, now.get())));
        state().map(|(_, label)| label.to_owned()).or(when)
    };
    view! {
        <li class="rail-item" data-pinned=move || row.with(|row| row.pinned).to_string()>
            <button
                type="button" class="rail-row" data-testid="rail-session" data-session=id.to_string()
                data-state=move || state().map(|(name, _)| name) title=move || row.with(|row| reveal(&row.label))
                aria-current=move || (focus.get() == id).then_some("true")
                on:click=move |_| dispatch.open(id)
            >
                <span class="rail-name" dir="auto">{move || reveal(&about())}</span>
                <Show when=move || row.with(|row| row.forked)>{icon(BRANCH)}</Show>
                <Show when=move || row.with(|row| row.pinned)>
                    {icon(PIN)}<span class="unseen">{words::PINNED}</span>
                </Show>
                <span class="rail-when">{facts}</span>
            </button>
            {plain_button("icon rail-more", icon(MORE)).test("rail-menu").title(words::MENU)
                .label(move || words::menu_of(&about())).with("data-session", id.to_string())
                .with("aria-haspopup", "menu")
                .with("aria-expanded", move || (menu.get() == Some(id)).to_string())
                .on_click(move |_| menu.update(|open| *open = (*open != Some(id)).then_some(id)))}
        </li>
    }
}

lazy_view!(board, lazy_session_menu, SessionMenu { opened: RwSignal<Option<SessionId>> });

#[component]
pub(crate) fn SessionMenu(opened: RwSignal<Option<SessionId>>) -> impl IntoMarkup {
    let id = opened.get_untracked()?;
    let (dispatch, sessions) = (expect_context::<Dispatch>(), expect_context::<Sessions>());
    let (dialogs, notices) = (expect_context::<DialogState>(), expect_context::<Notices>());
    let world = expect_context::<WorldReader>();
    let row = sessions.rows.get_untracked(&id)?;
    let (pinned, label) = (row.pinned, row.label.clone());
    let is_last = world.with_untracked(|world| next_session(world, id)).is_none();
    let export = ConversationExport { dispatch, world, notices, local: expect_context() };
    let export = move |format| export.offer(id, format);
    let (archived, deleted) = (label.clone(), label.clone());
    let archive = move |_| dispatch.remove_session(id, &archived, SessionRemoval::Archived);
    let delete = move |_| match is_last {
        false => dispatch.remove_session(id, &deleted, SessionRemoval::Deleted),
        true => drop(notices.add(NoticeKind::Info, common::DELETE, palette::LAST_SESSION)),
    };
    let entries = view! {
        {menu_item(if pinned { common::UNPIN } else { common::PIN }).test("session-pin")
            .on_click(move |_| dispatch.send(Command::PinSession { session: id, pinned: !pinned }))}
        {menu_item(common::RENAME).test("session-rename")
            .on_click(move |_| dialogs.open(OpenDialog::Sessions(Some(id))))}
        {menu_item(file_words::MARKDOWN).test("session-markdown")
            .on_click(move |_| export(ConversationFormat::Markdown))}
        {menu_item(file_words::HTML).test("session-html").on_click(move |_| export(ConversationFormat::Html))}
        {menu_item(common::SESSION_HISTORY).test("session-history")
            .on_click(move |_| dialogs.open(OpenDialog::Heads(id)))}
        {menu_item(common::ARCHIVE).test("session-menu-archive").on_click(archive)}
        {menu_item(common::DELETE).test("session-menu-delete").on_click(delete)}
    };
    let opener = format!(".rail-more[data-session=\"{id}\"]");
    let leave = move || {
        if opened.get_untracked() == Some(id) {
            opened.set(None);
        }
    };
    Some(menu(words::menu_of(&label), "session-menu", opener, entries, leave))
}

#[derive(Clone, Copy)]
pub struct ConversationExport {
    pub dispatch: Dispatch,
    pub world: WorldReader,
    pub notices: Notices,
    pub local: LocalTime,
}

impl ConversationExport {
    /// Downloads a conversation, including turns that were not loaded yet.
    pub fn offer(self, session: SessionId, format: ConversationFormat) {
        let Self { dispatch, world, notices, local } = self;
        spawn_local(async move {
            let file = load_whole(dispatch, world, session).await.then(|| {
                let now = dispatch.now();
                let file = world.with_untracked(|world| Conversation::of(world, session, now, local))?;
                let builder = FileBuilder::default();
                builder.push(&file.text(format)).ok()?;
                builder.offer(&file.file_name(format), format.media_type()).ok()
            });
            if file.flatten().is_none() {
                notices.add(NoticeKind::Error, file_words::FAILED, file_words::FAILED_ADVICE);
            }
        });
    }
}

/// Loads all turns of a session; true on success.
async fn load_whole(dispatch: Dispatch, world: WorldReader, session: SessionId) -> bool {
    let mut requested = None;
    let mut is_loaded = dispatch.load_quietly(session, None).await;
    while is_loaded {
        let earlier = world.with_untracked(|world| timeline(world, session, None).earlier);
        if earlier.is_none() {
            return true;
        }
        // If loading did not reveal an older turn, the rest is unavailable.
        is_loaded = requested != earlier && dispatch.load_quietly(session, earlier).await;
        requested = earlier;
    }
    false
}
