//! The settings screen: its sections and navigation. A field is saved when it loses the focus.
//!
//! Never shows or keeps an API key.

pub mod agents;
pub mod appearance;
pub mod core;
pub mod data;
pub mod embedders;
pub mod field;
pub mod maintenance;
pub mod model_picker;
pub mod notifications;
pub mod operator;
mod pending_edit;
pub mod providers;
pub mod retention;
pub mod run_limits;
pub mod search;
pub mod table;
pub mod tool_rules;
pub mod triggers;

use leptos::ev::MouseEvent;
use leptos::prelude::*;

use crate::ui::hooks::focus;
use crate::ui::kit::brand::Brand;
use crate::ui::kit::keyed_list::KeyedList;
use crate::ui::kit::lazy_view::LazyView;
use crate::ui::settings::agents::AgentList;
use crate::ui::settings::appearance::AppearanceForm;
use crate::ui::settings::core::CoreFields;
use crate::ui::settings::embedders::EmbedderList;
use crate::ui::settings::maintenance::ArchivistFields;
use crate::ui::settings::notifications::NotificationFields;
use crate::ui::settings::operator::OperatorForm;
use crate::ui::settings::providers::add::ProviderAdd;
use crate::ui::settings::providers::prices::PriceTable;
use crate::ui::settings::providers::provider::ProviderCard;
use crate::ui::settings::retention::RetentionField;
use crate::ui::settings::run_limits::RunLimitFields;
use crate::ui::settings::search::SettingsSearch;
use crate::ui::settings::table::{SECTIONS, SettingInfo};
use crate::ui::settings::tool_rules::ToolRuleFields;
use crate::ui::settings::triggers::TriggerList;
use crate::ui::shell::app::home_path;
use crate::ui::shell::screens;
use crate::ui::view_state::{Agents, Providers};
pub use nexus_view::strings::board::core_sync as core_words;
use nexus_view::strings::chat::message_actions::settings as call_words;
pub use nexus_view::strings::settings::limits;
pub use nexus_view::strings::settings::triggers as trigger_words;
pub use nexus_view::strings::settings::voice::settings as voice_words;
use nexus_view::strings::{maintenance as archivist_words, settings as words};

#[component]
pub fn SettingsScreen() -> impl IntoView {
    let (agents, providers) = (expect_context::<Agents>(), expect_context::<Providers>());
    // Whose card is open although nothing asks for it: the one that was just added.
    let added = RwSignal::new(None);
    let way = SECTIONS.map(|SettingInfo { id, name, .. }| {
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
                <SettingsSearch />
                <nav aria-label=words::SECTIONS>{way}</nav>
            </div>
            <div class="settings-parts">
                <SettingsSection section=you about=words::OPERATOR_ABOUT>
                    <OperatorForm />
                </SettingsSection>
                <SettingsSection section=of_providers about=words::PROVIDERS_ABOUT>
                    <KeyedList
                        each=move || providers.order().get()
                        key=Clone::clone
                        children=move |id| {
                            providers
                                .row(&id)
                                .map(|row| view! { class="n", <ProviderCard row agents providers added /> })
                        }
                    />
                    <ProviderAdd providers added />
                </SettingsSection>
                <SettingsSection section=of_agents about=words::AGENTS_ABOUT>
                    <AgentList agents providers />
                </SettingsSection>
                <SettingsSection section=of_core about=core_words::settings::ABOUT>
                    <CoreFields providers />
                </SettingsSection>
                <SettingsSection section=of_archivist about=archivist_words::ABOUT>
                    <ArchivistFields providers />
                </SettingsSection>
                <SettingsSection section=rules about=limits::RULES_ABOUT>
                    <ToolRuleFields />
                </SettingsSection>
                <SettingsSection section=costs about=limits::COSTS_ABOUT>
                    <RunLimitFields />
                    <PriceTable agents providers />
                    <RetentionField />
                </SettingsSection>
                <SettingsSection section=of_triggers about=trigger_words::ABOUT>
                    <TriggerList agents />
                    <EmbedderList />
                </SettingsSection>
                <SettingsSection section=of_voice about=voice_words::ABOUT>
                    <LazyView load=screens::voice_settings />
                </SettingsSection>
                <SettingsSection section=of_calls about=call_words::CALLS_ABOUT>
                    <NotificationFields />
                </SettingsSection>
                <SettingsSection section=of_data about=words::DATA_ABOUT>
                    <LazyView load=screens::data_cards />
                </SettingsSection>
                <SettingsSection section=look about=words::APPEARANCE_ABOUT>
                    <AppearanceForm />
                </SettingsSection>
            </div>
        </main>
    }
}

#[component]
fn SettingsSection(section: SettingInfo, about: &'static str, children: Children) -> impl IntoView {
    let SettingInfo { id, name: title, .. } = section;
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
