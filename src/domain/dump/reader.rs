//! Never holds more of a dump than one record.
//!
//! Owns taking a dump apart while its bytes come, in any chunks: its fields, and the records of its stores.

use crate::domain::dump::Refusal;
use crate::domain::json;
use crate::domain::limits::DUMP_RECORD_BYTES;

/// A piece of a dump.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// A field other than `stores`: its name and its JSON.
    Field(String, String),
    /// A record: the name of its store, and its JSON.
    Record(String, String),
}

/// What is expected next.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Next {
    Dump,
    Name { first: bool },
    Colon(String),
    Value(String),
    AfterValue,
    Stores,
    StoreName { first: bool },
    StoreColon(String),
    Store(String),
    Record { store: String, first: bool },
    AfterRecord(String),
    AfterStore,
    Nothing,
}

/// A value that is being read.
#[derive(Clone, Debug, Default)]
struct Text {
    bytes: Vec<u8>,
    depth: usize,
    in_string: bool,
    is_escaped: bool,
    is_bare: bool,
}

/// The reader.
#[derive(Clone, Debug)]
pub struct Reader {
    next: Next,
    text: Option<Text>,
    at: u64,
}

impl Default for Reader {
    fn default() -> Self {
        Self { next: Next::Dump, text: None, at: 0 }
    }
}

impl Reader {
    /// Reads on.
    ///
    /// # Errors
    /// Where this is no dump.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<Vec<Piece>, Refusal> {
        let mut pieces = Vec::new();
        for byte in bytes {
            self.at = self.at.saturating_add(1);
            self.take(*byte, &mut pieces)?;
        }
        Ok(pieces)
    }

    /// The file is over.
    ///
    /// # Errors
    /// Where it broke off.
    pub fn end(self) -> Result<(), Refusal> {
        if self.next == Next::Nothing {
            Ok(())
        } else if self.next == Next::Dump && self.text.is_none() {
            Err(Refusal::NotADump)
        } else {
            Err(Refusal::NotJson(format!("it breaks off after {} bytes", self.at)))
        }
    }

    fn take(&mut self, byte: u8, pieces: &mut Vec<Piece>) -> Result<(), Refusal> {
        if let Some(mut text) = self.text.take() {
            match text.push(byte) {
                Pushed::More if text.bytes.len() > DUMP_RECORD_BYTES => return Err(Refusal::LongRecord),
                Pushed::More => self.text = Some(text),
                Pushed::Done => self.read(text, pieces)?,
                Pushed::DoneBefore => {
                    self.read(text, pieces)?;
                    return self.take(byte, pieces);
                }
            }
            return Ok(());
        }
        // A mark of byte order, which some editors put first, is passed over like a blank.
        let is_blank = byte.is_ascii_whitespace() || (self.next == Next::Dump && byte >= 0x80);
        if is_blank { Ok(()) } else { self.mark(byte) }
    }

    /// A byte between values.
    fn mark(&mut self, byte: u8) -> Result<(), Refusal> {
        let next = std::mem::replace(&mut self.next, Next::Nothing);
        self.next = match (next, byte) {
            (Next::Dump, b'{') => Next::Name { first: true },
            (Next::Name { first: true }, b'}') | (Next::AfterValue, b'}') => Next::Nothing,
            (Next::AfterValue, b',') => Next::Name { first: false },
            (Next::Colon(name), b':') if name == "stores" => Next::Stores,
            (Next::Colon(name), b':') => Next::Value(name),
            (Next::Stores, b'{') => Next::StoreName { first: true },
            (Next::StoreName { first: true }, b'}') | (Next::AfterStore, b'}') => Next::AfterValue,
            (Next::AfterStore, b',') => Next::StoreName { first: false },
            (Next::StoreColon(store), b':') => Next::Store(store),
            (Next::Store(store), b'[') => Next::Record { store, first: true },
            (Next::Record { first: true, .. }, b']') | (Next::AfterRecord(_), b']') => Next::AfterStore,
            (Next::AfterRecord(store), b',') => Next::Record { store, first: false },
            (next @ (Next::Name { .. } | Next::StoreName { .. }), b'"') => return self.begin(next, byte),
            (next @ (Next::Value(_) | Next::Record { .. }), _) => return self.begin(next, byte),
            (Next::Dump, _) => return Err(Refusal::NotADump),
            _ => return Err(self.broken("something else was expected")),
        };
        Ok(())
    }

    fn begin(&mut self, next: Next, byte: u8) -> Result<(), Refusal> {
        if matches!(byte, b',' | b':' | b']' | b'}') {
            return Err(self.broken("a value was expected"));
        }
        self.next = next;
        let mut text = Text { is_bare: !matches!(byte, b'"' | b'{' | b'['), ..Text::default() };
        // The first byte of a value never ends it.
        text.push(byte);
        self.text = Some(text);
        Ok(())
    }

    /// A value is whole.
    fn read(&mut self, text: Text, pieces: &mut Vec<Piece>) -> Result<(), Refusal> {
        let text = String::from_utf8(text.bytes).map_err(|_| self.broken("it is no text"))?;
        let name = |text: &str| match json::tree(text) {
            Ok(serde_json::Value::String(name)) => Ok(name),
            Ok(_) | Err(_) => Err(Refusal::NotJson(format!("a name was expected, not {text}"))),
        };
        let next = std::mem::replace(&mut self.next, Next::Nothing);
        self.next = match next {
            Next::Name { .. } => Next::Colon(name(&text)?),
            Next::StoreName { .. } => Next::StoreColon(name(&text)?),
            Next::Value(field) => {
                pieces.push(Piece::Field(field, text));
                Next::AfterValue
            }
            Next::Record { store, .. } => {
                pieces.push(Piece::Record(store.clone(), text));
                Next::AfterRecord(store)
            }
            Next::Dump
            | Next::Colon(_)
            | Next::AfterValue
            | Next::Stores
            | Next::StoreColon(_)
            | Next::Store(_)
            | Next::AfterRecord(_)
            | Next::AfterStore
            | Next::Nothing => return Err(self.broken("something else was expected")),
        };
        Ok(())
    }

    fn broken(&self, what: &str) -> Refusal {
        Refusal::NotJson(format!("{what} at byte {}", self.at))
    }
}

/// What a byte did to a value.
enum Pushed {
    /// It goes on.
    More,
    /// It is whole.
    Done,
    /// It was whole before this byte.
    DoneBefore,
}

impl Text {
    fn push(&mut self, byte: u8) -> Pushed {
        if self.is_bare {
            if byte.is_ascii_whitespace() || matches!(byte, b',' | b']' | b'}') {
                return Pushed::DoneBefore;
            }
            self.bytes.push(byte);
            return Pushed::More;
        }
        self.bytes.push(byte);
        if self.in_string {
            match byte {
                _ if self.is_escaped => self.is_escaped = false,
                b'\\' => self.is_escaped = true,
                b'"' => {
                    self.in_string = false;
                    if self.depth == 0 {
                        return Pushed::Done;
                    }
                }
                _ => {}
            }
            return Pushed::More;
        }
        match byte {
            b'"' => self.in_string = true,
            b'{' | b'[' => self.depth = self.depth.saturating_add(1),
            b'}' | b']' => {
                self.depth = self.depth.saturating_sub(1);
                if self.depth == 0 {
                    return Pushed::Done;
                }
            }
            _ => {}
        }
        Pushed::More
    }
}
