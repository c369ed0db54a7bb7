use super::*;

#[test]
fn an_error_states_that_nothing_changed() {
    let refused = ImportError::Refused(DumpError::ManySessions(20_000));
    for error in [refused, ImportError::Unreadable("gone".into()), ImportError::Changed] {
        assert!(import_error(&error).contains("Nothing was imported"), "{error:?}");
    }
    assert!(import_error(&ImportError::Store(StoreError::Full)).contains("rolled back"));
}

#[test]
fn an_import_counts_conversations_and_other_sessions_apart() {
    assert_eq!(take((2, 0)), "Import 2 sessions");
    assert_eq!(take((1, 3)), "Import 1 session and 3 internal sessions");
    assert_eq!(take((0, 1)), "Import 1 internal session");
}

#[test]
fn an_address_is_shown_before_it_is_called() {
    let text = would_call("https://b.example", Some("https://a.example"));
    assert!(text.contains("https://b.example") && text.contains("https://a.example"));
}
