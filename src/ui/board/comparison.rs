//! A read-only comparison of texts: files with their changes, line numbers, context lines, folded lines, changed words.
//! The board's review uses the same lines.
//!
//! Texts are shown as plain text, with invisible characters made visible. Loaded lazily.

use crate::ui::prelude::*;
use nexus_model::mind::FileChange;
use nexus_text::compare::changed_words::{WordSpan, pieces};
use nexus_text::diff::LineCount;
use nexus_view::review_rows::{DiffLayout, DiffRow, DiffSection, FoldedLines, rows};
use nexus_view::strings::board::compare as words;

lazy_view!(board, lazy_comparison, ComparisonPanel { shown: Comparison });

/// Rows rendered per page.
const PAGE: usize = 600;

#[derive(Clone, Default)]
pub struct Comparison {
    changes: Vec<FieldDiff>,
    /// Old and new side by side, if there is room.
    sides: bool,
    /// Number of lines of old and new before the compared ones.
    skipped: (usize, usize),
}

/// The comparison of these fields and files, once its renderer is loaded.
pub fn comparison(changes: Vec<FieldDiff>) -> Markup {
    // Nobody reviews lines here, so a missing final newline is no difference.
    let with_final_newline = |text: Arc<str>| match text.is_empty() || text.ends_with('\n') {
        true => text,
        false => Arc::from(format!("{text}\n")),
    };
    let with_final_newline = |change: FieldDiff| FieldDiff {
        old: change.old.map(with_final_newline),
        new: change.new.map(with_final_newline),
        ..change
    };
    lazy_panel(Comparison {
        changes: changes.into_iter().map(with_final_newline).collect(),
        ..Comparison::default()
    })
}

/// Two versions of a part of a text side by side; `skipped` lines precede it.
pub fn sides(piece: FieldDiff, skipped: (usize, usize)) -> Markup {
    lazy_panel(Comparison { changes: vec![piece], sides: true, skipped })
}

pub fn two_texts(field: MindField, old: &str, new: &str) -> Markup {
    comparison(vec![FieldDiff { field, old: Some(old.into()), new: Some(new.into()) }])
}

/// The changes of a tool run or a sync, between the minds before and after.
pub fn changed_fields(touched: &[FileChange], before: &Mind, after: &Mind) -> Markup {
    let field = |touched: &FileChange| match (touched.is_file, touched.field.as_str()) {
        (false, "objective") => MindField::Objective,
        (false, "scratchpad") => MindField::Scratchpad,
        (_, name) => MindField::File(name.to_owned()),
    };
    let change = |field: MindField| FieldDiff { old: field.text(before), new: field.text(after), field };
    comparison(touched.iter().map(field).map(change).collect())
}

fn lazy_panel(shown: Comparison) -> Markup {
    lazy_part(lazy_comparison, move |draw| draw(shown.clone()))
}

#[component]
pub fn ComparisonPanel(shown: Comparison) -> impl IntoMarkup {
    let Comparison { changes, sides, skipped } = shown;
    let sections: Vec<_> = changes.into_iter().map(DiffSection::unreviewed).collect();
    let files = file_list(&sections, |at| focus::focus_and_scroll_to(head_id(at)));
    let sections = StoredValue::new(sections);
    let (unfolded, most) = (RwSignal::new(Vec::new()), RwSignal::new(PAGE));
    let lines = move || {
        sections.with_value(|sections| {
            let unfolded_now = unfolded.get();
            let layout = DiffLayout { side_by_side: sides, unfolded: &unfolded_now, shown: &[] };
            let rows = rows(sections, &layout);
            let left = rows.len().saturating_sub(most.get());
            let rows = rows.into_iter().take(most.get()).filter_map(|row| match row {
                DiffRow::Field(at) => (!sides).then(|| head(at, sections.get(at))).flatten(),
                // The line numbers say where it is.
                DiffRow::Hunk(_) => None,
                DiffRow::Fold(fold) => {
                    let field = sections.get(fold.section)?.change.field.clone();
                    Some(folded(fold, move || unfolded.update(|all| all.push((field.clone(), fold.new)))))
                }
                row @ (DiffRow::Empty(_)
                | DiffRow::Same { .. }
                | DiffRow::Old { .. }
                | DiffRow::New { .. }
                | DiffRow::Both { .. }) => line(sections, row, sides, skipped),
            });
            let mut rows: Vec<_> = rows.collect();
            if left > 0 {
                rows.push(fold(words::more_lines(left), move || most.update(|most| *most += PAGE)));
            }
            rows
        })
    };
    view! {
        <div class="diff" data-testid="diff" tabindex="0" role="group" aria-label=common::CHANGES>{files} {lines}</div>
    }
}

/// The files with their change counts, if there are several; a click scrolls to one.
pub(super) fn file_list(
    sections: &[DiffSection],
    go_to: impl Fn(usize) + Copy + Send + 'static,
) -> Option<Markup> {
    let file = |(at, section): (usize, &DiffSection)| {
        let label = view! {
            <span>{reveal(&words::field(&section.change.field))}</span> {counts(section.found.count())}
        };
        view! {
            <li>{plain_button("diff-file", label).test("diff-file").on_click(move |_| go_to(at))}</li>
        }
    };
    let is_list = sections.len() > 1;
    is_list.then(|| view! { <ul class="diff-files">{sections.iter().enumerate().map(file)}</ul> })
}

fn head_id(at: usize) -> String {
    format!("diff-file-{at}")
}

fn head(at: usize, section: Option<&DiffSection>) -> Option<Markup> {
    let section = section?;
    let tag = change_tag(&section.change).map(|tag| view! { <span class="tag">{tag}</span> });
    Some(view! {
        <div class="diff-head" id=head_id(at)>
            <b>{reveal(&words::field(&section.change.field))}</b> {tag} {counts(section.found.count())}
        </div>
    })
}

/// Whether a field was created or deleted.
pub(super) fn change_tag(change: &FieldDiff) -> Option<&'static str> {
    match (&change.old, &change.new) {
        (None, Some(_)) => Some(words::MADE.get()),
        (Some(_), None) => Some(words::GONE.get()),
        (Some(_), Some(_)) | (None, None) => None,
    }
}

pub fn counts(count: LineCount) -> Markup {
    view! {
        <span class="lines-added">{format!("+{}", count.added)}</span>
        " "
        {(count.removed > 0).then(|| view! { <span class="lines-removed">{format!("−{}", count.removed)}</span> })}
    }
}

pub(super) fn folded(lines: FoldedLines, open: impl Fn() + 'static) -> Markup {
    fold(words::folded(lines.lines), open)
}

fn fold(label: String, open: impl Fn() + 'static) -> Markup {
    plain_button("compare-fold", label).test("compare-fold").on_click(move |_| open()).into_markup()
}

/// A row of lines; `None` for a heading or a fold.
pub(super) fn line(
    sections: &[DiffSection],
    row: DiffRow,
    sides: bool,
    skipped: (usize, usize),
) -> Option<Markup> {
    Some(match row {
        DiffRow::Empty(section) => {
            let is_empty = sections.get(section)?.found.new.is_empty();
            view! { <div class="compare-fold">{if is_empty { words::EMPTY } else { words::NO_CHANGES }}</div> }
        }
        DiffRow::Same { section, old, new } => {
            let text = sections.get(section)?.found.new.line(new);
            let plain = vec![WordSpan { text: text.to_owned(), changed: false }];
            let (old, new) = (number(old, skipped.0), number(new, skipped.1));
            if sides {
                both(cell("same", old, Some(plain.clone())), cell("same", new, Some(plain)))
            } else {
                whole("same", old, new, plain)
            }
        }
        DiffRow::Old { at, line, alike } => {
            let (old, _) = marked(sections.get(at.0)?, Some(line), alike, alike.is_some());
            whole("removed", number(line, skipped.0), String::new(), old?)
        }
        DiffRow::New { at, line, alike } => {
            let (_, new) = marked(sections.get(at.0)?, alike, Some(line), alike.is_some());
            whole("added", String::new(), number(line, skipped.1), new?)
        }
        DiffRow::Both { at, old, new, alike } => {
            let (left, right) = marked(sections.get(at.0)?, old, new, alike);
            let of =
                |line: Option<usize>, skipped| line.map(|line| number(line, skipped)).unwrap_or_default();
            both(cell("removed", of(old, skipped.0), left), cell("added", of(new, skipped.1), right))
        }
        DiffRow::Field(_) | DiffRow::Hunk(_) | DiffRow::Fold(_) => return None,
    })
}

/// The parts of an old and a new line, with changed words marked if one became the other.
fn marked(
    section: &DiffSection,
    old: Option<usize>,
    new: Option<usize>,
    alike: bool,
) -> (Option<Vec<WordSpan>>, Option<Vec<WordSpan>>) {
    let (old, new) =
        (old.map(|line| section.found.old.line(line)), new.map(|line| section.found.new.line(line)));
    let whole = |text: &str| vec![WordSpan { text: text.to_owned(), changed: false }];
    match (old, new) {
        (Some(old), Some(new)) if alike => {
            let (old, new) = pieces(old, new);
            (Some(old), Some(new))
        }
        (old, new) => (old.map(whole), new.map(whole)),
    }
}

fn words_of(pieces: Vec<WordSpan>) -> Vec<Markup> {
    let view = |piece: WordSpan| {
        let text = reveal(&piece.text);
        if piece.changed {
            view! { <mark>{text}</mark> }
        } else {
            text.into_markup()
        }
    };
    pieces.into_iter().map(view).collect()
}

fn number(line: usize, skipped: usize) -> String {
    (line + skipped + 1).to_string()
}

fn whole(change: &'static str, old: String, new: String, pieces: Vec<WordSpan>) -> Markup {
    view! {
        <div class="compare-line" data-change=change>
            <span class="compare-number">{old}</span>
            <span class="compare-number">{new}</span>
            <span class="compare-text">{words_of(pieces)}</span>
        </div>
    }
}

fn cell(change: &'static str, at: String, pieces: Option<Vec<WordSpan>>) -> Markup {
    let change = if pieces.is_some() { change } else { "none" };
    let text: Option<String> =
        pieces.as_ref().map(|pieces| pieces.iter().map(|piece| piece.text.as_str()).collect());
    view! {
        <span class="compare-cell" data-change=change title=text>
            <span class="compare-number">{at}</span>
            <span class="compare-text">{pieces.map(words_of)}</span>
        </span>
    }
}

fn both(left: Markup, right: Markup) -> Markup {
    view! { <div class="compare-both">{left} {right}</div> }
}
