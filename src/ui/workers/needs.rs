//! Never answers for the operator.
//!
//! Owns the lines above the composer that tell, in whichever session the operator is, which workers ask or wait; and the
//! way back from a worker's session.

use leptos::prelude::*;

use crate::domain::delegation::{WorkerState, state};
use crate::domain::id::{AgentKey, SessionId};
use crate::domain::text::hidden::reveal;
use crate::domain::world::World;
use crate::ui::dispatch::Dispatch;
use crate::ui::each::Each;
use crate::ui::face::Face;
use crate::ui::view_state::{Past, Sessions};
use crate::ui::words::workers as own;

/// A worker that needs the operator.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Need {
    session: SessionId,
    agent: AgentKey,
    title: String,
    asks: bool,
}

/// The workers of all sessions that ask or wait, but for the session in view.
fn needs(world: &World, in_view: SessionId) -> Vec<Need> {
    let open = world.sessions.values().flat_map(|session| &session.workers);
    let need = |sent: &crate::domain::delegation::OpenWorker| {
        let worker = world.tool_run(&sent.tool_run)?.worker.as_ref()?;
        let asks = match state(world, worker) {
            WorkerState::Asks(_) => true,
            WorkerState::Waits(_) => false,
            WorkerState::Working | WorkerState::Ended(_) => return None,
        };
        let (agent, title) = (worker.agent.clone(), worker.title.clone());
        Some(Need { session: worker.session, agent, title, asks })
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
    let (dispatch, past) = (expect_context::<Dispatch>(), expect_context::<Past>());
    let focus = expect_context::<Sessions>().focus();
    let needed = Memo::new(move |_| past.fold(|world| needs(world, focus.get())));
    let from = Memo::new(move |_| past.fold(|world| sent_from(world, focus.get())));
    let line = move |need: Need| {
        let face = Face::of(Some(&need.agent));
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
        let face = Face::of(Some(&agent));
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
                    <Each each=move || needed.get() key=Clone::clone children=line />
                </ul>
            </Show>
        </div>
    }
}
