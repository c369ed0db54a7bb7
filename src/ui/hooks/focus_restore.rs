//! Moves the focus to a neighbour when the focused element disappears, for keyboard and screen-reader users: from a
//! notice to where the operator acted before. A button that is disabled only while it works keeps it.
//!
//! Never takes the focus from another element.

use std::cell::Cell;

use leptos::ev;
use leptos::web_sys::{Element, HtmlElement};

use crate::lazy;
use crate::ui::hooks::dom::*;
use crate::ui::hooks::focus::COMPOSER;

const FOCUSABLE: &str = "a[href], button:not(:disabled), input:not(:disabled), select:not(:disabled), \
     textarea:not(:disabled), summary, [tabindex='0']";
const NOTICES: &str = ".notices";
/// What comes up in front of the page, or at its edge.
const PASSING: &str = ".notices, dialog, [popover]";
/// Frames after a click in which the focus is watched.
const FRAMES: u32 = 120;
/// Frames in which a button that its click has disabled may become enabled again.
const DISABLED_FRAMES: u32 = 45;

struct FocusLevel {
    element: Element,
    next: Option<Element>,
    before: Option<Element>,
}

#[derive(Default)]
struct FocusPath {
    levels: Rc<Vec<FocusLevel>>,
    /// The levels at the last click or key press outside of notices and dialogs.
    acted: Rc<Vec<FocusLevel>>,
    /// True if the focus was lost because the focused element was disabled.
    is_disabled: bool,
    /// Incremented by each click, so that a watch ends when the next begins.
    watch: u32,
}

thread_local! {
    static IS_KEPT: Cell<bool> = const { Cell::new(false) };
}

/// Keeps the focus from now on. Idempotent.
pub fn keep_focus() {
    if IS_KEPT.replace(true) {
        return;
    }
    let memory = Rc::new(RefCell::new(FocusPath::default()));
    let at_focus = Rc::clone(&memory);
    // Never removed: the page needs them for its whole life.
    drop(window_event_listener(ev::focusin, move |_| note(&at_focus)));
    let at_click = Rc::clone(&memory);
    drop(window_event_listener(ev::click, move |_| act(&at_click, true)));
    // If the focused element disappeared without a click, the next key press restores the focus first.
    drop(window_event_listener(ev::keydown, move |event| {
        restore(&memory, false);
        match event.key().as_str() {
            "Tab" | "Shift" => {}
            // They may close what has the focus.
            "Enter" | "Escape" => act(&memory, true),
            _ => act(&memory, false),
        }
    }));
}

lazy! {
    work::load_keep_focus: () = keep_focus();
}

fn focused() -> Option<Element> {
    document().active_element().filter(|element| element.tag_name() != "BODY")
}

fn note(memory: &Rc<RefCell<FocusPath>>) {
    let Some(focused) = focused() else { return };
    let mut levels = Vec::new();
    let mut at = Some(focused);
    while let Some(element) = at {
        at = element.parent_element();
        levels.push(FocusLevel {
            next: element.next_element_sibling(),
            before: element.previous_element_sibling(),
            element,
        });
    }
    let mut memory = memory.borrow_mut();
    (memory.levels, memory.is_disabled) = (Rc::new(levels), false);
}

/// Remembers where the operator acts. `watches`: the focus may be lost by that.
fn act(memory: &Rc<RefCell<FocusPath>>, watches: bool) {
    let mut path = memory.borrow_mut();
    if !is_within(&path.levels, PASSING) {
        path.acted = Rc::clone(&path.levels);
    }
    if watches {
        path.watch = path.watch.wrapping_add(1);
        follow(Rc::clone(memory), path.watch, FRAMES);
    }
}

/// Checks every frame whether the focus was lost, for a while.
fn follow(memory: Rc<RefCell<FocusPath>>, watch: u32, frames: u32) {
    request_animation_frame(move || {
        if frames == 0 || memory.borrow().watch != watch {
            return;
        }
        if focused().is_some() {
            // Rows around it may change.
            note(&memory);
        } else {
            restore(&memory, frames > FRAMES - DISABLED_FRAMES);
        }
        follow(memory, watch, frames - 1);
    });
}

/// Focuses the successor of the element that lost the focus. `waits`: one that was disabled may be enabled again.
fn restore(memory: &Rc<RefCell<FocusPath>>, waits: bool) {
    if focused().is_some() {
        return;
    }
    let before = memory.borrow().levels.first().map(|level| level.element.clone());
    let before = before.filter(|element| element.is_connected() && is_seen(element));
    let disabled = before.as_ref().is_some_and(is_disabled);
    if disabled && waits {
        memory.borrow_mut().is_disabled = true;
        return;
    }
    let again = before.filter(|_| !disabled && memory.borrow().is_disabled);
    let again = again.and_then(|element| element.dyn_into::<HtmlElement>().ok());
    let successor = again.or_else(|| {
        let path = memory.borrow();
        successor(&path.levels, &path.acted)
    });
    if let Some(successor) = successor {
        // An element that rejects the focus is skipped.
        drop(successor.focus());
    }
}

/// The element to focus: the successor of the one that lost the focus; after a notice the element where the operator
/// `acted`, its successor, or the message box. If the former screen is gone, the screen.
fn successor(levels: &[FocusLevel], acted: &[FocusLevel]) -> Option<HtmlElement> {
    // A deliberate blur is respected. Dialogs restore the focus themselves.
    if is_usable(&levels.first()?.element) || is_within(levels, "dialog") {
        return None;
    }
    if !is_within(levels, NOTICES) {
        return beside(levels).or_else(screen);
    }
    let place = acted.first().map(|level| level.element.clone()).filter(is_usable);
    let place = place.and_then(|element| element.dyn_into().ok()).or_else(|| beside(acted));
    place.or_else(|| by_id(COMPOSER)).or_else(screen)
}

/// The remaining part of an element that is gone, or a neighbour of its outermost removed ancestor.
fn beside(levels: &[FocusLevel]) -> Option<HtmlElement> {
    let test_id = levels.first()?.element.get_attribute("data-testid");
    let mut inside: Option<&FocusLevel> = None;
    for level in levels {
        let place = &level.element;
        if place.is_connected() && is_seen(place) {
            if place.id() == "app" || place.tag_name() == "BODY" {
                return None;
            }
            let neighbours = inside.into_iter().flat_map(|gone| [&gone.next, &gone.before]).flatten();
            let mut places = neighbours.filter(|other| other.is_connected()).chain([place]);
            let found = places.find_map(|place| first_in(place, test_id.as_deref()));
            if found.is_some() {
                return found;
            }
        }
        inside = Some(level);
    }
    None
}

/// A focusable element in a place: one of the same kind as before, else the first.
fn first_in(place: &Element, test_id: Option<&str>) -> Option<HtmlElement> {
    let own = place.matches(FOCUSABLE).ok()?.then(|| place.clone().dyn_into::<HtmlElement>().ok()).flatten();
    let inner = all_in(place, FOCUSABLE);
    let seen: Vec<_> = own.into_iter().chain(inner).filter(|element| is_seen(element)).collect();
    let alike = |element: &&HtmlElement| {
        test_id.is_some() && element.get_attribute("data-testid").as_deref() == test_id
    };
    seen.iter().find(alike).or_else(|| seen.first()).cloned()
}

fn is_within(levels: &[FocusLevel], selector: &str) -> bool {
    levels.iter().any(|level| level.element.matches(selector).unwrap_or_default())
}

fn is_usable(element: &Element) -> bool {
    element.is_connected() && is_seen(element) && !is_disabled(element)
}

fn is_disabled(element: &Element) -> bool {
    element.matches(":disabled").unwrap_or_default()
}

fn is_seen(element: &Element) -> bool {
    element.get_client_rects().length() > 0
}

/// The screen's main element, if the former screen is gone.
pub(super) fn screen() -> Option<HtmlElement> {
    find("main").inspect(|screen| make_focusable(screen))
}
