//! Never merges by itself: the operator looks at the draft, decides what clashes, and says so.
//!
//! Owns the dialog in which another branch is merged into the session in view.

use std::sync::Arc;

use leptos::html::Dialog;
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::domain::command::{Command, Rejection};
use crate::domain::joining::{How, JoinedField};
use crate::domain::review::Field;
use crate::domain::sorted::SortedMap;
use crate::domain::text::hidden::reveal;
use crate::domain::text::join::{Clash, Side};
use crate::engine::merge_draft::{Draft, draft};
use crate::ui::dispatch::Dispatch;
use crate::ui::hooks::dialog::use_modal;
use crate::ui::tree_map::state::Tree;
use crate::ui::words::compare::field as field_name;
use crate::ui::words::{self, tree_map as own};

/// What is decided: by field and by the number of the clash in it.
type Decided = RwSignal<SortedMap<(Field, usize), Side>>;

/// The draft, as far as it is made.
#[derive(Clone, PartialEq)]
enum Found {
    Reading,
    Refused(String),
    Draft(Arc<Draft>),
}

/// The dialog.
#[component]
pub fn MergeDialog(
    /// The tree.
    tree: Tree,
) -> impl IntoView {
    let dispatch = expect_context::<Dispatch>();
    let found = RwSignal::new(Found::Reading);
    let decided: Decided = RwSignal::new(SortedMap::new());
    let problem = RwSignal::new(String::new());
    let make = move || {
        let Some((other, from)) = tree.merged.get_untracked() else { return };
        let (records, session) = (tree.records(), dispatch.session());
        spawn_local(async move {
            let made = match draft(&records, session, other, from).await {
                Ok(Ok(draft)) => Found::Draft(Arc::new(draft)),
                Ok(Err(rejection)) => Found::Refused(words::rejection(&rejection).title),
                Err(_) => Found::Refused(own::UNREADABLE.to_owned()),
            };
            found.try_set(made);
        });
    };
    make();
    let dialog = NodeRef::<Dialog>::new();
    use_modal(dialog);
    let close = move || tree.merged.set(None);
    let clashes = move || match found.get() {
        Found::Draft(draft) => draft.joining.clashes(),
        Found::Reading | Found::Refused(_) => 0,
    };
    let open = move || clashes().saturating_sub(decided.with(SortedMap::len));
    let may = move || matches!(found.get(), Found::Draft(_)) && open() == 0;
    let merge = move |_| {
        let Found::Draft(draft) = found.get_untracked() else { return };
        let mut merging = draft.merging.clone();
        merging.decided = decisions(&draft.joining.fields, &decided.get_untracked());
        spawn_local(async move {
            match dispatch.ask(Command::MergeBranch(merging)).await {
                Ok(()) => {
                    tree.merged.try_set(None);
                    tree.follow_head();
                }
                Err(Rejection::MovedOn) => {
                    problem.try_set(words::rejection(&Rejection::MovedOn).advice);
                    make();
                }
                Err(rejection) => {
                    problem.try_set(words::rejection(&rejection).title);
                }
            }
        });
    };
    let all = move |side: Side| {
        let Found::Draft(draft) = found.get_untracked() else { return };
        let fields = draft.joining.fields.iter();
        let places = fields.flat_map(|it| (0..it.clashes()).map(|at| ((it.field.clone(), at), side)));
        decided.set(places.collect());
    };
    let shown = move || match found.get() {
        Found::Reading => view! { class="n", <p class="hint">{own::READING}</p> }.into_any(),
        Found::Refused(title) => {
            view! { class="n", <p class="field-problem" data-testid="merge-refused">{title}</p> }.into_any()
        }
        Found::Draft(draft) => fields(&draft, decided),
    };
    let told = move || match found.get() {
        Found::Draft(draft) => {
            own::drafted(draft.turns, draft.joining.fields.len(), draft.joining.clashes(), open())
        }
        Found::Reading | Found::Refused(_) => String::new(),
    };
    view! { class="n",
        <dialog class="tree-compare" data-testid="merge" aria-label=own::MERGE node_ref=dialog on:close=move |_| close()>
            <header class="tree-compare-head">
                <h2>{own::MERGE}</h2>
                <p class="hint" role="status" data-testid="merge-told">{told}</p>
            </header>
            <p class="field-problem" role="alert">{move || problem.get()}</p>
            {shown}
            <footer class="tree-merge-foot">
                <Show when=move || { clashes() > 1 }>
                    <button type="button" class="button" data-testid="merge-all-ours" on:click=move |_| all(Side::Ours)>{own::ALL_OURS}</button>
                    <button type="button" class="button" data-testid="merge-all-theirs" on:click=move |_| all(Side::Theirs)>{own::ALL_THEIRS}</button>
                </Show>
                <button type="button" class="button" data-testid="merge-cancel" on:click=move |_| close()>{own::CANCEL}</button>
                <button type="button" class="button" data-weight="first" data-testid="merge-go" disabled=move || !may() on:click=merge>{own::MERGE}</button>
            </footer>
        </dialog>
    }
}

/// What was decided, field by field, in the order of the clashes.
fn decisions(fields: &[JoinedField], decided: &SortedMap<(Field, usize), Side>) -> Vec<(Field, Vec<Side>)> {
    let contested = fields.iter().filter(|field| field.clashes() > 0);
    let sides = |it: &JoinedField| {
        (0..it.clashes()).filter_map(|at| decided.get(&(it.field.clone(), at)).copied()).collect()
    };
    contested.map(|it| (it.field.clone(), sides(it))).collect()
}

fn fields(draft: &Draft, decided: Decided) -> AnyView {
    let none = draft.joining.fields.is_empty().then_some(own::NO_CHANGES);
    let rows: Vec<AnyView> = draft.joining.fields.iter().map(|field| one(field, decided)).collect();
    view! { class="n", <p class="hint">{none}</p> {rows} }.into_any()
}

fn one(joined: &JoinedField, decided: Decided) -> AnyView {
    let name = reveal(&field_name(&joined.field));
    let note = match &joined.how {
        How::Taken(Some(_)) => own::ADDED_FILE,
        How::Taken(None) => own::REMOVED_FILE,
        How::Pieces(_) => own::agreed(joined.clashes()),
        How::Whole { .. } => "",
    };
    let contested = joined.contested();
    let may_both = matches!(joined.how, How::Pieces(_));
    let all = contested.len();
    let field = joined.field.clone();
    let clashes: Vec<AnyView> = contested
        .into_iter()
        .enumerate()
        .map(|(at, clash)| contest(&clash, (field.clone(), at), all, may_both, decided))
        .collect();
    view! { class="n",
        <section class="tree-merge-field" data-testid="merge-field">
            <h3>{name} <span class="hint">{note}</span></h3>
            {clashes}
        </section>
    }
    .into_any()
}

fn contest(clash: &Clash, place: (Field, usize), all: usize, may_both: bool, decided: Decided) -> AnyView {
    let side = |text: &str| if text.is_empty() { own::EMPTY_SIDE.to_owned() } else { reveal(text) };
    let chosen = {
        let place = place.clone();
        Signal::derive(move || decided.with(|decided| decided.get(&place).copied()))
    };
    let heading = own::clash(place.1.saturating_add(1), all);
    let label = heading.clone();
    let place = StoredValue::new(place);
    let choice = move |which: Side, words: &'static str, test: &'static str| {
        let choose = move |_| {
            decided.update(|decided| {
                decided.insert(place.get_value(), which);
            });
        };
        view! { class="n",
            <button type="button" class="button" data-testid=test aria-pressed=move || (chosen.get() == Some(which)).to_string() on:click=choose>{words}</button>
        }
    };
    let both = may_both.then(|| choice(Side::Both, own::BOTH, "merge-both"));
    view! { class="n",
        <div class="tree-clash" role="group" aria-label=label data-decided=move || chosen.get().is_some().to_string()>
            <p class="label">{heading}</p>
            <div class="tree-both">
                <figure>
                    <figcaption class="hint">{own::OURS_SIDE}</figcaption>
                    <pre class="tree-side-text" tabindex="0" dir="auto" aria-label=own::OURS_SIDE data-chosen=move || matches!(chosen.get(), Some(Side::Ours | Side::Both)).to_string()>{side(&clash.ours)}</pre>
                </figure>
                <figure>
                    <figcaption class="hint">{own::THEIRS_SIDE}</figcaption>
                    <pre class="tree-side-text" tabindex="0" dir="auto" aria-label=own::THEIRS_SIDE data-chosen=move || matches!(chosen.get(), Some(Side::Theirs | Side::Both)).to_string()>{side(&clash.theirs)}</pre>
                </figure>
            </div>
            <div class="tree-acts">
                {choice(Side::Ours, own::OURS, "merge-ours")}
                {choice(Side::Theirs, own::THEIRS, "merge-theirs")}
                {both}
            </div>
        </div>
    }
    .into_any()
}
