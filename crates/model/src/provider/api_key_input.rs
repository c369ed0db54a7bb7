//! Cleans a pasted API key: strips quotes, blanks, variable names and header names.

use crate::provider::address::trimmed;

/// Why a text is not a valid key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApiKeyError {
    Empty,
    /// A blank or line break within it.
    Blank,
    /// A character that HTTP headers do not allow.
    Character,
    Address,
    /// Longer than [`MOST_BYTES`].
    Long,
}

/// Maximum length in bytes.
const MOST_BYTES: usize = 8_192;

/// Removes what is often copied along with a key: blanks, quotes, the comma or semicolon of a list.
fn stripped(text: &str) -> &str {
    let mut key = text;
    loop {
        let shorter = trimmed(key).trim_end_matches([',', ';']);
        if shorter == key {
            return key;
        }
        key = shorter;
    }
}

/// The value of an assignment to a variable, such as `OPENAI_API_KEY=`, with or without `export`.
fn assigned(text: &str) -> Option<&str> {
    let (name, value) = text.strip_prefix("export ").unwrap_or(text).split_once('=')?;
    let name = name.trim();
    let is_name = name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_');
    let names_a_key = ["KEY", "TOKEN"].iter().any(|word| name.ends_with(word));
    (is_name && names_a_key && !value.is_empty()).then_some(value)
}

/// Cleans a pasted key: removes blanks, quotes, a comma, the name of a variable or header, `Bearer`.
pub fn clean(pasted: &str) -> Result<String, ApiKeyError> {
    let mut key = stripped(pasted);
    key = assigned(key).map_or(key, stripped);
    for wrapping in ["authorization:", "x-api-key:", "x-goog-api-key:", "bearer "] {
        let head = key.get(..wrapping.len());
        if head.is_some_and(|head| head.eq_ignore_ascii_case(wrapping)) {
            key = stripped(key.get(wrapping.len()..).unwrap_or_default());
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
    fn key_is_extracted_from_pasted_text() {
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
    fn parts_of_a_key_stay() {
        for key in ["c2stY2FuYXJ5LTE=", "a=b", "KEY=", "Sk_KEY=x", "a,b;c", "user:pass"] {
            assert_eq!(clean(key).as_deref(), Ok(key), "{key:?}");
        }
    }

    #[test]
    fn invalid_key_is_rejected() {
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
