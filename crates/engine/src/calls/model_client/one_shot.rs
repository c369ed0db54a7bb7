//! Model calls that belong to no turn: the request, its possible failures, and the port that sends it.
//!
//! They pass the same rate limiter, codecs and time limits as the calls of agents. Never shows or stores the answer.

use std::rc::Rc;

use futures_util::FutureExt as _;
use futures_util::future::LocalBoxFuture;

use super::{ModelClient, chance, missing};
use crate::calls::limiter::sleep_until;
use crate::calls::model_client::stream::CallOutcome;
use nexus_model::command::RecordedAnswer;
use nexus_model::id::{Millis, ProviderId, TurnId};
use nexus_model::llm::{Prompt, Usage};
use nexus_model::provider::Provider;
use nexus_model::provider::failure::ProviderError;
use nexus_providers::http::{Endpoint, HttpRequest};

/// A question beside all turns.
pub(crate) struct OneShotRequest {
    pub(crate) provider: ProviderId,
    pub(crate) prompt: Prompt,
    /// Which attempt it is, from 1.
    pub(crate) attempt: u32,
    /// Whether the operator waits for it, so that a locked key is asked for.
    pub(crate) wanted: bool,
    /// The turn that it is kept for in the inspector, with the request and the answer as it comes; for nobody where
    /// absent.
    pub(crate) kept: Option<TurnId>,
}

/// Why there is no answer.
pub(crate) struct OneShotError {
    pub(crate) failure: ProviderError,
    /// What it used all the same.
    pub(crate) usage: Usage,
    /// After how long another attempt may help, in milliseconds.
    pub(crate) retry_in_ms: Option<u64>,
}

pub(crate) trait AskModel {
    /// Asks once. Nothing of the answer is shown or kept on the way. Dropping the future aborts the request.
    fn ask(&self, question: OneShotRequest) -> LocalBoxFuture<'static, Result<RecordedAnswer, OneShotError>>;
}

impl AskModel for ModelClient {
    fn ask(&self, question: OneShotRequest) -> LocalBoxFuture<'static, Result<RecordedAnswer, OneShotError>> {
        self.clone().ask_once(question).boxed_local()
    }
}

impl ModelClient {
    async fn ask_once(self, question: OneShotRequest) -> Result<RecordedAnswer, OneShotError> {
        let OneShotRequest { provider: id, prompt, attempt, wanted, kept } = question;
        if wanted {
            self.unlock(&id).await;
        }
        let due = Millis(self.clock.now().0.saturating_add(self.limiter.wait_ms(&id)));
        sleep_until(self.clock.as_ref(), due).await;
        // Agents come first: the last place is theirs.
        let pass = Rc::clone(&self.limiter).enter(&id, false).await;
        let record = |request: &HttpRequest| self.keeper.record_whole(kept?, attempt, request);
        let prepared = self.place(&id, prompt);
        let outcome = self.send_attempt(prepared, None, record).await;
        drop(pass);
        match outcome {
            CallOutcome::Answered(answer) => Ok(answer),
            CallOutcome::Failed(failure, usage) => {
                let chance = chance(&format!("{id} {attempt}"), self.clock.now());
                let retry_in_ms = self.retry_in_ms(&id, &failure, attempt, false, chance);
                Err(OneShotError { failure, usage, retry_in_ms })
            }
        }
    }

    fn place(&self, id: &ProviderId, prompt: Prompt) -> Result<(Provider, Prompt, Endpoint), ProviderError> {
        let world = self.world.borrow();
        let provider =
            world.live_provider(id).ok_or_else(|| missing("The provider is not set up on this device."))?;
        if prompt.config.model.is_empty() {
            return Err(missing("No model is chosen."));
        }
        Ok((provider.clone(), prompt, self.endpoint(provider)?))
    }
}
