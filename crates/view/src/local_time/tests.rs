use super::*;

fn zone(minutes_behind_utc: fn(Millis) -> i32) -> LocalTime {
    LocalTime { minutes_behind_utc }
}

/// The start of summer time 2026 in Berlin and of winter time: 01:00 UTC.
const CHANGES: (u64, u64) = (1_774_746_000_000, 1_792_890_000_000);

fn berlin(at: Millis) -> i32 {
    if (CHANGES.0..CHANGES.1).contains(&at.0) { -120 } else { -60 }
}

/// As [`berlin`], five hours west of UTC in winter.
fn western(at: Millis) -> i32 {
    berlin(at) + 360
}

#[test]
fn the_time_of_day_uses_the_offset() {
    let noon = Millis((12 * 60 + 2) * 60_000);
    assert_eq!(zone(|_| 0).clock(noon), "12:02");
    assert_eq!(zone(|_| -120).clock(noon), "14:02");
    assert_eq!(zone(|_| 13 * 60).clock(noon), "23:02");
}

#[test]
fn a_day_starts_at_local_midnight() {
    let late = Millis((23 * 60 + 30) * 60_000);
    assert_eq!(zone(|_| 0).day_number(late), 0);
    assert_eq!(zone(|_| -60).day_number(late), 1);
    assert_eq!(zone(|_| 24 * 60).day_number(late), -1);
}

#[test]
fn a_datetime_field_round_trips() {
    let zones: [fn(Millis) -> i32; 3] = [|_| 0, |_| -60, |_| 300];
    for local in zones.map(zone) {
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

#[test]
fn a_time_beyond_a_change_of_the_clocks_has_its_own_offset() {
    let summer = Millis(CHANGES.0 + 90 * 24 * 3_600_000);
    assert_eq!(zone(berlin).field(summer), "2026-06-27T03:00");
    assert_eq!(zone(berlin).clock(summer), "03:00");
    assert_eq!(zone(berlin).from_field("2026-06-27T03:00"), Some(summer));
    assert_eq!(zone(berlin).from_field("2026-03-29T01:59"), Some(Millis(CHANGES.0 - 60_000)));
    assert_eq!(zone(berlin).from_field("2026-03-29T03:00"), Some(Millis(CHANGES.0)));
}

#[test]
fn a_datetime_field_round_trips_around_the_changes_of_the_clocks() {
    for zone in [zone(berlin), zone(western)] {
        for (change, is_repeated) in [(CHANGES.0, false), (CHANGES.1, true)] {
            for minutes in (0..48 * 60).step_by(7) {
                let at = Millis(change - 24 * 3_600_000 + minutes * 60_000);
                // The hour that is repeated in autumn has two times for each value.
                if !(is_repeated && at.0.abs_diff(change) <= 3_600_000) {
                    assert_eq!(zone.from_field(&zone.field(at)), Some(at), "{}", zone.field(at));
                }
            }
        }
    }
}
