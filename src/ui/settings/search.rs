//! The search field of the settings.

use leptos::ev::KeyboardEvent;
use leptos::html::Input;

use crate::ui::hooks::filter;
use crate::ui::kit::prelude::*;
use nexus_view::settings_search;
use nexus_view::strings::settings as words;

/// The field.
#[component]
pub fn SettingsSearch() -> impl IntoMarkup {
    let input = NodeRef::<Input>::new();
    let said = RwSignal::new(String::new());
    let look = move || {
        let looked_for = input.get_untracked().map(|field| field.value()).unwrap_or_default();
        let (stay, count) = filter::sift(&looked_for, settings_search::synonyms);
        said.set(if looked_for.trim().is_empty() { String::new() } else { words::found(stay, count) });
    };
    let key = move |ev: KeyboardEvent| match ev.key().as_str() {
        "Escape" => {
            if let Some(field) = input.get_untracked() {
                field.set_value("");
            }
            look();
        }
        "Enter" => {
            ev.prevent_default();
            filter::go_to_first();
        }
        _ => {}
    };
    view! {
        <search class="settings-search">
            <input
                node_ref=input type="search" class="input" data-testid="settings-search"
                placeholder=words::SEARCH aria-label=words::SEARCH autocomplete="off" spellcheck="false"
                on:input=move |_| look() on:keydown=key
            />
            <span class="hint" role="status" data-testid="settings-found">{said}</span>
        </search>
    }
}
