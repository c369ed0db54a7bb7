//! Never names a screen: what lies under which path is the app's.
//!
//! Owns what is read of the page's own address, and following links where the address cannot change.

use leptos::ev::{self, MouseEvent};
use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast as _;
use leptos::web_sys::{Element, HtmlAnchorElement};

/// The path that the built folder lies under, without a slash at its end: empty at the root of a host.
pub fn base_path() -> String {
    // The boot script notes the path it was loaded from: it lies in the same folder as the program.
    let noted = document().document_element().and_then(|page| page.get_attribute("data-base"));
    noted.as_deref().unwrap_or("/").trim_end_matches('/').to_owned()
}

/// The path of the page; empty where it has none.
pub fn path() -> String {
    location().pathname().unwrap_or_default()
}

/// Where the page comes from: scheme, host and port; `null` in a sandboxed frame.
pub fn page_origin() -> String {
    window().origin()
}

/// Whether the page may write its own history: a sandboxed frame has no origin, and the browser then refuses.
pub fn may_write_history() -> bool {
    window().origin() != "null"
}

/// Whether the policy that this load of the page made lets it call an origin. Before the first provider was set up,
/// it is not narrowed.
pub fn may_call(origin: &str) -> bool {
    let noted = document().document_element().and_then(|page| page.get_attribute("data-origins"));
    noted.is_none_or(|origins| origins.split(' ').any(|allowed| allowed == origin))
}

/// Whether the browser believes that there is a network.
pub fn online() -> bool {
    window().navigator().on_line()
}

/// Loads the page again. What was typed is put to disk on the way out.
pub fn reload() {
    // Only a page that is gone already refuses, and then nothing is left to do.
    drop(location().reload());
}

/// Leaves for another address of the page, as if it had just been opened there.
pub fn leave_for(path: &str) {
    // Only a page that is gone already refuses.
    drop(location().replace(path));
}

/// Hears which path below the folder of the build a plain click on a link leads to, in place of the router. Has to be
/// called before the router is made.
pub fn on_link(hear: impl Fn(&str) + 'static) {
    let listener = window_event_listener(ev::click, move |event| {
        if let Some(path) = path_of_link(&event) {
            event.prevent_default();
            hear(&path);
        }
    });
    on_cleanup(move || listener.remove());
}

fn path_of_link(event: &MouseEvent) -> Option<String> {
    let plain = event.button() == 0 && !(event.ctrl_key() || event.meta_key() || event.shift_key());
    let clicked = event.target()?.dyn_into::<Element>().ok()?;
    let link = clicked.closest("a[href]").ok()??.dyn_into::<HtmlAnchorElement>().ok()?;
    let path = link.pathname();
    let below = path.strip_prefix(&base_path())?;
    (plain && link.origin() == location().origin().ok()?).then(|| below.to_owned())
}
