//! Scroll state of a virtual list in rem: offset, size, and scrolling to a place.

use std::cell::OnceCell;
use std::rc::Rc;

use leptos::html::{Div, Span};
use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast as _;
use leptos::wasm_bindgen::closure::Closure;
use leptos::web_sys::{
    Element, IntersectionObserver, IntersectionObserverEntry, IntersectionObserverInit, ResizeObserver,
};
use send_wrapper::SendWrapper;

use crate::ui::kit::selector::Effect;
use crate::ui::kit::signal::RwSignal;

/// How many rem the measure is long: the browser gives whole pixels.
const MEASURE: f64 = 100.0;

#[derive(Clone, Copy)]
pub struct VirtualList {
    pub list: NodeRef<Div>,
    /// An unseen element that is a hundred rem high.
    pub measure: NodeRef<Span>,
    top: RwSignal<f64>,
    size: RwSignal<(f64, f64)>,
    rem: RwSignal<f64>,
}

pub fn use_window() -> VirtualList {
    let this = VirtualList {
        list: NodeRef::new(),
        measure: NodeRef::new(),
        top: RwSignal::new(0.0),
        size: RwSignal::new((0.0, 0.0)),
        rem: RwSignal::new(16.0),
    };
    on_resize(
        move || vec![this.list.get().map(Into::into), this.measure.get().map(Into::into)],
        move || {
            this.look();
        },
    );
    this
}

/// Looks when these elements are there, and when one of them has changed its size.
pub fn on_resize(elements: impl Fn() -> Vec<Option<Element>> + 'static, look: impl Fn() + Copy + 'static) {
    let resized = Closure::<dyn FnMut()>::new(look);
    let observer = ResizeObserver::new(resized.as_ref().unchecked_ref()).ok();
    let held = SendWrapper::new((observer.clone(), resized));
    Effect::new(move |_| {
        for element in elements().into_iter().flatten() {
            if let Some(observer) = &observer {
                observer.observe(&element);
            }
        }
        look();
    });
    on_cleanup(move || {
        let (observer, _resized) = held.take();
        if let Some(observer) = observer {
            observer.disconnect();
        }
    });
}

/// Calls `seen` with each observed element that comes within a screen's height of what is in view, or leaves it, and whether
/// it came. What is given back makes the observer for what stands in an element; `None` where the browser has none.
pub fn on_sight(
    seen: impl Fn(&Element, bool) + 'static,
) -> impl Fn(&Element) -> Option<IntersectionObserver> {
    let heard = Closure::<dyn FnMut(js_sys::Array)>::new(move |entries: js_sys::Array| {
        for entry in entries.iter().map(|entry| entry.unchecked_into::<IntersectionObserverEntry>()) {
            seen(&entry.target(), entry.is_intersecting());
        }
    });
    let observer = Rc::new(OnceCell::<IntersectionObserver>::new());
    let call = heard.as_ref().unchecked_ref::<js_sys::Function>().clone();
    let held = SendWrapper::new((Rc::clone(&observer), heard));
    on_cleanup(move || {
        let (observer, _heard) = held.take();
        if let Some(observer) = observer.get() {
            observer.disconnect();
        }
    });
    move |element| {
        let options = IntersectionObserverInit::new();
        // The margin is that of the root, and what scrolls is the list, not the window.
        options.set_root(element.closest("[role=log]").ok().flatten().as_ref());
        options.set_root_margin("100% 0px");
        let made = IntersectionObserver::new_with_options(&call, &options).ok()?;
        Some(observer.get_or_init(|| made).clone())
    }
}

impl VirtualList {
    fn look(&self) {
        let Some(list) = self.list.try_get_untracked().flatten() else { return };
        let size = (f64::from(list.client_width()), f64::from(list.client_height()));
        if self.size.get_untracked() != size {
            self.size.set(size);
        }
        let measured =
            self.measure.get_untracked().map(|measure| f64::from(measure.offset_height()) / MEASURE);
        if let Some(rem) = measured.filter(|rem| *rem > 0.0)
            && self.rem.get_untracked() != rem
        {
            self.rem.set(rem);
        }
        self.scrolled();
    }

    pub fn scrolled(&self) {
        let Some(list) = self.list.get_untracked() else { return };
        let top = f64::from(list.scroll_top());
        if self.top.get_untracked() != top {
            self.top.set(top);
        }
    }

    /// How far it is scrolled, in rem. Tracks it.
    pub fn top(&self) -> f64 {
        self.top.get() / self.rem.get()
    }

    /// How wide and how high it is, in rem. Tracks it.
    pub fn size(&self) -> (f64, f64) {
        let ((width, height), rem) = (self.size.get(), self.rem.get());
        (width / rem, height / rem)
    }

    /// Brings what is `top` rem from its start into view, a third from the upper edge where it is not in view.
    pub fn bring(&self, top: f64) {
        let Some(list) = self.list.get_untracked() else { return };
        let (at, (_, height)) = (self.top.get_untracked(), self.size.get_untracked());
        let wanted = top * self.rem.get_untracked();
        if wanted < at || wanted > at + height * 0.66 {
            list.set_scroll_top((wanted - height / 3.0).max(0.0) as i32);
            self.scrolled();
        }
    }

    pub fn focus(&self) {
        // A list that went away meanwhile needs none.
        drop(self.list.get_untracked().map(|list| list.focus()));
    }
}
