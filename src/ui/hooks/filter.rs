//! Filters the settings by words; hides cards that do not match.
//!
//! Ignores the values of fields, which may contain an API key.

use leptos::wasm_bindgen::JsCast as _;
use leptos::web_sys::{Element, HtmlDetailsElement};

use crate::ui::hooks::dom::{all, all_in};

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
    for part in all(PART) {
        let head = part.query_selector("header").ok().flatten();
        let head = head.map(|head| text_of(&head, synonyms)).unwrap_or_default();
        let mut is_any = false;
        for card in all_in(&part, CARD) {
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
    let Some(card) = all(CARD).into_iter().find(|card| !card.has_attribute(MARK)) else { return };
    if let Some(details) = card.dyn_ref::<HtmlDetailsElement>() {
        details.set_open(true);
    }
    card.scroll_into_view();
    // A control that cannot be focused was scrolled to nevertheless.
    drop(all_in(&card, "input, select, textarea, button, summary").first().map(|control| control.focus()));
}

fn text_of(element: &Element, synonyms: fn(&str) -> String) -> String {
    let mut text = element.text_content().unwrap_or_default();
    for named in all_in(element, "[id]") {
        text.push(' ');
        text.push_str(&synonyms(&named.id()));
    }
    text.to_lowercase()
}

fn mark(element: &Element, is_hidden: bool) {
    // The name is ours and valid.
    drop(if is_hidden { element.set_attribute(MARK, "") } else { element.remove_attribute(MARK) });
}
