//! Performs the first start: sets up provider and agents and sends the first message; stops at a rejection. And finds
//! models on this machine: asks the usual ports of Ollama, LM Studio, llama.cpp and vLLM, on a click.

use crate::ui::prelude::*;
use nexus_engine::keys::KeyStorage;
use nexus_model::agent::defaults::REHEARSAL_MODEL;
use nexus_model::command::{NewMessage, Rejection};
use nexus_model::mind::MindWrite;
use nexus_model::provider::Provider;
use nexus_model::provider::presets::{PRESETS, Preset, ProviderKind};
use nexus_model::settings::schema::{FIRST_START_DONE, OPERATOR_NAME};
use nexus_view::strings::first_start as words;
use nexus_view::strings::settings::connection::{PageContext, checklist};

#[derive(Clone, PartialEq)]
pub(super) enum StartProvider {
    Rehearsal,
    /// A provider with this key, kept like this.
    Cloud(&'static Preset, String, KeyStorage),
    /// A model of a server on this machine.
    Local(LocalModel),
    /// Whoever the agents have in the settings.
    AsSet,
}

pub(super) struct FirstStartInput {
    /// The operator's name; may be empty.
    pub(super) name: String,
    pub(super) way: StartProvider,
    pub(super) objective: String,
}

/// Sets everything up and sends the first message.
pub(super) async fn begin(
    dispatch: Dispatch,
    agents: Agents,
    providers: Providers,
    beginning: FirstStartInput,
) -> Result<(), StartError> {
    let setting =
        |name: &str, value: serde_json::Value| Command::ChangeSetting { name: name.to_owned(), value };
    dispatch.ask(setting(OPERATOR_NAME.name(), beginning.name.into())).await?;
    match beginning.way {
        StartProvider::AsSet => {}
        StartProvider::Rehearsal => {
            use_for_all(dispatch, agents, &"rehearsal".into(), REHEARSAL_MODEL).await?
        }
        StartProvider::Cloud(preset, key, keeping) => {
            let provider = set_up(dispatch, providers, preset).await?;
            dispatch.enter_key(&provider, &key, keeping).await;
            let first = || async { dispatch.list_models(provider.id.clone()).await.ok()?.into_iter().next() };
            let model = match preset.model {
                Some(model) => Some(model.to_owned()),
                None => first().await.map(|model| model.id),
            };
            let Some(model) = model else { return Err(StartError::NoModel) };
            use_for_all(dispatch, agents, &provider.id, &model).await?;
        }
        StartProvider::Local(LocalModel { preset, model }) => {
            let provider = set_up(dispatch, providers, preset).await?;
            // Its list is kept for the settings; the model is known.
            drop(dispatch.list_models(provider.id.clone()).await);
            use_for_all(dispatch, agents, &provider.id, &model).await?;
        }
    }
    dispatch.ask(dispatch.mind_edit(vec![MindWrite::Objective(beginning.objective.clone())])).await?;
    dispatch.ask(Command::Say(NewMessage::new(dispatch.session(), beginning.objective))).await?;
    // It was typed for the objective.
    dispatch.discard_draft(&DraftField::Composer);
    Ok(dispatch.ask(setting(FIRST_START_DONE.name(), true.into())).await?)
}

pub(super) enum StartError {
    /// Told already.
    Rejected,
    NoModel,
}

impl From<Rejection> for StartError {
    fn from(_: Rejection) -> Self {
        Self::Rejected
    }
}

/// The provider of a preset, which is added where it is not there.
async fn set_up(dispatch: Dispatch, providers: Providers, preset: &Preset) -> Result<Provider, Rejection> {
    if let Some(row) = providers.rows.get_untracked(&preset.id.into()) {
        return Ok((*row.provider).clone());
    }
    let provider = preset.provider(std::iter::empty());
    dispatch.ask(Command::ChangeProvider { provider: provider.clone() }).await?;
    Ok(provider)
}

/// Lets all agents think with this model of this provider.
pub(crate) async fn use_for_all(
    dispatch: Dispatch,
    agents: Agents,
    provider: &ProviderId,
    model: &str,
) -> Result<(), Rejection> {
    for key in agents.order.get_untracked() {
        let Some(row) = agents.rows.get_untracked(&key) else { continue };
        let mut agent = (*row.agent).clone();
        agent.config.provider = provider.clone();
        agent.config.model = model.to_owned();
        agent.config.context_tokens = None;
        if let Some(credentials) = &mut agent.permissions.credentials {
            *credentials = vec![provider.clone()];
        }
        if agent == *row.agent {
            continue;
        }
        dispatch.ask(Command::ChangeAgent { agent }).await?;
    }
    Ok(())
}

#[derive(Clone, PartialEq)]
pub(super) struct LocalModel {
    pub preset: &'static Preset,
    pub model: String,
}

#[derive(Clone, Copy)]
pub(super) struct LocalSearch {
    /// The servers that have not answered yet; `None` before the first search.
    left: RwSignal<Option<usize>>,
    found: RwSignal<Vec<LocalModel>>,
    chosen: RwSignal<usize>,
}

impl LocalSearch {
    pub(super) fn new() -> Self {
        Self { left: RwSignal::new(None), found: RwSignal::new(Vec::new()), chosen: RwSignal::new(0) }
    }

    /// The model that the operator chose, else the first that was found.
    pub(super) fn chosen(self) -> Option<LocalModel> {
        self.found.with_untracked(|found| found.get(self.chosen.get_untracked()).cloned())
    }

    /// Asks all servers at once, unless that is being done.
    pub(super) fn look(self, dispatch: Dispatch) {
        if self.left.get_untracked().is_some_and(|left| left != 0) {
            return;
        }
        self.found.set(Vec::new());
        self.chosen.set(0);
        self.left.set(Some(servers().count()));
        for preset in servers() {
            spawn_local(async move {
                let answer = dispatch.probe_models(preset.provider(std::iter::empty())).await;
                let models = answer.unwrap_or_default().into_iter();
                let models: Vec<_> = models.map(|model| LocalModel { preset, model: model.id }).collect();
                // The screen may be gone by now.
                self.found.try_update(|found| found.extend(models));
                self.left.try_update(|left| *left = left.map(|left| left.saturating_sub(1)));
            });
        }
    }
}

fn servers() -> impl Iterator<Item = &'static Preset> {
    PRESETS.iter().filter(|preset| preset.host != ProviderKind::Other && !preset.needs_key)
}

/// What was found, and what to switch on where nothing was.
pub(super) fn local_models(search: LocalSearch, dispatch: Dispatch) -> Markup {
    let option = move |(at, one): (usize, LocalModel)| {
        let told = format!("{} · {}", one.preset.label, reveal(&one.model));
        view! { <option value=at.to_string() selected=at == search.chosen.get_untracked()>{told}</option> }
    };
    let choose = move |event| search.chosen.set(event_target_value(&event).parse().unwrap_or(0));
    let models = move || {
        let found = search.found.get();
        (!found.is_empty()).then(|| {
            let options: Vec<_> = found.into_iter().enumerate().map(option).collect();
            view! {
                <select class="select" data-testid="first-local-model" aria-label=words::LOCAL_MODEL on:change=choose>
                    {options}
                </select>
            }
        })
    };
    let nothing = move || {
        let is_over = search.left.get() == Some(0) && search.found.with(Vec::is_empty);
        is_over.then(|| {
            let origin = address::page_origin();
            let help = |preset: &'static Preset| {
                let page = PageContext { origin: &origin, online: true };
                // The first says where the server is looked for, the second what lets this page call it.
                let lines = checklist(preset.host, preset.base_url, page).into_iter().take(2);
                let lines: Vec<_> = lines.map(|line| view! { <li>{line.replace('`', "")}</li> }).collect();
                view! { <li><b>{preset.label}</b><ul>{lines}</ul></li> }
            };
            view! {
                <details class="first-help" open>
                    <summary>{words::LOCAL_HELP}</summary>
                    <ul data-testid="first-local-help">{servers().map(help).collect::<Vec<_>>()}</ul>
                </details>
                {quiet_button(words::LOOK_AGAIN).test("first-local-again").on_click(move |_| search.look(dispatch))}
            }
        })
    };
    let told = move || match (search.left.get(), search.found.with(Vec::len)) {
        (None, _) => None,
        (Some(0), 0) => Some(words::LOCAL_NONE.to_owned()),
        (Some(_), 0) => Some(words::LOOKING.to_owned()),
        (Some(_), found) => Some(words::local_found(found)),
    };
    view! {
        <p class="hint" role="status" data-testid="first-local-told">{told}</p>
        {models}
        {nothing}
    }
    .into_markup()
}
