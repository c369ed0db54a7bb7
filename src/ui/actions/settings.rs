//! Actions that open each setting by its name.

use leptos::prelude::*;

use super::{ActionContext, ActionList, PaletteAction, go};
use crate::ui::settings::table::{FIELDS, SECTIONS, SettingInfo};
use crate::ui::shell::app::settings_path;

pub(super) fn put(reach: &ActionContext, shelf: &mut ActionList) {
    for SettingInfo { id, name, also } in SECTIONS.into_iter().chain(FIELDS) {
        let selector = format!("#{id}");
        shelf.put(
            PaletteAction::here(format!("setting-{id}"), name, move || go(&settings_path(), &selector))
                .also(also),
        );
    }
    for id in reach.providers.order().get() {
        let Some(row) = reach.providers.row(&id) else { continue };
        let title = row.with(|row| row.provider.label.clone());
        let selector = format!("[data-provider=\"{id}\"] input, [data-provider=\"{id}\"] summary");
        shelf.put(
            PaletteAction::here(format!("provider-{id}"), title, move || go(&settings_path(), &selector))
                .also("provider api key address connection"),
        );
    }
}
