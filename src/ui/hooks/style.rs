//! Enables the stylesheets of lazily loaded screens.
//!
//! The page lists them as disabled, so that browsers do not fetch them early.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use futures_channel::oneshot;
use futures_util::future::join_all;
use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast as _;
use leptos::wasm_bindgen::closure::Closure;
use leptos::web_sys::HtmlLinkElement;

/// A part without its sheet is ugly; one that does not come is worse.
const PATIENCE: Duration = Duration::from_secs(3);

/// Switches on the sheets that `index.html` names `data-style="name"`, alone or among others. Ends when they have come, or
/// have not within three seconds: what they would have dressed is shown either way. A sheet that was asked for before
/// counts as come.
pub async fn dress(name: &'static str) {
    let Ok(found) = document().query_selector_all(&format!("link[data-style~=\"{name}\"]")) else { return };
    let sheets = (0..found.length()).filter_map(|index| found.item(index)?.dyn_into().ok());
    join_all(sheets.map(switch_on)).await;
}

async fn switch_on(sheet: HtmlLinkElement) {
    if !sheet.disabled() {
        return;
    }
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
        drop(sheet.add_event_listener_with_callback(event, came.as_ref().unchecked_ref()));
    }
    set_timeout(end, PATIENCE);
    sheet.set_disabled(false);
    told.await.unwrap_or_default();
    for event in ["load", "error"] {
        drop(sheet.remove_event_listener_with_callback(event, came.as_ref().unchecked_ref()));
    }
}
