//! Never changes either turn.
//!
//! Owns the comparison of two turns: what was said in each, side by side, and what differs in the minds that stand
//! there, field by field.

use std::sync::Arc;

use leptos::html::Dialog;
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::domain::id::TurnId;
use crate::domain::review::{Change, changes};
use crate::domain::text::hidden::reveal;
use crate::engine::tree_reader::{self as reader, Glimpse};
use crate::ui::chat::tool_diff::diff_lines;
use crate::ui::face::Face;
use crate::ui::hooks::dialog::use_modal;
use crate::ui::local_time::LocalTime;
use crate::ui::look_back::LookBack;
use crate::ui::view_state::Sessions;
use crate::ui::words::compare::field as field_name;
use crate::ui::words::tree_map as words;

/// Both turns, and what differs.
#[derive(Clone, PartialEq)]
enum Found {
    Reading,
    Gone,
    Both(Arc<(Glimpse, Glimpse, Vec<Change>)>),
}

/// The comparison, as a dialog.
#[component]
pub fn CompareTurns(
    /// The way to what was recorded.
    look_back: LookBack,
    /// The two turns, the older one first; none when the dialog is closed.
    compared: RwSignal<Option<(TurnId, TurnId)>>,
) -> impl IntoView {
    let found = RwSignal::new(Found::Reading);
    let records = look_back.records();
    let in_view = expect_context::<Sessions>().focus().get_untracked();
    if let Some((old, new)) = compared.get_untracked() {
        spawn_local(async move {
            let read = async |turn: TurnId| {
                let glimpse = reader::glimpse(&records, turn).await.ok().flatten()?;
                let mind = reader::mind_at(&records, turn, in_view).await.ok().flatten()?;
                Some((glimpse, mind))
            };
            let both = read(old).await.zip(read(new).await);
            found.try_set(both.map_or(Found::Gone, |((old, before), (new, after))| {
                Found::Both(Arc::new((old, new, changes(&before, &after))))
            }));
        });
    }
    let dialog = NodeRef::<Dialog>::new();
    use_modal(dialog);
    let close = move || compared.set(None);
    let shown = move || match found.get() {
        Found::Reading => view! { class="n", <p class="hint">{words::READING}</p> }.into_any(),
        Found::Gone => {
            view! { class="n", <p class="hint" data-testid="tree-gone">{words::GONE}</p> }.into_any()
        }
        Found::Both(both) => {
            let (old, new, changes) = both.as_ref();
            let fields: Vec<AnyView> = changes.iter().map(field).collect();
            let same = fields.is_empty().then_some(words::SAME);
            view! { class="n",
                <div class="tree-both">{side(old)} {side(new)}</div>
                <p class="hint">{same}</p>
                {fields}
            }
            .into_any()
        }
    };
    view! { class="n",
        <dialog
            class="tree-compare"
            data-testid="tree-compared"
            aria-label=words::COMPARED
            node_ref=dialog
            on:close=move |_| close()
        >
            <header class="tree-compare-head">
                <h2>{words::COMPARED}</h2>
                <button type="button" class="button" data-testid="tree-compare-close" on:click=move |_| close()>{words::CLOSE}</button>
            </header>
            {shown}
        </dialog>
    }
}

fn side(glimpse: &Glimpse) -> AnyView {
    let local = expect_context::<LocalTime>();
    let face = Face::of(Some(&glimpse.turn.agent));
    let head = format!("{} {} · {}", face.emoji(), reveal(&face.name()), local.clock(glimpse.turn.opened_at));
    view! { class="n",
        <section class="tree-one" data-accent=face.accent()>
            <h3>{head}</h3>
            <p class="tree-text" dir="auto">{reveal(&glimpse.asked)}</p>
            <p class="tree-text" dir="auto" data-said="">{reveal(&glimpse.answered)}</p>
        </section>
    }
    .into_any()
}

fn field(change: &Change) -> AnyView {
    let name = reveal(&field_name(&change.field));
    let lines = diff_lines(change.old.as_deref().unwrap_or(""), change.new.as_deref().unwrap_or(""));
    view! { class="n",
        <div class="label">{name}</div>
        <div class="diff" data-testid="tree-diff" tabindex="0" role="group" aria-label=words::CHANGED>{lines}</div>
    }
    .into_any()
}
