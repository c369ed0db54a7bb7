//! Redacts likely API keys in error reports, and truncates them.

/// The longest report, in bytes.
const MOST_BYTES: usize = 2_000;

/// Takes out every word that looks like a key, and cuts the rest to a length that can be kept.
pub fn scrub(text: &str) -> String {
    const PREFIXES: [&str; 8] = ["AIza", "AQ.", "sk-", "gsk_", "xai-", "ghp_", "hf_", "r8_"];
    let looks_like_key = |word: &str| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        let key_long = word.len() >= 12;
        let known = PREFIXES.iter().any(|prefix| word.contains(prefix));
        // Long runs of letters with digits are keys or hashes; paths and names of types have separators.
        let random = word.len() >= 32
            && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
            && word.chars().any(|c| c.is_ascii_digit());
        key_long && (known || random)
    };
    let mut scrubbed = String::new();
    for word in text.split_inclusive(char::is_whitespace) {
        if scrubbed.len() + word.len() > MOST_BYTES {
            scrubbed.push('…');
            break;
        }
        if looks_like_key(word) {
            scrubbed.push_str("… ");
        } else {
            scrubbed.push_str(word);
        }
    }
    scrubbed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_looks_like_a_key_is_not_in_a_report() {
        let said = "no answer for AIzaSyCanary0123456789 at src/domain/mind.rs\nkey=sk-canary-0123456789 ok";
        let scrubbed = scrub(said);
        assert!(!scrubbed.contains("anary"), "{scrubbed}");
        assert!(scrubbed.contains("src/domain/mind.rs") && scrubbed.ends_with("ok"));
        assert!(scrub(&"word ".repeat(10_000)).len() <= MOST_BYTES + 4);
    }
}
