//! The estimated cost of a call.
//!
//! The operator's own price takes precedence over the provider's list, that over the shipped table.

use crate::prelude::*;
use crate::provider::ModelList;
use crate::provider::price::{Price, cost_at, own_in, shipped};
use crate::settings::schema::PRICES;

/// The price in the provider's last model list.
fn listed_price(world: &World, provider: &ProviderId, model: &str) -> Option<Price> {
    let list: ModelList = json::from_tree(world.setting(&ModelList::setting(provider))?).ok()?;
    list.models.into_iter().find(|one| one.id == model)?.price
}

/// The price of a call: the operator's own, else from the provider's list, else shipped. `None` if unknown, and for
/// shipped prices of local servers, whose models may have any name.
fn price_of(world: &World, provider: &ProviderId, model: &str, prompt: u64, at: Millis) -> Option<Price> {
    own_in(world.stored(PRICES), provider, model).or_else(|| listed_price(world, provider, model)).or_else(
        || {
            let is_remote = world.live_provider(provider).is_some_and(|provider| !provider.is_local());
            is_remote.then(|| shipped(model, prompt, at)).flatten()
        },
    )
}

/// The estimated cost of a model call; `None` if the price is unknown or no usage was reported.
pub fn cost_of(world: &World, provider: &ProviderId, model: &str, usage: &Usage, at: Millis) -> Option<Cost> {
    if usage.total() == 0 {
        return None;
    }
    let price = price_of(world, provider, model, usage.input.unwrap_or(0), at)?;
    Some(cost_at(&price, usage))
}

#[cfg(test)]
mod tests;
