//! The settings screen: a list of sections, one of which is shown. A field is saved when it loses the focus.
//!
//! Never shows or stores an API key. The search field covers all sections.

pub mod agents;
pub mod appearance;
pub mod data;
pub mod open_section;
pub mod pending_edit;
pub mod providers;
pub mod tool_rules;
pub mod triggers;

use crate::ui::agents::gauge::JobBudget;
use crate::ui::chat::voice::settings::VoiceFields;
use crate::ui::hooks::filter;
use crate::ui::kit::icon::Brand;
use crate::ui::prelude::*;
use crate::ui::settings::agents::AgentList;
use crate::ui::settings::agents::model::{ARCHIVIST, CORE, ModelPicker};
use crate::ui::settings::appearance::{AppearanceForm, NotificationFields, OperatorForm};
use crate::ui::settings::data::BackupCards;
use crate::ui::settings::open_section::{OpenSection, SECTIONS, SectionList, SettingsSection};
use crate::ui::settings::pending_edit::setting_fields;
use crate::ui::settings::providers::ProviderAdd;
use crate::ui::settings::providers::prices::PriceTable;
use crate::ui::settings::providers::provider::ProviderCard;
use crate::ui::settings::tool_rules::{EmbedderList, ToolRuleFields};
use crate::ui::settings::triggers::TriggerList;
use nexus_model::settings::schema::{FIRST_START_DONE, SettingGroup};
use nexus_view::settings_search;
use nexus_view::strings::settings::limits;
use nexus_view::strings::{job_budget, settings as words};

lazy_view!(settings, lazy_settings, SettingsScreen);

#[component]
pub fn SettingsScreen() -> impl IntoMarkup {
    let (agents, providers) = (expect_context::<Agents>(), expect_context::<Providers>());
    let state = OpenSection::of_address();
    // The provider that was just added: its card is open.
    let added = RwSignal::new(None);
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
    // Before the first start the link leads there, not to the war room.
    let is_set_up = expect_context::<Settings>().get(FIRST_START_DONE).get_untracked();
    let back = if is_set_up { common::WAR_ROOM } else { words::BACK_TO_START };
    view! {
        <main class="settings" data-testid="settings" data-view=move || state.view_name()>
            <header class="settings-bar">
                <a href=home_path() class="settings-back" title=back><Brand /></a>
                <h1>{common::SETTINGS}</h1>
                <p class="hint">{words::KEPT}</p>
                <a href=home_path() class="button">{back}</a>
            </header>
            <div class="settings-link">
                <SettingsSearch state />
                <SectionList state />
            </div>
            <div class="settings-parts">
                <SettingsSection state section=you><OperatorForm /></SettingsSection>
                <SettingsSection state section=of_providers>
                    {keyed_list(move || providers.rows.order.get(), Clone::clone,
                        move |id| providers.rows.row(&id).map(|row| view! { <ProviderCard row agents providers added /> }))}
                    <ProviderAdd providers added />
                </SettingsSection>
                <SettingsSection state section=of_agents><AgentList agents providers /></SettingsSection>
                <SettingsSection state section=of_core>
                    <div class="settings-card">
                        <ModelPicker providers of=CORE />
                        {setting_fields(SettingGroup::Core)}
                    </div>
                </SettingsSection>
                <SettingsSection state section=of_archivist>
                    <div class="settings-card">
                        {setting_fields(SettingGroup::Archivist)}
                        <ModelPicker providers of=ARCHIVIST />
                    </div>
                </SettingsSection>
                <SettingsSection state section=rules><ToolRuleFields /></SettingsSection>
                <SettingsSection state section=costs>
                    <div class="settings-card">
                        <h3>{limits::CAPS}</h3>
                        <p class="hint">{limits::CAPS_ABOUT}</p>
                        {setting_fields(SettingGroup::RunLimits)}
                        <a class="settings-usage" href=screen_path(Screen::Usage)>{limits::TO_USAGE}</a>
                    </div>
                    <div class="settings-card">
                        <h3>{job_budget::JOB_LIMITS}</h3>
                        <p class="hint">{job_budget::JOB_LIMITS_ABOUT}</p>
                        {setting_fields(SettingGroup::JobLimits)}
                        <JobBudget />
                    </div>
                    <PriceTable agents providers />
                    <div class="settings-card">{setting_fields(SettingGroup::Retention)}</div>
                </SettingsSection>
                <SettingsSection state section=of_triggers>
                    <TriggerList agents />
                    <EmbedderList />
                </SettingsSection>
                <SettingsSection state section=of_voice><VoiceFields /></SettingsSection>
                <SettingsSection state section=of_calls><NotificationFields /></SettingsSection>
                <SettingsSection state section=of_data><BackupCards /></SettingsSection>
                <SettingsSection state section=look><AppearanceForm /></SettingsSection>
            </div>
        </main>
    }
}

#[component]
pub fn SettingsSearch(state: OpenSection) -> impl IntoMarkup {
    let query = state.query;
    let status = RwSignal::new(String::new());
    Effect::new(move |_| {
        query.with(|query| {
            let (shown, count) = filter::filter(query, settings_search::synonyms);
            status.set(if query.trim().is_empty() { String::new() } else { words::found(shown, count) });
        });
    });
    let key = move |ev: KeyboardEvent| match ev.key().as_str() {
        "Escape" => query.set(String::new()),
        "Enter" => {
            ev.prevent_default();
            filter::go_to_first();
        }
        _ => {}
    };
    view! {
        <search class="settings-search">
            <input
                type="search" class="input" data-testid="settings-search"
                placeholder=words::SEARCH aria-label=words::SEARCH autocomplete="off" spellcheck="false"
                prop:value=query on:input=move |ev| query.set(event_target_value(&ev)) on:keydown=key
            />
            <span class="hint" role="status" data-testid="settings-found">{status}</span>
        </search>
    }
}
