//! Full-text index over conversations, notes and tool results, updated text by text and ranked by BM25.
//!
//! BM25 follows Robertson and Zaragoza, *The Probabilistic Relevance Framework: BM25 and Beyond*, 2009, with Lucene's
//! weight of rare words, which is never negative. For each search term:
//!
//! ```text
//! idf   = ln(1 + (N - n + 0.5) / (n + 0.5))        N texts, n of them with the word
//! part  = idf · f · (k1 + 1) / (f + k1 · (1 - b + b · length / usual length of the field))
//! score = weight of the field · sum of the parts · share of the words that were found
//! ```
//!
//! A prefix match counts half. `k1` is 1.2 and `b` 0.75, as usual. The index stores word counts per text, not the
//! texts. The smallest crate that we measured is larger and cannot remove texts.

pub mod excerpt;

use std::collections::BTreeMap;

use crate::id::{MemoryId, MessageId, Millis, SessionId};

pub use crate::search_index::excerpt::{ExcerptSpan, each_word, excerpt, search_terms};
use nexus_text::small_sort::SmallSort as _;

const K1: f64 = 1.2;
const B: f64 = 0.75;
const SEARCH_TERMS_MAX: usize = 32;
/// Minimum length of a term for prefix matches.
const BEGINNING_CHARS: usize = 2;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SearchField {
    /// The name of a session.
    Label,
    Title,
    Keywords,
    Summary,
    Memory,
    Message,
}

impl SearchField {
    pub const ALL: [Self; 6] =
        [Self::Label, Self::Title, Self::Keywords, Self::Summary, Self::Memory, Self::Message];

    /// The weight of a match: fields written for search count more than messages.
    pub fn weight(self) -> f64 {
        match self {
            Self::Label | Self::Title => 2.0,
            Self::Keywords => 1.5,
            Self::Summary | Self::Memory => 1.2,
            Self::Message => 1.0,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SearchLocation {
    Session(SessionId, SearchField),
    Memory(MemoryId),
    Message(MessageId),
}

impl SearchLocation {
    pub fn field(self) -> SearchField {
        match self {
            Self::Session(_, field) => field,
            Self::Memory(_) => SearchField::Memory,
            Self::Message(_) => SearchField::Message,
        }
    }
}

/// A matching text.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchHit {
    pub session: SessionId,
    pub place: SearchLocation,
    /// The relevance, only for comparison.
    pub score: f64,
    /// The number of matching terms.
    pub found: usize,
    /// When the text was written or last changed.
    pub at: Millis,
}

/// A text number, and how often a word occurs in it.
type Posting = (u32, u16);

#[derive(Clone, Debug)]
struct IndexEntry {
    place: SearchLocation,
    session: SessionId,
    at: Millis,
    /// The number of words, 0 if removed; texts without words are never found.
    length: u32,
    /// A digest to detect unchanged texts.
    digest: u64,
}

/// An inverted index.
#[derive(Debug, Default)]
pub struct SearchIndex {
    terms: BTreeMap<Box<str>, Vec<Posting>>,
    entries: Vec<IndexEntry>,
    by_place: BTreeMap<SearchLocation, u32>,
    /// The number of texts and words of each field.
    fields: [(u64, u64); SearchField::ALL.len()],
    postings: usize,
    /// Removed entries; their postings are removed when there are many.
    removed: usize,
    most: usize,
}

impl SearchIndex {
    /// An empty index with at most `most` postings of eight bytes each.
    pub fn new(most: usize) -> Self {
        Self { most, ..Self::default() }
    }

    pub fn len(&self) -> usize {
        usize::try_from(self.fields.iter().map(|(texts, _)| texts).sum::<u64>()).unwrap_or(usize::MAX)
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// True if the location is indexed, even with an empty text.
    pub fn knows(&self, place: SearchLocation) -> bool {
        self.by_place.contains_key(&place)
    }

    pub fn places(&self) -> impl Iterator<Item = SearchLocation> {
        self.by_place.keys().copied()
    }

    /// True if half of the capacity is used: from then on tool results are skipped, to leave room for messages.
    pub fn is_half_full(&self) -> bool {
        self.postings >= self.most / 2
    }

    pub fn is_full(&self) -> bool {
        self.postings >= self.most
    }

    /// Adds or replaces a text; unchanged texts are skipped. Returns false if it does not fit.
    pub fn put(&mut self, session: SessionId, place: SearchLocation, at: Millis, text: &str) -> bool {
        let digest = digest(text);
        if let Some(entry) = self.entry_at(place) {
            if entry.digest == digest && entry.session == session {
                return true;
            }
            self.remove(place);
        }
        if self.is_full() {
            return false;
        }
        let Ok(number) = u32::try_from(self.entries.len()) else { return false };
        let mut length: u32 = 0;
        each_word(text, |word, _| {
            length = length.saturating_add(1);
            let list = match self.terms.get_mut(word) {
                Some(list) => list,
                None => self.terms.entry(word.into()).or_default(),
            };
            match list.last_mut() {
                Some((last, times)) if *last == number => *times = times.saturating_add(1),
                Some(_) | None => {
                    list.push((number, 1));
                    self.postings += 1;
                }
            }
        });
        self.entries.push(IndexEntry { place, session, at, length, digest });
        self.by_place.insert(place, number);
        self.count(place, length, true);
        true
    }

    pub fn remove(&mut self, place: SearchLocation) {
        let Some(number) = self.by_place.remove(&place) else { return };
        let Some(entry) = usize::try_from(number).ok().and_then(|at| self.entries.get_mut(at)) else {
            return;
        };
        let length = std::mem::take(&mut entry.length);
        self.count(place, length, false);
        self.removed += 1;
        if self.removed > 1_000 && self.removed > self.entries.len() / 4 {
            self.sweep();
        }
    }

    fn count(&mut self, place: SearchLocation, length: u32, is_added: bool) {
        let Some((texts, words)) = self.fields.get_mut(place.field() as usize).filter(|_| length > 0) else {
            return;
        };
        if is_added {
            (*texts, *words) = (*texts + 1, *words + u64::from(length));
        } else {
            (*texts, *words) = (texts.saturating_sub(1), words.saturating_sub(u64::from(length)));
        }
    }

    fn entry_at(&self, place: SearchLocation) -> Option<&IndexEntry> {
        self.entries.get(usize::try_from(*self.by_place.get(&place)?).ok()?)
    }

    /// Renumbers the texts without removed ones.
    fn sweep(&mut self) {
        let mut numbers: Vec<Option<u32>> = Vec::with_capacity(self.entries.len());
        let mut next: u32 = 0;
        for (at, entry) in self.entries.iter().enumerate() {
            let stays =
                self.by_place.get(&entry.place).is_some_and(|number| usize::try_from(*number) == Ok(at));
            numbers.push(stays.then_some(next));
            next += u32::from(stays);
        }
        let new_of = |old: u32| usize::try_from(old).ok().and_then(|old| numbers.get(old).copied().flatten());
        let mut kept = 0;
        self.terms.retain(|_, list| {
            let moved = list.iter().filter_map(|(old, times)| Some((new_of(*old)?, *times)));
            *list = moved.collect();
            kept += list.len();
            !list.is_empty()
        });
        self.postings = kept;
        self.by_place.values_mut().for_each(|number| *number = new_of(*number).unwrap_or(*number));
        let mut numbers = numbers.into_iter();
        self.entries.retain(|_| numbers.next().flatten().is_some());
        self.removed = 0;
    }

    /// The texts that match some of these terms, best first, then newest. `shows` filters sessions.
    pub fn find(&self, words: &[String], shows: impl Fn(SessionId) -> bool) -> Vec<SearchHit> {
        let words = words.get(..words.len().min(SEARCH_TERMS_MAX)).unwrap_or_default();
        let texts = self.len() as f64;
        let mut times: Vec<f64> = vec![0.0; self.entries.len()];
        let mut scores: Vec<(f64, u32)> = vec![(0.0, 0); self.entries.len()];
        let mut touched: Vec<usize> = Vec::new();
        for word in words {
            self.count_word(word, &mut times, &mut touched);
            let with = touched.len() as f64;
            let idf = (1.0 + (texts - with + 0.5) / (with + 0.5)).ln();
            for at in touched.drain(..) {
                let (Some(times), Some(score)) = (times.get_mut(at), scores.get_mut(at)) else { continue };
                let often = std::mem::take(times);
                let ratio = self.entries.get(at).map_or(1.0, |entry| self.ratio(entry));
                score.0 += idf * often * (K1 + 1.0) / (often + K1 * (1.0 - B + B * ratio));
                score.1 += 1;
            }
        }
        let hit = |(entry, (score, found)): (&IndexEntry, (f64, u32))| {
            let share = f64::from(found) / words.len() as f64;
            SearchHit {
                session: entry.session,
                place: entry.place,
                score: entry.place.field().weight() * score * share,
                found: usize::try_from(found).unwrap_or_default(),
                at: entry.at,
            }
        };
        let found = self.entries.iter().zip(scores).filter(|(_, (_, found))| *found > 0);
        let mut hits: Vec<SearchHit> = found.map(hit).filter(|hit| shows(hit.session)).collect();
        hits.small_sort_by(|a, b| {
            b.score.total_cmp(&a.score).then_with(|| (b.at, b.place).cmp(&(a.at, a.place)))
        });
        hits
    }

    /// Counts a term in each text: 1 for the whole word, 0.5 as a prefix.
    fn count_word(&self, word: &str, times: &mut [f64], touched: &mut Vec<usize>) {
        let allows_prefix = word.chars().count() >= BEGINNING_CHARS || !word.is_ascii();
        let from = std::ops::Bound::Included(word);
        let terms = self.terms.range::<str, _>((from, std::ops::Bound::Unbounded));
        for (term, list) in terms.take_while(|(term, _)| term.starts_with(word)) {
            let is_whole = &**term == word;
            if !is_whole && !allows_prefix {
                break;
            }
            let weight = if is_whole { 1.0 } else { 0.5 };
            for (number, often) in list {
                let Some(at) = usize::try_from(*number).ok() else { continue };
                if self.entries.get(at).is_none_or(|entry| entry.length == 0) {
                    continue;
                }
                let Some(sum) = times.get_mut(at) else { continue };
                if *sum == 0.0 {
                    touched.push(at);
                }
                *sum += weight * f64::from(*often);
            }
        }
    }

    /// The length of a text relative to the average of its field.
    fn ratio(&self, entry: &IndexEntry) -> f64 {
        let (texts, words) = self.fields.get(entry.place.field() as usize).copied().unwrap_or_default();
        if words == 0 { 1.0 } else { f64::from(entry.length) * texts as f64 / words as f64 }
    }
}

/// FNV-1a, to detect unchanged texts.
fn digest(text: &str) -> u64 {
    text.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |sum, byte| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests;
