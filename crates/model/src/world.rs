//! The folded state: rows by id, as far as they are loaded.
//!
//! Commands are decided against it, and the screen renders it. `fold` computes new rows; the world takes them in
//! after the ledger has stored the events.

use std::sync::Arc;

use serde_json::Value;

use crate::agent::{Agent, AgentFlags};
use crate::id::{
    AgentKey, MemoryId, MessageId, ProviderId, QueueItemId, RunId, SessionId, ToolRunId, TurnId,
};
use crate::memory::Memory;
use crate::message::{Message, MessageStatus, Role, content::text_of};
use crate::mind::Mind;
use crate::provider::Provider;
use crate::run::{Node, Run};
use crate::session::{QueueItem, QueueState, Session};
use crate::settings::{Rows, Setting, SettingKind};
use crate::tool::ToolRun;
use crate::turn::{Thread, Turn, TurnKind, TurnRange, compaction::Compaction};
use nexus_text::content_hash::ContentHash;
use nexus_text::vec_map::{VecMap, by_key};

/// A set of parts of the world, grouped by what changes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorldParts(u8);

impl WorldParts {
    pub const NONE: Self = Self(0);
    /// Settings, and what is stored as one: triggers, model lists, prices, embedders.
    pub const SETTINGS: Self = Self(1);
    /// Agents, providers and the state of their keys.
    pub const ROSTER: Self = Self(2);
    pub const MEMORIES: Self = Self(4);
    /// Sessions with their turns, messages, tools, runs, minds and queues.
    pub const SESSIONS: Self = Self(8);
    pub const ALL: Self = Self(15);

    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub const fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

macro_rules! world {
    ($($(#[$doc:meta])* $table:ident, $get:ident, $change:ident: $key:ty => $row:ty;)+) => {
        /// The folded rows. In a transaction it holds only the rows that changed.
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct World {
            $($(#[$doc])* pub $table: VecMap<$key, Arc<$row>>,)+
        }

        impl World {
            $(
                #[doc = concat!("The row of `", stringify!($table), "` with this id, if it is loaded.")]
                pub fn $get(&self, id: &$key) -> Option<&Arc<$row>> {
                    self.$table.get(id)
                }
            )+

            /// True if it holds no row.
            pub fn is_empty(&self) -> bool {
                $(self.$table.is_empty())&&+
            }

            /// Adds stored rows; replaces rows of the same id.
            pub fn absorb(&mut self, rows: World) {
                $(self.$table.extend(rows.$table);)+
            }
        }

        /// A world with rows on top that are not stored yet.
        #[derive(Debug)]
        pub struct Overlay<'w> {
            base: &'w World,
            pub rows: World,
        }

        impl<'w> Overlay<'w> {
            pub fn on(base: &'w World) -> Self {
                Self { base, rows: World::default() }
            }

            $(
                #[doc = concat!("The row of `", stringify!($table), "` with this id, changed or not.")]
                pub fn $get(&self, id: &$key) -> Option<&Arc<$row>> {
                    self.rows.$table.get(id).or_else(|| self.base.$table.get(id))
                }

                #[doc = concat!("Changes the row of `", stringify!($table), "` with this id, if there is one.")]
                pub fn $change(&mut self, id: &$key, change: impl FnOnce(&mut $row)) {
                    if let Some(mut row) = self.$get(id).cloned() {
                        change(Arc::make_mut(&mut row));
                        self.rows.$table.insert(id.clone(), row);
                    }
                }
            )+
        }
    };
}

world! {
    sessions, session, change_session: SessionId => Session;
    turns, turn, change_turn: TurnId => Turn;
    compactions, compaction, change_compaction: TurnId => Compaction;
    memories, memory, change_memory: MemoryId => Memory;
    threads, thread, change_thread: TurnId => Thread;
    messages, message, change_message: MessageId => Message;
    tool_runs, tool_run, change_tool_run: ToolRunId => ToolRun;
    runs, run, change_run: RunId => Run;
    minds, mind, change_mind: ContentHash => Mind;
    /// Texts by content address: files, personas, tool specifications, query blocks.
    blobs, blob, change_blob: ContentHash => str;
    agents, agent, change_agent: AgentKey => Agent;
    /// Providers; a removed one has the value `None`.
    providers, provider, change_provider: ProviderId => Option<Provider>;
    settings, setting, change_setting: String => Value;
    /// Messages that wait, waited, or were withdrawn.
    queue, queue_item, change_queue_item: QueueItemId => QueueItem;
}

impl World {
    /// Unloads everything that belongs to single sessions.
    ///
    /// Their index rows, their queues and the rows of the device stay: triggers need these for any session.
    pub fn release_bodies(&mut self) {
        self.turns.clear();
        self.compactions.clear();
        self.threads.clear();
        self.messages.clear();
        self.tool_runs.clear();
        self.runs.clear();
        self.minds.clear();
        self.blobs.clear();
    }

    /// The value of a setting; its default if none is stored or it cannot be read.
    pub fn value<K: SettingKind>(&self, setting: Setting<K>) -> K::Value {
        setting.read(self.stored(setting))
    }

    /// The value of a setting if somebody chose one.
    pub fn chosen<K: SettingKind>(&self, setting: Setting<K>) -> Option<K::Value> {
        setting.kind.parse(self.stored(setting)?)
    }

    pub fn stored<K>(&self, setting: Setting<K>) -> Option<&Value> {
        self.settings.get(setting.name()).map(AsRef::as_ref)
    }

    /// The rows of a setting that has one for each key.
    pub fn rows_of(&self, setting: Setting<Rows>) -> impl Iterator<Item = (&str, &Value)> {
        let rows = self.settings.iter_from(setting.name());
        rows.map_while(move |(name, value)| Some((name.strip_prefix(setting.name())?, &**value)))
    }

    pub fn working_mind(&self, session: &Session) -> Option<&Arc<Mind>> {
        self.mind(&session.mind)
    }

    /// The provider with this id, unless it was removed.
    pub fn live_provider(&self, id: &ProviderId) -> Option<&Provider> {
        self.provider(id).and_then(|provider| provider.as_ref().as_ref())
    }

    /// The agents in roster order, without those that were removed.
    pub fn roster(&self) -> Vec<&Arc<Agent>> {
        by_key(self.agents.values().filter(|agent| agent.exists()), |agent| agent.place)
    }

    /// The agents that use this provider, in roster order.
    pub fn agents_on(&self, provider: &ProviderId) -> Vec<&Arc<Agent>> {
        let mut agents = self.roster();
        agents.retain(|agent| agent.config.provider == *provider);
        agents
    }

    pub fn flags(&self, session: &Session, agent: &Agent) -> AgentFlags {
        session.flags.get(&agent.key).copied().unwrap_or_else(|| AgentFlags::of(agent))
    }

    /// The name of an agent, or its key if it is not loaded.
    pub fn agent_name<'w>(&'w self, key: &'w AgentKey) -> &'w str {
        self.agent(key).map_or(key.as_str(), |agent| &agent.identity.name)
    }

    /// The answers of a turn, the newest first.
    pub fn answers_of(&self, turn: &Turn) -> impl Iterator<Item = &Arc<Message>> {
        let messages = turn.messages.iter().rev().filter_map(|id| self.message(id));
        messages.filter(|message| message.role == Role::Assistant)
    }

    pub fn open_message(&self, turn: &Turn) -> Option<&Arc<Message>> {
        self.answers_of(turn).find(|message| message.status == MessageStatus::Processing)
    }

    /// The newest text that a turn answered; empty if there is none.
    pub fn last_answer(&self, turn: &Turn) -> String {
        let texts = self.answers_of(turn).map(|message| text_of(&message.parts));
        texts.into_iter().find(|text| !text.trim().is_empty()).unwrap_or_default()
    }

    pub fn run_of(&self, turn: &Turn) -> Option<&Arc<Run>> {
        self.run(turn.run.as_ref()?)
    }

    /// The node that a turn belongs to.
    pub fn node_of(&self, turn: &Turn) -> Option<&Node> {
        self.run_of(turn)?.node(turn.node.as_ref()?)
    }

    pub fn tool_runs_of(&self, turn: &Turn) -> impl DoubleEndedIterator<Item = &Arc<ToolRun>> {
        turn.tool_runs.iter().filter_map(|id| self.tool_run(id))
    }

    pub fn open_run(&self, session: &Session) -> Option<&Arc<Run>> {
        self.run(session.run.as_ref()?).filter(|run| run.status.is_open())
    }

    /// True if a session goes on only after the operator acts.
    pub fn needs_operator(&self, session: &Session) -> bool {
        let run = session.run.and_then(|id| self.run(&id));
        run.map_or(session.waits_for_operator, |run| run.waits_for_operator())
    }

    /// The open turn of a session: at most one. It may be a compaction.
    pub fn open_turn(&self, session: &Session) -> Option<&Arc<Turn>> {
        let compaction = session.archivist.compacting.and_then(|id| self.turn(&id));
        if let Some(turn) = compaction.filter(|turn| turn.phase.is_open()) {
            return Some(turn);
        }
        let run = self.run(session.run.as_ref()?)?;
        run.nodes.iter().filter_map(|node| self.turn(node.turn.as_ref()?)).find(|turn| turn.phase.is_open())
    }

    /// The waiting messages of a session, in order of arrival.
    pub fn waiting(&self, session: SessionId) -> Vec<&Arc<QueueItem>> {
        self.queue
            .values()
            .filter(|item| item.session == session && item.state == QueueState::Waiting)
            .collect()
    }

    /// True if nothing works or waits in a session, nor in one of its workers.
    pub fn is_idle(&self, session: &Session) -> bool {
        // Messages held by Stop may never be sent.
        let is_empty = || self.waiting(session.id).iter().all(|item| item.held);
        self.open_run(session).is_none() && session.workers.is_empty() && is_empty()
    }

    /// The messages of a session that will be sent: they wait and are not held.
    pub fn sendable(&self, session: SessionId) -> Vec<&Arc<QueueItem>> {
        let mut items = self.waiting(session);
        items.retain(|item| item.is_sendable());
        items
    }

    /// The loaded turns from `head` back to the root, newest first. Always ends, even if parents form a cycle.
    pub fn ancestry(&self, head: Option<TurnId>) -> impl Iterator<Item = &Arc<Turn>> {
        std::iter::successors(head.and_then(|id| self.turn(&id)), |turn| {
            turn.parent.and_then(|parent| self.turn(&parent))
        })
        .take(self.turns.len())
    }

    /// As [`World::ancestry`], without turns that only summarise.
    pub fn replies(&self, head: Option<TurnId>) -> impl Iterator<Item = &Arc<Turn>> {
        self.ancestry(head).filter(|turn| turn.kind != TurnKind::Compaction)
    }
}

impl TurnRange {
    /// The loaded turns, newest first, without those before a gap.
    pub fn newest_first<'w>(&self, world: &'w World) -> Vec<&'w Arc<Turn>> {
        match self {
            Self::Named(turns) => turns.iter().rev().filter_map(|id| world.turn(id)).collect(),
            Self::Between { first, last, count } => {
                let mut found = Vec::with_capacity((*count).min(world.turns.len()));
                for turn in world.ancestry(Some(*last)) {
                    if turn.kind != TurnKind::Compaction {
                        found.push(turn);
                    }
                    if turn.id == *first || found.len() == *count {
                        break;
                    }
                }
                found
            }
        }
    }

    /// The loaded turns, oldest first.
    pub fn loaded<'w>(&self, world: &'w World) -> Vec<&'w Arc<Turn>> {
        let mut found = self.newest_first(world);
        found.reverse();
        found
    }

    /// All turns, oldest first; `None` if one of them is not loaded.
    pub fn whole<'w>(&self, world: &'w World) -> Option<Vec<&'w Arc<Turn>>> {
        Some(self.loaded(world)).filter(|turns| turns.len() == self.len())
    }
}

impl Overlay<'_> {
    /// Every agent of the roster, changed or not.
    pub fn all_agents(&self) -> Vec<Arc<Agent>> {
        let mut agents = self.base.agents.clone();
        agents.extend(self.rows.agents.clone());
        agents.into_values().filter(|agent| agent.exists()).collect()
    }
}
