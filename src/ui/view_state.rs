//! The view state: selectors over the world, and state that is in no row of it.
//!
//! The projector (`ui::shell::projector`) notifies the selectors of changed parts of the world, and
//! writes all other state: streaming answers, notices, the feed. Drafts are the exception: `Dispatch` writes the
//! operator's typing into them.

mod agents;
mod mind;
mod notices;
mod run;
mod sessions;
mod settings;
mod world_reader;

pub use crate::ui::view_state::agents::{AgentRow, AgentState, Agents};
pub use crate::ui::view_state::mind::{
    CoreRow, CoreView, DraftState, Drafts, LastWriter, MindView, field_of, text_of,
};
pub use crate::ui::view_state::notices::{Banner, NoticeEntry, NoticeId, NoticeKind, Notices, UndoCommand};
pub use crate::ui::view_state::run::{
    Activity, ActivityItem, Actor, Actors, LivePart, LiveText, RunRow, RunView, actor_of,
};
pub use crate::ui::view_state::sessions::{Conversation, SessionRow, Sessions};
pub use crate::ui::view_state::settings::{ProviderRow, Providers, Settings};
pub use crate::ui::view_state::world_reader::WorldReader;
pub use nexus_model::world::WorldParts;

use crate::ui::kit::base::*;
use nexus_engine::client::KeyRing;
use nexus_engine::port::Clock;
use nexus_model::command::Rejection;
use nexus_model::id::SessionId;
use nexus_model::world::World;
use nexus_view::local_time::LocalTime;

/// Messages to the projector that no event carries.
#[derive(Clone, Debug, PartialEq)]
pub enum ProjectorMessage {
    Focus(SessionId),
    Reload,
    /// The reader requested older turns, which are loaded.
    Earlier,
    Hidden,
    /// The reader has read everything, and sends a message.
    Read,
    Rejected(Rejection),
}

/// The whole view state. Created once, at the mount, so that its selectors live as long as the page.
#[derive(Clone, Copy)]
pub struct ViewState {
    pub activity: Activity,
    pub agents: Agents,
    pub conversation: Conversation,
    pub core: CoreView,
    pub drafts: Drafts,
    pub live_text: LiveText,
    pub mind: MindView,
    pub notices: Notices,
    pub world: WorldReader,
    pub providers: Providers,
    pub run: RunView,
    pub sessions: Sessions,
    pub settings: Settings,
}

impl ViewState {
    pub fn new(
        world: &Rc<RefCell<World>>,
        focus: SessionId,
        keys: &KeyRing,
        (clock, local): (Rc<dyn Clock>, LocalTime),
    ) -> Self {
        let world = WorldReader::new(world);
        let sessions = Sessions::new(world, focus);
        let focus = sessions.focus;
        let agents = Agents::new(world, focus);
        Self {
            activity: Activity::default(),
            agents,
            conversation: Conversation::new(world, focus, clock, local),
            core: CoreView::new(world, focus),
            drafts: Drafts::default(),
            live_text: LiveText::default(),
            mind: MindView::new(world, focus),
            notices: Notices::new(sessions, agents),
            world,
            providers: Providers::new(world, keys),
            run: RunView::new(world, focus),
            sessions,
            settings: Settings::new(world),
        }
    }
}
