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
mod tests;
