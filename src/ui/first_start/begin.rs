//! Performs the first start: sets up provider and agents and sends the first message. Stops at a rejection.

use crate::ui::dispatch::Dispatch;
use crate::ui::first_start::local::LocalModel;
use crate::ui::view_state::{Agents, Providers};
use nexus_engine::keys::KeyStorage;
use nexus_model::agent::defaults::REHEARSAL_MODEL;
use nexus_model::command::{Command, NewMessage, Rejection};
use nexus_model::id::ProviderId;
use nexus_model::mind::MindWrite;
use nexus_model::provider::Provider;
use nexus_model::provider::presets::Preset;
use nexus_model::session::draft::DraftField;
use nexus_model::settings::schema::{FIRST_START_DONE, OPERATOR_NAME};

/// Who answers.
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

/// What the first screen brings together.
pub(super) struct FirstStartInput {
    /// The operator's name; may be empty.
    pub(super) name: String,
    pub(super) way: StartProvider,
    /// What shall be built.
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

/// Why nothing began.
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
    if let Some(row) = providers.get_untracked(&preset.id.into()) {
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
    for key in agents.order().get_untracked() {
        let Some(row) = agents.get_untracked(&key) else { continue };
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
