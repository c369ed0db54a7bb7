//! Moves the focus to a neighbour when the focused element disappears, for keyboard and screen-reader users.
//!
//! Never takes the focus from another element.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use leptos::ev;
use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast as _;
use leptos::web_sys::{Element, HtmlElement};
use wasm_split_helpers::wasm_split;

use nexus_engine::lazy::ChunkLoadError;

/// What takes the focus.
const CAN: &str = "a[href], button:not(:disabled), input:not(:disabled), select:not(:disabled), \
     textarea:not(:disabled), summary, [tabindex='0']";
/// How many frames something that was done may take to be shown.
const FRAMES: u32 = 120;

struct FocusLevel {
    element: Element,
    next: Option<Element>,
    before: Option<Element>,
}

#[derive(Default)]
struct FocusPath {
    levels: Vec<FocusLevel>,
    /// Counts what was done, so that one watch ends when the next begins.
    watch: u32,
}

thread_local! {
    static IS_KEPT: Cell<bool> = const { Cell::new(false) };
}

/// Keeps the focus from now on, as long as the page lives. Once is enough.
pub fn keep_focus() {
    if IS_KEPT.replace(true) {
        return;
    }
    let memory = Rc::new(RefCell::new(FocusPath::default()));
    let at_focus = Rc::clone(&memory);
    // What is mounted once lives as long as the page: the listeners are never removed.
    drop(window_event_listener(ev::focusin, move |_| note(&at_focus)));
    let at_click = Rc::clone(&memory);
    drop(window_event_listener(ev::click, move |_| {
        let watch = at_click.borrow().watch.wrapping_add(1);
        at_click.borrow_mut().watch = watch;
        follow(Rc::clone(&at_click), watch, FRAMES);
    }));
    // What went away by itself is missed when the next key is pressed, before the key does anything.
    drop(window_event_listener(ev::keydown, move |_| restore(&memory)));
}

/// Loads this with what works behind every screen, and keeps the focus from then on.
#[wasm_split(work, fallible)]
pub(crate) fn load_keep_focus() -> Result<(), ChunkLoadError> {
    keep_focus();
    Ok(())
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
    memory.borrow_mut().levels = levels;
}

/// Looks once a frame whether the focus is lost, for a while.
fn follow(memory: Rc<RefCell<FocusPath>>, watch: u32, frames: u32) {
    request_animation_frame(move || {
        if frames == 0 || memory.borrow().watch != watch {
            return;
        }
        if focused().is_some() {
            // Rows come and go around it.
            note(&memory);
        } else {
            restore(&memory);
        }
        follow(memory, watch, frames - 1);
    });
}

fn restore(memory: &Rc<RefCell<FocusPath>>) {
    if focused().is_some() {
        return;
    }
    let heir = heir(&memory.borrow().levels);
    if let Some(heir) = heir {
        // What takes no focus after all is nobody's loss.
        drop(heir.focus());
    }
}

/// Who gets the focus: what is left of the element that had it, or what stood beside the outermost part that is gone.
fn heir(levels: &[FocusLevel]) -> Option<HtmlElement> {
    let had = &levels.first()?.element;
    let is_there = had.is_connected() && is_seen(had) && !had.matches(":disabled").unwrap_or_default();
    // Whoever let go of it meant to. Dialogs bring the focus back by themselves.
    if is_there || levels.iter().any(|level| level.element.tag_name() == "DIALOG") {
        return None;
    }
    let like = had.get_attribute("data-testid");
    let mut inside: Option<&FocusLevel> = None;
    for level in levels {
        if !level.element.is_connected() || !is_seen(&level.element) {
            inside = Some(level);
            continue;
        }
        let is_page = level.element.id() == "app" || level.element.tag_name() == "BODY";
        let beside = inside.map(|gone| [gone.next.as_ref(), gone.before.as_ref()]).unwrap_or_default();
        if is_page {
            return screen();
        }
        let beside = beside.into_iter().flatten().filter(|other| other.is_connected());
        for place in beside.chain([&level.element]) {
            if let Some(found) = first_in(place, like.as_deref()) {
                return Some(found);
            }
        }
        inside = Some(level);
    }
    None
}

/// What can take the focus in a place: the same kind of thing that had it, else the first there is.
fn first_in(place: &Element, like: Option<&str>) -> Option<HtmlElement> {
    let all = place.query_selector_all(CAN).ok()?;
    let inner = (0..all.length()).filter_map(|at| all.item(at)?.dyn_into::<HtmlElement>().ok());
    let own = place.matches(CAN).ok()?.then(|| place.clone().dyn_into::<HtmlElement>().ok()).flatten();
    let seen: Vec<_> = own.into_iter().chain(inner).filter(|element| is_seen(element)).collect();
    let alike =
        |element: &&HtmlElement| like.is_some() && element.get_attribute("data-testid").as_deref() == like;
    seen.iter().find(alike).or_else(|| seen.first()).cloned()
}

fn is_seen(element: &Element) -> bool {
    element.get_client_rects().length() > 0
}

/// The screen itself, where all of the one before is gone.
pub(super) fn screen() -> Option<HtmlElement> {
    let screen = document().query_selector("main").ok()??.dyn_into::<HtmlElement>().ok()?;
    if !screen.has_attribute("tabindex") {
        // The name is ours and valid.
        drop(screen.set_attribute("tabindex", "-1"));
    }
    Some(screen)
}
