//! Applies the language that `public/boot.js` fetched, lists the available ones, and changes it.

use std::time::Duration;

use js_sys::{Array, Function, Reflect};
use leptos::prelude::{set_timeout, window};
use leptos::wasm_bindgen::{JsCast as _, JsValue};

use nexus_view::language::{self, Format, Language};

use crate::ui::hooks::address;

/// Polling interval for the choice to reach localStorage.
const POLL_INTERVAL: Duration = Duration::from_millis(50);
const MOST_POLLS: u32 = 40;

fn of(object: &JsValue, name: &str) -> Option<JsValue> {
    Reflect::get(object, &JsValue::from_str(name)).ok().filter(JsValue::is_object)
}

/// Applies the fetched language, if any.
pub fn choose() {
    let Some(own) = of(&window(), "__nexus").and_then(|boot| of(&boot, "language")) else { return };
    let words = Reflect::get(&own, &JsValue::from_str("words")).ok().and_then(|words| words.as_string());
    let write = Reflect::get(&own, &JsValue::from_str("format")).ok();
    let (Some(words), Some(Ok(write))) = (words, write.map(JsValue::dyn_into::<Function>)) else { return };
    if let Some(language) = Language::read(&words, Box::new(move |what| format(&write, what))) {
        language::choose(language);
    }
}

/// Formats a value with the function of boot.js; `None` if that fails.
fn format(write: &Function, what: Format<'_>) -> Option<String> {
    let (kind, value, digits) = match what {
        Format::Plural(number) => ("plural", JsValue::from_f64(number as f64), 0),
        Format::Number(number, digits) => ("number", JsValue::from_f64(number), digits),
        Format::Money(dollars) => ("money", JsValue::from_f64(dollars), 0),
        Format::Day(day) => ("day", JsValue::from_f64(day as f64), 0),
        Format::Time(minutes) => ("time", JsValue::from_f64(f64::from(minutes)), 0),
        Format::List(names) => ("list", names.iter().map(JsValue::from).collect::<Array>().into(), 0),
    };
    let format = write.call3(&JsValue::UNDEFINED, &kind.into(), &value, &f64::from(digits).into());
    format.ok()?.as_string()
}

/// The languages of this build besides English: tags and names.
pub fn others() -> Vec<(String, String)> {
    let list = of(&window(), "__nexus").and_then(|boot| of(&boot, "languages"));
    let list = list.and_then(|list| list.dyn_into::<Array>().ok()).unwrap_or_default();
    let text = |one: &JsValue, name: &str| Reflect::get(one, &JsValue::from_str(name)).ok()?.as_string();
    list.iter().filter_map(|one| Some((text(&one, "tag")?, text(&one, "name")?))).collect()
}

/// Reloads the page once localStorage has this language; empty means the browser's.
pub fn reload_in(tag: String) {
    poll(tag, MOST_POLLS);
}

fn poll(tag: String, polls_left: u32) {
    let stored = window().local_storage().ok().flatten();
    let stored = stored.and_then(|storage| storage.get_item("nexus_boot").ok().flatten()).unwrap_or_default();
    let boot = serde_json::from_str::<serde_json::Value>(&stored).unwrap_or_default();
    if polls_left == 0 || boot.get("language").and_then(|boot| boot.as_str()).unwrap_or_default() == tag {
        return address::reload();
    }
    set_timeout(move || poll(tag, polls_left - 1), POLL_INTERVAL);
}
