//! Prices of model tokens: the shipped `table`, and those that the operator set; and the cost of a call.
//!
//! [`rows`] lists prices for the settings.
//!
//! A cost is an estimate: the operator's own price comes first, then the provider's list, then the shipped table.

pub mod rows;
pub mod table;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::id::{Millis, ProviderId};
use crate::llm::Usage;
use crate::provider::ModelList;
use crate::provider::price::table::shipped;
use crate::settings::schema::PRICES;
use crate::world::World;
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

    /// Both together.
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

/// The price that the provider's list of models tells, as it was last read.
fn listed_price(world: &World, provider: &ProviderId, model: &str) -> Option<Price> {
    let list: ModelList = json::from_tree(world.setting(&ModelList::setting(provider))?).ok()?;
    list.models.into_iter().find(|one| one.id == model)?.price
}

/// The price of a call: the operator's own, else that of the provider's list, else the shipped one. `None` where none is
/// known, and for a server on this machine, whose models may bear any name.
fn price_of(world: &World, provider: &ProviderId, model: &str, prompt: u64, at: Millis) -> Option<Price> {
    own_in(world.kept(PRICES), provider, model).or_else(|| listed_price(world, provider, model)).or_else(
        || {
            let is_remote = world.live_provider(provider).is_some_and(|provider| !provider.is_local());
            is_remote.then(|| shipped(model, prompt, at)).flatten()
        },
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
mod tests {
    use std::sync::Arc;

    use serde_json::Value;

    use super::*;
    use crate::provider::Provider;

    const NOVEMBER: Millis = Millis(1_795_000_000_000);

    fn usage(input: u64) -> Usage {
        Usage { input: Some(input), cached: Some(0), output: Some(0), ..Usage::default() }
    }

    fn world() -> World {
        let mut world = World::default();
        let provider = Provider::gemini();
        world.providers.insert(provider.id.clone(), Arc::new(Some(provider)));
        world
    }

    fn kept(world: &World) -> Option<&Value> {
        world.kept(PRICES)
    }

    #[test]
    fn the_operators_own_price_wins_and_can_be_taken_back() {
        let mut world = world();
        let provider = ProviderId::from("gemini");
        let cost = |world: &World| cost_of(world, &provider, "gemini-3.8-flash", &usage(1_000_000), NOVEMBER);
        assert_eq!(cost(&world), Some(Cost(750_000_000)));
        let own = Price { input: 9.0, cached: None, output: 9.0 };
        let value = with_own_price(kept(&world), &provider, "gemini-3.8-flash", Some(own));
        world.settings.insert(PRICES.name().into(), Arc::new(value));
        assert_eq!(cost(&world), Some(Cost::dollars(9)));
        let whole = serde_json::json!({"gemini/gemini-3.8-flash": {"input": 9, "output": 9}});
        world.settings.insert(PRICES.name().into(), Arc::new(whole));
        assert_eq!(cost(&world), Some(Cost::dollars(9)), "as a form writes it");
        let value = with_own_price(kept(&world), &provider, "gemini-3.8-flash", None);
        world.settings.insert(PRICES.name().into(), Arc::new(value));
        assert_eq!(cost(&world), Some(Cost(750_000_000)));
    }

    #[test]
    fn a_server_on_this_machine_costs_nothing_that_is_known_whatever_it_calls_its_models() {
        let mut world = world();
        let local = Provider { base_url: "http://localhost:8080/v1".into(), ..Provider::gemini() };
        world.providers.insert(local.id.clone(), Arc::new(Some(local)));
        let provider = ProviderId::from("gemini");
        assert_eq!(cost_of(&world, &provider, "gemini-3.8-flash", &usage(1_000), NOVEMBER), None);
    }

    #[test]
    fn what_the_provider_lists_comes_before_what_was_shipped_and_after_the_operators_word() {
        let mut world = world();
        let provider = ProviderId::from("gemini");
        let cost = |world: &World| cost_of(world, &provider, "gemini-3.8-flash", &usage(1_000_000), NOVEMBER);
        let listed = serde_json::json!({"at": 0, "models": [
            {"id": "gemini-3.8-flash", "name": "Flash", "price": {"input": 2.0, "output": 3.0}},
        ]});
        world.settings.insert(ModelList::setting(&provider), Arc::new(listed));
        assert_eq!(cost(&world), Some(Cost::dollars(2)));
        let own = Price { input: 9.0, cached: None, output: 9.0 };
        let value = with_own_price(None, &provider, "gemini-3.8-flash", Some(own));
        world.settings.insert(PRICES.name().into(), Arc::new(value));
        assert_eq!(cost(&world), Some(Cost::dollars(9)));
    }
}

#[cfg(test)]
#[path = "price_tests.rs"]
mod price_tests;
