//! Cleans a pasted API key: strips quotes, blanks, variable names and header names.

use crate::provider::address::trimmed;

/// Why a text cannot be a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApiKeyError {
    Empty,
    /// A blank or a line break stands in the middle of it.
    Blank,
    /// It holds a character that no header can carry.
    Character,
    Address,
    /// It is longer than any key.
    Long,
}

/// The longest key, in bytes.
const MOST_BYTES: usize = 8_192;

/// Without what stands around a key where it was copied from: blanks, quotes, the comma or semicolon of a list.
fn bare(text: &str) -> &str {
    let mut bare = text;
    loop {
        let less = trimmed(bare).trim_end_matches([',', ';']);
        if less == bare {
            return bare;
        }
        bare = less;
    }
}

/// What follows the name of a variable, such as `OPENAI_API_KEY=`, with `export` before it or not.
fn assigned(text: &str) -> Option<&str> {
    let (name, value) = text.strip_prefix("export ").unwrap_or(text).split_once('=')?;
    let name = name.trim();
    let is_name = name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_');
    let names_a_key = ["KEY", "TOKEN"].iter().any(|word| name.ends_with(word));
    (is_name && names_a_key && !value.is_empty()).then_some(value)
}

/// Takes a pasted key out of what came along with it: blanks, quotes, a comma, a variable's or a header's name, `Bearer`.
pub fn clean(pasted: &str) -> Result<String, ApiKeyError> {
    let mut key = bare(pasted);
    key = assigned(key).map_or(key, bare);
    for wrapping in ["authorization:", "x-api-key:", "x-goog-api-key:", "bearer "] {
        let head = key.get(..wrapping.len());
        if head.is_some_and(|head| head.eq_ignore_ascii_case(wrapping)) {
            key = bare(key.get(wrapping.len()..).unwrap_or_default());
        }
    }
    if key.is_empty() || key.eq_ignore_ascii_case("bearer") {
        return Err(ApiKeyError::Empty);
    }
    if key.starts_with("https://") || key.starts_with("http://") {
        return Err(ApiKeyError::Address);
    }
    if key.chars().any(|c| c.is_whitespace() || c.is_control()) {
        return Err(ApiKeyError::Blank);
    }
    if !key.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(ApiKeyError::Character);
    }
    if key.len() > MOST_BYTES { Err(ApiKeyError::Long) } else { Ok(key.to_owned()) }
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
            "'sk-canary-1',",
            "\"sk-canary-1\";\n",
            " \"'sk-canary-1' ,\" ",
            "OPENAI_API_KEY=sk-canary-1",
            "export ANTHROPIC_API_KEY=\"sk-canary-1\"",
            "HF_TOKEN = 'sk-canary-1'",
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
    fn what_belongs_to_a_key_stays() {
        for key in ["c2stY2FuYXJ5LTE=", "a=b", "KEY=", "Sk_KEY=x", "a,b;c", "user:pass"] {
            assert_eq!(clean(key).as_deref(), Ok(key), "{key:?}");
        }
    }

    #[test]
    fn what_cannot_be_a_key_is_refused() {
        for (pasted, problem) in [
            ("", ApiKeyError::Empty),
            (" '' ", ApiKeyError::Empty),
            ("\",\"", ApiKeyError::Empty),
            ("Bearer ", ApiKeyError::Empty),
            ("sk-one sk-two", ApiKeyError::Blank),
            ("sk-one\nsk-two", ApiKeyError::Blank),
            ("schlüssel", ApiKeyError::Character),
            ("sk-…1234", ApiKeyError::Character),
            ("https://example.com", ApiKeyError::Address),
        ] {
            assert_eq!(clean(pasted), Err(problem), "{pasted:?}");
        }
        assert_eq!(clean(&"k".repeat(9_000)), Err(ApiKeyError::Long));
    }
}
