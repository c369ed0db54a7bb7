//! Splits text of any script into search terms.
//!
//! A term is a run of letters and digits, in lower case and without accents. Scripts without spaces are indexed as
//! pairs of neighbouring characters.

use std::ops::Range;

/// Number of characters per word that are compared.
const WORD_CHARS: usize = 40;

/// Calls `take` for each index term of a text, with its byte range. Pairs overlap; the last character of a run without
/// spaces is also a term of its own, so that each character begins a term.
pub fn each_word(text: &str, mut take: impl FnMut(&str, Range<usize>)) {
    scan(text, true, &mut take);
}

/// The distinct search terms of a query, in order.
pub fn search_terms(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    scan(text, false, &mut |word, _| {
        if !found.iter().any(|known| known == word) {
            found.push(word.to_owned());
        }
    });
    found
}

fn scan(text: &str, last_alone: bool, take: &mut dyn FnMut(&str, Range<usize>)) {
    let mut word = String::new();
    let mut chars = 0;
    let mut begun = 0;
    // The previous character of a run without spaces, and whether it was the first.
    let mut before: Option<(char, usize, bool)> = None;
    let mut end = 0;
    let mut pair = String::new();
    for (at, raw) in text.char_indices() {
        let c = plain(raw);
        if is_unspaced(c) {
            flush(&mut word, &mut chars, begun..end, take);
            if let Some((first, from, _)) = before {
                pair.clear();
                pair.extend([first, c]);
                take(&pair, from..at + raw.len_utf8());
            }
            before = Some((c, at, before.is_none()));
        } else {
            close(&mut before, last_alone, end, take);
            if is_mark(c) {
                // Combining marks are dropped.
            } else if c.is_alphanumeric() || (joins(c) && chars > 0) {
                if chars == 0 {
                    begun = at;
                }
                if chars < WORD_CHARS {
                    word.extend(c.to_lowercase().map(bare));
                }
                chars += 1;
            } else {
                flush(&mut word, &mut chars, begun..end, take);
            }
        }
        end = at + raw.len_utf8();
    }
    flush(&mut word, &mut chars, begun..end, take);
    close(&mut before, last_alone, end, take);
}

fn flush(
    word: &mut String,
    chars: &mut usize,
    place: Range<usize>,
    take: &mut dyn FnMut(&str, Range<usize>),
) {
    if *chars > 0 {
        take(word, place);
        word.clear();
        *chars = 0;
    }
}

/// Ends a run without spaces. A single character is a term.
fn close(
    before: &mut Option<(char, usize, bool)>,
    last_alone: bool,
    end: usize,
    take: &mut dyn FnMut(&str, Range<usize>),
) {
    if let Some((sign, at, _)) = before.take().filter(|(.., is_alone)| last_alone || *is_alone) {
        take(sign.encode_utf8(&mut [0; 4]), at..end);
    }
}

/// Maps full-width forms to ASCII.
fn plain(c: char) -> char {
    match c {
        '\u{FF01}'..='\u{FF5E}' => char::from_u32(u32::from(c) - 0xFEE0).unwrap_or(c),
        _ => c,
    }
}

/// Combining marks: accents and vowel points.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{0300}'..='\u{036F}' | '\u{0591}'..='\u{05C7}' | '\u{0610}'..='\u{061A}' | '\u{064B}'..='\u{065F}' | '\u{0670}' | '\u{FE00}'..='\u{FE0F}')
}

/// Characters within words of Indic and Tibetan scripts: viramas, vowel signs, joiners.
fn joins(c: char) -> bool {
    matches!(c, '\u{0900}'..='\u{0DFF}' | '\u{0F00}'..='\u{0FFF}' | '\u{200C}' | '\u{200D}')
        && !matches!(c, '\u{0964}' | '\u{0965}' | '\u{0970}')
}

/// Scripts without spaces, and Hangul, whose words have suffixes.
fn is_unspaced(c: char) -> bool {
    matches!(
        c,
        '\u{0E01}'..='\u{0E3A}' | '\u{0E40}'..='\u{0E4E}'
            | '\u{0E81}'..='\u{0EDF}'
            | '\u{1000}'..='\u{1049}' | '\u{1050}'..='\u{109F}'
            | '\u{1780}'..='\u{17D3}'
            | '\u{3041}'..='\u{309F}' | '\u{30A1}'..='\u{30FA}' | '\u{30FC}'..='\u{30FF}' | '\u{31F0}'..='\u{31FF}'
            | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}'
            | '\u{AC00}'..='\u{D7A3}'
            | '\u{20000}'..='\u{3FFFF}'
    )
}

/// Removes the accent of a lower-case Latin letter.
fn bare(c: char) -> char {
    match c {
        'à'..='å' | 'ā' | 'ă' | 'ą' => 'a',
        'ç' | 'ć' | 'ĉ' | 'ċ' | 'č' => 'c',
        'ď' | 'đ' => 'd',
        'è'..='ë' | 'ē' | 'ĕ' | 'ė' | 'ę' | 'ě' => 'e',
        'ĝ' | 'ğ' | 'ġ' | 'ģ' => 'g',
        'ì'..='ï' | 'ĩ' | 'ī' | 'ĭ' | 'į' | 'ı' => 'i',
        'ĺ' | 'ļ' | 'ľ' | 'ł' => 'l',
        'ñ' | 'ń' | 'ņ' | 'ň' => 'n',
        'ò'..='ö' | 'ø' | 'ō' | 'ŏ' | 'ő' => 'o',
        'ŕ' | 'ŗ' | 'ř' => 'r',
        'ś' | 'ŝ' | 'ş' | 'š' | 'ș' => 's',
        'ţ' | 'ť' | 'ț' => 't',
        'ù'..='ü' | 'ũ' | 'ū' | 'ŭ' | 'ů' | 'ű' | 'ų' => 'u',
        'ý' | 'ÿ' => 'y',
        'ź' | 'ż' | 'ž' => 'z',
        _ => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<(String, String)> {
        let mut found = Vec::new();
        each_word(text, |word, at| found.push((word.to_owned(), text.get(at).unwrap().to_owned())));
        found
    }

    fn terms(text: &str) -> Vec<String> {
        words(text).into_iter().map(|(term, _)| term).collect()
    }

    #[test]
    fn terms_are_lower_case_without_accents() {
        assert_eq!(terms("The Tax-Form, v2 (snake_case)"), ["the", "tax", "form", "v2", "snake", "case"]);
        assert_eq!(terms("Café CAFE\u{301} Ünïcödé ŁÓDŹ"), ["cafe", "cafe", "unicode", "lodz"]);
        assert_eq!(terms("ПРИВЕТ, Κόσμε! ＦＵＬＬ１"), ["привет", "κόσμε", "full1"]);
        assert_eq!(terms("हिन्दी भाषा।"), ["हिन्दी", "भाषा"]);
        assert!(terms("  -- … \u{301}").is_empty());
    }

    #[test]
    fn scripts_without_spaces_are_indexed_as_pairs() {
        assert_eq!(terms("漢字変換"), ["漢字", "字変", "変換", "換"]);
        assert_eq!(terms("字"), ["字"]);
        assert_eq!(terms("Rustで書く。"), ["rust", "で書", "書く", "く"]);
        assert_eq!(terms("ไทย 한국어"), ["ไท", "ทย", "ย", "한국", "국어", "어"]);
        assert_eq!(search_terms("漢字変換 漢字"), ["漢字", "字変", "変換"]);
        assert_eq!(search_terms("字 字"), ["字"]);
    }

    #[test]
    fn ranges_are_those_of_the_words() {
        assert_eq!(words("Ein Wört: x")[1], ("wort".into(), "Wört".into()));
        assert_eq!(
            words("a漢字b").into_iter().map(|(_, at)| at).collect::<Vec<_>>(),
            ["a", "漢字", "字", "b"]
        );
        let long = "x".repeat(100);
        assert_eq!(words(&long), [("x".repeat(WORD_CHARS), long.clone())]);
    }
}
