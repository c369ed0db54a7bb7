//! Never sends what it places, never writes over what stands in the composer, and tells a page nothing of a session.
//!
//! Owns drafts from the page that embeds this one: below what stands in the composer of the session in view, with the
//! mark of whose they are, where the operator has let that page in and is not writing at that moment.

use leptos::prelude::*;

use crate::domain::draft::DraftField;
use crate::domain::embedding::{Porter, Refused, Shape, below, marked, may_place, read};
use crate::domain::text::hidden::reveal;
use crate::domain::voice::listening::Standing;
use crate::ui::chat::composer::COMPOSER;
use crate::ui::dispatch::Dispatch;
use crate::ui::hooks::embedder::{Answer, is_writing_in, use_embedder};
use crate::ui::view_state::{Field, NoticeKind, Notices, Past, Sessions};
use crate::ui::voice::desk::VoiceDesk;
use crate::ui::words::embedding as words;

/// The longest origin that is told, in characters.
const ORIGIN_CHARS: usize = 200;

/// What a draft is placed with.
#[derive(Clone, Copy)]
struct Desk {
    past: Past,
    composer: Field,
    pages: Field,
    voice: VoiceDesk,
    read_only: Signal<bool>,
}

/// Receives drafts from here on.
pub(super) fn receive_drafts(past: Past, notices: Notices, dispatch: Dispatch) {
    let desk = Desk {
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
            Answer { refused: refused.map(Refused::name), id }
        },
    );
}

impl Desk {
    /// Places a draft, or says why not; with what the page calls it, where that could be read.
    fn place(
        self,
        porter: &mut Porter,
        origin: &str,
        shape: &dyn Fn() -> Shape,
    ) -> (Result<(), Refused>, Option<String>) {
        let may = self.past.fold_untracked(|world| Some(may_place(world, origin)));
        // Nothing of a message is looked at whose sender was not let in.
        if let Err(refused) = may.unwrap_or(Err(Refused::NotAllowed)) {
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

    fn add(self, origin: &str, text: &str) -> Result<(), Refused> {
        if self.read_only.get_untracked() {
            return Err(Refused::ReadOnly);
        }
        let before = self.composer.text.get_untracked();
        let writes = !before.is_empty() && is_writing_in(COMPOSER);
        let speaks = match self.voice.standing.get_untracked() {
            Standing::Listening | Standing::HandsFree | Standing::Resting => true,
            Standing::Idle | Standing::Reading | Standing::Error => false,
        };
        // What is sent by the next Enter, or at the end of what is spoken, was seen before.
        if writes || speaks {
            return Err(Refused::Busy);
        }
        let mark = marked(&self.pages.text.get_untracked(), origin)?;
        self.composer.typed(&below(&before, text));
        self.pages.typed(&mark);
        Ok(())
    }
}
