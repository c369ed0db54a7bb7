//! Finds math between `\(` and `\)` or `\[` and `\]`.
//!
//! The parser reads these as escaped brackets, so it gets a text of the same length with dollars in their place, and
//! all offsets stay valid. Skips code.

use std::borrow::Cow;
use std::ops::Range;

use crate::small_sort::SmallSort as _;
use pulldown_cmark::{Event, Options, Parser, Tag};

/// A text with dollars as the delimiters of its maths.
pub(super) struct MathDelimiters<'t> {
    text: Cow<'t, str>,
    /// The starts of inline formulas, in order.
    inline: Vec<usize>,
}

impl<'t> MathDelimiters<'t> {
    pub(super) fn find(text: &'t str) -> Self {
        let has_any = text.contains("\\(") || text.contains("\\[");
        let pairs = if has_any { pairs(text) } else { Vec::new() };
        if pairs.is_empty() {
            return Self { text: Cow::Borrowed(text), inline: Vec::new() };
        }
        let mut out = String::with_capacity(text.len());
        let mut from = 0;
        for (opens, closes, _) in &pairs {
            for at in [*opens, *closes] {
                out.push_str(text.get(from..at).unwrap_or_default());
                out.push_str("$$");
                from = at + 2;
            }
        }
        out.push_str(text.get(from..).unwrap_or_default());
        let inline = pairs.iter().filter(|(.., inline)| *inline).map(|(opens, ..)| *opens).collect();
        Self { text: Cow::Owned(out), inline }
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// True if the formula that begins here is inline.
    pub(super) fn is_inline(&self, start: usize) -> bool {
        self.inline.binary_search(&start).is_ok()
    }
}

/// The formulas: the positions of both delimiters, and whether it is inline.
fn pairs(text: &str) -> Vec<(usize, usize, bool)> {
    let NonMathRanges { code, edges } = NonMathRanges::find(text);
    let mut code = code.iter().peekable();
    let is_one_block = |from: usize, to: usize| {
        edges.partition_point(|edge| *edge <= from) == edges.partition_point(|edge| *edge <= to)
    };
    let bytes = text.as_bytes();
    let mut pairs = Vec::new();
    let mut open: Option<(usize, bool)> = None;
    let mut at = 0;
    let mut blank = false;
    while let Some(byte) = bytes.get(at) {
        while code.peek().is_some_and(|range| range.end <= at) {
            code.next();
        }
        if let Some(range) = code.peek().filter(|range| range.contains(&at)) {
            (at, open) = (range.end, None);
            continue;
        }
        if *byte == b'\\' && open.is_some_and(|(start, _)| !is_one_block(start, at)) {
            // Its block ended first, so another formula may begin here.
            open = None;
        }
        match (byte, bytes.get(at + 1), open) {
            (b'\\', Some(b'('), None) => open = Some((at, true)),
            (b'\\', Some(b'['), None) => open = Some((at, false)),
            (b'\\', Some(b')'), Some((start, true))) | (b'\\', Some(b']'), Some((start, false))) => {
                // Dollars within would end the formula early.
                let inner = text.get(start + 2..at).unwrap_or_default();
                if inner.contains(char::is_alphanumeric) && !inner.contains('$') {
                    pairs.push((start, at, bytes.get(start + 1) == Some(&b'(')));
                }
                open = None;
            }
            // No formula contains an empty line.
            (b'\n', ..) if blank => open = None,
            _ => {}
        }
        blank = match byte {
            b'\n' => true,
            b' ' | b'\t' | b'\r' => blank,
            _ => false,
        };
        at += if *byte == b'\\' { 2 } else { 1 };
    }
    pairs
}

/// Ranges without formulas.
struct NonMathRanges {
    /// Code, raw HTML, and formulas between dollars.
    code: Vec<Range<usize>>,
    /// The boundaries of blocks, in order: no formula crosses one.
    edges: Vec<usize>,
}

impl NonMathRanges {
    fn find(text: &str) -> Self {
        let (mut code, mut edges) = (Vec::<Range<usize>>::new(), Vec::new());
        for (event, range) in Parser::new_ext(text, options()).into_offset_iter() {
            let is_code = matches!(
                event,
                Event::Code(_)
                    | Event::Html(_)
                    | Event::InlineHtml(_)
                    | Event::Start(Tag::CodeBlock(_))
                    | Event::InlineMath(_)
                    | Event::DisplayMath(_)
            );
            let is_mark = matches!(
                event,
                Event::Start(
                    Tag::Emphasis | Tag::Strong | Tag::Strikethrough | Tag::Link { .. } | Tag::Image { .. }
                )
            );
            if matches!(event, Event::Start(_) | Event::Rule) && !is_mark {
                edges.extend([range.start, range.end]);
            }
            if is_code && code.last().is_none_or(|last| last.end <= range.start) {
                code.push(range);
            }
        }
        edges.small_sort();
        Self { code, edges }
    }
}

/// True if a formula between single dollars is rather two prices or two names of variables: a letter or a digit
/// follows at once.
pub(super) fn is_money(text: &str, range: &Range<usize>) -> bool {
    let after = text.get(range.end..).and_then(|rest| rest.chars().next());
    after.is_some_and(char::is_alphanumeric)
}

pub(super) fn options() -> Options {
    Options::ENABLE_TABLES
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_MATH
        | Options::ENABLE_GFM
}
