//! Checks links without a browser: allowed schemes, host, misleading text, and data carried in the URL.
//!
//! The browser parses each address once more, with the rules by which it opens it, before a link is made.

use percent_encoding::percent_decode_str;

use crate::limits::LINK_QUERY;
use crate::small_sort::SmallSort as _;

pub const SCHEMES: [&str; 3] = ["https:", "http:", "mailto:"];

/// So many consecutive characters of the conversation in an address are no coincidence.
const LEAK_CHARS: usize = 24;

/// The address as a browser would read it, if its scheme is allowed. A browser removes control characters at the ends,
/// and line breaks and tabs everywhere.
pub fn allowed(address: &str) -> Option<String> {
    let address: String = address
        .trim_matches(|c: char| c <= ' ')
        .chars()
        .filter(|c| !matches!(c, '\t' | '\n' | '\r'))
        .collect();
    let colon = address.find(':')?;
    let scheme = address.get(..=colon)?.to_ascii_lowercase();
    let rest = address.get(colon + 1..)?;
    match scheme.as_str() {
        "https:" | "http:" => host_of(&address).is_some_and(|host| !host.is_empty()).then_some(address),
        "mailto:" => (!rest.is_empty()).then_some(address),
        _ => None,
    }
}

/// The host of an address, as far as it can be determined here; for mail, the part after the `@`.
pub fn host_of(address: &str) -> Option<&str> {
    let (scheme, rest) = address.split_once(':')?;
    if scheme.eq_ignore_ascii_case("mailto") {
        let person = rest.split(['?', '#']).next()?;
        return person.rsplit_once('@').map(|(_, host)| host);
    }
    // A browser takes any number of slashes and backslashes here.
    let rest = rest.trim_start_matches(['/', '\\']);
    let authority = rest.split(['/', '\\', '?', '#']).next()?;
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let port = host.rfind(':').filter(|colon| !host.get(*colon..).is_some_and(|port| port.contains(']')));
    host.get(..port.unwrap_or(host.len()))
}

/// True if the link text looks like an address of another host.
pub fn is_misleading(words: &str, address: &str) -> bool {
    let words = words.trim();
    let bare = words.strip_prefix("https://").or_else(|| words.strip_prefix("http://")).unwrap_or(words);
    let shown = bare.split(['/', '\\', '?', '#', ':']).next().unwrap_or_default();
    let looks = shown.contains('.')
        && !shown.starts_with('.')
        && !shown.ends_with('.')
        && !shown.contains(char::is_whitespace)
        && (bare.len() != words.len() || shown.starts_with("www.") || is_top_level(shown));
    let host = host_of(address).unwrap_or_default();
    let bare_of = |host: &str| host.trim_start_matches("www.").to_lowercase();
    looks && bare_of(shown.rsplit('@').next().unwrap_or(shown)) != bare_of(host)
}

/// True if the last part of a name is a top-level domain; `main.rs` is a file.
fn is_top_level(host: &str) -> bool {
    let last = host.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
    ["com", "org", "net", "io", "dev", "app", "ai", "gov", "edu", "de", "uk", "eu", "co", "info", "bank"]
        .contains(&last.as_str())
}

/// The query and fragment of an address.
pub fn query_of(address: &str) -> &str {
    let start = address.find(['?', '#']).map_or(address.len(), |place| place + 1);
    address.get(start..).unwrap_or_default()
}

/// True if an address carries so much data that the operator is asked first.
pub fn is_laden(address: &str) -> bool {
    query_of(address).chars().count() > LINK_QUERY
}

/// True if an address carries a piece of one of these texts, plain or with `%20` and `+` for spaces.
pub fn carries<'t>(address: &str, mut texts: impl Iterator<Item = &'t str>) -> bool {
    let spoken = decoded(address.split_once("//").map_or(address, |(_, rest)| rest));
    // The host is the destination, not data.
    let data: Vec<char> = spoken.chars().skip_while(|c| !matches!(c, '/' | '?' | '#')).collect();
    let step = LEAK_CHARS / 2;
    let pieces: Vec<String> = (0..data.len())
        .step_by(step)
        .filter_map(|start| data.get(start..start + step))
        .map(|piece| piece.iter().collect())
        .collect();
    // Any range twice as long as a piece contains a whole piece; two adjacent pieces are no coincidence.
    texts.any(|text| {
        let found: Vec<bool> =
            pieces.iter().map(|piece| !is_thin(piece) && text.contains(piece.as_str())).collect();
        found.windows(2).any(|pair| pair.iter().all(|found| *found))
    })
}

/// True if a piece is too plain to prove anything, such as a row of one character.
fn is_thin(piece: &str) -> bool {
    let mut signs: Vec<char> = piece.chars().collect();
    signs.small_sort();
    signs.dedup();
    signs.len() < 5
}

/// A value of a query as text. Invalid escapes stay.
pub fn decoded(text: &str) -> String {
    percent_decode_str(&text.replace('+', " ")).decode_utf8_lossy().into_owned()
}

/// The type of an inline image in an address, if it is a well-formed bitmap and small enough.
pub fn image_in(address: &str, most: usize) -> Option<&'static str> {
    let rest = address.strip_prefix("data:")?;
    let (head, data) = rest.split_once(',')?;
    let kind = ["image/png", "image/jpeg", "image/gif", "image/webp"]
        .into_iter()
        .find(|kind| head.strip_prefix(kind).is_some_and(|rest| rest == ";base64"))?;
    let is_base64 = |c: u8| c.is_ascii_alphanumeric() || matches!(c, b'+' | b'/' | b'=');
    (data.len() / 4 * 3 <= most && data.bytes().all(is_base64)).then_some(kind)
}

#[cfg(test)]
mod tests;
