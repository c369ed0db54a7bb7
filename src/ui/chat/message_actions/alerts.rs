//! Sends notifications while the page is hidden. Never shows what an agent wrote.

use crate::ui::dispatch::Dispatch;
use crate::ui::hooks::{attention, page};
use crate::ui::kit::prelude::*;
use crate::ui::view_state::{Sessions, Settings, WorldParts, WorldReader};
use nexus_model::settings::schema::{NOTIFY, NOTIFY_SOUND};
use nexus_view::run_summary::notification::{RunNotification, calls, heard, standings};
use nexus_view::strings::chat::message_actions as words;

lazy_view!(board, lazy_notifications, NotificationService);

/// Where what calls is loaded, once it is wanted.
#[component]
pub fn NotificationSlot() -> impl IntoMarkup {
    let settings = expect_context::<Settings>();
    let (notify, sound) = (settings.get(NOTIFY), settings.get(NOTIFY_SOUND));
    let is_wanted = select(move || notify.get() || sound.get());
    move || {
        is_wanted.get().then(|| {
            let came = loaded(lazy_notifications);
            move || came.get().map(|draw| draw())
        })
    }
}

#[component]
pub fn NotificationService() -> impl IntoMarkup {
    let (past, dispatch) = (expect_context::<WorldReader>(), expect_context::<Dispatch>());
    let (settings, sessions) = (expect_context::<Settings>(), expect_context::<Sessions>());
    let (notify, sound) = (settings.get(NOTIFY), settings.get(NOTIFY_SOUND));
    let hidden = page::hidden();
    Effect::new(move |before: Option<_>| {
        let now = past.with(WorldParts::ALL, standings);
        // How things stand when the page begins is no news.
        let called = before.map(|before| calls(&before, &now)).unwrap_or_default();
        if hidden.get_untracked() {
            for call in called {
                let row = sessions.get_untracked(&call.session);
                // Where another tab works in the session, that one calls.
                let Some(row) = row.filter(|row| !row.read_only) else { continue };
                let RunNotification { session, run, need } = past.with_untracked(|world| heard(world, call));
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
