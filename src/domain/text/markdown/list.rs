//! Never renumbers: a list begins with the number that was written.
//!
//! Owns lists and their items.

use super::{Block, Item, Lines, parse};

/// What stands before the words of an item.
pub(super) struct Marker {
    /// The number, where the list is numbered.
    number: Option<u32>,
    /// Blanks before the mark.
    indent: usize,
    /// Where the words begin, counted in characters from the start of the line.
    content: usize,
}

impl Marker {
    /// Whether it begins a list without an empty line before it.
    pub(super) fn may_interrupt(&self) -> bool {
        self.number.is_none_or(|number| number == 1)
    }
}

/// The marker that a line begins with.
pub(super) fn marker(line: &str) -> Option<Marker> {
    let bare = line.trim_start();
    let indent = line.len() - bare.len();
    let (number, rest) = match bare.strip_prefix(['-', '*', '+']) {
        Some(rest) => (None, rest),
        None => {
            let rest = bare.trim_start_matches(|c: char| c.is_ascii_digit());
            let digits = bare.get(..bare.len() - rest.len())?;
            let number = if digits.len() > 9 { None } else { digits.parse::<u32>().ok() };
            (Some(number?), rest.strip_prefix(['.', ')'])?)
        }
    };
    let words = rest.trim_start_matches(' ');
    let fits = rest.is_empty() || rest.len() > words.len();
    fits.then(|| Marker { number, indent, content: line.len() - words.len() })
}

/// The list that begins with the next line.
pub(super) fn list(lines: &mut Lines<'_>, depth: usize) -> Block {
    let mut start = None;
    let mut items = Vec::new();
    while let Some(line) = lines.peek() {
        let Some(marker) = marker(line) else { break };
        match items.first() {
            None => start = marker.number,
            // Bullets after numbers, or numbers after bullets, are another list.
            Some(_) if marker.number.is_some() != start.is_some() => break,
            Some(_) => {}
        }
        lines.take();
        let mut own = vec![line.get(marker.content..).unwrap_or("")];
        own.extend(continuation(lines, &marker));
        items.push(item(&own, depth));
        // Empty lines between items belong to neither.
        if lines
            .lines
            .iter()
            .find(|line| !line.trim().is_empty())
            .is_some_and(|line| self::marker(line).is_some())
        {
            lines.take_while(|line| line.trim().is_empty());
        }
    }
    Block::List { start, items }
}

/// The lines after the first that belong to an item, without the blanks that say so.
fn continuation<'t>(lines: &mut Lines<'t>, marker: &Marker) -> Vec<&'t str> {
    let mut own = Vec::new();
    while let Some(line) = lines.peek() {
        let bare = line.trim_start();
        let indent = line.len() - bare.len();
        let belongs = if bare.is_empty() {
            // An empty line belongs to the item only if an indented one follows.
            lines.after().is_some_and(|after| after.starts_with([' ', '\t']) && blanks(after) > marker.indent)
        } else if self::marker(line).is_some() {
            indent > marker.indent
        } else {
            indent > marker.indent
                || own.last().is_none_or(|last: &&str| !last.trim().is_empty()) && !super::begins_other(line)
        };
        if !belongs {
            break;
        }
        lines.take();
        own.push(line.get(indent.min(marker.content)..).unwrap_or(bare));
    }
    own
}

fn blanks(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

fn item(lines: &[&str], depth: usize) -> Item {
    let mut lines = lines.to_vec();
    let mut done = None;
    if let Some(first) = lines.first_mut() {
        for (mark, is_done) in [("[ ] ", false), ("[x] ", true), ("[X] ", true)] {
            if let Some(words) = first.strip_prefix(mark) {
                (done, *first) = (Some(is_done), words);
                break;
            }
        }
    }
    Item { done, blocks: parse(&lines, depth) }
}
