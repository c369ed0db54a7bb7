//! State of the tree screen: loaded turns, layout, selection and viewport.

use crate::ui::prelude::*;
use nexus_engine::queries::tree as reader;
use nexus_engine::queries::tree::SessionFlag;
use nexus_model::limits::TREE_PAGE;
use nexus_model::turn::TurnEnd;
use nexus_model::turn::tree::TurnStub;
use nexus_view::strings::tree_layout as words;
use nexus_view::tree_layout::camera::Camera;
use nexus_view::tree_layout::{Direction, LayoutNode, LayoutNodeKind, TreeLayout};

/// Events within this time are handled together, in milliseconds.
const BATCH_MS: u64 = 300;
/// Number of turns whose texts are read at a time.
const WORDS_AT_A_TIME: usize = 60;

#[derive(Clone, Copy)]
pub struct TreeState {
    pub(super) page: &'static Page,
    turns: StoredValue<VecMap<TurnId, TurnStub>>,
    damaged: RwSignal<usize>,
    unread: RwSignal<Option<usize>>,
    /// Sessions, newest first.
    pub flags: RwSignal<Vec<SessionFlag>>,
    pub map: RwSignal<Arc<TreeLayout>>,
    /// Unfolded runs, each with all of its turns: the selected turn is never folded, and must not split a run.
    unfolded: StoredValue<Vec<VecSet<TurnId>>>,
    pub at: RwSignal<Option<TurnId>>,
    pub marked: RwSignal<Option<TurnId>>,
    pub compared: RwSignal<Option<(TurnId, TurnId)>>,
    /// The turn to merge into the session in view, and the session whose head it is.
    pub merged: RwSignal<Option<(TurnId, Option<SessionId>)>>,
    /// True if a link of the war room opened the merge.
    is_linked: StoredValue<bool>,
    pub camera: RwSignal<Camera>,
    /// First words of turns that were in view.
    pub last_lines: RwSignal<VecMap<TurnId, Arc<str>>>,
    is_loading_words: StoredValue<bool>,
    /// True if the next events lead to the head of the session in view.
    pub(super) follows_head: StoredValue<bool>,
    /// True once the initial turn was selected.
    is_placed: StoredValue<bool>,
    pub problem: RwSignal<Option<&'static str>>,
}

/// The node that shows a turn, alone or folded into a run.
fn node_with(map: &TreeLayout, turn: TurnId) -> Option<&LayoutNode> {
    map.node(map.node_of(turn)?)
}

impl TreeState {
    /// The state of the screen, which loads itself until the screen closes.
    pub(super) fn open() -> Self {
        let turn = address::query_value("turn").and_then(|id| id.parse::<TurnId>().ok());
        let merges = address::query_value("merge").is_some();
        let this = Self {
            page: expect_context(),
            turns: StoredValue::new(VecMap::new()),
            damaged: RwSignal::new(0),
            unread: RwSignal::new(None),
            flags: RwSignal::new(Vec::new()),
            map: RwSignal::new(Arc::default()),
            unfolded: StoredValue::new(Vec::new()),
            at: RwSignal::new(turn),
            marked: RwSignal::new(None),
            compared: RwSignal::new(None),
            merged: RwSignal::new(None),
            is_linked: StoredValue::new(false),
            camera: RwSignal::new(Camera::new(0.0, 0.0)),
            last_lines: RwSignal::new(VecMap::new()),
            is_loading_words: StoredValue::new(false),
            follows_head: StoredValue::new(false),
            is_placed: StoredValue::new(false),
            problem: RwSignal::new(None),
        };
        spawn_here(this.read());
        Effect::new(move |_| {
            let turn = this.at.get();
            address::set_query(&turn.map(|turn| format!("turn={turn}")).unwrap_or_default());
        });
        // The address may request a merge, which starts once it is possible.
        let merge_request = RwSignal::new(turn.filter(|_| merges));
        Effect::new(move |_| {
            let Some(turn) = merge_request.get() else { return };
            // Selecting another turn cancels it.
            let is_looked_at = this.at.get() == Some(turn);
            if is_looked_at && this.merges_into(turn).is_none() {
                return;
            }
            merge_request.set(None);
            if !is_looked_at {
                return;
            }
            this.is_linked.set_value(true);
            this.merged.set(Some((turn, this.flags_at(turn).first().map(|flag| flag.session))));
        });
        this
    }

    pub(super) fn records(&self) -> EventQueries {
        self.page.history.records()
    }

    async fn read(self) {
        let records = self.records();
        let mut news = records.news().ready_chunks(1_024);
        if self.read_all(&records).await.is_err() {
            self.problem.set(Some(common::UNREADABLE.get()));
        }
        while news.next().await.is_some() {
            self.page.dispatch.clock().sleep(BATCH_MS).await;
            let outcome = self.read_news(&records).await;
            if self.follows_head.get_value() {
                self.follows_head.set_value(false);
                self.to_head();
            }
            self.problem.set(outcome.err().map(|_| common::UNREADABLE.get()));
        }
    }

    async fn read_all(self, records: &EventQueries) -> Result<(), StoreError> {
        self.flags.set_if_changed(reader::flags(records).await?);
        let mut keys = reader::keys(records).await?;
        // The newest first, where the viewport starts.
        while !keys.is_empty() {
            self.unread.set(Some(keys.len()));
            let page = keys.split_off(keys.len().saturating_sub(TREE_PAGE));
            self.add_turns(records, page).await?;
            // A large tree is laid out once it is complete, its first page at once.
            if keys.is_empty() || !self.is_placed.get_value() {
                self.lay_out();
            }
        }
        self.unread.set(Some(0));
        self.lay_out();
        Ok(())
    }

    /// Reads new turns, and unfinished ones again.
    async fn read_news(self, records: &EventQueries) -> Result<(), StoreError> {
        let keys = reader::keys(records).await?;
        let stale = self.turns.with_value(|dots| {
            keys.into_iter()
                .filter(|key| {
                    let known = key.parse::<TurnId>().ok().and_then(|id| dots.get(&id));
                    known.is_none_or(|dot| dot.end.is_none())
                })
                .collect::<Vec<_>>()
        });
        for page in stale.chunks(TREE_PAGE) {
            self.add_turns(records, page.to_vec()).await?;
        }
        // Only if they differ: rerendering loses the focus and typed names.
        self.flags.set_if_changed(reader::flags(records).await?);
        self.lay_out();
        Ok(())
    }

    async fn add_turns(self, records: &EventQueries, keys: Vec<String>) -> Result<(), StoreError> {
        let (read, damaged) = reader::stubs(records, keys).await?;
        self.damaged.update(|all| *all = all.saturating_add(damaged));
        let ended: Vec<TurnId> = read.iter().filter(|dot| dot.end.is_some()).map(|dot| dot.id).collect();
        self.turns.update_value(|dots| dots.extend(read.into_iter().map(|dot| (dot.id, dot))));
        // The first words may change when a turn ends.
        self.last_lines.update(|words| words.retain(|turn, _| !ended.contains(turn)));
        Ok(())
    }

    /// Renews the layout, with the selected turn unfolded and at the same place on the screen.
    fn lay_out(self) {
        self.lay_out_with(self.at.get_untracked());
    }

    fn lay_out_with(self, shown: Option<TurnId>) {
        let before = self.place_of(self.at.get_untracked());
        let mut always_shown: VecSet<TurnId> = shown.into_iter().chain(self.marked.get_untracked()).collect();
        self.flags.with_untracked(|flags| always_shown.extend(flags.iter().filter_map(|flag| flag.head)));
        let dots: Vec<TurnStub> = self.turns.with_value(|dots| dots.values().cloned().collect());
        let unfolded: VecSet<TurnId> =
            self.unfolded.with_value(|runs| runs.iter().flat_map(VecSet::iter).copied().collect());
        let map = TreeLayout::new(dots, &always_shown, &unfolded);
        self.map.set(Arc::new(map));
        if !self.is_placed.get_value() {
            return self.go_to_start();
        }
        let now = self.place_of(self.at.get_untracked());
        if let Some(((lane, row), (new_lane, new_row))) = before.zip(now) {
            self.camera.update(|camera| {
                let (x, y) = camera.screen(f64::from(lane), f64::from(row));
                let (new_x, new_y) = camera.screen(f64::from(new_lane), f64::from(new_row));
                *camera = camera.panned(x - new_x, y - new_y);
            });
        }
    }

    /// Selects the turn of the address, else the head of the session in view.
    fn go_to_start(self) {
        let width = self.camera.with_untracked(|camera| camera.width);
        let at = self.at.get_untracked().or(self.head_in_view());
        let (lanes, rows) = self.map.with_untracked(|map| (map.lanes, map.rows));
        // A session without turns has none to select; the tree is shown nevertheless.
        let first = at.is_none().then_some((0, 0)).filter(|_| rows > 0);
        let Some(place) = self.place_of(at).or(first).filter(|_| width > 0.0) else { return };
        self.is_placed.set_value(true);
        self.at.set(at);
        self.camera.update(|camera| *camera = camera.opened(lanes, rows, place));
    }

    pub(super) fn resized(self, width: f64, height: f64) {
        self.camera.update(|camera| *camera = camera.resized(width, height));
        if !self.is_placed.get_value() {
            self.go_to_start();
        }
    }

    pub(super) fn place_of(self, turn: Option<TurnId>) -> Option<(u32, u32)> {
        self.map.with_untracked(|map| {
            let spot = node_with(map, turn?)?;
            Some((spot.lane, spot.row))
        })
    }

    pub(super) fn select(self, turn: TurnId) {
        self.at.set_if_changed(Some(turn));
        self.scroll_into_view();
    }

    /// Selects a turn even if it is folded.
    pub(super) fn show(self, turn: TurnId) {
        // Showing the shown turn again, as after a fork of it, must not rerender its card, whose button has the focus.
        self.at.set_if_changed(Some(turn));
        let is_run = |spot: &LayoutNode| matches!(spot.kind, LayoutNodeKind::Run(_));
        let is_folded = self.map.with_untracked(|map| node_with(map, turn).is_some_and(is_run));
        if is_folded {
            self.lay_out();
        }
        if let Some((lane, row)) = self.place_of(Some(turn)) {
            self.camera.update(|camera| *camera = camera.at(lane, row));
        }
    }

    pub(super) fn to_head(self) {
        if let Some(head) = self.head_in_view() {
            self.show(head);
        }
    }

    /// Closes the merge without merging, and returns to the war room if a link there opened it.
    pub(super) fn cancel_merge(self) {
        if self.close_merge() {
            address::follow(&home_path());
        }
    }

    /// Closes the merge; true if a link of the war room opened it. The screen may be gone by now.
    pub(super) fn close_merge(self) -> bool {
        self.merged.set(None);
        self.is_linked.try_update_value(std::mem::take).unwrap_or_default()
    }

    /// A turn's special kind or state, as now.
    pub(super) fn special(self, id: TurnId, kind: TurnKind, end: Option<TurnEnd>) -> Option<&'static str> {
        let waits = |world: &World| {
            let run = world.turn(&id).and_then(|turn| world.run_of(turn));
            run.is_some_and(|run| run.waits_for_operator())
        };
        words::special(kind, end, end.is_none() && self.page.world.with(WorldParts::SESSIONS, waits))
    }

    fn head_in_view(self) -> Option<TurnId> {
        let focus = self.page.sessions.focus.get_untracked();
        self.flags.with_untracked(|flags| {
            flags.iter().find(|flag| flag.session == focus).or(flags.first()).and_then(|flag| flag.head)
        })
    }

    /// True if the turn's parent is missing.
    pub(super) fn is_orphan(self, turn: TurnId) -> bool {
        self.map.with(|map| node_with(map, turn).is_some_and(|spot| spot.is_orphan))
    }

    fn scroll_into_view(self) {
        if let Some((lane, row)) = self.place_of(self.at.get_untracked()) {
            self.camera.update(|camera| *camera = camera.reveal(lane, row));
        }
    }

    pub(super) fn walk(self, way: Direction) {
        let next = self.map.with_untracked(|map| {
            let from = self.at.get_untracked().and_then(|turn| map.node_of(turn)).unwrap_or(0);
            map.turn_at(map.step(from, way))
        });
        if let Some(next) = next {
            self.select(next);
        }
    }

    /// Number of turns folded into the selected node; 0 for a single turn.
    pub(super) fn folded_here(self) -> usize {
        let at = self.at.get();
        self.map.with(|map| match at.and_then(|turn| node_with(map, turn)).map(|spot| &spot.kind) {
            Some(LayoutNodeKind::Run(dots)) => dots.len(),
            Some(LayoutNodeKind::Turn(_)) | None => 0,
        })
    }

    /// Unfolds or folds the selected run.
    pub(super) fn toggle_run(self) {
        let Some(turn) = self.at.get_untracked() else { return };
        let folded: Option<VecSet<TurnId>> = self.map.with_untracked(|map| {
            let at = map.node_of(turn)?;
            let is_run = matches!(map.node(at)?.kind, LayoutNodeKind::Run(_));
            is_run.then(|| map.turns_at(at).map(|dot| dot.id).collect())
        });
        let unfolds = folded.is_some();
        self.unfolded.update_value(|runs| match folded {
            Some(run) => runs.push(run),
            None => runs.retain(|run| !run.contains(&turn)),
        });
        // Folding includes the selected turn.
        self.lay_out_with(Some(turn).filter(|_| unfolds));
        self.scroll_into_view();
    }

    pub(super) fn flags_at(self, turn: TurnId) -> Vec<SessionFlag> {
        self.flags.with(|flags| flags.iter().filter(|flag| flag.head == Some(turn)).cloned().collect())
    }

    /// The name of the session in view, if this turn can be merged into it.
    pub(super) fn merges_into(self, turn: TurnId) -> Option<String> {
        let focus = self.page.sessions.focus.get();
        let row = self.page.sessions.rows.row(&focus)?;
        let head = self.flags.with(|flags| flags.iter().find(|flag| flag.session == focus)?.head)?;
        let (is_done, is_there) = self.map.with(|map| {
            // Merged branches count as contained.
            let (mut lines, mut merged) = (vec![head], VecSet::new());
            let mut is_there = false;
            while let Some(start) = lines.pop() {
                for dot in std::iter::successors(map.turn_of(start), |dot| map.turn_of(dot.parent?)) {
                    is_there |= dot.id == turn;
                    lines.extend(dot.second_parent.filter(|other| merged.insert(*other)));
                }
            }
            (map.turn_of(turn).is_some_and(|dot| dot.end.is_some()), is_there)
        });
        let may = row.with(|row| !row.is_working && !row.read_only);
        // A contained turn needs no merge.
        (!is_there && is_done && may).then(|| row.with(|row| row.label.clone()))
    }

    pub(super) fn is_done(self) -> bool {
        self.unread.get() == Some(0)
    }

    pub(super) fn summary(self) -> String {
        let turns = self.map.with(|map| map.len());
        let flags = self.flags.with(Vec::len);
        words::tree_summary(turns, flags, self.unread.get(), self.damaged.get())
    }

    /// Loads the first words of these turns, if missing.
    pub(super) fn load_words(self, turns: Vec<TurnId>) {
        let mut missing = turns;
        self.last_lines.with_untracked(|words| missing.retain(|turn| !words.contains_key(turn)));
        missing.truncate(WORDS_AT_A_TIME);
        if missing.is_empty() || self.is_loading_words.get_value() {
            return;
        }
        self.is_loading_words.set_value(true);
        let records = self.records();
        spawn_local(async move {
            let read = reader::last_lines(&records, &missing).await.unwrap_or_default();
            self.is_loading_words.set_value(false);
            self.last_lines.update(|words| {
                // Without texts, cards show agent and time.
                words.extend(missing.into_iter().map(|turn| (turn, Arc::default())));
                words.extend(read.into_iter().map(|(turn, text)| (turn, Arc::from(plain(&text)))));
            });
        });
    }
}
