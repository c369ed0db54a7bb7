//! Makes invisible and bidirectional control characters visible, to prevent look-alike names, arguments and hidden
//! orders.
//!
//! Never changes stored text.

/// The text with every hidden character spelled out, such as `⟨U+202E⟩`. Line breaks and tabs stay.
pub fn reveal(text: &str) -> String {
    spell_out(text, |_| true)
}

/// The text with only those characters spelled out that can carry words for a model: tags and stray variation
/// selectors.
pub fn reveal_encoded(text: &str) -> String {
    spell_out(text, |c| is_tag(c) || is_selector(c))
}

fn spell_out(text: &str, chosen: fn(char) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    for (c, hidden) in with_visibility(text) {
        if hidden && chosen(c) {
            out.push_str(&format!("⟨U+{:04X}⟩", u32::from(c)));
        } else {
            out.push(c);
        }
    }
    out
}

/// JSON text with every hidden character as its escape, such as `\\u202E`: the same JSON, readable and editable.
pub fn escape_json(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for (c, hidden) in with_visibility(json) {
        if hidden {
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
    with_visibility(text).filter_map(|(c, hidden)| hidden.then_some(c))
}

/// The tags after a black flag for England, Scotland and Wales; no other flag has tags.
const FLAGS: [&str; 3] = [
    "\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}",
    "\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}",
    "\u{E0067}\u{E0062}\u{E0077}\u{E006C}\u{E0073}\u{E007F}",
];

/// Each character, and whether it is invisible in its place.
fn with_visibility(text: &str) -> impl Iterator<Item = (char, bool)> {
    let (mut before, mut flag) = (None, 0u8);
    text.char_indices().map(move |(at, c)| {
        let of_flag = flag > 0;
        let behind = || text.get(at + c.len_utf8()..).unwrap_or_default();
        flag = if c == '\u{1F3F4}' && FLAGS.iter().any(|tags| behind().starts_with(tags)) {
            6
        } else {
            flag.saturating_sub(1)
        };
        let shapes = is_selector(c) && before.is_some_and(|base| has_variant(base, c));
        before = Some(c);
        (c, is_hidden(c) && !of_flag && !shapes)
    })
}

/// A tag, which is an invisible ASCII character, or a code point reserved for more of them.
fn is_tag(c: char) -> bool {
    matches!(c, '\u{E0000}'..='\u{E00FF}' | '\u{E01F0}'..='\u{E0FFF}')
}

/// A variation selector: chooses the form of the character before it, and is never visible itself.
fn is_selector(c: char) -> bool {
    matches!(c, '\u{FE00}'..='\u{FE0F}' | '\u{E0100}'..='\u{E01EF}')
}

/// True if `selector` may choose a form of `base`: of an ideograph, a symbol, a digit or a foreign letter.
fn has_variant(base: char, selector: char) -> bool {
    match base {
        base if base.is_ascii() => matches!(base, '0'..='9' | '#' | '*') && selector <= '\u{FE0F}',
        base if selector > '\u{FE0F}' => base >= '\u{2E80}' && base.is_alphabetic(),
        base => !base.is_whitespace() && !is_hidden(base),
    }
}

fn is_hidden(c: char) -> bool {
    match c {
        '\n' | '\t' | '\r' => false,
        // Soft hyphen, Arabic letter mark.
        '\u{AD}' | '\u{61C}'
        // The grapheme joiner, vowels of Khmer that are not written, selectors of Mongolian.
        | '\u{34F}' | '\u{17B4}' | '\u{17B5}' | '\u{180B}'..='\u{180F}'
        // Hangul fillers, and the Braille pattern without a dot.
        | '\u{115F}' | '\u{1160}' | '\u{3164}' | '\u{FFA0}' | '\u{2800}'
        // Zero-width characters and marks of direction.
        | '\u{200B}'..='\u{200F}'
        // Line and paragraph separators, embeddings and overrides of direction.
        | '\u{2028}'..='\u{202E}'
        // Invisible operators and isolates of direction.
        | '\u{2060}'..='\u{206F}'
        // The byte order mark, and annotations.
        | '\u{FEFF}' | '\u{FFF9}'..='\u{FFFB}'
        // Controls of shorthand and of musical notation.
        | '\u{1BCA0}'..='\u{1BCA3}' | '\u{1D173}'..='\u{1D17A}' => true,
        c => is_tag(c) || is_selector(c) || c.is_control(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_text_is_unchanged() {
        for text in ["", "fn main() {\n\tprintln!(\"Grüße, 世界\");\r\n}", "שלום"] {
            assert_eq!(reveal(text), text);
        }
    }

    #[test]
    fn escaped_json_is_the_same_json() {
        let value = serde_json::json!({"a\u{200B}": "exe\u{202E}txt \u{E0041}", "b": "line\nbreak"});
        let shown = escape_json(&value.to_string());
        assert!(shown.contains("\\u202E") && shown.contains("\\uDB40\\uDC41"), "{shown}");
        assert_eq!(hidden_characters(&shown).count(), 0);
        assert_eq!(serde_json::from_str::<serde_json::Value>(&shown).unwrap(), value);
    }

    #[test]
    fn hiding_and_turning_characters_are_spelled_out() {
        assert_eq!(reveal("exe\u{202E}txt"), "exe⟨U+202E⟩txt");
        assert_eq!(reveal("a\u{200B}b\u{0}c"), "a⟨U+200B⟩b⟨U+0000⟩c");
        assert_eq!(reveal("\u{E0041}"), "⟨U+E0041⟩");
    }

    #[test]
    fn blank_characters_are_spelled_out() {
        for c in [
            '\u{115F}',
            '\u{1160}',
            '\u{3164}',
            '\u{FFA0}',
            '\u{2800}',
            '\u{34F}',
            '\u{17B4}',
            '\u{180D}',
            '\u{1D173}',
            '\u{E0FFF}',
        ] {
            assert_eq!(reveal(&format!("a{c}b")), format!("a⟨U+{:04X}⟩b", u32::from(c)));
        }
    }

    #[test]
    fn variation_selector_without_forms_is_spelled_out() {
        for text in [
            "❤\u{FE0F} 1\u{FE0F}\u{20E3} 葛\u{E0100} ≩\u{FE00}",
            "🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}",
        ] {
            assert_eq!(reveal(text), text);
        }
        assert_eq!(reveal("\u{FE0F}"), "⟨U+FE0F⟩");
        assert_eq!(reveal("a\u{FE01} \u{FE02}"), "a⟨U+FE01⟩ ⟨U+FE02⟩");
        assert_eq!(reveal("😀\u{FE0F}\u{E0158}\u{E0159}"), "😀\u{FE0F}⟨U+E0158⟩⟨U+E0159⟩");
        // Flags that do not exist could hide words.
        assert_eq!(reveal("🏴\u{E0064}\u{E006F}\u{E007F}").matches('⟨').count(), 3);
        let behind = "🏴\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}\u{E0061}";
        assert_eq!(reveal(behind).matches('⟨').count(), 1);
    }

    #[test]
    fn only_carriers_of_words_are_spelled_out_for_a_model() {
        assert_eq!(
            reveal_encoded("a\u{200D}\u{202E}\u{E0041}\u{FE01}❤\u{FE0F}"),
            "a\u{200D}\u{202E}⟨U+E0041⟩⟨U+FE01⟩❤\u{FE0F}"
        );
    }
}
