//! Never judges meaning.
//!
//! Owns the counting of tags and brackets: what opens must close.

/// The first line, from 1, at which something that opened is not closed, or closes without having opened.
pub(in crate::engine::rehearsal) fn problem(name: &str, text: &str) -> Option<(usize, String)> {
    match name.rsplit_once('.').map(|(_, ending)| ending) {
        Some("html" | "svg") => tags(text),
        Some("css" | "js" | "json") => brackets(text),
        Some(_) | None => None,
    }
}

/// Elements that have no end tag.
const VOID: [&str; 13] =
    ["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"];
/// Elements whose end tag may be left out.
const LOOSE: [&str; 8] = ["p", "li", "td", "th", "tr", "dt", "dd", "option"];

fn tags(text: &str) -> Option<(usize, String)> {
    let mut open: Vec<(String, usize)> = Vec::new();
    let mut rest = text;
    let mut line = 1;
    while let Some((before, after)) = rest.split_once('<') {
        line += lines(before);
        let (skipped, tail) = if let Some(comment) = after.strip_prefix("!--") {
            comment.split_once("-->").unwrap_or((comment, ""))
        } else {
            after.split_once('>').unwrap_or((after, ""))
        };
        let is_tag = after.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/');
        rest = if is_tag || after.starts_with('!') { tail } else { after };
        if is_tag {
            let closes = skipped.starts_with('/');
            let name = skipped.trim_start_matches('/');
            let name =
                name.split(|c: char| c.is_whitespace() || c == '/').next().unwrap_or_default().to_lowercase();
            if closes {
                while open.last().is_some_and(|(last, _)| *last != name && LOOSE.contains(&last.as_str())) {
                    open.pop();
                }
                match open.pop() {
                    Some((last, _)) if last == name => {}
                    Some((last, at)) => {
                        return Some((at, format!("opens <{last}> and does not close it before </{name}>")));
                    }
                    None => return Some((line, format!("closes </{name}> that is not open"))),
                }
            } else if !(VOID.contains(&name.as_str()) || skipped.ends_with('/')) {
                if matches!(name.as_str(), "script" | "style" | "textarea" | "title") {
                    let end = format!("</{name}");
                    let Some((inside, after)) = rest.split_once(&end) else {
                        return Some((line, format!("opens <{name}> and does not close it")));
                    };
                    line += lines(inside);
                    rest = after.split_once('>').map_or("", |(_, tail)| tail);
                } else {
                    open.push((name, line));
                }
            }
        }
        if is_tag || after.starts_with('!') {
            line += lines(skipped);
        }
    }
    let (name, at) = open.into_iter().find(|(name, _)| !LOOSE.contains(&name.as_str()))?;
    Some((at, format!("opens <{name}> and does not close it")))
}

fn lines(text: &str) -> usize {
    text.matches('\n').count()
}

fn brackets(text: &str) -> Option<(usize, String)> {
    let mut open: Vec<(char, usize)> = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let mut quote = None;
        let mut escaped = false;
        let mut previous = ' ';
        for c in line.chars() {
            match quote {
                Some(_) if escaped => escaped = false,
                Some(_) if c == '\\' => escaped = true,
                Some(mark) if c == mark => quote = None,
                Some(_) => {}
                None if c == '/' && previous == '/' => break,
                None if matches!(c, '"' | '\'' | '`') => quote = Some(c),
                None if matches!(c, '(' | '[' | '{') => open.push((c, number + 1)),
                None if matches!(c, ')' | ']' | '}') => match open.pop() {
                    Some(('(', _)) if c == ')' => {}
                    Some(('[', _)) if c == ']' => {}
                    Some(('{', _)) if c == '}' => {}
                    Some((other, at)) => {
                        return Some((at, format!("opens {other} which {c} on line {} closes", number + 1)));
                    }
                    None => return Some((number + 1, format!("closes {c} that is not open"))),
                },
                None => {}
            }
            previous = c;
        }
    }
    open.pop().map(|(c, at)| (at, format!("opens {c} and does not close it")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_opens_must_close() {
        assert_eq!(problem("a.html", "<!doctype html>\n<p>a<br>\n<ul><li>b</ul>\n"), None);
        assert_eq!(problem("a.html", "<script>if (a < b) { '<p>' }</script>"), None);
        assert_eq!(problem("a.html", "<main>\n<div>\n</main>").map(|(line, _)| line), Some(2));
        assert_eq!(problem("a.html", "<b>\n</i>").map(|(line, _)| line), Some(1));
        assert_eq!(problem("a.js", "f(\"(\", [1]); // )\n"), None);
        assert_eq!(problem("a.js", "f(\n{\n").map(|(line, _)| line), Some(2));
        assert_eq!(problem("a.css", "a { b: c; }\n}").map(|(line, _)| line), Some(2));
        assert_eq!(problem("a.txt", "((("), None);
    }
}
