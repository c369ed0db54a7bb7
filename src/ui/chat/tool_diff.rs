//! Diff of what a tool run changed in one field or file.

use crate::ui::kit::prelude::*;
use nexus_model::mind::Mind;
use nexus_model::tool::FileChange;
use nexus_text::diff::{DiffLineKind, hunks};
use nexus_text::invisible::reveal;
use nexus_view::language::{text, tr};
use nexus_view::timeline::PtrEq;

/// Unchanged lines around a change.
const CONTEXT: usize = 3;
/// The most lines that are shown; a page of more helps nobody.
const MOST: usize = 600;

/// What changed in one field or file.
#[component]
pub fn ToolDiff(touched: FileChange, before: PtrEq<Mind>, after: PtrEq<Mind>) -> impl IntoMarkup {
    let (old, new) = (text_of(&before.0, &touched), text_of(&after.0, &touched));
    view! {
        <div class="label">{reveal(&touched.field)}</div>
        <div class="diff" tabindex="0" role="group" aria-label=tr("Changes")>{diff_lines(old, new)}</div>
    }
}

/// The lines in which two texts differ, with some around them.
pub(crate) fn diff_lines(old: &str, new: &str) -> Vec<Markup> {
    let mut lines = Vec::new();
    let mut left_out = 0usize;
    for (place, hunk) in hunks(old, new, CONTEXT).into_iter().enumerate() {
        if place > 0 && left_out == 0 {
            lines.push(("gap", "⋯".to_owned()));
        }
        for line in hunk.lines {
            if lines.len() >= MOST {
                left_out += 1;
                continue;
            }
            lines.push((change_name(line.change), reveal(&line.text)));
        }
    }
    if left_out > 0 {
        lines.push(("gap", text!("{left_out} more lines")));
    }
    lines
        .into_iter()
        .map(|(change, text)| view! { <span class="diff-line" data-change=change>{text}</span> })
        .collect()
}

fn text_of<'m>(mind: &'m Mind, touched: &FileChange) -> &'m str {
    match (touched.is_file, touched.field.as_str()) {
        (false, "objective") => &mind.objective,
        (false, "scratchpad") => &mind.scratchpad,
        (_, name) => mind.file(name).unwrap_or(""),
    }
}

fn change_name(change: DiffLineKind) -> &'static str {
    match change {
        DiffLineKind::Same => "same",
        DiffLineKind::Removed => "removed",
        DiffLineKind::Added => "added",
    }
}
