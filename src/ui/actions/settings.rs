//! Never changes a setting: it leads to it.
//!
//! Owns the settings by their names.

use leptos::prelude::*;

use super::{Action, Reach, Shelf, go};
use crate::ui::app::settings_path;
use crate::ui::setting_table::{FIELDS, SECTIONS, Setting};

/// The actions.
pub(super) fn put(reach: &Reach, shelf: &mut Shelf) {
    for Setting { id, name, also } in SECTIONS.into_iter().chain(FIELDS) {
        let selector = format!("#{id}");
        shelf.put(
            Action::here(format!("setting-{id}"), name, move || go(&settings_path(), &selector)).also(also),
        );
    }
    for id in reach.providers.order().get() {
        let Some(row) = reach.providers.row(&id) else { continue };
        let title = row.with(|row| row.provider.label.clone());
        let selector = format!("[data-provider=\"{id}\"] input, [data-provider=\"{id}\"] summary");
        shelf.put(
            Action::here(format!("provider-{id}"), title, move || go(&settings_path(), &selector))
                .also("provider api key address connection"),
        );
    }
}
