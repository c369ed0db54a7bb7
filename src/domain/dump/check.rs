//! Never writes, and never forgives: what is wrong anywhere in a dump refuses all of it.
//!
//! Owns the look at a whole dump before anything of it is taken in: what it brings, whether it is in order, and that
//! nothing in it could become active by itself.

use serde_json::Value;

use crate::domain::draft::Draft;
use crate::domain::dump::plain::unwrapped;
use crate::domain::dump::reader::Piece;
use crate::domain::dump::{DRAFTS, EVENTS, PARTIALS, Refusal, SessionHash, VERSION};
use crate::domain::event::{EVENT_VERSION, Event, Happening, SessionChange};
use crate::domain::fold::fold;
use crate::domain::hash::Hash;
use crate::domain::id::{MessageId, Millis, SessionId, StreamId, TurnId};
use crate::domain::json;
use crate::domain::limits::DUMP_SESSIONS;
use crate::domain::sorted::{SortedMap, SortedSet};
use crate::domain::turn::Turn;
use crate::domain::world::World;

/// What an id names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Named {
    /// A turn.
    Turn,
    /// A message.
    Message,
    /// A run.
    Run,
    /// A tool run.
    ToolRun,
    /// A message that waits or waited.
    Queued,
    /// Something that is remembered.
    Memory,
}

/// A session that a dump brings.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundSession {
    /// Its id.
    pub id: SessionId,
    /// What it is called.
    pub label: String,
    /// How many events it has.
    pub events: u64,
    /// How many turns.
    pub turns: u64,
    /// How many messages.
    pub messages: u64,
    /// When something last happened in it.
    pub last_at: Millis,
    /// Its hash.
    pub hash: Hash,
    /// The ids that were given in it.
    pub ids: Vec<(Named, u128)>,
    /// Turns that it names and that were opened elsewhere.
    pub outside: Vec<TurnId>,
}

/// Something that stood in a field when the dump was written, and perhaps was never stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Typed {
    /// The field.
    pub field: String,
    /// The text.
    pub text: String,
}

/// What a dump brings.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// When it was written.
    pub at: Millis,
    /// The version of the program that wrote it.
    pub app: String,
    /// The sessions, by id.
    pub sessions: SortedMap<SessionId, FoundSession>,
    /// Agents, providers and settings, as folded.
    pub device: World,
    /// What was typed and is not in an event.
    pub drafts: u64,
    /// What stood in fields.
    pub typed: Vec<Typed>,
    /// What the writer could not read.
    pub notes: Vec<String>,
    /// Events of kinds that this program does not know; they are kept.
    pub unknown: u64,
}

/// The look at a dump.
#[derive(Default)]
pub struct Check {
    found: Found,
    kind: Option<String>,
    version: Option<Value>,
    stream: Option<Reading>,
    streams: SortedSet<String>,
    /// What was given an id. A run of the Archivist and its turn have the same one.
    ids: SortedSet<(Named, u128)>,
    parents: SortedMap<TurnId, [Option<TurnId>; 2]>,
}

/// The stream that is being read.
struct Reading {
    name: String,
    stream: StreamId,
    seq: u64,
    hash: SessionHash,
    label: String,
    turns: u64,
    messages: u64,
    last_at: Millis,
    ids: Vec<(Named, u128)>,
    own: SortedSet<TurnId>,
    named: SortedSet<TurnId>,
}

/// An event as a dump holds it.
pub struct DumpedEvent {
    /// The stream's name.
    pub stream: String,
    /// Its JSON, as it was stored.
    pub tree: Value,
    /// It, read.
    pub event: Event,
}

/// Reads a record of the store of events.
///
/// # Errors
/// What is wrong with it.
pub fn read_event(record: &str) -> Result<DumpedEvent, Refusal> {
    let (key, value) = read_record(record)?;
    let stream = key.get(0).and_then(Value::as_str).unwrap_or_default().to_owned();
    let place = key.get(1).and_then(Value::as_u64).unwrap_or_default();
    let bad = |why: String| Refusal::BadEvent { stream: stream.clone(), place, why };
    let mut tree = unwrapped(value).map_err(|mark| bad(format!("{mark} stands in it")))?;
    if let Value::Object(fields) = &mut tree {
        // The database adds it, so that it can be searched by topic.
        fields.remove("topic");
    }
    if tree.get("v").and_then(Value::as_u64).is_some_and(|v| v > EVENT_VERSION.into()) {
        return Err(Refusal::Newer(format!("event {place} of {stream}")));
    }
    let event: Event = json::from_tree(&tree).map_err(|error| bad(error.to_string()))?;
    if event.stream.to_string() != stream || event.seq != place {
        return Err(bad("it says that its place is another one".to_owned()));
    }
    Ok(DumpedEvent { stream, tree, event })
}

/// The key and the value of a record.
///
/// # Errors
/// Where it is none.
pub fn read_record(record: &str) -> Result<(Value, Value), Refusal> {
    let not = |error: serde_json::Error| Refusal::NotJson(error.to_string());
    match json::tree(record).map_err(not)? {
        Value::Object(mut fields) => {
            let key = fields.remove("key").ok_or(Refusal::NotADump)?;
            Ok((key, fields.remove("value").unwrap_or_default()))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            Err(Refusal::NotADump)
        }
    }
}

/// The draft of a record of the store of drafts.
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

/// The id that an event gives, and what it names.
pub fn made(happening: &Happening) -> Option<(Named, u128)> {
    Some(if let Happening::MessageCommitted { message } | Happening::ToolEnded { message, .. } = happening {
        (Named::Message, message.id.bits())
    } else if let Happening::TurnOpened { turn } = happening {
        (Named::Turn, turn.id.bits())
    } else if let Happening::RunOpened { run } = happening {
        (Named::Run, run.id.bits())
    } else if let Happening::ToolRequested { run } = happening {
        (Named::ToolRun, run.id.bits())
    } else if let Happening::MessageQueued { item } = happening {
        (Named::Queued, item.id.bits())
    } else if let Happening::MemoryNoted(memory) = happening {
        (Named::Memory, memory.id.bits())
    } else {
        return None;
    })
}

/// Whether a happening belongs into the device's stream and no other.
fn is_of_device(happening: &Happening) -> bool {
    matches!(
        happening,
        Happening::AgentChanged { .. }
            | Happening::AgentRemoved { .. }
            | Happening::ProviderChanged { .. }
            | Happening::ProviderRemoved { .. }
            | Happening::SettingChanged { .. }
            | Happening::TriggerChanged { .. }
            | Happening::TriggerRemoved { .. }
            | Happening::TriggerFired(_)
            | Happening::TriggerEnded(_)
            | Happening::SessionPurged { .. }
    )
}

/// Whether it may stand anywhere; what is remembered of a session that is forgotten belongs to the device.
fn is_of_any(happening: &Happening) -> bool {
    matches!(
        happening,
        Happening::CommandRefused { .. }
            | Happening::Notice { .. }
            | Happening::CriticalError { .. }
            | Happening::MemoryChanged(_)
    )
}

/// The session that a happening itself says it belongs to.
fn own_session(happening: &Happening) -> Option<SessionId> {
    Some(if let Happening::MessageCommitted { message } | Happening::ToolEnded { message, .. } = happening {
        message.session
    } else if let Happening::TurnOpened { turn } = happening {
        turn.session
    } else if let Happening::RunOpened { run } = happening {
        run.session
    } else if let Happening::MessageQueued { item } = happening {
        item.session
    } else if let Happening::SessionChanged { change: SessionChange::Created(created) } = happening {
        created.session.id
    } else if let Happening::MemoryNoted(memory) | Happening::MemoryChanged(memory) = happening {
        memory.session
    } else if let Happening::CompactionOpened(compaction) = happening {
        compaction.session
    } else {
        return None;
    })
}

impl Check {
    /// Looks at the next piece.
    ///
    /// # Errors
    /// Why the dump is refused.
    pub fn take(&mut self, piece: &Piece) -> Result<(), Refusal> {
        match piece {
            Piece::Field(name, text) => self.field(name, text),
            Piece::Record(store, record) => match store.as_str() {
                EVENTS => self.event(read_event(record)?),
                "secrets" => Err(Refusal::Keys(store.clone())),
                DRAFTS => {
                    self.found.drafts = self.found.drafts.saturating_add(u64::from(is_typed(record)));
                    Ok(())
                }
                PARTIALS => Ok(()),
                // Rows are folded from the events; what they say does not count.
                _ => Ok(()),
            },
        }
    }

    fn field(&mut self, name: &str, text: &str) -> Result<(), Refusal> {
        let tree = json::tree(text).map_err(|error| Refusal::NotJson(error.to_string()))?;
        let words = |tree: &Value| tree.as_str().unwrap_or_default().to_owned();
        match name {
            "nexus" => self.kind = Some(words(&tree)),
            "version" => self.version = Some(tree),
            "at" => self.found.at = Millis(tree.as_u64().unwrap_or_default()),
            "app" => self.found.app = words(&tree).chars().take(40).collect(),
            "notes" => self.found.notes = tree.as_array().into_iter().flatten().map(words).collect(),
            "typed" => {
                let of = |one: &Value| Typed {
                    field: one.get("field").map(words).unwrap_or_default(),
                    text: one.get("text").map(words).unwrap_or_default(),
                };
                self.found.typed = tree.as_array().into_iter().flatten().map(of).collect();
                self.found.typed.retain(|typed| !typed.text.is_empty());
            }
            // The mirror of what the stores hold, and whatever a later program adds.
            _ => {}
        }
        self.head()
    }

    /// What the head says, as soon as it has been read.
    fn head(&self) -> Result<(), Refusal> {
        if self.kind.as_ref().is_some_and(|kind| kind != "dump") {
            return Err(Refusal::NotADump);
        }
        match &self.version {
            Some(version) if version.as_u64() != Some(VERSION) => Err(Refusal::Newer(version.to_string())),
            _ => Ok(()),
        }
    }

    fn event(&mut self, dumped: DumpedEvent) -> Result<(), Refusal> {
        let DumpedEvent { stream: name, tree, event } = dumped;
        if self.stream.as_ref().is_none_or(|reading| reading.name != name) {
            self.close()?;
            if !self.streams.insert(name.clone()) {
                return Err(Refusal::Order { stream: name, place: event.seq });
            }
            self.stream = Some(Reading::of(name.clone(), event.stream));
        }
        let Some(reading) = &mut self.stream else { return Ok(()) };
        if event.seq != reading.seq.saturating_add(1) {
            return Err(Refusal::Order { stream: name, place: event.seq });
        }
        reading.seq = event.seq;
        reading.last_at = event.at;
        reading.hash.take(&tree);
        let Some(happening) = event.happening() else {
            self.found.unknown = self.found.unknown.saturating_add(1);
            return if event.seq == 1 && event.stream != StreamId::App {
                Err(Refusal::NoBeginning(name))
            } else {
                Ok(())
            };
        };
        let stranger = || Refusal::Stranger { stream: name.clone(), place: event.seq };
        let Some(session) = event.stream.session() else {
            if !is_of_device(happening) && !is_of_any(happening) {
                return Err(stranger());
            }
            if matches!(happening, Happening::ProviderChanged { .. }) && holds_key(&tree) {
                return Err(Refusal::Keys(format!("event {} of {name}", event.seq)));
            }
            let rows = fold(&self.found.device, &[event]);
            self.found.device.absorb(rows);
            return Ok(());
        };
        if is_of_device(happening) || own_session(happening).is_some_and(|own| own != session) {
            return Err(stranger());
        }
        let is_beginning =
            matches!(happening, Happening::SessionChanged { change: SessionChange::Created(_) });
        if is_beginning != (event.seq == 1) {
            return Err(Refusal::NoBeginning(name));
        }
        if let Some((what, id)) = made(happening) {
            if !self.ids.insert((what, id)) {
                return Err(Refusal::SameId(MessageId::from(id).to_string()));
            }
            reading.ids.push((what, id));
        }
        reading.note(happening);
        if let Happening::TurnOpened { turn } = happening {
            self.parents.insert(turn.id, parents_of(turn));
        }
        Ok(())
    }

    /// The stream that was being read is over.
    fn close(&mut self) -> Result<(), Refusal> {
        let Some(reading) = self.stream.take() else { return Ok(()) };
        let Some(id) = reading.stream.session() else { return Ok(()) };
        if self.found.sessions.len() >= DUMP_SESSIONS {
            return Err(Refusal::ManySessions(DUMP_SESSIONS));
        }
        let Reading { seq, hash, label, turns, messages, last_at, ids, own, named, .. } = reading;
        let outside = named.into_iter().filter(|turn| !own.contains(turn)).collect();
        let found = FoundSession {
            id,
            label,
            events: seq,
            turns,
            messages,
            last_at,
            hash: hash.done(),
            ids,
            outside,
        };
        self.found.sessions.insert(id, found);
        Ok(())
    }

    /// The dump is over: what it brings.
    ///
    /// # Errors
    /// Why it is refused.
    pub fn done(mut self) -> Result<Found, Refusal> {
        self.close()?;
        if self.kind.is_none() || self.version.is_none() {
            return Err(Refusal::NotADump);
        }
        if let Some(turn) = cycle(&self.parents) {
            return Err(Refusal::Cycle(turn.to_string()));
        }
        Ok(self.found)
    }
}

impl Reading {
    fn of(name: String, stream: StreamId) -> Self {
        Self {
            name,
            stream,
            seq: 0,
            hash: SessionHash::default(),
            label: String::new(),
            turns: 0,
            messages: 0,
            last_at: Millis(0),
            ids: Vec::new(),
            own: SortedSet::new(),
            named: SortedSet::new(),
        }
    }

    fn note(&mut self, happening: &Happening) {
        if let Happening::TurnOpened { turn } = happening {
            self.turns = self.turns.saturating_add(1);
            self.own.insert(turn.id);
            for parent in parents_of(turn).into_iter().flatten() {
                self.named.insert(parent);
            }
        } else if let Happening::MessageCommitted { .. } | Happening::ToolEnded { .. } = happening {
            self.messages = self.messages.saturating_add(1);
        } else if let Happening::HeadMoved { to: Some(to), .. } = happening {
            self.named.insert(*to);
        } else if let Happening::SessionChanged { change: SessionChange::Labelled(label) } = happening {
            self.label.clone_from(label);
        } else if let Happening::SessionChanged { change: SessionChange::Created(created) } = happening {
            self.label.clone_from(&created.session.label);
            if let Some(head) = created.session.head {
                self.named.insert(head);
            }
        }
    }
}

fn parents_of(turn: &Turn) -> [Option<TurnId>; 2] {
    [turn.parent, turn.second_parent]
}

/// A turn that goes back to itself, if there is one.
fn cycle(parents: &SortedMap<TurnId, [Option<TurnId>; 2]>) -> Option<TurnId> {
    let mut done: SortedSet<TurnId> = SortedSet::new();
    for start in parents.keys() {
        // Each turn on the way with how many of its parents were looked at.
        let mut way = vec![(*start, 0usize)];
        let mut on_way: SortedSet<TurnId> = [*start].into_iter().collect();
        while let Some((turn, looked)) = way.last_mut() {
            let next = parents.get(turn).and_then(|both| both.get(*looked).copied());
            *looked = looked.saturating_add(1);
            match next {
                Some(Some(parent)) if on_way.contains(&parent) => return Some(parent),
                Some(Some(parent)) if parents.contains_key(&parent) && !done.contains(&parent) => {
                    on_way.insert(parent);
                    way.push((parent, 0));
                }
                Some(_) => {}
                None => {
                    on_way.remove(turn);
                    done.insert(*turn);
                    way.pop();
                }
            }
        }
    }
    None
}

fn is_typed(record: &str) -> bool {
    read_draft(record).is_some_and(|draft| draft.text.is_some_and(|text| !text.is_empty()))
}

/// Whether a provider's event holds a field that could be a key.
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
