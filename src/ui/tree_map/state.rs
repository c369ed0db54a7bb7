//! State of the tree screen: loaded turns, layout, selection and viewport.

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt as _;
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::ui::hooks::address;
use crate::ui::kit::context::expect_context;
use crate::ui::kit::selector::{Effect, spawn_here};
use crate::ui::kit::signal::RwSignal;
use crate::ui::kit::stored::StoredValue;
use crate::ui::tree_map::history_links::HistoryContext;
use crate::ui::view_state::Sessions;
use nexus_engine::port::StoreError;
use nexus_engine::queries::tree::SessionFlag;
use nexus_engine::queries::{EventQueries, tree as reader};
use nexus_model::id::{SessionId, TurnId};
use nexus_model::limits::TREE_PAGE;
use nexus_model::turn::tree::TurnStub;
use nexus_text::markdown::tree::plain;
use nexus_text::vec_map::{VecMap, VecSet};
use nexus_view::audit::pairs_of;
use nexus_view::strings::common;
use nexus_view::strings::tree_layout as words;
use nexus_view::tree_layout::camera::Camera;
use nexus_view::tree_layout::{Direction, LayoutNodeKind, TreeLayout};

/// News that come within this time are looked at together.
const TOGETHER: Duration = Duration::from_millis(300);
/// The words of so many turns are read at a time.
const WORDS_AT_A_TIME: usize = 60;

#[derive(Clone, Copy)]
pub struct TreeState {
    look_back: HistoryContext,
    sessions: Sessions,
    dots: StoredValue<VecMap<TurnId, TurnStub>>,
    damaged: RwSignal<usize>,
    left: RwSignal<Option<usize>>,
    /// Sessions, the newest first.
    pub flags: RwSignal<Vec<SessionFlag>>,
    pub map: RwSignal<Arc<TreeLayout>>,
    /// Runs that are shown turn by turn, each with all of its turns: the one that is looked at is no part of a run, and
    /// what is left of it stays as it is.
    unfolded: StoredValue<Vec<VecSet<TurnId>>>,
    pub at: RwSignal<Option<TurnId>>,
    /// The turn that others are compared with.
    pub marked: RwSignal<Option<TurnId>>,
    pub compared: RwSignal<Option<(TurnId, TurnId)>>,
    /// The turn that is to be merged into the session in view, and the session that it is the head of.
    pub merged: RwSignal<Option<(TurnId, Option<SessionId>)>>,
    pub camera: RwSignal<Camera>,
    /// The first words of turns that were in view.
    pub words: RwSignal<VecMap<TurnId, Arc<str>>>,
    reads_words: StoredValue<bool>,
    /// Whether the next news lead to the head of the session in view.
    follows: StoredValue<bool>,
    /// Whether the place that it opens at was gone to.
    is_placed: StoredValue<bool>,
    /// Why something could not be read.
    pub problem: RwSignal<Option<&'static str>>,
}

impl TreeState {
    /// The tree, which reads itself as long as the screen is there.
    pub(super) fn open() -> Self {
        let query = address::query();
        let turn =
            pairs_of(&query).find(|(name, _)| *name == "turn").and_then(|(_, id)| id.parse::<TurnId>().ok());
        let this = Self {
            look_back: expect_context::<HistoryContext>(),
            sessions: expect_context::<Sessions>(),
            dots: StoredValue::new(VecMap::new()),
            damaged: RwSignal::new(0),
            left: RwSignal::new(None),
            flags: RwSignal::new(Vec::new()),
            map: RwSignal::new(Arc::default()),
            unfolded: StoredValue::new(Vec::new()),
            at: RwSignal::new(turn),
            marked: RwSignal::new(None),
            compared: RwSignal::new(None),
            merged: RwSignal::new(None),
            camera: RwSignal::new(Camera::new(0.0, 0.0)),
            words: RwSignal::new(VecMap::new()),
            reads_words: StoredValue::new(false),
            follows: StoredValue::new(false),
            is_placed: StoredValue::new(false),
            problem: RwSignal::new(None),
        };
        spawn_here(this.read());
        Effect::new(move |_| {
            let turn = this.at.get();
            address::set_query(&turn.map(|turn| format!("turn={turn}")).unwrap_or_default());
        });
        // The address may ask for a merge, which begins once that can be.
        let wanted = RwSignal::new(turn.filter(|_| pairs_of(&query).any(|(name, _)| name == "merge")));
        Effect::new(move |_| {
            let Some(turn) = wanted.get() else { return };
            // Who looks at another turn wants it no more.
            let is_looked_at = this.at.get() == Some(turn);
            if is_looked_at && this.merges_into(turn).is_none() {
                return;
            }
            wanted.set(None);
            if !is_looked_at {
                return;
            }
            this.merged.set(Some((turn, this.flags_at(turn).first().map(|flag| flag.session))));
        });
        this
    }

    pub(super) fn look_back(&self) -> HistoryContext {
        self.look_back
    }

    pub(super) fn records(&self) -> EventQueries {
        self.look_back.records()
    }

    async fn read(self) {
        let records = self.records();
        let mut news = records.news().ready_chunks(1_024);
        if self.read_all(&records).await.is_err() {
            self.problem.set(Some(common::UNREADABLE.get()));
        }
        while news.next().await.is_some() {
            let (tell, told) = futures_channel::oneshot::channel::<()>();
            set_timeout(move || tell.send(()).unwrap_or_default(), TOGETHER);
            if told.await.is_err() {
                return;
            }
            let outcome = self.read_news(&records).await;
            if self.follows.get_value() {
                self.follows.set_value(false);
                self.to_head();
            }
            self.problem.set(outcome.err().map(|_| common::UNREADABLE.get()));
        }
    }

    async fn read_all(self, records: &EventQueries) -> Result<(), StoreError> {
        self.set_flags(reader::flags(records).await?);
        let mut keys = reader::keys(records).await?;
        // The newest come first: that is where one looks.
        while !keys.is_empty() {
            self.left.set(Some(keys.len()));
            let page = keys.split_off(keys.len().saturating_sub(TREE_PAGE));
            self.take(records, page).await?;
            // A large tree is laid out once it is read, a small one at once.
            if keys.is_empty() || !self.is_placed.get_value() {
                self.lay_out();
            }
        }
        self.left.set(Some(0));
        self.lay_out();
        Ok(())
    }

    /// Reads what was not there yet, and again what works.
    async fn read_news(self, records: &EventQueries) -> Result<(), StoreError> {
        let keys = reader::keys(records).await?;
        let stale = self.dots.with_value(|dots| {
            keys.into_iter()
                .filter(|key| {
                    let known = key.parse::<TurnId>().ok().and_then(|id| dots.get(&id));
                    known.is_none_or(|dot| dot.end.is_none())
                })
                .collect::<Vec<_>>()
        });
        let mut stale = stale.as_slice();
        while !stale.is_empty() {
            let (page, rest) = stale.split_at(TREE_PAGE.min(stale.len()));
            self.take(records, page.to_vec()).await?;
            stale = rest;
        }
        self.set_flags(reader::flags(records).await?);
        self.lay_out();
        Ok(())
    }

    /// Only where they differ: what is drawn anew loses the focus and what is typed.
    fn set_flags(self, flags: Vec<SessionFlag>) {
        if self.flags.with_untracked(|old| *old != flags) {
            self.flags.set(flags);
        }
    }

    async fn take(self, records: &EventQueries, keys: Vec<String>) -> Result<(), StoreError> {
        let (read, damaged) = reader::dots(records, keys).await?;
        self.damaged.update(|all| *all = all.saturating_add(damaged));
        let ended: Vec<TurnId> = read.iter().filter(|dot| dot.end.is_some()).map(|dot| dot.id).collect();
        self.dots.update_value(|dots| dots.extend(read.into_iter().map(|dot| (dot.id, dot))));
        // What a turn said first may not be what it said last.
        self.words.update(|words| words.retain(|turn, _| !ended.contains(turn)));
        Ok(())
    }

    /// Lays all out anew, with what is looked at in a spot of its own. It stays where it is on the screen.
    fn lay_out(self) {
        self.lay(self.at.get_untracked());
    }

    fn lay(self, shown: Option<TurnId>) {
        let before = self.place_of(self.at.get_untracked());
        let heads =
            self.flags.with_untracked(|flags| flags.iter().filter_map(|flag| flag.head).collect::<Vec<_>>());
        let kept = [shown, self.marked.get_untracked()];
        let kept: VecSet<TurnId> = heads.into_iter().chain(kept.into_iter().flatten()).collect();
        let dots: Vec<TurnStub> = self.dots.with_value(|dots| dots.values().cloned().collect());
        let unfolded: VecSet<TurnId> =
            self.unfolded.with_value(|runs| runs.iter().flat_map(VecSet::iter).copied().collect());
        let map = TreeLayout::new(dots, &kept, &unfolded);
        self.map.set(Arc::new(map));
        if !self.is_placed.get_value() {
            return self.go_to_start();
        }
        if let (Some((lane, row)), Some((new_lane, new_row))) =
            (before, self.place_of(self.at.get_untracked()))
        {
            self.camera.update(|camera| {
                let (x, y) = camera.screen(f64::from(lane), f64::from(row));
                let (new_x, new_y) = camera.screen(f64::from(new_lane), f64::from(new_row));
                *camera = camera.moved(x - new_x, y - new_y);
            });
        }
    }

    /// Looks at the turn of the address, else at the head of the session in view.
    fn go_to_start(self) {
        let (width, _) = self.size();
        let at = self.at.get_untracked().or(self.head_in_view());
        let (lanes, rows) = self.map.with_untracked(|map| (map.lanes(), map.rows()));
        // A session without a turn has none to look at; the tree is shown all the same.
        let first = at.is_none().then_some((0, 0)).filter(|_| rows > 0);
        let Some((lane, row)) = self.place_of(at).or(first).filter(|_| width > 0.0) else { return };
        self.is_placed.set_value(true);
        self.at.set(at);
        self.camera.update(|camera| {
            let whole = camera.whole(lanes, rows);
            *camera = if whole.zoom >= 0.6 { whole } else { Camera { zoom: 1.0, ..*camera }.at(lane, row) };
        });
    }

    fn size(self) -> (f64, f64) {
        self.camera.with_untracked(|camera| (camera.width, camera.height))
    }

    /// The view has another size.
    pub(super) fn resized(self, width: f64, height: f64) {
        self.camera.update(|camera| *camera = camera.sized(width, height));
        if !self.is_placed.get_value() {
            self.go_to_start();
        }
    }

    pub(super) fn place_of(self, turn: Option<TurnId>) -> Option<(u32, u32)> {
        self.map.with_untracked(|map| {
            let spot = map.spot(map.spot_of(turn?)?)?;
            Some((spot.lane, spot.row))
        })
    }

    pub(super) fn look_at(self, turn: TurnId) {
        if self.at.get_untracked() != Some(turn) {
            self.at.set(Some(turn));
        }
        self.bring();
    }

    /// Looks at a turn even where it is folded away.
    pub(super) fn show(self, turn: TurnId) {
        self.at.set(Some(turn));
        let is_folded = self.map.with_untracked(|map| {
            map.spot_of(turn)
                .and_then(|at| map.spot(at))
                .is_some_and(|spot| matches!(spot.stands, LayoutNodeKind::Run(_)))
        });
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

    /// Goes to the head of the session in view once it is known where that is now.
    pub(super) fn follow_head(self) {
        self.follows.set_value(true);
    }

    fn head_in_view(self) -> Option<TurnId> {
        let focus = self.sessions.focus.get_untracked();
        self.flags.with_untracked(|flags| {
            flags.iter().find(|flag| flag.session == focus).or(flags.first()).and_then(|flag| flag.head)
        })
    }

    /// Whether the turn before this one should be there and is not.
    pub(super) fn is_torn(self, turn: TurnId) -> bool {
        self.map.with(|map| map.spot_of(turn).and_then(|at| map.spot(at)).is_some_and(|spot| spot.is_torn))
    }

    fn bring(self) {
        if let Some((lane, row)) = self.place_of(self.at.get_untracked()) {
            self.camera.update(|camera| *camera = camera.with(lane, row));
        }
    }

    pub(super) fn walk(self, way: Direction) {
        let next = self.map.with_untracked(|map| {
            let from = self.at.get_untracked().and_then(|turn| map.spot_of(turn)).unwrap_or(0);
            map.turn_at(map.step(from, way))
        });
        if let Some(next) = next {
            self.look_at(next);
        }
    }

    /// The number of turns that are folded into the spot that is looked at; 0 where it is one turn.
    pub(super) fn folded_here(self) -> usize {
        let at = self.at.get();
        self.map.with(|map| {
            let spot = at.and_then(|turn| map.spot_of(turn)).and_then(|at| map.spot(at));
            spot.map_or(0, |spot| match &spot.stands {
                LayoutNodeKind::Turn(_) => 0,
                LayoutNodeKind::Run(dots) => dots.len(),
            })
        })
    }

    /// Shows the run that is looked at turn by turn, or folds it again.
    pub(super) fn toggle_run(self) {
        let Some(turn) = self.at.get_untracked() else { return };
        let folded: Option<VecSet<TurnId>> = self.map.with_untracked(|map| {
            let at = map.spot_of(turn)?;
            let is_run = matches!(map.spot(at)?.stands, LayoutNodeKind::Run(_));
            is_run.then(|| map.dots_at(at).map(|dot| dot.id).collect())
        });
        let unfolds = folded.is_some();
        self.unfolded.update_value(|runs| match folded {
            Some(run) => runs.push(run),
            None => runs.retain(|run| !run.contains(&turn)),
        });
        // What is folded takes along what is looked at.
        self.lay(Some(turn).filter(|_| unfolds));
        self.bring();
    }

    pub(super) fn flags_at(self, turn: TurnId) -> Vec<SessionFlag> {
        self.flags.with(|flags| flags.iter().filter(|flag| flag.head == Some(turn)).cloned().collect())
    }

    pub(super) fn focus(self) -> SessionId {
        self.sessions.focus.get()
    }

    /// The name of the session in view, where this turn could be merged into it.
    pub(super) fn merges_into(self, turn: TurnId) -> Option<String> {
        let focus = self.focus();
        let row = self.sessions.rows.row(&focus)?;
        let head = self.flags.with(|flags| flags.iter().find(|flag| flag.session == focus)?.head)?;
        let (is_done, is_there) = self.map.with(|map| {
            // What was merged is there, too.
            let (mut lines, mut merged) = (vec![head], VecSet::new());
            let mut is_there = false;
            while let Some(start) = lines.pop() {
                for dot in std::iter::successors(map.dot_of(start), |dot| map.dot_of(dot.parent?)) {
                    is_there |= dot.id == turn;
                    lines.extend(dot.second_parent.filter(|other| merged.insert(*other)));
                }
            }
            (map.dot_of(turn).is_some_and(|dot| dot.end.is_some()), is_there)
        });
        let may = row.with(|row| !row.working && !row.read_only);
        // What the session has already needs no merge.
        (!is_there && is_done && may).then(|| row.with(|row| row.label.clone()))
    }

    pub(super) fn is_done(self) -> bool {
        self.left.get() == Some(0)
    }

    pub(super) fn told(self) -> String {
        let turns = self.map.with(|map| map.len());
        let flags = self.flags.with(Vec::len);
        words::told(turns, flags, self.left.get(), self.damaged.get())
    }

    /// Reads the first words of these turns, where they are not known yet.
    pub(super) fn want_words(self, turns: Vec<TurnId>) {
        let mut wanted = turns;
        self.words.with_untracked(|words| wanted.retain(|turn| !words.contains_key(turn)));
        wanted.truncate(WORDS_AT_A_TIME);
        if wanted.is_empty() || self.reads_words.get_value() {
            return;
        }
        self.reads_words.set_value(true);
        let records = self.records();
        spawn_local(async move {
            // Without them the cards show who and when.
            let mut read = reader::words(&records, &wanted).await.unwrap_or_default();
            let silent = wanted.iter().filter(|turn| !read.iter().any(|(known, _)| known == *turn));
            let silent: Vec<_> = silent.map(|turn| (*turn, String::new())).collect();
            read.extend(silent);
            if self.reads_words.try_set_value(false) {
                self.words.update(|words| {
                    words.extend(read.into_iter().map(|(turn, text)| (turn, Arc::from(plain(&text)))));
                });
            }
        });
    }
}
