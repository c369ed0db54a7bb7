//! What the run screen shows: a run of this device, one that was read from a file, or the graph editor.

use std::sync::Arc;

use crate::ui::kit::prelude::*;
use nexus_model::id::RunId;
use nexus_model::run::graph::GraphTemplate;
use nexus_view::run_graph::archive::RunArchive;

#[derive(Clone, PartialEq)]
pub(super) enum RunPlace {
    /// This run; else the one that the address named, else the newest one of the session in view, as soon as that is
    /// loaded.
    Run(Option<RunId>),
    /// A run that was read from a file. It is in memory only, until another place is shown.
    Imported(Arc<RunArchive>),
    /// The graph editor, with this graph where one was chosen.
    Edit(Option<Arc<GraphTemplate>>),
}

/// What the screen shows and whether a file is chosen, for its parts.
#[derive(Clone, Copy)]
pub(super) struct PlaceState {
    pub(super) place: RwSignal<RunPlace>,
    pub(super) imports: RwSignal<bool>,
}
