//! Prices of model tokens: the shipped `table`, and those that the operator set.
//!
//! [`rows`] lists prices for the settings.

pub mod rows;
pub mod table;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::id::ProviderId;
use crate::llm::Usage;
use nexus_text::json;

/// What a million tokens cost, in US dollars.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Price {
    /// Tokens of the request.
    pub input: f64,
    /// Tokens of the request that the provider had cached; as `input` where it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached: Option<f64>,
    /// Tokens of the answer, thinking included.
    pub output: f64,
}

/// What something cost, in billionths of a US dollar: whole numbers, so that sums are exact. Always an estimate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Cost(pub u64);

impl Cost {
    /// That many whole dollars.
    pub const fn dollars(dollars: u64) -> Self {
        Self(dollars.saturating_mul(1_000_000_000))
    }

    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

/// The own price of a model in what [`PRICES`](crate::settings::schema::PRICES) says.
pub fn own_in(prices: Option<&Value>, provider: &ProviderId, model: &str) -> Option<Price> {
    json::from_tree(prices?.get(format!("{provider}/{model}"))?).ok()
}

/// The value of [`PRICES`](crate::settings::schema::PRICES), now `prices`, with another price of a model; `None` goes back to the shipped one.
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

/// What a call cost at a price. An estimate.
pub fn cost_at(price: &Price, usage: &Usage) -> Cost {
    let input = usage.input.unwrap_or(0);
    let cached = usage.cached.unwrap_or(0).min(input);
    // A dollar for a million tokens is a thousand billionths for each.
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

#[cfg(test)]
#[path = "price_tests.rs"]
mod tests;
