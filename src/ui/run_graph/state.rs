//! State of the run screen: the run's log, the shown moment, and the selected node.

use crate::ui::prelude::*;
use nexus_engine::queries::run_log::{RunLog, texts_at};
use nexus_model::run::NodeStatus;
use nexus_view::run_graph::archive::RunArchive;
use nexus_view::run_graph::geometry::DiagramGeometry;
use nexus_view::run_graph::replay::RunReplay;
use nexus_view::run_graph::transcript::{TranscriptEntry, transcript};
use nexus_view::run_graph::{NodeRole, OPERATOR};
use nexus_view::strings::run_graph as words;

type FileContents = VecMap<ContentHash, Arc<str>>;

#[derive(Clone, Copy)]
pub(super) struct RunScreenState {
    pub(super) run: RunId,
    page: &'static Page,
    replay: StoredValue<RunReplay>,
    /// Known file contents of an imported run; `None` if the run is on this device.
    contents: StoredValue<Option<FileContents>>,
    /// Incremented by each read.
    version: RwSignal<u64>,
    pub(super) is_read: RwSignal<bool>,
    pub(super) problem: RwSignal<Option<&'static str>>,
    /// Number of events shown; `None` shows all, including new ones.
    pub(super) at: RwSignal<Option<usize>>,
    selected: RwSignal<String>,
    /// Nodes whose panes are tiled instead of the graph, each with a number.
    pub(super) tiles: RwSignal<Vec<(u32, RwSignal<String>)>>,
    /// Owns the tiles, which outlive the component that opened them.
    owner: StoredValue<Owner>,
    pub(super) diagram: Selector<Option<Arc<RunDiagram>>>,
    pub(super) geometry: Selector<Arc<DiagramGeometry>>,
}

impl RunScreenState {
    /// Reads a run and follows it until the screen closes.
    pub(super) fn open(run: RunId, node: Option<String>, at: Option<usize>) -> Self {
        let this = Self::over(RunReplay::new(run), None, node, at);
        spawn_here(this.read());
        Effect::new(move |_| {
            let (node, at) = (this.selected.get(), this.at.get());
            let node = if node.is_empty() { node } else { format!("&node={node}") };
            let at = at.map(|at| format!("&at={at}")).unwrap_or_default();
            address::set_query(&format!("run={run}{node}{at}"));
        });
        this
    }

    /// Shows a run that was read from a file. Reads and follows nothing else.
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
        let run = replay.run;
        let replay = StoredValue::new(replay);
        let (version, at) = (RwSignal::new(0u64), RwSignal::new(at));
        let diagram = select(move || {
            version.track();
            let at = at.get();
            replay
                .with_value(|replay| replay.diagram_at(at.unwrap_or(replay.len()).max(replay.first())))
                .map(Arc::new)
        });
        // Most events do not change the layout.
        let geometry = select(move || Arc::new(diagram.with_some(|diagram| DiagramGeometry::of(diagram))));
        Self {
            run,
            page: expect_context(),
            replay,
            contents: StoredValue::new(contents),
            version,
            is_read: RwSignal::new(false),
            problem: RwSignal::new(None),
            at,
            selected: RwSignal::new(node.unwrap_or_default()),
            tiles: RwSignal::new(Vec::new()),
            owner: StoredValue::new(Owner::current().unwrap_or_default()),
            diagram,
            geometry,
        }
    }

    /// The same screen with its own selection, for a tiled pane.
    pub(super) fn pane(self, node: RwSignal<String>) -> Self {
        Self { selected: node, ..self }
    }

    /// Tiles another pane, of this node.
    pub(super) fn add_tile(self, number: u32, node: String) {
        let node = self.owner.with_value(|owner| owner.with(|| RwSignal::new(node)));
        self.tiles.update(|tiles| tiles.push((number, node)));
    }

    /// The ids of the readable nodes, with their names. Reactive.
    pub(super) fn readable(&self) -> Vec<(String, String)> {
        self.diagram.with(|diagram| {
            let nodes = diagram.iter().flat_map(|diagram| &diagram.nodes);
            nodes.map(|node| (node.id.clone(), format!("{} · {}", self.agent_name(node), node.id))).collect()
        })
    }

    async fn read(self) {
        let records = self.page.history.records();
        // Subscribed before the log is read, so that no event is missed.
        let mut news = records.news().ready_chunks(256);
        let mut log = RunLog::new(records, self.run);
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

    /// True if the run was read from a file, so that it cannot be changed here.
    pub(super) fn is_imported(&self) -> bool {
        self.contents.with_value(Option::is_some)
    }

    /// The known contents of files that the run created.
    pub(super) async fn texts(
        &self,
        hashes: impl IntoIterator<Item = ContentHash>,
    ) -> Result<FileContents, StoreError> {
        match self.contents.get_value() {
            Some(contents) => Ok(contents),
            None => texts_at(&self.page.history.records(), hashes).await,
        }
    }

    /// Reads the replay. Reactive.
    pub(super) fn with_replay<T>(&self, read: impl FnOnce(&RunReplay) -> T) -> T {
        self.version.track();
        self.replay.with_value(read)
    }

    /// Number of events shown. Reactive.
    pub(super) fn count(&self) -> usize {
        let at = self.at.get();
        self.with_replay(|replay| at.unwrap_or(replay.len()).max(replay.first()).min(replay.len()))
    }

    /// True if the newest moment is shown. Reactive.
    pub(super) fn is_live(&self) -> bool {
        self.at.with(Option::is_none)
    }

    /// Shows the moment after `count` events; all of them means live.
    pub(super) fn go_to(&self, count: usize) {
        let (first, all) = self.replay.with_value(|replay| (replay.first(), replay.len()));
        self.at.set((count < all).then_some(count.max(first)));
    }

    /// Index of the selected node: the chosen one, else the one that works, waits or worked last in an open run, else the
    /// first agent. Reactive.
    pub(super) fn selected(&self) -> usize {
        let chosen = self.selected.get();
        self.diagram.with_some(|diagram| {
            let place = |matches: &dyn Fn(&DiagramNode) -> bool| diagram.nodes.iter().position(matches);
            let newest = || {
                let last = diagram.nodes.iter().filter_map(|node| node.turns.last()).max();
                let last = last.filter(|_| diagram.run.status.is_open())?;
                place(&|node| node.turns.last() == Some(last))
            };
            place(&|node| node.id == chosen)
                .or_else(|| place(&|node| node.status == NodeStatus::Running))
                .or_else(|| place(&|node| node.status == NodeStatus::Blocked))
                .or_else(newest)
                .or_else(|| place(&|node| node.id != OPERATOR))
                .unwrap_or_default()
        })
    }

    pub(super) fn selected_node(&self) -> Option<DiagramNode> {
        self.node(self.selected())
    }

    /// The node at an index. Reactive.
    pub(super) fn node(&self, at: usize) -> Option<DiagramNode> {
        self.diagram.with_some(|diagram| diagram.nodes.get(at).cloned())
    }

    pub(super) fn select(&self, at: usize) {
        let id = self.diagram.with_some_untracked(|diagram| Some(diagram.nodes.get(at)?.id.clone()));
        if let Some(id) = id {
            self.selected.set(id);
        }
    }

    /// A node's name. Reactive.
    pub(super) fn name(&self, node: &DiagramNode) -> String {
        node.own_name().map_or_else(|| self.agent_name(node), reveal)
    }

    /// A node's name, and its agent's if that is another one. Reactive.
    pub(super) fn full_name(&self, node: &DiagramNode) -> String {
        match (node.own_name(), self.agent_name(node)) {
            (Some(name), agent) if name != agent => format!("{} · {agent}", reveal(name)),
            (_, agent) => agent,
        }
    }

    /// The name of a node's agent, else of its role. Reactive.
    pub(super) fn agent_name(&self, node: &DiagramNode) -> String {
        let agent = node.agent.as_ref().map(|key| match self.agent_row(key) {
            Some(row) => row.with(|row| reveal(&row.agent.identity.name)),
            None => reveal(key.as_str()),
        });
        match (node.role, agent) {
            (NodeRole::Candidate, _) => {
                node.config.as_ref().map_or_else(String::new, |config| strings::model_name(&config.model))
            }
            (_, Some(name)) => name,
            // An agent in a terminal is named by its id.
            (NodeRole::Agent, None) => reveal(&node.id),
            (role, None) => words::role(role).to_owned(),
        }
    }

    pub(super) fn accent(&self, node: &DiagramNode) -> Option<&'static str> {
        let row = self.agent_row(node.agent.as_ref()?)?;
        Some(row.with(|row| row.agent.accent.name()))
    }

    /// An imported run may be shown before the device's agents are loaded, so it tracks their order.
    fn agent_row(&self, key: &AgentKey) -> Option<Selector<AgentRow>> {
        self.page.agents.order.track();
        self.page.agents.rows.row(key)
    }

    pub(super) fn transcript(&self) -> Vec<TranscriptEntry> {
        let Some(node) = self.selected_node() else { return Vec::new() };
        let count = self.count();
        let run = self.run;
        self.with_replay(|replay| {
            let (core, outputs) = (replay.core_at(count), replay.outputs_at(count));
            transcript(&replay.world_at(count), run, &node, &core, &outputs)
        })
    }
}
