//! Minimal HTML parser to compare two documents: elements, attributes and text, ignoring invisible spaces.

#![allow(
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::wildcard_enum_match_arm,
    reason = "it cuts where it has just looked"
)]

use nexus_text::links::allowed;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    Open(String, Vec<(String, String)>),
    Close(String),
    Text(String),
}

const BLOCKS: [&str; 22] = [
    "p",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "ul",
    "ol",
    "li",
    "blockquote",
    "pre",
    "hr",
    "table",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
    "div",
    "section",
    "br",
];

/// Parses HTML. Not for hostile text: a tag ends at the next `>` outside of quotes.
pub(crate) fn pieces(html: &str) -> Vec<Piece> {
    let mut out: Vec<Piece> = Vec::new();
    let mut rest = html;
    while !rest.is_empty() {
        if let Some((piece, after)) = tag(rest) {
            out.extend(piece);
            rest = after;
            continue;
        }
        let end = rest.char_indices().skip(1).find(|(_, c)| *c == '<').map_or(rest.len(), |(at, _)| at);
        let text = entities(&rest[..end]);
        match out.last_mut() {
            Some(Piece::Text(before)) => before.push_str(&text),
            _ => out.push(Piece::Text(text)),
        }
        rest = &rest[end..];
    }
    without_unseen(out)
}

fn tag(html: &str) -> Option<(Vec<Piece>, &str)> {
    let inner = html.strip_prefix('<')?;
    if let Some(comment) = inner.strip_prefix("!--") {
        let end = comment.find("-->")?;
        return Some((Vec::new(), &comment[end + 3..]));
    }
    if !inner.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/') {
        return None;
    }
    let mut quote = None;
    let end = inner.char_indices().find(|(_, c)| {
        match (quote, c) {
            (None, '"' | '\'') => quote = Some(*c),
            (Some(open), c) if open == *c => quote = None,
            (None, '>') => return true,
            _ => {}
        }
        false
    })?;
    let (body, after) = (&inner[..end.0], &inner[end.0 + 1..]);
    if let Some(name) = body.strip_prefix('/') {
        return Some((vec![Piece::Close(name.trim().to_lowercase())], after));
    }
    let body = body.trim_end_matches('/').trim_end();
    let split = body.find(char::is_whitespace).unwrap_or(body.len());
    let name = body[..split].to_lowercase();
    let mut attributes = Vec::new();
    let mut rest = body[split..].trim_start();
    while !rest.is_empty() {
        let end = rest.find(|c: char| c == '=' || c.is_whitespace()).unwrap_or(rest.len());
        let key = rest[..end].to_lowercase();
        rest = rest[end..].trim_start();
        let mut value = String::new();
        if let Some(after) = rest.strip_prefix('=') {
            let after = after.trim_start();
            let quote = after.chars().next().filter(|c| matches!(c, '"' | '\''));
            let (taken, left) = match quote {
                Some(quote) => after[1..].split_once(quote).unwrap_or((&after[1..], "")),
                None => after.split_once(char::is_whitespace).unwrap_or((after, "")),
            };
            value = entities(taken);
            rest = left.trim_start();
        }
        attributes.push((key, value));
    }
    attributes.sort();
    Some((vec![Piece::Open(name, attributes)], after))
}

fn entities(text: &str) -> String {
    text.replace("&quot;", "\"").replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
}

/// Removes spaces next to blocks, except in `pre`.
fn without_unseen(pieces: Vec<Piece>) -> Vec<Piece> {
    let is_block = |piece: Option<&Piece>| match piece {
        None => true,
        Some(Piece::Open(name, _) | Piece::Close(name)) => BLOCKS.contains(&name.as_str()),
        Some(Piece::Text(_)) => false,
    };
    let mut out = Vec::new();
    let mut within_pre = 0;
    for (place, piece) in pieces.iter().enumerate() {
        match piece {
            Piece::Open(name, _) if name == "pre" => within_pre += 1,
            Piece::Close(name) if name == "pre" => within_pre -= 1,
            _ => {}
        }
        let Piece::Text(text) = piece else {
            out.push(piece.clone());
            continue;
        };
        let mut text = text.as_str();
        if within_pre == 0 {
            if is_block(place.checked_sub(1).and_then(|before| pieces.get(before))) {
                text = text.trim_start();
            }
            if is_block(pieces.get(place + 1)) {
                text = text.trim_end();
            }
        }
        if !text.is_empty() {
            out.push(Piece::Text(text.to_owned()));
        }
    }
    out
}

/// Normalises pieces for comparison: URLs decoded, rejected links and images as text.
pub(crate) fn comparable(pieces: Vec<Piece>) -> Vec<Piece> {
    let mut out: Vec<Piece> = Vec::new();
    let mut kept = Vec::new();
    let text = |text: &str, out: &mut Vec<Piece>| match out.last_mut() {
        Some(Piece::Text(before)) => before.push_str(text),
        _ => out.push(Piece::Text(text.to_owned())),
    };
    let mut before_was_task = false;
    for piece in pieces {
        let is_task = matches!(&piece, Piece::Open(name, _) if name == "input");
        let after_task = std::mem::replace(&mut before_was_task, is_task);
        match piece {
            Piece::Open(name, attributes) => {
                let value = |key: &str| attributes.iter().find(|(k, _)| k == key).map(|(_, v)| decoded(v));
                match name.as_str() {
                    "img" => text(&format!("[{}]", value("alt").unwrap_or_default()), &mut out),
                    "a" => {
                        let address = value("href").filter(|address| allowed(address).is_some());
                        kept.push(address.is_some());
                        if let Some(address) = address {
                            out.push(Piece::Open("a".into(), vec![("href".into(), address)]));
                        }
                    }
                    "td" | "th" | "ol" | "code" => {
                        let style = value("style").map(|style| style.replace("text-align: ", ""));
                        let mut attributes = attributes;
                        attributes.extend(style.map(|align| ("align".to_owned(), align)));
                        let align = attributes
                            .into_iter()
                            .filter(|(key, _)| ["align", "start", "class"].contains(&key.as_str()));
                        out.push(Piece::Open(name.clone(), align.collect()));
                    }
                    "input" => text(if value("checked").is_some() { "[x]" } else { "[ ]" }, &mut out),
                    // Footnotes are not among a document's blocks.
                    "section" => return out,
                    "tbody" | "thead" => {}
                    name => out.push(Piece::Open(name.to_owned(), Vec::new())),
                }
            }
            Piece::Close(name) if name == "a" => {
                if kept.pop() == Some(true) {
                    out.push(Piece::Close(name));
                }
            }
            Piece::Close(name) if ["tbody", "thead"].contains(&name.as_str()) => {}
            Piece::Close(name) => out.push(Piece::Close(name)),
            // The checkbox of a task is followed by a space in one and by a line break in the other.
            Piece::Text(words) if after_task => text(&words.replacen('\n', " ", 1), &mut out),
            Piece::Text(words) => text(&words, &mut out),
        }
    }
    out
}

fn decoded(address: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = address.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let pair =
            after.get(..2).and_then(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok());
        match (first, pair) {
            (b'%', Some(byte)) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            (byte, _) => {
                bytes.push(*byte);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
