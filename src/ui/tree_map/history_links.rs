//! Addresses of the audit, inspector and tree screens, their query parameters, and access to the event records.

use crate::ui::hooks::address::screen_path;
use crate::ui::kit::base::*;
use nexus_engine::queries::EventQueries;
use nexus_model::event::EventPosition;
use nexus_model::id::{RunId, TurnId};
use nexus_view::audit::AuditFilter;
use nexus_view::shortcuts::screens::Screen;

#[derive(Clone, Copy)]
pub struct HistoryContext(StoredValue<SendWrapper<EventQueries>>);

impl HistoryContext {
    pub fn new(records: EventQueries) -> Self {
        Self(StoredValue::new(SendWrapper::new(records)))
    }

    pub fn records(&self) -> EventQueries {
        self.0.with_value(|records| (**records).clone())
    }
}

pub fn event_path(place: EventPosition) -> String {
    format!("{}?{}", screen_path(Screen::Audit), AuditFilter::default().query(Some(place)))
}

/// The address of a run's events.
pub fn run_path(run: RunId) -> String {
    format!("{}?{}", screen_path(Screen::Audit), AuditFilter::of_run(&run.to_string()).query(None))
}

pub fn inspect_path(turn: TurnId) -> String {
    format!("{}?turn={turn}", screen_path(Screen::Inspect))
}

pub fn run_graph_path(run: RunId) -> String {
    format!("{}?run={run}", screen_path(Screen::Run))
}

/// The address of the graph editor, with the graph at this index of the dialog that starts one.
pub fn graph_editor_path(graph: Option<usize>) -> String {
    let graph = graph.map(|at| format!("&graph={at}")).unwrap_or_default();
    format!("{}?edit=1{graph}", screen_path(Screen::Run))
}

/// The address of the run screen with the import dialog open.
pub fn run_import_path() -> String {
    format!("{}?import=1", screen_path(Screen::Run))
}

/// The address of the tree with a turn to merge into the session in view.
pub fn merge_path(turn: TurnId) -> String {
    format!("{}?turn={turn}&merge=1", screen_path(Screen::Tree))
}
