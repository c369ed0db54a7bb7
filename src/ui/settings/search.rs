//! The search field of the settings, which looks in all sections.

use leptos::ev::KeyboardEvent;

use crate::ui::hooks::filter;
use crate::ui::kit::prelude::*;
use crate::ui::settings::open_section::OpenSection;
use nexus_view::settings_search;
use nexus_view::strings::settings as words;

#[component]
pub fn SettingsSearch(state: OpenSection) -> impl IntoMarkup {
    let looked_for = state.looked_for;
    let said = RwSignal::new(String::new());
    Effect::new(move |_| {
        looked_for.with(|looked_for| {
            let (stay, count) = filter::sift(looked_for, settings_search::synonyms);
            said.set(if looked_for.trim().is_empty() { String::new() } else { words::found(stay, count) });
        });
    });
    let key = move |ev: KeyboardEvent| match ev.key().as_str() {
        "Escape" => looked_for.set(String::new()),
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
                prop:value=looked_for on:input=move |ev| looked_for.set(event_target_value(&ev)) on:keydown=key
            />
            <span class="hint" role="status" data-testid="settings-found">{said}</span>
        </search>
    }
}
