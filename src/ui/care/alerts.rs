//! Never calls while the operator looks, and never tells what an agent wrote.
//!
//! Owns calling the operator back to a hidden page, and the settings of that.

use leptos::prelude::*;

use crate::domain::attention::{Call, NOTIFY_SETTING, SOUND_SETTING, calls, heard, standings};
use crate::ui::dispatch::Dispatch;
use crate::ui::hooks::{attention, page};
use crate::ui::later::arriving;
use crate::ui::screens;
use crate::ui::view_state::{Past, Sessions, Settings};
use crate::ui::words::care as words;

/// Where what calls is loaded, once it is wanted.
#[component]
pub fn AlertPlace() -> impl IntoView {
    let settings = expect_context::<Settings>();
    let (notify, sound) = (settings.is_on(NOTIFY_SETTING), settings.is_on(SOUND_SETTING));
    let is_wanted = Memo::new(move |_| notify.get() || sound.get());
    move || {
        is_wanted.get().then(|| {
            let came = arriving(screens::alerts);
            move || came.get().map(|draw| draw())
        })
    }
}

/// What calls.
#[component]
pub fn AlertService() -> impl IntoView {
    let (past, dispatch) = (expect_context::<Past>(), expect_context::<Dispatch>());
    let (settings, sessions) = (expect_context::<Settings>(), expect_context::<Sessions>());
    let (notify, sound) = (settings.is_on(NOTIFY_SETTING), settings.is_on(SOUND_SETTING));
    let hidden = page::hidden();
    Effect::new(move |before: Option<_>| {
        let now = past.fold(standings);
        // How things stand when the page begins is no news.
        let called = before.map(|before| calls(&before, &now)).unwrap_or_default();
        if hidden.get_untracked() {
            for call in called {
                let row = sessions.get_untracked(&call.session);
                // Where another tab works in the session, that one calls.
                let Some(row) = row.filter(|row| !row.read_only) else { continue };
                let Call { session, run, need } =
                    past.fold_untracked(|world| Some(heard(world, call))).unwrap_or(call);
                let (title, line) = words::call(need, &row.label);
                if notify.get_untracked() {
                    attention::show(&title, line, &run.to_string(), move || dispatch.open(session));
                }
                if sound.get_untracked() {
                    attention::play();
                }
            }
        }
        now
    });
}
