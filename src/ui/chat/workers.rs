//! Workers in the war room: the card below the tool run that started one, and notices of those that need an answer.
//!
//! The slots are in the first program; what fills them is loaded with the board.
//!
//! Also the lines above the composer, in any session: workers that ask or wait, and the link back from a worker's
//! session.

pub mod card;

use crate::ui::agents::badge::AgentBadge;
use crate::ui::chat::race::lazy_race;
use crate::ui::chat::workers::card::lazy_worker_card;
use crate::ui::dispatch::Dispatch;
use crate::ui::kit::prelude::*;
use crate::ui::view_state::{Sessions, WorldParts, WorldReader};
use nexus_model::id::{AgentKey, SessionId};
use nexus_model::session::SessionRole;
use nexus_model::session::workers::{WorkerState, state};
use nexus_model::world::World;
use nexus_text::invisible::reveal;
use nexus_view::strings::chat::workers as own;
use nexus_view::timeline::TimelineRow;

/// The place below a tool run, where it sent a worker out.
#[component]
pub fn WorkerSlot(
    /// The tool run's row.
    row: Selector<TimelineRow>,
) -> impl IntoMarkup {
    let is_sent = select(move || row.with(|row| row.tool().is_some_and(|run| run.0.worker.is_some())));
    move || {
        is_sent.get().then(|| {
            let card = loaded(lazy_worker_card);
            move || card.get().map(|draw| draw(row))
        })
    }
}

/// The place for what needs the operator.
#[component]
pub fn WorkerNeedsSlot() -> impl IntoMarkup {
    let (race, needs) = (loaded(lazy_race), loaded(lazy_worker_needs));
    move || [race.get().map(|draw| draw()), needs.get().map(|draw| draw())]
}

lazy_view!(board, lazy_worker_needs, WorkerNeeds);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct WorkerRequest {
    session: SessionId,
    agent: AgentKey,
    title: String,
    asks: bool,
}

/// The workers of all sessions that ask or wait, but for the session in view.
fn needs(world: &World, in_view: SessionId) -> Vec<WorkerRequest> {
    let open = world.sessions.values().flat_map(|session| &session.workers);
    let need = |sent: &nexus_model::session::delegation::OpenWorker| {
        let worker = world.tool_run(&sent.tool_run)?.worker.as_ref()?;
        let asks = match state(world, worker) {
            WorkerState::Asks(_) => true,
            WorkerState::Waits(_) => false,
            WorkerState::Working | WorkerState::Ended(_) => return None,
        };
        let (agent, title) = (worker.agent.clone(), worker.title.clone());
        Some(WorkerRequest { session: worker.session, agent, title, asks })
    };
    open.filter(|sent| sent.session != in_view).filter_map(need).collect()
}

/// Whose task the session in view works on: who works, and the session that sent it.
fn sent_from(world: &World, in_view: SessionId) -> Option<(AgentKey, SessionId, String)> {
    let session = world.session(&in_view).filter(|session| session.role() == SessionRole::Worker)?;
    let parent = world.session(&session.parent?).filter(|parent| parent.deleted_at.is_none())?;
    Some((session.owner.clone()?, parent.id, parent.name().to_owned()))
}

/// What needs the operator.
#[component]
pub fn WorkerNeeds() -> impl IntoMarkup {
    let (dispatch, past) = (expect_context::<Dispatch>(), expect_context::<WorldReader>());
    let focus = expect_context::<Sessions>().focus();
    let needed = past.select(WorldParts::ALL, move |world| needs(world, focus.get()));
    let from = past.select(WorldParts::ALL, move |world| sent_from(world, focus.get()));
    let line = move |need: WorkerRequest| {
        let face = AgentBadge::of(Some(&need.agent));
        let (session, asks, title) = (need.session, need.asks, reveal(&need.title));
        view! {
            <li class="worker-need" data-testid="worker-need" data-session=session.to_string() data-accent=move || face.accent()>
                <span dir="auto">{move || own::needs(&face.name(), &title, asks)}</span>
                {button(own::OPEN).test("worker-need-open").on_click(move |_| dispatch.open(session))}
            </li>
        }
    };
    let back = move || {
        let (agent, parent, label) = from.get()?;
        let face = AgentBadge::of(Some(&agent));
        let label = reveal(&label);
        let told = label.clone();
        Some(view! {
            <p class="worker-back" data-testid="worker-back" data-accent=move || face.accent()>
                <span dir="auto">{move || own::is_worker(&face.name(), &told)}</span>
                {quiet_button(own::back_to(&label)).test("worker-back-to")
                    .on_click(move |_| dispatch.open(parent))}
            </p>
        })
    };
    view! {
        <div class="worker-needs" aria-live="polite">
            {back}
            <Show when=move || needed.with(|needed| !needed.is_empty())>
                <ul aria-label=own::NEEDED>{keyed_list(move || needed.get(), Clone::clone, line)}</ul>
            </Show>
        </div>
    }
}
