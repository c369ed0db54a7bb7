//! The dialog that compares two turns: their messages side by side, and their minds field by field.

use std::sync::Arc;

use leptos::task::spawn_local;

use crate::ui::agents::badge::AgentBadge;
use crate::ui::board::comparison::comparison;
use crate::ui::kit::prelude::*;
use crate::ui::tree_map::history_links::HistoryContext;
use crate::ui::view_state::Sessions;
use nexus_engine::queries::tree as reader;
use nexus_engine::queries::tree::TurnPreview;
use nexus_model::id::TurnId;
use nexus_model::mind::review::{FieldDiff, changes};
use nexus_text::invisible::reveal;
use nexus_text::markdown::tree::plain;
use nexus_view::local_time::LocalTime;
use nexus_view::strings::tree_layout as words;

/// Both turns, and what differs.
#[derive(Clone, PartialEq)]
enum TurnComparison {
    Reading,
    Gone,
    Both(Arc<(TurnPreview, TurnPreview, Vec<FieldDiff>)>),
}

#[component]
pub fn CompareTurns(
    /// The way to what was recorded.
    look_back: HistoryContext,
    /// The two turns, the older one first; none when the dialog is closed.
    compared: RwSignal<Option<(TurnId, TurnId)>>,
) -> impl IntoMarkup {
    let found = RwSignal::new(TurnComparison::Reading);
    let records = look_back.records();
    let in_view = expect_context::<Sessions>().focus().get_untracked();
    if let Some((old, new)) = compared.get_untracked() {
        spawn_local(async move {
            let read = async |turn: TurnId| {
                let glimpse = reader::glimpse(&records, turn, usize::MAX).await.ok().flatten()?;
                let mind = reader::mind_at(&records, turn, in_view).await.ok().flatten()?;
                Some((glimpse, mind))
            };
            let both = read(old).await.zip(read(new).await);
            found.try_set(both.map_or(TurnComparison::Gone, |((old, before), (new, after))| {
                TurnComparison::Both(Arc::new((old, new, changes(&before, &after))))
            }));
        });
    }
    let close = move || compared.set(None);
    let shown = move || match found.get() {
        TurnComparison::Reading => view! { <p class="hint">{words::READING}</p> },
        TurnComparison::Gone => {
            view! { <p class="hint" data-testid="tree-gone">{words::GONE}</p> }
        }
        TurnComparison::Both(both) => {
            let (old, new, changes) = both.as_ref();
            let same = changes.is_empty().then_some(words::SAME);
            let changed = (!changes.is_empty()).then(|| comparison(changes.clone()));
            view! {
                <div class="tree-both">{side(old)} {side(new)}</div>
                <p class="hint">{same}</p>
                {changed}
            }
        }
    };
    modal("tree-compare", "tree-compared", close).label(words::COMPARED).holding(view! {
        <header class="tree-compare-head">
            <h2>{words::COMPARED}</h2>
            {button(words::CLOSE).test("tree-compare-close").on_click(move |_| close())}
        </header>
        {shown}
    })
}

fn side(glimpse: &TurnPreview) -> Markup {
    let local = expect_context::<LocalTime>();
    let face = AgentBadge::of(Some(&glimpse.turn.agent));
    let head = format!("{} · {}", reveal(&face.name()), local.clock(glimpse.turn.opened_at));
    view! {
        <section class="tree-one" data-accent=face.accent()>
            <h3>{head}</h3>
            <p class="tree-text" dir="auto">{reveal(&plain(&glimpse.asked))}</p>
            <p class="tree-text" dir="auto" data-said="">{reveal(&plain(&glimpse.answered))}</p>
        </section>
    }
}
