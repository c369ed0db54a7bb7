use proptest::prelude::*;
use serde_json::json;

use super::*;

fn event(stream: &str, seq: u64, at: u64, more: &Value) -> String {
    let mut event =
        json!({"v": 1, "stream": stream, "seq": seq, "at": at, "kind": "Notice", "data": {"text": "x"}});
    for (name, value) in more.as_object().unwrap() {
        event[name] = value.clone();
    }
    event.to_string()
}

const SESSION: &str = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
const RUN: &str = "01ARZ3NDEKTSV4RRFFQ69G5FB0";
const TURN: &str = "01ARZ3NDEKTSV4RRFFQ69G5FB1";

/// Five events of two streams; only the turn's first event names its agent.
fn index(needle: &str) -> AuditIndex {
    let texts = [
        event("app", 1, 10, &json!({"kind": "AgentChanged", "data": {"agent": {"key": "critic"}}})),
        event(
            SESSION,
            1,
            20,
            &json!({"run": RUN, "kind": "MessageCommitted", "data": {"message": {"parts": ["Build \"it\"\nnow"]}}}),
        ),
        event(
            SESSION,
            2,
            30,
            &json!({"run": RUN, "turn": TURN, "kind": "TurnOpened", "data": {"turn": {"agent": "engineer"}}}),
        ),
        event(
            SESSION,
            3,
            40,
            &json!({"run": RUN, "turn": TURN, "kind": "ModelRequested", "data": {"call": 0}}),
        ),
        event("app", 2, 50, &json!({"kind": "OfTomorrow", "data": {"ÄRGER": 1}})),
    ];
    let mut index = AuditIndex::default();
    // In pages, newest first, as the ledger is read.
    assert_eq!(index.insert(texts[3..].iter().map(String::as_str), needle), Some(Millis(40)));
    index.insert(texts[..3].iter().map(String::as_str), needle);
    // Again, as the bus may deliver them too.
    index.insert(texts[2..4].iter().map(String::as_str), needle);
    index
}

fn found(index: &AuditIndex, filter: &AuditFilter) -> Vec<(String, u64)> {
    let known = index.matching(filter).into_iter().map(|at| index.entry(at).unwrap());
    known.map(|known| (known.place.stream.to_string(), known.place.seq)).collect()
}

#[test]
fn events_of_all_streams_are_sorted_by_time_without_duplicates() {
    let index = index("");
    let all: Vec<_> = found(&index, &AuditFilter::default())
        .into_iter()
        .map(|(stream, seq)| (stream == "app", seq))
        .collect();
    assert_eq!(all, [(true, 2), (false, 3), (false, 2), (false, 1), (true, 1)]);
}

#[test]
fn each_filter_field_selects_and_an_unknown_name_matches_nothing() {
    let index = index("");
    let count = |change: fn(&mut AuditFilter)| {
        let mut filter = AuditFilter::default();
        change(&mut filter);
        found(&index, &filter).len()
    };
    assert_eq!(count(|filter| filter.agent = "engineer".into()), 2, "by the turn, too");
    assert_eq!(count(|filter| filter.agent = "critic".into()), 1);
    assert_eq!(count(|filter| filter.agent = "nobody".into()), 0);
    assert_eq!(count(|filter| filter.kind = "TurnOpened".into()), 1);
    assert_eq!(count(|filter| filter.kind = "OfTomorrow".into()), 1);
    assert_eq!(count(|filter| filter.topic = "llm.requests".into()), 1);
    assert_eq!(count(|filter| filter.run = RUN.into()), 3);
    assert_eq!(count(|filter| filter.run = format!(" {RUN}\n")), 3);
    assert_eq!(count(|filter| filter.run = "no id".into()), 0);
    assert_eq!(count(|filter| filter.stream = "app".into()), 2);
    assert_eq!(count(|filter| filter.stream = SESSION.into()), 3);
    assert_eq!(
        count(|filter| {
            filter.run = RUN.into();
            filter.agent = "engineer".into();
            filter.topic = "runs.state".into();
        }),
        1
    );
}

#[test]
fn text_search_ignores_case_and_handles_json_escapes() {
    for (text, hits) in [("ärger", 1), ("BUILD \"IT\"\nnow", 1), ("engineer", 1), ("nowhere", 0), ("  ", 5)]
    {
        let filter = AuditFilter { text: text.into(), ..AuditFilter::default() };
        assert_eq!(found(&index(&filter.needle()), &filter).len(), hits, "{text:?}");
    }
}

#[test]
fn indexed_events_are_tested_for_a_new_search_text() {
    let mut index = index("");
    let filter = AuditFilter { text: "Engineer".into(), ..AuditFilter::default() };
    assert_eq!(found(&index, &filter).len(), 0, "none is tested yet");
    let tested = index.unsearched(&filter, 3);
    assert_eq!(tested.len(), 3);
    let texts = tested.iter().map(|place| (*place, format!("an ENGINEER at {}", place.seq))).collect();
    index.test(&texts, &tested, &filter.needle());
    assert_eq!(found(&index, &filter).len(), 3);
    let rest = index.unsearched(&filter, 9);
    assert_eq!(rest.len(), 2, "tested events are not returned again");
    // An event that is no longer readable contains nothing.
    index.test(&VecMap::new(), &rest, &filter.needle());
    assert!(index.unsearched(&filter, 9).is_empty() && found(&index, &filter).len() == 3);
    index.reset_matches();
    assert_eq!(index.unsearched(&filter, 9).len(), 5);
}

#[test]
fn garbage_is_skipped() {
    let mut index = AuditIndex::default();
    assert_eq!(index.insert(["", "null", "[1]", "{\"stream\": \"x\"}", "{"], ""), None);
    assert!(index.is_empty());
}

#[test]
fn a_hundred_thousand_events_are_indexed_and_filtered_fast_in_little_memory() {
    const EVENTS: u64 = 100_000;
    let mut index = AuditIndex::default();
    let started = std::time::Instant::now();
    let mut seq = EVENTS;
    while seq > 0 {
        let page: Vec<_> = (seq.saturating_sub(499)..=seq)
            .map(|seq| {
                let kind = KINDS[seq as usize % KINDS.len()].0;
                format!(
                    r#"{{"stream":"{SESSION}","seq":{seq},"at":{seq},"run":"{RUN}","turn":"{TURN}","kind":"{kind}","data":{{}}}}"#
                )
            })
            .collect();
        index.insert(page.iter().map(String::as_str), "");
        seq -= 500;
    }
    let read = started.elapsed();
    let started = std::time::Instant::now();
    let filter = AuditFilter { topic: "llm.results".into(), run: RUN.into(), ..AuditFilter::default() };
    let among = |wanted: fn(&str, Topic) -> bool| {
        let kinds = (1..=EVENTS).map(|seq| KINDS[seq as usize % KINDS.len()]);
        kinds.filter(|(name, topic)| wanted(name, *topic)).count()
    };
    let failed = found(&index, &AuditFilter { kind: "ModelFailed".into(), ..filter.clone() }).len();
    assert_eq!(failed, among(|name, _| name == "ModelFailed"));
    assert_eq!(index.matching(&filter).len(), among(|_, topic| topic == Topic::LlmResults));
    let filtered = started.elapsed();
    println!("read {read:?}, filtered twice {filtered:?}");
    assert!(std::mem::size_of::<IndexedEvent>() <= 56, "{} bytes each", std::mem::size_of::<IndexedEvent>());
    // Unoptimised, on a busy machine: still far below what a user would notice.
    assert!(filtered.as_millis() < 1_500, "{filtered:?}");
}

#[test]
fn every_kind_has_its_topic() {
    assert_eq!(topic_of("ModelRequested"), Some(Topic::LlmRequests));
    assert_eq!(topic_of("OfTomorrow"), None);
}

fn words() -> impl Strategy<Value = String> {
    prop_oneof![Just(String::new()), "[ -~äß€🔦&=%+#?]{0,12}"]
}

proptest! {
    #[test]
    fn a_query_round_trips_its_filter(
        agent in words(), kind in words(), topic in words(), run in words(), stream in words(), text in words(),
        oldest_first in any::<bool>(), seq in proptest::option::of(1u64..9),
    ) {
        let run = run.trim().to_owned();
        let filter = AuditFilter { agent, kind, topic, run, stream, text, oldest_first };
        let open = seq.map(|seq| EventPosition { stream: StreamId::App, seq });
        let query = filter.query(open);
        prop_assert!(query.is_ascii() && !query.contains(' '));
        prop_assert_eq!(AuditFilter::read(&query), (filter.clone(), open));
        prop_assert_eq!(AuditFilter::read(&format!("?{query}")), (filter, open));
    }

    #[test]
    fn any_query_can_be_read(query in "\\PC{0,60}") {
        let (filter, _) = AuditFilter::read(&query);
        prop_assert_eq!(AuditFilter::read(&filter.query(None)).0, filter);
    }
}
