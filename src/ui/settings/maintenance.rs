//! The Archivist's settings: its model, and what it does by itself.

use leptos::prelude::*;

use crate::ui::dispatch::Dispatch;
use crate::ui::settings::model_picker::{ModelPicker, ModelPickerLabels, ModelPickerSettings};
use crate::ui::view_state::{Providers, Settings};
use nexus_model::maintenance::{
    COMPACT_SETTING, MEMORY_SETTING, MODEL_SETTING, PROVIDER_SETTING, SUMMARY_SETTING,
};
use nexus_view::strings::maintenance as words;

const KEPT: ModelPickerSettings = ModelPickerSettings {
    provider: PROVIDER_SETTING,
    model: MODEL_SETTING,
    provider_field: "archivist-provider",
    model_field: "archivist-model",
    models: "archivist-models",
};
const TOLD: ModelPickerLabels = ModelPickerLabels {
    provider: words::PROVIDER,
    provider_about: words::PROVIDER_ABOUT,
    none: words::AS_CORE,
    model: words::MODEL,
    about: words::MODEL_ABOUT,
};

/// The settings of the Archivist.
#[component]
pub fn ArchivistFields(providers: Providers) -> impl IntoView {
    let (dispatch, settings) = (expect_context::<Dispatch>(), expect_context::<Settings>());
    let switch = move |name: &'static str, test: &'static str, label: &'static str, about: &'static str| {
        let value = settings.value(name);
        let is_on =
            move || value.with(|value| value.as_ref().and_then(|value| value.as_bool())).unwrap_or(true);
        view! { class="n",
            <label class="check">
                <input
                    type="checkbox"
                    id=test
                    data-testid=test
                    prop:checked=is_on
                    on:change=move |ev| dispatch.set_setting(name, event_target_checked(&ev))
                />
                {label}
            </label>
            <p class="hint">{about}</p>
        }
    };
    view! { class="n",
        <div class="settings-card">
            {switch(COMPACT_SETTING, "compact-auto", words::COMPACT_AUTO, words::COMPACT_AUTO_ABOUT)}
            {switch(SUMMARY_SETTING, "summary-auto", words::SUMMARY_AUTO, words::SUMMARY_AUTO_ABOUT)}
            {switch(MEMORY_SETTING, "memory-auto", words::MEMORY_AUTO, words::MEMORY_AUTO_ABOUT)}
            <ModelPicker providers kept=KEPT told=TOLD />
        </div>
    }
}
