//! Filters the settings by words; hides cards that do not match.
//!
//! Ignores the values of fields, which may contain an API key.

use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast as _;
use leptos::web_sys::{Element, HtmlDetailsElement, HtmlElement};

const PART: &str = ".settings-part";
const CARD: &str = ".settings-card";
/// Attribute of hidden cards; the stylesheet of the settings hides them.
const MARK: &str = "data-sifted";

/// Shows only cards that contain all words, and parts with such cards. Returns how many cards are shown, and of how
/// many. `synonyms` adds words for an element, by its id.
pub fn filter(query: &str, synonyms: fn(&str) -> String) -> (usize, usize) {
    let words: Vec<_> = query.to_lowercase().split_whitespace().map(str::to_owned).collect();
    let holds = |text: &str| words.iter().all(|word| text.contains(word));
    let (mut shown_count, mut count) = (0usize, 0usize);
    for part in all(document().document_element().as_ref(), PART) {
        let head = part.query_selector("header").ok().flatten();
        let head = head.map(|head| text_of(&head, synonyms)).unwrap_or_default();
        let mut is_any = false;
        for card in all(Some(&part), CARD) {
            let is_here = holds(&format!("{head} {}", text_of(&card, synonyms)));
            count = count.saturating_add(1);
            shown_count = shown_count.saturating_add(usize::from(is_here));
            is_any |= is_here;
            mark(&card, !is_here);
        }
        mark(&part, !is_any && !words.is_empty());
    }
    (shown_count, count)
}

/// Focuses the first visible card, and opens it.
pub fn go_to_first() {
    let first = all(document().document_element().as_ref(), CARD);
    let Some(card) = first.into_iter().find(|card| !card.has_attribute(MARK)) else { return };
    if let Some(details) = card.dyn_ref::<HtmlDetailsElement>() {
        details.set_open(true);
    }
    card.scroll_into_view();
    let control = card.query_selector("input, select, textarea, button, summary").ok().flatten();
    if let Some(control) = control.and_then(|control| control.dyn_into::<HtmlElement>().ok()) {
        // A control that cannot be focused was scrolled to nevertheless.
        drop(control.focus());
    }
}

fn all(root: Option<&Element>, selector: &str) -> Vec<Element> {
    let Some(found) = root.and_then(|root| root.query_selector_all(selector).ok()) else { return Vec::new() };
    (0..found.length()).filter_map(|place| found.item(place)?.dyn_into().ok()).collect()
}

fn text_of(element: &Element, synonyms: fn(&str) -> String) -> String {
    let mut text = element.text_content().unwrap_or_default();
    for named in all(Some(element), "[id]") {
        text.push(' ');
        text.push_str(&synonyms(&named.id()));
    }
    text.to_lowercase()
}

fn mark(element: &Element, is_hidden: bool) {
    // The name is ours and valid.
    drop(if is_hidden { element.set_attribute(MARK, "") } else { element.remove_attribute(MARK) });
}
