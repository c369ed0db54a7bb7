//! The dialog that searches all threads of this device, to open one or to send the next message there.
//!
//! Results are ranked and say why they match. Never sends anything, inside or outside the page.

pub mod row;

use std::cell::RefCell;

use leptos::html::Dialog;

use crate::ui::hooks::page;
use crate::ui::prelude::*;
use crate::ui::search::row::{ResultAction, ResultRow, of_hit, of_thread, of_way};
use crate::ui::tree_map::history_links::HistoryContext;
use crate::ui::view_state::Conversation;
use crate::ui::workspace::dialogs::{DialogState, OpenDialog};
use crate::ui::workspace::message_actions::MessageAction;
use crate::ui::workspace::panes::BoardTab;
use crate::ui::workspace::{DestinationState, Workspace};
use nexus_engine::queries::search::SearchService;
use nexus_model::id::ToolRunId;
use nexus_model::limits::SEARCH_SHOWN;
use nexus_model::search_index::SearchLocation;
use nexus_model::session::recipients::{ThreadResolveError, only, resolve, threads};
use nexus_view::strings::search as words;
use nexus_view::timeline::TimelineKey;

lazy_view!(board, lazy_search, SearchDialog);

thread_local! {
    /// What was read stays as long as the page.
    static FINDER: RefCell<Option<Rc<SearchService>>> = const { RefCell::new(None) };
}

/// How often it is looked whether a session has come into view, in frames.
const LOOKS: u32 = 600;

fn finder(records: HistoryContext, dispatch: Dispatch) -> Rc<SearchService> {
    FINDER.with_borrow_mut(|kept| {
        Rc::clone(
            kept.get_or_insert_with(|| Rc::new(SearchService::new(records.records(), dispatch.clock()))),
        )
    })
}

#[derive(Clone, Debug, Default)]
struct SearchResults {
    rows: Vec<ResultRow>,
    /// Places that were found, and the threads that they are in.
    places: usize,
    threads: usize,
    more: bool,
    /// Why no thread is meant by the words alone, where they are to name one.
    no_way: Option<ThreadResolveError>,
    failed: bool,
}

#[derive(Clone, Copy)]
struct SearchDialogState {
    dispatch: Dispatch,
    tree: DialogState,
    dialog: NodeRef<Dialog>,
    sends: bool,
    looked_for: RwSignal<String>,
    most: RwSignal<usize>,
    results: RwSignal<SearchResults>,
    chosen: RwSignal<usize>,
    /// A message on a branch that its session has left: what to do about it is asked.
    apart: RwSignal<Option<(SessionId, TimelineKey, TurnId)>>,
    /// Counts what the index took in.
    grown: RwSignal<u32>,
    asked: StoredValue<u32>,
    sessions: Sessions,
    conversation: Conversation,
    past: WorldReader,
    agents: Agents,
    elsewhere: DestinationState,
    records: HistoryContext,
}

#[component]
pub(crate) fn SearchDialog() -> impl IntoMarkup {
    let tree = expect_context::<DialogState>();
    let desk = SearchDialogState {
        dispatch: expect_context(),
        tree,
        dialog: NodeRef::new(),
        sends: tree.opened.get_untracked() == Some(OpenDialog::SendTo),
        looked_for: RwSignal::new(tree.take_words()),
        most: RwSignal::new(SEARCH_SHOWN),
        results: RwSignal::new(SearchResults::default()),
        chosen: RwSignal::new(0),
        apart: RwSignal::new(None),
        grown: RwSignal::new(0),
        asked: StoredValue::new(0),
        sessions: expect_context(),
        conversation: expect_context(),
        past: expect_context(),
        agents: expect_context(),
        elsewhere: expect_context(),
        records: expect_context(),
    };
    desk.keep_reading();
    Effect::new(move |before: Option<String>| {
        let now = desk.looked_for.get();
        if before.is_some_and(|before| before != now) {
            desk.most.set(SEARCH_SHOWN);
            desk.chosen.set(0);
            desk.apart.set(None);
        }
        now
    });
    Effect::new(move |_| {
        desk.grown.track();
        desk.look(desk.looked_for.get(), desk.most.get());
    });
    let title = if desk.sends { words::SEND } else { words::FIND };
    let field = if desk.sends { words::SEND_FIELD } else { words::FIND_FIELD };
    let keys = if desk.sends { words::KEYS_SEND } else { words::KEYS_FIND };
    let active = move || {
        desk.results.with(|all| all.rows.get(desk.chosen.get()).map(|_| option_id(desk.chosen.get())))
    };
    let options = move || {
        let rows = desk.results.with(|all| all.rows.clone());
        let option = |(at, row): (usize, ResultRow)| view! { <row::ResultLine row at desk_chosen=desk.chosen run=move || desk.take(at) /> };
        rows.into_iter().enumerate().map(option).into_markup()
    };
    let more = move || {
        desk.results
            .with(|all| all.more)
            .then(|| quiet_button(words::MORE).test("finder-more").on_click(move |_| desk.show_more()))
    };
    modal("palette finder", "finder", move || desk.leave()).label(title).beside().node(desk.dialog).holding(view! {
        <div class="palette-box finder-box">
            <label class="finder-title" for="finder-input">{title}</label>
            {combobox("finder-list", desk.looked_for, active, move |event| desk.key(&event))
                .id("finder-input").test("finder-input").with("dir", "auto").with("placeholder", field)}
            <OffBranchNotice desk />
            <ul class="palette-list" id="finder-list" role="listbox" aria-label=words::RESULTS>{options}</ul>
            {more}
            <div class="palette-foot">
                <span role="status" data-testid="finder-said">{move || desk.said()}</span>
                <span aria-hidden="true">{keys}</span>
            </div>
        </div>
    })
}

/// What to do about a message on a branch that its session has left.
#[component]
fn OffBranchNotice(desk: SearchDialogState) -> impl IntoMarkup {
    move || {
        let (session, row, turn) = desk.apart.get()?;
        let row = StoredValue::new(row);
        Some(view! {
            <div class="finder-apart" role="alert" data-testid="finder-apart">
                <p>{words::ELSEWHERE}</p>
                {button(words::GO_ON).id("finder-go-on").test("finder-go-on")
                    .on_click(move |_| {
                        desk.leave();
                        desk.dispatch.continue_at((turn, session), |_| ());
                    })}
                {button(words::MOVE).test("finder-move")
                    .on_click(move |_| {
                        // With the dialog its values go.
                        let row = row.get_value();
                        desk.leave();
                        desk.dispatch.open_then(session, move || {
                            let back = Command::MoveHead { session, to: turn, newest: false };
                            desk.dispatch.send_then(back, move |_| desk.lead(session, row));
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
    fn finder(self) -> Rc<SearchService> {
        finder(self.records, self.dispatch)
    }

    fn leave(self) {
        self.tree.leave(self.dialog);
    }

    /// Reads what is new as long as the dialog is open.
    fn keep_reading(self) {
        let refresh = move || {
            spawn_local(async move {
                let step = move || {
                    self.grown.try_update(|grown| *grown = grown.wrapping_add(1));
                };
                if self.finder().refresh(step).await.is_err() {
                    self.results.try_update(|all| all.failed = true);
                }
            });
        };
        refresh();
        // The rows of this tab change with every event.
        let version = self.past.select(WorldParts::SESSIONS, move |world| {
            world.sessions.values().map(|session| (session.id, session.last_sequence, session.head)).max()
        });
        Effect::new(move |before: Option<()>| {
            version.track();
            if before.is_some() {
                refresh();
            }
        });
    }

    /// Finds, and shows what was found, unless something else is looked for by then.
    fn look(self, looked_for: String, most: usize) {
        let Some(number) = self.asked.try_update_value(|asked| {
            *asked = asked.wrapping_add(1);
            *asked
        }) else {
            return;
        };
        let finder = self.finder();
        spawn_local(async move {
            let results = if self.sends {
                self.ways(&finder, &looked_for, most).await
            } else {
                self.places(&finder, &looked_for, most).await
            };
            if self.asked.try_get_value() == Some(number) {
                self.results.set(results);
                self.chosen.update(|chosen| {
                    let last = self.results.with_untracked(|all| all.rows.len().saturating_sub(1));
                    *chosen = (*chosen).min(last);
                });
            }
        });
    }

    async fn places(self, finder: &SearchService, looked_for: &str, most: usize) -> SearchResults {
        let hits = finder.find(looked_for);
        let of = nexus_model::search_index::looked_for(looked_for).len();
        let shown = finder.shown(hits.get(..most.min(hits.len())).unwrap_or_default(), looked_for).await;
        let threads = threads(&hits).len();
        let (rows, failed) = match shown {
            Ok(shown) => (
                shown.into_iter().map(|one| of_hit(one, of, self.dispatch.now(), self.agents)).collect(),
                false,
            ),
            Err(_) => (Vec::new(), true),
        };
        SearchResults { rows, places: hits.len(), threads, more: hits.len() > most, no_way: None, failed }
    }

    /// First the threads that the words name, then those in which they were found.
    async fn ways(self, finder: &SearchService, looked_for: &str, most: usize) -> SearchResults {
        let looked_up = match looked_for.trim().parse::<TurnId>() {
            Ok(turn) => finder.turn(turn).await,
            Err(_) => None,
        };
        let ways = self.past.with_untracked(|world| resolve(world, looked_for, looked_up.as_ref()));
        let no_way = (!looked_for.trim().is_empty()).then(|| only(ways.clone()).err()).flatten();
        let hits = finder.find(looked_for);
        let mut found = threads(&hits);
        found.retain(|(hit, _)| !ways.iter().any(|way| way.session == hit.session && way.turn.is_none()));
        let (places, count) = (hits.len(), found.len() + ways.len());
        let first: Vec<_> = found.iter().take(most).map(|(hit, _)| hit.clone()).collect();
        let of = nexus_model::search_index::looked_for(looked_for).len();
        let now = self.dispatch.now();
        let named = ways.into_iter().filter_map(|way| of_way(way, finder, now, self.agents));
        let mut rows: Vec<ResultRow> = named.collect();
        let shown = finder.shown(&first, looked_for).await;
        let failed = shown.is_err();
        rows.extend(shown.unwrap_or_default().into_iter().map(|one| {
            let places = found.iter().find(|(hit, _)| *hit == one.hit).map_or(1, |(_, places)| *places);
            of_thread(one, places, of, now, self.agents)
        }));
        SearchResults { rows, places, threads: count, more: found.len() > most, no_way, failed }
    }

    fn said(self) -> String {
        self.grown.track();
        let told = self.results.with(|all| match (all.failed, all.no_way, all.places) {
            (true, ..) => words::FAILED.to_owned(),
            _ if self.looked_for.with(|text| text.trim().is_empty()) => words::TYPE.to_owned(),
            (_, Some(ThreadResolveError::Several(number)), _) => {
                words::no_way(ThreadResolveError::Several(number))
            }
            (_, Some(ThreadResolveError::Nowhere), places) if places > 0 => {
                words::no_way(ThreadResolveError::Nowhere)
            }
            (.., places) => words::found(places.max(all.rows.len()), all.threads),
        });
        match words::progress(self.finder().progress()) {
            Some(progress) => format!("{told} · {progress}"),
            None => told,
        }
    }

    fn show_more(self) {
        self.most.update(|most| *most += SEARCH_SHOWN);
    }

    fn key(self, event: &KeyboardEvent) {
        listbox_key(event, |by| self.step(by), || self.take(self.chosen.get_untracked()));
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

    /// Goes to a result, or has the next message go there.
    fn take(self, at: usize) {
        let Some(row) = self.results.with_untracked(|all| all.rows.get(at).cloned()) else { return };
        self.chosen.set(at);
        match row.pick {
            ResultAction::Head(heading) => {
                self.leave();
                self.elsewhere.0.set(
                    (heading.session != self.dispatch.session() || heading.turn.is_some()).then_some(heading),
                );
                focus::soon(focus::COMPOSER.to_owned());
            }
            ResultAction::Open(session, SearchLocation::Message(message), turn, tool) => {
                self.to_message(session, message, turn, tool);
            }
            ResultAction::Open(session, SearchLocation::Memory(_), ..) => {
                self.leave();
                self.open(session);
                if let Some(room) = Workspace::now() {
                    room.faces.show(BoardTab::Memories);
                }
            }
            ResultAction::Open(session, SearchLocation::Session(..), ..) => {
                self.leave();
                self.open(session);
            }
        }
    }

    fn open(self, session: SessionId) {
        if self.dispatch.session() != session {
            self.dispatch.open(session);
        }
    }

    fn to_message(
        self,
        session: SessionId,
        message: MessageId,
        turn: Option<TurnId>,
        tool: Option<ToolRunId>,
    ) {
        let finder = self.finder();
        // What a tool was asked or answered stands in its card.
        let row = tool.map_or(TimelineKey::Message(message), TimelineKey::Tool);
        spawn_local(async move {
            // Where it cannot be read the session says so itself.
            let is_there = finder.is_in_thread(session, message, turn).await.unwrap_or(true);
            if self.apart.try_get_untracked().is_none() {
                // Whoever asked has left meanwhile.
                return;
            }
            match turn.filter(|_| !is_there) {
                Some(turn) => {
                    self.apart.try_set(Some((session, row, turn)));
                    focus::soon("finder-go-on".to_owned());
                }
                None => {
                    self.leave();
                    if self.dispatch.session() == session {
                        self.lead(session, row);
                    } else {
                        self.dispatch.open_then(session, move || self.lead(session, row));
                    }
                }
            }
        });
    }

    /// Leads to a message or a tool's card of a session, once that is in view.
    fn lead(self, session: SessionId, row: TimelineKey) {
        spawn_local(async move {
            for _ in 0..LOOKS {
                page::next_frame().await;
                if self.sessions.focus.try_get_untracked() != Some(session) {
                    continue;
                }
                let is_there = self.conversation.rows.order.try_with_untracked(|order| order.contains(&row));
                let older = self.conversation.earlier.try_with_untracked(Option::is_some);
                if is_there == Some(true) || older == Some(true) {
                    break;
                }
            }
            if let Some(room) = Workspace::now() {
                if let TimelineKey::Tool(tool) = row {
                    room.care.wish(MessageAction::ToTool(tool));
                } else if let TimelineKey::Message(message) = row {
                    room.care.wish(MessageAction::ToMessage(message));
                }
            }
        });
    }
}
