//! The form that reruns a run from a turn of the selected node, with one change.

use crate::ui::prelude::*;
use crate::ui::run_graph::state::RunScreenState;
use crate::ui::tree_map::history_links::run_graph_path;
use nexus_view::run_graph::rerun::{RerunForm, RerunPart, RerunTurn, rerun_turns};
use nexus_view::strings::rerun as words;

#[component]
pub(super) fn Rerun(state: RunScreenState) -> impl IntoMarkup {
    let (dispatch, world) = (expect_context::<Dispatch>(), expect_context::<WorldReader>());
    // Turns are read when the form opens: most visits do not rerun.
    let turns = RwSignal::new(None::<Vec<RerunTurn>>);
    let turn = RwSignal::new(None::<TurnId>);
    let form = RwSignal::new(RerunForm::default());
    let node = select(move || state.selected_node().map(|node| node.id));
    Effect::new(move |_| {
        node.with(|_| ());
        turns.set(None);
    });
    let chosen = select(move || {
        turns.with(|turns| turns.as_ref()?.iter().find(|one| Some(one.id) == turn.get()).cloned())
    });
    let begin = move |id: Option<TurnId>, part: RerunPart| {
        turn.set(id);
        let of = chosen.with_untracked(|turn| turn.as_ref().map(|turn| RerunForm::of(turn, part)));
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
        let request = chosen.with_untracked(|turn| {
            let turn = turn.as_ref()?;
            Some((turn.id, form.with_untracked(|form| form.change(turn))?))
        });
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
    let part = select(move || form.with(|form| form.part));
    let fields = move || {
        let known = turns.get()?;
        let now = chosen.get()?;
        let choices: Vec<_> = known
            .iter()
            .map(|turn| (turn.id.to_string(), words::turn(turn.number, &turn.config.model)))
            .collect();
        let value = select(move || turn.get().map(|id| id.to_string()).unwrap_or_default());
        let pick = move |id: String| begin(id.parse().ok(), RerunPart::Nothing);
        let which = choice_field("rerun-turn", words::TURN, Selector::fixed(choices), value, pick);
        let inputs = (0..now.inputs.len()).map(RerunPart::Input);
        let parts =
            std::iter::once(RerunPart::Nothing).chain(inputs).chain([RerunPart::Model, RerunPart::Persona]);
        let choices: Vec<_> = parts.map(|part| (part.code(), words::part(&now, part))).collect();
        let value = select(move || part.get().code());
        let pick = move |code: String| begin(turn.get_untracked(), RerunPart::read(&code));
        let what = choice_field("rerun-change", common::CHANGE, Selector::fixed(choices), value, pick);
        Some(view! {
            <p class="hint">{words::ABOUT}</p>
            {which.test("rerun-turn")}
            {what.test("rerun-change")}
            <ChangeField form part=part.get() />
            {button(words::START).first().test("rerun-start").disabled(is_invalid).on_click(start)}
        })
    };
    let has_turns = select(move || state.selected_node().is_some_and(|node| !node.turns.is_empty()));
    view! {
        <Show when=move || has_turns.get()>
            <div class="run-rerun" data-testid="run-rerun">
                {quiet_button(words::TITLE).test("rerun-open").title(words::ABOUT).on_click(open)}
                {fields}
            </div>
        </Show>
    }
}

#[component]
fn ChangeField(form: RwSignal<RerunForm>, part: RerunPart) -> impl IntoMarkup {
    let world = expect_context::<WorldReader>();
    let initial = form.get_untracked();
    match part {
        RerunPart::Nothing => Markup::default(),
        RerunPart::Input(_) => view! {
            <textarea
                class="area" rows="3" data-testid="rerun-text" aria-label=words::TEXT dir="auto" prop:value=initial.text
                on:input=move |event| form.update(|form| form.text = event_target_value(&event))
            ></textarea>
        },
        RerunPart::Model => {
            let providers: Vec<_> = world.with_untracked(|world| {
                let all = world.providers.values().filter_map(|row| row.as_ref().as_ref());
                all.map(|provider| (provider.id.to_string(), provider.label.clone())).collect()
            });
            let value = select(move || form.with(|form| form.provider.clone()));
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
            let value = select(move || form.with(|form| form.agent.clone()));
            let pick = move |key: String| form.update(|form| form.agent = key);
            select_box(options(agents, value), pick).test("rerun-agent").label(common::AGENT).into_markup()
        }
    }
}
