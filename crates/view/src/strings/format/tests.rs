use super::*;

#[test]
fn durations_are_formatted_by_size() {
    assert_eq!(elapsed(0), "0 ms");
    assert_eq!(elapsed(999), "999 ms");
    assert_eq!(elapsed(7_400), "0:07");
    assert_eq!(elapsed(750_000), "12:30");
    assert_eq!(elapsed(3_723_000), "1:02:03");
}

#[test]
fn past_times_have_one_unit_and_future_ones_are_now() {
    let now = Millis(10 * DAY);
    assert_eq!(ago(now, now), "just now");
    assert_eq!(ago(Millis(now.0 - 12_000), now), "12 s ago");
    assert_eq!(ago(Millis(now.0 - 4 * MINUTE), now), "4 min ago");
    assert_eq!(ago(Millis(now.0 - 3 * HOUR), now), "3 h ago");
    assert_eq!(ago(Millis(now.0 - 5 * DAY), now), "5 d ago");
    assert_eq!(ago(Millis(now.0 + HOUR), now), "just now");
}

#[test]
fn sizes_have_one_unit() {
    assert_eq!(size(312), "312 bytes");
    assert_eq!(size(12_999), "12 kB");
    assert_eq!(size(5_242_880), "5.2 MB");
    assert_eq!(large_size(4_294_967_296), "4.2 GB");
}

#[test]
fn money_is_marked_as_an_estimate() {
    assert_eq!(money(Cost(0)), "$0");
    assert_eq!(money(Cost(4_999_999)), "< $0.01");
    assert_eq!(money(Cost(123_400_000)), "≈ $0.12");
    assert_eq!(money(Cost::dollars(5)), "≈ $5.00");
}

#[test]
fn thousands_are_separated() {
    assert_eq!(tokens(7), "7");
    assert_eq!(tokens(6_120), "6,120");
    assert_eq!(tokens(1_000_000), "1,000,000");
}

#[test]
fn days_are_named() {
    assert_eq!(day(20_000, 20_000), "Today");
    assert_eq!(day(19_999, 20_000), "Yesterday");
    assert_eq!(day(0, 20_000), "Thursday, 1 January 1970");
    assert_eq!(day(11_016, 20_000), "Tuesday, 29 February 2000");
    assert_eq!(day(11_017, 20_000), "Wednesday, 1 March 2000");
    assert_eq!(day(19_722, 30_000), "Sunday, 31 December 2023");
    assert_eq!(day(20_406, 20_408), "Friday, 14 November 2025");
}
