//! Selector of provider and model for services that are not agents.

use crate::ui::dispatch::Dispatch;
use crate::ui::kit::prelude::*;
use crate::ui::settings::providers::provider::first_model;
use crate::ui::view_state::{Providers, Settings};
use nexus_model::id::ProviderId;
use nexus_model::settings::schema::{ARCHIVIST_MODEL, ARCHIVIST_PROVIDER, CORE_MODEL, CORE_PROVIDER, info};
use nexus_model::settings::{Setting, Text};
use nexus_view::language;
use nexus_view::strings::board::core_sync::settings as core_words;
use nexus_view::strings::maintenance as archivist_words;

/// Whose provider and model are chosen: where they are kept, and the words of the fields.
#[derive(Clone, Copy)]
pub struct PickedModel {
    provider: Setting<Text>,
    model: Setting<Text>,
    provider_title: language::Text,
    provider_about: language::Text,
    /// Whose provider it is where none is chosen.
    none: language::Text,
    model_title: language::Text,
    model_about: language::Text,
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

#[component]
pub fn ModelPicker(providers: Providers, of: PickedModel) -> impl IntoMarkup {
    let (dispatch, settings) = (expect_context::<Dispatch>(), expect_context::<Settings>());
    let choices = select(move || {
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
        models.map(|info| view! { <option value=info.id.clone()></option> }).into_markup()
    };
    let (provider_id, model_id) = (info(of.provider).id, info(of.model).id);
    let list = format!("{model_id}s");
    view! {
        <div class="settings-row">
            {choice_field(provider_id, of.provider_title, choices, chosen, keep_provider)
                .test(provider_id).hint(of.provider_about)}
            <div class="field">
                {text_field(model_id, of.model_title, settings.text(of.model), move |model: &str| {
                        dispatch.set_setting(of.model, model);
                        Ok(())
                    }).test(model_id).hint(of.model_about).code().list(list.clone())}
                <datalist id=list>{models}</datalist>
            </div>
        </div>
    }
}
