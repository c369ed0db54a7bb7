//! Actions that open each setting by its name.

use super::{ActionContext, ActionList, PaletteAction, go};
use crate::ui::hooks::address::settings_path;
use crate::ui::settings::sections::{SECTIONS, SectionInfo};
use nexus_model::settings::schema::{SCHEMA, SettingGroup};
use nexus_view::language::tr;

pub(super) fn put(reach: &ActionContext, shelf: &mut ActionList) {
    let sections = SECTIONS.into_iter().map(|SectionInfo { id, name, also, .. }| (id, name.0, also.0));
    let shown = SCHEMA.iter().map(|(_, info)| info).filter(|info| info.group != SettingGroup::Hidden);
    for (id, name, also) in sections.chain(shown.map(|info| (info.id, info.label, info.also))) {
        let (name, selector) = (tr(name), format!("#{id}"));
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
                .also("provider api key base url connection"),
        );
    }
}
