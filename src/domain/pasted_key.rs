//! Never keeps a key: text goes in, text comes out.
//!
//! Owns what is made of a key that a person pasted: people copy quotes, blanks and whole header lines along.

use crate::domain::address::trimmed;

/// Why a text cannot be a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyProblem {
    /// Nothing was entered.
    Empty,
    /// A blank or a line break stands in the middle of it.
    Blank,
    /// It holds a character that no header can carry.
    Character,
    /// It is an address.
    Address,
    /// It is longer than any key.
    Long,
}

/// The longest key, in bytes.
const MOST_BYTES: usize = 8_192;

/// Takes a pasted key out of what came along with it: blanks, quotes, a header's name, `Bearer`.
///
/// # Errors
/// Why what is left cannot be a key.
pub fn clean(pasted: &str) -> Result<String, KeyProblem> {
    let mut key = trimmed(pasted);
    for wrapping in ["authorization:", "x-api-key:", "x-goog-api-key:", "bearer "] {
        let head = key.get(..wrapping.len());
        if head.is_some_and(|head| head.eq_ignore_ascii_case(wrapping)) {
            key = trimmed(key.get(wrapping.len()..).unwrap_or_default());
        }
    }
    if key.is_empty() || key.eq_ignore_ascii_case("bearer") {
        return Err(KeyProblem::Empty);
    }
    if key.starts_with("https://") || key.starts_with("http://") {
        return Err(KeyProblem::Address);
    }
    if key.chars().any(|c| c.is_whitespace() || c.is_control()) {
        return Err(KeyProblem::Blank);
    }
    if !key.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(KeyProblem::Character);
    }
    if key.len() > MOST_BYTES { Err(KeyProblem::Long) } else { Ok(key.to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_comes_out_of_what_was_copied_along() {
        for pasted in [
            "sk-canary-1",
            "  sk-canary-1\r\n",
            "\"sk-canary-1\"",
            "'sk-canary-1',".trim_end_matches(','),
            "“sk-canary-1”",
            "`sk-canary-1`",
            "Bearer sk-canary-1",
            "bearer  \"sk-canary-1\"",
            "Authorization: Bearer sk-canary-1",
            "x-api-key: sk-canary-1",
            "\u{feff}sk-canary-1\u{200b}",
        ] {
            assert_eq!(clean(pasted).as_deref(), Ok("sk-canary-1"), "{pasted:?}");
        }
    }

    #[test]
    fn what_cannot_be_a_key_is_refused() {
        for (pasted, problem) in [
            ("", KeyProblem::Empty),
            (" '' ", KeyProblem::Empty),
            ("Bearer ", KeyProblem::Empty),
            ("sk-one sk-two", KeyProblem::Blank),
            ("sk-one\nsk-two", KeyProblem::Blank),
            ("schlüssel", KeyProblem::Character),
            ("sk-…1234", KeyProblem::Character),
            ("https://example.com", KeyProblem::Address),
        ] {
            assert_eq!(clean(pasted), Err(problem), "{pasted:?}");
        }
        assert_eq!(clean(&"k".repeat(9_000)), Err(KeyProblem::Long));
    }
}
