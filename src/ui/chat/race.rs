//! The race above the composer: the models' answers side by side, each with status, tools, changes and actions, and
//! the button that ends it; and the dialog that starts one: the question, the agent, and two or three models.
//!
//! Always shows why a model failed.

use crate::ui::agents::model_choice::ModelOption;
use crate::ui::chat::answer::MessageContent;
use crate::ui::chat::approval_card::approval_cards;
use crate::ui::hooks::page::load_stylesheets;
use crate::ui::prelude::*;
use crate::ui::tree_map::history_links::merge_path;
use crate::ui::tree_map::reflog::CompareTurns;
use nexus_model::llm::ModelConfig;
use nexus_model::run::Run;
use nexus_model::session::workers;
use nexus_model::session::workers::{
    Candidate, RACERS_LEAST, RacePrompt, RaceRequest, RaceView, awaiting_approval, shown_race,
};
use nexus_model::settings::schema::RACE_MODELS;
use nexus_view::strings as all;
use nexus_view::strings::chat::race as words;
use nexus_view::strings::tree as tree_words;

lazy_view!(board, lazy_race, RaceSlot);

#[component]
pub fn RaceSlot() -> impl IntoMarkup {
    let &Page { dispatch, history: records, sessions, world, .. } = expect_context();
    let (focus, read_only) = (sessions.focus, sessions.read_only);
    let shown = world.select(WorldParts::ALL, move |world| shown_race(world, focus.get()));
    let races = shown.map(Option::is_some);
    let has_race = expect_context::<Workspace>().panes.has_race;
    Effect::new(move || has_race.set(races.get()));
    let compared = RwSignal::new(None::<(TurnId, TurnId)>);
    let compares = move || compared.with(Option::is_some);
    let end = move |_| {
        let run = shown.with_some_untracked(|shown| Some(shown.run));
        run.into_iter().for_each(|run| dispatch.send_to_end(Command::EndRun { run }));
    };
    let order = shown.map_some(|shown| shown.lanes.iter().map(|lane| lane.session).collect::<Vec<_>>());
    let lane = move |session: SessionId| {
        let number = order.with_untracked(|order| order.iter().position(|lane| *lane == session));
        let number = number.unwrap_or_default().saturating_add(1);
        view! { <CandidateView session number shown compared /> }
    };
    let head = move || {
        let (agent, models) = world.with(WorldParts::ALL, |world| racers(world, focus.get()))?;
        let badge = AgentBadge::of(Some(&agent));
        Some(words::race_summary(&badge.name(), &models))
    };
    let is_waiting = shown.map_some(move |shown| shown.waits);
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
    let run: &Run = workers::open_race(world, world.session(&session)?)?;
    let configs = run.nodes.iter().filter_map(|node| node.config.as_ref());
    let models = configs.map(|config| strings::model_name(&config.model));
    Some((run.nodes.first()?.agent.clone()?, models.collect()))
}

#[component]
pub fn CandidateView(
    session: SessionId,
    /// Number of the lane, from 1.
    number: usize,
    shown: Selector<Option<RaceView>>,
    /// The turns of two lanes whose comparison is open.
    compared: RwSignal<Option<(TurnId, TurnId)>>,
) -> impl IntoMarkup {
    let &Page { dispatch, notices, now, providers, sessions, world, .. } = expect_context();
    let (focus, read_only) = (sessions.focus, sessions.read_only);
    let row = shown.map_some(move |shown| shown.lanes.iter().find(|lane| lane.session == session).cloned());
    let pair = shown.map_some(move |shown| pair_of(shown, session));
    let compare = move |_| {
        let Some((other, own)) = pair.get_untracked() else { return };
        // In the order of the lanes.
        let first = shown.with_some_untracked(|shown| {
            shown.lanes.iter().filter_map(|lane| lane.turn).find(|turn| [other, own].contains(turn))
        });
        // The stylesheet of the tree's comparison.
        spawn_local(load_stylesheets("settings"));
        compared.set(Some(if first == Some(own) { (own, other) } else { (other, own) }));
    };
    let merge = move |_| {
        let Some((other, _)) = pair.get_untracked() else { return };
        let pick = Command::PickLane { session: focus.get_untracked(), lane: session };
        spawn_local(async move {
            if dispatch.send_and_wait(pick).await.is_ok() {
                notices.add(NoticeKind::Info, words::USED, words::USED_ADVICE);
                address::follow(&merge_path(other));
            }
        });
    };
    let config = row.with_some_untracked(|row| row.config.clone());
    let model = config.as_ref().map(|config| model_name(config, providers)).unwrap_or_default();
    let provider_label = config.as_ref().map(|config| providers.label_untracked(&config.provider));
    let read = move |get: fn(&Candidate) -> bool| row.map_some(get);
    let (works, pickable) = (read(|lane| !lane.status.is_over()), read(|lane| lane.can_be_picked));
    let state = move || row.with_some(|row| Some(words::state(row)));
    let name = move || row.with_some(|row| Some(words::state_name(row)));
    let messages = row.map_some(move |row| row.messages.clone());
    let message_view = move |id: MessageId| {
        let stored = world
            .select(WorldParts::SESSIONS, move |world| world.message(&id).map(|row| PtrEq(Arc::clone(row))));
        let content = select(move || stored.get().filter(|row| row.0.status != MessageStatus::Processing));
        let open = RwSignal::new(false);
        view! { <MessageContent id role=Role::Assistant content thinking_open=open /> }
    };
    let figures = move || {
        row.with_some(|row| {
            let began = row.began?;
            let until = row.ended.unwrap_or_else(|| now.get());
            let elapsed = all::elapsed(until.0.saturating_sub(began.0));
            Some(format!("{elapsed} · {}", words::used(&row.used)))
        })
    };
    let tools = move || {
        let runs = row.with_some(|row| row.tools.clone());
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
        let notice: Vec<_> = names.iter().map(|(name, times)| words::tool(&reveal(name), *times)).collect();
        (!notice.is_empty()).then(|| view! {
            <p class="race-fact" data-testid="race-tools"><span class="label">{common::TOOLS}</span>" "{notice.join(", ")}</p>
        })
    };
    let changes = move || {
        let files = row.with_some(|row| row.touched.clone());
        let notice: Vec<String> = files.iter().map(|file| reveal(&words::touched(file))).collect();
        let notice = if notice.is_empty() { words::NO_CHANGES.to_owned() } else { notice.join(", ") };
        pickable.get().then(|| view! {
            <p class="race-fact" data-testid="race-changes"><span class="label">{common::CHANGES}</span>" "{notice}</p>
        })
    };
    let own_config = config.clone();
    let why = move || {
        let (failure, turn) = row.with_some(|row| row.failure.clone().zip(row.turn))?;
        let retry = Command::TryAgain { session, turn, agent: None, config: None, tools: None };
        let config = own_config.as_ref()?;
        let notice = providers.failure_notice(&config.provider, &failure, &config.model);
        Some(view! {
            <div class="race-failed" role="note" data-testid="race-failed">
                <b>{notice.title}</b>
                <p>{notice.advice}</p>
                <pre tabindex="0">{language::translate_template(&failure.message)}</pre>
                {button(tr("Retry")).test("retry").disabled(read_only)
                    .on_click(move |_| dispatch.send_to_end(retry.clone()))}
            </div>
        })
    };
    let pending = world.select(WorldParts::SESSIONS, move |world| {
        let pending = world.session(&session).map(|row| awaiting_approval(world, row)).unwrap_or_default();
        pending.iter().map(|run| run.id).collect::<Vec<ToolRunId>>()
    });
    let paused = row.map_some(move |row| row.pause.clone());
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
                <span class="race-whose">{provider_label.map(|label| reveal(&label))}</span>
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
                        .on_click(move |_| dispatch.send_to_end(Command::Stop { session }))}
                </Show>
                <Show when=move || pair.with(Option::is_some)>
                    {quiet_button(common::COMPARE).test("race-compare").on_click(compare)}
                    {quiet_button(words::MERGE).test("race-merge").title(words::MERGE_ABOUT)
                        .disabled(read_only).on_click(merge)}
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

/// The default choice: the agent's own model, then those it raced against last, or else the next one.
fn default_models(all: &[ModelOption], last: &[String]) -> [String; 3] {
    let own = all.first().map(|choice| choice.value.clone()).unwrap_or_default();
    let is_there = |value: &&String| **value != own && all.iter().any(|choice| choice.value == **value);
    let mut others = last.iter().filter(is_there).cloned();
    let next = all.iter().map(|choice| choice.value.clone()).find(|value| *value != own);
    let second = others.next().or(next).unwrap_or_default();
    let third = others.next().unwrap_or_default();
    [own, second, third]
}

fn strings(value: &Value) -> Vec<String> {
    let texts = value.as_array().into_iter().flatten();
    texts.filter_map(|one| one.as_str().map(str::to_owned)).collect()
}

/// The dialog. Races `turn` again; without one, a new question.
#[component]
pub fn RaceDialog(turn: Option<TurnId>) -> impl IntoMarkup {
    let &Page { agents, dispatch, providers, run, settings, world, .. } = expect_context();
    let Workspace { dialogs, images, target, .. } = expect_context();
    let works = run.is_open;
    let last = settings.value(RACE_MODELS).get_untracked();
    let last = last.as_deref().map(strings).unwrap_or_default();
    let (dialog, leave) = dialog::leaving(move || dialogs.opened.set(None));
    let roster: Vec<_> = untrack(|| agents.roster()).into_iter().map(|row| row.agent).collect();
    let before = turn.and_then(|turn| world.with_untracked(|world| Some(world.turn(&turn)?.agent.clone())));
    let recipient = target.with_untracked(|target| first_recipient(target).cloned());
    let first = roster.first().map(|agent| agent.key.clone());
    let is_here = |key: &AgentKey| roster.iter().any(|agent| agent.key == *key);
    let who = RwSignal::new(before.or(recipient).filter(is_here).or(first)?);
    let all = select(move || {
        let Some(row) = agents.rows.get_untracked(&who.get()) else { return Vec::new() };
        // Reruns when the list of models arrives.
        drop(providers.rows.row(&row.agent.config.provider).map(|row| row.get()));
        choices(&row.agent, agents, providers)
    });
    let chosen = RwSignal::new(default_models(&all.get_untracked(), &last));
    let picked = move || {
        let mut picked: Vec<ModelOption> = Vec::new();
        for value in chosen.get().iter().filter(|value| !value.is_empty()) {
            picked.extend(all.with(|all| all.iter().find(|choice| choice.value == *value).cloned()));
        }
        picked
    };
    if let Some(row) = agents.rows.get_untracked(&who.get_untracked()) {
        load_models(dispatch, providers, row.agent.config.provider.clone());
    }
    let before = last.clone();
    Effect::new(move |_| {
        let default_models = all.with(|all| default_models(all, &before));
        if untrack(picked).len() < RACERS_LEAST {
            chosen.set(default_models);
        }
    });
    let problem = move || {
        let picked = picked();
        let values: VecSet<&String> = picked.iter().map(|choice| &choice.value).collect();
        let is_twice = values.len() < picked.len();
        match picked.len() {
            _ if all.with(Vec::len) < RACERS_LEAST => Some(words::FEW),
            _ if works.get() => Some(tree_words::BUSY),
            0 | 1 => Some(words::TWICE),
            _ if is_twice => Some(words::TWICE),
            _ => None,
        }
    };
    let problem = select(problem);
    let composer = dispatch.field(&DraftField::Composer);
    let attached = move || images.with_untracked(|list| list.iter().map(|(_, blob)| blob.clone()).collect());
    let with_images = move || {
        let names = images.with(|list| list.iter().map(|(_, blob)| blob.name.clone()).collect::<Vec<_>>());
        (turn.is_none() && !names.is_empty()).then(|| {
            view! { <p class="hint" data-testid="race-images">{words::with_images(&names)}</p> }
        })
    };
    let field = NodeRef::<Textarea>::new();
    let start = move || {
        if problem.get_untracked().is_some() {
            return;
        }
        let picked = untrack(picked);
        // Attachments of the composer go to every lane.
        let sent: Vec<NewBlob> = if turn.is_none() { attached() } else { Vec::new() };
        let prompt = match turn {
            Some(turn) => RacePrompt::Turn(turn),
            None => {
                let text = field.get_untracked().map(|field| field.value()).unwrap_or_default();
                RacePrompt::Message { text, attachments: sent.clone() }
            }
        };
        let named: Vec<Value> = picked.iter().map(|choice| Value::String(choice.value.clone())).collect();
        let models = picked.into_iter().map(|choice| choice.config).collect();
        let session = dispatch.session();
        let request = RaceRequest { session, prompt, agent: who.get_untracked(), models };
        dispatch.notify_projector(ProjectorMessage::Read);
        dispatch.send_done(Command::Race(request), move || {
            dispatch.set_setting(RACE_MODELS, Value::Array(named));
            if turn.is_none() {
                composer.discard();
                dispatch.change_attachments(session, |list| list.retain(|(_, blob)| !sent.contains(blob)));
            }
            leave();
        });
    };
    let agent_option = |agent: &Arc<Agent>| {
        let is_chosen = who.with_untracked(|who| *who == agent.key);
        option(agent.key.0.clone(), agent.identity.name.clone(), is_chosen)
    };
    let options = roster.iter().map(agent_option);
    let last_models = StoredValue::new(last);
    let change_who = move |key| {
        who.set(AgentKey(key));
        chosen.set(last_models.with_value(|last| default_models(&all.get_untracked(), last)));
    };
    let model = move |index: usize| {
        let change = move |value| {
            chosen.update(|chosen| {
                if let Some(slot) = chosen.get_mut(index) {
                    *slot = value;
                }
            });
        };
        let none = (index >= RACERS_LEAST).then(|| option("", words::NO_THIRD, false));
        let listed = move || {
            let now = chosen.get_untracked().get(index).cloned().unwrap_or_default();
            let model_option = |choice: ModelOption| {
                let is_chosen = choice.value == now;
                option(choice.value, choice.label, is_chosen)
            };
            all.get().into_iter().map(model_option).into_markup()
        };
        let all = [none.into_markup(), listed.into_markup()];
        let select = select_box(all, change).test("race-model").with("data-place", index.to_string());
        labelled("race-choice", words::model(index.saturating_add(1)), select)
    };
    let about = match turn {
        Some(_) => view! { <p class="hint">{words::ASKED_AGAIN}</p> },
        None => view! {
            <textarea
                class="input" dir="auto" rows="3" data-testid="race-text" aria-label=words::ASKED_NEW
                placeholder=words::ASKED_NEW prop:value=composer.text.get_untracked().to_string()
                node_ref=field
                on:keydown=move |event| if event.key() == "Enter" && (event.ctrl_key() || event.meta_key()) {
                    event.prevent_default();
                    start();
                }
            />
        },
    };
    Some(
        modal("dialog turn-menu race-dialog", "race-dialog", leave)
            .titled("race-title")
            .node(dialog)
            .with_children(view! {
                <h2 id="race-title">{words::TITLE}</h2>
                <p class="hint">{words::ABOUT}</p>
                {about}
                {with_images}
                <div class="turn-row">
                    {labelled("race-choice", common::AGENT, select_box(options, change_who).test("race-agent"))}
                    {[0, 1, 2].map(model)}
                </div>
                <p class="field-problem" role="status" data-testid="race-problem">{problem}</p>
                <div class="turn-row">
                    {button(words::START).first().test("race-start").disabled(move || problem.get().is_some())
                        .on_click(move |_| start())}
                    {quiet_button(common::CLOSE).test("race-close").on_click(move |_| leave())}
                </div>
            }),
    )
}
