use super::*;

#[test]
fn results_are_described_briefly() {
    assert_eq!(found(1, 1), "1 result in 1 session");
    assert_eq!(of_words(2, 3), "2 of 3 words");
    assert_eq!(by_find(SearchField::Title, 3), "found in its title and 2 more results");
    let reading = SearchProgress { read: 1_000, of: 10_000, omitted: 0, is_reading: true };
    assert_eq!(progress(reading).unwrap(), "searching, 1,000 of 10,000 messages");
    assert_eq!(progress(SearchProgress { is_reading: false, ..reading }), None);
    assert!(resolve_error(ThreadResolveError::Ambiguous(2)).starts_with("2 sessions"));
}
