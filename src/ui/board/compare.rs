//! The board's COMPARE view: changes of all fields against a base, hunk by hunk, to accept, revert or send back.
//!
//! Its list is virtual: only the rows in view are rendered.

pub mod state;

use crate::ui::board::compare::state::{CompareState, hunk_at};
use crate::ui::board::comparison::{change_tag, counts, file_list, folded, line};
use crate::ui::hooks::virtual_list::{VirtualList, use_window};
use crate::ui::prelude::*;
use nexus_model::mind::review::BaseOption;
use nexus_view::blame::Author;
use nexus_view::review_rows::{DiffLayout, DiffRow, DiffSection, HunkIndex, HunkKey, name_of, places, rows};
use nexus_view::strings::board::compare as words;
use nexus_view::strings::listed;

lazy_view!(board, lazy_compare, ComparePanel);

/// Minimum width for old and new side by side, in rem.
const WIDE: f64 = 44.0;

#[component]
pub fn ComparePanel() -> impl IntoMarkup {
    let (&Page { sessions, .. }, room) = (expect_context(), expect_context::<Workspace>());
    // A base that was chosen in another session is none of this one.
    let base = move || {
        let (of, base) = room.tabs.base.get()?;
        (of == sessions.focus.get()).then_some(base)
    };
    let state = CompareState::open(select(base));
    state.read_what_is_needed();
    let window = use_window();
    let wants_sides = RwSignal::new(true);
    let has_room = select(move || window.size().0 >= WIDE);
    let side_by_side = select(move || has_room.get() && wants_sides.get());
    let is_there = state.comparison.map(Option::is_some);
    view! {
        <section class="compare" data-testid="compare" aria-label=common::CHANGES>
            <Show
                when=move || is_there.get()
                fallback=|| view! { <p class="compare-none">{words::NOTHING_YET}</p> }
            >
                <CompareBar state window has_room wants_sides />
                <CompareList state window side_by_side />
                <SendBack state />
            </Show>
        </section>
    }
}

#[component]
pub fn CompareBar(
    state: CompareState,
    window: VirtualList,
    has_room: Selector<bool>,
    wants_sides: RwSignal<bool>,
) -> impl IntoMarkup {
    let &Page { local, sessions: Sessions { read_only, .. }, .. } = expect_context();
    let chosen = move || state.comparison.with_some(|look| Some(look.offer.base.key()));
    let offered = move |offer: BaseOption| {
        let turn = offer.turn.map(|(agent, at)| (state.name(&agent), local.clock(at)));
        let (key, text) = (offer.base.key(), words::base(&offer.base, turn));
        let is_chosen = chosen() == Some(key.clone());
        option(key, text, is_chosen)
    };
    let figures = move || {
        state.comparison.with_some(|look| {
            let hunks = look.sections.iter().map(|section| section.facts.len()).sum();
            let left =
                look.sections.iter().flat_map(|section| &section.facts).filter(|facts| !facts.reviewed);
            let is_file = |section: &&DiffSection| matches!(section.change.field, MindField::File(_));
            let files = look.sections.iter().filter(is_file).count();
            Some(words::figures(files, look.sections.len().saturating_sub(files), hunks, left.count()))
        })
    };
    let nothing_left = move || {
        state
            .comparison
            .with(|look| look.as_ref().is_none_or(|look| look.sections.iter().all(|one| one.reviewed)))
    };
    let accept_all = move |_| {
        state.accept_all();
        window.focus();
    };
    view! {
        <div class="compare-bar">
            {labelled("compare-base", words::AGAINST,
                select_box(move || state.offers.get().into_iter().map(offered), move |base| state.choose(&base))
                    .test("compare-base").property("value", chosen))}
            <Show when=move || state.earlier.with(Option::is_some)>
                {quiet_button(common::LOAD_EARLIER_TURNS).test("compare-earlier").disabled(move || state.is_reading())
                    .on_click(move |_| state.read_earlier())}
            </Show>
            <Show when=move || has_room.get()>
                {check(words::SIDE_BY_SIDE, wants_sides, move |on| wants_sides.set(on)).test("compare-sides")}
            </Show>
            <span class="compare-figures" data-testid="compare-figures">{figures}</span>
            {button(words::ACCEPT_ALL).test("accept-all").title(words::ACCEPT_ABOUT)
                .disabled(move || read_only.get() || nothing_left()).on_click(accept_all)}
        </div>
    }
}

/// The form for sending picked hunks back; shown while some are picked.
#[component]
pub fn SendBack(state: CompareState) -> impl IntoMarkup {
    let read_only = expect_context::<&Page>().sessions.read_only;
    let remark = state.to_send.map(|draft| draft.remark.clone());
    let by = select(move || state.by_agent());
    let is_any_picked = state.to_send.map(|draft| !draft.picked.is_empty());
    let recipients = move || {
        by.with(|(by, _)| {
            let names: Vec<_> = by.iter().map(|(agent, _)| state.name(agent)).collect();
            let number = by.iter().map(|(_, hunks)| hunks.len()).sum();
            (number > 0).then(|| words::picked(number, &listed(&names)))
        })
    };
    let rest = move || by.with(|(_, rest)| (*rest > 0).then(|| words::not_sendable(*rest)));
    let may_send =
        move || by.with(|(by, _)| !by.is_empty()) && remark.with(|remark| !remark.trim().is_empty());
    view! {
        <Show when=move || is_any_picked.get()>
            <div class="compare-send" data-testid="send-back-form">
                <p class="compare-whom">{recipients} " " {rest}</p>
                <textarea
                    class="area" data-testid="send-back-remark" rows="2" aria-label=words::REMARK
                    placeholder=words::REMARK_HINT prop:value=remark
                    on:input=move |ev| state.change_to_send(|draft| draft.remark = event_target_value(&ev))
                ></textarea>
                <span class="compare-actions">
                    {quiet_button(common::CANCEL).on_click(move |_| state.change_to_send(|draft| draft.picked.clear()))}
                    {button(words::SEND_BACK).first().test("send-back")
                        .disabled(move || read_only.get() || !may_send()).on_click(move |_| state.send_back())}
                </span>
            </div>
        </Show>
    }
}

/// Rows rendered above and below the viewport.
const OVERSCAN: usize = 12;

/// The rows with their offsets, in rem.
struct RowPositions {
    rows: Vec<DiffRow>,
    tops: Vec<f64>,
    sides: bool,
    /// Incremented by each layout: rows of another layout are other rows.
    number: u64,
}

impl PartialEq for RowPositions {
    fn eq(&self, other: &Self) -> bool {
        self.number == other.number
    }
}

/// Row height in rem, as in the stylesheet.
fn height(row: &DiffRow) -> f64 {
    match row {
        DiffRow::Field(_) => 2.5,
        DiffRow::Hunk(_) => 2.0,
        DiffRow::Fold(_) | DiffRow::Empty(_) => 1.5,
        DiffRow::Same { .. } | DiffRow::Old { .. } | DiffRow::New { .. } | DiffRow::Both { .. } => 1.25,
    }
}

#[component]
pub fn CompareList(
    state: CompareState,
    window: VirtualList,
    side_by_side: Selector<bool>,
) -> impl IntoMarkup {
    let &Page { drafts, sessions: Sessions { focus, read_only, .. }, .. } = expect_context();
    let laid = select_from(move |before: Option<&RowPositions>| {
        let (unfolded, shown) = (state.unfolded.get(), state.shown.get());
        let sides = side_by_side.get();
        let layout = DiffLayout { side_by_side: sides, unfolded: &unfolded, shown: &shown };
        let rows = state.comparison.with_some(|look| Some(rows(&look.sections, &layout)));
        let rows = rows.unwrap_or_default();
        let mut top = 0.0;
        let mut tops: Vec<f64> = Vec::with_capacity(rows.len() + 1);
        tops.push(top);
        for row in &rows {
            top += height(row);
            tops.push(top);
        }
        let number = before.map_or(0, |before| before.number + 1);
        RowPositions { rows, tops, sides, number }
    });
    let visible = laid.map(move |laid| {
        let (top, (_, height)) = (window.top(), window.size());
        let first = laid.tops.partition_point(|at| *at <= top).saturating_sub(1 + OVERSCAN);
        let last = (laid.tops.partition_point(|at| *at < top + height) + OVERSCAN).min(laid.rows.len());
        (first.min(last), last)
    });
    let items = move || {
        let (first, last) = visible.get();
        laid.with(|laid| {
            let rows = laid.rows.get(first..last).unwrap_or_default();
            rows.iter()
                .enumerate()
                .map(|(place, row)| (laid.number, first + place, *row, laid.sides))
                .collect()
        })
    };
    let before = move || {
        let (first, _) = visible.get();
        laid.with(|laid| format!("{:.3}rem", laid.tops.get(first).copied().unwrap_or(0.0)))
    };
    // Headings are as wide as the viewport without its scrollbar.
    let width = move || format!("{:.3}rem", window.size().0);
    let whole = move || laid.with(|laid| format!("{:.3}rem", laid.tops.last().copied().unwrap_or(0.0)));
    let scroll_to = move |row: DiffRow| {
        let top = laid.with_untracked(|laid| {
            let at = laid.rows.iter().position(|it| *it == row)?;
            laid.tops.get(at).copied()
        });
        if let Some(top) = top {
            window.scroll_to(top);
        }
    };
    // Scrolls to the current hunk when it changes, and only then.
    Effect::new(move |before: Option<Option<HunkKey>>| {
        let at = state.at.get();
        if before.as_ref() != Some(&at)
            && let Some(place) = untrack(|| state.place())
        {
            scroll_to(DiffRow::Hunk(place));
        }
        at
    });
    let keys = move |ev: KeyboardEvent| {
        let may = !read_only.get_untracked();
        if ev.ctrl_key() || ev.alt_key() || ev.meta_key() {
            let undoes = ev.key().eq_ignore_ascii_case("z") && !ev.shift_key() && !ev.alt_key() && may;
            if undoes && state.undo() {
                ev.prevent_default();
            }
            return;
        }
        let at = state.at.get_untracked();
        let handled = match (ev.key().as_str(), at) {
            ("j", _) => state.step(false).is_some(),
            ("k", _) => state.step(true).is_some(),
            ("a", Some(at)) if may => {
                state.accept(&at);
                true
            }
            ("r", Some(at)) if may => {
                state.revert(&at);
                true
            }
            // With Shift, the whole file.
            ("A", Some(_)) if may => state.section_at().map(|section| state.accept_field(section)).is_some(),
            ("R", Some(_)) if may => state.section_at().map(|section| state.revert_field(section)).is_some(),
            ("x", Some(at)) if may => {
                state.pick(&at);
                true
            }
            ("t", Some(_)) => to_turn(state),
            _ => false,
        };
        if handled {
            ev.prevent_default();
        }
    };
    let is_empty = move || laid.with(|laid| laid.rows.is_empty());
    let announcement = move || {
        let look = state.comparison.get()?;
        let place = state.place()?;
        let all = places(&look.sections);
        let (section, hunk) = hunk_at(&look.sections, place)?;
        let by = section.facts.get(place.1).and_then(|facts| facts.by.first().cloned());
        let number = all.iter().position(|other| *other == place)? + 1;
        let lines = words::lines(hunk.new.start, hunk.new.end);
        let by = author(state, by.as_ref());
        Some(words::announced(number, all.len(), &words::field(&section.change.field), &lines, &by))
    };
    let files = move || {
        let go_to = move |section| scroll_to(DiffRow::Field(section));
        state.comparison.with(|look| file_list(&look.as_ref()?.sections, go_to))
    };
    view! {
        {files}
        <div
            class="compare-list" data-testid="compare-list" data-sides=move || side_by_side.get().to_string()
            tabindex="0" role="group" aria-label=common::CHANGES aria-keyshortcuts="j k a r Shift+A Shift+R x t Control+Z"
            style:--compare-seen=width node_ref=window.list on:scroll=move |_| window.scrolled()
            on:keydown=keys
        >
            <span class="compare-measure" aria-hidden="true" node_ref=window.measure></span>
            <Show when=is_empty>
                <p class="compare-none">
                    {move || if drafts.has_edit(focus.get()) {
                        words::UNSAVED
                    } else if state.comparison.with_some(|look| look.offer.base == ComparisonBase::Review) {
                        words::ALL_REVIEWED
                    } else {
                        words::NO_CHANGES
                    }}
                </p>
            </Show>
            <div class="compare-whole" style:height=whole>
                <div class="compare-window" style:top=before>
                    {keyed_list(items, |item| *item,
                        move |(_, _, row, sides)| view! { <DiffRowView state row sides window /> })}
                </div>
            </div>
        </div>
        <p class="compare-keys">{words::KEYS}</p>
        <div class="unseen" role="status" aria-live="polite">{announcement}</div>
    }
}

fn to_turn(state: CompareState) -> bool {
    let (Some(look), Some((section, hunk))) = (state.comparison.get_untracked(), untrack(|| state.place()))
    else {
        return false;
    };
    let facts = look.sections.get(section).and_then(|section| section.facts.get(hunk));
    let turn = facts.and_then(|facts| facts.by.iter().find_map(turn_of));
    if let Some(turn) = turn {
        state.go_to_turn(turn);
    }
    turn.is_some()
}

#[component]
pub fn DiffRowView(state: CompareState, row: DiffRow, sides: bool, window: VirtualList) -> impl IntoMarkup {
    let look = state.comparison.get_untracked()?;
    let sections = &look.sections;
    Some(match row {
        DiffRow::Field(at) => {
            let section = sections.get(at)?;
            field_head(state, at, section, window)
        }
        DiffRow::Hunk(place) => {
            let name = name_of(sections, place)?;
            hunk_head(state, sections, place, name, window)?
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

fn field_head(state: CompareState, at: usize, section: &DiffSection, window: VirtualList) -> Markup {
    let read_only = expect_context::<&Page>().sessions.read_only;
    let name = words::field(&section.change.field);
    let act = move |act: fn(CompareState, usize)| {
        move |_| {
            act(state, at);
            window.focus();
        }
    };
    let reviewed = section.reviewed;
    view! {
        <div class="compare-field" data-testid="compare-field" data-field=name.clone() data-reviewed=reviewed.to_string()>
            <h3>{reveal(&name)}</h3>
            {change_tag(&section.change).map(|tag| view! { <span class="tag">{tag}</span> })}
            {reviewed.then(|| view! { <span class="tag" data-kind="reviewed">{words::REVIEWED}</span> })}
            {counts(section.found.count())}
            <span class="compare-actions">
                {quiet_button(words::accept_field(&section.change.field)).test("accept-file").title(words::ACCEPT_ABOUT)
                    .disabled(move || read_only.get() || reviewed).on_click(act(CompareState::accept_field))}
                {quiet_button(words::revert_field(&section.change.field)).test("revert-file").title(words::REVERT_ABOUT)
                    .disabled(read_only).on_click(act(CompareState::revert_field))}
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
) -> Option<Markup> {
    let (section, hunk) = hunk_at(sections, place)?;
    let facts = section.facts.get(place.1)?;
    let &Page { local, sessions: Sessions { read_only, .. }, .. } = expect_context();
    let first = facts.by.first();
    let who = author(state, first);
    let others = facts.by.len().saturating_sub(1);
    let more = (others > 0).then(|| format!(" +{others}"));
    let turn = first.and_then(|author| Some((turn_of(author)?, author.agent().cloned())));
    let at_time = first.and_then(|author| match author {
        Author::Agent { at, .. } => Some(format!(" {}", local.clock(*at))),
        Author::Operator | Author::Core | Author::Merge(_) => None,
    });
    let who = match turn {
        Some((turn, agent)) => {
            let badge = AgentBadge::of(agent.as_ref());
            view! {
                <button
                    type="button" class="compare-who" data-testid="hunk-turn"
                    data-accent=move || badge.accent() on:click=move |_| state.go_to_turn(turn)
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
    let picked = state.to_send.map(move |draft| name.with_value(|name| draft.picked.contains(name)));
    let act = move |act: fn(CompareState, &HunkKey)| {
        move |_| {
            act(state, &name.get_value());
            window.focus();
        }
    };
    let show = act(|state, name| state.shown.update(|shown| shown.push(name.clone())));
    let may_accept = if reviewed {
        view! {
            <span class="tag" data-kind="reviewed">{words::REVIEWED}</span>
            {quiet_button(common::SHOW).on_click(show)}
        }
    } else {
        quiet_button(words::ACCEPT)
            .test("hunk-accept")
            .title(words::ACCEPT_ABOUT)
            .disabled(read_only)
            .on_click(act(CompareState::accept))
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
            <span class="compare-actions">
                {may_accept}
                {quiet_button(words::REVERT).test("hunk-revert").title(words::REVERT_ABOUT)
                    .disabled(read_only).on_click(act(CompareState::revert))}
            </span>
        </div>
    })
}

fn turn_of(author: &Author) -> Option<TurnId> {
    match author {
        Author::Agent { turn, .. } | Author::Merge(turn) => Some(*turn),
        Author::Operator | Author::Core => None,
    }
}

fn author(state: CompareState, author: Option<&Author>) -> String {
    match author {
        Some(Author::Agent { agent, .. }) => state.name(agent),
        Some(Author::Operator) => words::YOU.to_owned(),
        Some(Author::Core) => words::CORE.to_owned(),
        Some(Author::Merge(_)) => words::MERGE.to_owned(),
        None if state.earlier.with(Option::is_some) => words::SOMEBODY.to_owned(),
        None => words::NOBODY.to_owned(),
    }
}
