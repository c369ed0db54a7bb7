//! Selector of provider and model for services that are not agents.

use leptos::prelude::*;

use crate::ui::dispatch::Dispatch;
use crate::ui::settings::field::{ChoiceField, FieldIds, TextField, TextInputKind};
use crate::ui::settings::providers::provider::first_model;
use crate::ui::view_state::{Providers, Settings};
use nexus_model::id::ProviderId;

/// Where a choice is kept, and by which names its fields are found.
#[derive(Clone, Copy)]
pub struct ModelPickerSettings {
    pub provider: &'static str,
    pub model: &'static str,
    /// The name of the provider's field.
    pub provider_field: &'static str,
    /// The name of the model's field.
    pub model_field: &'static str,
    /// The name of the list of models.
    pub models: &'static str,
}

/// What it says.
#[derive(Clone, Copy)]
pub struct ModelPickerLabels {
    pub provider: &'static str,
    pub provider_about: &'static str,
    /// Whose provider it is where none is chosen.
    pub none: &'static str,
    /// The title of the model.
    pub model: &'static str,
    pub about: &'static str,
}

/// A provider and a model.
#[component]
pub fn ModelPicker(
    providers: Providers,
    /// Where it is kept.
    kept: ModelPickerSettings,
    told: ModelPickerLabels,
) -> impl IntoView {
    let (dispatch, settings) = (expect_context::<Dispatch>(), expect_context::<Settings>());
    let choices = Signal::derive(move || {
        let rows = providers.order().get().into_iter().filter_map(|id| providers.row(&id));
        let named = rows.map(|row| row.with(|row| (row.provider.id.0.clone(), row.provider.label.clone())));
        std::iter::once((String::new(), told.none.to_owned())).chain(named).collect()
    });
    let chosen = settings.text(kept.provider);
    let keep_provider = move |id: String| {
        if chosen.get_untracked() == id {
            return;
        }
        // A model is known by its provider only.
        let model = providers.get_untracked(&ProviderId(id.clone())).map(|row| first_model(&row));
        dispatch.set_setting(kept.model, model.unwrap_or_default());
        dispatch.set_setting(kept.provider, id);
    };
    let models = move || {
        let row = providers.row(&ProviderId(chosen.get()));
        let list = row.and_then(|row| row.with(|row| row.models.clone()));
        let models = list.iter().flat_map(|list| &list.models);
        models.map(|info| view! { class="n", <option value=info.id.clone()></option> }).collect_view()
    };
    view! { class="n",
        <div class="settings-row">
            <ChoiceField
                tag=FieldIds::known(kept.provider_field, kept.provider_field)
                title=told.provider
                hint=told.provider_about
                choices
                value=chosen
                keep=keep_provider
            />
            <div class="field">
                <TextField
                    tag=FieldIds::known(kept.model_field, kept.model_field).listed(kept.models.to_owned())
                    title=told.model
                    hint=told.about
                    entry=TextInputKind::Code
                    value=settings.text(kept.model)
                    keep=move |model: &str| {
                        dispatch.set_setting(kept.model, model);
                        Ok(())
                    }
                />
                <datalist id=kept.models>{models}</datalist>
            </div>
        </div>
    }
}
