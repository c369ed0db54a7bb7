//! Appearance settings (theme, density, text size, motion), single-key shortcuts, and applying them to the page.

use leptos::prelude::*;

use crate::ui::dispatch::Dispatch;
use crate::ui::hooks::page;
use crate::ui::settings::field::{ChoiceField, FieldIds};
use crate::ui::view_state::Settings;
use nexus_model::settings::appearance::{
    AppearanceOption, DENSITY, MOTION, SINGLE_KEYS_SETTING, TEXT_SIZE, THEME,
};
pub use nexus_view::strings::settings::appearance as words;

/// The choices.
#[component]
pub fn AppearanceForm() -> impl IntoView {
    let (dispatch, settings) = (expect_context::<Dispatch>(), expect_context::<Settings>());
    let field = move |choice: AppearanceOption,
                      tag: FieldIds,
                      title: &'static str,
                      hint: &'static str,
                      name: fn(&str) -> &'static str| {
        let kept = settings.text(choice.setting);
        let value = Signal::derive(move || kept.with(|kept| choice.holds(kept).to_owned()));
        let problem = Signal::derive(move || {
            kept.with(|kept| choice.is_wrong(kept).then(|| words::wrong(kept, name(choice.holds(kept)))))
        });
        let choices: Vec<_> =
            choice.values.iter().map(|value| ((*value).to_owned(), name(value).to_owned())).collect();
        view! { class="n",
            <ChoiceField
                tag
                title
                hint
                problem
                choices=Signal::stored(choices)
                value
                keep=move |value: String| dispatch.set_setting(choice.setting, value)
            />
        }
    };
    let singles = settings.value(SINGLE_KEYS_SETTING);
    let on = Signal::derive(move || {
        let on = singles.with(|kept| kept.as_ref().and_then(|kept| kept.as_bool())).unwrap_or(true);
        (if on { "on" } else { "off" }).to_owned()
    });
    let problem = Signal::derive(move || {
        let kept = singles.get().filter(|kept| !kept.is_null() && !kept.is_boolean());
        kept.map(|_| words::SWITCH_WRONG.to_owned())
    });
    let switch = vec![("on".to_owned(), "On".to_owned()), ("off".to_owned(), "Off".to_owned())];
    view! { class="n",
        <div class="settings-card">
            <div class="settings-row">
                {field(THEME, FieldIds::known("theme", "theme-select"), words::THEME, words::THEME_ABOUT, words::theme)}
                {field(DENSITY, FieldIds::known("density", "density"), words::DENSITY, words::DENSITY_ABOUT, words::density)}
            </div>
            <div class="settings-row">
                {field(TEXT_SIZE, FieldIds::known("text-size", "text-size"), words::TEXT_SIZE, words::TEXT_SIZE_ABOUT, words::text_size)}
                {field(MOTION, FieldIds::known("motion", "motion"), words::MOTION, words::MOTION_ABOUT, words::motion)}
            </div>
        </div>
        <div class="settings-card">
            <ChoiceField
                tag=FieldIds::known("single-keys", "single-keys")
                title=words::SINGLE_KEYS
                hint=words::SINGLE_KEYS_ABOUT
                problem
                choices=Signal::stored(switch)
                value=on
                keep=move |value: String| dispatch.set_setting(SINGLE_KEYS_SETTING, value == "on")
            />
        </div>
    }
}

/// Keeps the page as it was chosen, whichever screen is shown.
pub fn use_appearance(settings: Settings) {
    for (attribute, choice) in
        [("data-density", DENSITY), ("data-text-size", TEXT_SIZE), ("data-motion", MOTION)]
    {
        page::root_attribute(attribute, settings.text(choice.setting));
    }
}
