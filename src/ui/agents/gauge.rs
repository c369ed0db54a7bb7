//! The context gauge in an agent's card, with details and a button that compacts older turns; the mark of a compaction
//! in the timeline; and the usage of the daily budget for automatic jobs.
//!
//! The gauge updates when the session's head moves, not while the operator types.

use crate::ui::prelude::*;
use nexus_model::context::window::filling;
use nexus_model::job::maintenance::{is_over, job_limits, used_today};
use nexus_model::memory::DAY_MS;
use nexus_model::run::RunLimits;
use nexus_model::turn::compaction::CompactionState;
use nexus_view::strings::{job_budget, maintenance as words};

lazy_view!(board, lazy_window_gauge, WindowGauge { agent: AgentKey });

#[component]
pub fn WindowGauge(agent: AgentKey) -> impl IntoMarkup {
    let &Page { sessions, world, .. } = expect_context();
    let (of_key, of_filling) = (agent.clone(), agent.clone());
    // What the filling depends on; cheap to compare.
    let key = select(move || {
        let session = sessions.focus.get();
        world.with(WorldParts::ALL, |world| {
            let row = world.session(&session)?;
            // Older turns are loaded after the first screen, and when they are scrolled to.
            let loaded = world.ancestry(row.head).count();
            let agent = world.agent(&of_key)?;
            // A compaction that an open turn uses already is finished, and gets a turn of its own after it.
            let made = row.archivist.compacting.and_then(|id| world.compaction(&id));
            let made = made.is_some_and(|made| made.ended_at.is_some());
            Some((row.id, row.head, loaded, (row.archivist.clone(), made), agent.config.clone()))
        })
    });
    let filling_now = select(move || {
        let (session, ..) = key.get()?;
        world
            .with_untracked(|world| Some(filling(world, world.session(&session)?, world.agent(&of_filling)?)))
    });
    let works = key.map(move |key| {
        let is_active = |state: &CompactionState| state.pending.is_some() || state.compacting.is_some();
        key.as_ref().is_some_and(|(.., (state, made), _)| is_active(state) && !made)
    });
    let rejected = key.map_some(move |(.., (state, _), _)| state.start_error.clone());
    let open = RwSignal::new(false);
    let panel = format!("gauge-{agent}");
    let controls = panel.clone();
    let share = move || filling_now.get().map(|filling| format!("{}%", filling.percent().min(100)));
    view! {
        {move || filling_now.get().map(|filling| {
            let controls = controls.clone();
            let (state, word) = words::gauge_state(&filling);
            view! {
                <button
                    type="button" class="quiet gauge" data-testid="gauge" data-state=state
                    data-counted=filling.is_counted.to_string()
                    title=words::gauge_about(&filling) aria-expanded=move || open.get().to_string()
                    aria-controls=controls on:click=move |_| open.update(|open| *open = !*open)
                >
                    <span class="unseen">{words::GAUGE_OPEN}</span>
                    <span class="gauge-name" aria-hidden="true">{words::CONTEXT}</span>
                    <span class="gauge-bar" aria-hidden="true"><i style:inline-size=share></i></span>
                    <span>{words::gauge(&filling)}</span>
                    <span class="gauge-word">{word}</span>
                </button>
            }
        })}
        <div class="gauge-panel" id=panel data-testid="gauge-panel" hidden=move || !open.get()>
            {move || open.get().then(|| {
                let about = filling_now.get().map(|filling| words::gauge_about(&filling));
                let rejected = rejected.get().map(|failure| words::not_compacted(&failure));
                view! {
                    <p data-testid="gauge-about">{about}</p>
                    {rejected.map(|words| view! { <p role="status" data-testid="gauge-error">{words}</p> })}
                    <CompactButton agent=agent.clone() works open />
                }
            })}
        </div>
    }
}

#[component]
fn CompactButton(agent: AgentKey, works: Selector<bool>, open: RwSignal<bool>) -> impl IntoMarkup {
    let &Page { dispatch, sessions: Sessions { read_only, .. }, .. } = expect_context();
    let focus = NodeRef::<Input>::new();
    let send = move |ev: SubmitEvent| {
        ev.prevent_default();
        let focus_text = focus.get_untracked().map(|input| input.value()).unwrap_or_default();
        let (session, agent) = (dispatch.session(), agent.clone());
        let command = Command::Compact { session, agent, focus: focus_text };
        dispatch.send_done(command, move || {
            focus.get_untracked().into_iter().for_each(|input| input.set_value(""));
        });
    };
    let keys = move |ev: KeyboardEvent| {
        if ev.key() == "Escape" {
            open.set(false);
        }
    };
    view! {
        <form class="gauge-form" on:submit=send on:keydown=keys>
            <label class="field">
                <span class="label">{words::FOCUS}</span>
                <input
                    class="input" type="text" data-testid="compact-focus" maxlength="2000" autocomplete="off"
                    placeholder=words::FOCUS_EXAMPLE node_ref=focus
                />
            </label>
            <button
                type="submit" class="button" data-testid="compact" title=words::COMPACT_ABOUT
                disabled=move || works.get() || read_only.get()
            >
                {words::COMPACT}
            </button>
            {move || works.get().then(|| view! { <p class="hint" role="status">{words::WAITS}</p> })}
        </form>
    }
}

fn today() -> Selector<(RunUsage, RunLimits)> {
    let &Page { now, world, .. } = expect_context();
    // Changes once a day, not every second.
    let day = select(move || now.get().0 / DAY_MS);
    select(move || {
        let at = Millis(day.get() * DAY_MS);
        world.with(WorldParts::SESSIONS.and(WorldParts::SETTINGS), |world| {
            (used_today(world, at), job_limits(world))
        })
    })
}

/// One line for places that show usage.
#[component]
pub fn JobBudget() -> impl IntoMarkup {
    let today = today();
    let used = move || today.with(|(used, limits)| job_budget::used(used, limits));
    view! {
        <p class="hint" data-testid="job-budget">{used}</p>
        <JobBudgetSpent />
    }
}

/// Shown when today's budget is spent and no job starts by itself any more.
#[component]
pub fn JobBudgetSpent() -> impl IntoMarkup {
    let today = today();
    let notice = today.map(move |(used, limits)| is_over(limits, used).then(|| job_budget::spent(limits)));
    move || {
        notice.get().map(|notice| {
            view! {
                <p class="hint" role="status" data-testid="job-budget-used">
                    <b>{notice.title}</b>" "{notice.advice}
                </p>
            }
        })
    }
}

lazy_view!(board, lazy_compaction_mark, CompactionMark { row: Selector<TimelineRow> });

#[component]
pub fn CompactionMark(row: Selector<TimelineRow>) -> impl IntoMarkup {
    let &Page { dispatch, sessions, .. } = expect_context();
    let open = RwSignal::new(false);
    let stop = move |_| dispatch.send_to_end(Command::Stop { session: dispatch.session() });
    move || {
        let TimelineRow::Compaction { turn: PtrEq(turn), made: PtrEq(made) } = row.get() else { return None };
        if turn.phase.is_open() {
            return Some(view! {
                <div class="compaction" data-testid="compaction" data-state="working" role="status">
                    <p class="compaction-head">
                        <span class="compaction-mark" aria-hidden="true"></span>
                        <span>{words::COMPACTING}</span>
                        <span class="hint">{words::facts(&made)}</span>
                        {quiet_button(common::STOP).test("compaction-stop")
                            .disabled(move || sessions.read_only.get()).on_click(stop)}
                    </p>
                </div>
            });
        }
        let state = if made.summary.is_some() { "done" } else { "failed" };
        let ended = turn.end.filter(|_| made.summary.is_none() && made.failure.is_none());
        let body = match (&made.summary, &made.failure) {
            (Some(summary), _) => view! {
                <p class="hint">{words::ABOVE}</p>
                <h4 class="label">{words::SUMMARY}</h4>
                <div class="compaction-summary" data-testid="compaction-summary" tabindex="0">{reveal(summary)}</div>
            },
            (None, Some(failure)) => view! {
                <p>{words::NO_SUMMARY}</p>
                <pre class="compaction-own" tabindex="0">{reveal(&language::translate_template(&failure.message))}</pre>
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
                        <span>{words::compacted(&made)}</span>
                        <span class="hint">{words::facts(&made)}</span>
                    </span>
                </summary>
                {body}
            </details>
        })
    }
}
