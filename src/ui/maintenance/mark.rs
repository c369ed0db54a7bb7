//! The mark of a compaction in the timeline; it opens to the summary. The turns above it stay visible.

use crate::ui::dispatch::Dispatch;
use crate::ui::kit::prelude::*;
use crate::ui::view_state::Sessions;
use nexus_model::command::Command;
use nexus_text::invisible::reveal;
use nexus_view::language;
use nexus_view::strings;
use nexus_view::strings::maintenance as own;
use nexus_view::timeline::TimelineRow;

lazy_view!(board, lazy_compaction_mark, CompactionMark { row: Selector<TimelineRow> });

#[component]
pub fn CompactionMark(row: Selector<TimelineRow>) -> impl IntoMarkup {
    let (dispatch, sessions) = (expect_context::<Dispatch>(), expect_context::<Sessions>());
    let shown = select(move || {
        row.with(|row| {
            let TimelineRow::Compaction { turn, made } = row else { return None };
            Some((turn.clone(), made.clone()))
        })
    });
    let open = RwSignal::new(false);
    let stop = move |_| dispatch.send(Command::Stop { session: dispatch.session() });
    move || {
        let (turn, made) = shown.get()?;
        let (turn, made) = (turn.0, made.0);
        if turn.phase.is_open() {
            return Some(view! {
                <div class="compaction" data-testid="compaction" data-state="working" role="status">
                    <p class="compaction-head">
                        <span class="compaction-mark" aria-hidden="true"></span>
                        <span>{own::COMPACTING}</span>
                        <span class="hint">{own::facts(&made)}</span>
                        {quiet_button(own::STOP).test("compaction-stop")
                            .disabled(move || sessions.read_only().get()).on_click(stop)}
                    </p>
                </div>
            });
        }
        let state = if made.summary.is_some() { "done" } else { "failed" };
        let ended = turn.end.filter(|_| made.summary.is_none() && made.failure.is_none());
        let body = match (&made.summary, &made.failure) {
            (Some(summary), _) => view! {
                <p class="hint">{own::ABOVE}</p>
                <h4 class="label">{own::SUMMARY}</h4>
                <div class="compaction-summary" data-testid="compaction-summary" tabindex="0">{reveal(summary)}</div>
            },
            (None, Some(failure)) => view! {
                <p>{own::NO_SUMMARY}</p>
                <pre class="compaction-own" tabindex="0">{reveal(&language::told(&failure.message))}</pre>
            },
            (None, None) => {
                view! { <p>{ended.map(|end| strings::ending(end).title)}</p> }
            }
        };
        Some(view! {
            <details class="compaction" data-testid="compaction" data-state=state prop:open=open>
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
        })
    }
}
