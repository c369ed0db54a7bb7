//! Bundles an HTML file and the files that it references into one self-contained document.
//!
//! Scripts, style sheets with their imports, and images with relative addresses are inlined, so that the page runs
//! without network. Connection hints and automatic redirects are removed; everything else stays byte for byte. The
//! embedding document enforces what the page may do.

mod module;
mod structure;

use std::borrow::Cow;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, PercentEncode, percent_decode_str, utf8_percent_encode};

use crate::html_bundle::structure::tag::{HtmlToken, HtmlTokenizer, StartTag};
use crate::small_sort::SmallSort as _;
use crate::vec_map::VecMap;

pub use crate::html_bundle::module::{ModuleSyntax, module_syntax};
pub use crate::html_bundle::structure::{
    InlineScript, StructureProblem, css_problems, inline_scripts, markup_problems,
};

/// The prefix of module names in the page's import map.
const MODULE: &str = "nexus:/";
/// Maximum size of all modules together, in bytes.
const MODULES_BYTES: usize = 4_000_000;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HtmlBundle {
    pub html: String,
    /// The addresses that look like files of the session but name none: in page order, each once.
    pub missing: Vec<String>,
}

/// Bundles the file `name` with the files that it names. `file` returns the text of a file of the session, `image` the
/// address that contains a binary image.
pub fn web_page<'f>(
    name: &str,
    file: &impl Fn(&str) -> Option<&'f str>,
    image: &dyn Fn(&str) -> Option<String>,
) -> Option<HtmlBundle> {
    let text = file(name)?;
    let mut making = HtmlBundler {
        name,
        file,
        image,
        page: HtmlBundle::default(),
        last: String::new(),
        modules: VecMap::new(),
        module_bytes: 0,
        first_script: None,
    };
    for piece in HtmlTokenizer::of(text) {
        match piece {
            HtmlToken::Text(text) => making.page.html.push_str(text),
            HtmlToken::Tag { tag, body, end } => making.tag(&tag, body, end),
        }
    }
    making.page.html.push_str(&making.last);
    making.name_modules();
    Some(making.page)
}

struct HtmlBundler<'p, F> {
    /// The name of the page's file.
    name: &'p str,
    file: &'p F,
    image: &'p dyn Fn(&str) -> Option<String>,
    page: HtmlBundle,
    /// Scripts that run after the whole page was read.
    last: String,
    /// The modules that scripts name, each as an address that contains it.
    modules: VecMap<String, String>,
    module_bytes: usize,
    /// The start of the first script: the import map must come before it.
    first_script: Option<usize>,
}

impl<'f, F: Fn(&str) -> Option<&'f str>> HtmlBundler<'_, F> {
    fn tag(&mut self, tag: &StartTag<'_>, body: &str, end: &str) {
        match tag.name.as_str() {
            "script" => self.script(tag, body, end),
            "style" => {
                let body = self.sheet(self.name, body);
                self.page.html.extend([tag.text, &body, end]);
            }
            "link" => self.link(tag),
            "meta"
                if tag
                    .value("http-equiv")
                    .is_some_and(|kind| kind.trim().eq_ignore_ascii_case("refresh")) => {}
            "img" | "source" | "input" => self.with_pictures(tag, "src", body, end),
            "image" | "use" => self.with_pictures(tag, "href", body, end),
            "video" => self.with_pictures(tag, "poster", body, end),
            _ => self.page.html.extend([tag.text, body, end]),
        }
    }

    fn script(&mut self, tag: &StartTag<'_>, body: &str, end: &str) {
        self.first_script.get_or_insert(self.page.html.len());
        let found = tag.value("src").and_then(|address| self.named(self.name, &address));
        let Some((name, text)) = found else {
            let is_data = tag.value("type").is_some_and(|kind| !is_script(&kind));
            let body = if is_data { body.to_owned() } else { self.with_modules(self.name, body) };
            return self.page.html.extend([tag.text, &body, end]);
        };
        let text = self.with_modules(&name, text);
        let is_module = tag.value("type").is_some_and(|kind| kind.trim().eq_ignore_ascii_case("module"));
        let waits = tag.has("defer") || tag.has("async");
        let script = format!(
            "{}{}\n//# sourceURL={}\n</script>",
            tag.without(&["src", "defer", "async", "integrity", "crossorigin"]),
            harmless(&text, "script"),
            one_word(&name)
        );
        // An inline script cannot be deferred, unless it is a module.
        if waits && !is_module { self.last.push_str(&script) } else { self.page.html.push_str(&script) }
    }

    /// A script with its imported files under their names in the import map. Other imports fail when the page runs,
    /// and are reported there.
    fn with_modules(&mut self, from: &str, script: &str) -> String {
        let mut text = String::with_capacity(script.len());
        let mut at = 0;
        for place in module_syntax(script).specifiers {
            let address = script.get(place.clone()).unwrap_or_default();
            // A bare name is no address of a module.
            let is_address = ["./", "../", "/"].iter().any(|way| address.starts_with(way));
            let named = if is_address { self.named(from, address) } else { None };
            let Some((name, _)) = named.filter(|(name, inner)| self.take_module(name, inner)) else {
                continue;
            };
            text.push_str(script.get(at..place.start).unwrap_or_default());
            text.push_str(&format!("{MODULE}{}", escape(&name)));
            at = place.end;
        }
        text.push_str(script.get(at..).unwrap_or_default());
        text
    }

    /// Adds a module and its imports to the map; `false` if they are too large.
    fn take_module(&mut self, name: &str, text: &str) -> bool {
        if self.modules.contains_key(name) {
            return true;
        }
        self.module_bytes = self.module_bytes.saturating_add(text.len());
        if self.module_bytes > MODULES_BYTES {
            return false;
        }
        // Imports may be circular: this module is known from here on.
        self.modules.insert(name.to_owned(), String::new());
        let is_json = name.to_ascii_lowercase().ends_with(".json");
        let address = if is_json {
            format!("data:application/json,{}", escape(text))
        } else {
            let text = self.with_modules(name, text);
            let text = format!("{text}\n//# sourceURL={}\n", one_word(name));
            format!("data:text/javascript,{}", escape(&text))
        };
        self.modules.insert(name.to_owned(), address);
        true
    }

    /// Inserts the import map before the first script, if there are modules.
    fn name_modules(&mut self) {
        let Some(at) = self.first_script.filter(|_| !self.modules.is_empty()) else { return };
        let mut map = "<script type=\"importmap\">{\"imports\":{".to_owned();
        for (number, (name, address)) in self.modules.iter().enumerate() {
            let comma = if number > 0 { "," } else { "" };
            map.push_str(&format!("{comma}\"{MODULE}{}\":\"{address}\"", escape(name)));
        }
        map.push_str("}}</script>");
        self.page.html.insert_str(at, &map);
    }

    fn link(&mut self, tag: &StartTag<'_>) {
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

    fn with_pictures(&mut self, tag: &StartTag<'_>, attribute: &str, body: &str, end: &str) {
        let image = tag.value(attribute).and_then(|address| self.shown(self.name, &address));
        match image {
            Some(image) => {
                self.page.html.push_str(&tag.without(&[attribute]));
                // After the other attributes, before the end of the tag.
                let closes = if self.page.html.ends_with("/>") { "/>" } else { ">" };
                let cut = self.page.html.len().saturating_sub(closes.len());
                self.page.html.truncate(cut);
                self.page.html.push_str(&format!(" {attribute}=\"{image}\"{closes}"));
            }
            None => self.page.html.push_str(tag.text),
        }
        self.page.html.extend([body, end]);
    }

    /// The image that an address in `from` names, as an address that contains it.
    fn shown(&mut self, from: &str, address: &str) -> Option<String> {
        let name = named_file(from, address)?;
        if let Some(text) = (self.file)(&name) {
            return is_picture(&name).then(|| picture(text));
        }
        let image = (self.image)(&name);
        if image.is_none() {
            self.note_missing(name);
        }
        image
    }

    /// A style sheet with the sheets and images that it names.
    fn sheet(&mut self, name: &str, text: &str) -> String {
        let mut sheet = String::with_capacity(text.len());
        self.add_sheet(name, text, DEEPEST, &mut sheet);
        sheet
    }

    fn add_sheet(&mut self, name: &str, text: &str, deeper: usize, sheet: &mut String) {
        let lower = text.to_ascii_lowercase();
        let mut at = 0;
        while let Some((begin, is_import)) = next(&lower, at) {
            sheet.push_str(text.get(at..begin).unwrap_or_default());
            at = begin + if is_import { "@import".len() } else { "url(".len() };
            let end = address(text, at, is_import).and_then(|(address, end)| {
                if is_import {
                    let found = self.named(name, &address);
                    let (inner, text) = found.filter(|_| deeper > 0 && sheet.len() < LARGEST)?;
                    self.add_sheet(&inner, text, deeper - 1, sheet);
                } else {
                    let image = self.shown(name, &address).filter(|_| sheet.len() < LARGEST)?;
                    sheet.push_str(&format!("url(\"{image}\")"));
                }
                Some(end)
            });
            match end {
                Some(end) => at = end,
                None => sheet.push_str(text.get(begin..at).unwrap_or_default()),
            }
        }
        sheet.push_str(text.get(at..).unwrap_or_default());
    }

    /// The file that an address in `from` names, with its text.
    fn named(&mut self, from: &str, address: &str) -> Option<(String, &'f str)> {
        let name = named_file(from, address)?;
        let text = (self.file)(&name);
        if text.is_none() {
            self.note_missing(name.clone());
        }
        text.map(|text| (name, text))
    }

    fn note_missing(&mut self, name: String) {
        if !self.page.missing.contains(&name) {
            self.page.missing.push(name);
        }
    }
}

/// True if the content of a `script` of this type is a script, and not data.
fn is_script(kind: &str) -> bool {
    let kind = kind.trim().to_ascii_lowercase();
    kind.is_empty() || kind == "module" || kind.ends_with("javascript") || kind.ends_with("ecmascript")
}

fn harmless(text: &str, element: &str) -> String {
    let lower = text.to_ascii_lowercase();
    let mut harmless = String::with_capacity(text.len());
    let mut from = 0;
    let ending = format!("</{element}");
    let mut places: Vec<usize> = lower.match_indices(&ending).map(|(at, _)| at + 1).collect();
    // In a script this would hide the end of the element.
    places.extend(lower.match_indices("<!--").map(|(at, _)| at + 1).filter(|_| element == "script"));
    places.small_sort();
    for place in places {
        harmless.push_str(text.get(from..place).unwrap_or_default());
        harmless.push('\\');
        from = place;
    }
    harmless.push_str(text.get(from..).unwrap_or_default());
    harmless
}

fn one_word(name: &str) -> String {
    name.chars().map(|sign| if sign.is_whitespace() || sign == '<' { '_' } else { sign }).collect()
}

const DEEPEST: usize = 8;
/// Maximum size of all sheets together, in bytes.
const LARGEST: usize = 4_000_000;

/// The next reference, and whether it names a sheet.
fn next(lower: &str, at: usize) -> Option<(usize, bool)> {
    let rest = lower.get(at..)?;
    let found = [(rest.find("@import"), true), (rest.find("url("), false)];
    found.into_iter().filter_map(|(place, is_import)| Some((at + place?, is_import))).min()
}

/// The address that begins after `from`, and the end of its reference: after the bracket, or the semicolon.
fn address(text: &str, from: usize, is_import: bool) -> Option<(String, usize)> {
    let mut at = from + blank(text, from);
    let rest = text.get(at..)?;
    let in_brackets = !is_import || rest.get(..4).is_some_and(|word| word.eq_ignore_ascii_case("url("));
    if is_import && in_brackets {
        at += 4;
        at += blank(text, at);
    }
    let rest = text.get(at..)?;
    let quote = rest.chars().next().filter(|sign| matches!(sign, '"' | '\''));
    let (value, behind) = match quote {
        Some(quote) => {
            let inner = rest.get(1..)?;
            let end = inner.find(quote)?;
            (inner.get(..end)?, at + end + 2)
        }
        None => {
            let end = rest.find([')', ';'])?;
            (rest.get(..end)?.trim(), at + end)
        }
    };
    let mut end = behind + blank(text, behind);
    if in_brackets {
        text.get(end..)?.strip_prefix(')')?;
        end += 1;
    }
    if is_import {
        // A sheet for some media only stays a rule of its own.
        end += blank(text, end);
        text.get(end..)?.strip_prefix(';')?;
        end += 1;
    }
    Some((value.to_owned(), end))
}

fn blank(text: &str, from: usize) -> usize {
    let rest = text.get(from..).unwrap_or_default();
    rest.len() - rest.trim_start().len()
}

/// The file name that `address` means in the file `from`; `None` for other addresses and for places in the same page.
/// The file need not exist.
pub fn named_file(from: &str, address: &str) -> Option<String> {
    let address = address.trim();
    let path = address.split(['?', '#']).next().unwrap_or_default();
    let scheme = path.split('/').next().unwrap_or_default();
    if path.is_empty() || path.starts_with("//") || path.starts_with('\\') || scheme.contains(':') {
        return None;
    }
    let mut steps: Vec<&str> = match path.starts_with('/') {
        true => Vec::new(),
        false => from.rsplit_once('/').map(|(folder, _)| folder.split('/').collect()).unwrap_or_default(),
    };
    for step in path.split('/') {
        match step {
            "" | "." => {}
            // Above the root is the root, as on a host.
            ".." => drop(steps.pop()),
            step => steps.push(step),
        }
    }
    let name = steps.join("/");
    // As written if its escapes give no text.
    let name = percent_decode_str(&name).decode_utf8().unwrap_or(Cow::Borrowed(&name)).into_owned();
    (!name.is_empty()).then_some(name)
}

fn picture(svg: &str) -> String {
    format!("data:image/svg+xml,{}", escape(svg))
}

/// The characters that are escaped in an address.
const ADDRESS: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~')
    .remove(b'/')
    .remove(b':')
    .remove(b'=')
    .remove(b' ');

fn escape(text: &str) -> PercentEncode<'_> {
    utf8_percent_encode(text, ADDRESS)
}

fn is_picture(name: &str) -> bool {
    name.to_ascii_lowercase().ends_with(".svg")
}

#[cfg(test)]
mod tests;
