//! The Archivist's current job and its latest runs for the session in view. The audit log has all of them.

use leptos::task::spawn_local;

use crate::ui::dispatch::Dispatch;
use crate::ui::kit::prelude::*;
use crate::ui::maintenance::job_budget::JobBudget;
use crate::ui::tree_map::history_links::{HistoryContext, inspect_path, run_path};
use crate::ui::view_state::{Sessions, WorldParts, WorldReader};
use nexus_engine::queries::events::{JobRecord, newest};
use nexus_model::id::TurnId;
use nexus_model::job::JobSlot;
use nexus_model::job::maintenance::pass::passes_of;
use nexus_view::language;
use nexus_view::strings;
use nexus_view::strings::maintenance as own;

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
