use futures_util::FutureExt as _;
use proptest::prelude::*;

use super::*;
use crate::lazy::loader::BuiltInEngine;
use crate::port::{Batch, EventRow};
use crate::store::in_memory::InMemoryStore;
use nexus_model::event::{EVENT_VERSION, Event, EventKind};
use nexus_model::testing::SeqIds;
use nexus_view::audit::{AuditFilter, AuditIndex};

fn event(stream: StreamId, seq: u64, at: u64, run: Option<RunId>) -> EventRow {
    let kind = EventKind::Notice { text: format!("{seq}") }.into();
    EventRow::of(&Event { v: EVENT_VERSION, stream, seq, at: Millis(at), run, turn: None, kind }).unwrap()
}

/// A store with streams of events at these times.
fn stored(streams: &[Vec<u64>]) -> (EventQueries, Vec<StreamId>) {
    let (store, mut ids) = (InMemoryStore::default(), SeqIds::default());
    let mut names = vec![StreamId::App];
    let mut batch = Batch::default();
    for _ in 1..streams.len() {
        let session = SessionId::new(&mut ids);
        names.push(StreamId::Session(session));
        batch.puts.push((Table::Sessions, (session.to_string(), "{}".to_owned())));
    }
    for (stream, times) in names.iter().zip(streams) {
        batch.events.extend(times.iter().zip(1..).map(|(at, seq)| event(*stream, seq, *at, None)));
    }
    store.write(batch).now_or_never().unwrap().unwrap();
    (EventQueries::new(Rc::new(store), Rc::new(BuiltInEngine::default()), Rc::default()), names)
}

/// Reads everything backwards; returns the index, and its length after each page.
fn read_back(records: &EventQueries) -> (AuditIndex, Vec<usize>) {
    let ends = records.streams().now_or_never().unwrap().unwrap();
    let (mut reader, mut index, mut pages) = (ReverseEvents::from(&ends), AuditIndex::default(), Vec::new());
    while let Some(page) = reader.page(records).now_or_never().unwrap() {
        let (stream, texts) = page.unwrap();
        assert!(texts.len() <= AUDIT_PAGE);
        reader.reached(stream, index.insert(texts.iter().map(String::as_str), ""));
        pages.push(texts.len());
    }
    assert_eq!(reader.remaining(), 0);
    (index, pages)
}

#[test]
fn backward_reading_returns_each_event_once_newest_first() {
    let long: Vec<u64> = (0..1_700).map(|at| at * 10).collect();
    let (records, names) = stored(&[vec![5, 16_995], long, vec![], vec![3; 600]]);
    let (index, pages) = read_back(&records);
    assert_eq!(index.len(), 2 + 1_700 + 600);
    assert_eq!(pages.iter().sum::<usize>(), index.len());
    // First the end of each stream, then the stream with the newest unread part.
    let all = index.matching(&AuditFilter::default());
    let newest = index.entry(all[0]).unwrap();
    assert_eq!(newest.place, EventPosition { stream: StreamId::App, seq: 2 });
    assert_eq!(index.entry(all[1]).unwrap().place, EventPosition { stream: names[1], seq: 1_700 });
    assert_eq!(index.entry(*all.last().unwrap()).unwrap().at, Millis(0));
}

#[test]
fn events_are_read_by_position_and_missing_ones_omitted() {
    let (records, names) = stored(&[vec![1; 40], vec![2; 1_000]]);
    let place = |stream: usize, seq| EventPosition { stream: names[stream], seq };
    let positions = [place(1, 900), place(0, 3), place(1, 1), place(1, 905), place(0, 41), place(0, 3)];
    let read = records.at(&positions).now_or_never().unwrap().unwrap();
    let keys: Vec<_> = read.keys().copied().collect();
    assert_eq!(keys, [place(0, 3), place(1, 1), place(1, 900), place(1, 905)]);
    assert!(read.get(&place(1, 905)).unwrap().contains("\"905\""));
    assert!(records.at(&[]).now_or_never().unwrap().unwrap().is_empty());
}

#[test]
fn events_of_a_run_are_found_by_its_id() {
    let (store, mut ids) = (InMemoryStore::default(), SeqIds::default());
    let (run, other) = (RunId::new(&mut ids), RunId::new(&mut ids));
    let of = |seq, run| event(StreamId::App, seq, seq, run);
    let mut named = of(4, Some(other));
    named.json = named.json.replace("\"4\"", &format!("\"{run}\""));
    let events = vec![of(1, Some(run)), of(2, Some(other)), of(3, Some(run)), named, of(5, None)];
    store.write(Batch { events, ..Batch::default() }).now_or_never().unwrap().unwrap();
    let records = EventQueries::new(Rc::new(store), Rc::new(BuiltInEngine::default()), Rc::default());
    let texts = records.of_run(run).now_or_never().unwrap().unwrap();
    let seqs: Vec<_> = texts.iter().filter_map(|text| seq_of(text)).collect();
    assert_eq!(seqs, [1, 3]);
}

proptest! {
    #[test]
    fn ranges_cover_all_positions_and_little_else(seqs in proptest::collection::vec(1u64..400, 0..60)) {
        let places: Vec<_> = seqs.iter().map(|seq| EventPosition { stream: StreamId::App, seq: *seq }).collect();
        let ranges = ranges(&places);
        let covers = |seq: u64| {
            ranges.iter().filter(|(_, from, most)| (*from..*from + *most as u64).contains(&seq)).count()
        };
        prop_assert!(seqs.iter().all(|seq| covers(*seq) == 1));
        let read: usize = ranges.iter().map(|(_, _, most)| most).sum();
        prop_assert!(read <= seqs.len() * NEAR as usize + 1);
    }
}
