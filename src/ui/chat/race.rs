//! The race above the composer: the models' answers side by side, each with status, tools, changes and actions, and the
//! button that ends it. Always shows why a model failed.

pub mod dialog;

use crate::ui::chat::answer::MessageContent;
use crate::ui::chat::approval_card::approval_cards;
use crate::ui::hooks::page::load_stylesheets;
use crate::ui::prelude::*;
use crate::ui::tree_map::history_links::{HistoryContext, merge_path};
use crate::ui::tree_map::reflog::CompareTurns;
use nexus_model::id::ToolRunId;
use nexus_model::llm::ModelConfig;
use nexus_model::message::{MessageStatus, Role};
use nexus_model::run::Run;
use nexus_model::session::race;
use nexus_model::session::race::is_over;
use nexus_model::session::workers::{Candidate, RaceView, awaiting_approval, shown_race};
use nexus_model::world::World;
use nexus_view::strings::chat::race as words;
use nexus_view::timeline::PtrEq;
use nexus_view::{language, strings as all};

lazy_view!(board, lazy_race, RaceSlot);

#[component]
pub fn RaceSlot() -> impl IntoMarkup {
    let (dispatch, world) = (expect_context::<Dispatch>(), expect_context::<WorldReader>());
    let sessions = expect_context::<Sessions>();
    let (focus, read_only) = (sessions.focus, sessions.read_only);
    let shown = world.select(WorldParts::ALL, move |world| shown_race(world, focus.get()));
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
                // The stylesheet of the tree's comparison.
                spawn_local(load_stylesheets("settings"));
                compared.set(Some(pair));
            }
        });
        let merge = Callback::new(move |()| {
            let Some((other, _)) = shown.with_untracked(|shown| pair_of(shown.as_ref()?, session)) else {
                return;
            };
            let pick = Command::PickLane { session: focus.get_untracked(), lane: session };
            spawn_local(async move {
                if dispatch.send_and_wait(pick).await.is_ok() {
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
        let (agent, models) = world.with(WorldParts::ALL, |world| racers(world, focus.get()))?;
        let badge = AgentBadge::of(Some(&agent));
        Some(words::race_summary(&badge.name(), &models))
    };
    let is_waiting = select(move || shown.with(|shown| shown.as_ref().is_some_and(|shown| shown.waits)));
    view! {
        <Show when=move || races.get()>
            <section class="race" data-testid="race" aria-label=words::TITLE data-waits=move || is_waiting.get().to_string()>
                <header class="race-head">
                    <h2>{words::TITLE}</h2>
                    <span class="race-summary">{head}</span>
                    {button(words::END).id("race-end").test("race-end").title(words::END_ABOUT)
                        .disabled(read_only).on_click(end)}
                </header>
                <p class="hint" role="status" data-testid="race-hint">
                    {move || if is_waiting.get() { words::WAITS } else { words::RUNS }}
                </p>
                <div class="race-lanes" data-lanes=move || order.with(Vec::len).to_string()>
                    {keyed_list(move || order.get(), |session| *session, lane)}
                </div>
            </section>
        </Show>
        <Show when=compares><CompareTurns history=records compared /></Show>
    }
}

/// The turns to compare: that of the next finished lane, then that of this lane.
fn pair_of(shown: &RaceView, session: SessionId) -> Option<(TurnId, TurnId)> {
    let at = shown.lanes.iter().position(|lane| lane.session == session)?;
    let done = |lane: &&Candidate| lane.can_be_picked;
    let own = shown.lanes.get(at).filter(done)?.turn?;
    let others =
        shown.lanes.iter().cycle().skip(at.saturating_add(1)).take(shown.lanes.len().saturating_sub(1));
    let other = others.filter(done).find_map(|lane| lane.turn)?;
    Some((other, own))
}

fn racers(world: &World, session: SessionId) -> Option<(AgentKey, Vec<String>)> {
    let run: &Run = race::open_race(world, world.session(&session)?)?;
    let models = run
        .nodes
        .iter()
        .filter_map(|node| node.config.as_ref())
        .map(|config| strings::model_name(&config.model));
    Some((run.nodes.first()?.agent.clone()?, models.collect()))
}

#[component]
pub fn CandidateView(
    session: SessionId,
    /// Number of the lane, from 1.
    number: usize,
    row: Selector<Option<Candidate>>,
    can_compare: Selector<bool>,
    compare: Callback<()>,
    merge: Callback<()>,
) -> impl IntoMarkup {
    let (dispatch, world) = (expect_context::<Dispatch>(), expect_context::<WorldReader>());
    let (sessions, providers) = (expect_context::<Sessions>(), expect_context::<Providers>());
    let (focus, read_only) = (sessions.focus, sessions.read_only);
    let config = row.with_untracked(|row| row.as_ref().and_then(|row| row.config.clone()));
    let model = config.as_ref().map(|config| model_name(config, providers)).unwrap_or_default();
    let provider_label = config.as_ref().and_then(|config| providers.rows.get_untracked(&config.provider));
    let provider_label = provider_label.map(|row| row.provider.label.clone()).unwrap_or_default();
    let read =
        move |get: fn(&Candidate) -> bool| select(move || row.with(|row| row.as_ref().is_some_and(get)));
    let (works, pickable) = (read(|lane| !is_over(lane.status)), read(|lane| lane.can_be_picked));
    let state = move || row.with(|row| row.as_ref().map(words::state));
    let name = move || row.with(|row| row.as_ref().map(words::state_name));
    let messages =
        select(move || row.with(|row| row.as_ref().map(|row| row.messages.clone()).unwrap_or_default()));
    let message_view = move |id: MessageId| {
        let stored = world
            .select(WorldParts::SESSIONS, move |world| world.message(&id).map(|row| PtrEq(Arc::clone(row))));
        let content = select(move || stored.get().filter(|row| row.0.status != MessageStatus::Processing));
        let open = RwSignal::new(false);
        view! { <MessageContent id role=Role::Assistant content thinking_open=open /> }
    };
    let now = use_now();
    let figures = move || {
        row.with(|row| {
            let row = row.as_ref()?;
            let began = row.began?;
            let until = row.ended.unwrap_or_else(|| now.get());
            let elapsed = all::elapsed(until.0.saturating_sub(began.0));
            Some(format!("{elapsed} · {}", words::used(&row.used)))
        })
    };
    let tools = move || {
        let runs = row.with(|row| row.as_ref().map(|row| row.tools.clone()).unwrap_or_default());
        let names = world.with(WorldParts::SESSIONS, |world| {
            let mut names: Vec<(String, usize)> = Vec::new();
            for run in runs.iter().filter_map(|id| world.tool_run(id)) {
                match names.iter_mut().find(|(name, _)| *name == run.call.name) {
                    Some((_, times)) => *times = times.saturating_add(1),
                    None => names.push((run.call.name.clone(), 1)),
                }
            }
            names
        });
        let notice: Vec<String> =
            names.iter().map(|(name, times)| words::tool(&reveal(name), *times)).collect();
        (!notice.is_empty()).then(|| view! {
            <p class="race-fact" data-testid="race-tools"><span class="label">{common::TOOLS}</span>" "{notice.join(", ")}</p>
        })
    };
    let changes = move || {
        let files = row.with(|row| row.as_ref().map(|row| row.touched.clone()).unwrap_or_default());
        let notice: Vec<String> = files.iter().map(|file| reveal(&words::touched(file))).collect();
        let notice = if notice.is_empty() { words::NO_CHANGES.to_owned() } else { notice.join(", ") };
        pickable.get().then(|| view! {
            <p class="race-fact" data-testid="race-changes"><span class="label">{common::CHANGES}</span>" "{notice}</p>
        })
    };
    let why = {
        let config = config.clone();
        move || {
            let failure = row.with(|row| row.as_ref().and_then(|row| row.failure.clone()))?;
            let (provider, model) = config.clone().map(|config| (config.provider, config.model))?;
            let known = providers.rows.get_untracked(&provider).map(|row| row.provider);
            let label = known.as_ref().map_or_else(|| provider.0.clone(), |known| known.label.clone());
            let address = known.map(|known| known.base_url.clone()).unwrap_or_default();
            let notice = all::failure(&failure, &label, &address, &model);
            Some(view! {
                <div class="race-failed" role="note" data-testid="race-failed">
                    <b>{notice.title}</b>
                    <p>{notice.advice}</p>
                    <pre tabindex="0">{language::translate_template(&failure.message)}</pre>
                </div>
            })
        }
    };
    let pending = world.select(WorldParts::SESSIONS, move |world| {
        let pending = world.session(&session).map(|row| awaiting_approval(world, row)).unwrap_or_default();
        pending.iter().map(|run| run.id).collect::<Vec<ToolRunId>>()
    });
    let paused = select(move || row.with(|row| row.as_ref().and_then(|row| row.pause.clone())));
    let waiting = move || {
        let (run, cause) = paused.get()?;
        let notice = all::pause(&cause);
        Some(view! {
            <div class="race-waits">
                <p><b>{notice.title}</b>" "{notice.advice}</p>
                {button(common::RESUME).test("race-resume").disabled(read_only)
                    .on_click(move |_| dispatch.send(Command::ContinueRun { run }))}
            </div>
        })
    };
    let pick = move |_| dispatch.send(Command::PickLane { session: focus.get_untracked(), lane: session });
    view! {
        <article
            class="race-lane" data-testid="race-lane" data-state=name data-session=session.to_string()
            data-model=config.map(|config| config.model) aria-label=words::with(number, &model)
        >
            <header class="race-lane-head">
                <h3 dir="auto">{reveal(&model)}</h3>
                <span class="race-whose">{reveal(&provider_label)}</span>
                <span class="tag" role="status" data-testid="race-state">{state}</span>
            </header>
            <div class="race-status" data-testid="race-status" tabindex="0" role="region" aria-label=words::with(number, &model)>
                {keyed_list(move || messages.get(), |id| *id, message_view)}
                <Show when=move || works.get() && messages.with(Vec::is_empty)>
                    <p class="message-wait">{words::WAITING}</p>
                </Show>
                {why}
                {approval_cards(pending)}
                {waiting}
            </div>
            {tools}
            {changes}
            <footer class="race-lane-foot">
                <span class="race-figures" data-testid="race-figures">{figures}</span>
                <Show when=move || works.get()>
                    {quiet_button(common::STOP).test("race-stop").disabled(read_only)
                        .on_click(move |_| dispatch.send(Command::Stop { session }))}
                </Show>
                <Show when=move || can_compare.get()>
                    {quiet_button(common::COMPARE).test("race-compare").on_click(move |_| compare.run(()))}
                    {quiet_button(words::MERGE).test("race-merge").title(words::MERGE_ABOUT)
                        .disabled(read_only).on_click(move |_| merge.run(()))}
                </Show>
                {button(words::USE).first().test("race-use")
                    .disabled(move || read_only.get() || !pickable.get()).on_click(pick)}
            </footer>
        </article>
    }
}

pub(crate) fn model_name(config: &ModelConfig, providers: Providers) -> String {
    let row = providers.rows.get_untracked(&config.provider);
    let listed = row.and_then(|row| row.models());
    let info = listed.as_ref().and_then(|list| list.models.iter().find(|info| info.id == config.model));
    info.map_or_else(|| all::model_name(&config.model), |info| info.name.clone())
}
