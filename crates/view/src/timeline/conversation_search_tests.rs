use std::sync::Arc;

use proptest::prelude::*;

use crate::timeline::{MessageRow, PtrEq, mark_days, *};
use nexus_model::id::{AgentKey, MessageId, Millis, SessionId, ToolRunId, TurnId};
use nexus_model::message::Message;
use nexus_model::message::content::{MessagePart, PartBody, ToolCall};
use nexus_model::testing::{SeqIds, a_message};
use nexus_model::tool::{ToolRun, ToolStatus};

fn message(ids: &mut SeqIds, text: &str, at: u64) -> (TimelineKey, TimelineRow) {
    let message = Message {
        source: None,
        parts: vec![
            MessagePart { body: PartBody::Thinking { text: "needle".into() }, opaque: None },
            MessagePart::text(text),
        ],
        created_at: Millis(at),
        updated_at: Millis(at),
        ..a_message(MessageId::new(ids), SessionId::new(ids))
    };
    let id = message.id;
    let message = PtrEq(Arc::new(message));
    let row = TimelineRow::Message(MessageRow {
        message,
        unanswered: false,
        continued: false,
        ends_turn: None,
        opens_day: false,
        unsupported_attachments: Vec::new(),
        notes_of: None,
    });
    (TimelineKey::Message(id), row)
}

fn rows(texts: &[&str]) -> Vec<(TimelineKey, TimelineRow)> {
    let mut ids = SeqIds::default();
    texts.iter().map(|text| message(&mut ids, text, 0)).collect()
}

fn nths(rows: &[(TimelineKey, TimelineRow)], wanted: &str, any_case: bool) -> Vec<(usize, usize)> {
    let place = |key: &TimelineKey| rows.iter().position(|(other, _)| other == key).unwrap();
    find(rows.iter(), wanted, any_case).iter().map(|found| (place(&found.key), found.nth)).collect()
}

#[test]
fn matches_are_in_order_and_thinking_is_skipped() {
    let rows = rows(&["a needle and a Needle", "nothing", "needle"]);
    assert_eq!(nths(&rows, "needle", false), [(0, 0), (2, 0)]);
    assert_eq!(nths(&rows, "NEEDLE", true), [(0, 0), (0, 1), (2, 0)]);
    assert_eq!(nths(&rows, "", true), []);
    assert_eq!(nths(&rows, "n.*e", true), [], "not a regex");
}

#[test]
fn tool_arguments_and_results_are_searched() {
    let mut ids = SeqIds::default();
    let id = ToolRunId::new(&mut ids);
    let run = ToolRun {
        id,
        session: SessionId::new(&mut ids),
        turn: TurnId::new(&mut ids),
        requested_by: MessageId::new(&mut ids),
        agent: AgentKey::from("engineer"),
        call: ToolCall {
            id: "1".into(),
            own_id: false,
            name: "read_file".into(),
            args: ToolArgs::Parsed(serde_json::json!({"name": "needle.txt", "lines": [1, "needle"]})),
        },
        status: ToolStatus::Succeeded,
        result: Some(serde_json::json!({"text": "a needle"})),
        ..ToolRun::default()
    };
    let rows = [(
        TimelineKey::Tool(id),
        TimelineRow::Tool { run: PtrEq(Arc::new(run)), minds: None, approval: None, group: None },
    )];
    assert_eq!(nths(&rows, "needle", false), [(0, 0), (0, 1), (0, 2)]);
    assert_eq!(nths(&rows, "read_file", false), [(0, 0)]);
}

#[test]
fn the_newest_matches_win_above_the_limit() {
    let long = "x".repeat(FIND_PLACES);
    let rows = rows(&["x", &long]);
    let found = nths(&rows, "x", false);
    assert_eq!(found.len(), FIND_PLACES);
    assert_eq!(found.first(), Some(&(1, 0)));
    let rows = self::rows(&[&long, "x"]);
    let found = nths(&rows, "x", false);
    assert_eq!((found.len(), found.first(), found.last()), (FIND_PLACES, Some(&(0, 1)), Some(&(1, 0))));
}

#[test]
fn a_search_keeps_its_match_or_selects_the_newest() {
    let rows = rows(&["x x", "x"]);
    let matches = find(rows.iter(), "x", false);
    assert_eq!(current_match(&matches, None), Some(2));
    assert_eq!(current_match(&matches, matches.get(1)), Some(1));
    assert_eq!(current_match(matches.get(..1).unwrap(), matches.get(2)), Some(0));
    assert_eq!(current_match(&[], None), None);
}

#[test]
fn days_are_marked_where_they_change() {
    const DAY: u64 = 24 * 60 * 60 * 1_000;
    let mut ids = SeqIds::default();
    let mut rows: Vec<_> =
        [1, 2, DAY + 1, DAY + 2, 3 * DAY].iter().map(|at| message(&mut ids, "x", *at)).collect();
    let marks = |rows: &[(TimelineKey, TimelineRow)]| {
        let marked =
            |row: &TimelineRow| matches!(row, TimelineRow::Message(MessageRow { opens_day: true, .. }));
        rows.iter().map(|(_, row)| marked(row)).collect::<Vec<_>>()
    };
    let day_of = |at: Millis| i64::try_from(at.0 / DAY).unwrap();
    mark_days(&mut rows, 3, day_of);
    assert_eq!(marks(&rows), [true, false, true, false, true]);
    mark_days(&mut rows, 0, day_of);
    assert_eq!(marks(&rows), [false, false, true, false, true], "today needs no heading of its own");
}

proptest! {
    #[test]
    fn every_match_is_found_once(texts in proptest::collection::vec("[abA]{0,12}", 0..8), wanted in "[ab]{1,2}") {
        let borrowed: Vec<&str> = texts.iter().map(String::as_str).collect();
        let rows = rows(&borrowed);
        let slow: usize = texts.iter().map(|text| text.matches(&wanted).count()).sum();
        let found = nths(&rows, &wanted, false);
        prop_assert_eq!(found.len(), slow);
        prop_assert!(found.windows(2).all(|two| two[0] < two[1]));
        prop_assert!(nths(&rows, &wanted, true).len() >= slow);
    }
}
