//! What tests share: keys for redaction and the forms in which a server may echo them, laws over random cases, and a
//! report of what could not be checked.

// Tests are built of it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

const STANDARD: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const URL_SAFE: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

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

/// Holds a law on random values, `config.cases` at a time, until it has seen every one of these kinds of cases. What
/// is rare may be missing in one round by chance, and is not in twenty.
#[cfg(any(test, feature = "laws"))]
pub fn hold_until_seen<S: proptest::strategy::Strategy, K: Copy + PartialEq + std::fmt::Debug>(
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

/// Reports that a program is missing that the setup installs, or that came with this repository. `cargo xtask test` fails
/// by it where `CI` is `true`.
pub fn not_installed(what: impl std::fmt::Display) {
    not_checked(format_args!("not installed: {what}"));
}

/// Reports that something could not be checked here. `cargo xtask test` repeats it in its closing lines, which it finds in
/// the file that `NEXUS_NOT_CHECKED` names; tests that pass print nothing.
pub fn not_checked(what: impl std::fmt::Display) {
    use std::io::Write as _;
    println!("NOT CHECKED: {what}");
    let Some(path) = std::env::var_os("NEXUS_NOT_CHECKED") else { return };
    let file = std::fs::OpenOptions::new().create(true).append(true).open(path);
    // The line above says it too; what cannot be noted fails no test.
    drop(file.and_then(|mut file| writeln!(file, "{what}")));
}
