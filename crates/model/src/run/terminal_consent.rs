//! The operator's consent to the terminals of nodes, a setting of this device that no import brings.

use serde::{Deserialize, Serialize};

use crate::id::SessionId;
use crate::run::Node;
use crate::run::terminal::{TerminalSpec, origin};
use crate::settings::schema::TERMINAL_ROWS;
use crate::world::World;
use nexus_text::json;

/// What the operator allowed for a node: exactly this terminal, and whether agents may use it by tools.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TerminalConsent {
    pub terminal: TerminalSpec,
    #[serde(default)]
    pub agents: bool,
}

/// The consent to a node's terminal as it is now; `None` where the operator gave none on this device.
pub fn consent(world: &World, session: SessionId, node: &Node) -> Option<TerminalConsent> {
    consent_to(world, session, node.id.as_str(), node.terminal.as_deref()?)
}

/// The consent to this terminal for a node.
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

/// The setting that keeps the consent to a node's terminal.
pub fn consent_row(session: SessionId, node: &str) -> String {
    TERMINAL_ROWS.row(format!("{session}/{node}"))
}

/// The origins of the terminals that the operator allowed.
pub fn allowed_origins(world: &World) -> impl Iterator<Item = String> {
    // Read without the type: this is in the first load.
    let addresses =
        world.rows_of(TERMINAL_ROWS).filter_map(|(_, row)| row.pointer("/terminal/address")?.as_str());
    addresses.filter_map(|address| origin(address).map(str::to_owned))
}
