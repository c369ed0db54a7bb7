//! Never goes on after a refusal.
//!
//! Owns the steps between the first screen and the first message.

use crate::domain::command::{Command, Rejection};
use crate::domain::draft::DraftField;
use crate::domain::id::ProviderId;
use crate::domain::message::Source;
use crate::domain::mind::MindWrite;
use crate::domain::roster::GEMINI_MODEL;
use crate::domain::session::{QueueMode, Target};
use crate::ui::dispatch::Dispatch;
use crate::ui::start::FIRST_START_DONE;
use crate::ui::view_state::{Agents, Providers};

/// What the first screen brings together.
pub(super) struct Beginning {
    /// The operator's name; may be empty.
    pub(super) name: String,
    /// The key for Gemini; absent where Rehearsal answers.
    pub(super) key: Option<String>,
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
    if let Some(key) = beginning.key {
        let gemini = ProviderId::from("gemini");
        if let Some(row) = providers.get_untracked(&gemini) {
            dispatch.put_key(&row.provider, &key);
        }
        use_for_all(dispatch, agents, &gemini, GEMINI_MODEL).await?;
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
        dispatch.ask(Command::ChangeAgent { agent }).await?;
    }
    Ok(())
}
