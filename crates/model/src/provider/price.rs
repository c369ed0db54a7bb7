//! Prices of model tokens: the operator's own, and shipped ones with context windows, from the providers' pages of
//! November 2026.

pub mod rows;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::id::{Millis, ProviderId};
use crate::llm::Usage;
use nexus_text::json;

/// Price per million tokens in US dollars.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Price {
    /// Request tokens.
    pub input: f64,
    /// Request tokens from the provider's cache; by default like `input`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached: Option<f64>,
    /// Answer tokens, including thinking.
    pub output: f64,
}

/// An estimated cost in billionths of a US dollar: integers, so that sums are exact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Cost(pub u64);

impl Cost {
    pub const fn cents(self) -> u64 {
        self.0.saturating_add(5_000_000) / 10_000_000
    }

    pub const fn dollars(dollars: u64) -> Self {
        Self(dollars.saturating_mul(1_000_000_000))
    }

    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

/// The operator's price of a model, from the value of [`PRICES`](crate::settings::schema::PRICES).
pub fn own_in(prices: Option<&Value>, provider: &ProviderId, model: &str) -> Option<Price> {
    json::from_tree(prices?.get(format!("{provider}/{model}"))?).ok()
}

/// The value of [`PRICES`](crate::settings::schema::PRICES) with the price of a model replaced; `None` restores the
/// shipped one.
pub fn with_own_price(
    prices: Option<&Value>,
    provider: &ProviderId,
    model: &str,
    price: Option<Price>,
) -> Value {
    let key = format!("{provider}/{model}");
    let mut prices = prices.and_then(|value| value.as_object().cloned()).unwrap_or_default();
    match price.and_then(|price| json::to_tree(&price).ok()) {
        Some(price) => prices.insert(key, price),
        None => prices.remove(&key),
    };
    Value::Object(prices)
}

pub fn cost_at(price: &Price, usage: &Usage) -> Cost {
    let input = usage.input.unwrap_or(0);
    let cached = usage.cached.unwrap_or(0).min(input);
    // One dollar per million tokens is 1,000 billionths per token.
    let of = |tokens: u64, price: f64| {
        let billionths = tokens as f64 * price.max(0.0) * 1_000.0;
        billionths.round().min(9e15) as u64
    };
    Cost(
        of(input.saturating_sub(cached), price.input)
            .saturating_add(of(cached, price.cached.unwrap_or(price.input)))
            .saturating_add(of(usage.output.unwrap_or(0), price.output)),
    )
}

/// A price of a model, for requests until some time and up to some size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PriceRow {
    /// The id of its maker's preset.
    pub maker: &'static str,
    /// The id without vendor prefix and date suffix.
    pub id: &'static str,
    pub window: u64,
    /// The first moment after the period.
    pub until: Millis,
    /// Maximum tokens of the request.
    pub up_to: u64,
    /// `None` if no price in dollars is known.
    pub price: Option<Price>,
}

/// When the table was last compared with the providers' pages.
pub const DATED: &str = "2026-11";

/// The first moment of December 2026, UTC.
const DECEMBER_2026: Millis = Millis(1_796_083_200_000);
/// The first moment of 2027, UTC.
const YEAR_2027: Millis = Millis(1_798_761_600_000);
const ALWAYS: Millis = Millis(u64::MAX);
const ANY: u64 = u64::MAX;
const MILLION: u64 = 1_000_000;
/// A binary million of tokens.
const MEBI: u64 = 1_048_576;

const fn price(input: f64, cached: Option<f64>, output: f64) -> Option<Price> {
    Some(Price { input, cached, output })
}

const fn row(
    maker: &'static str,
    id: &'static str,
    window: u64,
    (until, up_to): (Millis, u64),
    price: Option<Price>,
) -> PriceRow {
    PriceRow { maker, id, window, until, up_to, price }
}

/// The rows of each model are adjacent: by period, then by request size. The last one always applies.
pub const KNOWN: &[PriceRow] = &[
    row("gemini", "gemini-4-argon", MEBI, (DECEMBER_2026, ANY), price(2.0, Some(0.1), 10.0)),
    row("gemini", "gemini-4-argon", MEBI, (ALWAYS, ANY), price(4.0, Some(0.2), 20.0)),
    row("gemini", "gemini-3.8-flash", MEBI, (YEAR_2027, ANY), price(0.75, Some(0.075), 3.75)),
    row("gemini", "gemini-3.8-flash", MEBI, (ALWAYS, ANY), price(1.5, None, 7.5)),
    row("gemini", "gemini-3.5-flash-lite", MEBI, (ALWAYS, ANY), price(0.3, Some(0.03), 2.5)),
    row("gemini", "gemini-3.1-pro-preview", MEBI, (ALWAYS, 200_000), price(2.0, Some(0.2), 12.0)),
    row("gemini", "gemini-3.1-pro-preview", MEBI, (ALWAYS, ANY), price(4.0, None, 18.0)),
    row("anthropic", "claude-fable-5-1", MILLION, (ALWAYS, ANY), price(10.0, None, 50.0)),
    row("anthropic", "claude-opus-5-5", MILLION, (ALWAYS, ANY), price(4.0, Some(0.2), 20.0)),
    row("anthropic", "claude-sonnet-5-5", MILLION, (ALWAYS, ANY), price(2.0, Some(0.2), 10.0)),
    row("anthropic", "claude-haiku-5-5", MILLION, (ALWAYS, 100_000), price(0.1, None, 0.5)),
    row("anthropic", "claude-haiku-5-5", MILLION, (ALWAYS, ANY), price(0.5, None, 2.5)),
    row("openai", "gpt-6-astra", 922_000, (ALWAYS, 272_000), price(10.0, Some(1.0), 50.0)),
    // Larger requests cost more; how much is unknown.
    row("openai", "gpt-6-astra", 922_000, (ALWAYS, ANY), None),
    row("openai", "gpt-6.1-sol", 922_000, (ALWAYS, ANY), price(2.0, None, 10.0)),
    row("openai", "gpt-6.1-terra", 922_000, (ALWAYS, ANY), price(1.0, None, 5.0)),
    row("openai", "gpt-6-luna", 922_000, (ALWAYS, 272_000), price(0.1, Some(0.01), 0.5)),
    row("openai", "gpt-6-luna", 922_000, (ALWAYS, ANY), price(0.2, Some(0.02), 0.75)),
    // Sold in yuan, at prices by the hour of the day: no price in dollars is known.
    row("deepseek", "deepseek-flash", MILLION, (ALWAYS, ANY), None),
    row("deepseek", "deepseek-v4-pro", MILLION, (ALWAYS, ANY), None),
];

/// The known models in order: the last row of each.
pub fn models() -> impl Iterator<Item = &'static PriceRow> {
    KNOWN.iter().filter(|row| row.until == ALWAYS && row.up_to == ANY)
}

/// Looks up a model, ignoring vendor and date: `google/gemini-3.8-flash`, `claude-haiku-5-5-20261007`. A variant such
/// as `…:free` is another model.
pub fn known(model: &str) -> impl Iterator<Item = &'static PriceRow> {
    let name = model.rsplit('/').next().unwrap_or(model);
    KNOWN.iter().filter(move |known| {
        name.strip_prefix(known.id).is_some_and(|rest| rest.is_empty() || rest == "-latest" || is_dated(rest))
    })
}

fn is_dated(rest: &str) -> bool {
    let date = rest.strip_prefix('-').filter(|date| date.len() >= 4);
    date.is_some_and(|date| date.bytes().all(|b| b.is_ascii_digit() || b == b'-'))
}

/// The context window of a known model in tokens.
pub fn window_of(model: &str) -> Option<u64> {
    known(model).next().map(|known| known.window)
}

pub fn shipped(model: &str, prompt: u64, at: Millis) -> Option<Price> {
    known(model).find(|row| at < row.until && prompt <= row.up_to)?.price
}

#[cfg(test)]
mod tests;
