//! Scroll state of the timeline: which rows are built, following its end, loading older turns, going to a row.
//!
//! A long conversation is never built whole. Never scrolls while somebody reads, unless they ask for it.

use leptos::html::Div;

use crate::ui::hooks::stick_to_bottom::{StickToBottom, follow};
use crate::ui::hooks::{page, scroll_position};
use crate::ui::prelude::*;
use crate::ui::view_state::Conversation;
use crate::ui::workspace::panes::{ActivePane, Pane};
use nexus_model::limits::{ROWS_MOST, ROWS_NEWEST, ROWS_STEP};
use nexus_view::list_window::{ListWindow, ListWindowSizes};
use nexus_view::timeline::TimelineKey;

const SIZES: ListWindowSizes = ListWindowSizes { newest: ROWS_NEWEST, step: ROWS_STEP, most: ROWS_MOST };
/// Rows that are built with the first screen, and how many follow in each frame from the first quiet moment on: the newest
/// message is there before what one would have to scroll to.
const ROWS_FIRST: usize = 16;
const ROWS_MORE: usize = 3;
/// How often it is looked whether rows that were loaded are in the timeline, and how many times, in frames.
const LOOKS: u32 = 240;

/// The reader's place, as a context.
#[derive(Clone, Copy)]
pub struct ReadingPosition {
    list: NodeRef<Div>,
    follow: StickToBottom,
    reach: RwSignal<ListWindow<TimelineKey>>,
    loading: RwSignal<bool>,
    /// How many of the newest rows are built.
    newest: RwSignal<usize>,
    conversation: Conversation,
    dispatch: Dispatch,
    in_view: ActivePane,
}

impl ReadingPosition {
    pub(crate) fn new() -> Self {
        let list = NodeRef::new();
        let this = Self {
            list,
            follow: follow(list),
            reach: RwSignal::new(ListWindow::default()),
            loading: RwSignal::new(false),
            newest: RwSignal::new(if page::is_settled() { ROWS_NEWEST } else { ROWS_FIRST }),
            conversation: expect_context(),
            dispatch: expect_context(),
            in_view: expect_context(),
        };
        let newest = this.newest;
        spawn_local(async move {
            page::settled().await;
            // Until all are built, or the screen is gone.
            while newest.try_get_untracked().is_some_and(|built| built < ROWS_NEWEST) {
                newest.try_update(|built| *built = ROWS_NEWEST.min(*built + ROWS_MORE));
                page::next_frame().await;
            }
        });
        let session = expect_context::<Sessions>().focus;
        Effect::new(move |before: Option<_>| {
            let now = session.get();
            if before.is_some_and(|before| before != now) {
                this.newest();
            }
            now
        });
        // Who lets go of the end keeps what is built; who is there again has the newest.
        let at_end = this.follow.at_end;
        Effect::new(move |_| {
            let order = this.conversation.rows.order;
            if !at_end.get() {
                this.go_over(order.with_untracked(|order| {
                    this.reach.with_untracked(|reach| Some(reach.held(order, SIZES)))
                }));
            } else if this.reach.with_untracked(ListWindow::holds_end) {
                this.go_over(Some(ListWindow::default()));
            }
        });
        this
    }

    pub fn list(self) -> NodeRef<Div> {
        self.list
    }

    /// The rows that are built.
    pub fn shown(self) -> Selector<Vec<TimelineKey>> {
        let order = self.conversation.rows.order;
        select(move || {
            order.with(|order| {
                let range = self.reach.with(|reach| reach.range(order, self.sizes()));
                order.get(range).unwrap_or_default().to_vec()
            })
        })
    }

    fn sizes(self) -> ListWindowSizes {
        ListWindowSizes { newest: self.newest.get(), ..SIZES }
    }

    /// Whether all rows before the ones that are built are built, too.
    pub fn holds_start(self) -> Selector<bool> {
        let order = self.conversation.rows.order;
        let start =
            move || order.with(|order| self.reach.with(|reach| reach.range(order, self.sizes()).start));
        select(move || start() == 0)
    }

    pub fn at_end(self) -> RwSignal<bool> {
        self.follow.at_end
    }

    /// The list was scrolled, by the reader or by us.
    pub fn scrolled(self) {
        let went_up = self.follow.scrolled(self.reach.with_untracked(ListWindow::holds_end));
        let Some((above, below, height)) = self.follow.room() else { return };
        if went_up && above < height {
            self.up();
        } else if !went_up && below < height {
            let order = self.conversation.rows.order;
            self.go_over(
                order.with_untracked(|order| self.reach.with_untracked(|reach| reach.down(order, SIZES))),
            );
        }
    }

    /// Goes to the newest row and follows.
    pub fn newest(self) {
        self.go_over(Some(ListWindow::default()));
        self.follow.jump();
    }

    /// Builds what is before; loads it where it is not there.
    fn up(self) {
        let order = self.conversation.rows.order;
        let up = order.with_untracked(|order| self.reach.with_untracked(|reach| reach.up(order, SIZES)));
        match up {
            Some(up) => self.go_over(Some(up)),
            None => self.earlier(),
        }
    }

    /// Loads older turns, where there are any.
    pub fn earlier(self) {
        if self.loading.get_untracked() || self.conversation.earlier.with_untracked(Option::is_none) {
            return;
        }
        spawn_local(async move {
            if !self.load().await {
                return;
            }
            // What came stands before what is built, where the reader is held: at the upper edge nothing can be
            // scrolled any more that would ask for it.
            let order = self.conversation.rows.order;
            self.go_over(order.with_untracked(|order| {
                self.reach.try_with_untracked(|reach| reach.up(order, SIZES)).flatten()
            }));
        });
    }

    /// Loads older turns and waits until they are in the timeline. Says whether there are more rows now.
    pub async fn load(self) -> bool {
        let Some(turn) = self.conversation.earlier.try_get_untracked().flatten() else { return false };
        match self.loading.try_get_untracked() {
            None => return false,
            Some(true) => return self.wait(turn).await,
            Some(false) => self.loading.set(true),
        }
        let loaded = self.dispatch.load_earlier_turns(turn).await;
        let came = loaded && self.wait(turn).await;
        self.loading.try_set(false);
        came
    }

    async fn wait(self, turn: nexus_model::id::TurnId) -> bool {
        for _ in 0..LOOKS {
            match self.conversation.earlier.try_get_untracked() {
                // The screen is gone.
                None => return false,
                Some(earlier) if earlier != Some(turn) => return true,
                Some(_) => page::next_frame().await,
            }
        }
        false
    }

    /// Leads to a row and gives it the focus. Says whether it is there.
    pub async fn go(self, key: TimelineKey) -> bool {
        let id = self.bring(key).await;
        if let Some(id) = &id {
            scroll_position::focus(id);
        }
        id.is_some()
    }

    /// Brings a row into view: loads and builds what is missing, and scrolls there. Gives the id of its element.
    pub async fn bring(self, key: TimelineKey) -> Option<String> {
        let order = self.conversation.rows.order;
        while !order.with_untracked(|order| order.contains(&key)) {
            if !self.load().await {
                return None;
            }
        }
        // The screen may be gone by now.
        self.reach.try_with_untracked(|_| ())?;
        self.in_view.0.set(Pane::Timeline);
        self.follow.let_go();
        self.go_over(
            order.with_untracked(|order| self.reach.with_untracked(|reach| reach.to(&key, order, SIZES))),
        );
        let id = element_of(&key)?;
        // Rows around it take their true size once they are in view.
        for _ in 0..3 {
            page::next_frame().await;
            scroll_position::center(&id);
        }
        self.reach.try_with_untracked(|_| ())?;
        self.follow.look(self.reach.try_with_untracked(ListWindow::holds_end).unwrap_or_default());
        Some(id)
    }

    fn go_over(self, reach: Option<ListWindow<TimelineKey>>) {
        if let Some(reach) = reach
            && self.reach.with_untracked(|old| *old != reach)
        {
            self.reach.set(reach);
        }
    }
}

/// The id of the element that shows a row, where it has one.
pub fn element_of(key: &TimelineKey) -> Option<String> {
    if let TimelineKey::Message(id) = key {
        return Some(format!("message-{id}"));
    }
    if let TimelineKey::Tool(id) = key { Some(format!("tool-{id}")) } else { None }
}
