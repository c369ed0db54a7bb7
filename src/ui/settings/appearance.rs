//! Settings of appearance, single-key shortcuts, the operator's name, delivery during a run; and notifications, for
//! which the browser's permission is requested only on a click.

use leptos::html::Input;
use serde_json::Value;

use crate::ui::chat::queue::default_mode;
use crate::ui::hooks::attention::NotificationAccess;
use crate::ui::hooks::{attention, language, page};
use crate::ui::prelude::*;
use crate::ui::settings::pending_edit::setting_fields;
use nexus_model::session::QueueMode;
use nexus_model::settings::schema::{
    DENSITY, LANGUAGE, MOTION, NOTIFY, NOTIFY_SOUND, QUEUE_MODE, SINGLE_KEYS, SettingGroup, TEXT_SIZE, info,
};
use nexus_view::strings::chat::message_actions::settings as settings_words;
use nexus_view::strings::chat::queue as queue_words;
use nexus_view::strings::settings::appearance as words;

#[component]
pub fn AppearanceForm() -> impl IntoMarkup {
    let (dispatch, settings) = (expect_context::<Dispatch>(), expect_context::<Settings>());
    let (on, stored) = (settings.get(SINGLE_KEYS), settings.value(SINGLE_KEYS));
    let problem = select(move || {
        let stored = stored.get().filter(|stored| !stored.is_null() && !stored.is_boolean());
        stored.map(|_| words::SWITCH_WRONG.to_owned())
    });
    let switch = vec![("on".to_owned(), tr("On").to_owned()), ("off".to_owned(), tr("Off").to_owned())];
    let (of_language, info) = (info(LANGUAGE), info(SINGLE_KEYS));
    let mut languages = vec![(String::new(), common::BROWSER_LANGUAGE.to_owned())];
    // Languages are listed by their own names, so that their speakers find them.
    languages.push(("en".to_owned(), "English".to_owned()));
    languages.extend(language::others());
    let set_language = move |tag: String| {
        let value = if tag.is_empty() { Value::Null } else { tag.as_str().into() };
        let command = Command::ChangeSetting { name: LANGUAGE.name().to_owned(), value };
        dispatch.send_done(command, move || language::reload_in(tag));
    };
    view! {
        <div class="settings-card">
            {setting_fields(SettingGroup::Appearance)}
        </div>
        <div class="settings-card">
            {choice_field(of_language.id, Text(of_language.label), Selector::fixed(languages),
                settings.text(LANGUAGE), set_language).test(of_language.test).hint(Text(of_language.hint))}
        </div>
        <div class="settings-card">
            {choice_field(info.id, Text(info.label), Selector::fixed(switch),
                select(move || (if on.get() { "on" } else { "off" }).to_owned()),
                move |value: String| dispatch.set_setting(SINGLE_KEYS, value == "on")).test(info.test)
                .hint(Text(info.hint)).problem(problem)}
        </div>
    }
}

/// Applies the appearance to the page, on every screen.
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
    let default_mode = default_mode(expect_context::<Settings>());
    let modes = QueueMode::ALL.map(|mode| (mode.name().to_owned(), queue_words::in_full(mode)));
    let info = info(QUEUE_MODE);
    view! {
        <div class="settings-card">
            {setting_fields(SettingGroup::You)}
            {choice_field(info.id, Text(info.label), Selector::fixed(modes.to_vec()),
                select(move || default_mode.get().name().to_owned()),
                move |mode: String| dispatch.set_setting(QUEUE_MODE, mode)).test(info.test).hint(Text(info.hint))}
        </div>
    }
}

#[component]
pub fn NotificationFields() -> impl IntoMarkup {
    let (dispatch, settings) = (expect_context::<Dispatch>(), expect_context::<Settings>());
    let (notify, sound) = (settings.get(NOTIFY), settings.get(NOTIFY_SOUND));
    let problem = RwSignal::new(None::<Text>);
    let silent = RwSignal::new(None::<Text>);
    let problem_of = |permission| match permission {
        NotificationAccess::Granted | NotificationAccess::Open => None,
        NotificationAccess::Denied => Some(settings_words::REFUSED),
        NotificationAccess::None => Some(settings_words::NONE),
    };
    // A revoked permission is shown at its switch.
    if notify.get_untracked() {
        problem.set(problem_of(attention::permission()));
    }
    let switch = NodeRef::<Input>::new();
    // The checkbox shows the stored value until the browser grants the permission.
    let show_stored = move || {
        if let Some(switch) = switch.get_untracked() {
            switch.set_checked(notify.get_untracked());
        }
    };
    let switch_notify = move |event| {
        if !event_target_checked(&event) {
            problem.set(None);
            dispatch.set_setting(NOTIFY, false);
            return;
        }
        spawn_local(async move {
            let permission = attention::request().await;
            let allowed = permission == NotificationAccess::Granted;
            // A dismissed prompt counts as denied.
            let refused = (permission == NotificationAccess::Open).then_some(settings_words::REFUSED);
            problem.try_set(refused.or_else(|| problem_of(permission)));
            if allowed {
                dispatch.set_setting(NOTIFY, true);
            } else {
                show_stored();
            }
        });
    };
    let play_sample = move || silent.set((!attention::play()).then_some(settings_words::NO_SOUND));
    let sound_name = view! { <span class="field-name">{Text(info(NOTIFY_SOUND).label)}</span> };
    let switch_sound = move |on| {
        dispatch.set_setting(NOTIFY_SOUND, on);
        if on { play_sample() } else { silent.set(None) }
    };
    view! {
        <div class="settings-card">
            <div class="field">
                <label class="check">
                    <input
                        node_ref=switch type="checkbox" id="calls-notify" data-testid="calls-notify"
                        aria-describedby="calls-notify-about" prop:checked=notify on:change=switch_notify
                    />
                    <span class="field-name">{Text(info(NOTIFY).label)}</span>
                </label>
                <p class="hint" id="calls-notify-about">{Text(info(NOTIFY).hint)}</p>
                <p class="field-problem" role="alert" data-testid="calls-problem">{problem}</p>
            </div>
            <div class="field">
                {check(sound_name, sound, switch_sound).test("calls-sound").with("id", "calls-sound")
                    .with("aria-describedby", "calls-sound-about")}
                <p class="hint" id="calls-sound-about">{Text(info(NOTIFY_SOUND).hint)}</p>
                <p class="field-problem" role="alert">{silent}</p>
                <div>{button(settings_words::HEAR).test("calls-hear").on_click(move |_| play_sample())}</div>
            </div>
        </div>
    }
}
