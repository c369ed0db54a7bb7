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

/// The level of the dump that is being read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Level {
    /// The object of the dump, with fields.
    #[default]
    Dump,
    /// The field `stores`, with stores by name.
    Stores,
    /// A store, with records.
    Store,
}

/// The token that may follow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Expected {
    #[default]
    Opening,
    /// A name or record, or the end.
    First,
    Another,
    Colon,
    Value,
    /// A comma, or the end.
    Comma,
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
    level: Level,
    next: Expected,
    name: String,
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
        if self.next == Expected::Nothing {
            Ok(())
        } else if self.is_unopened() && self.text.is_none() {
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
        let is_blank = byte.is_ascii_whitespace() || (self.is_unopened() && byte >= 0x80);
        if is_blank { Ok(()) } else { self.mark(byte) }
    }

    fn is_unopened(&self) -> bool {
        (self.level, self.next) == (Level::Dump, Expected::Opening)
    }

    /// Handles a byte between values.
    fn mark(&mut self, byte: u8) -> Result<(), DumpError> {
        let (opening, closing) = if self.level == Level::Store { (b'[', b']') } else { (b'{', b'}') };
        match (self.next, byte) {
            (Expected::Opening, _) if byte == opening => self.next = Expected::First,
            (Expected::First | Expected::Comma, _) if byte == closing => {
                (self.level, self.next) = match self.level {
                    Level::Dump => (Level::Dump, Expected::Nothing),
                    Level::Stores => (Level::Dump, Expected::Comma),
                    Level::Store => (Level::Stores, Expected::Comma),
                };
            }
            (Expected::Comma, b',') => self.next = Expected::Another,
            (Expected::Colon, b':') => {
                (self.level, self.next) = match self.level {
                    Level::Dump if self.name == "stores" => (Level::Stores, Expected::Opening),
                    Level::Dump => (Level::Dump, Expected::Value),
                    Level::Stores | Level::Store => (Level::Store, Expected::Opening),
                };
            }
            (Expected::First | Expected::Another, b'"') if self.level != Level::Store => self.begin(byte)?,
            (Expected::First | Expected::Another, _) if self.level == Level::Store => self.begin(byte)?,
            (Expected::Value, _) => self.begin(byte)?,
            _ if self.is_unopened() => return Err(DumpError::NotADump),
            _ => return Err(self.broken("something else was expected")),
        }
        Ok(())
    }

    fn begin(&mut self, byte: u8) -> Result<(), DumpError> {
        if matches!(byte, b',' | b':' | b']' | b'}') {
            return Err(self.broken("a value was expected"));
        }
        let mut text =
            JsonValueBuffer { is_bare: !matches!(byte, b'"' | b'{' | b'['), ..JsonValueBuffer::default() };
        // The first byte never ends a value.
        text.push(byte);
        self.text = Some(text);
        Ok(())
    }

    fn read(&mut self, text: JsonValueBuffer, pieces: &mut Vec<DumpItem>) -> Result<(), DumpError> {
        let text = String::from_utf8(text.bytes).map_err(|_| self.broken("it is no text"))?;
        if self.level == Level::Store {
            pieces.push(DumpItem::Record(self.name.clone(), text));
            self.next = Expected::Comma;
        } else if self.next == Expected::Value {
            pieces.push(DumpItem::Field(std::mem::take(&mut self.name), text));
            self.next = Expected::Comma;
        } else if let Ok(Value::String(name)) = json::tree(&text) {
            (self.name, self.next) = (name, Expected::Colon);
        } else {
            return Err(DumpError::NotJson(format!("a name was expected, not {text}")));
        }
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
        match byte {
            _ if self.is_escaped => self.is_escaped = false,
            b'\\' if self.in_string => self.is_escaped = true,
            b'"' => self.in_string = !self.in_string,
            _ if self.in_string => {}
            b'{' | b'[' => self.depth = self.depth.saturating_add(1),
            b'}' | b']' => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
        if self.depth == 0 && !self.in_string { PushResult::Done } else { PushResult::More }
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
