//! Notification settings. The browser's permission is requested only on a click.

use leptos::html::Input;
use leptos::task::spawn_local;

use crate::ui::dispatch::Dispatch;
use crate::ui::hooks::attention;
use crate::ui::hooks::attention::NotificationAccess;
use crate::ui::kit::prelude::*;
use crate::ui::view_state::Settings;
use nexus_model::settings::schema::{NOTIFY, NOTIFY_SOUND, info};
use nexus_view::language::Text;
use nexus_view::strings::chat::message_actions::settings as words;

/// The two switches.
#[component]
pub fn NotificationFields() -> impl IntoMarkup {
    let (dispatch, settings) = (expect_context::<Dispatch>(), expect_context::<Settings>());
    let (notify, sound) = (settings.get(NOTIFY), settings.get(NOTIFY_SOUND));
    let problem = RwSignal::new(None::<Text>);
    let silent = RwSignal::new(None::<Text>);
    let told = |permission| match permission {
        NotificationAccess::Granted | NotificationAccess::Open => None,
        NotificationAccess::Refused => Some(words::REFUSED),
        NotificationAccess::None => Some(words::NONE),
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
            let refused = (permission == NotificationAccess::Open).then_some(words::REFUSED);
            problem.try_set(refused.or_else(|| told(permission)));
            if allowed {
                dispatch.set_setting(NOTIFY, true);
            } else {
                show_kept();
            }
        });
    };
    let hear = move || silent.set((!attention::play()).then_some(words::NO_SOUND));
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
                <div>{button(words::HEAR).test("calls-hear").on_click(move |_| hear())}</div>
            </div>
        </div>
    }
}
