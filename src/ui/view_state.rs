//! Never asks for anything: commands go through `Dispatch`.
//!
//! Owns what is on screen, in slices that change together: each is a context whose read half is public and whose
//! write half ends at this module, where the [projector](Projector) alone uses it. Drafts are the exception: what the
//! operator types is the operator's, so `Dispatch` writes them too.

mod activity;
mod agents;
mod conversation;
mod core;
mod drafts;
mod live_text;
mod mind;
mod notices;
mod past;
mod pictures;
mod projector;
mod rows;
mod run;
mod sessions;
mod settings;

pub use activity::{Activity, ActivityItem, Actor};
pub use agents::{AgentRow, AgentState, Agents};
pub use conversation::Conversation;
pub use core::{CoreRow, CoreView};
pub use drafts::{DraftState, Drafts, Field};
pub use live_text::{LivePart, LiveText};
pub use mind::{MindView, Written};
pub use notices::{Banner, Notice, NoticeId, NoticeKind, Notices};
pub use past::Past;
pub use pictures::Pictures;
pub use projector::{Projector, Wake};
pub use run::{QueueRow, RunRow, RunView};
pub use sessions::{SessionRow, Sessions};
pub use settings::{ProviderRow, Providers, Settings};

use leptos::prelude::provide_context;

/// Every slice. Made once, at the mount, so that the slices live as long as the page.
#[derive(Clone, Copy)]
pub struct ViewState {
    /// What happened lately.
    pub activity: Activity,
    /// The agents.
    pub agents: Agents,
    /// The timeline of the session in view.
    pub conversation: Conversation,
    /// The Core.
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
    pub past: Past,
    /// What messages in view carry.
    pub pictures: Pictures,
    /// The providers.
    pub providers: Providers,
    /// The run of the session in view, and its queue.
    pub run: RunView,
    /// The sessions, and which is in view.
    pub sessions: Sessions,
    /// The settings.
    pub settings: Settings,
}

impl ViewState {
    /// Empty slices, showing `focus`.
    pub(in crate::ui) fn new(focus: crate::domain::id::SessionId) -> Self {
        Self {
            activity: Activity::new(),
            agents: Agents::new(),
            conversation: Conversation::new(),
            core: CoreView::new(),
            drafts: Drafts::new(),
            live_text: LiveText::new(),
            mind: MindView::new(),
            notices: Notices::new(),
            past: Past::new(),
            pictures: Pictures::new(),
            providers: Providers::new(),
            run: RunView::new(),
            sessions: Sessions::new(focus),
            settings: Settings::new(),
        }
    }

    /// Makes every slice a context of what is mounted below.
    pub(in crate::ui) fn provide(self) {
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
