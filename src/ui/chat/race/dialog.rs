//! The dialog that starts a race: the question, the agent, and two or three models.

use leptos::html::{Dialog, Textarea};
use serde_json::Value;

use crate::ui::agents::model_choice::{ModelOption, choices, load_models};
use crate::ui::chat::composer::images::PendingImages;
use crate::ui::prelude::*;
use crate::ui::view_state::ProjectorMessage;
use crate::ui::workspace::Recipients;
use crate::ui::workspace::dialogs::DialogState;
use nexus_model::mind::blob::NewBlob;
use nexus_model::session::Target;
use nexus_model::session::race::{RACERS_LEAST, RacePrompt, RaceRequest};
use nexus_model::settings::schema::RACE_MODELS;
use nexus_text::vec_map::VecSet;
use nexus_view::strings::chat::race as words;
use nexus_view::strings::tree as tree_words;

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
pub fn RaceDialog(
    /// The turn whose question is asked again.
    turn: Option<TurnId>,
) -> impl IntoMarkup {
    let (dispatch, dialogs) = (expect_context::<Dispatch>(), expect_context::<DialogState>());
    let (world, works) = (expect_context::<WorldReader>(), expect_context::<RunView>().is_open);
    let (agents, providers) = (expect_context::<Agents>(), expect_context::<Providers>());
    let last = expect_context::<Settings>().value(RACE_MODELS).get_untracked();
    let last = last.as_deref().map(strings).unwrap_or_default();
    let Recipients(target) = expect_context();
    let dialog = NodeRef::<Dialog>::new();
    let leave = move || dialogs.leave(dialog);
    let roster: Vec<_> = {
        let keys = agents.order.get_untracked().into_iter();
        keys.filter_map(|key| agents.rows.get_untracked(&key)).map(|row| row.agent).collect()
    };
    let before = turn.and_then(|turn| world.with_untracked(|world| Some(world.turn(&turn)?.agent.clone())));
    let recipient = match target.get_untracked() {
        Target::Agents(keys) => keys.first().cloned(),
        Target::All => None,
    };
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
    let PendingImages(images) = expect_context();
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
        let request = RaceRequest { session: dispatch.session(), prompt, agent: who.get_untracked(), models };
        dispatch.notify_projector(ProjectorMessage::Read);
        dispatch.send_done(Command::Race(request), move || {
            dispatch.set_setting(RACE_MODELS, Value::Array(named));
            if turn.is_none() {
                composer.discard();
                images.update(|list| list.retain(|(_, blob)| !sent.contains(blob)));
            }
            leave();
        });
    };
    let options = roster.iter().map(|agent| {
        let is_chosen = who.with_untracked(|who| *who == agent.key);
        view! { <option value=agent.key.0.clone() selected=is_chosen>{agent.identity.name.clone()}</option> }
    });
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
        let none = (index >= RACERS_LEAST).then(|| view! { <option value="">{words::NO_THIRD}</option> });
        let listed = move || {
            let now = chosen.get_untracked().get(index).cloned().unwrap_or_default();
            let option = |choice: ModelOption| {
                let is_chosen = choice.value == now;
                view! { <option value=choice.value selected=is_chosen>{choice.label}</option> }
            };
            all.get().into_iter().map(option).into_markup()
        };
        let label = words::model(index.saturating_add(1));
        let all = [none.into_markup(), listed.into_markup()];
        let select = select_box(all, change).test("race-model").with("data-place", index.to_string());
        view! { <label class="race-choice"><span>{label}</span>{select}</label> }
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
                    <label class="race-choice">
                        <span>{common::AGENT}</span>{select_box(options, change_who).test("race-agent")}
                    </label>
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
