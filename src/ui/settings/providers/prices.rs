//! The price table, and adding a model to it: the operator's price, else the provider's, else the shipped one. Prices
//! are estimates with a date; one is saved only when it is complete.

use crate::ui::prelude::*;
use crate::ui::settings::pending_edit::PendingEdit;
use nexus_model::provider::price::rows::{PriceInput, PriceKey, rows};
use nexus_model::provider::price::{DATED, KNOWN, Price, own_in, shipped, with_own_price};
use nexus_model::settings::dollars;
use nexus_model::settings::schema::PRICES;
use nexus_view::strings::settings as settings_words;
use nexus_view::strings::settings::limits as words;

#[component]
pub fn PriceTable() -> impl IntoMarkup {
    let &Page { providers, settings, .. } = expect_context();
    let own = settings.value(PRICES);
    // All prices are one setting.
    let pending = PendingEdit::of(own.map(|own| own.as_deref().cloned().unwrap_or_default()));
    // Models without a price yet.
    let added = RwSignal::new(Vec::<PriceKey>::new());
    let shown = select(move || {
        let all = providers.all();
        let all = all.iter().map(AsRef::as_ref);
        added.with(|added| own.with(|own| rows(all, own.as_deref(), added)))
    });
    view! {
        <div class="settings-card">
            <h3>{words::PRICES}</h3>
            <p class="hint">{words::PRICES_ABOUT}</p>
            <table class="prices">
                <caption class="hint">{words::table(DATED)}</caption>
                <thead>
                    <tr>
                        <th scope="col">{common::MODEL}</th>
                        <th scope="col">{common::INPUT}</th>
                        <th scope="col">{words::CACHED}</th>
                        <th scope="col">{common::OUTPUT}</th>
                        <th scope="col"><span class="unseen">{words::BACK}</span></th>
                    </tr>
                </thead>
                <tbody>
                    {keyed_list(move || shown.get(), Clone::clone,
                        move |priced| view! { <PriceRow priced own pending added /> })}
                </tbody>
            </table>
            <PriceAdd shown added />
        </div>
    }
}

/// Adds a model to the table. Prefilled with a model that agents use and the table lacks.
#[component]
fn PriceAdd(shown: Selector<Vec<PriceKey>>, added: RwSignal<Vec<PriceKey>>) -> impl IntoMarkup {
    let &Page { agents, providers, .. } = expect_context();
    let chosen = RwSignal::new(None::<String>);
    let typed = RwSignal::new(None::<String>);
    let problem = RwSignal::new(None::<&'static str>);
    let used = select(move || {
        let agents = agents.roster().into_iter().filter(|row| !row.demo);
        let configs = agents.map(|row| row.agent.config.clone());
        let all = configs.map(|config| PriceKey { provider: config.provider, model: config.model });
        shown.with(|shown| all.filter(|one| !shown.contains(one)).collect::<Vec<_>>())
    });
    let first = move || used.with(|used| used.first().cloned());
    let real = move || providers.all().into_iter().filter(|provider| !provider.is_demo()).collect::<Vec<_>>();
    let provider = select(move || {
        let suggested = || first().map(|first| first.provider.0);
        let any = || real().first().map(|provider| provider.id.0.clone());
        chosen.get().or_else(suggested).or_else(any).unwrap_or_default()
    });
    let model = select(move || {
        let suggested = || {
            let at = provider.get();
            used.with(|used| used.iter().find(|one| one.provider.0 == at).map(|one| one.model.clone()))
        };
        typed.get().or_else(suggested).unwrap_or_default()
    });
    let choices = select(move || {
        real().iter().map(|provider| (provider.id.0.clone(), provider.label.clone())).collect()
    });
    let options = move || {
        let at = ProviderId(provider.get());
        let of_agents = used.get().into_iter().filter(|one| one.provider == at).map(|one| one.model);
        let list = providers.rows.row(&at).and_then(|row| row.with(|row| row.models()));
        let listed = list.iter().flat_map(|list| &list.models).map(|model| model.id.clone());
        let mut options: Vec<_> = of_agents.collect();
        let rest: Vec<_> = listed.filter(|id| !options.contains(id)).collect();
        options.extend(rest);
        options.into_iter().map(|id| view! { <option value=id></option> })
    };
    let add = move |_| {
        let model = model.get_untracked();
        let priced = PriceKey { provider: ProviderId(provider.get_untracked()), model };
        if priced.model.is_empty() {
            problem.set(Some(words::NO_MODEL.get()));
            focus::soon(MODEL_ID.to_owned());
            return;
        }
        problem.set(None);
        let row = input_id(&priced);
        if shown.with_untracked(|shown| !shown.contains(&priced)) {
            added.update(|added| added.push(priced));
        }
        chosen.set(None);
        typed.set(None);
        focus::soon(row);
    };
    view! {
        <div class="settings-actions agent-new">
            {choice_field("price-provider", common::PROVIDER, choices, provider, move |id| {
                    chosen.set(Some(id));
                    typed.set(None);
                }).test("price-provider")}
            {free_field(MODEL_ID, common::MODEL, model, move |text| typed.set(Some(text.to_owned())))
                .test("price-model").example(settings_words::MODEL_EXAMPLE).code().list("price-models".to_owned())}
            <datalist id="price-models">{options}</datalist>
            {button(words::ADD).test("price-add").disabled(move || provider.with(String::is_empty))
                .on_click(add)}
        </div>
        <p class="field-problem" role="alert">{problem}</p>
    }
}

pub(crate) const MODEL_ID: &str = "price-model";

pub(crate) fn input_id(priced: &PriceKey) -> String {
    format!("price-{}/{}-input", priced.provider, priced.model)
}

/// Label of a provider that is not set up.
fn label_of(id: &ProviderId) -> String {
    let preset = PRESETS.iter().find(|preset| *id == preset.id.into());
    preset.map_or_else(|| id.to_string(), |preset| preset.label.to_owned())
}

#[component]
fn PriceRow(
    priced: PriceKey,
    own: Selector<Option<Arc<Value>>>,
    pending: PendingEdit<Value>,
    /// Models without a price yet.
    added: RwSignal<Vec<PriceKey>>,
) -> impl IntoMarkup {
    let &Page { dispatch, notices, providers, world, .. } = expect_context();
    let of = StoredValue::new(priced.clone());
    let stored = own.map(move |own| of.with_value(|of| own_in(own.as_deref(), &of.provider, &of.model)));
    let default_price = select(move || {
        of.with_value(|of| {
            let Some(row) = providers.rows.row(&of.provider) else {
                return shipped(&of.model, 0, dispatch.now());
            };
            row.with(|row| {
                let models = row.models();
                let mut models = models.iter().flat_map(|list| &list.models);
                let listed = models.find(|one| one.id == of.model).and_then(|one| one.price);
                // A server on this machine may name its models anything.
                let is_remote = !row.provider.is_local();
                listed.or_else(|| is_remote.then(|| shipped(&of.model, 0, dispatch.now())).flatten())
            })
        })
    });
    // Input that is not stored: incomplete, or in flight.
    let typed = RwSignal::new(None::<PriceInput>);
    Effect::new(move || {
        stored.track();
        typed.set(None);
    });
    let entered =
        move || typed.get().unwrap_or_else(|| PriceInput::from(stored.get().or(default_price.get())));
    let command = |value| Command::ChangeSetting { name: PRICES.name().to_owned(), value };
    let priced_as = move |all: Option<&Value>, price: Option<Price>| {
        of.with_value(|of| with_own_price(all, &of.provider, &of.model, price))
    };
    let set = move |price: Option<Price>, then: Box<dyn FnOnce(bool)>| {
        pending.send_then(dispatch, &|all| *all = priced_as(Some(all), price), command, then);
    };
    let store = move |put: fn(&mut PriceInput, Option<f64>), may_be_empty: bool| {
        move |text: &str| {
            let is_empty = may_be_empty && text.is_empty();
            let number = if is_empty { None } else { Some(dollars(text).ok_or(words::PRICE_WRONG)?) };
            let before = untrack(entered);
            let mut after = before;
            put(&mut after, number);
            if after == before {
                return Ok(());
            }
            typed.set(Some(after));
            if let Some(price) = after.price() {
                let then = move |accepted: bool| {
                    if !accepted {
                        typed.set(None);
                    }
                };
                set(Some(price), Box::new(then));
            }
            Ok(())
        }
    };
    let show = move |get: fn(PriceInput) -> Option<f64>| {
        select(move || get(entered()).map(|number| number.to_string()).unwrap_or_default())
    };
    let id = format!("price-{}/{}", priced.provider, priced.model);
    // Models of the shipped table stay in it.
    let is_shipped = KNOWN.iter().any(|known| known.id == priced.model);
    let is_added = move || added.with(|added| of.with_value(|of| added.contains(of)));
    let is_own = move || stored.get().is_some();
    let reset = move |_| {
        typed.set(None);
        added.update(|added| of.with_value(|of| added.retain(|one| one != of)));
        if let Some(before) = stored.get_untracked() {
            let (of, title) = of.with_value(|of| (of.clone(), words::price_reset(&of.model)));
            // The other prices stay as they are by then.
            let undo = move || {
                let all = world.with_untracked(|world| world.settings.get(PRICES.name()).cloned());
                command(with_own_price(all.as_deref(), &of.provider, &of.model, Some(before)))
            };
            let then = move |accepted: bool| {
                if accepted {
                    notices.add_with_undo(title, undo);
                }
            };
            set(None, Box::new(then));
        }
        // The button disappears, and an added row too.
        let next = if is_shipped { of.with_value(input_id) } else { MODEL_ID.to_owned() };
        focus::soon(next);
    };
    let label = move || {
        of.with_value(|of| match providers.rows.row(&of.provider) {
            Some(row) => row.with(|row| row.provider.label.clone()),
            None => label_of(&of.provider),
        })
    };
    let is_incomplete = move || typed.get().is_some_and(|typed| typed.price().is_none());
    type PriceCell =
        (&'static str, Text, Text, fn(PriceInput) -> Option<f64>, fn(&mut PriceInput, Option<f64>));
    let cells: [PriceCell; 3] = [
        ("price-input", common::INPUT, common::UNKNOWN, |of| of.input, |of, number| of.input = number),
        ("price-cached", words::CACHED, words::AS_INPUT, |of| of.cached, |of, number| of.cached = number),
        ("price-output", common::OUTPUT, common::UNKNOWN, |of| of.output, |of, number| of.output = number),
    ];
    let cells = cells.map(|(test, title, example, get, put)| {
        let id = test.replace("price", &id);
        let store = store(put, title == words::CACHED);
        view! { <td>{text_field(id, title, show(get), store).test(test).example(example).code()}</td> }
    });
    view! {
        <tr
            data-testid="price-row" data-model=priced.model.clone() data-provider=priced.provider.to_string()
            data-own=move || is_own().to_string()
        >
            <th scope="row">
                <code>{priced.model.clone()}</code>
                <span class="hint">
                    {label}
                    <Show when=is_own><span class="tag">{words::OWN}</span></Show>
                </span>
                <span class="hint" role="status">{move || is_incomplete().then_some(words::BOTH)}</span>
            </th>
            {Vec::from(cells)}
            <td>
                <Show when=move || is_own() || is_added()>
                    {button(if is_shipped { words::TO_USUAL } else { common::REMOVE }).test("price-reset")
                        .on_click(reset)}
                </Show>
            </td>
        </tr>
    }
}
