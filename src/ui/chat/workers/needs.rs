//! Lines above the composer, in any session: workers that ask or wait, and the link back from a worker's session.

use leptos::prelude::*;

use crate::ui::dispatch::Dispatch;
use crate::ui::kit::agent_badge::AgentBadge;
use crate::ui::kit::keyed_list::KeyedList;
use crate::ui::view_state::{Sessions, WorldReader};
use nexus_model::id::{AgentKey, SessionId};
use nexus_model::session::delegation::{WorkerState, state};
use nexus_model::world::World;
use nexus_text::invisible::reveal;
use nexus_view::strings::chat::workers as own;

/// A worker that needs the operator.
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
    let session = world.session(&in_view).filter(|session| session.delegation.is_some())?;
    let parent = world.session(&session.parent?).filter(|parent| parent.deleted_at.is_none())?;
    Some((session.owner.clone()?, parent.id, parent.label.clone()))
}

/// What needs the operator.
#[component]
pub fn WorkerNeeds() -> impl IntoView {
    let (dispatch, past) = (expect_context::<Dispatch>(), expect_context::<WorldReader>());
    let focus = expect_context::<Sessions>().focus();
    let needed = Memo::new(move |_| past.fold(|world| needs(world, focus.get())));
    let from = Memo::new(move |_| past.fold(|world| sent_from(world, focus.get())));
    let line = move |need: WorkerRequest| {
        let face = AgentBadge::of(Some(&need.agent));
        let (session, asks, title) = (need.session, need.asks, reveal(&need.title));
        view! { class="n",
            <li class="worker-need" data-testid="worker-need" data-session=session.to_string() data-accent=move || face.accent()>
                <span dir="auto">{move || own::needs(&face.name(), &title, asks)}</span>
                <button
                    class="button" type="button" data-testid="worker-need-open"
                    on:click=move |_| dispatch.open(session)
                >
                    {own::OPEN}
                </button>
            </li>
        }
    };
    let back = move || {
        let (agent, parent, label) = from.get()?;
        let face = AgentBadge::of(Some(&agent));
        let label = reveal(&label);
        let told = label.clone();
        Some(view! { class="n",
            <p class="worker-back" data-testid="worker-back" data-accent=move || face.accent()>
                <span dir="auto">{move || own::is_worker(&face.name(), &told)}</span>
                <button
                    class="quiet" type="button" data-testid="worker-back-to"
                    on:click=move |_| dispatch.open(parent)
                >
                    {own::back_to(&label)}
                </button>
            </p>
        })
    };
    view! { class="n",
        <div class="worker-needs" aria-live="polite">
            {back}
            <Show when=move || needed.with(|needed| !needed.is_empty())>
                <ul aria-label=own::NEEDED>
                    <KeyedList each=move || needed.get() key=Clone::clone children=line />
                </ul>
            </Show>
        </div>
    }
}
