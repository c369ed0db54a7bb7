use super::*;

#[test]
fn expired_and_oversized_responses_are_deleted_oldest_first() {
    let key = |at: u64, size: u64| format!("turn-{at}/0000/0001/{at}/{size}");
    let now = Millis(100 * DAY_MS);
    let keys = [key(80 * DAY_MS, 10), key(95 * DAY_MS, 10), key(99 * DAY_MS, 10)];
    assert_eq!(expired_keys(&keys, 7, now), [keys[0].clone()]);
    assert_eq!(expired_keys(&keys, 365, now), [] as [String; 0]);
    assert_eq!(expired_keys(&keys, 0, now), keys);
    let large = [key(97 * DAY_MS, 40), key(98 * DAY_MS, 40_000_000), key(99 * DAY_MS, 30_000_000)];
    assert_eq!(expired_keys(&large, 7, now), large[..2]);
    assert_eq!(expired_keys(&["rubbish".to_owned()], 7, now), ["rubbish"]);
}
