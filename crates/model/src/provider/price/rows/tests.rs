use serde_json::json;

use super::*;
use crate::provider::presets::PRESETS;
use crate::provider::price::with_own_price;

fn priced(provider: &str, model: &str) -> PriceKey {
    PriceKey { provider: provider.into(), model: model.to_owned() }
}

#[test]
fn shipped_models_have_rows_at_their_makers() {
    let shown = rows(std::iter::empty(), None, &[]);
    assert_eq!(shown.len(), models().count());
    for row in &shown {
        assert!(PRESETS.iter().any(|preset| row.provider == preset.id.into()), "{row:?} names no preset");
    }
    assert!(shown.contains(&priced("gemini", "gemini-3.8-flash")));
    assert!(shown.contains(&priced("anthropic", "claude-opus-5-5")));

    let work = Provider { id: "work".into(), ..Provider::gemini() };
    let home = Provider { id: "home".into(), ..Provider::gemini() };
    let shown = rows([&work, &home].into_iter(), None, &[]);
    assert!(shown.contains(&priced("work", "gemini-3.8-flash")));
    assert!(shown.contains(&priced("home", "gemini-3.8-flash")));
    assert!(!shown.contains(&priced("gemini", "gemini-3.8-flash")));
}

#[test]
fn own_price_of_another_model_has_one_row_until_removed() {
    let price = Price { input: 1.0, cached: None, output: 2.0 };
    let (router, model) = (ProviderId::from("openrouter"), "google/gemini-3.8-flash");
    let set = with_own_price(None, &router, model, Some(price));
    let added = [priced("openrouter", model), priced("llamacpp", "tiny")];
    let shown = rows(std::iter::empty(), Some(&set), &added);
    assert_eq!(shown.get(models().count()..), Some([added[1].clone(), added[0].clone()].as_slice()));
    let reset = with_own_price(Some(&set), &router, model, None);
    assert_eq!(reset, json!({}));
    assert_eq!(rows(std::iter::empty(), Some(&reset), &[]).len(), models().count());
    assert_eq!(rows(std::iter::empty(), Some(&json!("torn")), &[]).len(), models().count());
}

#[test]
fn price_needs_input_and_output() {
    let mut entered = PriceInput { input: Some(1.0), ..PriceInput::default() };
    assert_eq!(entered.price(), None);
    entered.output = Some(2.0);
    let price = Price { input: 1.0, cached: None, output: 2.0 };
    assert_eq!(entered.price(), Some(price));
    assert_eq!(PriceInput::from(Some(price)), entered);
    assert_eq!(PriceInput::from(None), PriceInput::default());
}
