//! Streaming parser of a dump: bytes in chunks of any size become fields and records.
//!
//! At most one record is in memory.
//!
//! Also converts between JSON and the dump's encoding of values. In a dump, types that JSON lacks are objects with one
//! marker key; data that looks like a marker is wrapped in `$plain`. Values that the stores cannot hold are rejected.

use serde_json::{Map, Value};

use crate::dump::DumpError;
use crate::limits::DUMP_RECORD_BYTES;
use nexus_text::{json, shorten::counted};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DumpItem {
    /// Name and JSON of a field other than `stores`.
    Field(String, String),
    /// A record: the name of its store and its JSON.
    Record(String, String),
}

/// What the parser expects next.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
enum ParserState {
    #[default]
    Dump,
    Name {
        first: bool,
    },
    Colon(String),
    Value(String),
    AfterValue,
    Stores,
    StoreName {
        first: bool,
    },
    StoreColon(String),
    Store(String),
    Record {
        store: String,
        first: bool,
    },
    AfterRecord(String),
    AfterStore,
    Nothing,
}

#[derive(Clone, Debug, Default)]
struct JsonValueBuffer {
    bytes: Vec<u8>,
    depth: usize,
    in_string: bool,
    is_escaped: bool,
    is_bare: bool,
}

#[derive(Clone, Debug, Default)]
pub struct DumpReader {
    next: ParserState,
    text: Option<JsonValueBuffer>,
    at: u64,
}

impl DumpReader {
    pub fn feed(&mut self, bytes: &[u8]) -> Result<Vec<DumpItem>, DumpError> {
        let mut pieces = Vec::new();
        for byte in bytes {
            self.at = self.at.saturating_add(1);
            self.take(*byte, &mut pieces)?;
        }
        Ok(pieces)
    }

    pub fn end(self) -> Result<(), DumpError> {
        if self.next == ParserState::Nothing {
            Ok(())
        } else if self.next == ParserState::Dump && self.text.is_none() {
            Err(DumpError::NotADump)
        } else {
            Err(DumpError::NotJson(format!("it breaks off after {}", counted(self.at, "byte", "bytes"))))
        }
    }

    fn take(&mut self, byte: u8, pieces: &mut Vec<DumpItem>) -> Result<(), DumpError> {
        if let Some(mut text) = self.text.take() {
            match text.push(byte) {
                PushResult::More if text.bytes.len() > DUMP_RECORD_BYTES => {
                    return Err(DumpError::LongRecord);
                }
                PushResult::More => self.text = Some(text),
                PushResult::Done => self.read(text, pieces)?,
                PushResult::DoneBefore => {
                    self.read(text, pieces)?;
                    return self.take(byte, pieces);
                }
            }
            return Ok(());
        }
        // Skips the byte order mark that some editors add.
        let is_blank = byte.is_ascii_whitespace() || (self.next == ParserState::Dump && byte >= 0x80);
        if is_blank { Ok(()) } else { self.mark(byte) }
    }

    /// Handles a byte between values.
    fn mark(&mut self, byte: u8) -> Result<(), DumpError> {
        let next = std::mem::replace(&mut self.next, ParserState::Nothing);
        self.next = match (next, byte) {
            (ParserState::Dump, b'{') => ParserState::Name { first: true },
            (ParserState::Name { first: true }, b'}') | (ParserState::AfterValue, b'}') => {
                ParserState::Nothing
            }
            (ParserState::AfterValue, b',') => ParserState::Name { first: false },
            (ParserState::Colon(name), b':') if name == "stores" => ParserState::Stores,
            (ParserState::Colon(name), b':') => ParserState::Value(name),
            (ParserState::Stores, b'{') => ParserState::StoreName { first: true },
            (ParserState::StoreName { first: true }, b'}') | (ParserState::AfterStore, b'}') => {
                ParserState::AfterValue
            }
            (ParserState::AfterStore, b',') => ParserState::StoreName { first: false },
            (ParserState::StoreColon(store), b':') => ParserState::Store(store),
            (ParserState::Store(store), b'[') => ParserState::Record { store, first: true },
            (ParserState::Record { first: true, .. }, b']') | (ParserState::AfterRecord(_), b']') => {
                ParserState::AfterStore
            }
            (ParserState::AfterRecord(store), b',') => ParserState::Record { store, first: false },
            (next @ (ParserState::Name { .. } | ParserState::StoreName { .. }), b'"') => {
                return self.begin(next, byte);
            }
            (next @ (ParserState::Value(_) | ParserState::Record { .. }), _) => {
                return self.begin(next, byte);
            }
            (ParserState::Dump, _) => return Err(DumpError::NotADump),
            _ => return Err(self.broken("something else was expected")),
        };
        Ok(())
    }

    fn begin(&mut self, next: ParserState, byte: u8) -> Result<(), DumpError> {
        if matches!(byte, b',' | b':' | b']' | b'}') {
            return Err(self.broken("a value was expected"));
        }
        self.next = next;
        let mut text =
            JsonValueBuffer { is_bare: !matches!(byte, b'"' | b'{' | b'['), ..JsonValueBuffer::default() };
        // The first byte never ends a value.
        text.push(byte);
        self.text = Some(text);
        Ok(())
    }

    fn read(&mut self, text: JsonValueBuffer, pieces: &mut Vec<DumpItem>) -> Result<(), DumpError> {
        let text = String::from_utf8(text.bytes).map_err(|_| self.broken("it is no text"))?;
        let name = |text: &str| match json::tree(text) {
            Ok(serde_json::Value::String(name)) => Ok(name),
            Ok(_) | Err(_) => Err(DumpError::NotJson(format!("a name was expected, not {text}"))),
        };
        let next = std::mem::replace(&mut self.next, ParserState::Nothing);
        self.next = match next {
            ParserState::Name { .. } => ParserState::Colon(name(&text)?),
            ParserState::StoreName { .. } => ParserState::StoreColon(name(&text)?),
            ParserState::Value(field) => {
                pieces.push(DumpItem::Field(field, text));
                ParserState::AfterValue
            }
            ParserState::Record { store, .. } => {
                pieces.push(DumpItem::Record(store.clone(), text));
                ParserState::AfterRecord(store)
            }
            ParserState::Dump
            | ParserState::Colon(_)
            | ParserState::AfterValue
            | ParserState::Stores
            | ParserState::StoreColon(_)
            | ParserState::Store(_)
            | ParserState::AfterRecord(_)
            | ParserState::AfterStore
            | ParserState::Nothing => return Err(self.broken("something else was expected")),
        };
        Ok(())
    }

    fn broken(&self, what: &str) -> DumpError {
        DumpError::NotJson(format!("{what} at byte {}", self.at))
    }
}

/// The effect of a byte on a value.
enum PushResult {
    More,
    Done,
    /// The value was complete before this byte.
    DoneBefore,
}

impl JsonValueBuffer {
    fn push(&mut self, byte: u8) -> PushResult {
        if self.is_bare {
            if byte.is_ascii_whitespace() || matches!(byte, b',' | b']' | b'}') {
                return PushResult::DoneBefore;
            }
            self.bytes.push(byte);
            return PushResult::More;
        }
        self.bytes.push(byte);
        if self.in_string {
            match byte {
                _ if self.is_escaped => self.is_escaped = false,
                b'\\' => self.is_escaped = true,
                b'"' => {
                    self.in_string = false;
                    if self.depth == 0 {
                        return PushResult::Done;
                    }
                }
                _ => {}
            }
            return PushResult::More;
        }
        match byte {
            b'"' => self.in_string = true,
            b'{' | b'[' => self.depth = self.depth.saturating_add(1),
            b'}' | b']' => {
                self.depth = self.depth.saturating_sub(1);
                if self.depth == 0 {
                    return PushResult::Done;
                }
            }
            _ => {}
        }
        PushResult::More
    }
}

const MARKS: [&str; 8] = ["$bytes", "$date", "$int", "$number", "$none", "$map", "$set", "$plain"];
/// Marks data that looks like a marker.
const PLAIN: &str = "$plain";

/// Encodes JSON for a dump.
pub fn wrapped(value: Value) -> Value {
    match value {
        Value::Array(items) => items.into_iter().map(wrapped).collect(),
        Value::Object(fields) => {
            let looks_marked = mark_of(&fields).is_some();
            let fields: Map<_, _> = fields.into_iter().map(|(name, inner)| (name, wrapped(inner))).collect();
            if looks_marked {
                Value::Object([(PLAIN.to_owned(), Value::Object(fields))].into_iter().collect())
            } else {
                Value::Object(fields)
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value,
    }
}

/// Decodes JSON from a dump; the marker if the value is of another type.
pub fn unwrapped(value: Value) -> Result<Value, &'static str> {
    match value {
        Value::Array(items) => items.into_iter().map(unwrapped).collect(),
        Value::Object(mut fields) => match mark_of(&fields) {
            Some(PLAIN) => match fields.remove(PLAIN) {
                Some(Value::Object(fields)) => inner(fields),
                _ => Err(PLAIN),
            },
            Some(mark) => Err(mark),
            None => inner(fields),
        },
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Ok(value),
    }
}

fn inner(fields: Map<String, Value>) -> Result<Value, &'static str> {
    let fields = fields.into_iter().map(|(name, value)| Ok((name, unwrapped(value)?)));
    fields.collect::<Result<Map<_, _>, _>>().map(Value::Object)
}

fn mark_of(fields: &Map<String, Value>) -> Option<&'static str> {
    let only = fields.keys().next().filter(|_| fields.len() == 1)?;
    MARKS.into_iter().find(|mark| mark == only)
}
