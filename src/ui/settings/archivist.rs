//! Never asks the Archivist.
//!
//! Owns what the Archivist does by itself, and with which model.

use leptos::prelude::*;

use crate::domain::archivist::{
    COMPACT_SETTING, MEMORY_SETTING, MODEL_SETTING, PROVIDER_SETTING, SUMMARY_SETTING,
};
use crate::domain::id::ProviderId;
use crate::ui::dispatch::Dispatch;
use crate::ui::settings::field::{ChoiceField, Entry, Tag, TextField};
use crate::ui::settings::provider::first_model;
use crate::ui::view_state::{Providers, Settings};
use crate::ui::words::archivist as words;

/// The settings of the Archivist.
#[component]
pub fn ArchivistFields(
    /// The providers.
    providers: Providers,
) -> impl IntoView {
    let (dispatch, settings) = (expect_context::<Dispatch>(), expect_context::<Settings>());
    let choices = Signal::derive(move || {
        let rows = providers.order().get().into_iter().filter_map(|id| providers.row(&id));
        let named = rows.map(|row| row.with(|row| (row.provider.id.0.clone(), row.provider.label.clone())));
        std::iter::once((String::new(), words::AS_CORE.to_owned())).chain(named).collect()
    });
    let chosen = settings.text(PROVIDER_SETTING);
    let keep_provider = move |id: String| {
        if chosen.get_untracked() == id {
            return;
        }
        // A model is known by its provider only.
        let model = providers.get_untracked(&ProviderId(id.clone())).map(|row| first_model(&row));
        dispatch.set_setting(MODEL_SETTING, model.unwrap_or_default());
        dispatch.set_setting(PROVIDER_SETTING, id);
    };
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
            <div class="settings-row">
                <ChoiceField
                    tag=Tag::known("archivist-provider", "archivist-provider")
                    title=words::PROVIDER
                    hint=words::PROVIDER_ABOUT
                    choices
                    value=chosen
                    keep=keep_provider
                />
                <TextField
                    tag=Tag::known("archivist-model", "archivist-model")
                    title=words::MODEL
                    hint=words::MODEL_ABOUT
                    entry=Entry::Code
                    value=settings.text(MODEL_SETTING)
                    keep=move |model: &str| {
                        dispatch.set_setting(MODEL_SETTING, model);
                        Ok(())
                    }
                />
            </div>
        </div>
    }
}
