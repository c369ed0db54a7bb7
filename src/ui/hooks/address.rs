//! Reads the page's address, and follows links where the address cannot change.

use std::cell::RefCell;

use leptos::ev;
use leptos::ev::MouseEvent;
use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast as _;
use leptos::web_sys::{Element, HtmlAnchorElement};

use crate::ui::kit::selector::Selector;
use crate::ui::kit::signal::RwSignal;

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

/// The screens besides the war room, as the folders below that of the build for which the build writes a page (`SCREENS`
/// of `xtask/src/finish.rs`).
pub const SETTINGS: &str = "settings";
pub const AUDIT: &str = "audit";
pub const INSPECT: &str = "inspect";
pub const TREE: &str = "tree";
pub const RUN: &str = "run";
pub const USAGE: &str = "usage";
pub const HELP: &str = "help";

pub fn home_path() -> String {
    format!("{}/", base_path())
}

/// The address of a screen besides the war room.
pub fn screen_path(screen: &str) -> String {
    format!("{}/{screen}/", base_path())
}

pub fn settings_path() -> String {
    screen_path(SETTINGS)
}

pub fn usage_path() -> String {
    screen_path(USAGE)
}

pub fn help_path() -> String {
    screen_path(HELP)
}

/// The address of the settings at the element of this id, which they bring into view.
pub fn settings_path_at(id: &str) -> String {
    format!("{}?{}", settings_path(), settings_query(id))
}

pub fn settings_query(id: &str) -> String {
    format!("at={}", js_sys::encode_uri_component(id))
}

/// The id of the element that the address of the settings leads to.
pub fn settings_target() -> Option<String> {
    let query = query();
    let id = query.strip_prefix("at=")?;
    js_sys::decode_uri_component(id).ok().map(String::from)
}

/// The path of the page; empty where it has none.
pub fn path() -> String {
    location().pathname().unwrap_or_default()
}

/// The query of the address, without its question mark; where that cannot change, of the last link that was followed.
pub fn query() -> String {
    let query = match may_write_history() {
        true => location().search().unwrap_or_default(),
        false => QUERY.with_borrow(Clone::clone),
    };
    query.trim_start_matches('?').to_owned()
}

/// Puts a query into the address, in the place of the one that is there: nothing is loaded, and the way back stays.
pub fn set_query(query: &str) {
    put_query(query, false);
}

/// Puts a query into the address as a step of its own, which the browser's back button takes back.
pub fn push_query(query: &str) {
    put_query(query, true);
}

fn put_query(query: &str, adds: bool) {
    if !may_write_history() {
        QUERY.set(query.to_owned());
        return;
    }
    put_address(&if query.is_empty() { path() } else { format!("{}?{query}", path()) }, adds);
}

fn put_address(address: &str, adds: bool) {
    let Ok(history) = window().history() else { return };
    let state = history.state().unwrap_or_default();
    // A browser may refuse a flood of changes; the next one brings the address up to date.
    drop(if adds {
        history.push_state_with_url(&state, "", Some(address))
    } else {
        history.replace_state_with_url(&state, "", Some(address))
    });
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

/// The screen that the page's address names, empty for the war room. Where the address cannot change, the page is opened
/// at the war room.
pub fn screen() -> String {
    if may_write_history() { screen_of(&path()) } else { String::new() }
}

/// The screen, as links and the browser's arrows change it. A plain click on a link inside the page changes the address
/// without loading the page again; in a sandboxed frame, which has no address to change, only the screen.
pub fn use_screen() -> Selector<String> {
    let shown = RwSignal::new(screen());
    let click = window_event_listener(ev::click, move |event| {
        let Some(link) = link_inside(&event) else { return };
        event.prevent_default();
        if !may_write_history() {
            QUERY.set(link.search());
        } else if location().href().is_ok_and(|here| here != link.href()) {
            put_address(&link.href(), true);
        }
        window().scroll_to_with_x_and_y(0.0, 0.0);
        shown.set(screen_of(&link.pathname()));
    });
    let back = window_event_listener(ev::popstate, move |_| shown.set(screen()));
    on_cleanup(move || {
        click.remove();
        back.remove();
    });
    shown.into()
}

fn screen_of(path: &str) -> String {
    path.strip_prefix(&base_path()).unwrap_or(path).trim_matches('/').to_owned()
}

/// The link that was clicked, if the page follows it: not into another tab, to another host, to a file or within a screen.
fn link_inside(event: &MouseEvent) -> Option<HtmlAnchorElement> {
    let held = event.ctrl_key() || event.meta_key() || event.shift_key() || event.alt_key();
    if event.button() != 0 || held || event.default_prevented() {
        return None;
    }
    let clicked = event.target()?.dyn_into::<Element>().ok()?;
    let link = clicked.closest("a[href]").ok()??.dyn_into::<HtmlAnchorElement>().ok()?;
    // Such a link loads the page again, where there is a page to load.
    let leaves = may_write_history() && link.rel() == "external" || link.has_attribute("download");
    let stays = link.target().is_empty() && !leaves && link.hash().is_empty();
    let is_ours = link.origin() == location().origin().ok()? && link.pathname().starts_with(&base_path());
    (stays && is_ours).then_some(link)
}
