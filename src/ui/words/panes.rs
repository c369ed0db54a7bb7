//! Never looks anything up.
//!
//! Owns the words of the frame around the panes, and of the banners above them.

pub(crate) const TIMELINE: &str = "Timeline";
pub(crate) const BOARD_TAB: &str = "Board";
pub(crate) const TABS: &str = "Panes";
pub(crate) const RESIZE: &str = "Drag, or use the arrow keys; Enter puts it back";
pub(crate) const BANNERS: &str = "State of this page";
pub(crate) const TO_SETTINGS: &str = "Use a model";

pub(crate) fn close(pane: &str) -> String {
    format!("Fold away: {pane}")
}

pub(crate) fn open(pane: &str) -> String {
    format!("Show: {pane}")
}

pub(crate) fn width_of(pane: &str) -> String {
    format!("Width of {pane}")
}
