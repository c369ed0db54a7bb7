//! Makes invisible and bidirectional control characters visible, to prevent look-alike names and arguments.
//!
//! For display only: never changes stored or sent text.

/// The text with every hidden character spelled out, such as `⟨U+202E⟩`. Line breaks and tabs stay.
pub fn reveal(text: &str) -> String {
    if !text.chars().any(is_hidden) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if is_hidden(c) {
            out.push_str(&format!("⟨U+{:04X}⟩", u32::from(c)));
        } else {
            out.push(c);
        }
    }
    out
}

/// JSON text with every hidden character written as its escape, such as `\\u202E`: the same JSON, to be read and edited.
pub fn escape_json(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        if is_hidden(c) {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                out.push_str(&format!("\\u{unit:04X}"));
            }
        } else {
            out.push(c);
        }
    }
    out
}

pub fn hidden_characters(text: &str) -> impl Iterator<Item = char> {
    text.chars().filter(|c| is_hidden(*c))
}

fn is_hidden(c: char) -> bool {
    match c {
        '\n' | '\t' | '\r' => false,
        // Soft hyphen, Arabic letter mark, Mongolian vowel separator.
        '\u{AD}' | '\u{61C}' | '\u{180E}'
        // Zero-width characters and marks of direction.
        | '\u{200B}'..='\u{200F}'
        // Line and paragraph separators, embeddings and overrides of direction.
        | '\u{2028}'..='\u{202E}'
        // Invisible operators and isolates of direction.
        | '\u{2060}'..='\u{206F}'
        // The byte order mark, and annotations.
        | '\u{FEFF}' | '\u{FFF9}'..='\u{FFFB}'
        // Tags, which repeat ASCII unseen.
        | '\u{E0000}'..='\u{E007F}' => true,
        c => c.is_control(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_text_stays_as_it_is() {
        for text in ["", "fn main() {\n\tprintln!(\"Grüße, 世界\");\r\n}", "שלום"] {
            assert_eq!(reveal(text), text);
        }
    }

    #[test]
    fn json_with_its_hidden_characters_escaped_is_the_same_json() {
        let value = serde_json::json!({"a\u{200B}": "exe\u{202E}txt \u{E0041}", "b": "line\nbreak"});
        let shown = escape_json(&value.to_string());
        assert!(shown.contains("\\u202E") && shown.contains("\\uDB40\\uDC41"), "{shown}");
        assert!(!shown.chars().any(is_hidden));
        assert_eq!(serde_json::from_str::<serde_json::Value>(&shown).unwrap(), value);
    }

    #[test]
    fn what_hides_or_turns_text_is_spelled_out() {
        assert_eq!(reveal("exe\u{202E}txt"), "exe⟨U+202E⟩txt");
        assert_eq!(reveal("a\u{200B}b\u{0}c"), "a⟨U+200B⟩b⟨U+0000⟩c");
        assert_eq!(reveal("\u{E0041}"), "⟨U+E0041⟩");
    }
}
