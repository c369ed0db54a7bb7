//! The panel of the selected node: its facts and usage, transcript, envelopes and files; the form that reruns a run
//! from one of its turns, with one change; and the run's budget.

use crate::ui::prelude::*;
use crate::ui::run_graph::canvas::TRANSCRIPT;
use crate::ui::run_graph::state::RunScreenState;
use crate::ui::run_graph::template_dialog::as_json;
use crate::ui::run_graph::terminal_pane::TerminalPane;
use crate::ui::run_graph::transcript_pane::TranscriptPane;
use crate::ui::screens::inspect::Disclosure;
use nexus_model::run::RunLimits;
use nexus_view::run_graph::MadeArtifact;
use nexus_view::run_graph::replay::{RerunForm, RerunPart, RerunTurn, rerun_turns};
use nexus_view::strings::board::files;
use nexus_view::strings::{cost_of, run_graph as words, tokens};

#[component]
pub(super) fn NodePanel(state: RunScreenState) -> impl IntoMarkup {
    let node = select(move || state.selected_node());
    let name = move || node.with_some(|node| state.full_name(node));
    let accent = move || node.with_some(|node| state.accent(node));
    let facts = move || {
        node.with_some(|node| {
            let model = node.config.as_ref().map(|config| model_name(&config.model));
            let spent = Some(words::spent(node)).filter(|spent| !spent.is_empty());
            let title = Some(reveal(&node.title)).filter(|title| !title.is_empty());
            let kind = words::role(node.role).to_owned();
            let status = words::node_state(node).to_owned();
            let parts = [Some(kind), Some(status), model, spent, title];
            parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
        })
    };
    view! {
        <aside class="run-panel" data-testid="run-panel" aria-label=words::DETAILS>
            <header class="run-panel-head" data-accent=accent>
                <h2 data-testid="run-panel-name">{name}</h2>
                <p class="hint" data-testid="run-panel-facts">{facts}</p>
            </header>
            <TerminalPane state />
            <TranscriptPane state id=Some(TRANSCRIPT) />
            <div class="run-facts">
                <Show when=move || !state.is_imported()><Rerun state /></Show>
                <Envelopes state />
                <Artifacts state />
                <Budget state />
            </div>
        </aside>
    }
}

#[component]
fn Envelopes(state: RunScreenState) -> impl IntoMarkup {
    let known = select(move || {
        let at = state.selected();
        state.diagram.with_some(|diagram| {
            let received =
                diagram.edges.iter().filter(|edge| edge.to == at).filter_map(|edge| {
                    Some((state.name(diagram.nodes.get(edge.from)?), edge.envelope.clone()?))
                });
            (received.collect::<Vec<_>>(), diagram.nodes.get(at).and_then(|node| node.output.clone()))
        })
    });
    move || {
        let (received, output) = known.get();
        let fold = |test: &'static str, head: String, envelope: &Envelope| {
            let head = format!("{head} · {}", words::envelope_status(&envelope.status)).into_markup();
            view! { <Disclosure test head text=as_json(envelope) /> }
        };
        let inputs = (!received.is_empty()).then(|| {
            let rows = received.iter();
            let rows = rows.map(|(from, envelope)| fold("run-envelope-in", words::from_node(from), envelope));
            view! { <h3 class="label">{words::ENVELOPES_IN}</h3> {rows} }
        });
        let output = output.map(|output| fold("run-envelope", words::ENVELOPE.to_owned(), &output));
        view! { {inputs} {output} }
    }
}

#[component]
fn Artifacts(state: RunScreenState) -> impl IntoMarkup {
    let made = select(move || {
        let node = state.selected_node();
        let turns = node.as_ref().map(|node| node.turns.clone()).unwrap_or_default();
        let number = move |made: &MadeArtifact| {
            turns.iter().position(|turn| Some(*turn) == made.turn).map(|place| place + 1)
        };
        let made = node.map(|node| node.artifacts).unwrap_or_default();
        made.into_iter().map(|made| (number(&made), made)).collect::<Vec<_>>()
    });
    move || {
        let rows = made.get().into_iter().map(|(number, made)| view! { <ArtifactRow state number made /> });
        (rows.len() > 0).then(|| {
            view! {
                <h3 class="label">{words::ARTIFACTS}</h3>
                <ul class="run-artifacts" data-testid="run-artifacts">{rows}</ul>
            }
        })
    }
}

#[component]
fn ArtifactRow(state: RunScreenState, number: Option<usize>, made: MadeArtifact) -> impl IntoMarkup {
    let &Page { notices, .. } = expect_context();
    let (path, hash) = (made.artifact.path, made.artifact.hash);
    let text = RwSignal::new(None::<Result<Arc<str>, &'static str>>);
    // Shows the file, and saves it if it gets a path.
    let read = move |path: Option<String>| {
        spawn_local(async move {
            let content = content(state, hash).await;
            if let Some((path, content)) = path.zip(content.as_deref()) {
                save_file(&path, notices, content);
            }
            text.set(Some(content.ok_or(words::NOT_KEPT.get())));
        });
    };
    let look = move |_| {
        if text.with_untracked(Option::is_some) {
            text.set(None);
        } else {
            read(None);
        }
    };
    let saved = path.clone();
    let save = move |_| read(Some(saved.clone()));
    let label = words::preview_of(&path);
    let about = label.clone();
    let content = move || {
        let label = label.clone();
        text.get().map(|text| match text {
            Ok(text) => view! { <pre class="inspect-text" tabindex="0" role="group" aria-label=label data-testid="run-artifact-text" dir="auto">{text.to_string()}</pre> },
            Err(error) => view! { <p class="hint" role="status">{error}</p> },
        })
    };
    view! {
        <li>
            <div class="run-artifact">
                <button
                    type="button" class="quiet" data-testid="run-artifact" title=about
                    aria-expanded=move || text.with(Option::is_some).to_string() on:click=look
                >{reveal(&path)}</button>
                <span class="hint">{words::made_in(&made.artifact.kind, number)}</span>
                {quiet_button(common::DOWNLOAD).test("run-artifact-save").label(words::download_of(&path)).on_click(save)}
            </div>
            {content}
        </li>
    }
}

async fn content(state: RunScreenState, hash: Option<ContentHash>) -> Option<Arc<str>> {
    let hash = hash?;
    let texts = state.texts([hash]).await.ok()?;
    texts.get(&hash).cloned()
}

fn save_file(path: &str, notices: Notices, text: &str) {
    let short = path.rsplit('/').next().unwrap_or(path);
    if !download_bytes(short, text.as_bytes()) {
        notices.add(NoticeKind::Error, files::NOT_DOWNLOADED, files::NOT_DOWNLOADED_ADVICE);
    }
}

#[component]
fn Budget(state: RunScreenState) -> impl IntoMarkup {
    let known = state.diagram.map_some(move |shown| Some((shown.used, shown.run.caps)));
    move || {
        let (used, caps): (RunUsage, RunLimits) = known.get()?;
        let bar = |name: &'static str, used: f64, cap: f64, label: String| {
            view! {
                <label class="run-budget">
                    <span>{label}</span>
                    <progress aria-label=name max=cap.max(1.0).to_string() value=used.min(cap.max(1.0)).to_string()></progress>
                </label>
            }
        };
        let counted = |name: Text, used: u32, cap: u32| {
            let label = words::budget(name.get(), &used.to_string(), &cap.to_string());
            bar(name.get(), f64::from(used), f64::from(cap), label)
        };
        let of_calls = counted(words::CALLS, used.calls, caps.calls);
        let label = words::budget(words::TOKENS.get(), &tokens(used.tokens), &tokens(caps.tokens));
        let of_tokens = bar(words::TOKENS.get(), used.tokens as f64, caps.tokens as f64, label);
        let label = format!("{}: {}", common::COST, cost_of(&used, caps.cost));
        let of_cost = bar(common::COST.get(), used.cost.0 as f64, caps.cost.0 as f64, label);
        let counts = [
            (words::TURNS, used.turns, caps.turns),
            (words::TOOL_CALLS, used.tool_calls, caps.tool_calls),
            (words::MINUTES, used.minutes(), caps.minutes),
        ];
        let others = counts.map(|(name, used, cap)| Some(counted(name, used, cap?)));
        Some(view! {
            <h3 class="label">{words::BUDGET}</h3>
            <div class="run-budgets" data-testid="run-budget">{of_calls} {of_tokens} {of_cost} {others}</div>
        })
    }
}

#[component]
pub(super) fn Rerun(state: RunScreenState) -> impl IntoMarkup {
    let &Page { dispatch, world, .. } = expect_context();
    // Turns are read when the form opens: most visits do not rerun.
    let turns = RwSignal::new(None::<Vec<RerunTurn>>);
    let turn = RwSignal::new(None::<TurnId>);
    let form = RwSignal::new(RerunForm::default());
    let node = select(move || state.selected_node().map(|node| node.id));
    Effect::new(move |_| {
        node.track();
        turns.set(None);
    });
    let chosen = turns.map_some(move |turns| turns.iter().find(|one| Some(one.id) == turn.get()).cloned());
    let begin = move |id: Option<TurnId>, part: RerunPart| {
        turn.set(id);
        let of = chosen.with_some_untracked(|turn| Some(RerunForm::of(turn, part)));
        form.set(of.unwrap_or_default());
    };
    let open = move |_| {
        if turns.with_untracked(Option::is_some) {
            return turns.set(None);
        }
        let Some(node) = state.selected_node() else { return };
        let found = state.with_replay(|replay| rerun_turns(&replay.world_at(replay.len()), &node));
        let first = found.first().map(|turn| turn.id);
        turns.set(Some(found));
        begin(first, RerunPart::Nothing);
    };
    let start = move |_| {
        let request = chosen
            .with_some_untracked(|turn| Some((turn.id, form.with_untracked(|form| form.change(turn))?)));
        let Some((turn, change)) = request else { return };
        dispatch.rerun(turn, change, move |session| {
            let run = world.with_untracked(|world| world.session(&session).and_then(|row| row.run));
            if let Some(run) = run {
                address::follow(&run_graph_path(run));
            }
        });
    };
    let is_invalid = move || {
        chosen.with(|turn| turn.as_ref().is_none_or(|turn| form.with(|form| form.change(turn)).is_none()))
    };
    let part = form.map(move |form| form.part);
    let fields = move || {
        let known = turns.get()?;
        let now = chosen.get()?;
        let choices: Vec<_> = known
            .iter()
            .map(|turn| (turn.id.to_string(), words::turn_to_rerun(turn.number, &turn.config.model)))
            .collect();
        let value = select(move || turn.get().map(|id| id.to_string()).unwrap_or_default());
        let pick = move |id: String| begin(id.parse().ok(), RerunPart::Nothing);
        let which = choice_field("rerun-turn", words::RERUN_TURN, Selector::fixed(choices), value, pick);
        let inputs = (0..now.inputs.len()).map(RerunPart::Input);
        let parts =
            std::iter::once(RerunPart::Nothing).chain(inputs).chain([RerunPart::Model, RerunPart::Persona]);
        let choices: Vec<_> = parts.map(|part| (part.code(), words::part(&now, part))).collect();
        let value = select(move || part.get().code());
        let pick = move |code: String| begin(turn.get_untracked(), RerunPart::read(&code));
        let what = choice_field("rerun-change", common::CHANGE, Selector::fixed(choices), value, pick);
        Some(view! {
            <p class="hint">{words::RERUN_ABOUT}</p>
            {which.test("rerun-turn")}
            {what.test("rerun-change")}
            <ChangeField form part=part.get() />
            {button(words::RERUN_START).first().test("rerun-start").disabled(is_invalid).on_click(start)}
        })
    };
    let has_turns = select(move || state.selected_node().is_some_and(|node| !node.turns.is_empty()));
    view! {
        <Show when=move || has_turns.get()>
            <div class="run-rerun" data-testid="run-rerun">
                {quiet_button(words::RERUN_TITLE).test("rerun-open").title(words::RERUN_ABOUT).on_click(open)}
                {fields}
            </div>
        </Show>
    }
}

#[component]
fn ChangeField(form: RwSignal<RerunForm>, part: RerunPart) -> impl IntoMarkup {
    let &Page { world, .. } = expect_context();
    let initial = form.get_untracked();
    match part {
        RerunPart::Nothing => Markup::default(),
        RerunPart::Input(_) => view! {
            <textarea
                class="area" rows="3" data-testid="rerun-text" aria-label=words::RERUN_TEXT dir="auto" prop:value=initial.text
                on:input=move |event| form.update(|form| form.text = event_target_value(&event))
            ></textarea>
        },
        RerunPart::Model => {
            let providers: Vec<_> = world.with_untracked(|world| {
                let all = world.providers.values().filter_map(|row| row.as_ref().as_ref());
                all.map(|provider| (provider.id.to_string(), provider.label.clone())).collect()
            });
            let value = form.map(move |form| form.provider.clone());
            let pick = move |id: String| form.update(|form| form.provider = id);
            let provider =
                select_box(options(providers, value), pick).test("rerun-provider").label(common::PROVIDER);
            view! {
                {provider}
                <input
                    class="input" type="text" data-testid="rerun-model" aria-label=common::MODEL autocomplete="off"
                    spellcheck="false" prop:value=initial.model
                    on:input=move |event| form.update(|form| form.model = event_target_value(&event))
                />
            }
        }
        RerunPart::Persona => {
            let agents: Vec<_> = world.with_untracked(|world| {
                let all = world.roster().into_iter();
                all.map(|agent| (agent.key.to_string(), agent.identity.name.clone())).collect()
            });
            let value = form.map(move |form| form.agent.clone());
            let pick = move |key: String| form.update(|form| form.agent = key);
            select_box(options(agents, value), pick).test("rerun-agent").label(common::AGENT).into_markup()
        }
    }
}
