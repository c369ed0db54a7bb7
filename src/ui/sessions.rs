//! The session list: search, open, create, rename, archive, delete and restore; and the open sessions in the left
//! pane, pinned ones first.
//!
//! In the pane a click opens a session, and each has a menu: pin, export as a document, history, archive, delete.
//! Deleted sessions can be restored for days, and at once by undo.

use crate::ui::dispatch::SessionRemoval;
use crate::ui::hooks::files::FileBuilder;
use crate::ui::kit::icon::{FIND, HISTORY, MORE, NEW, PIN};
use crate::ui::prelude::*;
use crate::ui::view_state::SessionRow;
use nexus_view::conversation_file::{Conversation, ConversationFormat};
use nexus_view::session_list::{SessionListItem, WorkerListItem, count, next_session, sessions};
use nexus_view::strings::chat::workers as worker_words;
use nexus_view::strings::{
    conversation_file as file_words, palette, rejection as rejection_words, search as finder_words,
    tree as words,
};
use nexus_view::timeline::timeline;

lazy_view!(board, lazy_session_list, SessionList);

#[derive(Clone, Copy)]
struct SessionListState {
    page: &'static Page,
    naming: RwSignal<Option<SessionId>>,
    /// The session for whose renaming the list was opened.
    opened_for: Option<SessionId>,
    /// The session that was just removed, and how.
    done: RwSignal<Option<(SessionId, String, SessionRemoval)>>,
    /// Why the last command was rejected.
    error: RwSignal<Option<String>>,
    leave: Callback<()>,
}

impl SessionListState {
    /// Sends a command; a rejection is shown in the list.
    fn send(&self, command: Command, then: impl FnOnce() + 'static) {
        let error = self.error;
        error.set(None);
        self.page.dispatch.send_quietly(command, move |outcome| match outcome {
            Ok(()) => then(),
            Err(rejection) => {
                let notice = rejection_words(&rejection);
                error.set(Some(format!("{}. {}", notice.title, notice.advice)));
            }
        });
    }

    fn open(&self, session: SessionId) {
        self.leave.run(());
        self.page.dispatch.open(session);
    }

    /// Removes a session. If it was in view, another one is opened.
    fn remove_session(&self, row: &SessionListItem, removal: SessionRemoval) {
        let (this, session, label) = (*self, row.id, row.name.clone());
        let next = self.page.world.with_untracked(|world| next_session(world, session));
        self.send(removal.command(session), move || {
            this.done.set(Some((session, label, removal)));
            this.page.dispatch.leave_removed(session, next);
            focus::soon("session-undo".to_owned());
        });
    }

    fn undo(&self, session: SessionId, from: SessionRemoval) {
        let this = *self;
        self.send(from.back(session), move || {
            if this.done.with_untracked(|done| done.as_ref().is_some_and(|(id, ..)| *id == session)) {
                this.page.dispatch.return_to(session);
            }
            this.done.set(None);
            focus::soon("session-search".to_owned());
        });
    }
}

/// What the arrow keys move through.
const STOPS: &str = "#session-search, .session-open";
/// Rows shown at first, and added by each click on more.
const ROWS: usize = 60;

#[component]
pub(crate) fn SessionList() -> impl IntoMarkup {
    let page = expect_context::<&Page>();
    let &Page { dispatch, world, .. } = page;
    let Workspace { dialogs: tree, .. } = expect_context();
    let (dialog, leave) = dialog::leaving(move || tree.opened.set(None));
    let named = match tree.opened.get_untracked() {
        Some(OpenDialog::Sessions(named)) => named,
        Some(_) | None => None,
    };
    let list = SessionListState {
        page,
        naming: RwSignal::new(named),
        opened_for: named,
        done: RwSignal::new(None),
        error: RwSignal::new(None),
        leave: Callback::new(move |()| leave()),
    };
    let (filter, query) = (RwSignal::new(SessionFilter::Open), RwSignal::new(String::new()));
    let all = world.select(WorldParts::SESSIONS, move |world| sessions(world, filter.get(), &query.get()));
    let most = RwSignal::new(ROWS);
    let rows = all.map(move |all| all.iter().take(most.get()).cloned().collect::<Vec<_>>());
    let left = select(move || all.with(Vec::len).saturating_sub(most.get()));
    let create = move |_| {
        leave();
        dispatch.create_session(String::new(), Mind::default());
    };
    let keys = move |event: KeyboardEvent| {
        if event.key() == "Enter"
            && let Some(row) = rows.with_untracked(|rows| rows.first().cloned())
            && row.filter != SessionFilter::Deleted
        {
            // Otherwise the key presses the button behind the dialog, which opens it again.
            event.prevent_default();
            list.open(row.id);
        }
        focus::step_by_arrows(&event, STOPS);
    };
    let filters = SessionFilter::ALL.map(|one| {
        let number = move || world.with(WorldParts::SESSIONS, |world| count(world, one));
        view! {
            <button
                type="button" class="quiet" data-testid="session-filter" data-filter=words::filter(one)
                aria-pressed=move || (filter.get() == one).to_string() on:click=move |_| filter.set(one)
            >
                {words::filter(one)}" "<span class="session-count">{number}</span>
            </button>
        }
    });
    let nothing = move || {
        let is_empty = rows.with(Vec::is_empty);
        let words =
            if query.with(|query| query.trim().is_empty()) { words::NOTHING } else { words::NOT_FOUND };
        is_empty.then(|| view! { <p class="hint" data-testid="session-nothing">{words}</p> })
    };
    modal("dialog session-list", "session-list", leave)
        .titled("session-list-title")
        .node(dialog)
        .with_children(view! {
            <div class="session-head">
                <h2 id="session-list-title">{common::SESSIONS}</h2>
                {button(common::NEW_SESSION).first().test("session-new").on_click(create)}
                {icon_button(icon(icon::CLOSE)).test("session-close").named(common::CLOSE)
                    .on_click(move |_| leave())}
            </div>
            <input
                class="input" id="session-search" type="search" dir="auto" autofocus=true
                data-testid="session-search" placeholder=words::FIND aria-label=words::FIND
                on:input=move |event| query.set(event_target_value(&event)) on:keydown=keys
            />
            <div class="session-filters" role="group">
                {filters}
                {quiet_button(finder_words::IN_LIST).test("session-find-all")
                    .on_click(move |_| {
                        leave();
                        tree.find(query.get_untracked());
                    })}
            </div>
            <UndoRemoval list />
            <ul class="session-rows">
                {keyed_list(move || rows.get(), Clone::clone, move |row| view! { <SessionItem row list /> })}
            </ul>
            <Show when=move || left.get() != 0>
                {quiet_button(move || words::more(left.get())).test("session-more")
                    .on_click(move |_| most.update(|most| *most += ROWS))}
            </Show>
            {nothing}
        })
}

/// The id of the button that renames a session.
fn rename_id(session: SessionId) -> String {
    format!("session-name-{session}")
}

#[component]
fn UndoRemoval(list: SessionListState) -> impl IntoMarkup {
    let line = move || {
        let (session, label, removal) = list.done.get()?;
        Some(view! {
            <span data-testid="session-done">{removal.notice(&label)}</span>
            {button(common::UNDO).id("session-undo").test("session-undo")
                .on_click(move |_| list.undo(session, removal))}
        })
    };
    let error = move || list.error.get();
    view! {
        <div class="session-done" role="status">{line}</div>
        <p class="session-error" role="alert" data-testid="session-error">{error}</p>
    }
}

#[component]
fn SessionItem(row: SessionListItem, list: SessionListState) -> impl IntoMarkup {
    let id = row.id;
    let is_named = select(move || list.naming.get() == Some(id));
    let now = list.page.now;
    let marks = [
        row.is_working.then(|| ("works", words::WORKS.to_owned())),
        row.is_waiting.then(|| ("waits", words::WAITS.to_owned())),
        row.closed.then(|| ("closed", words::ENDED.to_owned())),
        row.forked_from.as_deref().map(|from| ("fork", words::forked_from(from))),
    ];
    let marks: Vec<_> = marks.into_iter().flatten().collect();
    let (purge_at, last_at) = (row.purge_at, row.last_at);
    let when = move || match purge_at {
        Some(at) => words::purged_in(at, now.get()),
        None => ago(last_at, now.get()),
    };
    let is_deleted = row.filter == SessionFilter::Deleted;
    let shown = row.clone();
    let open = move || {
        let row = shown.clone();
        let marks = marks.iter().map(|(kind, words)| {
            view! { <span class="tag" data-kind=*kind>{words.clone()}</span> }
        });
        view! {
            <button
                type="button" class="session-open" data-testid="session-open"
                data-session=id.to_string() disabled=is_deleted
                aria-current=move || (list.page.sessions.focus.get() == id).then_some("true")
                on:click=move |_| list.open(id) on:keydown=|event| focus::step_by_arrows(&event, STOPS)
            >
                <span class="session-name" dir="auto">{reveal(&row.name)}</span>
                <span class="session-about" dir="auto">{(!row.name.starts_with(&row.title)).then(|| reveal(&row.title))}</span>
                <span class="session-facts">{marks}<span>{when}</span></span>
            </button>
        }
    };
    let named = row.clone();
    let workers = row.workers.clone();
    view! {
        <li class="session-row" data-testid="session-row" data-session=id.to_string()>
            {move || if is_named.get() {
                view! { <SessionNameForm row=named.clone() list /> }
            } else {
                view! { {open()} <SessionActions row=row.clone() list /> }
            }}
            {(!workers.is_empty()).then(|| view! { <WorkerSessions workers=workers.clone() list /> })}
        </li>
    }
}

fn run_state(is_waiting: bool, is_working: bool) -> Option<(&'static str, Text)> {
    match (is_waiting, is_working) {
        (true, _) => Some(("waits", words::WAITS)),
        (false, true) => Some(("works", words::WORKS)),
        (false, false) => None,
    }
}

/// The sessions of a session's workers, folded.
#[component]
fn WorkerSessions(workers: Vec<WorkerListItem>, list: SessionListState) -> impl IntoMarkup {
    let number = worker_words::number(workers.len());
    let rows = workers.into_iter().map(|worker| {
        let id = worker.id;
        let mark = run_state(worker.is_waiting, worker.is_working)
            .map(|(kind, words)| view! { <span class="tag" data-kind=kind>{words}</span> });
        view! {
            <li>
                <button
                    type="button" class="quiet session-worker" data-testid="session-worker"
                    data-session=id.to_string() data-depth=worker.depth.to_string()
                    aria-current=move || (list.page.sessions.focus.get() == id).then_some("true")
                    on:click=move |_| list.open(id)
                >
                    <span dir="auto">{reveal(&worker.label)}</span>
                    {mark}
                </button>
            </li>
        }
    });
    view! {
        <details class="session-workers" data-testid="session-workers">
            <summary>{number}</summary>
            <ul>{rows}</ul>
        </details>
    }
}

#[component]
fn SessionActions(row: SessionListItem, list: SessionListState) -> impl IntoMarkup {
    let Workspace { dialogs: tree, .. } = expect_context();
    let (id, filter) = (row.id, row.filter);
    let row = StoredValue::new(row);
    let remove = |test: &'static str, words: Text, removal| {
        let act = move |_| row.with_value(|row| list.remove_session(row, removal));
        quiet_button(words).test(test).on_click(act)
    };
    let undo = |test: &'static str, words: Text, from| {
        quiet_button(words).test(test).on_click(move |_| list.undo(id, from))
    };
    let of_filter = match filter {
        SessionFilter::Open => vec![
            remove("session-archive", common::ARCHIVE, SessionRemoval::Archived),
            remove("session-end", common::CLOSE, SessionRemoval::Closed),
        ],
        SessionFilter::Archived => vec![undo("session-reopen", common::REOPEN, SessionRemoval::Archived)],
        SessionFilter::Deleted => vec![undo("session-restore", common::RESTORE, SessionRemoval::Deleted)],
    };
    let is_kept = filter != SessionFilter::Deleted;
    view! {
        <span class="session-actions">
            {is_kept.then(|| view! {
                {icon_button(icon(HISTORY)).test("session-heads").named(common::SESSION_HISTORY)
                    .on_click(move |_| tree.open(OpenDialog::Heads(id)))}
                {icon_button(icon(EDIT)).id(rename_id(id)).test("session-name").named(common::RENAME)
                    .on_click(move |_| list.naming.set(Some(id)))}
            })}
            {of_filter}
            {is_kept.then(|| remove("session-delete", common::DELETE, SessionRemoval::Deleted))}
        </span>
    }
}

#[component]
fn SessionNameForm(row: SessionListItem, list: SessionListState) -> impl IntoMarkup {
    let (label, title) = (NodeRef::<Input>::new(), NodeRef::<Input>::new());
    focus::use_select_all(label);
    let (session, label_before, title_before) = (row.id, row.label, row.title.clone());
    let name_before = row.name.clone();
    let leave = move || {
        if list.opened_for == Some(session) {
            return list.leave.run(());
        }
        list.naming.set(None);
        focus::soon(rename_id(session));
    };
    let save = move || {
        let (Some(label), Some(title)) = (label.get_untracked(), title.get_untracked()) else { return };
        let (label, title) = (label.value(), title.value());
        // A title that is shown as the name becomes one only if it is edited.
        let label = if label == name_before { label_before.clone() } else { label };
        if title != title_before {
            list.page.dispatch.send(Command::TitleSession { session, title });
        }
        list.send(Command::LabelSession { session, label }, leave);
    };
    let save = StoredValue::new(save);
    let &Page { agents, .. } = expect_context();
    let world = list.page.world;
    let owner = world.select(WorldParts::SESSIONS, move |world| {
        let owner = world.session(&session).and_then(|row| row.owner.clone());
        owner.map(|key| key.0).unwrap_or_default()
    });
    let owners = move || {
        let named = |row: AgentRow| (row.agent.key.0.clone(), reveal(&row.agent.identity.name));
        let nobody = std::iter::once((String::new(), words::NOBODY.to_owned()));
        options(nobody.chain(agents.roster().into_iter().map(named)).collect(), owner)
    };
    let set_owner = move |key: String| {
        let agent = Some(AgentKey(key)).filter(|key| !key.0.is_empty());
        list.send(Command::SetOwner { session, agent }, || ());
    };
    let keys = move |event: KeyboardEvent| match event.key().as_str() {
        "Enter" if !event.is_composing() => {
            event.prevent_default();
            save.with_value(|save| save());
        }
        "Escape" => {
            // Only the form is left, unless the list was opened for it.
            event.prevent_default();
            event.stop_propagation();
            leave();
        }
        _ => {}
    };
    let field = |title: Text, test: &'static str, value: String, node| {
        let input = view! { <input class="input" dir="auto" maxlength="120" data-testid=test prop:value=value node_ref=node /> };
        captioned(None, title, input)
    };
    view! {
        <div class="session-naming" on:keydown=keys>
            {field(common::NAME, "session-label", row.name, label)}
            {field(words::TITLE, "session-title", row.title, title)}
            {captioned(None, words::OWNER, select_box(owners, set_owner).test("session-owner"))}
            {button(common::SAVE).test("session-keep").on_click(move |_| save.with_value(|save| save()))}
            {quiet_button(common::CANCEL).on_click(move |_| leave())}
        </div>
    }
}

/// Number of the newest sessions shown; the dialog has all.
const SHOWN: usize = 12;

#[component]
pub fn SessionRail() -> impl IntoMarkup {
    let &Page { dispatch, sessions, .. } = expect_context();
    let Workspace { dialogs, .. } = expect_context();
    let shown = sessions.shown(SHOWN);
    let left = select(move || sessions.rows.order.with(Vec::len).saturating_sub(shown.with(Vec::len)));
    let menu = RwSignal::new(None);
    let rail_menu = move || {
        let load = loaded(lazy_session_menu);
        move || {
            menu.track();
            load.get().map(|draw| draw(menu))
        }
    };
    let item = move |id: SessionId| {
        let row = sessions.rows.row(&id)?;
        Some(view! { <RailItem id row menu /> })
    };
    view! {
        <nav class="rail" aria-labelledby="rail-title">
            <div class="rail-head">
                <h2 class="label" id="rail-title">{common::SESSIONS}</h2>
                {icon_button(icon(FIND)).test("rail-find").named(words::FIND)
                    .on_click(move |_| dialogs.open(OpenDialog::Sessions(None)))}
                <a class="icon" href=screen_path(Screen::Tree) title=common::TREE_OF_TURNS aria-label=common::TREE_OF_TURNS>{icon(BRANCH)}</a>
                {icon_button(icon(NEW)).test("rail-new").named(common::NEW_SESSION)
                    .on_click(move |_| dispatch.create_session(String::new(), Mind::default()))}
            </div>
            <ul class="rail-rows">
                {keyed_list(move || shown.get(), Clone::clone, item)}
            </ul>
            <Show when=move || menu.with(Option::is_some)>{rail_menu}</Show>
            <Show when=move || left.get() != 0>
                {quiet_button(move || words::more(left.get())).test("rail-more")
                    .on_click(move |_| dialogs.open(OpenDialog::Sessions(None)))}
            </Show>
        </nav>
    }
}

#[component]
fn RailItem(id: SessionId, row: Selector<SessionRow>, menu: RwSignal<Option<SessionId>>) -> impl IntoMarkup {
    let &Page { dispatch, now, sessions: Sessions { focus, .. }, .. } = expect_context();
    let about = move || row.with(|row| row.label.clone());
    let state = move || row.with(|row| run_state(row.is_waiting, row.is_working));
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
    let page = expect_context::<&Page>();
    let &Page { dispatch, notices, sessions, world, .. } = page;
    let Workspace { dialogs, .. } = expect_context();
    let row = sessions.rows.get_untracked(&id)?;
    let (pinned, label) = (row.pinned, row.label.clone());
    let is_last = world.with_untracked(|world| next_session(world, id)).is_none();
    let export = move |format| offer_conversation(page, id, format);
    let (archived, deleted) = (label.clone(), label.clone());
    let archive = move |_| dispatch.remove_session(id, &archived, SessionRemoval::Archived);
    let delete = move |_| match is_last {
        false => dispatch.remove_session(id, &deleted, SessionRemoval::Deleted),
        true => drop(notices.add(NoticeKind::Info, palette::NOT_DELETED, palette::LAST_SESSION)),
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

/// Downloads a conversation, including turns that were not loaded yet.
pub fn offer_conversation(page: &'static Page, session: SessionId, format: ConversationFormat) {
    let &Page { dispatch, local, notices, world, .. } = page;
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
