//! Takes over the language that `public/boot.js` fetched, tells which there are, and changes it.

use std::time::Duration;

use js_sys::{Array, Function, Reflect};
use leptos::prelude::{set_timeout, window};
use leptos::wasm_bindgen::{JsCast as _, JsValue};

use nexus_view::language::{self, Format, Language};

use crate::ui::hooks::address;

/// How long the choice has to reach what boot.js reads.
const NOTED: Duration = Duration::from_millis(50);
const PATIENCE: u32 = 40;

fn of(object: &JsValue, name: &str) -> Option<JsValue> {
    Reflect::get(object, &JsValue::from_str(name)).ok().filter(JsValue::is_object)
}

/// Shows everything in the language that was fetched, if one was.
pub fn choose() {
    let Some(own) = of(&window(), "__nexus").and_then(|boot| of(&boot, "language")) else { return };
    let words = Reflect::get(&own, &JsValue::from_str("words")).ok().and_then(|words| words.as_string());
    let write = Reflect::get(&own, &JsValue::from_str("format")).ok();
    let (Some(words), Some(Ok(write))) = (words, write.map(JsValue::dyn_into::<Function>)) else { return };
    if let Some(language) = Language::read(&words, Box::new(move |what| written(&write, what))) {
        language::choose(language);
    }
}

/// What the platform writes, by the function of boot.js.
fn written(write: &Function, what: Format<'_>) -> String {
    let (kind, value, digits) = match what {
        Format::Plural(number) => ("plural", JsValue::from_f64(number as f64), 0),
        Format::Number(number, digits) => ("number", JsValue::from_f64(number), digits),
        Format::Money(dollars) => ("money", JsValue::from_f64(dollars), 0),
        Format::Day(day) => ("day", JsValue::from_f64(day as f64), 0),
        Format::Time(minutes) => ("time", JsValue::from_f64(f64::from(minutes)), 0),
        Format::List(names) => ("list", names.iter().map(JsValue::from).collect::<Array>().into(), 0),
    };
    let written = write.call3(&JsValue::UNDEFINED, &kind.into(), &value, &f64::from(digits).into());
    written.ok().and_then(|text| text.as_string()).unwrap_or_default()
}

/// The languages that this build has besides English: their tags and names.
pub fn others() -> Vec<(String, String)> {
    let list = of(&window(), "__nexus").and_then(|boot| of(&boot, "languages"));
    let list = list.and_then(|list| list.dyn_into::<Array>().ok()).unwrap_or_default();
    let text = |one: &JsValue, name: &str| Reflect::get(one, &JsValue::from_str(name)).ok()?.as_string();
    list.iter().filter_map(|one| Some((text(&one, "tag")?, text(&one, "name")?))).collect()
}

/// Loads the page again when what boot.js reads names this language; empty is that of the browser.
pub fn reload_in(tag: String) {
    wait(tag, PATIENCE);
}

fn wait(tag: String, left: u32) {
    let kept = window().local_storage().ok().flatten();
    let kept = kept.and_then(|storage| storage.get_item("nexus_boot").ok().flatten()).unwrap_or_default();
    let noted = serde_json::from_str::<serde_json::Value>(&kept).unwrap_or_default();
    if left == 0 || noted.get("language").and_then(|noted| noted.as_str()).unwrap_or_default() == tag {
        return address::reload();
    }
    set_timeout(move || wait(tag, left - 1), NOTED);
}
