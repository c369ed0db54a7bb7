//! The toolbar of COMPARE: base, layout, totals and accept all.

use crate::ui::board::compare::state::CompareState;
use crate::ui::kit::prelude::*;
use crate::ui::view_state::Sessions;
use nexus_model::mind::review::BaseOption;
use nexus_view::local_time::LocalTime;
pub use nexus_view::strings::board::compare as words;

/// The head.
#[component]
pub fn CompareBar(
    state: CompareState,
    /// Whether old and new have room next to each other.
    has_room: Selector<bool>,
    wants_sides: RwSignal<bool>,
) -> impl IntoMarkup {
    let local = expect_context::<LocalTime>();
    let read_only = expect_context::<Sessions>().read_only();
    let chosen = move || state.look.with(|look| look.as_ref().map(|look| look.offer.base.key()));
    let option = move |offer: BaseOption| {
        let turn = offer.turn.map(|turn| (state.name(&turn.agent), local.clock(turn.at)));
        let (key, text) = (offer.base.key(), words::base(&offer.base, turn));
        let is_chosen = chosen() == Some(key.clone());
        view! { <option value=key selected=is_chosen>{text}</option> }
    };
    let figures = move || {
        state.look.with(|look| {
            let look = look.as_ref()?;
            let hunks = look.sections.iter().map(|section| section.facts.len()).sum();
            let left =
                look.sections.iter().flat_map(|section| &section.facts).filter(|facts| !facts.reviewed);
            Some(words::figures(look.sections.len(), hunks, left.count()))
        })
    };
    let nothing_left = move || {
        state.look.with(|look| look.as_ref().is_none_or(|look| look.sections.iter().all(|one| one.reviewed)))
    };
    view! {
        <div class="compare-bar">
            <label class="compare-base">
                <span>{words::AGAINST}</span>
                {select_box(move || state.offers.get().into_iter().map(option), move |base| state.choose(&base))
                    .test("compare-base").property("value", chosen)}
            </label>
            <Show when=move || state.earlier.with(Option::is_some)>
                {quiet_button(words::EARLIER).test("compare-earlier").disabled(move || state.is_reading())
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
