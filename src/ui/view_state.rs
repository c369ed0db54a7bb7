//! The state shown on screen, in slices that change together.
//!
//! Each slice is a context; only the [projector](Projector) writes it. Drafts are the exception: `Dispatch` writes
//! the operator's typing into them.

mod activity;
mod agents;
mod conversation;
mod core;
mod drafts;
mod live_text;
mod mind;
mod notices;
mod pictures;
mod projector;
mod rows;
mod run;
mod sessions;
mod settings;
mod world_reader;

pub use crate::ui::view_state::activity::{Activity, ActivityItem, Actor};
pub use crate::ui::view_state::agents::{AgentRow, AgentState, Agents};
pub use crate::ui::view_state::conversation::Conversation;
pub use crate::ui::view_state::core::{CoreRow, CoreView};
pub use crate::ui::view_state::drafts::{DraftBinding, DraftState, Drafts};
pub use crate::ui::view_state::live_text::{LivePart, LiveText};
pub use crate::ui::view_state::mind::{LastWriter, MindView};
pub use crate::ui::view_state::notices::{Banner, NoticeEntry, NoticeId, NoticeKind, Notices};
pub use crate::ui::view_state::pictures::ImageCache;
pub use crate::ui::view_state::projector::{Projector, ProjectorMessage};
pub use crate::ui::view_state::run::{QueueRow, RunRow, RunView};
pub use crate::ui::view_state::sessions::{SessionRow, Sessions};
pub use crate::ui::view_state::settings::{ProviderRow, Providers, Settings};
pub use crate::ui::view_state::world_reader::WorldReader;

use leptos::prelude::provide_context;

/// Every slice. Made once, at the mount, so that the slices live as long as the page.
#[derive(Clone, Copy)]
pub struct ViewState {
    /// What happened lately.
    pub activity: Activity,
    pub agents: Agents,
    /// The timeline of the session in view.
    pub conversation: Conversation,
    pub core: CoreView,
    /// What the operator is typing.
    pub drafts: Drafts,
    /// Answers as they come.
    pub live_text: LiveText,
    /// The working mind of the session in view.
    pub mind: MindView,
    /// What the operator should know.
    pub notices: Notices,
    /// The rows that are loaded.
    pub past: WorldReader,
    /// What messages in view carry.
    pub pictures: ImageCache,
    pub providers: Providers,
    /// The run of the session in view, and its queue.
    pub run: RunView,
    pub sessions: Sessions,
    pub settings: Settings,
}

impl ViewState {
    /// Empty slices, showing `focus`.
    pub(crate) fn new(focus: nexus_model::id::SessionId) -> Self {
        Self {
            activity: Activity::new(),
            agents: Agents::new(),
            conversation: Conversation::new(),
            core: CoreView::new(),
            drafts: Drafts::new(),
            live_text: LiveText::new(),
            mind: MindView::new(),
            notices: Notices::new(),
            past: WorldReader::new(),
            pictures: ImageCache::new(),
            providers: Providers::new(),
            run: RunView::new(),
            sessions: Sessions::new(focus),
            settings: Settings::new(),
        }
    }

    /// Makes every slice a context of what is mounted below.
    pub(crate) fn provide(self) {
        provide_context(self.activity);
        provide_context(self.agents);
        provide_context(self.conversation);
        provide_context(self.core);
        provide_context(self.drafts);
        provide_context(self.live_text);
        provide_context(self.mind);
        provide_context(self.notices);
        provide_context(self.past);
        provide_context(self.pictures);
        provide_context(self.providers);
        provide_context(self.run);
        provide_context(self.sessions);
        provide_context(self.settings);
    }
}
