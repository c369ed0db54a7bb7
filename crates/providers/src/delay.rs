//! Parses a retry delay from an error message, such as “Please try again in 1.2s.”

/// The words after which providers name the wait.
const BEFORE: [&str; 4] = ["try again in ", "retry in ", "retry after ", "again after "];

/// The wait that `words` ask for, in milliseconds, rounded up.
pub(super) fn delay_in_words(words: &str) -> Option<u64> {
    let words = words.to_ascii_lowercase();
    BEFORE.iter().find_map(|before| duration_ms(words.split_once(before)?.1))
}

/// Reads durations such as `1.2s`, `6m0s`, `1h2m3.5s`, `20ms`, `30 seconds`, `2 minutes` off the front of a text.
fn duration_ms(text: &str) -> Option<u64> {
    let mut rest = text;
    let mut total: Option<f64> = None;
    loop {
        let number_end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let (number, after) = rest.split_at(number_end);
        let Ok(number) = number.parse::<f64>() else { break };
        let after = after.strip_prefix(' ').unwrap_or(after);
        let unit_end = after.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(after.len());
        let (unit, next) = after.split_at(unit_end);
        let unit_ms = match unit {
            "ms" | "millisecond" | "milliseconds" => 1.0,
            "s" | "sec" | "secs" | "second" | "seconds" => 1_000.0,
            "m" | "min" | "mins" | "minute" | "minutes" => 60_000.0,
            "h" | "hour" | "hours" => 3_600_000.0,
            "d" | "day" | "days" => 86_400_000.0,
            _ => break,
        };
        total = Some(total.unwrap_or(0.0) + number * unit_ms);
        rest = next;
    }
    // The cast saturates; only a number that was read is told.
    total.filter(|ms| ms.is_finite()).map(|ms| ms.ceil() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_are_read_from_prose() {
        let cases = [
            ("Limit reached. Please try again in 1.2s. Visit us.", Some(1_200)),
            ("Please try again in 20ms.", Some(20)),
            ("Please try again in 6m0s.", Some(360_000)),
            ("try again in 1h2m3.5s", Some(3_723_500)),
            ("Please retry after 30 seconds", Some(30_000)),
            ("Try again in 2 minutes.", Some(120_000)),
            ("Please try again in a while.", None),
            ("Please try again later.", None),
            ("retry in -1s", None),
            ("retry after 12 apples", None),
            ("", None),
        ];
        for (words, wanted) in cases {
            assert_eq!(delay_in_words(words), wanted, "{words}");
        }
    }
}
