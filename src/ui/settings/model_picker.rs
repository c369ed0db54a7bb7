//! Selector of provider and model for services that are not agents.

use leptos::prelude::*;

use crate::ui::dispatch::Dispatch;
use crate::ui::settings::field::{ChoiceField, FieldIds, TextField, TextInputKind};
use crate::ui::settings::providers::provider::first_model;
use crate::ui::view_state::{Providers, Settings};
use nexus_model::id::ProviderId;
use nexus_model::settings::schema::{ARCHIVIST_MODEL, ARCHIVIST_PROVIDER, CORE_MODEL, CORE_PROVIDER, info};
use nexus_model::settings::{Setting, Text};
use nexus_view::strings::board::core_sync::settings as core_words;
use nexus_view::strings::maintenance as archivist_words;

/// Whose provider and model are chosen: where they are kept, and the words of the fields.
#[derive(Clone, Copy)]
pub struct PickedModel {
    provider: Setting<Text>,
    model: Setting<Text>,
    provider_title: &'static str,
    provider_about: &'static str,
    /// Whose provider it is where none is chosen.
    none: &'static str,
    model_title: &'static str,
    model_about: &'static str,
}

pub const CORE: PickedModel = PickedModel {
    provider: CORE_PROVIDER,
    model: CORE_MODEL,
    provider_title: core_words::PROVIDER,
    provider_about: core_words::PROVIDER_ABOUT,
    none: core_words::AS_ARCHITECT,
    model_title: core_words::MODEL,
    model_about: core_words::MODEL_ABOUT,
};
pub const ARCHIVIST: PickedModel = PickedModel {
    provider: ARCHIVIST_PROVIDER,
    model: ARCHIVIST_MODEL,
    provider_title: archivist_words::PROVIDER,
    provider_about: archivist_words::PROVIDER_ABOUT,
    none: archivist_words::AS_CORE,
    model_title: archivist_words::MODEL,
    model_about: archivist_words::MODEL_ABOUT,
};

/// A provider and a model.
#[component]
pub fn ModelPicker(providers: Providers, of: PickedModel) -> impl IntoView {
    let (dispatch, settings) = (expect_context::<Dispatch>(), expect_context::<Settings>());
    let choices = Signal::derive(move || {
        let rows = providers.order().get().into_iter().filter_map(|id| providers.row(&id));
        let named = rows.map(|row| row.with(|row| (row.provider.id.0.clone(), row.provider.label.clone())));
        std::iter::once((String::new(), of.none.to_owned())).chain(named).collect()
    });
    let chosen = settings.text(of.provider);
    let keep_provider = move |id: String| {
        if chosen.get_untracked() == id {
            return;
        }
        // A model is known by its provider only.
        let model = providers.get_untracked(&ProviderId(id.clone())).map(|row| first_model(&row));
        dispatch.set_setting(of.model, model.unwrap_or_default());
        dispatch.set_setting(of.provider, id);
    };
    let models = move || {
        let row = providers.row(&ProviderId(chosen.get()));
        let list = row.and_then(|row| row.with(|row| row.models.clone()));
        let models = list.iter().flat_map(|list| &list.models);
        models.map(|info| view! { class="n", <option value=info.id.clone()></option> }).collect_view()
    };
    let (provider_id, model_id) = (info(of.provider).id, info(of.model).id);
    let list = format!("{model_id}s");
    view! { class="n",
        <div class="settings-row">
            <ChoiceField
                tag=FieldIds::known(provider_id, provider_id)
                title=of.provider_title
                hint=of.provider_about
                choices
                value=chosen
                keep=keep_provider
            />
            <div class="field">
                <TextField
                    tag=FieldIds::known(model_id, model_id).listed(list.clone())
                    title=of.model_title
                    hint=of.model_about
                    entry=TextInputKind::Code
                    value=settings.text(of.model)
                    keep=move |model: &str| {
                        dispatch.set_setting(of.model, model);
                        Ok(())
                    }
                />
                <datalist id=list>{models}</datalist>
            </div>
        </div>
    }
}
