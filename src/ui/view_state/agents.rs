//! The agent cards.

use crate::ui::kit::base::*;
use crate::ui::view_state::world_reader::{KeyedRows, OrderedRows, WorldReader};
use nexus_model::agent::{Agent, AgentFlags};
use nexus_model::id::{AgentKey, ProviderId, SessionId};
use nexus_model::run::{Node, NodeStatus, RunStatus};
use nexus_model::session::Session;
use nexus_model::turn::TurnPhase;
use nexus_model::world::{World, WorldParts};
use nexus_view::strings::common::name_without_row;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AgentState {
    Idle,
    /// Waits for its place in the run.
    Queued,
    Processing(TurnPhase),
    /// Its turn, or the run that it is next in, waits for the operator.
    Asking,
    /// Its turn is open and waits for its provider.
    WaitingForProvider,
    /// Its last turn failed.
    Error,
}

#[derive(Clone, Debug, PartialEq)]
pub struct AgentRow {
    pub agent: Arc<Agent>,
    /// Its flags in the session in view.
    pub flags: AgentFlags,
    pub state: AgentState,
    pub demo: bool,
    pub takes_tools: bool,
}

type AgentRows = OrderedRows<AgentKey, AgentRow>;

/// The agents, in the order of the roster. Removed ones keep their row, for their messages.
#[derive(Clone, Copy)]
pub struct Agents {
    pub rows: KeyedRows<AgentKey, AgentRow>,
    pub order: Selector<Vec<AgentKey>>,
    /// True if the demo answers for an agent of the roster.
    pub demo: Selector<bool>,
}

impl Agents {
    pub(crate) fn new(world: WorldReader, focus: RwSignal<SessionId>) -> Self {
        let parts = WorldParts::ROSTER.and(WorldParts::SESSIONS);
        let rows = KeyedRows::of(
            world.select_of(focus, parts, |world, session| Arc::new(rows(world, session).collect())),
        );
        let present_keys = |rows: &AgentRows| {
            rows.iter().filter(|row| row.agent.exists()).map(|row| row.agent.key.clone()).collect()
        };
        let demo = |rows: &AgentRows| rows.iter().any(|row| row.demo && row.agent.exists());
        Self { rows, order: rows.map(present_keys), demo: rows.map(demo) }
    }

    /// The rows of the roster, in its order. Reactive.
    pub fn roster(&self) -> Vec<AgentRow> {
        self.rows.with(|rows| rows.iter().filter(|row| row.agent.exists()).cloned().collect())
    }

    /// An agent's current name, for handlers; the key if there is no such agent.
    pub fn name_untracked(&self, key: &AgentKey) -> String {
        let row = self.rows.get_untracked(key);
        row.map_or_else(|| name_without_row(key), |row| row.agent.identity.name.clone())
    }

    /// All agents, including removed ones, for handlers.
    pub fn all_untracked(&self) -> Vec<Arc<Agent>> {
        untrack(|| self.rows.with(|rows| rows.iter().map(|row| Arc::clone(&row.agent)).collect()))
    }

    /// The agents that use a provider, in the order of the roster. Reactive.
    pub fn on(&self, provider: &ProviderId) -> Vec<Arc<Agent>> {
        let is_on = |agent: &&Arc<Agent>| agent.exists() && agent.config.provider == *provider;
        self.rows.with(|rows| rows.iter().map(|row| &row.agent).filter(is_on).cloned().collect())
    }
}

fn rows<'w>(world: &'w World, session: &'w Session) -> impl Iterator<Item = (AgentKey, AgentRow)> + 'w {
    let provider = |agent: &Agent| world.live_provider(&agent.config.provider);
    let removed = world.agents.values().filter(|agent| !agent.exists());
    world.roster().into_iter().chain(removed).map(move |agent| {
        let row = AgentRow {
            agent: Arc::clone(agent),
            flags: world.flags(session, agent),
            state: state_of(world, session, &agent.key),
            demo: provider(agent).is_some_and(|provider| provider.is_demo()),
            takes_tools: provider(agent).is_none_or(|provider| provider.takes_tools()),
        };
        (agent.key.clone(), row)
    })
}

fn state_of(world: &World, session: &Session, agent: &AgentKey) -> AgentState {
    let run = world.open_run(session);
    let is_paused = run.is_some_and(|run| run.status == RunStatus::Paused);
    if let Some(turn) = world.open_turn(session).filter(|turn| turn.agent == *agent) {
        return match turn.retry() {
            _ if is_paused => AgentState::Asking,
            Some(_) => AgentState::WaitingForProvider,
            None if run.is_some_and(|run| run.needs_approval()) => AgentState::Asking,
            None => AgentState::Processing(turn.phase),
        };
    }
    let ready = |node: &Node| node.agent.as_ref() == Some(agent) && node.status == NodeStatus::Ready;
    if run.is_some_and(|run| run.nodes.iter().any(ready)) {
        return if is_paused { AgentState::Asking } else { AgentState::Queued };
    }
    match world.agent(agent) {
        Some(row) if world.flags(session, row).failed => AgentState::Error,
        Some(_) | None => AgentState::Idle,
    }
}
