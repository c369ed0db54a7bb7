//! Never goes on after a refusal.
//!
//! Owns the steps between the first screen and the first message.

use crate::domain::command::{Command, Rejection};
use crate::domain::draft::DraftField;
use crate::domain::id::ProviderId;
use crate::domain::message::Source;
use crate::domain::mind::MindWrite;
use crate::domain::provider::Provider;
use crate::domain::roster::{GEMINI_MODEL, REHEARSAL_MODEL};
use crate::domain::session::{QueueMode, Target};
use crate::ui::dispatch::Dispatch;
use crate::ui::start::FIRST_START_DONE;
use crate::ui::view_state::{Agents, Providers};

/// Who answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// Rehearsal.
    Rehearsal,
    /// Gemini with this key.
    Gemini(String),
    /// Whoever the agents have in the settings.
    AsSet,
}

/// What the first screen brings together.
pub(super) struct Beginning {
    /// The operator's name; may be empty.
    pub(super) name: String,
    /// Who answers.
    pub(super) way: Way,
    /// What shall be built.
    pub(super) objective: String,
}

/// Sets everything up and sends the first message.
pub(super) async fn begin(
    dispatch: Dispatch,
    agents: Agents,
    providers: Providers,
    beginning: Beginning,
) -> Result<(), Rejection> {
    let setting =
        |name: &str, value: serde_json::Value| Command::ChangeSetting { name: name.to_owned(), value };
    dispatch.ask(setting("operator_name", beginning.name.into())).await?;
    match beginning.way {
        Way::AsSet => {}
        Way::Rehearsal => use_for_all(dispatch, agents, &"rehearsal".into(), REHEARSAL_MODEL).await?,
        Way::Gemini(key) => {
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
            dispatch.put_key(&provider, &key);
            use_for_all(dispatch, agents, &gemini, GEMINI_MODEL).await?;
        }
    }
    dispatch.ask(dispatch.mind_edit(vec![MindWrite::Objective(beginning.objective.clone())])).await?;
    let first = Command::Say {
        session: dispatch.session(),
        text: beginning.objective,
        attachments: Vec::new(),
        source: Source::Human,
        target: Target::All,
        queue: QueueMode::FollowUp,
        keep_going: None,
        over: None,
    };
    dispatch.ask(first).await?;
    // It was typed for the objective.
    dispatch.discard_draft(&DraftField::Composer);
    dispatch.ask(setting(FIRST_START_DONE, true.into())).await
}

/// Lets all agents think with this model of this provider.
pub(in crate::ui) async fn use_for_all(
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
