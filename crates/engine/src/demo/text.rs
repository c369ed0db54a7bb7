//! Helpers for prose and for the checklist on the scratchpad, whose lines are only ticked, never changed.

/// `text` on one line: collapses white space, drops control and direction marks, keeps at most `most` characters.
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

/// True for control characters and marks that change the text direction.
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

pub(super) fn bullets<S: AsRef<str>>(lines: impl IntoIterator<Item = S>) -> String {
    lines.into_iter().map(|line| format!("- {}", line.as_ref())).collect::<Vec<_>>().join("\n")
}

/// The sentences and lines of `text`: at most `most`, each of at most 160 characters.
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

/// The head and the content of each block.
pub(super) fn blocks<'t>(text: &'t str, open: &str, close: &str) -> Vec<(&'t str, &'t str)> {
    let whole = text.split(open).skip(1).filter_map(|rest| rest.split_once('>'));
    whole
        .map(|(head, rest)| (head, rest.split_once(close).map_or(rest, |(inside, _)| inside).trim()))
        .collect()
}

pub(super) fn between<'t>(text: &'t str, open: &str, close: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(open)?;
    rest.split_once(close).map(|(inside, _)| inside.trim())
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ListedItem<'t> {
    /// Its line on the scratchpad, 0-based.
    pub(super) line: usize,
    pub(super) done: bool,
    pub(super) owner: &'t str,
    pub(super) text: &'t str,
}

impl ListedItem<'_> {
    /// The file that the item asks to write, as in `write index.html: what it holds`.
    pub(super) fn file(&self) -> Option<&str> {
        let rest = self.text.strip_prefix("write ")?;
        let name = rest.split([':', ' ']).next().unwrap_or(rest);
        name.contains('.').then_some(name)
    }

    /// True if it is this item of this owner, ignoring what follows its text.
    pub(super) fn is(&self, owner: &str, text: &str) -> bool {
        self.owner == owner && self.text.starts_with(text)
    }
}

pub(super) fn items(scratchpad: &str) -> Vec<ListedItem<'_>> {
    let item = |(line, text)| {
        let text = str::trim_start(text);
        let rest = text.strip_prefix("- [").or_else(|| text.strip_prefix("* ["))?;
        let (mark, text) = rest.split_once(']')?;
        let done = match mark {
            " " | "" => false,
            "x" | "X" => true,
            _ => return None,
        };
        let (owner, text) = text.split_once(':').unwrap_or(("", text));
        Some(ListedItem { line, done, owner: owner.trim(), text: text.trim() })
    };
    scratchpad.lines().enumerate().filter_map(item).collect()
}

pub(super) fn with_ticks(scratchpad: &str, lines: &[usize]) -> String {
    let tick = |(number, line): (usize, &str)| {
        if lines.contains(&number) {
            line.replacen("[ ]", "[x]", 1).replacen("[]", "[x]", 1)
        } else {
            line.to_owned()
        }
    };
    scratchpad.lines().enumerate().map(tick).collect::<Vec<_>>().join("\n")
}

/// Appends `block` to `text`: to its last list if both are lists, else as a new paragraph.
pub(super) fn joined(text: &str, block: &str) -> String {
    let text = text.trim_end();
    let in_list = text.lines().last().is_some_and(|line| line.starts_with("- [")) && block.starts_with("- [");
    match (text.is_empty(), in_list) {
        (true, _) => block.to_owned(),
        (false, true) => format!("{text}\n{block}"),
        (false, false) => format!("{text}\n\n{block}"),
    }
}

#[cfg(test)]
mod tests;
