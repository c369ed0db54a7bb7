//! Prices of model tokens, and the estimated cost of a call.
//!
//! The operator's own price comes first, then the provider's list, then the shipped `table`. [`rows`] lists prices
//! for the settings.

mod rows;
mod table;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::id::{Millis, ProviderId};
use crate::llm::Usage;
use crate::provider::ModelList;
use crate::settings::schema::PRICES;
use crate::world::World;
use nexus_text::json;

pub use crate::provider::price::rows::{PriceInput, PriceKey, rows};
pub use crate::provider::price::table::{DATED, KNOWN};

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

    /// Both together.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

/// A model that the shipped table knows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KnownModel {
    /// The id, without a vendor's prefix and a date's suffix.
    pub id: &'static str,
    pub window: u64,
    /// Its prices, each until a day; none where they are not known.
    pub periods: &'static [PricePeriod],
}

/// Prices that hold until a day.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PricePeriod {
    /// The first moment at which they hold no more.
    pub until: Option<Millis>,
    /// By the size of the request, smallest first.
    pub tiers: &'static [PriceTier],
}

/// A price for requests up to a size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PriceTier {
    /// The most tokens of such a request.
    pub up_to: u64,
    /// The price; `None` where it is known to be another one and not which.
    pub price: Option<Price>,
}

/// The model of the table that an id names: `google/gemini-3.8-flash` and `claude-haiku-5-5-20261007` are known by
/// their middle. A variant with another name after the id, such as `…:free`, is another model.
pub fn known(model: &str) -> Option<&'static KnownModel> {
    let name = model.rsplit('/').next().unwrap_or(model);
    let is_dated = |rest: &str| {
        rest.strip_prefix('-')
            .is_some_and(|date| date.len() >= 4 && date.bytes().all(|b| b.is_ascii_digit() || b == b'-'))
    };
    KNOWN.iter().find(|known| {
        name.strip_prefix(known.id).is_some_and(|rest| rest.is_empty() || rest == "-latest" || is_dated(rest))
    })
}

/// The tokens of a model's window, where the table knows the model.
pub fn window_of(model: &str) -> Option<u64> {
    known(model).map(|known| known.window)
}

/// The shipped price of a model for a request of `prompt` tokens at a time.
pub fn shipped(model: &str, prompt: u64, at: Millis) -> Option<Price> {
    let period = known(model)?.periods.iter().find(|period| period.until.is_none_or(|until| at < until))?;
    period.tiers.iter().find(|tier| prompt <= tier.up_to)?.price
}

/// The operator's own price of a model, if they set one.
pub fn own_price(world: &World, provider: &ProviderId, model: &str) -> Option<Price> {
    own_in(world.kept(PRICES), provider, model)
}

/// The own price of a model in what [`PRICES`] says.
pub fn own_in(prices: Option<&Value>, provider: &ProviderId, model: &str) -> Option<Price> {
    json::from_tree(prices?.get(format!("{provider}/{model}"))?).ok()
}

/// The value of [`PRICES`], now `prices`, with another price of a model; `None` goes back to the shipped one.
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

/// The price that the provider's list of models tells, as it was last read.
pub fn listed_price(world: &World, provider: &ProviderId, model: &str) -> Option<Price> {
    let list: ModelList = json::from_tree(world.setting(&ModelList::setting(provider))?).ok()?;
    list.models.into_iter().find(|one| one.id == model)?.price
}

/// The price of a call: the operator's own, else that of the provider's list, else the shipped one. `None` where none is
/// known, and for a server on this machine, whose models may bear any name.
pub fn price_of(world: &World, provider: &ProviderId, model: &str, prompt: u64, at: Millis) -> Option<Price> {
    own_price(world, provider, model).or_else(|| listed_price(world, provider, model)).or_else(|| {
        let is_remote = world.live_provider(provider).is_some_and(|provider| !provider.is_local());
        is_remote.then(|| shipped(model, prompt, at)).flatten()
    })
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

/// What a call of a model used, in money; `None` where its price is not known or it used nothing that is counted. An
/// estimate.
pub fn cost_of(world: &World, provider: &ProviderId, model: &str, usage: &Usage, at: Millis) -> Option<Cost> {
    if usage.total() == 0 {
        return None;
    }
    let price = price_of(world, provider, model, usage.input.unwrap_or(0), at)?;
    Some(cost_at(&price, usage))
}

#[cfg(test)]
#[path = "price_tests.rs"]
mod tests;
