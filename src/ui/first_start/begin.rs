//! Performs the first start: sets up provider and agents and sends the first message. Stops at a rejection.

use crate::ui::dispatch::Dispatch;
use crate::ui::view_state::{Agents, Providers};
use nexus_engine::keys::KeyStorage;
use nexus_model::agent::defaults::{GEMINI_MODEL, REHEARSAL_MODEL};
use nexus_model::command::{Command, NewMessage, Rejection};
use nexus_model::id::ProviderId;
use nexus_model::mind::MindWrite;
use nexus_model::provider::Provider;
use nexus_model::session::draft::DraftField;
use nexus_model::settings::schema::{FIRST_START_DONE, OPERATOR_NAME};

/// Who answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum StartProvider {
    Rehearsal,
    /// Gemini with this key, kept like this.
    Gemini(String, KeyStorage),
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
) -> Result<(), Rejection> {
    let setting =
        |name: &str, value: serde_json::Value| Command::ChangeSetting { name: name.to_owned(), value };
    dispatch.ask(setting(OPERATOR_NAME.name(), beginning.name.into())).await?;
    match beginning.way {
        StartProvider::AsSet => {}
        StartProvider::Rehearsal => {
            use_for_all(dispatch, agents, &"rehearsal".into(), REHEARSAL_MODEL).await?
        }
        StartProvider::Gemini(key, keeping) => {
            let gemini = ProviderId::from("gemini");
            let provider = match providers.get_untracked(&gemini) {
                Some(row) => (*row.provider).clone(),
                // It was removed in the settings, and is wanted now.
                None => {
                    let provider = Provider::gemini();
                    dispatch.ask(Command::ChangeProvider { provider: provider.clone() }).await?;
                    provider
                }
            };
            dispatch.enter_key(&provider, &key, keeping).await;
            use_for_all(dispatch, agents, &gemini, GEMINI_MODEL).await?;
        }
    }
    dispatch.ask(dispatch.mind_edit(vec![MindWrite::Objective(beginning.objective.clone())])).await?;
    dispatch.ask(Command::Say(NewMessage::new(dispatch.session(), beginning.objective))).await?;
    // It was typed for the objective.
    dispatch.discard_draft(&DraftField::Composer);
    dispatch.ask(setting(FIRST_START_DONE.name(), true.into())).await
}

/// Lets all agents think with this model of this provider.
pub(crate) async fn use_for_all(
    dispatch: Dispatch,
    agents: Agents,
    provider: &ProviderId,
    model: &str,
) -> Result<(), Rejection> {
    use leptos::prelude::GetUntracked as _;
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
