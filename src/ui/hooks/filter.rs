//! Filters the settings by words: hides cards that do not match, marks the first match, and scrolls to it.
//!
//! Ignores the values of fields, which may contain an API key.

use leptos::web_sys::{Element, HtmlDetailsElement};

use crate::ui::hooks::dom::*;
use crate::ui::hooks::focus::scroll_into_view;
use crate::ui::hooks::scroll::{mark_element, marked, unmark};

const PART: &str = ".settings-part";
const CARD: &str = ".settings-card";
/// Attribute of hidden cards; the stylesheet of the settings hides them.
const MARK: &str = "data-sifted";

/// Shows only cards that contain all words, and parts with such cards; marks the first match, and scrolls to it once it
/// is rendered. Returns how many cards are shown, and of how many. `synonyms` adds words for an element, by its id.
pub fn filter(query: &str, synonyms: fn(&str) -> String) -> (usize, usize) {
    let words: Vec<_> = query.to_lowercase().split_whitespace().map(str::to_owned).collect();
    let holds = |text: &str| words.iter().all(|word| text.contains(word));
    let (mut shown_count, mut count) = (0usize, 0usize);
    // A card with all words comes before one that only its section's head completes.
    let (mut own, mut other) = (None, None);
    for part in all(PART) {
        let head = part.query_selector("header").ok().flatten();
        let head = head.map(|head| text_of(&head, synonyms)).unwrap_or_default();
        let mut is_any = false;
        for card in all_in(&part, CARD) {
            let text = text_of(&card, synonyms);
            let is_here = holds(&format!("{head} {text}"));
            count = count.saturating_add(1);
            shown_count = shown_count.saturating_add(usize::from(is_here));
            is_any |= is_here;
            mark(&card, !is_here);
            let first = if holds(&text) { &mut own } else { &mut other };
            *first = first.take().or(is_here.then_some(card));
        }
        mark(&part, !is_any && !words.is_empty());
    }
    unmark();
    if let Some(card) = own.or(other).filter(|_| !words.is_empty()) {
        mark_element(&innermost(&card, |element| holds(&text_of(element, synonyms))));
        request_animation_frame(|| marked().into_iter().for_each(|first| scroll_into_view(&first)));
    }
    (shown_count, count)
}

/// The innermost element with a match; the card itself if the words are in several, or in its section's head.
fn innermost(card: &Element, holds: impl Fn(&Element) -> bool) -> Element {
    let mut at = card.clone();
    // The content of a folded element is not visible, nor are the options of a list.
    while !at.matches("details:not([open]), select").unwrap_or_default() {
        let inner = at.children();
        let mut inner = (0..inner.length()).filter_map(|place| inner.item(place));
        let Some(next) = inner.find(|element| !element.has_attribute("hidden") && holds(element)) else {
            break;
        };
        at = next;
    }
    at
}

/// Opens the card of the first match, and focuses the nearest control.
pub fn go_to_first() {
    let Some(first) = marked() else { return };
    let card = first.closest(CARD).ok().flatten();
    if let Some(details) = card.as_ref().and_then(|card| card.dyn_ref::<HtmlDetailsElement>()) {
        details.set_open(true);
    }
    scroll_into_view(&first);
    let control =
        |element: Element| all_in(&element, "input, select, textarea, button, summary").into_iter().next();
    // A label has its control beside it. One that cannot be focused was scrolled to nevertheless.
    let mut around = std::iter::successors(Some(first.into()), |element: &Element| element.parent_element());
    drop(around.find_map(control).map(|control| control.focus()));
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
