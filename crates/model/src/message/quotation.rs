//! Quotes selected text in a message, and strips quotations to find the operator's own words.

/// A quotation as a message has it: who is quoted, each line behind `>`, an empty line after. Nothing where there is nothing to
/// quote.
pub fn quotation(who: &str, text: &str) -> Option<String> {
    let text = text.trim_matches(['\n', '\r']).trim_end();
    if text.trim().is_empty() {
        return None;
    }
    let mut out = format!("> {who}:\n");
    for line in text.lines() {
        let line = line.trim_end();
        out.push_str(if line.is_empty() { ">" } else { "> " });
        out.push_str(line);
        out.push('\n');
    }
    out.push('\n');
    Some(out)
}

/// A draft with a quotation added to it, below what stands there.
pub fn added(draft: &str, quotation: &str) -> String {
    let draft = draft.trim_end();
    if draft.is_empty() { quotation.to_owned() } else { format!("{draft}\n\n{quotation}") }
}

/// A message without what it quotes. Names and files in a quotation are another's words: they reach nobody and bring
/// nothing along.
pub fn own_words(text: &str) -> String {
    text.lines().filter(|line| !line.trim_start().starts_with('>')).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_line_is_marked() {
        let quoted = quotation("Engineer", "\none\n\n  two  \n").unwrap();
        assert_eq!(quoted, "> Engineer:\n> one\n>\n>   two\n\n");
        assert_eq!(quotation("Engineer", " \n\t"), None);
    }

    #[test]
    fn what_is_typed_stays_above() {
        assert_eq!(added("", "> a\n\n"), "> a\n\n");
        assert_eq!(added("so: ", "> a\n\n"), "so:\n\n> a\n\n");
    }

    #[test]
    fn what_is_quoted_is_not_said() {
        assert_eq!(own_words("a\n> b\n  > c\nd > e"), "a\nd > e");
    }

    proptest! {
        #[test]
        fn of_a_quotation_nothing_is_said(text in "[ab>#@ \n\r]{0,60}") {
            if let Some(quoted) = quotation("@Who #file", &text) {
                let own = own_words(&added("mine", &quoted));
                prop_assert_eq!(own.trim(), "mine");
            }
        }

        #[test]
        fn no_line_of_a_quotation_escapes(text in "[ab>#@ \n\r]{0,60}") {
            if let Some(quoted) = quotation("Who", &text) {
                prop_assert!(quoted.trim_end().lines().all(|line| line.starts_with('>')));
                let bare: String = quoted.lines().skip(1).filter_map(|line| line.get(1..)).collect();
                let letters = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
                prop_assert_eq!(letters(&bare), letters(&text));
            }
        }
    }
}
