//! What serves the messages and is loaded after the first screen: search bar, pins, menu and the notices of triggers; and
//! notifications while the page is hidden, which never show what an agent wrote.

use std::cell::{Cell, RefCell};

use crate::ui::chat::message_actions::find_bar::{PinList, SearchBar};
use crate::ui::chat::message_actions::menu::{AskAboutSelection, MessageMenu};
use crate::ui::chat::message_actions::serve::MessageActionsHandler;
use crate::ui::dispatch::drafts::DraftBinding;
use crate::ui::hooks::embedder::{EmbedderReply, is_writing_in, use_embedder};
use crate::ui::hooks::focus::COMPOSER;
use crate::ui::hooks::{attention, page};
use crate::ui::prelude::*;
use crate::ui::workspace::message_actions::VoiceState;
use nexus_model::id::TriggerId;
use nexus_model::session::trigger::triggers;
use nexus_model::settings::iframe_policy::{
    EmbedMessage, EmbedRateLimiter, EmbedRejection, below, marked, may_place, read,
};
use nexus_model::settings::schema::{NOTIFY, NOTIFY_SOUND};
use nexus_view::run_summary::notification::{RunNotification, calls, heard, standings};
use nexus_view::strings::chat::message_actions as message_actions_words;
use nexus_view::strings::settings::{iframe as iframe_words, triggers as words};
use nexus_view::voice::listening::VoiceStatus;

lazy_view!(board, lazy_message_actions, MessageActionsService);

#[component]
pub fn MessageActionsService() -> impl IntoMarkup {
    let serve = MessageActionsHandler::new();
    let care = serve.care;
    let session = expect_context::<Sessions>().focus;
    Effect::new(move |_| {
        let session = session.get();
        let pins = serve
            .past
            .with(WorldParts::SESSIONS, |world| world.session(&session).map(|row| row.pins.clone()));
        let pins = pins.unwrap_or_default();
        if care.pins.with_untracked(|old| *old != pins) {
            care.pins.set(pins);
        }
    });
    // What was open about one session is not about another.
    Effect::new(move |before: Option<_>| {
        let now = session.get();
        if before.is_some_and(|before| before != now) {
            care.menu.set(None);
            care.lists.set(false);
        }
        now
    });
    Effect::new(move |_| care.take().into_iter().for_each(|wish| serve.grant(wish)));
    page::on_key(move |event| serve.key(&event));
    tell_of_triggers(serve.past, serve.notices, serve.dispatch);
    receive_drafts(serve.past, serve.notices, serve.dispatch);
    on_cleanup(move || {
        care.finds.try_set(false);
    });
    view! {
        <Show when=move || care.finds.get()>
            <SearchBar serve />
        </Show>
        <Show when=move || care.lists.get()>
            <PinList serve />
        </Show>
        {move || care.menu.get().map(|id| view! { <MessageMenu id serve /> })}
        <AskAboutSelection serve />
    }
}

/// What happened so long before this was first there belongs to an earlier visit, in milliseconds.
const BEFORE_MS: u64 = 60_000;

thread_local! {
    /// When this was first there.
    static BEGAN: Cell<Option<Millis>> = const { Cell::new(None) };
    static TOLD: RefCell<Vec<(TriggerId, Millis)>> = const { RefCell::new(Vec::new()) };
}

/// Tells of it from here on.
pub(super) fn tell_of_triggers(past: WorldReader, notices: Notices, dispatch: Dispatch) {
    let began = BEGAN.get().unwrap_or_else(|| Millis(dispatch.now().0.saturating_sub(BEFORE_MS)));
    BEGAN.set(Some(began));
    Effect::new(move |_| {
        for trigger in past.with(WorldParts::SETTINGS, triggers) {
            let Some(last) = trigger.last.filter(|last| last.at >= began) else { continue };
            let news = last.outcome.as_ref().and_then(|outcome| words::news(&trigger.name, outcome));
            let Some((title, told)) = news else { continue };
            let is_new = TOLD.with_borrow_mut(|all| {
                let is_new = !all.contains(&(trigger.id, last.at));
                if is_new {
                    all.push((trigger.id, last.at));
                }
                is_new
            });
            if is_new {
                notices.tell(NoticeKind::Problem, title, told);
            }
        }
    });
}

lazy_view!(board, lazy_notifications, NotificationService);

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
                let row = sessions.rows.get_untracked(&call.session);
                // Where another tab works in the session, that one calls.
                let Some(row) = row.filter(|row| !row.read_only) else { continue };
                let RunNotification { session, run, need } = past.with_untracked(|world| heard(world, call));
                let (title, line) = message_actions_words::call(need, &row.label);
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

/// The longest origin that is told, in characters.
const ORIGIN_CHARS: usize = 200;

#[derive(Clone, Copy)]
struct EmbedInbox {
    past: WorldReader,
    composer: DraftBinding,
    pages: DraftBinding,
    voice: VoiceState,
    read_only: Selector<bool>,
}

pub(super) fn receive_drafts(past: WorldReader, notices: Notices, dispatch: Dispatch) {
    let desk = EmbedInbox {
        past,
        composer: dispatch.field(&DraftField::Composer),
        pages: dispatch.field(&DraftField::Pages),
        voice: expect_context(),
        read_only: expect_context::<Sessions>().read_only,
    };
    use_embedder(
        move || dispatch.now(),
        move |porter, origin, shape| {
            let (outcome, id) = desk.place(porter, origin, shape);
            let refused = outcome.err();
            if let Some(why) = refused.filter(|why| why.is_told() && porter.tells(origin)) {
                let origin: String = reveal(origin).chars().take(ORIGIN_CHARS).collect();
                let (title, advice) = iframe_words::refused(&origin, why);
                notices.tell(NoticeKind::Word, title, advice);
            }
            EmbedderReply { refused: refused.map(EmbedRejection::name), id }
        },
    );
}

impl EmbedInbox {
    /// Places a draft, or says why not; with what the page calls it, where that could be read.
    fn place(
        self,
        porter: &mut EmbedRateLimiter,
        origin: &str,
        shape: &dyn Fn() -> EmbedMessage,
    ) -> (Result<(), EmbedRejection>, Option<String>) {
        let may = self.past.with_untracked(|world| may_place(world, origin));
        // Nothing of a message is looked at whose sender was not let in.
        if let Err(refused) = may {
            return (Err(refused), None);
        }
        let placing = match read(shape()) {
            Ok(placing) => placing,
            Err(refused) => return (Err(refused), None),
        };
        // Sent again because the answer did not come: it stands there, or was dealt with.
        let outcome =
            if porter.has_placed(origin, &placing) { Ok(()) } else { self.add(origin, &placing.text) };
        if outcome.is_ok() {
            porter.placed(origin, &placing);
        }
        (outcome, placing.id)
    }

    fn add(self, origin: &str, text: &str) -> Result<(), EmbedRejection> {
        if self.read_only.get_untracked() {
            return Err(EmbedRejection::ReadOnly);
        }
        let before = self.composer.text.get_untracked();
        let writes = !before.is_empty() && is_writing_in(COMPOSER);
        let speaks = match self.voice.standing.get_untracked() {
            VoiceStatus::Listening | VoiceStatus::HandsFree | VoiceStatus::Resting => true,
            VoiceStatus::Idle | VoiceStatus::Reading | VoiceStatus::Error => false,
        };
        // What is sent by the next Enter, or at the end of what is spoken, was seen before.
        if writes || speaks {
            return Err(EmbedRejection::Busy);
        }
        let mark = marked(&self.pages.text.get_untracked(), origin)?;
        self.composer.typed(&below(&before, text));
        self.pages.typed(&mark);
        Ok(())
    }
}
