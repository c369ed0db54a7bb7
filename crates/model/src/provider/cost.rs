//! The estimated cost of a call.
//!
//! The operator's own price comes first, then the provider's list, then the shipped table.

use crate::id::{Millis, ProviderId};
use crate::llm::Usage;
use crate::provider::ModelList;
use crate::provider::price::{Cost, Price, cost_at, own_in, shipped};
use crate::settings::schema::PRICES;
use crate::world::World;
use nexus_text::json;

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
    use crate::provider::price::with_own_price;

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
