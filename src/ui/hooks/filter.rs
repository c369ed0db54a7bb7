//! Filters the settings by words: hides cards that do not match, marks the best match, and scrolls to it.
//!
//! Ignores the values of fields, which may contain an API key.

use leptos::web_sys::{Element, HtmlDetailsElement};

use crate::ui::hooks::dom::*;
use crate::ui::hooks::focus::scroll_into_view;
use crate::ui::hooks::scroll::{mark_element, marked, unmark};

const PART: &str = ".settings-part";
const CARD: &str = ".settings-card";
/// Names of sections, cards and fields, without hints.
const SECTION_TITLE: &str = "h2";
const TITLE: &str = ":is(h3, b, label, legend, summary, .field-name):not(:has(.hint))";
/// Attribute of hidden cards; the stylesheet of the settings hides them.
const MARK: &str = "data-sifted";

/// Where the words of a match are, the best first.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Rank {
    SectionTitle,
    Title,
    Card,
    /// In the card and the head of its section together.
    WithHead,
}

/// Shows only cards that contain all words, and parts with such cards; marks the best match, and scrolls to it once it
/// is rendered. Returns how many cards are shown, and of how many. `synonyms` adds words for an element, by its id.
pub fn filter(query: &str, synonyms: fn(&str) -> String) -> (usize, usize) {
    let words: Vec<_> = query.to_lowercase().split_whitespace().map(str::to_owned).collect();
    let holds = |text: &str| words.iter().all(|word| text.contains(word));
    let is_named = |title: &Element| holds(&title.text_content().unwrap_or_default().to_lowercase());
    let has_title = |element: &Element| {
        (element.matches(TITLE).unwrap_or_default() && is_named(element))
            || all_in(element, TITLE).iter().any(|title| is_named(title))
    };
    let (mut shown_count, mut count) = (0usize, 0usize);
    let mut best = None::<(Rank, Element)>;
    for part in all(PART) {
        let inner = |selector| part.query_selector(selector).ok().flatten();
        let named = inner(SECTION_TITLE).filter(is_named);
        let head = inner("header").map(|head| text_of(&head, synonyms)).unwrap_or_default();
        let mut is_any = false;
        for card in all_in(&part, CARD) {
            let text = text_of(&card, synonyms);
            let is_here = holds(&format!("{head} {text}"));
            count = count.saturating_add(1);
            shown_count = shown_count.saturating_add(usize::from(is_here));
            is_any |= is_here;
            mark(&card, !is_here);
            let (rank, place) = match &named {
                Some(title) => (Rank::SectionTitle, title.clone()),
                None if has_title(&card) => (Rank::Title, card.into()),
                None if holds(&text) => (Rank::Card, card.into()),
                None => (Rank::WithHead, card.into()),
            };
            if is_here && best.as_ref().is_none_or(|(best, _)| rank < *best) {
                best = Some((rank, place));
            }
        }
        mark(&part, !is_any && !words.is_empty());
    }
    unmark();
    if let Some((rank, place)) = best.filter(|_| !words.is_empty()) {
        mark_element(&innermost(&place, |element| match rank {
            Rank::Title => has_title(element),
            Rank::SectionTitle | Rank::Card | Rank::WithHead => holds(&text_of(element, synonyms)),
        }));
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

/// Opens the card of the best match, and focuses the section's title or the nearest control.
pub fn go_to_first() {
    let Some(first) = marked() else { return };
    let card = first.closest(CARD).ok().flatten();
    if let Some(details) = card.as_ref().and_then(|card| card.dyn_ref::<HtmlDetailsElement>()) {
        details.set_open(true);
    }
    scroll_into_view(&first);
    let control =
        |element: Element| all_in(&element, "input, select, textarea, button, summary").into_iter().next();
    if first.matches(SECTION_TITLE).unwrap_or_default() {
        return drop(first.focus());
    }
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
