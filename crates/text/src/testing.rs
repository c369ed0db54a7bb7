//! Shared by tests: keys for redaction and the forms in which a server may echo them, checks over random cases, and a
//! report of skipped checks.

// Tests are built of it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use crate::redact::{STANDARD, URL_SAFE};

/// Texts that may be API keys, as a regular expression.
pub const KEY_PATTERN: &str = "[A-Za-z0-9_.+/=-]{8,60}";

pub fn base64(bytes: &[u8], url_safe: bool) -> String {
    let alphabet = if url_safe { URL_SAFE } else { STANDARD };
    let mut out = String::new();
    for three in bytes.chunks(3) {
        let value =
            three.iter().fold(0u32, |sum, byte| sum << 8 | u32::from(*byte)) << (8 * (3 - three.len()));
        for digit in 0..4usize {
            let shown = digit <= three.len();
            let place = usize::try_from(value >> (18 - 6 * digit) & 63).unwrap();
            out.push(if shown { char::from(alphabet[place]) } else { '=' });
        }
    }
    out
}

/// The forms in which a server may echo a key.
pub fn echoed_form(key: &str, number: usize) -> String {
    match number % 8 {
        0 => key.to_owned(),
        1 => key.bytes().map(|byte| format!("%{byte:02X}")).collect(),
        2 => key
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c.to_string() } else { format!("%{:02x}", u32::from(c)) })
            .collect(),
        3 => key.chars().map(|c| format!("\\u{:04x}", u32::from(c))).collect(),
        4 => key.replace('/', "\\/"),
        5 => base64(format!("operator:{key}").as_bytes(), false),
        6 => base64(format!("{key}:").as_bytes(), true),
        _ => base64(format!("xy{key}").as_bytes(), false),
    }
}

/// Checks a property on random values, in rounds of `config.cases`, until each of these kinds of cases has occurred. A
/// rare kind may be missing in one round by chance, but not in twenty.
#[cfg(any(test, feature = "laws"))]
pub fn check_until_seen<S: proptest::strategy::Strategy, K: Copy + PartialEq + std::fmt::Debug>(
    config: &proptest::test_runner::Config,
    kinds: impl IntoIterator<Item = K>,
    values: &S,
    law: impl Fn(S::Value, &mut dyn FnMut(K)) -> Result<(), proptest::test_runner::TestCaseError>,
) {
    let unseen = std::cell::RefCell::new(kinds.into_iter().collect::<Vec<_>>());
    for _ in 0..20 {
        let round = proptest::test_runner::TestRunner::new(config.clone())
            .run(values, |value| law(value, &mut |seen| unseen.borrow_mut().retain(|kind| *kind != seen)));
        if let Err(failed) = round {
            panic!("{failed}");
        }
        if unseen.borrow().is_empty() {
            return;
        }
    }
    panic!("no case had {:?}", unseen.into_inner());
}

/// Reports a missing program that the setup installs or this repository contains. `cargo xtask test` fails on it where
/// `CI` is `true`.
pub fn not_installed(what: impl std::fmt::Display) {
    not_checked(format_args!("not installed: {what}"));
}

/// Reports a skipped check. `cargo xtask test` repeats it at its end, from the file that `NEXUS_NOT_CHECKED` names,
/// because passing tests print nothing.
pub fn not_checked(what: impl std::fmt::Display) {
    use std::io::Write as _;
    println!("NOT CHECKED: {what}");
    let Some(path) = std::env::var_os("NEXUS_NOT_CHECKED") else { return };
    let file = std::fs::OpenOptions::new().create(true).append(true).open(path);
    // The line above says it too; what cannot be noted fails no test.
    drop(file.and_then(|mut file| writeln!(file, "{what}")));
}
