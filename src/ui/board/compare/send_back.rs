//! The form that sends selected changes back to the agents that made them, with a remark.

use crate::ui::board::compare::state::CompareState;
use crate::ui::kit::prelude::*;
use crate::ui::view_state::Sessions;
pub use nexus_view::strings::board::compare as words;
use nexus_view::strings::listed;

/// The form; there while something is picked.
#[component]
pub fn SendBack(state: CompareState) -> impl IntoMarkup {
    let read_only = expect_context::<Sessions>().read_only();
    let remark = RwSignal::new(String::new());
    let by = select(move || state.by_agent());
    let any = select(move || state.picked.with(|picked| !picked.is_empty()));
    let whom = move || {
        by.with(|(by, _)| {
            let told: Vec<_> = by.iter().map(|(agent, _)| state.name(agent)).collect();
            let number = by.iter().map(|(_, hunks)| hunks.len()).sum();
            (number > 0).then(|| words::picked(number, &listed(&told)))
        })
    };
    let rest = move || by.with(|(_, rest)| (*rest > 0).then(|| words::not_sendable(*rest)));
    let may_send =
        move || by.with(|(by, _)| !by.is_empty()) && remark.with(|remark| !remark.trim().is_empty());
    let send = move |_| state.send_back(&remark.get_untracked(), move || remark.set(String::new()));
    view! {
        <Show when=move || any.get()>
            <div class="compare-send" data-testid="send-back-form">
                <p class="compare-whom">{whom} " " {rest}</p>
                <textarea
                    class="area" data-testid="send-back-remark" rows="2" aria-label=words::REMARK
                    placeholder=words::REMARK_HINT prop:value=remark
                    on:input=move |ev| remark.set(event_target_value(&ev))
                ></textarea>
                <span class="compare-acts">
                    {quiet_button(words::FORGET_PICKS).on_click(move |_| state.picked.set(Vec::new()))}
                    {button(words::SEND_BACK).first().test("send-back")
                        .disabled(move || read_only.get() || !may_send()).on_click(send)}
                </span>
            </div>
        </Show>
    }
}
