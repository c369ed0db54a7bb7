//! Appearance settings, single-key shortcuts, and applying the appearance to the page.

use crate::ui::dispatch::Dispatch;
use crate::ui::hooks::page;
use crate::ui::kit::prelude::*;
use crate::ui::settings::field::setting_fields;
use crate::ui::view_state::Settings;
use nexus_model::settings::schema::{DENSITY, MOTION, SINGLE_KEYS, SettingGroup, TEXT_SIZE, info};
use nexus_view::strings::settings::appearance as words;

#[component]
pub fn AppearanceForm() -> impl IntoMarkup {
    let (dispatch, settings) = (expect_context::<Dispatch>(), expect_context::<Settings>());
    let (on, kept) = (settings.get(SINGLE_KEYS), settings.value(SINGLE_KEYS));
    let problem = select(move || {
        let kept = kept.get().filter(|kept| !kept.is_null() && !kept.is_boolean());
        kept.map(|_| words::SWITCH_WRONG.to_owned())
    });
    let switch = vec![("on".to_owned(), "On".to_owned()), ("off".to_owned(), "Off".to_owned())];
    let info = info(SINGLE_KEYS);
    view! {
        <div class="settings-card">{setting_fields(SettingGroup::Appearance)}</div>
        <div class="settings-card">
            {choice_field(info.id, info.label, Selector::fixed(switch),
                select(move || (if on.get() { "on" } else { "off" }).to_owned()),
                move |value: String| dispatch.set_setting(SINGLE_KEYS, value == "on")).test(info.test)
                .hint(info.hint).problem(problem)}
        </div>
    }
}

/// Keeps the page as it was chosen, whichever screen is shown.
pub fn use_appearance(settings: Settings) {
    for (attribute, choice) in
        [("data-density", DENSITY), ("data-text-size", TEXT_SIZE), ("data-motion", MOTION)]
    {
        page::root_attribute(attribute, settings.text(choice));
    }
}
