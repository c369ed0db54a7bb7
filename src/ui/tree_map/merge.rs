//! The merge dialog: shows the draft, resolves its conflicts and sends the merge.

mod conflict;
mod state;

use crate::ui::prelude::*;
use crate::ui::tree_map::merge::conflict::conflict_view;
use crate::ui::tree_map::merge::state::{DraftResult, MergeState};
use crate::ui::tree_map::state::TreeState;
use nexus_engine::queries::merge_draft::MergeDraft;
use nexus_model::limits::CONFLICTS_PER_REQUEST;
use nexus_model::mind::merge::{FieldMerge, MergedField};
use nexus_text::merge3::Resolution;
use nexus_view::language;
pub use nexus_view::strings::board::compare::field as field_name;
pub use nexus_view::strings::board::merge as core;
use nexus_view::strings::tree_layout as own;

#[component]
pub fn MergeDialog(tree: TreeState) -> impl IntoMarkup {
    let dispatch = expect_context::<Dispatch>();
    let merge = MergeState::open(tree);
    let close = move || tree.merged.set(None);
    let conflicts = move || merge.draft().map_or(0, |draft| draft.merge.conflict_count());
    let open = select(move || merge.open_marks());
    let open_count = move || open.with(Vec::len);
    let can_merge = move || merge.draft().is_some() && open_count() == 0;
    let do_merge = move |_| {
        let Some(request) = merge.request() else { return };
        spawn_local(async move {
            match dispatch.send_and_wait(Command::MergeBranch(request)).await {
                Ok(()) => {
                    tree.merged.try_set(None);
                    tree.follow_head();
                }
                Err(rejection) => merge.reject(&rejection),
            }
        });
    };
    let shown = move || match merge.result.get() {
        DraftResult::Reading => view! { <p class="hint">{own::READING}</p> },
        DraftResult::Rejected(title) => {
            view! { <p class="field-problem" data-testid="merge-error">{title}</p> }
        }
        DraftResult::Draft(draft) => fields(&draft, merge),
    };
    let summary = move || {
        merge.draft().map(|draft| {
            own::drafted(draft.turns, draft.merge.fields.len(), draft.merge.conflict_count(), open_count())
        })
    };
    let ask_all = move |_| {
        merge.request_proposals(
            open.with_untracked(|open| open.iter().take(CONFLICTS_PER_REQUEST).copied().collect()),
        )
    };
    modal("tree-compare", "merge", close).label(own::MERGE).with_children(view! {
        <header class="tree-compare-head">
            <h2>{own::MERGE}</h2>
            <p class="hint" role="status" data-testid="merge-summary">{summary}</p>
        </header>
        <p class="field-problem" role="alert">{move || merge.problem.get()}</p>
        {shown}
        <footer class="tree-merge-foot">
            <CoreStatusLine merge />
            <Show when=move || { conflicts() > 1 }>
                {button(own::ALL_OURS).test("merge-all-ours")
                    .on_click(move |_| merge.decide_all(&Resolution::Ours))}
                {button(own::ALL_THEIRS).test("merge-all-theirs")
                    .on_click(move |_| merge.decide_all(&Resolution::Theirs))}
            </Show>
            <Show when=move || { open_count() > 1 }>
                {button(move || core::ask_all(open_count().min(CONFLICTS_PER_REQUEST))).test("merge-ask-all")
                    .title(core::ASK_ABOUT).disabled(move || !merge.may_request()).on_click(ask_all)}
            </Show>
            {button(common::CANCEL).test("merge-cancel").on_click(move |_| close())}
            {button(own::MERGE).first().test("merge-go").disabled(move || !can_merge()).on_click(do_merge)}
        </footer>
    })
}

/// The Core's progress, result and usage.
#[component]
fn CoreStatusLine(merge: MergeState) -> impl IntoMarkup {
    let providers = expect_context::<Providers>();
    let asking = select(move || merge.open_conflicts());
    let status = move || match (asking.get(), merge.failed.get()) {
        (Some(conflicts), _) => core::core_reading(conflicts),
        (None, Some(None)) => core::STOPPED.to_owned(),
        (None, Some(Some(_))) => String::new(),
        (None, None) => merge.proposal_result.get().map(|it| core::proposal_result(&it)).unwrap_or_default(),
    };
    let failed = move || {
        let failure = merge.failed.get()?.filter(|_| asking.get().is_none())?;
        let job = merge.job.get()?;
        let provider = providers.rows.get_untracked(&job.provider).map(|row| row.provider);
        let label = provider.as_ref().map_or(tr("The provider"), |provider| provider.label.as_str());
        let address = provider.as_ref().map_or("", |provider| provider.base_url.as_str());
        let notice = core::failed(&failure, || strings::failure(&failure, label, address, &job.model));
        Some(view! {
            <div class="core-failed" role="alert" data-testid="merge-core-failed">
                <b>{notice.title}</b>
                <p>{notice.advice}</p>
                <p class="core-own">{reveal(&language::translate_template(&failure.message))}</p>
            </div>
        })
    };
    view! {
        <div class="tree-core">
            {failed}
            <p class="hint" role="status" data-testid="merge-core">{status}</p>
            <Show when=move || asking.get().is_some()>
                {quiet_button(common::STOP).test("merge-core-stop").on_click(move |_| merge.stop())}
            </Show>
        </div>
    }
}

fn fields(draft: &MergeDraft, merge: MergeState) -> Markup {
    let none = draft.merge.fields.is_empty().then_some(own::NO_CHANGES);
    let rows: Vec<Markup> = draft.merge.fields.iter().map(|field| one(field, merge)).collect();
    view! { <p class="hint">{none}</p> {rows} }
}

fn one(merged: &MergedField, merge: MergeState) -> Markup {
    let name = reveal(&field_name(&merged.field));
    let note = match &merged.merge {
        FieldMerge::Taken(Some(_)) => own::ADDED_FILE.get(),
        FieldMerge::Taken(None) => own::REMOVED_FILE.get(),
        FieldMerge::Chunks(_) => own::agreed(merged.conflict_count()),
        FieldMerge::Whole { .. } => "",
    };
    let conflicts_of_field = merged.contested();
    let all = conflicts_of_field.len();
    let conflicts: Vec<Markup> = conflicts_of_field
        .into_iter()
        .zip(merged.conflict_ids())
        .zip(1..)
        .map(|((conflict_item, mark), number)| {
            conflict_view(merged, conflict_item, mark, (number, all), merge)
        })
        .collect();
    view! {
        <section class="tree-merge-field" data-testid="merge-field">
            <h3>{name} <span class="hint">{note}</span></h3>
            {conflicts}
        </section>
    }
}
