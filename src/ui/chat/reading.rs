//! Never moves what somebody reads, unless they ask to be led elsewhere.
//!
//! Owns the reader's place in the timeline: which rows are built (a long conversation is never built whole), following
//! its end, loading what is older when the reader comes near it, and leading to a row wherever it is.

use leptos::html::Div;
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::domain::limits::{ROWS_MOST, ROWS_NEWEST, ROWS_STEP};
use crate::domain::reach::{Reach, Sizes};
use crate::domain::timeline::RowKey;
use crate::ui::dispatch::Dispatch;
use crate::ui::hooks::follow::{Follow, follow};
use crate::ui::hooks::{page, spot};
use crate::ui::panes::{InView, Place};
use crate::ui::view_state::{Conversation, Sessions};

const SIZES: Sizes = Sizes { newest: ROWS_NEWEST, step: ROWS_STEP, most: ROWS_MOST };
/// How often it is looked whether rows that were loaded are in the timeline, and how many times, in frames.
const LOOKS: u32 = 240;

/// The reader's place, as a context.
#[derive(Clone, Copy)]
pub struct Reading {
    list: NodeRef<Div>,
    follow: Follow,
    reach: RwSignal<Reach<RowKey>>,
    loading: RwSignal<bool>,
    conversation: Conversation,
    dispatch: Dispatch,
    in_view: InView,
}

impl Reading {
    /// A reader at the end of the timeline.
    pub(in crate::ui) fn new() -> Self {
        let list = NodeRef::new();
        let this = Self {
            list,
            follow: follow(list),
            reach: RwSignal::new(Reach::default()),
            loading: RwSignal::new(false),
            conversation: expect_context(),
            dispatch: expect_context(),
            in_view: expect_context(),
        };
        let session = expect_context::<Sessions>().focus();
        Effect::new(move |before: Option<_>| {
            let now = session.get();
            if before.is_some_and(|before| before != now) {
                this.newest();
            }
            now
        });
        // Who lets go of the end keeps what is built; who is there again has the newest.
        let at_end = this.follow.at_end();
        Effect::new(move |_| {
            let order = this.conversation.order();
            if !at_end.get() {
                this.go_over(order.with_untracked(|order| {
                    this.reach.with_untracked(|reach| Some(reach.held(order, SIZES)))
                }));
            } else if this.reach.with_untracked(Reach::holds_end) {
                this.go_over(Some(Reach::default()));
            }
        });
        this
    }

    /// The list.
    pub fn list(self) -> NodeRef<Div> {
        self.list
    }

    /// The rows that are built.
    pub fn shown(self) -> Signal<Vec<RowKey>> {
        let order = self.conversation.order();
        Memo::new(move |_| {
            order.with(|order| {
                let range = self.reach.with(|reach| reach.range(order, SIZES));
                order.get(range).unwrap_or_default().to_vec()
            })
        })
        .into()
    }

    /// Whether all rows before the ones that are built are built, too.
    pub fn holds_start(self) -> Signal<bool> {
        let order = self.conversation.order();
        let start = move || order.with(|order| self.reach.with(|reach| reach.range(order, SIZES).start));
        Memo::new(move |_| start() == 0).into()
    }

    /// Whether the reader is at the end.
    pub fn at_end(self) -> Signal<bool> {
        self.follow.at_end()
    }

    /// The list was scrolled, by the reader or by us.
    pub fn scrolled(self) {
        let went_up = self.follow.scrolled(self.reach.with_untracked(Reach::holds_end));
        let Some((above, below, height)) = self.follow.room() else { return };
        if went_up && above < height {
            self.up();
        } else if !went_up && below < height {
            let order = self.conversation.order();
            self.go_over(
                order.with_untracked(|order| self.reach.with_untracked(|reach| reach.down(order, SIZES))),
            );
        }
    }

    /// Goes to the newest row and follows.
    pub fn newest(self) {
        self.go_over(Some(Reach::default()));
        self.follow.jump();
    }

    /// Builds what is before; loads it where it is not there.
    fn up(self) {
        let order = self.conversation.order();
        let up = order.with_untracked(|order| self.reach.with_untracked(|reach| reach.up(order, SIZES)));
        match up {
            Some(up) => self.go_over(Some(up)),
            None => self.earlier(),
        }
    }

    /// Loads older turns, where there are any.
    pub fn earlier(self) {
        if self.loading.get_untracked() || self.conversation.earlier().with_untracked(Option::is_none) {
            return;
        }
        spawn_local(async move {
            if !self.load().await {
                return;
            }
            // What came stands before what is built, where the reader is held: at the upper edge nothing can be
            // scrolled any more that would ask for it.
            let order = self.conversation.order();
            self.go_over(order.with_untracked(|order| {
                self.reach.try_with_untracked(|reach| reach.up(order, SIZES)).flatten()
            }));
        });
    }

    /// Loads older turns and waits until they are in the timeline. Says whether there are more rows now.
    pub async fn load(self) -> bool {
        let Some(turn) = self.conversation.earlier().try_get_untracked().flatten() else { return false };
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

    async fn wait(self, turn: crate::domain::id::TurnId) -> bool {
        for _ in 0..LOOKS {
            match self.conversation.earlier().try_get_untracked() {
                // The screen is gone.
                None => return false,
                Some(earlier) if earlier != Some(turn) => return true,
                Some(_) => page::next_frame().await,
            }
        }
        false
    }

    /// Leads to a row and gives it the focus. Says whether it is there.
    pub async fn go(self, key: RowKey) -> bool {
        let id = self.bring(key).await;
        if let Some(id) = &id {
            spot::focus(id);
        }
        id.is_some()
    }

    /// Brings a row into view: loads and builds what is missing, and scrolls there. Gives the id of its element.
    pub async fn bring(self, key: RowKey) -> Option<String> {
        let order = self.conversation.order();
        while !order.with_untracked(|order| order.contains(&key)) {
            if !self.load().await {
                return None;
            }
        }
        // The screen may be gone by now.
        self.reach.try_with_untracked(|_| ())?;
        self.in_view.0.set(Place::Timeline);
        self.follow.let_go();
        self.go_over(
            order.with_untracked(|order| self.reach.with_untracked(|reach| reach.to(&key, order, SIZES))),
        );
        let id = element_of(&key)?;
        // Rows around it take their true size once they are in view.
        for _ in 0..3 {
            page::next_frame().await;
            spot::center(&id);
        }
        self.reach.try_with_untracked(|_| ())?;
        self.follow.look(self.reach.try_with_untracked(Reach::holds_end).unwrap_or_default());
        Some(id)
    }

    fn go_over(self, reach: Option<Reach<RowKey>>) {
        if let Some(reach) = reach
            && self.reach.with_untracked(|old| *old != reach)
        {
            self.reach.set(reach);
        }
    }
}

/// The id of the element that shows a row, where it has one.
pub fn element_of(key: &RowKey) -> Option<String> {
    match key {
        RowKey::Message(id) => Some(format!("message-{id}")),
        RowKey::Tool(id) => Some(format!("tool-{id}")),
        RowKey::Held(_)
        | RowKey::Ending(_)
        | RowKey::Round(..)
        | RowKey::Waiting(_)
        | RowKey::Siblings(_)
        | RowKey::Ahead
        | RowKey::Forked(_)
        | RowKey::Compaction(_)
        | RowKey::Unread => None,
    }
}
