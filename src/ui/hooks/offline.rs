//! Starting without a network: the page's own script (`public/offline.js`) registers the worker, and tells here that a
//! newer version of the program waits.

use futures_util::FutureExt as _;
use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos::wasm_bindgen::JsValue;
use leptos::wasm_bindgen::prelude::Closure;

use crate::ui::hooks::js_part::call;
use crate::ui::hooks::page;
use crate::ui::kit::selector::Selector;

fn boot() -> Option<JsValue> {
    js_sys::Reflect::get(&window(), &JsValue::from_str("__nexus")).ok()
}

/// Whether a newer version waits. The worker is registered once that is `wanted`, in a quiet moment, and not at all on a
/// connection that is slow or metered.
pub fn use_new_version(wanted: Selector<bool>) -> RwSignal<bool> {
    let waits = RwSignal::new(false);
    Effect::new(move |is_begun: Option<bool>| {
        let is_begun = is_begun.unwrap_or(false);
        let begins = wanted.get() && !is_begun;
        if begins {
            spawn_local(page::settled().map(move |()| {
                let Some(boot) = boot().filter(|_| !page::is_frugal()) else { return };
                let announce = Closure::<dyn Fn()>::new(move || waits.set(true));
                // Without it everything works but a start without a network.
                drop(call(&boot, "offline", &[announce.into_js_value()]));
            }));
        }
        is_begun || begins
    });
    waits
}

/// Replaces this version by the newer one, and loads the page again.
pub fn take_new_version() {
    drop(boot().and_then(|boot| call(&boot, "takeNewVersion", &[])));
}
