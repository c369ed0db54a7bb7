//! Removes secret values from bytes that arrive in pieces, in the forms in which servers echo them, and likely keys
//! from error reports.
//!
//! Never lets a part of a value through because a piece ends within it: a possible beginning of a value is buffered
//! until the next piece.

use crate::small_sort::SmallSort as _;
use std::rc::Rc;

pub const REDACTED_KEY: &str = "[key]";

/// The minimum length of a redacted value that mixes letters and digits, or small and capital letters.
const MIXED_BYTES: usize = 8;
/// The minimum length of any other redacted value. Shorter ones are placeholders such as `ollama` or `not-needed`, or
/// words of the protocol: removing them would spoil answers and hide nothing.
const PLAIN_BYTES: usize = 12;
/// The minimum length of the part of a value's base64 form that is searched for.
const CORE_BYTES: usize = 10;
/// The maximum backslashes before an escaped character: JSON within JSON, a few times.
const MOST_SLASHES: usize = 8;

pub(crate) const STANDARD: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
pub(crate) const URL_SAFE: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

pub struct Redactor {
    needles: Vec<Vec<u8>>,
    /// For each byte, whether a needle may begin with it.
    begins: Vec<bool>,
}

/// The needles at a position.
struct Match {
    /// The length of the longest complete needle.
    whole: Option<usize>,
    /// True if all remaining bytes are the beginning of a needle.
    begun: bool,
}

/// How an encoded character was read.
enum Step {
    Matched(usize),
    TooShort,
    Other,
}

impl Redactor {
    /// A redactor of these values. Values that are too short are ignored.
    pub fn new<'v>(values: impl IntoIterator<Item = &'v str>) -> Self {
        let mut needles: Vec<Vec<u8>> = Vec::new();
        for value in values.into_iter().map(str::trim).filter(|value| is_secret(value)) {
            needles.push(value.as_bytes().to_vec());
            for alphabet in [STANDARD, URL_SAFE] {
                needles.extend((0..3).filter_map(|before| core(value.as_bytes(), before, alphabet)));
            }
        }
        needles.small_sort();
        needles.dedup();
        let mut begins = vec![false; 256];
        let firsts = needles.iter().filter_map(|needle| needle.first());
        for first in firsts.chain(needles.first().map(|_| b"%\\").into_iter().flatten()) {
            if let Some(begins) = begins.get_mut(usize::from(*first)) {
                *begins = true;
            }
        }
        Self { needles, begins }
    }

    /// A complete text without the values.
    pub fn text(&self, text: &str) -> String {
        if self.needles.is_empty() {
            return text.to_owned();
        }
        let mut buffer = text.as_bytes().to_vec();
        String::from_utf8_lossy(&self.take(&mut buffer, true)).into_owned()
    }

    /// Takes all decided bytes from `buffer`; everything if `is_last`.
    fn take(&self, buffer: &mut Vec<u8>, is_last: bool) -> Vec<u8> {
        let mut out = Vec::with_capacity(buffer.len());
        let mut at = 0;
        while let Some((byte, rest)) = buffer.get(at).zip(buffer.get(at..)) {
            if self.begins.get(usize::from(*byte)) == Some(&true) {
                let found = self.find(rest, is_last);
                if found.begun && !is_last {
                    break;
                }
                if let Some(length) = found.whole {
                    out.extend_from_slice(REDACTED_KEY.as_bytes());
                    at = at.saturating_add(length);
                    continue;
                }
            }
            out.push(*byte);
            at = at.saturating_add(1);
        }
        buffer.drain(..at);
        out
    }

    fn find(&self, rest: &[u8], is_last: bool) -> Match {
        let mut found = Match { whole: None, begun: false };
        for needle in &self.needles {
            for step in [exact(rest, needle, is_last), encoded(rest, needle)] {
                match step {
                    Step::Matched(length) => found.whole = found.whole.max(Some(length)),
                    Step::TooShort => found.begun = true,
                    Step::Other => {}
                }
            }
        }
        found
    }
}

pub struct RedactedStream {
    redactor: Rc<Redactor>,
    held: Vec<u8>,
}

impl RedactedStream {
    pub fn new(redactor: Rc<Redactor>) -> Self {
        Self { redactor, held: Vec::new() }
    }

    /// The bytes that can be passed on after this piece; may be empty.
    pub fn push(&mut self, piece: Vec<u8>) -> Vec<u8> {
        if self.redactor.needles.is_empty() {
            return piece;
        }
        if self.held.is_empty() {
            self.held = piece;
        } else {
            self.held.extend_from_slice(&piece);
        }
        self.redactor.take(&mut self.held, false)
    }

    pub fn end(&mut self) -> Vec<u8> {
        self.redactor.take(&mut self.held, true)
    }
}

/// True if a value is long and mixed enough to be a secret.
pub fn is_secret(value: &str) -> bool {
    let has = |is_so: fn(&u8) -> bool| value.bytes().any(|byte| is_so(&byte));
    let letters = has(u8::is_ascii_alphabetic);
    let mixed =
        letters && has(u8::is_ascii_digit) || has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase);
    value.len() >= if mixed { MIXED_BYTES } else { PLAIN_BYTES }
}

/// The part of a value's base64 form that does not depend on its surroundings, if `before` bytes more than a multiple
/// of three precede it.
fn core(value: &[u8], before: usize, alphabet: &[u8; 64]) -> Option<Vec<u8>> {
    let bytes: Vec<u8> = std::iter::repeat_n(0, before).chain(value.iter().copied()).collect();
    let digits = bytes.len().saturating_mul(8) / 6;
    let first = before.saturating_mul(8).div_ceil(6);
    let digit = |at: usize| {
        let bit = at.saturating_mul(6);
        let byte = |at: usize| u32::from(bytes.get(at).copied().unwrap_or(0));
        let pair = byte(bit / 8) << 8 | byte(bit / 8 + 1);
        let value = pair >> (10 - bit % 8) & 63;
        alphabet.get(usize::try_from(value).unwrap_or(0)).copied()
    };
    let core: Vec<u8> = (first..digits).filter_map(digit).collect();
    (core.len() >= CORE_BYTES).then_some(core)
}

/// Matches the needle, or the first half of it, as in a message that was cut.
fn exact(rest: &[u8], needle: &[u8], is_last: bool) -> Step {
    let common = rest.iter().zip(needle).take_while(|(one, other)| one == other).count();
    if common == rest.len() && common < needle.len() && !is_last {
        Step::TooShort
    } else if common == needle.len() || common >= PLAIN_BYTES.max(needle.len() / 2) {
        Step::Matched(common)
    } else {
        Step::Other
    }
}

/// Matches the needle, each character plain or encoded for an address or JSON.
fn encoded(rest: &[u8], needle: &[u8]) -> Step {
    let mut at = 0usize;
    for wanted in needle {
        match character(rest.get(at..).unwrap_or_default(), *wanted) {
            Step::Matched(length) => at = at.saturating_add(length),
            other @ (Step::TooShort | Step::Other) => return other,
        }
    }
    Step::Matched(at)
}

fn character(rest: &[u8], wanted: u8) -> Step {
    let Some(first) = rest.first() else { return Step::TooShort };
    match first {
        b'%' => hexadecimal(rest, 1, 2, wanted),
        b'\\' => {
            let slashes = rest.iter().take(MOST_SLASHES).take_while(|byte| **byte == b'\\').count();
            match rest.get(slashes) {
                None if slashes < MOST_SLASHES => Step::TooShort,
                Some(b'u') => hexadecimal(rest, slashes.saturating_add(1), 4, wanted),
                // A letter after a backslash is another character, such as a line break.
                Some(byte) if *byte == wanted && !wanted.is_ascii_alphanumeric() => {
                    Step::Matched(slashes.saturating_add(1))
                }
                Some(_) | None => Step::Other,
            }
        }
        byte if *byte == wanted => Step::Matched(1),
        _ => Step::Other,
    }
}

fn hexadecimal(rest: &[u8], from: usize, digits: usize, wanted: u8) -> Step {
    let to = from.saturating_add(digits);
    let there = rest.get(from..to.min(rest.len())).unwrap_or_default();
    let digit = |place: usize| {
        let below = digits.saturating_sub(place).saturating_sub(1).saturating_mul(4);
        u32::from(wanted) >> below & 15
    };
    let fits =
        there.iter().enumerate().all(|(place, byte)| char::from(*byte).to_digit(16) == Some(digit(place)));
    match (fits, there.len() == digits) {
        (true, true) => Step::Matched(to),
        (true, false) => Step::TooShort,
        (false, _) => Step::Other,
    }
}

/// The maximum length of a report, in bytes.
const MOST_BYTES: usize = 2_000;

const PREFIXES: [&str; 8] = ["AIza", "AQ.", "sk-", "gsk_", "xai-", "ghp_", "hf_", "r8_"];

/// A word without the punctuation around it, if it is long enough for a key.
fn key_like(word: &str) -> Option<&str> {
    Some(word.trim_matches(|c: char| !c.is_alphanumeric())).filter(|word| word.len() >= 12)
}

fn has_prefix(word: &str) -> bool {
    PREFIXES.iter().any(|prefix| word.contains(prefix))
}

/// Replaces each word that begins like a provider's key with an ellipsis.
pub fn mask_keys(text: &str) -> String {
    let mask = |word: &str| match key_like(word).filter(|word| has_prefix(word)) {
        Some(key) => word.replace(key, "…"),
        None => word.to_owned(),
    };
    text.split_inclusive(char::is_whitespace).map(mask).collect()
}

/// Removes every word that looks like a key, and truncates the rest.
pub fn scrub(text: &str) -> String {
    let looks_like_key = |word: &str| {
        let Some(word) = key_like(word) else { return false };
        // Long runs of letters and digits are keys or hashes; paths and type names have separators.
        let random = word.len() >= 32
            && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
            && word.chars().any(|c| c.is_ascii_digit());
        has_prefix(word) || random
    };
    let mut scrubbed = String::new();
    for word in text.split_inclusive(char::is_whitespace) {
        if scrubbed.len() + word.len() > MOST_BYTES {
            scrubbed.push('…');
            break;
        }
        if looks_like_key(word) {
            scrubbed.push_str("… ");
        } else {
            scrubbed.push_str(word);
        }
    }
    scrubbed
}

#[cfg(test)]
mod tests;
