//! Appearance settings, single-key shortcuts, and applying the appearance to the page.
//!
//! Also the operator's name, and how messages are delivered during a run.

use serde_json::Value;

use crate::ui::chat::queue::usual_mode;
use crate::ui::dispatch::Dispatch;
use crate::ui::hooks::{language, page};
use crate::ui::kit::prelude::*;
use crate::ui::settings::field::setting_fields;
use crate::ui::view_state::Settings;
use nexus_model::command::Command;
use nexus_model::session::QueueMode;
use nexus_model::settings::schema::{
    DENSITY, LANGUAGE, MOTION, QUEUE_MODE, SINGLE_KEYS, SettingGroup, TEXT_SIZE, info,
};
use nexus_view::language::{Text, tr};
use nexus_view::strings::chat::queue as queue_words;
use nexus_view::strings::settings::appearance as words;

#[component]
pub fn AppearanceForm() -> impl IntoMarkup {
    let (dispatch, settings) = (expect_context::<Dispatch>(), expect_context::<Settings>());
    let (on, kept) = (settings.get(SINGLE_KEYS), settings.value(SINGLE_KEYS));
    let problem = select(move || {
        let kept = kept.get().filter(|kept| !kept.is_null() && !kept.is_boolean());
        kept.map(|_| words::SWITCH_WRONG.to_owned())
    });
    let switch = vec![("on".to_owned(), tr("On").to_owned()), ("off".to_owned(), tr("Off").to_owned())];
    let (of_language, info) = (info(LANGUAGE), info(SINGLE_KEYS));
    let mut languages = vec![(String::new(), words::LANGUAGE_OF_BROWSER.to_owned())];
    // Each is called by its own name, so that it is found by who cannot read the others.
    languages.push(("en".to_owned(), "English".to_owned()));
    languages.extend(language::others());
    let speak = move |tag: String| {
        let value = if tag.is_empty() { Value::Null } else { tag.as_str().into() };
        let command = Command::ChangeSetting { name: LANGUAGE.name().to_owned(), value };
        dispatch.send_then(command, move |outcome| {
            if outcome.is_ok() {
                language::reload_in(tag);
            }
        });
    };
    view! {
        <div class="settings-card">
            {setting_fields(SettingGroup::Appearance)}
        </div>
        <div class="settings-card">
            {choice_field(of_language.id, Text(of_language.label), Selector::fixed(languages),
                settings.text(LANGUAGE), speak).test(of_language.test).hint(Text(of_language.hint))}
        </div>
        <div class="settings-card">
            {choice_field(info.id, Text(info.label), Selector::fixed(switch),
                select(move || (if on.get() { "on" } else { "off" }).to_owned()),
                move |value: String| dispatch.set_setting(SINGLE_KEYS, value == "on")).test(info.test)
                .hint(Text(info.hint)).problem(problem)}
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

#[component]
pub fn OperatorForm() -> impl IntoMarkup {
    let dispatch = expect_context::<Dispatch>();
    let usual = usual_mode(expect_context::<Settings>());
    let modes = QueueMode::ALL.map(|mode| (mode.name().to_owned(), queue_words::in_full(mode)));
    let info = info(QUEUE_MODE);
    view! {
        <div class="settings-card">
            {setting_fields(SettingGroup::You)}
            {choice_field(info.id, Text(info.label), Selector::fixed(modes.to_vec()),
                select(move || usual.get().name().to_owned()),
                move |mode: String| dispatch.set_setting(QUEUE_MODE, mode)).test(info.test).hint(Text(info.hint))}
        </div>
    }
}
