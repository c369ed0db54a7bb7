//! The board's memory view: the session summary and a searchable list of facts.

use std::cmp::Reverse;

use leptos::prelude::*;

use crate::ui::kit::keyed_list::KeyedList;
use crate::ui::maintenance::memory::MemoryRow;
use crate::ui::maintenance::passes::JobList;
use crate::ui::view_state::{Sessions, WorldReader};
use nexus_model::id::MemoryId;
use nexus_model::maintenance::JobKind;
use nexus_text::invisible::reveal;
use nexus_text::vec_map::{VecSet, by_key};
use nexus_view::strings::maintenance as words;

/// What is remembered.
#[component]
pub fn MemoriesPanel() -> impl IntoView {
    let (past, sessions) = (expect_context::<WorldReader>(), expect_context::<Sessions>());
    let search = RwSignal::new(String::new());
    // What was deleted since the panel stands can be restored.
    let deleted = RwSignal::new(VecSet::<MemoryId>::new());
    let known = Memo::new(move |_| {
        let kept = deleted.get();
        past.fold(|world| {
            let here = world.memories.values().filter(|row| row.is_here() || kept.contains(&row.id));
            let here = by_key(here, |row| Reverse((row.pinned, row.at, row.id)));
            here.into_iter().map(|row| (row.id, row.content.to_lowercase())).collect::<Vec<_>>()
        })
    });
    let found = Memo::new(move |_| {
        let wanted = search.with(|text| text.trim().to_lowercase());
        known.with(|known| {
            let hits = known.iter().filter(|(_, text)| text.contains(&wanted));
            hits.map(|(id, _)| *id).collect::<Vec<_>>()
        })
    });
    let counted = move || {
        let (shown, all) = (found.with(Vec::len), known.with(Vec::len));
        match (shown, all) {
            (_, 0) => words::NOTHING_NOTED.to_owned(),
            (0, _) => words::NOTHING_FOUND.to_owned(),
            (shown, all) => words::listed(shown, all),
        }
    };
    view! { class="n",
        <section class="memories" data-testid="memories" aria-label=words::MEMORIES>
            <SessionSummaryCard past sessions />
            <JobList />
            <h3 class="label">{words::MEMORIES}</h3>
            <p class="hint">{words::MEMORIES_ABOUT}</p>
            <input
                class="input"
                type="search"
                data-testid="memory-search"
                aria-label=words::SEARCH
                placeholder=words::SEARCH
                prop:value=move || search.get()
                on:input=move |ev| search.set(event_target_value(&ev))
            />
            <p class="hint" role="status" data-testid="memory-count">{counted}</p>
            <ul class="memory-list">
                <KeyedList
                    each=move || found.get()
                    key=Clone::clone
                    children=move |id| Some(view! { class="n", <MemoryRow id deleted /> })
                />
            </ul>
        </section>
    }
}

/// Title, summary and keywords of the session in view.
#[component]
fn SessionSummaryCard(past: WorldReader, sessions: Sessions) -> impl IntoView {
    let told = Memo::new(move |_| {
        let session = sessions.focus().get();
        past.fold(|world| {
            let row = world.session(&session)?;
            Some((row.title.clone(), row.summary.clone(), row.keywords.join(" · ")))
        })
    });
    // What came to nothing is said, too; it is tried again by itself.
    let failed = move || {
        let session = sessions.focus().get();
        let why = past.fold(|world| {
            let archivist = &world.session(&session)?.archivist;
            let of = |kind| archivist.failed(kind).and_then(|failed| failed.failure.clone());
            let found: Vec<_> = [JobKind::Summary, JobKind::Memory]
                .into_iter()
                .filter_map(|kind| Some(words::chore_failed(kind, &of(kind)?)))
                .collect();
            Some(found)
        });
        why.unwrap_or_default()
            .into_iter()
            .map(|told| view! { class="n", <p class="hint" role="status" data-testid="chore-failed">{told}</p> })
            .collect_view()
    };
    view! { class="n",
        <div class="session-short" data-testid="session-short">
            <h3 class="label">{words::SESSION_SUMMARY}</h3>
            {move || match told.get() {
                Some((title, Some(summary), keywords)) => view! { class="n",
                    <p class="session-title" data-testid="session-title">{title.map(|title| reveal(&title))}</p>
                    <p class="session-summary" data-testid="session-summary">{reveal(&summary)}</p>
                    <p class="hint" data-testid="session-keywords">{reveal(&keywords)}</p>
                }
                .into_any(),
                Some((_, None, _)) | None => view! { class="n", <p class="hint">{words::NO_SESSION_SUMMARY}</p> }.into_any(),
            }}
            {failed}
        </div>
    }
}
