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
    world.stored(PRICES)
}

#[test]
fn operators_price_takes_precedence_and_can_be_removed() {
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
    assert_eq!(cost(&world), Some(Cost::dollars(9)), "in the format of the form");
    let value = with_own_price(kept(&world), &provider, "gemini-3.8-flash", None);
    world.settings.insert(PRICES.name().into(), Arc::new(value));
    assert_eq!(cost(&world), Some(Cost(750_000_000)));
}

#[test]
fn local_server_costs_nothing_unless_it_has_a_price_or_needs_a_key() {
    let mut world = world();
    let mut set = |needs_key| {
        let local = Provider { base_url: "http://localhost:8080/v1".into(), needs_key, ..Provider::gemini() };
        world.providers.insert(local.id.clone(), Arc::new(Some(local)));
        world.clone()
    };
    let (free, with_key) = (set(false), set(true));
    let provider = ProviderId::from("gemini");
    let cost = |world: &World| cost_of(world, &provider, "gemini-3.8-flash", &usage(1_000_000), NOVEMBER);
    assert_eq!(cost(&free), Some(Cost(0)));
    assert_eq!(cost(&with_key), None, "it may pass calls on; the shipped price is of another server");
    let own = Price { input: 9.0, cached: None, output: 9.0 };
    let value = with_own_price(None, &provider, "gemini-3.8-flash", Some(own));
    world.settings.insert(PRICES.name().into(), Arc::new(value));
    assert_eq!(cost(&world), Some(Cost::dollars(9)));
}

#[test]
fn listed_price_ranks_between_operators_and_shipped_price() {
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
