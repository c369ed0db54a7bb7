//! Reads the page's address, and follows links where the address cannot change.

use std::cell::RefCell;

use leptos::ev::{self, MouseEvent};
use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast as _;
use leptos::web_sys::{Element, HtmlAnchorElement};

thread_local! {
    /// What stands for the query of the address where that cannot change.
    static QUERY: RefCell<String> = const { RefCell::new(String::new()) };
}

/// The path that the built folder lies under, without a slash at its end: empty at the root of a host.
pub fn base_path() -> String {
    // The boot script notes the path it was loaded from: it lies in the same folder as the program.
    let noted = document().document_element().and_then(|page| page.get_attribute("data-base"));
    noted.as_deref().unwrap_or("/").trim_end_matches('/').to_owned()
}

/// The path of the settings below the folder of the build. The build writes a page for it, so it ends in a slash.
pub const SETTINGS: &str = "/settings/";

/// The address of the war room.
pub fn home_path() -> String {
    format!("{}/", base_path())
}

/// The address of the settings.
pub fn settings_path() -> String {
    format!("{}{SETTINGS}", base_path())
}

/// The path of the page; empty where it has none.
pub fn path() -> String {
    location().pathname().unwrap_or_default()
}

/// The query of the last link that was followed where the address cannot change; elsewhere the page's own.
pub fn query() -> String {
    if may_write_history() {
        location().search().unwrap_or_default()
    } else {
        QUERY.with_borrow(Clone::clone)
    }
}

/// Puts a query into the address, in the place of the one that is there: nothing is loaded, and the way back stays.
pub fn set_query(query: &str) {
    if !may_write_history() {
        QUERY.set(query.to_owned());
        return;
    }
    let address = if query.is_empty() { path() } else { format!("{}?{query}", path()) };
    let Ok(history) = window().history() else { return };
    let state = history.state().unwrap_or_default();
    // A browser may refuse a flood of changes; the next one brings the address up to date.
    drop(history.replace_state_with_url(&state, "", Some(&address)));
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

/// Goes to an address of the page as a click on a link does, whoever follows links here.
pub fn follow(path: &str) {
    let made = document().create_element("a").ok().and_then(|made| made.dyn_into::<HtmlAnchorElement>().ok());
    let (Some(link), Some(body)) = (made, document().body()) else { return };
    link.set_href(path);
    link.set_hidden(true);
    if body.append_child(&link).is_ok() {
        link.click();
        link.remove();
    }
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
    if plain {
        QUERY.set(link.search());
    }
    (plain && link.origin() == location().origin().ok()?).then(|| below.to_owned())
}
