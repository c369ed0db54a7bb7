//! What the run screen knows: the log of the run, the moment that is looked at, and the selected node.

use futures_util::StreamExt as _;

use crate::ui::kit::signal::HeldSignal;
use crate::ui::prelude::*;
use crate::ui::tree_map::history_links::HistoryContext;
use nexus_engine::port::StoreError;
use nexus_engine::queries::EventQueries;
use nexus_engine::queries::run_log::{RunLog, texts_at};
use nexus_text::content_hash::ContentHash;
use nexus_text::vec_map::VecMap;
use nexus_view::run_graph::archive::RunArchive;
use nexus_view::run_graph::geometry::DiagramGeometry;
use nexus_view::run_graph::replay::RunReplay;
use nexus_view::run_graph::transcript::{TranscriptEntry, transcript};
use nexus_view::run_graph::{DiagramNode, NodeRole, OPERATOR, RunDiagram};
use nexus_view::strings::run_graph as words;

type FileContents = VecMap<ContentHash, Arc<str>>;

#[derive(Clone, Copy)]
pub(super) struct RunScreenState {
    run: StoredValue<RunId>,
    history: HistoryContext,
    agents: Agents,
    replay: StoredValue<RunReplay>,
    /// What is known of the files of a run that was imported; `None` where the run is on this device.
    contents: StoredValue<Option<FileContents>>,
    /// Counts what was read.
    version: RwSignal<u64>,
    is_read: RwSignal<bool>,
    pub(super) problem: RwSignal<Option<&'static str>>,
    /// How many events are looked at; all of them, and those to come, where it is `None`.
    pub(super) at: RwSignal<Option<usize>>,
    selected: RwSignal<String>,
    /// The nodes whose panes stand side by side in the place of the graph, by a number for each.
    /// They outlive whatever opened them.
    pub(super) tiles: RwSignal<Vec<(u32, HeldSignal<String>)>>,
    pub(super) diagram: Selector<Option<Arc<RunDiagram>>>,
    pub(super) geometry: Selector<Arc<DiagramGeometry>>,
}

impl RunScreenState {
    /// Reads a run and follows it, as long as the screen is there.
    pub(super) fn open(run: RunId, node: Option<String>, at: Option<usize>) -> Self {
        let this = Self::over(RunReplay::new(run), None, node, at);
        this.follow();
        Effect::new(move |_| {
            let (node, at) = (this.selected.get(), this.at.get());
            let node = if node.is_empty() { node } else { format!("&node={node}") };
            let at = at.map(|at| format!("&at={at}")).unwrap_or_default();
            address::set_query(&format!("run={run}{node}{at}"));
        });
        this
    }

    /// Shows a run that was read from a file. Nothing is read or followed besides.
    pub(super) fn imported(archive: &RunArchive) -> Self {
        let mut replay = RunReplay::new(archive.run);
        replay.take(archive.log.clone());
        let this = Self::over(replay, Some(archive.contents.clone()), None, None);
        this.is_read.set(true);
        address::set_query("");
        this
    }

    fn over(
        replay: RunReplay,
        contents: Option<FileContents>,
        node: Option<String>,
        at: Option<usize>,
    ) -> Self {
        let run = replay.run();
        let replay = StoredValue::new(replay);
        let (version, at) = (RwSignal::new(0u64), RwSignal::new(at));
        let diagram = select(move || {
            version.track();
            let at = at.get();
            replay
                .with_value(|replay| replay.diagram_at(at.unwrap_or(replay.len()).max(replay.first())))
                .map(Arc::new)
        });
        // Most events move nothing: what is drawn stays as it is then.
        let geometry = select(move || {
            Arc::new(diagram.with(|diagram| {
                diagram.as_ref().map(|diagram| DiagramGeometry::of(diagram)).unwrap_or_default()
            }))
        });
        Self {
            run: StoredValue::new(run),
            history: expect_context::<HistoryContext>(),
            agents: expect_context::<Agents>(),
            replay,
            contents: StoredValue::new(contents),
            version,
            is_read: RwSignal::new(false),
            problem: RwSignal::new(None),
            at,
            selected: RwSignal::new(node.unwrap_or_default()),
            tiles: RwSignal::new(Vec::new()),
            diagram,
            geometry,
        }
    }

    /// The same screen with a selection of its own, for a pane beside it.
    pub(super) fn pane(self, node: RwSignal<String>) -> Self {
        Self { selected: node, ..self }
    }

    /// The ids of the nodes that have something to read, with their names. Tracks them.
    pub(super) fn readable(&self) -> Vec<(String, String)> {
        self.diagram.with(|diagram| {
            let nodes = diagram.iter().flat_map(|diagram| &diagram.nodes);
            nodes.map(|node| (node.id.clone(), format!("{} · {}", self.name(node), node.id))).collect()
        })
    }

    fn follow(self) {
        spawn_here(self.read());
    }

    async fn read(self) {
        let records = self.records();
        // Before the log is read: nothing between the two is missed.
        let mut news = records.news().ready_chunks(256);
        let mut log = RunLog::new(records, self.run());
        loop {
            match log.read().await {
                Ok(page) => {
                    let is_new = !page.events.is_empty();
                    self.replay.update_value(|replay| replay.take(page));
                    self.is_read.set(true);
                    self.problem.set(None);
                    if is_new {
                        self.version.update(|version| *version = version.wrapping_add(1));
                    }
                }
                Err(_) => self.problem.set(Some(words::UNREADABLE.get())),
            }
            loop {
                let Some(streams) = news.next().await else { return };
                if streams.iter().any(|stream| log.follows(*stream)) {
                    break;
                }
            }
        }
    }

    fn records(&self) -> EventQueries {
        self.history.records()
    }

    /// Whether the run was read from a file, so that nothing can be done with it here.
    pub(super) fn is_imported(&self) -> bool {
        self.contents.with_value(Option::is_some)
    }

    /// The contents of files that the run made, as far as they are known.
    pub(super) async fn texts(
        &self,
        hashes: impl IntoIterator<Item = ContentHash>,
    ) -> Result<FileContents, StoreError> {
        match self.contents.get_value() {
            Some(contents) => Ok(contents),
            None => texts_at(&self.records(), hashes).await,
        }
    }

    pub(super) fn run(&self) -> RunId {
        self.run.get_value()
    }

    pub(super) fn is_read(&self) -> bool {
        self.is_read.get()
    }

    /// Reads the log; tracks it.
    pub(super) fn with_replay<T>(&self, read: impl FnOnce(&RunReplay) -> T) -> T {
        self.version.track();
        self.replay.with_value(read)
    }

    /// How many events are looked at. Tracks it.
    pub(super) fn count(&self) -> usize {
        let at = self.at.get();
        self.with_replay(|replay| at.unwrap_or(replay.len()).max(replay.first()).min(replay.len()))
    }

    /// Whether the newest moment is looked at. Tracks it.
    pub(super) fn is_live(&self) -> bool {
        self.at.with(Option::is_none)
    }

    /// Goes to the moment after so many events; the last one is that of now.
    pub(super) fn go_to(&self, count: usize) {
        let (first, all) = self.replay.with_value(|replay| (replay.first(), replay.len()));
        self.at.set((count < all).then_some(count.max(first)));
    }

    pub(super) fn told(&self) -> String {
        self.diagram
            .with(|diagram| diagram.as_ref().map(|diagram| words::summary(diagram)).unwrap_or_default())
    }

    /// The place of the selected node: the one that was chosen, else the one that works, else the first agent.
    pub(super) fn selected(&self) -> usize {
        let chosen = self.selected.get();
        self.diagram.with(|diagram| {
            let Some(diagram) = diagram else { return 0 };
            let place = |is_it: &dyn Fn(&DiagramNode) -> bool| diagram.nodes.iter().position(is_it);
            place(&|node| node.id == chosen)
                .or_else(|| place(&|node| node.status == nexus_model::run::NodeStatus::Running))
                .or_else(|| place(&|node| node.id != OPERATOR))
                .unwrap_or_default()
        })
    }

    pub(super) fn selected_node(&self) -> Option<DiagramNode> {
        let at = self.selected();
        self.node(at)
    }

    /// The node at a place. Tracks it.
    pub(super) fn node(&self, at: usize) -> Option<DiagramNode> {
        self.diagram.with(|diagram| diagram.as_ref()?.nodes.get(at).cloned())
    }

    pub(super) fn select(&self, at: usize) {
        let id = self.diagram.with_untracked(|diagram| {
            diagram.as_ref().and_then(|diagram| diagram.nodes.get(at)).map(|node| node.id.clone())
        });
        if let Some(id) = id {
            self.selected.set(id);
        }
    }

    /// What the node is called. Tracks it.
    pub(super) fn name(&self, node: &DiagramNode) -> String {
        let agent = node.agent.as_ref().map(|key| match self.agent_row(key) {
            Some(row) => row.with(|row| reveal(&row.agent.identity.name)),
            None => reveal(key.as_str()),
        });
        match (node.role, agent) {
            (NodeRole::Candidate, _) => {
                node.config.as_ref().map_or_else(String::new, |config| strings::model_name(&config.model))
            }
            (_, Some(name)) => name,
            // It works in a terminal: its type says no name.
            (NodeRole::Agent, None) => reveal(&node.id),
            (role, None) => words::role(role).to_owned(),
        }
    }

    pub(super) fn accent(&self, node: &DiagramNode) -> Option<&'static str> {
        let row = self.agent_row(node.agent.as_ref()?)?;
        Some(row.with(|row| row.agent.accent.name()))
    }

    /// An imported run may stand before the device has its agents: they are waited for.
    fn agent_row(&self, key: &AgentKey) -> Option<Selector<AgentRow>> {
        self.agents.order.track();
        self.agents.rows.row(key)
    }

    pub(super) fn transcript(&self) -> Vec<TranscriptEntry> {
        let Some(node) = self.selected_node() else { return Vec::new() };
        let count = self.count();
        let run = self.run();
        self.with_replay(|replay| {
            let (core, outputs) = (replay.core_at(count), replay.outputs_at(count));
            transcript(&replay.world_at(count), run, &node, &core, &outputs)
        })
    }
}
