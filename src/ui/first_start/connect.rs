//! Connects a model at the first start: a provider with its key, or a model of a server on this machine, which a
//! search of their usual ports finds. And performs the start: sets the name and the agents and sends the first
//! message; stops at a rejection.
//!
//! The connection is loaded with the code that calls models, when one of them is chosen: the demonstration needs none
//! of it.

use futures_util::FutureExt as _;
use futures_util::future::LocalBoxFuture;

use crate::lazy;
use crate::ui::prelude::*;
use crate::ui::settings::providers::key::KeyPlace;
use nexus_model::command::Rejection;
use nexus_model::provider::address::{ApiKeyError, clean_key};
use nexus_model::provider::presets::Preset;
use nexus_model::provider::{ModelInfo, Provider};
use nexus_view::strings::first_start as words;
use nexus_view::strings::settings::providers::{PageContext, checklist};

pub(super) enum WantedModel {
    /// A model of this provider, with the key as it was typed.
    Cloud {
        preset: &'static Preset,
        key: String,
        place: KeyPlace,
    },
    Local(LocalModel),
}

#[derive(Clone, Copy)]
pub(crate) struct Connector {
    pub(super) search: fn(LocalSearch, Dispatch),
    pub(super) local_models: fn(LocalSearch, Dispatch) -> Markup,
    /// Sets up the provider and uses the model for all agents.
    pub(super) connect: fn(&'static Page, WantedModel) -> LocalBoxFuture<'static, Result<(), StartError>>,
}

lazy! {
    codecs::lazy_connector: Connector = Connector {
        search: LocalSearch::start,
        local_models,
        connect: |page, wanted| connect(page, wanted).boxed_local(),
    };
}

async fn connect(page: &'static Page, wanted: WantedModel) -> Result<(), StartError> {
    let &Page { dispatch, providers, .. } = page;
    let (provider, model, window) = match wanted {
        WantedModel::Cloud { preset, key, place } => {
            let key = clean_key(&key).map_err(|error| {
                let is_empty = matches!(error, ApiKeyError::Empty);
                StartError::Wrong(if is_empty { words::NO_KEY } else { words::NOT_A_KEY }.to_owned())
            })?;
            let storage = place.decided(dispatch).await.map_err(StartError::Wrong)?;
            let provider = set_up(dispatch, providers, preset).await?;
            dispatch.enter_key(&provider, &key, storage).await;
            match preset.model {
                Some(model) => (provider, model.to_owned(), None),
                None => {
                    let listed = dispatch.engine().list_models(provider.id.clone()).await.unwrap_or_default();
                    let first = listed.into_iter().next();
                    let first = first.ok_or_else(|| StartError::Wrong(words::NO_MODEL.to_owned()))?;
                    (provider, first.id, first.input_limit)
                }
            }
        }
        WantedModel::Local(LocalModel { preset, model }) => {
            let provider = set_up(dispatch, providers, preset).await?;
            // The settings show the list, too.
            let listed = dispatch.engine().list_models(provider.id.clone()).await.unwrap_or_default();
            let window = reported_window(&listed, &model);
            (provider, model, window)
        }
    };
    Ok(use_for_all(page, &provider.id, &model, window).await?)
}

/// The provider of a preset; adds it if it is missing.
async fn set_up(dispatch: Dispatch, providers: Providers, preset: &Preset) -> Result<Provider, Rejection> {
    if let Some(row) = providers.rows.get_untracked(&preset.id.into()) {
        return Ok((*row.provider).clone());
    }
    let provider = preset.provider(std::iter::empty());
    dispatch.send_and_wait(Command::ChangeProvider { provider: provider.clone() }).await?;
    Ok(provider)
}

#[derive(Clone, PartialEq)]
pub(super) struct LocalModel {
    pub preset: &'static Preset,
    pub model: String,
}

#[derive(Clone, Copy, Default)]
pub(super) struct LocalSearch {
    /// Number of servers that have not responded; `None` before the first search.
    pub(super) left: RwSignal<Option<usize>>,
    found: RwSignal<Vec<LocalModel>>,
    chosen: RwSignal<usize>,
}

impl LocalSearch {
    /// The model that the operator chose, else the first one found.
    pub(super) fn chosen(self) -> Option<LocalModel> {
        self.found.with_untracked(|found| found.get(self.chosen.get_untracked()).cloned())
    }

    /// Probes all servers at once, unless a search is running.
    fn start(self, dispatch: Dispatch) {
        if self.left.get_untracked().is_some_and(|left| left != 0) {
            return;
        }
        self.found.set(Vec::new());
        self.chosen.set(0);
        self.left.set(Some(servers().count()));
        for preset in servers() {
            spawn_local(async move {
                let response = dispatch.engine().probe_models(preset.provider(std::iter::empty())).await;
                let models = response.unwrap_or_default().into_iter();
                let models: Vec<_> = models.map(|model| LocalModel { preset, model: model.id }).collect();
                self.found.update(|found| found.extend(models));
                self.left.update(|left| *left = left.map(|left| left.saturating_sub(1)));
            });
        }
    }
}

pub(super) fn servers() -> impl Iterator<Item = &'static Preset> {
    PRESETS.iter().filter(|preset| !preset.needs_key)
}

/// The models found, or setup help if there are none.
fn local_models(search: LocalSearch, dispatch: Dispatch) -> Markup {
    let option = move |(at, one): (usize, LocalModel)| {
        let label = format!("{} · {}", one.preset.label, reveal(&one.model));
        view! { <option value=at.to_string() selected=at == search.chosen.get_untracked()>{label}</option> }
    };
    let choose = move |event| search.chosen.set(event_target_value(&event).parse().unwrap_or(0));
    let models = move || {
        let found = search.found.get();
        (!found.is_empty()).then(|| {
            view! {
                <select class="select" data-testid="first-local-model" aria-label=words::LOCAL_MODEL on:change=choose>
                    {found.into_iter().enumerate().map(option)}
                </select>
            }
        })
    };
    let help = move || {
        let is_over = search.left.get() == Some(0) && search.found.with(Vec::is_empty);
        is_over.then(|| {
            let origin = address::page_origin();
            let help = |preset: &'static Preset| {
                let page = PageContext { origin: &origin, online: true };
                // The first two lines: where the server is expected, and how to allow calls from this page.
                let lines = checklist(preset, preset.base_url, page).into_iter().take(2);
                let lines = lines.map(|line| view! { <li>{line.replace('`', "")}</li> });
                view! { <li><b>{preset.label}</b><ul>{lines}</ul></li> }
            };
            view! {
                <details class="first-help" open>
                    <summary>{words::LOCAL_HELP}</summary>
                    <ul data-testid="first-local-help">{servers().map(help).collect::<Vec<_>>()}</ul>
                </details>
                {quiet_button(words::LOOK_AGAIN).test("first-local-again").on_click(move |_| search.start(dispatch))}
            }
        })
    };
    let label = move || match (search.left.get(), search.found.with(Vec::len)) {
        (None, _) => None,
        (Some(0), 0) => Some(words::LOCAL_NONE.to_owned()),
        (Some(_), 0) => Some(words::LOOKING.to_owned()),
        (Some(_), found) => Some(words::local_found(found)),
    };
    view! {
        <p class="hint" role="status" data-testid="first-local-status">{label}</p>
        {models}
        {help}
    }
    .into_markup()
}

pub(super) struct FirstStartInput {
    /// The operator's name; may be empty.
    pub(super) name: String,
    pub(super) uses_demo: bool,
    pub(super) objective: String,
}

/// Sets everything up but the provider, and sends the first message.
pub(super) async fn begin(page: &'static Page, input: FirstStartInput) -> Result<(), StartError> {
    let &Page { dispatch, .. } = page;
    let setting = |name: &str, value: Value| Command::ChangeSetting { name: name.to_owned(), value };
    dispatch.send_and_wait(setting(OPERATOR_NAME.name(), input.name.into())).await?;
    if input.uses_demo {
        use_for_all(page, &"rehearsal".into(), DEMO_MODEL, None).await?;
    }
    dispatch.send_and_wait(dispatch.mind_edit(vec![MindWrite::Objective(input.objective.clone())])).await?;
    let message = NewMessage::new(dispatch.session(), input.objective);
    dispatch.send_and_wait(Command::SendMessage(message)).await?;
    // The draft became the objective.
    dispatch.discard_draft(&DraftField::Composer);
    Ok(dispatch.send_and_wait(setting(FIRST_START_DONE.name(), true.into())).await?)
}

pub(super) enum StartError {
    /// Shown already.
    Rejected,
    /// With the text to show.
    Wrong(String),
}

impl From<Rejection> for StartError {
    fn from(_: Rejection) -> Self {
        Self::Rejected
    }
}

pub(crate) fn reported_window(listed: &[ModelInfo], model: &str) -> Option<u64> {
    listed.iter().find(|one| one.id == model)?.input_limit
}

pub(crate) async fn use_for_all(
    page: &'static Page,
    provider: &ProviderId,
    model: &str,
    window: Option<u64>,
) -> Result<(), Rejection> {
    let &Page { agents, dispatch, .. } = page;
    for row in untrack(|| agents.roster()) {
        let mut agent = (*row.agent).clone();
        agent.config.provider = provider.clone();
        agent.config.model = model.to_owned();
        agent.config.context_tokens = window;
        if let Some(credentials) = &mut agent.permissions.credentials {
            *credentials = vec![provider.clone()];
        }
        if agent != *row.agent {
            dispatch.send_and_wait(Command::ChangeAgent { agent }).await?;
        }
    }
    Ok(())
}
