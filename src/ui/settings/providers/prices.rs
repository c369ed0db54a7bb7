//! The price table, and adding a model to it. Prices are estimates with a date.

use crate::ui::hooks::focus;
use crate::ui::kit::prelude::*;
use crate::ui::settings::providers::price_row::{MODEL_ID, PriceRow, input_id};
use crate::ui::view_state::{Agents, Providers, Settings};
use nexus_model::id::ProviderId;
use nexus_model::provider::price::DATED;
use nexus_model::provider::price::rows::{PriceKey, rows};
use nexus_model::settings::schema::PRICES;
use nexus_view::strings::settings as settings_words;
pub use nexus_view::strings::settings::limits as words;

#[component]
pub fn PriceTable(
    /// The agents, whose models are offered first.
    agents: Agents,
    providers: Providers,
) -> impl IntoMarkup {
    let own = expect_context::<Settings>().value(PRICES);
    // Models whose price is still to be entered.
    let added = RwSignal::new(Vec::<PriceKey>::new());
    let shown = select(move || {
        let ids = providers.order().get();
        let there = ids.iter().filter_map(|id| providers.row(id));
        let there: Vec<_> = there.map(|row| row.with(|row| row.provider.clone())).collect();
        let there = there.iter().map(AsRef::as_ref);
        added.with(|added| own.with(|own| rows(there, own.as_deref(), added)))
    });
    view! {
        <div class="settings-card">
            <h3>{words::PRICES}</h3>
            <p class="hint">{words::PRICES_ABOUT}</p>
            <table class="prices">
                <caption class="hint">{words::table(DATED)}</caption>
                <thead>
                    <tr>
                        <th scope="col">{words::MODEL}</th>
                        <th scope="col">{words::INPUT}</th>
                        <th scope="col">{words::CACHED}</th>
                        <th scope="col">{words::OUTPUT}</th>
                        <th scope="col"><span class="unseen">{words::BACK}</span></th>
                    </tr>
                </thead>
                <tbody>
                    {keyed_list(move || shown.get(), Clone::clone,
                        move |priced| view! { <PriceRow priced own providers added /> })}
                </tbody>
            </table>
            <PriceAdd agents providers shown added />
        </div>
    }
}

/// Adds a model to the table. What agents use and the table lacks is filled in.
#[component]
fn PriceAdd(
    agents: Agents,
    providers: Providers,
    shown: Selector<Vec<PriceKey>>,
    added: RwSignal<Vec<PriceKey>>,
) -> impl IntoMarkup {
    let chosen = RwSignal::new(None::<String>);
    let typed = RwSignal::new(None::<String>);
    let problem = RwSignal::new(None::<&'static str>);
    let used = select(move || {
        let keys = agents.order().get();
        let agents = keys.iter().filter_map(|key| agents.row(key).map(|row| row.get()));
        let configs = agents.filter(|row| !row.rehearsal).map(|row| row.agent.config.clone());
        let all = configs.map(|config| PriceKey { provider: config.provider, model: config.model });
        shown.with(|shown| all.filter(|one| !shown.contains(one)).collect::<Vec<_>>())
    });
    let first = move || used.with(|used| used.first().cloned());
    let real = move || {
        let rows = providers.order().get().into_iter().filter_map(|id| providers.row(&id));
        rows.map(|row| row.get().provider).filter(|provider| !provider.is_rehearsal()).collect::<Vec<_>>()
    };
    let provider = select(move || {
        let usual = || first().map(|first| first.provider.0);
        let any = || real().first().map(|provider| provider.id.0.clone());
        chosen.get().or_else(usual).or_else(any).unwrap_or_default()
    });
    let model = select(move || {
        let usual = || {
            let at = provider.get();
            used.with(|used| used.iter().find(|one| one.provider.0 == at).map(|one| one.model.clone()))
        };
        typed.get().or_else(usual).unwrap_or_default()
    });
    let choices = select(move || {
        real().iter().map(|provider| (provider.id.0.clone(), provider.label.clone())).collect()
    });
    let options = move || {
        let at = ProviderId(provider.get());
        let of_agents = used.get().into_iter().filter(|one| one.provider == at).map(|one| one.model);
        let list = providers.row(&at).and_then(|row| row.with(|row| row.models.clone()));
        let listed = list.iter().flat_map(|list| &list.models).map(|model| model.id.clone());
        let mut options: Vec<_> = of_agents.collect();
        for id in listed {
            if !options.contains(&id) {
                options.push(id);
            }
        }
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
        <div class="settings-acts agent-new">
            {choice_field("price-provider", words::PROVIDER, choices, provider, move |id| {
                    chosen.set(Some(id));
                    typed.set(None);
                }).test("price-provider")}
            {text_field(MODEL_ID, words::MODEL, model, move |text: &str| {
                    typed.set(Some(text.to_owned()));
                    Ok(())
                }).test("price-model").example(settings_words::MODEL_EXAMPLE).code()
                .list("price-models".to_owned())}
            <datalist id="price-models">{options}</datalist>
            {button(words::ADD).test("price-add").disabled(move || provider.with(String::is_empty))
                .on_click(add)}
        </div>
        <p class="field-problem" role="alert">{problem}</p>
    }
}
