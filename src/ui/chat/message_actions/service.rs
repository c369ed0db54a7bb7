//! The message actions that are loaded after the first screen: search bar, pins, menu and notices of triggers; and
//! notifications while the page is hidden, which never contain what an agent wrote.

use std::cell::Cell;

use crate::ui::chat::message_actions::find_bar::{PinList, SearchBar};
use crate::ui::chat::message_actions::handler::MessageActionsHandler;
use crate::ui::chat::message_actions::menu::{AskAboutSelection, MessageMenu};
use crate::ui::hooks::attention;
use crate::ui::hooks::embedder::{EmbedderReply, is_writing_in, use_embedder};
use crate::ui::prelude::*;
use nexus_model::id::TriggerId;
use nexus_model::message::added;
use nexus_model::session::trigger::triggers;
use nexus_model::settings::iframe_policy::{
    EmbedMessage, EmbedRateLimiter, EmbedRejection, marked, may_place, read,
};
use nexus_model::settings::schema::{NOTIFY, NOTIFY_SOUND};
use nexus_view::run_summary::notification::{RunNotification, latest_runs, new_notifications, with_question};
use nexus_view::strings::Notice;
use nexus_view::strings::chat::message_actions as message_actions_words;
use nexus_view::strings::settings::{iframe as iframe_words, triggers as words};

lazy_view!(board, lazy_message_actions, MessageActionsService);

#[component]
pub fn MessageActionsService() -> impl IntoMarkup {
    let handler = MessageActionsHandler::new();
    let actions = handler.room.actions;
    let &Page { sessions: Sessions { focus: session, .. }, world, .. } = handler.page;
    Effect::new(move |_| {
        let session = session.get();
        let pins = world.with(WorldParts::SESSIONS, |world| Some(world.session(&session)?.pins.clone()));
        actions.pins.set_if_changed(pins.unwrap_or_default());
    });
    // Menu and pins belong to one session.
    on_change(
        move || session.get(),
        move |_| {
            actions.menu.set(None);
            actions.lists.set(false);
        },
    );
    Effect::new(move |_| actions.take().into_iter().for_each(|action| handler.perform(action)));
    page::on_key(move |event| handler.key(&event));
    show_trigger_notices(handler.page);
    receive_drafts(handler.page);
    on_cleanup(move || actions.is_searching.set(false));
    view! {
        <Show when=move || actions.is_searching.get()>
            <SearchBar handler />
        </Show>
        <Show when=move || actions.lists.get()>
            <PinList handler />
        </Show>
        {move || actions.menu.get().map(|id| view! { <MessageMenu id handler /> })}
        <AskAboutSelection handler />
    }
}

/// Outcomes older than this at the first start of the service belong to an earlier visit, in milliseconds.
const BEFORE_MS: u64 = 60_000;

thread_local! {
    /// Start of the first service of this page.
    static STARTED_AT: Cell<Option<Millis>> = const { Cell::new(None) };
    static SHOWN: RefCell<VecSet<(TriggerId, Millis)>> = const { RefCell::new(VecSet::new()) };
}

pub(super) fn show_trigger_notices(page: &'static Page) {
    let &Page { dispatch, notices, world, .. } = page;
    let started_at = STARTED_AT.get().unwrap_or_else(|| Millis(dispatch.now().0.saturating_sub(BEFORE_MS)));
    STARTED_AT.set(Some(started_at));
    Effect::new(move |_| {
        for trigger in world.with(WorldParts::SETTINGS, triggers) {
            let Some(last) = trigger.last.filter(|last| last.at >= started_at) else { continue };
            let news =
                last.outcome.as_ref().and_then(|outcome| words::failure_notice(&trigger.name, outcome));
            let Some(notice) = news else { continue };
            if SHOWN.with_borrow_mut(|all| all.insert((trigger.id, last.at))) {
                notices.add_error(notice);
            }
        }
    });
}

lazy_view!(board, lazy_notifications, NotificationService);

#[component]
pub fn NotificationSlot() -> impl IntoMarkup {
    let &Page { settings, .. } = expect_context();
    let (notify, sound) = (settings.get(NOTIFY), settings.get(NOTIFY_SOUND));
    let is_wanted = select(move || notify.get() || sound.get());
    move || is_wanted.get().then(|| lazy_slot(lazy_notifications, |draw| draw()))
}

#[component]
pub fn NotificationService() -> impl IntoMarkup {
    let &Page { dispatch, sessions, settings, world, .. } = expect_context();
    let (notify, sound) = (settings.get(NOTIFY), settings.get(NOTIFY_SOUND));
    let hidden = page::hidden();
    Effect::new(move |before: Option<_>| {
        let now = world.with(WorldParts::ALL, latest_runs);
        // The state at the start of the page is no news.
        let due = before.map(|before| new_notifications(&before, &now)).unwrap_or_default();
        if hidden.get_untracked() {
            for call in due {
                let row = sessions.rows.get_untracked(&call.session);
                // Another tab that works in the session shows its own notification.
                let Some(row) = row.filter(|row| !row.read_only) else { continue };
                let RunNotification { session, run, reason } =
                    world.with_untracked(|world| with_question(world, call));
                let Notice { title, advice } = message_actions_words::call(reason, &row.label);
                if notify.get_untracked() {
                    attention::show(&title, &advice, &run.to_string(), move || dispatch.open(session));
                }
                if sound.get_untracked() {
                    attention::play();
                }
            }
        }
        now
    });
}

/// Maximum length of an origin in a notice, in characters.
const ORIGIN_CHARS: usize = 200;

pub(super) fn receive_drafts(page: &'static Page) {
    let &Page { dispatch, notices, sessions, world, .. } = page;
    let (composer, pages) = (dispatch.field(&DraftField::Composer), dispatch.field(&DraftField::Pages));
    let status = expect_context::<Workspace>().voice.status;
    let add = move |origin: &str, text: &str| {
        if sessions.read_only.get_untracked() {
            return Err(EmbedRejection::ReadOnly);
        }
        let before = composer.text.get_untracked();
        let is_typing = !before.is_empty() && is_writing_in(COMPOSER);
        // Text that the next Enter or the end of dictation sends must have been seen.
        if is_typing || status.get_untracked().is_listening() {
            return Err(EmbedRejection::Busy);
        }
        let mark = marked(&pages.text.get_untracked(), origin)?;
        composer.typed(&added(&before, text));
        pages.typed(&mark);
        Ok(())
    };
    // Adds a draft to the composer or returns the rejection; with the message's id, if it could be read.
    let place = move |limiter: &mut EmbedRateLimiter, origin: &str, shape: &dyn Fn() -> EmbedMessage| {
        // Nothing of a message is read before its sender is allowed.
        let draft = world.with_untracked(|world| may_place(world, origin)).and_then(|()| read(shape()));
        let draft = match draft {
            Ok(draft) => draft,
            Err(rejection) => return (Some(rejection), None),
        };
        // A resend whose draft was already placed succeeds.
        let outcome = if limiter.has_placed(origin, &draft) { Ok(()) } else { add(origin, &draft.text) };
        if outcome.is_ok() {
            limiter.placed(origin, &draft);
        }
        (outcome.err(), draft.id)
    };
    use_embedder(
        move || dispatch.now(),
        move |limiter, origin, shape| {
            let (rejection, id) = place(limiter, origin, shape);
            if let Some(why) = rejection.filter(|why| why.is_told() && limiter.tells(origin)) {
                let origin: String = reveal(origin).chars().take(ORIGIN_CHARS).collect();
                let Notice { title, advice } = iframe_words::embed_rejected(&origin, why);
                notices.add(NoticeKind::Info, title, advice);
            }
            EmbedderReply { rejection: rejection.map(EmbedRejection::name), id }
        },
    );
}
