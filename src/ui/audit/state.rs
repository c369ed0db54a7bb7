//! State of the audit screen: reads the ledger backwards in pages, follows new events and searches texts.

use crate::ui::prelude::*;
use nexus_engine::queries::ReverseEvents;
use nexus_model::event::Event;
use nexus_model::limits::AUDIT_PAGE;
use nexus_view::audit::{AuditEntry, AuditFilter, AuditIndex};
use nexus_view::strings::audit as words;

/// Row height, in pixels.
pub(super) const ROW: i32 = 44;
/// Where the row of this position begins, in pixels.
pub(super) fn row_top(position: usize) -> i32 {
    i32::try_from(position).unwrap_or(i32::MAX).saturating_mul(ROW)
}

/// The list is rebuilt when the pages read since grew by one in so many: the longer the list, the costlier the rebuild
/// and the smaller the visible change.
const REBUILD_RATIO: usize = 8;
/// Maximum number of cached lines.
const LINES_CACHED: usize = 2_000;

#[derive(Clone, Copy)]
pub struct AuditState {
    history: HistoryContext,
    index: StoredValue<AuditIndex>,
    /// Last known sequence of each stream.
    ends: StoredValue<VecMap<StreamId, u64>>,
    /// Matching events, as positions in the index, newest first.
    pub(super) listed: RwSignal<Arc<Vec<u32>>>,
    pub(super) filter: RwSignal<AuditFilter>,
    pub(super) open: RwSignal<Option<EventPosition>>,
    pub(super) problem: RwSignal<Option<&'static str>>,
    /// Texts of the events that were in view.
    lines: RwSignal<VecMap<EventPosition, String>>,
    is_loading_lines: StoredValue<bool>,
    /// Number of events still to be read.
    left: RwSignal<u64>,
    /// Number of events still to be searched, during a search.
    untested: RwSignal<Option<usize>>,
    searching: Task,
    /// The list element and its range of visible rows.
    pub(super) node: NodeRef<Div>,
    pub(super) view: RwSignal<(usize, usize)>,
    /// True if the open event still has to be scrolled into view.
    pub(super) seeks: StoredValue<bool>,
}

impl AuditState {
    pub(super) fn new(filter: AuditFilter, open: Option<EventPosition>) -> Self {
        Self {
            history: expect_context::<&Page>().history,
            index: StoredValue::new(AuditIndex::default()),
            ends: StoredValue::new(VecMap::new()),
            listed: RwSignal::default(),
            filter: RwSignal::new(filter),
            open: RwSignal::new(open),
            problem: RwSignal::new(None),
            lines: RwSignal::new(VecMap::new()),
            is_loading_lines: StoredValue::new(false),
            left: RwSignal::new(u64::MAX),
            untested: RwSignal::new(None),
            searching: Task::here(),
            node: NodeRef::new(),
            view: RwSignal::new((0, 0)),
            seeks: StoredValue::new(open.is_some()),
        }
    }

    pub(super) fn records(&self) -> EventQueries {
        self.history.records()
    }

    /// Reads the ledger and follows it until the screen closes.
    pub(super) fn follow(self) {
        spawn_here(self.read());
        let before = StoredValue::new(self.filter.with_untracked(AuditFilter::needle));
        Effect::new(move |_| {
            let (filter, open) = (self.filter.get(), self.open.get());
            address::set_query(&filter.query(open));
            let needle = filter.needle();
            if before.get_value() != needle {
                self.index.update_value(AuditIndex::reset_matches);
            }
            before.set_value(needle);
        });
        Effect::new(move |first: Option<()>| {
            let by_text = self.filter.with(|filter| !filter.needle().is_empty());
            if first.is_some() {
                self.list(false);
            }
            self.searching.abort();
            self.untested.set(None);
            if by_text {
                self.search();
            }
        });
    }

    pub(super) fn is_done(&self) -> bool {
        self.left.get() == 0 && self.untested.get().is_none()
    }

    pub(super) fn summary(&self) -> String {
        let known = self.index.with_value(AuditIndex::len);
        let left = Some(self.left.get()).filter(|left| *left != u64::MAX).unwrap_or_default();
        words::event_count(self.count(), known, left, self.untested.get())
    }

    /// Number of listed events. Reactive.
    pub(super) fn count(&self) -> usize {
        self.listed.with(|listed| listed.len())
    }

    /// Memoises what `read` makes of the index.
    pub(super) fn select<T: PartialEq + Send + Sync + 'static>(
        self,
        read: impl Fn(&AuditIndex) -> T + Send + Sync + 'static,
    ) -> Selector<T> {
        select(move || {
            self.listed.track();
            self.index.with_value(&read)
        })
    }

    pub(super) fn at(&self, position: usize) -> Option<AuditEntry> {
        let position = self.turned(position)?;
        let at = self.listed.with_untracked(|listed| listed.get(position).copied())?;
        self.index.with_value(|index| index.entry(at))
    }

    /// The row of this event, if listed.
    pub(super) fn position_of(&self, place: EventPosition) -> Option<usize> {
        let listed = self.listed.get_untracked();
        let position =
            self.index.with_value(|index| listed.iter().position(|at| index.place(*at) == Some(place)))?;
        self.turned(position)
    }

    /// All listed events in display order.
    pub(super) fn places(&self) -> Vec<EventPosition> {
        let listed = self.listed.get_untracked();
        let mut places: Vec<_> =
            self.index.with_value(|index| listed.iter().filter_map(|at| index.place(*at)).collect());
        if self.filter.with_untracked(|filter| filter.oldest_first) {
            places.reverse();
        }
        places
    }

    fn turned(&self, position: usize) -> Option<usize> {
        if self.filter.with_untracked(|filter| filter.oldest_first) {
            self.listed.with_untracked(|listed| listed.len()).checked_sub(position.checked_add(1)?)
        } else {
            Some(position)
        }
    }

    pub(super) fn line(&self, place: EventPosition) -> Option<String> {
        self.lines.with(|lines| lines.get(&place).cloned())
    }

    /// Rebuilds the list. If the reader has scrolled and `kept` is set, the top row stays in place.
    fn list(&self, keep_position: bool) {
        let top = self.node.get_untracked().map(|node| node.scroll_top()).filter(|top| *top > 0);
        let row = |top: i32| usize::try_from(top / ROW).unwrap_or_default();
        let anchor = top.filter(|_| keep_position).and_then(|top| Some((top, self.at(row(top))?.place)));
        let matching =
            self.filter.with_untracked(|filter| self.index.with_value(|index| index.matching(filter)));
        self.listed.set(Arc::new(matching));
        let node = self.node;
        let scroll = move |top: i32| node.get_untracked().iter().for_each(|node| node.set_scroll_top(top));
        if let Some((top, place)) = anchor {
            let Some(position) = self.position_of(place) else { return };
            let moved = row_top(position).saturating_add(top % ROW);
            if moved != top {
                // The list gets its new height only after this.
                request_animation_frame(move || scroll(moved));
            }
        } else if !keep_position {
            scroll(0);
        }
    }

    async fn read(self) {
        let records = self.records();
        // Subscribed before the ends are read, so that no event is missed.
        let changed_streams = records.news();
        let Ok(ends) = records.streams().await else { return self.fail() };
        self.ends.set_value(ends.iter().copied().collect());
        futures_util::join!(self.read_back(&records, &ends), self.follow_events(&records, changed_streams));
    }

    /// Reads past events, newest first.
    async fn read_back(self, records: &EventQueries, ends: &[(StreamId, u64)]) {
        let mut reader = ReverseEvents::from(ends);
        let mut list_sometimes = self.list_sometimes();
        self.left.set(reader.remaining());
        while let Some(page) = reader.page(records).await {
            match page {
                Ok((stream, texts)) => {
                    let oldest = self.take(&texts);
                    reader.reached(stream, oldest);
                }
                Err(_) => self.fail(),
            }
            self.left.set(reader.remaining());
            list_sometimes();
        }
        self.left.set(0);
        self.list(true);
    }

    /// Rebuilds the list after a page was read, if it is time.
    fn list_sometimes(self) -> impl FnMut() {
        let (mut pages, mut listed) = (0usize, 0usize);
        move || {
            pages = pages.saturating_add(1);
            if pages.saturating_sub(listed) > pages / REBUILD_RATIO {
                listed = pages;
                self.list(true);
            }
        }
    }

    async fn follow_events(
        self,
        records: &EventQueries,
        changed_streams: impl futures_util::Stream<Item = StreamId>,
    ) {
        let mut changed_streams = std::pin::pin!(changed_streams.ready_chunks(256));
        while let Some(mut streams) = changed_streams.next().await {
            streams.small_sort();
            streams.dedup();
            let mut has_new = false;
            for stream in streams {
                has_new |= self.catch_up(records, stream).await;
            }
            if has_new {
                self.list(true);
            }
        }
    }

    async fn catch_up(self, records: &EventQueries, stream: StreamId) -> bool {
        let mut has_new = false;
        loop {
            let end = self.ends.with_value(|ends| ends.get(&stream).copied().unwrap_or_default());
            let Ok(texts) = records.after(stream, end).await else {
                self.fail();
                return has_new;
            };
            if texts.is_empty() {
                return has_new;
            }
            has_new = true;
            let newest = texts.last().and_then(|text| json::tree(text).ok()?.get("seq")?.as_u64());
            let next = newest.unwrap_or_else(|| end.saturating_add(1));
            self.ends.update_value(|ends| ends.insert(stream, next));
            self.take(&texts);
            if texts.len() < AUDIT_PAGE {
                return has_new;
            }
        }
    }

    fn take(&self, texts: &[String]) -> Option<Millis> {
        let needle = self.filter.with_untracked(AuditFilter::needle);
        let texts = texts.iter().map(String::as_str);
        self.index.try_update_value(|index| index.insert(texts, &needle)).flatten()
    }

    fn fail(&self) {
        self.problem.set(Some(common::UNREADABLE.get()));
    }

    /// Searches the events read so far, newest first.
    fn search(self) {
        // Aborted when the filter changes.
        self.searching.start(async move {
            let records = self.records();
            let filter = self.filter.get_untracked();
            let needle = filter.needle();
            let mut left = self.index.with_value(|index| index.unsearched(&filter, usize::MAX).len());
            let mut list_sometimes = self.list_sometimes();
            loop {
                let next = self.index.with_value(|index| index.unsearched(&filter, AUDIT_PAGE));
                if next.is_empty() {
                    break;
                }
                self.untested.set(Some(left));
                left = left.saturating_sub(next.len());
                let Ok(read) = records.at(&next).await else {
                    self.fail();
                    break;
                };
                self.index.update_value(|index| index.test(&read, &next, &needle));
                list_sometimes();
            }
            self.list(true);
            self.untested.set(None);
        });
    }

    /// Loads the lines in view, unless a load is running; that one then continues with what came into view.
    pub(super) fn load_lines(self) {
        if self.is_loading_lines.get_value() {
            return;
        }
        self.is_loading_lines.set_value(true);
        spawn_local(async move {
            while let Some(missing) = self.missing_lines() {
                let read = self.records().at(&missing).await.unwrap_or_default();
                let line_of = move |place: &EventPosition| {
                    read.get(place).map_or_else(String::new, |text| line_of(text))
                };
                let updated = self.lines.try_update(|lines| {
                    if lines.len() > LINES_CACHED {
                        lines.clear();
                    }
                    lines.extend(missing.iter().map(|place| (*place, line_of(place))));
                });
                if updated.is_none() {
                    return;
                }
            }
            self.is_loading_lines.set_value(false);
        });
    }

    fn missing_lines(&self) -> Option<Vec<EventPosition>> {
        let (first, last) = self.view.try_get_untracked()?;
        let missing: Vec<_> = self.lines.with_untracked(|lines| {
            let places = (first..last).filter_map(|position| Some(self.at(position)?.place));
            places.filter(|place| !lines.contains_key(place)).collect()
        });
        (!missing.is_empty()).then_some(missing)
    }
}

fn line_of(text: &str) -> String {
    let event: Option<Event> = json::read(text).ok();
    let known = event.as_ref().and_then(Event::known_kind).map(words::describe);
    known.unwrap_or_else(|| words::UNKNOWN.to_owned())
}
