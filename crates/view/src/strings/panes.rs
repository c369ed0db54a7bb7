//! Strings of the pane layout and the banners above it.

use crate::strings::Notice;

pub const TIMELINE: &str = "Timeline";
pub const BOARD_TAB: &str = "Board";
pub const TABS: &str = "Panes";
pub const RESIZE: &str = "Drag, or use the arrow keys; Enter puts it back";
pub const BANNERS: &str = "State of this page";
pub const TO_SETTINGS: &str = "Use a model";

pub const ENTER_KEY: &str = "Enter the key";
pub const CLOSE_KEY: &str = "Close";

/// A provider whose key is missing, and the agents that cannot answer without it.
pub fn no_key(provider: &str, agents: &[String]) -> Notice {
    let advice = format!(
        "{} cannot answer without it. A key that is kept in this tab only is gone when the tab is closed or reloaded.",
        super::listed(agents)
    );
    Notice::new(format!("No API key for {provider}"), advice)
}

pub fn close(pane: &str) -> String {
    format!("Fold away: {pane}")
}

pub fn open(pane: &str) -> String {
    format!("Show: {pane}")
}

pub fn width_of(pane: &str) -> String {
    format!("Width of {pane}")
}
