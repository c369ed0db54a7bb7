//! The Core on the board: status, sync button, last change with its reason, and undo. Loaded lazily.

use std::sync::Arc;

use leptos::prelude::*;

use crate::ui::chat::tool_diff::ToolDiff;
use crate::ui::dispatch::{Dispatch, use_now};
use crate::ui::view_state::{CoreRow, CoreView, Providers, Sessions};
use nexus_model::command::{Command, CoreCommand};
use nexus_model::id::SyncId;
use nexus_model::mind::Mind;
use nexus_model::mind::core_sync::{CoreProposal, FailedSync, SyncEnd, SyncRecord};
use nexus_model::tool::{FileChange, changes_between};
use nexus_text::invisible::reveal;
use nexus_view::strings;
pub use nexus_view::strings::board::core_sync as core_words;
use nexus_view::timeline::PtrEq;

#[component]
pub fn CorePanel() -> impl IntoView {
    let now = use_now();
    let dispatch = expect_context::<Dispatch>();
    let read_only = expect_context::<Sessions>().read_only();
    let row = expect_context::<CoreView>().row();
    let works = Memo::new(move |_| row.with(|row| row.state.open.is_some() || row.state.wanted.is_some()));
    let state = Memo::new(move |_| row.with(state_name));
    let said = Memo::new(move |_| row.with(|row| core_words::core_state(&row.state, row.due.is_some())));
    let time = move || row.with(|row| core_words::core_time(&row.state, row.due, now.get()));
    let failed = Memo::new(move |_| row.with(|row| row.state.failed.clone()));
    let failed = move || failed.get().filter(|failed| failed.end == SyncEnd::Failed);
    let spent = move || row.with(|row| core_words::core_spent(&row.state.spent));
    let sync = move |_| dispatch.send(Command::Sync { session: dispatch.session() });
    let stop = move |_| dispatch.send(Command::StopSync { session: dispatch.session() });
    view! { class="n",
        <section class="core" data-testid="core" data-state=move || state.get() aria-label=core_words::CORE>
            <div class="core-head">
                <span class="core-mark" aria-hidden="true"></span>
                <span class="label" title=core_words::CORE_ABOUT>{core_words::CORE}</span>
                <span class="core-said" data-testid="core-said" role="status">{move || said.get()}</span>
                <span class="core-time" data-testid="core-time">{time}</span>
                <Show when=move || works.get()>
                    <button class="quiet" type="button" data-testid="core-stop" disabled=move || read_only.get() on:click=stop>
                        {core_words::STOP}
                    </button>
                </Show>
                <button
                    class="button core-sync"
                    type="button"
                    data-testid="core-sync"
                    title=core_words::CORE_ABOUT
                    disabled=move || works.get() || read_only.get()
                    on:click=sync
                >
                    {core_words::SYNC}
                </button>
            </div>
            {move || failed().map(|failed| view! { class="n", <SyncFailure failed read_only /> })}
            <Proposal row read_only />
            <LastSync row read_only />
            <p class="core-time core-spent" data-testid="core-spent" title=core_words::SPENT_ABOUT>{spent}</p>
        </section>
    }
}

fn state_name(row: &CoreRow) -> &'static str {
    let core = &row.state;
    match (&core.open, &core.failed) {
        _ if core.wanted.is_some() => "queued",
        (Some(open), _) if open.retry.is_some() => "retrying",
        (Some(_), _) => "syncing",
        (None, _) if row.due.is_some() => "waiting",
        (None, Some(failed)) if failed.end == SyncEnd::Failed => "failed",
        (None, Some(_) | None) => "idle",
    }
}

/// Why the last sync came to nothing, and the way to try again.
#[component]
fn SyncFailure(failed: FailedSync, read_only: Signal<bool>) -> impl IntoView {
    let (dispatch, providers) = (expect_context::<Dispatch>(), expect_context::<Providers>());
    let provider =
        failed.provider.as_ref().and_then(|id| providers.get_untracked(id)).map(|row| row.provider);
    let failure = failed.failure?;
    let label = provider.as_ref().map_or("The provider", |provider| provider.label.as_str());
    let address = provider.as_ref().map_or("", |provider| provider.base_url.as_str());
    let told =
        core_words::core_failure(&failure, || strings::failure(&failure, label, address, &failed.model));
    let again = move |_| dispatch.send(Command::Sync { session: dispatch.session() });
    Some(view! { class="n",
        <div class="core-failed" role="alert" data-testid="core-failed">
            <b>{told.title}</b>
            <p>{told.advice}</p>
            <p class="core-own">{reveal(&failure.message)}</p>
            <button class="button" type="button" data-testid="core-retry" disabled=move || read_only.get() on:click=again>
                {core_words::RETRY}
            </button>
        </div>
    })
}

/// The change that it proposes, with the ways to apply and to dismiss it.
#[component]
fn Proposal(row: Signal<CoreRow>, read_only: Signal<bool>) -> impl IntoView {
    let dispatch = expect_context::<Dispatch>();
    let proposed = Memo::new(move |_| row.with(|row| row.state.proposal.clone().zip(row.proposed.clone())));
    let shown = move |(proposal, (seen, before)): (CoreProposal, (PtrEq<Mind>, PtrEq<Mind>))| {
        let sync = proposal.sync;
        let after = PtrEq(Arc::new(proposal.applied(&seen.0, &before.0)));
        let touched = changes_between(&before.0, &after.0);
        let fits = !touched.is_empty();
        let diff = |touched: FileChange| {
            view! { class="n", <ToolDiff touched before=before.clone() after=after.clone() /> }
        };
        let lines = touched.into_iter().map(diff).collect_view();
        let said = if proposal.reasoning.is_empty() {
            core_words::NO_REASON.to_owned()
        } else {
            reveal(&proposal.reasoning)
        };
        let apply =
            move |_| dispatch.send(Command::Core(CoreCommand::Apply { session: dispatch.session(), sync }));
        let dismiss =
            move |_| dispatch.send(Command::Core(CoreCommand::Dismiss { session: dispatch.session(), sync }));
        view! { class="n",
            <div class="core-change core-proposal" data-testid="core-proposal" role="group" aria-label=core_words::PROPOSES>
                <p>{core_words::PROPOSES}</p>
                <p class="core-reason">{said}</p>
                {lines}
                {(!fits).then(|| view! { class="n", <p class="core-dropped">{core_words::PROPOSES_NOTHING}</p> })}
                <div class="core-foot">
                    <button
                        class="button" type="button" data-testid="core-apply"
                        disabled=move || read_only.get() || !fits on:click=apply
                    >
                        {core_words::APPLY}
                    </button>
                    <button
                        class="quiet" type="button" data-testid="core-dismiss"
                        disabled=move || read_only.get() on:click=dismiss
                    >
                        {core_words::DISMISS}
                    </button>
                </div>
            </div>
        }
    };
    move || proposed.get().map(shown)
}

/// What it last said, and what it last changed.
#[component]
fn LastSync(row: Signal<CoreRow>, read_only: Signal<bool>) -> impl IntoView {
    let change = Memo::new(move |_| row.with(|row| row.state.change.clone().zip(row.minds.clone())));
    // A look that changed nothing has only its reason.
    let looked = Memo::new(move |_| {
        row.with(|row| {
            row.state
                .last
                .clone()
                .filter(|last| last.minds.is_none() && row.state.proposal.is_none())
                .map(|last| looked_words(&last))
        })
    });
    let open = RwSignal::new(false);
    view! { class="n",
        {move || {
            looked.get().map(|reason| view! { class="n", <p class="core-reason" data-testid="core-looked">{reason}</p> })
        }}
        {move || {
            change
                .get()
                .map(|(record, (before, after))| {
                    let touched = changes_between(&before.0, &after.0);
                    view! { class="n", <SyncChange record touched before after open read_only /> }
                })
        }}
    }
}

/// The reason of a look that changed nothing, and that it would only have reworded the objective.
fn looked_words(record: &SyncRecord) -> String {
    if record.kept_words { format!("{} {}", reason(record), core_words::KEPT_WORDS) } else { reason(record) }
}

fn reason(record: &SyncRecord) -> String {
    if record.reasoning.is_empty() { core_words::NO_REASON.to_owned() } else { reveal(&record.reasoning) }
}

/// A change with its reason and its lines.
#[component]
fn SyncChange(
    record: SyncRecord,
    touched: Vec<FileChange>,
    before: PtrEq<Mind>,
    after: PtrEq<Mind>,
    open: RwSignal<bool>,
    read_only: Signal<bool>,
) -> impl IntoView {
    let now = use_now();
    let at = record.at;
    let dropped = core_words::core_dropped(&record.dropped);
    let own: Vec<_> = touched.into_iter().filter(|touched| !touched.is_file).collect();
    let said = core_words::core_change(&own);
    let in_objective = own.iter().any(|touched| touched.field == "objective");
    let diffs = StoredValue::new((own, before, after));
    let lines = move || {
        let (own, before, after) = diffs.get_value();
        let diff = |touched: FileChange| {
            view! { class="n", <ToolDiff touched before=before.clone() after=after.clone() /> }
        };
        own.into_iter().map(diff).collect_view()
    };
    // The objective is the operator's: its change is shown without being asked for.
    if in_objective && !record.undone {
        open.set(true);
    }
    let undo = if record.undone {
        Some(view! { class="n", <p class="hint">{core_words::UNDONE}</p> }.into_any())
    } else {
        record.id.map(|sync| view! { class="n", <UndoSyncButton sync read_only /> }.into_any())
    };
    view! { class="n",
        <details
            class="core-change"
            data-testid="core-change"
            data-undone=record.undone.to_string()
            prop:open=move || open.get()
        >
            <summary on:click=move |ev| {
                ev.prevent_default();
                open.update(|open| *open = !*open);
            }>
                <span>{said}</span>
                <span class="core-time">{move || strings::ago(at, now.get())}</span>
            </summary>
            <p class="core-reason" data-testid="core-reason">{reason(&record)}</p>
            {record.kept_words.then(|| view! { class="n", <p class="core-dropped" data-testid="core-kept">{core_words::KEPT_WORDS}</p> })}
            {dropped.map(|words| view! { class="n", <p class="core-dropped" data-testid="core-dropped">{words}</p> })}
            {move || open.get().then(lines)}
            <div class="core-foot">
                {undo}
                <span class="core-time">{core_words::core_used(&record)}</span>
            </div>
        </details>
    }
}

/// The way to take a change back.
#[component]
fn UndoSyncButton(sync: SyncId, read_only: Signal<bool>) -> impl IntoView {
    let dispatch = expect_context::<Dispatch>();
    let undo = move |_| dispatch.send(Command::UndoSync { session: dispatch.session(), sync });
    view! { class="n",
        <button class="quiet" type="button" data-testid="core-undo" disabled=move || read_only.get() on:click=undo>
            {core_words::UNDO}
        </button>
    }
}
