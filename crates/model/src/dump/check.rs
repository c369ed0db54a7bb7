//! Validates a whole dump before import.
//!
//! Reports what the dump contains, and rejects all of it on the first error. Nothing in it becomes active without the
//! operator.

use std::borrow::Cow;

use sha2::{Digest as _, Sha256};

use crate::dump::reader::{DumpItem, unwrapped};
use crate::dump::{DRAFTS, DumpError, EVENTS, SessionHash, VERSION, without_allowed_tools};
use crate::event::{EVENT_VERSION, Home};
use crate::fold::fold;
use crate::limits::{DUMP_SESSIONS, TASK_TITLE_CHARS};
use crate::prelude::*;
use crate::session::{Draft, DraftField, beginning, shown_name};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum IdKind {
    Turn,
    Message,
    Run,
    ToolRun,
    /// A queued message, still waiting or not.
    Queued,
    Memory,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct DumpedSession {
    pub id: SessionId,
    pub label: String,
    pub title: Option<String>,
    /// True for a conversation of the operator: agents' and the program's own sessions come with it.
    pub is_conversation: bool,
    pub begins: Option<String>,
    pub events: u64,
    pub turns: u64,
    pub messages: u64,
    pub last_at: Millis,
    pub hash: ContentHash,
    /// The hash of its events as an import writes them.
    pub imported: ContentHash,
    pub ids: Vec<(IdKind, u128)>,
    /// Turns that it names and another session opened.
    pub outside: Vec<TurnId>,
}

impl DumpedSession {
    /// The name to show.
    pub fn name(&self) -> Cow<'_, str> {
        shown_name(&self.label, self.title.as_deref(), self.begins.as_deref())
    }
}

/// The content of a field when the dump was written. It may never have been stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DumpedField {
    pub field: String,
    pub text: String,
}

#[derive(Clone, Debug, Default)]
pub struct DumpContents {
    pub at: Millis,
    pub app: String,
    pub sessions: VecMap<SessionId, DumpedSession>,
    /// Agents, providers and settings, as folded.
    pub device: World,
    /// The number of drafts: typed text that is in no event.
    pub drafts: u64,
    pub typed: Vec<DumpedField>,
    /// Notes of the writer on what it could not read.
    pub notes: Vec<String>,
    /// The number of events of unknown kinds; they are kept.
    pub unknown: u64,
    pub sums: Sums,
}

/// Validates a dump piece by piece.
#[derive(Default)]
pub struct DumpChecker {
    found: DumpContents,
    kind: Option<String>,
    version: Option<Value>,
    sums: Option<Value>,
    whole: WholeSum,
    stream: Option<StreamCheck>,
    streams: VecSet<String>,
    /// The assigned ids. A run of the Archivist and its turn have the same one.
    ids: VecSet<(IdKind, u128)>,
    parents: VecMap<TurnId, [Option<TurnId>; 2]>,
}

struct StreamCheck {
    name: String,
    stream: StreamId,
    hash: SessionHash,
    imported: SessionHash,
    found: DumpedSession,
    turns: StreamTurns,
}

/// The turns that a stream opens, and those that it refers to.
#[derive(Default)]
pub struct StreamTurns {
    opened: VecSet<TurnId>,
    named: VecSet<TurnId>,
}

impl StreamTurns {
    pub fn note(&mut self, kind: &EventKind) {
        if let EventKind::TurnOpened { turn } = kind {
            self.opened.insert(turn.id);
            self.named.extend(parents_of(turn).into_iter().flatten());
        } else if let EventKind::HeadMoved { to, .. } = kind {
            self.named.extend(*to);
        } else if let EventKind::SessionChanged { change: SessionChange::Created(created) } = kind {
            self.named.extend(created.session.head);
        }
    }

    /// The turns that it refers to and another stream opens.
    pub fn outside(self) -> Vec<TurnId> {
        self.named.into_iter().filter(|turn| !self.opened.contains(turn)).collect()
    }
}

pub struct DumpedEvent {
    pub stream: String,
    /// Its stored JSON.
    pub tree: Value,
    pub event: Event,
}

pub fn read_event(record: &str) -> Result<DumpedEvent, DumpError> {
    let (key, value) = read_record(record)?;
    let stream = key.get(0).and_then(Value::as_str).unwrap_or_default().to_owned();
    let place = key.get(1).and_then(Value::as_u64).unwrap_or_default();
    let bad = |why: String| DumpError::BadEvent { stream: stream.clone(), place, why };
    let mut tree = unwrapped(value).map_err(|mark| bad(format!("{mark} stands in it")))?;
    if let Value::Object(fields) = &mut tree {
        // The database adds it for searches by topic.
        fields.remove("topic");
    }
    if tree.get("v").and_then(Value::as_u64).is_some_and(|v| v > EVENT_VERSION.into()) {
        return Err(DumpError::Newer(format!("event {place} of {stream}")));
    }
    let event: Event = json::from_tree(&tree).map_err(|error| bad(error.to_string()))?;
    if event.stream.to_string() != stream || event.seq != place {
        return Err(bad("it says that its place is another one".to_owned()));
    }
    Ok(DumpedEvent { stream, tree, event })
}

fn read_record(record: &str) -> Result<(Value, Value), DumpError> {
    let not = |error: serde_json::Error| DumpError::NotJson(error.to_string());
    let Value::Object(mut fields) = json::tree(record).map_err(not)? else { return Err(DumpError::NotADump) };
    let key = fields.remove("key").ok_or(DumpError::NotADump)?;
    Ok((key, fields.remove("value").unwrap_or_default()))
}

pub fn read_draft(record: &str) -> Option<Draft> {
    let (_, value) = read_record(record).ok()?;
    json::from_tree(&unwrapped(value).ok()?).ok()
}

/// A record of the store of partials: the message, the rest of its key, and its JSON.
pub fn read_partial(record: &str) -> Option<(MessageId, String, Value)> {
    let (key, value) = read_record(record).ok()?;
    let (message, number) = key.as_str()?.split_once('/')?;
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    let value = unwrapped(value).ok().filter(Value::is_object)?;
    is_number.then(|| Some((message.parse().ok()?, number.to_owned(), value))).flatten()
}

/// The id that an event assigns, and the kind of row that it is for.
pub fn assigned_id(kind: &EventKind) -> Option<(IdKind, u128)> {
    ids_in(kind).0
}

/// The id that an event assigns, and the session that its content names as its own.
fn ids_in(kind: &EventKind) -> (Option<(IdKind, u128)>, Option<SessionId>) {
    if let EventKind::MessageCommitted { message } | EventKind::ToolEnded { message, .. } = kind {
        (Some((IdKind::Message, message.id.bits())), Some(message.session))
    } else if let EventKind::TurnOpened { turn } = kind {
        (Some((IdKind::Turn, turn.id.bits())), Some(turn.session))
    } else if let EventKind::RunOpened { run } = kind {
        (Some((IdKind::Run, run.id.bits())), Some(run.session))
    } else if let EventKind::ToolRequested { run } = kind {
        (Some((IdKind::ToolRun, run.id.bits())), None)
    } else if let EventKind::MessageQueued { item } = kind {
        (Some((IdKind::Queued, item.id.bits())), Some(item.session))
    } else if let EventKind::MemoryNoted(memory) = kind {
        (Some((IdKind::Memory, memory.id.bits())), Some(memory.session))
    } else if let EventKind::MemoryChanged(memory) = kind {
        (None, Some(memory.session))
    } else if let EventKind::SessionChanged { change: SessionChange::Created(created) } = kind {
        (None, Some(created.session.id))
    } else if let EventKind::JobOpened(Job { task: JobTask::Compaction(compaction), .. }) = kind {
        (None, Some(compaction.session))
    } else {
        (None, None)
    }
}

impl DumpChecker {
    pub fn take(&mut self, piece: &DumpItem) -> Result<(), DumpError> {
        self.whole.take(piece);
        match piece {
            DumpItem::Field(name, text) => self.field(name, text),
            DumpItem::Record(store, record) => match store.as_str() {
                EVENTS => self.event(read_event(record)?),
                "secrets" => Err(DumpError::Keys(store.clone())),
                DRAFTS => {
                    self.found.drafts = self.found.drafts.saturating_add(u64::from(is_typed(record)));
                    Ok(())
                }
                // Rows are folded from the events; the dumped rows are ignored.
                _ => Ok(()),
            },
        }
    }

    fn field(&mut self, name: &str, text: &str) -> Result<(), DumpError> {
        let tree = json::tree(text).map_err(|error| DumpError::NotJson(error.to_string()))?;
        let words = |tree: &Value| tree.as_str().unwrap_or_default().to_owned();
        match name {
            "nexus" => self.kind = Some(words(&tree)),
            "version" => self.version = Some(tree),
            "at" => self.found.at = Millis(tree.as_u64().unwrap_or_default()),
            "app" => self.found.app = words(&tree).chars().take(40).collect(),
            "notes" => self.found.notes = tree.as_array().into_iter().flatten().map(words).collect(),
            "typed" => {
                let of = |one: &Value| DumpedField {
                    field: one.get("field").map(words).unwrap_or_default(),
                    text: one.get("text").map(words).unwrap_or_default(),
                };
                self.found.typed = tree.as_array().into_iter().flatten().map(of).collect();
                self.found.typed.retain(|typed| !typed.text.is_empty());
            }
            SUMS => self.sums = Some(tree),
            // The mirror of the stores, and fields of later programs.
            _ => {}
        }
        self.head()
    }

    /// Checks the header as soon as it is read.
    fn head(&self) -> Result<(), DumpError> {
        if self.kind.as_ref().is_some_and(|kind| kind != "dump") {
            return Err(DumpError::NotADump);
        }
        match &self.version {
            Some(version) if version.as_u64() != Some(VERSION) => Err(DumpError::Newer(version.to_string())),
            _ => Ok(()),
        }
    }

    fn event(&mut self, dumped: DumpedEvent) -> Result<(), DumpError> {
        let DumpedEvent { stream: name, mut tree, event } = dumped;
        if self.stream.as_ref().is_none_or(|reading| reading.name != name) {
            self.close()?;
            if !self.streams.insert(name.clone()) {
                return Err(DumpError::Order { stream: name, place: event.seq });
            }
            self.stream = Some(StreamCheck {
                name: name.clone(),
                stream: event.stream,
                hash: SessionHash::default(),
                imported: SessionHash::default(),
                found: DumpedSession::default(),
                turns: StreamTurns::default(),
            });
        }
        let Some(reading) = &mut self.stream else { return Ok(()) };
        if event.seq != reading.found.events.saturating_add(1) {
            return Err(DumpError::Order { stream: name, place: event.seq });
        }
        reading.found.events = event.seq;
        reading.found.last_at = event.at;
        reading.hash.take(&tree);
        without_allowed_tools(&mut tree);
        reading.imported.take(&tree);
        let Some(kind) = event.known_kind() else {
            self.found.unknown = self.found.unknown.saturating_add(1);
            return if event.seq == 1 && event.stream != StreamId::App {
                Err(DumpError::NoBeginning(name))
            } else {
                Ok(())
            };
        };
        let stranger = || DumpError::WrongStream { stream: name.clone(), place: event.seq };
        let home = kind.facts().home;
        let Some(session) = event.stream.session() else {
            if home == Home::Session {
                return Err(stranger());
            }
            if matches!(kind, EventKind::ProviderChanged { .. }) && holds_key(&tree) {
                return Err(DumpError::Keys(format!("event {} of {name}", event.seq)));
            }
            let rows = fold(&self.found.device, &[event]);
            self.found.device.absorb(rows);
            return Ok(());
        };
        let (assigned, own_session) = ids_in(kind);
        if home == Home::Device || own_session.is_some_and(|own| own != session) {
            return Err(stranger());
        }
        let is_beginning = matches!(kind, EventKind::SessionChanged { change: SessionChange::Created(_) });
        if is_beginning != (event.seq == 1) {
            return Err(DumpError::NoBeginning(name));
        }
        if let Some((what, id)) = assigned {
            if !self.ids.insert((what, id)) {
                return Err(DumpError::SameId(MessageId::from(id).to_string()));
            }
            reading.found.ids.push((what, id));
        }
        reading.note(kind);
        if let EventKind::TurnOpened { turn } = kind {
            self.parents.insert(turn.id, parents_of(turn));
        }
        Ok(())
    }

    fn close(&mut self) -> Result<(), DumpError> {
        let Some(reading) = self.stream.take() else { return Ok(()) };
        let Some(id) = reading.stream.session() else { return Ok(()) };
        if self.found.sessions.len() >= DUMP_SESSIONS {
            return Err(DumpError::ManySessions(DUMP_SESSIONS));
        }
        let StreamCheck { hash, imported, found, turns, .. } = reading;
        let outside = turns.outside();
        self.found
            .sessions
            .insert(id, DumpedSession { id, hash: hash.done(), imported: imported.done(), outside, ..found });
        Ok(())
    }

    pub fn done(mut self) -> Result<DumpContents, DumpError> {
        self.close()?;
        if self.kind.is_none() || self.version.is_none() {
            return Err(DumpError::NotADump);
        }
        if let Some(turn) = find_cycle(&self.parents) {
            return Err(DumpError::Cycle(turn.to_string()));
        }
        let sessions = self.found.sessions.iter().map(|(id, session)| (*id, session.hash)).collect();
        self.found.sums = compare(self.sums.as_ref(), self.whole.done(), &sessions);
        Ok(self.found)
    }
}

impl StreamCheck {
    fn note(&mut self, kind: &EventKind) {
        self.turns.note(kind);
        if let EventKind::TurnOpened { .. } = kind {
            self.found.turns = self.found.turns.saturating_add(1);
        } else if let EventKind::MessageCommitted { .. } | EventKind::ToolEnded { .. } = kind {
            self.found.messages = self.found.messages.saturating_add(1);
            if let EventKind::MessageCommitted { message } = kind
                && message.role == Role::User
                && self.found.begins.is_none()
            {
                self.found.begins = Some(beginning(&text_of(&message.parts), TASK_TITLE_CHARS));
            }
        } else if let EventKind::SessionChanged { change: SessionChange::Labelled(label) } = kind {
            self.found.label.clone_from(label);
        } else if let EventKind::SessionChanged { change: SessionChange::Titled(title) } = kind {
            self.found.title.clone_from(title);
        } else if let EventKind::SessionChanged { change: SessionChange::Created(created) } = kind {
            self.found.label.clone_from(&created.session.label);
            self.found.title.clone_from(&created.session.title);
            self.found.begins = created.session.begins.as_ref().map(|(_, words)| words.clone());
            self.found.is_conversation = created.session.role() == SessionRole::Conversation;
        }
    }
}

fn parents_of(turn: &Turn) -> [Option<TurnId>; 2] {
    [turn.parent, turn.second_parent]
}

/// A turn that is its own ancestor, if there is one.
fn find_cycle(parents: &VecMap<TurnId, [Option<TurnId>; 2]>) -> Option<TurnId> {
    let mut done: VecSet<TurnId> = VecSet::new();
    for start in parents.keys() {
        // Each turn on the path, with the number of its parents that were visited.
        let mut path = vec![(*start, 0usize)];
        let mut on_path: VecSet<TurnId> = [*start].into_iter().collect();
        while let Some((turn, visited)) = path.last_mut() {
            let next = parents.get(turn).and_then(|both| both.get(*visited).copied());
            *visited = visited.saturating_add(1);
            match next {
                Some(Some(parent)) if on_path.contains(&parent) => return Some(parent),
                Some(Some(parent)) if parents.contains_key(&parent) && !done.contains(&parent) => {
                    on_path.insert(parent);
                    path.push((parent, 0));
                }
                Some(_) => {}
                None => {
                    on_path.remove(turn);
                    done.insert(*turn);
                    path.pop();
                }
            }
        }
    }
    None
}

fn is_typed(record: &str) -> bool {
    read_draft(record).is_some_and(|draft| {
        let is_text =
            !matches!(draft.field, DraftField::Recipient | DraftField::Attachments | DraftField::Overrides);
        is_text && draft.text.is_some_and(|text| !text.is_empty())
    })
}

/// True if a provider's event contains a field that could be a key.
fn holds_key(tree: &Value) -> bool {
    const NAMES: [&str; 7] = ["key", "api_key", "apikey", "token", "secret", "password", "authorization"];
    match tree {
        Value::Object(fields) => fields.iter().any(|(name, value)| {
            let is_named = NAMES.contains(&name.to_ascii_lowercase().as_str());
            is_named && value.as_str().is_some_and(|text| !text.is_empty()) || holds_key(value)
        }),
        Value::Array(items) => items.iter().any(holds_key),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

pub const SUMS: &str = "sums";

/// The result of comparing a dump with its checksums.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Sums {
    /// It has none: an earlier program wrote it.
    #[default]
    None,
    /// The content is unchanged.
    Right,
    /// The content was changed after it was written.
    Wrong {
        /// The changed sessions; empty if another part was changed.
        sessions: Vec<SessionId>,
    },
}

/// The checksum over all pieces of a dump.
#[derive(Clone, Debug, Default)]
pub struct WholeSum(Sha256);

impl WholeSum {
    pub fn take(&mut self, piece: &DumpItem) {
        let (DumpItem::Field(name, text) | DumpItem::Record(name, text)) = piece;
        if name != SUMS || matches!(piece, DumpItem::Record(..)) {
            for part in [name, text] {
                self.0.update(part.as_bytes());
                self.0.update([0]);
            }
        }
    }

    pub fn done(self) -> ContentHash {
        ContentHash::of_digest(self.0.finalize())
    }
}

/// Compares the field `sums` with the content.
fn compare(expected: Option<&Value>, all: ContentHash, sessions: &VecMap<SessionId, ContentHash>) -> Sums {
    let Some(expected) = expected else { return Sums::None };
    let is_equal = |value: Option<&Value>, hash: ContentHash| {
        value.and_then(Value::as_str).and_then(ContentHash::read) == Some(hash)
    };
    let of_sessions = expected.get("sessions").and_then(Value::as_object);
    let wrong: Vec<_> = sessions
        .iter()
        // A session without a sum of its own is covered by that of the whole.
        .filter(|(id, hash)| {
            of_sessions.is_some_and(|expected| !is_equal(expected.get(&id.to_string()), **hash))
        })
        .map(|(id, _)| *id)
        .collect();
    let are_all_there = of_sessions.is_none_or(|expected| expected.len() == sessions.len());
    if wrong.is_empty() && are_all_there && is_equal(expected.get("all"), all) {
        Sums::Right
    } else {
        Sums::Wrong { sessions: wrong }
    }
}
