//! Built-in and custom graph templates and their agents; and the operator's consent to terminals, a setting of this
//! device that imports never set.

use serde::{Deserialize, Serialize};

use crate::limits::{GRAPH_NAME_CHARS, GRAPH_TEMPLATES};
use crate::prelude::*;
use crate::provider::Protocol;
use crate::run::graph::NodeKind;
use crate::run::terminal::origin;
use crate::settings::schema::{GRAPH_ROWS, TERMINAL_ROWS};

pub fn graph_templates() -> Vec<GraphTemplate> {
    json::read(include_str!("graph_templates.json")).unwrap_or_default()
}

/// The operator's templates by name, or the error if one cannot be read.
pub fn own_templates(world: &World) -> Vec<(String, Result<GraphTemplate, GraphError>)> {
    let rows = world.rows_of(GRAPH_ROWS).filter(|(_, row)| !row.is_null());
    rows.map(|(name, row)| (name.to_owned(), GraphTemplate::from_tree(row))).collect()
}

/// Validates a setting if it is the row of a template.
pub(crate) fn check_row(world: &World, setting: &str, value: &Value) -> Result<(), GraphError> {
    let Some(name) = setting.strip_prefix(GRAPH_ROWS.name()).filter(|_| !value.is_null()) else {
        return Ok(());
    };
    let template = GraphTemplate::from_tree(value)?;
    let is_valid_name = !name.is_empty() && name.trim() == name && name.chars().count() <= GRAPH_NAME_CHARS;
    if !is_valid_name || template.name != name {
        return Err(GraphError::BadName(template.name));
    }
    let own = own_templates(world);
    let is_new = !own.iter().any(|(known, _)| known == name);
    if is_new && own.len() >= GRAPH_TEMPLATES { Err(GraphError::TooManyTemplates) } else { Ok(()) }
}

/// Replaces agents that are missing on this device by others of the roster.
#[must_use]
pub fn fitted(world: &World, mut template: GraphTemplate) -> GraphTemplate {
    let roster = world.roster();
    let mut missing: Vec<String> = Vec::new();
    for node in &mut template.nodes {
        if node.terminal.is_some() || agent_of(world, node).is_ok() {
            continue;
        }
        let name = wanted(node);
        let at = missing.iter().position(|other| *other == name).unwrap_or_else(|| {
            missing.push(name);
            missing.len().saturating_sub(1)
        });
        let substitute = at.checked_rem(roster.len()).and_then(|at| roster.get(at));
        node.agent = substitute.map(|agent| agent.key.clone());
    }
    template
}

/// The agent of a node; `None` for a verifier and for a node with a terminal.
pub fn agent_of(world: &World, node: &NodeSpec) -> Result<Option<AgentKey>, GraphError> {
    let roster = world.roster();
    let find_agent = |matches: &dyn Fn(&Agent) -> bool| {
        roster.iter().find(|agent| matches(agent)).map(|agent| agent.key.clone())
    };
    let found = match (&node.agent, NodeKind::read(&node.kind)) {
        (_, Some(NodeKind::Verifier)) => return Ok(None),
        (None, _) if node.terminal.is_some() => return Ok(None),
        (Some(key), _) => find_agent(&|agent| agent.key == *key),
        (None, Some(NodeKind::Agent(name))) => {
            let named =
                |agent: &Agent| agent.key.as_str() == name || agent.identity.name.eq_ignore_ascii_case(&name);
            find_agent(&named).or_else(|| find_agent(&|agent| is_of_family(world, agent, &name)))
        }
        // The first agent of the roster plans.
        (None, Some(NodeKind::Orchestrator)) => roster.first().map(|agent| agent.key.clone()),
        (None, Some(NodeKind::Docs)) => roster.last().map(|agent| agent.key.clone()),
        (None, None) => None,
    };
    let missing = || GraphError::NoSuchAgent { node: node.key.clone(), agent: wanted(node) };
    found.map(Some).ok_or_else(missing)
}

/// True if the agent's model is of this family.
fn is_of_family(world: &World, agent: &Agent, family: &str) -> bool {
    let protocol =
        world.provider(&agent.config.provider).and_then(|row| Some(row.as_ref().as_ref()?.protocol));
    match protocol {
        Some(Protocol::Openai | Protocol::Responses) => family == "codex",
        Some(Protocol::Anthropic) => family == "claude",
        Some(Protocol::Gemini) => family == "gemini",
        Some(_) | None => false,
    }
}

fn wanted(node: &NodeSpec) -> String {
    let kind = node.kind.strip_prefix("agent.").unwrap_or(&node.kind);
    node.agent.as_ref().map_or_else(|| kind.to_owned(), |key| key.to_string())
}

/// The operator's consent for a node: this exact terminal, and whether agents may use it by tools.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TerminalConsent {
    pub terminal: TerminalSpec,
    #[serde(default)]
    pub agents: bool,
}

/// The consent to a node's current terminal; `None` without consent on this device.
pub fn consent(world: &World, session: SessionId, node: &Node) -> Option<TerminalConsent> {
    consent_to(world, session, node.id.as_str(), node.terminal.as_deref()?)
}

pub fn consent_to(
    world: &World,
    session: SessionId,
    node: &str,
    terminal: &TerminalSpec,
) -> Option<TerminalConsent> {
    let row = world.settings.get(&consent_row(session, node))?;
    let consent: TerminalConsent = json::from_tree(row).ok()?;
    (consent.terminal == *terminal).then_some(consent)
}

pub fn consent_row(session: SessionId, node: &str) -> String {
    TERMINAL_ROWS.row(format!("{session}/{node}"))
}

pub fn allowed_origins(world: &World) -> impl Iterator<Item = String> {
    // Without deserialising the type: this code is in the first load.
    let addresses =
        world.rows_of(TERMINAL_ROWS).filter_map(|(_, row)| row.pointer("/terminal/address")?.as_str());
    addresses.filter_map(|address| origin(address).map(str::to_owned))
}
