//! The race above the composer: the models' answers side by side, and the buttons that end it.

pub mod dialog;
pub mod lane;

use leptos::task::spawn_local;

use crate::ui::agents::badge::AgentBadge;
use crate::ui::chat::race::lane::CandidateView;
use crate::ui::dispatch::Dispatch;
use crate::ui::hooks::address;
use crate::ui::hooks::style::dress;
use crate::ui::kit::prelude::*;
use crate::ui::tree_map::compare::CompareTurns;
use crate::ui::tree_map::history_links::{HistoryContext, merge_path};
use crate::ui::view_state::{Sessions, WorldParts, WorldReader};
use nexus_model::command::Command;
use nexus_model::id::{AgentKey, SessionId, TurnId};
use nexus_model::run::Run;
use nexus_model::session::race;
use nexus_model::session::workers::{Candidate, RaceView, shown_race};
use nexus_model::world::World;
use nexus_view::strings::{self, chat::race as words};

lazy_view!(board, lazy_race, RaceSlot);

/// The race of the session in view.
#[component]
pub fn RaceSlot() -> impl IntoMarkup {
    let (dispatch, past) = (expect_context::<Dispatch>(), expect_context::<WorldReader>());
    let sessions = expect_context::<Sessions>();
    let (focus, read_only) = (sessions.focus(), sessions.read_only());
    let shown = past.select(WorldParts::ALL, move |world| shown_race(world, focus.get()));
    let races = select(move || shown.with(Option::is_some));
    let compared = RwSignal::new(None::<(TurnId, TurnId)>);
    let records = expect_context::<HistoryContext>();
    let compares = move || compared.with(Option::is_some);
    let end = move |_| dispatch.send(Command::Stop { session: focus.get_untracked() });
    let order = select(move || {
        let lanes = |shown: &RaceView| shown.lanes.iter().map(|lane| lane.session).collect::<Vec<_>>();
        shown.with(|shown| shown.as_ref().map(lanes).unwrap_or_default())
    });
    let lane = move |session: SessionId| {
        let number = order.with_untracked(|order| order.iter().position(|lane| *lane == session));
        let row = select(move || {
            shown.with(|shown| shown.as_ref()?.lanes.iter().find(|lane| lane.session == session).cloned())
        });
        let compare = Callback::new(move |()| {
            if let Some(pair) = shown.with_untracked(|shown| pair_of(shown.as_ref()?, session)) {
                // Its looks are the tree's.
                spawn_local(dress("settings"));
                compared.set(Some(pair));
            }
        });
        let merge = Callback::new(move |()| {
            let Some((other, _)) = shown.with_untracked(|shown| pair_of(shown.as_ref()?, session)) else {
                return;
            };
            let pick = Command::PickLane { session: focus.get_untracked(), lane: session };
            spawn_local(async move {
                if dispatch.ask(pick).await.is_ok() {
                    address::follow(&merge_path(other));
                }
            });
        });
        let can_compare = select(move || shown.with(|shown| pair_of(shown.as_ref()?, session)).is_some());
        view! {
            <CandidateView
                session number=number.unwrap_or_default().saturating_add(1) row=row
                can_compare=can_compare compare merge
            />
        }
    };
    let head = move || {
        let (agent, models) = past.with(WorldParts::ALL, |world| who_races(world, focus.get()))?;
        let face = AgentBadge::of(Some(&agent));
        Some(words::told(&face.name(), &models))
    };
    let waits = select(move || shown.with(|shown| shown.as_ref().is_some_and(|shown| shown.waits)));
    view! {
        <Show when=move || races.get()>
            <section class="race" data-testid="race" aria-label=words::TITLE data-waits=move || waits.get().to_string()>
                <header class="race-head">
                    <h2>{words::TITLE}</h2>
                    <span class="race-told">{head}</span>
                    {button(words::END).id("race-end").test("race-end").title(words::END_ABOUT)
                        .disabled(read_only).on_click(end)}
                </header>
                <p class="hint" role="status" data-testid="race-hint">
                    {move || if waits.get() { words::WAITS } else { words::RUNS }}
                </p>
                <div class="race-lanes" data-lanes=move || order.with(Vec::len).to_string()>
                    {keyed_list(move || order.get(), |session| *session, lane)}
                </div>
            </section>
        </Show>
        <Show when=compares><CompareTurns look_back=records compared /></Show>
    }
}

/// The turn of a lane, after that of the next one that has one and is over.
fn pair_of(shown: &RaceView, session: SessionId) -> Option<(TurnId, TurnId)> {
    let at = shown.lanes.iter().position(|lane| lane.session == session)?;
    let done = |lane: &&Candidate| lane.can_be_picked;
    let own = shown.lanes.get(at).filter(done)?.turn?;
    let others =
        shown.lanes.iter().cycle().skip(at.saturating_add(1)).take(shown.lanes.len().saturating_sub(1));
    let other = others.filter(done).find_map(|lane| lane.turn)?;
    Some((other, own))
}

fn who_races(world: &World, session: SessionId) -> Option<(AgentKey, Vec<String>)> {
    let run: &Run = race::open_race(world, world.session(&session)?)?;
    let models = run
        .nodes
        .iter()
        .filter_map(|node| node.config.as_ref())
        .map(|config| strings::model_name(&config.model));
    Some((run.nodes.first()?.agent.clone()?, models.collect()))
}
