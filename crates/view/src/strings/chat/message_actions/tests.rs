use super::*;

#[test]
fn a_search_shows_its_position() {
    assert_eq!(found(Some(2), 17, false), "3 of 17");
    assert_eq!(found(Some(0), 2, true), "1 of 2 so far");
    assert_eq!(found(None, 0, true), "Searching earlier turns…");
    assert_eq!(found(None, 0, false), "No results");
}

#[test]
fn a_notification_names_only_the_session() {
    let Notice { title, advice } = call(NotificationReason::Ended(RunStatus::Failed), "Main");
    assert!(title.starts_with("Main: ") && !advice.is_empty());
    assert!(!call(NotificationReason::Pause, "a\u{202e}b").title.contains('\u{202e}'));
}

#[test]
fn each_kind_of_stream_fault_has_a_line() {
    assert!(faults(StreamFaults::default()).is_empty());
    let one = faults(StreamFaults { skipped: 1, repeated: 0 });
    assert_eq!(one, ["A part of this answer could not be read."]);
    let both = faults(StreamFaults { skipped: 3, repeated: 2 });
    assert_eq!(both.first().map(String::as_str), Some("3 parts of this answer could not be read."));
    assert_eq!(both.len(), 2);
}
