//! Keeps the end of a growing list in view while the reader is there.
//!
//! Elsewhere the scroll position stays where it is when rows are added above, also in browsers without scroll
//! anchoring.

use leptos::html::Div;
use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast as _;
use leptos::wasm_bindgen::closure::Closure;
use leptos::web_sys::{Element, HtmlDivElement, MutationObserver, MutationObserverInit, ResizeObserver};
use send_wrapper::SendWrapper;

use crate::ui::hooks::scroll_position;
use crate::ui::kit::selector::Effect;
use crate::ui::kit::signal::RwSignal;
use crate::ui::kit::stored::StoredValue;

/// How near to the end counts as being there, in pixels.
const NEAR: i32 = 40;

/// Whether the reader is at the end of a list, and the way back there.
#[derive(Clone, Copy)]
pub struct StickToBottom {
    list: NodeRef<Div>,
    pub at_end: RwSignal<bool>,
    /// Whether the list's end is the true one, as far as it is known.
    holds_end: StoredValue<bool>,
    last_top: StoredValue<i32>,
    /// How large the list was when it was last scrolled.
    last_size: StoredValue<(i32, i32)>,
    /// Whether it is looked at once more when what came has been laid out.
    settling: StoredValue<bool>,
    /// The first row that is in view, and how far down the list it is.
    anchor: StoredValue<Option<SendWrapper<(Element, f64)>>>,
}

/// Follows the end of `list`.
pub fn follow(list: NodeRef<Div>) -> StickToBottom {
    let this = StickToBottom {
        list,
        at_end: RwSignal::new(true),
        holds_end: StoredValue::new(true),
        last_top: StoredValue::new(0),
        last_size: StoredValue::new((0, 0)),
        settling: StoredValue::new(false),
        anchor: StoredValue::new(None),
    };
    let grown = Closure::<dyn FnMut()>::new(move || {
        this.stay();
        this.settle();
    });
    let observer = MutationObserver::new(grown.as_ref().unchecked_ref()).ok();
    let sizes = ResizeObserver::new(grown.as_ref().unchecked_ref()).ok();
    let held = SendWrapper::new((observer.clone(), sizes.clone(), grown));
    Effect::new(move |_| {
        if let (Some(list), Some(observer)) = (list.get(), &observer) {
            let what = MutationObserverInit::new();
            what.set_child_list(true);
            what.set_subtree(true);
            what.set_character_data(true);
            // Without an observer the list is not followed; the way to the end stays.
            drop(observer.observe_with_options(&list, &what));
            this.jump();
        }
        // What stands below the list may grow too, and take its room.
        if let (Some(list), Some(sizes)) = (list.get(), &sizes) {
            sizes.observe(&list);
        }
    });
    on_cleanup(move || {
        let (observer, sizes, _grown) = held.take();
        if let Some(observer) = observer {
            observer.disconnect();
        }
        if let Some(sizes) = sizes {
            sizes.disconnect();
        }
    });
    this
}

impl StickToBottom {
    /// The list was scrolled, by the reader or by us; `holds_end` says whether its end is the true one. Says whether it
    /// went up.
    pub fn scrolled(&self, holds_end: bool) -> bool {
        let Some(list) = self.list.get_untracked() else { return false };
        self.holds_end.set_value(holds_end);
        let (top, left) = (list.scroll_top(), below(&list));
        let size = (list.client_width(), list.client_height());
        // A list that became another size, or went out of view and came back, was scrolled by the browser.
        if self.last_size.get_value() != size {
            self.last_size.set_value(size);
            self.stay();
            return false;
        }
        let went_up = top < self.last_top.get_value();
        self.last_top.set_value(top);
        // The least step up lets go of the end; coming near it takes hold again.
        let at_end = holds_end && if went_up { left <= 1 } else { left <= NEAR };
        self.be_at_end(at_end);
        self.anchor.set_value(if at_end {
            None
        } else {
            scroll_position::first_in_view(&list).map(SendWrapper::new)
        });
        went_up
    }

    /// Looks whether the reader is at the end, after being led somewhere.
    pub fn look(&self, holds_end: bool) {
        if let Some(list) = self.list.try_get_untracked().flatten() {
            self.last_top.set_value(list.scroll_top());
            self.be_at_end(holds_end && below(&list) <= NEAR);
        }
    }

    /// How many pixels are above and below what is in view, and how high that is.
    pub fn room(&self) -> Option<(i32, i32, i32)> {
        let list = self.list.get_untracked()?;
        Some((list.scroll_top(), below(&list), list.client_height()))
    }

    /// Lets go of the end, and of what is read: the reader is led elsewhere.
    pub fn let_go(&self) {
        self.anchor.set_value(None);
        self.be_at_end(false);
    }

    pub fn jump(&self) {
        let Some(list) = self.list.get_untracked() else { return };
        list.set_scroll_top(list.scroll_height());
        self.last_top.set_value(list.scroll_top());
        self.last_size.set_value((list.client_width(), list.client_height()));
        self.be_at_end(true);
    }

    fn be_at_end(&self, at_end: bool) {
        if self.at_end.get_untracked() != at_end {
            self.at_end.set(at_end);
        }
    }

    /// Stays once more two frames later: what comes into view then gets its height without any change in the document.
    fn settle(&self) {
        if self.settling.try_update_value(|settling| std::mem::replace(settling, true)) != Some(false) {
            return;
        }
        let this = *self;
        request_animation_frame(move || {
            request_animation_frame(move || {
                this.settling.try_update_value(|settling| *settling = false);
                this.stay();
            });
        });
    }

    fn stay(&self) {
        if self.at_end.try_get_untracked() == Some(true) {
            self.jump();
            return;
        }
        let Some(list) = self.list.try_get_untracked().flatten() else { return };
        if self.holds_end.get_value() && below(&list) <= 0 {
            // All of it is in view by now.
            self.jump();
        } else if let Some(anchor) = self.anchor.try_get_value().flatten() {
            // By how much its place in the list moved: what the reader scrolled meanwhile does not count.
            let (row, before) = &*anchor;
            if let Some(now) = scroll_position::place_in(&list, row)
                && (now - before).abs() >= 1.0
            {
                list.set_scroll_top(list.scroll_top().saturating_add((now - before).round() as i32));
                self.last_top.set_value(list.scroll_top());
                self.anchor.set_value(Some(SendWrapper::new((row.clone(), now))));
            }
        }
    }
}

fn below(list: &HtmlDivElement) -> i32 {
    list.scroll_height() - list.scroll_top() - list.client_height()
}
