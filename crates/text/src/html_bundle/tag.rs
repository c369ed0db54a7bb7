//! Lossless HTML tokeniser: tags with attributes, comments and raw-text elements, in one pass.
//!
//! Its tokens in order are exactly the input.

use std::ops::Range;

/// Elements whose content is text up to their end tag.
const TEXT_ONLY: [&str; 8] = ["script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes"];

pub(super) enum HtmlToken<'t> {
    /// Text, comments, end tags.
    Text(&'t str),
    /// A start tag; of an element that holds text only, with that text and its end tag.
    Tag {
        tag: StartTag<'t>,
        /// The text; empty for other elements.
        body: &'t str,
        /// The end tag; empty for other elements, and where there is none.
        end: &'t str,
    },
}

pub(super) struct StartTag<'t> {
    pub(super) text: &'t str,
    /// Its name, in small letters.
    pub(super) name: String,
    attributes: Vec<TagAttribute>,
}

struct TagAttribute {
    /// In small letters.
    name: String,
    /// From its name to the end of its value, in the text of the tag.
    whole: Range<usize>,
    value: Range<usize>,
}

impl StartTag<'_> {
    pub(super) fn has(&self, name: &str) -> bool {
        self.attributes.iter().any(|attribute| attribute.name == name)
    }

    /// The value of its first attribute of this name.
    pub(super) fn value(&self, name: &str) -> Option<String> {
        let attribute = self.attributes.iter().find(|attribute| attribute.name == name)?;
        let value = self.text.get(attribute.value.clone()).unwrap_or_default();
        Some(value.replace("&quot;", "\"").replace("&#39;", "'").replace("&amp;", "&"))
    }

    /// Its text without these attributes.
    pub(super) fn without(&self, names: &[&str]) -> String {
        let mut text = String::with_capacity(self.text.len());
        let mut from = 0;
        for attribute in self.attributes.iter().filter(|attribute| names.contains(&attribute.name.as_str())) {
            text.push_str(self.text.get(from..attribute.whole.start).unwrap_or_default().trim_end());
            from = attribute.whole.end;
        }
        text.push_str(self.text.get(from..).unwrap_or_default());
        text
    }
}

/// The pieces of a page, in order.
pub(super) struct HtmlTokenizer<'t> {
    text: &'t str,
    lower: String,
    at: usize,
}

impl<'t> HtmlTokenizer<'t> {
    pub(super) fn of(text: &'t str) -> Self {
        Self { text, lower: text.to_ascii_lowercase(), at: 0 }
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.text.as_bytes().get(at).copied()
    }

    fn take(&mut self, to: usize) -> &'t str {
        let taken = self.text.get(self.at..to).unwrap_or_default();
        self.at = to;
        taken
    }

    fn next_of(&self, from: usize, what: &str) -> Option<usize> {
        self.lower.get(from..)?.find(what).map(|at| from + at)
    }

    /// The end of what begins at `from` and is no start tag: a comment, an end tag, a declaration, or one sign.
    fn other_end(&self, from: usize) -> usize {
        let whole = self.text.len();
        if self.lower.get(from..).is_some_and(|rest| rest.starts_with("<!--")) {
            // The two signs before the end may be those of the beginning.
            return self.next_of(from + 2, "-->").map_or(whole, |at| at + 3);
        }
        match self.byte(from + 1) {
            Some(b'!' | b'?' | b'/') => self.next_of(from, ">").map_or(whole, |at| at + 1),
            Some(_) | None => from + 1,
        }
    }

    /// Where the start tag at `from` ends, and what it has; `None` where the text ends in it.
    fn tag(&self, from: usize) -> Option<(usize, String, Vec<TagAttribute>)> {
        let is_blank = |byte: u8| byte.is_ascii_whitespace();
        let mut at = from + 1;
        while self.byte(at).is_some_and(|byte| !is_blank(byte) && byte != b'/' && byte != b'>') {
            at += 1;
        }
        let name = self.lower.get(from + 1..at)?.to_owned();
        let mut attributes = Vec::new();
        loop {
            while self.byte(at).is_some_and(|byte| is_blank(byte) || byte == b'/') {
                at += 1;
            }
            let start = at;
            if self.byte(at)? == b'>' {
                return Some((at + 1, name, attributes));
            }
            // An equals sign in the first place belongs to the name.
            at += 1;
            while self.byte(at).is_some_and(|byte| !is_blank(byte) && !matches!(byte, b'/' | b'>' | b'=')) {
                at += 1;
            }
            let attribute = self.lower.get(start..at)?.to_owned();
            let mut behind = at;
            while self.byte(behind).is_some_and(is_blank) {
                behind += 1;
            }
            let mut value = at..at;
            if self.byte(behind) == Some(b'=') {
                at = behind + 1;
                while self.byte(at).is_some_and(is_blank) {
                    at += 1;
                }
                match self.byte(at)? {
                    quote @ (b'"' | b'\'') => {
                        let begin = at + 1;
                        at = begin;
                        while self.byte(at)? != quote {
                            at += 1;
                        }
                        value = begin..at;
                        at += 1;
                    }
                    _ => {
                        let begin = at;
                        while self.byte(at).is_some_and(|byte| !is_blank(byte) && byte != b'>') {
                            at += 1;
                        }
                        value = begin..at;
                    }
                }
            }
            let within = |range: Range<usize>| range.start - from..range.end - from;
            attributes.push(TagAttribute { name: attribute, whole: within(start..at), value: within(value) });
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
        let Some(open) = self.next_of(self.at, "<") else { return Some(HtmlToken::Text(self.take(whole))) };
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
