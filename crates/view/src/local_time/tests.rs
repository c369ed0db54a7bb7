use super::*;

fn behind(minutes_behind_utc: i32) -> LocalTime {
    LocalTime { minutes_behind_utc }
}

#[test]
fn the_time_of_day_uses_the_offset() {
    let noon = Millis((12 * 60 + 2) * 60_000);
    assert_eq!(behind(0).clock(noon), "12:02");
    assert_eq!(behind(-120).clock(noon), "14:02");
    assert_eq!(behind(13 * 60).clock(noon), "23:02");
}

#[test]
fn a_day_starts_at_local_midnight() {
    let late = Millis((23 * 60 + 30) * 60_000);
    assert_eq!(behind(0).day_number(late), 0);
    assert_eq!(behind(-60).day_number(late), 1);
    assert_eq!(behind(24 * 60).day_number(late), -1);
}

#[test]
fn a_datetime_field_round_trips() {
    for minutes in [0, -60, 300] {
        let local = behind(minutes);
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
