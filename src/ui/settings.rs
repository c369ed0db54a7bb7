//! Never shows a key, and keeps none.
//!
//! Owns the settings screen: its sections and the way between them. What is changed is kept as its field is left.

pub mod agent;
pub mod agent_bar;
pub mod agent_model;
pub mod agent_rules;
pub mod agents;
pub mod appearance;
pub mod archivist;
pub mod calls;
pub mod caps;
pub mod core;
pub mod field;
pub mod operator;
pub mod pages;
pub mod passphrase;
pub mod price_row;
pub mod prices;
pub mod provider;
pub mod provider_add;
pub mod provider_key;
pub mod provider_remove;
pub mod provider_test;
pub mod raw_days;
pub mod rules;
pub mod search;
pub mod thinks_with;
pub mod triggers;
pub mod unlock;

use leptos::ev::MouseEvent;
use leptos::prelude::*;

use crate::ui::app::home_path;
use crate::ui::brand::Brand;
use crate::ui::each::Each;
use crate::ui::hooks::focus;
use crate::ui::later::Later;
use crate::ui::screens;
use crate::ui::setting_table::{SECTIONS, Setting};
use crate::ui::settings::agents::AgentList;
use crate::ui::settings::appearance::AppearanceForm;
use crate::ui::settings::archivist::ArchivistFields;
use crate::ui::settings::calls::CallFields;
use crate::ui::settings::caps::CapFields;
use crate::ui::settings::core::CoreFields;
use crate::ui::settings::operator::OperatorForm;
use crate::ui::settings::pages::PageList;
use crate::ui::settings::prices::PriceTable;
use crate::ui::settings::provider::ProviderCard;
use crate::ui::settings::provider_add::ProviderAdd;
use crate::ui::settings::raw_days::RawDays;
use crate::ui::settings::rules::DeviceRules;
use crate::ui::settings::search::Search;
use crate::ui::settings::triggers::TriggerList;
use crate::ui::view_state::{Agents, Providers};
use crate::ui::words::care::settings as call_words;
use crate::ui::words::triggers as trigger_words;
use crate::ui::words::voice::settings as voice_words;
use crate::ui::words::{
    archivist as archivist_words, core as core_words, settings as words, settings_limits,
};

/// The settings.
#[component]
pub fn SettingsScreen() -> impl IntoView {
    let (agents, providers) = (expect_context::<Agents>(), expect_context::<Providers>());
    // Whose card is open although nothing asks for it: the one that was just added.
    let added = RwSignal::new(None);
    let way = SECTIONS.map(|Setting { id, name, .. }| {
        // By hand: in a sandboxed frame the address cannot change.
        let go = move |ev: MouseEvent| {
            ev.prevent_default();
            focus::go_to(id);
        };
        view! { class="n", <a href=format!("#{id}") on:click=go>{name}</a> }
    });
    let [
        you,
        of_providers,
        of_agents,
        of_core,
        of_archivist,
        rules,
        costs,
        of_triggers,
        of_voice,
        of_calls,
        of_data,
        look,
    ] = SECTIONS;
    view! { class="n",
        <main class="settings" data-testid="settings">
            <header class="settings-bar">
                <a href=home_path() class="settings-back" title=words::BACK><Brand /></a>
                <h1>{words::TITLE}</h1>
                <p class="hint">{words::KEPT}</p>
                <a href=home_path() class="button">{words::BACK}</a>
            </header>
            <div class="settings-way">
                <Search />
                <nav aria-label=words::SECTIONS>{way}</nav>
            </div>
            <div class="settings-parts">
                <Part section=you about=words::OPERATOR_ABOUT>
                    <OperatorForm />
                </Part>
                <Part section=of_providers about=words::PROVIDERS_ABOUT>
                    <Each
                        each=move || providers.order().get()
                        key=Clone::clone
                        children=move |id| {
                            providers
                                .row(&id)
                                .map(|row| view! { class="n", <ProviderCard row agents providers added /> })
                        }
                    />
                    <ProviderAdd providers added />
                </Part>
                <Part section=of_agents about=words::AGENTS_ABOUT>
                    <AgentList agents providers />
                </Part>
                <Part section=of_core about=core_words::settings::ABOUT>
                    <CoreFields providers />
                </Part>
                <Part section=of_archivist about=archivist_words::ABOUT>
                    <ArchivistFields providers />
                </Part>
                <Part section=rules about=settings_limits::RULES_ABOUT>
                    <DeviceRules />
                </Part>
                <Part section=costs about=settings_limits::COSTS_ABOUT>
                    <CapFields />
                    <PriceTable agents providers />
                    <RawDays />
                </Part>
                <Part section=of_triggers about=trigger_words::ABOUT>
                    <TriggerList agents />
                    <PageList />
                </Part>
                <Part section=of_voice about=voice_words::ABOUT>
                    <Later load=screens::voice_settings />
                </Part>
                <Part section=of_calls about=call_words::CALLS_ABOUT>
                    <CallFields />
                </Part>
                <Part section=of_data about=words::DATA_ABOUT>
                    <Later load=screens::data_cards />
                </Part>
                <Part section=look about=words::APPEARANCE_ABOUT>
                    <AppearanceForm />
                </Part>
            </div>
        </main>
    }
}

/// A part of the settings.
#[component]
fn Part(section: Setting, about: &'static str, children: Children) -> impl IntoView {
    let Setting { id, name: title, .. } = section;
    view! { class="n",
        <section class="settings-part" aria-labelledby=id>
            <header>
                <h2 id=id tabindex="-1">{title}</h2>
                <p class="hint">{about}</p>
            </header>
            <div class="settings-cards">{children()}</div>
        </section>
    }
}
