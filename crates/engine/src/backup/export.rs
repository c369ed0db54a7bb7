//! Writes a dump of the store, or of one session and its ancestors, in pieces.
//!
//! Holds at most one page of events in memory. API keys are in no table, so never in a dump.

use crate::port::TextStream;
use crate::prelude::*;
use futures_util::stream;
use nexus_model::dump::check::{DumpedEvent, SUMS, StreamTurns, WholeSum, read_event};
use nexus_model::dump::reader::{DumpItem, DumpReader, wrapped};
use nexus_model::dump::{DRAFTS, EVENTS, PARTIALS, SessionHash, VERSION};
use nexus_model::limits::DUMP_EVENTS;

enum ExportStep {
    Head,
    Events { stream: usize, from: u64, is_first: bool },
    Tables,
    Sums,
    Nothing,
}

struct DumpWriter {
    store: Rc<dyn Store>,
    at: Millis,
    version: &'static str,
    only: Option<SessionId>,
    /// Each stream with its last event when the dump began: a later one may name a turn that is not in the dump.
    streams: Vec<(StreamId, u64)>,
    next_step: ExportStep,
    sums: Written,
}

/// Parses what was written to compute the checksums.
#[derive(Default)]
struct Written {
    reader: DumpReader,
    /// True if it could not be parsed: then there are no checksums, and no import could read the dump either.
    is_unreadable: bool,
    whole: WholeSum,
    /// The session whose events were written last.
    open: Option<(SessionId, SessionHash)>,
    sessions: VecMap<SessionId, ContentHash>,
}

impl Written {
    fn take(&mut self, text: &str) {
        if self.is_unreadable {
            return;
        }
        let Ok(pieces) = self.reader.feed(text.as_bytes()) else {
            self.is_unreadable = true;
            return;
        };
        for piece in pieces {
            self.whole.take(&piece);
            let DumpItem::Record(store, record) = &piece else { continue };
            if store == EVENTS
                && let Ok(DumpedEvent { tree, event, .. }) = read_event(record)
                && let Some(session) = event.stream.session()
            {
                if self.open.as_ref().is_none_or(|(open, _)| *open != session) {
                    self.close();
                    self.open = Some((session, SessionHash::default()));
                }
                if let Some((_, hash)) = &mut self.open {
                    hash.take(&tree);
                }
            }
        }
    }

    fn close(&mut self) {
        if let Some((session, hash)) = self.open.take() {
            self.sessions.insert(session, hash.done());
        }
    }

    /// The checksum field, after a comma.
    fn field(&mut self) -> String {
        if self.is_unreadable {
            return String::new();
        }
        self.close();
        let sessions = self.sessions.iter().map(|(id, hash)| (id.to_string(), Value::from(hash.to_string())));
        let sessions: serde_json::Map<_, _> = sessions.collect();
        let all = std::mem::take(&mut self.whole).done();
        format!(",\n{}:{}", Value::from(SUMS), json!({ "all": all, "sessions": sessions }))
    }
}

/// Dumps everything, or one session with its ancestors.
pub fn dump(store: Rc<dyn Store>, at: Millis, version: &'static str, only: Option<SessionId>) -> TextStream {
    let dump = DumpWriter {
        store,
        at,
        version,
        only,
        streams: Vec::new(),
        next_step: ExportStep::Head,
        sums: Written::default(),
    };
    stream::try_unfold(dump, |mut dump| async move {
        let piece = dump.next().await?;
        if let Some(text) = &piece {
            dump.sums.take(text);
        }
        Ok(piece.map(|piece| (piece, dump)))
    })
    .boxed_local()
}

impl DumpWriter {
    async fn next(&mut self) -> StoreResult<Option<String>> {
        match std::mem::replace(&mut self.next_step, ExportStep::Nothing) {
            ExportStep::Head => {
                let streams = match self.only {
                    Some(session) => self.with_ancestors(session).await?,
                    None => self.all().await?,
                };
                for stream in streams {
                    self.streams.push((stream, self.store.last_seq(stream).await?));
                }
                self.next_step = ExportStep::Events { stream: 0, from: 1, is_first: true };
                let head = json!({"nexus": "dump", "version": VERSION, "at": self.at, "app": self.version});
                let head = head.to_string();
                let fields = head.strip_suffix('}').unwrap_or(&head);
                Ok(Some(format!("{fields},\n\"stores\":{{{}:[", Value::from(EVENTS))))
            }
            ExportStep::Events { stream, from, is_first } => self.events(stream, from, is_first).await,
            ExportStep::Tables => self.tables().await.map(Some),
            ExportStep::Sums => Ok(Some(format!("{}}}\n", self.sums.field()))),
            ExportStep::Nothing => Ok(None),
        }
    }

    async fn events(&mut self, stream: usize, from: u64, is_first: bool) -> StoreResult<Option<String>> {
        let Some((id, last)) = self.streams.get(stream).copied() else {
            self.next_step = ExportStep::Tables;
            return Ok(Some("]".to_owned()));
        };
        let page = self.store.events(id, from, DUMP_EVENTS).await?;
        let mut text = String::new();
        let (mut seq, mut is_first) = (from, is_first);
        for event in &page {
            if seq > last {
                break;
            }
            let key = json!([id.to_string(), seq]).to_string();
            push_record(&mut text, &mut is_first, &key, event)?;
            seq = seq.saturating_add(1);
        }
        self.next_step = if seq > last || page.len() < DUMP_EVENTS {
            ExportStep::Events { stream: stream.saturating_add(1), from: 1, is_first }
        } else {
            ExportStep::Events { stream, from: seq, is_first }
        };
        Ok(Some(text))
    }

    /// The other tables and the end of the dump but for its checksums.
    async fn tables(&mut self) -> StoreResult<String> {
        self.next_step = ExportStep::Sums;
        let mut text = String::new();
        for (table, name) in [(Table::Drafts, DRAFTS), (Table::Partials, PARTIALS)] {
            text.push_str(&format!(",\n{}:[", Value::from(name)));
            let mut is_first = true;
            for (key, row) in self.store.scan(table, String::new()).await? {
                if self.is_wanted(table, &key).await? {
                    push_record(&mut text, &mut is_first, &Value::from(key).to_string(), &row)?;
                }
            }
            text.push(']');
        }
        text.push_str("},\n\"local\":{},\n\"typed\":[],\n\"notes\":[]");
        Ok(text)
    }

    /// True if a row of drafts or partial messages belongs to an exported session.
    async fn is_wanted(&self, table: Table, key: &str) -> StoreResult<bool> {
        if self.only.is_none() {
            return Ok(true);
        }
        let of = key.split_once('/').map_or("", |(of, _)| of);
        let session = if table == Table::Drafts {
            of.parse().ok()
        } else {
            self.store.row::<Message>(Table::Messages, of).await?.map(|message| message.session)
        };
        Ok(session.is_some_and(|session: SessionId| {
            self.streams.iter().any(|(stream, _)| *stream == StreamId::Session(session))
        }))
    }

    /// Every stream, also those of unreadable sessions: their key is their id.
    async fn all(&self) -> StoreResult<Vec<StreamId>> {
        let rows = self.store.scan(Table::Sessions, String::new()).await?;
        let sessions = rows.iter().filter_map(|(key, _)| key.parse().ok().map(StreamId::Session));
        Ok(sessions.chain([StreamId::App]).collect())
    }

    async fn with_ancestors(&self, session: SessionId) -> StoreResult<Vec<StreamId>> {
        let mut found: VecSet<SessionId> = VecSet::new();
        let mut next = vec![session];
        while let Some(session) = next.pop() {
            if found.insert(session) {
                next.extend(self.parent_sessions(session).await?);
            }
        }
        Ok(found.iter().map(|session| StreamId::Session(*session)).collect())
    }

    /// Sessions of the turns that a session refers to but did not open itself.
    async fn parent_sessions(&self, session: SessionId) -> StoreResult<Vec<SessionId>> {
        let mut turns = StreamTurns::default();
        let mut note = |json: &str| {
            let event = json::read::<Event>(json).ok();
            event.iter().filter_map(Event::known_kind).for_each(|kind| turns.note(kind));
        };
        self.store.each_event(StreamId::Session(session), &mut note).await?;
        let outside = self.store.rows::<Turn>(Table::Turns, turns.outside().iter()).await?;
        Ok(outside.into_iter().map(|turn| turn.session).collect())
    }
}

/// Appends a record. Wraps rows that contain a marker of the dump; copies others byte for byte.
fn push_record(text: &mut String, is_first: &mut bool, key: &str, row: &str) -> StoreResult {
    text.push_str(if *is_first { "\n" } else { ",\n" });
    *is_first = false;
    text.push_str("{\"key\":");
    text.push_str(key);
    text.push_str(",\"value\":");
    if row.contains("\"$") {
        let tree = json::tree(row).map_err(|error| StoreError::Damaged(error.to_string()))?;
        text.push_str(&wrapped(tree).to_string());
    } else {
        text.push_str(row);
    }
    text.push('}');
    Ok(())
}
