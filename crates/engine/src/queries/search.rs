//! Indexes messages, memories and session data of the whole device for search, newest first, in pieces.
//!
//! Updates the index when something changes. Stores no texts: those of the results are read from the store.

use crate::prelude::*;
use crate::queries::EventQueries;
use nexus_model::limits::{SEARCH_EXCERPT, SEARCH_PAGE, SEARCH_PAIRS, SEARCH_SLICE_MS, SEARCH_TEXT_BYTES};
use nexus_model::search_index::excerpt::{ToolText, tool_texts};
use nexus_model::search_index::{
    ExcerptSpan, SearchField, SearchHit, SearchIndex, SearchLocation, excerpt, search_terms,
};
use nexus_model::turn::tree::{WalkError, is_ancestor};
use nexus_text::markdown::tree::plain;
use nexus_text::shorten::first_bytes;

/// Max threads read to walk back: far more than the logarithm of any conversation's length.
const THREAD_STEPS: usize = 4_000;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionInfo {
    pub name: String,
    pub title: Option<String>,
    pub filter: SessionFilter,
    pub head: Option<TurnId>,
    pub unanswered: Vec<MessageId>,
    pub last_at: Millis,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SearchProgress {
    pub read: usize,
    pub of: usize,
    /// Number of texts that did not fit.
    pub omitted: usize,
    pub is_reading: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct SearchResult {
    pub hit: SearchHit,
    pub about: SessionInfo,
    /// The text around it, with the matches marked.
    pub pieces: Vec<ExcerptSpan>,
    pub role: Option<Role>,
    pub agent: Option<AgentKey>,
    pub turn: Option<TurnId>,
    /// The tool use that contains the match, if it is not in the message's text.
    pub tool: Option<ToolText>,
}

pub struct SearchService {
    records: EventQueries,
    clock: Rc<dyn Clock>,
    index: RefCell<SearchIndex>,
    sessions: RefCell<VecMap<SessionId, SessionInfo>>,
    progress: Cell<SearchProgress>,
    again: Cell<bool>,
    /// Texts that did not fit, so that they are not read again.
    omitted: RefCell<VecSet<SearchLocation>>,
}

impl SearchService {
    pub fn new(records: EventQueries, clock: Rc<dyn Clock>) -> Self {
        Self::with_capacity(records, clock, SEARCH_PAIRS)
    }

    fn with_capacity(records: EventQueries, clock: Rc<dyn Clock>, pairs: usize) -> Self {
        Self {
            records,
            clock,
            index: RefCell::new(SearchIndex::new(pairs)),
            sessions: RefCell::default(),
            progress: Cell::default(),
            again: Cell::new(false),
            omitted: RefCell::default(),
        }
    }

    pub fn progress(&self) -> SearchProgress {
        self.progress.get()
    }

    /// Updates the index: adds what is new and removes what was deleted. Calls `step` after each piece. If an update is
    /// already running, it runs once more afterwards, and this returns at once.
    pub async fn refresh(&self, step: impl Fn()) -> StoreResult {
        if self.progress.get().is_reading {
            self.again.set(true);
            return Ok(());
        }
        loop {
            self.again.set(false);
            self.progress.set(SearchProgress { is_reading: true, ..self.progress.get() });
            let read = self.read(&step).await;
            self.progress.set(SearchProgress { is_reading: false, ..self.progress.get() });
            step();
            read?;
            if !self.again.get() {
                return Ok(());
            }
        }
    }

    async fn read(&self, step: &impl Fn()) -> StoreResult {
        let mut existing: VecSet<SearchLocation> = VecSet::default();
        self.read_sessions(&mut existing).await?;
        self.read_memories(&mut existing).await?;
        step();
        let keys = self.records.store.keys(Table::Messages, String::new()).await?;
        let messages: Vec<MessageId> = keys.iter().filter_map(|key| key.parse().ok()).collect();
        self.sweep(&existing, &messages);
        let mut new: Vec<MessageId> = {
            let (index, left_out) = (self.index.borrow(), self.omitted.borrow());
            let is_new = |id: &&MessageId| {
                !index.knows(SearchLocation::Message(**id))
                    && !left_out.contains(&SearchLocation::Message(**id))
            };
            messages.iter().filter(is_new).copied().collect()
        };
        self.set_progress(messages.len(), new.len());
        // Newest first: most searches are for recent messages.
        new.reverse();
        let mut slice_start = self.clock.now();
        let mut left = new.len();
        for page in new.chunks(SEARCH_PAGE) {
            let messages = self.records.store.rows::<Message>(Table::Messages, page).await?;
            let turns = self.graph_turns(&messages).await?;
            for message in &messages {
                self.index_message(message, &turns);
                if self.clock.now().0.saturating_sub(slice_start.0) >= SEARCH_SLICE_MS {
                    self.clock.sleep(0).await;
                    slice_start = self.clock.now();
                }
            }
            left = left.saturating_sub(page.len());
            self.set_progress(messages.len(), left);
            step();
        }
        Ok(())
    }

    fn set_progress(&self, of: usize, left: usize) {
        let omitted = self.omitted.borrow().len();
        self.progress.set(SearchProgress {
            read: of.saturating_sub(left),
            of,
            omitted,
            ..self.progress.get()
        });
    }

    async fn read_sessions(&self, existing: &mut VecSet<SearchLocation>) -> StoreResult {
        let rows = self.records.store.scan(Table::Sessions, String::new()).await?;
        let mut known = VecMap::new();
        for (_, row) in rows {
            let Ok(session) = json::read::<Session>(&row) else { continue };
            let Some(filter) = SessionFilter::of(&session).filter(|filter| *filter != SessionFilter::Deleted)
            else {
                continue;
            };
            let last_at = session.last_message_at.unwrap_or(session.created_at);
            let texts = [
                (SearchField::Label, Some(session.label.clone())),
                (SearchField::Title, session.title.clone()),
                (SearchField::Keywords, Some(session.keywords.join(" "))),
                (SearchField::Summary, session.summary.clone()),
            ];
            for (field, text) in texts {
                if let Some(text) = text.filter(|text| !text.trim().is_empty()) {
                    self.put(session.id, SearchLocation::Session(session.id, field), last_at, &text);
                    existing.insert(SearchLocation::Session(session.id, field));
                }
            }
            known.insert(
                session.id,
                SessionInfo {
                    name: session.name().into_owned(),
                    title: session.title,
                    filter,
                    head: session.head,
                    unanswered: session.unanswered,
                    last_at,
                },
            );
        }
        *self.sessions.borrow_mut() = known;
        Ok(())
    }

    async fn read_memories(&self, existing: &mut VecSet<SearchLocation>) -> StoreResult {
        let rows = self.records.store.scan(Table::Memories, String::new()).await?;
        let memories = rows.iter().filter_map(|(_, row)| json::read::<Memory>(row).ok());
        for memory in memories.filter(Memory::exists) {
            self.put(memory.session, SearchLocation::Memory(memory.id), memory.at, &memory.content);
            existing.insert(SearchLocation::Memory(memory.id));
        }
        Ok(())
    }

    fn put(&self, session: SessionId, place: SearchLocation, at: Millis, text: &str) {
        if !self.index.borrow_mut().put(session, place, at, first_bytes(text, SEARCH_TEXT_BYTES)) {
            self.omitted.borrow_mut().insert(place);
        }
    }

    /// The turns of these answers that are of a graph's nodes.
    async fn graph_turns(&self, messages: &[Message]) -> StoreResult<Vec<Turn>> {
        let answers = || messages.iter().filter(|message| message.role == Role::Assistant);
        let runs: VecSet<RunId> = answers().filter_map(|message| message.run).collect();
        let mut runs = self.records.store.rows::<Run>(Table::Runs, runs.iter()).await?;
        runs.retain(|run| run.graph.is_some());
        let of_graph = |message: &&Message| runs.iter().any(|run| Some(run.id) == message.run);
        let turns: VecSet<TurnId> = answers().filter(of_graph).filter_map(|message| message.turn).collect();
        self.records.store.rows(Table::Turns, turns.iter()).await
    }

    /// Indexes a completed message; an empty one is recorded too, so that it is not read again.
    fn index_message(&self, message: &Message, turns: &[Turn]) {
        if message.status == MessageStatus::Processing {
            return;
        }
        let place = SearchLocation::Message(message.id);
        if message.role == Role::Tool && self.index.borrow().is_half_full() {
            self.omitted.borrow_mut().insert(place);
            return;
        }
        let mut text = if message.deleted_at.is_none() { text_in(message) } else { String::new() };
        for note in turns.iter().flat_map(|turn| notes_above(turn, message.id)) {
            text.push('\n');
            text.push_str(note);
        }
        self.put(message.session, place, message.created_at, &text);
    }

    /// Removes what was deleted. `messages` are the existing ones, in order.
    fn sweep(&self, existing: &VecSet<SearchLocation>, messages: &[MessageId]) {
        let is_deleted = |place: &SearchLocation| match place {
            SearchLocation::Message(id) => messages.binary_search(id).is_err(),
            SearchLocation::Session(..) | SearchLocation::Memory(_) => !existing.contains(place),
        };
        let deleted: Vec<SearchLocation> = self.index.borrow().places().filter(is_deleted).collect();
        let mut index = self.index.borrow_mut();
        deleted.into_iter().for_each(|place| index.remove(place));
        self.omitted.borrow_mut().retain(|place| !is_deleted(place));
    }

    /// The matches for these words, best first, in sessions that are not deleted.
    pub fn find(&self, words: &str) -> Vec<SearchHit> {
        let sessions = self.sessions.borrow();
        self.index.borrow().find(&search_terms(words), |session| sessions.contains_key(&session))
    }

    pub fn about(&self, session: SessionId) -> Option<SessionInfo> {
        self.sessions.borrow().get(&session).cloned()
    }

    /// Reads the texts of results. Omits those deleted meanwhile.
    pub async fn shown(&self, hits: &[SearchHit], words: &str) -> StoreResult<Vec<SearchResult>> {
        let wanted = search_terms(words);
        let mut shown = Vec::with_capacity(hits.len());
        for hit in hits {
            let Some(about) = self.about(hit.session) else { continue };
            let (table, key) = match hit.place {
                SearchLocation::Session(session, _) => (Table::Sessions, session.to_string()),
                SearchLocation::Memory(memory) => (Table::Memories, memory.to_string()),
                SearchLocation::Message(message) => (Table::Messages, message.to_string()),
            };
            let row = self.records.store.row_text(table, key).await?;
            let Some((text, message)) = row.and_then(|row| text_at(hit.place, &row)) else { continue };
            let mut pieces = excerpt(&plain(&text), &wanted, SEARCH_EXCERPT);
            let mut tool = None;
            let mut role = message.as_ref().map(|message| message.role);
            let mut agent = message.as_ref().and_then(|message| message.agent.clone());
            // A match in the message's text takes precedence.
            let has_match = |pieces: &[ExcerptSpan]| pieces.iter().any(|(is_match, _)| *is_match);
            if let Some(message) = message.as_ref().filter(|_| !has_match(&pieces)) {
                let mut tool_uses = tool_texts(message).into_iter();
                let found = tool_uses.find_map(|one| {
                    let pieces = excerpt(&one.text, &wanted, SEARCH_EXCERPT);
                    has_match(&pieces).then_some((one, pieces))
                });
                if let Some((one, found)) = found {
                    (tool, pieces) = (Some(one), found);
                } else if let Some(id) = message.turn.filter(|_| message.role == Role::Assistant)
                    && let Some(turn) = self.turn(id).await
                    && let Some(found) = notes_above(&turn, message.id)
                        .map(|note| excerpt(note, &wanted, SEARCH_EXCERPT))
                        .find(|pieces| has_match(pieces))
                {
                    (pieces, role, agent) = (found, Some(Role::User), None);
                }
            }
            shown.push(SearchResult {
                hit: hit.clone(),
                about,
                tool,
                pieces,
                role,
                agent,
                turn: message.and_then(|message| message.turn),
            });
        }
        Ok(shown)
    }

    /// A turn by its id; `None` if it is not on this device.
    pub async fn turn(&self, id: TurnId) -> Option<Turn> {
        self.records.store.row(Table::Turns, id).await.ok()?
    }

    /// True if a message is in its session's current thread, not on another branch.
    pub async fn is_in_thread(
        &self,
        session: SessionId,
        message: MessageId,
        turn: Option<TurnId>,
    ) -> StoreResult<bool> {
        let Some(about) = self.about(session) else { return Ok(false) };
        let (Some(turn), Some(head)) = (turn, about.head) else {
            return Ok(turn.is_none() && about.unanswered.contains(&message)
                || turn.is_some() && about.head.is_none());
        };
        let mut threads = World::default();
        for _ in 0..THREAD_STEPS {
            let missing = match is_ancestor(&threads, turn, head) {
                Ok(is_ancestor) => return Ok(is_ancestor),
                Err(WalkError::Missing(turn)) => turn,
                Err(WalkError::Broken(_)) => break,
            };
            let loaded = self.records.store.load_thread(missing).await?;
            if loaded.rows.is_empty() {
                break;
            }
            threads.absorb(loaded.rows);
        }
        Ok(false)
    }
}

/// What the operator wrote to the node of this turn. It is shown above the turn's first message.
fn notes_above(turn: &Turn, message: MessageId) -> impl Iterator<Item = &str> {
    let is_first = turn.messages.first() == Some(&message);
    let notes = turn.inbox.iter().filter(move |envelope| is_first && envelope.kind == kinds::OPERATOR);
    notes.map(|envelope| envelope.summary.as_str())
}

fn text_in(message: &Message) -> String {
    let text = if message.role == Role::Tool { String::new() } else { text_of(&message.parts) };
    let tools = tool_texts(message).into_iter().map(|one| one.text);
    let all: Vec<String> = std::iter::once(text).chain(tools).filter(|text| !text.is_empty()).collect();
    all.join("\n")
}

fn text_at(place: SearchLocation, row: &str) -> Option<(String, Option<Message>)> {
    match place {
        SearchLocation::Message(_) => {
            let message = json::read::<Message>(row).ok()?;
            Some((text_of(&message.parts), Some(message)))
        }
        SearchLocation::Memory(_) => Some((json::read::<Memory>(row).ok()?.content, None)),
        SearchLocation::Session(_, field) => {
            let session = json::read::<Session>(row).ok()?;
            let text = match field {
                SearchField::Label => session.label,
                SearchField::Title => session.title?,
                SearchField::Keywords => session.keywords.join(", "),
                SearchField::Summary => session.summary?,
                SearchField::Memory | SearchField::Message => return None,
            };
            Some((text, None))
        }
    }
}

#[cfg(test)]
mod tests;
