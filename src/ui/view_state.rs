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
    CoreRow, CoreView, DraftState, Drafts, LastWriter, MindView, ResolutionLines, SendBackDraft, field_of,
    text_of,
};
pub use crate::ui::view_state::notices::{Banner, NoticeEntry, NoticeId, NoticeKind, Notices, UndoCommand};
pub use crate::ui::view_state::run::{
    Activity, ActivityItem, Actor, Actors, LivePart, LiveText, RunRow, RunView, actor_of,
};
pub use crate::ui::view_state::sessions::{Conversation, SessionRow, Sessions};
pub use crate::ui::view_state::settings::{ProviderRow, Providers, Settings};
pub use crate::ui::view_state::world_reader::WorldReader;
pub use nexus_model::world::WorldParts;

use nexus_model::command::Rejection;
use nexus_model::id::SessionId;

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
