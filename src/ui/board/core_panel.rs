//! The Core on the board: status, sync button, last change with its reason, and undo. Loaded lazily.

use crate::ui::agents::gauge::JobBudgetSpent;
use crate::ui::board::comparison::changed_fields;
use crate::ui::prelude::*;
use crate::ui::view_state::CoreRow;
use nexus_model::job::{FailedJob, JobEnd, JobKind};
use nexus_model::mind::changes_between;
use nexus_model::mind::core_sync::{CoreProposal, SyncRecord};
use nexus_view::strings::board::core_sync as core_words;

lazy_view!(board, lazy_core_panel, CorePanel);

#[component]
pub fn CorePanel() -> impl IntoMarkup {
    let &Page { core, dispatch, now, sessions: Sessions { read_only, .. }, .. } = expect_context();
    let row = core.row;
    let works = row.map(CoreRow::works);
    let state = row.map(state_name);
    let status = row.map(move |row| core_words::core_state(&row.state, &row.jobs, row.due.is_some()));
    let time = move || row.with(|row| core_words::core_time(&row.state, &row.jobs, row.due, now.get()));
    let failed = row.map(move |row| row.jobs.failed(JobKind::Sync).cloned());
    let is_new =
        move |failed: &FailedJob| core.dismissed.with(|dismissed| dismissed.as_ref() != Some(failed));
    let failed = move || failed.get().filter(|failed| failed.end == JobEnd::Failed && is_new(failed));
    let spent = move || row.with(|row| core_words::core_spent(&row.state.spent));
    let sync = move |_| dispatch.send(Command::Sync { session: dispatch.session() });
    let stop = move |_| dispatch.send(Command::StopSync { session: dispatch.session() });
    view! {
        <section class="core" data-testid="core" data-state=state aria-label=common::CORE>
            <div class="core-head">
                <span class="core-mark" aria-hidden="true"></span>
                <span class="label" title=core_words::CORE_ABOUT>{common::CORE}</span>
                <span class="core-status" data-testid="core-status" role="status" title=spent>{status}</span>
                <span class="core-time" data-testid="core-time">{time}</span>
                <Show when=move || works.get()>
                    {quiet_button(common::STOP).test("core-stop").disabled(read_only).on_click(stop)}
                </Show>
                {plain_button("button core-sync", common::EXECUTE_SYNC).test("core-sync")
                    .title(core_words::CORE_ABOUT).disabled(move || works.get() || read_only.get())
                    .on_click(sync)}
            </div>
            <JobBudgetSpent />
            {move || failed().map(|failed| view! { <SyncFailure failed /> })}
            <Proposal row />
            <LastSync row />
            <p class="unseen" data-testid="core-usage">{spent}</p>
        </section>
    }
}

fn state_name(row: &CoreRow) -> &'static str {
    match (row.jobs.of(JobSlot::Core), row.jobs.failed(JobKind::Sync)) {
        _ if row.state.pending.is_some() => "queued",
        (Some(open), _) if open.retry.is_some() => "retrying",
        (Some(_), _) => "syncing",
        (None, _) if row.due.is_some() => "waiting",
        (None, Some(failed)) if failed.end == JobEnd::Failed => "failed",
        (None, Some(_) | None) => "idle",
    }
}

/// Why the last sync failed, with a retry button.
#[component]
fn SyncFailure(failed: FailedJob) -> impl IntoMarkup {
    let &Page { core, dispatch, providers, sessions: Sessions { read_only, .. }, .. } = expect_context();
    let unknown = || ProviderId(tr("The provider").to_owned());
    let dismissed = failed.clone();
    let (provider, failure) = (failed.provider.unwrap_or_else(unknown), failed.failure?);
    let notice =
        core_words::core_failure(&failure, || providers.failure_notice(&provider, &failure, &failed.model));
    let again = move |_| dispatch.send(Command::Sync { session: dispatch.session() });
    Some(view! {
        <div class="core-failed" role="alert" data-testid="core-failed">
            <b>{notice.title}</b>
            <p>{notice.advice}</p>
            <p class="core-own">{reveal(&language::translate_template(&failure.message))}</p>
            <div class="core-foot">
                {button(common::TRY_AGAIN).test("core-retry").disabled(read_only).on_click(again)}
                {quiet_button(core_words::DISMISS).test("core-failed-dismiss")
                    .on_click(move |_| core.dismissed.set(Some(dismissed.clone())))}
            </div>
        </div>
    })
}

#[component]
fn Proposal(row: Selector<CoreRow>) -> impl IntoMarkup {
    let &Page { dispatch, sessions: Sessions { read_only, .. }, .. } = expect_context();
    let proposed = row.map(move |row| row.state.proposal.clone().zip(row.proposed.clone()));
    let shown = move |(proposal, (seen, before)): (CoreProposal, (PtrEq<Mind>, PtrEq<Mind>))| {
        let sync = proposal.sync;
        let after = PtrEq(Arc::new(proposal.applied(&seen.0, &before.0)));
        let touched = changes_between(&before.0, &after.0);
        let fits = !touched.is_empty();
        let lines = changed_fields(&touched, &before.0, &after.0);
        let apply = move |_| dispatch.send(Command::ApplySyncProposal { session: dispatch.session(), sync });
        let dismiss =
            move |_| dispatch.send(Command::DismissSyncProposal { session: dispatch.session(), sync });
        view! {
            <div class="core-change core-proposal" data-testid="core-proposal" role="group" aria-label=core_words::PROPOSES>
                <p>{core_words::PROPOSES}</p>
                <p class="core-reason">{reason(&proposal.reasoning)}</p>
                {lines}
                {(!fits).then(|| view! { <p class="core-dropped">{core_words::PROPOSES_NOTHING}</p> })}
                <div class="core-foot">
                    {button(common::APPLY).test("core-apply").disabled(move || read_only.get() || !fits)
                        .on_click(apply)}
                    {quiet_button(core_words::DISMISS).test("core-dismiss").disabled(read_only)
                        .on_click(dismiss)}
                </div>
            </div>
        }
    };
    move || proposed.get().map(shown)
}

#[component]
fn LastSync(row: Selector<CoreRow>) -> impl IntoMarkup {
    let change = row.map(move |row| row.state.change.clone().zip(row.minds.clone()));
    // A sync that changed nothing has only its reason.
    let unchanged_reason = row.map(move |row| {
        let last = row.state.last.as_ref()?;
        let reason = reason(&last.reasoning);
        // It may have only reworded the objective.
        let reason = if last.kept_words { format!("{reason} {}", core_words::KEPT_WORDS) } else { reason };
        (last.minds.is_none() && row.state.proposal.is_none()).then_some(reason)
    });
    let open = RwSignal::new(false);
    let changed = move || {
        let (record, (before, after)) = change.get()?;
        Some(view! { <SyncChange record before after open /> })
    };
    view! {
        {move || unchanged_reason.get().map(|reason| view! { <p class="core-reason" data-testid="core-viewed">{reason}</p> })}
        {changed}
    }
}

fn reason(reasoning: &str) -> String {
    if reasoning.is_empty() { common::NO_REASON.to_owned() } else { reveal(&plain(reasoning)) }
}

#[component]
fn SyncChange(
    record: SyncRecord,
    before: PtrEq<Mind>,
    after: PtrEq<Mind>,
    open: RwSignal<bool>,
) -> impl IntoMarkup {
    let &Page { dispatch, now, sessions: Sessions { read_only, .. }, .. } = expect_context();
    let at = record.at;
    let dropped = core_words::core_dropped(&record.dropped);
    let mut own = changes_between(&before.0, &after.0);
    own.retain(|touched| !touched.is_file);
    let title = core_words::core_change(&own);
    let in_objective = own.iter().any(|touched| touched.field == "objective");
    let diffs = StoredValue::new((own, before, after));
    let lines = move || {
        let (own, before, after) = diffs.get_value();
        changed_fields(&own, &before.0, &after.0)
    };
    // The objective is the operator's: its change is opened unasked.
    if in_objective && !record.undone {
        open.set(true);
    }
    let undo = if record.undone {
        Some(view! { <p class="hint">{core_words::UNDONE}</p> })
    } else {
        record.id.map(|sync| {
            let undo = move |_| dispatch.send(Command::UndoSync { session: dispatch.session(), sync });
            quiet_button(core_words::UNDO).test("core-undo").disabled(read_only).on_click(undo).into_markup()
        })
    };
    view! {
        <details
            class="core-change" data-testid="core-change" data-undone=record.undone.to_string() prop:open=open
        >
            <summary on:click=move |ev| {
                ev.prevent_default();
                open.update(|open| *open = !*open);
            }>
                <span>{title}</span>
                <span class="core-time">{move || strings::ago(at, now.get())}</span>
            </summary>
            <p class="core-reason" data-testid="core-reason">{reason(&record.reasoning)}</p>
            {record.kept_words.then(|| view! { <p class="core-dropped" data-testid="core-kept">{core_words::KEPT_WORDS}</p> })}
            {dropped.map(|words| view! { <p class="core-dropped" data-testid="core-dropped">{words}</p> })}
            {move || open.get().then(lines)}
            <div class="core-foot">
                {undo}
                <span class="core-time">{core_words::core_used(&record)}</span>
            </div>
        </details>
    }
}
