//! Reads and writes the page's address, and follows links even where the address cannot change.

use leptos::ev;
use leptos::web_sys::{Element, HtmlAnchorElement};
use leptos_router::location::{BrowserUrl, LocationProvider as _};

use crate::ui::hooks::dom::*;
use crate::ui::hooks::focus::leave_field;
use nexus_view::audit::pairs_of;
use nexus_view::shortcuts::screens::Screen;

thread_local! {
    /// Replaces the address's query where that cannot change.
    static QUERY: RefCell<String> = const { RefCell::new(String::new()) };
}

/// The path of the deployed folder, without a trailing slash: empty at the root of a host.
pub fn base_path() -> String {
    // Set by the boot script, which is in the same folder as the program.
    let attribute = document().document_element().and_then(|page| page.get_attribute("data-base"));
    attribute.as_deref().unwrap_or("/").trim_end_matches('/').to_owned()
}

pub fn home_path() -> String {
    format!("{}/", base_path())
}

pub fn screen_path(screen: Screen) -> String {
    format!("{}/{}/", base_path(), screen.name())
}

/// The address of the settings, scrolled to the element of this id.
pub fn settings_path_at(id: &str) -> String {
    format!("{}?{}", screen_path(Screen::Settings), settings_query(id))
}

pub fn settings_query(id: &str) -> String {
    format!("at={}", js_sys::encode_uri_component(id))
}

/// The id of the element that the settings scroll to.
pub fn settings_target() -> Option<String> {
    let query = query();
    let id = query.strip_prefix("at=")?;
    js_sys::decode_uri_component(id).ok().map(String::from)
}

pub fn path() -> String {
    location().pathname().unwrap_or_default()
}

/// The query without its question mark; where the address cannot change, that of the last followed link.
pub fn query() -> String {
    let query = match may_write_history() {
        true => location().search().unwrap_or_default(),
        false => QUERY.with_borrow(Clone::clone),
    };
    query.trim_start_matches('?').to_owned()
}

/// The value of this name in the query.
pub fn query_value(name: &str) -> Option<String> {
    pairs_of(&query()).find(|(own, _)| *own == name).map(|(_, value)| value)
}

/// Replaces the query without loading the page or adding a history entry.
pub fn set_query(query: &str) {
    put_query(query, false);
}

/// Changes the query as a new history entry.
pub fn push_query(query: &str) {
    put_query(query, true);
}

fn put_query(query: &str, adds_entry: bool) {
    if !may_write_history() {
        QUERY.set(query.to_owned());
        return;
    }
    let address = if query.is_empty() { path() } else { format!("{}?{query}", path()) };
    let Ok(history) = window().history() else { return };
    let state = history.state().unwrap_or_default();
    // Browsers reject a flood of changes; the next one updates the address.
    drop(if adds_entry {
        history.push_state_with_url(&state, "", Some(&address))
    } else {
        history.replace_state_with_url(&state, "", Some(&address))
    });
}

/// Scheme, host and port of the page; `null` in a sandboxed iframe.
pub fn page_origin() -> String {
    window().origin()
}

/// True if the page may write its history: browsers reject that in a sandboxed iframe, which has no origin.
pub fn may_write_history() -> bool {
    window().origin() != "null"
}

/// True if the content security policy of this page load allows an origin. Before the first provider was set up, all
/// are allowed.
pub fn may_call(origin: &str) -> bool {
    let attribute = document().document_element().and_then(|page| page.get_attribute("data-origins"));
    attribute.is_none_or(|origins| origins.split(' ').any(|allowed| allowed == origin))
}

/// True if the browser believes to be online.
pub fn online() -> bool {
    window().navigator().on_line()
}

/// Reloads the page. Drafts are stored on unload.
pub fn reload() {
    // Fails only on a page that is already gone.
    drop(location().reload());
}

/// Replaces the page by another address of it.
pub fn leave_for(path: &str) {
    // Fails only on a page that is already gone.
    drop(location().replace(path));
}

/// Navigates as a click on a link does.
pub fn follow(path: &str) {
    let element =
        document().create_element("a").ok().and_then(|element| element.dyn_into::<HtmlAnchorElement>().ok());
    let (Some(link), Some(body)) = (element, document().body()) else { return };
    link.set_href(path);
    link.set_hidden(true);
    if body.append_child(&link).is_ok() {
        link.click();
        link.remove();
    }
}

/// The screen in the page's address, `None` for the war room. Where the address cannot change, the page opens in the
/// war room.
pub fn screen() -> Option<Screen> {
    if may_write_history() { screen_of(&path()) } else { None }
}

/// Number of links and steps of history that stayed on their screen.
#[derive(Clone, Copy)]
pub struct InnerVisits(RwSignal<u32>);

/// Notifies the reader when a link or history changes the address within the screen. Reactive.
pub fn track_visits() {
    if let Some(visits) = use_context::<InnerVisits>() {
        visits.0.track();
    }
}

/// The current screen, following links and history. A plain click on an inner link changes the address without a page
/// load; in a sandboxed iframe, which cannot change its address, only the screen.
pub fn use_screen() -> Selector<Option<Screen>> {
    let shown = RwSignal::new(screen());
    let visits = RwSignal::new(0u32);
    provide_context(InnerVisits(visits));
    let show = move |screen: Option<Screen>| {
        if shown.try_get_untracked() == Some(screen) {
            visits.update(|visits| *visits = visits.wrapping_add(1));
        } else {
            shown.set(screen);
        }
    };
    match BrowserUrl::new() {
        Ok(browser) if may_write_history() => {
            browser.init(Some(base_path().into()));
            let url = browser.as_url().clone();
            Effect::new(move |first: Option<()>| {
                let (screen, wanted) = url.with(|url| (screen_of(url.path()), url.search().to_owned()));
                browser.ready_to_complete();
                if first.is_none() {
                    return;
                }
                // The router changes the address in a task of its own, and a new screen reads it.
                spawn_local(async move {
                    // What is typed into the composer stays there if its screen stays.
                    if screen.is_some() || shown.try_get_untracked().is_some_and(|now| now != screen) {
                        leave_field();
                    }
                    // The router knows no changes of the query. It takes a link to where its last one led for no change.
                    if shown.try_get_untracked() == Some(screen) && query() != wanted {
                        push_query(&wanted);
                    }
                    show(screen);
                });
            });
        }
        _ => {
            on_window(ev::click, move |event| {
                let Some(link) = link_inside(&event) else { return };
                event.prevent_default();
                QUERY.set(link.search());
                show(screen_of(&link.pathname()));
            });
        }
    }
    shown.into()
}

fn screen_of(path: &str) -> Option<Screen> {
    Screen::named(path.strip_prefix(&base_path()).unwrap_or(path).trim_matches('/'))
}

/// The clicked link, if the page handles it: not into another tab, to another host, to a file or within a screen.
fn link_inside(event: &MouseEvent) -> Option<HtmlAnchorElement> {
    let has_modifier = event.ctrl_key() || event.meta_key() || event.shift_key() || event.alt_key();
    if event.button() != 0 || has_modifier || event.default_prevented() {
        return None;
    }
    let clicked = event.target()?.dyn_into::<Element>().ok()?;
    let link = clicked.closest("a[href]").ok()??.dyn_into::<HtmlAnchorElement>().ok()?;
    let stays = link.target().is_empty() && !link.has_attribute("download") && link.hash().is_empty();
    let is_ours = link.origin() == location().origin().ok()? && link.pathname().starts_with(&base_path());
    (stays && is_ours).then_some(link)
}
