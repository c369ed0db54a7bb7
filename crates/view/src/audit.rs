//! Index in memory and filter of the event log, for its screen.
//!
//! [`AuditIndex`] stores what is needed to find an event, without its text, so that 100,000 events fit in memory.
//! [`AuditFilter`] is also serialised into the page's URL.

use nexus_model::event::{EventPosition, KINDS, Topic, stream_of};
use nexus_model::prelude::*;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, PercentEncode, utf8_percent_encode};

use nexus_text::{links::decoded, small_sort::SmallSort as _};

/// Kinds of events that only earlier versions wrote.
pub const EARLIER_KINDS: [(&str, Topic); 11] = [
    ("SyncOpened", Topic::JobRequests),
    ("SyncFailed", Topic::JobResults),
    ("JoinAsked", Topic::JobRequests),
    ("JoinProposed", Topic::JobResults),
    ("CompactionOpened", Topic::JobRequests),
    ("CompactionMade", Topic::JobResults),
    ("CompactionFailed", Topic::JobResults),
    ("ChoreOpened", Topic::JobRequests),
    ("ChoreFailed", Topic::JobResults),
    ("SummaryMade", Topic::JobResults),
    ("MemoriesChecked", Topic::JobResults),
];

/// The topic of an event kind; `None` if the kind is unknown.
pub fn topic_of(kind: &str) -> Option<Topic> {
    KINDS.iter().chain(&EARLIER_KINDS).find(|(name, _)| *name == kind).map(|(_, topic)| *topic)
}

/// Search criteria. An empty field matches everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuditFilter {
    pub agent: String,
    pub kind: String,
    pub topic: String,
    pub run: String,
    pub stream: String,
    /// Substring of the event's JSON; case does not matter.
    pub text: String,
    pub oldest_first: bool,
}

/// Names of the filter's fields in a URL query.
const FIELDS: [&str; 6] = ["agent", "kind", "topic", "run", "stream", "text"];

impl AuditFilter {
    pub fn is_empty(&self) -> bool {
        self.fields().iter().all(|field| field.is_empty())
    }

    /// All events of one run, oldest first.
    pub fn of_run(run: &str) -> Self {
        Self { run: run.to_owned(), oldest_first: true, ..Self::default() }
    }

    fn fields(&self) -> [&str; 6] {
        [&self.agent, &self.kind, &self.topic, &self.run, &self.stream, &self.text]
    }

    /// Serialises the filter and the open event as a URL query, without the question mark.
    pub fn query(&self, open: Option<EventPosition>) -> String {
        let mut pairs: Vec<String> = FIELDS
            .iter()
            .zip(self.fields())
            .filter(|(_, value)| !value.is_empty())
            .map(|(name, value)| format!("{name}={}", escaped(value)))
            .collect();
        if self.oldest_first {
            pairs.push("order=oldest".to_owned());
        }
        pairs.extend(open.map(|open| format!("event={}", escaped(&open.written()))));
        pairs.join("&")
    }

    /// Parses [`AuditFilter::query`] and ignores unknown names.
    pub fn read(query: &str) -> (Self, Option<EventPosition>) {
        let (mut filter, mut open) = (Self::default(), None);
        for (name, value) in pairs_of(query) {
            match name {
                "agent" => filter.agent = value,
                "kind" => filter.kind = value,
                "topic" => filter.topic = value,
                "run" => filter.run = value.trim().to_owned(),
                "stream" => filter.stream = value,
                "text" => filter.text = value,
                "order" => filter.oldest_first = value == "oldest",
                "event" => open = EventPosition::read(&value),
                _ => {}
            }
        }
        (filter, open)
    }

    /// The lower-case text to search for in an event's JSON; empty if any text matches.
    pub fn needle(&self) -> String {
        // Encoded as JSON: the text may contain quotes and line breaks.
        let quoted = Value::from(self.text.trim()).to_string();
        let inner = quoted.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
        inner.unwrap_or_default().to_lowercase()
    }
}

/// The decoded names and values of a query.
pub fn pairs_of(query: &str) -> impl Iterator<Item = (&str, String)> {
    let pairs = query.trim_start_matches('?').split('&');
    pairs.filter_map(|pair| pair.split_once('=')).map(|(name, value)| (name, decoded(value)))
}

/// Characters that need no escaping in a query.
const QUERY: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~').remove(b':');

fn escaped(text: &str) -> PercentEncode<'_> {
    utf8_percent_encode(text, QUERY)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TextMatch {
    Unknown,
    Yes,
    No,
}

/// Index entry of an event. Names are indices into the lists of [`AuditIndex`].
#[derive(Clone, Copy, Debug)]
struct IndexedEvent {
    at: Millis,
    seq: u64,
    stream: u32,
    kind: u32,
    agent: Option<u32>,
    run: Option<u32>,
    turn: Option<u32>,
    hit: TextMatch,
}

#[derive(Debug)]
struct Interner<T> {
    list: Vec<T>,
    places: VecMap<T, u32>,
}

impl<T> Default for Interner<T> {
    fn default() -> Self {
        Self { list: Vec::new(), places: VecMap::new() }
    }
}

impl<T: Ord + Clone> Interner<T> {
    fn place(&mut self, name: T) -> u32 {
        if let Some(place) = self.places.get(&name) {
            return *place;
        }
        let place = u32::try_from(self.list.len()).unwrap_or(u32::MAX);
        self.list.push(name.clone());
        self.places.insert(name, place);
        place
    }

    fn find(&self, name: &T) -> Option<u32> {
        self.places.get(name).copied()
    }

    fn at(&self, place: u32) -> Option<&T> {
        self.list.get(usize::try_from(place).unwrap_or(usize::MAX))
    }
}

/// Index of all events read so far, newest first.
#[derive(Debug, Default)]
pub struct AuditIndex {
    marks: Vec<IndexedEvent>,
    streams: Interner<StreamId>,
    kinds: Interner<String>,
    agents: Interner<String>,
    runs: Interner<RunId>,
    turns: Interner<TurnId>,
    agents_of_turns: VecMap<u32, u32>,
}

/// Row of the audit list, available without reading the event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditEntry {
    pub place: EventPosition,
    pub at: Millis,
    pub kind: String,
    pub agent: Option<String>,
    pub run: Option<RunId>,
    pub turn: Option<TurnId>,
}

impl AuditIndex {
    pub fn len(&self) -> usize {
        self.marks.len()
    }

    pub fn is_empty(&self) -> bool {
        self.marks.is_empty()
    }

    /// Indexes events given as JSON, in any order, and returns the time of the oldest. Skips what is no event, and
    /// events that are indexed already. `needle` is the current search text.
    pub fn insert<'j>(&mut self, events: impl IntoIterator<Item = &'j str>, needle: &str) -> Option<Millis> {
        let before = self.marks.len();
        for text in events {
            if let Some(mark) = self.read(text, needle) {
                self.marks.push(mark);
            }
        }
        let oldest = self.marks.get(before..).and_then(|new| new.iter().map(|mark| mark.at).min());
        if oldest.is_some() {
            // Both parts are sorted, or nearly: sorting only merges them.
            self.marks.small_sort_by_key(|mark| std::cmp::Reverse((mark.at, mark.stream, mark.seq)));
            self.marks.dedup_by_key(|mark| (mark.stream, mark.seq));
        }
        oldest
    }

    fn read(&mut self, text: &str, needle: &str) -> Option<IndexedEvent> {
        let tree = json::tree(text).ok()?;
        let word = |name: &str| tree.get(name).and_then(Value::as_str);
        let stream = self.streams.place(stream_of(word("stream")?)?);
        let turn = word("turn").and_then(|id| id.parse().ok()).map(|id| self.turns.place(id));
        let kind = word("kind")?;
        let agent = agent_of(tree.get("data")?).map(|agent| self.agents.place(agent.to_owned()));
        if let (Some(turn), Some(agent)) = (turn, agent) {
            self.agents_of_turns.insert(turn, agent);
        }
        Some(IndexedEvent {
            at: Millis(tree.get("at")?.as_u64()?),
            seq: tree.get("seq")?.as_u64()?,
            stream,
            kind: self.kinds.place(kind.to_owned()),
            agent,
            run: word("run").and_then(|id| id.parse().ok()).map(|id| self.runs.place(id)),
            turn,
            hit: hit(text, needle),
        })
    }

    /// Indices of the matching events, newest first. With a search text, only events known to contain it.
    pub fn matching(&self, filter: &AuditFilter) -> Vec<u32> {
        let by_text = !filter.needle().is_empty();
        self.selected(filter, |mark| !by_text || mark.hit == TextMatch::Yes).collect()
    }

    /// Up to `most` events that match except for the text and were not searched for it yet.
    pub fn unsearched(&self, filter: &AuditFilter, most: usize) -> Vec<EventPosition> {
        let unknown = self.selected(filter, |mark| mark.hit == TextMatch::Unknown).take(most);
        unknown.filter_map(|at| self.place(at)).collect()
    }

    fn selected(
        &self,
        filter: &AuditFilter,
        also: impl Fn(&IndexedEvent) -> bool,
    ) -> impl Iterator<Item = u32> {
        // A name that no event has matches nothing.
        let wanted = |field: &str, place: Option<u32>| (!field.is_empty()).then_some(place);
        let agent = wanted(&filter.agent, self.agents.find(&filter.agent));
        let kind = wanted(&filter.kind, self.kinds.find(&filter.kind));
        // It may be pasted with spaces around it.
        let run = filter.run.trim();
        let run = wanted(run, run.parse().ok().and_then(|run| self.runs.find(&run)));
        let stream =
            wanted(&filter.stream, stream_of(&filter.stream).and_then(|stream| self.streams.find(&stream)));
        let topic = (!filter.topic.is_empty()).then(|| {
            let topics = self.kinds.list.iter().map(|kind| topic_of(kind).map(Topic::name));
            topics.map(|topic| topic == Some(filter.topic.as_str())).collect::<Vec<_>>()
        });
        let is = |wanted: Option<Option<u32>>, place: Option<u32>| {
            wanted.is_none_or(|wanted| wanted.is_some() && wanted == place)
        };
        let fits = move |mark: &IndexedEvent| {
            let has_topic = |topics: &Vec<bool>| {
                topics.get(usize::try_from(mark.kind).unwrap_or(usize::MAX)).copied().unwrap_or_default()
            };
            is(kind, Some(mark.kind))
                && is(run, mark.run)
                && is(stream, Some(mark.stream))
                && topic.as_ref().is_none_or(has_topic)
                && (agent.is_none() || is(agent, self.agent_of(mark)))
                && also(mark)
        };
        let marks = self.marks.iter().zip(0u32..);
        marks.filter(move |(mark, _)| fits(mark)).map(|(_, at)| at)
    }

    fn agent_of(&self, mark: &IndexedEvent) -> Option<u32> {
        mark.agent.or_else(|| self.agents_of_turns.get(&mark.turn?).copied())
    }

    fn mark(&self, at: u32) -> Option<&IndexedEvent> {
        self.marks.get(usize::try_from(at).unwrap_or(usize::MAX))
    }

    pub fn place(&self, at: u32) -> Option<EventPosition> {
        let mark = self.mark(at)?;
        Some(EventPosition { stream: *self.streams.at(mark.stream)?, seq: mark.seq })
    }

    pub fn entry(&self, at: u32) -> Option<AuditEntry> {
        let mark = self.mark(at)?;
        Some(AuditEntry {
            place: self.place(at)?,
            at: mark.at,
            kind: self.kinds.at(mark.kind)?.clone(),
            agent: self.agent_of(mark).and_then(|agent| self.agents.at(agent)).cloned(),
            run: mark.run.and_then(|run| self.runs.at(run)).copied(),
            turn: mark.turn.and_then(|turn| self.turns.at(turn)).copied(),
        })
    }

    pub fn agents(&self) -> Vec<String> {
        sorted(&self.agents.list)
    }

    pub fn kinds(&self) -> Vec<String> {
        sorted(&self.kinds.list)
    }

    pub fn streams(&self) -> Vec<StreamId> {
        self.streams.list.clone()
    }

    /// Resets all text matches, because the search text changed.
    pub fn reset_matches(&mut self) {
        self.marks.iter_mut().for_each(|mark| mark.hit = TextMatch::Unknown);
    }

    /// Records whether these events contain the text. An event that could not be read does not.
    pub fn test(&mut self, texts: &VecMap<EventPosition, String>, tested: &[EventPosition], needle: &str) {
        let tested: VecMap<(u32, u64), TextMatch> = tested
            .iter()
            .filter_map(|place| {
                let hit = texts.get(place).map_or(TextMatch::No, |text| hit(text, needle));
                Some(((self.streams.find(&place.stream)?, place.seq), hit))
            })
            .collect();
        for mark in &mut self.marks {
            if let (TextMatch::Unknown, Some(hit)) = (mark.hit, tested.get(&(mark.stream, mark.seq))) {
                mark.hit = *hit;
            }
        }
    }
}

fn sorted(names: &[String]) -> Vec<String> {
    let mut names = names.to_vec();
    names.small_sort();
    names
}

fn hit(text: &str, needle: &str) -> TextMatch {
    match needle.is_empty() {
        true => TextMatch::Unknown,
        false if text.to_lowercase().contains(needle) => TextMatch::Yes,
        false => TextMatch::No,
    }
}

fn agent_of(data: &Value) -> Option<&str> {
    let own = data.get("agent");
    let inner = ["turn", "message", "run"].iter().filter_map(|name| data.get(*name)?.get("agent"));
    own.into_iter().chain(inner).find_map(|agent| agent.as_str().or_else(|| agent.get("key")?.as_str()))
}

#[cfg(test)]
mod tests;
