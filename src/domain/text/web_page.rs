//! Never decides what a page may do: the document that it runs in does. Never reads anything but the files it is given.
//!
//! Owns making one text of a page of several files: scripts, stylesheets and pictures that it names by relative addresses
//! are written into it, so that it runs where nothing can be loaded. What it does not name stays byte for byte. Hints to
//! connect to other hosts, and turning to another page by itself, are taken out.

mod address;
mod sheet;
mod tag;

pub use address::named_file;

use crate::domain::text::web_page::sheet::with_files;
use crate::domain::text::web_page::tag::{Piece, Tag, Tags};

/// What a picture is given as; the rest of the address is the picture.
const PICTURE: &str = "data:image/svg+xml,";

/// A page as one text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WebPage {
    /// The text.
    pub html: String,
    /// The addresses that look like files of the session, and name none. In the order of the page, each once.
    pub missing: Vec<String>,
}

/// Makes one text of the file `name` and what it names. `file` gives the text of a file of the session.
pub fn web_page<'f>(name: &str, file: &impl Fn(&str) -> Option<&'f str>) -> Option<WebPage> {
    let text = file(name)?;
    let mut making = Making { name, file, page: WebPage::default(), last: String::new() };
    for piece in Tags::of(text) {
        match piece {
            Piece::Text(text) => making.page.html.push_str(text),
            Piece::Tag { tag, body, end } => making.tag(&tag, body, end),
        }
    }
    making.page.html.push_str(&making.last);
    Some(making.page)
}

/// A text as a picture's address.
pub fn picture(svg: &str) -> String {
    let mut address = PICTURE.to_owned();
    for byte in svg.bytes() {
        match byte {
            b'a'..=b'z'
            | b'A'..=b'Z'
            | b'0'..=b'9'
            | b'-'
            | b'_'
            | b'.'
            | b'~'
            | b'/'
            | b':'
            | b'='
            | b' ' => {
                address.push(char::from(byte));
            }
            _ => address.push_str(&format!("%{byte:02X}")),
        }
    }
    address
}

struct Making<'p, F> {
    /// The file that the page is.
    name: &'p str,
    file: &'p F,
    page: WebPage,
    /// Scripts that run when the whole page has been read.
    last: String,
}

impl<'f, F: Fn(&str) -> Option<&'f str>> Making<'_, F> {
    fn tag(&mut self, tag: &Tag<'_>, body: &str, end: &str) {
        match tag.name.as_str() {
            "script" => self.script(tag, body, end),
            "style" => {
                let body = self.sheet(self.name, body);
                self.page.html.push_str(tag.text);
                self.page.html.push_str(&body);
                self.page.html.push_str(end);
            }
            "link" => self.link(tag),
            "meta"
                if tag
                    .value("http-equiv")
                    .is_some_and(|kind| kind.trim().eq_ignore_ascii_case("refresh")) => {}
            "img" | "source" | "input" => self.with_pictures(tag, "src", body, end),
            "image" | "use" => self.with_pictures(tag, "href", body, end),
            "video" => self.with_pictures(tag, "poster", body, end),
            _ => {
                for text in [tag.text, body, end] {
                    self.page.html.push_str(text);
                }
            }
        }
    }

    fn script(&mut self, tag: &Tag<'_>, body: &str, end: &str) {
        let found = tag.value("src").and_then(|address| self.named(self.name, &address));
        let Some((name, text)) = found else {
            for text in [tag.text, body, end] {
                self.page.html.push_str(text);
            }
            return;
        };
        let is_module = tag.value("type").is_some_and(|kind| kind.trim().eq_ignore_ascii_case("module"));
        let waits = tag.has("defer") || tag.has("async");
        let script = format!(
            "{}{}\n//# sourceURL={}\n</script>",
            tag.without(&["src", "defer", "async", "integrity", "crossorigin"]),
            harmless(text, "script"),
            one_word(&name)
        );
        // What stands in the page cannot wait by itself, but for modules.
        if waits && !is_module { self.last.push_str(&script) } else { self.page.html.push_str(&script) }
    }

    fn link(&mut self, tag: &Tag<'_>) {
        let kinds = tag.value("rel").unwrap_or_default().to_ascii_lowercase();
        let is = |kind: &str| kinds.split_ascii_whitespace().any(|word| word == kind);
        let hints = ["preconnect", "dns-prefetch", "prefetch", "preload", "modulepreload", "prerender"];
        if hints.into_iter().any(is) {
            return;
        }
        if !is("stylesheet") {
            return self.with_pictures(tag, "href", "", "");
        }
        let found = tag.value("href").and_then(|address| self.named(self.name, &address));
        match found {
            Some((name, text)) => {
                let media =
                    tag.value("media").map(|media| format!(" media=\"{}\"", media.replace('"', "&quot;")));
                let text = self.sheet(&name, text);
                let text = harmless(&text, "style");
                self.page.html.push_str(&format!("<style{}>{text}</style>", media.unwrap_or_default()));
            }
            None => self.page.html.push_str(tag.text),
        }
    }

    fn with_pictures(&mut self, tag: &Tag<'_>, attribute: &str, body: &str, end: &str) {
        let found = tag.value(attribute).and_then(|address| self.named(self.name, &address));
        match found.filter(|(name, _)| is_picture(name)) {
            Some((_, text)) => {
                self.page.html.push_str(&tag.without(&[attribute]));
                // Behind the other attributes, before what closes the tag.
                let closes = if self.page.html.ends_with("/>") { "/>" } else { ">" };
                let cut = self.page.html.len().saturating_sub(closes.len());
                self.page.html.truncate(cut);
                self.page.html.push_str(&format!(" {attribute}=\"{}\"{closes}", picture(text)));
            }
            None => self.page.html.push_str(tag.text),
        }
        self.page.html.push_str(body);
        self.page.html.push_str(end);
    }

    /// A stylesheet with the sheets and pictures that it names.
    fn sheet(&mut self, name: &str, text: &str) -> String {
        let mut missing = Vec::new();
        let text = with_files(name, text, self.file, &mut missing);
        missing.into_iter().for_each(|address| self.misses(address));
        text
    }

    /// The file that an address in `from` names, with its text.
    fn named(&mut self, from: &str, address: &str) -> Option<(String, &'f str)> {
        let name = named_file(from, address)?;
        let text = (self.file)(&name);
        if text.is_none() {
            self.misses(name.clone());
        }
        text.map(|text| (name, text))
    }

    fn misses(&mut self, name: String) {
        if !self.page.missing.contains(&name) {
            self.page.missing.push(name);
        }
    }
}

/// Whether a file's text is a picture.
fn is_picture(name: &str) -> bool {
    name.to_ascii_lowercase().ends_with(".svg")
}

/// A text that does not end the element it is put into.
fn harmless(text: &str, element: &str) -> String {
    let lower = text.to_ascii_lowercase();
    let mut harmless = String::with_capacity(text.len());
    let mut from = 0;
    let ending = format!("</{element}");
    let mut places: Vec<usize> = lower.match_indices(&ending).map(|(at, _)| at + 1).collect();
    // In a script this would hide the end of the element.
    places.extend(lower.match_indices("<!--").map(|(at, _)| at + 1).filter(|_| element == "script"));
    places.sort_unstable();
    for place in places {
        harmless.push_str(text.get(from..place).unwrap_or_default());
        harmless.push('\\');
        from = place;
    }
    harmless.push_str(text.get(from..).unwrap_or_default());
    harmless
}

/// A name that can stand in a comment of one line.
fn one_word(name: &str) -> String {
    name.chars().map(|sign| if sign.is_whitespace() || sign == '<' { '_' } else { sign }).collect()
}

#[cfg(test)]
#[path = "web_page_tests.rs"]
mod tests;
