use super::*;

#[test]
fn the_count_shows_listed_and_remaining_events() {
    assert_eq!(event_count(1, 1, 0, None), "1 event");
    assert_eq!(event_count(12, 100_000, 0, None), "12 of 100,000 events");
    assert_eq!(event_count(500, 500, 99_500, None), "500 events · reading, 99,500 to go");
    assert_eq!(event_count(3, 500, 0, Some(1_200)), "3 of 500 events · searching, 1,200 to go");
    let noon = time(Millis(1_700_000_000_123), LocalTime { minutes_behind_utc: |_| -60 });
    assert_eq!(noon, "11-14 23:13:20.123");
    assert_eq!(exported(1, 3), "33 %");
    assert_eq!(exported(0, 0), "100 %");
}

#[test]
fn an_event_is_one_short_line() {
    let notice = EventKind::Notice { text: format!("\n  {}\nmore", "x".repeat(300)) };
    let line = describe(&notice);
    assert!(line.chars().count() == 161 && line.ends_with('…') && !line.contains("more"), "{line}");
    assert_eq!(describe(&EventKind::ModelRequested { call: 0, attempt: 2 }), "call 1, attempt 2");
    let rejected = |reason: &str| {
        describe(&EventKind::CommandRefused { command: "LabelSession".into(), reason: reason.into() })
    };
    assert_eq!(rejected("BadName"), "LabelSession: That name cannot be used");
    assert_eq!(
        rejected("UndoClash { field: \"objective\" }"),
        "LabelSession: The same lines of the objective have changed since"
    );
    assert_eq!(rejected("BadAddress(NoHost)"), "LabelSession: Invalid base URL");
}
