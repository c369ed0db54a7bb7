//! Never reads anything itself, and never holds what was read.
//!
//! Owns what screens share that look back on what happened: the way to the records, the addresses of these screens, and
//! the filter or turn that such an address asks for.

use leptos::prelude::*;
use leptos_router::hooks::use_location;
use send_wrapper::SendWrapper;

use crate::domain::audit::{Filter, Place};
use crate::domain::id::{RunId, TurnId};
use crate::engine::records::Records;
use crate::ui::hooks::address;

/// The path of the audit below the folder of the build.
pub(in crate::ui) const AUDIT: &str = "/audit/";
/// The path of the inspector.
pub(in crate::ui) const INSPECT: &str = "/inspect/";
/// The path of the tree.
pub(in crate::ui) const TREE: &str = "/tree/";

/// The way to what was recorded, as a context.
#[derive(Clone, Copy)]
pub struct LookBack(StoredValue<SendWrapper<Records>>);

impl LookBack {
    pub(in crate::ui) fn new(records: Records) -> Self {
        Self(StoredValue::new(SendWrapper::new(records)))
    }

    /// The records.
    pub fn records(&self) -> Records {
        self.0.with_value(|records| (**records).clone())
    }
}

/// The address of the audit.
pub fn audit_path() -> String {
    format!("{}{AUDIT}", address::base_path())
}

/// The address of an event in the audit.
pub fn event_path(place: Place) -> String {
    format!("{}?{}", audit_path(), Filter::default().query(Some(place)))
}

/// The address of all that a run did.
pub fn run_path(run: RunId) -> String {
    format!("{}?{}", audit_path(), Filter::of_run(&run.to_string()).query(None))
}

/// The address of a turn in the inspector.
pub fn inspect_path(turn: TurnId) -> String {
    format!("{}{INSPECT}?turn={turn}", address::base_path())
}

/// The address of the tree.
pub fn tree_path() -> String {
    format!("{}{TREE}", address::base_path())
}

/// The address of the tree with a turn that is to be merged into the session in view.
pub fn merge_path(turn: TurnId) -> String {
    format!("{}?turn={turn}&merge=1", tree_path())
}

/// The query that the screen was opened with. While a link is followed, only the router knows it.
pub fn opened_with() -> String {
    if address::may_write_history() { use_location().search.get_untracked() } else { address::query() }
}
