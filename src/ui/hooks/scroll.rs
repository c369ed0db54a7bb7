//! Scrolling: keeps the end of a growing list in view while the reader is there, goes to elements, and finds the row
//! that is being read.
//!
//! Elsewhere the scroll position is kept when rows are added above, also in browsers without scroll anchoring.

use leptos::web_sys::{Element, HtmlDivElement, HtmlElement, MutationObserver, MutationObserverInit};

use crate::ui::hooks::dom::*;
use crate::ui::hooks::virtual_list::on_resize;

/// Distance from the end that counts as being there, in pixels.
const NEAR: i32 = 40;

/// True while the reader is at the end of a list, and the scroll to it.
#[derive(Clone, Copy)]
pub struct StickToBottom {
    list: NodeRef<Div>,
    pub at_end: RwSignal<bool>,
    /// True if the list's last row is the true end.
    has_newest: StoredValue<bool>,
    last_top: StoredValue<i32>,
    last_size: StoredValue<(i32, i32)>,
    /// True if a second check after layout is scheduled.
    settling: StoredValue<bool>,
    /// The first visible row, and its offset in the list.
    anchor: StoredValue<Option<SendWrapper<(Element, f64)>>>,
}

pub fn follow(list: NodeRef<Div>) -> StickToBottom {
    let this = StickToBottom {
        list,
        at_end: RwSignal::new(true),
        has_newest: StoredValue::new(true),
        last_top: StoredValue::default(),
        last_size: StoredValue::default(),
        settling: StoredValue::default(),
        anchor: StoredValue::default(),
    };
    let on_change = move || {
        this.stay();
        this.settle();
    };
    let changed = Closure::<dyn FnMut()>::new(on_change);
    let observer = MutationObserver::new(changed.as_ref().unchecked_ref()).ok();
    let guard = SendWrapper::new((observer.clone(), changed));
    Effect::new(move |_| {
        if let (Some(list), Some(observer)) = (list.get(), &observer) {
            let what = MutationObserverInit::new();
            what.set_child_list(true);
            what.set_subtree(true);
            what.set_character_data(true);
            // Without an observer the list is not followed; the button to the end stays.
            drop(observer.observe_with_options(&list, &what));
            this.jump();
        }
    });
    on_cleanup(move || {
        let (observer, _changed) = guard.take();
        observer.into_iter().for_each(|observer| observer.disconnect());
    });
    // What is below the list may grow and shrink it.
    on_resize(move || vec![list.get().map(Into::into)], on_change);
    this
}

impl StickToBottom {
    /// Handles a scroll event, caused by the reader or by code; `holds_end` tells whether the list's end is the true
    /// one. True if it scrolled up.
    pub fn scrolled(&self, holds_end: bool) -> bool {
        let Some(list) = self.list.get_untracked() else { return false };
        self.has_newest.set_value(holds_end);
        let (top, left) = (list.scroll_top(), below(&list));
        let size = (list.client_width(), list.client_height());
        // A list that was resized, or hidden and shown, was scrolled by the browser.
        if self.last_size.get_value() != size {
            self.last_size.set_value(size);
            self.stay();
            return false;
        }
        let went_up = top < self.last_top.get_value();
        self.last_top.set_value(top);
        // Any step up leaves the end; coming near it follows again.
        let at_end = holds_end && if went_up { left <= 1 } else { left <= NEAR };
        self.at_end.set_if_changed(at_end);
        self.anchor.set_value(if at_end { None } else { first_in_view(&list).map(SendWrapper::new) });
        went_up
    }

    /// Updates whether the reader is at the end, after a programmatic scroll.
    pub fn update(&self, holds_end: bool) {
        if let Some(list) = self.list.get_untracked() {
            self.last_top.set_value(list.scroll_top());
            self.at_end.set_if_changed(holds_end && below(&list) <= NEAR);
        }
    }

    /// Pixels above and below the viewport, and its height.
    pub fn room(&self) -> Option<(i32, i32, i32)> {
        let list = self.list.get_untracked()?;
        Some((list.scroll_top(), below(&list), list.client_height()))
    }

    /// The id of the first visible row, and its distance from the upper edge in pixels; `None` at the end.
    pub fn place(&self) -> Option<(String, f64)> {
        let anchor = self.anchor.try_get_value().flatten().filter(|_| !self.at_end.get_untracked())?;
        let (row, offset) = &*anchor;
        Some((row.id(), offset - f64::from(self.last_top.get_value())))
    }

    /// Stops following the end and keeping the reading position, before a programmatic scroll.
    pub fn stop_following(&self) {
        self.anchor.set_value(None);
        self.at_end.set_if_changed(false);
    }

    pub fn jump(&self) {
        let Some(list) = self.list.get_untracked() else { return };
        list.set_scroll_top(list.scroll_height());
        self.last_top.set_value(list.scroll_top());
        self.last_size.set_value((list.client_width(), list.client_height()));
        self.at_end.set_if_changed(true);
    }

    /// Stays again two frames later: rows that come into view get their height without a DOM change.
    fn settle(&self) {
        if self.settling.try_update_value(|settling| std::mem::replace(settling, true)) != Some(false) {
            return;
        }
        let this = *self;
        request_animation_frame(move || {
            request_animation_frame(move || {
                this.settling.set_value(false);
                this.stay();
            });
        });
    }

    fn stay(&self) {
        if self.at_end.try_get_untracked() == Some(true) {
            self.jump();
            return;
        }
        let Some(list) = self.list.get_untracked() else { return };
        if self.has_newest.get_value() && below(&list) <= 0 {
            // Everything is in view now.
            self.jump();
        } else if let Some(anchor) = self.anchor.try_get_value().flatten() {
            // Only the row's movement in the list counts, not the reader's scrolling meanwhile.
            let (row, before) = &*anchor;
            if let Some(now) = offset_in(&list, row)
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

/// Attribute of the current search match.
const FOUND: &str = "data-found";

/// The first visible row of a list, and its offset in the list.
pub(super) fn first_in_view(list: &HtmlDivElement) -> Option<(Element, f64)> {
    let rows = list.children();
    let top = list.get_bounding_client_rect().top();
    // Rows are stacked, so the first one that ends below the edge is found by binary search.
    let (mut low, mut high) = (0, rows.length());
    while low < high {
        let middle = low + (high - low) / 2;
        let ends = rows.item(middle).map_or(0.0, |row| row.get_bounding_client_rect().bottom());
        if ends <= top { low = middle + 1 } else { high = middle }
    }
    // An element without an id is not a row, and may disappear any time.
    let row = (low..rows.length()).filter_map(|place| rows.item(place)).find(|row| !row.id().is_empty())?;
    let place = offset_in(list, &row)?;
    Some((row, place))
}

/// The offset of a row in its list; `None` once it is removed.
pub(super) fn offset_in(list: &HtmlDivElement, row: &Element) -> Option<f64> {
    let top = row.get_bounding_client_rect().top() - list.get_bounding_client_rect().top();
    row.is_connected().then(|| top + f64::from(list.scroll_top()))
}

/// Centres the element of this id in its scrolling list; aligns its start if it is too long.
pub fn center(id: &str) {
    let Some(element) = by_id(id) else { return };
    let Ok(Some(list)) = element.closest("[role=log]") else { return };
    let (row, view) = (element.get_bounding_client_rect(), list.get_bounding_client_rect());
    place(id, ((view.height() - row.height()) / 2.0).max(view.height() / 10.0));
}

/// Scrolls the list of the element of this id until the element is that far from its upper edge, in pixels.
pub fn place(id: &str, distance: f64) {
    let Some(element) = by_id(id) else { return };
    let Ok(Some(list)) = element.closest("[role=log]") else { return };
    let by = element.get_bounding_client_rect().top() - list.get_bounding_client_rect().top() - distance;
    list.set_scroll_top(list.scroll_top().saturating_add(by.round() as i32));
}

/// Scrolls the parent of the first match of a selector, and nothing around it, so that the match is visible.
pub fn reveal_in_parent(selector: &str) {
    let Some(element) = find(selector) else { return };
    let Some(parent) = element.parent_element() else { return };
    let (own, view) = (element.get_bounding_client_rect(), parent.get_bounding_client_rect());
    let by = |start: f64, end: f64| start.min(0.0) + end.max(0.0);
    parent.scroll_by_with_x_and_y(
        by(own.left() - view.left(), own.right() - view.right()),
        by(own.top() - view.top(), own.bottom() - view.bottom()),
    );
}

/// Focuses the element of this id without scrolling, even if it is not focusable.
pub fn focus(id: &str) {
    let Some(element) = by_id(id) else { return };
    make_focusable(&element);
    let options = leptos::web_sys::FocusOptions::new();
    options.set_prevent_scroll(true);
    drop(element.focus_with_options(&options));
}

/// Marks the element of this id as the current match, without focusing it.
pub fn mark(id: &str) {
    unmark();
    by_id(id).into_iter().for_each(|element| mark_element(&element));
}

pub fn mark_element(element: &Element) {
    // The name is ours and valid.
    drop(element.set_attribute(FOUND, ""));
}

pub fn marked() -> Option<HtmlElement> {
    find("[data-found]")
}

pub fn unmark() {
    drop(marked().map(|marked| marked.remove_attribute(FOUND)));
}

/// Opens the `<details>` of this id, if it is one.
pub fn unfold(id: &str) {
    if let Some(details) = by_id(id)
        && details.tag_name().eq_ignore_ascii_case("details")
    {
        drop(details.set_attribute("open", ""));
    }
}

/// Opens all `<details>` within the tool card of this id.
pub fn unfold_below(id: &str) {
    let Some(element) = by_id(id).filter(|_| id.starts_with("tool-")) else { return };
    for details in all_in(&element, "details") {
        drop(details.set_attribute("open", ""));
    }
}

/// Focuses another match of a selector, relative to the focused one, if this key does that; else false.
pub fn step(selector: &str, key: &str) -> bool {
    let all = all(selector);
    let (count, active) = (all.len(), document().active_element());
    let at = all.iter().position(|one| active.as_ref() == Some(one));
    let to = match (key, at) {
        ("ArrowDown", Some(at)) => (at + 1) % count.max(1),
        ("ArrowUp", Some(at)) => (at + count.saturating_sub(1)) % count.max(1),
        ("Home", _) | ("ArrowDown", None) => 0,
        ("End", _) | ("ArrowUp", None) => count.saturating_sub(1),
        _ => return false,
    };
    drop(all.get(to).map(|element| element.focus()));
    true
}

pub struct SavedFocus(Option<HtmlElement>);

pub fn save_focus() -> SavedFocus {
    let active = document().active_element().and_then(|element| element.dyn_into::<HtmlElement>().ok());
    SavedFocus(active.filter(|element| element.tag_name() != "BODY"))
}

impl SavedFocus {
    /// Restores the focus; false if the element is gone.
    pub fn restore(&self) -> bool {
        self.0.as_ref().is_some_and(|element| element.is_connected() && element.focus().is_ok())
    }
}
