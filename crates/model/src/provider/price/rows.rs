//! Rows of the price settings, and a price that is being entered.

use serde_json::Value;

use crate::id::ProviderId;
use crate::provider::price::{Price, models};
use crate::provider::{Provider, presets::preset_of};
use nexus_text::small_sort::SmallSort as _;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PriceKey {
    pub provider: ProviderId,
    pub model: String,
}

/// The rows of the price table: models of the shipped table at their makers, in its order; then, by name, models with
/// a price of the operator (`prices` is the value of [`PRICES`](crate::settings::schema::PRICES)) and those in
/// `added`. A maker that is not set up is listed by its preset's id.
pub fn rows<'p>(
    providers: impl Iterator<Item = &'p Provider> + Clone,
    prices: Option<&Value>,
    added: &[PriceKey],
) -> Vec<PriceKey> {
    let mut rows = Vec::new();
    for model in models() {
        let at = |provider: ProviderId| PriceKey { provider, model: model.id.to_owned() };
        let before = rows.len();
        let makers = providers.clone().filter(|provider| preset_of(provider).id == model.maker);
        rows.extend(makers.map(|provider| at(provider.id.clone())));
        if rows.len() == before {
            rows.push(at(model.maker.into()));
        }
    }
    let own = prices.and_then(Value::as_object).into_iter().flatten().filter_map(|(key, _)| {
        let (provider, model) = key.split_once('/')?;
        Some(PriceKey { provider: provider.into(), model: model.to_owned() })
    });
    let mut others: Vec<_> = own.chain(added.iter().cloned()).filter(|other| !rows.contains(other)).collect();
    others.small_sort();
    others.dedup();
    rows.extend(others);
    rows
}

/// The input for a price, in dollars per million tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PriceInput {
    pub input: Option<f64>,
    /// Tokens from the provider's cache; by default like `input`.
    pub cached: Option<f64>,
    pub output: Option<f64>,
}

impl PriceInput {
    /// `None` while input or output is missing.
    pub fn price(self) -> Option<Price> {
        Some(Price { input: self.input?, cached: self.cached, output: self.output? })
    }
}

impl From<Option<Price>> for PriceInput {
    fn from(price: Option<Price>) -> Self {
        price.map_or_else(Self::default, |Price { input, cached, output }| Self {
            input: Some(input),
            cached,
            output: Some(output),
        })
    }
}

#[cfg(test)]
mod tests;
