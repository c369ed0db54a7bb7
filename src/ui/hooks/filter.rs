//! Filters the settings by words, hiding cards that do not match.
//!
//! Ignores the values of fields, which may contain an API key.

use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast as _;
use leptos::web_sys::{Element, HtmlDetailsElement, HtmlElement};

const PART: &str = ".settings-part";
const CARD: &str = ".settings-card";
/// The mark of what steps aside; the sheet of the settings hides it.
const MARK: &str = "data-sifted";

/// Leaves only the cards that hold all these words, and the parts that have some. Says how many cards stay, and of how
/// many. `synonyms` gives more words for an element, by its id.
pub fn sift(looked_for: &str, synonyms: fn(&str) -> String) -> (usize, usize) {
    let words: Vec<_> = looked_for.to_lowercase().split_whitespace().map(str::to_owned).collect();
    let holds = |text: &str| words.iter().all(|word| text.contains(word));
    let (mut stay, mut count) = (0usize, 0usize);
    for part in all(document().document_element().as_ref(), PART) {
        let head = part.query_selector("header").ok().flatten();
        let head = head.map(|head| text_of(&head, synonyms)).unwrap_or_default();
        let mut is_any = false;
        for card in all(Some(&part), CARD) {
            let is_here = holds(&format!("{head} {}", text_of(&card, synonyms)));
            count = count.saturating_add(1);
            stay = stay.saturating_add(usize::from(is_here));
            is_any |= is_here;
            mark(&card, !is_here);
        }
        mark(&part, !is_any && !words.is_empty());
    }
    (stay, count)
}

/// Gives the focus to the first card that stays, opened where it was folded.
pub fn go_to_first() {
    let first = all(document().document_element().as_ref(), CARD);
    let Some(card) = first.into_iter().find(|card| !card.has_attribute(MARK)) else { return };
    if let Some(details) = card.dyn_ref::<HtmlDetailsElement>() {
        details.set_open(true);
    }
    card.scroll_into_view();
    let control = card.query_selector("input, select, textarea, button, summary").ok().flatten();
    if let Some(control) = control.and_then(|control| control.dyn_into::<HtmlElement>().ok()) {
        // A control that takes no focus is looked at all the same.
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

fn mark(element: &Element, aside: bool) {
    // The name is ours and valid.
    drop(if aside { element.set_attribute(MARK, "") } else { element.remove_attribute(MARK) });
}
