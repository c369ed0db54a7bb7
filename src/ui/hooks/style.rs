//! Never adds a rule: styles are files of the build.
//!
//! Owns the stylesheets that belong to one part of the program. The page names them switched off, which keeps browsers
//! from fetching them; whoever shows the part switches its sheet on first.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use futures_channel::oneshot;
use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast as _;
use leptos::wasm_bindgen::closure::Closure;
use leptos::web_sys::HtmlLinkElement;

/// A part without its sheet is ugly; one that does not come is worse.
const PATIENCE: Duration = Duration::from_secs(3);

/// Switches on the sheet that `index.html` names `data-style="name"`. Ends when it has come, or has not within three
/// seconds: what it would have dressed is shown either way. A sheet that was asked for before counts as come.
pub async fn dress(name: &'static str) {
    let found = document().query_selector(&format!("link[data-style=\"{name}\"]"));
    let link = found.ok().flatten().and_then(|link| link.dyn_into::<HtmlLinkElement>().ok());
    let Some(link) = link.filter(HtmlLinkElement::disabled) else { return };
    let (tell, told) = oneshot::channel::<()>();
    let tell = Rc::new(Cell::new(Some(tell)));
    let end = move || {
        if let Some(tell) = tell.take() {
            // Whoever waited may be gone.
            tell.send(()).unwrap_or_default();
        }
    };
    let came = Closure::<dyn FnMut()>::new(end.clone());
    for event in ["load", "error"] {
        // Both names are valid; what is not heard ends with the patience.
        drop(link.add_event_listener_with_callback(event, came.as_ref().unchecked_ref()));
    }
    set_timeout(end, PATIENCE);
    link.set_disabled(false);
    told.await.unwrap_or_default();
    for event in ["load", "error"] {
        drop(link.remove_event_listener_with_callback(event, came.as_ref().unchecked_ref()));
    }
}
