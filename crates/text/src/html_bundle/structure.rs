//! Finds structural mistakes in HTML, SVG and CSS: elements and blocks that are not closed, ids used twice.
//!
//! Browsers accept such files silently. A file without problems need not be valid.

use crate::html_bundle::structure::tag::{HtmlToken, HtmlTokenizer};
use crate::small_sort::SmallSort as _;

/// Elements without content.
const VOID: [&str; 14] = [
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track",
    "wbr",
];
const OPEN_ENDED: [&str; 19] = [
    "html", "head", "body", "p", "li", "dt", "dd", "option", "optgroup", "thead", "tbody", "tfoot", "tr",
    "td", "th", "colgroup", "caption", "rt", "rp",
];
/// Maximum number of problems reported for one file.
const MOST: usize = 20;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StructureProblem {
    /// From 1.
    pub line: usize,
    pub message: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InlineScript<'t> {
    pub text: &'t str,
    /// Its first line, from 1.
    pub line: usize,
    pub is_module: bool,
}

/// The inline scripts of a page, without data.
pub fn inline_scripts(page: &str) -> Vec<InlineScript<'_>> {
    let mut found = Vec::new();
    let mut line = 1;
    for token in HtmlTokenizer::of(page) {
        match token {
            HtmlToken::Text(text) => line += newlines(text),
            HtmlToken::Tag { tag, body, end } => {
                line += newlines(tag.text);
                let kind = tag.value("type").unwrap_or_default().trim().to_ascii_lowercase();
                let runs = super::is_script(&kind) && !tag.has("src");
                if tag.name == "script" && runs && !body.trim().is_empty() {
                    found.push(InlineScript { text: body, line, is_module: kind == "module" });
                }
                line += newlines(body) + newlines(end);
            }
        }
    }
    found
}

/// The problems of a page or, if `is_xml`, of an image.
pub fn markup_problems(text: &str, is_xml: bool) -> Vec<StructureProblem> {
    let mut reader = MarkupReader { is_xml, line: 1, open: Vec::new(), ids: Vec::new(), found: Vec::new() };
    for token in HtmlTokenizer::of(text) {
        match token {
            HtmlToken::Text(piece) => {
                reader.text(piece);
                reader.line += newlines(piece);
            }
            HtmlToken::Tag { tag, body, end } => {
                if let Some(id) = tag.value("id").filter(|id| !id.is_empty()) {
                    reader.id(id);
                }
                let holds_text = !body.is_empty() || !end.is_empty();
                if holds_text && tag.name == "style" {
                    let line = reader.line + newlines(tag.text) - 1;
                    reader.found.extend(css_problems(body).into_iter().map(|problem| StructureProblem {
                        line: problem.line + line,
                        message: problem.message,
                    }));
                }
                if holds_text && end.is_empty() {
                    reader.report(reader.line, format!("<{}> is not closed", tag.name));
                } else if !holds_text {
                    reader.opened(&tag.name, tag.text.ends_with("/>"));
                }
                reader.line += newlines(tag.text) + newlines(body) + newlines(end);
            }
        }
    }
    while let Some((name, line)) = reader.open.pop() {
        if !reader.may_stay_open(&name) {
            reader.report(line, format!("<{name}> is not closed"));
        }
    }
    reader.found.small_sort_by_key(|problem| problem.line);
    reader.found.truncate(MOST);
    reader.found
}

struct MarkupReader {
    is_xml: bool,
    line: usize,
    open: Vec<(String, usize)>,
    ids: Vec<(String, usize)>,
    found: Vec<StructureProblem>,
}

impl MarkupReader {
    fn report(&mut self, line: usize, message: String) {
        self.found.push(StructureProblem { line, message });
    }

    fn may_stay_open(&self, name: &str) -> bool {
        !self.is_xml && OPEN_ENDED.contains(&name)
    }

    fn id(&mut self, id: String) {
        match self.ids.iter().find(|(own, _)| *own == id) {
            Some((_, first)) => {
                let message = format!("the id {id} is already used on line {first}");
                self.report(self.line, message);
            }
            None => self.ids.push((id, self.line)),
        }
    }

    fn text(&mut self, piece: &str) {
        if piece.starts_with("<!--") && !piece.ends_with("-->") {
            self.report(self.line, "a comment is not closed".to_owned());
        }
        if let Some(rest) = piece.strip_prefix("</") {
            let name = rest.trim_end_matches('>').trim().to_ascii_lowercase();
            self.closed(&name);
        } else if piece.starts_with('<') && piece.len() > 1 && !piece.ends_with('>') {
            self.report(self.line, "a tag is not closed".to_owned());
        }
    }

    fn opened(&mut self, name: &str, closes_itself: bool) {
        let is_foreign =
            self.is_xml || name == "svg" || self.open.iter().any(|(own, _)| own == "svg" || own == "math");
        if !(VOID.contains(&name) && !self.is_xml || closes_itself && is_foreign) {
            self.open.push((name.to_owned(), self.line));
        }
    }

    fn closed(&mut self, name: &str) {
        if !self.open.iter().any(|(own, _)| own == name) {
            // `</p>` and `</br>` make an element by themselves, which is never intended either.
            return self.report(self.line, format!("</{name}> closes nothing"));
        }
        while let Some((own, line)) = self.open.pop() {
            if own == name {
                return;
            }
            if !self.may_stay_open(&own) {
                self.report(line, format!("<{own}> is not closed before </{name}> on line {}", self.line));
            }
        }
    }
}

/// The problems of a style sheet: comments, strings and blocks without an end, and ends of blocks without a beginning.
pub fn css_problems(sheet: &str) -> Vec<StructureProblem> {
    let mut found = Vec::new();
    let mut say = |line, message: &str| found.push(StructureProblem { line, message: message.to_owned() });
    let mut line = 1;
    let mut open: Vec<usize> = Vec::new();
    let mut signs = sheet.chars().peekable();
    while let Some(sign) = signs.next() {
        match sign {
            '\n' => line += 1,
            '\\' => drop(signs.next()),
            '/' if signs.peek() == Some(&'*') => {
                let (begin, mut last) = (line, ' ');
                signs.next();
                loop {
                    let Some(sign) = signs.next() else { break say(begin, "a comment is not closed") };
                    line += usize::from(sign == '\n');
                    if last == '*' && sign == '/' {
                        break;
                    }
                    last = sign;
                }
            }
            '"' | '\'' => loop {
                match signs.next() {
                    Some('\\') => line += usize::from(signs.next() == Some('\n')),
                    Some('\n') => {
                        say(line, "a text in quotes is not closed on its line");
                        break line += 1;
                    }
                    Some(inner) if inner == sign => break,
                    Some(_) => {}
                    None => break say(line, "a text in quotes is not closed"),
                }
            },
            '{' => open.push(line),
            '}' if open.pop().is_none() => say(line, "} closes nothing"),
            _ => {}
        }
    }
    for line in open {
        say(line, "a block { is not closed");
    }
    found.small_sort_by_key(|problem| problem.line);
    found.truncate(MOST);
    found
}

fn newlines(text: &str) -> usize {
    text.matches('\n').count()
}

/// Lossless HTML tokeniser: tags with attributes, comments and raw-text elements, in one pass.
///
/// Its tokens in order are exactly the input.
pub(super) mod tag {
    use std::ops::Range;

    /// Elements whose content is text up to their end tag.
    const TEXT_ONLY: [&str; 8] =
        ["script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes"];

    pub(in super::super) enum HtmlToken<'t> {
        Text(&'t str),
        /// A start tag; for an element that holds only text, with that text and its end tag.
        Tag {
            tag: StartTag<'t>,
            /// The text; empty for other elements.
            body: &'t str,
            /// The end tag; empty for other elements, and if it is missing.
            end: &'t str,
        },
    }

    pub(in super::super) struct StartTag<'t> {
        pub(in super::super) text: &'t str,
        /// Its name, in lower case.
        pub(in super::super) name: String,
        attributes: Vec<TagAttribute>,
    }

    struct TagAttribute {
        /// In lower case.
        name: String,
        /// From its name to the end of its value, as a range of the tag's text.
        whole: Range<usize>,
        value: Range<usize>,
    }

    impl StartTag<'_> {
        pub(in super::super) fn has(&self, name: &str) -> bool {
            self.attributes.iter().any(|attribute| attribute.name == name)
        }

        /// The value of its first attribute of this name.
        pub(in super::super) fn value(&self, name: &str) -> Option<String> {
            let attribute = self.attributes.iter().find(|attribute| attribute.name == name)?;
            let value = self.text.get(attribute.value.clone()).unwrap_or_default();
            Some(value.replace("&quot;", "\"").replace("&#39;", "'").replace("&amp;", "&"))
        }

        /// The tag's text without these attributes.
        pub(in super::super) fn without(&self, names: &[&str]) -> String {
            let mut text = String::with_capacity(self.text.len());
            let mut from = 0;
            for attribute in
                self.attributes.iter().filter(|attribute| names.contains(&attribute.name.as_str()))
            {
                text.push_str(self.text.get(from..attribute.whole.start).unwrap_or_default().trim_end());
                from = attribute.whole.end;
            }
            text.push_str(self.text.get(from..).unwrap_or_default());
            text
        }
    }

    /// The tokens of a page, in order.
    pub(in super::super) struct HtmlTokenizer<'t> {
        text: &'t str,
        lower: String,
        at: usize,
    }

    impl<'t> HtmlTokenizer<'t> {
        pub(in super::super) fn of(text: &'t str) -> Self {
            Self { text, lower: text.to_ascii_lowercase(), at: 0 }
        }

        fn byte(&self, at: usize) -> Option<u8> {
            self.text.as_bytes().get(at).copied()
        }

        /// Where bytes like these end.
        fn past(&self, from: usize, is_like: impl Fn(u8) -> bool) -> usize {
            let rest = self.text.as_bytes().get(from..).unwrap_or_default();
            from + rest.iter().take_while(|byte| is_like(**byte)).count()
        }

        fn take(&mut self, to: usize) -> &'t str {
            let taken = self.text.get(self.at..to).unwrap_or_default();
            self.at = to;
            taken
        }

        fn next_of(&self, from: usize, what: &str) -> Option<usize> {
            self.lower.get(from..)?.find(what).map(|at| from + at)
        }

        /// The end of a token at `from` that is no start tag: a comment, an end tag, a declaration, or one character.
        fn other_end(&self, from: usize) -> usize {
            let whole = self.text.len();
            if self.lower.get(from..).is_some_and(|rest| rest.starts_with("<!--")) {
                // The two characters before the end may be those of the beginning.
                return self.next_of(from + 2, "-->").map_or(whole, |at| at + 3);
            }
            match self.byte(from + 1) {
                Some(b'!' | b'?' | b'/') => self.next_of(from, ">").map_or(whole, |at| at + 1),
                Some(_) | None => from + 1,
            }
        }

        /// The end of the start tag at `from`, its name and attributes; `None` if the text ends in it.
        fn tag(&self, from: usize) -> Option<(usize, String, Vec<TagAttribute>)> {
            let is_blank = |byte: u8| byte.is_ascii_whitespace();
            let mut at = self.past(from + 1, |byte| !is_blank(byte) && byte != b'/' && byte != b'>');
            let name = self.lower.get(from + 1..at)?.to_owned();
            let mut attributes = Vec::new();
            loop {
                let start = self.past(at, |byte| is_blank(byte) || byte == b'/');
                at = start;
                if self.byte(at)? == b'>' {
                    return Some((at + 1, name, attributes));
                }
                // A leading equals sign belongs to the name.
                at = self.past(at + 1, |byte| !is_blank(byte) && !matches!(byte, b'/' | b'>' | b'='));
                let attribute = self.lower.get(start..at)?.to_owned();
                let behind = self.past(at, is_blank);
                let mut value = at..at;
                if self.byte(behind) == Some(b'=') {
                    let begin = self.past(behind + 1, is_blank);
                    match self.byte(begin)? {
                        quote @ (b'"' | b'\'') => {
                            value = begin + 1..self.past(begin + 1, |byte| byte != quote);
                            self.byte(value.end)?;
                            at = value.end + 1;
                        }
                        _ => {
                            at = self.past(begin, |byte| !is_blank(byte) && byte != b'>');
                            value = begin..at;
                        }
                    }
                }
                let within = |range: Range<usize>| range.start - from..range.end - from;
                attributes.push(TagAttribute {
                    name: attribute,
                    whole: within(start..at),
                    value: within(value),
                });
            }
        }
    }

    impl<'t> Iterator for HtmlTokenizer<'t> {
        type Item = HtmlToken<'t>;

        fn next(&mut self) -> Option<HtmlToken<'t>> {
            let whole = self.text.len();
            if self.at >= whole {
                return None;
            }
            let Some(open) = self.next_of(self.at, "<") else {
                return Some(HtmlToken::Text(self.take(whole)));
            };
            if open > self.at {
                return Some(HtmlToken::Text(self.take(open)));
            }
            if !self.byte(open + 1).is_some_and(|byte| byte.is_ascii_alphabetic()) {
                let end = self.other_end(open);
                return Some(HtmlToken::Text(self.take(end)));
            }
            let Some((end, name, attributes)) = self.tag(open) else {
                return Some(HtmlToken::Text(self.take(whole)));
            };
            let text = self.take(end);
            let (mut body, mut close) = ("", "");
            if TEXT_ONLY.contains(&name.as_str()) {
                let end = self.next_of(self.at, &format!("</{name}")).unwrap_or(whole);
                body = self.take(end);
                let end = self.next_of(self.at, ">").map_or(whole, |at| at + 1);
                close = self.take(end);
            }
            Some(HtmlToken::Tag { tag: StartTag { text, name, attributes }, body, end: close })
        }
    }
}

#[cfg(test)]
mod tests;
