//! Actions for the appearance of the page.

use leptos::prelude::*;

use super::{ActionContext, ActionList, PaletteAction};
use nexus_model::settings::appearance::{
    AppearanceOption, DENSITY, MOTION, SINGLE_KEYS_SETTING, TEXT_SIZE, THEME,
};
use nexus_view::strings::palette as words;
use nexus_view::strings::settings::appearance;

pub(super) fn put(reach: &ActionContext, shelf: &mut ActionList) {
    let ActionContext { dispatch, settings, .. } = *reach;
    let mut offer =
        |choice: AppearanceOption, name: fn(&str) -> &'static str, title: fn(&str) -> String, also| {
            let kept = settings.text(choice.setting).get();
            for value in choice.values {
                let is_so = choice.holds(&kept) == *value && !choice.is_wrong(&kept);
                let act = move || dispatch.set_setting(choice.setting, *value);
                shelf.put(
                    PaletteAction::here(format!("{}-{value}", choice.setting), title(name(value)), act)
                        .also(also)
                        .unless(is_so.then_some(words::IS_SO)),
                );
            }
        };
    offer(THEME, appearance::theme, words::theme, "dark light colours mode");
    offer(DENSITY, appearance::density, words::density, "compact space room tight");
    offer(MOTION, appearance::motion, words::motion, "animation reduced");
    let kept = settings.text(TEXT_SIZE.setting).get();
    let size = |id: &str, title: &str, to: Option<&'static str>| {
        let act = move || {
            if let Some(size) = to {
                dispatch.set_setting(TEXT_SIZE.setting, size);
            }
        };
        PaletteAction::here(id, title, act)
            .also("font size zoom bigger smaller letters")
            .unless(to.is_none().then_some(words::SIZE_ENDS))
    };
    shelf.put(size("text-larger", words::LARGER, TEXT_SIZE.step(&kept, 1)));
    shelf.put(size("text-smaller", words::SMALLER, TEXT_SIZE.step(&kept, -1)));
    let is_usual = TEXT_SIZE.holds(&kept) == TEXT_SIZE.usual;
    shelf.put(
        size("text-usual", words::USUAL_SIZE, Some(TEXT_SIZE.usual)).unless(is_usual.then_some(words::IS_SO)),
    );
    let singles = settings.value(SINGLE_KEYS_SETTING);
    let on = singles.with(|kept| kept.as_ref().and_then(|kept| kept.as_bool())).unwrap_or(true);
    shelf.put(
        PaletteAction::here("single-keys", words::single_keys(on), move || {
            dispatch.set_setting(SINGLE_KEYS_SETTING, !on);
        })
        .also("shortcuts keyboard letters"),
    );
}
