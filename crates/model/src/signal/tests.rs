use super::*;

#[test]
fn broadcasts_round_trip() {
    let id = || ProviderId::from("my provider 2");
    for broadcast in [
        KeyBroadcast::Stored(id()),
        KeyBroadcast::Removed(id()),
        KeyBroadcast::Deleted(id()),
        KeyBroadcast::Locked,
    ] {
        assert_eq!(KeyBroadcast::read(&broadcast.text()), Some(broadcast));
    }
    for garbage in ["", "kept", "locked now", "stolen gemini", "{\"v\":1}"] {
        assert_eq!(KeyBroadcast::read(garbage), None, "{garbage}");
    }
}
