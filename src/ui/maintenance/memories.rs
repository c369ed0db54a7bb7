//! The board's memory view: the session summary and a searchable list of facts.
//!
//! Also the Archivist's current job and its latest runs for the session in view. The audit log has all of them.

use std::cmp::Reverse;

use leptos::task::spawn_local;

use crate::ui::dispatch::Dispatch;
use crate::ui::kit::prelude::*;
use crate::ui::maintenance::job_budget::JobBudget;
use crate::ui::maintenance::memory::MemoryRow;
use crate::ui::tree_map::history_links::{HistoryContext, inspect_path, run_path};
use crate::ui::view_state::{Sessions, WorldParts, WorldReader};
use nexus_engine::queries::{JobRecord, newest};
use nexus_model::id::{MemoryId, TurnId};
use nexus_model::job::maintenance::passes_of;
use nexus_model::job::{JobKind, JobSlot};
use nexus_text::invisible::reveal;
use nexus_text::markdown::tree::plain;
use nexus_text::vec_map::{VecSet, by_key};
use nexus_view::strings::{maintenance as words, maintenance as own};
use nexus_view::{language, strings};

lazy_view!(board, lazy_memories, MemoriesPanel);

/// What is remembered.
#[component]
pub fn MemoriesPanel() -> impl IntoMarkup {
    let (past, sessions) = (expect_context::<WorldReader>(), expect_context::<Sessions>());
    let search = RwSignal::new(String::new());
    // What was deleted since the panel stands can be restored.
    let deleted = RwSignal::new(VecSet::<MemoryId>::new());
    let known = select(move || {
        let kept = deleted.get();
        past.with(WorldParts::MEMORIES, |world| {
            let here = world
                .memories
                .values()
                .filter(|row| row.is_here() || row.is_retired() || kept.contains(&row.id));
            let here = by_key(here, |row| Reverse((row.pinned, row.at, row.id)));
            here.into_iter().map(|row| (row.id, row.content.to_lowercase())).collect::<Vec<_>>()
        })
    });
    let found = select(move || {
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
    view! {
        <section class="memories" data-testid="memories" aria-label=words::MEMORIES>
            <h3 class="label">{words::MEMORIES}</h3>
            <p class="hint">{words::MEMORIES_ABOUT}</p>
            <input
                class="input" type="search" data-testid="memory-search" aria-label=words::SEARCH
                placeholder=words::SEARCH prop:value=search
                on:input=move |ev| search.set(event_target_value(&ev))
            />
            <p class="hint" role="status" data-testid="memory-count">{counted}</p>
            <ul class="memory-list">
                {keyed_list(move || found.get(), Clone::clone,
                    move |id| Some(view! { <MemoryRow id deleted /> }))}
            </ul>
            <SessionSummaryCard past sessions />
            <JobList />
        </section>
    }
}

/// Title, summary and keywords of the session in view.
#[component]
fn SessionSummaryCard(past: WorldReader, sessions: Sessions) -> impl IntoMarkup {
    let told = select(move || {
        let session = sessions.focus().get();
        past.with(WorldParts::SESSIONS, |world| {
            let row = world.session(&session)?;
            Some((row.title.clone(), row.summary.clone(), row.keywords.join(" · ")))
        })
    });
    // What came to nothing is said, too; it is tried again by itself.
    let failed = move || {
        let session = sessions.focus().get();
        let why = past.with(WorldParts::SESSIONS, |world| {
            let jobs = &world.session(&session)?.jobs;
            let of = |kind| jobs.failed(kind).and_then(|failed| failed.failure.clone());
            let found: Vec<_> = [JobKind::Summary, JobKind::Memory]
                .into_iter()
                .filter_map(|kind| Some(words::chore_failed(kind, &of(kind)?)))
                .collect();
            Some(found)
        });
        why.unwrap_or_default()
            .into_iter()
            .map(|told| view! { <p class="hint" role="status" data-testid="chore-failed">{told}</p> })
    };
    view! {
        <div class="session-short" data-testid="session-short">
            <h3 class="label">{words::SESSION_SUMMARY}</h3>
            {move || match told.get() {
                Some((title, Some(summary), keywords)) => view! {
                    <p class="session-title" data-testid="session-title">{title.map(|title| reveal(&title))}</p>
                    <p class="session-summary" data-testid="session-summary">{reveal(&plain(&summary))}</p>
                    <p class="hint" data-testid="session-keywords">{reveal(&keywords)}</p>
                },
                Some((_, None, _)) | None => view! { <p class="hint">{words::NO_SESSION_SUMMARY}</p> },
            }}
            {failed}
        </div>
    }
}

const SHOWN: usize = 8;

#[component]
pub fn JobList() -> impl IntoMarkup {
    let (past, sessions) = (expect_context::<WorldReader>(), expect_context::<Sessions>());
    let (look_back, dispatch) = (expect_context::<HistoryContext>(), expect_context::<Dispatch>());
    let head = select(move || {
        let session = sessions.focus().get();
        past.with(WorldParts::SESSIONS, |world| passes_of(world, session).and_then(|kept| kept.head))
    });
    let works = select(move || {
        let session = sessions.focus().get();
        past.with(WorldParts::SESSIONS, |world| {
            let job = world.session(&session)?.jobs.of(JobSlot::Maintenance)?;
            Some(own::pass_works(job))
        })
    });
    let read = RwSignal::new((None::<TurnId>, Vec::<JobRecord>::new()));
    Effect::new(move |_| {
        let wanted = head.get();
        let records = look_back.records();
        spawn_local(async move {
            let passes = match wanted {
                Some(head) => newest(&records, head, SHOWN).await.unwrap_or_default(),
                None => Vec::new(),
            };
            // Another session may have come into view meanwhile.
            if head.try_get_untracked() == Some(wanted) {
                read.try_set((wanted, passes));
            }
        });
    });
    let rows = move || {
        let passes = read.with(|(_, passes)| passes.clone());
        passes.into_iter().map(|pass| view! { <JobLine pass dispatch /> }).into_markup()
    };
    let none = move || read.with(|(_, passes)| passes.is_empty()) && works.with(Option::is_none);
    view! {
        <section class="passes" data-testid="passes" aria-label=own::PASSES>
            <h3 class="label">{own::PASSES}</h3>
            <p class="hint">{own::PASSES_ABOUT}</p>
            <JobBudget />
            <p class="hint" role="status" data-testid="pass-works" hidden=move || works.with(Option::is_none)>
                {works}
            </p>
            <p class="hint" hidden=move || !none()>{own::NO_PASSES}</p>
            <ul class="pass-list">{rows}</ul>
        </section>
    }
}

#[component]
fn JobLine(pass: JobRecord, dispatch: Dispatch) -> impl IntoMarkup {
    let about = own::pass(&pass, &strings::ago(pass.turn.opened_at, dispatch.now()));
    let failure = pass.turn.failure.as_ref().map(|failure| language::told(&failure.message));
    let (state, kind) = (own::pass_state(&pass), own::pass_kind(pass.kind));
    view! {
        <li class="pass" data-testid="pass" data-state=state data-kind=kind>
            <span class="pass-about">{about}</span>
            {failure.map(|words| view! { <span class="field-problem" data-testid="pass-failure">{words}</span> })}
            <span class="pass-ways">
                <a class="quiet" data-testid="pass-inspect" href=inspect_path(pass.turn.id)>{own::PASS_INSPECT}</a>
                <a class="quiet" data-testid="pass-audit" href=run_path(pass.run)>{own::PASS_AUDIT}</a>
            </span>
        </li>
    }
}
