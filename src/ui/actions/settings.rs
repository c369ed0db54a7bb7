//! Actions that open each setting by its name, and those that change the appearance.

use super::{ActionContext, ActionList, PaletteAction, go};
use crate::ui::hooks::address::settings_path;
use crate::ui::settings::open_section::{SECTIONS, SectionInfo};
use nexus_model::settings::schema::{
    DENSITY, MOTION, SCHEMA, SINGLE_KEYS, SettingGroup, TEXT_SIZE, THEME, info,
};
use nexus_view::language::tr;
use nexus_view::strings::palette as words;

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

/// The appearance of the page.
pub(super) fn put_appearance(reach: &ActionContext, shelf: &mut ActionList) {
    let ActionContext { dispatch, settings, .. } = *reach;
    for choice in [THEME, DENSITY, MOTION] {
        let info = info(choice);
        // What cannot be chosen can be put right.
        let kept = settings.text(choice).get();
        for (value, name) in choice.kind.options {
            let is_so = kept == *value || kept.is_empty() && choice.kind.default == *value;
            let title = format!("{}: {}", tr(info.label), tr(name).to_lowercase());
            let act = move || dispatch.set_setting(choice, *value);
            shelf.put(
                PaletteAction::here(format!("{}-{value}", choice.name()), title, act)
                    .also(info.also)
                    .unless(is_so.then_some(words::IS_SO)),
            );
        }
    }
    let kept = settings.get(TEXT_SIZE).get();
    let size = |id: &str, title: &str, to: Option<&'static str>| {
        let act = move || {
            if let Some(size) = to {
                dispatch.set_setting(TEXT_SIZE, size);
            }
        };
        PaletteAction::here(id, title, act)
            .also("font size zoom bigger smaller letters")
            .unless(to.is_none().then_some(words::SIZE_ENDS))
    };
    shelf.put(size("text-larger", words::LARGER.get(), TEXT_SIZE.kind.step(kept, 1)));
    shelf.put(size("text-smaller", words::SMALLER.get(), TEXT_SIZE.kind.step(kept, -1)));
    let is_usual = kept == TEXT_SIZE.kind.default;
    shelf.put(
        size("text-usual", words::USUAL_SIZE.get(), Some(TEXT_SIZE.kind.default))
            .unless(is_usual.then_some(words::IS_SO)),
    );
    let on = settings.get(SINGLE_KEYS).get();
    shelf.put(
        PaletteAction::here("single-keys", words::single_keys(on), move || {
            dispatch.set_setting(SINGLE_KEYS, !on);
        })
        .also(info(SINGLE_KEYS).also),
    );
}
