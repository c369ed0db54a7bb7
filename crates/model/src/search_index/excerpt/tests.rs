use super::*;
use crate::search_index::search_terms;

fn shown(text: &str, words: &str, bytes: usize) -> String {
    let pieces = excerpt(text, &search_terms(words), bytes);
    pieces.into_iter().map(|(found, text)| if found { format!("[{text}]") } else { text }).collect()
}

#[test]
fn matches_are_marked_in_the_original_text() {
    assert_eq!(shown("Der Café-Plan", "cafe plan", 80), "Der [Café]-[Plan]");
    assert_eq!(shown("Forms\nof taxes", "tax form", 80), "[Forms] of [taxes]");
    assert_eq!(shown("漢字変換の話", "変換", 80), "漢字[変換]の話");
    assert_eq!(shown("漢字変換", "漢字変換", 80), "[漢字変換]");
    assert_eq!(shown("nothing here", "tax", 80), "nothing here");
}

#[test]
fn long_text_shows_the_part_with_most_terms() {
    let text =
        format!("tax first {} the tax form is here {}", "lorem ipsum ".repeat(40), "dolor ".repeat(40));
    let line = shown(&text, "tax form", 60);
    assert!(line.contains("[tax] [form]"), "{line}");
    assert!(line.starts_with('…') && line.ends_with('…'), "{line}");
    assert!(line.len() < 90, "{line}");
}

#[test]
fn any_text_is_cut_at_char_boundaries() {
    for bytes in 0..30 {
        shown("ß漢字 é\u{301} — 🦀🦀 tax", "tax 漢字", bytes);
    }
}

#[test]
fn long_text_is_indexed_by_its_ends() {
    assert_eq!(ends("short"), "short");
    let long = format!("begins {}middle {}ends", "ä".repeat(4_000), "🦀".repeat(4_000));
    let kept = ends(&long);
    assert!(kept.starts_with("begins") && kept.ends_with("ends") && !kept.contains("middle"));
    assert!(kept.len() <= SEARCH_TOOL_FIRST_BYTES + SEARCH_TOOL_LAST_BYTES + 16);
}

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
    assert_eq!(words("a漢字b").into_iter().map(|(_, at)| at).collect::<Vec<_>>(), ["a", "漢字", "字", "b"]);
    let long = "x".repeat(100);
    assert_eq!(words(&long), [("x".repeat(WORD_CHARS), long.clone())]);
}
