//! The settings screen: a list of sections, one of which is shown. A field is saved when it loses the focus.
//!
//! Never shows or stores an API key. The search field covers all sections. The screen and the palette share the list
//! of sections and the open one; a browser test compares them with the screen.

pub mod agents;
pub mod data;
pub mod device;
pub mod pending_edit;
pub mod providers;
pub mod triggers;

use leptos::ev;

use crate::ui::agents::gauge::JobBudget;
use crate::ui::chat::voice::VoiceFields;
use crate::ui::hooks::address::{push_query, settings_query, settings_target};
use crate::ui::hooks::dom::on_window;
use crate::ui::hooks::filter;
use crate::ui::hooks::focus::{UNTIL_FOUND, use_reveal};
use crate::ui::prelude::*;
use crate::ui::settings::agents::{ARCHIVIST, AgentList, CORE, ModelPicker};
use crate::ui::settings::data::BackupCards;
use crate::ui::settings::device::{
    AppearanceForm, EmbedderList, NotificationFields, OperatorForm, ToolRuleFields,
};
use crate::ui::settings::pending_edit::setting_fields;
use crate::ui::settings::providers::prices::PriceTable;
use crate::ui::settings::providers::{ProviderAdd, ProviderCard};
use crate::ui::settings::triggers::TriggerList;
use nexus_view::settings_search;
use nexus_view::strings::settings::limits;
use nexus_view::strings::{job_budget, settings as words};

pub(crate) use nexus_view::settings_search::{SECTIONS, SectionInfo};

lazy_view!(settings, lazy_settings, SettingsScreen);

#[component]
pub fn SettingsScreen() -> impl IntoMarkup {
    let &Page { providers, settings, .. } = expect_context();
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
    let is_set_up = settings.get(FIRST_START_DONE).get_untracked();
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
                        move |id| providers.rows.row(&id).map(|row| view! { <ProviderCard row added /> }))}
                    <ProviderAdd added />
                </SettingsSection>
                <SettingsSection state section=of_agents><AgentList /></SettingsSection>
                <SettingsSection state section=of_core>
                    <div class="settings-card">
                        <ModelPicker of=CORE />
                        {setting_fields(SettingGroup::Core)}
                    </div>
                </SettingsSection>
                <SettingsSection state section=of_archivist>
                    <div class="settings-card">
                        {setting_fields(SettingGroup::Archivist)}
                        <ModelPicker of=ARCHIVIST />
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
                    <PriceTable />
                    <div class="settings-card">{setting_fields(SettingGroup::Retention)}</div>
                </SettingsSection>
                <SettingsSection state section=of_triggers>
                    <TriggerList />
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

#[derive(Clone, Copy)]
pub struct OpenSection {
    /// The opened section. Before one is opened, wide screens show the first and narrow ones the list.
    opened: RwSignal<Option<&'static str>>,
    /// The search query. While it is not empty, all sections with matches are shown.
    pub query: RwSignal<String>,
}

impl OpenSection {
    /// The section of the address; follows the browser's history and focus requests into hidden sections.
    pub fn of_address() -> Self {
        let state = Self { opened: RwSignal::new(None), query: RwSignal::new(String::new()) };
        let follow = move || {
            let target = settings_target();
            state.opened.set(target.as_deref().and_then(section_of));
            if let Some(id) = target {
                // Ids in an address are arbitrary: an invalid one matches nothing.
                focus::focus_when_ready(format!("[id=\"{}\"]", id.replace(['"', '\\'], "")));
            }
        };
        follow();
        on_window(ev::popstate, move |_| follow());
        use_reveal(move |id| {
            state.query.set(String::new());
            state.opened.set(section_of(id));
        });
        state
    }

    /// True while a search shows all sections with matches.
    fn is_searching(self) -> bool {
        self.query.with(|words| !words.trim().is_empty())
    }

    fn is_open(self, id: &str) -> bool {
        self.opened.get().or(SECTIONS.first().map(|first| first.id)) == Some(id)
    }

    pub fn hidden(self, id: &str) -> Option<&'static str> {
        (!self.is_searching() && !self.is_open(id)).then_some(UNTIL_FOUND)
    }

    /// What a narrow screen shows.
    pub fn view_name(self) -> &'static str {
        match (self.is_searching(), self.opened.get()) {
            (true, _) => "search",
            (false, Some(_)) => "section",
            (false, None) => "list",
        }
    }

    fn open(self, id: &'static str) {
        self.query.set(String::new());
        self.opened.set(Some(id));
        push_query(&settings_query(id));
        focus::focus_when_ready(format!("#{id}"));
    }

    fn close(self) {
        let Some(id) = self.opened.get_untracked() else { return };
        self.opened.set(None);
        push_query("");
        focus::focus_when_ready(format!(".settings-link a[data-section={id}]"));
    }
}

fn section_of(id: &str) -> Option<&'static str> {
    SECTIONS.iter().find(|section| section.id == id).map(|section| section.id)
}

/// The list of sections. Arrow keys move the focus.
#[component]
pub fn SectionList(state: OpenSection) -> impl IntoMarkup {
    let links = SECTIONS.map(|SectionInfo { id, name, about, .. }| {
        let open = move |ev: MouseEvent| {
            // With a modifier key, the browser opens a tab or a window.
            if !(ev.ctrl_key() || ev.meta_key() || ev.shift_key()) {
                ev.prevent_default();
                state.open(id);
            }
        };
        view! {
            <li>
                <a
                    href=settings_path_at(id) data-section=id on:click=open
                    aria-current=move || state.is_open(id).then_some("true")
                >
                    <span>{name}</span>
                    <span class="hint" aria-hidden="true">{about}</span>
                </a>
            </li>
        }
    });
    let step = |event| focus::step_by_arrows(&event, ".settings-link nav a");
    view! { <nav aria-label=words::SECTIONS on:keydown=step><ul>{links}</ul></nav> }
}

#[component]
pub fn SettingsSection(state: OpenSection, section: SectionInfo, children: Markup) -> impl IntoMarkup {
    let SectionInfo { id, name: title, about, .. } = section;
    view! {
        <section class="settings-part" aria-labelledby=id data-reveals=id hidden=move || state.hidden(id)>
            <header>
                {quiet_button(words::ALL_SECTIONS).test("settings-sections").on_click(move |_| state.close())}
                <h2 id=id tabindex="-1">{title}</h2>
                <p class="hint">{about}</p>
            </header>
            <div class="settings-cards">{children}</div>
        </section>
    }
}
