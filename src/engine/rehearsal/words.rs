//! Never decides what an agent does.
//!
//! Owns the handling of the operator's words: cleaning, shortening, finding, and escaping them for each language
//! that they are written into.

/// One line of `text`: white space collapsed, control and direction marks dropped, at most `most` characters.
pub(super) fn clean(text: &str, most: usize) -> String {
    let mut line = String::new();
    for word in text.split_whitespace() {
        let word: String = word.chars().filter(|c| !is_unsafe(*c)).collect();
        if word.is_empty() {
            continue;
        }
        let used = line.chars().count();
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

/// `text` with its first letter in upper case.
pub(super) fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// The words of `text` in lower case, without punctuation. Apostrophes and inner hyphens stay.
pub(super) fn words(text: &str) -> Vec<String> {
    text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '\'' | '’' | '-' | '#' | '+')))
        .map(|word| word.trim_matches(['\'', '’', '-']).to_lowercase())
        .filter(|word| !word.is_empty())
        .collect()
}

/// Whether `text` holds one of `wanted`, as whole words; plural forms count, and a wanted text may be a phrase.
pub(super) fn mentions(text: &str, wanted: &[&str]) -> bool {
    position(text, wanted).is_some()
}

/// The number of words before the first of `wanted` in `text`.
pub(super) fn position(text: &str, wanted: &[&str]) -> Option<usize> {
    let have = words(text);
    wanted
        .iter()
        .filter_map(|phrase| {
            let phrase = words(phrase);
            if phrase.is_empty() {
                return None;
            }
            have.windows(phrase.len()).position(|run| run.iter().zip(&phrase).all(|(a, b)| same(a, b)))
        })
        .min()
}

fn same(have: &str, wanted: &str) -> bool {
    have == wanted
        || have.strip_suffix('s').is_some_and(|singular| singular == wanted)
        || have.strip_suffix("es").is_some_and(|singular| singular == wanted)
        || have.strip_suffix("ies").is_some_and(|stem| wanted.strip_suffix('y') == Some(stem))
}

/// `text` without the words of `fillers` at its front.
pub(super) fn strip_front<'a>(text: &'a str, fillers: &[&str]) -> &'a str {
    let mut rest = text.trim_start();
    loop {
        let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        let (first, after) = rest.split_at(end);
        let bare = first.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        if first.is_empty() || !(bare.is_empty() || fillers.contains(&bare.as_str())) {
            return rest;
        }
        rest = after.trim_start();
    }
}

/// What stands before and after the first place where one of `marks` is found, letter case aside (ASCII only).
pub(super) fn split_at_any<'a>(text: &'a str, marks: &[&str]) -> Option<(&'a str, &'a str)> {
    let lower = text.to_ascii_lowercase();
    let (at, len) = marks
        .iter()
        .filter_map(|mark| lower.find(mark).map(|at| (at, mark.len())))
        .min_by_key(|(at, _)| *at)?;
    Some((text.get(..at)?, text.get(at + len..)?))
}

/// A file name's stem out of `text`: ASCII letters and digits joined by hyphens, or `otherwise`.
pub(super) fn slug(text: &str, otherwise: &str) -> String {
    let mut slug = String::new();
    let small = ["a", "an", "the", "of", "for", "to", "and", "with", "in", "on", "my", "our"];
    let words = text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    for word in words.filter(|word| !small.contains(&word.to_ascii_lowercase().as_str())).take(4) {
        if slug.len() + word.len() > 32 {
            break;
        }
        if !slug.is_empty() {
            slug.push('-');
        }
        slug.push_str(&word.to_ascii_lowercase());
    }
    if slug.is_empty() { otherwise.to_owned() } else { slug }
}

/// `text` as HTML text or a quoted attribute value.
pub(super) fn html(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            _ => out.push(c),
        }
    }
    out
}

/// `text` as a string literal of JavaScript, Python or JSON, safe inside a script element too.
pub(super) fn literal(text: &str) -> String {
    serde_json::Value::from(text)
        .to_string()
        .replace('<', "\\u003c")
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029")
}

/// `text` as a piece of a Markdown line: what would begin markup is escaped.
pub(super) fn markdown(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '#' | '|') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// `template` with every `{{key}}` replaced by its value, in one pass, so that values are never read as template.
pub(super) fn fill(template: &str, values: &[(&str, &str)]) -> String {
    let mut out = String::with_capacity(template.len());
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("{{") {
        out.push_str(before);
        let known = after
            .split_once("}}")
            .and_then(|(key, tail)| values.iter().find(|(name, _)| *name == key).map(|(_, v)| (*v, tail)));
        if let Some((value, tail)) = known {
            out.push_str(value);
            rest = tail;
        } else {
            out.push_str("{{");
            rest = after;
        }
    }
    out.push_str(rest);
    out
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
