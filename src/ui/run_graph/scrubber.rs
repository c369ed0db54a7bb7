//! The events of the run as a line to move along. Every moment is folded from the log; nothing is called.

use std::time::Duration;

use crate::ui::hooks::page::ticks;
use crate::ui::kit::prelude::*;
use crate::ui::run_graph::state::RunScreenState;
use nexus_view::local_time::LocalTime;
use nexus_view::run_graph::replay::RunReplay;
use nexus_view::strings::{audit, run_graph as words};

/// A replay goes on this often.
const EVERY: Duration = Duration::from_millis(125);
/// Its steps are so long that it takes at most so many.
const STEPS: usize = 160;

#[component]
pub(super) fn Scrubber(state: RunScreenState) -> impl IntoMarkup {
    let local = expect_context::<LocalTime>();
    let plays = RwSignal::new(false);
    let all = select(move || state.with_replay(RunReplay::len));
    let count = select(move || state.count());
    let ticked = ticks(EVERY, plays.into());
    Effect::new(move |first: Option<()>| {
        ticked.track();
        if first.is_none() || !plays.get_untracked() {
            return;
        }
        let (at, all) = (untrack(move || state.count()), all.get_untracked());
        let next = at.saturating_add(all.div_ceil(STEPS));
        state.go_to(next);
        if next >= all {
            plays.set(false);
        }
    });
    let play = move |_| {
        if !plays.get_untracked() && state.at.with_untracked(Option::is_none) {
            state.go_to(1);
        }
        plays.update(|plays| *plays = !*plays);
    };
    let step = move |to: usize| {
        plays.set(false);
        state.go_to(to);
    };
    let moment = move || {
        let at = count.get();
        let time = state.with_replay(|replay| replay.last_of(at).map(|event| local.clock(event.at)));
        words::moment(at, all.get(), &time.unwrap_or_default())
    };
    let happened = move || {
        let at = count.get();
        state.with_replay(|replay| {
            replay.last_of(at).and_then(|event| event.happening()).map(audit::happened).unwrap_or_default()
        })
    };
    let first = move || count.get() <= state.with_replay(RunReplay::first);
    let last = move || state.is_live();
    view! {
        <div class="run-scrubber" role="group" aria-label=words::MOMENT title=words::REPLAY_ABOUT data-testid="run-scrubber">
            {button(move || if plays.get() { words::PAUSE } else { words::PLAY }).test("run-play")
                .title(words::REPLAY_ABOUT).on_click(play)}
            {icon_button(icon(icon::BACK)).test("run-before").title(words::BEFORE).label(words::BEFORE).disabled(first)
                .on_click(move |_| step(count.get_untracked().saturating_sub(1)))}
            <input
                type="range" class="run-range" data-testid="run-range" aria-label=words::MOMENT step="1"
                min=move || state.with_replay(RunReplay::first).to_string()
                max=move || all.get().max(1).to_string() prop:value=move || count.get().to_string()
                aria-valuetext=moment
                on:input=move |event| if let Ok(to) = event_target_value(&event).parse() { step(to) }
            />
            {icon_button(icon(icon::FORWARD)).test("run-after").title(words::AFTER).label(words::AFTER).disabled(last)
                .on_click(move |_| step(count.get_untracked().saturating_add(1)))}
            {button(words::LIVE).test("run-live").title(words::LIVE_ABOUT).disabled(last)
                .with("aria-pressed", move || state.is_live().to_string())
                .on_click(move |_| step(usize::MAX))}
            <p class="run-moment" data-testid="run-moment"><span>{moment}</span>" "<span>{happened}</span></p>
        </div>
    }
}
