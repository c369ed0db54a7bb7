//! Receives drafts from the embedding page and appends them to the composer, marked with their origin.
//!
//! Accepts them only from pages that the operator allowed, and not while the operator types. Never sends them and
//! never reveals anything of a session to the page.

use crate::ui::dispatch::Dispatch;
use crate::ui::dispatch::drafts::DraftBinding;
use crate::ui::hooks::embedder::{EmbedderReply, is_writing_in, use_embedder};
use crate::ui::hooks::focus::COMPOSER;
use crate::ui::kit::prelude::*;
use crate::ui::view_state::{NoticeKind, Notices, Sessions, WorldReader};
use crate::ui::workspace::message_actions::VoiceState;
use nexus_model::session::draft::DraftField;
use nexus_model::settings::iframe_policy::{
    EmbedMessage, EmbedRateLimiter, EmbedRejection, below, marked, may_place, read,
};
use nexus_text::invisible::reveal;
use nexus_view::strings::settings::iframe as words;
use nexus_view::voice::listening::VoiceStatus;

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

/// Receives drafts from here on.
pub(super) fn receive_drafts(past: WorldReader, notices: Notices, dispatch: Dispatch) {
    let desk = EmbedInbox {
        past,
        composer: dispatch.field(&DraftField::Composer),
        pages: dispatch.field(&DraftField::Pages),
        voice: expect_context(),
        read_only: expect_context::<Sessions>().read_only(),
    };
    use_embedder(
        move || dispatch.now(),
        move |porter, origin, shape| {
            let (outcome, id) = desk.place(porter, origin, shape);
            let refused = outcome.err();
            if let Some(why) = refused.filter(|why| why.is_told() && porter.tells(origin)) {
                let origin: String = reveal(origin).chars().take(ORIGIN_CHARS).collect();
                let (title, advice) = words::refused(&origin, why);
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
