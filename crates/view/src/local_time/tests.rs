use super::*;

#[test]
fn a_datetime_field_round_trips() {
    for behind in [0, -60, 300] {
        let local = LocalTime { minutes_behind_utc: behind };
        for minutes in (0..40_000_000u64).step_by(7_777).chain([28_333_320, 951_782_400 / 60]) {
            let at = Millis((minutes + 600) * 60_000);
            assert_eq!(local.from_field(&local.field(at)), Some(at));
        }
    }
    let local = LocalTime::default();
    assert_eq!(local.from_field("2023-11-14T22:13"), Some(Millis(1_699_999_980_000)));
    assert_eq!(local.field(Millis(1_700_000_000_000)), "2023-11-14T22:13");
    for invalid in ["", "today", "2023-13-01T00:00", "2023-11-14", "2023-11-14T25:00", "1-1-1T1:1"] {
        assert_eq!(local.from_field(invalid), None, "{invalid}");
    }
}
