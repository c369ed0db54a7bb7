//! Performs the first start: sets the name and the agents and sends the first message; stops at a rejection.

use crate::ui::prelude::*;
use nexus_model::agent::defaults::DEMO_MODEL;
use nexus_model::command::{NewMessage, Rejection};
use nexus_model::mind::MindWrite;
use nexus_model::provider::ModelInfo;
use nexus_model::settings::schema::{FIRST_START_DONE, OPERATOR_NAME};

pub(super) struct FirstStartInput {
    /// The operator's name; may be empty.
    pub(super) name: String,
    pub(super) uses_demo: bool,
    pub(super) objective: String,
}

/// Sets everything up but the provider, and sends the first message.
pub(super) async fn begin(
    dispatch: Dispatch,
    agents: Agents,
    input: FirstStartInput,
) -> Result<(), StartError> {
    let setting =
        |name: &str, value: serde_json::Value| Command::ChangeSetting { name: name.to_owned(), value };
    dispatch.send_and_wait(setting(OPERATOR_NAME.name(), input.name.into())).await?;
    if input.uses_demo {
        use_for_all(dispatch, agents, &"rehearsal".into(), DEMO_MODEL, None).await?;
    }
    dispatch.send_and_wait(dispatch.mind_edit(vec![MindWrite::Objective(input.objective.clone())])).await?;
    dispatch
        .send_and_wait(Command::SendMessage(NewMessage::new(dispatch.session(), input.objective)))
        .await?;
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

/// The context window that a provider reports for a model.
pub(crate) fn reported_window(listed: &[ModelInfo], model: &str) -> Option<u64> {
    listed.iter().find(|one| one.id == model)?.input_limit
}

/// Sets this model and its context window for all agents.
pub(crate) async fn use_for_all(
    dispatch: Dispatch,
    agents: Agents,
    provider: &ProviderId,
    model: &str,
    window: Option<u64>,
) -> Result<(), Rejection> {
    for key in agents.order.get_untracked() {
        let Some(row) = agents.rows.get_untracked(&key) else { continue };
        let mut agent = (*row.agent).clone();
        agent.config.provider = provider.clone();
        agent.config.model = model.to_owned();
        agent.config.context_tokens = window;
        if let Some(credentials) = &mut agent.permissions.credentials {
            *credentials = vec![provider.clone()];
        }
        if agent == *row.agent {
            continue;
        }
        dispatch.send_and_wait(Command::ChangeAgent { agent }).await?;
    }
    Ok(())
}
