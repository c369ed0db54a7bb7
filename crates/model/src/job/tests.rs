use super::*;

#[test]
fn usage_is_reset_each_day() {
    let usage = Usage { input: Some(100), ..Usage::default() };
    let mut day = DayUsage::default();
    day.add(Millis(DAY_MS - 2), &usage, Some(Cost::dollars(1)));
    day.add(Millis(DAY_MS - 1), &usage, None);
    let used = day.on(Millis(DAY_MS - 1));
    assert_eq!((used.calls, used.tokens, used.cost, used.unpriced), (2, 200, Cost::dollars(1), 1));
    assert_eq!(day.on(Millis(DAY_MS)), RunUsage::default());
    day.add(Millis(DAY_MS), &usage, None);
    assert_eq!(day.on(Millis(DAY_MS)).calls, 1);
}
