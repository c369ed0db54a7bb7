//! Settings of appearance, which are applied to the page here, single-key shortcuts, the operator's name, delivery during
//! a run; and notifications, for which the browser's permission is requested only on a click.

use leptos::html::Input;
use serde_json::Value;

use crate::ui::chat::queue::usual_mode;
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
    let (on, kept) = (settings.get(SINGLE_KEYS), settings.value(SINGLE_KEYS));
    let problem = select(move || {
        let kept = kept.get().filter(|kept| !kept.is_null() && !kept.is_boolean());
        kept.map(|_| words::SWITCH_WRONG.to_owned())
    });
    let switch = vec![("on".to_owned(), tr("On").to_owned()), ("off".to_owned(), tr("Off").to_owned())];
    let (of_language, info) = (info(LANGUAGE), info(SINGLE_KEYS));
    let mut languages = vec![(String::new(), common::BROWSER_LANGUAGE.to_owned())];
    // Each is called by its own name, so that it is found by who cannot read the others.
    languages.push(("en".to_owned(), "English".to_owned()));
    languages.extend(language::others());
    let speak = move |tag: String| {
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

#[component]
pub fn NotificationFields() -> impl IntoMarkup {
    let (dispatch, settings) = (expect_context::<Dispatch>(), expect_context::<Settings>());
    let (notify, sound) = (settings.get(NOTIFY), settings.get(NOTIFY_SOUND));
    let problem = RwSignal::new(None::<Text>);
    let silent = RwSignal::new(None::<Text>);
    let told = |permission| match permission {
        NotificationAccess::Granted | NotificationAccess::Open => None,
        NotificationAccess::Refused => Some(settings_words::REFUSED),
        NotificationAccess::None => Some(settings_words::NONE),
    };
    // A permission that was taken back is told where the switch is.
    if notify.get_untracked() {
        problem.set(told(attention::permission()));
    }
    let switch = NodeRef::<Input>::new();
    // What was clicked is not what is kept before the browser agrees.
    let show_kept = move || {
        if let Some(switch) = switch.try_get_untracked().flatten() {
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
            let permission = attention::ask().await;
            let allowed = permission == NotificationAccess::Granted;
            // A question that was closed without an answer is none, either.
            let refused = (permission == NotificationAccess::Open).then_some(settings_words::REFUSED);
            problem.try_set(refused.or_else(|| told(permission)));
            if allowed {
                dispatch.set_setting(NOTIFY, true);
            } else {
                show_kept();
            }
        });
    };
    let hear = move || silent.set((!attention::play()).then_some(settings_words::NO_SOUND));
    let sound_name = view! { <span class="field-name">{Text(info(NOTIFY_SOUND).label)}</span> };
    let switch_sound = move |on| {
        dispatch.set_setting(NOTIFY_SOUND, on);
        if on { hear() } else { silent.set(None) }
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
                <div>{button(settings_words::HEAR).test("calls-hear").on_click(move |_| hear())}</div>
            </div>
        </div>
    }
}
