//! Tells JSON that is nested too deeply from JSON that is invalid.
//!
//! A deeply nested event may hold a tool call, which must not be dropped silently.

use nexus_model::provider::failure::{ProviderError, ProviderErrorKind};

/// How deep JSON may be for our reader.
const READABLE: usize = 127;

/// The failure for a piece that could not be read because it is nested too deeply; `None` where that is not why.
pub(super) fn too_deep(json: &str) -> Option<ProviderError> {
    let words = "a piece of the answer is nested too deeply to be read; there may have been a call in it";
    (depth(json) > READABLE).then(|| ProviderError::new(ProviderErrorKind::CutOff, words))
}

/// How many brackets are open at once, at the most. Those within strings do not count.
fn depth(json: &str) -> usize {
    let (mut open, mut most) = (0_usize, 0);
    let (mut within, mut escaped) = (false, false);
    for byte in json.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if within => escaped = true,
            b'"' => within = !within,
            b'{' | b'[' if !within => {
                open += 1;
                most = most.max(open);
            }
            b'}' | b']' if !within => open = open.saturating_sub(1),
            _ => {}
        }
    }
    most
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_brackets_outside_of_strings_count() {
        for (json, expected) in [
            ("", 0),
            ("{\"a\":[1,{}],\"b\":{}}", 3),
            ("\"[[[[\"", 0),
            ("{\"a\\\"[[\":\"\\\\\",\"b\":[]}", 2),
            ("]]]}[", 1),
        ] {
            assert_eq!(depth(json), expected, "{json}");
        }
    }

    #[test]
    fn what_can_be_read_is_never_too_deep_and_what_cannot_for_its_depth_always_is() {
        for depth in [1, 100, 126, 127, 128, 129, 10_000] {
            let json = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
            let is_read = serde_json::from_str::<serde_json::Value>(&json).is_ok();
            assert_eq!(too_deep(&json).is_none(), is_read, "{depth}");
        }
        assert!(too_deep("{not JSON").is_none());
    }
}
