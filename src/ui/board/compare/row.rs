//! Rows of a comparison: headings with buttons, and lines with numbers and changed words.
//!
//! Texts are shown as plain text, with invisible characters made visible.

use crate::ui::agents::badge::AgentBadge;
use crate::ui::board::compare::list::{author, turn_of};
use crate::ui::board::compare::state::{CompareState, hunk_at};
use crate::ui::hooks::virtual_list::VirtualList;
use crate::ui::kit::prelude::*;
use nexus_text::changed_words::{WordSpan, pieces};
use nexus_text::invisible::reveal;
use nexus_view::local_time::LocalTime;
use nexus_view::review_rows::{DiffRow, DiffSection, FoldedLines, HunkIndex, HunkKey, name_of};
pub use nexus_view::strings::board::compare as words;

#[component]
pub fn DiffRowView(
    state: CompareState,
    row: DiffRow,
    /// Whether old and new stand next to each other.
    sides: bool,
    window: VirtualList,
    /// Whether nothing can be changed here.
    read_only: Selector<bool>,
) -> impl IntoMarkup {
    let look = state.look.get_untracked()?;
    let sections = &look.sections;
    Some(match row {
        DiffRow::Field(at) => {
            let section = sections.get(at)?;
            field_head(state, at, section, window, read_only)
        }
        DiffRow::Empty(_) => view! { <div class="compare-fold">{words::EMPTY}</div> },
        DiffRow::Hunk(place) => {
            let name = name_of(sections, place)?;
            hunk_head(state, sections, place, name, window, read_only)?
        }
        DiffRow::Fold(fold) => folded(state, sections.get(fold.section)?, fold, window),
        DiffRow::Same { section, old, new } => {
            let text = sections.get(section)?.found.new.line(new);
            let plain = vec![WordSpan { text: text.to_owned(), changed: false }];
            if sides {
                both(cell("same", Some(old), Some(plain.clone())), cell("same", Some(new), Some(plain)))
            } else {
                line("same", Some(old), Some(new), plain)
            }
        }
        DiffRow::Old { at, line: number, alike } => {
            let (section, _) = hunk_at(sections, at)?;
            let (old, _) = marked(section, Some(number), alike, alike.is_some());
            line("removed", Some(number), None, old?)
        }
        DiffRow::New { at, line: number, alike } => {
            let (section, _) = hunk_at(sections, at)?;
            let (_, new) = marked(section, alike, Some(number), alike.is_some());
            line("added", None, Some(number), new?)
        }
        DiffRow::Both { at, old, new, alike } => {
            let (section, _) = hunk_at(sections, at)?;
            let (left, right) = marked(section, old, new, alike);
            both(cell("removed", old, left), cell("added", new, right))
        }
    })
}

/// The pieces of an old and a new line, with their changed words marked where one became the other.
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

fn number(line: Option<usize>) -> Option<String> {
    line.map(|line| (line + 1).to_string())
}

fn line(change: &'static str, old: Option<usize>, new: Option<usize>, pieces: Vec<WordSpan>) -> Markup {
    view! {
        <div class="compare-line" data-change=change>
            <span class="compare-number">{number(old)}</span>
            <span class="compare-number">{number(new)}</span>
            <span class="compare-text">{words_of(pieces)}</span>
        </div>
    }
}

fn cell(change: &'static str, at: Option<usize>, pieces: Option<Vec<WordSpan>>) -> Markup {
    let change = if pieces.is_some() { change } else { "none" };
    let whole: Option<String> =
        pieces.as_ref().map(|pieces| pieces.iter().map(|p| p.text.as_str()).collect());
    view! {
        <span class="compare-cell" data-change=change title=whole>
            <span class="compare-number">{number(at)}</span>
            <span class="compare-text">{pieces.map(words_of)}</span>
        </span>
    }
}

fn both(left: Markup, right: Markup) -> Markup {
    view! { <div class="compare-both">{left} {right}</div> }
}

fn folded(state: CompareState, section: &DiffSection, fold: FoldedLines, window: VirtualList) -> Markup {
    let field = section.change.field.clone();
    let open = move |_| {
        state.unfolded.update(|all| all.push((field.clone(), fold.new)));
        window.focus();
    };
    plain_button("compare-fold", words::folded(fold.lines)).test("compare-fold").on_click(open).into_markup()
}

fn field_head(
    state: CompareState,
    at: usize,
    section: &DiffSection,
    window: VirtualList,
    read_only: Selector<bool>,
) -> Markup {
    let name = words::field(&section.change.field);
    let count = section.found.count();
    let fate = match (&section.change.old, &section.change.new) {
        (None, Some(_)) => Some(words::MADE),
        (Some(_), None) => Some(words::GONE),
        (Some(_), Some(_)) | (None, None) => None,
    };
    let accept = move |_| {
        state.accept_field(at);
        window.focus();
    };
    let revert = move |_| {
        state.revert_field(at);
        window.focus();
    };
    let reviewed = section.reviewed;
    view! {
        <div class="compare-field" data-testid="compare-field" data-field=name.clone() data-reviewed=reviewed.to_string()>
            <h3>{reveal(&name)}</h3>
            {fate.map(|fate| view! { <span class="tag">{fate}</span> })}
            {reviewed.then(|| view! { <span class="tag" data-kind="reviewed">{words::REVIEWED}</span> })}
            <span class="lines-added">{format!("+{}", count.added)}</span>
            <span class="lines-removed">{format!("−{}", count.removed)}</span>
            <span class="compare-acts">
                {quiet_button(words::ACCEPT_FILE).test("accept-file").title(words::ACCEPT_ABOUT)
                    .disabled(move || read_only.get() || reviewed).on_click(accept)}
                {quiet_button(words::REVERT_FILE).test("revert-file").title(words::REVERT_ABOUT)
                    .disabled(read_only).on_click(revert)}
            </span>
        </div>
    }
}

fn hunk_head(
    state: CompareState,
    sections: &[DiffSection],
    place: HunkIndex,
    name: HunkKey,
    window: VirtualList,
    read_only: Selector<bool>,
) -> Option<Markup> {
    let (section, hunk) = hunk_at(sections, place)?;
    let facts = section.facts.get(place.1)?;
    let local = expect_context::<LocalTime>();
    let first = facts.by.first();
    let who = author(state, first);
    let others = facts.by.len().saturating_sub(1);
    let more = (others > 0).then(|| format!(" +{others}"));
    let turn = first.and_then(|author| Some((turn_of(author)?, author.agent().cloned())));
    let at_time = first.and_then(|author| match author {
        nexus_view::blame::Author::Agent { at, .. } => Some(format!(" {}", local.clock(*at))),
        nexus_view::blame::Author::Operator | nexus_view::blame::Author::Core => None,
    });
    let who = match turn {
        Some((turn, agent)) => {
            let face = AgentBadge::of(agent.as_ref());
            view! {
                <button
                    type="button" class="compare-who" data-testid="hunk-turn"
                    data-accent=move || face.accent() on:click=move |_| state.go_to_turn(turn)
                >
                    <b>{who}</b>{at_time}{more}
                </button>
            }
        }
        None => view! { <span class="compare-who">{who}{more}</span> },
    };
    let reviewed = facts.reviewed;
    let name = StoredValue::new(name);
    let here = select(move || name.with_value(|name| state.is_at(name)));
    let picked = select(move || state.picked.with(|all| name.with_value(|name| all.contains(name))));
    let accept = move |_| {
        state.accept(&name.get_value());
        window.focus();
    };
    let revert = move |_| {
        state.revert(&name.get_value());
        window.focus();
    };
    let show = move |_| {
        state.shown.update(|shown| shown.push(name.get_value()));
        window.focus();
    };
    let may_accept = if reviewed {
        view! {
            <span class="tag" data-kind="reviewed">{words::REVIEWED}</span>
            {quiet_button(words::SHOW).on_click(show)}
        }
    } else {
        quiet_button(words::ACCEPT)
            .test("hunk-accept")
            .title(words::ACCEPT_ABOUT)
            .disabled(read_only)
            .on_click(accept)
            .into_markup()
    };
    Some(view! {
        <div
            class="compare-hunk" data-testid="hunk" data-at=move || here.get().to_string()
            data-reviewed=reviewed.to_string()
        >
            {check((), move || picked.get(), move |_| state.pick(&name.get_value())).test("hunk-pick")
                .with("aria-label", words::PICK).disabled(read_only).title(words::PICK)}
            <span class="compare-lines">{words::lines(hunk.new.start, hunk.new.end)}</span>
            {who}
            <span class="compare-acts">
                {may_accept}
                {quiet_button(words::REVERT).test("hunk-revert").title(words::REVERT_ABOUT)
                    .disabled(read_only).on_click(revert)}
            </span>
        </div>
    })
}
