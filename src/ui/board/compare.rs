//! The board's COMPARE view: changes of all fields against a base, hunk by hunk, to accept, revert or send back.

pub mod list;
pub mod state;

use crate::ui::board::compare::list::CompareList;
use crate::ui::board::compare::state::CompareState;
use crate::ui::hooks::virtual_list::use_window;
use crate::ui::prelude::*;
use crate::ui::workspace::panes::BoardTabState;
use nexus_model::mind::review::BaseOption;
pub use nexus_view::strings::board::compare as words;
use nexus_view::strings::listed;

lazy_view!(board, lazy_compare, ComparePanel);

/// Minimum width for old and new side by side, in rem.
const WIDE: f64 = 44.0;

#[component]
pub fn ComparePanel() -> impl IntoMarkup {
    let state = CompareState::open(expect_context::<BoardTabState>().base.into());
    state.read_what_is_needed();
    let window = use_window();
    let wants_sides = RwSignal::new(true);
    let has_room = select(move || window.size().0 >= WIDE);
    let side_by_side = select(move || has_room.get() && wants_sides.get());
    let is_there = select(move || state.comparison.with(Option::is_some));
    view! {
        <section class="compare" data-testid="compare" aria-label=common::CHANGES>
            <Show
                when=move || is_there.get()
                fallback=|| view! { <p class="compare-none">{words::NOTHING_YET}</p> }
            >
                <CompareBar state has_room wants_sides />
                <CompareList state window side_by_side />
                <SendBack state />
            </Show>
        </section>
    }
}

#[component]
pub fn CompareBar(
    state: CompareState,
    has_room: Selector<bool>,
    wants_sides: RwSignal<bool>,
) -> impl IntoMarkup {
    let local = expect_context::<LocalTime>();
    let read_only = expect_context::<Sessions>().read_only;
    let chosen = move || state.comparison.with(|look| look.as_ref().map(|look| look.offer.base.key()));
    let option = move |offer: BaseOption| {
        let turn = offer.turn.map(|turn| (state.name(&turn.agent), local.clock(turn.at)));
        let (key, text) = (offer.base.key(), words::base(&offer.base, turn));
        let is_chosen = chosen() == Some(key.clone());
        view! { <option value=key selected=is_chosen>{text}</option> }
    };
    let figures = move || {
        state.comparison.with(|look| {
            let look = look.as_ref()?;
            let hunks = look.sections.iter().map(|section| section.facts.len()).sum();
            let left =
                look.sections.iter().flat_map(|section| &section.facts).filter(|facts| !facts.reviewed);
            Some(words::figures(look.sections.len(), hunks, left.count()))
        })
    };
    let nothing_left = move || {
        state
            .comparison
            .with(|look| look.as_ref().is_none_or(|look| look.sections.iter().all(|one| one.reviewed)))
    };
    view! {
        <div class="compare-bar">
            <label class="compare-base">
                <span>{words::AGAINST}</span>
                {select_box(move || state.offers.get().into_iter().map(option), move |base| state.choose(&base))
                    .test("compare-base").property("value", chosen)}
            </label>
            <Show when=move || state.earlier.with(Option::is_some)>
                {quiet_button(common::LOAD_EARLIER_TURNS).test("compare-earlier").disabled(move || state.is_reading())
                    .on_click(move |_| state.read_earlier())}
            </Show>
            <Show when=move || has_room.get()>
                {check(words::SIDE_BY_SIDE, wants_sides, move |on| wants_sides.set(on)).test("compare-sides")}
            </Show>
            <span class="compare-figures" data-testid="compare-figures">{figures}</span>
            {button(words::ACCEPT_ALL).test("accept-all").title(words::ACCEPT_ABOUT)
                .disabled(move || read_only.get() || nothing_left()).on_click(move |_| state.accept_all())}
        </div>
    }
}

/// The form for sending picked hunks back; shown while some are picked.
#[component]
pub fn SendBack(state: CompareState) -> impl IntoMarkup {
    let read_only = expect_context::<Sessions>().read_only;
    let remark = RwSignal::new(String::new());
    let by = select(move || state.by_agent());
    let is_any_picked = select(move || state.picked.with(|picked| !picked.is_empty()));
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
    let send = move |_| state.send_back(&remark.get_untracked(), move || remark.set(String::new()));
    view! {
        <Show when=move || is_any_picked.get()>
            <div class="compare-send" data-testid="send-back-form">
                <p class="compare-whom">{recipients} " " {rest}</p>
                <textarea
                    class="area" data-testid="send-back-remark" rows="2" aria-label=words::REMARK
                    placeholder=words::REMARK_HINT prop:value=remark
                    on:input=move |ev| remark.set(event_target_value(&ev))
                ></textarea>
                <span class="compare-actions">
                    {quiet_button(common::CANCEL).on_click(move |_| state.picked.set(Vec::new()))}
                    {button(words::SEND_BACK).first().test("send-back")
                        .disabled(move || read_only.get() || !may_send()).on_click(send)}
                </span>
            </div>
        </Show>
    }
}
