//! Settings of providers: addresses, API keys, prices, connection tests.
//!
//! Also the list of providers to add. Contacts none of them.

pub mod key;
pub mod passphrase;
pub mod prices;
pub mod provider;

use crate::ui::prelude::*;
use crate::ui::settings::providers::provider::title_id;
use nexus_model::provider::presets::{PRESETS, Preset};
pub use nexus_view::strings::settings::provider_card as words;

/// Placeholder address for a preset without one.
const BLANK_URL: &str = "https://example.com/v1";

/// The button that opens the list of providers.
#[component]
pub fn ProviderAdd(providers: Providers, added: RwSignal<Option<ProviderId>>) -> impl IntoMarkup {
    let dispatch = expect_context::<Dispatch>();
    let open = RwSignal::new(false);
    let add = move |preset: &Preset| {
        let others = providers.all_untracked();
        let mut provider = preset.provider(others.iter().map(AsRef::as_ref));
        if provider.base_url.is_empty() {
            BLANK_URL.clone_into(&mut provider.base_url);
        }
        let title = title_id(&provider.id);
        open.set(false);
        added.set(Some(provider.id.clone()));
        dispatch.send_and_focus(Command::ChangeProvider { provider }, title);
    };
    let preset_button = move |preset: &'static Preset| {
        view! {
            <button
                type="button" class="preset" data-testid=format!("preset-{}", preset.id)
                on:click=move |_| add(preset)
            >
                <b>{preset.label}</b>
                <span>{preset.base_url}</span>
            </button>
        }
    };
    let group = move |name: &'static str, presets: Vec<&'static Preset>| {
        view! {
            <div role="group" aria-label=name class="preset-group">
                <p class="label">{name}</p>
                <div class="presets">{presets.into_iter().map(preset_button)}</div>
            </div>
        }
    };
    view! {
        {button(move || if open.get() { common::CANCEL } else { words::ADD }).test("provider-add")
            .with("aria-expanded", move || open.get().to_string())
            .on_click(move |_| open.update(|open| *open = !*open))}
        <Show when=move || open.get()>
            <div class="settings-card">
                {group(words::ADD_CLOUD.get(), PRESETS.iter().filter(|preset| preset.needs_key).collect())}
                {group(words::ADD_LOCAL.get(), PRESETS.iter().filter(|preset| !preset.needs_key).collect())}
            </div>
        </Show>
    }
}
