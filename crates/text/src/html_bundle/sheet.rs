//! Inlines the style sheets and images that a style sheet references.
//!
//! Also resolves the addresses of a page to files of the session, and writes images and texts as addresses.

use std::borrow::Cow;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, PercentEncode, percent_decode_str, utf8_percent_encode};

const DEEPEST: usize = 8;
/// Maximum size of all sheets together, in bytes.
const LARGEST: usize = 4_000_000;

/// The sheet `name` with the files that it names. Adds addresses without a file to `missing`.
pub(super) fn with_files<'f>(
    name: &str,
    text: &str,
    file: &impl Fn(&str) -> Option<&'f str>,
    image: &dyn Fn(&str) -> Option<String>,
    missing: &mut Vec<String>,
) -> String {
    let mut sheet = String::with_capacity(text.len());
    add(name, text, file, image, missing, DEEPEST, &mut sheet);
    sheet
}

fn add<'f>(
    name: &str,
    text: &str,
    file: &impl Fn(&str) -> Option<&'f str>,
    image: &dyn Fn(&str) -> Option<String>,
    missing: &mut Vec<String>,
    deeper: usize,
    sheet: &mut String,
) {
    let lower = text.to_ascii_lowercase();
    let mut at = 0;
    while let Some((begin, is_import)) = next(&lower, at) {
        sheet.push_str(text.get(at..begin).unwrap_or_default());
        let word = if is_import { "@import".len() } else { "url(".len() };
        let found = address(text, begin + word, is_import);
        let named = found.as_ref().and_then(|(address, _)| named_file(name, address));
        let known = named.as_deref().and_then(|named| Some((named, file(named)?)));
        let shown = named.as_deref().filter(|_| !is_import && known.is_none()).and_then(image);
        if let (Some(named), None, None) = (&named, known, &shown) {
            missing.push(named.clone());
        }
        if let (Some(shown), Some((_, end))) = (shown.filter(|_| sheet.len() < LARGEST), &found) {
            sheet.push_str(&format!("url(\"{shown}\")"));
            at = *end;
            continue;
        }
        match (known, found) {
            (Some((named, inner)), Some((_, end))) if is_import && deeper > 0 && sheet.len() < LARGEST => {
                add(named, inner, file, image, missing, deeper - 1, sheet);
                at = end;
            }
            (Some((named, inner)), Some((_, end)))
                if !is_import && is_picture(named) && sheet.len() < LARGEST =>
            {
                sheet.push_str(&format!("url(\"{}\")", picture(inner)));
                at = end;
            }
            _ => {
                at = begin + word;
                sheet.push_str(text.get(begin..at).unwrap_or_default());
            }
        }
    }
    sheet.push_str(text.get(at..).unwrap_or_default());
}

/// The next reference, and whether it names a sheet.
fn next(lower: &str, at: usize) -> Option<(usize, bool)> {
    let rest = lower.get(at..)?;
    let (import, url) = (rest.find("@import"), rest.find("url("));
    match (import, url) {
        (Some(import), Some(url)) if import < url => Some((at + import, true)),
        (Some(import), None) => Some((at + import, true)),
        (_, Some(url)) => Some((at + url, false)),
        (None, None) => None,
    }
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

/// The prefix of an image's address.
const PICTURE: &str = "data:image/svg+xml,";

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
    let name = decoded(&steps.join("/"));
    (!name.is_empty()).then_some(name)
}

/// Decodes escaped characters; the original if that gives no text.
fn decoded(name: &str) -> String {
    percent_decode_str(name).decode_utf8().unwrap_or(Cow::Borrowed(name)).into_owned()
}

pub(super) fn picture(svg: &str) -> String {
    format!("{PICTURE}{}", escape(svg))
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

/// Escapes a text for an address.
pub(super) fn escape(text: &str) -> PercentEncode<'_> {
    utf8_percent_encode(text, ADDRESS)
}

pub(super) fn is_picture(name: &str) -> bool {
    name.to_ascii_lowercase().ends_with(".svg")
}
