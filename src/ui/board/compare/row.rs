//! Rows of the review: headings with buttons, between the lines of a comparison.

use crate::ui::agents::badge::AgentBadge;
use crate::ui::board::compare::state::{CompareState, hunk_at};
use crate::ui::board::comparison::{counts, fate, folded, line};
use crate::ui::hooks::virtual_list::VirtualList;
use crate::ui::kit::prelude::*;
use nexus_text::invisible::reveal;
use nexus_view::blame::Author;
use nexus_view::local_time::LocalTime;
use nexus_view::review_rows::{DiffRow, DiffSection, HunkIndex, HunkKey, name_of};
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
        DiffRow::Hunk(place) => {
            let name = name_of(sections, place)?;
            hunk_head(state, sections, place, name, window, read_only)?
        }
        DiffRow::Fold(fold) => {
            let field = sections.get(fold.section)?.change.field.clone();
            folded(fold, move || {
                state.unfolded.update(|all| all.push((field.clone(), fold.new)));
                window.focus();
            })
        }
        DiffRow::Empty(_)
        | DiffRow::Same { .. }
        | DiffRow::Old { .. }
        | DiffRow::New { .. }
        | DiffRow::Both { .. } => line(sections, row, sides, (0, 0))?,
    })
}

fn field_head(
    state: CompareState,
    at: usize,
    section: &DiffSection,
    window: VirtualList,
    read_only: Selector<bool>,
) -> Markup {
    let name = words::field(&section.change.field);
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
            {fate(&section.change).map(|fate| view! { <span class="tag">{fate}</span> })}
            {reviewed.then(|| view! { <span class="tag" data-kind="reviewed">{words::REVIEWED}</span> })}
            {counts(section.found.count())}
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
        Author::Agent { at, .. } => Some(format!(" {}", local.clock(*at))),
        Author::Operator | Author::Core => None,
    });
    let who = match turn {
        Some((turn, agent)) => {
            let face = AgentBadge::of(agent.as_ref());
            view! {
                <button
                    type="button" class="compare-who" data-testid="hunk-turn"
                    data-accent=move || face.accent() on:click=move |_| state.go_to_turn(turn)
                >
                    <b>{who}</b><span class="compare-time">{at_time}</span>{more}
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

/// The turn of an agent's change.
pub(super) fn turn_of(author: &Author) -> Option<nexus_model::id::TurnId> {
    match author {
        Author::Agent { turn, .. } => Some(*turn),
        Author::Operator | Author::Core => None,
    }
}

/// Who made a change, in words.
pub(super) fn author(state: CompareState, author: Option<&Author>) -> String {
    match author {
        Some(Author::Agent { agent, .. }) => state.name(agent),
        Some(Author::Operator) => words::YOU.to_owned(),
        Some(Author::Core) => words::CORE.to_owned(),
        None if state.earlier.with(Option::is_some) => words::SOMEBODY.to_owned(),
        None => words::NOBODY.to_owned(),
    }
}
