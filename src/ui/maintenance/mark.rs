//! The mark of a compaction in the timeline; it opens to the summary. The turns above it stay visible.

use leptos::prelude::*;

use crate::ui::dispatch::Dispatch;
use crate::ui::view_state::Sessions;
use nexus_model::command::Command;
use nexus_text::invisible::reveal;
use nexus_view::strings;
use nexus_view::strings::maintenance as own;
use nexus_view::timeline::TimelineRow;

#[component]
pub fn CompactionMark(row: Signal<TimelineRow>) -> impl IntoView {
    let (dispatch, sessions) = (expect_context::<Dispatch>(), expect_context::<Sessions>());
    let shown = Memo::new(move |_| {
        row.with(|row| match row {
            TimelineRow::Compaction { turn, made } => Some((turn.clone(), made.clone())),
            TimelineRow::Message { .. }
            | TimelineRow::Tool { .. }
            | TimelineRow::Held { .. }
            | TimelineRow::Ending { .. }
            | TimelineRow::Round(_)
            | TimelineRow::Paused { .. }
            | TimelineRow::Unasked { .. }
            | TimelineRow::Siblings { .. }
            | TimelineRow::Forked { .. }
            | TimelineRow::Ahead { .. }
            | TimelineRow::Unread => None,
        })
    });
    let open = RwSignal::new(false);
    let stop = move |_| dispatch.send(Command::Stop { session: dispatch.session() });
    move || {
        let (turn, made) = shown.get()?;
        let (turn, made) = (turn.0, made.0);
        if turn.phase.is_open() {
            return Some(
                view! { class="n",
                    <div class="compaction" data-testid="compaction" data-state="working" role="status">
                        <p class="compaction-head">
                            <span class="compaction-mark" aria-hidden="true"></span>
                            <span>{own::COMPACTING}</span>
                            <span class="hint">{own::facts(&made)}</span>
                            <button
                                type="button"
                                class="quiet"
                                data-testid="compaction-stop"
                                disabled=move || sessions.read_only().get()
                                on:click=stop
                            >
                                {own::STOP}
                            </button>
                        </p>
                    </div>
                }
                .into_any(),
            );
        }
        let state = if made.summary.is_some() { "done" } else { "failed" };
        let ended = turn.end.filter(|_| made.summary.is_none() && made.failure.is_none());
        let body = match (&made.summary, &made.failure) {
            (Some(summary), _) => view! { class="n",
                <p class="hint">{own::ABOVE}</p>
                <h4 class="label">{own::SUMMARY}</h4>
                <div class="compaction-summary" data-testid="compaction-summary" tabindex="0">{reveal(summary)}</div>
            }
            .into_any(),
            (None, Some(failure)) => view! { class="n",
                <p>{own::NO_SUMMARY}</p>
                <pre class="compaction-own" tabindex="0">{reveal(&failure.message)}</pre>
            }
            .into_any(),
            (None, None) => {
                view! { class="n", <p>{ended.map(|end| strings::ending(end).title)}</p> }.into_any()
            }
        };
        Some(
            view! { class="n",
                <details
                    class="compaction"
                    data-testid="compaction"
                    data-state=state
                    prop:open=move || open.get()
                >
                    <summary on:click=move |ev| {
                        ev.prevent_default();
                        open.update(|open| *open = !*open);
                    }>
                        <span class="compaction-head">
                            <span class="compaction-mark" aria-hidden="true"></span>
                            <span>{own::compacted(&made)}</span>
                            <span class="hint">{own::facts(&made)}</span>
                        </span>
                    </summary>
                    {body}
                </details>
            }
            .into_any(),
        )
    }
}
