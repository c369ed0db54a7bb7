//! Prelude of the screens: the prelude of the kit, the view state, and `Dispatch`.

pub use std::rc::Rc;
pub use std::sync::Arc;

pub use leptos::ev::KeyboardEvent;
pub use leptos::task::spawn_local;

pub use crate::ui::agents::badge::AgentBadge;
pub use crate::ui::dispatch::{Dispatch, use_now};
pub use crate::ui::hooks::address::{home_path, screen_path};
pub use crate::ui::hooks::{address, focus};
pub use crate::ui::kit::prelude::*;
pub use crate::ui::view_state::{
    AgentRow, Agents, MindView, NoticeKind, Notices, Providers, RunView, Sessions, Settings, WorldParts,
    WorldReader,
};
pub use nexus_model::command::Command;
pub use nexus_model::id::{AgentKey, MessageId, Millis, ProviderId, RunId, SessionId, TurnId};
pub use nexus_model::session::DraftField;
pub use nexus_text::invisible::reveal;
pub use nexus_view::language::{Text, tr};
pub use nexus_view::local_time::LocalTime;
pub use nexus_view::shortcuts::screens::Screen;
pub use nexus_view::strings;
pub use nexus_view::strings::common;
