//! Helpers of `error`: the category of a status, the delay in a message, an excerpt of a body.
//!
//! Redacts API keys, which some providers repeat in their errors.

use nexus_model::provider::{ProviderError, ProviderErrorKind};
use nexus_text::json;

const EXCERPT_CHARS: usize = 200;

/// Prefixes of keys that providers are known to repeat in error messages.
const KEY_STARTS: [&str; 12] =
    ["AIza", "AQ.", "sk-", "sk_", "gsk_", "csk-", "xai-", "pplx-", "hf_", "nvapi-", "fw_", "tgp_"];

const KEY_CHARS: usize = 20;

/// The category of a status. A success status means that the body was unexpected.
pub fn category_of(status: u16) -> ProviderErrorKind {
    match status {
        401 => ProviderErrorKind::Authentication,
        402 => ProviderErrorKind::Quota,
        403 => ProviderErrorKind::Permission,
        404 => ProviderErrorKind::NotFound,
        413 => ProviderErrorKind::ContextOverflow,
        429 => ProviderErrorKind::RateLimit,
        503 | 529 => ProviderErrorKind::Overloaded,
        // Timeouts, conflicts and closed requests are as transient as server errors.
        408 | 409 | 499 | 500..=599 => ProviderErrorKind::Server,
        400..=499 => ProviderErrorKind::BadRequest,
        _ => ProviderErrorKind::Garbled,
    }
}

/// The error for a response without an error in the provider's format.
pub fn unexplained(status: u16, content_type: Option<&str>, body: &str) -> ProviderError {
    let excerpt = excerpt(body);
    let message = match content_type {
        _ if !excerpt.is_empty() => excerpt,
        Some(content_type) => format!("HTTP {status} with an empty body of type {content_type}"),
        None => format!("HTTP {status} with an empty body"),
    };
    ProviderError { status: Some(status), ..ProviderError::new(category_of(status), message) }
}

/// The first 200 characters of a body, without line breaks and keys.
pub fn excerpt(body: &str) -> String {
    // Each word has a character at least.
    let words: Vec<&str> = body.split_whitespace().take(EXCERPT_CHARS).collect();
    without_keys(&words.join(" ")).chars().take(EXCERPT_CHARS).collect()
}

/// Replaces everything that looks like a key: some providers repeat the key in errors.
pub fn without_keys(text: &str) -> String {
    let is_key_char = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        let word_end = rest.find(|c| !is_key_char(c)).unwrap_or(rest.len());
        let (word, tail) = rest.split_at(word_end);
        let known = KEY_STARTS.iter().any(|start| word.starts_with(start)) && word.len() >= KEY_CHARS;
        let named = !word.is_empty() && (out.ends_with("api_key:") || out.ends_with("key="));
        out.push_str(if known || named { "[key]" } else { word });
        let gap_end = tail.find(is_key_char).unwrap_or(tail.len());
        let (gap, next) = tail.split_at(gap_end);
        out.push_str(gap);
        rest = next;
    }
    out
}

/// Phrases before a delay in messages.
const BEFORE: [&str; 4] = ["try again in ", "retry in ", "retry after ", "again after "];

/// The delay in a message, in milliseconds, rounded up.
pub(super) fn delay_in_words(words: &str) -> Option<u64> {
    let words = words.to_ascii_lowercase();
    BEFORE.iter().find_map(|before| duration_ms(words.split_once(before)?.1))
}

/// Parses durations such as `1.2s`, `6m0s`, `1h2m3.5s`, `20ms`, `30 seconds`, `2 minutes` at the start of a text.
pub(super) fn duration_ms(text: &str) -> Option<u64> {
    let mut rest = text;
    let mut total: Option<f64> = None;
    loop {
        let number_end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let (number, after) = rest.split_at(number_end);
        let Some(number) = json::number(number) else { break };
        let after = after.strip_prefix(' ').unwrap_or(after);
        let unit_end = after.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(after.len());
        let (unit, next) = after.split_at(unit_end);
        let unit_ms = match unit {
            "ms" | "millisecond" | "milliseconds" => 1.0,
            "s" | "sec" | "secs" | "second" | "seconds" => 1_000.0,
            "m" | "min" | "mins" | "minute" | "minutes" => 60_000.0,
            "h" | "hour" | "hours" => 3_600_000.0,
            "d" | "day" | "days" => 86_400_000.0,
            _ => break,
        };
        total = Some(total.unwrap_or(0.0) + number * unit_ms);
        rest = next;
    }
    // The cast saturates.
    total.filter(|ms| ms.is_finite()).map(|ms| ms.ceil() as u64)
}

#[cfg(test)]
mod tests;
