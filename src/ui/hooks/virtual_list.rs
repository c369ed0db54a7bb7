//! Scroll state of a virtual list in rem: offset, size, and scrolling to an offset.

use crate::ui::hooks::dom::*;
use std::cell::OnceCell;

use leptos::html::Span;
use leptos::web_sys::{
    Element, IntersectionObserver, IntersectionObserverEntry, IntersectionObserverInit, ResizeObserver,
};

/// Height of the measuring element in rem: browsers report whole pixels.
const MEASURE: f64 = 100.0;

#[derive(Clone, Copy)]
pub struct VirtualList {
    pub list: NodeRef<Div>,
    /// A hidden element of 100 rem height.
    pub measure: NodeRef<Span>,
    top: RwSignal<f64>,
    size: RwSignal<(f64, f64)>,
    rem: RwSignal<f64>,
}

pub fn use_window() -> VirtualList {
    let (top, size, rem) = (RwSignal::new(0.0), RwSignal::new((0.0, 0.0)), RwSignal::new(16.0));
    let this = VirtualList { list: NodeRef::new(), measure: NodeRef::new(), top, size, rem };
    on_resize(
        move || vec![this.list.get().map(Into::into), this.measure.get().map(Into::into)],
        move || this.update_size(),
    );
    this
}

/// Calls `on_resize` when these elements are mounted, and when one of them is resized.
pub fn on_resize(
    elements: impl Fn() -> Vec<Option<Element>> + 'static,
    on_resize: impl Fn() + Copy + 'static,
) {
    let resized = Closure::<dyn FnMut()>::new(on_resize);
    let observer = ResizeObserver::new(resized.as_ref().unchecked_ref()).ok();
    let guard = SendWrapper::new((observer.clone(), resized));
    Effect::new(move |_| {
        for element in elements().into_iter().flatten() {
            observer.iter().for_each(|observer| observer.observe(&element));
        }
        on_resize();
    });
    on_cleanup(move || {
        let (observer, _resized) = guard.take();
        observer.into_iter().for_each(|observer| observer.disconnect());
    });
}

/// Calls `seen` with each observed element that comes within one viewport height of the viewport, or leaves it, and
/// whether it entered. Returns a function that creates the observer for an element's content; `None` if the browser has
/// none.
pub fn on_visibility(
    callback: impl Fn(&Element, bool) + 'static,
) -> impl Fn(&Element) -> Option<IntersectionObserver> {
    let on_entries = Closure::<dyn FnMut(js_sys::Array)>::new(move |entries: js_sys::Array| {
        for entry in entries.iter().map(|entry| entry.unchecked_into::<IntersectionObserverEntry>()) {
            callback(&entry.target(), entry.is_intersecting());
        }
    });
    let observer = Rc::new(OnceCell::<IntersectionObserver>::new());
    let call = on_entries.as_ref().unchecked_ref::<js_sys::Function>().clone();
    let guard = SendWrapper::new((Rc::clone(&observer), on_entries));
    on_cleanup(move || {
        let (observer, _on_entries) = guard.take();
        observer.get().into_iter().for_each(|observer| observer.disconnect());
    });
    move |element| {
        let options = IntersectionObserverInit::new();
        // The margin applies to the root, and the list scrolls, not the window.
        options.set_root(element.closest("[role=log]").ok().flatten().as_ref());
        options.set_root_margin("100% 0px");
        let made = IntersectionObserver::new_with_options(&call, &options).ok()?;
        Some(observer.get_or_init(|| made).clone())
    }
}

impl VirtualList {
    fn update_size(&self) {
        let Some(list) = self.list.get_untracked() else { return };
        let size = (f64::from(list.client_width()), f64::from(list.client_height()));
        self.size.set_if_changed(size);
        let measured =
            self.measure.get_untracked().map(|measure| f64::from(measure.offset_height()) / MEASURE);
        measured.filter(|rem| *rem > 0.0).into_iter().for_each(|rem| self.rem.set_if_changed(rem));
        self.scrolled();
    }

    pub fn scrolled(&self) {
        let Some(list) = self.list.get_untracked() else { return };
        self.top.set_if_changed(f64::from(list.scroll_top()));
    }

    /// Scroll offset in rem. Reactive.
    pub fn top(&self) -> f64 {
        self.top.get() / self.rem.get()
    }

    /// Width and height in rem. Reactive.
    pub fn size(&self) -> (f64, f64) {
        let ((width, height), rem) = (self.size.get(), self.rem.get());
        (width / rem, height / rem)
    }

    /// Scrolls to an offset in rem, unless it is in view; puts it a third below the upper edge.
    pub fn scroll_to(&self, top: f64) {
        let Some(list) = self.list.get_untracked() else { return };
        let (at, (_, height)) = (self.top.get_untracked(), self.size.get_untracked());
        let wanted = top * self.rem.get_untracked();
        if wanted < at || wanted > at + height * 0.66 {
            list.set_scroll_top((wanted - height / 3.0).max(0.0) as i32);
            self.scrolled();
        }
    }

    pub fn focus(&self) {
        // The list may be gone by now.
        drop(self.list.get_untracked().map(|list| list.focus()));
    }
}
