//! Small helpers for prose.

/// One line of `text`: white space collapsed, control and direction marks dropped, at most `most` characters.
pub(super) fn clean(text: &str, most: usize) -> String {
    let mut line = String::new();
    for word in text.split_whitespace() {
        let word: String = word.chars().filter(|c| !is_unsafe(*c)).collect();
        let used = line.chars().count();
        if word.is_empty() {
            continue;
        }
        if used > 0 && used + 1 + word.chars().count() > most {
            break;
        }
        if used > 0 {
            line.push(' ');
        }
        line.extend(word.chars().take(most));
    }
    line
}

/// Control characters, and the marks that turn the direction of all text after them.
fn is_unsafe(c: char) -> bool {
    c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

/// `1 line`, `2 lines`.
pub(super) fn count(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

/// `a`, `a and b`, `a, b and c`.
pub(super) fn listed<S: AsRef<str>>(names: &[S]) -> String {
    match names {
        [] => "nothing".to_owned(),
        [only] => only.as_ref().to_owned(),
        [most @ .., last] => {
            let most: Vec<&str> = most.iter().map(AsRef::as_ref).collect();
            format!("{} and {}", most.join(", "), last.as_ref())
        }
    }
}

/// A Markdown list.
pub(super) fn bullets<S: AsRef<str>>(lines: impl IntoIterator<Item = S>) -> String {
    lines.into_iter().map(|line| format!("- {}", line.as_ref())).collect::<Vec<_>>().join("\n")
}

/// The sentences of `text`, and its lines: at most `most`, none longer than 160 characters.
pub(super) fn sentences(text: &str, most: usize) -> Vec<String> {
    let mut found = Vec::new();
    let mut sentence = String::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        sentence.push(c);
        let ends = matches!(c, '.' | '!' | '?' | ';') && chars.peek().is_none_or(|next| next.is_whitespace());
        if ends || c == '\n' || chars.peek().is_none() {
            let line = clean(&sentence, 160);
            if line.chars().any(char::is_alphanumeric) && found.len() < most {
                found.push(line);
            }
            sentence.clear();
        }
    }
    found
}

/// What stands in blocks: the head of each, and its inside.
pub(super) fn blocks<'t>(text: &'t str, open: &str, close: &str) -> Vec<(&'t str, &'t str)> {
    let whole = text.split(open).skip(1).filter_map(|rest| rest.split_once('>'));
    whole
        .map(|(head, rest)| (head, rest.split_once(close).map_or(rest, |(inside, _)| inside).trim()))
        .collect()
}

/// The text between two marks.
pub(super) fn between<'t>(text: &'t str, open: &str, close: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(open)?;
    rest.split_once(close).map(|(inside, _)| inside.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_end_at_a_mark_before_a_space_and_at_a_line() {
        let text = "Draw 3.5 circles; in red. Why?\n\n- and one more\n...";
        assert_eq!(sentences(text, 9), ["Draw 3.5 circles;", "in red.", "Why?", "- and one more"]);
        assert_eq!(sentences(text, 1), ["Draw 3.5 circles;"]);
        assert!(sentences(" \n ", 9).is_empty());
    }
}
