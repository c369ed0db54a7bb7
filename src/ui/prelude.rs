//! Prelude of the screens: the prelude of the kit, the contexts, and what several screens name.

pub use futures_channel::mpsc::{UnboundedReceiver, unbounded};
pub use futures_util::StreamExt as _;
pub use leptos::ev::SubmitEvent;
pub use leptos::html::{Input, Textarea};
pub use serde_json::Value;

pub use crate::ui::agents::badge::{AgentBadge, PROGRAM, picture};
pub use crate::ui::agents::model_choice::{choices, config_of, load_models, thinking_box, value_of};
pub use crate::ui::dispatch::Destination;
pub use crate::ui::dispatch::drafts::DraftBinding;
pub use crate::ui::hooks::address::{home_path, screen_path, settings_path_at};
pub use crate::ui::hooks::files::{PickedFile, download_bytes, picked};
pub use crate::ui::hooks::focus::{COMPOSER, use_select_all};
pub use crate::ui::hooks::{address, dialog, events, files, focus, js_part, page, scroll, text};
pub use crate::ui::kit::icon::{BRANCH, Brand, EDIT, SIZE, ScreenBar};
pub use crate::ui::kit::prelude::*;
pub use crate::ui::page::{Dispatch, Page};
pub use crate::ui::tree_map::history_links::{HistoryContext, inspect_path, run_graph_path, run_path};
pub use crate::ui::view_state::{
    AgentRow, Agents, DraftState, MindView, NoticeKind, Notices, ProjectorMessage, Providers, RunView,
    Sessions, Settings, WorldParts, WorldReader,
};
pub use crate::ui::workspace::message_actions::{
    FilePanelState, FilePrompt, MessageAction, MessageActionsState, VoiceRequest, VoiceState,
};
pub use crate::ui::workspace::{
    BoardTab, OpenDialog, OverridesState, Pane, SnapshotTarget, Workspace, first_recipient,
};
pub use nexus_engine::keys::KeyState;
pub use nexus_engine::lazy::{ChunkLoadError, LazyFuture};
pub use nexus_engine::port::StoreError;
pub use nexus_engine::queries::EventQueries;
pub use nexus_model::agent::Agent;
pub use nexus_model::agent::defaults::DEMO_MODEL;
pub use nexus_model::command::{Command, MessageOverrides, NewMessage};
pub use nexus_model::event::EventPosition;
pub use nexus_model::id::{
    AgentKey, MessageId, Millis, NodeId, ProviderId, RunId, SessionId, StreamId, ToolRunId, TurnId,
};
pub use nexus_model::job::JobSlot;
pub use nexus_model::limits::TURNS_LOADED;
pub use nexus_model::llm::Thinking;
pub use nexus_model::message::content::text_of;
pub use nexus_model::message::{Message, MessageStatus, Role, Source};
pub use nexus_model::mind::blob::{NewBlob, is_shown};
pub use nexus_model::mind::review::{ComparisonBase, FieldDiff, MindField};
pub use nexus_model::mind::{Mind, MindWrite};
pub use nexus_model::provider::presets::PRESETS;
pub use nexus_model::run::graph::GraphTemplate;
pub use nexus_model::run::{Envelope, RunStatus, RunUsage};
pub use nexus_model::session::{DraftField, QueueMode, SessionFilter, Target};
pub use nexus_model::settings::schema::{
    AUTO_READ, FIRST_START_DONE, OPERATOR_NAME, SINGLE_KEYS, SettingGroup, info,
};
pub use nexus_model::turn::TurnKind;
pub use nexus_model::world::World;
pub use nexus_text::content_hash::ContentHash;
pub use nexus_text::invisible::reveal;
pub use nexus_text::json;
pub use nexus_text::markdown::tree::plain;
pub use nexus_text::small_sort::SmallSort as _;
pub use nexus_text::vec_map::{VecMap, VecSet};
pub use nexus_view::language::{Text, text, tr, translate_template, translated};
pub use nexus_view::local_time::LocalTime;
pub use nexus_view::run_graph::{DiagramNode, RunDiagram};
pub use nexus_view::shortcuts::ShortcutAction;
pub use nexus_view::shortcuts::screens::Screen;
pub use nexus_view::strings::{ago, common, model_name};
pub use nexus_view::timeline::{PtrEq, TimelineKey, TimelineRow};
pub use nexus_view::{language, strings};
