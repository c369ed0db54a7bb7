//! Scroll state of the timeline: which rows are rendered, following its end, loading older turns, going to a row.
//!
//! A long conversation is never rendered whole. Never scrolls while somebody reads, unless requested.

use crate::ui::hooks::scroll::{StickToBottom, follow};
use crate::ui::prelude::*;
use nexus_model::limits::{ROWS_MOST, ROWS_NEWEST, ROWS_STEP};
use nexus_view::list_window::{ListWindow, ListWindowSizes};

const SIZES: ListWindowSizes = ListWindowSizes { newest: ROWS_NEWEST, step: ROWS_STEP, most: ROWS_MOST };
/// Rows rendered with the first screen, and rows added per frame once the page is idle: the newest message comes first.
const ROWS_FIRST: usize = 16;
const ROWS_MORE: usize = 3;
/// Maximum frames to wait for loaded rows to appear in the timeline.
const WAIT_FRAMES: u32 = 240;

type TimelineWindow = ListWindow<TimelineKey>;

/// The reader's position, as a context.
#[derive(Clone, Copy)]
pub struct ReadingPosition {
    page: &'static Page,
    pub list: NodeRef<Div>,
    pub follow: StickToBottom,
    window: RwSignal<TimelineWindow>,
    loading: RwSignal<bool>,
    /// Number of newest rows to render.
    newest: RwSignal<usize>,
    pane: RwSignal<Pane>,
    /// The way back to the place where the reader left the session, and true until it is reached.
    going_back: Task,
    goes_back: StoredValue<bool>,
}

impl ReadingPosition {
    pub(crate) fn new() -> Self {
        let list = NodeRef::new();
        let page = expect_context::<&Page>();
        let this = Self {
            page,
            list,
            follow: follow(list),
            window: RwSignal::new(ListWindow::default()),
            loading: RwSignal::new(false),
            newest: RwSignal::new(if page::is_settled() { ROWS_NEWEST } else { ROWS_FIRST }),
            pane: expect_context::<Workspace>().pane,
            going_back: Task::here(),
            goes_back: StoredValue::new(false),
        };
        let newest = this.newest;
        spawn_local(async move {
            page::settled().await;
            // Until all are rendered or the component is gone.
            while newest.try_get_untracked().is_some_and(|built| built < ROWS_NEWEST) {
                newest.update(|built| *built = ROWS_NEWEST.min(*built + ROWS_MORE));
                page::next_frame().await;
            }
        });
        this.keep_places();
        // When the reader leaves the end, the rendered rows stay; back at the end, they are the newest ones again.
        let at_end = this.follow.at_end;
        Effect::new(move |_| {
            if !at_end.get() {
                this.move_window(&|window, order| Some(window.anchored(order, SIZES)));
            } else if this.window.with_untracked(ListWindow::has_newest) {
                this.window.set_if_changed(ListWindow::default());
            }
        });
        this
    }

    /// Keeps the place in each session for when it is in view again.
    fn keep_places(self) {
        let (places, in_view) = (self.page.conversation.places, self.page.sessions.focus);
        let shown = StoredValue::new(in_view.get_untracked());
        let keep = move || {
            // Whoever leaves before the place is reached comes back to it.
            if !self.goes_back.get_value() {
                places.update_value(|places| match self.follow.place() {
                    Some(place) => drop(places.insert(shown.get_value(), place)),
                    None => drop(places.remove(&shown.get_value())),
                });
            }
        };
        let go_back = move || {
            let place = places.with_value(|places| places.get(&in_view.get_untracked()).cloned());
            if let Some((row, distance)) = place.filter(|_| self.pane.get_untracked() == Pane::Timeline) {
                self.goes_back.set_value(true);
                self.going_back.start(async move {
                    self.restore(row, distance).await;
                    self.goes_back.set_value(false);
                });
            }
        };
        go_back();
        on_change(
            move || in_view.get(),
            move |now| {
                keep();
                shown.set_value(*now);
                self.newest();
                go_back();
            },
        );
        on_cleanup(keep);
    }

    fn stay_here(self) {
        if self.goes_back.try_get_value() == Some(true) {
            self.going_back.abort();
            self.goes_back.set_value(false);
            // It may have been loading.
            self.loading.set(false);
        }
    }

    pub fn shown(self) -> Selector<Vec<TimelineKey>> {
        let order = self.page.conversation.rows.order;
        order.map(move |order| {
            let range = self.window.with(|window| window.range(order, self.sizes()));
            order.get(range).unwrap_or_default().to_vec()
        })
    }

    fn sizes(self) -> ListWindowSizes {
        ListWindowSizes { newest: self.newest.get(), ..SIZES }
    }

    /// True if the first row of the timeline is rendered.
    pub fn holds_start(self) -> Selector<bool> {
        let order = self.page.conversation.rows.order;
        order.map(move |order| self.window.with(|window| window.range(order, self.sizes()).start == 0))
    }

    /// Handles a scroll event, caused by the reader or by code.
    pub fn scrolled(self) {
        let went_up = self.follow.scrolled(self.window.with_untracked(ListWindow::has_newest));
        let Some((above, below, height)) = self.follow.room() else { return };
        if went_up && above < height {
            self.up();
        } else if !went_up && below < height {
            self.move_window(&|window, order| window.down(order, SIZES));
        }
    }

    /// Scrolls to the newest row and follows it.
    pub fn newest(self) {
        self.stay_here();
        self.window.set_if_changed(ListWindow::default());
        self.follow.jump();
    }

    /// Renders earlier rows; loads them if necessary.
    fn up(self) {
        if !self.move_window(&|window, order| window.up(order, SIZES)) {
            self.earlier();
        }
    }

    /// Loads older turns, if there are any.
    pub fn earlier(self) {
        if self.loading.get_untracked() || self.page.conversation.earlier.with_untracked(Option::is_none) {
            return;
        }
        spawn_local(async move {
            if self.load().await {
                // Render the loaded rows now: at the upper edge no scroll event would request them.
                self.move_window(&|window, order| window.up(order, SIZES));
            }
        });
    }

    /// Loads older turns and waits until they are in the timeline. True if there are more rows now.
    pub async fn load(self) -> bool {
        let Some(turn) = self.page.conversation.earlier.try_get_untracked().flatten() else { return false };
        match self.loading.try_get_untracked() {
            None => return false,
            Some(true) => return self.wait(turn).await,
            Some(false) => self.loading.set(true),
        }
        let loaded = self.page.dispatch.load_earlier_turns(turn).await;
        let is_loaded = loaded && self.wait(turn).await;
        self.loading.set(false);
        is_loaded
    }

    async fn wait(self, turn: TurnId) -> bool {
        for _ in 0..WAIT_FRAMES {
            match self.page.conversation.earlier.try_get_untracked() {
                // The component is gone.
                None => return false,
                Some(earlier) if earlier != Some(turn) => return true,
                Some(_) => page::next_frame().await,
            }
        }
        false
    }

    async fn restore(self, row: String, distance: f64) {
        // The list goes to its end when it is mounted.
        page::next_frame().await;
        page::next_frame().await;
        for _ in 0..WAIT_FRAMES {
            if self.page.conversation.loaded.try_get_untracked() != Some(false) {
                break;
            }
            page::next_frame().await;
        }
        if let Some(key) = row_of(&row)
            && self.reach(key).await.is_some()
        {
            scroll::place(&row, distance);
        }
    }

    /// Scrolls to a row and focuses it; false if it does not exist.
    pub async fn go(self, key: TimelineKey) -> bool {
        let id = self.scroll_to(key).await;
        id.iter().for_each(|id| scroll::focus(id));
        id.is_some()
    }

    /// Scrolls a row into view, loading and rendering what is missing. Returns its element id.
    pub async fn scroll_to(self, key: TimelineKey) -> Option<String> {
        self.stay_here();
        self.reach(key).await
    }

    async fn reach(self, key: TimelineKey) -> Option<String> {
        let order = self.page.conversation.rows.order;
        while !order.with_untracked(|order| order.contains(&key)) {
            if !self.load().await {
                return None;
            }
        }
        if let Some(group) = self.page.conversation.rows.get_untracked(&key).and_then(|row| row.group()) {
            self.page.conversation.open_groups.update(|open| open.push(group.first));
        }
        // The component may be gone by now.
        self.window.try_with_untracked(|_| ())?;
        self.pane.set(Pane::Timeline);
        self.follow.stop_following();
        self.move_window(&|window, order| window.containing(&key, order, SIZES));
        let id = element_of(&key)?;
        // Rows around it get their real height only in view.
        for _ in 0..3 {
            page::next_frame().await;
            scroll::center(&id);
        }
        self.window.try_with_untracked(|_| ())?;
        self.follow.update(self.window.try_with_untracked(ListWindow::has_newest).unwrap_or_default());
        Some(id)
    }

    /// Moves the window over the rows, if there is a place to move to.
    fn move_window(self, to: &dyn Fn(&TimelineWindow, &[TimelineKey]) -> Option<TimelineWindow>) -> bool {
        let order = self.page.conversation.rows.order.get_untracked();
        // The component may be gone by now.
        let moved = self.window.try_with_untracked(|window| to(window, &order)).flatten();
        moved.map(|window| self.window.set_if_changed(window)).is_some()
    }
}

/// The id of the element that shows a row, if it has one.
pub fn element_of(key: &TimelineKey) -> Option<String> {
    if let TimelineKey::Message(id) = key {
        return Some(format!("message-{id}"));
    }
    if let TimelineKey::Tool(id) = key { Some(format!("tool-{id}")) } else { None }
}

fn row_of(id: &str) -> Option<TimelineKey> {
    if let Some(message) = id.strip_prefix("message-") {
        return message.parse().ok().map(TimelineKey::Message);
    }
    id.strip_prefix("tool-")?.parse().ok().map(TimelineKey::Tool)
}
