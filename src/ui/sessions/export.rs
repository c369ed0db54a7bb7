//! Exports one conversation as a file for people.

use leptos::task::spawn_local;

use crate::ui::dispatch::Dispatch;
use crate::ui::hooks::files::FileBuilder;
use crate::ui::view_state::{NoticeKind, Notices, WorldReader};
use nexus_model::id::SessionId;
use nexus_view::conversation_file::{Conversation, ConversationFormat};
use nexus_view::local_time::LocalTime;
use nexus_view::strings::conversation_file as words;
use nexus_view::timeline::timeline;

#[derive(Clone, Copy)]
pub struct ConversationExport {
    pub dispatch: Dispatch,
    pub past: WorldReader,
    pub notices: Notices,
    pub local: LocalTime,
}

impl ConversationExport {
    /// Offers a conversation as a download, with the turns that were not loaded yet.
    pub fn offer(self, session: SessionId, format: ConversationFormat) {
        let Self { dispatch, past, notices, local } = self;
        spawn_local(async move {
            let offered = load_whole(dispatch, past, session).await.then(|| {
                let now = dispatch.now();
                let file = past.with_untracked(|world| Conversation::of(world, session, now, local))?;
                let pieces = FileBuilder::new();
                let name = file.file_name(format);
                (pieces.push(&file.text(format)) && pieces.offer(&name, format.media_type())).then_some(())
            });
            if offered.flatten().is_none() {
                notices.tell(NoticeKind::Problem, words::FAILED, words::FAILED_ADVICE);
            }
        });
    }
}

/// Loads all that was said in a session. Says whether that was possible.
async fn load_whole(dispatch: Dispatch, past: WorldReader, session: SessionId) -> bool {
    let mut asked = None;
    let mut is_loaded = dispatch.load_quietly(session, None).await;
    while is_loaded {
        let earlier = past.with_untracked(|world| timeline(world, session, None).earlier);
        if earlier.is_none() {
            return true;
        }
        // What stays the oldest turn although older ones were asked for cannot be had.
        is_loaded = asked != earlier && dispatch.load_quietly(session, earlier).await;
        asked = earlier;
    }
    false
}
