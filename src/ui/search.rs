//! The dialog that searches all threads of this device, to open one or to send the next message there.
//!
//! Results are ranked and say what they are and why they match. Never sends anything.

use crate::ui::kit::control::Control;
use crate::ui::prelude::*;
use nexus_engine::queries::search::{SearchResult, SearchService, SessionInfo};
use nexus_model::limits::SEARCH_SHOWN;
use nexus_model::search_index::{ExcerptSpan, SearchLocation, search_terms};
use nexus_model::session::recipients::{
    MatchReason, ThreadMatch, ThreadResolveError, only, resolve, threads,
};
use nexus_view::strings::search as words;

lazy_view!(board, lazy_search, SearchDialog);

thread_local! {
    /// The index of a page, which lives as long as that.
    static SEARCH_SERVICE: RefCell<Option<(&'static Page, Rc<SearchService>)>> = const { RefCell::new(None) };
}

/// Maximum frames to wait for a session to come into view.
const WAIT_FRAMES: u32 = 600;

#[derive(Clone, Debug, Default)]
struct SearchResults {
    rows: Vec<ResultRow>,
    /// Number of matches, and of the threads that contain them.
    matches: usize,
    threads: usize,
    more: bool,
    /// Why the query alone does not identify a thread, if it should.
    resolve_error: Option<ThreadResolveError>,
    failed: bool,
}

#[derive(Clone, Copy)]
struct SearchDialogState {
    page: &'static Page,
    room: Workspace,
    dialog: NodeRef<Dialog>,
    is_sending: bool,
    query: RwSignal<String>,
    most: RwSignal<usize>,
    results: RwSignal<SearchResults>,
    chosen: RwSignal<usize>,
    /// A message on a branch that its session has left; the dialog offers what to do.
    off_branch: RwSignal<Option<(SessionId, TimelineKey, TurnId)>>,
    index_version: RwSignal<u32>,
    request_number: StoredValue<u32>,
}

#[component]
pub(crate) fn SearchDialog() -> impl IntoMarkup {
    let room = expect_context::<Workspace>();
    let tree = room.dialogs;
    let search = SearchDialogState {
        page: expect_context(),
        room,
        dialog: NodeRef::new(),
        is_sending: tree.opened.get_untracked() == Some(OpenDialog::SendTo),
        query: RwSignal::new(tree.take_query()),
        most: RwSignal::new(SEARCH_SHOWN),
        results: RwSignal::new(SearchResults::default()),
        chosen: RwSignal::new(0),
        off_branch: RwSignal::new(None),
        index_version: RwSignal::new(0),
        request_number: StoredValue::new(0),
    };
    search.keep_index_fresh();
    let reset = move |_: &String| {
        search.most.set(SEARCH_SHOWN);
        search.chosen.set(0);
        search.off_branch.set(None);
    };
    on_change(move || search.query.get(), reset);
    Effect::new(move |_| {
        search.index_version.track();
        search.search(search.query.get(), search.most.get());
    });
    let title = if search.is_sending { words::SEND } else { words::FIND };
    let field = if search.is_sending { words::SEND_FIELD } else { words::FIND_FIELD };
    let keys = if search.is_sending { words::KEYS_SEND } else { words::KEYS_FIND };
    let key = move |event| {
        listbox_key(&event, |by| search.step(by), || search.choose(search.chosen.get_untracked()));
    };
    let active = move || {
        search.results.with(|all| all.rows.get(search.chosen.get()).map(|_| option_id(search.chosen.get())))
    };
    let options = move || {
        let rows = search.results.with(|all| all.rows.clone());
        rows.into_iter().enumerate().map(|(at, row)| search.line(at, row)).into_markup()
    };
    let more = move || {
        let button = || quiet_button(words::MORE).test("finder-more").on_click(move |_| search.show_more());
        search.results.with(|all| all.more).then(button)
    };
    modal("palette finder", "finder", move || search.leave()).label(title).beside().node(search.dialog).with_children(view! {
        <div class="palette-box finder-box">
            <label class="finder-title" for="finder-input">{title}</label>
            {combobox("finder-list", search.query, active, key)
                .id("finder-input").test("finder-input").with("dir", "auto").with("placeholder", field)}
            <OffBranchNotice search />
            <ul class="palette-list" id="finder-list" role="listbox" aria-label=words::RESULTS>{options}</ul>
            {more}
            <div class="palette-foot">
                <span role="status" data-testid="finder-status">{move || search.status_text()}</span>
                <span aria-hidden="true">{keys}</span>
            </div>
        </div>
    })
}

/// Actions for a message on a branch that its session has left.
#[component]
fn OffBranchNotice(search: SearchDialogState) -> impl IntoMarkup {
    move || {
        let (session, row, turn) = search.off_branch.get()?;
        let row = StoredValue::new(row);
        Some(view! {
            <div class="finder-apart" role="alert" data-testid="finder-apart">
                <p>{words::ELSEWHERE}</p>
                {button(words::GO_ON).id("finder-fork").test("finder-fork")
                    .on_click(move |_| {
                        search.leave();
                        search.page.dispatch.continue_at((turn, session), || ());
                    })}
                {button(words::MOVE).test("finder-move")
                    .on_click(move |_| {
                        // Closing the dialog disposes its values.
                        let row = row.get_value();
                        search.leave();
                        search.page.dispatch.open_then(session, move || {
                            let back = Command::MoveHead { session, to: turn, newest: false };
                            search.page.dispatch.send_then(back, move |_| search.go_to_row(session, row));
                        });
                    })}
            </div>
        })
    }
}

fn option_id(at: usize) -> String {
    format!("finder-{at}")
}

impl SearchDialogState {
    fn service(self) -> Rc<SearchService> {
        SEARCH_SERVICE.with_borrow_mut(|service| {
            service.take_if(|(page, _)| !std::ptr::eq(*page, self.page));
            let new = || SearchService::new(self.page.history.records(), self.page.dispatch.clock());
            Rc::clone(&service.get_or_insert_with(|| (self.page, Rc::new(new()))).1)
        })
    }

    fn leave(self) {
        dialog::close(self.dialog);
        self.room.dialogs.opened.set(None);
    }

    /// Keeps the index up to date while the dialog is open.
    fn keep_index_fresh(self) {
        let refresh = move || {
            spawn_local(async move {
                let step = move || self.index_version.update(|version| *version = version.wrapping_add(1));
                if self.service().refresh(step).await.is_err() {
                    self.results.update(|all| all.failed = true);
                }
            });
        };
        refresh();
        // The rows of this tab change with every event.
        let version = self.page.world.select(WorldParts::SESSIONS, move |world| {
            let rows = world.sessions.values();
            rows.map(|session| (session.id, session.last_sequence, session.head)).collect::<Vec<_>>()
        });
        on_change(move || version.get(), move |_| refresh());
    }

    /// Searches, and shows the results unless the query changed meanwhile.
    fn search(self, query: String, most: usize) {
        let number = self.request_number.get_value().wrapping_add(1);
        self.request_number.set_value(number);
        let service = self.service();
        spawn_local(async move {
            let results = match self.is_sending {
                true => self.find_destinations(&service, &query, most).await,
                false => self.find_matches(&service, &query, most).await,
            };
            if self.request_number.try_get_value() == Some(number) {
                self.results.set(results);
                self.chosen.update(|chosen| {
                    let last = self.results.with_untracked(|all| all.rows.len().saturating_sub(1));
                    *chosen = (*chosen).min(last);
                });
            }
        });
    }

    async fn find_matches(self, service: &SearchService, query: &str, most: usize) -> SearchResults {
        let hits = service.find(query);
        let of = search_terms(query).len();
        let shown = service.shown(hits.get(..most.min(hits.len())).unwrap_or_default(), query).await;
        let (agents, failed) = (self.page.agents, shown.is_err());
        SearchResults {
            rows: shown.unwrap_or_default().into_iter().map(|one| of_hit(one, of, agents)).collect(),
            matches: hits.len(),
            threads: threads(&hits).len(),
            more: hits.len() > most,
            resolve_error: None,
            failed,
        }
    }

    /// Threads that the query names first, then threads with matches.
    async fn find_destinations(self, service: &SearchService, query: &str, most: usize) -> SearchResults {
        let turn_info = match query.trim().parse::<TurnId>() {
            Ok(turn) => service.turn(turn).await,
            Err(_) => None,
        };
        let named = self.page.world.with_untracked(|world| resolve(world, query, turn_info.as_ref()));
        let resolve_error = (!query.trim().is_empty()).then(|| only(named.clone()).err()).flatten();
        let hits = service.find(query);
        let mut found = threads(&hits);
        found.retain(|(hit, _)| !named.iter().any(|way| way.session == hit.session && way.turn.is_none()));
        let (matches, threads) = (hits.len(), found.len() + named.len());
        let first: Vec<_> = found.iter().take(most).map(|(hit, _)| hit.clone()).collect();
        let of = search_terms(query).len();
        let agents = self.page.agents;
        let mut rows: Vec<ResultRow> =
            named.into_iter().filter_map(|way| of_way(way, service, agents)).collect();
        let shown = service.shown(&first, query).await;
        let failed = shown.is_err();
        rows.extend(shown.unwrap_or_default().into_iter().map(|one| {
            let places = found.iter().find(|(hit, _)| *hit == one.hit).map_or(1, |(_, places)| *places);
            of_thread(one, places, of, agents)
        }));
        SearchResults { rows, matches, threads, more: found.len() > most, resolve_error, failed }
    }

    fn status_text(self) -> String {
        self.index_version.track();
        let text = self.results.with(|all| match (all.failed, all.resolve_error, all.matches) {
            (true, ..) => words::FAILED.to_owned(),
            _ if self.query.with(|text| text.trim().is_empty()) => words::TYPE.to_owned(),
            (_, Some(error @ ThreadResolveError::Ambiguous(_)), _) => words::resolve_error(error),
            (_, Some(error @ ThreadResolveError::NoMatch), 1..) => words::resolve_error(error),
            (.., matches) => words::found(matches.max(all.rows.len()), all.threads),
        });
        match words::progress(self.service().progress()) {
            Some(progress) => format!("{text} · {progress}"),
            None => text,
        }
    }

    fn show_more(self) {
        self.most.update(|most| *most += SEARCH_SHOWN);
    }

    fn step(self, by: isize) {
        let (count, more) = self.results.with_untracked(|all| (all.rows.len(), all.more));
        let at = self.chosen.get_untracked();
        let to = at.saturating_add_signed(by).min(count.saturating_sub(1));
        if to == at && by > 0 && more {
            self.show_more();
        }
        self.chosen.set(to);
        focus::show(&option_id(to));
    }

    /// Opens a result, or makes it the next message's destination.
    fn choose(self, at: usize) {
        let Some(row) = self.results.with_untracked(|all| all.rows.get(at).cloned()) else { return };
        self.chosen.set(at);
        match row.pick {
            ResultAction::Head(heading) => {
                self.leave();
                let is_elsewhere = heading.session != self.page.dispatch.session() || heading.turn.is_some();
                self.room.elsewhere.set(is_elsewhere.then_some(heading));
                focus::soon(focus::COMPOSER.to_owned());
            }
            ResultAction::Open(session, SearchLocation::Message(message), turn, tool) => {
                self.to_message(session, message, turn, tool);
            }
            ResultAction::Open(session, location, ..) => {
                self.leave();
                if self.page.dispatch.session() != session {
                    self.page.dispatch.open(session);
                }
                if let (SearchLocation::Memory(_), Some(room)) = (location, Workspace::now()) {
                    room.tabs.shown.set(BoardTab::Memories);
                }
            }
        }
    }

    fn to_message(
        self,
        session: SessionId,
        message: MessageId,
        turn: Option<TurnId>,
        tool: Option<ToolRunId>,
    ) {
        let service = self.service();
        // Arguments and results of a tool are in its card.
        let row = tool.map_or(TimelineKey::Message(message), TimelineKey::Tool);
        spawn_local(async move {
            // If it cannot be read, the session itself says so.
            let is_there = service.is_in_thread(session, message, turn).await.unwrap_or(true);
            if self.off_branch.try_get_untracked().is_none() {
                // The dialog was closed meanwhile.
                return;
            }
            match turn.filter(|_| !is_there) {
                Some(turn) => {
                    self.off_branch.set(Some((session, row, turn)));
                    focus::soon("finder-fork".to_owned());
                }
                None => {
                    self.leave();
                    if self.page.dispatch.session() == session {
                        self.go_to_row(session, row);
                    } else {
                        self.page.dispatch.open_then(session, move || self.go_to_row(session, row));
                    }
                }
            }
        });
    }

    /// Scrolls to a message or a tool card of a session, once that is in view.
    fn go_to_row(self, session: SessionId, row: TimelineKey) {
        spawn_local(async move {
            for _ in 0..WAIT_FRAMES {
                page::next_frame().await;
                if self.page.sessions.focus.try_get_untracked() != Some(session) {
                    continue;
                }
                let is_there =
                    self.page.conversation.rows.order.try_with_untracked(|order| order.contains(&row));
                let older = self.page.conversation.earlier.try_with_untracked(Option::is_some);
                if is_there == Some(true) || older == Some(true) {
                    break;
                }
            }
            if let Some(room) = Workspace::now() {
                if let TimelineKey::Tool(tool) = row {
                    room.actions.request(MessageAction::ToTool(tool));
                } else if let TimelineKey::Message(message) = row {
                    room.actions.request(MessageAction::ToMessage(message));
                }
            }
        });
    }

    fn line(self, place: usize, row: ResultRow) -> Control {
        let ResultRow { label, why, facts, at, pieces, .. } = row;
        let now = self.page.now;
        let facts = move || facts.iter().cloned().chain([ago(at, now.get())]).collect::<Vec<_>>().join(" · ");
        let pieces = pieces.into_iter().map(|(is_found, text)| (is_found, reveal(&text).to_string()));
        let line = view! {
            <span class="finder-label" dir="auto">{reveal(&label).to_string()}</span>
            <span class="tag finder-why">{why}</span>
            <span class="finder-text" dir="auto">{marked(pieces)}</span>
            <span class="finder-facts">{facts}</span>
        };
        list_option("palette-row finder-row", line, move || (self.chosen.get() == place).to_string())
            .id(option_id(place))
            .test("finder-row")
            .on_click(move |_| self.choose(place))
    }
}

#[derive(Clone, Debug)]
enum ResultAction {
    Open(SessionId, SearchLocation, Option<TurnId>, Option<ToolRunId>),
    Head(Destination),
}

#[derive(Clone, Debug)]
struct ResultRow {
    label: String,
    why: String,
    /// Shown before its age.
    facts: Vec<String>,
    at: Millis,
    pieces: Vec<ExcerptSpan>,
    pick: ResultAction,
}

fn archived(about: &SessionInfo) -> Option<String> {
    (about.filter == SessionFilter::Archived).then(|| words::ARCHIVED.to_owned())
}

fn of_hit(shown: SearchResult, of: usize, agents: Agents) -> ResultRow {
    let field = match &shown.tool {
        Some(tool) => words::tool(&tool.name, tool.is_result),
        None => words::field(shown.hit.place.field()).to_owned(),
    };
    let said_by = shown.role.map(|role| {
        let agent = shown.agent.as_ref().map(|key| agents.name_untracked(key));
        words::author(role, agent.as_deref())
    });
    let facts = [Some(words::of_words(shown.hit.found, of)), said_by, archived(&shown.about)];
    ResultRow {
        label: shown.about.name.clone(),
        why: field,
        facts: facts.into_iter().flatten().collect(),
        at: shown.hit.at,
        pieces: shown.pieces,
        pick: ResultAction::Open(
            shown.hit.session,
            shown.hit.place,
            shown.turn,
            shown.tool.and_then(|tool| tool.run),
        ),
    }
}

fn of_thread(shown: SearchResult, places: usize, of: usize, agents: Agents) -> ResultRow {
    let why = words::by_find(shown.hit.place.field(), places);
    let destination = Destination {
        session: shown.hit.session,
        turn: None,
        target: Target::All,
        label: shown.about.name.clone(),
        why: why.clone(),
    };
    ResultRow { why, pick: ResultAction::Head(destination), ..of_hit(shown, of, agents) }
}

/// The row of a thread that the query names; `None` if the thread is gone.
fn of_way(way: ThreadMatch, service: &SearchService, agents: Agents) -> Option<ResultRow> {
    let about = service.about(way.session)?;
    let label = about.name.clone();
    let why = match &way.why {
        MatchReason::Thread => words::BY_THREAD.to_owned(),
        MatchReason::Turn => words::BY_TURN.to_owned(),
        MatchReason::Label => words::BY_LABEL.to_owned(),
        MatchReason::Persona(agent, main) => {
            words::agent_session_reason(&agents.name_untracked(agent), *main)
        }
    };
    let destination = Destination {
        session: way.session,
        turn: way.turn,
        target: way.target,
        label: label.clone(),
        why: why.clone(),
    };
    let title = about.title.clone().filter(|title| *title != label).map(|title| (false, title));
    Some(ResultRow {
        why,
        facts: archived(&about).into_iter().collect(),
        at: about.last_at,
        label,
        pieces: title.into_iter().collect(),
        pick: ResultAction::Head(destination),
    })
}
