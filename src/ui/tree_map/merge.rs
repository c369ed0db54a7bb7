//! Never merges by itself: the operator looks at the draft, decides what clashes, and says so.
//!
//! Owns the dialog in which another branch is merged into the session in view. [`desk`] knows what is drafted and
//! proposed, [`contest`] shows a clash.

mod contest;
mod desk;

use leptos::html::Dialog;
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::domain::command::Command;
use crate::domain::joining::{How, JoinedField};
use crate::domain::limits::CLASHES_ASKED;
use crate::domain::text::hidden::reveal;
use crate::domain::text::join::Side;
use crate::engine::merge_draft::Draft;
use crate::ui::dispatch::Dispatch;
use crate::ui::hooks::dialog::use_modal;
use crate::ui::tree_map::merge::contest::contest;
use crate::ui::tree_map::merge::desk::{Desk, Found};
use crate::ui::tree_map::state::Tree;
use crate::ui::view_state::Providers;
use crate::ui::words::compare::field as field_name;
use crate::ui::words::{self, joining as core, tree_map as own};

/// The dialog.
#[component]
pub fn MergeDialog(
    /// The tree.
    tree: Tree,
) -> impl IntoView {
    let dispatch = expect_context::<Dispatch>();
    let desk = Desk::open(tree);
    let dialog = NodeRef::<Dialog>::new();
    use_modal(dialog);
    let close = move || tree.merged.set(None);
    let clashes = move || desk.draft().map_or(0, |draft| draft.joining.clashes());
    let open = Memo::new(move |_| desk.open_marks());
    let open_count = move || open.with(Vec::len);
    let may = move || desk.draft().is_some() && open_count() == 0;
    let merge = move |_| {
        let Some(merging) = desk.merging() else { return };
        spawn_local(async move {
            match dispatch.ask(Command::MergeBranch(merging)).await {
                Ok(()) => {
                    tree.merged.try_set(None);
                    tree.follow_head();
                }
                Err(rejection) => desk.refused(&rejection),
            }
        });
    };
    let shown = move || match desk.found.get() {
        Found::Reading => view! { class="n", <p class="hint">{own::READING}</p> }.into_any(),
        Found::Refused(title) => {
            view! { class="n", <p class="field-problem" data-testid="merge-refused">{title}</p> }.into_any()
        }
        Found::Draft(draft) => fields(&draft, desk),
    };
    let told = move || {
        desk.draft().map(|draft| {
            own::drafted(draft.turns, draft.joining.fields.len(), draft.joining.clashes(), open_count())
        })
    };
    let ask_all =
        move |_| desk.ask(open.with_untracked(|open| open.iter().take(CLASHES_ASKED).cloned().collect()));
    view! { class="n",
        <dialog class="tree-compare" data-testid="merge" aria-label=own::MERGE node_ref=dialog on:close=move |_| close()>
            <header class="tree-compare-head">
                <h2>{own::MERGE}</h2>
                <p class="hint" role="status" data-testid="merge-told">{told}</p>
            </header>
            <p class="field-problem" role="alert">{move || desk.problem.get()}</p>
            {shown}
            <footer class="tree-merge-foot">
                <CoreLine desk />
                <Show when=move || { clashes() > 1 }>
                    <button type="button" class="button" data-testid="merge-all-ours" on:click=move |_| desk.decide_all(&Side::Ours)>{own::ALL_OURS}</button>
                    <button type="button" class="button" data-testid="merge-all-theirs" on:click=move |_| desk.decide_all(&Side::Theirs)>{own::ALL_THEIRS}</button>
                </Show>
                <Show when=move || { open_count() > 1 }>
                    <button type="button" class="button" data-testid="merge-ask-all" title=core::ASK_ABOUT disabled=move || !desk.may_ask() on:click=ask_all>{move || core::ask_all(open_count().min(CLASHES_ASKED))}</button>
                </Show>
                <button type="button" class="button" data-testid="merge-cancel" on:click=move |_| close()>{own::CANCEL}</button>
                <button type="button" class="button" data-weight="first" data-testid="merge-go" disabled=move || !may() on:click=merge>{own::MERGE}</button>
            </footer>
        </dialog>
    }
}

/// What the Core does, what came of it, and what that used.
#[component]
fn CoreLine(desk: Desk) -> impl IntoView {
    let providers = expect_context::<Providers>();
    let asking = Memo::new(move |_| desk.asking());
    let said = move || match (asking.get(), desk.failed.get()) {
        (Some(clashes), _) => core::asking(clashes),
        (None, Some(None)) => core::STOPPED.to_owned(),
        (None, Some(Some(_))) => String::new(),
        (None, None) => desk.answered.get().map(|it| core::told(&it)).unwrap_or_default(),
    };
    let failed = move || {
        let failure = desk.failed.get()?.filter(|_| asking.get().is_none())?;
        let asked = desk.asked.get()?;
        let provider = providers.get_untracked(&asked.provider).map(|row| row.provider);
        let label = provider.as_ref().map_or("The provider", |provider| provider.label.as_str());
        let address = provider.as_ref().map_or("", |provider| provider.base_url.as_str());
        let told = core::failed(&failure, || words::failure(&failure, label, address, &asked.model));
        Some(view! { class="n",
            <div class="core-failed" role="alert" data-testid="merge-core-failed">
                <b>{told.title}</b>
                <p>{told.advice}</p>
                <p class="core-own">{reveal(&failure.message)}</p>
            </div>
        })
    };
    view! { class="n",
        <div class="tree-core">
            {failed}
            <p class="hint" role="status" data-testid="merge-core">{said}</p>
            <Show when=move || asking.get().is_some()>
                <button type="button" class="quiet" data-testid="merge-core-stop" on:click=move |_| desk.stop()>{core::STOP}</button>
            </Show>
        </div>
    }
}

fn fields(draft: &Draft, desk: Desk) -> AnyView {
    let none = draft.joining.fields.is_empty().then_some(own::NO_CHANGES);
    let rows: Vec<AnyView> = draft.joining.fields.iter().map(|field| one(field, desk)).collect();
    view! { class="n", <p class="hint">{none}</p> {rows} }.into_any()
}

fn one(joined: &JoinedField, desk: Desk) -> AnyView {
    let name = reveal(&field_name(&joined.field));
    let note = match &joined.how {
        How::Taken(Some(_)) => own::ADDED_FILE,
        How::Taken(None) => own::REMOVED_FILE,
        How::Pieces(_) => own::agreed(joined.clashes()),
        How::Whole { .. } => "",
    };
    let contested = joined.contested();
    let is_whole = matches!(joined.how, How::Whole { .. });
    let all = contested.len();
    let clashes: Vec<AnyView> = contested
        .into_iter()
        .zip(joined.marks())
        .zip(1..)
        .map(|((clash, mark), number)| contest(clash, mark, (number, all), is_whole, desk))
        .collect();
    view! { class="n",
        <section class="tree-merge-field" data-testid="merge-field">
            <h3>{name} <span class="hint">{note}</span></h3>
            {clashes}
        </section>
    }
    .into_any()
}
