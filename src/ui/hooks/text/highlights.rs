//! Highlights search matches with the CSS Custom Highlight API, else marks whole rows. Changes no text node.

use leptos::web_sys::{Element, Node, Range};

use crate::ui::hooks::dom::*;
use crate::ui::hooks::js_part::call;

const FOUND: &str = "nexus-found";
/// Highlight of the current match.
const CURRENT: &str = "nexus-here";
/// Attribute of a row with matches, in browsers without highlights.
const HAS_MATCH: &str = "data-holds";

fn highlights() -> Option<JsValue> {
    Some(get(&get(&window(), "CSS"), "highlights")).filter(JsValue::is_object)
}

/// Highlights `wanted` in the rows in view, and the current match at `here`: its row's id, and its index there. Scrolls
/// to it if `scroll`.
pub fn mark(wanted: &str, any_case: bool, here: Option<(&str, usize)>, scroll: bool) {
    unmark();
    let needle: Vec<char> =
        if any_case { wanted.to_lowercase() } else { wanted.to_owned() }.chars().collect();
    let Some(list) = find("[role=log]").filter(|_| !needle.is_empty()) else { return };
    let own = highlights();
    let mut found = Vec::new();
    let view = list.get_bounding_client_rect();
    let rows = list.children();
    for row in (0..rows.length()).filter_map(|place| rows.item(place)) {
        let rect = row.get_bounding_client_rect();
        let near = rect.bottom() > view.top() - view.height() && rect.top() < view.bottom() + view.height();
        let nth = here.filter(|(id, _)| *id == row.id()).map(|(_, nth)| nth);
        if !near && nth.is_none() {
            continue;
        }
        let ranges = ranges(&row, &needle, any_case);
        if own.is_none() && !ranges.is_empty() {
            drop(row.set_attribute(HAS_MATCH, ""));
        }
        for (place, range) in ranges.into_iter().enumerate() {
            if nth == Some(place) {
                if scroll {
                    scroll_to(&list, &range);
                }
                put(own.as_ref(), CURRENT, &[range]);
            } else {
                found.push(range);
            }
        }
    }
    put(own.as_ref(), FOUND, &found);
}

pub fn unmark() {
    if let Some(all) = highlights() {
        for name in [FOUND, CURRENT] {
            call(&all, "delete", &[JsValue::from_str(name)]);
        }
    }
    for row in all("[data-holds]") {
        drop(row.remove_attribute(HAS_MATCH));
    }
}

fn put(all: Option<&JsValue>, name: &str, ranges: &[Range]) {
    let Some(all) = all else { return };
    let Ok(kind) = get(&window(), "Highlight").dyn_into::<js_sys::Function>() else { return };
    let ranges: js_sys::Array = ranges.iter().collect();
    if let Ok(highlight) = js_sys::Reflect::construct(&kind, &ranges) {
        call(all, "set", &[JsValue::from_str(name), highlight]);
    }
}

/// In a long row, scrolls to the match itself.
fn scroll_to(list: &Element, range: &Range) {
    let (at, view) = (range.get_bounding_client_rect(), list.get_bounding_client_rect());
    if at.height() > 0.0 && (at.top() < view.top() || at.bottom() > view.bottom()) {
        let by = at.top() - view.top() - view.height() / 3.0;
        list.set_scroll_top(list.scroll_top().saturating_add(by.round() as i32));
    }
}

/// A character of a row as it is compared, and its position.
struct RowChar {
    letter: char,
    node: usize,
    from: u32,
    to: u32,
}

fn ranges(row: &Element, needle: &[char], any_case: bool) -> Vec<Range> {
    let mut nodes = Vec::new();
    if row.id().starts_with("message-") {
        all_in(row, "[data-testid=message-text]").iter().for_each(|text| gather(text, &mut nodes));
    } else if row.id().starts_with("tool-") {
        gather(row, &mut nodes);
    }
    let mut letters = Vec::new();
    for (node, text) in nodes.iter().enumerate() {
        let mut at = 0u32;
        for c in text.text_content().unwrap_or_default().chars() {
            let (from, to) = (at, at.saturating_add(if c.len_utf16() == 2 { 2 } else { 1 }));
            at = to;
            if any_case {
                letters.extend(c.to_lowercase().map(|letter| RowChar { letter, node, from, to }));
            } else {
                letters.push(RowChar { letter: c, node, from, to });
            }
        }
    }
    let mut out = Vec::new();
    let mut rest = letters.as_slice();
    while let Some(piece) = rest.get(..needle.len()) {
        let fits = piece.iter().zip(needle).all(|(letter, wanted)| letter.letter == *wanted);
        if let (true, Some(first), Some(last)) = (fits, piece.first(), piece.last()) {
            out.extend(range(&nodes, first, last));
        }
        rest = rest.get(if fits { needle.len() } else { 1 }..).unwrap_or_default();
    }
    out
}

fn range(nodes: &[Node], first: &RowChar, last: &RowChar) -> Option<Range> {
    let range = Range::new().ok()?;
    range.set_start(nodes.get(first.node)?, first.from).ok()?;
    range.set_end(nodes.get(last.node)?, last.to).ok()?;
    Some(range)
}

/// The text nodes below a node, in order.
fn gather(node: &Node, out: &mut Vec<Node>) {
    if node.node_type() == Node::TEXT_NODE {
        out.push(node.clone());
        return;
    }
    let mut child = node.first_child();
    while let Some(next) = child {
        gather(&next, out);
        child = next.next_sibling();
    }
}
