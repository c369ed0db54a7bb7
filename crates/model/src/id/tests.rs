use super::*;

#[test]
fn ulids_grow_even_when_the_clock_goes_back() {
    let mut mint = UlidGenerator::default();
    let first = mint.mint(1_000, u128::MAX);
    let same_time = mint.mint(1_000, 0);
    let earlier = mint.mint(1, 7);
    assert!(first < same_time && same_time < earlier);
}

#[test]
fn times_are_formatted_as_rfc_3339() {
    assert_eq!(Millis(0).rfc3339(), "1970-01-01T00:00:00Z");
    assert_eq!(Millis(951_782_400_000).rfc3339(), "2000-02-29T00:00:00Z");
    assert_eq!(Millis(1_795_171_296_789).rfc3339(), "2026-11-20T10:41:36Z");
    assert_eq!(Millis(4_107_542_400_000).rfc3339(), "2100-03-01T00:00:00Z");
}

#[test]
fn ids_and_streams_round_trip() {
    let mut mint = UlidGenerator::default();
    let id = SessionId(mint.mint(1_700_000_000_000, 42));
    let json = serde_json::to_string(&StreamId::Session(id)).unwrap();
    assert_eq!(serde_json::from_str::<StreamId>(&json).unwrap(), StreamId::Session(id));
    assert_eq!(serde_json::to_string(&StreamId::App).unwrap(), "\"app\"");
    assert!(serde_json::from_str::<SessionId>("\"no ulid\"").is_err());
}
