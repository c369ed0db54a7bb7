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
