//! Starting without a network: the page's own script (`public/offline.js`) registers the worker, and tells here that a
//! newer version of the program waits.

use futures_util::FutureExt as _;
use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos::wasm_bindgen::JsValue;
use leptos::wasm_bindgen::prelude::Closure;

use crate::ui::hooks::js_part::call;
use crate::ui::hooks::page;
use crate::ui::kit::signal::RwSignal;

fn boot() -> Option<JsValue> {
    js_sys::Reflect::get(&window(), &JsValue::from_str("__nexus")).ok()
}

/// Whether a newer version waits. The worker is registered in a quiet moment, and not at all on a connection that is slow
/// or metered.
pub fn use_new_version() -> RwSignal<bool> {
    let waits = RwSignal::new(false);
    spawn_local(page::settled().map(move |()| {
        let Some(boot) = boot().filter(|_| !page::is_frugal()) else { return };
        // Who asked may be gone by then.
        let announce = Closure::<dyn Fn()>::new(move || {
            waits.try_set(true);
        });
        // Without it everything works but a start without a network.
        drop(call(&boot, "offline", &[announce.into_js_value()]));
    }));
    waits
}

/// Replaces this version by the newer one, and loads the page again.
pub fn take_new_version() {
    drop(boot().and_then(|boot| call(&boot, "takeNewVersion", &[])));
}
